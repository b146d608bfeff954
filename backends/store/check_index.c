/*
 * Indexes and special.bdb. Each index file is walked beside the sorted keys
 * that the entries call for, and only records that differ are taken apart.
 */
#include "backends/store/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/store/range.h"
#include "util/mem.h"

#define BATCH		(256 * 1024)
#define SHOWN		256

/* ---- special.bdb ---- */

static void
tell_special(struct check *c, const struct idset *ids, const char *what,
    const char *kind)
{
	struct idset_iter it;
	char where[32];
	entry_id id;

	idset_iter_init(&it, ids, 0);
	while (idset_iter_next(&it, &id)) {
		snprintf(where, sizeof(where), "entry %llu",
		    (unsigned long long)id);
		check_tell(c, FILE_SPECIAL, where, what, kind);
	}
	idset_iter_fini(&it);
}

static void
check_kind(struct check *c, enum special_kind kind)
{
	static const char *const words[SPECIAL_KINDS] = {
		"alias", "referral", "subentry"
	};
	struct idset have, extra, missing;

	idset_init(&have);
	idset_init(&extra);
	idset_init(&missing);
	store_special_copy(c->st, kind, &have);
	idset_copy(&extra, &have);
	idset_and_not(&extra, &c->special[kind]);
	idset_and_not(&extra, &c->unread);
	idset_copy(&missing, &c->special[kind]);
	idset_and_not(&missing, &have);
	tell_special(c, &extra, "listed as %s, which it is not", words[kind]);
	tell_special(c, &missing, "not listed as %s, which it is", words[kind]);
	idset_fini(&have);
	idset_fini(&extra);
	idset_fini(&missing);
}

int
check_special(struct check *c, struct diag *diag)
{
	struct slice key, data;
	bool complete = false;
	char shown[64];
	struct range r;
	int rc;

	if (c->st->special_db == NULL)
		return HB_OK;
	range_init(&r, c->st, NULL, c->st->special_db, RANGE_ROOM);
	range_seek(&r, SLICE(""));
	while ((rc = range_next(&r, &key, &data)) == HB_OK) {
		if (slice_is_eq(key, SLICE("ok")))
			complete = true;
		else if (key.len != 9 ||
		    (unsigned char)key.ptr[0] >= SPECIAL_KINDS)
			check_tell(c, FILE_SPECIAL, check_show(key, shown,
			    sizeof(shown)), "a key that nothing asks for");
	}
	range_fini(&r);
	if (rc != HB_EEND)
		return diag_err(diag, rc, FILE_SPECIAL " cannot be read");
	if (!complete) {
		check_remark(c, FILE_SPECIAL " is not complete and will be "
		    "built anew when slapd starts");
		return HB_OK;
	}
	for (unsigned k = 0; k < SPECIAL_KINDS; k++)
		check_kind(c, k);
	return HB_OK;
}

/* ---- one index ---- */

struct walk {
	struct check *c;
	const struct index *ix;
	struct postings *posts;
	char *file;

	/* the record that is called for next */
	bool has_want, has_id;
	entry_id id;			/* the first that is not in it */
	struct buf key;			/* without the part of the ID */
	struct index_key want;
	unsigned nwant;
	struct buf data;		/* as it is to be */
	uint16_t low[INDEX_CHUNK];
	uint16_t had[INDEX_CHUNK];
	uint64_t keys;
};

static int
next_key(struct walk *w, struct diag *diag)
{
	struct slice key;
	int rc;

	while (!w->has_id) {
		if ((rc = postings_next(w->posts, &key, diag)) != HB_OK)
			return rc;
		buf_reset(&w->key);
		buf_put_slice(&w->key, key);
		rc = postings_next_id(w->posts, &w->id, diag);
		if (rc != HB_OK && rc != HB_EEND)
			return rc;
		w->has_id = rc == HB_OK;
	}
	return HB_OK;
}

static int
next_want(struct walk *w, struct diag *diag)
{
	entry_id chunk;
	int rc;

	rc = next_key(w, diag);
	w->has_want = rc == HB_OK;
	if (rc != HB_OK)
		return rc == HB_EEND ? HB_OK : rc;
	chunk = w->id / INDEX_CHUNK;
	w->want.len = (unsigned)w->key.len;
	memcpy(w->want.v, w->key.data, w->key.len);
	index_key_high(&w->want, w->id);
	w->nwant = 0;
	do {
		w->low[w->nwant++] = (uint16_t)(w->id % INDEX_CHUNK);
		rc = postings_next_id(w->posts, &w->id, diag);
	} while (rc == HB_OK && w->id / INDEX_CHUNK == chunk);
	w->has_id = rc == HB_OK;
	buf_reset(&w->data);
	index_data_put(&w->data, w->low, w->nwant);
	w->keys++;
	return rc == HB_EEND ? HB_OK : rc;
}

/* "eq smith" of a key, value as far as the key has it. */
static void
show_key(struct slice key, entry_id id, char *out, size_t size)
{
	static const struct { unsigned kind; const char *word; } kinds[] = {
		{ INDEX_PRES, "pres" }, { INDEX_EQ, "eq" },
		{ INDEX_SUB, "sub" }, { INDEX_APPROX, "approx" }
	};
	const char *word = "?";
	char shown[SHOWN];
	struct slice v = slice_skip(key, 1);

	for (unsigned i = 0; i < 4; i++)
		if (kinds[i].kind == (unsigned char)key.ptr[0])
			word = kinds[i].word;
	v.len -= v.len >= 2 + INDEX_HIGH_LEN ? 2 + INDEX_HIGH_LEN : v.len;
	snprintf(out, size, "%s \"%s\" entry %llu", word,
	    check_show(v, shown, sizeof(shown)), (unsigned long long)id);
}

static void
tell_id(struct walk *w, struct slice key, entry_id id, bool missing)
{
	char where[SHOWN + 64];

	/* what an unreadable entry calls for is not known */
	if (!missing && idset_has(&w->c->unread, id))
		return;
	show_key(key, id, where, sizeof(where));
	check_tell(w->c, w->file, where, missing ? "the key is missing" :
	    "the entry does not have this value");
}

static void
tell_ids(struct walk *w, struct slice key, const uint16_t *low, unsigned n,
    bool missing)
{
	unsigned len;
	entry_id base = index_key_base(key, &len);

	for (unsigned i = 0; i < n; i++)
		tell_id(w, key, base + low[i], missing);
}

static void
tell_difference(struct walk *w, struct slice key, unsigned nhad)
{
	unsigned i = 0, k = 0, len;
	entry_id base = index_key_base(key, &len);

	while (i < w->nwant || k < nhad) {
		if (k == nhad || (i < w->nwant && w->low[i] < w->had[k]))
			tell_id(w, key, base + w->low[i++], true);
		else if (i == w->nwant || w->had[k] < w->low[i])
			tell_id(w, key, base + w->had[k++], false);
		else {
			i++;
			k++;
		}
	}
}

static int
tell_missing(struct walk *w, struct diag *diag)
{
	tell_ids(w, slice(w->want.v, w->want.len), w->low, w->nwant, true);
	return next_want(w, diag);
}

static int
take_record(struct walk *w, struct slice key, struct slice data,
    struct diag *diag)
{
	char shown[SHOWN];
	unsigned n;
	int cmp, rc;

	while (w->has_want && slice_cmp(slice(w->want.v, w->want.len),
	    key) < 0)
		if ((rc = tell_missing(w, diag)) != HB_OK)
			return rc;
	cmp = w->has_want ? slice_cmp(slice(w->want.v, w->want.len), key) : 1;
	if (cmp == 0 && slice_is_eq(data, buf_slice(&w->data)))
		return next_want(w, diag);
	if (index_data_get(data, w->had, &n) != HB_OK) {
		check_tell(w->c, w->file, check_show(key, shown,
		    sizeof(shown)), "the record cannot be decoded");
		return cmp == 0 ? next_want(w, diag) : HB_OK;
	}
	if (cmp == 0) {
		tell_difference(w, key, n);
		return next_want(w, diag);
	}
	tell_ids(w, key, w->had, n, false);
	return HB_OK;
}

static bool
is_kind(struct slice key)
{
	unsigned kind = (unsigned char)key.ptr[0];

	return kind == INDEX_PRES || kind == INDEX_EQ || kind == INDEX_SUB ||
	    kind == INDEX_APPROX;
}

static int
walk_file(struct walk *w, struct range *r, struct diag *diag)
{
	struct slice key, data;
	char shown[SHOWN];
	int rc;

	while ((rc = range_next(r, &key, &data)) == HB_OK) {
		atomic_fetch_add_explicit(&w->c->done, data.len,
		    memory_order_relaxed);
		if (key.len < 3 + INDEX_HIGH_LEN ||
		    key.len > sizeof(w->want.v)) {
			check_tell(w->c, w->file, check_show(key, shown,
			    sizeof(shown)), "the key is malformed");
			continue;
		}
		/* what is left of a kind that is not kept is not used */
		if (is_kind(key) &&
		    ((unsigned char)key.ptr[0] & w->ix->ready) == 0)
			continue;
		if ((rc = take_record(w, key, data, diag)) != HB_OK)
			return rc;
	}
	while (rc == HB_EEND && w->has_want) {
		int err = tell_missing(w, diag);

		if (err != HB_OK)
			return err;
	}
	return rc == HB_EEND ? HB_OK :
	    diag_err(diag, rc, "%s cannot be read", w->file);
}

static void
tell_unready(struct check *c, const struct index *ix)
{
	struct buf kinds;

	if ((ix->kinds & ~ix->ready) == 0)
		return;
	buf_init(&kinds);
	index_kinds_put(&kinds, ix->kinds & ~ix->ready);
	check_remark(c, "index %.*s (%.*s) is not complete: slapd goes on "
	    "with it when it runs, or run slapindex", SLICE_ARG(ix->desc->name),
	    SLICE_ARG(buf_slice(&kinds)));
	buf_fini(&kinds);
}

static int
check_one(struct check *c, unsigned task, struct diag *diag)
{
	const struct index *ix = &c->st->indexes->v[task];
	struct walk *w = mem_zalloc(sizeof(*w));
	struct range r;
	int rc = HB_OK;

	w->c = c;
	w->ix = ix;
	w->posts = c->bulk.posts[task];
	w->file = mem_printf("%.*s.bdb", SLICE_ARG(ix->desc->name));
	if (!check_has_bad_pages(c, w->file))
		tell_unready(c, ix);
	if (w->posts == NULL)
		goto out;
	range_init(&r, c->st, NULL, ix->db, BATCH);
	range_seek(&r, SLICE(""));
	if ((rc = postings_finish(w->posts, diag)) == HB_OK &&
	    (rc = next_want(w, diag)) == HB_OK)
		rc = walk_file(w, &r, diag);
	range_fini(&r);
	postings_free(&c->bulk.posts[task]);
out:
	lk_lock(&c->lock);
	c->tc->keys += w->keys;
	lk_unlock(&c->lock);
	buf_fini(&w->key);
	buf_fini(&w->data);
	free(w->file);
	free(w);
	return rc;
}

int
check_indexes(struct check *c, struct diag *diag)
{
	const struct index_set *set = c->st->indexes;

	atomic_store(&c->done, 0);
	c->total = 0;
	for (unsigned i = 0; i < set->n; i++)
		if (c->bulk.posts[i] != NULL)
			c->total += 2 * postings_count(c->bulk.posts[i]);
	return check_parallel(c, set->n, "comparing indexes", check_one,
	    diag);
}
