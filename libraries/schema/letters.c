/*
 * Letters of Latin, Greek, Cyrillic, Japanese, Chinese and Korean text that
 * preparation maps to one letter, whatever stands beside them. Most text is
 * made of these and of ASCII, and need not be taken through Unicode's tables.
 */
#include <pthread.h>

#include "schema_int.h"

#define FIRST	0xc0
#define LAST	0x52f		/* two octets of UTF-8 up to here */

/* What [FOLD][code - FIRST] becomes; 0: not as simple as that. */
static uint16_t mapped[2][LAST - FIRST + 1];
static pthread_once_t mapped_once = PTHREAD_ONCE_INIT;

static uint16_t
two_octets(struct slice s)
{
	const unsigned char *p = (const unsigned char *)s.ptr;

	if (s.len != 2 || (p[0] & 0xe0) != 0xc0)
		return 0;
	return (uint16_t)((p[0] & 0x1f) << 6 | (p[1] & 0x3f));
}

static void
build_map(void)
{
	struct slice norm;
	struct arena arena;
	char text[2];
	unsigned code;
	int fold;

	arena_init(&arena, 0);
	for (code = FIRST; code <= LAST; code++) {
		/* combining marks depend on what stands before them */
		if ((code >= 0x300 && code <= 0x36f) ||
		    (code >= 0x483 && code <= 0x489))
			continue;
		text[0] = (char)(0xc0 | code >> 6);
		text[1] = (char)(0x80 | (code & 0x3f));
		for (fold = 0; fold < 2; fold++)
			if (prepare_by_tables(&arena, slice(text, 2), fold,
			    &norm) == HB_OK)
				mapped[fold][code - FIRST] = two_octets(norm);
		arena_reset(&arena);
	}
	arena_fini(&arena);
}

/* Kana without the voice marks, ideographs (all assigned), Hangul: no case. */
static bool
is_plain_wide(unsigned code)
{
	return (code >= 0x3041 && code <= 0x3096) ||
	    (code >= 0x30a1 && code <= 0x30fa) ||
	    (code >= 0x4e00 && code <= 0x9fa5) ||
	    (code >= 0xac00 && code <= 0xd7a3);
}

/* One character of two or three octets at P; its length, or 0. */
static size_t
map_letter(const unsigned char *p, size_t n, bool fold, char *out)
{
	unsigned code;

	if (n >= 2 && (p[0] & 0xe0) == 0xc0 && (p[1] & 0xc0) == 0x80) {
		code = (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);
		if (code < FIRST || code > LAST)
			return 0;
		code = mapped[fold][code - FIRST];
		if (code == 0)
			return 0;
		out[0] = (char)(0xc0 | code >> 6);
		out[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	if (n < 3 || (p[0] & 0xf0) != 0xe0 || (p[1] & 0xc0) != 0x80 ||
	    (p[2] & 0xc0) != 0x80)
		return 0;
	code = (p[0] & 0xfu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
	if (!is_plain_wide(code))
		return 0;
	memcpy(out, p, 3);
	return 3;
}

bool
prepare_letters(struct slice s, bool fold, char *out)
{
	const unsigned char *p = (const unsigned char *)s.ptr;
	size_t i = 0, n;

	pthread_once(&mapped_once, build_map);
	while (i < s.len) {
		if (p[i] >= 0x80) {
			n = map_letter(p + i, s.len - i, fold, out + i);
			if (n == 0)
				return false;
			i += n;
			continue;
		}
		if (p[i] < 0x20 || p[i] == 0x7f)
			return false;
		out[i] = (char)(fold && p[i] >= 'A' && p[i] <= 'Z' ?
		    p[i] + 32 : p[i]);
		i++;
	}
	return true;
}
