/*
 * DN-valued attributes (RFC 4517 3.3.9), bound into the schema, which takes
 * the UID off Name And Optional UID itself.
 */
#include "dn.h"
#include "dn_parser.h"
#include "util/err.h"

/*
 * A DN may hold an RDN with a DN-valued type, whose value holds another ...
 * Each level is escaped once more and validated twice, so it must end soon.
 */
#define DN_NESTING_MAX	4

static _Thread_local unsigned nesting;

static int
run(struct dn_parser *p)
{
	int rc = HB_EDNSYNTAX;

	if (nesting < DN_NESTING_MAX) {
		nesting++;
		rc = dn_parser_run(p);
		nesting--;
	}
	return rc == HB_EDNSYNTAX ? HB_ESYNTAX : rc;
}

static int
dn_value_validate(const struct schema *schema, struct slice value)
{
	struct dn_parser p;
	struct arena arena;
	int rc;

	arena_init(&arena, 0);
	dn_parser_init(&p, &arena, schema, value, DN_MODE_CHECK, NULL);
	rc = run(&p);
	arena_fini(&arena);
	return rc;
}

static int
dn_value_normalise(const struct schema *schema, struct arena *arena,
    struct slice value, struct slice *norm_r)
{
	struct dn_parser p;
	int rc;

	dn_parser_init(&p, arena, schema, value, DN_MODE_FULL, NULL);
	if ((rc = run(&p)) != HB_OK)
		return rc;
	*norm_r = value;
	if (slice_is_eq(value, slice(p.norm.data, p.norm.len)))
		return HB_OK;
	*norm_r = arena_slice(arena, slice(p.norm.data, p.norm.len));
	return norm_r->ptr == NULL ? HB_ELIMIT : HB_OK;
}

void
dn_init(void)
{
	static const struct schema_dn_ops ops = {
		.validate = dn_value_validate,
		.normalise = dn_value_normalise
	};

	schema_bind_dn(&ops);
}
