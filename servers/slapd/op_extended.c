/* Extended operations (RFC 4511 4.12), a row each. */
#include "conf.h"
#include "fop.h"
#include "overlay.h"
#include "server.h"
#include "util/err.h"

/* RFC 4532 */
static int
exop_whoami(struct fop *f)
{
	struct op *op = &f->op;

	stats_op(op, LOG_STATS, "WHOAMI");
	if (!slice_is_none(f->msg.req.extended.value))
		return diag_err(&op->diag, HB_EPROTO,
		    "no request data expected");
	f->response_value = SLICE("");
	if (!dn_is_empty(&op->who->dn))
		f->response_value = arena_printf(op->arena, "dn:%.*s",
		    SLICE_ARG(op->who->dn.text));
	return slice_is_none(f->response_value) ? HB_ELIMIT : HB_OK;
}

static const struct {
	const char *oid;
	uint32_t restricts;
	int (*run)(struct fop *);
} exops[] = {
	{ "1.3.6.1.4.1.4203.1.11.3", RESTRICT_EXOP_WHOAMI, exop_whoami }
};

enum { NEXOPS = sizeof(exops) / sizeof(exops[0]) };

const char *
exop_oid(unsigned i)
{
	return i < NEXOPS ? exops[i].oid : NULL;
}

/* One of an overlay. */
static int
run_overlay(struct fop *f, struct slice oid)
{
	struct op *op = &f->op;
	struct overlay *o;
	const struct overlay_exop *x = overlays_find_exop(fop_conf(f), oid,
	    &o);
	int rc;

	if (x == NULL)
		return diag_err(&op->diag, HB_EPROTO,
		    "unsupported extended operation");
	if ((rc = fop_check_allowed(f)) != HB_OK)
		return rc;
	return x->run(o, op, f->msg.req.extended.value, &f->response_oid,
	    &f->response_value);
}

int
op_run_extended(struct fop *f)
{
	struct op *op = &f->op;
	struct slice oid = f->msg.req.extended.oid;
	unsigned i;
	int rc;

	if (!f->logged) {
		f->logged = true;
		stats_op(op, LOG_STATS, "EXT oid=%.*s", SLICE_ARG(oid));
	}
	for (i = 0; i < NEXOPS; i++)
		if (slice_is_eq(oid, slice_of(exops[i].oid)))
			break;
	if (i == NEXOPS)
		return run_overlay(f, oid);
	f->exop = exops[i].restricts;
	if ((rc = fop_check_allowed(f)) != HB_OK)
		return rc;
	return exops[i].run(f);
}
