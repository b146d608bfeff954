/*
 * Configuration: slapd.conf text into words (quoting, continuation, include),
 * words into typed fields by tables of rows. The same rows serve the parser,
 * slaptest, the manual pages and later cn=config. Knows no directive itself.
 */
#ifndef CFG_H
#define CFG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/buf.h"
#include "util/diag.h"
#include "util/slice.h"

/* One logical line. All of it lives until the callback returns. */
struct cfg_line {
	const char *file;		/* lives as long as the process */
	unsigned line;			/* last physical line of it */
	unsigned nwords;		/* words[0] is the keyword */
	char **words;			/* terminated, unquoted; [nwords] is NULL */
	const char *raw;		/* folded text, quotes kept */
	const char *rest;		/* raw after the keyword and blanks */
};

enum cfg_type {
	CFG_T_BOOL,	/* bool; on/off true/false yes/no, bare word: on */
	CFG_T_INT,	/* int, min..max */
	CFG_T_UINT,	/* unsigned, min..max */
	CFG_T_SIZE,	/* uint64_t, suffix k m g */
	CFG_T_STR,	/* char *, heap */
	CFG_T_WORDS,	/* struct cfg_words: all arguments, appended over lines */
	CFG_T_ENUM,	/* int: value of a struct cfg_word */
	CFG_T_FLAGS,	/* unsigned: values of several struct cfg_word ORed */
	CFG_T_CALL,	/* parse() does it */
	CFG_T_OBSOLETE,	/* accepted, logged once a line as obsolete and ignored */
	CFG_T_UNSUPPORTED, /* known to slapd users, refused: "not supported yet" */
	CFG_T_END
};

/* What a reload must do when the value changed. */
enum cfg_effect { CFG_HOT, CFG_REINDEX, CFG_RESTART };

enum cfg_item_flags {
	CFG_PREFIX = 1,		/* keyword matches any word that begins with it */
	CFG_SECRET = 2,		/* shown as *** */
	CFG_ONCE = 4,		/* a second line is an error; for STR and WORDS */
	CFG_RAW = 8,		/* parse() reads rest: words are not split, quotes not checked */
	CFG_BEFORE_DB = 16,	/* must precede every database */
	CFG_ALIAS = 32		/* other spelling of the row above: not in the manual */
};

struct cfg_word { const char *word; int value; };

struct cfg_words { char **v; unsigned n; };

/*
 * BASE: the struct that the table describes. CTX: who is being configured,
 * given by the caller of cfg_apply().
 */
typedef int (*cfg_parse_cb)(void *base, const struct cfg_line *, void *ctx,
    struct diag *);

struct cfg_item {
	const char *name;
	enum cfg_type type;
	size_t offset;
	int64_t min, max;		/* range; for CALL: least and most arguments (max -1: any) */
	const char *def;		/* default, parsed like input; NULL: zero */
	const struct cfg_word *words;	/* ENUM, FLAGS: ends with word NULL */
	cfg_parse_cb parse;
	unsigned flags;
	enum cfg_effect effect;
	const char *args;		/* argument text for the manual, "<dir>" */
	const char *help;		/* one or more sentences, plain text */
};

/* Rows; the field's type is checked by the compiler. */
#define CFG_FIELD(s, f, type)	(offsetof(s, f) + \
	0 * sizeof((type *)0 == &((s *)0)->f))
#define CFG_BOOL(s, f, name, def, flags, effect, help) \
	{ name, CFG_T_BOOL, CFG_FIELD(s, f, bool), 0, 1, def, NULL, NULL, \
	flags, effect, "on|off", help }
#define CFG_INT(s, f, name, min, max, def, flags, effect, args, help) \
	{ name, CFG_T_INT, CFG_FIELD(s, f, int), min, max, def, NULL, NULL, \
	flags, effect, args, help }
#define CFG_UINT(s, f, name, min, max, def, flags, effect, args, help) \
	{ name, CFG_T_UINT, CFG_FIELD(s, f, unsigned), min, max, def, NULL, \
	NULL, flags, effect, args, help }
#define CFG_SIZE(s, f, name, min, max, def, flags, effect, args, help) \
	{ name, CFG_T_SIZE, CFG_FIELD(s, f, uint64_t), min, max, def, NULL, \
	NULL, flags, effect, args, help }
#define CFG_STR(s, f, name, def, flags, effect, args, help) \
	{ name, CFG_T_STR, CFG_FIELD(s, f, char *), 0, 0, def, NULL, NULL, \
	flags, effect, args, help }
#define CFG_WORDS(s, f, name, flags, effect, args, help) \
	{ name, CFG_T_WORDS, CFG_FIELD(s, f, struct cfg_words), 1, -1, NULL, \
	NULL, NULL, flags, effect, args, help }
#define CFG_ENUM(s, f, name, words, def, flags, effect, args, help) \
	{ name, CFG_T_ENUM, CFG_FIELD(s, f, int), 0, 0, def, words, NULL, \
	flags, effect, args, help }
#define CFG_FLAGS(s, f, name, words, def, flags, effect, args, help) \
	{ name, CFG_T_FLAGS, CFG_FIELD(s, f, unsigned), 1, -1, def, words, \
	NULL, flags, effect, args, help }
#define CFG_CALL(name, fn, min, max, flags, effect, args, help) \
	{ name, CFG_T_CALL, 0, min, max, NULL, NULL, fn, flags, effect, args, \
	help }
#define CFG_OBSOLETE(name, help) \
	{ name, CFG_T_OBSOLETE, 0, 0, -1, NULL, NULL, NULL, 0, CFG_HOT, NULL, \
	help }
#define CFG_UNSUPPORTED(name, help) \
	{ name, CFG_T_UNSUPPORTED, 0, 0, -1, NULL, NULL, NULL, 0, CFG_HOT, \
	NULL, help }
#define CFG_END	{ NULL, CFG_T_END, 0, 0, 0, NULL, NULL, NULL, 0, CFG_HOT, \
	NULL, NULL }

HB_API_BEGIN

/*
 * Read FILE and what it includes; CB gets each logical line ("include" is
 * handled here). Syntax as slapd users know it: words by blanks, "" quoting
 * anywhere, \ escapes, lines that begin with a blank continue, so does a
 * trailing \, '#' in column 1 of the logical line is a comment, CR is dropped.
 * An included file that is LDIF (its first line, or its name) goes to CB as
 * the line "include", with LINE.file naming the LDIF file; so does FILE itself.
 * Stops at the first line for which CB does not return HB_OK; DIAG then has
 * file, line and text. RAW_KEYWORD (may be NULL) says for which keywords
 * quotes are not parsed. HB_EIO, HB_EINVAL.
 */
int cfg_read(const char *file, bool (*raw_keyword)(const char *word),
    int (*cb)(const struct cfg_line *, void *arg, struct diag *), void *arg,
    struct diag *);
/* The same from memory; NAME stands for the file. */
int cfg_read_memory(struct slice text, const char *name,
    bool (*raw_keyword)(const char *word),
    int (*cb)(const struct cfg_line *, void *arg, struct diag *), void *arg,
    struct diag *);

/* A copy of NAME that lives as long as the process, as cfg_line.file does. */
const char *cfg_file_name(const char *name);

/* The row for KEYWORD (case ignored; CFG_PREFIX rows by prefix); NULL. */
const struct cfg_item *cfg_find(const struct cfg_item *table,
    const char *keyword);
/* All defaults of TABLE into BASE. Defaults are asserted to parse. */
void cfg_defaults(const struct cfg_item *table, void *base);
/* Parse LINE by ITEM into BASE. HB_EINVAL, HB_ERANGE, HB_EUNSUPPORTED ... with DIAG
 * ("<sizelimit> extra cruft after <n>", "missing <dir> argument"). */
int cfg_apply(const struct cfg_item *item, void *base,
    const struct cfg_line *, void *ctx, struct diag *);
/* Free heap fields of BASE. */
void cfg_fini(const struct cfg_item *table, void *base);
/* The known keyword nearest to a misspelt one among N tables; NULL. */
const char *cfg_nearest(const struct cfg_item *const *tables, size_t n,
    const char *keyword);
/* mdoc text of TABLE's rows, for the manual pages. */
void cfg_put_mdoc(const struct cfg_item *table, struct buf *out);

HB_API_END

#endif
