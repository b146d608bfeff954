#include "turns.h"

#include <stdatomic.h>
#include <stddef.h>

#include "util/lock.h"
#include "util/mem.h"
#include "util/text.h"

/* Who waits, on his own stack, in order of arrival. */
struct waiter {
	struct lk_cond called;
	bool has_place;
	struct waiter *next;
};

struct turns {
	struct pool *pool;
	struct lk_mutex lock;		/* rank POOL; guards the rest */
	unsigned nfree;
	struct waiter *first, **last;
	atomic_uint nwaiting;		/* read without the lock, as a hint */
};

struct turns *
turns_new(unsigned places, struct pool *pool)
{
	struct turns *ts = mem_zalloc(sizeof(*ts));

	ts->pool = pool;
	ts->nfree = places;
	ts->last = &ts->first;
	lk_init(&ts->lock, LK_POOL, "turns");
	return ts;
}

void
turns_free(struct turns **tsp)
{
	struct turns *ts = *tsp;

	if (ts == NULL)
		return;
	lk_fini(&ts->lock);
	free(ts);
	*tsp = NULL;
}

/* Locks: takes ts->lock. */
static void
turns_give(struct turns *ts)
{
	struct waiter *w;

	lk_lock(&ts->lock);
	if ((w = ts->first) != NULL) {
		if ((ts->first = w->next) == NULL)
			ts->last = &ts->first;
		w->has_place = true;
		/* with the lock held: W is gone once its thread sees it */
		lk_cond_signal(&w->called);
	} else {
		ts->nfree++;
	}
	lk_unlock(&ts->lock);
}

/* Locks: caller holds ts->lock, which is released meanwhile. */
static void
turns_wait(struct turns *ts)
{
	struct waiter w = { .has_place = false };

	lk_cond_init(&w.called);
	*ts->last = &w;
	ts->last = &w.next;
	atomic_fetch_add_explicit(&ts->nwaiting, 1, memory_order_relaxed);
	while (!w.has_place)
		lk_cond_wait(&w.called, &ts->lock);
	atomic_fetch_sub_explicit(&ts->nwaiting, 1, memory_order_relaxed);
	lk_cond_fini(&w.called);
}

static void
turns_enter(struct turns *ts, struct work_turn *t)
{
	if (!t->is_aside)
		pool_aside_begin(ts->pool);
	t->is_aside = true;
	lk_lock(&ts->lock);
	if (ts->nfree > 0)
		ts->nfree--;
	else
		turns_wait(ts);
	lk_unlock(&ts->lock);
	t->has_place = true;
}

void
turns_step(struct turns *ts, struct work_turn *t, int64_t now_us)
{
	if (t->until_us == 0)
		t->until_us = now_us + TURN_FREE_US;
	if (now_us < t->until_us)
		return;
	if (t->has_place && atomic_load_explicit(&ts->nwaiting,
	    memory_order_relaxed) > 0) {
		turns_give(ts);
		t->has_place = false;
	}
	if (!t->has_place) {
		turns_enter(ts, t);
		now_us = time_mono_us();
	}
	t->until_us = now_us + TURN_US;
}

void
turns_leave(struct turns *ts, struct work_turn *t)
{
	if (!t->is_aside)
		pool_aside_begin(ts->pool);
	t->is_aside = true;
	if (t->has_place)
		turns_give(ts);
	t->has_place = false;
	/* the next step is due at once, without a free time */
	t->until_us = 1;
}

void
turns_end(struct turns *ts, struct work_turn *t)
{
	if (t->has_place)
		turns_give(ts);
	if (t->is_aside)
		pool_aside_end(ts->pool);
	*t = (struct work_turn){ 0, false, false };
}
