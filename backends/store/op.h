/*
 * What the operations share. Private to the store's op_*.c and search.c.
 */
#ifndef STORE_OP_H
#define STORE_OP_H

#include "backends/store/index.h"
#include "backends/store/store_int.h"
#include "slapd/access.h"
#include "slapd/op.h"
#include "slapd/reply.h"

/*
 * The entry op->dn is about, a reference. HB_ENOENT (op->matched set where the
 * requester may know), HB_REFERRAL (it is, or lies below, a referral object,
 * without ManageDsaIT), HB_EDEFER.
 */
int store_target(struct store *, struct store_txn *, struct op *,
    struct entry **e_r);
/* DN is not there: HB_ENOENT or HB_REFERRAL as above. */
int store_missing(struct store *, struct store_txn *, struct op *,
    const struct dn *dn);
/* The new or old superior of an entry: it may have children (RFC 4512 2.6, RFC 3296 5.2). */
int store_check_parent(struct store *, struct op *, const struct entry *parent,
    const struct dn *child);
/* RIGHT on pseudo attribute DESC of E; HB_OK or what access_refuse() says. */
int store_allow(struct op *, const struct entry *e, const struct attr_desc *desc,
    unsigned right);
/*
 * What a write changes, in TXN and without overlays: BEFORE and AFTER are its
 * target (references; NULL: there is none), also where it returns an error.
 */
typedef int (*store_change_cb)(struct store_txn *, struct op *,
    struct entry **before_r, struct entry **after_r);
int store_add_in(struct store_txn *, struct op *, struct entry **before_r,
    struct entry **after_r);
int store_delete_in(struct store_txn *, struct op *, struct entry **before_r,
    struct entry **after_r);
int store_modify_in(struct store_txn *, struct op *, struct entry **before_r,
    struct entry **after_r);
/*
 * A whole write: CHANGE, overlays in its transaction, commit; again after a
 * deadlock. HB_NOOPERATION.
 */
int store_write(struct store *, struct op *, store_change_cb change);
/* overlay.c: overlays look at the transaction, and may go on with it. */
int store_overlays(struct store_txn *, struct op *, struct entry *before,
    struct entry *after);
/* Is DN the suffix of the database? */
bool store_is_suffix(const struct store *, const struct dn *dn);

#endif
