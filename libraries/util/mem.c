/* Heap memory that never fails: see util/mem.h. */
#define _GNU_SOURCE		/* vasprintf() */

#include "util/mem.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/log.h"

static void *
checked(void *p, size_t size)
{
	if (p == NULL && size != 0)
		log_fatal("out of memory: %zu bytes wanted", size);
	return p;
}

void *
mem_alloc(size_t size)
{
	return checked(malloc(size != 0 ? size : 1), size);
}

void *
mem_zalloc(size_t size)
{
	return checked(calloc(1, size != 0 ? size : 1), size);
}

void *
mem_calloc(size_t n, size_t size)
{
	return checked(calloc(n != 0 ? n : 1, size != 0 ? size : 1), size);
}

void *
mem_realloc(void *old, size_t size)
{
	return checked(realloc(old, size != 0 ? size : 1), size);
}

void *
mem_grow(void *old, size_t *cap, size_t need, size_t size)
{
	size_t n = *cap != 0 ? *cap : 8;

	if (need <= *cap)
		return old;
	if (need > SIZE_MAX / 2 / size)
		log_fatal("out of memory: %zu items of %zu bytes", need, size);
	while (n < need)
		n *= 2;
	*cap = n;
	return mem_realloc(old, n * size);
}

char *
mem_slicedup(struct slice s)
{
	char *p = mem_alloc(s.len + 1);

	if (s.len > 0)
		memcpy(p, s.ptr, s.len);
	p[s.len] = '\0';
	return p;
}

char *
mem_strdup(const char *cstr)
{
	return mem_slicedup(slice_of(cstr));
}

char *
mem_printf(const char *fmt, ...)
{
	va_list ap;
	char *p = NULL;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&p, fmt, ap);
	va_end(ap);
	return checked(n < 0 ? NULL : p, 1);
}

size_t
mem_size(void *p)
{
	return malloc_usable_size(p);
}

void
mem_wipe(void *ptr, size_t n)
{
	if (n > 0)
		explicit_bzero(ptr, n);
}
