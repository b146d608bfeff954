/*
 * hornbeam.lock: "open 4711 slapd\n" while process 4711 owns the database and
 * holds a write lock on the file, "closed 4711 slapd\n" after a clean end. The
 * kernel drops the lock when the owner dies; the word tells that it died.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/store/env.h"
#include "util/mem.h"

static void
read_state(int fd, pid_t *pid_r, bool *unclean_r, char name_r[32])
{
	char text[128], word[16] = "";
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	int pid = 0;

	text[n > 0 ? n : 0] = '\0';
	name_r[0] = '\0';
	(void)sscanf(text, "%15s %d %31s", word, &pid, name_r);
	*pid_r = pid;
	*unclean_r = strcmp(word, "open") == 0;
}

static int
write_state(int fd, const char *word)
{
	char text[128];
	int n = snprintf(text, sizeof(text), "%s %ld %s\n", word,
	    (long)getpid(), program_invocation_short_name);

	if (n >= (int)sizeof(text))
		n = (int)sizeof(text) - 1;
	if (pwrite(fd, text, (size_t)n, 0) != n || ftruncate(fd, n) != 0 ||
	    fsync(fd) != 0)
		return HB_EIO;
	return HB_OK;
}

static int
take_lock(int fd)
{
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return fcntl(fd, F_OFD_SETLK, &l);
}

int
lockfile_take(const char *dir, int mode, int *fd_r, bool *unclean_r,
    struct diag *diag)
{
	char *path = mem_printf("%s/%s", dir, LOCKFILE);
	char name[32];
	pid_t pid;
	int fd, rc = HB_OK;

	*fd_r = -1;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, mode);
	if (fd < 0) {
		rc = diag_err(diag, HB_EIO, "%s: %s", path, strerror(errno));
		goto out;
	}
	if (take_lock(fd) != 0) {
		if (errno != EAGAIN && errno != EACCES) {
			rc = diag_err(diag, HB_EIO, "locking %s: %s", path,
			    strerror(errno));
			goto out;
		}
		read_state(fd, &pid, unclean_r, name);
		rc = diag_err(diag, HB_EINUSE, "database in %s is already in "
		    "use by %s, process %ld", dir, name, (long)pid);
		goto out;
	}
	read_state(fd, &pid, unclean_r, name);
	if ((rc = write_state(fd, "open")) != HB_OK) {
		diag_set(diag, "writing %s: %s", path, strerror(errno));
		goto out;
	}
	*fd_r = fd;
	fd = -1;
out:
	if (fd >= 0)
		close(fd);
	free(path);
	return rc;
}

void
lockfile_release(int *fd, bool clean)
{
	if (*fd < 0)
		return;
	if (clean)
		(void)write_state(*fd, "closed");
	close(*fd);
	*fd = -1;
}

pid_t
lockfile_owner(const char *dir, bool *unclean_r)
{
	char *path = mem_printf("%s/%s", dir, LOCKFILE);
	struct flock l = { .l_type = F_RDLCK, .l_whence = SEEK_SET };
	char name[32];
	pid_t pid = 0;
	int fd;

	*unclean_r = false;
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) >= 0) {
		read_state(fd, &pid, unclean_r, name);
		if (fcntl(fd, F_OFD_GETLK, &l) != 0 || l.l_type == F_UNLCK)
			pid = 0;
		close(fd);
	}
	free(path);
	return pid;
}
