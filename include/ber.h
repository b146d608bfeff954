/*
 * BER as LDAP uses it (RFC 4511 5.1: definite lengths, primitive strings).
 * Reader and writer keep the first error, so codecs are straight lines that
 * look once at the end. Knows octets, not messages. No allocation; not
 * thread-safe.
 *
 * Refused: indefinite lengths, tags above 30, lengths of more than 4 octets
 * (leading zero octets are accepted up to 8, as RFC 4511 permits), integers
 * wider than their target, booleans that are not one octet.
 */
#ifndef BER_H
#define BER_H

#include <stdbool.h>
#include <stdint.h>

#include "util/buf.h"
#include "util/err.h"
#include "util/slice.h"

enum {
	BER_BOOLEAN = 0x01,
	BER_INTEGER = 0x02,
	BER_OCTETS = 0x04,
	BER_NULL = 0x05,
	BER_ENUMERATED = 0x0a,
	BER_SEQUENCE = 0x30,
	BER_SET = 0x31,
	BER_CONTEXT = 0x80,		/* | number; | BER_CONSTRUCTED */
	BER_APPLICATION = 0x40,
	BER_CONSTRUCTED = 0x20
};

struct ber_reader {
	const uint8_t *pos, *end;
	int error;			/* first HB_E*, or HB_OK */
};

void ber_reader_init(struct ber_reader *r, struct slice body);
static inline int
ber_reader_error(const struct ber_reader *r)
{
	return r->error;
}
/* Remember ERR unless an error is kept already. */
void ber_reader_fail(struct ber_reader *r, int err);
/* True when all was read or an error is kept. */
static inline bool
ber_is_end(const struct ber_reader *r)
{
	return r->error != HB_OK || r->pos == r->end;
}
/* Tag of the next element; -1 at the end or after an error. */
static inline int
ber_peek(const struct ber_reader *r)
{
	return r->error == HB_OK && r->pos < r->end ? *r->pos : -1;
}

/* True if the next element is sound, with a length of one octet. */
static inline bool
ber_is_short(const struct ber_reader *r)
{
	return r->error == HB_OK && r->end - r->pos >= 2 &&
	    r->pos[1] < 0x80 && r->pos[1] <= r->end - r->pos - 2;
}

/* What the two below do with long lengths and errors. */
struct slice ber_get_octets_slow(struct ber_reader *r, int tag);
struct slice ber_get_any_slow(struct ber_reader *r, int *tag_r);

/* Contents of the next element, which must have TAG; SLICE_NONE on error. */
static inline struct slice
ber_get_octets(struct ber_reader *r, int tag)
{
	const uint8_t *p = r->pos;

	if (!ber_is_short(r) || p[0] != tag)
		return ber_get_octets_slow(r, tag);
	r->pos = p + 2 + p[1];
	return slice(p + 2, p[1]);
}

/* Any element: its contents and tag (-1 on error). */
static inline struct slice
ber_get_any(struct ber_reader *r, int *tag_r)
{
	const uint8_t *p = r->pos;

	if (!ber_is_short(r) || (p[0] & 0x1f) == 0x1f)
		return ber_get_any_slow(r, tag_r);
	*tag_r = p[0];
	r->pos = p + 2 + p[1];
	return slice(p + 2, p[1]);
}
/* The next element whole, tag and length included. */
struct slice ber_get_element(struct ber_reader *r);
int64_t ber_get_int(struct ber_reader *r, int tag);	/* two's complement */
/* The integer that CONTENTS are, as an implicitly tagged one comes. HB_EENCODING. */
int ber_decode_int(struct slice contents, int64_t *v_r);
/* An integer that must lie in MIN..MAX; HB_EENCODING outside. */
int64_t ber_get_int_range(struct ber_reader *r, int tag, int64_t min,
    int64_t max);
bool ber_get_bool(struct ber_reader *r, int tag);
void ber_get_null(struct ber_reader *r, int tag);
/* Reader over the contents of a constructed element; INNER keeps its own error, which the caller hands up with ber_leave(). */
struct ber_reader ber_enter(struct ber_reader *r, int tag);
/* INNER must be read to its end; its error becomes R's. */
void ber_leave(struct ber_reader *r, struct ber_reader *inner);
/* HB_EENCODING is kept if anything is left. */
void ber_expect_end(struct ber_reader *r);

/*
 * Look at the start of a PDU in DATA. HB_OK: *total_r octets make one element;
 * HB_ETRUNCATED: more octets are needed to know; HB_EENCODING: it never will
 * be one, or its tag is not TAG.
 */
int ber_frame(struct slice data, int tag, size_t *total_r);

/*
 * Writer: appends to a buf. All lengths have their shortest form. Contents are
 * below 4 GiB.
 */
struct ber_writer {
	struct buf *out;
};

static inline void
ber_writer_init(struct ber_writer *w, struct buf *out)
{
	w->out = out;
}
void ber_put_octets(struct ber_writer *w, int tag, struct slice s);
void ber_put_int(struct ber_writer *w, int tag, int64_t v);
void ber_put_bool(struct ber_writer *w, int tag, bool v);
void ber_put_null(struct ber_writer *w, int tag);
void ber_put_raw(struct ber_writer *w, struct slice element);
/* Tag and length only, for contents of LEN octets that follow. */
void ber_put_header(struct ber_writer *w, int tag, size_t len);
/* Open a constructed element; returns the mark for ber_end(). */
size_t ber_begin(struct ber_writer *w, int tag);
/* Close it: the length gets its shortest form. */
void ber_end(struct ber_writer *w, size_t mark);

/* Octets that tag and length take for contents of LEN. */
size_t ber_header_size(size_t len);

#endif
