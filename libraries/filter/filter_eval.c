/*
 * Is a filter true of an entry (RFC 4511 4.5.1.7)? Three truths; values are
 * read in place.
 */
#include <stdlib.h>

#include "filter.h"
#include "util/err.h"

struct eval {
	const struct schema *schema;
	const struct entry *e;
	filter_access_cb allowed;
	void *arg;
	struct arena arena;		/* for rules that normalise otherwise */
};

static inline bool
is_allowed(const struct eval *ev, const struct attr_desc *desc)
{
	return ev->allowed == NULL || ev->allowed(ev->arg, ev->e, desc);
}

/* ---- one value ---- */

static bool
match_pieces(const struct filter *f, struct slice v)
{
	const char *at;
	unsigned i;

	if (v.len < f->initial.len + f->final.len ||
	    !slice_has_prefix(v, f->initial) || !slice_has_suffix(v, f->final))
		return false;
	v = slice_skip(v, f->initial.len);
	v.len -= f->final.len;
	for (i = 0; i < f->nany; i++) {
		if (f->any[i].len == 0)
			continue;
		at = memmem(v.ptr, v.len, f->any[i].ptr, f->any[i].len);
		if (at == NULL)
			return false;
		v = slice_skip(v, (size_t)(at - v.ptr) + f->any[i].len);
	}
	return true;
}

bool
filter_substr_match(const struct filter *f, struct slice v)
{
	struct buf framed;
	bool match;

	if (f->framed == NULL)
		return match_pieces(f, v);
	buf_init(&framed);
	schema_frame(f->rule, SUBSTR_WHOLE, v, &framed);
	match = match_pieces(f->framed, buf_slice(&framed));
	buf_fini(&framed);
	return match;
}

static bool
in_sorted(const struct filter *f, struct slice v)
{
	unsigned lo = 0, hi = f->nsorted, mid;
	int c;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if ((c = slice_cmp(v, f->sorted[mid])) == 0)
			return true;
		if (c < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return false;
}

static int
compare(const struct filter *f, struct slice norm)
{
	return f->rule->compare != NULL ? f->rule->compare(norm, f->value) :
	    slice_cmp(norm, f->value);
}

static bool
is_equal(const struct eval *ev, const struct filter *f, struct slice norm)
{
	if (f->rule->match != NULL)
		return f->rule->match(ev->schema, norm, f->value);
	return slice_is_eq(norm, f->value);
}

static bool
match_extensible(const struct eval *ev, const struct filter *f,
    struct slice norm)
{
	if ((f->rule->kind & MR_SUBSTRINGS) != 0)
		return filter_substr_match(f, norm);
	/* RFC 4517 4.2.16 and its like: an ordering rule asks for "less" */
	if ((f->rule->kind & (MR_ORDERING | MR_EQUALITY)) == MR_ORDERING)
		return compare(f, norm) < 0;
	return is_equal(ev, f, norm);
}

/* NORM is in normal form under the rule of F. */
static bool
match_norm(const struct eval *ev, const struct filter *f, struct slice norm)
{
	switch (f->type) {
	case FILTER_OR:
		return in_sorted(f, norm);
	case FILTER_SUBSTRINGS:
		return filter_substr_match(f, norm);
	case FILTER_GE:
		return compare(f, norm) >= 0;
	case FILTER_LE:
		return compare(f, norm) <= 0;
	case FILTER_EXTENSIBLE:
		return match_extensible(ev, f, norm);
	default:
		return is_equal(ev, f, norm);
	}
}

/*
 * VALUE, whose normal form under its own equality rule is NORM. A value that
 * the rule cannot take does not match.
 */
static bool
match_value(struct eval *ev, const struct filter *f,
    const struct attr_desc *desc, struct slice value, struct slice norm)
{
	const struct matching_rule *eq = desc->type->equality;
	const struct object_class *oc;

	if (f->oc != NULL) {
		oc = schema_find_class(ev->schema, value);
		return oc != NULL && object_class_is_sub(oc, f->oc);
	}
	if ((f->rule->kind & MR_STORED) != 0)
		norm = value;
	/* a subtype may have another equality rule than what was asked for */
	if (eq != f->rule && (f->rule->match == NULL ||
	    (f->rule->kind & MR_APPROX) != 0) &&
	    f->rule->normalise != NULL && (eq == NULL ||
	    eq->normalise != f->rule->normalise) &&
	    f->rule->normalise(ev->schema, &ev->arena, SUBSTR_WHOLE,
	    schema_skip_order(desc->type, value), &norm) != HB_OK)
		return false;
	if (f->rule != NULL && schema_is_prohibited(f->rule, norm))
		return false;
	return match_norm(ev, f, norm);
}

/* ---- one item ---- */

static bool
match_attr(struct eval *ev, const struct filter *f, unsigned i)
{
	struct slice value, norm;
	struct entry_attr a;

	if (f->type == FILTER_PRESENT)
		return true;
	entry_attr_at(ev->e, i, &a);
	/* most filters; some groups have 100,000 members */
	if (f->type == FILTER_EQUALITY && f->rule == a.desc->type->equality &&
	    f->rule->match == NULL && (f->rule->kind & MR_STORED) == 0 &&
	    f->oc == NULL)
		return entry_attr_has_norm(a, f->value);
	while (entry_value_next(&a, &value, &norm))
		if (match_value(ev, f, a.desc, value, norm))
			return true;
	return false;
}

/* Does attribute DESC belong to what F asks about? */
static bool
is_asked(const struct filter *f, const struct attr_desc *desc)
{
	return f->desc != NULL ? attr_desc_is_sub(desc, f->desc) :
	    schema_rule_applies(f->rule, desc->type);
}

/* The attributes in the DN of the entry (":dn:"). */
static enum filter_truth
eval_dn_attrs(struct eval *ev, const struct filter *f)
{
	struct dn dn = ev->e->dn;
	bool denied = false;
	struct ava *avas;
	unsigned i, n;

	for (; !dn_is_empty(&dn); dn = dn_parent(&dn)) {
		if (dn_rdn_avas(&ev->arena, f->schema, &dn, &avas, &n) != HB_OK)
			return FILTER_UNDEFINED;
		for (i = 0; i < n; i++) {
			if (!is_asked(f, avas[i].desc))
				continue;
			if (avas[i].desc != f->desc &&
			    !is_allowed(ev, avas[i].desc))
				denied = true;
			else if (match_value(ev, f, avas[i].desc,
			    avas[i].value, avas[i].norm))
				return FILTER_TRUE;
		}
	}
	return denied ? FILTER_UNDEFINED : FILTER_FALSE;
}

static enum filter_truth
eval_entry_dn(struct eval *ev, const struct filter *f)
{
	return f->type == FILTER_PRESENT || match_value(ev, f, f->desc,
	    ev->e->dn.text, ev->e->dn.norm) ? FILTER_TRUE : FILTER_FALSE;
}

static enum filter_truth
eval_item(struct eval *ev, const struct filter *f)
{
	unsigned i, n = entry_nattrs(ev->e);
	const struct attr_desc *desc;
	enum filter_truth truth = FILTER_FALSE;

	if (f->desc != NULL && !is_allowed(ev, f->desc))
		return FILTER_UNDEFINED;
	if (f->entry_dn)
		return eval_entry_dn(ev, f);
	for (i = 0; i < n; i++) {
		desc = entry_attr_desc(ev->e, i);
		if (!is_asked(f, desc))
			continue;
		if (desc != f->desc && !is_allowed(ev, desc))
			truth = FILTER_UNDEFINED;
		else if (match_attr(ev, f, i))
			return FILTER_TRUE;
	}
	if (f->dn_attrs && truth != FILTER_TRUE) {
		enum filter_truth t = eval_dn_attrs(ev, f);

		return t == FILTER_FALSE ? truth : t;
	}
	return truth;
}

/* ---- the tree ---- */

static enum filter_truth eval(struct eval *, const struct filter *);

/* AND stops at FALSE, OR at TRUE; else Undefined if any child is. */
static enum filter_truth
eval_set(struct eval *ev, const struct filter *f, enum filter_truth stop,
    enum filter_truth truth)
{
	const struct filter *c;
	enum filter_truth t;

	for (c = f->first; c != NULL; c = c->next) {
		if ((t = eval(ev, c)) == stop)
			return stop;
		if (t == FILTER_UNDEFINED)
			truth = t;
	}
	return truth;
}

static enum filter_truth
eval(struct eval *ev, const struct filter *f)
{
	enum filter_truth t;

	switch (f->type) {
	case FILTER_AND:
		return eval_set(ev, f, FILTER_FALSE, FILTER_TRUE);
	case FILTER_OR:
		if (f->sorted != NULL)
			return eval_item(ev, f);
		return eval_set(ev, f, FILTER_TRUE, FILTER_FALSE);
	case FILTER_NOT:
		t = eval(ev, f->first);
		return t == FILTER_UNDEFINED ? t :
		    t == FILTER_TRUE ? FILTER_FALSE : FILTER_TRUE;
	case FILTER_CONSTANT:
		return f->truth;
	default:
		return eval_item(ev, f);
	}
}

enum filter_truth
filter_eval(const struct filter *f, const struct schema *schema,
    const struct entry *e, filter_access_cb allowed, void *arg)
{
	struct eval ev = {
		.schema = schema, .e = e, .allowed = allowed, .arg = arg
	};
	enum filter_truth t;

	arena_init(&ev.arena, 0);
	t = eval(&ev, f);
	arena_fini(&ev.arena);
	return t;
}
