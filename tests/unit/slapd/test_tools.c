/*
 * Which tool a word names, and what the tools refuse before they begin.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "servers/slapd/tools/tools.h"
#include "slapd/op.h"

static const struct { const char *word; int called; const char *name; }
    names[] = {
	{ "slapadd", 1, "slapadd" }, { "slapd", 1, NULL },
	{ "add", 1, NULL }, { "slapcat", 1, "slapcat" },
	{ "slapadd", 0, "slapadd" }, { "add", 0, "slapadd" },
	{ "a", 0, "slapadd" }, { "ad", 0, "slapadd" }, { "c", 0, "slapcat" },
	{ "cat", 0, "slapcat" }, { "i", 0, "slapindex" },
	{ "index", 0, "slapindex" }, { "p", 0, "slappasswd" },
	{ "t", 0, "slaptest" }, { "test", 0, "slaptest" },
	{ "mdoc", 0, "mdoc" }, { "m", 0, NULL }, { "", 0, NULL },
	{ "adds", 0, NULL }, { "slap", 0, NULL },
};

static void
test_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *name = slapd_tool_name(names[i].word,
		    names[i].called);

		if ((name == NULL) != (names[i].name == NULL) ||
		    (name != NULL && strcmp(name, names[i].name) != 0))
			fail_msg("<%s>: %s", names[i].word,
			    name != NULL ? name : "none");
	}
}

static const struct { const char *args[6]; int status; } runs[] = {
	{ { "slapadd", "-Z" }, 1 },
	{ { "slapadd", "-n", "1", "-b", "dc=x" }, 1 },
	{ { "slapadd", "-n", "x" }, 1 },
	{ { "slapadd", "-S", "4096" }, 1 },
	{ { "slapadd", "-o", "value-check=maybe" }, 1 },
	{ { "slapadd", "-F", "/etc/slapd.d" }, 1 },
	{ { "slapadd", "-f", "/nonexistent" }, 1 },
	{ { "slapadd", "extra" }, 1 },
	{ { "slapcat", "-o", "ldif-wrap=1" }, 1 },
	{ { "slapcat", "-d", "nonsense" }, 1 },
	{ { "slaptest", "-f", "/nonexistent", "-u" }, 1 },
	{ { "slappasswd", "-h", "{NOPE}", "-s", "x" }, 1 },
	{ { "slappasswd", "-g", "-s", "x" }, 1 },
	{ { "slappasswd", "-c", "%d", "-s", "x" }, 1 },
	{ { "slappasswd", "-s", "x" }, 0 },
	{ { "slappasswd", "-h", "ssha512", "-s", "x" }, 0 },
	{ { "mdoc", "nothing" }, 1 },
	{ { "mdoc", "global" }, 0 },
	{ { "mdoc", "hdb" }, 0 },
};

static void
test_runs(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
		char *argv[7] = { NULL };
		int argc = 0, status;

		for (; argc < 6 && runs[i].args[argc] != NULL; argc++)
			argv[argc] = strdup(runs[i].args[argc]);
		status = slapd_tool_main(slapd_tool_name(argv[0], 0), argc,
		    argv);
		if (status != runs[i].status)
			fail_msg("run %zu: %d", i, status);
		for (int k = 0; k < argc; k++)
			free(argv[k]);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
