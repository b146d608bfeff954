/*
 * Locks with ranks (tbl/lock_ranks.tbl). Built with -DHB_LOCK_DEBUG (debug
 * and sanitizer builds) a wrong order, a second unlock or a missing lock
 * aborts with both lock names; otherwise they are plain pthread calls.
 * No lock is held across socket I/O or a wait for another thread.
 */
#ifndef UTIL_LOCK_H
#define UTIL_LOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/api.h"

enum lock_rank {
	LK_RANK_NONE,
#define LOCK_RANK(sym, why)	sym,
#include "tbl/lock_ranks.tbl"
#undef LOCK_RANK
	LK_RANK_END
};

struct lk_mutex {
	pthread_mutex_t m;
	enum lock_rank rank;
	const char *name;
};

struct lk_rwlock {
	pthread_rwlock_t l;	/* writers are preferred */
	enum lock_rank rank;
	const char *name;
};

struct lk_cond {
	pthread_cond_t c;	/* CLOCK_MONOTONIC */
};

HB_API_BEGIN

void lk_init(struct lk_mutex *m, enum lock_rank rank, const char *name);
void lk_fini(struct lk_mutex *m);
void lk_lock(struct lk_mutex *m);
bool lk_try(struct lk_mutex *m);	/* exempt from the order */
void lk_unlock(struct lk_mutex *m);

void lk_rw_init(struct lk_rwlock *l, enum lock_rank rank, const char *name);
void lk_rw_fini(struct lk_rwlock *l);
void lk_rdlock(struct lk_rwlock *l);
void lk_wrlock(struct lk_rwlock *l);
void lk_rw_unlock(struct lk_rwlock *l);

void lk_cond_init(struct lk_cond *c);
void lk_cond_fini(struct lk_cond *c);
/* M must be the only lock held (checked in debug builds). */
void lk_cond_wait(struct lk_cond *c, struct lk_mutex *m);
/* False when TIMEOUT_MS passed first. */
bool lk_cond_timedwait(struct lk_cond *c, struct lk_mutex *m,
    int64_t timeout_ms);
void lk_cond_signal(struct lk_cond *c);
void lk_cond_broadcast(struct lk_cond *c);

/* True if the calling thread holds the lock; always true in release builds. */
bool lk_is_held(const void *lock);
/* Aborts in debug builds if the calling thread holds any lock (before I/O). */
void lk_assert_none(void);

HB_API_END

#define LK_ASSERT_HELD(l)	hb_assert(lk_is_held(l))

/* Assertion that stays on in release builds; only our own bug fails it. */
#define hb_assert(cond) \
	((cond) ? (void)0 : hb_assert_fail(#cond, __FILE__, __LINE__))
HB_API void hb_assert_fail(const char *cond, const char *file, int line)
    __attribute__((noreturn));

#endif
