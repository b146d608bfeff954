/*
 * Counters that backends publish: named 64-bit values, summed on reading.
 * Updating is one relaxed add; thread-safe.
 */
#ifndef SLAPD_MONITOR_H
#define SLAPD_MONITOR_H

#include <stdatomic.h>
#include <stdint.h>

struct counter {
	const char *name;		/* "entryCacheHits" */
	const char *help;
	atomic_uint_least64_t value;
};

static inline void
counter_add(struct counter *c, uint64_t n)
{
	atomic_fetch_add_explicit(&c->value, n, memory_order_relaxed);
}

static inline uint64_t
counter_get(const struct counter *c)
{
	return atomic_load_explicit(&((struct counter *)(uintptr_t)c)->value,
	    memory_order_relaxed);
}

/*
 * Latency histograms: counts of microseconds in buckets, four for each power of
 * two, so that a value is known to a fifth; the last one takes the rest.
 */
#define LATENCY_BUCKETS	112

static inline unsigned
latency_bucket(uint64_t us)
{
	unsigned log, i;

	if (us < 4)
		return (unsigned)us;
	log = 63 - (unsigned)__builtin_clzll(us);
	i = 4 * (log - 1) + (unsigned)(us >> (log - 2) & 3);
	return i < LATENCY_BUCKETS ? i : LATENCY_BUCKETS - 1;
}

/* The most that bucket I (but the last) counts. */
static inline uint64_t
latency_bucket_most(unsigned i)
{
	return i < 4 ? i : ((uint64_t)(i % 4 + 5) << (i / 4 - 1)) - 1;
}

#endif
