/*
 * Requests for the tests, written with the BER writer: begin, contents, end.
 */
#ifndef TEST_MESSAGE_H
#define TEST_MESSAGE_H

#include "proto.h"

struct message {
	struct buf out;
	struct ber_writer w;
	size_t marks[8];
	unsigned depth;
};

static inline void
msg_begin(struct message *m, int64_t id)
{
	buf_init(&m->out);
	ber_writer_init(&m->w, &m->out);
	m->marks[0] = ber_begin(&m->w, BER_SEQUENCE);
	m->depth = 1;
	ber_put_int(&m->w, BER_INTEGER, id);
}

static inline void
msg_open(struct message *m, int tag)
{
	m->marks[m->depth++] = ber_begin(&m->w, tag);
}

static inline void
msg_close(struct message *m)
{
	ber_end(&m->w, m->marks[--m->depth]);
}

/* An OCTET STRING of a literal. */
static inline void
msg_text(struct message *m, const char *cstr)
{
	ber_put_octets(&m->w, BER_OCTETS, slice_of(cstr));
}

/* Close all that is open and decode; the message stays until msg_end(). */
static inline int
msg_decode(struct message *m, struct arena *arena, struct ldap_msg *msg)
{
	while (m->depth > 0)
		msg_close(m);
	return ldap_decode(arena, buf_slice(&m->out), msg);
}

static inline void
msg_end(struct message *m)
{
	buf_fini(&m->out);
}

#endif
