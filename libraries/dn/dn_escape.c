/*
 * Characters of DN strings and their escapes (RFC 4514 2.4, 3).
 */
#include "dn.h"
#include "dn_parser.h"
#include "util/text.h"

#define E	DN_CHAR_ESCAPE
#define S	DN_CHAR_STOP
#define P	DN_CHAR_PAIR
#define N	DN_CHAR_NAME
#define U	DN_CHAR_UPPER

/*
 * Control characters are escaped too: a DN stands in log lines and LDIF.
 * ' ' and '#' need it only at the ends, which dn_escape() sees to.
 */
const uint8_t dn_char[256] = {
	[0] = E | S,
	[1 ... 31] = E, [127] = E,
	[' '] = P | DN_CHAR_BLANK, ['#'] = P,
	['"'] = E | S | P, ['<'] = E | S | P, ['>'] = E | S | P,
	['\\'] = E | S | P,
	['+'] = E | S | P | DN_CHAR_SEPARATOR,
	[','] = E | S | P | DN_CHAR_SEPARATOR,
	[';'] = E | S | P | DN_CHAR_SEPARATOR,
	['='] = E | P,
	['a' ... 'z'] = N, ['A' ... 'Z'] = N | U, ['0' ... '9'] = N,
	['-'] = N, ['.'] = N, ['_'] = N,
	[128 ... 255] = DN_CHAR_HIGH
};

#undef E
#undef S
#undef P
#undef N
#undef U

static inline bool
is_escaped_at(struct slice v, size_t i, bool high)
{
	uint8_t c = (uint8_t)v.ptr[i];

	if ((dn_char[c] & DN_CHAR_ESCAPE) != 0 || (high && c >= 0x80))
		return true;
	if (c == ' ')
		return i == 0 || i == v.len - 1;
	return c == '#' && i == 0;
}

/* Octets that are no UTF-8 are escaped, for a DN is a UTF-8 string. */
static bool
is_high_escaped(struct slice v)
{
	uint8_t any = 0;
	size_t i;

	for (i = 0; i < v.len; i++)
		any |= (uint8_t)v.ptr[i];
	return any >= 0x80 && !text_is_utf8(v);
}

/*
 * OUT has room for DN_ESCAPED_MAX times the length of V; returns the end of
 * what was written.
 */
char *
dn_escape(char *out, struct slice v)
{
	static const char hex[] = "0123456789ABCDEF";
	bool high = is_high_escaped(v);
	size_t i;

	for (i = 0; i < v.len; i++) {
		uint8_t c = (uint8_t)v.ptr[i];

		if (!is_escaped_at(v, i, high)) {
			*out++ = (char)c;
			continue;
		}
		*out++ = '\\';
		*out++ = hex[c >> 4];
		*out++ = hex[c & 15];
	}
	return out;
}

void
dn_put_escaped(struct buf *out, struct slice value)
{
	buf_reserve(out, DN_ESCAPED_MAX * value.len + 1);	/* never NULL */
	out->len = (size_t)(dn_escape(out->data + out->len, value) -
	    out->data);
}
