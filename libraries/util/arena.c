/* Arena: see util/arena.h. */
#include "util/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

#define BLOCK_MIN	4096u
#define BLOCK_MAX	(256u * 1024)
#define KEEP_MAX	(64u * 1024)	/* a larger block is not kept over a reset */

struct arena_block {
	struct arena_block *next;
	size_t size;			/* of data */
	char data[];
};

void
arena_init(struct arena *a, size_t limit)
{
	*a = (struct arena){ .limit = limit };
}

void
arena_fini(struct arena *a)
{
	struct arena_block *b, *next;

	for (b = a->blocks; b != NULL; b = next) {
		next = b->next;
		free(b);
	}
	arena_init(a, a->limit);
}

void
arena_reset(struct arena *a)
{
	struct arena_block *b, *next, *keep = NULL;

	for (b = a->blocks; b != NULL; b = next) {
		next = b->next;
		if (b->size <= KEEP_MAX &&
		    (keep == NULL || b->size > keep->size)) {
			free(keep);
			keep = b;
		} else {
			free(b);
		}
	}
	arena_init(a, a->limit);
	if (keep != NULL) {
		keep->next = NULL;
		a->blocks = keep;
		a->used = keep->size;
		a->pos = keep->data;
		a->end = keep->data + keep->size;
	}
}

/* Size of the next block, which must hold N bytes: each twice the last. */
static size_t
block_size(const struct arena *a, size_t n)
{
	size_t size = a->blocks != NULL ? a->blocks->size * 2 : BLOCK_MIN;

	if (size > BLOCK_MAX)
		size = BLOCK_MAX;
	if (size < BLOCK_MIN)
		size = BLOCK_MIN;
	if (size < n || n >= BLOCK_MAX / 4)
		size = n;
	if (a->limit != 0 && a->used + size > a->limit)
		size = n;	/* the last ones fit exactly */
	return size;
}

void *
arena_alloc_slow(struct arena *a, size_t size)
{
	size_t n = (size + 7) & ~(size_t)7, bsize;
	struct arena_block *b;

	if (n < size || n > SIZE_MAX / 2)
		return NULL;
	bsize = block_size(a, n);
	if (a->limit != 0 && (bsize > a->limit || a->used > a->limit - bsize))
		return NULL;
	b = mem_alloc(sizeof(*b) + bsize);
	b->size = bsize;
	a->used += bsize;
	if (a->blocks != NULL && n >= BLOCK_MAX / 4 && bsize == n) {
		/* big and full: what is left of the current one stays in use */
		b->next = a->blocks->next;
		a->blocks->next = b;
		return b->data;
	}
	b->next = a->blocks;
	a->blocks = b;
	a->pos = b->data + n;
	a->end = b->data + bsize;
	return b->data;
}

void *
arena_zalloc(struct arena *a, size_t size)
{
	void *p = arena_alloc(a, size);

	return p != NULL ? memset(p, 0, size) : NULL;
}

void *
arena_calloc(struct arena *a, size_t n, size_t size)
{
	if (size != 0 && n > SIZE_MAX / size)
		return NULL;
	return arena_zalloc(a, n * size);
}

struct slice
arena_slice(struct arena *a, struct slice s)
{
	char *p = arena_alloc(a, s.len + 1);

	if (p == NULL)
		return SLICE_NONE;
	if (s.len > 0)
		memcpy(p, s.ptr, s.len);
	p[s.len] = '\0';
	return slice(p, s.len);
}

char *
arena_strdup(struct arena *a, const char *cstr)
{
	size_t n = strlen(cstr) + 1;
	char *p = arena_alloc(a, n);

	return p != NULL ? memcpy(p, cstr, n) : NULL;
}

struct slice
arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
	va_list again;
	char *p;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	p = n < 0 ? NULL : arena_alloc(a, (size_t)n + 1);
	if (p != NULL)
		vsnprintf(p, (size_t)n + 1, fmt, again);
	va_end(again);
	return p != NULL ? slice(p, (size_t)n) : SLICE_NONE;
}

struct slice
arena_printf(struct arena *a, const char *fmt, ...)
{
	struct slice s;
	va_list ap;

	va_start(ap, fmt);
	s = arena_vprintf(a, fmt, ap);
	va_end(ap);
	return s;
}
