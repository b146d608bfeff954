/*
 * Authorization rules (authzTo, authzFrom): "*", "u[.mech[/realm]]:name",
 * "dn[.style]:pattern", "group[/class[/attribute]]:dn", an LDAP URL, or a
 * plain DN. Names in them are compared as names, the rest as it stands.
 */
#include "schema_int.h"

enum authz_kind { AUTHZ_BAD, AUTHZ_TEXT, AUTHZ_NAME };

static bool
is_one_of(struct slice word, const char *const *words)
{
	for (; *words != NULL; words++)
		if (slice_is_eq_nocase(word, slice_of(*words)))
			return true;
	return false;
}

/* HEAD is WORD alone, or followed by SEP and more. */
static bool
is_head(struct slice head, struct slice word, char sep)
{
	return head.len >= word.len &&
	    slice_is_eq_nocase(slice(head.ptr, word.len), word) &&
	    (head.len == word.len || head.ptr[word.len] == sep);
}

/* What V is, and where the name or pattern in it begins. */
static enum authz_kind
authz_kind(struct slice v, size_t *begin_r)
{
	static const char *const schemes[] = { "ldap", "ldaps", "ldapi", NULL };
	static const char *const names[] = {
		"dn", "dn.exact", "dn.onelevel", "dn.children", "dn.subtree",
		NULL
	};
	const char *colon = v.len > 0 ? memchr(v.ptr, ':', v.len) : NULL;
	struct slice head, rest;

	*begin_r = 0;
	if (slice_is_eq(v, SLICE("*")))
		return AUTHZ_TEXT;
	if (colon == NULL)
		return v.len > 0 ? AUTHZ_NAME : AUTHZ_BAD;
	head = slice(v.ptr, (size_t)(colon - v.ptr));
	rest = slice_skip(v, head.len + 1);
	if (is_one_of(head, schemes))
		return AUTHZ_TEXT;
	if (is_one_of(head, names) || is_head(head, SLICE("group"), '/')) {
		*begin_r = head.len + 1;
		return rest.len == 0 ? AUTHZ_BAD :
		    slice_is_eq(rest, SLICE("*")) ? AUTHZ_TEXT : AUTHZ_NAME;
	}
	if (slice_is_eq_nocase(head, SLICE("dn.regex")) ||
	    is_head(head, SLICE("u"), '.') || is_head(head, SLICE("u"), '/'))
		return rest.len == 0 ? AUTHZ_BAD : AUTHZ_TEXT;
	return is_head(head, SLICE("dn"), '.') ? AUTHZ_BAD : AUTHZ_NAME;
}

int
validate_authz(const struct schema *schema, struct slice v)
{
	size_t begin;

	if (!text_is_utf8(v))
		return HB_ESYNTAX;
	switch (authz_kind(v, &begin)) {
	case AUTHZ_TEXT:
		return HB_OK;
	case AUTHZ_NAME:
		return validate_dn(schema, slice_skip(v, begin));
	case AUTHZ_BAD:
		break;
	}
	return HB_ESYNTAX;
}

int
norm_authz(const struct schema *schema, struct arena *arena,
    enum substr_part part, struct slice v, struct slice *norm_r)
{
	struct slice dn;
	size_t begin;
	int rc;

	switch (authz_kind(v, &begin)) {
	case AUTHZ_TEXT:
		return norm_case_exact(schema, arena, part, v, norm_r);
	case AUTHZ_NAME:
		break;
	case AUTHZ_BAD:
		return HB_ESYNTAX;
	}
	rc = norm_dn(schema, arena, part, slice_skip(v, begin), &dn);
	if (rc != HB_OK || begin == 0) {
		*norm_r = dn;
		return rc;
	}
	*norm_r = arena_printf(arena, "%.*s%.*s", (int)begin, v.ptr,
	    SLICE_ARG(dn));
	if (norm_r->ptr == NULL)
		return HB_ELIMIT;
	text_tolower((char *)(uintptr_t)norm_r->ptr, begin);
	return HB_OK;
}
