/*
 * GSER texts. Beside RFC 3641's grammar, blanks may stand before a comma and
 * an integer may have leading zeros.
 */
#include <ctype.h>

#include "gser.h"
#include "schema_int.h"

void
gser_init(struct gser *g, struct arena *arena, struct slice text)
{
	*g = (struct gser){ .pos = text.ptr, .end = text.ptr + text.len,
	    .arena = arena, .rc = HB_OK };
}

void
gser_fail(struct gser *g, int rc)
{
	if (g->rc == HB_OK)
		g->rc = rc;
	g->pos = g->end;
}

static void
skip_blanks(struct gser *g)
{
	while (g->pos < g->end && *g->pos == ' ')
		g->pos++;
}

bool
gser_is_next(const struct gser *g, char c)
{
	return g->rc == HB_OK && g->pos < g->end && *g->pos == c;
}

static void
expect(struct gser *g, char c)
{
	if (gser_is_next(g, c))
		g->pos++;
	else
		gser_fail(g, HB_ESYNTAX);
}

void
gser_end(struct gser *g)
{
	if (g->pos != g->end)
		gser_fail(g, HB_ESYNTAX);
}

void
gser_open(struct gser *g)
{
	expect(g, '{');
	skip_blanks(g);
}

bool
gser_has_item(struct gser *g, unsigned n)
{
	skip_blanks(g);
	if (gser_is_next(g, '}')) {
		g->pos++;
		return false;
	}
	if (n > 0) {
		expect(g, ',');
		skip_blanks(g);
	}
	return g->rc == HB_OK;
}

/* RFC 3641 3.1: a letter, then letters, digits and hyphens. */
static struct slice
peek_word(const struct gser *g)
{
	const char *p = g->pos;

	if (g->rc != HB_OK || p == g->end || !isalpha((unsigned char)*p))
		return SLICE("");
	while (p < g->end && (isalnum((unsigned char)*p) || *p == '-'))
		p++;
	return slice(g->pos, (size_t)(p - g->pos));
}

struct slice
gser_name(struct gser *g)
{
	struct slice word = peek_word(g);

	g->pos += word.len;
	if (word.len == 0 || !gser_is_next(g, ' ')) {
		gser_fail(g, HB_ESYNTAX);
		return SLICE("");
	}
	skip_blanks(g);
	return word;
}

bool
gser_has_choice(struct gser *g, const char *name)
{
	struct slice word = peek_word(g);

	if (!slice_is_eq_nocase(word, slice_of(name)) ||
	    g->pos + word.len == g->end || g->pos[word.len] != ':')
		return false;
	g->pos += word.len + 1;
	return true;
}

/* What is between two C; *g is behind the second. */
static struct slice
quoted(struct gser *g, char c)
{
	const char *begin, *end;

	expect(g, c);
	begin = g->pos;
	end = g->rc == HB_OK && begin < g->end ?
	    memchr(begin, c, (size_t)(g->end - begin)) : NULL;
	if (end == NULL) {
		gser_fail(g, HB_ESYNTAX);
		return SLICE("");
	}
	g->pos = end + 1;
	return slice(begin, (size_t)(end - begin));
}

static struct slice
undouble(struct gser *g, struct slice raw)
{
	char *out = arena_alloc(g->arena, raw.len + 1);
	size_t i, n = 0;

	if (out == NULL) {
		gser_fail(g, HB_ELIMIT);
		return SLICE("");
	}
	for (i = 0; i < raw.len; i++) {
		out[n++] = raw.ptr[i];
		if (raw.ptr[i] == '"')
			i++;
	}
	return slice(out, n);
}

struct slice
gser_string(struct gser *g)
{
	struct slice s = quoted(g, '"');
	const char *begin = s.ptr;
	bool doubled = false;

	while (gser_is_next(g, '"')) {
		doubled = true;
		quoted(g, '"');
	}
	if (g->rc != HB_OK)
		return SLICE("");
	s = slice(begin, (size_t)(g->pos - 1 - begin));
	if (memchr(s.ptr, '\0', s.len) != NULL || !text_is_utf8(s)) {
		gser_fail(g, HB_ESYNTAX);
		return SLICE("");
	}
	return doubled ? undouble(g, s) : s;
}

struct slice
gser_octets(struct gser *g)
{
	struct slice hex = quoted(g, '\'');
	size_t i;
	char *out;
	int hi, lo;

	expect(g, 'H');
	if (g->rc != HB_OK || hex.len % 2 != 0)
		goto bad;
	out = arena_alloc(g->arena, hex.len / 2 + 1);
	if (out == NULL) {
		gser_fail(g, HB_ELIMIT);
		return SLICE("");
	}
	for (i = 0; i < hex.len; i += 2) {
		hi = text_hex_value(hex.ptr[i]);
		lo = text_hex_value(hex.ptr[i + 1]);
		if (hi < 0 || lo < 0)
			goto bad;
		out[i / 2] = (char)(hi << 4 | lo);
	}
	return slice(out, hex.len / 2);
bad:
	gser_fail(g, HB_ESYNTAX);
	return SLICE("");
}

struct slice
gser_bits(struct gser *g)
{
	struct slice bits = quoted(g, '\'');
	size_t i;

	expect(g, 'B');
	for (i = 0; i < bits.len; i++)
		if (bits.ptr[i] != '0' && bits.ptr[i] != '1')
			gser_fail(g, HB_ESYNTAX);
	return g->rc == HB_OK ? bits : SLICE("");
}

/* The longest run of digits and, if DOTS, dots. */
static struct slice
digits(struct gser *g, bool dots)
{
	const char *begin = g->pos;

	while (g->pos < g->end && (isdigit((unsigned char)*g->pos) ||
	    (dots && *g->pos == '.')))
		g->pos++;
	if (g->rc != HB_OK || begin == g->pos) {
		gser_fail(g, HB_ESYNTAX);
		return SLICE("");
	}
	return slice(begin, (size_t)(g->pos - begin));
}

struct slice
gser_integer(struct gser *g)
{
	bool negative = gser_is_next(g, '-');
	struct slice s;

	g->pos += negative;
	s = digits(g, false);
	if (negative && s.len > 0) {
		if (s.ptr[0] != '0')
			return slice(s.ptr - 1, s.len + 1);
		gser_fail(g, HB_ESYNTAX);
		return SLICE("");
	}
	while (s.len > 1 && s.ptr[0] == '0')
		s = slice_skip(s, 1);
	return s;
}

struct slice
gser_oid(struct gser *g)
{
	struct slice s = digits(g, true);

	if (g->rc != HB_OK || oid_is_numeric(s))
		return s;
	gser_fail(g, HB_ESYNTAX);
	return SLICE("");
}

struct slice
gser_value(struct gser *g)
{
	const char *begin = g->pos;
	unsigned depth = 0;

	for (; g->rc == HB_OK && g->pos < g->end; g->pos++) {
		char c = *g->pos;

		if (depth == 0 && (c == ',' || c == '}'))
			break;
		if (c == '{')
			depth++;
		else if (c == '}')
			depth--;
		else if (c == '"' || c == '\'') {
			quoted(g, c);
			if (g->rc == HB_OK)
				g->pos--;
		}
	}
	if (g->rc == HB_OK && (depth > 0 || begin == g->pos))
		gser_fail(g, HB_ESYNTAX);
	if (g->rc != HB_OK)
		return SLICE("");
	while (g->pos[-1] == ' ' && g->pos - 1 > begin)
		g->pos--;
	return slice(begin, (size_t)(g->pos - begin));
}

void
gser_put_string(struct buf *out, struct slice text)
{
	size_t i;

	buf_put_char(out, '"');
	for (i = 0; i < text.len; i++) {
		if (text.ptr[i] == '"')
			buf_put_char(out, '"');
		buf_put_char(out, text.ptr[i]);
	}
	buf_put_char(out, '"');
}

void
gser_put_octets(struct buf *out, struct slice octets)
{
	static const char hex[] = "0123456789ABCDEF";
	size_t i;

	buf_put_char(out, '\'');
	for (i = 0; i < octets.len; i++) {
		buf_put_char(out, hex[(unsigned char)octets.ptr[i] >> 4]);
		buf_put_char(out, hex[(unsigned char)octets.ptr[i] & 15]);
	}
	buf_put_str(out, "'H");
}
