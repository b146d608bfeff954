/* A sorted run: a nameless temporary file, written once, then read once. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/store/sort.h"
#include "util/err.h"
#include "util/mem.h"

static int
run_error(const struct run *run, const char *what, struct diag *diag)
{
	int err = errno;

	return diag_err(diag, err == ENOSPC || err == EDQUOT ? HB_ENOSPACE :
	    HB_EIO, "%s: cannot %s a temporary file: %s", run->dir, what,
	    strerror(err));
}

int
run_create(struct run *run, const char *dir, struct diag *diag)
{
	char *path = mem_printf("%s/hornbeam-run-XXXXXX", dir);
	int rc = HB_OK;

	*run = (struct run){ .fd = mkstemp(path), .dir = dir };
	if (run->fd < 0)
		rc = run_error(run, "create", diag);
	else {
		(void)unlink(path);
		(void)fcntl(run->fd, F_SETFD, FD_CLOEXEC);
		run->cap = RUN_BUFFER;
		run->mem = mem_alloc(run->cap);
	}
	free(path);
	return rc;
}

static int
write_all(struct run *run, const char *p, size_t n, struct diag *diag)
{
	while (n > 0) {
		ssize_t k = write(run->fd, p, n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return run_error(run, "write", diag);
		p += k;
		n -= (size_t)k;
		run->size += (size_t)k;
	}
	return HB_OK;
}

static int
flush(struct run *run, struct diag *diag)
{
	int rc = write_all(run, run->mem, run->len, diag);

	run->len = 0;
	return rc;
}

int
run_write(struct run *run, const void *p, size_t n, struct diag *diag)
{
	int rc;

	if (n > run->cap - run->len && (rc = flush(run, diag)) != HB_OK)
		return rc;
	if (n > run->cap)
		return write_all(run, p, n, diag);
	memcpy(run->mem + run->len, p, n);
	run->len += n;
	return HB_OK;
}

int
run_rewind(struct run *run, struct diag *diag)
{
	int rc = flush(run, diag);

	free(run->mem);			/* not needed before it is read */
	run->mem = NULL;
	run->cap = run->len = run->pos = 0;
	run->offset = 0;
	return rc;
}

bool
run_at_end(const struct run *run)
{
	return run->pos == run->len && run->offset == run->size;
}

int
run_read(struct run *run, size_t n, const char **p_r, struct diag *diag)
{
	size_t left = run->len - run->pos;

	if (left < n) {
		if (run->cap < n || run->mem == NULL) {
			run->cap = n > RUN_BUFFER ? n : RUN_BUFFER;
			run->mem = mem_realloc(run->mem, run->cap);
		}
		memmove(run->mem, run->mem + run->pos, left);
		run->pos = 0;
		run->len = left;
	}
	while (run->len - run->pos < n) {
		ssize_t k = pread(run->fd, run->mem + run->len,
		    run->cap - run->len, (off_t)run->offset);

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return run_error(run, "read", diag);
		if (k == 0)
			return diag_err(diag, HB_ECORRUPT,
			    "%s: a temporary file ends too early", run->dir);
		run->len += (size_t)k;
		run->offset += (size_t)k;
	}
	*p_r = run->mem + run->pos;
	run->pos += n;
	return HB_OK;
}

void
run_close(struct run *run)
{
	if (run->fd >= 0)
		(void)close(run->fd);
	free(run->mem);
	*run = (struct run){ .fd = -1 };
}
