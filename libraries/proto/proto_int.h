/* What the decoders share. Not seen outside libraries/proto. */
#ifndef PROTO_INT_H
#define PROTO_INT_H

#include "proto.h"

/* One Filter from R (RFC 4511 4.5.1.7). HB_OK, HB_EPROTO, HB_ELIMIT. */
int filter_decode(struct arena *arena, struct ber_reader *r,
    struct ldap_filter **filter_r);

/*
 * The octet strings of a SEQUENCE OF or SET OF with TAG, as an array in ARENA.
 * Errors are kept in R (HB_ELIMIT when the arena is full).
 */
struct slice *get_strings(struct arena *arena, struct ber_reader *r, int tag,
    unsigned *n_r);

#endif
