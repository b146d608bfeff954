/* What slapadd, slapcat and slapindex call, on both name layouts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/store/index.h"
#include "tests/unit/store/fixture.h"
#include "util/mem.h"

#define PEOPLE		"ou=People," SUFFIX
#define INDEXES		"index objectClass,uid eq\nindex cn eq,sub\n"

static const struct dnidx_ops *names;
static struct diag diag;

static int
setup(void **state)
{
	*state = fixture_new(names, INDEXES);
	diag_clear(&diag);
	return 0;
}

static int
teardown(void **state)
{
	fixture_free((struct fixture **)state);
	return 0;
}

static int
begin(struct fixture *f, enum tool_mode mode)
{
	struct tool_opts opts = { .mode = mode, .threads = 2,
	    .memory = 64 << 20 };

	diag_clear(&diag);
	return store_tool_open(&f->db, names, &opts, &diag);
}

static int
finish(struct fixture *f, bool ok)
{
	return store_tool_close(&f->db, ok, &diag);
}

static void
set(struct fixture *f, struct arena *a, struct attrs *attrs, const char *name,
    const char *value)
{
	struct slice v = slice_of(value);
	const struct attr_desc *d;
	struct attr attr;

	assert_int_equal(schema_desc(f->schema, slice_of(name), &d, NULL),
	    HB_OK);
	assert_int_equal(attr_make(a, f->schema, d, &v, 1, &attr, &diag),
	    HB_OK);
	assert_int_equal(attrs_add(a, attrs, &attr), HB_OK);
}

/* An entry of the class that its first RDN asks for; LINE of the input. */
static int
put(struct fixture *f, const char *text, unsigned line)
{
	struct attrs attrs = { 0 };
	struct tool_entry te;
	struct arena a;
	struct dn dn;
	entry_id id;
	int rc;

	arena_init(&a, 0);
	dn = dn_of(f, &a, text);
	set(f, &a, &attrs, "objectClass", text[0] == 'd' ? "domain" :
	    text[0] == 'o' ? "organizationalUnit" : "person");
	if (text[0] == 'u')
		set(f, &a, &attrs, "cn", "Somebody");
	assert_int_equal(entry_add_naming(&a, f->schema, &dn, &attrs, &diag),
	    HB_OK);
	te = (struct tool_entry){ &dn, &attrs, line };
	rc = store_tool_put(&f->db, &a, &te, &id, &diag);
	arena_fini(&a);
	return rc;
}

static void
put_ok(struct fixture *f, const char *dn, unsigned line)
{
	if (put(f, dn, line) != HB_OK)
		fail_msg("%s: %s", dn, diag.text);
}

static void
expect(struct fixture *f, const char *filter, const char *wanted)
{
	char *found = do_search(f, SUFFIX, LDAP_SCOPE_SUB, filter, 0);

	if (strcmp(found, wanted) != 0)
		fail_msg("%s: %s", filter, found);
	free(found);
}

static int
count_cb(struct entry *e, entry_id id, void *arg)
{
	assert_non_null(e);
	assert_int_equal(e->id, id);
	++*(unsigned *)arg;
	return HB_OK;
}

static unsigned
count(struct fixture *f)
{
	unsigned n = 0;

	assert_int_equal(begin(f, TOOL_READ), HB_OK);
	assert_int_equal(store_tool_each(&f->db, NULL, count_cb, &n, &diag),
	    HB_OK);
	assert_int_equal(finish(f, true), HB_OK);
	return n;
}

/* Children come before parents, in either mode; missing ones get their IDs first. */
static void
children_first(struct fixture *f, enum tool_mode mode)
{
	assert_int_equal(begin(f, mode), HB_OK);
	put_ok(f, "uid=a," PEOPLE, 1);
	put_ok(f, "uid=b," PEOPLE, 5);
	put_ok(f, SUFFIX, 9);
	put_ok(f, PEOPLE, 12);
	put_ok(f, "uid=c," PEOPLE, 15);
	if (finish(f, true) != HB_OK)
		fail_msg("%s", diag.text);
	assert_int_equal(count(f), 5);
	fixture_open(f);
	expect(f, "(objectClass=*)", SUFFIX "|ou=People|uid=a,ou=People|"
	    "uid=b,ou=People|uid=c,ou=People");
	expect(f, "(uid=b)", "uid=b,ou=People");
	expect(f, "(objectClass=organizationalUnit)", "ou=People");
	expect(f, "(cn=*body)", "uid=a,ou=People|uid=b,ou=People|"
	    "uid=c,ou=People");
	fixture_close(f);
}

static void
test_quick(void **state)
{
	children_first(*state, TOOL_QUICK);
}

static void
test_write(void **state)
{
	children_first(*state, TOOL_WRITE);
}

/* A second load goes on above the first, which it knows. */
static void
test_load_again(void **state)
{
	static const enum tool_mode modes[] = { TOOL_QUICK, TOOL_WRITE };
	struct fixture *f = *state;

	assert_int_equal(begin(f, TOOL_QUICK), HB_OK);
	put_ok(f, SUFFIX, 1);
	put_ok(f, PEOPLE, 4);
	put_ok(f, "uid=a," PEOPLE, 7);
	assert_int_equal(finish(f, true), HB_OK);
	for (unsigned i = 0; i < 2; i++) {
		char *dn = mem_printf("uid=new%u," PEOPLE, i);
		char *more = mem_printf("uid=more%u,%s", i, dn);

		assert_int_equal(begin(f, modes[i]), HB_OK);
		assert_int_equal(put(f, "uid=a," PEOPLE, 1), HB_EEXISTS);
		diag_clear(&diag);
		put_ok(f, dn, 4);
		/* looks up names on pages that it has changed itself */
		put_ok(f, more, 8);
		assert_int_equal(put(f, "uid=a," PEOPLE, 12), HB_EEXISTS);
		diag_clear(&diag);
		if (finish(f, true) != HB_OK)
			fail_msg("%s", diag.text);
		free(dn);
		free(more);
	}
	assert_int_equal(count(f), 7);
	fixture_open(f);
	expect(f, "(uid=new*)", "uid=new0,ou=People|uid=new1,ou=People");
	expect(f, "(uid=a)", "uid=a,ou=People");
	fixture_close(f);
}

/* Both places of a duplicate are named. */
static void
test_duplicate(void **state)
{
	struct fixture *f = *state;
	int rc;

	assert_int_equal(begin(f, TOOL_QUICK), HB_OK);
	put_ok(f, SUFFIX, 1);
	put_ok(f, PEOPLE, 11);
	rc = put(f, "OU=people, " SUFFIX, 22);
	if (rc == HB_OK)
		rc = finish(f, true);
	else
		(void)finish(f, false);
	assert_int_equal(rc, HB_EEXISTS);
	assert_non_null(strstr(diag.text, "11"));
}

/* Who is missing is named, and nothing is left of the load. */
static void
test_missing(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(begin(f, TOOL_QUICK), HB_OK);
	put_ok(f, SUFFIX, 1);
	put_ok(f, "uid=a," PEOPLE, 7);
	assert_int_equal(finish(f, true), HB_ENOENT);
	assert_non_null(strstr(diag.text, "ou=People"));
	assert_non_null(strstr(diag.text, "line 7"));
	fixture_open(f);
	expect(f, "(objectClass=*)", "!HB_ENOENT");
	fixture_close(f);
}

/* A load that was cut off is refused until it is done again. */
static void
test_cut_off(void **state)
{
	struct fixture *f = *state;
	char *mark = mem_printf("%s/" STORE_MARK_FILE, f->dir);
	FILE *m = fopen(mark, "w");

	assert_non_null(m);
	fputs("empty", m);
	fclose(m);
	assert_int_equal(store_open(&f->db, names, &diag), HB_EUNLOADED);
	assert_non_null(strstr(diag.text, "slapadd"));
	assert_int_equal(begin(f, TOOL_READ), HB_EUNLOADED);
	assert_int_equal(begin(f, TOOL_QUICK), HB_OK);
	assert_int_equal(access(mark, F_OK), 0);
	put_ok(f, SUFFIX, 1);
	assert_int_equal(finish(f, true), HB_OK);
	assert_int_not_equal(access(mark, F_OK), 0);
	fixture_open(f);
	expect(f, "(objectClass=*)", SUFFIX);
	fixture_close(f);
	free(mark);
}

/* A load into old entries that was cut off cannot be repeated by itself. */
static void
test_cut_off_data(void **state)
{
	struct fixture *f = *state;
	char *mark = mem_printf("%s/" STORE_MARK_FILE, f->dir);
	FILE *m = fopen(mark, "w");

	fputs("data", m);
	fclose(m);
	assert_int_equal(begin(f, TOOL_QUICK), HB_EUNLOADED);
	assert_non_null(strstr(diag.text, "backup"));
	free(mark);
}

static void
test_dry(void **state)
{
	struct tool_opts opts = { .mode = TOOL_QUICK, .dry_run = true };
	struct fixture *f = *state;
	char *file = mem_printf("%s/id2entry.bdb", f->dir);

	assert_int_equal(store_tool_open(&f->db, names, &opts, &diag), HB_OK);
	put_ok(f, SUFFIX, 1);
	put_ok(f, "uid=a," PEOPLE, 5);
	assert_int_equal(finish(f, true), HB_ENOENT);
	assert_int_not_equal(access(file, F_OK), 0);
	free(file);
}

/* slapindex: an index that is new, and one that is there. */
static void
test_reindex(void **state)
{
	static const enum tool_mode modes[] = { TOOL_QUICK, TOOL_WRITE };
	struct fixture *plain = *state, *f = fixture_new(names,
	    INDEXES "index description eq\n");
	char *old = mem_printf("%s", f->conf.directory);

	assert_int_equal(begin(plain, TOOL_QUICK), HB_OK);
	put_ok(plain, SUFFIX, 1);
	put_ok(plain, PEOPLE, 4);
	put_ok(plain, "uid=a," PEOPLE, 7);
	assert_int_equal(finish(plain, true), HB_OK);
	free(f->conf.directory);
	f->conf.directory = mem_strdup(plain->dir);
	for (unsigned i = 0; i < 2; i++) {
		const struct attr_desc *d = schema_builtin(f->schema,
		    "description");
		unsigned ready;

		if (i > 0) {
			fixture_open(f);
			assert_int_equal(do_modify(f, "uid=a," PEOPLE,
			    "replace description: two"), HB_OK);
			fixture_close(f);
		}
		assert_int_equal(begin(f, modes[i]), HB_OK);
		ready = index_find(fixture_store(f), d, INDEX_EQ) != NULL;
		assert_int_equal(ready, i);
		assert_int_equal(store_tool_reindex(&f->db, &d, 1, &diag),
		    HB_OK);
		if (finish(f, true) != HB_OK)
			fail_msg("%s", diag.text);
		fixture_open(f);
		assert_non_null(index_find(fixture_store(f), d, INDEX_EQ));
		expect(f, "(description=two)", i == 0 ? "" : "uid=a,ou=People");
		fixture_close(f);
	}
	assert_int_equal(begin(f, TOOL_QUICK), HB_OK);
	assert_int_equal(store_tool_reindex(&f->db,
	    (const struct attr_desc *const[]){ schema_builtin(f->schema,
	    "entryUUID") }, 1, &diag), HB_ENOTFOUND);
	assert_int_equal(finish(f, false), HB_OK);
	free(f->conf.directory);
	f->conf.directory = old;
	fixture_free(&f);
}

#define T(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	static const struct dnidx_ops *const both[] = {
		&dnidx_flat, &dnidx_tree
	};
	const struct CMUnitTest tests[] = {
		T(test_quick), T(test_write), T(test_load_again),
		T(test_duplicate), T(test_missing), T(test_cut_off),
		T(test_cut_off_data), T(test_dry), T(test_reindex),
	};
	int failed = 0;

	for (int i = 0; i < 2; i++) {
		names = both[i];
		failed += cmocka_run_group_tests_name(names->name, tests, NULL,
		    NULL);
	}
	return failed;
}
