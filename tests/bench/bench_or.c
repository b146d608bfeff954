/*
 * ORs of many terms: reading the string, resolving, candidates, evaluation on
 * one entry. What is linear in the terms has the same time a term in each row.
 */
#include "bench.h"
#include "filter.h"
#include "backends/store/index.h"
#include "tests/unit/store/fixture.h"

#define PEOPLE	20000

static struct fixture *f;

struct timing {
	double parse, resolve, plan, eval;
	uint64_t found;
};

static double
since(int64_t *t)
{
	int64_t now = time_mono_us(), was = *t;

	*t = now;
	return (double)(now - was) * 1000;
}

static void
one(struct slice text, struct entry *e, struct timing *t)
{
	struct ldap_filter *raw;
	struct filter *filter;
	struct idset ids = IDSET_INIT;
	struct call c;
	int64_t clock;

	call_init(&c, f, OP_SEARCH, SUFFIX);
	clock = time_mono_us();
	assert_int_equal(filter_parse(&c.arena, text, &raw, NULL), HB_OK);
	t->parse = since(&clock);
	assert_int_equal(filter_resolve(&c.arena, f->schema, raw, &filter),
	    HB_OK);
	t->resolve = since(&clock);
	assert_int_equal(plan_candidates(fixture_store(f), &c.op, filter,
	    &ids), HB_OK);
	t->plan = since(&clock);
	for (unsigned i = 0; i < 100; i++)
		(void)filter_eval(filter, f->schema, e, NULL, NULL);
	t->eval = since(&clock) / 100;
	t->found = idset_count(&ids);
	idset_fini(&ids);
	call_fini(&c);
}

/* SHAPE: what term I is; the first %u is I. */
static void
row(const char *name, const char *open, const char *const *shapes,
    unsigned nshapes, const char *close, unsigned n, struct entry *e)
{
	struct timing t;
	struct buf b;

	buf_init(&b);
	buf_put_str(&b, open);
	for (unsigned i = 0; i < n; i++) {
		const char *s = shapes[i % nshapes];

		for (; *s != '\0'; s++) {
			if (*s == '%')
				buf_printf(&b, "%u", i * 7919 % PEOPLE);
			else
				buf_put_char(&b, *s);
		}
	}
	buf_put_str(&b, close);
	one(buf_slice(&b), e, &t);	/* fills the caches */
	one(buf_slice(&b), e, &t);
	printf("%-20s %6u terms  ns a term: parse %6.0f resolve %6.0f "
	    "plan %6.0f eval %7.2f  (eval %8.0f ns, %" PRIu64 " found)\n",
	    name, n, t.parse / n, t.resolve / n, t.plan / n, t.eval / n,
	    t.eval, t.found);
	buf_fini(&b);
}

int
main(void)
{
	static const char *const uids[] = { "(uid=user.%)" };
	static const char *const mixed[] = {
		"(uid=user.%)", "(cn=User %)", "(sn=x%)", "(uidNumber=%)",
		"(description=%)", "(cn=User %*)"
	};
	static const unsigned sizes[] = { 500, 5000, 50000 };
	struct entry *e = NULL;

	f = fixture_new(&dnidx_tree, "index uid,cn eq\nindex sn,uidNumber,"
	    "description eq\nindex objectClass eq\n");
	f->conf.dbnosync = true;
	fixture_open(f);
	fill(f, PEOPLE);
	assert_int_equal(store_entry_by_id(fixture_store(f), NULL, 5, true, &e),
	    HB_OK);
	for (unsigned i = 0; i < 3; i++)
		row("uids", "(|", uids, 1, ")", sizes[i], e);
	for (unsigned i = 0; i < 3; i++)
		row("mixed", "(|", mixed, 6, ")", sizes[i], e);
	for (unsigned i = 0; i < 3; i++)
		row("within AND", "(&(objectClass=person)(|", uids, 1, "))",
		    sizes[i], e);
	for (unsigned i = 0; i < 3; i++)
		row("beside one uid", "(&(uid=user.1)(|", uids, 1, "))",
		    sizes[i], e);
	entry_unref(&e);
	fixture_free(&f);
	return 0;
}
