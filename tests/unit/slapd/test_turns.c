/* Long work takes turns, and leaves the pool's threads to short work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>

#include "servers/slapd/turns.h"

#define TASKS	6
#define STEPS	50

struct work {
	struct pool_task task;		/* first */
	struct pool_queue queue;
	struct work_turn turn;
	unsigned steps;			/* behind the free time */
};

static struct pool *pool;
static struct turns *turns;
static atomic_uint inside, most;
static sem_t done;

static void
pass(sem_t *s)
{
	while (sem_wait(s) != 0)
		;
}

static void
end(struct work *w)
{
	pool_leave(pool, &w->queue);
	sem_post(&done);
}

static void
count_in(void)
{
	unsigned n = atomic_fetch_add(&inside, 1) + 1, m = atomic_load(&most);

	while (n > m && !atomic_compare_exchange_weak(&most, &m, n))
		;
}

/* Each step is told that its time is up. */
static void
run_long(struct pool_task *t, struct buf *out)
{
	struct work *w = (struct work *)t;
	int64_t now = 1000;

	(void)out;
	turns_step(turns, &w->turn, now);
	assert_false(w->turn.has_place);
	turns_step(turns, &w->turn, now + TURN_FREE_US - 1);
	assert_false(w->turn.has_place);
	for (w->steps = 0; w->steps < STEPS; w->steps++) {
		w->turn.until_us = 1;
		if (w->steps > 0)
			atomic_fetch_sub(&inside, 1);
		turns_step(turns, &w->turn, now);
		count_in();
		assert_true(w->turn.has_place);
	}
	atomic_fetch_sub(&inside, 1);
	turns_end(turns, &w->turn);
	assert_false(w->turn.has_place);
	end(w);
}

static void
run_short(struct pool_task *t, struct buf *out)
{
	(void)out;
	end((struct work *)t);
}

static int
setup(void **state)
{
	(void)state;
	sem_init(&done, 0, 0);
	atomic_store(&inside, 0);
	atomic_store(&most, 0);
	pool = pool_new(TASKS);
	turns = turns_new(2, pool);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	pool_free(&pool);
	turns_free(&turns);
	sem_destroy(&done);
	return 0;
}

/* Never more than the places, and all come to their end. */
static void
test_places(void **state)
{
	struct work work[TASKS];

	(void)state;
	memset(work, 0, sizeof(work));
	for (unsigned i = 0; i < TASKS; i++) {
		work[i].task.run = run_long;
		pool_submit(pool, &work[i].queue, &work[i].task);
	}
	for (unsigned i = 0; i < TASKS; i++)
		pass(&done);
	for (unsigned i = 0; i < TASKS; i++)
		assert_int_equal(work[i].steps, STEPS);
	assert_in_range(atomic_load(&most), 1, 2);
}

static sem_t holding;

/* Takes a place and keeps it until the end. */
static void
run_holder(struct pool_task *t, struct buf *out)
{
	struct work *w = (struct work *)t;

	(void)out;
	w->turn.until_us = 1;
	turns_step(turns, &w->turn, 1000);
	sem_post(&done);
	pass(&holding);
	turns_end(turns, &w->turn);
	end(w);
}

static void
run_waiter(struct pool_task *t, struct buf *out)
{
	struct work *w = (struct work *)t;

	(void)out;
	w->turn.until_us = 1;
	turns_step(turns, &w->turn, 1000);
	turns_end(turns, &w->turn);
	end(w);
}

/* As many wait for a turn as there are threads: short work finds one still. */
static void
test_short_work(void **state)
{
	struct work work[3 + TASKS];
	unsigned i;

	(void)state;
	sem_init(&holding, 0, 0);
	memset(work, 0, sizeof(work));
	for (i = 0; i < 2; i++) {
		work[i].task.run = run_holder;
		pool_submit(pool, &work[i].queue, &work[i].task);
		pass(&done);
	}
	for (; i < 2 + TASKS; i++) {
		work[i].task.run = run_waiter;
		pool_submit(pool, &work[i].queue, &work[i].task);
	}
	work[i].task.run = run_short;
	pool_submit(pool, &work[i].queue, &work[i].task);
	pass(&done);
	for (i = 0; i < 2; i++)
		sem_post(&holding);
	for (i = 0; i < 2 + TASKS; i++)
		pass(&done);
	sem_destroy(&holding);
}

/* Alone, a task keeps its place and never waits. */
static void
test_alone(void **state)
{
	struct work_turn t = { 0, false, false };
	int64_t now = 1000;

	(void)state;
	for (unsigned i = 0; i < 100; i++, now += TURN_US / 2)
		turns_step(turns, &t, now);
	assert_true(t.has_place);
	turns_leave(turns, &t);
	assert_false(t.has_place);
	assert_true(t.is_aside);
	turns_step(turns, &t, now);
	assert_true(t.has_place);
	turns_end(turns, &t);
	assert_false(t.is_aside);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_places, setup, teardown),
		cmocka_unit_test_setup_teardown(test_short_work, setup,
		    teardown),
		cmocka_unit_test_setup_teardown(test_alone, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
