/* util/buf.h and util/slice.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "util/buf.h"

static void
appending(void **state)
{
	struct buf b;
	unsigned i;

	(void)state;
	buf_init(&b);
	assert_int_equal(buf_slice(&b).len, 0);
	assert_non_null(buf_slice(&b).ptr);
	buf_put(&b, NULL, 0);
	buf_consume(&b, 0);
	for (i = 0; i < 1000; i++)
		buf_put_char(&b, (char)i);
	for (i = 0; i < 1000; i++)
		assert_int_equal(b.data[i], (char)i);
	buf_consume(&b, 990);
	assert_int_equal(b.len, 10);
	assert_int_equal(b.data[0], (char)990);
	buf_consume(&b, 10);
	assert_int_equal(b.len, 0);
	buf_put_str(&b, "abc");
	buf_put_slice(&b, SLICE("def"));
	buf_put_slice(&b, SLICE_NONE);
	assert_true(slice_is_eq(buf_slice(&b), SLICE("abcdef")));
	buf_reset(&b);
	assert_int_equal(b.len, 0);
	buf_fini(&b);
	buf_fini(&b);
}

static void
formatting(void **state)
{
	struct buf b;
	char want[300];
	unsigned i;

	(void)state;
	memset(want, 'x', sizeof(want));
	for (i = 0; i < 300; i += 7) {
		buf_init(&b);
		buf_printf(&b, "%.*s", (int)i, want);
		buf_printf(&b, "<%u>", i);
		assert_true(slice_has_prefix(buf_slice(&b), slice(want, i)));
		assert_true(slice_has_suffix(buf_slice(&b), SLICE(">")));
		buf_fini(&b);
	}
}

static void
slices(void **state)
{
	static const struct {
		struct slice a, b;
		int cmp;
		bool is_eq_nocase;
	} cases[] = {
		{ { NULL, 0 }, { "", 0 }, 0, true },
		{ { "a", 1 }, { "", 0 }, 1, false },
		{ { "a", 1 }, { "A", 1 }, 1, true },
		{ { "ab", 2 }, { "abc", 3 }, -1, false },
		{ { "a\0b", 3 }, { "A\0B", 3 }, 1, true },
		{ { "a\0b", 3 }, { "a\0c", 3 }, -1, false },
		{ { "@", 1 }, { "`", 1 }, -1, false },
		{ { "[", 1 }, { "{", 1 }, -1, false },
		{ { "Z", 1 }, { "z", 1 }, -1, true },
		{ { "\xc3\x84", 2 }, { "\xc3\xa4", 2 }, -1, false },
		{ { "0", 1 }, { "\x10", 1 }, 1, false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int c = slice_cmp(cases[i].a, cases[i].b);

		assert_int_equal((c > 0) - (c < 0), cases[i].cmp);
		assert_int_equal(slice_is_eq(cases[i].a, cases[i].b),
		    cases[i].cmp == 0);
		assert_int_equal(slice_is_eq_nocase(cases[i].a, cases[i].b),
		    cases[i].is_eq_nocase);
		assert_int_equal(slice_is_eq_nocase(cases[i].b, cases[i].a),
		    cases[i].is_eq_nocase);
	}
	assert_true(slice_is_none(SLICE_NONE));
	assert_false(slice_is_none(SLICE("")));
	assert_true(slice_is_eq(slice_skip(SLICE("abc"), 2), SLICE("c")));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(appending),
		cmocka_unit_test(formatting),
		cmocka_unit_test(slices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
