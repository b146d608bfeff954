/*
 * What overlays do in the transaction of a write: the operations' own
 * functions, for an operation that the server makes itself, and searches that
 * see what was changed. No cache knows of it before the commit.
 */
#include "backends/store/commit.h"
#include "backends/store/op.h"
#include "slapd/txn.h"

/*
 * After RC the transaction cannot be committed: the call changed a part of what
 * it should (CHANGED), or the transaction itself is broken.
 */
static bool
is_broken(int rc, bool changed)
{
	switch (rc) {
	case HB_OK:
		return false;
	case HB_EDEADLOCK:
	case HB_EIO:
	case HB_ECORRUPT:
	case HB_ENOSPACE:
	case HB_ELIMIT:
		return true;
	}
	return changed;
}

static int
leave(struct store_txn *txn, int rc, bool changed)
{
	if (is_broken(rc, changed) && txn->failed == HB_OK)
		txn->failed = rc;
	return txn->failed != HB_OK ? txn->failed : rc;
}

int
store_overlays(struct store_txn *txn, struct op *op, struct entry *before,
    struct entry *after)
{
	struct be_txn shown = { .db = op->db, .op = op, .before = before,
	    .after = after, .priv = txn };
	int rc;

	op->txn = &shown;
	rc = overlays_in_txn(&shown);
	op->txn = NULL;
	if (txn->failed != HB_OK)
		return txn->failed;
	if (rc == HB_OK && txn->is_shared)
		undo_unify(txn);
	return rc;
}

/* ---- writes ---- */

static int
run(struct be_txn *t, struct op *sub, store_change_cb change)
{
	struct store_txn *txn = t->priv;
	struct entry *before = NULL, *after = NULL;
	unsigned nchanges = txn->nchanges;
	int rc;

	if (txn->failed != HB_OK)
		return txn->failed;
	txn->is_shared = true;
	rc = change(txn, sub, &before, &after);
	if (rc != HB_OK && sub->diag.text[0] != '\0')
		diag_set(&t->op->diag, "%s", sub->diag.text);
	entry_unref(&before);
	entry_unref(&after);
	return leave(txn, rc, txn->nchanges != nchanges);
}

static int
call_add(struct be_txn *t, const struct dn *dn, const struct attrs *attrs)
{
	struct arena arena;
	struct op sub;
	int rc;

	arena_init(&arena, 0);
	op_init_internal(&sub, t->op, OP_ADD, dn, &arena);
	sub.req.add.attrs = *attrs;
	rc = run(t, &sub, store_add_in);
	arena_fini(&arena);
	return rc;
}

static int
call_modify(struct be_txn *t, const struct dn *dn, const struct mod *mods,
    unsigned n, unsigned flags)
{
	struct arena arena;
	struct op sub;
	int rc;

	arena_init(&arena, 0);
	op_init_internal(&sub, t->op, OP_MODIFY, dn, &arena);
	if ((flags & TXN_RELAX) != 0)
		sub.flags |= OP_RELAX;
	sub.req.modify.mods = mods;
	sub.req.modify.nmods = n;
	rc = run(t, &sub, store_modify_in);
	arena_fini(&arena);
	return rc;
}

static int
call_delete(struct be_txn *t, const struct dn *dn)
{
	struct arena arena;
	struct op sub;
	int rc;

	arena_init(&arena, 0);
	op_init_internal(&sub, t->op, OP_DELETE, dn, &arena);
	rc = run(t, &sub, store_delete_in);
	arena_fini(&arena);
	return rc;
}

/* ---- reads ---- */

static int
get(struct be_txn *t, const struct dn *dn, struct entry **e_r)
{
	struct store_txn *txn = t->priv;
	int rc = store_entry_by_dn(txn->st, txn, dn, true, e_r);

	return rc == HB_ENOTFOUND ? HB_ENOENT : rc;
}

static int
call_entry_get(struct be_txn *t, const struct dn *dn, struct entry **e_r)
{
	struct store_txn *txn = t->priv;

	*e_r = NULL;
	if (txn->failed != HB_OK)
		return txn->failed;
	return leave(txn, get(t, dn, e_r), false);
}

struct look {
	struct store_txn *txn;
	struct op *op;
	const struct entry *base;
	enum ldap_scope scope;
	const struct filter *filter;
	txn_entry_cb cb;
	void *arg;
};

static bool
is_in_scope(const struct look *l, const struct dn *dn)
{
	switch (l->scope) {
	case LDAP_SCOPE_BASE:
		return dn_is_eq(dn, &l->base->dn);
	case LDAP_SCOPE_ONE:
		return dn_is_child(dn, &l->base->dn);
	case LDAP_SCOPE_SUB:
		return dn_is_within(dn, &l->base->dn);
	case LDAP_SCOPE_CHILDREN:
		return dn_is_within(dn, &l->base->dn) &&
		    !dn_is_eq(dn, &l->base->dn);
	}
	return false;
}

static int
candidates(struct look *l, struct idset *ids)
{
	struct store *st = l->txn->st;
	struct plan_gap gap;
	int rc;

	if (l->scope == LDAP_SCOPE_BASE) {
		idset_add(ids, l->base->id);
		return HB_OK;
	}
	rc = plan_candidates(st, l->op, l->filter, ids, &gap);
	if (rc == HB_OK && ids->all) {
		idset_fini(ids);
		rc = st->names->scope(st, l->txn, l->base->id, &l->base->dn,
		    l->scope, ids);
	}
	return rc;
}

static int
offer(struct look *l, entry_id id)
{
	struct entry *e = NULL;
	int rc = store_entry_by_id(l->txn->st, l->txn, id, true, &e);

	if (rc == HB_OK && is_in_scope(l, &e->dn) && filter_eval(l->filter,
	    l->op->schema, e, NULL, NULL) == FILTER_TRUE)
		rc = l->cb(e, l->arg);
	else if (rc == HB_ENOTFOUND)	/* the callback deleted it */
		rc = HB_OK;
	entry_unref(&e);
	return rc;
}

static int
look(struct look *l)
{
	struct idset ids = IDSET_INIT;
	struct idset_iter it;
	entry_id id;
	int rc;

	if ((rc = candidates(l, &ids)) == HB_OK) {
		idset_iter_init(&it, &ids, 0);
		while (rc == HB_OK && idset_iter_next(&it, &id))
			rc = offer(l, id);
		idset_iter_fini(&it);
	}
	idset_fini(&ids);
	return rc;
}

static int
call_search(struct be_txn *t, const struct dn *base, enum ldap_scope scope,
    const struct filter *filter, txn_entry_cb cb, void *arg)
{
	struct store_txn *txn = t->priv;
	bool all = dn_is_empty(base);
	struct look l = { .txn = txn, .op = t->op, .filter = filter, .cb = cb,
	    .arg = arg, .scope = all ? LDAP_SCOPE_SUB : scope };
	struct entry *e = NULL;
	int rc;

	if (txn->failed != HB_OK)
		return txn->failed;
	rc = get(t, all ? &t->db->suffixes[0] : base, &e);
	if (rc == HB_OK) {
		l.base = e;
		rc = look(&l);
	} else if (rc == HB_ENOENT && all)
		rc = HB_OK;
	entry_unref(&e);
	return leave(txn, rc, false);
}

const struct slapd_txn_ops store_txn_ops = {
	.entry_get = call_entry_get,
	.search = call_search,
	.add = call_add,
	.modify = call_modify,
	.delete = call_delete
};
