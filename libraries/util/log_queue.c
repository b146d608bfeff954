/*
 * A record is 16 octets of header and the text, at multiples of 16; len SKIP:
 * go on at the ring's begin. The owner moves head, the emptier tail, both count
 * octets for ever.
 *
 * Order: a cut in time is taken before the heads are looked at, and only what
 * is older is taken out. Whatever led to a record before the cut was put before
 * it, so it is seen too.
 *
 * The owner makes a system call only if the emptier sleeps; it does so after
 * nothing came for LINGER_MS.
 */
#include "log_queue.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/lock.h"
#include "util/log.h"

#define RING_SIZE	((size_t)512 * 1024)
#define LINGER_MS	10
#define SKIP		UINT32_MAX

struct record {
	int64_t when;			/* ns, CLOCK_MONOTONIC */
	uint32_t len;
	int32_t level;
};

struct ring {
	struct ring *next;
	atomic_bool is_orphan;		/* its thread has ended */
	/* of the emptier */
	size_t limit;			/* head when the cut was taken */
	_Alignas(64) atomic_size_t head;
	atomic_uint_least64_t dropped;
	_Alignas(64) atomic_size_t tail;
	_Alignas(64) char data[];
};

static struct {
	pthread_t thread;
	pthread_key_t key;		/* makes orphans of rings */
	log_sink sink;
	void (*sink_end)(void);
	uint64_t reported;		/* dropped lines that were told of */

	/* not ranked: lines are written with any lock held */
	pthread_mutex_t lock;		/* guards the block */
	pthread_cond_t wake;
	struct ring *rings;
	bool is_ending;

	/* who holds it empties the rings; taken before lock */
	pthread_mutex_t emptier;
	atomic_bool is_open;
	atomic_bool is_asleep;
	atomic_uint_least64_t gone;	/* dropped by rings that are gone */
} queue = { .emptier = PTHREAD_MUTEX_INITIALIZER,
    .lock = PTHREAD_MUTEX_INITIALIZER };

static _Thread_local struct ring *my_ring;

static int64_t
clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* ---- filling ---- */

static void
ring_leave(void *ring)
{
	struct ring *r = ring;

	my_ring = NULL;
	atomic_store_explicit(&r->is_orphan, true, memory_order_release);
}

static struct ring *
ring_new(void)
{
	struct ring *r = aligned_alloc(64, sizeof(*r) + RING_SIZE);

	hb_assert(r != NULL);
	memset(r, 0, sizeof(*r));
	pthread_mutex_lock(&queue.lock);
	r->next = queue.rings;
	queue.rings = r;
	pthread_mutex_unlock(&queue.lock);
	pthread_setspecific(queue.key, r);
	return my_ring = r;
}

static size_t
record_size(size_t len)
{
	return sizeof(struct record) + ((len + 15) & ~(size_t)15);
}

static bool
ring_put(struct ring *r, const struct record *rec, const char *text)
{
	size_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
	size_t tail = atomic_load_explicit(&r->tail, memory_order_acquire);
	size_t at = head % RING_SIZE, size = record_size(rec->len);
	struct record skip = { 0, SKIP, 0 };

	if (RING_SIZE - at < size) {
		if (RING_SIZE - (head - tail) < RING_SIZE - at + size)
			return false;
		memcpy(r->data + at, &skip, sizeof(skip));
		head += RING_SIZE - at;
		at = 0;
	} else if (RING_SIZE - (head - tail) < size) {
		return false;
	}
	memcpy(r->data + at, rec, sizeof(*rec));
	memcpy(r->data + at + sizeof(*rec), text, rec->len);
	/* in one order with is_asleep: see log_queue_put() */
	atomic_store(&r->head, head + size);
	return true;
}

bool
log_queue_put(int level, const char *text, size_t len)
{
	struct record rec = { 0, (uint32_t)len, level };
	struct ring *r = my_ring;

	if (!atomic_load_explicit(&queue.is_open, memory_order_acquire))
		return false;
	if (r == NULL)
		r = ring_new();
	rec.when = clock_ns(CLOCK_MONOTONIC);
	if (!ring_put(r, &rec, text))
		atomic_fetch_add_explicit(&r->dropped, 1,
		    memory_order_relaxed);
	/* either it sees the record, or we see that it sleeps */
	if (atomic_load(&queue.is_asleep)) {
		pthread_mutex_lock(&queue.lock);
		if (atomic_exchange(&queue.is_asleep, false))
			pthread_cond_signal(&queue.wake);
		pthread_mutex_unlock(&queue.lock);
	}
	return true;
}

/* ---- emptying; all of it with queue.emptier held ---- */

/* The next record of R below its limit; NULL: none. */
static const struct record *
ring_first(struct ring *r)
{
	size_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
	const struct record *rec;

	if (tail == r->limit)
		return NULL;
	rec = (const struct record *)(const void *)(r->data +
	    tail % RING_SIZE);
	if (rec->len != SKIP)
		return rec;
	tail += RING_SIZE - tail % RING_SIZE;
	atomic_store_explicit(&r->tail, tail, memory_order_release);
	return tail == r->limit ? NULL : (const struct record *)
	    (const void *)r->data;
}

static void
ring_drop_first(struct ring *r, const struct record *rec)
{
	atomic_store_explicit(&r->tail, record_size(rec->len) +
	    atomic_load_explicit(&r->tail, memory_order_relaxed),
	    memory_order_release);
}

/* The oldest record before CUT, and whose it is. */
static const struct record *
oldest(struct ring *rings, int64_t cut, struct ring **r_r)
{
	const struct record *best = NULL, *rec;

	for (struct ring *r = rings; r != NULL; r = r->next) {
		rec = ring_first(r);
		if (rec != NULL && rec->when < cut &&
		    (best == NULL || rec->when < best->when)) {
			best = rec;
			*r_r = r;
		}
	}
	return best;
}

/* Rings that are empty and will stay so go; the others' limits are set. */
static struct ring *
set_limits(void)
{
	struct ring **at, *r, *first;

	pthread_mutex_lock(&queue.lock);
	for (at = &queue.rings; (r = *at) != NULL;) {
		bool orphan = atomic_load_explicit(&r->is_orphan,
		    memory_order_acquire);

		r->limit = atomic_load_explicit(&r->head,
		    memory_order_acquire);
		if (orphan && r->limit == atomic_load_explicit(&r->tail,
		    memory_order_relaxed)) {
			atomic_fetch_add(&queue.gone, atomic_load(
			    &r->dropped));
			*at = r->next;
			free(r);
		} else {
			at = &r->next;
		}
	}
	first = queue.rings;
	pthread_mutex_unlock(&queue.lock);
	return first;
}

static void
report_dropped(struct ring *rings)
{
	uint64_t sum = atomic_load(&queue.gone);
	char text[80];
	int n;

	for (struct ring *r = rings; r != NULL; r = r->next)
		sum += atomic_load_explicit(&r->dropped,
		    memory_order_relaxed);
	if (sum == queue.reported)
		return;
	n = snprintf(text, sizeof(text), "%llu log lines were dropped: the "
	    "log is too slow", (unsigned long long)(sum - queue.reported));
	queue.reported = sum;
	queue.sink(LOG_ANY, time(NULL), text, (size_t)n);
}

/* True if there was something. Rings added meanwhile stand before FIRST. */
static bool
empty_rings(void)
{
	int64_t cut = clock_ns(CLOCK_MONOTONIC);
	int64_t offset = clock_ns(CLOCK_REALTIME) - cut;
	struct ring *first = set_limits(), *r = NULL;
	const struct record *rec;
	bool some = false;

	while ((rec = oldest(first, cut, &r)) != NULL) {
		queue.sink(rec->level, (time_t)((rec->when + offset) /
		    1000000000), (const char *)(rec + 1), rec->len);
		ring_drop_first(r, rec);
		some = true;
	}
	report_dropped(first);
	if (some)
		queue.sink_end();
	return some;
}

bool
log_queue_put_now(int level, const char *text, size_t len)
{
	if (!atomic_load_explicit(&queue.is_open, memory_order_acquire))
		return false;
	pthread_mutex_lock(&queue.emptier);
	empty_rings();
	queue.sink(level, time(NULL), text, len);
	queue.sink_end();
	pthread_mutex_unlock(&queue.emptier);
	return true;
}

void
log_queue_save(void)
{
	if (!atomic_load_explicit(&queue.is_open, memory_order_acquire) ||
	    pthread_mutex_trylock(&queue.emptier) != 0)
		return;
	empty_rings();
	pthread_mutex_unlock(&queue.emptier);
}

static bool
has_records(void)
{
	bool some = false;

	pthread_mutex_lock(&queue.lock);
	for (struct ring *r = queue.rings; r != NULL && !some; r = r->next)
		some = atomic_load(&r->head) != atomic_load(&r->tail);
	pthread_mutex_unlock(&queue.lock);
	return some;
}

/* Wait for records, a moment at first; false: it is over. */
static bool
wait_for_records(bool had_some)
{
	int64_t then = clock_ns(CLOCK_MONOTONIC) + LINGER_MS * 1000000LL;
	struct timespec until = { then / 1000000000, then % 1000000000 };
	bool ends;

	if (!had_some) {
		atomic_store(&queue.is_asleep, true);
		if (has_records())
			atomic_store(&queue.is_asleep, false);
	}
	pthread_mutex_lock(&queue.lock);
	if (had_some && !queue.is_ending)
		pthread_cond_timedwait(&queue.wake, &queue.lock, &until);
	while (atomic_load(&queue.is_asleep) && !queue.is_ending)
		pthread_cond_wait(&queue.wake, &queue.lock);
	atomic_store(&queue.is_asleep, false);
	ends = queue.is_ending;
	pthread_mutex_unlock(&queue.lock);
	return !ends;
}

static void *
run(void *arg)
{
	bool some = false;

	while (wait_for_records(some)) {
		pthread_mutex_lock(&queue.emptier);
		some = empty_rings();
		pthread_mutex_unlock(&queue.emptier);
	}
	return arg;
}

int
log_queue_open(log_sink sink, void (*sink_end)(void))
{
	pthread_condattr_t attr;
	int err;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&queue.wake, &attr);
	pthread_condattr_destroy(&attr);
	queue.sink = sink;
	queue.sink_end = sink_end;
	queue.is_ending = false;
	if ((err = pthread_key_create(&queue.key, ring_leave)) != 0)
		return err;
	atomic_store(&queue.is_open, true);
	if ((err = pthread_create(&queue.thread, NULL, run, NULL)) != 0) {
		atomic_store(&queue.is_open, false);
		pthread_key_delete(queue.key);
	}
	return err;
}

void
log_queue_close(void)
{
	struct ring *r;

	if (!atomic_load(&queue.is_open))
		return;
	pthread_mutex_lock(&queue.lock);
	queue.is_ending = true;
	pthread_cond_signal(&queue.wake);
	pthread_mutex_unlock(&queue.lock);
	pthread_join(queue.thread, NULL);
	log_queue_save();
	atomic_store(&queue.is_open, false);
	pthread_key_delete(queue.key);
	while ((r = queue.rings) != NULL) {
		queue.rings = r->next;
		free(r);
	}
	my_ring = NULL;
	pthread_cond_destroy(&queue.wake);
}
