/* BER reader: tables of octets and what they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ber.h"

#define N(a)		(sizeof(a) / sizeof((a)[0]))
#define B(lit)		{ lit, sizeof(lit) - 1 }

static struct ber_reader
reader(struct slice s)
{
	struct ber_reader r;

	ber_reader_init(&r, s);
	return r;
}

static void
lengths(void **state)
{
	static const struct {
		struct slice in;
		int rc;
		size_t len;
	} cases[] = {
		{ B("\x04\x00"), HB_OK, 0 },
		{ B("\x04\x01x"), HB_OK, 1 },
		{ B("\x04\x81\x01x"), HB_OK, 1 },
		{ B("\x04\x84\0\0\0\x01x"), HB_OK, 1 },
		{ B("\x04\x88\0\0\0\0\0\0\0\x01x"), HB_OK, 1 },
		{ B("\x04\x89\0\0\0\0\0\0\0\0\x01x"), HB_EENCODING, 0 },
		{ B("\x04\x85\x01\0\0\0\0x"), HB_EENCODING, 0 },
		{ B("\x04\x88\xff\xff\xff\xff\xff\xff\xff\xff"),
		    HB_EENCODING, 0 },
		{ B("\x04\x80x\0\0"), HB_EENCODING, 0 },	/* indefinite */
		{ B("\x04\xff"), HB_EENCODING, 0 },
		{ B("\x04\x02x"), HB_EENCODING, 0 },		/* cut */
		{ B("\x04\x84\xff\xff\xff\xffx"), HB_EENCODING, 0 },
		{ B("\x04\x82\x01"), HB_EENCODING, 0 },
		{ B("\x04"), HB_EENCODING, 0 },
		{ B(""), HB_EENCODING, 0 },
		{ B("\x1f\x01x"), HB_EENCODING, 0 },		/* long tag */
		{ B("\x05\x01x"), HB_EENCODING, 0 },		/* another */
	};
	size_t i;

	(void)state;
	for (i = 0; i < N(cases); i++) {
		struct ber_reader r = reader(cases[i].in);
		struct slice s = ber_get_octets(&r, BER_OCTETS);

		assert_int_equal(ber_reader_error(&r), cases[i].rc);
		assert_int_equal(s.len, cases[i].len);
		assert_int_equal(slice_is_none(s), cases[i].rc != HB_OK);
		assert_true(ber_is_end(&r));
		assert_int_equal(ber_peek(&r), -1);
	}
}

static void
integers(void **state)
{
	static const struct {
		struct slice in;
		int rc;
		int64_t v;
	} cases[] = {
		{ B("\x02\x01\x00"), HB_OK, 0 },
		{ B("\x02\x01\x7f"), HB_OK, 127 },
		{ B("\x02\x01\x80"), HB_OK, -128 },
		{ B("\x02\x02\x00\x80"), HB_OK, 128 },
		{ B("\x02\x04\x7f\xff\xff\xff"), HB_OK, INT32_MAX },
		{ B("\x02\x08\x7f\xff\xff\xff\xff\xff\xff\xff"), HB_OK,
		    INT64_MAX },
		{ B("\x02\x08\x80\0\0\0\0\0\0\0"), HB_OK, INT64_MIN },
		{ B("\x02\x03\0\0\x05"), HB_OK, 5 },
		{ B("\x02\x01\xff"), HB_OK, -1 },
		{ B("\x02\x00"), HB_EENCODING, 0 },
		{ B("\x02\x09\0\0\0\0\0\0\0\0\x01"), HB_EENCODING, 0 },
		{ B("\x0a\x01\x01"), HB_EENCODING, 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < N(cases); i++) {
		struct ber_reader r = reader(cases[i].in);

		assert_true(ber_get_int(&r, BER_INTEGER) == cases[i].v);
		assert_int_equal(ber_reader_error(&r), cases[i].rc);
	}
}

static void
ranges(void **state)
{
	static const struct {
		int64_t min, max;
		int rc;
	} cases[] = {
		{ 0, 10, HB_OK }, { 5, 5, HB_OK }, { 6, 10, HB_EENCODING },
		{ -9, 4, HB_EENCODING }, { INT64_MIN, INT64_MAX, HB_OK },
	};
	size_t i;

	(void)state;
	for (i = 0; i < N(cases); i++) {
		struct ber_reader r = reader(SLICE("\x02\x01\x05"));

		ber_get_int_range(&r, BER_INTEGER, cases[i].min,
		    cases[i].max);
		assert_int_equal(ber_reader_error(&r), cases[i].rc);
	}
}

static void
booleans_and_nulls(void **state)
{
	static const struct {
		struct slice in;
		int rc;
		bool v;
	} cases[] = {
		{ B("\x01\x01\xff"), HB_OK, true },
		{ B("\x01\x01\x01"), HB_OK, true },
		{ B("\x01\x01\x00"), HB_OK, false },
		{ B("\x01\x00"), HB_EENCODING, false },
		{ B("\x01\x02\x00\xff"), HB_EENCODING, false },
		{ B("\x05\x00"), HB_EENCODING, false },
	};
	struct ber_reader r;
	size_t i;

	(void)state;
	for (i = 0; i < N(cases); i++) {
		r = reader(cases[i].in);
		assert_int_equal(ber_get_bool(&r, BER_BOOLEAN), cases[i].v);
		assert_int_equal(ber_reader_error(&r), cases[i].rc);
	}
	r = reader(SLICE("\x05\x00"));
	ber_get_null(&r, BER_NULL);
	assert_int_equal(ber_reader_error(&r), HB_OK);
	r = reader(SLICE("\x05\x01\x00"));
	ber_get_null(&r, BER_NULL);
	assert_int_equal(ber_reader_error(&r), HB_EENCODING);
}

/* The first error stays; nothing is read after it. */
static void
first_error(void **state)
{
	struct ber_reader r = reader(SLICE("\x04\x01x\x02\x01\x05"));
	int tag;

	(void)state;
	ber_reader_fail(&r, HB_EPROTO);
	ber_reader_fail(&r, HB_ELIMIT);
	assert_true(slice_is_none(ber_get_octets(&r, BER_OCTETS)));
	assert_true(slice_is_none(ber_get_any(&r, &tag)));
	assert_int_equal(tag, -1);
	assert_true(slice_is_none(ber_get_element(&r)));
	assert_true(ber_get_int(&r, BER_INTEGER) == 0);
	assert_false(ber_get_bool(&r, BER_BOOLEAN));
	ber_expect_end(&r);
	assert_int_equal(ber_reader_error(&r), HB_EPROTO);
}

static void
nesting(void **state)
{
	static const struct {
		struct slice in;
		int rc;
	} cases[] = {
		{ B("\x30\x03\x02\x01\x05"), HB_OK },
		{ B("\x30\x05\x02\x01\x05\x05\x00"), HB_EENCODING },
		{ B("\x30\x00"), HB_EENCODING },
		{ B("\x30\x03\x02\x02\x05"), HB_EENCODING },
		{ B("\x31\x03\x02\x01\x05"), HB_EENCODING },
		{ B("\x30\x04\x02\x01\x05"), HB_EENCODING },
		{ B("\x30\x03\x02\x01\x05\x00"), HB_EENCODING },
	};
	size_t i;

	(void)state;
	for (i = 0; i < N(cases); i++) {
		struct ber_reader r = reader(cases[i].in);
		struct ber_reader inner = ber_enter(&r, BER_SEQUENCE);

		ber_get_int(&inner, BER_INTEGER);
		ber_leave(&r, &inner);
		ber_expect_end(&r);
		assert_int_equal(ber_reader_error(&r), cases[i].rc);
	}
}

static void
elements(void **state)
{
	struct ber_reader r = reader(SLICE("\x04\x01x\xa0\x02\x05\x00"));
	struct slice s;
	int tag;

	(void)state;
	assert_int_equal(ber_peek(&r), BER_OCTETS);
	assert_true(slice_is_eq(ber_get_element(&r), SLICE("\x04\x01x")));
	assert_false(ber_is_end(&r));
	s = ber_get_any(&r, &tag);
	assert_int_equal(tag, 0xa0);
	assert_true(slice_is_eq(s, SLICE("\x05\x00")));
	ber_expect_end(&r);
	assert_int_equal(ber_reader_error(&r), HB_OK);
}

static void
frames(void **state)
{
	static const struct {
		struct slice in;
		int rc;
		size_t total;
	} cases[] = {
		{ B(""), HB_ETRUNCATED, 0 },
		{ B("\x30"), HB_ETRUNCATED, 0 },
		{ B("\x30\x05"), HB_OK, 7 },
		{ B("\x30\x82\x01"), HB_ETRUNCATED, 0 },
		{ B("\x30\x82\x01\x00"), HB_OK, 260 },
		{ B("\x30\x84\xff\xff\xff\xff"), HB_OK, 4294967301u },
		{ B("\x30\x85\x01\x00\x00\x00\x00"), HB_EENCODING, 0 },
		{ B("\x30\x80"), HB_EENCODING, 0 },
		{ B("\x30\x89"), HB_EENCODING, 0 },
		{ B("GET / HTTP/1.1"), HB_EENCODING, 0 },
		{ B("\x16\x03\x01"), HB_EENCODING, 0 },	/* TLS */
	};
	size_t i, total;

	(void)state;
	for (i = 0; i < N(cases); i++) {
		total = 0;
		assert_int_equal(ber_frame(cases[i].in, BER_SEQUENCE, &total),
		    cases[i].rc);
		assert_true(total == cases[i].total);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lengths),
		cmocka_unit_test(integers),
		cmocka_unit_test(ranges),
		cmocka_unit_test(booleans_and_nulls),
		cmocka_unit_test(first_error),
		cmocka_unit_test(nesting),
		cmocka_unit_test(elements),
		cmocka_unit_test(frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
