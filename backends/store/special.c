/*
 * special.bdb: aliases, referrals and subentries by ID. They are few, and each
 * search asks which there are; with none of a kind that is one load.
 *   kind, 1 octet | ID, 8 octets -> empty
 *   "ok" -> empty: the file is complete
 */
#include <string.h>

#include "backends/store/commit.h"
#include "backends/store/range.h"
#include "util/log.h"
#include "util/mem.h"
#include "util/text.h"

#define KEY_LEN		9
#define DONE_KEY	SLICE("ok")

struct special {
	const struct object_class *classes[SPECIAL_KINDS];
	atomic_uint_least64_t counts[SPECIAL_KINDS];

	struct lk_mutex lock;		/* rank CACHE; guards ids */
	struct idset ids[SPECIAL_KINDS];
};

static void
put_key(char key[KEY_LEN], enum special_kind kind, entry_id id)
{
	key[0] = (char)kind;
	store_id_put(key + 1, id);
}

uint64_t
store_special_count(const struct store *st, enum special_kind kind)
{
	return atomic_load_explicit(&st->special->counts[kind],
	    memory_order_acquire);
}

bool
store_special_has(const struct store *st, enum special_kind kind, entry_id id)
{
	struct special *sp = st->special;
	bool has;

	if (store_special_count(st, kind) == 0)
		return false;
	lk_lock(&sp->lock);
	has = idset_has(&sp->ids[kind], id);
	lk_unlock(&sp->lock);
	return has;
}

void
store_special_copy(const struct store *st, enum special_kind kind,
    struct idset *ids_r)
{
	struct special *sp = st->special;

	if (store_special_count(st, kind) == 0)
		return;
	lk_lock(&sp->lock);
	idset_copy(ids_r, &sp->ids[kind]);
	lk_unlock(&sp->lock);
}

void
store_special_apply(struct store *st, enum special_kind kind, entry_id id,
    bool is)
{
	struct special *sp = st->special;

	lk_lock(&sp->lock);
	if (is)
		idset_add(&sp->ids[kind], id);
	else
		idset_remove(&sp->ids[kind], id);
	atomic_store_explicit(&sp->counts[kind], idset_count(&sp->ids[kind]),
	    memory_order_release);
	lk_unlock(&sp->lock);
}

static int
set_one(struct store *st, struct store_txn *txn, enum special_kind kind,
    entry_id id, bool is)
{
	char key[KEY_LEN];
	struct slice k = slice(key, sizeof(key));
	int rc;

	put_key(key, kind, id);
	rc = is ? store_put(st, txn, st->special_db, k, SLICE(""), 0) :
	    store_del(st, txn, st->special_db, k);
	if (rc == HB_ENOTFOUND)
		rc = HB_OK;
	if (rc == HB_OK && txn != NULL)
		undo_special(txn, kind, id, is);
	else if (rc == HB_OK)
		store_special_apply(st, kind, id, is);
	return rc;
}

/* What the alias ID, to be or not to be one, names now. */
static void
set_alias(const struct store *st, struct store_txn *txn, entry_id id,
    const struct attrs *attrs, bool is)
{
	const struct attr *a = is ? attrs_find(attrs, st->aliased_object) :
	    NULL;

	undo_alias(txn, id, a != NULL && a->n > 0 ? a->norms[0] : SLICE_NONE);
}

int
store_special_set(struct store *st, struct store_txn *txn, entry_id id,
    const struct attrs *attrs)
{
	int rc = HB_OK;

	for (unsigned k = 0; k < SPECIAL_KINDS && rc == HB_OK; k++) {
		bool was;
		bool is = attrs != NULL && attrs_has_class(attrs, st->schema,
		    st->special->classes[k]);

		if (txn == NULL || !undo_find_special(txn, k, id, &was))
			was = store_special_has(st, k, id);
		if (was != is)
			rc = set_one(st, txn, k, id, is);
		if (k == SPECIAL_ALIAS && (was || is) && txn != NULL)
			set_alias(st, txn, id, attrs, is);
	}
	return rc;
}

int
store_special_done(struct store *st)
{
	return store_put(st, NULL, st->special_db, DONE_KEY, SLICE(""), 0);
}

bool
store_special_is(const struct store *st, enum special_kind kind,
    const struct entry *e)
{
	return entry_is_class(e, st->schema, st->special->classes[kind]);
}

static int
set_all(struct store *st, const struct entry *e)
{
	int rc = HB_OK;

	for (unsigned k = 0; k < SPECIAL_KINDS && rc == HB_OK; k++) {
		if (store_special_is(st, k, e))
			rc = set_one(st, NULL, k, e->id, true);
	}
	return rc;
}

/* Read all entries, once. What is listed may be of a load that was given up. */
static int
rebuild(struct store *st)
{
	int64_t start = time_mono_us();
	struct entry *e = NULL;
	entry_id id = 1;
	u_int32_t n;
	int err, rc;

	for (unsigned k = 0; k < SPECIAL_KINDS; k++) {
		idset_fini(&st->special->ids[k]);
		atomic_store(&st->special->counts[k], 0);
	}
	err = st->special_db->truncate(st->special_db, NULL, &n, 0);
	if (err != 0)
		return store_db_error(st, err, "special.bdb");
	for (; (rc = store_entry_scan(st, &id, &e)) == HB_OK; id++) {
		rc = set_all(st, e);
		entry_unref(&e);
		if (rc != HB_OK)
			return rc;
	}
	if (rc != HB_EEND)
		return rc;
	if (id > 1)
		log_printf(LOG_ANY, "%s: aliases, referrals and subentries "
		    "listed in %lld ms", st->conf->directory,
		    (long long)(time_mono_us() - start) / 1000);
	return store_special_done(st);
}

static int
load(struct store *st, bool *done_r)
{
	struct slice key, data;
	struct range r;
	int rc;

	*done_r = false;
	range_init(&r, st, NULL, st->special_db, RANGE_ROOM);
	range_seek(&r, SLICE(""));
	while ((rc = range_next(&r, &key, &data)) == HB_OK) {
		if (slice_is_eq(key, DONE_KEY))
			*done_r = true;
		else if (key.len == KEY_LEN &&
		    (unsigned char)key.ptr[0] < SPECIAL_KINDS)
			store_special_apply(st,
			    (enum special_kind)key.ptr[0],
			    store_id_get(key.ptr + 1), true);
	}
	range_fini(&r);
	return rc == HB_EEND ? HB_OK : rc;
}

int
store_special_open(struct store *st, bool create, struct diag *diag)
{
	struct special *sp = mem_zalloc(sizeof(*sp));
	bool is_new, done = false;
	int rc;

	st->special = sp;
	lk_init(&sp->lock, LK_CACHE, "special entries");
	sp->classes[SPECIAL_ALIAS] =
	    schema_find_class(st->schema, SLICE("alias"));
	sp->classes[SPECIAL_REFERRAL] =
	    schema_find_class(st->schema, SLICE("referral"));
	sp->classes[SPECIAL_SUBENTRY] =
	    schema_find_class(st->schema, SLICE("subentry"));
	for (unsigned k = 0; k < SPECIAL_KINDS; k++) {
		idset_init(&sp->ids[k]);
		hb_assert(sp->classes[k] != NULL);
	}
	rc = store_db_open(st, "special.bdb", create, &st->special_db, &is_new,
	    diag);
	if (rc == HB_ENOENT)
		return HB_OK;
	if (rc != HB_OK || (rc = load(st, &done)) != HB_OK)
		return rc;
	if (st->mode == STORE_QUICK)
		/* the loader says when it is complete again */
		rc = done ? store_del(st, NULL, st->special_db, DONE_KEY) :
		    HB_OK;
	else if (!done && !st->is_read)
		rc = rebuild(st);
	return rc;
}

void
store_special_close(struct store *st)
{
	struct special *sp = st->special;

	if (st->special_db != NULL)
		(void)st->special_db->close(st->special_db, 0);
	st->special_db = NULL;
	if (sp == NULL)
		return;
	for (unsigned k = 0; k < SPECIAL_KINDS; k++)
		idset_fini(&sp->ids[k]);
	lk_fini(&sp->lock);
	free(sp);
	st->special = NULL;
}
