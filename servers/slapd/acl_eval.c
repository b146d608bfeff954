/*
 * Decisions: which rule is for this entry, attribute and value, and what it
 * grants to the requester.
 */
#include "acl_int.h"
#include "conf.h"
#include "util/err.h"
#include "util/log.h"

/* What is granted when there is no rule at all. */
#define RIGHTS_DEFAULT	(ACCESS_DISCLOSE | ACCESS_AUTH | ACCESS_COMPARE | \
	ACCESS_SEARCH | ACCESS_READ)

#define SCRATCH_MAX	(16 << 20)

static const struct dn empty_dn = { { "", 0 }, { "", 0 } };

/* ---- what ---- */

static bool
attr_matches(const struct acl_attr *a, const struct attr_desc *desc)
{
	switch (a->kind) {
	case ACL_ATTR:
		return attr_desc_is_sub(desc, a->desc);
	case ACL_ATTR_CLASS:
		/* extensibleObject allows every attribute */
		return strcmp(a->oc->oid, "1.3.6.1.4.1.1466.101.120.111") ==
		    0 || object_class_allows(a->oc, desc->type);
	case ACL_ATTR_NOT_CLASS:
		return !object_class_allows(a->oc, desc->type);
	}
	return false;
}

static bool
attrs_match_slow(const struct acl_what *w, const struct attr_desc *desc)
{
	for (unsigned i = 0; i < w->nattrs; i++)
		if (attr_matches(&w->attrs[i], desc))
			return true;
	return false;
}

/* Types without options are answered by the bits that were made at start. */
static bool
attrs_match(const struct acl_what *w, const struct attr_desc *desc)
{
	if (w->attrs == NULL)
		return true;
	if (desc == &desc->type->desc && desc->id < w->nbits &&
	    (desc->type->flags & AT_UNDEFINED) == 0)
		return (w->attr_bits[desc->id / 64] >> desc->id % 64 & 1) != 0;
	return attrs_match_slow(w, desc);
}

/* For rules whose by-list may look at what $0 .. $9 are. */
static bool
what_dn_captures(struct acl_eval *ev, const struct acl_what *w)
{
	memset(&ev->m, 0, sizeof(ev->m));
	ev->m.dn[0] = ev->dn->norm;
	if (!w->has_dn)
		return true;
	if (w->regex != NULL)
		return acl_regex_match(w->regex, ev->dn->norm, ev->m.dn,
		    ACL_MATCHES);
	if (w->style != ACL_STYLE_EXACT)
		ev->m.dn[1] = w->dn.norm;
	return acl_dn_match(w->style, 0, ev->dn, &w->dn);
}

static bool
what_dn_matches(struct acl_eval *ev, const struct acl_rule *r)
{
	const struct acl_what *w = &r->what;

	if (!r->is_fixed)
		return what_dn_captures(ev, w);
	if (!w->has_dn)
		return true;
	return w->regex != NULL ?
	    acl_regex_match(w->regex, ev->dn->norm, NULL, 0) :
	    acl_dn_match(w->style, 0, ev->dn, &w->dn);
}

static bool
what_filter_matches(const struct acl_eval *ev, const struct acl_what *w)
{
	return w->filter == NULL || (ev->e != NULL && filter_eval(w->filter,
	    ev->op->schema, ev->e, NULL, NULL) == FILTER_TRUE);
}

/* Under a rule that is not the attribute's own. */
static bool
value_matches_rule(struct acl_eval *ev, const struct acl_what *w)
{
	const struct matching_rule *rule = w->value_rule;
	struct slice norm;

	if (rule->match != NULL)
		return rule->match(ev->op->schema, rule->kind & MR_STORED ?
		    ev->value : ev->vnorm, w->value);
	return schema_norm_assertion(ev->op->schema, &ev->scratch, rule,
	    SUBSTR_WHOLE, ev->value, &norm) == HB_OK &&
	    slice_is_eq(norm, w->value);
}

static bool
what_value_matches(struct acl_eval *ev, const struct acl_rule *r)
{
	const struct acl_what *w = &r->what;
	struct dn dn;

	if (!w->has_value)
		return true;
	if (slice_is_none(ev->value))
		return false;
	if (w->value_regex != NULL)
		return acl_regex_match(w->value_regex, ev->value,
		    r->is_fixed ? NULL : ev->m.value,
		    r->is_fixed ? 0 : ACL_MATCHES);
	if (slice_is_none(ev->vnorm) && schema_norm_value(ev->op->schema,
	    &ev->scratch, ev->desc, ev->value, &ev->vnorm) != HB_OK)
		return false;
	if (w->value_style == ACL_STYLE_EXACT)
		return w->value_rule == ev->desc->type->equality ?
		    slice_is_eq(ev->vnorm, w->value) :
		    value_matches_rule(ev, w);
	dn = (struct dn){ ev->value, ev->vnorm };
	return acl_dn_match(w->value_style, 0, &dn, &w->value_dn);
}

/* ---- rules ---- */

/* The by-list of R as one change of the rights so far, and where to go on. */
static void
run_by(struct acl_eval *ev, const struct acl_rule *r, struct acl_cached_by *out)
{
	out->known = true;
	out->keep = ~0u;
	out->add = 0;
	out->by = NULL;
	for (const struct acl_by *b = r->by; b != NULL; b = b->next) {
		if (!acl_by_matches(ev, b))
			continue;
		out->by = b;
		if (b->op == ACL_SET) {
			out->keep = 0;
			out->add = b->rights;
		} else if (b->op == ACL_ADD) {
			out->add |= b->rights;
		} else {
			out->keep &= ~b->rights;
			out->add &= ~b->rights;
		}
		out->control = b->control;
		if (b->control != ACL_CONTINUE)
			return;
	}
	/* every list ends with an unwritten "by * none stop" */
	out->by = NULL;
	out->keep = out->add = 0;
	out->control = ACL_STOP;
}

struct access_cache *
acl_cache(struct op *op)
{
	const struct access_rules *rules = op->db->rules;
	struct access_cache *c = op->access;

	if (c != NULL && c->rules == rules)
		return c;
	if ((c = arena_zalloc(op->arena, sizeof(*c))) == NULL)
		return NULL;
	c->rules = rules;
	if (rules != NULL && rules->n > 0 && (c->by = arena_zalloc(op->arena,
	    rules->n * sizeof(*c->by))) == NULL)
		return NULL;
	op->access = c;
	return c;
}

static bool
is_own_entry(const struct acl_eval *ev)
{
	const struct identity *who = ev->op->who;

	return dn_is_eq(ev->dn, &who->dn) || dn_is_eq(ev->dn, &who->real_dn);
}

/*
 * The outcome of rule I, taken from the cache where it is the same for all
 * entries.
 */
static void
outcome(struct acl_eval *ev, const struct access_rules *rules, unsigned i,
    struct acl_cached_by *out)
{
	const struct acl_rule *r = rules->v[i];
	struct access_cache *cache;

	if (!r->is_fixed || is_own_entry(ev) ||
	    (cache = acl_cache(ev->op)) == NULL) {
		run_by(ev, r, out);
		return;
	}
	if (!cache->by[i].known)
		run_by(ev, r, &cache->by[i]);
	*out = cache->by[i];
}

bool
acl_is_exempt(const struct op *op)
{
	return op->is_root || (op->flags & OP_INTERNAL) != 0;
}

static void
eval_init(struct acl_eval *ev, struct op *op, const struct entry *e)
{
	ev->op = op;
	ev->e = e;
	ev->dn = e != NULL ? &e->dn : &empty_dn;
	ev->desc = NULL;
	ev->value = ev->vnorm = SLICE_NONE;
	arena_init(&ev->scratch, SCRATCH_MAX);
}

void
acl_must_wait(struct op *op)
{
	struct access_cache *cache = acl_cache(op);

	if (cache != NULL)
		cache->must_wait = true;
}

static bool
must_wait(const struct op *op)
{
	return op->access != NULL && op->access->must_wait;
}

int
access_settle(struct op *op, int rc)
{
	if (!must_wait(op) || op->may_wait)
		return rc;
	op->access = NULL;
	return HB_EDEFER;
}

/* One rule had its say; tell who wants to know. */
static void
tell(const struct acl_watch *watch, const struct acl_rule *r,
    const struct acl_cached_by *o, unsigned rights)
{
	struct acl_step step = { r->file, r->line, r->text,
		o->by != NULL ? o->by->text : NULL, rights };

	watch->step(&step, watch->arg);
}

static unsigned
rights_of(struct acl_eval *ev, const struct access_rules *rules,
    const struct acl_watch *watch)
{
	struct acl_cached_by o;
	unsigned mask = 0;

	for (unsigned i = 0; i < rules->n; i++) {
		const struct acl_rule *r = rules->v[i];

		if (!(r->is_open && r->is_fixed) &&
		    (!attrs_match(&r->what, ev->desc) ||
		    !what_dn_matches(ev, r) ||
		    !what_filter_matches(ev, &r->what) ||
		    !what_value_matches(ev, r)))
			continue;
		outcome(ev, rules, i, &o);
		mask = (mask & o.keep) | o.add;
		if (watch != NULL)
			tell(watch, r, &o, mask);
		if (o.control == ACL_STOP)
			return must_wait(ev->op) ? 0 : mask;
	}
	/* no rule had the last word: nothing is granted */
	return 0;
}

bool
access_is_allowed(struct op *op, const struct entry *e,
    const struct attr_desc *desc, struct slice value, struct slice vnorm,
    unsigned right)
{
	const struct access_rules *rules;
	struct acl_eval ev;
	bool granted;

	if (acl_is_exempt(op))
		return true;
	rules = op->db->rules;
	if (rules == NULL || rules->n == 0)
		return (right & ~RIGHTS_DEFAULT) == 0;
	eval_init(&ev, op, e);
	ev.desc = desc;
	ev.value = value;
	ev.vnorm = vnorm;
	granted = (rights_of(&ev, rules, NULL) & right) == right;
	arena_fini(&ev.scratch);
	if (log_is_on(LOG_ACL))
		log_printf(LOG_ACL, "conn=%ju op=%u ACL right=0x%x on \"%.*s\" "
		    "attr=%.*s: %s", (uintmax_t)op->connid, op->opid, right,
		    SLICE_ARG(ev.dn->text), SLICE_ARG(desc->name),
		    granted ? "granted" : "denied");
	return granted;
}

unsigned
acl_explain(struct op *op, const struct entry *e, const struct attr_desc *desc,
    struct slice value, const struct acl_watch *watch)
{
	const struct access_rules *rules = op->db->rules;
	struct acl_eval ev;
	unsigned rights;

	if (acl_is_exempt(op))
		return RIGHTS_DEFAULT | ACCESS_WRITE | ACCESS_MANAGE;
	if (rules == NULL || rules->n == 0)
		return RIGHTS_DEFAULT;
	eval_init(&ev, op, e);
	ev.desc = desc;
	ev.value = value;
	rights = rights_of(&ev, rules, watch);
	arena_fini(&ev.scratch);
	return rights;
}

/* Does the attribute list of W concern anything of the entry that is shown? */
static bool
touches(const struct access_rules *rules, const struct acl_what *w,
    const struct entry *e)
{
	struct entry_attr a;

	for (unsigned i = 0; i < sizeof(rules->computed) /
	    sizeof(*rules->computed); i++)
		if (attrs_match(w, rules->computed[i]))
			return true;
	for (unsigned i = 0; e != NULL && i < entry_nattrs(e); i++) {
		entry_attr_at(e, i, &a);
		if (attrs_match(w, a.desc))
			return true;
	}
	return false;
}

/*
 * Walk the rules once for all attributes. ACCESS_SOME is always a safe answer:
 * the caller then asks one by one.
 */
static enum access_verdict
scan(struct acl_eval *ev, const struct access_rules *rules, unsigned right)
{
	/* the entry itself is granted already */
	bool has_entry = false;
	struct acl_cached_by o;

	for (unsigned i = 0; i < rules->n; i++) {
		const struct acl_rule *r = rules->v[i];
		const struct acl_what *w = &r->what;
		bool on_entry = attrs_match(w, rules->entry), granted;

		if (!what_dn_matches(ev, r) || (w->attrs != NULL &&
		    !on_entry && !touches(rules, w, ev->e)) ||
		    !what_filter_matches(ev, w))
			continue;
		if (r->per_value)
			return ACCESS_SOME;
		outcome(ev, rules, i, &o);
		if (o.control != ACL_STOP)
			return ACCESS_SOME;
		granted = (o.add & right) == right;
		if (w->attrs == NULL)
			return granted ? ACCESS_EVERYTHING :
			    has_entry ? ACCESS_SOME : ACCESS_NOTHING;
		if (!granted)
			return on_entry && !has_entry ? ACCESS_NOTHING :
			    ACCESS_SOME;
		has_entry = has_entry || on_entry;
	}
	return has_entry ? ACCESS_SOME : ACCESS_NOTHING;
}

enum access_verdict
access_scan(struct op *op, const struct entry *e, unsigned right)
{
	const struct access_rules *rules = op->db->rules;
	enum access_verdict verdict;
	struct acl_eval ev;

	if (acl_is_exempt(op))
		return ACCESS_EVERYTHING;
	if (rules == NULL || rules->n == 0)
		return (right & ~RIGHTS_DEFAULT) == 0 ? ACCESS_EVERYTHING :
		    ACCESS_NOTHING;
	eval_init(&ev, op, e);
	verdict = scan(&ev, rules, right);
	arena_fini(&ev.scratch);
	return must_wait(op) ? ACCESS_NOTHING : verdict;
}

bool
access_is_per_value(const struct op *op)
{
	return !acl_is_exempt(op) && op->db->rules != NULL &&
	    op->db->rules->per_value;
}

bool
access_filter(void *arg, const struct entry *e, const struct attr_desc *desc)
{
	return access_is_allowed(arg, e, desc, SLICE_NONE, SLICE_NONE,
	    ACCESS_SEARCH);
}

const struct attr_desc *
access_entry_desc(const struct op *op)
{
	return op->db->rules != NULL ? op->db->rules->entry :
	    schema_builtin(op->schema, "entry");
}

const struct attr_desc *
access_children_desc(const struct op *op)
{
	return op->db->rules != NULL ? op->db->rules->children :
	    schema_builtin(op->schema, "children");
}

int
access_refuse(struct op *op, const struct entry *e)
{
	return access_is_allowed(op, e, access_entry_desc(op), SLICE_NONE,
	    SLICE_NONE, ACCESS_DISCLOSE) ? HB_EACCESS : HB_ENOENT;
}

int
access_hide(struct op *op, const struct entry *e, int rc)
{
	return rc == HB_ENOSUCHATTR && access_refuse(op, e) == HB_ENOENT ?
	    HB_ENOENT : rc;
}

/* ---- making ---- */

struct bits_arg {
	struct acl_what *what;
};

static void
set_bit(const struct attr_type *at, void *arg)
{
	struct acl_what *w = ((struct bits_arg *)arg)->what;
	uint32_t id = at->desc.id;

	if (id < w->nbits && attrs_match_slow(w, &at->desc))
		w->attr_bits[id / 64] |= (uint64_t)1 << id % 64;
}

static void
make_bits(struct arena *arena, const struct schema *schema,
    struct acl_what *w)
{
	struct bits_arg arg = { w };

	if (w->attrs == NULL || w->attr_bits != NULL)
		return;
	w->nbits = schema_desc_count(schema);
	w->attr_bits = arena_calloc(arena, w->nbits / 64 + 1,
	    sizeof(*w->attr_bits));
	memset(w->attr_bits, 0, (w->nbits / 64 + 1) * sizeof(*w->attr_bits));
	schema_each_type(schema, set_bit, &arg);
}

static void
append(struct access_rules *rules, struct arena *arena, struct acl_list *list)
{
	for (struct acl_rule *r = list != NULL ? list->first : NULL; r != NULL;
	    r = r->next) {
		make_bits(arena, rules->conf->schema, &r->what);
		rules->per_value = rules->per_value || r->per_value;
		rules->v[rules->n++] = r;
	}
}

struct access_rules *
access_rules_new(struct arena *arena, const struct slapd_conf *conf,
    struct acl_list *own, struct acl_list *global)
{
	struct access_rules *rules = arena_zalloc(arena, sizeof(*rules));
	unsigned n = (own != NULL ? own->n : 0) +
	    (global != NULL ? global->n : 0);

	rules->conf = conf;
	rules->v = arena_calloc(arena, n + 1, sizeof(*rules->v));
	append(rules, arena, own);
	rules->nown = rules->n;
	append(rules, arena, global);
	rules->entry = schema_builtin(conf->schema, "entry");
	rules->children = schema_builtin(conf->schema, "children");
	rules->computed[0] = schema_builtin(conf->schema, "entryDN");
	rules->computed[1] = schema_builtin(conf->schema, "subschemaSubentry");
	rules->computed[2] = schema_builtin(conf->schema, "hasSubordinates");
	return rules;
}
