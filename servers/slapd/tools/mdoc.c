/*
 * -T mdoc TABLE [PATH]: the rows of an option table for its manual page. A
 * backend that is not linked in is loaded from the folders PATH.
 */
#include <stdio.h>
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
find_table(const char *name, const char *path, struct diag *diag)
{
	const struct slapd_backend *be;
	char module[64];

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		if (strcmp(tables[i].name, name) == 0)
			return tables[i].table;
	registry_init();
	be = registry_find_backend(name);
	if (be == NULL && path != NULL) {
		snprintf(module, sizeof(module), "back_%s", name);
		if (registry_load_module(path, module, 0, NULL, diag) != HB_OK)
			return NULL;
		be = registry_find_backend(name);
	}
	return be != NULL ? be->config : NULL;
}

static int
run_mdoc(struct tool_run *run, int nargs, char **args)
{
	const struct cfg_item *table = NULL;
	struct diag diag = DIAG_INIT;
	struct buf out;
	int rc = EXIT_FAILURE;

	if (nargs == 1 || nargs == 2)
		table = find_table(args[0], nargs == 2 ? args[1] : NULL, &diag);
	if (table == NULL) {
		tool_say(run, "%s", diag.text[0] != '\0' ? diag.text :
		    "a table expected: global, common, database or the name "
		    "of a backend");
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
