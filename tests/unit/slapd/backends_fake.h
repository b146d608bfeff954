/*
 * Backends that take the directives of bdb and hdb and hold entries in
 * memory: what tests of configuration and access control need.
 */
#ifndef BACKENDS_FAKE_H
#define BACKENDS_FAKE_H

#include "slapd/backend.h"

/* Entries that entry_get finds in every database; ends with NULL. */
extern struct entry *fake_entries[16];
extern unsigned fake_lookups;

#endif
