/*
 * `access to <what> by <who> <access> <control> ...` into struct acl_rule.
 */
#include "acl_set.h"
#include "util/err.h"
#include "util/log.h"

/* ---- what ---- */

static int
what_dn(struct acl_parser *p, const struct acl_clause *c)
{
	struct acl_what *w = &p->rule->what;
	int level = 0, rc;

	if (w->has_dn)
		return diag_err(p->diag, HB_EINVAL, "<access> a second DN in "
		    "to clause: \"%s\"", acl_word_at(p));
	if ((rc = acl_style_of(p, c, &w->style, &level)) != HB_OK)
		return rc;
	if (w->style == ACL_STYLE_EXPAND || w->style == ACL_STYLE_LEVEL ||
	    !slice_is_none(c->mod))
		return diag_err(p->diag, HB_EINVAL, "<access> unknown style "
		    "in to clause: \"%s\"", acl_word_at(p));
	if (strcmp(c->value, "*") == 0 || (w->style == ACL_STYLE_REGEX &&
	    acl_is_any_pattern(c->value)))
		return HB_OK;
	w->has_dn = true;
	if (w->style == ACL_STYLE_REGEX)
		return acl_compile(p, acl_squeeze_pattern(p, c->value),
		    &w->regex);
	return acl_parse_dn(p, c->value, &w->dn);
}

static int
what_filter(struct acl_parser *p, const struct acl_clause *c)
{
	struct ldap_filter *src;
	struct filter *f;
	int rc;

	if (p->rule->what.filter != NULL)
		return diag_err(p->diag, HB_EINVAL, "<access> a second filter "
		    "in to clause");
	rc = filter_parse(p->list->arena, arena_slice(p->list->arena,
	    slice_of(c->value)), &src, p->diag);
	if (rc == HB_OK)
		rc = filter_resolve(p->list->arena, p->schema, src, &f);
	if (rc != HB_OK) {
		diag_prefix(p->diag, "<access> bad filter \"%s\" in to clause",
		    c->value);
		return HB_EINVAL;
	}
	p->rule->what.filter = f;
	return HB_OK;
}

static int
unknown_attr(struct acl_parser *p, struct slice name)
{
	const char *near = schema_nearest_type(p->schema, name);
	int rc = diag_err(p->diag, HB_EINVAL, "<access> unknown attr \"%.*s\" "
	    "in to clause", SLICE_ARG(name));

	if (near != NULL)
		diag_add(p->diag, "did you mean \"%s\"?", near);
	return rc;
}

static int
add_attr(struct acl_parser *p, struct slice name)
{
	struct acl_what *w = &p->rule->what;
	struct acl_attr *a = &w->attrs[w->nattrs];
	struct slice bare = name;

	a->kind = ACL_ATTR;
	if (name.ptr[0] == '@' || name.ptr[0] == '!') {
		a->kind = name.ptr[0] == '@' ? ACL_ATTR_CLASS :
		    ACL_ATTR_NOT_CLASS;
		bare = slice_skip(name, 1);
	} else if (schema_desc(p->schema, name, &a->desc, NULL) == HB_OK) {
		w->nattrs++;
		return HB_OK;
	} else {
		a->kind = ACL_ATTR_CLASS;
	}
	if ((a->oc = schema_find_class(p->schema, bare)) == NULL)
		return unknown_attr(p, name);
	w->nattrs++;
	return HB_OK;
}

static int
what_attrs(struct acl_parser *p, const struct acl_clause *c)
{
	struct acl_what *w = &p->rule->what;
	const char *v = c->value;
	int rc = HB_OK;

	if (w->attrs != NULL)
		return diag_err(p->diag, HB_EINVAL, "<access> a second "
		    "attribute list in to clause");
	if (acl_is_named(c, "attr"))
		log_printf(LOG_ANY, "%s: line %u: warning: \"attr\" is "
		    "deprecated; use \"attrs\" instead", p->line->file,
		    p->line->line);
	w->attrs = acl_alloc(p, (strlen(v) / 2 + 1) * sizeof(*w->attrs));
	/* empty pieces, as of a comma at the end, count for nothing */
	while (*v != '\0' && rc == HB_OK) {
		size_t n = strcspn(v, ", ");

		if (n > 0)
			rc = add_attr(p, arena_slice(p->list->arena,
			    slice(v, n)));
		v += n + (v[n] != '\0');
	}
	if (rc == HB_OK && w->nattrs == 0)
		return diag_err(p->diag, HB_EINVAL, "<access> no attribute in "
		    "\"%s\"", acl_word_at(p));
	return rc;
}

static int
value_rule(struct acl_parser *p, struct slice name,
    const struct attr_desc *desc)
{
	struct acl_what *w = &p->rule->what;

	w->value_rule = desc->type->equality;
	if (name.len == 0)
		return HB_OK;
	w->value_rule = schema_find_rule(p->schema, name);
	if (w->value_rule == NULL)
		return diag_err(p->diag, HB_EINVAL, "<access> unknown matching "
		    "rule \"%.*s\" in to clause", SLICE_ARG(name));
	if (w->value_rule != desc->type->equality &&
	    !schema_rule_applies(w->value_rule, desc->type))
		return diag_err(p->diag, HB_EINVAL, "<access> matching rule "
		    "\"%.*s\" is not for the values of \"%.*s\"",
		    SLICE_ARG(name), SLICE_ARG(desc->name));
	return HB_OK;
}

/* val[/rule][.style]=value; CLAUSE's name has the rule in it. */
static int
what_value(struct acl_parser *p, const struct acl_clause *c)
{
	struct acl_what *w = &p->rule->what;
	const char *text = arena_strdup(p->list->arena, c->value);
	const struct attr_desc *desc;
	struct slice rule = slice_skip(c->name, 3);
	int level, rc;

	if (w->nattrs != 1 || w->attrs[0].kind != ACL_ATTR)
		return diag_err(p->diag, HB_EINVAL, "<access> val needs one "
		    "attribute before it in to clause");
	desc = w->attrs[0].desc;
	if ((rc = acl_style_of(p, c, &w->value_style, &level)) != HB_OK ||
	    (rc = value_rule(p, rule.len > 0 ? slice_skip(rule, 1) : rule,
	    desc)) != HB_OK)
		return rc;
	w->has_value = true;
	switch (w->value_style) {
	case ACL_STYLE_REGEX:
		return acl_compile(p, text, &w->value_regex);
	case ACL_STYLE_EXACT:
		rc = w->value_rule == desc->type->equality ?
		    schema_norm_value(p->schema, p->list->arena, desc,
		    slice_of(text), &w->value) :
		    schema_norm_assertion(p->schema, p->list->arena,
		    w->value_rule, SUBSTR_WHOLE, slice_of(text), &w->value);
		if (rc != HB_OK)
			return diag_err(p->diag, HB_EINVAL, "<access> value "
			    "\"%s\" does not fit attribute \"%.*s\"", text,
			    SLICE_ARG(desc->name));
		return HB_OK;
	case ACL_STYLE_ONE:
	case ACL_STYLE_SUB:
	case ACL_STYLE_CHILDREN:
		if (!acl_has_dn_values(desc))
			return diag_err(p->diag, HB_EINVAL, "<access> \"%s\": "
			    "the values of \"%.*s\" are no DNs",
			    acl_word_at(p), SLICE_ARG(desc->name));
		return acl_parse_dn(p, text, &w->value_dn);
	default:
		return diag_err(p->diag, HB_EINVAL, "<access> unknown style of "
		    "val: \"%s\"", acl_word_at(p));
	}
}

static bool
is_value_clause(const struct acl_clause *c)
{
	return c->name.len >= 3 && strncasecmp(c->name.ptr, "val", 3) == 0 &&
	    (c->name.len == 3 || c->name.ptr[3] == '/');
}

static int
what_word(struct acl_parser *p, const char *word)
{
	struct acl_clause c;

	if (strcmp(word, "*") == 0)
		return HB_OK;
	acl_split_clause(word, &c);
	if (c.value == NULL)
		return diag_err(p->diag, HB_EINVAL, "<access> missing \"=\" in "
		    "\"%s\" in to clause", word);
	if (acl_is_named(&c, "dn"))
		return what_dn(p, &c);
	if (acl_is_named(&c, "filter"))
		return what_filter(p, &c);
	if (acl_is_named(&c, "attrs") || acl_is_named(&c, "attr"))
		return what_attrs(p, &c);
	if (is_value_clause(&c))
		return what_value(p, &c);
	return diag_err(p->diag, HB_EINVAL, "<access> expecting <what> got "
	    "\"%s\"", word);
}

static int
parse_what(struct acl_parser *p)
{
	const char *word = acl_word_at(p);
	int rc;

	if (word == NULL || strcasecmp(word, "to") != 0)
		return diag_err(p->diag, HB_EINVAL, "<access> expecting \"to\" "
		    "got \"%s\"", word != NULL ? word : "");
	p->i++;
	if ((word = acl_word_at(p)) == NULL || strcasecmp(word, "by") == 0)
		return diag_err(p->diag, HB_EINVAL, "<access> expecting <what> "
		    "after \"to\"");
	for (; (word = acl_word_at(p)) != NULL && strcasecmp(word, "by") != 0;
	    p->i++)
		if ((rc = what_word(p, word)) != HB_OK)
			return rc;
	return HB_OK;
}

/* ---- the rule ---- */

static bool
is_who_fixed(const struct acl_who *w)
{
	switch (w->kind) {
	case ACL_SELF:
		/* an entry that is not the requester's own never matches */
		return w->level == 0;
	case ACL_DNATTR:
		return false;
	case ACL_GROUP:
		return w->group.pattern == NULL;
	case ACL_IN_SET:
		return w->set->is_fixed;
	case ACL_DN:
	case ACL_PEERNAME:
	case ACL_SOCKNAME:
	case ACL_SOCKURL:
	case ACL_DOMAIN:
		if (w->style == ACL_STYLE_SUB && w->kind == ACL_DOMAIN)
			return !w->is_expanded;
		return w->regex != NULL || w->pattern == NULL ||
		    (w->kind != ACL_DN && w->style == ACL_STYLE_EXACT);
	default:
		return true;
	}
}

static void
summarise(struct acl_rule *r)
{
	r->is_fixed = true;
	r->per_value = r->what.has_value;
	for (const struct acl_by *b = r->by; b != NULL; b = b->next) {
		if (b->self) {
			r->is_fixed = false;
			r->per_value = true;
		}
		for (const struct acl_who *w = b->who; w != NULL; w = w->next)
			if (!is_who_fixed(w))
				r->is_fixed = false;
	}
	r->is_open = !r->what.has_dn && r->what.filter == NULL &&
	    r->what.attrs == NULL && !r->what.has_value;
}

struct acl_list *
acl_list_new(struct arena *arena)
{
	struct acl_list *l = arena_zalloc(arena, sizeof(*l));

	l->arena = arena;
	l->last = &l->first;
	return l;
}

void
acl_list_fini(struct acl_list *l)
{
	for (struct acl_regex *r = l->regexes; r != NULL; r = r->next)
		regfree(r->re);
	l->regexes = NULL;
}

int
acl_list_add(struct acl_list *list, struct schema *schema,
    const struct cfg_line *line, struct diag *diag)
{
	struct acl_parser p = { list, schema, line, 1, NULL, false, diag };
	struct acl_by **end;
	int rc;

	p.rule = acl_alloc(&p, sizeof(*p.rule));
	p.rule->file = line->file;
	p.rule->line = line->line;
	end = &p.rule->by;
	if ((rc = parse_what(&p)) != HB_OK)
		return rc;
	p.rule->text = acl_join_words(&p, 1, p.i);
	if (acl_word_at(&p) == NULL)
		return diag_err(diag, HB_EINVAL, "<access> expecting \"by\" "
		    "<who> after <what>");
	while (acl_word_at(&p) != NULL) {
		*end = acl_alloc(&p, sizeof(**end));
		if ((rc = acl_parse_by(&p, *end)) != HB_OK)
			return rc;
		end = &(*end)->next;
	}
	summarise(p.rule);
	*list->last = p.rule;
	list->last = &p.rule->next;
	list->n++;
	return HB_OK;
}
