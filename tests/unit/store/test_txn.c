/* Writers beside readers: group commit, aborts, and caches that are never stale. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/store/env.h"
#include "tests/unit/store/fixture.h"
#include "util/mem.h"
#include "util/text.h"

#define PEOPLE		"ou=People," SUFFIX
#define INDEXES		"index uid eq\nindex description eq\nindex cn eq\n"
#define NPEOPLE		20
#define NREADERS	4
#define RUN_US		1500000

static const struct dnidx_ops *names;

static int
setup(void **state)
{
	struct fixture *f = fixture_new(names, INDEXES);

	f->conf.cachesize = 16;		/* so that misses go on */
	fixture_open(f);
	fill(f, NPEOPLE);
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
test_abort(void **state)
{
	struct fixture *f = *state;
	struct store *st = fixture_store(f);
	struct entry *e = NULL, *new = NULL, *again = NULL;
	struct attrs attrs;
	struct store_txn *txn;
	struct dn dn = dn_of(f, &f->arena, "uid=user.1," PEOPLE);

	assert_int_equal(store_entry_by_dn(st, NULL, &dn, true, &e), HB_OK);
	assert_int_equal(entry_edit(&f->arena, e, &attrs), HB_OK);
	assert_int_equal(store_txn_begin(st, NULL, &txn), HB_OK);
	assert_int_equal(store_entry_put(txn, e->id, &dn, &attrs, &new),
	    HB_OK);
	/* the writer sees its own */
	assert_int_equal(store_entry_by_dn(st, txn, &dn, true, &again),
	    HB_OK);
	assert_ptr_not_equal(again, e);
	entry_unref(&again);
	store_txn_abort(&txn);
	store_txn_abort(&txn);		/* does nothing */
	assert_int_equal(store_entry_by_dn(st, NULL, &dn, true, &again),
	    HB_OK);
	assert_ptr_equal(again, e);
	entry_unref(&e);
	entry_unref(&new);
	entry_unref(&again);
}

static void
test_disk_full(void **state)
{
	struct fixture *f = *state;
	struct store *st = fixture_store(f);
	struct diag diag = DIAG_INIT;
	char *found;

	background_stop(st);		/* which would look for itself */
	atomic_store(&st->is_disk_full, true);
	assert_int_equal(do_delete(f, "uid=user.1," PEOPLE), HB_ENOSPACE);
	assert_int_equal(disk_check(st, &diag), HB_ENOSPACE);
	found = do_search(f, SUFFIX, LDAP_SCOPE_SUB, "(uid=user.1)", 0);
	assert_string_equal(found, "uid=user.1,ou=People");
	free(found);
	atomic_store(&st->is_disk_full, false);
	assert_int_equal(do_delete(f, "uid=user.1," PEOPLE), HB_OK);
}

struct shared {
	struct fixture *f;
	atomic_bool stop;
	atomic_uint done[NPEOPLE];	/* last value that was answered */
	atomic_uint begun[NPEOPLE];	/* last value that was sent */
	atomic_ulong reads, writes, bad;
};

struct worker {
	struct shared *s;
	unsigned number;
	pthread_t thread;
};

/* Each person's description counts up; one writer a person. */
static void *
count_up(void *arg)
{
	struct worker *w = arg;
	struct shared *s = w->s;
	unsigned value = 0;

	while (!atomic_load(&s->stop)) {
		unsigned who = w->number + NREADERS * (value % 5);
		unsigned next = atomic_load(&s->done[who]) + 1;
		char *dn = mem_printf("uid=user.%u," PEOPLE, who);
		char *mod = mem_printf("replace description: %u", next);

		atomic_store(&s->begun[who], next);
		if (do_modify(s->f, dn, mod) != HB_OK)
			atomic_fetch_add(&s->bad, 1);
		atomic_store(&s->done[who], next);
		atomic_fetch_add(&s->writes, 1);
		value++;
		free(dn);
		free(mod);
	}
	return NULL;
}

/* The value of WHO by its name, and through the index of what was answered. */
static void
look(struct shared *s, unsigned who, unsigned *seen)
{
	unsigned before = atomic_load(&s->done[who]), value = 0;
	char *dn = mem_printf("uid=user.%u," PEOPLE, who);
	char *filter = mem_printf("(uid=user.%u)", who);
	struct call c;

	call_init(&c, s->f, OP_SEARCH, before % 2 == 0 ? dn : SUFFIX);
	if (run_search(s->f, &c, before % 2 == 0 ? LDAP_SCOPE_BASE :
	    LDAP_SCOPE_SUB, filter) != HB_OK || c.nsent != 1)
		atomic_fetch_add(&s->bad, 1);
	else
		value = (unsigned)atoi(c.values);
	call_fini(&c);
	/* not older than what was answered before, nor than seen by us, nor of the future */
	if (value < before || value < *seen ||
	    value > atomic_load(&s->begun[who])) {
		printf("user.%u: %u, answered %u, seen %u\n", who, value,
		    before, *seen);
		atomic_fetch_add(&s->bad, 1);
	}
	*seen = value;
	atomic_fetch_add(&s->reads, 1);
	free(dn);
	free(filter);
}

static void *
read_on(void *arg)
{
	struct worker *w = arg;
	struct shared *s = w->s;
	unsigned seen[NPEOPLE] = { 0 }, i = w->number;

	while (!atomic_load(&s->stop)) {
		i = i * 1103515245 + 12345;
		look(s, i / 65536 % NPEOPLE, &seen[i / 65536 % NPEOPLE]);
	}
	return NULL;
}

static void
wait_us(int64_t us)
{
	struct lk_mutex m;
	struct lk_cond c;
	int64_t end = time_mono_us() + us;

	lk_init(&m, LK_LEAF, "wait");
	lk_cond_init(&c);
	lk_lock(&m);
	while (time_mono_us() < end)
		lk_cond_timedwait(&c, &m, (end - time_mono_us()) / 1000 + 1);
	lk_unlock(&m);
	lk_cond_fini(&c);
	lk_fini(&m);
}

static void
test_never_stale(void **state)
{
	struct shared s = { .f = *state };
	struct worker w[2 * NREADERS];

	for (unsigned i = 0; i < 2 * NREADERS; i++) {
		w[i] = (struct worker){ .s = &s, .number = i % NREADERS };
		assert_int_equal(pthread_create(&w[i].thread, NULL,
		    i < NREADERS ? read_on : count_up, &w[i]), 0);
	}
	wait_us(RUN_US);
	atomic_store(&s.stop, true);
	for (unsigned i = 0; i < 2 * NREADERS; i++)
		pthread_join(w[i].thread, NULL);
	print_message("%lu reads, %lu writes\n", atomic_load(&s.reads),
	    atomic_load(&s.writes));
	assert_int_equal(atomic_load(&s.bad), 0);
	assert_true(atomic_load(&s.reads) > 100);
	assert_true(atomic_load(&s.writes) > 100);
}

/* A subtree goes back and forth: a reader finds each person once, somewhere. */
static void *
rename_on(void *arg)
{
	struct worker *w = arg;
	struct shared *s = w->s;

	while (!atomic_load(&s->stop)) {
		if (do_rename(s->f, PEOPLE, "ou=Folk", "ou=Other," SUFFIX) !=
		    HB_OK || do_rename(s->f, "ou=Folk,ou=Other," SUFFIX,
		    "ou=People", SUFFIX) != HB_OK)
			atomic_fetch_add(&s->bad, 1);
		atomic_fetch_add(&s->writes, 2);
	}
	return NULL;
}

static void *
find_on(void *arg)
{
	struct worker *w = arg;
	struct shared *s = w->s;
	unsigned i = w->number;

	while (!atomic_load(&s->stop)) {
		char *filter = mem_printf("(uid=user.%u)", i++ % NPEOPLE);
		char *found = do_search(s->f, SUFFIX, LDAP_SCOPE_SUB, filter,
		    0);

		if (strstr(found, ",ou=People") == NULL &&
		    strstr(found, ",ou=Folk,ou=Other") == NULL) {
			printf("%s: %s\n", filter, found);
			atomic_fetch_add(&s->bad, 1);
		}
		atomic_fetch_add(&s->reads, 1);
		free(filter);
		free(found);
	}
	return NULL;
}

static void
test_rename_beside(void **state)
{
	struct shared s = { .f = *state };
	struct worker w[NREADERS + 1];

	for (unsigned i = 0; i <= NREADERS; i++) {
		w[i] = (struct worker){ .s = &s, .number = i };
		assert_int_equal(pthread_create(&w[i].thread, NULL,
		    i < NREADERS ? find_on : rename_on, &w[i]), 0);
	}
	wait_us(RUN_US);
	atomic_store(&s.stop, true);
	for (unsigned i = 0; i <= NREADERS; i++)
		pthread_join(w[i].thread, NULL);
	print_message("%lu reads, %lu renames\n", atomic_load(&s.reads),
	    atomic_load(&s.writes));
	assert_int_equal(atomic_load(&s.bad), 0);
}

/* Many commits share a flush. */
static void
test_group_commit(void **state)
{
	struct shared s = { .f = *state };
	struct store *st = fixture_store(s.f);
	struct worker w[NREADERS];
	uint64_t flushes = flush_count(st->flush);
	uint64_t commits = atomic_load(&st->commits);

	for (unsigned i = 0; i < NREADERS; i++) {
		w[i] = (struct worker){ .s = &s, .number = i };
		assert_int_equal(pthread_create(&w[i].thread, NULL, count_up,
		    &w[i]), 0);
	}
	wait_us(RUN_US / 2);
	atomic_store(&s.stop, true);
	for (unsigned i = 0; i < NREADERS; i++)
		pthread_join(w[i].thread, NULL);
	commits = atomic_load(&st->commits) - commits;
	flushes = flush_count(st->flush) - flushes;
	print_message("%llu commits, %llu flushes\n",
	    (unsigned long long)commits, (unsigned long long)flushes);
	assert_int_equal(atomic_load(&s.bad), 0);
	assert_int_equal(commits, atomic_load(&s.writes));
	assert_true(flushes <= commits);
}

#define TEST(f)	cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_abort), TEST(test_disk_full), TEST(test_never_stale),
		TEST(test_rename_beside), TEST(test_group_commit),
	};
	int bad = 0;

	names = &dnidx_flat;
	bad += cmocka_run_group_tests_name("flat", tests, NULL, NULL);
	names = &dnidx_tree;
	bad += cmocka_run_group_tests_name("tree", tests, NULL, NULL);
	return bad;
}
