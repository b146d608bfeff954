/*
 * DN strings: canonical forms, what is refused, and the operations on them.
 */
#include "sample.h"
#include "util/mem.h"

static struct schema *schema;

struct parse_case {
	const char *in, *text, *norm;	/* text NULL: refused */
};

static const struct parse_case parse_cases[] = {
	{ "", "", "" },
	{ "  ", "", "" },
	{ "dc=x", "dc=x", "dc=x" },
	{ "SN=Foo + cn=Bar , dc=X", "cn=Bar+sn=Foo,dc=X", "cn=bar+sn=foo,dc=x" },
	{ "2.5.4.4=a,surname=B", "sn=a,sn=B", "sn=a,sn=b" },
	{ "OID.2.5.4.3=x", "cn=x", "cn=x" },
	{ "oid.1.2.3=x", "1.2.3=x", "1.2.3=x" },
	{ "FooBar=Some Value,dc=x", "FooBar=Some Value,dc=x",
	    "foobar=Some Value,dc=x" },
	{ "cn=a\\,b\\+c=d,dc=x", "cn=a\\2Cb\\2Bc\\3Dd,dc=x",
	    "cn=a\\2Cb\\2Bc\\3Dd,dc=x" },
	{ "cn=\"a, b\",dc=x", "cn=a\\2C b,dc=x", "cn=a\\2C b,dc=x" },
	{ "cn=\"a\\\"b\" ; dc=x", "cn=a\\22b,dc=x", "cn=a\\22b,dc=x" },
	{ "cn=\\ x\\ ,dc=x", "cn=\\20x\\20,dc=x", "cn=x,dc=x" },
	{ "cn=\\20 x", "cn=\\20 x", "cn=x" },
	{ "cn=  a   b  ,  dc=x", "cn=a   b,dc=x", "cn=a b,dc=x" },
	{ "uid=\\#a\\3b\\;b", "uid=\\23a\\3B\\3Bb", "uid=\\23a\\3B\\3Bb" },
	{ "uid=a#b", "uid=a#b", "uid=a#b" },
	{ "cn=a=b", "cn=a\\3Db", "cn=a\\3Db" },
	{ "cn=a\\3c\\3E", "cn=a\\3C\\3E", "cn=a\\3C\\3E" },
	{ "cn=a\\\\b", "cn=a\\5Cb", "cn=a\\5Cb" },
	{ "cn=Stra\xc3\x9f" "e,dc=x", "cn=Stra\xc3\x9f" "e,dc=x", NULL },
	{ "cn=\\C3\\A4", "cn=\xc3\xa4", "cn=\xc3\xa4" },
	{ "foo=\\C3", "foo=\\C3", "foo=\\C3" },
	{ "foo=a\\00b", "foo=a\\00b", "foo=a\\00b" },
	{ "foo=", "foo=", "foo=" },
	{ "cn=#0403414243,dc=x", "cn=ABC,dc=x", "cn=abc,dc=x" },
	{ "cn=#0C03414243", "cn=ABC", "cn=abc" },
	{ "1.2.3.4=#0403414243", "1.2.3.4=#0403414243",
	    "1.2.3.4=#0403414243" },
	{ "cn=#020101", "cn=#020101", "cn=#020101" },
	{ "number=0042", NULL, NULL },
	{ "number=-42", "number=-42", NULL },
	{ "member=cn\\3DA\\,dc\\3DX", "member=cn\\3DA\\2Cdc\\3DX",
	    "member=cn\\3Da\\2Cdc\\3Dx" },
	{ "member=member\\=cn\\=A", "member=member\\3Dcn\\3DA", NULL },
	{ "cn=", NULL, NULL },
	{ "cn", NULL, NULL },
	{ "=x", NULL, NULL },
	{ "cn=a,", NULL, NULL },
	{ ",cn=a", NULL, NULL },
	{ "cn=a,,cn=b", NULL, NULL },
	{ "cn=a+", NULL, NULL },
	{ "cn=a+cn=b", NULL, NULL },
	{ "cn=a+2.5.4.3=b", NULL, NULL },
	{ "foo=a+FOO=b", NULL, NULL },
	{ "cn=a<b", NULL, NULL },
	{ "cn=a\"b", NULL, NULL },
	{ "cn=\"a", NULL, NULL },
	{ "cn=\"a\"b", NULL, NULL },
	{ "cn=a\\", NULL, NULL },
	{ "cn=a\\g", NULL, NULL },
	{ "cn=a\\4", NULL, NULL },
	{ "cn=a\\4g", NULL, NULL },
	{ "cn=#x", NULL, NULL },
	{ "cn=#", NULL, NULL },
	{ "cn=#414", NULL, NULL },
	{ "c=Germany", NULL, NULL },
	{ "cn=\\C3", NULL, NULL },
	{ "1.2..3=x", NULL, NULL },
	{ "1.=x", NULL, NULL },
	{ "1=x", NULL, NULL },
	{ "-a=x", NULL, NULL },
	{ "a.b=x", NULL, NULL },
	{ "cn;lang-en=x", NULL, NULL },
	{ "member=x", NULL, NULL },
	{ "member=member\\=member\\=member\\=member\\=cn\\=x", NULL, NULL },
};

static void
parse(void **state)
{
	const struct parse_case *c;
	struct diag diag;
	struct arena arena;
	struct dn dn, again;
	unsigned i;
	int rc;

	(void)state;
	arena_init(&arena, 0);
	for (i = 0; i < sizeof(parse_cases) / sizeof(*parse_cases); i++) {
		c = &parse_cases[i];
		diag_clear(&diag);
		rc = dn_parse(&arena, schema, slice_of(c->in), &dn, &diag);
		if (rc != (c->text == NULL ? HB_EDNSYNTAX : HB_OK))
			print_message("%s: %s\n", c->in, diag.text);
		if (c->text == NULL) {
			assert_int_equal(rc, HB_EDNSYNTAX);
			assert_true(diag.text[0] != '\0');
			continue;
		}
		assert_int_equal(rc, HB_OK);
		assert_slice_is(dn.text, c->text);
		if (c->norm != NULL)
			assert_slice_is(dn.norm, c->norm);
		/* both forms are DNs themselves, and canonical */
		rc = dn_parse(&arena, schema, dn.text, &again, NULL);
		assert_int_equal(rc, HB_OK);
		assert_true(slice_is_eq(again.text, dn.text));
		assert_true(dn_is_eq(&again, &dn));
		rc = dn_parse(&arena, schema, dn.norm, &again, NULL);
		assert_int_equal(rc, HB_OK);
		assert_true(dn_is_eq(&again, &dn));
	}
	arena_fini(&arena);
}

static void
parse_long(void **state)
{
	char in[DN_LEN_MAX + 2];
	struct arena arena;
	struct dn dn;

	(void)state;
	arena_init(&arena, 0);
	memset(in, 'x', sizeof(in));
	memcpy(in, "cn=", 3);
	assert_int_equal(dn_parse(&arena, schema, slice(in, DN_LEN_MAX), &dn,
	    NULL), HB_OK);
	assert_int_equal(dn.text.len, DN_LEN_MAX);
	assert_int_equal(dn_parse(&arena, schema, slice(in, DN_LEN_MAX + 1),
	    &dn, NULL), HB_EDNSYNTAX);
	/* short when given, too long when escaped */
	memset(in + 3, '=', sizeof(in) - 3);
	assert_int_equal(dn_parse(&arena, schema, slice(in, DN_LEN_MAX / 2),
	    &dn, NULL), HB_EDNSYNTAX);
	arena_fini(&arena);
	arena_init(&arena, 256);
	memset(in + 3, 'x', sizeof(in) - 3);
	assert_int_equal(dn_parse(&arena, schema, slice(in, 4000), &dn, NULL),
	    HB_ELIMIT);
	arena_fini(&arena);
}

static void
parse_rdn(void **state)
{
	struct arena arena;
	struct dn dn;

	(void)state;
	arena_init(&arena, 0);
	assert_int_equal(dn_parse_rdn(&arena, schema, SLICE("SN=b + CN=a"),
	    &dn, NULL), HB_OK);
	assert_slice_is(dn.text, "cn=a+sn=b");
	assert_int_equal(dn_parse_rdn(&arena, schema, SLICE("cn=a,cn=b"), &dn,
	    NULL), HB_EDNSYNTAX);
	assert_int_equal(dn_parse_rdn(&arena, schema, SLICE(""), &dn, NULL),
	    HB_EDNSYNTAX);
	arena_fini(&arena);
}

static void
avas(void **state)
{
	struct arena arena;
	struct ava *a;
	struct dn dn;
	unsigned n;

	(void)state;
	arena_init(&arena, 0);
	dn = sample_dn(&arena, schema, "SN=A\\,B+cn=C+Odd=x,dc=y");
	assert_int_equal(dn_rdn_avas(&arena, schema, &dn, &a, &n), HB_OK);
	assert_int_equal(n, 3);
	assert_slice_is(a[0].desc->name, "cn");
	assert_slice_is(a[0].value, "C");
	assert_slice_is(a[0].norm, "c");
	assert_slice_is(a[1].desc->name, "Odd");
	assert_true(a[1].desc->type->flags & AT_UNDEFINED);
	assert_slice_is(a[2].desc->name, "sn");
	assert_slice_is(a[2].value, "A,B");
	assert_slice_is(a[2].norm, "a,b");
	assert_int_equal(dn_rdn_avas(&arena, schema, &DN_EMPTY, &a, &n), HB_OK);
	assert_int_equal(n, 0);
	arena_fini(&arena);
}

static void
relations(void **state)
{
	struct dn a, b, c, root = DN_EMPTY, d;
	struct arena arena;

	(void)state;
	arena_init(&arena, 0);
	a = sample_dn(&arena, schema, "uid=1\\,2,ou=People,dc=X");
	b = sample_dn(&arena, schema, "OU=people,DC=x");
	c = sample_dn(&arena, schema, "ou=apeople,dc=x");
	assert_true(dn_is_within(&a, &b) && dn_is_child(&a, &b));
	assert_true(dn_is_within(&b, &b) && !dn_is_child(&b, &b));
	assert_false(dn_is_within(&b, &a));
	assert_false(dn_is_within(&a, &c));
	d = sample_dn(&arena, schema, "uid=q,ou=apeople,dc=x");
	assert_false(dn_is_within(&d, &b));
	assert_true(dn_is_within(&a, &root) && !dn_is_child(&a, &root));
	assert_int_equal(dn_depth(&a), 3);
	assert_int_equal(dn_depth(&root), 0);
	d = dn_rdn(&a);
	assert_slice_is(d.text, "uid=1\\2C2");
	d = dn_parent(&a);
	assert_true(dn_is_eq(&d, &b));
	assert_slice_is(d.text, "ou=People,dc=X");
	d = dn_parent(&d);
	assert_true(dn_is_child(&d, &root));
	d = dn_parent(&d);
	assert_true(dn_is_empty(&d) && !slice_is_none(d.text));
	d = dn_parent(&root);
	assert_true(dn_is_empty(&d));
	arena_fini(&arena);
}

static void
assembly(void **state)
{
	struct dn a, b, rdn, to, d;
	struct arena arena;
	struct buf buf;

	(void)state;
	arena_init(&arena, 0);
	a = sample_dn(&arena, schema, "uid=A,ou=b,dc=x");
	b = sample_dn(&arena, schema, "ou=b,dc=x");
	to = sample_dn(&arena, schema, "o=C,c=DE");
	rdn = sample_dn(&arena, schema, "cn=New");
	assert_int_equal(dn_join(&arena, &rdn, &b, &d), HB_OK);
	assert_slice_is(d.text, "cn=New,ou=b,dc=x");
	assert_slice_is(d.norm, "cn=new,ou=b,dc=x");
	assert_int_equal(dn_join(&arena, &rdn, &DN_EMPTY, &d), HB_OK);
	assert_true(dn_is_eq(&d, &rdn));
	assert_int_equal(dn_rebase(&arena, &a, &b, &to, &d), HB_OK);
	assert_slice_is(d.text, "uid=A,o=C,c=DE");
	assert_slice_is(d.norm, "uid=a,o=c,c=de");
	assert_int_equal(dn_rebase(&arena, &b, &b, &to, &d), HB_OK);
	assert_true(dn_is_eq(&d, &to));
	assert_int_equal(dn_rebase(&arena, &a, &DN_EMPTY, &to, &d), HB_OK);
	assert_slice_is(d.norm, "uid=a,ou=b,dc=x,o=c,c=de");
	assert_int_equal(dn_rebase(&arena, &a, &b, &DN_EMPTY, &d), HB_OK);
	assert_slice_is(d.norm, "uid=a");
	buf_init(&buf);
	dn_put_flat_key(&buf, a.norm);
	assert_int_equal(buf.len, 16);
	assert_memory_equal(buf.data, "dc=x\0ou=b\0uid=a\0", 16);
	buf_reset(&buf);
	dn_put_flat_key(&buf, DN_EMPTY.norm);
	assert_int_equal(buf.len, 0);
	dn_put_escaped(&buf, SLICE(" a,b# "));
	assert_slice_is(buf_slice(&buf), "\\20a\\2Cb#\\20");
	buf_fini(&buf);
	d = dn_copy(&arena, &a);
	assert_true(dn_is_eq(&d, &a) && d.text.ptr != a.text.ptr);
	d = dn_dup(&a);
	assert_true(dn_is_eq(&d, &a) && slice_is_eq(d.text, a.text));
	free((void *)(uintptr_t)d.text.ptr);
	arena_fini(&arena);
}

struct value_case {
	const char *type, *value, *norm;	/* norm NULL: refused */
};

static const struct value_case value_cases[] = {
	{ "member", "CN=A , DC=B", "cn=a,dc=b" },
	{ "member", "", "" },
	{ "member", "nonsense", NULL },
	{ "uniqueMember", "CN=A#'0101'B", "cn=a#'0101'B" },
	{ "uniqueMember", "CN=A#''B", "cn=a#''B" },
	{ "uniqueMember", "CN=A", "cn=a" },
	{ "uniqueMember", "CN=A#'012'B", "cn=a#'012'b" },
	{ "uniqueMember", "#'01'B", "#'01'B" },
	{ "uniqueMember", "exact=A\\23'01'B", "exact=A\\23'01'B" },
	{ "uniqueMember", "exact=A#'01'B", "exact=A#'01'B" },
	{ "uniqueMember", "exact=A#'01'B#'1'B", "exact=A#'01'B#'1'B" },
	/* only there: the rest are values that end so */
	{ "member", "CN=A#'0101'B", "cn=a#'0101'b" },
	{ "member", "exact=A#'0101'B", "exact=A#'0101'B" },
	{ "member", "#'01'B", NULL },
};

static void
values(void **state)
{
	const struct attr_desc *desc;
	const struct value_case *c;
	struct arena arena;
	struct slice norm;
	unsigned i;
	int rc;

	(void)state;
	arena_init(&arena, 0);
	for (i = 0; i < sizeof(value_cases) / sizeof(*value_cases); i++) {
		c = &value_cases[i];
		assert_int_equal(schema_desc(schema, slice_of(c->type), &desc,
		    NULL), HB_OK);
		rc = schema_check_value(schema, desc, slice_of(c->value), NULL);
		assert_int_equal(rc, c->norm == NULL ? HB_ESYNTAX : HB_OK);
		rc = schema_norm_value(schema, &arena, desc,
		    slice_of(c->value), &norm);
		assert_int_equal(rc, c->norm == NULL ? HB_ESYNTAX : HB_OK);
		if (c->norm != NULL)
			assert_slice_is(norm, c->norm);
	}
	arena_fini(&arena);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parse),
		cmocka_unit_test(parse_long),
		cmocka_unit_test(parse_rdn),
		cmocka_unit_test(avas),
		cmocka_unit_test(relations),
		cmocka_unit_test(assembly),
		cmocka_unit_test(values),
	};
	int rc;

	schema = sample_schema();
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	schema_free(&schema);
	return rc;
}
