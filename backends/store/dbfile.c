/* Database files: opening, single gets, walks over ranges of keys. */
#include <sys/stat.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backends/store/range.h"
#include "util/log.h"
#include "util/mem.h"
#include "util/text.h"

#define PAGE_ENTRIES	(16 * 1024)	/* id2entry: several entries a page */
#define PAGE_OTHERS	(4 * 1024)
#define GET_ROOM	4096

int
store_db_error(struct store *st, int dberr, const char *what)
{
	switch (dberr) {
	case 0:
		return HB_OK;
	case DB_LOCK_DEADLOCK:
	case DB_LOCK_NOTGRANTED:
		return HB_EDEADLOCK;
	case DB_NOTFOUND:
		return HB_ENOTFOUND;
	case DB_KEYEXIST:
		return HB_EEXISTS;
	default:
		log_printf(LOG_ANY, "%s: %s: %s", st->conf->directory, what,
		    db_strerror(dberr));
		return dberr == ENOSPC || dberr == EDQUOT ? HB_ENOSPACE :
		    HB_EIO;
	}
}

/* `dbpagesize FILE KB`; FILE with or without ".bdb". */
static u_int32_t
page_size(const struct store_conf *conf, const char *file)
{
	const struct cfg_words *w = &conf->dbpagesize;
	uint64_t kb;

	for (unsigned i = 0; i + 1 < w->n; i += 2) {
		size_t n = strlen(w->v[i]);

		if (strncmp(w->v[i], file, n) == 0 && (file[n] == '\0' ||
		    strcmp(file + n, ".bdb") == 0) &&
		    text_to_uint(slice_of(w->v[i + 1]), &kb) == HB_OK)
			return (u_int32_t)kb * 1024;
	}
	return strcmp(file, "id2entry.bdb") == 0 ? PAGE_ENTRIES : PAGE_OTHERS;
}

static u_int32_t
db_flags(const struct store *st, bool create)
{
	u_int32_t flags = DB_THREAD;

	if (st->is_read)
		return flags | DB_RDONLY;
	if (create)
		flags |= DB_CREATE;
	if (st->mode != STORE_QUICK)
		flags |= DB_AUTO_COMMIT;
	return flags;
}

static bool
is_skipped(const struct store *st, const char *file)
{
	for (const char *const *s = st->skip; s != NULL && *s != NULL; s++)
		if (strcmp(*s, file) == 0)
			return true;
	return false;
}

int
store_db_open(struct store *st, const char *file, bool create, DB **db_r,
    bool *created_r, struct diag *diag)
{
	char *path = mem_printf("%s/%s", st->conf->directory, file);
	bool exists = access(path, F_OK) == 0 && !is_skipped(st, file);
	DB *db = NULL;
	u_int32_t flags = st->crypt_flag;
	int err, rc = HB_OK;

	*db_r = NULL;
	if (created_r != NULL)
		*created_r = !exists;
	if (!exists && (!create || st->is_read)) {
		rc = HB_ENOENT;
		goto out;
	}
	if (st->conf->checksum)
		flags |= DB_CHKSUM;
	if ((err = db_create(&db, st->env, 0)) != 0 ||
	    (err = db->set_pagesize(db, page_size(st->conf, file))) != 0 ||
	    (flags != 0 && (err = db->set_flags(db, flags)) != 0) ||
	    (err = db->open(db, NULL, file, NULL, DB_BTREE,
	    db_flags(st, create), st->conf->mode)) != 0) {
		rc = diag_err(diag, err == ENOSPC ? HB_ENOSPACE : HB_EIO,
		    "opening %s: %s", path, db_strerror(err));
		if (db != NULL)
			(void)db->close(db, 0);
		goto out;
	}
	*db_r = db;
out:
	free(path);
	return rc;
}

DB_TXN *
store_db_txn(struct store_txn *txn)
{
	return txn == NULL ? NULL : txn->txn;
}

u_int32_t
store_read_flags(const struct store_txn *txn)
{
	return txn != NULL && txn->txn != NULL ? DB_READ_COMMITTED : 0;
}

int
store_get(struct store *st, struct store_txn *txn, DB *db, struct slice key,
    struct arena *arena, struct slice *data_r)
{
	char room[GET_ROOM];
	DBT k = { 0 }, d = { 0 };
	struct slice s;
	int err;

	k.data = (void *)(uintptr_t)key.ptr;
	k.size = (u_int32_t)key.len;
	d.data = room;
	d.ulen = sizeof(room);
	d.flags = DB_DBT_USERMEM;
	for (;;) {
		err = db->get(db, store_db_txn(txn), &k, &d,
		    store_read_flags(txn));
		if (err == DB_BUFFER_SMALL) {
			d.ulen = d.size;
			if ((d.data = arena_alloc(arena, d.size)) == NULL)
				return HB_ELIMIT;
		} else if (txn != NULL || err != DB_LOCK_DEADLOCK)
			break;
	}
	if (err != 0)
		return store_db_error(st, err, "reading");
	s = slice(d.data, d.size);
	*data_r = d.data == room ? arena_slice(arena, s) : s;
	return slice_is_none(*data_r) ? HB_ELIMIT : HB_OK;
}

static void
note_change(struct store_txn *txn)
{
	if (txn == NULL)
		return;
	txn->is_dirty = true;
	txn->nchanges++;
}

int
store_put(struct store *st, struct store_txn *txn, DB *db, struct slice key,
    struct slice data, u_int32_t flags)
{
	DBT k = { 0 }, d = { 0 };

	note_change(txn);
	k.data = (void *)(uintptr_t)key.ptr;
	k.size = (u_int32_t)key.len;
	d.data = (void *)(uintptr_t)data.ptr;
	d.size = (u_int32_t)data.len;
	return store_db_error(st, db->put(db, store_db_txn(txn), &k, &d,
	    flags), "writing");
}

int
store_del(struct store *st, struct store_txn *txn, DB *db, struct slice key)
{
	DBT k = { 0 };

	note_change(txn);
	k.data = (void *)(uintptr_t)key.ptr;
	k.size = (u_int32_t)key.len;
	return store_db_error(st, db->del(db, store_db_txn(txn), &k, 0),
	    "deleting");
}

/* ---- ranges ---- */

void
range_init(struct range *r, struct store *st, struct store_txn *txn, DB *db,
    size_t room)
{
	memset(r, 0, sizeof(*r));
	r->st = st;
	r->txn = txn;
	r->db = db;
	r->room = room;
	r->mem = mem_alloc(room);
	buf_init(&r->from);
}

void
range_fini(struct range *r)
{
	free(r->mem);
	buf_fini(&r->from);
}

void
range_seek(struct range *r, struct slice key)
{
	buf_reset(&r->from);
	buf_put_slice(&r->from, key);
	r->pos = NULL;
	r->last = SLICE_NONE;
	r->at_end = false;
}

/* The batch is used up: the next one begins after its last key. */
static void
seek_on(struct range *r)
{
	if (r->pos == NULL && r->last.ptr != NULL) {
		buf_reset(&r->from);
		buf_put_slice(&r->from, r->last);
		buf_put_char(&r->from, '\0');
		r->last = SLICE_NONE;
	}
}

/* A cursor only as long as the batch: no page stays locked between two. */
static int
get_batch(struct range *r, DBT *data)
{
	DBT key = { 0 };
	DBC *c;
	char room[RANGE_KEY_MAX];
	int err, err2;

	if (r->from.len > sizeof(room))
		return EINVAL;
	if ((err = r->db->cursor(r->db, store_db_txn(r->txn), &c,
	    store_read_flags(r->txn))) != 0)
		return err;
	memset(data, 0, sizeof(*data));
	data->data = r->mem;
	data->ulen = (u_int32_t)r->room;
	data->flags = DB_DBT_USERMEM;
	memcpy(room, r->from.data, r->from.len);
	key.data = room;
	key.size = (u_int32_t)r->from.len;
	key.ulen = sizeof(room);
	key.flags = DB_DBT_USERMEM;
	err = c->get(c, &key, data, DB_SET_RANGE | DB_MULTIPLE_KEY);
	err2 = c->close(c);
	return err != 0 ? err : err2;
}

static int
fetch(struct range *r)
{
	DBT *data = &r->data;
	int err;

	seek_on(r);
	buf_reserve(&r->from, 1);
	for (;;) {
		r->renames = atomic_load(&r->st->renames) & ~UINT64_C(1);
		err = get_batch(r, data);
		if (err == DB_BUFFER_SMALL && data->size > r->room) {
			r->room = (data->size + 4095) & ~(size_t)1023;
			free(r->mem);
			r->mem = mem_alloc(r->room);
		} else if (r->txn != NULL || err != DB_LOCK_DEADLOCK)
			break;
	}
	if (err == DB_NOTFOUND) {
		r->at_end = true;
		return HB_EEND;
	}
	if (err != 0)
		return store_db_error(r->st, err, "reading");
	DB_MULTIPLE_INIT(r->pos, data);
	return HB_OK;
}

int
range_next(struct range *r, struct slice *key_r, struct slice *data_r)
{
	void *key, *data;
	size_t nkey, ndata;
	int rc;

	for (;;) {
		if (r->at_end)
			return HB_EEND;
		if (r->pos == NULL && (rc = fetch(r)) != HB_OK)
			return rc;
		DB_MULTIPLE_KEY_NEXT(r->pos, &r->data, key, nkey, data, ndata);
		if (r->pos == NULL)
			continue;
		*key_r = r->last = slice(key, nkey);
		*data_r = slice(data, ndata);
		return HB_OK;
	}
}
