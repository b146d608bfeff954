/* Both layouts of names, straight. */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/store/fixture.h"
#include "util/mem.h"

static const struct dnidx_ops *names;

static int
setup(void **state)
{
	struct fixture *f = fixture_new(names, NULL);

	fixture_open(f);
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
insert(struct fixture *f, entry_id parent, const char *text, entry_id id)
{
	struct store *st = fixture_store(f);
	struct dn dn = dn_of(f, &f->arena, text);
	struct store_txn *txn;

	assert_int_equal(store_txn_begin(st, NULL, &txn), HB_OK);
	assert_int_equal(names->insert(st, txn, parent, &dn, id), HB_OK);
	assert_int_equal(store_txn_commit(&txn), HB_OK);
	if (atomic_load(&st->next_id) <= id)
		atomic_store(&st->next_id, id + 1);
}

/*
 * 1 suffix, 2 ou=A, 3 ou=B, 10..19 cn=0..9 below A, 20.. cn=in below each of
 * these, 40 ou=AB (whose key begins like A's)
 */
static void
plant(struct fixture *f)
{
	insert(f, 0, SUFFIX, 1);
	insert(f, 1, "ou=A," SUFFIX, 2);
	insert(f, 1, "ou=B," SUFFIX, 3);
	insert(f, 1, "ou=AB," SUFFIX, 40);
	for (unsigned i = 0; i < 10; i++) {
		char *dn = mem_printf("cn=%u,ou=A," SUFFIX, i);
		char *below = mem_printf("cn=In,%s", dn);

		insert(f, 2, dn, 10 + i);
		insert(f, 10 + i, below, 20 + i);
		free(dn);
		free(below);
	}
}

static void
expect_id(struct fixture *f, const char *text, entry_id wanted)
{
	struct store *st = fixture_store(f);
	struct dn dn = dn_of(f, &f->arena, text), name;
	entry_id id = 0;
	int rc = names->find(st, NULL, &dn, &id);

	if (wanted == 0) {
		assert_int_equal(rc, HB_ENOTFOUND);
		return;
	}
	assert_int_equal(rc, HB_OK);
	assert_int_equal(id, wanted);
	assert_int_equal(names->name_of(st, NULL, id, &f->arena, &name),
	    HB_OK);
	assert_string_equal(name.text.ptr, text);
	assert_int_equal(name.text.len, strlen(text));
	assert_true(dn_is_eq(&name, &dn));
}

static void
expect_scope(struct fixture *f, entry_id base, const char *text,
    enum ldap_scope scope, const char *wanted)
{
	struct store *st = fixture_store(f);
	struct dn dn = dn_of(f, &f->arena, text);
	struct idset ids = IDSET_INIT;
	struct idset_iter it;
	struct buf b;
	entry_id id;

	assert_int_equal(names->scope(st, NULL, base, &dn, scope, &ids),
	    HB_OK);
	buf_init(&b);
	idset_iter_init(&it, &ids, 0);
	while (idset_iter_next(&it, &id))
		buf_printf(&b, "%llu ", (unsigned long long)id);
	buf_put_char(&b, '\0');
	assert_string_equal(b.data, wanted);
	buf_fini(&b);
	idset_iter_fini(&it);
	idset_fini(&ids);
}

static void
test_find(void **state)
{
	struct fixture *f = *state;
	struct store *st = fixture_store(f);
	unsigned depth;
	struct dn dn;
	entry_id id;

	plant(f);
	expect_id(f, SUFFIX, 1);
	expect_id(f, "cn=3,ou=A," SUFFIX, 13);
	expect_id(f, "cn=In,cn=9,ou=A," SUFFIX, 29);
	expect_id(f, "cn=3,ou=B," SUFFIX, 0);
	expect_id(f, "dc=com", 0);
	expect_id(f, "dc=other", 0);
	expect_id(f, "", 0);
	dn = dn_of(f, &f->arena, "cn=x,cn=y,cn=3,ou=a," SUFFIX);
	assert_int_equal(names->find_above(st, NULL, &dn, &id, &depth),
	    HB_OK);
	assert_int_equal(id, 13);
	assert_int_equal(depth, 4);
	dn = dn_of(f, &f->arena, "cn=x," SUFFIX);
	assert_int_equal(names->find_above(st, NULL, &dn, &id, &depth),
	    HB_OK);
	assert_int_equal(id, 1);
	assert_int_equal(depth, 2);
	dn = dn_of(f, &f->arena, SUFFIX);
	assert_int_equal(names->find_above(st, NULL, &dn, &id, &depth),
	    HB_ENOTFOUND);
}

static void
test_scope(void **state)
{
	struct fixture *f = *state;

	plant(f);
	expect_scope(f, 1, SUFFIX, LDAP_SCOPE_BASE, "1 ");
	expect_scope(f, 1, SUFFIX, LDAP_SCOPE_ONE, "2 3 40 ");
	expect_scope(f, 1, SUFFIX, LDAP_SCOPE_SUB, "1 2 3 10 11 12 13 14 15 "
	    "16 17 18 19 20 21 22 23 24 25 26 27 28 29 40 ");
	expect_scope(f, 2, "ou=A," SUFFIX, LDAP_SCOPE_ONE,
	    "10 11 12 13 14 15 16 17 18 19 ");
	expect_scope(f, 2, "ou=A," SUFFIX, LDAP_SCOPE_CHILDREN, "10 11 12 13 "
	    "14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 ");
	expect_scope(f, 3, "ou=B," SUFFIX, LDAP_SCOPE_SUB, "3 ");
	expect_scope(f, 3, "ou=B," SUFFIX, LDAP_SCOPE_ONE, "");
	expect_scope(f, 10, "cn=0,ou=A," SUFFIX, LDAP_SCOPE_SUB, "10 20 ");
}

static void
test_children(void **state)
{
	struct fixture *f = *state;
	static const struct { entry_id id; const char *dn; bool has; } rows[] = {
	    { 1, SUFFIX, true }, { 2, "ou=A," SUFFIX, true },
	    { 3, "ou=B," SUFFIX, false }, { 40, "ou=AB," SUFFIX, false },
	    { 13, "cn=3,ou=A," SUFFIX, true },
	    { 29, "cn=In,cn=9,ou=A," SUFFIX, false },
	};

	plant(f);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct dn dn = dn_of(f, &f->arena, rows[i].dn);
		bool has = !rows[i].has;

		assert_int_equal(names->has_children(fixture_store(f), NULL,
		    rows[i].id, &dn, &has), HB_OK);
		assert_int_equal(has, rows[i].has);
	}
}

static void
move(struct fixture *f, entry_id id, const char *from, entry_id up,
    const char *to, bool commit)
{
	struct store *st = fixture_store(f);
	struct dn a = dn_of(f, &f->arena, from), b = dn_of(f, &f->arena, to);
	struct store_txn *txn;

	assert_int_equal(store_txn_begin(st, NULL, &txn), HB_OK);
	txn->is_rename = true;
	assert_int_equal(names->move(st, txn, id, &a, up, &b), HB_OK);
	if (commit)
		assert_int_equal(store_txn_commit(&txn), HB_OK);
	else
		store_txn_abort(&txn);
}

static void
test_move(void **state)
{
	struct fixture *f = *state;

	plant(f);
	move(f, 2, "ou=A," SUFFIX, 3, "ou=Moved,ou=B," SUFFIX, false);
	expect_id(f, "cn=In,cn=9,ou=A," SUFFIX, 29);
	move(f, 2, "ou=A," SUFFIX, 3, "ou=Moved,ou=B," SUFFIX, true);
	expect_id(f, "ou=A," SUFFIX, 0);
	expect_id(f, "cn=In,cn=9,ou=A," SUFFIX, 0);
	expect_id(f, "ou=AB," SUFFIX, 40);
	expect_id(f, "ou=Moved,ou=B," SUFFIX, 2);
	expect_id(f, "cn=In,cn=9,ou=Moved,ou=B," SUFFIX, 29);
	expect_scope(f, 3, "ou=B," SUFFIX, LDAP_SCOPE_SUB, "2 3 10 11 12 13 "
	    "14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 ");
	/* the spelling alone */
	move(f, 2, "ou=Moved,ou=B," SUFFIX, 3, "ou=MOVED,ou=B," SUFFIX, true);
	expect_id(f, "cn=In,cn=9,ou=MOVED,ou=B," SUFFIX, 29);
}

static void
test_remove(void **state)
{
	struct fixture *f = *state;
	struct store *st = fixture_store(f);
	struct dn dn = dn_of(f, &f->arena, "cn=In,cn=9,ou=A," SUFFIX), name;
	struct store_txn *txn;

	plant(f);
	assert_int_equal(store_txn_begin(st, NULL, &txn), HB_OK);
	assert_int_equal(names->insert(st, txn, 19, &dn, 99), HB_EEXISTS);
	store_txn_abort(&txn);
	assert_int_equal(store_txn_begin(st, NULL, &txn), HB_OK);
	assert_int_equal(names->remove(st, txn, &dn, 29), HB_OK);
	assert_int_equal(store_txn_commit(&txn), HB_OK);
	expect_id(f, "cn=In,cn=9,ou=A," SUFFIX, 0);
	assert_int_equal(names->name_of(st, NULL, 29, &f->arena, &name),
	    HB_ENOTFOUND);
}

static void
put_record(struct slice key, struct slice data, void *arg)
{
	struct store *st = arg;
	DBT k = { 0 }, d = { 0 };

	k.data = (void *)(uintptr_t)key.ptr;
	k.size = (u_int32_t)key.len;
	d.data = (void *)(uintptr_t)data.ptr;
	d.size = (u_int32_t)data.len;
	assert_int_equal(st->dn2id->put(st->dn2id, NULL, &k, &d, 0), 0);
}

/* What a loader writes is what insert() writes. */
static void
test_emit(void **state)
{
	struct fixture *f = *state;
	struct dn dn = dn_of(f, &f->arena, SUFFIX);

	names->emit(0, &dn, 1, put_record, fixture_store(f));
	dn = dn_of(f, &f->arena, "ou=A," SUFFIX);
	names->emit(1, &dn, 2, put_record, fixture_store(f));
	dn = dn_of(f, &f->arena, "cn=X,ou=A," SUFFIX);
	names->emit(2, &dn, 3, put_record, fixture_store(f));
	expect_id(f, "cn=X,ou=A," SUFFIX, 3);
	expect_scope(f, 1, SUFFIX, LDAP_SCOPE_SUB, "1 2 3 ");
}

/* More than one batch, and more than is forgotten one by one. */
static void
test_large(void **state)
{
	struct fixture *f = *state;
	struct store *st = fixture_store(f);
	struct store_txn *txn;
	struct dn up, dn;

	plant(f);
	assert_int_equal(store_txn_begin(st, NULL, &txn), HB_OK);
	up = dn_of(f, &f->arena, "ou=B," SUFFIX);
	for (unsigned i = 0; i < 5000; i++) {
		char *rdn = mem_printf("cn=member %u of a large unit", i);
		struct dn r;

		assert_int_equal(dn_parse_rdn(&f->arena, f->schema,
		    slice_of(rdn), &r, NULL), HB_OK);
		assert_int_equal(dn_join(&f->arena, &r, &up, &dn), HB_OK);
		assert_int_equal(names->insert(st, txn, 3, &dn, 1000 + i),
		    HB_OK);
		free(rdn);
	}
	atomic_store(&st->next_id, 10000);
	assert_int_equal(store_txn_commit(&txn), HB_OK);
	expect_scope(f, 1, SUFFIX, LDAP_SCOPE_ONE, "2 3 40 ");
	move(f, 3, "ou=B," SUFFIX, 1, "ou=C," SUFFIX, true);
	expect_id(f, "cn=member 4999 of a large unit,ou=C," SUFFIX, 5999);
	expect_id(f, "cn=member 4999 of a large unit,ou=B," SUFFIX, 0);
	expect_scope(f, 1, SUFFIX, LDAP_SCOPE_ONE, "2 3 40 ");
}

#define TEST(f)	cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_find), TEST(test_scope), TEST(test_children),
		TEST(test_move), TEST(test_remove), TEST(test_emit),
		TEST(test_large),
	};
	int bad = 0;

	names = &dnidx_flat;
	bad += cmocka_run_group_tests_name("flat", tests, NULL, NULL);
	names = &dnidx_tree;
	bad += cmocka_run_group_tests_name("tree", tests, NULL, NULL);
	return bad;
}
