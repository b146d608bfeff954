/*
 * slapindex: indexes built anew from the entries.
 */
#include <stdlib.h>

#include "tool_int.h"
#include "util/err.h"

static int
option(struct tool_run *run, int c, const char *arg)
{
	switch (c) {
	case 'c':
		run->go_on = true;
		return 0;
	case 'g':
		return 0;
	case 'q':
		run->quick = true;
		return 0;
	case 't':
		run->truncate = true;
		return 0;
	}
	tool_say(run, "unknown option \"%s\"", arg != NULL ? arg : "");
	return -1;
}

static int
find_descs(struct tool_run *run, int n, char **names,
    const struct attr_desc **descs)
{
	struct diag diag = DIAG_INIT;
	int rc;

	for (int i = 0; i < n; i++) {
		rc = schema_desc(run->conf->schema, slice_of(names[i]),
		    &descs[i], &diag);
		if (rc != HB_OK) {
			diag_prefix(&diag, "\"%s\"", names[i]);
			tool_say_diag(run, rc, &diag);
			return rc;
		}
	}
	return HB_OK;
}

static int
reindex(struct tool_run *run, const struct attr_desc *const *descs, unsigned n)
{
	const struct slapd_tool_ops *tool = run->db->be->tool;
	struct progress progress;
	struct tool_opts opts = {
		.mode = run->quick ? TOOL_QUICK : TOOL_WRITE,
		.indexes_only = true, .threads = tool_threads(run),
		.progress = progress_phase, .progress_arg = &progress
	};
	struct diag diag = DIAG_INIT;
	int rc, closed;

	progress_init(&progress, run->tool->name, true);
	rc = tool->open(run->db, &opts, &diag);
	if (rc == HB_EINUSE) {
		if (run->verbose)
			tool_say(run, "%s: it builds the indexes", diag.text);
		diag_clear(&diag);
		opts.ask_server = true;
		rc = tool->open(run->db, &opts, &diag);
	}
	if (rc == HB_OK) {
		rc = tool->reindex(run->db, descs, n, &diag);
		closed = tool->close(run->db, rc == HB_OK, &diag);
		if (rc == HB_OK)
			rc = closed;
	}
	progress_end(&progress);
	if (rc != HB_OK)
		tool_say_diag(run, rc, &diag);
	else if (run->verbose)
		tool_say(run, "done in %.1f s", progress_seconds(&progress));
	return rc;
}

static int
run_index(struct tool_run *run, int nargs, char **args)
{
	const struct attr_desc **descs = calloc((size_t)nargs + 1,
	    sizeof(*descs));
	int rc;

	if (descs == NULL)
		return EXIT_FAILURE;
	tool_catch_signals();
	if (run->db->be->tool->reindex == NULL) {
		tool_say(run, "a %s database has no indexes",
		    run->db->be->name);
		rc = HB_EUNSUPPORTED;
	} else if ((rc = find_descs(run, nargs, args, descs)) == HB_OK &&
	    (rc = tool_become_owner(run, run->db)) == 0)
		rc = reindex(run, descs, (unsigned)nargs);
	free(descs);
	return rc == HB_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}

const struct tool tool_index = {
	"slapindex", "cgqt",
	"[-qtv] [-b suffix | -n number] [-d level] [-f file] [attribute ...]",
	TOOL_WANTS_CONF | TOOL_WANTS_DB | TOOL_TAKES_ARGS, option, run_index
};
