/* Numbers, base64, UTF-8, nearest words, times: see util/text.h. */
#include "util/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"

int
text_to_int(struct slice s, int64_t *v_r)
{
	char text[32], *end;
	long long v;

	if (s.len == 0 || s.len >= sizeof(text) ||
	    memchr(s.ptr, '\0', s.len) != NULL ||
	    !(s.ptr[0] == '-' || s.ptr[0] == '+' ||
	    (s.ptr[0] >= '0' && s.ptr[0] <= '9')))
		return HB_EINVAL;
	memcpy(text, s.ptr, s.len);
	text[s.len] = '\0';
	errno = 0;
	v = strtoll(text, &end, 0);
	if (*end != '\0' || end == text)
		return HB_EINVAL;
	if (errno == ERANGE)
		return HB_ERANGE;
	*v_r = v;
	return HB_OK;
}

int
text_to_uint(struct slice s, uint64_t *v_r)
{
	uint64_t v = 0;
	size_t i;

	if (s.len == 0)
		return HB_EINVAL;
	for (i = 0; i < s.len; i++) {
		unsigned d = (unsigned char)s.ptr[i] - (unsigned)'0';

		if (d > 9)
			return HB_EINVAL;
		if (v > (UINT64_MAX - d) / 10)
			return HB_ERANGE;
		v = v * 10 + d;
	}
	*v_r = v;
	return HB_OK;
}

int
text_to_size(struct slice s, uint64_t *v_r)
{
	static const char units[] = "kmgt";
	const char *unit;
	unsigned shift = 0;
	uint64_t v;
	int rc;

	if (s.len > 1 && s.ptr[s.len - 1] != '\0' &&
	    (unit = strchr(units, s.ptr[s.len - 1] | 0x20)) != NULL) {
		shift = 10 * (unsigned)(unit - units + 1);
		s.len--;
	}
	if ((rc = text_to_uint(s, &v)) != HB_OK)
		return rc;
	if (shift > 0 && v > UINT64_MAX >> shift)
		return HB_ERANGE;
	*v_r = v << shift;
	return HB_OK;
}

static const char base64_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void
text_base64_encode(struct buf *out, struct slice in)
{
	const unsigned char *p = (const unsigned char *)in.ptr;
	size_t n = in.len;
	char *o;

	buf_reserve(out, (n + 2) / 3 * 4);
	o = out->data + out->len;
	for (; n >= 3; n -= 3, p += 3) {
		*o++ = base64_digits[p[0] >> 2];
		*o++ = base64_digits[(p[0] & 3) << 4 | p[1] >> 4];
		*o++ = base64_digits[(p[1] & 15) << 2 | p[2] >> 6];
		*o++ = base64_digits[p[2] & 63];
	}
	if (n > 0) {
		unsigned second = n > 1 ? p[1] : 0;

		*o++ = base64_digits[p[0] >> 2];
		*o++ = base64_digits[(p[0] & 3) << 4 | second >> 4];
		*o++ = n > 1 ? base64_digits[(second & 15) << 2] : '=';
		*o++ = '=';
	}
	out->len = (size_t)(o - out->data);
}

static int
base64_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Four digits to VALUE; false if one is none. */
static bool
base64_quad(const char *p, unsigned ndigits, uint32_t *value)
{
	unsigned i;
	int d;

	*value = 0;
	for (i = 0; i < 4; i++) {
		d = i < ndigits ? base64_value(p[i]) : 0;
		if (d < 0)
			return false;
		*value = *value << 6 | (uint32_t)d;
	}
	return true;
}

int
text_base64_decode(struct buf *out, struct slice in)
{
	size_t i, start = out->len;
	uint32_t v;

	if (in.len % 4 != 0)
		return HB_EINVAL;
	buf_reserve(out, in.len / 4 * 3);
	for (i = 0; i < in.len; i += 4) {
		const char *p = in.ptr + i;
		unsigned nd = 4;

		if (i + 4 == in.len && p[3] == '=')
			nd = p[2] == '=' ? 2 : 3;
		/* bits beyond the last octet must be 0: one encoding a value */
		if (!base64_quad(p, nd, &v) ||
		    (nd == 2 && (v & 0xffff) != 0) ||
		    (nd == 3 && (v & 0xff) != 0)) {
			out->len = start;
			return HB_EINVAL;
		}
		buf_put_char(out, (char)(v >> 16));
		if (nd > 2)
			buf_put_char(out, (char)(v >> 8));
		if (nd > 3)
			buf_put_char(out, (char)v);
	}
	return HB_OK;
}

int
text_hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool
text_is_ascii(struct slice s)
{
	size_t i = 0;
	uint64_t w;

	for (; i + 8 <= s.len; i += 8) {
		memcpy(&w, s.ptr + i, 8);
		if ((w & 0x8080808080808080ULL) != 0)
			return false;
	}
	for (; i < s.len; i++) {
		if ((unsigned char)s.ptr[i] >= 0x80)
			return false;
	}
	return true;
}

/* Length of the well-formed multi-octet sequence at P (RFC 3629 4); 0: none. */
static size_t
utf8_sequence(const unsigned char *p, size_t left)
{
	unsigned char c = p[0], lo = 0x80, hi = 0xbf;
	size_t n, i;

	if (c < 0xc2 || c > 0xf4)
		return 0;
	n = c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
	if (n > left)
		return 0;
	if (c == 0xe0)
		lo = 0xa0;
	else if (c == 0xed)
		hi = 0x9f;
	else if (c == 0xf0)
		lo = 0x90;
	else if (c == 0xf4)
		hi = 0x8f;
	if (p[1] < lo || p[1] > hi)
		return 0;
	for (i = 2; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	}
	return n;
}

bool
text_is_utf8(struct slice s)
{
	const unsigned char *p = (const unsigned char *)s.ptr;
	size_t i = 0, n;

	if (text_is_ascii(s))
		return true;
	while (i < s.len) {
		if (p[i] < 0x80) {
			i++;
			continue;
		}
		if ((n = utf8_sequence(p + i, s.len - i)) == 0)
			return false;
		i += n;
	}
	return true;
}

void
text_tolower(char *p, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (p[i] >= 'A' && p[i] <= 'Z')
			p[i] |= 0x20;
	}
}

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

#define WORD_MAX	63

static unsigned
min3(unsigned a, unsigned b, unsigned c)
{
	unsigned m = a < b ? a : b;

	return m < c ? m : c;
}

/* Insertions, deletions, changes and swaps that turn A into B, case ignored. */
static unsigned
distance(struct slice a, struct slice b)
{
	unsigned rows[3][WORD_MAX + 1];
	unsigned *prev2 = rows[0], *prev = rows[1], *cur = rows[2], *t;
	size_t i, j;

	for (j = 0; j <= b.len; j++)
		prev[j] = (unsigned)j;
	for (i = 1; i <= a.len; i++) {
		cur[0] = (unsigned)i;
		for (j = 1; j <= b.len; j++) {
			char x = lower(a.ptr[i - 1]), y = lower(b.ptr[j - 1]);

			cur[j] = min3(prev[j] + 1, cur[j - 1] + 1,
			    prev[j - 1] + (x != y));
			if (i > 1 && j > 1 && x == lower(b.ptr[j - 2]) &&
			    y == lower(a.ptr[i - 2]) &&
			    prev2[j - 2] + 1 < cur[j])
				cur[j] = prev2[j - 2] + 1;
		}
		t = prev2;
		prev2 = prev;
		prev = cur;
		cur = t;
	}
	return prev[b.len];
}

const char *
text_nearest(struct slice text, const char *const *words, size_t n)
{
	unsigned best = (unsigned)(text.len / 3) + 1, d;
	const char *found = NULL;
	size_t i;

	if (text.len == 0 || text.len > WORD_MAX)
		return NULL;
	for (i = 0; i < n; i++) {
		struct slice w = slice_of(words[i]);

		if (w.len > WORD_MAX || w.len > text.len + best ||
		    text.len > w.len + best)
			continue;
		d = distance(text, w);
		if (d < best || (d == best && found == NULL)) {
			best = d;
			found = words[i];
		}
	}
	return found;
}

void
text_gentime(time_t t, char out[16])
{
	struct tm tm;

	if (gmtime_r(&t, &tm) == NULL ||
	    strftime(out, 16, "%Y%m%d%H%M%SZ", &tm) != 15)
		memcpy(out, "99991231235959Z", 16);
}

static int64_t
clock_us(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

int64_t
time_mono_us(void)
{
	return clock_us(CLOCK_MONOTONIC);
}

int64_t
time_wall_us(void)
{
	return clock_us(CLOCK_REALTIME);
}
