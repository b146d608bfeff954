/*
 * DN strings. What parses has canonical forms that are DNs of the same name;
 * the parts put together again make the whole.
 */
#include <stdlib.h>

#include "dn.h"
#include "util/err.h"
#include "util/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct schema *schema;

static void
want(bool ok)
{
	if (!ok)
		abort();
}

/* Both forms are DNs, canonical, and mean the same. */
static void
check_forms(struct arena *arena, const struct dn *dn)
{
	struct dn again, other;

	want(dn->text.len <= DN_LEN_MAX && dn->norm.len <= DN_LEN_MAX);
	want(text_is_utf8(dn->text) && text_is_utf8(dn->norm));
	want(dn->norm.len == 0 || memchr(dn->norm.ptr, 0, dn->norm.len) == NULL);
	want(dn_parse(arena, schema, dn->text, &again, NULL) == HB_OK);
	want(dn_is_eq(dn, &again) && slice_is_eq(dn->text, again.text));
	want(dn_parse(arena, schema, dn->norm, &other, NULL) == HB_OK);
	want(dn_is_eq(dn, &other) && dn_depth(&other) == dn_depth(dn));
}

/* What the AVAs say is what the RDN says, by the other way through the parser. */
static void
check_avas(struct arena *arena, const struct dn *dn)
{
	struct dn rdn = dn_rdn(dn), built;
	struct ava *avas;
	struct buf out;
	unsigned n, i;
	int rc;

	rc = dn_rdn_avas(arena, schema, dn, &avas, &n);
	if (rc == HB_ELIMIT)
		return;			/* too many names made up by now */
	want(rc == HB_OK && n <= 64 && (n > 0 || dn_is_empty(dn)));
	buf_init(&out);
	for (i = 0; i < n; i++) {
		buf_put_str(&out, i == 0 ? "" : "+");
		buf_put_slice(&out, avas[i].desc->name);
		buf_put_char(&out, '=');
		dn_put_escaped(&out, avas[i].value);
	}
	/* #hex is an AVA's octets, and is not built again */
	if (memmem(rdn.text.ptr, rdn.text.len, "=#", 2) == NULL) {
		want(dn_parse(arena, schema, buf_slice(&out), &built, NULL) ==
		    HB_OK);
		want(dn_is_eq(&rdn, &built));
	}
	buf_fini(&out);
}

static void
check_parts(struct arena *arena, const struct dn *dn)
{
	struct dn rdn = dn_rdn(dn), parent = dn_parent(dn), joined, alone;
	unsigned depth = dn_depth(dn);
	struct buf key;

	want(dn_join(arena, &rdn, &parent, &joined) == HB_OK);
	want(dn_is_eq(dn, &joined) && slice_is_eq(dn->text, joined.text));
	want(dn_is_within(dn, &parent) && dn_is_within(dn, dn));
	want(dn_is_empty(dn) || dn_is_child(dn, &parent));
	want(depth == 0 ? dn_is_empty(dn) : dn_depth(&parent) == depth - 1);
	want(dn_rebase(arena, dn, &parent, dn, &joined) == HB_OK);
	want(dn_is_empty(dn) || dn_is_child(&joined, dn));
	if (depth > 0) {
		want(dn_parse_rdn(arena, schema, rdn.text, &alone, NULL) ==
		    HB_OK);
		want(dn_is_eq(&alone, &rdn) &&
		    slice_is_eq(alone.text, rdn.text));
	}
	want(dn_parse(arena, schema, parent.text, &alone, NULL) == HB_OK);
	want(dn_is_eq(&alone, &parent));
	buf_init(&key);
	dn_put_flat_key(&key, dn->norm);
	want(key.len == (dn_is_empty(dn) ? 0 : dn->norm.len + 1));
	buf_fini(&key);
}

/* A DN is a value of the DN syntax, unless it holds others too deep. */
static void
check_value(struct arena *arena, struct slice text, const struct dn *dn)
{
	const struct attr_desc *desc = schema_builtin(schema, "seeAlso");
	bool valid = schema_check_value(schema, desc, text, NULL) == HB_OK;
	struct slice norm;

	want(valid || dn == NULL ||
	    memchr(dn->text.ptr, '\\', dn->text.len) != NULL);
	/* what is valid may still have too long a normal form */
	if (schema_norm_value(schema, arena, desc, text, &norm) == HB_OK)
		want(valid && dn != NULL && slice_is_eq(norm, dn->norm));
}

static void
setup(void)
{
	/* beside text: no blanks count, octets, integers, DNs, UUIDs (built in) */
	static const char *const types[] = {
		"( 2.5.4.20 NAME 'telephoneNumber' "
		    "EQUALITY telephoneNumberMatch "
		    "SYNTAX 1.3.6.1.4.1.1466.115.121.1.50 )",
		"( 1.1.1 NAME 'number' EQUALITY integerMatch "
		    "SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 )",
		"( 1.1.2 NAME 'digits' EQUALITY numericStringMatch "
		    "SYNTAX 1.3.6.1.4.1.1466.115.121.1.36 )",
		"( 1.1.3 NAME 'exact' EQUALITY caseExactMatch "
		    "SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )",
		"( 1.1.4 NAME 'uid2' EQUALITY uniqueMemberMatch "
		    "SYNTAX 1.3.6.1.4.1.1466.115.121.1.34 )",
		"( 1.1.5 NAME 'lines' EQUALITY caseIgnoreListMatch "
		    "SYNTAX 1.3.6.1.4.1.1466.115.121.1.41 )",
		"( 1.1.6 NAME 'when' EQUALITY generalizedTimeMatch "
		    "SYNTAX 1.3.6.1.4.1.1466.115.121.1.24 )",
		NULL
	};
	unsigned i;

	dn_init();
	schema = schema_new();
	for (i = 0; types[i] != NULL; i++)
		want(schema_add_attr_type(schema, slice_of(types[i]), "fuzz",
		    i + 1, NULL, NULL) == HB_OK);
	schema_freeze(schema);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice text = slice(data, size);
	struct arena arena;
	struct dn dn, rdn;
	bool ok;

	if (schema == NULL)
		setup();
	arena_init(&arena, 1 << 22);
	ok = dn_parse(&arena, schema, text, &dn, NULL) == HB_OK;
	if (ok) {
		check_forms(&arena, &dn);
		check_parts(&arena, &dn);
		check_avas(&arena, &dn);
	}
	if (dn_parse_rdn(&arena, schema, text, &rdn, NULL) == HB_OK)
		want(ok && dn_depth(&dn) == 1 && dn_is_eq(&dn, &rdn));
	check_value(&arena, text, ok ? &dn : NULL);
	arena_fini(&arena);
	return 0;
}
