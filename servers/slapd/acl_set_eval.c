/*
 * What a set expression yields for a requester and an entry. Elements are
 * texts: names and values in normal form, literals as they were written.
 */
#include "acl_set.h"
#include "conf.h"
#include "route.h"
#include "util/err.h"
#include "util/hash.h"
#include "util/log.h"

enum {
	SMALL = 12,			/* elements without an index */
	LOOKUPS_MAX = 100000,		/* entries read for one answer */
	MEMORY_MAX = 64 << 20
};

struct set {
	struct slice *v;
	unsigned n, cap;
	uint32_t *slots;		/* 1 + element by hash; NULL: small */
	unsigned mask;
};

struct eval {
	struct acl_eval *ev;
	struct arena *arena;
	unsigned lookups;
	int rc;				/* the first error */
};

/* What a step gathers, from one element or from the entries of an URL. */
struct gather {
	struct eval *s;
	const struct acl_set *step;
	const struct acl_url *url;
	struct set *out;
};

/* ---- sets ---- */

static unsigned
slot_of(const struct set *set, struct slice text)
{
	unsigned i = (unsigned)hash_slice(text) & set->mask;

	while (set->slots[i] != 0 &&
	    !slice_is_eq(set->v[set->slots[i] - 1], text))
		i = (i + 1) & set->mask;
	return i;
}

static bool
set_has(const struct set *set, struct slice text)
{
	if (set->slots != NULL)
		return set->slots[slot_of(set, text)] != 0;
	for (unsigned i = 0; i < set->n; i++)
		if (slice_is_eq(set->v[i], text))
			return true;
	return false;
}

static bool
grow(struct eval *s, struct set *set)
{
	unsigned cap = set->cap == 0 ? SMALL : set->cap * 4;
	struct slice *v = arena_calloc(s->arena, cap, sizeof(*v));

	if (v != NULL && set->n > 0)
		memcpy(v, set->v, set->n * sizeof(*v));
	if (v != NULL && cap > SMALL) {
		set->slots = arena_calloc(s->arena, cap * 2,
		    sizeof(*set->slots));
		set->mask = cap * 2 - 1;
	}
	if (v == NULL || (cap > SMALL && set->slots == NULL)) {
		s->rc = HB_ELIMIT;
		return false;
	}
	set->v = v;
	set->cap = cap;
	if (set->slots == NULL)
		return true;
	memset(set->slots, 0, (size_t)cap * 2 * sizeof(*set->slots));
	for (unsigned i = 0; i < set->n; i++)
		set->slots[slot_of(set, v[i])] = i + 1;
	return true;
}

static void
set_add(struct eval *s, struct set *set, struct slice text)
{
	if (text.ptr == NULL) {
		s->rc = HB_ELIMIT;
		return;
	}
	if (set_has(set, text) ||
	    (set->n == set->cap && !grow(s, set)))
		return;
	set->v[set->n++] = text;
	if (set->slots != NULL)
		set->slots[slot_of(set, text)] = set->n;
}

/* ---- steps ---- */

/* Rules whose normal forms are what people write. */
static bool
is_textual(const struct matching_rule *rule)
{
	static const char *const prefixes[] = {
		"caseIgnore", "caseExact", "distinguishedName", "uniqueMember",
		"numericString", "telephoneNumber"
	};

	for (size_t i = 0; rule != NULL && rule->name != NULL &&
	    i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (strncmp(rule->name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

/* Values of DESC and its subtypes in E; bytes are copied, E goes away. */
static void
add_values(struct gather *g, const struct entry *e,
    const struct attr_desc *desc)
{
	struct eval *s = g->s;
	struct slice value, norm;
	struct entry_attr a;

	for (unsigned i = 0; i < entry_nattrs(e) && s->rc == HB_OK; i++) {
		entry_attr_at(e, i, &a);
		if (!attr_desc_is_sub(a.desc, desc))
			continue;
		while (entry_value_next(&a, &value, &norm))
			set_add(s, g->out, arena_slice(s->arena,
			    is_textual(a.desc->type->equality) ? norm :
			    value));
	}
}

static int
add_found(struct op *op, struct entry *e, void *arg)
{
	struct gather *g = arg;

	(void)op;
	if (g->url->scope == ACL_STYLE_CHILDREN &&
	    dn_is_eq(&e->dn, &g->url->base))
		return HB_OK;
	if (++g->s->lookups > LOOKUPS_MAX)
		return HB_ELIMIT;
	for (unsigned i = 0; i < g->url->nattrs; i++)
		add_values(g, e, g->url->attrs[i]);
	if (g->step->is_name)
		set_add(g->s, g->out, arena_slice(g->s->arena, e->dn.norm));
	else
		add_values(g, e, g->step->attr);
	return g->s->rc;
}

static struct be_db *
db_of(const struct op *op, const struct dn *dn)
{
	return route_find(slapd_db_conf(op->db)->conf, dn);
}

static void
gather_url(struct gather *g, struct slice text)
{
	struct op *op = g->s->ev->op;
	struct acl_url url;
	struct be_db *db;
	int rc;

	/* what is no URL has no values */
	if (acl_url_parse(g->s->arena, op->schema, text, &url, NULL) !=
	    HB_OK || (db = db_of(op, &url.base)) == NULL)
		return;
	g->url = &url;
	rc = op_inner_search(op, db, g->s->arena, &url.base,
	    url.scope == ACL_STYLE_EXACT ? LDAP_SCOPE_BASE :
	    url.scope == ACL_STYLE_ONE ? LDAP_SCOPE_ONE : LDAP_SCOPE_SUB,
	    url.filter, add_found, g);
	if (rc != HB_OK && rc != HB_ENOENT)
		g->s->rc = rc;
}

static void
gather_entry(struct gather *g, const struct dn *dn)
{
	struct acl_eval *ev = g->s->ev;
	struct be_db *db;
	struct entry *e = NULL;
	int rc;

	if (ev->e != NULL && dn_is_eq(dn, ev->dn)) {
		add_values(g, ev->e, g->step->attr);
		return;
	}
	if ((db = db_of(ev->op, dn)) == NULL || db->be->entry_get == NULL)
		return;
	rc = db->be->entry_get(db, ev->op, dn, &e);
	if (rc == HB_OK)
		add_values(g, e, g->step->attr);
	else if (rc != HB_ENOENT)
		g->s->rc = rc;
	entry_unref(&e);
}

static void
gather(struct gather *g, struct slice text)
{
	struct eval *s = g->s;
	struct dn dn;

	if (++s->lookups > LOOKUPS_MAX) {
		s->rc = HB_ELIMIT;
	} else if (acl_is_url(text)) {
		gather_url(g, text);
	} else if (dn_parse(s->arena, s->ev->op->schema, text, &dn, NULL) !=
	    HB_OK || dn_is_empty(&dn)) {
		return;
	} else if (g->step->is_name) {
		set_add(s, g->out, dn.norm);
	} else {
		gather_entry(g, &dn);
	}
}

static void
follow(struct eval *s, const struct acl_set *step, const struct set *in,
    struct set *out)
{
	struct gather g = { s, step, NULL, out };

	for (unsigned i = 0; i < in->n && s->rc == HB_OK; i++)
		gather(&g, in->v[i]);
	/* the set grows while it is walked: until nothing new is found */
	for (unsigned i = 0; step->closure && i < out->n && s->rc == HB_OK;
	    i++)
		gather(&g, out->v[i]);
}

static void
climb(struct eval *s, const struct acl_set *step, const struct set *in,
    struct set *out)
{
	struct dn dn;

	for (unsigned i = 0; i < in->n && s->rc == HB_OK; i++) {
		if (dn_parse(s->arena, s->ev->op->schema, in->v[i], &dn,
		    NULL) != HB_OK)
			continue;
		for (unsigned n = step->level; n > 0 && !dn_is_empty(&dn); n--)
			dn = dn_parent(&dn);
		if (!step->closure) {
			if (!dn_is_empty(&dn))
				set_add(s, out, dn.norm);
			continue;
		}
		for (; !dn_is_empty(&dn); dn = dn_parent(&dn))
			set_add(s, out, dn.norm);
	}
}

/* ---- operators ---- */

static void
join(struct eval *s, enum acl_set_kind kind, const struct set *a,
    const struct set *b, struct set *out)
{
	struct slice text;

	switch (kind) {
	case ACL_SET_AND:
		for (unsigned i = 0; i < a->n; i++)
			if (set_has(b, a->v[i]))
				set_add(s, out, a->v[i]);
		break;
	case ACL_SET_OR:
		*out = *a;
		for (unsigned i = 0; i < b->n && s->rc == HB_OK; i++)
			set_add(s, out, b->v[i]);
		break;
	default:			/* + : every pair */
		for (unsigned i = 0; i < a->n; i++)
			for (unsigned k = 0; k < b->n && s->rc == HB_OK; k++) {
				text = arena_printf(s->arena, "%.*s%.*s",
				    SLICE_ARG(a->v[i]), SLICE_ARG(b->v[k]));
				set_add(s, out, text);
			}
	}
}

static void
literal(struct eval *s, const struct acl_set *n, struct set *out)
{
	char *text;

	if (!n->has_submatch) {
		set_add(s, out, n->text);
		return;
	}
	text = acl_expand(s->arena, n->text.ptr, &s->ev->m, false);
	set_add(s, out, text != NULL ? slice_of(text) : SLICE_NONE);
}

static void
eval_set(struct eval *s, const struct acl_set *n, struct set *out)
{
	const struct dn *who = &s->ev->op->who->dn;
	struct set left = { 0 }, right = { 0 };

	memset(out, 0, sizeof(*out));
	switch (n->kind) {
	case ACL_SET_THIS:
		set_add(s, out, s->ev->dn->norm);
		return;
	case ACL_SET_USER:
		if (!dn_is_empty(who))
			set_add(s, out, who->norm);
		return;
	case ACL_SET_TEXT:
		literal(s, n, out);
		return;
	default:
		break;
	}
	eval_set(s, n->left, &left);
	if (n->right != NULL && s->rc == HB_OK)
		eval_set(s, n->right, &right);
	if (s->rc != HB_OK)
		return;
	if (n->kind == ACL_SET_STEP)
		follow(s, n, &left, out);
	else if (n->kind == ACL_SET_PARENT)
		climb(s, n, &left, out);
	else
		join(s, n->kind, &left, &right, out);
}

bool
acl_set_holds(struct acl_eval *ev, const struct acl_set *set)
{
	struct arena arena;
	struct eval s = { ev, &arena, 0, HB_OK };
	struct set result;

	arena_init(&arena, MEMORY_MAX);
	eval_set(&s, set, &result);
	arena_fini(&arena);
	if (s.rc == HB_EDEFER) {
		acl_must_wait(ev->op);
		return false;
	}
	if (s.rc != HB_OK && s.rc != HB_EABANDONED) {
		log_printf(LOG_ANY, "conn=%ju op=%u access: a set gives no "
		    "access: %s", (uintmax_t)ev->op->connid, ev->op->opid,
		    hb_strerror(s.rc));
		return false;
	}
	return s.rc == HB_OK && result.n > 0;
}
