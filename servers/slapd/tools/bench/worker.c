/* A thread and its loop (see worker.h). */
#include <errno.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "util/err.h"
#include "util/mem.h"
#include "worker.h"

#define NEVER		UINT64_MAX
#define TICK		100000000u	/* ns between looks at what is late */
#define GIVE_UP		5000000000u	/* ns without any connection */
#define EVENTS_MAX	256
#define READ_MAX	(256 << 10)

static uint64_t
thread_cpu(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Clients of the run that are this worker's. */
static unsigned
clients_of(const struct run *run, unsigned index)
{
	unsigned threads = (unsigned)run->opts->threads;

	return run->conns / threads + (index < run->conns % threads);
}

void
worker_init(struct worker *w, struct run *run, unsigned index)
{
	const struct bench_opts *o = run->opts;
	bool pairs = o->job == JOB_AUTH && !o->auth_same;
	unsigned i, clients = clients_of(run, index);
	struct slot *slots;

	memset(w, 0, sizeof *w);
	w->run = run;
	w->index = index;
	w->nconns = clients * (pairs ? 2 : 1);
	w->conns = mem_calloc(w->nconns, sizeof *w->conns);
	w->dirty = mem_calloc(w->nconns, sizeof(struct conn *));
	slots = mem_calloc(w->nconns * o->window, sizeof *slots);
	w->ring_cap = (unsigned)(w->nconns * o->window);
	w->ring = mem_calloc(w->ring_cap, sizeof *w->ring);
	w->rbuf = mem_alloc(READ_MAX);
	w->rng = o->seed * 0xd1342543de82ef95u + index * UINT64_C(0x5851f42d4c957f2d);
	w->ep = epoll_create1(EPOLL_CLOEXEC);
	w->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	for (i = 0; i < w->nconns; i++) {
		struct conn *c = &w->conns[i];

		c->net = (struct net)NET_INIT;
		c->w = w;
		c->dead = true;
		c->slots = slots + i * o->window;
		c->index = index + i * (unsigned)o->threads;
		c->is_binder = pairs && i % 2 == 1;
		c->pair = pairs ? &w->conns[i ^ 1] : c;
	}
}

/* Unbind, so that no server thinks that its client was lost. */
static void
say_goodbye(struct conn *c)
{
	if (c->dead || c->out.len > 0)
		return;
	request_put_unbind(&c->out, 1);
	(void)net_write(&c->net, c->out.data, c->out.len, NULL);
}

void
worker_fini(struct worker *w)
{
	unsigned i;

	for (i = 0; i < w->nconns; i++) {
		say_goodbye(&w->conns[i]);
		net_close(&w->conns[i].net);
		buf_fini(&w->conns[i].in);
		buf_fini(&w->conns[i].out);
	}
	free(w->conns[0].slots);
	free(w->conns);
	free(w->dirty);
	free(w->ring);
	free(w->rbuf);
	buf_fini(&w->scratch);
	buf_fini(&w->found);
	close(w->ep);
	close(w->timer);
}

int
worker_connect(struct worker *w, struct diag *diag)
{
	unsigned i;
	int rc = HB_OK;

	if (w->ep < 0 || w->timer < 0)
		return diag_err(diag, HB_EIO, "epoll, timerfd: %s",
		    strerror(errno));
	for (i = 0; i < w->nconns && rc == HB_OK; i++)
		rc = conn_open(&w->conns[i], diag);
	return rc;
}

static void
start_client(struct conn *c, uint64_t now)
{
	unsigned k;

	for (k = 0; k < c->w->run->opts->window && !c->is_binder; k++)
		job_next(c, &c->slots[k], now);
}

/* Connect again what was lost. */
static void
revive(struct worker *w, uint64_t now)
{
	unsigned i, dead = 0;
	struct conn *c;

	for (i = 0; i < w->nconns; i++) {
		c = &w->conns[i];
		if (!c->dead)
			continue;
		if (conn_open(c, NULL) != HB_OK) {
			dead++;
			break;		/* the others fare no better */
		}
		if (!c->pair->dead)
			start_client(c->is_binder ? c->pair : c, now);
	}
	if (dead == 0)
		w->dead_since = 0;
	else if (w->dead_since == 0)
		w->dead_since = now;
	else if (now - w->dead_since > GIVE_UP) {
		run_error(w->run, "the server cannot be reached any more: "
		    "giving up");
		w->gave_up = true;
	}
}

static void
check_late(struct worker *w, uint64_t now)
{
	const struct bench_opts *o = w->run->opts;
	uint64_t limit = (uint64_t)(o->timeout * 1e9);
	struct diag diag = DIAG_INIT;
	const struct slot *s;
	unsigned i, k;

	diag_set(&diag, "no answer in %g s", o->timeout);
	for (i = 0; i < w->nconns; i++)
		for (k = 0; k < o->window; k++) {
			s = &w->conns[i].slots[k];
			if (s->busy && now > s->sent &&
			    now - s->sent > limit)
				conn_fail(&w->conns[i], diag.text);
		}
}

static void
begin_measuring(struct worker *w)
{
	w->measuring = true;
	w->cpu_begin = thread_cpu();
	if (w->index == 0 && w->run->opts->spid != 0)
		proc_usage_get(w->run->opts->spid, &w->run->srv_begin);
}

static void
end_measuring(struct worker *w, uint64_t now)
{
	w->ended = now < w->run->t_end ? now : w->run->t_end;
	w->measuring = false;
	w->draining = true;
	w->cpu_end = thread_cpu();
	if (w->index == 0 && w->run->opts->spid != 0)
		proc_usage_get(w->run->opts->spid, &w->run->srv_end);
}

static bool
is_all_claimed(const struct worker *w)
{
	return w->run->opts->ops > 0 && w->busy == 0 &&
	    atomic_load(&w->run->claimed) >= w->run->opts->ops;
}

/* Go from one part of the run to the next. */
static void
move_on(struct worker *w, uint64_t now)
{
	const struct run *run = w->run;

	if (!w->measuring && !w->draining && now >= run->t_begin)
		begin_measuring(w);
	if (!w->draining && (now >= run->t_end || is_all_claimed(w) ||
	    w->gave_up || bench_stop)) {
		if (!w->measuring)
			begin_measuring(w);
		end_measuring(w, now);
		if (run->opts->rate > 0 && run->opts->ops == 0)
			w->unsent = pace_unsent(&w->pace, run->t_end);
	}
}

/* Let epoll wake up when the next request is due. */
static void
set_timer(struct worker *w, uint64_t due)
{
	struct itimerspec it = { .it_value = {
	    (time_t)(due / 1000000000u), (long)(due % 1000000000u) } };

	if (w->timer_due == due)
		return;
	w->timer_due = due;
	timerfd_settime(w->timer, TFD_TIMER_ABSTIME, &it, NULL);
}

static int
wait_ms(struct worker *w, uint64_t now)
{
	uint64_t until = now + TICK, due;

	if (!w->draining && w->run->t_begin > now && w->run->t_begin < until)
		until = w->run->t_begin;
	if (!w->draining && w->run->t_end < until)
		until = w->run->t_end;
	if (w->run->opts->rate > 0 && w->ring_len > 0 && !w->draining) {
		if ((due = pace_due(&w->pace)) <= now)
			return 0;
		if (due < until)
			set_timer(w, due);
	}
	return until <= now ? 0 : (int)((until - now + 999999) / 1000000);
}

static void
turn(struct worker *w, uint64_t now)
{
	struct epoll_event ev[EVENTS_MAX];
	struct conn *c;
	unsigned i;
	int n, k;

	for (i = 0; i < w->ndirty; i++)
		conn_flush(w->dirty[i]);
	w->ndirty = 0;
	n = epoll_wait(w->ep, ev, EVENTS_MAX, wait_ms(w, now));
	for (k = 0; k < n; k++) {
		if ((c = ev[k].data.ptr) == NULL) {
			uint64_t times;

			if (read(w->timer, &times, sizeof times) < 0)
				continue;
		} else if (!c->dead) {
			if (ev[k].events & EPOLLOUT)
				conn_flush(c);
			if (!c->dead && (ev[k].events & ~(unsigned)EPOLLOUT))
				conn_read(c);
		}
	}
}

static void
loop(struct worker *w)
{
	uint64_t now = bench_now(), tick = now + TICK;

	for (;;) {
		move_on(w, now);
		if (w->draining && w->busy == 0)
			break;
		if (!w->draining && w->run->opts->rate > 0)
			job_due(w, now);
		turn(w, now);
		now = bench_now();
		if (now < tick)
			continue;
		tick = now + TICK;
		check_late(w, now);
		if (!w->draining)
			revive(w, now);
	}
	job_cleanup(w, now);
	while (w->busy > 0) {
		turn(w, now);
		now = bench_now();
		check_late(w, now);
	}
}

void *
worker_main(void *arg)
{
	struct worker *w = arg;
	struct epoll_event ev = { .events = EPOLLIN, .data.ptr = NULL };
	struct diag diag = DIAG_INIT;
	unsigned i;

	if (worker_connect(w, &diag) != HB_OK) {
		memcpy(w->why, diag.text, sizeof w->why);
		atomic_store(&w->run->failed, true);
	}
	pthread_barrier_wait(&w->run->ready);
	pthread_barrier_wait(&w->run->ready);
	if (atomic_load(&w->run->failed))
		return NULL;
	epoll_ctl(w->ep, EPOLL_CTL_ADD, w->timer, &ev);
	if (w->run->opts->rate > 0)
		pace_init(&w->pace, w->run->t_start, w->run->opts->rate,
		    w->index, (unsigned)w->run->opts->threads);
	for (i = 0; i < w->nconns; i++)
		start_client(&w->conns[i], w->run->t_start);
	loop(w);
	return NULL;
}
