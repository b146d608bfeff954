/*
 * Indexes that are configured on a database with entries are built beside the
 * operations: complete in the end, not used before, resumed after a stop.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/store/index_int.h"
#include "tests/unit/store/fixture.h"
#include "util/mem.h"
#include "util/text.h"

#define PEOPLE		"ou=People," SUFFIX
#define NPEOPLE		1200
#define NWRITERS	3
#define PATIENCE_US	60000000

static const struct dnidx_ops *names;

/* Without indexes, filled, closed. */
static int
setup(void **state)
{
	struct fixture *f = fixture_new(names, NULL);

	f->conf.dbnosync = true;
	fixture_open(f);
	fill(f, NPEOPLE);
	fixture_close(f);
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	fixture_free((struct fixture **)state);
	return 0;
}

/* The same database with INDEXES; F is to be given back to unconfigure(). */
static struct fixture *
configure(struct fixture *plain, const char *indexes)
{
	struct fixture *f = fixture_new(names, indexes);
	char *own = f->conf.directory;

	f->conf.directory = plain->conf.directory;
	f->conf.dbnosync = true;
	plain->conf.directory = own;
	return f;
}

static void
unconfigure(struct fixture *plain, struct fixture **f)
{
	char *own = plain->conf.directory;

	plain->conf.directory = (*f)->conf.directory;
	(*f)->conf.directory = own;
	fixture_free(f);
}

static bool
is_ready(struct fixture *f, const char *type, unsigned kind)
{
	return index_find(fixture_store(f), schema_builtin(f->schema, type),
	    kind) != NULL;
}

static void
wait_ready(struct fixture *f, const char *type, unsigned kind)
{
	int64_t end = time_mono_us() + PATIENCE_US;

	while (!is_ready(f, type, kind)) {
		if (time_mono_us() > end)
			fail_msg("%s is not built", type);
		usleep(2000);
	}
}

static unsigned
count(struct fixture *f, const char *filter)
{
	char *found = do_search(f, SUFFIX, LDAP_SCOPE_SUB, filter, 0);
	unsigned n = found[0] != '\0';

	for (const char *p = found; (p = strchr(p, '|')) != NULL; p++)
		n++;
	free(found);
	return n;
}

/* What the index of uid says must be what looking at every entry says. */
static void
check_all(struct fixture *f)
{
	struct idset ids = IDSET_INIT;
	const struct index *ix = index_find(fixture_store(f),
	    schema_builtin(f->schema, "uid"), INDEX_EQ);
	char uid[32];

	assert_non_null(ix);
	for (unsigned i = 0; i < NPEOPLE; i += 7) {
		int n = snprintf(uid, sizeof(uid), "user.%u", i);

		assert_int_equal(index_read(fixture_store(f), NULL, ix, INDEX_EQ,
		    slice(uid, (size_t)n), true, &ids), HB_OK);
		assert_int_equal(idset_count(&ids), 1);
	}
	idset_fini(&ids);
	assert_int_equal(count(f, "(uid=user.1*)"), 311);
}

static void
test_built(void **state)
{
	struct fixture *plain = *state;
	struct fixture *f = configure(plain, "index uid,objectClass eq\n"
	    "index cn eq,sub,pres\n");

	fixture_open(f);
	wait_ready(f, "uid", INDEX_EQ);
	wait_ready(f, "cn", INDEX_SUB);
	check_all(f);
	fixture_close(f);
	fixture_open(f);		/* and stays so */
	assert_true(is_ready(f, "uid", INDEX_EQ));
	assert_null(fixture_store(f)->indexes->build);
	check_all(f);
	fixture_close(f);
	unconfigure(plain, &f);
}

struct writer {
	struct fixture *f;
	unsigned from;
	pthread_t thread;
};

/* Renames values, deletes and adds, each writer among its own entries. */
static void *
write_some(void *arg)
{
	struct writer *w = arg;
	char dn[64], attrs[128], mod[64];

	for (unsigned i = w->from; i < NPEOPLE; i += NWRITERS * 5) {
		snprintf(dn, sizeof(dn), "uid=user.%u," PEOPLE, i);
		snprintf(mod, sizeof(mod), "replace description: new %u", i);
		assert_int_equal(do_modify(w->f, dn, mod), HB_OK);
		if (i % 2 == 0)
			continue;
		assert_int_equal(do_delete(w->f, dn), HB_OK);
		snprintf(attrs, sizeof(attrs), "objectClass: person\n"
		    "cn: User %u\ndescription: new again\n", i);
		assert_int_equal(do_add(w->f, dn, attrs), HB_OK);
	}
	return NULL;
}

static void
test_beside_writers(void **state)
{
	struct fixture *plain = *state;
	struct fixture *f = configure(plain,
	    "index uid eq\nindex description eq,sub\n");
	struct writer w[NWRITERS];
	unsigned by_index, by_scan;

	fixture_open(f);
	for (unsigned i = 0; i < NWRITERS; i++) {
		w[i].f = f;
		w[i].from = i;
		assert_int_equal(pthread_create(&w[i].thread, NULL,
		    write_some, &w[i]), 0);
	}
	for (unsigned i = 0; i < NWRITERS; i++)
		pthread_join(w[i].thread, NULL);
	wait_ready(f, "description", INDEX_EQ);
	by_index = count(f, "(description=new*)");
	fixture_close(f);
	unconfigure(plain, &f);
	fixture_open(plain);
	by_scan = count(plain, "(description=new*)");
	assert_int_equal(by_index, by_scan);
	assert_true(by_scan > 50);
}

static void
test_resumed(void **state)
{
	struct fixture *plain = *state;
	struct fixture *f = configure(plain, "index uid eq\n"
	    "index cn,sn,description eq,sub\n");
	const struct attr_desc *uid = schema_builtin(f->schema, "uid");
	unsigned rounds = 0;
	uint64_t next = 0;

	/* each round does at least a batch, and begins where the last ended */
	for (;; rounds++) {
		const struct index *ix;

		fixture_open(f);
		if (is_ready(f, "uid", INDEX_EQ))
			break;
		ix = &fixture_store(f)->indexes->v[0];
		assert_ptr_equal(ix->desc, uid);
		assert_true(ix->next >= next);
		while (ix->next <= next && !is_ready(f, "uid", INDEX_EQ))
			usleep(100);
		next = ix->next;
		fixture_close(f);
		assert_true(rounds < NPEOPLE);
	}
	assert_true(rounds > 0);
	check_all(f);
	fixture_close(f);
	unconfigure(plain, &f);
}

/* A kind that was off for a time has stale keys, which must go. */
static void
test_stale_kind(void **state)
{
	struct fixture *plain = *state, *f;

	f = configure(plain, "index description eq,sub\nindex uid eq\n");
	fixture_open(f);
	wait_ready(f, "description", INDEX_SUB);
	assert_int_equal(do_modify(f, "uid=user.5," PEOPLE,
	    "replace description: oldest"), HB_OK);
	fixture_close(f);
	unconfigure(plain, &f);

	f = configure(plain, "index description eq\nindex uid eq\n");
	fixture_open(f);
	assert_int_equal(do_modify(f, "uid=user.5," PEOPLE,
	    "replace description: newest"), HB_OK);
	fixture_close(f);
	unconfigure(plain, &f);

	f = configure(plain, "index description eq,sub\nindex uid eq\n");
	fixture_open(f);
	assert_true(is_ready(f, "description", INDEX_EQ));
	wait_ready(f, "description", INDEX_SUB);
	assert_int_equal(count(f, "(description=*dest*)"), 0);
	assert_int_equal(count(f, "(description=*west*)"), 1);
	/* exact sets: a stale key would take the entry out of a NOT */
	assert_int_equal(count(f, "(&(uid=user.5)(!(description=*olde*)))"),
	    1);
	fixture_close(f);
	unconfigure(plain, &f);
}

static void
test_dropped(void **state)
{
	struct fixture *plain = *state, *f;
	char *file;

	f = configure(plain, "index uid eq\nindex cn eq\n");
	fixture_open(f);
	wait_ready(f, "cn", INDEX_EQ);
	fixture_close(f);
	unconfigure(plain, &f);
	file = mem_printf("%s/cn.bdb", plain->conf.directory);
	assert_int_equal(access(file, F_OK), 0);

	f = configure(plain, "index uid eq\n");
	fixture_open(f);
	assert_int_not_equal(access(file, F_OK), 0);
	assert_true(is_ready(f, "uid", INDEX_EQ));
	fixture_close(f);
	unconfigure(plain, &f);
	free(file);
}

#define T(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	static const struct dnidx_ops *const both[] = {
		&dnidx_flat, &dnidx_tree
	};
	const struct CMUnitTest tests[] = {
		T(test_built), T(test_beside_writers), T(test_resumed),
		T(test_stale_kind), T(test_dropped)
	};
	int failed = 0;

	for (unsigned i = 0; i < 2; i++) {
		names = both[i];
		failed += cmocka_run_group_tests_name(names->name, tests,
		    NULL, NULL);
	}
	return failed != 0;
}
