/*
 * A sharded hash table with bounded memory, under the entry, name and
 * candidate caches. One shard lock (rank CACHE) on each access, no allocation
 * on a hit.
 *
 * Replacement: what is new waits in a short queue and gets into the long one
 * only when it was used again meanwhile, so that a scan passes through the
 * short one and flushes nothing.
 *
 * Never stale: a reader that misses gets the shard's stamp, reads, and may put
 * what it read only if the stamp is still the same and even. The writer makes
 * it odd before its commit (dropping the old value) and even after it.
 */
#ifndef STORE_CACHE_H
#define STORE_CACHE_H

#include "backends/store/store_int.h"

/* A node's share of the table. */
#define CACHE_EXTRA	24

struct cache_node {			/* first member of what is cached */
	struct cache_node *chain;
	struct cache_node *prev, *next;
	uint64_t hash;
	uint32_t size;			/* bytes, as the allocator counts (mem_size()) */
	bool is_used, is_long;
};

struct cache_queue {
	struct cache_node *first, *last;	/* first: next to leave */
};

struct cache_shard {
	struct lk_mutex lock;		/* rank CACHE; guards the rest */
	uint64_t stamp;			/* odd: a commit is under way */
	struct cache_node **buckets;
	uint32_t nbuckets, count;
	struct cache_queue brief, lasting;
	size_t brief_bytes, bytes;
	uint64_t hits, misses;
} __attribute__((aligned(64)));

struct cache {
	/* set by cache_init(), never changed */
	struct cache_shard *shards;
	unsigned nshards;		/* power of two */
	size_t max_bytes, max_count;	/* of a shard; count 0: any */
	bool (*is_key)(const struct cache_node *, const void *key);
	void (*drop)(struct cache_node *);
};

struct cache_stats {
	uint64_t hits, misses, count, bytes;
};

/* Whole cache: BYTES; COUNT 0: as many as fit. */
void cache_init(struct cache *, size_t bytes, size_t count,
    bool (*is_key)(const struct cache_node *, const void *key),
    void (*drop)(struct cache_node *));
void cache_fini(struct cache *);
void cache_stats(struct cache *, struct cache_stats *sum_r);

/* Locks the shard of HASH. */
struct cache_shard *cache_enter(struct cache *, uint64_t hash);
static inline void
cache_leave(struct cache_shard *s)
{
	lk_unlock(&s->lock);
}
/* Locks: caller holds the shard. NULL: none; then s->stamp is the ticket. */
struct cache_node *cache_find(struct cache *, struct cache_shard *,
    uint64_t hash, const void *key);
/*
 * Take NODE (hash and size set) into the cache if nothing was committed to its
 * shard since TICKET, else drop it. False: something was committed.
 */
bool cache_put(struct cache *, struct cache_node *node, uint64_t ticket,
    const void *key);

/* The writer: KEY changes with the commit that follows. */
void cache_change_begin(struct cache *, uint64_t hash, const void *key);
/* It is committed (or failed). NODE is the new value; NULL: none. */
void cache_change_end(struct cache *, uint64_t hash, const void *key,
    struct cache_node *node);
/* The same where a change never brings a new value. */
void cache_change_done(struct cache *, uint64_t hash);
/* The same for everything. */
void cache_change_all_begin(struct cache *);
void cache_change_all_end(struct cache *);

/* ---- entry_cache.c ---- */

struct entry_cache *entry_cache_new(size_t bytes, size_t count);
void entry_cache_free(struct entry_cache **);
/* A reference; NULL: *TICKET_r for entry_cache_put(). */
struct entry *entry_cache_get(struct entry_cache *, entry_id,
    uint64_t *ticket_r);
/* False: something was committed to its shard since the ticket. */
bool entry_cache_put(struct entry_cache *, struct entry *, uint64_t ticket);
void entry_cache_change_begin(struct entry_cache *, entry_id);
/* E: the new entry, a reference is taken; NULL. */
void entry_cache_change_end(struct entry_cache *, entry_id, struct entry *e);
void entry_cache_all_begin(struct entry_cache *);
void entry_cache_all_end(struct entry_cache *);
struct cache *entry_cache_table(struct entry_cache *);

/* ---- name_cache.c: normalised DN -> ID ---- */

struct name_cache *name_cache_new(size_t bytes, size_t count);
void name_cache_free(struct name_cache **);
/* ENTRY_ID_NONE: none, *TICKET_r for name_cache_put(). */
entry_id name_cache_get(struct name_cache *, struct slice norm,
    uint64_t *ticket_r);
void name_cache_put(struct name_cache *, struct slice norm, entry_id,
    uint64_t ticket);
void name_cache_change_begin(struct name_cache *, struct slice norm);
/* ID NONE: there is no such name now. */
void name_cache_change_end(struct name_cache *, struct slice norm, entry_id);
void name_cache_all_begin(struct name_cache *);
void name_cache_all_end(struct name_cache *);
struct cache *name_cache_table(struct name_cache *);

/* ---- cand_cache.c (more of it in store_int.h) ---- */

struct cand_cache *cand_cache_new(size_t bytes, size_t count);
void cand_cache_free(struct cand_cache **);
void cand_cache_change_begin(struct cand_cache *, unsigned index,
    struct slice key);
void cand_cache_change_end(struct cand_cache *, unsigned index,
    struct slice key);
struct cache *cand_cache_table(struct cand_cache *);

#endif
