/* Validators of numbers, times, identifiers and binary syntaxes. */
#include <ctype.h>

#include "schema_int.h"

/* RFC 4517 3.3.16: no leading zeros, no "-0". */
int
validate_integer(const struct schema *schema, struct slice v)
{
	size_t i;

	(void)schema;
	if (v.len > 0 && v.ptr[0] == '-') {
		v = slice_skip(v, 1);
		if (v.len > 0 && v.ptr[0] == '0')
			return HB_ESYNTAX;
	}
	if (v.len == 0 || (v.len > 1 && v.ptr[0] == '0'))
		return HB_ESYNTAX;
	for (i = 0; i < v.len; i++)
		if (!isdigit((unsigned char)v.ptr[i]))
			return HB_ESYNTAX;
	return HB_OK;
}

int
validate_boolean(const struct schema *schema, struct slice v)
{
	(void)schema;
	return slice_is_eq(v, SLICE("TRUE")) ||
	    slice_is_eq(v, SLICE("FALSE")) ? HB_OK : HB_ESYNTAX;
}

/* RFC 4517 3.3.2: '0101'B. */
int
validate_bits(const struct schema *schema, struct slice v)
{
	size_t i;

	(void)schema;
	if (v.len < 3 || v.ptr[0] != '\'' || v.ptr[v.len - 2] != '\'' ||
	    v.ptr[v.len - 1] != 'B')
		return HB_ESYNTAX;
	for (i = 1; i < v.len - 2; i++)
		if (v.ptr[i] != '0' && v.ptr[i] != '1')
			return HB_ESYNTAX;
	return HB_OK;
}

/* RFC 4530 2.1: 8-4-4-4-12 hex digits. */
int
validate_uuid(const struct schema *schema, struct slice v)
{
	size_t i;

	(void)schema;
	if (v.len != 36)
		return HB_ESYNTAX;
	for (i = 0; i < 36; i++)
		if (i == 8 || i == 13 || i == 18 || i == 23 ?
		    v.ptr[i] != '-' : text_hex_value(v.ptr[i]) < 0)
			return HB_ESYNTAX;
	return HB_OK;
}

int
validate_sid(const struct schema *schema, struct slice v)
{
	size_t i;

	(void)schema;
	for (i = 0; i < v.len; i++)
		if (text_hex_value(v.ptr[i]) < 0)
			return HB_ESYNTAX;
	return v.len == 3 ? HB_OK : HB_ESYNTAX;
}

/* X.690 identifier octets: their number, 0 if there is no end. */
static size_t
tag_len(const unsigned char *p, size_t n)
{
	size_t i = 1;

	if (n == 0)
		return 0;
	if ((p[0] & 0x1f) != 0x1f)
		return 1;
	while (i < n && (p[i] & 0x80))
		i++;
	return i < n ? i + 1 : 0;
}

/* Tag, definite length, and exactly that many octets. */
int
validate_ber(const struct schema *schema, struct slice v)
{
	const unsigned char *p = (const unsigned char *)v.ptr;
	size_t i = tag_len(p, v.len), len, k;

	(void)schema;
	if (i == 0 || i >= v.len)
		return HB_ESYNTAX;
	len = p[i++];
	if (len >= 0x80) {
		k = len & 0x7f;
		if (k == 0 || k > 4 || k > v.len - i)
			return HB_ESYNTAX;
		for (len = 0; k > 0; k--)
			len = len << 8 | p[i++];
	}
	return len == v.len - i ? HB_OK : HB_ESYNTAX;
}

/* The start of image marker; whatever follows is the viewer's business. */
int
validate_jpeg(const struct schema *schema, struct slice v)
{
	(void)schema;
	return v.len > 3 && memcmp(v.ptr, "\xff\xd8\xff", 3) == 0 ? HB_OK :
	    HB_ESYNTAX;
}
