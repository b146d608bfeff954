/*
 * The editable form of an entry's attributes.
 */
#include "attrs_int.h"
#include "util/err.h"

unsigned
attr_find_norm(const struct attr *a, struct slice norm)
{
	unsigned i;

	for (i = 0; i < a->n; i++)
		if (slice_is_eq(a->norms[i], norm))
			return i;
	return VALUE_NONE;
}

int
attr_reserve(struct arena *arena, struct attr *a, unsigned more)
{
	size_t cap = (size_t)a->n + more;
	struct slice *v;

	if (cap <= a->cap)
		return HB_OK;
	if (cap > UINT32_MAX / 2)
		return HB_ELIMIT;
	if (a->cap > 0 && cap < (size_t)a->cap * 2)
		cap = (size_t)a->cap * 2;
	if ((v = arena_calloc(arena, cap, 2 * sizeof(*v))) == NULL)
		return HB_ELIMIT;
	if (a->n > 0) {
		memcpy(v, a->values, a->n * sizeof(*v));
		memcpy(v + cap, a->norms, a->n * sizeof(*v));
	}
	a->values = v;
	a->norms = v + cap;
	a->cap = (unsigned)cap;
	return HB_OK;
}

void
attr_remove_at(struct attr *a, unsigned pos)
{
	size_t tail = (a->n - pos - 1) * sizeof(*a->values);

	memmove(a->values + pos, a->values + pos + 1, tail);
	memmove(a->norms + pos, a->norms + pos + 1, tail);
	a->n--;
}

struct attr *
attrs_find(const struct attrs *as, const struct attr_desc *desc)
{
	unsigned i;

	for (i = 0; i < as->n; i++)
		if (as->v[i].desc == desc)
			return &as->v[i];
	return NULL;
}

struct attr *
attrs_append(struct arena *arena, struct attrs *as,
    const struct attr_desc *desc)
{
	unsigned cap = as->cap == 0 ? 16 : as->cap * 2;
	struct attr *v;

	if (as->n >= as->cap) {
		if ((v = arena_calloc(arena, cap, sizeof(*v))) == NULL)
			return NULL;
		if (as->n > 0)
			memcpy(v, as->v, as->n * sizeof(*v));
		as->v = v;
		as->cap = cap;
	}
	v = &as->v[as->n++];
	*v = (struct attr){ .desc = desc };
	return v;
}

void
attrs_remove(struct attrs *as, struct attr *a)
{
	size_t i = (size_t)(a - as->v);

	memmove(a, a + 1, (as->n - i - 1) * sizeof(*a));
	as->n--;
}

int
norms_find_twice(struct arena *arena, const struct slice *norms, unsigned n,
    unsigned *pos_r)
{
	struct attr a = { .norms = (struct slice *)norms };
	struct value_index x;
	unsigned i, at;
	int rc;

	*pos_r = VALUE_NONE;
	if (n > VALUES_LINEAR_MAX &&
	    (rc = value_index_open(arena, &x, &a, n)) != HB_OK)
		return rc;
	for (i = 0; i < n; i++) {
		at = n > VALUES_LINEAR_MAX ? value_index_find(&x, norms[i]) :
		    attr_find_norm(&a, norms[i]);
		if (at != VALUE_NONE) {
			*pos_r = at;
			return HB_OK;
		}
		a.n++;
		if (n > VALUES_LINEAR_MAX &&
		    (rc = value_index_add(arena, &x, i)) != HB_OK)
			return rc;
	}
	return HB_OK;
}

/* The value is refused: again, this time for the cause. */
static int
bad_value(const struct schema *schema, const struct attr_desc *desc,
    struct slice value, unsigned i, struct diag *diag)
{
	struct diag cause;
	int rc;

	diag_clear(&cause);
	rc = schema_check_value(schema, desc, value, &cause);
	return diag_err(diag, rc == HB_OK ? HB_ESYNTAX : rc,
	    "%.*s: value #%u invalid per syntax%s%s", SLICE_ARG(desc->name), i,
	    cause.text[0] != '\0' ? ": " : "", cause.text);
}

int
attr_make(struct arena *arena, const struct schema *schema,
    const struct attr_desc *desc, const struct slice *values, unsigned n,
    struct attr *attr_r, struct diag *diag)
{
	struct slice norm;
	unsigned i, twice;
	int rc;

	*attr_r = (struct attr){ .desc = desc };
	if (n > 1 && (desc->type->flags & AT_SINGLE_VALUE) != 0)
		return diag_err(diag, HB_ECONSTRAINT,
		    "%.*s: multiple values provided", SLICE_ARG(desc->name));
	if ((rc = attr_reserve(arena, attr_r, n)) != HB_OK)
		return rc;
	for (i = 0; i < n; i++) {
		rc = schema_check_value(schema, desc, values[i], NULL);
		if (rc == HB_OK)
			rc = schema_norm_value(schema, arena, desc, values[i],
			    &norm);
		if (rc == HB_ELIMIT)
			return rc;
		if (rc != HB_OK)
			return bad_value(schema, desc, values[i], i, diag);
		attr_push(attr_r, values[i], norm);
	}
	if ((rc = norms_find_twice(arena, attr_r->norms, n, &twice)) != HB_OK)
		return rc;
	if (twice != VALUE_NONE)
		return diag_err(diag, HB_EVALEXISTS,
		    "%.*s: value #%u provided more than once",
		    SLICE_ARG(desc->name), twice);
	return HB_OK;
}

int
attrs_add(struct arena *arena, struct attrs *as, const struct attr *a)
{
	struct attr *to = attrs_find(as, a->desc);
	unsigned i, twice;
	int rc;

	if (a->n == 0)
		return HB_OK;
	if (to == NULL) {
		if ((to = attrs_append(arena, as, a->desc)) == NULL)
			return HB_ELIMIT;
		*to = *a;
		return HB_OK;
	}
	if ((rc = attr_reserve(arena, to, a->n)) != HB_OK)
		return rc;
	for (i = 0; i < a->n; i++)
		attr_push(to, a->values[i], a->norms[i]);
	if ((rc = norms_find_twice(arena, to->norms, to->n, &twice)) != HB_OK)
		return rc;
	return twice == VALUE_NONE ? HB_OK : HB_EVALEXISTS;
}

int
attrs_set(struct arena *arena, struct attrs *as, const struct attr_desc *desc,
    struct slice value, struct slice norm)
{
	struct attr *a = attrs_find(as, desc);

	if (a == NULL && (a = attrs_append(arena, as, desc)) == NULL)
		return HB_ELIMIT;
	/* the arrays may be shared with whoever made the attribute */
	a->n = a->cap = 0;
	if (attr_reserve(arena, a, 1) != HB_OK)
		return HB_ELIMIT;
	attr_push(a, value, norm);
	return HB_OK;
}

bool
attrs_has_value(const struct attrs *as, const struct attr_desc *desc,
    struct slice norm)
{
	const struct attr *a = attrs_find(as, desc);

	return a != NULL && attr_find_norm(a, norm) != VALUE_NONE;
}

bool
attrs_has_class(const struct attrs *as, const struct schema *schema,
    const struct object_class *oc)
{
	const struct attr *a;
	const struct object_class *c;
	unsigned i;

	a = attrs_find(as, schema_builtin(schema, "objectClass"));
	for (i = 0; a != NULL && i < a->n; i++) {
		c = schema_find_class(schema, a->values[i]);
		if (c != NULL && object_class_is_sub(c, oc))
			return true;
	}
	return false;
}
