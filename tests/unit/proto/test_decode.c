/* Requests of RFC 4511 4.2 - 4.12: whole ones, and what must be refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "message.h"

#define N(a)		(sizeof(a) / sizeof((a)[0]))
#define B(lit)		{ lit, sizeof(lit) - 1 }
#define IS(s, lit)	assert_true(slice_is_eq(s, SLICE(lit)))

static struct arena arena;

static int
setup(void **state)
{
	(void)state;
	arena_init(&arena, 1 << 20);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	arena_fini(&arena);
	return 0;
}

static void
bind_simple(void **state)
{
	struct message m;
	struct ldap_msg msg;

	(void)state;
	msg_begin(&m, 1);
	msg_open(&m, LDAP_TAG_BIND_REQUEST);
	ber_put_int(&m.w, BER_INTEGER, 3);
	msg_text(&m, "cn=admin");
	ber_put_octets(&m.w, BER_CONTEXT | 0, SLICE("secret"));
	assert_int_equal(msg_decode(&m, &arena, &msg), HB_OK);
	assert_int_equal(msg.id, 1);
	assert_int_equal(msg.tag, LDAP_TAG_BIND_REQUEST);
	assert_int_equal(msg.req.bind.version, 3);
	IS(msg.req.bind.dn, "cn=admin");
	IS(msg.req.bind.password, "secret");
	assert_false(msg.req.bind.is_sasl);
	assert_int_equal(msg.ncontrols, 0);
	msg_end(&m);
}

static void
bind_sasl(void **state)
{
	struct message m;
	struct ldap_msg msg;
	int with;

	(void)state;
	for (with = 0; with < 2; with++) {
		msg_begin(&m, 2);
		msg_open(&m, LDAP_TAG_BIND_REQUEST);
		ber_put_int(&m.w, BER_INTEGER, 3);
		msg_text(&m, "");
		msg_open(&m, BER_CONTEXT | BER_CONSTRUCTED | 3);
		msg_text(&m, "EXTERNAL");
		if (with)
			msg_text(&m, "");
		assert_int_equal(msg_decode(&m, &arena, &msg), HB_OK);
		assert_true(msg.req.bind.is_sasl);
		IS(msg.req.bind.dn, "");
		IS(msg.req.bind.mechanism, "EXTERNAL");
		assert_int_equal(slice_is_none(msg.req.bind.credentials),
		    !with);
		msg_end(&m);
	}
}

static void
search(void **state)
{
	struct message m;
	struct ldap_msg msg;

	(void)state;
	msg_begin(&m, INT32_MAX);
	msg_open(&m, LDAP_TAG_SEARCH_REQUEST);
	msg_text(&m, "dc=example");
	ber_put_int(&m.w, BER_ENUMERATED, LDAP_SCOPE_SUB);
	ber_put_int(&m.w, BER_ENUMERATED, LDAP_DEREF_ALWAYS);
	ber_put_int(&m.w, BER_INTEGER, 10);
	ber_put_int(&m.w, BER_INTEGER, INT32_MAX);
	ber_put_bool(&m.w, BER_BOOLEAN, true);
	ber_put_octets(&m.w, LDAP_FILTER_PRESENT, SLICE("objectClass"));
	msg_open(&m, BER_SEQUENCE);
	msg_text(&m, "cn");
	msg_text(&m, "+");
	assert_int_equal(msg_decode(&m, &arena, &msg), HB_OK);
	assert_int_equal(msg.id, INT32_MAX);
	IS(msg.req.search.base, "dc=example");
	assert_int_equal(msg.req.search.scope, LDAP_SCOPE_SUB);
	assert_int_equal(msg.req.search.deref, LDAP_DEREF_ALWAYS);
	assert_int_equal(msg.req.search.size_limit, 10);
	assert_int_equal(msg.req.search.time_limit, INT32_MAX);
	assert_true(msg.req.search.types_only);
	assert_int_equal(msg.req.search.filter->type, LDAP_FILTER_PRESENT);
	IS(msg.req.search.filter->attr, "objectClass");
	assert_int_equal(msg.req.search.nattrs, 2);
	IS(msg.req.search.attrs[1], "+");
	msg_end(&m);
}

/* Numbers of a SearchRequest: what is no such value is no request. */
static void
search_numbers(void **state)
{
	static const struct {
		int64_t scope, deref, size, time;
		int rc;
	} cases[] = {
		{ 0, 0, 0, 0, HB_OK }, { 3, 3, 1, 1, HB_OK },
		{ 4, 0, 0, 0, HB_EPROTO }, { -1, 0, 0, 0, HB_EPROTO },
		{ 0, 4, 0, 0, HB_EPROTO }, { 0, -1, 0, 0, HB_EPROTO },
		{ 0, 0, -1, 0, HB_EPROTO }, { 0, 0, 0, -1, HB_EPROTO },
		{ 0, 0, 2147483648, 0, HB_EPROTO },
		{ 0, 0, 0, INT64_MAX, HB_EPROTO },
		{ INT64_MAX, 0, 0, 0, HB_EPROTO },
	};
	struct message m;
	struct ldap_msg msg;
	size_t i;

	(void)state;
	for (i = 0; i < N(cases); i++) {
		msg_begin(&m, 77);
		msg_open(&m, LDAP_TAG_SEARCH_REQUEST);
		msg_text(&m, "");
		ber_put_int(&m.w, BER_ENUMERATED, cases[i].scope);
		ber_put_int(&m.w, BER_ENUMERATED, cases[i].deref);
		ber_put_int(&m.w, BER_INTEGER, cases[i].size);
		ber_put_int(&m.w, BER_INTEGER, cases[i].time);
		ber_put_bool(&m.w, BER_BOOLEAN, false);
		ber_put_octets(&m.w, LDAP_FILTER_PRESENT, SLICE("x"));
		msg_open(&m, BER_SEQUENCE);
		assert_int_equal(msg_decode(&m, &arena, &msg), cases[i].rc);
		/* enough is known to answer */
		assert_int_equal(msg.id, 77);
		assert_int_equal(msg.tag, LDAP_TAG_SEARCH_REQUEST);
		msg_end(&m);
	}
}

static void
put_attr(struct message *m, const char *name, unsigned nvalues)
{
	unsigned i;

	msg_open(m, BER_SEQUENCE);
	msg_text(m, name);
	msg_open(m, BER_SET);
	for (i = 0; i < nvalues; i++)
		msg_text(m, i == 0 ? "first" : "more");
	msg_close(m);
	msg_close(m);
}

static void
add(void **state)
{
	struct message m;
	struct ldap_msg msg;

	(void)state;
	msg_begin(&m, 5);
	msg_open(&m, LDAP_TAG_ADD_REQUEST);
	msg_text(&m, "cn=x");
	msg_open(&m, BER_SEQUENCE);
	put_attr(&m, "cn", 1);
	put_attr(&m, "objectClass", 3);
	assert_int_equal(msg_decode(&m, &arena, &msg), HB_OK);
	IS(msg.req.add.dn, "cn=x");
	assert_int_equal(msg.req.add.nattrs, 2);
	IS(msg.req.add.attrs[0].name, "cn");
	assert_int_equal(msg.req.add.attrs[1].nvalues, 3);
	IS(msg.req.add.attrs[1].values[0], "first");
	IS(msg.req.add.attrs[1].values[2], "more");
	msg_end(&m);
	/* Attribute has a value, PartialAttribute need not (4.1.7) */
	msg_begin(&m, 5);
	msg_open(&m, LDAP_TAG_ADD_REQUEST);
	msg_text(&m, "cn=x");
	msg_open(&m, BER_SEQUENCE);
	put_attr(&m, "cn", 0);
	assert_int_equal(msg_decode(&m, &arena, &msg), HB_EPROTO);
	msg_end(&m);
}

static void
modify(void **state)
{
	static const struct {
		int64_t type;
		unsigned nvalues;
		int rc;
	} cases[] = {
		{ LDAP_MOD_ADD, 1, HB_OK }, { LDAP_MOD_ADD, 2, HB_OK },
		{ LDAP_MOD_ADD, 0, HB_EPROTO },
		{ LDAP_MOD_DELETE, 0, HB_OK }, { LDAP_MOD_DELETE, 2, HB_OK },
		{ LDAP_MOD_REPLACE, 0, HB_OK },
		{ LDAP_MOD_INCREMENT, 1, HB_OK },
		{ LDAP_MOD_INCREMENT, 0, HB_EPROTO },
		{ LDAP_MOD_INCREMENT, 2, HB_EPROTO },
		{ 4, 1, HB_EPROTO }, { -1, 1, HB_EPROTO },
	};
	struct message m;
	struct ldap_msg msg;
	size_t i;

	(void)state;
	for (i = 0; i < N(cases); i++) {
		msg_begin(&m, 6);
		msg_open(&m, LDAP_TAG_MODIFY_REQUEST);
		msg_text(&m, "cn=x");
		msg_open(&m, BER_SEQUENCE);
		msg_open(&m, BER_SEQUENCE);
		ber_put_int(&m.w, BER_ENUMERATED, cases[i].type);
		put_attr(&m, "uidNumber", cases[i].nvalues);
		assert_int_equal(msg_decode(&m, &arena, &msg), cases[i].rc);
		if (cases[i].rc == HB_OK) {
			assert_int_equal(msg.req.modify.nmods, 1);
			assert_int_equal(msg.req.modify.mods[0].type,
			    cases[i].type);
			assert_int_equal(msg.req.modify.mods[0].attr.nvalues,
			    cases[i].nvalues);
		}
		msg_end(&m);
	}
}

static void
modrdn(void **state)
{
	struct message m;
	struct ldap_msg msg;
	int with;

	(void)state;
	for (with = 0; with < 2; with++) {
		msg_begin(&m, 7);
		msg_open(&m, LDAP_TAG_MODRDN_REQUEST);
		msg_text(&m, "cn=a,dc=x");
		msg_text(&m, "cn=b");
		ber_put_bool(&m.w, BER_BOOLEAN, true);
		if (with)
			ber_put_octets(&m.w, BER_CONTEXT | 0, SLICE(""));
		assert_int_equal(msg_decode(&m, &arena, &msg), HB_OK);
		IS(msg.req.modrdn.dn, "cn=a,dc=x");
		IS(msg.req.modrdn.new_rdn, "cn=b");
		assert_true(msg.req.modrdn.delete_old);
		assert_int_equal(slice_is_none(msg.req.modrdn.new_superior),
		    !with);
		msg_end(&m);
	}
}

static void
small_ones(void **state)
{
	struct message m;
	struct ldap_msg msg;

	(void)state;
	msg_begin(&m, 8);
	ber_put_octets(&m.w, LDAP_TAG_DEL_REQUEST, SLICE("cn=x"));
	assert_int_equal(msg_decode(&m, &arena, &msg), HB_OK);
	IS(msg.req.del, "cn=x");
	msg_end(&m);

	msg_begin(&m, 8);
	msg_open(&m, LDAP_TAG_COMPARE_REQUEST);
	msg_text(&m, "cn=x");
	msg_open(&m, BER_SEQUENCE);
	msg_text(&m, "sn");
	msg_text(&m, "v");
	assert_int_equal(msg_decode(&m, &arena, &msg), HB_OK);
	IS(msg.req.compare.attr, "sn");
	IS(msg.req.compare.value, "v");
	msg_end(&m);

	msg_begin(&m, 8);
	msg_open(&m, LDAP_TAG_EXTENDED_REQUEST);
	ber_put_octets(&m.w, BER_CONTEXT | 0, SLICE("1.2.3"));
	assert_int_equal(msg_decode(&m, &arena, &msg), HB_OK);
	IS(msg.req.extended.oid, "1.2.3");
	assert_true(slice_is_none(msg.req.extended.value));
	msg_end(&m);

	msg_begin(&m, 8);
	ber_put_null(&m.w, LDAP_TAG_UNBIND_REQUEST);
	assert_int_equal(msg_decode(&m, &arena, &msg), HB_OK);
	assert_int_equal(msg.tag, LDAP_TAG_UNBIND_REQUEST);
	msg_end(&m);
}

static void
abandon(void **state)
{
	static const struct {
		int64_t id;
		int rc;
	} cases[] = {
		{ 1, HB_OK }, { 255, HB_OK }, { INT32_MAX, HB_OK },
		{ -1, HB_EPROTO }, { 2147483648, HB_EPROTO },
	};
	struct message m;
	struct ldap_msg msg;
	size_t i;

	(void)state;
	for (i = 0; i < N(cases); i++) {
		msg_begin(&m, 8);
		ber_put_int(&m.w, LDAP_TAG_ABANDON_REQUEST, cases[i].id);
		assert_int_equal(msg_decode(&m, &arena, &msg), cases[i].rc);
		if (cases[i].rc == HB_OK)
			assert_int_equal(msg.req.abandon, cases[i].id);
		msg_end(&m);
	}
}

static void
controls(void **state)
{
	struct message m;
	struct ldap_msg msg;

	(void)state;
	msg_begin(&m, 9);
	ber_put_octets(&m.w, LDAP_TAG_DEL_REQUEST, SLICE("cn=x"));
	msg_open(&m, LDAP_TAG_CONTROLS);
	msg_open(&m, BER_SEQUENCE);
	msg_text(&m, "1.1");
	msg_close(&m);
	msg_open(&m, BER_SEQUENCE);
	msg_text(&m, "1.2");
	ber_put_bool(&m.w, BER_BOOLEAN, true);
	msg_close(&m);
	msg_open(&m, BER_SEQUENCE);
	msg_text(&m, "1.3");
	msg_text(&m, "");
	msg_close(&m);
	msg_open(&m, BER_SEQUENCE);
	msg_text(&m, "1.4");
	ber_put_bool(&m.w, BER_BOOLEAN, false);
	msg_text(&m, "v");
	ber_put_null(&m.w, BER_CONTEXT | 9);	/* of a later protocol */
	assert_int_equal(msg_decode(&m, &arena, &msg), HB_OK);
	assert_int_equal(msg.ncontrols, 4);
	assert_false(msg.controls[0].critical);
	assert_true(slice_is_none(msg.controls[0].value));
	assert_true(msg.controls[1].critical);
	IS(msg.controls[2].value, "");
	assert_false(slice_is_none(msg.controls[2].value));
	IS(msg.controls[3].oid, "1.4");
	IS(msg.controls[3].value, "v");
	msg_end(&m);
}

/* Whole messages as octets: id_r is what may be answered to. */
static void
refused(void **state)
{
	static const struct {
		const char *what;
		struct slice pdu;
		int rc, id;
	} cases[] = {
		{ "unbind", B("0\x05\x02\x01\x01\x42\x00"), HB_OK, 1 },
		{ "nothing", B(""), HB_EENCODING, 0 },
		{ "empty", B("0\x00"), HB_EENCODING, 0 },
		{ "not a sequence", B("1\x05\x02\x01\x01\x42\x00"),
		    HB_EENCODING, 0 },
		{ "id 0", B("0\x05\x02\x01\x00\x42\x00"), HB_EENCODING, 0 },
		{ "id -1", B("0\x05\x02\x01\xff\x42\x00"), HB_EENCODING, 0 },
		{ "id 2^31", B("0\x09\x02\x05\x00\x80\x00\x00\x00\x42\x00"),
		    HB_EENCODING, 0 },
		{ "id no integer", B("0\x05\x04\x01\x01\x42\x00"),
		    HB_EENCODING, 0 },
		{ "no operation", B("0\x03\x02\x01\x01"), HB_EENCODING, 1 },
		{ "octets behind", B("0\x05\x02\x01\x01\x42\x00\x00"),
		    HB_EENCODING, 0 },
		{ "too short", B("0\x06\x02\x01\x01\x42\x00"),
		    HB_EENCODING, 0 },
		{ "unknown operation", B("0\x05\x02\x01\x01\x5e\x00"),
		    HB_EENCODING, 1 },
		{ "a response", B("0\x05\x02\x01\x01\x65\x00"),
		    HB_EENCODING, 1 },
		{ "unbind with contents", B("0\x06\x02\x01\x01\x42\x01x"),
		    HB_EENCODING, 1 },
		{ "operation cut", B("0\x05\x02\x01\x01\x42\x01"),
		    HB_EENCODING, 1 },
		{ "bind without choice",
		    B("0\x0a\x02\x01\x01`\x05\x02\x01\x03\x04\x00"),
		    HB_EENCODING, 1 },
		{ "bind by Kerberos 4",
		    B("0\x0c\x02\x01\x01`\x07\x02\x01\x03\x04\x00\x81\x00"),
		    HB_EAUTHMETHOD, 1 },
		{ "bind version 0",
		    B("0\x0c\x02\x01\x01`\x07\x02\x01\x00\x04\x00\x80\x00"),
		    HB_EPROTO, 1 },
		{ "bind version 128",
		    B("0\x0d\x02\x01\x01`\x08\x02\x02\x00\x80\x04\x00\x80\x00"),
		    HB_EPROTO, 1 },
		{ "two passwords", B("0\x0e\x02\x01\x01`\x09\x02\x01\x03"
		    "\x04\x00\x80\x00\x80\x00"), HB_EENCODING, 1 },
		{ "abandon of nothing", B("0\x05\x02\x01\x01\x50\x00"),
		    HB_EENCODING, 1 },
		{ "delete, later components",
		    B("0\x09\x02\x01\x01J\x00\xa1\x00\x8b\x00"), HB_OK, 1 },
		{ "no controls", B("0\x07\x02\x01\x01J\x00\xa0\x00"),
		    HB_OK, 1 },
		{ "controls twice",
		    B("0\x09\x02\x01\x01J\x00\xa0\x00\xa0\x00"),
		    HB_EENCODING, 1 },
		{ "control without type",
		    B("0\x09\x02\x01\x01J\x00\xa0\x02\x30\x00"),
		    HB_EENCODING, 1 },
		{ "control value before criticality",
		    B("0\x10\x02\x01\x01J\x00\xa0\x09\x30\x07"
		    "\x04\x00\x04\x00\x01\x01\xff"), HB_EENCODING, 1 },
		{ "no sequence of controls",
		    B("0\x09\x02\x01\x01J\x00\xa0\x02\x04\x00"),
		    HB_EENCODING, 1 },
		{ "extended, no name", B("0\x05\x02\x01\x01w\x00"),
		    HB_EENCODING, 1 },
		{ "compare, later component in the assertion",
		    B("0\x0f\x02\x01\x01n\x0a\x04\x00\x30\x06"
		    "\x04\x00\x04\x00\x80\x00"), HB_OK, 1 },
		{ "compare, a third octet string",
		    B("0\x0f\x02\x01\x01n\x0a\x04\x00\x30\x06"
		    "\x04\x00\x04\x00\x04\x00"), HB_EENCODING, 1 },
	};
	struct ldap_msg msg;
	size_t i;
	int rc;

	(void)state;
	for (i = 0; i < N(cases); i++) {
		rc = ldap_decode(&arena, cases[i].pdu, &msg);
		if (rc != cases[i].rc)
			fail_msg("%s: %s", cases[i].what, hb_errname(rc));
		if (msg.id != cases[i].id)
			fail_msg("%s: id %d", cases[i].what, (int)msg.id);
	}
}

/* Each beginning of a sound message is refused, and no octet beyond is read. */
static void
every_cut(void **state)
{
	struct message m;
	struct ldap_msg msg;
	size_t n;

	(void)state;
	msg_begin(&m, 5);
	msg_open(&m, LDAP_TAG_ADD_REQUEST);
	msg_text(&m, "cn=x");
	msg_open(&m, BER_SEQUENCE);
	put_attr(&m, "cn", 2);
	assert_int_equal(msg_decode(&m, &arena, &msg), HB_OK);
	for (n = 0; n < m.out.len; n++) {
		char *cut = malloc(n + 1);

		memcpy(cut, m.out.data, n);
		assert_int_equal(ldap_decode(&arena, slice(cut, n), &msg),
		    HB_EENCODING);
		/* the envelope says it is whole: then what is in it is cut */
		if (n >= 2) {
			cut[1] = (char)(n - 2);
			assert_int_equal(ldap_decode(&arena, slice(cut, n),
			    &msg), HB_EENCODING);
		}
		free(cut);
	}
	msg_end(&m);
}

static void
arena_full(void **state)
{
	struct message m;
	struct ldap_msg msg;
	struct arena small;
	unsigned i;

	(void)state;
	arena_init(&small, 4096);
	msg_begin(&m, 5);
	msg_open(&m, LDAP_TAG_ADD_REQUEST);
	msg_text(&m, "cn=x");
	msg_open(&m, BER_SEQUENCE);
	for (i = 0; i < 100; i++)
		put_attr(&m, "cn", 2);
	assert_int_equal(msg_decode(&m, &small, &msg), HB_ELIMIT);
	assert_int_equal(msg.id, 5);
	msg_end(&m);
	arena_fini(&small);
}

static void
response_tags(void **state)
{
	static const struct {
		enum ldap_tag request, response;
	} cases[] = {
		{ LDAP_TAG_BIND_REQUEST, LDAP_TAG_BIND_RESPONSE },
		{ LDAP_TAG_SEARCH_REQUEST, LDAP_TAG_SEARCH_DONE },
		{ LDAP_TAG_DEL_REQUEST, LDAP_TAG_DEL_RESPONSE },
		{ LDAP_TAG_EXTENDED_REQUEST, LDAP_TAG_EXTENDED_RESPONSE },
		{ LDAP_TAG_UNBIND_REQUEST, 0 },
		{ LDAP_TAG_ABANDON_REQUEST, 0 },
		{ LDAP_TAG_BIND_RESPONSE, 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < N(cases); i++)
		assert_int_equal(ldap_response_tag(cases[i].request),
		    cases[i].response);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(bind_simple, setup, teardown),
		cmocka_unit_test_setup_teardown(bind_sasl, setup, teardown),
		cmocka_unit_test_setup_teardown(search, setup, teardown),
		cmocka_unit_test_setup_teardown(search_numbers, setup,
		    teardown),
		cmocka_unit_test_setup_teardown(add, setup, teardown),
		cmocka_unit_test_setup_teardown(modify, setup, teardown),
		cmocka_unit_test_setup_teardown(modrdn, setup, teardown),
		cmocka_unit_test_setup_teardown(small_ones, setup, teardown),
		cmocka_unit_test_setup_teardown(abandon, setup, teardown),
		cmocka_unit_test_setup_teardown(controls, setup, teardown),
		cmocka_unit_test_setup_teardown(refused, setup, teardown),
		cmocka_unit_test_setup_teardown(every_cut, setup, teardown),
		cmocka_unit_test(arena_full),
		cmocka_unit_test(response_tags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
