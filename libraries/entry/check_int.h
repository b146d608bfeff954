/*
 * The check of an entry while it goes on: shared by check.c and advice.c.
 */
#ifndef CHECK_INT_H
#define CHECK_INT_H

#include "attrs_int.h"

struct check {
	struct arena *arena;
	struct schema *schema;
	const struct schema_basics *basics;
	const struct dn *dn;
	struct attrs *attrs;
	unsigned flags;
	struct diag *diag;
	int rc;				/* of the first violation */
	bool name_classes;		/* a message needs to be told them */
	const struct object_class **listed;	/* as values of objectClass */
	unsigned nlisted;
	const struct object_class **all;	/* and all above them */
	unsigned nall, cap;
	const struct object_class *structural;	/* the most derived, or NULL */
	bool extensible;
};

static inline const char *
class_name(const struct object_class *oc)
{
	return oc->names[0] != NULL ? oc->names[0] : oc->oid;
}

/* The content rule that the entry is under, or NULL. */
const struct content_rule *check_content_rule_of(const struct check *c);

#define ADVICE_MAX	256
/* " (object class 'x' would allow it)", or "" if there is none. */
void advice_allowing(const struct check *c, const struct attr_type *at,
    char out[ADVICE_MAX]);
/* "'a', 'b'": the classes that the entry lists. */
void advice_classes(const struct check *c, char out[ADVICE_MAX]);

#endif
