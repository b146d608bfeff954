/*
 * Borrowed bytes: pointer and length, not terminated, const. How long they
 * stay valid is said by the contract of whoever hands them out. All inline.
 */
#ifndef UTIL_SLICE_H
#define UTIL_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct slice {
	const char *ptr;
	size_t len;
};

#define SLICE(lit)	((struct slice){ "" lit, sizeof(lit) - 1 })
#define SLICE_NONE	((struct slice){ NULL, 0 })
/* printf("%.*s", SLICE_ARG(s)) */
#define SLICE_ARG(s)	(int)(s).len, (s).ptr != NULL ? (s).ptr : ""

static inline struct slice
slice(const void *ptr, size_t len)
{
	return (struct slice){ ptr, len };
}

static inline struct slice
slice_of(const char *cstr)
{
	return (struct slice){ cstr, strlen(cstr) };
}

/* True for SLICE_NONE ("not there"), false for "" ("there and empty"). */
static inline bool
slice_is_none(struct slice s)
{
	return s.ptr == NULL;
}

static inline bool
slice_is_eq(struct slice a, struct slice b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* Equal when ASCII case is ignored; NULs are octets like any other. */
static inline bool
slice_is_eq_nocase(struct slice a, struct slice b)
{
	size_t i;

	if (a.len != b.len)
		return false;
	for (i = 0; i < a.len; i++) {
		unsigned char x = (unsigned char)a.ptr[i];
		unsigned char y = (unsigned char)b.ptr[i];

		/* differ in the case bit of a letter, or not at all */
		if (x != y && ((x ^ y) != 0x20 ||
		    (unsigned char)((x | 0x20) - 'a') > 'z' - 'a'))
			return false;
	}
	return true;
}

static inline bool
slice_has_prefix(struct slice s, struct slice prefix)
{
	return s.len >= prefix.len && (prefix.len == 0 ||
	    memcmp(s.ptr, prefix.ptr, prefix.len) == 0);
}

static inline bool
slice_has_suffix(struct slice s, struct slice suffix)
{
	return s.len >= suffix.len && (suffix.len == 0 ||
	    memcmp(s.ptr + s.len - suffix.len, suffix.ptr, suffix.len) == 0);
}

/* Octet order, a prefix before what it is a prefix of: <0, 0, >0. */
static inline int
slice_cmp(struct slice a, struct slice b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int c = n == 0 ? 0 : memcmp(a.ptr, b.ptr, n);

	return c != 0 ? c : (a.len > b.len) - (a.len < b.len);
}

/* S without its first N bytes (N <= s.len). */
static inline struct slice
slice_skip(struct slice s, size_t n)
{
	return (struct slice){ s.ptr + n, s.len - n };
}

#endif
