/* Aliases by their targets: see alias_map.h. */
#include "backends/store/alias_map.h"

#include "util/hash.h"
#include "util/mem.h"

struct alias_map {
	struct lk_rwlock lock;		/* rank CACHE; guards both */
	struct strmap *targets;		/* by ID: normal form of the name */
	struct strmap *aliases;		/* by that: struct idset */
};

static void
set_alias(struct alias_map *m, struct slice norm, entry_id id, bool is)
{
	struct idset *ids = strmap_find(m->aliases, norm);

	if (ids == NULL) {
		ids = mem_alloc(sizeof(*ids));
		idset_init(ids);
		strmap_set(m->aliases, norm, ids);
	}
	if (is)
		idset_add(ids, id);
	else
		idset_remove(ids, id);
	if (idset_is_empty(ids)) {
		strmap_remove(m->aliases, norm);
		idset_fini(ids);
		free(ids);
	}
}

void
alias_map_set(struct store *st, entry_id id, struct slice norm)
{
	struct alias_map *m = st->alias_map;
	char key[8], *had;

	if (m == NULL)
		return;
	store_id_put(key, id);
	lk_wrlock(&m->lock);
	had = strmap_remove(m->targets, slice(key, sizeof(key)));
	if (had != NULL)
		set_alias(m, slice_of(had), id, false);
	free(had);
	if (!slice_is_none(norm)) {
		strmap_set(m->targets, slice(key, sizeof(key)),
		    mem_slicedup(norm));
		set_alias(m, norm, id, true);
	}
	lk_rw_unlock(&m->lock);
}

void
alias_map_get(const struct store *st, struct slice norm, struct idset *ids)
{
	struct alias_map *m = st->alias_map;
	const struct idset *found;

	lk_rdlock(&m->lock);
	if ((found = strmap_find(m->aliases, norm)) != NULL)
		idset_or(ids, found);
	lk_rw_unlock(&m->lock);
}

static int
read_all(struct store *st)
{
	struct idset ids = IDSET_INIT;
	struct idset_iter it;
	struct entry_attr a;
	struct slice norm;
	struct entry *e = NULL;
	entry_id id;
	int rc = HB_OK;

	store_special_copy(st, SPECIAL_ALIAS, &ids);
	idset_iter_init(&it, &ids, 0);
	while (rc == HB_OK && idset_iter_next(&it, &id)) {
		if ((rc = store_entry_by_id(st, NULL, id, true, &e)) != HB_OK)
			break;
		if (entry_find(e, st->aliased_object, &a) &&
		    entry_value_next(&a, NULL, &norm))
			alias_map_set(st, id, norm);
		entry_unref(&e);
	}
	idset_iter_fini(&it);
	idset_fini(&ids);
	return rc == HB_ENOTFOUND ? HB_ECORRUPT : rc;
}

int
alias_map_open(struct store *st)
{
	struct alias_map *m = mem_zalloc(sizeof(*m));

	lk_rw_init(&m->lock, LK_CACHE, "aliases");
	m->targets = strmap_new(false);
	m->aliases = strmap_new(false);
	st->alias_map = m;
	return read_all(st);
}

static void
free_target(struct slice key, void *value, void *arg)
{
	(void)key;
	(void)arg;
	free(value);
}

static void
free_aliases(struct slice key, void *value, void *arg)
{
	(void)key;
	(void)arg;
	idset_fini(value);
	free(value);
}

void
alias_map_close(struct store *st)
{
	struct alias_map *m = st->alias_map;

	if (m == NULL)
		return;
	strmap_each(m->targets, free_target, NULL);
	strmap_each(m->aliases, free_aliases, NULL);
	strmap_free(&m->targets);
	strmap_free(&m->aliases);
	lk_rw_fini(&m->lock);
	free(m);
	st->alias_map = NULL;
}
