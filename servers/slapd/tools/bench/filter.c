/*
 * Filters as text (RFC 4515) to BER, without a schema.
 */
#include "ber.h"
#include "proto.h"
#include "request.h"
#include "util/err.h"
#include "util/text.h"

#define DEPTH_MAX	100
/* Of a description and what may surround it before the "=". */
#define NAME_CHARS	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" \
	"0123456789-.;_:"

struct parser {
	struct ber_writer w;
	struct slice text;
	size_t pos;
	struct diag *diag;
};

static int put_one(struct parser *p, unsigned depth);

static int
fail(struct parser *p, const char *expected)
{
	return diag_err(p->diag, HB_EINVAL, "filter %.*s: %s expected at "
	    "character %zu", SLICE_ARG(p->text), expected, p->pos + 1);
}

static int
peek(const struct parser *p)
{
	return p->pos < p->text.len ? (unsigned char)p->text.ptr[p->pos] : -1;
}

static bool
skip(struct parser *p, char c)
{
	if (peek(p) != c)
		return false;
	p->pos++;
	return true;
}

/* A value with its \xx, up to STOP characters, into OUT. */
static int
get_value(struct parser *p, const char *stop, struct buf *out)
{
	int c, hi, lo;

	while ((c = peek(p)) >= 0 && strchr(stop, c) == NULL) {
		p->pos++;
		if (c == '(')
			return fail(p, "\\28 for a parenthesis");
		if (c == '\\') {
			if (p->pos + 2 > p->text.len ||
			    (hi = text_hex_value(p->text.ptr[p->pos])) < 0 ||
			    (lo = text_hex_value(p->text.ptr[p->pos + 1])) < 0)
				return fail(p, "two hexadecimal digits");
			c = hi << 4 | lo;
			p->pos += 2;
		}
		buf_put_char(out, (char)c);
	}
	return c < 0 ? fail(p, "\")\"") : HB_OK;
}

/* "init*any*final" after the "=", or a plain value, or presence. */
static int
put_equality(struct parser *p, struct slice attr)
{
	struct buf part, parts;
	struct ber_writer w;
	bool first = true, stars = false;
	size_t mark;
	int rc, tag;

	buf_init(&part);
	buf_init(&parts);
	ber_writer_init(&w, &parts);
	for (;; first = false) {
		buf_reset(&part);
		if ((rc = get_value(p, "*)", &part)) != HB_OK)
			goto out;
		if (peek(p) == ')' && first)
			break;
		tag = first ? 0x80 : peek(p) == ')' ? 0x82 : 0x81;
		if (part.len > 0)
			ber_put_octets(&w, tag, buf_slice(&part));
		stars = true;
		if (!skip(p, '*'))
			break;
	}
	if (stars && parts.len == 0) {
		ber_put_octets(&p->w, LDAP_FILTER_PRESENT, attr);
		goto out;
	}
	mark = ber_begin(&p->w, stars ? LDAP_FILTER_SUBSTRINGS :
	    LDAP_FILTER_EQUALITY);
	ber_put_octets(&p->w, BER_OCTETS, attr);
	ber_put_octets(&p->w, stars ? BER_SEQUENCE : BER_OCTETS,
	    buf_slice(stars ? &parts : &part));
	ber_end(&p->w, mark);
out:
	buf_fini(&part);
	buf_fini(&parts);
	return rc;
}

static int
put_plain(struct parser *p, int tag, struct slice attr)
{
	struct buf value;
	size_t mark;
	int rc;

	buf_init(&value);
	if ((rc = get_value(p, ")", &value)) == HB_OK) {
		mark = ber_begin(&p->w, tag);
		ber_put_octets(&p->w, BER_OCTETS, attr);
		ber_put_octets(&p->w, BER_OCTETS, buf_slice(&value));
		ber_end(&p->w, mark);
	}
	buf_fini(&value);
	return rc;
}

/* "attr:dn:rule:=value": LEFT is all before the ":=". */
static int
put_extensible(struct parser *p, struct slice left)
{
	const char *colon = memchr(left.ptr, ':', left.len);
	struct slice attr = left, rule = SLICE_NONE;
	struct buf value;
	bool dn = false;
	size_t mark;
	int rc;

	if (colon != NULL) {
		attr.len = (size_t)(colon - left.ptr);
		rule = slice_skip(left, attr.len + 1);
		if (rule.len >= 2 && slice_is_eq_nocase(slice(rule.ptr, 2),
		    SLICE("dn")) && (rule.len == 2 || rule.ptr[2] == ':')) {
			dn = true;
			rule = slice_skip(rule, rule.len == 2 ? 2 : 3);
		}
	}
	buf_init(&value);
	if ((rc = get_value(p, ")", &value)) == HB_OK) {
		mark = ber_begin(&p->w, LDAP_FILTER_EXTENSIBLE);
		if (rule.len > 0)
			ber_put_octets(&p->w, 0x81, rule);
		if (attr.len > 0)
			ber_put_octets(&p->w, 0x82, attr);
		ber_put_octets(&p->w, 0x83, buf_slice(&value));
		if (dn)
			ber_put_bool(&p->w, 0x84, true);
		ber_end(&p->w, mark);
	}
	buf_fini(&value);
	return rc;
}

static int
put_item(struct parser *p)
{
	size_t start = p->pos, len;
	struct slice attr;
	char before;

	while (peek(p) > 0 && strchr(NAME_CHARS, peek(p)) != NULL)
		p->pos++;
	if (peek(p) > 0 && strchr("<>~", peek(p)) != NULL)
		p->pos++;
	len = p->pos - start;
	if (len == 0 || !skip(p, '='))
		return fail(p, "attribute and \"=\"");
	before = p->text.ptr[start + len - 1];
	attr = slice(p->text.ptr + start, len);
	if (strchr("<>~:", before) == NULL)
		return put_equality(p, attr);
	attr.len--;
	if (before == ':')
		return put_extensible(p, attr);
	if (attr.len == 0)
		return fail(p, "attribute");
	return put_plain(p, before == '<' ? LDAP_FILTER_LE :
	    before == '>' ? LDAP_FILTER_GE : LDAP_FILTER_APPROX, attr);
}

static int
put_set(struct parser *p, int tag, unsigned depth)
{
	size_t mark = ber_begin(&p->w, tag);
	int rc = HB_OK;

	p->pos++;
	if (tag == LDAP_FILTER_NOT)
		rc = put_one(p, depth + 1);
	else
		while (rc == HB_OK && peek(p) == '(')
			rc = put_one(p, depth + 1);
	ber_end(&p->w, mark);
	return rc;
}

static int
put_one(struct parser *p, unsigned depth)
{
	int rc;

	if (depth > DEPTH_MAX)
		return diag_err(p->diag, HB_ELIMIT, "filter nested too deeply");
	if (!skip(p, '('))
		return fail(p, "\"(\"");
	if (peek(p) == '&')
		rc = put_set(p, LDAP_FILTER_AND, depth);
	else if (peek(p) == '|')
		rc = put_set(p, LDAP_FILTER_OR, depth);
	else if (peek(p) == '!')
		rc = put_set(p, LDAP_FILTER_NOT, depth);
	else
		rc = put_item(p);
	if (rc == HB_OK && !skip(p, ')'))
		rc = fail(p, "\")\"");
	return rc;
}

int
request_put_filter(struct buf *out, struct slice text, struct diag *diag)
{
	struct parser p = { .text = text, .diag = diag };
	int rc;

	ber_writer_init(&p.w, out);
	rc = put_one(&p, 0);
	if (rc == HB_OK && p.pos != text.len)
		rc = fail(&p, "the end");
	return rc;
}
