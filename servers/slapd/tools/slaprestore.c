/*
 * slaprestore: a backup in place of a database, as of its end or of a moment
 * that its logs reach.
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

/* GeneralizedTime or ISO 8601 with Z; without it, local time. */
static int
set_until(struct tool_run *run, const char *value)
{
	static const struct { const char *format; bool is_utc; } forms[] = {
		{ "%Y%m%d%H%M%SZ", true }, { "%Y-%m-%dT%H:%M:%SZ", true },
		{ "%Y-%m-%dT%H:%M:%S", false }, { "%Y-%m-%d %H:%M:%S", false }
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		struct tm tm = { .tm_isdst = -1 };
		const char *end = strptime(value, forms[i].format, &tm);

		if (end == NULL || *end != '\0')
			continue;
		run->until = forms[i].is_utc ? timegm(&tm) : mktime(&tm);
		return run->until > 0 ? 0 : -1;
	}
	return -1;
}

static int
option(struct tool_run *run, int c, const char *arg)
{
	const char *v;

	if (c == 'q') {
		run->quiet = true;
		return 0;
	}
	if (c == 'o' && (v = tool_option_value(arg, "until")) != NULL &&
	    set_until(run, v) == 0)
		return 0;
	if (c == 'o' && (run->logs = tool_option_value(arg, "logs")) != NULL)
		return 0;
	tool_say(run, "\"%s\": not understood", arg != NULL ? arg : "");
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
summary(const struct job *job, const struct tool_restore *tr)
{
	char until[16];

	if (job->run->quiet)
		return;
	text_gentime(tr->time, until);
	tool_say(job->run, "%" PRIu64 " entries, state of %s, in %.1f s",
	    tr->check.entries, tr->time != 0 ? until : "the end of the logs",
	    progress_seconds(&job->progress));
	if (tr->aside[0] != '\0')
		tool_say(job->run, "what was there before is in %s",
		    tr->aside);
}

static int
run_restore(struct tool_run *run, int nargs, char **args)
{
	struct job job = { .run = run };
	struct tool_restore tr = {
		.check = {
			.opts = {
				.mode = TOOL_READ,
				.threads = tool_threads(run),
				.progress = progress_phase,
				.progress_arg = &job.progress
			},
			.finding = on_finding, .remark = on_remark,
			.arg = &job
		},
		.logs = run->logs, .until = run->until
	};
	struct diag diag = DIAG_INIT;
	int rc;

	if (nargs != 1) {
		tool_say(run, "the folder of one backup expected");
		return EXIT_FAILURE;
	}
	if (run->db->be->tool->restore == NULL) {
		tool_say(run, "a %s database has no files to restore",
		    run->db->be->name);
		return EXIT_FAILURE;
	}
	tr.dir = args[0];
	progress_init(&job.progress, run->tool->name, run->verbose ||
	    (!run->quiet && isatty(STDERR_FILENO)));
	rc = run->db->be->tool->restore(run->db, &tr, &diag);
	progress_end(&job.progress);
	if (rc != HB_OK) {
		tool_say_diag(run, rc, &diag);
		return EXIT_FAILURE;
	}
	summary(&job, &tr);
	return EXIT_SUCCESS;
}

const struct tool tool_restore = {
	"slaprestore", "q",
	"[-qv] [-b suffix | -n number] [-d level] [-f file] "
	"[-o logs=folder] [-o until=time] folder",
	TOOL_WANTS_CONF | TOOL_WANTS_DB | TOOL_TAKES_ARGS, option, run_restore
};
