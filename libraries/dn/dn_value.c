/*
 * Values of a DN string: bare with escapes, "quoted" (RFC 1779), #hex.
 */
#include "dn.h"
#include "dn_parser.h"
#include "util/err.h"
#include "util/text.h"

int
dn_parser_fail(struct dn_parser *p, const char *at, const char *what)
{
	return diag_err(p->diag, HB_EDNSYNTAX, "invalid DN: %s at offset %zu",
	    what, (size_t)(at - p->start));
}

/*
 * What is not escaped must be UTF-8 without NUL (RFC 4514 3: UTFMB, SUTF1).
 * Escapes are ASCII, so one cannot stand inside a character.
 */
static int
check_utf8(struct dn_parser *p, const char *q, const char *end)
{
	const char *nul;
	size_t n;

	if (q < end && (nul = memchr(q, '\0', (size_t)(end - q))) != NULL)
		return dn_parser_fail(p, nul, "\\00 instead of NUL expected");
	if (text_is_utf8(slice(q, (size_t)(end - q))))
		return HB_OK;
	for (; q < end; q += n) {
		uint8_t c = (uint8_t)*q;

		n = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
		if (n > (size_t)(end - q) || !text_is_utf8(slice(q, n)))
			break;
	}
	return dn_parser_fail(p, q, "well-formed UTF-8 expected");
}

/* The octet that the escape at *IN (a backslash) means; moves *IN behind it. */
static int
take_escape(struct dn_parser *p, const char **in, const char *end, char *c_r)
{
	const char *s = *in + 1;
	int hi, lo;

	if (s == end)
		return dn_parser_fail(p, s, "special character or two hex "
		    "digits expected after '\\'");
	if ((hi = text_hex_value(*s)) >= 0) {
		if (s + 1 == end || (lo = text_hex_value(s[1])) < 0)
			return dn_parser_fail(p, s + 1,
			    "second hex digit of the escape expected");
		*c_r = (char)(hi << 4 | lo);
		*in = s + 2;
		return HB_OK;
	}
	if ((dn_char[(uint8_t)*s] & DN_CHAR_PAIR) == 0)
		return dn_parser_fail(p, s, "special character or two hex "
		    "digits expected after '\\'");
	*c_r = *s;
	*in = s + 1;
	return HB_OK;
}

/* Unescape BEGIN..END. Bare values lose blanks at the end that are not escaped. */
static int
unescape(struct dn_parser *p, const char *begin, const char *end, bool bare,
    struct slice *value_r)
{
	size_t n = 0, keep = 0;
	char *out;
	int rc;

	if ((out = arena_alloc(p->arena, (size_t)(end - begin) + 1)) == NULL)
		return HB_ELIMIT;
	while (begin < end) {
		if (*begin == '\\') {
			rc = take_escape(p, &begin, end, &out[n]);
			if (rc != HB_OK)
				return rc;
			keep = ++n;
			continue;
		}
		out[n++] = *begin;
		if (*begin++ != ' ' || !bare)
			keep = n;
	}
	*value_r = slice(out, keep);
	return HB_OK;
}

static int
bare_value(struct dn_parser *p, struct slice *value_r)
{
	const char *begin = p->pos, *q = p->pos;
	bool escaped = false;
	uint8_t c = 0, seen = 0;
	int rc;

	for (; q < p->end; q++) {
		c = dn_char[(uint8_t)*q];
		if ((c & DN_CHAR_STOP) == 0) {
			seen |= c;
			continue;
		}
		if (*q != '\\')
			break;
		escaped = true;
		if (++q == p->end)
			break;
	}
	p->pos = q;
	if (q < p->end && (c & DN_CHAR_SEPARATOR) == 0)
		return dn_parser_fail(p, q,
		    "escape of the character expected");
	if ((seen & DN_CHAR_HIGH) != 0 &&
	    (rc = check_utf8(p, begin, q)) != HB_OK)
		return rc;
	if (escaped)
		return unescape(p, begin, q, true, value_r);
	while (q > begin && q[-1] == ' ')
		q--;
	*value_r = slice(begin, (size_t)(q - begin));
	return HB_OK;
}

static int
quoted_value(struct dn_parser *p, struct slice *value_r)
{
	const char *begin = p->pos + 1, *q = begin;
	bool escaped = false;
	int rc;

	for (; q < p->end && *q != '"'; q++) {
		if (*q != '\\')
			continue;
		escaped = true;
		if (++q == p->end)
			break;
	}
	if (q >= p->end)
		return dn_parser_fail(p, p->end, "closing quote expected");
	p->pos = q + 1;
	if ((rc = check_utf8(p, begin, q)) != HB_OK)
		return rc;
	if (escaped)
		return unescape(p, begin, q, false, value_r);
	*value_r = slice(begin, (size_t)(q - begin));
	return HB_OK;
}

/*
 * The contents of BER if it is one of the string types whose octets are the
 * LDAP value as well: OCTET STRING, UTF8, Numeric, Printable, IA5, Visible.
 */
static bool
ber_is_string(struct slice ber, struct slice *value_r)
{
	const uint8_t *b = (const uint8_t *)ber.ptr;
	size_t head = 2, len;

	if (ber.len < 2 || (b[0] != 0x04 && b[0] != 0x0c && b[0] != 0x12 &&
	    b[0] != 0x13 && b[0] != 0x16 && b[0] != 0x1a))
		return false;
	len = b[1];
	if (len >= 0x80) {
		size_t k = len & 0x7f, i;

		if (k == 0 || k > 4 || ber.len < 2 + k)
			return false;
		for (len = 0, i = 0; i < k; i++)
			len = len << 8 | b[2 + i];
		head += k;
	}
	if (ber.len - head != len)
		return false;
	*value_r = slice(ber.ptr + head, len);
	return true;
}

static int
hex_value(struct dn_parser *p, bool known_type, struct slice *value_r,
    bool *ber_r)
{
	const char *begin = p->pos + 1, *q = begin;
	size_t i, n;
	char *out;

	while (q < p->end && text_hex_value(*q) >= 0)
		q++;
	n = (size_t)(q - begin) / 2;
	if (n == 0 || (q - begin) % 2 != 0)
		return dn_parser_fail(p, q, "pair of hex digits expected");
	if ((out = arena_alloc(p->arena, n)) == NULL)
		return HB_ELIMIT;
	for (i = 0; i < n; i++)
		out[i] = (char)(text_hex_value(begin[2 * i]) << 4 |
		    text_hex_value(begin[2 * i + 1]));
	p->pos = q;
	*value_r = slice(out, n);
	*ber_r = !known_type || !ber_is_string(*value_r, value_r);
	return HB_OK;
}

int
dn_parser_value(struct dn_parser *p, bool known_type, struct slice *value_r,
    bool *ber_r)
{
	int rc;

	*ber_r = false;
	if (p->pos < p->end && *p->pos == '#')
		rc = hex_value(p, known_type, value_r, ber_r);
	else if (p->pos < p->end && *p->pos == '"')
		rc = quoted_value(p, value_r);
	else
		return bare_value(p, value_r);
	dn_parser_skip_blanks(p);
	if (rc == HB_OK && p->pos < p->end &&
	    (dn_char[(uint8_t)*p->pos] & DN_CHAR_SEPARATOR) == 0)
		rc = dn_parser_fail(p, p->pos, "',' or '+' expected");
	return rc;
}
