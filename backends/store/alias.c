/* Aliases: see alias.h. */
#include "backends/store/alias.h"

#include "slapd/backend.h"

static bool
is_alias(const struct store *st, const struct entry *e)
{
	return store_special_has(st, SPECIAL_ALIAS, e->id);
}

/* The DN that ALIAS names. */
static int
target_of(struct store *st, struct op *op, const struct entry *alias,
    struct dn *dn_r)
{
	struct slice v = entry_value(alias, st->aliased_object);

	if (slice_is_none(v) || dn_parse(op->arena, op->schema, v, dn_r,
	    NULL) != HB_OK)
		return HB_EALIAS;
	return HB_OK;
}

static int
too_deep(struct op *op)
{
	return diag_err(&op->diag, HB_EALIAS, "more than %u aliases in a "
	    "row: do they form a loop?", op->db->max_deref_depth);
}

/*
 * DN is not there. If an alias stands above it, *DN becomes what it leads to
 * and HB_OK is returned.
 */
static int
follow_above(struct store *st, struct op *op, struct dn *dn)
{
	struct entry *e = NULL;
	struct dn to;
	unsigned depth;
	entry_id id;
	int rc;

	if (store_special_count(st, SPECIAL_ALIAS) == 0)
		return HB_ENOENT;
	if (!op->may_wait)
		return HB_EDEFER;
	if ((rc = st->names->find_above(st, NULL, dn, &id, &depth)) != HB_OK)
		return rc == HB_ENOTFOUND ? HB_ENOENT : rc;
	if ((rc = store_entry_by_id(st, NULL, id, true, &e)) != HB_OK)
		return rc;
	if (!is_alias(st, e))
		rc = HB_ENOENT;
	else if ((rc = target_of(st, op, e, &to)) == HB_OK)
		rc = dn_rebase(op->arena, dn, &e->dn, &to, dn);
	entry_unref(&e);
	return rc;
}

int
alias_find_base(struct store *st, struct op *op, struct entry **e_r)
{
	enum ldap_deref deref = op->req.search.deref;
	bool follow = deref == LDAP_DEREF_FINDING ||
	    deref == LDAP_DEREF_ALWAYS;
	struct dn asked = op->dn, at;
	unsigned n = 0;
	int rc;

	if (!follow)
		return store_target(st, NULL, op, e_r);
	for (;; op->dn = at) {
		if (n++ > op->db->max_deref_depth) {
			rc = too_deep(op);
			break;
		}
		at = op->dn;
		rc = store_target(st, NULL, op, e_r);
		if (rc == HB_OK) {
			if (!is_alias(st, *e_r))
				break;
			rc = target_of(st, op, *e_r, &at);
			entry_unref(e_r);
			if (rc != HB_OK)
				break;
		} else if (rc != HB_ENOENT ||
		    (rc = follow_above(st, op, &at)) != HB_OK) {
			if (rc == HB_ENOENT && n > 1)
				rc = diag_err(&op->diag, HB_EALIASDEREF,
				    "the alias leads to nothing");
			break;
		} else
			op->matched = SLICE_NONE;
	}
	op->dn = asked;
	return rc;
}

bool
root_has(const struct root *roots, unsigned n, const struct dn *dn)
{
	for (unsigned i = 0; i < n; i++) {
		const struct dn *base = &roots[i].dn;

		switch (roots[i].scope) {
		case LDAP_SCOPE_BASE:
			if (dn_is_eq(dn, base))
				return true;
			break;
		case LDAP_SCOPE_ONE:
			if (dn_is_child(dn, base))
				return true;
			break;
		case LDAP_SCOPE_SUB:
			if (dn_is_within(dn, base))
				return true;
			break;
		case LDAP_SCOPE_CHILDREN:
			if (dn_is_within(dn, base) && !dn_is_eq(dn, base))
				return true;
			break;
		}
	}
	return false;
}

/* The entry behind ALIAS, at the end of a row of them; NULL: there is none. */
static int
resolve(struct store *st, struct op *op, struct entry *alias,
    struct entry **e_r)
{
	struct entry *e = entry_ref(alias);
	struct dn to;
	int rc = HB_OK;

	*e_r = NULL;
	for (unsigned n = 0; rc == HB_OK && is_alias(st, e); n++) {
		rc = n > op->db->max_deref_depth ? HB_EALIAS :
		    target_of(st, op, e, &to);
		entry_unref(&e);
		if (rc == HB_OK)
			rc = store_entry_by_dn(st, NULL, &to, true, &e);
		if (rc == HB_EALIAS || rc == HB_ENOTFOUND)
			return HB_OK;
	}
	if (rc == HB_OK)
		*e_r = e;
	return rc;
}

struct expansion {
	struct store *st;
	struct op *op;
	struct root *v;
	unsigned n, cap;
};

static int
add_root(struct expansion *x, const struct entry *e)
{
	enum ldap_scope scope = x->v[0].scope == LDAP_SCOPE_ONE ?
	    LDAP_SCOPE_BASE : LDAP_SCOPE_SUB;

	for (unsigned i = 0; i < x->n; i++) {
		if (x->v[i].id == e->id && x->v[i].scope == scope)
			return HB_OK;
		if (x->v[i].scope == LDAP_SCOPE_SUB &&
		    dn_is_within(&e->dn, &x->v[i].dn))
			return HB_OK;
	}
	if (x->n == x->cap) {
		struct root *v = arena_calloc(x->op->arena, x->cap * 2,
		    sizeof(*v));

		if (v == NULL)
			return HB_ELIMIT;
		memcpy(v, x->v, x->n * sizeof(*v));
		x->v = v;
		x->cap *= 2;
	}
	x->v[x->n++] = (struct root){ e->id, dn_copy(x->op->arena, &e->dn),
	    scope };
	return HB_OK;
}

/* Aliases of LEFT that lie in what was reached so far: done with, unless none. */
static int
expand_round(struct expansion *x, struct idset *left, bool *more_r)
{
	struct idset again = IDSET_INIT;
	struct entry *e = NULL, *to = NULL;
	struct idset_iter it;
	entry_id id;
	int rc = HB_OK;

	*more_r = false;
	idset_iter_init(&it, left, 0);
	while (rc == HB_OK && idset_iter_next(&it, &id)) {
		rc = store_entry_by_id(x->st, NULL, id, true, &e);
		if (rc == HB_ENOTFOUND) {
			rc = HB_OK;
			continue;
		}
		if (rc != HB_OK)
			break;
		if (id == x->v[0].id || !root_has(x->v, x->n, &e->dn))
			idset_add(&again, id);
		else if ((rc = resolve(x->st, x->op, e, &to)) == HB_OK &&
		    to != NULL) {
			unsigned n = x->n;

			rc = add_root(x, to);
			*more_r |= x->n != n;
		}
		entry_unref(&e);
		entry_unref(&to);
	}
	idset_iter_fini(&it);
	idset_move(left, &again);
	return rc;
}

int
alias_expand(struct store *st, struct op *op, const struct root *root,
    struct root **roots_r, unsigned *n_r)
{
	struct expansion x = { .st = st, .op = op, .n = 1, .cap = 8 };
	struct idset left = IDSET_INIT;
	/* children of the base reached by one level do not lead further */
	bool once = root->scope == LDAP_SCOPE_ONE, more;
	int rc = HB_OK;

	if ((x.v = arena_calloc(op->arena, x.cap, sizeof(*x.v))) == NULL)
		return HB_ELIMIT;
	x.v[0] = *root;
	store_special_copy(st, SPECIAL_ALIAS, &left);
	do {
		rc = expand_round(&x, &left, &more);
	} while (rc == HB_OK && more && !once);
	idset_fini(&left);
	*roots_r = x.v;
	*n_r = x.n;
	return rc;
}
