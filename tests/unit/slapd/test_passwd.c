/*
 * Password schemes: known values, what must not match, made values.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "servers/slapd/passwd.h"
#include "util/err.h"
#include "util/text.h"

struct verify_case {
	const char *value, *password;
	int rc;
};

/* Hashes of "secret" made with openssl and mkpasswd. */
static const struct verify_case verify_cases[] = {
	{ "secret", "secret", HB_OK },
	{ "secret", "Secret", HB_ECREDENTIALS },
	{ "secret", "secret ", HB_ECREDENTIALS },
	{ "secret", "", HB_ECREDENTIALS },
	{ "{CLEARTEXT}secret", "secret", HB_OK },
	{ "{cleartext}secret", "secret", HB_OK },
	{ "{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=", "secret", HB_OK },
	{ "{sha}5en6G6MezRroT3XKqkdPOmY/BfQ=", "secret", HB_OK },
	{ "{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=", "secreT", HB_ECREDENTIALS },
	{ "{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ", "secret", HB_ECREDENTIALS },
	{ "{SHA}", "secret", HB_ECREDENTIALS },
	{ "{MD5}Xr4ilOzQ4PCOq3aQ0qbuaQ==", "secret", HB_OK },
	{ "{MD5}Xr4ilOzQ4PCOq3aQ0qbuaQ==", "x", HB_ECREDENTIALS },
	{ "{SHA256}K7gNU3sdo+OL0wNhqoVWhr3g6s1xYv72ol/pe/Unols=", "secret",
	    HB_OK },
	{ "{SHA512}vSuH6ZMVBzPUiuR4RZX2Qw9OM7KzvQp/0H2s2eG8r2o=", "secret",
	    HB_ECREDENTIALS },
	/* a salted value without salt is none */
	{ "{SSHA}5en6G6MezRroT3XKqkdPOmY/BfQ=", "secret", HB_ECREDENTIALS },
	{ "{SSHA}!!!!", "secret", HB_ECREDENTIALS },
	/* no known scheme: the whole value is the password */
	{ "{NONE}secret", "secret", HB_ECREDENTIALS },
	{ "{NONE}secret", "{NONE}secret", HB_OK },
	{ "{", "{", HB_OK },
	{ "{}", "{}", HB_OK },
	/* known elsewhere: the stored text opens nothing */
	{ "{SASL}a@B", "{SASL}a@B", HB_ECREDENTIALS },
	{ "{UNIX}root", "{UNIX}root", HB_ECREDENTIALS },
	{ "{CRYPT}", "", HB_ECREDENTIALS },
	{ "{CRYPT}x", "secret", HB_ECREDENTIALS },
	{ "{CRYPT}*", "*", HB_ECREDENTIALS },
	{ "{ARGON2}$argon2id$v=19$m=8,t=1,p=1$bad", "secret",
	    HB_ECREDENTIALS },
};

static void
test_verify(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(verify_cases) / sizeof(*verify_cases);
	    i++) {
		const struct verify_case *c = &verify_cases[i];
		int rc = passwd_verify(slice_of(c->value),
		    slice_of(c->password), true);

		if (rc != c->rc)
			fail_msg("<%s> <%s>: %s", c->value, c->password,
			    hb_errname(rc));
	}
}

static void
test_make_all(void **state)
{
	struct diag diag = DIAG_INIT;
	struct buf out;
	const char *scheme;

	(void)state;
	for (unsigned i = 0; (scheme = passwd_scheme(i)) != NULL; i++) {
		buf_init(&out);
		assert_int_equal(passwd_make(scheme, SLICE("geheim"), NULL,
		    &out, &diag), HB_OK);
		assert_int_equal(passwd_verify(buf_slice(&out),
		    SLICE("geheim"), true), HB_OK);
		assert_int_equal(passwd_verify(buf_slice(&out),
		    SLICE("geheim1"), true), HB_ECREDENTIALS);
		assert_int_equal(passwd_verify(buf_slice(&out), SLICE(""),
		    true), HB_ECREDENTIALS);
		buf_fini(&out);
	}
	assert_true(passwd_is_scheme("ssha"));
	assert_true(passwd_is_scheme("{SSHA512}"));
	assert_false(passwd_is_scheme("{SASL}"));
	assert_false(passwd_is_scheme("{SSHA"));
	buf_init(&out);
	assert_int_equal(passwd_make("{NO}", SLICE("x"), NULL, &out, &diag),
	    HB_EINVAL);
	assert_non_null(strstr(diag.text, "{SSHA}"));
	buf_fini(&out);
}

static void
test_salts_differ(void **state)
{
	struct buf a, b;

	(void)state;
	buf_init(&a);
	buf_init(&b);
	passwd_make("{SSHA}", SLICE("x"), NULL, &a, NULL);
	passwd_make("{SSHA}", SLICE("x"), NULL, &b, NULL);
	assert_false(slice_is_eq(buf_slice(&a), buf_slice(&b)));
	assert_int_equal(a.len, 6 + 40);	/* 20 + 8 octets */
	buf_fini(&a);
	buf_fini(&b);
}

static void
test_crypt(void **state)
{
	struct diag diag = DIAG_INIT;
	struct buf out;

	(void)state;
	buf_init(&out);
	assert_int_equal(passwd_make("{CRYPT}", SLICE("geheim"), "$6$%.8s",
	    &out, &diag), HB_OK);
	assert_true(slice_has_prefix(buf_slice(&out), SLICE("{CRYPT}$6$")));
	assert_int_equal(passwd_verify(buf_slice(&out), SLICE("geheim"),
	    true), HB_OK);
	assert_int_equal(passwd_verify(buf_slice(&out), SLICE("geheim\0x"),
	    true), HB_ECREDENTIALS);
	/* slow: not by a thread that serves others */
	assert_int_equal(passwd_verify(buf_slice(&out), SLICE("geheim"),
	    false), HB_EDEFER);
	buf_reset(&out);
	assert_int_equal(passwd_make("{CRYPT}", SLICE("geheim"), "%s", &out,
	    &diag), HB_OK);
	assert_int_equal(out.len, 7 + 13);
	assert_int_equal(passwd_verify(buf_slice(&out), SLICE("geheim"),
	    false), HB_OK);
	buf_fini(&out);
	assert_true(passwd_is_crypt_format("$6$%.16s"));
	assert_true(passwd_is_crypt_format("%s"));
	assert_false(passwd_is_crypt_format("%d"));
	assert_false(passwd_is_crypt_format("%s%s"));
	assert_false(passwd_is_crypt_format("x"));
	assert_false(passwd_is_crypt_format("%"));
	assert_false(passwd_is_crypt_format("%.999999999999999999999999999"
	    "99999s"));
}

static void
test_generate(void **state)
{
	char a[9], b[9];

	(void)state;
	passwd_generate(a);
	passwd_generate(b);
	assert_int_equal(strlen(a), 8);
	assert_string_not_equal(a, b);
}

/* Printed, not asserted: machines differ. */
static void
test_speed(void **state)
{
	struct buf out;
	int64_t t;

	(void)state;
	buf_init(&out);
	passwd_make("{SSHA}", SLICE("geheim"), NULL, &out, NULL);
	t = time_mono_us();
	for (int i = 0; i < 100000; i++)
		assert_int_equal(passwd_verify(buf_slice(&out),
		    SLICE("geheim"), false), HB_OK);
	print_message("SSHA verify: %.3f us\n",
	    (double)(time_mono_us() - t) / 100000);
	buf_fini(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verify),
		cmocka_unit_test(test_make_all),
		cmocka_unit_test(test_salts_differ),
		cmocka_unit_test(test_crypt),
		cmocka_unit_test(test_generate),
		cmocka_unit_test(test_speed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
