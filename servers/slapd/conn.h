/*
 * Client connections. A connection belongs to one event loop, whose thread
 * alone reads, frames and starts operations. Pool threads that run operations
 * of it hold a reference and write answers; the last reference closes the
 * descriptor, so it is never reused under somebody's hands.
 *
 * Order (RFC 4511 4.2.1, 3.1): operations run at once, but a bind waits until
 * the others ended, and later ones wait for it. Waiting means that requests
 * stay unparsed; nothing is queued beyond that, and a connection with too much
 * unsent output or too many operations is not read.
 */
#ifndef SLAPD_CONN_H
#define SLAPD_CONN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "pool.h"
#include "slapd/op.h"
#include "util/buf.h"
#include "util/lock.h"

struct conn;
struct fop;
struct listener;
struct loop;
struct server;

/* What an event loop calls when a descriptor is ready. First field of its owner. */
struct ev {
	void (*ready)(struct ev *, struct loop *, uint32_t events);
};

/*
 * Where octets come from and go to: a socket, or memory in unit tests. None of
 * these blocks. read and write: as read(2) and write(2) with EAGAIN.
 */
struct transport {
	ssize_t (*read)(struct conn *, void *buf, size_t n);
	ssize_t (*write)(struct conn *, const void *buf, size_t n);
	/* events of interest, EPOLLIN and EPOLLOUT */
	void (*want)(struct conn *, uint32_t events);
	/* LINGER: the peer should get what was written last */
	void (*shut)(struct conn *, bool linger);
	void (*close)(struct conn *);
};

extern const struct transport transport_socket;

enum {
	/* unsent octets beyond which a connection is not read and writers wait */
	CONN_OUT_HIGH = 256 * 1024,
	CONN_OUT_LOW = 64 * 1024,
	/* requests of one connection that are served before the next one's turn */
	CONN_TURN_MAX = 64
};

/* Answers on their way out. */
struct conn_out {
	struct lk_mutex lock;		/* rank CONN_WRITE; guards the rest */
	struct lk_cond room;		/* below CONN_OUT_LOW, or dead */
	struct buf buf;			/* not sent yet */
	uint32_t events;		/* what the transport was asked for */
	bool writing;			/* a thread is in write(); it sends what is added */
	bool blocked;			/* the peer does not take more now */
	bool dead;			/* nothing more is sent */
	bool lost;			/* a write failed */
};

struct conn {
	struct ev ev;
	/* set by conn_new(), never changed: no lock */
	uint64_t id;
	int fd;				/* -1: not a socket */
	const struct transport *transport;
	void *transport_data;
	struct server *server;
	struct loop *loop;

	/* of the loop's thread */
	struct buf in;			/* requests not parsed yet, mostly none */
	unsigned next_op;
	bool held;			/* the next request must wait */
	bool is_ready;			/* in loop->ready */
	bool is_closed;
	unsigned version;		/* of the last bind, 3 before */
	bool has_bound;			/* a bind was answered with success */
	const char *reason;		/* of the close, for the log */
	struct conn *next_ready;
	struct pool_queue queue;	/* guarded by the pool's lock */
	/* who asks; changed only by a bind, which runs alone */
	struct identity who;
	struct buf who_dn;		/* memory of who.dn */

	/* guarded by loop->lock; once closed, next is of the loop's thread */
	struct conn *next, **prevp;	/* loop->conns; loop->closed */
	struct conn *next_posted;
	bool is_posted;

	struct lk_mutex lock;		/* rank CONN; guards the block */
	struct fop *ops;		/* in the pool */
	bool exclusive;			/* one of them is a bind */
	bool tell_loop;			/* post when an operation ends */

	atomic_bool is_authenticated;	/* who.dn is not empty */
	atomic_bool is_lost;		/* its loop cannot watch it: to be closed */
	atomic_bool is_unwanted;	/* to be closed if it is idle still */
	atomic_uint nops;		/* length of ops; changed with lock held */
	atomic_uint refs;		/* the loop's, and one an operation in the pool */
	atomic_int_least64_t last_used;	/* seconds; the idle timer tolerates stale values */
	atomic_int_least64_t blocked_since; /* seconds; 0: not blocked */

	struct conn_out out;
	char peername[];
};

/*
 * A connection on FD for LOOP; the caller lets the loop watch ev for EPOLLIN.
 * PEERNAME is copied; NAME, URL: of the listener, borrowed for the life of the
 * process. Thread-safe.
 */
struct conn *conn_new(struct loop *, int fd, const struct transport *,
    void *transport_data, const char *peername, struct slice name,
    struct slice url);

/* ---- thread of the loop ---- */

void conn_ready(struct ev *, struct loop *, uint32_t events);
/* Go on with requests that were kept back. */
void conn_resume(struct conn *);
/* Close for REASON (NULL: by unbind); operations are stopped. The loop's reference goes at the end of its turn. */
void conn_close(struct conn *, const char *reason);
/* Close after a Notice of Disconnection (RFC 4511 4.4.1). */
void conn_disconnect(struct conn *, int err, const char *text);

/* ---- any thread ---- */

static inline void
conn_ref(struct conn *c)
{
	atomic_fetch_add_explicit(&c->refs, 1, memory_order_relaxed);
}
void conn_unref(struct conn *);
static inline bool
conn_is_authenticated(const struct conn *c)
{
	return atomic_load_explicit(&c->is_authenticated,
	    memory_order_relaxed);
}

/*
 * Send what OUT holds, in one write if nothing is before it; OUT is empty
 * then. Returns HB_OK; HB_EDISCONNECT.
 */
int conn_send(struct conn *, struct buf *out);
/* Is more than CONN_OUT_HIGH unsent? */
bool conn_out_is_high(struct conn *);
/* Wait until most is sent, or never will be. Thread of the pool. */
void conn_out_wait(struct conn *);
/* Whoever waits for room looks again whether to go on. */
void conn_out_wake(struct conn *);
/* The peer takes octets again. */
void conn_writable(struct conn *);
/* Nothing more is sent; whoever waits for room goes on. */
void conn_out_kill(struct conn *);
/* Is so much unsent that reading should stop until conn_writable()? */
bool conn_out_is_full(struct conn *);
/* Why a connection that failed is closed. */
const char *conn_lost_reason(struct conn *);
/* Ask the transport for SET and no longer for CLEAR. */
void conn_want(struct conn *, uint32_t set, uint32_t clear);
void conn_out_init(struct conn *);
void conn_out_fini(struct conn *);

/* OP, which a pool thread ran, has ended: others of the connection may go on. */
void conn_op_end(struct conn *, struct fop *);
/* Hand FOP, which owns its PDU, to the pool. Thread of the loop. */
void conn_op_submit(struct conn *, struct fop *);
/* Tell the operation with MSGID to stop. False: there is none. */
bool conn_op_stop(struct conn *, int32_t msgid, enum op_stop how);
/* All operations in the pool. */
void conn_ops_stop(struct conn *, enum op_stop how);
/* The server ends: searches stop, nobody waits for the client any more. */
void conn_end_operations(struct conn *);

/* Make DN the identity (copied); empty: anonymous. Runs alone on the connection. */
void conn_set_identity(struct conn *, const struct dn *dn, const char *mech);

#endif
