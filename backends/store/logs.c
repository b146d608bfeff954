/*
 * Which log files may go. The server removes those that recovery does not need,
 * under a write lock of hornbeam.backup. Who copies the database holds a read
 * lock of it, so that no log goes meanwhile; "keep 12 need 9" in it: logs from 12 on
 * were not copied yet, recovery needs those from 9 on.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/store/env.h"
#include "util/log.h"
#include "util/mem.h"

#define SWITCH_RECORD	1024
#define SWITCH_TURN	256

uint32_t
logs_number(const char *path)
{
	const char *name = strrchr(path, '/');
	unsigned number;
	int n = 0;

	name = name != NULL ? name + 1 : path;
	if (sscanf(name, "log.%10u%n", &number, &n) != 1 || n != 14 ||
	    name[n] != '\0')
		return 0;
	return number;
}

static int
open_lock(const char *dir, int flags, int mode)
{
	char *path = mem_printf("%s/" LOGS_LOCK, dir);
	int fd = open(path, flags | O_CLOEXEC, mode);

	free(path);
	return fd;
}

static int
take(int fd, int cmd, short type)
{
	struct flock l = { .l_type = type, .l_whence = SEEK_SET };

	return fcntl(fd, cmd, &l);
}

struct state {
	unsigned keep, need;		/* 0: not known */
};

static struct state
read_state(int fd)
{
	struct state st = { 0, 0 };
	char text[64];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	(void)sscanf(text, "keep %u need %u", &st.keep, &st.need);
	return st;
}

static int
write_state(int fd, struct state st)
{
	char text[64];
	int n = snprintf(text, sizeof(text), "keep %u need %u\n", st.keep,
	    st.need);

	return pwrite(fd, text, (size_t)n, 0) == n && ftruncate(fd, n) == 0 &&
	    fsync(fd) == 0 ? 0 : -1;
}

/* *DONE_r: nothing is left that is not needed. */
static int
remove_unneeded(DB_ENV *env, struct state *st, bool *done_r)
{
	char **list = NULL;
	int err;

	*done_r = true;
	err = env->log_archive(env, &list, DB_ARCH_ABS);
	for (char **p = list; err == 0 && p != NULL && *p != NULL; p++) {
		uint32_t number = logs_number(*p);

		if (number == 0)
			continue;
		if (number >= st->need)
			st->need = number + 1;
		if (st->keep != 0 && number >= st->keep)
			*done_r = false;
		else if (unlink(*p) != 0 && errno != ENOENT)
			log_printf(LOG_ANY, "%s: %s", *p, strerror(errno));
	}
	free(list);
	return err;
}

bool
logs_remove(DB_ENV *env, const struct store_conf *conf)
{
	int fd = open_lock(conf->directory, O_RDWR | O_CREAT, conf->mode);
	bool done = false;
	int err;

	if (fd < 0) {
		log_printf(LOG_ANY, "%s/" LOGS_LOCK ": %s", conf->directory,
		    strerror(errno));
		return false;
	}
	if (take(fd, F_OFD_SETLK, F_WRLCK) == 0) {
		struct state st = read_state(fd);
		unsigned need = st.need;

		if ((err = remove_unneeded(env, &st, &done)) != 0 &&
		    err != DB_NOTFOUND)
			log_printf(LOG_ANY, "%s: old logs: %s",
			    conf->directory, db_strerror(err));
		if (st.need != need && write_state(fd, st) != 0)
			log_printf(LOG_ANY, "%s/" LOGS_LOCK ": %s",
			    conf->directory, strerror(errno));
	}
	close(fd);
	return done;
}

/*
 * The place where the log ends. Its statistics may be behind by what is not
 * flushed, which only makes for one more turn of a loop.
 */
static int
current_file(DB_ENV *env, uint32_t *number_r)
{
	DB_LOG_STAT *s;
	int err = env->log_stat(env, &s, 0);

	if (err == 0) {
		*number_r = s->st_cur_file;
		free(s);
	}
	return err;
}

int
logs_switch(DB_ENV *env)
{
	char room[SWITCH_RECORD];
	uint32_t first, now;
	int err;

	memset(room, ' ', sizeof(room) - 1);
	room[sizeof(room) - 1] = '\0';
	if ((err = current_file(env, &first)) != 0)
		return err;
	/* 64 MiB at most: records that recovery passes over */
	for (now = first; err == 0 && now == first; ) {
		for (unsigned i = 0; i < SWITCH_TURN && err == 0; i++)
			err = env->log_printf(env, NULL, "%s", room);
		if (err == 0)
			err = current_file(env, &now);
	}
	return err;
}

int
logs_hold(const struct store_conf *conf, int *fd_r, struct diag *diag)
{
	const char *dir = conf->directory;

	if ((*fd_r = open_lock(dir, O_RDWR | O_CREAT, conf->mode)) < 0 &&
	    (*fd_r = open_lock(dir, O_RDONLY, 0)) < 0)
		return diag_err(diag, HB_EIO, "%s/" LOGS_LOCK ": %s", dir,
		    strerror(errno));
	if (take(*fd_r, F_OFD_SETLKW, F_RDLCK) == 0)
		return HB_OK;
	close(*fd_r);
	*fd_r = -1;
	return diag_err(diag, HB_EIO, "locking %s/" LOGS_LOCK ": %s", dir,
	    strerror(errno));
}

void
logs_release(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int
logs_keep(int fd, uint32_t number, struct diag *diag)
{
	struct state st = read_state(fd);

	st.keep = number;
	return write_state(fd, st) == 0 ? HB_OK : diag_err(diag, HB_EIO,
	    "writing " LOGS_LOCK ": %s", strerror(errno));
}

uint32_t
logs_needed(int fd)
{
	return read_state(fd).need;
}

uint32_t
logs_kept(int fd)
{
	return read_state(fd).keep;
}
