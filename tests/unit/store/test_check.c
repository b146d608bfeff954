/*
 * A database that is whole has no findings; each kind of damage, planted behind
 * the store's back, is found and named. On both name layouts.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/store/index_int.h"
#include "tests/unit/store/fixture.h"
#include "util/mem.h"

#define PEOPLE		"ou=People," SUFFIX
#define INDEXES		"index objectClass,uid eq\nindex cn pres,eq,sub\n"
#define PERSONS		20
/* IDs: the suffix, ou=People and ou=Other, persons from user.0 on, the rest */
#define ID_PEOPLE	2
#define ID_FIRST	4
#define ID_ALIAS	(ID_FIRST + PERSONS)

static const struct dnidx_ops *names;
static bool is_tree;

struct found {
	char text[16384];
	unsigned n;
};

static void
on_finding(const struct tool_finding *f, void *arg)
{
	struct found *found = arg;
	size_t n = strlen(found->text);

	snprintf(found->text + n, sizeof(found->text) - n, "%s: %s: %s\n",
	    f->file, f->where, f->what);
	found->n++;
}

static int
setup(void **state)
{
	struct fixture *f = fixture_new(names, INDEXES);

	*state = f;
	fixture_open(f);
	fill(f, PERSONS);
	assert_int_equal(do_add(f, "cn=alias," SUFFIX, "objectClass: alias\n"
	    "objectClass: extensibleObject\naliasedObjectName: " PEOPLE "\n"),
	    HB_OK);
	assert_int_equal(do_modify(f, "uid=user.3," PEOPLE,
	    "replace description: new"), HB_OK);
	assert_int_equal(do_delete(f, "uid=user.7," PEOPLE), HB_OK);
	assert_int_equal(do_rename(f, "uid=user.8," PEOPLE, "uid=renamed",
	    "ou=Other," SUFFIX), HB_OK);
	fixture_close(f);
	return 0;
}

static int
teardown(void **state)
{
	fixture_free((struct fixture **)state);
	return 0;
}

static int
check(struct fixture *f, bool repair, struct found *found,
    struct tool_check *tc)
{
	struct diag diag = DIAG_INIT;

	*found = (struct found){ .n = 0 };
	*tc = (struct tool_check){
		.opts = { .threads = 2, .memory = 64 << 20 },
		.repair = repair, .finding = on_finding, .arg = found
	};
	return store_tool_check(&f->db, names, tc, &diag);
}

static void
expect_clean(struct fixture *f)
{
	static struct found found;
	struct tool_check tc;

	assert_int_equal(check(f, false, &found, &tc), HB_OK);
	if (tc.findings != 0)
		fail_msg("%s", found.text);
}

static void
expect_words(const struct found *found, const char *const *words)
{
	for (unsigned i = 0; words[i] != NULL; i++)
		if (strstr(found->text, words[i]) == NULL)
			fail_msg("not told: \"%s\"\n%s", words[i],
			    found->text);
}

/* ---- records behind the store's back ---- */

static DB *
raw_open(struct fixture *f, const char *file)
{
	char *path = mem_printf("%s/%s", f->dir, file);
	DB *db;

	assert_int_equal(db_create(&db, NULL, 0), 0);
	assert_int_equal(db->open(db, NULL, path, NULL, DB_BTREE, 0, 0), 0);
	free(path);
	return db;
}

static void
raw_put(struct fixture *f, const char *file, struct slice key,
    struct slice data)
{
	DBT k = { .data = (void *)(uintptr_t)key.ptr,
	    .size = (u_int32_t)key.len };
	DBT d = { .data = (void *)(uintptr_t)data.ptr,
	    .size = (u_int32_t)data.len };
	DB *db = raw_open(f, file);

	assert_int_equal(db->put(db, NULL, &k, &d, 0), 0);
	assert_int_equal(db->close(db, 0), 0);
}

static void
raw_del(struct fixture *f, const char *file, struct slice key)
{
	DBT k = { .data = (void *)(uintptr_t)key.ptr,
	    .size = (u_int32_t)key.len };
	DB *db = raw_open(f, file);

	assert_int_equal(db->del(db, NULL, &k, 0), 0);
	assert_int_equal(db->close(db, 0), 0);
}

/* The record of KEY in memory of the fixture's arena. */
static struct slice
raw_get(struct fixture *f, const char *file, struct slice key)
{
	DBT k = { .data = (void *)(uintptr_t)key.ptr,
	    .size = (u_int32_t)key.len };
	DBT d = { 0 };
	DB *db = raw_open(f, file);
	struct slice s;

	assert_int_equal(db->get(db, NULL, &k, &d, 0), 0);
	s = arena_slice(&f->arena, slice(d.data, d.size));
	assert_int_equal(db->close(db, 0), 0);
	return s;
}

static struct slice
id_key(char key[9], char kind, entry_id id)
{
	key[0] = kind;
	store_id_put(key + 1, id);
	return kind == 0 ? slice(key + 1, 8) : slice(key, 9);
}

static struct slice
eq_key(struct index_key *key, const char *value, entry_id id)
{
	index_key_make(key, INDEX_EQ, slice_of(value));
	index_key_high(key, id);
	return slice(key->v, key->len);
}

/* The key that leads to the entry of NAME below PARENT. */
static struct slice
forward_key(struct fixture *f, entry_id parent, const char *name,
    struct buf *key)
{
	struct dn dn = dn_of(f, &f->arena, name);
	struct dnidx_name n = { parent, is_tree ? dn_rdn(&dn) : dn };

	names->forward_key(&n, key);
	return buf_slice(key);
}

/* The record 'N' of NAME below PARENT. */
static struct slice
name_data(struct fixture *f, entry_id parent, const char *name,
    struct buf *data)
{
	struct dn dn = dn_of(f, &f->arena, name);
	char id[8];

	buf_reset(data);
	if (is_tree) {
		store_id_put(id, parent);
		buf_put(data, id, sizeof(id));
		dn = dn_rdn(&dn);
	}
	buf_put_slice(data, dn.text);
	buf_put_char(data, '\0');
	buf_put_slice(data, dn.norm);
	return buf_slice(data);
}

static void
flip(struct fixture *f, const char *file, off_t at)
{
	char *path = mem_printf("%s/%s", f->dir, file), c;
	int fd = open(path, O_RDWR);

	assert_true(fd >= 0);
	assert_int_equal(pread(fd, &c, 1, at), 1);
	c ^= 1;
	assert_int_equal(pwrite(fd, &c, 1, at), 1);
	close(fd);
	free(path);
}

/* ---- damage ---- */

static void
lose_key(struct fixture *f)
{
	struct index_key key;

	raw_del(f, "cn.bdb", eq_key(&key, "user 5", ID_FIRST + 5));
}

static void
add_key(struct fixture *f)
{
	struct index_key key;

	raw_put(f, "cn.bdb", eq_key(&key, "nobody", ID_FIRST),
	    slice("\0\4\0\6", 4));
}

/* An ID too many in a record that is right otherwise. */
static void
add_id(struct fixture *f)
{
	struct index_key key;

	raw_put(f, "uid.bdb", eq_key(&key, "user.1", ID_FIRST),
	    slice("\0\5\0\7", 4));
}

static void
spoil_record(struct fixture *f)
{
	struct index_key key;

	raw_put(f, "uid.bdb", eq_key(&key, "user.1", ID_FIRST),
	    slice("\0\5\7", 3));
}

static void
spoil_key(struct fixture *f)
{
	raw_put(f, "uid.bdb", SLICE("x"), slice("\0\5", 2));
}

static void
add_name(struct fixture *f)
{
	struct buf b;
	char key[9], id[9];

	buf_init(&b);
	raw_put(f, "dn2id.bdb", id_key(key, 'N', 999),
	    name_data(f, ID_PEOPLE, "uid=ghost," PEOPLE, &b));
	raw_put(f, "dn2id.bdb", forward_key(f, ID_PEOPLE, "uid=ghost," PEOPLE,
	    &b), id_key(id, 0, 999));
	buf_fini(&b);
}

static void
lose_name(struct fixture *f)
{
	char key[9];

	raw_del(f, "dn2id.bdb", id_key(key, 'N', ID_FIRST + 2));
}

static void
lose_forward(struct fixture *f)
{
	struct buf b;

	buf_init(&b);
	raw_del(f, "dn2id.bdb", forward_key(f, ID_PEOPLE, "uid=user.2," PEOPLE,
	    &b));
	buf_fini(&b);
}

static void
turn_forward(struct fixture *f)
{
	struct buf b;
	char id[9];

	buf_init(&b);
	raw_put(f, "dn2id.bdb", forward_key(f, ID_PEOPLE, "uid=user.2," PEOPLE,
	    &b), id_key(id, 0, ID_FIRST + 3));
	buf_fini(&b);
}

/* With the key that leads to it: only the parent is wrong. */
static void
lose_parent(struct fixture *f)
{
	static const char *const dn = "uid=user.2,ou=gone," SUFFIX;
	char key[9], id[9];
	struct buf b;

	buf_init(&b);
	lose_forward(f);
	raw_put(f, "dn2id.bdb", id_key(key, 'N', ID_FIRST + 2),
	    name_data(f, 777, dn, &b));
	raw_put(f, "dn2id.bdb", forward_key(f, 777, dn, &b),
	    id_key(id, 0, ID_FIRST + 2));
	buf_fini(&b);
}

/* ou=People below a person of it: no way leads up from there. */
static void
make_cycle(struct fixture *f)
{
	char key[9], id[9];
	struct buf b;

	buf_init(&b);
	raw_del(f, "dn2id.bdb", forward_key(f, 1, PEOPLE, &b));
	raw_put(f, "dn2id.bdb", id_key(key, 'N', ID_PEOPLE),
	    name_data(f, ID_FIRST, PEOPLE, &b));
	raw_put(f, "dn2id.bdb", forward_key(f, ID_FIRST, PEOPLE, &b),
	    id_key(id, 0, ID_PEOPLE));
	buf_fini(&b);
}

static void
spoil_name(struct fixture *f)
{
	char key[9];
	struct slice k = id_key(key, 'N', ID_FIRST + 2), v;
	char *p;

	v = raw_get(f, "dn2id.bdb", k);
	p = mem_slicedup(v);
	p[is_tree ? 8 + 4 : 4] = 'x';		/* of the text: uid=Xser.2 */
	raw_put(f, "dn2id.bdb", k, slice(p, v.len));
	free(p);
}

static void
lose_entry(struct fixture *f)
{
	char key[9];

	raw_del(f, "id2entry.bdb", id_key(key, 0, ID_FIRST + 2));
}

static void
cut_block(struct fixture *f)
{
	char key[9];
	struct slice k = id_key(key, 0, ID_FIRST + 2);
	struct slice v = raw_get(f, "id2entry.bdb", k);

	raw_put(f, "id2entry.bdb", k, slice(v.ptr, v.len - 5));
}

static void
spoil_number(struct fixture *f)
{
	char key[9];
	struct slice k = id_key(key, 0, ID_FIRST + 2), v;
	char *p;

	v = raw_get(f, "id2entry.bdb", k);
	p = mem_slicedup(v);
	p[24] = 99;
	raw_put(f, "id2entry.bdb", k, slice(p, v.len));
	free(p);
}

static void
add_special(struct fixture *f)
{
	char key[9];

	raw_put(f, "special.bdb", id_key(key, SPECIAL_REFERRAL + 0x10, 5),
	    SLICE(""));
	key[0] = SPECIAL_REFERRAL;
	raw_put(f, "special.bdb", slice(key, 9), SLICE(""));
}

static void
lose_special(struct fixture *f)
{
	char key[9];

	(void)id_key(key, 'A', ID_ALIAS);
	key[0] = SPECIAL_ALIAS;
	raw_del(f, "special.bdb", slice(key, 9));
}

static void
lose_version(struct fixture *f)
{
	raw_del(f, "dict.bdb", SLICE("v"));
}

static void
repeat_number(struct fixture *f)
{
	raw_put(f, "dict.bdb", slice("a\0\0\0\143", 5), SLICE("cn"));
}

static void
flip_index(struct fixture *f)
{
	flip(f, "cn.bdb", 4096 + 2000);
}

static void
flip_entries(struct fixture *f)
{
	flip(f, "id2entry.bdb", 16384 + 8000);
}

static void
flip_special(struct fixture *f)
{
	flip(f, "special.bdb", 30);
}

static void
lose_names(struct fixture *f)
{
	char *path = mem_printf("%s/dn2id.bdb", f->dir);

	assert_int_equal(unlink(path), 0);
	free(path);
}

static const struct {
	const char *name;
	void (*plant)(struct fixture *);
	bool is_data;			/* cannot be built anew */
	enum { BOTH, TREE } layout;
	const char *words[4];
} damages[] = {
	{ "missing key", lose_key, false, BOTH,
	    { "cn.bdb: eq \"user 5\" entry 9: the key is missing" } },
	{ "extra key", add_key, false, BOTH,
	    { "cn.bdb: eq \"nobody\" entry 4: the entry does not have",
	    "entry 6: the entry does not" } },
	{ "extra ID", add_id, false, BOTH,
	    { "uid.bdb: eq \"user.1\" entry 7: the entry does not have" } },
	{ "damaged record", spoil_record, false, BOTH,
	    { "uid.bdb: ", "user.1", "cannot be decoded" } },
	{ "damaged key", spoil_key, false, BOTH,
	    { "uid.bdb: x: the key is malformed" } },
	{ "orphan name", add_name, true, BOTH,
	    { "dn2id.bdb: entry 999: a name without an entry" } },
	{ "missing name", lose_name, true, BOTH,
	    { "dn2id.bdb: entry 6: an entry without a name",
	    "a key that no name calls for" } },
	{ "missing key of a name", lose_forward, true, BOTH,
	    { "dn2id.bdb: entry 6 ", "no key leads to this name" } },
	{ "key of a name to another entry", turn_forward, true, BOTH,
	    { "dn2id.bdb: entry 6 ", "leads to entry 7" } },
	{ "missing parent", lose_parent, true, BOTH,
	    { "dn2id.bdb: entry 6", "its parent", "has no name" } },
	{ "cycle", make_cycle, true, TREE, { "is its own ancestor" } },
	{ "normal form", spoil_name, true, BOTH,
	    { "dn2id.bdb: entry 6 ", "schema of today" } },
	{ "missing entry", lose_entry, true, BOTH,
	    { "dn2id.bdb: entry 6: a name without an entry",
	    "uid.bdb: eq \"user.2\" entry 6: the entry does not have" } },
	{ "truncated block", cut_block, true, BOTH,
	    { "id2entry.bdb: entry 6: the block is cut off" } },
	{ "attribute number", spoil_number, true, BOTH,
	    { "id2entry.bdb: entry 6: attribute number 99 is not in the" } },
	{ "extra special record", add_special, false, BOTH,
	    { "special.bdb: entry 5: listed as referral",
	    "a key that nothing asks for" } },
	{ "missing special record", lose_special, false, BOTH,
	    { "special.bdb: entry 24: not listed as alias, which it is" } },
	{ "missing version", lose_version, true, BOTH,
	    { "dict.bdb: v: the record of the version is missing" } },
	{ "number given twice", repeat_number, true, BOTH,
	    { "dict.bdb: attribute 99: \"cn\"" } },
	{ "flipped bit in an index", flip_index, false, BOTH,
	    { "cn.bdb: page 1: the checksum is wrong" } },
	{ "flipped bit in entries", flip_entries, true, BOTH,
	    { "id2entry.bdb: page 1: the checksum is wrong" } },
	{ "flipped bit in special.bdb", flip_special, false, BOTH,
	    { "special.bdb: " } },
	{ "missing file", lose_names, true, BOTH,
	    { "dn2id.bdb: : the file is missing" } },
};

#define NDAMAGES	(sizeof(damages) / sizeof(*damages))

static void
test_clean(void **state)
{
	static struct found found;
	struct fixture *f = *state;
	struct tool_check tc;

	expect_clean(f);
	assert_int_equal(check(f, true, &found, &tc), HB_OK);
	assert_int_equal(tc.entries, 3 + PERSONS);
	assert_true(tc.keys > 2 * PERSONS);
	assert_int_equal(tc.repaired, 0);
}

/* An empty database, and one that is not there. */
static void
test_empty(void **state)
{
	static struct found found;
	struct fixture *f = fixture_new(names, INDEXES);
	struct tool_check tc;

	(void)state;
	assert_int_equal(check(f, false, &found, &tc), HB_ENOTFOUND);
	fixture_open(f);
	fixture_close(f);
	expect_clean(f);
	fixture_free(&f);
}

static void
test_in_use(void **state)
{
	struct fixture *f = *state;
	struct be_db other = f->db;
	struct diag diag = DIAG_INIT;
	struct tool_check tc = { .opts = { .threads = 1 } };

	fixture_open(f);
	assert_int_equal(store_tool_check(&other, names, &tc, &diag),
	    HB_EINUSE);
	assert_non_null(strstr(diag.text, "in use by"));
	fixture_close(f);
}

/* Found and named; what the entries tell can be built anew. */
static void
test_damage(void **state)
{
	static struct found found;

	(void)state;
	for (unsigned i = 0; i < NDAMAGES; i++) {
		struct fixture *f;
		struct tool_check tc;

		if (damages[i].layout == TREE && !is_tree)
			continue;
		assert_int_equal(setup((void **)&f), 0);
		damages[i].plant(f);
		assert_int_equal(check(f, false, &found, &tc), HB_OK);
		if (tc.findings == 0)
			fail_msg("%s: not found", damages[i].name);
		expect_words(&found, damages[i].words);
		assert_int_equal(tc.in_data > 0, damages[i].is_data);
		assert_int_equal(check(f, true, &found, &tc), HB_OK);
		if (damages[i].is_data != (tc.findings > 0))
			fail_msg("%s: after a repair:\n%s", damages[i].name,
			    found.text);
		assert_int_equal(tc.repaired, !damages[i].is_data);
		if (!damages[i].is_data)
			expect_clean(f);
		fixture_free(&f);
	}
}

/* A database that was built anew is searched as before. */
static void
test_repaired(void **state)
{
	static struct found found;
	struct fixture *f = *state;
	struct tool_check tc;
	char *dns;

	flip_index(f);
	lose_special(f);
	add_id(f);
	assert_int_equal(check(f, true, &found, &tc), HB_OK);
	assert_int_equal(tc.findings, 0);
	assert_int_equal(tc.repaired, 3);
	fixture_open(f);
	assert_int_equal(store_special_count(fixture_store(f),
	    SPECIAL_ALIAS), 1);
	dns = do_search(f, SUFFIX, LDAP_SCOPE_SUB, "(cn=user 5)", 0);
	assert_string_equal(dns, "uid=user.5,ou=People");
	free(dns);
	assert_int_equal(do_modify(f, "uid=user.5," PEOPLE, "add cn: second"),
	    HB_OK);
	fixture_close(f);
	expect_clean(f);
}

#ifdef __SANITIZE_ADDRESS__
/* An environment that gave up over a damaged page forgets memory of its own. */
const char *__lsan_default_suppressions(void);

__attribute__((visibility("default"))) const char *
__lsan_default_suppressions(void)
{
	return "leak:libdb-5.3.so\n";
}
#endif

#define T(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	static const struct dnidx_ops *const both[] = {
		&dnidx_flat, &dnidx_tree
	};
	const struct CMUnitTest tests[] = {
		T(test_clean), cmocka_unit_test(test_empty), T(test_in_use),
		cmocka_unit_test(test_damage), T(test_repaired),
	};
	int failed = 0;

	for (int i = 0; i < 2; i++) {
		names = both[i];
		is_tree = i == 1;
		failed += cmocka_run_group_tests_name(names->name, tests, NULL,
		    NULL);
	}
	return failed;
}
