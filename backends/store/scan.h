/*
 * All entries in ID order, read in batches past the cache.
 */
#ifndef STORE_SCAN_H
#define STORE_SCAN_H

#include "backends/store/range.h"

struct scan {
	struct store *st;
	struct range range;		/* of id2entry */
	struct arena arena;		/* of one name */
};

/* From ID on. */
void scan_init(struct scan *, struct store *, entry_id from);
void scan_fini(struct scan *);
/*
 * The next entry, a reference. HB_EEND; HB_ECORRUPT (logged; *id_r says which,
 * the scan can go on).
 */
int scan_next(struct scan *, entry_id *id_r, struct entry **e_r);

#endif
