/* The environment: owners, crashes, modes, what is refused and how. */
#include <sys/stat.h>
#include <sys/wait.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/store/env.h"
#include "tests/unit/store/fixture.h"
#include "util/mem.h"

static int
setup(void **state)
{
	*state = fixture_new(&dnidx_tree, "index uid eq\nindex cn eq\n");
	return 0;
}

static int
teardown(void **state)
{
	fixture_free((struct fixture **)state);
	return 0;
}

static int
open_as(struct fixture *f, enum store_mode mode, struct diag *diag)
{
	diag_clear(diag);
	return store_open_as(&f->db, f->names, mode, TEST_CACHE, diag);
}

/* What the configuration gives, and what databases share when it is silent. */
static void
test_budget(void **state)
{
	struct store_conf conf = { .memory = 1000u << 20 };
	struct budget b, half;

	(void)state;
	budget_make(&conf, &b);
	/* 24 MiB are for the process itself */
	assert_int_equal(b.pool, (976u << 20) / 5 * 2);
	assert_int_equal(b.entries, (976u << 20) / 5 * 2);
	assert_int_equal(b.names, (976u << 20) / 10);
	assert_int_equal(b.cands, (976u << 20) / 10);
	conf.memory = 40u << 20;
	budget_make(&conf, &b);
	assert_int_equal(b.pool, (30u << 20) / 5 * 2);
	conf.memory = (uint64_t)100 << 30;
	budget_make(&conf, &b);
	assert_int_equal(b.pool, (uint64_t)2 << 30);
	conf.memory = 0;
	budget_make(&conf, &b);
	assert_true(b.entries <= budget_memory() / 8);
	budget_share();
	budget_share();
	budget_make(&conf, &half);
	assert_in_range(half.names, b.names / 2 - (2u << 20), b.names / 2);
	conf.cachesize = 1000;
	budget_make(&conf, &half);
	assert_int_equal(half.entries, 1000 * 65536);
}

static void
test_reopen(void **state)
{
	struct fixture *f = *state;
	char *s;

	fixture_open(f);
	fill(f, 3);
	assert_int_equal(do_delete(f, "uid=user.2,ou=People," SUFFIX), HB_OK);
	fixture_close(f);
	fixture_open(f);
	s = do_search(f, SUFFIX, LDAP_SCOPE_SUB, "(cn=*)", 0);
	assert_string_equal(s, "uid=user.0,ou=People|uid=user.1,ou=People");
	free(s);
	/* regions are gone when nobody uses them */
	fixture_close(f);
	s = mem_printf("%s/__db.001", f->dir);
	assert_int_not_equal(access(s, F_OK), 0);
	free(s);
}

static void
test_in_use(void **state)
{
	struct fixture *f = *state;
	struct be_db other;
	struct diag diag = DIAG_INIT;
	char pid[32];

	fixture_open(f);
	other = f->db;
	other.priv = NULL;
	snprintf(pid, sizeof(pid), "process %ld", (long)getpid());
	for (enum store_mode m = STORE_SERVER; m <= STORE_QUICK; m++) {
		if (m == STORE_READ)
			continue;
		diag_clear(&diag);
		assert_int_equal(store_open_as(&other, f->names, m, TEST_CACHE,
		    &diag), HB_EINUSE);
		assert_non_null(strstr(diag.text, pid));
		assert_non_null(strstr(diag.text, f->dir));
	}
}

/* Count what another process sees; its exit status. */
static int
count_in_child(struct fixture *f)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct diag diag = DIAG_INIT;
		struct entry *e = NULL;
		entry_id id = 1;
		int n = 0;

		f->db.priv = NULL;
		if (open_as(f, STORE_READ, &diag) != HB_OK)
			_exit(99);
		for (; store_entry_scan(fixture_store(f), &id, &e) == HB_OK;
		    id++) {
			entry_unref(&e);
			n++;
		}
		store_close(&f->db);
		_exit(n);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void
test_read_beside(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(count_in_child(f), 99);	/* nothing there */
	fixture_open(f);
	fill(f, 5);
	assert_int_equal(count_in_child(f), 8);
	assert_int_equal(do_delete(f, "uid=user.1,ou=People," SUFFIX), HB_OK);
	assert_int_equal(count_in_child(f), 7);
	fixture_close(f);
	assert_int_equal(count_in_child(f), 7);
}

/* A process that dies in the middle of adds; tells how many were answered. */
static int
die_while_adding(struct fixture *f, int nadds)
{
	int fds[2], n = 0, status;
	char c;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (pid == 0) {
		fixture_open(f);
		fill(f, 0);
		for (int i = 0; i < nadds; i++) {
			char *dn = mem_printf("uid=%d,ou=People," SUFFIX, i);

			if (do_add(f, dn, "objectClass: person\ncn: x") !=
			    HB_OK || write(fds[1], "x", 1) != 1)
				_exit(1);
			free(dn);
		}
		/* one that is not answered */
		struct store_txn *txn;

		if (store_txn_begin(fixture_store(f), NULL, &txn) != HB_OK ||
		    store_entry_del(txn, 3) != HB_OK)
			_exit(1);
		_exit(0);
	}
	close(fds[1]);
	while (read(fds[0], &c, 1) == 1)
		n++;
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	return n;
}

static void
test_crash(void **state)
{
	struct fixture *f = *state;
	int n = die_while_adding(f, 20);
	struct call c;

	assert_int_equal(n, 20);
	fixture_open(f);
	call_init(&c, f, OP_SEARCH, SUFFIX);
	assert_int_equal(run_search(f, &c, LDAP_SCOPE_SUB, "(cn=x)"), HB_OK);
	assert_int_equal(c.nsent, 20);
	call_fini(&c);
	call_init(&c, f, OP_SEARCH, SUFFIX);
	assert_int_equal(run_search(f, &c, LDAP_SCOPE_SUB, "(objectClass=*)"),
	    HB_OK);
	assert_int_equal(c.nsent, 23);
	call_fini(&c);
}

/* A reader or a loader that comes after a crash recovers first. */
static void
test_crash_read(void **state)
{
	struct fixture *f = *state;
	struct diag diag = DIAG_INIT;

	die_while_adding(f, 7);
	assert_int_equal(count_in_child(f), 10);
	assert_int_equal(count_in_child(f), 10);
	assert_int_equal(open_as(f, STORE_QUICK, &diag), HB_OK);
	assert_int_equal(atomic_load(&fixture_store(f)->next_id), 11);
	fixture_close(f);
}

static void
test_modes(void **state)
{
	struct fixture *f = *state;
	struct diag diag = DIAG_INIT;
	char *s;

	assert_int_equal(open_as(f, STORE_WRITE, &diag), HB_OK);
	fill(f, 2);
	fixture_close(f);
	assert_int_equal(open_as(f, STORE_QUICK, &diag), HB_OK);
	fixture_close(f);
	fixture_open(f);
	s = do_search(f, SUFFIX, LDAP_SCOPE_SUB, "(uid=user.1)", 0);
	assert_string_equal(s, "uid=user.1,ou=People");
	free(s);
}

static void
test_messages(void **state)
{
	struct fixture *f = *state;
	struct diag diag = DIAG_INIT;
	char *dir = mem_printf("%s/none", f->dir);
	char *real = f->conf.directory;

	f->conf.directory = dir;
	assert_int_equal(open_as(f, STORE_SERVER, &diag), HB_EIO);
	assert_non_null(strstr(diag.text, dir));
	assert_non_null(strstr(diag.text, "mkdir"));
	diag_clear(&diag);
	assert_int_equal(store_conf_check(&f->db, &diag), HB_EIO);
	f->conf.directory = real;
	free(dir);

	/* as somebody else it may not be written */
	if (geteuid() != 0)
		skip();
	assert_int_equal(chmod(f->dir, 0755), 0);
	assert_int_equal(seteuid(65534), 0);
	diag_clear(&diag);
	assert_int_equal(store_conf_check(&f->db, &diag), HB_EIO);
	assert_int_equal(seteuid(0), 0);
	assert_non_null(strstr(diag.text, "belongs to root"));
	assert_non_null(strstr(diag.text, "chown -R"));
}

static void
test_mark(void **state)
{
	struct fixture *f = *state;
	struct diag diag = DIAG_INIT;
	char *mark = mem_printf("%s/" STORE_MARK_FILE, f->dir);
	FILE *m;

	fixture_open(f);
	fixture_close(f);
	assert_non_null(m = fopen(mark, "w"));
	fputs("data", m);
	fclose(m);
	assert_int_equal(open_as(f, STORE_SERVER, &diag), HB_EUNLOADED);
	assert_non_null(strstr(diag.text, f->dir));
	assert_int_equal(unlink(mark), 0);
	free(mark);
	fixture_open(f);
}

static void
test_version(void **state)
{
	struct fixture *f = *state;
	struct diag diag = DIAG_INIT;
	DBT k = { .data = "v", .size = 1 };
	DBT d = { .data = "hornbeam 9", .size = 10 };
	struct store *st;

	fixture_open(f);
	st = fixture_store(f);
	assert_int_equal(st->dict_db->put(st->dict_db, NULL, &k, &d, 0), 0);
	fixture_close(f);
	assert_int_equal(open_as(f, STORE_SERVER, &diag), HB_EVERSION);
	assert_non_null(strstr(diag.text, "hornbeam 9"));
}

static void
test_db_config(void **state)
{
	struct fixture *f = *state;
	char *path = mem_printf("%s/DB_CONFIG", f->dir);
	struct cfg_line line = { .words = (char *[]){ "dbconfig",
	    "set_lg_bsize", "1048576", NULL }, .nwords = 4 };
	u_int32_t size;
	struct diag diag = DIAG_INIT;
	struct store *st;

	line.nwords = 3;
	assert_int_equal(cfg_apply(cfg_find(store_cfg, "dbconfig"), &f->conf,
	    &line, &f->db, &diag), HB_OK);
	fixture_open(f);
	st = fixture_store(f);
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(st->env->get_lg_bsize(st->env, &size), 0);
	assert_int_equal(size, 1048576);
	free(path);
}

/* Aliases and their like are found out where a loader did not list them. */
static void
test_special(void **state)
{
	struct fixture *f = *state;
	DBT k = { .data = "ok", .size = 2 };
	struct store *st;

	fixture_open(f);
	fill(f, 1);
	assert_int_equal(do_add(f, "cn=ref," SUFFIX, "objectClass: referral\n"
	    "objectClass: extensibleObject\nref: ldap://x/"), HB_OK);
	st = fixture_store(f);
	assert_int_equal(st->special_db->del(st->special_db, NULL, &k, 0), 0);
	k.data = "\1\0\0\0\0\0\0\0\5";
	k.size = 9;
	assert_int_equal(st->special_db->del(st->special_db, NULL, &k, 0), 0);
	k.data = "\1\0\0\0\0\0\0\0\4";	/* of nothing that is there */
	assert_int_equal(st->special_db->put(st->special_db, NULL, &k, &k, 0),
	    0);
	fixture_close(f);
	fixture_open(f);
	assert_int_equal(store_special_count(fixture_store(f),
	    SPECIAL_REFERRAL), 1);
	assert_true(store_special_has(fixture_store(f), SPECIAL_REFERRAL, 5));
}

static void
apply(struct fixture *f, const char *word, const char *a, const char *b,
    int wanted)
{
	struct cfg_line line = { .words = (char *[]){ (char *)(uintptr_t)word,
	    (char *)(uintptr_t)a, (char *)(uintptr_t)b, NULL },
	    .nwords = b == NULL ? 2 : 3 };
	struct diag diag = DIAG_INIT;

	assert_int_equal(cfg_apply(cfg_find(store_cfg, word), &f->conf, &line,
	    &f->db, &diag), wanted);
}

static void
test_conf(void **state)
{
	struct fixture *f = *state;

	apply(f, "mode", "0640", NULL, HB_OK);
	assert_int_equal(f->conf.mode, 0640);
	apply(f, "mode", "-rw-r-----", NULL, HB_OK);
	assert_int_equal(f->conf.mode, 0640);
	apply(f, "mode", "-rw-w-----", NULL, HB_EINVAL);
	apply(f, "mode", "0", NULL, HB_EINVAL);
	apply(f, "mode", "rw", NULL, HB_EINVAL);
	f->conf.mode = 0600;
	apply(f, "checkpoint", "1024", "15", HB_OK);
	assert_int_equal(f->conf.checkpoint_kb, 1024);
	assert_int_equal(f->conf.checkpoint_min, 15);
	apply(f, "checkpoint", "x", "15", HB_EINVAL);
	apply(f, "dbpagesize", "dn2id", "8", HB_OK);
	apply(f, "dbpagesize", "id2entry.bdb", "64", HB_OK);
	apply(f, "dbpagesize", "id2entry", "65", HB_ERANGE);
	apply(f, "dbpagesize", "id2entry", "3", HB_ERANGE);
	apply(f, "lockdetect", "youngest", NULL, HB_OK);
	assert_int_equal(f->conf.lockdetect, DB_LOCK_YOUNGEST);
	apply(f, "searchstack", "16", NULL, HB_OK);
	apply(f, "linearindex", "on", NULL, HB_OK);
	apply(f, "cachesize", "0", NULL, HB_ERANGE);
	fixture_open(f);
	for (int i = 0; i < 2; i++) {
		struct store *st = fixture_store(f);
		DB *db = i == 0 ? st->dn2id : st->id2entry;
		u_int32_t size;

		assert_int_equal(db->get_pagesize(db, &size), 0);
		assert_int_equal(size, i == 0 ? 8192 : 65536);
	}
}

#define TEST(f)	cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_budget),
		TEST(test_reopen), TEST(test_in_use), TEST(test_read_beside),
		TEST(test_crash), TEST(test_crash_read), TEST(test_modes),
		TEST(test_messages), TEST(test_mark), TEST(test_version),
		TEST(test_db_config), TEST(test_special), TEST(test_conf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
