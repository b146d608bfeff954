/*
 * Pictures of results, as SVG.
 */
#ifndef BENCH_SVG_H
#define BENCH_SVG_H

#include <stdio.h>

#include "run.h"

struct svg_point {			/* one run of --steps */
	double conns, ops_per_sec;
	double p50, p99;		/* us */
};

/* Throughput and latency against connections. */
void svg_steps(FILE *, const char *title, const struct svg_point *, size_t n);
/* How many operations took how long. */
void svg_histogram(FILE *, const char *title, const struct hist *h);

#endif
