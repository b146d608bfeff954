/*
 * Opening the files of the indexes, and which of them are complete.
 *
 * A record of the dictionary database says for each index which kinds of keys
 * it has of every entry:  ff 'i' name -> kinds (4, big-endian). A kind that is
 * configured and not noted there is neither used nor kept up to date until
 * slapindex has built it; one that is noted and no longer configured loses its
 * note, since from then on nobody keeps it up to date.
 */
#include <string.h>

#include "backends/store/index_int.h"
#include "util/log.h"
#include "util/mem.h"

#define NOTE_MARK	"\377i"
#define NOTE_LEN	2
#define NOTE_MAX	512

struct note {
	unsigned char key[NOTE_LEN + NOTE_MAX];
	unsigned len;
};

static void
note_key(const struct index *ix, struct note *note)
{
	size_t n = ix->desc->name.len;

	if (n > NOTE_MAX)
		n = NOTE_MAX;
	memcpy(note->key, NOTE_MARK, NOTE_LEN);
	memcpy(note->key + NOTE_LEN, ix->desc->name.ptr, n);
	note->len = (unsigned)(NOTE_LEN + n);
}

static int
note_read(struct store *st, const struct index *ix, unsigned *kinds_r)
{
	unsigned char v[4];
	struct note note;
	DBT key = { 0 }, data = { 0 };
	int err;

	*kinds_r = 0;
	note_key(ix, &note);
	key.data = note.key;
	key.size = note.len;
	data.data = v;
	data.ulen = sizeof(v);
	data.flags = DB_DBT_USERMEM;
	do
		err = st->dict_db->get(st->dict_db, NULL, &key, &data, 0);
	while (err == DB_LOCK_DEADLOCK);
	if (err == DB_NOTFOUND)
		return HB_OK;
	if (err != 0)
		return store_db_error(st, err, "reading the list of indexes");
	if (data.size == sizeof(v))
		*kinds_r = (unsigned)v[0] << 24 | (unsigned)v[1] << 16 |
		    (unsigned)v[2] << 8 | v[3];
	return HB_OK;
}

static int
note_write(struct store *st, const struct index *ix, unsigned kinds)
{
	unsigned char v[4] = { (unsigned char)(kinds >> 24),
	    (unsigned char)(kinds >> 16), (unsigned char)(kinds >> 8),
	    (unsigned char)kinds };
	struct note note;
	DBT key = { 0 }, data = { 0 };
	int err;

	note_key(ix, &note);
	key.data = note.key;
	key.size = note.len;
	data.data = v;
	data.size = sizeof(v);
	err = st->dict_db->put(st->dict_db, NULL, &key, &data, 0);
	return err == 0 ? HB_OK :
	    store_db_error(st, err, "writing the list of indexes");
}

static bool
note_is_of(const struct index_set *set, const unsigned char *p, size_t n)
{
	struct note note;

	for (unsigned i = 0; i < set->n; i++) {
		note_key(&set->v[i], &note);
		if (note.len == n && memcmp(note.key, p, n) == 0)
			return true;
	}
	return false;
}

/* The first note after AFTER; its length is 0 if there is none. */
static int
note_next(struct store *st, struct note *note)
{
	DBC *c;
	DBT key = { 0 }, data = { 0 };
	int err;

	key.data = note->key;
	key.size = note->len;
	key.ulen = sizeof(note->key);
	key.flags = DB_DBT_USERMEM;
	data.flags = DB_DBT_USERMEM | DB_DBT_PARTIAL;
	if ((err = st->dict_db->cursor(st->dict_db, NULL, &c, 0)) != 0)
		return store_db_error(st, err, "reading the list of indexes");
	err = c->get(c, &key, &data, DB_SET_RANGE);
	c->close(c);
	note->len = 0;
	if (err != 0 && err != DB_NOTFOUND)
		return store_db_error(st, err, "reading the list of indexes");
	if (err == 0 && key.size >= NOTE_LEN &&
	    memcmp(note->key, NOTE_MARK, NOTE_LEN) == 0)
		note->len = key.size;
	return HB_OK;
}

/* Forget notes of indexes that are not configured any more. */
static int
notes_drop(struct store *st)
{
	struct note note = { .len = NOTE_LEN };
	DBT key = { 0 };
	int rc, err;

	memcpy(note.key, NOTE_MARK, NOTE_LEN);
	for (;;) {
		if ((rc = note_next(st, &note)) != HB_OK || note.len == 0)
			return rc;
		if (!note_is_of(st->indexes, note.key, note.len)) {
			key.data = note.key;
			key.size = note.len;
			err = st->dict_db->del(st->dict_db, NULL, &key, 0);
			if (err != 0 && err != DB_NOTFOUND)
				return store_db_error(st, err,
				    "writing the list of indexes");
		}
		if (note.len == sizeof(note.key))
			return HB_OK;
		note.key[note.len++] = 0;	/* the next one */
	}
}

/* ---- superiors of classes ---- */

static void
add_class(struct store *st, const struct attr_desc *desc,
    const struct object_class *oc, struct slice *v, unsigned *n,
    unsigned max)
{
	struct slice norm;

	if (*n == max || schema_norm_value(st->schema, &st->indexes->arena,
	    desc, slice_of(oc->oid), &norm) != HB_OK)
		return;
	for (unsigned i = 0; i < *n; i++)
		if (slice_is_eq(v[i], norm))
			return;
	v[(*n)++] = arena_slice(&st->indexes->arena, norm);
	for (const struct object_class *const *s = oc->sups;
	    s != NULL && *s != NULL; s++)
		add_class(st, desc, *s, v, n, max);
}

static void
make_classes(struct store *st)
{
	const struct attr_desc *desc = schema_builtin(st->schema,
	    "objectClass");
	struct index_set *set = st->indexes;
	const struct object_class *oc;
	struct slice v[64];

	set->object_class = desc->type;
	while (schema_class_by_id(st->schema, set->nclasses) != NULL)
		set->nclasses++;
	set->classes = arena_calloc(&set->arena, set->nclasses + 1,
	    sizeof(set->classes[0]));
	for (uint32_t i = 0; i < set->nclasses; i++) {
		unsigned n = 0;

		oc = schema_class_by_id(st->schema, i);
		add_class(st, desc, oc, v, &n, 63);
		v[n++] = SLICE_NONE;
		set->classes[i] = arena_alloc(&set->arena, n * sizeof(v[0]));
		memcpy(set->classes[i], v, n * sizeof(v[0]));
	}
}

/* ---- opening ---- */

static int
open_one(struct store *st, struct index *ix, bool is_empty,
    struct diag *diag)
{
	char *file = mem_printf("%.*s.bdb", SLICE_ARG(ix->desc->name));
	bool created = false;
	unsigned noted;
	int rc;

	rc = store_db_open(st, file, !st->is_read, &ix->db, &created, diag);
	free(file);
	if (rc == HB_ENOENT && st->is_read) {
		ix->db = NULL;		/* ready stays 0 */
		return HB_OK;
	}
	if (rc != HB_OK || (rc = note_read(st, ix, &noted)) != HB_OK)
		return rc;
	ix->ready = created ? 0 : noted & ix->kinds;
	if (st->is_read)
		return HB_OK;
	if (is_empty && ix->ready != ix->kinds) {
		if (!created && (rc = index_truncate(st, ix, diag)) != HB_OK)
			return rc;
		ix->ready = ix->kinds;
	}
	return ix->ready == noted ? HB_OK : note_write(st, ix, ix->ready);
}

static void
tell_unready(const struct store *st)
{
	struct buf names;

	buf_init(&names);
	for (unsigned i = 0; i < st->indexes->n; i++) {
		const struct index *ix = &st->indexes->v[i];
		unsigned missing = ix->kinds & ~ix->ready;

		if (missing == 0)
			continue;
		buf_printf(&names, "%s%.*s (", names.len == 0 ? "" : ", ",
		    SLICE_ARG(ix->desc->name));
		index_kinds_put(&names, missing);
		buf_put_char(&names, ')');
	}
	if (names.len > 0)
		log_printf(LOG_ANY, "database \"%.*s\": indexes that are new or "
		    "were off for a time are not used before slapindex has "
		    "built them: %.*s", SLICE_ARG(st->db->suffixes[0].text),
		    SLICE_ARG(buf_slice(&names)));
	buf_fini(&names);
}

static void
advise(struct store *st)
{
	const struct attr_desc *oc = schema_builtin(st->schema, "objectClass");

	for (unsigned i = 0; i < st->indexes->n; i++)
		if (index_covers(&st->indexes->v[i], oc) &&
		    (st->indexes->v[i].kinds & INDEX_EQ))
			return;
	log_printf(LOG_ANY, "database \"%.*s\": no equality index of "
	    "objectClass; \"index objectClass eq\" is advisable",
	    SLICE_ARG(st->db->suffixes[0].text));
}

int
index_open(struct store *st, struct diag *diag)
{
	const struct index_conf *conf = st->conf->indexes;
	unsigned n = conf != NULL ? (unsigned)conf->n : 0;
	bool is_empty = atomic_load(&st->next_id) <= 1;
	struct index_set *set;
	int rc = HB_OK;

	st->indexes = set = mem_zalloc(sizeof(*set));
	set->v = mem_calloc(n + 1, sizeof(set->v[0]));
	arena_init(&set->arena, 0);
	make_classes(st);
	for (unsigned i = 0; i < n && rc == HB_OK; i++) {
		const struct index_line *line = &conf->v[i];
		struct index *ix = &set->v[set->n];

		ix->desc = line->desc;
		ix->kinds = line->kinds & (INDEX_PRES | INDEX_EQ | INDEX_SUB |
		    INDEX_APPROX);
		ix->flags = line->kinds & ~ix->kinds;
		ix->number = set->n++;
		rc = open_one(st, ix, is_empty, diag);
	}
	if (rc == HB_OK && !st->is_read)
		rc = notes_drop(st);
	if (rc != HB_OK)
		index_close(st);
	else if (!st->is_tool) {
		tell_unready(st);
		advise(st);
	}
	return rc;
}

void
index_close(struct store *st)
{
	struct index_set *set = st->indexes;

	if (set == NULL)
		return;
	for (unsigned i = 0; i < set->n; i++)
		if (set->v[i].db != NULL)
			(void)set->v[i].db->close(set->v[i].db, 0);
	arena_fini(&set->arena);
	free(set->v);
	free(set);
	st->indexes = NULL;
}

int
index_truncate(struct store *st, struct index *ix, struct diag *diag)
{
	u_int32_t count;
	int err, rc;

	ix->ready = 0;
	if ((rc = note_write(st, ix, 0)) != HB_OK)
		return diag_err(diag, rc, "cannot write the list of indexes");
	if ((err = ix->db->truncate(ix->db, NULL, &count, 0)) != 0)
		return diag_err(diag, store_db_error(st, err,
		    "emptying an index"), "%.*s.bdb: cannot be emptied: %s",
		    SLICE_ARG(ix->desc->name), db_strerror(err));
	return HB_OK;
}

int
index_set_ready(struct store *st, struct index *ix, struct diag *diag)
{
	int rc = note_write(st, ix, ix->kinds);

	if (rc != HB_OK)
		return diag_err(diag, rc, "cannot write the list of indexes");
	ix->ready = ix->kinds;
	return HB_OK;
}

/* The index whose attribute lies nearest to DESC: fewest entries beside. */
const struct index *
index_find(const struct store *st, const struct attr_desc *desc,
    unsigned kind)
{
	const struct index_set *set = st->indexes;
	const struct index *best = NULL;

	for (unsigned i = 0; set != NULL && i < set->n; i++) {
		const struct index *ix = &set->v[i];
		const struct attr_type *t = ix->desc->type;

		if (!(ix->ready & kind) || !index_covers(ix, desc))
			continue;
		if (ix->desc == desc)
			return ix;
		if (((ix->flags & INDEX_NOSUBTYPES) && t != desc->type) ||
		    ((ix->flags & INDEX_NOTAGS) &&
		    desc->noptions > ix->desc->noptions))
			continue;
		if (kind != INDEX_PRES && (t->equality != desc->type->equality ||
		    t->approx != desc->type->approx))
			continue;	/* other normal forms */
		if (best == NULL || index_covers(best, ix->desc))
			best = ix;
	}
	return best;
}
