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

#endif
