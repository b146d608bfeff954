/*
 * Copying a database file while its server writes it. A page that is read in
 * the middle of a write is half old and half new, and the log does not mend
 * that. So each page is read again until its checksum is right; where there
 * are no checksums that can be told without the key, until two readings agree.
 *
 * DB_ENV->backup() is not used: it marks the pages that it reads in the shared
 * regions, and a copy that is killed would leave the mark there, which the
 * server's checkpoints respect for ever.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/store/backup.h"
#include "util/mem.h"

/* Places on the first page of a file (DBMETA) and on each of the others. */
#define META_LEN	512
#define META_PAGESIZE	20
#define META_CRYPT	24
#define META_FLAGS	26
#define META_UID	52
#define META_CHKSUM	492
#define META_CHKSUM_LEN	20
#define FLAG_CHKSUM	1
#define PAGE_CHKSUM	28

#define CHUNK		(256 * 1024)
#define TRIES		200
#define PAUSE_MS	1

struct pages {
	const char *path;
	int fd;
	uint32_t page_size;
	bool has_sums;
	unsigned char *room;		/* of one page, or of a chunk to compare */
};

static uint32_t
get_u32(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));	/* files have the machine's order */
	return v;
}

static uint32_t
sum_octets(uint32_t h, const unsigned char *p, size_t n)
{
	for (; n >= 4; n -= 4, p += 4)		/* four steps in one */
		h = h * (33u * 33 * 33 * 33) + p[0] * (33u * 33 * 33) +
		    p[1] * (33u * 33) + p[2] * 33u + p[3];
	while (n-- > 0)
		h = h * 33 + *p++;
	return h;
}

/* Checksum of N octets at P with those at AT taken as 0. */
static uint32_t
sum_page(const unsigned char *p, size_t n, size_t at)
{
	static const unsigned char zeros[4];
	uint32_t h = sum_octets(0, p, at);

	h = sum_octets(h, zeros, sizeof(zeros));
	return sum_octets(h, p + at + 4, n - at - 4);
}

static bool
is_zero(const unsigned char *p, size_t n)
{
	return p[0] == 0 && memcmp(p, p + 1, n - 1) == 0;
}

static bool
is_whole(const struct pages *s, const unsigned char *p, uint64_t number)
{
	if (number > 0)
		return sum_page(p, s->page_size, PAGE_CHKSUM) ==
		    get_u32(p + PAGE_CHKSUM) || is_zero(p, s->page_size);
	/* the rest of the field is of encrypted files */
	return sum_page(p, META_LEN, META_CHKSUM) == get_u32(p + META_CHKSUM);
}

static ssize_t
read_at(const struct pages *s, unsigned char *p, size_t n, off_t at)
{
	size_t done = 0;
	ssize_t k;

	while (done < n && (k = pread(s->fd, p + done, n - done,
	    at + (off_t)done)) != 0) {
		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return -1;
		done += (size_t)k;
	}
	return (ssize_t)done;
}

/* The writer is another process: there is nothing of its to wait for. */
static void
pause_shortly(void)
{
	(void)poll(NULL, 0, PAUSE_MS);
}

/* One page again, until it is whole. */
static int
read_page(const struct pages *s, unsigned char *p, uint64_t number,
    struct diag *diag)
{
	off_t at = (off_t)(number * s->page_size);

	for (unsigned i = 0; i < TRIES; i++) {
		pause_shortly();
		if (read_at(s, p, s->page_size, at) != (ssize_t)s->page_size)
			return diag_err(diag, HB_EIO, "%s: %s", s->path,
			    strerror(errno));
		if (is_whole(s, p, number))
			return HB_OK;
	}
	return diag_err(diag, HB_ECORRUPT, "%s: page %llu: the checksum is "
	    "wrong: run slapcheck", s->path, (unsigned long long)number);
}

/* Without checksums: a whole chunk, until two readings of it agree. */
static int
read_same(const struct pages *s, unsigned char *p, size_t n, off_t at,
    struct diag *diag)
{
	for (unsigned i = 0; i < TRIES; i++) {
		pause_shortly();
		if (read_at(s, s->room, n, at) != (ssize_t)n)
			break;
		if (memcmp(p, s->room, n) == 0)
			return HB_OK;
		memcpy(p, s->room, n);
	}
	return diag_err(diag, HB_EIO, "%s cannot be read while it is written",
	    s->path);
}

static int
check_chunk(const struct pages *s, unsigned char *p, size_t n, off_t at,
    struct diag *diag)
{
	uint64_t number = (uint64_t)at / s->page_size;
	int rc;

	if (!s->has_sums)
		return read_same(s, p, n, at, diag);
	for (size_t i = 0; i + s->page_size <= n; i += s->page_size, number++)
		if (!is_whole(s, p + i, number) &&
		    (rc = read_page(s, p + i, number, diag)) != HB_OK)
			return rc;
	return HB_OK;
}

static int
read_meta(struct pages *s, struct diag *diag)
{
	unsigned char meta[META_LEN];
	ssize_t n = read_at(s, meta, sizeof(meta), 0);

	if (n != (ssize_t)sizeof(meta))
		return diag_err(diag, HB_EIO, "%s: %s", s->path, n < 0 ?
		    strerror(errno) : "too short for a database");
	s->page_size = get_u32(meta + META_PAGESIZE);
	s->has_sums = (meta[META_FLAGS] & FLAG_CHKSUM) != 0 &&
	    meta[META_CRYPT] == 0;
	if (s->page_size < META_LEN || s->page_size > 65536 ||
	    (s->page_size & (s->page_size - 1)) != 0)
		return diag_err(diag, HB_ECORRUPT, "%s: not a database of this "
		    "machine", s->path);
	return HB_OK;
}

static int
write_all(const char *to, int fd, const unsigned char *p, size_t n,
    struct diag *diag)
{
	while (n > 0) {
		ssize_t k = write(fd, p, n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return diag_err(diag, errno == ENOSPC || errno ==
			    EDQUOT ? HB_ENOSPACE : HB_EIO, "%s: %s", to,
			    strerror(errno));
		p += k;
		n -= (size_t)k;
	}
	return HB_OK;
}

static int
copy_all(const struct pages *s, const char *to, int out, struct meter *m,
    struct diag *diag)
{
	unsigned char *p = mem_alloc(CHUNK);
	off_t at = 0;
	ssize_t n;
	int rc = HB_OK;

	for (;;) {
		n = read_at(s, p, CHUNK, at);
		if (n < 0)
			rc = diag_err(diag, HB_EIO, "%s: %s", s->path,
			    strerror(errno));
		/* a page that is just being appended comes from the log */
		n -= n > 0 ? n % (ssize_t)s->page_size : 0;
		if (n <= 0 ||
		    (rc = check_chunk(s, p, (size_t)n, at, diag)) != HB_OK ||
		    (rc = write_all(to, out, p, (size_t)n, diag)) != HB_OK)
			break;
		at += n;
		meter_add(m, (uint64_t)n);
	}
	free(p);
	return rc;
}

int
backup_copy_pages(const char *from, const char *to, int mode, struct meter *m,
    struct diag *diag)
{
	struct pages s = { .path = from };
	int out = -1, rc;

	if ((s.fd = open(from, O_RDONLY | O_CLOEXEC)) < 0)
		return diag_err(diag, HB_EIO, "%s: %s", from, strerror(errno));
	s.room = mem_alloc(CHUNK);
	if ((rc = read_meta(&s, diag)) != HB_OK)
		goto out;
	out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (out < 0)
		rc = diag_err(diag, HB_EIO, "%s: %s", to, strerror(errno));
	else
		rc = copy_all(&s, to, out, m, diag);
	if (out >= 0 && close(out) != 0 && rc == HB_OK)
		rc = diag_err(diag, HB_EIO, "%s: %s", to, strerror(errno));
out:
	close(s.fd);
	free(s.room);
	return rc;
}

int
backup_file_uid(const char *path, char out[41], struct diag *diag)
{
	unsigned char uid[20];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : pread(fd, uid, sizeof(uid), META_UID);

	if (fd >= 0)
		close(fd);
	if (n != (ssize_t)sizeof(uid))
		return diag_err(diag, HB_EIO, "%s: %s", path, n < 0 ?
		    strerror(errno) : "too short for a database");
	for (unsigned i = 0; i < sizeof(uid); i++)
		snprintf(out + 2 * i, 3, "%02x", uid[i]);
	return HB_OK;
}
