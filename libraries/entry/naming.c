/*
 * Attributes that follow from the name of an entry (RFC 4511 4.7, 4.9).
 */
#include "attrs_int.h"
#include "util/err.h"

static int
add_naming_value(struct arena *arena, struct attrs *attrs,
    const struct ava *ava, struct diag *diag)
{
	struct attr *a = attrs_find(attrs, ava->desc);

	if (a != NULL && attr_find_norm(a, ava->norm) != VALUE_NONE)
		return HB_OK;
	if (a != NULL && a->n > 0 &&
	    (ava->desc->type->flags & AT_SINGLE_VALUE) != 0)
		return diag_err(diag, HB_ENAMING, NAMING_CONFLICT,
		    SLICE_ARG(ava->desc->name));
	if (a == NULL && (a = attrs_append(arena, attrs, ava->desc)) == NULL)
		return HB_ELIMIT;
	if (attr_reserve(arena, a, 1) != HB_OK)
		return HB_ELIMIT;
	attr_push(a, ava->value, ava->norm);
	return HB_OK;
}

int
entry_add_naming(struct arena *arena, struct schema *schema,
    const struct dn *dn, struct attrs *attrs, struct diag *diag)
{
	struct ava *avas;
	unsigned i, n;
	int rc;

	rc = dn_rdn_avas(arena, schema, dn, &avas, &n);
	for (i = 0; rc == HB_OK && i < n; i++)
		rc = add_naming_value(arena, attrs, &avas[i], diag);
	return rc;
}

/*
 * The old values go before the new ones come: a value that is in both ends
 * up last and spelt as in the new name, which is what users know from slapd.
 */
int
entry_rename(struct arena *arena, struct schema *schema, struct attrs *attrs,
    const struct dn *old_rdn, const struct dn *new_rdn, bool delete_old,
    struct diag *diag)
{
	struct ava *avas;
	struct attr *a;
	unsigned i, n = 0, pos;
	int rc = HB_OK;

	if (delete_old)
		rc = dn_rdn_avas(arena, schema, old_rdn, &avas, &n);
	for (i = 0; rc == HB_OK && i < n; i++) {
		if ((a = attrs_find(attrs, avas[i].desc)) == NULL ||
		    (pos = attr_find_norm(a, avas[i].norm)) == VALUE_NONE)
			continue;
		attr_remove_at(a, pos);
		if (a->n == 0)
			attrs_remove(attrs, a);
	}
	if (rc != HB_OK)
		return rc;
	return entry_add_naming(arena, schema, new_rdn, attrs, diag);
}
