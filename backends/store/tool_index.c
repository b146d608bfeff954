/*
 * Rebuilding indexes: one pass over all entries feeds the bulk loader's
 * sorters, which fill the emptied files. An index is noted as complete only
 * when all of it is there, so that a rebuild that was cut off is never used.
 */
#include "backends/store/tool_int.h"
#include "util/mem.h"

int
tool_feed(struct bulk *b, entry_id id, struct slice block, struct diag *diag)
{
	struct batch *batch = bulk_batch(b);
	struct bulk_entry *be = &batch->v[batch->n];

	*be = (struct bulk_entry){ .id = id };
	while (batch->mem.len % 8 != 0)
		buf_put_char(&batch->mem, 0);
	be->block = batch->mem.len;
	be->block_len = block.len;
	buf_put_slice(&batch->mem, block);
	batch->n++;
	return bulk_feed(b, diag);
}

static int
feed_all(struct store_tool *t, struct bulk *b, struct diag *diag)
{
	uint64_t last = atomic_load(&t->st->next_id);
	struct entry *e = NULL;
	entry_id id;
	int rc;

	for (id = 1;; id++) {
		if ((rc = store_entry_scan(t->st, &id, &e)) != HB_OK)
			break;
		rc = tool_feed(b, e->id, e->block, diag);
		entry_unref(&e);
		if (rc != HB_OK)
			break;
		if (t->opts.progress != NULL && id % 4096 == 0)
			t->opts.progress("reading entries",
			    (double)id / (double)last, t->opts.progress_arg);
	}
	if (rc != HB_EEND)
		return diag_err(diag, rc, "entry %llu cannot be read: %s",
		    (unsigned long long)id, hb_strerror(rc));
	return HB_OK;
}

int
tool_rebuild(struct store_tool *t, const bool *which, struct diag *diag)
{
	struct index_set *set = t->st->indexes;
	unsigned *kinds;
	struct bulk b;
	int rc = HB_OK;

	for (unsigned i = 0; i < set->n && rc == HB_OK; i++)
		if (which[i])
			rc = index_truncate(t->st, &set->v[i], diag);
	if (rc != HB_OK)
		return rc;
	kinds = mem_calloc(set->n + 1, sizeof(*kinds));
	for (unsigned i = 0; i < set->n; i++)
		kinds[i] = which[i] ? set->v[i].kinds : 0;
	bulk_init(&b, t->st, &t->opts, kinds, false,
	    tool_memory(&t->opts) / 2);
	free(kinds);
	rc = feed_all(t, &b, diag);
	if (rc == HB_OK && (rc = bulk_drain(&b, diag)) == HB_OK)
		rc = bulk_fill(&b, diag);
	bulk_fini(&b);
	for (unsigned i = 0; i < set->n && rc == HB_OK; i++)
		if (which[i])
			rc = index_set_ready(t->st, &set->v[i], diag);
	return rc;
}
