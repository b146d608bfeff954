/*
 * back-null: a database that takes everything and holds nothing, and the
 * smallest example of a backend. Keeps one synthetic entry if `dosearch` asks
 * for it. Thread-safe: nothing changes after null_open().
 */
#include "slapd/backend.h"

#include "slapd/reply.h"
#include "util/mem.h"

struct null_conf {
	bool bind, dosearch;
};

struct null_db {
	struct attr_dict *dict;
	struct entry *entry;		/* NULL: searches find nothing */
	entry_id next_id;		/* tools: one thread */
};

static const struct cfg_item null_cfg[] = {
	CFG_BOOL(struct null_conf, bind, "bind", "off", 0, CFG_HOT,
	    "Whether a bind with any name and password succeeds. Otherwise "
	    "only rootdn can bind."),
	CFG_BOOL(struct null_conf, dosearch, "dosearch", "off", 0, CFG_RESTART,
	    "Whether every search returns one made-up entry, named as the "
	    "suffix. Otherwise searches find nothing."),
	CFG_END
};

/* The entry that dosearch returns: extensibleObject and its naming values. */
static int
null_make_entry(struct be_db *db, struct null_db *null, struct diag *diag)
{
	struct arena arena;
	struct attrs attrs = { NULL, 0, 0 };
	struct attr attr;
	struct buf block;
	struct slice classes[] = { SLICE("top"), SLICE("extensibleObject") };
	int rc;

	arena_init(&arena, 0);
	buf_init(&block);
	if ((rc = attr_make(&arena, db->schema,
	    schema_builtin(db->schema, "objectClass"), classes, 2, &attr,
	    diag)) != HB_OK || (rc = attrs_add(&arena, &attrs, &attr)) != HB_OK ||
	    (rc = entry_add_naming(&arena, db->schema, &db->suffixes[0], &attrs,
	    diag)) != HB_OK)
		goto out;
	for (unsigned i = 0; i < attrs.n; i++)
		attr_dict_add(null->dict, attrs.v[i].desc, 0);
	if ((rc = entry_encode(&attrs, null->dict, &block)) != HB_OK)
		goto out;
	null->entry = entry_new(1, &db->suffixes[0], null->dict,
	    buf_slice(&block));
out:
	buf_fini(&block);
	arena_fini(&arena);
	return rc;
}

static void
null_close(struct be_db *db)
{
	struct null_db *null = db->priv;

	if (null == NULL)
		return;
	entry_unref(&null->entry);
	attr_dict_free(&null->dict);
	free(null);
	db->priv = NULL;
}

static int
null_open(struct be_db *db, struct diag *diag)
{
	const struct null_conf *conf = db->conf;
	struct null_db *null = mem_zalloc(sizeof(*null));
	int rc = HB_OK;

	null->dict = attr_dict_new();
	db->priv = null;
	if (conf->dosearch && db->nsuffixes > 0)
		rc = null_make_entry(db, null, diag);
	if (rc != HB_OK)
		null_close(db);
	return rc;
}

static int
null_bind(struct be_db *db, struct op *op)
{
	const struct null_conf *conf = db->conf;

	(void)op;
	return conf->bind ? HB_OK : HB_ECREDENTIALS;
}

static int
null_search(struct be_db *db, struct op *op)
{
	struct null_db *null = db->priv;

	return null->entry != NULL ? reply_entry(op, null->entry) : HB_OK;
}

static int
null_compare(struct be_db *db, struct op *op)
{
	(void)db;
	(void)op;
	return HB_COMPARE_FALSE;
}

static int
null_write(struct be_db *db, struct op *op)
{
	struct be_txn txn = { .db = db, .op = op };
	int rc = HB_OK;

	if (db->overlays != NULL) {
		op->txn = &txn;
		rc = overlays_in_txn(&txn);
		op->txn = NULL;
	}
	return rc == HB_OK && (op->flags & OP_NOOP) ? HB_NOOPERATION : rc;
}

static int
null_entry_get(struct be_db *db, struct op *op, const struct dn *dn,
    struct entry **e_r)
{
	struct null_db *null = db->priv;

	(void)op;
	if (null->entry == NULL || !dn_is_eq(&null->entry->dn, dn))
		return HB_ENOENT;
	*e_r = entry_ref(null->entry);
	return HB_OK;
}

/* ---- overlays in the transaction: everything is taken, as from clients ---- */

static int
null_txn_entry_get(struct be_txn *txn, const struct dn *dn, struct entry **e_r)
{
	*e_r = NULL;
	return null_entry_get(txn->db, txn->op, dn, e_r);
}

static int
null_txn_search(struct be_txn *txn, const struct dn *base,
    enum ldap_scope scope, const struct filter *filter, txn_entry_cb cb,
    void *arg)
{
	(void)txn;
	(void)base;
	(void)scope;
	(void)filter;
	(void)cb;
	(void)arg;
	return HB_OK;
}

static int
null_txn_add(struct be_txn *txn, const struct dn *dn,
    const struct attrs *attrs)
{
	(void)txn;
	(void)dn;
	(void)attrs;
	return HB_OK;
}

static int
null_txn_modify(struct be_txn *txn, const struct dn *dn,
    const struct mod *mods, unsigned n, unsigned flags)
{
	(void)txn;
	(void)dn;
	(void)mods;
	(void)n;
	(void)flags;
	return HB_OK;
}

static int
null_txn_delete(struct be_txn *txn, const struct dn *dn)
{
	(void)txn;
	(void)dn;
	return HB_OK;
}

static const struct slapd_txn_ops null_txn_ops = {
	.entry_get = null_txn_entry_get, .search = null_txn_search,
	.add = null_txn_add, .modify = null_txn_modify,
	.delete = null_txn_delete
};

/* ---- */

static int
null_has_children(struct be_db *db, struct op *op, const struct entry *e,
    bool *has_r)
{
	(void)db;
	(void)op;
	(void)e;
	*has_r = false;
	return HB_OK;
}

static int
null_tool_open(struct be_db *db, const struct tool_opts *opts,
    struct diag *diag)
{
	(void)opts;
	return null_open(db, diag);
}

static int
null_tool_put(struct be_db *db, struct arena *arena,
    const struct tool_entry *entry, entry_id *id_r, struct diag *diag)
{
	struct null_db *null = db->priv;

	(void)arena;
	(void)entry;
	(void)diag;
	*id_r = ++null->next_id;
	return HB_OK;
}

static int
null_tool_each(struct be_db *db, const struct dn *base,
    int (*cb)(struct entry *entry, entry_id id, void *arg), void *arg,
    struct diag *diag)
{
	(void)db;
	(void)base;
	(void)cb;
	(void)arg;
	(void)diag;
	return HB_OK;
}

static int
null_tool_reindex(struct be_db *db, const struct attr_desc *const *descs,
    unsigned n, struct diag *diag)
{
	(void)db;
	(void)descs;
	(void)n;
	(void)diag;
	return HB_OK;
}

static int
null_tool_close(struct be_db *db, bool ok, struct diag *diag)
{
	(void)ok;
	(void)diag;
	null_close(db);
	return HB_OK;
}

static const struct slapd_tool_ops null_tool = {
	.open = null_tool_open, .put = null_tool_put, .each = null_tool_each,
	.reindex = null_tool_reindex, .close = null_tool_close
};

static const char *const null_controls[] = {
	"2.16.840.1.113730.3.4.2",	/* ManageDsaIT */
	"1.3.6.1.4.1.4203.666.5.2",	/* no-op */
	"1.2.840.113556.1.4.1413",	/* permissive modify */
	"1.3.6.1.4.1.4203.1.10.1",	/* subentries */
	NULL
};

HB_API extern const struct slapd_backend slapd_backend_null;
const struct slapd_backend slapd_backend_null = {
	.abi = SLAPD_BACKEND_ABI,
	.name = "null",
	.conf_size = sizeof(struct null_conf),
	.config = null_cfg,
	.db_open = null_open,
	.db_close = null_close,
	.op = {
		[OP_BIND] = null_bind,
		[OP_SEARCH] = null_search,
		[OP_COMPARE] = null_compare,
		[OP_ADD] = null_write,
		[OP_DELETE] = null_write,
		[OP_MODIFY] = null_write,
		[OP_MODRDN] = null_write
	},
	.entry_get = null_entry_get,
	.has_children = null_has_children,
	.txn = &null_txn_ops,
	.tool = &null_tool,
	.controls = null_controls
};
