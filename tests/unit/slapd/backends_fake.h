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

/* What slapadd has put, and whether it was closed as good. */
extern unsigned fake_nloaded;
extern bool fake_closed_ok;
void fake_forget(void);

/* An entry of N names and values in turn; NULL: something is wrong with it. */
struct entry *fake_entry(struct schema *schema, struct attr_dict *dict,
    const char *dn, const char *const *pairs, unsigned n, entry_id id);

#endif
