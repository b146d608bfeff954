/* util/log.h: levels, and lines as the debug output shows them. */
#include <ctype.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/err.h"
#include "util/log.h"

static void
levels(void **state)
{
	static const struct {
		const char *text;
		int rc, mask;
	} cases[] = {
		{ "0", HB_OK, 0 }, { "256", HB_OK, 256 },
		{ "0x104", HB_OK, 0x104 }, { "-1", HB_OK, -1 },
		{ "any", HB_OK, -1 }, { "ANY", HB_OK, -1 },
		{ "stats", HB_OK, 256 }, { "Stats,conns", HB_OK, 264 },
		{ "stats,8", HB_OK, 264 }, { "none", HB_OK, 32768 },
		{ "4294967295", HB_OK, -1 },
		{ "", HB_EINVAL, 77 }, { "stat", HB_EINVAL, 77 },
		{ "stats,", HB_EINVAL, 77 }, { "stats conns", HB_EINVAL, 77 },
		{ "4294967296", HB_EINVAL, 77 },
	};
	struct diag diag;
	size_t i;
	int mask;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		mask = 77;
		diag_clear(&diag);
		assert_int_equal(log_parse_level(cases[i].text, &mask, &diag),
		    cases[i].rc);
		assert_int_equal(mask, cases[i].mask);
		assert_int_equal(diag.text[0] != '\0', cases[i].rc != HB_OK);
		assert_int_equal(log_parse_level(cases[i].text, &mask, NULL),
		    cases[i].rc);
	}
	assert_non_null(strstr(diag.text, "stats2"));
	assert_string_equal(log_level_name(0, &mask, NULL), "trace");
	assert_int_equal(mask, 1);
	for (i = 0; log_level_name((unsigned)i, NULL, NULL) != NULL; i++)
		;
	assert_int_equal(i, 14);
}

static void
set_masks(int syslog, int debug)
{
	atomic_store(&log_syslog_mask, syslog);
	atomic_store(&log_debug_mask, debug);
}

static void
is_on(void **state)
{
	(void)state;
	set_masks(0, 0);
	assert_false(log_is_on(LOG_ANY));
	assert_false(log_is_on(LOG_STATS));
	set_masks(LOG_STATS, 0);
	assert_true(log_is_on(LOG_ANY));
	assert_true(log_is_on(LOG_STATS));
	assert_false(log_is_on(LOG_CONNS));
	set_masks(LOG_NONE, LOG_CONNS);
	assert_true(log_is_on(LOG_CONNS));
	set_masks(0, 0);
}

static void
facilities(void **state)
{
	(void)state;
	assert_int_equal(log_open("slapd", "LOCAL4"), HB_OK);
	assert_int_equal(log_open("slapd", "daemon"), HB_OK);
	assert_int_equal(log_open("slapd", "LOCAL9"), HB_EINVAL);
	log_close();
}

/* Log to PATH and to stderr, both of which end in files. */
static size_t
read_file(const char *path, char *out, size_t size)
{
	FILE *f = fopen(path, "r");
	size_t n;

	assert_non_null(f);
	n = fread(out, 1, size - 1, f);
	fclose(f);
	out[n] = '\0';
	return n;
}

static void
check_lines(char *text)
{
	static const char *const want[] = { "one 1", "any", "f: line 3: d" };
	char *line, *save = NULL;
	unsigned n = 0, i;

	for (line = strtok_r(text, "\n", &save); line != NULL;
	    line = strtok_r(NULL, "\n", &save)) {
		assert_true(n < 3);
		for (i = 0; i < 8; i++)
			assert_true(isxdigit((unsigned char)line[i]) &&
			    !isupper((unsigned char)line[i]));
		assert_int_equal(line[8], ' ');
		assert_string_equal(line + 9, want[n]);
		n++;
	}
	assert_int_equal(n, 3);
}

static void
lines(void **state)
{
	char path[] = "/tmp/test_log.XXXXXX", err[] = "/tmp/test_log.XXXXXX";
	struct diag d = { "f", 3, "d" }, diag = DIAG_INIT;
	char text[4096];
	int saved = dup(STDERR_FILENO), fd = mkstemp(err);

	(void)state;
	close(mkstemp(path));
	dup2(fd, STDERR_FILENO);
	set_masks(0, LOG_STATS);
	assert_int_equal(log_set_file(path, &diag), HB_OK);
	log_printf(LOG_STATS, "one %d", 1);
	log_printf(LOG_CONNS, "not wanted");
	log_printf(LOG_ANY, "any");
	log_reopen();
	log_diag(&d);
	assert_int_equal(log_set_file("/nonexistent/x", &diag), HB_EIO);
	assert_non_null(strstr(diag.text, "/nonexistent/x"));
	log_close();
	set_masks(0, 0);
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(fd);
	read_file(path, text, sizeof(text));
	check_lines(text);
	read_file(err, text, sizeof(text));
	check_lines(text);
	unlink(path);
	unlink(err);
}

/* A message longer than a line is cut, and is one line still. */
static void
long_line(void **state)
{
	static char text[20000], big[16000];
	char path[] = "/tmp/test_log.XXXXXX";
	int saved = dup(STDERR_FILENO), fd = mkstemp(path);
	size_t n;

	(void)state;
	memset(big, 'x', sizeof(big) - 1);
	dup2(fd, STDERR_FILENO);
	set_masks(0, LOG_STATS);
	log_printf(LOG_STATS, "%s", big);
	set_masks(0, 0);
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(fd);
	n = read_file(path, text, sizeof(text));
	assert_true(n > 8000 && n < 9000);
	assert_ptr_equal(strchr(text, '\n'), text + n - 1);
	unlink(path);
}

/* What ends the process is said whatever the masks are. */
static void
fatal(void **state)
{
	char text[256];
	int status, p[2];
	pid_t pid;
	ssize_t n;

	(void)state;
	assert_int_equal(pipe(p), 0);
	if ((pid = fork()) == 0) {
		dup2(p[1], STDERR_FILENO);
		signal(SIGABRT, SIG_DFL);
		log_fatal("the end: %d", 5);
	}
	close(p[1]);
	n = read(p[0], text, sizeof(text) - 1);
	close(p[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	assert_true(n > 9);
	text[n] = '\0';
	assert_string_equal(text + 9, "the end: 5\n");
}

/* ---- the queue ---- */

#define WRITERS	4
#define EACH	20000

static void *
write_many(void *arg)
{
	for (int i = 0; i < EACH; i++)
		log_printf(LOG_STATS, "w%d %d", (int)(intptr_t)arg, i);
	return NULL;
}

static atomic_int baton;

/* Two threads write in turn: what came first stands first. */
static void *
write_in_turn(void *arg)
{
	int me = (int)(intptr_t)arg;

	for (int i = 0; i < 200; i++) {
		while (atomic_load(&baton) != 2 * i + me)
			;
		log_printf(LOG_STATS, "turn %d", 2 * i + me);
		atomic_store(&baton, 2 * i + me + 1);
	}
	return NULL;
}

static void
run_two(void *(*work)(void *), int n)
{
	pthread_t threads[WRITERS];

	for (intptr_t i = 0; i < n; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, work,
		    (void *)i), 0);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

/* Each writer's numbers grow; what is missing is told. */
static void
check_queued(FILE *f)
{
	int next[WRITERS] = { 0 }, turn = 0, w, n;
	unsigned long long lost = 0, seen = 0, dropped;
	char line[256];

	while (fgets(line, sizeof(line), f) != NULL) {
		if (sscanf(line + 9, "w%d %d", &w, &n) == 2) {
			assert_in_range(w, 0, WRITERS - 1);
			assert_true(n >= next[w]);
			next[w] = n + 1;
			seen++;
		} else if (sscanf(line + 9, "turn %d", &n) == 1) {
			assert_int_equal(n, turn++);
		} else if (strstr(line, "at once") != NULL) {
			assert_int_equal(turn, 400);
		} else {
			assert_int_equal(sscanf(line + 9,
			    "%llu log lines were dropped", &dropped), 1);
			lost += dropped;
		}
	}
	assert_int_equal(turn, 400);
	assert_int_equal(seen + lost, (unsigned long long)WRITERS * EACH);
	assert_true(seen > 0);
}

static void
queued(void **state)
{
	char path[] = "/tmp/test_log.XXXXXX";
	int saved = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY);
	struct diag diag = DIAG_INIT;
	FILE *f;

	(void)state;
	close(mkstemp(path));
	dup2(null, STDERR_FILENO);
	set_masks(0, LOG_STATS);
	assert_int_equal(log_set_file(path, &diag), HB_OK);
	assert_int_equal(log_start_queue(&diag), HB_OK);
	run_two(write_in_turn, 2);
	/* behind all before it, and there when the call returns */
	log_printf(LOG_ANY, "at once");
	f = fopen(path, "r");
	assert_non_null(f);
	for (int i = 0; i < 401; i++) {
		char line[64];

		assert_non_null(fgets(line, sizeof(line), f));
	}
	rewind(f);
	run_two(write_many, WRITERS);
	log_stop_queue();
	check_queued(f);
	fclose(f);
	log_printf(LOG_STATS, "without a queue");
	log_close();
	set_masks(0, 0);
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(null);
	unlink(path);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels),
		cmocka_unit_test(is_on),
		cmocka_unit_test(facilities),
		cmocka_unit_test(lines),
		cmocka_unit_test(long_line),
		cmocka_unit_test(fatal),
		cmocka_unit_test(queued),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
