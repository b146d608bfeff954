/*
 * Schema check of a whole entry (RFC 4512 2.4, 2.5, 4.1). Every violation is
 * reported, the first one decides the result.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

#include "check_int.h"
#include "util/err.h"

#define NAME_SHOWN_MAX	64

HB_PRINTF(3, 4) static void
violation(struct check *c, int rc, const char *fmt, ...)
{
	char text[DIAG_TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	diag_add(c->diag, "%s", text);
	/* the name is what cannot be mended by adding something */
	if (c->rc == HB_OK || (rc == HB_ENOTONRDN && c->rc == HB_EOBJECTCLASS))
		c->rc = rc;
}

static const char *
type_name(const struct attr_type *at)
{
	return at->names != NULL && at->names[0] != NULL ? at->names[0] :
	    at->oid;
}

static bool
has_type(const struct check *c, const struct attr_type *at)
{
	unsigned i;

	for (i = 0; i < c->attrs->n; i++)
		if (c->attrs->v[i].desc->type == at && c->attrs->v[i].n > 0)
			return true;
	return false;
}

static bool
type_in(const struct attr_type *const *list, const struct attr_type *at)
{
	for (; list != NULL && *list != NULL; list++)
		if (*list == at)
			return true;
	return false;
}

static bool
is_relaxed(const struct check *c)
{
	return (c->flags & ENTRY_CHECK_RELAX) != 0;
}

/* ---- classes ---- */

/* OC and what is above it into ALL, each once. Depth is that of the schema. */
static int
collect_class(struct check *c, const struct object_class *oc)
{
	const struct object_class **v;
	unsigned i, cap;
	int rc = HB_OK;

	for (i = 0; i < c->nall; i++)
		if (c->all[i] == oc)
			return HB_OK;
	if (c->nall == c->cap) {
		cap = c->cap == 0 ? 16 : c->cap * 2;
		if ((v = arena_calloc(c->arena, cap, sizeof(*v))) == NULL)
			return HB_ELIMIT;
		if (c->nall > 0)
			memcpy(v, c->all, c->nall * sizeof(*v));
		c->all = v;
		c->cap = cap;
	}
	c->all[c->nall++] = oc;
	for (i = 0; oc->sups != NULL && oc->sups[i] != NULL && rc == HB_OK; i++)
		rc = collect_class(c, oc->sups[i]);
	return rc;
}

/* A value that names no class is none of its syntax (RFC 4512 3.3). */
static void
unknown_class(struct check *c, unsigned i, struct slice name)
{
	const char *near;

	/* names are read by people, other values are not printed */
	for (size_t k = 0; k < name.len; k++)
		if (!isalnum((unsigned char)name.ptr[k]) &&
		    strchr("-._", name.ptr[k]) == NULL)
			name.len = 0;
	if (name.len == 0 || name.len > NAME_SHOWN_MAX ||
	    diag_is_full(c->diag)) {
		violation(c, HB_ESYNTAX,
		    "objectClass: value #%u invalid per syntax", i);
		return;
	}
	near = schema_nearest_class(c->schema, name);
	violation(c, HB_ESYNTAX, "objectClass: value #%u invalid per syntax: "
	    "no object class '%.*s' is known%s%s%s", i, SLICE_ARG(name),
	    near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
	    near != NULL ? "'?" : "");
}

static int
find_classes(struct check *c)
{
	const struct object_class *oc;
	const struct attr *a;
	unsigned i;
	int rc;

	a = attrs_find(c->attrs, c->basics->object_class);
	if (a == NULL || a->n == 0) {
		violation(c, HB_EOBJECTCLASS, "no objectClass attribute");
		return HB_OK;
	}
	c->listed = arena_calloc(c->arena, a->n, sizeof(*c->listed));
	if (c->listed == NULL)
		return HB_ELIMIT;
	for (i = 0; i < a->n; i++) {
		if ((oc = schema_find_class(c->schema, a->values[i])) == NULL) {
			unknown_class(c, i, a->values[i]);
			continue;
		}
		c->listed[c->nlisted++] = oc;
		c->extensible |= object_class_is_sub(oc,
		    c->basics->extensible);
		if ((rc = collect_class(c, oc)) != HB_OK)
			return rc;
	}
	return HB_OK;
}

/* RFC 4512 2.4.2: one structural class is below all others. */
static void
check_chain(struct check *c)
{
	const struct object_class *top = NULL, *oc;
	unsigned i;

	for (i = 0; i < c->nlisted; i++) {
		oc = c->listed[i];
		if (oc->kind != CLASS_STRUCTURAL ||
		    (top != NULL && object_class_is_sub(top, oc)))
			continue;
		if (top != NULL && !object_class_is_sub(oc, top)) {
			violation(c, HB_EOBJECTCLASS,
			    "invalid structural object class chain (%s/%s)",
			    class_name(top), class_name(oc));
			continue;
		}
		top = oc;
	}
	if (top == NULL && c->nlisted > 0) {
		violation(c, HB_EOBJECTCLASS,
		    "no structural object class provided");
		c->name_classes = true;
	}
	c->structural = top;
}

/* An abstract class is there through a class below it only. */
static void
check_abstract(struct check *c, const struct object_class *oc)
{
	unsigned i;

	for (i = 0; i < c->nlisted; i++)
		if (c->listed[i] != oc &&
		    c->listed[i]->kind != CLASS_ABSTRACT &&
		    object_class_is_sub(c->listed[i], oc))
			return;
	/* top says nothing, and the missing structural class was reported */
	if (oc->sups == NULL || oc->sups[0] == NULL)
		return;
	violation(c, HB_EOBJECTCLASS,
	    "instantiation of abstract object class '%s' not allowed",
	    class_name(oc));
}

static void
check_kinds(struct check *c)
{
	unsigned i;

	for (i = 0; i < c->nlisted; i++) {
		const struct object_class *oc = c->listed[i];

		if (oc->obsolete && !is_relaxed(c))
			violation(c, HB_EOBJECTCLASS,
			    "object class '%s' is obsolete", class_name(oc));
		if (oc->kind == CLASS_ABSTRACT)
			check_abstract(c, oc);
	}
}

static int
set_structural(struct check *c)
{
	const struct attr_desc *desc;
	const struct object_class *old;
	const struct attr *a;
	struct slice value, norm;
	int rc;

	if (c->structural == NULL)
		return HB_OK;
	desc = c->basics->structural_class;
	a = attrs_find(c->attrs, desc);
	old = a == NULL || a->n == 0 ? NULL :
	    schema_find_class(c->schema, a->values[0]);
	if ((c->flags & ENTRY_CHECK_MODIFY) != 0 && old != NULL &&
	    old != c->structural && !is_relaxed(c))
		violation(c, HB_ECLASSMODS, "structural object class "
		    "modification from '%s' to '%s' not allowed",
		    class_name(old), class_name(c->structural));
	if (old == c->structural)
		return HB_OK;
	value = slice_of(class_name(c->structural));
	rc = schema_norm_value(c->schema, c->arena, desc, value, &norm);
	return rc != HB_OK ? rc : attrs_set(c->arena, c->attrs, desc, value,
	    norm);
}

/* ---- MUST, content rule ---- */

/* The class that the entry lists and that OC comes from. */
static const struct object_class *
listed_below(const struct check *c, const struct object_class *oc)
{
	for (unsigned i = 0; i < c->nlisted; i++)
		if (object_class_is_sub(c->listed[i], oc))
			return c->listed[i];
	return oc;
}

static void
check_must(struct check *c)
{
	const struct attr_type *const *must;
	unsigned i;

	for (i = 0; i < c->nall; i++)
		for (must = c->all[i]->must; must != NULL && *must != NULL;
		    must++)
			if (!has_type(c, *must))
				violation(c, HB_EOBJECTCLASS,
				    "object class '%s' requires attribute '%s'",
				    class_name(listed_below(c, c->all[i])),
				    type_name(*must));
}

const struct content_rule *
check_content_rule_of(const struct check *c)
{
	const struct content_rule *r = c->structural == NULL ? NULL :
	    c->structural->content_rule;

	return r == NULL || r->obsolete ? NULL : r;
}

static void
check_content_rule(struct check *c)
{
	const struct content_rule *r = check_content_rule_of(c);
	const struct attr_type *const *at;
	const char *name;
	unsigned i, j;

	if (r == NULL)
		return;
	name = r->names != NULL && r->names[0] != NULL ? r->names[0] : r->oid;
	for (i = 0; i < c->nlisted; i++) {
		if (c->listed[i]->kind != CLASS_AUXILIARY)
			continue;
		for (j = 0; r->aux != NULL && r->aux[j] != NULL; j++)
			if (object_class_is_sub(r->aux[j], c->listed[i]))
				break;
		if (r->aux == NULL || r->aux[j] == NULL)
			violation(c, HB_EOBJECTCLASS, "object class '%s' not "
			    "allowed by content rule '%s'",
			    class_name(c->listed[i]), name);
	}
	for (at = r->must; at != NULL && *at != NULL; at++)
		if (!has_type(c, *at))
			violation(c, HB_EOBJECTCLASS,
			    "content rule '%s' requires attribute '%s'", name,
			    type_name(*at));
	for (at = r->not; at != NULL && *at != NULL; at++)
		if (has_type(c, *at))
			violation(c, HB_EOBJECTCLASS,
			    "content rule '%s' precludes attribute '%s'", name,
			    type_name(*at));
}

/* ---- attributes ---- */

static void
not_allowed(struct check *c, const struct attr_desc *desc)
{
	char advice[ADVICE_MAX] = "";

	if (!diag_is_full(c->diag))
		advice_allowing(c, desc->type, advice);
	violation(c, HB_EOBJECTCLASS, "attribute '%.*s' not allowed%s",
	    SLICE_ARG(desc->name), advice);
	c->name_classes = true;
}

/* What the other messages cannot be understood without. */
static void
name_classes(struct check *c)
{
	char names[ADVICE_MAX];

	if (!c->name_classes || diag_is_full(c->diag))
		return;
	advice_classes(c, names);
	diag_add(c->diag, "the entry's object class%s %s",
	    c->nlisted == 1 ? " is" : "es are", names);
}

static bool
is_allowed(const struct check *c, const struct attr_type *at)
{
	const struct content_rule *r = check_content_rule_of(c);
	unsigned i;

	if (at->usage != USAGE_USER || c->extensible)
		return (at->flags & AT_UNDEFINED) == 0;
	for (i = 0; i < c->nlisted; i++)
		if (object_class_allows(c->listed[i], at))
			return true;
	return r != NULL && (type_in(r->must, at) || type_in(r->may, at));
}

/* Collective attributes are held by their subentry alone (RFC 3671 2.1). */
static bool
is_collective_subentry(const struct check *c)
{
	unsigned i;

	for (i = 0; i < c->nlisted; i++)
		if (object_class_is_sub(c->listed[i],
		    c->basics->collective_subentry))
			return true;
	return false;
}

/* The subentry may hold all that are collective, whatever its classes say. */
static void
check_collective(struct check *c, const struct attr_desc *desc)
{
	if (is_collective_subentry(c) || is_relaxed(c))
		return;
	violation(c, HB_EOBJECTCLASS, "attribute '%.*s' is collective: only a "
	    "collectiveAttributeSubentry holds it", SLICE_ARG(desc->name));
}

static void
check_attr(struct check *c, const struct attr *a)
{
	const struct attr_type *at = a->desc->type;

	if (a->n > 1 && (at->flags & AT_SINGLE_VALUE) != 0)
		violation(c, HB_ECONSTRAINT,
		    "attribute '%.*s' cannot have multiple values",
		    SLICE_ARG(a->desc->name));
	if ((at->flags & AT_COLLECTIVE) != 0) {
		check_collective(c, a->desc);
		return;
	}
	if (c->nlisted > 0 && !is_allowed(c, at))
		not_allowed(c, a->desc);
	/* a modification of the attribute itself was looked at before */
	if ((at->flags & AT_OBSOLETE) != 0 && !is_relaxed(c) &&
	    (c->flags & ENTRY_CHECK_MODIFY) == 0)
		violation(c, HB_ECONSTRAINT, "attribute '%.*s' is obsolete",
		    SLICE_ARG(a->desc->name));
}

/* ---- naming ---- */

static const char *
naming_fault(const struct attr_type *at)
{
	if ((at->flags & AT_UNDEFINED) != 0)
		return "is not in the schema";
	if (at->usage != USAGE_USER)
		return "is operational";
	if ((at->flags & AT_COLLECTIVE) != 0)
		return "is collective";
	if ((at->flags & AT_OBSOLETE) != 0)
		return "is obsolete";
	return at->equality == NULL ? "has no equality matching rule" : NULL;
}

static void
check_ava(struct check *c, const struct ava *ava)
{
	int missing = (c->flags & ENTRY_CHECK_MODIFY) != 0 ? HB_ENOTONRDN :
	    HB_ENAMING;
	const struct slice name = ava->desc->name;
	const struct attr *a = attrs_find(c->attrs, ava->desc);
	const char *fault = naming_fault(ava->desc->type);

	if (fault != NULL && !is_relaxed(c))
		violation(c, HB_ENAMING, "naming attribute '%.*s' %s",
		    SLICE_ARG(name), fault);
	if (a == NULL)
		violation(c, missing, "naming attribute '%.*s' is not present "
		    "in entry", SLICE_ARG(name));
	else if (attr_find_norm(a, ava->norm) != VALUE_NONE)
		return;
	else if ((ava->desc->type->flags & AT_SINGLE_VALUE) != 0)
		violation(c, missing, NAMING_CONFLICT, SLICE_ARG(name));
	else
		violation(c, missing, "value of naming attribute '%.*s' is "
		    "not present in entry", SLICE_ARG(name));
}

static int
check_naming(struct check *c)
{
	struct ava *avas;
	unsigned i, n;
	int rc;

	if (dn_is_empty(c->dn))
		return HB_OK;
	rc = dn_rdn_avas(c->arena, c->schema, c->dn, &avas, &n);
	for (i = 0; rc == HB_OK && i < n; i++)
		check_ava(c, &avas[i]);
	return rc;
}

int
entry_check(struct arena *arena, struct schema *schema, const struct dn *dn,
    struct attrs *attrs, unsigned flags, struct diag *diag)
{
	struct check c = {
		.arena = arena, .schema = schema, .dn = dn, .attrs = attrs,
		.flags = flags, .diag = diag, .basics = schema_basics(schema)
	};
	unsigned i;
	int rc;

	if ((rc = find_classes(&c)) != HB_OK)
		return rc;
	check_chain(&c);
	check_kinds(&c);
	if ((rc = set_structural(&c)) != HB_OK ||
	    (rc = check_naming(&c)) != HB_OK)
		return rc;
	check_content_rule(&c);
	for (i = 0; i < attrs->n; i++)
		check_attr(&c, &attrs->v[i]);
	check_must(&c);
	name_classes(&c);
	return c.rc;
}
