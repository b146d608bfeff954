/* What is asked next, and what an answer means (see worker.h). */
#include <stdio.h>

#include "ber.h"
#include "proto.h"
#include "util/err.h"
#include "worker.h"

/* splitmix64: the state is a counter, so seeds that lie near do no harm. */
static uint64_t
draw(struct worker *w, uint64_t below)
{
	uint64_t z = w->rng += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	z ^= z >> 31;
	return (uint64_t)((unsigned __int128)z * below >> 64);
}

static enum req_kind
draw_mixed(struct worker *w, const struct slot *s)
{
	uint64_t p = draw(w, 100);

	if (p < 80)
		return REQ_SEARCH;
	if (p < 90)
		return REQ_COMPARE;
	if (p < 98)
		return REQ_MODIFY;
	return s->added ? REQ_DELETE : REQ_ADD;
}

static enum req_kind
next_kind(struct worker *w, const struct slot *s)
{
	switch (w->run->opts->job) {
	case JOB_SEARCH:
	case JOB_AUTH:
		return REQ_SEARCH;
	case JOB_BASE:
		return REQ_BASE;
	case JOB_BIND:
		return REQ_BIND;
	case JOB_COMPARE:
		return draw(w, 8) == 0 ? REQ_COMPARE_FALSE : REQ_COMPARE;
	case JOB_MODIFY:
		return REQ_MODIFY;
	case JOB_ADD:
		return REQ_ADD;
	case JOB_DELETE:
		return REQ_DELETE;
	case JOB_ADDDEL:
		return s->added ? REQ_DELETE : REQ_ADD;
	case JOB_MIXED:
		break;
	}
	return draw_mixed(w, s);
}

/* The number of an entry that this slot adds and deletes alone. */
static uint64_t
own_number(const struct conn *c, const struct slot *s)
{
	const struct bench_opts *o = c->w->run->opts;

	return o->first + c->index * o->window + (uint64_t)(s - c->slots);
}

bool
job_begin(struct conn *c, struct slot *s, uint64_t since, uint64_t now)
{
	struct worker *w = c->w;
	const struct bench_opts *o = w->run->opts;
	enum req_kind kind;

	if (w->draining || (o->ops > 0 &&
	    atomic_fetch_add(&w->run->claimed, 1) >= o->ops))
		return false;
	kind = next_kind(w, s);
	if (kind != REQ_ADD && kind != REQ_DELETE)
		s->n = draw(w, o->count);
	else if (o->job == JOB_ADD || o->job == JOB_DELETE)
		s->n = atomic_fetch_add(&w->run->next_number, 1);
	else
		s->n = own_number(c, s);
	s->since = since;
	conn_send(c, s, kind, now);
	return true;
}

static void
ring_put(struct worker *w, struct slot *s)
{
	if (s->queued)
		return;
	s->queued = true;
	w->ring[(w->ring_first + w->ring_len++) % w->ring_cap] = s;
}

void
job_next(struct conn *c, struct slot *s, uint64_t now)
{
	struct worker *w = c->w;

	if (w->run->opts->rate == 0)
		(void)job_begin(c, s, now, now);
	else {
		ring_put(w, s);
		job_due(w, now);
	}
}

/* Whose slot is S? Slots of a worker's connections are one array. */
static struct conn *
conn_of(struct worker *w, const struct slot *s)
{
	return &w->conns[(size_t)(s - w->conns[0].slots) /
	    w->run->opts->window];
}

void
job_due(struct worker *w, uint64_t now)
{
	struct slot *s;
	struct conn *c;
	uint64_t due;

	while (w->ring_len > 0 && (due = pace_due(&w->pace)) <= now) {
		s = w->ring[w->ring_first];
		w->ring_first = (w->ring_first + 1) % w->ring_cap;
		w->ring_len--;
		s->queued = false;
		c = conn_of(w, s);
		if (c->dead || c->pair->dead)
			continue;
		if (!job_begin(c, s, due, now)) {
			ring_put(w, s);
			return;
		}
		pace_next(&w->pace);
	}
}

static void
op_error(struct conn *c, struct slot *s, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	if (s->bad)
		return;
	s->bad = true;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	run_error(c->w->run, "%s, number %llu: %s", request_name(s->kind),
	    (unsigned long long)s->n, text);
}

static int
on_entry(struct conn *c, struct slot *s, struct slice body)
{
	struct worker *w = c->w;
	const struct bench_opts *o = w->run->opts;
	static const char *const object_class[] = { "objectClass", NULL };
	const char *missing = "";
	struct slice dn, attrs;
	int rc;

	if (answer_entry(body, &dn, &attrs) != HB_OK)
		return HB_EENCODING;
	s->entries++;
	buf_reset(&w->scratch);
	stamp_put(&w->run->requests.dn, &w->scratch, s->n, 0, 0);
	if (!o->any && !answer_dn_is_eq(dn, buf_slice(&w->scratch)))
		op_error(c, s, "\"%.*s\" came back, expected was \"%.*s\" "
		    "(see --dn, --any)", SLICE_ARG(dn),
		    SLICE_ARG(buf_slice(&w->scratch)));
	if (o->job == JOB_AUTH) {
		buf_reset(&w->found);
		buf_put_slice(&w->found, dn);
	}
	if (!o->deep)
		return HB_OK;
	rc = answer_attrs(attrs, o->attrs[0] != NULL ? o->attrs : object_class,
	    &missing);
	if (rc == HB_ENOENT)
		op_error(c, s, "attribute %s is missing in \"%.*s\"", missing,
		    SLICE_ARG(dn));
	return rc == HB_ENOENT ? HB_OK : rc;
}

static void
finish(struct conn *c, struct slot *s, uint64_t now)
{
	struct worker *w = c->w;
	struct run *run = w->run;
	struct slot *b;

	s->busy = false;
	w->busy--;
	if (!s->bad && (s->kind == REQ_ADD || s->kind == REQ_DELETE))
		s->added = s->kind == REQ_ADD;
	if (run->opts->job == JOB_AUTH && s->kind == REQ_SEARCH && !s->bad) {
		b = &c->pair->slots[0];
		b->n = s->n;
		b->since = s->since;
		conn_send(c->pair, b, REQ_BIND_FOUND, now);
		return;
	}
	if (!s->bad && now >= run->t_begin && now < run->t_end) {
		w->ops++;
		w->entries += s->entries;
		hist_add(&w->hist, now - s->since);
	}
	w->last = now;
	if (c->is_binder)
		job_next(c->pair, &c->pair->slots[0], now);
	else
		job_next(c, s, now);
}

static int
on_result(struct conn *c, struct slot *s, struct slice body)
{
	static const char *const expected[] = { "success", "compareFalse",
	    "compareTrue" };
	const struct bench_opts *o = c->w->run->opts;
	struct answer_result res;
	char name[ANSWER_NAME_MAX];
	int want;

	if (answer_result(body, &res) != HB_OK)
		return HB_EENCODING;
	want = s->kind == REQ_COMPARE ? LDAP_COMPARE_TRUE :
	    s->kind == REQ_COMPARE_FALSE ? LDAP_COMPARE_FALSE : LDAP_SUCCESS;
	if (res.code != want)
		op_error(c, s, "result %d (%s), expected was %s%s%.*s",
		    (int)res.code, answer_code_name(res.code, name),
		    expected[want == LDAP_SUCCESS ? 0 : want - 4],
		    res.text.len > 0 ? ": " : "", SLICE_ARG(res.text));
	else if ((s->kind == REQ_SEARCH || s->kind == REQ_BASE) && !o->any &&
	    s->entries != 1)
		op_error(c, s, "%u entries came back, expected was one "
		    "(see --count, --any)", s->entries);
	return HB_OK;
}

/* ID 0 and other answers that nobody asked for. */
static void
on_stranger(struct conn *c, const struct answer *a)
{
	struct answer_result res;
	char name[ANSWER_NAME_MAX];

	if (a->id == 0 && answer_result(a->body, &res) == HB_OK)
		run_error(c->w->run, "the server disconnects: result %d "
		    "(%s)%s%.*s", (int)res.code, answer_code_name(res.code, name),
		    res.text.len > 0 ? ": " : "", SLICE_ARG(res.text));
	else
		run_error(c->w->run, "an answer with the message ID %lld, "
		    "which is not outstanding", (long long)a->id);
}

int
job_message(struct conn *c, struct slice pdu, uint64_t now)
{
	unsigned window = (unsigned)c->w->run->opts->window;
	struct slot *s = NULL;
	struct answer a;
	bool search;
	int rc;

	if ((rc = answer_read(pdu, &a)) != HB_OK)
		return rc;
	if (a.id >= STAMP_ID_MIN)
		s = &c->slots[(unsigned)(a.id - STAMP_ID_MIN) % window];
	if (s == NULL || !s->busy || s->id != a.id) {
		on_stranger(c, &a);
		return HB_OK;
	}
	search = s->kind == REQ_SEARCH || s->kind == REQ_BASE;
	if (search && a.tag == LDAP_TAG_SEARCH_ENTRY)
		return on_entry(c, s, a.body);
	if (search && a.tag == LDAP_TAG_SEARCH_REFERENCE) {
		if (!c->w->run->opts->any)
			op_error(c, s, "a reference came back");
		return HB_OK;
	}
	if (a.tag != request_answer_tag(s->kind))
		op_error(c, s, "an answer of another kind, tag 0x%02x",
		    (unsigned)a.tag);
	else if ((rc = on_result(c, s, a.body)) != HB_OK)
		return rc;
	finish(c, s, now);
	return HB_OK;
}

void
job_cleanup(struct worker *w, uint64_t now)
{
	const struct bench_opts *o = w->run->opts;
	unsigned i, k;
	struct slot *s;

	if (o->job != JOB_ADDDEL && o->job != JOB_MIXED)
		return;
	for (i = 0; i < w->nconns; i++)
		for (k = 0; k < o->window && !w->conns[i].dead; k++) {
			s = &w->conns[i].slots[k];
			if (!s->added)
				continue;
			s->n = own_number(&w->conns[i], s);
			conn_send(&w->conns[i], s, REQ_DELETE, now);
		}
}
