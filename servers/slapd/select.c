/*
 * The attribute list of a search (RFC 4511 4.5.1.8; 3673 "+"; 4529 "@class"),
 * resolved once: names that the schema does not know are no error and mean
 * nothing.
 */
#include "select.h"

#include "server.h"
#include "util/err.h"

static const struct attr_select select_all_user = {
	.user_all = true, .is_plain = true
};

/* What NAME adds to S. */
static void
select_add(struct fop *f, struct attr_select *s, struct slice name)
{
	const struct schema *schema = f->op.schema;
	const struct object_class *oc;
	const struct attr_desc *desc;

	if (slice_is_eq(name, SLICE("*"))) {
		s->user_all = true;
	} else if (slice_is_eq(name, SLICE("+"))) {
		s->operational_all = true;
		s->computed = SELECT_ENTRY_DN | SELECT_SUBSCHEMA |
		    SELECT_HAS_SUBORDINATES;
	} else if (name.len > 1 && (name.ptr[0] == '@' ||
	    name.ptr[0] == '!')) {
		oc = schema_find_class(schema, slice_skip(name, 1));
		if (oc == NULL)
			return;
		if (name.ptr[0] == '@')
			s->classes[s->nclasses++] = oc;
		else
			s->excluded[s->nexcluded++] = oc;
	} else if (!slice_is_eq(name, SLICE("1.1")) &&
	    schema_desc(f->op.schema, name, &desc, NULL) == HB_OK) {
		s->descs[s->ndescs++] = desc;
		for (unsigned i = 0; i < SELECT_NCOMPUTED; i++)
			if (attr_desc_is_sub(f->server->computed[i], desc))
				s->computed |= 1u << i;
	}
}

int
select_make(struct fop *f, const struct slice *names, unsigned n,
    const struct attr_select **select_r)
{
	struct arena *arena = f->op.arena;
	struct attr_select *s;

	*select_r = &select_all_user;
	if (n == 0 || (n == 1 && slice_is_eq(names[0], SLICE("*"))))
		return HB_OK;
	s = arena_zalloc(arena, sizeof(*s));
	if (s == NULL ||
	    (s->descs = arena_calloc(arena, n, sizeof(*s->descs))) == NULL ||
	    (s->classes = arena_calloc(arena, n, sizeof(*s->classes))) == NULL ||
	    (s->excluded = arena_calloc(arena, n, sizeof(*s->excluded))) == NULL)
		return HB_ELIMIT;
	for (unsigned i = 0; i < n; i++)
		select_add(f, s, names[i]);
	/* "all but this class" asks for all */
	if (s->nexcluded > 0 && s->ndescs == 0 && s->nclasses == 0)
		s->user_all = true;
	*select_r = s;
	return HB_OK;
}

/* RFC 4529: what OC allows, and the subtypes of that. */
static bool
class_has(const struct object_class *oc, const struct attr_type *type)
{
	for (; type != NULL; type = type->sup)
		if (object_class_allows(oc, type))
			return true;
	return false;
}

bool
select_has(const struct attr_select *s, const struct attr_desc *desc)
{
	bool operational = attr_desc_is_operational(desc);

	for (unsigned i = 0; i < s->nexcluded; i++)
		if (class_has(s->excluded[i], desc->type))
			return false;
	if (operational ? s->operational_all : s->user_all)
		return true;
	for (unsigned i = 0; i < s->ndescs; i++)
		if (attr_desc_is_sub(desc, s->descs[i]))
			return true;
	for (unsigned i = 0; i < s->nclasses; i++)
		if (class_has(s->classes[i], desc->type))
			return true;
	return false;
}
