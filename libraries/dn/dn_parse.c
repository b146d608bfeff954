/*
 * DN strings to their two canonical forms (RFC 4514, with the leftovers of
 * RFC 2253 and 1779: blanks around separators, ';', quotes, "OID.").
 */
#include <assert.h>

#include "dn.h"
#include "dn_parser.h"
#include "util/err.h"
#include "util/text.h"

static void
out_init(struct dn_out *o)
{
	o->data = o->room;
	o->cap = sizeof(o->room);
	o->len = 0;
}

static int
out_grow(struct dn_parser *p, struct dn_out *o, size_t more)
{
	size_t cap = (o->len + more) * 2;
	char *data;

	if ((data = arena_alloc(p->arena, cap)) == NULL)
		return HB_ELIMIT;
	memcpy(data, o->data, o->len);
	o->data = data;
	o->cap = cap;
	return HB_OK;
}

static inline int
out_reserve(struct dn_parser *p, struct dn_out *o, size_t more)
{
	return o->cap - o->len >= more ? HB_OK : out_grow(p, o, more);
}

static int
out_value(struct dn_parser *p, struct dn_out *o, struct slice value,
    bool plain)
{
	size_t i;
	int rc;

	if ((rc = out_reserve(p, o, value.len)) != HB_OK)
		return rc;
	if (plain) {
		if (value.len > 0)
			memcpy(o->data + o->len, value.ptr, value.len);
		o->len += value.len;
		return HB_OK;
	}
	/* nearly always nothing is to be escaped: copy while that holds */
	for (i = 0; i < value.len; i++) {
		uint8_t c = (uint8_t)value.ptr[i];

		if (c >= 0x80 || (dn_char[c] & DN_CHAR_ESCAPE) != 0)
			break;
		o->data[o->len + i] = (char)c;
	}
	if (i == value.len && (i == 0 || (value.ptr[0] != ' ' &&
	    value.ptr[0] != '#' && value.ptr[i - 1] != ' '))) {
		o->len += i;
		return HB_OK;
	}
	if ((rc = out_reserve(p, o, dn_escaped_size(value))) != HB_OK)
		return rc;
	o->len = (size_t)(dn_escape(o->data + o->len, value) - o->data);
	return HB_OK;
}

static int
out_hex(struct dn_parser *p, struct dn_out *o, struct slice ber)
{
	static const char hex[] = "0123456789abcdef";
	size_t i;

	if (out_reserve(p, o, 1 + 2 * ber.len) != HB_OK)
		return HB_ELIMIT;
	o->data[o->len++] = '#';
	for (i = 0; i < ber.len; i++) {
		uint8_t c = (uint8_t)ber.ptr[i];

		o->data[o->len++] = hex[c >> 4];
		o->data[o->len++] = hex[c & 15];
	}
	return HB_OK;
}

/* "NAME=" in either output; the compared form has it in lower case. */
static int
out_name(struct dn_parser *p, struct slice name)
{
	struct dn_out *n = &p->norm, *t = &p->text;
	int rc;

	if ((rc = out_reserve(p, t, name.len + 1)) != HB_OK ||
	    (rc = out_reserve(p, n, name.len + 1)) != HB_OK)
		return rc;
	memcpy(t->data + t->len, name.ptr, name.len);
	t->len += name.len;
	t->data[t->len++] = '=';
	memcpy(n->data + n->len, name.ptr, name.len);
	text_tolower(n->data + n->len, name.len);
	n->len += name.len;
	n->data[n->len++] = '=';
	return HB_OK;
}

static int
out_char(struct dn_parser *p, char c)
{
	int rc;

	if ((rc = out_reserve(p, &p->text, 1)) != HB_OK ||
	    (rc = out_reserve(p, &p->norm, 1)) != HB_OK)
		return rc;
	p->text.data[p->text.len++] = c;
	p->norm.data[p->norm.len++] = c;
	return HB_OK;
}

/* Longer ones make no description either (schema_desc_any). */
#define TYPE_NAME_MAX	512

/* descr or numericoid (RFC 4512 1.4), "_" tolerated. */
static bool
is_type_name(struct slice s)
{
	bool digits = s.len > 0 && s.ptr[0] >= '0' && s.ptr[0] <= '9';
	bool dot = false;
	char last = '.';
	size_t i;

	if (s.len == 0 || s.len > TYPE_NAME_MAX)
		return false;

	for (i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if (digits && c != '.' && (c < '0' || c > '9'))
			return false;
		if (c == '.' && (!digits || last == '.'))
			return false;
		dot |= c == '.';
		last = c;
	}
	return last != '.' && dot == digits && s.ptr[0] != '-' &&
	    s.ptr[0] != '_';
}

static int
parse_type(struct dn_parser *p, struct dn_mark *m)
{
	const char *begin = p->pos;
	struct slice name;

	while (p->pos < p->end &&
	    (dn_char[(uint8_t)*p->pos] & DN_CHAR_NAME) != 0)
		p->pos++;
	name = slice(begin, (size_t)(p->pos - begin));
	if (name.len > 4 && strncasecmp(name.ptr, "oid.", 4) == 0)
		name = slice_skip(name, 4);
	if (name.len == 0)
		return dn_parser_fail(p, begin, "attribute type expected");
	if ((m->type = schema_find_type(p->schema, name)) != NULL)
		name = m->type->desc.name;
	else if (!is_type_name(name))
		return dn_parser_fail(p, begin, "malformed attribute type");
	dn_parser_skip_blanks(p);
	if (p->pos == p->end || *p->pos != '=')
		return dn_parser_fail(p, p->pos, "'=' expected");
	p->pos++;
	dn_parser_skip_blanks(p);
	m->name = name;
	return HB_OK;
}

/* Normal form of the value of M, and both forms to the outputs. */
static int
put_value(struct dn_parser *p, struct dn_mark *m, const char *at, bool ber)
{
	const struct syntax *syn;
	int rc = HB_OK;

	m->norm = m->value;
	if (ber) {
		if ((rc = out_hex(p, &p->text, m->value)) != HB_OK)
			return rc;
		return out_hex(p, &p->norm, m->value);
	}
	if (m->type != NULL) {
		syn = m->type->syntax;
		if (syn != NULL && syn->validate != NULL)
			rc = syn->validate(p->schema, m->value);
		if (rc == HB_OK && p->mode == DN_MODE_FULL)
			rc = schema_norm_value(p->schema, p->arena,
			    &m->type->desc, m->value, &m->norm);
		if (rc == HB_ELIMIT)
			return rc;
		if (rc != HB_OK)
			return dn_parser_fail(p, at,
			    "value that is against its attribute's syntax");
	}
	if ((rc = out_value(p, &p->text, m->value, p->plain)) != HB_OK ||
	    p->mode == DN_MODE_CHECK)
		return rc;
	return out_value(p, &p->norm, m->norm, p->plain &&
	    m->norm.ptr == m->value.ptr && m->norm.len == m->value.len);
}

/* An attribute type stands once in an RDN (X.501 9.3). */
static bool
is_type_twice(const struct dn_parser *p, const struct dn_mark *m)
{
	const struct dn_mark *o;

	for (o = p->marks; o < m; o++)
		if (m->type != NULL ? o->type == m->type :
		    o->type == NULL && slice_is_eq_nocase(o->name, m->name))
			return true;
	return false;
}

static int
parse_ava(struct dn_parser *p)
{
	struct dn_mark *m = &p->marks[p->nmarks];
	const char *at;
	bool ber;
	int rc;

	dn_parser_skip_blanks(p);
	if (p->nmarks == DN_RDN_AVAS_MAX)
		return dn_parser_fail(p, p->pos, "too many values in one RDN");
	m->text_at = p->text.len;
	m->norm_at = p->norm.len;
	at = p->pos;
	if ((rc = parse_type(p, m)) != HB_OK)
		return rc;
	if (is_type_twice(p, m))
		return dn_parser_fail(p, at,
		    "attribute type that is in this RDN already");
	at = p->pos;
	if ((rc = dn_parser_value(p, m->type != NULL, &m->value, &ber)) != HB_OK ||
	    (rc = out_name(p, m->name)) != HB_OK ||
	    (rc = put_value(p, m, at, ber)) != HB_OK)
		return rc;
	m->text_len = p->text.len - m->text_at;
	m->norm_len = p->norm.len - m->norm_at;
	p->nmarks++;
	if (p->text.len > DN_LEN_MAX)
		return diag_err(p->diag, HB_EDNSYNTAX,
		    "invalid DN: longer than %d octets", DN_LEN_MAX);
	return HB_OK;
}

static int
mark_cmp(const struct dn_parser *p, const struct dn_mark *a,
    const struct dn_mark *b)
{
	return slice_cmp(slice(p->norm.data + a->norm_at, a->norm_len),
	    slice(p->norm.data + b->norm_at, b->norm_len));
}

/* Rewrite the tail of O, which is the RDN, in the order of the marks. */
static int
reorder(struct dn_parser *p, struct dn_out *o, size_t from, bool norm)
{
	size_t len = o->len - from;
	char *copy = arena_alloc(p->arena, len);
	struct dn_mark *m;

	if (copy == NULL)
		return HB_ELIMIT;
	memcpy(copy, o->data + from, len);
	o->len = from;
	for (m = p->marks; m < p->marks + p->nmarks; m++) {
		size_t *at = norm ? &m->norm_at : &m->text_at;
		size_t n = norm ? m->norm_len : m->text_len;

		if (m > p->marks)
			o->data[o->len++] = '+';
		memcpy(o->data + o->len, copy + (*at - from), n);
		*at = o->len;
		o->len += n;
	}
	return HB_OK;
}

static int
sort_rdn(struct dn_parser *p)
{
	size_t text_at = p->marks[0].text_at, norm_at = p->marks[0].norm_at;
	bool moved = false;
	unsigned i, j;
	int rc;

	for (i = 1; i < p->nmarks; i++) {
		struct dn_mark m = p->marks[i];

		for (j = i; j > 0 && mark_cmp(p, &m, &p->marks[j - 1]) < 0; j--)
			p->marks[j] = p->marks[j - 1];
		p->marks[j] = m;
		moved |= j != i;
	}
	if (!moved)
		return HB_OK;
	if ((rc = reorder(p, &p->text, text_at, false)) != HB_OK)
		return rc;
	return reorder(p, &p->norm, norm_at, true);
}

/* One RDN; POS is left at its end or at the separator that follows. */
static int
parse_rdn(struct dn_parser *p)
{
	int rc;

	p->nmarks = 0;
	for (;;) {
		if ((rc = parse_ava(p)) != HB_OK)
			return rc;
		if (p->pos == p->end || *p->pos != '+')
			break;
		p->pos++;
		if ((rc = out_char(p, '+')) != HB_OK)
			return rc;
	}
	p->nrdns++;
	if (p->nmarks > 1 && p->mode == DN_MODE_FULL)
		return sort_rdn(p);
	return HB_OK;
}

void
dn_parser_init(struct dn_parser *p, struct arena *arena,
    const struct schema *schema, struct slice text, enum dn_parse_mode mode,
    struct diag *diag)
{
	p->start = p->pos = text.ptr;
	p->end = text.ptr + text.len;
	p->arena = arena;
	p->schema = schema;
	p->diag = diag;
	p->mode = mode;
	p->nrdns = p->nmarks = 0;
	out_init(&p->text);
	out_init(&p->norm);
}

int
dn_parser_run(struct dn_parser *p)
{
	int rc;

	if (p->end - p->start > DN_LEN_MAX)
		return diag_err(p->diag, HB_EDNSYNTAX,
		    "invalid DN: longer than %d octets", DN_LEN_MAX);
	dn_parser_skip_blanks(p);
	if (p->pos == p->end)
		return HB_OK;
	for (;;) {
		if ((rc = parse_rdn(p)) != HB_OK)
			return rc;
		if (p->pos == p->end)
			return HB_OK;
		p->pos++;		/* ',' or ';' */
		if ((rc = out_char(p, ',')) != HB_OK)
			return rc;
	}
}

static int
take_outputs(struct dn_parser *p, struct dn *dn_r)
{
	size_t t = p->text.len, n = p->norm.len;
	char *room = arena_alloc(p->arena, t + n + 2);

	if (room == NULL)
		return HB_ELIMIT;
	memcpy(room, p->text.data, t);
	room[t] = '\0';
	memcpy(room + t + 1, p->norm.data, n);
	room[t + 1 + n] = '\0';
	dn_r->text = slice(room, t);
	dn_r->norm = slice(room + t + 1, n);
	return HB_OK;
}

int
dn_parse(struct arena *arena, struct schema *schema, struct slice text,
    struct dn *dn_r, struct diag *diag)
{
	struct dn_parser p;
	int rc;

	dn_parser_init(&p, arena, schema, text, DN_MODE_FULL, diag);
	if ((rc = dn_parser_run(&p)) != HB_OK)
		return rc;
	return take_outputs(&p, dn_r);
}

int
dn_parse_rdn(struct arena *arena, struct schema *schema, struct slice text,
    struct dn *rdn_r, struct diag *diag)
{
	struct dn_parser p;
	int rc;

	dn_parser_init(&p, arena, schema, text, DN_MODE_FULL, diag);
	if ((rc = dn_parser_run(&p)) != HB_OK)
		return rc;
	if (p.nrdns != 1)
		return diag_err(diag, HB_EDNSYNTAX,
		    "invalid RDN: one expected, %u found", p.nrdns);
	return take_outputs(&p, rdn_r);
}

int
dn_rdn_avas(struct arena *arena, struct schema *schema, const struct dn *dn,
    struct ava **avas_r, unsigned *n_r)
{
	struct dn_parser p;
	struct ava *avas;
	unsigned i;
	int rc;

	*avas_r = NULL;
	*n_r = 0;
	dn_parser_init(&p, arena, schema, dn_rdn(dn).text, DN_MODE_FULL, NULL);
	if ((rc = dn_parser_run(&p)) != HB_OK || p.nmarks == 0)
		return rc;
	if ((avas = arena_calloc(arena, p.nmarks, sizeof(*avas))) == NULL)
		return HB_ELIMIT;
	for (i = 0; i < p.nmarks; i++) {
		avas[i].value = p.marks[i].value;
		avas[i].norm = p.marks[i].norm;
		if (p.marks[i].type != NULL)
			avas[i].desc = &p.marks[i].type->desc;
		else if ((rc = schema_desc_any(schema, p.marks[i].name,
		    &avas[i].desc)) != HB_OK)
			return rc;
	}
	*avas_r = avas;
	*n_r = p.nmarks;
	return HB_OK;
}
