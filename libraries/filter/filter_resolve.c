/*
 * Filters as sent to filters that can be evaluated: what does not change from
 * entry to entry is done here, once.
 */
#include <stdlib.h>

#include "filter.h"
#include "filter_int.h"
#include "util/err.h"

#define SORTED_MIN	16
/* Descriptions that are tried for a sorted group, each in time of the OR's size. */
#define GROUPS_MAX	16

struct resolver {
	struct arena *arena;
	struct schema *schema;
};

static void
make_constant(struct filter *f, enum filter_truth truth)
{
	f->type = FILTER_CONSTANT;
	f->truth = truth;
}

/* HB_ESYNTAX and the like make the item Undefined; only the limit is an error. */
static int
undefined_or_limit(struct filter *f, int rc)
{
	if (rc == HB_OK || rc == HB_ELIMIT)
		return rc;
	make_constant(f, FILTER_UNDEFINED);
	return HB_OK;
}

static int
norm_part(struct resolver *r, const struct filter *f, enum substr_part part,
    struct slice value, struct slice *norm_r)
{
	*norm_r = SLICE_NONE;
	if (slice_is_none(value))
		return HB_OK;
	return schema_norm_assertion(r->schema, r->arena, f->rule, part, value,
	    norm_r);
}

static bool
has_space_at_end(struct slice piece)
{
	return piece.len > 0 && (piece.ptr[0] == ' ' ||
	    piece.ptr[piece.len - 1] == ' ');
}

static int
frame_piece(struct resolver *r, const struct filter *f, enum substr_part part,
    struct slice piece, struct slice *framed_r)
{
	struct buf b;

	*framed_r = SLICE_NONE;
	if (slice_is_none(piece))
		return HB_OK;
	buf_init(&b);
	schema_frame(f->rule, part, piece, &b);
	*framed_r = arena_slice(r->arena, buf_slice(&b));
	buf_fini(&b);
	return framed_r->ptr == NULL ? HB_ELIMIT : HB_OK;
}

/*
 * A value's spaces at its ends and the second ones between its words are not
 * stored, but pieces may match them (RFC 4518 2.6.1).
 */
static int
frame_substrings(struct resolver *r, struct filter *f)
{
	struct filter *framed;
	struct buf none;
	bool spaces = has_space_at_end(f->initial) ||
	    has_space_at_end(f->final);
	unsigned i;
	int rc;

	for (i = 0; i < f->nany && !spaces; i++)
		spaces = has_space_at_end(f->any[i]);
	buf_init(&none);
	if (spaces)
		spaces = schema_frame(f->rule, SUBSTR_ANY, SLICE(" "), &none);
	buf_fini(&none);
	if (!spaces)
		return HB_OK;
	framed = arena_zalloc(r->arena, sizeof(*framed));
	if (framed == NULL || (framed->any = arena_calloc(r->arena,
	    (size_t)f->nany + 1, sizeof(*framed->any))) == NULL)
		return HB_ELIMIT;
	framed->nany = f->nany;
	rc = frame_piece(r, f, SUBSTR_INITIAL, f->initial, &framed->initial);
	for (i = 0; rc == HB_OK && i < f->nany; i++)
		rc = frame_piece(r, f, SUBSTR_ANY, f->any[i], &framed->any[i]);
	if (rc == HB_OK)
		rc = frame_piece(r, f, SUBSTR_FINAL, f->final, &framed->final);
	f->framed = framed;
	return rc;
}

static int
resolve_substrings(struct resolver *r, struct filter *f,
    const struct ldap_filter *src)
{
	unsigned i;
	int rc;

	f->type = FILTER_SUBSTRINGS;
	f->any = arena_calloc(r->arena, (size_t)src->nany + 1,
	    sizeof(*f->any));
	if (f->any == NULL)
		return HB_ELIMIT;
	f->nany = src->nany;
	rc = norm_part(r, f, SUBSTR_INITIAL, src->initial, &f->initial);
	for (i = 0; rc == HB_OK && i < src->nany; i++)
		rc = norm_part(r, f, SUBSTR_ANY, src->any[i], &f->any[i]);
	if (rc == HB_OK)
		rc = norm_part(r, f, SUBSTR_FINAL, src->final, &f->final);
	return rc == HB_OK ? frame_substrings(r, f) : rc;
}

static bool
piece_conforms(const struct resolver *r, const struct filter *f,
    struct slice piece)
{
	const struct matching_rule *eq = f->desc->type->equality;

	return slice_is_none(piece) || eq == NULL ||
	    eq->syntax->validate == NULL ||
	    eq->syntax->validate(r->schema, piece) == HB_OK;
}

/*
 * RFC 4511 4.5.1.7.2: the pieces have the assertion syntax of the equality
 * rule. (Those of an extensible match are of any text.)
 */
static int
resolve_pieces(struct resolver *r, struct filter *f,
    const struct ldap_filter *src)
{
	unsigned i;

	if (!piece_conforms(r, f, src->initial) ||
	    !piece_conforms(r, f, src->final))
		return HB_ESYNTAX;
	for (i = 0; i < src->nany; i++)
		if (!piece_conforms(r, f, src->any[i]))
			return HB_ESYNTAX;
	return resolve_substrings(r, f, src);
}

static const struct matching_rule *
rule_of(enum filter_type type, const struct attr_type *at)
{
	switch (type) {
	case FILTER_SUBSTRINGS:
		return at->substr;
	case FILTER_GE:
	case FILTER_LE:
		return at->ordering;
	case FILTER_APPROX:
		return at->approx != NULL ? at->approx : at->equality;
	default:
		return at->equality;
	}
}

/* Everything but AND, OR, NOT, EXTENSIBLE. */
static int
resolve_item(struct resolver *r, struct filter *f,
    const struct ldap_filter *src)
{
	int rc;

	rc = schema_desc(r->schema, src->attr, &f->desc, NULL);
	if (rc != HB_OK)
		return undefined_or_limit(f, rc);
	f->entry_dn = f->desc == schema_builtin(r->schema, "entryDN");
	if (f->type == FILTER_PRESENT)
		return HB_OK;
	f->rule = rule_of(f->type, f->desc->type);
	if (f->rule == NULL) {
		make_constant(f, FILTER_UNDEFINED);
		return HB_OK;
	}
	if (f->type == FILTER_SUBSTRINGS)
		return undefined_or_limit(f, resolve_pieces(r, f, src));
	rc = schema_norm_assertion(r->schema, r->arena, f->rule, SUBSTR_WHOLE,
	    schema_skip_order(f->desc->type, src->value), &f->value);
	if (rc == HB_OK && f->type == FILTER_EQUALITY &&
	    f->desc == schema_builtin(r->schema, "objectClass"))
		f->oc = schema_find_class(r->schema, src->value);
	return undefined_or_limit(f, rc);
}

/*
 * Extensible match under a substrings rule: its assertion value is the string
 * form of RFC 4517 3.3.30.
 */
static int
resolve_substr_assertion(struct resolver *r, struct filter *f)
{
	struct ldap_filter parts = { .type = LDAP_FILTER_SUBSTRINGS };
	int rc;

	rc = filter_split_assertion(r->arena, f->source->value, &parts);
	return rc != HB_OK ? rc : resolve_substrings(r, f, &parts);
}

static int
resolve_extensible(struct resolver *r, struct filter *f,
    const struct ldap_filter *src)
{
	int rc = HB_OK;

	f->dn_attrs = src->dn_attrs;
	f->schema = r->schema;
	if (!slice_is_none(src->attr) && src->attr.len > 0)
		rc = schema_desc(r->schema, src->attr, &f->desc, NULL);
	if (rc != HB_OK)
		return undefined_or_limit(f, rc);
	if (!slice_is_none(src->rule) && src->rule.len > 0)
		f->rule = schema_find_rule(r->schema, src->rule);
	else if (f->desc != NULL)
		f->rule = f->desc->type->equality;
	if (f->rule == NULL || (f->desc != NULL &&
	    !schema_rule_applies(f->rule, f->desc->type))) {
		make_constant(f, FILTER_UNDEFINED);
		return HB_OK;
	}
	f->entry_dn = f->desc == schema_builtin(r->schema, "entryDN");
	if ((f->rule->kind & MR_SUBSTRINGS) != 0) {
		rc = undefined_or_limit(f, resolve_substr_assertion(r, f));
		if (f->type == FILTER_SUBSTRINGS)
			f->type = FILTER_EXTENSIBLE;
		return rc;
	}
	return undefined_or_limit(f, schema_norm_assertion(r->schema, r->arena,
	    f->rule, SUBSTR_WHOLE, f->desc == NULL ? src->value :
	    schema_skip_order(f->desc->type, src->value), &f->value));
}

/* ---- OR of many equalities ---- */

static bool
is_sortable(const struct filter *f)
{
	return f->type == FILTER_EQUALITY && f->rule->match == NULL &&
	    f->oc == NULL;
}

static int
value_cmp(const void *a, const void *b)
{
	return slice_cmp(*(const struct slice *)a, *(const struct slice *)b);
}

/* OR's children are N sortable equalities of one description. */
static int
sort_values(struct resolver *r, struct filter *or)
{
	struct filter *c;
	unsigned n = 0;

	or->sorted = arena_calloc(r->arena, or->nchildren, sizeof(*or->sorted));
	if (or->sorted == NULL)
		return HB_ELIMIT;
	for (c = or->first; c != NULL; c = c->next)
		or->sorted[n++] = c->value;
	qsort(or->sorted, n, sizeof(*or->sorted), value_cmp);
	or->nsorted = n;
	or->desc = or->first->desc;
	or->rule = or->first->rule;
	or->entry_dn = or->first->entry_dn;
	return HB_OK;
}

/* Move the equalities of DESC from OR into a new OR; *rest_r gets where it was put. */
static int
split_group(struct resolver *r, struct filter *or,
    const struct attr_desc *desc)
{
	struct filter *c, *next, *group, **keep = &or->first, **move;

	if ((group = arena_zalloc(r->arena, sizeof(*group))) == NULL)
		return HB_ELIMIT;
	group->type = FILTER_OR;
	group->source = or->source;
	move = &group->first;
	for (c = or->first; c != NULL; c = next) {
		next = c->next;
		if (is_sortable(c) && c->desc == desc) {
			*move = c;
			move = &c->next;
			group->nchildren++;
		} else {
			*keep = c;
			keep = &c->next;
		}
	}
	*move = NULL;
	*keep = group;
	or->nchildren -= group->nchildren - 1;
	return sort_values(r, group);
}

static int
sort_equalities(struct resolver *r, struct filter *or)
{
	const struct attr_desc *tried[GROUPS_MAX], *desc;
	const struct filter *c, *o;
	unsigned ntried = 0, i, n;
	int rc;

	if (or->nchildren < SORTED_MIN)
		return HB_OK;
again:
	for (c = or->first; c != NULL && ntried < GROUPS_MAX; c = c->next) {
		if (!is_sortable(c))
			continue;
		desc = c->desc;
		for (i = 0; i < ntried && tried[i] != desc; i++)
			;
		if (i < ntried)
			continue;
		tried[ntried++] = desc;
		for (n = 0, o = c; o != NULL; o = o->next)
			n += is_sortable(o) && o->desc == desc;
		if (n == or->nchildren)
			return sort_values(r, or);
		if (n < SORTED_MIN)
			continue;
		if ((rc = split_group(r, or, desc)) != HB_OK)
			return rc;
		goto again;
	}
	return HB_OK;
}

/* ---- the tree ---- */

static int resolve(struct resolver *, const struct ldap_filter *, unsigned,
    struct filter **);

static int
resolve_children(struct resolver *r, struct filter *f,
    const struct ldap_filter *src, unsigned depth)
{
	const struct ldap_filter *c;
	struct filter **tail = &f->first;
	int rc;

	for (c = src->first; c != NULL; c = c->next) {
		if ((rc = resolve(r, c, depth + 1, tail)) != HB_OK)
			return rc;
		tail = &(*tail)->next;
		f->nchildren++;
	}
	return f->type == FILTER_OR ? sort_equalities(r, f) : HB_OK;
}

static enum filter_type
type_of(const struct ldap_filter *src)
{
	switch (src->type) {
	case LDAP_FILTER_AND:		return FILTER_AND;
	case LDAP_FILTER_OR:		return FILTER_OR;
	case LDAP_FILTER_NOT:		return FILTER_NOT;
	case LDAP_FILTER_EQUALITY:	return FILTER_EQUALITY;
	case LDAP_FILTER_SUBSTRINGS:	return FILTER_SUBSTRINGS;
	case LDAP_FILTER_GE:		return FILTER_GE;
	case LDAP_FILTER_LE:		return FILTER_LE;
	case LDAP_FILTER_PRESENT:	return FILTER_PRESENT;
	case LDAP_FILTER_APPROX:	return FILTER_APPROX;
	case LDAP_FILTER_EXTENSIBLE:	return FILTER_EXTENSIBLE;
	case LDAP_FILTER_UNKNOWN:	break;
	}
	return FILTER_CONSTANT;
}

/* Recursion is bounded by the decoder's depth; looked at again for others. */
static int
resolve(struct resolver *r, const struct ldap_filter *src, unsigned depth,
    struct filter **filter_r)
{
	struct filter *f;

	if (depth > LDAP_FILTER_DEPTH_MAX ||
	    (f = arena_zalloc(r->arena, sizeof(*f))) == NULL)
		return HB_ELIMIT;
	*filter_r = f;
	f->source = src;
	f->type = type_of(src);
	switch (f->type) {
	case FILTER_AND:
	case FILTER_OR:
	case FILTER_NOT:
		return resolve_children(r, f, src, depth);
	case FILTER_EXTENSIBLE:
		return resolve_extensible(r, f, src);
	case FILTER_CONSTANT:
		f->truth = FILTER_UNDEFINED;
		return HB_OK;
	default:
		return resolve_item(r, f, src);
	}
}

int
filter_resolve(struct arena *arena, struct schema *schema,
    const struct ldap_filter *src, struct filter **filter_r)
{
	struct resolver r = { arena, schema };

	*filter_r = NULL;
	return resolve(&r, src, 0, filter_r);
}
