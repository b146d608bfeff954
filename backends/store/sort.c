/*
 * Records sorted by key. In memory they lie in blocks as
 * key length (4) | data length (4) | key | data, 8-aligned; what is sorted is an
 * array of their places with the first octets of the key, so most comparisons
 * touch nothing else. A run holds the same without the alignment.
 */
#include <stdlib.h>
#include <string.h>

#include "backends/store/sort.h"
#include "util/err.h"
#include "util/mem.h"

#define BLOCK	(1024 * 1024)

struct head {
	uint32_t klen, dlen;
};

struct item {
	uint64_t prefix;		/* first octets of the key, big-endian */
	const char *rec;
};

/* Where the next record of one source is; source 0 is what is in memory. */
struct source {
	struct run *run;		/* NULL: memory */
	struct slice key, data;
	bool done;
};

struct sorter {
	const char *tmpdir;
	size_t memory, used;
	uint64_t count;
	char **blocks;
	size_t nblocks, cap_blocks;
	size_t pos, end;		/* free part of the last block */
	struct item *items;
	size_t nitems, cap_items, next_item;
	struct run *runs;
	size_t nruns, cap_runs;
	struct source *sources;
	unsigned *heap, nheap;		/* of sources, smallest key first */
	bool started;
};

struct sorter *
sorter_new(const char *tmpdir, size_t memory)
{
	struct sorter *s = mem_zalloc(sizeof(*s));

	s->tmpdir = tmpdir;
	s->memory = memory < BLOCK ? BLOCK : memory;
	return s;
}

static void
drop_memory(struct sorter *s)
{
	for (size_t i = 0; i < s->nblocks; i++)
		free(s->blocks[i]);
	s->nblocks = s->pos = s->end = s->used = s->nitems = 0;
}

void
sorter_free(struct sorter **sp)
{
	struct sorter *s = *sp;

	if (s == NULL)
		return;
	drop_memory(s);
	for (size_t i = 0; i < s->nruns; i++)
		run_close(&s->runs[i]);
	free(s->blocks);
	free(s->items);
	free(s->runs);
	free(s->sources);
	free(s->heap);
	free(s);
	*sp = NULL;
}

uint64_t
sorter_count(const struct sorter *s)
{
	return s->count;
}

static struct slice
rec_key(const char *rec)
{
	struct head h;

	memcpy(&h, rec, sizeof(h));
	return slice(rec + sizeof(h), h.klen);
}

static struct slice
rec_data(const char *rec)
{
	struct head h;

	memcpy(&h, rec, sizeof(h));
	return slice(rec + sizeof(h) + h.klen, h.dlen);
}

static uint64_t
prefix_of(struct slice key)
{
	unsigned char b[8] = { 0 };
	uint64_t v = 0;

	memcpy(b, key.ptr, key.len < 8 ? key.len : 8);
	for (int i = 0; i < 8; i++)
		v = v << 8 | b[i];
	return v;
}

static int
cmp_items(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->prefix != y->prefix)
		return x->prefix < y->prefix ? -1 : 1;
	return slice_cmp(rec_key(x->rec), rec_key(y->rec));
}

static int
spill(struct sorter *s, struct diag *diag)
{
	struct run *run;
	int rc;

	s->runs = mem_grow(s->runs, &s->cap_runs, s->nruns + 1,
	    sizeof(s->runs[0]));
	run = &s->runs[s->nruns];
	if ((rc = run_create(run, s->tmpdir, diag)) != HB_OK)
		return rc;
	s->nruns++;
	qsort(s->items, s->nitems, sizeof(s->items[0]), cmp_items);
	for (size_t i = 0; i < s->nitems && rc == HB_OK; i++) {
		const char *rec = s->items[i].rec;

		rc = run_write(run, rec, sizeof(struct head) +
		    rec_key(rec).len + rec_data(rec).len, diag);
	}
	drop_memory(s);
	return rc != HB_OK ? rc : run_rewind(run, diag);
}

static char *
room(struct sorter *s, size_t n)
{
	char *p;

	n = (n + 7) & ~(size_t)7;
	if (s->end - s->pos < n) {
		size_t size = n > BLOCK ? n : BLOCK;

		s->blocks = mem_grow(s->blocks, &s->cap_blocks,
		    s->nblocks + 1, sizeof(s->blocks[0]));
		s->blocks[s->nblocks++] = mem_alloc(size);
		s->pos = 0;
		s->end = size;
		s->used += size;
	}
	p = s->blocks[s->nblocks - 1] + s->pos;
	s->pos += n;
	return p;
}

int
sorter_add(struct sorter *s, struct slice key, struct slice data,
    struct diag *diag)
{
	struct head h = { (uint32_t)key.len, (uint32_t)data.len };
	char *p;
	int rc;

	/* twice an item: sorting needs a copy of the array */
	if (s->used + s->nitems * 2 * sizeof(s->items[0]) >= s->memory &&
	    s->end - s->pos < sizeof(h) + key.len + data.len &&
	    s->nitems > 0 && (rc = spill(s, diag)) != HB_OK)
		return rc;
	p = room(s, sizeof(h) + key.len + data.len);
	s->items = mem_grow(s->items, &s->cap_items, s->nitems + 1,
	    sizeof(s->items[0]));
	s->items[s->nitems++] = (struct item){ prefix_of(key), p };
	memcpy(p, &h, sizeof(h));
	memcpy(p + sizeof(h), key.ptr, key.len);
	if (data.len > 0)
		memcpy(p + sizeof(h) + key.len, data.ptr, data.len);
	s->count++;
	return HB_OK;
}

/* ---- merging ---- */

static int
advance(struct sorter *s, struct source *src, struct diag *diag)
{
	const char *p;
	struct head h;
	int rc;

	if (src->run == NULL) {
		src->done = s->next_item == s->nitems;
		if (!src->done) {
			p = s->items[s->next_item++].rec;
			src->key = rec_key(p);
			src->data = rec_data(p);
		}
		return HB_OK;
	}
	src->done = run_at_end(src->run);
	if (src->done)
		return HB_OK;
	if ((rc = run_read(src->run, sizeof(h), &p, diag)) != HB_OK)
		return rc;
	memcpy(&h, p, sizeof(h));
	if ((rc = run_read(src->run, (size_t)h.klen + h.dlen, &p,
	    diag)) != HB_OK)
		return rc;
	src->key = slice(p, h.klen);
	src->data = slice(p + h.klen, h.dlen);
	return HB_OK;
}

static bool
is_less(const struct sorter *s, unsigned a, unsigned b)
{
	return slice_cmp(s->sources[a].key, s->sources[b].key) < 0;
}

static void
sift_down(struct sorter *s, unsigned i)
{
	for (;;) {
		unsigned min = i, l = 2 * i + 1, t;

		if (l < s->nheap && is_less(s, s->heap[l], s->heap[min]))
			min = l;
		if (l + 1 < s->nheap && is_less(s, s->heap[l + 1],
		    s->heap[min]))
			min = l + 1;
		if (min == i)
			return;
		t = s->heap[i];
		s->heap[i] = s->heap[min];
		s->heap[min] = t;
		i = min;
	}
}

int
sorter_finish(struct sorter *s, struct diag *diag)
{
	unsigned n = (unsigned)s->nruns + 1;
	int rc;

	if (s->nitems > 0)
		qsort(s->items, s->nitems, sizeof(s->items[0]), cmp_items);
	s->sources = mem_calloc(n, sizeof(s->sources[0]));
	s->heap = mem_calloc(n, sizeof(s->heap[0]));
	for (unsigned i = 0; i < n; i++) {
		s->sources[i].run = i == 0 ? NULL : &s->runs[i - 1];
		if ((rc = advance(s, &s->sources[i], diag)) != HB_OK)
			return rc;
		if (!s->sources[i].done)
			s->heap[s->nheap++] = i;
	}
	for (unsigned i = s->nheap / 2; i-- > 0; )
		sift_down(s, i);
	return HB_OK;
}

int
sorter_next(struct sorter *s, struct slice *key_r, struct slice *data_r,
    struct diag *diag)
{
	struct source *src;
	int rc;

	/* what was given out last may go only now */
	if (s->started && s->nheap > 0) {
		src = &s->sources[s->heap[0]];
		if ((rc = advance(s, src, diag)) != HB_OK)
			return rc;
		if (src->done)
			s->heap[0] = s->heap[--s->nheap];
		sift_down(s, 0);
	}
	s->started = true;
	if (s->nheap == 0)
		return HB_EEND;
	src = &s->sources[s->heap[0]];
	*key_r = src->key;
	*data_r = src->data;
	return HB_OK;
}
