/*
 * Hash index over the values of a large attribute (a group of 200,000
 * members), so that many changes are not quadratic. Open addressing; removed
 * entries stay as tombstones, which is fine for the length of one modify.
 */
#include "attrs_int.h"
#include "util/err.h"
#include "util/hash.h"

#define SLOT_GONE	UINT32_MAX

static void
put_slot(struct value_index *x, unsigned pos)
{
	size_t h = hash_slice(x->attr->norms[pos]) & x->mask;

	while (x->slots[h] != 0)
		h = (h + 1) & x->mask;
	x->slots[h] = pos + 1;
	x->used++;
}

/* A table for N values and as many to come. */
static int
build(struct arena *arena, struct value_index *x, size_t n)
{
	size_t size = 64;
	unsigned i;

	while (size < n * 2)
		size *= 2;
	x->slots = arena_calloc(arena, size, sizeof(*x->slots));
	if (x->slots == NULL)
		return HB_ELIMIT;
	x->mask = size - 1;
	x->used = 0;
	for (i = 0; i < x->attr->n; i++)
		if (!slice_is_none(x->attr->norms[i]))
			put_slot(x, i);
	return HB_OK;
}

int
value_index_open(struct arena *arena, struct value_index *x, struct attr *a,
    unsigned more)
{
	x->attr = a;
	x->holes = 0;
	return build(arena, x, (size_t)a->n + more);
}

unsigned
value_index_find(const struct value_index *x, struct slice norm)
{
	size_t h = hash_slice(norm) & x->mask;
	uint32_t s;

	for (; (s = x->slots[h]) != 0; h = (h + 1) & x->mask)
		if (s != SLOT_GONE && slice_is_eq(x->attr->norms[s - 1], norm))
			return s - 1;
	return VALUE_NONE;
}

int
value_index_add(struct arena *arena, struct value_index *x, unsigned pos)
{
	/* POS is in the arrays already, so a new table takes it as well */
	if ((x->used + 1) * 4 > (x->mask + 1) * 3)
		return build(arena, x, x->used * 2);
	put_slot(x, pos);
	return HB_OK;
}

void
value_index_remove(struct value_index *x, unsigned pos)
{
	size_t h = hash_slice(x->attr->norms[pos]) & x->mask;

	while (x->slots[h] != pos + 1)
		h = (h + 1) & x->mask;
	x->slots[h] = SLOT_GONE;
	x->attr->values[pos] = x->attr->norms[pos] = SLICE_NONE;
	x->holes++;
}

void
value_index_close(struct value_index *x)
{
	struct attr *a = x->attr;
	unsigned i, n = 0;

	x->attr = NULL;
	if (a == NULL || x->holes == 0)
		return;
	for (i = 0; i < a->n; i++) {
		if (slice_is_none(a->norms[i]))
			continue;
		a->values[n] = a->values[i];
		a->norms[n++] = a->norms[i];
	}
	a->n = n;
}
