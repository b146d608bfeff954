/* What lanes do with a batch, and how all is filled in the end. */
#include <stdlib.h>
#include <string.h>

#include "backends/store/bulk.h"
#include "util/mem.h"

#define TELL_MS		200

/* ---- a batch ---- */

static void
take_key(unsigned index, struct slice key, void *arg)
{
	struct lane *lane = arg;

	if (lane->rc == HB_OK)
		lane->rc = postings_add(lane->bulk->posts[index], key,
		    lane->id, &lane->diag);
}

static void
take_name(struct slice key, struct slice data, void *arg)
{
	struct lane *lane = arg;

	if (lane->rc == HB_OK)
		lane->rc = sorter_add(lane->bulk->name_sorter, key, data,
		    &lane->diag);
}

void
bulk_lane_init(struct lane *lane)
{
	index_emitter_init(&lane->emitter, lane->bulk->st, lane->kinds,
	    take_key, lane);
}

static int
store_entry(struct lane *lane, const struct batch *batch,
    const struct bulk_entry *be)
{
	struct bulk *b = lane->bulk;
	const char *mem = batch->mem.data;
	struct slice block = slice(mem + be->block, be->block_len);
	struct dn dn = { slice(mem + be->text, be->text_len),
	    slice(mem + be->norm, be->norm_len) };
	char id[8];

	store_id_put(id, be->id);
	if (be->late || be->id < b->last_id)
		lane->rc = sorter_add(b->late, slice(id, sizeof(id)), block,
		    &lane->diag);
	else {
		b->last_id = be->id;
		lane->rc = fill_put(&b->id2entry, slice(id, sizeof(id)),
		    block, &lane->diag);
	}
	if (lane->rc == HB_OK)
		b->st->names->emit(be->parent, &dn, be->id, take_name, lane);
	return lane->rc;
}

int
bulk_work(struct lane *lane, const struct batch *batch)
{
	struct bulk *b = lane->bulk;
	struct entry e = { .dict = b->st->dict };

	for (unsigned i = 0; i < batch->n && lane->rc == HB_OK; i++) {
		const struct bulk_entry *be = &batch->v[i];

		if (b->names && lane->number == 0 &&
		    store_entry(lane, batch, be) != HB_OK)
			break;
		lane->id = e.id = be->id;
		e.block = slice(batch->mem.data + be->block, be->block_len);
		index_emit(&lane->emitter, &e);
	}
	return lane->rc;
}

/* ---- filling ---- */

enum task_kind { TASK_LATE, TASK_NAMES, TASK_INDEX };

struct fill_task {
	enum task_kind kind;
	unsigned index;
	uint64_t n;			/* records or pairs */
};

static void
count_work(struct bulk *b, uint64_t n)
{
	atomic_fetch_add_explicit(&b->work_done, n, memory_order_relaxed);
}

static int
fill_sorted(struct bulk *b, struct sorter *s, struct fill *f,
    struct diag *diag)
{
	struct slice key, data;
	struct buf last;
	int rc = sorter_finish(s, diag);

	buf_init(&last);
	while (rc == HB_OK && (rc = sorter_next(s, &key, &data, diag)) ==
	    HB_OK) {
		if (slice_is_eq(key, buf_slice(&last))) {
			rc = diag_err(diag, HB_ECORRUPT,
			    "%s: a key is there twice", f->name);
			break;
		}
		buf_reset(&last);
		buf_put_slice(&last, key);
		rc = fill_put(f, key, data, diag);
		count_work(b, 1);
	}
	buf_fini(&last);
	return rc == HB_EEND ? fill_flush(f, diag) : rc;
}

/* The IDs of one key, a record for each 4096. */
static int
fill_key(struct bulk *b, struct postings *p, struct slice key,
    struct fill *f, struct diag *diag)
{
	uint16_t low[INDEX_CHUNK];
	struct index_key full;
	struct buf data;
	entry_id id, base = 0;
	unsigned n = 0;
	uint64_t count = 0;
	int rc;

	buf_init(&data);
	for (;;) {
		rc = postings_next_id(p, &id, diag);
		if (n > 0 && (rc != HB_OK || id / INDEX_CHUNK != base)) {
			int err;

			full.len = (unsigned)key.len;
			memcpy(full.v, key.ptr, key.len);
			index_key_high(&full, base * INDEX_CHUNK);
			buf_reset(&data);
			index_data_put(&data, low, n);
			err = fill_put(f, slice(full.v, full.len),
			    buf_slice(&data), diag);
			if (err != HB_OK)
				rc = err;
			n = 0;
		}
		if (rc != HB_OK)
			break;
		base = id / INDEX_CHUNK;
		low[n++] = (uint16_t)(id % INDEX_CHUNK);
		count++;
	}
	buf_fini(&data);
	count_work(b, count);
	return rc == HB_EEND ? HB_OK : rc;
}

static int
fill_index(struct bulk *b, unsigned number, struct diag *diag)
{
	const struct index *ix = &b->st->indexes->v[number];
	struct postings *p = b->posts[number];
	char *name = mem_printf("%.*s.bdb", SLICE_ARG(ix->desc->name));
	struct slice key;
	struct fill f;
	int rc;

	fill_begin(&f, b->st, ix->db, name);
	rc = postings_finish(p, diag);
	while (rc == HB_OK && (rc = postings_next(p, &key, diag)) == HB_OK)
		rc = fill_key(b, p, key, &f, diag);
	if (rc == HB_EEND)
		rc = fill_flush(&f, diag);
	fill_end(&f);
	postings_free(&b->posts[number]);
	free(name);
	return rc;
}

static int
fill_names(struct bulk *b, struct diag *diag)
{
	struct fill f;
	int rc;

	fill_begin(&f, b->st, b->st->dn2id, "dn2id.bdb");
	rc = fill_sorted(b, b->name_sorter, &f, diag);
	fill_end(&f);
	sorter_free(&b->name_sorter);
	return rc;
}

static int
run_task(struct bulk *b, const struct fill_task *t, struct diag *diag)
{
	switch (t->kind) {
	case TASK_LATE:
		return fill_sorted(b, b->late, &b->id2entry, diag);
	case TASK_NAMES:
		return fill_names(b, diag);
	case TASK_INDEX:
		return fill_index(b, t->index, diag);
	}
	return HB_OK;
}

static int
cmp_tasks(const void *a, const void *b)
{
	const struct fill_task *x = a, *y = b;

	return x->n > y->n ? -1 : x->n < y->n;
}

/* The largest first, so that the threads end together. */
static void
make_tasks(struct bulk *b)
{
	struct fill_task *t;

	t = b->tasks = mem_calloc(b->st->indexes->n + 2, sizeof(*t));
	if (b->names) {
		*t++ = (struct fill_task){ TASK_LATE, 0,
		    sorter_count(b->late) };
		*t++ = (struct fill_task){ TASK_NAMES, 0,
		    sorter_count(b->name_sorter) };
	}
	for (unsigned i = 0; i < b->st->indexes->n; i++)
		if (b->posts[i] != NULL)
			*t++ = (struct fill_task){ TASK_INDEX, i,
			    postings_count(b->posts[i]) };
	b->ntasks = (unsigned)(t - b->tasks);
	qsort(b->tasks, b->ntasks, sizeof(*t), cmp_tasks);
	for (unsigned i = 0; i < b->ntasks; i++)
		b->work += b->tasks[i].n;
}

static struct slice
phase_of(const struct bulk *b, const struct fill_task *t)
{
	return t->kind == TASK_LATE ? SLICE("id2entry") :
	    t->kind == TASK_NAMES ? SLICE("dn2id") :
	    b->st->indexes->v[t->index].desc->name;
}

/* Locks: caller holds b->lock, which is let go meanwhile. */
static void
run_tasks(struct bulk *b)
{
	while (b->next_task < b->ntasks && b->rc == HB_OK) {
		const struct fill_task *t = &b->tasks[b->next_task++];
		struct diag diag = DIAG_INIT;
		int rc;

		b->phase = phase_of(b, t);
		lk_unlock(&b->lock);
		rc = run_task(b, t, &diag);
		lk_lock(&b->lock);
		if (rc != HB_OK && b->rc == HB_OK) {
			b->rc = rc;
			b->diag = diag;
		}
	}
}

static void *
worker_main(void *arg)
{
	struct bulk *b = arg;

	lk_lock(&b->lock);
	run_tasks(b);
	b->nworkers--;
	lk_cond_broadcast(&b->changed);
	lk_unlock(&b->lock);
	return NULL;
}

static void
tell(struct bulk *b, struct slice phase)
{
	char text[128];
	double done = b->work == 0 ? 1 : (double)atomic_load(&b->work_done) /
	    (double)b->work;

	if (b->opts.progress == NULL)
		return;
	(void)snprintf(text, sizeof(text), "filling %.*s.bdb",
	    SLICE_ARG(phase));
	b->opts.progress(text, done < 1 ? done : 1, b->opts.progress_arg);
}

int
bulk_fill(struct bulk *b, struct diag *diag)
{
	pthread_t threads[LANES_MAX];
	unsigned n = 0;

	make_tasks(b);
	lk_lock(&b->lock);
	while (b->nthreads > 1 && n < b->nlanes && n < b->ntasks) {
		if (pthread_create(&threads[n], NULL, worker_main, b) != 0)
			break;
		n++;
		b->nworkers++;
	}
	if (n == 0)
		run_tasks(b);
	while (b->nworkers > 0) {
		struct slice phase = b->phase;

		lk_unlock(&b->lock);
		if (phase.len > 0)
			tell(b, phase);
		lk_lock(&b->lock);
		if (b->nworkers > 0)
			(void)lk_cond_timedwait(&b->changed, &b->lock,
			    TELL_MS);
	}
	lk_unlock(&b->lock);
	while (n-- > 0)
		(void)pthread_join(threads[n], NULL);
	if (b->rc != HB_OK)
		diag_set(diag, "%s", b->diag.text);
	return b->rc;
}
