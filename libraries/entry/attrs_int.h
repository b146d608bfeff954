/*
 * Editable attributes: helpers of this folder. One owner at a time.
 */
#ifndef ATTRS_INT_H
#define ATTRS_INT_H

#include "entry.h"

/* More values than this are looked up by hash, not one by one. */
#define VALUES_LINEAR_MAX	16

/*
 * Hash of the normal forms of an attribute: positions, not pointers, for the
 * arrays move when they grow. A value that is taken out leaves a hole in the
 * arrays (values[i].ptr NULL) until value_index_close().
 */
struct value_index {
	struct attr *attr;
	uint32_t *slots;		/* position + 1; 0: free */
	size_t mask, used;		/* used: slots ever taken */
	unsigned holes;
};

#define VALUE_NONE	((unsigned)-1)

/* Of an attribute that can have no second value (RFC 4512 2.3.2). */
#define NAMING_CONFLICT	"value of single-valued naming attribute '%.*s' " \
	"conflicts with value present in entry"

/* Index of A's values, with room for MORE. HB_ELIMIT. */
int value_index_open(struct arena *, struct value_index *, struct attr *a,
    unsigned more);
unsigned value_index_find(const struct value_index *, struct slice norm);
/* The value at position POS of the attribute, which is not there yet. */
int value_index_add(struct arena *, struct value_index *, unsigned pos);
void value_index_remove(struct value_index *, unsigned pos);
/* Close up the holes. The index is gone; accepts one that is not open. */
void value_index_close(struct value_index *);

/* Position of NORM by looking at all, or VALUE_NONE. */
unsigned attr_find_norm(const struct attr *, struct slice norm);
/* Room for MORE values. HB_ELIMIT. */
int attr_reserve(struct arena *, struct attr *, unsigned more);
static inline void
attr_push(struct attr *a, struct slice value, struct slice norm)
{
	a->values[a->n] = value;
	/* no pointer means a hole to the index */
	a->norms[a->n++] = slice_is_none(norm) ? slice("", 0) : norm;
}
/* A value out of the middle; the others keep their order. */
void attr_remove_at(struct attr *, unsigned pos);
/* A new attribute without values at the end of the list; NULL at the limit. */
struct attr *attrs_append(struct arena *, struct attrs *,
    const struct attr_desc *);
/* Take A, a member of the list, out. */
void attrs_remove(struct attrs *, struct attr *a);
/* Position of the first of NORMS that stands there twice, or VALUE_NONE. HB_ELIMIT. */
int norms_find_twice(struct arena *, const struct slice *norms, unsigned n,
    unsigned *pos_r);
/* "modify/VERB: ATTRIBUTE: WHAT" into DIAG; returns ERR. */
int mod_fault(const struct mod *, int err, const char *what, struct diag *);

/* decimal.c: the sum of two integers (RFC 4517 3.3.16) of any length. HB_ESYNTAX, HB_ELIMIT. */
int decimal_add(struct arena *, struct slice a, struct slice b,
    struct slice *sum_r);

/* ordered.c: attributes flagged AT_ORDERED_VALUES */

static inline bool
desc_is_ordered(const struct attr_desc *desc)
{
	return (desc->type->flags & AT_ORDERED_VALUES) != 0;
}
/* Write "{0}", "{1}" ... before A's values. HB_ELIMIT. */
int ordered_number(struct arena *, struct attr *a);
/* N more values into A, each where its own "{n}" says, and number all. HB_ELIMIT. */
int ordered_insert(struct arena *, struct attr *a, const struct slice *values,
    const struct slice *norms, unsigned n);
/* One modification, as attrs_modify(). */
int ordered_modify(struct arena *, struct attrs *, const struct mod *,
    struct diag *);

#endif
