/* Attribute types (RFC 4512 4.1.2). */
#include "schema_int.h"

static const struct def_key type_keys[] = {
	{ "NAME", DEF_NAMES },
	{ "DESC", DEF_STRING },
	{ "OBSOLETE", DEF_FLAG },
	{ "SUP", DEF_ONE },
	{ "EQUALITY", DEF_ONE },
	{ "ORDERING", DEF_ONE },
	{ "SUBSTR", DEF_ONE },
	{ "SYNTAX", DEF_ONE },
	{ "SINGLE-VALUE", DEF_FLAG },
	{ "COLLECTIVE", DEF_FLAG },
	{ "NO-USER-MODIFICATION", DEF_FLAG },
	{ "USAGE", DEF_ONE },
	{ NULL, 0 }
};

static const char *const usage_names[] = {
	"userApplications", "directoryOperation", "distributedOperation",
	"dSAOperation"
};

static const struct place *
type_place(const void *row)
{
	return &type_row(row)->at;
}

static int
set_sup(struct schema *schema, const struct def *def, struct type_row *row,
    struct diag *diag)
{
	struct slice name = def_value(def, "SUP");
	const struct attr_type *sup;
	const char *near;

	if (slice_is_none(name))
		return HB_OK;
	sup = find_type_macro(schema, name);
	if (sup == NULL) {
		near = schema_nearest_type(schema, name);
		return diag_err(diag, HB_EINVAL, "SUP: attribute type '%.*s' "
		    "is not known%s%s%s", SLICE_ARG(name),
		    near != NULL ? " (did you mean '" : "",
		    near != NULL ? near : "", near != NULL ? "'?)" : "");
	}
	row->t.sup = sup;
	row->t.equality = sup->equality;
	row->t.ordering = sup->ordering;
	row->t.substr = sup->substr;
	row->t.approx = sup->approx;
	row->t.syntax = sup->syntax;
	row->t.syntax_len = sup->syntax_len;
	return HB_OK;
}

/*
 * {n} behind a syntax OID is taken off TEXT. Nobody enforces it, so {} and
 * numbers of any size pass.
 */
static int
take_length(struct slice *text, unsigned *len_r)
{
	const char *brace;
	struct slice num;
	uint64_t v = 0;
	int rc;

	brace = text->len > 0 ? memchr(text->ptr, '{', text->len) : NULL;
	if (brace == NULL)
		return HB_OK;
	if (text->ptr[text->len - 1] != '}')
		return HB_EINVAL;
	num = slice(brace + 1, (size_t)(text->ptr + text->len - brace) - 2);
	rc = num.len == 0 ? HB_OK : text_to_uint(num, &v);
	if (rc == HB_ERANGE || v > UINT32_MAX)
		v = UINT32_MAX;
	else if (rc != HB_OK)
		return HB_EINVAL;
	text->len = (size_t)(brace - text->ptr);
	*len_r = (unsigned)v;
	return HB_OK;
}

static int
set_syntax(struct schema *schema, const struct def *def, struct type_row *row,
    struct diag *diag)
{
	struct slice text = def_value(def, "SYNTAX"), oid;

	if (slice_is_none(text)) {
		if (row->t.syntax == NULL)
			return diag_err(diag, HB_EINVAL,
			    "needs a SYNTAX or a SUP");
		return HB_OK;
	}
	row->t.syntax_len = 0;
	if (take_length(&text, &row->t.syntax_len) != HB_OK)
		return diag_err(diag, HB_EINVAL, "SYNTAX: '%.*s' has a "
		    "malformed length", SLICE_ARG(text));
	if (oid_resolve(schema, &schema->arena, text, &oid) != HB_OK)
		return diag_err(diag, HB_EINVAL, "SYNTAX: '%.*s' is neither an "
		    "OID nor the name of an objectidentifier",
		    SLICE_ARG(text));
	row->t.syntax = schema_find_syntax(schema, oid);
	if (row->t.syntax == NULL) {
		const char *near = schema_nearest_syntax(schema, oid);

		return diag_err(diag, HB_EINVAL, "SYNTAX: %.*s is not known"
		    "%s%s%s", SLICE_ARG(oid),
		    near != NULL ? " (did you mean " : "",
		    near != NULL ? near : "", near != NULL ? "?)" : "");
	}
	row->given |= GIVEN_SYNTAX;
	return HB_OK;
}

static int
set_rule(struct schema *schema, const struct def *def, const char *key,
    unsigned kind, const struct matching_rule **rule_r, struct diag *diag)
{
	struct slice name = def_value(def, key), oid;
	const struct matching_rule *rule;
	const char *near;

	rule = schema_find_rule(schema, name);
	if (rule == NULL &&
	    oid_resolve(schema, &schema->arena, name, &oid) == HB_OK)
		rule = schema_find_rule(schema, oid);
	if (rule == NULL) {
		near = schema_nearest_rule(schema, name);
		return diag_err(diag, HB_EINVAL, "%s: matching rule '%.*s' is "
		    "not known%s%s%s", key, SLICE_ARG(name),
		    near != NULL ? " (did you mean '" : "",
		    near != NULL ? near : "", near != NULL ? "'?)" : "");
	}
	if ((rule->kind & kind) == 0)
		return diag_err(diag, HB_EINVAL, "%s: '%s' is no rule of this "
		    "kind", key, rule->name);
	*rule_r = rule;
	return HB_OK;
}

static int
set_rules(struct schema *schema, const struct def *def, struct type_row *row,
    struct diag *diag)
{
	const struct {
		const char *key;
		unsigned kind, given;
		const struct matching_rule **rule;
	} kinds[] = {
		{ "EQUALITY", MR_EQUALITY, GIVEN_EQUALITY, &row->t.equality },
		{ "ORDERING", MR_ORDERING, GIVEN_ORDERING, &row->t.ordering },
		{ "SUBSTR", MR_SUBSTRINGS, GIVEN_SUBSTR, &row->t.substr },
	};
	const char *approx;
	unsigned i;
	int rc;

	/*
	 * Files in the field have substring rules of strings with times and
	 * numbers: values are then matched as the text they are.
	 */
	for (i = 0; i < 3; i++) {
		if (!def_has(def, kinds[i].key))
			continue;
		rc = set_rule(schema, def, kinds[i].key, kinds[i].kind,
		    kinds[i].rule, diag);
		if (rc != HB_OK)
			return rc;
		row->given |= kinds[i].given;
		if (kinds[i].kind != MR_SUBSTRINGS && (rule_row(*kinds[i].rule)->families &
		    syntax_row(row->t.syntax)->family) == 0)
			return diag_err(diag, HB_EINVAL, "%s: '%s' does not "
			    "fit syntax %s (%s)", kinds[i].key,
			    (*kinds[i].rule)->name, row->t.syntax->oid,
			    row->t.syntax->desc);
	}
	if (row->given & GIVEN_EQUALITY) {
		approx = rule_row(row->t.equality)->approx;
		row->t.approx = approx == NULL ? NULL :
		    schema_find_rule(schema, slice_of(approx));
	}
	return HB_OK;
}

static void
set_ordered(const struct def *def, struct type_row *row)
{
	struct slice how = def_extension(def, "X-ORDERED");

	if (slice_is_eq_nocase(how, SLICE("VALUES")))
		row->t.flags |= AT_ORDERED_VALUES;
	else if (slice_is_eq_nocase(how, SLICE("SIBLINGS")))
		row->t.flags |= AT_ORDERED_SIBLINGS;
}

static int
set_usage(const struct def *def, struct type_row *row, struct diag *diag)
{
	struct slice usage = def_value(def, "USAGE");
	const char *near;
	unsigned i;

	row->t.usage = USAGE_USER;
	if (slice_is_none(usage)) {
		if (row->t.sup != NULL)
			row->t.usage = row->t.sup->usage;
		return HB_OK;
	}
	for (i = 0; i < 4; i++) {
		if (!slice_is_eq_nocase(usage, slice_of(usage_names[i])))
			continue;
		row->t.usage = (enum attr_usage)i;
		return HB_OK;
	}
	near = text_nearest(usage, usage_names, 4);
	return diag_err(diag, HB_EINVAL, "USAGE: '%.*s' is not known%s%s%s",
	    SLICE_ARG(usage), near != NULL ? " (did you mean '" : "",
	    near != NULL ? near : "", near != NULL ? "'?)" : "");
}

/* RFC 4512 2.5.1. */
static int
check_flags(const struct attr_type *t, struct diag *diag)
{
	if ((t->flags & AT_COLLECTIVE) && (t->flags & AT_SINGLE_VALUE))
		return diag_err(diag, HB_EINVAL,
		    "COLLECTIVE excludes SINGLE-VALUE");
	if ((t->flags & AT_COLLECTIVE) && t->usage != USAGE_USER)
		return diag_err(diag, HB_EINVAL,
		    "COLLECTIVE is for user attributes only");
	if ((t->flags & AT_NO_USER_MOD) && t->usage == USAGE_USER)
		return diag_err(diag, HB_EINVAL, "NO-USER-MODIFICATION is for "
		    "operational attributes only");
	if (t->sup != NULL && t->sup->usage != t->usage)
		return diag_err(diag, HB_EINVAL,
		    "USAGE differs from that of SUP");
	return HB_OK;
}

static int
fill_type(struct schema *schema, const struct def *def, struct type_row *row,
    struct diag *diag)
{
	int rc;

	if (def_has(def, "OBSOLETE"))
		row->t.flags |= AT_OBSOLETE;
	if (def_has(def, "SINGLE-VALUE"))
		row->t.flags |= AT_SINGLE_VALUE;
	if (def_has(def, "COLLECTIVE"))
		row->t.flags |= AT_COLLECTIVE;
	if (def_has(def, "NO-USER-MODIFICATION"))
		row->t.flags |= AT_NO_USER_MOD;
	set_ordered(def, row);
	if ((rc = set_sup(schema, def, row, diag)) != HB_OK ||
	    (rc = set_syntax(schema, def, row, diag)) != HB_OK ||
	    (rc = set_rules(schema, def, row, diag)) != HB_OK ||
	    (rc = set_usage(def, row, diag)) != HB_OK)
		return rc;
	return check_flags(&row->t, diag);
}

/*
 * The first keyword in which A means something else than B, or NULL: texts,
 * names left out and the upper bound of values, which nobody enforces, do not
 * count.
 */
static const char *
type_difference(const struct attr_type *a, const struct attr_type *b)
{
	static const struct {
		unsigned flags;
		const char *key;
	} seen[] = {
		{ AT_SINGLE_VALUE, "SINGLE-VALUE" },
		{ AT_COLLECTIVE, "COLLECTIVE" },
		{ AT_NO_USER_MOD, "NO-USER-MODIFICATION" },
		{ AT_OBSOLETE, "OBSOLETE" },
		{ AT_ORDERED_VALUES | AT_ORDERED_SIBLINGS, "X-ORDERED" },
	};
	unsigned i;

	for (i = 0; i < sizeof(seen) / sizeof(*seen); i++)
		if ((a->flags & seen[i].flags) != (b->flags & seen[i].flags))
			return seen[i].key;
	if (!names_are_within(a->names, b->names))
		return "NAME";
	if (a->syntax != b->syntax)
		return "SYNTAX";
	if (a->equality != b->equality)
		return "EQUALITY";
	if (a->ordering != b->ordering)
		return "ORDERING";
	if (a->substr != b->substr)
		return "SUBSTR";
	if (a->usage != b->usage)
		return "USAGE";
	return a->sup != b->sup ? "SUP" : NULL;
}

static unsigned
plain_flags(const struct attr_type *t)
{
	int (*validate)(const struct schema *, struct slice) =
	    t->syntax->validate;

	if (t->equality == NULL || (t->flags & AT_ORDERED_VALUES) ||
	    (validate != validate_dirstring && validate != validate_ia5 &&
	    validate != validate_utf8))
		return 0;
	if (t->equality->normalise == norm_case_fold ||
	    t->equality->normalise == norm_ia5_fold)
		return AT_PLAIN_FOLD;
	if (t->equality->normalise == norm_case_exact ||
	    t->equality->normalise == norm_ia5_exact)
		return AT_PLAIN_EXACT;
	return 0;
}

static void
register_type(struct schema *schema, struct type_row *row)
{
	struct attr_type *sup = (struct attr_type *)(uintptr_t)row->t.sup;

	if (sup != NULL)
		sup->flags |= AT_HAS_SUBTYPES;
	row->t.flags |= plain_flags(&row->t);
	desc_init_plain(schema, &row->t);
	define_register(schema->types, row->t.oid, row->t.names, row);
	row_add(&schema->type_list, row);
}

static int
build_type(struct schema *schema, const struct def *def, struct type_row *row,
    struct schema_note *note, struct diag *diag)
{
	const struct attr_type *known;
	const char *differs = NULL;
	int rc;

	rc = define_ident(schema, def, &row->t.oid, &row->t.names, diag);
	if (rc != HB_OK)
		return rc;
	row->t.desc_text = define_text(schema, def_value(def, "DESC"));
	row->x_text = arena_slice(&schema->arena, def->x_text);
	rc = fill_type(schema, def, row, diag);
	if (rc != HB_OK) {
		diag_prefix(diag, "'%s'",
		    row->t.names[0] != NULL ? row->t.names[0] : row->t.oid);
		return rc;
	}
	known = schema_find_type(schema, slice_of(row->t.oid));
	if (known != NULL &&
	    (differs = type_difference(&row->t, known)) == NULL) {
		note_same(note, known->oid, type_place(known));
		return HB_OK;
	}
	rc = define_conflict(schema->types, row->t.oid, row->t.names, differs,
	    type_place, diag);
	if (rc == HB_OK)
		register_type(schema, row);
	return rc;
}

int
type_define(struct schema *schema, struct slice text, const struct place *at,
    unsigned flags, struct schema_note *note, struct diag *diag)
{
	struct type_row *row;
	struct arena scratch;
	struct def def;
	int rc;

	hb_assert(!schema->frozen);
	note_clear(note);
	arena_init(&scratch, 0);
	rc = def_parse(&scratch, text, type_keys, &def, diag);
	if (rc == HB_OK) {
		row = arena_zalloc(&schema->arena, sizeof(*row));
		row->t.flags = flags;
		row->at = define_place(schema, at);
		note_behind(note, &def);
		rc = build_type(schema, &def, row, note, diag);
	}
	if (rc != HB_OK)
		diag_prefix(diag, "attributetype");
	arena_fini(&scratch);
	return rc;
}

int
schema_add_attr_type(struct schema *schema, struct slice text,
    const char *file, unsigned line, struct schema_note *note,
    struct diag *diag)
{
	struct place at = { file != NULL ? file : "?", line };

	return type_define(schema, text, &at, 0, note, diag);
}

bool
attr_type_is_sub(const struct attr_type *a, const struct attr_type *b)
{
	for (; a != NULL; a = a->sup)
		if (a == b)
			return true;
	return false;
}

void
schema_each_type(const struct schema *schema,
    void (*cb)(const struct attr_type *, void *arg), void *arg)
{
	size_t i;

	for (i = 0; i < schema->type_list.n; i++)
		cb(schema->type_list.rows[i], arg);
}
