/* Command lines. */
#include "bench_test.h"

#include "../../../servers/slapd/tools/bench/bench.h"

#define ARGS_MAX	16

/* Split LINE at its blanks and parse it. */
static int
parse(const char *line, struct bench_opts *o, struct diag *diag)
{
	static char text[512];
	char *argv[ARGS_MAX + 1], *save = NULL;
	int argc = 0;

	snprintf(text, sizeof text, "run %s", line);
	for (char *p = strtok_r(text, " ", &save); p != NULL && argc < ARGS_MAX;
	    p = strtok_r(NULL, " ", &save))
		argv[argc++] = p;
	argv[argc] = NULL;
	diag_clear(diag);
	return bench_opts_parse(argc, argv, o, diag);
}

static void
good(void **state)
{
	struct bench_opts o;
	struct diag diag = DIAG_INIT;

	(void)state;
	assert_int_equal(parse("-H ldap://x", &o, &diag), HB_OK);
	assert_int_equal(o.job, JOB_SEARCH);
	assert_true(o.conns == 1 && o.window == 1 && o.seconds == 10 &&
	    o.count == 10000 && o.rate == 0 && o.step == 0 && !o.json);
	assert_int_equal(parse("mixed -c 32 -t 2 -w 4 -d 2.5 --warm 0 -H "
	    "ldap://x --json", &o, &diag), HB_OK);
	assert_true(o.job == JOB_MIXED && o.conns == 32 && o.threads == 2 &&
	    o.window == 4 && o.seconds == 2.5 && o.warm == 0 && o.json);
	/* the job may stand anywhere */
	assert_int_equal(parse("-H ldap://x --rate 2000/s modify -D cn=a -W b",
	    &o, &diag), HB_OK);
	assert_true(o.job == JOB_MODIFY && o.rate == 2000);
	assert_string_equal(o.bind_dn, "cn=a");
	assert_int_equal(parse("--steps 8 512 auth -H ldap://x -t 8", &o,
	    &diag), HB_OK);
	assert_true(o.job == JOB_AUTH && o.step == 8 && o.step_max == 512);
	assert_int_equal(parse("--attr cn --attr sn --spid 17 -H ldap://x",
	    &o, &diag), HB_OK);
	assert_true(o.spid == 17 && o.attrs[2] == NULL);
	assert_string_equal(o.attrs[1], "sn");
}

static void
bad(void **state)
{
	static const struct {
		const char *line, *says;
	} cases[] = {
		{ "search", "-H URL is needed" },
		{ "serch -H ldap://x", "did you mean \"search\"" },
		{ "zzzzzz -H ldap://x", "not known" },
		{ "-c 0 -H ldap://x", "--conns \"0\"" },
		{ "-c -1 -H ldap://x", "--conns \"-1\"" },
		{ "-c 1.5 -H ldap://x", "--conns \"1.5\"" },
		{ "-c 1k -H ldap://x", "--conns \"1k\"" },
		{ "-d nan -H ldap://x", "--seconds \"nan\"" },
		{ "-d 1x -H ldap://x", "--seconds \"1x\"" },
		{ "--rate 0 -H ldap://x", "--rate \"0\"" },
		{ "-D cn=a -H ldap://x", "-D needs a password" },
		{ "-y /nonexistent/file -H ldap://x", "-y /nonexistent/file" },
		{ "bind -w 2 -H ldap://x", "must be 1 for bind" },
		{ "auth -w 2 -H ldap://x", "must be 1 for auth" },
		{ "-c 2 -t 3 -H ldap://x", "more threads than connections" },
		{ "delete -H ldap://x", "--ops N is needed" },
		{ "--steps 8 -H ldap://x", "--steps: two numbers" },
		{ "--steps 8", "--steps: two numbers" },
		{ "--steps 8 4 -H ldap://x", "--steps: two numbers" },
		{ "--spid x -H ldap://x", "--spid \"x\"" },
		{ "--nothing -H ldap://x", "--nothing: not known" },
		{ "-H", "-H: something must follow" },
	};
	struct bench_opts o;
	struct diag diag = DIAG_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < N(cases); i++) {
		assert_true(parse(cases[i].line, &o, &diag) != HB_OK);
		if (strstr(diag.text, cases[i].says) == NULL)
			fail_msg("%s: %s", cases[i].line, diag.text);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good),
		cmocka_unit_test(bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
