/*
 * DN-valued syntaxes. How a DN is parsed is not known here: dn.h binds it. The
 * rules rely on what its normal form promises: RDNs separated by ',', which
 * stands nowhere else.
 */
#include "schema_int.h"

static const struct schema_dn_ops *dn_ops;

void
schema_bind_dn(const struct schema_dn_ops *ops)
{
	dn_ops = ops;
}

int
validate_dn(const struct schema *schema, struct slice v)
{
	if (dn_ops == NULL)
		return validate_utf8(schema, v);
	return dn_ops->validate(schema, v) == HB_OK ? HB_OK : HB_ESYNTAX;
}

int
norm_dn(const struct schema *schema, struct arena *arena,
    enum substr_part part, struct slice v, struct slice *norm_r)
{
	int rc;

	(void)part;
	if (dn_ops == NULL)
		return schema_prepare(arena, v, true, SUBSTR_WHOLE, norm_r);
	rc = dn_ops->normalise(schema, arena, v, norm_r);
	return rc == HB_OK || rc == HB_ELIMIT ? rc : HB_ESYNTAX;
}

/* One RDN: a DN without a separator that is not escaped. */
int
validate_rdn(const struct schema *schema, struct slice v)
{
	size_t i;

	for (i = 0; i < v.len; i++) {
		if (v.ptr[i] == '\\')
			i++;
		else if (v.ptr[i] == ',' || v.ptr[i] == ';')
			return HB_ESYNTAX;
	}
	return v.len > 0 ? validate_dn(schema, v) : HB_ESYNTAX;
}

/*
 * RFC 4517 3.3.21: DN [ '#' bit string ]. A '#' that no bit string follows
 * belongs to the DN. The bits are "" where there are none.
 */
static void
split_uid(struct slice v, struct slice *dn_r, struct slice *bits_r)
{
	size_t i = v.len;

	*dn_r = v;
	*bits_r = SLICE("");
	if (v.len < 4 || v.ptr[v.len - 1] != 'B' || v.ptr[v.len - 2] != '\'')
		return;
	while (i > 0 && v.ptr[i - 1] != '#')
		i--;
	if (i == 0 || validate_bits(NULL, slice_skip(v, i)) != HB_OK)
		return;
	*dn_r = slice(v.ptr, i - 1);
	*bits_r = slice_skip(v, i);
}

int
validate_nameuid(const struct schema *schema, struct slice v)
{
	struct slice dn, bits;

	split_uid(v, &dn, &bits);
	return validate_dn(schema, dn);
}

int
norm_nameuid(const struct schema *schema, struct arena *arena,
    enum substr_part part, struct slice v, struct slice *norm_r)
{
	struct slice dn, bits;
	int rc;

	split_uid(v, &dn, &bits);
	rc = norm_dn(schema, arena, part, dn, norm_r);
	if (rc != HB_OK)
		return rc;
	if (bits.len > 0) {
		*norm_r = arena_printf(arena, "%.*s#%.*s", SLICE_ARG(*norm_r),
		    SLICE_ARG(bits));
		return norm_r->ptr == NULL ? HB_ELIMIT : HB_OK;
	}
	/* what "\\23'01'B" was meant to be keeps apart from an UID */
	split_uid(*norm_r, &dn, &bits);
	if (bits.len > 0)
		*norm_r = arena_printf(arena, "%.*s\\23%.*s", SLICE_ARG(dn),
		    SLICE_ARG(bits));
	return norm_r->ptr == NULL ? HB_ELIMIT : HB_OK;
}

/* DN is properly below BASE. */
static bool
is_below(struct slice dn, struct slice base)
{
	if (base.len == 0)
		return dn.len > 0;
	return dn.len > base.len + 1 && slice_has_suffix(dn, base) &&
	    dn.ptr[dn.len - base.len - 1] == ',';
}

bool
match_dn_subtree(const struct schema *schema, struct slice stored,
    struct slice asserted)
{
	(void)schema;
	return slice_is_eq(stored, asserted) || is_below(stored, asserted);
}

bool
match_dn_subordinate(const struct schema *schema, struct slice stored,
    struct slice asserted)
{
	(void)schema;
	return is_below(stored, asserted);
}

bool
match_dn_superior(const struct schema *schema, struct slice stored,
    struct slice asserted)
{
	(void)schema;
	return is_below(asserted, stored);
}

bool
match_dn_one(const struct schema *schema, struct slice stored,
    struct slice asserted)
{
	size_t first;

	(void)schema;
	if (!is_below(stored, asserted))
		return false;
	first = stored.len - asserted.len - (asserted.len > 0);
	return memchr(stored.ptr, ',', first) == NULL;
}
