/*
 * backup.txt: lines "word: value", and one for each file:
 *   file: 4194304 1c291ca3 cn.bdb
 * size in octets, CRC-32 in hex, name.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/store/backup.h"
#include "util/buf.h"
#include "util/mem.h"
#include "util/text.h"

#define HEAD	"hornbeam backup 1"

enum kind { STRING, TIME, NUMBER, BOOL };

static const struct {
	const char *word;
	enum kind kind;
	size_t offset;
} rows[] = {
	{ "suffix", STRING, offsetof(struct backup_text, suffix) },
	{ "backend", STRING, offsetof(struct backup_text, backend) },
	{ "format", STRING, offsetof(struct backup_text, format) },
	{ "lineage", STRING, offsetof(struct backup_text, lineage) },
	{ "begun", TIME, offsetof(struct backup_text, begun) },
	{ "time", TIME, offsetof(struct backup_text, time) },
	{ "until", TIME, offsetof(struct backup_text, until) },
	{ "entries", NUMBER, offsetof(struct backup_text, entries) },
	{ "encrypted", BOOL, offsetof(struct backup_text, encrypted) },
	{ "verified", BOOL, offsetof(struct backup_text, verified) },
};

#define NROWS	(sizeof(rows) / sizeof(*rows))

void
backup_text_fini(struct backup_text *t)
{
	free(t->suffix);
	free(t->backend);
	free(t->format);
	free(t->lineage);
	for (unsigned i = 0; i < t->nfiles; i++)
		free(t->files[i].name);
	free(t->files);
	*t = (struct backup_text){ .suffix = NULL };
}

void
backup_text_add(struct backup_text *t, const char *name, uint64_t size,
    uint32_t crc)
{
	uint32_t number = backup_log_number(name);

	for (unsigned i = 0; number != 0 && i < t->nfiles; i++)
		if (backup_log_number(t->files[i].name) == number) {
			free(t->files[i].name);
			t->files[i] = (struct backup_file){ mem_strdup(name),
				size, crc };
			return;
		}
	t->files = mem_grow(t->files, &t->cap_files, t->nfiles + 1,
	    sizeof(t->files[0]));
	t->files[t->nfiles++] = (struct backup_file){ mem_strdup(name), size,
	    crc };
}

/* ---- writing ---- */

static void
put_row(struct buf *out, const void *field, enum kind kind)
{
	char text[16];

	switch (kind) {
	case STRING:
		buf_put_str(out, *(char *const *)field);
		break;
	case TIME:
		text_gentime(*(const time_t *)field, text);
		buf_put_str(out, text);
		break;
	case NUMBER:
		buf_printf(out, "%llu", (unsigned long long)
		    *(const uint64_t *)field);
		break;
	case BOOL:
		buf_put_str(out, *(const bool *)field ? "yes" : "no");
		break;
	}
}

static void
put_text(const struct backup_text *t, struct buf *out)
{
	buf_put_str(out, HEAD "\nprogram: " PACKAGE_VERSION ", "
	    DB_VERSION_STRING "\n");
	for (unsigned i = 0; i < NROWS; i++) {
		buf_printf(out, "%s: ", rows[i].word);
		put_row(out, (const char *)t + rows[i].offset, rows[i].kind);
		buf_put_char(out, '\n');
	}
	buf_printf(out, "lsn: %u/%u\n", t->lsn_file, t->lsn_offset);
	for (unsigned i = 0; i < t->nfiles; i++)
		buf_printf(out, "file: %llu %08x %s\n",
		    (unsigned long long)t->files[i].size, t->files[i].crc,
		    t->files[i].name);
	buf_put_str(out, "end\n");
}

static int
write_file(const char *path, const struct buf *b, struct diag *diag)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int rc = HB_OK;

	if (fd < 0 || write(fd, b->data, b->len) != (ssize_t)b->len ||
	    fsync(fd) != 0)
		rc = diag_err(diag, HB_EIO, "%s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return rc;
}

int
backup_text_write(const struct backup_text *t, const char *dir,
    struct diag *diag)
{
	char *path = mem_printf("%s/" BACKUP_TEXT, dir);
	char *new = mem_printf("%s.new", path);
	struct buf out;
	int rc;

	buf_init(&out);
	put_text(t, &out);
	rc = write_file(new, &out, diag);
	if (rc == HB_OK && rename(new, path) != 0)
		rc = diag_err(diag, HB_EIO, "%s: %s", path, strerror(errno));
	if (rc == HB_OK)
		rc = backup_sync_dir(dir, diag);
	buf_fini(&out);
	free(new);
	free(path);
	return rc;
}

/* ---- reading ---- */

/* "20261201002412Z" */
static bool
get_time(const char *s, time_t *t_r)
{
	struct tm tm = { .tm_isdst = 0 };
	const char *end = strptime(s, "%Y%m%d%H%M%SZ", &tm);

	*t_r = timegm(&tm);
	return end != NULL && *end == '\0';
}

static bool
get_row(const char *value, void *field, enum kind kind)
{
	switch (kind) {
	case STRING:
		free(*(char **)field);
		*(char **)field = mem_strdup(value);
		return true;
	case TIME:
		return get_time(value, field);
	case NUMBER:
		return text_to_uint(slice_of(value), field) == HB_OK;
	case BOOL:
		*(bool *)field = strcmp(value, "yes") == 0;
		return true;
	}
	return false;
}

/* Nothing but what lies in a backup. */
static bool
is_file_name(const char *name)
{
	if (strncmp(name, BACKUP_LOGS "/", sizeof(BACKUP_LOGS)) == 0)
		return backup_is_log(name + sizeof(BACKUP_LOGS));
	return backup_is_data(name) && strchr(name, '/') == NULL;
}

static bool
get_file(struct backup_text *t, const char *value)
{
	unsigned long long size;
	unsigned crc;
	int n = 0;

	if (sscanf(value, "%20llu %8x %n", &size, &crc, &n) != 2 || n == 0 ||
	    value[n - 1] != ' ' || !is_file_name(value + n))
		return false;
	backup_text_add(t, value + n, size, crc);
	return true;
}

static bool
get_line(struct backup_text *t, char *line)
{
	char *value = strstr(line, ": ");

	if (value == NULL)
		return false;
	*value = '\0';
	value += 2;
	if (strcmp(line, "file") == 0)
		return get_file(t, value);
	if (strcmp(line, "lsn") == 0)
		return sscanf(value, "%u/%u", &t->lsn_file,
		    &t->lsn_offset) == 2;
	for (unsigned i = 0; i < NROWS; i++)
		if (strcmp(rows[i].word, line) == 0)
			return get_row(value, (char *)t + rows[i].offset,
			    rows[i].kind);
	return true;			/* a word of a later version */
}

/* The next line of REST, terminated, in LINE; false at the end. */
static bool
next_line(struct slice *rest, struct buf *line)
{
	const char *nl = memchr(rest->ptr, '\n', rest->len);
	size_t n = nl != NULL ? (size_t)(nl - rest->ptr) : rest->len;

	if (rest->len == 0)
		return false;
	buf_reset(line);
	buf_put(line, rest->ptr, n);
	buf_put_char(line, '\0');
	*rest = slice_skip(*rest, nl != NULL ? n + 1 : n);
	return true;
}

int
backup_text_parse(struct slice text, const char *path,
    struct backup_text *text_r, struct diag *diag)
{
	struct backup_text *t = text_r;
	struct buf line;
	unsigned n = 0;
	bool end = false;
	int rc = HB_OK;

	*t = (struct backup_text){ .suffix = NULL };
	buf_init(&line);
	while (rc == HB_OK && !end && next_line(&text, &line)) {
		if (n++ == 0 && strcmp(line.data, HEAD) != 0)
			rc = diag_err(diag, HB_EVERSION, "%s: \"%.100s\" is "
			    "a backup that this program does not know", path,
			    line.data);
		else if (n > 1 && strcmp(line.data, "end") == 0)
			end = true;
		else if (n > 1 && !get_line(t, line.data))
			rc = diag_err(diag, HB_ECORRUPT, "%s: line %u is not "
			    "understood", path, n);
	}
	buf_fini(&line);
	if (rc == HB_OK && (!end || t->suffix == NULL || t->backend == NULL ||
	    t->format == NULL || t->lineage == NULL || t->nfiles == 0))
		rc = diag_err(diag, HB_ECORRUPT, "%s is not complete", path);
	return rc;
}

int
backup_text_read(const char *dir, struct backup_text *text_r,
    struct diag *diag)
{
	char *path = mem_printf("%s/" BACKUP_TEXT, dir);
	FILE *f = fopen(path, "re");
	struct buf text;
	size_t n;
	int rc;

	*text_r = (struct backup_text){ .suffix = NULL };
	buf_init(&text);
	if (f == NULL) {
		rc = diag_err(diag, errno == ENOENT || errno == ENOTDIR ?
		    HB_ENOTFOUND : HB_EIO, "%s is not a backup: %s: %s", dir,
		    path, strerror(errno));
		goto out;
	}
	do {
		buf_reserve(&text, 4096);
		n = fread(text.data + text.len, 1, 4096, f);
		text.len += n;
	} while (n > 0);
	rc = ferror(f) ? diag_err(diag, HB_EIO, "%s: %s", path,
	    strerror(errno)) : backup_text_parse(buf_slice(&text), path,
	    text_r, diag);
	fclose(f);
out:
	buf_fini(&text);
	free(path);
	return rc;
}

int
backup_text_fits(const struct backup_text *t, const char *dir,
    const struct be_db *db, struct diag *diag)
{
	struct arena arena;
	struct dn suffix;
	int rc;

	arena_init(&arena, 0);
	rc = dn_parse(&arena, db->schema, slice_of(t->suffix), &suffix, diag);
	if (rc == HB_OK && !dn_is_eq(&suffix, &db->suffixes[0]))
		rc = diag_err(diag, HB_EINVAL, "%s is a backup of \"%s\", the "
		    "database is \"%.*s\"", dir, t->suffix,
		    SLICE_ARG(db->suffixes[0].text));
	arena_fini(&arena);
	if (rc == HB_OK && strcmp(t->backend, db->be->name) != 0)
		rc = diag_err(diag, HB_EINVAL, "%s is a backup of a %s "
		    "database, this one is %s", dir, t->backend, db->be->name);
	if (rc == HB_OK && strcmp(t->format, STORE_FORMAT) != 0)
		rc = diag_err(diag, HB_EVERSION, "%s has the format \"%s\", "
		    "this program knows \"" STORE_FORMAT "\"", dir, t->format);
	return rc;
}
