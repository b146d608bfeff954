/* util/diag.h: the first error stays, cuts fall between characters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "util/diag.h"
#include "util/err.h"
#include "util/text.h"

static void
first_wins(void **state)
{
	struct diag d = DIAG_INIT;
	char out[2048];

	(void)state;
	assert_int_equal(diag_err(&d, HB_EINVAL, "bad %s", "thing"),
	    HB_EINVAL);
	assert_int_equal(diag_err(&d, HB_EIO, "second"), HB_EIO);
	diag_set(&d, "third");
	assert_string_equal(d.text, "bad thing");
	diag_add(&d, "and %d", 2);
	assert_string_equal(d.text, "bad thing; and 2");
	diag_prefix(&d, "database %d", 1);
	diag_format(&d, out, sizeof(out));
	assert_string_equal(out, "database 1: bad thing; and 2");
	diag_at(&d, "slapd.conf", 0);
	diag_at(&d, "other.conf", 9);
	diag_format(&d, out, sizeof(out));
	assert_string_equal(out, "slapd.conf: database 1: bad thing; and 2");
	diag_clear(&d);
	diag_at(&d, "slapd.conf", 12);
	diag_add(&d, "alone");
	diag_format(&d, out, sizeof(out));
	assert_string_equal(out, "slapd.conf: line 12: alone");
	diag_format(&d, out, 8);
	assert_string_equal(out, "slapd.c");
}

/* Of many texts those that fit are there whole, and the end says so. */
static void
many(void **state)
{
	struct diag d = DIAG_INIT;
	unsigned i;

	(void)state;
	assert_false(diag_is_full(&d));
	for (i = 0; i < 200; i++)
		diag_add(&d, "number %03u", i);
	assert_true(diag_is_full(&d));
	assert_true(diag_is_full(NULL));
	assert_true(strlen(d.text) > DIAG_TEXT_MAX - 24);
	assert_string_equal(d.text + strlen(d.text) - 17, "; number 084; ...");
}

static void
none(void **state)
{
	(void)state;
	diag_clear(NULL);
	diag_set(NULL, "x");
	diag_add(NULL, "x");
	diag_prefix(NULL, "x");
	diag_at(NULL, "f", 1);
	assert_int_equal(diag_err(NULL, HB_EIO, "x"), HB_EIO);
}

/* Every way to fill it ends within the text and on a character. */
static void
cut(void **state)
{
	static const char *const chars[] = { "a", "\xc3\xa4", "\xe2\x82\xac",
		"\xf0\x9f\x8c\xb3" };
	char text[2 * DIAG_TEXT_MAX];
	struct diag d;
	unsigned i, shift;
	size_t n;

	(void)state;
	for (i = 0; i < 4; i++) {
		for (shift = 0; shift < 4; shift++) {
			n = shift;
			memset(text, 'x', n);
			while (n < sizeof(text) - 8) {
				memcpy(text + n, chars[i], strlen(chars[i]));
				n += strlen(chars[i]);
			}
			text[n] = '\0';
			diag_clear(&d);
			diag_set(&d, "%s", text);
			assert_true(text_is_utf8(slice_of(d.text)));
			assert_true(strlen(d.text) > DIAG_TEXT_MAX - 5);
			diag_prefix(&d, "%.*s", (int)shift, "pre");
			assert_true(text_is_utf8(slice_of(d.text)));
			diag_add(&d, "%s", text);
			assert_true(text_is_utf8(slice_of(d.text)));
			diag_prefix(&d, "%s", text);
			assert_true(text_is_utf8(slice_of(d.text)));
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_wins),
		cmocka_unit_test(many),
		cmocka_unit_test(none),
		cmocka_unit_test(cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
