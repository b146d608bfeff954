/*
 * Filter strings: printed and parsed again they print the same; all of them
 * can be resolved and evaluated.
 */
#include <stdlib.h>

#include "filter.h"
#include "util/err.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct schema *schema;
static struct attr_dict *dict;
static struct entry *sample;

static void
add(struct arena *arena, struct attrs *as, const char *name, const char *text)
{
	const struct attr_desc *desc = schema_builtin(schema, name);
	struct slice value = slice_of(text);
	struct attr a;

	attr_dict_add(dict, desc, 0);
	if (attr_make(arena, schema, desc, &value, 1, &a, NULL) != HB_OK ||
	    attrs_add(arena, as, &a) != HB_OK)
		abort();
}

static void
set_up(void)
{
	struct attrs as = { NULL, 0, 0 };
	struct arena arena;
	struct buf buf;
	struct dn dn;

	dn_init();
	schema = schema_new();
	schema_freeze(schema);
	dict = attr_dict_new();
	arena_init(&arena, 0);
	buf_init(&buf);
	add(&arena, &as, "objectClass", "subentry");
	add(&arena, &as, "cn", "Some Name");
	add(&arena, &as, "uidNumber", "17");
	add(&arena, &as, "seeAlso", "cn=Other");
	add(&arena, &as, "createTimestamp", "20260101000000Z");
	if (dn_parse(&arena, schema, SLICE("cn=Some Name+uid=x,cn=y"), &dn,
	    NULL) != HB_OK || entry_encode(&as, dict, &buf) != HB_OK)
		abort();
	sample = entry_new(1, &dn, dict, buf_slice(&buf));
	buf_fini(&buf);
	arena_fini(&arena);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ldap_filter *src, *again;
	struct buf first, second;
	struct arena arena;
	struct filter *f;

	if (schema == NULL)
		set_up();
	arena_init(&arena, 1 << 22);
	buf_init(&first);
	buf_init(&second);
	if (filter_parse(&arena, slice(data, size), &src, NULL) != HB_OK)
		goto out;
	filter_print(src, &first);
	if (filter_parse(&arena, buf_slice(&first), &again, NULL) == HB_OK) {
		filter_print(again, &second);
		if (!slice_is_eq(buf_slice(&first), buf_slice(&second)))
			abort();
	}
	if (filter_resolve(&arena, schema, src, &f) == HB_OK)
		filter_eval(f, schema, sample, NULL, NULL);
out:
	buf_fini(&first);
	buf_fini(&second);
	arena_fini(&arena);
	return 0;
}
