/*
 * util/lock.h. lock.c is compiled in with the rank checks, whatever the
 * library was built with; what must abort does so in a child.
 */
#ifndef HB_LOCK_DEBUG
#define HB_LOCK_DEBUG
#endif
#include "../../../libraries/util/lock.c"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/text.h"

static struct lk_mutex upper, lower, other;
static struct lk_rwlock rw;
static struct lk_cond cond;

static void
in_order(void **state)
{
	(void)state;
	lk_lock(&upper);
	lk_rdlock(&rw);
	lk_lock(&lower);
	assert_true(lk_is_held(&upper) && lk_is_held(&rw));
	LK_ASSERT_HELD(&lower);
	/* releases may come in any order */
	lk_unlock(&upper);
	assert_false(lk_is_held(&upper));
	assert_true(lk_is_held(&lower));
	lk_unlock(&lower);
	lk_rw_unlock(&rw);
	lk_wrlock(&rw);
	lk_rw_unlock(&rw);
	lk_assert_none();
}

static void
trying(void **state)
{
	(void)state;
	lk_lock(&lower);
	assert_true(lk_try(&upper));	/* exempt from the order */
	assert_true(lk_is_held(&upper));
	assert_false(lk_try(&lower));
	lk_unlock(&upper);
	lk_unlock(&lower);
	lk_assert_none();
}

static void
wrong_order(void)
{
	lk_lock(&lower);
	lk_lock(&upper);
}

static void
wrong_order_rw(void)
{
	lk_lock(&lower);
	lk_rdlock(&rw);
}

static void
same_rank(void)
{
	lk_lock(&lower);
	lk_lock(&other);
}

static void
taken_twice(void)
{
	lk_lock(&lower);
	lk_lock(&lower);
}

static void
released_twice(void)
{
	lk_lock(&lower);
	lk_unlock(&lower);
	lk_unlock(&lower);
}

static void
io_with_lock(void)
{
	lk_lock(&lower);
	lk_assert_none();
}

static void
wait_with_two(void)
{
	lk_lock(&upper);
	lk_lock(&lower);
	lk_cond_wait(&cond, &lower);
}

static void
not_held(void)
{
	LK_ASSERT_HELD(&lower);
}

static void
aborts(void **state)
{
	static void (*const wrong[])(void) = { wrong_order, wrong_order_rw,
		same_rank, taken_twice, released_twice, io_with_lock,
		wait_with_two, not_held };
	size_t i;
	int status;

	(void)state;
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		pid_t pid = fork();

		if (pid == 0) {
			close(STDERR_FILENO);
			signal(SIGABRT, SIG_DFL);
			alarm(10);
			wrong[i]();
			_exit(0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status) &&
		    WTERMSIG(status) == SIGABRT);
	}
}

static unsigned long counter;
static bool go;

static void *
worker(void *arg)
{
	unsigned i;

	lk_lock(&lower);
	while (!go)
		lk_cond_wait(&cond, &lower);
	lk_unlock(&lower);
	for (i = 0; i < 10000; i++) {
		lk_lock(&lower);
		counter++;
		lk_unlock(&lower);
	}
	return arg;
}

static void
threads(void **state)
{
	pthread_t t[4];
	unsigned i;

	(void)state;
	for (i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&t[i], NULL, worker, NULL), 0);
	lk_lock(&lower);
	go = true;
	lk_cond_broadcast(&cond);
	lk_unlock(&lower);
	for (i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	assert_int_equal(counter, 40000);
}

static void
timeouts(void **state)
{
	static const int64_t ms[] = { 0, -1, -5000, 5, 20 };
	int64_t start;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(ms) / sizeof(ms[0]); i++) {
		start = time_mono_us();
		lk_lock(&lower);
		/* nobody signals: only a spurious wake-up is true */
		while (lk_cond_timedwait(&cond, &lower, ms[i]))
			;
		assert_true(lk_is_held(&lower));
		lk_unlock(&lower);
		assert_true(time_mono_us() - start >= ms[i] * 1000);
	}
	lk_cond_signal(&cond);
}

static int
setup(void **state)
{
	(void)state;
	lk_init(&upper, LK_CONN, "upper");
	lk_init(&lower, LK_LEAF, "lower");
	lk_init(&other, LK_LEAF, "other");
	lk_rw_init(&rw, LK_SCHEMA, "rw");
	lk_cond_init(&cond);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	lk_fini(&upper);
	lk_fini(&lower);
	lk_fini(&other);
	lk_rw_fini(&rw);
	lk_cond_fini(&cond);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_order),
		cmocka_unit_test(trying),
		cmocka_unit_test(aborts),
		cmocka_unit_test(threads),
		cmocka_unit_test(timeouts),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
