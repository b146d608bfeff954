/* ModifyDN (RFC 4511 4.9), of leaves and of whole subtrees. */
#include "backends/store/op.h"

struct rename {
	struct store *st;
	struct op *op;
	const struct op_modrdn *req;
	struct store_txn *txn;
	struct entry *old, *new;
	struct entry *parent;		/* old superior; NULL: none */
	struct entry *superior;		/* new superior; NULL: none */
	struct dn dn;			/* the new name */
	struct attrs attrs;
};

static int
get_superior(struct rename *r, const struct dn *dn, struct entry **e_r)
{
	int rc = store_entry_by_dn(r->st, r->txn, dn, true, e_r);

	if (rc == HB_ENOTFOUND) {
		rc = store_missing(r->st, r->txn, r->op, dn);
		if (rc == HB_ENOENT)
			diag_set(&r->op->diag, "the new superior is not "
			    "there");
	}
	return rc;
}

static int
find_superiors(struct rename *r)
{
	struct dn up = dn_parent(&r->old->dn);
	struct op *op = r->op;
	int rc;

	if (!store_is_suffix(r->st, &r->old->dn) && !dn_is_empty(&up) &&
	    (rc = store_entry_by_dn(r->st, r->txn, &up, true, &r->parent)) !=
	    HB_OK)
		return rc;
	if (!r->req->has_superior || dn_is_eq(&up, &r->req->new_superior)) {
		if (r->parent != NULL)
			r->superior = entry_ref(r->parent);
		return HB_OK;
	}
	/* RFC 4511 4.9: not below itself */
	if (dn_is_within(&r->req->new_superior, &r->old->dn))
		return diag_err(&op->diag, HB_EUNWILLING,
		    "an entry cannot be moved below itself");
	if (r->parent == NULL)
		return diag_err(&op->diag, HB_EUNWILLING,
		    "the suffix entry cannot be moved");
	if ((rc = get_superior(r, &r->req->new_superior, &r->superior)) !=
	    HB_OK)
		return rc;
	return store_check_parent(r->st, op, r->superior,
	    &r->req->new_superior);
}

static int
find_new_name(struct rename *r)
{
	struct op *op = r->op;
	entry_id id;
	int rc;

	if (r->superior != NULL)
		rc = dn_join(op->arena, &r->req->new_rdn, &r->superior->dn,
		    &r->dn);
	else {
		r->dn = r->req->new_dn;
		rc = HB_OK;
	}
	if (rc != HB_OK || dn_is_eq(&r->dn, &r->old->dn))
		return rc;
	if (store_is_suffix(r->st, &r->old->dn))
		return diag_err(&op->diag, HB_EUNWILLING,
		    "the suffix entry cannot be renamed");
	rc = store_id_by_dn(r->st, r->txn, &r->dn, true, &id);
	return rc == HB_OK ? HB_EEXISTS : rc == HB_ENOTFOUND ? HB_OK : rc;
}

/* Rights on the naming values: they change like those of a modify. */
static int
check_values(struct rename *r)
{
	struct op *op = r->op;
	struct dn rdns[2] = { dn_rdn(&r->old->dn), r->req->new_rdn };
	enum mod_type types[2] = { MOD_SOFT_DELETE, MOD_SOFT_ADD };
	struct ava *avas;
	unsigned n;
	int rc;

	for (unsigned k = r->req->delete_old ? 0 : 1; k < 2; k++) {
		rc = dn_rdn_avas(op->arena, op->schema, &rdns[k], &avas, &n);
		for (unsigned i = 0; rc == HB_OK && i < n; i++) {
			struct mod m = { .type = types[k],
			    .desc = avas[i].desc, .values = &avas[i].value,
			    .norms = &avas[i].norm, .n = 1 };

			rc = access_check_mods(op, r->old, &m, 1);
		}
		if (rc != HB_OK)
			return rc;
	}
	return HB_OK;
}

static int
check_rights(struct rename *r)
{
	const struct attr_desc *children = access_children_desc(r->op);
	int rc;

	if ((rc = store_allow(r->op, r->old, access_entry_desc(r->op),
	    ACCESS_WRITE)) != HB_OK ||
	    (rc = store_allow(r->op, r->parent, children, ACCESS_WDEL)) !=
	    HB_OK ||
	    (rc = store_allow(r->op, r->superior, children, ACCESS_WADD)) !=
	    HB_OK)
		return rc;
	return check_values(r);
}

static int
make_attrs(struct rename *r)
{
	struct op *op = r->op;
	struct dn old_rdn = dn_rdn(&r->old->dn);
	unsigned flags = ENTRY_CHECK_MODIFY |
	    ((op->flags & OP_RELAX) != 0 ? ENTRY_CHECK_RELAX : 0);
	int rc;

	if ((rc = entry_edit(op->arena, r->old, &r->attrs)) != HB_OK ||
	    (rc = entry_rename(op->arena, op->schema, &r->attrs, &old_rdn,
	    &r->req->new_rdn, r->req->delete_old, &op->diag)) != HB_OK ||
	    (rc = attrs_modify(op->arena, op->schema, &r->attrs,
	    r->req->mods, r->req->nmods, &op->diag)) != HB_OK)
		return rc;
	return entry_check(op->arena, op->schema, &r->dn, &r->attrs, flags,
	    &op->diag);
}

static int
write_all(struct rename *r)
{
	struct store *st = r->st;
	entry_id id = r->old->id;
	entry_id up = r->superior == NULL ? ENTRY_ID_NONE : r->superior->id;
	int rc;

	r->txn->is_rename = true;
	if ((rc = st->names->move(st, r->txn, id, &r->old->dn, up, &r->dn)) !=
	    HB_OK ||
	    (rc = store_entry_put(r->txn, id, &r->dn, &r->attrs, &r->new)) !=
	    HB_OK)
		return rc;
	return index_update(r->txn, id, r->old, r->new);
}

static int
rename_in(struct store_txn *txn, struct op *op, struct entry **before_r,
    struct entry **after_r)
{
	struct rename r = { .st = txn->st, .op = op, .req = &op->req.modrdn,
	    .txn = txn };
	int rc;

	if ((rc = store_target(r.st, r.txn, op, &r.old)) == HB_OK &&
	    (rc = find_superiors(&r)) == HB_OK &&
	    (rc = find_new_name(&r)) == HB_OK &&
	    (rc = check_rights(&r)) == HB_OK &&
	    (rc = make_attrs(&r)) == HB_OK)
		rc = write_all(&r);
	entry_unref(&r.parent);
	entry_unref(&r.superior);
	*before_r = r.old;
	*after_r = r.new;
	return rc;
}

int
store_op_modrdn(struct be_db *db, struct op *op)
{
	return store_write(db->priv, op, rename_in);
}
