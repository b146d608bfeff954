/* slapbench run: one run, or a row of them with more and more connections. */
#include <stdio.h>

#include "run.h"
#include "util/err.h"
#include "util/mem.h"

static int
say(int rc, const struct diag *diag)
{
	if (rc == HB_EEND)
		return BENCH_OK;
	fprintf(stderr, "slapbench: %s\n", diag->text);
	return BENCH_NO_START;
}

static void
report(const struct bench_opts *o, const struct bench_result *r)
{
	if (o->json)
		report_json(stdout, r, false);
	else
		report_text(stdout, o, r);
	fflush(stdout);
}

int
bench_run(int argc, char **argv)
{
	struct bench_result *r = mem_zalloc(sizeof *r);
	struct diag diag = DIAG_INIT;
	struct bench_opts o;
	int rc;

	if ((rc = bench_opts_parse(argc, argv, &o, &diag)) != HB_OK ||
	    (rc = run_once(&o, (unsigned)o.conns, r, &diag)) != HB_OK) {
		rc = say(rc, &diag);
		goto out;
	}
	report(&o, r);
	rc = r->errors > 0 || r->ops == 0 ? BENCH_ERRORS : BENCH_OK;
out:
	free(r);
	return rc;
}
