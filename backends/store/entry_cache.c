/* Decoded entries by ID. */
#include "backends/store/cache.h"
#include "util/hash.h"
#include "util/mem.h"

struct entry_cache {
	struct cache table;
};

struct entry_node {
	struct cache_node node;
	struct entry *e;		/* a reference */
};

/* The same hash is the same ID: hash_u64() maps no two numbers to one. */
static bool
is_key(const struct cache_node *n, const void *key)
{
	(void)key;
	__builtin_prefetch(((const struct entry_node *)n)->e);
	return true;
}

static void
drop(struct cache_node *n)
{
	struct entry_node *en = (struct entry_node *)n;

	entry_unref(&en->e);
	free(en);
}

static struct cache_node *
new_node(struct entry *e)
{
	struct entry_node *en = mem_alloc(sizeof(*en));

	en->node.hash = hash_u64(e->id);
	en->node.size = (uint32_t)(mem_size(en) + mem_size(e) + CACHE_EXTRA);
	en->e = entry_ref(e);
	return &en->node;
}

struct entry_cache *
entry_cache_new(size_t bytes, size_t count)
{
	struct entry_cache *ec = mem_zalloc(sizeof(*ec));

	cache_init(&ec->table, bytes, count, is_key, drop);
	return ec;
}

void
entry_cache_free(struct entry_cache **cache)
{
	if (*cache == NULL)
		return;
	cache_fini(&(*cache)->table);
	free(*cache);
	*cache = NULL;
}

struct entry *
entry_cache_get(struct entry_cache *ec, entry_id id, uint64_t *ticket_r)
{
	uint64_t hash = hash_u64(id);
	struct cache_shard *s = cache_enter(&ec->table, hash);
	struct cache_node *n = cache_find(&ec->table, s, hash, &id);
	struct entry *e = NULL;

	if (n != NULL)
		e = entry_ref(((struct entry_node *)n)->e);
	*ticket_r = s->stamp;
	cache_leave(s);
	return e;
}

bool
entry_cache_put(struct entry_cache *ec, struct entry *e, uint64_t ticket)
{
	return cache_put(&ec->table, new_node(e), ticket, &e->id);
}

void
entry_cache_change_begin(struct entry_cache *ec, entry_id id)
{
	cache_change_begin(&ec->table, hash_u64(id), &id);
}

void
entry_cache_change_end(struct entry_cache *ec, entry_id id, struct entry *e)
{
	cache_change_end(&ec->table, hash_u64(id), &id,
	    e == NULL ? NULL : new_node(e));
}

void
entry_cache_all_begin(struct entry_cache *ec)
{
	cache_change_all_begin(&ec->table);
}

void
entry_cache_all_end(struct entry_cache *ec)
{
	cache_change_all_end(&ec->table);
}

struct cache *
entry_cache_table(struct entry_cache *ec)
{
	return &ec->table;
}
