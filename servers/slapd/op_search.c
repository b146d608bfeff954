/* Search (RFC 4511 4.5). */
#include "fop.h"
#include "limits.h"
#include "own.h"
#include "select.h"
#include "server.h"
#include "slapd/access.h"
#include "util/err.h"
#include "util/text.h"

/* Base, filter and attributes against the schema. */
static int
search_resolve(struct fop *f)
{
	struct op *op = &f->op;
	const struct ldap_req_search *req = &f->msg.req.search;
	const struct slapd_conf *conf = fop_conf(f);
	struct op_search *s = &op->req.search;
	struct filter *filter;
	int rc;

	if ((rc = fop_target(f, req->base)) != HB_OK)
		return rc;
	if (conf->has_default_search_base && dn_is_empty(&op->dn) &&
	    req->scope != LDAP_SCOPE_BASE)
		op->dn = conf->default_search_base;
	s->base = op->dn;
	s->scope = req->scope;
	s->deref = req->deref;
	s->types_only = req->types_only;
	s->size_limit = 0;
	s->time_limit = 0;
	s->deadline_us = 0;
	s->unchecked_limit = LIMIT_NONE;
	if ((rc = filter_resolve(op->arena, op->schema, req->filter,
	    &filter)) != HB_OK)
		return rc;
	s->filter = filter;
	return select_make(f, req->attrs, req->nattrs, &s->select);
}

static void
search_limits(struct fop *f)
{
	const struct ldap_req_search *req = &f->msg.req.search;
	struct op_search *s = &f->op.req.search;
	struct limit_set set;

	limits_of(&f->op, &set);
	s->size_limit = limits_size(&set, req->size_limit);
	s->time_limit = limits_time(&set, req->time_limit);
	s->unchecked_limit = set.size_unchecked;
	if (s->time_limit != 0)
		s->deadline_us = f->now + (int64_t)s->time_limit * 1000000;
}

/* The root DSE or the subschema entry, which no database holds. */
static int
search_own(struct op *op)
{
	struct entry *e = own_find(fop_of(op));

	if (filter_eval(op->req.search.filter, op->schema, e, access_filter,
	    op) != FILTER_TRUE)
		return HB_OK;
	return reply_entry(op, e);
}

int
op_run_search(struct fop *f)
{
	struct op *op = &f->op;
	const struct ldap_req_search *req = &f->msg.req.search;
	int rc;

	if (req->size_limit < 0 || req->time_limit < 0)
		return diag_err(&op->diag, HB_EPROTO, "negative limit");
	rc = search_resolve(f);
	if (!f->logged) {
		f->logged = true;
		stats_search(f);
	}
	if (rc != HB_OK)
		return rc;
	if (op->req.search.scope == LDAP_SCOPE_BASE && own_find(f) != NULL) {
		if ((rc = fop_check_allowed(f)) != HB_OK)
			return rc;
		search_limits(f);
		return fop_overlaid(op, search_own);
	}
	fop_route(f);
	if ((rc = fop_check_allowed(f)) != HB_OK)
		return rc;
	if (!f->has_db)
		return fop_no_database(f);
	if (f->msg.ncontrols > 0 && (rc = controls_check_db(f)) != HB_OK)
		return rc;
	search_limits(f);
	return fop_backend(f);
}
