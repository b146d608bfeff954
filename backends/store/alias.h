/*
 * Aliases (RFC 4512 2.6.2) and where a search looks: its base and, with
 * aliases dereferenced, what they lead to. Private to the store's search.c.
 *
 * Two ways to the same answer. Forwards: all that the aliases within the base
 * lead to, and so on, before the search (places_expand()); for searches that
 * look at much. Backwards: for one candidate, whether an alias of it or of
 * something above it lies where the search looks; no matter how many aliases
 * there are.
 */
#ifndef STORE_ALIAS_H
#define STORE_ALIAS_H

#include "backends/store/op.h"

struct strmap;

struct root {
	entry_id id;
	struct dn dn;			/* of its entry, or in the arena */
	enum ldap_scope scope;
};

struct places {
	struct store *st;
	struct op *op;
	struct root base;		/* v[0] at first */
	struct root *v;
	unsigned n, cap;
	struct strmap *index;		/* by name, when there are many */
	bool follows;			/* backwards, beyond V */
};

/*
 * The base object of a search, a reference; aliases on the way to it are
 * followed if the request says so. HB_ENOENT, HB_REFERRAL, HB_EALIAS,
 * HB_EALIASDEREF, HB_EDEFER.
 */
int alias_find_base(struct store *, struct op *, struct entry **e_r);

/* The base alone. */
void places_init(struct places *, struct store *, struct op *,
    const struct entry *base, enum ldap_scope);
void places_fini(struct places *);
/*
 * And what its aliases lead to, and theirs. Aliases that lead nowhere are left
 * out. In op's arena: HB_ELIMIT.
 */
int places_expand(struct places *);
/* From now on places_has() looks for aliases of what it is asked for. */
void places_follow(struct places *);
/* Does E lie there? HB_OK with *has_r. */
int places_has(struct places *, const struct dn *, bool *has_r);

#endif
