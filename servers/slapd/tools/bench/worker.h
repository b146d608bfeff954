/*
 * Threads, their connections and what is outstanding on them. A worker owns
 * its connections; shared are the run's atomics and the lock of its errors.
 */
#ifndef BENCH_WORKER_H
#define BENCH_WORKER_H

#include <pthread.h>
#include <stdatomic.h>

#include "answer.h"
#include "bench.h"
#include "hist.h"
#include "net.h"
#include "pace.h"
#include "proc.h"
#include "request.h"

struct worker;

/* One request outstanding, or room for one. */
struct slot {
	uint64_t since;			/* latency counts from here */
	uint64_t sent;
	uint64_t n;			/* its number */
	uint16_t id;
	uint8_t kind;			/* enum req_kind */
	bool busy, queued;		/* outstanding; in the idle ring */
	bool bad;			/* an error was counted for it */
	bool added;			/* adddel: its entry is there */
	unsigned entries;
};

struct conn {
	struct net net;
	struct worker *w;
	struct conn *pair;		/* auth: the other one, or itself */
	bool is_binder;			/* the second one of a pair */
	bool dead, dirty, want_write;
	unsigned index;			/* among all of the run */
	unsigned seq;			/* for message IDs */
	struct slot *slots;
	struct buf in, out;
	size_t out_done;
};

struct run {
	const struct bench_opts *opts;
	struct requests requests;
	struct net_target target;
	unsigned conns;			/* of this run */
	struct worker *workers;
	pthread_barrier_t ready;
	uint64_t t_start, t_begin, t_end;	/* set before the second barrier */
	struct proc_usage srv_begin, srv_end;

	atomic_ullong next_number;	/* of add and delete */
	atomic_ullong claimed;		/* with --ops */
	atomic_ullong errors;
	atomic_bool failed;		/* could not start */
};

struct worker {
	struct run *run;
	unsigned index;
	pthread_t thread;
	int ep, timer;
	struct conn *conns;
	unsigned nconns;		/* binders included */
	struct conn **dirty;
	unsigned ndirty;
	struct slot **ring;		/* idle ones, first in first out */
	unsigned ring_cap, ring_first, ring_len;
	char *rbuf;
	struct buf scratch, found;
	uint64_t rng;
	struct pace pace;
	uint64_t timer_due;		/* when the timer goes off */
	unsigned busy;
	bool measuring, draining, gave_up;
	uint64_t dead_since;

	/* results */
	struct hist hist;
	uint64_t ops, entries, bytes_in, unsent, last;
	uint64_t cpu_begin, cpu_end, ended;
	char why[DIAG_TEXT_MAX];	/* it could not start */
};

/* The thread: connects, waits for the run's barrier twice, works, drains. */
void *worker_main(void *worker);
/* HB_OK, HB_EIO with what to do. */
int worker_connect(struct worker *w, struct diag *);
void worker_init(struct worker *w, struct run *run, unsigned index);
void worker_fini(struct worker *w);

/* Count an error; the first ten of a process are shown on stderr. */
void run_error(struct run *run, const char *fmt, ...) HB_PRINTF(2, 3);

/* conn.c: octets in and out. */
int conn_open(struct conn *c, struct diag *);
void conn_read(struct conn *c);
void conn_flush(struct conn *c);
/*
 * Lost or of no use: everything outstanding on it, and on its pair, is an
 * error.
 */
void conn_fail(struct conn *c, const char *why);
void conn_send(struct conn *c, struct slot *s, enum req_kind kind,
    uint64_t now);

/* job.c: what is asked next, and what an answer means. */
/* Begin what the job does next; false when there is nothing more to do. */
bool job_begin(struct conn *c, struct slot *s, uint64_t since, uint64_t now);
/* S has nothing to do: begin the next, or wait until it is due. */
void job_next(struct conn *c, struct slot *s, uint64_t now);
/* A whole message came in. HB_OK; HB_EENCODING: give the connection up. */
int job_message(struct conn *c, struct slice pdu, uint64_t now);
/* Requests that have become due, while there are idle slots. */
void job_due(struct worker *w, uint64_t now);
/* Undo what adddel has left half done. */
void job_cleanup(struct worker *w, uint64_t now);

#endif
