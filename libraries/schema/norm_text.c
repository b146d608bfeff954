/*
 * Normal forms of text: strings, lists, telephone and numeric strings. What is
 * ASCII and normal already is not copied.
 */
#include "schema_int.h"

int
norm_case_fold(const struct schema *schema, struct arena *arena,
    enum substr_part part, struct slice v, struct slice *norm_r)
{
	(void)schema;
	return schema_prepare(arena, v, true, part, norm_r);
}

int
norm_case_exact(const struct schema *schema, struct arena *arena,
    enum substr_part part, struct slice v, struct slice *norm_r)
{
	(void)schema;
	return schema_prepare(arena, v, false, part, norm_r);
}

int
norm_ia5_fold(const struct schema *schema, struct arena *arena,
    enum substr_part part, struct slice v, struct slice *norm_r)
{
	(void)schema;
	if (!text_is_ascii(v))
		return HB_ESYNTAX;
	return schema_prepare(arena, v, true, part, norm_r);
}

int
norm_ia5_exact(const struct schema *schema, struct arena *arena,
    enum substr_part part, struct slice v, struct slice *norm_r)
{
	(void)schema;
	if (!text_is_ascii(v))
		return HB_ESYNTAX;
	return schema_prepare(arena, v, false, part, norm_r);
}

int
norm_octets(const struct schema *schema, struct arena *arena,
    enum substr_part part, struct slice v, struct slice *norm_r)
{
	(void)schema;
	(void)arena;
	(void)part;
	*norm_r = v;
	return HB_OK;
}

/*
 * RFC 4518 2.6.3: hyphens and spaces do not count, nor does case. Pieces of a
 * substrings assertion are of any text; a whole value may be a fax number.
 */
int
norm_telephone(const struct schema *schema, struct arena *arena,
    enum substr_part part, struct slice v, struct slice *norm_r)
{
	if (part == SUBSTR_WHOLE && v.len > 0 &&
	    validate_fax_number(schema, v) != HB_OK)
		return HB_ESYNTAX;
	return prepare_dropping(arena, v, true, norm_r);
}

/* RFC 4518 2.6.2: spaces do not count. */
int
norm_numeric(const struct schema *schema, struct arena *arena,
    enum substr_part part, struct slice v, struct slice *norm_r)
{
	if (part == SUBSTR_WHOLE && v.len > 0 &&
	    validate_numeric(schema, v) != HB_OK)
		return HB_ESYNTAX;
	return prepare_dropping(arena, v, false, norm_r);
}

/*
 * In a normal form '$' and '\' of a line are octets that UTF-8 has not, so a
 * piece of a substrings assertion finds neither the end of a line nor a part
 * of an escape.
 */
#define LINE_DOLLAR	'\xfe'
#define LINE_BACKSLASH	'\xfd'

static size_t
unmark(char *out, struct slice line)
{
	size_t i;

	for (i = 0; i < line.len; i++)
		out[i] = (char)(line.ptr[i] == LINE_DOLLAR ? '$' :
		    line.ptr[i] == LINE_BACKSLASH ? '\\' : line.ptr[i]);
	return line.len;
}

/* \24 and \5C of a line as the characters they stand for. */
static size_t
unescape(char *out, struct slice line)
{
	size_t i, o = 0;
	char c;

	for (i = 0; i < line.len; i++) {
		c = line.ptr[i];
		if (c == '\\' && line.len - i >= 3 &&
		    (memcmp(line.ptr + i, "\\24", 3) == 0 ||
		    strncasecmp(line.ptr + i, "\\5C", 3) == 0)) {
			c = line.ptr[i + 1] == '2' ? '$' : '\\';
			i += 2;
		}
		out[o++] = c;
	}
	return unmark(out, slice(out, o));
}

static void
put_marked(struct buf *out, struct slice line)
{
	size_t i;
	char c;

	for (i = 0; i < line.len; i++) {
		c = line.ptr[i];
		buf_put_char(out, (char)(c == '$' ? LINE_DOLLAR : c == '\\' ?
		    LINE_BACKSLASH : c));
	}
}

static int
put_line(struct arena *arena, struct buf *out, struct slice line,
    enum substr_part part)
{
	struct slice prep;
	int rc;

	rc = schema_prepare(arena, line, true, part, &prep);
	if (rc == HB_OK)
		put_marked(out, prep);
	return rc;
}

/* The lines of V, each prepared on its own, joined by '$'. */
static int
put_lines(struct arena *arena, struct buf *out, struct slice v)
{
	char *plain = arena_alloc(arena, v.len + 1);
	const char *dollar;
	struct slice line;
	int rc;

	if (plain == NULL)
		return HB_ELIMIT;
	for (;;) {
		dollar = v.len > 0 ? memchr(v.ptr, '$', v.len) : NULL;
		line = dollar == NULL ? v :
		    slice(v.ptr, (size_t)(dollar - v.ptr));
		rc = put_line(arena, out, slice(plain, unescape(plain, line)),
		    SUBSTR_WHOLE);
		if (rc != HB_OK || dollar == NULL)
			return rc;
		buf_put_char(out, '$');
		v = slice_skip(v, line.len + 1);
	}
}

/*
 * RFC 4517 4.2.11, 4.2.12. A piece of a substrings assertion is one string: it
 * knows no lines and lies within one.
 */
int
norm_list_fold(const struct schema *schema, struct arena *arena,
    enum substr_part part, struct slice v, struct slice *norm_r)
{
	struct buf out;
	char *plain;
	int rc;

	(void)schema;
	buf_init(&out);
	if (part == SUBSTR_WHOLE) {
		rc = put_lines(arena, &out, v);
	} else {
		plain = arena_alloc(arena, v.len + 1);
		rc = plain == NULL ? HB_ELIMIT : put_line(arena, &out,
		    slice(plain, unmark(plain, v)), part);
	}
	if (rc == HB_OK) {
		*norm_r = arena_slice(arena, buf_slice(&out));
		rc = norm_r->ptr == NULL ? HB_ELIMIT : HB_OK;
	}
	buf_fini(&out);
	return rc;
}
