/* Normal forms and orders of numbers, truth values, bits and identifiers. */
#include "schema_int.h"

int
norm_integer(const struct schema *schema, struct arena *arena,
    enum substr_part part, struct slice v, struct slice *norm_r)
{
	(void)arena;
	(void)part;
	*norm_r = v;
	return validate_integer(schema, v);
}

int
norm_boolean(const struct schema *schema, struct arena *arena,
    enum substr_part part, struct slice v, struct slice *norm_r)
{
	(void)arena;
	(void)part;
	*norm_r = v;
	return validate_boolean(schema, v);
}

int
norm_bits(const struct schema *schema, struct arena *arena,
    enum substr_part part, struct slice v, struct slice *norm_r)
{
	(void)arena;
	(void)part;
	*norm_r = v;
	return validate_bits(schema, v);
}

/* Decimal integers of any length. */
int
cmp_integer(struct slice a, struct slice b)
{
	bool neg_a = a.len > 0 && a.ptr[0] == '-';
	bool neg_b = b.len > 0 && b.ptr[0] == '-';
	int c;

	if (neg_a != neg_b)
		return neg_a ? -1 : 1;
	c = a.len != b.len ? (a.len > b.len ? 1 : -1) : slice_cmp(a, b);
	return neg_a ? -c : c;
}

/*
 * Order key: 80 n n n n digits, or 7f and all that inverted for a negative
 * one, n being the number of digits:
 *   12 -> 80 00000002 "12"    -12 -> 7f fffffffd ce cd
 */
void
key_integer(struct slice norm, struct buf *key)
{
	bool neg = norm.len > 0 && norm.ptr[0] == '-';
	unsigned char mask = neg ? 0xff : 0;
	size_t i;

	if (neg)
		norm = slice_skip(norm, 1);
	buf_put_char(key, (char)(neg ? 0x7f : 0x80));
	for (i = 0; i < 4; i++)
		buf_put_char(key,
		    (char)((norm.len >> (24 - 8 * i) & 0xff) ^ mask));
	for (i = 0; i < norm.len; i++)
		buf_put_char(key, (char)((unsigned char)norm.ptr[i] ^ mask));
}

/*
 * UUID: the 16 octets, so that octet order is that of RFC 4530 2.3:
 *   597ae2f6-16a6-1027-98f4-d28b5365dc14 -> 59 7a e2 f6 16 a6 ..
 */
int
norm_uuid(const struct schema *schema, struct arena *arena,
    enum substr_part part, struct slice v, struct slice *norm_r)
{
	size_t i = 0, o = 0;
	char *out;

	(void)part;
	if (validate_uuid(schema, v) != HB_OK)
		return HB_ESYNTAX;
	out = arena_alloc(arena, 16);
	if (out == NULL)
		return HB_ELIMIT;
	while (i < 36) {
		if (v.ptr[i] == '-') {
			i++;
			continue;
		}
		out[o++] = (char)(text_hex_value(v.ptr[i]) << 4 |
		    text_hex_value(v.ptr[i + 1]));
		i += 2;
	}
	*norm_r = slice(out, 16);
	return HB_OK;
}

/* Of what NAME names, a class first: objectClass is where names matter most. */
static const char *
oid_of(const struct schema *schema, struct slice name)
{
	const struct object_class *c;
	const struct attr_type *t;
	const struct matching_rule *r;

	if ((c = schema_find_class(schema, name)) != NULL)
		return c->oid;
	if ((t = schema_find_type(schema, name)) != NULL)
		return t->oid;
	r = schema_find_rule(schema, name);
	return r != NULL ? r->oid : NULL;
}

/* A name is the OID of what it names; an unknown one is compared so. */
int
norm_oid(const struct schema *schema, struct arena *arena,
    enum substr_part part, struct slice v, struct slice *norm_r)
{
	const char *oid;

	if (v.len > 0 && v.ptr[0] >= '0' && v.ptr[0] <= '9') {
		*norm_r = v;
		return oid_is_numeric(v) ? HB_OK : HB_ESYNTAX;
	}
	oid = oid_of(schema, v);
	if (oid != NULL) {
		*norm_r = slice_of(oid);
		return HB_OK;
	}
	return descr_is_valid(v) ? norm_case_fold(schema, arena, part, v,
	    norm_r) : HB_ESYNTAX;
}

/* The first token of "( token ...", or all of V if it is no description. */
static struct slice
first_component(struct slice v)
{
	const struct slice whole = v;
	size_t n = 0;

	while (v.len > 0 && v.ptr[0] == ' ')
		v = slice_skip(v, 1);
	if (v.len == 0 || v.ptr[0] != '(')
		return whole;
	v = slice_skip(v, 1);
	while (v.len > 0 && v.ptr[0] == ' ')
		v = slice_skip(v, 1);
	while (n < v.len && v.ptr[n] != ' ' && v.ptr[n] != ')')
		n++;
	return slice(v.ptr, n);
}

/*
 * First-component rules (RFC 4517 4.2.15, 4.2.19, 4.2.26): a stored description
 * and the asserted component have the same normal form.
 */
int
norm_oid_first(const struct schema *schema, struct arena *arena,
    enum substr_part part, struct slice v, struct slice *norm_r)
{
	return norm_oid(schema, arena, part, first_component(v), norm_r);
}

int
norm_integer_first(const struct schema *schema, struct arena *arena,
    enum substr_part part, struct slice v, struct slice *norm_r)
{
	return norm_integer(schema, arena, part, first_component(v), norm_r);
}

int
norm_string_first(const struct schema *schema, struct arena *arena,
    enum substr_part part, struct slice v, struct slice *norm_r)
{
	return norm_case_fold(schema, arena, part, first_component(v),
	    norm_r);
}
