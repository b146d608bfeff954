/*
 * Searches that the server makes for itself while an operation runs: for access
 * rules, groups and overlays.
 */
#include "limit.h"
#include "slapd/backend.h"
#include "slapd/reply.h"
#include "util/err.h"

int
op_inner_search(struct op *outer, struct be_db *db, struct arena *arena,
    const struct dn *base, enum ldap_scope scope, const struct filter *filter,
    int (*on_entry)(struct op *, struct entry *, void *), void *arg)
{
	struct op op = {
		.kind = OP_SEARCH, .connid = outer->connid, .opid = outer->opid,
		.flags = OP_INTERNAL | OP_MANAGE_DSAIT,
		.may_wait = outer->may_wait, .arena = arena,
		.schema = outer->schema, .db = db, .who = outer->who,
		.dn = *base, .matched = SLICE_NONE, .on_entry = on_entry,
		.on_entry_arg = arg
	};
	int rc;

	if (db->be->op[OP_SEARCH] == NULL)
		return HB_ENOENT;
	op.req.search = (struct op_search){
		.base = *base, .scope = scope, .deref = LDAP_DEREF_NEVER,
		.unchecked_limit = LIMIT_NONE, .filter = filter,
		.deadline_us = outer->kind == OP_SEARCH ?
		    outer->req.search.deadline_us : 0
	};
	rc = db->be->op[OP_SEARCH](db, &op);
	return op_is_stopped(outer) ? HB_EABANDONED : rc;
}
