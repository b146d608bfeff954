/*
 * Attributes that are X-ORDERED 'VALUES': a stored value carries its place as
 * "{n}" before it, and its normal form does not. Whatever changes, the values
 * are numbered from 0 without gaps. They are few, so nothing here is clever.
 */
#include <stdio.h>
#include <stdlib.h>

#include "attrs_int.h"
#include "util/err.h"

struct placed {
	uint32_t at;			/* where the value is wanted */
	unsigned from;			/* which of the given ones it is */
};

static int
placed_cmp(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

static int
number_value(struct arena *arena, const struct attr_type *type, unsigned n,
    struct slice *value)
{
	struct slice rest = *value;
	char text[16];
	size_t len = (size_t)snprintf(text, sizeof(text), "{%u}", n);
	uint32_t at;
	char *p;

	schema_order_of(type, *value, &at, &rest);
	if (value->len == len + rest.len &&
	    slice_has_prefix(*value, slice(text, len)))
		return HB_OK;
	if ((p = arena_alloc(arena, len + rest.len)) == NULL)
		return HB_ELIMIT;
	memcpy(p, text, len);
	if (rest.len > 0)
		memcpy(p + len, rest.ptr, rest.len);
	*value = slice(p, len + rest.len);
	return HB_OK;
}

int
ordered_number(struct arena *arena, struct attr *a)
{
	unsigned i;
	int rc = HB_OK;

	for (i = 0; i < a->n && rc == HB_OK; i++)
		rc = number_value(arena, a->desc->type, i, &a->values[i]);
	return rc;
}

/*
 * Those with a number come to stand there, in the order of the numbers; those
 * without one follow at the end.
 */
int
ordered_insert(struct arena *arena, struct attr *a,
    const struct slice *values, const struct slice *norms, unsigned n)
{
	struct attr out = { .desc = a->desc };
	struct placed *p;
	struct slice rest;
	unsigned i, old = 0, np = 0, k = 0;
	int rc;

	if ((p = arena_calloc(arena, (size_t)n + 1, sizeof(*p))) == NULL)
		return HB_ELIMIT;
	for (i = 0; i < n; i++)
		if (schema_order_of(a->desc->type, values[i], &p[np].at,
		    &rest) && p[np].at != UINT32_MAX)
			p[np++].from = i;
	qsort(p, np, sizeof(*p), placed_cmp);
	if ((rc = attr_reserve(arena, &out, a->n + n)) != HB_OK)
		return rc;
	while (old < a->n || k < np) {
		if (k < np && (p[k].at <= out.n || old == a->n)) {
			i = p[k++].from;
			attr_push(&out, values[i], norms[i]);
		} else {
			attr_push(&out, a->values[old], a->norms[old]);
			old++;
		}
	}
	for (i = 0; i < n; i++)
		if (!schema_order_of(a->desc->type, values[i], &p[0].at,
		    &rest) || p[0].at == UINT32_MAX)
			attr_push(&out, values[i], norms[i]);
	*a = out;
	return ordered_number(arena, a);
}

static int
add_values(struct arena *arena, struct attrs *as, const struct mod *m,
    struct diag *diag)
{
	struct slice *values, *norms;
	struct attr *a = attrs_find(as, m->desc);
	unsigned i, n = 0, twice;
	int rc;

	if (m->n == 0)
		return mod_fault(m, HB_EPROTO, "no values given", diag);
	values = arena_calloc(arena, m->n, 2 * sizeof(*values));
	if (values == NULL)
		return HB_ELIMIT;
	norms = values + m->n;
	for (i = 0; i < m->n; i++) {
		if (m->type == MOD_SOFT_ADD && a != NULL &&
		    attr_find_norm(a, m->norms[i]) != VALUE_NONE)
			continue;
		values[n] = m->values[i];
		norms[n++] = m->norms[i];
	}
	if (a == NULL && (a = attrs_append(arena, as, m->desc)) == NULL)
		return HB_ELIMIT;
	if ((rc = ordered_insert(arena, a, values, norms, n)) != HB_OK ||
	    (rc = norms_find_twice(arena, a->norms, a->n, &twice)) != HB_OK)
		return rc;
	return twice == VALUE_NONE ? HB_OK : mod_fault(m, HB_EVALEXISTS,
	    "a value already exists", diag);
}

/* "{n}" is the value at n, "{n}value" the one at n if it is this. */
static unsigned
find_value(const struct attr *a, struct slice value, struct slice norm)
{
	struct slice rest;
	uint32_t at;

	if (!schema_order_of(a->desc->type, value, &at, &rest))
		return attr_find_norm(a, norm);
	if (at >= a->n || (rest.len > 0 && !slice_is_eq(a->norms[at], norm)))
		return VALUE_NONE;
	return at;
}

static bool
has_bare_numbers(const struct mod *m)
{
	struct slice rest;
	uint32_t at;

	for (unsigned i = 0; i < m->n; i++)
		if (!schema_order_of(m->desc->type, m->values[i], &at,
		    &rest) || rest.len > 0)
			return false;
	return true;
}

/* Numbers are those before the modification, however many values it takes. */
static int
mark_gone(const struct attr *a, const struct mod *m, bool *gone,
    struct diag *diag)
{
	unsigned i, pos;

	for (i = 0; i < m->n; i++) {
		pos = find_value(a, m->values[i], m->norms[i]);
		if (pos != VALUE_NONE && !gone[pos])
			gone[pos] = true;
		else if (m->type != MOD_SOFT_DELETE)
			return mod_fault(m, HB_ENOSUCHATTR, "no such value",
			    diag);
	}
	return HB_OK;
}

static int
delete_values(struct arena *arena, struct attrs *as, const struct mod *m,
    struct diag *diag)
{
	struct attr *a = attrs_find(as, m->desc);
	unsigned i, n = 0;
	bool *gone;
	int rc;

	if (m->desc->type->equality == NULL && !has_bare_numbers(m))
		return mod_fault(m, HB_EMATCHING, "no equality matching rule",
		    diag);
	if (a == NULL)
		return m->type == MOD_SOFT_DELETE ? HB_OK : mod_fault(m,
		    HB_ENOSUCHATTR, "no such attribute", diag);
	if ((gone = arena_calloc(arena, a->n, sizeof(*gone))) == NULL)
		return HB_ELIMIT;
	if ((rc = mark_gone(a, m, gone, diag)) != HB_OK)
		return rc;
	for (i = 0; i < a->n && m->n > 0; i++) {
		if (gone[i])
			continue;
		a->values[n] = a->values[i];
		a->norms[n++] = a->norms[i];
	}
	a->n = n;
	rc = ordered_number(arena, a);
	if (a->n == 0)
		attrs_remove(as, a);
	return rc;
}

int
ordered_modify(struct arena *arena, struct attrs *as, const struct mod *m,
    struct diag *diag)
{
	struct attr *a;

	switch (m->type) {
	case MOD_ADD:
	case MOD_SOFT_ADD:
		return add_values(arena, as, m, diag);
	case MOD_DELETE:
	case MOD_SOFT_DELETE:
		return delete_values(arena, as, m, diag);
	case MOD_REPLACE:
		if ((a = attrs_find(as, m->desc)) != NULL)
			attrs_remove(as, a);
		return m->n == 0 ? HB_OK : add_values(arena, as, m, diag);
	case MOD_INCREMENT:
		return mod_fault(m, HB_ECONSTRAINT, "values that are ordered "
		    "have no increment", diag);
	}
	return HB_EPROTO;
}
