/* String preparation: RFC 4518 section by section. */
#include "schema_test.h"
#include "util/text.h"

enum { W = SUBSTR_WHOLE, I = SUBSTR_INITIAL, A = SUBSTR_ANY, F = SUBSTR_FINAL };

#define E	((const char *)NULL)	/* HB_ESYNTAX */

struct row {
	const char *text;
	const char *folded, *exact;
};

/* 2.1 */
static const struct row transcode[] = {
	{ "\xc3\xa4", "\xc3\xa4", "\xc3\xa4" },
	{ "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80" },
	{ "\x80", E, E },			/* continuation alone */
	{ "a\xbf", E, E },
	{ "\xc3", E, E },			/* cut off */
	{ "a\xe2\x82", E, E },
	{ "\xf0\x9f\x98", E, E },
	{ "\xc3(", E, E },
	{ "\xc0\x80", E, E },			/* longer than need be */
	{ "\xc1\xbf", E, E },
	{ "\xe0\x9f\xbf", E, E },
	{ "\xf0\x8f\xbf\xbf", E, E },
	{ "\xed\xa0\x80", E, E },		/* U+D800 */
	{ "\xed\xbf\xbf", E, E },		/* U+DFFF */
	{ "\xf4\x90\x80\x80", E, E },		/* U+110000 */
	{ "\xf8\x88\x80\x80\x80", E, E },
	{ "\xfe", E, E }, { "\xff", E, E },
};

/* 2.2: a range's ends and what stands beside it, "a" and "b" around */
static const struct {
	uint32_t first, last;
	char to;		/* 0: nothing */
} maps[] = {
	{ 0x01, 0x08, 0 }, { 0x09, 0x0d, ' ' }, { 0x0e, 0x1f, 0 },
	{ 0x20, 0x20, ' ' }, { 0x7f, 0x84, 0 }, { 0x85, 0x85, ' ' },
	{ 0x86, 0x9f, 0 }, { 0xa0, 0xa0, ' ' }, { 0xad, 0xad, 0 },
	{ 0x34f, 0x34f, 0 }, { 0x6dd, 0x6dd, 0 }, { 0x70f, 0x70f, 0 },
	{ 0x1680, 0x1680, ' ' }, { 0x1806, 0x1806, 0 },
	{ 0x180b, 0x180e, 0 }, { 0x2000, 0x200a, ' ' }, { 0x200b, 0x200f, 0 },
	{ 0x2028, 0x2029, ' ' }, { 0x202a, 0x202e, 0 },
	{ 0x202f, 0x202f, ' ' }, { 0x205f, 0x205f, ' ' },
	{ 0x2060, 0x2063, 0 }, { 0x206a, 0x206f, 0 }, { 0x3000, 0x3000, ' ' },
	{ 0xfe00, 0xfe0f, 0 }, { 0xfeff, 0xfeff, 0 }, { 0xfff9, 0xfffc, 0 },
	{ 0x1d173, 0x1d17a, 0 }, { 0xe0001, 0xe0001, 0 },
	{ 0xe0020, 0xe007f, 0 },
};

/* U+FDFA: the longest decomposition there is */
#define SALLALLAHOU \
	"\xd8\xb5\xd9\x84\xd9\x89 \xd8\xa7\xd9\x84\xd9\x84\xd9" \
	"\x87 \xd8\xb9\xd9\x84\xd9\x8a\xd9\x87 \xd9\x88\xd8\xb3" \
	"\xd9\x84\xd9\x85"

/* 2.2 fold, 2.3 */
static const struct row normalise[] = {
	{ "ABCxyz", "abcxyz", "ABCxyz" },
	{ "@[`{", "@[`{", "@[`{" },
	{ "\xc3\x84", "\xc3\xa4", "\xc3\x84" },
	{ "\xc3\x9f", "ss", "\xc3\x9f" },		/* sharp s */
	{ "\xe1\xba\x9e", "ss", "\xe1\xba\x9e" },
	{ "\xc4\xb0", "i\xcc\x87", "\xc4\xb0" },	/* I with dot */
	{ "\xc4\xb1", "\xc4\xb1", "\xc4\xb1" },		/* i without */
	{ "\xc5\xbf", "s", "s" },			/* long s */
	{ "\xc7\xb0", "\xc7\xb0", "\xc7\xb0" },		/* j with caron */
	{ "\xc5\x89", "\xca\xbcn", "\xca\xbcn" },
	{ "\xce\xa3\xcf\x82", "\xcf\x83\xcf\x83", "\xce\xa3\xcf\x82" },
	{ "\xe1\xbe\x80", "\xe1\xbc\x80\xce\xb9", "\xe1\xbe\x80" },
	{ "\xcd\x85", "\xce\xb9", "\xcd\x85" },		/* iota subscript */
	{ "\xce\x90", "\xce\x90", "\xce\x90" },
	{ "\xd0\x96", "\xd0\xb6", "\xd0\x96" },
	{ "\xd5\x87\xd6\x87", "\xd5\xb7\xd5\xa5\xd6\x82",
	    "\xd5\x87\xd5\xa5\xd6\x82" },
	{ "\xf0\x90\x90\x80", "\xf0\x90\x90\xa8", "\xf0\x90\x90\x80" },
	{ "\xef\xac\x81", "fi", "fi" },			/* ligature */
	{ "\xef\xac\x85", "st", "st" },
	{ "\xc2\xbd", "1\xe2\x81\x84" "2", "1\xe2\x81\x84" "2" },
	{ "\xc2\xaa\xc2\xb2", "a2", "a2" },
	{ "\xe2\x85\xa7", "viii", "VIII" },		/* roman eight */
	{ "\xe2\x84\xa2", "tm", "TM" },
	{ "\xe2\x84\xab", "\xc3\xa5", "\xc3\x85" },	/* angstrom */
	{ "\xe2\x84\xa6", "\xcf\x89", "\xce\xa9" },	/* ohm */
	{ "\xef\xbc\xa1\xef\xbd\x81", "aa", "Aa" },	/* full width */
	{ "\xef\xbd\xb6\xef\xbe\x9e", "\xe3\x82\xac", "\xe3\x82\xac" },
	{ "\xe3\x8f\x82", "a.m.", "a.m." },
	{ "A\xcc\x88", "\xc3\xa4", "\xc3\x84" },
	{ "q\xcc\x81\xcc\xa3", "q\xcc\xa3\xcc\x81", "q\xcc\xa3\xcc\x81" },
	{ "a\xcc\xa3\xcc\x82", "\xe1\xba\xad", "\xe1\xba\xad" },
	{ "\xe1\x84\x80\xe1\x85\xa1", "\xea\xb0\x80", "\xea\xb0\x80" },
	{ "\xea\xb0\x80\xe1\x86\xa8", "\xea\xb0\x81", "\xea\xb0\x81" },
	{ "\xcd\x80\xcd\x81", "\xcc\x80\xcc\x81", "\xcc\x80\xcc\x81" },
	{ "\xe2\x80\xa6", "...", "..." },
	{ "\xef\xb7\xba", SALLALLAHOU, SALLALLAHOU },
};

/* 2.4 */
static const struct {
	uint32_t code;
	bool ok;
} prohibits[] = {
	{ 0x378, false }, { 0x377, true }, { 0x530, false }, { 0x531, true },
	{ 0x9fa5, true }, { 0x10fff, false }, { 0x1f600, true },
	{ 0x50000, false },		/* unassigned */
	{ 0xdfff + 1, false }, { 0xe000, false }, { 0xf8ff, false },
	{ 0xf900, true }, { 0xf0000, false }, { 0xffffd, false },
	{ 0x100000, false }, { 0x10fffd, false },	/* private use */
	{ 0xfdd0, false }, { 0xfdef, false },
	{ 0xfdf0, true }, { 0xfffe, false }, { 0xffff, false },
	{ 0x1fffe, false }, { 0x1ffff, false }, { 0x2fffe, false },
	{ 0x8ffff, false }, { 0xefffe, false }, { 0xfffff, false },
	{ 0x10fffe, false }, { 0x10ffff, false },	/* no characters */
	{ 0x340, true }, { 0x341, true }, { 0x200e, true }, { 0x202a, true },
	{ 0x206f, true },		/* C.8: gone before they are looked for */
	{ 0xfffd, false }, { 0xfffc, true },
	{ 0x301, true },		/* a mark may stand first */
	{ 0xe0000, false }, { 0xe0002, false }, { 0xe0080, false },
};

#define ACUTE	"\xcc\x81"

/* 2.6.1, trimmed and squeezed; FRAMED is what the RFC has */
static const struct {
	int part;
	const char *text, *prepared, *framed;
} spaces[] = {
	{ W, "", " ", "  " }, { W, " ", " ", "  " }, { W, "    ", " ", "  " },
	{ W, "\t\n", " ", "  " }, { W, "\xc2\xad", " ", "  " },
	{ W, "foo", "foo", " foo " }, { W, " foo ", "foo", " foo " },
	{ W, "foo bar  ", "foo bar", " foo  bar " },
	{ W, "foo   bar", "foo bar", " foo  bar " },
	{ W, "  a b  c ", "a b c", " a  b  c " },
	{ W, "a\xc2\xa0 \xe3\x80\x80" "b", "a b", " a  b " },
	{ W, "a \xc2\xad b", "a b", " a  b " },
	{ W, " " ACUTE, " " ACUTE, "  " ACUTE " " },
	{ W, "\xc2\xb4", " " ACUTE, "  " ACUTE " " },
	{ W, "  \xc2\xb4", " " ACUTE, "  " ACUTE " " },
	{ W, "a\xc2\xb4", "a " ACUTE, " a " ACUTE " " },
	{ W, "a \xc2\xb4", "a  " ACUTE, " a   " ACUTE " " },
	{ W, "a  \xc2\xb4 b", "a  " ACUTE " b", " a   " ACUTE "  b " },
	{ W, "\xc2\xa8\xc2\xaf\xc2\xb8", " \xcc\x88 \xcc\x84 \xcc\xa7",
	    "  \xcc\x88 \xcc\x84 \xcc\xa7 " },
	{ W, "\xc2\xb4 ", " " ACUTE, "  " ACUTE " " },
	{ W, "a \xe2\x83\x9d", "a \xe2\x83\x9d", " a \xe2\x83\x9d " },
	{ W, "a \xe0\xa4\x83", "a \xe0\xa4\x83", " a \xe0\xa4\x83 " },
	{ W, "a \xdb\x9e", "a \xdb\x9e", " a \xdb\x9e " },
	{ W, "a  \xe1\xa2\x85", "a \xe1\xa2\x85", " a  \xe1\xa2\x85 " },
	{ I, "", " ", " " }, { I, " ", " ", " " }, { I, "   ", " ", " " },
	{ I, "foo", "foo", " foo" }, { I, "  foo", "foo", " foo" },
	{ I, "foo bar  ", "foo bar ", " foo  bar " },
	{ I, "foo ", "foo ", " foo " },
	{ I, "\xc2\xb4", " " ACUTE, "  " ACUTE },
	{ I, " \xc2\xb4", " " ACUTE, "  " ACUTE },
	{ I, "a  \xc2\xb4 ", "a  " ACUTE " ", " a   " ACUTE " " },
	{ A, "", " ", " " }, { A, " ", " ", " " }, { A, "   ", " ", " " },
	{ A, "\xe2\x80\x8b", " ", " " },
	{ A, "foo", "foo", "foo" }, { A, "  foo", " foo", " foo" },
	{ A, "foo   ", "foo ", "foo " }, { A, " f  o ", " f o ", " f  o " },
	{ A, "foo bar  ", "foo bar ", "foo  bar " },
	{ A, "\xc2\xb4", " " ACUTE, " " ACUTE },
	{ A, " \xc2\xb4", "  " ACUTE, "  " ACUTE },
	{ A, "   \xc2\xb4 ", "  " ACUTE " ", "  " ACUTE " " },
	{ F, "", " ", " " }, { F, " ", " ", " " }, { F, "   ", " ", " " },
	{ F, "foo", "foo", "foo " }, { F, "foo  ", "foo", "foo " },
	{ F, "  foo", " foo", " foo " },
	{ F, "foo bar  ", "foo bar", "foo  bar " },
	{ F, "\xc2\xb4 ", " " ACUTE, " " ACUTE " " },
	{ F, "  \xc2\xb4", "  " ACUTE, "  " ACUTE " " },
};

/* 2.6.2, 2.6.3 */
static const struct {
	const char *rule;
	int part;
	const char *text, *norm;
} dropped[] = {
	{ "numericStringMatch", W, "  123  456  ", "123456" },
	{ "numericStringMatch", W, "   ", "" },
	{ "numericStringMatch", W, "", "" },
	{ "numericStringMatch", W, "12", "12" },
	{ "numericStringMatch", W, "1-2", E },
	{ "numericStringSubstringsMatch", A, " ", "" },
	{ "numericStringSubstringsMatch", I, " 1 2", "12" },
	{ "numericStringSubstringsMatch", F, "\xef\xbc\x91", "1" },
	{ "numericStringSubstringsMatch", A, "1\xc2\xb4", "1 " ACUTE },
	{ "numericStringSubstringsMatch", A, "A-b", "a-b" },
	{ "numericStringSubstringsMatch", A, "\xee\x80\x80", E },
	{ "telephoneNumberMatch", W, " -123  456 -", "123456" },
	{ "telephoneNumberMatch", W, "---", "" },
	{ "telephoneNumberMatch", W, "+49 30 A-b", "+4930ab" },
	{ "telephoneNumberMatch", W, "+1(2)", "+1(2)" },
	{ "telephoneNumberMatch", W, "1_2", E },
	{ "telephoneNumberSubstringsMatch", A, "1-2", "12" },
	{ "telephoneNumberSubstringsMatch", A, "1\xd6\x8a" "2", "12" },
	{ "telephoneNumberSubstringsMatch", A, "1\xe2\x80\x90" "2", "12" },
	{ "telephoneNumberSubstringsMatch", A, "1\xe2\x80\x91" "2", "12" },
	{ "telephoneNumberSubstringsMatch", A, "1\xe2\x88\x92" "2", "12" },
	{ "telephoneNumberSubstringsMatch", A, "1\xef\xb9\xa3" "2", "12" },
	{ "telephoneNumberSubstringsMatch", A, "1\xef\xbc\x8d" "2", "12" },
	{ "telephoneNumberSubstringsMatch", A, "1\xe2\x80\x92" "2",
	    "1\xe2\x80\x92" "2" },		/* figure dash */
	{ "telephoneNumberSubstringsMatch", A, "1-" ACUTE, "1-" ACUTE },
	{ "telephoneNumberSubstringsMatch", A, "- X", "x" },
	{ "telephoneNumberSubstringsMatch", A, " - ", "" },
};

struct fixture {
	struct arena arena;
};

static int
setup(void **state)
{
	static struct fixture f;

	arena_init(&f.arena, 0);
	*state = &f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	arena_fini(&f->arena);
	return 0;
}

static size_t
put_code(char *out, uint32_t c)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

static void
check_prepared(struct fixture *f, const char *text, bool fold, int part,
    const char *want)
{
	struct slice got, again;
	int rc = schema_prepare(&f->arena, slice_of(text), fold,
	    (enum substr_part)part, &got);

	if (want == NULL) {
		if (rc != HB_ESYNTAX)
			fail_msg("'%s' is prepared", text);
		return;
	}
	if (rc != HB_OK || !slice_is_eq(got, slice_of(want)))
		fail_msg("'%s' (fold %d part %d): '%.*s', not '%s'", text,
		    fold, part, rc == HB_OK ? (int)got.len : 0, got.ptr, want);
	assert_int_equal(schema_prepare(&f->arena, got, fold,
	    (enum substr_part)part, &again), HB_OK);
	assert_true(slice_is_eq(got, again));
}

#define COUNT(a)	(sizeof(a) / sizeof(*(a)))

static void
test_transcode(void **state)
{
	size_t i;

	for (i = 0; i < COUNT(transcode); i++) {
		check_prepared(*state, transcode[i].text, true, W,
		    transcode[i].folded);
		check_prepared(*state, transcode[i].text, false, W,
		    transcode[i].exact);
	}
}

static void
check_mapped(struct fixture *f, uint32_t code, char to)
{
	char text[16] = "a", want[4] = "ab";
	size_t n = 1;

	n += put_code(text + n, code);
	text[n] = 'b';
	if (to != 0)
		memcpy(want, (char[]){ 'a', to, 'b' }, 3);
	check_prepared(f, text, true, W, want);
	check_prepared(f, text, false, W, want);
}

static bool
is_mapped(uint32_t code)
{
	size_t i;

	for (i = 0; i < COUNT(maps); i++)
		if (code >= maps[i].first && code <= maps[i].last)
			return true;
	return false;
}

/* A code point beside a range is not mapped: something stands between. */
static void
check_not_mapped(struct fixture *f, uint32_t code)
{
	char text[16] = "a";
	struct slice got;
	size_t n = 1;

	if (code == 0 || is_mapped(code))
		return;
	n += put_code(text + n, code);
	text[n] = 'b';
	if (schema_prepare(&f->arena, slice_of(text), false, SUBSTR_WHOLE,
	    &got) == HB_OK && (slice_is_eq(got, SLICE("ab")) ||
	    slice_is_eq(got, SLICE("a b"))))
		fail_msg("U+%04X is mapped", code);
}

static void
test_map(void **state)
{
	struct slice got;
	size_t i;
	uint32_t c;

	for (i = 0; i < COUNT(maps); i++) {
		for (c = maps[i].first; c <= maps[i].last; c++)
			check_mapped(*state, c, maps[i].to);
		check_not_mapped(*state, maps[i].first - 1);
		check_not_mapped(*state, maps[i].last + 1);
	}
	assert_int_equal(schema_prepare(&((struct fixture *)*state)->arena,
	    slice("a\0b", 3), true, SUBSTR_WHOLE, &got), HB_OK);
	assert_slice(got, "ab");
}

static void
test_normalise(void **state)
{
	size_t i;

	for (i = 0; i < COUNT(normalise); i++) {
		check_prepared(*state, normalise[i].text, true, W,
		    normalise[i].folded);
		check_prepared(*state, normalise[i].text, false, W,
		    normalise[i].exact);
	}
}

static void
test_prohibit(void **state)
{
	struct fixture *f = *state;
	struct slice got;
	char text[16];
	size_t i, n;
	int rc;

	for (i = 0; i < COUNT(prohibits); i++) {
		memcpy(text, "ab", 2);
		n = put_code(text, prohibits[i].code);
		memcpy(text + n, "B", 2);
		rc = schema_prepare(&f->arena, slice_of(text), i % 2 == 0,
		    SUBSTR_WHOLE, &got);
		if (rc != (prohibits[i].ok ? HB_OK : HB_ESYNTAX))
			fail_msg("U+%04X: %d", prohibits[i].code, rc);
	}
}

static void
test_spaces(void **state)
{
	const struct matching_rule *rule = schema_find_rule(NULL,
	    SLICE("caseIgnoreMatch"));
	struct buf framed;
	size_t i;

	buf_init(&framed);
	for (i = 0; i < COUNT(spaces); i++) {
		check_prepared(*state, spaces[i].text, i % 2 == 0,
		    spaces[i].part, spaces[i].prepared);
		buf_reset(&framed);
		assert_true(schema_frame(rule,
		    (enum substr_part)spaces[i].part,
		    slice_of(spaces[i].prepared), &framed));
		assert_slice(buf_slice(&framed), spaces[i].framed);
	}
	buf_fini(&framed);
}

static void
test_dropped(void **state)
{
	struct fixture *f = *state;
	const struct matching_rule *rule;
	struct slice got;
	struct buf none;
	size_t i;
	int rc;

	buf_init(&none);
	for (i = 0; i < COUNT(dropped); i++) {
		rule = schema_find_rule(NULL, slice_of(dropped[i].rule));
		rc = rule->normalise(NULL, &f->arena,
		    (enum substr_part)dropped[i].part,
		    slice_of(dropped[i].text), &got);
		if (dropped[i].norm == NULL) {
			assert_int_equal(rc, HB_ESYNTAX);
			continue;
		}
		assert_int_equal(rc, HB_OK);
		assert_slice(got, dropped[i].norm);
		assert_false(schema_frame(rule, SUBSTR_ANY, got, &none));
	}
	buf_fini(&none);
}

/* What is normal already is not copied. */
static void
test_no_copy(void **state)
{
	static const char *const same[] = { "foo", "foo bar", "a-b@c.d 1" };
	struct fixture *f = *state;
	struct slice got;
	size_t i;

	for (i = 0; i < COUNT(same); i++) {
		assert_int_equal(schema_prepare(&f->arena, slice_of(same[i]),
		    true, SUBSTR_WHOLE, &got), HB_OK);
		assert_ptr_equal(got.ptr, same[i]);
	}
	assert_int_equal(schema_prepare(&f->arena, SLICE("Foo"), false,
	    SUBSTR_WHOLE, &got), HB_OK);
	assert_string_equal(got.ptr, "Foo");
}

/* Every code point: prepared or refused, and a prepared one is normal. */
static void
test_all_codes(void **state)
{
	struct fixture *f = *state;
	struct slice got, again;
	char text[16];
	uint32_t c;
	size_t n;
	int fold;

	for (c = 0; c <= 0x10ffff; c++) {
		memcpy(text, "x", 1);
		n = 1 + put_code(text + 1, c);
		text[n++] = 'Y';
		for (fold = 0; fold < 2; fold++) {
			if (schema_prepare(&f->arena, slice(text, n), fold,
			    SUBSTR_WHOLE, &got) != HB_OK)
				continue;
			if (schema_prepare(&f->arena, got, fold, SUBSTR_WHOLE,
			    &again) != HB_OK || !slice_is_eq(got, again))
				fail_msg("U+%04X", c);
		}
		arena_reset(&f->arena);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_transcode),
		cmocka_unit_test(test_map),
		cmocka_unit_test(test_normalise),
		cmocka_unit_test(test_prohibit),
		cmocka_unit_test(test_spaces),
		cmocka_unit_test(test_dropped),
		cmocka_unit_test(test_no_copy),
		cmocka_unit_test(test_all_codes),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
