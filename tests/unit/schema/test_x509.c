/*
 * X.509 values: which DER is one, and the normal forms under the exact rules,
 * the same of a stored value and of the assertions that name it.
 */
#include "dn.h"
#include "x509_test.h"

static struct schema *schema;
static struct arena arena;

static int
setup(void **state)
{
	(void)state;
	dn_init();
	schema = schema_new();
	add_type(schema, "( 0.9.2342.19200300.100.1.25 NAME 'dc' EQUALITY "
	    "caseIgnoreIA5Match SYNTAX " S_ARC "26 )");
	add_type(schema, "( 2.5.4.6 NAME 'c' SUP name SYNTAX " S_ARC "11 )");
	add_type(schema, "( 2.5.4.10 NAME 'o' SUP name )");
	schema_freeze(schema);
	arena_init(&arena, 0);
	test_key_make();
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	schema_free(&schema);
	arena_fini(&arena);
	EVP_PKEY_free(test_key);
	return 0;
}

#define FROM	"260101000000Z"
#define TO	"270101000000Z"

static const struct cert_spec plain = {
	"7B", "/DC=org/O=Example/CN=CA", "/CN=me", FROM, TO, NULL
};

static struct slice
cert(void)
{
	return test_cert(&arena, &plain);
}

static int
norm(const char *rule, struct slice value, struct slice *norm_r)
{
	*norm_r = SLICE_NONE;
	return schema_norm_assertion(schema, &arena,
	    schema_find_rule(schema, slice_of(rule)), SUBSTR_WHOLE, value,
	    norm_r);
}

/* WANT NULL: the rule refuses VALUE. A normal form is its own. */
static void
check_norm(const char *rule, struct slice value, const char *want)
{
	struct slice got, again;
	int rc = norm(rule, value, &got);

	if (want == NULL) {
		if (rc != HB_ESYNTAX)
			fail_msg("%s accepts '%.*s'", rule, SLICE_ARG(value));
		return;
	}
	if (rc != HB_OK)
		fail_msg("%s refuses '%.*s'", rule, SLICE_ARG(value));
	assert_slice(got, want);
	assert_int_equal(norm(rule, got, &again), HB_OK);
	assert_true(slice_is_eq(got, again));
}

static bool
is_valid(const char *oid, struct slice value)
{
	char all[64];

	snprintf(all, sizeof(all), "%s%s", strchr(oid, '.') != NULL ? "" :
	    S_ARC, oid);
	return schema_find_syntax(schema, slice_of(all))->validate(schema,
	    value) == HB_OK;
}

/* ---- validators ---- */

#define SYN_AC	"1.3.6.1.4.1.4203.666.11.10.2.1"


/* An attribute certificate: HOLDER and ISSUER are whole elements. */
static struct slice
attr_cert(struct slice holder, struct slice issuer)
{
	struct slice alg = DER(&arena, 0x30, SLICE("\x06\x03\x2a\x03\x04"));
	struct slice validity = DER(&arena, 0x30,
	    DER(&arena, 0x18, SLICE("20260101000000Z")),
	    DER(&arena, 0x18, SLICE("20270101000000Z")));
	struct slice attrs = DER(&arena, 0x30, DER(&arena, 0x30,
	    SLICE("\x06\x03\x55\x04\x48"), DER(&arena, 0x31,
	    DER(&arena, 0x0c, SLICE("admin")))));
	struct slice info = DER(&arena, 0x30, SLICE("\x02\x01\x01"), holder,
	    issuer, alg, SLICE("\x02\x02\x01\x00"), validity, attrs);

	return DER(&arena, 0x30, info, alg, SLICE("\x03\x02\x00\xff"));
}

/* directoryName cn=TEXT of GeneralNames */
static struct slice
directory_name(struct slice text)
{
	return DER(&arena, 0xa4, DER(&arena, 0x30, DER(&arena, 0x31,
	    DER(&arena, 0x30, SLICE("\x06\x03\x55\x04\x03"),
	    DER(&arena, 0x0c, text)))));
}

static struct slice
sample_ac(void)
{
	struct slice id = DER(&arena, 0xa0, DER(&arena, 0x30,
	    directory_name(SLICE("Base"))), SLICE("\x02\x01\x09"));

	return attr_cert(DER(&arena, 0x30, id), DER(&arena, 0xa0,
	    DER(&arena, 0x30, directory_name(SLICE("AA")))));
}

static const struct crl_spec plain_crl = {
	"/DC=org/CN=CA", FROM, TO, NULL
};

static struct slice
supported_algorithm(void)
{
	return DER(&arena, 0x30, DER(&arena, 0x30,
	    SLICE("\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00")),
	    DER(&arena, 0xa0, SLICE("\x03\x02\x07\x80")));
}

/* VALUE is valid; cut, with a tail, or in another wrapping it is not. */
static void
check_strict(const char *syntax, struct slice value)
{
	struct slice junk;
	char *copy;
	size_t i;

	if (!is_valid(syntax, value))
		fail_msg("syntax %s: value is refused", syntax);
	junk = JOIN(&arena, value, SLICE("\0"));
	assert_false(is_valid(syntax, junk));
	junk = JOIN(&arena, value, value);
	assert_false(is_valid(syntax, junk));
	for (i = 0; i < value.len; i++)
		assert_false(is_valid(syntax, slice(value.ptr, i)));
	junk = DER(&arena, 0x31, value);
	assert_false(is_valid(syntax, junk));
	/* an indefinite length is BER, not DER */
	assert_int_equal((unsigned char)value.ptr[1] & 0xf0, 0x80);
	junk = slice_skip(value, 2 + ((unsigned char)value.ptr[1] & 0xf));
	junk = JOIN(&arena, SLICE("\x30\x80"), junk, SLICE("\0\0"));
	assert_false(is_valid(syntax, junk));
	/* no octet that is changed may upset anything */
	copy = arena_alloc(&arena, value.len);
	for (i = 0; i < value.len; i++) {
		memcpy(copy, value.ptr, value.len);
		copy[i] ^= 0x55;
		(void)is_valid(syntax, slice(copy, value.len));
		(void)norm("certificateExactMatch", slice(copy, value.len),
		    &junk);
	}
	assert_int_equal(ERR_peek_error(), 0);
}

static void
test_validators(void **state)
{
	struct slice long_alg;

	(void)state;
	check_strict("8", cert());
	check_strict("9", test_crl(&arena, &plain_crl));
	check_strict("10", DER(&arena, 0x30, DER(&arena, 0xa0, cert()),
	    DER(&arena, 0xa1, cert())));
	check_strict(SYN_AC, sample_ac());
	long_alg = DER(&arena, 0x30, DER(&arena, 0x30,
	    SLICE("\x06\x03\x2a\x03\x04"), DER(&arena, 0x04, slice(
	    cert().ptr, 130))));
	check_strict("49", long_alg);
	assert_true(is_valid("49", supported_algorithm()));
	assert_true(is_valid("10", DER(&arena, 0x30,
	    DER(&arena, 0xa1, cert()))));
	assert_false(is_valid("10", SLICE("\x30\0")));
	assert_false(is_valid("10", DER(&arena, 0x30, cert())));
	assert_false(is_valid("8", test_crl(&arena, &plain_crl)));
	assert_false(is_valid("9", cert()));
	assert_false(is_valid("8", SLICE("")));
	assert_false(is_valid("8", SLICE("{ serialNumber 1, issuer "
	    "rdnSequence:\"cn=ca\" }")));
}

/* The queue of errors belongs to whoever filled it. */
static void
test_error_queue(void **state)
{
	unsigned long before;

	(void)state;
	ERR_raise(ERR_LIB_USER, 7);
	before = ERR_peek_last_error();
	assert_false(is_valid("8", DER(&arena, 0x30, DER(&arena, 0x30,
	    SLICE("\x02\x01\x01")))));
	assert_true(is_valid("8", cert()));
	assert_int_equal(ERR_peek_last_error(), before);
	ERR_clear_error();
}

/* ---- certificateExactMatch ---- */

static const struct {
	const char *serial, *issuer, *norm;
} certs[] = {
	{ "7B", "/DC=org/O=Example/CN=CA",
	    "{ serialNumber 123, issuer rdnSequence:"
	    "\"cn=ca,o=example,dc=org\" }" },
	{ "0", "/CN=x", "{ serialNumber 0, issuer rdnSequence:\"cn=x\" }" },
	{ "-1", "/CN=x", "{ serialNumber -1, issuer rdnSequence:\"cn=x\" }" },
	{ "-80", "/CN=x",
	    "{ serialNumber -128, issuer rdnSequence:\"cn=x\" }" },
	{ "-FFFFFFFFFFFFFFFFFF", "/CN=x",
	    "{ serialNumber -4722366482869645213695, issuer "
	    "rdnSequence:\"cn=x\" }" },
	{ "80", "/CN=x", "{ serialNumber 128, issuer rdnSequence:\"cn=x\" }" },
	{ "FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF", "/CN=x",
	    "{ serialNumber 1461501637330902918203684832716283019655932542975,"
	    " issuer rdnSequence:\"cn=x\" }" },
	/* several values in an RDN, in the order of the schema's rule */
	{ "1", "/O=b+CN=A/DC=x", "{ serialNumber 1, issuer "
	    "rdnSequence:\"dc=x,cn=a+o=b\" }" },
	{ "1", "/CN= a,b \"c\" /O=\xc3\x84", "{ serialNumber 1, issuer "
	    "rdnSequence:\"o=\xc3\xa4,cn=a\\2Cb \\22c\\22\" }" },
	/* types that the schema does not know */
	{ "1", "/1.2.3.4=x/CN=y", "{ serialNumber 1, issuer "
	    "rdnSequence:\"cn=y,1.2.3.4=#0c0178\" }" },
	/* emailAddress is not in this schema */
	{ "1", "/emailAddress=a@b", "{ serialNumber 1, issuer "
	    "rdnSequence:\"1.2.840.113549.1.9.1=#1603614062\" }" },
	{ "1", "/2.25.340282366920938463463374607431768211455=x",
	    "{ serialNumber 1, issuer rdnSequence:"
	    "\"2.25.340282366920938463463374607431768211455=#0c0178\" }" },
	/* a name that the attributes' syntaxes do not allow: as it is */
	{ "1", "/1.2.3=x+1.2.3=y", "der:" },
	/* a code point of private use, which no assertion has */
	{ "1", "/CN=\xee\x80\x80", "der:" },
	{ "1", "", "{ serialNumber 1, issuer rdnSequence:\"\" }" }
};

static void
test_cert_norm(void **state)
{
	struct cert_spec spec = plain;
	struct slice der, name;
	unsigned i;

	(void)state;
	for (i = 0; i < sizeof(certs) / sizeof(*certs); i++) {
		spec.serial = certs[i].serial;
		spec.issuer = certs[i].issuer;
		der = test_cert(&arena, &spec);
		assert_true(is_valid("8", der));
		if (strstr(certs[i].norm, "der:") == NULL) {
			check_norm("certificateExactMatch", der,
			    certs[i].norm);
			continue;
		}
		assert_int_equal(norm("certificateExactMatch", der, &name), 0);
		assert_true(slice_has_prefix(name,
		    SLICE("{ serialNumber 1, issuer der:'30")));
		check_norm("certificateExactMatch", name, name.ptr);
	}
}

static const char ca_1[] = "{ serialNumber 1, issuer rdnSequence:\"cn=ca\" }";

static const struct {
	const char *text, *norm;	/* NULL: refused */
} assertions[] = {
	{ ca_1, ca_1 },
	{ "{ issuer rdnSequence:\"CN = CA\", serialNumber 1 }", ca_1 },
	{ "{serialNumber 1,issuer rdnSequence:\"cn=ca\"}", ca_1 },
	{ "{  serialNumber   1 ,  issuer   rdnSequence:\"cn=ca\"  }", ca_1 },
	{ "{ SERIALNUMBER 1, Issuer RDNSequence:\"cn=ca\" }", ca_1 },
	{ "{ serialNumber 1, issuer \"cn=ca\" }", ca_1 },
	{ "{ serialNumber 01, issuer rdnSequence:\"cn=ca\" }", ca_1 },
	{ "{ serialNumber '01'H, issuer rdnSequence:\"cn=ca\" }", ca_1 },
	{ "{ serialNumber '0000001'H, issuer rdnSequence:\"cn=ca\" }", NULL },
	{ "{ serialNumber '000001'H, issuer rdnSequence:\"cn=ca\" }", ca_1 },
	{ "{ serialNumber '00fF'H, issuer rdnSequence:\"cn=ca\" }",
	    "{ serialNumber 255, issuer rdnSequence:\"cn=ca\" }" },
	{ "{ serialNumber 'FF'H, issuer rdnSequence:\"cn=ca\" }",
	    "{ serialNumber -1, issuer rdnSequence:\"cn=ca\" }" },
	{ "{ serialNumber -12, issuer rdnSequence:\"cn=ca\" }",
	    "{ serialNumber -12, issuer rdnSequence:\"cn=ca\" }" },
	{ "{ serialNumber 1461501637330902918203684832716283019655932542975,"
	    " issuer rdnSequence:\"cn=ca\" }", "{ serialNumber "
	    "1461501637330902918203684832716283019655932542975, issuer "
	    "rdnSequence:\"cn=ca\" }" },
	/* RFC 3641 3.2: a quote is doubled */
	{ "{ serialNumber 1, issuer rdnSequence:\"cn=\"\"a, b\"\",dc=x\" }",
	    "{ serialNumber 1, issuer rdnSequence:\"cn=a\\2C b,dc=x\" }" },
	{ "{ serialNumber 1, issuer rdnSequence:\"1.2.3=#0C0178\" }",
	    "{ serialNumber 1, issuer rdnSequence:\"1.2.3=#0c0178\" }" },
	{ "{ serialNumber 1, issuer rdnSequence:\"\" }",
	    "{ serialNumber 1, issuer rdnSequence:\"\" }" },
	/* a name in DER becomes a DN if it can */
	{ "{ serialNumber 1, issuer der:'300d310b300906035504030c024341'H }",
	    ca_1 },
	{ "{ serialNumber 1, issuer der:'3000'H }",
	    "{ serialNumber 1, issuer rdnSequence:\"\" }" },
	{ "{ serialNumber 1, issuer der:'3001'H }", NULL },
	{ "{ serialNumber 1, issuer der:''H }", NULL },
	{ "{ serialNumber 1, issuer der:'0500'H }", NULL },
	/* the form before RFC 4523 */
	{ "1$cn=ca", ca_1 }, { "001$CN=CA", ca_1 }, { "'01'H$cn=ca", ca_1 },
	{ "0$cn=ca", "{ serialNumber 0, issuer rdnSequence:\"cn=ca\" }" },
	{ "-7$cn=a, dc=x",
	    "{ serialNumber -7, issuer rdnSequence:\"cn=a,dc=x\" }" },
	/* as long as DER of its first octets */
	{ "00$cn=0123456789012345678901234567890123456789012",
	    "{ serialNumber 0, issuer "
	    "rdnSequence:\"cn=0123456789012345678901234567890123456789012\" }" },
	{ "$cn=ca", NULL }, { "x$cn=ca", NULL }, { "1cn=ca", NULL },
	{ "1 $cn=ca", NULL }, { "1$cn", NULL }, { "1", NULL }, { "", NULL },
	/* malformed */
	{ "{", NULL }, { "}", NULL }, { "{}", NULL }, { "{ }", NULL },
	{ "{ serialNumber 1 }", NULL },
	{ "{ issuer rdnSequence:\"cn=ca\" }", NULL },
	{ "{ serialNumber 1, issuer rdnSequence:\"cn=ca\"", NULL },
	{ "{ serialNumber 1, issuer rdnSequence:\"cn=ca\" } ", NULL },
	{ " { serialNumber 1, issuer rdnSequence:\"cn=ca\" }", NULL },
	{ "{ serialNumber 1, issuer rdnSequence:\"cn=ca\" }}", NULL },
	{ "{ serialNumber 1, issuer rdnSequence:\"cn=ca\", }", NULL },
	{ "{ , serialNumber 1, issuer rdnSequence:\"cn=ca\" }", NULL },
	{ "{ serialNumber 1,, issuer rdnSequence:\"cn=ca\" }", NULL },
	{ "{ serialNumber 1 issuer rdnSequence:\"cn=ca\" }", NULL },
	{ "{ serialNumber 1, serialNumber 1, issuer \"cn=ca\" }", NULL },
	{ "{ serialNumber 1, issuer rdnSequence:\"cn=ca\", x 1 }", NULL },
	{ "{ serialNumber1, issuer rdnSequence:\"cn=ca\" }", NULL },
	{ "{ serialNumber:1, issuer rdnSequence:\"cn=ca\" }", NULL },
	{ "{ serialNumber -0, issuer rdnSequence:\"cn=ca\" }", NULL },
	{ "{ serialNumber +1, issuer rdnSequence:\"cn=ca\" }", NULL },
	{ "{ serialNumber -, issuer rdnSequence:\"cn=ca\" }", NULL },
	{ "{ serialNumber 1.5, issuer rdnSequence:\"cn=ca\" }", NULL },
	{ "{ serialNumber 0x1, issuer rdnSequence:\"cn=ca\" }", NULL },
	{ "{ serialNumber ''H, issuer rdnSequence:\"cn=ca\" }", NULL },
	{ "{ serialNumber '1'H, issuer rdnSequence:\"cn=ca\" }", NULL },
	{ "{ serialNumber '0g'H, issuer rdnSequence:\"cn=ca\" }", NULL },
	{ "{ serialNumber '01'B, issuer rdnSequence:\"cn=ca\" }", NULL },
	{ "{ serialNumber '01, issuer rdnSequence:\"cn=ca\" }", NULL },
	{ "{ serialNumber 1, issuer rdnSequence: \"cn=ca\" }", NULL },
	{ "{ serialNumber 1, issuer rdnSequence \"cn=ca\" }", NULL },
	{ "{ serialNumber 1, issuer cn=ca }", NULL },
	{ "{ serialNumber 1, issuer rdnSequence:cn=ca }", NULL },
	{ "{ serialNumber 1, issuer rdnSequence:\"cn=ca }", NULL },
	{ "{ serialNumber 1, issuer rdnSequence:\"cn=ca\"\" }", NULL },
	{ "{ serialNumber 1, issuer rdnSequence:\"cn\" }", NULL },
	{ "{ serialNumber 1, issuer rdnSequence:\"cn=\xff\" }", NULL },
	{ "{ serialNumber 1, issuer rdnSequence:\"c=Germany\" }", NULL },
	{ "{ serialNumber 1, issuer rdnSequence:\"cn=\xee\x80\x80\" }", NULL }
};

static void
test_cert_assertions(void **state)
{
	static const char nul[] =
	    "{ serialNumber 1, issuer rdnSequence:\"cn=c\0\" }";
	char big[2 * 300 + 64];
	unsigned i;

	(void)state;
	for (i = 0; i < sizeof(assertions) / sizeof(*assertions); i++)
		check_norm("certificateExactMatch",
		    slice_of(assertions[i].text), assertions[i].norm);
	check_norm("certificateExactMatch", slice(nul, sizeof(nul) - 1), NULL);
	/* an integer of 300 octets is no serial number */
	snprintf(big, sizeof(big), "{ serialNumber '%0600d'H, issuer \"\" }",
	    1);
	check_norm("certificateExactMatch", slice_of(big),
	    "{ serialNumber 1, issuer rdnSequence:\"\" }");
	big[17] = '1';
	check_norm("certificateExactMatch", slice_of(big), NULL);
}

/* ---- the other exact rules ---- */

/* What matches has one key. */
static bool
is_same_key(const struct matching_rule *rule, struct slice a, struct slice b)
{
	struct buf ka, kb;
	bool same;

	buf_init(&ka);
	buf_init(&kb);
	rule->order_key(a, &ka);
	rule->order_key(b, &kb);
	same = slice_is_eq(buf_slice(&ka), buf_slice(&kb));
	buf_fini(&ka);
	buf_fini(&kb);
	return same;
}

static bool
is_match(const char *name, struct slice stored, struct slice asserted)
{
	const struct matching_rule *rule = schema_find_rule(schema,
	    slice_of(name));
	struct slice a, b;

	assert_int_equal(norm(name, stored, &a), HB_OK);
	assert_int_equal(norm(name, asserted, &b), HB_OK);
	if (rule->match == NULL)
		return slice_is_eq(a, b);
	if (rule->order_key != NULL && rule->match(schema, a, b))
		assert_true(is_same_key(rule, a, b));
	return rule->match(schema, a, b);
}

static void
test_crls(void **state)
{
	static const char rule[] = "certificateListExactMatch";
	static const char *const idp[] = {
		"issuingDistributionPoint", "fullname:URI:http://X/a.crl", NULL
	};
	struct crl_spec spec = plain_crl;
	struct slice one = test_crl(&arena, &spec), part;

	(void)state;
	check_norm(rule, one, "{ issuer rdnSequence:\"cn=ca,dc=org\", "
	    "thisUpdate generalizedTime:\"20260101000000Z\" }");
	check_norm(rule, slice_of("{ thisUpdate utcTime:\"991231235959Z\", "
	    "issuer rdnSequence:\"CN=CA\" }"), "{ issuer "
	    "rdnSequence:\"cn=ca\", thisUpdate "
	    "generalizedTime:\"19991231235959Z\" }");
	check_norm(rule, slice_of("{ issuer \"cn=ca\", thisUpdate "
	    "\"20260101010000+0100\" }"), "{ issuer rdnSequence:\"cn=ca\", "
	    "thisUpdate generalizedTime:\"20260101000000Z\" }");
	check_norm(rule, slice_of("{ issuer \"cn=ca\" }"), NULL);
	check_norm(rule, slice_of("{ issuer \"cn=ca\", thisUpdate "
	    "utcTime:\"20260101000000Z\" }"), NULL);
	check_norm(rule, slice_of("{ issuer \"cn=ca\", thisUpdate "
	    "generalizedTime:\"260101000000Z\" }"), NULL);
	check_norm(rule, slice_of("{ issuer \"cn=ca\", thisUpdate "
	    "utcTime:\"2601010000\" }"), NULL);
	check_norm(rule, slice_of("1$cn=ca"), NULL);
	spec.from = "20510101000000Z";
	spec.to = NULL;
	check_norm(rule, test_crl(&arena, &spec), "{ issuer "
	    "rdnSequence:\"cn=ca,dc=org\", thisUpdate "
	    "generalizedTime:\"20510101000000Z\" }");
	/* a part of the list: another value, which less asserts, too */
	spec = plain_crl;
	spec.extensions = idp;
	part = test_crl(&arena, &spec);
	check_norm(rule, part, "{ issuer rdnSequence:\"cn=ca,dc=org\", "
	    "thisUpdate generalizedTime:\"20260101000000Z\", "
	    "distributionPoint fullName:{ "
	    "uniformResourceIdentifier:\"http://X/a.crl\" } }");
	assert_true(is_match(rule, part, part));
	assert_false(is_match(rule, one, part));
	assert_true(is_match(rule, part, one));
	assert_true(is_match(rule, part, slice_of("{ issuer "
	    "rdnSequence:\"cn=ca,dc=org\", thisUpdate utcTime:\"" FROM "\", "
	    "distributionPoint fullName:{uniformResourceIdentifier:"
	    "\"http://X/a.crl\"} }")));
	assert_false(is_match(rule, part, slice_of("{ issuer "
	    "rdnSequence:\"cn=ca,dc=org\", thisUpdate utcTime:\"" FROM "\", "
	    "distributionPoint nameRelativeToCRLIssuer:\"cn=x\" }")));
}

static void
test_pairs(void **state)
{
	static const char rule[] = "certificatePairExactMatch";
	struct cert_spec spec = plain;
	struct slice by, both;

	(void)state;
	spec.serial = "1";
	spec.issuer = "/CN=B";
	by = test_cert(&arena, &spec);
	both = DER(&arena, 0x30, DER(&arena, 0xa0, cert()),
	    DER(&arena, 0xa1, by));
	check_norm(rule, both, "{ issuedToThisCAAssertion { serialNumber 123, "
	    "issuer rdnSequence:\"cn=ca,o=example,dc=org\" }, "
	    "issuedByThisCAAssertion { serialNumber 1, issuer "
	    "rdnSequence:\"cn=b\" } }");
	check_norm(rule, DER(&arena, 0x30, DER(&arena, 0xa1, by)),
	    "{ issuedByThisCAAssertion { serialNumber 1, issuer "
	    "rdnSequence:\"cn=b\" } }");
	check_norm(rule, SLICE("{ }"), NULL);
	check_norm(rule, slice_of(ca_1), NULL);
	assert_true(is_match(rule, both, SLICE("{ issuedByThisCAAssertion "
	    "{ serialNumber 1, issuer rdnSequence:\"CN=B\" } }")));
	assert_false(is_match(rule, both, SLICE("{ issuedToThisCAAssertion "
	    "{ serialNumber 1, issuer rdnSequence:\"CN=B\" } }")));
	assert_false(is_match(rule, DER(&arena, 0x30, DER(&arena, 0xa1, by)),
	    both));
	assert_true(is_match(rule, both, both));
}

static void
test_algorithms(void **state)
{
	static const char rule[] = "algorithmIdentifierMatch";
	static const char rsa[] =
	    "{ algorithm 1.2.840.113549.1.1.1, parameters NULL }";

	(void)state;
	check_norm(rule, supported_algorithm(), rsa);
	check_norm(rule, DER(&arena, 0x30, SLICE("\x06\x09\x2a\x86\x48\x86"
	    "\xf7\x0d\x01\x01\x01\x05\x00")), rsa);
	check_norm(rule, SLICE("{parameters NULL,algorithm "
	    "1.2.840.113549.1.1.1}"), rsa);
	check_norm(rule, DER(&arena, 0x30, SLICE("\x06\x03\x2a\x03\x04")),
	    "{ algorithm 1.2.3.4 }");
	check_norm(rule, DER(&arena, 0x30, SLICE("\x06\x02\x2a\x03\x06\x03\x2a"
	    "\x03\x04")), "{ algorithm 1.2.3, parameters 1.2.3.4 }");
	check_norm(rule, DER(&arena, 0x30, SLICE("\x06\x02\x2a\x03\x02\x01"
	    "\x05")), "{ algorithm 1.2.3, parameters 5 }");
	check_norm(rule, DER(&arena, 0x30, SLICE("\x06\x02\x2a\x03\x04\x01"
	    "\x05")), "{ algorithm 1.2.3, parameters '05'H }");
	check_norm(rule, DER(&arena, 0x30, SLICE("\x06\x02\x2a\x03\x30\x00")),
	    "{ algorithm 1.2.3, parameters der:'3000'H }");
	check_norm(rule, SLICE("{ algorithm 1.2.3, parameters der:'0500'H }"),
	    "{ algorithm 1.2.3, parameters NULL }");
	check_norm(rule, SLICE("{ algorithm rsa }"), NULL);
	check_norm(rule, SLICE("{ algorithm 1..2 }"), NULL);
	check_norm(rule, SLICE("{ parameters NULL }"), NULL);
	check_norm(rule, SLICE("{ algorithm 1.2.3, parameters NIL }"), NULL);
	check_norm(rule, SLICE("{ algorithm 1.2.3, parameters { a 1 } }"),
	    NULL);
	check_norm(rule, SLICE("1.2.3"), NULL);
}

static void
test_attr_certs(void **state)
{
	static const char rule[] = "attributeCertificateExactMatch";
	struct slice base, v1;

	(void)state;
	check_norm(rule, sample_ac(), "{ serialNumber 256, issuer "
	    "{ issuerName { directoryName:rdnSequence:\"cn=aa\" } } }");
	base = attr_cert(DER(&arena, 0x30, DER(&arena, 0xa1,
	    directory_name(SLICE("H")))), DER(&arena, 0xa0,
	    DER(&arena, 0xa0, DER(&arena, 0x30, directory_name(SLICE("AA"))),
	    SLICE("\x02\x01\x07\x03\x02\x06\x40"))));
	assert_true(is_valid(SYN_AC, base));
	check_norm(rule, base, "{ serialNumber 256, issuer { "
	    "baseCertificateID { issuer { directoryName:rdnSequence:\"cn=aa\" "
	    "}, serial 7, issuerUID '01'B } } }");
	assert_true(is_match(rule, base, SLICE("{ serialNumber '0100'H, "
	    "issuer { baseCertificateID { serial '07'H, issuerUID '01'B, "
	    "issuer { directoryName:rdnSequence:\"CN=AA\" } } } }")));
	v1 = attr_cert(DER(&arena, 0xa1, directory_name(SLICE("H"))),
	    DER(&arena, 0x30, directory_name(SLICE("AA"))));
	assert_true(is_valid(SYN_AC, v1));
	assert_true(is_match(rule, v1, sample_ac()));
	assert_false(is_valid(SYN_AC, attr_cert(SLICE(""),
	    DER(&arena, 0x30, directory_name(SLICE("AA"))))));
	check_norm(rule, SLICE("{ serialNumber 1, issuer { } }"), NULL);
	check_norm(rule, SLICE("{ serialNumber 1, issuer \"cn=x\" }"), NULL);
	check_norm(rule, SLICE("{ serialNumber 1, issuer { issuerName { } } "
	    "}"), NULL);
	check_norm(rule, SLICE("{ serialNumber 1, issuer { issuerName "
	    "{ cn:\"x\" } } }"), NULL);
}

static const struct {
	const char *text, *norm;	/* of one GeneralName */
} general_names[] = {
	{ "rfc822Name:\"A@B\"", "rfc822Name:\"a@b\"" },
	{ "dNSName:\"Host\"", "dNSName:\"host\"" },
	{ "uniformResourceIdentifier:\"LDAP://x\"",
	    "uniformResourceIdentifier:\"LDAP://x\"" },
	{ "iPAddress:'7f000001'H", "iPAddress:'7F000001'H" },
	{ "registeredID:1.2.3", "registeredID:1.2.3" },
	{ "registeredID:der:'88022a03'H", "registeredID:1.2.3" },
	{ "dNSName:der:'820141'H", "dNSName:\"a\"" },
	{ "dNSName:der:'8201FF'H", "dNSName:der:'8201FF'H" },
	{ "dNSName:der:'810141'H", NULL },
	{ "directoryName:rdnSequence:\"CN=x\"",
	    "directoryName:rdnSequence:\"cn=x\"" },
	{ "otherName:der:'A000'H", "otherName:der:'A000'H" },
	{ "otherName:{ type-id 1.2.3, value NULL }", NULL },
	{ "dNSName:x", NULL }, { "dNSName \"x\"", NULL }, { "\"x\"", NULL },
	{ "iPAddress:\"127.0.0.1\"", NULL }, { "registeredID:1", NULL }
};

static void
test_general_names(void **state)
{
	char text[256], want[256];
	unsigned i;

	(void)state;
	for (i = 0; i < sizeof(general_names) / sizeof(*general_names); i++) {
		snprintf(text, sizeof(text), "{ serialNumber 1, issuer "
		    "{ issuerName { %s } } }", general_names[i].text);
		if (general_names[i].norm != NULL)
			snprintf(want, sizeof(want), "{ serialNumber 1, "
			    "issuer { issuerName { %s } } }",
			    general_names[i].norm);
		check_norm("attributeCertificateExactMatch", slice_of(text),
		    general_names[i].norm != NULL ? want : NULL);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_validators),
		cmocka_unit_test(test_error_queue),
		cmocka_unit_test(test_cert_norm),
		cmocka_unit_test(test_cert_assertions),
		cmocka_unit_test(test_crls),
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_algorithms),
		cmocka_unit_test(test_attr_certs),
		cmocka_unit_test(test_general_names)
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
