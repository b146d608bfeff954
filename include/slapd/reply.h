/*
 * Answers of a running operation. The final result is not sent by backends:
 * they return HB_* and fill op->diag, op->matched and op->referrals.
 * Called by the thread that runs OP. A slow reader makes these wait if
 * op->may_wait, and nothing else.
 */
#ifndef SLAPD_REPLY_H
#define SLAPD_REPLY_H

#include "slapd/op.h"

HB_API_BEGIN

/*
 * Send E if the requester may read it, with the attributes asked for.
 * An entry that is hidden by access control counts as sent but is not.
 * HB_OK; HB_ESIZELIMIT: E was one too many, end the search with it;
 * HB_EABANDONED, HB_EDISCONNECT: end at once.
 */
int reply_entry(struct op *op, struct entry *e);

/* Continuation reference for the referral object E found in a search (RFC 4511 4.5.3, 3296 5.3): same codes. */
int reply_reference(struct op *op, const struct entry *e);

/*
 * The target (TARGET) is, or lies below, the referral object E: put the
 * rewritten URLs into op->referrals and E's DN into op->matched. Returns HB_REFERRAL.
 */
int reply_referral(struct op *op, const struct entry *e,
    const struct dn *target);

HB_API_END

#endif
