/*
 * Words of `access` lines: "name.style,modifier=value", DNs and patterns.
 */
#include "acl_parse.h"
#include "util/err.h"
#include "util/text.h"

void *
acl_alloc(struct acl_parser *p, size_t n)
{
	return arena_zalloc(p->list->arena, n);
}

const char *
acl_word_at(const struct acl_parser *p)
{
	return p->i < p->line->nwords ? p->line->words[p->i] : NULL;
}

const char *
acl_join_words(const struct acl_parser *p, unsigned first, unsigned end)
{
	struct slice s;
	struct buf b;

	buf_init(&b);
	for (unsigned i = first; i < end; i++) {
		if (i > first)
			buf_put_char(&b, ' ');
		buf_put_slice(&b, slice_of(p->line->words[i]));
	}
	s = arena_slice(p->list->arena, buf_slice(&b));
	buf_fini(&b);
	return s.ptr;
}

void
acl_split_clause(const char *word, struct acl_clause *c)
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

bool
acl_is_named(const struct acl_clause *c, const char *name)
{
	return slice_is_eq_nocase(c->name, slice_of(name));
}

/* "level{-1}" */
bool
acl_parse_level_style(struct slice s, int *level_r)
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

int
acl_style_of(struct acl_parser *p, const struct acl_clause *c,
    enum acl_style *style_r, int *level_r)
{
	*style_r = ACL_STYLE_EXACT;
	if (!slice_is_none(c->style)) {
		if (acl_parse_level_style(c->style, level_r))
			*style_r = ACL_STYLE_LEVEL;
		else if (acl_parse_style(c->style, style_r) != HB_OK)
			return diag_err(p->diag, HB_EINVAL, "<access> unknown "
			    "style \"%.*s\" in \"%s\"", SLICE_ARG(c->style),
			    acl_word_at(p));
	}
	if (slice_is_none(c->mod))
		return HB_OK;
	if (!slice_is_eq_nocase(c->mod, SLICE("expand")) ||
	    *style_r == ACL_STYLE_REGEX)
		return diag_err(p->diag, HB_EINVAL, "<access> unknown style "
		    "modifier \"%.*s\" in \"%s\"", SLICE_ARG(c->mod),
		    acl_word_at(p));
	return HB_OK;
}

int
acl_check_pattern(struct acl_parser *p, const char *pattern)
{
	static const struct acl_matches nothing;
	regex_t *re;
	int rc;

	rc = acl_regex_new(p->list->arena, acl_expand(p->list->arena, pattern,
	    &nothing, true), &re, p->diag);
	if (rc == HB_OK)
		regfree(re);
	return rc;
}

int
acl_compile(struct acl_parser *p, const char *pattern, regex_t **re_r)
{
	struct acl_regex *node;
	int rc;

	rc = acl_regex_new(p->list->arena, pattern, re_r, p->diag);
	if (rc != HB_OK)
		return rc;
	node = acl_alloc(p, sizeof(*node));
	node->re = *re_r;
	node->next = p->list->regexes;
	p->list->regexes = node;
	return HB_OK;
}

/* Blanks after a comma are nothing in a DN and so not in a pattern of one. */
char *
acl_squeeze_pattern(struct acl_parser *p, const char *text)
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

int
acl_parse_dn(struct acl_parser *p, const char *text, struct dn *dn_r)
{
	int rc = dn_parse(p->list->arena, p->schema, slice_of(text), dn_r,
	    p->diag);

	if (rc != HB_OK)
		diag_prefix(p->diag, "<access> bad DN \"%s\"", text);
	return rc;
}

/* By distinguishedNameMatch or uniqueMemberMatch. */
bool
acl_has_dn_values(const struct attr_desc *desc)
{
	const struct matching_rule *eq = desc->type->equality;

	return eq != NULL && (strcmp(eq->oid, "2.5.13.1") == 0 ||
	    strcmp(eq->oid, "2.5.13.23") == 0);
}

bool
acl_is_any_pattern(const char *text)
{
	return strcmp(text, "*") == 0 || strcmp(text, ".*") == 0 ||
	    strcmp(text, "^.*$") == 0;
}
