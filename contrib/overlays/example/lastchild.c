/*
 * lastchild: the smallest overlay that shows what overlays can do. An entry
 * tells how many entries are directly below it (childCount) and which was put
 * there last (lastChild); both are stored, in the transaction of the add,
 * delete or rename. lastChildName, the naming value of lastChild, is stored
 * nowhere: it is added to entries that are sent.
 *
 *   moduleload lastchild
 *   database hdb
 *   ...
 *   overlay lastchild [<object class> ...]
 *   lastchild-max <n>
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <slapd/backend.h>
#include <slapd/overlay.h>

#define OID		"2.25.218473905518846772301954610083276543210."
#define SYNTAX(n)	"SYNTAX 1.3.6.1.4.1.1466.115.121.1." n " "
#define OPERATIONAL	"SINGLE-VALUE NO-USER-MODIFICATION " \
	"USAGE directoryOperation )"

/* What the overlay adds to the schema when the module is loaded. */
static const char *const attr_types[] = {
	"( " OID "1 NAME 'childCount' DESC 'number of entries below' "
	"EQUALITY integerMatch ORDERING integerOrderingMatch "
	SYNTAX("27") OPERATIONAL,
	"( " OID "2 NAME 'lastChild' DESC 'entry added below last' "
	"EQUALITY distinguishedNameMatch " SYNTAX("12") OPERATIONAL,
	"( " OID "3 NAME 'lastChildName' DESC 'naming value of lastChild' "
	"EQUALITY caseIgnoreMatch " SYNTAX("15") OPERATIONAL,
	NULL
};

/* ---- configuration ---- */

struct conf {
	unsigned max;			/* lastchild-max; 0: no limit */
	char **names;			/* arguments of the line */
	unsigned n;
	/* made of the above by check(), when the schema is complete */
	const struct object_class **classes;
	const struct attr_desc *count, *last, *name;
};

static const struct cfg_item config[] = {
	CFG_UINT(struct conf, max, "lastchild-max", 0, 1000000000, "0", 0,
	    CFG_HOT, "<n>", "Most entries directly below one. 0: no limit."),
	CFG_END
};

static struct conf *
conf_of(const struct overlay *o)
{
	return o->conf;
}

static int
args(struct overlay *o, unsigned n, char **words, struct diag *diag)
{
	(void)diag;
	conf_of(o)->names = words;
	conf_of(o)->n = n;
	return HB_OK;
}

static const struct attr_desc *
desc_of(const struct overlay *o, const char *name)
{
	return &schema_find_type(o->db->schema, slice_of(name))->desc;
}

static int
check(struct overlay *o, struct diag *diag)
{
	struct conf *c = conf_of(o);

	c->count = desc_of(o, "childCount");
	c->last = desc_of(o, "lastChild");
	c->name = desc_of(o, "lastChildName");
	if ((c->classes = calloc(c->n + 1, sizeof(*c->classes))) == NULL)
		return HB_ELIMIT;
	for (unsigned i = 0; i < c->n; i++) {
		c->classes[i] = schema_find_class(o->db->schema,
		    slice_of(c->names[i]));
		if (c->classes[i] == NULL)
			return diag_err(diag, HB_EINVAL,
			    "<overlay> unknown object class \"%s\"",
			    c->names[i]);
	}
	return HB_OK;
}

static void
conf_free(struct overlay *o)
{
	free(conf_of(o)->classes);
}

/* ---- in the transaction ---- */

static int
replace(struct be_txn *t, const struct attr_desc *desc, struct slice *value,
    struct mod *m_r)
{
	/* no value: the attribute goes */
	return mod_make(t->op->arena, t->op->schema, MOD_REPLACE, desc, value,
	    slice_is_none(*value) ? 0 : 1, m_r, &t->op->diag);
}

/* Number and last child of the entry PARENT; LAST NONE: there is none. */
static int
store(struct overlay *o, struct be_txn *t, const struct dn *parent,
    unsigned long count, struct slice last)
{
	const struct conf *c = conf_of(o);
	struct slice number = SLICE_NONE;
	struct mod mods[2];
	int rc;

	if (count > 0 && slice_is_none(number = arena_printf(t->op->arena,
	    "%lu", count)))
		return HB_ELIMIT;
	if ((rc = replace(t, c->count, &number, &mods[0])) != HB_OK ||
	    (rc = replace(t, c->last, &last, &mods[1])) != HB_OK)
		return rc;
	return txn_modify(t, parent, mods, 2, 0);
}

static bool
is_counted(const struct overlay *o, const struct entry *e)
{
	const struct conf *c = conf_of(o);

	for (unsigned i = 0; i < c->n; i++)
		if (entry_is_class(e, o->db->schema, c->classes[i]))
			return true;
	return c->n == 0;
}

static unsigned long
count_of(const struct overlay *o, const struct entry *e)
{
	struct slice v = entry_value(e, conf_of(o)->count);
	char text[24] = "";

	if (v.len < sizeof(text))
		memcpy(text, v.ptr, v.len);
	return strtoul(text, NULL, 10);
}

/* The superior of DN, if it is counted: *E_R is NULL if not. */
static int
get_parent(struct overlay *o, struct be_txn *t, const struct dn *dn,
    struct entry **e_r)
{
	struct dn up = dn_parent(dn);
	int rc = txn_entry_get(t, &up, e_r);

	/* the suffix has none; nor has any entry in a null database */
	if (rc == HB_ENOENT)
		return HB_OK;
	if (rc == HB_OK && !is_counted(o, *e_r))
		entry_unref(e_r);
	return rc;
}

static int
child_came(struct overlay *o, struct be_txn *t, const struct dn *dn)
{
	unsigned long count, max = conf_of(o)->max;
	struct entry *e = NULL;
	int rc = get_parent(o, t, dn, &e);

	if (e == NULL)
		return rc;
	count = count_of(o, e);
	if (max > 0 && count >= max)
		rc = diag_err(&t->op->diag, HB_ECONSTRAINT, "there may be no "
		    "more than %lu entries below \"%.*s\"", max,
		    SLICE_ARG(e->dn.text));
	else
		rc = store(o, t, &e->dn, count + 1, dn->text);
	entry_unref(&e);
	return rc;
}

static int
child_left(struct overlay *o, struct be_txn *t, const struct dn *dn)
{
	struct entry *e = NULL;
	struct slice last;
	unsigned long count;
	int rc = get_parent(o, t, dn, &e);

	if (e == NULL)
		return rc;
	count = count_of(o, e);
	last = entry_value(e, conf_of(o)->last);
	if (entry_has_norm(e, conf_of(o)->last, dn->norm))
		last = SLICE_NONE;
	rc = store(o, t, &e->dn, count > 0 ? count - 1 : 0, last);
	entry_unref(&e);
	return rc;
}

/* A subtree moved with its top: names in it are others now. */
struct moved {
	struct overlay *o;
	struct be_txn *t;
};

static int
rename_last(struct entry *e, void *arg)
{
	struct moved *m = arg;
	struct be_txn *t = m->t;
	struct dn old, new;
	int rc;

	if ((rc = dn_parse(t->op->arena, t->op->schema, entry_value(e,
	    conf_of(m->o)->last), &old, &t->op->diag)) != HB_OK ||
	    !dn_is_within(&old, &t->before->dn) ||
	    (rc = dn_rebase(t->op->arena, &old, &t->before->dn,
	    &t->after->dn, &new)) != HB_OK)
		return rc;
	return store(m->o, t, &e->dn, count_of(m->o, e), new.text);
}

static int
subtree_moved(struct overlay *o, struct be_txn *t)
{
	struct ldap_filter has_last = { .type = LDAP_FILTER_PRESENT,
	    .attr = SLICE("lastChild") };
	struct moved m = { o, t };
	struct filter *f;
	int rc;

	if ((rc = filter_resolve(t->op->arena, t->op->schema, &has_last,
	    &f)) != HB_OK)
		return rc;
	return txn_search(t, &t->after->dn, LDAP_SCOPE_SUB, f, rename_last,
	    &m);
}

static int
in_txn(struct overlay *o, struct be_txn *t)
{
	int rc;

	switch (t->op->kind) {
	case OP_ADD:
		return child_came(o, t, &t->op->dn);
	case OP_DELETE:
		return child_left(o, t, &t->op->dn);
	case OP_MODRDN:
		if (t->before == NULL)	/* a database without entries */
			return HB_OK;
		if ((rc = child_left(o, t, &t->before->dn)) != HB_OK ||
		    (rc = child_came(o, t, &t->after->dn)) != HB_OK)
			return rc;
		return subtree_moved(o, t);
	default:
		return HB_OK;
	}
}

/* ---- entries that are sent ---- */

static int
on_entry(struct overlay *o, struct op *op, struct entry **e)
{
	const struct conf *c = conf_of(o);
	struct slice last = entry_value(*e, c->last);
	struct entry *shown;
	struct attrs attrs;
	struct ava *avas;
	struct dn dn;
	unsigned n;
	int rc;

	if (slice_is_none(last) || !op_wants_attr(op, c->name))
		return HB_OK;
	if ((rc = dn_parse(op->arena, op->schema, last, &dn, NULL)) != HB_OK ||
	    (rc = dn_rdn_avas(op->arena, op->schema, &dn, &avas, &n)) !=
	    HB_OK ||
	    (rc = entry_edit(op->arena, *e, &attrs)) != HB_OK ||
	    (rc = attrs_set(op->arena, &attrs, c->name, avas[0].value,
	    avas[0].norm)) != HB_OK ||
	    (rc = overlay_entry_new(op, *e, &attrs, &shown)) != HB_OK)
		return rc;
	entry_unref(e);
	*e = shown;
	return HB_OK;
}

/* ---- the module ---- */

static const struct slapd_overlay lastchild = {
	.abi = SLAPD_OVERLAY_ABI,
	.name = "lastchild",
	.flags = OVERLAY_ONCE,
	.attr_types = attr_types,
	.conf_size = sizeof(struct conf),
	.config = config,
	.args = args,
	.conf_check = check,
	.conf_free = conf_free,
	.in_txn = in_txn,
	.on_entry = on_entry
};

static int
init(unsigned nargs, char **words, struct diag *diag)
{
	(void)nargs;
	(void)words;
	(void)diag;
	return slapd_register_overlay(&lastchild);
}

/* What slapd looks for in the file. */
HB_API extern const struct slapd_module slapd_module;
const struct slapd_module slapd_module = {
	.abi = SLAPD_BACKEND_ABI,
	.init = init
};
