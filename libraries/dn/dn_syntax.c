/*
 * DN-valued attributes: syntaxes DN and Name And Optional UID (RFC 4517
 * 3.3.9, 3.3.21), bound into the schema.
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

/* Split "DN#'0101'B"; UID_R with its '#', empty where there is none. */
static struct slice
split_uid(struct slice value, struct slice *uid_r)
{
	const char *p = value.ptr;
	size_t i = value.len;

	*uid_r = slice("", 0);
	if (i < 4 || p[i - 1] != 'B' || p[i - 2] != '\'')
		return value;
	for (i -= 2; i > 0 && (p[i - 1] == '0' || p[i - 1] == '1'); i--)
		;
	if (i < 2 || p[i - 1] != '\'' || p[i - 2] != '#')
		return value;
	*uid_r = slice(p + i - 2, value.len - (i - 2));
	return slice(p, i - 2);
}

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
	struct slice uid;
	int rc;

	arena_init(&arena, 0);
	dn_parser_init(&p, &arena, schema, split_uid(value, &uid),
	    DN_MODE_CHECK, NULL);
	rc = run(&p);
	arena_fini(&arena);
	return rc;
}

static int
dn_value_normalise(const struct schema *schema, struct arena *arena,
    struct slice value, struct slice *norm_r)
{
	struct dn_parser p;
	struct slice uid;
	char *out;
	int rc;

	dn_parser_init(&p, arena, schema, split_uid(value, &uid), DN_MODE_FULL,
	    NULL);
	if ((rc = run(&p)) != HB_OK)
		return rc;
	if (uid.len == 0 && p.norm.len == value.len &&
	    memcmp(p.norm.data, value.ptr, value.len) == 0) {
		*norm_r = value;
		return HB_OK;
	}
	if ((out = arena_alloc(arena, p.norm.len + uid.len + 1)) == NULL)
		return HB_ELIMIT;
	memcpy(out, p.norm.data, p.norm.len);
	memcpy(out + p.norm.len, uid.ptr, uid.len);
	*norm_r = slice(out, p.norm.len + uid.len);
	return HB_OK;
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
