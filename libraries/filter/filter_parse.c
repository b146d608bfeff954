/*
 * The string form of filters (RFC 4515, 4526). Blanks between the parts are
 * accepted, and so is an item without its parentheses.
 */
#include "filter.h"
#include "filter_int.h"
#include "util/err.h"
#include "util/text.h"

struct parser {
	struct arena *arena;
	const char *start, *pos, *end;
	struct diag *diag;
};

static int
fail(struct parser *p, const char *at, const char *what)
{
	return diag_err(p->diag, HB_EPROTO, "invalid filter: %s at offset %zu",
	    what, (size_t)(at - p->start));
}

static void
skip_blanks(struct parser *p)
{
	while (p->pos < p->end && (*p->pos == ' ' || *p->pos == '\t' ||
	    *p->pos == '\n' || *p->pos == '\r'))
		p->pos++;
}

int
filter_unescape(struct arena *arena, struct slice text, struct slice *value_r,
    size_t *bad_r)
{
	const char *s = text.ptr, *end = s + text.len;
	char *out, *o;
	int hi, lo;

	*value_r = text;
	if (text.len == 0 || memchr(s, '\\', text.len) == NULL)
		return HB_OK;
	if ((out = o = arena_alloc(arena, text.len)) == NULL)
		return HB_ELIMIT;
	while (s < end) {
		if (*s != '\\') {
			*o++ = *s++;
			continue;
		}
		*bad_r = (size_t)(s - text.ptr);
		if (end - s >= 3 && (hi = text_hex_value(s[1])) >= 0 &&
		    (lo = text_hex_value(s[2])) >= 0) {
			*o++ = (char)(hi << 4 | lo);
			s += 3;
		} else if (end - s >= 2 && s[1] != '\0' &&
		    strchr("()*\\", s[1]) != NULL) {
			*o++ = s[1];
			s += 2;
		} else {
			return HB_ESYNTAX;
		}
	}
	*value_r = slice(out, (size_t)(o - out));
	return HB_OK;
}

static int
unescape(struct parser *p, struct slice text, struct slice *value_r)
{
	size_t bad = 0;
	int rc = filter_unescape(p->arena, text, value_r, &bad);

	return rc == HB_ESYNTAX ? fail(p, text.ptr + bad,
	    "'\\' and two hex digits expected") : rc;
}

/* ---- substrings ---- */

/* First '*' of S that no backslash stands before; NULL: none. */
static const char *
find_star(struct slice s)
{
	size_t i;

	for (i = 0; i < s.len; i++) {
		if (s.ptr[i] == '*')
			return s.ptr + i;
		if (s.ptr[i] == '\\')
			i++;
	}
	return NULL;
}

static unsigned
count_stars(struct slice s)
{
	unsigned n = 0;
	const char *star;

	for (; (star = find_star(s)) != NULL; n++)
		s = slice_skip(s, (size_t)(star - s.ptr) + 1);
	return n;
}

/* *bad_r: where it went wrong. */
static int
split(struct arena *arena, struct slice s, struct ldap_filter *f,
    const char **bad_r)
{
	unsigned stars = count_stars(s), i;
	struct slice piece, *to;
	const char *star;
	size_t bad = 0;
	int rc;

	*bad_r = s.ptr;
	if (stars == 0)
		return HB_ESYNTAX;
	if ((f->any = arena_calloc(arena, stars, sizeof(*f->any))) == NULL)
		return HB_ELIMIT;
	f->initial = f->final = SLICE_NONE;
	f->nany = 0;
	for (i = 0; i <= stars; i++) {
		star = find_star(s);
		piece = star == NULL ? s : slice(s.ptr,
		    (size_t)(star - s.ptr));
		*bad_r = s.ptr;
		s = slice_skip(s, piece.len + (star != NULL));
		if (piece.len == 0 && i > 0 && i < stars)
			return HB_ESYNTAX;
		if (piece.len == 0)
			continue;
		to = i == 0 ? &f->initial : i == stars ? &f->final :
		    &f->any[f->nany++];
		rc = filter_unescape(arena, piece, to, &bad);
		*bad_r = piece.ptr + bad;
		if (rc != HB_OK)
			return rc;
	}
	return slice_is_none(f->initial) && slice_is_none(f->final) &&
	    f->nany == 0 ? HB_ESYNTAX : HB_OK;
}

int
filter_split_assertion(struct arena *arena, struct slice text,
    struct ldap_filter *parts_r)
{
	const char *bad;

	return split(arena, text, parts_r, &bad);
}

/* ---- items ---- */

static int
parse_simple(struct parser *p, struct slice value, struct ldap_filter *f)
{
	const char *bad;
	int rc;

	if (find_star(value) == NULL)
		return unescape(p, value, &f->value);
	if (value.len == 1) {
		f->type = LDAP_FILTER_PRESENT;
		return HB_OK;
	}
	f->type = LDAP_FILTER_SUBSTRINGS;
	rc = split(p->arena, value, f, &bad);
	return rc == HB_ESYNTAX ? fail(p, bad, "malformed substring") : rc;
}

/* Characters of descriptions and OIDs; "_" is in some people's schemas. */
static bool
is_name(struct slice s)
{
	size_t i;

	for (i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if ((c < 'a' || c > 'z') && (c < 'A' || c > 'Z') &&
		    (c < '0' || c > '9') && c != '-' && c != '.' &&
		    c != ';' && c != '_')
			return false;
	}
	return s.len > 0;
}

/* "[attr][:dn][:rule]", without the ':' before the '='. */
static int
parse_extensible(struct parser *p, struct slice left, struct ldap_filter *f)
{
	const char *colon = left.len == 0 ? NULL :
	    memchr(left.ptr, ':', left.len);
	struct slice rest;

	f->type = LDAP_FILTER_EXTENSIBLE;
	f->rule = SLICE_NONE;
	if (colon == NULL) {
		f->attr = left;
		rest = slice("", 0);
	} else {
		f->attr = slice(left.ptr, (size_t)(colon - left.ptr));
		rest = slice_skip(left, f->attr.len);
	}
	if (f->attr.len == 0)
		f->attr = SLICE_NONE;
	else if (!is_name(f->attr))
		return fail(p, left.ptr, "attribute description expected");
	if (rest.len >= 3 && strncasecmp(rest.ptr, ":dn", 3) == 0 &&
	    (rest.len == 3 || rest.ptr[3] == ':')) {
		f->dn_attrs = true;
		rest = slice_skip(rest, 3);
	}
	if (rest.len > 0)
		f->rule = slice_skip(rest, 1);
	if (slice_is_none(f->attr) && (slice_is_none(f->rule) ||
	    f->rule.len == 0))
		return fail(p, left.ptr,
		    "attribute or matching rule expected");
	if (!slice_is_none(f->rule) && !is_name(f->rule))
		return fail(p, rest.ptr, "matching rule expected");
	return HB_OK;
}

static struct slice
trim(struct slice s)
{
	while (s.len > 0 && s.ptr[s.len - 1] == ' ')
		s.len--;
	while (s.len > 0 && *s.ptr == ' ')
		s = slice_skip(s, 1);
	return s;
}

static int
parse_item(struct parser *p, struct slice text, struct ldap_filter *f)
{
	const char *eq = text.len == 0 ? NULL :
	    memchr(text.ptr, '=', text.len);
	struct slice left, value;
	int rc;

	if (eq == NULL)
		return fail(p, text.ptr + text.len, "'=' expected");
	left = slice(text.ptr, (size_t)(eq - text.ptr));
	value = slice_skip(text, left.len + 1);
	f->type = LDAP_FILTER_EQUALITY;
	if (left.len > 0) {
		switch (left.ptr[left.len - 1]) {
		case '~':
			f->type = LDAP_FILTER_APPROX;
			break;
		case '>':
			f->type = LDAP_FILTER_GE;
			break;
		case '<':
			f->type = LDAP_FILTER_LE;
			break;
		case ':':
			f->type = LDAP_FILTER_EXTENSIBLE;
			break;
		}
	}
	if (f->type != LDAP_FILTER_EQUALITY)
		left.len--;
	left = trim(left);
	if (f->type == LDAP_FILTER_EXTENSIBLE) {
		rc = parse_extensible(p, left, f);
		return rc != HB_OK ? rc : unescape(p, value, &f->value);
	}
	if (!is_name(left))
		return fail(p, text.ptr, "attribute description expected");
	f->attr = left;
	return f->type == LDAP_FILTER_EQUALITY ? parse_simple(p, value, f) :
	    unescape(p, value, &f->value);
}

/*
 * An item's text up to the ')' that closes it. A value may have parentheses
 * in pairs, which RFC 4515 wants escaped and people do not.
 */
static struct slice
item_text(struct parser *p)
{
	const char *s = p->pos;
	unsigned depth = 0;

	for (; s < p->end; s++) {
		if (*s == '\\' && s + 1 < p->end)
			s++;
		else if (*s == '(')
			depth++;
		else if (*s == ')' && depth-- == 0)
			break;
	}
	return slice(p->pos, (size_t)(s - p->pos));
}

/* ---- the tree ---- */

static int parse_filter(struct parser *, unsigned, struct ldap_filter **);

/* Filters up to the ')'. */
static int
parse_set(struct parser *p, unsigned depth, struct ldap_filter *f)
{
	struct ldap_filter **tail = &f->first;
	const char *at = p->pos++;
	int rc;

	for (;;) {
		skip_blanks(p);
		if (p->pos == p->end || *p->pos == ')')
			break;
		if (f->type == LDAP_FILTER_NOT && f->first != NULL)
			return fail(p, p->pos, "')' expected");
		if (*p->pos != '(')
			return fail(p, p->pos, "'(' or ')' expected");
		if ((rc = parse_filter(p, depth + 1, tail)) != HB_OK)
			return rc;
		tail = &(*tail)->next;
	}
	if (f->type == LDAP_FILTER_NOT && f->first == NULL)
		return fail(p, at + 1, "filter expected after '!'");
	return HB_OK;
}

static int
parse_component(struct parser *p, unsigned depth, struct ldap_filter *f)
{
	struct slice item;
	char c = p->pos < p->end ? *p->pos : '\0';

	if (c == '&' || c == '|' || c == '!') {
		f->type = c == '&' ? LDAP_FILTER_AND : c == '|' ?
		    LDAP_FILTER_OR : LDAP_FILTER_NOT;
		return parse_set(p, depth, f);
	}
	item = item_text(p);
	p->pos += item.len;
	return parse_item(p, item, f);
}

/* "(...)" */
static int
parse_filter(struct parser *p, unsigned depth, struct ldap_filter **filter_r)
{
	const char *at = p->pos++;
	struct ldap_filter *f;
	int rc;

	if (depth > LDAP_FILTER_DEPTH_MAX)
		return fail(p, at, "too many levels");
	if ((f = arena_zalloc(p->arena, sizeof(*f))) == NULL)
		return HB_ELIMIT;
	*filter_r = f;
	skip_blanks(p);
	if ((rc = parse_component(p, depth, f)) != HB_OK)
		return rc;
	if (p->pos == p->end)
		return fail(p, at, "'(' without its ')'");
	p->pos++;
	return HB_OK;
}

int
filter_parse(struct arena *arena, struct slice text,
    struct ldap_filter **filter_r, struct diag *diag)
{
	struct parser p = {
		.arena = arena, .start = text.ptr, .pos = text.ptr,
		.end = text.ptr + text.len, .diag = diag
	};
	struct ldap_filter *f;
	int rc;

	*filter_r = NULL;
	skip_blanks(&p);
	if (p.pos == p.end)
		return fail(&p, p.pos, "filter expected");
	if (*p.pos == '(') {
		rc = parse_filter(&p, 0, filter_r);
	} else {
		if ((f = arena_zalloc(arena, sizeof(*f))) == NULL)
			return HB_ELIMIT;
		*filter_r = f;
		rc = parse_component(&p, 0, f);
	}
	if (rc != HB_OK)
		return rc;
	skip_blanks(&p);
	return p.pos == p.end ? HB_OK : fail(&p, p.pos,
	    "end of the filter expected");
}
