/* DIT content rules (RFC 4512 4.1.6), keyed by their structural class. */
#include "schema_int.h"

static const struct def_key crule_keys[] = {
	{ "NAME", DEF_NAMES },
	{ "DESC", DEF_STRING },
	{ "OBSOLETE", DEF_FLAG },
	{ "AUX", DEF_LIST },
	{ "MUST", DEF_LIST },
	{ "MAY", DEF_LIST },
	{ "NOT", DEF_LIST },
	{ NULL, 0 }
};

static const struct place *
crule_place(const void *row)
{
	return &((const struct crule_row *)row)->at;
}

/* The first keyword in which A means something else than B, or NULL. */
static const char *
crule_difference(const struct content_rule *a, const struct content_rule *b)
{
	if (a->obsolete != b->obsolete)
		return "OBSOLETE";
	if (!names_are_within(a->names, b->names))
		return "NAME";
	if (!ptrs_are_same((const void *const *)a->aux,
	    (const void *const *)b->aux))
		return "AUX";
	if (!ptrs_are_same((const void *const *)a->must,
	    (const void *const *)b->must))
		return "MUST";
	if (!ptrs_are_same((const void *const *)a->may,
	    (const void *const *)b->may))
		return "MAY";
	return ptrs_are_same((const void *const *)a->not,
	    (const void *const *)b->not) ? NULL : "NOT";
}

/* RFC 4512 4.1.6: AUX auxiliary only; NOT must not exclude what is required. */
static int
check_rule(const struct content_rule *r, const struct object_class *oc,
    struct diag *diag)
{
	const struct object_class *const *aux;
	const struct attr_type *const *not, *const *must;

	if (oc->kind != CLASS_STRUCTURAL)
		return diag_err(diag, HB_EINVAL, "'%s' is no structural class",
		    oc->names[0] != NULL ? oc->names[0] : oc->oid);
	for (aux = r->aux; *aux != NULL; aux++)
		if ((*aux)->kind != CLASS_AUXILIARY)
			return diag_err(diag, HB_EINVAL, "AUX: '%s' is no "
			    "auxiliary class", (*aux)->names[0] != NULL ?
			    (*aux)->names[0] : (*aux)->oid);
	for (not = r->not; *not != NULL; not++)
		for (must = oc->must; *must != NULL; must++)
			if (*must == *not)
				return diag_err(diag, HB_EINVAL, "NOT: '%.*s' "
				    "is required by the class",
				    SLICE_ARG((*not)->desc.name));
	return HB_OK;
}

static int
fill_rule(struct schema *schema, const struct def *def,
    struct content_rule *r, const struct object_class **oc_r,
    struct diag *diag)
{
	int rc;

	r->obsolete = def_has(def, "OBSOLETE");
	*oc_r = find_class_macro(schema, def->oid);
	if (*oc_r == NULL)
		return diag_err(diag, HB_EINVAL, "'%.*s' is no known object "
		    "class", SLICE_ARG(def->oid));
	if ((rc = define_classes(schema, def, "AUX", &r->aux, diag)) != 0 ||
	    (rc = define_types(schema, def, "MUST", &r->must, diag)) != 0 ||
	    (rc = define_types(schema, def, "MAY", &r->may, diag)) != 0 ||
	    (rc = define_types(schema, def, "NOT", &r->not, diag)) != 0)
		return rc;
	return check_rule(r, *oc_r, diag);
}

static int
build_rule(struct schema *schema, const struct def *def,
    struct crule_row *row, struct schema_note *note, struct diag *diag)
{
	const struct crule_row *known;
	const char *differs = NULL;
	struct def by_name = *def;
	const struct object_class *oc = NULL;
	int rc;

	rc = fill_rule(schema, def, &row->r, &oc, diag);
	if (rc != HB_OK)
		return rc;
	by_name.oid = slice_of(oc->oid);
	rc = define_ident(schema, &by_name, &row->r.oid, &row->r.names, diag);
	if (rc != HB_OK)
		return rc;
	row->desc_text = define_text(schema, def_value(def, "DESC"));
	row->x_text = arena_slice(&schema->arena, def->x_text);
	known = strmap_find(schema->crules, slice_of(row->r.oid));
	if (known != NULL &&
	    (differs = crule_difference(&row->r, &known->r)) == NULL) {
		note_same(note, known->r.oid, &known->at);
		return HB_OK;
	}
	rc = define_conflict(schema->crules, row->r.oid, row->r.names, differs,
	    crule_place, diag);
	if (rc != HB_OK)
		return rc;
	((struct object_class *)(uintptr_t)oc)->content_rule = &row->r;
	define_register(schema->crules, row->r.oid, row->r.names, row);
	row_add(&schema->crule_list, row);
	return HB_OK;
}

int
schema_add_content_rule(struct schema *schema, struct slice text,
    const char *file, unsigned line, struct schema_note *note,
    struct diag *diag)
{
	struct place at = { file != NULL ? file : "?", line };
	struct crule_row *row;
	struct arena scratch;
	struct def def;
	int rc;

	hb_assert(!schema->frozen);
	note_clear(note);
	arena_init(&scratch, 0);
	rc = def_parse(&scratch, text, crule_keys, &def, diag);
	if (rc == HB_OK) {
		row = arena_zalloc(&schema->arena, sizeof(*row));
		row->at = define_place(schema, &at);
		note_behind(note, &def);
		rc = build_rule(schema, &def, row, note, diag);
	}
	if (rc != HB_OK)
		diag_prefix(diag, "ditcontentrule");
	arena_fini(&scratch);
	return rc;
}
