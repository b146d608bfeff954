/*
 * An operation as the frontend sees it: the contract's struct op, the message
 * it came from, its connection, and where answers go. Owned by the thread that
 * runs it; taken from and given back to free lists, with an arena that is
 * reset and kept.
 */
#ifndef SLAPD_FOP_H
#define SLAPD_FOP_H

#include "conn.h"
#include "pool.h"
#include "slapd/op.h"
#include "server.h"
#include "slapd/reply.h"
#include "stats.h"
#include "turns.h"

struct fop;

enum op_mode {
	OP_MODE_INLINE,		/* tried in the loop's thread first */
	OP_MODE_POOL,		/* may always wait */
	OP_MODE_NOW		/* unbind, abandon: the loop does them itself */
};

/* What the frontend knows of a kind of operation; a row each in dispatch.c. */
struct op_type {
	enum op_kind kind;
	const char *name;
	enum ldap_tag tag;
	bool writes;
	enum op_mode mode;
	bool alone;		/* bind: no other operation beside it */
	/* Normalise, authorise, execute: HB_*; HB_EDEFER only if not may_wait. */
	int (*run)(struct fop *);
};

/* Where answers go (slapd/reply.h). */
struct reply {
	struct buf *out;		/* of the running thread */
	struct buf scratch;		/* attributes of one entry, kept */
	unsigned nentries, nreferences;
	int64_t flushed;		/* time_mono_us() of the last write */
};

struct fop {
	struct op op;
	struct pool_task task;
	struct conn *conn;
	struct server *server;
	const struct op_type *type;
	struct fop *next, **prevp;	/* conn->ops; next: free lists */

	struct arena arena;
	struct slice pdu;
	struct ldap_msg msg;
	struct reply reply;

	int64_t now;			/* time_mono_us() when it began to run */
	int64_t arrived;		/* the loop's turn in which it was read */
	int64_t received;		/* time_mono_us() of its arrival; 0: not measured */
	struct work_turn turn;		/* in the pool */
	bool in_pool;			/* counts as conn->ops */
	bool logged;			/* the request line was written */
	bool has_db;			/* op.db holds the target */
	uint32_t exop;			/* extended: RESTRICT_EXOP_*, or 0 */
	struct slice response_oid, response_value;	/* extended */
	struct ldap_control *result_controls;	/* sent with the result */
	unsigned nresult_controls;
};

/* ---- op.c ---- */

/* From the loop's free list, or new. Thread of the loop. */
struct fop *fop_new(struct conn *);
/* Give back; the arena is reset. Thread of the loop LOOP, or NULL: any. */
void fop_release(struct fop *, struct loop *);
void fop_free(struct fop *);
/*
 * Decode PDU, borrowed. HB_OK, HB_EENCODING (disconnect), HB_EPROTO,
 * HB_ELIMIT (answer).
 */
int fop_decode(struct fop *, struct slice pdu);
/* The same, with PDU copied into the arena first. */
int fop_decode_own(struct fop *, struct slice pdu);

/* ---- dispatch.c ---- */

/* Row of the request TAG; NULL: LDAP has no such request. */
const struct op_type *op_type_of(int tag);
/*
 * Run a decoded operation and answer it into OUT. HB_EDEFER: nothing was
 * sent, it wants a thread that may wait. DECODE: what fop_decode() said.
 */
int fop_run(struct fop *, struct buf *out, int decode);

static inline struct fop *
fop_of(const struct op *op)
{
	return op->frontend;
}

static inline const struct slapd_conf *
fop_conf(const struct fop *f)
{
	return f->server->conf;
}

/* Parse TEXT as the target DN (op.dn), the DN of a request. */
int fop_target(struct fop *, struct slice text);
/* Find the database of op.dn; op.db, has_db and is_root are set. */
void fop_route(struct fop *);
/* What to answer when no database holds the target: referral or error. */
int fop_no_database(struct fop *);
/* Restrictions of C.1: restrict, readonly, security, require. */
int fop_check_allowed(struct fop *);
/* What precedes every write once op.dn is known: routing, restrictions, controls. */
int fop_write_begin(struct fop *);
/* Overlays, then the backend's function. */
int fop_backend(struct fop *);
/* The same with INNER instead of the backend's function. */
int fop_overlaid(struct op *, int (*inner)(struct op *));
/* The backend's function alone. */
int fop_call_backend(struct op *);
/* entryCSN, time and name for the stamps of a write, in ARENA. HB_ELIMIT. */
struct entry_stamp;
int fop_stamp(struct op *, struct arena *, struct entry_stamp *stamp_r);
/* The description TEXT of a write or compare: HB_EUNDEFTYPE with text. */
int fop_desc(struct fop *, struct slice text,
    const struct attr_desc **desc_r);

/* ---- control.c ---- */

/* Controls of the message into op.flags. HB_OK, HB_EPROTO, HB_ECRITICAL, ... */
int controls_apply(struct fop *);
/* After routing: drop or refuse what the database does not honour. */
int controls_check_db(struct fop *);
/* OID of row I, for the root DSE; NULL beyond the last; hidden ones are skipped by the caller. */
const char *control_oid(unsigned i, bool *hidden_r);

/* ---- one file each ---- */

int op_run_bind(struct fop *);
int op_run_search(struct fop *);
int op_run_compare(struct fop *);
int op_run_modify(struct fop *);
int op_run_modrdn(struct fop *);
int op_run_add(struct fop *);
int op_run_delete(struct fop *);
int op_run_extended(struct fop *);
/* OID of extended operation I; NULL beyond the last. */
const char *exop_oid(unsigned i);

/* ---- reply.c ---- */

/* Encode the final result of RC into reply.out. */
void op_reply_result(struct fop *, int rc);
/* Notice of Disconnection into OUT. */
void op_reply_notice(struct buf *out, int rc, struct slice text);
/* The LDAP result code of RC. */
enum ldap_result op_result_code(int rc);

/* ---- referral.c ---- */

/* Put op.nreferrals from the default referrals of CONF; false if there are none. */
bool referral_default(struct fop *);
/*
 * Rewrite URL: its DN (or the entry's, if it has none) continued as TARGET
 * goes on below ENTRY_DN (both may be NULL); SCOPE is added unless it names
 * one, -1: none. SLICE_NONE: no room.
 */
struct slice referral_rewrite(struct fop *, struct slice url,
    const struct dn *entry_dn, const struct dn *target, int scope);

/* ---- rootdse.c, subschema.c ---- */

/* Built at start, before threads; the entries live as long as the server. */
void rootdse_init(struct server *);
void subschema_init(struct server *);

#endif
