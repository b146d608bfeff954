/*
 * What the files of this folder share: rows behind the public structs, the
 * registry and the parser of descriptions. The public struct is the first
 * member of its row, so a pointer to one is a pointer to the other.
 */
#ifndef SCHEMA_INT_H
#define SCHEMA_INT_H

#include <stdatomic.h>

#include "schema.h"
#include "util/hash.h"
#include "util/lock.h"
#include "util/log.h"
#include "util/mem.h"
#include "util/text.h"

/*
 * What kind of values a syntax holds: a rule may be used with a type if they
 * share a family (RFC 4517 4.1 leaves this to the rule).
 */
enum syntax_family {
	FAM_STRING = 1, FAM_IA5 = 2, FAM_LIST = 4, FAM_NUMERIC = 8,
	FAM_PHONE = 0x10, FAM_INTEGER = 0x20, FAM_BOOLEAN = 0x40,
	FAM_BITS = 0x80, FAM_OCTETS = 0x100, FAM_DN = 0x200,
	FAM_NAMEUID = 0x400, FAM_TIME = 0x800, FAM_UUID = 0x1000,
	FAM_CSN = 0x2000, FAM_OID = 0x4000, FAM_OIDFIRST = 0x8000,
	FAM_INTFIRST = 0x10000, FAM_CERT = 0x20000, FAM_CRL = 0x40000,
	FAM_AC = 0x80000, FAM_AUTHZ = 0x100000, FAM_RDN = 0x200000,
	FAM_ADDRESS = 0x400000, FAM_PROTOCOL = 0x800000,
	FAM_ALGORITHM = 0x1000000, FAM_CERTPAIR = 0x2000000,
	FAM_OTHER = 0x4000000,
	FAM_TEXT = FAM_STRING | FAM_IA5,
	FAM_ANY = 0x7ffffff
};

struct place {
	const char *file;	/* NULL: built in */
	unsigned line;
};

struct syntax_row {
	struct syntax s;
	const char *expects;	/* "an integer": what a value must be */
	unsigned family;
	struct place at;	/* of those that a ldapsyntax line added */
};

enum syntax_index {
#define SYNTAX(sym, oid, desc, flags, validate, expects, family)	SX_##sym,
#include "tbl/syntaxes.tbl"
#undef SYNTAX
	SX_COUNT
};

struct rule_row {
	struct matching_rule r;
	unsigned families;
	const char *approx;	/* rule that serves ~= beside this one */
};

enum given {		/* what a definition says itself, not by SUP */
	GIVEN_EQUALITY = 1, GIVEN_ORDERING = 2, GIVEN_SUBSTR = 4,
	GIVEN_SYNTAX = 8
};

struct type_row {
	struct attr_type t;
	struct place at;
	unsigned given;
	struct slice x_text;	/* X- parts as given */
};

struct class_row {
	struct object_class c;
	struct place at;
	struct slice x_text;
	uint8_t *allowed;	/* bit n: type whose description has id n */
	uint32_t nallowed;	/* bits; 0 before the freeze */
};

struct crule_row {
	struct content_rule r;
	struct place at;
	const char *desc_text;
	struct slice x_text;
};

struct macro {
	const char *oid;
	struct place at;
};

struct row_list {
	void **rows;
	size_t n, cap;
};

struct schema {
	/* changed until the freeze by the one thread that builds it */
	struct strmap *types, *classes, *crules;	/* OIDs and names */
	struct strmap *syntaxes;			/* OIDs */
	/* name -> struct macro; the second ignores case, first one wins */
	struct strmap *macros, *macros_nocase;
	struct row_list type_list, class_list, crule_list, syntax_list;
	struct slice *options;
	unsigned noptions;
	struct schema_basics basics;
	bool frozen;
	struct short_names *short_types;	/* NULL before the freeze */

	struct lk_rwlock lock;	/* rank LK_SCHEMA; guards what follows */
	struct strmap *descs;	/* canonical text -> struct attr_desc */
	struct strmap *unknown;	/* the same, of undefined types */
	struct arena arena;	/* all definitions; before the freeze unlocked */
	atomic_uint ndescs;	/* written under lock, read without */
};

extern const struct syntax_row schema_syntax_rows[SX_COUNT];
extern const struct rule_row schema_rule_rows[];
extern const unsigned schema_rule_count;
/* Name or OID, case ignored, of a rule; they are the same for every schema. */
const struct strmap *schema_rule_map(void);

void row_add(struct row_list *list, void *row);

static inline const struct syntax_row *
syntax_row(const struct syntax *s)
{
	return (const struct syntax_row *)(const void *)s;
}

static inline const struct rule_row *
rule_row(const struct matching_rule *r)
{
	return (const struct rule_row *)(const void *)r;
}

static inline const struct type_row *
type_row(const struct attr_type *t)
{
	return (const struct type_row *)(const void *)t;
}

static inline const struct class_row *
class_row(const struct object_class *c)
{
	return (const struct class_row *)(const void *)c;
}

static inline struct slice
row_oid(const char *oid)
{
	return slice_of(oid);
}

/* parse.c: descriptions of RFC 4512 4.1 */

enum def_kind { DEF_FLAG, DEF_ONE, DEF_LIST, DEF_NAMES, DEF_STRING };

struct def_key {
	const char *key;
	enum def_kind kind;
};

struct def_field {
	const struct def_key *key;
	struct slice *vals;
	unsigned n;
};

#define DEF_FIELDS_MAX	16

struct def {
	struct slice oid;		/* as written */
	struct def_field fields[DEF_FIELDS_MAX];
	unsigned n;
	struct slice x_text;		/* all X- parts, one blank between */
	struct slice behind;		/* text after the closing parenthesis */
};

/* KEYS ends with a NULL key. Slices point into TEXT, arrays into ARENA. */
int def_parse(struct arena *arena, struct slice text,
    const struct def_key *keys, struct def *def_r, struct diag *diag);
const struct def_field *def_find(const struct def *def, const char *key);
bool def_has(const struct def *def, const char *key);
/* The one value of KEY, or SLICE_NONE. */
struct slice def_value(const struct def *def, const char *key);
/* The first value of extension KEY ("X-ORDERED"), or SLICE_NONE. */
struct slice def_extension(const struct def *def, const char *key);

/* define.c: steps that all kinds of definitions share */

bool oid_is_numeric(struct slice s);
bool descr_is_valid(struct slice s);
/*
 * TEXT (OID, macro, macro:suffix) as a numeric OID in ARENA. HB_EINVAL if it
 * is neither.
 */
int oid_resolve(const struct schema *schema, struct arena *arena,
    struct slice text, struct slice *oid_r);
/* OID and NAME of DEF copied into the schema. */
int define_ident(struct schema *schema, const struct def *def,
    const char **oid_r, const char *const **names_r, struct diag *diag);
/* Place of a definition, its file's name copied; built in if AT names none. */
struct place define_place(struct schema *schema, const struct place *at);
/*
 * NOTE, which may be NULL: the definition says what that at AT said before;
 * text of DEF was ignored.
 */
void note_clear(struct schema_note *note);
void note_same(struct schema_note *note, const char *oid,
    const struct place *at);
void note_behind(struct schema_note *note, const struct def *def);
/* Own copy of a text of DEF; NULL for SLICE_NONE. */
const char *define_text(struct schema *schema, struct slice text);
/*
 * Is OID or one of NAMES taken in MAP? Names the holder's place (PLACE of a
 * found row). DIFFERS: keyword in which the holder of OID is another, or NULL.
 */
int define_conflict(const struct strmap *map, const char *oid,
    const char *const *names, const char *differs,
    const struct place *(*place)(const void *), struct diag *diag);
void define_register(struct strmap *map, const char *oid,
    const char *const *names, void *row);
/* "FILE line N" or "built in" of a first definition, for messages. */
const char *place_text(const struct place *at, char *buf, size_t size);
/* Every one of NAMES is one of OTHER. */
bool names_are_within(const char *const *names, const char *const *other);
/* Types or classes of LIST, which KEY of DEF names. HB_EINVAL with nearest. */
int define_types(struct schema *schema, const struct def *def,
    const char *key, const struct attr_type *const **types_r,
    struct diag *diag);
int define_classes(struct schema *schema, const struct def *def,
    const char *key, const struct object_class *const **classes_r,
    struct diag *diag);
/* Same pointers, order ignored; NULL-terminated both. */
bool ptrs_are_same(const void *const *a, const void *const *b);
const struct attr_type *find_type_macro(const struct schema *schema,
    struct slice text);
const struct object_class *find_class_macro(const struct schema *schema,
    struct slice text);

/* builtin.c */
void schema_add_builtins(struct schema *schema);
/* type.c, class.c: the same as the public ones, for built-in rows. */
int type_define(struct schema *schema, struct slice text,
    const struct place *at, unsigned flags, struct schema_note *note,
    struct diag *diag);
int class_define(struct schema *schema, struct slice text,
    const struct place *at, bool hidden, struct schema_note *note,
    struct diag *diag);
void class_freeze_all(struct schema *schema);
/* lookup.c */
void types_freeze(struct schema *schema);
/* nearest.c */
const char *schema_nearest_rule(const struct schema *schema,
    struct slice text);
const char *schema_nearest_syntax(const struct schema *schema,
    struct slice text);
/* desc.c */
void desc_init_plain(struct schema *schema, struct attr_type *t);

/*
 * strprep.c: all steps of RFC 4518 but the last, by Unicode's tables. *OUT_R
 * is the caller's and may be changed in place, one octet even if it is empty.
 */
int prepare_by_tables(struct arena *arena, struct slice text, bool fold,
    struct slice *out_r);
/* The same, the fastest way there is. */
int prepare_chars(struct arena *arena, struct slice text, bool fold,
    struct slice *out_r);
/* TEXT folded and prepared without spaces, and without HYPHENS (2.6.2, 2.6.3). */
int prepare_dropping(struct arena *arena, struct slice text, bool hyphens,
    struct slice *prepared_r);
/* spaces.c: the last step, in place; one octet is left at least. */
void spaces_squeeze(struct slice *s, enum substr_part part);
void spaces_drop(struct slice *s, bool hyphens);
/* letters.c: the same into OUT, as long as TEXT; false if it is not simple. */
bool prepare_letters(struct slice text, bool fold, char *out);

/* validate_*.c: validators of the syntax table */
#define VALIDATE(name) \
	int validate_##name(const struct schema *, struct slice)
VALIDATE(utf8);
VALIDATE(dirstring);
VALIDATE(printable);
VALIDATE(fax_number);
VALIDATE(telex);
VALIDATE(teletex);
VALIDATE(substr_assertion);
VALIDATE(auth_password);
VALIDATE(guide);
VALIDATE(enhanced_guide);
VALIDATE(subtree);
VALIDATE(attr_type);
VALIDATE(object_class);
VALIDATE(content_rule);
VALIDATE(structure_rule);
VALIDATE(name_form);
VALIDATE(matching_rule);
VALIDATE(rule_use);
VALIDATE(syntax);
VALIDATE(country);
VALIDATE(ia5);
VALIDATE(numeric);
VALIDATE(telephone);
VALIDATE(postal);
VALIDATE(delivery);
VALIDATE(other_mailbox);
VALIDATE(integer);
VALIDATE(boolean);
VALIDATE(bits);
VALIDATE(gentime);
VALIDATE(utctime);
VALIDATE(oid);
VALIDATE(uuid);
VALIDATE(csn);
VALIDATE(sid);
VALIDATE(dn);
VALIDATE(nameuid);
VALIDATE(rdn);
VALIDATE(authz);
VALIDATE(ber);
VALIDATE(jpeg);
VALIDATE(nis_triple);
VALIDATE(boot_param);
VALIDATE(cert);
VALIDATE(crl);
VALIDATE(cert_pair);
VALIDATE(supported_algorithm);
VALIDATE(attr_cert);
VALIDATE(cert_exact);
VALIDATE(crl_exact);
VALIDATE(pair_exact);
VALIDATE(algorithm_id);
VALIDATE(ac_exact);
VALIDATE(cert_assertion);
VALIDATE(crl_assertion);
VALIDATE(pair_assertion);
VALIDATE(ac_assertion);
#undef VALIDATE

/* norm_*.c: normalisers of the rule table */
#define NORM(name) \
	int norm_##name(const struct schema *, struct arena *, \
	    enum substr_part, struct slice, struct slice *)
NORM(case_fold);
NORM(case_exact);
NORM(ia5_fold);
NORM(ia5_exact);
NORM(list_fold);
NORM(telephone);
NORM(numeric);
NORM(integer);
NORM(boolean);
NORM(bits);
NORM(octets);
NORM(gentime);
NORM(oid);
NORM(oid_first);
NORM(integer_first);
NORM(string_first);
NORM(uuid);
NORM(csn);
NORM(authz);
NORM(sid);
NORM(dn);
NORM(nameuid);
NORM(approx);
NORM(approx_ia5);
NORM(cert_exact);
NORM(crl_exact);
NORM(pair_exact);
NORM(algorithm);
NORM(ac_exact);
NORM(cert_assertion);
NORM(crl_assertion);
NORM(pair_assertion);
NORM(ac_assertion);
#undef NORM

/* Has the normal form of a DN a value that preparation prohibits? */
bool dn_is_prohibited(const struct schema *schema, struct slice norm);
int cmp_integer(struct slice a, struct slice b);
int cmp_gentime(struct slice a, struct slice b);
void key_integer(struct slice norm, struct buf *key);
void key_gentime(struct slice norm, struct buf *key);
void key_crl(struct slice norm, struct buf *key);

#define MATCH(name) \
	bool match_##name(const struct schema *, struct slice, struct slice)
MATCH(bit_and);
MATCH(bit_or);
MATCH(dn_subtree);
MATCH(dn_one);
MATCH(dn_subordinate);
MATCH(dn_superior);
MATCH(csn_sid);
MATCH(approx);
MATCH(word);
MATCH(keyword);
MATCH(prefix);
MATCH(components);
MATCH(certificate);
MATCH(certificate_list);
MATCH(certificate_pair);
MATCH(attr_certificate);
#undef MATCH

#endif
