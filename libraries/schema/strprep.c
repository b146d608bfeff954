/*
 * String preparation (RFC 4518), steps in the order of its section 2:
 * transcode (malformed UTF-8 is an error), map and fold, normalise to Form KC,
 * prohibit; there is nothing to do for bidirectional text. Insignificant
 * characters are the business of spaces.c. A code point is unassigned if it is
 * so in the Unicode version of utf8proc, not in Unicode 3.2: people store
 * characters that are newer than that.
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

struct map_row {
	utf8proc_int32_t first, last, to;
};

static const struct map_row map_rows[] = {
#define MAP(first, last, to)	{ first, last, to },
#include "tbl/strprep.tbl"
#undef MAP
};

/* RFC 4518 2.2, beyond ASCII: 0 for nothing, ' ' for spaces, or CP itself. */
static utf8proc_int32_t
map_char(utf8proc_int32_t cp)
{
	size_t lo = 0, hi = sizeof(map_rows) / sizeof(*map_rows), mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (cp < map_rows[mid].first)
			hi = mid;
		else if (cp > map_rows[mid].last)
			lo = mid + 1;
		else
			return map_rows[mid].to;
	}
	return cp;
}

/*
 * RFC 4518 2.4. Those that change display (table C.8) do not get here: they
 * were mapped to nothing or decomposed. Non-characters are unassigned.
 */
static bool
is_prohibited(utf8proc_int32_t cp)
{
	utf8proc_propval_t category = utf8proc_get_property(cp)->category;

	return category == UTF8PROC_CATEGORY_CN ||
	    category == UTF8PROC_CATEGORY_CO || cp == 0xfffd;
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
 * The room for code points grows until they fit: one may decompose into up to
 * 18.
 */
int
prepare_by_tables(struct arena *arena, struct slice s, bool fold,
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
	for (i = 0; i < (size_t)n; i++) {
		if (is_prohibited(c.cp[i]))
			return HB_ESYNTAX;
		o += (size_t)utf8proc_encode_char(c.cp[i],
		    (utf8proc_uint8_t *)out + o);
	}
	*out_r = slice(out, o);
	return HB_OK;
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
prepare_chars(struct arena *arena, struct slice text, bool fold,
    struct slice *out_r)
{
	char *out = arena_alloc(arena, text.len + 1);

	if (out == NULL)
		return HB_ELIMIT;
	*out_r = slice(out, text.len);
	if (!has_high(text))
		out_r->len = map_ascii(text, fold, out);
	else if (!prepare_letters(text, fold, out))
		return prepare_by_tables(arena, text, fold, out_r);
	return HB_OK;
}

/* ASCII that preparation leaves as it is, single spaces between words. */
static bool
is_prepared(struct slice s, bool fold, enum substr_part part)
{
	bool space = part == SUBSTR_WHOLE || part == SUBSTR_INITIAL;
	size_t i;
	uint8_t c;

	for (i = 0; i < s.len; i++) {
		c = ascii_class[(unsigned char)s.ptr[i]];
		if (c == AC_KEEP || (c == AC_UPPER && !fold)) {
			space = false;
			continue;
		}
		if (c != AC_SPACE || space)
			return false;
		space = true;
	}
	return s.len > 0 && (!space || part == SUBSTR_INITIAL ||
	    part == SUBSTR_ANY);
}

int
schema_prepare(struct arena *arena, struct slice text, bool fold,
    enum substr_part part, struct slice *prepared_r)
{
	int rc;

	if (is_prepared(text, fold, part)) {
		*prepared_r = text;
		return HB_OK;
	}
	rc = prepare_chars(arena, text, fold, prepared_r);
	if (rc == HB_OK)
		spaces_squeeze(prepared_r, part);
	return rc;
}

int
prepare_dropping(struct arena *arena, struct slice text, bool hyphens,
    struct slice *prepared_r)
{
	size_t i;
	int rc;

	for (i = 0; i < text.len; i++)
		if (ascii_class[(unsigned char)text.ptr[i]] != AC_KEEP ||
		    (hyphens && text.ptr[i] == '-'))
			break;
	if (i == text.len) {
		*prepared_r = text;
		return HB_OK;
	}
	rc = prepare_chars(arena, text, true, prepared_r);
	if (rc == HB_OK)
		spaces_drop(prepared_r, hyphens);
	return rc;
}
