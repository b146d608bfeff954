/* External sorting: against qsort, with and without runs on disk. */
#include "backends/store/sort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/err.h"
#include "util/mem.h"

static unsigned seed = 7;

static unsigned
rnd(unsigned n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 8) % n;
}

static void
sort_records(unsigned n, unsigned datalen)
{
	struct sorter *s = sorter_new("/tmp", 0);
	char key[32], last[32] = "", *data = mem_zalloc(datalen + 1);
	struct slice k, d;
	unsigned got = 0;

	for (unsigned i = 0; i < n; i++) {
		unsigned r = rnd(1000000);

		snprintf(key, sizeof(key), "%s%06u", r % 2 ? "long-prefix-" :
		    "", r);
		memset(data, (int)('a' + r % 26), datalen);
		assert_int_equal(sorter_add(s, slice_of(key), slice(data,
		    r % (datalen + 1)), NULL), HB_OK);
	}
	assert_int_equal(sorter_finish(s, NULL), HB_OK);
	while (sorter_next(s, &k, &d, NULL) == HB_OK) {
		unsigned r;

		snprintf(key, sizeof(key), "%.*s", SLICE_ARG(k));
		assert_true(strcmp(last, key) <= 0);
		strcpy(last, key);
		r = (unsigned)atoi(key + (k.len > 6 ? 12 : 0));
		assert_int_equal(d.len, r % (datalen + 1));
		if (d.len > 0)
			assert_int_equal(d.ptr[d.len - 1], 'a' + r % 26);
		got++;
	}
	assert_int_equal(got, n);
	assert_int_equal(sorter_count(s), n);
	sorter_free(&s);
	assert_null(s);
	free(data);
}

static void
test_records(void **state)
{
	(void)state;
	sort_records(0, 0);
	sort_records(1, 10);
	sort_records(5000, 20);
	sort_records(40000, 300);	/* several runs */
	sort_records(4, 3 << 20);	/* larger than a block */
}

static void
test_binary_order(void **state)
{
	static const struct slice keys[] = {
		{ "\377", 1 }, { "a", 1 }, { "a\0", 2 }, { "a\0\0", 3 },
		{ "aaaaaaaab", 9 }, { "aaaaaaaa\0", 9 }, { "", 0 }
	};
	static const unsigned want[] = { 6, 1, 2, 3, 5, 4, 0 };
	struct sorter *s = sorter_new("/tmp", 0);
	struct slice k, d;

	(void)state;
	for (unsigned i = 0; i < 7; i++)
		assert_int_equal(sorter_add(s, keys[i], SLICE(""), NULL), 0);
	assert_int_equal(sorter_finish(s, NULL), HB_OK);
	for (unsigned i = 0; i < 7; i++) {
		assert_int_equal(sorter_next(s, &k, &d, NULL), HB_OK);
		assert_true(slice_is_eq(k, keys[want[i]]));
	}
	assert_int_equal(sorter_next(s, &k, &d, NULL), HB_EEND);
	sorter_free(&s);
}

static void
test_no_folder(void **state)
{
	struct sorter *s = sorter_new("/nonexistent/folder", 0);
	struct diag diag = DIAG_INIT;
	char *data = mem_zalloc(1 << 20);
	int rc = HB_OK;

	(void)state;
	for (unsigned i = 0; i < 4 && rc == HB_OK; i++)
		rc = sorter_add(s, SLICE("k"), slice(data, 1 << 20), &diag);
	assert_int_equal(rc, HB_EIO);
	assert_non_null(strstr(diag.text, "/nonexistent/folder"));
	sorter_free(&s);
	free(data);
}

/* N entries: key of each has ID i where i % (key + 1) == 0. */
static void
post(unsigned nkeys, unsigned n, size_t memory, const char *pad)
{
	struct postings *p = postings_new("/tmp", memory);
	char text[64], last[64] = "";
	unsigned keys = 0;
	struct slice k;
	entry_id id;

	for (unsigned i = 1; i <= n; i++)
		for (unsigned key = 0; key < nkeys; key++) {
			if (i % (key + 1) != 0)
				continue;
			snprintf(text, sizeof(text), "%u%s", key, pad);
			for (unsigned twice = 0; twice < 2; twice++)
				assert_int_equal(postings_add(p,
				    slice_of(text), (entry_id)i * 1000, NULL),
				    HB_OK);
		}
	assert_int_equal(postings_finish(p, NULL), HB_OK);
	while (postings_next(p, &k, NULL) == HB_OK) {
		unsigned key, i = 0;

		snprintf(text, sizeof(text), "%.*s", SLICE_ARG(k));
		assert_true(strcmp(last, text) < 0);
		strcpy(last, text);
		key = (unsigned)atoi(text);
		keys++;
		if (key % 7 == 3)
			continue;	/* not read: skipped */
		while (postings_next_id(p, &id, NULL) == HB_OK) {
			i += key + 1;
			assert_int_equal(id, (entry_id)i * 1000);
		}
		assert_true(i <= n && i + key + 1 > n);
	}
	assert_int_equal(keys, nkeys < n ? nkeys : n);
	postings_free(&p);
}

static void
test_postings(void **state)
{
	(void)state;
	post(0, 0, 0, "");
	post(1, 1, 0, "");
	post(20, 5000, 64 << 20, "-in-memory");
	post(3000, 3000, 0, "-some-keys-that-fill-it-up");
	post(2000, 200000, 0, "-many-identifiers-for-a-key");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_binary_order),
		cmocka_unit_test(test_no_folder),
		cmocka_unit_test(test_postings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
