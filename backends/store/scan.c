/* Reading all entries: see scan.h. */
#include "backends/store/scan.h"

#include "util/log.h"

#define BATCH	(256 * 1024)

void
scan_init(struct scan *s, struct store *st, entry_id from)
{
	char key[8];

	s->st = st;
	arena_init(&s->arena, 0);
	range_init(&s->range, st, NULL, st->id2entry, BATCH);
	store_id_put(key, from);
	range_seek(&s->range, slice(key, sizeof(key)));
}

void
scan_fini(struct scan *s)
{
	range_fini(&s->range);
	arena_fini(&s->arena);
}

/* The name may be of after a rename, the block of before: then it is read alone. */
static int
next_entry(struct scan *s, entry_id id, struct slice block, struct entry **e_r)
{
	struct store *st = s->st;
	struct dn dn;
	int rc;

	arena_reset(&s->arena);
	rc = st->names->name_of(st, NULL, id, &s->arena, &dn);
	if (rc != HB_OK)
		return rc;
	if (s->range.renames != atomic_load(&st->renames))
		return store_entry_by_id(st, NULL, id, true, e_r);
	if (entry_block_check(block, st->dict) != HB_OK) {
		log_printf(LOG_ANY, "%s: entry %08llx is damaged",
		    st->conf->directory, (unsigned long long)id);
		return HB_ECORRUPT;
	}
	*e_r = entry_new(id, &dn, st->dict, block);
	return HB_OK;
}

int
scan_next(struct scan *s, entry_id *id_r, struct entry **e_r)
{
	struct slice key, block;
	int rc;

	*e_r = NULL;
	for (;;) {
		if ((rc = range_next(&s->range, &key, &block)) != HB_OK)
			return rc;
		if (key.len != 8)
			return HB_ECORRUPT;
		*id_r = store_id_get(key.ptr);
		rc = next_entry(s, *id_r, block, e_r);
		if (rc != HB_ENOTFOUND)	/* deleted since the batch was read */
			return rc;
	}
}
