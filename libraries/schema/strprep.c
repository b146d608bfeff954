/*
 * String preparation (RFC 4518): map, fold, NFKC, insignificant spaces. Where
 * the RFC frames a string with one space and doubles inner runs, we trim it
 * and squeeze runs to one: the same equality, in fewer bytes. What 2.4 of the
 * RFC prohibits (private use, unassigned) is legal in a stored value and goes
 * through unchanged; only malformed UTF-8 is an error.
 */
#include <utf8proc.h>

#include "schema_int.h"

enum ascii_class {
	AC_KEEP, AC_UPPER, AC_SPACE, AC_BLANK /* a control that maps to space */,
	AC_DROP, AC_HIGH
};

#define K8	AC_KEEP, AC_KEEP, AC_KEEP, AC_KEEP, AC_KEEP, AC_KEEP, \
	AC_KEEP, AC_KEEP
#define U8	AC_UPPER, AC_UPPER, AC_UPPER, AC_UPPER, AC_UPPER, \
	AC_UPPER, AC_UPPER, AC_UPPER
#define D8	AC_DROP, AC_DROP, AC_DROP, AC_DROP, AC_DROP, AC_DROP, \
	AC_DROP, AC_DROP
#define H8	AC_HIGH, AC_HIGH, AC_HIGH, AC_HIGH, AC_HIGH, AC_HIGH, \
	AC_HIGH, AC_HIGH

static const uint8_t ascii_class[256] = {
	D8,
	AC_DROP, AC_BLANK, AC_BLANK, AC_BLANK, AC_BLANK, AC_BLANK, AC_DROP,
	AC_DROP,
	D8, D8,
	AC_SPACE, AC_KEEP, AC_KEEP, AC_KEEP, AC_KEEP, AC_KEEP, AC_KEEP,
	AC_KEEP,
	K8, K8, K8,
	AC_KEEP, AC_UPPER, AC_UPPER, AC_UPPER, AC_UPPER, AC_UPPER, AC_UPPER,
	AC_UPPER,
	U8, U8,
	AC_UPPER, AC_UPPER, AC_UPPER, AC_KEEP, AC_KEEP, AC_KEEP, AC_KEEP,
	AC_KEEP,
	K8, K8, K8,
	AC_KEEP, AC_KEEP, AC_KEEP, AC_KEEP, AC_KEEP, AC_KEEP, AC_KEEP,
	AC_DROP,
	H8, H8, H8, H8, H8, H8, H8, H8, H8, H8, H8, H8, H8, H8, H8, H8
};

static bool
trims_start(enum substr_part part)
{
	return part == SUBSTR_WHOLE || part == SUBSTR_INITIAL;
}

static bool
trims_end(enum substr_part part)
{
	return part == SUBSTR_WHOLE || part == SUBSTR_FINAL;
}

/*
 * Squeeze the spaces of N octets at P in place (they hold no other blanks);
 * returns the new length. All spaces become one (RFC 4518 2.6.1).
 */
static size_t
squeeze(char *p, size_t n, enum substr_part part)
{
	bool space = trims_start(part);
	size_t i, o = 0;

	for (i = 0; i < n; i++) {
		if (p[i] != ' ') {
			p[o++] = p[i];
			space = false;
		} else if (!space) {
			p[o++] = ' ';
			space = true;
		}
	}
	if (trims_end(part) && o > 0 && p[o - 1] == ' ')
		o--;
	if (o == 0 && n > 0)
		p[o++] = ' ';
	return o;
}

/* Copy ASCII of S into OUT, folded and mapped but not squeezed. */
static size_t
map_ascii(struct slice s, bool fold, char *out)
{
	size_t i, o = 0;
	unsigned char c;

	for (i = 0; i < s.len; i++) {
		c = (unsigned char)s.ptr[i];
		switch (ascii_class[c]) {
		case AC_UPPER:
			out[o++] = (char)(fold ? c + 32 : c);
			break;
		case AC_BLANK:
			out[o++] = ' ';
			break;
		case AC_DROP:
			break;
		default:
			out[o++] = (char)c;
		}
	}
	return o;
}

/* RFC 4518 2.2, beyond ASCII: 0 for nothing, ' ' for spaces, or CP itself. */
static utf8proc_int32_t
map_char(utf8proc_int32_t cp)
{
	if (cp == 0x85 || cp == 0xa0 || cp == 0x1680 ||
	    (cp >= 0x2000 && cp <= 0x200a) || cp == 0x2028 || cp == 0x2029 ||
	    cp == 0x202f || cp == 0x205f || cp == 0x3000)
		return ' ';
	if ((cp >= 0x80 && cp <= 0x9f) || cp == 0xad || cp == 0x34f ||
	    cp == 0x6dd || cp == 0x70f ||
	    (cp >= 0x1806 && cp <= 0x180e && (cp == 0x1806 || cp >= 0x180b)) ||
	    (cp >= 0x200b && cp <= 0x200f) || (cp >= 0x202a && cp <= 0x202e) ||
	    (cp >= 0x2060 && cp <= 0x2063) || (cp >= 0x206a && cp <= 0x206f) ||
	    (cp >= 0xfe00 && cp <= 0xfe0f) || cp == 0xfeff ||
	    (cp >= 0xfff9 && cp <= 0xfffc) ||
	    (cp >= 0x1d173 && cp <= 0x1d17a) || cp == 0xe0001 ||
	    (cp >= 0xe0020 && cp <= 0xe007f))
		return 0;
	return cp;
}

struct codes {
	utf8proc_int32_t *cp;
	size_t n, cap;
	bool overflow;
};

static void
codes_put(struct codes *c, utf8proc_int32_t cp, utf8proc_option_t options)
{
	utf8proc_ssize_t n;
	int boundary = 0;

	if (c->n == c->cap) {
		c->overflow = true;
		return;
	}
	n = utf8proc_decompose_char(cp, c->cp + c->n,
	    (utf8proc_ssize_t)(c->cap - c->n), options, &boundary);
	if (n < 0 || (size_t)n > c->cap - c->n)
		c->overflow = true;
	else
		c->n += (size_t)n;
}

static unsigned
mark_class(utf8proc_int32_t cp)
{
	return (unsigned)utf8proc_get_property(cp)->combining_class;
}

#define SHORT_RUN	16

/* A run of N marks in the order of their classes, equal ones as they stand. */
static void
order_run(utf8proc_int32_t *cp, size_t n, utf8proc_int32_t *scratch)
{
	utf8proc_int32_t c;
	unsigned class;
	size_t i, j, o = 0;

	for (i = 1; n <= SHORT_RUN && i < n; i++) {
		c = cp[i];
		class = mark_class(c);
		for (j = i; j > 0 && mark_class(cp[j - 1]) > class; j--)
			cp[j] = cp[j - 1];
		cp[j] = c;
	}
	if (n <= SHORT_RUN)
		return;
	/* no text has this, so linear in N is enough */
	for (class = 1; class < 256; class++)
		for (i = 0; i < n; i++)
			if (mark_class(cp[i]) == class)
				scratch[o++] = cp[i];
	memcpy(cp, scratch, n * sizeof(*cp));
}

/* Canonical order of combining marks. SCRATCH is as long as the codes. */
static void
order_marks(struct codes *c, utf8proc_int32_t *scratch)
{
	size_t i, start = 0;

	for (i = 0; i < c->n; i++) {
		if (mark_class(c->cp[i]) != 0)
			continue;
		if (i - start > 1)
			order_run(c->cp + start, i - start, scratch);
		start = i + 1;
	}
	if (c->n - start > 1 && c->n > start)
		order_run(c->cp + start, c->n - start, scratch);
}

static int
decompose(struct slice s, bool fold, struct codes *c)
{
	utf8proc_option_t options = UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE |
	    UTF8PROC_STABLE;
	utf8proc_int32_t cp;
	utf8proc_ssize_t n;
	unsigned char b;

	if (fold)
		options |= UTF8PROC_CASEFOLD;
	while (s.len > 0) {
		n = utf8proc_iterate((const utf8proc_uint8_t *)s.ptr,
		    (utf8proc_ssize_t)s.len, &cp);
		if (n <= 0)
			return HB_ESYNTAX;
		s = slice_skip(s, (size_t)n);
		if (cp >= 0x80) {
			cp = map_char(cp);
		} else {
			b = ascii_class[cp];
			cp = b == AC_BLANK ? ' ' : b == AC_DROP ? 0 : cp;
		}
		if (cp != 0)
			codes_put(c, cp, options);
	}
	return HB_OK;
}

/*
 * One pass of map, fold and NFKC over S. The room for code points grows until
 * they fit: one may decompose into up to 18.
 */
static int
prepare_pass(struct arena *arena, struct slice s, bool fold,
    struct slice *out_r)
{
	struct codes c = { NULL, 0, s.len + 32, false };
	utf8proc_ssize_t n;
	size_t i, o = 0;
	char *out;
	int rc;

	do {
		if (c.overflow)
			c.cap *= 4;
		c.n = 0;
		c.overflow = false;
		c.cp = arena_calloc(arena, c.cap, 2 * sizeof(*c.cp));
		if (c.cp == NULL)
			return HB_ELIMIT;
		rc = decompose(s, fold, &c);
		if (rc != HB_OK)
			return rc;
	} while (c.overflow);
	order_marks(&c, c.cp + c.cap);
	n = utf8proc_normalize_utf32(c.cp, (utf8proc_ssize_t)c.n,
	    UTF8PROC_COMPOSE | UTF8PROC_STABLE);
	if (n < 0)
		return HB_ESYNTAX;
	out = arena_alloc(arena, (size_t)n * 4 + 1);
	if (out == NULL)
		return HB_ELIMIT;
	for (i = 0; i < (size_t)n; i++)
		o += (size_t)utf8proc_encode_char(c.cp[i],
		    (utf8proc_uint8_t *)out + o);
	*out_r = slice(out, o);
	return HB_OK;
}

/*
 * Folding may undo composition and the other way round, so passes repeat
 * until nothing changes: a prepared string prepares to itself.
 */
int
prepare_by_tables(struct arena *arena, struct slice s, bool fold,
    struct slice *out_r)
{
	struct slice again;
	int rc, i;

	rc = prepare_pass(arena, s, fold, out_r);
	for (i = 0; rc == HB_OK && i < 3; i++) {
		rc = prepare_pass(arena, *out_r, fold, &again);
		if (rc != HB_OK || slice_is_eq(*out_r, again))
			break;
		*out_r = again;
	}
	return rc;
}

static int
prepare_unicode(struct arena *arena, struct slice s, bool fold,
    enum substr_part part, struct slice *prepared_r)
{
	char *simple = arena_alloc(arena, s.len);
	struct slice out = slice(simple, s.len);
	int rc;

	if (simple == NULL)
		return HB_ELIMIT;
	if (!prepare_letters(s, fold, simple)) {
		rc = prepare_by_tables(arena, s, fold, &out);
		if (rc != HB_OK)
			return rc;
	}
	out.len = squeeze((char *)(uintptr_t)out.ptr, out.len, part);
	*prepared_r = out;
	return HB_OK;
}

/*
 * Length of the ASCII prefix that preparation leaves as it is. Spaces at the
 * ends and doubled ones count as changes.
 */
static size_t
unchanged(struct slice s, bool fold, enum substr_part part, bool *high_r)
{
	bool space = trims_start(part);
	size_t i;
	uint8_t c;

	for (i = 0; i < s.len; i++) {
		c = ascii_class[(unsigned char)s.ptr[i]];
		if (c == AC_KEEP || (c == AC_UPPER && !fold)) {
			space = false;
			continue;
		}
		if (c != AC_SPACE || space) {
			*high_r = c == AC_HIGH;
			return i;
		}
		space = true;
	}
	*high_r = false;
	return s.len > 0 && space && trims_end(part) ? s.len - 1 : s.len;
}

static bool
has_high(struct slice s)
{
	size_t i;

	for (i = 0; i < s.len; i++)
		if ((unsigned char)s.ptr[i] >= 0x80)
			return true;
	return false;
}

int
schema_prepare(struct arena *arena, struct slice text, bool fold,
    enum substr_part part, struct slice *prepared_r)
{
	char *out;
	size_t n;
	bool high;

	n = unchanged(text, fold, part, &high);
	if (n == text.len) {
		*prepared_r = text;
		return HB_OK;
	}
	if (high || has_high(slice_skip(text, n)))
		return prepare_unicode(arena, text, fold, part, prepared_r);
	out = arena_alloc(arena, text.len);
	if (out == NULL)
		return HB_ELIMIT;
	memcpy(out, text.ptr, n);
	n += map_ascii(slice_skip(text, n), fold, out + n);
	*prepared_r = slice(out, squeeze(out, n, part));
	return HB_OK;
}
