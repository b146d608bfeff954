/*
 * Blocks as a damaged disk may hand them out: what passes the check can be
 * walked, edited and encoded again.
 */
#include <stdlib.h>

#include "entry.h"
#include "util/err.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct schema *schema;
static struct attr_dict *dict;

static void
set_up(void)
{
	static const char *const names[] = {
		"objectClass", "cn", "description", "entryUUID", "userPassword"
	};
	unsigned i;

	dn_init();
	schema = schema_new();
	schema_freeze(schema);
	dict = attr_dict_new();
	for (i = 0; i < 5; i++)
		attr_dict_add(dict, schema_builtin(schema, names[i]), i + 1);
}

static void
walk(struct entry *e)
{
	unsigned i, sum = 0;
	struct slice value, norm, wire;
	struct entry_attr a;

	for (i = 0; i < entry_nattrs(e); i++)
		for (entry_attr_at(e, i, &a);
		    entry_value_next(&a, &value, &norm);)
			sum += (value.len > 0 ? (uint8_t)*value.ptr : 0) +
			    (norm.len > 0 ? (uint8_t)norm.ptr[norm.len - 1] : 0);
	wire = entry_user_wire(e);
	sum += wire.len > 0 ? (uint8_t)wire.ptr[wire.len - 1] : 0;
	wire = entry_operational_wire(e);
	sum += wire.len > 0 ? (uint8_t)wire.ptr[wire.len - 1] : 0;
	entry_is_class(e, schema, schema_find_class(schema, SLICE("top")));
	entry_has_norm(e, schema_builtin(schema, "cn"), SLICE("a"));
	if (sum == 1)
		abort();		/* the sum of what was read is used */
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena;
	struct attrs as;
	struct entry *e;
	struct buf buf;

	if (dict == NULL)
		set_up();
	if (entry_block_check(slice(data, size), dict) != HB_OK)
		return 0;
	e = entry_new(1, &DN_EMPTY, dict, slice(data, size));
	walk(e);
	arena_init(&arena, 1 << 22);
	buf_init(&buf);
	if (entry_edit(&arena, e, &as) == HB_OK &&
	    (entry_encode(&as, dict, &buf) != HB_OK ||
	    entry_block_check(buf_slice(&buf), dict) != HB_OK))
		abort();
	buf_fini(&buf);
	arena_fini(&arena);
	entry_unref(&e);
	return 0;
}
