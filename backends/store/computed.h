/*
 * Filter items on hasSubordinates, which no entry stores: they are replaced by
 * constants that are set anew for each entry. Private to the store's search.c.
 */
#ifndef STORE_COMPUTED_H
#define STORE_COMPUTED_H

#include "backends/store/op.h"

struct computed {
	struct filter *filter;		/* to be evaluated; NULL: as it was sent */
	struct computed_item *items;
};

/* HB_OK, HB_ELIMIT, HB_EDEFER (there are such items, and OP may not wait). */
int computed_init(struct computed *, struct store *, struct op *,
    const struct filter *);
/* Before the filter is evaluated on E. */
int computed_set(struct computed *, struct store *, struct op *,
    const struct entry *e);

#endif
