/*
 * Octets of a block (drawn in entry.h). Private to this folder.
 */
#ifndef BLOCK_H
#define BLOCK_H

#include <stdint.h>
#include <string.h>

#include "util/slice.h"

enum {
	BLOCK_VERSION = 1,
	BLOCK_HEAD = 24,
	BLOCK_ROW = 16,
	BLOCK_ATTRS_MAX = 65535
};

/* Places in the head. */
enum {
	BLOCK_AT_NATTRS = 2, BLOCK_AT_LENGTH = 4, BLOCK_AT_WIRE = 8,
	BLOCK_AT_OPERATIONAL = 12, BLOCK_AT_END = 16
};
/* Places in a row. */
enum {
	ROW_AT_NUM = 0, ROW_AT_WIRE = 4, ROW_AT_NORM = 8, ROW_AT_NVALUES = 12
};

static inline uint32_t
block_u32(const char *p)
{
	const uint8_t *b = (const uint8_t *)p;

	return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
	    (uint32_t)b[3] << 24;
}

static inline void
block_put_u32(char *p, size_t v)
{
	p[0] = (char)v;
	p[1] = (char)(v >> 8);
	p[2] = (char)(v >> 16);
	p[3] = (char)(v >> 24);
}

static inline unsigned
block_nattrs(const char *block)
{
	return (uint8_t)block[BLOCK_AT_NATTRS] |
	    (unsigned)(uint8_t)block[BLOCK_AT_NATTRS + 1] << 8;
}

static inline const char *
block_row(const char *block, unsigned i)
{
	return block + BLOCK_HEAD + (size_t)i * BLOCK_ROW;
}

/* Contents of the element at P, which was checked or written by us. */
static inline struct slice
tlv_contents(const char *p)
{
	const uint8_t *b = (const uint8_t *)p;
	size_t len = b[1];
	unsigned k, i;

	if (len < 0x80)
		return slice(p + 2, len);
	k = len & 0x7f;
	for (len = 0, i = 0; i < k; i++)
		len = len << 8 | b[2 + i];
	return slice(p + 2 + k, len);
}

static inline const char *
tlv_end(const char *p)
{
	struct slice s = tlv_contents(p);

	return s.ptr + s.len;
}

#endif
