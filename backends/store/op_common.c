/* What the operations share: see op.h. */
#include "backends/store/op.h"
#include "slapd/monitor.h"

int
store_allow(struct op *op, const struct entry *e, const struct attr_desc *desc,
    unsigned right)
{
	if (access_is_allowed(op, e, desc, SLICE_NONE, SLICE_NONE, right))
		return HB_OK;
	return e == NULL ? HB_EACCESS : access_refuse(op, e);
}

bool
store_is_suffix(const struct store *st, const struct dn *dn)
{
	return dn_is_eq(dn, &st->db->suffixes[0]);
}

static bool
is_referral(const struct store *st, const struct op *op, entry_id id)
{
	return (op->flags & OP_MANAGE_DSAIT) == 0 &&
	    store_special_has(st, SPECIAL_REFERRAL, id);
}

int
store_missing(struct store *st, struct store_txn *txn, struct op *op,
    const struct dn *dn)
{
	struct entry *e = NULL;
	unsigned depth;
	entry_id id;
	int rc;

	if (!op->may_wait)
		return HB_EDEFER;
	rc = st->names->find_above(st, txn, dn, &id, &depth);
	if (rc == HB_OK)
		rc = store_entry_by_id(st, txn, id, true, &e);
	if (rc != HB_OK)
		return rc == HB_ENOTFOUND ? HB_ENOENT : rc;
	if (is_referral(st, op, id))
		rc = reply_referral(op, e, dn);
	else {
		rc = HB_ENOENT;
		if (access_is_allowed(op, e, access_entry_desc(op),
		    SLICE_NONE, SLICE_NONE, ACCESS_DISCLOSE))
			op->matched = arena_slice(op->arena, e->dn.text);
	}
	entry_unref(&e);
	return rc;
}

int
store_target(struct store *st, struct store_txn *txn, struct op *op,
    struct entry **e_r)
{
	int rc = store_entry_by_dn(st, txn, &op->dn, op->may_wait, e_r);

	if (rc == HB_ENOTFOUND)
		return store_missing(st, txn, op, &op->dn);
	if (rc == HB_OK && is_referral(st, op, (*e_r)->id))
		rc = reply_referral(op, *e_r, &op->dn);
	if (rc != HB_OK)
		entry_unref(e_r);
	return rc;
}

int
store_check_parent(struct store *st, struct op *op, const struct entry *parent,
    const struct dn *child)
{
	if (is_referral(st, op, parent->id))
		return reply_referral(op, parent, child);
	if (store_special_has(st, SPECIAL_REFERRAL, parent->id))
		return diag_err(&op->diag, HB_EUNWILLING,
		    "parent is a referral");
	if (store_special_has(st, SPECIAL_ALIAS, parent->id))
		return diag_err(&op->diag, HB_EALIAS, "parent is an alias");
	if (store_special_has(st, SPECIAL_SUBENTRY, parent->id))
		return diag_err(&op->diag, HB_EOBJECTCLASS,
		    "parent is a subentry");
	return HB_OK;
}

static int
write_once(struct store *st, struct op *op, store_change_cb change)
{
	struct store_txn *txn = NULL;
	struct entry *before = NULL, *after = NULL;
	int rc;

	if ((rc = store_txn_begin(st, op, &txn)) != HB_OK ||
	    (rc = change(txn, op, &before, &after)) != HB_OK ||
	    (op->db->overlays != NULL &&
	    (rc = store_overlays(txn, op, before, after)) != HB_OK))
		goto out;
	rc = (op->flags & OP_NOOP) != 0 ? HB_NOOPERATION :
	    store_txn_commit(&txn);
out:
	store_txn_abort(&txn);
	entry_unref(&before);
	entry_unref(&after);
	return rc;
}

int
store_write(struct store *st, struct op *op, store_change_cb change)
{
	int rc;

	for (;;) {
		rc = write_once(st, op, change);
		if (rc != HB_EDEADLOCK)
			return rc;
		counter_add(&st->counters[COUNTER_DEADLOCKS], 1);
		if (op_is_stopped(op))
			return HB_EABANDONED;
		diag_clear(&op->diag);
		op->matched = SLICE_NONE;
	}
}
