/*
 * slaprestore. All work is done in a folder beside the database's files; only
 * when the copy is recovered and verified do the old files go aside, into a
 * folder that nothing removes, and the new ones take their place.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/store/backup.h"
#include "backends/store/check.h"
#include "backends/store/env.h"
#include "backends/store/tool_int.h"
#include "util/mem.h"
#include "util/text.h"

#define STAGE		"restore.part"
#define ASIDE		"before-restore"

struct restore {
	const struct be_db *db;
	const struct dnidx_ops *names;
	const struct store_conf *conf;
	struct tool_restore *tr;
	struct backup_text text;
	char *stage, *logs;		/* folders: of the work, of the database's logs */
	int lock, mark;
	bool was_unclean;
	bool has_more;			/* logs that the backup does not know */
};

/* ---- into the stage ---- */

/* Logs get the names that Berkeley DB knows. */
static char *
stage_path(const struct restore *r, const char *name)
{
	uint32_t number = backup_log_number(name);

	return number == 0 ? mem_printf("%s/%s", r->stage, name) :
	    mem_printf("%s/" BACKUP_LOGS "/log.%010u", r->stage, number);
}

static int
copy_file(struct restore *r, const struct backup_file *f, struct meter *m,
    struct diag *diag)
{
	char *from = mem_printf("%s/%s", r->tr->dir, f->name);
	char *to = stage_path(r, f->name);
	uint64_t size;
	uint32_t crc;
	int rc;

	rc = backup_copy_file(from, to, r->conf->mode, UINT64_MAX, &size,
	    &crc, m, diag);
	if (rc == HB_OK && (size != f->size || crc != f->crc))
		rc = diag_err(diag, HB_ECORRUPT, "%s is not what was backed "
		    "up: %llu octets with CRC %08x, written were %llu with "
		    "%08x", from, (unsigned long long)size, crc,
		    (unsigned long long)f->size, f->crc);
	free(from);
	free(to);
	return rc;
}

static int
copy_backup(struct restore *r, struct diag *diag)
{
	struct meter m = { .opts = &r->tr->check.opts,
	    .phase = "copying files" };
	int rc = HB_OK;

	for (unsigned i = 0; i < r->text.nfiles; i++)
		m.total += r->text.files[i].size;
	for (unsigned i = 0; i < r->text.nfiles && rc == HB_OK; i++)
		rc = copy_file(r, &r->text.files[i], &m, diag);
	return rc;
}

/* One more log: it replaces one of the same number that ends earlier. */
static int
copy_more(struct restore *r, const char *dir, const char *name,
    struct diag *diag)
{
	char *from = mem_printf("%s/%s", dir, name);
	char *to = stage_path(r, name);
	uint64_t size;
	uint32_t crc;
	int rc = HB_OK;

	if (backup_log_end(to) < backup_log_end(from)) {
		rc = backup_copy_file(from, to, r->conf->mode, UINT64_MAX,
		    &size, &crc, NULL, diag);
		r->has_more = true;
	}
	free(from);
	free(to);
	return rc;
}

/* Logs of -o logs=DIR; of DIR/log if it is a backup itself. */
static int
copy_more_logs(struct restore *r, struct diag *diag)
{
	struct names_list list;
	uint32_t first = 0;
	char *dir;
	int rc;

	if (r->tr->logs == NULL)
		return HB_OK;
	dir = mem_printf("%s/" BACKUP_LOGS, r->tr->logs);
	if (access(dir, F_OK) != 0) {
		free(dir);
		dir = mem_strdup(r->tr->logs);
	}
	for (unsigned i = 0; i < r->text.nfiles; i++) {
		uint32_t n = backup_log_number(r->text.files[i].name);

		if (n != 0 && (first == 0 || n < first))
			first = n;
	}
	rc = backup_list(dir, backup_is_log, &list, diag);
	if (rc == HB_OK && list.n == 0)
		rc = diag_err(diag, HB_ENOTFOUND, "there are no logs in %s",
		    dir);
	for (size_t i = 0; rc == HB_OK && i < list.n; i++)
		if (backup_log_number(list.v[i]) >= first)
			rc = copy_more(r, dir, list.v[i], diag);
	names_free(&list);
	free(dir);
	return rc;
}

static int
check_numbers(struct restore *r, struct diag *diag)
{
	char *dir = mem_printf("%s/" BACKUP_LOGS, r->stage);
	struct names_list list;
	int rc = backup_list(dir, backup_is_log, &list, diag);

	for (size_t i = 1; rc == HB_OK && i < list.n; i++)
		if (logs_number(list.v[i]) != logs_number(list.v[i - 1]) + 1)
			rc = diag_err(diag, HB_ENOTFOUND, "the logs between "
			    "%s and %s are missing", list.v[i - 1], list.v[i]);
	names_free(&list);
	free(dir);
	return rc;
}

static int
stage(struct restore *r, struct diag *diag)
{
	char *log = mem_printf("%s/" BACKUP_LOGS, r->stage);
	char lineage[33];
	DB_LSN lsn;
	int rc;

	backup_remove(r->stage);
	if ((rc = backup_make_dir(r->stage, diag)) != HB_OK ||
	    (rc = backup_make_dir(log, diag)) != HB_OK ||
	    (rc = copy_backup(r, diag)) != HB_OK ||
	    (rc = copy_more_logs(r, diag)) != HB_OK ||
	    (rc = check_numbers(r, diag)) != HB_OK)
		goto out;
	if (r->tr->check.opts.progress != NULL)
		r->tr->check.opts.progress("replaying the log", 0,
		    r->tr->check.opts.progress_arg);
	rc = backup_recover(r->conf, r->stage, r->tr->until != 0 ?
	    &r->tr->until : NULL, true, &lsn, lineage, diag);
out:
	free(log);
	return rc;
}

static int
verify(struct restore *r, struct diag *diag)
{
	struct tool_check *tc = &r->tr->check;
	int rc = backup_verify(r->db, r->names, r->stage, tc, diag);

	if (rc == HB_OK && tc->in_data > 0)
		rc = diag_err(diag, HB_ECORRUPT, "the backup %s gives no right "
		    "database, with %llu findings: nothing was changed",
		    r->tr->dir, (unsigned long long)tc->findings);
	else if (rc == HB_OK && tc->findings > 0 && tc->remark != NULL)
		tc->remark("indexes are to be built anew: run slapcheck -r",
		    tc->arg);
	return rc;
}

/* ---- into place ---- */

static bool
is_old_file(const char *name)
{
	return backup_is_data(name) || backup_is_log(name) ||
	    strncmp(name, "__db.", 5) == 0 || strcmp(name, LOGS_LOCK) == 0;
}

static int
move_all(const char *from, const char *to, bool (*is_wanted)(const char *),
    unsigned *n, struct diag *diag)
{
	struct names_list list;
	int rc = backup_list(from, is_wanted, &list, diag);

	for (size_t i = 0; rc == HB_OK && i < list.n; i++, ++*n) {
		char *old = mem_printf("%s/%s", from, list.v[i]);
		char *new = mem_printf("%s/%s", to, list.v[i]);

		if (rename(old, new) != 0)
			rc = diag_err(diag, HB_EIO, "%s: cannot be moved to "
			    "%s: %s", old, to, strerror(errno));
		free(old);
		free(new);
	}
	names_free(&list);
	return rc;
}

/* The folder gets a name that is not taken. */
static int
make_aside(const struct restore *r, char *aside, size_t size,
    struct diag *diag)
{
	char now[16];
	int rc = HB_EEXISTS;

	text_gentime(time(NULL), now);
	for (unsigned i = 0; i < 100 && rc == HB_EEXISTS; i++) {
		struct diag why = DIAG_INIT;

		snprintf(aside, size, i == 0 ? "%s/" ASIDE ".%s" :
		    "%s/" ASIDE ".%s-%u", r->conf->directory, now, i);
		rc = backup_make_dir(aside, &why);
		if (rc != HB_OK && rc != HB_EEXISTS)
			diag_set(diag, "%s", why.text);
	}
	return rc;
}

static int
move_old(struct restore *r, struct diag *diag)
{
	const char *dir = r->conf->directory;
	char *aside = r->tr->aside;
	unsigned n = 0;
	int rc;

	if ((rc = make_aside(r, aside, sizeof(r->tr->aside), diag)) != HB_OK ||
	    (rc = move_all(dir, aside, is_old_file, &n, diag)) != HB_OK ||
	    (strcmp(r->logs, dir) != 0 && access(r->logs, F_OK) == 0 &&
	    (rc = move_all(r->logs, aside, backup_is_log, &n, diag)) !=
	    HB_OK))
		return rc;
	if (n == 0) {
		(void)rmdir(aside);
		aside[0] = '\0';
		return HB_OK;
	}
	return backup_sync_dir(aside, diag);
}

static int
move_new(struct restore *r, struct diag *diag)
{
	char *log = mem_printf("%s/" BACKUP_LOGS, r->stage);
	unsigned n = 0;
	int rc;

	if ((rc = move_all(log, r->logs, backup_is_log, &n, diag)) == HB_OK &&
	    (rc = move_all(r->stage, r->conf->directory, backup_is_data, &n,
	    diag)) == HB_OK &&
	    (rc = backup_sync_dir(r->logs, diag)) == HB_OK)
		rc = backup_sync_dir(r->conf->directory, diag);
	free(log);
	return rc;
}

/* What is staged is on disk before anything refers to it. */
static int
sync_stage(const struct restore *r, const char *sub,
    bool (*is_wanted)(const char *), struct diag *diag)
{
	char *dir = mem_printf("%s/%s", r->stage, sub);
	struct names_list list;
	int rc = backup_list(dir, is_wanted, &list, diag);

	for (size_t i = 0; rc == HB_OK && i < list.n; i++) {
		char *path = mem_printf("%s/%s", dir, list.v[i]);
		int fd = open(path, O_RDWR | O_CLOEXEC);

		if (fd < 0 || fsync(fd) != 0 ||
		    fchmod(fd, (mode_t)r->conf->mode) != 0)
			rc = diag_err(diag, HB_EIO, "%s: %s", path,
			    strerror(errno));
		if (fd >= 0)
			close(fd);
		free(path);
	}
	names_free(&list);
	free(dir);
	return rc;
}

static int
put_in_place(struct restore *r, struct diag *diag)
{
	const char *dir = r->conf->directory;
	char *mark = mem_printf("%s/" STORE_MARK_FILE, dir);
	int rc;

	/* of a load that was cut off, whose files go aside now */
	(void)unlink(mark);
	free(mark);
	if ((rc = sync_stage(r, "", backup_is_data, diag)) != HB_OK ||
	    (rc = sync_stage(r, BACKUP_LOGS, backup_is_log, diag)) != HB_OK ||
	    (rc = mark_set(dir, MARK_RESTORE, &r->mark, diag)) != HB_OK ||
	    (rc = move_old(r, diag)) != HB_OK ||
	    (rc = move_new(r, diag)) != HB_OK)
		return rc;
	r->was_unclean = false;
	return mark_clear(dir, &r->mark, diag);
}

/* ---- all of it ---- */

/* Nobody loads into the folder; one that was cut off is what we are for. */
static int
check_mark(const char *dir, struct diag *diag)
{
	struct diag why = DIAG_INIT;
	int rc = store_mark_check(dir, &why);

	if (rc == HB_OK || rc == HB_EUNLOADED)
		return HB_OK;
	return diag_err(diag, rc, "%s", why.text);
}

static int
check_time(const struct restore *r, struct diag *diag)
{
	char wanted[16], has[16];

	if (r->tr->until == 0 || r->tr->until >= r->text.time)
		return HB_OK;
	text_gentime(r->tr->until, wanted);
	text_gentime(r->text.time, has);
	return diag_err(diag, HB_EINVAL, "%s is the state of %s: that of %s "
	    "needs an older backup", r->tr->dir, has, wanted);
}

static void
tell_time(struct restore *r)
{
	time_t end = r->has_more ? 0 : r->text.until;

	r->tr->time = r->tr->until != 0 && (end == 0 || r->tr->until < end) ?
	    r->tr->until : end;
}

static int
run(struct restore *r, struct diag *diag)
{
	const char *dir = r->conf->directory;
	int rc;

	if ((rc = backup_text_read(r->tr->dir, &r->text, diag)) != HB_OK ||
	    (rc = backup_text_fits(&r->text, r->tr->dir, r->db, diag)) !=
	    HB_OK || (rc = check_time(r, diag)) != HB_OK ||
	    (rc = dir_check(dir, true, diag)) != HB_OK ||
	    (rc = lockfile_take(dir, r->conf->mode, &r->lock, &r->was_unclean,
	    diag)) != HB_OK || (rc = check_mark(dir, diag)) != HB_OK ||
	    (rc = stage(r, diag)) != HB_OK ||
	    (rc = verify(r, diag)) != HB_OK ||
	    (rc = put_in_place(r, diag)) != HB_OK)
		return rc;
	tell_time(r);
	return HB_OK;
}

int
store_tool_restore(struct be_db *db, const struct dnidx_ops *names,
    struct tool_restore *tr, struct diag *diag)
{
	struct restore r = { .db = db, .names = names, .conf = db->conf,
	    .tr = tr, .lock = -1, .mark = -1 };
	int rc;

	r.stage = mem_printf("%s/" STAGE, r.conf->directory);
	r.logs = dir_logs(r.conf);
	tr->aside[0] = '\0';
	rc = run(&r, diag);
	if (r.lock >= 0) {
		backup_remove(r.stage);
		dir_give(r.conf->directory);
	}
	if (r.mark >= 0)
		close(r.mark);
	lockfile_release(&r.lock, !r.was_unclean);
	backup_text_fini(&r.text);
	free(r.stage);
	free(r.logs);
	return rc;
}
