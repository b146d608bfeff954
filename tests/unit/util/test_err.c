/* util/err.h: every row has its name and text, strangers have none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "util/err.h"

static void
rows(void **state)
{
	static const struct {
		int err;
		const char *name, *text;
	} cases[] = {
		{ HB_OK, "HB_OK", "" },
		{ HB_EOPERATIONS, "HB_EOPERATIONS", "operations error" },
		{ HB_ENOENT, "HB_ENOENT", "" },
		{ HB_EEND, "HB_EEND", "end of data" },
		{ HB_ERROR_BASE, "unknown error", "" },
		{ HB_ERROR_END, "unknown error", "" },
		{ -1, "unknown error", "" },
		{ 49, "unknown error", "" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_string_equal(hb_errname(cases[i].err), cases[i].name);
		assert_string_equal(hb_strerror(cases[i].err), cases[i].text);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(rows) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
