/* A connection: octets in and out (see worker.h). */
#include <sys/epoll.h>

#include "ber.h"
#include "util/err.h"
#include "worker.h"

#define READ_MAX	(256 << 10)
#define MESSAGE_MAX	(64 << 20)

int
conn_open(struct conn *c, struct diag *diag)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.ptr = c };
	int rc;

	if ((rc = net_open(&c->net, &c->w->run->target, diag)) != HB_OK)
		return rc;
	net_go(&c->net);
	epoll_ctl(c->w->ep, EPOLL_CTL_ADD, c->net.fd, &ev);
	c->dead = c->want_write = false;
	return HB_OK;
}

static void
drop(struct conn *c)
{
	unsigned i;

	net_close(&c->net);
	c->dead = true;
	buf_reset(&c->in);
	buf_reset(&c->out);
	c->out_done = 0;
	for (i = 0; i < c->w->run->opts->window; i++) {
		c->w->busy -= c->slots[i].busy;
		c->slots[i].busy = false;
	}
}

void
conn_fail(struct conn *c, const char *why)
{
	unsigned i, n = 0;
	const struct slot *s;

	if (c->dead)
		return;
	for (i = 0; i < c->w->run->opts->window; i++) {
		s = &c->slots[i];
		if (!s->busy)
			continue;
		n++;
		run_error(c->w->run, "%s, number %llu: %s",
		    request_name(s->kind), (unsigned long long)s->n, why);
	}
	if (n == 0 && !c->w->draining)
		run_error(c->w->run, "%s", why);
	drop(c);
	if (c->pair != c && !c->pair->dead)
		drop(c->pair);
}

static void
set_want_write(struct conn *c, bool want)
{
	struct epoll_event ev = { .data.ptr = c };

	if (c->want_write == want)
		return;
	c->want_write = want;
	ev.events = EPOLLIN | (want ? EPOLLOUT : 0);
	epoll_ctl(c->w->ep, EPOLL_CTL_MOD, c->net.fd, &ev);
}

void
conn_flush(struct conn *c)
{
	struct diag diag = DIAG_INIT;
	ssize_t n;

	c->dirty = false;
	while (!c->dead && c->out_done < c->out.len) {
		n = net_write(&c->net, c->out.data + c->out_done,
		    c->out.len - c->out_done, &diag);
		if (n == NET_AGAIN) {
			set_want_write(c, true);
			return;
		}
		if (n < 0) {
			conn_fail(c, diag.text);
			return;
		}
		c->out_done += (size_t)n;
	}
	buf_reset(&c->out);
	c->out_done = 0;
	if (!c->dead)
		set_want_write(c, false);
}

static void
mark_dirty(struct conn *c)
{
	if (!c->dirty) {
		c->dirty = true;
		c->w->dirty[c->w->ndirty++] = c;
	}
}

void
conn_send(struct conn *c, struct slot *s, enum req_kind kind, uint64_t now)
{
	struct worker *w = c->w;
	const struct requests *r = &w->run->requests;
	unsigned window = (unsigned)w->run->opts->window;
	unsigned rounds = (STAMP_ID_MAX - STAMP_ID_MIN + 1) / window;

	s->kind = (uint8_t)kind;
	s->id = (uint16_t)(STAMP_ID_MIN + c->seq++ % rounds * window +
	    (unsigned)(s - c->slots));
	s->busy = true;
	s->bad = false;
	s->entries = 0;
	s->sent = now;
	w->busy++;
	if (kind == REQ_BIND_FOUND) {
		buf_reset(&w->scratch);
		stamp_put(&r->password, &w->scratch, s->n, 0, 0);
		request_put_bind(&c->out, s->id, buf_slice(&w->found),
		    buf_slice(&w->scratch));
	} else
		stamp_put(&r->req[kind], &c->out, s->n,
		    (uint32_t)((w->rng += 0x9e3779b97f4a7c15u) >> 32),
		    s->id);
	mark_dirty(c);
}

/* Handle the whole messages in DATA; octets used, or -1: it makes no sense. */
static ssize_t
parse(struct conn *c, struct slice data, uint64_t now)
{
	size_t done = 0, total;
	int rc;

	while (done < data.len) {
		rc = ber_frame(slice_skip(data, done), BER_SEQUENCE, &total);
		if (rc == HB_ETRUNCATED ||
		    (rc == HB_OK && total > data.len - done &&
		    total <= MESSAGE_MAX))
			break;
		if (rc != HB_OK || total > MESSAGE_MAX ||
		    job_message(c, slice(data.ptr + done, total), now) !=
		    HB_OK)
			return -1;
		done += total;
	}
	return (ssize_t)done;
}

/* GOT octets came in at P, which is in C's own buffer or the worker's. */
static bool
take(struct conn *c, const char *p, size_t got, bool own)
{
	struct slice data = slice(p, got);
	ssize_t used;

	if (own) {
		c->in.len += got;
		data = buf_slice(&c->in);
	}
	if ((used = parse(c, data, bench_now())) < 0) {
		conn_fail(c, "what came in is no LDAP message");
		return false;
	}
	if (own)
		buf_consume(&c->in, (size_t)used);
	else
		buf_put_slice(&c->in, slice_skip(data, (size_t)used));
	return true;
}

void
conn_read(struct conn *c)
{
	struct diag diag = DIAG_INIT;
	bool own;
	ssize_t got;
	char *p;

	do {
		own = c->in.len > 0;
		if (own)
			buf_reserve(&c->in, READ_MAX);
		p = own ? c->in.data + c->in.len : c->w->rbuf;
		got = net_read(&c->net, p, READ_MAX, &diag);
		if (got == NET_AGAIN)
			return;
		if (got < 0) {
			conn_fail(c, diag.text);
			return;
		}
		c->w->bytes_in += c->w->measuring ? (uint64_t)got : 0;
		if (!take(c, p, (size_t)got, own))
			return;
	} while (net_has_pending(&c->net));
}
