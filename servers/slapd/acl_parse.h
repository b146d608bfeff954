/*
 * One `access` line while it is parsed. Between acl_parse.c, acl_parse_by.c
 * and acl_word.c; memory is the list's arena.
 */
#ifndef SLAPD_ACL_PARSE_H
#define SLAPD_ACL_PARSE_H

#include "acl_int.h"

struct acl_parser {
	struct acl_list *list;
	struct schema *schema;
	const struct cfg_line *line;
	unsigned i;			/* current word */
	struct acl_rule *rule;
	bool set_expands;		/* the set being read: $n is replaced */
	struct diag *diag;
};

/* Compiled patterns of a list, to be freed with it. */
struct acl_regex {
	regex_t *re;
	struct acl_regex *next;
};

/* "name.style,mod=value" */
struct acl_clause {
	struct slice name;		/* up to '.', ',' or '=' */
	struct slice style;		/* after '.', NONE */
	struct slice mod;		/* after ',', NONE */
	const char *value;		/* after '=', NULL */
};

/* ---- acl_word.c ---- */

void *acl_alloc(struct acl_parser *, size_t n);	/* zeroed */
/* The current word; NULL at the end of the line. */
const char *acl_word_at(const struct acl_parser *);
/* Words FIRST .. END - 1 with blanks between. */
const char *acl_join_words(const struct acl_parser *, unsigned first,
    unsigned end);
void acl_split_clause(const char *word, struct acl_clause *);
bool acl_is_named(const struct acl_clause *, const char *name);
/* "level{-1}" */
bool acl_parse_level_style(struct slice, int *level_r);
/* Style (default exact) and modifier. HB_EINVAL. */
int acl_style_of(struct acl_parser *, const struct acl_clause *,
    enum acl_style *style_r, int *level_r);
/* A pattern that the list frees. */
int acl_compile(struct acl_parser *, const char *pattern, regex_t **re_r);
/* Will PATTERN, which has $n in it, be an expression once it is expanded? */
int acl_check_pattern(struct acl_parser *, const char *pattern);
/* A DN pattern without the blanks after its commas. */
char *acl_squeeze_pattern(struct acl_parser *, const char *text);
int acl_parse_dn(struct acl_parser *, const char *text, struct dn *dn_r);
bool acl_has_dn_values(const struct attr_desc *);
/* "*", ".*": matches whatever it is held against. */
bool acl_is_any_pattern(const char *text);

/* ---- acl_parse_by.c ---- */

/* From the word "by" on, up to the next one or the end. */
int acl_parse_by(struct acl_parser *, struct acl_by *);

#endif
