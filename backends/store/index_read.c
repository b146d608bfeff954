/*
 * Reading indexes: the sets of one key, through the candidate cache, or of a
 * range of keys. Without transaction: pages are locked while a cursor stands on
 * them; being chosen as victim of a deadlock means to read again. A writer that
 * has changed something reads through its transaction and past the cache.
 */
#include <string.h>

#include "backends/store/index_int.h"
#include "backends/store/range.h"
#include "util/mem.h"

#define SINGLES		4		/* records before reading in bulk */
#define BULK		(64 * 1024)
#define PROBE_RECORDS	8

/* A walk over records in key order; stops where is_in() is false. */
struct walk {
	const struct index_key *from;
	const struct index_key *to;	/* see index_read_range(); NULL */
	bool exact;			/* only keys FROM + ID part */
	unsigned max;			/* records; 0: all */
	struct idset *ids;

	unsigned records;
	entry_id first, last;		/* base IDs met */
	bool done;			/* met the end */
	int rc;
};

static bool
is_in(const struct walk *w, struct slice key)
{
	size_t n;

	if (w->exact)
		return key.len == w->from->len + INDEX_HIGH_LEN &&
		    memcmp(key.ptr, w->from->v, w->from->len) == 0;
	if (w->to == NULL)
		return (unsigned char)key.ptr[0] == w->from->v[0];
	n = w->to->len < key.len ? w->to->len : key.len;
	return memcmp(key.ptr, w->to->v, n) <= 0;
}

/* True to go on. */
static bool
take(struct walk *w, struct slice key, struct slice data)
{
	entry_id base;
	unsigned len;

	if (key.len <= INDEX_HIGH_LEN) {
		w->rc = HB_ECORRUPT;
		return false;
	}
	if (!is_in(w, key)) {
		w->done = true;
		return false;
	}
	if (w->max != 0 && w->records == w->max)
		return false;
	base = index_key_base(key, &len);
	if (w->records++ == 0)
		w->first = base;
	w->last = base;
	w->rc = index_data_add_to(data, base, w->ids);
	return w->rc == HB_OK;
}

static int
walk_bulk(struct walk *w, DBC *c)
{
	char *mem = mem_alloc(BULK);
	DBT k = { 0 }, d = { 0 };
	bool go_on = true;
	int err = 0;

	d.data = mem;
	d.ulen = BULK;
	d.flags = DB_DBT_USERMEM;
	while (go_on && (err = c->get(c, &k, &d,
	    DB_NEXT | DB_MULTIPLE_KEY)) == 0) {
		void *p, *key, *data;
		size_t nkey, ndata;

		DB_MULTIPLE_INIT(p, &d);
		for (;;) {
			DB_MULTIPLE_KEY_NEXT(p, &d, key, nkey, data, ndata);
			if (p == NULL)
				break;
			go_on = take(w, slice(key, nkey),
			    slice(data, ndata));
			if (!go_on)
				break;
		}
	}
	free(mem);
	return err;
}

static int
walk_cursor(struct walk *w, DBC *c)
{
	unsigned char key[INDEX_KEY_MAX + INDEX_HIGH_LEN];
	unsigned char data[INDEX_DATA_MAX];
	DBT k = { 0 }, d = { 0 };
	unsigned n = 0;
	int err;

	memcpy(key, w->from->v, w->from->len);
	k.data = key;
	k.size = w->from->len;
	k.ulen = sizeof(key);
	d.data = data;
	d.ulen = sizeof(data);
	k.flags = d.flags = DB_DBT_USERMEM;
	err = c->get(c, &k, &d, DB_SET_RANGE);
	while (err == 0) {
		if (!take(w, slice(key, k.size), slice(data, d.size)))
			return 0;
		if (++n == SINGLES && w->max == 0)
			return walk_bulk(w, c);
		err = c->get(c, &k, &d, DB_NEXT);
	}
	return err;
}

/* NUMBER: that of IX before the walk; HB_EDEADLOCK if it is another one then. */
static int
walk_records(struct store *st, struct store_txn *txn, const struct index *ix,
    unsigned number, struct walk *w)
{
	DBC *c;
	int err, err2;

	do {
		idset_fini(w->ids);
		w->records = 0;
		w->done = false;
		w->rc = HB_OK;
		err = ix->db->cursor(ix->db, store_db_txn(txn), &c,
		    store_read_flags(txn));
		if (err == 0) {
			err = walk_cursor(w, c);
			err2 = c->close(c);
			if (err == 0 || err == DB_NOTFOUND)
				err = err2 != 0 ? err2 : err;
		}
	} while (err == DB_LOCK_DEADLOCK && txn == NULL);
	if (err == DB_NOTFOUND) {
		w->done = true;
		err = 0;
	}
	if (err != 0)
		return store_db_error(st, err, "reading an index");
	return ix->number == number ? w->rc : HB_EDEADLOCK;
}

int
index_read_key(struct store *st, struct store_txn *txn,
    const struct index *ix, const struct index_key *key, bool may_read,
    struct idset *ids_r)
{
	struct walk w = { .from = key, .exact = true, .ids = ids_r };
	struct slice name = slice(key->v, key->len);
	unsigned number = ix->number;
	uint64_t ticket;
	int rc;

	idset_fini(ids_r);
	if (txn != NULL && txn->is_dirty)
		return walk_records(st, txn, ix, number, &w);
	if (cand_cache_find(st, number, name, ids_r, &ticket))
		return HB_OK;
	if (!may_read)
		return HB_EDEFER;
	if ((rc = walk_records(st, NULL, ix, number, &w)) == HB_OK)
		cand_cache_put(st, number, name, ids_r, ticket);
	return rc;
}

int
index_read(struct store *st, struct store_txn *txn, const struct index *ix,
    unsigned kind, struct slice value, bool may_read, struct idset *ids_r)
{
	struct index_key key;

	index_key_make(&key, kind, value);
	return index_read_key(st, txn, ix, &key, may_read, ids_r);
}

/* From the first records on: how many there are if it goes on like this. */
static uint64_t
extrapolate(const struct store *st, const struct walk *w)
{
	uint64_t n = idset_count(w->ids);
	uint64_t seen = (w->last - w->first) / INDEX_CHUNK + 1;
	entry_id end = atomic_load(&st->next_id);
	uint64_t all = end > w->first ? (end - w->first) / INDEX_CHUNK + 1 :
	    seen;

	return n / seen * all + n % seen * all / seen;
}

int
index_probe(struct store *st, struct store_txn *txn, const struct index *ix,
    unsigned kind, struct slice value, bool may_read, struct idset *ids_r,
    bool *whole_r, uint64_t *estimate_r)
{
	bool own = txn != NULL && txn->is_dirty;
	struct index_key key;
	struct walk w = { .from = &key, .exact = true, .max = PROBE_RECORDS,
	    .ids = ids_r };
	unsigned number = ix->number;
	struct slice name;
	uint64_t ticket;
	int rc = HB_OK;

	*whole_r = true;
	index_key_make(&key, kind, value);
	name = slice(key.v, key.len);
	idset_fini(ids_r);
	if (own || !cand_cache_find(st, number, name, ids_r, &ticket)) {
		if (!may_read)
			return HB_EDEFER;
		if ((rc = walk_records(st, own ? txn : NULL, ix, number,
		    &w)) != HB_OK)
			return rc;
		*whole_r = w.done;
		if (w.done && !own)
			cand_cache_put(st, number, name, ids_r, ticket);
	}
	*estimate_r = *whole_r ? idset_count(ids_r) : extrapolate(st, &w);
	return HB_OK;
}

int
index_read_range(struct store *st, struct store_txn *txn,
    const struct index *ix, const struct index_key *from,
    const struct index_key *to, struct idset *ids_r)
{
	struct walk w = { .from = from, .to = to, .ids = ids_r };
	unsigned number = ix->number;

	return walk_records(st, txn != NULL && txn->is_dirty ? txn : NULL, ix,
	    number, &w);
}
