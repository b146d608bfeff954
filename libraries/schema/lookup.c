/*
 * Attribute types by name. Nearly all names that clients send are short
 * ("uid", "2.5.4.3"), so from the freeze on names of up to eight octets stand
 * in a table of their own: one word is folded, hashed and compared at once.
 */
#include <endian.h>

#include "schema_int.h"

struct short_name {
	uint64_t word;			/* 0: free */
	const struct attr_type *type;
};

struct short_names {
	unsigned shift;			/* 64 - log2 of the number of slots */
	struct short_name slots[];
};

#define SHORT_MAX	8

static inline uint64_t
load4(const char *p)
{
	uint32_t w;

	memcpy(&w, p, sizeof(w));
	return le32toh(w);
}

/* ASCII letters of W in lower case; other octets as they are. */
static inline uint64_t
fold_word(uint64_t w)
{
	const uint64_t ones = 0x0101010101010101ULL;
	uint64_t low = w & 0x7f * ones;
	uint64_t from_a = low + (0x80 - 'A') * ones;
	uint64_t past_z = low + (0x7f - 'Z') * ones;

	return w | (from_a & ~past_z & ~w & 0x80 * ones) >> 2;
}

/*
 * The 1..8 octets of S in lower case. Different names are different words, as
 * a name holds no NUL; S that does may make any word, so its last octet, where
 * the padding of a shorter name is, must be none.
 */
static inline uint64_t
word_of(struct slice s)
{
	const char *p = s.ptr, *end = s.ptr + s.len;
	uint64_t w;

	if (s.len >= 4)
		w = load4(p) | load4(end - 4) << 8 * (s.len - 4);
	else
		w = (uint64_t)(uint8_t)p[0] |
		    (uint64_t)(uint8_t)p[s.len / 2] << 8 * (s.len / 2) |
		    (uint64_t)(uint8_t)end[-1] << 8 * (s.len - 1);
	return end[-1] == '\0' ? 0 : fold_word(w);
}

static inline size_t
slot_of(const struct short_names *t, uint64_t word)
{
	return (size_t)(word * 0x9e3779b97f4a7c15ULL >> t->shift);
}

/* Slot of WORD, or the free one where it belongs. */
static inline const struct short_name *
find_short(const struct short_names *t, uint64_t word)
{
	size_t i = slot_of(t, word), mask = ((size_t)1 << (64 - t->shift)) - 1;

	while (t->slots[i].word != word && t->slots[i].word != 0)
		i = (i + 1) & mask;
	return &t->slots[i];
}

static void
add_short(struct slice name, void *value, void *arg)
{
	struct short_names *t = arg;
	struct short_name *slot;
	uint64_t word;

	if (name.len == 0 || name.len > SHORT_MAX)
		return;
	word = word_of(name);
	slot = (struct short_name *)(uintptr_t)find_short(t, word);
	slot->word = word;
	slot->type = value;
}

void
types_freeze(struct schema *schema)
{
	size_t names = strmap_count(schema->types);
	unsigned bits = 4;

	while (((size_t)1 << bits) < 2 * names)
		bits++;
	schema->short_types = arena_zalloc(&schema->arena,
	    sizeof(*schema->short_types) +
	    ((size_t)1 << bits) * sizeof(*schema->short_types->slots));
	schema->short_types->shift = 64 - bits;
	strmap_each(schema->types, add_short, schema->short_types);
}

const struct attr_type *
schema_find_type(const struct schema *schema, struct slice text)
{
	uint64_t word;

	if (schema->short_types == NULL || text.len == 0 ||
	    text.len > SHORT_MAX)
		return strmap_find(schema->types, text);
	word = word_of(text);
	return word == 0 ? NULL : find_short(schema->short_types, word)->type;
}
