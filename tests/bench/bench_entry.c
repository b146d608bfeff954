/* An entry's way: values checked, encoded, looked at, filtered, edited. */
#include "bench.h"
#include "entry.h"
#include "filter.h"
#include "schema_files.h"
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

/* A person as directories have them: 16 attributes, 19 values. */
static const struct {
	const char *name;
	const char *values[4];
} person_rows[] = {
	{ "objectClass", { "top", "person", "organizationalPerson",
	    "inetOrgPerson" } },
	{ "cn", { "Firstname Lastname" } }, { "sn", { "Lastname" } },
	{ "givenName", { "Firstname" } }, { "uid", { "user.12345" } },
	{ "mail", { "firstname.lastname@example.com" } },
	{ "telephoneNumber", { "+1 555 123 4567" } },
	{ "employeeNumber", { "12345" } },
	{ "title", { "Senior Engineer" } }, { "ou", { "Engineering" } },
	{ "street", { "123 Some Street" } }, { "l", { "Springfield" } },
	{ "postalCode", { "12345" } }, { "st", { "Illinois" } },
	{ "description", { "One of some length, that is about what people "
	    "write" } },
	{ "userPassword", { "{SSHA}CkbcqV4bcFLNTHUcBvyzcOZLDb7CjZ7f" } },
};
#define PERSON_ROWS	(sizeof(person_rows) / sizeof(*person_rows))

struct raw_attr {
	struct slice name, values[4];
	unsigned n;
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
person_raw(struct raw_attr *raw)
{
	for (size_t i = 0; i < PERSON_ROWS; i++) {
		raw[i].name = slice_of(person_rows[i].name);
		for (raw[i].n = 0; raw[i].n < 4 &&
		    person_rows[i].values[raw[i].n] != NULL; raw[i].n++)
			raw[i].values[raw[i].n] =
			    slice_of(person_rows[i].values[raw[i].n]);
	}
}

/* Names and values as an add brings them, to an entry that may be stored. */
static void
person_attrs(struct arena *arena, struct schema *s,
    const struct raw_attr *raw, struct attrs *as)
{
	const struct attr_desc *desc;
	struct attr a;

	*as = (struct attrs){ NULL, 0, 0 };
	for (size_t i = 0; i < PERSON_ROWS; i++) {
		want(schema_desc(s, raw[i].name, &desc, NULL));
		want(attr_make(arena, s, desc, raw[i].values, raw[i].n, &a,
		    NULL));
		want(attrs_add(arena, as, &a));
	}
}

static void
person_check(struct arena *arena, struct schema *s,
    const struct raw_attr *raw, const struct dn *dn)
{
	struct attrs as;

	arena_reset(arena);
	person_attrs(arena, s, raw, &as);
	want(entry_check(arena, s, dn, &as, 0, NULL));
}

static void
person_values(struct arena *arena, struct schema *s,
    const struct raw_attr *raw)
{
	struct attrs as;

	arena_reset(arena);
	person_attrs(arena, s, raw, &as);
}

static void
person_names(struct schema *s, const struct raw_attr *raw)
{
	const struct attr_desc *desc;

	for (size_t i = 0; i < PERSON_ROWS; i++)
		want(schema_desc(s, raw[i].name, &desc, NULL));
}

static void
bench_person(struct arena *arena, struct arena *keep)
{
	struct schema *s = schema_new();
	struct raw_attr raw[PERSON_ROWS];
	struct dn dn;

	schema_file_read(s, "core");
	schema_file_read(s, "cosine");
	schema_file_read(s, "inetorgperson");
	schema_freeze(s);
	person_raw(raw);
	want(dn_parse(keep, s, SLICE("uid=user.12345,ou=people,dc=example,"
	    "dc=com"), &dn, NULL));
	BENCH("inetOrgPerson, 16 attributes", 0,
	    person_check(arena, s, raw, &dn));
	BENCH("  its names and values", 0, person_values(arena, s, raw));
	BENCH("  its names", 0, person_names(s, raw));
	arena_reset(arena);
	schema_free(&s);
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
	bench_person(&arena, &keep);
	BENCH("12 attributes checked", 0, build_again(&arena));
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
