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
	if (cap > SIZE_MAX / (2 * sizeof(*v)) ||
	    (v = arena_alloc(arena, cap * 2 * sizeof(*v))) == NULL)
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
	if (n < 2)
		return HB_OK;
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
	struct slice cause_text;
	struct diag cause;
	int rc;

	diag_clear(&cause);
	rc = schema_check_value(schema, desc, value, &cause);
	cause_text = slice_of(cause.text);
	/* it begins with the name as well */
	if (slice_has_prefix(cause_text, desc->name) &&
	    cause_text.ptr[desc->name.len] == ':')
		cause_text = slice_skip(cause_text, desc->name.len + 2);
	diag_add(diag, "%.*s: value #%u invalid per syntax%s%.*s",
	    SLICE_ARG(desc->name), i, cause_text.len > 0 ? ": " : "",
	    SLICE_ARG(cause_text));
	return rc == HB_OK ? HB_ESYNTAX : rc;
}

/* May values be kept under DESC (RFC 3866 4, RFC 4522 3)? */
static int
check_desc(const struct attr_desc *desc, struct diag *diag)
{
	if (attr_desc_is_range(desc))
		return diag_err(diag, HB_EUNDEFTYPE, "%.*s: a range of options "
		    "is for searching, nothing can be stored under it",
		    SLICE_ARG(desc->name));
	if (!desc->binary && (desc->type->syntax->flags & SYN_BINARY_TRANSFER))
		return diag_err(diag, HB_EUNDEFTYPE, "%.*s: requires ;binary "
		    "transfer", SLICE_ARG(desc->name));
	return HB_OK;
}

/* "{n}" alone, where a value is deleted. */
static bool
is_bare_number(const struct attr_desc *desc, struct slice value)
{
	struct slice rest;
	uint32_t n;

	return schema_order_of(desc->type, value, &n, &rest) && rest.len == 0;
}

/* Of many bad values this many are named. */
#define BAD_VALUES_MAX	8

static int
take_values(struct arena *arena, const struct schema *schema,
    const struct attr_desc *desc, const struct slice *values, unsigned n,
    bool is_delete, struct attr *a, struct diag *diag)
{
	struct slice norm;
	unsigned i, bad = 0, twice;
	int rc, first = HB_OK;

	for (i = 0; i < n; i++) {
		norm = SLICE_NONE;
		if (is_delete && is_bare_number(desc, values[i])) {
			attr_push(a, values[i], norm);
			continue;
		}
		rc = schema_check_value(schema, desc, values[i], NULL);
		if (rc == HB_OK)
			rc = schema_norm_value(schema, arena, desc, values[i],
			    &norm);
		if (rc == HB_ELIMIT)
			return rc;
		if (rc != HB_OK && bad++ < BAD_VALUES_MAX)
			rc = bad_value(schema, desc, values[i], i, diag);
		if (rc != HB_OK && first == HB_OK)
			first = rc;
		attr_push(a, values[i], norm);
	}
	if (bad > BAD_VALUES_MAX)
		diag_add(diag, "%.*s: %u more values are invalid",
		    SLICE_ARG(desc->name), bad - BAD_VALUES_MAX);
	if (first != HB_OK)
		return first;
	if ((rc = norms_find_twice(arena, a->norms, n, &twice)) != HB_OK)
		return rc;
	if (twice == VALUE_NONE || (is_delete && desc_is_ordered(desc)))
		return HB_OK;
	return diag_err(diag, HB_EVALEXISTS,
	    "%.*s: value #%u provided more than once", SLICE_ARG(desc->name),
	    twice);
}

static int
make_values(struct arena *arena, const struct schema *schema,
    const struct attr_desc *desc, const struct slice *values, unsigned n,
    bool is_delete, struct attr *attr_r, struct diag *diag)
{
	int rc;

	*attr_r = (struct attr){ .desc = desc };
	if ((rc = check_desc(desc, diag)) != HB_OK)
		return rc;
	if (n > 1 && !is_delete && (desc->type->flags & AT_SINGLE_VALUE) != 0)
		return diag_err(diag, HB_ECONSTRAINT,
		    "%.*s: multiple values provided", SLICE_ARG(desc->name));
	if ((rc = attr_reserve(arena, attr_r, n)) != HB_OK)
		return rc;
	return take_values(arena, schema, desc, values, n, is_delete, attr_r,
	    diag);
}

int
attr_make(struct arena *arena, const struct schema *schema,
    const struct attr_desc *desc, const struct slice *values, unsigned n,
    struct attr *attr_r, struct diag *diag)
{
	struct attr given;
	int rc;

	rc = make_values(arena, schema, desc, values, n, false, attr_r, diag);
	if (rc != HB_OK || !desc_is_ordered(desc))
		return rc;
	given = *attr_r;
	*attr_r = (struct attr){ .desc = desc };
	return ordered_insert(arena, attr_r, given.values, given.norms,
	    given.n);
}

int
mod_make(struct arena *arena, const struct schema *schema, enum mod_type type,
    const struct attr_desc *desc, const struct slice *values, unsigned n,
    struct mod *mod_r, struct diag *diag)
{
	struct attr a;
	int rc;

	rc = make_values(arena, schema, desc, values, n, type == MOD_DELETE ||
	    type == MOD_SOFT_DELETE, &a, diag);
	*mod_r = (struct mod){ .type = type, .desc = desc, .values = a.values,
	    .norms = a.norms, .n = n };
	return rc;
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
	if (twice != VALUE_NONE)
		return HB_EVALEXISTS;
	return desc_is_ordered(a->desc) ? ordered_number(arena, to) : HB_OK;
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

	a = attrs_find(as, schema_basics(schema)->object_class);
	for (i = 0; a != NULL && i < a->n; i++) {
		c = schema_find_class(schema, a->values[i]);
		if (c != NULL && object_class_is_sub(c, oc))
			return true;
	}
	return false;
}
