/*
 * The dictionary and the entries. One pass over id2entry.bdb tells which IDs
 * there are and which of them special.bdb must list, and feeds the bulk
 * loader's lanes, which collect the index keys that the entries call for.
 */
#include "backends/store/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/store/range.h"
#include "backends/store/tool_int.h"
#include "util/mem.h"

#define BATCH		(1024 * 1024)
#define KEY_NUMBER	5		/* 'a', number */
#define BLOCK_HEAD	24		/* of entry.h: head, rows of attributes */
#define BLOCK_ROW	16

/* ---- dict.bdb ---- */

static uint32_t
get_be32(const char *p)
{
	uint32_t v = 0;

	for (int i = 0; i < 4; i++)
		v = v << 8 | (unsigned char)p[i];
	return v;
}

static void
check_number(struct check *c, struct slice key, struct slice name,
    uint32_t *numbers)
{
	uint32_t num = get_be32(key.ptr + 1);
	const struct attr_desc *d = attr_dict_desc(c->st->dict, num);
	char where[32], shown[256];

	snprintf(where, sizeof(where), "attribute %u", num);
	check_show(name, shown, sizeof(shown));
	if (d == NULL || num == 0)
		check_tell(c, FILE_DICT, where, "\"%s\" was not taken", shown);
	else if (numbers[d->id] != 0)
		check_tell(c, FILE_DICT, where, "\"%s\" is attribute %u too",
		    shown, numbers[d->id]);
	else
		numbers[d->id] = num;
}

static uint32_t
highest_desc(const struct attr_dict *dict, uint32_t last)
{
	uint32_t max = 0;

	for (uint32_t i = 1; i <= last; i++) {
		const struct attr_desc *d = attr_dict_desc(dict, i);

		if (d != NULL && d->id > max)
			max = d->id;
	}
	return max;
}

int
check_dict(struct check *c, struct diag *diag)
{
	struct store *st = c->st;
	uint32_t *numbers = mem_calloc(highest_desc(st->dict,
	    st->dict_saved) + 1u, sizeof(*numbers));
	struct slice key, data;
	bool version = false;
	char shown[256];
	struct range r;
	int rc;

	range_init(&r, st, NULL, st->dict_db, RANGE_ROOM);
	range_seek(&r, SLICE(""));
	while ((rc = range_next(&r, &key, &data)) == HB_OK) {
		if (slice_is_eq(key, SLICE("v")))
			version = true;
		else if (key.len == KEY_NUMBER && key.ptr[0] == 'a')
			check_number(c, key, data, numbers);
		else if (!slice_is_eq(key, SLICE("g")) &&
		    !slice_has_prefix(key, SLICE("\377i")))
			check_tell(c, FILE_DICT, check_show(key, shown,
			    sizeof(shown)), "a key that nothing asks for");
	}
	range_fini(&r);
	free(numbers);
	if (!version)
		check_tell(c, FILE_DICT, "v", "the record of the version is "
		    "missing; \"" STORE_FORMAT "\" expected");
	return rc == HB_EEND ? HB_OK :
	    diag_err(diag, rc, FILE_DICT " cannot be read");
}

/* ---- id2entry.bdb ---- */

static uint32_t
get_le32(const char *p)
{
	const unsigned char *b = (const unsigned char *)p;

	return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
	    (uint32_t)b[3] << 24;
}

/* What is wrong with a block that does not decode. */
static void
tell_block(struct check *c, entry_id id, struct slice block, int err)
{
	char where[32];
	unsigned n;

	snprintf(where, sizeof(where), "entry %llu", (unsigned long long)id);
	if (err == HB_EVERSION) {
		check_tell(c, FILE_ENTRIES, where, "the block has another "
		    "version");
		return;
	}
	if (block.len < BLOCK_HEAD || get_le32(block.ptr + 4) != block.len) {
		check_tell(c, FILE_ENTRIES, where, "the block is cut off or "
		    "has a tail: %zu octets, %u expected", block.len,
		    block.len < 8 ? BLOCK_HEAD : get_le32(block.ptr + 4));
		return;
	}
	n = (unsigned char)block.ptr[2] | (unsigned)(unsigned char)
	    block.ptr[3] << 8;
	for (unsigned i = 0; i < n && BLOCK_HEAD + (i + 1) * BLOCK_ROW <=
	    block.len; i++) {
		uint32_t num = get_le32(block.ptr + BLOCK_HEAD +
		    i * BLOCK_ROW);

		if (attr_dict_desc(c->st->dict, num) == NULL) {
			check_tell(c, FILE_ENTRIES, where, "attribute number "
			    "%u is not in the dictionary", num);
			return;
		}
	}
	check_tell(c, FILE_ENTRIES, where, "the block cannot be decoded");
}

static void
begin_keys(struct check *c)
{
	const struct index_set *set = c->st->indexes;
	unsigned *kinds = mem_calloc(set->n + 1, sizeof(*kinds));

	for (unsigned i = 0; i < set->n; i++)
		kinds[i] = set->v[i].db != NULL ? set->v[i].ready : 0;
	bulk_init(&c->bulk, c->st, &c->tc->opts, kinds, false,
	    tool_memory(&c->tc->opts) / 2);
	c->has_bulk = true;
	free(kinds);
}

static int
take_entry(struct check *c, entry_id id, struct slice block,
    struct diag *diag)
{
	struct dn no_name = DN_EMPTY;
	struct entry *e;
	int rc;

	idset_add(&c->ids, id);
	if ((rc = entry_block_check(block, c->st->dict)) != HB_OK) {
		idset_add(&c->unread, id);
		tell_block(c, id, block, rc);
		return HB_OK;
	}
	e = entry_new(id, &no_name, c->st->dict, block);
	for (unsigned k = 0; k < SPECIAL_KINDS; k++)
		if (store_special_is(c->st, k, e))
			idset_add(&c->special[k], id);
	rc = tool_feed(&c->bulk, id, e->block, diag);
	entry_unref(&e);
	return rc;
}

static int
read_entries(struct check *c, struct range *r, struct diag *diag)
{
	struct slice key, block;
	char shown[64];
	int rc;

	while ((rc = range_next(r, &key, &block)) == HB_OK) {
		if (key.len != 8 || store_id_get(key.ptr) == ENTRY_ID_NONE) {
			check_tell(c, FILE_ENTRIES, check_show(key, shown,
			    sizeof(shown)), "the key is no ID");
			continue;
		}
		rc = take_entry(c, store_id_get(key.ptr), block, diag);
		if (rc != HB_OK)
			return rc;
		atomic_store(&c->done, store_id_get(key.ptr));
		if (++c->tc->entries % 4096 == 0)
			check_progress(c, "reading entries");
	}
	return rc == HB_EEND ? HB_OK :
	    diag_err(diag, rc, FILE_ENTRIES " cannot be read");
}

int
check_entries(struct check *c, struct diag *diag)
{
	struct range r;
	int rc;

	begin_keys(c);
	atomic_store(&c->done, 0);
	c->total = atomic_load(&c->st->next_id);
	range_init(&r, c->st, NULL, c->st->id2entry, BATCH);
	range_seek(&r, SLICE(""));
	rc = read_entries(c, &r, diag);
	range_fini(&r);
	return rc != HB_OK ? rc : bulk_drain(&c->bulk, diag);
}
