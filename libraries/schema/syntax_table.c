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

static const struct place *
syntax_place(const struct syntax *s)
{
	return &syntax_row(s)->at;
}

/*
 * The syntax that a ldapsyntax line stands in for: values are checked and
 * matched as that one's are. Without X-SUBST any octets are values.
 */
static int
find_substitute(struct schema *schema, struct arena *arena,
    const struct def *def, const struct syntax **s_r, struct diag *diag)
{
	struct slice subst = def_extension(def, "X-SUBST"), num;

	if (slice_is_none(subst)) {
		*s_r = &schema_syntax_rows[SX_OCTETS].s;
		return HB_OK;
	}
	if (oid_resolve(schema, arena, subst, &num) != HB_OK)
		num = subst;
	*s_r = schema_find_syntax(schema, num);
	if (*s_r == NULL)
		return diag_err(diag, HB_EINVAL, "X-SUBST: syntax '%.*s' is "
		    "not known", SLICE_ARG(subst));
	return HB_OK;
}

static void
define_syntax(struct schema *schema, const struct def *def,
    const struct syntax *like, struct slice oid, const struct place *at)
{
	struct syntax_row *row;
	const char *desc;

	row = arena_zalloc(&schema->arena, sizeof(*row));
	*row = *syntax_row(like);
	row->s.oid = define_text(schema, oid);
	desc = define_text(schema, def_value(def, "DESC"));
	row->s.desc = desc != NULL ? desc : "";
	row->s.flags &= ~(unsigned)SYN_HIDDEN;
	row->s.x_text = define_text(schema, def->x_text);
	row->at = define_place(schema, at);
	strmap_set(schema->syntaxes, oid, row);
	row_add(&schema->syntax_list, row);
}

/* Without X-SUBST a known syntax is meant as it is. */
static int
check_known(const struct def *def, const struct syntax *known,
    const struct syntax *like, struct schema_note *note, struct diag *diag)
{
	char where[256];

	if (!slice_is_none(def_extension(def, "X-SUBST")) &&
	    (like->validate != known->validate ||
	    syntax_row(like)->family != syntax_row(known)->family))
		return diag_err(diag, HB_EDUPLICATE, "'%s' is defined already "
		    "with another X-SUBST (%s)", known->oid,
		    place_text(syntax_place(known), where, sizeof(where)));
	note_same(note, known->oid, syntax_place(known));
	return HB_OK;
}

static int
build_syntax(struct schema *schema, struct arena *arena,
    const struct def *def, const struct place *at, struct schema_note *note,
    struct diag *diag)
{
	const struct syntax *known, *like = NULL;
	struct slice oid;
	int rc;

	if (oid_resolve(schema, arena, def->oid, &oid) != HB_OK)
		return diag_err(diag, HB_EINVAL, "'%.*s' is neither an OID "
		    "nor the name of an objectidentifier",
		    SLICE_ARG(def->oid));
	rc = find_substitute(schema, arena, def, &like, diag);
	if (rc != HB_OK) {
		diag_prefix(diag, "'%.*s'", SLICE_ARG(oid));
		return rc;
	}
	known = schema_find_syntax(schema, oid);
	if (known != NULL)
		return check_known(def, known, like, note, diag);
	define_syntax(schema, def, like, oid, at);
	return HB_OK;
}

int
schema_add_syntax(struct schema *schema, struct slice text, const char *file,
    unsigned line, struct schema_note *note, struct diag *diag)
{
	struct place at = { file != NULL ? file : "?", line };
	struct arena scratch;
	struct def def;
	int rc;

	hb_assert(!schema->frozen);
	note_clear(note);
	arena_init(&scratch, 0);
	rc = def_parse(&scratch, text, syntax_keys, &def, diag);
	if (rc == HB_OK) {
		note_behind(note, &def);
		rc = build_syntax(schema, &scratch, &def, &at, note, diag);
	}
	if (rc != HB_OK)
		diag_prefix(diag, "ldapsyntax");
	arena_fini(&scratch);
	return rc;
}
