/*
 * slapd.conf text into lines, lines into a table that has every kind of row.
 */
#include <stddef.h>
#include <stdint.h>

#include "cfg.h"
#include "util/err.h"
#include "util/lock.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct fuzzed {
	bool b;
	int i;
	unsigned u, flags;
	uint64_t size;
	char *s;
	struct cfg_words words;
	int e;
};

static const struct cfg_word words[] = {
	{ "read", 1 }, { "write", 2 }, { NULL, 0 }
};

static const struct cfg_item table[] = {
	CFG_BOOL(struct fuzzed, b, "readonly", "off", 0, CFG_HOT, ""),
	CFG_INT(struct fuzzed, i, "loglevel", -9, 9, "1", 0, CFG_HOT, "n", ""),
	CFG_UINT(struct fuzzed, u, "threads", 2, 99, "2", 0, CFG_HOT, "n", ""),
	CFG_SIZE(struct fuzzed, size, "memory", 0, INT64_MAX, "1k", 0, CFG_HOT,
	    "n", ""),
	CFG_STR(struct fuzzed, s, "suffix", NULL, 0, CFG_HOT, "<dn>", ""),
	CFG_WORDS(struct fuzzed, words, "index", 0, CFG_HOT, "...", ""),
	CFG_ENUM(struct fuzzed, e, "policy", words, "read", 0, CFG_HOT, "w", ""),
	CFG_FLAGS(struct fuzzed, flags, "restrict", words, NULL, CFG_PREFIX,
	    CFG_HOT, "w", ""),
	CFG_OBSOLETE("replica", NULL),
	CFG_UNSUPPORTED("overlay", NULL),
	CFG_END
};

static bool
is_raw(const char *word)
{
	return strcasecmp(word, "attributetype") == 0;
}

static int
apply(const struct cfg_line *line, void *arg, struct diag *diag)
{
	const struct cfg_item *i = cfg_find(table, line->words[0]);
	const struct cfg_item *const tables[] = { table };

	hb_assert(line->nwords > 0 && line->words[line->nwords] == NULL);
	(void)diag;
	if (i == NULL)
		(void)cfg_nearest(tables, 1, line->words[0]);
	else if (cfg_apply(i, arg, line, NULL, NULL) == HB_OK)
		hb_assert(strlen(line->raw) >= strlen(line->rest));
	return HB_OK;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzzed f = { 0 };
	struct diag diag = DIAG_INIT;

	cfg_defaults(table, &f);
	(void)cfg_read_memory(slice(data, size), "fuzz", is_raw, apply, &f,
	    &diag);
	cfg_fini(table, &f);
	return 0;
}
