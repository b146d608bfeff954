/* ModifyDN (RFC 4511 4.9). */
#include "fop.h"
#include "route.h"
#include "server.h"
#include "util/err.h"

/* new_dn, and whether it stays in this database. */
static int
modrdn_target(struct fop *f)
{
	struct op *op = &f->op;
	struct op_modrdn *m = &op->req.modrdn;
	struct dn parent = m->has_superior ? m->new_superior :
	    dn_parent(&op->dn);
	int rc;

	if (m->has_superior && dn_is_within(&m->new_superior, &op->dn))
		return diag_err(&op->diag, HB_EUNWILLING,
		    "an entry cannot be moved below itself");
	if (m->has_superior &&
	    route_find(fop_conf(f), &m->new_superior) != op->db)
		return diag_err(&op->diag, HB_EMULTIPLEDSA,
		    "cannot rename between databases");
	if ((rc = dn_join(op->arena, &m->new_rdn, &parent, &m->new_dn)) !=
	    HB_OK)
		return rc;
	if (route_find(fop_conf(f), &m->new_dn) != op->db)
		return diag_err(&op->diag, HB_EMULTIPLEDSA,
		    "cannot rename between databases");
	return HB_OK;
}

static int
modrdn_resolve(struct fop *f)
{
	struct op *op = &f->op;
	const struct ldap_req_modrdn *req = &f->msg.req.modrdn;
	struct op_modrdn *m = &op->req.modrdn;
	int rc;

	m->delete_old = req->delete_old;
	m->has_superior = !slice_is_none(req->new_superior);
	m->new_superior = DN_EMPTY;
	m->mods = NULL;
	m->nmods = 0;
	if ((rc = dn_parse_rdn(op->arena, op->schema, req->new_rdn,
	    &m->new_rdn, &op->diag)) != HB_OK)
		return rc;
	if (m->has_superior)
		rc = dn_parse(op->arena, op->schema, req->new_superior,
		    &m->new_superior, &op->diag);
	return rc;
}

static int
modrdn_stamp(struct fop *f)
{
	struct op *op = &f->op;
	struct entry_stamp stamp;
	struct mod *mods;
	int rc;

	if (!op->db->lastmod)
		return HB_OK;
	if ((mods = arena_calloc(op->arena, 3, sizeof(*mods))) == NULL)
		return HB_ELIMIT;
	if ((rc = fop_stamp(op, op->arena, &stamp)) != HB_OK)
		return rc;
	entry_stamp_mods(op->arena, op->schema, &stamp, mods);
	op->req.modrdn.mods = mods;
	op->req.modrdn.nmods = 3;
	return HB_OK;
}

int
op_run_modrdn(struct fop *f)
{
	struct op *op = &f->op;
	int rc = fop_target(f, f->msg.req.modrdn.dn);

	stats_op(op, LOG_STATS, "MODRDN dn=\"%.*s\"", SLICE_ARG(op->dn.text));
	if (rc != HB_OK || (rc = modrdn_resolve(f)) != HB_OK ||
	    (rc = fop_write_begin(f)) != HB_OK ||
	    (rc = modrdn_target(f)) != HB_OK ||
	    (rc = modrdn_stamp(f)) != HB_OK)
		return rc;
	return fop_backend(f);
}
