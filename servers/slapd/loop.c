#include "loop.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "fop.h"
#include "listener.h"
#include "server.h"
#include "util/err.h"
#include "util/log.h"
#include "util/mem.h"
#include "util/text.h"

#define LOOP_EVENTS	128
#define DROP_AT_ONCE	32
#define LOOP_OUT_KEEP	(256 * 1024)

static void
loop_take_posted(struct loop *l, bool resume)
{
	struct conn *c, *list;

	lk_lock(&l->lock);
	list = l->posted;
	l->posted = NULL;
	for (c = list; c != NULL; c = c->next_posted)
		c->is_posted = false;
	lk_unlock(&l->lock);
	while ((c = list) != NULL) {
		/* C may be posted again at once: its link is free by now */
		list = c->next_posted;
		if (resume && !c->is_closed)
			conn_resume(c);
		conn_unref(c);
	}
}

static void
wake_ready(struct ev *ev, struct loop *l, uint32_t events)
{
	uint64_t n;

	(void)ev;
	(void)events;
	while (read(l->wakefd, &n, sizeof(n)) < 0 && errno == EINTR)
		;
	loop_take_posted(l, true);
}

/* Those that this turn closed. */
static void
loop_let_go(struct loop *l)
{
	struct conn *c;

	while ((c = l->closed) != NULL) {
		l->closed = c->next;
		conn_unref(c);
	}
}

int
loop_init(struct loop *l, struct server *srv, unsigned number,
    struct diag *diag)
{
	memset(l, 0, sizeof(*l));
	l->server = srv;
	l->number = number;
	l->ready_last = &l->ready;
	l->wake_ev.ready = wake_ready;
	lk_init(&l->lock, LK_LOOP, "event loop");
	buf_init(&l->out);
	l->in = mem_alloc(LOOP_READ_SIZE);
	l->now = time_mono_us();
	l->epfd = epoll_create1(EPOLL_CLOEXEC);
	l->wakefd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (l->epfd < 0 || l->wakefd < 0)
		return diag_err(diag, HB_EIO, "event loop: %s",
		    strerror(errno));
	loop_watch(l, l->wakefd, &l->wake_ev, EPOLLIN);
	return HB_OK;
}

static void
loop_close_all(struct loop *l)
{
	struct conn *c;

	for (;;) {
		lk_lock(&l->lock);
		if ((c = l->conns) != NULL)
			conn_ref(c);
		lk_unlock(&l->lock);
		if (c == NULL)
			break;
		conn_close(c, "slapd shutdown");
		conn_unref(c);
	}
	while ((c = l->ready) != NULL) {
		l->ready = c->next_ready;
		conn_unref(c);
	}
	loop_let_go(l);
}

void
loop_end_operations(struct loop *l)
{
	lk_lock(&l->lock);
	for (struct conn *c = l->conns; c != NULL; c = c->next)
		conn_end_operations(c);
	lk_unlock(&l->lock);
}

void
loop_fini(struct loop *l)
{
	struct fop *f;

	loop_close_all(l);
	loop_take_posted(l, false);
	while ((f = l->free_ops) != NULL) {
		l->free_ops = f->next;
		fop_free(f);
	}
	buf_fini(&l->out);
	free(l->in);
	if (l->epfd >= 0)
		close(l->epfd);
	if (l->wakefd >= 0)
		close(l->wakefd);
	lk_fini(&l->lock);
}

static void *
loop_thread(void *arg)
{
	struct loop *l = arg;

	while (!atomic_load_explicit(&l->stop, memory_order_acquire))
		loop_turn(l, -1);
	return NULL;
}

int
loop_start(struct loop *l, struct diag *diag)
{
	int err = pthread_create(&l->thread, NULL, loop_thread, l);

	if (err != 0)
		return diag_err(diag, HB_EIO, "cannot start a thread: %s",
		    strerror(err));
	return HB_OK;
}

void
loop_wake(struct loop *l)
{
	uint64_t one = 1;

	while (write(l->wakefd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

void
loop_stop(struct loop *l)
{
	atomic_store_explicit(&l->stop, true, memory_order_release);
	loop_wake(l);
}

void
loop_join(struct loop *l)
{
	pthread_join(l->thread, NULL);
}

void
loop_add(struct loop *l, struct conn *c)
{
	lk_lock(&l->lock);
	c->next = l->conns;
	c->prevp = &l->conns;
	if (c->next != NULL)
		c->next->prevp = &c->next;
	l->conns = c;
	lk_unlock(&l->lock);
	atomic_fetch_add_explicit(&l->nconns, 1, memory_order_relaxed);
}

void
loop_remove(struct loop *l, struct conn *c)
{
	lk_lock(&l->lock);
	*c->prevp = c->next;
	if (c->next != NULL)
		c->next->prevp = c->prevp;
	lk_unlock(&l->lock);
	atomic_fetch_sub_explicit(&l->nconns, 1, memory_order_relaxed);
}

void
loop_unref_later(struct loop *l, struct conn *c)
{
	c->next = l->closed;
	l->closed = c;
}

void
loop_post(struct loop *l, struct conn *c)
{
	bool wake = false;

	lk_lock(&l->lock);
	if (!c->is_posted) {
		c->is_posted = true;
		conn_ref(c);
		wake = l->posted == NULL;
		c->next_posted = l->posted;
		l->posted = c;
	}
	lk_unlock(&l->lock);
	if (wake)
		loop_wake(l);
}

void
loop_make_ready(struct loop *l, struct conn *c)
{
	if (c->is_ready)
		return;
	conn_ref(c);
	c->is_ready = true;
	c->next_ready = NULL;
	*l->ready_last = c;
	l->ready_last = &c->next_ready;
}

/* Those that were ready before this turn: what becomes ready now waits for the next. */
static void
loop_serve_ready(struct loop *l)
{
	struct conn *list = l->ready, *c;

	l->ready = NULL;
	l->ready_last = &l->ready;
	while ((c = list) != NULL) {
		list = c->next_ready;
		c->is_ready = false;
		if (!c->is_closed)
			conn_resume(c);
		conn_unref(c);
	}
}

/* Why C should be closed by now, or NULL. */
static const char *
sweep_reason(const struct conn *c, const struct slapd_conf *conf, int64_t now)
{
	int64_t blocked = atomic_load_explicit(&c->blocked_since,
	    memory_order_relaxed);
	int64_t used = atomic_load_explicit(&c->last_used,
	    memory_order_relaxed);

	if (conf->writetimeout != 0 && blocked != 0 &&
	    now - blocked >= conf->writetimeout)
		return "writetimeout";
	if (conf->idletimeout != 0 && now - used >= conf->idletimeout &&
	    atomic_load_explicit(&c->nops, memory_order_relaxed) == 0)
		return "idletimeout";
	return NULL;
}

static void
loop_sweep(struct loop *l, int64_t now)
{
	const struct slapd_conf *conf = l->server->conf;
	struct conn *c, *late = NULL;

	lk_lock(&l->lock);
	for (c = l->conns; c != NULL; c = c->next) {
		if (c->is_ready ||
		    (c->reason = sweep_reason(c, conf, now)) == NULL)
			continue;
		/* the ready list's link, which only this thread uses */
		conn_ref(c);
		c->next_ready = late;
		late = c;
	}
	lk_unlock(&l->lock);
	while ((c = late) != NULL) {
		late = c->next_ready;
		conn_close(c, c->reason);
		conn_unref(c);
	}
}

/* Idle, as far as it can be seen from outside, and nobody that something depends on. */
static bool
may_drop(const struct conn *c, int64_t before)
{
	return !conn_is_authenticated(c) &&
	    atomic_load_explicit(&c->nops, memory_order_relaxed) == 0 &&
	    atomic_load_explicit(&c->blocked_since,
	    memory_order_relaxed) == 0 &&
	    atomic_load_explicit(&c->last_used, memory_order_relaxed) < before;
}

/* Since when the one that is idle for longest is. Locks: caller holds l->lock. */
static int64_t
idle_longest(struct loop *l, int64_t before)
{
	int64_t used, least = before;

	for (struct conn *c = l->conns; c != NULL; c = c->next) {
		used = atomic_load_explicit(&c->last_used,
		    memory_order_relaxed);
		if (used < least && may_drop(c, before))
			least = used;
	}
	return least;
}

bool
loop_drop_idle(struct loop *l, int64_t now_us)
{
	int64_t before = now_us / 1000000 - 1, oldest;
	struct conn *drop[DROP_AT_ONCE];
	unsigned n = 0;

	lk_lock(&l->lock);
	oldest = idle_longest(l, before);
	for (struct conn *c = l->conns; c != NULL && oldest < before &&
	    n < DROP_AT_ONCE; c = c->next) {
		if (may_drop(c, oldest + 1)) {
			conn_ref(c);
			drop[n++] = c;
		}
	}
	lk_unlock(&l->lock);
	for (unsigned i = 0; i < n; i++) {
		atomic_store_explicit(&drop[i]->is_unwanted, true,
		    memory_order_relaxed);
		loop_post(l, drop[i]);
		conn_unref(drop[i]);
	}
	return n > 0;
}

void
loop_pause_listeners(struct loop *l)
{
	if (l->paused != 0)
		return;
	l->paused = l->now;
	listeners_watch(l->server, l, false);
}

/* A second of pause is over. */
static void
loop_resume_listeners(struct loop *l)
{
	if (l->paused == 0 || l->now - l->paused < 1000000)
		return;
	l->paused = 0;
	listeners_watch(l->server, l, true);
}

static bool
loop_has_timers(const struct loop *l)
{
	const struct slapd_conf *conf = l->server->conf;

	return conf->idletimeout != 0 || conf->writetimeout != 0;
}

/* Milliseconds until the loop has something to do by itself; -1: never. */
static int
loop_timeout(const struct loop *l)
{
	if (l->ready != NULL)
		return 0;
	return loop_has_timers(l) || l->paused != 0 ? 1000 : -1;
}

void
loop_turn(struct loop *l, int timeout_ms)
{
	struct epoll_event events[LOOP_EVENTS];
	int n, timeout = loop_timeout(l);

	if (timeout < 0 || (timeout_ms >= 0 && timeout_ms < timeout))
		timeout = timeout_ms;
	n = epoll_wait(l->epfd, events, LOOP_EVENTS, timeout);
	if (n < 0 && errno != EINTR)
		log_fatal("epoll_wait: %s", strerror(errno));
	l->now = time_mono_us();
	/*
	 * A connection that was closed by an earlier event of this turn is
	 * still in memory (loop_unref_later): its handler looks at is_closed.
	 */
	for (int i = 0; i < n; i++) {
		struct ev *ev = events[i].data.ptr;

		ev->ready(ev, l, events[i].events);
	}
	loop_serve_ready(l);
	loop_resume_listeners(l);
	if (loop_has_timers(l) && l->now / 1000000 != l->last_sweep) {
		l->last_sweep = l->now / 1000000;
		loop_sweep(l, l->last_sweep);
	}
	loop_let_go(l);
	if (l->out.cap > LOOP_OUT_KEEP)
		buf_fini(&l->out);
}

bool
loop_watch(struct loop *l, int fd, struct ev *ev, uint32_t events)
{
	struct epoll_event e = { .events = events, .data.ptr = ev };

	if (fd < 0 || epoll_ctl(l->epfd, EPOLL_CTL_ADD, fd, &e) == 0)
		return true;
	log_printf(LOG_ANY, "epoll_ctl: %s", strerror(errno));
	return false;
}

void
loop_want(struct loop *l, int fd, struct ev *ev, uint32_t events)
{
	struct epoll_event e = { .events = events, .data.ptr = ev };

	if (fd >= 0)
		epoll_ctl(l->epfd, EPOLL_CTL_MOD, fd, &e);
}

void
loop_unwatch(struct loop *l, int fd)
{
	struct epoll_event e = { .events = 0 };

	if (fd >= 0)
		epoll_ctl(l->epfd, EPOLL_CTL_DEL, fd, &e);
}
