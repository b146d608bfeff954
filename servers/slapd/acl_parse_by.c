/*
 * The `by` clauses of an access line: who, access, control.
 */
#include <ctype.h>

#include "acl_set.h"
#include "util/err.h"
#include "util/text.h"

static int
who_plain(struct acl_parser *p, const struct acl_clause *c, struct acl_who *w)
{
	if (c->value != NULL || !slice_is_none(c->style))
		return diag_err(p->diag, HB_EINVAL, "<access> \"%.*s\" takes "
		    "neither style nor value", SLICE_ARG(c->name));
	(void)w;
	return HB_OK;
}

static int
who_self(struct acl_parser *p, const struct acl_clause *c, struct acl_who *w)
{
	if (!slice_is_none(c->style) &&
	    !acl_parse_level_style(c->style, &w->level))
		return diag_err(p->diag, HB_EINVAL, "<access> expecting self "
		    "or self.level{n} got \"%s\"", acl_word_at(p));
	return HB_OK;
}

static int
who_dn(struct acl_parser *p, const struct acl_clause *c, struct acl_who *w)
{
	char *text;
	int rc;

	if ((rc = acl_style_of(p, c, &w->style, &w->level)) != HB_OK)
		return rc;
	if (strcmp(c->value, "*") == 0 || (w->style == ACL_STYLE_REGEX &&
	    acl_is_any_pattern(c->value))) {
		/* "*" means whoever has a name */
		w->kind = strcmp(c->value, "*") == 0 ? ACL_USERS : ACL_ANY;
		return HB_OK;
	}
	if (w->style == ACL_STYLE_REGEX && *c->value == '\0') {
		w->kind = ACL_ANONYMOUS;
		return HB_OK;
	}
	if (w->style == ACL_STYLE_REGEX) {
		text = acl_squeeze_pattern(p, c->value);
		if (!acl_has_submatch(text))
			return acl_compile(p, text, &w->regex);
		w->pattern = text;
		return acl_check_pattern(p, text);
	}
	if (w->style == ACL_STYLE_EXPAND || !slice_is_none(c->mod)) {
		if (w->style == ACL_STYLE_EXPAND)
			w->style = ACL_STYLE_EXACT;
		w->pattern = arena_strdup(p->list->arena, c->value);
		return HB_OK;
	}
	return acl_parse_dn(p, c->value, &w->dn);
}

static int
who_dnattr(struct acl_parser *p, const struct acl_clause *c, struct acl_who *w)
{
	struct slice name = arena_slice(p->list->arena, slice_of(c->value));

	if (schema_desc(p->schema, name, &w->attr, NULL) != HB_OK)
		return diag_err(p->diag, HB_EINVAL, "<access> dnattr \"%s\": "
		    "attribute type undefined", c->value);
	if (!acl_has_dn_values(w->attr))
		return diag_err(p->diag, HB_EINVAL, "<access> dnattr \"%s\": "
		    "its values are no DNs", c->value);
	return HB_OK;
}

static int
who_group(struct acl_parser *p, const struct acl_clause *c, struct acl_who *w)
{
	(void)c;
	return acl_group_parse(p->list->arena, p->schema, acl_word_at(p),
	    &w->group, p->diag);
}

/* Text of the connection: exact, regex, expand. */
static int
who_text(struct acl_parser *p, const struct acl_clause *c, struct acl_who *w)
{
	int rc;

	if ((rc = acl_style_of(p, c, &w->style, &w->level)) != HB_OK)
		return rc;
	w->pattern = arena_strdup(p->list->arena, c->value);
	switch (w->style) {
	case ACL_STYLE_REGEX:
		if (acl_has_submatch(w->pattern))
			return acl_check_pattern(p, w->pattern);
		return acl_compile(p, w->pattern, &w->regex);
	case ACL_STYLE_EXACT:
		if (!slice_is_none(c->mod))
			w->style = ACL_STYLE_EXPAND;
		return HB_OK;
	case ACL_STYLE_EXPAND:
		return HB_OK;
	default:
		return diag_err(p->diag, HB_EINVAL, "<access> unknown style in "
		    "\"%s\"", acl_word_at(p));
	}
}

static int
who_peername(struct acl_parser *p, const struct acl_clause *c,
    struct acl_who *w)
{
	if (slice_is_eq_nocase(c->style, SLICE("ip")) ||
	    slice_is_eq_nocase(c->style, SLICE("ipv6"))) {
		w->peer = ACL_PEER_IP;
		return acl_parse_address(c->value, &w->address, p->diag);
	}
	if (slice_is_eq_nocase(c->style, SLICE("path"))) {
		w->peer = ACL_PEER_PATH;
		w->pattern = arena_strdup(p->list->arena, c->value);
		return HB_OK;
	}
	return who_text(p, c, w);
}

static int
who_domain(struct acl_parser *p, const struct acl_clause *c,
    struct acl_who *w)
{
	if (!slice_is_eq_nocase(c->style, SLICE("sub")) &&
	    !slice_is_eq_nocase(c->style, SLICE("subtree")))
		return who_text(p, c, w);
	w->style = ACL_STYLE_SUB;
	w->is_expanded = slice_is_eq_nocase(c->mod, SLICE("expand"));
	if (!slice_is_none(c->mod) && !w->is_expanded)
		return diag_err(p->diag, HB_EINVAL, "<access> unknown style "
		    "modifier \"%.*s\" in \"%s\": expecting expand",
		    SLICE_ARG(c->mod), acl_word_at(p));
	w->pattern = arena_strdup(p->list->arena, c->value);
	return HB_OK;
}

static int
who_set(struct acl_parser *p, const struct acl_clause *c, struct acl_who *w)
{
	int rc;

	if ((rc = acl_style_of(p, c, &w->style, &w->level)) != HB_OK)
		return rc;
	if (w->style != ACL_STYLE_EXACT && w->style != ACL_STYLE_EXPAND)
		return diag_err(p->diag, HB_EINVAL, "<access> unknown style in "
		    "\"%s\": expecting set, set.exact or set.expand",
		    acl_word_at(p));
	p->set_expands = w->style == ACL_STYLE_EXPAND ||
	    !slice_is_none(c->mod);
	return acl_set_parse(p, c->value, &w->set);
}

static int
who_ssf(struct acl_parser *p, const struct acl_clause *c, struct acl_who *w)
{
	uint64_t v;

	if (text_to_uint(slice_of(c->value), &v) != HB_OK || v == 0 ||
	    v > 0x7fffffff)
		return diag_err(p->diag, HB_EINVAL, "<access> invalid ssf "
		    "value \"%s\"", c->value);
	w->ssf = (unsigned)v;
	return HB_OK;
}

enum who_flags { WHO_REAL = 1, WHO_VALUE = 2 };

static const struct who_row {
	const char *name;
	enum acl_who_kind kind;
	unsigned flags;
	int (*parse)(struct acl_parser *, const struct acl_clause *,
	    struct acl_who *);
} who_rows[] = {
	{ "*", ACL_ANY, 0, who_plain },
	{ "anonymous", ACL_ANONYMOUS, 0, who_plain },
	{ "users", ACL_USERS, 0, who_plain },
	{ "self", ACL_SELF, 0, who_self },
	{ "dn", ACL_DN, WHO_VALUE, who_dn },
	{ "dnattr", ACL_DNATTR, WHO_VALUE, who_dnattr },
	{ "realanonymous", ACL_ANONYMOUS, WHO_REAL, who_plain },
	{ "realusers", ACL_USERS, WHO_REAL, who_plain },
	{ "realself", ACL_SELF, WHO_REAL, who_self },
	{ "realdn", ACL_DN, WHO_REAL | WHO_VALUE, who_dn },
	{ "realdnattr", ACL_DNATTR, WHO_REAL | WHO_VALUE, who_dnattr },
	{ "group", ACL_GROUP, WHO_VALUE, who_group },
	{ "peername", ACL_PEERNAME, WHO_VALUE, who_peername },
	{ "sockname", ACL_SOCKNAME, WHO_VALUE, who_text },
	{ "sockurl", ACL_SOCKURL, WHO_VALUE, who_text },
	{ "domain", ACL_DOMAIN, WHO_VALUE, who_domain },
	{ "set", ACL_IN_SET, WHO_VALUE, who_set },
	{ "ssf", ACL_SSF, WHO_VALUE, who_ssf },
	{ "transport_ssf", ACL_TRANSPORT_SSF, WHO_VALUE, who_ssf },
	{ "tls_ssf", ACL_TLS_SSF, WHO_VALUE, who_ssf },
	{ "sasl_ssf", ACL_SASL_SSF, WHO_VALUE, who_ssf },
};

/* Words of slapd that stand for modules which are not there. */
static const char *const foreign_who[] = { "dynacl", "aci" };

#define COUNT(a)	(sizeof(a) / sizeof(*(a)))

/* The part of the name before '/', as in group/class/attribute. */
static struct slice
who_name(const struct acl_clause *c)
{
	const char *slash = memchr(c->name.ptr, '/', c->name.len);
	struct slice s = c->name;

	if (slash != NULL)
		s.len = (size_t)(slash - s.ptr);
	return s;
}

static const struct who_row *
find_who(const struct acl_clause *c)
{
	struct slice name = who_name(c);

	for (size_t i = 0; i < COUNT(who_rows); i++)
		if (slice_is_eq_nocase(name, slice_of(who_rows[i].name)))
			return &who_rows[i];
	return NULL;
}

static int
refuse_foreign(struct acl_parser *p, const struct acl_clause *c)
{
	struct slice name = who_name(c);

	for (size_t i = 0; i < COUNT(foreign_who); i++)
		if (slice_is_eq_nocase(name, slice_of(foreign_who[i])))
			return diag_err(p->diag, HB_EUNSUPPORTED, "<access> "
			    "\"%s\": there are no modules for dynamic access "
			    "control; expecting dn, group, set or another "
			    "<who>", acl_word_at(p));
	return HB_OK;
}

/* HB_OK with *is_who_r false: the word is no who. */
static int
who_word(struct acl_parser *p, struct acl_by *by, bool *is_who_r)
{
	const struct who_row *row;
	struct acl_who *w, **end;
	struct acl_clause c;
	int rc;

	acl_split_clause(acl_word_at(p), &c);
	*is_who_r = false;
	if ((rc = refuse_foreign(p, &c)) != HB_OK ||
	    (row = find_who(&c)) == NULL)
		return rc;
	/* "self=w" is an access: w, on the own value */
	if (row->kind == ACL_SELF && c.value != NULL)
		return HB_OK;
	*is_who_r = true;
	if ((row->flags & WHO_VALUE) != 0 && c.value == NULL)
		return diag_err(p->diag, HB_EINVAL, "<access> missing \"=\" in "
		    "\"%s\" in by clause", acl_word_at(p));
	w = acl_alloc(p, sizeof(*w));
	w->kind = row->kind;
	w->text = arena_strdup(p->list->arena, acl_word_at(p));
	w->real = (row->flags & WHO_REAL) != 0;
	if ((rc = row->parse(p, &c, w)) != HB_OK)
		return rc;
	for (end = &by->who; *end != NULL; end = &(*end)->next)
		;
	*end = w;
	return HB_OK;
}

/* ---- access and control ---- */

static bool
parse_access(const char *word, struct acl_by *by)
{
	char op;

	by->real_self = strncasecmp(word, "realself", 8) == 0;
	by->self = by->real_self || strncasecmp(word, "self", 4) == 0;
	word += by->real_self ? 8 : by->self ? 4 : 0;
	if (!acl_parse_rights(word, &by->rights, &op))
		return false;
	by->op = op == '+' ? ACL_ADD : op == '-' ? ACL_REMOVE : ACL_SET;
	return true;
}

static bool
parse_control(const char *word, enum acl_control *c_r)
{
	static const char *const words[] = { "stop", "continue", "break" };

	for (size_t i = 0; i < COUNT(words); i++)
		if (strcasecmp(word, words[i]) == 0) {
			*c_r = (enum acl_control)i;
			return true;
		}
	return false;
}

static int
parse_by(struct acl_parser *p, struct acl_by *by)
{
	const char *word;
	bool is_who = true;
	int rc;

	for (p->i++; (word = acl_word_at(p)) != NULL && is_who;
	    p->i += is_who ? 1 : 0)
		if ((rc = who_word(p, by, &is_who)) != HB_OK)
			return rc;
	if (by->who == NULL)
		return diag_err(p->diag, HB_EINVAL, "<access> expecting <who> "
		    "after \"by\" got \"%s\"", acl_word_at(p) != NULL ?
		    acl_word_at(p) : "");
	/* no access: nothing is added to what earlier clauses gave */
	by->op = ACL_ADD;
	if ((word = acl_word_at(p)) != NULL && strcasecmp(word, "by") != 0 &&
	    !parse_control(word, &by->control)) {
		if (!parse_access(word, by))
			return diag_err(p->diag, HB_EINVAL, "<access> "
			    "expecting <who>, <access>, <control> or \"by\" "
			    "got \"%s\"", word);
		p->i++;
	}
	if ((word = acl_word_at(p)) != NULL &&
	    parse_control(word, &by->control))
		p->i++;
	if ((word = acl_word_at(p)) != NULL && strcasecmp(word, "by") != 0)
		return diag_err(p->diag, HB_EINVAL, "<access> expecting "
		    "<control> or \"by\" got \"%s\"", word);
	return HB_OK;
}

int
acl_parse_by(struct acl_parser *p, struct acl_by *by)
{
	unsigned first = p->i;
	int rc = parse_by(p, by);

	if (rc == HB_OK)
		by->text = acl_join_words(p, first, p->i);
	return rc;
}
