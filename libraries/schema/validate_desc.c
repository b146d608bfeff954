/*
 * Validators of descriptions (RFC 4512 4.1, 4.1.7). What OIDs and names stand
 * for is not asked, but where one is due a string is refused.
 */
#include "schema_int.h"

/* What the values of a key are. */
enum value_kind { V_OIDS, V_NAMES, V_TEXT, V_NONE, V_SYNTAX, V_NUMBERS,
	V_USAGE };

struct desc_key {
	struct def_key key;
	enum value_kind value;
	bool required;
};

static const struct desc_key desc_name = { { "NAME", DEF_NAMES }, V_NAMES,
	false };
static const struct desc_key desc_text = { { "DESC", DEF_STRING }, V_TEXT,
	false };
static const struct desc_key desc_obsolete = { { "OBSOLETE", DEF_FLAG },
	V_NONE, false };

#define OWN_MAX		10

/* A kind of description: its own keys besides NAME, DESC, OBSOLETE. */
struct desc_kind {
	bool numbered;		/* begins with a rule's number, not an OID */
	bool plain;		/* has DESC alone */
	struct desc_key own[OWN_MAX + 1];
};

static const struct desc_kind attr_type_kind = { .own = {
	{ { "SUP", DEF_ONE }, V_OIDS, false },
	{ { "EQUALITY", DEF_ONE }, V_OIDS, false },
	{ { "ORDERING", DEF_ONE }, V_OIDS, false },
	{ { "SUBSTR", DEF_ONE }, V_OIDS, false },
	{ { "SYNTAX", DEF_ONE }, V_SYNTAX, false },
	{ { "SINGLE-VALUE", DEF_FLAG }, V_NONE, false },
	{ { "COLLECTIVE", DEF_FLAG }, V_NONE, false },
	{ { "NO-USER-MODIFICATION", DEF_FLAG }, V_NONE, false },
	{ { "USAGE", DEF_ONE }, V_USAGE, false } }
};
static const struct desc_kind object_class_kind = { .own = {
	{ { "SUP", DEF_LIST }, V_OIDS, false },
	{ { "ABSTRACT", DEF_FLAG }, V_NONE, false },
	{ { "STRUCTURAL", DEF_FLAG }, V_NONE, false },
	{ { "AUXILIARY", DEF_FLAG }, V_NONE, false },
	{ { "MUST", DEF_LIST }, V_OIDS, false },
	{ { "MAY", DEF_LIST }, V_OIDS, false } }
};
static const struct desc_kind content_rule_kind = { .own = {
	{ { "AUX", DEF_LIST }, V_OIDS, false },
	{ { "MUST", DEF_LIST }, V_OIDS, false },
	{ { "MAY", DEF_LIST }, V_OIDS, false },
	{ { "NOT", DEF_LIST }, V_OIDS, false } }
};
static const struct desc_kind structure_rule_kind = { .numbered = true,
    .own = {
	{ { "FORM", DEF_ONE }, V_OIDS, true },
	{ { "SUP", DEF_LIST }, V_NUMBERS, false } }
};
static const struct desc_kind name_form_kind = { .own = {
	{ { "OC", DEF_ONE }, V_OIDS, true },
	{ { "MUST", DEF_LIST }, V_OIDS, true },
	{ { "MAY", DEF_LIST }, V_OIDS, false } }
};
static const struct desc_kind matching_rule_kind = { .own = {
	{ { "SYNTAX", DEF_ONE }, V_SYNTAX, true } }
};
static const struct desc_kind rule_use_kind = { .own = {
	{ { "APPLIES", DEF_LIST }, V_OIDS, true } }
};
static const struct desc_kind syntax_kind = { .plain = true };

/* number of RFC 4512 1.4 */
static bool
is_number(struct slice s)
{
	size_t i;

	for (i = 0; i < s.len; i++)
		if (s.ptr[i] < '0' || s.ptr[i] > '9')
			return false;
	return s.len == 1 || (s.len > 1 && s.ptr[0] != '0');
}

static bool
is_oid(struct slice s)
{
	return oid_is_numeric(s) || descr_is_valid(s);
}

/* noidlen: numeric OID or OID{bound} */
static bool
is_syntax(struct slice s)
{
	const char *brace = memchr(s.ptr, '{', s.len);
	size_t n;

	if (brace == NULL)
		return oid_is_numeric(s);
	n = (size_t)(brace - s.ptr);
	return s.ptr[s.len - 1] == '}' && oid_is_numeric(slice(s.ptr, n)) &&
	    is_number(slice(brace + 1, s.len - n - 2));
}

static bool
is_usage(struct slice s)
{
	static const char *const usages[] = {
		"userApplications", "directoryOperation",
		"distributedOperation", "dSAOperation"
	};
	unsigned i;

	for (i = 0; i < 4; i++)
		if (slice_is_eq_nocase(s, slice_of(usages[i])))
			return true;
	return false;
}

static bool
value_is_valid(enum value_kind kind, struct slice s)
{
	switch (kind) {
	case V_NAMES:
		return descr_is_valid(s);
	case V_TEXT:
		return s.len > 0;
	case V_SYNTAX:
		return s.len > 0 && is_syntax(s);
	case V_NUMBERS:
		return is_number(s);
	case V_USAGE:
		return is_usage(s);
	case V_OIDS:
		return is_oid(s);
	case V_NONE:
		break;
	}
	return true;
}

/* Between values I and I + 1: one '$', none between quoted names. */
static bool
is_parted(const struct def_field *f, unsigned i, bool quoted)
{
	const char *p = f->vals[i].ptr + f->vals[i].len;
	unsigned dollars = 0;

	for (; p < f->vals[i + 1].ptr; p++)
		dollars += *p == '$';
	return dollars == (quoted ? 0 : 1);
}

/*
 * What the parser of users' files does not mind: names without quotes, OIDs in
 * quotes, lists without '$', a list right behind its key. Values point into
 * the description, so what stands around them can be looked at.
 */
static bool
is_written_well(const struct def_field *f, enum value_kind kind)
{
	bool quoted = kind == V_NAMES || kind == V_TEXT;
	bool dollars = kind == V_OIDS;
	const char *p;
	unsigned i;

	for (i = 0; i < f->n; i++) {
		if ((f->vals[i].ptr[-1] == '\'') != quoted)
			return false;
		if (i + 1 < f->n && !is_parted(f, i, !dollars))
			return false;
	}
	if (f->n == 0)
		return true;
	for (p = f->vals[0].ptr - quoted; p[-1] == ' '; p--)
		;
	return p[-1] != '(' || p[-2] == ' ';
}

static bool
key_is_valid(const struct def *def, const struct desc_key *key)
{
	const struct def_field *f = def_find(def, key->key.key);
	unsigned i;

	if (f == NULL)
		return !key->required;
	if (f->n == 0 && key->value != V_NONE && key->value != V_NAMES)
		return false;
	for (i = 0; i < f->n; i++)
		if (!value_is_valid(key->value, f->vals[i]))
			return false;
	return is_written_well(f, key->value);
}

/* What the fields of DEF point to ends with this function. */
static int
check(const struct desc_kind *kind, struct slice v, struct arena *arena)
{
	const struct desc_key *all[OWN_MAX + 3];
	struct def_key keys[OWN_MAX + 4];
	unsigned i, n = 0;
	struct def def;

	all[n++] = &desc_text;
	if (!kind->plain) {
		all[n++] = &desc_name;
		all[n++] = &desc_obsolete;
	}
	for (i = 0; kind->own[i].key.key != NULL; i++)
		all[n++] = &kind->own[i];
	for (i = 0; i < n; i++)
		keys[i] = all[i]->key;
	keys[n] = (struct def_key){ NULL, DEF_FLAG };
	if (!text_is_utf8(v) || def_parse(arena, v, keys, &def, NULL) != HB_OK)
		return HB_ESYNTAX;
	if (def.behind.len > 0 || (kind->numbered ? !is_number(def.oid) :
	    !oid_is_numeric(def.oid)))
		return HB_ESYNTAX;
	for (i = 0; i < n; i++) {
		if (!key_is_valid(&def, all[i]))
			return HB_ESYNTAX;
	}
	return kind == &object_class_kind && def_has(&def, "ABSTRACT") +
	    def_has(&def, "STRUCTURAL") + def_has(&def, "AUXILIARY") > 1 ?
	    HB_ESYNTAX : HB_OK;
}

static int
validate_desc(const struct desc_kind *kind, struct slice v)
{
	struct arena arena;
	int rc;

	arena_init(&arena, 0);
	rc = check(kind, v, &arena);
	arena_fini(&arena);
	return rc;
}

#define VALIDATOR(name)							\
int									\
validate_##name(const struct schema *schema, struct slice v)		\
{									\
	(void)schema;							\
	return validate_desc(&name##_kind, v);				\
}

VALIDATOR(attr_type)
VALIDATOR(object_class)
VALIDATOR(content_rule)
VALIDATOR(structure_rule)
VALIDATOR(name_form)
VALIDATOR(matching_rule)
VALIDATOR(rule_use)
VALIDATOR(syntax)
