/*
 * Writing indexes: the keys of an entry before and after a change are sorted
 * and compared, and only what differs is written.
 */
#include <stdlib.h>
#include <string.h>

#include "backends/store/index_int.h"
#include "util/mem.h"

struct keys {
	struct arena *arena;
	struct slice *v;
	size_t n, cap;
};

static void
keys_add(const struct index_key *key, void *arg)
{
	struct keys *k = arg;

	k->v = mem_grow(k->v, &k->cap, k->n + 1, sizeof(k->v[0]));
	k->v[k->n++] = arena_slice(k->arena, slice(key->v, key->len));
}

static int
cmp_slices(const void *a, const void *b)
{
	return slice_cmp(*(const struct slice *)a, *(const struct slice *)b);
}

static void
keys_sort(struct keys *k)
{
	size_t n = 0;

	if (k->n == 0)
		return;
	qsort(k->v, k->n, sizeof(k->v[0]), cmp_slices);
	for (size_t i = 1; i < k->n; i++)
		if (!slice_is_eq(k->v[n], k->v[i]))
			k->v[++n] = k->v[i];
	k->n = n + 1;
}

static void
value_keys(const struct store *st, const struct index *ix,
    const struct attr_desc *desc, struct slice norm, struct keys *k)
{
	index_value_keys(st, ix, ix->kept, desc, norm, k->arena, keys_add, k);
}

/* Sorted keys of E (NULL: none) in IX. */
static void
entry_keys(const struct store *st, const struct index *ix,
    const struct entry *e, struct keys *k)
{
	struct index_key key;
	struct entry_attr a;
	struct slice norm;
	bool present = false;

	k->n = 0;
	for (unsigned i = 0; e != NULL && i < entry_nattrs(e); i++) {
		entry_attr_at(e, i, &a);
		if (!index_covers(ix, a.desc))
			continue;
		present = true;
		if (ix->kept == INDEX_PRES)
			break;
		while (entry_value_next(&a, NULL, &norm))
			value_keys(st, ix, a.desc, norm, k);
	}
	if (present && (ix->kept & INDEX_PRES)) {
		index_presence_key(&key);
		keys_add(&key, k);
	}
	keys_sort(k);
}

/* Next attribute of E from *I on that belongs to IX. */
static bool
next_attr(const struct index *ix, const struct entry *e, unsigned *i,
    struct entry_attr *a_r)
{
	while (e != NULL && *i < entry_nattrs(e)) {
		entry_attr_at(e, (*i)++, a_r);
		if (index_covers(ix, a_r->desc))
			return true;
	}
	return false;
}

/* OLD and NEW have the same values, octet by octet, of all that IX covers. */
static bool
is_same(const struct index *ix, const struct entry *old,
    const struct entry *new)
{
	unsigned i = 0, j = 0;
	struct entry_attr a, b;

	for (;;) {
		bool more = next_attr(ix, old, &i, &a);

		if (next_attr(ix, new, &j, &b) != more)
			return false;
		if (!more)
			return true;
		if (a.desc != b.desc || !slice_is_eq(a.element, b.element))
			return false;
	}
}

/* Put ID into the record of KEY, or take it out. */
static int
edit_record(struct store_txn *txn, const struct index *ix, DBC *c,
    struct slice key, entry_id id, bool add)
{
	unsigned char had[INDEX_DATA_MAX], has[INDEX_DATA_MAX];
	struct index_key full;
	DBT k = { 0 }, d = { 0 };
	unsigned len;
	bool changed;
	int err, rc;

	memcpy(full.v, key.ptr, key.len);
	full.len = (unsigned)key.len;
	index_key_high(&full, id);
	k.data = full.v;
	k.size = full.len;
	d.data = had;
	d.ulen = sizeof(had);
	d.flags = DB_DBT_USERMEM;
	err = c->get(c, &k, &d, DB_SET | DB_RMW);
	if (err == DB_NOTFOUND)
		d.size = 0;
	else if (err != 0)
		return store_db_error(txn->st, err, "reading an index");
	rc = index_data_edit(slice(had, d.size), (unsigned)(id %
	    INDEX_CHUNK), add, has, &len, &changed);
	if (rc != HB_OK || !changed)
		return rc;
	cand_cache_forget(txn, ix->number, key);
	if (len == 0)
		return store_db_error(txn->st, c->del(c, 0),
		    "writing an index");
	d.data = has;
	d.size = len;
	return store_db_error(txn->st, c->put(c, &k, &d,
	    err == DB_NOTFOUND ? DB_KEYFIRST : DB_CURRENT),
	    "writing an index");
}

static int
write_diff(struct store_txn *txn, const struct index *ix, entry_id id,
    const struct keys *old, const struct keys *new)
{
	size_t i = 0, j = 0;
	DBC *c = NULL;
	int rc = HB_OK, err;

	while (rc == HB_OK && (i < old->n || j < new->n)) {
		int cmp = i == old->n ? 1 : j == new->n ? -1 :
		    slice_cmp(old->v[i], new->v[j]);

		if (cmp == 0) {
			i++;
			j++;
			continue;
		}
		if (c == NULL && (err = ix->db->cursor(ix->db, txn->txn, &c,
		    0)) != 0)
			return store_db_error(txn->st, err,
			    "writing an index");
		rc = edit_record(txn, ix, c, cmp < 0 ? old->v[i++] :
		    new->v[j++], id, cmp > 0);
	}
	if (c != NULL && (err = c->close(c)) != 0 && rc == HB_OK)
		rc = store_db_error(txn->st, err, "writing an index");
	return rc;
}

int
index_update(struct store_txn *txn, entry_id id, const struct entry *old,
    const struct entry *new)
{
	const struct index_set *set = txn->st->indexes;
	struct arena arena;
	struct keys before = { .arena = &arena }, after = { .arena = &arena };
	int rc = HB_OK;

	arena_init(&arena, 0);
	for (unsigned i = 0; set != NULL && i < set->n && rc == HB_OK; i++) {
		const struct index *ix = &set->v[i];

		if (ix->kept == 0 || is_same(ix, old, new))
			continue;
		entry_keys(txn->st, ix, old, &before);
		entry_keys(txn->st, ix, new, &after);
		rc = write_diff(txn, ix, id, &before, &after);
		arena_reset(&arena);
	}
	free(before.v);
	free(after.v);
	arena_fini(&arena);
	return rc;
}
