/* Values: normal forms, orders, matches. */
#include "schema_test.h"
#include "util/text.h"

struct fixture {
	struct schema *schema;
	struct arena arena;
};

static int
setup(void **state)
{
	static struct fixture f;

	f.schema = schema_new();
	arena_init(&f.arena, 0);
	*state = &f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	schema_free(&f->schema);
	arena_fini(&f->arena);
	return 0;
}

static const struct {
	const char *rule;
	enum substr_part part;
	const char *value, *norm;	/* NULL: HB_ESYNTAX */
} norms[] = {
	{ "caseIgnoreMatch", SUBSTR_WHOLE, "  Foo   BAR ", "foo bar" },
	{ "caseIgnoreMatch", SUBSTR_WHOLE, "foo bar", "foo bar" },
	{ "caseIgnoreMatch", SUBSTR_WHOLE, "   ", " " },
	{ "caseIgnoreMatch", SUBSTR_WHOLE, "", " " },
	{ "caseIgnoreMatch", SUBSTR_WHOLE, "a\tb\n c", "a b c" },
	{ "caseIgnoreMatch", SUBSTR_WHOLE, "a\x01" "b\x7f", "ab" },
	{ "caseIgnoreMatch", SUBSTR_WHOLE, "\xc3\x84RGER", "\xc3\xa4rger" },
	{ "caseIgnoreMatch", SUBSTR_WHOLE, "A\xcc\x88rger", "\xc3\xa4rger" },
	{ "caseIgnoreMatch", SUBSTR_WHOLE, "Stra\xc3\x9f" "e", "strasse" },
	{ "caseIgnoreMatch", SUBSTR_WHOLE, "a\xc2\xa0\xe3\x80\x80" "b", "a b" },
	{ "caseIgnoreMatch", SUBSTR_WHOLE, "a\xc2\xad" "b", "ab" },
	{ "caseIgnoreMatch", SUBSTR_WHOLE, "\xef\xac\x81x", "fix" },
	{ "caseIgnoreMatch", SUBSTR_WHOLE, "\xd0\x96", "\xd0\xb6" },
	{ "caseIgnoreMatch", SUBSTR_WHOLE, "\xe4\xb8\xad", "\xe4\xb8\xad" },
	{ "caseIgnoreMatch", SUBSTR_WHOLE, "\xea\xb0\x80\xe1\x86\xa8",
	    "\xea\xb0\x81" },	/* a syllable and its last letter */
	{ "caseIgnoreMatch", SUBSTR_WHOLE, "\xc4\xb0X", "i\xcc\x87x" },
	{ "caseIgnoreMatch", SUBSTR_WHOLE, " \xc3\x9c  \xce\x91 ",
	    "\xc3\xbc \xce\xb1" },
	{ "caseIgnoreMatch", SUBSTR_WHOLE, "\xc0\x80", NULL },
	{ "caseIgnoreMatch", SUBSTR_WHOLE, "a\xff", NULL },
	{ "caseExactMatch", SUBSTR_WHOLE, " Foo  B ", "Foo B" },
	{ "caseExactMatch", SUBSTR_WHOLE, "\xc3\x84", "\xc3\x84" },
	{ "caseIgnoreSubstringsMatch", SUBSTR_INITIAL, "  A ", "a " },
	{ "caseIgnoreSubstringsMatch", SUBSTR_ANY, "  A  ", " a " },
	{ "caseIgnoreSubstringsMatch", SUBSTR_FINAL, "  A ", " a" },
	{ "caseIgnoreSubstringsMatch", SUBSTR_ANY, "   ", " " },
	{ "caseIgnoreSubstringsMatch", SUBSTR_FINAL, "   ", " " },
	{ "caseIgnoreIA5Match", SUBSTR_WHOLE, "A@B.C", "a@b.c" },
	{ "caseIgnoreIA5Match", SUBSTR_WHOLE, "\xc3\xa4", NULL },
	{ "caseExactIA5Match", SUBSTR_WHOLE, " /Home/ A", "/Home/ A" },
	{ "numericStringMatch", SUBSTR_WHOLE, " 1 2 3 ", "123" },
	{ "numericStringMatch", SUBSTR_WHOLE, "1a", NULL },
	{ "telephoneNumberMatch", SUBSTR_WHOLE, "+49 30-1 X2", "+49301x2" },
	{ "telephoneNumberSubstringsMatch", SUBSTR_ANY, " 30 1", "301" },
	{ "caseIgnoreListMatch", SUBSTR_WHOLE, " A  b $ C", "a b$c" },
	{ "caseIgnoreListMatch", SUBSTR_WHOLE, "a\\24b\\5Cc", "a\xfe" "b\xfd" "c" },
	{ "caseIgnoreListMatch", SUBSTR_WHOLE, " \xc3\x84 $$\\5C24",
	    "\xc3\xa4$ $\xfd" "24" },
	{ "caseIgnoreListSubstringsMatch", SUBSTR_INITIAL, "A $ B ",
	    "a \xfe b " },
	{ "caseIgnoreListSubstringsMatch", SUBSTR_ANY, "\\24", "\xfd" "24" },
	{ "caseIgnoreListSubstringsMatch", SUBSTR_ANY, " A ", " a " },
	{ "booleanMatch", SUBSTR_WHOLE, "TRUE", "TRUE" },
	{ "booleanMatch", SUBSTR_WHOLE, "yes", NULL },
	{ "integerMatch", SUBSTR_WHOLE, "-12", "-12" },
	{ "integerMatch", SUBSTR_WHOLE, "x", NULL },
	{ "bitStringMatch", SUBSTR_WHOLE, "'01'B", "'01'B" },
	{ "objectIdentifierMatch", SUBSTR_WHOLE, "TOP", "2.5.6.0" },
	{ "objectIdentifierMatch", SUBSTR_WHOLE, "commonName", "2.5.4.3" },
	{ "objectIdentifierMatch", SUBSTR_WHOLE, "2.5.6.0", "2.5.6.0" },
	{ "objectIdentifierMatch", SUBSTR_WHOLE, "Unknown", "unknown" },
	{ "objectIdentifierMatch", SUBSTR_WHOLE, "a b", NULL },
	{ "generalizedTimeMatch", SUBSTR_WHOLE, "20261201002412Z",
	    "20261201002412Z" },
	{ "generalizedTimeMatch", SUBSTR_WHOLE, "20261201002412.500Z",
	    "20261201002412.5Z" },
	{ "generalizedTimeMatch", SUBSTR_WHOLE, "20261201002412.000Z",
	    "20261201002412Z" },
	{ "generalizedTimeMatch", SUBSTR_WHOLE, "2026120100.5Z",
	    "20261201003000Z" },
	{ "generalizedTimeMatch", SUBSTR_WHOLE, "202612010000,51Z",
	    "20261201000030.6Z" },
	{ "generalizedTimeMatch", SUBSTR_WHOLE, "20261201002412,5000Z",
	    "20261201002412.5Z" },
	{ "generalizedTimeMatch", SUBSTR_WHOLE, "2026120100.1234567890123456Z",
	    "20261201000724.44444044444416Z" },
	{ "generalizedTimeMatch", SUBSTR_WHOLE, "2026120100.99999999999999Z",
	    "20261201005959.999999999964Z" },
	{ "generalizedTimeMatch", SUBSTR_WHOLE, "202612010000.999999999999999Z",
	    "20261201000059.99999999999994Z" },
	{ "generalizedTimeMatch", SUBSTR_WHOLE, "2026120100.000Z",
	    "20261201000000Z" },
	{ "generalizedTimeMatch", SUBSTR_WHOLE, "20261231235960Z",
	    "20261231235960Z" },
	{ "generalizedTimeMatch", SUBSTR_WHOLE, "20270101005960+01",
	    "20261231235960Z" },
	{ "generalizedTimeMatch", SUBSTR_WHOLE, "20261231233015-0030",
	    "20270101000015Z" },
	{ "generalizedTimeMatch", SUBSTR_WHOLE, "20240301001500+0030",
	    "20240229234500Z" },
	{ "generalizedTimeMatch", SUBSTR_WHOLE, "20261201002412-0000",
	    "20261201002412Z" },
	{ "generalizedTimeMatch", SUBSTR_WHOLE, "2026010100+0130",
	    "20251231223000Z" },
	{ "generalizedTimeMatch", SUBSTR_WHOLE, "20240228233000-01",
	    "20240229003000Z" },
	{ "generalizedTimeMatch", SUBSTR_WHOLE, "0000010100+01", NULL },
	{ "CSNMatch", SUBSTR_WHOLE, "20061201103000Z#00000A#0B#000000",
	    "20061201103000.000000Z#00000a#00b#000000" },
	{ "CSNMatch", SUBSTR_WHOLE, "20261201103000.123456Z#0000AB#001#000000",
	    "20261201103000.123456Z#0000ab#001#000000" },
	{ "integerFirstComponentMatch", SUBSTR_WHOLE, "( 7 NAME 'x' )", "7" },
	{ "objectIdentifierFirstComponentMatch", SUBSTR_WHOLE,
	    "( 2.5.4.3 NAME 'cn' )", "2.5.4.3" },
	{ "objectIdentifierFirstComponentMatch", SUBSTR_WHOLE, "cn",
	    "2.5.4.3" },
	{ "octetStringMatch", SUBSTR_WHOLE, " A ", " A " },
	{ "directoryStringFirstComponentMatch", SUBSTR_WHOLE, "( A NAME 'x' )",
	    "a" },
	{ "wordMatch", SUBSTR_WHOLE, " Foo ", "foo" },
	{ "storedPrefixMatch", SUBSTR_WHOLE, "Foo  Bar", "foo bar" },
	{ "bitStringMatch", SUBSTR_WHOLE, "'010'B", "'010'B" },
	{ "uniqueMemberMatch", SUBSTR_WHOLE, "CN=a#'01'B", "cn=a#'01'B" },
	{ "uniqueMemberMatch", SUBSTR_WHOLE, "cn=a#b", "cn=a#b" },
};

static void
test_norms(void **state)
{
	struct fixture *f = *state;
	const struct matching_rule *r;
	struct slice norm, again;
	unsigned i;
	int rc;

	for (i = 0; i < sizeof(norms) / sizeof(*norms); i++) {
		r = schema_find_rule(f->schema, slice_of(norms[i].rule));
		assert_non_null(r);
		rc = r->normalise(f->schema, &f->arena, norms[i].part,
		    slice_of(norms[i].value), &norm);
		if (norms[i].norm == NULL) {
			assert_int_equal(rc, HB_ESYNTAX);
			continue;
		}
		assert_int_equal(rc, HB_OK);
		assert_slice(norm, norms[i].norm);
		rc = r->normalise(f->schema, &f->arena, norms[i].part, norm,
		    &again);
		assert_int_equal(rc, HB_OK);
		assert_slice(again, norms[i].norm);
	}
}

static void
test_uuid(void **state)
{
	struct fixture *f = *state;
	struct slice norm;

	assert_int_equal(schema_norm_value(f->schema, &f->arena,
	    schema_builtin(f->schema, "entryUUID"),
	    SLICE("597AE2F6-16a6-1027-98f4-d28b5365dc14"), &norm), HB_OK);
	assert_int_equal(norm.len, 16);
	assert_memory_equal(norm.ptr, "\x59\x7a\xe2\xf6\x16\xa6\x10\x27"
	    "\x98\xf4\xd2\x8b\x53\x65\xdc\x14", 16);
}

/* In ascending order; order keys must agree with compare. */
static const char *const integers[] = {
	"-100000000000000000000", "-101", "-100", "-20", "-2", "-1", "0", "1",
	"2", "9", "10", "99", "100", "100000000000000000000", NULL
};
static const char *const times[] = {
	"20251231235959Z", "20251231235959.25Z", "20251231235959.5Z",
	"20260101000000Z", NULL
};

static void
check_order(struct fixture *f, const char *rule, const char *const *list)
{
	const struct matching_rule *r;
	struct buf a, b;
	unsigned i, j;
	int want, got;

	r = schema_find_rule(f->schema, slice_of(rule));
	buf_init(&a);
	buf_init(&b);
	for (i = 0; list[i] != NULL; i++) {
		for (j = 0; list[j] != NULL; j++) {
			buf_reset(&a);
			buf_reset(&b);
			r->order_key(slice_of(list[i]), &a);
			r->order_key(slice_of(list[j]), &b);
			want = (i > j) - (i < j);
			got = slice_cmp(buf_slice(&a), buf_slice(&b));
			assert_int_equal((got > 0) - (got < 0), want);
			got = r->compare(slice_of(list[i]),
			    slice_of(list[j]));
			assert_int_equal((got > 0) - (got < 0), want);
		}
	}
	buf_fini(&a);
	buf_fini(&b);
}

static void
test_orders(void **state)
{
	check_order(*state, "integerOrderingMatch", integers);
	check_order(*state, "integerMatch", integers);
	check_order(*state, "generalizedTimeOrderingMatch", times);
}

static const struct {
	const char *rule, *stored, *asserted;
	bool match;
} matches[] = {
	{ "integerBitAndMatch", "7", "5", true },
	{ "integerBitAndMatch", "4", "5", false },
	{ "integerBitAndMatch", "-2147483646", "2147483648", true },
	{ "integerBitOrMatch", "4", "5", true },
	{ "integerBitOrMatch", "2", "5", false },
	{ "integerBitAndMatch", "-1", "18446744073709551615", true },
	{ "integerBitAndMatch", "18446744073709551615", "-1", false },
	{ "integerBitAndMatch", "-1", "-1", true },
	{ "integerBitAndMatch", "-8", "-4", false },
	{ "integerBitAndMatch", "-4", "-8", true },
	{ "integerBitAndMatch", "0", "0", true },
	{ "integerBitAndMatch", "-3", "1", true },
	{ "integerBitAndMatch", "-3", "2", false },
	{ "integerBitAndMatch", "340282366920938463463374607431768211456",
	    "340282366920938463463374607431768211456", true },
	{ "integerBitAndMatch", "340282366920938463463374607431768211455",
	    "340282366920938463463374607431768211456", false },
	{ "integerBitAndMatch", "340282366920938463463374607431768211455",
	    "36893488147419103233", true },
	{ "integerBitAndMatch", "-340282366920938463463374607431768211456",
	    "340282366920938463463374607431768211455", false },
	{ "integerBitAndMatch", "-340282366920938463463374607431768211455",
	    "1", true },
	{ "integerBitOrMatch", "-4294967296", "4294967295", false },
	{ "integerBitOrMatch", "-4294967296", "4294967296", true },
	{ "integerBitOrMatch", "-1", "1", true },
	{ "integerBitOrMatch", "-2", "-2", true },
	{ "integerBitOrMatch", "0", "-1", false },
	{ "integerBitOrMatch", "340282366920938463463374607431768211456",
	    "-1", true },
	{ "wordMatch", "One two-Three", "two", true },
	{ "wordMatch", "One two-Three", "three", true },
	{ "wordMatch", "One two-Three", "thre", false },
	{ "wordMatch", "One two", "one two", false },
	{ "wordMatch", "\xc3\x84rger im B\xc3\xbcro", "\xc3\xa4rger", true },
	{ "wordMatch", "One", "--", false },
	{ "keywordMatch", "One two-Three", "two three", true },
	{ "keywordMatch", "One two-Three", "one two three", true },
	{ "keywordMatch", "One two-Three", "one three", false },
	{ "keywordMatch", "One two-Three", "two", true },
	{ "keywordMatch", "One two-Three", "--", false },
	{ "storedPrefixMatch", "Foo", "foobar", true },
	{ "storedPrefixMatch", "Foo  Bar", "foo bar x", true },
	{ "storedPrefixMatch", "foobar", "foo", false },
	{ "storedPrefixMatch", "bar", "foobar", false },
	{ "dnSubtreeMatch", "cn=a,dc=x", "dc=x", true },
	{ "dnSubtreeMatch", "dc=x", "dc=x", true },
	{ "dnSubtreeMatch", "cn=adc=x", "dc=x", false },
	{ "dnSubtreeMatch", "dc=x", "", true },
	{ "dnOneLevelMatch", "cn=a,dc=x", "dc=x", true },
	{ "dnOneLevelMatch", "cn=b,cn=a,dc=x", "dc=x", false },
	{ "dnOneLevelMatch", "dc=x", "dc=x", false },
	{ "dnOneLevelMatch", "dc=x", "", true },
	{ "dnSubordinateMatch", "cn=a,dc=x", "dc=x", true },
	{ "dnSubordinateMatch", "dc=x", "dc=x", false },
	{ "dnSuperiorMatch", "dc=x", "cn=a,dc=x", true },
	{ "dnSuperiorMatch", "dc=x", "dc=x", false },
	{ "CSNSIDMatch", "20261201103000.123456Z#000000#00a#000000", "00a",
	    true },
	{ "CSNSIDMatch", "20261201103000.123456Z#000000#00a#000000", "00b",
	    false },
	{ "directoryStringApproxMatch", "john smith", "jon smyth", true },
	{ "directoryStringApproxMatch", "john q smith", "john smith", true },
	{ "directoryStringApproxMatch", "john smith", "smith john", false },
	{ "directoryStringApproxMatch", "john smith", "j smith", true },
	{ "directoryStringApproxMatch", "john smith", "k smith", false },
	{ "directoryStringApproxMatch", "philip", "filip", true },
	{ "directoryStringApproxMatch", "katherine", "catherine", true },
	{ "directoryStringApproxMatch", "miller", "mueller", true },
	{ "directoryStringApproxMatch", "barbara", "robert", false },
	{ "directoryStringApproxMatch", "room 42", "room 43", false },
	{ "directoryStringApproxMatch", "a", "--", false },
	{ "IA5StringApproxMatch", "knight", "night", true },
};

static void
test_matches(void **state)
{
	struct fixture *f = *state;
	const struct matching_rule *r;
	unsigned i;

	for (i = 0; i < sizeof(matches) / sizeof(*matches); i++) {
		r = schema_find_rule(f->schema, slice_of(matches[i].rule));
		if (r->match(f->schema, slice_of(matches[i].stored),
		    slice_of(matches[i].asserted)) != matches[i].match)
			fail_msg("%s: '%s' '%s'", matches[i].rule,
			    matches[i].stored, matches[i].asserted);
	}
}

static const struct {
	const char *attr, *value, *says;	/* NULL: HB_OK */
} checks[] = {
	{ "uidNumber", "12", NULL },
	{ "uidNumber", "12x", "uidNumber: value is not an integer" },
	{ "cn", "", "cn: value is empty" },
	{ "cn", "\xff", "cn: value is not well-formed UTF-8" },
	{ "createTimestamp", "now",
	    "createTimestamp: value is not a time like 20261231235959Z" },
	{ "userPassword", "", NULL },
	{ "authzTo", "{0}dn:cn=x", NULL },
	{ "authzTo", "{0}u:", "authzTo: value is not an authorization rule "
	    "like 'dn:..', 'u:..' or a URL" },
};

static void
test_checks(void **state)
{
	struct fixture *f = *state;
	struct diag diag;
	unsigned i;
	int rc;

	for (i = 0; i < sizeof(checks) / sizeof(*checks); i++) {
		diag_clear(&diag);
		rc = schema_check_value(f->schema,
		    schema_builtin(f->schema, checks[i].attr),
		    slice_of(checks[i].value), &diag);
		assert_int_equal(rc, checks[i].says == NULL ? HB_OK :
		    HB_ESYNTAX);
		assert_string_equal(diag.text, checks[i].says == NULL ? "" :
		    checks[i].says);
	}
}

/* Values without a rule, with an order prefix; assertions of another syntax. */
static void
test_norm_value(void **state)
{
	struct fixture *f = *state;
	struct slice norm, v = SLICE(" A ");
	const struct matching_rule *r;

	assert_int_equal(schema_norm_value(f->schema, &f->arena,
	    schema_builtin(f->schema, "altServer"), v, &norm), HB_OK);
	assert_ptr_equal(norm.ptr, v.ptr);
	assert_int_equal(schema_norm_value(f->schema, &f->arena,
	    schema_builtin(f->schema, "authzTo"), SLICE("{12}dn:a"), &norm),
	    HB_OK);
	assert_slice(norm, "dn:a");
	r = schema_find_rule(f->schema, SLICE("integerMatch"));
	assert_int_equal(schema_norm_assertion(f->schema, &f->arena, r,
	    SUBSTR_WHOLE, SLICE("1x"), &norm), HB_ESYNTAX);
	r = schema_find_rule(f->schema, SLICE("caseIgnoreMatch"));
	/* RFC 4517 3.3.6: a Directory String has a character */
	assert_int_equal(schema_norm_assertion(f->schema, &f->arena, r,
	    SUBSTR_WHOLE, SLICE(""), &norm), HB_ESYNTAX);
	assert_true(schema_rule_applies(r,
	    schema_find_type(f->schema, SLICE("cn"))));
	assert_false(schema_rule_applies(r,
	    schema_find_type(f->schema, SLICE("uidNumber"))));
	r = schema_find_rule(f->schema, SLICE("caseIgnoreIA5Match"));
	assert_false(schema_rule_applies(r,
	    schema_find_type(f->schema, SLICE("cn"))));
	r = schema_find_rule(f->schema, SLICE("objectIdentifierMatch"));
	assert_int_equal(schema_norm_assertion(f->schema, &f->arena, r,
	    SUBSTR_WHOLE, SLICE("nosuchname"), &norm), HB_ESYNTAX);
	assert_int_equal(schema_norm_assertion(f->schema, &f->arena, r,
	    SUBSTR_WHOLE, SLICE("1.2.3.99"), &norm), HB_OK);
}

/* A value that RFC 4518 2.4 prohibits: kept, told from others, not asserted. */
static void
test_prohibited(void **state)
{
	static const char *const bad[] = {
		"a\xee\x80\x80", "\xef\xbf\xbd", "\xcd\xb8 b",
		"x\xf3\xb0\x80\x80", "A\xef\xb7\x90"
	};
	struct fixture *f = *state;
	const struct attr_desc *cn = schema_builtin(f->schema, "cn");
	struct slice norm, again;
	unsigned i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(schema_check_value(f->schema, cn,
		    slice_of(bad[i]), NULL), HB_OK);
		assert_int_equal(schema_norm_value(f->schema, &f->arena, cn,
		    slice_of(bad[i]), &norm), HB_OK);
		assert_int_equal(norm.len, strlen(bad[i]) + 1);
		assert_memory_equal(norm.ptr, "\xff", 1);
		assert_memory_equal(norm.ptr + 1, bad[i], norm.len - 1);
		assert_true(schema_is_prohibited(cn->type->equality, norm));
		assert_int_equal(schema_norm_assertion(f->schema, &f->arena,
		    cn->type->equality, SUBSTR_WHOLE, slice_of(bad[i]),
		    &norm), HB_ESYNTAX);
		assert_int_equal(schema_norm_assertion(f->schema, &f->arena,
		    cn->type->substr, SUBSTR_ANY, slice_of(bad[i]), &norm),
		    HB_ESYNTAX);
	}
	assert_int_equal(schema_norm_value(f->schema, &f->arena, cn,
	    SLICE("a\xff"), &norm), HB_ESYNTAX);
	assert_int_equal(schema_norm_value(f->schema, &f->arena,
	    schema_builtin(f->schema, "userPassword"), SLICE("\xff"), &norm),
	    HB_OK);
	assert_int_equal(norm.len, 1);
	assert_false(schema_is_prohibited(schema_find_rule(f->schema,
	    SLICE("octetStringMatch")), norm));
	assert_int_equal(schema_norm_value(f->schema, &f->arena, cn,
	    SLICE("\xf0\x9f\x98\x80"), &again), HB_OK);
	assert_slice(again, "\xf0\x9f\x98\x80");
}

/* Long runs of combining marks must not cost their square. */
static void
test_many_marks(void **state)
{
	enum { N = 50000 };
	struct fixture *f = *state;
	struct slice norm;
	struct buf b;
	unsigned i;
	int64_t start = time_mono_us();

	buf_init(&b);
	buf_put_char(&b, 'q');
	for (i = 0; i < N; i++)
		buf_put_str(&b, i % 2 == 0 ? "\xcc\x81" : "\xcc\xa3");
	assert_int_equal(schema_prepare(&f->arena, buf_slice(&b), true,
	    SUBSTR_WHOLE, &norm), HB_OK);
	assert_int_equal(norm.len, 1 + 2 * N);
	assert_memory_equal(norm.ptr, "q\xcc\xa3", 3);
	assert_true(time_mono_us() - start < 5000000);
	buf_fini(&b);
}

static void
test_limit(void **state)
{
	struct fixture *f = *state;
	struct arena small;
	struct slice norm;

	arena_init(&small, 1);
	assert_int_equal(schema_prepare(&small, SLICE("ABC"), true,
	    SUBSTR_WHOLE, &norm), HB_ELIMIT);
	assert_int_equal(schema_prepare(&small, SLICE("\xc3\x84"), true,
	    SUBSTR_WHOLE, &norm), HB_ELIMIT);
	assert_int_equal(schema_norm_value(f->schema, &small,
	    schema_builtin(f->schema, "createTimestamp"),
	    SLICE("2026010100+01"), &norm), HB_ELIMIT);
	arena_fini(&small);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_norms),
		cmocka_unit_test(test_uuid),
		cmocka_unit_test(test_orders),
		cmocka_unit_test(test_matches),
		cmocka_unit_test(test_checks),
		cmocka_unit_test(test_norm_value),
		cmocka_unit_test(test_prohibited),
		cmocka_unit_test(test_many_marks),
		cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
