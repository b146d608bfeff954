/*
 * Numbers of attribute descriptions in blocks: two arrays of chunks, one from
 * description id to number, one back. A reader loads a chunk pointer and a
 * cell, both published with release order; nothing is moved or freed before
 * the dictionary itself.
 */
#include <stdatomic.h>

#include "entry.h"
#include "util/err.h"
#include "util/lock.h"
#include "util/mem.h"

#define CHUNK_BITS	10
#define CHUNK_SIZE	(1u << CHUNK_BITS)
#define CHUNKS		1024u
#define NUM_MAX		(CHUNKS * CHUNK_SIZE - 1)

typedef _Atomic(uint32_t) num_cell;
typedef _Atomic(const struct attr_desc *) desc_cell;

struct attr_dict {
	_Atomic(num_cell *) nums[CHUNKS];	/* by description id */
	_Atomic(desc_cell *) descs[CHUNKS];	/* by number */
	uint32_t next;				/* of the owner: lowest never given */
};

struct attr_dict *
attr_dict_new(void)
{
	struct attr_dict *d = mem_zalloc(sizeof(*d));

	d->next = 1;
	return d;
}

void
attr_dict_free(struct attr_dict **dict)
{
	unsigned i;

	if (*dict == NULL)
		return;
	for (i = 0; i < CHUNKS; i++) {
		free(atomic_load(&(*dict)->nums[i]));
		free(atomic_load(&(*dict)->descs[i]));
	}
	free(*dict);
	*dict = NULL;
}

uint32_t
attr_dict_num(const struct attr_dict *d, const struct attr_desc *desc)
{
	num_cell *chunk;

	if (desc->id > NUM_MAX)
		return 0;
	chunk = atomic_load_explicit(&d->nums[desc->id >> CHUNK_BITS],
	    memory_order_acquire);
	return chunk == NULL ? 0 : atomic_load_explicit(
	    &chunk[desc->id & (CHUNK_SIZE - 1)], memory_order_acquire);
}

const struct attr_desc *
attr_dict_desc(const struct attr_dict *d, uint32_t num)
{
	desc_cell *chunk;

	if (num > NUM_MAX)
		return NULL;
	chunk = atomic_load_explicit(&d->descs[num >> CHUNK_BITS],
	    memory_order_acquire);
	return chunk == NULL ? NULL : atomic_load_explicit(
	    &chunk[num & (CHUNK_SIZE - 1)], memory_order_acquire);
}

uint32_t
attr_dict_add(struct attr_dict *d, const struct attr_desc *desc, uint32_t num)
{
	uint32_t old = attr_dict_num(d, desc);
	num_cell *nums;
	desc_cell *descs;

	if (old != 0)
		return old;
	if (num == 0)
		num = d->next;
	if (num > NUM_MAX || desc->id > NUM_MAX ||
	    attr_dict_desc(d, num) != NULL)
		return 0;
	if ((descs = atomic_load(&d->descs[num >> CHUNK_BITS])) == NULL) {
		descs = mem_calloc(CHUNK_SIZE, sizeof(*descs));
		atomic_store(&d->descs[num >> CHUNK_BITS], descs);
	}
	if ((nums = atomic_load(&d->nums[desc->id >> CHUNK_BITS])) == NULL) {
		nums = mem_calloc(CHUNK_SIZE, sizeof(*nums));
		atomic_store(&d->nums[desc->id >> CHUNK_BITS], nums);
	}
	/* who finds the number finds its description */
	atomic_store(&descs[num & (CHUNK_SIZE - 1)], desc);
	atomic_store(&nums[desc->id & (CHUNK_SIZE - 1)], num);
	if (num >= d->next)
		d->next = num + 1;
	return num;
}
