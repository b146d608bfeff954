/*
 * Texts with numbers in them, "uid=user.{n},ou=People", and what is encoded
 * from such texts once so that each use only copies it and writes digits.
 *
 *	{n}	the number of the person or entry
 *	{n/1000}	it divided by a power of ten, rounded down
 *	{n:6} {n/10:6}	the same with leading zeros, six digits at least
 *	{x}	eight random digits, other ones each time
 */
#ifndef BENCH_TMPL_H
#define BENCH_TMPL_H

#include <stdbool.h>
#include <stdint.h>

#include "util/buf.h"
#include "util/diag.h"

#define TMPL_DIGITS_MAX	10		/* of {n} */
#define TMPL_X_DIGITS	8
#define TMPL_X_MAX	100000000u
#define TMPL_PLACES_MAX	256		/* changing digits in one text or message */

struct tmpl_vars {
	const char *n, *x;		/* the numbers as texts */
};

/* HB_OK; HB_EINVAL with a text for an unknown placeholder. */
int tmpl_check(const char *text, struct diag *);
/* Append TEXT with the numbers put in. */
void tmpl_put(struct buf *out, const char *text, const struct tmpl_vars *);

/* A digit that changes: which one, of n from the left and then of x. */
struct stamp_place {
	uint32_t at, digit;
};

/*
 * One encoding for numbers of a certain length, and where what changes stands.
 */
struct stamp_form {
	char *data;
	uint32_t len, id_at;		/* id_at 0: no message ID in it */
	uint32_t nplaces;
	struct stamp_place *places;
};

struct stamp {
	struct stamp_form form[TMPL_DIGITS_MAX + 1];	/* [digits of n] */
};

/*
 * Encode ARG with the numbers given. The length may depend on the numbers of
 * digits only. HB_OK or an error with a text.
 */
typedef int (*stamp_encode)(const void *arg, const struct tmpl_vars *,
    struct buf *out, struct diag *);

/* For LDAP messages: message IDs take two octets, so they are in this range. */
#define STAMP_ID_MIN	128u
#define STAMP_ID_MAX	32767u

/*
 * Compile for all numbers of up to TMPL_DIGITS_MAX digits. HAS_ID: ENCODE makes
 * an LDAP message, with STAMP_ID_MIN as its ID. Memory: stamp_fini().
 */
int stamp_compile(struct stamp *st, bool has_id, stamp_encode encode,
    const void *arg, struct diag *);
void stamp_fini(struct stamp *st);
/* Append. ID is not looked at where there is none. */
void stamp_put(const struct stamp *st, struct buf *out, uint64_t n, uint32_t x,
    unsigned id);

#endif
