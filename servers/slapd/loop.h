/*
 * Event loops: one thread each over one epoll set. A descriptor is registered
 * once, level-triggered; a request costs no epoll_ctl. Other threads hand
 * connections back by loop_post(). Knows connections and listeners only
 * through struct ev, and the connections' links.
 */
#ifndef SLAPD_LOOP_H
#define SLAPD_LOOP_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "conn.h"
#include "stats.h"

enum {
	LOOP_READ_SIZE = 64 * 1024,
	/* answers that are gathered before they are written */
	LOOP_OUT_MAX = 64 * 1024
};

struct loop {
	_Alignas(64)	/* no line of memory with two loops on it */
	/* never changed while the thread runs */
	struct server *server;
	unsigned number;
	int epfd, wakefd;
	pthread_t thread;
	struct ev wake_ev;

	/* of the loop's thread */
	char *in;			/* LOOP_READ_SIZE octets */
	struct buf out;			/* answers of the connection that is served */
	struct conn *ready, **ready_last;	/* have requests that were not served yet */
	struct conn *closed;		/* in this turn */
	struct fop *free_ops;
	int64_t now;			/* time_mono_us() of this turn */
	int64_t last_sweep;		/* s */
	int64_t paused;			/* l->now when listeners were left alone; 0: they are not */

	struct lk_mutex lock;		/* rank LOOP; guards the block */
	struct conn *conns;
	struct conn *posted;

	atomic_uint nconns;
	atomic_bool stop;
	struct stats stats;		/* written by the loop's thread */
};

/* Makes epoll set and buffers. HB_EIO with DIAG. */
int loop_init(struct loop *, struct server *, unsigned number, struct diag *);
/* The thread must have ended. Closes what connections are left ("slapd shutdown"). */
void loop_fini(struct loop *);

/* The thread has ended: stop searches, and do not wait for clients. */
void loop_end_operations(struct loop *);

int loop_start(struct loop *, struct diag *);
/* Tell the thread to end; nothing is read any more. */
void loop_stop(struct loop *);
void loop_join(struct loop *);
/* One turn: wait up to TIMEOUT_MS (-1: for ever) and serve what is ready. */
void loop_turn(struct loop *, int timeout_ms);

/* Take part in / leave the list of the loop. Thread-safe. */
void loop_add(struct loop *, struct conn *);
void loop_remove(struct loop *, struct conn *);
/*
 * Give back the loop's reference of C, which has left the list, when no event
 * of this turn can mean it any more. Thread of the loop.
 */
void loop_unref_later(struct loop *, struct conn *);
/* Let conn_resume() be called by the loop's thread. Thread-safe. */
void loop_post(struct loop *, struct conn *);
void loop_wake(struct loop *);
/* Serve C again before waiting. Thread of the loop. */
void loop_make_ready(struct loop *, struct conn *);

/*
 * Let the loop close some anonymous connections, those that have been idle for
 * longest and for a second at least. False: there are none. Thread-safe.
 */
bool loop_drop_idle(struct loop *, int64_t now_us);
/* Take no connections for a second. Thread of the loop. */
void loop_pause_listeners(struct loop *);

/* epoll_ctl; thread-safe. FD < 0: nothing. False: FD is not watched. */
bool loop_watch(struct loop *, int fd, struct ev *, uint32_t events);
void loop_want(struct loop *, int fd, struct ev *, uint32_t events);
void loop_unwatch(struct loop *, int fd);

#endif
