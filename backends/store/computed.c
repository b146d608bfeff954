/* Computed filter items: see computed.h. */
#include "backends/store/computed.h"

struct computed_item {
	struct computed_item *next;
	struct filter *f;
	const struct attr_desc *desc;
	bool is_present;		/* any value will do */
	bool wanted;
};

static bool
has_item(const struct filter *f, const struct attr_desc *desc)
{
	const struct filter *c;

	for (c = f->first; c != NULL; c = c->next) {
		if (has_item(c, desc))
			return true;
	}
	return f->desc == desc && (f->type == FILTER_EQUALITY ||
	    f->type == FILTER_PRESENT);
}

static int
replace(struct computed *c, struct arena *arena, struct filter *f)
{
	struct computed_item *i = arena_zalloc(arena, sizeof(*i));

	if (i == NULL)
		return HB_ELIMIT;
	i->f = f;
	i->desc = f->desc;
	i->is_present = f->type == FILTER_PRESENT;
	i->wanted = slice_is_eq_nocase(f->value, SLICE("TRUE"));
	i->next = c->items;
	c->items = i;
	f->type = FILTER_CONSTANT;
	return HB_OK;
}

/* A copy of F with its items on DESC replaced. */
static int
copy(struct computed *c, struct arena *arena, const struct filter *f,
    const struct attr_desc *desc, struct filter **f_r)
{
	struct filter *to = arena_alloc(arena, sizeof(*to)), **end;
	const struct filter *child;
	int rc;

	if (to == NULL)
		return HB_ELIMIT;
	*to = *f;
	*f_r = to;
	if (f->first == NULL)
		return has_item(f, desc) ? replace(c, arena, to) : HB_OK;
	end = &to->first;
	for (child = f->first; child != NULL; child = child->next) {
		if ((rc = copy(c, arena, child, desc, end)) != HB_OK)
			return rc;
		end = &(*end)->next;
	}
	*end = NULL;
	return HB_OK;
}

int
computed_init(struct computed *c, struct store *st, struct op *op,
    const struct filter *f)
{
	*c = (struct computed){ 0 };
	if (!has_item(f, st->has_subordinates))
		return HB_OK;
	if (!op->may_wait)
		return HB_EDEFER;
	return copy(c, op->arena, f, st->has_subordinates, &c->filter);
}

int
computed_set(struct computed *c, struct store *st, struct op *op,
    const struct entry *e)
{
	struct computed_item *i;
	bool has, is_seen;
	int rc;

	if (c->items == NULL)
		return HB_OK;
	rc = st->names->has_children(st, NULL, e->id, &e->dn, &has);
	if (rc != HB_OK)
		return rc;
	for (i = c->items; i != NULL; i = i->next) {
		is_seen = op->is_root || access_filter(op, e, i->desc);
		i->f->truth = !is_seen ? FILTER_UNDEFINED :
		    i->is_present || i->wanted == has ? FILTER_TRUE :
		    FILTER_FALSE;
	}
	return HB_OK;
}
