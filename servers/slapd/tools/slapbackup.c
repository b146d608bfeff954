/*
 * slapbackup: a verified copy of a database, beside a running slapd too.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool_int.h"
#include "util/err.h"
#include "util/text.h"

struct job {
	struct tool_run *run;
	struct progress progress;
};

static int
set_keep(struct tool_run *run, const char *value)
{
	if (*value == '\0' || strcasecmp(value, "yes") == 0)
		run->keep_logs = TOOL_KEEP;
	else if (strcasecmp(value, "no") == 0)
		run->keep_logs = TOOL_KEEP_NOT;
	else
		return -1;
	return 0;
}

static int
option(struct tool_run *run, int c, const char *arg)
{
	const char *v;

	if (c == 'q') {
		run->quiet = true;
		return 0;
	}
	if (c == 'o' && strcasecmp(arg, "logs") == 0) {
		run->logs_only = true;
		return 0;
	}
	if (c == 'o' && strcasecmp(arg, "keep-logs") == 0)
		return set_keep(run, "");
	if (c == 'o' && (v = tool_option_value(arg, "keep-logs")) != NULL &&
	    set_keep(run, v) == 0)
		return 0;
	if (c == 'o' && (v = tool_option_value(arg, "verify")) != NULL &&
	    (strcasecmp(v, "no") == 0 || strcasecmp(v, "yes") == 0)) {
		run->no_verify = strcasecmp(v, "no") == 0;
		return 0;
	}
	if (c == 'o' && (run->tmpdir = tool_option_value(arg, "tmpdir")) !=
	    NULL)
		return 0;
	tool_say(run, "unknown option \"%s\"", arg != NULL ? arg : "");
	return -1;
}

static void
on_finding(const struct tool_finding *f, void *arg)
{
	struct job *job = arg;

	progress_end(&job->progress);
	tool_say(job->run, "%s: %s%s%s", f->file, f->where, *f->where != '\0' ?
	    ": " : "", f->what);
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
summary(const struct job *job, const struct tool_backup *tb)
{
	char until[16];

	if (job->run->quiet)
		return;
	text_gentime(tb->time, until);
	if (tb->logs_only)
		tool_say(job->run, "%s: the logs reach to %s", tb->dir, until);
	else if (tb->no_verify)
		tool_say(job->run, "%s: state of %s, not verified, %" PRIu64
		    " MiB in %.1f s", tb->dir, until, tb->octets >> 20,
		    progress_seconds(&job->progress));
	else
		tool_say(job->run, "%s: %" PRIu64 " entries, state of %s, "
		    "%" PRIu64 " MiB in %.1f s", tb->dir, tb->check.entries,
		    until, tb->octets >> 20,
		    progress_seconds(&job->progress));
}

static int
run_backup(struct tool_run *run, int nargs, char **args)
{
	struct job job = { .run = run };
	struct tool_backup tb = {
		.check = {
			.opts = {
				.mode = TOOL_READ,
				.threads = tool_threads(run),
				.tmpdir = run->tmpdir,
				.progress = progress_phase,
				.progress_arg = &job.progress
			},
			.finding = on_finding, .remark = on_remark,
			.arg = &job
		},
		.logs_only = run->logs_only, .no_verify = run->no_verify,
		.keep = run->keep_logs
	};
	char name[64] = "slapbackup-";
	struct diag diag = DIAG_INIT;
	int rc;

	if (nargs > 1 || (nargs == 0 && run->logs_only)) {
		tool_say(run, run->logs_only ? "the folder of one backup "
		    "expected" : "one folder expected");
		return EXIT_FAILURE;
	}
	if (run->db->be->tool->backup == NULL) {
		tool_say(run, "a %s database has no files to back up",
		    run->db->be->name);
		return EXIT_FAILURE;
	}
	text_gentime(time(NULL), name + strlen(name));
	tb.dir = nargs == 1 ? args[0] : name;
	progress_init(&job.progress, run->tool->name, run->verbose ||
	    (!run->quiet && isatty(STDERR_FILENO)));
	rc = run->db->be->tool->backup(run->db, &tb, &diag);
	progress_end(&job.progress);
	if (rc != HB_OK) {
		tool_say_diag(run, rc, &diag);
		return EXIT_FAILURE;
	}
	summary(&job, &tb);
	return EXIT_SUCCESS;
}

const struct tool tool_backup = {
	"slapbackup", "q",
	"[-qv] [-b suffix | -n number] [-d level] [-f file] "
	"[-o keep-logs[=yes|no]] [-o logs] [-o tmpdir=folder] "
	"[-o verify=yes|no] [folder]",
	TOOL_WANTS_CONF | TOOL_WANTS_DB | TOOL_TAKES_ARGS, option, run_backup
};
