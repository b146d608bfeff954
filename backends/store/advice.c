/*
 * Advice on indexes: searches that had to look at many entries for want of an
 * index are counted by the template of their filter, and each template is told
 * of once, when it has cost enough to be worth a line in the log and an index.
 */
#include "backends/store/advice.h"
#include "backends/store/index_int.h"
#include "util/hash.h"
#include "util/log.h"
#include "util/mem.h"

#define TEMPLATES	256		/* told of, or on the way to it */
#define TEMPLATE_MAX	512		/* octets that are shown */
#define WORTH_LOOKING	1000		/* entries one search looked at in vain */
#define WORTH_TELLING	20000		/* entries all of them did */

struct row {
	uint64_t hash;			/* of the template; 0: free */
	uint64_t searches, entries;
	bool told;
};

struct advice {
	struct lk_mutex lock;		/* rank LEAF; guards the rest */
	struct row rows[TEMPLATES];
	unsigned n;
};

struct advice *
advice_new(void)
{
	struct advice *a = mem_zalloc(sizeof(*a));

	lk_init(&a->lock, LK_LEAF, "advice on indexes");
	return a;
}

void
advice_free(struct advice **a)
{
	if (*a == NULL)
		return;
	lk_fini(&(*a)->lock);
	free(*a);
	*a = NULL;
}

/* Locks: caller holds a->lock. NULL: there are too many. */
static struct row *
find_row(struct advice *a, uint64_t hash)
{
	for (unsigned i = 0; i < a->n; i++)
		if (a->rows[i].hash == hash)
			return &a->rows[i];
	if (a->n == TEMPLATES)
		return NULL;
	a->rows[a->n].hash = hash;
	return &a->rows[a->n++];
}

static void
tell(const struct store *st, const struct plan_gap *gap, struct slice text,
    const struct row *row)
{
	struct buf kinds;

	buf_init(&kinds);
	index_kinds_put(&kinds, gap->kind);
	log_printf(LOG_ANY, "database \"%.*s\": %llu searches like %.*s%s "
	    "looked at %llu entries; \"index %.*s %.*s\" would help",
	    SLICE_ARG(st->db->suffixes[0].text),
	    (unsigned long long)row->searches,
	    (int)(text.len < TEMPLATE_MAX ? text.len : TEMPLATE_MAX),
	    text.ptr, text.len > TEMPLATE_MAX ? "..." : "",
	    (unsigned long long)row->entries, SLICE_ARG(gap->desc->name),
	    SLICE_ARG(buf_slice(&kinds)));
	buf_fini(&kinds);
}

void
advice_note(struct store *st, const struct plan_gap *gap,
    const struct ldap_filter *source, uint64_t entries)
{
	struct advice *a = st->advice;
	struct row *row, copy = { .told = true };
	struct buf text;

	if (gap->desc == NULL || entries < WORTH_LOOKING || source == NULL)
		return;
	buf_init(&text);
	filter_print_template(source, &text);
	lk_lock(&a->lock);
	row = find_row(a, hash_slice(buf_slice(&text)));
	if (row != NULL && !row->told) {
		row->searches++;
		row->entries += entries;
		row->told = row->entries >= WORTH_TELLING;
		copy = *row;
		copy.told = !row->told;
	}
	lk_unlock(&a->lock);
	if (!copy.told)
		tell(st, gap, buf_slice(&text), &copy);
	buf_fini(&text);
}
