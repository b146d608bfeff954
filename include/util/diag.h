/*
 * What a person must read about an error: the text, and where it comes from.
 * Filled by the one who finds the error, shown by the one who gives up. One
 * owner at a time. A NULL diag is accepted everywhere and takes nothing.
 */
#ifndef UTIL_DIAG_H
#define UTIL_DIAG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "util/api.h"

#define DIAG_TEXT_MAX	1024

struct diag {
	const char *file;	/* borrowed; NULL: no file */
	unsigned line;		/* 0: no line */
	char text[DIAG_TEXT_MAX];
};

#define DIAG_INIT	{ NULL, 0, { 0 } }

HB_API_BEGIN

void diag_clear(struct diag *d);
/* Set the text (cut at DIAG_TEXT_MAX on a UTF-8 boundary); first error wins: does nothing if a text is set. */
void diag_set(struct diag *d, const char *fmt, ...) HB_PRINTF(2, 3);
/*
 * Append to the text, separated by "; " (several violations at once). What does
 * not fit is left out whole: the text then ends with "; ..." and takes no more.
 */
void diag_add(struct diag *d, const char *fmt, ...) HB_PRINTF(2, 3);
/* Would diag_add() have no effect? (True for NULL.) */
bool diag_is_full(const struct diag *d);
/* Put "PREFIX: " before the text. */
void diag_prefix(struct diag *d, const char *fmt, ...) HB_PRINTF(2, 3);
/* Name the place unless one is named. */
void diag_at(struct diag *d, const char *file, unsigned line);
/* diag_set() and return ERR, for "return diag_err(d, HB_EINVAL, ...)". */
int diag_err(struct diag *d, int err, const char *fmt, ...) HB_PRINTF(3, 4);
/* "FILE: line N: TEXT" (parts that are missing left out) into OUT. */
void diag_format(const struct diag *d, char *out, size_t size);

HB_API_END

#endif
