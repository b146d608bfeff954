/*
 * Filters: string form, three-valued evaluation, rules, names, many values.
 */
#include "../dn/sample.h"

#include "filter.h"
#include "util/mem.h"

static struct schema *schema;

struct parse_case {
	const char *in, *out;		/* out NULL: refused */
	const char *error;
};

static const struct parse_case parse_cases[] = {
	{ "(uid=user.1)", "(uid=user.1)", NULL },
	{ "uid=user.1", "(uid=user.1)", NULL },
	{ "(objectClass=*)", "(objectClass=*)", NULL },
	{ "(&)", "(&)", NULL },
	{ "(|)", "(|)", NULL },
	{ " ( & ( cn = a ) (!(sn=b) ) ) ", "(&(cn= a )(!(sn=b)))", NULL },
	{ "(|(a=1)(&(b=2)(c=3)))", "(|(a=1)(&(b=2)(c=3)))", NULL },
	{ "(cn=)", "(cn=)", NULL },
	{ "(cn=a*)", "(cn=a*)", NULL },
	{ "(cn=*a)", "(cn=*a)", NULL },
	{ "(cn=*a*)", "(cn=*a*)", NULL },
	{ "(cn=a*b*c*d)", "(cn=a*b*c*d)", NULL },
	{ "(cn=a\\2a*\\28)", "(cn=a\\2a*\\28)", NULL },
	{ "(cn=\\2A)", "(cn=\\2a)", NULL },
	{ "(cn=\\5c\\00\\C3\\A4)", "(cn=\\5c\\00\\c3\\a4)", NULL },
	{ "(cn=\\*\\(\\)\\\\)", "(cn=\\2a\\28\\29\\5c)", NULL },
	{ "(cn=a(b)c)", "(cn=a\\28b\\29c)", NULL },
	{ "(cn>=a)", "(cn>=a)", NULL },
	{ "(cn<=a)", "(cn<=a)", NULL },
	{ "(cn~=a)", "(cn~=a)", NULL },
	{ "(cn:=a)", "(cn:=a)", NULL },
	{ "(cn:dn:=a)", "(cn:dn:=a)", NULL },
	{ "(cn:caseExactMatch:=a)", "(cn:caseExactMatch:=a)", NULL },
	{ "(cn:DN:2.5.13.5:=a*)", "(cn:dn:2.5.13.5:=a\\2a)", NULL },
	{ "(:2.5.13.5:=a)", "(:2.5.13.5:=a)", NULL },
	{ "(:dn:2.5.13.5:=a)", "(:dn:2.5.13.5:=a)", NULL },
	{ "(cn;lang-en=a)", "(cn;lang-en=a)", NULL },
	{ "", NULL, "invalid filter: filter expected at offset 0" },
	{ "(", NULL, "invalid filter: '=' expected at offset 1" },
	{ "(cn", NULL, "invalid filter: '=' expected at offset 3" },
	{ "(cn=a", NULL, "invalid filter: '(' without its ')' at offset 0" },
	{ "(cn=a))", NULL,
	    "invalid filter: end of the filter expected at offset 6" },
	{ "cn=a)", NULL,
	    "invalid filter: end of the filter expected at offset 4" },
	{ "(&(cn=a)", NULL,
	    "invalid filter: '(' without its ')' at offset 0" },
	{ "(&cn=a)", NULL,
	    "invalid filter: '(' or ')' expected at offset 2" },
	{ "(!)", NULL, "invalid filter: filter expected after '!' at offset 2" },
	{ "(!(a=1)(b=2))", NULL, "invalid filter: ')' expected at offset 7" },
	{ "(=a)", NULL,
	    "invalid filter: attribute description expected at offset 1" },
	{ "(c n=a)", NULL,
	    "invalid filter: attribute description expected at offset 1" },
	{ "(c+n:=a)", NULL,
	    "invalid filter: attribute description expected at offset 1" },
	{ "(cn=a**b)", NULL, "invalid filter: malformed substring at offset 6" },
	{ "(cn=**)", NULL, "invalid filter: malformed substring at offset 5" },
	{ "(cn=\\g0)", NULL, "invalid filter: '\\' and two hex digits "
	    "expected at offset 4" },
	{ "(cn=a*b\\1)", NULL, "invalid filter: malformed substring at offset 7" },
	{ "(:=a)", NULL, "invalid filter: attribute or matching rule expected "
	    "at offset 1" },
	{ "(cn:dn:a:b:=x)", NULL,
	    "invalid filter: matching rule expected at offset 6" },
};

static void
parse(void **state)
{
	const struct parse_case *c;
	struct ldap_filter *f;
	struct arena arena;
	struct diag diag;
	struct buf buf;
	unsigned i;
	int rc;

	(void)state;
	arena_init(&arena, 0);
	buf_init(&buf);
	for (i = 0; i < sizeof(parse_cases) / sizeof(*parse_cases); i++) {
		c = &parse_cases[i];
		diag_clear(&diag);
		rc = filter_parse(&arena, slice_of(c->in), &f, &diag);
		if (rc != (c->out == NULL ? HB_EPROTO : HB_OK))
			print_message("%s: %s\n", c->in, diag.text);
		assert_int_equal(rc, c->out == NULL ? HB_EPROTO : HB_OK);
		if (c->out == NULL) {
			assert_string_equal(diag.text, c->error);
			continue;
		}
		buf_reset(&buf);
		filter_print(f, &buf);
		assert_slice_is(buf_slice(&buf), c->out);
	}
	buf_fini(&buf);
	arena_fini(&arena);
}

/* ---- evaluation ---- */

static struct entry *
make_entry(struct attr_dict *dict, const char *dn_text,
    const char *const (*rows)[2])
{
	struct attrs as = { NULL, 0, 0 };
	const struct attr_desc *desc;
	struct entry *e;
	struct arena arena;
	struct slice value;
	struct buf buf;
	struct attr a;
	struct dn dn;

	arena_init(&arena, 0);
	buf_init(&buf);
	for (; (*rows)[0] != NULL; rows++) {
		assert_int_equal(schema_desc(schema, slice_of((*rows)[0]),
		    &desc, NULL), HB_OK);
		attr_dict_add(dict, desc, 0);
		value = slice_of((*rows)[1]);
		assert_int_equal(attr_make(&arena, schema, desc, &value, 1, &a,
		    NULL), HB_OK);
		assert_int_equal(attrs_add(&arena, &as, &a), HB_OK);
	}
	dn = sample_dn(&arena, schema, dn_text);
	assert_int_equal(entry_encode(&as, dict, &buf), HB_OK);
	e = entry_new(1, &dn, dict, buf_slice(&buf));
	buf_fini(&buf);
	arena_fini(&arena);
	return e;
}

static const char *const anna[][2] = {
	{ "objectClass", "inetOrgPerson" },
	{ "cn", "Anna  Berg" }, { "cn", "Anni" },
	{ "cn;lang-en", "Ann Hill" },
	{ "sn", "Berg" },
	{ "givenName;lang-de", "Anna" },
	{ "telephoneNumber", "+49 30-123 456" },
	{ "number", "42" }, { "number", "-7" },
	{ "exact", "CamelCase" }, { "exact", "\xc3\x85ngstr\xc3\xb6m" },
	{ "exact", "--" },
	{ "blob", "abc" },
	{ "mail", "Anna@Example.com" },
	{ "when", "20260101120000Z" },
	{ "entryUUID", "01234567-89ab-cdef-0123-456789abcdef" },
	{ NULL, NULL }
};

static const char anna_dn[] = "cn=Anni+uid=Q,ou=People\\, old,dc=Example";

static bool
deny_mail(void *arg, const struct entry *e, const struct attr_desc *desc)
{
	(void)arg;
	(void)e;
	return desc->type != schema_find_type(schema, SLICE("mail"));
}

struct eval_case {
	const char *filter;
	char truth;			/* t, f, ? */
};

static const struct eval_case eval_cases[] = {
	{ "(cn=anna berg)", 't' },
	{ "(CN= ANNA   BERG )", 't' },
	{ "(commonName=anni)", 't' },
	{ "(2.5.4.3=anni)", 't' },
	{ "(cn=anna)", 'f' },
	{ "(cn=ann hill)", 't' },	/* a description with more options */
	{ "(cn;lang-en=ann hill)", 't' },
	{ "(cn;lang-en=anni)", 'f' },
	{ "(name=berg)", 't' },		/* supertype */
	{ "(name;lang-de=anna)", 't' },
	{ "(name;lang-de=berg)", 'f' },
	{ "(givenName=*)", 't' },
	{ "(uid=*)", 'f' },
	{ "(!(uid=x))", 't' },
	{ "(nosuch=x)", '?' },
	{ "(nosuch=*)", '?' },
	{ "(!(nosuch=x))", '?' },
	{ "(&(nosuch=x)(cn=anni))", '?' },
	{ "(&(nosuch=x)(cn=no))", 'f' },
	{ "(|(nosuch=x)(cn=anni))", 't' },
	{ "(|(nosuch=x)(cn=no))", '?' },
	{ "(&)", 't' },
	{ "(|)", 'f' },
	{ "(number=x)", '?' },		/* not in the syntax */
	{ "(number=042)", '?' },
	{ "(number=42)", 't' },
	{ "(number>=42)", 't' },
	{ "(number>=43)", 'f' },
	{ "(number<=-7)", 't' },
	{ "(number<=-8)", 'f' },
	{ "(when>=20260101120000Z)", 't' },
	{ "(when<=20260101115959Z)", 'f' },
	{ "(when<=20260101140000+0200)", 't' },
	{ "(sn>=a)", '?' },		/* no ordering rule */
	{ "(blob=abc)", '?' },		/* no equality rule */
	{ "(blob=*)", 't' },
	{ "(number=4*)", '?' },		/* no substrings rule */
	{ "(exact>=Camel)", 't' },
	{ "(exact=camelcase)", 'f' },
	{ "(cn=ann*)", 't' },
	{ "(cn=*BERG)", 't' },
	{ "(cn=an*a*rg)", 't' },
	{ "(cn=anni*i)", 'f' },		/* pieces do not overlap */
	{ "(cn=*n*n*i)", 't' },
	{ "(cn=*n*n*n*)", 'f' },
	{ "(exact=*Case)", 't' },
	{ "(exact=*case)", 'f' },
	{ "(telephoneNumber=+4930123456)", 't' },
	{ "(telephoneNumber=*30 12*)", 't' },
	{ "(cn~=anna berg)", 't' },
	{ "(objectClass=person)", 't' },	/* by way of a subclass */
	{ "(objectClass=INETORGPERSON)", 't' },
	{ "(objectClass=top)", 't' },
	{ "(objectClass=2.5.6.7)", 't' },
	{ "(objectClass=account)", 'f' },
	{ "(objectClass=*)", 't' },
	{ "(objectClass=nosuch)", '?' },	/* RFC 4517 4.2.26 */
	{ "(!(objectClass=nosuch))", '?' },
	{ "(objectClass=1.2.3.4)", 'f' },
	{ "(exact~=\xc3\x85ngstr\xc3\xb6m)", 't' },
	{ "(exact~=\xc3\xa5NGSTR\xc3\xb6m)", 't' },
	{ "(exact~=camel case)", 'f' },
	{ "(exact~=kamelkase)", 't' },
	{ "(exact~=--)", 't' },		/* no words: itself */
	{ "(exact~=-)", 'f' },
	{ "(entryUUID=01234567-89AB-cdef-0123-456789abcdef)", 't' },
	{ "(entryDN=*)", 't' },
	{ "(entryDN=UID=q+cn=ANNI, ou=people\\5c, old,dc=example)", 't' },
	{ "(entryDN=dc=example)", 'f' },
	{ "(entryDN:dnSubtreeMatch:=dc=example)", 't' },
	{ "(entryDN:dnSubtreeMatch:=dc=other)", 'f' },
	{ "(cn:=anni)", 't' },
	{ "(cn:caseExactMatch:=Anni)", 't' },
	{ "(cn:caseExactMatch:=anni)", 'f' },
	{ "(cn:2.5.13.5:=Anna Berg)", 't' },
	{ "(:caseExactMatch:=CamelCase)", 't' },
	{ "(:caseExactMatch:=camelcase)", 'f' },
	{ "(:caseIgnoreMatch:=camelcase)", 't' },
	{ "(cn:nosuchMatch:=x)", '?' },
	{ "(number:caseIgnoreMatch:=42)", '?' },
	{ "(number:1.2.840.113556.1.4.803:=10)", 't' },
	{ "(number:1.2.840.113556.1.4.803:=64)", 't' },	/* -7 has that bit */
	{ "(number:1.2.840.113556.1.4.804:=3)", 't' },
	{ "(number:integerOrderingMatch:=-7)", 'f' },
	{ "(number:integerOrderingMatch:=-6)", 't' },
	{ "(cn:caseIgnoreSubstringsMatch:=\\2aBER\\2a)", 't' },
	{ "(cn:caseExactSubstringsMatch:=\\2aBER\\2a)", 'f' },
	{ "(cn:caseIgnoreSubstringsMatch:=x)", '?' },
	{ "(ou:dn:=people, OLD)", 't' },
	{ "(ou:=people, OLD)", 'f' },
	{ "(uid:dn:=q)", 't' },
	{ "(uid:dn:caseExactMatch:=q)", 'f' },
	{ "(uid:dn:caseExactMatch:=Q)", 't' },
	{ "(name:dn:=people, old)", 't' },
	{ "(:dn:caseIgnoreIA5Match:=example)", 't' },
	{ "(:caseIgnoreMatch:=example)", 'f' },
	{ "(:integerMatch:=43)", 'f' },
	/* RFC 4517 4.2.11, 4.2.7: strings and IA5 strings have rules of their own */
	{ "(cn:caseIgnoreIA5Match:=anni)", '?' },
	{ "(dc:caseIgnoreMatch:=example)", '?' },
	{ "(telephoneNumber:caseIgnoreMatch:=+49 30-123 456)", 't' },
	{ "(mail=anna@example.com)", '?' },	/* denied */
	{ "(mail=*)", '?' },
	{ "(!(mail=*))", '?' },
	{ "(&(mail=*)(cn=no))", 'f' },
	{ "(:caseIgnoreIA5Match:=anna@example.com)", '?' },
};

static void
eval_one(struct entry *e, const char *text, char want, filter_access_cb allowed)
{
	struct ldap_filter *src;
	struct arena arena;
	struct filter *f;
	char got;

	arena_init(&arena, 0);
	assert_int_equal(filter_parse(&arena, slice_of(text), &src, NULL),
	    HB_OK);
	assert_int_equal(filter_resolve(&arena, schema, src, &f), HB_OK);
	got = "ft?"[filter_eval(f, schema, e, allowed, NULL)];
	if (got != want)
		print_message("%s: %c, not %c\n", text, got, want);
	assert_int_equal(got, want);
	arena_fini(&arena);
}

static void
eval(void **state)
{
	struct attr_dict *dict = attr_dict_new();
	struct entry *e = make_entry(dict, anna_dn, anna);
	unsigned i;

	(void)state;
	for (i = 0; i < sizeof(eval_cases) / sizeof(*eval_cases); i++)
		eval_one(e, eval_cases[i].filter, eval_cases[i].truth,
		    deny_mail);
	eval_one(e, "(mail=anna@example.com)", 't', NULL);
	entry_unref(&e);
	attr_dict_free(&dict);
}

/* (|(number=0)(number=2)...(cn=CN)): sorted, whole or as a part. */
static void
many(void **state)
{
	struct attr_dict *dict = attr_dict_new();
	struct entry *e = make_entry(dict, anna_dn, anna);
	struct buf buf;
	unsigned i;

	(void)state;
	buf_init(&buf);
	buf_put_str(&buf, "(|");
	for (i = 0; i < 5000; i += 2)
		buf_printf(&buf, "(number=%u)", i);
	buf_put_str(&buf, ")");
	buf_put_char(&buf, '\0');
	eval_one(e, buf.data, 't', NULL);
	buf.len -= 2;
	buf_put_str(&buf, "(cn=x)(number=x)(&))");
	buf_put_char(&buf, '\0');
	eval_one(e, buf.data, 't', NULL);
	buf_reset(&buf);
	buf_put_str(&buf, "(|");
	for (i = 1; i < 5000; i += 2)
		buf_printf(&buf, "(number=%u)(sn=x%u)", i, i);
	buf_put_str(&buf, ")");
	buf_put_char(&buf, '\0');
	eval_one(e, buf.data, 'f', NULL);
	buf.len -= 2;
	buf_put_str(&buf, "(sn=BERG))");
	buf_put_char(&buf, '\0');
	eval_one(e, buf.data, 't', NULL);
	buf.data[buf.len - 2] = '\0';
	buf.len -= 2;
	buf_put_str(&buf, "(number=x))");
	buf_put_char(&buf, '\0');
	buf_fini(&buf);
	entry_unref(&e);
	attr_dict_free(&dict);
}

static void
sorted_shape(void **state)
{
	struct ldap_filter *src;
	struct arena arena;
	struct filter *f;
	struct buf buf;
	unsigned i;

	(void)state;
	arena_init(&arena, 0);
	buf_init(&buf);
	buf_put_str(&buf, "(|(cn=a)");
	for (i = 0; i < 16; i++)
		buf_printf(&buf, "(uid=%u)", i);
	buf_put_str(&buf, "(uid=x*))");
	assert_int_equal(filter_parse(&arena, buf_slice(&buf), &src, NULL),
	    HB_OK);
	assert_int_equal(filter_resolve(&arena, schema, src, &f), HB_OK);
	assert_null(f->sorted);
	assert_int_equal(f->nchildren, 3);
	for (f = f->first, i = 0; f != NULL; f = f->next, i++)
		if (f->type == FILTER_OR) {
			assert_int_equal(f->nsorted, 16);
			assert_int_equal(f->nchildren, 16);
		}
	assert_int_equal(i, 3);
	buf_fini(&buf);
	arena_fini(&arena);
}

/* Nesting to the limit is evaluated; beyond it is refused. */
static void
deep(void **state)
{
	struct attr_dict *dict = attr_dict_new();
	struct entry *e = make_entry(dict, anna_dn, anna);
	struct ldap_filter *src;
	struct arena arena;
	struct diag diag = DIAG_INIT;
	struct buf buf;
	unsigned i;

	(void)state;
	buf_init(&buf);
	for (i = 0; i < LDAP_FILTER_DEPTH_MAX; i++)
		buf_put_str(&buf, "(!");
	buf_put_str(&buf, "(cn=anni)");
	for (i = 0; i < LDAP_FILTER_DEPTH_MAX; i++)
		buf_put_str(&buf, ")");
	buf_put_char(&buf, '\0');
	eval_one(e, buf.data, 't', NULL);
	buf_reset(&buf);
	for (i = 0; i < 100000; i++)
		buf_put_str(&buf, "(!");
	arena_init(&arena, 0);
	assert_int_equal(filter_parse(&arena, buf_slice(&buf), &src, &diag),
	    HB_EPROTO);
	assert_string_equal(diag.text,
	    "invalid filter: too many levels at offset 2002");
	arena_fini(&arena);
	buf_fini(&buf);
	entry_unref(&e);
	attr_dict_free(&dict);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parse),
		cmocka_unit_test(eval),
		cmocka_unit_test(many),
		cmocka_unit_test(sorted_shape),
		cmocka_unit_test(deep),
	};
	int rc;

	schema = sample_schema();
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	schema_free(&schema);
	return rc;
}
