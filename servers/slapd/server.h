/*
 * The running server: what connections and operations share. One a process
 * (several in unit tests). Set before the first thread starts and then only
 * read, but for what is atomic.
 */
#ifndef SLAPD_SERVER_H
#define SLAPD_SERVER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "conf.h"
#include "pool.h"
#include "stats.h"
#include "turns.h"
#include "util/lock.h"

struct listener;
struct loop;

#define SELECT_NCOMPUTED	3

struct server {
	/* never changed while threads run */
	const struct slapd_conf *conf;
	struct pool *pool;
	struct turns *turns;
	struct loop *loops;
	unsigned nloops;
	struct listener *listeners;
	unsigned nlisteners;
	struct entry *root_dse, *subschema;	/* rootdse.c, subschema.c */
	struct attr_dict *dict;		/* of entries the server makes itself */
	/* entryDN, subschemaSubentry, hasSubordinates: see select.h */
	const struct attr_desc *computed[SELECT_NCOMPUTED];
	const struct attr_desc *object_class, *ref, *user_password;

	atomic_uint_least64_t next_conn;	/* conn= of log lines, from 1000 */
	atomic_uint nconns;
	atomic_bool refuse_writes;	/* gentlehup: about to end */
	atomic_bool end_when_idle;	/* end with the last client */
	atomic_bool stopping;

	struct stats stats;		/* of pool threads */

	struct lk_mutex dict_lock;	/* rank LEAF; held by who adds to dict while threads run */

	struct lk_mutex free_lock;	/* rank LEAF; guards free_ops */
	struct fop *free_ops;
	unsigned nfree_ops;
};

/* Conf must have been read. Starts no thread. */
void server_init(struct server *, const struct slapd_conf *conf);
/* Start N event loops (0: one a processor). HB_EIO. */
int server_start(struct server *, unsigned n, struct diag *);
/*
 * End the loops, then the operations: searches are stopped, writes finish;
 * clients that do not read are not waited for. Connections are closed.
 */
void server_stop(struct server *);
/* Frees the rest. */
void server_fini(struct server *);
/* A connection was closed: ends a server that waits for the last one. */
void server_conn_gone(struct server *);

#endif
