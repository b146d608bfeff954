/*
 * Candidates of a filter. A set is held as what it has or as what it leaves
 * out, so that NOT costs nothing, and is exact or merely large enough.
 *
 * "Exact" is meant in two-valued logic. That suffices: what is True in the
 * filter's three-valued logic is True as well if every Undefined item is
 * taken for False or for True, so a set that is exact in this sense holds
 * all that match, also below a NOT.
 */
#include <stdlib.h>
#include <string.h>

#include "backends/store/index_int.h"
#include "util/log.h"
#include "util/text.h"

/* An AND with so few left is not worth reading another set. */
#define FEW		16
/* Testing the filter on an entry costs about as much as reading so many IDs. */
#define IDS_AN_ENTRY	256
#define WORTH_ESTIMATING 64	/* children of an OR */

struct cand {
	struct idset ids;
	bool without;			/* all but these */
	bool exact;
};

struct plan {
	struct store *st;
	struct op *op;
	struct store_txn *txn;		/* op is the writer's; NULL */
	bool may_read;
	struct plan_gap *gap;
};

#define CAND_INIT	{ .ids = IDSET_INIT, .without = false, .exact = false }

static int plan_filter(struct plan *, const struct filter *, struct cand *);

static void
cand_all(struct cand *c, bool exact)
{
	idset_fini(&c->ids);
	c->without = true;
	c->exact = exact;
}

static void
cand_none(struct cand *c)
{
	idset_fini(&c->ids);
	c->without = false;
	c->exact = true;
}

static bool
cand_is_all(const struct cand *c)
{
	return c->without && idset_is_empty(&c->ids);
}

static void
cand_and(struct cand *c, struct cand *with)
{
	struct idset t = IDSET_INIT;

	if (!with->without && c->without) {
		idset_move(&t, &c->ids);
		idset_move(&c->ids, &with->ids);
		idset_and_not(&c->ids, &t);
		idset_fini(&t);
		c->without = false;
	} else if (!with->without)
		idset_and(&c->ids, &with->ids);
	else if (!c->without)
		idset_and_not(&c->ids, &with->ids);
	else
		idset_or(&c->ids, &with->ids);
	c->exact = c->exact && with->exact;
}

static void
cand_or(struct cand *c, struct cand *with)
{
	struct idset t = IDSET_INIT;

	if (!with->without && !c->without)
		idset_or(&c->ids, &with->ids);
	else if (!with->without)
		idset_and_not(&c->ids, &with->ids);
	else if (!c->without) {
		idset_move(&t, &c->ids);
		idset_move(&c->ids, &with->ids);
		idset_and_not(&c->ids, &t);
		idset_fini(&t);
		c->without = true;
	} else
		idset_and(&c->ids, &with->ids);
	c->exact = c->exact && with->exact;
}

/* ---- what is not indexed ---- */

/* At most once a minute and attribute. */
static void
tell_not_indexed(struct plan *p, const struct attr_desc *desc,
    const char *what)
{
	struct index_set *set = p->st->indexes;
	int64_t now = time_mono_us() / 1000000 + 61, last;
	atomic_int_least64_t *seen;

	if (set == NULL || !log_is_on(LOG_ANY))
		return;
	seen = &set->seen[desc->id % INDEX_SEEN];
	last = atomic_load(seen);
	if (now - last < 60 || !atomic_compare_exchange_strong(seen, &last,
	    now))
		return;
	/* "bdb" for both layouts: scripts look for this line */
	log_printf(LOG_ANY, "<= bdb_%s_candidates: (%.*s) not indexed",
	    what, SLICE_ARG(desc->name));
}

static int
not_indexed(struct plan *p, const struct filter *f, const char *what,
    unsigned kind, struct cand *c)
{
	if (p->gap->desc == NULL)
		*p->gap = (struct plan_gap){ f->desc, kind };
	tell_not_indexed(p, f->desc, what);
	cand_all(c, false);
	return HB_OK;
}

/* ---- items ---- */

static bool
is_type(const struct plan *p, const struct attr_desc *desc,
    const char *name)
{
	return desc->type == schema_builtin(p->st->schema, name)->type;
}

static int
plan_entry_dn(struct plan *p, const struct filter *f, struct cand *c)
{
	struct dn dn = { f->value, f->value };
	entry_id id;
	int rc;

	cand_none(c);
	rc = store_id_by_dn(p->st, p->txn, &dn, p->may_read, &id);
	if (rc == HB_OK)
		idset_add(&c->ids, id);
	return rc == HB_ENOTFOUND || rc == HB_ENOENT ? HB_OK : rc;
}

/*
 * The index and the key value for an equality item; NULL if there is none.
 * The filter's rule must be the one that made the index.
 */
static const struct index *
equality_index(const struct plan *p, const struct filter *f,
    struct buf *scratch, struct slice *value_r)
{
	const struct attr_type *type = f->desc->type;
	const struct matching_rule *rule = f->rule;
	const struct index *ix;

	if (rule == NULL || type->equality == NULL ||
	    (rule->match != NULL && rule->order_key == NULL) ||
	    rule->normalise != type->equality->normalise ||
	    (ix = index_find(p->st, f->desc, INDEX_EQ)) == NULL)
		return NULL;
	*value_r = index_eq_value(type, f->value, scratch);
	return ix;
}

static int
plan_equality(struct plan *p, const struct filter *f, struct cand *c)
{
	const struct index *ix;
	struct buf scratch;
	struct slice value;
	int rc;

	if (is_type(p, f->desc, "entryDN"))
		return plan_entry_dn(p, f, c);
	buf_init(&scratch);
	ix = equality_index(p, f, &scratch, &value);
	if (ix == NULL)
		rc = not_indexed(p, f, "equality", INDEX_EQ, c);
	else {
		c->without = false;
		c->exact = ix->desc == f->desc && f->rule->match == NULL;
		rc = index_read(p->st, p->txn, ix, INDEX_EQ, value,
		    p->may_read, &c->ids);
	}
	buf_fini(&scratch);
	return rc;
}

static int
plan_present(struct plan *p, const struct filter *f, struct cand *c)
{
	const struct index *ix;

	if (is_type(p, f->desc, "objectClass")) {
		cand_all(c, true);
		return HB_OK;
	}
	/* what the server computes is not in the index */
	if (f->desc->type->usage != USAGE_USER &&
	    index_find(p->st, f->desc, INDEX_PRES) == NULL) {
		cand_all(c, false);
		return HB_OK;
	}
	if ((ix = index_find(p->st, f->desc, INDEX_PRES)) == NULL)
		return not_indexed(p, f, "presence", INDEX_PRES, c);
	c->without = false;
	c->exact = ix->desc == f->desc;
	return index_read(p->st, p->txn, ix, INDEX_PRES, SLICE(""),
	    p->may_read, &c->ids);
}

static int
plan_range(struct plan *p, const struct filter *f, struct cand *c)
{
	const struct attr_type *type = f->desc->type;
	const struct index *ix;
	struct index_key from, to;
	struct buf scratch;
	struct slice value;
	int rc;

	if (f->rule == NULL || f->rule->match != NULL ||
	    !index_type_is_ordered(type) ||
	    f->rule->normalise != type->equality->normalise ||
	    (ix = index_find(p->st, f->desc, INDEX_EQ)) == NULL)
		return not_indexed(p, f, "inequality", INDEX_EQ, c);
	if (!p->may_read)
		return HB_EDEFER;
	buf_init(&scratch);
	value = index_eq_value(type, f->value, &scratch);
	c->without = false;
	c->exact = ix->desc == f->desc && value.len <= INDEX_VALUE_MAX;
	if (f->type == FILTER_GE) {
		if (value.len <= INDEX_VALUE_MAX)
			index_key_make(&from, INDEX_EQ, value);
		else
			index_key_prefix(&from, INDEX_EQ, value);
		rc = index_read_range(p->st, p->txn, ix, &from, NULL, &c->ids);
	} else {
		index_key_prefix(&from, INDEX_EQ, SLICE(""));
		if (value.len <= INDEX_VALUE_MAX)
			index_key_make(&to, INDEX_EQ, value);
		else
			index_key_prefix(&to, INDEX_EQ, value);
		rc = index_read_range(p->st, p->txn, ix, &from, &to, &c->ids);
	}
	buf_fini(&scratch);
	return rc;
}

static int
plan_approx(struct plan *p, const struct filter *f, struct cand *c)
{
	struct cand one = CAND_INIT;
	const struct index *ix;
	struct slice rest = f->value;
	struct index_sound sound;
	int rc = HB_OK;

	if (f->rule == NULL || f->rule != f->desc->type->approx)
		return plan_equality(p, f, c);
	if ((ix = index_find(p->st, f->desc, INDEX_APPROX)) == NULL)
		return not_indexed(p, f, "approx", INDEX_APPROX, c);
	cand_all(c, false);
	while (rc == HB_OK && index_next_sound(&rest, &sound)) {
		if (sound.is_initial)
			continue;
		one.without = one.exact = false;
		rc = index_read(p->st, p->txn, ix, INDEX_APPROX, slice(sound.v,
		    sound.len), p->may_read, &one.ids);
		if (rc == HB_OK)
			cand_and(c, &one);
	}
	idset_fini(&one.ids);
	return rc;
}

/* ---- substrings (index_key.c says how they are indexed) ---- */

struct grams {
	struct plan *p;
	const struct index *ix;
	struct cand *c;
	const struct index_key *last;
	int rc;
	bool first, final;		/* the piece touches begin, end */
	unsigned i, n;			/* n-gram I of N of the marked piece */
};

static bool
is_few(const struct cand *c)
{
	return !c->without && idset_count(&c->ids) <= FEW;
}

static void
read_gram(const struct index_key *key, void *arg)
{
	struct grams *g = arg;
	struct cand one = CAND_INIT;
	unsigned i = g->i++;

	/* marks that the piece does not have */
	if ((i == 0 && !g->first) || (i == g->n - 1 && !g->final))
		return;
	if (g->rc != HB_OK || is_few(g->c))
		return;
	g->rc = index_read_key(g->p->st, g->p->txn, g->ix, key,
	    g->p->may_read, &one.ids);
	if (g->rc == HB_OK)
		cand_and(g->c, &one);
	idset_fini(&one.ids);
}

/*
 * Without blanks at its inner ends, which a value may have or not (RFC 4518
 * 2.6.1): what is left must be there in any case.
 */
static struct slice
trim(struct slice s, bool first, bool final)
{
	while (!first && s.len > 0 && s.ptr[0] == ' ')
		s = slice_skip(s, 1);
	while (!final && s.len > 0 && s.ptr[s.len - 1] == ' ')
		s.len--;
	return s;
}

/* Pieces of two octets (with a mark: one) are the beginning of n-grams. */
static int
read_short(struct plan *p, const struct index *ix, struct slice beginning,
    struct cand *c)
{
	struct cand one = CAND_INIT;
	struct index_key key;
	int rc;

	if (!p->may_read)
		return HB_EDEFER;
	index_key_prefix(&key, INDEX_SUB, beginning);
	rc = index_read_range(p->st, p->txn, ix, &key, &key, &one.ids);
	if (rc == HB_OK)
		cand_and(c, &one);
	idset_fini(&one.ids);
	return rc;
}

static int
plan_piece(struct plan *p, const struct index *ix, struct slice piece,
    bool first, bool final, struct cand *c)
{
	struct grams g = { .p = p, .ix = ix, .c = c, .first = first,
	    .final = final };
	char begin[2] = { INDEX_MARK_BEGIN, 0 };

	piece = trim(piece, first, final);
	if (piece.len == 0 || is_few(c))
		return HB_OK;
	if (piece.len == 1) {
		begin[1] = piece.ptr[0];
		return first ? read_short(p, ix, slice(begin, 2), c) : HB_OK;
	}
	if (piece.len == 2 && !first && !final)
		return read_short(p, ix, piece, c);
	g.n = (unsigned)piece.len;
	index_grams(piece, read_gram, &g);
	return g.rc;
}

static int
plan_grams(struct plan *p, const struct index *ix, const struct filter *f,
    struct cand *c)
{
	int rc = HB_OK;

	if (!slice_is_none(f->initial))
		rc = plan_piece(p, ix, f->initial, true, false, c);
	if (rc == HB_OK && !slice_is_none(f->final))
		rc = plan_piece(p, ix, f->final, false, true, c);
	for (unsigned i = 0; i < f->nany && rc == HB_OK; i++)
		rc = plan_piece(p, ix, f->any[i], false, false, c);
	return rc;
}

/* Values that begin with the initial piece: a range of the equality index. */
static int
plan_initial(struct plan *p, const struct index *ix, const struct filter *f,
    struct cand *c)
{
	struct slice piece = trim(f->initial, true, false);
	struct index_key key;

	if (!p->may_read)
		return HB_EDEFER;
	index_key_prefix(&key, INDEX_EQ, piece);
	c->without = false;
	c->exact = ix->desc == f->desc && f->nany == 0 &&
	    slice_is_none(f->final) && piece.len <= INDEX_VALUE_MAX &&
	    piece.len == f->initial.len;
	return index_read_range(p->st, p->txn, ix, &key, &key, &c->ids);
}

static int
plan_substrings(struct plan *p, const struct filter *f, struct cand *c)
{
	const struct attr_type *type = f->desc->type;
	const struct index *eq = NULL, *sub = NULL;
	int rc = HB_OK;

	if (f->rule != NULL && f->rule->match == NULL) {
		if (!slice_is_none(f->initial) && trim(f->initial, true,
		    false).len > 0 && index_type_is_plain(type))
			eq = index_find(p->st, f->desc, INDEX_EQ);
		if (type->equality == NULL || type->substr == NULL ||
		    type->equality->normalise == type->substr->normalise)
			sub = index_find(p->st, f->desc, INDEX_SUB);
	}
	if (eq == NULL && sub == NULL)
		return not_indexed(p, f, "substring", INDEX_SUB, c);
	cand_all(c, false);
	/* a short beginning has many keys: n-grams first if more pieces follow */
	if (eq != NULL && (sub == NULL || (f->nany == 0 &&
	    slice_is_none(f->final)) || f->initial.len >= INDEX_GRAM))
		rc = plan_initial(p, eq, f, c);
	if (rc == HB_OK && sub != NULL && !c->exact)
		rc = plan_grams(p, sub, f, c);
	return rc;
}

/* ---- estimates ---- */

struct guess {
	uint64_t n;			/* about how many entries */
	uint64_t cost;			/* about how many IDs are read for it */
	bool whole;			/* the candidates are known already */
};

static int estimate(struct plan *, const struct filter *, struct cand *,
    struct guess *);

static int
estimate_equality(struct plan *p, const struct filter *f, struct cand *c,
    struct guess *g)
{
	const struct index *ix;
	struct buf scratch;
	struct slice value;
	int rc = HB_OK;

	if (is_type(p, f->desc, "entryDN")) {
		*g = (struct guess){ 1, 1, false };
		return HB_OK;
	}
	buf_init(&scratch);
	if ((ix = equality_index(p, f, &scratch, &value)) != NULL) {
		c->without = false;
		c->exact = ix->desc == f->desc && f->rule->match == NULL;
		rc = index_probe(p->st, p->txn, ix, INDEX_EQ, value,
		    p->may_read, &c->ids, &g->whole, &g->n);
		g->cost = g->whole ? 0 : g->n;
	}
	buf_fini(&scratch);
	return rc;
}

static uint64_t
plus(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/* Of children together: OR adds up, AND is its smallest. */
static int
estimate_children(struct plan *p, const struct filter *f, struct guess *g)
{
	struct cand one = CAND_INIT;
	struct guess k;
	int rc = HB_OK;

	if (f->nchildren > WORTH_ESTIMATING) {
		/* looking up a key is about as dear as testing an entry */
		g->cost = (uint64_t)f->nchildren * IDS_AN_ENTRY;
		return HB_OK;
	}
	g->n = f->type == FILTER_OR ? 0 : UINT64_MAX;
	for (const struct filter *ch = f->first; ch != NULL && rc == HB_OK;
	    ch = ch->next) {
		rc = estimate(p, ch, &one, &k);
		idset_fini(&one.ids);
		g->cost = plus(g->cost, k.cost);
		if (f->type == FILTER_OR)
			g->n = plus(g->n, k.n);
		else if (k.n < g->n)
			g->n = k.n;
	}
	return rc;
}

static int
estimate(struct plan *p, const struct filter *f, struct cand *c,
    struct guess *g)
{
	uint64_t all = atomic_load(&p->st->next_id);
	int rc = HB_OK;

	*g = (struct guess){ UINT64_MAX, 0, false };
	switch (f->type) {
	case FILTER_EQUALITY:
		return estimate_equality(p, f, c, g);
	case FILTER_CONSTANT:
		if (f->truth != FILTER_TRUE)
			g->n = 0;
		return HB_OK;
	case FILTER_SUBSTRINGS:
	case FILTER_APPROX:
		g->n = g->cost = all / 64;
		return HB_OK;
	case FILTER_GE:
	case FILTER_LE:
		g->n = g->cost = all / 4;
		return HB_OK;
	case FILTER_PRESENT:
		g->n = g->cost = all / 2;
		return HB_OK;
	case FILTER_AND:
	case FILTER_OR:
		return estimate_children(p, f, g);
	case FILTER_NOT:
		rc = estimate(p, f->first, c, g);
		idset_fini(&c->ids);
		g->n = UINT64_MAX - 1;	/* better than surely everything */
		g->whole = false;
		return rc;
	case FILTER_EXTENSIBLE:
		return HB_OK;
	}
	return HB_OK;
}

/* ---- AND, OR, NOT ---- */

struct child {
	const struct filter *f;
	struct cand c;
	struct guess g;
};

static int
cmp_children(const void *a, const void *b)
{
	const struct child *x = a, *y = b;

	return x->g.n < y->g.n ? -1 : x->g.n > y->g.n;
}

/* Is it cheaper to test the filter on what is left than to read more? */
static bool
is_enough(const struct cand *c, const struct guess *g)
{
	uint64_t left;

	if (c->without)
		return false;
	left = idset_count(&c->ids);
	return left <= FEW || g->cost / IDS_AN_ENTRY > left;
}

static int
plan_and(struct plan *p, const struct filter *f, struct cand *c)
{
	struct child *v = arena_calloc(p->op->arena, f->nchildren + 1,
	    sizeof(*v));
	unsigned n = 0, i;
	int rc = HB_OK;

	if (v == NULL)
		return HB_ELIMIT;
	for (const struct filter *k = f->first; k != NULL && rc == HB_OK;
	    k = k->next) {
		struct child *ch = &v[n++];

		ch->f = k;
		ch->c = (struct cand)CAND_INIT;
		rc = estimate(p, k, &ch->c, &ch->g);
	}
	qsort(v, n, sizeof(*v), cmp_children);
	cand_all(c, true);
	for (i = 0; i < n && rc == HB_OK; i++) {
		if (is_enough(c, &v[i].g)) {
			c->exact = idset_is_empty(&c->ids) && c->exact;
			break;
		}
		if (!v[i].g.whole)
			rc = plan_filter(p, v[i].f, &v[i].c);
		if (rc == HB_OK)
			cand_and(c, &v[i].c);
	}
	for (i = 0; i < n; i++)
		idset_fini(&v[i].c.ids);
	return rc;
}

static int
plan_or(struct plan *p, const struct filter *f, struct cand *c)
{
	struct cand one = CAND_INIT;
	int rc = HB_OK;

	cand_none(c);
	for (const struct filter *k = f->first; k != NULL && rc == HB_OK &&
	    !cand_is_all(c); k = k->next) {
		if (op_is_stopped(p->op)) {
			rc = HB_EABANDONED;
			break;
		}
		rc = plan_filter(p, k, &one);
		if (rc == HB_OK)
			cand_or(c, &one);
		idset_fini(&one.ids);
	}
	return rc;
}

static int
plan_not(struct plan *p, const struct filter *f, struct cand *c)
{
	const struct filter *of = f->first;
	int rc;

	/* NOT of Undefined is Undefined */
	if (of->type == FILTER_CONSTANT && of->truth == FILTER_UNDEFINED) {
		cand_none(c);
		return HB_OK;
	}
	if ((rc = plan_filter(p, of, c)) != HB_OK)
		return rc;
	if (c->exact)
		c->without = !c->without;
	else
		cand_all(c, false);
	return HB_OK;
}

static int
plan_filter(struct plan *p, const struct filter *f, struct cand *c)
{
	switch (f->type) {
	case FILTER_AND:
		return plan_and(p, f, c);
	case FILTER_OR:
		return plan_or(p, f, c);
	case FILTER_NOT:
		return plan_not(p, f, c);
	case FILTER_EQUALITY:
		return plan_equality(p, f, c);
	case FILTER_SUBSTRINGS:
		return plan_substrings(p, f, c);
	case FILTER_GE:
	case FILTER_LE:
		return plan_range(p, f, c);
	case FILTER_PRESENT:
		return plan_present(p, f, c);
	case FILTER_APPROX:
		return plan_approx(p, f, c);
	case FILTER_EXTENSIBLE:
		if (f->desc != NULL && !f->dn_attrs && f->rule != NULL &&
		    f->rule == f->desc->type->equality)
			return plan_equality(p, f, c);
		cand_all(c, false);
		return HB_OK;
	case FILTER_CONSTANT:
		if (f->truth == FILTER_TRUE)
			cand_all(c, true);
		else
			cand_none(c);
		return HB_OK;
	}
	cand_all(c, false);
	return HB_OK;
}

int
plan_candidates(struct store *st, struct op *op, const struct filter *f,
    struct idset *ids_r, struct plan_gap *gap_r)
{
	struct plan p = { st, op, store_txn_of(st, op), op->may_wait, gap_r };
	struct cand c = CAND_INIT;
	entry_id end = atomic_load(&st->next_id);
	int rc;

	do {
		*gap_r = (struct plan_gap){ 0 };
		idset_fini(ids_r);
		idset_fini(&c.ids);
		c = (struct cand)CAND_INIT;
		rc = plan_filter(&p, f, &c);
	} while (rc == HB_EDEADLOCK && p.txn == NULL);
	/* an index was emptied meanwhile */
	if (rc != HB_OK)
		goto out;
	if (!c.without)
		idset_move(ids_r, &c.ids);
	else if (end < 2 || idset_count(&c.ids) < end / 2)
		idset_set_all(ids_r);
	else {
		/* much is left out: name the rest */
		idset_add_range(ids_r, 1, end - 1);
		idset_and_not(ids_r, &c.ids);
	}
out:
	idset_fini(&c.ids);
	return rc;
}
