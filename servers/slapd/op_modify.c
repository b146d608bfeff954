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
mod_check_type(struct fop *f, const struct attr_desc *desc,
    const struct ldap_mod *m)
{
	unsigned flags = desc->type->flags;

	if (f->op.flags & OP_RELAX)
		return HB_OK;
	if (flags & AT_NO_USER_MOD)
		return diag_err(&f->op.diag, HB_ECONSTRAINT,
		    "%.*s: no user modification allowed",
		    SLICE_ARG(desc->name));
	/* what is obsolete may go, but not come */
	if ((flags & AT_OBSOLETE) && m->type != LDAP_MOD_DELETE &&
	    m->attr.nvalues > 0)
		return diag_err(&f->op.diag, HB_ECONSTRAINT,
		    "%.*s: attribute is obsolete", SLICE_ARG(desc->name));
	return HB_OK;
}

static int
mod_resolve(struct fop *f, const struct ldap_mod *m, struct mod *mod_r)
{
	struct op *op = &f->op;
	const struct attr_desc *desc;
	int rc;

	if ((rc = mod_check_count(f, m)) != HB_OK ||
	    (rc = fop_desc(f, m->attr.name, &desc)) != HB_OK ||
	    (rc = mod_check_type(f, desc, m)) != HB_OK)
		return rc;
	return mod_make(op->arena, op->schema, op->flags & OP_PERMISSIVE ?
	    mod_types[m->type].permissive : mod_types[m->type].type, desc,
	    m->attr.values, m->attr.nvalues, mod_r, &op->diag);
}

/* All modifications; the code is that of the first error, the text has all. */
static int
mods_resolve(struct fop *f, struct mod *mods)
{
	const struct ldap_req_modify *req = &f->msg.req.modify;
	struct diag all = DIAG_INIT, *diag = &f->op.diag;
	int first = HB_OK, rc;

	for (unsigned i = 0; i < req->nmods && !diag_is_full(&all); i++) {
		diag_clear(diag);
		rc = mod_resolve(f, &req->mods[i], &mods[i]);
		if (rc == HB_ELIMIT)
			return rc;
		if (rc == HB_OK)
			continue;
		diag_add(&all, "%s", diag->text);
		if (first == HB_OK)
			first = rc;
	}
	diag_clear(diag);
	if (first != HB_OK)
		diag_set(diag, "%s", all.text);
	return first;
}

static int
modify_resolve(struct fop *f)
{
	struct op *op = &f->op;
	const struct ldap_req_modify *req = &f->msg.req.modify;
	struct entry_stamp stamp;
	struct mod *mods;
	unsigned n = req->nmods;
	int rc;

	mods = arena_calloc(op->arena, req->nmods + 3, sizeof(*mods));
	if (mods == NULL)
		return HB_ELIMIT;
	if ((rc = mods_resolve(f, mods)) != HB_OK)
		return rc;
	if (op->db->lastmod) {
		if ((rc = fop_stamp(op, op->arena, &stamp)) != HB_OK)
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
