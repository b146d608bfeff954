/*
 * What overlays call: changes in the transaction of an operation, and
 * operations of their own. Both are checked and stamped here, as those of
 * clients are in op_*.c.
 */
#include <string.h>

#include "fop.h"
#include "overlay.h"
#include "route.h"
#include "server.h"
#include "slapd/backend.h"
#include "util/err.h"

#define DEPTH_MAX	8		/* operations within one another */

static bool
is_stamped(const struct be_db *db, unsigned flags)
{
	return (flags & TXN_STAMP) != 0 && db->lastmod;
}

/* MODS, allowed to change everything, and stamps, in ARENA. */
static int
make_mods(struct op *op, struct arena *arena, const struct mod *mods,
    unsigned *n, unsigned flags, struct mod **mods_r)
{
	struct mod *all = arena_calloc(arena, *n + 3, sizeof(*all));
	struct entry_stamp stamp;
	int rc = HB_OK;

	*mods_r = all;
	if (all == NULL)
		return HB_ELIMIT;
	for (unsigned i = 0; i < *n; i++) {
		all[i] = mods[i];
		all[i].internal = true;
	}
	if (is_stamped(op->db, flags) &&
	    (rc = fop_stamp(op, arena, &stamp)) == HB_OK &&
	    (rc = entry_stamp_mods(arena, op->schema, &stamp, &all[*n])) ==
	    HB_OK)
		*n += 3;
	return rc;
}

static int
make_entry(struct op *op, struct arena *arena, const struct dn *dn,
    struct attrs *attrs, unsigned flags)
{
	unsigned check = (flags & TXN_RELAX) != 0 ? ENTRY_CHECK_RELAX : 0;
	struct entry_stamp stamp;
	int rc;

	if ((rc = entry_add_naming(arena, op->schema, dn, attrs,
	    &op->diag)) != HB_OK || (rc = entry_check(arena, op->schema, dn,
	    attrs, check, &op->diag)) != HB_OK)
		return rc;
	if (is_stamped(op->db, flags) &&
	    (rc = fop_stamp(op, arena, &stamp)) == HB_OK)
		rc = entry_stamp_add(arena, op->schema, attrs, &stamp);
	return rc;
}

/* ---- in the transaction ---- */

int
txn_entry_get(struct be_txn *txn, const struct dn *dn, struct entry **e_r)
{
	return txn->db->be->txn->entry_get(txn, dn, e_r);
}

int
txn_search(struct be_txn *txn, const struct dn *base, enum ldap_scope scope,
    const struct filter *filter, txn_entry_cb cb, void *arg)
{
	return txn->db->be->txn->search(txn, base, scope, filter, cb, arg);
}

int
txn_add(struct be_txn *txn, const struct dn *dn, struct attrs *attrs,
    unsigned flags)
{
	int rc = make_entry(txn->op, txn->op->arena, dn, attrs, flags);

	return rc != HB_OK ? rc : txn->db->be->txn->add(txn, dn, attrs);
}

int
txn_modify(struct be_txn *txn, const struct dn *dn, const struct mod *mods,
    unsigned n, unsigned flags)
{
	struct arena arena;
	struct mod *all;
	int rc;

	arena_init(&arena, 0);
	rc = make_mods(txn->op, &arena, mods, &n, flags, &all);
	if (rc == HB_OK)
		rc = txn->db->be->txn->modify(txn, dn, all, n, flags);
	arena_fini(&arena);
	return rc;
}

int
txn_delete(struct be_txn *txn, const struct dn *dn)
{
	return txn->db->be->txn->delete(txn, dn);
}

/* ---- operations of their own ---- */

static struct be_db *
find_db(const struct op *op, const struct dn *dn)
{
	return route_find(fop_conf(fop_of(op)), dn);
}

int
overlay_entry_get(struct op *op, const struct dn *dn, struct entry **e_r)
{
	struct be_db *db = find_db(op, dn);

	*e_r = NULL;
	if (db == NULL || db->be->entry_get == NULL)
		return HB_ENOENT;
	if (op->txn != NULL && op->txn->db == db)
		return txn_entry_get(op->txn, dn, e_r);
	return db->be->entry_get(db, op, dn, e_r);
}

struct sink {
	const struct op *op;		/* whose search it is */
	txn_entry_cb cb;
	void *arg;
};

static int
take_entry(struct op *sub, struct entry *e, void *arg)
{
	struct sink *s = arg;

	(void)sub;
	return op_is_stopped(s->op) ? HB_EABANDONED : s->cb(e, s->arg);
}

/* SUB was run within OP. */
static int
sub_end(struct op *op, struct op *sub, int rc)
{
	if (rc != HB_OK && sub->diag.text[0] != '\0')
		diag_set(&op->diag, "%s", sub->diag.text);
	return rc;
}

int
overlay_search(struct op *op, const struct dn *base, enum ldap_scope scope,
    const struct filter *filter, txn_entry_cb cb, void *arg)
{
	struct sink sink = { .op = op, .cb = cb, .arg = arg };
	struct be_db *db = find_db(op, base);
	struct arena arena;
	int rc;

	if (db == NULL)
		return HB_ENOENT;
	if (op->txn != NULL && op->txn->db == db)
		return diag_err(&op->diag, HB_EUNWILLING, "a search of an "
		    "overlay within a transaction");
	arena_init(&arena, 0);
	rc = op_inner_search(op, db, &arena, base, scope, filter, take_entry,
	    &sink);
	arena_fini(&arena);
	return rc;
}

/* May OP be given an operation SUB of its own that writes? */
static int
check_write(struct op *op, struct op *sub)
{
	struct be_db *db = find_db(op, &sub->dn);

	if (op->txn != NULL)
		return diag_err(&op->diag, HB_EUNWILLING, "a write of an "
		    "overlay within a transaction, but not of it");
	if (!op->may_wait)
		return HB_EDEFER;
	if (sub->depth > DEPTH_MAX)
		return HB_ELOOP;
	if (db == NULL)
		return HB_ENOENT;
	sub->db = db;
	return db->read_only ? diag_err(&op->diag, HB_EUNWILLING,
	    "the database is read-only") : HB_OK;
}

static int
run_write(struct op *op, struct op *sub)
{
	struct diag none = DIAG_INIT;

	sub->diag = none;
	return sub_end(op, sub, sub->db->overlays != NULL ?
	    overlays_run(sub, fop_call_backend) : fop_call_backend(sub));
}

int
overlay_add(struct op *op, const struct dn *dn, struct attrs *attrs,
    unsigned flags)
{
	struct arena arena;
	struct op sub;
	int rc;

	arena_init(&arena, 0);
	op_init_internal(&sub, op, OP_ADD, dn, &arena);
	if ((rc = check_write(op, &sub)) == HB_OK &&
	    (rc = sub_end(op, &sub, make_entry(&sub, &arena, dn, attrs,
	    flags))) == HB_OK) {
		sub.req.add.attrs = *attrs;
		rc = run_write(op, &sub);
	}
	/* what was added to the list goes with the arena */
	*attrs = (struct attrs){ NULL, 0, 0 };
	arena_fini(&arena);
	return rc;
}

int
overlay_modify(struct op *op, const struct dn *dn, const struct mod *mods,
    unsigned n, unsigned flags)
{
	struct arena arena;
	struct op sub;
	struct mod *all;
	int rc;

	arena_init(&arena, 0);
	op_init_internal(&sub, op, OP_MODIFY, dn, &arena);
	if ((flags & TXN_RELAX) != 0)
		sub.flags |= OP_RELAX;
	if ((rc = check_write(op, &sub)) == HB_OK &&
	    (rc = make_mods(&sub, &arena, mods, &n, flags, &all)) == HB_OK) {
		sub.req.modify.mods = all;
		sub.req.modify.nmods = n;
		rc = run_write(op, &sub);
	}
	arena_fini(&arena);
	return rc;
}

int
overlay_delete(struct op *op, const struct dn *dn)
{
	struct arena arena;
	struct op sub;
	int rc;

	arena_init(&arena, 0);
	op_init_internal(&sub, op, OP_DELETE, dn, &arena);
	if ((rc = check_write(op, &sub)) == HB_OK)
		rc = run_write(op, &sub);
	arena_fini(&arena);
	return rc;
}
