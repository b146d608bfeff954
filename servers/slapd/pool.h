/*
 * Thread pool: work that may wait. Tasks are embedded in what they serve, so
 * that submitting allocates nothing. Each task belongs to a queue (one a
 * connection); the queues take turns, so that one with thousands of tasks
 * delays nobody else's. Threads are started when work finds none idle, up to
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
	/* OUT: a buffer of the thread, empty, to be left empty */
	void (*run)(struct pool_task *, struct buf *out);
};

/* Zeroed: empty. Guarded by the pool's lock; must outlive its tasks. */
struct pool_queue {
	struct pool_task *head, **tail;
	struct pool_queue *next;
};

/* MAX: threads that run tasks at once. */
struct pool *pool_new(unsigned max);
/* Runs what was submitted, then ends the threads. */
void pool_free(struct pool **);

/* Locks: takes LK_POOL. May be called by tasks. */
void pool_submit(struct pool *, struct pool_queue *, struct pool_task *);

/*
 * The calling task begins or ends to wait for a client: it does not count
 * against MAX meanwhile, so slow readers cannot use up the threads.
 */
void pool_wait_begin(struct pool *);
void pool_wait_end(struct pool *);

/* Wait until nothing is queued or running. */
void pool_drain(struct pool *);

#endif
