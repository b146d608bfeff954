/*
 * What a connection reads: cut into requests, which run right here or go to
 * the pool. All of it in the thread of the event loop. Answers of all
 * requests of one turn leave in one write.
 */
#include <errno.h>
#include <sys/epoll.h>

#include "ber.h"
#include "conn.h"
#include "fop.h"
#include "loop.h"
#include "server.h"
#include "util/err.h"
#include "util/log.h"

enum turn {
	TURN_NEXT,	/* done, or in the pool */
	TURN_HOLD,	/* must wait for operations in the pool */
	TURN_CLOSED
};

static size_t
conn_pdu_max(const struct conn *c)
{
	const struct slapd_conf *conf = c->server->conf;

	return conn_is_authenticated(c) ? conf->sockbuf_max_incoming_auth :
	    conf->sockbuf_max_incoming;
}

static unsigned
conn_ops_max(const struct conn *c)
{
	const struct slapd_conf *conf = c->server->conf;
	unsigned n = conn_is_authenticated(c) ? conf->conn_max_pending_auth :
	    conf->conn_max_pending;

	return n > 0 ? n : 1;
}

/*
 * The tag of the request in PDU, whose frame is sound, and its message ID.
 * HB_EENCODING: it is no LDAPMessage.
 */
static int
pdu_peek(struct slice pdu, int *tag_r)
{
	struct ber_reader r, m;

	ber_reader_init(&r, pdu);
	m = ber_enter(&r, BER_SEQUENCE);
	ber_get_int_range(&m, BER_INTEGER, 1, INT32_MAX);
	*tag_r = ber_peek(&m);
	return *tag_r < 0 ? HB_EENCODING : HB_OK;
}

/*
 * May a request of TYPE start now? If not, the loop is told when an operation
 * ends. Nothing to ask as long as the pool has none of this connection.
 */
static bool
conn_may_start(struct conn *c, const struct op_type *type)
{
	unsigned n;
	bool may;

	if (atomic_load_explicit(&c->nops, memory_order_acquire) == 0)
		return true;
	lk_lock(&c->lock);
	n = atomic_load_explicit(&c->nops, memory_order_acquire);
	may = n == 0 || type->mode == OP_MODE_NOW ||
	    (!c->exclusive && !type->alone && n < conn_ops_max(c));
	c->tell_loop = !may;
	lk_unlock(&c->lock);
	return may;
}

static void
conn_abandon(struct conn *c, struct fop *f)
{
	int32_t msgid = f->msg.req.abandon;

	stats_op(&f->op, LOG_STATS, "ABANDON msg=%d", (int)msgid);
	conn_op_stop(c, msgid, OP_STOP_ABANDON);
}

/* Send what was gathered; hold further requests while the client does not read. */
static void
conn_flush(struct conn *c)
{
	conn_send(c, &c->loop->out);
	if (conn_out_is_full(c))
		c->held = true;
}

/*
 * To the pool. What was answered before goes out first: the answer to a bind
 * never comes after that to a request that waited for it.
 */
static void
conn_hand_over(struct conn *c, struct fop *f)
{
	if (c->loop->out.len > 0)
		conn_flush(c);
	conn_op_submit(c, f);
}

/* A request that is short work, or that the pool gets. */
static void
conn_start(struct conn *c, struct fop *f, struct slice pdu, int decode)
{
	struct loop *l = c->loop;

	if (decode == HB_OK && f->type->mode == OP_MODE_POOL) {
		conn_hand_over(c, f);
		return;
	}
	if (fop_run(f, &l->out, decode) != HB_EDEFER) {
		fop_release(f, l);
		return;
	}
	decode = fop_decode_own(f, pdu);
	if (decode == HB_OK) {
		conn_hand_over(c, f);
		return;
	}
	fop_run(f, &l->out, decode);
	fop_release(f, l);
}

static enum turn
conn_request(struct conn *c, struct slice pdu)
{
	struct loop *l = c->loop;
	const struct op_type *type;
	struct fop *f;
	int tag, decode;

	if (pdu_peek(pdu, &tag) != HB_OK || (type = op_type_of(tag)) == NULL) {
		conn_disconnect(c, HB_EPROTO, "not an LDAP request");
		return TURN_CLOSED;
	}
	if (!conn_may_start(c, type))
		return TURN_HOLD;
	f = fop_new(c);
	f->type = type;
	f->op.kind = type->kind;
	f->op.opid = c->next_op++;
	decode = type->mode == OP_MODE_POOL ? fop_decode_own(f, pdu) :
	    fop_decode(f, pdu);
	stats_add_own(&l->stats.initiated[type->kind], 1);
	if (decode == HB_EENCODING || (decode != HB_OK &&
	    type->mode == OP_MODE_NOW)) {
		fop_release(f, l);
		conn_disconnect(c, HB_EPROTO, "malformed request");
		return TURN_CLOSED;
	}
	if (type->mode != OP_MODE_NOW) {
		conn_start(c, f, pdu, decode);
		return TURN_NEXT;
	}
	stats_add_own(&l->stats.completed[type->kind], 1);
	if (type->kind == OP_UNBIND)
		stats_op(&f->op, LOG_STATS, "UNBIND");
	else
		conn_abandon(c, f);
	fop_release(f, l);
	if (type->kind != OP_UNBIND)
		return TURN_NEXT;
	conn_send(c, &l->out);
	conn_close(c, NULL);
	return TURN_CLOSED;
}

/* Is DATA begun by a PDU that may be served? Its length, 0: not complete. */
static int
conn_frame(struct conn *c, struct slice data, size_t *total_r)
{
	size_t total = 0, max = conn_pdu_max(c);
	int rc;

	*total_r = 0;
	if (data.len == 0)
		return HB_OK;
	rc = ber_frame(data, BER_SEQUENCE, &total);
	if (rc == HB_ETRUNCATED)
		return HB_OK;
	if (rc != HB_OK) {
		conn_disconnect(c, HB_EPROTO, "not an LDAP message");
		return rc;
	}
	if (total > max) {
		log_printf(LOG_ANY, "conn=%llu a request of %zu octets is more "
		    "than sockbuf_max_incoming permits (%zu)",
		    (unsigned long long)c->id, total, max);
		conn_disconnect(c, HB_EPROTO, "request too long");
		return HB_ELIMIT;
	}
	if (total <= data.len)
		*total_r = total;
	return HB_OK;
}

/* Serve the requests in DATA; returns how many octets were used up. */
static size_t
conn_serve(struct conn *c, struct slice data)
{
	struct loop *l = c->loop;
	struct slice rest = data;
	unsigned turns = 0;
	size_t total;

	while (!c->held && conn_frame(c, rest, &total) == HB_OK && total > 0) {
		if (turns++ == CONN_TURN_MAX) {
			loop_make_ready(l, c);
			break;
		}
		switch (conn_request(c, slice(rest.ptr, total))) {
		case TURN_NEXT:
			break;
		case TURN_HOLD:
			c->held = true;
			continue;
		case TURN_CLOSED:
			return data.len;
		}
		rest = slice_skip(rest, total);
		if (l->out.len > LOOP_OUT_MAX)
			conn_flush(c);
	}
	if (!c->is_closed)
		conn_flush(c);
	return data.len - rest.len;
}

/* Octets that follow those kept: into the loop's buffer, or behind them if they are many. */
static ssize_t
conn_fill(struct conn *c, struct slice *data_r)
{
	struct loop *l = c->loop;
	size_t kept = c->in.len;
	ssize_t n;

	if (kept > LOOP_READ_SIZE / 2) {
		buf_reserve(&c->in, LOOP_READ_SIZE);
		n = c->transport->read(c, c->in.data + kept,
		    c->in.cap - kept);
		if (n > 0)
			c->in.len += (size_t)n;
		*data_r = buf_slice(&c->in);
		return n;
	}
	n = c->transport->read(c, l->in + kept, LOOP_READ_SIZE - kept);
	if (n > 0 && kept > 0) {
		memcpy(l->in, c->in.data, kept);
		buf_reset(&c->in);
	}
	*data_r = slice(l->in, n > 0 ? kept + (size_t)n : 0);
	return n;
}

/* Keep what is left of DATA, which is c->in or the loop's buffer. */
static void
conn_keep(struct conn *c, struct slice data, size_t used)
{
	if (data.len == used) {
		buf_fini(&c->in);
	} else if (data.ptr == c->in.data) {
		buf_consume(&c->in, used);
	} else {
		buf_reset(&c->in);
		buf_put_slice(&c->in, slice_skip(data, used));
	}
}

/* Serve DATA. C may be gone afterwards unless the caller holds a reference. */
static void
conn_take(struct conn *c, struct slice data)
{
	size_t used;

	conn_ref(c);
	used = conn_serve(c, data);
	if (!c->is_closed)
		conn_keep(c, data, used);
	conn_unref(c);
}

static void
conn_read(struct conn *c)
{
	struct slice data;
	ssize_t n = conn_fill(c, &data);

	if (n > 0) {
		atomic_store_explicit(&c->last_used, c->loop->now / 1000000,
		    memory_order_relaxed);
		conn_take(c, data);
	} else if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK &&
	    errno != EINTR)) {
		conn_close(c, conn_lost_reason(c));
	}
}

/* Somebody else wants its descriptor, and it is doing nothing with it. */
static bool
conn_may_go(struct conn *c)
{
	return atomic_exchange_explicit(&c->is_unwanted, false,
	    memory_order_relaxed) && !conn_is_authenticated(c) &&
	    c->in.len == 0 && !c->is_ready &&
	    atomic_load_explicit(&c->nops, memory_order_relaxed) == 0;
}

void
conn_resume(struct conn *c)
{
	if (atomic_load_explicit(&c->is_lost, memory_order_relaxed)) {
		conn_close(c, "operations error");
		return;
	}
	if (atomic_load_explicit(&c->is_unwanted, memory_order_relaxed) &&
	    conn_may_go(c)) {
		conn_close(c, "dropping");
		return;
	}
	if (c->held && conn_out_is_full(c))
		return;
	c->held = false;
	conn_ref(c);
	if (c->in.len > 0)
		conn_take(c, buf_slice(&c->in));
	if (!c->is_closed && !c->held)
		conn_want(c, EPOLLIN, 0);
	conn_unref(c);
}

void
conn_ready(struct ev *ev, struct loop *l, uint32_t events)
{
	struct conn *c = (struct conn *)ev;

	(void)l;
	if (c->is_closed)
		return;
	if (events & EPOLLOUT) {
		conn_writable(c);
		if (c->held)
			conn_resume(c);
		if (c->is_closed)
			return;
	}
	if (c->is_ready)
		return;
	/* a peer that is gone has no use for what waits; nobody would be told again */
	if ((events & EPOLLIN) && !c->held)
		conn_read(c);
	else if (events & (EPOLLERR | EPOLLHUP))
		conn_close(c, conn_lost_reason(c));
	else if (events & EPOLLIN)
		conn_want(c, 0, EPOLLIN);
}
