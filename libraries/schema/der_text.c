/* Contents of DER elements as text. */
#include "der.h"
#include "util/err.h"
#include "util/text.h"

#define INTEGER_MAX	128	/* octets; RFC 5280 4.1.2.2 allows 20 */

/* NUMBER, big-endian, is divided by ten; returns the remainder. */
static unsigned
divide_by_ten(uint8_t *number, size_t n)
{
	unsigned rest = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		rest = rest << 8 | number[i];
		number[i] = (uint8_t)(rest / 10);
		rest %= 10;
	}
	return rest;
}

static void
negate(uint8_t *number, size_t n)
{
	unsigned carry = 1;

	while (n-- > 0) {
		carry += (uint8_t)~number[n];
		number[n] = (uint8_t)carry;
		carry >>= 8;
	}
}

/* X.690 8.3: two's complement, the first nine bits not all the same. */
int
der_put_integer(struct buf *out, struct slice body)
{
	uint8_t number[INTEGER_MAX];
	char digits[INTEGER_MAX * 3], *p = digits + sizeof(digits);
	size_t from = 0, n = body.len;

	if (n == 0 || n > sizeof(number))
		return HB_ESYNTAX;
	memcpy(number, body.ptr, n);
	if (n > 1 && ((number[0] == 0 && number[1] < 0x80) ||
	    (number[0] == 0xff && number[1] >= 0x80)))
		return HB_ESYNTAX;
	if (number[0] >= 0x80) {
		buf_put_char(out, '-');
		negate(number, n);
	}
	do {
		*--p = (char)('0' + divide_by_ten(number + from, n - from));
		while (from < n && number[from] == 0)
			from++;
	} while (from < n);
	buf_put(out, p, (size_t)(digits + sizeof(digits) - p));
	return HB_OK;
}

/* Arcs of UUIDs (2.25) have 128 bits. */
static void
put_arc(struct buf *out, unsigned __int128 arc)
{
	char digits[40], *p = digits + sizeof(digits);

	do {
		*--p = (char)('0' + (unsigned)(arc % 10));
		arc /= 10;
	} while (arc != 0);
	buf_put(out, p, (size_t)(digits + sizeof(digits) - p));
}

/* X.690 8.19: the first two arcs are one number. */
int
der_put_oid(struct buf *out, struct slice body)
{
	unsigned __int128 arc = 0;
	bool first = true, begun = false;
	unsigned top;
	size_t i;

	for (i = 0; i < body.len; i++) {
		uint8_t c = (uint8_t)body.ptr[i];

		if ((!begun && c == 0x80) || arc >> 121 != 0)
			return HB_ESYNTAX;
		arc = arc << 7 | (c & 0x7f);
		begun = (c & 0x80) != 0;
		if (begun)
			continue;
		if (first) {
			top = arc < 40 ? 0 : arc < 80 ? 1 : 2;
			put_arc(out, top);
			arc -= 40 * top;
			first = false;
		}
		buf_put_char(out, '.');
		put_arc(out, arc);
		arc = 0;
	}
	return first || begun ? HB_ESYNTAX : HB_OK;
}

static int
put_utf8(struct buf *out, uint32_t c)
{
	if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return HB_ESYNTAX;
	if (c < 0x80) {
		buf_put_char(out, (char)c);
		return HB_OK;
	}
	if (c < 0x800) {
		buf_put_char(out, (char)(0xc0 | c >> 6));
	} else {
		if (c < 0x10000) {
			buf_put_char(out, (char)(0xe0 | c >> 12));
		} else {
			buf_put_char(out, (char)(0xf0 | c >> 18));
			buf_put_char(out, (char)(0x80 | (c >> 12 & 0x3f)));
		}
		buf_put_char(out, (char)(0x80 | (c >> 6 & 0x3f)));
	}
	buf_put_char(out, (char)(0x80 | (c & 0x3f)));
	return HB_OK;
}

/* WIDTH octets a character; a BMPString may hold pairs of surrogates. */
static int
put_wide(struct buf *out, struct slice body, unsigned width)
{
	const uint8_t *p = (const uint8_t *)body.ptr, *end = p + body.len;
	uint32_t c, high = 0;
	unsigned i;

	if (body.len % width != 0)
		return HB_ESYNTAX;
	while (p < end) {
		for (c = 0, i = 0; i < width; i++)
			c = c << 8 | *p++;
		if (high != 0 && c >= 0xdc00 && c < 0xe000)
			c = 0x10000 + (high << 10 | (c & 0x3ff));
		else if (high != 0)
			return HB_ESYNTAX;
		high = 0;
		if (width == 2 && c >= 0xd800 && c < 0xdc00) {
			high = 0x10000 | (c & 0x3ff);
			continue;
		}
		if (put_utf8(out, c) != HB_OK)
			return HB_ESYNTAX;
	}
	return high != 0 ? HB_ESYNTAX : HB_OK;
}

int
der_put_string(struct buf *out, uint8_t tag, struct slice body)
{
	switch (tag) {
	case DER_UTF8:
	case DER_NUMERIC:
	case DER_PRINTABLE:
	case DER_IA5:
	case DER_VISIBLE:
		if (!text_is_utf8(body))
			return HB_ESYNTAX;
		buf_put_slice(out, body);
		return HB_OK;
	case DER_TELETEX:	/* in practice it holds Latin-1 */
		return put_wide(out, body, 1);
	case DER_BMP:
		return put_wide(out, body, 2);
	case DER_UNIVERSAL:
		return put_wide(out, body, 4);
	default:
		return HB_ESYNTAX;
	}
}
