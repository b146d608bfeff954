/*
 * Entries: an editable form (struct attrs, in an arena) and the immutable
 * block that is disk record, cache content and source of the wire at once.
 * Knows no database and no connection.
 *
 * Block, version 1 (integers little-endian, offsets from the block's start):
 *   0  u8 version   1 u8 0   2 u16 number of attributes n   4 u32 length
 *   8  u32 offset of wire   12 u32 offset of operational wire   16 u32 end of wire  20 u32 0
 *   24 n rows of 16: u32 number | u32 wire offset | u32 norm offset | u32 values
 *      (row sort: order of appearance, user attributes first)
 *   wire: n BER PartialAttributes, user ones first, ready to be sent
 *   norms: for each attribute with a norm offset: per value in order,
 *      u32 length, octets. Norm offset 0: the normal forms are the values.
 * Attribute numbers come from an attr_dict, persistent per database.
 */
#ifndef ENTRY_H
#define ENTRY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "dn.h"
#include "schema.h"
#include "util/arena.h"
#include "util/buf.h"

typedef uint64_t entry_id;
#define ENTRY_ID_NONE	((entry_id)0)

/* ---- editable form ---- */

struct attr {
	const struct attr_desc *desc;
	struct slice *values;
	struct slice *norms;		/* same order */
	unsigned n, cap;
};

struct attrs {
	struct attr *v;			/* order of appearance */
	unsigned n, cap;
};

enum mod_type {
	MOD_ADD, MOD_DELETE, MOD_REPLACE, MOD_INCREMENT,
	MOD_SOFT_ADD,			/* values that are there are no error */
	MOD_SOFT_DELETE			/* values that are missing are no error */
};

struct mod {
	enum mod_type type;
	const struct attr_desc *desc;
	struct slice *values;		/* n 0: whole attribute (delete, replace) */
	struct slice *norms;
	unsigned n;
	bool internal;			/* made by the server: NO-USER-MODIFICATION does not apply */
};

/* Numbers of attribute descriptions in blocks. Lookups take no lock; additions are serialised by the owner. */
struct attr_dict;

HB_API_BEGIN

/*
 * Take VALUES (N of them) as values of DESC into *attr_r: checks syntax,
 * single value and duplicates, normalises; X-ORDERED values are put in order
 * and numbered. Values are borrowed, norms in ARENA.
 * HB_OK, HB_ESYNTAX, HB_EVALEXISTS, HB_ECONSTRAINT, HB_ELIMIT; HB_EUNDEFTYPE: nothing can be stored under DESC
 * (a range of options, ";binary" missing where it is required). DIAG names the attribute and the numbers of all bad values.
 */
int attr_make(struct arena *, const struct schema *, const struct attr_desc *,
    const struct slice *values, unsigned n, struct attr *attr_r,
    struct diag *);
/*
 * The same for the values of a modification, which may be none: X-ORDERED
 * values keep the numbers that were given, and "{n}" alone deletes.
 */
int mod_make(struct arena *, const struct schema *, enum mod_type,
    const struct attr_desc *, const struct slice *values, unsigned n,
    struct mod *mod_r, struct diag *);
struct attr *attrs_find(const struct attrs *, const struct attr_desc *);
/* Append A, merging with an attribute of the same description (HB_EVALEXISTS on a common value). */
int attrs_add(struct arena *, struct attrs *, const struct attr *a);
/* Set DESC to the one VALUE, which needs no checking and whose norm is NORM. */
int attrs_set(struct arena *, struct attrs *, const struct attr_desc *,
    struct slice value, struct slice norm);
bool attrs_has_value(const struct attrs *, const struct attr_desc *,
    struct slice norm);
bool attrs_has_class(const struct attrs *, const struct schema *,
    const struct object_class *);	/* listed or implied by a subclass */

/*
 * RFC 4511 4.6, 4525: apply N modifications in order; order of attributes and
 * values as users see it (values added last, an attribute that was emptied
 * leaves the list). On error nothing may be used of ATTRS any more.
 * HB_ENOSUCHATTR, HB_EVALEXISTS, HB_EMATCHING, HB_ECONSTRAINT, HB_ESYNTAX, HB_ELIMIT with DIAG.
 */
int attrs_modify(struct arena *, const struct schema *, struct attrs *,
    const struct mod *mods, unsigned n, struct diag *);

/*
 * Schema check of a whole entry (RFC 4512 2.4, 2.5, 4.1): structural chain, MUST, MAY, content rule, SINGLE-VALUE,
 * collective, obsolete, naming attributes of DN present. All violations are in DIAG.
 * Sets structuralObjectClass in ATTRS.
 * HB_EOBJECTCLASS, HB_ECONSTRAINT, HB_ENAMING, HB_ENOTONRDN (a naming value was removed: flag MODIFY),
 * HB_ECLASSMODS (structural class changed: flag MODIFY).
 */
enum entry_check_flags { ENTRY_CHECK_MODIFY = 1, ENTRY_CHECK_RELAX = 2 };
int entry_check(struct arena *, struct schema *, const struct dn *,
    struct attrs *, unsigned flags, struct diag *);
/* Add missing naming values of DN's RDN (RFC 4511 4.7). HB_ENAMING. */
int entry_add_naming(struct arena *, struct schema *, const struct dn *,
    struct attrs *, struct diag *);
/* Change ATTRS for a new RDN: drop OLD's values if DELETE_OLD, then add NEW's. */
int entry_rename(struct arena *, struct schema *, struct attrs *,
    const struct dn *old_rdn, const struct dn *new_rdn, bool delete_old,
    struct diag *);

/* Operational attributes at add (only those that are absent). UUID is made here. */
struct entry_stamp {
	struct slice csn;		/* entryCSN */
	struct slice time;		/* generalizedTime */
	struct dn who;			/* creatorsName, modifiersName */
};
int entry_stamp_add(struct arena *, struct schema *, struct attrs *,
    const struct entry_stamp *);
/*
 * entryCSN, modifiersName, modifyTimestamp as replace modifications: three are
 * written to MODS. Here and above values are borrowed from the stamp; an empty
 * WHO is shown as cn=anonymous. HB_OK, HB_ELIMIT, HB_ESYNTAX (CSN or time).
 */
int entry_stamp_mods(struct arena *, struct schema *,
    const struct entry_stamp *, struct mod mods[3]);

/* ---- dictionary ---- */

struct attr_dict *attr_dict_new(void);
void attr_dict_free(struct attr_dict **);
uint32_t attr_dict_num(const struct attr_dict *, const struct attr_desc *); /* 0: none */
const struct attr_desc *attr_dict_desc(const struct attr_dict *, uint32_t num); /* NULL: none */
/* Give DESC the number NUM (next free one if 0); returns it. */
uint32_t attr_dict_add(struct attr_dict *, const struct attr_desc *,
    uint32_t num);

/* ---- immutable form ---- */

struct entry {
	atomic_uint refs;
	entry_id id;			/* ENTRY_ID_NONE: not of a database */
	struct dn dn;			/* in the same allocation */
	const struct attr_dict *dict;
	struct slice block;		/* in the same allocation, 8-aligned */
};

/* One attribute as seen in a block. */
struct entry_attr {
	const struct attr_desc *desc;
	struct slice element;		/* whole PartialAttribute TLV, to send */
	const char *values;		/* cursor: see entry_value_next() */
	const char *norms;		/* NULL: same as values */
	unsigned n;			/* values left */
};

/* Append the block of ATTRS to OUT. HB_EINVAL if a description is not in DICT. */
int entry_encode(const struct attrs *, const struct attr_dict *,
    struct buf *out);
/* HB_OK, HB_ECORRUPT or HB_EVERSION: everything that the accessors rely on. */
int entry_block_check(struct slice block, const struct attr_dict *);
/* New entry of one reference; DN and BLOCK (which was checked or just encoded) are copied. */
struct entry *entry_new(entry_id, const struct dn *, const struct attr_dict *,
    struct slice block);
/* Uninitialised room for a block of LEN: fill entry_r->block.ptr (cast), then use. Saves a copy when reading. */
struct entry *entry_new_room(entry_id, const struct dn *,
    const struct attr_dict *, size_t len, char **block_r);
static inline struct entry *
entry_ref(struct entry *e)
{
	atomic_fetch_add_explicit(&e->refs, 1, memory_order_relaxed);
	return e;
}
void entry_unref(struct entry **e);	/* accepts NULL; frees the last one */

unsigned entry_nattrs(const struct entry *);
/* Attribute I (0 .. nattrs-1; user ones first). desc may be AT_UNDEFINED, never NULL. */
void entry_attr_at(const struct entry *, unsigned i, struct entry_attr *a_r);
/* The description of attribute I alone: for those who look at many. */
const struct attr_desc *entry_attr_desc(const struct entry *, unsigned i);
/* Exactly DESC. False if the entry has none. */
bool entry_find(const struct entry *, const struct attr_desc *,
    struct entry_attr *a_r);
/* Next value and its normal form (either pointer may be NULL). False at the end. */
bool entry_value_next(struct entry_attr *, struct slice *value_r,
    struct slice *norm_r);
/* First value; SLICE_NONE if there is none. */
struct slice entry_value(const struct entry *, const struct attr_desc *);
/* Is NORM the normal form of one of A's values? Walks all, but reads little of each. */
bool entry_attr_has_norm(struct entry_attr a, struct slice norm);
bool entry_has_norm(const struct entry *, const struct attr_desc *,
    struct slice norm);
/* A value of DESC matches NORM, an assertion in normal form (equality rule). */
bool entry_has_match(const struct entry *, const struct schema *,
    const struct attr_desc *, struct slice norm);
/*
 * RFC 4511 4.10: VALUE, whose normal form under DESC's equality rule is NORM,
 * against the attribute and its subtypes, each under its own rule.
 * HB_COMPARE_TRUE, HB_COMPARE_FALSE, HB_ENOSUCHATTR, HB_ELIMIT.
 */
int entry_compare(struct arena *, const struct schema *, const struct entry *,
    const struct attr_desc *, struct slice value, struct slice norm);
/* The PartialAttributes to send: all user attributes in one piece; all operational ones that are stored. */
struct slice entry_user_wire(const struct entry *);
struct slice entry_operational_wire(const struct entry *);
/* Editable copy: arrays in ARENA, bytes borrowed from the entry. */
int entry_edit(struct arena *, const struct entry *, struct attrs *attrs_r);
/* objectClass is OC or a subclass of it. */
bool entry_is_class(const struct entry *, const struct schema *,
    const struct object_class *);

HB_API_END

#endif
