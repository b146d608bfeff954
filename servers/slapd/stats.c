/* Counters summed up, and the lines of the stats level. */
#include "stats.h"

#include <stdio.h>

#include "filter.h"
#include "fop.h"
#include "loop.h"
#include "server.h"
#include "util/buf.h"
#include "util/text.h"

/* Attribute lists are cut into lines of about this length. */
#define STATS_ATTRS_MAX	1024

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
	*sum_r = (struct stats_sum){ { 0 }, { 0 }, 0, 0, 0, 0, 0 };
	stats_sum_one(&srv->stats, sum_r);
	for (unsigned i = 0; i < srv->nloops; i++)
		stats_sum_one(&srv->loops[i].stats, sum_r);
}

void
stats_op(const struct op *op, int level, const char *fmt, ...)
{
	struct buf b;
	va_list ap;
	char text[512];
	int n;

	if (!log_is_on(level))
		return;
	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n < (int)sizeof(text)) {
		log_printf(level, "conn=%llu op=%u %s",
		    (unsigned long long)op->connid, op->opid, text);
		return;
	}
	buf_init(&b);
	buf_reserve(&b, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(b.data, (size_t)n + 1, fmt, ap);
	va_end(ap);
	log_printf(level, "conn=%llu op=%u %s", (unsigned long long)op->connid,
	    op->opid, b.data);
	buf_fini(&b);
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
	struct buf b;

	if (!stats_is_on())
		return;
	buf_init(&b);
	filter_print(s->filter, &b);
	stats_op(&f->op, LOG_STATS,
	    "SRCH base=\"%.*s\" scope=%d deref=%d filter=\"%.*s\"",
	    SLICE_ARG(f->op.dn.text), (int)s->scope, (int)s->deref,
	    SLICE_ARG(buf_slice(&b)));
	buf_fini(&b);
	stats_attrs(&f->op, "SRCH", search_attr, s->nattrs);
}

void
stats_mod_attrs(const struct fop *f)
{
	if (stats_is_on())
		stats_attrs(&f->op, "MOD", mod_attr, f->msg.req.modify.nmods);
}

void
stats_result(const struct fop *f, enum ldap_result code, struct slice text)
{
	const struct op *op = &f->op;
	int tag = ldap_response_tag(f->type->tag);
	int64_t end, q, e;
	char times[64];

	if (!stats_is_on())
		return;
	end = time_mono_us();
	q = f->received != 0 && f->now > f->received ? f->now - f->received : 0;
	e = f->received != 0 && end > f->received ? end - f->received : 0;
	snprintf(times, sizeof(times), "qtime=%lld.%06lld etime=%lld.%06lld",
	    (long long)q / 1000000, (long long)q % 1000000,
	    (long long)e / 1000000, (long long)e % 1000000);
	if (op->kind == OP_SEARCH)
		stats_op(op, LOG_STATS, "SEARCH RESULT tag=%d err=%d %s "
		    "nentries=%u text=%.*s", tag, (int)code, times,
		    f->reply.nentries, SLICE_ARG(text));
	else if (op->kind == OP_EXTENDED)
		stats_op(op, LOG_STATS, "RESULT oid=%.*s err=%d %s text=%.*s",
		    SLICE_ARG(f->response_oid), (int)code, times,
		    SLICE_ARG(text));
	else
		stats_op(op, LOG_STATS, "RESULT tag=%d err=%d %s text=%.*s",
		    tag, (int)code, times, SLICE_ARG(text));
}
