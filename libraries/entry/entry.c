/*
 * Entries in their immutable form. Everything here trusts the block: it was
 * encoded by us in this process or went through entry_block_check().
 */
#include "block.h"
#include "entry.h"
#include "util/err.h"
#include "util/mem.h"

static char *
put_string(char *out, struct slice s, struct slice *copy_r)
{
	if (s.len > 0)
		memcpy(out, s.ptr, s.len);
	out[s.len] = '\0';
	*copy_r = slice(out, s.len);
	return out + s.len + 1;
}

struct entry *
entry_new_room(entry_id id, const struct dn *dn, const struct attr_dict *dict,
    size_t len, char **block_r)
{
	size_t head = (sizeof(struct entry) + 7) & ~(size_t)7;
	struct entry *e;
	char *room;

	room = mem_alloc(head + len + dn->text.len + dn->norm.len + 2);
	e = (struct entry *)room;
	atomic_init(&e->refs, 1);
	e->id = id;
	e->dict = dict;
	e->block = slice(room + head, len);
	*block_r = room + head;
	put_string(put_string(room + head + len, dn->text, &e->dn.text),
	    dn->norm, &e->dn.norm);
	return e;
}

struct entry *
entry_new(entry_id id, const struct dn *dn, const struct attr_dict *dict,
    struct slice block)
{
	struct entry *e;
	char *room;

	e = entry_new_room(id, dn, dict, block.len, &room);
	memcpy(room, block.ptr, block.len);
	return e;
}

void
entry_unref(struct entry **entry)
{
	struct entry *e = *entry;

	*entry = NULL;
	if (e != NULL && atomic_fetch_sub_explicit(&e->refs, 1,
	    memory_order_acq_rel) == 1)
		free(e);
}

unsigned
entry_nattrs(const struct entry *e)
{
	return block_nattrs(e->block.ptr);
}

static void
open_row(const struct entry *e, const char *row,
    const struct attr_desc *desc, struct entry_attr *a_r)
{
	const char *b = e->block.ptr, *element = b + block_u32(row + ROW_AT_WIRE);
	struct slice seq = tlv_contents(element);
	uint32_t norm = block_u32(row + ROW_AT_NORM);

	a_r->desc = desc;
	a_r->element = slice(element,
	    (size_t)(seq.ptr + seq.len - element));
	a_r->values = tlv_contents(tlv_end(seq.ptr)).ptr;
	a_r->norms = norm == 0 ? NULL : b + norm;
	a_r->n = block_u32(row + ROW_AT_NVALUES);
}

void
entry_attr_at(const struct entry *e, unsigned i, struct entry_attr *a_r)
{
	const char *row = block_row(e->block.ptr, i);

	open_row(e, row, attr_dict_desc(e->dict, block_u32(row + ROW_AT_NUM)),
	    a_r);
}

const struct attr_desc *
entry_attr_desc(const struct entry *e, unsigned i)
{
	return attr_dict_desc(e->dict, block_u32(block_row(e->block.ptr, i) +
	    ROW_AT_NUM));
}

bool
entry_find(const struct entry *e, const struct attr_desc *desc,
    struct entry_attr *a_r)
{
	uint32_t num = attr_dict_num(e->dict, desc);
	unsigned i, n = block_nattrs(e->block.ptr);
	const char *row = block_row(e->block.ptr, 0);

	if (num == 0)
		return false;
	for (i = 0; i < n; i++, row += BLOCK_ROW) {
		if (block_u32(row + ROW_AT_NUM) != num)
			continue;
		open_row(e, row, desc, a_r);
		return true;
	}
	return false;
}

bool
entry_value_next(struct entry_attr *a, struct slice *value_r,
    struct slice *norm_r)
{
	struct slice value, norm;

	if (a->n == 0)
		return false;
	a->n--;
	value = norm = tlv_contents(a->values);
	a->values = value.ptr + value.len;
	if (a->norms != NULL) {
		norm = slice(a->norms + 4, block_u32(a->norms));
		a->norms = norm.ptr + norm.len;
	}
	if (value_r != NULL)
		*value_r = value;
	if (norm_r != NULL)
		*norm_r = norm;
	return true;
}

struct slice
entry_value(const struct entry *e, const struct attr_desc *desc)
{
	struct slice value = SLICE_NONE;
	struct entry_attr a;

	if (entry_find(e, desc, &a))
		entry_value_next(&a, &value, NULL);
	return value;
}

/* The cursor that holds the normal forms alone is walked: half the memory. */
static bool
norms_have(const char *p, unsigned n, struct slice norm)
{
	for (; n > 0; n--) {
		uint32_t len = block_u32(p);

		if (slice_is_eq(slice(p + 4, len), norm))
			return true;
		p += 4 + len;
	}
	return false;
}

bool
entry_attr_has_norm(struct entry_attr a, struct slice norm)
{
	struct slice v;

	if (a.norms != NULL)
		return norms_have(a.norms, a.n, norm);
	while (entry_value_next(&a, NULL, &v))
		if (slice_is_eq(v, norm))
			return true;
	return false;
}

bool
entry_has_norm(const struct entry *e, const struct attr_desc *desc,
    struct slice norm)
{
	struct entry_attr a;

	return entry_find(e, desc, &a) && entry_attr_has_norm(a, norm);
}

bool
entry_has_match(const struct entry *e, const struct schema *schema,
    const struct attr_desc *desc, struct slice norm)
{
	const struct matching_rule *rule = desc->type->equality;
	struct slice value, stored;
	struct entry_attr a;

	if (rule == NULL || rule->match == NULL)
		return entry_has_norm(e, desc, norm);
	if (!entry_find(e, desc, &a))
		return false;
	while (entry_value_next(&a, &value, &stored))
		if (rule->match(schema, (rule->kind & MR_STORED) != 0 ?
		    value : stored, norm))
			return true;
	return false;
}

/* The assertion as a subtype with another equality rule takes it. */
static bool
subtype_has(struct arena *arena, const struct schema *schema,
    const struct entry *e, const struct attr_desc *desc, struct slice value,
    int *rc)
{
	const struct matching_rule *eq = desc->type->equality;
	struct slice norm;

	if (eq == NULL)
		return false;
	*rc = schema_norm_assertion(schema, arena, eq, SUBSTR_WHOLE,
	    schema_skip_order(desc->type, value), &norm);
	return *rc == HB_OK && entry_has_match(e, schema, desc, norm);
}

int
entry_compare(struct arena *arena, const struct schema *schema,
    const struct entry *e, const struct attr_desc *desc, struct slice value,
    struct slice norm)
{
	const struct matching_rule *eq = desc->type->equality;
	unsigned i, n = entry_nattrs(e);
	const struct attr_desc *d;
	bool found = false;
	int rc = HB_OK;

	for (i = 0; i < n; i++) {
		d = entry_attr_desc(e, i);
		if (!attr_desc_is_sub(d, desc))
			continue;
		found = true;
		if (d->type->equality == eq ?
		    entry_has_match(e, schema, d, norm) :
		    subtype_has(arena, schema, e, d, value, &rc))
			return HB_COMPARE_TRUE;
		if (rc == HB_ELIMIT)
			return rc;
	}
	return found ? HB_COMPARE_FALSE : HB_ENOSUCHATTR;
}

static struct slice
part(const struct entry *e, unsigned from_at, unsigned to_at)
{
	const char *b = e->block.ptr;
	uint32_t from = block_u32(b + from_at);

	return slice(b + from, block_u32(b + to_at) - from);
}

struct slice
entry_user_wire(const struct entry *e)
{
	return part(e, BLOCK_AT_WIRE, BLOCK_AT_OPERATIONAL);
}

struct slice
entry_operational_wire(const struct entry *e)
{
	return part(e, BLOCK_AT_OPERATIONAL, BLOCK_AT_END);
}

int
entry_edit(struct arena *arena, const struct entry *e, struct attrs *attrs_r)
{
	unsigned i, j, n = entry_nattrs(e);
	struct entry_attr ea;
	struct attr *a;

	/* room for the few that an operation adds */
	attrs_r->n = n;
	attrs_r->cap = n + 4;
	attrs_r->v = arena_calloc(arena, attrs_r->cap, sizeof(*attrs_r->v));
	if (attrs_r->v == NULL)
		return HB_ELIMIT;
	for (i = 0; i < n; i++) {
		entry_attr_at(e, i, &ea);
		a = &attrs_r->v[i];
		*a = (struct attr){ .desc = ea.desc, .n = ea.n, .cap = ea.n };
		a->values = arena_calloc(arena, (size_t)ea.n + 1,
		    2 * sizeof(*a->values));
		if (a->values == NULL)
			return HB_ELIMIT;
		a->norms = a->values + ea.n;
		for (j = 0; entry_value_next(&ea, &a->values[j],
		    &a->norms[j]); j++)
			;
	}
	return HB_OK;
}

bool
entry_is_class(const struct entry *e, const struct schema *schema,
    const struct object_class *oc)
{
	const struct object_class *c;
	struct entry_attr a;
	struct slice v;

	if (!entry_find(e, schema_basics(schema)->object_class, &a))
		return false;
	while (entry_value_next(&a, &v, NULL)) {
		c = schema_find_class(schema, v);
		if (c != NULL && object_class_is_sub(c, oc))
			return true;
	}
	return false;
}
