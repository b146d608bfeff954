/*
 * The transaction of a write operation, while overlays look at it: the
 * operation's own changes are made, nothing is committed, and nobody else sees
 * any of it. What is written through these calls is committed or undone
 * together with the operation.
 *
 * Made by the backend, used by the thread that runs the operation, from
 * in_txn() only (overlay.h). No call asks for access rights. Other overlays are
 * not told of what one of them writes here.
 */
#ifndef SLAPD_TXN_H
#define SLAPD_TXN_H

#include "slapd/op.h"

struct be_txn {
	struct be_db *db;
	struct op *op;			/* whose transaction it is */
	/*
	 * The operation's target as it was and as it will be; borrowed. before
	 * is NULL for an add, after for a delete; a rename of a subtree gives
	 * its top. Both are NULL where the backend keeps no entries.
	 */
	struct entry *before, *after;
	void *priv;			/* the backend's */
};

enum txn_flags {
	TXN_STAMP = 1,			/* entryCSN, modifiersName, ... by op->who, if lastmod is on */
	TXN_RELAX = 2			/* schema rules that Relax lifts do not hold */
};

/* Called with each entry found. Anything but HB_OK ends the search and is what it returns. */
typedef int (*txn_entry_cb)(struct entry *e, void *arg);

/*
 * What a backend with overlays supplies: slapd_backend.txn. The contracts are
 * those of the functions below, which call these.
 */
struct slapd_txn_ops {
	int (*entry_get)(struct be_txn *, const struct dn *,
	    struct entry **e_r);
	int (*search)(struct be_txn *, const struct dn *base, enum ldap_scope,
	    const struct filter *, txn_entry_cb, void *arg);
	int (*add)(struct be_txn *, const struct dn *, const struct attrs *);
	int (*modify)(struct be_txn *, const struct dn *, const struct mod *,
	    unsigned n, unsigned flags);
	int (*delete)(struct be_txn *, const struct dn *);
};

HB_API_BEGIN

/*
 * For backends: run in_txn() of all overlays of TXN's database, after the
 * operation's own changes and before the commit. HB_OK: commit, or abort if
 * the operation is OP_NOOP; anything else: abort, and return it.
 */
int overlays_in_txn(struct be_txn *txn);

/*
 * All of the following return HB_EDEADLOCK when the transaction was chosen as
 * the victim of one, and HB_EIO, HB_ECORRUPT, HB_ENOSPACE, HB_ELIMIT when it
 * cannot go on: in_txn() then returns the same. The transaction is aborted in
 * any case; a call after that returns the same code again. Other errors are
 * the overlay's to judge: nothing was changed by the call, and what is said in
 * op->diag is to be cleared if the operation goes on.
 */

/* The entry named DN, a reference. HB_ENOENT. */
int txn_entry_get(struct be_txn *, const struct dn *dn, struct entry **e_r);
/*
 * Entries in SCOPE of BASE (empty: of the whole database) for which FILTER is
 * true, found by indexes. hasSubordinates matches nothing; aliases and
 * referral objects are entries like others. What matches is decided entry by
 * entry, so CB may change entries; those that come to match only then may be
 * missed. HB_ENOENT: no base.
 */
int txn_search(struct be_txn *, const struct dn *base, enum ldap_scope scope,
    const struct filter *filter, txn_entry_cb cb, void *arg);
/*
 * Add an entry below one that is there. ATTRS get missing naming values and
 * are checked against the schema. HB_EEXISTS, HB_ENOENT (no parent),
 * HB_EOBJECTCLASS, ... (entry_check).
 */
int txn_add(struct be_txn *, const struct dn *dn, struct attrs *attrs,
    unsigned flags);
/*
 * Change an entry, op's target too. The result is checked against the schema;
 * attributes that users may not modify may be, which mods[].internal need not
 * say. HB_ENOENT and what attrs_modify() and entry_check() return.
 */
int txn_modify(struct be_txn *, const struct dn *dn, const struct mod *mods,
    unsigned n, unsigned flags);
/* Remove a leaf. HB_ENOENT, HB_ENOTLEAF. */
int txn_delete(struct be_txn *, const struct dn *dn);

HB_API_END

#endif
