/* Definitions: what is accepted, what is refused and how that is said. */
#include "schema_test.h"

#define OID	"1.2.3.4"

enum kind { TYPE, CLASS, RULE, SYNTAX };

static int
add(struct schema *s, enum kind kind, const char *text, bool *dup_r,
    struct diag *diag)
{
	struct slice t = slice_of(text);

	switch (kind) {
	case TYPE:
		return schema_add_attr_type(s, t, "a.schema", 7, dup_r, diag);
	case CLASS:
		return schema_add_object_class(s, t, "a.schema", 7, dup_r,
		    diag);
	case RULE:
		return schema_add_content_rule(s, t, "a.schema", 7, dup_r,
		    diag);
	case SYNTAX:
		break;
	}
	return schema_add_syntax(s, t, "a.schema", 7, dup_r, diag);
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
	{ CLASS, "( my:1.2 NAME 'x' AUXILIARY MAY ( cn ) )" },
	{ CLASS, "( " OID " NAME 'x' ABSTRACT MAY ( cn $ cn ) )" },
	{ RULE, "( 2.5.6.1 NAME 'x' AUX dynamicObject MUST uid NOT cn )" },
	{ RULE, "( alias AUX ( dynamicObject $ extensibleObject ) )" },
	{ SYNTAX, "( " OID " DESC 'mine' X-SUBST '" S_ARC "15' )" },
	{ SYNTAX, "( " S_ARC "15 DESC 'known' )" },
};

static struct schema *
new_schema(void)
{
	struct schema *s = schema_new();

	assert_int_equal(schema_add_macro(s, SLICE("my"),
	    SLICE("1.2.3.9"), NULL), HB_OK);
	assert_int_equal(schema_add_macro(s, SLICE("syn"),
	    SLICE("1.3.6.1.4.1.1466.115.121.1"), NULL), HB_OK);
	assert_int_equal(schema_add_macro(s, SLICE("dirstr"),
	    SLICE("SYN:15"), NULL), HB_OK);
	return s;
}

static void
test_good(void **state)
{
	struct diag diag;
	struct schema *s;
	unsigned i;
	bool dup;
	int rc;

	(void)state;
	for (i = 0; i < sizeof(good) / sizeof(*good); i++) {
		s = new_schema();
		diag_clear(&diag);
		rc = add(s, good[i].kind, good[i].text, &dup, &diag);
		if (rc != HB_OK)
			fail_msg("%s: %s", good[i].text, diag.text);
		rc = add(s, good[i].kind, good[i].text, &dup, &diag);
		assert_int_equal(rc, HB_OK);
		assert_true(dup);
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
	{ TYPE, "( " OID " NAME 'x' SUP name ) x", "the end" },
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
	{ SYNTAX, "( " OID " DESC 'x' )", "X-SUBST" },
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
	{ RULE, "( alias AUX dynamicObject )",
	    "( 2.5.6.1 AUX extensibleObject )", HB_EDUPLICATE,
	    "a.schema line 7" },
};

static void
test_twice(void **state)
{
	struct diag diag;
	struct schema *s;
	unsigned i;
	bool dup;

	(void)state;
	for (i = 0; i < sizeof(twice) / sizeof(*twice); i++) {
		s = new_schema();
		diag_clear(&diag);
		assert_int_equal(add(s, twice[i].kind, twice[i].first, &dup,
		    &diag), HB_OK);
		assert_false(dup);
		assert_int_equal(add(s, twice[i].kind, twice[i].second, &dup,
		    &diag), twice[i].rc);
		assert_int_equal(dup, twice[i].rc == HB_OK);
		if (twice[i].says != NULL)
			assert_non_null(strstr(diag.text, twice[i].says));
		schema_free(&s);
	}
}

static void
test_macro(void **state)
{
	struct diag diag = DIAG_INIT;
	struct schema *s = new_schema();

	(void)state;
	assert_int_equal(schema_add_macro(s, SLICE("MY"), SLICE("1.2.3.9"),
	    &diag), HB_OK);
	assert_int_equal(schema_add_macro(s, SLICE("my"), SLICE("1.2.3.8"),
	    &diag), HB_EDUPLICATE);
	diag_clear(&diag);
	assert_int_equal(schema_add_macro(s, SLICE("a"), SLICE("nope:1"),
	    &diag), HB_EINVAL);
	assert_non_null(strstr(diag.text, "nope:1"));
	assert_int_equal(schema_add_macro(s, SLICE("2"), SLICE("1.2"), NULL),
	    HB_EINVAL);
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
		cmocka_unit_test(test_macro),
		cmocka_unit_test(test_inherit),
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
