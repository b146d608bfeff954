/* Keys of whole entries, for the bulk loader: one pass over the attributes. */
#include <stdlib.h>
#include <string.h>

#include "backends/store/index_int.h"
#include "util/mem.h"

void
index_emitter_init(struct index_emitter *em, const struct store *st,
    const unsigned *kinds, void (*cb)(unsigned index, struct slice key,
    void *arg), void *arg)
{
	*em = (struct index_emitter){ .st = st, .kinds = kinds, .cb = cb,
	    .arg = arg };
	arena_init(&em->arena, 0);
}

void
index_emitter_fini(struct index_emitter *em)
{
	for (size_t i = 0; i < em->nlists; i++)
		free(em->lists[i]);
	free(em->lists);
	arena_fini(&em->arena);
}

static unsigned short *
make_list(const struct index_emitter *em, const struct attr_desc *desc)
{
	const struct index_set *set = em->st->indexes;
	unsigned short *list = mem_calloc(set->n + 1, sizeof(*list));

	for (unsigned i = 0; i < set->n; i++)
		if (em->kinds[i] != 0 && index_covers(&set->v[i], desc))
			list[++list[0]] = (unsigned short)i;
	return list;
}

static const unsigned short *
find_list(struct index_emitter *em, const struct attr_desc *desc)
{
	if (desc->id >= em->nlists) {
		size_t n = em->nlists;

		em->lists = mem_grow(em->lists, &em->nlists, desc->id + 1u,
		    sizeof(em->lists[0]));
		memset(em->lists + n, 0,
		    (em->nlists - n) * sizeof(em->lists[0]));
	}
	if (em->lists[desc->id] == NULL)
		em->lists[desc->id] = make_list(em, desc);
	return em->lists[desc->id];
}

struct emit {
	struct index_emitter *em;
	unsigned number;
};

static void
emit_key(const struct index_key *key, void *arg)
{
	struct emit *e = arg;

	e->em->cb(e->number, slice(key->v, key->len), e->em->arg);
}

static void
emit_attr(struct index_emitter *em, unsigned number, struct entry_attr a)
{
	const struct index *ix = &em->st->indexes->v[number];
	unsigned kinds = em->kinds[number];
	struct emit e = { em, number };
	struct index_key key;
	struct slice norm;

	if (kinds & INDEX_PRES) {
		index_presence_key(&key);
		emit_key(&key, &e);
		kinds &= ~(unsigned)INDEX_PRES;
	}
	while (kinds != 0 && entry_value_next(&a, NULL, &norm))
		index_value_keys(em->st, ix, kinds, a.desc, norm, &em->arena,
		    emit_key, &e);
}

void
index_emit(struct index_emitter *em, const struct entry *e)
{
	unsigned n = entry_nattrs(e);

	for (unsigned i = 0; i < n; i++) {
		const unsigned short *list;
		struct entry_attr a;

		entry_attr_at(e, i, &a);
		list = find_list(em, a.desc);
		for (unsigned k = 1; k <= list[0]; k++)
			emit_attr(em, list[k], a);
	}
	arena_reset(&em->arena);
}
