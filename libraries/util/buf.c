/* Growable buffer: see util/buf.h. */
#include "util/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/mem.h"

void
buf_init(struct buf *b)
{
	*b = (struct buf){ NULL, 0, 0 };
}

void
buf_fini(struct buf *b)
{
	free(b->data);
	buf_init(b);
}

void
buf_grow(struct buf *b, size_t more)
{
	b->data = mem_grow(b->data, &b->cap, b->len + more + 1, 1);
}

void
buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	buf_reserve(b, 64);
	va_start(ap, fmt);
	n = vsnprintf(b->data + b->len, b->cap - b->len, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if ((size_t)n >= b->cap - b->len) {
		buf_grow(b, (size_t)n + 1);
		va_start(ap, fmt);
		vsnprintf(b->data + b->len, b->cap - b->len, fmt, ap);
		va_end(ap);
	}
	b->len += (size_t)n;
}

void
buf_consume(struct buf *b, size_t n)
{
	b->len -= n;
	if (n > 0 && b->len > 0)
		memmove(b->data, b->data + n, b->len);
}
