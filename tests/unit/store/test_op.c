/* Operations on both name layouts. */
#include <stdlib.h>
#include <string.h>

#include "backends/store/cache.h"
#include "tests/unit/store/fixture.h"
#include "util/mem.h"

#define PEOPLE	"ou=People," SUFFIX
#define INDEXES	"index objectClass eq\nindex uid eq,sub\nindex cn eq,sub\n"

static const struct dnidx_ops *names;

static int
setup(void **state)
{
	struct fixture *f = fixture_new(names, INDEXES);

	fixture_open(f);
	fill(f, 5);
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	fixture_free((struct fixture **)state);
	return 0;
}

static void
expect_find(struct fixture *f, const char *base, enum ldap_scope scope,
    const char *filter, const char *wanted)
{
	char *found = do_search(f, base, scope, filter, 0);

	assert_string_equal(found, wanted);
	free(found);
}

static void
test_search(void **state)
{
	struct fixture *f = *state;
	static const struct {
		const char *base;
		enum ldap_scope scope;
		const char *filter, *found;
	} rows[] = {
	    { SUFFIX, LDAP_SCOPE_SUB, "(uid=user.3)",
	      "uid=user.3,ou=People" },
	    { SUFFIX, LDAP_SCOPE_ONE, "(objectClass=*)",
	      "ou=People|ou=Other" },
	    { SUFFIX, LDAP_SCOPE_BASE, "(objectClass=*)", SUFFIX },
	    { "ou=Other," SUFFIX, LDAP_SCOPE_SUB, "(uid=user.3)", "" },
	    { "ou=Other," SUFFIX, LDAP_SCOPE_SUB, "(objectClass=*)",
	      "ou=Other" },
	    { PEOPLE, LDAP_SCOPE_CHILDREN, "(description=0)",
	      "uid=user.0,ou=People|uid=user.1,ou=People|"
	      "uid=user.2,ou=People|uid=user.3,ou=People|"
	      "uid=user.4,ou=People" },
	    { PEOPLE, LDAP_SCOPE_ONE, "(|(cn=user 1)(uid=user.2))",
	      "uid=user.1,ou=People|uid=user.2,ou=People" },
	    { SUFFIX, LDAP_SCOPE_SUB, "(&(objectClass=person)(!(uid=*.1))"
	      "(!(uid=user.2))(!(uid=user.3)))",
	      "uid=user.0,ou=People|uid=user.4,ou=People" },
	    { "ou=None," SUFFIX, LDAP_SCOPE_SUB, "(uid=*)", "!HB_ENOENT" },
	    { SUFFIX, LDAP_SCOPE_SUB, "(hasSubordinates=TRUE)",
	      SUFFIX "|ou=People" },
	    { SUFFIX, LDAP_SCOPE_SUB, "(&(ou=*)(!(hasSubordinates=TRUE)))",
	      "ou=Other" },
	    { SUFFIX, LDAP_SCOPE_SUB, "(entryDN=ou=other," SUFFIX ")",
	      "ou=Other" },
	    { "UID = User.1 , OU=people," SUFFIX, LDAP_SCOPE_BASE, "(cn=*)",
	      "uid=user.1,ou=People" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect_find(f, rows[i].base, rows[i].scope, rows[i].filter,
		    rows[i].found);
}

static void
test_matched(void **state)
{
	struct fixture *f = *state;
	struct call c;

	call_init(&c, f, OP_SEARCH, "cn=a,cn=b,ou=PEOPLE," SUFFIX);
	assert_int_equal(run_search(f, &c, LDAP_SCOPE_SUB, "(cn=*)"),
	    HB_ENOENT);
	assert_string_equal(c.op.matched.ptr, PEOPLE);
	call_fini(&c);
}

static void
test_limits(void **state)
{
	struct fixture *f = *state;
	struct call c;

	call_init(&c, f, OP_SEARCH, SUFFIX);
	c.size_limit = 2;
	assert_int_equal(run_search(f, &c, LDAP_SCOPE_SUB, "(uid=*)"),
	    HB_ESIZELIMIT);
	assert_int_equal(c.nsent, 2);
	call_fini(&c);
	call_init(&c, f, OP_SEARCH, SUFFIX);
	c.op.req.search.unchecked_limit = 3;
	assert_int_equal(run_search(f, &c, LDAP_SCOPE_SUB,
	    "(objectClass=person)"), HB_EADMINLIMIT);
	call_fini(&c);
	call_init(&c, f, OP_SEARCH, SUFFIX);
	c.op.req.search.deadline_us = 1;
	assert_int_equal(run_search(f, &c, LDAP_SCOPE_SUB,
	    "(objectClass=person)"), HB_ETIMELIMIT);
	call_fini(&c);
	call_init(&c, f, OP_SEARCH, SUFFIX);
	atomic_store(&c.op.stop, OP_STOP_ABANDON);
	assert_int_equal(run_search(f, &c, LDAP_SCOPE_SUB, "(description=*)"),
	    HB_EABANDONED);
	call_fini(&c);
}

/* What is cached is answered at once, anything else deferred unanswered. */
static void
test_defer(void **state)
{
	struct fixture *f = *state;
	const char *filter = "(uid=user.3)";
	struct call c;

	fixture_close(f);
	fixture_open(f);
	for (int round = 0; round < 3; round++) {
		call_init(&c, f, OP_SEARCH, SUFFIX);
		c.op.may_wait = round == 1;
		assert_int_equal(run_search(f, &c, LDAP_SCOPE_SUB, filter),
		    round == 0 ? HB_EDEFER : HB_OK);
		assert_int_equal(c.nsent, round == 0 ? 0 : 1);
		call_fini(&c);
	}
	call_init(&c, f, OP_SEARCH, SUFFIX);
	c.op.may_wait = false;
	assert_int_equal(run_search(f, &c, LDAP_SCOPE_SUB, "(description=0)"),
	    HB_EDEFER);
	call_fini(&c);
	call_init(&c, f, OP_COMPARE, "uid=user.4," PEOPLE);
	c.op.may_wait = false;
	c.op.req.compare.desc = schema_builtin(f->schema, "description");
	c.op.req.compare.value = c.op.req.compare.norm = SLICE("0");
	assert_int_equal(store_op_compare(&f->db, &c.op), HB_EDEFER);
	c.op.may_wait = true;
	assert_int_equal(store_op_compare(&f->db, &c.op), HB_COMPARE_TRUE);
	c.op.may_wait = false;
	c.op.req.compare.norm = SLICE("1");
	assert_int_equal(store_op_compare(&f->db, &c.op), HB_COMPARE_FALSE);
	c.op.req.compare.desc = schema_builtin(f->schema, "seeAlso");
	assert_int_equal(store_op_compare(&f->db, &c.op), HB_ENOSUCHATTR);
	c.op.req.compare.desc = schema_builtin(f->schema, "name");
	c.op.req.compare.norm = SLICE("user 4");
	assert_int_equal(store_op_compare(&f->db, &c.op), HB_COMPARE_TRUE);
	call_fini(&c);
}

static void
test_add(void **state)
{
	struct fixture *f = *state;
	const char *person = "objectClass: person\ncn: x\n";

	assert_int_equal(do_add(f, "uid=user.1," PEOPLE, person), HB_EEXISTS);
	assert_int_equal(do_add(f, "UID=USER.1,ou=people," SUFFIX, person),
	    HB_EEXISTS);
	assert_int_equal(do_add(f, SUFFIX, "objectClass: domain"),
	    HB_EEXISTS);
	assert_int_equal(do_add(f, "cn=x,cn=none," PEOPLE, person),
	    HB_ENOENT);
	assert_int_equal(do_add(f, "cn=x,ou=PEOPLE," SUFFIX, person), HB_OK);
	/* the name as the parent shows its own */
	expect_find(f, SUFFIX, LDAP_SCOPE_SUB, "(cn=x)", "cn=x,ou=People");
	expect_find(f, "cn=x," PEOPLE, LDAP_SCOPE_BASE, "(cn=x)",
	    "cn=x,ou=People");
	assert_int_equal(do_delete(f, "cn=x," PEOPLE), HB_OK);
	assert_int_equal(do_delete(f, "cn=x," PEOPLE), HB_ENOENT);
	expect_find(f, SUFFIX, LDAP_SCOPE_SUB, "(cn=x)", "");
	assert_int_equal(do_delete(f, PEOPLE), HB_ENOTLEAF);
	assert_int_equal(do_delete(f, SUFFIX), HB_ENOTLEAF);
}

static void
test_noop(void **state)
{
	struct fixture *f = *state;
	struct call c;

	call_init(&c, f, OP_DELETE, "uid=user.1," PEOPLE);
	c.op.flags = OP_NOOP;
	assert_int_equal(store_op_delete(&f->db, &c.op), HB_NOOPERATION);
	call_fini(&c);
	expect_find(f, SUFFIX, LDAP_SCOPE_SUB, "(uid=user.1)",
	    "uid=user.1,ou=People");
	assert_int_equal(do_delete(f, "uid=user.1," PEOPLE), HB_OK);
}

static void
test_modify(void **state)
{
	struct fixture *f = *state;
	const char *dn = "uid=user.1," PEOPLE;

	expect_find(f, SUFFIX, LDAP_SCOPE_SUB, "(cn=changed)", "");
	assert_int_equal(do_modify(f, dn, "replace cn: Changed"), HB_OK);
	expect_find(f, SUFFIX, LDAP_SCOPE_SUB, "(cn=changed)",
	    "uid=user.1,ou=People");
	expect_find(f, SUFFIX, LDAP_SCOPE_SUB, "(cn=user 1)", "");
	assert_int_equal(do_modify(f, dn, "add cn: Changed"), HB_EVALEXISTS);
	assert_int_equal(do_modify(f, dn, "delete sn"), HB_ENOSUCHATTR);
	assert_int_equal(do_modify(f, dn, "delete cn"), HB_EOBJECTCLASS);
	assert_int_equal(do_modify(f, dn, "replace uid: other"),
	    HB_ENOTONRDN);
	assert_int_equal(do_modify(f, "uid=user.99," PEOPLE,
	    "replace cn: x"), HB_ENOENT);
	/* after a restart the same */
	fixture_close(f);
	fixture_open(f);
	expect_find(f, SUFFIX, LDAP_SCOPE_SUB, "(cn=changed)",
	    "uid=user.1,ou=People");
}

static void
test_rename_leaf(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(do_rename(f, "uid=user.1," PEOPLE, "uid=New", NULL),
	    HB_OK);
	expect_find(f, SUFFIX, LDAP_SCOPE_SUB, "(uid=new)",
	    "uid=New,ou=People");
	expect_find(f, SUFFIX, LDAP_SCOPE_SUB, "(uid=user.1)", "");
	expect_find(f, "uid=user.1," PEOPLE, LDAP_SCOPE_BASE, "(uid=*)",
	    "!HB_ENOENT");
	/* the spelling alone */
	assert_int_equal(do_rename(f, "uid=new," PEOPLE, "uid=NEW", NULL),
	    HB_OK);
	expect_find(f, SUFFIX, LDAP_SCOPE_SUB, "(uid=new)",
	    "uid=NEW,ou=People");
	assert_int_equal(do_rename(f, "uid=new," PEOPLE, "uid=user.2", NULL),
	    HB_EEXISTS);
	assert_int_equal(do_rename(f, "uid=new," PEOPLE, "uid=new",
	    "ou=None," SUFFIX), HB_ENOENT);
	assert_int_equal(do_rename(f, "uid=none," PEOPLE, "uid=new", NULL),
	    HB_ENOENT);
	assert_int_equal(do_rename(f, SUFFIX, "dc=other", NULL),
	    HB_EUNWILLING);
	assert_int_equal(do_rename(f, "uid=new," PEOPLE, "uid=new",
	    "ou=other," SUFFIX), HB_OK);
	expect_find(f, "ou=Other," SUFFIX, LDAP_SCOPE_ONE, "(uid=*)",
	    "uid=new,ou=Other");
}

static void
test_rename_subtree(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(do_rename(f, PEOPLE, "ou=People",
	    "uid=user.1," PEOPLE), HB_EUNWILLING);
	assert_int_equal(do_rename(f, PEOPLE, "ou=People", PEOPLE),
	    HB_EUNWILLING);
	expect_find(f, "uid=user.1," PEOPLE, LDAP_SCOPE_BASE, "(uid=*)",
	    "uid=user.1,ou=People");
	assert_int_equal(do_rename(f, PEOPLE, "ou=Folk", NULL), HB_OK);
	expect_find(f, SUFFIX, LDAP_SCOPE_SUB, "(uid=user.1)",
	    "uid=user.1,ou=Folk");
	expect_find(f, "uid=user.1," PEOPLE, LDAP_SCOPE_BASE, "(uid=*)",
	    "!HB_ENOENT");
	expect_find(f, "ou=folk," SUFFIX, LDAP_SCOPE_ONE, "(uid=user.2)",
	    "uid=user.2,ou=Folk");
	assert_int_equal(do_rename(f, "ou=Folk," SUFFIX, "ou=Folk",
	    "ou=Other," SUFFIX), HB_OK);
	expect_find(f, "uid=user.1,ou=Folk,ou=other," SUFFIX,
	    LDAP_SCOPE_BASE, "(uid=*)", "uid=user.1,ou=Folk,ou=Other");
	/* the spelling of a name above shows below */
	assert_int_equal(do_rename(f, "ou=Other," SUFFIX, "ou=OTHER", NULL),
	    HB_OK);
	expect_find(f, SUFFIX, LDAP_SCOPE_SUB, "(uid=user.1)",
	    "uid=user.1,ou=Folk,ou=OTHER");
	assert_int_equal(do_rename(f, "ou=Folk,ou=Other," SUFFIX,
	    "ou=People", SUFFIX), HB_OK);
	fixture_close(f);
	fixture_open(f);
	expect_find(f, PEOPLE, LDAP_SCOPE_SUB, "(uid=*)",
	    "uid=user.0,ou=People|uid=user.1,ou=People|"
	    "uid=user.2,ou=People|uid=user.3,ou=People|"
	    "uid=user.4,ou=People");
}

static void
test_referral(void **state)
{
	struct fixture *f = *state;
	struct call c;
	char *s;

	assert_int_equal(do_add(f, "cn=ref," PEOPLE, "objectClass: referral\n"
	    "objectClass: extensibleObject\nref: ldap://x/"), HB_OK);
	call_init(&c, f, OP_SEARCH, SUFFIX);
	assert_int_equal(run_search(f, &c, LDAP_SCOPE_SUB, "(uid=user.1)"),
	    HB_OK);
	assert_int_equal(c.nsent, 1);
	assert_int_equal(c.nrefs, 1);
	call_fini(&c);
	call_init(&c, f, OP_SEARCH, "cn=below,cn=ref," PEOPLE);
	assert_int_equal(run_search(f, &c, LDAP_SCOPE_SUB, "(uid=*)"),
	    HB_REFERRAL);
	call_fini(&c);
	assert_int_equal(do_add(f, "cn=new,cn=ref," PEOPLE,
	    "objectClass: person"), HB_REFERRAL);
	assert_int_equal(do_delete(f, "cn=ref," PEOPLE), HB_REFERRAL);
	s = do_search(f, SUFFIX, LDAP_SCOPE_SUB, "(cn=ref)", OP_MANAGE_DSAIT);
	assert_string_equal(s, "cn=ref,ou=People");
	free(s);
	/* known after a restart, gone after it is deleted */
	fixture_close(f);
	fixture_open(f);
	assert_int_equal(do_delete(f, "cn=ref," PEOPLE), HB_REFERRAL);
	call_init(&c, f, OP_DELETE, "cn=ref," PEOPLE);
	c.op.flags = OP_MANAGE_DSAIT;
	assert_int_equal(store_op_delete(&f->db, &c.op), HB_OK);
	call_fini(&c);
	assert_int_equal(store_special_count(fixture_store(f),
	    SPECIAL_REFERRAL), 0);
}

static char *
search_deref_for(struct fixture *f, const char *base, enum ldap_scope scope,
    enum ldap_deref deref, const char *filter)
{
	struct call c;
	char *s;
	int rc;

	call_init(&c, f, OP_SEARCH, base);
	c.op.req.search.deref = deref;
	rc = run_search(f, &c, scope, filter);
	s = rc == HB_OK ? mem_strdup(call_sent(&c)) :
	    mem_strdup(hb_errname(rc));
	call_fini(&c);
	return s;
}

/*
 * What no index serves is answered by following all aliases first, what one
 * serves by asking for each candidate: the same.
 */
static char *
search_deref(struct fixture *f, const char *base, enum ldap_scope scope,
    enum ldap_deref deref)
{
	char *forwards = search_deref_for(f, base, scope, deref,
	    "(|(ou=*)(cn=*))");
	char *backwards = search_deref_for(f, base, scope, deref,
	    "(|(objectClass=organizationalUnit)(objectClass=person)"
	    "(objectClass=alias))");

	assert_string_equal(forwards, backwards);
	free(backwards);
	return forwards;
}

static void
test_alias(void **state)
{
	struct fixture *f = *state;
	static const struct {
		const char *dn, *to;
	} aliases[] = {
	    { "cn=one,ou=Other," SUFFIX, PEOPLE },
	    { "cn=two,ou=Other," SUFFIX, "cn=one,ou=Other," SUFFIX },
	    { "cn=loop,ou=Other," SUFFIX, "cn=loop,ou=Other," SUFFIX },
	    { "cn=lost,ou=Other," SUFFIX, "cn=nothing," SUFFIX },
	};
	static const struct {
		const char *base;
		enum ldap_scope scope;
		enum ldap_deref deref;
		const char *found;
	} rows[] = {
	    { "cn=one,ou=Other," SUFFIX, LDAP_SCOPE_BASE, LDAP_DEREF_NEVER,
	      "cn=one,ou=Other" },
	    { "cn=one,ou=Other," SUFFIX, LDAP_SCOPE_BASE, LDAP_DEREF_FINDING,
	      "ou=People" },
	    { "cn=two,ou=Other," SUFFIX, LDAP_SCOPE_BASE, LDAP_DEREF_ALWAYS,
	      "ou=People" },
	    { "uid=user.1,cn=two,ou=Other," SUFFIX, LDAP_SCOPE_BASE,
	      LDAP_DEREF_FINDING, "uid=user.1,ou=People" },
	    { "cn=loop,ou=Other," SUFFIX, LDAP_SCOPE_BASE,
	      LDAP_DEREF_FINDING, "HB_EALIAS" },
	    { "cn=lost,ou=Other," SUFFIX, LDAP_SCOPE_BASE,
	      LDAP_DEREF_FINDING, "HB_EALIASDEREF" },
	    { "ou=Other," SUFFIX, LDAP_SCOPE_ONE, LDAP_DEREF_SEARCHING,
	      "ou=People" },
	    { "ou=Other," SUFFIX, LDAP_SCOPE_SUB, LDAP_DEREF_SEARCHING,
	      "ou=People|ou=Other|uid=user.0,ou=People|uid=user.1,ou=People|"
	      "uid=user.2,ou=People|uid=user.3,ou=People|"
	      "uid=user.4,ou=People" },
	    { "ou=Other," SUFFIX, LDAP_SCOPE_ONE, LDAP_DEREF_NEVER,
	      "cn=one,ou=Other|cn=two,ou=Other|cn=loop,ou=Other|"
	      "cn=lost,ou=Other" },
	};

	for (size_t i = 0; i < 4; i++) {
		char *attrs = mem_printf("objectClass: alias\n"
		    "objectClass: extensibleObject\naliasedObjectName: %s",
		    aliases[i].to);

		assert_int_equal(do_add(f, aliases[i].dn, attrs), HB_OK);
		free(attrs);
	}
	assert_int_equal(do_add(f, "cn=below,cn=one,ou=Other," SUFFIX,
	    "objectClass: person"), HB_EALIAS);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *s = search_deref(f, rows[i].base, rows[i].scope,
		    rows[i].deref);

		assert_string_equal(s, rows[i].found);
		free(s);
	}
}

static void
expect_deref(struct fixture *f, const char *base, enum ldap_scope scope,
    const char *found)
{
	char *s = search_deref(f, base, scope, LDAP_DEREF_ALWAYS);

	assert_string_equal(s, found);
	free(s);
}

static int
add_alias(struct fixture *f, const char *dn, const char *to)
{
	char *attrs = mem_printf("objectClass: alias\n"
	    "objectClass: extensibleObject\naliasedObjectName: %s", to);
	int rc = do_add(f, dn, attrs);

	free(attrs);
	return rc;
}

/* Aliases that come, change, move and go are known at once, and after a start. */
static void
test_alias_changes(void **state)
{
	struct fixture *f = *state;
	const char *other = "ou=Other," SUFFIX, *one = "cn=1,ou=Other," SUFFIX;
	char dn[64], to[64];

	expect_deref(f, other, LDAP_SCOPE_ONE, "");
	assert_int_equal(add_alias(f, one, "uid=user.1," PEOPLE), HB_OK);
	expect_deref(f, other, LDAP_SCOPE_ONE, "uid=user.1,ou=People");
	assert_int_equal(do_modify(f, one,
	    "replace aliasedObjectName: uid=user.2," PEOPLE), HB_OK);
	expect_deref(f, other, LDAP_SCOPE_ONE, "uid=user.2,ou=People");
	assert_int_equal(do_modify(f, one,
	    "replace aliasedObjectName: cn=nothing," PEOPLE), HB_OK);
	expect_deref(f, other, LDAP_SCOPE_ONE, "");
	assert_int_equal(do_add(f, "cn=nothing," PEOPLE,
	    "objectClass: person"), HB_OK);
	expect_deref(f, other, LDAP_SCOPE_ONE, "cn=nothing,ou=People");
	fixture_close(f);
	fixture_open(f);
	expect_deref(f, other, LDAP_SCOPE_SUB,
	    "ou=Other|cn=nothing,ou=People");
	/* a row of three, each named by the next */
	assert_int_equal(add_alias(f, "cn=2," SUFFIX, one), HB_OK);
	assert_int_equal(add_alias(f, "cn=3," PEOPLE, "cn=2," SUFFIX), HB_OK);
	expect_deref(f, "cn=3," PEOPLE, LDAP_SCOPE_SUB,
	    "cn=nothing,ou=People");
	assert_int_equal(do_delete(f, "cn=2," SUFFIX), HB_OK);
	assert_int_equal(do_delete(f, one), HB_OK);
	expect_deref(f, other, LDAP_SCOPE_ONE, "");
	/* more than are looked through one by one; two lead to the same */
	for (int i = 0; i < 60; i++) {
		snprintf(dn, sizeof(dn), "cn=many.%d,ou=Other," SUFFIX, i);
		snprintf(to, sizeof(to), "%suid=user.%d," PEOPLE,
		    i % 2 != 0 ? "cn=none," : "", i % 5);
		assert_int_equal(add_alias(f, dn, to), HB_OK);
	}
	for (int i = 0; i < 12; i++) {
		snprintf(dn, sizeof(dn), "cn=p.%d," PEOPLE, i);
		assert_int_equal(do_add(f, dn, "objectClass: person"), HB_OK);
		snprintf(to, sizeof(to), "cn=to.%d,ou=Other," SUFFIX, i);
		assert_int_equal(add_alias(f, to, dn), HB_OK);
	}
	expect_deref(f, other, LDAP_SCOPE_ONE,
	    "uid=user.0,ou=People|uid=user.1,ou=People|"
	    "uid=user.2,ou=People|uid=user.3,ou=People|"
	    "uid=user.4,ou=People|cn=p.0,ou=People|cn=p.1,ou=People|"
	    "cn=p.2,ou=People|cn=p.3,ou=People|cn=p.4,ou=People|"
	    "cn=p.5,ou=People|cn=p.6,ou=People|cn=p.7,ou=People|"
	    "cn=p.8,ou=People|cn=p.9,ou=People|cn=p.10,ou=People|"
	    "cn=p.11,ou=People");
	/* and one that leads to itself and everything */
	assert_int_equal(add_alias(f, "cn=all,ou=Other," SUFFIX, SUFFIX),
	    HB_OK);
	expect_deref(f, "cn=all,ou=Other," SUFFIX, LDAP_SCOPE_ONE,
	    "ou=People|ou=Other");
}

static void
test_subentry(void **state)
{
	struct fixture *f = *state;
	char *s;

	assert_int_equal(do_add(f, "cn=sub," SUFFIX, "objectClass: subentry\n"
	    "objectClass: extensibleObject\nsubtreeSpecification: {}"),
	    HB_OK);
	expect_find(f, SUFFIX, LDAP_SCOPE_ONE, "(cn=*)", "");
	expect_find(f, "cn=sub," SUFFIX, LDAP_SCOPE_BASE, "(cn=*)", "cn=sub");
	s = do_search(f, SUFFIX, LDAP_SCOPE_SUB, "(|(cn=*)(ou=*))",
	    OP_SUBENTRIES);
	assert_string_equal(s, "cn=sub");
	free(s);
	assert_int_equal(do_add(f, "cn=x,cn=sub," SUFFIX,
	    "objectClass: person"), HB_EOBJECTCLASS);
}

static void
test_bind(void **state)
{
	struct fixture *f = *state;
	struct call c;

	assert_int_equal(do_modify(f, "uid=user.1," PEOPLE,
	    "add userPassword: secret"), HB_OK);
	call_init(&c, f, OP_BIND, "uid=user.1," PEOPLE);
	c.op.req.bind.password = SLICE("secret");
	assert_int_equal(store_op_bind(&f->db, &c.op), HB_OK);
	c.op.req.bind.password = SLICE("wrong");
	assert_int_equal(store_op_bind(&f->db, &c.op), HB_ECREDENTIALS);
	call_fini(&c);
	call_init(&c, f, OP_BIND, "uid=user.99," PEOPLE);
	c.op.req.bind.password = SLICE("secret");
	assert_int_equal(store_op_bind(&f->db, &c.op), HB_ECREDENTIALS);
	call_fini(&c);
}

static void
test_access(void **state)
{
	struct fixture *f = *state;
	struct call c;

	denied_rights = ~0u;
	call_init(&c, f, OP_SEARCH, SUFFIX);
	c.op.is_root = false;
	assert_int_equal(run_search(f, &c, LDAP_SCOPE_SUB, "(uid=*)"),
	    HB_EACCESS);
	call_fini(&c);
	call_init(&c, f, OP_DELETE, "uid=user.1," PEOPLE);
	c.op.is_root = false;
	assert_int_equal(store_op_delete(&f->db, &c.op), HB_EACCESS);
	call_fini(&c);
	denied_rights = 0;
	expect_find(f, SUFFIX, LDAP_SCOPE_SUB, "(uid=user.1)",
	    "uid=user.1,ou=People");
}

static void
test_has_children(void **state)
{
	struct fixture *f = *state;
	struct entry *e = NULL;
	struct call c;
	bool has;

	call_init(&c, f, OP_SEARCH, PEOPLE);
	assert_int_equal(store_entry_get(&f->db, &c.op, &c.op.dn, &e), HB_OK);
	assert_int_equal(store_has_children(&f->db, &c.op, e, &has), HB_OK);
	assert_true(has);
	entry_unref(&e);
	call_fini(&c);
	call_init(&c, f, OP_SEARCH, "ou=Other," SUFFIX);
	assert_int_equal(store_entry_get(&f->db, &c.op, &c.op.dn, &e), HB_OK);
	assert_int_equal(store_has_children(&f->db, &c.op, e, &has), HB_OK);
	assert_false(has);
	entry_unref(&e);
	call_fini(&c);
}

#define TEST(f)	cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_search), TEST(test_matched), TEST(test_limits),
		TEST(test_defer), TEST(test_add), TEST(test_noop),
		TEST(test_modify), TEST(test_rename_leaf),
		TEST(test_rename_subtree), TEST(test_referral),
		TEST(test_alias), TEST(test_alias_changes),
		TEST(test_subentry), TEST(test_bind),
		TEST(test_access), TEST(test_has_children),
	};
	int bad = 0;

	names = &dnidx_flat;
	bad += cmocka_run_group_tests_name("flat", tests, NULL, NULL);
	names = &dnidx_tree;
	bad += cmocka_run_group_tests_name("tree", tests, NULL, NULL);
	return bad;
}
