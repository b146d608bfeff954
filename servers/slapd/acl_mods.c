/*
 * Write access to what a modification changes.
 */
#include "acl_int.h"
#include "conf.h"
#include "slapd/backend.h"
#include "util/err.h"

/*
 * RIGHT on the attribute, and on each of its values in E where that may differ.
 */
static bool
may_drop_all(struct op *op, const struct entry *e,
    const struct attr_desc *desc)
{
	struct entry_attr a;
	struct slice value, norm;

	if (!access_is_allowed(op, e, desc, SLICE_NONE, SLICE_NONE,
	    ACCESS_WDEL))
		return false;
	if (!access_is_per_value(op) || e == NULL || !entry_find(e, desc, &a))
		return true;
	while (entry_value_next(&a, &value, &norm))
		if (!access_is_allowed(op, e, desc, value, norm, ACCESS_WDEL))
			return false;
	return true;
}

static bool
may_values(struct op *op, const struct entry *e, const struct mod *m,
    unsigned right)
{
	if (!access_is_per_value(op))
		return access_is_allowed(op, e, m->desc, SLICE_NONE,
		    SLICE_NONE, right);
	for (unsigned i = 0; i < m->n; i++)
		if (!access_is_allowed(op, e, m->desc, m->values[i],
		    m->norms != NULL ? m->norms[i] : SLICE_NONE, right))
			return false;
	return true;
}

static bool
may_modify(struct op *op, const struct entry *e, const struct mod *m)
{
	switch (m->type) {
	case MOD_ADD:
	case MOD_SOFT_ADD:
		return may_values(op, e, m, ACCESS_WADD);
	case MOD_DELETE:
	case MOD_SOFT_DELETE:
		return m->n == 0 ? may_drop_all(op, e, m->desc) :
		    may_values(op, e, m, ACCESS_WDEL);
	case MOD_REPLACE:
		return may_drop_all(op, e, m->desc) &&
		    (m->n == 0 || may_values(op, e, m, ACCESS_WADD));
	case MOD_INCREMENT:
		return access_is_allowed(op, e, m->desc, SLICE_NONE,
		    SLICE_NONE, ACCESS_WRITE);
	}
	return false;
}

int
access_check_mods(struct op *op, const struct entry *e,
    const struct mod *mods, unsigned n)
{
	if (acl_is_exempt(op))
		return HB_OK;
	for (unsigned i = 0; i < n; i++)
		if (!mods[i].internal && !may_modify(op, e, &mods[i]))
			return diag_err(&op->diag, HB_EACCESS, "no write "
			    "access to attribute \"%.*s\"",
			    SLICE_ARG(mods[i].desc->name));
	return HB_OK;
}

/* Every value of A, or the attribute where values make no difference. */
static bool
may_add(struct op *op, const struct entry *e, struct entry_attr *a)
{
	struct slice value, norm;

	if (!access_is_per_value(op))
		return access_is_allowed(op, e, a->desc, SLICE_NONE,
		    SLICE_NONE, ACCESS_WADD);
	while (entry_value_next(a, &value, &norm))
		if (!access_is_allowed(op, e, a->desc, value, norm,
		    ACCESS_WADD))
			return false;
	return true;
}

int
access_check_add(struct op *op, const struct entry *e)
{
	struct entry_attr a;

	if (acl_is_exempt(op) || !slapd_db_conf(op->db)->add_content_acl)
		return HB_OK;
	for (unsigned i = 0; i < entry_nattrs(e); i++) {
		entry_attr_at(e, i, &a);
		if (!attr_desc_is_operational(a.desc) && !may_add(op, e, &a))
			return diag_err(&op->diag, HB_EACCESS, "no write "
			    "access to attribute \"%.*s\"",
			    SLICE_ARG(a.desc->name));
	}
	return HB_OK;
}
