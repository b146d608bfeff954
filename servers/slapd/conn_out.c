/*
 * Answers on their way out. Whoever has some writes them himself, one thread
 * at a time; others add to the buffer meanwhile, and the writer sends that
 * too. No lock is held during write(2). When the peer takes no more the loop
 * is told by the transport when it does again.
 */
#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "conn.h"
#include "loop.h"
#include "server.h"
#include "util/err.h"
#include "util/text.h"

void
conn_out_init(struct conn *c)
{
	struct conn_out *o = &c->out;

	lk_init(&o->lock, LK_CONN_WRITE, "connection output");
	lk_cond_init(&o->room);
	buf_init(&o->buf);
	o->events = EPOLLIN;
}

void
conn_out_fini(struct conn *c)
{
	buf_fini(&c->out.buf);
	lk_cond_fini(&c->out.room);
	lk_fini(&c->out.lock);
}

/* Locks: caller holds o->lock. */
static void
out_want(struct conn *c, uint32_t events)
{
	struct conn_out *o = &c->out;

	LK_ASSERT_HELD(&o->lock);
	if (o->events != events && !o->dead) {
		o->events = events;
		c->transport->want(c, events);
	}
}

/* Locks: caller holds o->lock. */
static void
out_set_blocked(struct conn *c, bool blocked)
{
	struct conn_out *o = &c->out;

	o->blocked = blocked;
	atomic_store_explicit(&c->blocked_since,
	    blocked ? time_mono_us() / 1000000 : 0, memory_order_relaxed);
	out_want(c, blocked ? o->events | EPOLLOUT :
	    o->events & ~(uint32_t)EPOLLOUT);
}

/* Locks: caller holds o->lock. */
static void
out_die(struct conn *c)
{
	struct conn_out *o = &c->out;

	o->dead = true;
	buf_fini(&o->buf);
	lk_cond_broadcast(&o->room);
}

/* As much as the transport takes; *lost_r: it never will take more. */
static size_t
out_write(struct conn *c, struct slice data, bool *lost_r)
{
	size_t done = 0;
	ssize_t n;

	while (done < data.len) {
		n = c->transport->write(c, data.ptr + done, data.len - done);
		if (n > 0) {
			done += (size_t)n;
		} else if (n < 0 && errno == EINTR) {
			continue;
		} else {
			*lost_r = n < 0 && errno != EAGAIN &&
			    errno != EWOULDBLOCK;
			break;
		}
	}
	return done;
}

/*
 * A write of DATA ended after DONE octets: what is left goes before what was
 * added meanwhile. Locks: caller holds o->lock.
 */
static void
out_keep_rest(struct conn *c, struct slice data, size_t done, bool lost)
{
	struct conn_out *o = &c->out;
	struct buf rest;

	o->writing = false;
	if (lost && !o->dead) {
		o->lost = true;
		out_die(c);
	}
	if (o->dead || done == data.len)
		return;
	buf_init(&rest);
	buf_reserve(&rest, data.len - done + o->buf.len);
	buf_put_slice(&rest, slice_skip(data, done));
	buf_put_slice(&rest, buf_slice(&o->buf));
	buf_fini(&o->buf);
	o->buf = rest;
	out_set_blocked(c, true);
}

/*
 * Send the buffer until it is empty or the peer takes no more.
 * Locks: caller holds o->lock, which is released during writes.
 */
static void
out_push(struct conn *c)
{
	struct conn_out *o = &c->out;
	struct buf b;
	size_t done;
	bool lost;

	while (o->buf.len > 0 && !o->writing && !o->blocked && !o->dead) {
		b = o->buf;
		buf_init(&o->buf);
		o->writing = true;
		lost = false;
		lk_unlock(&o->lock);
		done = out_write(c, buf_slice(&b), &lost);
		lk_lock(&o->lock);
		out_keep_rest(c, buf_slice(&b), done, lost);
		buf_fini(&b);
	}
	if (o->buf.len <= CONN_OUT_LOW)
		lk_cond_broadcast(&o->room);
}

bool
conn_out_is_high(struct conn *c)
{
	struct conn_out *o = &c->out;
	bool high;

	lk_lock(&o->lock);
	high = o->buf.len > CONN_OUT_HIGH;
	lk_unlock(&o->lock);
	return high;
}

void
conn_out_wait(struct conn *c)
{
	struct conn_out *o = &c->out;

	lk_lock(&o->lock);
	while (o->buf.len > CONN_OUT_LOW && !o->dead &&
	    !atomic_load(&c->server->stopping))
		lk_cond_wait(&o->room, &o->lock);
	lk_unlock(&o->lock);
}

int
conn_send(struct conn *c, struct buf *out)
{
	struct conn_out *o = &c->out;
	bool dead, lost = false;
	size_t done;

	if (out->len == 0)
		return HB_OK;
	lk_lock(&o->lock);
	if (o->dead) {
		/* nobody reads it */
	} else if (o->writing || o->blocked) {
		buf_put_slice(&o->buf, buf_slice(out));
	} else {
		o->writing = true;
		lk_unlock(&o->lock);
		done = out_write(c, buf_slice(out), &lost);
		lk_lock(&o->lock);
		out_keep_rest(c, buf_slice(out), done, lost);
		if (o->buf.len > 0)
			out_push(c);
	}
	dead = o->dead;
	lk_unlock(&o->lock);
	buf_reset(out);
	return dead ? HB_EDISCONNECT : HB_OK;
}

void
conn_writable(struct conn *c)
{
	struct conn_out *o = &c->out;

	lk_lock(&o->lock);
	if (o->blocked && !o->dead) {
		/* who reads, if slowly, is not idle */
		atomic_store_explicit(&c->last_used, c->loop->now / 1000000,
		    memory_order_relaxed);
		out_set_blocked(c, false);
		out_push(c);
	}
	lk_unlock(&o->lock);
}

void
conn_out_kill(struct conn *c)
{
	struct conn_out *o = &c->out;

	lk_lock(&o->lock);
	if (!o->dead)
		out_die(c);
	lk_unlock(&o->lock);
}

void
conn_out_wake(struct conn *c)
{
	lk_lock(&c->out.lock);
	lk_cond_broadcast(&c->out.room);
	lk_unlock(&c->out.lock);
}

bool
conn_out_is_full(struct conn *c)
{
	struct conn_out *o = &c->out;
	bool full;

	lk_lock(&o->lock);
	full = o->blocked && o->buf.len > CONN_OUT_LOW;
	lk_unlock(&o->lock);
	return full;
}

const char *
conn_lost_reason(struct conn *c)
{
	bool lost;

	lk_lock(&c->out.lock);
	lost = c->out.lost;
	lk_unlock(&c->out.lock);
	return lost ? "connection lost on write" : "connection lost";
}

void
conn_want(struct conn *c, uint32_t set, uint32_t clear)
{
	struct conn_out *o = &c->out;

	lk_lock(&o->lock);
	out_want(c, (o->events | set) & ~clear);
	lk_unlock(&o->lock);
}

/* ---- sockets ---- */

static ssize_t
socket_read(struct conn *c, void *buf, size_t n)
{
	return recv(c->fd, buf, n, MSG_DONTWAIT);
}

static ssize_t
socket_write(struct conn *c, const void *buf, size_t n)
{
	return send(c->fd, buf, n, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void
socket_want(struct conn *c, uint32_t events)
{
	loop_want(c->loop, c->fd, &c->ev, events);
}

static void
socket_shut(struct conn *c, bool linger)
{
	char waste[16384];
	int turns = 64;

	if (!linger) {
		shutdown(c->fd, SHUT_RDWR);
		return;
	}
	/*
	 * Closing with octets unread makes TCP send a reset, which can destroy
	 * the notice on its way.
	 */
	shutdown(c->fd, SHUT_WR);
	while (turns-- > 0 && socket_read(c, waste, sizeof(waste)) > 0)
		;
}

static void
socket_close(struct conn *c)
{
	close(c->fd);
}

const struct transport transport_socket = {
	.read = socket_read, .write = socket_write, .want = socket_want,
	.shut = socket_shut, .close = socket_close
};
