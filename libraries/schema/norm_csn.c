/*
 * Change sequence numbers: time # count # server # modification, of fixed
 * width, so octet order is the order of changes:
 *   20261201103000.123456Z#000000#001#000000
 * That of slapd 2.3 (20061201103000Z#000000#01#000000) becomes the same shape.
 */
#include "schema_int.h"

#define CSN_LEN		40
#define SID_AT		30

/* D a digit, H a hex digit, everything else itself. */
static bool
fits(struct slice v, const char *shape)
{
	size_t i;
	char c;

	if (v.len != strlen(shape))
		return false;
	for (i = 0; i < v.len; i++) {
		c = v.ptr[i];
		if (shape[i] == 'D' ? c < '0' || c > '9' :
		    shape[i] == 'H' ? text_hex_value(c) < 0 : c != shape[i])
			return false;
	}
	return true;
}

static bool
is_new(struct slice v)
{
	return fits(v, "DDDDDDDDDDDDDD.DDDDDDZ#HHHHHH#HHH#HHHHHH") &&
	    validate_gentime(NULL, slice(v.ptr, 22)) == HB_OK;
}

static bool
is_old(struct slice v)
{
	return fits(v, "DDDDDDDDDDDDDDZ#HHHHHH#HH#HHHHHH") &&
	    validate_gentime(NULL, slice(v.ptr, 15)) == HB_OK;
}

int
validate_csn(const struct schema *schema, struct slice v)
{
	(void)schema;
	return is_new(v) || is_old(v) ? HB_OK : HB_ESYNTAX;
}

static bool
has_upper(struct slice v)
{
	size_t i;

	for (i = 22; i < v.len; i++)
		if (v.ptr[i] >= 'A' && v.ptr[i] <= 'F')
			return true;
	return false;
}

int
norm_csn(const struct schema *schema, struct arena *arena,
    enum substr_part part, struct slice v, struct slice *norm_r)
{
	(void)schema;
	(void)part;
	if (is_new(v) && !has_upper(v)) {
		*norm_r = v;
		return HB_OK;
	}
	if (is_new(v))
		*norm_r = arena_slice(arena, v);
	else if (is_old(v))
		*norm_r = arena_printf(arena, "%.14s.000000%.9s0%.9s", v.ptr,
		    v.ptr + 14, v.ptr + 23);
	else
		return HB_ESYNTAX;
	if (norm_r->ptr == NULL)
		return HB_ELIMIT;
	text_tolower((char *)(uintptr_t)norm_r->ptr + 22, norm_r->len - 22);
	return HB_OK;
}

int
norm_sid(const struct schema *schema, struct arena *arena,
    enum substr_part part, struct slice v, struct slice *norm_r)
{
	(void)part;
	if (validate_sid(schema, v) != HB_OK)
		return HB_ESYNTAX;
	*norm_r = arena_slice(arena, v);
	if (norm_r->ptr == NULL)
		return HB_ELIMIT;
	text_tolower((char *)(uintptr_t)norm_r->ptr, norm_r->len);
	return HB_OK;
}

bool
match_csn_sid(const struct schema *schema, struct slice stored,
    struct slice asserted)
{
	(void)schema;
	return stored.len == CSN_LEN && asserted.len == 3 &&
	    memcmp(stored.ptr + SID_AT, asserted.ptr, 3) == 0;
}
