/*
 * limits, sizelimit, timelimit: reading them and choosing among them.
 */
#include "limit.h"

#include <limits.h>
#include <regex.h>

#include "acl_int.h"
#include "conf.h"
#include "util/err.h"
#include "util/mem.h"
#include "util/text.h"

const struct limit_set limits_default = {
	.time_soft = 3600, .time_hard = 0, .size_soft = 500, .size_hard = 0,
	.size_unchecked = LIMIT_NONE, .page_size = 0, .page_total = 0
};

enum limit_who { WHO_ANY, WHO_ANONYMOUS, WHO_USERS, WHO_DN, WHO_GROUP };

struct limit_rule {
	enum limit_who who;
	enum acl_style style;		/* WHO_DN */
	struct dn dn;
	regex_t *regex;
	struct acl_group group;
	struct limit_set set;
	struct limit_rule *next;
};

struct limits {
	struct limit_rule *first, **last;
};

/* ---- values ---- */

/* Words that a limit may be beside a number. */
struct limit_word { const char *word; int value; };

static const struct limit_word no_words[] = {
	{ "unlimited", LIMIT_NONE }, { "none", LIMIT_NONE }, { NULL, 0 }
};
static const struct limit_word hard_words[] = {
	{ "unlimited", LIMIT_NONE }, { "none", LIMIT_NONE }, { "soft", 0 },
	{ NULL, 0 }
};
static const struct limit_word unchecked_words[] = {
	{ "unlimited", LIMIT_NONE }, { "none", LIMIT_NONE },
	{ "disabled", 0 }, { NULL, 0 }
};
static const struct limit_word page_words[] = {
	{ "unlimited", LIMIT_NONE }, { "none", LIMIT_NONE },
	{ "disabled", LIMIT_PAGE_DISABLED }, { "hard", 0 }, { NULL, 0 }
};

#define F(field)	offsetof(struct limit_set, field)

static const struct limit_row {
	const char *name;
	enum limit_dimension dimension;
	size_t offset;
	const struct limit_word *words;
	bool sets_hard;			/* the plain form: hard becomes soft */
} limit_rows[] = {
	{ "time.soft=", LIMIT_TIME, F(time_soft), no_words, false },
	{ "time.hard=", LIMIT_TIME, F(time_hard), hard_words, false },
	{ "time=", LIMIT_TIME, F(time_soft), no_words, true },
	{ "size.soft=", LIMIT_SIZE, F(size_soft), no_words, false },
	{ "size.hard=", LIMIT_SIZE, F(size_hard), hard_words, false },
	{ "size.unchecked=", LIMIT_SIZE, F(size_unchecked), unchecked_words,
	    false },
	{ "size.prtotal=", LIMIT_SIZE, F(page_total), page_words, false },
	{ "size.pr=", LIMIT_SIZE, F(page_size), no_words, false },
	{ "size=", LIMIT_SIZE, F(size_soft), no_words, true },
};

#define COUNT(a)	(sizeof(a) / sizeof(*(a)))

static void
set_hard(const struct limit_row *row, struct limit_set *set)
{
	if (row->dimension == LIMIT_TIME)
		set->time_hard = 0;
	else
		set->size_hard = 0;
}

static int
parse_value(const struct cfg_line *line, const struct limit_row *row,
    const char *text, struct limit_set *set, struct diag *diag)
{
	int *field = (int *)((char *)set + row->offset);
	int64_t v;

	if (row->sets_hard)
		set_hard(row, set);
	for (const struct limit_word *w = row->words; w->word != NULL; w++)
		if (strcasecmp(w->word, text) == 0) {
			*field = w->value;
			return HB_OK;
		}
	if (text_to_int(slice_of(text), &v) != HB_OK || v < -1 || v > INT_MAX)
		return diag_err(diag, HB_EINVAL, "<%s> invalid limit \"%s%s\"",
		    line->words[0], row->name, text);
	*field = (int)v;
	return HB_OK;
}

static const struct limit_row *
find_row(const char *word, enum limit_dimension dimension)
{
	for (size_t i = 0; i < COUNT(limit_rows); i++)
		if ((dimension == LIMIT_ANY ||
		    dimension == limit_rows[i].dimension) &&
		    strncasecmp(word, limit_rows[i].name,
		    strlen(limit_rows[i].name)) == 0)
			return &limit_rows[i];
	return NULL;
}

static int
parse_word(const struct cfg_line *line, const char *word,
    enum limit_dimension dimension, struct limit_set *set, struct diag *diag)
{
	const struct limit_row *row = find_row(word, dimension);

	if (strcasecmp(word, "size.pr=noestimate") == 0) {
		set->no_estimate = true;
		return HB_OK;
	}
	if (row != NULL)
		return parse_value(line, row, word + strlen(row->name), set,
		    diag);
	if (dimension == LIMIT_ANY || strchr(word, '=') != NULL)
		return diag_err(diag, HB_EINVAL, "<%s> unknown limit \"%s\"",
		    line->words[0], word);
	row = find_row(dimension == LIMIT_SIZE ? "size=" : "time=", dimension);
	return parse_value(line, row, word, set, diag);
}

/* A hard limit below the soft one is what then holds for both. */
static void
order(int *soft, const int *hard)
{
	if (*hard > 0 && (*soft == LIMIT_NONE || *soft > *hard))
		*soft = *hard;
}

int
limits_parse_words(const struct cfg_line *line, unsigned i,
    enum limit_dimension dimension, struct limit_set *set, struct diag *diag)
{
	int rc = HB_OK;

	for (; i < line->nwords && rc == HB_OK; i++)
		rc = parse_word(line, line->words[i], dimension, set, diag);
	order(&set->time_soft, &set->time_hard);
	order(&set->size_soft, &set->size_hard);
	return rc;
}

/* ---- selectors ---- */

static int
parse_dn_selector(struct be_db *db, struct limit_rule *r,
    const struct cfg_line *line, const char *word, struct diag *diag)
{
	struct slapd_conf *conf = slapd_db_conf(db)->conf;
	const char *eq = strchr(word, '='), *style = word + 2;
	size_t n = (size_t)(eq - style);

	/* .self and .this: whom the limits are for, which is all there is */
	if (n >= 5 && (strncasecmp(style, ".self", 5) == 0 ||
	    strncasecmp(style, ".this", 5) == 0)) {
		style += 5;
		n -= 5;
	}
	r->who = WHO_DN;
	if (acl_parse_style(n > 0 ? slice(style + 1, n - 1) : SLICE("exact"),
	    &r->style) != HB_OK || r->style == ACL_STYLE_EXPAND)
		return diag_err(diag, HB_EINVAL, "<%s> unknown style in \"%s\"",
		    line->words[0], word);
	if (strcmp(eq + 1, "*") == 0) {
		r->who = WHO_ANY;
		return HB_OK;
	}
	if (r->style == ACL_STYLE_REGEX)
		return acl_regex_new(&conf->arena, eq + 1, &r->regex, diag);
	return dn_parse(&conf->arena, db->schema, arena_slice(&conf->arena,
	    slice_of(eq + 1)), &r->dn, diag);
}

static int
parse_selector(struct be_db *db, struct limit_rule *r,
    const struct cfg_line *line, struct diag *diag)
{
	struct slapd_conf *conf = slapd_db_conf(db)->conf;
	const char *w = line->words[1];
	int rc;

	if (strcmp(w, "*") == 0)
		r->who = WHO_ANY;
	else if (strcasecmp(w, "anonymous") == 0)
		r->who = WHO_ANONYMOUS;
	else if (strcasecmp(w, "users") == 0)
		r->who = WHO_USERS;
	else if (strncasecmp(w, "group", 5) == 0 && strchr(w, '=') != NULL &&
	    (w[5] == '=' || w[5] == '/' || w[5] == '.')) {
		r->who = WHO_GROUP;
		rc = acl_group_parse(&conf->arena, db->schema, w, &r->group,
		    diag);
		return rc == HB_OK && r->group.pattern != NULL ?
		    diag_err(diag, HB_EINVAL, "<%s> \"%s\": there is nothing "
		    "to expand; exact expected", line->words[0], w) : rc;
	} else if (strncasecmp(w, "dn", 2) == 0 && strchr(w, '=') != NULL &&
	    (w[2] == '=' || w[2] == '.'))
		return parse_dn_selector(db, r, line, w, diag);
	else
		return diag_err(diag, HB_EINVAL, "<%s> unknown selector \"%s\"",
		    line->words[0], w);
	return HB_OK;
}

int
limits_add(struct be_db *db, const struct cfg_line *line, struct diag *diag)
{
	struct slapd_conf *conf = slapd_db_conf(db)->conf;
	struct limit_rule *r = arena_zalloc(&conf->arena, sizeof(*r));
	int rc;

	if (db->limits == NULL) {
		db->limits = arena_zalloc(&conf->arena, sizeof(*db->limits));
		db->limits->last = &db->limits->first;
	}
	r->set = slapd_db_conf(db)->limit;
	/* linked first, so that its pattern is freed whatever happens */
	*db->limits->last = r;
	db->limits->last = &r->next;
	if ((rc = parse_selector(db, r, line, diag)) != HB_OK)
		return rc;
	return limits_parse_words(line, 2, LIMIT_ANY, &r->set, diag);
}

void
limits_fini(struct limits *l)
{
	for (struct limit_rule *r = l != NULL ? l->first : NULL; r != NULL;
	    r = r->next)
		if (r->regex != NULL)
			regfree(r->regex);
}

/* ---- use ---- */

static bool
is_selected(struct op *op, const struct limit_rule *r)
{
	const struct dn *who = &op->who->dn;

	switch (r->who) {
	case WHO_ANY:
		return true;
	case WHO_ANONYMOUS:
		return dn_is_empty(who);
	case WHO_USERS:
		return !dn_is_empty(who);
	case WHO_DN:
		return r->regex != NULL ?
		    acl_regex_match(r->regex, who->norm, NULL, 0) :
		    acl_dn_match(r->style, 0, who, &r->dn);
	case WHO_GROUP:
		return !dn_is_empty(who) && acl_group_has(op, &r->group,
		    &r->group.dn, who);
	}
	return false;
}

void
limits_of(struct op *op, struct limit_set *set_r)
{
	const struct limits *l = op->db->limits;

	if (op->is_root || (op->flags & OP_INTERNAL) != 0) {
		*set_r = (struct limit_set){ LIMIT_NONE, LIMIT_NONE, LIMIT_NONE,
			LIMIT_NONE, LIMIT_NONE, LIMIT_NONE, LIMIT_NONE, false };
		return;
	}
	for (struct limit_rule *r = l != NULL ? l->first : NULL; r != NULL;
	    r = r->next)
		if (is_selected(op, r)) {
			*set_r = r->set;
			return;
		}
	*set_r = slapd_db_conf(op->db)->limit;
}

static unsigned
effective(int soft, int hard, int32_t asked)
{
	int cap = hard == 0 ? soft : hard;
	int limit = asked > 0 ? asked : soft;

	if (cap != LIMIT_NONE && (limit == LIMIT_NONE || limit > cap))
		limit = cap;
	return limit == LIMIT_NONE ? 0 : (unsigned)limit;
}

unsigned
limits_size(const struct limit_set *set, int32_t asked)
{
	return effective(set->size_soft, set->size_hard, asked);
}

unsigned
limits_time(const struct limit_set *set, int32_t asked)
{
	return effective(set->time_soft, set->time_hard, asked);
}
