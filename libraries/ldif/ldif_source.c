/*
 * Where the text comes from: memory, a mapped file, or a pipe that is read a
 * record at a time.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ldif.h"
#include "ldif_int.h"
#include "util/err.h"
#include "util/mem.h"

#define PIPE_READ	(128 * 1024)

static struct ldif_reader *
reader_new(const char *name, unsigned flags)
{
	struct ldif_reader *r = mem_zalloc(sizeof(*r));

	r->name = mem_strdup(name);
	r->flags = flags;
	r->line = 1;
	r->fd = -1;
	return r;
}

/* Three octets that some editors put before a UTF-8 text. */
static void
skip_mark(struct ldif_reader *r)
{
	if (r->end - r->pos >= 3 && memcmp(r->pos, "\xef\xbb\xbf", 3) == 0)
		r->pos += 3;
}

struct ldif_reader *
ldif_open_memory(struct slice text, const char *name, unsigned flags)
{
	struct ldif_reader *r = reader_new(name, flags);

	r->pos = text.ptr != NULL ? text.ptr : "";
	r->end = r->pos + text.len;
	r->total = text.len;
	skip_mark(r);
	return r;
}

static int
map_file(struct ldif_reader *r, int fd, off_t from, size_t len)
{
	void *p;

	r->pos = r->end = "";
	if (len == 0)
		return HB_OK;
	p = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return HB_EIO;
	madvise(p, len, MADV_SEQUENTIAL);
	r->map = p;
	r->map_len = len;
	r->pos = r->map + ((size_t)from < len ? (size_t)from : len);
	r->end = r->map + len;
	r->total = (uint64_t)(r->end - r->pos);
	skip_mark(r);
	return HB_OK;
}

int
ldif_open(const char *file, unsigned flags, struct ldif_reader **reader_r,
    struct diag *diag)
{
	bool std = file == NULL || strcmp(file, "-") == 0;
	struct ldif_reader *r;
	struct stat st;
	off_t from;
	int fd, rc = HB_OK;

	*reader_r = NULL;
	fd = std ? dup(STDIN_FILENO) : open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return diag_err(diag, HB_EIO, "cannot open %s: %s",
		    std ? "standard input" : file, strerror(errno));
	r = reader_new(std ? "<stdin>" : file, flags);
	if (fstat(fd, &st) != 0 || S_ISDIR(st.st_mode)) {
		rc = HB_EIO;
		errno = S_ISDIR(st.st_mode) ? EISDIR : errno;
	} else if (S_ISREG(st.st_mode)) {
		from = lseek(fd, 0, SEEK_CUR);
		rc = map_file(r, fd, from < 0 ? 0 : from, (size_t)st.st_size);
	} else {
		r->fd = fd;
		r->pos = r->end = "";
		fd = -1;
	}
	if (rc != HB_OK) {
		diag_set(diag, "cannot read %s: %s", r->name, strerror(errno));
		ldif_close(&r);
	}
	if (fd >= 0)
		close(fd);
	*reader_r = r;
	return rc;
}

void
ldif_close(struct ldif_reader **reader)
{
	struct ldif_reader *r = *reader;

	*reader = NULL;
	if (r == NULL)
		return;
	if (r->map != NULL)
		munmap(r->map, r->map_len);
	if (r->fd >= 0)
		close(r->fd);
	buf_fini(&r->in);
	buf_fini(&r->scratch);
	free(r->values);
	free(r->mods);
	free(r->controls);
	free(r->name);
	free(r);
}

void
ldif_position(const struct ldif_reader *r, uint64_t *done_r, uint64_t *total_r)
{
	uint64_t left = (uint64_t)(r->end - r->pos);

	*done_r = r->total > 0 ? r->total - left : r->done - left;
	*total_r = r->total;
}

/* Offset behind the first blank line that follows a line with text; 0: none. */
static size_t
record_end(struct ldif_reader *r)
{
	const char *data = r->in.data, *nl;
	size_t at = r->in_scanned, len = r->in.len, n;

	while (at < len && (nl = memchr(data + at, '\n', len - at)) != NULL) {
		n = (size_t)(nl - data) - at;
		if ((n == 0 || (n == 1 && data[at] == '\r')) && at > r->in_pos)
			return (size_t)(nl - data) + 1;
		at = (size_t)(nl - data) + 1;
		r->in_scanned = at;
	}
	return 0;
}

static int
read_more(struct ldif_reader *r, struct diag *diag)
{
	ssize_t n;

	if (r->in_pos > 0) {
		buf_consume(&r->in, r->in_pos);
		r->in_scanned -= r->in_pos;
		r->in_pos = 0;
	}
	buf_reserve(&r->in, PIPE_READ);
	do
		n = read(r->fd, r->in.data + r->in.len, PIPE_READ);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return diag_err(diag, HB_EIO, "cannot read %s: %s", r->name,
		    strerror(errno));
	r->in.len += (size_t)n;
	r->eof = n == 0;
	return HB_OK;
}

int
ldif_source_fill(struct ldif_reader *r, struct arena *arena,
    struct diag *diag)
{
	bool first = r->done == 0;
	struct slice text;
	size_t end;
	int rc;

	if (r->fd < 0)
		return r->pos < r->end ? HB_OK : HB_EEND;
	if (r->pos < r->end)
		return HB_OK;
	while ((end = record_end(r)) == 0 && !r->eof)
		if ((rc = read_more(r, diag)) != HB_OK)
			return rc;
	if (end == 0 && (end = r->in.len) == r->in_pos)
		return HB_EEND;
	text = arena_slice(arena, slice(r->in.data + r->in_pos,
	    end - r->in_pos));
	if (slice_is_none(text))
		return HB_ELIMIT;
	r->done += text.len;
	r->in_pos = r->in_scanned = end;
	r->pos = text.ptr;
	r->end = text.ptr + text.len;
	if (first)
		skip_mark(r);
	return HB_OK;
}
