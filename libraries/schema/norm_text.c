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
 * substrings assertion are of any text.
 */
int
norm_telephone(const struct schema *schema, struct arena *arena,
    enum substr_part part, struct slice v, struct slice *norm_r)
{
	if (part == SUBSTR_WHOLE && validate_printable(schema, v) != HB_OK &&
	    v.len > 0)
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

/* Trimming that the ends of a line get: the list's own or the piece's. */
static enum substr_part
line_part(enum substr_part part, bool first, bool last)
{
	bool start = !first || part == SUBSTR_WHOLE || part == SUBSTR_INITIAL;
	bool end = !last || part == SUBSTR_WHOLE || part == SUBSTR_FINAL;

	if (start)
		return end ? SUBSTR_WHOLE : SUBSTR_INITIAL;
	return end ? SUBSTR_FINAL : SUBSTR_ANY;
}

/* \24 and \5C of a line as the characters they stand for. */
static size_t
unescape(char *out, struct slice line)
{
	size_t i, o = 0;
	int hi, lo;

	for (i = 0; i < line.len; i++) {
		out[o] = line.ptr[i];
		if (line.ptr[i] == '\\' && i + 2 < line.len) {
			hi = text_hex_value(line.ptr[i + 1]);
			lo = text_hex_value(line.ptr[i + 2]);
			if (hi * 16 + lo == '$' || hi * 16 + lo == '\\') {
				out[o] = (char)(hi * 16 + lo);
				i += 2;
			}
		}
		o++;
	}
	return o;
}

static size_t
escape(char *out, struct slice line)
{
	size_t i, o = 0;

	for (i = 0; i < line.len; i++) {
		if (line.ptr[i] == '$' || line.ptr[i] == '\\') {
			memcpy(out + o, line.ptr[i] == '$' ? "\\24" : "\\5c",
			    3);
			o += 3;
		} else {
			out[o++] = line.ptr[i];
		}
	}
	return o;
}

/* One line prepared and escaped again, appended to OUT. */
static int
put_line(struct arena *arena, struct buf *out, struct slice line,
    enum substr_part part)
{
	char *plain = arena_alloc(arena, line.len + 1);
	struct slice prep;
	int rc;

	if (plain == NULL)
		return HB_ELIMIT;
	rc = schema_prepare(arena, slice(plain, unescape(plain, line)), true,
	    part, &prep);
	if (rc != HB_OK)
		return rc;
	buf_reserve(out, prep.len * 3 + 1);	/* never NULL */
	out->len += escape(out->data + out->len, prep);
	return HB_OK;
}

/*
 * RFC 4517 4.2.13: the lines of a postal address, each prepared on its own,
 * joined by '$'.
 */
int
norm_list_fold(const struct schema *schema, struct arena *arena,
    enum substr_part part, struct slice v, struct slice *norm_r)
{
	struct slice line;
	const char *dollar;
	struct buf out;
	bool first = true;
	int rc = HB_OK;

	(void)schema;
	buf_init(&out);
	for (;;) {
		dollar = v.len > 0 ? memchr(v.ptr, '$', v.len) : NULL;
		line = dollar == NULL ? v :
		    slice(v.ptr, (size_t)(dollar - v.ptr));
		rc = put_line(arena, &out, line,
		    line_part(part, first, dollar == NULL));
		if (rc != HB_OK || dollar == NULL)
			break;
		buf_put_char(&out, '$');
		v = slice_skip(v, line.len + 1);
		first = false;
	}
	if (rc == HB_OK) {
		*norm_r = arena_slice(arena, buf_slice(&out));
		rc = norm_r->ptr == NULL ? HB_ELIMIT : HB_OK;
	}
	buf_fini(&out);
	return rc;
}
