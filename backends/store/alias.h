/*
 * Aliases (RFC 4512 2.6.2) and where a search looks: its base and, with
 * aliases dereferenced, what they lead to. Private to the store's search.c.
 */
#ifndef STORE_ALIAS_H
#define STORE_ALIAS_H

#include "backends/store/op.h"

struct root {
	entry_id id;
	struct dn dn;			/* of its entry, or in the arena */
	enum ldap_scope scope;
};

/*
 * The base object of a search, a reference; aliases on the way to it are
 * followed if the request says so. HB_ENOENT, HB_REFERRAL, HB_EALIAS,
 * HB_EALIASDEREF, HB_EDEFER.
 */
int alias_find_base(struct store *, struct op *, struct entry **e_r);
/*
 * What the aliases within ROOT lead to, and so on: *roots_r (in op's arena)
 * begins with ROOT. Aliases that lead nowhere are left out.
 */
int alias_expand(struct store *, struct op *, const struct root *root,
    struct root **roots_r, unsigned *n_r);
/* Does DN lie in one of the N places? */
bool root_has(const struct root *roots, unsigned n, const struct dn *dn);

#endif
