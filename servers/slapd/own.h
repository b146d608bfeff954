/*
 * Entries that the server makes itself (root DSE, cn=Subschema). Built at
 * start by one thread; what the schema refuses is left out with a log line.
 */
#ifndef SLAPD_OWN_H
#define SLAPD_OWN_H

#include "entry.h"

struct fop;
struct server;

struct own_entry {
	struct server *server;
	struct arena arena;
	struct attrs attrs;
	/* values of the attribute that is being added to */
	const char *name;
	struct slice *values;
	size_t cap;
	unsigned n;
};

void own_begin(struct own_entry *, struct server *);
/* Values of one attribute must follow one another. VALUE is copied. */
void own_add(struct own_entry *, const char *name, struct slice value);
void own_add_attr(struct own_entry *, const struct attr *);
/* The entry; the builder's memory is freed. */
struct entry *own_end(struct own_entry *, const struct dn *dn);

/* The own entry that op.dn names, borrowed; NULL: it names none. */
struct entry *own_find(struct fop *);

#endif
