/* Modify (RFC 4511 4.6, increment of RFC 4525). */
#include "fop.h"
#include "server.h"
#include "util/err.h"

static const struct {
	enum mod_type type, permissive;
	const char *name;
} mod_types[] = {
	[LDAP_MOD_ADD] = { MOD_ADD, MOD_SOFT_ADD, "add" },
	[LDAP_MOD_DELETE] = { MOD_DELETE, MOD_SOFT_DELETE, "delete" },
	[LDAP_MOD_REPLACE] = { MOD_REPLACE, MOD_REPLACE, "replace" },
	[LDAP_MOD_INCREMENT] = { MOD_INCREMENT, MOD_INCREMENT, "increment" }
};

/* Values that are given by the number a kind of modification takes. */
static int
mod_check_count(struct fop *f, const struct ldap_mod *m)
{
	unsigned n = m->attr.nvalues;

	if (m->type == LDAP_MOD_ADD && n == 0)
		return diag_err(&f->op.diag, HB_EPROTO,
		    "modify/add operation (%.*s) requires values",
		    SLICE_ARG(m->attr.name));
	if (m->type == LDAP_MOD_INCREMENT && n != 1)
		return diag_err(&f->op.diag, HB_EPROTO,
		    "modify/increment operation (%.*s) requires one value",
		    SLICE_ARG(m->attr.name));
	return HB_OK;
}

static int
mod_check_type(struct fop *f, const struct attr_desc *desc)
{
	unsigned flags = desc->type->flags;

	if ((flags & AT_NO_USER_MOD) && !(f->op.flags & OP_RELAX))
		return diag_err(&f->op.diag, HB_ECONSTRAINT,
		    "%.*s: no user modification allowed",
		    SLICE_ARG(desc->name));
	if ((flags & AT_OBSOLETE) && !(f->op.flags & OP_RELAX))
		return diag_err(&f->op.diag, HB_ECONSTRAINT,
		    "%.*s: attribute is obsolete", SLICE_ARG(desc->name));
	return HB_OK;
}

static int
mod_resolve(struct fop *f, const struct ldap_mod *m, struct mod *mod_r)
{
	struct op *op = &f->op;
	const struct attr_desc *desc;
	struct attr a = { NULL, NULL, NULL, 0, 0 };
	int rc;

	if ((rc = mod_check_count(f, m)) != HB_OK ||
	    (rc = fop_desc(f, m->attr.name, &desc)) != HB_OK ||
	    (rc = mod_check_type(f, desc)) != HB_OK)
		return rc;
	if (m->attr.nvalues > 0 && (rc = attr_make(op->arena, op->schema, desc,
	    m->attr.values, m->attr.nvalues, &a, &op->diag)) != HB_OK)
		return rc;
	*mod_r = (struct mod){
		.type = op->flags & OP_PERMISSIVE ?
		    mod_types[m->type].permissive : mod_types[m->type].type,
		.desc = desc, .values = a.values, .norms = a.norms, .n = a.n
	};
	return HB_OK;
}

static int
modify_resolve(struct fop *f)
{
	struct op *op = &f->op;
	const struct ldap_req_modify *req = &f->msg.req.modify;
	struct entry_stamp stamp;
	struct mod *mods;
	unsigned n = 0;
	int rc;

	mods = arena_calloc(op->arena, req->nmods + 3, sizeof(*mods));
	if (mods == NULL)
		return HB_ELIMIT;
	for (; n < req->nmods; n++)
		if ((rc = mod_resolve(f, &req->mods[n], &mods[n])) != HB_OK)
			return rc;
	if (op->db->lastmod) {
		if ((rc = fop_stamp(f, &stamp)) != HB_OK)
			return rc;
		entry_stamp_mods(op->arena, op->schema, &stamp, &mods[n]);
		n += 3;
	}
	op->req.modify.mods = mods;
	op->req.modify.nmods = n;
	return HB_OK;
}

int
op_run_modify(struct fop *f)
{
	struct op *op = &f->op;
	int rc = fop_target(f, f->msg.req.modify.dn);

	stats_op(op, LOG_STATS, "MOD dn=\"%.*s\"", SLICE_ARG(op->dn.text));
	stats_mod_attrs(f);
	if (rc != HB_OK || (rc = fop_write_begin(f)) != HB_OK ||
	    (rc = modify_resolve(f)) != HB_OK)
		return rc;
	return fop_backend(f);
}
