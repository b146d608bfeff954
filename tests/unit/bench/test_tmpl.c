/* Templates, and what is compiled from them. */
#include "bench_test.h"

#include "../../../servers/slapd/tools/bench/tmpl.h"

static void
texts(void **state)
{
	static const struct {
		const char *text, *out;		/* NULL: refused */
	} cases[] = {
		{ "", "" },
		{ "no number", "no number" },
		{ "uid=user.{n},ou=People", "uid=user.1234567,ou=People" },
		{ "{n}{n}", "12345671234567" },
		{ "{n:10}", "0001234567" },
		{ "{n:3}", "1234567" },
		{ "{n/10}", "123456" },
		{ "{n/1000}/{n/1000:6}", "1234/001234" },
		{ "{n/1000000}", "1" },
		{ "{n/10000000}", "0" },
		{ "{n/1000000000:2}", "00" },
		{ "a{x}b", "a00000042b" },
		{ "}", "}" },
		{ "{", NULL }, { "{}", NULL }, { "{n", NULL },
		{ "{n:}", NULL }, { "{n:0}", NULL }, { "{n:65}", NULL },
		{ "{n:99999999999999999999}", NULL },
		{ "{n/}", NULL }, { "{n/1}", NULL }, { "{n/20}", NULL },
		{ "{n/100", NULL }, { "{n:4/10}", NULL }, { "{x:4}", NULL },
		{ "{y}", NULL }, { "{N}", NULL }, { "good {n}, bad {m}", NULL },
	};
	static const struct tmpl_vars vars = { "1234567", "42" };
	struct diag diag;
	struct buf out;
	size_t i;
	int rc;

	(void)state;
	buf_init(&out);
	for (i = 0; i < N(cases); i++) {
		diag_clear(&diag);
		rc = tmpl_check(cases[i].text, &diag);
		assert_int_equal(rc, cases[i].out != NULL ? HB_OK : HB_EINVAL);
		assert_true((diag.text[0] != '\0') == (cases[i].out == NULL));
		if (cases[i].out == NULL)
			continue;
		buf_reset(&out);
		tmpl_put(&out, cases[i].text, &vars);
		buf_put_char(&out, '\0');
		assert_string_equal(out.data, cases[i].out);
	}
	buf_fini(&out);
}

static int
encode_text(const void *arg, const struct tmpl_vars *vars, struct buf *out,
    struct diag *diag)
{
	(void)diag;
	tmpl_put(out, arg, vars);
	return HB_OK;
}

/* A stamp gives what the template gives, for all lengths of numbers. */
static void
stamps(void **state)
{
	static const char text[] = "{n}: {n:4},{n/1000},{n/100:3} {x} 0123 {n}";
	static const uint64_t numbers[] = { 0, 1, 9, 10, 19, 99, 100, 909, 999,
	    1000, 1001, 54321, 999999, 1000000, 12345678, 987654321,
	    1000000000, 9999999999 };
	static const uint32_t xs[] = { 0, 42, 12345678, 99999999, 100000007 };
	char n[24], x[24];
	struct tmpl_vars vars = { n, x };
	struct buf want, got;
	struct stamp st;
	size_t i, k;

	(void)state;
	buf_init(&want);
	buf_init(&got);
	assert_int_equal(stamp_compile(&st, false, encode_text, text, NULL),
	    HB_OK);
	for (i = 0; i < N(numbers); i++)
		for (k = 0; k < N(xs); k++) {
			snprintf(n, sizeof n, "%llu",
			    (unsigned long long)numbers[i]);
			snprintf(x, sizeof x, "%08u", xs[k] % TMPL_X_MAX);
			buf_reset(&want);
			tmpl_put(&want, text, &vars);
			/* appended, not written over what is there */
			buf_reset(&got);
			buf_put_char(&got, '>');
			stamp_put(&st, &got, numbers[i], xs[k], 0);
			assert_true(got.data[0] == '>' && slice_is_eq(
			    slice_skip(buf_slice(&got), 1), buf_slice(&want)));
		}
	stamp_fini(&st);
	stamp_fini(&st);
	buf_fini(&want);
	buf_fini(&got);
}

static int
encode_length(const void *arg, const struct tmpl_vars *vars, struct buf *out,
    struct diag *diag)
{
	(void)arg;
	(void)diag;
	buf_printf(out, "%d", atoi(vars->n));
	return HB_OK;
}

static int
encode_octet(const void *arg, const struct tmpl_vars *vars, struct buf *out,
    struct diag *diag)
{
	(void)arg;
	(void)diag;
	buf_put_char(out, (char)atoi(vars->n));
	return HB_OK;
}

static int
encode_error(const void *arg, const struct tmpl_vars *vars, struct buf *out,
    struct diag *diag)
{
	(void)arg;
	(void)vars;
	(void)out;
	return diag_err(diag, HB_EIO, "as told");
}

static void
refused(void **state)
{
	static const struct {
		stamp_encode encode;
		const char *arg;
		int rc;
	} cases[] = {
		{ encode_length, "", HB_EINVAL },
		{ encode_octet, "", HB_EINVAL },
		{ encode_error, "", HB_EIO },
		{ encode_text, "{x}{x}{x}{x}{x}{x}{x}{x}{x}{x}{x}{x}{x}{x}{x}"
		    "{x}{x}{x}{x}{x}{x}{x}{x}{x}{x}{x}{x}{x}{x}{x}{x}{x}{x}",
		    HB_ELIMIT },
	};
	struct diag diag;
	struct stamp st;
	size_t i;

	(void)state;
	for (i = 0; i < N(cases); i++) {
		diag_clear(&diag);
		assert_int_equal(stamp_compile(&st, false, cases[i].encode,
		    cases[i].arg, &diag), cases[i].rc);
		assert_true(diag.text[0] != '\0');
		stamp_fini(&st);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts),
		cmocka_unit_test(stamps),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
