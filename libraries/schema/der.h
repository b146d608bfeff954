/*
 * Reading DER (X.690): elements one by one, with one error for all of them.
 * Knows nothing of certificates. Every slice points into what is read.
 */
#ifndef SCHEMA_DER_H
#define SCHEMA_DER_H

#include <stdbool.h>
#include <stdint.h>

#include "util/buf.h"
#include "util/slice.h"

enum der_tag {
	DER_ANY = 0,			/* any tag will do */
	DER_BOOLEAN = 0x01, DER_INTEGER = 0x02, DER_BITS = 0x03,
	DER_OCTETS = 0x04, DER_NULL = 0x05, DER_OID = 0x06,
	DER_ENUMERATED = 0x0a,
	DER_UTF8 = 0x0c, DER_NUMERIC = 0x12, DER_PRINTABLE = 0x13,
	DER_TELETEX = 0x14, DER_IA5 = 0x16, DER_UTCTIME = 0x17,
	DER_GENTIME = 0x18, DER_VISIBLE = 0x1a, DER_UNIVERSAL = 0x1c,
	DER_BMP = 0x1e,
	DER_SEQUENCE = 0x30, DER_SET = 0x31
};
#define DER_CONTEXT(n)		(0x80 | (n))	/* [n], primitive */
#define DER_CONTEXT_OF(n)	(0xa0 | (n))	/* [n], constructed */

/*
 * After the first error *rc is HB_ESYNTAX, nothing is left and every call
 * yields "".
 */
struct der {
	struct slice rest;
	int *rc;		/* shared by all readers of one value */
};

static inline struct der
der_reader(struct slice text, int *rc)
{
	return (struct der){ text, rc };
}

/* The next element is there and, unless DER_ANY, has this tag. */
bool der_is_next(const struct der *d, uint8_t tag);
/* The contents of the next element, or all of it with tag and length. */
struct slice der_take(struct der *d, uint8_t tag);
struct slice der_element(struct der *d, uint8_t tag);
/* A reader of the contents. */
struct der der_enter(struct der *d, uint8_t tag);
/* Nothing may be left. */
void der_end(struct der *d);
/* The next element may be missing: skips it if it is there. */
void der_skip_if(struct der *d, uint8_t tag);

/* One element, all lengths definite and as short as can be, no rest. */
bool der_is_strict(struct slice whole);

/*
 * Contents as text, appended to OUT. HB_ESYNTAX for contents that are none, or
 * an integer of more than 128 octets, or an arc of more than 128 bits.
 */
int der_put_integer(struct buf *out, struct slice body);
int der_put_oid(struct buf *out, struct slice body);
/* Contents of the string type TAG as UTF-8; HB_ESYNTAX if it is none. */
int der_put_string(struct buf *out, uint8_t tag, struct slice body);

#endif
