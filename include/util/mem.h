/*
 * Heap memory for what outlives an operation. None of these returns NULL: out
 * of memory ends the process with a log line. free() frees.
 */
#ifndef UTIL_MEM_H
#define UTIL_MEM_H

#include <stddef.h>
#include <stdlib.h>

#include "util/api.h"
#include "util/slice.h"

HB_API_BEGIN

void *mem_alloc(size_t size);			/* not cleared */
void *mem_zalloc(size_t size);			/* zeroed */
void *mem_calloc(size_t n, size_t size);	/* zeroed; checks n * size */
void *mem_realloc(void *old, size_t size);
/* Grow an array of SIZE-byte items for at least NEED of them, doubling. */
void *mem_grow(void *old, size_t *cap, size_t need, size_t size);
char *mem_strdup(const char *cstr);
char *mem_slicedup(struct slice s);		/* terminated copy */
char *mem_printf(const char *fmt, ...) HB_PRINTF(1, 2);

/* What the allocator spent on P, which it gave: at least what was asked for. */
size_t mem_size(void *p);

/* Overwrite N bytes so that the compiler cannot leave it out (secrets). */
void mem_wipe(void *ptr, size_t n);

HB_API_END

#endif
