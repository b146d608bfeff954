/*
 * URLs of searches in this server (RFC 4516): of dynamic groups and of sets.
 */
#include "acl_int.h"
#include "util/err.h"
#include "util/text.h"

#define PREFIX		"ldap:///"

bool
acl_is_url(struct slice text)
{
	return text.len >= sizeof(PREFIX) - 1 &&
	    strncasecmp(text.ptr, PREFIX, sizeof(PREFIX) - 1) == 0;
}

/* The part up to AT or the end, decoded into ARENA; NONE: no room. */
static struct slice
take_part(struct arena *arena, struct slice *s, char at)
{
	const char *p = memchr(s->ptr, at, s->len);
	size_t len = p != NULL ? (size_t)(p - s->ptr) : s->len, n = 0;
	char *out = arena_alloc(arena, len + 1);

	for (size_t i = 0; i < len && out != NULL; i++) {
		int hi = -1, lo = -1;

		if (s->ptr[i] == '%' && i + 2 < len) {
			hi = text_hex_value(s->ptr[i + 1]);
			lo = text_hex_value(s->ptr[i + 2]);
		}
		if (hi >= 0 && lo >= 0) {
			out[n++] = (char)(hi << 4 | lo);
			i += 2;
		} else {
			out[n++] = s->ptr[i];
		}
	}
	*s = slice_skip(*s, p != NULL ? len + 1 : len);
	return out != NULL ? slice(out, n) : SLICE_NONE;
}

static int
parse_scope(struct slice text, enum acl_style *scope_r, struct diag *diag)
{
	static const struct {
		const char *word;
		enum acl_style scope;
	} words[] = {
		{ "", ACL_STYLE_EXACT }, { "base", ACL_STYLE_EXACT },
		{ "one", ACL_STYLE_ONE }, { "onelevel", ACL_STYLE_ONE },
		{ "sub", ACL_STYLE_SUB }, { "subtree", ACL_STYLE_SUB },
		{ "subordinate", ACL_STYLE_CHILDREN },
		{ "children", ACL_STYLE_CHILDREN }
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (slice_is_eq_nocase(text, slice_of(words[i].word))) {
			*scope_r = words[i].scope;
			return HB_OK;
		}
	return diag_err(diag, HB_EINVAL, "URL: unknown scope \"%.*s\": base, "
	    "one, sub or children expected", SLICE_ARG(text));
}

static int
parse_attrs(struct arena *arena, struct schema *schema, struct slice text,
    struct acl_url *u, struct diag *diag)
{
	int rc;

	if (text.len == 0)
		return HB_OK;
	u->attrs = arena_calloc(arena, text.len / 2 + 1, sizeof(*u->attrs));
	if (u->attrs == NULL)
		return HB_ELIMIT;
	while (text.len > 0) {
		struct slice name = take_part(arena, &text, ',');

		if (name.len == 0)
			continue;
		rc = schema_desc(schema, name, &u->attrs[u->nattrs], diag);
		if (rc != HB_OK)
			return rc;
		u->nattrs++;
	}
	return HB_OK;
}

static int
parse_filter(struct arena *arena, struct schema *schema, struct slice text,
    struct acl_url *u, struct diag *diag)
{
	struct ldap_filter *src;
	struct filter *f;
	int rc;

	rc = filter_parse(arena, text.len > 0 ? text :
	    SLICE("(objectClass=*)"), &src, diag);
	if (rc == HB_OK)
		rc = filter_resolve(arena, schema, src, &f);
	if (rc == HB_OK)
		u->filter = f;
	return rc;
}

int
acl_url_parse(struct arena *arena, struct schema *schema, struct slice text,
    struct acl_url *u, struct diag *diag)
{
	struct slice s = text, base, attrs, scope, filter, rest;
	int rc;

	memset(u, 0, sizeof(*u));
	if (!acl_is_url(text))
		return diag_err(diag, HB_EINVAL, "URL: \"%.*s\" does not begin "
		    "with " PREFIX, SLICE_ARG(text));
	s = slice_skip(s, sizeof(PREFIX) - 1);
	base = take_part(arena, &s, '?');
	attrs = take_part(arena, &s, '?');
	scope = take_part(arena, &s, '?');
	filter = take_part(arena, &s, '?');
	rest = s;
	if (slice_is_none(filter))
		return HB_ELIMIT;
	if (rest.len > 0)
		return diag_err(diag, HB_EINVAL, "URL: extensions \"%.*s\" are "
		    "not supported", SLICE_ARG(rest));
	if ((rc = dn_parse(arena, schema, base, &u->base, diag)) != HB_OK ||
	    (rc = parse_attrs(arena, schema, attrs, u, diag)) != HB_OK ||
	    (rc = parse_scope(scope, &u->scope, diag)) != HB_OK)
		return rc;
	return parse_filter(arena, schema, filter, u, diag);
}

bool
acl_url_has(const struct acl_url *u, const struct schema *schema,
    const struct entry *e)
{
	return acl_dn_match(u->scope, 0, &e->dn, &u->base) &&
	    filter_eval(u->filter, schema, e, NULL, NULL) == FILTER_TRUE;
}
