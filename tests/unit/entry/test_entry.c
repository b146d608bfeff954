/*
 * Blocks and entries: what was put in comes out, damage is noticed.
 */
#include "../dn/sample.h"

#include "ber.h"
#include "entry.h"
#include "util/mem.h"

static struct schema *schema;

static const struct attr_desc *
desc(const char *name)
{
	const struct attr_desc *d;

	assert_int_equal(schema_desc_any(schema, slice_of(name), &d), HB_OK);
	return d;
}

static void
add(struct arena *arena, struct attrs *as, const char *name, const char *v1,
    const char *v2)
{
	struct slice values[2] = { slice_of(v1), slice_of(v2 ? v2 : "") };
	struct diag diag = DIAG_INIT;
	struct attr a;
	int rc;

	rc = attr_make(arena, schema, desc(name), values, v2 ? 2 : 1, &a,
	    &diag);
	if (rc != HB_OK)
		print_message("%s\n", diag.text);
	assert_int_equal(rc, HB_OK);
	assert_int_equal(attrs_add(arena, as, &a), HB_OK);
}

static void
fill(struct arena *arena, struct attrs *as)
{
	add(arena, as, "objectClass", "inetOrgPerson", NULL);
	add(arena, as, "entryUUID", "01234567-89ab-cdef-0123-456789abcdef",
	    NULL);
	add(arena, as, "cn", "Anna B", "Bea");
	add(arena, as, "cn;lang-en", "Ann", NULL);
	add(arena, as, "sn", "b", NULL);
	add(arena, as, "modifyTimestamp", "20260101000000Z", NULL);
	add(arena, as, "exact", "x", NULL);
}

static void
number_all(struct attr_dict *dict, const struct attrs *as)
{
	unsigned i;

	for (i = 0; i < as->n; i++)
		attr_dict_add(dict, as->v[i].desc, 0);
}

static void
block(void **state)
{
	static const char *const order[] = {
		"objectClass", "cn", "cn;lang-en", "sn", "exact", "entryUUID",
		"modifyTimestamp"
	};
	struct attr_dict *dict = attr_dict_new();
	struct attrs as = { NULL, 0, 0 }, edited;
	struct slice v, norm, wire;
	struct entry_attr a;
	struct entry *e, *more;
	struct arena arena;
	struct buf buf;
	struct dn dn;
	unsigned i;

	(void)state;
	arena_init(&arena, 0);
	buf_init(&buf);
	buf_put_char(&buf, 'x');	/* a block begins anywhere in OUT */
	fill(&arena, &as);
	assert_int_equal(entry_encode(&as, dict, &buf), HB_EINVAL);
	number_all(dict, &as);
	buf.len = 1;
	assert_int_equal(entry_encode(&as, dict, &buf), HB_OK);
	dn = sample_dn(&arena, schema, "cn=Anna B,dc=x");
	e = entry_new(7, &dn, dict, slice_skip(buf_slice(&buf), 1));
	assert_int_equal(entry_block_check(e->block, dict), HB_OK);
	assert_int_equal((uintptr_t)e->block.ptr % 8, 0);
	assert_true(dn_is_eq(&e->dn, &dn) && slice_is_eq(e->dn.text, dn.text));
	assert_int_equal(entry_nattrs(e), 7);
	for (i = 0; i < 7; i++) {
		entry_attr_at(e, i, &a);
		assert_ptr_equal(a.desc, desc(order[i]));
		assert_ptr_equal(entry_attr_desc(e, i), a.desc);
	}
	assert_true(entry_find(e, desc("cn"), &a));
	assert_int_equal(a.n, 2);
	assert_true(entry_value_next(&a, &v, &norm));
	assert_slice_is(v, "Anna B");
	assert_slice_is(norm, "anna b");
	assert_true(entry_value_next(&a, NULL, &norm));
	assert_slice_is(norm, "bea");
	assert_false(entry_value_next(&a, &v, NULL));
	assert_true(entry_find(e, desc("sn"), &a) && a.norms == NULL);
	assert_false(entry_find(e, desc("uid"), &a));
	assert_true(entry_has_norm(e, desc("cn"), SLICE("bea")));
	assert_false(entry_has_norm(e, desc("cn"), SLICE("Bea")));
	assert_true(entry_has_norm(e, desc("exact"), SLICE("x")));
	assert_slice_is(entry_value(e, desc("sn")), "b");
	assert_true(slice_is_none(entry_value(e, desc("uid"))));
	wire = entry_user_wire(e);
	assert_true(entry_find(e, desc("exact"), &a));
	assert_ptr_equal(a.element.ptr + a.element.len, wire.ptr + wire.len);
	assert_ptr_equal(entry_operational_wire(e).ptr, wire.ptr + wire.len);
	assert_true(entry_is_class(e, schema,
	    schema_find_class(schema, SLICE("person"))));
	assert_false(entry_is_class(e, schema,
	    schema_find_class(schema, SLICE("account"))));
	assert_int_equal(entry_edit(&arena, e, &edited), HB_OK);
	assert_int_equal(edited.n, 7);
	buf_reset(&buf);
	assert_int_equal(entry_encode(&edited, dict, &buf), HB_OK);
	assert_true(slice_is_eq(buf_slice(&buf), e->block));
	more = entry_ref(e);
	entry_unref(&more);
	assert_null(more);
	entry_unref(&more);
	entry_unref(&e);
	attr_dict_free(&dict);
	buf_fini(&buf);
	arena_fini(&arena);
}

struct compare_case {
	const char *type, *value;
	int rc;
};

static const struct compare_case compare_cases[] = {
	{ "cn", "ANNA B", HB_COMPARE_TRUE },
	{ "cn", "b", HB_COMPARE_FALSE },
	{ "cn", "ann", HB_COMPARE_TRUE },	/* cn;lang-en is a subtype */
	{ "cn;lang-en", "ann", HB_COMPARE_TRUE },
	{ "cn;lang-", "ann", HB_COMPARE_TRUE },
	{ "cn;lang-en", "bea", HB_COMPARE_FALSE },
	{ "cn;lang-de", "ann", HB_ENOSUCHATTR },
	{ "name", "B", HB_COMPARE_TRUE },	/* sn */
	{ "uid", "b", HB_ENOSUCHATTR },
	{ "exact", "x", HB_COMPARE_TRUE },
	{ "exact", "X", HB_COMPARE_FALSE },
};

/* RFC 4511 4.10. */
static void
compare(void **state)
{
	struct attr_dict *dict = attr_dict_new();
	const struct compare_case *c;
	struct attrs as = { NULL, 0, 0 };
	const struct attr_desc *d;
	struct slice norm;
	struct entry *e;
	struct arena arena;
	struct buf buf;
	struct dn dn;
	unsigned i;

	(void)state;
	arena_init(&arena, 0);
	buf_init(&buf);
	fill(&arena, &as);
	number_all(dict, &as);
	assert_int_equal(entry_encode(&as, dict, &buf), HB_OK);
	dn = sample_dn(&arena, schema, "cn=Anna B,dc=x");
	e = entry_new(7, &dn, dict, buf_slice(&buf));
	for (i = 0; i < sizeof(compare_cases) / sizeof(*compare_cases); i++) {
		c = &compare_cases[i];
		d = desc(c->type);
		assert_int_equal(schema_norm_assertion(schema, &arena,
		    d->type->equality, SUBSTR_WHOLE, slice_of(c->value),
		    &norm), HB_OK);
		assert_int_equal(entry_compare(&arena, schema, e, d,
		    slice_of(c->value), norm), c->rc);
	}
	entry_unref(&e);
	attr_dict_free(&dict);
	buf_fini(&buf);
	arena_fini(&arena);
}

/* The wire part is what a BER reader expects of a PartialAttributeList. */
static void
wire(void **state)
{
	struct attr_dict *dict = attr_dict_new();
	struct attrs as = { NULL, 0, 0 };
	struct ber_reader r, attr, set;
	char big[70000];
	struct attr a;
	struct slice value = { big, sizeof(big) }, user;
	struct entry *e;
	struct arena arena;
	struct buf buf;

	(void)state;
	arena_init(&arena, 0);
	buf_init(&buf);
	memset(big, 'v', sizeof(big));
	assert_int_equal(attr_make(&arena, schema, desc("blob"), &value, 1, &a,
	    NULL), HB_OK);
	assert_int_equal(attrs_add(&arena, &as, &a), HB_OK);
	number_all(dict, &as);
	assert_int_equal(entry_encode(&as, dict, &buf), HB_OK);
	e = entry_new(1, &DN_EMPTY, dict, buf_slice(&buf));
	user = entry_user_wire(e);
	ber_reader_init(&r, user);
	attr = ber_enter(&r, BER_SEQUENCE);
	assert_slice_is(ber_get_octets(&attr, BER_OCTETS), "blob");
	set = ber_enter(&attr, BER_SET);
	assert_true(slice_is_eq(ber_get_octets(&set, BER_OCTETS), value));
	ber_leave(&attr, &set);
	ber_leave(&r, &attr);
	ber_expect_end(&r);
	assert_int_equal(ber_reader_error(&r), HB_OK);
	entry_unref(&e);
	attr_dict_free(&dict);
	buf_fini(&buf);
	arena_fini(&arena);
}

/* No damage of one octet, and no cut, makes the accessors leave the block. */
static void
damage(void **state)
{
	struct attr_dict *dict = attr_dict_new();
	struct attrs as = { NULL, 0, 0 };
	struct entry_attr a;
	struct arena arena;
	struct slice s;
	struct entry *e;
	struct buf buf;
	char *room;
	size_t i, k;
	unsigned j;

	(void)state;
	arena_init(&arena, 0);
	buf_init(&buf);
	fill(&arena, &as);
	number_all(dict, &as);
	assert_int_equal(entry_encode(&as, dict, &buf), HB_OK);
	for (i = 0; i < buf.len; i++) {
		room = mem_alloc(i);
		memcpy(room, buf.data, i);
		assert_int_not_equal(entry_block_check(slice(room, i), dict),
		    HB_OK);
		free(room);
	}
	for (i = 0; i < buf.len * 8; i++) {
		e = entry_new_room(1, &DN_EMPTY, dict, buf.len, &room);
		memcpy(room, buf.data, buf.len);
		room[i / 8] ^= (char)(1 << i % 8);
		if (entry_block_check(e->block, dict) == HB_OK)
			for (j = 0; j < entry_nattrs(e); j++)
				for (entry_attr_at(e, j, &a), k = 0;
				    entry_value_next(&a, NULL, &s); k++)
					assert_true(s.ptr + s.len <=
					    e->block.ptr + e->block.len);
		entry_unref(&e);
	}
	attr_dict_free(&dict);
	buf_fini(&buf);
	arena_fini(&arena);
}

static void
dictionary(void **state)
{
	struct attr_dict *d = attr_dict_new();
	const struct attr_desc *cn = desc("cn"), *sn = desc("sn");

	(void)state;
	assert_int_equal(attr_dict_num(d, cn), 0);
	assert_null(attr_dict_desc(d, 1));
	assert_int_equal(attr_dict_add(d, cn, 5000), 5000);
	assert_int_equal(attr_dict_add(d, cn, 0), 5000);
	assert_int_equal(attr_dict_add(d, sn, 5000), 0);
	assert_int_equal(attr_dict_add(d, sn, 0), 5001);
	assert_ptr_equal(attr_dict_desc(d, 5000), cn);
	assert_ptr_equal(attr_dict_desc(d, 5001), sn);
	assert_int_equal(attr_dict_num(d, sn), 5001);
	assert_null(attr_dict_desc(d, UINT32_MAX));
	attr_dict_free(&d);
	attr_dict_free(&d);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(block),
		cmocka_unit_test(compare),
		cmocka_unit_test(wire),
		cmocka_unit_test(damage),
		cmocka_unit_test(dictionary),
	};
	int rc;

	schema = sample_schema();
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	schema_free(&schema);
	return rc;
}
