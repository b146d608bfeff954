/*
 * What is counted and what the stats level logs. A thread counts into the
 * struct stats of its loop (pool threads: of the server), so that no line of
 * memory is fought for; readers sum them up.
 */
#ifndef SLAPD_STATS_H
#define SLAPD_STATS_H

#include <stdatomic.h>
#include <stdint.h>

#include "slapd/monitor.h"
#include "slapd/op.h"
#include "util/log.h"

struct fop;
struct server;

struct stats {
	atomic_uint_least64_t initiated[OP_KINDS], completed[OP_KINDS];
	atomic_uint_least64_t entries, references, bytes, pdus;
	atomic_uint_least64_t connections;
	/* from the turn in which it was read to its answer (monitor.h) */
	atomic_uint_least64_t latency[OP_KINDS][LATENCY_BUCKETS];
};

static inline void
stats_add(atomic_uint_least64_t *counter, uint64_t n)
{
	atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

/* The same for a struct that only the calling thread writes. */
static inline void
stats_add_own(atomic_uint_least64_t *counter, uint64_t n)
{
	atomic_store_explicit(counter, n + atomic_load_explicit(counter,
	    memory_order_relaxed), memory_order_relaxed);
}

/* Sums over all threads, of this moment. */
struct stats_sum {
	uint64_t initiated[OP_KINDS], completed[OP_KINDS];
	uint64_t entries, references, bytes, pdus, connections;
	uint64_t latency[OP_KINDS][LATENCY_BUCKETS];
};
void stats_sum(const struct server *, struct stats_sum *sum_r);
/* Microseconds that PERMILLE of the operations of KIND took at most; 0: none ran. */
uint64_t stats_latency(const struct stats_sum *, enum op_kind kind,
    unsigned permille);

/* Lines of the stats level; they look at the level themselves. */
static inline bool
stats_is_on(void)
{
	return log_is_on(LOG_STATS);
}
/* "conn=N op=M " and FMT. */
void stats_op(const struct op *, int level, const char *fmt, ...)
    HB_PRINTF(3, 4);
void stats_search(const struct fop *);
void stats_mod_attrs(const struct fop *);
/* The RESULT line. */
void stats_result(const struct fop *, enum ldap_result code,
    struct slice text);

#endif
