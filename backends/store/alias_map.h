/*
 * Aliases by what they name, in memory: so that a search asks whether an
 * alias leads to a candidate, instead of following all aliases there are.
 * Filled when the database is opened, kept up to date by commits.
 */
#ifndef STORE_ALIAS_MAP_H
#define STORE_ALIAS_MAP_H

#include "backends/store/store_int.h"

/* Reads every alias that special.bdb lists. */
int alias_map_open(struct store *);
void alias_map_close(struct store *);
/* ID is an alias of the entry NORM; NONE: it is no alias. Thread-safe. */
void alias_map_set(struct store *, entry_id id, struct slice norm);
/* Adds the aliases of NORM to IDS. Thread-safe. */
void alias_map_get(const struct store *, struct slice norm,
    struct idset *ids);

#endif
