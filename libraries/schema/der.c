/* Elements of DER. */
#include "der.h"
#include "util/err.h"

#define DEPTH_MAX	32	/* certificates have less than 15 levels */

/* Identifier octets: their number, 0 if there is no end. */
static size_t
tag_len(const uint8_t *p, size_t n)
{
	size_t i = 1;

	if (n == 0 || (p[0] & 0x1f) != 0x1f)
		return n == 0 ? 0 : 1;
	while (i < n && (p[i] & 0x80) != 0)
		i++;
	return i < n ? i + 1 : 0;
}

/* X.690 10.1: a definite length in as few octets as it takes. */
static bool
split_head(struct slice in, size_t *head_r, size_t *len_r)
{
	const uint8_t *p = (const uint8_t *)in.ptr;
	size_t i = tag_len(p, in.len), k, len;

	if (i == 0 || i >= in.len)
		return false;
	len = p[i++];
	if (len >= 0x80) {
		k = len & 0x7f;
		if (k == 0 || k > 4 || k > in.len - i || p[i] == 0)
			return false;
		for (len = 0; k > 0; k--)
			len = len << 8 | p[i++];
		if (len < 0x80)
			return false;
	}
	*head_r = i;
	*len_r = len;
	return len <= in.len - i;
}

static void
fail(struct der *d)
{
	if (*d->rc == HB_OK)
		*d->rc = HB_ESYNTAX;
	d->rest = SLICE("");
}

/* The next element, TAG checked; *body_r gets its contents. */
static struct slice
next(struct der *d, uint8_t tag, struct slice *body_r)
{
	struct slice whole;
	size_t head, len;

	*body_r = SLICE("");
	if (*d->rc != HB_OK || !der_is_next(d, tag) ||
	    !split_head(d->rest, &head, &len)) {
		fail(d);
		return SLICE("");
	}
	whole = slice(d->rest.ptr, head + len);
	*body_r = slice(d->rest.ptr + head, len);
	d->rest = slice_skip(d->rest, head + len);
	return whole;
}

bool
der_is_next(const struct der *d, uint8_t tag)
{
	return *d->rc == HB_OK && d->rest.len > 0 &&
	    (tag == DER_ANY || (uint8_t)d->rest.ptr[0] == tag);
}

struct slice
der_take(struct der *d, uint8_t tag)
{
	struct slice body;

	next(d, tag, &body);
	return body;
}

struct slice
der_element(struct der *d, uint8_t tag)
{
	struct slice body;

	return next(d, tag, &body);
}

struct der
der_enter(struct der *d, uint8_t tag)
{
	return der_reader(der_take(d, tag), d->rc);
}

void
der_end(struct der *d)
{
	if (d->rest.len > 0)
		fail(d);
}

void
der_skip_if(struct der *d, uint8_t tag)
{
	if (der_is_next(d, tag))
		der_take(d, tag);
}

static bool
is_strict(struct slice in, unsigned depth)
{
	size_t head, len;

	while (in.len > 0) {
		if (!split_head(in, &head, &len))
			return false;
		if (((uint8_t)in.ptr[0] & 0x20) != 0 && (depth == DEPTH_MAX ||
		    !is_strict(slice(in.ptr + head, len), depth + 1)))
			return false;
		in = slice_skip(in, head + len);
	}
	return true;
}

bool
der_is_strict(struct slice whole)
{
	size_t head, len;

	return split_head(whole, &head, &len) && head + len == whole.len &&
	    is_strict(whole, 0);
}
