/*
 * Approximate matching: words are compared by how they sound. The asserted
 * words must be found among the stored ones in the same order; a single letter
 * stands for any word that begins with it. What has no words matches itself.
 */
#include "schema_int.h"

static bool
is_letter(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool
is_vowel(char c)
{
	return c != '\0' && strchr("aeiou", c) != NULL;
}

static bool
is_front(char c)
{
	return c == 'e' || c == 'i' || c == 'y';
}

/* What one letter sounds like, between its neighbours ('\0' at the ends). */
struct sound {
	const char *code;	/* "" for a silent one */
	unsigned used;		/* letters taken */
};

static struct sound
sound_c(char prev, char next, char after)
{
	if (next == 'h')
		return (struct sound){ prev == 's' || after == 'r' ? "K" :
		    "X", 2 };
	if (next == 'i' && after == 'a')
		return (struct sound){ "X", 1 };
	if (is_front(next))
		return (struct sound){ prev == 's' ? "" : "S", 1 };
	return (struct sound){ "K", next == 'k' ? 2 : 1 };
}

static struct sound
sound_g(char prev, char next, char after)
{
	if (next == 'h')
		return (struct sound){ after == '\0' || !is_vowel(after) ?
		    "" : "K", 2 };
	if (next == 'n' && (prev == '\0' || after == '\0'))
		return (struct sound){ "", 1 };
	return (struct sound){ is_front(next) && prev != 'g' ? "J" : "K", 1 };
}

static struct sound
sound_s(char next, char after)
{
	if (next == 'h')
		return (struct sound){ "X", 2 };
	if (next == 'c' && after == 'h')
		return (struct sound){ "X", 3 };
	if (next == 'i' && (after == 'o' || after == 'a'))
		return (struct sound){ "X", 1 };
	return (struct sound){ "S", 1 };
}

static struct sound
sound_t(char next, char after)
{
	if (next == 'h')
		return (struct sound){ "0", 2 };
	if (next == 'i' && (after == 'o' || after == 'a'))
		return (struct sound){ "X", 1 };
	return (struct sound){ next == 'c' && after == 'h' ? "" : "T", 1 };
}

/* Letters that sound the same wherever they stand. */
static const char *const steady_sounds[26] = {
	['b' - 'a'] = "B", ['f' - 'a'] = "F", ['j' - 'a'] = "J",
	['l' - 'a'] = "L", ['m' - 'a'] = "M", ['n' - 'a'] = "N",
	['q' - 'a'] = "K", ['r' - 'a'] = "R", ['v' - 'a'] = "F",
	['z' - 'a'] = "S"
};

static struct sound
sound_plain(char c, char prev, char next)
{
	const char *steady = steady_sounds[c - 'a'];

	switch (c) {
	case 'd':
		return (struct sound){ next == 'g' ? "" : "T", 1 };
	case 'h':
		return (struct sound){ is_vowel(next) ? "H" : "", 1 };
	case 'k':
		return (struct sound){ prev == '\0' && next == 'n' ? "" :
		    "K", 1 };
	case 'p':
		return (struct sound){ next == 'h' ? "F" : "P",
		    next == 'h' ? 2 : 1 };
	case 'w':
		return (struct sound){ is_vowel(next) ? "W" : "", 1 };
	case 'x':
		return (struct sound){ prev == '\0' ? "S" : "KS", 1 };
	case 'y':
		return (struct sound){ is_vowel(next) ? "Y" : "", 1 };
	default:
		return (struct sound){ steady != NULL ? steady : "", 1 };
	}
}

static struct sound
sound_of(const char *w, size_t n, size_t i)
{
	char prev = i > 0 ? w[i - 1] : '\0';
	char next = i + 1 < n ? w[i + 1] : '\0';
	char after = i + 2 < n ? w[i + 2] : '\0';

	if (is_vowel(w[i]))
		return (struct sound){ i == 0 ? "A" : "", 1 };
	switch (w[i]) {
	case 'c':
		return sound_c(prev, next, after);
	case 'g':
		return sound_g(prev, next, after);
	case 's':
		return sound_s(next, after);
	case 't':
		return sound_t(next, after);
	default:
		return sound_plain(w[i], prev, next);
	}
}

/*
 * Letters of WORD in lower case with doubled ones dropped; anything else than
 * an ASCII letter stands as it is, so names beyond ASCII match themselves.
 */
static size_t
letters(struct slice word, char *out, size_t size)
{
	size_t i, n = 0;
	char c;

	for (i = 0; i < word.len && n < size; i++) {
		c = word.ptr[i];
		if (c >= 'A' && c <= 'Z')
			c = (char)(c + 32);
		if (n == 0 || out[n - 1] != c || !is_letter(c))
			out[n++] = c;
	}
	return n;
}

size_t
schema_phonetic(struct slice word, char out[SCHEMA_PHONETIC_LEN])
{
	char w[64];
	size_t n = letters(word, w, sizeof(w)), i = 0, o = 0;
	struct sound s;
	const char *p;

	while (i < n && o < SCHEMA_PHONETIC_LEN) {
		if (!is_letter(w[i])) {
			out[o++] = w[i++];
			continue;
		}
		s = sound_of(w, n, i);
		for (p = s.code; *p != '\0' && o < SCHEMA_PHONETIC_LEN; p++)
			out[o++] = *p;
		i += s.used;
	}
	return o;
}

/* A word ends at a blank or punctuation; letters beyond ASCII belong to it. */
static bool
is_separator(char c)
{
	return (unsigned char)c < 0x80 && !is_letter(c) &&
	    !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9');
}

bool
schema_next_word(struct slice *text, struct slice *word_r)
{
	struct slice s = *text;
	size_t n = 0;

	while (s.len > 0 && is_separator(s.ptr[0]))
		s = slice_skip(s, 1);
	while (n < s.len && !is_separator(s.ptr[n]))
		n++;
	*word_r = slice(s.ptr, n);
	*text = slice_skip(s, n);
	return n > 0;
}

static bool
sounds_like(struct slice stored, struct slice asserted)
{
	char a[SCHEMA_PHONETIC_LEN], b[SCHEMA_PHONETIC_LEN];
	size_t na, nb;

	if (asserted.len == 1)
		return (stored.ptr[0] | 32) == (asserted.ptr[0] | 32);
	na = schema_phonetic(asserted, a);
	nb = schema_phonetic(stored, b);
	if (na == 0 || nb == 0)
		return slice_is_eq_nocase(stored, asserted);
	return na == nb && memcmp(a, b, na) == 0;
}

bool
match_approx(const struct schema *schema, struct slice stored,
    struct slice asserted)
{
	struct slice have, want, rest = stored, all = asserted;
	bool any = false;

	(void)schema;
	while (schema_next_word(&asserted, &want)) {
		any = true;
		do {
			if (!schema_next_word(&rest, &have))
				return false;
		} while (!sounds_like(have, want));
	}
	return any || slice_is_eq(stored, all);
}
