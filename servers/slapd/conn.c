/*
 * Life of a connection and of its operations in the pool. What is read and
 * how it is cut into requests: conn_in.c. What goes out: conn_out.c.
 */
#include "conn.h"

#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>

#include "fop.h"
#include "loop.h"
#include "server.h"
#include "util/err.h"
#include "util/log.h"
#include "util/mem.h"
#include "util/text.h"

struct conn *
conn_new(struct loop *l, int fd, const struct transport *tp, void *tp_data,
    const char *peername, struct slice name, struct slice url)
{
	size_t n = strlen(peername) + 1;
	struct conn *c = mem_zalloc(sizeof(*c) + n);

	memcpy(c->peername, peername, n);
	c->ev.ready = conn_ready;
	c->server = l->server;
	c->loop = l;
	c->id = atomic_fetch_add(&l->server->next_conn, 1);
	c->fd = fd;
	c->transport = tp;
	c->transport_data = tp_data;
	buf_init(&c->in);
	buf_init(&c->who_dn);
	lk_init(&c->lock, LK_CONN, "connection");
	conn_out_init(c);
	atomic_init(&c->refs, 1);
	atomic_init(&c->last_used, time_mono_us() / 1000000);
	c->version = 3;
	c->who.dn = DN_EMPTY;
	c->who.real_dn = DN_EMPTY;
	c->who.peername = slice(c->peername, n - 1);
	c->who.sockname = name;
	c->who.sockurl = url;
	if (slice_has_prefix(c->who.peername, SLICE("PATH="))) {
		c->who.transport_ssf = l->server->conf->local_ssf;
		c->who.ssf = c->who.transport_ssf;
	}
	atomic_fetch_add(&l->server->nconns, 1);
	stats_add(&l->stats.connections, 1);
	log_printf(LOG_STATS, "conn=%llu fd=%d ACCEPT from %s (%.*s)",
	    (unsigned long long)c->id, fd, peername, SLICE_ARG(name));
	loop_add(l, c);
	return c;
}

/* The last reference is gone. */
static void
conn_free(struct conn *c)
{
	struct server *srv = c->server;

	c->transport->close(c);
	if (c->reason != NULL)
		log_printf(LOG_STATS, "conn=%llu fd=%d closed (%s)",
		    (unsigned long long)c->id, c->fd, c->reason);
	else
		log_printf(LOG_STATS, "conn=%llu fd=%d closed",
		    (unsigned long long)c->id, c->fd);
	buf_fini(&c->in);
	buf_fini(&c->who_dn);
	conn_out_fini(c);
	lk_fini(&c->lock);
	free(c);
	server_conn_gone(srv);
}

void
conn_unref(struct conn *c)
{
	/* what the other threads did is seen by the one who frees */
	if (atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) == 1)
		conn_free(c);
}

/* LINGER: what was written last is worth being read. */
static void
conn_shut(struct conn *c, const char *reason, bool linger)
{
	if (c->is_closed)
		return;
	c->is_closed = true;
	c->reason = reason;
	loop_remove(c->loop, c);
	conn_out_kill(c);
	conn_ops_stop(c, OP_STOP_DISCONNECT);
	loop_unwatch(c->loop, c->fd);
	c->transport->shut(c, linger);
	loop_unref_later(c->loop, c);
}

void
conn_close(struct conn *c, const char *reason)
{
	conn_shut(c, reason, false);
}

void
conn_disconnect(struct conn *c, int err, const char *text)
{
	struct loop *l = c->loop;

	log_printf(LOG_STATS, "conn=%llu op=%u DISCONNECT tag=%d err=%d text=%s",
	    (unsigned long long)c->id, c->next_op, LDAP_TAG_EXTENDED_RESPONSE,
	    (int)op_result_code(err), text);
	op_reply_notice(&l->out, err, slice_of(text));
	conn_send(c, &l->out);
	conn_shut(c, "operations error", true);
}

/* ---- operations in the pool ---- */

static void
conn_op_run(struct pool_task *t, struct buf *out)
{
	struct fop *f = (struct fop *)((char *)t - offsetof(struct fop, task));
	struct conn *c = f->conn;

	fop_run(f, out, HB_OK);
	turns_end(f->server->turns, &f->turn);
	/*
	 * The connection goes on before the answer is out: a client that has
	 * its answer must not find the connection still busy. Not so after a
	 * bind: nobody who waited for it is answered before it.
	 */
	if (f->type->alone)
		conn_send(c, out);
	conn_op_end(c, f);
	conn_send(c, out);
	fop_release(f, NULL);
	conn_unref(c);
}

void
conn_op_submit(struct conn *c, struct fop *f)
{
	conn_ref(c);
	f->in_pool = true;
	f->op.may_wait = true;
	f->task.run = conn_op_run;
	lk_lock(&c->lock);
	f->next = c->ops;
	f->prevp = &c->ops;
	if (f->next != NULL)
		f->next->prevp = &f->next;
	c->ops = f;
	atomic_fetch_add_explicit(&c->nops, 1, memory_order_relaxed);
	if (f->type->alone)
		c->exclusive = true;
	pool_submit(c->server->pool, &c->queue, &f->task);
	lk_unlock(&c->lock);
}

void
conn_op_end(struct conn *c, struct fop *f)
{
	bool tell;

	/* the idle time begins now */
	atomic_store_explicit(&c->last_used, time_mono_us() / 1000000,
	    memory_order_relaxed);
	lk_lock(&c->lock);
	*f->prevp = f->next;
	if (f->next != NULL)
		f->next->prevp = f->prevp;
	if (f->type->alone)
		c->exclusive = false;
	/* release: an identity that a bind set is seen by who reads 0 */
	atomic_fetch_sub_explicit(&c->nops, 1, memory_order_release);
	tell = c->tell_loop;
	c->tell_loop = false;
	lk_unlock(&c->lock);
	pool_leave(c->server->pool, &c->queue);
	if (tell)
		loop_post(c->loop, c);
}

bool
conn_op_stop(struct conn *c, int32_t msgid, enum op_stop how)
{
	struct fop *f;

	lk_lock(&c->lock);
	for (f = c->ops; f != NULL; f = f->next)
		if (f->op.msgid == msgid && f->type->kind != OP_BIND)
			break;
	if (f != NULL)
		atomic_store_explicit(&f->op.stop, how, memory_order_relaxed);
	lk_unlock(&c->lock);
	return f != NULL;
}

void
conn_ops_stop(struct conn *c, enum op_stop how)
{
	lk_lock(&c->lock);
	for (struct fop *f = c->ops; f != NULL; f = f->next)
		atomic_store_explicit(&f->op.stop, how, memory_order_relaxed);
	lk_unlock(&c->lock);
}

void
conn_end_operations(struct conn *c)
{
	lk_lock(&c->lock);
	for (struct fop *f = c->ops; f != NULL; f = f->next)
		if (!f->type->writes)
			atomic_store_explicit(&f->op.stop, OP_STOP_SHUTDOWN,
			    memory_order_relaxed);
	lk_unlock(&c->lock);
	conn_out_wake(c);
}

void
conn_set_identity(struct conn *c, const struct dn *dn, const char *mech)
{
	struct buf *b = &c->who_dn;

	buf_reset(b);
	c->who.mech = mech;
	if (dn_is_empty(dn)) {
		c->who.dn = DN_EMPTY;
	} else {
		buf_reserve(b, dn->text.len + dn->norm.len);
		buf_put_slice(b, dn->text);
		buf_put_slice(b, dn->norm);
		c->who.dn.text = slice(b->data, dn->text.len);
		c->who.dn.norm = slice(b->data + dn->text.len, dn->norm.len);
	}
	c->who.real_dn = c->who.dn;
	atomic_store_explicit(&c->is_authenticated, !dn_is_empty(dn),
	    memory_order_relaxed);
}
