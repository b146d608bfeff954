/*
 * Validators of syntaxes that nest: search guides (RFC 4517 3.3.10, 3.3.14)
 * and subtree specifications (RFC 3672 2.1, appendix A).
 */
#include <ctype.h>

#include "gser.h"
#include "schema_int.h"

#define DEPTH_MAX	100

struct text {
	const char *p, *end;
};

static void
skip_blanks(struct text *t)
{
	while (t->p < t->end && *t->p == ' ')
		t->p++;
}

static bool
take_char(struct text *t, char c)
{
	if (t->p == t->end || *t->p != c)
		return false;
	t->p++;
	return true;
}

static bool
take_word(struct text *t, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(t->end - t->p) < n || strncasecmp(t->p, word, n) != 0)
		return false;
	t->p += n;
	return true;
}

/* WSP oid WSP */
static bool
take_oid(struct text *t)
{
	const char *start;
	struct slice oid;

	skip_blanks(t);
	start = t->p;
	while (t->p < t->end && (isalnum((unsigned char)*t->p) ||
	    *t->p == '-' || *t->p == '.' || *t->p == '_'))
		t->p++;
	oid = slice(start, (size_t)(t->p - start));
	skip_blanks(t);
	return oid_is_numeric(oid) || descr_is_valid(oid);
}

static bool
take_match_type(struct text *t)
{
	static const char *const types[] = {
		"EQ", "SUBSTR", "GE", "LE", "APPROX"
	};
	unsigned i;

	for (i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (take_word(t, types[i]))
			return true;
	return false;
}

static bool take_criteria(struct text *t, unsigned depth);

static bool
take_term(struct text *t, unsigned depth)
{
	while (take_char(t, '!'))
		;
	if (take_char(t, '('))
		return take_criteria(t, depth + 1) && take_char(t, ')');
	return take_word(t, "?true") || take_word(t, "?false") ||
	    (take_oid(t) && take_char(t, '$') && take_match_type(t));
}

/* and-term *( "|" and-term ), and-term = term *( "&" term ) */
static bool
take_criteria(struct text *t, unsigned depth)
{
	if (depth > DEPTH_MAX)
		return false;
	do {
		if (!take_term(t, depth))
			return false;
	} while (take_char(t, '|') || take_char(t, '&'));
	return true;
}

int
validate_guide(const struct schema *schema, struct slice v)
{
	struct text t = { v.ptr, v.ptr + v.len }, head = t;

	(void)schema;
	if (take_oid(&head) && take_char(&head, '#'))
		t = head;
	return take_criteria(&t, 0) && t.p == t.end ? HB_OK : HB_ESYNTAX;
}

int
validate_enhanced_guide(const struct schema *schema, struct slice v)
{
	struct text t = { v.ptr, v.ptr + v.len };

	(void)schema;
	if (!take_oid(&t) || !take_char(&t, '#'))
		return HB_ESYNTAX;
	skip_blanks(&t);
	if (!take_criteria(&t, 0))
		return HB_ESYNTAX;
	skip_blanks(&t);
	if (!take_char(&t, '#'))
		return HB_ESYNTAX;
	skip_blanks(&t);
	if (!take_word(&t, "baseobject") && !take_word(&t, "oneLevel") &&
	    !take_word(&t, "wholeSubtree"))
		return HB_ESYNTAX;
	skip_blanks(&t);
	return t.p == t.end ? HB_OK : HB_ESYNTAX;
}

/* ---- SubtreeSpecification ---- */

/* A name below the administrative point; it may be empty. */
static void
local_name(const struct schema *schema, struct gser *g)
{
	struct slice name = gser_string(g);

	if (g->rc == HB_OK && name.len > 0 &&
	    validate_dn(schema, name) != HB_OK)
		gser_fail(g, HB_ESYNTAX);
}

static void
exclusions(const struct schema *schema, struct gser *g)
{
	unsigned n;

	gser_open(g);
	for (n = 0; gser_has_item(g, n); n++) {
		if (!gser_has_choice(g, "chopBefore") &&
		    !gser_has_choice(g, "chopAfter"))
			gser_fail(g, HB_ESYNTAX);
		local_name(schema, g);
	}
}

static void
refinement(const struct schema *schema, struct gser *g, unsigned depth)
{
	unsigned n;

	if (depth > DEPTH_MAX)
		gser_fail(g, HB_ESYNTAX);
	if (gser_has_choice(g, "item")) {
		if (validate_oid(schema, gser_value(g)) != HB_OK)
			gser_fail(g, HB_ESYNTAX);
	} else if (gser_has_choice(g, "not")) {
		refinement(schema, g, depth + 1);
	} else if (gser_has_choice(g, "and") || gser_has_choice(g, "or")) {
		gser_open(g);
		for (n = 0; gser_has_item(g, n); n++)
			refinement(schema, g, depth + 1);
	} else {
		gser_fail(g, HB_ESYNTAX);
	}
}

static void
distance(struct gser *g)
{
	struct slice n = gser_integer(g);

	if (n.len == 0 || n.ptr[0] == '-')
		gser_fail(g, HB_ESYNTAX);
}

/* Components stand in this order, each at most once. */
static const char *const components[] = {
	"base", "specificExclusions", "minimum", "maximum",
	"specificationFilter"
};

static unsigned
component(struct slice name, unsigned from)
{
	for (; from < 5; from++)
		if (slice_is_eq(name, slice_of(components[from])))
			break;
	return from;
}

static void
subtree(const struct schema *schema, struct gser *g)
{
	unsigned n, at = 0;

	gser_open(g);
	for (n = 0; gser_has_item(g, n); n++) {
		at = component(gser_name(g), at);
		switch (at++) {
		case 0:
			local_name(schema, g);
			break;
		case 1:
			exclusions(schema, g);
			break;
		case 2:
		case 3:
			distance(g);
			break;
		case 4:
			refinement(schema, g, 0);
			break;
		default:
			gser_fail(g, HB_ESYNTAX);
		}
	}
}

int
validate_subtree(const struct schema *schema, struct slice v)
{
	struct arena arena;
	struct gser g;
	int rc;

	arena_init(&arena, 0);
	gser_init(&g, &arena, v);
	subtree(schema, &g);
	gser_end(&g);
	rc = text_is_utf8(v) ? g.rc : HB_ESYNTAX;
	arena_fini(&arena);
	return rc;
}
