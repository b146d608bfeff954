/*
 * When requests are due at a fixed rate. A request that could not be sent when
 * it was due, because the server had not answered, keeps its due time, and its
 * latency counts from there: the wait that a slow server causes is measured
 * instead of left out.
 */
#ifndef BENCH_PACE_H
#define BENCH_PACE_H

#include <stdint.h>

struct pace {
	uint64_t start;			/* ns */
	uint64_t step;			/* ps between requests of all threads */
	uint64_t k, stride;		/* the next request; threads */
};

/*
 * Thread INDEX of THREADS sends request INDEX, INDEX + THREADS, ... of RATE a
 * second.
 */
void pace_init(struct pace *p, uint64_t start, double rate, unsigned index,
    unsigned threads);
/* When the next is due, and going on to the one after it. */
uint64_t pace_due(const struct pace *p);
void pace_next(struct pace *p);
/* How many are due before END and were not sent. */
uint64_t pace_unsent(const struct pace *p, uint64_t end);

#endif
