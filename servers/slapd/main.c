/* slapd(8), and by the name it is called with, its tools. */
#include <stdio.h>
#include <string.h>

#include "daemon.h"
#include "options.h"
#include "registry.h"
#include "tools/tools.h"
#include "util/err.h"

static void
print_version(unsigned times)
{
	const struct slapd_backend *be;

	fprintf(stderr, "Hornbeam slapd %s\n", PACKAGE_VERSION);
	if (times < 3)
		return;
	fprintf(stderr, "Included static backends:\n");
	for (unsigned i = 0; (be = registry_backend_at(i)) != NULL; i++)
		fprintf(stderr, "\t%s\n", be->name);
}

static const char *
base_name(const char *path)
{
	const char *p = strrchr(path, '/');

	return p != NULL ? p + 1 : path;
}

/* "-T add ..." and "-Tadd ...": the words after it become the tool's own. */
static int
run_tool(int argc, char **argv, const char *word)
{
	const char *name = slapd_tool_name(word, 0);
	int skip = argv[1][2] == '\0' ? 2 : 1;

	if (name == NULL) {
		fprintf(stderr, "%s: no such tool: %s\n", argv[0], word);
		return 1;
	}
	argv[skip] = argv[0];
	return slapd_tool_main(name, argc - skip, argv + skip);
}

static int
run(int argc, char **argv)
{
	struct slapd_options opts;
	struct diag diag = DIAG_INIT;
	const char *name = slapd_tool_name(base_name(argv[0]), 1);
	int rc;

	if (name != NULL)
		return slapd_tool_main(name, argc, argv);
	if (argc > 1 && strncmp(argv[1], "-T", 2) == 0 &&
	    (argv[1][2] != '\0' || argc > 2))
		return run_tool(argc, argv, argv[1][2] != '\0' ?
		    argv[1] + 2 : argv[2]);
	rc = slapd_options_parse(argc, argv, &opts, &diag);
	if (rc == HB_EEND)
		return 0;
	if (rc == HB_OK && opts.tool != NULL) {
		rc = HB_EINVAL;
		diag_set(&diag, "-T must be the first option");
	}
	if (rc != HB_OK) {
		fprintf(stderr, "%s: %s\n", argv[0], diag.text);
		if (rc == HB_EINVAL)
			slapd_options_usage(base_name(argv[0]));
		return 1;
	}
	if (opts.versions > 0) {
		print_version(opts.versions);
		if (opts.versions > 1)
			return 0;
	}
	return slapd_daemon(&opts);
}

int
main(int argc, char **argv)
{
	int status;

	registry_init();
	status = run(argc, argv);
	registry_fini();
	return status;
}
