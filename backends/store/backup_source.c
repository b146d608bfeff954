/*
 * The database that is copied, in use by a server or not. The environment of a
 * server is not joined: who is killed while he has joined may leave locks
 * behind, for which the server would wait for ever.
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

#define CACHE_BYTES	(16u << 20)

int
source_join(struct source *s, struct diag *diag)
{
	int rc;

	if (s->owner != 0 || s->st != NULL)
		return HB_OK;
	rc = store_open_env(s->db, s->names, STORE_WRITE, CACHE_BYTES, diag);
	if (rc == HB_OK)
		s->st = s->db->priv;
	return rc;
}

static void
leave(struct source *s)
{
	if (s->st != NULL)
		store_close(s->db);
	s->st = NULL;
}

void
source_leave(struct source *s)
{
	if (s->owner != 0)
		leave(s);
}

int
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

void
source_close(struct source *s)
{
	free(s->logs);
	s->logs = NULL;
	leave(s);
	logs_release(&s->hold);
}

int
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

/* The same by their names, beside a server. */
static int
list_names(struct source *s, struct diag *diag)
{
	char *dir = dir_logs(s->conf), *text;
	struct names_list list;
	size_t room = strlen(dir) + 20;		/* "/log.0000000001" */
	int rc = backup_list(dir, backup_is_log, &list, diag);

	s->logs = mem_zalloc((list.n + 1) * (sizeof(char *) + room));
	text = (char *)(s->logs + list.n + 1);
	for (size_t i = 0, n = 0; i < list.n; i++)
		if (logs_number(list.v[i]) != 0) {
			snprintf(text, room, "%s/%s", dir, list.v[i]);
			s->logs[n++] = text;
			text += room;
		}
	names_free(&list);
	free(dir);
	return rc;
}

int
source_logs(struct source *s, struct diag *diag)
{
	free(s->logs);
	s->logs = NULL;
	return s->owner != 0 ? list_names(s, diag) :
	    list_logs(s, DB_ARCH_LOG, &s->logs, diag);
}

int
source_first_log(const struct source *s, uint32_t *first_r, struct diag *diag)
{
	char **gone = NULL;
	int rc;

	*first_r = logs_needed(s->hold);
	if (s->owner != 0)
		return HB_OK;
	*first_r = 0;
	rc = list_logs(s, 0, &gone, diag);
	for (char **p = gone; p != NULL && *p != NULL; p++)
		if (logs_number(*p) >= *first_r)
			*first_r = logs_number(*p) + 1;
	free(gone);
	return rc;
}

int
source_flush(const struct source *s, time_t *time_r, struct diag *diag)
{
	int err;

	*time_r = time(NULL);
	if (s->owner != 0)
		return HB_OK;
	err = s->st->env->log_flush(s->st->env, NULL);
	return err == 0 ? HB_OK : diag_err(diag, HB_EIO, "the log of %s: %s",
	    s->conf->directory, db_strerror(err));
}

/* ---- its logs ---- */

/* One log to DIR/NAME, on disk then. */
static int
copy_log(const char *from, const char *dir, const char *name,
    struct meter *m, struct backup_text *text, struct diag *diag)
{
	char *to = mem_printf("%s/%s", dir, name);
	uint64_t size;
	uint32_t crc;
	int rc;

	rc = backup_copy_file(from, to, BACKUP_MODE, UINT64_MAX, &size, &crc, m,
	    diag);
	if (rc == HB_OK)
		rc = backup_sum_file(to, &size, &crc, diag);
	if (rc == HB_OK && text != NULL)
		backup_text_add(text, name, size, crc);
	free(to);
	return rc;
}

int
source_copy_logs(const struct source *s, const char *dir, uint32_t first,
    const struct tool_opts *opts, struct backup_text *text, unsigned serial,
    uint32_t *last_r, struct diag *diag)
{
	struct meter m = { .opts = opts, .phase = "copying logs" };
	int rc = HB_OK;

	for (char **p = s->logs; p != NULL && *p != NULL; p++)
		if (logs_number(*p) >= first)
			m.total += backup_file_size(*p);
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
