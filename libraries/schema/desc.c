/*
 * Attribute descriptions (RFC 4512 2.5): a type and its options, interned.
 * That of a type without options is part of the type, so finding it is one
 * look-up without lock or memory. The others are kept under a canonical text:
 * the type's OID and its options in lower case, sorted.
 */
#include <ctype.h>

#include "schema_int.h"

/*
 * What clients can make us remember: beyond these, descriptions that were not
 * seen before are refused rather than stored for ever.
 */
#define DESCS_MAX	65536
#define OPTIONS_MAX	16
#define TEXT_MAX	512
/* Of a name that is not known a message shows this much. */
#define SHOWN_MAX	64

struct parsed {
	struct slice type;			/* as written */
	struct slice options[OPTIONS_MAX];	/* tagging ones, lower, sorted */
	unsigned noptions;
	bool binary;
	char lower[TEXT_MAX];			/* what options point into */
};

void
desc_init_plain(struct schema *schema, struct attr_type *t)
{
	t->desc.type = t;
	t->desc.name = slice_of(t->names[0] != NULL ? t->names[0] : t->oid);
	t->desc.id = atomic_fetch_add(&schema->ndescs, 1);
}

uint32_t
schema_desc_count(const struct schema *schema)
{
	return atomic_load(&schema->ndescs);
}

static bool
is_option_text(struct slice s)
{
	size_t i;

	for (i = 0; i < s.len; i++)
		if (!isalnum((unsigned char)s.ptr[i]) && s.ptr[i] != '-' &&
		    s.ptr[i] != '_')
			return false;
	return s.len > 0;
}

int
schema_set_options(struct schema *schema, const struct slice *names,
    unsigned n, struct diag *diag)
{
	struct slice *copy;
	unsigned i;

	copy = arena_calloc(&schema->arena, n + 1, sizeof(*copy));
	for (i = 0; i < n; i++) {
		if (!is_option_text(names[i]))
			return diag_err(diag, HB_EINVAL, "'%.*s' is no "
			    "attribute option", SLICE_ARG(names[i]));
		copy[i] = arena_slice(&schema->arena, names[i]);
		text_tolower((char *)(uintptr_t)copy[i].ptr, copy[i].len);
	}
	schema->options = copy;
	schema->noptions = n;
	return HB_OK;
}

/* OPTION in lower case: listed itself, or within a range that ends in '-'. */
static bool
is_known_option(const struct schema *schema, struct slice option)
{
	const struct slice *o;
	unsigned i;

	for (i = 0; i < schema->noptions; i++) {
		o = &schema->options[i];
		if (slice_is_eq(option, *o) ||
		    (o->ptr[o->len - 1] == '-' && option.len > o->len &&
		    slice_has_prefix(option, *o)) ||
		    (o->ptr[o->len - 1] == '-' &&
		    slice_is_eq(option, slice(o->ptr, o->len - 1))))
			return true;
	}
	return false;
}

/* Keep the options sorted; one given twice counts once. */
static int
insert_option(struct parsed *p, struct slice option)
{
	unsigned i;
	int c;

	for (i = 0; i < p->noptions; i++) {
		c = slice_cmp(option, p->options[i]);
		if (c == 0)
			return HB_OK;
		if (c < 0)
			break;
	}
	if (p->noptions == OPTIONS_MAX)
		return HB_ESYNTAX;
	memmove(&p->options[i + 1], &p->options[i],
	    (p->noptions - i) * sizeof(p->options[0]));
	p->options[i] = option;
	p->noptions++;
	return HB_OK;
}

static int
parse_options(struct parsed *p, struct slice rest)
{
	struct slice option;
	const char *semi;

	for (;;) {
		semi = rest.len > 0 ? memchr(rest.ptr, ';', rest.len) : NULL;
		option = semi == NULL ? rest :
		    slice(rest.ptr, (size_t)(semi - rest.ptr));
		if (!is_option_text(option))
			return HB_ESYNTAX;
		if (slice_is_eq(option, SLICE("binary")))
			p->binary = true;
		else if (insert_option(p, option) != HB_OK)
			return HB_ESYNTAX;
		if (semi == NULL)
			return HB_OK;
		rest = slice_skip(rest, option.len + 1);
	}
}

static int
parse_desc(struct slice text, struct parsed *p)
{
	const char *semi = text.len > 0 ? memchr(text.ptr, ';', text.len) :
	    NULL;

	p->noptions = 0;
	p->binary = false;
	p->type = semi == NULL ? text :
	    slice(text.ptr, (size_t)(semi - text.ptr));
	if (!descr_is_valid(p->type) && !oid_is_numeric(p->type))
		return HB_ESYNTAX;
	if (semi == NULL)
		return HB_OK;
	if (text.len > TEXT_MAX)
		return HB_ESYNTAX;
	memcpy(p->lower, text.ptr, text.len);
	text_tolower(p->lower, text.len);
	return parse_options(p, slice(p->lower + p->type.len + 1,
	    text.len - p->type.len - 1));
}

static void
put_options(struct buf *key, const struct parsed *p)
{
	unsigned i;

	for (i = 0; i < p->noptions; i++) {
		buf_put_char(key, ';');
		buf_put_slice(key, p->options[i]);
	}
	if (p->binary)
		buf_put_str(key, ";binary");
}

/* "lang-de-": stands for "lang-de", "lang-de-at" and so on (RFC 3866 2.1). */
static bool
is_range(struct slice option)
{
	return option.ptr[option.len - 1] == '-';
}

/* Name to show: the type's, then the options sorted, in the case of TEXT. */
static void
put_name(struct buf *name, const struct attr_type *type,
    const struct parsed *p, struct slice text)
{
	unsigned i;

	buf_put_slice(name, type->desc.name);
	if (p->binary)
		buf_put_str(name, ";binary");
	for (i = 0; i < p->noptions; i++) {
		buf_put_char(name, ';');
		buf_put_slice(name, slice(text.ptr + (p->options[i].ptr -
		    p->lower), p->options[i].len));
	}
}

/*
 * A description of TYPE with the options of P, shown as NAME.
 * Locks: caller holds schema->lock for writing.
 */
static struct attr_desc *
make_desc(struct schema *schema, const struct attr_type *type,
    const struct parsed *p, struct slice name)
{
	struct attr_desc *d = arena_zalloc(&schema->arena, sizeof(*d));
	struct slice *options;
	unsigned i;

	options = arena_calloc(&schema->arena, p->noptions + 1u,
	    sizeof(*options));
	for (i = 0; i < p->noptions; i++)
		options[i] = arena_slice(&schema->arena, p->options[i]);
	d->type = type;
	d->name = arena_slice(&schema->arena, name);
	d->binary = p->binary;
	d->noptions = p->noptions;
	d->options = options;
	for (i = 0; i < p->noptions; i++)
		d->range |= is_range(options[i]);
	d->id = atomic_fetch_add(&schema->ndescs, 1);
	return d;
}

static bool
is_full(const struct strmap *map)
{
	return strmap_count(map) >= DESCS_MAX;
}

static int
intern(struct schema *schema, const struct attr_type *type,
    const struct parsed *p, struct slice text, const struct attr_desc **desc_r)
{
	struct buf key, name;
	struct attr_desc *d;
	int rc = HB_OK;

	buf_init(&key);
	buf_init(&name);
	buf_put_str(&key, type->oid);
	put_options(&key, p);
	lk_rdlock(&schema->lock);
	d = strmap_find(schema->descs, buf_slice(&key));
	lk_rw_unlock(&schema->lock);
	if (d != NULL)
		goto out;
	put_name(&name, type, p, text);
	lk_wrlock(&schema->lock);
	d = strmap_find(schema->descs, buf_slice(&key));
	if (d == NULL && is_full(schema->descs)) {
		rc = HB_ELIMIT;
	} else if (d == NULL) {
		d = make_desc(schema, type, p, buf_slice(&name));
		strmap_set(schema->descs, buf_slice(&key), d);
	}
	lk_rw_unlock(&schema->lock);
out:
	*desc_r = d;
	buf_fini(&key);
	buf_fini(&name);
	return rc;
}

static int
check_options(const struct schema *schema, const struct attr_type *type,
    const struct parsed *p, struct diag *diag)
{
	unsigned i;

	for (i = 0; i < p->noptions; i++)
		if (!is_known_option(schema, p->options[i]))
			return diag_err(diag, HB_EUNDEFTYPE, "%.*s: attribute "
			    "option '%.*s' is not known",
			    SLICE_ARG(type->desc.name),
			    SLICE_ARG(p->options[i]));
	if (p->binary && !(type->syntax->flags & SYN_BINARY_TRANSFER))
		return diag_err(diag, HB_EUNDEFTYPE, "%.*s: option 'binary' "
		    "does not fit the attribute's syntax",
		    SLICE_ARG(type->desc.name));
	return HB_OK;
}

static int
undefined(const struct schema *schema, struct slice name, struct diag *diag)
{
	const char *near;

	if (diag == NULL)
		return HB_EUNDEFTYPE;
	if (name.len > SHOWN_MAX)
		return diag_err(diag, HB_EUNDEFTYPE, "%.*s...: attribute type "
		    "undefined", SHOWN_MAX, name.ptr);
	near = schema_nearest_type(schema, name);
	if (near != NULL)
		return diag_err(diag, HB_EUNDEFTYPE, "%.*s: attribute type "
		    "undefined (did you mean '%s'?)", SLICE_ARG(name), near);
	return diag_err(diag, HB_EUNDEFTYPE, "%.*s: attribute type undefined",
	    SLICE_ARG(name));
}

/* Shown only if it is something to read. */
static int
malformed(struct slice text, struct diag *diag)
{
	bool show = text.len > 0 && text.len <= SHOWN_MAX;

	for (size_t i = 0; show && i < text.len; i++)
		show = text.ptr[i] > ' ' && text.ptr[i] < 0x7f;
	if (!show)
		return diag_err(diag, HB_ESYNTAX,
		    "malformed attribute description");
	return diag_err(diag, HB_ESYNTAX, "%.*s: malformed attribute "
	    "description", SLICE_ARG(text));
}

int
schema_desc(struct schema *schema, struct slice text,
    const struct attr_desc **desc_r, struct diag *diag)
{
	const struct attr_type *type = schema_find_type(schema, text);
	struct parsed p;
	int rc;

	if (type != NULL) {
		*desc_r = &type->desc;
		return HB_OK;
	}
	*desc_r = NULL;
	if (parse_desc(text, &p) != HB_OK)
		return malformed(text, diag);
	type = schema_find_type(schema, p.type);
	if (type == NULL)
		return undefined(schema, p.type, diag);
	rc = check_options(schema, type, &p, diag);
	return rc != HB_OK ? rc : intern(schema, type, &p, text, desc_r);
}

/* Locks: caller holds schema->lock for writing. */
static struct attr_desc *
make_undefined(struct schema *schema, const struct parsed *p,
    struct slice text)
{
	struct type_row *row = arena_zalloc(&schema->arena, sizeof(*row));
	const char **names = arena_calloc(&schema->arena, 2, sizeof(*names));
	struct attr_desc *d;

	names[0] = arena_slice(&schema->arena, text).ptr;
	row->t.oid = names[0];
	row->t.names = names;
	row->t.syntax = &schema_syntax_rows[SX_OCTETS].s;
	row->t.flags = AT_UNDEFINED;
	row->t.usage = USAGE_USER;
	row->x_text = SLICE("");
	d = make_desc(schema, &row->t, p, text);
	row->t.desc = *d;
	return &row->t.desc;
}

static int
intern_undefined(struct schema *schema, const struct parsed *p,
    struct slice text, const struct attr_desc **desc_r)
{
	struct attr_desc *d;
	struct buf key;
	int rc = HB_OK;

	buf_init(&key);
	buf_put_slice(&key, p->type);
	text_tolower(key.data, key.len);
	put_options(&key, p);
	lk_wrlock(&schema->lock);
	d = strmap_find(schema->unknown, buf_slice(&key));
	if (d == NULL && is_full(schema->unknown)) {
		rc = HB_ELIMIT;
	} else if (d == NULL) {
		d = make_undefined(schema, p, text);
		strmap_set(schema->unknown, buf_slice(&key), d);
	}
	lk_rw_unlock(&schema->lock);
	*desc_r = d;
	buf_fini(&key);
	return rc;
}

int
schema_desc_any(struct schema *schema, struct slice text,
    const struct attr_desc **desc_r)
{
	struct parsed p;
	int rc;

	rc = schema_desc(schema, text, desc_r, NULL);
	if (rc != HB_EUNDEFTYPE)
		return rc;
	if (text.len > TEXT_MAX || parse_desc(text, &p) != HB_OK)
		return HB_ESYNTAX;
	return intern_undefined(schema, &p, text, desc_r);
}

static bool
has_option(const struct attr_desc *d, struct slice option)
{
	unsigned i;

	for (i = 0; i < d->noptions; i++)
		if (slice_is_eq(d->options[i], option))
			return true;
	return false;
}

/* "lang-de-" as an asked-for option stands for its range (RFC 3866 3.3). */
static bool
has_range(const struct attr_desc *d, struct slice range)
{
	unsigned i;

	for (i = 0; i < d->noptions; i++)
		if (slice_has_prefix(d->options[i], range) ||
		    slice_is_eq(d->options[i],
		    slice(range.ptr, range.len - 1)))
			return true;
	return false;
}

bool
attr_desc_is_sub_slow(const struct attr_desc *a, const struct attr_desc *b)
{
	struct slice o;
	unsigned i;

	if (a == b)
		return true;
	if (!attr_type_is_sub(a->type, b->type) || (b->binary && !a->binary))
		return false;
	for (i = 0; i < b->noptions; i++) {
		o = b->options[i];
		if (is_range(o) ? !has_range(a, o) : !has_option(a, o))
			return false;
	}
	return true;
}
