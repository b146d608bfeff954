/*
 * Arena: memory of one operation, given back all at once. Not thread-safe:
 * one owner at a time. Blocks are kept over a reset up to a keep size, so a
 * steady operation mix allocates nothing from the heap.
 */
#ifndef UTIL_ARENA_H
#define UTIL_ARENA_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "util/api.h"
#include "util/slice.h"

struct arena_block;

struct arena {
	char *pos, *end;		/* free part of the current block */
	struct arena_block *blocks;	/* current one first */
	size_t used;			/* bytes of all blocks */
	size_t limit;			/* 0: none */
};

HB_API_BEGIN

/* LIMIT: bytes that may be held at once, 0 for no limit. Allocates nothing. */
void arena_init(struct arena *a, size_t limit);
/* Free all memory; the arena may be used again. Accepts a zeroed struct. */
void arena_fini(struct arena *a);
/* Forget all contents; keeps one block for reuse. */
void arena_reset(struct arena *a);

/* The slow path of arena_alloc(). NULL when the limit is reached. */
void *arena_alloc_slow(struct arena *a, size_t size);

/* Size for 8-byte alignment; never fails for an arena without limit. */
static inline void *
arena_alloc(struct arena *a, size_t size)
{
	size_t n = (size + 7) & ~(size_t)7;
	char *p = a->pos;

	if (p != NULL && n >= size && (size_t)(a->end - p) >= n) {
		a->pos = p + n;
		return p;
	}
	return arena_alloc_slow(a, size);
}

void *arena_zalloc(struct arena *a, size_t size);
/* NULL when the limit is reached or N * SIZE overflows. */
void *arena_calloc(struct arena *a, size_t n, size_t size);
/* Copy of S in A (terminated by a NUL beyond its length); ptr NULL at the limit. */
struct slice arena_slice(struct arena *a, struct slice s);
char *arena_strdup(struct arena *a, const char *cstr);
/* Formatted text in A; SLICE_NONE at the limit. */
struct slice arena_printf(struct arena *a, const char *fmt, ...)
    HB_PRINTF(2, 3);
struct slice arena_vprintf(struct arena *a, const char *fmt, va_list ap);

HB_API_END

#endif
