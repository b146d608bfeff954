/*
 * What slapadd, slapcat and slapindex call (slapd/tool.h): picks the way by
 * the mode. A dry run into a folder without a database has no store at all.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/store/backup.h"
#include "backends/store/env.h"
#include "backends/store/tool_int.h"
#include "util/mem.h"

/* Open databases: one, or those that are glued together. One thread. */
static struct store_tool *tools;

static struct store_tool *
tool_of(const struct be_db *db)
{
	struct store_tool *t = tools;

	while (t != NULL && t->db != db)
		t = t->next;
	hb_assert(t != NULL);
	return t;
}

static bool
has_database(const struct be_db *db)
{
	const struct store_conf *conf = db->conf;
	char *path = mem_printf("%s/id2entry.bdb", conf->directory);
	bool has = access(path, F_OK) == 0;

	free(path);
	return has;
}

/* A copy of what slapd is at work on; DB is that, until it is closed. */
static int
open_copy(struct store_tool *t, struct diag *diag)
{
	const struct store_conf *conf = t->db->conf;
	struct backup_text text;
	int hold, rc;

	t->copy = mem_printf("%s/slapcat.XXXXXX", t->opts.tmpdir != NULL ?
	    t->opts.tmpdir : conf->directory);
	if (mkdtemp(t->copy) == NULL) {
		rc = diag_err(diag, HB_EIO, "%s: %s", t->copy,
		    strerror(errno));
		free(t->copy);
		t->copy = NULL;
		return rc;
	}
	rc = backup_copy(t->db, t->names, t->copy, &t->opts, &text, &hold,
	    diag);
	logs_release(&hold);
	backup_text_fini(&text);
	t->copy_conf = *conf;
	t->copy_conf.directory = t->copy;
	t->db_conf = t->db->conf;
	t->db->conf = &t->copy_conf;
	return rc;
}

static void
close_copy(struct store_tool *t)
{
	if (t->copy == NULL)
		return;
	t->db->conf = t->db_conf;
	backup_remove(t->copy);
	free(t->copy);
	t->copy = NULL;
}

/*
 * One state: of a copy if somebody may change it, else of the files. Whoever
 * joins the environment of slapd and is killed there may leave a lock behind
 * for which slapd waits for ever, so that is done only when it is asked for.
 */
static int
open_consistent(struct store_tool *t, enum store_mode *mode_r,
    struct diag *diag)
{
	const struct store_conf *conf = t->db->conf;
	bool unclean;

	if (lockfile_owner(conf->directory, &unclean) != 0)
		return open_copy(t, diag);
	*mode_r = STORE_CHECK;
	return HB_OK;
}

static int
open_mode(struct store_tool *t, struct diag *diag)
{
	enum store_mode mode = STORE_WRITE;
	int rc;

	if (t->opts.ask_server || (t->opts.dry_run && !has_database(t->db)))
		return HB_OK;
	if (t->opts.dry_run || t->opts.mode == TOOL_READ)
		mode = STORE_READ;
	else if (t->opts.mode == TOOL_QUICK)
		return quick_open(t->db, t, t->opts.indexes_only ?
		    MARK_INDEX : MARK_EMPTY, diag);
	if (mode == STORE_READ && !t->opts.joined && !t->opts.dry_run &&
	    (rc = open_consistent(t, &mode, diag)) != HB_OK)
		return rc;
	rc = store_open_as(t->db, t->names, mode, 0, diag);
	if (rc == HB_OK)
		t->st = t->db->priv;
	return rc;
}

int
store_tool_open(struct be_db *db, const struct dnidx_ops *names,
    const struct tool_opts *opts, struct diag *diag)
{
	struct store_tool *t = mem_zalloc(sizeof(*t));
	int rc;

	t->db = db;
	t->names = names;
	t->opts = *opts;
	t->mark = -1;
	if ((rc = open_mode(t, diag)) != HB_OK) {
		close_copy(t);
		free(t);
		return rc;
	}
	t->next = tools;
	tools = t;
	return HB_OK;
}

static int
dry_put(struct store_tool *t, struct arena *arena,
    const struct tool_entry *te, entry_id *id_r, struct diag *diag)
{
	entry_id parent;
	bool late;

	if (!t->has_seen) {
		entry_id next = t->st == NULL ? 1 :
		    atomic_load(&t->st->next_id);

		bulk_names_init(&t->seen, t->st, t->db, next);
		t->has_seen = true;
	}
	return bulk_names_add(&t->seen, arena, te->dn, te->line, id_r,
	    &parent, &late, diag);
}

int
store_tool_put(struct be_db *db, struct arena *arena,
    const struct tool_entry *te, entry_id *id_r, struct diag *diag)
{
	struct store_tool *t = tool_of(db);

	if (t->opts.dry_run)
		return dry_put(t, arena, te, id_r, diag);
	return t->opts.mode == TOOL_QUICK ?
	    quick_put(t, arena, te, id_r, diag) :
	    write_put(t, arena, te, id_r, diag);
}

int
store_tool_each(struct be_db *db, const struct dn *base,
    int (*cb)(struct entry *entry, entry_id id, void *arg), void *arg,
    struct diag *diag)
{
	struct store_tool *t = tool_of(db);
	struct entry *e = NULL;
	entry_id id = 1;
	int rc = HB_OK;

	if (t->st == NULL)
		return HB_OK;
	for (; rc == HB_OK; id++) {
		rc = store_entry_scan(t->st, &id, &e);
		if (rc == HB_EEND)
			return HB_OK;
		if (rc == HB_ECORRUPT)
			rc = cb(NULL, id, arg);
		else if (rc != HB_OK)
			diag_set(diag, "entry %llu cannot be read: %s",
			    (unsigned long long)id, hb_strerror(rc));
		else if (base == NULL || dn_is_within(&e->dn, base))
			rc = cb(e, id, arg);
		entry_unref(&e);
	}
	return rc;
}

static int
pick_indexes(const struct store *st, const struct attr_desc *const *descs,
    unsigned n, bool *which, struct diag *diag)
{
	const struct index_set *set = st->indexes;

	for (unsigned i = 0; i < set->n && n == 0; i++)
		which[i] = true;
	for (unsigned k = 0; k < n; k++) {
		unsigned i = 0;

		while (i < set->n && set->v[i].desc != descs[k])
			i++;
		if (i == set->n)
			return diag_err(diag, HB_ENOTFOUND,
			    "no index of \"%.*s\" is configured",
			    SLICE_ARG(descs[k]->name));
		which[i] = true;
	}
	return HB_OK;
}

int
store_tool_reindex(struct be_db *db, const struct attr_desc *const *descs,
    unsigned n, struct diag *diag)
{
	struct store_tool *t = tool_of(db);
	bool *which;
	int rc;

	if (t->opts.ask_server)
		return tool_rebuild_online(t, descs, n, diag);
	if (t->st == NULL)
		return HB_OK;
	which = mem_calloc(t->st->indexes->n + 1, sizeof(*which));
	rc = pick_indexes(t->st, descs, n, which, diag);
	if (rc == HB_OK)
		rc = tool_rebuild(t, which, diag);
	free(which);
	return rc;
}

static int
close_mode(struct store_tool *t, bool ok, struct diag *diag)
{
	int rc = HB_OK;

	if (t->opts.dry_run)
		rc = ok && t->has_seen ?
		    bulk_names_check(&t->seen, diag) : HB_OK;
	else if (t->opts.mode == TOOL_QUICK)
		return quick_close(t->db, t, ok, diag);
	else if (t->opts.mode == TOOL_WRITE)
		rc = write_close(t, ok, diag);
	store_close(t->db);
	close_copy(t);
	return rc;
}

int
store_tool_close(struct be_db *db, bool ok, struct diag *diag)
{
	struct store_tool *t = tool_of(db), **link = &tools;
	int rc = close_mode(t, ok, diag);

	if (t->has_seen)
		bulk_names_fini(&t->seen);
	while (*link != t)
		link = &(*link)->next;
	*link = t->next;
	free(t);
	return rc;
}
