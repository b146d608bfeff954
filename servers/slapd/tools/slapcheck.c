/*
 * slapcheck: is a database whole? Findings go to standard output, one a line.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool_int.h"
#include "util/err.h"

/* Exit statuses beside EXIT_SUCCESS. */
enum { EXIT_FINDINGS = 1, EXIT_UNCHECKED = 2 };

struct job {
	struct tool_run *run;
	struct progress progress;
};

static int
option(struct tool_run *run, int c, const char *arg)
{
	switch (c) {
	case 'q':
		run->quiet = true;
		return 0;
	case 'r':
		run->repair = true;
		return 0;
	case 'o':
		if (strcasecmp(arg, "repair") == 0) {
			run->repair = true;
			return 0;
		}
		if ((run->tmpdir = tool_option_value(arg, "tmpdir")) != NULL)
			return 0;
		break;
	}
	tool_say(run, "unknown option \"%s\"", arg != NULL ? arg : "");
	return -1;
}

static void
on_finding(const struct tool_finding *f, void *arg)
{
	struct job *job = arg;

	progress_end(&job->progress);
	if (job->run->quiet)
		return;
	printf("%s: %s%s%s\n", f->file, f->where, *f->where != '\0' ? ": " :
	    "", f->what);
	fflush(stdout);
}

static void
on_remark(const char *text, void *arg)
{
	struct job *job = arg;

	progress_end(&job->progress);
	if (!job->run->quiet)
		tool_say(job->run, "%s", text);
}

static void
advise(const struct tool_run *run, const struct tool_check *tc)
{
	if (tc->in_data > 0)
		tool_say(run, "entries or names are damaged, which nothing "
		    "else can tell: restore a backup (slaprestore), or write "
		    "what can be read (slapcat -c), empty the folder and load "
		    "it (slapadd)");
	else if (!run->repair)
		tool_say(run, "all of it can be built anew from the entries: "
		    "slapcheck -r");
	else
		tool_say(run, "it could not be built anew");
}

static void
summary(const struct job *job, const struct tool_check *tc)
{
	const struct tool_run *run = job->run;

	if (run->quiet)
		return;
	if (tc->repaired > 0)
		tool_say(run, "%u file%s built anew", tc->repaired,
		    tc->repaired == 1 ? " was" : "s were");
	tool_say(run, "%" PRIu64 " entries and %" PRIu64 " index keys in "
	    "%.1f s, %" PRIu64 " finding%s", tc->entries, tc->keys,
	    progress_seconds(&job->progress), tc->findings,
	    tc->findings == 1 ? "" : "s");
	if (tc->findings > 0)
		advise(run, tc);
}

static int
run_check(struct tool_run *run, int nargs, char **args)
{
	struct job job = { .run = run };
	struct tool_check tc = {
		.opts = {
			.mode = TOOL_READ, .threads = tool_threads(run),
			.tmpdir = run->tmpdir, .progress = progress_phase,
			.progress_arg = &job.progress
		},
		.repair = run->repair, .finding = on_finding,
		.remark = on_remark, .arg = &job
	};
	struct diag diag = DIAG_INIT;
	int rc;

	(void)nargs;
	(void)args;
	if (run->db->be->tool->check == NULL) {
		tool_say(run, "a %s database has no files to check",
		    run->db->be->name);
		return EXIT_UNCHECKED;
	}
	if (tool_become_owner(run, run->db) != 0)
		return EXIT_UNCHECKED;
	progress_init(&job.progress, run->tool->name, run->verbose ||
	    (!run->quiet && isatty(STDERR_FILENO)));
	rc = run->db->be->tool->check(run->db, &tc, &diag);
	progress_end(&job.progress);
	if (rc != HB_OK) {
		tool_say_diag(run, rc, &diag);
		if (rc == HB_EINUSE)
			tool_say(run, "stop it first; slapbackup makes a "
			    "verified copy beside it");
		return EXIT_UNCHECKED;
	}
	summary(&job, &tc);
	return tc.findings == 0 ? EXIT_SUCCESS : EXIT_FINDINGS;
}

const struct tool tool_check = {
	"slapcheck", "qr",
	"[-qrv] [-b suffix | -n number] [-d level] [-f file] [-o repair] "
	"[-o tmpdir=folder]",
	TOOL_WANTS_CONF | TOOL_WANTS_DB, option, run_check
};
