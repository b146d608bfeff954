/*
 * What is known of each index across restarts. A record of the dictionary
 * database:
 *
 *   ff 'i' name -> ready, 4 | building, 4 | next, 8      big-endian
 *
 * READY: kinds whose keys are complete. BUILDING: kinds that writers keep and
 * a builder fills; NEXT: entries below this ID have their keys, 0 while old
 * keys of these kinds may still lie about. Four octets alone are READY, with
 * nothing being built. A kind that is not noted is neither used nor kept.
 */
#include <errno.h>
#include <string.h>

#include "backends/store/index_int.h"
#include "backends/store/range.h"
#include "util/log.h"
#include "util/mem.h"

#define NOTE_MARK	"\377i"
#define NOTE_LEN	2
#define NOTE_NAME_MAX	512
#define NOTE_SHORT	4
#define NOTE_DATA	16

struct note_key {
	unsigned char v[NOTE_LEN + NOTE_NAME_MAX];
	unsigned len;
};

static void
key_of(const struct index *ix, struct note_key *key)
{
	size_t n = ix->desc->name.len;

	if (n > NOTE_NAME_MAX)
		n = NOTE_NAME_MAX;
	memcpy(key->v, NOTE_MARK, NOTE_LEN);
	memcpy(key->v + NOTE_LEN, ix->desc->name.ptr, n);
	key->len = (unsigned)(NOTE_LEN + n);
}

static void
put_number(unsigned char *p, unsigned octets, uint64_t v)
{
	while (octets-- > 0) {
		p[octets] = (unsigned char)v;
		v >>= 8;
	}
}

static uint64_t
get_number(const unsigned char *p, unsigned octets)
{
	uint64_t v = 0;

	while (octets-- > 0)
		v = v << 8 | *p++;
	return v;
}

int
index_note_read(struct store *st, const struct index *ix,
    struct index_note *note_r)
{
	unsigned char v[NOTE_DATA];
	struct note_key name;
	DBT key = { 0 }, data = { 0 };
	int err;

	*note_r = (struct index_note){ 0 };
	key_of(ix, &name);
	key.data = name.v;
	key.size = name.len;
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
	if (data.size == NOTE_SHORT || data.size == NOTE_DATA)
		note_r->ready = (unsigned)get_number(v, 4);
	if (data.size == NOTE_DATA) {
		note_r->building = (unsigned)get_number(v + 4, 4);
		note_r->next = get_number(v + 8, 8);
	}
	return HB_OK;
}

int
index_note_write(struct store *st, struct store_txn *txn,
    const struct index *ix, const struct index_note *note)
{
	unsigned char v[NOTE_DATA];
	struct note_key name;
	DBT key = { 0 }, data = { 0 };
	int err;

	key_of(ix, &name);
	put_number(v, 4, note->ready);
	put_number(v + 4, 4, note->building);
	put_number(v + 8, 8, note->next);
	key.data = name.v;
	key.size = name.len;
	data.data = v;
	data.size = sizeof(v);
	err = st->dict_db->put(st->dict_db, store_db_txn(txn), &key, &data,
	    0);
	return store_db_error(st, err, "writing the list of indexes");
}

/* ---- indexes that are not configured any more ---- */

static bool
is_configured(const struct index_set *set, const struct note_key *key)
{
	struct note_key known;

	for (unsigned i = 0; i < set->n; i++) {
		key_of(&set->v[i], &known);
		if (known.len == key->len &&
		    memcmp(known.v, key->v, key->len) == 0)
			return true;
	}
	return false;
}

/* The first note at or after KEY; its length is 0 if there is none. */
static int
next_note(struct store *st, struct note_key *key)
{
	DBC *c;
	DBT k = { 0 }, data = { 0 };
	int err;

	k.data = key->v;
	k.size = key->len;
	k.ulen = sizeof(key->v);
	k.flags = DB_DBT_USERMEM;
	data.flags = DB_DBT_USERMEM | DB_DBT_PARTIAL;
	if ((err = st->dict_db->cursor(st->dict_db, NULL, &c, 0)) != 0)
		return store_db_error(st, err, "reading the list of indexes");
	err = c->get(c, &k, &data, DB_SET_RANGE);
	c->close(c);
	key->len = 0;
	if (err != 0 && err != DB_NOTFOUND)
		return store_db_error(st, err, "reading the list of indexes");
	if (err == 0 && k.size >= NOTE_LEN &&
	    memcmp(key->v, NOTE_MARK, NOTE_LEN) == 0)
		key->len = k.size;
	return HB_OK;
}

/* The file first: a note without a file says less than a file without one. */
static int
drop(struct store *st, const struct note_key *key)
{
	struct slice name = slice(key->v + NOTE_LEN, key->len - NOTE_LEN);
	char *file = mem_printf("%.*s.bdb", SLICE_ARG(name));
	DBT k = { 0 };
	int err;

	err = st->env->dbremove(st->env, NULL, file, NULL,
	    st->is_quick ? 0 : DB_AUTO_COMMIT);
	if (err == 0)
		log_printf(LOG_ANY, "database \"%.*s\": %s removed: %.*s is "
		    "not indexed any more",
		    SLICE_ARG(st->db->suffixes[0].text), file,
		    SLICE_ARG(name));
	free(file);
	if (err != 0 && err != ENOENT)
		return store_db_error(st, err, "removing an index");
	k.data = (void *)(uintptr_t)key->v;
	k.size = key->len;
	err = st->dict_db->del(st->dict_db, NULL, &k, 0);
	return store_db_error(st, err == DB_NOTFOUND ? 0 : err,
	    "writing the list of indexes");
}

int
index_notes_drop(struct store *st)
{
	struct note_key key = { .len = NOTE_LEN };
	int rc;

	memcpy(key.v, NOTE_MARK, NOTE_LEN);
	for (;;) {
		if ((rc = next_note(st, &key)) != HB_OK || key.len == 0)
			return rc;
		if (!is_configured(st->indexes, &key) &&
		    (rc = drop(st, &key)) != HB_OK)
			return rc;
		if (key.len == sizeof(key.v))
			return HB_OK;
		key.v[key.len++] = 0;	/* the next one */
	}
}
