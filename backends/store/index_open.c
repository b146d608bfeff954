/*
 * Opening the files of the indexes, and which kinds of them are complete: a
 * kind that is new on a database with entries is built by the server while it
 * runs (index_build.c), or by slapindex.
 */
#include <string.h>

#include "backends/store/index_int.h"
#include "util/log.h"
#include "util/mem.h"

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

/*
 * What is missing of IX begins anew or goes on where it stood. Only the server
 * begins; a tool that writes keeps what was begun.
 */
static int
set_building(struct store *st, struct index *ix, bool created,
    struct index_note *note, struct diag *diag)
{
	unsigned missing = ix->kinds & ~note->ready;
	int rc;

	if (missing == 0 || (note->building & missing) == missing)
		return HB_OK;
	if (st->is_tool) {
		note->building = 0;
		return HB_OK;
	}
	note->building = missing;
	note->next = created ? 1 : 0;
	if (note->ready == 0 && !created) {
		if ((rc = index_truncate(st, ix, diag)) != HB_OK)
			return rc;
		note->next = 1;
	}
	return HB_OK;
}

/* CREATED: IX has no keys. */
static int
set_state(struct store *st, struct index *ix, bool created, bool is_empty,
    struct diag *diag)
{
	struct index_note note, had;
	int rc;

	if ((rc = index_note_read(st, ix, &had)) != HB_OK)
		return rc;
	note = had;
	note.ready = created ? 0 : had.ready & ix->kinds;
	note.building = created ? 0 : had.building & ix->kinds & ~note.ready;
	if (st->is_read) {
		ix->ready = note.ready;
		return HB_OK;
	}
	if (is_empty && note.ready != ix->kinds) {
		if (!created && (rc = index_truncate(st, ix, diag)) != HB_OK)
			return rc;
		note = (struct index_note){ .ready = ix->kinds };
	}
	rc = set_building(st, ix, created, &note, diag);
	if (rc != HB_OK)
		return rc;
	ix->ready = note.ready;
	ix->kept = note.ready | note.building;
	ix->next = note.next;
	return memcmp(&note, &had, sizeof(note)) == 0 ? HB_OK :
	    index_note_write(st, NULL, ix, &note);
}

static int
open_one(struct store *st, struct index *ix, bool is_empty,
    struct diag *diag)
{
	char *file = mem_printf("%.*s.bdb", SLICE_ARG(ix->desc->name));
	bool created = false;
	int rc;

	rc = store_db_open(st, file, !st->is_read, &ix->db, &created, diag);
	free(file);
	if (rc == HB_ENOENT && st->is_read) {
		ix->db = NULL;		/* ready stays 0 */
		return HB_OK;
	}
	return rc != HB_OK ? rc : set_state(st, ix, created, is_empty, diag);
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
		ix->number = set->next_number++;
		set->n++;
		rc = open_one(st, ix, is_empty, diag);
	}
	if (rc == HB_OK && !st->is_read)
		rc = index_notes_drop(st);
	if (rc == HB_OK && !st->is_tool) {
		advise(st);
		rc = index_build_start(st, diag);
	}
	if (rc != HB_OK)
		index_close(st);
	return rc;
}

void
index_close(struct store *st)
{
	struct index_set *set = st->indexes;

	if (set == NULL)
		return;
	index_build_stop(st);
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
	const struct index_note none = { 0 };
	u_int32_t count;
	int err, rc;

	ix->ready = ix->kept = 0;
	if ((rc = index_note_write(st, NULL, ix, &none)) != HB_OK)
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
	const struct index_note note = { .ready = ix->kinds };
	int rc = index_note_write(st, NULL, ix, &note);

	if (rc != HB_OK)
		return diag_err(diag, rc, "cannot write the list of indexes");
	ix->ready = ix->kept = ix->kinds;
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
