/* Add (RFC 4511 4.7). */
#include "backends/store/commit.h"
#include "backends/store/op.h"

struct add {
	struct store *st;
	struct op *op;
	struct store_txn *txn;
	struct entry *parent;		/* NULL: the suffix is added */
	struct entry *new;
	struct dn dn;			/* below the parent's name as it is shown */
};

static int
find_parent(struct add *a)
{
	struct op *op = a->op;
	struct dn up = dn_parent(&op->dn);
	int rc;

	a->dn = op->dn;
	if (store_is_suffix(a->st, &op->dn) || dn_is_empty(&up))
		return store_allow(op, NULL, access_children_desc(op),
		    ACCESS_WADD);
	rc = store_entry_by_dn(a->st, a->txn, &up, true, &a->parent);
	if (rc == HB_ENOTFOUND)
		return store_missing(a->st, a->txn, op, &op->dn);
	if (rc != HB_OK)
		return rc;
	if ((rc = store_check_parent(a->st, op, a->parent, &op->dn)) != HB_OK ||
	    (rc = store_allow(op, a->parent, access_children_desc(op),
	    ACCESS_WADD)) != HB_OK)
		return rc;
	up = dn_rdn(&op->dn);
	return dn_join(op->arena, &up, &a->parent->dn, &a->dn);
}

static int
check_new(struct add *a)
{
	entry_id id;
	int rc = store_id_by_dn(a->st, a->txn, &a->op->dn, true, &id);

	return rc == HB_OK ? HB_EEXISTS : rc == HB_ENOTFOUND ? HB_OK : rc;
}

static int
write_entry(struct add *a)
{
	struct store *st = a->st;
	entry_id id = atomic_fetch_add(&st->next_id, 1);
	entry_id up = a->parent == NULL ? ENTRY_ID_NONE : a->parent->id;
	const struct attrs *attrs = &a->op->req.add.attrs;
	int rc;

	/* rules may search the database: before it is changed, which they
	 * would wait for */
	if ((rc = store_entry_make(a->txn, id, &a->dn, attrs, &a->new)) !=
	    HB_OK || (rc = store_allow(a->op, a->new,
	    access_entry_desc(a->op), ACCESS_WADD)) != HB_OK ||
	    (rc = access_check_add(a->op, a->new)) != HB_OK ||
	    (rc = st->names->insert(st, a->txn, up, &a->dn, id)) != HB_OK ||
	    (rc = store_entry_write(a->txn, a->new, attrs)) != HB_OK)
		return rc;
	undo_name(a->txn, a->dn.norm, id);
	return index_update(a->txn, id, NULL, a->new);
}

int
store_add_in(struct store_txn *txn, struct op *op, struct entry **before_r,
    struct entry **after_r)
{
	struct add a = { .st = txn->st, .op = op, .txn = txn };
	int rc;

	(void)before_r;
	if ((rc = check_new(&a)) == HB_OK &&
	    (rc = find_parent(&a)) == HB_OK)
		rc = write_entry(&a);
	entry_unref(&a.parent);
	*after_r = a.new;
	return rc;
}

int
store_op_add(struct be_db *db, struct op *op)
{
	return store_write(db->priv, op, store_add_in);
}
