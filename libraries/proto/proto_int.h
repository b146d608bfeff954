/* What the decoders share. Not seen outside libraries/proto. */
#ifndef PROTO_INT_H
#define PROTO_INT_H

#include "proto.h"

/* One Filter from R (RFC 4511 4.5.1.7). As ldap_decode(). */
int filter_decode(struct arena *arena, struct ber_reader *r,
    struct ldap_filter **filter_r);

/*
 * Read R to its end, ignoring the components of a later protocol (RFC 4511 4).
 * What stands here must be unknown: neither universal nor one of the context
 * tags 0 to KNOWN (-1: the SEQUENCE has none), which then is out of place.
 */
void skip_unknown(struct ber_reader *r, int known);

#endif
