/*
 * Histogram of latencies in nanoseconds: 64 buckets to each power of two, so
 * what it tells is within 1/128 of the truth. Fixed size, no allocation. Each
 * thread has its own; they are added up at the end.
 */
#ifndef BENCH_HIST_H
#define BENCH_HIST_H

#include <stdint.h>

#define HIST_SUB_BITS	6
#define HIST_SUB	(1u << HIST_SUB_BITS)
#define HIST_MAX_BITS	42		/* longest: 73 minutes */
#define HIST_BUCKETS	((HIST_MAX_BITS - HIST_SUB_BITS + 1) * HIST_SUB)

struct hist {
	uint64_t count, sum, max;
	uint64_t bucket[HIST_BUCKETS];
};

/* Number of the bucket of V; what is longer than the longest is in the last. */
unsigned hist_index(uint64_t v);
/* Smallest value of bucket I, and the first value above it. */
uint64_t hist_low(unsigned i);
uint64_t hist_high(unsigned i);

void hist_add(struct hist *h, uint64_t v);
void hist_merge(struct hist *into, const struct hist *from);
/*
 * The value that PERCENT of all are not above (nearest rank): the middle of its
 * bucket, and never above the maximum. 0 without values.
 */
uint64_t hist_percentile(const struct hist *h, double percent);
double hist_mean(const struct hist *h);

/*
 * Latencies in coarser buckets, four to each power of two: calls CB for each
 * from the first to the last that is not empty.
 */
typedef void (*hist_walk_cb)(void *arg, uint64_t low, uint64_t high,
    uint64_t count);
void hist_walk(const struct hist *h, hist_walk_cb cb, void *arg);

#endif
