/* The sharded cache, and the three on top of it. */
#include <stdlib.h>
#include <string.h>

#include "backends/store/cache.h"
#include "tests/unit/store/fixture.h"
#include "util/mem.h"

static struct attr_dict *dict;

static struct entry *
make(entry_id id, size_t len)
{
	struct dn dn = { SLICE("cn=x"), SLICE("cn=x") };
	char *block;
	struct entry *e = entry_new_room(id, &dn, dict, len, &block);

	memset(block, 'x', len);
	return e;
}

static void
load(struct entry_cache *ec, entry_id id, size_t len)
{
	struct entry *e;
	uint64_t ticket;

	if ((e = entry_cache_get(ec, id, &ticket)) == NULL) {
		e = make(id, len);
		entry_cache_put(ec, e, ticket);
	}
	entry_unref(&e);
}

static bool
has(struct entry_cache *ec, entry_id id)
{
	uint64_t ticket;
	struct entry *e = entry_cache_get(ec, id, &ticket);
	bool is = e != NULL;

	entry_unref(&e);
	return is;
}

static void
test_bounds(void **state)
{
	struct entry_cache *ec = entry_cache_new(1 << 20, 0);
	struct cache_stats s;

	(void)state;
	for (entry_id id = 1; id <= 10000; id++)
		load(ec, id, 1000);
	cache_stats(entry_cache_table(ec), &s);
	assert_true(s.bytes <= 1 << 20);
	assert_true(s.bytes > (1 << 20) * 3 / 4);
	entry_cache_free(&ec);

	ec = entry_cache_new(1 << 30, 100);
	for (entry_id id = 1; id <= 10000; id++)
		load(ec, id, 100);
	cache_stats(entry_cache_table(ec), &s);
	assert_in_range(s.count, 80, 108);
	entry_cache_free(&ec);
}

/* What is used again and again survives a scan of much more than fits. */
static void
test_scan(void **state)
{
	struct entry_cache *ec = entry_cache_new(1 << 20, 0);
	unsigned kept = 0;

	(void)state;
	for (int round = 0; round < 5; round++) {
		for (entry_id id = 1; id <= 300; id++)
			load(ec, id, 1000);
	}
	/* enough to push them out of the short queue */
	for (entry_id id = 1000; id < 3000; id++) {
		load(ec, id, 1000);
		load(ec, id % 300 + 1, 1000);
	}
	for (entry_id id = 10000; id < 30000; id++)
		load(ec, id, 1000);
	for (entry_id id = 1; id <= 300; id++)
		kept += has(ec, id);
	assert_true(kept > 270);
	entry_cache_free(&ec);
}

static void
test_stamps(void **state)
{
	struct entry_cache *ec = entry_cache_new(1 << 20, 0);
	struct entry *old = make(7, 10), *new = make(7, 20), *e;
	uint64_t before, between, after;

	(void)state;
	/* what was read before the change is not kept after it began */
	assert_null(entry_cache_get(ec, 7, &before));
	entry_cache_change_begin(ec, 7);
	entry_cache_put(ec, old, before);
	assert_null(entry_cache_get(ec, 7, &between));
	/* nor what was read while it was going on */
	entry_cache_put(ec, old, between);
	assert_null(entry_cache_get(ec, 7, &between));
	entry_cache_change_end(ec, 7, NULL);
	entry_cache_put(ec, old, before);
	entry_cache_put(ec, old, between);
	assert_null(entry_cache_get(ec, 7, &after));
	entry_cache_put(ec, new, after);
	assert_ptr_equal(e = entry_cache_get(ec, 7, &after), new);
	entry_unref(&e);
	/* the writer brings its own */
	entry_cache_change_begin(ec, 7);
	assert_null(entry_cache_get(ec, 7, &between));
	entry_cache_change_end(ec, 7, old);
	assert_ptr_equal(e = entry_cache_get(ec, 7, &after), old);
	entry_unref(&e);
	/* everything at once */
	entry_cache_all_begin(ec);
	assert_null(entry_cache_get(ec, 7, &between));
	entry_cache_put(ec, new, between);
	entry_cache_all_end(ec);
	assert_null(entry_cache_get(ec, 7, &after));
	entry_unref(&old);
	entry_unref(&new);
	entry_cache_free(&ec);
}

static void
test_names(void **state)
{
	struct name_cache *nc = name_cache_new(1 << 20, 0);
	struct slice a = SLICE("cn=a,dc=x"), b = SLICE("cn=b,dc=x");
	uint64_t ticket;

	(void)state;
	assert_int_equal(name_cache_get(nc, a, &ticket), ENTRY_ID_NONE);
	name_cache_put(nc, a, 5, ticket);
	name_cache_put(nc, a, 6, ticket);	/* the first stays */
	assert_int_equal(name_cache_get(nc, a, &ticket), 5);
	assert_int_equal(name_cache_get(nc, b, &ticket), ENTRY_ID_NONE);
	name_cache_change_begin(nc, a);
	name_cache_change_begin(nc, b);
	name_cache_change_end(nc, a, ENTRY_ID_NONE);
	name_cache_change_end(nc, b, 5);
	assert_int_equal(name_cache_get(nc, a, &ticket), ENTRY_ID_NONE);
	assert_int_equal(name_cache_get(nc, b, &ticket), 5);
	name_cache_free(&nc);
}

static void
test_candidates(void **state)
{
	struct store st = { .cands = cand_cache_new(1 << 20, 0) };
	struct idset ids = IDSET_INIT, got = IDSET_INIT;
	struct slice k = SLICE("\1abc");
	uint64_t ticket;

	(void)state;
	assert_false(cand_cache_find(&st, 0, k, &got, &ticket));
	for (entry_id id = 1; id < 1000; id += 3)
		idset_add(&ids, id);
	cand_cache_put(&st, 0, k, &ids, ticket);
	assert_false(cand_cache_find(&st, 1, k, &got, &ticket));
	assert_true(cand_cache_find(&st, 0, k, &got, &ticket));
	assert_int_equal(idset_count(&got), idset_count(&ids));
	cand_cache_change_begin(st.cands, 0, k);
	cand_cache_put(&st, 0, k, &ids, ticket);
	assert_false(cand_cache_find(&st, 0, k, &got, &ticket));
	cand_cache_change_end(st.cands, 0, k);
	cand_cache_put(&st, 0, k, &ids, ticket);
	assert_false(cand_cache_find(&st, 0, k, &got, &ticket));
	/* an empty set is an answer too */
	idset_fini(&ids);
	cand_cache_put(&st, 0, k, &ids, ticket);
	assert_true(cand_cache_find(&st, 0, k, &got, &ticket));
	idset_fini(&got);
	cand_cache_free(&st.cands);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bounds), cmocka_unit_test(test_scan),
		cmocka_unit_test(test_stamps), cmocka_unit_test(test_names),
		cmocka_unit_test(test_candidates),
	};
	int bad;

	dict = attr_dict_new();
	bad = cmocka_run_group_tests(tests, NULL, NULL);
	attr_dict_free(&dict);
	return bad;
}
