/* IDs by normalised DN. */
#include "backends/store/cache.h"
#include "util/hash.h"
#include "util/mem.h"

struct name_cache {
	struct cache table;
};

struct name_node {
	struct cache_node node;
	entry_id id;
	uint32_t len;
	char norm[];
};

static bool
is_key(const struct cache_node *n, const void *key)
{
	const struct name_node *nn = (const struct name_node *)n;

	return slice_is_eq(slice(nn->norm, nn->len),
	    *(const struct slice *)key);
}

static void
drop(struct cache_node *n)
{
	free(n);
}

static struct cache_node *
new_node(struct slice norm, uint64_t hash, entry_id id)
{
	struct name_node *nn = mem_alloc(sizeof(*nn) + norm.len);

	nn->node.hash = hash;
	nn->node.size = (uint32_t)(mem_size(nn) + CACHE_EXTRA);
	nn->id = id;
	nn->len = (uint32_t)norm.len;
	if (norm.len > 0)
		memcpy(nn->norm, norm.ptr, norm.len);
	return &nn->node;
}

struct name_cache *
name_cache_new(size_t bytes, size_t count)
{
	struct name_cache *nc = mem_zalloc(sizeof(*nc));

	cache_init(&nc->table, bytes, count, is_key, drop);
	return nc;
}

void
name_cache_free(struct name_cache **cache)
{
	if (*cache == NULL)
		return;
	cache_fini(&(*cache)->table);
	free(*cache);
	*cache = NULL;
}

entry_id
name_cache_get(struct name_cache *nc, struct slice norm, uint64_t *ticket_r)
{
	uint64_t hash = hash_slice(norm);
	struct cache_shard *s = cache_enter(&nc->table, hash);
	struct cache_node *n = cache_find(&nc->table, s, hash, &norm);
	entry_id id = ENTRY_ID_NONE;

	if (n != NULL)
		id = ((struct name_node *)n)->id;
	*ticket_r = s->stamp;
	cache_leave(s);
	return id;
}

void
name_cache_put(struct name_cache *nc, struct slice norm, entry_id id,
    uint64_t ticket)
{
	cache_put(&nc->table, new_node(norm, hash_slice(norm), id), ticket,
	    &norm);
}

void
name_cache_change_begin(struct name_cache *nc, struct slice norm)
{
	cache_change_begin(&nc->table, hash_slice(norm), &norm);
}

void
name_cache_change_end(struct name_cache *nc, struct slice norm, entry_id id)
{
	uint64_t hash = hash_slice(norm);

	cache_change_end(&nc->table, hash, &norm,
	    id == ENTRY_ID_NONE ? NULL : new_node(norm, hash, id));
}

void
name_cache_all_begin(struct name_cache *nc)
{
	cache_change_all_begin(&nc->table);
}

void
name_cache_all_end(struct name_cache *nc)
{
	cache_change_all_end(&nc->table);
}

struct cache *
name_cache_table(struct name_cache *nc)
{
	return &nc->table;
}
