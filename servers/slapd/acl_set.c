/*
 * Sets: the expression of `by set="..."` as a tree.
 *
 *	set	= term *( ( "&" / "|" / "+" ) term )	; left to right
 *	term	= first *( ( "/" / "->" ) step )
 *	first	= "this" / "user" / "[" text "]" / "(" set ")"
 *	step	= attribute [ "*" ] / "-" ( number / "*" )
 */
#include <ctype.h>

#include "acl_set.h"
#include "util/err.h"
#include "util/text.h"

#define NEST_MAX	64
#define NODES_MAX	1000

struct parse {
	struct acl_parser *p;
	const char *text, *at;
	unsigned depth, nodes;
};

static int parse_set(struct parse *, struct acl_set **set_r);

static int
expected(struct parse *s, const char *what)
{
	return *s->at == '\0' ?
	    diag_err(s->p->diag, HB_EINVAL, "<access> set: expecting %s at the "
	    "end of \"%s\"", what, s->text) :
	    diag_err(s->p->diag, HB_EINVAL, "<access> set: expecting %s got "
	    "\"%s\" (character %u of \"%s\")", what, s->at,
	    (unsigned)(s->at - s->text) + 1, s->text);
}

static void
skip_blanks(struct parse *s)
{
	while (isspace((unsigned char)*s->at))
		s->at++;
}

static struct acl_set *
node(struct parse *s, enum acl_set_kind kind, struct acl_set *left)
{
	struct acl_set *n = acl_alloc(s->p, sizeof(*n));

	n->kind = kind;
	n->left = left;
	n->is_fixed = left == NULL || left->is_fixed;
	s->nodes++;
	return n;
}

static int
parse_literal(struct parse *s, struct acl_set **set_r)
{
	const char *end = strchr(s->at, ']');
	struct acl_set *n;
	struct acl_url url;
	int rc;

	if (end == NULL) {
		s->at += strlen(s->at);
		return expected(s, "\"]\"");
	}
	n = node(s, ACL_SET_TEXT, NULL);
	n->text = arena_slice(s->p->list->arena, slice(s->at + 1,
	    (size_t)(end - s->at) - 1));
	n->has_submatch = s->p->set_expands && acl_has_submatch(n->text.ptr);
	n->is_fixed = !n->has_submatch;
	/* what is to be expanded is an URL only then */
	if (acl_is_url(n->text) && !n->has_submatch &&
	    (rc = acl_url_parse(s->p->list->arena, s->p->schema, n->text, &url,
	    s->p->diag)) != HB_OK) {
		diag_prefix(s->p->diag, "<access> set");
		return rc;
	}
	s->at = end + 1;
	*set_r = n;
	return HB_OK;
}

/* A letter-led word; "" is none. */
static struct slice
take_word(struct parse *s)
{
	const char *start = s->at;

	while (isalnum((unsigned char)*s->at) || *s->at == ';' ||
	    *s->at == '.' || *s->at == '_' ||
	    (*s->at == '-' && s->at > start && s->at[1] != '>'))
		s->at++;
	return slice(start, (size_t)(s->at - start));
}

static int
parse_first(struct parse *s, struct acl_set **set_r)
{
	struct slice word;
	int rc;

	if (s->nodes > NODES_MAX)
		return diag_err(s->p->diag, HB_EINVAL, "<access> set: more "
		    "than %d parts", NODES_MAX);
	skip_blanks(s);
	if (*s->at == '[')
		return parse_literal(s, set_r);
	if (*s->at == '(') {
		if (++s->depth > NEST_MAX)
			return diag_err(s->p->diag, HB_EINVAL, "<access> set: "
			    "more than %d parentheses in each other", NEST_MAX);
		s->at++;
		if ((rc = parse_set(s, set_r)) != HB_OK)
			return rc;
		if (*s->at != ')')
			return expected(s, "\"&\", \"|\", \"+\" or \")\"");
		s->at++;
		s->depth--;
		return HB_OK;
	}
	word = take_word(s);
	if (slice_is_eq_nocase(word, SLICE("this"))) {
		*set_r = node(s, ACL_SET_THIS, NULL);
		(*set_r)->is_fixed = false;
		return HB_OK;
	}
	if (slice_is_eq_nocase(word, SLICE("user"))) {
		*set_r = node(s, ACL_SET_USER, NULL);
		return HB_OK;
	}
	s->at -= word.len;
	return expected(s, "\"this\", \"user\", \"[\" or \"(\"");
}

/* After "/-": a number of levels, or all. */
static int
parse_parents(struct parse *s, struct acl_set **set_r)
{
	struct acl_set *n = node(s, ACL_SET_PARENT, *set_r);
	const char *start = ++s->at;
	uint64_t level;

	*set_r = n;
	if (*s->at == '*') {
		n->closure = true;
		s->at++;
		return HB_OK;
	}
	while (isdigit((unsigned char)*s->at))
		s->at++;
	if (text_to_uint(slice(start, (size_t)(s->at - start)), &level) !=
	    HB_OK || level > 1000) {
		s->at = start;
		return expected(s, "a number of levels or \"*\"");
	}
	n->level = (unsigned)level;
	return HB_OK;
}

static int
parse_step(struct parse *s, struct acl_set **set_r)
{
	struct acl_set *n;
	struct slice name;
	int rc;

	if (s->nodes > NODES_MAX)
		return expected(s, "fewer steps");
	skip_blanks(s);
	if (*s->at == '-')
		return parse_parents(s, set_r);
	name = take_word(s);
	if (name.len == 0)
		return expected(s, "an attribute");
	n = node(s, ACL_SET_STEP, *set_r);
	if ((rc = schema_desc(s->p->schema, name, &n->attr, s->p->diag)) !=
	    HB_OK) {
		diag_prefix(s->p->diag, "<access> set");
		return rc;
	}
	n->is_name = n->attr == schema_builtin(s->p->schema, "entryDN");
	if (*s->at == '*') {
		n->closure = true;
		s->at++;
	}
	*set_r = n;
	return HB_OK;
}

static int
parse_term(struct parse *s, struct acl_set **set_r)
{
	int rc = parse_first(s, set_r);

	while (rc == HB_OK) {
		skip_blanks(s);
		if (*s->at == '/')
			s->at++;
		else if (s->at[0] == '-' && s->at[1] == '>')
			s->at += 2;
		else
			break;
		rc = parse_step(s, set_r);
	}
	return rc;
}

static int
parse_set(struct parse *s, struct acl_set **set_r)
{
	static const struct { char c; enum acl_set_kind kind; } ops[] = {
		{ '&', ACL_SET_AND }, { '|', ACL_SET_OR }, { '+', ACL_SET_CAT }
	};
	struct acl_set *n;
	size_t i;
	int rc;

	rc = parse_term(s, set_r);
	while (rc == HB_OK && *s->at != '\0') {
		for (i = 0; i < 3 && ops[i].c != *s->at; i++)
			;
		if (i == 3)
			break;
		s->at++;
		n = node(s, ops[i].kind, *set_r);
		if ((rc = parse_term(s, &n->right)) != HB_OK)
			break;
		n->is_fixed = n->is_fixed && n->right->is_fixed;
		*set_r = n;
	}
	return rc;
}

int
acl_set_parse(struct acl_parser *p, const char *text, struct acl_set **set_r)
{
	struct parse s = { p, text, text, 0, 0 };
	int rc;

	if ((rc = parse_set(&s, set_r)) != HB_OK)
		return rc;
	if (*s.at != '\0')
		return expected(&s, "\"&\", \"|\", \"+\" or \"/\"");
	return HB_OK;
}
