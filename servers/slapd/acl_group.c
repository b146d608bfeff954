/*
 * Groups in access rules and limits: an entry of a class with an attribute that
 * has the members' DNs or, of a dynamic group, URLs of searches for them.
 */
#include "acl_int.h"
#include "conf.h"
#include "route.h"
#include "util/err.h"

#define GROUPS_MAX	64

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
	g->is_dynamic = url != NULL && attr_type_is_sub(g->attr->type, url);
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

/* The entry DN, in whatever database. HB_OK, HB_ENOENT, HB_EDEFER, ... */
static int
get_entry(struct op *op, const struct dn *dn, struct entry **e_r)
{
	struct be_db *db = route_find(slapd_db_conf(op->db)->conf, dn);

	return db == NULL || db->be->entry_get == NULL ? HB_ENOENT :
	    db->be->entry_get(db, op, dn, e_r);
}

static int
has_static_member(const struct entry *e, const struct acl_group *g,
    const struct dn *who, bool *is_r)
{
	struct entry_attr a;

	for (unsigned i = 0; i < entry_nattrs(e) && !*is_r; i++) {
		entry_attr_at(e, i, &a);
		*is_r = attr_desc_is_sub(a.desc, g->attr) &&
		    entry_attr_has_norm(a, who->norm);
	}
	return HB_OK;
}

/* WHO's entry is read for the first URL that is one. */
static int
has_dynamic_member(struct op *op, const struct entry *e,
    const struct acl_group *g, const struct dn *who, bool *is_r)
{
	struct arena arena;
	struct entry *user = NULL;
	struct entry_attr a;
	struct acl_url url;
	struct slice value;
	int rc = HB_OK;

	arena_init(&arena, 0);
	for (unsigned i = 0; i < entry_nattrs(e); i++) {
		entry_attr_at(e, i, &a);
		if (!attr_desc_is_sub(a.desc, g->attr))
			continue;
		while (!*is_r && entry_value_next(&a, &value, NULL)) {
			if (acl_url_parse(&arena, op->schema, value, &url,
			    NULL) != HB_OK)
				continue;
			if (user == NULL &&
			    (rc = get_entry(op, who, &user)) != HB_OK)
				goto out;
			*is_r = acl_url_has(&url, op->schema, user);
		}
	}
out:
	entry_unref(&user);
	arena_fini(&arena);
	return rc;
}

static int
look_up(struct op *op, const struct acl_group *g, const struct dn *dn,
    const struct dn *who, bool *is_r)
{
	struct entry *e = NULL;
	int rc = get_entry(op, dn, &e);

	*is_r = false;
	if (rc == HB_OK && entry_is_class(e, op->schema, g->oc))
		rc = g->is_dynamic ? has_dynamic_member(op, e, g, who, is_r) :
		    has_static_member(e, g, who, is_r);
	entry_unref(&e);
	return rc;
}

static void
remember(struct op *op, struct access_cache *cache, const struct acl_group *g,
    const struct dn *dn, const struct dn *who, bool is_member)
{
	struct acl_cached_group *c;
	struct slice name;

	/* of expanded names there may be as many as entries */
	if (cache->ngroups >= GROUPS_MAX ||
	    (c = arena_alloc(op->arena, sizeof(*c))) == NULL ||
	    (name = arena_slice(op->arena, dn->norm)).ptr == NULL)
		return;
	*c = (struct acl_cached_group){ name, g->oc, g->attr, who->norm,
		is_member, cache->groups };
	cache->groups = c;
	cache->ngroups++;
}

bool
acl_group_has(struct op *op, const struct acl_group *g, const struct dn *dn,
    const struct dn *who)
{
	struct access_cache *cache = acl_cache(op);
	struct acl_cached_group *c = cache != NULL ? cache->groups : NULL;
	bool is_member;
	int rc;

	for (; c != NULL; c = c->next)
		if (c->oc == g->oc && c->attr == g->attr &&
		    slice_is_eq(c->dn, dn->norm) &&
		    slice_is_eq(c->who, who->norm))
			return c->is_member;
	if ((rc = look_up(op, g, dn, who, &is_member)) == HB_EDEFER)
		acl_must_wait(op);
	else if (cache != NULL)
		remember(op, cache, g, dn, who, is_member);
	return rc == HB_OK && is_member;
}
