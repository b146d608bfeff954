/*
 * Insignificant characters (RFC 4518 2.6). A string is not framed with spaces
 * and its inner runs are not doubled as 2.6.1 has it: it is trimmed, and runs
 * are squeezed to one. From this the RFC's form can be made, and it is where a
 * substring begins or ends in a space (spaces_frame()); all other matches give
 * the same result on either.
 */
#include <utf8proc.h>

#include "schema_int.h"

static bool
trims_start(enum substr_part part)
{
	return part == SUBSTR_WHOLE || part == SUBSTR_INITIAL;
}

static bool
trims_end(enum substr_part part)
{
	return part == SUBSTR_WHOLE || part == SUBSTR_FINAL;
}

/* The code point at P, 0 at the end. */
static utf8proc_int32_t
code_at(const char *p, size_t n, size_t *len_r)
{
	utf8proc_int32_t cp = 0;
	utf8proc_ssize_t len = 0;

	if (n > 0 && (unsigned char)*p < 0x80) {
		cp = *p;
		len = 1;
	} else if (n > 0) {
		len = utf8proc_iterate((const utf8proc_uint8_t *)p,
		    (utf8proc_ssize_t)n, &cp);
	}
	*len_r = len > 0 ? (size_t)len : 1;
	return cp;
}

/*
 * Appendix A of the RFC: what has the property Mn, Mc or Me. Of those that it
 * knows three have changed since.
 */
static bool
begins_with_mark(const char *p, size_t n)
{
	utf8proc_propval_t category;
	utf8proc_int32_t cp;
	size_t len;

	if (n == 0 || (unsigned char)*p < 0x80)
		return false;
	cp = code_at(p, n, &len);
	if (cp == 0x6de)
		return true;
	if (cp == 0x1885 || cp == 0x1886)
		return false;
	category = utf8proc_get_property(cp)->category;
	return category == UTF8PROC_CATEGORY_MN ||
	    category == UTF8PROC_CATEGORY_MC ||
	    category == UTF8PROC_CATEGORY_ME;
}

/* A SPACE that a combining mark follows is no space. */
static bool
is_space(const char *p, size_t n)
{
	return *p == ' ' && !begins_with_mark(p + 1, n - 1);
}

void
spaces_squeeze(struct slice *s, enum substr_part part)
{
	char *p = (char *)(uintptr_t)s->ptr;
	bool space = trims_start(part);
	size_t i, o = 0;

	for (i = 0; i < s->len; i++) {
		if (!is_space(p + i, s->len - i)) {
			p[o++] = p[i];
			space = false;
		} else if (!space) {
			p[o++] = ' ';
			space = true;
		}
	}
	if (trims_end(part) && o > 0 && space)
		o--;
	if (o == 0)
		p[o++] = ' ';	/* of nothing but spaces, if any */
	s->len = o;
}

/* 2.6.3 */
static bool
is_hyphen(utf8proc_int32_t cp)
{
	return cp == '-' || cp == 0x58a || cp == 0x2010 || cp == 0x2011 ||
	    cp == 0x2212 || cp == 0xfe63 || cp == 0xff0d;
}

void
spaces_drop(struct slice *s, bool hyphens)
{
	char *p = (char *)(uintptr_t)s->ptr;
	utf8proc_int32_t cp;
	size_t i, len, o = 0;

	for (i = 0; i < s->len; i += len) {
		cp = code_at(p + i, s->len - i, &len);
		if ((cp == ' ' || (hyphens && is_hyphen(cp))) &&
		    !begins_with_mark(p + i + len, s->len - i - len))
			continue;
		memmove(p + o, p + i, len);
		o += len;
	}
	s->len = o;
}

/* NORM, a whole string or PART of one, in the RFC's form. */
static void
frame_line(struct slice norm, enum substr_part part, struct buf *out)
{
	size_t i;

	if (slice_is_eq(norm, SLICE(" "))) {
		buf_put_str(out, part == SUBSTR_WHOLE ? "  " : " ");
		return;
	}
	if (trims_start(part))
		buf_put_char(out, ' ');
	for (i = 0; i < norm.len; i++) {
		buf_put_char(out, norm.ptr[i]);
		if (i > 0 && i + 1 < norm.len &&
		    is_space(norm.ptr + i, norm.len - i))
			buf_put_char(out, ' ');
	}
	if (trims_end(part))
		buf_put_char(out, ' ');
}

/* Each line of a list is a string of its own. */
static void
frame_list(struct slice norm, enum substr_part part, struct buf *out)
{
	const char *end;
	size_t n;

	while (part == SUBSTR_WHOLE && norm.len > 0 &&
	    (end = memchr(norm.ptr, '$', norm.len)) != NULL) {
		n = (size_t)(end - norm.ptr);
		frame_line(slice(norm.ptr, n), part, out);
		buf_put_char(out, '$');
		norm = slice_skip(norm, n + 1);
	}
	frame_line(norm, part, out);
}

bool
schema_frame(const struct matching_rule *rule, enum substr_part part,
    struct slice norm, struct buf *out)
{
	if (rule->normalise == norm_list_fold)
		frame_list(norm, part, out);
	else if (rule->normalise == norm_case_fold ||
	    rule->normalise == norm_case_exact ||
	    rule->normalise == norm_ia5_fold ||
	    rule->normalise == norm_ia5_exact)
		frame_line(norm, part, out);
	else
		return false;
	return true;
}
