/*
 * Files into logical lines, logical lines into words. See README.md for the
 * reading rules, which are those that slapd.conf files in the field rely on.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "cfg.h"
#include "util/arena.h"
#include "util/err.h"
#include "util/lock.h"
#include "util/log.h"
#include "util/mem.h"
#include "util/text.h"

#define INCLUDE_DEPTH_MAX	64
#define FILE_SIZE_MAX		(256u << 20)
#define INCLUDE			"include"
#define INCLUDE_LEN		(sizeof(INCLUDE) - 1)

struct reading {
	bool (*raw_keyword)(const char *word);
	int (*cb)(const struct cfg_line *, void *arg, struct diag *);
	void *arg;
	unsigned depth;			/* of includes */
};

/* One file while it is read. */
struct source {
	const char *name;		/* interned */
	struct slice text;
	size_t pos;			/* first octet not yet read */
	unsigned line;			/* physical lines read so far */
	struct buf logical;		/* folded line, NUL-terminated */
	struct arena arena;		/* words of the logical line */
};

static int read_file(struct reading *, const char *, struct diag *);

/* Names of files appear in messages long after reading: they are kept. */
struct file_name {
	struct file_name *next;
	char name[];
};

static pthread_mutex_t names_lock = PTHREAD_MUTEX_INITIALIZER;
static struct file_name *names;	/* guarded by names_lock; only grows */

const char *
cfg_file_name(const char *name)
{
	struct file_name *n;
	size_t len = strlen(name) + 1;

	pthread_mutex_lock(&names_lock);
	for (n = names; n != NULL && strcmp(n->name, name) != 0; n = n->next)
		;
	if (n == NULL) {
		n = mem_alloc(sizeof(*n) + len);
		memcpy(n->name, name, len);
		n->next = names;
		names = n;
	}
	pthread_mutex_unlock(&names_lock);
	return n->name;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r';
}

static bool
is_blank_only(struct slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!is_blank(s.ptr[i]))
			return false;
	return true;
}

/*
 * The physical line at POS without its line end; *next_r: where the next
 * begins.
 */
static struct slice
physical_line(const struct source *src, size_t pos, size_t *next_r)
{
	struct slice rest = slice_skip(src->text, pos);
	const char *nl = memchr(rest.ptr, '\n', rest.len);
	struct slice line = rest;

	if (nl != NULL)
		line.len = (size_t)(nl - rest.ptr);
	*next_r = pos + line.len + (nl != NULL);
	if (line.len > 0 && line.ptr[line.len - 1] == '\r')
		line.len--;
	return line;
}

/*
 * The line so far ends in one backslash: the next physical line belongs to it.
 */
static bool
ends_in_backslash(const struct buf *b)
{
	return b->len > 0 && b->data[b->len - 1] == '\\' &&
	    (b->len == 1 || b->data[b->len - 2] != '\\');
}

/*
 * Text below a comment that begins with a blank is part of it, which surprises
 * people whose access rules stand there.
 */
static void
warn_swallowed(const struct source *src, struct slice line)
{
	size_t i = 0;

	while (i < line.len && is_blank(line.ptr[i]))
		i++;
	if (i < line.len && line.ptr[i] != '#')
		log_printf(LOG_ANY, "%s: line %u: warning: this line begins "
		    "with a blank, so it continues the comment above it and "
		    "is ignored", src->name, src->line);
}

/* The next logical line into src->logical. False at the end of the file. */
static bool
next_logical(struct source *src)
{
	struct buf *b = &src->logical;
	struct slice line;
	size_t next;

	if (src->pos >= src->text.len)
		return false;
	buf_reset(b);
	line = physical_line(src, src->pos, &next);
	src->pos = next;
	src->line++;
	buf_put_slice(b, line);
	/*
	 * an include is not folded: what it reads must come before what follows
	 */
	while (src->pos < src->text.len && (b->len < INCLUDE_LEN ||
	    strncasecmp(b->data, INCLUDE, INCLUDE_LEN) != 0)) {
		line = physical_line(src, src->pos, &next);
		if (ends_in_backslash(b)) {
			b->len--;
			buf_put_slice(b, line);
		} else if (line.len > 0 && is_blank(line.ptr[0])) {
			buf_put_char(b, ' ');
			buf_put_slice(b, slice_skip(line, 1));
		} else {
			break;
		}
		src->pos = next;
		src->line++;
		if (b->data[0] == '#')
			warn_swallowed(src, line);
	}
	buf_put_char(b, '\0');
	b->len--;
	return true;
}

/* One word from *p: quotes and escapes are resolved in place. */
static char *
take_word(char **p, bool *open_r)
{
	char *in = *p, *out = in, *word = in;
	bool quoted = false;

	for (; *in != '\0' && (quoted || !is_blank(*in)); in++) {
		if (*in == '"') {
			quoted = !quoted;
			continue;
		}
		if (*in == '\\' && in[1] != '\0')
			in++;
		*out++ = *in;
	}
	*p = in + (*in != '\0');
	*out = '\0';
	*open_r = quoted;
	return word;
}

static char *
skip_blanks(char *p)
{
	while (is_blank(*p))
		p++;
	return p;
}

/* The keyword of a raw line ends at the first blank or parenthesis. */
static char *
raw_word(struct arena *a, const char *p, const char **rest_r)
{
	size_t n = 0;
	struct slice word;

	while (p[n] != '\0' && !is_blank(p[n]) && p[n] != '(')
		n++;
	word = arena_slice(a, slice(p, n));
	*rest_r = skip_blanks((char *)(uintptr_t)(p + n));
	return (char *)(uintptr_t)word.ptr;
}

static int
split(struct source *src, const struct reading *rd, struct cfg_line *line,
    struct diag *diag)
{
	char *p = skip_blanks(src->logical.data), *keyword;
	unsigned cap = 2;
	bool open = false;

	line->raw = src->logical.data;
	keyword = raw_word(&src->arena, p, &line->rest);
	line->words = arena_alloc(&src->arena,
	    (strlen(p) / 2 + 3) * sizeof(char *));
	if (rd->raw_keyword != NULL && rd->raw_keyword(keyword)) {
		line->words[line->nwords++] = keyword;
		line->words[line->nwords] = NULL;
		return HB_OK;
	}
	cap += (unsigned)(strlen(p) / 2);
	for (p = arena_strdup(&src->arena, p); *p != '\0' && !open;
	    p = skip_blanks(p)) {
		hb_assert(line->nwords < cap);
		line->words[line->nwords++] = take_word(&p, &open);
	}
	line->words[line->nwords] = NULL;
	if (open)
		return diag_err(diag, HB_EINVAL,
		    "<%s> unterminated quoted string \"%s",
		    line->nwords > 1 ? line->words[0] : "?",
		    line->words[line->nwords - 1]);
	return HB_OK;
}

static int
include(struct reading *rd, const struct cfg_line *line, struct diag *diag)
{
	int rc;

	if (line->nwords != 2)
		return diag_err(diag, HB_EINVAL, line->nwords < 2 ?
		    "<%s> missing <file> argument" :
		    "<%s> extra cruft after <file>", line->words[0]);
	if (rd->depth >= INCLUDE_DEPTH_MAX)
		return diag_err(diag, HB_EINVAL,
		    "<%s> files include each other more than %d deep",
		    line->words[0], INCLUDE_DEPTH_MAX);
	rd->depth++;
	rc = read_file(rd, line->words[1], diag);
	rd->depth--;
	return rc;
}

static int
read_line(struct reading *rd, struct source *src, struct diag *diag)
{
	struct cfg_line line = { .file = src->name, .line = src->line };
	int rc;

	if (src->logical.data[0] == '#' ||
	    is_blank_only(buf_slice(&src->logical)))
		return HB_OK;
	arena_reset(&src->arena);
	if ((rc = split(src, rd, &line, diag)) == HB_OK)
		rc = strcasecmp(line.words[0], INCLUDE) == 0 ?
		    include(rd, &line, diag) : rd->cb(&line, rd->arg, diag);
	if (rc != HB_OK)
		diag_at(diag, line.file, line.line);
	return rc;
}

static int
read_text(struct reading *rd, const char *name, struct slice text,
    struct diag *diag)
{
	struct source src = { .name = cfg_file_name(name), .text = text };
	int rc = HB_OK;

	arena_init(&src.arena, 0);
	buf_init(&src.logical);
	if (slice_has_prefix(text, SLICE("\xef\xbb\xbf")))
		src.text = slice_skip(text, 3);	/* a byte order mark */
	if (memchr(text.ptr, '\0', text.len) != NULL) {
		rc = diag_err(diag, HB_EINVAL, "not a text file: it has a NUL "
		    "character");
		diag_at(diag, src.name, 0);
	}
	while (rc == HB_OK && next_logical(&src))
		rc = read_line(rd, &src, diag);
	buf_fini(&src.logical);
	arena_fini(&src.arena);
	return rc;
}

static int
load(const char *file, struct buf *text, struct diag *diag)
{
	struct stat st;
	ssize_t n = 1;
	int fd, rc = HB_OK;

	/* not blocking: opening a FIFO must not wait for a writer */
	if ((fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) < 0 ||
	    fstat(fd, &st) < 0) {
		rc = diag_err(diag, HB_EIO,
		    "could not open configuration file \"%s\": %s", file,
		    strerror(errno));
		goto out;
	}
	if (!S_ISREG(st.st_mode)) {
		rc = diag_err(diag, HB_EINVAL,
		    "could not read \"%s\": regular file expected", file);
		goto out;
	}
	while (n > 0 && text->len < FILE_SIZE_MAX) {
		buf_reserve(text, 65536);
		n = read(fd, text->data + text->len, 65536);
		if (n > 0)
			text->len += (size_t)n;
	}
	if (n != 0)
		rc = diag_err(diag, HB_EIO, "could not read \"%s\": %s", file,
		    n < 0 ? strerror(errno) : "too large");
out:
	if (fd >= 0)
		close(fd);
	return rc;
}

/* By its first line that is no comment, or by its name. */
static bool
is_ldif(struct slice text, const char *file)
{
	struct source src = { .text = text };
	struct slice line;

	if (slice_has_suffix(slice_of(file), SLICE(".ldif")))
		return true;
	while (src.pos < text.len) {
		line = physical_line(&src, src.pos, &src.pos);
		if (line.len > 0 && line.ptr[0] != '#' && !is_blank_only(line))
			return (line.len > 3 && slice_is_eq_nocase(slice(
			    line.ptr, 3), SLICE("dn:"))) || (line.len > 8 &&
			    slice_is_eq_nocase(slice(line.ptr, 8),
			    SLICE("version:")));
	}
	return false;
}

static int
hand_over_ldif(struct reading *rd, const char *file, struct diag *diag)
{
	char keyword[] = INCLUDE, *words[3] = { keyword, NULL, NULL };
	struct cfg_line line = { .file = cfg_file_name(file), .nwords = 2,
		.words = words, .raw = "", .rest = file };

	words[1] = (char *)(uintptr_t)line.file;
	return rd->cb(&line, rd->arg, diag);
}

static int
read_file(struct reading *rd, const char *file, struct diag *diag)
{
	struct buf text;
	int rc;

	buf_init(&text);
	if ((rc = load(file, &text, diag)) != HB_OK)
		;
	else if (is_ldif(buf_slice(&text), file))
		rc = hand_over_ldif(rd, file, diag);
	else
		rc = read_text(rd, file, buf_slice(&text), diag);
	buf_fini(&text);
	return rc;
}

int
cfg_read(const char *file, bool (*raw_keyword)(const char *word),
    int (*cb)(const struct cfg_line *, void *arg, struct diag *), void *arg,
    struct diag *diag)
{
	struct reading rd = { raw_keyword, cb, arg, 0 };

	return read_file(&rd, file, diag);
}

int
cfg_read_memory(struct slice text, const char *name,
    bool (*raw_keyword)(const char *word),
    int (*cb)(const struct cfg_line *, void *arg, struct diag *), void *arg,
    struct diag *diag)
{
	struct reading rd = { raw_keyword, cb, arg, 0 };

	return read_text(&rd, name, text, diag);
}
