/* back-hdb: the store with names as a tree (dnidx_tree.c). */
#include "slapd/backend.h"
#include "store.h"

static int
hdb_open(struct be_db *db, struct diag *diag)
{
	return store_open(db, &dnidx_tree, diag);
}

static int
hdb_tool_open(struct be_db *db, const struct tool_opts *opts,
    struct diag *diag)
{
	return store_tool_open(db, &dnidx_tree, opts, diag);
}

static int
hdb_tool_check(struct be_db *db, struct tool_check *tc, struct diag *diag)
{
	return store_tool_check(db, &dnidx_tree, tc, diag);
}

static int
hdb_tool_backup(struct be_db *db, struct tool_backup *tb, struct diag *diag)
{
	return store_tool_backup(db, &dnidx_tree, tb, diag);
}

static int
hdb_tool_restore(struct be_db *db, struct tool_restore *tr, struct diag *diag)
{
	return store_tool_restore(db, &dnidx_tree, tr, diag);
}

static const struct slapd_tool_ops hdb_tool = {
	.open = hdb_tool_open,
	.put = store_tool_put,
	.each = store_tool_each,
	.reindex = store_tool_reindex,
	.close = store_tool_close,
	.check = hdb_tool_check,
	.backup = hdb_tool_backup,
	.restore = hdb_tool_restore,
};

HB_API extern const struct slapd_backend slapd_backend_hdb;

const struct slapd_backend slapd_backend_hdb = {
	.abi = SLAPD_BACKEND_ABI,
	.name = "hdb",
	.flags = BACKEND_ONE_SUFFIX,
	.conf_size = STORE_CONF_SIZE,
	.config = store_cfg,
	.conf_check = store_conf_check,
	.conf_free = store_conf_free,
	.db_open = hdb_open,
	.db_close = store_close,
	.op = {
		[OP_BIND] = store_op_bind,
		[OP_SEARCH] = store_op_search,
		[OP_COMPARE] = store_op_compare,
		[OP_ADD] = store_op_add,
		[OP_DELETE] = store_op_delete,
		[OP_MODIFY] = store_op_modify,
		[OP_MODRDN] = store_op_modrdn,
	},
	.entry_get = store_entry_get,
	.has_children = store_has_children,
	.txn = &store_txn_ops,
	.tool = &hdb_tool,
	.controls = store_controls,
	.counters = store_counters,
};
