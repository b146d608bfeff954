/*
 * Component assertions (certificateMatch and its like): each component true
 * and false, of values with and without the extension; what is no assertion.
 */
#include "dn.h"
#include "x509_test.h"

static struct schema *schema;
static struct arena arena;

static const char *const rich_extensions[] = {
	"subjectKeyIdentifier", "5A5B",
	/* keyIdentifier '5A5B'H, cn=Root, 5 */
	"authorityKeyIdentifier", "DER:301c80025a5ba113a411300f310d300b"
	    "06035504030c04526f6f74820105",
	/* 20260201000000Z to 20260301000000Z */
	"privateKeyUsagePeriod", "DER:3022800f32303236303230313030303030305a"
	    "810f32303236303330313030303030305a",
	"keyUsage", "digitalSignature,keyCertSign",
	"subjectAltName", "DNS:host,email:a@b,otherName:1.2.3.4;UTF8:x",
	"certificatePolicies", "DER:300c300406022a03300406022a04",
	/* permitted o=x, excluded cn=bad,o=x */
	"nameConstraints", "DER:3036a0123010a40e300c310a3008060355040a0c0178"
	    "a120301ea41c301a310a3008060355040a0c0178310c300a06035504030c"
	    "03626164",
	NULL
};

static const char *const any_extensions[] = {
	"certificatePolicies", "DER:300830060604551d2000", NULL
};

/* Extensions that are not what their names say. */
static const char *const broken_extensions[] = {
	"subjectKeyIdentifier", "DER:0500",
	"authorityKeyIdentifier", "DER:30038305ff",
	"privateKeyUsagePeriod", "DER:3003800158",
	"keyUsage", "DER:030108",
	"subjectAltName", "DER:3002",
	"certificatePolicies", "DER:30020500",
	"nameConstraints", "DER:3004a0020500",
	NULL
};

static const char *const list_extensions[] = {
	"crlNumber", "DER:0202012c",
	"authorityKeyIdentifier", "DER:300480025a5b",
	/* fullName URI:u, dNSName d; onlySomeReasons keyCompromise */
	"issuingDistributionPoint", "DER:300ea008a00686017582016483020640",
	NULL
};

enum sample { RICH, BARE, ANY, BROKEN, LIST, BARE_LIST, PAIR, AC, NSAMPLES };

static struct slice samples[NSAMPLES];

/* dNSName "h" of the holder; issuer cn=AA; types 2.5.4.72 and 1.2.3 */
static struct slice
attr_cert(void)
{
	struct slice alg = DER(&arena, 0x30, SLICE("\x06\x03\x2a\x03\x04"));
	struct slice validity = DER(&arena, 0x30,
	    DER(&arena, 0x18, SLICE("20260101000000Z")),
	    DER(&arena, 0x18, SLICE("20270101000000Z")));
	struct slice name = DER(&arena, 0xa4, DER(&arena, 0x30,
	    DER(&arena, 0x31, DER(&arena, 0x30, SLICE("\x06\x03\x55\x04\x03"),
	    DER(&arena, 0x0c, SLICE("AA"))))));
	struct slice holder = DER(&arena, 0x30, DER(&arena, 0xa0,
	    DER(&arena, 0x30, name), SLICE("\x02\x01\x09")),
	    DER(&arena, 0xa1, SLICE("\x82\x01h\x82\x01i")));
	struct slice attrs = DER(&arena, 0x30,
	    DER(&arena, 0x30, SLICE("\x06\x03\x55\x04\x48"),
	    DER(&arena, 0x31, SLICE("\x05\0"))),
	    DER(&arena, 0x30, SLICE("\x06\x02\x2a\x03"),
	    DER(&arena, 0x31, SLICE("\x05\0"))));
	struct slice info = DER(&arena, 0x30, SLICE("\x02\x01\x01"), holder,
	    DER(&arena, 0xa0, DER(&arena, 0x30, name)), alg,
	    SLICE("\x02\x01\x01"), validity, attrs);

	return DER(&arena, 0x30, info, alg, SLICE("\x03\x02\x00\xff"));
}

static void
make_samples(void)
{
	struct cert_spec spec = { "7B", "/O=x/CN=CA", "/O=x/CN=Me",
	    "260101000000Z", "20500101000000Z", rich_extensions };
	struct crl_spec list = { "/O=x/CN=CA", "260101000000Z",
	    "260201000000Z", list_extensions };

	samples[RICH] = test_cert(&arena, &spec);
	spec.extensions = NULL;
	samples[BARE] = test_cert(&arena, &spec);
	spec.extensions = any_extensions;
	samples[ANY] = test_cert(&arena, &spec);
	spec.extensions = broken_extensions;
	samples[BROKEN] = test_cert(&arena, &spec);
	samples[LIST] = test_crl(&arena, &list);
	list.extensions = NULL;
	list.to = NULL;
	samples[BARE_LIST] = test_crl(&arena, &list);
	samples[PAIR] = DER(&arena, 0x30, DER(&arena, 0xa1, samples[RICH]));
	samples[AC] = attr_cert();
}

static int
setup(void **state)
{
	(void)state;
	dn_init();
	schema = schema_new();
	add_type(schema, "( 2.5.4.10 NAME 'o' SUP name )");
	add_type(schema, "( 2.5.4.72 NAME 'role' SUP name )");
	schema_freeze(schema);
	arena_init(&arena, 0);
	test_key_make();
	make_samples();
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

/* What is asserted, inside "{ }", of the samples from the first on. */
struct match_case {
	const char *text;
	const char *want;	/* y or n for each sample; NULL: refused */
};

static void
check_cases(const char *name, enum sample first,
    const struct match_case *cases, unsigned n)
{
	const struct matching_rule *rule = schema_find_rule(schema,
	    slice_of(name));
	struct slice norm, again;
	char text[512];
	unsigned i, k;
	int rc;

	assert_true((rule->kind & MR_STORED) != 0);
	for (i = 0; i < n; i++) {
		snprintf(text, sizeof(text), "{ %s }", cases[i].text);
		rc = schema_norm_assertion(schema, &arena, rule,
		    SUBSTR_WHOLE, slice_of(text), &norm);
		assert_int_equal(rule->syntax->validate(schema,
		    slice_of(text)), rc);
		if (cases[i].want == NULL) {
			if (rc != HB_ESYNTAX)
				fail_msg("%s accepts %s", name, text);
			continue;
		}
		if (rc != HB_OK)
			fail_msg("%s refuses %s", name, text);
		assert_int_equal(schema_norm_assertion(schema, &arena, rule,
		    SUBSTR_WHOLE, norm, &again), HB_OK);
		assert_true(slice_is_eq(norm, again));
		for (k = 0; cases[i].want[k] != '\0'; k++)
			if (rule->match(schema, samples[first + k], norm) !=
			    (cases[i].want[k] == 'y'))
				fail_msg("%s: %s of sample %u", name, text, k);
	}
}
#define CHECK(name, first, cases)					\
	check_cases(name, first, cases, sizeof(cases) / sizeof((cases)[0]))

/* of a certificate with all, none, anyPolicy, and broken extensions */
static const struct match_case cert_cases[] = {
	{ "", "yyyy" },
	{ "serialNumber 123", "yyyy" }, { "serialNumber '7B'H", "yyyy" },
	{ "serialNumber 124", "nnnn" }, { "serialNumber -123", "nnnn" },
	{ "issuer rdnSequence:\"CN=ca,O=X\"", "yyyy" },
	{ "issuer rdnSequence:\"o=x\"", "nnnn" },
	{ "subject rdnSequence:\"cn=ME,o=x\"", "yyyy" },
	{ "subject rdnSequence:\"cn=CA,o=x\"", "nnnn" },
	{ "serialNumber 123, subject \"cn=me,o=x\", issuer \"cn=ca,o=x\"",
	    "yyyy" },
	{ "serialNumber 123, subject \"cn=you,o=x\", issuer \"cn=ca,o=x\"",
	    "nnnn" },
	{ "subjectKeyIdentifier '5a5b'H", "ynnn" },
	{ "subjectKeyIdentifier '5a'H", "nnnn" },
	{ "subjectKeyIdentifier ''H", "nnnn" },
	{ "authorityKeyIdentifier { keyIdentifier '5A5B'H }", "ynnn" },
	{ "authorityKeyIdentifier { keyIdentifier '5A5C'H }", "nnnn" },
	{ "authorityKeyIdentifier { authorityCertIssuer "
	    "{ directoryName:rdnSequence:\"cn=ROOT\" } }", "ynnn" },
	{ "authorityKeyIdentifier { authorityCertSerialNumber 5, "
	    "keyIdentifier '5A5B'H, authorityCertIssuer "
	    "{directoryName:rdnSequence:\"cn=root\"} }", "ynnn" },
	{ "authorityKeyIdentifier { authorityCertSerialNumber 6, "
	    "keyIdentifier '5A5B'H }", "nnnn" },
	{ "authorityKeyIdentifier { }", "ynnn" },
	{ "certificateValid utcTime:\"260101000000Z\"", "yyyy" },
	{ "certificateValid utcTime:\"251231235959Z\"", "nnnn" },
	{ "certificateValid generalizedTime:\"20500101000000Z\"", "yyyy" },
	{ "certificateValid generalizedTime:\"20500101000000.5Z\"", "nnnn" },
	{ "certificateValid generalizedTime:\"2050010101+0100\"", "yyyy" },
	{ "privateKeyValid \"20260215000000Z\"", "yyyn" },
	{ "privateKeyValid \"20260131235959Z\"", "nyyn" },
	{ "privateKeyValid \"20260301000000Z\"", "yyyn" },
	{ "privateKeyValid \"20260301000001Z\"", "nyyn" },
	/* a curve's key */
	{ "subjectPublicKeyAlgID 1.2.840.10045.2.1", "yyyy" },
	{ "subjectPublicKeyAlgID 1.2.840.10045.2", "nnnn" },
	{ "keyUsage { digitalSignature }", "yyyn" },
	{ "keyUsage {keyCertSign,digitalSignature}", "yyyn" },
	{ "keyUsage '100001'B", "yyyn" }, { "keyUsage '84'H", "yyyn" },
	{ "keyUsage '1'B", "yyyn" }, { "keyUsage { }", "yyyn" },
	{ "keyUsage { digitalSignature, cRLSign }", "nyyn" },
	{ "keyUsage { decipherOnly }", "nyyn" },
	{ "keyUsage '000000001'B", "nyyn" }, { "keyUsage ''B", "yyyn" },
	{ "subjectAltName builtinNameForm:dNSName", "ynnn" },
	{ "subjectAltName builtinNameForm:RFC822NAME", "ynnn" },
	{ "subjectAltName builtinNameForm:iPAddress", "nnnn" },
	{ "subjectAltName otherNameForm:1.2.3.4", "ynnn" },
	{ "subjectAltName otherNameForm:1.2.3", "nnnn" },
	{ "policy { 1.2.4 }", "ynyn" }, { "policy { 1.2.5 }", "nnyn" },
	{ "policy { 1.2.5, 1.2.3 }", "ynyn" },
	{ "policy { 2.5.29.32.0 }", "ynyn" },
	{ "pathToName rdnSequence:\"cn=a,o=x\"", "yyyn" },
	{ "pathToName rdnSequence:\"o=x\"", "yyyn" },
	{ "pathToName rdnSequence:\"o=xx\"", "nyyn" },
	{ "pathToName rdnSequence:\"cn=a,cn=BAD,o=x\"", "nyyn" },
	{ "pathToName rdnSequence:\"\"", "nyyn" },
	/* none of these is an assertion */
	{ "nameConstraints { }", NULL },
	{ "serialNumber", NULL }, { "serialNumber x", NULL },
	{ "serialNumber 1, serialNumber 1", NULL },
	{ "serialNumber 1 subject \"cn=x\"", NULL },
	{ "subjectKeyIdentifier \"x\"", NULL },
	{ "subjectKeyIdentifier '5'H", NULL },
	{ "authorityKeyIdentifier '5A5B'H", NULL },
	{ "authorityKeyIdentifier { keyIdentifier \"x\" }", NULL },
	{ "authorityKeyIdentifier { authorityCertIssuer { } }", NULL },
	{ "certificateValid utcTime:\"\"", NULL },
	{ "certificateValid utcTime:260101000000Z", NULL },
	{ "certificateValid utcTime:\"261301000000Z\"", NULL },
	{ "certificateValid date:\"260101000000Z\"", NULL },
	{ "privateKeyValid \"2026\"", NULL },
	{ "subjectPublicKeyAlgID rsaEncryption", NULL },
	{ "keyUsage digitalSignature", NULL },
	{ "keyUsage { signing }", NULL }, { "keyUsage '012'B", NULL },
	{ "keyUsage 'FFFFFFFFFFFFFFFFFF'H", NULL },
	{ "keyUsage { digitalSignature keyCertSign }", NULL },
	{ "subjectAltName dNSName", NULL },
	{ "subjectAltName builtinNameForm:cn", NULL },
	{ "subjectAltName builtinNameForm:", NULL },
	{ "subjectAltName otherNameForm:x", NULL },
	{ "policy 1.2.3", NULL }, { "policy { }", NULL },
	{ "policy { 1.2.3, }", NULL }, { "policy { x }", NULL },
	{ "pathToName \"cn\"", NULL }
};

static void
test_certificates(void **state)
{
	(void)state;
	CHECK("certificateMatch", RICH, cert_cases);
}

static const struct match_case list_cases[] = {
	{ "issuer rdnSequence:\"cn=ca,o=X\"", "yy" },
	{ "issuer rdnSequence:\"cn=ca\"", "nn" },
	{ "minCRLNumber 300", "yn" }, { "minCRLNumber 301", "nn" },
	{ "minCRLNumber 5", "yn" }, { "minCRLNumber '012C'H", "yn" },
	{ "maxCRLNumber 300", "yn" }, { "maxCRLNumber 299", "nn" },
	{ "maxCRLNumber 1000", "yn" },
	{ "minCRLNumber 1, maxCRLNumber 900", "yn" },
	{ "reasonFlags { keyCompromise }", "yy" },
	{ "reasonFlags { keyCompromise, superseded }", "yy" },
	{ "reasonFlags { superseded }", "ny" },
	{ "reasonFlags '01'B", "yy" }, { "reasonFlags '001'B", "ny" },
	{ "dateAndTime utcTime:\"260101000000Z\"", "yn" },
	{ "dateAndTime utcTime:\"260115000000Z\"", "yn" },
	{ "dateAndTime utcTime:\"260201000000Z\"", "nn" },
	{ "dateAndTime generalizedTime:\"20251231235959Z\"", "nn" },
	{ "distributionPoint fullName:{ dNSName:\"D\" }", "yn" },
	{ "distributionPoint fullName:{ uniformResourceIdentifier:\"u\", "
	    "dNSName:\"d\" }", "yn" },
	{ "distributionPoint fullName:{ dNSName:\"x\", dNSName:\"d\" }", "yn" },
	{ "distributionPoint fullName:{ dNSName:\"u\" }", "nn" },
	{ "distributionPoint nameRelativeToCRLIssuer:\"cn=d\"", "nn" },
	{ "distributionPoint nameRelativeToCRLIssuer:\"cn=d,o=x\"", NULL },
	{ "distributionPoint \"d\"", NULL },
	{ "authorityKeyIdentifier { keyIdentifier '5A5B'H }", "yn" },
	{ "authorityKeyIdentifier { authorityCertSerialNumber 1 }", "nn" },
	{ "minCRLNumber x", NULL }, { "thisUpdate \"20260101000000Z\"", NULL },
	{ "reasonFlags { because }", NULL }
};

static void
test_lists(void **state)
{
	(void)state;
	CHECK("certificateListMatch", LIST, list_cases);
}

static const struct match_case pair_cases[] = {
	{ "issuedByThisCAAssertion { serialNumber 123 }", "y" },
	{ "issuedByThisCAAssertion { serialNumber 123, keyUsage "
	    "{ keyCertSign } }", "y" },
	{ "issuedByThisCAAssertion { serialNumber 1 }", "n" },
	{ "issuedToThisCAAssertion { serialNumber 123 }", "n" },
	{ "issuedToThisCAAssertion { }, issuedByThisCAAssertion { }", "n" },
	{ "issuedByThisCAAssertion { }", "y" },
	{ "", NULL }, { "issuedByThisCAAssertion 5", NULL },
	{ "serialNumber 123", NULL }
};

static const struct match_case ac_cases[] = {
	{ "", "y" },
	{ "holder baseCertificateID:{ serial 9, issuer "
	    "{ directoryName:rdnSequence:\"cn=aa\" } }", "y" },
	{ "holder baseCertificateID:{ serial 8, issuer "
	    "{ directoryName:rdnSequence:\"cn=aa\" } }", "n" },
	{ "holder holderName:{ dNSName:\"H\" }", "y" },
	{ "holder holderName:{ dNSName:\"i\", dNSName:\"h\" }", "y" },
	{ "holder holderName:{ dNSName:\"i\", dNSName:\"j\" }", "n" },
	{ "issuer { directoryName:rdnSequence:\"cn=AA\" }", "y" },
	{ "issuer { directoryName:rdnSequence:\"cn=BB\" }", "n" },
	{ "attCertValidity \"20260601000000Z\"", "y" },
	{ "attCertValidity \"20280601000000Z\"", "n" },
	{ "attType { 1.2.3 }", "y" }, { "attType { 1.2.3, role }", "y" },
	{ "attType { 1.2.3, cn }", "n" }, { "attType { nosuch }", "n" },
	{ "attType { }", NULL }, { "attType 1.2.3", NULL },
	{ "holder cn:\"x\"", NULL }, { "holder holderName:{ }", NULL },
	{ "holder baseCertificateID:{ serial 9 }", NULL }
};

static void
test_others(void **state)
{
	(void)state;
	CHECK("certificatePairMatch", PAIR, pair_cases);
	CHECK("attributeCertificateMatch", AC, ac_cases);
}

/* A value given as the assertion is that value. */
static void
test_values(void **state)
{
	static const struct {
		const char *rule;
		enum sample value, other;
	} cases[] = {
		{ "certificateMatch", RICH, BARE },
		{ "certificateListMatch", LIST, BARE_LIST },
		{ "certificatePairMatch", PAIR, RICH },
		{ "attributeCertificateMatch", AC, RICH }
	};
	const struct matching_rule *rule;
	struct slice norm, junk;
	unsigned i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		rule = schema_find_rule(schema, slice_of(cases[i].rule));
		assert_int_equal(schema_norm_assertion(schema, &arena, rule,
		    SUBSTR_WHOLE, samples[cases[i].value], &norm), HB_OK);
		assert_true(slice_is_eq(norm, samples[cases[i].value]));
		assert_true(rule->match(schema, samples[cases[i].value],
		    norm));
		assert_false(rule->match(schema, samples[cases[i].other],
		    norm));
		junk = slice(norm.ptr, norm.len - 1);
		assert_int_equal(schema_norm_assertion(schema, &arena, rule,
		    SUBSTR_WHOLE, junk, &norm), HB_ESYNTAX);
		/* a stored value that is none matches nothing */
		assert_false(rule->match(schema, junk, SLICE("{ }")));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_certificates),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_values)
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
