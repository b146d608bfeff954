#include "pool.h"

#include <pthread.h>
#include <signal.h>

#include "util/log.h"
#include "util/mem.h"

/* Threads that wait for clients come on top of the limit, up to this many in all. */
#define POOL_THREADS_MAX	1024
/* Tasks of one queue at once: as many as threads, but at least these. */
#define POOL_QUEUE_MIN		8
/* An output buffer that grew beyond this is given back. */
#define POOL_BUF_KEEP		(256 * 1024)

struct pool {
	unsigned max, queue_max;	/* never changed */

	struct lk_mutex lock;		/* rank POOL; guards the rest */
	struct lk_cond work;		/* something queued, or ending */
	struct lk_cond idle;		/* nothing queued or running */
	struct pool_queue *first, **last;	/* listed queues, in turn */
	unsigned nready;		/* tasks of those */
	unsigned nqueued, nidle, nthreads, naside;
	pthread_t *threads;
	size_t cap;
	bool ending;
};

/*
 * Put Q among the queues whose tasks are taken, at the end, if it has some and
 * not yet its fill of running ones. Locks: caller holds p->lock.
 */
static void
pool_list(struct pool *p, struct pool_queue *q)
{
	if (q->listed || q->head == NULL || q->nrunning >= p->queue_max)
		return;
	q->listed = true;
	q->next = NULL;
	*p->last = q;
	p->last = &q->next;
	p->nready += q->nqueued;
}

/* Locks: caller holds p->lock. */
static struct pool_task *
pool_take(struct pool *p)
{
	struct pool_queue *q = p->first;
	struct pool_task *t = q->head;

	if ((p->first = q->next) == NULL)
		p->last = &p->first;
	q->listed = false;
	p->nready -= q->nqueued;
	q->head = t->next;
	q->nqueued--;
	q->nrunning++;
	if (--p->nqueued == 0 && p->ending)
		lk_cond_broadcast(&p->work);
	pool_list(p, q);
	return t;
}

static void *
pool_thread(void *arg)
{
	struct pool *p = arg;
	struct pool_task *t;
	struct buf out;

	buf_init(&out);
	lk_lock(&p->lock);
	for (;;) {
		while (p->nready == 0 && !(p->ending && p->nqueued == 0)) {
			if (++p->nidle == p->nthreads)
				lk_cond_broadcast(&p->idle);
			lk_cond_wait(&p->work, &p->lock);
			p->nidle--;
		}
		if (p->nready == 0)
			break;
		t = pool_take(p);
		lk_unlock(&p->lock);
		t->run(t, &out);
		if (out.cap > POOL_BUF_KEEP)
			buf_fini(&out);
		lk_lock(&p->lock);
	}
	lk_unlock(&p->lock);
	buf_fini(&out);
	return NULL;
}

/* Locks: caller holds p->lock. */
static void
pool_start_thread(struct pool *p)
{
	sigset_t all, old;
	int err;

	p->threads = mem_grow(p->threads, &p->cap, p->nthreads + 1,
	    sizeof(*p->threads));
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&p->threads[p->nthreads], NULL, pool_thread, p);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (err == 0)
		p->nthreads++;
	else if (p->nthreads == 0)
		log_fatal("cannot start a thread: error %d", err);
}

/* More queued than threads will come for it? Locks: caller holds p->lock. */
static void
pool_match_threads(struct pool *p)
{
	if (p->nready > p->nidle && p->nthreads < POOL_THREADS_MAX &&
	    p->nthreads - p->naside < p->max)
		pool_start_thread(p);
}

struct pool *
pool_new(unsigned max)
{
	struct pool *p = mem_zalloc(sizeof(*p));

	p->max = max > 0 ? max : 1;
	p->queue_max = p->max > POOL_QUEUE_MIN ? p->max : POOL_QUEUE_MIN;
	p->last = &p->first;
	lk_init(&p->lock, LK_POOL, "pool");
	lk_cond_init(&p->work);
	lk_cond_init(&p->idle);
	return p;
}

void
pool_free(struct pool **pp)
{
	struct pool *p = *pp;

	if (p == NULL)
		return;
	lk_lock(&p->lock);
	p->ending = true;
	lk_cond_broadcast(&p->work);
	lk_unlock(&p->lock);
	/* no more are started: the threads that are left run what is queued */
	for (unsigned i = 0; i < p->nthreads; i++)
		pthread_join(p->threads[i], NULL);
	free(p->threads);
	lk_cond_fini(&p->work);
	lk_cond_fini(&p->idle);
	lk_fini(&p->lock);
	free(p);
	*pp = NULL;
}

void
pool_submit(struct pool *p, struct pool_queue *q, struct pool_task *t)
{
	bool wake;

	t->next = NULL;
	lk_lock(&p->lock);
	if (q->head == NULL)
		q->head = t;
	else
		*q->tail = t;
	q->tail = &t->next;
	q->nqueued++;
	p->nqueued++;
	if (q->listed)
		p->nready++;
	else
		pool_list(p, q);
	wake = p->nidle > 0;
	if (!p->ending)
		pool_match_threads(p);
	lk_unlock(&p->lock);
	if (wake)
		lk_cond_signal(&p->work);
}

void
pool_leave(struct pool *p, struct pool_queue *q)
{
	bool wake;

	lk_lock(&p->lock);
	q->nrunning--;
	pool_list(p, q);
	if (!p->ending)
		pool_match_threads(p);
	wake = p->nready > 0 && p->nidle > 0;
	lk_unlock(&p->lock);
	if (wake)
		lk_cond_signal(&p->work);
}

void
pool_aside_begin(struct pool *p)
{
	lk_lock(&p->lock);
	p->naside++;
	if (!p->ending)
		pool_match_threads(p);
	lk_unlock(&p->lock);
}

void
pool_aside_end(struct pool *p)
{
	lk_lock(&p->lock);
	p->naside--;
	lk_unlock(&p->lock);
}

void
pool_drain(struct pool *p)
{
	lk_lock(&p->lock);
	while (p->nqueued > 0 || p->nidle < p->nthreads)
		lk_cond_wait(&p->idle, &p->lock);
	lk_unlock(&p->lock);
}
