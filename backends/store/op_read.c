/* Compare, bind, and single entries for the frontend. */
#include "backends/store/op.h"

/* Attributes that are computed, not stored. */
static int
compare_computed(struct store *st, struct op *op, const struct entry *e)
{
	const struct op_compare *req = &op->req.compare;
	bool has;
	int rc;

	if (req->desc == schema_builtin(op->schema, "entryDN"))
		return slice_is_eq(req->norm, e->dn.norm) ? HB_COMPARE_TRUE :
		    HB_COMPARE_FALSE;
	if (req->desc != st->has_subordinates)
		return HB_ENOSUCHATTR;
	if (!op->may_wait)
		return HB_EDEFER;
	rc = st->names->has_children(st, store_txn_of(st, op), e->id, &e->dn,
	    &has);
	if (rc != HB_OK)
		return rc;
	return slice_is_eq_nocase(req->norm, has ? SLICE("TRUE") :
	    SLICE("FALSE")) ? HB_COMPARE_TRUE : HB_COMPARE_FALSE;
}

/* RFC 4511 4.10: the attribute or one of its subtypes has the value. */
static int
compare_values(struct store *st, struct op *op, const struct entry *e)
{
	const struct op_compare *req = &op->req.compare;
	int rc = entry_compare(op->arena, op->schema, e, req->desc, req->value,
	    req->norm);

	return rc == HB_ENOSUCHATTR ? compare_computed(st, op, e) : rc;
}

int
store_op_compare(struct be_db *db, struct op *op)
{
	const struct op_compare *req = &op->req.compare;
	struct store *st = db->priv;
	struct entry *e = NULL;
	int rc;

	if ((rc = store_target(st, NULL, op, &e)) != HB_OK)
		return rc;
	if (!access_is_allowed(op, e, req->desc, req->value, req->norm,
	    ACCESS_COMPARE))
		rc = access_refuse(op, e);
	else if (req->desc->type->equality == NULL)
		rc = diag_err(&op->diag, HB_EMATCHING, "%.*s has no equality "
		    "matching rule", SLICE_ARG(req->desc->name));
	else
		rc = access_hide(op, e, compare_values(st, op, e));
	entry_unref(&e);
	return rc;
}

/* Whether the name is there is nobody's business before the password is right. */
int
store_op_bind(struct be_db *db, struct op *op)
{
	struct entry *e = NULL;
	int rc;

	rc = store_entry_by_dn(db->priv, NULL, &op->dn, op->may_wait, &e);
	if (rc == HB_ENOTFOUND)
		return HB_ECREDENTIALS;
	if (rc == HB_OK)
		rc = op_bind_entry(op, e);
	entry_unref(&e);
	return rc;
}

int
store_entry_get(struct be_db *db, struct op *op, const struct dn *dn,
    struct entry **e_r)
{
	struct store *st = db->priv;
	int rc = store_entry_by_dn(st, store_txn_of(st, op), dn, op->may_wait,
	    e_r);

	return rc == HB_ENOTFOUND ? HB_ENOENT : rc;
}

int
store_has_children(struct be_db *db, struct op *op, const struct entry *e,
    bool *has_r)
{
	struct store *st = db->priv;

	if (!op->may_wait)
		return HB_EDEFER;
	return st->names->has_children(st, store_txn_of(st, op), e->id,
	    &e->dn, has_r);
}
