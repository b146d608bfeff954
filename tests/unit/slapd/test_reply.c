/*
 * What clients get: the result code of every error, controls, the attributes
 * of entries.
 */
#include "world.h"

#include "ber.h"

/* Results as RFC 4511 A.1 numbers them: errors.tbl against figures. */
static void
test_result_codes(void **state)
{
	static const struct {
		int rc, code;
	} rows[] = {
		{ HB_OK, 0 }, { HB_EOPERATIONS, 1 }, { HB_EPROTO, 2 },
		{ HB_ETIMELIMIT, 3 }, { HB_ESIZELIMIT, 4 },
		{ HB_COMPARE_FALSE, 5 }, { HB_COMPARE_TRUE, 6 },
		{ HB_EAUTHMETHOD, 7 }, { HB_ESTRONGAUTH, 8 },
		/* a referral to nowhere */
		{ HB_REFERRAL, 32 },
		{ HB_EADMINLIMIT, 11 }, { HB_ECRITICAL, 12 },
		{ HB_ECONFIDENTIAL, 13 }, { HB_SASL_CONTINUE, 14 },
		{ HB_ENOSUCHATTR, 16 }, { HB_EUNDEFTYPE, 17 },
		{ HB_EMATCHING, 18 }, { HB_ECONSTRAINT, 19 },
		{ HB_EVALEXISTS, 20 }, { HB_ESYNTAX, 21 }, { HB_ENOENT, 32 },
		{ HB_EALIAS, 33 }, { HB_EDNSYNTAX, 34 },
		{ HB_EALIASDEREF, 36 }, { HB_EINAPPROPAUTH, 48 },
		{ HB_ECREDENTIALS, 49 }, { HB_EACCESS, 50 }, { HB_EBUSY, 51 },
		{ HB_EUNAVAILABLE, 52 }, { HB_EUNWILLING, 53 },
		{ HB_ELOOP, 54 }, { HB_ENAMING, 64 }, { HB_EOBJECTCLASS, 65 },
		{ HB_ENOTLEAF, 66 }, { HB_ENOTONRDN, 67 }, { HB_EEXISTS, 68 },
		{ HB_ECLASSMODS, 69 }, { HB_EMULTIPLEDSA, 71 },
		{ HB_EOTHER, 80 }, { HB_ECANCELED, 118 },
		{ HB_ENOSUCHOP, 119 }, { HB_ETOOLATE, 120 },
		{ HB_ECANNOTCANCEL, 121 }, { HB_EASSERTION, 122 },
		{ HB_EPROXYAUTHZ, 123 }, { HB_NOOPERATION, 16654 },
		{ HB_ENOATTR, 17 }, { HB_ENOTFOUND, 80 }, { HB_ELIMIT, 11 },
		{ HB_ETRUNCATED, 2 }, { HB_EENCODING, 2 }, { HB_EINVAL, 19 },
		{ HB_ERANGE, 19 }, { HB_EDUPLICATE, 19 },
		{ HB_EUNSUPPORTED, 53 }, { HB_EIO, 80 }, { HB_ENOSPACE, 53 },
		{ HB_ECORRUPT, 80 }, { HB_EVERSION, 80 }, { HB_EINUSE, 80 },
		{ HB_EUNLOADED, 52 }, { HB_EDEADLOCK, 51 }, { HB_EEND, 80 },
		/* nobody to answer to */
		{ HB_EABANDONED, -1 }, { HB_EDISCONNECT, -1 },
		/* no answer at all: tests of connections */
		{ HB_EDEFER, -2 },
	};
	struct world *w = *state;

	assert_int_equal(sizeof(rows) / sizeof(*rows),
	    HB_ERROR_END - HB_ERROR_BASE);
	copies = 0;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (rows[i].code == -2)
			continue;
		search_rc = rows[i].rc;
		put_search(&w->wire.in, 3, "");
		settle(w);
		if (rows[i].code >= 0)
			expect(w, 3, LDAP_TAG_SEARCH_DONE, rows[i].code);
		expect_nothing(w);
	}
}

static void
test_controls(void **state)
{
	static const struct {
		const char *oid;
		bool critical;
		unsigned n;
		int code;
	} rows[] = {
		{ "1.2.3.4", false, 1, LDAP_SUCCESS },
		{ "1.2.3.4", true, 1, LDAP_UNAVAILABLE_CRITICAL_EXTENSION },
		/* ManageDsaIT, which this backend does not declare */
		{ "2.16.840.1.113730.3.4.2", false, 1, LDAP_SUCCESS },
		{ "2.16.840.1.113730.3.4.2", true, 1,
		    LDAP_UNAVAILABLE_CRITICAL_EXTENSION },
		{ "2.16.840.1.113730.3.4.2", false, 2, LDAP_PROTOCOL_ERROR },
	};
	struct world *w = *state;
	struct answer a;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		put_search_ctl(&w->wire.in, 1, "", false, rows[i].oid,
		    rows[i].critical, rows[i].n);
		settle(w);
		do
			assert_true(next_answer(w, &a));
		while (a.tag == LDAP_TAG_SEARCH_ENTRY);
		if (a.code != rows[i].code)
			fail_msg("row %zu: %d", i, a.code);
	}
}

/* Names of the attributes of an entry, "cn,sn"; with values, "cn=1,sn=1". */
static const char *
shape(const struct answer *a)
{
	static struct buf text;
	struct ber_reader r, list, attr, values;

	buf_reset(&text);
	ber_reader_init(&r, a->body);
	(void)ber_get_octets(&r, BER_OCTETS);
	list = ber_enter(&r, BER_SEQUENCE);
	while (!ber_is_end(&list)) {
		unsigned n = 0;

		attr = ber_enter(&list, BER_SEQUENCE);
		if (text.len > 0)
			buf_put_char(&text, ',');
		buf_put_slice(&text, ber_get_octets(&attr, BER_OCTETS));
		values = ber_enter(&attr, BER_SET);
		for (; !ber_is_end(&values); n++)
			(void)ber_get_octets(&values, BER_OCTETS);
		buf_printf(&text, "=%u", n);
	}
	assert_int_equal(ber_reader_error(&list), HB_OK);
	buf_put_char(&text, '\0');
	return text.data;
}

static void
test_select(void **state)
{
	static const struct {
		const char *attrs;
		bool types_only;
		const char *shape;
	} rows[] = {
		{ "", false, "objectClass=1,uid=1,cn=1,sn=1,cn;lang-fr=1,"
		    "mail=1" },
		{ "*", false, "objectClass=1,uid=1,cn=1,sn=1,cn;lang-fr=1,"
		    "mail=1" },
		{ "1.1", false, "" },
		{ "mail cn", false, "cn=1,cn;lang-fr=1,mail=1" },
		{ "2.5.4.3;lang-fr", false, "cn;lang-fr=1" },
		{ "name", false, "cn=1,sn=1,cn;lang-fr=1" },
		{ "cn sn", true, "cn=0,sn=0,cn;lang-fr=0" },
		{ "entryDN", false, "entryDN=1" },
		{ "@person", false, "objectClass=1,cn=1,sn=1,cn;lang-fr=1" },
		{ "nosuch", false, "" },
		{ "1.1 mail", false, "mail=1" },
		{ "+", false, "entryDN=1,subschemaSubentry=1" },
		{ "* +", false, "objectClass=1,uid=1,cn=1,sn=1,cn;lang-fr=1,"
		    "mail=1,entryDN=1,subschemaSubentry=1" },
		{ "!person", false, "uid=1,mail=1" },
		{ "CN;LANG-FR cn", false, "cn=1,cn;lang-fr=1" },
		{ "@nosuch", false, "" },
	};
	struct world *w = *state;
	struct answer a;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		put_search_ctl(&w->wire.in, 1, rows[i].attrs,
		    rows[i].types_only, NULL, false, 0);
		settle(w);
		assert_true(next_answer(w, &a));
		assert_int_equal(a.tag, LDAP_TAG_SEARCH_ENTRY);
		if (strcmp(shape(&a), rows[i].shape) != 0)
			fail_msg("\"%s\": %s", rows[i].attrs, shape(&a));
		expect(w, 1, LDAP_TAG_SEARCH_DONE, LDAP_SUCCESS);
	}
}

/* Buckets have no gaps, and percentiles are those of what was counted. */
static void
test_latency(void **state)
{
	struct stats_sum sum = { .entries = 0 };
	unsigned last = 0;

	(void)state;
	for (uint64_t us = 0; us < 100000; us++) {
		unsigned b = latency_bucket(us);

		assert_in_range(b, last, last + 1);
		assert_true(us <= latency_bucket_most(b));
		assert_true(b == 0 || us > latency_bucket_most(b - 1));
		last = b;
	}
	assert_int_equal(latency_bucket(UINT64_MAX), LATENCY_BUCKETS - 1);
	assert_int_equal(stats_latency(&sum, OP_SEARCH, 990), 0);
	sum.latency[OP_SEARCH][latency_bucket(10)] = 980;
	sum.latency[OP_SEARCH][latency_bucket(5000)] = 20;
	assert_in_range(stats_latency(&sum, OP_SEARCH, 500), 10, 12);
	assert_in_range(stats_latency(&sum, OP_SEARCH, 980), 10, 12);
	assert_in_range(stats_latency(&sum, OP_SEARCH, 990), 5000, 6250);
	assert_int_equal(stats_latency(&sum, OP_ADD, 500), 0);
}

/* An operation is counted once, with the time that it took. */
static void
test_counted(void **state)
{
	struct world *w = *state;
	const struct stats *all[] = { &w->loop.stats, &w->srv.stats };
	uint64_t completed = 0, timed = 0;
	struct answer a;

	for (unsigned i = 1; i <= 5; i++)
		put_search_ctl(&w->wire.in, i, "", false, "1.2.3.4", false, 1);
	settle(w);
	while (next_answer(w, &a))
		;
	for (unsigned s = 0; s < 2; s++) {
		completed += all[s]->completed[OP_SEARCH];
		for (unsigned i = 0; i < LATENCY_BUCKETS; i++)
			timed += all[s]->latency[OP_SEARCH][i];
	}
	assert_int_equal(completed, 5);
	assert_int_equal(timed, 5);
}

#define T(name)	cmocka_unit_test_setup_teardown(name, world_open, world_close)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_result_codes), T(test_controls), T(test_select),
		T(test_latency), T(test_counted),
	};

	return world_main(tests, sizeof(tests) / sizeof(*tests));
}
