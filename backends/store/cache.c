/* Sharded cache: see cache.h. */
#include "backends/store/cache.h"

#include "util/mem.h"

#define SHARDS_MAX	64
#define SHARD_COUNT_MIN	16
#define BUCKETS_MIN	16
#define BRIEF_SHARE	8		/* one eighth of a shard is for new ones */

/* Few entries in all: few shards, so that each holds what it should. */
static unsigned
pick_shards(size_t count)
{
	unsigned n = SHARDS_MAX;

	while (count > 0 && n > 1 && count / n < SHARD_COUNT_MIN)
		n /= 2;
	return n;
}

void
cache_init(struct cache *c, size_t bytes, size_t count,
    bool (*is_key)(const struct cache_node *, const void *key),
    void (*drop)(struct cache_node *))
{
	c->nshards = pick_shards(count);
	c->max_bytes = bytes / c->nshards;
	c->max_count = count == 0 ? 0 : (count + c->nshards - 1) / c->nshards;
	c->is_key = is_key;
	c->drop = drop;
	c->shards = aligned_alloc(64, c->nshards * sizeof(*c->shards));
	hb_assert(c->shards != NULL);
	memset(c->shards, 0, c->nshards * sizeof(*c->shards));
	for (unsigned i = 0; i < c->nshards; i++) {
		struct cache_shard *s = &c->shards[i];

		lk_init(&s->lock, LK_CACHE, "store cache");
		s->nbuckets = BUCKETS_MIN;
		s->buckets = mem_calloc(BUCKETS_MIN, sizeof(*s->buckets));
	}
}

static struct cache_queue *
queue_of(struct cache_shard *s, const struct cache_node *n)
{
	return n->is_long ? &s->lasting : &s->brief;
}

static void
enqueue(struct cache_shard *s, struct cache_node *n)
{
	struct cache_queue *q = queue_of(s, n);

	n->next = NULL;
	n->prev = q->last;
	if (q->last != NULL)
		q->last->next = n;
	else
		q->first = n;
	q->last = n;
	if (!n->is_long)
		s->brief_bytes += n->size;
}

static void
dequeue(struct cache_shard *s, struct cache_node *n)
{
	struct cache_queue *q = queue_of(s, n);

	if (n->prev != NULL)
		n->prev->next = n->next;
	else
		q->first = n->next;
	if (n->next != NULL)
		n->next->prev = n->prev;
	else
		q->last = n->prev;
	if (!n->is_long)
		s->brief_bytes -= n->size;
}

static struct cache_node **
bucket_of(struct cache_shard *s, uint64_t hash)
{
	/* low bits choose the shard */
	return &s->buckets[hash >> 8 & (s->nbuckets - 1)];
}

static void
unlink_node(struct cache *c, struct cache_shard *s, struct cache_node *n)
{
	struct cache_node **at = bucket_of(s, n->hash);

	while (*at != n)
		at = &(*at)->chain;
	*at = n->chain;
	dequeue(s, n);
	s->bytes -= n->size;
	s->count--;
	c->drop(n);
}

static bool
is_over(const struct cache *c, const struct cache_shard *s)
{
	return s->bytes > c->max_bytes ||
	    (c->max_count != 0 && s->count > c->max_count);
}

/* A used node gets another round, at the end of the lasting queue. */
static void
spare(struct cache_shard *s, struct cache_node *n)
{
	dequeue(s, n);
	n->is_used = false;
	n->is_long = true;
	enqueue(s, n);
}

static void
shrink(struct cache *c, struct cache_shard *s)
{
	struct cache_node *n;

	while (is_over(c, s) && s->count > 1) {
		if (s->brief.first != NULL && (s->lasting.first == NULL ||
		    s->brief_bytes > s->bytes / BRIEF_SHARE))
			n = s->brief.first;
		else
			n = s->lasting.first;
		if (n->is_used)
			spare(s, n);
		else
			unlink_node(c, s, n);
	}
}

static void
grow_buckets(struct cache_shard *s)
{
	struct cache_node **old = s->buckets, *n, *next;
	uint32_t i, nold = s->nbuckets;

	s->nbuckets = nold * 2;
	s->buckets = mem_calloc(s->nbuckets, sizeof(*s->buckets));
	for (i = 0; i < nold; i++) {
		for (n = old[i]; n != NULL; n = next) {
			struct cache_node **at = bucket_of(s, n->hash);

			next = n->chain;
			n->chain = *at;
			*at = n;
		}
	}
	free(old);
}

static void
link_node(struct cache *c, struct cache_shard *s, struct cache_node *n)
{
	struct cache_node **at;

	/* each node looked at is a line of memory that no cache has */
	if (s->count >= s->nbuckets / 2)
		grow_buckets(s);
	at = bucket_of(s, n->hash);
	n->chain = *at;
	*at = n;
	n->is_used = n->is_long = false;
	enqueue(s, n);
	s->bytes += n->size;
	s->count++;
	shrink(c, s);
}

static struct cache_node *
look(struct cache *c, struct cache_shard *s, uint64_t hash, const void *key)
{
	struct cache_node *n;

	for (n = *bucket_of(s, hash); n != NULL; n = n->chain) {
		if (n->hash == hash && c->is_key(n, key))
			return n;
	}
	return NULL;
}

static void
forget(struct cache *c, struct cache_shard *s, uint64_t hash, const void *key)
{
	struct cache_node *n = look(c, s, hash, key);

	if (n != NULL)
		unlink_node(c, s, n);
}

static void
empty_shard(struct cache *c, struct cache_shard *s)
{
	while (s->brief.first != NULL)
		unlink_node(c, s, s->brief.first);
	while (s->lasting.first != NULL)
		unlink_node(c, s, s->lasting.first);
}

void
cache_fini(struct cache *c)
{
	for (unsigned i = 0; i < c->nshards; i++) {
		empty_shard(c, &c->shards[i]);
		free(c->shards[i].buckets);
		lk_fini(&c->shards[i].lock);
	}
	free(c->shards);
	c->shards = NULL;
	c->nshards = 0;
}

void
cache_stats(struct cache *c, struct cache_stats *sum_r)
{
	*sum_r = (struct cache_stats){ 0 };
	for (unsigned i = 0; i < c->nshards; i++) {
		struct cache_shard *s = &c->shards[i];

		lk_lock(&s->lock);
		sum_r->hits += s->hits;
		sum_r->misses += s->misses;
		sum_r->count += s->count;
		sum_r->bytes += s->bytes;
		lk_unlock(&s->lock);
	}
}

struct cache_shard *
cache_enter(struct cache *c, uint64_t hash)
{
	struct cache_shard *s = &c->shards[hash & (c->nshards - 1)];

	lk_lock(&s->lock);
	return s;
}

struct cache_node *
cache_find(struct cache *c, struct cache_shard *s, uint64_t hash,
    const void *key)
{
	struct cache_node *n = look(c, s, hash, key);

	if (n == NULL) {
		s->misses++;
		return NULL;
	}
	s->hits++;
	if (!n->is_used)
		n->is_used = true;
	return n;
}

bool
cache_put(struct cache *c, struct cache_node *node, uint64_t ticket,
    const void *key)
{
	struct cache_shard *s = cache_enter(c, node->hash);
	bool is_old = s->stamp != ticket || (ticket & 1) != 0;

	if (is_old || node->size > c->max_bytes / BRIEF_SHARE ||
	    look(c, s, node->hash, key) != NULL)
		c->drop(node);
	else
		link_node(c, s, node);
	cache_leave(s);
	return !is_old;
}

void
cache_change_begin(struct cache *c, uint64_t hash, const void *key)
{
	struct cache_shard *s = cache_enter(c, hash);

	if ((s->stamp & 1) == 0)
		s->stamp++;
	forget(c, s, hash, key);
	cache_leave(s);
}

void
cache_change_end(struct cache *c, uint64_t hash, const void *key,
    struct cache_node *node)
{
	struct cache_shard *s = cache_enter(c, hash);

	if ((s->stamp & 1) != 0)
		s->stamp++;
	/* an earlier change of the same commit may have put one */
	forget(c, s, hash, key);
	if (node != NULL && node->size > c->max_bytes / BRIEF_SHARE)
		c->drop(node);
	else if (node != NULL)
		link_node(c, s, node);
	cache_leave(s);
}

void
cache_change_done(struct cache *c, uint64_t hash)
{
	struct cache_shard *s = cache_enter(c, hash);

	if ((s->stamp & 1) != 0)
		s->stamp++;
	cache_leave(s);
}

void
cache_change_all_begin(struct cache *c)
{
	for (unsigned i = 0; i < c->nshards; i++) {
		struct cache_shard *s = cache_enter(c, i);

		if ((s->stamp & 1) == 0)
			s->stamp++;
		empty_shard(c, s);
		cache_leave(s);
	}
}

void
cache_change_all_end(struct cache *c)
{
	for (unsigned i = 0; i < c->nshards; i++) {
		struct cache_shard *s = cache_enter(c, i);

		if ((s->stamp & 1) != 0)
			s->stamp++;
		cache_leave(s);
	}
}
