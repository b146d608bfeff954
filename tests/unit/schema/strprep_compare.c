/*
 * Prepares what rfc4518.py sends, a line each: 'f' (fold) or 'e', the
 * part 'w', 'i', 'a' or 'n' (whole, initial, any, final), the text in hex.
 * Prints RFC 4518's form of it in hex, '-' for one that is refused, and '!'
 * where a prepared string does not prepare to itself.
 */
#include <stdio.h>
#include <string.h>

#include "schema.h"
#include "util/text.h"

static size_t
from_hex(const char *hex, char *out)
{
	size_t n = 0;

	while (text_hex_value(hex[0]) >= 0 && text_hex_value(hex[1]) >= 0) {
		out[n++] = (char)(text_hex_value(hex[0]) << 4 |
		    text_hex_value(hex[1]));
		hex += 2;
	}
	return n;
}

static void
answer(struct arena *arena, bool fold, enum substr_part part,
    struct slice text)
{
	const struct matching_rule *rule = schema_find_rule(NULL,
	    SLICE("caseIgnoreMatch"));
	struct slice prepared, again;
	struct buf framed;
	size_t i;

	if (schema_prepare(arena, text, fold, part, &prepared) != HB_OK) {
		puts("-");
		return;
	}
	if (schema_prepare(arena, prepared, fold, part, &again) != HB_OK ||
	    !slice_is_eq(prepared, again))
		putchar('!');
	buf_init(&framed);
	schema_frame(rule, part, prepared, &framed);
	for (i = 0; i < framed.len; i++)
		printf("%02x", (unsigned char)framed.data[i]);
	putchar('\n');
	buf_fini(&framed);
}

int
main(void)
{
	static const char parts[] = "wian";
	char line[4096], text[2048];
	struct arena arena;
	const char *part;

	arena_init(&arena, 0);
	while (fgets(line, sizeof(line), stdin) != NULL) {
		if (strlen(line) < 2 ||
		    (part = strchr(parts, line[1])) == NULL)
			return 1;
		answer(&arena, line[0] == 'f',
		    (enum substr_part)(part - parts),
		    slice(text, from_hex(line + 2, text)));
		arena_reset(&arena);
	}
	arena_fini(&arena);
	return 0;
}
