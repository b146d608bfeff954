/*
 * What searches with other values have in common: their filter with '?' for
 * each value. Parts of a set that look the same stand there once, with "..."
 * behind them, so that lists of any length are one template.
 */
#include "filter.h"
#include "util/text.h"

static void
put_name(struct buf *out, struct slice name)
{
	size_t at = out->len;

	buf_put_slice(out, name);
	text_tolower(out->data + at, name.len);
}

static void
put_item(struct buf *out, const struct ldap_filter *f)
{
	unsigned i;

	if (!slice_is_none(f->attr))
		put_name(out, f->attr);
	switch (f->type) {
	case LDAP_FILTER_SUBSTRINGS:
		buf_put_str(out, f->initial.len > 0 ? "=?*" : "=*");
		for (i = 0; i < f->nany; i++)
			buf_put_str(out, "?*");
		buf_put_str(out, f->final.len > 0 ? "?" : "");
		break;
	case LDAP_FILTER_PRESENT:
		buf_put_str(out, "=*");
		break;
	case LDAP_FILTER_EXTENSIBLE:
		buf_put_str(out, f->dn_attrs ? ":dn" : "");
		if (!slice_is_none(f->rule)) {
			buf_put_char(out, ':');
			put_name(out, f->rule);
		}
		buf_put_str(out, ":=?");
		break;
	default:
		buf_put_str(out, f->type == LDAP_FILTER_GE ? ">=?" :
		    f->type == LDAP_FILTER_LE ? "<=?" :
		    f->type == LDAP_FILTER_APPROX ? "~=?" : "=?");
		break;
	}
}

/* Children one after another; one that looks like the last is left out. */
static void
put_set(struct buf *out, const struct ldap_filter *f)
{
	const struct ldap_filter *c;
	size_t last = 0, last_len = 0, at;
	bool more = false;

	for (c = f->first; c != NULL; c = c->next) {
		at = out->len;
		filter_print_template(c, out);
		if (last_len > 0 && out->len - at == last_len &&
		    memcmp(out->data + last, out->data + at, last_len) == 0) {
			out->len = at;
			more = true;
			continue;
		}
		last = at;
		last_len = out->len - at;
	}
	if (more)
		buf_put_str(out, "...");
}

void
filter_print_template(const struct ldap_filter *f, struct buf *out)
{
	buf_put_char(out, '(');
	switch (f->type) {
	case LDAP_FILTER_AND:
	case LDAP_FILTER_OR:
	case LDAP_FILTER_NOT:
		buf_put_char(out, f->type == LDAP_FILTER_AND ? '&' :
		    f->type == LDAP_FILTER_OR ? '|' : '!');
		put_set(out, f);
		break;
	default:
		put_item(out, f);
		break;
	}
	buf_put_char(out, ')');
}
