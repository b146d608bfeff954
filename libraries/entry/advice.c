/*
 * What a message about an entry's classes and attributes adds to the fact:
 * which classes would allow an attribute, which ones the entry has.
 */
#include <stdio.h>

#include "check_int.h"

/* Names in one list; more are "...". */
#define NAMES_MAX	3

struct list {
	char *out;
	size_t size, len;
	unsigned n;
};

static void
list_add(struct list *l, const char *name)
{
	int n = 0;

	if (l->n < NAMES_MAX)
		n = snprintf(l->out + l->len, l->size - l->len, "%s'%s'",
		    l->n > 0 ? ", " : "", name);
	else if (l->n == NAMES_MAX)
		n = snprintf(l->out + l->len, l->size - l->len, ", ...");
	if (n > 0 && (size_t)n < l->size - l->len)
		l->len += (size_t)n;
	l->out[l->len] = '\0';
	l->n++;
}

static bool
rule_permits(const struct content_rule *r, const struct object_class *oc)
{
	if (r == NULL)
		return true;
	for (unsigned i = 0; r->aux[i] != NULL; i++)
		if (object_class_is_sub(r->aux[i], oc))
			return true;
	return false;
}

/* Could the entry take class OC on, and would OC allow AT? */
static bool
would_help(const struct check *c, const struct object_class *oc,
    const struct attr_type *at)
{
	if (oc->hidden || oc->obsolete || oc == c->basics->extensible ||
	    !object_class_allows(oc, at))
		return false;
	switch (oc->kind) {
	case CLASS_AUXILIARY:
		return rule_permits(check_content_rule_of(c), oc);
	case CLASS_STRUCTURAL:
		return (c->flags & ENTRY_CHECK_MODIFY) == 0 &&
		    (c->structural == NULL ||
		    object_class_is_sub(oc, c->structural));
	case CLASS_ABSTRACT:
		break;
	}
	return false;
}

/* Of a class and its superior the superior is enough. */
static bool
sup_would_help(const struct check *c, const struct object_class *oc,
    const struct attr_type *at)
{
	for (unsigned i = 0; oc->sups[i] != NULL; i++)
		if (would_help(c, oc->sups[i], at) ||
		    sup_would_help(c, oc->sups[i], at))
			return true;
	return false;
}

void
advice_allowing(const struct check *c, const struct attr_type *at,
    char out[ADVICE_MAX])
{
	const struct object_class *oc;
	char names[ADVICE_MAX - 48] = "";
	struct list l = { names, sizeof(names), 0, 0 };

	out[0] = '\0';
	if ((at->flags & AT_UNDEFINED) != 0)
		return;
	for (uint32_t i = 0; (oc = schema_class_by_id(c->schema, i)) != NULL;
	    i++)
		if (would_help(c, oc, at) && !sup_would_help(c, oc, at))
			list_add(&l, class_name(oc));
	if (l.n > 0)
		snprintf(out, ADVICE_MAX, " (object class%s %s would allow it)",
		    l.n > 1 ? "es" : "", names);
}

void
advice_classes(const struct check *c, char out[ADVICE_MAX])
{
	struct list l = { out, ADVICE_MAX, 0, 0 };

	out[0] = '\0';
	for (unsigned i = 0; i < c->nlisted; i++)
		list_add(&l, class_name(c->listed[i]));
}
