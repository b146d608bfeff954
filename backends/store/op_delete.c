/* Delete (RFC 4511 4.8). */
#include "backends/store/commit.h"
#include "backends/store/op.h"

static int
check_rights(struct store *st, struct store_txn *txn, struct op *op,
    const struct entry *e)
{
	const struct attr_desc *children = access_children_desc(op);
	struct dn up = dn_parent(&op->dn);
	struct entry *parent = NULL;
	int rc;

	if ((rc = store_allow(op, e, access_entry_desc(op), ACCESS_WDEL)) !=
	    HB_OK)
		return rc;
	if (store_is_suffix(st, &op->dn) || dn_is_empty(&up))
		return store_allow(op, NULL, children, ACCESS_WDEL);
	if ((rc = store_entry_by_dn(st, txn, &up, true, &parent)) == HB_OK)
		rc = store_allow(op, parent, children, ACCESS_WDEL);
	entry_unref(&parent);
	return rc;
}

static int
check_leaf(struct store *st, struct store_txn *txn, const struct entry *e)
{
	bool has;
	int rc = st->names->has_children(st, txn, e->id, &e->dn, &has);

	return rc == HB_OK && has ? HB_ENOTLEAF : rc;
}

int
store_delete_in(struct store_txn *txn, struct op *op, struct entry **before_r,
    struct entry **after_r)
{
	struct store *st = txn->st;
	struct entry *e;
	int rc;

	(void)after_r;
	if ((rc = store_target(st, txn, op, before_r)) != HB_OK)
		return rc;
	e = *before_r;
	if ((rc = check_rights(st, txn, op, e)) != HB_OK ||
	    (rc = check_leaf(st, txn, e)) != HB_OK ||
	    (rc = st->names->remove(st, txn, &e->dn, e->id)) != HB_OK ||
	    (rc = store_entry_del(txn, e->id)) != HB_OK ||
	    (rc = index_update(txn, e->id, e, NULL)) != HB_OK)
		return rc;
	undo_name(txn, e->dn.norm, ENTRY_ID_NONE);
	return HB_OK;
}

int
store_op_delete(struct be_db *db, struct op *op)
{
	return store_write(db->priv, op, store_delete_in);
}
