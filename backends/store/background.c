/*
 * What goes on behind the operations: checkpoints by bytes of log and by time,
 * so that recovery is short and old logs go; and a look at the free space.
 */
#include <stdlib.h>

#include "backends/store/env.h"
#include "backends/store/index_int.h"
#include "util/log.h"
#include "util/mem.h"

#define TICK_MS		1000
#define CHECKPOINT_KB	(64 * 1024)	/* when the configuration is silent */
#define CHECKPOINT_MIN	5

struct background {
	struct store *st;
	pthread_t thread;

	struct lk_mutex lock;		/* rank LEAF; guards stop */
	struct lk_cond wake;
	bool stop;

	/* owned by the thread */
	DB_LSN checkpoint;		/* the last one known */
	bool has_old_logs;		/* there may be some since then */
};

static void
checkpoint(struct store *st)
{
	unsigned kb = st->conf->checkpoint_kb;
	unsigned min = st->conf->checkpoint_min;

	if (kb == 0 && min == 0) {
		kb = CHECKPOINT_KB;
		min = CHECKPOINT_MIN;
	}
	(void)disk_checkpoint(st, kb, min, false);
}

/* After each checkpoint, and again as long as a backup holds them. */
static void
drop_logs(struct background *b)
{
	DB_ENV *env = b->st->env;
	DB_TXN_STAT *s;

	if (env->txn_stat(env, &s, 0) != 0)
		return;
	if (s->st_last_ckp.file != b->checkpoint.file ||
	    s->st_last_ckp.offset != b->checkpoint.offset)
		b->has_old_logs = true;
	b->checkpoint = s->st_last_ckp;
	free(s);
	if (b->has_old_logs)
		b->has_old_logs = !logs_remove(env, b->st->conf);
}

static void *
run(void *arg)
{
	struct background *b = arg;
	bool stop = false;

	while (!stop) {
		disk_look(b->st);
		index_online_poll(b->st);
		if (disk_check(b->st, NULL) == HB_OK)
			checkpoint(b->st);
		drop_logs(b);
		lk_lock(&b->lock);
		if (!b->stop)
			lk_cond_timedwait(&b->wake, &b->lock, TICK_MS);
		stop = b->stop;
		lk_unlock(&b->lock);
	}
	return NULL;
}

int
background_start(struct store *st, struct diag *diag)
{
	struct background *b = mem_zalloc(sizeof(*b));

	b->st = st;
	lk_init(&b->lock, LK_LEAF, "store background");
	lk_cond_init(&b->wake);
	disk_look(st);
	if (pthread_create(&b->thread, NULL, run, b) != 0) {
		lk_fini(&b->lock);
		lk_cond_fini(&b->wake);
		free(b);
		return diag_err(diag, HB_EIO, "no thread for checkpoints");
	}
	st->background = b;
	return HB_OK;
}

void
background_stop(struct store *st)
{
	struct background *b = st->background;

	if (b == NULL)
		return;
	lk_lock(&b->lock);
	b->stop = true;
	lk_cond_signal(&b->wake);
	lk_unlock(&b->lock);
	pthread_join(b->thread, NULL);
	lk_cond_fini(&b->wake);
	lk_fini(&b->lock);
	free(b);
	st->background = NULL;
}
