/*
 * Defects that a list of rules shows without any entry: what can never decide,
 * and passwords that can be read or not be used.
 */
#include <ctype.h>
#include <stdio.h>

#include "acl_set.h"
#include "slapd/backend.h"
#include "util/err.h"


struct lint {
	const struct access_rules *rules;
	struct schema *schema;
	acl_lint_cb cb;
	void *arg;
	unsigned n;
};

static void
found(struct lint *l, const struct acl_rule *r, const char *fmt, ...)
    HB_PRINTF(3, 4);

static void
found(struct lint *l, const struct acl_rule *r, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	l->n++;
	l->cb(r != NULL ? r->file : NULL, r != NULL ? r->line : 0, text,
	    l->arg);
}

/* ---- rules that are never reached ---- */

static bool
passes_on(const struct acl_rule *r)
{
	for (const struct acl_by *b = r->by; b != NULL; b = b->next)
		if (b->control == ACL_BREAK)
			return true;
	return false;
}

static bool
dn_covers(const struct acl_what *a, const struct acl_what *b)
{
	if (!a->has_dn)
		return true;
	if (!b->has_dn || a->regex != NULL || b->regex != NULL)
		return false;
	switch (a->style) {
	case ACL_STYLE_SUB:
		return dn_is_within(&b->dn, &a->dn);
	case ACL_STYLE_CHILDREN:
		return dn_is_within(&b->dn, &a->dn) &&
		    (!dn_is_eq(&b->dn, &a->dn) ||
		    b->style == ACL_STYLE_CHILDREN ||
		    b->style == ACL_STYLE_ONE);
	case ACL_STYLE_ONE:
		return b->style == ACL_STYLE_ONE ? dn_is_eq(&b->dn, &a->dn) :
		    b->style == ACL_STYLE_EXACT && dn_is_child(&b->dn, &a->dn);
	default:
		return b->style == ACL_STYLE_EXACT && dn_is_eq(&b->dn, &a->dn);
	}
}

static bool
attr_is_covered(const struct acl_what *a, const struct acl_attr *attr)
{
	for (unsigned i = 0; i < a->nattrs; i++) {
		const struct acl_attr *x = &a->attrs[i];

		if (x->kind == attr->kind && x->oc == attr->oc &&
		    x->desc == attr->desc)
			return true;
		if (attr->kind == ACL_ATTR && x->kind == ACL_ATTR &&
		    attr_desc_is_sub(attr->desc, x->desc))
			return true;
		if (attr->kind == ACL_ATTR && x->kind == ACL_ATTR_CLASS &&
		    object_class_allows(x->oc, attr->desc->type))
			return true;
	}
	return false;
}

/* Is all that B is for also what A is for? False if that is not sure. */
static bool
covers(const struct acl_what *a, const struct acl_what *b)
{
	if (a->filter != NULL || a->has_value || !dn_covers(a, b))
		return false;
	if (a->attrs == NULL)
		return true;
	if (b->attrs == NULL)
		return false;
	for (unsigned i = 0; i < b->nattrs; i++)
		if (!attr_is_covered(a, &b->attrs[i]))
			return false;
	return true;
}

static void
lint_reach(struct lint *l, unsigned i)
{
	const struct acl_rule *r = l->rules->v[i];

	for (unsigned k = 0; k < i; k++) {
		const struct acl_rule *before = l->rules->v[k];

		if (passes_on(before) || !covers(&before->what, &r->what))
			continue;
		found(l, r, "\"%s\" is never reached: \"%s\" (line %u) decides "
		    "before", r->text, before->text, before->line);
		return;
	}
}

/* A rule inside a database whose DN lies outside of it. */
static void
lint_place(struct lint *l, const struct acl_rule *r, const struct be_db *db)
{
	const struct acl_what *w = &r->what;

	if (!w->has_dn || w->regex != NULL || db->nsuffixes == 0)
		return;
	for (unsigned i = 0; i < db->nsuffixes; i++)
		if (dn_is_within(&w->dn, &db->suffixes[i]) ||
		    (w->style != ACL_STYLE_EXACT &&
		    dn_is_within(&db->suffixes[i], &w->dn)))
			return;
	found(l, r, "\"%s\" never matches: no entry of the database \"%.*s\" "
	    "is there", r->text, SLICE_ARG(db->suffixes[0].text));
}

/* ---- clauses that are never reached ---- */

static bool
who_covers(const struct acl_who *a, const struct acl_who *b)
{
	if (a->next != NULL)
		return false;
	if (a->kind == ACL_ANY)
		return true;
	for (; b != NULL; b = b->next) {
		if (strcasecmp(a->text, b->text) == 0)
			return true;
		if (a->kind == ACL_USERS && a->real == b->real &&
		    (b->kind == ACL_SELF || b->kind == ACL_DNATTR ||
		    b->kind == ACL_GROUP || b->kind == ACL_USERS ||
		    (b->kind == ACL_DN && b->regex == NULL)))
			return true;
	}
	return false;
}

static void
lint_clauses(struct lint *l, const struct acl_rule *r)
{
	const struct acl_by *users = NULL, *anonymous = NULL;

	for (const struct acl_by *b = r->by; b != NULL; b = b->next) {
		const struct acl_by *a = r->by;

		while (a != b && (a->self || a->control == ACL_CONTINUE ||
		    !who_covers(a->who, b->who)))
			a = a->next;
		if (a == b && users != NULL && anonymous != NULL)
			a = users;
		if (a != b) {
			found(l, r, "\"%s\" is never reached: \"%s\" of the "
			    "same rule is for all of them", b->text, a->text);
			return;
		}
		if (b->self || b->control == ACL_CONTINUE ||
		    b->who->next != NULL || b->who->real)
			continue;
		if (b->who->kind == ACL_USERS)
			users = b;
		else if (b->who->kind == ACL_ANONYMOUS)
			anonymous = b;
	}
}

/* ---- literals of sets ---- */

static bool
has_upper(struct slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (isupper((unsigned char)s.ptr[i]))
			return true;
	return false;
}

static bool
is_folded(const struct acl_set *n)
{
	const struct matching_rule *eq = n->attr != NULL && !n->is_name ?
	    n->attr->type->equality : NULL;

	return n->kind == ACL_SET_THIS || n->kind == ACL_SET_USER ||
	    n->kind == ACL_SET_PARENT || n->is_name || (eq != NULL &&
	    eq->name != NULL && strncmp(eq->name, "caseIgnore", 10) == 0);
}

static void
lint_set(struct lint *l, const struct acl_rule *r, const struct acl_set *n)
{
	const struct acl_set *text = NULL;

	if (n == NULL)
		return;
	if (n->kind == ACL_SET_AND) {
		if (n->left->kind == ACL_SET_TEXT && is_folded(n->right))
			text = n->left;
		else if (n->right->kind == ACL_SET_TEXT && is_folded(n->left))
			text = n->right;
	}
	if (text != NULL && has_upper(text->text))
		found(l, r, "\"[%.*s]\" of a set equals nothing: names and "
		    "values are compared in lower case",
		    SLICE_ARG(text->text));
	lint_set(l, r, n->left);
	lint_set(l, r, n->right);
}

static void
lint_sets(struct lint *l, const struct acl_rule *r)
{
	for (const struct acl_by *b = r->by; b != NULL; b = b->next)
		for (const struct acl_who *w = b->who; w != NULL; w = w->next)
			lint_set(l, r, w->set);
}

/* ---- passwords ---- */

/* Somebody without a name, or with one that no rule knows. */
static bool
holds_for(const struct acl_by *b, bool is_user)
{
	for (const struct acl_who *w = b->who; w != NULL; w = w->next)
		if (w->kind != ACL_ANY &&
		    w->kind != (is_user ? ACL_USERS : ACL_ANONYMOUS))
			return false;
	return !b->self;
}

/* What R makes of RIGHTS. */
static unsigned
rights_after(const struct acl_rule *r, bool is_user, unsigned rights,
    enum acl_control *c_r)
{
	*c_r = ACL_STOP;
	for (const struct acl_by *b = r->by; b != NULL; b = b->next) {
		if (!holds_for(b, is_user))
			continue;
		rights = b->op == ACL_SET ? b->rights : b->op == ACL_ADD ?
		    rights | b->rights : rights & ~b->rights;
		*c_r = b->control;
		if (b->control != ACL_CONTINUE)
			return rights;
	}
	*c_r = ACL_STOP;
	return 0;
}

static bool
is_for(const struct acl_what *w, const struct attr_desc *desc)
{
	const struct acl_attr a = { ACL_ATTR, desc, NULL };

	if (w->attrs == NULL || attr_is_covered(w, &a))
		return true;
	for (unsigned i = 0; i < w->nattrs; i++)
		if (w->attrs[i].kind == ACL_ATTR_NOT_CLASS &&
		    !object_class_allows(w->attrs[i].oc, desc->type))
			return true;
	return false;
}

/*
 * Who may read DESC? A rule for some entries only is judged by itself, and
 * passed by for the rest. *last_r: what everybody else gets in the end.
 */
static void
lint_readers(struct lint *l, const struct attr_desc *desc, bool is_user,
    unsigned *last_r)
{
	const char *who = is_user ? "every user" : "anybody";
	unsigned rights = 0;

	*last_r = 0;
	for (unsigned i = 0; i < l->rules->n; i++) {
		const struct acl_rule *r = l->rules->v[i];
		const struct acl_what *w = &r->what;
		bool is_some = w->has_dn || w->filter != NULL || w->has_value;
		enum acl_control c;
		unsigned after;

		if (!is_for(w, desc))
			continue;
		after = rights_after(r, is_user, rights, &c);
		if (c == ACL_STOP && (after & ACCESS_READ) != 0)
			found(l, r, "%s may read %.*s by \"%s\"", who,
			    SLICE_ARG(desc->name), r->text);
		if (is_some)
			continue;
		rights = after;
		if (c != ACL_STOP)
			continue;
		*last_r = after;
		return;
	}
}

static void
lint_passwords(struct lint *l)
{
	static const char *const names[] = {
		"userPassword", "authPassword", "sambaNTPassword",
		"sambaLMPassword", "krbPrincipalKey"
	};
	const struct attr_desc *desc;
	unsigned anon, user;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (schema_desc(l->schema, slice_of(names[i]), &desc, NULL) !=
		    HB_OK)
			continue;
		lint_readers(l, desc, false, &anon);
		/* what anybody may, users are not told of again */
		if ((anon & ACCESS_READ) == 0)
			lint_readers(l, desc, true, &user);
		if (i == 0 && (anon & ACCESS_AUTH) == 0)
			found(l, NULL, "nobody can bind: anonymous has no auth "
			    "on userPassword; \"by anonymous auth\" is missing");
	}
}

void
acl_lint(const struct be_db *db, acl_lint_cb cb, void *arg, unsigned *n_r)
{
	struct lint l = { db->rules, db->schema, cb, arg, 0 };

	if (l.rules == NULL || l.rules->n == 0) {
		found(&l, NULL, "there are no rules: anybody may read all, "
		    "also userPassword");
		*n_r = l.n;
		return;
	}
	for (unsigned i = 0; i < l.rules->n; i++) {
		const struct acl_rule *r = l.rules->v[i];

		lint_reach(&l, i);
		if (i < l.rules->nown)
			lint_place(&l, r, db);
		lint_clauses(&l, r);
		lint_sets(&l, r);
	}
	lint_passwords(&l);
	*n_r = l.n;
}
