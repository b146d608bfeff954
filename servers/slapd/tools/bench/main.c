/* slapbench: load for an LDAP server, and what it took. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"

static const struct {
	const char *name;
	int (*run)(int, char **);
} commands[] = {
	{ "run", bench_run },
	{ "gen", bench_gen }
};

int
main(int argc, char **argv)
{
	size_t i;

	signal(SIGPIPE, SIG_IGN);
	for (i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return commands[i].run(argc - 1, argv + 1);
	fputs("usage: slapbench run JOB [OPTIONS] -H URL\n"
	    "       slapbench gen -n N [OPTIONS]\n"
	    "\"slapbench run --help\" and \"slapbench gen --help\" tell "
	    "more, slapbench(8) all.\n", stderr);
	return BENCH_NO_START;
}
