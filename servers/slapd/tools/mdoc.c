/*
 * -T mdoc TABLE: the rows of an option table for its manual page.
 */
#include <stdlib.h>

#include "../registry.h"
#include "tool_int.h"

static const struct {
	const char *name;
	const struct cfg_item *table;
} tables[] = {
	{ "global", conf_global_table },
	{ "common", conf_common_table },
	{ "database", conf_database_table },
};

static const struct cfg_item *
find_table(const char *name)
{
	const struct slapd_backend *be;

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		if (strcmp(tables[i].name, name) == 0)
			return tables[i].table;
	registry_init();
	be = registry_find_backend(name);
	return be != NULL ? be->config : NULL;
}

static int
run_mdoc(struct tool_run *run, int nargs, char **args)
{
	const struct cfg_item *table = nargs == 1 ? find_table(args[0]) : NULL;
	struct buf out;
	int rc = EXIT_FAILURE;

	if (table == NULL) {
		tool_say(run, "a table expected: global, common, database or "
		    "the name of a backend that is built in");
		return rc;
	}
	buf_init(&out);
	cfg_put_mdoc(table, &out);
	if (fwrite(out.data, 1, out.len, stdout) == out.len &&
	    fflush(stdout) == 0)
		rc = EXIT_SUCCESS;
	buf_fini(&out);
	return rc;
}

const struct tool tool_mdoc = {
	"mdoc", "", "table", TOOL_TAKES_ARGS, NULL, run_mdoc
};
