/*
 * slapbackup -o logs: what was logged since is added to a backup. Its files are
 * left as they are until backup.txt names the new ones.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/store/backup.h"
#include "backends/store/check.h"
#include "backends/store/env.h"
#include "util/mem.h"

uint32_t
backup_last_log(const struct backup_text *text)
{
	uint32_t last = 0;

	for (unsigned i = 0; i < text->nfiles; i++)
		if (backup_log_number(text->files[i].name) > last)
			last = backup_log_number(text->files[i].name);
	return last;
}

int
backup_set_keep(const struct tool_backup *tb, int hold,
    const struct backup_text *text, struct diag *diag)
{
	uint32_t number = 0;

	if (tb->keep == TOOL_KEEP_AS_IS)
		return HB_OK;
	if (tb->keep == TOOL_KEEP)
		number = backup_last_log(text) > 0 ? backup_last_log(text) : 1;
	return logs_keep(hold, number, diag);
}

void
backup_tell(struct tool_backup *tb, const struct backup_text *text)
{
	tb->time = text->until;
	tb->octets = 0;
	for (unsigned i = 0; i < text->nfiles; i++)
		tb->octets += text->files[i].size;
}

static int
check_lineage(const struct source *s, const struct backup_text *text,
    const char *dir, struct diag *diag)
{
	char *path = mem_printf("%s/" FILE_ENTRIES, s->conf->directory);
	char *dict = mem_printf("%s/" FILE_DICT, s->conf->directory);
	char *copy = mem_printf("%s/dict.part", dir);
	char uid[41], now[33], *lineage;
	int rc;

	(void)unlink(copy);
	if ((rc = backup_file_uid(path, uid, diag)) != HB_OK ||
	    (rc = backup_copy_pages(dict, copy, BACKUP_MODE, NULL, diag)) !=
	    HB_OK || (rc = backup_lineage(s->conf, dir, "dict.part", now,
	    diag)) != HB_OK)
		goto out;
	lineage = mem_printf("%s.%s", uid, now);
	if (strcmp(lineage, text->lineage) != 0)
		rc = diag_err(diag, HB_EINVAL, "since the backup %s the "
		    "database was loaded, indexed without a log or restored: "
		    "its log does not continue it; make a new backup", dir);
	free(lineage);
out:
	(void)unlink(copy);
	free(copy);
	free(dict);
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
	uint32_t last = backup_last_log(text), now = last;
	struct names_list list;
	int rc;

	if ((rc = backup_list(log, backup_is_log, &list, diag)) != HB_OK ||
	    (rc = check_lineage(s, text, tb->dir, diag)) != HB_OK ||
	    (rc = source_flush(s, &text->until, diag)) != HB_OK ||
	    (rc = source_logs(s, diag)) != HB_OK ||
	    (rc = check_gap(s, last, diag)) != HB_OK)
		goto out;
	source_leave(s);
	if ((rc = source_copy_logs(s, tb->dir, last, &tb->check.opts, text,
	    next_serial(&list), &now, diag)) != HB_OK ||
	    (rc = source_check_owner(s, diag)) != HB_OK ||
	    (rc = backup_sync_dir(log, diag)) != HB_OK ||
	    (rc = backup_text_write(text, tb->dir, diag)) != HB_OK)
		goto out;
	drop_others(tb->dir, &list, text);
	if (tb->keep != TOOL_KEEP_AS_IS)
		rc = backup_set_keep(tb, s->hold, text, diag);
	else if (logs_kept(s->hold) != 0)
		rc = logs_keep(s->hold, now > 0 ? now : 1, diag);
	backup_tell(tb, text);
out:
	names_free(&list);
	free(log);
	return rc;
}

int
backup_more(struct be_db *db, const struct dnidx_ops *names,
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
