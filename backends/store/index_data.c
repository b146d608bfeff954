/*
 * The data of an index record: which of 4096 IDs. The length tells the form:
 *   1    octet 0xff: all 4096
 *   512  bitmap, ID i is bit i % 8 of octet i / 8
 *   2n   n low parts, ascending, two octets each, big-endian (n up to 255)
 * So {3, 8} is 00 03 00 08.
 */
#include <string.h>

#include "backends/store/index_int.h"

#define FULL	0xff

void
index_data_put(struct buf *out, const uint16_t *low, unsigned n)
{
	unsigned char *p;

	buf_reserve(out, INDEX_DATA_MAX);
	p = (unsigned char *)out->data + out->len;
	if (n == INDEX_CHUNK) {
		*p = FULL;
		out->len++;
	} else if (n > INDEX_ARRAY_MAX) {
		memset(p, 0, INDEX_BITMAP_LEN);
		for (unsigned i = 0; i < n; i++)
			p[low[i] / 8] |= (unsigned char)(1 << low[i] % 8);
		out->len += INDEX_BITMAP_LEN;
	} else {
		for (unsigned i = 0; i < n; i++) {
			p[2 * i] = (unsigned char)(low[i] >> 8);
			p[2 * i + 1] = (unsigned char)low[i];
		}
		out->len += 2 * n;
	}
}

static int
get_array(const unsigned char *p, unsigned n, uint16_t *low)
{
	int last = -1;

	for (unsigned i = 0; i < n; i++) {
		int v = p[2 * i] << 8 | p[2 * i + 1];

		if (v <= last || v >= (int)INDEX_CHUNK)
			return HB_ECORRUPT;
		low[i] = (uint16_t)v;
		last = v;
	}
	return HB_OK;
}

static unsigned
get_bitmap(const unsigned char *p, uint16_t *low)
{
	unsigned n = 0;

	for (unsigned w = 0; w < INDEX_BITMAP_LEN; w++)
		for (unsigned b = p[w]; b != 0; b &= b - 1)
			low[n++] = (uint16_t)(w * 8 +
			    (unsigned)__builtin_ctz(b));
	return n;
}

int
index_data_get(struct slice data, uint16_t *low, unsigned *n_r)
{
	const unsigned char *p = (const unsigned char *)data.ptr;

	if (data.len == 1 && p[0] == FULL) {
		for (unsigned i = 0; i < INDEX_CHUNK; i++)
			low[i] = (uint16_t)i;
		*n_r = INDEX_CHUNK;
		return HB_OK;
	}
	if (data.len == INDEX_BITMAP_LEN) {
		*n_r = get_bitmap(p, low);
		return HB_OK;
	}
	if (data.len == 0 || data.len % 2 != 0 ||
	    data.len > 2 * INDEX_ARRAY_MAX)
		return HB_ECORRUPT;
	*n_r = (unsigned)data.len / 2;
	return get_array(p, *n_r, low);
}

int
index_data_add_to(struct slice data, entry_id base, struct idset *ids)
{
	uint16_t low[INDEX_CHUNK];
	entry_id v[256];
	unsigned n, i = 0;
	int rc;

	if (data.len == 1 && (unsigned char)data.ptr[0] == FULL) {
		idset_add_range(ids, base, base + INDEX_CHUNK - 1);
		return HB_OK;
	}
	if ((rc = index_data_get(data, low, &n)) != HB_OK)
		return rc;
	while (i < n) {
		unsigned k = 0;

		while (k < sizeof(v) / sizeof(v[0]) && i < n)
			v[k++] = base + low[i++];
		idset_add_sorted(ids, v, k);
	}
	return HB_OK;
}

unsigned
index_data_count(struct slice data)
{
	unsigned long long word;
	unsigned n = 0;

	if (data.len == 1)
		return INDEX_CHUNK;
	if (data.len != INDEX_BITMAP_LEN)
		return (unsigned)data.len / 2;
	for (size_t i = 0; i < data.len; i += sizeof(word)) {
		memcpy(&word, data.ptr + i, sizeof(word));
		n += (unsigned)__builtin_popcountll(word);
	}
	return n;
}

static int
edit_array(struct slice data, unsigned low, bool add, unsigned char *out,
    unsigned *len_r, bool *changed_r)
{
	unsigned char *p = out;
	unsigned len = (unsigned)data.len, i = 0;

	if (len > 0)
		memcpy(out, data.ptr, len);
	while (i < len && (unsigned)(p[i] << 8 | p[i + 1]) < low)
		i += 2;
	*changed_r = (i < len &&
	    (unsigned)(p[i] << 8 | p[i + 1]) == low) != add;
	*len_r = len;
	if (!*changed_r)
		return HB_OK;
	if (add) {
		memmove(p + i + 2, p + i, len - i);
		p[i] = (unsigned char)(low >> 8);
		p[i + 1] = (unsigned char)low;
		*len_r = len + 2;
	} else {
		memmove(p + i, p + i + 2, len - i - 2);
		*len_r = len - 2;
	}
	return HB_OK;
}

/* As low parts, when the form may have to change. */
static int
edit_slow(struct slice data, unsigned low, bool add, unsigned char *out,
    unsigned *len_r)
{
	uint16_t v[INDEX_CHUNK + 1];
	struct buf b;
	unsigned n, i = 0;
	int rc;

	if ((rc = index_data_get(data, v, &n)) != HB_OK)
		return rc;
	while (i < n && v[i] < low)
		i++;
	if (add) {
		memmove(&v[i + 1], &v[i], (n - i) * sizeof(v[0]));
		v[i] = (uint16_t)low;
		n++;
	} else {
		memmove(&v[i], &v[i + 1], (n - i - 1) * sizeof(v[0]));
		n--;
	}
	buf_init(&b);
	index_data_put(&b, v, n);
	memcpy(out, b.data, b.len);
	*len_r = (unsigned)b.len;
	buf_fini(&b);
	return HB_OK;
}

/* All IDs but one are in the bitmap P. */
static bool
is_almost_full(const char *p)
{
	unsigned long long word;
	unsigned missing = 0;

	for (size_t i = 0; i < INDEX_BITMAP_LEN && missing < 2;
	    i += sizeof(word)) {
		memcpy(&word, p + i, sizeof(word));
		if (~word != 0)
			missing += (~word & (~word - 1)) == 0 ? 1 : 2;
	}
	return missing == 1;
}

static int
edit_bitmap(struct slice data, unsigned low, bool add, unsigned char *out,
    unsigned *len_r, bool *changed_r)
{
	unsigned char bit = (unsigned char)(1 << low % 8);
	bool has = ((unsigned char)data.ptr[low / 8] & bit) != 0;

	*changed_r = has != add;
	if (*changed_r && (add ? is_almost_full(data.ptr) :
	    index_data_count(data) <= INDEX_ARRAY_MAX + 1))
		return edit_slow(data, low, add, out, len_r);
	memcpy(out, data.ptr, INDEX_BITMAP_LEN);
	if (*changed_r)
		out[low / 8] ^= bit;
	*len_r = INDEX_BITMAP_LEN;
	return HB_OK;
}

int
index_data_edit(struct slice data, unsigned low, bool add,
    unsigned char *out, unsigned *len_r, bool *changed_r)
{
	if (data.len == 1) {
		*changed_r = !add;
		*len_r = 1;
		out[0] = FULL;
		return add ? HB_OK : edit_slow(data, low, add, out, len_r);
	}
	if (data.len == INDEX_BITMAP_LEN)
		return edit_bitmap(data, low, add, out, len_r, changed_r);
	if (data.len % 2 != 0 || data.len > 2 * INDEX_ARRAY_MAX)
		return HB_ECORRUPT;
	if (data.len < 2 * INDEX_ARRAY_MAX || !add)
		return edit_array(data, low, add, out, len_r, changed_r);
	edit_array(data, low, add, out, len_r, changed_r);
	return *changed_r ? edit_slow(data, low, add, out, len_r) : HB_OK;
}
