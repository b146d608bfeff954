/* util/mem.h: sizes that multiply, growing, copies. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/mem.h"

static void
sizes(void **state)
{
	char *p = mem_zalloc(100), *q = mem_calloc(10, 10);
	void *none = mem_alloc(0);
	size_t i;

	(void)state;
	assert_non_null(none);
	for (i = 0; i < 100; i++)
		assert_true(p[i] == 0 && q[i] == 0);
	p[99] = 7;
	p = mem_realloc(p, 1000);
	assert_int_equal(p[99], 7);
	assert_true(mem_size(p) >= 1000);
	mem_wipe(p, 1000);
	assert_int_equal(p[99], 0);
	mem_wipe(NULL, 0);
	free(p);
	free(q);
	free(none);
}

static void
grow(void **state)
{
	int *v = NULL, *same;
	size_t cap = 0, i;

	(void)state;
	for (i = 0; i < 1000; i++) {
		v = mem_grow(v, &cap, i + 1, sizeof(*v));
		assert_true(cap > i && cap < 2 * i + 16);
		v[i] = (int)i;
	}
	for (i = 0; i < 1000; i++)
		assert_int_equal(v[i], (int)i);
	same = mem_grow(v, &cap, 10, sizeof(*v));
	assert_ptr_equal(same, v);
	free(v);
}

static void
copies(void **state)
{
	char *a = mem_strdup("abc"), *b = mem_slicedup(slice("abcdef", 2));
	char *c = mem_slicedup(SLICE_NONE), *d = mem_printf("%d-%s", 7, "x");

	(void)state;
	assert_string_equal(a, "abc");
	assert_string_equal(b, "ab");
	assert_string_equal(c, "");
	assert_string_equal(d, "7-x");
	free(a);
	free(b);
	free(c);
	free(d);
}

/* More than the address space ends the process and is no short allocation. */
static void
too_much(void **state)
{
	int status;
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		size_t cap = 0;

		close(STDERR_FILENO);
		signal(SIGABRT, SIG_DFL);
		mem_grow(NULL, &cap, SIZE_MAX / 4, 16);
		_exit(0);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes),
		cmocka_unit_test(grow),
		cmocka_unit_test(copies),
		cmocka_unit_test(too_much),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
