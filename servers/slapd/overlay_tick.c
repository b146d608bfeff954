/*
 * Ticks of overlays: one thread calls those that are due, one after another.
 * It waits on its own lock, with nothing else held.
 */
#include <string.h>

#include "fop.h"
#include "overlay.h"
#include "server.h"
#include "slapd/backend.h"
#include "util/err.h"
#include "util/mem.h"
#include "util/text.h"

#define NEVER	INT64_MAX

struct ticker {
	struct server *server;
	pthread_t thread;
	int64_t *due;			/* time_mono_us() by overlay number; the thread's */
	struct fop *fop;		/* the thread's, but for op.stop */

	struct lk_mutex lock;		/* rank LEAF; guards is_ending */
	struct lk_cond wake;
	bool is_ending;
};

/* An operation of nobody, to begin others from. */
static void
make_op(struct ticker *t, struct overlay *o, struct identity *who)
{
	struct op *op = &t->fop->op;

	memset(who, 0, sizeof(*who));
	who->dn = o->db->root_dn;
	t->fop->server = t->server;
	op->kind = OP_EXTENDED;
	op->flags = OP_INTERNAL;
	op->is_root = op->may_wait = true;
	op->arena = &t->fop->arena;
	op->schema = t->server->conf->schema;
	op->db = o->db;
	op->who = who;
	op->dn = DN_EMPTY;
	op->reply = &t->fop->reply;
	op->frontend = t->fop;
	op->overlay_data = NULL;
	diag_clear(&op->diag);
}

static void
tick(struct ticker *t, struct overlay *o)
{
	struct identity who;
	unsigned seconds;

	make_op(t, o, &who);
	seconds = o->type->tick(o, &t->fop->op);
	arena_reset(&t->fop->arena);
	t->due[o->number] = seconds == 0 ? NEVER :
	    time_mono_us() + (int64_t)seconds * 1000000;
}

/* The overlay that is due first; NULL: none is ever. */
static struct overlay *
next_due(const struct ticker *t)
{
	struct overlay *o, *first = NULL;

	for (o = t->server->conf->overlays; o != NULL; o = o->next_of_all)
		if (o->type->tick != NULL && t->due[o->number] != NEVER &&
		    (first == NULL ||
		    t->due[o->number] < t->due[first->number]))
			first = o;
	return first;
}

static void *
run(void *arg)
{
	struct ticker *t = arg;
	struct overlay *o;

	lk_lock(&t->lock);
	while (!t->is_ending) {
		int64_t wait = (o = next_due(t)) == NULL ? NEVER :
		    t->due[o->number] - time_mono_us();

		if (wait <= 0) {
			lk_unlock(&t->lock);
			tick(t, o);
			lk_lock(&t->lock);
		} else if (o == NULL)
			lk_cond_wait(&t->wake, &t->lock);
		else
			(void)lk_cond_timedwait(&t->wake, &t->lock,
			    wait / 1000 + 1);
	}
	lk_unlock(&t->lock);
	return NULL;
}

static void
ticker_free(struct ticker **tp)
{
	struct ticker *t = *tp;

	fop_free(t->fop);
	lk_cond_fini(&t->wake);
	lk_fini(&t->lock);
	free(t->due);
	free(t);
	*tp = NULL;
}

int
ticker_start(struct server *srv, struct ticker **ticker_r, struct diag *diag)
{
	const struct slapd_conf *conf = srv->conf;
	struct ticker *t;
	int err;

	*ticker_r = NULL;
	if (conf->overlays == NULL)
		return HB_OK;
	t = mem_zalloc(sizeof(*t));
	t->server = srv;
	t->due = mem_calloc(conf->noverlays, sizeof(*t->due));
	t->fop = mem_zalloc(sizeof(*t->fop));
	arena_init(&t->fop->arena, 0);
	buf_init(&t->fop->reply.scratch);
	lk_init(&t->lock, LK_LEAF, "ticks of overlays");
	lk_cond_init(&t->wake);
	if (next_due(t) == NULL) {
		ticker_free(&t);
		return HB_OK;
	}
	if ((err = pthread_create(&t->thread, NULL, run, t)) != 0) {
		ticker_free(&t);
		return diag_err(diag, HB_EIO, "thread of overlays: %s",
		    strerror(err));
	}
	*ticker_r = t;
	return HB_OK;
}

void
ticker_stop(struct ticker **tp)
{
	struct ticker *t = *tp;

	if (t == NULL)
		return;
	lk_lock(&t->lock);
	t->is_ending = true;
	atomic_store(&t->fop->op.stop, OP_STOP_SHUTDOWN);
	lk_cond_signal(&t->wake);
	lk_unlock(&t->lock);
	pthread_join(t->thread, NULL);
	ticker_free(tp);
}
