/*
 * LDIF lines as slapcat writes them.
 */
#include "ldif.h"
#include "util/text.h"

/*
 * Fold the line that begins at FROM and is the end of OUT: WRAP columns a
 * line, one of them the blank of a continuation. From the back, so that each
 * octet moves once.
 */
static void
fold(struct buf *out, size_t from, unsigned wrap)
{
	size_t len = out->len - from, step, folds, n, tail;

	if (wrap < 2 || len <= wrap)
		return;
	step = wrap - 1;
	folds = (len - wrap + step - 1) / step;
	buf_reserve(out, 2 * folds);
	for (n = folds; n > 0; n--) {
		char *src = out->data + from + wrap + (n - 1) * step;

		tail = n == folds ? len - wrap - (n - 1) * step : step;
		memmove(src + 2 * n, src, tail);
		src[2 * n - 2] = '\n';
		src[2 * n - 1] = ' ';
	}
	out->len += 2 * folds;
}

/* Printable ASCII that begins and ends with no blank and begins with no sign. */
static bool
is_plain(struct slice v)
{
	size_t i;

	if (v.len == 0)
		return true;
	if (v.ptr[0] == ' ' || v.ptr[0] == ':' || v.ptr[0] == '<' ||
	    v.ptr[v.len - 1] == ' ')
		return false;
	for (i = 0; i < v.len; i++)
		if (v.ptr[i] < ' ' || v.ptr[i] > '~')
			return false;
	return true;
}

void
ldif_put(struct buf *out, struct slice name, struct slice value,
    unsigned wrap, bool force64)
{
	size_t from = out->len;

	buf_reserve(out, name.len + value.len + 4);
	buf_put_slice(out, name);
	if (!force64 && is_plain(value)) {
		buf_put(out, ": ", 2);
		buf_put_slice(out, value);
	} else {
		buf_put(out, ":: ", 3);
		text_base64_encode(out, value);
	}
	fold(out, from, wrap);
	buf_put_char(out, '\n');
}

void
ldif_put_comment(struct buf *out, struct slice text, unsigned wrap)
{
	const char *nl;
	size_t from, n;

	do {
		nl = text.len == 0 ? NULL : memchr(text.ptr, '\n', text.len);
		n = nl == NULL ? text.len : (size_t)(nl - text.ptr);
		from = out->len;
		buf_put(out, "# ", 2);
		buf_put(out, text.ptr, n);
		fold(out, from, wrap);
		buf_put_char(out, '\n');
		text = slice_skip(text, nl == NULL ? n : n + 1);
	} while (nl != NULL);
}
