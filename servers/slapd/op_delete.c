/* Delete (RFC 4511 4.8). */
#include "fop.h"
#include "own.h"
#include "util/err.h"

int
op_run_delete(struct fop *f)
{
	struct op *op = &f->op;
	int rc = fop_target(f, f->msg.req.del);

	stats_op(op, LOG_STATS, "DEL dn=\"%.*s\"", SLICE_ARG(op->dn.text));
	if (rc != HB_OK || (rc = fop_write_begin(f)) != HB_OK)
		return rc;
	return fop_backend(f);
}
