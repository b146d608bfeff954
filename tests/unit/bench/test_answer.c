/* Answers taken apart. */
#include "bench_test.h"

#include "../../../servers/slapd/tools/bench/answer.h"
#include "proto.h"

static void
results(void **state)
{
	const struct ldap_result_text res = { LDAP_INVALID_CREDENTIALS,
	    SLICE("o=x"), SLICE("no such luck"), NULL, 0 };
	struct answer_result r;
	struct answer a;
	struct buf out;

	(void)state;
	buf_init(&out);
	ldap_encode_result(&out, 300, LDAP_TAG_MODIFY_RESPONSE, &res, NULL, 0);
	assert_int_equal(answer_read(buf_slice(&out), &a), HB_OK);
	assert_true(a.id == 300 && a.tag == LDAP_TAG_MODIFY_RESPONSE);
	assert_int_equal(answer_result(a.body, &r), HB_OK);
	assert_true(r.code == 49 && slice_is_eq(r.matched, SLICE("o=x")) &&
	    slice_is_eq(r.text, SLICE("no such luck")));
	buf_reset(&out);
	ldap_encode_extended(&out, 0, &res,
	    SLICE(LDAP_OID_NOTICE_OF_DISCONNECTION), SLICE_NONE, NULL, 0);
	assert_int_equal(answer_read(buf_slice(&out), &a), HB_OK);
	assert_int_equal(answer_result(a.body, &r), HB_OK);
	assert_true(a.id == 0 && slice_is_eq(r.oid,
	    SLICE(LDAP_OID_NOTICE_OF_DISCONNECTION)));
	buf_fini(&out);
}

#define BAD(lit)	{ lit, sizeof(lit) - 1, HB_EENCODING }
#define GOOD(lit)	{ lit, sizeof(lit) - 1, HB_OK }

static void
messages(void **state)
{
	static const struct {
		const char *octets;
		size_t len;
		int rc;
	} cases[] = {
		GOOD("\x30\x05\x02\x01\x05\x65\x00"),
		/* with controls */
		GOOD("\x30\x07\x02\x01\x05\x65\x00\xa0\x00"),
		BAD(""), BAD("\x30\x00"), BAD("\x30\x03\x02\x01\x05"),
		BAD("\x31\x05\x02\x01\x05\x65\x00"),
		/* a negative ID, no integer, an operation cut off */
		BAD("\x30\x05\x02\x01\xff\x65\x00"),
		BAD("\x30\x05\x04\x01\x05\x65\x00"),
		BAD("\x30\x05\x02\x01\x05\x65\x01"),
		/* something after the message, and after the controls */
		BAD("\x30\x05\x02\x01\x05\x65\x00\x00"),
		BAD("\x30\x09\x02\x01\x05\x65\x00\xa0\x00\xa0\x00"),
	};
	struct answer a;
	size_t i;

	(void)state;
	for (i = 0; i < N(cases); i++)
		if (answer_read(slice(cases[i].octets, cases[i].len), &a) !=
		    cases[i].rc)
			fail_msg("case %zu", i);
}

static void
bodies(void **state)
{
	static const struct {
		const char *octets;
		size_t len;
		int rc;
	} cases[] = {
		GOOD("\x0a\x01\x00\x04\x00\x04\x00"),
		GOOD("\x0a\x01\x00\x04\x00\x04\x00\x87\x01x"),
		BAD(""), BAD("\x0a\x01\x00"), BAD("\x0a\x01\x00\x04\x00"),
		BAD("\x02\x01\x00\x04\x00\x04\x00"),
		BAD("\x0a\x01\x00\x04\x00\x04\x01"),
		BAD("\x0a\x01\x00\x04\x00\x04\x00\x87\x02x"),
		BAD("\x0a\x00\x04\x00\x04\x00"),
	};
	struct answer_result r;
	size_t i;

	(void)state;
	for (i = 0; i < N(cases); i++)
		if (answer_result(slice(cases[i].octets, cases[i].len), &r) !=
		    cases[i].rc)
			fail_msg("case %zu", i);
}

static void
entries(void **state)
{
	static const char body[] = "\x04\x03o=x\x30\x19"
	    "\x30\x0b\x04\x02sn\x31\x05\x04\x03one"
	    "\x30\x0a\x04\x04\x6d\x61il\x31\x02\x04\x00";
	static const char *const sn[] = { "SN", "mail", NULL };
	static const char *const more[] = { "sn", "cn", NULL };
	const char *missing = NULL;
	struct slice dn, attrs;

	(void)state;
	assert_int_equal(answer_entry(slice(body, sizeof body - 1), &dn,
	    &attrs), HB_OK);
	assert_true(slice_is_eq(dn, SLICE("o=x")));
	assert_int_equal(answer_attrs(attrs, sn, &missing), HB_OK);
	assert_int_equal(answer_attrs(attrs, more, &missing), HB_ENOENT);
	assert_string_equal(missing, "cn");
	/* an attribute without values (typesOnly) is not there */
	assert_int_equal(answer_attrs(slice("\x30\x06\x04\x02sn\x31\x00", 8),
	    sn, &missing), HB_ENOENT);
	assert_int_equal(answer_attrs(slice("\x30\x06\x04\x02sn\x31\x01", 8),
	    sn, &missing), HB_EENCODING);
	assert_int_equal(answer_entry(slice(body, sizeof body - 2), &dn,
	    &attrs), HB_EENCODING);
	assert_int_equal(answer_entry(slice(body, 5), &dn, &attrs),
	    HB_EENCODING);
}

static void
names(void **state)
{
	static const struct {
		const char *a, *b;
		bool eq;
	} cases[] = {
		{ "", "", true }, { "cn=a", "CN=A", true },
		{ "cn=a,o=b", "cn=a, o=b", true },
		{ "cn=a,   o=b", "CN=a,o=B", true },
		{ "cn=a", "cn=ab", false }, { "cn=ab", "cn=a", false },
		{ "cn=a,o=b", "cn=a,o=c", false }, { "cn=a b", "cn=ab", false },
		{ "cn=a,", "cn=a", false }, { "", "o=b", false },
		{ "cn=1,o=b", "cn=1o=b", false }, { "cn=@", "cn=`", false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < N(cases); i++)
		if (answer_dn_is_eq(slice_of(cases[i].a),
		    slice_of(cases[i].b)) != cases[i].eq)
			fail_msg("%s, %s", cases[i].a, cases[i].b);
}

static void
codes(void **state)
{
	char n[ANSWER_NAME_MAX];

	(void)state;
	assert_string_equal(answer_code_name(0, n), "success");
	assert_string_equal(answer_code_name(49, n), "invalidCredentials");
	assert_string_equal(answer_code_name(5, n), "compareFalse");
	assert_string_equal(answer_code_name(34, n), "invalidDNSyntax");
	assert_string_equal(answer_code_name(67, n), "notAllowedOnRDN");
	assert_string_equal(answer_code_name(12345, n), "not a standard code");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results),
		cmocka_unit_test(messages),
		cmocka_unit_test(bodies),
		cmocka_unit_test(entries),
		cmocka_unit_test(names),
		cmocka_unit_test(codes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
