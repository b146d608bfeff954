/*
 * Turns of long work. Tasks of the pool that go on for more than TURN_FREE_US
 * share as many places as there are processors, for TURN_US each time. So a
 * dozen scans leave the machine to short work: few threads are runnable, and
 * few are interrupted in the middle of what somebody else waits for. They no
 * longer count among the pool's threads.
 */
#ifndef SLAPD_TURNS_H
#define SLAPD_TURNS_H

#include <stdbool.h>
#include <stdint.h>

#include "pool.h"

#define TURN_FREE_US	5000
#define TURN_US		1000

struct turns;

/* A task's; zeroed: it has not worked yet. Owned by the thread that runs it. */
struct work_turn {
	int64_t until_us;		/* time_mono_us(); 0: not begun */
	bool has_place;
	bool is_aside;			/* does not count in the pool */
};

/* PLACES: at least 1. POOL outlives it. */
struct turns *turns_new(unsigned places, struct pool *pool);
void turns_free(struct turns **);

/*
 * The task of T is about to do a step at NOW: waits for its turn if it had its
 * time. Thread of the pool; no lock held. Locks: takes LK_POOL.
 */
void turns_step(struct turns *, struct work_turn *t, int64_t now_us);
/*
 * The task is about to wait for a client: others may have its place, and its
 * thread. The next step waits for a turn.
 */
void turns_leave(struct turns *, struct work_turn *t);
/* The task ends. */
void turns_end(struct turns *, struct work_turn *t);

#endif
