/*
 * integerBitAndMatch and integerBitOrMatch: integers of any sign and length as
 * two's complement, whose sign goes on for ever.
 */
#include "schema_int.h"

/* To convert longer ones costs their square; nobody has so many flags. */
#define DIGITS_MAX	10000

struct bits {
	uint32_t *words;	/* of the magnitude, the least one first */
	size_t n;
	bool negative;
};

/* words = words * BY + ADD */
static void
multiply_add(struct bits *b, uint32_t by, uint32_t add)
{
	uint64_t carry = add;
	size_t i;

	for (i = 0; i < b->n; i++) {
		carry += (uint64_t)b->words[i] * by;
		b->words[i] = (uint32_t)carry;
		carry >>= 32;
	}
	if (carry != 0)
		b->words[b->n++] = (uint32_t)carry;
}

static bool
read_bits(struct arena *arena, struct slice s, struct bits *b)
{
	size_t i;

	*b = (struct bits){ NULL, 0, s.len > 0 && s.ptr[0] == '-' };
	if (b->negative)
		s = slice_skip(s, 1);
	if (s.len > DIGITS_MAX)
		return false;
	b->words = arena_calloc(arena, s.len / 9 + 2, sizeof(*b->words));
	if (b->words == NULL)
		return false;
	for (i = 0; i < s.len; i++)
		multiply_add(b, 10, (uint32_t)(s.ptr[i] - '0'));
	/* -v is the complement of v - 1 */
	for (i = 0; b->negative && i < b->n; i++)
		if (b->words[i]-- != 0)
			break;
	return true;
}

static uint32_t
word_at(const struct bits *b, size_t i)
{
	uint32_t word = i < b->n ? b->words[i] : 0;

	return b->negative ? ~word : word;
}

static bool
match_bits(struct slice stored, struct slice asserted, bool all)
{
	struct bits v, mask;
	struct arena arena;
	bool match = false;
	uint32_t common;
	size_t i, n;

	arena_init(&arena, 0);
	if (!read_bits(&arena, stored, &v) ||
	    !read_bits(&arena, asserted, &mask))
		goto out;
	n = (v.n > mask.n ? v.n : mask.n) + 1;
	match = all;
	for (i = 0; i < n && match == all; i++) {
		common = word_at(&v, i) & word_at(&mask, i);
		match = all ? common == word_at(&mask, i) : common != 0;
	}
out:
	arena_fini(&arena);
	return match;
}

bool
match_bit_and(const struct schema *schema, struct slice stored,
    struct slice asserted)
{
	(void)schema;
	return match_bits(stored, asserted, true);
}

bool
match_bit_or(const struct schema *schema, struct slice stored,
    struct slice asserted)
{
	(void)schema;
	return match_bits(stored, asserted, false);
}
