/*
 * The caches at a commit. In order: what will be stale leaves the caches and
 * their shards take nothing in (their stamps are odd), the transaction is
 * committed, new values go in and the shards are open again. A reader between
 * finds nothing and reads; it sees the pages before or after the commit, and
 * keeps neither.
 */
#include "backends/store/commit.h"

#include <stdlib.h>

#include "backends/store/alias_map.h"
#include "backends/store/cache.h"
#include "util/arena.h"
#include "util/mem.h"

struct undo_entry {
	size_t seq;			/* undo_unify() */
	entry_id id;
	struct entry *e;
};

struct undo_name {
	size_t seq;
	struct slice norm;
	entry_id id;
};

struct undo_cand {
	unsigned index;
	struct slice key;
};

struct undo_special {
	size_t seq;
	enum special_kind kind;
	entry_id id;
	bool is;
};

struct undo_alias {
	size_t seq;
	entry_id id;
	struct slice norm;
};

struct undo {
	struct arena arena;		/* names and keys */
	struct undo_entry *entries;
	size_t nentries, cap_entries;
	struct undo_name *names;
	size_t nnames, cap_names;
	struct undo_cand *cands;
	size_t ncands, cap_cands;
	struct undo_special *specials;
	size_t nspecials, cap_specials;
	struct undo_alias *aliases;
	size_t naliases, cap_aliases;
	bool all_names;
};

struct undo *
undo_new(void)
{
	struct undo *u = mem_zalloc(sizeof(*u));

	arena_init(&u->arena, 0);
	return u;
}

void
undo_free(struct undo **undo)
{
	struct undo *u = *undo;

	if (u == NULL)
		return;
	undo_reset(u);
	arena_fini(&u->arena);
	free(u->entries);
	free(u->names);
	free(u->cands);
	free(u->specials);
	free(u->aliases);
	free(u);
	*undo = NULL;
}

void
undo_reset(struct undo *u)
{
	for (size_t i = 0; i < u->nentries; i++)
		entry_unref(&u->entries[i].e);
	u->nentries = u->nnames = u->ncands = u->nspecials = 0;
	u->naliases = 0;
	u->all_names = false;
	arena_reset(&u->arena);
}

void
undo_entry(struct store_txn *txn, entry_id id, struct entry *e)
{
	struct undo *u = txn->st->undo;

	u->entries = mem_grow(u->entries, &u->cap_entries, u->nentries + 1,
	    sizeof(*u->entries));
	u->entries[u->nentries] = (struct undo_entry){ u->nentries, id,
	    e == NULL ? NULL : entry_ref(e) };
	u->nentries++;
}

void
undo_name(struct store_txn *txn, struct slice norm, entry_id id)
{
	struct undo *u = txn->st->undo;

	u->names = mem_grow(u->names, &u->cap_names, u->nnames + 1,
	    sizeof(*u->names));
	u->names[u->nnames] = (struct undo_name){ u->nnames,
	    arena_slice(&u->arena, norm), id };
	u->nnames++;
}

void
undo_all_names(struct store_txn *txn)
{
	txn->st->undo->all_names = true;
}

void
undo_candidates(struct store_txn *txn, unsigned index, struct slice key)
{
	struct undo *u = txn->st->undo;

	u->cands = mem_grow(u->cands, &u->cap_cands, u->ncands + 1,
	    sizeof(*u->cands));
	u->cands[u->ncands++] = (struct undo_cand){ index,
	    arena_slice(&u->arena, key) };
}

void
cand_cache_forget(struct store_txn *txn, unsigned index, struct slice key)
{
	undo_candidates(txn, index, key);
}

void
undo_special(struct store_txn *txn, enum special_kind kind, entry_id id,
    bool is)
{
	struct undo *u = txn->st->undo;

	u->specials = mem_grow(u->specials, &u->cap_specials,
	    u->nspecials + 1, sizeof(*u->specials));
	u->specials[u->nspecials] = (struct undo_special){ u->nspecials, kind,
	    id, is };
	u->nspecials++;
}

bool
undo_find_special(struct store_txn *txn, enum special_kind kind, entry_id id,
    bool *is_r)
{
	const struct undo *u = txn->st->undo;

	for (size_t i = u->nspecials; i-- > 0; )
		if (u->specials[i].kind == kind && u->specials[i].id == id) {
			*is_r = u->specials[i].is;
			return true;
		}
	return false;
}

/* Latest first among those of one ID. */
static int
cmp_entries(const void *a, const void *b)
{
	const struct undo_entry *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->seq > y->seq ? -1 : 1;
}

static int
cmp_specials(const void *a, const void *b)
{
	const struct undo_special *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->seq > y->seq ? -1 : 1;
}

static int
cmp_aliases(const void *a, const void *b)
{
	const struct undo_alias *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->seq > y->seq ? -1 : 1;
}

static int
cmp_names(const void *a, const void *b)
{
	const struct undo_name *x = a, *y = b;
	int cmp = slice_cmp(x->norm, y->norm);

	return cmp != 0 ? cmp : x->seq > y->seq ? -1 : 1;
}

static void
unify_specials(struct undo *u)
{
	size_t i, n;

	if (u->nspecials > 1)
		qsort(u->specials, u->nspecials, sizeof(*u->specials),
		    cmp_specials);
	for (i = n = 0; i < u->nspecials; i++)
		if (n == 0 || u->specials[i].id != u->specials[n - 1].id ||
		    u->specials[i].kind != u->specials[n - 1].kind)
			u->specials[n++] = u->specials[i];
	u->nspecials = n;
	if (u->naliases > 1)
		qsort(u->aliases, u->naliases, sizeof(*u->aliases),
		    cmp_aliases);
	for (i = n = 0; i < u->naliases; i++)
		if (n == 0 || u->aliases[i].id != u->aliases[n - 1].id)
			u->aliases[n++] = u->aliases[i];
	u->naliases = n;
}

void
undo_unify(struct store_txn *txn)
{
	struct undo *u = txn->st->undo;
	size_t i, n;

	if (u->nentries > 1)
		qsort(u->entries, u->nentries, sizeof(*u->entries),
		    cmp_entries);
	for (i = n = 0; i < u->nentries; i++) {
		if (n > 0 && u->entries[i].id == u->entries[n - 1].id)
			entry_unref(&u->entries[i].e);
		else
			u->entries[n++] = u->entries[i];
	}
	u->nentries = n;
	if (u->nnames > 1)
		qsort(u->names, u->nnames, sizeof(*u->names), cmp_names);
	for (i = n = 0; i < u->nnames; i++)
		if (n == 0 ||
		    !slice_is_eq(u->names[i].norm, u->names[n - 1].norm))
			u->names[n++] = u->names[i];
	u->nnames = n;
	unify_specials(u);
}

void
undo_alias(struct store_txn *txn, entry_id id, struct slice norm)
{
	struct undo *u = txn->st->undo;

	u->aliases = mem_grow(u->aliases, &u->cap_aliases, u->naliases + 1,
	    sizeof(*u->aliases));
	u->aliases[u->naliases] = (struct undo_alias){ u->naliases, id,
	    slice_is_none(norm) ? norm : arena_slice(&u->arena, norm) };
	u->naliases++;
}

void
undo_commit_begin(struct store_txn *txn)
{
	struct store *st = txn->st;
	struct undo *u = st->undo;
	size_t i;

	LK_ASSERT_HELD(&st->writer);
	if (txn->is_rename)
		atomic_fetch_add(&st->renames, 1);
	if (u->all_names) {
		entry_cache_all_begin(st->entries);
		name_cache_all_begin(st->name_cache);
	}
	for (i = 0; i < u->nentries; i++)
		entry_cache_change_begin(st->entries, u->entries[i].id);
	for (i = 0; i < u->nnames; i++)
		name_cache_change_begin(st->name_cache, u->names[i].norm);
	for (i = 0; i < u->ncands; i++)
		cand_cache_change_begin(st->cands, u->cands[i].index,
		    u->cands[i].key);
}

void
undo_commit_end(struct store_txn *txn, bool ok)
{
	struct store *st = txn->st;
	struct undo *u = st->undo;
	size_t i;

	LK_ASSERT_HELD(&st->writer);
	for (i = 0; i < u->nentries; i++)
		entry_cache_change_end(st->entries, u->entries[i].id,
		    ok ? u->entries[i].e : NULL);
	for (i = 0; i < u->nnames; i++)
		name_cache_change_end(st->name_cache, u->names[i].norm,
		    ok ? u->names[i].id : ENTRY_ID_NONE);
	for (i = 0; i < u->ncands; i++)
		cand_cache_change_end(st->cands, u->cands[i].index,
		    u->cands[i].key);
	if (u->all_names) {
		entry_cache_all_end(st->entries);
		name_cache_all_end(st->name_cache);
	}
	for (i = 0; ok && i < u->nspecials; i++)
		store_special_apply(st, u->specials[i].kind,
		    u->specials[i].id, u->specials[i].is);
	for (i = 0; ok && i < u->naliases; i++)
		alias_map_set(st, u->aliases[i].id, u->aliases[i].norm);
	if (txn->is_rename)
		atomic_fetch_add(&st->renames, 1);
}
