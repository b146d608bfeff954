/* Overlays in the transaction of a write: all of it is there, or nothing is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/store/env.h"
#include "tests/unit/store/fixture.h"
#include "util/mem.h"
#include "util/text.h"

#define PEOPLE		"ou=People," SUFFIX
#define OTHER		"ou=Other," SUFFIX
#define NEW		"uid=new," PEOPLE
#define INDEXES		"index uid eq\nindex description eq\nindex objectClass eq\n"
#define PERSON		"objectClass: person\ncn: New\ndescription: first\n"
#define NPEOPLE		10

static const struct dnidx_ops *names;
static struct fixture *fix;
static unsigned runs;			/* of the hook */

static int
setup(void **state)
{
	fix = fixture_new(names, INDEXES);
	fixture_open(fix);
	fill(fix, NPEOPLE);
	overlays_on(fix);
	overlay_hook = NULL;
	runs = 0;
	*state = fix;
	return 0;
}

static int
teardown(void **state)
{
	overlay_hook = NULL;
	fixture_free((struct fixture **)state);
	return 0;
}

/* ---- what hooks do ---- */

static const struct slapd_txn_ops *
calls(const struct be_txn *t)
{
	return t->db->be->txn;
}

static int
set(struct be_txn *t, const char *dn, const char *value)
{
	struct slice v = slice_of(value);
	struct dn name = dn_of(fix, t->op->arena, dn);
	struct mod m;

	assert_int_equal(mod_make(t->op->arena, t->op->schema, MOD_REPLACE,
	    schema_builtin(t->op->schema, "description"), &v, 1, &m, NULL),
	    HB_OK);
	return calls(t)->modify(t, &name, &m, 1, 0);
}

static int
put(struct be_txn *t, const char *dn)
{
	struct slice v[] = { SLICE("person") };
	struct dn name = dn_of(fix, t->op->arena, dn);
	struct attrs attrs = { 0 };
	struct attr a;

	assert_int_equal(attr_make(t->op->arena, t->op->schema,
	    schema_builtin(t->op->schema, "objectClass"), v, 1, &a, NULL),
	    HB_OK);
	assert_int_equal(attrs_add(t->op->arena, &attrs, &a), HB_OK);
	assert_int_equal(entry_add_naming(t->op->arena, t->op->schema, &name,
	    &attrs, NULL), HB_OK);
	return calls(t)->add(t, &name, &attrs);
}

static int
drop(struct be_txn *t, const char *dn)
{
	struct dn name = dn_of(fix, t->op->arena, dn);

	return calls(t)->delete(t, &name);
}

static int
note(struct entry *e, void *arg)
{
	struct buf *out = arg;

	buf_printf(out, "%.*s|", SLICE_ARG(dn_rdn(&e->dn).text));
	return HB_OK;
}

/* RDNs of what is found; owned by the operation. */
static const char *
look(struct be_txn *t, const char *base, enum ldap_scope scope,
    const char *text)
{
	struct dn name = dn_of(fix, t->op->arena, base);
	struct ldap_filter *raw;
	struct filter *f;
	struct buf out;
	const char *s;

	buf_init(&out);
	assert_int_equal(filter_parse(t->op->arena, slice_of(text), &raw,
	    NULL), HB_OK);
	assert_int_equal(filter_resolve(t->op->arena, t->op->schema, raw, &f),
	    HB_OK);
	assert_int_equal(calls(t)->search(t, &name, scope, f, note, &out),
	    HB_OK);
	buf_put_char(&out, '\0');
	s = arena_strdup(t->op->arena, out.data);
	buf_fini(&out);
	return s;
}

/* `description` of E, owned by the operation; "" if it has none. */
static const char *
description(struct be_txn *t, const struct entry *e)
{
	struct slice v = entry_value(e, schema_builtin(t->op->schema,
	    "description"));

	return slice_is_none(v) ? "" : arena_slice(t->op->arena, v).ptr;
}

/* ---- what is there afterwards ---- */

static void
finds(const char *filter, const char *expected)
{
	char *found = do_search(fix, SUFFIX, LDAP_SCOPE_SUB, filter, 0);

	assert_string_equal(found, expected);
	free(found);
}

static void
has_description(const char *dn, const char *value)
{
	struct call c;

	call_init(&c, fix, OP_SEARCH, dn);
	assert_int_equal(run_search(fix, &c, LDAP_SCOPE_BASE,
	    "(objectClass=*)"), HB_OK);
	assert_int_equal(c.nsent, 1);
	if (value == NULL)
		assert_null(c.values);
	else
		assert_string_equal(c.values, value);
	call_fini(&c);
}

/* ---- tests ---- */

/* Another entry, a new one and one that goes, with the operation. */
static int
hook_three(struct be_txn *t)
{
	int rc;

	runs++;
	assert_null(t->before);
	assert_string_equal(t->after->dn.text.ptr, NEW);
	if ((rc = set(t, OTHER, "other")) != HB_OK ||
	    (rc = put(t, "cn=made," OTHER)) != HB_OK)
		return rc;
	return drop(t, "uid=user.1," PEOPLE);
}

static void
test_commit(void **state)
{
	(void)state;
	overlay_hook = hook_three;
	assert_int_equal(do_add(fix, NEW, PERSON), HB_OK);
	assert_int_equal(runs, 1);
	has_description(OTHER, "other");
	has_description(NEW, "first");
	finds("(description=other)", "ou=Other");
	finds("(cn=made)", "cn=made,ou=Other");
	finds("(uid=user.1)", "");
	finds("(uid=new)", "uid=new,ou=People");
}

static void
expect_nothing_done(void)
{
	has_description(OTHER, NULL);
	finds("(description=other)", "");
	finds("(cn=made)", "");
	finds("(uid=new)", "");
	finds("(uid=user.1)", "uid=user.1,ou=People");
}

static int
hook_refuse(struct be_txn *t)
{
	int rc = hook_three(t);

	return rc != HB_OK ? rc : HB_ECONSTRAINT;
}

/* Caches are filled before, so that what is stale would be seen. */
static void
test_abort(void **state)
{
	(void)state;
	expect_nothing_done();
	overlay_hook = hook_refuse;
	assert_int_equal(do_add(fix, NEW, PERSON), HB_ECONSTRAINT);
	assert_int_equal(runs, 1);
	expect_nothing_done();
	overlay_hook = hook_three;
	assert_int_equal(do_add(fix, NEW, PERSON), HB_OK);
	finds("(description=other)", "ou=Other");
}

static void
test_noop(void **state)
{
	struct call c;

	(void)state;
	overlay_hook = hook_three;
	call_init(&c, fix, OP_ADD, NEW);
	c.op.flags = OP_NOOP;
	assert_int_equal(attrs_set(&c.arena, &c.op.req.add.attrs,
	    schema_builtin(fix->schema, "description"), SLICE("first"),
	    SLICE("first")), HB_OK);
	assert_int_equal(store_op_add(&fix->db, &c.op), HB_NOOPERATION);
	assert_int_equal(runs, 1);
	assert_null(c.op.txn);
	call_fini(&c);
	expect_nothing_done();
}

/* A counter on another entry, and two deadlocks. */
static int
hook_count(struct be_txn *t)
{
	struct dn name = dn_of(fix, t->op->arena, OTHER);
	struct entry *e = NULL;
	char *next;
	int rc;

	runs++;
	if ((rc = calls(t)->entry_get(t, &name, &e)) != HB_OK)
		return rc;
	next = mem_printf("%d", atoi(description(t, e)) + 1);
	rc = set(t, OTHER, next);
	free(next);
	entry_unref(&e);
	if (rc == HB_OK && runs == 1)
		return HB_EDEADLOCK;
	/* one that the overlay does not pass on */
	if (rc == HB_OK && runs == 2)
		((struct store_txn *)t->priv)->failed = HB_EDEADLOCK;
	return rc;
}

static void
test_deadlock(void **state)
{
	struct store *st = fixture_store(fix);
	uint64_t commits;

	(void)state;
	overlay_hook = hook_count;
	commits = atomic_load(&st->commits);
	assert_int_equal(do_add(fix, NEW, PERSON), HB_OK);
	assert_int_equal(runs, 3);
	assert_int_equal(atomic_load(&st->commits), commits + 1);
	has_description(OTHER, "1");
	assert_int_equal(do_modify(fix, NEW, "replace description: next"),
	    HB_OK);
	has_description(OTHER, "2");
	assert_int_equal(do_rename(fix, NEW, "uid=newer", NULL), HB_OK);
	assert_int_equal(do_delete(fix, "uid=newer," PEOPLE), HB_OK);
	has_description(OTHER, "4");
	assert_int_equal(runs, 6);
}

/* Its own uncommitted changes, by name and by index; nobody else's view. */
static int
hook_sees(struct be_txn *t)
{
	const char *all = look(t, PEOPLE, LDAP_SCOPE_SUB,
	    "(objectClass=person)");

	runs++;
	assert_string_equal(look(t, SUFFIX, LDAP_SCOPE_SUB, "(uid=new)"),
	    "uid=new|");
	assert_string_equal(look(t, PEOPLE, LDAP_SCOPE_ONE,
	    "(description=first)"), "uid=new|");
	assert_non_null(strstr(all, "uid=new|"));
	assert_int_equal(set(t, NEW, "second"), HB_OK);
	assert_string_equal(look(t, "", LDAP_SCOPE_BASE,
	    "(|(description=first)(description=second))"), "uid=new|");
	assert_string_equal(look(t, SUFFIX, LDAP_SCOPE_SUB,
	    "(description=first)"), "");
	assert_int_equal(drop(t, "uid=user.2," PEOPLE), HB_OK);
	assert_string_equal(look(t, SUFFIX, LDAP_SCOPE_SUB,
	    "(|(uid=user.2)(uid=user.3))"), "uid=user.3|");
	/* without an index: the scope is read */
	assert_string_equal(look(t, PEOPLE, LDAP_SCOPE_SUB, "(cn=New)"),
	    "uid=new|");
	assert_string_equal(look(t, NEW, LDAP_SCOPE_BASE, "(cn=New)"),
	    "uid=new|");
	assert_string_equal(look(t, NEW, LDAP_SCOPE_CHILDREN, "(cn=*)"), "");
	assert_string_equal(look(t, SUFFIX, LDAP_SCOPE_ONE, "(cn=New)"), "");
	return set(t, NEW, "third");
}

static void
test_own_changes(void **state)
{
	(void)state;
	overlay_hook = hook_sees;
	assert_int_equal(do_add(fix, NEW, PERSON), HB_OK);
	assert_int_equal(runs, 1);
	has_description(NEW, "third");
	finds("(description=third)", "uid=new,ou=People");
	finds("(description=second)", "");
	finds("(uid=user.2)", "");
}

/* What a call refuses before it changes anything is the overlay's to judge. */
static int
hook_errors(struct be_txn *t)
{
	struct dn none = dn_of(fix, t->op->arena, "uid=none," PEOPLE);
	struct dn name = dn_of(fix, t->op->arena, OTHER);
	struct entry *e;
	struct mod gone = { .type = MOD_REPLACE,
	    .desc = schema_builtin(t->op->schema, "objectClass") };

	runs++;
	assert_int_equal(calls(t)->entry_get(t, &none, &e), HB_ENOENT);
	assert_null(e);
	assert_int_equal(set(t, "uid=none," PEOPLE, "x"), HB_ENOENT);
	assert_int_equal(drop(t, "uid=none," PEOPLE), HB_ENOENT);
	assert_int_equal(drop(t, PEOPLE), HB_ENOTLEAF);
	assert_int_equal(put(t, "cn=x,ou=None," SUFFIX), HB_ENOENT);
	assert_int_equal(put(t, "uid=user.3," PEOPLE), HB_EEXISTS);
	assert_int_equal(calls(t)->modify(t, &name, &gone, 1, 0),
	    HB_EOBJECTCLASS);
	diag_clear(&t->op->diag);
	return set(t, OTHER, "other");
}

static void
test_errors(void **state)
{
	(void)state;
	overlay_hook = hook_errors;
	assert_int_equal(do_modify(fix, "uid=user.3," PEOPLE,
	    "replace description: x"), HB_OK);
	assert_int_equal(runs, 1);
	has_description(OTHER, "other");
	has_description("uid=user.3," PEOPLE, "x");
}

static int
hook_before_after(struct be_txn *t)
{
	runs++;
	switch (t->op->kind) {
	case OP_MODIFY:
		assert_string_equal(description(t, t->before), "0");
		assert_string_equal(description(t, t->after), "1");
		break;
	case OP_DELETE:
		assert_string_equal(description(t, t->before), "1");
		assert_null(t->after);
		break;
	default:
		assert_string_equal(t->before->dn.text.ptr, PEOPLE);
		assert_string_equal(t->after->dn.text.ptr,
		    "ou=Folk," OTHER);
		/* below what was moved */
		return set(t, "uid=user.4,ou=Folk," OTHER, "moved");
	}
	return HB_OK;
}

static void
test_before_after(void **state)
{
	(void)state;
	overlay_hook = hook_before_after;
	assert_int_equal(do_modify(fix, "uid=user.3," PEOPLE,
	    "replace description: 1"), HB_OK);
	assert_int_equal(do_delete(fix, "uid=user.3," PEOPLE), HB_OK);
	assert_int_equal(do_rename(fix, PEOPLE, "ou=Folk", OTHER), HB_OK);
	assert_int_equal(runs, 3);
	has_description("uid=user.4,ou=Folk," OTHER, "moved");
	finds("(description=moved)", "uid=user.4,ou=Folk,ou=Other");
	finds("(uid=user.5)", "uid=user.5,ou=Folk,ou=Other");
}

/* Made, changed, removed and made again in one transaction. */
static int
hook_twice(struct be_txn *t)
{
	runs++;
	assert_int_equal(put(t, "cn=made," OTHER), HB_OK);
	assert_int_equal(set(t, "cn=made," OTHER, "a"), HB_OK);
	assert_int_equal(drop(t, "cn=made," OTHER), HB_OK);
	assert_int_equal(put(t, "cn=made," OTHER), HB_OK);
	return set(t, "cn=made," OTHER, "b");
}

static void
test_twice(void **state)
{
	(void)state;
	overlay_hook = hook_twice;
	assert_int_equal(do_add(fix, NEW, PERSON), HB_OK);
	has_description("cn=made," OTHER, "b");
	finds("(description=a)", "");
	finds("(description=b)", "cn=made,ou=Other");
	finds("(cn=made)", "cn=made,ou=Other");
}

/* An entry that is an alias, and no alias, and one again. */
static int
hook_alias(struct be_txn *t)
{
	const struct attr_desc *oc = schema_builtin(t->op->schema,
	    "objectClass");
	struct dn name = dn_of(fix, t->op->arena, OTHER);
	struct slice with[] = { SLICE("alias"), SLICE("extensibleObject") };
	struct slice without[] = { SLICE("organizationalUnit") };
	struct slice target = SLICE(PEOPLE);
	struct mod on[2], off[2];

	assert_int_equal(mod_make(t->op->arena, t->op->schema, MOD_REPLACE, oc,
	    with, 2, &on[0], NULL), HB_OK);
	assert_int_equal(mod_make(t->op->arena, t->op->schema, MOD_REPLACE, oc,
	    without, 1, &off[0], NULL), HB_OK);
	assert_int_equal(mod_make(t->op->arena, t->op->schema, MOD_REPLACE,
	    schema_builtin(t->op->schema, "aliasedObjectName"), &target, 1,
	    &on[1], NULL), HB_OK);
	off[1] = on[1];
	off[1].n = 0;
	runs++;
	for (unsigned i = 0; i < runs; i++)
		assert_int_equal(calls(t)->modify(t, &name, i % 2 == 0 ? on :
		    off, 2, TXN_RELAX), HB_OK);
	return HB_OK;
}

static void
test_alias(void **state)
{
	struct store *st = fixture_store(fix);

	(void)state;
	overlay_hook = hook_alias;
	for (unsigned i = 1; i <= 4; i++) {
		assert_int_equal(do_modify(fix, "uid=user.3," PEOPLE,
		    "replace description: x"), HB_OK);
		/* on; on, off; on, off, on; ... */
		assert_int_equal(store_special_count(st, SPECIAL_ALIAS),
		    i % 2);
	}
}

/* ---- nobody sees what is between ---- */

static int
hook_between(struct be_txn *t)
{
	const char *last = description(t, t->after);
	int rc;

	if ((rc = set(t, "uid=user.0," PEOPLE, "between")) != HB_OK ||
	    (rc = set(t, OTHER, "between")) != HB_OK ||
	    (rc = set(t, "uid=user.0," PEOPLE, last)) != HB_OK)
		return rc;
	return set(t, OTHER, last);
}

static atomic_bool stop;
static atomic_ulong seen, bad;

static void *
read_on(void *arg)
{
	const char *const dns[] = { "uid=user.0," PEOPLE, OTHER };

	(void)arg;
	while (!atomic_load(&stop)) {
		struct call c;

		call_init(&c, fix, OP_SEARCH, dns[atomic_fetch_add(&seen, 1) %
		    2]);
		if (run_search(fix, &c, LDAP_SCOPE_BASE, "(objectClass=*)") !=
		    HB_OK || c.nsent != 1 || c.values == NULL ||
		    strcmp(c.values, "between") == 0)
			atomic_fetch_add(&bad, 1);
		call_fini(&c);
	}
	return NULL;
}

static void
test_between(void **state)
{
	pthread_t readers[3];
	int64_t end = time_mono_us() + 700000;

	(void)state;
	overlay_hook = hook_between;
	assert_int_equal(do_modify(fix, "uid=user.0," PEOPLE,
	    "replace description: 0"), HB_OK);
	atomic_store(&stop, false);
	atomic_store(&bad, 0);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&readers[i], NULL, read_on,
		    NULL), 0);
	while (time_mono_us() < end) {
		char *mod = mem_printf("replace description: %u", ++runs);

		assert_int_equal(do_modify(fix, "uid=user.0," PEOPLE, mod),
		    HB_OK);
		free(mod);
	}
	atomic_store(&stop, true);
	for (unsigned i = 0; i < 3; i++)
		pthread_join(readers[i], NULL);
	print_message("%u writes\n", runs);
	assert_int_equal(atomic_load(&bad), 0);
}

/* ---- a crash ---- */

static int
hook_die(struct be_txn *t)
{
	if (hook_three(t) != HB_OK)
		_exit(2);
	_exit(9);
}

/* What is answered is there; the transaction that was open is not. */
static void
test_crash(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	fixture_close(fix);
	fflush(NULL);
	if ((pid = fork()) == 0) {
		fixture_open(fix);
		overlay_hook = hook_count;
		if (do_modify(fix, "uid=user.5," PEOPLE,
		    "replace description: kept") != HB_OK)
			_exit(1);
		overlay_hook = hook_die;
		(void)do_add(fix, NEW, PERSON);
		_exit(3);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 9);
	fixture_open(fix);
	has_description("uid=user.5," PEOPLE, "kept");
	has_description(OTHER, "1");
	finds("(description=other)", "");
	finds("(cn=made)", "");
	finds("(uid=new)", "");
	finds("(uid=user.1)", "uid=user.1,ou=People");
	overlay_hook = hook_three;
	assert_int_equal(do_add(fix, NEW, PERSON), HB_OK);
	finds("(description=other)", "ou=Other");
}

#define TEST(f)	cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_commit), TEST(test_abort), TEST(test_noop),
		TEST(test_deadlock), TEST(test_own_changes),
		TEST(test_errors), TEST(test_before_after), TEST(test_twice), TEST(test_alias),
		TEST(test_between), TEST(test_crash),
	};
	int failed = 0;

	names = &dnidx_flat;
	failed += cmocka_run_group_tests_name("flat", tests, NULL, NULL);
	names = &dnidx_tree;
	failed += cmocka_run_group_tests_name("tree", tests, NULL, NULL);
	return failed;
}
