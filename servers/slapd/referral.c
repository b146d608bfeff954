/*
 * Referral URLs (RFC 4516, 3296 5): the stored value with what the target has
 * below the referral object put before its DN. Labels are dropped.
 */
#define _GNU_SOURCE		/* memmem */
#include <ctype.h>

#include "fop.h"
#include "server.h"
#include "util/err.h"
#include "util/text.h"

/* scheme://authority / dn ? attributes ? scope ? filter ? extensions */
struct url {
	struct slice before;		/* up to the authority's end */
	struct slice dn;		/* decoded; NONE: empty */
	struct slice attrs, scope, rest;	/* rest: "?filter..." */
};

static struct slice
slice_cut(struct slice *s, char at)
{
	const char *p = memchr(s->ptr, at, s->len);
	size_t n = p != NULL ? (size_t)(p - s->ptr) : s->len;
	struct slice head = slice(s->ptr, n);

	*s = slice_skip(*s, p != NULL ? n + 1 : n);
	return head;
}

/* %XX decoded into ARENA; NONE: no room. */
static struct slice
percent_decode(struct arena *arena, struct slice in)
{
	char *out = arena_alloc(arena, in.len + 1);
	size_t n = 0;

	if (out == NULL)
		return SLICE_NONE;
	for (size_t i = 0; i < in.len; i++) {
		int hi = -1, lo = -1;

		if (in.ptr[i] == '%' && i + 2 < in.len) {
			hi = text_hex_value(in.ptr[i + 1]);
			lo = text_hex_value(in.ptr[i + 2]);
		}
		if (hi >= 0 && lo >= 0) {
			out[n++] = (char)(hi << 4 | lo);
			i += 2;
		} else {
			out[n++] = in.ptr[i];
		}
	}
	return slice(out, n);
}

/* RFC 3986 with what a DN in a URL may hold unescaped. */
static struct slice
percent_encode(struct arena *arena, struct slice in)
{
	static const char digits[] = "0123456789ABCDEF";
	char *out = arena_alloc(arena, in.len * 3 + 1);
	size_t n = 0;

	if (out == NULL)
		return SLICE_NONE;
	for (size_t i = 0; i < in.len; i++) {
		unsigned char c = (unsigned char)in.ptr[i];

		if (c < 0x80 && (isalnum(c) ||
		    strchr("-._~!$&'()*+,;=:@", c) != NULL) && c != '\0') {
			out[n++] = (char)c;
		} else {
			out[n++] = '%';
			out[n++] = digits[c >> 4];
			out[n++] = digits[c & 15];
		}
	}
	return slice(out, n);
}

static bool
url_parse(struct arena *arena, struct slice text, struct url *u_r)
{
	struct slice s = text, authority;
	const char *p;

	s = slice_cut(&s, ' ');
	p = memmem(s.ptr, s.len, "://", 3);
	if (p == NULL)
		return false;
	authority = slice_skip(s, (size_t)(p - s.ptr) + 3);
	p = memchr(authority.ptr, '/', authority.len);
	u_r->before = slice(s.ptr, p != NULL ? (size_t)(p - s.ptr) : s.len);
	s = p != NULL ? slice_skip(s, u_r->before.len + 1) : SLICE("");
	u_r->dn = percent_decode(arena, slice_cut(&s, '?'));
	u_r->attrs = slice_cut(&s, '?');
	u_r->scope = slice_cut(&s, '?');
	u_r->rest = s;
	return u_r->dn.ptr != NULL;
}

/* The DN for the URL: TARGET as seen from where it is referred to. */
static struct slice
url_target(struct fop *f, const struct url *u, const struct dn *entry_dn,
    const struct dn *target)
{
	struct op *op = &f->op;
	struct dn base, to;

	if (target == NULL)
		return u->dn;
	if (u->dn.len == 0)
		return target->text;
	if (entry_dn == NULL || dn_is_eq(target, entry_dn) ||
	    dn_parse(op->arena, op->schema, u->dn, &base, NULL) != HB_OK ||
	    dn_rebase(op->arena, target, entry_dn, &base, &to) != HB_OK)
		return u->dn;
	return to.text;
}

struct slice
referral_rewrite(struct fop *f, struct slice text, const struct dn *entry_dn,
    const struct dn *target, int scope)
{
	static const char *const scopes[] = {
		"base", "one", "sub", "subordinate"
	};
	struct arena *arena = f->op.arena;
	struct url u;
	struct slice dn, sc;

	/* not LDAP: nothing of ours to put into it */
	if (strncasecmp(text.ptr, "ldap", text.len < 4 ? text.len : 4) != 0 ||
	    !url_parse(arena, text, &u))
		return arena_slice(arena, slice_cut(&text, ' '));
	dn = percent_encode(arena, url_target(f, &u, entry_dn, target));
	if (slice_is_none(dn))
		return dn;
	sc = u.scope.len == 0 && scope >= 0 ? slice_of(scopes[scope]) :
	    u.scope;
	if (u.rest.len > 0)
		return arena_printf(arena, "%.*s/%.*s?%.*s?%.*s?%.*s",
		    SLICE_ARG(u.before), SLICE_ARG(dn), SLICE_ARG(u.attrs),
		    SLICE_ARG(sc), SLICE_ARG(u.rest));
	if (sc.len > 0)
		return arena_printf(arena, "%.*s/%.*s?%.*s?%.*s",
		    SLICE_ARG(u.before), SLICE_ARG(dn), SLICE_ARG(u.attrs),
		    SLICE_ARG(sc));
	return arena_printf(arena, u.attrs.len > 0 ? "%.*s/%.*s?%.*s" :
	    "%.*s/%.*s", SLICE_ARG(u.before), SLICE_ARG(dn),
	    SLICE_ARG(u.attrs));
}

bool
referral_default(struct fop *f)
{
	const struct slapd_conf *conf = fop_conf(f);
	struct op *op = &f->op;
	struct slice *urls;
	int scope = op->kind == OP_SEARCH ? (int)op->req.search.scope : -1;

	if (conf->nreferrals == 0 || (op->flags & OP_DOMAIN_SCOPE))
		return false;
	urls = arena_calloc(op->arena, conf->nreferrals, sizeof(*urls));
	if (urls == NULL)
		return false;
	for (unsigned i = 0; i < conf->nreferrals; i++) {
		urls[i] = referral_rewrite(f, conf->referrals[i], NULL,
		    &op->dn, scope);
		if (slice_is_none(urls[i]))
			return false;
	}
	op->referrals = urls;
	op->nreferrals = conf->nreferrals;
	return true;
}
