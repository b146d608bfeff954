/*
 * Postings: which IDs a key has. Keys are found by hash; the IDs of each are
 * kept as differences, 7 bits an octet, in a chain of growing chunks. So a
 * pair costs an octet or two, and only the distinct keys are ever sorted.
 * IDs come in ascending order but for entries that came after what lies below
 * them; a difference has its sign in the lowest bit, and the few lists that
 * such an ID is in are put in order when they leave memory.
 *
 * A run holds, by key: key length (2) | length of the differences (4) | first
 * ID (8) | key | differences
 */
#include <stdlib.h>
#include <string.h>

#include "backends/store/sort.h"
#include "util/err.h"
#include "util/hash.h"
#include "util/lock.h"
#include "util/mem.h"

#define BLOCK		(1024 * 1024)
#define UNIT		8		/* places are counted in these */
#define BLOCK_UNITS	(BLOCK / UNIT)
#define CHUNK_FIRST	12
#define CHUNK_MAX	508
#define SLOTS_FIRST	1024
#define RUN_HEAD	14

/* A key. Its chunks hold nbytes octets; all but the last are full. */
struct node {
	entry_id first, last;
	uint32_t head, tail;		/* chunks; 0: none */
	uint32_t nbytes;
	uint16_t used, cap;		/* of the last chunk */
	uint16_t klen;
	bool late;			/* not in ascending order */
	char key[];
};

struct chunk {
	uint32_t next;
	char v[];
};

struct slot {
	uint32_t hash;
	uint32_t node;			/* 0: free */
};

struct item {
	uint64_t prefix;
	const struct node *node;
};

struct source {
	struct run *run;		/* NULL: memory */
	struct slice key, diffs;
	entry_id id;			/* next one */
	bool done, has_id;
};

struct postings {
	const char *tmpdir;
	size_t memory;
	uint64_t count;
	entry_id max;			/* added so far */
	bool late;			/* an ID came after a higher one */
	char **blocks;
	size_t nblocks, cap_blocks, pos; /* pos: in the last block */
	struct slot *slots;
	size_t nslots, nkeys;
	struct item *items;
	size_t nitems, next_item;
	struct run *runs;
	size_t nruns, cap_runs;
	struct source *sources;
	unsigned *heap, nheap;
	struct buf diffs;		/* of the memory source, in one piece */
	struct buf key;			/* the current key */
	entry_id last;			/* given out of it; NONE: nothing yet */
};

struct postings *
postings_new(const char *tmpdir, size_t memory)
{
	struct postings *p = mem_zalloc(sizeof(*p));

	p->tmpdir = tmpdir;
	p->memory = memory < 2 * BLOCK ? 2 * BLOCK : memory;
	p->pos = BLOCK;
	return p;
}

static void
drop_memory(struct postings *p)
{
	for (size_t i = 0; i < p->nblocks; i++)
		free(p->blocks[i]);
	free(p->slots);
	free(p->items);
	p->slots = NULL;
	p->items = NULL;
	p->nslots = p->nkeys = p->nblocks = p->nitems = 0;
	p->pos = BLOCK;
}

void
postings_free(struct postings **pp)
{
	struct postings *p = *pp;

	if (p == NULL)
		return;
	drop_memory(p);
	for (size_t i = 0; i < p->nruns; i++)
		run_close(&p->runs[i]);
	free(p->blocks);
	free(p->runs);
	free(p->sources);
	free(p->heap);
	buf_fini(&p->diffs);
	buf_fini(&p->key);
	free(p);
	*pp = NULL;
}

uint64_t
postings_count(const struct postings *p)
{
	return p->count;
}

/* ---- memory ---- */

static void *
at(const struct postings *p, uint32_t place)
{
	return p->blocks[place / BLOCK_UNITS] +
	    (size_t)(place % BLOCK_UNITS) * UNIT;
}

/* The place of N octets, never 0. */
static uint32_t
room(struct postings *p, size_t n)
{
	size_t place;

	n = (n + UNIT - 1) & ~(size_t)(UNIT - 1);
	if (BLOCK - p->pos < n) {
		p->blocks = mem_grow(p->blocks, &p->cap_blocks,
		    p->nblocks + 1, sizeof(p->blocks[0]));
		p->blocks[p->nblocks++] = mem_alloc(BLOCK);
		p->pos = p->nblocks == 1 ? UNIT : 0;
	}
	place = (p->nblocks - 1) * BLOCK_UNITS + p->pos / UNIT;
	hb_assert(place <= UINT32_MAX);
	p->pos += n;
	return (uint32_t)place;
}

static bool
is_full(const struct postings *p)
{
	return p->nblocks * BLOCK + p->nslots * sizeof(p->slots[0]) +
	    p->nkeys * 2 * sizeof(p->items[0]) >= p->memory &&
	    BLOCK - p->pos < BLOCK / 64;
}

static void
grow_slots(struct postings *p)
{
	size_t n = p->nslots == 0 ? SLOTS_FIRST : p->nslots * 2;
	struct slot *v = mem_calloc(n, sizeof(v[0]));

	for (size_t i = 0; i < p->nslots; i++) {
		size_t j = p->slots[i].hash & (n - 1);

		if (p->slots[i].node == 0)
			continue;
		while (v[j].node != 0)
			j = (j + 1) & (n - 1);
		v[j] = p->slots[i];
	}
	free(p->slots);
	p->slots = v;
	p->nslots = n;
}

/* The node of KEY; a new one has first == ENTRY_ID_NONE. */
static struct node *
find_node(struct postings *p, struct slice key)
{
	uint32_t hash = (uint32_t)hash_slice(key), place;
	struct node *n;
	size_t i;

	if (p->nkeys * 3 >= p->nslots * 2)
		grow_slots(p);
	for (i = hash & (p->nslots - 1); p->slots[i].node != 0;
	    i = (i + 1) & (p->nslots - 1)) {
		if (p->slots[i].hash != hash)
			continue;
		n = at(p, p->slots[i].node);
		if (n->klen == key.len && memcmp(n->key, key.ptr,
		    key.len) == 0)
			return n;
	}
	place = room(p, sizeof(*n) + key.len);
	n = at(p, place);
	memset(n, 0, sizeof(*n));
	n->klen = (uint16_t)key.len;
	memcpy(n->key, key.ptr, key.len);
	p->slots[i] = (struct slot){ hash, place };
	p->nkeys++;
	return n;
}

static void
put_byte(struct postings *p, struct node *n, unsigned char b)
{
	struct chunk *c;

	if (n->used == n->cap) {
		unsigned cap = n->cap == 0 ? CHUNK_FIRST : n->cap * 2u + 4;
		uint32_t place;

		if (cap > CHUNK_MAX)
			cap = CHUNK_MAX;
		place = room(p, sizeof(*c) + cap);
		c = at(p, place);
		c->next = 0;
		if (n->tail != 0)
			((struct chunk *)at(p, n->tail))->next = place;
		else
			n->head = place;
		n->tail = place;
		n->used = 0;
		n->cap = (uint16_t)cap;
	}
	c = at(p, n->tail);
	c->v[n->used++] = (char)b;
	n->nbytes++;
}

/* From one ID to another: the difference, its sign in the lowest bit. */
static uint64_t
diff_code(entry_id from, entry_id to)
{
	return to > from ? (to - from) << 1 : (from - to) << 1 | 1;
}

/* The ID after ID, taken from the front of DIFFS. */
static entry_id
diff_next(struct slice *diffs, entry_id id)
{
	unsigned shift = 0;
	uint64_t d = 0;
	size_t i = 0;

	while (i < diffs->len) {
		unsigned char b = (unsigned char)diffs->ptr[i++];

		d |= (uint64_t)(b & 0x7f) << shift;
		shift += 7;
		if (!(b & 0x80))
			break;
	}
	*diffs = slice_skip(*diffs, i);
	return (d & 1) != 0 ? id - (d >> 1) : id + (d >> 1);
}

static int spill(struct postings *, struct diag *);

int
postings_add(struct postings *p, struct slice key, entry_id id,
    struct diag *diag)
{
	struct node *n;
	uint64_t d;
	int rc;

	if (is_full(p) && (rc = spill(p, diag)) != HB_OK)
		return rc;
	n = find_node(p, key);
	if (id < p->max)
		p->late = true;
	else
		p->max = id;
	if (n->first == ENTRY_ID_NONE) {
		n->first = n->last = id;
		p->count++;
		return HB_OK;
	}
	if (n->last == id)
		return HB_OK;
	n->late |= id < n->last;
	for (d = diff_code(n->last, id); d >= 0x80; d >>= 7)
		put_byte(p, n, (unsigned char)(d | 0x80));
	put_byte(p, n, (unsigned char)d);
	n->last = id;
	p->count++;
	return HB_OK;
}

static int
cmp_items(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->prefix != y->prefix)
		return x->prefix < y->prefix ? -1 : 1;
	return slice_cmp(slice(x->node->key, x->node->klen),
	    slice(y->node->key, y->node->klen));
}

static void
sort_items(struct postings *p)
{
	p->items = mem_calloc(p->nkeys + 1, sizeof(p->items[0]));
	p->nitems = 0;
	for (size_t i = 0; i < p->nslots; i++) {
		const struct node *n;
		uint64_t v = 0;

		if (p->slots[i].node == 0)
			continue;
		n = at(p, p->slots[i].node);
		for (unsigned j = 0; j < 8; j++)
			v = v << 8 | (j < n->klen ?
			    (unsigned char)n->key[j] : 0);
		p->items[p->nitems++] = (struct item){ v, n };
	}
	free(p->slots);
	p->slots = NULL;
	p->nslots = 0;
	qsort(p->items, p->nitems, sizeof(p->items[0]), cmp_items);
}

static int
cmp_ids(const void *a, const void *b)
{
	const entry_id *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Put the list that begins with FIRST in ascending order; its first is returned. */
static entry_id
order(struct buf *diffs, entry_id first)
{
	entry_id *ids = mem_calloc(diffs->len + 1, sizeof(*ids)), last;
	struct slice rest = buf_slice(diffs);
	size_t n = 0;

	for (ids[n++] = first; rest.len > 0; n++)
		ids[n] = diff_next(&rest, ids[n - 1]);
	qsort(ids, n, sizeof(*ids), cmp_ids);
	buf_reset(diffs);
	first = last = ids[0];
	for (size_t i = 1; i < n; i++) {
		uint64_t d = diff_code(last, ids[i]);

		if (ids[i] == last)
			continue;
		for (; d >= 0x80; d >>= 7)
			buf_put_char(diffs, (char)(d | 0x80));
		buf_put_char(diffs, (char)d);
		last = ids[i];
	}
	free(ids);
	return first;
}

/* The differences of N in one piece, ascending; its first ID is returned. */
static entry_id
collect(struct postings *p, const struct node *n)
{
	uint32_t place = n->head, left = n->nbytes, cap = 0;

	buf_reset(&p->diffs);
	while (left > 0) {
		const struct chunk *c = at(p, place);

		cap = cap == 0 ? CHUNK_FIRST : cap * 2 + 4;
		if (cap > CHUNK_MAX)
			cap = CHUNK_MAX;
		buf_put(&p->diffs, c->v, left < cap ? left : cap);
		left -= left < cap ? left : cap;
		place = c->next;
	}
	return n->late ? order(&p->diffs, n->first) : n->first;
}

static int
spill(struct postings *p, struct diag *diag)
{
	char head[RUN_HEAD];
	struct run *run;
	int rc;

	p->runs = mem_grow(p->runs, &p->cap_runs, p->nruns + 1,
	    sizeof(p->runs[0]));
	run = &p->runs[p->nruns];
	if ((rc = run_create(run, p->tmpdir, diag)) != HB_OK)
		return rc;
	p->nruns++;
	sort_items(p);
	for (size_t i = 0; i < p->nitems && rc == HB_OK; i++) {
		const struct node *n = p->items[i].node;
		entry_id first = collect(p, n);
		uint32_t nbytes = (uint32_t)p->diffs.len;

		memcpy(head, &n->klen, 2);
		memcpy(head + 2, &nbytes, 4);
		memcpy(head + 6, &first, 8);
		if ((rc = run_write(run, head, sizeof(head), diag)) == HB_OK &&
		    (rc = run_write(run, n->key, n->klen, diag)) == HB_OK)
			rc = run_write(run, p->diffs.data, nbytes, diag);
	}
	drop_memory(p);
	return rc != HB_OK ? rc : run_rewind(run, diag);
}

/* ---- merging ---- */

static void
advance_memory(struct postings *p, struct source *src)
{
	const struct node *n;

	src->done = p->next_item == p->nitems;
	if (src->done)
		return;
	n = p->items[p->next_item++].node;
	src->id = collect(p, n);
	src->key = slice(n->key, n->klen);
	src->diffs = buf_slice(&p->diffs);
	src->has_id = true;
}

static int
advance(struct postings *p, struct source *src, struct diag *diag)
{
	const char *v;
	uint16_t klen;
	uint32_t nbytes;
	int rc;

	if (src->run == NULL) {
		advance_memory(p, src);
		return HB_OK;
	}
	src->done = run_at_end(src->run);
	if (src->done)
		return HB_OK;
	if ((rc = run_read(src->run, RUN_HEAD, &v, diag)) != HB_OK)
		return rc;
	memcpy(&klen, v, 2);
	memcpy(&nbytes, v + 2, 4);
	memcpy(&src->id, v + 6, 8);
	if ((rc = run_read(src->run, (size_t)klen + nbytes, &v,
	    diag)) != HB_OK)
		return rc;
	src->key = slice(v, klen);
	src->diffs = slice(v + klen, nbytes);
	src->has_id = true;
	return HB_OK;
}

/*
 * By key. Of equal ones the older source, whose IDs are lower, unless some
 * came late: then the lower ID, and one that has no more goes first.
 */
static bool
is_less(const struct postings *p, unsigned a, unsigned b)
{
	const struct source *x = &p->sources[a], *y = &p->sources[b];
	int c = slice_cmp(x->key, y->key);

	if (c != 0 || !p->late)
		return c != 0 ? c < 0 : a < b;
	if (x->has_id != y->has_id)
		return y->has_id;
	return x->id != y->id ? x->id < y->id : a < b;
}

static void
sift_down(struct postings *p, unsigned i)
{
	for (;;) {
		unsigned min = i, l = 2 * i + 1, t;

		if (l < p->nheap && is_less(p, p->heap[l], p->heap[min]))
			min = l;
		if (l + 1 < p->nheap && is_less(p, p->heap[l + 1],
		    p->heap[min]))
			min = l + 1;
		if (min == i)
			return;
		t = p->heap[i];
		p->heap[i] = p->heap[min];
		p->heap[min] = t;
		i = min;
	}
}

int
postings_finish(struct postings *p, struct diag *diag)
{
	unsigned n = (unsigned)p->nruns + 1;
	int rc;

	sort_items(p);
	p->sources = mem_calloc(n, sizeof(p->sources[0]));
	p->heap = mem_calloc(n, sizeof(p->heap[0]));
	for (unsigned i = 0; i < n; i++) {
		p->sources[i].run = i == p->nruns ? NULL : &p->runs[i];
		if ((rc = advance(p, &p->sources[i], diag)) != HB_OK)
			return rc;
		if (!p->sources[i].done)
			p->heap[p->nheap++] = i;
	}
	for (unsigned i = p->nheap / 2; i-- > 0; )
		sift_down(p, i);
	return HB_OK;
}

/* The first source goes on to its next key. */
static int
drop_first(struct postings *p, struct diag *diag)
{
	struct source *src = &p->sources[p->heap[0]];
	int rc = advance(p, src, diag);

	if (rc != HB_OK)
		return rc;
	if (src->done)
		p->heap[0] = p->heap[--p->nheap];
	sift_down(p, 0);
	return HB_OK;
}

int
postings_next(struct postings *p, struct slice *key_r, struct diag *diag)
{
	entry_id id;
	int rc;

	while ((rc = postings_next_id(p, &id, diag)) == HB_OK)
		;			/* what the caller did not ask for */
	if (rc != HB_EEND)
		return rc;
	if (p->nheap == 0)
		return HB_EEND;
	buf_reset(&p->key);
	buf_put_slice(&p->key, p->sources[p->heap[0]].key);
	p->last = ENTRY_ID_NONE;
	*key_r = buf_slice(&p->key);
	return HB_OK;
}

static void
next_diff(struct postings *p, struct source *src)
{
	src->has_id = src->diffs.len > 0;
	src->id = diff_next(&src->diffs, src->id);
	if (p->late)
		sift_down(p, 0);
}

int
postings_next_id(struct postings *p, entry_id *id_r, struct diag *diag)
{
	struct source *src;
	int rc;

	while (p->nheap > 0) {
		src = &p->sources[p->heap[0]];
		if (!slice_is_eq(src->key, buf_slice(&p->key)) ||
		    p->key.len == 0)
			return HB_EEND;
		if (!src->has_id) {
			if ((rc = drop_first(p, diag)) != HB_OK)
				return rc;
			continue;
		}
		*id_r = src->id;
		next_diff(p, src);
		if (*id_r != p->last) {
			p->last = *id_r;
			return HB_OK;
		}
	}
	return HB_EEND;
}
