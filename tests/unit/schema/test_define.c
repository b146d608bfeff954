/* Definitions: what is accepted, what is refused and how that is said. */
#include "schema_test.h"

#define OID	"1.2.3.4"

enum kind { TYPE, CLASS, RULE, SYNTAX };

static int
add(struct schema *s, enum kind kind, const char *text,
    struct schema_note *note, struct diag *diag)
{
	struct slice t = slice_of(text);

	switch (kind) {
	case TYPE:
		return schema_add_attr_type(s, t, "a.schema", 7, note, diag);
	case CLASS:
		return schema_add_object_class(s, t, "a.schema", 7, note,
		    diag);
	case RULE:
		return schema_add_content_rule(s, t, "a.schema", 7, note,
		    diag);
	case SYNTAX:
		break;
	}
	return schema_add_syntax(s, t, "a.schema", 7, note, diag);
}

static const struct {
	enum kind kind;
	const char *text;
} good[] = {
	{ TYPE, "( " OID " NAME 'x' SYNTAX " S_ARC "15 )" },
	{ TYPE, "(" OID " NAME 'x' SYNTAX " S_ARC "15)" },
	{ TYPE, "( " OID " name ( 'x' 'y' ) desc 'a (b) $' sup name )" },
	{ TYPE, "( '" OID "' NAME x SUP 'name' )" },
	{ TYPE, "( " OID " NAME 'x' SYNTAX '" S_ARC "15{64}' )" },
	{ TYPE, "( " OID " SYNTAX " S_ARC "15 )" },
	{ TYPE, "(" OID " NAME('x''y')SUP name)" },
	{ TYPE, "( " OID " NAME'x'DESC'a'SUP name )" },
	{ TYPE, "( " OID " NAME 'x' DESC '' SUP name )" },
	{ TYPE, "( " OID " NAME ( ) SUP name )" },
	{ TYPE, "( " OID " NAME ( x $ y ) DESC plain SUP name )" },
	{ TYPE, "( " OID " DESC 'gr\xc3\xb6\xc3\x9f" "e' SUP name NAME 'x' )" },
	{ TYPE, "( " OID " NAME 'x' DESC 'it\\27s' SUP name )" },
	{ TYPE, "( " OID " NAME 'x' SYNTAX " S_ARC "15{} )" },
	{ TYPE, "( " OID " NAME 'x' SYNTAX " S_ARC "15{99999999999} )" },
	{ TYPE, "( " OID " NAME 'x' SYNTAX " S_ARC "24 EQUALITY "
	    "generalizedTimeMatch SUBSTR caseIgnoreSubstringsMatch )" },
	{ TYPE, "( " OID " NAME 'x' SYNTAX " S_ARC "15 SUBSTR "
	    "numericStringSubstringsMatch EQUALITY caseIgnoreMatch )" },
	{ TYPE, "( " OID " NAME 'x' SUP name X-A 'a' SINGLE-VALUE )" },
	{ TYPE, "( my:7 NAME 'x' SYNTAX syn:15{32} )" },
	{ TYPE, "( my NAME 'x' SYNTAX dirstr EQUALITY caseIgnoreMatch )" },
	{ TYPE, "( " OID " NAME 'x' SYNTAX " S_ARC "27 EQUALITY 2.5.13.14 )" },
	{ TYPE, "( " OID " NAME 'x_y' SUP NAME SINGLE-VALUE )" },
	{ TYPE, "( " OID " NAME 'x' SUP name X-FOO 'a' X-BAR ( 'b' 'c' ) )" },
	{ TYPE, "( " OID "\tNAME 'x'\r\n SUP name\t)" },
	{ TYPE, "( " OID " NAME 'x' SUP name COLLECTIVE )" },
	{ TYPE, "( " OID " NAME 'x' SYNTAX " S_ARC "12 "
	    "EQUALITY distinguishedNameMatch USAGE DSAOPERATION )" },
	{ CLASS, "( " OID " NAME 'x' SUP top MUST cn MAY ( uid $ ref ) )" },
	{ CLASS, "( " OID " NAME 'x' SUP ( top $ alias ) STRUCTURAL )" },
	{ CLASS, "(" OID " NAME 'x' MUST(cn$uid)MAY(description))" },
	{ CLASS, "( " OID " NAME 'x' SUP ( top ) MAY ( cn $ ) MUST ( ) )" },
	{ CLASS, "( my:1.2 NAME 'x' AUXILIARY MAY ( cn ) )" },
	{ CLASS, "( " OID " NAME 'x' ABSTRACT MAY ( cn $ cn ) )" },
	{ RULE, "( 2.5.6.1 NAME 'x' AUX dynamicObject MUST uid NOT cn )" },
	{ RULE, "( alias AUX ( dynamicObject $ extensibleObject ) )" },
	{ SYNTAX, "( " OID " DESC 'mine' X-SUBST '" S_ARC "15' )" },
	{ SYNTAX, "( " S_ARC "15 DESC 'known' )" },
	{ SYNTAX, "( " OID " DESC 'any octets' )" },
	{ SYNTAX, "( " OID " )" },
	{ SYNTAX, "( my:4 DESC 'mine' X-SUBST 'syn:26' )" },
};

static struct schema *
new_schema(void)
{
	struct schema *s = schema_new();

	assert_int_equal(schema_add_macro(s, SLICE("my"),
	    SLICE("1.2.3.9"), NULL, 0, NULL, NULL), HB_OK);
	assert_int_equal(schema_add_macro(s, SLICE("syn"),
	    SLICE("1.3.6.1.4.1.1466.115.121.1"), NULL, 0, NULL, NULL), HB_OK);
	assert_int_equal(schema_add_macro(s, SLICE("dirstr"),
	    SLICE("SYN:15"), NULL, 0, NULL, NULL), HB_OK);
	return s;
}

static void
test_good(void **state)
{
	struct diag diag;
	struct schema *s;
	unsigned i;
	struct schema_note note;
	int rc;

	(void)state;
	for (i = 0; i < sizeof(good) / sizeof(*good); i++) {
		s = new_schema();
		diag_clear(&diag);
		rc = add(s, good[i].kind, good[i].text, &note, &diag);
		if (rc != HB_OK)
			fail_msg("%s: %s", good[i].text, diag.text);
		rc = add(s, good[i].kind, good[i].text, &note, &diag);
		assert_int_equal(rc, HB_OK);
		assert_true(note.same);
		schema_freeze(s);
		schema_free(&s);
		assert_null(s);
	}
}

static const struct {
	enum kind kind;
	const char *text, *says;
} bad[] = {
	{ TYPE, "", "'('" },
	{ TYPE, "( ", "an OID" },
	{ TYPE, OID " NAME 'x'", "'('" },
	{ TYPE, "( " OID " NAME 'x' SUP name", "')'" },
	{ TYPE, "( " OID " NAME 'x SUP name )", "closing quote" },
	{ TYPE, "( " OID " NAME ( 'x' 'X' ) SUP name )", "'X' is given twice" },
	{ TYPE, "( " OID " NAME 'x' SYNTAX " S_ARC "15{-1} )",
	    "malformed length" },
	{ TYPE, "( " OID " NAME 'x' SYNTAX " S_ARC "15{1}2 )",
	    "malformed length" },
	{ TYPE, "( " OID " NAME 'x' DESC two words SUP name )",
	    "unknown keyword 'words'" },
	{ TYPE, "( NAME 'x' SUP name )", "attributetype: 'NAME' where an OID" },
	{ TYPE, "( " OID " NAME 'x' SUP name SUP name )", "SUP is given twice" },
	{ TYPE, "( " OID " NAME 'x' SUPP name )", "did you mean SUP?" },
	{ TYPE, "( " OID " NAME 'x' )", "needs a SYNTAX or a SUP" },
	{ TYPE, "( " OID " NAME '1x' SUP name )", "no valid name" },
	{ TYPE, "( foo NAME 'x' SUP name )", "neither an OID" },
	{ TYPE, "( 1..2 NAME 'x' SUP name )", "neither an OID" },
	{ TYPE, "( " OID " NAME 'x' SUP nmae )", "did you mean 'name'?" },
	{ TYPE, "( " OID " NAME 'x' SYNTAX " S_ARC "99 )",
	    "SYNTAX: " S_ARC "99 is not known" },
	{ TYPE, "( " OID " NAME 'x' SYNTAX " S_ARC "15{x} )",
	    "malformed length" },
	{ TYPE, "( " OID " NAME 'x' SYNTAX " S_ARC "15 "
	    "EQUALITY caseIgnoreMacth )", "did you mean 'caseIgnoreMatch'?" },
	{ TYPE, "( " OID " NAME 'x' SYNTAX " S_ARC "15 "
	    "SUBSTR caseIgnoreMatch )", "no rule of this kind" },
	{ TYPE, "( " OID " NAME 'x' SYNTAX " S_ARC "15 "
	    "EQUALITY integerMatch )", "does not fit syntax" },
	{ TYPE, "( " OID " NAME 'x' SUP name USAGE directoryOperations )",
	    "did you mean 'directoryOperation'?" },
	{ TYPE, "( " OID " NAME 'x' SUP name USAGE dSAOperation )",
	    "USAGE differs" },
	{ TYPE, "( " OID " NAME 'x' SUP name NO-USER-MODIFICATION )",
	    "operational" },
	{ TYPE, "( " OID " NAME 'x' SUP name SINGLE-VALUE COLLECTIVE )",
	    "COLLECTIVE" },
	{ CLASS, "( " OID " NAME 'x' MUST foo )", "MUST: attribute type 'foo'" },
	{ CLASS, "( " OID " NAME 'x' SUP toop )", "did you mean 'top'?" },
	{ CLASS, "( " OID " NAME 'x' MUST ( cn $ uid )", "a keyword or ')'" },
	{ CLASS, "( " OID " NAME 'x' ABSTRACT AUXILIARY )", "more than one" },
	{ CLASS, "( " OID " NAME 'x' SUP alias AUXILIARY )",
	    "cannot be derived" },
	{ RULE, "( " OID " NAME 'x' )", "no known object class" },
	{ RULE, "( top NAME 'x' )", "no structural class" },
	{ RULE, "( alias AUX referral )", "no auxiliary class" },
	{ RULE, "( alias NOT aliasedObjectName )", "is required" },
	{ CLASS, "( " OID " NAME 'x' MUST ( cn, uid ) )", "'cn,'" },
	{ CLASS, "( " OID " NAME 'x' MUST ( cn $ ( uid ) ) )",
	    "a value or ')'" },
	{ SYNTAX, "( " OID " DESC 'x' X-SUBST '1.1.1' )", "not known" },
};

static void
test_bad(void **state)
{
	struct diag diag;
	struct schema *s;
	unsigned i;
	int rc;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		s = new_schema();
		diag_clear(&diag);
		rc = add(s, bad[i].kind, bad[i].text, NULL, &diag);
		assert_int_equal(rc, HB_EINVAL);
		if (strstr(diag.text, bad[i].says) == NULL)
			fail_msg("'%s' says '%s', not '%s'", bad[i].text,
			    diag.text, bad[i].says);
		schema_free(&s);
	}
}

/* A second definition: the same, told otherwise, or in conflict. */
static const struct {
	enum kind kind;
	const char *first, *second;
	int rc;
	const char *says;
} twice[] = {
	{ TYPE, "( " OID " NAME 'x' SUP name )",
	    "( " OID " NAME 'X' DESC 'other' SUP 2.5.4.41 )", HB_OK, NULL },
	{ TYPE, "( " OID " NAME ( 'x' 'y' ) SYNTAX " S_ARC "15 )",
	    "( " OID " NAME 'y' SYNTAX " S_ARC "15{9} )", HB_OK, NULL },
	{ TYPE, "( " OID " NAME 'x' SUP name )",
	    "( " OID " NAME 'x' SUP name SINGLE-VALUE )", HB_EDUPLICATE,
	    "a.schema line 7" },
	{ TYPE, "( " OID " NAME 'x' SUP name )",
	    "( 1.2.3.5 NAME 'x' SUP name )", HB_EDUPLICATE,
	    "'x' is defined already (a.schema line 7)" },
	{ TYPE, "( " OID " NAME 'x' SUP name )",
	    "( 2.5.4.3 NAME 'cn' SUP distinguishedName )", HB_EDUPLICATE,
	    "built in" },
	{ CLASS, "( " OID " NAME 'x' MAY ( cn $ uid ) )",
	    "( " OID " NAME 'x' STRUCTURAL MAY ( userid $ cn ) )", HB_OK,
	    NULL },
	{ CLASS, "( " OID " NAME 'x' MAY ( cn $ uid ) )",
	    "( " OID " NAME 'x' MAY ( cn ) )", HB_EDUPLICATE,
	    "a.schema line 7" },
	{ TYPE, "( " OID " NAME 'x' SYNTAX " S_ARC "15 )",
	    "( " OID " NAME 'x' SYNTAX " S_ARC "26 )", HB_EDUPLICATE,
	    "attributetype: '" OID "' is defined already with another SYNTAX "
	    "(a.schema line 7)" },
	{ TYPE, "( " OID " NAME 'x' SUP name )",
	    "( " OID " NAME ( 'x' 'y' ) SUP name )", HB_EDUPLICATE,
	    "another NAME" },
	{ TYPE, "( " OID " NAME 'x' SUP name )",
	    "( " OID " NAME 'x' SUP name EQUALITY caseExactMatch )",
	    HB_EDUPLICATE, "another EQUALITY" },
	{ TYPE, "( " OID " NAME 'x' SYNTAX " S_ARC "15 )",
	    "( " OID " NAME 'x' SYNTAX " S_ARC "15 X-ORDERED 'VALUES' )",
	    HB_EDUPLICATE, "another X-ORDERED" },
	{ CLASS, "( " OID " NAME 'x' MAY cn )",
	    "( " OID " NAME 'x' AUXILIARY MAY cn )", HB_EDUPLICATE,
	    "objectclass: '" OID "' is defined already with another kind" },
	{ CLASS, "( " OID " NAME 'x' MAY cn )",
	    "( 1.2.3.5 NAME 'X' MAY cn )", HB_EDUPLICATE,
	    "objectclass: 'X' is defined already (a.schema line 7)" },
	{ RULE, "( alias AUX dynamicObject )",
	    "( 2.5.6.1 AUX extensibleObject )", HB_EDUPLICATE,
	    "ditcontentrule: '2.5.6.1' is defined already with another AUX "
	    "(a.schema line 7)" },
	{ RULE, "( alias MAY cn )", "( alias MAY cn NOT uid )", HB_EDUPLICATE,
	    "another NOT" },
	{ RULE, "( alias MAY cn )", "( 2.5.6.1 DESC 'd' MAY cn )", HB_OK,
	    NULL },
	{ SYNTAX, "( " OID " X-SUBST '" S_ARC "15' )",
	    "( " OID " X-SUBST '" S_ARC "26' )", HB_EDUPLICATE,
	    "ldapsyntax: '" OID "' is defined already with another X-SUBST "
	    "(a.schema line 7)" },
	{ SYNTAX, "( " OID " X-SUBST '" S_ARC "15' )",
	    "( " OID " DESC 'd' X-SUBST '" S_ARC "15' )", HB_OK, NULL },
};

static void
test_twice(void **state)
{
	struct diag diag;
	struct schema *s;
	unsigned i;
	struct schema_note note;

	(void)state;
	for (i = 0; i < sizeof(twice) / sizeof(*twice); i++) {
		s = new_schema();
		diag_clear(&diag);
		assert_int_equal(add(s, twice[i].kind, twice[i].first, &note,
		    &diag), HB_OK);
		assert_false(note.same);
		assert_int_equal(add(s, twice[i].kind, twice[i].second, &note,
		    &diag), twice[i].rc);
		assert_int_equal(note.same, twice[i].rc == HB_OK);
		if (twice[i].says != NULL &&
		    strstr(diag.text, twice[i].says) == NULL)
			fail_msg("'%s', not '%s'", diag.text,
			    twice[i].says);
		schema_free(&s);
	}
}

static void
test_notes(void **state)
{
	struct diag diag = DIAG_INIT;
	struct schema *s = new_schema();
	struct schema_note note;

	(void)state;
	assert_int_equal(add(s, TYPE, "( " OID " NAME 'x' SUP name )",
	    &note, &diag), HB_OK);
	assert_string_equal(note.text, "");
	assert_int_equal(add(s, CLASS, "( 1.2.3.5 NAME 'c' MAY x )) # rest\t",
	    &note, &diag), HB_OK);
	assert_true(note.ignored && !note.same);
	assert_string_equal(note.text, "text behind the definition is "
	    "ignored: ) # rest");
	assert_non_null(schema_find_class(s, SLICE("c")));
	assert_int_equal(add(s, TYPE, "( " OID " NAME 'x' SUP name ) 'y",
	    &note, &diag), HB_OK);
	assert_true(note.same);
	assert_string_equal(note.text, OID " is defined alike already "
	    "(a.schema line 7)");
	assert_string_equal(diag.text, "");
	schema_free(&s);
}

/* In order; line numbers count from 1. */
static const struct {
	const char *name, *oid;
	int rc;
	bool same;
	const char *says;
} macros[] = {
	{ "a-b_c", "1.2.3", HB_OK, false, "" },
	{ "a-b_c", "1.2.3", HB_OK, true, "(a.schema line 1)" },
	{ "a-b_c", "my", HB_EDUPLICATE, false,
	    "'a-b_c' is defined already as 1.2.3 (a.schema line 1)" },
	{ "iso", "1", HB_OK, false, "" },
	{ "case", "1.2.5", HB_OK, false, "" },
	{ "CASE", "1.2.6", HB_OK, false, "" },
	{ "a", "nope:1", HB_EINVAL, false, "'nope:1' is neither" },
	{ "a", "1.2.", HB_EINVAL, false, "neither" },
	{ "a", "", HB_EINVAL, false, "neither" },
	{ "2", "1.2", HB_EINVAL, false, "a letter, then" },
};

static void
test_macro(void **state)
{
	struct diag diag = DIAG_INIT;
	struct schema *s = new_schema();
	struct schema_note note;
	const char *text;
	unsigned i;
	int rc;

	(void)state;
	for (i = 0; i < sizeof(macros) / sizeof(*macros); i++) {
		diag_clear(&diag);
		rc = schema_add_macro(s, slice_of(macros[i].name),
		    slice_of(macros[i].oid), "a.schema", i + 1, &note, &diag);
		if (rc != macros[i].rc)
			fail_msg("%s %s: %d %s", macros[i].name, macros[i].oid,
			    rc, diag.text);
		assert_int_equal(note.same, macros[i].same);
		text = rc == HB_OK ? note.text : diag.text;
		if (strstr(text, macros[i].says) == NULL)
			fail_msg("'%s', not '%s'", text, macros[i].says);
	}
	add_type(s, "( iso:3.6.1.9 NAME 'viaArc' SUP name )");
	assert_non_null(schema_find_type(s, SLICE("1.3.6.1.9")));
	add_type(s, "( CASE:1 NAME 'viaExact' SUP name )");
	assert_non_null(schema_find_type(s, SLICE("1.2.6.1")));
	add_type(s, "( cASE:1 NAME 'viaFirst' SUP name )");
	assert_non_null(schema_find_type(s, SLICE("1.2.5.1")));
	schema_free(&s);
}

/* SUP gives syntax, rules and usage; what is given itself counts more. */
static void
test_inherit(void **state)
{
	const struct attr_type *x, *y, *name;
	struct schema *s = schema_new();

	(void)state;
	add_type(s, "( 1.2.1 NAME 'x' SUP name SINGLE-VALUE )");
	add_type(s, "( 1.2.2 NAME 'y' SUP X EQUALITY caseExactMatch )");
	name = schema_find_type(s, SLICE("NAME"));
	x = schema_find_type(s, SLICE("1.2.1"));
	y = schema_find_type(s, SLICE("Y"));
	assert_ptr_equal(x->equality, name->equality);
	assert_ptr_equal(x->substr, name->substr);
	assert_ptr_equal(x->syntax, name->syntax);
	assert_int_equal(x->syntax_len, 32768);
	assert_string_equal(x->approx->name, "directoryStringApproxMatch");
	assert_string_equal(y->equality->name, "caseExactMatch");
	assert_ptr_equal(y->substr, name->substr);
	assert_int_equal(y->flags & AT_SINGLE_VALUE, 0);
	assert_true(name->flags & AT_HAS_SUBTYPES);
	assert_true(x->flags & AT_HAS_SUBTYPES);
	assert_true(attr_type_is_sub(y, name));
	assert_false(attr_type_is_sub(name, y));
	schema_free(&s);
}

static void
test_classes(void **state)
{
	const struct object_class *a, *b, *ext;
	const struct attr_type *cn, *uid, *ref, *csn;
	struct schema *s = schema_new();
	int frozen;

	(void)state;
	add_class(s, "( 1.2.1 NAME 'a' SUP top MUST cn )");
	add_class(s, "( 1.2.2 NAME 'b' SUP a MAY uid )");
	a = schema_find_class(s, SLICE("A"));
	b = schema_find_class(s, SLICE("1.2.2"));
	ext = schema_find_class(s, SLICE("extensibleobject"));
	cn = schema_find_type(s, SLICE("cn"));
	uid = schema_find_type(s, SLICE("uid"));
	ref = schema_find_type(s, SLICE("seeAlso"));
	csn = schema_find_type(s, SLICE("entryCSN"));
	assert_true(object_class_is_sub(b, a));
	assert_true(object_class_is_sub(a, a));
	assert_false(object_class_is_sub(a, b));
	assert_int_equal(b->id, a->id + 1);
	assert_ptr_equal(schema_class_by_id(s, b->id), b);
	assert_null(schema_class_by_id(s, b->id + 1));
	for (frozen = 0; frozen < 2; frozen++) {
		assert_true(object_class_allows(b, cn));
		assert_true(object_class_allows(b, uid));
		assert_false(object_class_allows(a, uid));
		assert_true(object_class_allows(a,
		    schema_find_type(s, SLICE("objectClass"))));
		schema_freeze(s);
	}
	assert_true(object_class_allows(ext, ref));
	assert_false(object_class_allows(ext, csn));
	assert_false(object_class_allows(b, ref));
	schema_free(&s);
}

static void
test_nearest(void **state)
{
	struct schema *s = schema_new();

	(void)state;
	assert_string_equal(schema_nearest_type(s, SLICE("descripton")),
	    "description");
	assert_string_equal(schema_nearest_class(s, SLICE("extensibleObjekt")),
	    "extensibleObject");
	assert_null(schema_nearest_type(s, SLICE("zzzzzzzzzzzz")));
	schema_free(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_twice),
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_macro),
		cmocka_unit_test(test_inherit),
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
