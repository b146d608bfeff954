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

/*
 * A prohibited string has a normal form that begins with FF, and a DN shows it
 * as BER of a private type: cn=#c0820004ff.. So it does with other octets.
 */
bool
dn_is_prohibited(const struct schema *schema, struct slice norm)
{
	static const char mark[] = "=#c082";
	const struct attr_type *t;
	struct slice rest = norm;
	const char *at, *name;

	while ((at = memmem(rest.ptr, rest.len, mark, 6)) != NULL) {
		rest = slice_skip(rest, (size_t)(at - rest.ptr) + 6);
		for (name = at; name > norm.ptr && name[-1] != ',' &&
		    name[-1] != '+'; name--)
			;
		t = schema_find_type(schema, slice(name, (size_t)(at - name)));
		if (t != NULL && t->equality != NULL && rest.len >= 6 &&
		    memcmp(rest.ptr + 4, "ff", 2) == 0 &&
		    schema_is_prohibited(t->equality, SLICE("\xff")))
			return true;
	}
	return false;
}

/* One RDN: a DN whose normal form has no separator. */
int
validate_rdn(const struct schema *schema, struct slice v)
{
	struct arena arena;
	struct slice norm;
	int rc = HB_ESYNTAX;

	arena_init(&arena, 0);
	if (v.len > 0 && norm_dn(schema, &arena, SUBSTR_WHOLE, v, &norm) ==
	    HB_OK && memchr(norm.ptr, ',', norm.len) == NULL)
		rc = HB_OK;
	arena_fini(&arena);
	return rc;
}

/* An odd number of backslashes stands before V[I]. */
static bool
is_escaped(struct slice v, size_t i)
{
	bool odd = false;

	for (; i > 0 && v.ptr[i - 1] == '\\'; i--)
		odd = !odd;
	return odd;
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
	if (i == 0 || validate_bits(NULL, slice_skip(v, i)) != HB_OK ||
	    is_escaped(v, i - 1))
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
