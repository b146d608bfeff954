/*
 * Small text tools: numbers, base64, hex, UTF-8, the nearest known word,
 * times. Thread-safe: no state.
 */
#ifndef UTIL_TEXT_H
#define UTIL_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "util/api.h"
#include "util/arena.h"
#include "util/buf.h"
#include "util/slice.h"

HB_API_BEGIN

/* Whole text, base from the prefix (0x, 0, decimal), sign allowed. HB_EINVAL, HB_ERANGE. */
int text_to_int(struct slice s, int64_t *v_r);
/* Decimal digits only. HB_EINVAL, HB_ERANGE. */
int text_to_uint(struct slice s, uint64_t *v_r);
/* "10", "512k", "4m", "2g" (powers of 1024) in bytes. */
int text_to_size(struct slice s, uint64_t *v_r);

/* RFC 4648 with padding, no line breaks. */
void text_base64_encode(struct buf *out, struct slice in);
/* Appends to OUT. HB_EINVAL on anything but canonical base64 (blank-free). */
int text_base64_decode(struct buf *out, struct slice in);

int text_hex_value(char c);			/* 0..15, or -1 */
bool text_is_utf8(struct slice s);		/* well-formed, RFC 3629 */
bool text_is_ascii(struct slice s);
void text_tolower(char *p, size_t n);		/* ASCII, in place */

/*
 * The word of WORDS (N of them) that a misspelt TEXT most likely means, by
 * edit distance without case; NULL if none is near.
 */
const char *text_nearest(struct slice text, const char *const *words,
    size_t n);

/* "20261201002412Z": GeneralizedTime of RFC 4517 3.3.13; OUT 16 bytes. */
void text_gentime(time_t t, char out[16]);
/* Monotonic and wall-clock time, microseconds. */
int64_t time_mono_us(void);
int64_t time_wall_us(void);

HB_API_END

#endif
