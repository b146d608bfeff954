/*
 * The two outputs of the parser: room on its stack first, then in the arena.
 */
#include "dn.h"
#include "dn_parser.h"
#include "util/err.h"

void
dn_out_init(struct dn_out *o)
{
	o->data = o->room;
	o->cap = sizeof(o->room);
	o->len = 0;
}

int
dn_out_grow(struct dn_parser *p, struct dn_out *o, size_t more)
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

int
dn_out_char(struct dn_parser *p, char c)
{
	int rc;

	if ((rc = dn_out_reserve(p, &p->text, 1)) != HB_OK ||
	    (rc = dn_out_reserve(p, &p->norm, 1)) != HB_OK)
		return rc;
	p->text.data[p->text.len++] = c;
	p->norm.data[p->norm.len++] = c;
	return HB_OK;
}

int
dn_out_name(struct dn_parser *p, struct slice name)
{
	char *t, *n;
	size_t i;
	int rc;

	if ((rc = dn_out_reserve(p, &p->text, name.len + 1)) != HB_OK ||
	    (rc = dn_out_reserve(p, &p->norm, name.len + 1)) != HB_OK)
		return rc;
	t = p->text.data + p->text.len;
	n = p->norm.data + p->norm.len;
	for (i = 0; i < name.len; i++) {
		uint8_t c = (uint8_t)name.ptr[i];

		t[i] = (char)c;
		n[i] = (char)(c | (dn_char[c] & DN_CHAR_UPPER) >> 1);
	}
	t[i] = n[i] = '=';
	p->text.len += i + 1;
	p->norm.len += i + 1;
	return HB_OK;
}

int
dn_out_value(struct dn_parser *p, struct dn_out *o, struct slice value)
{
	char *out;
	size_t i;
	int rc;

	if ((rc = dn_out_reserve(p, o, value.len)) != HB_OK)
		return rc;
	/* nearly always nothing is to be escaped: copy while that holds */
	out = o->data + o->len;
	for (i = 0; i < value.len; i++) {
		uint8_t c = (uint8_t)value.ptr[i];

		if ((dn_char[c] & (DN_CHAR_HIGH | DN_CHAR_ESCAPE)) != 0)
			break;
		out[i] = (char)c;
	}
	if (i == value.len && (i == 0 || (value.ptr[0] != ' ' &&
	    value.ptr[0] != '#' && value.ptr[i - 1] != ' '))) {
		o->len += i;
		return HB_OK;
	}
	rc = dn_out_reserve(p, o, DN_ESCAPED_MAX * value.len);
	if (rc != HB_OK)
		return rc;
	o->len = (size_t)(dn_escape(o->data + o->len, value) - o->data);
	return HB_OK;
}

int
dn_out_hex(struct dn_parser *p, struct dn_out *o, struct slice ber)
{
	static const char hex[] = "0123456789abcdef";
	size_t i;

	if (dn_out_reserve(p, o, 1 + 2 * ber.len) != HB_OK)
		return HB_ELIMIT;
	o->data[o->len++] = '#';
	for (i = 0; i < ber.len; i++) {
		uint8_t c = (uint8_t)ber.ptr[i];

		o->data[o->len++] = hex[c >> 4];
		o->data[o->len++] = hex[c & 15];
	}
	return HB_OK;
}

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

int
dn_out_reorder(struct dn_parser *p, size_t text_at, size_t norm_at)
{
	int rc;

	if ((rc = reorder(p, &p->text, text_at, false)) != HB_OK)
		return rc;
	return reorder(p, &p->norm, norm_at, true);
}
