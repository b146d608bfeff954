/*
 * slapadd -q: entries in ID order, names and index keys sorted, all filled in
 * key order in a private environment without locks and logs.
 */
#include <string.h>
#include <unistd.h>

#include "backends/store/env.h"
#include "backends/store/tool_int.h"
#include "util/hash.h"
#include "util/mem.h"

#define CACHE_MIN	(64ULL << 20)
#define CACHE_MAX	(1024ULL << 20)
#define MEMORY_MIN	(64ULL << 20)

uint64_t
tool_memory(const struct tool_opts *opts)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	uint64_t n = opts->memory;

	if (n == 0 && pages > 0 && size > 0)
		n = (uint64_t)pages / 4 * (uint64_t)size;
	return n < MEMORY_MIN ? MEMORY_MIN : n;
}

static uint64_t
cache_size(const struct store_tool *t)
{
	uint64_t n = tool_memory(&t->opts) / 4;

	return n < CACHE_MIN ? CACHE_MIN : n > CACHE_MAX ? CACHE_MAX : n;
}

static bool
has_file(const char *dir, const char *name)
{
	char *path = mem_printf("%s/%s", dir, name);
	bool has = access(path, F_OK) == 0;

	free(path);
	return has;
}

/*
 * Let the ordinary way of opening recover what is there, see that nobody else
 * uses it, and bring all into the files.
 */
static int
settle_old(struct be_db *db, struct store_tool *t, const char *dir,
    struct diag *diag)
{
	struct store *st;
	DB_ENV *env;
	int rc, err;

	rc = store_open_as(db, t->names, STORE_WRITE, 0, diag);
	if (rc != HB_OK)
		return rc;
	st = db->priv;
	t->was_empty = atomic_load(&st->next_id) <= 1;
	err = t->was_empty ? 0 : logs_switch(st->env);
	store_close(db);
	if (err != 0)
		return diag_err(diag, HB_EIO, "%s: the log: %s", dir,
		    db_strerror(err));
	/* the regions would be a second cache of the same pages */
	if ((err = db_env_create(&env, 0)) == 0)
		err = env->remove(env, dir, DB_FORCE);
	if (err != 0)
		return diag_err(diag, HB_EIO, "%s: the environment cannot be "
		    "closed: %s", dir, db_strerror(err));
	return HB_OK;
}

int
quick_open(struct be_db *db, struct store_tool *t, enum mark_kind kind,
    struct diag *diag)
{
	const char *dir = ((struct store_conf *)db->conf)->directory;
	int rc;

	t->was_empty = true;
	if ((rc = mark_tidy(dir, diag)) != HB_OK)
		return rc;
	if (has_file(dir, "id2entry.bdb") &&
	    (rc = settle_old(db, t, dir, diag)) != HB_OK)
		return rc;
	if (kind == MARK_EMPTY && !t->was_empty)
		kind = MARK_DATA;
	if ((rc = mark_set(dir, kind, &t->mark, diag)) != HB_OK)
		return rc;
	/* nothing is lost, and no page has a place in an old log */
	if (kind == MARK_EMPTY && (rc = mark_wipe(dir, diag)) != HB_OK)
		goto out;
	rc = store_open_as(db, t->names, STORE_QUICK, cache_size(t), diag);
	if (rc != HB_OK)
		goto out;
	t->st = db->priv;
	rc = store_db_error(t->st, store_lineage_new(t->st->dict_db),
	    "writing the dictionary");
	if (rc != HB_OK)
		store_close(db);
out:
	if (rc != HB_OK)
		(void)mark_clear(dir, &t->mark, NULL);
	return rc;
}

/* The first ID of a load: no record of an index is shared with older entries. */
static entry_id
first_id(const struct store *st)
{
	entry_id next = atomic_load(&st->next_id);

	return next <= 1 ? 1 : (next + INDEX_CHUNK - 1) / INDEX_CHUNK *
	    INDEX_CHUNK;
}

static void
begin_load(struct store_tool *t)
{
	struct store *st = t->st;
	unsigned *kinds = mem_calloc(st->indexes->n + 1, sizeof(*kinds));

	/* an index that is incomplete stays so until slapindex builds it */
	for (unsigned i = 0; i < st->indexes->n && !st->conf->linearindex;
	    i++)
		if (st->indexes->v[i].ready != 0)
			kinds[i] = st->indexes->v[i].kinds;
	t->first = first_id(st);
	bulk_names_init(&t->seen, st, st->db, t->first);
	t->has_seen = true;
	bulk_init(&t->bulk, st, &t->opts, kinds, true,
	    tool_memory(&t->opts) / 2);
	t->has_bulk = true;
	free(kinds);
}

static int
write_batch(struct store_tool *t, const struct tool_entry *te, entry_id id,
    entry_id parent, bool late, struct diag *diag)
{
	struct batch *batch = bulk_batch(&t->bulk);
	struct bulk_entry *be = &batch->v[batch->n];
	struct buf *mem = &batch->mem;
	int rc;

	*be = (struct bulk_entry){ .id = id, .parent = parent, .late = late };
	be->text = mem->len;
	be->text_len = te->dn->text.len;
	buf_put_slice(mem, te->dn->text);
	be->norm = mem->len;
	be->norm_len = te->dn->norm.len;
	buf_put_slice(mem, te->dn->norm);
	while (mem->len % 8 != 0)
		buf_put_char(mem, 0);
	be->block = mem->len;
	rc = entry_encode(te->attrs, t->st->dict, mem);
	if (rc != HB_OK)
		return diag_err(diag, rc, "\"%.*s\" cannot be encoded",
		    SLICE_ARG(te->dn->text));
	be->block_len = mem->len - be->block;
	batch->n++;
	return bulk_feed(&t->bulk, diag);
}

int
quick_put(struct store_tool *t, struct arena *arena,
    const struct tool_entry *te, entry_id *id_r, struct diag *diag)
{
	entry_id parent;
	bool late;
	int rc;

	if (!t->has_bulk)
		begin_load(t);
	rc = bulk_names_add(&t->seen, arena, te->dn, te->line, id_r, &parent,
	    &late, diag);
	if (rc != HB_OK)
		return rc;
	if ((rc = store_dict_add(t->st, NULL, te->attrs)) != HB_OK ||
	    (rc = store_special_set(t->st, NULL, *id_r, te->attrs)) != HB_OK)
		return diag_err(diag, rc, "the dictionary cannot be written");
	return write_batch(t, te, *id_r, parent, late, diag);
}

/* ---- the end ---- */

static int
sync_db(struct store *st, DB *db, const char *name, struct diag *diag)
{
	int err = db == NULL ? 0 : db->sync(db, 0);

	return err == 0 ? HB_OK : diag_err(diag, store_db_error(st, err,
	    name), "%s: cannot be synced: %s", name, db_strerror(err));
}

static int
sync_all(struct store *st, struct diag *diag)
{
	int rc;

	if ((rc = sync_db(st, st->dict_db, "the dictionary", diag)) != HB_OK ||
	    (rc = sync_db(st, st->special_db, "special.bdb", diag)) != HB_OK ||
	    (rc = sync_db(st, st->id2entry, "id2entry.bdb", diag)) != HB_OK ||
	    (rc = sync_db(st, st->dn2id, "dn2id.bdb", diag)) != HB_OK)
		return rc;
	for (unsigned i = 0; i < st->indexes->n && rc == HB_OK; i++)
		rc = sync_db(st, st->indexes->v[i].db, "an index", diag);
	return rc;
}

/* Take the load's entries out again: nothing else was written yet. */
static int
undo_entries(struct store_tool *t)
{
	DB *db = t->st->id2entry;
	char id[8];
	DBT key = { 0 }, data = { 0 };
	DBC *c;
	int err;

	data.flags = DB_DBT_USERMEM | DB_DBT_PARTIAL;
	key.data = id;
	key.size = key.ulen = sizeof(id);
	key.flags = DB_DBT_USERMEM;
	store_id_put(id, t->first);
	if ((err = db->cursor(db, NULL, &c, 0)) != 0)
		return store_db_error(t->st, err, "giving up a load");
	err = c->get(c, &key, &data, DB_SET_RANGE);
	while (err == 0 && (err = c->del(c, 0)) == 0)
		err = c->get(c, &key, &data, DB_NEXT);
	(void)c->close(c);
	if (err != DB_NOTFOUND)
		return store_db_error(t->st, err, "giving up a load");
	return sync_all(t->st, NULL);
}

static int
finish(struct store_tool *t, bool *dirty_r, struct diag *diag)
{
	int rc;

	if (t->has_bulk && ((rc = bulk_drain(&t->bulk, diag)) != HB_OK ||
	    (rc = bulk_names_check(&t->seen, diag)) != HB_OK))
		return rc;
	*dirty_r = true;
	if (t->has_bulk && ((rc = bulk_fill(&t->bulk, diag)) != HB_OK ||
	    (rc = store_special_done(t->st)) != HB_OK))
		return rc;
	if (t->opts.progress != NULL)
		t->opts.progress("syncing", 1, t->opts.progress_arg);
	return sync_all(t->st, diag);
}

int
quick_close(struct be_db *db, struct store_tool *t, bool ok,
    struct diag *diag)
{
	char *dir = mem_strdup(((struct store_conf *)db->conf)->directory);
	bool dirty = false, undone;
	int rc = HB_EABANDONED, rc2;

	if (ok)
		rc = finish(t, &dirty, diag);
	if (t->has_bulk)
		bulk_fini(&t->bulk);
	undone = rc == HB_OK || t->was_empty || !t->has_bulk ||
	    (!dirty && undo_entries(t) == HB_OK);
	store_close(db);
	if (!undone)
		diag_add(diag, "the database is damaged now: restore its files "
		    "from a backup, or remove them and load everything");
	else {
		if (rc != HB_OK && t->was_empty)
			(void)mark_wipe(dir, diag);
		rc2 = mark_clear(dir, &t->mark, diag);
		rc = rc != HB_OK ? rc : rc2;
	}
	if (t->mark >= 0)
		(void)close(t->mark);
	free(dir);
	return ok ? rc : undone ? HB_OK : rc;
}
