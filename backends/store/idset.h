/*
 * Sets of entry IDs, exact at any size. Up to IDSET_SMALL IDs are held in
 * place (no allocation); beyond, in CRoaring bitmaps, one per upper 32 bits.
 * Copies share the bitmaps until one of them changes: a copy costs no more than
 * a counter, and may be used by another thread.
 * ALL is the set of every ID that may exist (the filter narrows nothing).
 * Not thread-safe; a set that nobody changes may be read by many threads.
 */
#ifndef STORE_IDSET_H
#define STORE_IDSET_H

#include <stdbool.h>
#include <stdint.h>

#include "entry.h"

#define IDSET_SMALL	6

struct idset_heap;			/* shared: upper halves and roaring bitmaps */

struct idset {
	bool all;
	unsigned nsmall;		/* sorted IDs in small, if nparts is 0 */
	unsigned nparts;
	entry_id small[IDSET_SMALL];
	struct idset_heap *heap;	/* nparts parts, sorted by upper half */
};

#define IDSET_INIT	{ .all = false }

void idset_init(struct idset *s);	/* empty; allocates nothing */
void idset_fini(struct idset *s);	/* then as after init */
void idset_set_all(struct idset *s);
void idset_add(struct idset *s, entry_id id);
/* N ascending IDs. */
void idset_add_sorted(struct idset *s, const entry_id *ids, size_t n);
void idset_add_range(struct idset *s, entry_id first, entry_id last);
void idset_remove(struct idset *s, entry_id id);
bool idset_has(const struct idset *s, entry_id id);
uint64_t idset_count(const struct idset *s);	/* UINT64_MAX for ALL */
static inline bool
idset_is_empty(const struct idset *s)
{
	return !s->all && s->nsmall == 0 && s->nparts == 0;
}
void idset_and(struct idset *s, const struct idset *with);	/* s &= with */
void idset_or(struct idset *s, const struct idset *with);
void idset_and_not(struct idset *s, const struct idset *without);
void idset_copy(struct idset *to, const struct idset *from);
void idset_move(struct idset *to, struct idset *from);	/* from is empty then */
size_t idset_memory(const struct idset *s);	/* heap bytes */

struct idset_iter {
	const struct idset *set;
	entry_id next;			/* smallest ID not yet given */
	unsigned part;
	void *priv;
};

/* From the smallest ID >= FROM on. ALL cannot be iterated. */
void idset_iter_init(struct idset_iter *it, const struct idset *s,
    entry_id from);
bool idset_iter_next(struct idset_iter *it, entry_id *id_r);
void idset_iter_fini(struct idset_iter *it);

#endif
