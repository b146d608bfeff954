/*
 * RFC 4514 to the letter: every escape, blank, quote and #hex, types by every
 * name, and what is said of a string that is no DN.
 */
#include "sample.h"
#include "util/text.h"

static struct schema *schema;

struct form_case {
	struct slice in;
	const char *text, *norm;
};

#define FORM(in, text, norm)	{ SLICE(in), text, norm }

static const struct form_case forms[] = {
	/* RFC 4514 2.4, 3: special characters, as themselves and in hex */
	FORM("cn=a\\\"b", "cn=a\\22b", "cn=a\\22b"),
	FORM("cn=a\\+b", "cn=a\\2Bb", "cn=a\\2Bb"),
	FORM("cn=a\\,b", "cn=a\\2Cb", "cn=a\\2Cb"),
	FORM("cn=a\\;b", "cn=a\\3Bb", "cn=a\\3Bb"),
	FORM("cn=a\\<b", "cn=a\\3Cb", "cn=a\\3Cb"),
	FORM("cn=a\\>b", "cn=a\\3Eb", "cn=a\\3Eb"),
	FORM("cn=a\\\\b", "cn=a\\5Cb", "cn=a\\5Cb"),
	FORM("cn=a\\=b", "cn=a\\3Db", "cn=a\\3Db"),
	FORM("cn=a=b", "cn=a\\3Db", "cn=a\\3Db"),
	FORM("cn=a\\#b", "cn=a#b", "cn=a#b"),
	FORM("cn=a\\ b", "cn=a b", "cn=a b"),
	FORM("cn=\\#b", "cn=\\23b", "cn=\\23b"),
	FORM("cn=\\ b", "cn=\\20b", "cn=b"),
	FORM("cn=b\\ ", "cn=b\\20", "cn=b"),
	FORM("cn=b\\  ", "cn=b\\20", "cn=b"),
	FORM("cn=b \\ ", "cn=b \\20", "cn=b"),
	FORM("cn=\\ ", "cn=\\20", "cn=\\20"),
	FORM("cn=\\20\\20", "cn=\\20\\20", "cn=\\20"),
	FORM("cn=\\22\\2b\\2c\\3b\\3c\\3e\\5c\\3d\\23",
	    "cn=\\22\\2B\\2C\\3B\\3C\\3E\\5C\\3D#",
	    "cn=\\22\\2B\\2C\\3B\\3C\\3E\\5C\\3D#"),
	FORM("cn=\\61\\4A", "cn=aJ", "cn=aj"),
	/* pairs that make a character of UTF-8 (the RFC's own example) */
	FORM("sn=Lu\\C4\\8Di\\C4\\87", "sn=Lu\xc4\x8di\xc4\x87",
	    "sn=lu\xc4\x8di\xc4\x87"),
	FORM("cn=\\E2\\82\\ac", "cn=\xe2\x82\xac", "cn=\xe2\x82\xac"),
	FORM("cn=\\f0\\9f\\98\\80", "cn=\xf0\x9f\x98\x80",
	    "cn=\xf0\x9f\x98\x80"),
	FORM("cn=\xc3\x84\\2C\xc3\x96", "cn=\xc3\x84\\2C\xc3\x96",
	    "cn=\xc3\xa4\\2C\xc3\xb6"),
	/* octets that are no UTF-8 stay escaped, all beyond ASCII of them */
	FORM("odd=\\C3\\A4\\C3", "odd=\\C3\\A4\\C3", "odd=\\C3\\A4\\C3"),
	FORM("userPassword=\\ffx", "userPassword=\\FFx", "userpassword=\\FFx"),
	/* NUL and control characters */
	FORM("odd=\\00", "odd=\\00", "odd=\\00"),
	FORM("odd=a\tb\n", "odd=a\\09b\\0A", "odd=a\\09b\\0A"),
	FORM("odd=\x7f", "odd=\\7F", "odd=\\7F"),
	FORM("cn=a\\0Db", "cn=a\\0Db", "cn=a b"),
	/* blanks around everything */
	FORM("  cn = a b  + sn = c  ,  dc = x  ", "cn=a b+sn=c,dc=x",
	    "cn=a b+sn=c,dc=x"),
	FORM("cn=a  b", "cn=a  b", "cn=a b"),
	FORM("exact=A  B", "exact=A  B", "exact=A B"),
	FORM("odd=A  B ", "odd=A  B", "odd=A  B"),
	/* no characters are as good as blanks (RFC 4518 2.6.1) */
	FORM("dc= ", "dc=", "dc=\\20"),
	FORM("dc= , dc=\\ ", "dc=,dc=\\20", "dc=\\20,dc=\\20"),
	/* ';' (RFC 2253 4) and quotes (RFC 1779) */
	FORM("cn=a;dc=x", "cn=a,dc=x", "cn=a,dc=x"),
	FORM("cn=\"a,b;c+d=e<f>\" ,dc=x",
	    "cn=a\\2Cb\\3Bc\\2Bd\\3De\\3Cf\\3E,dc=x",
	    "cn=a\\2Cb\\3Bc\\2Bd\\3De\\3Cf\\3E,dc=x"),
	FORM("cn=\" a \"", "cn=\\20a\\20", "cn=a"),
	FORM("cn=\"#a\"", "cn=\\23a", "cn=\\23a"),
	FORM("cn=\"\\\"\\\\\\41\"", "cn=\\22\\5CA", "cn=\\22\\5Ca"),
	FORM("cn=\"\xc3\x84\"", "cn=\xc3\x84", "cn=\xc3\xa4"),
	FORM("odd=\"\"", "odd=", "odd="),
	/* #hex: strings of known types decoded, the rest kept */
	FORM("cn=#0c0141", "cn=A", "cn=a"),
	FORM("cn=#130141", "cn=A", "cn=a"),
	FORM("cn=#160141", "cn=A", "cn=a"),
	FORM("cn=#1a0141", "cn=A", "cn=a"),
	FORM("uid=#120131", "uid=1", "uid=1"),
	FORM("userPassword=#0401FF", "userPassword=\\FF", "userpassword=\\FF"),
	FORM("cn=#0C810141", "cn=A", "cn=a"),
	FORM("cn=#0C82000141  ,dc=x", "cn=A,dc=x", "cn=a,dc=x"),
	FORM("cn=#0C03612C62", "cn=a\\2Cb", "cn=a\\2Cb"),
	FORM("cn=#0C024142+sn=#0C0143", "cn=AB+sn=C", "cn=ab+sn=c"),
	FORM("cn=#0C0241", "cn=#0c0241", "cn=#0c0241"),
	FORM("cn=#0C014142", "cn=#0c014142", "cn=#0c014142"),
	FORM("cn=#0C800000", "cn=#0c800000", "cn=#0c800000"),
	FORM("cn=#0C", "cn=#0c", "cn=#0c"),
	FORM("cn=#020105", "cn=#020105", "cn=#020105"),
	FORM("odd=#0C0141", "odd=#0c0141", "odd=#0c0141"),
	FORM("1.2.3=#0C0141", "1.2.3=#0c0141", "1.2.3=#0c0141"),
	/* types: every name, OID, "OID." */
	FORM("commonName=x", "cn=x", "cn=x"),
	FORM("CN=x", "cn=x", "cn=x"),
	FORM("2.5.4.3=x", "cn=x", "cn=x"),
	FORM("OID.2.5.4.3=x", "cn=x", "cn=x"),
	FORM("oId.0.9.2342.19200300.100.1.25=x", "dc=x", "dc=x"),
	FORM("oid.1.2.3=x", "1.2.3=x", "1.2.3=x"),
	FORM("ORGANIZATIONALUNITNAME=x", "ou=x", "ou=x"),
	FORM("TelephoneNumber=1", "telephoneNumber=1", "telephonenumber=1"),
	FORM("telephoneNumbers=1", "telephoneNumbers=1", "telephonenumbers=1"),
	FORM("c-n=x", "c-n=x", "c-n=x"),
	FORM("c_n=x", "c_n=x", "c_n=x"),
	FORM("0.10=x", "0.10=x", "0.10=x"),
	FORM("OID=x", "OID=x", "oid=x"),
	/* unknown types: case counts in the value, not in the name */
	FORM("OdD=VaLuE", "OdD=VaLuE", "odd=VaLuE"),
	/* AVAs in the order of their compared forms */
	FORM("sn=a+cn=b+dc=c+Odd=d", "cn=b+dc=c+Odd=d+sn=a",
	    "cn=b+dc=c+odd=d+sn=a"),
	FORM("sn=\\,+2.5.4.3=\"+\"", "cn=\\2B+sn=\\2C", "cn=\\2B+sn=\\2C"),
	/* values whose normal form is none: it can be read again all the same */
	FORM("telephoneNumber=-", "telephoneNumber=-", "telephonenumber=\\20"),
	FORM("telephoneNumber=\\ -", "telephoneNumber=\\20-",
	    "telephonenumber=\\20"),
	/* RFC 4518 2.4 prohibits U+FDD2 */
	FORM("cn=A\xef\xb7\x92", "cn=A\xef\xb7\x92",
	    "cn=#c0820005ff41efb792"),
	FORM("entryUUID=597AE2F6-16a6-1027-98f4-d28b5365dc14",
	    "entryUUID=597AE2F6-16a6-1027-98f4-d28b5365dc14",
	    "entryuuid=#c0820010597ae2f616a6102798f4d28b5365dc14"),
};

static void
check_forms(struct arena *arena, const struct form_case *c)
{
	struct diag diag = DIAG_INIT;
	struct dn dn, again;
	int rc;

	rc = dn_parse(arena, schema, c->in, &dn, &diag);
	if (rc != (c->text == NULL ? HB_EDNSYNTAX : HB_OK))
		print_message("%.*s: %s\n", SLICE_ARG(c->in), diag.text);
	assert_int_equal(rc, c->text == NULL ? HB_EDNSYNTAX : HB_OK);
	if (c->text == NULL)
		return;
	assert_slice_is(dn.text, c->text);
	assert_slice_is(dn.norm, c->norm);
	assert_int_equal(dn_parse(arena, schema, dn.text, &again, NULL), HB_OK);
	assert_slice_is(again.text, c->text);
	assert_slice_is(again.norm, c->norm);
	assert_int_equal(dn_parse(arena, schema, dn.norm, &again, NULL), HB_OK);
	assert_slice_is(again.norm, c->norm);
}

static void
canonical_forms(void **state)
{
	struct arena arena;
	size_t i;

	(void)state;
	arena_init(&arena, 0);
	for (i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		check_forms(&arena, &forms[i]);
	arena_fini(&arena);
}

struct error_case {
	struct slice in;
	const char *text;
};

#define ERROR(in, text)		{ SLICE(in), "invalid DN: " text }
#define AFTER_BACKSLASH \
	"special character or two hex digits expected after '\\' "
#define A_TYPE	"attribute type (a name or a dotted OID) expected "

static const struct error_case errors[] = {
	ERROR("cn", "'=' expected at offset 2"),
	ERROR("cn ,dc=x", "'=' expected at offset 3"),
	ERROR("cn=a,dc", "'=' expected at offset 7"),
	ERROR("cn;lang-en=x", "'=' expected (a DN has no attribute options) "
	    "at offset 2"),
	ERROR("cn=a+sn;binary=x", "'=' expected (a DN has no attribute "
	    "options) at offset 7"),
	ERROR("=x", "attribute type expected at offset 0"),
	ERROR("cn=a,", "attribute type expected at offset 5"),
	ERROR("cn=a, ", "attribute type expected at offset 6"),
	ERROR("cn=a;", "attribute type expected at offset 5"),
	ERROR("cn=a+", "attribute type expected at offset 5"),
	ERROR(",cn=a", "attribute type expected at offset 0"),
	ERROR("cn=a,,dc=x", "attribute type expected at offset 5"),
	ERROR("c\xc3\xa4=x", "'=' expected at offset 1"),
	ERROR("cn\0=x", "'=' expected at offset 2"),
	ERROR("1=x", A_TYPE "at offset 0"),
	ERROR("1.=x", A_TYPE "at offset 0"),
	ERROR(".1=x", A_TYPE "at offset 0"),
	ERROR("1..2=x", A_TYPE "at offset 0"),
	ERROR("1.02=x", A_TYPE "at offset 0"),
	ERROR("2.5.4.03=x", A_TYPE "at offset 0"),
	ERROR("00.1=x", A_TYPE "at offset 0"),
	ERROR("1.2a=x", A_TYPE "at offset 0"),
	ERROR("2cn=x", A_TYPE "at offset 0"),
	ERROR("-a=x", A_TYPE "at offset 0"),
	ERROR("_a=x", A_TYPE "at offset 0"),
	ERROR("a.b=x", A_TYPE "at offset 0"),
	ERROR("oid.cn=x", A_TYPE "at offset 0"),
	ERROR("oid.=x", A_TYPE "at offset 0"),
	ERROR("OID.oid.2.5.4.3=x", A_TYPE "at offset 0"),
	ERROR("OID.1=x", A_TYPE "at offset 0"),
	ERROR("cn=a+cn=b", "attribute type that is in this RDN already "
	    "at offset 5"),
	ERROR("cn=a + 2.5.4.3=a", "attribute type that is in this RDN already "
	    "at offset 7"),
	ERROR("odd=a+ODD=b", "attribute type that is in this RDN already "
	    "at offset 6"),
	ERROR("cn=a\\", AFTER_BACKSLASH "at offset 5"),
	ERROR("cn=a\\g", AFTER_BACKSLASH "at offset 5"),
	ERROR("cn=a\\\n", AFTER_BACKSLASH "at offset 5"),
	ERROR("cn=\"a\\g\"", AFTER_BACKSLASH "at offset 6"),
	ERROR("cn=a\\4", "second hex digit of the escape expected at offset 6"),
	ERROR("cn=a\\4g", "second hex digit of the escape expected "
	    "at offset 6"),
	ERROR("cn=a<b", "escape of the character expected at offset 4"),
	ERROR("cn=a>b", "escape of the character expected at offset 4"),
	ERROR("cn=a\"b", "escape of the character expected at offset 4"),
	ERROR("odd=a\0b", "escape of the character expected at offset 5"),
	ERROR("odd=\"a\0b\"", "\\00 instead of NUL expected at offset 6"),
	ERROR("cn=\"a", "closing quote expected at offset 5"),
	ERROR("cn=\"a\\\"", "closing quote expected at offset 7"),
	ERROR("cn=\"a\"b", "',' or '+' expected at offset 6"),
	ERROR("cn=#0401412", "pair of hex digits expected at offset 11"),
	ERROR("cn=#", "pair of hex digits expected at offset 4"),
	ERROR("cn=#x", "pair of hex digits expected at offset 4"),
	ERROR("cn=#0403414243x", "',' or '+' expected at offset 14"),
	ERROR("odd=a\xc3", "well-formed UTF-8 expected at offset 5"),
	ERROR("odd=\xc3\xa4\xc3\\A4", "well-formed UTF-8 expected at offset 6"),
	ERROR("odd=\xed\xa0\x80", "well-formed UTF-8 expected at offset 4"),
	ERROR("odd=\"\xff\"", "well-formed UTF-8 expected at offset 5"),
	ERROR("cn=", "cn: value is empty at offset 3"),
	ERROR("cn= ,dc=x", "cn: value is empty at offset 4"),
	ERROR("cn=\"\"", "cn: value is empty at offset 3"),
	ERROR("cn=#0400", "cn: value is empty at offset 3"),
	ERROR("cn=x,c=", "c: value is empty at offset 7"),
	ERROR("cn=\\C3", "cn: value is not well-formed UTF-8 at offset 3"),
	ERROR("dc=\\C3\\A4", "dc: value is not an ASCII string "
	    "at offset 3"),
};

static void
error_texts(void **state)
{
	const struct error_case *c;
	struct arena arena;
	struct diag diag;
	struct dn dn;
	size_t i;

	(void)state;
	arena_init(&arena, 0);
	for (i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		c = &errors[i];
		diag_clear(&diag);
		assert_int_equal(dn_parse(&arena, schema, c->in, &dn, &diag),
		    HB_EDNSYNTAX);
		assert_string_equal(diag.text, c->text);
		assert_int_equal(dn_parse(&arena, schema, c->in, &dn, NULL),
		    HB_EDNSYNTAX);
	}
	arena_fini(&arena);
}

/* "t0=v+t1=v+...", N of them. */
static struct slice
many_avas(char *out, size_t size, unsigned n)
{
	size_t len = 0;
	unsigned i;

	for (i = 0; i < n; i++)
		len += (size_t)snprintf(out + len, size - len, "%st%u=v",
		    i == 0 ? "" : "+", n - i);
	return slice(out, len);
}

static void
limits(void **state)
{
	char text[DN_LEN_MAX + 3];
	struct diag diag = DIAG_INIT;
	struct arena arena;
	struct ava *avas;
	struct dn dn;
	unsigned n, i;

	(void)state;
	arena_init(&arena, 0);
	assert_int_equal(dn_parse(&arena, schema, many_avas(text, sizeof(text),
	    64), &dn, NULL), HB_OK);
	assert_int_equal(dn_rdn_avas(&arena, schema, &dn, &avas, &n), HB_OK);
	assert_int_equal(n, 64);
	assert_true(slice_has_prefix(dn.norm, SLICE("t10=v+t11=v+")));
	assert_int_equal(dn_parse(&arena, schema, many_avas(text, sizeof(text),
	    65), &dn, &diag), HB_EDNSYNTAX);
	assert_string_equal(diag.text, "invalid DN: no more than 64 values in "
	    "an RDN expected at offset 376");
	/* many RDNs, and as long as can be */
	for (i = 0; i < DN_LEN_MAX; i += 4)
		memcpy(text + i, "o=x,", 4);
	assert_int_equal(dn_parse(&arena, schema, slice(text, DN_LEN_MAX - 1),
	    &dn, NULL), HB_OK);
	assert_int_equal(dn_depth(&dn), DN_LEN_MAX / 4);
	/* the compared form counts too: U+FDFA is 33 octets then */
	memcpy(text, "cn=", 3);
	for (i = 0; i < 300; i++)
		memcpy(text + 3 + 3 * i, "\xef\xb7\xba", 3);
	diag_clear(&diag);
	assert_int_equal(dn_parse(&arena, schema, slice(text, 903), &dn,
	    &diag), HB_EDNSYNTAX);
	assert_string_equal(diag.text,
	    "invalid DN: at most 8192 octets expected");
	memset(text, 'a', 520);
	text[512] = text[513] = '=';
	assert_int_equal(dn_parse(&arena, schema, slice(text, 514), &dn, NULL),
	    HB_OK);
	text[512] = 'a';
	assert_int_equal(dn_parse(&arena, schema, slice(text, 515), &dn, NULL),
	    HB_EDNSYNTAX);
	arena_fini(&arena);
}

/* LEVELS of member= around cn=A, each escaped once more. */
static struct slice
nested(struct arena *arena, unsigned levels)
{
	struct slice s = SLICE("cn=A\\, B");
	struct buf buf;

	buf_init(&buf);
	while (levels-- > 0) {
		buf_reset(&buf);
		buf_put_str(&buf, "member=");
		dn_put_escaped(&buf, s);
		s = arena_slice(arena, buf_slice(&buf));
	}
	buf_fini(&buf);
	return s;
}

static void
nesting(void **state)
{
	struct arena arena;
	struct dn dn, again;
	unsigned i;

	(void)state;
	arena_init(&arena, 0);
	for (i = 0; i < 8; i++) {
		if (i > 4) {
			assert_int_equal(dn_parse(&arena, schema,
			    nested(&arena, i), &dn, NULL), HB_EDNSYNTAX);
			continue;
		}
		dn = sample_dn(&arena, schema, nested(&arena, i).ptr);
		assert_int_equal(dn_depth(&dn), 1);
		again = sample_dn(&arena, schema, dn.norm.ptr);
		assert_true(dn_is_eq(&dn, &again));
	}
	arena_fini(&arena);
}

/* What the flags of a type promise (schema.h), for every pair of characters. */
static void
plain_type(const struct attr_type *t, void *arg)
{
	struct arena *arena = arg;
	char value[4] = "a..b", want[4];
	unsigned x, y, flags = t->flags & (AT_PLAIN_FOLD | AT_PLAIN_EXACT);
	struct slice norm;

	if (flags == 0)
		return;
	assert_true(flags == AT_PLAIN_FOLD || flags == AT_PLAIN_EXACT);
	for (x = ' '; x <= '~'; x++) {
		for (y = ' ' + (x == ' '); y <= '~'; y++) {
			value[1] = (char)x;
			value[2] = (char)y;
			memcpy(want, value, 4);
			if (flags == AT_PLAIN_FOLD)
				text_tolower(want, 4);
			assert_int_equal(schema_check_value(schema, &t->desc,
			    slice(value, 4), NULL), HB_OK);
			assert_int_equal(schema_norm_value(schema, arena,
			    &t->desc, slice(value, 4), &norm), HB_OK);
			assert_int_equal(norm.len, 4);
			assert_memory_equal(norm.ptr, want, 4);
		}
	}
	arena_reset(arena);
}

static void
plain_flags(void **state)
{
	struct arena arena;

	(void)state;
	arena_init(&arena, 0);
	schema_each_type(schema, plain_type, &arena);
	assert_true(schema_builtin(schema, "cn")->type->flags & AT_PLAIN_FOLD);
	assert_true(schema_builtin(schema, "dc")->type->flags & AT_PLAIN_FOLD);
	assert_true(schema_builtin(schema, "exact")->type->flags &
	    AT_PLAIN_EXACT);
	arena_fini(&arena);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(canonical_forms),
		cmocka_unit_test(error_texts),
		cmocka_unit_test(limits),
		cmocka_unit_test(nesting),
		cmocka_unit_test(plain_flags),
	};
	int rc;

	schema = sample_schema();
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	schema_free(&schema);
	return rc;
}
