/* The registry: life of a schema, and what works on values of a type. */
#include <stdio.h>

#include "schema_int.h"

void
row_add(struct row_list *list, void *row)
{
	list->rows = mem_grow(list->rows, &list->cap, list->n + 1,
	    sizeof(*list->rows));
	list->rows[list->n++] = row;
}

static void
register_syntaxes(struct schema *schema)
{
	const struct syntax_row *row;
	unsigned i;

	for (i = 0; i < SX_COUNT; i++) {
		row = &schema_syntax_rows[i];
		strmap_set(schema->syntaxes, slice_of(row->s.oid),
		    (void *)(uintptr_t)row);
		row_add(&schema->syntax_list, (void *)(uintptr_t)row);
	}
}

struct schema *
schema_new(void)
{
	const struct slice lang = SLICE("lang-");
	struct schema *schema = mem_zalloc(sizeof(*schema));

	arena_init(&schema->arena, 0);
	schema->types = strmap_new(true);
	schema->classes = strmap_new(true);
	schema->crules = strmap_new(true);
	schema->syntaxes = strmap_new(true);
	schema->macros = strmap_new(false);
	schema->macros_nocase = strmap_new(true);
	schema->descs = strmap_new(false);
	schema->unknown = strmap_new(false);
	lk_rw_init(&schema->lock, LK_SCHEMA, "schema");
	atomic_init(&schema->ndescs, 1);	/* ids are dense from 1 */
	register_syntaxes(schema);
	schema_set_options(schema, &lang, 1, NULL);
	schema_add_builtins(schema);
	return schema;
}

void
schema_free(struct schema **schema_p)
{
	struct schema *schema = *schema_p;

	if (schema == NULL)
		return;
	strmap_free(&schema->types);
	strmap_free(&schema->classes);
	strmap_free(&schema->crules);
	strmap_free(&schema->syntaxes);
	strmap_free(&schema->macros);
	strmap_free(&schema->macros_nocase);
	strmap_free(&schema->descs);
	strmap_free(&schema->unknown);
	free(schema->type_list.rows);
	free(schema->class_list.rows);
	free(schema->crule_list.rows);
	free(schema->syntax_list.rows);
	lk_rw_fini(&schema->lock);
	arena_fini(&schema->arena);
	free(schema);
	*schema_p = NULL;
}

void
schema_freeze(struct schema *schema)
{
	if (schema->frozen)
		return;
	class_freeze_all(schema);
	types_freeze(schema);
	schema->frozen = true;
}

bool
schema_order_of(const struct attr_type *type, struct slice value,
    uint32_t *n_r, struct slice *rest_r)
{
	uint64_t n = 0;
	bool negative;
	size_t i = 1;

	if (!(type->flags & AT_ORDERED_VALUES) || value.len < 3 ||
	    value.ptr[0] != '{')
		return false;
	negative = value.ptr[i] == '-';
	i += negative;
	for (; i < value.len && value.ptr[i] >= '0' && value.ptr[i] <= '9'; i++)
		if (n < UINT32_MAX)
			n = n * 10 + (uint64_t)(value.ptr[i] - '0');
	if (i < 2u + negative || i >= value.len || value.ptr[i] != '}')
		return false;
	*n_r = negative || n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
	*rest_r = slice_skip(value, i + 1);
	return true;
}

struct slice
schema_skip_order(const struct attr_type *type, struct slice value)
{
	struct slice rest;
	uint32_t n;

	return schema_order_of(type, value, &n, &rest) ? rest : value;
}

static int
explain(const struct attr_desc *desc, const struct syntax *syntax,
    struct slice value, struct diag *diag)
{
	const struct syntax_row *row = syntax_row(syntax);

	if (value.len == 0)
		return diag_err(diag, HB_ESYNTAX, "%.*s: value is empty",
		    SLICE_ARG(desc->name));
	if (row->family == FAM_STRING && !text_is_utf8(value))
		return diag_err(diag, HB_ESYNTAX, "%.*s: value is not "
		    "well-formed UTF-8", SLICE_ARG(desc->name));
	return diag_err(diag, HB_ESYNTAX, "%.*s: value is not %s",
	    SLICE_ARG(desc->name), row->expects);
}

int
schema_check_value(const struct schema *schema, const struct attr_desc *desc,
    struct slice value, struct diag *diag)
{
	const struct syntax *syntax = desc->type->syntax;

	if (desc->type->flags & AT_ORDERED_VALUES)
		value = schema_skip_order(desc->type, value);
	if (syntax->validate == NULL ||
	    syntax->validate(schema, value) == HB_OK)
		return HB_OK;
	return explain(desc, syntax, value, diag);
}

/* Families of values that preparation may refuse though they are valid. */
#define PREPARED	(FAM_TEXT | FAM_LIST | FAM_AUTHZ)

bool
schema_is_prohibited(const struct matching_rule *rule, struct slice norm)
{
	return norm.len > 0 && (unsigned char)norm.ptr[0] == 0xff &&
	    rule_row(rule)->families != FAM_ANY &&
	    (rule_row(rule)->families & PREPARED) != 0;
}

/*
 * A string that preparation prohibits (RFC 4518 2.4) but the syntax allows. No
 * prepared string begins with FF, so it is equal to itself alone.
 */
static int
norm_prohibited(const struct schema *schema, struct arena *arena,
    const struct attr_type *type, struct slice value, struct slice *norm_r)
{
	const struct syntax *syntax = type->syntax;
	char *out;

	if ((rule_row(type->equality)->families & PREPARED) == 0 ||
	    !text_is_utf8(value) || (syntax->validate != NULL &&
	    syntax->validate(schema, value) != HB_OK))
		return HB_ESYNTAX;
	out = arena_alloc(arena, value.len + 1);
	if (out == NULL)
		return HB_ELIMIT;
	out[0] = (char)0xff;
	memcpy(out + 1, value.ptr, value.len);
	*norm_r = slice(out, value.len + 1);
	return HB_OK;
}

int
schema_norm_value(const struct schema *schema, struct arena *arena,
    const struct attr_desc *desc, struct slice value, struct slice *norm_r)
{
	const struct matching_rule *rule = desc->type->equality;
	int rc;

	if (desc->type->flags & AT_ORDERED_VALUES)
		value = schema_skip_order(desc->type, value);
	if (rule == NULL) {
		*norm_r = value;
		return HB_OK;
	}
	rc = rule->normalise(schema, arena, SUBSTR_WHOLE, value, norm_r);
	return rc != HB_ESYNTAX ? rc : norm_prohibited(schema, arena,
	    desc->type, value, norm_r);
}

/* Families whose normalisers refuse what is malformed; a DN is parsed once. */
#define NORMALISER_CHECKS \
	(FAM_TEXT | FAM_NUMERIC | FAM_DN | FAM_NAMEUID | FAM_CERT | FAM_CRL | \
	FAM_CERTPAIR | FAM_ALGORITHM | FAM_AC)

/* Lists have escapes that their normaliser takes as they come. */
static bool
normaliser_checks(const struct syntax *syntax)
{
	unsigned family = syntax_row(syntax)->family;

	return (family & NORMALISER_CHECKS) != 0 && (family & FAM_LIST) == 0;
}

/* A name that the schema does not have: Undefined (RFC 4517 4.2.26). */
static bool
is_unknown_name(const struct schema *schema, const struct matching_rule *rule,
    struct slice value)
{
	if (syntax_row(rule->syntax)->family != FAM_OID || value.len == 0 ||
	    (value.ptr[0] >= '0' && value.ptr[0] <= '9'))
		return false;
	return schema_find_class(schema, value) == NULL &&
	    schema_find_type(schema, value) == NULL &&
	    schema_find_rule(schema, value) == NULL;
}

/*
 * Pieces of a substrings assertion and strings are checked by the normaliser
 * alone: an asserted value may be one that no stored value can be. It is not
 * empty, though, where the syntax wants a character.
 */
int
schema_norm_assertion(const struct schema *schema, struct arena *arena,
    const struct matching_rule *rule, enum substr_part part,
    struct slice value, struct slice *norm_r)
{
	const struct syntax *syntax = rule->syntax;
	int rc;

	if (part == SUBSTR_WHOLE && !(rule->kind & MR_SUBSTRINGS) &&
	    syntax->validate != NULL && (value.len == 0 ||
	    !normaliser_checks(syntax)) &&
	    syntax->validate(schema, value) != HB_OK)
		return HB_ESYNTAX;
	if (is_unknown_name(schema, rule, value))
		return HB_ESYNTAX;
	if (rule->normalise == norm_list_fold && !text_is_utf8(value))
		return HB_ESYNTAX;	/* may look like a normal form */
	rc = rule->normalise(schema, arena, part, value, norm_r);
	if (rc == HB_OK && (rule->normalise == norm_dn ||
	    rule->normalise == norm_nameuid) &&
	    dn_is_prohibited(schema, *norm_r))
		return HB_ESYNTAX;	/* RFC 4517 4.2.15: Undefined */
	return rc;
}

const struct schema_basics *
schema_basics(const struct schema *schema)
{
	return &schema->basics;
}

const struct attr_desc *
schema_builtin(const struct schema *schema, const char *name)
{
	const struct attr_type *t = schema_find_type(schema, slice_of(name));

	hb_assert(t != NULL);
	return &t->desc;
}
