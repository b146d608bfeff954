/*
 * Simple bind as an entry: its userPassword values, as far as the access rules
 * let the requester authenticate with them.
 */
#include "passwd.h"
#include "slapd/access.h"
#include "slapd/backend.h"
#include "util/err.h"

/* HB_OK, HB_ECREDENTIALS, HB_EDEFER. */
static int
try_values(struct op *op, const struct entry *e, struct entry_attr *a)
{
	bool per_value = access_is_per_value(op);
	struct slice value, norm;
	int rc;

	while (entry_value_next(a, &value, &norm)) {
		if (per_value && !access_is_allowed(op, e, a->desc, value,
		    norm, ACCESS_AUTH))
			continue;
		rc = passwd_verify(value, op->req.bind.password, op->may_wait);
		if (rc != HB_ECREDENTIALS)
			return rc;
	}
	return HB_ECREDENTIALS;
}

int
op_bind_entry(struct op *op, const struct entry *e)
{
	const struct attr_desc *desc = schema_builtin(op->schema,
	    "userPassword");
	int rc = HB_EINAPPROPAUTH, one;
	struct entry_attr a;

	for (unsigned i = 0; i < entry_nattrs(e); i++) {
		entry_attr_at(e, i, &a);
		if (!attr_desc_is_sub(a.desc, desc))
			continue;
		rc = HB_ECREDENTIALS;
		if (!access_is_per_value(op) && !access_is_allowed(op, e,
		    a.desc, SLICE_NONE, SLICE_NONE, ACCESS_AUTH))
			continue;
		if ((one = try_values(op, e, &a)) != HB_ECREDENTIALS)
			return one;
	}
	return rc;
}
