/* BER reader: see ber.h. */
#include "ber.h"

void
ber_reader_init(struct ber_reader *r, struct slice body)
{
	r->pos = (const uint8_t *)body.ptr;
	r->end = r->pos + body.len;
	r->error = HB_OK;
}

void
ber_reader_fail(struct ber_reader *r, int err)
{
	if (r->error == HB_OK)
		r->error = err;
}

/*
 * Length octets at *P (before END) into *LEN_r, *P moved behind them. More
 * than 8 length octets, or a value beyond 32 bits, is refused.
 */
static int
get_length(const uint8_t **p, const uint8_t *end, size_t *len_r)
{
	unsigned n, i;
	uint64_t v = 0;

	if (*p == end)
		return HB_ETRUNCATED;
	n = *(*p)++;
	if (n < 0x80) {
		*len_r = n;
		return HB_OK;
	}
	n &= 0x7f;
	if (n == 0 || n > 8)
		return HB_EENCODING;
	if ((size_t)(end - *p) < n)
		return HB_ETRUNCATED;
	for (i = 0; i < n; i++)
		v = v << 8 | *(*p)++;
	if (v > UINT32_MAX)
		return HB_EENCODING;
	*len_r = (size_t)v;
	return HB_OK;
}

struct slice
ber_get_any_slow(struct ber_reader *r, int *tag_r)
{
	const uint8_t *p = r->pos;
	size_t len;
	int rc;

	*tag_r = -1;
	if (r->error != HB_OK)
		return SLICE_NONE;
	if (p == r->end) {
		r->error = HB_EENCODING;
		return SLICE_NONE;
	}
	if ((*p & 0x1f) == 0x1f) {
		r->error = HB_EENCODING;
		return SLICE_NONE;
	}
	*tag_r = *p++;
	rc = get_length(&p, r->end, &len);
	if (rc != HB_OK || (size_t)(r->end - p) < len) {
		r->error = HB_EENCODING;
		return SLICE_NONE;
	}
	r->pos = p + len;
	return slice(p, len);
}

struct slice
ber_get_octets_slow(struct ber_reader *r, int tag)
{
	int have;

	if (ber_peek(r) != tag) {
		ber_reader_fail(r, HB_EENCODING);
		return SLICE_NONE;
	}
	return ber_get_any_slow(r, &have);
}

struct slice
ber_get_element(struct ber_reader *r)
{
	const uint8_t *start = r->pos;
	int tag;

	(void)ber_get_any(r, &tag);
	if (r->error != HB_OK)
		return SLICE_NONE;
	return slice(start, (size_t)(r->pos - start));
}

int
ber_decode_int(struct slice s, int64_t *v_r)
{
	uint64_t v;
	size_t i;

	*v_r = 0;
	if (s.len == 0 || s.len > 8)
		return HB_EENCODING;
	v = (s.ptr[0] & 0x80) != 0 ? UINT64_MAX : 0;
	for (i = 0; i < s.len; i++)
		v = v << 8 | (uint8_t)s.ptr[i];
	*v_r = (int64_t)v;
	return HB_OK;
}

int64_t
ber_get_int(struct ber_reader *r, int tag)
{
	struct slice s = ber_get_octets(r, tag);
	int64_t v = 0;

	if (r->error == HB_OK)
		r->error = ber_decode_int(s, &v);
	return v;
}

int64_t
ber_get_int_range(struct ber_reader *r, int tag, int64_t min, int64_t max)
{
	int64_t v = ber_get_int(r, tag);

	if (r->error == HB_OK && (v < min || v > max))
		ber_reader_fail(r, HB_EENCODING);
	return r->error == HB_OK ? v : min;
}

bool
ber_get_bool(struct ber_reader *r, int tag)
{
	struct slice s = ber_get_octets(r, tag);

	if (r->error == HB_OK && s.len != 1)
		ber_reader_fail(r, HB_EENCODING);
	return r->error == HB_OK && s.ptr[0] != 0;
}

void
ber_get_null(struct ber_reader *r, int tag)
{
	struct slice s = ber_get_octets(r, tag);

	if (r->error == HB_OK && s.len != 0)
		ber_reader_fail(r, HB_EENCODING);
}

struct ber_reader
ber_enter(struct ber_reader *r, int tag)
{
	struct slice s = ber_get_octets(r, tag);
	struct ber_reader inner;

	ber_reader_init(&inner, slice_is_none(s) ? SLICE("") : s);
	inner.error = r->error;
	return inner;
}

void
ber_leave(struct ber_reader *r, struct ber_reader *inner)
{
	ber_expect_end(inner);
	if (inner->error != HB_OK)
		ber_reader_fail(r, inner->error);
}

void
ber_expect_end(struct ber_reader *r)
{
	if (r->error == HB_OK && r->pos != r->end)
		r->error = HB_EENCODING;
}

int
ber_frame(struct slice data, int tag, size_t *total_r)
{
	const uint8_t *start = (const uint8_t *)data.ptr, *p = start;
	size_t len;
	int rc;

	if (data.len == 0)
		return HB_ETRUNCATED;
	if (*p++ != tag)
		return HB_EENCODING;
	if ((rc = get_length(&p, start + data.len, &len)) != HB_OK)
		return rc;
	*total_r = (size_t)(p - start) + len;
	return HB_OK;
}
