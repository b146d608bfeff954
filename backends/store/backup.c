/*
 * slapbackup. The order makes a copy of a database in use consistent: first
 * the log is held, then the files are copied, page by page, while others write
 * them; then the log, up to a point after the last page. Recovery of the copy
 * brings all pages to that point.
 */
#include <sys/file.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/store/backup.h"
#include "backends/store/check.h"
#include "backends/store/env.h"
#include "util/mem.h"

#define RAW_LOG		"raw.part"	/* the last log, as the server wrote it */

/* ---- copying ---- */

static int
copy_data(const struct source *s, const char *dir,
    const struct tool_opts *opts, struct diag *diag)
{
	struct meter m = { .opts = opts, .phase = "copying files" };
	struct names_list list;
	int rc;

	rc = backup_list(s->conf->directory, backup_is_data, &list, diag);
	for (size_t i = 0; i < list.n; i++) {
		char *path = mem_printf("%s/%s", s->conf->directory,
		    list.v[i]);

		m.total += backup_file_size(path);
		free(path);
	}
	for (size_t i = 0; rc == HB_OK && i < list.n; i++) {
		char *from = mem_printf("%s/%s", s->conf->directory,
		    list.v[i]);
		char *to = mem_printf("%s/%s", dir, list.v[i]);

		/* an index that is dropped meanwhile goes from the copy too */
		if (access(from, F_OK) == 0)
			rc = backup_copy_pages(from, to, BACKUP_MODE, &m,
			    diag);
		free(from);
		free(to);
	}
	names_free(&list);
	return rc;
}

/*
 * Recovery adds to the last log what the server's log does not have; so that
 * the server's may follow later, the copy keeps it as it was. LAST 0: nothing
 * was ever logged.
 */
static int
recover(const struct source *s, const char *dir, uint32_t last,
    struct backup_text *text, struct diag *diag)
{
	char *raw = mem_printf("%s/" BACKUP_LOGS "/" RAW_LOG, dir);
	char *log = mem_printf("%s/" BACKUP_LOGS "/log.%010u", dir, last);
	char *next = mem_printf("%s/" BACKUP_LOGS "/log.%010u", dir, last + 1);
	char lineage[33] = "", uid[41], *entries;
	uint64_t size;
	uint32_t crc;
	DB_LSN lsn = { 0, 0 };
	int rc;

	entries = mem_printf("%s/" FILE_ENTRIES, dir);
	if ((last > 0 && (rc = backup_copy_file(log, raw, BACKUP_MODE,
	    UINT64_MAX, &size, &crc, NULL, diag)) != HB_OK) ||
	    (rc = backup_recover(s->conf, dir, NULL, false, &lsn, lineage,
	    diag)) != HB_OK ||
	    (rc = backup_file_uid(entries, uid, diag)) != HB_OK)
		goto out;
	(void)unlink(next);
	if (last > 0 && rename(raw, log) != 0)
		rc = diag_err(diag, HB_EIO, "%s: %s", log, strerror(errno));
	text->lsn_file = lsn.file;
	text->lsn_offset = lsn.offset;
	text->lineage = mem_printf("%s.%s", uid, lineage);
out:
	free(raw);
	free(log);
	free(next);
	free(entries);
	return rc;
}

static int
copy_from(struct source *s, const char *dir, const struct tool_opts *opts,
    struct backup_text *text, struct diag *diag)
{
	char *log = mem_printf("%s/" BACKUP_LOGS, dir);
	uint32_t first, last = 0;
	int rc;

	text->begun = time(NULL);
	if ((rc = backup_make_dir(log, diag)) != HB_OK ||
	    (rc = source_first_log(s, &first, diag)) != HB_OK)
		goto out;
	source_leave(s);
	if ((rc = copy_data(s, dir, opts, diag)) != HB_OK ||
	    (rc = source_join(s, diag)) != HB_OK ||
	    (rc = source_flush(s, &text->time, diag)) != HB_OK ||
	    (rc = source_logs(s, diag)) != HB_OK)
		goto out;
	source_leave(s);
	if ((rc = source_copy_logs(s, dir, first, opts, NULL, 0, &last, diag)) !=
	    HB_OK || (rc = source_check_owner(s, diag)) != HB_OK)
		goto out;
	text->until = text->time;
	if (opts->progress != NULL)
		opts->progress("recovering the copy", 0, opts->progress_arg);
	rc = recover(s, dir, last, text, diag);
out:
	free(log);
	return rc;
}

int
backup_copy(struct be_db *db, const struct dnidx_ops *names, const char *dir,
    const struct tool_opts *opts, struct backup_text *text_r, int *hold_r,
    struct diag *diag)
{
	struct source s;
	int rc;

	*text_r = (struct backup_text){ .suffix = NULL };
	*hold_r = -1;
	rc = source_open(&s, db, names, diag);
	if (rc == HB_OK)
		rc = copy_from(&s, dir, opts, text_r, diag);
	if (rc == HB_OK) {
		*hold_r = s.hold;
		s.hold = -1;
		text_r->suffix = mem_slicedup(db->suffixes[0].text);
		text_r->backend = mem_strdup(db->be->name);
		text_r->format = mem_strdup(STORE_FORMAT);
		text_r->encrypted = s.conf->cryptkey != NULL ||
		    s.conf->cryptfile != NULL;
	}
	source_close(&s);
	return rc;
}

/* ---- a whole backup ---- */

int
backup_verify(const struct be_db *db, const struct dnidx_ops *names,
    const char *dir, struct tool_check *tc, struct diag *diag)
{
	struct store_conf conf = *(const struct store_conf *)db->conf;
	struct be_db copy = *db;

	conf.directory = (char *)(uintptr_t)dir;
	copy.conf = &conf;
	copy.priv = NULL;
	return check_run(&copy, names, STORE_READ, tc, diag);
}

/* PART is made and locked; what a run that was cut off left there goes. */
static int
make_part(const char *part, int *fd_r, struct diag *diag)
{
	int rc = HB_OK;

	*fd_r = open(part, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*fd_r >= 0) {
		if (flock(*fd_r, LOCK_EX | LOCK_NB) != 0)
			rc = diag_err(diag, HB_EINUSE, "another slapbackup "
			    "writes to %s", part);
		else
			backup_remove(part);
		close(*fd_r);
		*fd_r = -1;
		if (rc != HB_OK)
			return rc;
	}
	if ((rc = backup_make_dir(part, diag)) != HB_OK)
		return rc;
	*fd_r = open(part, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*fd_r < 0 || flock(*fd_r, LOCK_EX | LOCK_NB) != 0)
		rc = diag_err(diag, HB_EIO, "%s: %s", part, strerror(errno));
	return rc;
}

static int
sum_files(const char *part, const char *sub,
    bool (*is_wanted)(const char *name), struct backup_text *text,
    struct diag *diag)
{
	char *dir = mem_printf("%s/%s", part, sub);
	struct names_list list;
	int rc = backup_list(dir, is_wanted, &list, diag);

	for (size_t i = 0; rc == HB_OK && i < list.n; i++) {
		char *name = mem_printf("%s%s%s", sub, *sub != '\0' ? "/" :
		    "", list.v[i]);
		char *path = mem_printf("%s/%s", part, name);
		uint64_t size;
		uint32_t crc;

		rc = backup_sum_file(path, &size, &crc, diag);
		if (rc == HB_OK)
			backup_text_add(text, name, size, crc);
		free(path);
		free(name);
	}
	if (rc == HB_OK)
		rc = backup_sync_dir(dir, diag);
	names_free(&list);
	free(dir);
	return rc;
}

static int
sync_parent(const char *path, struct diag *diag)
{
	char *copy = mem_strdup(path), *slash = strrchr(copy, '/');
	int rc;

	if (slash == copy)
		slash[1] = '\0';
	else if (slash != NULL)
		*slash = '\0';
	rc = backup_sync_dir(slash != NULL ? copy : ".", diag);
	free(copy);
	return rc;
}

static int
verify_part(const struct be_db *db, const struct dnidx_ops *names,
    const char *part, struct tool_backup *tb, struct backup_text *text,
    struct diag *diag)
{
	int rc;

	if (tb->no_verify)
		return HB_OK;
	rc = backup_verify(db, names, part, &tb->check, diag);
	if (rc == HB_OK && tb->check.findings > 0)
		rc = diag_err(diag, HB_ECORRUPT, "the copy is not right, with "
		    "%llu findings; it is left in %s: run slapcheck on the "
		    "database", (unsigned long long)tb->check.findings, part);
	text->verified = true;
	text->entries = tb->check.entries;
	return rc;
}

/* PART becomes DIR when all of it is on disk. */
static int
finish_part(const char *part, const char *dir, struct backup_text *text,
    struct diag *diag)
{
	int rc;

	if ((rc = sum_files(part, "", backup_is_data, text, diag)) != HB_OK ||
	    (rc = sum_files(part, BACKUP_LOGS, backup_is_log, text,
	    diag)) != HB_OK ||
	    (rc = backup_text_write(text, part, diag)) != HB_OK)
		return rc;
	if (rename(part, dir) != 0)
		return diag_err(diag, HB_EIO, "%s: %s", dir, strerror(errno));
	return sync_parent(dir, diag);
}

static int
whole_backup(struct be_db *db, const struct dnidx_ops *names,
    struct tool_backup *tb, struct diag *diag)
{
	char *part = mem_printf("%s" BACKUP_PART, tb->dir);
	struct backup_text text = { .suffix = NULL };
	int fd = -1, hold = -1, rc;

	if (access(tb->dir, F_OK) == 0)
		rc = diag_err(diag, HB_EEXISTS, "%s is there already",
		    tb->dir);
	else
		rc = make_part(part, &fd, diag);
	if (rc != HB_OK ||
	    (rc = backup_copy(db, names, part, &tb->check.opts, &text, &hold,
	    diag)) != HB_OK ||
	    (rc = verify_part(db, names, part, tb, &text, diag)) != HB_OK ||
	    (rc = finish_part(part, tb->dir, &text, diag)) != HB_OK ||
	    (rc = backup_set_keep(tb, hold, &text, diag)) != HB_OK)
		goto out;
	backup_tell(tb, &text);
out:
	if (rc != HB_OK && rc != HB_ECORRUPT && fd >= 0)
		backup_remove(part);
	if (fd >= 0)
		close(fd);
	logs_release(&hold);
	dir_give(((const struct store_conf *)db->conf)->directory);
	backup_text_fini(&text);
	free(part);
	return rc;
}

int
store_tool_backup(struct be_db *db, const struct dnidx_ops *names,
    struct tool_backup *tb, struct diag *diag)
{
	return tb->logs_only ? backup_more(db, names, tb, diag) :
	    whole_backup(db, names, tb, diag);
}
