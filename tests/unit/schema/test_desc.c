/* Attribute descriptions, and the descriptions of the subschema. */
#include <pthread.h>

#include "schema_test.h"

static const struct {
	const char *text;
	int rc;
	const char *name;
} descs[] = {
	{ "cn", HB_OK, "cn" },
	{ "CommonName", HB_OK, "cn" },
	{ "2.5.4.3", HB_OK, "cn" },
	{ "cn;lang-en", HB_OK, "cn;lang-en" },
	{ "CN;Lang-EN", HB_OK, "cn;lang-en" },	/* as first given */
	{ "commonname;lang-en;lang-en", HB_OK, "cn;lang-en" },
	{ "description;Lang-De-AT", HB_OK, "description;Lang-De-AT" },
	{ "cn;lang-", HB_OK, "cn;lang-" },
	{ "cert;binary", HB_OK, "cert;binary" },
	/* options are shown sorted, ;binary first, each once */
	{ "uid;LANG-fr;lang-DE", HB_OK, "uid;lang-DE;LANG-fr" },
	{ "uid;lang-de;lang-fr;lang-DE", HB_OK, "uid;lang-DE;LANG-fr" },
	{ "cert;lang-x;Binary", HB_OK, "cert;binary;lang-x" },
	{ "cn;binary", HB_EUNDEFTYPE, NULL },
	{ "cn;x-foo", HB_EUNDEFTYPE, NULL },
	{ "nope", HB_EUNDEFTYPE, NULL },
	{ "9.9.9", HB_EUNDEFTYPE, NULL },
	{ "nope;lang-en", HB_EUNDEFTYPE, NULL },
	{ "", HB_ESYNTAX, NULL },
	{ "cn;", HB_ESYNTAX, NULL },
	{ "cn;;lang-en", HB_ESYNTAX, NULL },
	{ ";lang-en", HB_ESYNTAX, NULL },
	{ "c n", HB_ESYNTAX, NULL },
	{ "1.2.", HB_ESYNTAX, NULL },
};

/* Ranges stand for many and are no names to store under (RFC 3866 2.1). */
static const struct {
	const char *text;
	bool range;
} ranges[] = {
	{ "cn", false },
	{ "cn;lang-en", false },
	{ "cn;lang-en-", true },
	{ "cn;lang-", true },
	{ "cn;lang-de;lang-en-", true },
	{ "cert;binary", false },
};

static struct schema *
new_schema(void)
{
	struct schema *s = schema_new();

	add_type(s, "( 1.2.1 NAME 'cert' SYNTAX " S_ARC "8 )");
	schema_freeze(s);
	return s;
}

static void
test_desc(void **state)
{
	const struct attr_desc *d, *again;
	struct schema *s = new_schema();
	struct diag diag;
	unsigned i;

	(void)state;
	for (i = 0; i < sizeof(descs) / sizeof(*descs); i++) {
		diag_clear(&diag);
		if (schema_desc(s, slice_of(descs[i].text), &d, &diag) !=
		    descs[i].rc)
			fail_msg("'%s': %s", descs[i].text, diag.text);
		assert_int_equal(diag.text[0] != '\0', descs[i].rc != HB_OK);
		if (descs[i].rc != HB_OK)
			continue;
		assert_slice(d->name, descs[i].name);
		assert_int_equal(schema_desc(s, slice_of(descs[i].text),
		    &again, NULL), HB_OK);
		assert_ptr_equal(d, again);
		assert_true(d->id > 0 && d->id < schema_desc_count(s));
	}
	assert_int_equal(schema_desc(s, SLICE("descrption"), &d, &diag),
	    HB_EUNDEFTYPE);
	schema_free(&s);
}

static void
test_ranges(void **state)
{
	const struct attr_desc *d;
	struct schema *s = new_schema();
	unsigned i;

	(void)state;
	for (i = 0; i < sizeof(ranges) / sizeof(*ranges); i++) {
		assert_int_equal(schema_desc(s, slice_of(ranges[i].text), &d,
		    NULL), HB_OK);
		assert_int_equal(attr_desc_is_range(d), ranges[i].range);
	}
	schema_free(&s);
}

/* What is said about names that are not known. */
static const struct {
	const char *text, *says;
} faults[] = {
	{ "descrption", "descrption: attribute type undefined (did you mean "
	    "'description'?)" },
	{ "qwertzuiop", "qwertzuiop: attribute type undefined" },
	{ "cn;x-a", "cn: attribute option 'x-a' is not known" },
	{ "cn;binary", "cn: option 'binary' does not fit the attribute's "
	    "syntax" },
	{ "c;;n", "c;;n: malformed attribute description" },
	{ "c\nn", "malformed attribute description" },
	{ "", "malformed attribute description" },
	{ "n234567890123456789012345678901234567890123456789012345678901234567",
	    "n234567890123456789012345678901234567890123456789012345678901234"
	    "...: attribute type undefined" },
};

static void
test_faults(void **state)
{
	const struct attr_desc *d;
	struct schema *s = new_schema();
	struct diag diag;
	unsigned i;

	(void)state;
	for (i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
		diag_clear(&diag);
		assert_int_not_equal(schema_desc(s, slice_of(faults[i].text),
		    &d, &diag), HB_OK);
		assert_string_equal(diag.text, faults[i].says);
	}
	schema_free(&s);
}

/* The number before an X-ORDERED value. */
static const struct {
	const char *value, *rest;		/* rest NULL: no number */
	uint32_t n;
} orders[] = {
	{ "{0}a", "a", 0 },
	{ "{12}", "", 12 },
	{ "{007}{1}", "{1}", 7 },
	{ "{-1}a", "a", UINT32_MAX },
	{ "{4294967294}a", "a", UINT32_MAX - 1 },
	{ "{99999999999999999999999}a", "a", UINT32_MAX },
	{ "{}a", NULL, 0 },
	{ "{-}a", NULL, 0 },
	{ "{1", NULL, 0 },
	{ "{1a}", NULL, 0 },
	{ "a{1}", NULL, 0 },
	{ "", NULL, 0 },
};

static void
test_order(void **state)
{
	struct schema *s = schema_new();
	const struct attr_type *plain, *ordered;
	struct slice rest;
	unsigned i;
	uint32_t n;

	(void)state;
	add_type(s, "( 1.2.1 NAME 'list' SUP name X-ORDERED 'VALUES' )");
	add_type(s, "( 1.2.2 NAME 'kids' SUP name X-ORDERED 'SIBLINGS' )");
	schema_freeze(s);
	ordered = schema_find_type(s, SLICE("list"));
	plain = schema_find_type(s, SLICE("kids"));
	assert_true(ordered->flags & AT_ORDERED_VALUES);
	assert_true(plain->flags & AT_ORDERED_SIBLINGS);
	for (i = 0; i < sizeof(orders) / sizeof(*orders); i++) {
		assert_false(schema_order_of(plain, slice_of(orders[i].value),
		    &n, &rest));
		assert_int_equal(schema_order_of(ordered,
		    slice_of(orders[i].value), &n, &rest),
		    orders[i].rest != NULL);
		if (orders[i].rest == NULL)
			continue;
		assert_int_equal(n, orders[i].n);
		assert_slice(rest, orders[i].rest);
	}
	assert_slice(schema_skip_order(ordered, SLICE("{3}x")), "x");
	assert_slice(schema_skip_order(plain, SLICE("{3}x")), "{3}x");
	schema_free(&s);
}

/* A is a subtype of B (RFC 4512 2.5.2.1, RFC 4522 for binary). */
static const struct {
	const char *a, *b;
	bool sub;
} subs[] = {
	{ "cn", "cn", true },
	{ "cn", "name", true },
	{ "name", "cn", false },
	{ "cn;lang-en", "cn", true },
	{ "cn;lang-en", "name", true },
	{ "cn", "cn;lang-en", false },
	{ "cn;lang-en", "cn;lang-de", false },
	{ "cn;lang-de;lang-en", "cn;lang-en", true },
	{ "cn;lang-en", "cn;lang-de;lang-en", false },
	{ "cn;lang-en-us", "cn;lang-en-", true },
	{ "cn;lang-en", "cn;lang-en-", true },
	{ "cn;lang-de", "cn;lang-en-", false },
	{ "cn;lang-en", "cn;lang-", true },
	{ "cn;lang-en", "uid", false },
	{ "cert;binary", "cert", true },
	{ "cert", "cert;binary", false },
	{ "seeAlso", "distinguishedName", true },
};

static void
test_sub(void **state)
{
	const struct attr_desc *a, *b;
	struct schema *s = new_schema();
	unsigned i;

	(void)state;
	for (i = 0; i < sizeof(subs) / sizeof(*subs); i++) {
		assert_int_equal(schema_desc(s, slice_of(subs[i].a), &a,
		    NULL), HB_OK);
		assert_int_equal(schema_desc(s, slice_of(subs[i].b), &b,
		    NULL), HB_OK);
		if (attr_desc_is_sub(a, b) != subs[i].sub)
			fail_msg("%s of %s", subs[i].a, subs[i].b);
	}
	schema_free(&s);
}

static void
test_undefined(void **state)
{
	const struct attr_desc *d, *again;
	struct schema *s = new_schema();

	(void)state;
	assert_int_equal(schema_desc_any(s, SLICE("CN"), &d), HB_OK);
	assert_ptr_equal(d, schema_builtin(s, "cn"));
	assert_int_equal(schema_desc_any(s, SLICE("Foo"), &d), HB_OK);
	assert_true(d->type->flags & AT_UNDEFINED);
	assert_slice(d->name, "Foo");
	assert_ptr_equal(&d->type->desc, d);
	assert_null(d->type->equality);
	assert_int_equal(schema_desc_any(s, SLICE("fOO"), &again), HB_OK);
	assert_ptr_equal(d, again);
	assert_int_equal(schema_desc_any(s, SLICE("cn;x-a"), &d), HB_OK);
	assert_true(d->type->flags & AT_UNDEFINED);
	assert_int_equal(schema_desc_any(s, SLICE("f oo"), &d), HB_ESYNTAX);
	assert_int_equal(schema_desc(s, SLICE("foo"), &d, NULL),
	    HB_EUNDEFTYPE);
	schema_free(&s);
}

static void
test_options(void **state)
{
	const struct slice names[] = { SLICE("X-a-"), SLICE("phone") };
	const struct slice wrong = SLICE("a b");
	const struct attr_desc *d;
	struct schema *s = schema_new();

	(void)state;
	assert_int_equal(schema_set_options(s, names, 2, NULL), HB_OK);
	assert_int_equal(schema_desc(s, SLICE("cn;x-a-1"), &d, NULL), HB_OK);
	assert_int_equal(schema_desc(s, SLICE("cn;PHONE"), &d, NULL), HB_OK);
	assert_int_equal(schema_desc(s, SLICE("cn;phones"), &d, NULL),
	    HB_EUNDEFTYPE);
	assert_int_equal(schema_desc(s, SLICE("cn;lang-en"), &d, NULL),
	    HB_EUNDEFTYPE);
	assert_int_equal(schema_set_options(s, &wrong, 1, NULL), HB_EINVAL);
	schema_free(&s);
}

/* What clients can make the schema remember has an end. */
static void
test_bound(void **state)
{
	const struct attr_desc *d;
	struct schema *s = new_schema();
	char text[32];
	unsigned i;
	int rc = HB_OK;

	(void)state;
	for (i = 0; i < 70000 && rc == HB_OK; i++) {
		snprintf(text, sizeof(text), "unknown%u", i);
		rc = schema_desc_any(s, slice_of(text), &d);
	}
	assert_int_equal(rc, HB_ELIMIT);
	assert_int_equal(schema_desc_any(s, SLICE("unknown1"), &d), HB_OK);
	assert_int_equal(schema_desc(s, SLICE("cn;lang-en"), &d, NULL), HB_OK);
	schema_free(&s);
}

static void *
intern_many(void *arg)
{
	const struct attr_desc *d;
	struct schema *s = arg;
	char text[32];
	unsigned i;

	for (i = 0; i < 500; i++) {
		snprintf(text, sizeof(text), "cn;lang-%u", i % 50);
		if (schema_desc(s, slice_of(text), &d, NULL) != HB_OK)
			return NULL;
	}
	return s;
}

static void
test_threads(void **state)
{
	struct schema *s = new_schema();
	uint32_t before = schema_desc_count(s);
	pthread_t t[4];
	void *ret;
	unsigned i;

	(void)state;
	for (i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&t[i], NULL, intern_many, s),
		    0);
	for (i = 0; i < 4; i++) {
		pthread_join(t[i], &ret);
		assert_ptr_equal(ret, s);
	}
	assert_int_equal(schema_desc_count(s), before + 50);
	schema_free(&s);
}

struct seen {
	const char *want;
	unsigned hits, total;
};

static void
see(struct slice text, void *arg)
{
	struct seen *seen = arg;

	seen->total++;
	seen->hits += slice_is_eq(text, slice_of(seen->want));
}

static const struct {
	enum schema_kind kind;
	const char *text;
} published[] = {
	{ SCHEMA_TYPES, "( 1.2.1 NAME ( 'x' 'y' ) DESC 'd' SUP name "
	    "EQUALITY caseExactMatch SYNTAX " S_ARC "15{64} SINGLE-VALUE "
	    "X-A 'b' X-C ( 'd' 'e' ) )" },
	{ SCHEMA_TYPES, "( 1.2.2 NAME 'z' SYNTAX " S_ARC "7 "
	    "NO-USER-MODIFICATION USAGE directoryOperation )" },
	{ SCHEMA_CLASSES, "( 1.2.3 NAME 'c' SUP top AUXILIARY "
	    "MUST ( cn $ x ) MAY uid )" },
	{ SCHEMA_CONTENT_RULES, "( 2.5.6.1 NAME 'r' AUX dynamicObject "
	    "NOT uid )" },
	{ SCHEMA_SYNTAXES, "( 1.2.4 DESC 'e' X-SUBST '" S_ARC "15' )" },
	{ SCHEMA_RULES, "( 2.5.13.14 NAME 'integerMatch' SYNTAX "
	    S_ARC "27 )" },
	{ SCHEMA_RULE_USES, "( 2.5.13.13 NAME 'booleanMatch' APPLIES "
	    "( hasSubordinates $ z ) )" },
};

/* What was defined comes out as it went in. */
static void
test_describe(void **state)
{
	struct schema *s = schema_new();
	struct seen seen;
	unsigned i;

	(void)state;
	add_type(s, published[0].text);
	add_type(s, published[1].text);
	add_class(s, published[2].text);
	assert_int_equal(schema_add_content_rule(s,
	    slice_of(published[3].text), NULL, 0, NULL, NULL), HB_OK);
	assert_int_equal(schema_add_syntax(s, slice_of(published[4].text),
	    NULL, 0, NULL, NULL), HB_OK);
	for (i = 0; i < sizeof(published) / sizeof(*published); i++) {
		seen = (struct seen){ published[i].text, 0, 0 };
		schema_describe(s, published[i].kind, see, &seen);
		if (seen.hits != 1)
			fail_msg("'%s': %u of %u", seen.want, seen.hits,
			    seen.total);
	}
	schema_free(&s);
}

/* What files in the field have comes out as RFC 4512 4.1 writes it. */
static const struct {
	const char *defined, *published;
} rewritten[] = {
	{ "(1.2.1 NAME('x''y')SUP name)",
	    "( 1.2.1 NAME ( 'x' 'y' ) SUP name )" },
	{ "( 1.2.1 NAME x DESC '' SUP 'name' )",
	    "( 1.2.1 NAME 'x' SUP name )" },
	{ "( 1.2.1 SUP name DESC 'a\\b \\27c\\27 \\5Cd' )",
	    "( 1.2.1 DESC 'a\\5Cb \\27c\\27 \\5Cd' SUP name )" },
	{ "( 1.2.1 DESC 'gr\xf6\xdf" "e' SUP name )",
	    "( 1.2.1 DESC 'gr\xc3\xb6\xc3\x9f" "e' SUP name )" },
	{ "( 1.2.1 DESC 'gr\xc3\xb6\xc3\x9f" "e' SUP name )",
	    "( 1.2.1 DESC 'gr\xc3\xb6\xc3\x9f" "e' SUP name )" },
	{ "( 1.2.1 SUP name X-A\ta X-B ( ) X-C('b''c')X-D ( 'e' ) )",
	    "( 1.2.1 SUP name X-A 'a' X-C ( 'b' 'c' ) X-D 'e' )" },
	{ "( 1.2.1 NAME 'x' SYNTAX " S_ARC "15{} )",
	    "( 1.2.1 NAME 'x' SYNTAX " S_ARC "15 )" },
};

static void
test_describe_rewritten(void **state)
{
	struct schema *s;
	struct seen seen;
	unsigned i;

	(void)state;
	for (i = 0; i < sizeof(rewritten) / sizeof(*rewritten); i++) {
		s = schema_new();
		add_type(s, rewritten[i].defined);
		seen = (struct seen){ rewritten[i].published, 0, 0 };
		schema_describe(s, SCHEMA_TYPES, see, &seen);
		if (seen.hits != 1)
			fail_msg("'%s': %u of %u", seen.want, seen.hits,
			    seen.total);
		schema_free(&s);
	}
}

struct redefine {
	struct schema *schema;
	enum schema_kind kind;
};

static void
redefine(struct slice text, void *arg)
{
	const struct redefine *r = arg;
	struct diag diag = DIAG_INIT;
	struct schema_note note;
	int rc;

	rc = r->kind == SCHEMA_TYPES ? schema_add_attr_type(r->schema, text,
	    NULL, 0, &note, &diag) : schema_add_object_class(r->schema, text,
	    NULL, 0, &note, &diag);
	if (rc != HB_OK || !note.same)
		fail_msg("%.*s: %s", SLICE_ARG(text), diag.text);
}

/* Everything built in may be defined again as it is published. */
static void
test_builtins_again(void **state)
{
	struct redefine r = { schema_new(), SCHEMA_TYPES };

	(void)state;
	schema_describe(r.schema, r.kind, redefine, &r);
	r.kind = SCHEMA_CLASSES;
	schema_describe(r.schema, r.kind, redefine, &r);
	schema_free(&r.schema);
}

static bool
contains(struct slice text, const char *word)
{
	size_t i, n = strlen(word);

	for (i = 0; i + n <= text.len; i++)
		if (memcmp(text.ptr + i, word, n) == 0)
			return true;
	return false;
}

static void
not_hidden(struct slice text, void *arg)
{
	(void)arg;
	assert_false(contains(text, "'entry'"));
	assert_false(contains(text, "'children'"));
	assert_false(contains(text, "'glue'"));
	assert_false(contains(text, "'CSNMatch'"));
}

static void
test_hidden(void **state)
{
	struct schema *s = schema_new();
	int kind;

	(void)state;
	for (kind = SCHEMA_SYNTAXES; kind <= SCHEMA_CLASSES; kind++)
		schema_describe(s, (enum schema_kind)kind, not_hidden, NULL);
	assert_non_null(schema_find_type(s, SLICE("entry")));
	assert_true(attr_desc_is_operational(schema_builtin(s, "children")));
	schema_free(&s);
}

static void
same_find(const struct schema *thawed, const struct schema *frozen,
    struct slice text)
{
	const struct attr_type *a = schema_find_type(thawed, text);
	const struct attr_type *b = schema_find_type(frozen, text);

	assert_int_equal(a == NULL, b == NULL);
	if (a != NULL)
		assert_string_equal(a->oid, b->oid);
}

struct find_both {
	const struct schema *thawed, *frozen;
	unsigned found;
};

/* NAME and what is nearly NAME: one bit off, longer, shorter. */
static void
find_variants(struct find_both *f, const char *name)
{
	size_t n = strlen(name), i;
	char text[128];
	unsigned bit;

	assert_true(n + 2 < sizeof(text));
	assert_non_null(schema_find_type(f->frozen, slice(name, n)));
	f->found++;
	memcpy(text, name, n + 1);
	for (i = 0; i <= n; i++) {
		for (bit = 1; bit < 256; bit <<= 1) {
			text[i] ^= (char)bit;
			same_find(f->thawed, f->frozen, slice(text, n));
			same_find(f->thawed, f->frozen, slice(text, n + 1));
			text[i] ^= (char)bit;
		}
		same_find(f->thawed, f->frozen, slice(text, i));
		same_find(f->thawed, f->frozen, slice(text + i, n - i));
	}
	same_find(f->thawed, f->frozen, slice(text, n + 1));
}

static void
find_names(const struct attr_type *t, void *arg)
{
	unsigned i;

	find_variants(arg, t->oid);
	for (i = 0; t->names[i] != NULL; i++)
		find_variants(arg, t->names[i]);
}

/* Short names are found another way once the schema is frozen. */
static void
test_find(void **state)
{
	struct schema *thawed = schema_new(), *frozen = schema_new();
	struct find_both f = { thawed, frozen, 0 };

	(void)state;
	add_type(thawed, "( 1.2 NAME ( 'a' 'a-b' 'Ab_d' 'abCde' ) SUP name )");
	add_type(frozen, "( 1.2 NAME ( 'a' 'a-b' 'Ab_d' 'abCde' ) SUP name )");
	schema_freeze(frozen);
	schema_each_type(frozen, find_names, &f);
	assert_true(f.found > 100);
	same_find(thawed, frozen, SLICE(""));
	same_find(thawed, frozen, SLICE("\0"));
	schema_free(&thawed);
	schema_free(&frozen);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_desc),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_sub),
		cmocka_unit_test(test_undefined),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_describe),
		cmocka_unit_test(test_describe_rewritten),
		cmocka_unit_test(test_builtins_again),
		cmocka_unit_test(test_hidden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
