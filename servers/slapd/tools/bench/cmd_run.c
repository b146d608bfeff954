/* slapbench run: one run, or a row of them with more and more connections. */
#include <errno.h>
#include <signal.h>

#include "run.h"
#include "svg.h"
#include "util/err.h"
#include "util/mem.h"

atomic_int bench_stop;

#define WORSE_MAX	3		/* runs in a row, and --steps ends */

struct session {
	struct bench_opts opts;
	struct bench_result *last;
	struct svg_point *points;
	size_t npoints, points_cap;
	uint64_t errors, ops;
	struct diag diag;
};

static void
report(const struct session *s)
{
	const struct bench_opts *o = &s->opts;

	if (o->json)
		report_json(stdout, o, s->last, false);
	else if (o->step > 0)
		report_row(stdout, s->last);
	else
		report_text(stdout, o, s->last);
	if (o->histogram && !o->json)
		report_histogram(stdout, s->last);
	fflush(stdout);
}

static int
run_and_report(struct session *s, uint64_t conns)
{
	struct bench_result *r = s->last;
	int rc;

	if ((rc = run_once(&s->opts, (unsigned)conns, r, &s->diag)) != HB_OK)
		return rc;
	s->errors += r->errors;
	s->ops += r->ops;
	/* what one run has added or deleted, the next does not again */
	s->opts.first = r->next;
	s->points = mem_grow(s->points, &s->points_cap, s->npoints + 1,
	    sizeof *s->points);
	s->points[s->npoints++] = (struct svg_point){ (double)conns,
	    result_ops_per_sec(r), (double)hist_percentile(&r->hist, 50) / 1e3,
	    (double)hist_percentile(&r->hist, 99) / 1e3 };
	report(s);
	return HB_OK;
}

/* SLAMD's rule: until three runs in a row are no better than the best. */
static int
run_steps(struct session *s)
{
	const struct bench_opts *o = &s->opts;
	struct bench_result *best = mem_zalloc(sizeof *best);
	uint64_t conns;
	unsigned worse = 0;
	int rc = HB_OK;

	if (!o->json)
		report_heading(stdout);
	for (conns = o->step; conns <= o->step_max && worse < WORSE_MAX &&
	    !bench_stop; conns += o->step) {
		if ((rc = run_and_report(s, conns)) != HB_OK)
			break;
		if (result_ops_per_sec(s->last) > result_ops_per_sec(best)) {
			*best = *s->last;
			worse = 0;
		} else
			worse++;
	}
	if (s->npoints > 0 && o->json)
		report_json(stdout, o, best, true);
	else if (s->npoints > 0)
		printf("best: %llu connections, %.1f operations a second\n",
		    (unsigned long long)best->conns,
		    result_ops_per_sec(best));
	free(best);
	return rc;
}

static int
draw(struct session *s)
{
	const struct bench_opts *o = &s->opts;
	char title[256];
	FILE *f = fopen(o->svg, "we");
	int rc = HB_OK;

	if (f == NULL)
		return diag_err(&s->diag, HB_EIO, "--svg %s: %s", o->svg,
		    strerror(errno));
	snprintf(title, sizeof title, "slapbench %s, %s",
	    bench_job_name(o->job), o->url);
	if (o->step > 0)
		svg_steps(f, title, s->points, s->npoints);
	else
		svg_histogram(f, title, &s->last->hist);
	if (ferror(f) != 0)
		rc = HB_EIO;
	if (fclose(f) != 0)
		rc = HB_EIO;
	return rc == HB_OK ? rc : diag_err(&s->diag, rc, "--svg %s: %s",
	    o->svg, strerror(errno));
}

/* The second one ends the program at once. */
static void
on_signal(int sig)
{
	(void)sig;
	bench_stop = 1;
}

static void
catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal,
	    .sa_flags = SA_RESETHAND };

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
}

int
bench_run(int argc, char **argv)
{
	struct session *s = mem_zalloc(sizeof *s);
	int rc, status;

	s->last = mem_zalloc(sizeof *s->last);
	catch_signals();
	if ((rc = bench_opts_parse(argc, argv, &s->opts, &s->diag)) == HB_OK)
		rc = s->opts.step > 0 ? run_steps(s) :
		    run_and_report(s, s->opts.conns);
	status = rc == HB_EEND ? BENCH_OK : s->npoints == 0 ?
	    BENCH_NO_START : rc != HB_OK || s->errors > 0 || s->ops == 0 ?
	    BENCH_ERRORS : BENCH_OK;
	if (s->npoints > 0 && s->opts.svg != NULL && draw(s) != HB_OK)
		status = BENCH_ERRORS;
	if (s->diag.text[0] != '\0')
		fprintf(stderr, "slapbench: %s\n", s->diag.text);
	free(s->points);
	free(s->last);
	free(s);
	return status;
}
