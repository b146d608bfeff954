/*
 * One run of a job and what came out of it.
 */
#ifndef BENCH_RUN_H
#define BENCH_RUN_H

#include <stdio.h>

#include "bench.h"
#include "hist.h"

struct bench_result {
	enum bench_job job;
	uint64_t conns, threads, window;
	uint64_t ops, errors, entries, bytes_in, unsent;
	uint64_t first, next;		/* numbers that add, delete used */
	double seconds, rate;
	double own_cpu;			/* seconds */
	bool has_srv_cpu, has_srv_io;
	double srv_cpu;
	uint64_t srv_write_bytes;
	struct hist hist;
};

/*
 * Do it with CONNS connections. HB_OK, though there may have been errors;
 * HB_EIO, HB_EINVAL: it could not start. Memory: *r_r is the caller's.
 */
int run_once(const struct bench_opts *, unsigned conns,
    struct bench_result *r_r, struct diag *);

double result_ops_per_sec(const struct bench_result *r);
void report_text(FILE *, const struct bench_opts *,
    const struct bench_result *r);
/*
 * One line, with --histogram's buckets if asked for. BEST: the last line of
 * --steps.
 */
void report_json(FILE *, const struct bench_opts *,
    const struct bench_result *r, bool best);
/* A table of one line for each run, and its heading. */
void report_heading(FILE *);
void report_row(FILE *, const struct bench_result *r);
/* Latencies as bars. */
void report_histogram(FILE *, const struct bench_result *r);

#endif
