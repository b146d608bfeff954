/* ID sets against a plain array of booleans. */
#include "backends/store/idset.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "util/mem.h"

#define SPAN	3000
#define OFFSET	(UINT32_MAX - 1000ULL)	/* the span crosses a part */

struct model {
	bool has[SPAN];
};

static unsigned seed = 1;

static unsigned
rnd(unsigned n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 8) % n;
}

static void
compare(const struct idset *s, const struct model *m)
{
	struct idset_iter it;
	entry_id id;
	uint64_t n = 0;

	idset_iter_init(&it, s, 0);
	for (unsigned i = 0; i < SPAN; i++) {
		assert_int_equal(idset_has(s, OFFSET + i), m->has[i]);
		if (!m->has[i])
			continue;
		n++;
		assert_true(idset_iter_next(&it, &id));
		assert_int_equal(id, OFFSET + i);
	}
	assert_false(idset_iter_next(&it, &id));
	idset_iter_fini(&it);
	assert_int_equal(idset_count(s), n);
	if (n > 0)
		assert_false(idset_is_empty(s));
}

static void
fill(struct idset *s, struct model *m)
{
	static const unsigned sizes[] = { 0, 1, 3, 6, 7, 40, 900, 2500 };
	unsigned n = sizes[rnd(8)];

	idset_init(s);
	memset(m, 0, sizeof(*m));
	while (n-- > 0) {
		unsigned i = rnd(SPAN);

		idset_add(s, OFFSET + i);
		m->has[i] = true;
	}
}

static void
test_random(void **state)
{
	struct idset a, b, c;
	struct model ma, mb;

	(void)state;
	for (unsigned round = 0; round < 400; round++) {
		unsigned op = rnd(4), x = rnd(SPAN);
		bool share = rnd(2);

		fill(&a, &ma);
		fill(&b, &mb);
		compare(&a, &ma);
		idset_init(&c);
		if (share)
			idset_copy(&c, &a);
		for (unsigned i = 0; i < SPAN; i++)
			ma.has[i] = op == 0 ? ma.has[i] && mb.has[i] :
			    op == 1 ? ma.has[i] || mb.has[i] :
			    op == 2 ? ma.has[i] && !mb.has[i] :
			    ma.has[i] && i != x;
		if (op == 0)
			idset_and(&a, &b);
		else if (op == 1)
			idset_or(&a, &b);
		else if (op == 2)
			idset_and_not(&a, &b);
		else
			idset_remove(&a, OFFSET + x);
		compare(&a, &ma);
		compare(&b, &mb);
		/* a change of one leaves its copy as it was */
		if (share && op == 0) {
			idset_and(&c, &b);
			compare(&c, &ma);
		}
		idset_fini(&a);
		idset_fini(&b);
		idset_fini(&c);
	}
}

static void
test_copy_is_apart(void **state)
{
	struct idset a = IDSET_INIT, b = IDSET_INIT;

	(void)state;
	idset_add_range(&a, 1, 100);
	idset_copy(&b, &a);
	idset_add(&a, 200);
	idset_remove(&b, 1);
	assert_int_equal(idset_count(&a), 101);
	assert_int_equal(idset_count(&b), 99);
	assert_false(idset_has(&b, 200));
	assert_true(idset_has(&a, 1));
	idset_move(&b, &a);
	assert_true(idset_is_empty(&a));
	assert_int_equal(idset_count(&b), 101);
	assert_true(idset_memory(&b) > 0);
	idset_fini(&b);
}

static void
test_bulk(void **state)
{
	struct idset s = IDSET_INIT;
	entry_id *v = mem_calloc(5000, sizeof(*v)), id;
	struct idset_iter it;

	(void)state;
	for (unsigned i = 0; i < 5000; i++)
		v[i] = (1ULL << 40) + i * 3;
	idset_add_sorted(&s, v, 4);
	assert_int_equal(s.nsmall, 4);
	idset_add_sorted(&s, v, 5000);
	assert_int_equal(idset_count(&s), 5000);
	idset_iter_init(&it, &s, (1ULL << 40) + 4);
	assert_true(idset_iter_next(&it, &id));
	assert_int_equal(id, (1ULL << 40) + 6);
	idset_iter_fini(&it);
	idset_iter_init(&it, &s, 1ULL << 41);
	assert_false(idset_iter_next(&it, &id));
	idset_iter_fini(&it);
	idset_fini(&s);
	free(v);
}

static void
test_all(void **state)
{
	struct idset all = IDSET_INIT, s = IDSET_INIT;

	(void)state;
	idset_set_all(&all);
	assert_int_equal(idset_count(&all), UINT64_MAX);
	assert_true(idset_has(&all, 12345));
	assert_false(idset_is_empty(&all));
	idset_add(&s, 7);
	idset_and(&s, &all);
	assert_int_equal(idset_count(&s), 1);
	idset_and(&all, &s);
	assert_int_equal(idset_count(&all), 1);
	idset_set_all(&all);
	idset_or(&s, &all);
	assert_true(s.all);
	idset_and_not(&s, &all);
	assert_true(idset_is_empty(&s));
	idset_fini(&all);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_copy_is_apart),
		cmocka_unit_test(test_bulk),
		cmocka_unit_test(test_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
