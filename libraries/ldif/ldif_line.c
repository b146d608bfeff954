/*
 * Logical lines (RFC 2849 notes 1-3) and the values in them.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ldif_int.h"
#include "util/err.h"
#include "util/text.h"

#define SHOWN_MAX	60		/* octets of a bad line in the message */

/* One physical line without its end; moves POS behind it. */
static inline struct slice
physical_line(struct ldif_reader *r)
{
	const char *start = r->pos;
	size_t left = (size_t)(r->end - start), len;
	const char *nl = memchr(start, '\n', left);

	len = nl == NULL ? left : (size_t)(nl - start);
	r->pos = nl == NULL ? r->end : nl + 1;
	r->line++;
	if (len > 0 && start[len - 1] == '\r')
		len--;
	return slice(start, len);
}

static inline bool
is_folded(const struct ldif_reader *r)
{
	return r->pos < r->end && *r->pos == ' ';
}

/* Join FIRST and the lines that continue it. */
static int
unfold(struct ldif_reader *r, struct arena *arena, struct slice first,
    struct slice *text_r)
{
	const char *start = r->pos;
	unsigned line = r->line;
	size_t len = first.len;
	char *out, *p;

	while (is_folded(r))
		len += physical_line(r).len - 1;
	if ((out = arena_alloc(arena, len + 1)) == NULL)
		return HB_ELIMIT;
	r->pos = start;
	r->line = line;
	memcpy(out, first.ptr, first.len);
	p = out + first.len;
	while (is_folded(r)) {
		struct slice s = slice_skip(physical_line(r), 1);

		memcpy(p, s.ptr, s.len);
		p += s.len;
	}
	*text_r = slice(out, len);
	return HB_OK;
}

int
ldif_line_next(struct ldif_reader *r, struct arena *arena,
    struct ldif_line *l)
{
	struct slice s;

	for (;;) {
		l->start = r->pos;
		l->no = r->line;
		if (r->pos == r->end) {
			r->in_record = false;
			return HB_EEND;
		}
		s = physical_line(r);
		if (s.len == 0) {
			r->in_record = false;
			return HB_EEND;
		}
		if (s.ptr[0] != '#')
			break;
		while (is_folded(r))
			physical_line(r);
	}
	l->text = s;
	return is_folded(r) ? unfold(r, arena, s, &l->text) : HB_OK;
}

void
ldif_line_skip_record(struct ldif_reader *r)
{
	while (r->in_record && r->pos < r->end)
		if (physical_line(r).len == 0)
			break;
	r->in_record = false;
}

int
ldif_line_fail(struct ldif_reader *r, const struct ldif_line *l,
    struct diag *diag, const char *what)
{
	char shown[SHOWN_MAX + 4];
	size_t i, n = l->text.len < SHOWN_MAX ? l->text.len : SHOWN_MAX;

	for (i = 0; i < n; i++) {
		char c = l->text.ptr[i];

		shown[i] = c >= ' ' && c <= '~' ? c : '?';
	}
	memcpy(shown + n, n < l->text.len ? "..." : "", n < l->text.len ? 4 : 1);
	diag_set(diag, "%s expected: \"%s\"", what, shown);
	diag_at(diag, r->name, l->no);
	return HB_EINVAL;
}

static struct slice
skip_blanks(struct slice s)
{
	while (s.len > 0 && *s.ptr == ' ')
		s = slice_skip(s, 1);
	return s;
}

static int
base64_value(struct ldif_reader *r, struct arena *arena,
    const struct ldif_line *l, struct slice in, struct slice *value_r,
    struct diag *diag)
{
	while (in.len > 0 && in.ptr[in.len - 1] == ' ')
		in.len--;
	buf_reset(&r->scratch);
	if (text_base64_decode(&r->scratch, in) != HB_OK)
		return ldif_line_fail(r, l, diag, "base64 after '::'");
	*value_r = arena_slice(arena, buf_slice(&r->scratch));
	return slice_is_none(*value_r) ? HB_ELIMIT : HB_OK;
}

/* The path of "file:///a%20b", terminated; NULL: it is no such URL. */
static const char *
url_path(struct arena *arena, struct slice url)
{
	struct slice s = url;
	char *path, *out;
	int hi, lo;

	if (s.len < 8 || strncasecmp(s.ptr, "file://", 7) != 0)
		return NULL;
	s = slice_skip(s, 7);
	if (s.len > 9 && strncasecmp(s.ptr, "localhost", 9) == 0)
		s = slice_skip(s, 9);
	if (*s.ptr != '/' || (path = arena_alloc(arena, s.len + 1)) == NULL)
		return NULL;
	for (out = path; s.len > 0; s = slice_skip(s, 1)) {
		*out++ = *s.ptr;
		if (*s.ptr != '%')
			continue;
		if (s.len < 3 || (hi = text_hex_value(s.ptr[1])) < 0 ||
		    (lo = text_hex_value(s.ptr[2])) < 0 || hi + lo == 0)
			return NULL;
		out[-1] = (char)(hi << 4 | lo);
		s = slice_skip(s, 2);
	}
	*out = '\0';
	return path;
}

static int
read_file(struct arena *arena, const char *path, struct slice *value_r)
{
	int fd, rc = HB_EIO;
	struct stat st;
	char *data;
	size_t got = 0;
	ssize_t n = 0;

	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		return HB_EIO;
	if (fstat(fd, &st) != 0)
		goto out;
	if (!S_ISREG(st.st_mode)) {
		errno = EINVAL;
		goto out;
	}
	rc = HB_ELIMIT;
	if ((data = arena_alloc(arena, (size_t)st.st_size + 1)) == NULL)
		goto out;
	while (got < (size_t)st.st_size && (n = read(fd, data + got,
	    (size_t)st.st_size - got)) > 0)
		got += (size_t)n;
	rc = n < 0 ? HB_EIO : HB_OK;
	*value_r = slice(data, got);
out:
	close(fd);
	return rc;
}

static int
url_value(struct ldif_reader *r, struct arena *arena,
    const struct ldif_line *l, struct slice url, struct slice *value_r,
    struct diag *diag)
{
	const char *path;
	int rc;

	if ((r->flags & LDIF_ALLOW_URLS) == 0)
		return ldif_line_fail(r, l, diag,
		    "value (URLs of files are not read unless allowed)");
	if ((path = url_path(arena, url)) == NULL)
		return ldif_line_fail(r, l, diag, "file:/// URL after ':<'");
	rc = read_file(arena, path, value_r);
	if (rc == HB_EIO) {
		diag_set(diag, "cannot read %s: %s", path, strerror(errno));
		diag_at(diag, r->name, l->no);
		return HB_EINVAL;
	}
	return rc;
}

int
ldif_line_value(struct ldif_reader *r, struct arena *arena,
    const struct ldif_line *l, struct slice spec, struct slice *value_r,
    struct diag *diag)
{
	struct slice s = slice_skip(spec, 1);

	if (s.len > 0 && *s.ptr == ':')
		return base64_value(r, arena, l, skip_blanks(slice_skip(s, 1)),
		    value_r, diag);
	if (s.len > 0 && *s.ptr == '<')
		return url_value(r, arena, l, skip_blanks(slice_skip(s, 1)),
		    value_r, diag);
	*value_r = skip_blanks(s);
	return HB_OK;
}

int
ldif_line_parse(struct ldif_reader *r, struct arena *arena,
    const struct ldif_line *l, struct ldif_value *v, struct diag *diag)
{
	const char *p = l->text.ptr, *end = p + l->text.len, *colon;

	colon = memchr(p, ':', l->text.len);
	if (colon == NULL || colon == p)
		return ldif_line_fail(r, l, diag, "\"attribute: value\"");
	if (*p == ' ' || memchr(p, ' ', (size_t)(colon - p)) != NULL)
		return ldif_line_fail(r, l, diag,
		    "attribute description without blanks before ':'");
	v->name = slice(p, (size_t)(colon - p));
	v->line = l->no;
	return ldif_line_value(r, arena, l, slice(colon, (size_t)(end - colon)),
	    &v->value, diag);
}
