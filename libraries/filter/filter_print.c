/*
 * Filters as log lines show them: ASCII on one line, whatever a client sent.
 */
#include "filter.h"

static void
put_value(struct buf *out, struct slice v)
{
	static const char hex[] = "0123456789abcdef";
	size_t i;

	buf_reserve(out, v.len);
	for (i = 0; i < v.len; i++) {
		unsigned char c = (unsigned char)v.ptr[i];

		if (c >= ' ' && c < 127 && c != '(' && c != ')' && c != '*' &&
		    c != '\\') {
			buf_put_char(out, (char)c);
			continue;
		}
		buf_put_char(out, '\\');
		buf_put_char(out, hex[c >> 4]);
		buf_put_char(out, hex[c & 15]);
	}
}

static void
put_substrings(struct buf *out, const struct ldap_filter *f)
{
	unsigned i;

	buf_put_char(out, '=');
	put_value(out, f->initial);
	buf_put_char(out, '*');
	for (i = 0; i < f->nany; i++) {
		put_value(out, f->any[i]);
		buf_put_char(out, '*');
	}
	put_value(out, f->final);
}

static void
put_extensible(struct buf *out, const struct ldap_filter *f)
{
	if (f->dn_attrs)
		buf_put_str(out, ":dn");
	if (!slice_is_none(f->rule)) {
		buf_put_char(out, ':');
		put_value(out, f->rule);
	}
	buf_put_str(out, ":=");
	put_value(out, f->value);
}

static void
put_set(struct buf *out, const struct ldap_filter *f)
{
	const struct ldap_filter *c;

	buf_put_char(out, f->type == LDAP_FILTER_AND ? '&' :
	    f->type == LDAP_FILTER_OR ? '|' : '!');
	for (c = f->first; c != NULL; c = c->next)
		filter_print(c, out);
}

static void
put_item(struct buf *out, const struct ldap_filter *f)
{
	put_value(out, f->attr);
	switch (f->type) {
	case LDAP_FILTER_UNKNOWN:
		buf_put_str(out, "?=unknown");
		return;
	case LDAP_FILTER_SUBSTRINGS:
		put_substrings(out, f);
		return;
	case LDAP_FILTER_PRESENT:
		buf_put_str(out, "=*");
		return;
	case LDAP_FILTER_EXTENSIBLE:
		put_extensible(out, f);
		return;
	case LDAP_FILTER_GE:
		buf_put_str(out, ">=");
		break;
	case LDAP_FILTER_LE:
		buf_put_str(out, "<=");
		break;
	case LDAP_FILTER_APPROX:
		buf_put_str(out, "~=");
		break;
	default:
		buf_put_char(out, '=');
		break;
	}
	put_value(out, f->value);
}

/* Recursion is as deep as the filter, LDAP_FILTER_DEPTH_MAX at most. */
void
filter_print(const struct ldap_filter *f, struct buf *out)
{
	buf_put_char(out, '(');
	if (f->type == LDAP_FILTER_AND || f->type == LDAP_FILTER_OR ||
	    f->type == LDAP_FILTER_NOT)
		put_set(out, f);
	else
		put_item(out, f);
	buf_put_char(out, ')');
}
