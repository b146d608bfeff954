/*
 * The parts of a backup: pages copied while they are written, sums, names of
 * logs, backup.txt, logs that are held; and what a restore refuses, on both name
 * layouts. With a server and its clients: tests/e2e/test_backup.py.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/store/backup.h"
#include "backends/store/env.h"
#include "backends/store/range.h"
#include "tests/unit/store/fixture.h"
#include "util/mem.h"

#define PEOPLE		"ou=People," SUFFIX
#define INDEXES		"index objectClass,uid eq\nindex cn pres,eq,sub\n"
#define PERSONS		20
#define PAGE		4096

static const struct dnidx_ops *names;
static struct diag diag;

static int
setup(void **state)
{
	struct fixture *f = fixture_new(names, INDEXES);

	diag_clear(&diag);
	*state = f;
	fixture_open(f);
	fill(f, PERSONS);
	fixture_close(f);
	return 0;
}

static int
teardown(void **state)
{
	fixture_free((struct fixture **)state);
	return 0;
}

static char *
path_in(struct fixture *f, const char *name)
{
	char *path = mem_printf("%s/%s", f->dir, name);
	char *kept = arena_strdup(&f->arena, path);

	free(path);
	return kept;
}

static void
write_file(const char *path, const void *p, size_t n)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(p, 1, n, file), n);
	assert_int_equal(fclose(file), 0);
}

/* ---- sums ---- */

static uint32_t
slow_crc(const unsigned char *p, size_t n)
{
	uint32_t c = ~0u;

	while (n-- > 0) {
		c ^= *p++;
		for (int i = 0; i < 8; i++)
			c = (c & 1) != 0 ? c >> 1 ^ 0xedb88320u : c >> 1;
	}
	return ~c;
}

static void
test_sums(void **state)
{
	struct fixture *f = *state;
	const char *path = path_in(f, "x"), *copy = path_in(f, "y");
	unsigned char v[1000];
	uint64_t size;
	uint32_t crc;

	for (unsigned i = 0; i < sizeof(v); i++)
		v[i] = (unsigned char)(i * 7 + i / 9);
	write_file(path, "123456789", 9);
	assert_int_equal(backup_sum_file(path, &size, &crc, &diag), HB_OK);
	assert_int_equal(size, 9);
	assert_int_equal(crc, 0xcbf43926);
	for (unsigned n = 0; n < 40; n++) {
		write_file(path, v + n, n * 20);
		assert_int_equal(backup_copy_file(path, copy, 0600, UINT64_MAX,
		    &size, &crc, NULL, &diag), HB_OK);
		assert_int_equal(size, n * 20);
		assert_int_equal(crc, slow_crc(v + n, n * 20));
	}
	assert_int_equal(backup_sum_file(copy, &size, &crc, &diag), HB_OK);
	assert_int_equal(crc, slow_crc(v + 39, 39 * 20));
	assert_int_equal(backup_copy_file(path, copy, 0600, 100, &size, &crc,
	    NULL, &diag), HB_OK);
	assert_int_equal(size, 100);
}

/* A hole at the end stays one, and the size too. */
static void
test_hole(void **state)
{
	struct fixture *f = *state;
	const char *path = path_in(f, "x"), *copy = path_in(f, "y");
	struct stat st;
	uint64_t size;
	uint32_t crc;

	write_file(path, "abc", 3);
	assert_int_equal(truncate(path, 8 << 20), 0);
	assert_int_equal(backup_copy_file(path, copy, 0600, UINT64_MAX, &size,
	    &crc, NULL, &diag), HB_OK);
	assert_int_equal(size, 8 << 20);
	assert_int_equal(stat(copy, &st), 0);
	assert_int_equal(st.st_size, 8 << 20);
	assert_true(st.st_blocks < 4096);
	assert_int_equal(backup_log_end(copy), 3);
	write_file(path, "", 0);
	assert_int_equal(backup_log_end(path), 0);
	assert_int_equal(truncate(path, 1 << 20), 0);
	assert_int_equal(backup_log_end(path), 0);
	assert_int_equal(backup_log_end("/nonexistent"), 0);
}

static void
test_log_names(void **state)
{
	static const struct { const char *name; uint32_t logs, backup; } v[] = {
		{ "log.0000000001", 1, 1 }, { "/x/log.0000000012", 12, 12 },
		{ "log.0000000012.3", 0, 12 }, { "log.1", 0, 0 },
		{ "log.0000000012.", 0, 0 }, { "log.0000000012.3x", 0, 0 },
		{ "log.0000000012.part", 0, 0 }, { "log.00000000012", 0, 0 },
		{ "blog.0000000001", 0, 0 }, { "log.", 0, 0 }, { "", 0, 0 },
		{ "log/log.0000000002.1", 0, 2 }, { "log.000000000x", 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++) {
		assert_int_equal(logs_number(v[i].name), v[i].logs);
		assert_int_equal(backup_log_number(v[i].name), v[i].backup);
	}
}

/* ---- backup.txt ---- */

static void
test_text(void **state)
{
	struct fixture *f = *state;
	struct backup_text t = {
		.suffix = mem_strdup("dc=x"), .backend = mem_strdup("hdb"),
		.format = mem_strdup(STORE_FORMAT),
		.lineage = mem_strdup("12.ab"), .begun = 1000000000,
		.time = 1000000007, .until = 1000000010, .entries = 12345,
		.lsn_file = 3, .lsn_offset = 77, .verified = true
	}, u;

	backup_text_add(&t, "cn.bdb", 8192, 0xdeadbeef);
	backup_text_add(&t, "log/log.0000000003", 10, 1);
	backup_text_add(&t, "log/log.0000000003.2", 20, 2);
	assert_int_equal(t.nfiles, 2);
	assert_int_equal(backup_text_write(&t, f->dir, &diag), HB_OK);
	assert_int_equal(backup_text_read(f->dir, &u, &diag), HB_OK);
	assert_string_equal(u.suffix, t.suffix);
	assert_string_equal(u.backend, t.backend);
	assert_string_equal(u.lineage, t.lineage);
	assert_int_equal(u.begun, t.begun);
	assert_int_equal(u.time, t.time);
	assert_int_equal(u.until, t.until);
	assert_int_equal(u.entries, t.entries);
	assert_int_equal(u.lsn_file, 3);
	assert_int_equal(u.lsn_offset, 77);
	assert_true(u.verified);
	assert_false(u.encrypted);
	assert_int_equal(u.nfiles, 2);
	assert_string_equal(u.files[1].name, "log/log.0000000003.2");
	assert_int_equal(u.files[0].size, 8192);
	assert_int_equal(u.files[0].crc, 0xdeadbeef);
	backup_text_fini(&t);
	backup_text_fini(&u);
}

#define HEAD	"hornbeam backup 1\nsuffix: dc=x\nbackend: hdb\n" \
	"format: hornbeam 1\nlineage: 1\n"

static void
test_bad_text(void **state)
{
	static const struct { const char *text; int rc; } v[] = {
		{ HEAD "file: 1 0 cn.bdb\nend\n", HB_OK },
		{ HEAD "later: word\nfile: 1 0 cn.bdb\nend\n", HB_OK },
		{ HEAD "file: 1 0 cn.bdb\n", HB_ECORRUPT },
		{ HEAD "end\n", HB_ECORRUPT },
		{ HEAD "file: 1 0 ../cn.bdb\nend\n", HB_ECORRUPT },
		{ HEAD "file: 1 0 /cn.bdb\nend\n", HB_ECORRUPT },
		{ HEAD "file: 1 0 x/cn.bdb\nend\n", HB_ECORRUPT },
		{ HEAD "file: 1 0 log/x.bdb\nend\n", HB_ECORRUPT },
		{ HEAD "file: x 0 cn.bdb\nend\n", HB_ECORRUPT },
		{ HEAD "file: 1 cn.bdb\nend\n", HB_ECORRUPT },
		{ HEAD "time: now\nend\n", HB_ECORRUPT },
		{ HEAD "lsn: 1\nend\n", HB_ECORRUPT },
		{ HEAD "nonsense\nend\n", HB_ECORRUPT },
		{ "hornbeam backup 2\n", HB_EVERSION },
		{ "", HB_ECORRUPT },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++) {
		struct backup_text t;

		if (backup_text_parse(slice_of(v[i].text), "test", &t,
		    NULL) != v[i].rc)
			fail_msg("%s", v[i].text);
		backup_text_fini(&t);
	}
}

/* ---- pages ---- */

struct torn {
	const char *path;
	char a[PAGE], b[PAGE];		/* two states of page 1 */
	atomic_bool stop;
};

/* Writes one state after the other, each in pieces. */
static void *
tear(void *arg)
{
	struct torn *t = arg;
	int fd = open(t->path, O_RDWR);
	const char *p = t->b;

	assert_true(fd >= 0);
	while (!atomic_load(&t->stop)) {
		for (off_t at = 0; at < PAGE; at += PAGE / 4) {
			assert_int_equal(pwrite(fd, p + at, PAGE / 4,
			    PAGE + at), PAGE / 4);
			sched_yield();
		}
		p = p == t->a ? t->b : t->a;
	}
	close(fd);
	return NULL;
}

static void
read_page(const char *path, off_t number, char out[PAGE])
{
	int fd = open(path, O_RDONLY);

	assert_int_equal(pread(fd, out, PAGE, number * PAGE), PAGE);
	close(fd);
}

static void
put_value(const char *path, char fill, u_int32_t create)
{
	char value[500];
	DBT k = { .data = "key", .size = 3 };
	DBT d = { .data = value, .size = sizeof(value) };
	DB *db;

	memset(value, fill, sizeof(value));
	assert_int_equal(db_create(&db, NULL, 0), 0);
	if (create != 0) {
		assert_int_equal(db->set_flags(db, DB_CHKSUM), 0);
		assert_int_equal(db->set_pagesize(db, PAGE), 0);
	}
	assert_int_equal(db->open(db, NULL, path, NULL, DB_BTREE, create, 0600),
	    0);
	assert_int_equal(db->put(db, NULL, &k, &d, 0), 0);
	assert_int_equal(db->close(db, 0), 0);
}

static void
test_torn(void **state)
{
	struct fixture *f = *state;
	struct torn t = { .path = path_in(f, "torn.bdb") };
	const char *copy = path_in(f, "copy.bdb");
	char page[PAGE];
	pthread_t thread;

	put_value(t.path, 'a', DB_CREATE);
	read_page(t.path, 1, t.a);
	put_value(t.path, 'b', 0);
	read_page(t.path, 1, t.b);
	assert_memory_not_equal(t.a, t.b, PAGE);
	assert_int_equal(pthread_create(&thread, NULL, tear, &t), 0);
	for (unsigned i = 0; i < 300; i++) {
		(void)unlink(copy);
		if (backup_copy_pages(t.path, copy, 0600, NULL, &diag) !=
		    HB_OK)
			fail_msg("%s", diag.text);
		read_page(copy, 1, page);
		if (memcmp(page, t.a, PAGE) != 0 &&
		    memcmp(page, t.b, PAGE) != 0)
			fail_msg("copy %u is half old, half new", i);
	}
	atomic_store(&t.stop, true);
	pthread_join(thread, NULL);
}

static void
flip(const char *path, off_t at)
{
	int fd = open(path, O_RDWR);
	char c;

	assert_int_equal(pread(fd, &c, 1, at), 1);
	c ^= 1;
	assert_int_equal(pwrite(fd, &c, 1, at), 1);
	close(fd);
}

static void
test_wrong_page(void **state)
{
	struct fixture *f = *state;
	const char *path = path_in(f, "cn.bdb"), *copy = path_in(f, "c.bdb");

	assert_int_equal(backup_copy_pages(path, copy, 0600, NULL, &diag),
	    HB_OK);
	(void)unlink(copy);
	flip(path, PAGE + 100);
	assert_int_equal(backup_copy_pages(path, copy, 0600, NULL, &diag),
	    HB_ECORRUPT);
	assert_non_null(strstr(diag.text, "cn.bdb: page 1:"));
	diag_clear(&diag);
	write_file(path, "short", 5);
	assert_int_equal(backup_copy_pages(path, copy, 0600, NULL, &diag),
	    HB_EIO);
}

/* Without checksums, and with the key alone to tell them. */
static void
test_plain(void **state)
{
	static const struct { bool sums; const char *key; } v[] = {
		{ false, NULL }, { true, "a key" }
	};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct fixture *f = fixture_new(names, INDEXES), *to;
		struct tool_backup tb = { .check.opts.threads = 1 };
		struct tool_restore tr = { .check.opts.threads = 1 };

		f->conf.checksum = v[i].sums;
		f->conf.cryptkey = v[i].key != NULL ?
		    mem_strdup(v[i].key) : NULL;
		fixture_open(f);
		fill(f, PERSONS);
		fixture_close(f);
		tb.dir = tr.dir = path_in(f, "backup");
		if (store_tool_backup(&f->db, names, &tb, &diag) != HB_OK)
			fail_msg("%s", diag.text);
		to = fixture_new(names, INDEXES);
		to->conf.cryptkey = v[i].key != NULL ?
		    mem_strdup(v[i].key) : NULL;
		if (store_tool_restore(&to->db, names, &tr, &diag) != HB_OK)
			fail_msg("%s", diag.text);
		assert_int_equal(tr.check.entries, 3 + PERSONS);
		fixture_free(&f);
		fixture_free(&to);
	}
}

/* ---- logs ---- */

static void
test_hold(void **state)
{
	struct fixture *f = *state;
	int hold, second;
	DB_ENV *env;

	fixture_open(f);
	env = fixture_store(f)->env;
	assert_true(logs_remove(env, &f->conf));
	assert_int_equal(logs_hold(&f->conf, &hold, &diag), HB_OK);
	assert_int_equal(logs_hold(&f->conf, &second, &diag), HB_OK);
	assert_false(logs_remove(env, &f->conf));
	assert_int_equal(logs_keep(hold, 7, &diag), HB_OK);
	assert_int_equal(logs_kept(second), 7);
	logs_release(&hold);
	assert_false(logs_remove(env, &f->conf));
	assert_int_equal(logs_keep(second, 0, &diag), HB_OK);
	assert_int_equal(logs_kept(second), 0);
	logs_release(&second);
	assert_true(logs_remove(env, &f->conf));
	fixture_close(f);
}

/* ---- there and back ---- */

static int
backup(struct fixture *f, const char *dir, bool logs_only)
{
	struct tool_backup tb = {
		.check.opts = { .threads = 2, .memory = 64 << 20 },
		.dir = dir, .logs_only = logs_only, .keep = TOOL_KEEP
	};

	diag_clear(&diag);
	return store_tool_backup(&f->db, names, &tb, &diag);
}

static int
restore(struct fixture *f, const char *dir, struct tool_restore *tr)
{
	*tr = (struct tool_restore){
		.check.opts = { .threads = 2, .memory = 64 << 20 },
		.dir = dir
	};
	diag_clear(&diag);
	return store_tool_restore(&f->db, names, tr, &diag);
}

static char *
all(struct fixture *f)
{
	char *found;

	fixture_open(f);
	found = do_search(f, SUFFIX, LDAP_SCOPE_SUB, "(objectClass=*)", 0);
	fixture_close(f);
	return found;
}

static void
expect(struct fixture *f, const char *want)
{
	char *found = all(f);

	assert_string_equal(found, want);
	free(found);
}

static void
test_restore(void **state)
{
	struct fixture *f = *state, *to = fixture_new(names, INDEXES);
	const char *dir = path_in(f, "backup");
	struct tool_restore tr;
	char *before = all(f), *more;

	if (backup(f, dir, false) != HB_OK)
		fail_msg("%s", diag.text);
	assert_int_equal(backup(f, dir, false), HB_EEXISTS);
	if (restore(to, dir, &tr) != HB_OK)
		fail_msg("%s", diag.text);
	assert_int_equal(tr.check.entries, 3 + PERSONS);
	assert_string_equal(tr.aside, "");
	expect(to, before);
	/* more of it, in place of what is there */
	fixture_open(f);
	assert_int_equal(do_delete(f, "uid=user.3," PEOPLE), HB_OK);
	assert_int_equal(do_rename(f, PEOPLE, "ou=Persons", NULL), HB_OK);
	fixture_close(f);
	more = all(f);
	assert_string_not_equal(before, more);
	if (backup(f, dir, true) != HB_OK)
		fail_msg("%s", diag.text);
	if (restore(to, dir, &tr) != HB_OK)
		fail_msg("%s", diag.text);
	assert_int_equal(tr.check.entries, 2 + PERSONS);
	assert_string_not_equal(tr.aside, "");
	assert_int_equal(access(tr.aside, F_OK), 0);
	expect(to, more);
	/* who was restored goes his own way */
	assert_int_equal(backup(to, dir, true), HB_EINVAL);
	assert_non_null(strstr(diag.text, "new backup"));
	free(before);
	free(more);
	fixture_free(&to);
}

static void
test_refused(void **state)
{
	struct fixture *f = *state, *to = fixture_new(names, INDEXES);
	const char *dir = path_in(f, "backup");
	const char *file = path_in(f, "backup/dn2id.bdb");
	struct slapd_backend other = { .name = "other" };
	struct tool_restore tr;
	struct backup_text t;
	struct dn suffix = to->suffix;

	assert_int_equal(backup(f, dir, false), HB_OK);
	assert_int_equal(restore(to, f->dir, &tr), HB_ENOTFOUND);
	to->suffix = dn_of(to, &to->arena, "dc=other");
	assert_int_equal(restore(to, dir, &tr), HB_EINVAL);
	assert_non_null(strstr(diag.text, SUFFIX));
	to->suffix = suffix;
	{
		const struct slapd_backend *be = to->db.be;

		to->db.be = &other;
		assert_int_equal(restore(to, dir, &tr), HB_EINVAL);
		to->db.be = be;
	}
	fixture_open(to);
	assert_int_equal(restore(to, dir, &tr), HB_EINUSE);
	fixture_close(to);
	flip(file, PAGE + 7);
	assert_int_equal(restore(to, dir, &tr), HB_ECORRUPT);
	assert_non_null(strstr(diag.text, "dn2id.bdb"));
	/* as if it had been damaged before its sum was taken */
	assert_int_equal(backup_text_read(dir, &t, &diag), HB_OK);
	for (unsigned i = 0; i < t.nfiles; i++)
		if (strcmp(t.files[i].name, "dn2id.bdb") == 0)
			assert_int_equal(backup_sum_file(file,
			    &t.files[i].size, &t.files[i].crc, &diag), HB_OK);
	assert_int_equal(backup_text_write(&t, dir, &diag), HB_OK);
	backup_text_fini(&t);
	assert_int_not_equal(restore(to, dir, &tr), HB_OK);
	assert_string_equal(tr.aside, "");
	fixture_open(to);		/* as it was: empty */
	fixture_close(to);
	fixture_free(&to);
}

/* A copy that is not right gets no name. */
static void
test_damaged_source(void **state)
{
	struct fixture *f = *state;
	const char *dir = path_in(f, "backup");
	struct store *st;

	fixture_open(f);
	st = fixture_store(f);
	assert_int_equal(store_del(st, NULL, st->dn2id,
	    slice("N\0\0\0\0\0\0\0\6", 9)), HB_OK);
	fixture_close(f);
	if (backup(f, dir, false) != HB_ECORRUPT ||
	    strstr(diag.text, "slapcheck") == NULL)
		fail_msg("%s", diag.text);
	assert_int_not_equal(access(dir, F_OK), 0);
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
		T(test_sums), T(test_hole), cmocka_unit_test(test_log_names),
		T(test_text), cmocka_unit_test(test_bad_text), T(test_torn),
		T(test_wrong_page), cmocka_unit_test(test_plain), T(test_hold),
		T(test_restore), T(test_refused), T(test_damaged_source),
	};
	int failed = 0;

	for (int i = 0; i < 2; i++) {
		names = both[i];
		failed += cmocka_run_group_tests_name(names->name, tests, NULL,
		    NULL);
	}
	return failed;
}
