/* Which values each syntax allows: RFC 4517 3.3 and its like. */
#include "dn.h"
#include "schema_test.h"
#include "util/text.h"

#define OK	true
#define NO	false

struct row {
	const char *value;
	bool ok;
};

#define COUNT(a)	(sizeof(a) / sizeof(*(a)))
#define ROWS(...)	(const struct row[]){ __VA_ARGS__, { NULL, NO } }

#define NETGROUP	"1.3.6.1.1.1.0.0"
#define BOOT		"1.3.6.1.1.1.0.1"
#define CSN		"1.3.6.1.4.1.4203.666.11.2.1"
#define AUTHZ		"1.3.6.1.4.1.4203.666.2.7"

static const struct {
	const char *syntax;	/* arc of RFC 4517, or all of an OID */
	const struct row *rows;
} tables[] = {
	{ "3", ROWS({ "( 1.2.3 SYNTAX 1.3 )", OK },
	    { "( 1.2.3 NAME 'a' DESC 'b c' OBSOLETE SUP name )", OK },
	    { "( 1.2.3 NAME ( 'a' 'b-1' ) EQUALITY caseIgnoreMatch ORDERING "
	    "2.5.13.3 SUBSTR x SYNTAX 1.3{64} SINGLE-VALUE COLLECTIVE "
	    "NO-USER-MODIFICATION USAGE dSAOperation X-A 'b' )", OK },
	    { "(1.2.3 SUP name)", OK }, { "( a-oid SUP name )", NO },
	    { "", NO }, { "()", NO }, { "( )", NO }, { "1.2.3", NO },
	    { "( 1.2.3 )", OK }, { "( 1..3 SUP name )", NO },
	    { "( 1.2.3 SUP name ) x", NO }, { "( 1.2.3 SUP name", NO },
	    { "( 1.2.3 NAME 'a b' SUP name )", NO },
	    { "( 1.2.3 NAME '1a' SUP name )", NO },
	    { "( 1.2.3 SUP name SUP cn )", NO },
	    { "( 1.2.3 SUP name MUST cn )", NO },
	    { "( 1.2.3 SYNTAX 1.3{} )", NO }, { "( 1.2.3 SYNTAX 1.3{x} )", NO },
	    { "( 1.2.3 SYNTAX 1.3{01} )", NO },
	    { "( 1.2.3 SUP name USAGE all )", NO },
	    { "( 1.2.3 DESC '' SUP name )", NO },
	    { "( 1.2.3 DESC '\xff' SUP name )", NO },
	    { "( 1.2.3 SUP )", NO }) },
	{ "5", ROWS({ "\x04\x01x", OK }, { "\x04\x02x", NO }, { "", NO }) },
	{ "6", ROWS({ "'0101'B", OK }, { "''B", OK }, { "'0'B", OK },
	    { "'012'B", NO }, { "'01'", NO }, { "01B", NO }, { "'01'b", NO },
	    { "'01'B ", NO }, { " '01'B", NO }, { "'0 1'B", NO }, { "'B", NO },
	    { "", NO }, { "B", NO }) },
	{ "7", ROWS({ "TRUE", OK }, { "FALSE", OK }, { "true", NO },
	    { "False", NO }, { "TRUE ", NO }, { "T", NO }, { "1", NO },
	    { "", NO }) },
	{ "11", ROWS({ "DE", OK }, { "us", OK }, { "1'", OK }, { "D", NO },
	    { "DEU", NO }, { "D*", NO }, { "\xc3\xa4", NO }, { "", NO }) },
	{ "12", ROWS({ "cn=a,dc=b", OK }, { "", OK }, { "1.2.3=a", OK },
	    { "cn=a+sn=b", OK }, { "cn=#04017a", OK }, { "cn", NO },
	    { "cn=a,", NO }, { "=a", NO }, { "cn=\\zz", NO }) },
	{ "14", ROWS({ "mhs $ telephone", OK }, { "any", OK }, { "ANY", OK },
	    { "mhs$telex$g3fax", OK }, { "physical   $ia5", OK },
	    { "videotex $ teletex $ g4fax", OK }, { "pigeon", NO },
	    { "any $", NO }, { "$ any", NO }, { "", NO }, { " any", NO },
	    { "any ", NO }, { "any telex", NO }, { "any$$telex", NO },
	    { "any,telex", NO }, { "anything", NO }) },
	{ "15", ROWS({ "x", OK }, { "\xc3\xa4", OK }, { " ", OK },
	    { "\xf0\x9f\x98\x80", OK }, { "\xee\x80\x80", OK }, { "", NO },
	    { "\xc3", NO }, { "\xed\xa0\x80", NO }, { "\xc0\x80", NO },
	    { "\xf4\x90\x80\x80", NO }) },
	{ "16", ROWS({ "( 2.5.6.6 )", OK },
	    { "( 2.5.6.6 NAME 'r' AUX ( a $ b ) MUST c MAY ( d ) NOT e )",
	    OK }, { "( 2.5.6.6 SUP a )", NO }, { "( 2.5.6.6 AUX )", NO },
	    { "( 2.5.6.6 AUX ( ) )", NO }, { "( 2.5.6.6 AUX a b )", NO }) },
	{ "17", ROWS({ "( 1 FORM f )", OK },
	    { "( 2 NAME 'n' FORM f SUP ( 1 2 ) )", OK },
	    { "( 2 FORM f SUP 1 )", OK }, { "( 2 )", NO },
	    { "( 1.2 FORM f )", NO }, { "( 02 FORM f )", NO },
	    { "( 2 FORM f SUP x )", NO }, { "( 2 FORM f SUP -1 )", NO }) },
	{ "21", ROWS({ "person#(sn$EQ)#oneLevel", OK },
	    { "person # sn$EQ # wholeSubtree", OK },
	    { "2.5.6.6#cn$SUBSTR&(!sn$GE|?true)#baseobject", OK },
	    { "person#sn$EQ", NO }, { "#sn$EQ#oneLevel", NO },
	    { "person#sn$IS#oneLevel", NO }, { "person##oneLevel", NO },
	    { "person#sn$EQ#all", NO }, { "person#(sn$EQ#oneLevel", NO },
	    { "person#sn$EQ#oneLevel x", NO }, { "", NO }) },
	{ "22", ROWS({ "+1 2", OK }, { "+1 2$twoDimensional", OK },
	    { "1$fineResolution$unlimitedLength$b4Length", OK },
	    { "1$a3Width$b4Width$uncompressed", OK },
	    { "1$TWODIMENSIONAL", OK }, { "$x", NO }, { "1$", NO },
	    { "1$quick", NO }, { "1$ a3Width", NO }, { "", NO },
	    { "1*$a3Width", NO }) },
	{ "24", ROWS({ "20261201002412Z", OK }, { "2026120100Z", OK },
	    { "202612010024Z", OK }, { "202612010024+0130", OK },
	    { "20261201002412.5Z", OK }, { "20261201002412,5Z", OK },
	    { "2026120100,25-05", OK }, { "202612010024.123456789012345Z", OK },
	    { "20240229000000Z", OK }, { "20000229000000Z", OK },
	    { "20261231235960Z", OK }, { "20261201002412+00", OK },
	    { "20261201002412-2359", OK }, { "00000101000000Z", OK },
	    { "20261201002412", NO }, { "20261301002412Z", NO },
	    { "20260001002412Z", NO }, { "20261200002412Z", NO },
	    { "20261131002412Z", NO }, { "20230229000000Z", NO },
	    { "19000229000000Z", NO }, { "20261201242412Z", NO },
	    { "2026120124Z", NO }, { "20261201236012Z", NO },
	    { "20261201235961Z", NO }, { "20261201002412.Z", NO },
	    { "20261201002412.5", NO }, { "20261201002412.5.5Z", NO },
	    { "20261201002412+2500", NO }, { "20261201002412+0060", NO },
	    { "20261201002412+1", NO }, { "20261201002412+010", NO },
	    { "20261201002412+01000", NO }, { "20261201002412ZZ", NO },
	    { "20261201002412z", NO }, { "2026120100241Z", NO },
	    { "20261201Z", NO }, { " 20261201002412Z", NO }, { "", NO }) },
	{ "25", ROWS({ "sn$EQ", OK }, { "person#sn$EQ", OK },
	    { "person # ( sn$APPROX & cn$LE ) | ?false", NO },
	    { "person#(sn$APPROX&cn$LE)|?false", OK },
	    { "!!sn$EQ", OK }, { "?true", OK }, { "( sn $EQ)", OK },
	    { "", NO }, { "sn", NO }, { "sn$", NO }, { "sn$EQ|", NO },
	    { "&sn$EQ", NO }, { "(sn$EQ))", NO }, { "()", NO }) },
	{ "26", ROWS({ "", OK }, { "abc", OK }, { "\x7f\x01", OK },
	    { "\xc3\xa4", NO }) },
	{ "27", ROWS({ "0", OK }, { "-1", OK }, { "10", OK },
	    { "123456789012345678901234567890", OK },
	    { "-123456789012345678901234567890", OK }, { "", NO }, { "-", NO },
	    { "-0", NO }, { "00", NO }, { "01", NO }, { "-01", NO },
	    { "+1", NO }, { "+5", NO }, { "1.5", NO }, { " 1", NO },
	    { "1 ", NO }, { "--1", NO }, { "0x1", NO }) },
	{ "28", ROWS({ "\xff\xd8\xff\xe0", OK }, { "\x89PNG", NO },
	    { "\xff\xd8", NO }, { "", NO }) },
	{ "30", ROWS({ "( 2.5.13.2 NAME 'm' SYNTAX 1.3.6 )", OK },
	    { "( 2.5.13.2 NAME 'm' )", NO }, { "( 2.5.13.2 SYNTAX )", NO },
	    { "( 2.5.13.2 SYNTAX 1.3 APPLIES cn )", NO }) },
	{ "31", ROWS({ "( 2.5.13.2 APPLIES cn )", OK },
	    { "( 2.5.13.2 NAME 'm' OBSOLETE APPLIES ( cn $ 2.5.4.4 ) )", OK },
	    { "( 2.5.13.2 )", NO }, { "( 2.5.13.2 APPLIES ( ) )", NO }) },
	{ "34", ROWS({ "cn=a", OK }, { "cn=a#'01'B", OK }, { "", OK },
	    { "#'0'B", OK }, { "cn=a#''B", OK }, { "cn=a#b", OK },
	    { "cn=a\\#'01'B", OK }, { "cn#'01'B", NO }, { "cn", NO }) },
	{ "35", ROWS({ "( 1.2 OC person MUST cn )", OK },
	    { "( 1.2 NAME 'n' OC person MUST ( cn $ sn ) MAY ou )", OK },
	    { "( 1.2 OC person )", NO }, { "( 1.2 MUST cn )", NO },
	    { "( 1.2 OC ( a $ b ) MUST cn )", NO }) },
	{ "36", ROWS({ "1 2 3", OK }, { " ", OK }, { "1-2", NO },
	    { "1a", NO }, { "", NO }) },
	{ "37", ROWS({ "( 2.5.6.0 )", OK },
	    { "( 2.5.6.0 NAME 'top' ABSTRACT MUST objectClass )", OK },
	    { "( 1.2 SUP ( a $ b ) AUXILIARY MAY ( c $ d ) )", OK },
	    { "( 1.2 ABSTRACT AUXILIARY )", NO }, { "( 1.2 SYNTAX 1.3 )", NO },
	    { "( 1.2 MUST ( a$ b*c ) )", NO }, { "( 1.2 'x' )", NO }) },
	{ "38", ROWS({ "1.2.3", OK }, { "0.9", OK }, { "cn", OK },
	    { "a-1", OK }, { "1.", NO }, { ".1", NO }, { "1..2", NO },
	    { "1.02", NO }, { "-cn", NO }, { "1a", NO },
	    { "a_b", OK },	/* users' schemas have such names */
	    { "a*b", NO }, { "a b", NO }, { "", NO }) },
	{ "39", ROWS({ "mail$a@b", OK }, { "mail$", OK }, { "m$a$b", OK },
	    { "mail", NO }, { "$a@b", NO }, { "m_$a", NO },
	    { "m$\xc3\xa4", NO }, { "", NO }) },
	{ "41", ROWS({ "Main St 1$12345 Town", OK }, { "a", OK }, { " $ ", OK },
	    { "a\\24b\\5Cc\\5c", OK }, { "\xc3\xa4$b", OK }, { "", NO },
	    { "a$", NO }, { "$a", NO }, { "a$$b", NO }, { "a\\b", NO },
	    { "a\\2", NO }, { "a\\", NO }, { "a\\25", NO }, { "\xff", NO }) },
	{ "44", ROWS({ "A-b (c)", OK }, { "'()+,-./:=? aZ09", OK },
	    { "a_b", NO }, { "a\"", NO }, { "a*", NO }, { "a@b", NO },
	    { "", NO }) },
	{ "45", ROWS({ "{}", OK }, { "{ }", OK }, { "{ base \"ou=x\" }", OK },
	    { "{ base \"\", minimum 0, maximum 12 }", OK },
	    { "{ specificExclusions { chopBefore:\"ou=x\", "
	    "chopAfter:\"ou=y\" } }", OK }, { "{ specificExclusions {} }", OK },
	    { "{ specificationFilter item:person }", OK },
	    { "{ specificationFilter item:2.5.6.6 }", OK },
	    { "{ minimum 1, specificationFilter and:{ item:a, or:{ item:b, "
	    "not:item:1.2.3 }, and:{} } }", OK },
	    { "", NO }, { "{", NO }, { "x", NO }, { "{ base ou=x }", NO },
	    { "{ base \"ou\" }", NO }, { "{ base \"ou=x\" } x", NO },
	    { "{ minimum 1 maximum 2 }", NO }, { "{ minimum -1 }", NO },
	    { "{ maximum 2, minimum 1 }", NO }, { "{ minimum 1, }", NO },
	    { "{ minimum 1, minimum 2 }", NO }, { "{ depth 1 }", NO },
	    { "{ specificationFilter person }", NO },
	    { "{ specificationFilter all:{ } }", NO },
	    { "{ specificExclusions { chop:\"ou=x\" } }", NO }) },
	{ "50", ROWS({ "+49 30 123-4", OK }, { "(0) 1", OK }, { "x", OK },
	    { "", NO }, { "1*2", NO }, { "1#", NO }, { "\xc3\xa4", NO }) },
	{ "51", ROWS({ "abc", OK }, { "abc$graphic:x", OK },
	    { "abc$control:$misc:\\24\\5C\xff$page:a:b$private:", OK },
	    { "", NO }, { "$graphic:x", NO }, { "abc$", NO }, { "abc$x:y", NO },
	    { "abc$graphic", NO }, { "abc$misc:\\25", NO }, { "a_", NO }) },
	{ "52", ROWS({ "123$de$abc", OK }, { "1 2$+4$a b", OK },
	    { "123", NO }, { "123$de", NO }, { "123$de$", NO },
	    { "$de$a", NO }, { "1$2$3$4", NO }, { "1$2$_", NO },
	    { "", NO }) },
	{ "53", ROWS({ "2612010024Z", OK }, { "2612010024", OK },
	    { "261201002412", OK }, { "261201002412Z", OK },
	    { "261201002412+0100", OK }, { "2612010024-2359", OK },
	    { "0002290000Z", OK }, { "2612010", NO }, { "2613010024Z", NO },
	    { "2600010024Z", NO }, { "2602290024Z", NO }, { "2604310024Z", NO },
	    { "2612012424Z", NO }, { "2612010060Z", NO },
	    { "261201002460Z", NO }, { "26120100241Z", NO },
	    { "2612010024+01", NO }, { "2612010024+2400", NO },
	    { "2612010024.5Z", NO }, { "2612010024z", NO }, { "", NO }) },
	{ "54", ROWS({ "( 1.3.6 )", OK }, { "( 1.3.6 DESC 'x' X-Y 'z' )", OK },
	    { "( 1.3.6 NAME 'x' )", NO }, { "( x", NO }) },
	{ "58", ROWS({ "*", OK }, { "a*", OK }, { "*a", OK }, { "a*b*c", OK },
	    { "*a\\2a\\5Cb*", OK }, { "\xc3\xa4*", OK }, { "", NO },
	    { "a", NO }, { "**", NO }, { "a**b", NO }, { "a\\b*", NO },
	    { "a*\\", NO }, { "\xff*", NO }) },
	{ NETGROUP, ROWS({ "(h,u,d)", OK }, { "(,,)", OK }, { "(-,-,-)", OK },
	    { "(h,u)", NO }, { "h,u,d", NO }, { "(a,b,c,d)", NO },
	    { "(a,(,c)", NO }, { "(\xc3\xa4,,)", NO }, { "", NO }) },
	{ BOOT, ROWS({ "root=fs:/nfs", OK }, { "root=fs", NO },
	    { "=fs:/nfs", NO }, { "root=fs:", NO }, { "", NO }) },
	{ "1.3.6.1.1.16.1", ROWS(
	    { "597ae2f6-16a6-1027-98f4-D28B5365dc14", OK },
	    { "597ae2f616a6-1027-98f4-d28b5365dc14", NO },
	    { "597ae2f6-16a6-1027-98f4-d28b5365dc1g", NO },
	    { "597ae2f6-16a6-1027-98f4-d28b5365dc1", NO },
	    { "{597ae2f6-16a6-1027-98f4-d28b5365dc}", NO }, { "", NO }) },
	{ CSN, ROWS({ "20261201103000.123456Z#000000#001#000000", OK },
	    { "20061201103000Z#000000#01#000000", OK },
	    { "20261201103000.12345Z#000000#001#000000", NO },
	    { "20261201103000.123456Z#00000g#001#000000", NO }, { "", NO }) },
	{ "1.3.6.1.4.1.4203.666.11.2.4", ROWS({ "00a", OK }, { "FFF", OK },
	    { "0a", NO }, { "00g", NO }, { "", NO }) },
	{ "1.3.6.1.4.1.4203.1.1.2", ROWS({ "SHA1$c2FsdA==$aGFzaA==", OK },
	    { " MD5 $ a $ b ", OK }, { "X-Y_1/2.3$$", OK }, { "md5$a$b", NO },
	    { "$a$b", NO }, { "MD5$a", NO }, { "MD5", NO }, { "M+5$a$b", NO },
	    { "MD5$a b$c", NO }, { "MD5$a$b$c", NO }, { "", NO }) },
	{ AUTHZ, ROWS({ "dn.regex:^uid=.*$", OK },
	    { "u.digest-md5/realm:joe", OK },
	    { "group/groupOfNames/member:cn=x", OK },
	    { "ldap:///dc=x??sub?(uid=*)", OK }, { "*", OK }, { "cn=a", OK },
	    { "u:", NO }, { "", NO }) },
	{ "1.2.36.79672281.1.5.0", ROWS({ "cn=a+sn=b", OK },
	    { "cn=a\\,b", OK }, { "cn=a,dc=x", NO }, { "", NO }) },
};

static const struct syntax *
find(const struct schema *schema, const char *syntax)
{
	char oid[64];

	snprintf(oid, sizeof(oid), "%s%s", strchr(syntax, '.') != NULL ? "" :
	    S_ARC, syntax);
	return schema_find_syntax(schema, slice_of(oid));
}

static void
test_syntaxes(void **state)
{
	const struct schema *schema = *state;
	const struct syntax *s;
	const struct row *row;
	unsigned i;
	int rc;

	for (i = 0; i < COUNT(tables); i++) {
		s = find(schema, tables[i].syntax);
		assert_non_null(s);
		assert_non_null(s->validate);
		for (row = tables[i].rows; row->value != NULL; row++) {
			rc = s->validate(schema, slice_of(row->value));
			if (rc != (row->ok ? HB_OK : HB_ESYNTAX))
				fail_msg("%s: '%s': %d", s->desc, row->value,
				    rc);
		}
	}
}

/* Syntaxes that no RFC gives a grammar take anything. */
static void
test_opaque(void **state)
{
	static const char *const opaque[] = {
		"1", "2", "4", "13", "19", "20", "23", "29", "32", "33", "40",
		"42", "43", "55", "56", "57"
	};
	unsigned i;

	for (i = 0; i < COUNT(opaque); i++)
		assert_null(find(*state, opaque[i])->validate);
}

static void
check_nul(const struct schema *schema, const char *syntax, const char *text,
    size_t len, int want)
{
	assert_int_equal(find(schema, syntax)->validate(schema,
	    slice(text, len)), want);
}

/* NUL is a character where the grammar has %x00, and none elsewhere. */
static void
test_nul(void **state)
{
	check_nul(*state, "15", "a\0b", 3, HB_OK);
	check_nul(*state, "26", "\0", 1, HB_OK);
	check_nul(*state, "41", "a\0$b", 4, HB_OK);
	check_nul(*state, "44", "a\0", 2, HB_ESYNTAX);
	check_nul(*state, "36", "1\0", 2, HB_ESYNTAX);
	check_nul(*state, "27", "1\0", 2, HB_ESYNTAX);
	check_nul(*state, "24", "2026120100Z\0", 12, HB_ESYNTAX);
	check_nul(*state, "50", "\0", 1, HB_ESYNTAX);
	check_nul(*state, "52", "1$2$\0", 5, HB_ESYNTAX);
	check_nul(*state, "7", "TRUE\0", 5, HB_ESYNTAX);
	check_nul(*state, "1.3.6.1.4.1.4203.1.1.2", "A\0$a$b", 6, HB_ESYNTAX);
}

/* What nests deeply is refused, not followed. */
static void
test_depth(void **state)
{
	enum { N = 100000 };
	struct buf b;
	unsigned i;

	buf_init(&b);
	for (i = 0; i < N; i++)
		buf_put_char(&b, '(');
	assert_int_equal(find(*state, "25")->validate(*state, buf_slice(&b)),
	    HB_ESYNTAX);
	buf_reset(&b);
	buf_put_str(&b, "{ specificationFilter ");
	for (i = 0; i < N; i++)
		buf_put_str(&b, "not:");
	buf_put_str(&b, "item:a }");
	assert_int_equal(find(*state, "45")->validate(*state, buf_slice(&b)),
	    HB_ESYNTAX);
	buf_fini(&b);
}

/* Each day of some years, in both time syntaxes. */
static void
test_days(void **state)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31,
		30, 31 };
	static const int years[] = { 1950, 1996, 1999, 2000, 2023, 2024, 2049 };
	unsigned i;
	int month, day, last;
	char text[32];
	bool ok;

	for (i = 0; i < COUNT(years); i++) {
		for (month = 1; month <= 12; month++) {
			last = days[month - 1] + (month == 2 &&
			    years[i] % 4 == 0);
			for (day = 0; day <= 32; day++) {
				ok = day >= 1 && day <= last;
				snprintf(text, sizeof(text), "%04d%02d%02d00Z",
				    years[i], month, day);
				assert_int_equal(find(*state, "24")->validate(
				    *state, slice_of(text)) == HB_OK, ok);
				snprintf(text, sizeof(text),
				    "%02d%02d%02d0000Z", years[i] % 100, month,
				    day);
				assert_int_equal(find(*state, "53")->validate(
				    *state, slice_of(text)) == HB_OK, ok);
			}
		}
	}
}

static int
setup(void **state)
{
	dn_init();
	*state = schema_new();
	return 0;
}

static int
teardown(void **state)
{
	struct schema *schema = *state;

	schema_free(&schema);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_syntaxes),
		cmocka_unit_test(test_opaque),
		cmocka_unit_test(test_nul),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_days),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
