/*
 * The mark of a bulk load: a file that is made before anything else is written
 * and removed after the last sync. Its first word says what a load that was cut
 * off has left behind; as long as a load runs the file is locked.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "backends/store/tool_int.h"
#include "util/mem.h"

static const char *const words[] = { "empty", "data", "index", "restore" };

#define NWORDS	(sizeof(words) / sizeof(*words))

static int
sync_folder(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = -1;

	if (fd >= 0) {
		rc = fsync(fd);
		(void)close(fd);
	}
	return rc;
}

static char *
mark_path(const char *dir)
{
	return mem_printf("%s/" STORE_MARK_FILE, dir);
}

int
mark_set(const char *dir, enum mark_kind kind, int *fd_r,
    struct diag *diag)
{
	char *path = mark_path(dir);
	size_t n = strlen(words[kind]);
	int fd, rc = HB_OK;

	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		rc = diag_err(diag, errno == EEXIST ? HB_EINUSE : HB_EIO,
		    "%s: %s", path, strerror(errno));
	else if (flock(fd, LOCK_EX | LOCK_NB) != 0 ||
	    write(fd, words[kind], n) != (ssize_t)n || fsync(fd) != 0 ||
	    sync_folder(dir) != 0) {
		rc = diag_err(diag, errno == ENOSPC ? HB_ENOSPACE : HB_EIO,
		    "%s: cannot be written: %s", path, strerror(errno));
		(void)unlink(path);
		(void)close(fd);
		fd = -1;
	}
	*fd_r = fd;
	free(path);
	return rc;
}

int
mark_clear(const char *dir, int *fd, struct diag *diag)
{
	char *path = mark_path(dir);
	int rc = HB_OK;

	if (*fd >= 0) {
		if (unlink(path) != 0 || sync_folder(dir) != 0)
			rc = diag_err(diag, HB_EIO,
			    "%s: cannot be removed: %s", path,
			    strerror(errno));
		(void)close(*fd);
		*fd = -1;
	}
	free(path);
	return rc;
}

/* HB_OK and -1: no mark. HB_EINUSE: a load is running. */
static int
read_mark(const char *path, int *kind_r, struct diag *diag)
{
	char word[16] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc = HB_OK;

	*kind_r = -1;
	if (fd < 0)
		return errno == ENOENT ? HB_OK : diag_err(diag, HB_EIO,
		    "%s: %s", path, strerror(errno));
	if (flock(fd, LOCK_EX | LOCK_NB) != 0)
		rc = diag_err(diag, HB_EINUSE, "the database is being loaded "
		    "or indexed (slapadd -q, slapindex -q)");
	else {
		*kind_r = MARK_DATA;	/* what we cannot read may be that */
		if (read(fd, word, sizeof(word) - 1) >= 0)
			for (size_t i = 0; i < NWORDS; i++)
				if (strcmp(word, words[i]) == 0)
					*kind_r = (int)i;
	}
	(void)close(fd);
	return rc;
}

int
store_mark_check(const char *dir, struct diag *diag)
{
	char *path = mark_path(dir);
	int kind, rc;

	rc = read_mark(path, &kind, diag);
	if (rc == HB_OK && kind == MARK_INDEX)
		(void)unlink(path);
	else if (rc == HB_OK && kind == MARK_EMPTY)
		rc = diag_err(diag, HB_EUNLOADED, "%s: a load (slapadd -q) "
		    "into this database was cut off: what is there is "
		    "incomplete; run it again, it begins anew", dir);
	else if (rc == HB_OK && kind == MARK_DATA)
		rc = diag_err(diag, HB_EUNLOADED, "%s: a load (slapadd -q) "
		    "into this database was cut off, and the entries that "
		    "were there before may be damaged: restore the files from "
		    "a backup, or remove them and load everything", dir);
	else if (rc == HB_OK && kind == MARK_RESTORE)
		rc = diag_err(diag, HB_EUNLOADED, "%s: a restore "
		    "(slaprestore) was cut off: run it again; what was there "
		    "before is in the folders before-restore.*", dir);
	free(path);
	return rc;
}

int
mark_tidy(const char *dir, struct diag *diag)
{
	char *path = mark_path(dir);
	int kind, rc;

	rc = read_mark(path, &kind, diag);
	if (rc == HB_OK && kind == MARK_EMPTY &&
	    (rc = mark_wipe(dir, diag)) == HB_OK)
		(void)unlink(path);
	free(path);
	return rc != HB_OK ? rc : store_mark_check(dir, diag);
}

static bool
is_database_file(const char *name)
{
	size_t n = strlen(name);

	if (strncmp(name, "log.", 4) == 0 && n == 14) {
		for (const char *p = name + 4; *p != 0; p++)
			if (!isdigit((unsigned char)*p))
				return false;
		return true;
	}
	return strncmp(name, "__db.", 5) == 0 ||
	    (n > 4 && strcmp(name + n - 4, ".bdb") == 0);
}

int
mark_wipe(const char *dir, struct diag *diag)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	int rc = HB_OK;

	if (d == NULL)
		return diag_err(diag, HB_EIO, "%s: %s", dir, strerror(errno));
	while ((e = readdir(d)) != NULL)
		if (is_database_file(e->d_name) &&
		    unlinkat(dirfd(d), e->d_name, 0) != 0 && errno != ENOENT)
			rc = diag_err(diag, HB_EIO,
			    "%s/%s: cannot be removed: %s", dir, e->d_name,
			    strerror(errno));
	(void)closedir(d);
	return rc;
}
