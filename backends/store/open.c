/* A database from its configuration to ready, and back. */
#include <string.h>

#include "backends/store/advice.h"
#include "backends/store/alias_map.h"
#include "backends/store/cache.h"
#include "backends/store/commit.h"
#include "backends/store/env.h"
#include "backends/store/index.h"
#include "util/log.h"
#include "util/mem.h"

static void
make_caches(struct store *st)
{
	const struct store_conf *conf = st->conf;
	struct budget b;

	budget_make(conf, &b);
	st->entries = entry_cache_new(b.entries, conf->cachesize);
	st->name_cache = name_cache_new(b.names, conf->dncachesize);
	st->cands = cand_cache_new(b.cands, conf->idlcachesize);
}

static struct store *
store_new(struct be_db *db, const struct dnidx_ops *names,
    enum store_mode mode)
{
	struct store *st = mem_zalloc(sizeof(*st));

	st->db = db;
	st->conf = db->conf;
	st->names = names;
	st->schema = db->schema;
	st->has_subordinates = schema_builtin(db->schema, "hasSubordinates");
	st->aliased_object = schema_builtin(db->schema, "aliasedObjectName");
	st->mode = mode;
	st->is_tool = mode != STORE_SERVER;
	st->is_quick = mode == STORE_QUICK;
	st->is_read = mode == STORE_READ || mode == STORE_CHECK;
	st->lock_fd = -1;
	lk_init(&st->writer, LK_STORE_WRITER, "store writer");
	st->undo = undo_new();
	st->counters = counters_new();
	st->advice = advice_new();
	make_caches(st);
	return st;
}

static void
close_db(DB **db)
{
	if (*db != NULL)
		(void)(*db)->close(*db, 0);
	*db = NULL;
}

static void
store_free(struct store *st)
{
	background_stop(st);
	index_close(st);
	close_db(&st->id2entry);
	close_db(&st->dn2id);
	alias_map_close(st);
	store_special_close(st);
	/* entries in the cache know the dictionary */
	entry_cache_free(&st->entries);
	store_dict_close(st);
	if (st->env != NULL && (st->mode == STORE_SERVER ||
	    st->mode == STORE_WRITE) &&
	    disk_checkpoint(st, 0, 0, true) == 0)
		(void)logs_remove(st->env, st->conf);
	store_env_close(st);
	name_cache_free(&st->name_cache);
	cand_cache_free(&st->cands);
	undo_free(&st->undo);
	free(st->counters);
	advice_free(&st->advice);
	lk_fini(&st->writer);
	free(st);
}

/* IDs go on above the last one in use. */
static int
find_next_id(struct store *st)
{
	char key[8];
	DBT k = { 0 }, d = { 0 };
	entry_id last = 0;
	DBC *c;
	int err, err2;

	k.data = key;
	k.ulen = sizeof(key);
	k.flags = DB_DBT_USERMEM;
	d.flags = DB_DBT_USERMEM | DB_DBT_PARTIAL;	/* the key alone */
	if ((err = st->id2entry->cursor(st->id2entry, NULL, &c, 0)) != 0)
		return store_db_error(st, err, "opening id2entry.bdb");
	err = c->get(c, &k, &d, DB_LAST);
	err2 = c->close(c);
	if (err == 0)
		last = store_id_get(key);
	else if (err != DB_NOTFOUND)
		return store_db_error(st, err, "reading id2entry.bdb");
	atomic_store(&st->next_id, last + 1);
	return store_db_error(st, err2, "reading id2entry.bdb");
}

static int
open_files(struct store *st, struct diag *diag)
{
	bool create = !st->is_read;
	int rc;

	if ((rc = store_dict_open(st, create, diag)) != HB_OK ||
	    (rc = store_db_open(st, "id2entry.bdb", create, &st->id2entry,
	    NULL, diag)) != HB_OK ||
	    (rc = store_db_open(st, "dn2id.bdb", create, &st->dn2id, NULL,
	    diag)) != HB_OK) {
		if (rc == HB_ENOENT)
			rc = diag_err(diag, HB_ENOTFOUND, "there is no database in "
			    "%s: load one with slapadd",
			    st->conf->directory);
		return rc;
	}
	if ((rc = find_next_id(st)) != HB_OK ||
	    (rc = store_special_open(st, create, diag)) != HB_OK ||
	    (st->mode == STORE_SERVER && (rc = alias_map_open(st)) != HB_OK))
		return rc;
	return index_open(st, diag);
}

int
store_open_env(struct be_db *db, const struct dnidx_ops *names,
    enum store_mode mode, uint64_t cache, struct diag *diag)
{
	struct store *st = store_new(db, names, mode);
	const char *dir = st->conf->directory;
	int rc;

	if ((rc = dir_check(dir, mode != STORE_READ, diag)) != HB_OK ||
	    (mode != STORE_QUICK &&
	    (rc = store_mark_check(dir, diag)) != HB_OK) ||
	    (rc = store_env_open(st, cache, diag)) != HB_OK) {
		diag_set(diag, "database in %s: %s", dir, hb_strerror(rc));
		store_free(st);
		return rc;
	}
	db->priv = st;
	return HB_OK;
}

int
store_open_files(struct be_db *db, struct diag *diag)
{
	struct store *st = db->priv;
	int rc;

	if ((rc = open_files(st, diag)) != HB_OK ||
	    (st->mode == STORE_SERVER &&
	    (rc = background_start(st, diag)) != HB_OK))
		diag_set(diag, "database in %s: %s", st->conf->directory,
		    hb_strerror(rc));
	return rc;
}

int
store_open_as(struct be_db *db, const struct dnidx_ops *names,
    enum store_mode mode, uint64_t cache, struct diag *diag)
{
	int rc = store_open_env(db, names, mode, cache, diag);

	if (rc != HB_OK)
		return rc;
	if ((rc = store_open_files(db, diag)) != HB_OK)
		store_close(db);
	return rc;
}

int
store_open(struct be_db *db, const struct dnidx_ops *names, struct diag *diag)
{
	return store_open_as(db, names, STORE_SERVER, 0, diag);
}

void
store_close(struct be_db *db)
{
	struct store *st = db->priv;

	if (st == NULL)
		return;
	db->priv = NULL;
	store_free(st);
}

const char *const store_controls[] = {
	"2.16.840.1.113730.3.4.2",	/* ManageDsaIT */
	"1.3.6.1.4.1.4203.1.10.1",	/* Subentries */
	"1.3.6.1.4.1.4203.666.5.2",	/* No-Op */
	"1.3.6.1.4.1.4203.666.5.12",	/* Relax */
	"1.2.840.113556.1.4.1413",	/* Permissive modify */
	"1.2.840.113556.1.4.1339",	/* Domain scope */
	NULL
};
