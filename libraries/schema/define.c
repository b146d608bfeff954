/* Steps that the definitions of all kinds share: OIDs, names, references. */
#include <ctype.h>
#include <stdio.h>

#include "schema_int.h"

/* RFC 4512 1.4 numericoid: at least one dot, no number with a leading zero. */
bool
oid_is_numeric(struct slice s)
{
	bool dot = false;
	size_t i, start = 0;	/* of the number that I is in */

	for (i = 0; i < s.len; i++) {
		if (s.ptr[i] == '.' && i > start) {
			dot = true;
			start = i + 1;
		} else if (s.ptr[i] < '0' || s.ptr[i] > '9' ||
		    (i > start && s.ptr[start] == '0')) {
			return false;
		}
	}
	return dot && start < s.len;
}

/* RFC 4512 1.4 keystring; '_' because users' schemas have it. */
bool
descr_is_valid(struct slice s)
{
	size_t i;

	if (s.len == 0 || !isalpha((unsigned char)s.ptr[0]))
		return false;
	for (i = 1; i < s.len; i++)
		if (!isalnum((unsigned char)s.ptr[i]) && s.ptr[i] != '-' &&
		    s.ptr[i] != '_')
			return false;
	return true;
}

int
oid_resolve(const struct schema *schema, struct arena *arena,
    struct slice text, struct slice *oid_r)
{
	const struct macro *base;
	const char *colon;
	struct slice name = text, suffix = SLICE("");

	if (oid_is_numeric(text)) {
		*oid_r = arena_slice(arena, text);
		return HB_OK;
	}
	colon = text.len > 0 ? memchr(text.ptr, ':', text.len) : NULL;
	if (colon != NULL) {
		name.len = (size_t)(colon - text.ptr);
		suffix = slice_skip(text, name.len + 1);
	}
	if ((base = strmap_find(schema->macros, name)) == NULL &&
	    (base = strmap_find(schema->macros_nocase, name)) == NULL)
		return HB_EINVAL;
	*oid_r = arena_printf(arena, "%s%s%.*s", base->oid,
	    suffix.len > 0 ? "." : "", SLICE_ARG(suffix));
	return oid_is_numeric(*oid_r) ? HB_OK : HB_EINVAL;
}

/* An OID, or the first arc of one. */
static bool
is_oid_or_arc(struct slice s)
{
	size_t i;

	for (i = 0; i < s.len && s.ptr[i] >= '0' && s.ptr[i] <= '9'; i++)
		;
	return (i > 0 && i == s.len) || oid_is_numeric(s);
}

static void
set_macro(struct schema *schema, struct slice name, struct slice oid,
    const struct place *at)
{
	struct macro *m = arena_zalloc(&schema->arena, sizeof(*m));

	m->oid = define_text(schema, oid);
	m->at = define_place(schema, at);
	strmap_set(schema->macros, name, m);
	if (strmap_find(schema->macros_nocase, name) == NULL)
		strmap_set(schema->macros_nocase, name, m);
}

int
schema_add_macro(struct schema *schema, struct slice name, struct slice oid,
    const char *file, unsigned line, struct schema_note *note,
    struct diag *diag)
{
	struct place at = { file != NULL ? file : "?", line };
	const struct macro *known;
	struct slice num = oid;
	char where[256];

	hb_assert(!schema->frozen);
	note_clear(note);
	if (!descr_is_valid(name))
		return diag_err(diag, HB_EINVAL, "objectidentifier: '%.*s' is "
		    "no name: a letter, then letters, digits and '-' expected",
		    SLICE_ARG(name));
	if (!is_oid_or_arc(oid) &&
	    oid_resolve(schema, &schema->arena, oid, &num) != HB_OK)
		return diag_err(diag, HB_EINVAL, "objectidentifier: '%.*s': "
		    "'%.*s' is neither an OID nor a known name with a suffix",
		    SLICE_ARG(name), SLICE_ARG(oid));
	known = strmap_find(schema->macros, name);
	if (known == NULL) {
		set_macro(schema, name, num, &at);
	} else if (slice_is_eq(slice_of(known->oid), num)) {
		note_same(note, known->oid, &known->at);
	} else {
		return diag_err(diag, HB_EDUPLICATE, "objectidentifier: '%.*s' "
		    "is defined already as %s (%s)", SLICE_ARG(name),
		    known->oid, place_text(&known->at, where, sizeof(where)));
	}
	return HB_OK;
}

struct place
define_place(struct schema *schema, const struct place *at)
{
	struct place own = { NULL, at->line };

	if (at->file != NULL)
		own.file = arena_strdup(&schema->arena, at->file);
	return own;
}

void
note_clear(struct schema_note *note)
{
	if (note != NULL)
		*note = (struct schema_note){ .same = false };
}

void
note_same(struct schema_note *note, const char *oid, const struct place *at)
{
	char where[256];

	if (note == NULL)
		return;
	note->same = true;
	snprintf(note->text, sizeof(note->text), "%s is defined alike already "
	    "(%s)", oid, place_text(at, where, sizeof(where)));
}

void
note_behind(struct schema_note *note, const struct def *def)
{
	if (note == NULL || def->behind.len == 0)
		return;
	note->ignored = true;
	snprintf(note->text, sizeof(note->text), "text behind the definition "
	    "is ignored: %.*s", SLICE_ARG(def->behind));
}

const char *
define_text(struct schema *schema, struct slice text)
{
	return slice_is_none(text) ? NULL : arena_slice(&schema->arena,
	    text).ptr;
}

static bool
name_is_in(const char *const *names, struct slice name)
{
	for (; *names != NULL; names++)
		if (slice_is_eq_nocase(slice_of(*names), name))
			return true;
	return false;
}

static int
copy_names(struct schema *schema, const struct def *def,
    const char *const **names_r, struct diag *diag)
{
	const struct def_field *f = def_find(def, "NAME");
	const char **names;
	unsigned i, n = f != NULL ? f->n : 0;

	names = arena_calloc(&schema->arena, n + 1, sizeof(*names));
	for (i = 0; i < n; i++) {
		if (!descr_is_valid(f->vals[i]))
			return diag_err(diag, HB_EINVAL, "%.*s: NAME: '%.*s' "
			    "is no valid name: a letter, then letters, digits "
			    "and '-' expected", SLICE_ARG(def->oid),
			    SLICE_ARG(f->vals[i]));
		if (name_is_in(names, f->vals[i]))
			return diag_err(diag, HB_EINVAL, "%.*s: NAME: '%.*s' "
			    "is given twice", SLICE_ARG(def->oid),
			    SLICE_ARG(f->vals[i]));
		names[i] = define_text(schema, f->vals[i]);
	}
	*names_r = names;
	return HB_OK;
}

int
define_ident(struct schema *schema, const struct def *def, const char **oid_r,
    const char *const **names_r, struct diag *diag)
{
	struct slice oid;

	if (oid_resolve(schema, &schema->arena, def->oid, &oid) != HB_OK)
		return diag_err(diag, HB_EINVAL, "'%.*s' is neither an OID "
		    "nor the name of an objectidentifier",
		    SLICE_ARG(def->oid));
	*oid_r = oid.ptr;
	return copy_names(schema, def, names_r, diag);
}

const char *
place_text(const struct place *at, char *buf, size_t size)
{
	if (at->file == NULL)
		return "built in";
	snprintf(buf, size, "%s line %u", at->file, at->line);
	return buf;
}

static int
name_conflict(const struct strmap *map, const char *name, const char *differs,
    const struct place *(*place)(const void *), struct diag *diag)
{
	const void *holder = strmap_find(map, slice_of(name));
	char buf[256];
	const char *where;

	if (holder == NULL)
		return HB_OK;
	where = place_text(place(holder), buf, sizeof(buf));
	if (differs != NULL)
		return diag_err(diag, HB_EDUPLICATE, "'%s' is defined already "
		    "with another %s (%s)", name, differs, where);
	return diag_err(diag, HB_EDUPLICATE, "'%s' is defined already (%s)",
	    name, where);
}

int
define_conflict(const struct strmap *map, const char *oid,
    const char *const *names, const char *differs,
    const struct place *(*place)(const void *), struct diag *diag)
{
	int rc;

	rc = name_conflict(map, oid, differs, place, diag);
	for (; rc == HB_OK && *names != NULL; names++)
		rc = name_conflict(map, *names, NULL, place, diag);
	return rc;
}

void
define_register(struct strmap *map, const char *oid, const char *const *names,
    void *row)
{
	strmap_set(map, slice_of(oid), row);
	for (; *names != NULL; names++)
		strmap_set(map, slice_of(*names), row);
}

bool
names_are_within(const char *const *names, const char *const *other)
{
	const char *const *o;

	for (; *names != NULL; names++) {
		for (o = other; *o != NULL; o++)
			if (strcasecmp(*names, *o) == 0)
				break;
		if (*o == NULL)
			return false;
	}
	return true;
}

const struct attr_type *
find_type_macro(const struct schema *schema, struct slice text)
{
	const struct attr_type *t = schema_find_type(schema, text);
	struct arena scratch;
	struct slice oid;

	if (t != NULL)
		return t;
	arena_init(&scratch, 0);
	if (oid_resolve(schema, &scratch, text, &oid) == HB_OK)
		t = schema_find_type(schema, oid);
	arena_fini(&scratch);
	return t;
}

const struct object_class *
find_class_macro(const struct schema *schema, struct slice text)
{
	const struct object_class *c = schema_find_class(schema, text);
	struct arena scratch;
	struct slice oid;

	if (c != NULL)
		return c;
	arena_init(&scratch, 0);
	if (oid_resolve(schema, &scratch, text, &oid) == HB_OK)
		c = schema_find_class(schema, oid);
	arena_fini(&scratch);
	return c;
}

static int
unknown_ref(const char *key, const char *what, struct slice name,
    const char *near, struct diag *diag)
{
	if (near != NULL)
		return diag_err(diag, HB_EINVAL, "%s: %s '%.*s' is not known "
		    "(did you mean '%s'?)", key, what, SLICE_ARG(name), near);
	return diag_err(diag, HB_EINVAL, "%s: %s '%.*s' is not known", key,
	    what, SLICE_ARG(name));
}

static bool
ptr_is_in(const void *const *list, unsigned n, const void *p)
{
	while (n-- > 0)
		if (list[n] == p)
			return true;
	return false;
}

int
define_types(struct schema *schema, const struct def *def, const char *key,
    const struct attr_type *const **types_r, struct diag *diag)
{
	const struct def_field *f = def_find(def, key);
	const struct attr_type **types, *t;
	unsigned i, n = 0, max = f != NULL ? f->n : 0;

	types = arena_calloc(&schema->arena, max + 1, sizeof(*types));
	for (i = 0; i < max; i++) {
		t = find_type_macro(schema, f->vals[i]);
		if (t == NULL)
			return unknown_ref(key, "attribute type", f->vals[i],
			    schema_nearest_type(schema, f->vals[i]), diag);
		if (!ptr_is_in((const void *const *)types, n, t))
			types[n++] = t;
	}
	*types_r = types;
	return HB_OK;
}

int
define_classes(struct schema *schema, const struct def *def, const char *key,
    const struct object_class *const **classes_r, struct diag *diag)
{
	const struct def_field *f = def_find(def, key);
	const struct object_class **classes, *c;
	unsigned i, n = 0, max = f != NULL ? f->n : 0;

	classes = arena_calloc(&schema->arena, max + 1, sizeof(*classes));
	for (i = 0; i < max; i++) {
		c = find_class_macro(schema, f->vals[i]);
		if (c == NULL)
			return unknown_ref(key, "object class", f->vals[i],
			    schema_nearest_class(schema, f->vals[i]), diag);
		if (!ptr_is_in((const void *const *)classes, n, c))
			classes[n++] = c;
	}
	*classes_r = classes;
	return HB_OK;
}

bool
ptrs_are_same(const void *const *a, const void *const *b)
{
	unsigned na = 0, nb = 0;

	while (a[na] != NULL)
		na++;
	while (b[nb] != NULL)
		nb++;
	if (na != nb)
		return false;
	while (na-- > 0)
		if (!ptr_is_in(b, nb, a[na]))
			return false;
	return true;
}
