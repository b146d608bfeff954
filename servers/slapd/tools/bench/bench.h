/*
 * slapbench: what its files share. It knows LDAP as a client does, nothing of
 * the server.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "util/diag.h"

enum bench_job {
	JOB_SEARCH, JOB_BASE, JOB_AUTH, JOB_BIND, JOB_COMPARE, JOB_MODIFY,
	JOB_ADD, JOB_DELETE, JOB_ADDDEL, JOB_MIXED
};

/* Exit statuses. */
enum { BENCH_OK, BENCH_ERRORS, BENCH_NO_START };

#define BENCH_ATTRS_MAX	64

struct bench_opts {
	enum bench_job job;
	const char *url;
	bool starttls, insecure;
	const char *cacert;
	const char *bind_dn, *bind_pw;

	/* templates */
	const char *base, *filter, *dn, *password, *compare, *modify;
	const char *add_dn, *entry_file;
	const char *attrs[BENCH_ATTRS_MAX + 1];	/* the last is NULL */
	uint64_t count, first, seed;

	uint64_t conns, threads, window, ops;
	double seconds, warm, timeout, rate;
	bool auth_same, deep, any;
	uint64_t step, step_max;		/* 0: no steps */

	bool json, histogram;
	const char *svg;
	pid_t spid;				/* 0: none */
};

static inline uint64_t
bench_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Set by INT and TERM: come to an end, and report. */
extern atomic_int bench_stop;

const char *bench_job_name(enum bench_job job);

/*
 * Fill *o_r from the command line after "run". HB_OK; HB_EINVAL with DIAG;
 * HB_EEND after help was shown.
 */
int bench_opts_parse(int argc, char **argv, struct bench_opts *o_r,
    struct diag *);

/* The subcommands; each returns an exit status. */
int bench_run(int argc, char **argv);
int bench_gen(int argc, char **argv);

#endif
