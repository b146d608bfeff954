/* util/text.h: tables of texts and what they mean. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "util/err.h"
#include "util/text.h"

#define N(a)	(sizeof(a) / sizeof((a)[0]))

static void
integers(void **state)
{
	static const struct {
		const char *text;
		int rc;
		int64_t value;
	} cases[] = {
		{ "0", HB_OK, 0 }, { "-1", HB_OK, -1 }, { "+7", HB_OK, 7 },
		{ "0x104", HB_OK, 0x104 }, { "010", HB_OK, 8 },
		{ "9223372036854775807", HB_OK, INT64_MAX },
		{ "-9223372036854775808", HB_OK, INT64_MIN },
		{ "9223372036854775808", HB_ERANGE, 0 },
		{ "", HB_EINVAL, 0 }, { "-", HB_EINVAL, 0 },
		{ " 1", HB_EINVAL, 0 }, { "1 ", HB_EINVAL, 0 },
		{ "0x", HB_EINVAL, 0 }, { "09", HB_EINVAL, 0 },
		{ "12a", HB_EINVAL, 0 }, { "- 1", HB_EINVAL, 0 },
		{ "11111111111111111111111111111111111", HB_EINVAL, 0 },
	};
	size_t i;
	int64_t v;

	(void)state;
	for (i = 0; i < N(cases); i++) {
		v = 0;
		assert_int_equal(text_to_int(slice_of(cases[i].text), &v),
		    cases[i].rc);
		assert_true(v == cases[i].value);
	}
	assert_int_equal(text_to_int(slice("1\0", 2), &v), HB_EINVAL);
}

static void
sizes(void **state)
{
	static const struct {
		const char *text;
		int rc;
		uint64_t value;
	} cases[] = {
		{ "10", HB_OK, 10 }, { "512k", HB_OK, 512 << 10 },
		{ "4M", HB_OK, 4 << 20 }, { "2g", HB_OK, 2ULL << 30 },
		{ "1t", HB_OK, 1ULL << 40 }, { "0k", HB_OK, 0 },
		{ "18446744073709551615", HB_OK, UINT64_MAX },
		{ "18446744073709551616", HB_ERANGE, 0 },
		{ "18446744073709551615k", HB_ERANGE, 0 },
		{ "k", HB_EINVAL, 0 }, { "", HB_EINVAL, 0 },
		{ "-1", HB_EINVAL, 0 }, { "1kk", HB_EINVAL, 0 },
		{ "1.5g", HB_EINVAL, 0 }, { "0x10", HB_EINVAL, 0 },
	};
	size_t i;
	uint64_t v;

	(void)state;
	for (i = 0; i < N(cases); i++) {
		v = 0;
		assert_int_equal(text_to_size(slice_of(cases[i].text), &v),
		    cases[i].rc);
		assert_true(v == cases[i].value);
	}
}

/* The vectors of RFC 4648 10, and each octet count through both ways. */
static void
base64(void **state)
{
	static const struct {
		const char *plain, *text;
	} cases[] = {
		{ "", "" }, { "f", "Zg==" }, { "fo", "Zm8=" },
		{ "foo", "Zm9v" }, { "foob", "Zm9vYg==" },
		{ "fooba", "Zm9vYmE=" }, { "foobar", "Zm9vYmFy" },
	};
	static const char *const bad[] = { "Z", "Zg", "Zg=", "Zg===", "=Zg=",
		"Zh==", "Zm9=", "Zm9v=", "Zm 9", "Zm9v\n", "====", "Zg==Zg==",
		"Zm-v", "Zm\xc3\xa4" };
	struct buf out;
	size_t i;

	(void)state;
	buf_init(&out);
	for (i = 0; i < N(cases); i++) {
		buf_reset(&out);
		text_base64_encode(&out, slice_of(cases[i].plain));
		assert_true(slice_is_eq(buf_slice(&out),
		    slice_of(cases[i].text)));
		buf_reset(&out);
		assert_int_equal(text_base64_decode(&out,
		    slice_of(cases[i].text)), HB_OK);
		assert_true(slice_is_eq(buf_slice(&out),
		    slice_of(cases[i].plain)));
	}
	buf_reset(&out);
	buf_put_str(&out, "kept");
	for (i = 0; i < N(bad); i++)
		assert_int_equal(text_base64_decode(&out, slice_of(bad[i])),
		    HB_EINVAL);
	assert_true(slice_is_eq(buf_slice(&out), SLICE("kept")));
	buf_fini(&out);
}

static void
base64_all_octets(void **state)
{
	struct buf text, back;
	char octets[256];
	size_t i;

	(void)state;
	for (i = 0; i < 256; i++)
		octets[i] = (char)i;
	buf_init(&text);
	buf_init(&back);
	for (i = 0; i <= 256; i++) {
		buf_reset(&text);
		buf_reset(&back);
		text_base64_encode(&text, slice(octets, i));
		assert_int_equal(text_base64_decode(&back, buf_slice(&text)),
		    HB_OK);
		assert_true(slice_is_eq(buf_slice(&back), slice(octets, i)));
	}
	buf_fini(&text);
	buf_fini(&back);
}

static void
utf8(void **state)
{
	static const struct {
		struct slice s;
		bool is_utf8;
	} cases[] = {
		{ { "", 0 }, true },
		{ { "abcdefghi", 9 }, true },
		{ { "\x00", 1 }, true },
		{ { "abcdefgh\xc3\xa4", 10 }, true },
		{ { "\xe2\x82\xac", 3 }, true },
		{ { "\xf4\x8f\xbf\xbf", 4 }, true },
		{ { "\xed\x9f\xbf", 3 }, true },
		{ { "\x80", 1 }, false },		/* lone follower */
		{ { "\xc3", 1 }, false },		/* cut */
		{ { "\xe2\x82", 2 }, false },
		{ { "\xc0\xaf", 2 }, false },		/* overlong */
		{ { "\xe0\x80\xaf", 3 }, false },
		{ { "\xf0\x8f\xbf\xbf", 4 }, false },
		{ { "\xed\xa0\x80", 3 }, false },	/* surrogate */
		{ { "\xf4\x90\x80\x80", 4 }, false },	/* beyond U+10FFFF */
		{ { "\xf5\x80\x80\x80", 4 }, false },
		{ { "\xff", 1 }, false },
		{ { "\xc3(", 2 }, false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < N(cases); i++)
		assert_int_equal(text_is_utf8(cases[i].s), cases[i].is_utf8);
	assert_true(text_is_ascii(SLICE("0123456789abcdef!")));
	assert_false(text_is_ascii(SLICE("0123456789abcde\x80")));
	assert_false(text_is_ascii(SLICE("0123\x80" "56789abcdef")));
}

static void
nearest(void **state)
{
	static const char *const words[] = { "database", "suffix", "rootdn",
		"rootpw", "directory", "index", "cachesize" };
	static const struct {
		const char *text, *word;
	} cases[] = {
		{ "databse", "database" }, { "SUFIX", "suffix" },
		{ "rootnd", "rootdn" }, { "indexx", "index" },
		{ "cache_size", "cachesize" }, { "zzz", NULL },
		{ "", NULL }, { "completelydifferent", NULL },
	};
	char longest[200];
	size_t i;

	(void)state;
	for (i = 0; i < N(cases); i++) {
		const char *w = text_nearest(slice_of(cases[i].text), words,
		    N(words));

		if (cases[i].word == NULL)
			assert_null(w);
		else
			assert_string_equal(w, cases[i].word);
	}
	memset(longest, 'a', sizeof(longest));
	assert_null(text_nearest(slice(longest, 200), words, N(words)));
}

static void
times(void **state)
{
	static const struct {
		time_t t;
		const char *text;
	} cases[] = {
		{ 0, "19700101000000Z" },
		{ 951782400, "20000229000000Z" },
		{ 2147483648, "20380119031408Z" },
		{ 253402300799, "99991231235959Z" },
		{ 253402300800, "99991231235959Z" },
		{ (time_t)INT64_MAX, "99991231235959Z" },
	};
	char out[16], word[] = "AbZ[@`{\xc4";
	int64_t a;
	size_t i;

	(void)state;
	for (i = 0; i < N(cases); i++) {
		text_gentime(cases[i].t, out);
		assert_string_equal(out, cases[i].text);
	}
	a = time_mono_us();
	assert_true(time_mono_us() >= a);
	assert_true(time_wall_us() > 1700000000000000);
	text_tolower(word, sizeof(word) - 1);
	assert_string_equal(word, "abz[@`{\xc4");
	assert_int_equal(text_hex_value('f'), 15);
	assert_int_equal(text_hex_value('A'), 10);
	assert_int_equal(text_hex_value('g'), -1);
	assert_int_equal(text_hex_value('/'), -1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers),
		cmocka_unit_test(sizes),
		cmocka_unit_test(base64),
		cmocka_unit_test(base64_all_octets),
		cmocka_unit_test(utf8),
		cmocka_unit_test(nearest),
		cmocka_unit_test(times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
