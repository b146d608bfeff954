/*
 * Hashes and hash tables. Hashing is xxHash's XXH3 (libxxhash). Tables are
 * not thread-safe.
 */
#ifndef UTIL_HASH_H
#define UTIL_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "util/api.h"
#include "util/slice.h"

/* Map from text to pointer, ASCII case ignored or not; keys are copied. */
struct strmap;

HB_API_BEGIN

uint64_t hash_bytes(const void *p, size_t n, uint64_t seed);
/* 128-bit hash of collision-resistant length for index keys; OUT 16 bytes, the same on every machine. */
void hash_strong(const void *p, size_t n, uint8_t out[16]);

static inline uint64_t
hash_slice(struct slice s)
{
	return hash_bytes(s.ptr, s.len, 0);
}

/* Mix of an integer key. */
static inline uint64_t
hash_u64(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ULL;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ULL;
	return x ^ x >> 32;
}

struct strmap *strmap_new(bool nocase);
void strmap_free(struct strmap **map);		/* not the values */
/* NULL if there is none. Lookup allocates nothing. */
void *strmap_find(const struct strmap *map, struct slice key);
/* Insert or replace; returns the value that was there or NULL. */
void *strmap_set(struct strmap *map, struct slice key, void *value);
void *strmap_remove(struct strmap *map, struct slice key);
size_t strmap_count(const struct strmap *map);
/* Visit all, in no particular order. */
void strmap_each(const struct strmap *map,
    void (*cb)(struct slice key, void *value, void *arg), void *arg);

HB_API_END

#endif
