/*
 * slaptest: would slapd start with this configuration?
 */
#include <sys/stat.h>

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "tool_int.h"
#include "util/err.h"

static int
option(struct tool_run *run, int c, const char *arg)
{
	(void)arg;
	if (c == 'u')
		run->dry_run = true;
	else
		run->quiet = true;
	return 0;
}

/*
 * For a while, as the owner of the folder: nothing of root's may be left there.
 */
static void
owner_begin(const struct stat *st)
{
	if (geteuid() == 0 && (setegid(st->st_gid) != 0 ||
	    seteuid(st->st_uid) != 0))
		(void)setegid(getgid());
}

static void
owner_end(void)
{
	if (seteuid(getuid()) != 0 || setegid(getgid()) != 0)
		abort();		/* must not go on as somebody else */
}

static int
test_folder(const struct tool_run *run, const struct be_db *db,
    struct stat *st)
{
	const char *dir = tool_directory(db);

	if (dir == NULL || (stat(dir, st) == 0 && S_ISDIR(st->st_mode)))
		return 0;
	tool_say(run, "%s: line %u: folder \"%s\": %s", db->file, db->line,
	    dir, strerror(errno));
	return -1;
}

static int
test_db(const struct tool_run *run, struct be_db *db)
{
	struct tool_opts opts = { .mode = TOOL_READ, .threads = 1 };
	struct diag diag = DIAG_INIT;
	struct stat st = { .st_uid = getuid(), .st_gid = getgid() };
	int rc;

	if (db->be->tool == NULL)
		return 0;
	if (test_folder(run, db, &st) != 0)
		return -1;
	owner_begin(&st);
	if ((rc = db->be->tool->open(db, &opts, &diag)) == HB_OK)
		rc = db->be->tool->close(db, true, &diag);
	owner_end();
	/* one that was never filled is made at the first start */
	if (rc == HB_ENOTFOUND || rc == HB_ENOENT) {
		if (run->verbose)
			tool_say(run, "database %u: not there yet",
			    db->number);
		return 0;
	}
	if (rc == HB_OK)
		return 0;
	diag_at(&diag, db->file, db->line);
	tool_say_diag(run, rc, &diag);
	return -1;
}

static void
say_notes(const struct tool_run *run)
{
	const struct conf_note *note;

	for (note = run->conf->notes; note != NULL; note = note->next)
		tool_say(run, "%s", note->text);
}

static int
run_test(struct tool_run *run, int nargs, char **args)
{
	int failed = 0;

	(void)nargs;
	(void)args;
	if (!run->quiet)
		say_notes(run);
	for (unsigned i = 0; !run->dry_run && i < run->conf->ndbs; i++)
		if (test_db(run, run->conf->dbs[i]) != 0)
			failed++;
	if (failed > 0)
		return EXIT_FAILURE;
	if (!run->quiet)
		fprintf(stderr, "config file testing succeeded\n");
	return EXIT_SUCCESS;
}

const struct tool tool_test = {
	"slaptest", "Qu", "[-Quv] [-d level] [-f file]",
	TOOL_WANTS_CONF, option, run_test
};
