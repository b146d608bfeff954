/* Aliases: see alias.h. */
#include "backends/store/alias.h"

#include "backends/store/alias_map.h"
#include "slapd/backend.h"
#include "util/hash.h"

#define FEW_ROOTS	8		/* looked through one by one */

static bool
is_alias(const struct store *st, const struct entry *e)
{
	return store_special_has(st, SPECIAL_ALIAS, e->id);
}

/* The DN that ALIAS names; it lives as long as ALIAS. */
static int
target_of(const struct store *st, const struct entry *alias, struct dn *dn_r)
{
	struct entry_attr a;

	if (!entry_find(alias, st->aliased_object, &a) ||
	    !entry_value_next(&a, &dn_r->text, &dn_r->norm))
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
	else if ((rc = target_of(st, e, &to)) == HB_OK)
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
			rc = target_of(st, *e_r, &at);
			if (rc == HB_OK)
				at = dn_copy(op->arena, &at);
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

static bool
root_has(const struct root *r, const struct dn *dn)
{
	switch (r->scope) {
	case LDAP_SCOPE_BASE:
		return dn_is_eq(dn, &r->dn);
	case LDAP_SCOPE_ONE:
		return dn_is_child(dn, &r->dn);
	case LDAP_SCOPE_SUB:
		return dn_is_within(dn, &r->dn);
	case LDAP_SCOPE_CHILDREN:
		return dn_is_within(dn, &r->dn) && !dn_is_eq(dn, &r->dn);
	}
	return false;
}

/* Scope of what aliases lead to: of one level, the entries that they name. */
static enum ldap_scope
far_scope(const struct places *p)
{
	return p->base.scope == LDAP_SCOPE_ONE ? LDAP_SCOPE_BASE :
	    LDAP_SCOPE_SUB;
}

/* DN is, or (whole subtrees) lies below, an indexed root. */
static bool
index_has(const struct places *p, const struct dn *dn)
{
	struct dn at = *dn;

	if (strmap_find(p->index, at.norm) != NULL)
		return true;
	if (far_scope(p) == LDAP_SCOPE_BASE)
		return false;
	while (!dn_is_empty(&at)) {
		at = dn_parent(&at);
		if (strmap_find(p->index, at.norm) != NULL)
			return true;
	}
	return false;
}

/* One of the roots. */
static bool
is_known(const struct places *p, const struct dn *dn)
{
	if (p->index != NULL)
		return root_has(&p->base, dn) || index_has(p, dn);
	for (unsigned i = 0; i < p->n; i++)
		if (root_has(&p->v[i], dn))
			return true;
	return false;
}

void
places_init(struct places *p, struct store *st, struct op *op,
    const struct entry *base, enum ldap_scope scope)
{
	*p = (struct places){ .st = st, .op = op,
	    .base = { base->id, base->dn, scope }, .n = 1, .cap = 1 };
	p->v = &p->base;
}

void
places_fini(struct places *p)
{
	strmap_free(&p->index);
}

/* ---- forwards ---- */

/* The entry behind ALIAS, at the end of a row of them; NULL: there is none. */
static int
resolve(struct store *st, struct op *op, struct entry *alias,
    struct entry **e_r)
{
	struct entry *e = entry_ref(alias), *next = NULL;
	struct dn to;
	int rc = HB_OK;

	*e_r = NULL;
	for (unsigned n = 0; rc == HB_OK && is_alias(st, e); n++) {
		rc = n > op->db->max_deref_depth ? HB_EALIAS :
		    target_of(st, e, &to);
		if (rc == HB_OK)
			rc = store_entry_by_dn(st, NULL, &to, true, &next);
		entry_unref(&e);
		if (rc == HB_EALIAS || rc == HB_ENOTFOUND)
			return HB_OK;
		e = next;
		next = NULL;
	}
	if (rc == HB_OK)
		*e_r = e;
	return rc;
}

static void
make_index(struct places *p)
{
	p->index = strmap_new(false);
	for (unsigned i = 1; i < p->n; i++)
		strmap_set(p->index, p->v[i].dn.norm, &p->v[i]);
}

static int
add_root(struct places *p, const struct entry *e)
{
	struct root *v = p->v;

	if (is_known(p, &e->dn))
		return HB_OK;
	if (p->n == p->cap) {
		v = arena_calloc(p->op->arena, p->cap * 8, sizeof(*v));
		if (v == NULL)
			return HB_ELIMIT;
		memcpy(v, p->v, p->n * sizeof(*v));
		p->v = v;
		p->cap *= 8;
	}
	v[p->n++] = (struct root){ e->id, dn_copy(p->op->arena, &e->dn),
	    far_scope(p) };
	if (p->index != NULL)
		strmap_set(p->index, v[p->n - 1].dn.norm, p);
	else if (p->n > FEW_ROOTS)
		make_index(p);
	return HB_OK;
}

/* Aliases of LEFT that lie in what was reached so far: done with, unless none. */
static int
expand_round(struct places *p, struct idset *left, bool *more_r)
{
	struct idset again = IDSET_INIT;
	struct entry *e = NULL, *to = NULL;
	struct idset_iter it;
	entry_id id;
	int rc = HB_OK;

	*more_r = false;
	idset_iter_init(&it, left, 0);
	while (rc == HB_OK && idset_iter_next(&it, &id)) {
		rc = store_entry_by_id(p->st, NULL, id, true, &e);
		if (rc == HB_ENOTFOUND) {
			rc = HB_OK;
			continue;
		}
		if (rc != HB_OK)
			break;
		if (id == p->base.id || !is_known(p, &e->dn))
			idset_add(&again, id);
		else if ((rc = resolve(p->st, p->op, e, &to)) == HB_OK &&
		    to != NULL) {
			unsigned n = p->n;

			rc = add_root(p, to);
			*more_r |= p->n != n;
		}
		entry_unref(&e);
		entry_unref(&to);
	}
	idset_iter_fini(&it);
	idset_move(left, &again);
	return rc;
}

int
places_expand(struct places *p)
{
	struct idset left = IDSET_INIT;
	/* children of the base reached by one level do not lead further */
	bool once = p->base.scope == LDAP_SCOPE_ONE, more;
	int rc;

	store_special_copy(p->st, SPECIAL_ALIAS, &left);
	do {
		rc = expand_round(p, &left, &more);
	} while (rc == HB_OK && more && !once);
	idset_fini(&left);
	return rc;
}

/* ---- backwards ---- */

/* Aliases that are, or were, looked at on the way to one candidate. */
struct way {
	struct places *p;
	struct idset seen;
};

static int reached(struct way *w, const struct dn *dn, unsigned row,
    bool *has_r);

/*
 * An alias that names DN lies where the search looks. ROW: how many aliases of
 * aliases it is from the candidate.
 */
static int
named_by_alias(struct way *w, const struct dn *dn, unsigned row, bool *has_r)
{
	struct places *p = w->p;
	struct idset ids = IDSET_INIT;
	struct idset_iter it;
	struct entry *e = NULL;
	entry_id id;
	int rc = HB_OK;

	alias_map_get(p->st, dn->norm, &ids);
	idset_iter_init(&it, &ids, 0);
	while (rc == HB_OK && !*has_r && idset_iter_next(&it, &id)) {
		if (id == p->base.id || idset_has(&w->seen, id))
			continue;
		idset_add(&w->seen, id);
		rc = store_entry_by_id(p->st, NULL, id, true, &e);
		if (rc == HB_OK)
			rc = reached(w, &e->dn, row, has_r);
		else if (rc == HB_ENOTFOUND)
			rc = HB_OK;
		entry_unref(&e);
	}
	idset_iter_fini(&it);
	idset_fini(&ids);
	return rc;
}

static int
reached(struct way *w, const struct dn *dn, unsigned row, bool *has_r)
{
	struct dn at = *dn;
	int rc;

	if ((*has_r = root_has(&w->p->base, dn)))
		return HB_OK;
	rc = row > w->p->op->db->max_deref_depth ? HB_OK :
	    named_by_alias(w, dn, row + 1, has_r);
	if (far_scope(w->p) == LDAP_SCOPE_BASE)
		return rc;
	while (rc == HB_OK && !*has_r && !dn_is_empty(&at)) {
		at = dn_parent(&at);
		rc = named_by_alias(w, &at, 1, has_r);
	}
	return rc;
}

void
places_follow(struct places *p)
{
	p->follows = true;
}

int
places_has(struct places *p, const struct dn *dn, bool *has_r)
{
	struct way w = { p, IDSET_INIT };
	int rc;

	*has_r = is_known(p, dn);
	if (*has_r || !p->follows)
		return HB_OK;
	rc = reached(&w, dn, 0, has_r);
	idset_fini(&w.seen);
	return rc;
}
