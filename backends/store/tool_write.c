/*
 * slapadd without -q: transactions of many entries in an ordinary environment.
 * An entry whose parent is not there yet waits in memory, so that no
 * transaction ever leaves an orphan behind.
 */
#include <string.h>

#include "backends/store/tool_int.h"
#include "util/hash.h"
#include "util/mem.h"

#define TXN_ENTRIES	256

struct pending {
	struct pending *next;		/* below the same parent */
	struct arena arena;		/* of all that follows */
	struct dn dn;
	struct attrs attrs;
	entry_id id, parent;
};

static int
commit(struct store_tool *t, struct diag *diag)
{
	int rc = HB_OK;

	if (t->txn != NULL && (rc = store_txn_commit(&t->txn)) != HB_OK)
		diag_set(diag, "a transaction cannot be committed: %s",
		    hb_strerror(rc));
	t->in_txn = 0;
	return rc;
}

static int
write_entry(struct store_tool *t, const struct dn *dn,
    const struct attrs *attrs, entry_id id, entry_id parent,
    struct diag *diag)
{
	struct store *st = t->st;
	struct entry *e = NULL;
	int rc = HB_OK;

	if (t->txn == NULL)
		rc = store_txn_begin(st, NULL, &t->txn);
	if (rc != HB_OK ||
	    (rc = st->names->insert(st, t->txn, parent, dn, id)) != HB_OK ||
	    (rc = store_entry_put(t->txn, id, dn, attrs, &e)) != HB_OK ||
	    (!st->conf->linearindex &&
	    (rc = index_update(t->txn, id, NULL, e)) != HB_OK))
		diag_set(diag, "\"%.*s\" cannot be written: %s",
		    SLICE_ARG(dn->text), hb_strerror(rc));
	entry_unref(&e);
	if (rc == HB_OK && ++t->in_txn >= TXN_ENTRIES)
		rc = commit(t, diag);
	return rc;
}

/* ---- those that wait ---- */

static struct slice *
copy_slices(struct arena *a, const struct slice *v, unsigned n)
{
	struct slice *to = arena_calloc(a, n + 1, sizeof(*to));

	for (unsigned i = 0; i < n; i++)
		to[i] = arena_slice(a, v[i]);
	return to;
}

static void
copy_attrs(struct arena *a, const struct attrs *from, struct attrs *to)
{
	to->v = arena_calloc(a, from->n + 1, sizeof(to->v[0]));
	to->n = to->cap = from->n;
	for (unsigned i = 0; i < from->n; i++) {
		to->v[i] = from->v[i];
		to->v[i].cap = from->v[i].n;
		to->v[i].values = copy_slices(a, from->v[i].values,
		    from->v[i].n);
		to->v[i].norms = copy_slices(a, from->v[i].norms,
		    from->v[i].n);
	}
}

static void
wait_for_parent(struct store_tool *t, const struct tool_entry *te,
    entry_id id, entry_id parent)
{
	struct pending *p = mem_zalloc(sizeof(*p));
	struct slice above = dn_parent(te->dn).norm;

	arena_init(&p->arena, 0);
	p->dn = dn_copy(&p->arena, te->dn);
	copy_attrs(&p->arena, te->attrs, &p->attrs);
	p->id = id;
	p->parent = parent;
	p->next = strmap_find(t->below, above);
	strmap_set(t->below, above, p);
	strmap_set(t->pending, p->dn.norm, p);
}

static void
pending_free(struct pending *p)
{
	arena_fini(&p->arena);
	free(p);
}

/* NORM was written: so are those that waited for it, and for them. */
static int
write_below(struct store_tool *t, struct slice norm, struct diag *diag)
{
	struct pending *todo = strmap_remove(t->below, norm), *p;
	int rc = HB_OK;

	while ((p = todo) != NULL) {
		struct pending *more, **tail = &todo;

		todo = p->next;
		strmap_remove(t->pending, p->dn.norm);
		if (rc == HB_OK)
			rc = write_entry(t, &p->dn, &p->attrs, p->id,
			    p->parent, diag);
		more = strmap_remove(t->below, p->dn.norm);
		while (*tail != NULL)
			tail = &(*tail)->next;
		*tail = more;
		pending_free(p);
	}
	return rc;
}

static bool
must_wait(struct store_tool *t, const struct dn *dn)
{
	struct slice above = dn_parent(dn).norm;

	return !bulk_names_has_parent(&t->seen, dn) ||
	    strmap_find(t->pending, above) != NULL;
}

int
write_put(struct store_tool *t, struct arena *arena,
    const struct tool_entry *te, entry_id *id_r, struct diag *diag)
{
	struct store *st = t->st;
	entry_id parent;
	bool late;
	int rc;

	if (!t->has_seen) {
		entry_id next = atomic_load(&st->next_id);

		bulk_names_init(&t->seen, st, st->db, next < 1 ? 1 : next);
		t->seen.txn = &t->txn;
		t->pending = strmap_new(false);
		t->below = strmap_new(false);
		t->has_seen = true;
	}
	rc = bulk_names_add(&t->seen, arena, te->dn, te->line, id_r, &parent,
	    &late, diag);
	if (rc != HB_OK)
		return rc;
	if (atomic_load(&st->next_id) < t->seen.next)
		atomic_store(&st->next_id, t->seen.next);
	if (must_wait(t, te->dn)) {
		wait_for_parent(t, te, *id_r, parent);
		return HB_OK;
	}
	rc = write_entry(t, te->dn, te->attrs, *id_r, parent, diag);
	return rc != HB_OK ? rc : write_below(t, te->dn->norm, diag);
}

static void
drop_pending(struct slice key, void *value, void *arg)
{
	(void)key;
	(void)arg;
	pending_free(value);
}

int
write_close(struct store_tool *t, bool ok, struct diag *diag)
{
	int rc = HB_OK, rc2;

	if (!ok)
		store_txn_abort(&t->txn);
	else {
		rc = commit(t, diag);
		if (t->has_seen && (rc2 = bulk_names_check(&t->seen,
		    diag)) != HB_OK && rc == HB_OK)
			rc = rc2;
	}
	if (t->pending != NULL)
		strmap_each(t->pending, drop_pending, NULL);
	strmap_free(&t->pending);
	strmap_free(&t->below);
	return rc;
}
