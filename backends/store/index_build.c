/*
 * Building indexes while the server runs. Writers keep the keys of an index
 * that is being built from the moment it is opened; this thread adds those of
 * the entries that were there before, in the order of their IDs, a batch a
 * transaction. It is the writer meanwhile, so nobody changes an entry between
 * its being read and its keys being written; and as to add a key that is there
 * is no change, it does not matter who of the two comes first.
 *
 * How far it came is noted in the same transaction: after a crash or a stop it
 * goes on from there. A batch is as large as can be done in a few milliseconds,
 * and between two the writers that wait get their turn.
 */
#include <stdlib.h>
#include <string.h>

#include "backends/store/index_int.h"
#include "backends/store/range.h"
#include "util/log.h"
#include "util/mem.h"
#include "util/text.h"

#define BATCH_MIN	8		/* entries, or keys to be removed */
#define BATCH_MAX	4096
#define BATCH_US	4000		/* wanted */
#define PAUSE_MS	1
#define RETRY_MS	1000		/* a full disk, say */
#define TELL_US		(30 * 1000000)
#define READ_ROOM	(256 * 1024)

struct build_key {
	struct slice key;		/* without the ID part */
	entry_id id;
};

struct build_keys {
	struct build_key *v;
	size_t n, cap;
};

struct index_build {
	struct store *st;
	pthread_t thread;
	unsigned *kinds;		/* being built, by index number */
	struct build_keys *keys;	/* of the batch, by index number */
	struct arena arena;		/* of keys */
	entry_id next;
	unsigned batch;			/* entries */
	uint64_t done;			/* entries, by this thread */
	unsigned percent;		/* told last */
	uint64_t commits;		/* those of others show in st->commits */
	int64_t begun_us, told_us;

	struct lk_mutex lock;		/* rank LEAF; guards stop */
	struct lk_cond wake;
	bool stop;
};

/* ---- keys that an earlier life of the index left ---- */

/* Up to MAX keys of KIND. *N_r of them were there. */
static int
clear_some(struct store_txn *txn, struct index *ix, unsigned kind,
    unsigned max, unsigned *n_r)
{
	struct index_key key;
	DBT k = { 0 }, d = { 0 };
	DBC *c;
	int err, err2;

	index_key_prefix(&key, kind, slice("", 0));
	k.data = key.v;
	k.size = key.len;
	k.ulen = sizeof(key.v);
	k.flags = DB_DBT_USERMEM;
	d.flags = DB_DBT_USERMEM | DB_DBT_PARTIAL;
	*n_r = 0;
	if ((err = ix->db->cursor(ix->db, txn->txn, &c, 0)) != 0)
		return store_db_error(txn->st, err, "emptying an index");
	err = c->get(c, &k, &d, DB_SET_RANGE | DB_RMW);
	while (err == 0 && key.v[0] == kind && *n_r < max) {
		if ((err = c->del(c, 0)) != 0)
			break;
		++*n_r;
		err = c->get(c, &k, &d, DB_NEXT | DB_RMW);
	}
	err2 = c->close(c);
	if (err == DB_NOTFOUND)
		err = 0;
	return store_db_error(txn->st, err != 0 ? err : err2,
	    "emptying an index");
}

static int
write_note(struct store_txn *txn, const struct index *ix, unsigned building,
    entry_id next)
{
	struct index_note note = { .ready = ix->ready, .building = building,
	    .next = next };

	return index_note_write(txn->st, txn, ix, &note);
}

/*
 * One step. *DONE_r: no index has old keys; *CLEARED_r: the one that has none
 * any more once this is committed, or NULL.
 */
static int
clear_step(struct index_build *b, struct store_txn *txn, bool *done_r,
    struct index **cleared_r)
{
	struct index_set *set = b->st->indexes;
	unsigned n;
	int rc;

	*done_r = false;
	*cleared_r = NULL;
	for (unsigned i = 0; i < set->n; i++) {
		struct index *ix = &set->v[i];

		if (b->kinds[i] == 0 || ix->next != 0)
			continue;
		for (unsigned kind = 1; kind <= INDEX_APPROX; kind *= 2) {
			if (!(b->kinds[i] & kind))
				continue;
			rc = clear_some(txn, ix, kind, b->batch, &n);
			if (rc != HB_OK || n == b->batch)
				return rc;
		}
		*cleared_r = ix;
		return write_note(txn, ix, b->kinds[i], 1);
	}
	*done_r = true;
	return HB_OK;
}

/* ---- keys of entries ---- */

static void
take_key(unsigned number, struct slice key, void *arg)
{
	struct index_build *b = arg;
	struct build_keys *k = &b->keys[number];

	k->v = mem_grow(k->v, &k->cap, k->n + 1, sizeof(k->v[0]));
	k->v[k->n++] = (struct build_key){ arena_slice(&b->arena, key),
	    b->next };
}

static int
cmp_keys(const void *a, const void *b)
{
	const struct build_key *x = a, *y = b;
	int c = slice_cmp(x->key, y->key);

	return c != 0 ? c : x->id < y->id ? -1 : x->id > y->id;
}

/* Both ascending; OUT has room for INDEX_CHUNK. */
static unsigned
merge_low(const uint16_t *a, unsigned na, const uint16_t *b, unsigned nb,
    uint16_t *out)
{
	unsigned i = 0, j = 0, n = 0;

	while (i < na || j < nb) {
		if (j == nb || (i < na && a[i] < b[j]))
			out[n++] = a[i++];
		else {
			if (i < na && a[i] == b[j])
				i++;
			out[n++] = b[j++];
		}
	}
	return n;
}

/* Add the N IDs of K, which have the same key and record. */
static int
merge_record(struct store_txn *txn, DBC *c, const struct build_key *k,
    unsigned n)
{
	uint16_t had[INDEX_CHUNK], low[INDEX_CHUNK], all[INDEX_CHUNK];
	unsigned char mem[INDEX_DATA_MAX];
	struct index_key full;
	DBT key = { 0 }, data = { 0 };
	struct buf out;
	unsigned nhad = 0, nall, nlow = 0;
	int err, rc;

	for (unsigned i = 0; i < n; i++) {
		uint16_t v = (uint16_t)(k[i].id % INDEX_CHUNK);

		if (nlow == 0 || low[nlow - 1] != v)
			low[nlow++] = v;
	}
	memcpy(full.v, k->key.ptr, k->key.len);
	full.len = (unsigned)k->key.len;
	index_key_high(&full, k->id);
	key.data = full.v;
	key.size = full.len;
	data.data = mem;
	data.ulen = sizeof(mem);
	data.flags = DB_DBT_USERMEM;
	err = c->get(c, &key, &data, DB_SET | DB_RMW);
	if (err != 0 && err != DB_NOTFOUND)
		return store_db_error(txn->st, err, "reading an index");
	if (err == 0 && (rc = index_data_get(slice(mem, data.size), had,
	    &nhad)) != HB_OK)
		return rc;
	nall = merge_low(had, nhad, low, nlow, all);
	if (nall == nhad)
		return HB_OK;
	buf_init(&out);
	index_data_put(&out, all, nall);
	data.data = out.data;
	data.size = (u_int32_t)out.len;
	rc = store_db_error(txn->st, c->put(c, &key, &data,
	    err == DB_NOTFOUND ? DB_KEYFIRST : DB_CURRENT),
	    "writing an index");
	buf_fini(&out);
	return rc;
}

static bool
is_same_record(const struct build_key *a, const struct build_key *b)
{
	return a->id / INDEX_CHUNK == b->id / INDEX_CHUNK &&
	    slice_is_eq(a->key, b->key);
}

static int
write_keys(struct store_txn *txn, const struct index *ix,
    struct build_keys *k)
{
	size_t i = 0, n;
	DBC *c;
	int err, rc = HB_OK;

	if (k->n == 0)
		return HB_OK;
	qsort(k->v, k->n, sizeof(k->v[0]), cmp_keys);
	if ((err = ix->db->cursor(ix->db, txn->txn, &c, 0)) != 0)
		return store_db_error(txn->st, err, "writing an index");
	for (; i < k->n && rc == HB_OK; i += n) {
		for (n = 1; i + n < k->n && is_same_record(&k->v[i],
		    &k->v[i + n]); n++)
			;
		rc = merge_record(txn, c, &k->v[i], (unsigned)n);
	}
	err = c->close(c);
	return rc != HB_OK ? rc : store_db_error(txn->st, err,
	    "writing an index");
}

/* Keys of the next entries, from b->next on. *N_r: entries. HB_EEND: the last. */
static int
collect(struct index_build *b, unsigned *n_r)
{
	struct index_emitter em;
	struct slice key, block;
	struct entry *e;
	struct range r;
	char from[8];
	int rc = HB_OK;

	index_emitter_init(&em, b->st, b->kinds, take_key, b);
	range_init(&r, b->st, NULL, b->st->id2entry, READ_ROOM);
	store_id_put(from, b->next);
	range_seek(&r, slice(from, sizeof(from)));
	for (*n_r = 0; *n_r < b->batch; ++*n_r) {
		if ((rc = range_next(&r, &key, &block)) != HB_OK)
			break;
		b->next = store_id_get(key.ptr);
		if (entry_block_check(block, b->st->dict) == HB_OK) {
			e = entry_new(b->next, &DN_EMPTY, b->st->dict, block);
			index_emit(&em, e);
			entry_unref(&e);
		} else
			log_printf(LOG_ANY, "%s: entry %08llx is damaged: it "
			    "is left out of the indexes",
			    b->st->conf->directory,
			    (unsigned long long)b->next);
		b->next++;
	}
	range_fini(&r);
	index_emitter_fini(&em);
	return rc;
}

static int
fill_step(struct index_build *b, struct store_txn *txn, unsigned *n_r,
    bool *done_r)
{
	struct index_set *set = b->st->indexes;
	int rc;

	for (unsigned i = 0; i < set->n; i++)
		b->keys[i].n = 0;
	arena_reset(&b->arena);
	rc = collect(b, n_r);
	if (rc != HB_OK && rc != HB_EEND)
		return rc;
	*done_r = rc == HB_EEND;
	for (unsigned i = 0; i < set->n; i++) {
		struct index_note note = { .ready = set->v[i].ready };

		if (b->kinds[i] == 0)
			continue;
		if (*done_r)
			note.ready |= b->kinds[i];
		else {
			note.building = b->kinds[i];
			note.next = b->next;
		}
		if ((rc = write_keys(txn, &set->v[i], &b->keys[i])) != HB_OK ||
		    (rc = index_note_write(b->st, txn, &set->v[i],
		    &note)) != HB_OK)
			return rc;
	}
	return HB_OK;
}

/* ---- the thread ---- */

/* True to stop. */
static bool
pause_ms(struct index_build *b, int64_t ms)
{
	bool stop;

	lk_lock(&b->lock);
	if (!b->stop)
		lk_cond_timedwait(&b->wake, &b->lock, ms);
	stop = b->stop;
	lk_unlock(&b->lock);
	return stop;
}

/* After a batch that took US: the size of the next, and the turn of others. */
static bool
give_way(struct index_build *b, int64_t us)
{
	uint64_t commits = atomic_load(&b->st->commits);
	bool others = commits - b->commits > 1;

	b->commits = commits;
	if (us > 2 * BATCH_US && b->batch > BATCH_MIN)
		b->batch /= 2;
	else if (us < BATCH_US / 2 && b->batch < BATCH_MAX)
		b->batch *= 2;
	return pause_ms(b, others ? PAUSE_MS + us / 1000 : PAUSE_MS);
}

static void
tell_progress(struct index_build *b)
{
	int64_t now = time_mono_us();
	uint64_t end = atomic_load(&b->st->next_id);
	unsigned percent = (unsigned)(b->next * 100 / (end > 0 ? end : 1));

	if (percent != b->percent)
		index_online_progress(b->st, percent);
	b->percent = percent;
	if (now - b->told_us < TELL_US)
		return;
	b->told_us = now;
	log_printf(LOG_ANY, "database \"%.*s\": indexes are %u %% built",
	    SLICE_ARG(b->st->db->suffixes[0].text), percent);
}

static void
set_next(struct index_build *b, bool done)
{
	struct index_set *set = b->st->indexes;

	for (unsigned i = 0; i < set->n; i++) {
		if (b->kinds[i] == 0)
			continue;
		set->v[i].next = done ? 0 : b->next;
		if (done)
			set->v[i].ready |= b->kinds[i];
	}
}

/* One transaction. *DONE_r: the building is complete. */
static int
step(struct index_build *b, bool *done_r)
{
	struct store_txn *txn;
	entry_id next = b->next;
	struct index *cleared;
	unsigned n = 0;
	bool all_clear;
	int rc;

	*done_r = false;
	if ((rc = store_txn_begin(b->st, NULL, &txn)) != HB_OK)
		return rc;
	rc = clear_step(b, txn, &all_clear, &cleared);
	if (rc == HB_OK && all_clear)
		rc = fill_step(b, txn, &n, done_r);
	/* nobody was promised anything: the log may be written when it is */
	if (rc == HB_OK && (rc = store_txn_commit_lazily(&txn)) == HB_OK) {
		b->done += n;
		if (cleared != NULL)
			cleared->next = 1;
		if (all_clear)
			set_next(b, *done_r);
		return HB_OK;
	}
	store_txn_abort(&txn);
	*done_r = false;
	b->next = next;
	return rc;
}

static void
tell_done(const struct index_build *b)
{
	index_online_done(b->st);
	log_printf(LOG_ANY, "database \"%.*s\": indexes are complete: %llu "
	    "entries in %.1f s", SLICE_ARG(b->st->db->suffixes[0].text),
	    (unsigned long long)b->done,
	    (double)(time_mono_us() - b->begun_us) / 1e6);
}

static void *
run(void *arg)
{
	struct index_build *b = arg;
	bool done = false, stop = false;
	int64_t from;
	int rc;

	while (!done && !stop) {
		from = time_mono_us();
		rc = step(b, &done);
		if (rc == HB_OK && done) {
			tell_done(b);
		} else if (rc == HB_OK) {
			tell_progress(b);
			stop = give_way(b, time_mono_us() - from);
		} else if (rc == HB_EDEADLOCK) {
			stop = pause_ms(b, PAUSE_MS);
		} else {
			log_printf(LOG_ANY, "database \"%.*s\": building "
			    "indexes: %s; trying again",
			    SLICE_ARG(b->st->db->suffixes[0].text),
			    hb_strerror(rc));
			stop = pause_ms(b, RETRY_MS);
		}
	}
	return NULL;
}

/* ---- start and stop ---- */

/* What is to be built, as a line of the log. */
static void
tell_begin(const struct index_build *b)
{
	const struct index_set *set = b->st->indexes;
	struct buf names;

	buf_init(&names);
	for (unsigned i = 0; i < set->n; i++) {
		if (b->kinds[i] == 0)
			continue;
		buf_printf(&names, "%s%.*s (", names.len == 0 ? "" : ", ",
		    SLICE_ARG(set->v[i].desc->name));
		index_kinds_put(&names, b->kinds[i]);
		buf_put_char(&names, ')');
	}
	log_printf(LOG_ANY, "database \"%.*s\": indexes are being built and "
	    "used when they are complete: %.*s",
	    SLICE_ARG(b->st->db->suffixes[0].text),
	    SLICE_ARG(buf_slice(&names)));
	buf_fini(&names);
}

static void
build_free(struct index_build *b)
{
	for (unsigned i = 0; i < b->st->indexes->n; i++)
		free(b->keys[i].v);
	lk_cond_fini(&b->wake);
	lk_fini(&b->lock);
	arena_fini(&b->arena);
	free(b->keys);
	free(b->kinds);
	free(b);
}

/* NULL: nothing is to be built. */
static struct index_build *
build_new(struct store *st)
{
	struct index_set *set = st->indexes;
	struct index_build *b = mem_zalloc(sizeof(*b));
	bool any = false;

	b->st = st;
	b->kinds = mem_calloc(set->n + 1, sizeof(b->kinds[0]));
	b->keys = mem_calloc(set->n + 1, sizeof(b->keys[0]));
	b->next = UINT64_MAX;
	b->batch = BATCH_MIN;
	b->commits = atomic_load(&st->commits);
	b->begun_us = b->told_us = time_mono_us();
	arena_init(&b->arena, 0);
	lk_init(&b->lock, LK_LEAF, "index building");
	lk_cond_init(&b->wake);
	for (unsigned i = 0; i < set->n; i++) {
		struct index *ix = &set->v[i];
		entry_id next = ix->next > 0 ? ix->next : 1;

		b->kinds[i] = ix->kept & ~ix->ready;
		if (b->kinds[i] == 0)
			continue;
		any = true;
		/* one pass for all: what some have already is no change */
		if (next < b->next)
			b->next = next;
	}
	if (!any) {
		build_free(b);
		return NULL;
	}
	return b;
}

int
index_build_start(struct store *st, struct diag *diag)
{
	struct index_build *b = build_new(st);

	if (b == NULL) {
		index_online_done(st);
		return HB_OK;
	}
	tell_begin(b);
	if (pthread_create(&b->thread, NULL, run, b) != 0) {
		build_free(b);
		return diag_err(diag, HB_EIO, "no thread to build indexes");
	}
	st->indexes->build = b;
	return HB_OK;
}

void
index_build_stop(struct store *st)
{
	struct index_build *b = st->indexes->build;

	if (b == NULL)
		return;
	lk_lock(&b->lock);
	b->stop = true;
	lk_cond_signal(&b->wake);
	lk_unlock(&b->lock);
	pthread_join(b->thread, NULL);
	build_free(b);
	st->indexes->build = NULL;
}
