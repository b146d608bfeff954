/*
 * Where a name is found. Flat: one key a name, a subtree move rewrites every
 * descendant's two records. Tree: key (parent, RDN), a move rewrites two.
 * Both keep the text to show by ID. All in dn2id.bdb, drawn in README.md.
 *
 * TXN NULL: a read without transaction (a page lock for the length of one get);
 * DB_LOCK_DEADLOCK is retried inside.
 */
#ifndef STORE_DNIDX_H
#define STORE_DNIDX_H

#include "backends/store/idset.h"
#include "dn.h"
#include "proto.h"

struct store;
struct store_txn;

enum dnidx_caps { DNIDX_CAP_MOVE_SUBTREE = 1 /* move() costs O(1) */ };

/* What a record of a name says. */
struct dnidx_name {
	entry_id parent;		/* NONE: the layout does not say, or top */
	struct dn dn;			/* of the layout: whole, or the RDN */
};

struct dnidx_ops {
	const char *name;
	unsigned caps;
	/* HB_OK, HB_ENOTFOUND, HB_EIO. */
	int (*find)(struct store *, struct store_txn *, const struct dn *,
	    entry_id *id_r);
	/* Deepest existing ancestor of DN (DN itself not asked): its ID and depth; HB_ENOTFOUND: none. */
	int (*find_above)(struct store *, struct store_txn *,
	    const struct dn *, entry_id *id_r, unsigned *depth_r);
	/* PARENT is ENTRY_ID_NONE for the suffix. HB_EEXISTS. */
	int (*insert)(struct store *, struct store_txn *, entry_id parent,
	    const struct dn *, entry_id id);
	int (*remove)(struct store *, struct store_txn *, const struct dn *,
	    entry_id id);
	/* Name FROM of ID, with all below, becomes TO. */
	int (*move)(struct store *, struct store_txn *, entry_id id,
	    const struct dn *from, entry_id new_parent, const struct dn *to);
	/* IDs in SCOPE of BASE (base itself in BASE and SUB only). */
	int (*scope)(struct store *, struct store_txn *, entry_id base,
	    const struct dn *base_dn, enum ldap_scope, struct idset *ids_r);
	int (*has_children)(struct store *, struct store_txn *, entry_id,
	    const struct dn *, bool *has_r);
	/* Full name of ID, in ARENA. HB_ENOTFOUND. */
	int (*name_of)(struct store *, struct store_txn *, entry_id,
	    struct arena *, struct dn *dn_r);
	/*
	 * Bulk load: emit the records of one name, to be sorted and filled in key
	 * order by the loader. PARENT's ID is known (the loader resolves it).
	 */
	void (*emit)(entry_id parent, const struct dn *, entry_id id,
	    void (*cb)(struct slice key, struct slice data, void *arg),
	    void *arg);

	/* ---- for who checks the records ---- */

	char forward;			/* keys that lead to an ID begin with it */
	/* Data of a record 'N' | ID; NAME_r points into it. HB_ECORRUPT. */
	int (*decode)(struct slice data, struct dnidx_name *name_r);
	/* The key that leads to NAME's ID. */
	void (*forward_key)(const struct dnidx_name *, struct buf *key_r);
	/* NULL: parents are known by ID. Length of the part of KEY that is its parent's key; 0: none. */
	size_t (*parent_len)(struct slice key);
};

#endif
