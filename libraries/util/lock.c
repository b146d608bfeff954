/* Ranked locks: see util/lock.h. */
#include "util/lock.h"

#include <errno.h>
#include <time.h>

#include "util/log.h"

void
hb_assert_fail(const char *cond, const char *file, int line)
{
	log_fatal("assertion failed at %s:%d: %s", file, line, cond);
}

#ifdef HB_LOCK_DEBUG

#define HELD_MAX	16

struct held {
	const void *lock;
	enum lock_rank rank;
	const char *name;
};

static _Thread_local struct held held[HELD_MAX];
static _Thread_local unsigned nheld;

static void
note_lock(const void *lock, enum lock_rank rank, const char *name,
    bool is_ordered)
{
	unsigned i;

	for (i = 0; i < nheld; i++) {
		if (held[i].lock == lock)
			log_fatal("lock %s taken twice", name);
		if (is_ordered && held[i].rank >= rank)
			log_fatal("lock %s (rank %d) taken while %s (rank %d) "
			    "is held", name, (int)rank, held[i].name,
			    (int)held[i].rank);
	}
	if (nheld == HELD_MAX)
		log_fatal("too many locks held, taking %s", name);
	held[nheld++] = (struct held){ lock, rank, name };
}

static void
note_unlock(const void *lock, const char *name)
{
	unsigned i;

	for (i = nheld; i > 0; i--) {
		if (held[i - 1].lock == lock) {
			for (; i < nheld; i++)
				held[i - 1] = held[i];
			nheld--;
			return;
		}
	}
	log_fatal("lock %s released but not held", name);
}

bool
lk_is_held(const void *lock)
{
	unsigned i;

	for (i = 0; i < nheld; i++) {
		if (held[i].lock == lock)
			return true;
	}
	return false;
}

void
lk_assert_none(void)
{
	if (nheld > 0)
		log_fatal("lock %s is held where none may be",
		    held[nheld - 1].name);
}

static void
assert_only(const struct lk_mutex *m)
{
	if (nheld != 1 || held[0].lock != m)
		log_fatal("waiting with %s while %u locks are held", m->name,
		    nheld);
}

#else

static inline void
note_lock(const void *lock, enum lock_rank rank, const char *name,
    bool is_ordered)
{
	(void)lock;
	(void)rank;
	(void)name;
	(void)is_ordered;
}

static inline void
note_unlock(const void *lock, const char *name)
{
	(void)lock;
	(void)name;
}

bool
lk_is_held(const void *lock)
{
	(void)lock;
	return true;
}

void
lk_assert_none(void)
{
}

static inline void
assert_only(const struct lk_mutex *m)
{
	(void)m;
}

#endif

static void
must(int err, const char *what, const char *name)
{
	if (err != 0)
		log_fatal("%s of lock %s: error %d", what, name, err);
}

void
lk_init(struct lk_mutex *m, enum lock_rank rank, const char *name)
{
	m->rank = rank;
	m->name = name;
	must(pthread_mutex_init(&m->m, NULL), "initialisation", name);
}

void
lk_fini(struct lk_mutex *m)
{
	must(pthread_mutex_destroy(&m->m), "end", m->name);
}

void
lk_lock(struct lk_mutex *m)
{
	note_lock(m, m->rank, m->name, true);
	must(pthread_mutex_lock(&m->m), "lock", m->name);
}

bool
lk_try(struct lk_mutex *m)
{
	int err = pthread_mutex_trylock(&m->m);

	if (err == EBUSY)
		return false;
	must(err, "trylock", m->name);
	note_lock(m, m->rank, m->name, false);
	return true;
}

void
lk_unlock(struct lk_mutex *m)
{
	note_unlock(m, m->name);
	must(pthread_mutex_unlock(&m->m), "unlock", m->name);
}

void
lk_rw_init(struct lk_rwlock *l, enum lock_rank rank, const char *name)
{
	pthread_rwlockattr_t attr;

	l->rank = rank;
	l->name = name;
	pthread_rwlockattr_init(&attr);
	pthread_rwlockattr_setkind_np(&attr,
	    PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	must(pthread_rwlock_init(&l->l, &attr), "initialisation", name);
	pthread_rwlockattr_destroy(&attr);
}

void
lk_rw_fini(struct lk_rwlock *l)
{
	must(pthread_rwlock_destroy(&l->l), "end", l->name);
}

void
lk_rdlock(struct lk_rwlock *l)
{
	note_lock(l, l->rank, l->name, true);
	must(pthread_rwlock_rdlock(&l->l), "read lock", l->name);
}

void
lk_wrlock(struct lk_rwlock *l)
{
	note_lock(l, l->rank, l->name, true);
	must(pthread_rwlock_wrlock(&l->l), "write lock", l->name);
}

void
lk_rw_unlock(struct lk_rwlock *l)
{
	note_unlock(l, l->name);
	must(pthread_rwlock_unlock(&l->l), "unlock", l->name);
}

void
lk_cond_init(struct lk_cond *c)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	must(pthread_cond_init(&c->c, &attr), "initialisation", "condition");
	pthread_condattr_destroy(&attr);
}

void
lk_cond_fini(struct lk_cond *c)
{
	pthread_cond_destroy(&c->c);
}

void
lk_cond_wait(struct lk_cond *c, struct lk_mutex *m)
{
	assert_only(m);
	must(pthread_cond_wait(&c->c, &m->m), "wait", m->name);
}

bool
lk_cond_timedwait(struct lk_cond *c, struct lk_mutex *m, int64_t timeout_ms)
{
	struct timespec ts;
	int err;

	assert_only(m);
	if (timeout_ms < 0)
		timeout_ms = 0;		/* a deadline that has passed */
	clock_gettime(CLOCK_MONOTONIC, &ts);
	ts.tv_sec += timeout_ms / 1000;
	ts.tv_nsec += timeout_ms % 1000 * 1000000;
	if (ts.tv_nsec >= 1000000000) {
		ts.tv_sec++;
		ts.tv_nsec -= 1000000000;
	}
	err = pthread_cond_timedwait(&c->c, &m->m, &ts);
	if (err == ETIMEDOUT)
		return false;
	must(err, "timed wait", m->name);
	return true;
}

void
lk_cond_signal(struct lk_cond *c)
{
	pthread_cond_signal(&c->c);
}

void
lk_cond_broadcast(struct lk_cond *c)
{
	pthread_cond_broadcast(&c->c);
}
