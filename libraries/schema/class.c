/* Object classes (RFC 4512 4.1.1). */
#include "schema_int.h"

static const struct def_key class_keys[] = {
	{ "NAME", DEF_NAMES },
	{ "DESC", DEF_STRING },
	{ "OBSOLETE", DEF_FLAG },
	{ "SUP", DEF_LIST },
	{ "ABSTRACT", DEF_FLAG },
	{ "STRUCTURAL", DEF_FLAG },
	{ "AUXILIARY", DEF_FLAG },
	{ "MUST", DEF_LIST },
	{ "MAY", DEF_LIST },
	{ NULL, 0 }
};

const struct object_class *
schema_find_class(const struct schema *schema, struct slice text)
{
	return strmap_find(schema->classes, text);
}

static const struct place *
class_place(const void *row)
{
	return &class_row(row)->at;
}

static int
set_kind(const struct def *def, struct object_class *c, struct diag *diag)
{
	unsigned n = 0;

	c->kind = CLASS_STRUCTURAL;
	if (def_has(def, "STRUCTURAL"))
		n++;
	if (def_has(def, "ABSTRACT")) {
		c->kind = CLASS_ABSTRACT;
		n++;
	}
	if (def_has(def, "AUXILIARY")) {
		c->kind = CLASS_AUXILIARY;
		n++;
	}
	if (n > 1)
		return diag_err(diag, HB_EINVAL, "more than one of ABSTRACT, "
		    "STRUCTURAL and AUXILIARY");
	return HB_OK;
}

/* RFC 4512 2.4: what may be below what. */
static int
check_sups(const struct object_class *c, struct diag *diag)
{
	const struct object_class *const *sup;
	bool ok;

	for (sup = c->sups; *sup != NULL; sup++) {
		ok = (*sup)->kind == CLASS_ABSTRACT ||
		    (*sup)->kind == c->kind;
		if (!ok)
			return diag_err(diag, HB_EINVAL, "SUP: '%s' is of a "
			    "kind that this class cannot be derived from",
			    (*sup)->names[0] != NULL ? (*sup)->names[0] :
			    (*sup)->oid);
	}
	return HB_OK;
}

static int
fill_class(struct schema *schema, const struct def *def,
    struct object_class *c, struct diag *diag)
{
	int rc;

	c->obsolete = def_has(def, "OBSOLETE");
	if ((rc = set_kind(def, c, diag)) != HB_OK ||
	    (rc = define_classes(schema, def, "SUP", &c->sups, diag)) != 0 ||
	    (rc = define_types(schema, def, "MUST", &c->must, diag)) != 0 ||
	    (rc = define_types(schema, def, "MAY", &c->may, diag)) != 0)
		return rc;
	return check_sups(c, diag);
}

/* The first keyword in which A means something else than B, or NULL. */
static const char *
class_difference(const struct object_class *a, const struct object_class *b)
{
	if (a->kind != b->kind)
		return "kind";
	if (a->obsolete != b->obsolete)
		return "OBSOLETE";
	if (!names_are_within(a->names, b->names))
		return "NAME";
	if (!ptrs_are_same((const void *const *)a->sups,
	    (const void *const *)b->sups))
		return "SUP";
	if (!ptrs_are_same((const void *const *)a->must,
	    (const void *const *)b->must))
		return "MUST";
	return ptrs_are_same((const void *const *)a->may,
	    (const void *const *)b->may) ? NULL : "MAY";
}

static int
build_class(struct schema *schema, const struct def *def,
    struct class_row *row, struct schema_note *note, struct diag *diag)
{
	const struct object_class *known;
	const char *differs = NULL;
	int rc;

	rc = define_ident(schema, def, &row->c.oid, &row->c.names, diag);
	if (rc != HB_OK)
		return rc;
	row->c.desc_text = define_text(schema, def_value(def, "DESC"));
	row->x_text = arena_slice(&schema->arena, def->x_text);
	rc = fill_class(schema, def, &row->c, diag);
	if (rc != HB_OK) {
		diag_prefix(diag, "'%s'",
		    row->c.names[0] != NULL ? row->c.names[0] : row->c.oid);
		return rc;
	}
	known = schema_find_class(schema, slice_of(row->c.oid));
	if (known != NULL &&
	    (differs = class_difference(&row->c, known)) == NULL) {
		note_same(note, known->oid, class_place(known));
		return HB_OK;
	}
	rc = define_conflict(schema->classes, row->c.oid, row->c.names, differs,
	    class_place, diag);
	if (rc != HB_OK)
		return rc;
	row->c.id = (uint32_t)schema->class_list.n;
	define_register(schema->classes, row->c.oid, row->c.names, row);
	row_add(&schema->class_list, row);
	return HB_OK;
}

int
class_define(struct schema *schema, struct slice text, const struct place *at,
    bool hidden, struct schema_note *note, struct diag *diag)
{
	struct class_row *row;
	struct arena scratch;
	struct def def;
	int rc;

	hb_assert(!schema->frozen);
	note_clear(note);
	arena_init(&scratch, 0);
	rc = def_parse(&scratch, text, class_keys, &def, diag);
	if (rc == HB_OK) {
		row = arena_zalloc(&schema->arena, sizeof(*row));
		row->c.hidden = hidden;
		row->at = define_place(schema, at);
		note_behind(note, &def);
		rc = build_class(schema, &def, row, note, diag);
	}
	if (rc != HB_OK)
		diag_prefix(diag, "objectclass");
	arena_fini(&scratch);
	return rc;
}

int
schema_add_object_class(struct schema *schema, struct slice text,
    const char *file, unsigned line, struct schema_note *note,
    struct diag *diag)
{
	struct place at = { file != NULL ? file : "?", line };

	return class_define(schema, text, &at, false, note, diag);
}

const struct object_class *
schema_class_by_id(const struct schema *schema, uint32_t id)
{
	return id < schema->class_list.n ? schema->class_list.rows[id] : NULL;
}

bool
object_class_is_sub(const struct object_class *a, const struct object_class *b)
{
	const struct object_class *const *sup;

	if (a == b)
		return true;
	for (sup = a->sups; *sup != NULL; sup++)
		if (object_class_is_sub(*sup, b))
			return true;
	return false;
}

static bool
list_has(const struct attr_type *const *list, const struct attr_type *at)
{
	for (; *list != NULL; list++)
		if (*list == at)
			return true;
	return false;
}

static bool
allows_slow(const struct object_class *oc, const struct attr_type *at)
{
	const struct object_class *const *sup;

	if (list_has(oc->must, at) || list_has(oc->may, at))
		return true;
	for (sup = oc->sups; *sup != NULL; sup++)
		if (allows_slow(*sup, at))
			return true;
	return false;
}

bool
object_class_allows(const struct object_class *oc, const struct attr_type *at)
{
	const struct class_row *row = class_row(oc);
	uint32_t id = at->desc.id;

	if (row->nallowed == 0)
		return allows_slow(oc, at);
	return id < row->nallowed && (row->allowed[id / 8] & 1u << id % 8);
}

static void
allow_all_user(struct schema *schema, struct class_row *row)
{
	const struct attr_type *t;
	size_t i;

	for (i = 0; i < schema->type_list.n; i++) {
		t = schema->type_list.rows[i];
		if (t->usage == USAGE_USER)
			row->allowed[t->desc.id / 8] |=
			    (uint8_t)(1u << t->desc.id % 8);
	}
}

static void
allow(struct class_row *row, const struct object_class *oc)
{
	const struct attr_type *const *t;
	const struct object_class *const *sup;

	for (t = oc->must; *t != NULL; t++)
		row->allowed[(*t)->desc.id / 8] |=
		    (uint8_t)(1u << (*t)->desc.id % 8);
	for (t = oc->may; *t != NULL; t++)
		row->allowed[(*t)->desc.id / 8] |=
		    (uint8_t)(1u << (*t)->desc.id % 8);
	for (sup = oc->sups; *sup != NULL; sup++)
		allow(row, *sup);
}

/* The check of every attribute of every entry added is one bit test. */
void
class_freeze_all(struct schema *schema)
{
	uint32_t bits = schema_desc_count(schema);
	struct class_row *row;
	size_t i;

	for (i = 0; i < schema->class_list.n; i++) {
		row = schema->class_list.rows[i];
		row->allowed = arena_zalloc(&schema->arena, bits / 8 + 1);
		allow(row, &row->c);
		if (&row->c == schema->basics.extensible)
			allow_all_user(schema, row);
		row->nallowed = bits;
	}
}
