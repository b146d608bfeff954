/*
 * Sets of candidates by index and key. Empty sets are kept too: what is not
 * there is asked for often (logins that fail).
 */
#include "backends/store/cache.h"
#include "util/hash.h"
#include "util/mem.h"

struct cand_cache {
	struct cache table;
};

struct cand_node {
	struct cache_node node;
	struct idset ids;
	unsigned index;
	uint32_t len;
	char key[];
};

struct cand_key {
	unsigned index;
	struct slice key;
};

static bool
is_key(const struct cache_node *n, const void *key)
{
	const struct cand_node *cn = (const struct cand_node *)n;
	const struct cand_key *k = key;

	return cn->index == k->index &&
	    slice_is_eq(slice(cn->key, cn->len), k->key);
}

static void
drop(struct cache_node *n)
{
	idset_fini(&((struct cand_node *)n)->ids);
	free(n);
}

static uint64_t
hash_of(const struct cand_key *k)
{
	return hash_bytes(k->key.ptr, k->key.len, k->index);
}

struct cand_cache *
cand_cache_new(size_t bytes, size_t count)
{
	struct cand_cache *cc = mem_zalloc(sizeof(*cc));

	cache_init(&cc->table, bytes, count, is_key, drop);
	return cc;
}

void
cand_cache_free(struct cand_cache **cache)
{
	if (*cache == NULL)
		return;
	cache_fini(&(*cache)->table);
	free(*cache);
	*cache = NULL;
}

bool
cand_cache_find(struct store *st, unsigned index, struct slice key,
    struct idset *ids_r, uint64_t *ticket_r)
{
	struct cand_key k = { index, key };
	struct cache *table = &st->cands->table;
	uint64_t hash = hash_of(&k);
	struct cache_shard *s = cache_enter(table, hash);
	struct cache_node *n = cache_find(table, s, hash, &k);

	if (n != NULL)
		idset_copy(ids_r, &((struct cand_node *)n)->ids);
	*ticket_r = s->stamp;
	cache_leave(s);
	return n != NULL;
}

void
cand_cache_put(struct store *st, unsigned index, struct slice key,
    const struct idset *ids, uint64_t ticket)
{
	struct cand_key k = { index, key };
	struct cand_node *cn = mem_alloc(sizeof(*cn) + key.len);

	cn->node.hash = hash_of(&k);
	idset_init(&cn->ids);
	idset_copy(&cn->ids, ids);
	cn->index = index;
	cn->len = (uint32_t)key.len;
	memcpy(cn->key, key.ptr, key.len);
	cn->node.size = (uint32_t)(mem_size(cn) + idset_memory(ids) +
	    CACHE_EXTRA);
	cache_put(&st->cands->table, &cn->node, ticket, &k);
}

void
cand_cache_change_begin(struct cand_cache *cc, unsigned index,
    struct slice key)
{
	struct cand_key k = { index, key };

	cache_change_begin(&cc->table, hash_of(&k), &k);
}

void
cand_cache_change_end(struct cand_cache *cc, unsigned index, struct slice key)
{
	struct cand_key k = { index, key };

	cache_change_done(&cc->table, hash_of(&k));
}

struct cache *
cand_cache_table(struct cand_cache *cc)
{
	return &cc->table;
}
