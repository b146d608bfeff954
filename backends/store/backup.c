/*
 * slapbackup. The order makes a copy of a database in use consistent: first
 * the log is held, then the files are copied, page by page, while others write
 * them; then the log, up to a point after the last page. Recovery of the copy
 * brings all pages to that point.
 *
 * The environment of the server is joined for moments only: what is killed
 * while it has joined may leave locks behind.
 */
#include <sys/file.h>
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
#include "util/mem.h"

#define CACHE_BYTES	(16u << 20)
#define FILE_MODE	0600
#define RAW_LOG		"raw.part"	/* the last log, as the server wrote it */

struct source {
	struct be_db *db;
	const struct dnidx_ops *names;
	const struct store_conf *conf;
	struct store *st;		/* NULL: the environment is not joined */
	pid_t owner;			/* 0: it is us */
	int hold;
	char **logs;			/* paths, ascending; one piece of memory */
};

/* ---- the database that is copied ---- */

static int
source_join(struct source *s, struct diag *diag)
{
	int rc;

	if (s->st != NULL)
		return HB_OK;
	rc = store_open_env(s->db, s->names, s->owner != 0 ? STORE_READ :
	    STORE_WRITE, CACHE_BYTES, diag);
	if (rc == HB_OK)
		s->st = s->db->priv;
	return rc;
}

static void
source_leave(struct source *s)
{
	if (s->st != NULL)
		store_close(s->db);
	s->st = NULL;
}

static int
source_open(struct source *s, struct be_db *db, const struct dnidx_ops *names,
    struct diag *diag)
{
	bool unclean;
	char *path;
	int rc;

	*s = (struct source){ .db = db, .names = names, .conf = db->conf,
	    .hold = -1 };
	path = mem_printf("%s/" FILE_ENTRIES, s->conf->directory);
	if (access(path, F_OK) != 0)
		rc = diag_err(diag, HB_ENOTFOUND, "there is no database in "
		    "%s", s->conf->directory);
	else {
		s->owner = lockfile_owner(s->conf->directory, &unclean);
		if ((rc = source_join(s, diag)) == HB_OK)
			rc = logs_hold(s->conf, &s->hold, diag);
	}
	free(path);
	return rc;
}

static void
source_close(struct source *s)
{
	free(s->logs);
	s->logs = NULL;
	source_leave(s);
	logs_release(&s->hold);
}

/* The owner is the one of the beginning. */
static int
source_check_owner(const struct source *s, struct diag *diag)
{
	bool unclean;

	if (s->owner == 0 ||
	    lockfile_owner(s->conf->directory, &unclean) == s->owner)
		return HB_OK;
	return diag_err(diag, HB_EINUSE, "slapd was stopped or started "
	    "meanwhile: run slapbackup again");
}

/* Paths of all logs, or of those that recovery does not need; NULL: none. */
static int
list_logs(const struct source *s, u_int32_t flags, char ***logs_r,
    struct diag *diag)
{
	int err;

	*logs_r = NULL;
	err = s->st->env->log_archive(s->st->env, logs_r,
	    DB_ARCH_ABS | flags);
	/* nothing was written since the database was loaded */
	if (err == 0 || err == DB_NOTFOUND)
		return HB_OK;
	return diag_err(diag, HB_EIO, "the logs of %s: %s",
	    s->conf->directory, db_strerror(err));
}

static int
source_logs(struct source *s, struct diag *diag)
{
	free(s->logs);
	return list_logs(s, DB_ARCH_LOG, &s->logs, diag);
}

/* The first log that recovery of what is on disk now needs. */
static int
source_first_log(struct source *s, uint32_t *first_r, struct diag *diag)
{
	char **gone = NULL;
	int rc = list_logs(s, 0, &gone, diag);

	*first_r = 0;
	for (char **p = gone; p != NULL && *p != NULL; p++)
		if (logs_number(*p) >= *first_r)
			*first_r = logs_number(*p) + 1;
	free(gone);
	return rc;
}

/* All that was answered is in the log's files; their time. */
static int
source_flush(struct source *s, time_t *time_r, struct diag *diag)
{
	int err;

	*time_r = time(NULL);
	err = s->st->env->log_flush(s->st->env, NULL);
	return err == 0 ? HB_OK : diag_err(diag, HB_EIO, "the log of %s: %s",
	    s->conf->directory, db_strerror(err));
}

/* ---- copying ---- */

static uint64_t
file_size(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

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

		m.total += file_size(path);
		free(path);
	}
	for (size_t i = 0; rc == HB_OK && i < list.n; i++) {
		char *from = mem_printf("%s/%s", s->conf->directory,
		    list.v[i]);
		char *to = mem_printf("%s/%s", dir, list.v[i]);

		rc = backup_copy_pages(from, to, FILE_MODE, &m, diag);
		free(from);
		free(to);
	}
	names_free(&list);
	return rc;
}

/* One log to DIR/NAME, on disk then. */
static int
copy_log(const char *from, const char *dir, const char *name,
    struct meter *m, struct backup_text *text, struct diag *diag)
{
	char *to = mem_printf("%s/%s", dir, name);
	uint64_t size;
	uint32_t crc;
	int rc;

	rc = backup_copy_file(from, to, FILE_MODE, UINT64_MAX, &size, &crc, m,
	    diag);
	if (rc == HB_OK)
		rc = backup_sum_file(to, &size, &crc, diag);
	if (rc == HB_OK && text != NULL)
		backup_text_add(text, name, size, crc);
	free(to);
	return rc;
}

/*
 * Logs from FIRST on into DIR/log. TEXT: they are added to an older backup, as
 * run SERIAL; no file that it has is touched.
 */
static int
copy_logs(const struct source *s, const char *dir, uint32_t first,
    const struct tool_opts *opts, struct backup_text *text, unsigned serial,
    uint32_t *last_r, struct diag *diag)
{
	struct meter m = { .opts = opts, .phase = "copying logs" };
	int rc = HB_OK;

	for (char **p = s->logs; p != NULL && *p != NULL; p++)
		m.total += logs_number(*p) >= first ? file_size(*p) : 0;
	for (char **p = s->logs; rc == HB_OK && p != NULL && *p != NULL;
	    p++) {
		uint32_t number = logs_number(*p);
		char *name;

		if (number < first)
			continue;
		name = text == NULL ?
		    mem_printf(BACKUP_LOGS "/log.%010u", number) :
		    mem_printf(BACKUP_LOGS "/log.%010u.%u", number, serial);
		rc = copy_log(*p, dir, name, &m, text, diag);
		*last_r = number;
		free(name);
	}
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
	if ((last > 0 && (rc = backup_copy_file(log, raw, FILE_MODE,
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
	if (s->owner != 0)
		source_leave(s);
	if ((rc = copy_data(s, dir, opts, diag)) != HB_OK ||
	    (rc = source_join(s, diag)) != HB_OK ||
	    (rc = source_flush(s, &text->time, diag)) != HB_OK ||
	    (rc = source_logs(s, diag)) != HB_OK)
		goto out;
	if (s->owner != 0)
		source_leave(s);
	if ((rc = copy_logs(s, dir, first, opts, NULL, 0, &last, diag)) !=
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

static uint32_t
last_log(const struct backup_text *text)
{
	uint32_t last = 0;

	for (unsigned i = 0; i < text->nfiles; i++)
		if (backup_log_number(text->files[i].name) > last)
			last = backup_log_number(text->files[i].name);
	return last;
}

static int
set_keep(const struct tool_backup *tb, int hold,
    const struct backup_text *text, struct diag *diag)
{
	uint32_t number = 0;

	if (tb->keep == TOOL_KEEP_AS_IS)
		return HB_OK;
	if (tb->keep == TOOL_KEEP)
		number = last_log(text) > 0 ? last_log(text) : 1;
	return logs_keep(hold, number, diag);
}

static void
tell_result(struct tool_backup *tb, const struct backup_text *text)
{
	tb->time = text->until;
	tb->octets = 0;
	for (unsigned i = 0; i < text->nfiles; i++)
		tb->octets += text->files[i].size;
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
	    (rc = set_keep(tb, hold, &text, diag)) != HB_OK)
		goto out;
	tell_result(tb, &text);
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

/* ---- more logs for a backup ---- */

static int
check_lineage(const struct source *s, const struct backup_text *text,
    const char *dir, struct diag *diag)
{
	char *path = mem_printf("%s/" FILE_ENTRIES, s->conf->directory);
	char uid[41], now[33], *lineage;
	int rc, err;

	if ((rc = backup_file_uid(path, uid, diag)) != HB_OK)
		goto out;
	if ((err = store_lineage(s->st->dict_db, now)) != 0) {
		rc = diag_err(diag, HB_EIO, FILE_DICT ": %s",
		    db_strerror(err));
		goto out;
	}
	lineage = mem_printf("%s.%s", uid, now);
	if (strcmp(lineage, text->lineage) != 0)
		rc = diag_err(diag, HB_EINVAL, "since the backup %s the "
		    "database was loaded, indexed without a log or restored: "
		    "its log does not continue it; make a new backup", dir);
	free(lineage);
out:
	free(path);
	return rc;
}

static int
check_gap(const struct source *s, uint32_t last, struct diag *diag)
{
	uint32_t first = s->logs != NULL && s->logs[0] != NULL ?
	    logs_number(s->logs[0]) : 0;

	if (first != 0 ? first <= (last > 0 ? last : 1) : last == 0)
		return HB_OK;
	return diag_err(diag, HB_ENOTFOUND, "the logs that follow number %u "
	    "are not there any more: make a new backup with -o keep-logs, "
	    "and slapd keeps them until they are copied", last);
}

/* The number of the next run: above those of files that are there. */
static unsigned
next_serial(const struct names_list *list)
{
	unsigned max = 0, serial;

	for (size_t i = 0; i < list->n; i++)
		if (sscanf(list->v[i], "log.%*u.%u", &serial) == 1 &&
		    serial > max)
			max = serial;
	return max + 1;
}

/* What the backup does not name (any more) goes. */
static void
drop_others(const char *dir, const struct names_list *list,
    const struct backup_text *text)
{
	for (size_t i = 0; i < list->n; i++) {
		char *name = mem_printf(BACKUP_LOGS "/%s", list->v[i]), *path;
		bool named = false;

		for (unsigned k = 0; k < text->nfiles; k++)
			named |= strcmp(text->files[k].name, name) == 0;
		path = mem_printf("%s/%s", dir, name);
		if (!named)
			(void)unlink(path);
		free(path);
		free(name);
	}
}

static int
add_logs(struct source *s, struct tool_backup *tb, struct backup_text *text,
    struct diag *diag)
{
	char *log = mem_printf("%s/" BACKUP_LOGS, tb->dir);
	uint32_t last = last_log(text), now = last;
	struct names_list list;
	int rc;

	if ((rc = backup_list(log, backup_is_log, &list, diag)) != HB_OK ||
	    (rc = store_open_files(s->db, diag)) != HB_OK ||
	    (rc = check_lineage(s, text, tb->dir, diag)) != HB_OK ||
	    (rc = source_flush(s, &text->until, diag)) != HB_OK ||
	    (rc = source_logs(s, diag)) != HB_OK ||
	    (rc = check_gap(s, last, diag)) != HB_OK)
		goto out;
	if (s->owner != 0)
		source_leave(s);
	if ((rc = copy_logs(s, tb->dir, last, &tb->check.opts, text,
	    next_serial(&list), &now, diag)) != HB_OK ||
	    (rc = source_check_owner(s, diag)) != HB_OK ||
	    (rc = backup_sync_dir(log, diag)) != HB_OK ||
	    (rc = backup_text_write(text, tb->dir, diag)) != HB_OK)
		goto out;
	drop_others(tb->dir, &list, text);
	if (tb->keep != TOOL_KEEP_AS_IS)
		rc = set_keep(tb, s->hold, text, diag);
	else if (logs_kept(s->hold) != 0)
		rc = logs_keep(s->hold, now > 0 ? now : 1, diag);
	tell_result(tb, text);
out:
	names_free(&list);
	free(log);
	return rc;
}

static int
more_logs(struct be_db *db, const struct dnidx_ops *names,
    struct tool_backup *tb, struct diag *diag)
{
	struct backup_text text;
	struct source s;
	int rc;

	if ((rc = backup_text_read(tb->dir, &text, diag)) == HB_OK &&
	    (rc = backup_text_fits(&text, tb->dir, db, diag)) == HB_OK) {
		rc = source_open(&s, db, names, diag);
		if (rc == HB_OK)
			rc = add_logs(&s, tb, &text, diag);
		source_close(&s);
	}
	backup_text_fini(&text);
	return rc;
}

int
store_tool_backup(struct be_db *db, const struct dnidx_ops *names,
    struct tool_backup *tb, struct diag *diag)
{
	return tb->logs_only ? more_logs(db, names, tb, diag) :
	    whole_backup(db, names, tb, diag);
}
