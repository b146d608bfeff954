/* Shared by the files of this folder. */
#ifndef FILTER_INT_H
#define FILTER_INT_H

#include "filter.h"

/*
 * "ab*c*d" with escapes \2A \5C into INITIAL, ANY, FINAL of PARTS_R (which is
 * SUBSTRINGS). HB_OK; HB_ESYNTAX: no '*', an empty piece, a bad escape;
 * HB_ELIMIT.
 */
int filter_split_assertion(struct arena *, struct slice text,
    struct ldap_filter *parts_r);

/*
 * Undo \XX (and \( \) \* \\ of LDAPv2). HB_OK, HB_ESYNTAX (*bad_r: offset of
 * the escape), HB_ELIMIT. Without escapes TEXT itself is the result.
 */
int filter_unescape(struct arena *, struct slice text, struct slice *value_r,
    size_t *bad_r);

#endif
