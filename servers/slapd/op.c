/*
 * Operation objects. Each loop keeps a few for itself; the rest, and those
 * that pool threads give back, are in one list of the server.
 */
#include <stddef.h>
#include <string.h>

#include "fop.h"
#include "loop.h"
#include "server.h"
#include "util/err.h"
#include "util/mem.h"
#include "util/text.h"

enum {
	/* what an operation may allocate beside eight times its request */
	OP_ARENA_LIMIT = 64 * 1024 * 1024,
	/* operations kept by the server; a loop keeps those of one turn */
	OP_FREE_MAX = 64,
	/* larger arenas and buffers are given back to the heap */
	OP_ARENA_KEEP = 256 * 1024
};

static struct fop *
fop_take(struct loop *l)
{
	struct server *srv = l->server;
	struct fop *f = l->free_ops;

	if (f != NULL) {
		l->free_ops = f->next;
		return f;
	}
	lk_lock(&srv->free_lock);
	if ((f = srv->free_ops) != NULL) {
		srv->free_ops = f->next;
		srv->nfree_ops--;
	}
	lk_unlock(&srv->free_lock);
	if (f == NULL) {
		f = mem_zalloc(sizeof(*f));
		arena_init(&f->arena, OP_ARENA_LIMIT);
		buf_init(&f->reply.scratch);
	}
	return f;
}

/* What a decoded message and its run set; twice for one that was deferred. */
static void
fop_reset(struct fop *f)
{
	struct op *op = &f->op;

	arena_reset(&f->arena);
	op->flags = 0;
	op->is_root = false;
	op->dn = DN_EMPTY;
	op->db = f->server->conf->frontend;
	diag_clear(&op->diag);
	op->matched = SLICE_NONE;
	op->referrals = NULL;
	op->nreferrals = 0;
	op->access = NULL;
	op->code = 0;
	op->overlay_data = NULL;
	f->has_db = false;
	f->exop = 0;
	f->response_oid = SLICE_NONE;
	f->response_value = SLICE_NONE;
	f->result_controls = NULL;
	f->nresult_controls = 0;
	f->reply.nentries = 0;
	f->reply.nreferences = 0;
}

struct fop *
fop_new(struct conn *c)
{
	struct fop *f = fop_take(c->loop);
	struct op *op = &f->op;

	f->conn = c;
	f->server = c->server;
	f->now = f->arrived = c->loop->now;
	f->received = stats_is_on() ? time_mono_us() : 0;
	f->logged = false;
	f->in_pool = false;
	f->turn = (struct work_turn){ 0, false, false };
	op->connid = c->id;
	op->msgid = 0;
	op->may_wait = false;
	atomic_store_explicit(&op->stop, OP_RUN, memory_order_relaxed);
	op->arena = &f->arena;
	op->schema = c->server->conf->schema;
	op->who = &c->who;
	op->reply = &f->reply;
	op->frontend = f;
	fop_reset(f);
	return f;
}

void
fop_free(struct fop *f)
{
	arena_fini(&f->arena);
	buf_fini(&f->reply.scratch);
	free(f);
}

void
fop_release(struct fop *f, struct loop *l)
{
	struct server *srv = f->server;

	if (f->arena.used > OP_ARENA_KEEP)
		arena_fini(&f->arena);
	else
		arena_reset(&f->arena);
	f->arena.limit = OP_ARENA_LIMIT;
	if (f->reply.scratch.cap > OP_ARENA_KEEP)
		buf_fini(&f->reply.scratch);
	if (l != NULL && l->free_ops == NULL) {
		f->next = NULL;
		l->free_ops = f;
		return;
	}
	lk_lock(&srv->free_lock);
	if (srv->nfree_ops < OP_FREE_MAX) {
		f->next = srv->free_ops;
		srv->free_ops = f;
		srv->nfree_ops++;
		f = NULL;
	}
	lk_unlock(&srv->free_lock);
	if (f != NULL)
		fop_free(f);
}

int
fop_decode(struct fop *f, struct slice pdu)
{
	int rc;

	f->pdu = pdu;
	f->arena.limit = OP_ARENA_LIMIT + 8 * pdu.len;
	rc = ldap_decode(&f->arena, pdu, &f->msg);
	f->op.msgid = f->msg.id;
	return rc;
}

int
fop_decode_own(struct fop *f, struct slice pdu)
{
	struct slice copy;

	fop_reset(f);
	f->arena.limit = OP_ARENA_LIMIT + 8 * pdu.len;
	copy = arena_slice(&f->arena, pdu);
	return copy.ptr == NULL ? HB_ELIMIT : fop_decode(f, copy);
}

int
op_go_on(struct op *op)
{
	struct fop *f = fop_of(op);
	int64_t now, deadline;

	if (op_is_stopped(op))
		return HB_EABANDONED;
	if (!op->may_wait)
		return HB_OK;
	now = time_mono_us();
	deadline = op->kind == OP_SEARCH ? op->req.search.deadline_us : 0;
	if (deadline != 0 && now > deadline)
		return HB_ETIMELIMIT;
	/* one inside another goes on in its turn */
	if (f == NULL)
		return HB_OK;
	if (f->conn != NULL)		/* ticks of overlays have no place in the pool */
		turns_step(f->server->turns, &f->turn, now);
	return op_is_stopped(op) ? HB_EABANDONED : HB_OK;
}
