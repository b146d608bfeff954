/* Sets of entry IDs: a few in place, more in shared roaring bitmaps. */
#include "backends/store/idset.h"

#include <roaring/roaring.h>
#include <stdatomic.h>

#include "util/lock.h"
#include "util/mem.h"

#define CHUNK	512

struct part {
	uint32_t hi;			/* upper 32 bits of its IDs */
	roaring_bitmap_t *bm;		/* lower ones, never empty */
};

struct idset_heap {
	atomic_uint refs;		/* sets that point here */
	unsigned cap;
	struct part v[];
};

enum set_op { OP_AND, OP_OR, OP_AND_NOT };

static inline uint32_t
hi_of(entry_id id)
{
	return (uint32_t)(id >> 32);
}

static struct idset_heap *
heap_new(unsigned cap)
{
	struct idset_heap *h = mem_alloc(sizeof(*h) + cap * sizeof(h->v[0]));

	atomic_init(&h->refs, 1);
	h->cap = cap;
	return h;
}

/* A bitmap that was asked for, or the end: CRoaring says NULL for no memory. */
static roaring_bitmap_t *
must(roaring_bitmap_t *bm)
{
	hb_assert(bm != NULL);
	return bm;
}

static bool
heap_is_own(const struct idset *s)
{
	return s->heap != NULL &&
	    atomic_load_explicit(&s->heap->refs, memory_order_acquire) == 1;
}

static void
heap_drop(struct idset *s)
{
	struct idset_heap *h = s->heap;

	if (h != NULL && atomic_fetch_sub_explicit(&h->refs, 1,
	    memory_order_acq_rel) == 1) {
		for (unsigned i = 0; i < s->nparts; i++)
			roaring_bitmap_free(h->v[i].bm);
		free(h);
	}
	s->heap = NULL;
	s->nparts = 0;
}

/* Make S's bitmaps its own, with room for one more part. */
static void
heap_own(struct idset *s)
{
	struct idset_heap *h;
	bool own = heap_is_own(s);

	if (own && s->heap->cap > s->nparts)
		return;
	h = heap_new(s->nparts + 1);
	for (unsigned i = 0; i < s->nparts; i++) {
		h->v[i] = s->heap->v[i];
		if (!own)
			h->v[i].bm = must(roaring_bitmap_copy(h->v[i].bm));
	}
	if (own)
		free(s->heap);
	else if (s->heap != NULL) {
		unsigned n = s->nparts;

		heap_drop(s);
		s->nparts = n;
	}
	s->heap = h;
}

static unsigned
part_at(const struct idset *s, uint32_t hi)
{
	unsigned i = 0;

	while (i < s->nparts && s->heap->v[i].hi < hi)
		i++;
	return i;
}

/* The bitmap for HI in S, whose heap is its own; made if missing. */
static roaring_bitmap_t *
part_get(struct idset *s, uint32_t hi)
{
	unsigned i;
	struct part *v;

	heap_own(s);
	v = s->heap->v;
	i = part_at(s, hi);
	if (i == s->nparts || v[i].hi != hi) {
		memmove(&v[i + 1], &v[i], (s->nparts - i) * sizeof(v[0]));
		v[i] = (struct part){ hi, must(roaring_bitmap_create()) };
		s->nparts++;
	}
	return v[i].bm;
}

static void
spill(struct idset *s)
{
	for (unsigned i = 0; i < s->nsmall; i++)
		roaring_bitmap_add(part_get(s, hi_of(s->small[i])),
		    (uint32_t)s->small[i]);
	s->nsmall = 0;
}

/* Back to the small form where the bitmaps hold few enough. */
static void
settle(struct idset *s)
{
	uint32_t low[IDSET_SMALL];
	entry_id ids[IDSET_SMALL];
	uint64_t count = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < s->nparts && count <= IDSET_SMALL; i++)
		count += roaring_bitmap_get_cardinality(s->heap->v[i].bm);
	if (count > IDSET_SMALL)
		return;
	for (unsigned i = 0; i < s->nparts; i++) {
		const struct part *p = &s->heap->v[i];
		unsigned k = (unsigned)roaring_bitmap_get_cardinality(p->bm);

		roaring_bitmap_to_uint32_array(p->bm, low);
		for (unsigned j = 0; j < k; j++)
			ids[n++] = (entry_id)p->hi << 32 | low[j];
	}
	heap_drop(s);
	memcpy(s->small, ids, n * sizeof(ids[0]));
	s->nsmall = n;
}

void
idset_init(struct idset *s)
{
	*s = (struct idset)IDSET_INIT;
}

void
idset_fini(struct idset *s)
{
	heap_drop(s);
	idset_init(s);
}

void
idset_set_all(struct idset *s)
{
	idset_fini(s);
	s->all = true;
}

void
idset_add(struct idset *s, entry_id id)
{
	unsigned i = 0;

	if (s->all)
		return;
	if (s->nparts == 0) {
		while (i < s->nsmall && s->small[i] < id)
			i++;
		if (i < s->nsmall && s->small[i] == id)
			return;
		if (s->nsmall < IDSET_SMALL) {
			memmove(&s->small[i + 1], &s->small[i],
			    (s->nsmall - i) * sizeof(id));
			s->small[i] = id;
			s->nsmall++;
			return;
		}
		spill(s);
	}
	roaring_bitmap_add(part_get(s, hi_of(id)), (uint32_t)id);
}

void
idset_add_sorted(struct idset *s, const entry_id *ids, size_t n)
{
	uint32_t low[CHUNK];

	if (s->all)
		return;
	if (s->nparts == 0 && s->nsmall + n <= IDSET_SMALL) {
		for (size_t i = 0; i < n; i++)
			idset_add(s, ids[i]);
		return;
	}
	spill(s);
	for (size_t i = 0; i < n; ) {
		uint32_t hi = hi_of(ids[i]);
		size_t k = 0;

		while (i < n && k < CHUNK && hi_of(ids[i]) == hi)
			low[k++] = (uint32_t)ids[i++];
		roaring_bitmap_add_many(part_get(s, hi), k, low);
	}
	settle(s);
}

void
idset_add_range(struct idset *s, entry_id first, entry_id last)
{
	if (s->all || first > last)
		return;
	if (last - first < IDSET_SMALL) {
		for (entry_id id = first; id <= last; id++)
			idset_add(s, id);
		return;
	}
	spill(s);
	for (uint32_t hi = hi_of(first); ; hi++) {
		roaring_bitmap_add_range_closed(part_get(s, hi),
		    hi == hi_of(first) ? (uint32_t)first : 0,
		    hi == hi_of(last) ? (uint32_t)last : UINT32_MAX);
		if (hi == hi_of(last))
			break;
	}
}

void
idset_remove(struct idset *s, entry_id id)
{
	struct idset one = { .nsmall = 1, .small = { id } };

	if (!s->all)
		idset_and_not(s, &one);
}

bool
idset_has(const struct idset *s, entry_id id)
{
	unsigned i;

	if (s->all)
		return true;
	for (i = 0; i < s->nsmall; i++)
		if (s->small[i] == id)
			return true;
	if (s->nparts == 0)
		return false;
	i = part_at(s, hi_of(id));
	return i < s->nparts && s->heap->v[i].hi == hi_of(id) &&
	    roaring_bitmap_contains(s->heap->v[i].bm, (uint32_t)id);
}

uint64_t
idset_count(const struct idset *s)
{
	uint64_t n = s->nsmall;

	if (s->all)
		return UINT64_MAX;
	for (unsigned i = 0; i < s->nparts; i++)
		n += roaring_bitmap_get_cardinality(s->heap->v[i].bm);
	return n;
}

/* The bitmap of A (owned or not) combined with B's, owned by the result. */
static roaring_bitmap_t *
bitmap_combine(roaring_bitmap_t *a, bool own, const roaring_bitmap_t *b,
    enum set_op op)
{
	switch (op) {
	case OP_AND:
		if (!own)
			return must(roaring_bitmap_and(a, b));
		roaring_bitmap_and_inplace(a, b);
		return a;
	case OP_OR:
		if (!own)
			return must(roaring_bitmap_or(a, b));
		roaring_bitmap_or_inplace(a, b);
		return a;
	case OP_AND_NOT:
		if (!own)
			return must(roaring_bitmap_andnot(a, b));
		roaring_bitmap_andnot_inplace(a, b);
		return a;
	}
	return a;
}

/* Both have bitmaps. S keeps what it can of its own ones. */
static void
combine(struct idset *s, const struct idset *with, enum set_op op)
{
	struct idset_heap *h = heap_new(s->nparts + with->nparts);
	bool own = heap_is_own(s);
	unsigned i = 0, j = 0, n = 0;

	while (i < s->nparts || j < with->nparts) {
		struct part *a = i < s->nparts ? &s->heap->v[i] : NULL;
		struct part *b = j < with->nparts ? &with->heap->v[j] : NULL;
		roaring_bitmap_t *bm = NULL;
		uint32_t hi;

		if (a != NULL && (b == NULL || a->hi <= b->hi)) {
			hi = a->hi;
			i++;
			if (b != NULL && b->hi == hi) {
				bm = bitmap_combine(a->bm, own, b->bm, op);
				j++;
			} else if (op == OP_AND) {
				if (own)
					roaring_bitmap_free(a->bm);
			} else
				bm = own ? a->bm :
				    must(roaring_bitmap_copy(a->bm));
		} else {
			hi = b->hi;
			j++;
			if (op == OP_OR)
				bm = must(roaring_bitmap_copy(b->bm));
		}
		if (bm != NULL && roaring_bitmap_is_empty(bm)) {
			roaring_bitmap_free(bm);
			bm = NULL;
		}
		if (bm != NULL)
			h->v[n++] = (struct part){ hi, bm };
	}
	if (own) {
		free(s->heap);		/* its bitmaps were moved or freed */
		s->heap = NULL;
	} else
		heap_drop(s);
	s->heap = h;
	s->nparts = n;
	if (op != OP_OR)
		settle(s);
}

/* Keep those of S's in-place IDs for which WITH says WANTED. */
static void
filter_small(struct idset *s, const struct idset *with, bool wanted)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->nsmall; i++)
		if (idset_has(with, s->small[i]) == wanted)
			s->small[n++] = s->small[i];
	s->nsmall = n;
}

void
idset_and(struct idset *s, const struct idset *with)
{
	struct idset r;

	if (with->all || s == with)
		return;
	if (s->all)
		idset_copy(s, with);
	else if (s->nparts == 0)
		filter_small(s, with, true);
	else if (with->nparts == 0) {
		r = *with;		/* no heap: a plain copy */
		filter_small(&r, s, true);
		idset_move(s, &r);
	} else
		combine(s, with, OP_AND);
}

void
idset_or(struct idset *s, const struct idset *with)
{
	struct idset r;

	if (s->all || s == with)
		return;
	if (with->all)
		idset_set_all(s);
	else if (with->nparts == 0) {
		for (unsigned i = 0; i < with->nsmall; i++)
			idset_add(s, with->small[i]);
	} else if (s->nparts == 0) {
		r = *s;
		s->nsmall = 0;
		idset_copy(s, with);
		for (unsigned i = 0; i < r.nsmall; i++)
			idset_add(s, r.small[i]);
	} else
		combine(s, with, OP_OR);
}

void
idset_and_not(struct idset *s, const struct idset *without)
{
	hb_assert(!s->all || without->all);
	if (without->all || s == without)
		idset_fini(s);
	else if (s->nparts == 0)
		filter_small(s, without, false);
	else if (without->nparts == 0) {
		for (unsigned i = 0; i < without->nsmall; i++)
			if (idset_has(s, without->small[i]))
				roaring_bitmap_remove(part_get(s,
				    hi_of(without->small[i])),
				    (uint32_t)without->small[i]);
		settle(s);
	} else
		combine(s, without, OP_AND_NOT);
}

void
idset_copy(struct idset *to, const struct idset *from)
{
	if (to == from)
		return;
	idset_fini(to);
	*to = *from;
	if (to->heap != NULL)
		atomic_fetch_add_explicit(&to->heap->refs, 1,
		    memory_order_relaxed);
}

void
idset_move(struct idset *to, struct idset *from)
{
	if (to == from)
		return;
	idset_fini(to);
	*to = *from;
	idset_init(from);
}

size_t
idset_memory(const struct idset *s)
{
	size_t n = 0;

	if (s->nparts > 0)
		n = sizeof(*s->heap) + s->heap->cap * sizeof(s->heap->v[0]);
	for (unsigned i = 0; i < s->nparts; i++)
		n += sizeof(roaring_bitmap_t) +
		    roaring_bitmap_size_in_bytes(s->heap->v[i].bm);
	return n;
}

/* ---- iteration ---- */

void
idset_iter_init(struct idset_iter *it, const struct idset *s, entry_id from)
{
	hb_assert(!s->all);
	it->set = s;
	it->next = from;
	it->part = s->nparts == 0 ? 0 : part_at(s, hi_of(from));
	it->priv = NULL;
}

static bool
next_small(struct idset_iter *it, entry_id *id_r)
{
	const struct idset *s = it->set;

	for (; it->part < s->nsmall; it->part++)
		if (s->small[it->part] >= it->next) {
			*id_r = s->small[it->part++];
			return true;
		}
	return false;
}

bool
idset_iter_next(struct idset_iter *it, entry_id *id_r)
{
	const struct idset *s = it->set;
	roaring_uint32_iterator_t *ri = it->priv;

	if (s->nparts == 0)
		return next_small(it, id_r);
	while (it->part < s->nparts) {
		const struct part *p = &s->heap->v[it->part];

		if (ri == NULL) {
			ri = roaring_create_iterator(p->bm);
			hb_assert(ri != NULL);
			it->priv = ri;
			if (p->hi == hi_of(it->next))
				roaring_move_uint32_iterator_equalorlarger(ri,
				    (uint32_t)it->next);
		}
		if (ri->has_value) {
			*id_r = (entry_id)p->hi << 32 | ri->current_value;
			roaring_advance_uint32_iterator(ri);
			return true;
		}
		roaring_free_uint32_iterator(ri);
		it->priv = ri = NULL;
		it->part++;
	}
	return false;
}

void
idset_iter_fini(struct idset_iter *it)
{
	if (it->priv != NULL)
		roaring_free_uint32_iterator(it->priv);
	it->priv = NULL;
}
