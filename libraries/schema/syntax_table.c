/* The built-in syntaxes, and those that ldapsyntax lines add. */
#include "schema_int.h"

#define SYN_S(n)	"1.3.6.1.4.1.1466.115.121.1." n
#define X_BINARY	"X-BINARY-TRANSFER-REQUIRED 'TRUE'"
#define X_NOT_HUMAN	"X-NOT-HUMAN-READABLE 'TRUE'"

/* X- parts that the flags stand for. */
#define X_TEXT(flags)							\
	((flags) & SYN_BINARY_TRANSFER ? X_BINARY " " X_NOT_HUMAN :	\
	(flags) & SYN_NOT_HUMAN ? X_NOT_HUMAN : NULL)

const struct syntax_row schema_syntax_rows[SX_COUNT] = {
#define SYNTAX(sym, oid, desc, flags, validate, expects, family)	\
	{ { oid, desc, (flags), validate, X_TEXT(flags) }, expects,	\
	    family, { NULL, 0 } },
#include "tbl/syntaxes.tbl"
#undef SYNTAX
};

static const struct def_key syntax_keys[] = {
	{ "NAME", DEF_NAMES },	/* no RFC has it, pmi.schema does */
	{ "DESC", DEF_STRING },
	{ NULL, 0 }
};

const struct syntax *
schema_find_syntax(const struct schema *schema, struct slice oid)
{
	return strmap_find(schema->syntaxes, oid);
}

/*
 * The syntax that a ldapsyntax line stands in for: values are checked and
 * matched as that one's are.
 */
static int
find_substitute(struct schema *schema, struct arena *arena,
    const struct def *def, const char *oid, const struct syntax **s_r,
    struct diag *diag)
{
	struct slice subst = def_extension(def, "X-SUBST"), num;

	if (slice_is_none(subst))
		return diag_err(diag, HB_EINVAL, "syntax %s is not known and "
		    "has no X-SUBST that names a known one", oid);
	if (oid_resolve(schema, arena, subst, &num) != HB_OK)
		num = subst;
	*s_r = schema_find_syntax(schema, num);
	if (*s_r == NULL)
		return diag_err(diag, HB_EINVAL, "syntax %s: X-SUBST names "
		    "'%.*s', which is not known", oid, SLICE_ARG(subst));
	return HB_OK;
}

static int
define_syntax(struct schema *schema, const struct def *def,
    const struct syntax *like, const char *oid, const struct place *at)
{
	struct syntax_row *row;
	const char *desc;

	row = arena_zalloc(&schema->arena, sizeof(*row));
	*row = *syntax_row(like);
	row->s.oid = oid;
	desc = define_text(schema, def_value(def, "DESC"));
	row->s.desc = desc != NULL ? desc : "";
	row->s.flags &= ~(unsigned)SYN_HIDDEN;
	row->s.x_text = define_text(schema, def->x_text);
	row->at = *at;
	strmap_set(schema->syntaxes, row_oid(oid), row);
	row_add(&schema->syntax_list, row);
	return HB_OK;
}

int
schema_add_syntax(struct schema *schema, struct slice text, const char *file,
    unsigned line, bool *dup_r, struct diag *diag)
{
	struct place at = { file, line };
	const struct syntax *known, *like = NULL;
	struct arena scratch;
	struct slice oid;
	struct def def;
	const char *own;
	int rc;

	hb_assert(!schema->frozen);
	if (dup_r != NULL)
		*dup_r = false;
	arena_init(&scratch, 0);
	rc = def_parse(&scratch, text, syntax_keys, &def, diag);
	if (rc != HB_OK)
		goto out;
	rc = oid_resolve(schema, &scratch, def.oid, &oid);
	if (rc != HB_OK) {
		diag_set(diag, "'%.*s' is no OID of a syntax",
		    SLICE_ARG(def.oid));
		goto out;
	}
	known = schema_find_syntax(schema, oid);
	if (known != NULL) {
		if (dup_r != NULL)
			*dup_r = true;
		goto out;
	}
	own = define_text(schema, oid);
	at.file = define_text(schema, file != NULL ? slice_of(file) :
	    SLICE_NONE);
	rc = find_substitute(schema, &scratch, &def, own, &like, diag);
	if (rc == HB_OK)
		rc = define_syntax(schema, &def, like, own, &at);
out:
	arena_fini(&scratch);
	return rc;
}
