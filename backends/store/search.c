/*
 * Search (RFC 4511 4.5): the base, the candidates, the entries among them.
 *
 * With op->may_wait false nothing may wait and nothing may have been sent
 * before HB_EDEFER: so a few candidates, all of them cached, are gathered
 * first. Everything else is run by a thread that may wait.
 */
#include "backends/store/advice.h"
#include "backends/store/alias.h"
#include "backends/store/computed.h"
#include "backends/store/scan.h"
#include "slapd/backend.h"
#include "util/text.h"

#define AT_ONCE		64		/* candidates that a loop thread looks at */
#define SCOPE_JOIN	4096		/* candidates worth to be met with the scope */
#define SCAN_SHARE	4		/* a scope of a quarter of all entries: read all */
#define LOOK_EVERY	32		/* entries between two looks at the clock and at others */

struct search {
	struct store *st;
	struct op *op;
	const struct op_search *req;
	filter_access_cb allowed;	/* NULL: everything */
	struct entry *base;
	struct places places;		/* where to look */
	bool has_referrals;		/* referral objects are answered as such */
	bool has_subentries;
	bool follows;			/* aliases are not entries of the result */
	struct computed computed;
	const struct filter *filter;	/* to be evaluated */
	unsigned seen;
	struct plan_gap gap;
};

static int
check_stop(struct search *s)
{
	if (op_is_stopped(s->op))
		return HB_EABANDONED;
	return s->seen++ % LOOK_EVERY == 0 ? op_go_on(s->op) : HB_OK;
}

/* RFC 3672 3: one level and subtree searches see either entries or subentries. */
static bool
is_visible(const struct search *s, entry_id id)
{
	bool wants = (s->op->flags & OP_SUBENTRIES) != 0;

	if (!s->has_subentries && !wants)
		return true;
	if (s->req->scope == LDAP_SCOPE_BASE && !wants)
		return true;
	return store_special_has(s->st, SPECIAL_SUBENTRY, id) == wants;
}

static int
offer(struct search *s, struct entry *e)
{
	bool is_there;
	int rc;

	if ((rc = places_has(&s->places, &e->dn, &is_there)) != HB_OK ||
	    !is_there)
		return rc;
	if (s->has_referrals && e->id != s->base->id &&
	    store_special_has(s->st, SPECIAL_REFERRAL, e->id))
		return (s->op->flags & OP_DOMAIN_SCOPE) != 0 ? HB_OK :
		    reply_reference(s->op, e);
	if (!is_visible(s, e->id))
		return HB_OK;
	if (s->follows && e->id != s->base->id &&
	    store_special_has(s->st, SPECIAL_ALIAS, e->id))
		return HB_OK;
	if ((rc = computed_set(&s->computed, s->st, s->op, e)) != HB_OK)
		return rc;
	if (filter_eval(s->filter, s->op->schema, e, s->allowed, s->op) !=
	    FILTER_TRUE)
		return HB_OK;
	return reply_entry(s->op, e);
}

/* ---- candidates ---- */

/* A root that holds all entries of the database. */
static bool
is_everything(const struct search *s)
{
	for (unsigned i = 0; i < s->places.n; i++) {
		const struct root *r = &s->places.v[i];

		if (r->scope >= LDAP_SCOPE_SUB &&
		    dn_is_within(&s->st->db->suffixes[0], &r->dn))
			return true;
	}
	return false;
}

static uint64_t
entries_at_most(const struct store *st)
{
	return atomic_load_explicit(&st->next_id, memory_order_relaxed) - 1;
}

/* What lies in the roots; ALL if reading everything is no more work. */
static int
get_scope(struct search *s, struct idset *ids_r)
{
	int rc;

	for (unsigned i = 0; i < s->places.n; i++) {
		const struct root *r = &s->places.v[i];

		rc = s->st->names->scope(s->st, NULL, r->id, &r->dn, r->scope,
		    ids_r);
		if (rc != HB_OK)
			return rc;
	}
	if (idset_count(ids_r) > entries_at_most(s->st) / SCAN_SHARE)
		idset_set_all(ids_r);
	return HB_OK;
}

static int
join_scope(struct search *s, struct idset *ids)
{
	struct idset scope = IDSET_INIT;
	int rc;

	if (is_everything(s) || (!ids->all && idset_count(ids) < SCOPE_JOIN))
		return HB_OK;
	if (!s->op->may_wait)
		return HB_EDEFER;
	if ((rc = get_scope(s, &scope)) == HB_OK) {
		if (ids->all)
			idset_move(ids, &scope);
		else
			idset_and(ids, &scope);
	}
	idset_fini(&scope);
	return rc;
}

static int
check_unchecked(const struct search *s, const struct idset *ids)
{
	uint64_t n = ids->all ? entries_at_most(s->st) : idset_count(ids);

	if (s->req->unchecked_limit >= 0 &&
	    n > (uint64_t)s->req->unchecked_limit)
		return HB_EADMINLIMIT;
	return HB_OK;
}

/* What aliases lead to: of many candidates in all, of few one by one. */
static int
follow_aliases(struct search *s, const struct idset *ids)
{
	if (!s->follows)
		return HB_OK;
	if (ids->all || idset_count(ids) >= SCOPE_JOIN)
		return places_expand(&s->places);
	places_follow(&s->places);
	return HB_OK;
}

static int
get_candidates(struct search *s, struct idset *ids)
{
	struct idset referrals = IDSET_INIT;
	int rc;

	rc = plan_candidates(s->st, s->op, s->req->filter, ids,
	    &s->gap);
	if (rc != HB_OK || (rc = check_unchecked(s, ids)) != HB_OK ||
	    (rc = follow_aliases(s, ids)) != HB_OK)
		return rc;
	if (s->has_referrals && !ids->all) {
		store_special_copy(s->st, SPECIAL_REFERRAL, &referrals);
		idset_or(ids, &referrals);
		idset_fini(&referrals);
	}
	return join_scope(s, ids);
}

/* ---- ways through them ---- */

static int
run_scan(struct search *s)
{
	struct entry *e = NULL;
	struct scan scan;
	entry_id id;
	int rc;

	if (!s->op->may_wait)
		return HB_EDEFER;
	counter_add(&s->st->counters[COUNTER_SCANS], 1);
	scan_init(&scan, s->st, 1);
	while ((rc = check_stop(s)) == HB_OK &&
	    (rc = scan_next(&scan, &id, &e)) == HB_OK &&
	    (rc = offer(s, e)) == HB_OK)
		entry_unref(&e);
	entry_unref(&e);
	scan_fini(&scan);
	return rc == HB_EEND ? HB_OK : rc;
}

static int
run_set(struct search *s, const struct idset *ids)
{
	struct idset_iter it;
	struct entry *e = NULL;
	entry_id id;
	int rc = HB_OK;

	idset_iter_init(&it, ids, 0);
	while (rc == HB_OK && idset_iter_next(&it, &id)) {
		if ((rc = check_stop(s)) != HB_OK)
			break;
		rc = store_entry_by_id(s->st, NULL, id, true, &e);
		if (rc == HB_OK)
			rc = offer(s, e);
		else if (rc == HB_ENOTFOUND)	/* deleted meanwhile */
			rc = HB_OK;
		entry_unref(&e);
	}
	idset_iter_fini(&it);
	return rc;
}

static int
run_at_once(struct search *s, const struct idset *ids)
{
	struct entry *found[AT_ONCE];
	struct idset_iter it;
	unsigned i, n = 0;
	entry_id id;
	int rc = HB_OK;

	if (ids->all || idset_count(ids) > AT_ONCE)
		return HB_EDEFER;
	idset_iter_init(&it, ids, 0);
	while (rc == HB_OK && idset_iter_next(&it, &id)) {
		rc = store_entry_by_id(s->st, NULL, id, false, &found[n]);
		if (rc == HB_OK)
			n++;
	}
	idset_iter_fini(&it);
	for (i = 0; i < n && rc == HB_OK; i++)
		rc = offer(s, found[i]);
	for (i = 0; i < n; i++)
		entry_unref(&found[i]);
	return rc;
}

static int
run_candidates(struct search *s)
{
	struct idset ids = IDSET_INIT;
	int rc;

	if ((rc = get_candidates(s, &ids)) == HB_OK)
		rc = !s->op->may_wait ? run_at_once(s, &ids) :
		    ids.all ? run_scan(s) : run_set(s, &ids);
	if (rc != HB_EDEFER)
		advice_note(s->st, &s->gap, s->req->filter->source, s->seen);
	idset_fini(&ids);
	return rc;
}

/* ---- */

static int
set_places(struct search *s)
{
	enum ldap_deref deref = s->req->deref;

	places_init(&s->places, s->st, s->op, s->base, s->req->scope);
	s->follows = s->req->scope != LDAP_SCOPE_BASE &&
	    (deref == LDAP_DEREF_SEARCHING || deref == LDAP_DEREF_ALWAYS) &&
	    store_special_count(s->st, SPECIAL_ALIAS) > 0;
	return s->follows && !s->op->may_wait ? HB_EDEFER : HB_OK;
}

int
store_op_search(struct be_db *db, struct op *op)
{
	struct search s = { .st = db->priv, .op = op,
	    .req = &op->req.search };
	int rc;

	if (!op->is_root && (op->flags & OP_INTERNAL) == 0)
		s.allowed = access_filter;
	s.has_referrals = (op->flags & OP_MANAGE_DSAIT) == 0 &&
	    store_special_count(s.st, SPECIAL_REFERRAL) > 0;
	s.has_subentries = store_special_count(s.st, SPECIAL_SUBENTRY) > 0;
	if ((rc = alias_find_base(s.st, op, &s.base)) != HB_OK ||
	    (rc = store_allow(op, s.base, access_entry_desc(op),
	    ACCESS_SEARCH)) != HB_OK ||
	    (rc = set_places(&s)) != HB_OK ||
	    (rc = computed_init(&s.computed, s.st, op,
	    s.req->filter)) != HB_OK)
		goto out;
	s.filter = s.computed.filter != NULL ? s.computed.filter :
	    s.req->filter;
	rc = s.req->scope == LDAP_SCOPE_BASE ? offer(&s, s.base) :
	    run_candidates(&s);
out:
	places_fini(&s.places);
	entry_unref(&s.base);
	return rc;
}
