/* Responses, octet by octet, and large ones read back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "proto.h"

#define N(a)		(sizeof(a) / sizeof((a)[0]))
#define IS(b, lit)	assert_true(slice_is_eq(buf_slice(b), SLICE(lit)))

static struct buf out;

static int
setup(void **state)
{
	(void)state;
	buf_init(&out);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	buf_fini(&out);
	return 0;
}

static void
result(void **state)
{
	const struct slice refs[] = { SLICE("ldap://a"), SLICE("ldap://b") };
	struct ldap_result_text res = { .code = LDAP_SUCCESS };

	(void)state;
	ldap_encode_result(&out, 1, LDAP_TAG_BIND_RESPONSE, &res, NULL, 0);
	IS(&out, "0\x0c\x02\x01\x01" "a\x07\x0a\x01\x00\x04\x00\x04\x00");
	buf_reset(&out);
	res = (struct ldap_result_text){ LDAP_REFERRAL, SLICE("dc=x"),
	    SLICE("go"), refs, 2 };
	ldap_encode_result(&out, 300, LDAP_TAG_SEARCH_DONE, &res, NULL, 0);
	IS(&out, "0\x29\x02\x02\x01\x2c" "e\x23\x0a\x01\x0a\x04\x04" "dc=x"
	    "\x04\x02go\xa3\x14\x04\x08ldap://a\x04\x08ldap://b");
	buf_reset(&out);
	res = (struct ldap_result_text){ .code = LDAP_NO_OPERATION };
	ldap_encode_result(&out, 1, LDAP_TAG_DEL_RESPONSE, &res, NULL, 0);
	IS(&out, "0\x0d\x02\x01\x01k\x08\x0a\x02\x41\x0e\x04\x00\x04\x00");
}

static void
with_controls(void **state)
{
	const struct ldap_control controls[] = {
		{ SLICE("1.1"), false, SLICE_NONE },
		{ SLICE("1.2"), true, SLICE("") },
	};
	struct ldap_result_text res = { .code = LDAP_SUCCESS };

	(void)state;
	ldap_encode_result(&out, 1, LDAP_TAG_ADD_RESPONSE, &res, controls, 2);
	IS(&out, "0\x21\x02\x01\x01i\x07\x0a\x01\x00\x04\x00\x04\x00"
	    "\xa0\x13\x30\x05\x04\x03" "1.1"
	    "\x30\x0a\x04\x03" "1.2\x01\x01\xff\x04\x00");
}

static void
bind_and_extended(void **state)
{
	struct ldap_result_text res = { .code = LDAP_SASL_BIND_IN_PROGRESS };

	(void)state;
	ldap_encode_bind(&out, 1, &res, SLICE("xy"), NULL, 0);
	IS(&out, "0\x10\x02\x01\x01" "a\x0b\x0a\x01\x0e\x04\x00\x04\x00"
	    "\x87\x02xy");
	buf_reset(&out);
	ldap_encode_bind(&out, 1, &res, SLICE_NONE, NULL, 0);
	IS(&out, "0\x0c\x02\x01\x01" "a\x07\x0a\x01\x0e\x04\x00\x04\x00");
	buf_reset(&out);
	res.code = LDAP_PROTOCOL_ERROR;
	ldap_encode_extended(&out, 0, &res,
	    SLICE(LDAP_OID_NOTICE_OF_DISCONNECTION), SLICE_NONE, NULL, 0);
	IS(&out, "0\x24\x02\x01\x00x\x1f\x0a\x01\x02\x04\x00\x04\x00"
	    "\x8a\x16" "1.3.6.1.4.1.1466.20036");
	buf_reset(&out);
	ldap_encode_extended(&out, 1, &res, SLICE_NONE, SLICE("v"), NULL, 0);
	IS(&out, "0\x0f\x02\x01\x01x\x0a\x0a\x01\x02\x04\x00\x04\x00"
	    "\x8b\x01v");
}

static void
reference(void **state)
{
	const struct slice urls[] = { SLICE("ldap://a") };

	(void)state;
	ldap_encode_reference(&out, 1, urls, 1, NULL, 0);
	IS(&out, "0\x0f\x02\x01\x01s\x0a\x04\x08ldap://a");
}

/* Read the entry in OUT from AT on and compare it. */
static void
check_entry(size_t at, int32_t id, struct slice dn, struct slice attrs,
    bool has_controls)
{
	struct ber_reader r, msg, op;

	ber_reader_init(&r, slice_skip(buf_slice(&out), at));
	msg = ber_enter(&r, BER_SEQUENCE);
	assert_true(ber_get_int(&msg, BER_INTEGER) == id);
	op = ber_enter(&msg, LDAP_TAG_SEARCH_ENTRY);
	assert_true(slice_is_eq(ber_get_octets(&op, BER_OCTETS), dn));
	assert_true(slice_is_eq(ber_get_octets(&op, BER_SEQUENCE), attrs));
	ber_leave(&msg, &op);
	if (has_controls)
		(void)ber_get_octets(&msg, LDAP_TAG_CONTROLS);
	ber_leave(&r, &msg);
	ber_expect_end(&r);
	assert_int_equal(ber_reader_error(&r), HB_OK);
}

/* Where a length or an ID takes an octet more, alone and behind others. */
static void
entries(void **state)
{
	static const int32_t ids[] = { 1, 127, 128, 32767, 32768, 8388607,
		8388608, INT32_MAX };
	static char text[70000];
	const struct ldap_control control = { SLICE("1.1"), false,
		SLICE_NONE };
	struct slice dn = slice(text, 20), attrs;
	size_t i, n, at;

	(void)state;
	memset(text, 'x', sizeof(text));
	for (i = 0; i < N(ids); i++) {
		ldap_encode_entry(&out, ids[i], dn, SLICE(""), NULL, 0);
		buf_reset(&out);
		for (n = 0; n < 300; n++) {
			attrs = slice(text, n);
			at = out.len;
			ldap_encode_entry(&out, ids[i], dn, attrs, NULL, 0);
			check_entry(at, ids[i], dn, attrs, false);
			at = out.len;
			ldap_encode_entry(&out, ids[i], dn, attrs, &control,
			    1);
			check_entry(at, ids[i], dn, attrs, true);
		}
		buf_reset(&out);
		for (n = 65480; n < 65560; n++) {
			attrs = slice(text, n);
			ldap_encode_entry(&out, ids[i], SLICE(""), attrs,
			    NULL, 0);
			check_entry(0, ids[i], SLICE(""), attrs, false);
			buf_reset(&out);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(result, setup, teardown),
		cmocka_unit_test_setup_teardown(with_controls, setup,
		    teardown),
		cmocka_unit_test_setup_teardown(bind_and_extended, setup,
		    teardown),
		cmocka_unit_test_setup_teardown(reference, setup, teardown),
		cmocka_unit_test_setup_teardown(entries, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
