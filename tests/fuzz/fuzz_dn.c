/*
 * DN strings. What parses has canonical forms that are DNs of the same name;
 * the parts put together again make the whole.
 */
#include <stdlib.h>

#include "dn.h"
#include "util/err.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct schema *schema;

static void
want(bool ok)
{
	if (!ok)
		abort();
}

static void
check_parts(struct arena *arena, const struct dn *dn)
{
	struct dn rdn = dn_rdn(dn), parent = dn_parent(dn), joined;
	struct ava *avas;
	struct buf key;
	unsigned n;

	want(dn_join(arena, &rdn, &parent, &joined) == HB_OK);
	want(dn_is_eq(dn, &joined) && slice_is_eq(dn->text, joined.text));
	want(dn_is_within(dn, &parent));
	want(dn_is_empty(dn) || dn_is_child(dn, &parent));
	want(dn_rdn_avas(arena, schema, dn, &avas, &n) == HB_OK);
	want(n > 0 || dn_is_empty(dn));
	want(dn->norm.len == 0 || memchr(dn->norm.ptr, 0, dn->norm.len) == NULL);
	buf_init(&key);
	dn_put_flat_key(&key, dn->norm);
	want(key.len == (dn_is_empty(dn) ? 0 : dn->norm.len + 1));
	buf_fini(&key);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice text = slice(data, size), norm;
	struct arena arena;
	struct dn dn, again;

	if (schema == NULL) {
		dn_init();
		schema = schema_new();
		schema_freeze(schema);
	}
	arena_init(&arena, 1 << 22);
	if (dn_parse(&arena, schema, text, &dn, NULL) == HB_OK) {
		want(dn.text.len <= DN_LEN_MAX);
		want(dn_parse(&arena, schema, dn.text, &again, NULL) == HB_OK);
		want(dn_is_eq(&dn, &again) &&
		    slice_is_eq(dn.text, again.text));
		check_parts(&arena, &dn);
	}
	dn_parse_rdn(&arena, schema, text, &dn, NULL);
	schema_check_value(schema, schema_builtin(schema, "seeAlso"), text,
	    NULL);
	schema_norm_value(schema, &arena, schema_builtin(schema, "seeAlso"),
	    text, &norm);
	arena_fini(&arena);
	return 0;
}
