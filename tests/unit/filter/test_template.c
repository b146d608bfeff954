/* Templates: what searches with other values have in common. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "filter.h"

static const struct {
	const char *in, *out;
} cases[] = {
	{ "(CN=Babs)", "(cn=?)" },
	{ "(cn=a*)", "(cn=?*)" },
	{ "(cn=*a)", "(cn=*?)" },
	{ "(cn=*a*)", "(cn=*?*)" },
	{ "(cn=a*b*c*d)", "(cn=?*?*?*?)" },
	{ "(cn=*)", "(cn=*)" },
	{ "(cn~=a)", "(cn~=?)" },
	{ "(uidNumber>=1)", "(uidnumber>=?)" },
	{ "(uidNumber<=1)", "(uidnumber<=?)" },
	{ "(cn:dn:caseExactMatch:=x)", "(cn:dn:caseexactmatch:=?)" },
	{ "(:2.5.13.5:=x)", "(:2.5.13.5:=?)" },
	{ "(&)", "(&)" },
	{ "(!(cn=a))", "(!(cn=?))" },
	{ "(&(a=1)(b=2)(a=3))", "(&(a=?)(b=?)(a=?))" },
	{ "(|(a=1)(a=2)(a=3))", "(|(a=?)...)" },
	{ "(|(&(a=1)(b=1))(&(a=2)(b=2)))", "(|(&(a=?)(b=?))...)" },
	/* one that another begins with is not the same */
	{ "(|(a=1)(a=2*))", "(|(a=?)(a=?*))" },
};

static void
templates(void **state)
{
	struct ldap_filter *f;
	struct arena arena;
	struct buf buf;
	unsigned i;

	(void)state;
	arena_init(&arena, 0);
	buf_init(&buf);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(filter_parse(&arena, slice_of(cases[i].in),
		    &f, NULL), 0);
		buf_reset(&buf);
		filter_print_template(f, &buf);
		buf_put_char(&buf, '\0');
		assert_string_equal(buf.data, cases[i].out);
	}
	buf_fini(&buf);
	arena_fini(&arena);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(templates) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
