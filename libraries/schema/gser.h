/*
 * Reading GSER (RFC 3641), the string form of ASN.1 values: braces, named
 * components, choices, quoted strings. One error for all of a text.
 */
#ifndef SCHEMA_GSER_H
#define SCHEMA_GSER_H

#include <stdbool.h>

#include "util/arena.h"
#include "util/buf.h"
#include "util/slice.h"

/*
 * After the first error rc is set, nothing is left and every call yields "".
 * Slices handed out point into the text or into ARENA.
 */
struct gser {
	const char *pos, *end;
	struct arena *arena;
	int rc;			/* HB_OK, HB_ESYNTAX, HB_ELIMIT */
};

void gser_init(struct gser *g, struct arena *arena, struct slice text);
void gser_fail(struct gser *g, int rc);
/* Nothing may be left. */
void gser_end(struct gser *g);

/* '{', then as long as gser_has_item() a component; N counts them from 0. */
void gser_open(struct gser *g);
bool gser_has_item(struct gser *g, unsigned n);
/* A component's name and the blanks behind it. */
struct slice gser_name(struct gser *g);
/* "name:" of a choice comes next (case ignored); it is passed. */
bool gser_has_choice(struct gser *g, const char *name);
/* CHAR comes next. */
bool gser_is_next(const struct gser *g, char c);

/* "text", its doubled quotes undone. NUL is refused. */
struct slice gser_string(struct gser *g);
/* 'ABCD'H as octets. */
struct slice gser_octets(struct gser *g);
/* '0101'B as it stands, without quotes. */
struct slice gser_bits(struct gser *g);
/* Decimal, leading zeros dropped. */
struct slice gser_integer(struct gser *g);
struct slice gser_oid(struct gser *g);
/* Any value, as it stands. */
struct slice gser_value(struct gser *g);

void gser_put_string(struct buf *out, struct slice text);
void gser_put_octets(struct buf *out, struct slice octets);

#endif
