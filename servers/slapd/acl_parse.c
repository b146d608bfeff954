/*
 * `access to <what> by <who> <access> <control> ...` into struct acl_rule.
 */
#include <ctype.h>

#include "acl_int.h"
#include "util/err.h"
#include "util/log.h"
#include "util/text.h"

/* One line while it is parsed. */
struct parse {
	struct acl_list *list;
	struct schema *schema;
	const struct cfg_line *line;
	unsigned i;			/* current word */
	struct acl_rule *rule;
	struct diag *diag;
};

struct acl_regex {
	regex_t *re;
	struct acl_regex *next;
};

static void *
alloc(struct parse *p, size_t n)
{
	return arena_zalloc(p->list->arena, n);
}

static const char *
word_at(const struct parse *p)
{
	return p->i < p->line->nwords ? p->line->words[p->i] : NULL;
}

/* ---- pieces ---- */

/* "name.style,mod=value" */
struct clause {
	struct slice name;		/* up to '.', ',' or '=' */
	struct slice style;		/* after '.', NONE */
	struct slice mod;		/* after ',', NONE */
	const char *value;		/* after '=', NULL */
};

static void
split_clause(const char *word, struct clause *c)
{
	struct slice left = slice_of(word);
	const char *eq = strchr(word, '='), *p;

	c->value = eq != NULL ? eq + 1 : NULL;
	if (eq != NULL)
		left.len = (size_t)(eq - word);
	c->style = c->mod = SLICE_NONE;
	if ((p = memchr(left.ptr, ',', left.len)) != NULL) {
		c->mod = slice_skip(left, (size_t)(p + 1 - left.ptr));
		left.len = (size_t)(p - left.ptr);
	}
	if ((p = memchr(left.ptr, '.', left.len)) != NULL) {
		c->style = slice_skip(left, (size_t)(p + 1 - left.ptr));
		left.len = (size_t)(p - left.ptr);
	}
	c->name = left;
}

static bool
is_named(const struct clause *c, const char *name)
{
	return slice_is_eq_nocase(c->name, slice_of(name));
}

/* "level{-1}" */
static bool
parse_level_style(struct slice s, int *level_r)
{
	int64_t v;

	if (s.len < 8 || strncasecmp(s.ptr, "level{", 6) != 0 ||
	    s.ptr[s.len - 1] != '}' ||
	    text_to_int(slice(s.ptr + 6, s.len - 7), &v) != HB_OK ||
	    v < -1000 || v > 1000)
		return false;
	*level_r = (int)v;
	return true;
}

static int
style_of(struct parse *p, const struct clause *c, enum acl_style *style_r,
    int *level_r)
{
	*style_r = ACL_STYLE_EXACT;
	if (!slice_is_none(c->style)) {
		if (parse_level_style(c->style, level_r))
			*style_r = ACL_STYLE_LEVEL;
		else if (acl_parse_style(c->style, style_r) != HB_OK)
			return diag_err(p->diag, HB_EINVAL, "<access> unknown "
			    "style \"%.*s\" in \"%s\"", SLICE_ARG(c->style),
			    word_at(p));
	}
	if (slice_is_none(c->mod))
		return HB_OK;
	if (!slice_is_eq_nocase(c->mod, SLICE("expand")) ||
	    *style_r == ACL_STYLE_REGEX)
		return diag_err(p->diag, HB_EINVAL, "<access> unknown style "
		    "modifier \"%.*s\" in \"%s\"", SLICE_ARG(c->mod),
		    word_at(p));
	return HB_OK;
}

static int
compile(struct parse *p, const char *pattern, regex_t **re_r)
{
	struct acl_regex *node;
	int rc;

	rc = acl_regex_new(p->list->arena, pattern, re_r, p->diag);
	if (rc != HB_OK)
		return rc;
	node = alloc(p, sizeof(*node));
	node->re = *re_r;
	node->next = p->list->regexes;
	p->list->regexes = node;
	return HB_OK;
}

/* Blanks after a comma are nothing in a DN and so not in a pattern of one. */
static char *
squeeze_pattern(struct parse *p, const char *text)
{
	char *out = arena_strdup(p->list->arena, text), *w = out;

	for (const char *r = text; *r != '\0'; r++) {
		*w++ = *r;
		if (*r == ',' && (r == text || r[-1] != '\\'))
			while (r[1] == ' ')
				r++;
	}
	*w = '\0';
	return out;
}

static int
parse_dn(struct parse *p, const char *text, struct dn *dn_r)
{
	int rc = dn_parse(p->list->arena, p->schema, slice_of(text), dn_r,
	    p->diag);

	if (rc != HB_OK)
		diag_prefix(p->diag, "<access> bad DN \"%s\"", text);
	return rc;
}

static bool
is_any_pattern(const char *text)
{
	return strcmp(text, "*") == 0 || strcmp(text, ".*") == 0 ||
	    strcmp(text, "^.*$") == 0;
}

/* ---- what ---- */

static int
what_dn(struct parse *p, const struct clause *c)
{
	struct acl_what *w = &p->rule->what;
	int level = 0, rc;

	if (w->has_dn)
		return diag_err(p->diag, HB_EINVAL, "<access> a second DN in "
		    "to clause: \"%s\"", word_at(p));
	if ((rc = style_of(p, c, &w->style, &level)) != HB_OK)
		return rc;
	if (w->style == ACL_STYLE_EXPAND || w->style == ACL_STYLE_LEVEL ||
	    !slice_is_none(c->mod))
		return diag_err(p->diag, HB_EINVAL, "<access> unknown style "
		    "in to clause: \"%s\"", word_at(p));
	if (strcmp(c->value, "*") == 0 || (w->style == ACL_STYLE_REGEX &&
	    is_any_pattern(c->value)))
		return HB_OK;
	w->has_dn = true;
	if (w->style == ACL_STYLE_REGEX)
		return compile(p, squeeze_pattern(p, c->value), &w->regex);
	return parse_dn(p, c->value, &w->dn);
}

static int
what_filter(struct parse *p, const struct clause *c)
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
unknown_attr(struct parse *p, struct slice name)
{
	const char *near = schema_nearest_type(p->schema, name);
	int rc = diag_err(p->diag, HB_EINVAL, "<access> unknown attr \"%.*s\" "
	    "in to clause", SLICE_ARG(name));

	if (near != NULL)
		diag_add(p->diag, "did you mean \"%s\"?", near);
	return rc;
}

static int
add_attr(struct parse *p, struct slice name)
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
what_attrs(struct parse *p, const struct clause *c)
{
	struct acl_what *w = &p->rule->what;
	const char *v = c->value;
	int rc = HB_OK;

	if (w->attrs != NULL)
		return diag_err(p->diag, HB_EINVAL, "<access> a second "
		    "attribute list in to clause");
	if (is_named(c, "attr"))
		log_printf(LOG_ANY, "%s: line %u: warning: \"attr\" is "
		    "deprecated; use \"attrs\" instead", p->line->file,
		    p->line->line);
	w->attrs = alloc(p, (strlen(v) / 2 + 1) * sizeof(*w->attrs));
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
		    "\"%s\"", word_at(p));
	return rc;
}

static int
value_rule(struct parse *p, struct slice name, const struct attr_desc *desc)
{
	struct acl_what *w = &p->rule->what;

	w->value_rule = desc->type->equality;
	if (name.len == 0)
		return HB_OK;
	w->value_rule = schema_find_rule(p->schema, name);
	if (w->value_rule == NULL)
		return diag_err(p->diag, HB_EINVAL, "<access> unknown matching "
		    "rule \"%.*s\" in to clause", SLICE_ARG(name));
	if (w->value_rule != desc->type->equality)
		return diag_err(p->diag, HB_EUNSUPPORTED, "<access> val with a "
		    "rule other than that of the attribute is not supported "
		    "yet");
	return HB_OK;
}

/* val[/rule][.style]=value; CLAUSE's name has the rule in it. */
static int
what_value(struct parse *p, const struct clause *c)
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
	if ((rc = style_of(p, c, &w->value_style, &level)) != HB_OK ||
	    (rc = value_rule(p, rule.len > 0 ? slice_skip(rule, 1) : rule,
	    desc)) != HB_OK)
		return rc;
	w->has_value = true;
	switch (w->value_style) {
	case ACL_STYLE_REGEX:
		return compile(p, text, &w->value_regex);
	case ACL_STYLE_EXACT:
		rc = schema_norm_value(p->schema, p->list->arena, desc,
		    slice_of(text), &w->value);
		if (rc != HB_OK)
			return diag_err(p->diag, HB_EINVAL, "<access> value "
			    "\"%s\" does not fit attribute \"%.*s\"", text,
			    SLICE_ARG(desc->name));
		return HB_OK;
	case ACL_STYLE_ONE:
	case ACL_STYLE_SUB:
	case ACL_STYLE_CHILDREN:
		return parse_dn(p, text, &w->value_dn);
	default:
		return diag_err(p->diag, HB_EINVAL, "<access> unknown style of "
		    "val: \"%s\"", word_at(p));
	}
}

static bool
is_value_clause(const struct clause *c)
{
	return c->name.len >= 3 && strncasecmp(c->name.ptr, "val", 3) == 0 &&
	    (c->name.len == 3 || c->name.ptr[3] == '/');
}

static int
what_word(struct parse *p, const char *word)
{
	struct clause c;

	if (strcmp(word, "*") == 0)
		return HB_OK;
	split_clause(word, &c);
	if (c.value == NULL)
		return diag_err(p->diag, HB_EINVAL, "<access> missing \"=\" in "
		    "\"%s\" in to clause", word);
	if (is_named(&c, "dn"))
		return what_dn(p, &c);
	if (is_named(&c, "filter"))
		return what_filter(p, &c);
	if (is_named(&c, "attrs") || is_named(&c, "attr"))
		return what_attrs(p, &c);
	if (is_value_clause(&c))
		return what_value(p, &c);
	return diag_err(p->diag, HB_EINVAL, "<access> expecting <what> got "
	    "\"%s\"", word);
}

static int
parse_what(struct parse *p)
{
	const char *word = word_at(p);
	int rc;

	if (word == NULL || strcasecmp(word, "to") != 0)
		return diag_err(p->diag, HB_EINVAL, "<access> expecting \"to\" "
		    "got \"%s\"", word != NULL ? word : "");
	p->i++;
	if ((word = word_at(p)) == NULL || strcasecmp(word, "by") == 0)
		return diag_err(p->diag, HB_EINVAL, "<access> expecting <what> "
		    "after \"to\"");
	for (; (word = word_at(p)) != NULL && strcasecmp(word, "by") != 0;
	    p->i++)
		if ((rc = what_word(p, word)) != HB_OK)
			return rc;
	return HB_OK;
}

/* ---- who ---- */

static int
who_plain(struct parse *p, const struct clause *c, struct acl_who *w)
{
	if (c->value != NULL || !slice_is_none(c->style))
		return diag_err(p->diag, HB_EINVAL, "<access> \"%.*s\" takes "
		    "neither style nor value", SLICE_ARG(c->name));
	(void)w;
	return HB_OK;
}

static int
who_self(struct parse *p, const struct clause *c, struct acl_who *w)
{
	if (!slice_is_none(c->style) &&
	    !parse_level_style(c->style, &w->level))
		return diag_err(p->diag, HB_EINVAL, "<access> expecting self "
		    "or self.level{n} got \"%s\"", word_at(p));
	return HB_OK;
}

static int
who_dn(struct parse *p, const struct clause *c, struct acl_who *w)
{
	char *text;
	int rc;

	if ((rc = style_of(p, c, &w->style, &w->level)) != HB_OK)
		return rc;
	if (strcmp(c->value, "*") == 0 || (w->style == ACL_STYLE_REGEX &&
	    is_any_pattern(c->value))) {
		/* "*" means whoever has a name */
		w->kind = strcmp(c->value, "*") == 0 ? ACL_USERS : ACL_ANY;
		return HB_OK;
	}
	if (w->style == ACL_STYLE_REGEX && *c->value == '\0') {
		w->kind = ACL_ANONYMOUS;
		return HB_OK;
	}
	if (w->style == ACL_STYLE_REGEX) {
		text = squeeze_pattern(p, c->value);
		if (!acl_has_submatch(text))
			return compile(p, text, &w->regex);
		w->pattern = text;
		return HB_OK;
	}
	if (w->style == ACL_STYLE_EXPAND || !slice_is_none(c->mod)) {
		if (w->style == ACL_STYLE_EXPAND)
			w->style = ACL_STYLE_EXACT;
		w->pattern = arena_strdup(p->list->arena, c->value);
		return HB_OK;
	}
	return parse_dn(p, c->value, &w->dn);
}

static int
who_dnattr(struct parse *p, const struct clause *c, struct acl_who *w)
{
	struct slice name = arena_slice(p->list->arena, slice_of(c->value));
	const struct matching_rule *eq;

	if (schema_desc(p->schema, name, &w->attr, NULL) != HB_OK)
		return diag_err(p->diag, HB_EINVAL, "<access> dnattr \"%s\": "
		    "attribute type undefined", c->value);
	eq = w->attr->type->equality;
	if (eq == NULL || (strcmp(eq->oid, "2.5.13.1") != 0 &&
	    strcmp(eq->oid, "2.5.13.23") != 0))
		return diag_err(p->diag, HB_EINVAL, "<access> dnattr \"%s\": "
		    "its values are no DNs", c->value);
	return HB_OK;
}

static int
who_group(struct parse *p, const struct clause *c, struct acl_who *w)
{
	(void)c;
	return acl_group_parse(p->list->arena, p->schema, word_at(p),
	    &w->group, p->diag);
}

/* Text of the connection: exact, regex, expand. */
static int
who_text(struct parse *p, const struct clause *c, struct acl_who *w)
{
	int rc;

	if ((rc = style_of(p, c, &w->style, &w->level)) != HB_OK)
		return rc;
	w->pattern = arena_strdup(p->list->arena, c->value);
	switch (w->style) {
	case ACL_STYLE_REGEX:
		if (acl_has_submatch(w->pattern))
			return HB_OK;
		return compile(p, w->pattern, &w->regex);
	case ACL_STYLE_EXACT:
		if (!slice_is_none(c->mod))
			w->style = ACL_STYLE_EXPAND;
		return HB_OK;
	case ACL_STYLE_EXPAND:
		return HB_OK;
	default:
		return diag_err(p->diag, HB_EINVAL, "<access> unknown style in "
		    "\"%s\"", word_at(p));
	}
}

static int
who_peername(struct parse *p, const struct clause *c, struct acl_who *w)
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
who_ssf(struct parse *p, const struct clause *c, struct acl_who *w)
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
	int (*parse)(struct parse *, const struct clause *, struct acl_who *);
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
	{ "ssf", ACL_SSF, WHO_VALUE, who_ssf },
	{ "transport_ssf", ACL_TRANSPORT_SSF, WHO_VALUE, who_ssf },
	{ "tls_ssf", ACL_TLS_SSF, WHO_VALUE, who_ssf },
	{ "sasl_ssf", ACL_SASL_SSF, WHO_VALUE, who_ssf },
};

static const char *const foreign_who[] = { "set", "domain", "dynacl", "aci" };

#define COUNT(a)	(sizeof(a) / sizeof(*(a)))

/* The part of the name before '/', as in group/class/attribute. */
static struct slice
who_name(const struct clause *c)
{
	const char *slash = memchr(c->name.ptr, '/', c->name.len);
	struct slice s = c->name;

	if (slash != NULL)
		s.len = (size_t)(slash - s.ptr);
	return s;
}

static const struct who_row *
find_who(const struct clause *c)
{
	struct slice name = who_name(c);

	for (size_t i = 0; i < COUNT(who_rows); i++)
		if (slice_is_eq_nocase(name, slice_of(who_rows[i].name)))
			return &who_rows[i];
	return NULL;
}

static int
refuse_foreign(struct parse *p, const struct clause *c)
{
	struct slice name = who_name(c);

	for (size_t i = 0; i < COUNT(foreign_who); i++)
		if (slice_is_eq_nocase(name, slice_of(foreign_who[i])))
			return diag_err(p->diag, HB_EUNSUPPORTED, "<access> by "
			    "%s is not supported yet", foreign_who[i]);
	return HB_OK;
}

/* HB_OK with *is_who_r false: the word is no who. */
static int
who_word(struct parse *p, struct acl_by *by, bool *is_who_r)
{
	const struct who_row *row;
	struct acl_who *w, **end;
	struct clause c;
	int rc;

	split_clause(word_at(p), &c);
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
		    "\"%s\" in by clause", word_at(p));
	w = alloc(p, sizeof(*w));
	w->kind = row->kind;
	w->real = (row->flags & WHO_REAL) != 0;
	if ((rc = row->parse(p, &c, w)) != HB_OK)
		return rc;
	for (end = &by->who; *end != NULL; end = &(*end)->next)
		;
	*end = w;
	return HB_OK;
}

/* ---- access and control ---- */

#define L_DISCLOSE	ACCESS_DISCLOSE
#define L_AUTH		(L_DISCLOSE | ACCESS_AUTH)
#define L_COMPARE	(L_AUTH | ACCESS_COMPARE)
#define L_SEARCH	(L_COMPARE | ACCESS_SEARCH)
#define L_READ		(L_SEARCH | ACCESS_READ)

static const struct { const char *name; unsigned rights; } levels[] = {
	{ "none", 0 }, { "disclose", L_DISCLOSE }, { "auth", L_AUTH },
	{ "compare", L_COMPARE }, { "search", L_SEARCH }, { "read", L_READ },
	{ "add", L_READ | ACCESS_WADD }, { "delete", L_READ | ACCESS_WDEL },
	{ "write", L_READ | ACCESS_WRITE },
	{ "manage", L_READ | ACCESS_WRITE | ACCESS_MANAGE },
};

static const struct { char letter; unsigned right; } privileges[] = {
	{ '0', 0 }, { 'd', ACCESS_DISCLOSE }, { 'x', ACCESS_AUTH },
	{ 'c', ACCESS_COMPARE }, { 's', ACCESS_SEARCH }, { 'r', ACCESS_READ },
	{ 'w', ACCESS_WRITE }, { 'a', ACCESS_WADD }, { 'z', ACCESS_WDEL },
	{ 'm', ACCESS_MANAGE },
};

static bool
parse_privileges(const char *s, unsigned *rights_r)
{
	*rights_r = 0;
	for (; *s != '\0'; s++) {
		size_t i = 0;

		while (i < COUNT(privileges) && privileges[i].letter !=
		    tolower((unsigned char)*s))
			i++;
		if (i == COUNT(privileges))
			return false;
		*rights_r |= privileges[i].right;
	}
	return true;
}

static bool
parse_access(const char *word, struct acl_by *by)
{
	by->real_self = strncasecmp(word, "realself", 8) == 0;
	by->self = by->real_self || strncasecmp(word, "self", 4) == 0;
	word += by->real_self ? 8 : by->self ? 4 : 0;
	by->op = *word == '+' ? ACL_ADD : *word == '-' ? ACL_REMOVE : ACL_SET;
	if (*word == '=' || *word == '+' || *word == '-')
		return word[1] != '\0' &&
		    parse_privileges(word + 1, &by->rights);
	for (size_t i = 0; i < COUNT(levels); i++)
		if (strcasecmp(word, levels[i].name) == 0) {
			by->rights = levels[i].rights;
			return true;
		}
	return false;
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
parse_by(struct parse *p, struct acl_by *by)
{
	const char *word;
	bool is_who = true;
	int rc;

	for (p->i++; (word = word_at(p)) != NULL && is_who;
	    p->i += is_who ? 1 : 0)
		if ((rc = who_word(p, by, &is_who)) != HB_OK)
			return rc;
	if (by->who == NULL)
		return diag_err(p->diag, HB_EINVAL, "<access> expecting <who> "
		    "got \"%s\"", word_at(p) != NULL ? word_at(p) : "");
	/* no access: nothing is added to what earlier clauses gave */
	by->op = ACL_ADD;
	if ((word = word_at(p)) != NULL && strcasecmp(word, "by") != 0 &&
	    !parse_control(word, &by->control)) {
		if (!parse_access(word, by))
			return diag_err(p->diag, HB_EINVAL, "<access> expecting "
			    "\"to\" or \"by\" got \"%s\"", word);
		p->i++;
	}
	if ((word = word_at(p)) != NULL && parse_control(word, &by->control))
		p->i++;
	if ((word = word_at(p)) != NULL && strcasecmp(word, "by") != 0)
		return diag_err(p->diag, HB_EINVAL, "<access> expecting \"to\" "
		    "or \"by\" got \"%s\"", word);
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
	case ACL_DN:
	case ACL_PEERNAME:
	case ACL_SOCKNAME:
	case ACL_SOCKURL:
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
	struct parse p = { list, schema, line, 1, NULL, diag };
	struct acl_by **end;
	int rc;

	p.rule = alloc(&p, sizeof(*p.rule));
	p.rule->file = line->file;
	p.rule->line = line->line;
	end = &p.rule->by;
	if ((rc = parse_what(&p)) != HB_OK)
		return rc;
	if (word_at(&p) == NULL)
		return diag_err(diag, HB_EINVAL, "<access> expecting \"by\" "
		    "<who> after <what>");
	while (word_at(&p) != NULL) {
		*end = alloc(&p, sizeof(**end));
		if ((rc = parse_by(&p, *end)) != HB_OK)
			return rc;
		end = &(*end)->next;
	}
	summarise(p.rule);
	*list->last = p.rule;
	list->last = &p.rule->next;
	list->n++;
	return HB_OK;
}
