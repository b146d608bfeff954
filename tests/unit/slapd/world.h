/*
 * A loop, a server and a client's end in memory: what tests of connections
 * and answers share. No ports, no sleeps: the test is the loop's thread.
 */
#ifndef WORLD_H
#define WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "servers/slapd/conf.h"
#include "servers/slapd/conn.h"
#include "servers/slapd/loop.h"
#include "servers/slapd/server.h"
#include "proto.h"
#include "util/err.h"

#define BASE	"dc=example,dc=com"
#define ANN	"uid=ann," BASE

/* The client's end. */
struct wire {
	struct buf in, out;
	size_t room;			/* octets that the client still takes */
	unsigned nwrites;
	uint32_t wants;
	bool is_shut, is_closed, has_ended;
	atomic_uint pool_busy;		/* operations when the pool wrote last */
};

struct world {
	struct slapd_conf *conf;
	struct server srv;
	struct loop loop;
	struct attr_dict *dict;
	struct wire wire;
	struct conn *c;
};

struct answer {
	int id, tag, code;
	struct slice body;
};

/* ---- the backend "test", which has one entry: ANN, password "secret" ---- */

extern bool defers;		/* it wants a thread that may wait */
extern atomic_bool gated;	/* a deferred search waits at the gate */
extern sem_t gate;
extern atomic_uint runs_here, runs_in_pool, stopped;
extern unsigned copies;		/* entries that a search answers with */
extern int search_rc;		/* what it ends with */

/* Lines before the database, and in it; NULL: none. */
extern const char *world_global, *world_lines;

int world_open(void **state);
int world_close(void **state);
/* A new client in W's place of the one before, which must be closed. */
void connect_client(struct world *w);
/* Run TESTS of main(); 0: all passed. */
int world_main(const struct CMUnitTest *tests, size_t n);

/* ---- requests, appended to OUT ---- */

void put_bind(struct buf *out, int id, const char *dn, const char *password);
/* ATTRS: blank-separated; N times the control OID, none if 0. */
void put_search_ctl(struct buf *out, int id, const char *attrs,
    bool types_only, const char *oid, bool critical, unsigned n);
void put_search(struct buf *out, int id, const char *attrs);
void put_abandon(struct buf *out, int id, unsigned char which);
void put_delete(struct buf *out, int id, const char *dn);
void put_extended(struct buf *out, int id, const char *oid);
void put_unbind(struct buf *out, int id);

/* The loop finds the descriptor readable. */
void serve(struct world *w);
/* ... and the pool has nothing more to do. */
void settle(struct world *w);

/* ---- answers ---- */

/* Take the first answer away; false: there is none. */
bool next_answer(struct world *w, struct answer *a);
void expect(struct world *w, int id, int tag, int code);
void expect_nothing(struct world *w);

#endif
