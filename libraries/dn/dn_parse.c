/*
 * DN strings to their two canonical forms (RFC 4514, with the leftovers of
 * RFC 2253 and 1779: blanks around separators, ';', quotes, "OID.").
 */
#include <assert.h>

#include "dn.h"
#include "dn_parser.h"
#include "util/err.h"
#include "util/text.h"

/* Longer ones make no description either (schema_desc_any). */
#define TYPE_NAME_MAX	512

/* descr (RFC 4512 1.4); '_' is tolerated as it is in definitions. */
static bool
is_descr(struct slice s)
{
	return (uint8_t)((s.ptr[0] | 0x20) - 'a') <= 'z' - 'a' &&
	    memchr(s.ptr, '.', s.len) == NULL;
}

/* numericoid: two numbers at least, none with a leading zero. */
static bool
is_numericoid(struct slice s)
{
	size_t i, begin = 0;
	bool dot = false;

	for (i = 0; i <= s.len; i++) {
		if (i < s.len && s.ptr[i] >= '0' && s.ptr[i] <= '9')
			continue;
		if (i < s.len && s.ptr[i] != '.')
			return false;
		if (i == begin || (s.ptr[begin] == '0' && i > begin + 1))
			return false;
		dot |= i < s.len;
		begin = i + 1;
	}
	return dot;
}

/*
 * NAME is not in the schema as it stands: "OID." of RFC 1779 before an OID, or
 * an unknown type.
 */
static int
odd_type(struct dn_parser *p, struct dn_mark *m, struct slice name)
{
	const char *at = name.ptr;
	bool prefix = name.len > 4 && strncasecmp(at, "oid.", 4) == 0;

	if (prefix)
		name = slice_skip(name, 4);
	if (name.len == 0)
		return dn_parser_fail(p, at, "attribute type expected");
	if (name.len > TYPE_NAME_MAX ||
	    (!is_numericoid(name) && (prefix || !is_descr(name))))
		return dn_parser_fail(p, at,
		    "attribute type (a name or a dotted OID) expected");
	m->type = prefix ? schema_find_type(p->schema, name) : NULL;
	m->name = m->type != NULL ? m->type->desc.name : name;
	return HB_OK;
}

static int
parse_type(struct dn_parser *p, struct dn_mark *m)
{
	const char *begin = p->pos, *q = begin;
	struct slice name;
	int rc;

	while (q < p->end && (dn_char[(uint8_t)*q] & DN_CHAR_NAME) != 0)
		q++;
	p->pos = q;
	name = slice(begin, (size_t)(q - begin));
	if ((m->type = schema_find_type(p->schema, name)) != NULL)
		m->name = m->type->desc.name;
	else if ((rc = odd_type(p, m, name)) != HB_OK)
		return rc;
	dn_parser_skip_blanks(p);
	if (p->pos == p->end || *p->pos != '=')
		return dn_parser_fail(p, p->pos, p->pos < p->end &&
		    *p->pos == ';' ? "'=' expected (a DN has no attribute "
		    "options)" : "'=' expected");
	p->pos++;
	dn_parser_skip_blanks(p);
	return HB_OK;
}

/*
 * Both forms of a value of printable ASCII that needs no escape, in one pass.
 * False if it takes more than that; then nothing has happened.
 */
static bool
put_plain(struct dn_parser *p, struct dn_mark *m)
{
	const uint8_t special = DN_CHAR_STOP | DN_CHAR_ESCAPE | DN_CHAR_HIGH;
	unsigned flags = m->type == NULL ? AT_PLAIN_EXACT : m->type->flags;
	const uint8_t upper = flags & AT_PLAIN_FOLD ? DN_CHAR_UPPER : 0;
	const char *q = p->pos, *end = p->end;
	char *t = p->text.data + p->text.len;
	char *n = p->norm.data + p->norm.len;
	uint8_t k = 0, last = 0;
	size_t i = 0;

	if ((flags & (AT_PLAIN_FOLD | AT_PLAIN_EXACT)) == 0 || q == end ||
	    *q == '#')
		return false;
	for (; q + i < end; i++, last = k) {
		uint8_t c = (uint8_t)q[i];

		k = dn_char[c];
		if ((k & special) != 0)
			break;
		if ((k & last & DN_CHAR_BLANK) != 0)
			return false;
		t[i] = (char)c;
		n[i] = (char)(c | (k & upper) >> 1);
	}
	if (i == 0 || (q + i < end && (k & DN_CHAR_SEPARATOR) == 0))
		return false;
	p->pos = q + i;
	i -= (last & DN_CHAR_BLANK) != 0;
	m->value = slice(q, i);
	p->text.len += i;
	p->norm.len += i;
	return true;
}

/* The value of M, which AT is the place of, is none of its type's syntax. */
static int
fail_value(struct dn_parser *p, const struct dn_mark *m, const char *at)
{
	struct diag why = DIAG_INIT;

	schema_check_value(p->schema, &m->type->desc, m->value, &why);
	return dn_parser_fail(p, at, why.text[0] != '\0' ? why.text :
	    "value that its equality rule can compare expected");
}

/*
 * The compared form of a value whose normal form is no value itself, so that
 * it can be read again: a blank for nothing (a telephone number "-"), #hex of
 * the octets as BER of a private type for others (UUIDs, prohibited text).
 */
static int
put_odd_norm(struct dn_parser *p, struct slice norm)
{
	uint8_t head[4] = {
		0xc0, 0x82, (uint8_t)(norm.len >> 8), (uint8_t)norm.len
	};
	char *ber;

	if (norm.len == 0)
		return dn_out_value(p, &p->norm, SLICE(" "));
	if ((ber = arena_alloc(p->arena, norm.len + sizeof(head))) == NULL)
		return HB_ELIMIT;
	memcpy(ber, head, sizeof(head));
	memcpy(ber + sizeof(head), norm.ptr, norm.len);
	return dn_out_hex(p, &p->norm, slice(ber, norm.len + sizeof(head)));
}

/*
 * Is the normal form of M a value of its type? That of text is, unless nothing
 * is left of it or preparation prohibits it.
 */
static bool
norm_is_value(const struct dn_parser *p, const struct dn_mark *m)
{
	const struct attr_type *t = m->type;

	if (slice_is_eq(m->norm, m->value))
		return true;
	if ((t->flags & (AT_PLAIN_FOLD | AT_PLAIN_EXACT)) != 0)
		return m->norm.len > 0 &&
		    !schema_is_prohibited(t->equality, m->norm);
	return schema_check_value(p->schema, &t->desc, m->norm, NULL) == HB_OK;
}

/* Value of a known type: checked, and its normal form to the output. */
static int
put_norm(struct dn_parser *p, struct dn_mark *m, const char *at)
{
	const struct attr_desc *desc = &m->type->desc;
	int rc;

	if (schema_check_value(p->schema, desc, m->value, NULL) != HB_OK)
		return fail_value(p, m, at);
	if (p->mode == DN_MODE_CHECK)
		return HB_OK;
	rc = schema_norm_value(p->schema, p->arena, desc, m->value, &m->norm);
	if (rc != HB_OK)
		return rc == HB_ELIMIT ? rc : fail_value(p, m, at);
	if (!norm_is_value(p, m))
		return put_odd_norm(p, m->norm);
	return dn_out_value(p, &p->norm, m->norm);
}

/* Both forms of the value at POS to the outputs. */
static int
put_value(struct dn_parser *p, struct dn_mark *m)
{
	const char *at = p->pos;
	bool ber;
	int rc;

	rc = dn_parser_value(p, m->type != NULL, &m->value, &ber);
	if (rc != HB_OK)
		return rc;
	m->norm = m->value;
	if (ber) {
		if ((rc = dn_out_hex(p, &p->text, m->value)) != HB_OK)
			return rc;
		return dn_out_hex(p, &p->norm, m->value);
	}
	if ((rc = dn_out_value(p, &p->text, m->value)) != HB_OK)
		return rc;
	return m->type != NULL ? put_norm(p, m, at) :
	    dn_out_value(p, &p->norm, m->value);
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
too_long(struct dn_parser *p)
{
	return diag_err(p->diag, HB_EDNSYNTAX, "invalid DN: at most %d octets "
	    "expected", DN_LEN_MAX);
}

static int
parse_ava(struct dn_parser *p)
{
	struct dn_mark *m = &p->marks[p->nmarks];
	const char *at;
	size_t left;
	int rc;

	dn_parser_skip_blanks(p);
	if (p->nmarks == DN_RDN_AVAS_MAX)
		return dn_parser_fail(p, p->pos, "no more than 64 values in an "
		    "RDN expected");
	at = p->pos;
	m->text_at = p->text.len;
	m->norm_at = p->norm.len;
	if ((rc = parse_type(p, m)) != HB_OK)
		return rc;
	if (m > p->marks && is_type_twice(p, m))
		return dn_parser_fail(p, at, "attribute type that is in this "
		    "RDN already");
	left = m->name.len + (size_t)(p->end - p->pos) + 2;
	if ((rc = dn_out_reserve(p, &p->text, left)) != HB_OK ||
	    (rc = dn_out_reserve(p, &p->norm, left)) != HB_OK ||
	    (rc = dn_out_name(p, m->name)) != HB_OK)
		return rc;
	if ((p->mode == DN_MODE_AVAS || !put_plain(p, m)) &&
	    (rc = put_value(p, m)) != HB_OK)
		return rc;
	m->text_len = p->text.len - m->text_at;
	m->norm_len = p->norm.len - m->norm_at;
	p->nmarks++;
	if (p->text.len > DN_LEN_MAX || p->norm.len > DN_LEN_MAX)
		return too_long(p);
	return HB_OK;
}

static int
mark_cmp(const struct dn_parser *p, const struct dn_mark *a,
    const struct dn_mark *b)
{
	return slice_cmp(slice(p->norm.data + a->norm_at, a->norm_len),
	    slice(p->norm.data + b->norm_at, b->norm_len));
}

static int
sort_rdn(struct dn_parser *p)
{
	size_t text_at = p->marks[0].text_at, norm_at = p->marks[0].norm_at;
	bool moved = false;
	unsigned i, j;

	for (i = 1; i < p->nmarks; i++) {
		struct dn_mark m = p->marks[i];

		for (j = i; j > 0 && mark_cmp(p, &m, &p->marks[j - 1]) < 0; j--)
			p->marks[j] = p->marks[j - 1];
		p->marks[j] = m;
		moved |= j != i;
	}
	return moved ? dn_out_reorder(p, text_at, norm_at) : HB_OK;
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
		if ((rc = dn_out_char(p, '+')) != HB_OK)
			return rc;
	}
	p->nrdns++;
	if (p->nmarks > 1 && p->mode != DN_MODE_CHECK)
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
	dn_out_init(&p->text);
	dn_out_init(&p->norm);
}

int
dn_parser_run(struct dn_parser *p)
{
	int rc;

	if (p->end - p->start > DN_LEN_MAX)
		return too_long(p);
	dn_parser_skip_blanks(p);
	if (p->pos == p->end)
		return HB_OK;
	for (;;) {
		if ((rc = parse_rdn(p)) != HB_OK)
			return rc;
		if (p->pos == p->end)
			return HB_OK;
		p->pos++;		/* ',' or ';' */
		if ((rc = dn_out_char(p, ',')) != HB_OK)
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
	dn_parser_init(&p, arena, schema, dn_rdn(dn).text, DN_MODE_AVAS, NULL);
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
