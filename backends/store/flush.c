/*
 * Group commit. Writers commit without syncing, in the order of the log, and
 * take a ticket while they are still the writer. Then one of those who wait
 * leads: it flushes the log, which covers every ticket given before, and wakes
 * them. Who comes while a flush is under way waits for the next one.
 *
 * While other writers are at work the leader gives them a moment to come
 * along: a flush costs as much as a small change, so one for each would halve
 * what a busy server can write. With nobody else at work nobody waits.
 */
#include "backends/store/env.h"
#include "util/mem.h"
#include "util/text.h"

#define GATHER_MS	2		/* at most; commits of a busy server take longer to wait for */
#define GATHER_ENOUGH	16		/* commits worth a flush of their own */

struct flush {
	struct store *st;
	atomic_uint_least64_t tickets;	/* given so far; grows under the writer lock */

	atomic_uint writers;		/* at work, or waiting to be the writer */

	struct lk_mutex lock;		/* rank STORE_FLUSH; guards the rest */
	struct lk_cond gathered;	/* no writer is at work, or enough came */
	struct lk_cond done[2];		/* by the parity of the round waited for */
	uint64_t flushed;		/* tickets on disk */
	uint64_t target;		/* what the flush under way will reach */
	uint64_t round;			/* flushes begun */
	uint64_t failed;		/* tickets up to here met an error */
	int error;
	bool is_led;
	atomic_bool gathers;		/* written under lock */
};

struct flush *
flush_new(struct store *st)
{
	struct flush *f = mem_zalloc(sizeof(*f));

	f->st = st;
	lk_init(&f->lock, LK_STORE_FLUSH, "log flush");
	lk_cond_init(&f->gathered);
	lk_cond_init(&f->done[0]);
	lk_cond_init(&f->done[1]);
	return f;
}

void
flush_free(struct flush **flush)
{
	struct flush *f = *flush;

	if (f == NULL)
		return;
	lk_cond_fini(&f->gathered);
	lk_cond_fini(&f->done[0]);
	lk_cond_fini(&f->done[1]);
	lk_fini(&f->lock);
	free(f);
	*flush = NULL;
}

uint64_t
flush_ticket(struct flush *f)
{
	return atomic_fetch_add(&f->tickets, 1) + 1;
}

void
flush_enter(struct flush *f)
{
	atomic_fetch_add(&f->writers, 1);
}

void
flush_leave(struct flush *f)
{
	if (atomic_fetch_sub(&f->writers, 1) != 1 ||
	    !atomic_load(&f->gathers))
		return;
	lk_lock(&f->lock);
	lk_cond_signal(&f->gathered);
	lk_unlock(&f->lock);
}

/* Locks: caller holds f->lock; it is released meanwhile. */
static void
gather(struct flush *f)
{
	int64_t end = 0, left = GATHER_MS;

	atomic_store(&f->gathers, true);
	while (atomic_load(&f->writers) > 0 && left > 0 &&
	    atomic_load(&f->tickets) - f->flushed < GATHER_ENOUGH) {
		if (end == 0)
			end = time_mono_us() + GATHER_MS * 1000;
		lk_cond_timedwait(&f->gathered, &f->lock, left);
		left = (end - time_mono_us() + 999) / 1000;
	}
	atomic_store(&f->gathers, false);
}

uint64_t
flush_count(struct flush *f)
{
	uint64_t n;

	lk_lock(&f->lock);
	n = f->round;
	lk_unlock(&f->lock);
	return n;
}

/* Locks: caller holds f->lock; it is released meanwhile. */
static void
lead(struct flush *f)
{
	uint64_t target;
	int err;

	f->is_led = true;
	gather(f);
	f->round++;
	f->target = target = atomic_load(&f->tickets);
	lk_unlock(&f->lock);
	err = disk_flush_log(f->st);
	lk_lock(&f->lock);
	f->is_led = false;
	if (err != 0) {
		f->failed = target;
		f->error = err;
	}
	f->flushed = target;
	lk_cond_broadcast(&f->done[f->round & 1]);
	/* one of those who came meanwhile leads the next */
	lk_cond_signal(&f->done[(f->round + 1) & 1]);
}

int
flush_wait(struct store *st, uint64_t ticket)
{
	struct flush *f = st->flush;
	uint64_t round;
	int err = 0;

	lk_lock(&f->lock);
	while (f->flushed < ticket) {
		if (!f->is_led) {
			lead(f);
			continue;
		}
		round = f->round + (ticket <= f->target ? 0 : 1);
		lk_cond_wait(&f->done[round & 1], &f->lock);
	}
	if (ticket <= f->failed)
		err = f->error;
	lk_unlock(&f->lock);
	return store_db_error(st, err, "writing the log");
}
