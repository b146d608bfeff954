/*
 * Which attributes of an entry a search returns. Immutable after
 * select_make(); memory in the operation's arena.
 */
#ifndef SLAPD_SELECT_H
#define SLAPD_SELECT_H

#include "fop.h"

/* Attributes that no entry stores; bit I stands for server->computed[I]. */
enum select_computed {
	SELECT_ENTRY_DN = 1, SELECT_SUBSCHEMA = 2, SELECT_HAS_SUBORDINATES = 4
};

struct attr_select {
	bool user_all, operational_all;
	bool is_plain;			/* all user attributes, nothing else */
	unsigned computed;		/* enum select_computed */
	const struct attr_desc **descs;
	unsigned ndescs;
	const struct object_class **classes, **excluded;
	unsigned nclasses, nexcluded;
};

/* Resolve N NAMES. HB_OK; HB_ELIMIT. */
int select_make(struct fop *, const struct slice *names, unsigned n,
    const struct attr_select **select_r);
/* Is the stored description DESC wanted? */
bool select_has(const struct attr_select *, const struct attr_desc *desc);

#endif
