/* Plain files and folders of a backup. */
#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/store/backup.h"
#include "backends/store/env.h"
#include "util/mem.h"

#define CHUNK		(256 * 1024)
#define CRC_POLYNOMIAL	0xedb88320u
#define CRC_SLICES	8

/* ---- CRC-32, eight octets a step ---- */

static uint32_t crc_tables[CRC_SLICES][256];
static pthread_once_t crc_once = PTHREAD_ONCE_INIT;

static void
crc_init(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;

		for (int k = 0; k < 8; k++)
			c = (c & 1) != 0 ? CRC_POLYNOMIAL ^ c >> 1 : c >> 1;
		crc_tables[0][i] = c;
	}
	for (uint32_t i = 0; i < 256; i++)
		for (int k = 1; k < CRC_SLICES; k++)
			crc_tables[k][i] = crc_tables[k - 1][i] >> 8 ^
			    crc_tables[0][crc_tables[k - 1][i] & 0xff];
}

static uint32_t
crc_add(uint32_t crc, const unsigned char *p, size_t n)
{
	crc = ~crc;
	for (; n >= CRC_SLICES; n -= CRC_SLICES, p += CRC_SLICES) {
		uint32_t lo = (p[0] | (uint32_t)p[1] << 8 |
		    (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24) ^ crc;

		crc = crc_tables[7][lo & 0xff] ^
		    crc_tables[6][lo >> 8 & 0xff] ^
		    crc_tables[5][lo >> 16 & 0xff] ^
		    crc_tables[4][lo >> 24] ^ crc_tables[3][p[4]] ^
		    crc_tables[2][p[5]] ^ crc_tables[1][p[6]] ^
		    crc_tables[0][p[7]];
	}
	while (n-- > 0)
		crc = crc >> 8 ^ crc_tables[0][(crc ^ *p++) & 0xff];
	return ~crc;
}

/* ---- files ---- */

static int
file_error(const char *path, struct diag *diag)
{
	return diag_err(diag, errno == ENOSPC || errno == EDQUOT ?
	    HB_ENOSPACE : HB_EIO, "%s: %s", path, strerror(errno));
}

struct stream {
	const char *from, *to;
	int in, out;			/* out -1: nowhere */
	uint64_t left;			/* octets wanted */
	uint64_t size;
	uint32_t crc;
	struct meter *meter;
};

/* Logs are as long as they may become, with a hole at the end. */
static bool
is_zero(const unsigned char *p, size_t n)
{
	return p[0] == 0 && memcmp(p, p + 1, n - 1) == 0;
}

static int
write_all(const struct stream *s, const unsigned char *p, size_t n,
    struct diag *diag)
{
	if (is_zero(p, n))
		return lseek(s->out, (off_t)n, SEEK_CUR) < 0 ?
		    file_error(s->to, diag) : HB_OK;
	while (n > 0) {
		ssize_t k = write(s->out, p, n);

		if (k < 0)
			return file_error(s->to, diag);
		p += k;
		n -= (size_t)k;
	}
	return HB_OK;
}

static int
run_stream(struct stream *s, struct diag *diag)
{
	unsigned char *p = mem_alloc(CHUNK);
	ssize_t n = 1;
	int rc = HB_OK;

	pthread_once(&crc_once, crc_init);
	while (rc == HB_OK && s->left > 0 && n > 0) {
		n = read(s->in, p, s->left < CHUNK ? s->left : CHUNK);
		if (n < 0)
			rc = file_error(s->from, diag);
		if (n <= 0)
			break;
		s->crc = crc_add(s->crc, p, (size_t)n);
		s->size += (uint64_t)n;
		s->left -= (uint64_t)n;
		if (s->out >= 0)
			rc = write_all(s, p, (size_t)n, diag);
		meter_add(s->meter, (uint64_t)n);
	}
	free(p);
	return rc;
}

int
backup_copy_file(const char *from, const char *to, int mode, uint64_t max,
    uint64_t *size_r, uint32_t *crc_r, struct meter *m, struct diag *diag)
{
	struct stream s = { .from = from, .to = to, .left = max, .meter = m };
	int rc;

	if ((s.in = open(from, O_RDONLY | O_CLOEXEC)) < 0)
		return file_error(from, diag);
	s.out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
	rc = s.out < 0 ? file_error(to, diag) : run_stream(&s, diag);
	if (rc == HB_OK && ftruncate(s.out, (off_t)s.size) != 0)
		rc = file_error(to, diag);
	if (s.out >= 0 && close(s.out) != 0 && rc == HB_OK)
		rc = file_error(to, diag);
	close(s.in);
	*size_r = s.size;
	*crc_r = s.crc;
	return rc;
}

int
backup_sum_file(const char *path, uint64_t *size_r, uint32_t *crc_r,
    struct diag *diag)
{
	struct stream s = { .from = path, .out = -1, .left = UINT64_MAX };
	int rc;

	if ((s.in = open(path, O_RDWR | O_CLOEXEC)) < 0)
		return file_error(path, diag);
	rc = run_stream(&s, diag);
	if (rc == HB_OK && fsync(s.in) != 0)
		rc = file_error(path, diag);
	close(s.in);
	*size_r = s.size;
	*crc_r = s.crc;
	return rc;
}

uint64_t
backup_file_size(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

void
meter_add(struct meter *m, uint64_t octets)
{
	if (m == NULL)
		return;
	m->done += octets;
	if (m->opts->progress != NULL)
		m->opts->progress(m->phase, m->done < m->total ?
		    (double)m->done / (double)m->total : 1,
		    m->opts->progress_arg);
}

/* ---- folders ---- */

int
backup_make_dir(const char *path, struct diag *diag)
{
	if (mkdir(path, 0700) == 0)
		return HB_OK;
	if (errno == EEXIST)
		return diag_err(diag, HB_EEXISTS, "%s is there already",
		    path);
	return file_error(path, diag);
}

int
backup_sync_dir(const char *path, struct diag *diag)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = HB_OK;

	if (fd < 0 || fsync(fd) != 0)
		rc = file_error(path, diag);
	if (fd >= 0)
		close(fd);
	return rc;
}

static void
remove_in(const char *path, unsigned levels)
{
	struct dirent *de;
	DIR *d = opendir(path);

	while (d != NULL && (de = readdir(d)) != NULL) {
		char *sub;

		if (strcmp(de->d_name, ".") == 0 ||
		    strcmp(de->d_name, "..") == 0 ||
		    unlinkat(dirfd(d), de->d_name, 0) == 0 || levels == 0)
			continue;
		sub = mem_printf("%s/%s", path, de->d_name);
		remove_in(sub, levels - 1);
		free(sub);
	}
	if (d != NULL)
		closedir(d);
	(void)rmdir(path);
}

void
backup_remove(const char *path)
{
	remove_in(path, 1);
}

static int
cmp_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int
backup_list(const char *dir, bool (*is_wanted)(const char *name),
    struct names_list *list_r, struct diag *diag)
{
	struct dirent *de;
	DIR *d = opendir(dir);

	*list_r = (struct names_list){ NULL, 0, 0 };
	if (d == NULL)
		return file_error(dir, diag);
	while ((de = readdir(d)) != NULL) {
		if (!is_wanted(de->d_name))
			continue;
		list_r->v = mem_grow(list_r->v, &list_r->cap, list_r->n + 1,
		    sizeof(list_r->v[0]));
		list_r->v[list_r->n++] = mem_strdup(de->d_name);
	}
	closedir(d);
	if (list_r->n > 0)
		qsort(list_r->v, list_r->n, sizeof(list_r->v[0]), cmp_names);
	return HB_OK;
}

void
names_free(struct names_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i]);
	free(l->v);
	*l = (struct names_list){ NULL, 0, 0 };
}

bool
backup_is_data(const char *name)
{
	size_t n = strlen(name);

	return n > 4 && strcmp(name + n - 4, ".bdb") == 0;
}

bool
backup_is_log(const char *name)
{
	return backup_log_number(name) != 0;
}

uint32_t
backup_log_number(const char *path)
{
	const char *name = strrchr(path, '/');
	unsigned number, serial;
	int n = 0;

	name = name != NULL ? name + 1 : path;
	if (sscanf(name, "log.%10u%n", &number, &n) != 1 || n != 14)
		return 0;
	if (name[n] == '\0')
		return number;
	return sscanf(name + n, ".%9u%n", &serial, &n) == 1 &&
	    name[14 + n] == '\0' ? number : 0;
}

uint64_t
backup_log_end(const char *path)
{
	unsigned char *p = mem_alloc(CHUNK);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	off_t at = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	uint64_t end = 0;
	ssize_t n;

	while (end == 0 && at > 0) {
		at -= at % CHUNK != 0 ? at % CHUNK : CHUNK;
		if ((n = pread(fd, p, CHUNK, at)) <= 0)
			break;
		while (n > 0 && p[n - 1] == 0)
			n--;
		if (n > 0)
			end = (uint64_t)at + (uint64_t)n;
	}
	if (fd >= 0)
		close(fd);
	free(p);
	return end;
}
