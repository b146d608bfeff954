/* Batches of entries, and the threads that work them off in order. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/store/bulk.h"
#include "util/mem.h"

/* ---- batches ---- */

/* Locks: caller holds b->lock. */
static void
give_back(struct bulk *b, struct batch *batch)
{
	batch->next_free = b->free;
	b->free = batch;
}

struct batch *
bulk_batch(struct bulk *b)
{
	struct batch *batch;

	if (b->open != NULL)
		return b->open;
	lk_lock(&b->lock);
	while (b->free == NULL && b->nbatches == BATCHES_MAX)
		lk_cond_wait(&b->changed, &b->lock);
	batch = b->free;
	if (batch != NULL)
		b->free = batch->next_free;
	else
		b->nbatches++;
	lk_unlock(&b->lock);
	if (batch == NULL) {
		batch = mem_zalloc(sizeof(*batch));
		buf_init(&batch->mem);
	}
	batch->n = 0;
	buf_reset(&batch->mem);
	b->open = batch;
	return batch;
}

/* Locks: caller holds b->lock. */
static void
note_error(struct bulk *b, struct lane *lane, int rc)
{
	if (rc == HB_OK || b->rc != HB_OK)
		return;
	b->rc = rc;
	b->diag = lane->diag;
}

/* Without threads: here and now. */
static void
work_here(struct bulk *b, struct batch *batch)
{
	int rc = b->rc;

	for (unsigned i = 0; i < b->nlanes && rc == HB_OK; i++) {
		rc = bulk_work(&b->lanes[i], batch);
		lk_lock(&b->lock);
		note_error(b, &b->lanes[i], rc);
		lk_unlock(&b->lock);
	}
	lk_lock(&b->lock);
	give_back(b, batch);
	lk_unlock(&b->lock);
}

static void
submit(struct bulk *b)
{
	struct batch *batch = b->open;

	b->open = NULL;
	if (!b->threads_run) {
		work_here(b, batch);
		return;
	}
	lk_lock(&b->lock);
	batch->lanes = b->nlanes;
	for (unsigned i = 0; i < b->nlanes; i++) {
		struct lane *lane = &b->lanes[i];

		/* there are no more batches than places in a ring */
		lane->queue[(lane->first + lane->n++) % BATCHES_MAX] = batch;
	}
	lk_cond_broadcast(&b->changed);
	lk_unlock(&b->lock);
}

int
bulk_feed(struct bulk *b, struct diag *diag)
{
	int rc;

	if (b->open->n < BATCH_ENTRIES && b->open->mem.len < BATCH_BYTES)
		return HB_OK;
	submit(b);
	lk_lock(&b->lock);
	rc = b->rc;
	if (rc != HB_OK)
		diag_set(diag, "%s", b->diag.text);
	lk_unlock(&b->lock);
	return rc;
}

/* ---- threads ---- */

static void *
lane_main(void *arg)
{
	struct lane *lane = arg;
	struct bulk *b = lane->bulk;

	lk_lock(&b->lock);
	for (;;) {
		struct batch *batch;
		int rc = HB_OK;

		while (lane->n == 0 && !b->stop)
			lk_cond_wait(&b->changed, &b->lock);
		if (lane->n == 0)
			break;
		batch = lane->queue[lane->first];
		if (b->rc == HB_OK) {
			lk_unlock(&b->lock);
			rc = bulk_work(lane, batch);
			lk_lock(&b->lock);
		}
		note_error(b, lane, rc);
		lane->first = (lane->first + 1) % BATCHES_MAX;
		lane->n--;
		if (--batch->lanes == 0)
			give_back(b, batch);
		lk_cond_broadcast(&b->changed);
	}
	lk_unlock(&b->lock);
	return NULL;
}

static void
start_threads(struct bulk *b)
{
	unsigned i;

	for (i = 0; i < b->nlanes; i++)
		if (pthread_create(&b->lanes[i].thread, NULL, lane_main,
		    &b->lanes[i]) != 0)
			break;
	b->threads_run = i == b->nlanes;
	if (b->threads_run)
		return;
	/* too few threads to be had: do without any */
	lk_lock(&b->lock);
	b->stop = true;
	lk_cond_broadcast(&b->changed);
	lk_unlock(&b->lock);
	while (i-- > 0)
		(void)pthread_join(b->lanes[i].thread, NULL);
	b->stop = false;
}

int
bulk_drain(struct bulk *b, struct diag *diag)
{
	if (b->open != NULL && b->open->n > 0)
		submit(b);
	if (b->threads_run) {
		lk_lock(&b->lock);
		b->stop = true;
		lk_cond_broadcast(&b->changed);
		lk_unlock(&b->lock);
		for (unsigned i = 0; i < b->nlanes; i++)
			(void)pthread_join(b->lanes[i].thread, NULL);
		b->threads_run = false;
	}
	if (b->rc != HB_OK)
		diag_set(diag, "%s", b->diag.text);
	return b->rc;
}

/* ---- set-up ---- */

static unsigned
weight(unsigned kinds)
{
	return ((kinds & INDEX_EQ) ? 2 : 0) + ((kinds & INDEX_SUB) ? 16 : 0) +
	    ((kinds & INDEX_APPROX) ? 8 : 0) + 1;
}

/* The index goes to the lane that has least to do; the first stores entries. */
static struct lane *
lightest_lane(struct bulk *b, unsigned *loads, unsigned add)
{
	unsigned best = 0;

	for (unsigned i = 1; i < b->nlanes; i++)
		if (loads[i] < loads[best])
			best = i;
	loads[best] += add;
	return &b->lanes[best];
}

static void
make_postings(struct bulk *b, const unsigned *kinds, uint64_t memory)
{
	const struct index_set *set = b->st->indexes;
	unsigned loads[LANES_MAX] = { b->names ? 12 : 0 }, total = 0;

	b->posts = mem_calloc(set->n + 1, sizeof(b->posts[0]));
	for (unsigned i = 0; i < set->n; i++)
		if (kinds[i] != 0)
			total += weight(kinds[i]);
	for (unsigned i = 0; i < set->n; i++) {
		unsigned w = weight(kinds[i]);
		struct lane *lane;

		if (kinds[i] == 0)
			continue;
		b->posts[i] = postings_new(b->tmpdir, memory / total * w);
		lane = lightest_lane(b, loads, w);
		lane->kinds[i] = kinds[i];
	}
}

void
bulk_init(struct bulk *b, struct store *st, const struct tool_opts *opts,
    const unsigned *kinds, bool names, uint64_t memory)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	*b = (struct bulk){ .st = st, .opts = *opts, .names = names };
	b->tmpdir = mem_strdup(opts->tmpdir != NULL ? opts->tmpdir :
	    st->conf->directory);
	b->nthreads = opts->threads != 0 ? opts->threads : cores > 0 ?
	    (unsigned)cores : 1;
	b->nlanes = b->nthreads < LANES_MAX ? b->nthreads : LANES_MAX;
	lk_init(&b->lock, LK_LEAF, "bulk");
	lk_cond_init(&b->changed);
	for (unsigned i = 0; i < b->nlanes; i++) {
		struct lane *lane = &b->lanes[i];

		lane->bulk = b;
		lane->number = i;
		lane->kinds = mem_calloc(st->indexes->n + 1,
		    sizeof(lane->kinds[0]));
		bulk_lane_init(lane);
	}
	if (names) {
		b->name_sorter = sorter_new(b->tmpdir, memory / 4);
		b->late = sorter_new(b->tmpdir, memory / 16);
		fill_begin(&b->id2entry, st, st->id2entry, "id2entry.bdb");
		memory -= memory / 4 + memory / 16;
	}
	make_postings(b, kinds, memory);
	if (b->nthreads > 1)
		start_threads(b);
}

void
bulk_fini(struct bulk *b)
{
	struct batch *batch;

	b->rc = HB_EABANDONED;		/* what is queued is not wanted */
	if (b->open != NULL) {
		b->open->n = 0;
		give_back(b, b->open);
		b->open = NULL;
	}
	(void)bulk_drain(b, NULL);
	while ((batch = b->free) != NULL) {
		b->free = batch->next_free;
		buf_fini(&batch->mem);
		free(batch);
	}
	for (unsigned i = 0; i < b->nlanes; i++) {
		index_emitter_fini(&b->lanes[i].emitter);
		free(b->lanes[i].kinds);
	}
	for (unsigned i = 0; i < b->st->indexes->n; i++)
		postings_free(&b->posts[i]);
	free(b->posts);
	sorter_free(&b->name_sorter);
	sorter_free(&b->late);
	fill_end(&b->id2entry);
	free(b->tasks);
	lk_cond_fini(&b->changed);
	lk_fini(&b->lock);
	free(b->tmpdir);
}
