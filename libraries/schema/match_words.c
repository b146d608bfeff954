/*
 * wordMatch, keywordMatch (RFC 4517 4.2.32, 4.2.21) and storedPrefixMatch
 * (RFC 3698 2.3). A word is what schema_next_word() takes for one; a keyword
 * is one word or several in a row. The stored value is prepared here, since
 * the attribute's own rule may heed case.
 */
#include "schema_int.h"

/* Does RUN begin with the words of ASSERTED? */
static bool
begins_with_words(struct slice run, struct slice asserted)
{
	struct slice have, want;

	while (schema_next_word(&asserted, &want))
		if (!schema_next_word(&run, &have) ||
		    !slice_is_eq(have, want))
			return false;
	return true;
}

static unsigned
count_words(struct slice text)
{
	struct slice word;
	unsigned n = 0;

	while (schema_next_word(&text, &word))
		n++;
	return n;
}

static bool
has_words(struct slice text, struct slice asserted)
{
	struct slice word;

	do {
		if (begins_with_words(text, asserted))
			return true;
	} while (schema_next_word(&text, &word));
	return false;
}

static bool
is_prefix(struct slice text, struct slice asserted)
{
	return slice_has_prefix(asserted, text);
}

static bool
match_prepared(struct slice stored, struct slice asserted,
    bool (*match)(struct slice, struct slice))
{
	struct arena arena;
	struct slice text;
	bool ok;

	arena_init(&arena, 0);
	ok = schema_prepare(&arena, stored, true, SUBSTR_WHOLE, &text) ==
	    HB_OK && match(text, asserted);
	arena_fini(&arena);
	return ok;
}

bool
match_word(const struct schema *schema, struct slice stored,
    struct slice asserted)
{
	(void)schema;
	return count_words(asserted) == 1 &&
	    match_prepared(stored, asserted, has_words);
}

bool
match_keyword(const struct schema *schema, struct slice stored,
    struct slice asserted)
{
	(void)schema;
	return count_words(asserted) > 0 &&
	    match_prepared(stored, asserted, has_words);
}

bool
match_prefix(const struct schema *schema, struct slice stored,
    struct slice asserted)
{
	(void)schema;
	return match_prepared(stored, asserted, is_prefix);
}
