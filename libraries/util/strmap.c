/*
 * Map from text to pointer: open addressing, linear probing, at most 3/4 full.
 * See util/hash.h.
 */
#include <stdlib.h>
#include <string.h>

#include "util/hash.h"
#include "util/mem.h"

struct slot {
	uint64_t hash;
	char *key;		/* NULL: free */
	size_t len;
	void *value;
};

struct strmap {
	struct slot *slots;
	size_t mask, count;
	bool nocase;
};

struct strmap *
strmap_new(bool nocase)
{
	struct strmap *m = mem_zalloc(sizeof(*m));

	m->nocase = nocase;
	m->mask = 15;
	m->slots = mem_calloc(m->mask + 1, sizeof(*m->slots));
	return m;
}

void
strmap_free(struct strmap **map)
{
	size_t i;

	if (*map == NULL)
		return;
	for (i = 0; i <= (*map)->mask; i++)
		free((*map)->slots[i].key);
	free((*map)->slots);
	free(*map);
	*map = NULL;
}

static inline uint64_t
load(const char *p, size_t n)
{
	uint64_t w = 0;

	memcpy(&w, p, n);
	return w;
}

/* The 1..7 octets at P, each somewhere in the word. */
static inline uint64_t
load_short(const char *p, size_t n)
{
	if (n >= 4)
		return load(p, 4) << 32 | load(p + n - 4, 4);
	return (uint64_t)(uint8_t)p[0] << 16 |
	    (uint64_t)(uint8_t)p[n / 2] << 8 | (uint8_t)p[n - 1];
}

/*
 * Eight octets at a time. The case bit is set in all of them, letters or not:
 * what differs only there meets in one slot and is told apart by is_key().
 */
static uint64_t
hash_nocase(struct slice key)
{
	const uint64_t fold = 0x2020202020202020ULL;
	const char *p = key.ptr;
	size_t n = key.len;
	uint64_t h = n;

	for (; n > 8; n -= 8, p += 8)
		h = hash_u64(h ^ (load(p, 8) | fold));
	if (n > 0)
		h = hash_u64(h ^ ((n == 8 ? load(p, 8) : key.len > 8 ?
		    load(p + n - 8, 8) : load_short(p, n)) | fold));
	return h;
}

static inline uint64_t
hash_key(const struct strmap *m, struct slice key)
{
	return m->nocase ? hash_nocase(key) : hash_slice(key);
}

static inline bool
is_key(const struct strmap *m, const struct slot *s, uint64_t h,
    struct slice key)
{
	struct slice have = slice(s->key, s->len);

	return s->hash == h && (slice_is_eq(have, key) ||
	    (m->nocase && slice_is_eq_nocase(have, key)));
}

static struct slot *
find_slot(const struct strmap *m, uint64_t h, struct slice key)
{
	size_t i = h & m->mask;

	while (m->slots[i].key != NULL && !is_key(m, &m->slots[i], h, key))
		i = (i + 1) & m->mask;
	return &m->slots[i];
}

void *
strmap_find(const struct strmap *m, struct slice key)
{
	const struct slot *s = find_slot(m, hash_key(m, key), key);

	return s->key != NULL ? s->value : NULL;
}

static void
grow(struct strmap *m)
{
	struct slot *old = m->slots;
	size_t n = m->mask + 1, i;

	m->mask = n * 2 - 1;
	m->slots = mem_calloc(n * 2, sizeof(*m->slots));
	for (i = 0; i < n; i++) {
		if (old[i].key != NULL)
			*find_slot(m, old[i].hash,
			    slice(old[i].key, old[i].len)) = old[i];
	}
	free(old);
}

void *
strmap_set(struct strmap *m, struct slice key, void *value)
{
	uint64_t h = hash_key(m, key);
	struct slot *s = find_slot(m, h, key);
	void *old = NULL;

	if (s->key != NULL) {
		old = s->value;
		s->value = value;
		return old;
	}
	*s = (struct slot){ h, mem_slicedup(key), key.len, value };
	if (++m->count * 4 > (m->mask + 1) * 3)
		grow(m);
	return old;
}

/* Close the gap at I, so that no probe sequence is cut. */
static void
close_gap(struct strmap *m, size_t i)
{
	size_t j = i, home;

	for (;;) {
		m->slots[i].key = NULL;
		do {
			j = (j + 1) & m->mask;
			if (m->slots[j].key == NULL)
				return;
			home = m->slots[j].hash & m->mask;
		} while (i <= j ? (i < home && home <= j) :
		    (i < home || home <= j));
		m->slots[i] = m->slots[j];
		i = j;
	}
}

void *
strmap_remove(struct strmap *m, struct slice key)
{
	struct slot *s = find_slot(m, hash_key(m, key), key);
	void *old;

	if (s->key == NULL)
		return NULL;
	old = s->value;
	free(s->key);
	close_gap(m, (size_t)(s - m->slots));
	m->count--;
	return old;
}

size_t
strmap_count(const struct strmap *m)
{
	return m->count;
}

void
strmap_each(const struct strmap *m,
    void (*cb)(struct slice key, void *value, void *arg), void *arg)
{
	size_t i;

	for (i = 0; i <= m->mask; i++) {
		if (m->slots[i].key != NULL)
			cb(slice(m->slots[i].key, m->slots[i].len),
			    m->slots[i].value, arg);
	}
}
