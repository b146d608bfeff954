/* Modify (RFC 4511 4.6). */
#include "backends/store/op.h"

/* 1.2.840.113556.1.4.1413: what is there already, or gone already, is no error. */
static const struct mod *
permissive(struct op *op)
{
	const struct op_modify *req = &op->req.modify;
	struct mod *mods;

	if ((op->flags & OP_PERMISSIVE) == 0)
		return req->mods;
	mods = arena_calloc(op->arena, req->nmods, sizeof(*mods));
	for (unsigned i = 0; mods != NULL && i < req->nmods; i++) {
		mods[i] = req->mods[i];
		if (mods[i].type == MOD_ADD)
			mods[i].type = MOD_SOFT_ADD;
		else if (mods[i].type == MOD_DELETE)
			mods[i].type = MOD_SOFT_DELETE;
	}
	return mods;
}

static int
make_attrs(struct op *op, const struct entry *old, struct attrs *attrs_r)
{
	unsigned flags = ENTRY_CHECK_MODIFY |
	    ((op->flags & OP_RELAX) != 0 ? ENTRY_CHECK_RELAX : 0);
	const struct mod *mods = permissive(op);
	int rc;

	if (mods == NULL)
		return HB_ELIMIT;
	if ((rc = access_check_mods(op, old, mods, op->req.modify.nmods)) !=
	    HB_OK)
		return rc;
	if ((rc = entry_edit(op->arena, old, attrs_r)) != HB_OK ||
	    (rc = attrs_modify(op->arena, op->schema, attrs_r, mods,
	    op->req.modify.nmods, &op->diag)) != HB_OK)
		return rc;
	return entry_check(op->arena, op->schema, &old->dn, attrs_r, flags,
	    &op->diag);
}

int
store_modify_in(struct store_txn *txn, struct op *op, struct entry **before_r,
    struct entry **after_r)
{
	struct entry *old;
	struct attrs attrs = { 0 };
	int rc;

	if ((rc = store_target(txn->st, txn, op, before_r)) != HB_OK)
		return rc;
	old = *before_r;
	if ((rc = make_attrs(op, old, &attrs)) != HB_OK ||
	    (rc = store_entry_put(txn, old->id, &old->dn, &attrs, after_r)) !=
	    HB_OK)
		return rc;
	return index_update(txn, old->id, old, *after_r);
}

int
store_op_modify(struct be_db *db, struct op *op)
{
	return store_write(db->priv, op, store_modify_in);
}
