/* What the store publishes of itself. */
#include "backends/store/cache.h"
#include "backends/store/env.h"
#include "util/mem.h"

static const struct {
	const char *name, *help;
} rows[COUNTERS] = {
	[COUNTER_ENTRY_HITS] = { "entryCacheHits", "entries found decoded" },
	[COUNTER_ENTRY_MISSES] = { "entryCacheMisses", "entries read" },
	[COUNTER_ENTRY_COUNT] = { "entryCacheEntries", "entries held" },
	[COUNTER_ENTRY_BYTES] = { "entryCacheBytes", "memory of them" },
	[COUNTER_NAME_HITS] = { "nameCacheHits", "names found" },
	[COUNTER_NAME_MISSES] = { "nameCacheMisses", "names read" },
	[COUNTER_NAME_COUNT] = { "nameCacheNames", "names held" },
	[COUNTER_CAND_HITS] = { "candidateCacheHits", "index keys found" },
	[COUNTER_CAND_MISSES] = { "candidateCacheMisses", "index keys read" },
	[COUNTER_CAND_BYTES] = { "candidateCacheBytes", "memory of sets" },
	[COUNTER_COMMITS] = { "commits", "transactions committed" },
	[COUNTER_FLUSHES] = { "logFlushes", "flushes of the log" },
	[COUNTER_DEADLOCKS] = { "deadlocks", "writes that were repeated" },
	[COUNTER_SCANS] = { "scans", "searches that read all entries" },
};

struct counter *
counters_new(void)
{
	struct counter *v = mem_calloc(COUNTERS, sizeof(*v));

	for (unsigned i = 0; i < COUNTERS; i++) {
		v[i].name = rows[i].name;
		v[i].help = rows[i].help;
	}
	return v;
}

static void
set(struct store *st, enum store_counter c, uint64_t value)
{
	atomic_store_explicit(&st->counters[c].value, value,
	    memory_order_relaxed);
}

const struct counter *
store_counters(struct be_db *db, unsigned *n_r)
{
	struct store *st = db->priv;
	struct cache_stats s;

	cache_stats(entry_cache_table(st->entries), &s);
	set(st, COUNTER_ENTRY_HITS, s.hits);
	set(st, COUNTER_ENTRY_MISSES, s.misses);
	set(st, COUNTER_ENTRY_COUNT, s.count);
	set(st, COUNTER_ENTRY_BYTES, s.bytes);
	cache_stats(name_cache_table(st->name_cache), &s);
	set(st, COUNTER_NAME_HITS, s.hits);
	set(st, COUNTER_NAME_MISSES, s.misses);
	set(st, COUNTER_NAME_COUNT, s.count);
	cache_stats(cand_cache_table(st->cands), &s);
	set(st, COUNTER_CAND_HITS, s.hits);
	set(st, COUNTER_CAND_MISSES, s.misses);
	set(st, COUNTER_CAND_BYTES, s.bytes);
	set(st, COUNTER_COMMITS, atomic_load(&st->commits));
	set(st, COUNTER_FLUSHES, st->flush == NULL ? 0 :
	    flush_count(st->flush));
	*n_r = COUNTERS;
	return st->counters;
}
