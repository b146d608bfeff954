/* Filling a B-tree: records in key order, many a call (DB_MULTIPLE_KEY). */
#include <string.h>

#include "backends/store/bulk.h"
#include "util/mem.h"

#define FILL_BYTES	(256 * 1024)
/* With a log every call is a transaction, whose locks are counted. */
#define FILL_BYTES_TXN	(64 * 1024)

static void
restart(struct fill *f)
{
	DB_MULTIPLE_WRITE_INIT(f->pos, &f->dbt);
	f->empty = true;
}

void
fill_begin(struct fill *f, struct store *st, DB *db, const char *name)
{
	*f = (struct fill){ .st = st, .db = db, .name = name };
	f->dbt.ulen = st->is_quick ? FILL_BYTES : FILL_BYTES_TXN;
	f->dbt.data = mem_alloc(f->dbt.ulen);
	f->dbt.flags = DB_DBT_USERMEM;
	restart(f);
}

static int
fill_error(const struct fill *f, int err, struct diag *diag)
{
	return diag_err(diag, store_db_error(f->st, err, f->name),
	    "%s: cannot be written: %s", f->name, db_strerror(err));
}

int
fill_flush(struct fill *f, struct diag *diag)
{
	DBT none = { 0 };
	int err = 0;

	if (!f->empty)
		err = f->db->put(f->db, NULL, &f->dbt, &none,
		    DB_MULTIPLE_KEY);
	restart(f);
	return err == 0 ? HB_OK : fill_error(f, err, diag);
}

static int
put_one(struct fill *f, struct slice key, struct slice data,
    struct diag *diag)
{
	DBT k = { 0 }, d = { 0 };
	int err;

	k.data = (char *)key.ptr;
	k.size = (u_int32_t)key.len;
	d.data = (char *)data.ptr;
	d.size = (u_int32_t)data.len;
	err = f->db->put(f->db, NULL, &k, &d, 0);
	return err == 0 ? HB_OK : fill_error(f, err, diag);
}

int
fill_put(struct fill *f, struct slice key, struct slice data,
    struct diag *diag)
{
	int rc;

	/* what would be most of the buffer goes alone */
	if (key.len + data.len > f->dbt.ulen / 4) {
		if ((rc = fill_flush(f, diag)) != HB_OK)
			return rc;
		return put_one(f, key, data, diag);
	}
	DB_MULTIPLE_KEY_WRITE_NEXT(f->pos, &f->dbt, (void *)key.ptr, key.len,
	    (void *)data.ptr, data.len);
	if (f->pos == NULL) {
		if ((rc = fill_flush(f, diag)) != HB_OK)
			return rc;
		DB_MULTIPLE_KEY_WRITE_NEXT(f->pos, &f->dbt, (void *)key.ptr,
		    key.len, (void *)data.ptr, data.len);
	}
	f->empty = false;
	return HB_OK;
}

void
fill_end(struct fill *f)
{
	free(f->dbt.data);
	*f = (struct fill){ .empty = true };
}
