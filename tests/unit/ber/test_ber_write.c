/* BER writer: shortest forms, and what the reader makes of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ber.h"

#define N(a)		(sizeof(a) / sizeof((a)[0]))
#define B(lit)		{ lit, sizeof(lit) - 1 }

static void
integers(void **state)
{
	static const struct {
		int64_t v;
		struct slice out;
	} cases[] = {
		{ 0, B("\x02\x01\x00") },
		{ 127, B("\x02\x01\x7f") },
		{ 128, B("\x02\x02\x00\x80") },
		{ 255, B("\x02\x02\x00\xff") },
		{ 256, B("\x02\x02\x01\x00") },
		{ -1, B("\x02\x01\xff") },
		{ -128, B("\x02\x01\x80") },
		{ -129, B("\x02\x02\xff\x7f") },
		{ INT32_MAX, B("\x02\x04\x7f\xff\xff\xff") },
		{ INT64_MAX, B("\x02\x08\x7f\xff\xff\xff\xff\xff\xff\xff") },
		{ INT64_MIN, B("\x02\x08\x80\0\0\0\0\0\0\0") },
	};
	struct ber_writer w;
	struct ber_reader r;
	struct buf out;
	size_t i;

	(void)state;
	buf_init(&out);
	ber_writer_init(&w, &out);
	for (i = 0; i < N(cases); i++) {
		buf_reset(&out);
		ber_put_int(&w, BER_INTEGER, cases[i].v);
		assert_true(slice_is_eq(buf_slice(&out), cases[i].out));
		ber_reader_init(&r, buf_slice(&out));
		assert_true(ber_get_int(&r, BER_INTEGER) == cases[i].v);
	}
	buf_fini(&out);
}

static void
simple(void **state)
{
	struct ber_writer w;
	struct buf out;

	(void)state;
	buf_init(&out);
	ber_writer_init(&w, &out);
	ber_put_bool(&w, BER_BOOLEAN, true);
	ber_put_bool(&w, BER_BOOLEAN, false);
	ber_put_null(&w, BER_NULL);
	ber_put_octets(&w, BER_OCTETS, SLICE("x"));
	ber_put_octets(&w, BER_OCTETS, SLICE_NONE);
	ber_put_raw(&w, SLICE("\x05\x00"));
	assert_true(slice_is_eq(buf_slice(&out), SLICE("\x01\x01\xff"
	    "\x01\x01\x00" "\x05\x00" "\x04\x01x" "\x04\x00" "\x05\x00")));
	buf_fini(&out);
}

/* Each number of length octets, as octets and as a closed SEQUENCE. */
static void
lengths(void **state)
{
	static const struct {
		size_t len;
		struct slice header;
	} cases[] = {
		{ 0, B("\x30\x00") },
		{ 127, B("\x30\x7f") },
		{ 128, B("\x30\x81\x80") },
		{ 255, B("\x30\x81\xff") },
		{ 256, B("\x30\x82\x01\x00") },
		{ 65535, B("\x30\x82\xff\xff") },
		{ 65536, B("\x30\x83\x01\x00\x00") },
		{ 16777215, B("\x30\x83\xff\xff\xff") },
		{ 16777216, B("\x30\x84\x01\x00\x00\x00") },
	};
	char *big = malloc(16777216);
	struct ber_writer w;
	struct buf out;
	size_t i, mark;

	(void)state;
	for (i = 0; i < 16777216; i++)
		big[i] = (char)(i * 7);
	for (i = 0; i < N(cases); i++) {
		struct slice body = slice(big, cases[i].len);
		struct slice header = cases[i].header;

		buf_init(&out);
		ber_writer_init(&w, &out);
		ber_put_octets(&w, BER_SEQUENCE, body);
		assert_true(slice_has_prefix(buf_slice(&out), header));
		assert_int_equal(out.len, header.len + body.len);
		assert_int_equal(ber_header_size(body.len), header.len);
		buf_reset(&out);
		buf_put_str(&out, "before");
		mark = ber_begin(&w, BER_SEQUENCE);
		buf_put_slice(&out, body);
		ber_end(&w, mark);
		assert_int_equal(out.len, 6 + header.len + body.len);
		assert_true(slice_has_prefix(slice_skip(buf_slice(&out), 6),
		    header));
		assert_true(slice_is_eq(slice_skip(buf_slice(&out),
		    6 + header.len), body));
		buf_fini(&out);
	}
	free(big);
}

static void
nested(void **state)
{
	struct ber_writer w;
	struct ber_reader r, a, b;
	struct buf out;
	char text[200] = { 0 };
	size_t outer, inner;

	(void)state;
	buf_init(&out);
	ber_writer_init(&w, &out);
	outer = ber_begin(&w, BER_SEQUENCE);
	inner = ber_begin(&w, BER_SET);
	ber_put_octets(&w, BER_OCTETS, slice(text, sizeof(text)));
	ber_end(&w, inner);
	ber_put_int(&w, BER_INTEGER, 5);
	ber_end(&w, outer);
	ber_reader_init(&r, buf_slice(&out));
	a = ber_enter(&r, BER_SEQUENCE);
	b = ber_enter(&a, BER_SET);
	assert_int_equal(ber_get_octets(&b, BER_OCTETS).len, 200);
	ber_leave(&a, &b);
	assert_true(ber_get_int(&a, BER_INTEGER) == 5);
	ber_leave(&r, &a);
	ber_expect_end(&r);
	assert_int_equal(ber_reader_error(&r), HB_OK);
	buf_fini(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers),
		cmocka_unit_test(simple),
		cmocka_unit_test(lengths),
		cmocka_unit_test(nested),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
