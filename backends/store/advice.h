/*
 * Advice on indexes that searches lack, given once for each template of a
 * filter. Thread-safe.
 */
#ifndef STORE_ADVICE_H
#define STORE_ADVICE_H

#include "backends/store/index.h"
#include "filter.h"

struct advice *advice_new(void);
void advice_free(struct advice **);
/*
 * A search with filter SOURCE looked at ENTRIES; GAP: what it had no index for
 * (desc NULL: nothing). SOURCE may be NULL.
 */
void advice_note(struct store *, const struct plan_gap *gap,
    const struct ldap_filter *source, uint64_t entries);

#endif
