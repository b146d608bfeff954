/* Maps of util/hash.h, against an array as the model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "util/hash.h"

#define NKEYS	2000

static struct slice
key_of(unsigned i, char *text, bool upper)
{
	int n = snprintf(text, 32, upper ? "KEY-%u" : "key-%u", i);

	return slice(text, (size_t)n);
}

static void
count_cb(struct slice key, void *value, void *arg)
{
	unsigned *seen = arg;

	assert_true(slice_has_prefix(key, SLICE("key-")));
	assert_int_equal(key.ptr[key.len], '\0');
	seen[*(unsigned *)value]++;
}

/* Insert, remove and look up in an order that makes chains and gaps. */
static void
model(void **state)
{
	static unsigned values[NKEYS], seen[NKEYS];
	static bool have[NKEYS];
	struct strmap *m = strmap_new(false);
	unsigned step, i, n = 0;
	char text[32];

	(void)state;
	for (i = 0; i < NKEYS; i++)
		values[i] = i;
	for (step = 0; step < 40 * NKEYS; step++) {
		void *want;

		i = (unsigned)(hash_u64(step) % NKEYS);
		want = have[i] ? &values[i] : NULL;
		assert_ptr_equal(strmap_find(m, key_of(i, text, false)), want);
		if (hash_u64(step + 1) % 3 != 0) {
			assert_ptr_equal(strmap_set(m,
			    key_of(i, text, false), &values[i]), want);
			n += !have[i];
			have[i] = true;
		} else {
			assert_ptr_equal(strmap_remove(m,
			    key_of(i, text, false)), want);
			n -= have[i];
			have[i] = false;
		}
		assert_int_equal(strmap_count(m), n);
	}
	strmap_each(m, count_cb, seen);
	for (i = 0; i < NKEYS; i++) {
		assert_int_equal(seen[i], have[i]);
		assert_null(strmap_find(m, key_of(i, text, true)));
	}
	strmap_free(&m);
	assert_null(m);
	strmap_free(&m);
}

static void
nocase(void **state)
{
	struct strmap *m = strmap_new(true);
	char text[32];
	int a, b;

	(void)state;
	assert_null(strmap_set(m, SLICE("commonName"), &a));
	assert_ptr_equal(strmap_find(m, SLICE("COMMONNAME")), &a);
	assert_ptr_equal(strmap_set(m, SLICE("commonname"), &b), &a);
	assert_int_equal(strmap_count(m), 1);
	assert_null(strmap_find(m, SLICE("commonname\0")));
	assert_null(strmap_set(m, slice("", 0), &a));
	assert_ptr_equal(strmap_find(m, SLICE_NONE), &a);
	assert_null(strmap_find(m, key_of(1, text, true)));
	assert_ptr_equal(strmap_remove(m, SLICE("CommonName")), &b);
	assert_null(strmap_remove(m, SLICE("CommonName")));
	strmap_free(&m);
}

/* Every length around the words of the hash; keys that differ in one octet. */
static void
nocase_lengths(void **state)
{
	struct strmap *m = strmap_new(true);
	char key[40], other[40];
	size_t n, i;

	(void)state;
	for (n = 0; n < sizeof(key); n++) {
		for (i = 0; i < n; i++)
			key[i] = (char)('a' + i % 26);
		assert_null(strmap_set(m, slice(key, n), key + n));
	}
	for (n = 0; n < sizeof(key); n++) {
		for (i = 0; i < n; i++)
			other[i] = (char)((i % 3 ? 'a' : 'A') + i % 26);
		assert_ptr_equal(strmap_find(m, slice(other, n)), key + n);
		for (i = 0; i < n; i++) {
			other[i] ^= 1;
			assert_null(strmap_find(m, slice(other, n)));
			other[i] ^= 1;
		}
		for (i = 0; i < n; i++) {
			other[i] ^= 0x40;	/* another octet with its case bit */
			assert_null(strmap_find(m, slice(other, n)));
			other[i] ^= 0x40;
		}
	}
	/* what differs in the case bit alone is no other case of a letter */
	strmap_set(m, SLICE("a@b"), m);
	assert_null(strmap_find(m, SLICE("a`b")));
	assert_ptr_equal(strmap_find(m, SLICE("A@B")), m);
	strmap_free(&m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(model),
		cmocka_unit_test(nocase),
		cmocka_unit_test(nocase_lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
