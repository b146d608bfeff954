/*
 * Names while entries are loaded: who is whose parent, who is there twice, who
 * is missing. Only hashes are kept of names that are there; whole names of
 * those that are waited for.
 */
#include <stdlib.h>
#include <string.h>

#include "backends/store/bulk.h"
#include "util/hash.h"
#include "util/mem.h"

#define NAMED_MAX	10		/* missing names shown */

/* An ancestor that has children and an ID, but is not there yet. */
struct hole {
	entry_id id, parent;
	unsigned line;			/* of the first below it */
	char *text;
};

void
bulk_names_init(struct bulk_names *n, struct store *st,
    const struct be_db *db, entry_id first)
{
	*n = (struct bulk_names){ .st = st, .db = db, .next = first };
	n->was_empty = st == NULL || atomic_load(&st->next_id) <= 1;
	n->map = bulk_map_new();
	n->holes = strmap_new(false);
	buf_init(&n->last_parent);
}

static void
free_hole(struct slice key, void *value, void *arg)
{
	struct hole *h = value;

	(void)key;
	(void)arg;
	free(h->text);
	free(h);
}

void
bulk_names_fini(struct bulk_names *n)
{
	if (n->holes != NULL)
		strmap_each(n->holes, free_hole, NULL);
	strmap_free(&n->holes);
	bulk_map_free(&n->map);
	buf_fini(&n->last_parent);
}

static bool
is_top(const struct bulk_names *n, const struct dn *dn)
{
	for (unsigned i = 0; i < n->db->nsuffixes; i++)
		if (dn_is_eq(dn, &n->db->suffixes[i]))
			return true;
	return dn_is_empty(dn);
}

/* ID of DN if it was in the database before. HB_ENOTFOUND. */
static int
find_old(struct bulk_names *n, const struct dn *dn, entry_id *id_r)
{
	if (n->was_empty)
		return HB_ENOTFOUND;
	return n->st->names->find(n->st, n->txn != NULL ? *n->txn : NULL, dn,
	    id_r);
}

/* ID of DN, there or waited for. HB_ENOTFOUND. */
static int
find_any(struct bulk_names *n, const struct dn *dn, entry_id *id_r)
{
	uint64_t hash = bulk_map_hash(n->map, dn->norm);

	if (bulk_map_find(n->map, hash, id_r, NULL))
		return HB_OK;
	return find_old(n, dn, id_r);
}

/*
 * IDs for DN and all ancestors that have none, the topmost first. Walks up
 * with a list of what is missing.
 */
static int
make_holes(struct bulk_names *n, const struct dn *dn, unsigned line,
    entry_id *id_r)
{
	struct dn *missing = NULL, at = *dn;
	size_t nmissing = 0, cap = 0;
	entry_id parent = ENTRY_ID_NONE;
	int rc;

	for (;;) {
		missing = mem_grow(missing, &cap, nmissing + 1, sizeof(at));
		missing[nmissing++] = at;
		if (is_top(n, &at))
			break;
		at = dn_parent(&at);
		if ((rc = find_any(n, &at, &parent)) == HB_OK)
			break;
		if (rc != HB_ENOTFOUND && rc != HB_ENOENT) {
			free(missing);
			return rc;
		}
	}
	while (nmissing-- > 0) {
		struct hole *h = mem_zalloc(sizeof(*h));

		at = missing[nmissing];
		*h = (struct hole){ n->next++, parent, line,
		    mem_slicedup(at.text) };
		parent = h->id;
		strmap_set(n->holes, at.norm, h);
		bulk_map_add(n->map, bulk_map_hash(n->map, at.norm), h->id,
		    line);
	}
	free(missing);
	*id_r = parent;
	return HB_OK;
}

static int
find_parent(struct bulk_names *n, const struct dn *dn, unsigned line,
    entry_id *id_r)
{
	struct dn parent;
	int rc;

	*id_r = ENTRY_ID_NONE;
	if (is_top(n, dn))
		return HB_OK;
	parent = dn_parent(dn);
	if (n->last_parent_id != ENTRY_ID_NONE &&
	    slice_is_eq(parent.norm, buf_slice(&n->last_parent))) {
		*id_r = n->last_parent_id;
		return HB_OK;
	}
	rc = find_any(n, &parent, id_r);
	if (rc == HB_ENOTFOUND || rc == HB_ENOENT)
		rc = make_holes(n, &parent, line, id_r);
	if (rc != HB_OK)
		return rc;
	buf_reset(&n->last_parent);
	buf_put_slice(&n->last_parent, parent.norm);
	n->last_parent_id = *id_r;
	return HB_OK;
}

static int
is_there(const struct dn *dn, unsigned line, struct diag *diag)
{
	if (line == 0)
		return diag_err(diag, HB_EEXISTS, "\"%.*s\" is in the "
		    "database already", SLICE_ARG(dn->text));
	return diag_err(diag, HB_EEXISTS, "\"%.*s\" is there already, "
	    "from line %u", SLICE_ARG(dn->text), line);
}

int
bulk_names_add(struct bulk_names *n, struct arena *arena,
    const struct dn *dn, unsigned line, entry_id *id_r, entry_id *parent_r,
    bool *late_r, struct diag *diag)
{
	uint64_t hash = bulk_map_hash(n->map, dn->norm);
	struct hole *h;
	unsigned first;
	entry_id old;
	int rc;

	(void)arena;
	*late_r = false;
	if (bulk_map_find(n->map, hash, id_r, &first)) {
		h = strmap_count(n->holes) == 0 ? NULL :
		    strmap_remove(n->holes, dn->norm);
		if (h == NULL)
			return is_there(dn, first, diag);
		*parent_r = h->parent;
		*late_r = true;
		free_hole(dn->norm, h, NULL);
		bulk_map_set_line(n->map, hash, line);
		return HB_OK;
	}
	rc = find_old(n, dn, &old);
	if (rc == HB_OK)
		return is_there(dn, 0, diag);
	if ((rc != HB_ENOTFOUND && rc != HB_ENOENT) ||
	    (rc = find_parent(n, dn, line, parent_r)) != HB_OK)
		return diag_err(diag, rc, "\"%.*s\": the parent cannot be "
		    "looked up", SLICE_ARG(dn->text));
	*id_r = n->next++;
	bulk_map_add(n->map, hash, *id_r, line);
	return HB_OK;
}

bool
bulk_names_has_parent(struct bulk_names *n, const struct dn *dn)
{
	struct dn parent;
	entry_id id;

	if (is_top(n, dn))
		return true;
	parent = dn_parent(dn);
	return strmap_find(n->holes, parent.norm) == NULL &&
	    find_any(n, &parent, &id) == HB_OK;
}

struct missing {
	const struct hole *v[NAMED_MAX];
	unsigned n;
};

/* Keep those of the lowest lines. */
static void
note_missing(struct slice key, void *value, void *arg)
{
	const struct hole *h = value;
	struct missing *m = arg;
	unsigned i = m->n < NAMED_MAX ? m->n++ : NAMED_MAX;

	(void)key;
	while (i > 0 && (m->v[i - 1]->line > h->line ||
	    (m->v[i - 1]->line == h->line && m->v[i - 1]->id > h->id))) {
		if (i < NAMED_MAX)
			m->v[i] = m->v[i - 1];
		i--;
	}
	if (i < NAMED_MAX)
		m->v[i] = h;
}

int
bulk_names_check(const struct bulk_names *n, struct diag *diag)
{
	size_t count = strmap_count(n->holes);
	struct missing m = { .n = 0 };

	if (count == 0)
		return HB_OK;
	strmap_each(n->holes, note_missing, &m);
	diag_add(diag, "%zu entr%s missing that others lie below", count,
	    count == 1 ? "y is" : "ies are");
	for (unsigned i = 0; i < m.n; i++)
		diag_add(diag, "\"%s\" (above the entry of line %u)",
		    m.v[i]->text, m.v[i]->line);
	if (count > m.n)
		diag_add(diag, "and %zu more", count - m.n);
	return HB_ENOENT;
}
