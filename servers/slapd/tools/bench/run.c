/* One run: see run.h. */
#include <errno.h>
#include <stdarg.h>
#include <sys/resource.h>

#include "run.h"
#include "util/err.h"
#include "util/mem.h"
#include "worker.h"

#define SHOWN_MAX	10

static pthread_mutex_t show_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned shown;

void
run_error(struct run *run, const char *fmt, ...)
{
	va_list ap;

	atomic_fetch_add(&run->errors, 1);
	pthread_mutex_lock(&show_lock);
	if (shown < SHOWN_MAX) {
		shown++;
		fputs("slapbench: error: ", stderr);
		va_start(ap, fmt);
		vfprintf(stderr, fmt, ap);
		va_end(ap);
		fputs(shown == SHOWN_MAX ? "\nslapbench: more errors are "
		    "only counted\n" : "\n", stderr);
	}
	pthread_mutex_unlock(&show_lock);
}

/* Descriptors for all connections and what the threads need. */
static int
raise_files(uint64_t conns, struct diag *diag)
{
	struct rlimit rl;
	uint64_t need = conns + 64;

	if (getrlimit(RLIMIT_NOFILE, &rl) != 0 || rl.rlim_cur >= need)
		return HB_OK;
	if (rl.rlim_max < need)
		rl.rlim_max = need;	/* root may */
	rl.rlim_cur = need;
	if (setrlimit(RLIMIT_NOFILE, &rl) == 0)
		return HB_OK;
	return diag_err(diag, HB_ELIMIT, "%llu connections need as many open "
	    "files: raise the limit (ulimit -n %llu) or take fewer (-c)",
	    (unsigned long long)conns, (unsigned long long)need);
}

static int
start_threads(struct run *run, unsigned n, struct diag *diag)
{
	unsigned i;

	pthread_barrier_init(&run->ready, NULL, n + 1);
	for (i = 0; i < n; i++) {
		worker_init(&run->workers[i], run, i);
		if (pthread_create(&run->workers[i].thread, NULL, worker_main,
		    &run->workers[i]) != 0)
			return diag_err(diag, HB_ELIMIT, "%u threads cannot "
			    "be started; take fewer (-t)", n);
	}
	return HB_OK;
}

static void
set_times(struct run *run)
{
	const struct bench_opts *o = run->opts;

	run->t_start = bench_now();
	run->t_begin = run->t_start;
	run->t_end = UINT64_MAX;
	if (o->ops == 0) {
		run->t_begin += (uint64_t)(o->warm * 1e9);
		run->t_end = run->t_begin + (uint64_t)(o->seconds * 1e9);
	}
}

static void
collect(struct run *run, struct bench_result *r)
{
	const struct bench_opts *o = run->opts;
	uint64_t last = 0, ended = run->t_begin, own = 0;
	unsigned i;

	for (i = 0; i < o->threads; i++) {
		const struct worker *w = &run->workers[i];

		hist_merge(&r->hist, &w->hist);
		r->ops += w->ops;
		r->entries += w->entries;
		r->bytes_in += w->bytes_in;
		r->unsent += w->unsent;
		own += w->cpu_end - w->cpu_begin;
		if (w->last > last)
			last = w->last;
		if (w->ended > ended)
			ended = w->ended;
	}
	r->job = o->job;
	r->conns = run->conns;
	r->threads = o->threads;
	r->window = o->window;
	r->rate = o->rate;
	/* all that was asked for, or the last answer, or giving up */
	if (o->ops > 0 && last > run->t_start)
		ended = last;
	r->seconds = (double)(ended - run->t_begin) / 1e9;
	r->own_cpu = (double)own / 1e9;
	r->errors = atomic_load(&run->errors);
	r->first = o->first;
	r->next = atomic_load(&run->next_number);
	r->has_srv_cpu = run->srv_begin.has_cpu && run->srv_end.has_cpu;
	r->has_srv_io = run->srv_begin.has_io && run->srv_end.has_io;
	r->srv_cpu = run->srv_end.cpu - run->srv_begin.cpu;
	r->srv_write_bytes = run->srv_end.write_bytes -
	    run->srv_begin.write_bytes;
}

static int
run_threads(struct run *run, struct bench_result *r, struct diag *diag)
{
	unsigned i, n = (unsigned)run->opts->threads;
	int rc;

	run->workers = mem_calloc(n, sizeof *run->workers);
	if ((rc = start_threads(run, n, diag)) != HB_OK)
		return rc;
	pthread_barrier_wait(&run->ready);
	set_times(run);
	pthread_barrier_wait(&run->ready);
	for (i = 0; i < n; i++)
		pthread_join(run->workers[i].thread, NULL);
	for (i = 0; i < n; i++)
		if (run->workers[i].why[0] != '\0')
			rc = diag_err(diag, HB_EIO, "%s",
			    run->workers[i].why);
	if (rc == HB_OK)
		collect(run, r);
	for (i = 0; i < n; i++)
		worker_fini(&run->workers[i]);
	pthread_barrier_destroy(&run->ready);
	free(run->workers);
	return rc;
}

int
run_once(const struct bench_opts *o, unsigned conns,
    struct bench_result *r_r, struct diag *diag)
{
	struct run *run = mem_zalloc(sizeof *run);
	int rc;

	memset(r_r, 0, sizeof *r_r);
	run->opts = o;
	run->conns = conns;
	atomic_store(&run->next_number, o->first);
	if ((rc = raise_files(conns * (o->job == JOB_AUTH ? 2 : 1),
	    diag)) == HB_OK &&
	    (rc = requests_init(&run->requests, o, diag)) == HB_OK &&
	    (rc = net_target_init(&run->target, o, diag)) == HB_OK)
		rc = run_threads(run, r_r, diag);
	net_target_fini(&run->target);
	requests_fini(&run->requests);
	free(run);
	return rc;
}
