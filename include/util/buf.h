/*
 * Growable byte buffer on the heap. Not thread-safe. Never fails (mem.h).
 */
#ifndef UTIL_BUF_H
#define UTIL_BUF_H

#include <stddef.h>
#include <string.h>

#include "util/api.h"
#include "util/slice.h"

struct buf {
	char *data;
	size_t len, cap;
};

HB_API_BEGIN

void buf_init(struct buf *b);		/* all zero; allocates nothing */
void buf_fini(struct buf *b);
void buf_grow(struct buf *b, size_t more);	/* room for MORE beyond len */
void buf_printf(struct buf *b, const char *fmt, ...) HB_PRINTF(2, 3);
/* Drop the first N bytes, moving the rest to the front. */
void buf_consume(struct buf *b, size_t n);

HB_API_END

static inline void
buf_reserve(struct buf *b, size_t more)
{
	if (b->cap - b->len < more)
		buf_grow(b, more);
}

static inline void
buf_put(struct buf *b, const void *p, size_t n)
{
	buf_reserve(b, n);
	if (n > 0)
		memcpy(b->data + b->len, p, n);
	b->len += n;
}

static inline void
buf_put_slice(struct buf *b, struct slice s)
{
	buf_put(b, s.ptr, s.len);
}

static inline void
buf_put_str(struct buf *b, const char *cstr)
{
	buf_put(b, cstr, strlen(cstr));
}

static inline void
buf_put_char(struct buf *b, char c)
{
	buf_reserve(b, 1);
	b->data[b->len++] = c;
}

static inline void
buf_reset(struct buf *b)
{
	b->len = 0;
}

static inline struct slice
buf_slice(const struct buf *b)
{
	return slice(b->data != NULL ? b->data : "", b->len);
}

#endif
