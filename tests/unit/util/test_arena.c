/* util/arena.h: alignment, limits, reuse, copies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/arena.h"

static void
alignment(void **state)
{
	struct arena a;
	size_t i;
	char *p, *last = NULL;

	(void)state;
	arena_init(&a, 0);
	for (i = 0; i < 3000; i++) {
		p = arena_alloc(&a, i);
		assert_non_null(p);
		assert_int_equal((uintptr_t)p % 8, 0);
		memset(p, 0x5a, i);
		assert_true(i <= 1 || p != last);
		last = p;
	}
	arena_fini(&a);
	arena_fini(&a);
	assert_int_equal(a.used, 0);
	assert_non_null(arena_alloc(&a, 1));
	arena_fini(&a);
}

static void
limits(void **state)
{
	static const struct {
		size_t limit, size;
		bool is_ok;
	} cases[] = {
		{ 0, 1 << 20, true },
		{ 100, 96, true },
		{ 100, 104, false },
		{ 1 << 20, 1 << 20, true },
		{ 1 << 20, (1 << 20) + 1, false },
		{ 1 << 20, SIZE_MAX, false },
		{ 0, SIZE_MAX - 3, false },
	};
	struct arena a;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		arena_init(&a, cases[i].limit);
		assert_int_equal(arena_alloc(&a, cases[i].size) != NULL,
		    cases[i].is_ok);
		arena_fini(&a);
	}
	arena_init(&a, 0);
	assert_null(arena_calloc(&a, SIZE_MAX / 4, 16));
	arena_fini(&a);
}

/* A full arena refuses, holds what it had, and is whole after a reset. */
static void
full_and_reset(void **state)
{
	struct arena a;
	unsigned n = 0, round, got[3];

	(void)state;
	arena_init(&a, 50000);
	for (round = 0; round < 3; round++) {
		for (n = 0; arena_alloc(&a, 40) != NULL; n++)
			;
		got[round] = n;
		assert_true(a.used <= 50000);
		assert_true(n >= 50000 / 40 - 10);
		assert_null(arena_slice(&a, SLICE("too much")).ptr);
		assert_null(arena_strdup(&a, "too much"));
		assert_null(arena_printf(&a, "%s", "too much").ptr);
		assert_null(arena_zalloc(&a, 40));
		arena_reset(&a);
	}
	assert_true(got[2] >= got[0] - 10);
	arena_fini(&a);
}

/* A steady mix allocates from the block that was kept. */
static void
reset_keeps_one(void **state)
{
	struct arena a;
	struct arena_block *kept;
	unsigned i;

	(void)state;
	arena_init(&a, 0);
	for (i = 0; i < 1000; i++)
		arena_alloc(&a, 16);
	arena_reset(&a);
	kept = a.blocks;
	assert_non_null(kept);
	for (i = 0; i < 200; i++)
		arena_alloc(&a, 16);
	assert_ptr_equal(a.blocks, kept);
	/* and what is large is given back */
	arena_alloc(&a, 1 << 20);
	arena_reset(&a);
	assert_true(a.used <= 64 * 1024);
	arena_fini(&a);
}

/* A big value does not throw away the rest of the current block. */
static void
big_goes_behind(void **state)
{
	struct arena a;
	char *before, *after;

	(void)state;
	arena_init(&a, 0);
	before = arena_alloc(&a, 8);
	memset(arena_alloc(&a, 1 << 20), 1, 1 << 20);
	after = arena_alloc(&a, 8);
	assert_ptr_equal(after, before + 8);
	arena_fini(&a);
}

static void
copies(void **state)
{
	struct arena a;
	struct slice s;
	char *z;
	unsigned i;

	(void)state;
	arena_init(&a, 0);
	s = arena_slice(&a, slice("abc\0def", 7));
	assert_int_equal(s.len, 7);
	assert_memory_equal(s.ptr, "abc\0def", 8);
	s = arena_slice(&a, SLICE_NONE);
	assert_true(s.ptr != NULL && s.len == 0 && s.ptr[0] == '\0');
	assert_string_equal(arena_strdup(&a, "xyz"), "xyz");
	s = arena_printf(&a, "%05d|%s", 42, "long enough to matter");
	assert_string_equal(s.ptr, "00042|long enough to matter");
	assert_int_equal(s.len, strlen(s.ptr));
	memset(arena_alloc(&a, 64), 0xff, 64);
	z = arena_calloc(&a, 8, 8);
	for (i = 0; i < 64; i++)
		assert_int_equal(z[i], 0);
	arena_fini(&a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alignment),
		cmocka_unit_test(limits),
		cmocka_unit_test(full_and_reset),
		cmocka_unit_test(reset_keeps_one),
		cmocka_unit_test(big_goes_behind),
		cmocka_unit_test(copies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
