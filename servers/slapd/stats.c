/* Counters summed up, and the lines of the stats level. */
#include "stats.h"

#include <stdio.h>
#include <string.h>

#include "filter.h"
#include "fop.h"
#include "loop.h"
#include "server.h"
#include "util/buf.h"
#include "util/text.h"

/* Attribute lists are cut into lines of about this length. */
#define STATS_ATTRS_MAX	1024
#define STATS_LINE_MAX	8191

static uint64_t
get(const atomic_uint_least64_t *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

static void
stats_sum_one(const struct stats *s, struct stats_sum *sum)
{
	for (unsigned i = 0; i < OP_KINDS; i++) {
		sum->initiated[i] += get(&s->initiated[i]);
		sum->completed[i] += get(&s->completed[i]);
		for (unsigned b = 0; b < LATENCY_BUCKETS; b++)
			sum->latency[i][b] += get(&s->latency[i][b]);
	}
	sum->entries += get(&s->entries);
	sum->references += get(&s->references);
	sum->bytes += get(&s->bytes);
	sum->pdus += get(&s->pdus);
	sum->connections += get(&s->connections);
}

void
stats_sum(const struct server *srv, struct stats_sum *sum_r)
{
	memset(sum_r, 0, sizeof(*sum_r));
	stats_sum_one(&srv->stats, sum_r);
	for (unsigned i = 0; i < srv->nloops; i++)
		stats_sum_one(&srv->loops[i].stats, sum_r);
}

uint64_t
stats_latency(const struct stats_sum *sum, enum op_kind kind,
    unsigned permille)
{
	const uint64_t *v = sum->latency[kind];
	uint64_t all = 0, want, seen = 0;
	unsigned i;

	for (i = 0; i < LATENCY_BUCKETS; i++)
		all += v[i];
	want = (all * permille + 999) / 1000;
	for (i = 0; i < LATENCY_BUCKETS && all > 0; i++) {
		seen += v[i];
		if (seen >= want && seen > 0)
			return latency_bucket_most(i);
	}
	return 0;
}

/* ---- lines ---- */

/* A line that is put together; what is too long is cut off. */
struct line {
	size_t len;
	char text[STATS_LINE_MAX];
};

static void
put(struct line *l, const char *p, size_t n)
{
	if (n > sizeof(l->text) - l->len)
		n = sizeof(l->text) - l->len;
	memcpy(l->text + l->len, p, n);
	l->len += n;
}

static void
put_str(struct line *l, const char *cstr)
{
	put(l, cstr, strlen(cstr));
}

/* At least WIDTH digits. */
static void
put_uint(struct line *l, uint64_t v, unsigned width)
{
	char digits[24], *p = digits + sizeof(digits);

	do {
		*--p = (char)('0' + v % 10);
		v /= 10;
	} while (v != 0 || (size_t)(digits + sizeof(digits) - p) < width);
	put(l, p, (size_t)(digits + sizeof(digits) - p));
}

static void
put_int(struct line *l, int v)
{
	if (v < 0)
		put(l, "-", 1);
	put_uint(l, v < 0 ? -(uint64_t)v : (uint64_t)v, 1);
}

/* "0.000123" */
static void
put_seconds(struct line *l, int64_t us)
{
	put_uint(l, (uint64_t)us / 1000000, 1);
	put(l, ".", 1);
	put_uint(l, (uint64_t)us % 1000000, 6);
}

/* "conn=1000 op=1 " */
static void
line_begin(struct line *l, const struct op *op)
{
	l->len = 0;
	put_str(l, "conn=");
	put_uint(l, op->connid, 1);
	put_str(l, " op=");
	put_uint(l, op->opid, 1);
	put(l, " ", 1);
}

void
stats_op(const struct op *op, int level, const char *fmt, ...)
{
	struct line l;
	size_t room;
	va_list ap;
	int n;

	if (!log_is_on(level))
		return;
	line_begin(&l, op);
	room = sizeof(l.text) - l.len;
	va_start(ap, fmt);
	n = vsnprintf(l.text + l.len, room, fmt, ap);
	va_end(ap);
	if (n > 0)
		l.len += (size_t)n < room ? (size_t)n : room - 1;
	log_put(level, l.text, l.len);
}

/* "WHAT attr=a b c" in as many lines as it takes. */
static void
stats_attrs(const struct op *op, const char *what, struct slice (*name)(
    const struct fop *, unsigned i), unsigned n)
{
	struct buf b;

	buf_init(&b);
	for (unsigned i = 0; i < n; i++) {
		if (b.len > 0)
			buf_put_char(&b, ' ');
		buf_put_slice(&b, name(fop_of(op), i));
		if (b.len > STATS_ATTRS_MAX || i + 1 == n) {
			stats_op(op, LOG_STATS, "%s attr=%.*s", what,
			    SLICE_ARG(buf_slice(&b)));
			buf_reset(&b);
		}
	}
	buf_fini(&b);
}

static struct slice
search_attr(const struct fop *f, unsigned i)
{
	return f->msg.req.search.attrs[i];
}

static struct slice
mod_attr(const struct fop *f, unsigned i)
{
	return f->msg.req.modify.mods[i].attr.name;
}

void
stats_search(const struct fop *f)
{
	const struct ldap_req_search *s = &f->msg.req.search;
	struct line l;
	struct buf b;

	if (!stats_is_on())
		return;
	buf_init(&b);
	filter_print(s->filter, &b);
	line_begin(&l, &f->op);
	put_str(&l, "SRCH base=\"");
	put(&l, f->op.dn.text.ptr, f->op.dn.text.len);
	put_str(&l, "\" scope=");
	put_int(&l, (int)s->scope);
	put_str(&l, " deref=");
	put_int(&l, (int)s->deref);
	put_str(&l, " filter=\"");
	put(&l, b.data, b.len);
	put_str(&l, "\"");
	log_put(LOG_STATS, l.text, l.len);
	buf_fini(&b);
	stats_attrs(&f->op, "SRCH", search_attr, s->nattrs);
}

void
stats_mod_attrs(const struct fop *f)
{
	if (stats_is_on())
		stats_attrs(&f->op, "MOD", mod_attr, f->msg.req.modify.nmods);
}

/* "qtime=... etime=...": waited for, and from its arrival to its end. */
static void
put_times(struct line *l, const struct fop *f)
{
	int64_t end = time_mono_us();

	put_str(l, " qtime=");
	put_seconds(l, f->received != 0 && f->now > f->received ?
	    f->now - f->received : 0);
	put_str(l, " etime=");
	put_seconds(l, f->received != 0 && end > f->received ?
	    end - f->received : 0);
}

void
stats_result(const struct fop *f, enum ldap_result code, struct slice text)
{
	const struct op *op = &f->op;
	struct line l;

	if (!stats_is_on())
		return;
	line_begin(&l, op);
	if (op->kind == OP_EXTENDED) {
		put_str(&l, "RESULT oid=");
		put(&l, f->response_oid.ptr, f->response_oid.len);
	} else {
		put_str(&l, op->kind == OP_SEARCH ? "SEARCH RESULT tag=" :
		    "RESULT tag=");
		put_int(&l, ldap_response_tag(f->type->tag));
	}
	put_str(&l, " err=");
	put_int(&l, (int)code);
	put_times(&l, f);
	if (op->kind == OP_SEARCH) {
		put_str(&l, " nentries=");
		put_uint(&l, f->reply.nentries, 1);
	}
	put_str(&l, " text=");
	put(&l, text.ptr, text.len);
	log_put(LOG_STATS, l.text, l.len);
}
