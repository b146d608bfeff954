/*
 * Thread pool: work that may wait. Tasks are embedded in what they serve, so
 * that submitting allocates nothing. Each task belongs to a queue (one a
 * connection); the queues take turns, and have a limited number of tasks
 * running, so that one with thousands of tasks delays nobody else's. Threads are started when work finds none idle, up to
 * the limit, and kept. Knows no operations.
 */
#ifndef SLAPD_POOL_H
#define SLAPD_POOL_H

#include <stdbool.h>

#include "util/buf.h"
#include "util/lock.h"

struct pool;

struct pool_task {
	struct pool_task *next;
	/* OUT: a buffer of the thread, empty, to be left empty. Calls pool_leave(). */
	void (*run)(struct pool_task *, struct buf *out);
};

/* Zeroed: empty. Guarded by the pool's lock; lives until its last task has left it. */
struct pool_queue {
	struct pool_task *head, **tail;
	struct pool_queue *next;
	unsigned nqueued, nrunning;
	bool listed;
};

/* MAX: threads that run tasks at once. */
struct pool *pool_new(unsigned max);
/* Runs what was submitted, then ends the threads. */
void pool_free(struct pool **);

/* Locks: takes LK_POOL. May be called by tasks. */
void pool_submit(struct pool *, struct pool_queue *, struct pool_task *);

/* The calling task, of queue Q, is as good as done; once each task. */
void pool_leave(struct pool *, struct pool_queue *);

/*
 * The calling task begins or ends to wait for a client, or to do long work
 * that others do not wait for: it does not count against MAX meanwhile, so
 * slow readers and scans cannot use up the threads. Not nested.
 */
void pool_aside_begin(struct pool *);
void pool_aside_end(struct pool *);

/* Wait until nothing is queued or running. */
void pool_drain(struct pool *);

#endif
