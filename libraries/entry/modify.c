/*
 * Modifications on the editable form (RFC 4511 4.6, RFC 4525). SINGLE-VALUE,
 * MUST and the like are not looked at here: only the result of all
 * modifications has to conform, see entry_check().
 */
#include <stdio.h>

#include "attrs_int.h"
#include "util/err.h"

#define SYNTAX_INTEGER	"1.3.6.1.4.1.1466.115.121.1.27"

/* Lookups in a large attribute after which an index pays. */
#define LOOKUPS_LINEAR_MAX	8

/*
 * The attribute that is worked on. It stays open over modifications of the
 * same description, so a thousand of one value each build one index.
 */
struct session {
	struct arena *arena;
	const struct schema *schema;
	struct attrs *attrs;
	struct diag *diag;
	const struct attr_desc *desc;	/* NULL: none open */
	struct attr *attr;		/* NULL: the entry does not have it */
	struct value_index index;	/* .attr NULL: not built */
	unsigned lookups;
};

int
mod_fault(const struct mod *m, int err, const char *what, struct diag *diag)
{
	static const char *const verbs[] = {
		[MOD_ADD] = "add", [MOD_DELETE] = "delete",
		[MOD_REPLACE] = "replace", [MOD_INCREMENT] = "increment",
		[MOD_SOFT_ADD] = "add", [MOD_SOFT_DELETE] = "delete"
	};

	return diag_err(diag, err, "modify/%s: %.*s: %s", verbs[m->type],
	    SLICE_ARG(m->desc->name), what);
}

static void
session_close(struct session *s)
{
	value_index_close(&s->index);
	if (s->attr != NULL && s->attr->n == 0)
		attrs_remove(s->attrs, s->attr);
	s->desc = NULL;
	s->attr = NULL;
}

static void
session_open(struct session *s, const struct attr_desc *desc)
{
	if (s->desc == desc)
		return;
	session_close(s);
	s->desc = desc;
	s->attr = attrs_find(s->attrs, desc);
	s->index.attr = NULL;
	s->lookups = 0;
}

/* An attribute that was emptied leaves the list at once: added again, it stands last. */
static void
session_drop_empty(struct session *s)
{
	const struct attr_desc *desc = s->desc;

	if (s->attr != NULL && s->attr->n == (s->index.attr == NULL ? 0 :
	    s->index.holes)) {
		session_close(s);
		session_open(s, desc);
	}
}

/* Position of NORM in the open attribute. MORE lookups are to come. */
static int
find_value(struct session *s, struct slice norm, unsigned more,
    unsigned *pos_r)
{
	int rc;

	*pos_r = VALUE_NONE;
	if (s->attr == NULL)
		return HB_OK;
	if (s->index.attr == NULL && s->attr->n > VALUES_LINEAR_MAX &&
	    ++s->lookups + more > LOOKUPS_LINEAR_MAX &&
	    (rc = value_index_open(s->arena, &s->index, s->attr, more)) != HB_OK)
		return rc;
	*pos_r = s->index.attr != NULL ? value_index_find(&s->index, norm) :
	    attr_find_norm(s->attr, norm);
	return HB_OK;
}

static int
value_exists(struct session *s, const struct mod *m, unsigned i)
{
	char what[48];

	snprintf(what, sizeof(what), "value #%u already exists", i);
	return mod_fault(m, HB_EVALEXISTS, what, s->diag);
}

static int
add_values(struct session *s, const struct mod *m)
{
	unsigned i, pos;
	int rc;

	if (m->n == 0)
		return mod_fault(m, HB_EPROTO, "no values given", s->diag);
	if (s->attr == NULL && (s->attr = attrs_append(s->arena, s->attrs,
	    m->desc)) == NULL)
		return HB_ELIMIT;
	if ((rc = attr_reserve(s->arena, s->attr, m->n)) != HB_OK)
		return rc;
	for (i = 0; i < m->n; i++) {
		rc = find_value(s, m->norms[i], m->n - i, &pos);
		if (rc != HB_OK)
			return rc;
		if (pos != VALUE_NONE && m->type == MOD_SOFT_ADD)
			continue;
		if (pos != VALUE_NONE)
			return value_exists(s, m, i);
		attr_push(s->attr, m->values[i], m->norms[i]);
		if (s->index.attr != NULL && (rc = value_index_add(s->arena,
		    &s->index, s->attr->n - 1)) != HB_OK)
			return rc;
	}
	return HB_OK;
}

static void
remove_all(struct session *s)
{
	const struct attr_desc *desc = s->desc;

	s->index.attr = NULL;
	s->attr->n = 0;
	session_close(s);
	session_open(s, desc);
}

static int
delete_missing(struct session *s, const struct mod *m, const char *what)
{
	if (m->type == MOD_SOFT_DELETE)
		return HB_OK;
	return mod_fault(m, HB_ENOSUCHATTR, what, s->diag);
}

static int
delete_values(struct session *s, const struct mod *m)
{
	unsigned i, pos;
	int rc;

	if (m->n > 0 && m->desc->type->equality == NULL)
		return mod_fault(m, HB_EMATCHING, "no equality matching rule",
		    s->diag);
	if (s->attr == NULL)
		return delete_missing(s, m, "no such attribute");
	if (m->n == 0)
		remove_all(s);
	for (i = 0; i < m->n; i++) {
		rc = find_value(s, m->norms[i], m->n - i, &pos);
		if (rc == HB_OK && pos == VALUE_NONE)
			rc = delete_missing(s, m, "no such value");
		if (rc != HB_OK)
			return rc;
		if (pos == VALUE_NONE)
			continue;
		if (s->index.attr != NULL)
			value_index_remove(&s->index, pos);
		else
			attr_remove_at(s->attr, pos);
	}
	session_drop_empty(s);
	return HB_OK;
}

static int
replace_values(struct session *s, const struct mod *m)
{
	if (s->attr != NULL)
		remove_all(s);
	return m->n == 0 ? HB_OK : add_values(s, m);
}

static int
increment_values(struct session *s, const struct mod *m)
{
	const struct slice name = m->desc->name;
	const struct syntax *syn = m->desc->type->syntax;
	unsigned i;
	int rc = HB_OK;

	if (m->n != 1)
		return mod_fault(m, HB_EPROTO, "exactly one value expected",
		    s->diag);
	if (syn == NULL || strcmp(syn->oid, SYNTAX_INTEGER) != 0)
		return diag_err(s->diag, HB_ECONSTRAINT,
		    "%.*s: attribute syntax inappropriate for increment",
		    SLICE_ARG(name));
	if (s->attr == NULL)
		return mod_fault(m, HB_ENOSUCHATTR, "no such attribute",
		    s->diag);
	value_index_close(&s->index);	/* all normal forms change */
	for (i = 0; i < s->attr->n && rc == HB_OK; i++) {
		rc = decimal_add(s->arena, s->attr->values[i], m->values[0],
		    &s->attr->values[i]);
		if (rc == HB_OK)
			rc = schema_norm_value(s->schema, s->arena, m->desc,
			    s->attr->values[i], &s->attr->norms[i]);
	}
	if (rc == HB_ESYNTAX)
		mod_fault(m, rc, "invalid integer", s->diag);
	return rc;
}

static int
apply(struct session *s, const struct mod *m)
{
	if (!m->internal && (m->desc->type->flags & AT_NO_USER_MOD) != 0)
		return diag_err(s->diag, HB_ECONSTRAINT,
		    "%.*s: no user modification allowed",
		    SLICE_ARG(m->desc->name));
	if (desc_is_ordered(m->desc)) {
		session_close(s);
		return ordered_modify(s->arena, s->attrs, m, s->diag);
	}
	session_open(s, m->desc);
	switch (m->type) {
	case MOD_ADD:
	case MOD_SOFT_ADD:
		return add_values(s, m);
	case MOD_DELETE:
	case MOD_SOFT_DELETE:
		return delete_values(s, m);
	case MOD_REPLACE:
		return replace_values(s, m);
	case MOD_INCREMENT:
		return increment_values(s, m);
	}
	return HB_EPROTO;
}

/*
 * ATTRS may share its value arrays with what made it (an attr_make() that was
 * handed to attrs_add(), say): writing them in place is within its contract,
 * the arena is one operation's.
 */
int
attrs_modify(struct arena *arena, const struct schema *schema,
    struct attrs *attrs, const struct mod *mods, unsigned n, struct diag *diag)
{
	struct session s = {
		.arena = arena, .schema = schema, .attrs = attrs, .diag = diag
	};
	unsigned i;
	int rc = HB_OK;

	for (i = 0; i < n && rc == HB_OK; i++)
		rc = apply(&s, &mods[i]);
	session_close(&s);
	return rc;
}
