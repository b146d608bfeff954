/*
 * One operation as backends and overlays see it: decoded, normalised,
 * authorised to begin. Made by the frontend, owned by the one thread that runs
 * it; only `stop` is written by others. Everything it points to lives in its
 * arena, or as long as the operation.
 */
#ifndef SLAPD_OP_H
#define SLAPD_OP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "dn.h"
#include "entry.h"
#include "filter.h"
#include "proto.h"
#include "schema.h"
#include "util/arena.h"
#include "util/diag.h"

struct be_db;
struct be_txn;
struct access_cache;
struct attr_select;
struct reply;

enum op_kind {
#define OP(sym, name, tag, writes)	sym,
#include "tbl/ops.tbl"
#undef OP
	OP_KINDS
};

/* Who asks, as of the last bind; fixed while the operation runs. */
struct identity {
	struct dn dn;			/* empty: anonymous */
	struct dn real_dn;		/* before proxied authorization */
	const char *mech;		/* "SIMPLE", "EXTERNAL", ... or NULL */
	unsigned ssf, transport_ssf, tls_ssf, sasl_ssf;
	struct slice peername;		/* "IP=127.0.0.1:4711", "PATH=/run/ldapi" */
	struct slice sockname;
	struct slice sockurl;		/* URL of the listener */
	struct slice peerdomain;	/* NONE unless resolved */
};

enum op_stop {
	OP_RUN, OP_STOP_ABANDON, OP_STOP_CANCEL, OP_STOP_DISCONNECT,
	OP_STOP_SHUTDOWN
};

/* Controls that change what a backend does (tables of controls set them). */
enum op_flags {
	OP_MANAGE_DSAIT = 1,		/* RFC 3296 */
	OP_NOOP = 2,			/* do all, then abort */
	OP_RELAX = 4,
	OP_PERMISSIVE = 8,		/* 1.2.840.113556.1.4.1413 */
	OP_TREE_DELETE = 16,
	OP_SUBENTRIES = 32,		/* only subentries are visible, RFC 3672 */
	OP_DOMAIN_SCOPE = 64,		/* no references */
	OP_INTERNAL = 128		/* made by the server or an overlay: no access control */
};

struct op_bind {
	struct slice password;
};

struct op_search {
	struct dn base;
	enum ldap_scope scope;
	enum ldap_deref deref;
	unsigned size_limit;		/* effective; 0: none */
	unsigned time_limit;		/* seconds, effective; 0: none */
	int64_t deadline_us;		/* time_mono_us() of the limit; 0: none */
	int unchecked_limit;		/* candidates; -1: none */
	bool types_only;
	const struct filter *filter;
	const struct attr_select *select; /* opaque to backends */
};

struct op_compare {
	const struct attr_desc *desc;
	struct slice value, norm;
};

struct op_add {
	struct attrs attrs;		/* complete: checked, stamped */
};

struct op_modify {
	const struct mod *mods;		/* stamps included */
	unsigned nmods;
};

struct op_modrdn {
	struct dn new_rdn;
	bool delete_old;
	bool has_superior;
	struct dn new_superior;
	struct dn new_dn;		/* computed */
	const struct mod *mods;		/* stamps, applied after the rename */
	unsigned nmods;
};

struct op {
	enum op_kind kind;
	int32_t msgid;
	uint64_t connid;		/* conn=, op= of log lines */
	unsigned opid;
	unsigned flags;			/* enum op_flags */
	bool is_root;			/* who is the rootdn of db: no access control, no limits */
	bool may_wait;			/* false: see HB_EDEFER in backend.h */
	atomic_int stop;		/* enum op_stop */
	struct arena *arena;
	struct schema *schema;
	struct be_db *db;
	const struct identity *who;
	struct dn dn;			/* target; search: the base */
	union {
		struct op_bind bind;
		struct op_search search;
		struct op_compare compare;
		struct op_add add;
		struct op_modify modify;
		struct op_modrdn modrdn;
	} req;

	/* what the result will carry beside the returned HB_* */
	struct diag diag;
	struct slice matched;		/* matchedDN, text form */
	const struct slice *referrals;
	unsigned nreferrals;
	int code;			/* enum ldap_result sent with an error; 0: that of the HB_* */

	struct be_txn *txn;		/* overlays look at it (txn.h); NULL */
	void **overlay_data;		/* overlay_op_data() */
	unsigned depth;			/* operations of overlays that it is within */
	struct access_cache *access;	/* decisions of this operation (access.h) */
	struct reply *reply;		/* where answers go (reply.h) */
	void *frontend;			/* the frontend's own */
	/*
	 * Of a search that the server makes for itself: gets what reply_entry()
	 * would send, its HB_* goes to the backend. NULL: a client's.
	 */
	int (*on_entry)(struct op *, struct entry *, void *arg);
	void *on_entry_arg;
};

/* True if work on OP should end: return HB_EABANDONED then. */
static inline bool
op_is_stopped(const struct op *op)
{
	return atomic_load_explicit(&op->stop, memory_order_relaxed) != OP_RUN;
}

/* SUB: an operation of KIND on DN that the server makes while it runs OP; its memory is in ARENA. */
static inline void
op_init_internal(struct op *sub, const struct op *op, enum op_kind kind,
    const struct dn *dn, struct arena *arena)
{
	*sub = (struct op){
		.kind = kind, .msgid = op->msgid, .connid = op->connid,
		.opid = op->opid, .flags = OP_INTERNAL | OP_MANAGE_DSAIT,
		.is_root = true, .may_wait = op->may_wait, .arena = arena,
		.schema = op->schema, .db = op->db, .who = op->who, .dn = *dn,
		.reply = op->reply, .frontend = op->frontend,
		.depth = op->depth + 1
	};
}

HB_API_BEGIN

/*
 * Called between two steps of work that may go on for long (a step: some 100 us
 * at most), with no lock held and outside transactions. Waits, if the operation
 * may, until it is its turn: long operations share the processors. HB_OK;
 * HB_EABANDONED; HB_ETIMELIMIT, of searches.
 */
int op_go_on(struct op *op);

/*
 * Search DB for OUTER, without access control and limits, references and
 * aliases as plain entries; ON_ENTRY (borrowed entry) ends it with an error of
 * its own. ARENA must last as long. HB_OK, HB_ENOENT (no such base), HB_EDEFER
 * (OUTER may not wait), HB_EABANDONED (OUTER was stopped), HB_ETIMELIMIT, ...
 */
int op_inner_search(struct op *outer, struct be_db *db, struct arena *arena,
    const struct dn *base, enum ldap_scope scope, const struct filter *filter,
    int (*on_entry)(struct op *, struct entry *, void *arg), void *arg);

/*
 * Verify op->req.bind.password against userPassword of E (access =auth asked
 * for as the schema and rules say). HB_OK, HB_ECREDENTIALS, HB_EINAPPROPAUTH.
 * May need long for slow hashes: returns HB_EDEFER if the operation may not wait.
 */
int op_bind_entry(struct op *op, const struct entry *e);

/* entryCSN of now, unique and increasing in this process; in op's arena. Thread-safe. */
struct slice op_new_csn(struct arena *arena, unsigned server_id);

HB_API_END

#endif
