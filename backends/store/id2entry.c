/*
 * Entries by ID and by name.
 * id2entry.bdb: ID, 8 octets, big-endian -> block (entry.h), octet for octet.
 */
#include <string.h>

#include "backends/store/cache.h"
#include "backends/store/commit.h"
#include "backends/store/range.h"
#include "util/log.h"
#include "util/mem.h"

#define ROOM		8192		/* most blocks fit */
/* A rename that is just being committed makes a reader begin again; it takes
 * microseconds, so that this many in a row mean many renames. Then what was
 * read is handed out: each part of it was committed. */
#define TRIES		16

static int
corrupt(const struct store *st, entry_id id)
{
	log_printf(LOG_ANY, "%s: entry %08llx is damaged",
	    st->conf->directory, (unsigned long long)id);
	return HB_ECORRUPT;
}

/* The block of ID into ROOM or, if it is larger, into memory to be freed. */
static int
get_block(struct store *st, struct store_txn *txn, entry_id id, char *room,
    DBT *d)
{
	char key[8];
	DBT k = { 0 };
	int err;

	store_id_put(key, id);
	k.data = key;
	k.size = sizeof(key);
	memset(d, 0, sizeof(*d));
	d->data = room;
	d->ulen = ROOM;
	d->flags = DB_DBT_USERMEM;
	for (;;) {
		err = st->id2entry->get(st->id2entry, store_db_txn(txn), &k,
		    d, store_read_flags(txn));
		if (err == DB_BUFFER_SMALL) {
			if (d->data != room)
				free(d->data);
			d->ulen = d->size;
			d->data = mem_alloc(d->size);
		} else if (txn != NULL || err != DB_LOCK_DEADLOCK)
			break;
	}
	return store_db_error(st, err, "reading an entry");
}

static int
read_once(struct store *st, struct store_txn *txn, entry_id id,
    struct entry **e_r)
{
	char room[ROOM];
	struct arena arena;
	struct dn dn;
	DBT d = { .data = room };
	int rc;

	arena_init(&arena, 0);
	if ((rc = st->names->name_of(st, txn, id, &arena, &dn)) != HB_OK ||
	    (rc = get_block(st, txn, id, room, &d)) != HB_OK)
		goto out;
	if (entry_block_check(slice(d.data, d.size), st->dict) != HB_OK)
		rc = corrupt(st, id);
	else
		*e_r = entry_new(id, &dn, st->dict, slice(d.data, d.size));
out:
	if (d.data != room)
		free(d.data);
	arena_fini(&arena);
	return rc;
}

/* Name and block as of one moment, as far as renames go. */
static int
read_entry(struct store *st, struct store_txn *txn, entry_id id,
    struct entry **e_r)
{
	uint64_t before;
	int rc;

	for (unsigned i = 0; ; i++) {
		before = atomic_load(&st->renames);
		rc = read_once(st, txn, id, e_r);
		if (txn != NULL || i == TRIES || ((before & 1) == 0 &&
		    before == atomic_load(&st->renames)))
			return rc;
		entry_unref(e_r);
	}
}

/*
 * E was read: it is kept, and so is its name. The ticket of the name can only
 * be had now. But if the entry may still be kept after that, no commit on it
 * has begun until then, and one that begins later changes the name's stamp.
 */
static void
keep(struct store *st, struct entry *e, uint64_t ticket)
{
	uint64_t name_ticket;
	bool known = name_cache_get(st->name_cache, e->dn.norm,
	    &name_ticket) != ENTRY_ID_NONE;

	if (entry_cache_put(st->entries, e, ticket) && !known)
		name_cache_put(st->name_cache, e->dn.norm, e->id,
		    name_ticket);
}

int
store_entry_by_id(struct store *st, struct store_txn *txn, entry_id id,
    bool may_read, struct entry **e_r)
{
	uint64_t ticket;
	int rc;

	if (txn != NULL && txn->is_dirty)
		return read_entry(st, txn, id, e_r);
	if ((*e_r = entry_cache_get(st->entries, id, &ticket)) != NULL)
		return HB_OK;
	if (!may_read)
		return HB_EDEFER;
	if ((rc = read_entry(st, NULL, id, e_r)) == HB_OK)
		keep(st, *e_r, ticket);
	return rc;
}

int
store_id_by_dn(struct store *st, struct store_txn *txn, const struct dn *dn,
    bool may_read, entry_id *id_r)
{
	uint64_t ticket;
	int rc;

	if (txn != NULL && txn->is_dirty)
		return st->names->find(st, txn, dn, id_r);
	*id_r = name_cache_get(st->name_cache, dn->norm, &ticket);
	if (*id_r != ENTRY_ID_NONE)
		return HB_OK;
	if (!may_read)
		return HB_EDEFER;
	if ((rc = st->names->find(st, NULL, dn, id_r)) == HB_OK)
		name_cache_put(st->name_cache, dn->norm, *id_r, ticket);
	return rc;
}

int
store_entry_by_dn(struct store *st, struct store_txn *txn,
    const struct dn *dn, bool may_read, struct entry **e_r)
{
	entry_id id;
	int rc = HB_ENOTFOUND;

	*e_r = NULL;
	for (unsigned i = 0; i < TRIES; i++) {
		rc = store_id_by_dn(st, txn, dn, may_read, &id);
		if (rc != HB_OK)
			return rc;
		rc = store_entry_by_id(st, txn, id, may_read, e_r);
		if (rc == HB_OK && dn_is_eq(&(*e_r)->dn, dn))
			return HB_OK;
		/* renamed or deleted between the two: ask again */
		entry_unref(e_r);
		if (rc != HB_OK && rc != HB_ENOTFOUND)
			return rc;
	}
	return HB_ENOTFOUND;
}

int
store_entry_make(struct store_txn *txn, entry_id id, const struct dn *dn,
    const struct attrs *attrs, struct entry **e_r)
{
	struct store *st = txn->st;
	struct buf block;
	int rc;

	*e_r = NULL;
	buf_init(&block);
	if ((rc = store_dict_add(st, txn, attrs)) == HB_OK &&
	    (rc = entry_encode(attrs, st->dict, &block)) == HB_OK)
		*e_r = entry_new(id, dn, st->dict, buf_slice(&block));
	buf_fini(&block);
	return rc;
}

int
store_entry_write(struct store_txn *txn, struct entry *e,
    const struct attrs *attrs)
{
	struct store *st = txn->st;
	char key[8];
	int rc;

	store_id_put(key, e->id);
	if ((rc = store_put(st, txn, st->id2entry, slice(key, sizeof(key)),
	    e->block, 0)) != HB_OK ||
	    (rc = store_special_set(st, txn, e->id, attrs)) != HB_OK)
		return rc;
	undo_entry(txn, e->id, e);
	return HB_OK;
}

int
store_entry_put(struct store_txn *txn, entry_id id, const struct dn *dn,
    const struct attrs *attrs, struct entry **e_r)
{
	int rc = store_entry_make(txn, id, dn, attrs, e_r);

	return rc != HB_OK ? rc : store_entry_write(txn, *e_r, attrs);
}

int
store_entry_del(struct store_txn *txn, entry_id id)
{
	struct store *st = txn->st;
	char key[8];
	int rc;

	store_id_put(key, id);
	if ((rc = store_del(st, txn, st->id2entry, slice(key,
	    sizeof(key)))) != HB_OK ||
	    (rc = store_special_set(st, txn, id, NULL)) != HB_OK)
		return rc;
	undo_entry(txn, id, NULL);
	return HB_OK;
}

int
store_entry_scan(struct store *st, entry_id *id, struct entry **e_r)
{
	char key[8];
	DBT k = { 0 }, d = { 0 };
	DBC *c;
	int err, err2, rc;

	for (;;) {
		store_id_put(key, *id);
		k.data = key;
		k.size = k.ulen = sizeof(key);
		k.flags = DB_DBT_USERMEM;
		d.ulen = d.dlen = 0;	/* the key alone */
		d.flags = DB_DBT_USERMEM | DB_DBT_PARTIAL;
		err = st->id2entry->cursor(st->id2entry, NULL, &c, 0);
		if (err == 0) {
			err = c->get(c, &k, &d, DB_SET_RANGE);
			err2 = c->close(c);
			err = err != 0 ? err : err2;
		}
		if (err == DB_LOCK_DEADLOCK)
			continue;
		if (err == DB_NOTFOUND)
			return HB_EEND;
		if (err != 0)
			return store_db_error(st, err, "reading entries");
		*id = store_id_get(key);
		rc = read_entry(st, NULL, *id, e_r);
		if (rc != HB_ENOTFOUND)
			return rc;
		++*id;			/* deleted just now */
	}
}
