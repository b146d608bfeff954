/* An entry's way: values checked, encoded, looked at, filtered, edited. */
#include "bench.h"
#include "entry.h"
#include "filter.h"
#include "util/err.h"

static struct schema *schema;
static struct attr_dict *dict;

static const char *const rows[][2] = {
	{ "objectClass", "subentry" }, { "objectClass", "extensibleObject" },
	{ "cn", "Firstname Lastname" }, { "uid", "user.12345" },
	{ "name", "Lastname" }, { "description", "One of some length, that is "
	    "about what people write into such a thing" },
	{ "uidNumber", "12345" }, { "gidNumber", "100" },
	{ "labeledURI", "http://www.example.com/ Somewhere" },
	{ "seeAlso", "cn=Somebody,ou=people,dc=example,dc=com" },
	{ "userPassword", "{SSHA}CkbcqV4bcFLNTHUcBvyzcOZLDb7CjZ7f" },
	{ "subtreeSpecification", "{}" },
};

static void
want(int rc)
{
	if (rc != HB_OK)
		abort();
}

static void
build(struct arena *arena, struct attrs *as)
{
	struct slice value;
	struct attr a;
	unsigned i;

	*as = (struct attrs){ NULL, 0, 0 };
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		value = slice_of(rows[i][1]);
		want(attr_make(arena, schema, schema_builtin(schema,
		    rows[i][0]), &value, 1, &a, NULL));
		want(attrs_add(arena, as, &a));
		attr_dict_add(dict, a.desc, 0);
	}
}

static void
build_again(struct arena *arena)
{
	struct attrs as;

	arena_reset(arena);
	build(arena, &as);
}

static void
check(struct arena *arena, const struct dn *dn, const struct attrs *as)
{
	struct attrs copy = *as;
	struct dn d = *dn;

	arena_reset(arena);
	copy.v = arena_calloc(arena, as->n + 4, sizeof(*copy.v));
	memcpy(copy.v, as->v, as->n * sizeof(*copy.v));
	copy.cap = as->n + 4;
	want(entry_check(arena, schema, &d, &copy, 0, NULL));
}

static void
encode(struct buf *out, const struct attrs *as)
{
	buf_reset(out);
	want(entry_encode(as, dict, out));
}

static void
edit(struct arena *arena, const struct entry *e)
{
	struct attrs as;

	arena_reset(arena);
	want(entry_edit(arena, e, &as));
}

static void
renew(const struct entry *e)
{
	struct entry *copy = entry_new(1, &e->dn, dict, e->block);

	want(entry_block_check(copy->block, dict));
	entry_unref(&copy);
}

static const struct filter *
filter(struct arena *arena, const char *text)
{
	struct ldap_filter *src;
	struct filter *f;

	want(filter_parse(arena, slice_of(text), &src, NULL));
	want(filter_resolve(arena, schema, src, &f));
	return f;
}

static void
eval(const struct filter *f, const struct entry *e, enum filter_truth truth)
{
	if (filter_eval(f, schema, e, NULL, NULL) != truth)
		abort();
}

int
main(void)
{
	const struct filter *eq, *and, *sub, *class;
	struct arena keep, arena;
	struct entry *e;
	struct attrs as;
	struct buf buf;
	struct dn dn;

	dn_init();
	schema = schema_new();
	schema_freeze(schema);
	dict = attr_dict_new();
	arena_init(&keep, 0);
	arena_init(&arena, 0);
	buf_init(&buf);
	build(&keep, &as);
	want(dn_parse(&keep, schema, SLICE("uid=user.12345,cn=people"), &dn,
	    NULL));
	encode(&buf, &as);
	e = entry_new(1, &dn, dict, buf_slice(&buf));
	eq = filter(&keep, "(uid=user.12345)");
	and = filter(&keep, "(&(objectClass=subentry)(uid=user.12345))");
	sub = filter(&keep, "(description=*people*thing)");
	class = filter(&keep, "(objectClass=subschema)");
	BENCH("11 attributes checked", 0, build_again(&arena));
	BENCH("schema check", 0, check(&arena, &dn, &as));
	BENCH("encode", buf.len, encode(&buf, &as));
	BENCH("new entry, block checked", buf.len, renew(e));
	BENCH("edit", 0, edit(&arena, e));
	BENCH("filter: equality", 0, eval(eq, e, FILTER_TRUE));
	BENCH("filter: class and equality", 0, eval(and, e, FILTER_TRUE));
	BENCH("filter: substrings", 0, eval(sub, e, FILTER_TRUE));
	BENCH("filter: another class", 0, eval(class, e, FILTER_FALSE));
	entry_unref(&e);
	buf_fini(&buf);
	arena_fini(&arena);
	arena_fini(&keep);
	attr_dict_free(&dict);
	schema_free(&schema);
	return 0;
}
