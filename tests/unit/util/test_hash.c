/* Hashes of util/hash.h: known answers, since index keys are on disk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "util/hash.h"

static void
known(void **state)
{
	static const uint8_t empty[16] = {
		0x99, 0xaa, 0x06, 0xd3, 0x01, 0x47, 0x98, 0xd8,
		0x60, 0x01, 0xc3, 0x24, 0x46, 0x8d, 0x49, 0x7f
	};
	uint8_t out[16];

	(void)state;
	assert_true(hash_bytes(NULL, 0, 0) == 0x2d06800538d394c2ULL);
	assert_true(hash_bytes("", 0, 0) == hash_slice(SLICE_NONE));
	hash_strong(NULL, 0, out);
	assert_memory_equal(out, empty, 16);
}

static void
differ(void **state)
{
	char text[300] = { 0 };
	uint8_t a[16], b[16];
	size_t n;

	(void)state;
	for (n = 1; n < sizeof(text); n++) {
		hash_strong(text, n - 1, a);
		hash_strong(text, n, b);
		assert_memory_not_equal(a, b, 16);
		assert_true(hash_bytes(text, n, 0) !=
		    hash_bytes(text, n - 1, 0));
		assert_true(hash_bytes(text, n, 0) != hash_bytes(text, n, 1));
		assert_true(hash_u64(n) != hash_u64(n - 1));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known),
		cmocka_unit_test(differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
