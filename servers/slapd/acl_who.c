/*
 * Who asks: do the clauses of a `by` hold for the requester?
 */
#include "acl_int.h"
#include "util/err.h"

static const struct dn *
requester(const struct acl_eval *ev, bool real)
{
	const struct identity *who = ev->op->who;

	return real && !slice_is_none(who->real_dn.norm) ? &who->real_dn :
	    &who->dn;
}

static bool
is_any(struct acl_eval *ev, const struct acl_who *w)
{
	(void)ev;
	(void)w;
	return true;
}

static bool
is_anonymous(struct acl_eval *ev, const struct acl_who *w)
{
	return dn_is_empty(requester(ev, w->real));
}

static bool
is_user(struct acl_eval *ev, const struct acl_who *w)
{
	return !dn_is_empty(requester(ev, w->real));
}

/* self.level{n}: n > 0, the n-th ancestor of the user; n < 0, of the entry. */
static bool
is_self(struct acl_eval *ev, const struct acl_who *w)
{
	const struct dn *who = requester(ev, w->real);

	if (dn_is_empty(who))
		return false;
	return w->level >= 0 ?
	    acl_dn_match(ACL_STYLE_LEVEL, w->level, who, ev->dn) :
	    acl_dn_match(ACL_STYLE_LEVEL, -w->level, ev->dn, who);
}

static bool
matches_new_regex(struct acl_eval *ev, const char *pattern, struct slice text)
{
	char *p = acl_expand(&ev->scratch, pattern, &ev->m, true);
	regex_t re;
	bool found;

	if (p == NULL || regcomp(&re, p, REG_EXTENDED | REG_ICASE |
	    REG_NOSUB) != 0)
		return false;
	found = acl_regex_match(&re, text, NULL, 0);
	regfree(&re);
	return found;
}

static bool
expand_dn(struct acl_eval *ev, const char *pattern, struct dn *dn_r)
{
	char *text = acl_expand(&ev->scratch, pattern, &ev->m, false);

	return text != NULL && dn_parse(&ev->scratch, ev->op->schema,
	    slice_of(text), dn_r, NULL) == HB_OK;
}

static bool
is_dn(struct acl_eval *ev, const struct acl_who *w)
{
	const struct dn *who = requester(ev, w->real);
	struct dn dn;

	if (w->regex != NULL)
		return acl_regex_match(w->regex, who->norm, NULL, 0);
	if (w->pattern == NULL)
		return acl_dn_match(w->style, w->level, who, &w->dn);
	if (w->style == ACL_STYLE_REGEX)
		return matches_new_regex(ev, w->pattern, who->norm);
	return expand_dn(ev, w->pattern, &dn) &&
	    acl_dn_match(w->style, w->level, who, &dn);
}

static bool
is_dnattr(struct acl_eval *ev, const struct acl_who *w)
{
	const struct dn *who = requester(ev, w->real);
	struct entry_attr a;
	struct slice norm;

	if (ev->e == NULL || dn_is_empty(who))
		return false;
	for (unsigned i = 0; i < entry_nattrs(ev->e); i++) {
		entry_attr_at(ev->e, i, &a);
		if (!attr_desc_is_sub(a.desc, w->attr))
			continue;
		while (entry_value_next(&a, NULL, &norm))
			if (slice_is_eq(norm, who->norm))
				return true;
	}
	return false;
}

static bool
is_group(struct acl_eval *ev, const struct acl_who *w)
{
	const struct dn *who = requester(ev, w->real);
	struct dn dn;

	if (dn_is_empty(who))
		return false;
	if (w->group.pattern == NULL)
		return acl_group_has(ev->op, &w->group, &w->group.dn, who);
	return expand_dn(ev, w->group.pattern, &dn) &&
	    acl_group_has(ev->op, &w->group, &dn, who);
}

static bool
is_text(struct acl_eval *ev, const struct acl_who *w, struct slice text)
{
	struct slice pattern;

	if (slice_is_none(text))
		return false;
	if (w->regex != NULL)
		return acl_regex_match(w->regex, text, NULL, 0);
	if (w->style == ACL_STYLE_REGEX)
		return matches_new_regex(ev, w->pattern, text);
	pattern = slice_of(w->pattern);
	if (w->style == ACL_STYLE_EXPAND) {
		char *p = acl_expand(&ev->scratch, w->pattern, &ev->m, false);

		if (p == NULL)
			return false;
		pattern = slice_of(p);
	}
	return slice_is_eq_nocase(text, pattern);
}

static bool
is_peername(struct acl_eval *ev, const struct acl_who *w)
{
	struct slice peer = ev->op->who->peername;

	switch (w->peer) {
	case ACL_PEER_IP:
		return acl_address_match(&w->address, peer);
	case ACL_PEER_PATH:
		return slice_has_prefix(peer, SLICE("PATH=")) &&
		    slice_is_eq(slice_skip(peer, 5), slice_of(w->pattern));
	default:
		return is_text(ev, w, peer);
	}
}

static bool
is_sockname(struct acl_eval *ev, const struct acl_who *w)
{
	return is_text(ev, w, ev->op->who->sockname);
}

static bool
is_sockurl(struct acl_eval *ev, const struct acl_who *w)
{
	return is_text(ev, w, ev->op->who->sockurl);
}

static bool
is_ssf(struct acl_eval *ev, const struct acl_who *w)
{
	return ev->op->who->ssf >= w->ssf;
}

static bool
is_transport_ssf(struct acl_eval *ev, const struct acl_who *w)
{
	return ev->op->who->transport_ssf >= w->ssf;
}

static bool
is_tls_ssf(struct acl_eval *ev, const struct acl_who *w)
{
	return ev->op->who->tls_ssf >= w->ssf;
}

static bool
is_sasl_ssf(struct acl_eval *ev, const struct acl_who *w)
{
	return ev->op->who->sasl_ssf >= w->ssf;
}

/* domain: a name, its subdomains too, a pattern. */
static bool
is_domain(struct acl_eval *ev, const struct acl_who *w)
{
	struct slice name = acl_peer_domain(ev->op, &ev->scratch);
	struct slice domain;
	const char *text = w->pattern;

	if (w->style != ACL_STYLE_SUB)
		return is_text(ev, w, name);
	if (w->is_expanded)
		text = acl_expand(&ev->scratch, text, &ev->m, false);
	if (slice_is_none(name) || text == NULL)
		return false;
	domain = slice_of(text);
	if (domain.len > 0 && domain.ptr[0] == '.')
		domain = slice_skip(domain, 1);
	if (domain.len == 0 || name.len < domain.len ||
	    !slice_is_eq_nocase(slice_skip(name, name.len - domain.len),
	    domain))
		return false;
	return name.len == domain.len ||
	    name.ptr[name.len - domain.len - 1] == '.';
}

static bool
is_in_set(struct acl_eval *ev, const struct acl_who *w)
{
	return acl_set_holds(ev, w->set);
}

static bool (*const who_is[ACL_WHO_KINDS])(struct acl_eval *,
    const struct acl_who *) = {
	[ACL_ANY] = is_any, [ACL_ANONYMOUS] = is_anonymous,
	[ACL_USERS] = is_user, [ACL_SELF] = is_self, [ACL_DN] = is_dn,
	[ACL_DNATTR] = is_dnattr, [ACL_GROUP] = is_group,
	[ACL_PEERNAME] = is_peername, [ACL_SOCKNAME] = is_sockname,
	[ACL_SOCKURL] = is_sockurl, [ACL_SSF] = is_ssf,
	[ACL_TRANSPORT_SSF] = is_transport_ssf, [ACL_TLS_SSF] = is_tls_ssf,
	[ACL_SASL_SSF] = is_sasl_ssf,
	[ACL_DOMAIN] = is_domain, [ACL_IN_SET] = is_in_set
};

/* selfwrite and the like are for the value that is the requester's DN. */
static bool
is_own_value(struct acl_eval *ev, const struct acl_by *b)
{
	const struct dn *who = requester(ev, b->real_self);

	if (slice_is_none(ev->value) || dn_is_empty(who))
		return false;
	if (slice_is_none(ev->vnorm) && schema_norm_value(ev->op->schema,
	    &ev->scratch, ev->desc, ev->value, &ev->vnorm) != HB_OK)
		return false;
	return slice_is_eq(ev->vnorm, who->norm);
}

bool
acl_by_matches(struct acl_eval *ev, const struct acl_by *b)
{
	for (const struct acl_who *w = b->who; w != NULL; w = w->next)
		if (!who_is[w->kind](ev, w))
			return false;
	return !b->self || is_own_value(ev, b);
}
