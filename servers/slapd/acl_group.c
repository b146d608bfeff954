/*
 * Groups in access rules and limits: static ones, an entry of a class with the
 * members' DNs in an attribute.
 */
#include "acl_int.h"
#include "conf.h"
#include "route.h"
#include "util/err.h"

/* The next piece of "group/class/attribute" up to '/' or the end. */
static struct slice
take_part(struct slice *s)
{
	const char *slash = memchr(s->ptr, '/', s->len);
	struct slice part = *s;

	if (slash != NULL)
		part.len = (size_t)(slash - s->ptr);
	*s = slice_skip(*s, part.len + (slash != NULL));
	return part;
}

static int
find_class(struct schema *schema, struct slice name, struct acl_group *g,
    struct diag *diag)
{
	if ((g->oc = schema_find_class(schema, name)) == NULL)
		return diag_err(diag, HB_EINVAL, "group: unknown object class "
		    "\"%.*s\"", SLICE_ARG(name));
	return HB_OK;
}

static int
find_attr(struct schema *schema, struct slice name, struct acl_group *g,
    struct diag *diag)
{
	const struct attr_type *url = schema_find_type(schema,
	    SLICE("labeledURI"));
	int rc;

	if ((rc = schema_desc(schema, name, &g->attr, diag)) != HB_OK) {
		diag_prefix(diag, "group");
		return rc;
	}
	if (url != NULL && attr_type_is_sub(g->attr->type, url))
		return diag_err(diag, HB_EUNSUPPORTED, "group: dynamic groups "
		    "(attribute \"%.*s\") are not supported yet",
		    SLICE_ARG(name));
	return HB_OK;
}

int
acl_group_parse(struct arena *arena, struct schema *schema, const char *word,
    struct acl_group *g, struct diag *diag)
{
	const char *eq = strchr(word, '=');
	struct slice left = slice(word, (size_t)(eq - word)), part;
	const char *dot = memrchr(left.ptr, '.', left.len);
	enum acl_style style = ACL_STYLE_EXACT;
	int rc;

	memset(g, 0, sizeof(*g));
	/* the style; an OID has dots too, but its last piece is a number */
	if (dot != NULL && acl_parse_style(slice_skip(left,
	    (size_t)(dot + 1 - left.ptr)), &style) == HB_OK)
		left.len = (size_t)(dot - left.ptr);
	if (style != ACL_STYLE_EXACT && style != ACL_STYLE_EXPAND)
		return diag_err(diag, HB_EINVAL, "group: style exact or expand "
		    "expected in \"%s\"", word);
	(void)take_part(&left);
	part = take_part(&left);
	if ((rc = find_class(schema, part.len > 0 ? part :
	    SLICE("groupOfNames"), g, diag)) != HB_OK)
		return rc;
	if ((rc = find_attr(schema, left.len > 0 ? left : SLICE("member"), g,
	    diag)) != HB_OK)
		return rc;
	if (style == ACL_STYLE_EXPAND) {
		g->pattern = arena_strdup(arena, eq + 1);
		return HB_OK;
	}
	return dn_parse(arena, schema, slice_of(eq + 1), &g->dn, diag);
}

static bool
entry_has_member(const struct op *op, const struct entry *e,
    const struct acl_group *g, const struct dn *who)
{
	struct entry_attr a;
	struct slice norm;

	if (!entry_is_class(e, op->schema, g->oc))
		return false;
	for (unsigned i = 0; i < entry_nattrs(e); i++) {
		entry_attr_at(e, i, &a);
		if (!attr_desc_is_sub(a.desc, g->attr))
			continue;
		while (entry_value_next(&a, NULL, &norm))
			if (slice_is_eq(norm, who->norm))
				return true;
	}
	return false;
}

static bool
look_up(struct op *op, const struct acl_group *g, const struct dn *dn,
    const struct dn *who)
{
	struct be_db *db = route_find(slapd_db_conf(op->db)->conf, dn);
	bool may_wait = op->may_wait, found;
	struct entry *e = NULL;

	if (db == NULL || db->be->entry_get == NULL)
		return false;
	/*
	 * An access decision cannot be put off, so a group that is not in
	 * memory is read by this thread, whoever waits: one entry, once an
	 * operation.
	 */
	op->may_wait = true;
	found = db->be->entry_get(db, op, dn, &e) == HB_OK &&
	    entry_has_member(op, e, g, who);
	op->may_wait = may_wait;
	entry_unref(&e);
	return found;
}

bool
acl_group_has(struct op *op, const struct acl_group *g, const struct dn *dn,
    const struct dn *who)
{
	struct access_cache *cache = acl_cache(op);
	struct acl_cached_group *c = cache != NULL ? cache->groups : NULL;
	bool found;

	for (; c != NULL; c = c->next)
		if (c->oc == g->oc && c->attr == g->attr &&
		    slice_is_eq(c->dn, dn->norm) &&
		    slice_is_eq(c->who, who->norm))
			return c->is_member;
	found = look_up(op, g, dn, who);
	if (cache != NULL &&
	    (c = arena_alloc(op->arena, sizeof(*c))) != NULL) {
		*c = (struct acl_cached_group){ dn->norm, g->oc, g->attr,
			who->norm, found, cache->groups };
		cache->groups = c;
	}
	return found;
}
