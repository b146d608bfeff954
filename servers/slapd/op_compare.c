/* Compare (RFC 4511 4.10). */
#include "fop.h"
#include "own.h"
#include "server.h"
#include "slapd/access.h"
#include "util/err.h"

static int
compare_resolve(struct fop *f)
{
	struct op *op = &f->op;
	const struct ldap_req_compare *req = &f->msg.req.compare;
	struct op_compare *c = &op->req.compare;
	int rc;

	if ((rc = fop_desc(f, req->attr, &c->desc)) != HB_OK)
		return rc;
	c->value = req->value;
	if (c->desc->type->equality == NULL)
		return diag_err(&op->diag, HB_EMATCHING,
		    "%.*s: no equality matching rule",
		    SLICE_ARG(c->desc->name));
	rc = schema_norm_assertion(op->schema, op->arena,
	    c->desc->type->equality, SUBSTR_WHOLE,
	    schema_skip_order(c->desc->type, req->value), &c->norm);
	if (rc == HB_ESYNTAX)
		diag_set(&op->diag, "%.*s: value is not valid for its syntax",
		    SLICE_ARG(c->desc->name));
	return rc;
}

static int
compare_own(struct op *op)
{
	const struct entry *e = own_find(fop_of(op));
	const struct op_compare *c = &op->req.compare;

	if (!access_is_allowed(op, e, c->desc, c->value, c->norm,
	    ACCESS_COMPARE))
		return access_refuse(op, e);
	return access_hide(op, e, entry_compare(op->arena, op->schema, e,
	    c->desc, c->value, c->norm));
}

int
op_run_compare(struct fop *f)
{
	struct op *op = &f->op;
	int rc;

	rc = fop_target(f, f->msg.req.compare.dn);
	if (!f->logged) {
		f->logged = true;
		stats_op(op, LOG_STATS, "CMP dn=\"%.*s\" attr=\"%.*s\"",
		    SLICE_ARG(op->dn.text),
		    SLICE_ARG(f->msg.req.compare.attr));
	}
	if (rc != HB_OK || (rc = compare_resolve(f)) != HB_OK)
		return rc;
	if (own_find(f) != NULL)
		return (rc = fop_check_allowed(f)) != HB_OK ? rc :
		    fop_overlaid(op, compare_own);
	fop_route(f);
	if ((rc = fop_check_allowed(f)) != HB_OK)
		return rc;
	if (!f->has_db)
		return fop_no_database(f);
	if (f->msg.ncontrols > 0 && (rc = controls_check_db(f)) != HB_OK)
		return rc;
	return fop_backend(f);
}
