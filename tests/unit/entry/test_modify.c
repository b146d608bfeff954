/*
 * Modifications (RFC 4511 4.6): results, order, messages, large attributes.
 */
#include "../dn/sample.h"

#include "entry.h"
#include "util/text.h"

static struct schema *schema;

/*
 * A small language: attributes as "cn=a|b sn=c", modifications as
 * "+cn=a|b -cn=a -cn !cn=x #number=1", soft ones as "?+" and "?-".
 */
static void
take_pair(struct arena *arena, char *word, struct attr *a_r)
{
	char *eq = strchr(word, '='), *save, *v;
	const struct attr_desc *desc;
	struct slice values[16];
	unsigned n = 0, i;

	if (eq != NULL) {
		*eq = '\0';
		for (v = strtok_r(eq + 1, "|", &save); v != NULL;
		    v = strtok_r(NULL, "|", &save))
			values[n++] = slice_of(v);
	}
	assert_int_equal(schema_desc(schema, slice_of(word), &desc, NULL),
	    HB_OK);
	*a_r = (struct attr){ .desc = desc, .n = n, .cap = n };
	a_r->values = arena_calloc(arena, n + 1, sizeof(struct slice));
	a_r->norms = arena_calloc(arena, n + 1, sizeof(struct slice));
	for (i = 0; i < n; i++) {
		a_r->values[i] = values[i];
		assert_int_equal(schema_norm_value(schema, arena, desc,
		    values[i], &a_r->norms[i]), HB_OK);
	}
}

static void
take_attrs(struct arena *arena, const char *text, struct attrs *as)
{
	char *copy = arena_strdup(arena, text), *save, *w;
	struct attr a;

	*as = (struct attrs){ NULL, 0, 0 };
	for (w = strtok_r(copy, " ", &save); w != NULL;
	    w = strtok_r(NULL, " ", &save)) {
		take_pair(arena, w, &a);
		assert_int_equal(attrs_add(arena, as, &a), HB_OK);
	}
}

static unsigned
take_mods(struct arena *arena, const char *text, struct mod *mods)
{
	char *copy = arena_strdup(arena, text), *save, *w;
	struct attr a;
	unsigned n = 0;
	bool soft;

	for (w = strtok_r(copy, " ", &save); w != NULL;
	    w = strtok_r(NULL, " ", &save)) {
		soft = *w == '?';
		w += soft;
		mods[n].type = *w == '+' ? soft ? MOD_SOFT_ADD : MOD_ADD :
		    *w == '-' ? soft ? MOD_SOFT_DELETE : MOD_DELETE :
		    *w == '!' ? MOD_REPLACE : MOD_INCREMENT;
		take_pair(arena, w + 1, &a);
		mods[n].desc = a.desc;
		mods[n].values = a.values;
		mods[n].norms = a.norms;
		mods[n].n = a.n;
		mods[n].internal = false;
		n++;
	}
	return n;
}

static void
show(const struct attrs *as, struct buf *out)
{
	unsigned i, j;

	for (i = 0; i < as->n; i++) {
		if (i > 0)
			buf_put_char(out, ' ');
		buf_put_slice(out, as->v[i].desc->name);
		for (j = 0; j < as->v[i].n; j++) {
			buf_put_char(out, j == 0 ? '=' : '|');
			buf_put_slice(out, as->v[i].values[j]);
		}
	}
}

struct modify_case {
	const char *before, *mods, *after;	/* after NULL: refused */
	int rc;
	const char *text;
};

static const struct modify_case modify_cases[] = {
	{ "cn=a sn=b", "+cn=c", "cn=a|c sn=b", HB_OK, NULL },
	{ "cn=a sn=b", "+mail=x|y", "cn=a sn=b mail=x|y", HB_OK, NULL },
	{ "cn=a sn=b", "+cn=A", NULL, HB_EVALEXISTS,
	    "modify/add: cn: value #0 already exists" },
	{ "cn=a sn=b", "+cn=x|X", NULL, HB_EVALEXISTS,
	    "modify/add: cn: value #1 already exists" },
	{ "cn=a", "?+cn=b|A|c", "cn=a|b|c", HB_OK, NULL },
	{ "cn=a", "+cn", NULL, HB_EPROTO, "modify/add: cn: no values given" },
	{ "cn=a|b|c sn=b", "-cn=B", "cn=a|c sn=b", HB_OK, NULL },
	{ "cn=a sn=b", "-cn=a +cn=c", "sn=b cn=c", HB_OK, NULL },
	{ "cn=a sn=b", "-cn", "sn=b", HB_OK, NULL },
	{ "cn=a sn=b", "-mail", NULL, HB_ENOSUCHATTR,
	    "modify/delete: mail: no such attribute" },
	{ "cn=a sn=b", "-mail=x", NULL, HB_ENOSUCHATTR,
	    "modify/delete: mail: no such attribute" },
	{ "cn=a sn=b", "-cn=x", NULL, HB_ENOSUCHATTR,
	    "modify/delete: cn: no such value" },
	{ "cn=a|b", "-cn=a|a", NULL, HB_ENOSUCHATTR,
	    "modify/delete: cn: no such value" },
	{ "cn=a", "?-cn=x ?-mail ?-mail=x", "cn=a", HB_OK, NULL },
	{ "blob=x", "-blob=x", NULL, HB_EMATCHING,
	    "modify/delete: blob: no equality matching rule" },
	{ "blob=x sn=a", "-blob", "sn=a", HB_OK, NULL },
	{ "cn=a sn=b mail=c", "!cn=d|e", "sn=b mail=c cn=d|e", HB_OK, NULL },
	{ "cn=a sn=b", "!cn", "sn=b", HB_OK, NULL },
	{ "cn=a", "!mail", "cn=a", HB_OK, NULL },
	{ "cn=a", "!cn=x|X", NULL, HB_EVALEXISTS,
	    "modify/replace: cn: value #1 already exists" },
	{ "c=DE cn=a", "+c=FR -c=DE", "c=FR cn=a", HB_OK, NULL },
	{ "number=1|5 cn=a", "#number=2", "number=3|7 cn=a", HB_OK, NULL },
	{ "number=1", "#number=-2", "number=-1", HB_OK, NULL },
	{ "number=1", "#number=2 +number=3", NULL, HB_EVALEXISTS,
	    "modify/add: number: value #0 already exists" },
	{ "cn=1", "#cn=1", NULL, HB_ECONSTRAINT,
	    "cn: attribute syntax inappropriate for increment" },
	{ "cn=1", "#number=1", NULL, HB_ENOSUCHATTR,
	    "modify/increment: number: no such attribute" },
	{ "number=1", "#number=1|2", NULL, HB_EPROTO,
	    "modify/increment: number: exactly one value expected" },
	{ "number=9223372036854775807", "#number=1",
	    "number=9223372036854775808", HB_OK, NULL },
	{ "number=99999999999999999999999|-1|0", "#number=1",
	    "number=100000000000000000000000|0|1", HB_OK, NULL },
	{ "number=100000000000000000000000|1|0", "#number=-1",
	    "number=99999999999999999999999|0|-1", HB_OK, NULL },
	{ "number=-5|5|12", "#number=-12", "number=-17|-7|0", HB_OK, NULL },
	{ "number=-99", "#number=1000000000000000000000",
	    "number=999999999999999999901", HB_OK, NULL },
	{ "number=-99", "#number=-1", "number=-100", HB_OK, NULL },
	{ "number=7", "#number=0 -number=7", "", HB_OK, NULL },
	{ "number=9", "#number=9999999999999999999 "
	    "-number=10000000000000000008", "", HB_OK, NULL },
	{ "cn=a", "+entryUUID=01234567-89ab-cdef-0123-456789abcdef", NULL,
	    HB_ECONSTRAINT, "entryUUID: no user modification allowed" },
	{ "cn=a", "+cn;lang-en=a", "cn=a cn;lang-en=a", HB_OK, NULL },
	/* ordered values: numbers are places, not parts of values */
	{ "cn=a", "+list=b|c", "cn=a list={0}b|{1}c", HB_OK, NULL },
	{ "list=a|b", "+list=c", "list={0}a|{1}b|{2}c", HB_OK, NULL },
	{ "list=a|b", "+list={0}c", "list={0}c|{1}a|{2}b", HB_OK, NULL },
	{ "list=a|b", "+list={1}c|d|{3}e|{0}f",
	    "list={0}f|{1}c|{2}a|{3}e|{4}b|{5}d", HB_OK, NULL },
	{ "list=a|b", "+list={99}c|{-1}d|{99999999999}e",
	    "list={0}a|{1}b|{2}c|{3}d|{4}e", HB_OK, NULL },
	{ "list=a|b", "+list={1}c|{1}d", "list={0}a|{1}c|{2}d|{3}b", HB_OK,
	    NULL },
	{ "list=a|b", "+list={x}c|{}d|{1e", "list={0}a|{1}b|{2}{x}c|{3}{}d|"
	    "{4}{1e", HB_OK, NULL },
	{ "list=a|b", "+list={1}A", NULL, HB_EVALEXISTS,
	    "modify/add: list: a value already exists" },
	{ "list=a|b", "?+list={0}B|c", "list={0}a|{1}b|{2}c", HB_OK, NULL },
	{ "list=a", "+list", NULL, HB_EPROTO,
	    "modify/add: list: no values given" },
	{ "list=a|b|c", "-list={1}", "list={0}a|{1}c", HB_OK, NULL },
	{ "list=a|b|c", "-list={0}|{1}", "list={0}c", HB_OK, NULL },
	{ "list=a|b|c", "-list={0} -list={0}", "list={0}c", HB_OK, NULL },
	{ "list=a|b|c", "-list={1}B", "list={0}a|{1}c", HB_OK, NULL },
	{ "list=a|b|c", "-list={0}b", NULL, HB_ENOSUCHATTR,
	    "modify/delete: list: no such value" },
	{ "list=a|b|c", "-list=B", "list={0}a|{1}c", HB_OK, NULL },
	{ "list=a|b|c", "-list={3}", NULL, HB_ENOSUCHATTR,
	    "modify/delete: list: no such value" },
	{ "list=a|b|c", "-list={0}|a", NULL, HB_ENOSUCHATTR,
	    "modify/delete: list: no such value" },
	{ "list=a|b|c", "?-list={7}|x|b", "list={0}a|{1}c", HB_OK, NULL },
	{ "list=a cn=b", "-list=a", "cn=b", HB_OK, NULL },
	{ "list=a cn=b", "-list", "cn=b", HB_OK, NULL },
	{ "cn=b", "-list=a", NULL, HB_ENOSUCHATTR,
	    "modify/delete: list: no such attribute" },
	{ "list=a|b|c", "!list={1}x|{0}y|z", "list={0}y|{1}x|{2}z", HB_OK,
	    NULL },
	{ "list=a cn=b", "!list", "cn=b", HB_OK, NULL },
	{ "list=a", "!list=x|{0}X", NULL, HB_EVALEXISTS,
	    "modify/replace: list: a value already exists" },
	{ "list=a|b|c", "-list={2} +list={0}c", "list={0}c|{1}a|{2}b", HB_OK,
	    NULL },
	{ "ranks=4|5", "#ranks=1", NULL, HB_ECONSTRAINT, "modify/increment: "
	    "ranks: values that are ordered have no increment" },
};

static void
modify(void **state)
{
	const struct modify_case *c;
	struct mod mods[8];
	struct arena arena;
	struct attrs as;
	struct diag diag;
	struct buf buf;
	unsigned i, n;
	int rc;

	(void)state;
	arena_init(&arena, 0);
	buf_init(&buf);
	for (i = 0; i < sizeof(modify_cases) / sizeof(*modify_cases); i++) {
		c = &modify_cases[i];
		diag_clear(&diag);
		take_attrs(&arena, c->before, &as);
		n = take_mods(&arena, c->mods, mods);
		rc = attrs_modify(&arena, schema, &as, mods, n, &diag);
		if (rc != c->rc)
			print_message("%s: %s\n", c->mods, diag.text);
		assert_int_equal(rc, c->rc);
		if (c->after == NULL) {
			assert_string_equal(diag.text, c->text);
			continue;
		}
		buf_reset(&buf);
		show(&as, &buf);
		assert_slice_is(buf_slice(&buf), c->after);
	}
	buf_fini(&buf);
	arena_fini(&arena);
}

#define MANY	20000

static void
one_mod(struct arena *arena, struct mod *m, enum mod_type type,
    const struct attr_desc *desc, unsigned from, unsigned n)
{
	unsigned i;

	*m = (struct mod){ .type = type, .desc = desc, .n = n };
	m->values = arena_calloc(arena, n, sizeof(*m->values));
	m->norms = m->values;
	for (i = 0; i < n; i++)
		m->values[i] = arena_printf(arena, "v%u", from + i);
}

/*
 * The same by one modification of many values and by many of one; a
 * quadratic way would take minutes.
 */
static void
many_values(void **state)
{
	const struct attr_desc *cn = schema_builtin(schema, "cn");
	struct attrs as = { NULL, 0, 0 };
	struct arena arena;
	struct mod *mods, m;
	int64_t t0 = time_mono_us();
	unsigned i;

	(void)state;
	arena_init(&arena, 0);
	one_mod(&arena, &m, MOD_ADD, cn, 0, MANY);
	assert_int_equal(attrs_modify(&arena, schema, &as, &m, 1, NULL), HB_OK);
	assert_int_equal(attrs_find(&as, cn)->n, MANY);
	mods = arena_calloc(&arena, MANY, sizeof(*mods));
	for (i = 0; i < MANY; i++)
		one_mod(&arena, &mods[i], MOD_ADD, cn, MANY + i, 1);
	assert_int_equal(attrs_modify(&arena, schema, &as, mods, MANY, NULL),
	    HB_OK);
	assert_int_equal(attrs_find(&as, cn)->n, 2 * MANY);
	for (i = 0; i < MANY; i++)
		one_mod(&arena, &mods[i], i % 2 ? MOD_ADD : MOD_DELETE, cn,
		    i % 2 ? 3 * MANY + i : i, 1);
	assert_int_equal(attrs_modify(&arena, schema, &as, mods, MANY, NULL),
	    HB_OK);
	assert_int_equal(attrs_find(&as, cn)->n, 2 * MANY);
	assert_false(attrs_has_value(&as, cn, SLICE("v0")));
	assert_true(attrs_has_value(&as, cn, SLICE("v1")));
	/* order is kept */
	assert_slice_is(attrs_find(&as, cn)->values[0], "v1");
	assert_slice_is(attrs_find(&as, cn)->values[1], "v3");
	one_mod(&arena, &m, MOD_DELETE, cn, MANY, MANY);
	assert_int_equal(attrs_modify(&arena, schema, &as, &m, 1, NULL), HB_OK);
	one_mod(&arena, &m, MOD_REPLACE, cn, 7, MANY);
	assert_int_equal(attrs_modify(&arena, schema, &as, &m, 1, NULL), HB_OK);
	assert_int_equal(attrs_find(&as, cn)->n, MANY);
	one_mod(&arena, &m, MOD_DELETE, cn, 7, MANY);
	assert_int_equal(attrs_modify(&arena, schema, &as, &m, 1, NULL), HB_OK);
	assert_null(attrs_find(&as, cn));
	assert_true(time_mono_us() - t0 < 20 * 1000000);
	arena_fini(&arena);
}

struct make_case {
	const char *type, *v1, *v2;
	int rc;
	const char *text;
};

static const struct make_case make_cases[] = {
	{ "cn", "a", "b", HB_OK, NULL },
	{ "cn", "a", "A", HB_EVALEXISTS,
	    "cn: value #0 provided more than once" },
	{ "number", "1", "x", HB_ESYNTAX, "number: value #1 invalid per syntax" },
	{ "c", "DE", "FR", HB_ECONSTRAINT, "c: multiple values provided" },
	{ "member", "cn=a", "x", HB_ESYNTAX,
	    "member: value #1 invalid per syntax" },
};

struct many_case {
	const char *type, *values;		/* separated by '|' */
	int rc;
	const char *text;			/* of the error, or the values */
};

static const struct many_case many_cases[] = {
	{ "list", "b|a", HB_OK, "{0}b|{1}a" },
	{ "list", "{1}b|c|{0}a", HB_OK, "{0}a|{1}b|{2}c" },
	{ "list", "{007}b|{3}a", HB_OK, "{0}a|{1}b" },
	{ "list", "{1}b|{0}B", HB_EVALEXISTS,
	    "list: value #0 provided more than once" },
	{ "ranks", "{0}5|6", HB_OK, "{0}5|{1}6" },
	{ "ranks", "{0}", HB_ESYNTAX, "ranks: value #0 invalid per syntax: "
	    "value is empty" },
	{ "number", "x|1|-0", HB_ESYNTAX, "number: value #0 invalid per "
	    "syntax: value is not an integer; number: value #2 invalid per "
	    "syntax: value is not an integer" },
	{ "cn;lang-en-", "a", HB_EUNDEFTYPE, "cn;lang-en-: a range of options "
	    "is for searching, nothing can be stored under it" },
	{ "cn;lang-", "a", HB_EUNDEFTYPE, "cn;lang-: a range of options is "
	    "for searching, nothing can be stored under it" },
	{ "cert", "a", HB_EUNDEFTYPE, "cert: requires ;binary transfer" },
};

static void
join(const struct attr *a, struct buf *out)
{
	buf_reset(out);
	for (unsigned i = 0; i < a->n; i++) {
		if (i > 0)
			buf_put_char(out, '|');
		buf_put_slice(out, a->values[i]);
	}
}

/* What attr_make() makes of several values, and all that is wrong with them. */
static void
make_many(void **state)
{
	const struct many_case *c;
	const struct attr_desc *desc;
	struct slice values[16];
	struct arena arena;
	struct diag diag;
	struct attr a;
	struct buf buf;
	unsigned i, n;
	char *v, *save;
	int rc;

	(void)state;
	arena_init(&arena, 0);
	buf_init(&buf);
	for (i = 0; i < sizeof(many_cases) / sizeof(*many_cases); i++) {
		c = &many_cases[i];
		n = 0;
		for (v = strtok_r(arena_strdup(&arena, c->values), "|", &save);
		    v != NULL; v = strtok_r(NULL, "|", &save))
			values[n++] = slice_of(v);
		assert_int_equal(schema_desc(schema, slice_of(c->type), &desc,
		    NULL), HB_OK);
		diag_clear(&diag);
		rc = attr_make(&arena, schema, desc, values, n, &a, &diag);
		if (rc != c->rc)
			print_message("%s: %s\n", c->type, diag.text);
		assert_int_equal(rc, c->rc);
		if (rc != HB_OK) {
			assert_string_equal(diag.text, c->text);
			continue;
		}
		join(&a, &buf);
		assert_slice_is(buf_slice(&buf), c->text);
	}
	/* so many bad values that not all are named */
	for (i = 0; i < 16; i++)
		values[i] = SLICE("x");
	diag_clear(&diag);
	assert_int_equal(attr_make(&arena, schema, schema_builtin(schema,
	    "uidNumber"), values, 1, &a, &diag), HB_ESYNTAX);
	assert_int_equal(schema_desc(schema, SLICE("number"), &desc, NULL),
	    HB_OK);
	diag_clear(&diag);
	assert_int_equal(attr_make(&arena, schema, desc, values, 16, &a,
	    &diag), HB_ESYNTAX);
	assert_non_null(strstr(diag.text, "; number: 8 more values are "
	    "invalid"));
	/* values are never printed */
	values[0] = SLICE("secret value");
	diag_clear(&diag);
	attr_make(&arena, schema, desc, values, 1, &a, &diag);
	assert_null(strstr(diag.text, "secret"));
	buf_fini(&buf);
	arena_fini(&arena);
}

/* Two attributes of one description become one, numbered through. */
static void
merge_ordered(void **state)
{
	const struct slice one[] = { SLICE("{0}a"), SLICE("{1}b") };
	const struct slice two[] = { SLICE("{0}c") };
	const struct attr_desc *desc;
	struct attrs as = { NULL, 0, 0 };
	struct arena arena;
	struct attr a;
	struct mod m;
	struct buf buf;

	(void)state;
	arena_init(&arena, 0);
	buf_init(&buf);
	assert_int_equal(schema_desc(schema, SLICE("list"), &desc, NULL),
	    HB_OK);
	assert_int_equal(attr_make(&arena, schema, desc, one, 2, &a, NULL),
	    HB_OK);
	assert_int_equal(attrs_add(&arena, &as, &a), HB_OK);
	assert_int_equal(attr_make(&arena, schema, desc, two, 1, &a, NULL),
	    HB_OK);
	assert_int_equal(attrs_add(&arena, &as, &a), HB_OK);
	join(attrs_find(&as, desc), &buf);
	assert_slice_is(buf_slice(&buf), "{0}a|{1}b|{2}c");
	assert_true(attrs_has_value(&as, desc, SLICE("c")));
	/* "{1}" alone is a value to be deleted, not one to be added */
	assert_int_equal(schema_desc(schema, SLICE("ranks"), &desc, NULL),
	    HB_OK);
	assert_int_equal(mod_make(&arena, schema, MOD_DELETE, desc,
	    (struct slice[]){ SLICE("{1}") }, 1, &m, NULL), HB_OK);
	assert_int_equal(mod_make(&arena, schema, MOD_ADD, desc,
	    (struct slice[]){ SLICE("{1}") }, 1, &m, NULL), HB_ESYNTAX);
	assert_int_equal(mod_make(&arena, schema, MOD_DELETE, desc, NULL, 0,
	    &m, NULL), HB_OK);
	assert_int_equal(m.n, 0);
	buf_fini(&buf);
	arena_fini(&arena);
}

static void
make(void **state)
{
	const struct attr_desc *desc;
	const struct make_case *c;
	struct slice values[40];
	struct arena arena;
	struct diag diag;
	struct attr a;
	unsigned i;
	int rc;

	(void)state;
	arena_init(&arena, 0);
	for (i = 0; i < sizeof(make_cases) / sizeof(*make_cases); i++) {
		c = &make_cases[i];
		diag_clear(&diag);
		assert_int_equal(schema_desc(schema, slice_of(c->type), &desc,
		    NULL), HB_OK);
		values[0] = slice_of(c->v1);
		values[1] = slice_of(c->v2);
		rc = attr_make(&arena, schema, desc, values, 2, &a, &diag);
		assert_int_equal(rc, c->rc);
		if (c->text != NULL)
			assert_int_equal(strncmp(diag.text, c->text,
			    strlen(c->text)), 0);
	}
	/* enough of them for the hash */
	for (i = 0; i < 40; i++)
		values[i] = arena_printf(&arena, "v%u", i % 39);
	diag_clear(&diag);
	assert_int_equal(attr_make(&arena, schema,
	    schema_builtin(schema, "cn"), values, 40, &a, &diag),
	    HB_EVALEXISTS);
	assert_string_equal(diag.text, "cn: value #0 provided more than once");
	assert_int_equal(attr_make(&arena, schema,
	    schema_builtin(schema, "cn"), values, 39, &a, NULL), HB_OK);
	arena_fini(&arena);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modify),
		cmocka_unit_test(many_values),
		cmocka_unit_test(make),
		cmocka_unit_test(make_many),
		cmocka_unit_test(merge_ordered),
	};
	int rc;

	schema = sample_schema();
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	schema_free(&schema);
	return rc;
}
