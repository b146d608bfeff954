/* The thread pool: turns of queues, waiting for clients, the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>

#include "servers/slapd/pool.h"

struct work {
	struct pool_task task;		/* first */
	char name;
	struct pool_queue *queue;
};

static struct pool *pool;
static sem_t gate, waiting;		/* waiting: posted by each task */
static atomic_uint ran, running, most;
static char order[64];

static void
pass(sem_t *s)
{
	while (sem_wait(s) != 0)
		;
}

static void
leave(struct pool_task *t)
{
	pool_leave(pool, ((struct work *)t)->queue);
}

static void
submit(struct pool_queue *q, struct work *w)
{
	w->queue = q;
	pool_submit(pool, q, &w->task);
}

static void
run_record(struct pool_task *t, struct buf *out)
{
	unsigned n = atomic_fetch_add(&ran, 1);

	assert_int_equal(out->len, 0);
	order[n] = ((struct work *)t)->name;
	leave(t);
	sem_post(&waiting);
}

/* At the gate, counted. */
static void
run_gated(struct pool_task *t, struct buf *out)
{
	unsigned n = atomic_fetch_add(&running, 1) + 1;

	(void)out;
	if (n > atomic_load(&most))
		atomic_store(&most, n);
	sem_post(&waiting);
	pass(&gate);
	atomic_fetch_sub(&running, 1);
	atomic_fetch_add(&ran, 1);
	leave(t);
}

/* As one whose client does not read. */
static void
run_blocked(struct pool_task *t, struct buf *out)
{
	(void)out;
	pool_aside_begin(pool);
	sem_post(&waiting);
	pass(&gate);
	pool_aside_end(pool);
	atomic_fetch_add(&ran, 1);
	leave(t);
}

static int
set_up(void **state)
{
	(void)state;
	sem_init(&gate, 0, 0);
	sem_init(&waiting, 0, 0);
	atomic_store(&ran, 0);
	atomic_store(&running, 0);
	atomic_store(&most, 0);
	memset(order, 0, sizeof(order));
	return 0;
}

/* A queue of many tasks lets others have their turn. */
static void
test_turns(void **state)
{
	struct pool_queue first = { 0 }, a = { 0 }, b = { 0 };
	struct work stop = { .task.run = run_gated };
	struct work as[4], bs[2];

	(void)state;
	pool = pool_new(1);
	submit(&first, &stop);
	pass(&waiting);
	for (int i = 0; i < 4; i++) {
		as[i] = (struct work){ { NULL, run_record }, 'a', NULL };
		submit(&a, &as[i]);
	}
	for (int i = 0; i < 2; i++) {
		bs[i] = (struct work){ { NULL, run_record }, 'b', NULL };
		submit(&b, &bs[i]);
	}
	sem_post(&gate);
	pool_drain(pool);
	/* order[0] is of the gated one */
	assert_string_equal(order + 1, "ababaa");
	pool_free(&pool);
	assert_null(pool);
}

static void
test_limit(void **state)
{
	struct pool_queue q = { 0 };
	struct work tasks[8];

	(void)state;
	pool = pool_new(3);
	for (int i = 0; i < 8; i++) {
		tasks[i] = (struct work){ { NULL, run_gated }, 'x', NULL };
		submit(&q, &tasks[i]);
	}
	for (int i = 0; i < 3; i++)
		pass(&waiting);
	for (int i = 0; i < 8; i++)
		sem_post(&gate);
	pool_drain(pool);
	assert_int_equal(atomic_load(&ran), 8);
	assert_int_equal(atomic_load(&most), 3);
	pool_free(&pool);
}

/* Those that wait for clients take nobody's place. */
static void
test_blocked(void **state)
{
	struct pool_queue q = { 0 };
	struct work blocked[4], last = { { NULL, run_record }, 'l', NULL };

	(void)state;
	pool = pool_new(1);
	for (int i = 0; i < 4; i++) {
		blocked[i] = (struct work){ { NULL, run_blocked }, 'x', NULL };
		submit(&q, &blocked[i]);
	}
	for (int i = 0; i < 4; i++)
		pass(&waiting);
	assert_int_equal(atomic_load(&ran), 0);
	submit(&q, &last);
	pass(&waiting);
	assert_int_equal(order[0], 'l');
	for (int i = 0; i < 4; i++)
		sem_post(&gate);
	pool_drain(pool);
	assert_int_equal(atomic_load(&ran), 5);
	pool_free(&pool);
}

/* The end runs what is queued. */
static void
test_end(void **state)
{
	struct pool_queue q = { 0 };
	struct work stop = { .task.run = run_gated }, tasks[5];

	(void)state;
	pool = pool_new(1);
	pool_drain(pool);
	submit(&q, &stop);
	pass(&waiting);
	for (int i = 0; i < 5; i++) {
		tasks[i] = (struct work){ { NULL, run_record }, 'x', NULL };
		submit(&q, &tasks[i]);
	}
	sem_post(&gate);
	pool_free(&pool);
	assert_int_equal(atomic_load(&ran), 6);
	pool_free(&pool);
}

/* One queue never has all threads for itself. */
static void
test_queue_limit(void **state)
{
	struct pool_queue q = { 0 }, other = { 0 };
	struct work many[20], last = { { NULL, run_record }, 'l', NULL };

	(void)state;
	pool = pool_new(1);
	for (int i = 0; i < 20; i++) {
		many[i] = (struct work){ { NULL, run_blocked }, 'x', NULL };
		submit(&q, &many[i]);
	}
	for (int i = 0; i < 8; i++)
		pass(&waiting);
	submit(&other, &last);
	pass(&waiting);
	assert_int_equal(order[0], 'l');
	assert_int_not_equal(sem_trywait(&waiting), 0);
	for (int i = 0; i < 20; i++)
		sem_post(&gate);
	pool_drain(pool);
	assert_int_equal(atomic_load(&ran), 21);
	pool_free(&pool);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_turns, set_up),
		cmocka_unit_test_setup(test_limit, set_up),
		cmocka_unit_test_setup(test_blocked, set_up),
		cmocka_unit_test_setup(test_queue_limit, set_up),
		cmocka_unit_test_setup(test_end, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
