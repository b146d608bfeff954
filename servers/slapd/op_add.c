/* Add (RFC 4511 4.7). */
#include "fop.h"
#include "server.h"
#include "util/err.h"

/*
 * REQ, whose values were refused, is there all the same for the check of the
 * entry, which must not call it missing.
 */
static int
add_refused(struct op *op, const struct attr_desc *desc,
    const struct ldap_attr *req, struct attrs *attrs)
{
	if (attrs_find(attrs, desc) != NULL)
		return HB_OK;
	return attrs_set(op->arena, attrs, desc, req->values[0],
	    req->values[0]);
}

/*
 * One attribute of the request into attrs. Errors that the next attribute may
 * have too are gathered, so that a client sees all of them at once.
 */
static int
add_attr(struct fop *f, const struct ldap_attr *req, struct attrs *attrs)
{
	struct op *op = &f->op;
	const struct attr_desc *desc;
	struct attr a;
	int rc;

	if (req->nvalues == 0)
		return diag_err(&op->diag, HB_EPROTO, "%.*s: no values given",
		    SLICE_ARG(req->name));
	if ((rc = fop_desc(f, req->name, &desc)) != HB_OK)
		return rc;
	if ((desc->type->flags & AT_NO_USER_MOD) &&
	    !(op->flags & OP_RELAX))
		return diag_err(&op->diag, HB_ECONSTRAINT,
		    "%.*s: no user modification allowed",
		    SLICE_ARG(desc->name));
	if ((rc = attr_make(op->arena, op->schema, desc, req->values,
	    req->nvalues, &a, &op->diag)) != HB_OK)
		return rc == HB_ELIMIT || add_refused(op, desc, req, attrs) !=
		    HB_OK ? HB_ELIMIT : rc;
	if (attrs_find(attrs, desc) != NULL)
		return diag_err(&op->diag, HB_EVALEXISTS,
		    "%.*s: attribute provided more than once",
		    SLICE_ARG(desc->name));
	return attrs_add(op->arena, attrs, &a);
}

/* All attributes; the code is that of the first error, the text has all. */
static int
add_attrs(struct fop *f, struct attrs *attrs)
{
	const struct ldap_req_add *req = &f->msg.req.add;
	struct diag all = DIAG_INIT, *diag = &f->op.diag;
	int first = HB_OK, rc;

	for (unsigned i = 0; i < req->nattrs && !diag_is_full(&all); i++) {
		diag_clear(diag);
		rc = add_attr(f, &req->attrs[i], attrs);
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

/*
 * A single-valued naming attribute with another value is among what the check
 * of the entry reports, so it is left to that.
 */
static int
add_check(struct fop *f, struct attrs *attrs)
{
	struct op *op = &f->op;
	unsigned flags = op->flags & OP_RELAX ? ENTRY_CHECK_RELAX : 0;
	int rc;

	rc = entry_add_naming(op->arena, op->schema, &op->dn, attrs, NULL);
	if (rc != HB_OK && rc != HB_ENAMING)
		return rc;
	return entry_check(op->arena, op->schema, &op->dn, attrs, flags,
	    &op->diag);
}

/* The attributes were refused with RC; what else is wrong with the entry? */
static int
add_check_rest(struct fop *f, struct attrs *attrs, int rc)
{
	struct diag first = f->op.diag, *diag = &f->op.diag;

	diag_clear(diag);
	if (add_check(f, attrs) != HB_OK)
		diag_add(&first, "%s", diag->text);
	*diag = first;
	return rc;
}

static int
add_resolve(struct fop *f)
{
	struct op *op = &f->op;
	struct attrs *attrs = &op->req.add.attrs;
	struct entry_stamp stamp;
	int rc;

	*attrs = (struct attrs){ NULL, 0, 0 };
	if (f->msg.req.add.nattrs == 0)
		return diag_err(&op->diag, HB_EPROTO,
		    "no attributes provided");
	if ((rc = add_attrs(f, attrs)) != HB_OK)
		return rc == HB_ELIMIT ? rc : add_check_rest(f, attrs, rc);
	if ((rc = add_check(f, attrs)) != HB_OK)
		return rc;
	if (op->db->lastmod) {
		if ((rc = fop_stamp(op, op->arena, &stamp)) != HB_OK)
			return rc;
		rc = entry_stamp_add(op->arena, op->schema, attrs, &stamp);
	}
	return rc;
}

int
op_run_add(struct fop *f)
{
	struct op *op = &f->op;
	int rc = fop_target(f, f->msg.req.add.dn);

	stats_op(op, LOG_STATS, "ADD dn=\"%.*s\"", SLICE_ARG(op->dn.text));
	if (rc != HB_OK || (rc = fop_write_begin(f)) != HB_OK ||
	    (rc = add_resolve(f)) != HB_OK)
		return rc;
	return fop_backend(f);
}
