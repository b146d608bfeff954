#define _GNU_SOURCE		/* sched_getaffinity */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "server.h"

#include "fop.h"
#include "loop.h"
#include "own.h"
#include "util/err.h"
#include "util/mem.h"

/* conn= of the first connection: smaller numbers are replication's. */
#define FIRST_CONN	1000

static unsigned
processors(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof(set), &set) == 0 ?
	    CPU_COUNT(&set) : 1;

	return n > 0 ? (unsigned)n : 1;
}

void
server_init(struct server *srv, const struct slapd_conf *conf)
{
	memset(srv, 0, sizeof(*srv));
	srv->conf = conf;
	atomic_init(&srv->next_conn, FIRST_CONN);
	lk_init(&srv->free_lock, LK_LEAF, "free operations");
	lk_init(&srv->dict_lock, LK_LEAF, "attributes of overlays");
	srv->dict = attr_dict_new();
	srv->computed[0] = schema_builtin(conf->schema, "entryDN");
	srv->computed[1] = schema_builtin(conf->schema, "subschemaSubentry");
	srv->computed[2] = schema_builtin(conf->schema, "hasSubordinates");
	srv->object_class = schema_builtin(conf->schema, "objectClass");
	srv->ref = schema_builtin(conf->schema, "ref");
	srv->user_password = schema_builtin(conf->schema, "userPassword");
	srv->pool = pool_new(conf->threads);
	srv->turns = turns_new(processors(), srv->pool);
	rootdse_init(srv);
	subschema_init(srv);
}

int
server_start(struct server *srv, unsigned n, struct diag *diag)
{
	int rc;

	if (n == 0)
		n = processors();
	srv->loops = aligned_alloc(_Alignof(struct loop),
	    n * sizeof(struct loop));
	if (srv->loops == NULL)
		return diag_err(diag, HB_EIO, "event loops: %s",
		    strerror(errno));
	for (unsigned i = 0; i < n; i++) {
		if ((rc = loop_init(&srv->loops[i], srv, i, diag)) != HB_OK)
			return rc;
		srv->nloops++;
		if ((rc = loop_start(&srv->loops[i], diag)) != HB_OK)
			return rc;
	}
	return HB_OK;
}

void
server_stop(struct server *srv)
{
	for (unsigned i = 0; i < srv->nloops; i++)
		loop_stop(&srv->loops[i]);
	for (unsigned i = 0; i < srv->nloops; i++)
		loop_join(&srv->loops[i]);
	atomic_store(&srv->stopping, true);
	for (unsigned i = 0; i < srv->nloops; i++)
		loop_end_operations(&srv->loops[i]);
	pool_free(&srv->pool);
	for (unsigned i = 0; i < srv->nloops; i++)
		loop_fini(&srv->loops[i]);
	free(srv->loops);
	srv->loops = NULL;
	srv->nloops = 0;
}

void
server_fini(struct server *srv)
{
	struct fop *f;

	pool_free(&srv->pool);
	turns_free(&srv->turns);
	while ((f = srv->free_ops) != NULL) {
		srv->free_ops = f->next;
		fop_free(f);
	}
	entry_unref(&srv->root_dse);
	entry_unref(&srv->subschema);
	attr_dict_free(&srv->dict);
	lk_fini(&srv->dict_lock);
	lk_fini(&srv->free_lock);
}

void
server_conn_gone(struct server *srv)
{
	if (atomic_fetch_sub(&srv->nconns, 1) == 1 &&
	    atomic_load(&srv->end_when_idle))
		kill(getpid(), SIGTERM);
}
