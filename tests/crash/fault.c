/*
 * A disk that fails: preloaded into slapd, it lets writes and syncs below a
 * folder go wrong on demand.
 *
 * FAULT_DIR: files below it are concerned. FAULT_CONTROL: a file of one octet,
 * which the test writes and this reads through a mapping:
 *   '0' all goes well   's' syncs fail (EIO)   'w' writes fail (EIO)
 *   'f' writes that make a file longer, or any to a log, fail (ENOSPC)
 *   'h' half of a write is done, then EIO
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/stat.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const volatile char *control = "0";
static char folder[PATH_MAX];

__attribute__((constructor)) static void
setup(void)
{
	const char *file = getenv("FAULT_CONTROL"), *dir = getenv("FAULT_DIR");
	void *map;
	int fd;

	if (file == NULL || dir == NULL || realpath(dir, folder) == NULL)
		return;
	if ((fd = open(file, O_RDONLY | O_CLOEXEC)) < 0)
		abort();
	map = mmap(NULL, 1, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		abort();
	control = map;
}

/* The path of FD if it lies in the folder. */
static int
is_ours(int fd, char path[PATH_MAX])
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if ((n = readlink(link, path, PATH_MAX - 1)) < 0)
		return 0;
	path[n] = '\0';
	return strncmp(path, folder, strlen(folder)) == 0;
}

/* errno of a write of N octets at AT (-1: at the position); 0: it may go on. */
static int
write_fault(int fd, size_t n, off_t at)
{
	char path[PATH_MAX];
	struct stat s;
	char mode = *control;

	if (mode == '0' || mode == 's' || !is_ours(fd, path))
		return 0;
	if (mode == 'w' || mode == 'h')
		return EIO;
	if (strstr(path, "/log.") != NULL)
		return ENOSPC;
	if (at < 0)
		at = lseek(fd, 0, SEEK_CUR);
	return fstat(fd, &s) == 0 && at + (off_t)n > s.st_size ? ENOSPC : 0;
}

static int
sync_fault(int fd)
{
	char path[PATH_MAX];

	return *control == 's' && is_ours(fd, path);
}

/* instead of the C library's */
#define EXPORT	__attribute__((visibility("default")))
#define REAL(name)	((__typeof__(&name))dlsym(RTLD_NEXT, #name))

EXPORT ssize_t
write(int fd, const void *data, size_t n)
{
	int err = write_fault(fd, n, -1);

	if (err != 0) {
		if (*control == 'h' && n > 1)
			(void)REAL(write)(fd, data, n / 2);
		errno = err;
		return -1;
	}
	return REAL(write)(fd, data, n);
}

EXPORT ssize_t
pwrite(int fd, const void *data, size_t n, off_t at)
{
	int err = write_fault(fd, n, at);

	if (err != 0) {
		if (*control == 'h' && n > 1)
			(void)REAL(pwrite)(fd, data, n / 2, at);
		errno = err;
		return -1;
	}
	return REAL(pwrite)(fd, data, n, at);
}

EXPORT ssize_t
pwrite64(int fd, const void *data, size_t n, off64_t at)
{
	return pwrite(fd, data, n, at);
}

EXPORT int
fsync(int fd)
{
	if (sync_fault(fd)) {
		errno = EIO;
		return -1;
	}
	return REAL(fsync)(fd);
}

EXPORT int
fdatasync(int fd)
{
	if (sync_fault(fd)) {
		errno = EIO;
		return -1;
	}
	return REAL(fdatasync)(fd);
}
