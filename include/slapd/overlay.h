/*
 * Overlays: what stands between the frontend and a database. An `overlay` line
 * makes an instance, of the database it stands in, or of all databases and the
 * server's own entries if it stands before the first one (global).
 *
 * Order: the last line is the outermost. On the way in (before, in_txn) the
 * global instances come first, each group with its last line first; on the way
 * out (on_entry, after) it is the reverse. Operations of the server itself
 * have OP_INTERNAL set.
 *
 * What is seen: operations that are decoded, normalised, within restrictions
 * and on a database, and reads of the root DSE and the subschema entry (global
 * instances; op->db is the frontend's then). Tools run no overlays.
 *
 * Hooks run in many threads at once. Any may be NULL.
 */
#ifndef SLAPD_OVERLAY_H
#define SLAPD_OVERLAY_H

#include "cfg.h"
#include "slapd/op.h"
#include "slapd/txn.h"

#define SLAPD_OVERLAY_ABI	2

enum {
	OVERLAY_CONTINUE = -1,		/* before: let the operation go on */
	OVERLAY_SKIP = -2		/* on_entry: do not send the entry */
};

enum overlay_flags {
	OVERLAY_ONCE = 1,		/* one instance a database */
	OVERLAY_NO_GLOBAL = 2,		/* only in a database */
	OVERLAY_NO_DATABASE = 4		/* only global */
};

struct overlay;

/* A control that the overlay honours where it is configured. */
struct overlay_control {
	const char *oid;
	unsigned on;			/* operations: 1u << OP_... */
	bool hidden;			/* not in supportedControl */
};

/* An extended operation; the first instance that has OID gets it. */
struct overlay_exop {
	const char *oid;
	/*
	 * VALUE NONE: absent. Both results are NONE when it is called, and
	 * live as long as OP. HB_*; HB_EDEFER as before().
	 */
	int (*run)(struct overlay *, struct op *, struct slice value,
	    struct slice *oid_r, struct slice *value_r);
};

struct slapd_overlay {
	unsigned abi;			/* SLAPD_OVERLAY_ABI */
	const char *name;		/* of the `overlay` line */
	unsigned flags;			/* enum overlay_flags */

	/* ---- configuration ---- */

	/*
	 * Definitions as in slapd.conf, NULL-terminated lists; they are part
	 * of the schema once the overlay is registered.
	 */
	const char *const *attr_types, *const *object_classes;
	/*
	 * Directives after the `overlay` line, on its own struct of conf_size
	 * bytes (overlay.conf). The context of a parse() is the instance.
	 */
	size_t conf_size;
	const struct cfg_item *config;
	/*
	 * Words after the name, which live as long as the instance. NULL:
	 * there may be none.
	 */
	int (*args)(struct overlay *, unsigned n, char **args, struct diag *);
	/* the whole configuration was read, and the schema is complete */
	int (*conf_check)(struct overlay *, struct diag *);
	/* of what args, conf_check and parse() made; rows are freed by themselves */
	void (*conf_free)(struct overlay *);

	/* ---- the server ---- */

	/* All databases are open, no operation runs. close() is called if and only if it returned HB_OK. */
	int (*open)(struct overlay *, struct diag *);
	void (*close)(struct overlay *);
	/*
	 * Called by a thread that may wait, first when the server starts: what
	 * is to be done now and then. OP is good for the calls below. Returns
	 * the seconds until it is called again; 0: never.
	 */
	unsigned (*tick)(struct overlay *, struct op *op);

	/* ---- operations ---- */

	/*
	 * OVERLAY_CONTINUE; anything else is the answer, HB_OK too, and neither
	 * the overlays below nor the backend see the operation. It may replace
	 * what op->req points to, in op's arena: the attributes of an add must
	 * pass entry_check() still. With op->may_wait false it must not wait:
	 * HB_EDEFER makes the operation begin anew where it may, before() of all
	 * overlays included. An overlay whose after() is going to wait says so
	 * here. Only writes are sure to be called once; whatever else before()
	 * does that is not undone by op's end must wait for that.
	 */
	int (*before)(struct overlay *, struct op *);
	/*
	 * In the transaction of a write (txn.h), HB_OK or the error that undoes
	 * all. The only place for writes that must happen together with the
	 * operation or not at all, and for checks that nobody may invalidate.
	 * Runs again, from a clean state, when the transaction met a deadlock
	 * (op data is as it was left: see overlay_op_data): so it has no
	 * effects beside the transaction. After OP_NOOP it runs too, and all is
	 * undone. Runs for OP_INTERNAL. Other operations wait meanwhile: it
	 * does not wait for anything, and asks no other server.
	 */
	int (*in_txn)(struct overlay *, struct be_txn *txn);
	/*
	 * *E, which is found and may be read, is about to be sent. It may be
	 * exchanged (overlay_entry_new) with its reference; access control
	 * decides on each attribute of what is left in the end. HB_OK;
	 * OVERLAY_SKIP; an error, which ends the search; HB_EDEFER, if
	 * op->may_wait is false. Not called for searches of overlays.
	 */
	int (*on_entry)(struct overlay *, struct op *, struct entry **e);
	/*
	 * The operation ended with RC; what is returned is answered instead.
	 * Called once for each overlay whose before() let it go on (or is
	 * NULL), whatever came then; not when it is going to begin anew. A
	 * write that succeeded is on disk by now.
	 */
	int (*after)(struct overlay *, struct op *, int rc);

	const struct overlay_control *controls;	/* ends with oid NULL */
	const struct overlay_exop *exops;	/* ends with oid NULL */
};

/* An instance. */
struct overlay {
	const struct slapd_overlay *type;
	struct be_db *db;		/* global: the frontend's, which holds no entries */
	void *conf;
	void *priv;			/* the overlay's own */
	/* of the frontend */
	unsigned number;
	bool is_open;
	const char *file;		/* where its line stands */
	unsigned line;
	struct overlay *next;		/* of the same database, below this one */
	struct overlay *next_of_all;
};

HB_API_BEGIN

/*
 * Register by name: HB_EDUPLICATE; HB_EVERSION: another SLAPD_OVERLAY_ABI.
 * Called by init() of a module.
 */
int slapd_register_overlay(const struct slapd_overlay *);

/*
 * A pointer of this instance in OP, NULL at first, kept until OP ends: what
 * in_txn() or before() has for after(). in_txn() sets it anew whenever it runs.
 * What it points to is in op's arena. NULL when that is full.
 */
void **overlay_op_data(struct overlay *, struct op *);

/*
 * A new entry like LIKE with ATTRS (entry_edit() of it, changed) instead, a
 * reference, for on_entry(). HB_ELIMIT.
 */
int overlay_entry_new(struct op *, const struct entry *like,
    const struct attrs *attrs, struct entry **e_r);

/* Does the search want DESC in its entries? If not, on_entry() need not make it. */
bool op_wants_attr(const struct op *, const struct attr_desc *desc);

/* The control OID of the request; NULL: it has none. */
const struct ldap_control *op_control(const struct op *, const char *oid);
/* Send a control with OP's result; copied into its arena. HB_ELIMIT. */
int op_add_control(struct op *, const char *oid, bool critical,
    struct slice value);

/*
 * Calls outside the transaction, on the database that holds DN. Each is an
 * operation by itself without access control or limits. HB_EDEFER if OP may
 * not wait and it would have to; a write always has to. In in_txn() only
 * overlay_entry_get() may be called on op's own database (it sees the
 * transaction), and no write: HB_EUNWILLING.
 */

/* The entry named DN, a reference. HB_ENOENT. */
int overlay_entry_get(struct op *, const struct dn *dn, struct entry **e_r);
/* As txn_search(); entries come as they are stored. */
int overlay_search(struct op *, const struct dn *base, enum ldap_scope scope,
    const struct filter *filter, txn_entry_cb cb, void *arg);
/*
 * Writes that pass the overlays of their database, with OP_INTERNAL set, and
 * are checked as by the transaction's calls; FLAGS: enum txn_flags. At most 8
 * within one another: HB_ELOOP. ATTRS are used up.
 */
int overlay_add(struct op *, const struct dn *dn, struct attrs *attrs,
    unsigned flags);
int overlay_modify(struct op *, const struct dn *dn, const struct mod *mods,
    unsigned n, unsigned flags);
int overlay_delete(struct op *, const struct dn *dn);

HB_API_END

#endif
