/*
 * Lines into the fields that the rows of a table describe.
 */
#include <limits.h>

#include "cfg.h"
#include "util/arena.h"
#include "util/err.h"
#include "util/lock.h"
#include "util/log.h"
#include "util/mem.h"
#include "util/text.h"

/* Arguments a row takes at least and at most (-1: any number). */
static void
arg_range(const struct cfg_item *item, int64_t *min_r, int64_t *max_r)
{
	switch (item->type) {
	case CFG_T_BOOL:
		*min_r = 0;
		*max_r = 1;
		break;
	case CFG_T_WORDS:
	case CFG_T_FLAGS:
		*min_r = 1;
		*max_r = -1;
		break;
	case CFG_T_CALL:
		*min_r = item->min;
		*max_r = item->max;
		break;
	case CFG_T_OBSOLETE:
	case CFG_T_UNSUPPORTED:
		*min_r = 0;
		*max_r = -1;
		break;
	default:
		*min_r = *max_r = 1;
		break;
	}
}

static int
check_args(const struct cfg_item *item, const struct cfg_line *line,
    struct diag *diag)
{
	const char *args = item->args != NULL ? item->args : "argument";
	bool marked = strchr(args, '<') != NULL;
	int64_t min, max, n = (int64_t)line->nwords - 1;

	if ((item->flags & CFG_RAW) != 0)
		return HB_OK;
	arg_range(item, &min, &max);
	if (n < min)
		return diag_err(diag, HB_EINVAL, "<%s> missing %s%s%s argument",
		    line->words[0], marked ? "" : "<", args, marked ? "" : ">");
	if (max >= 0 && n > max)
		return diag_err(diag, HB_EINVAL,
		    "<%s> extra cruft after %s%s%s: \"%s\"", line->words[0],
		    marked ? "" : "<", args, marked ? "" : ">",
		    line->words[max + 1]);
	return HB_OK;
}

static int
apply_bool(const struct cfg_item *item, void *field,
    const struct cfg_line *line, struct diag *diag)
{
	static const struct cfg_word words[] = {
		{ "on", 1 }, { "off", 0 }, { "true", 1 }, { "false", 0 },
		{ "yes", 1 }, { "no", 0 }, { NULL, 0 }
	};
	bool *v = field;

	(void)item;
	if (line->nwords == 1) {
		*v = true;
		return HB_OK;
	}
	for (const struct cfg_word *w = words; w->word != NULL; w++)
		if (strcasecmp(w->word, line->words[1]) == 0) {
			*v = w->value;
			return HB_OK;
		}
	return diag_err(diag, HB_EINVAL, "<%s> invalid value \"%s\": on or "
	    "off expected", line->words[0], line->words[1]);
}

static int
parse_int(const struct cfg_item *item, const struct cfg_line *line,
    int64_t *v_r, struct diag *diag)
{
	struct slice word = slice_of(line->words[1]);
	uint64_t size;
	int rc = text_to_int(word, v_r);

	if (rc == HB_EINVAL && item->type == CFG_T_SIZE &&
	    (rc = text_to_size(word, &size)) == HB_OK) {
		if (size > INT64_MAX)
			rc = HB_ERANGE;
		*v_r = (int64_t)size;
	}
	if (rc == HB_EINVAL)
		return diag_err(diag, rc, "<%s> unable to parse \"%s\" as a "
		    "number", line->words[0], line->words[1]);
	if (rc != HB_OK || *v_r < item->min || *v_r > item->max)
		return diag_err(diag, HB_ERANGE, "<%s> %s is out of range: %jd "
		    "to %jd expected", line->words[0], line->words[1],
		    (intmax_t)item->min, (intmax_t)item->max);
	return HB_OK;
}

static int
apply_number(const struct cfg_item *item, void *field,
    const struct cfg_line *line, struct diag *diag)
{
	int64_t v;
	int rc;

	if ((rc = parse_int(item, line, &v, diag)) != HB_OK)
		return rc;
	if (item->type == CFG_T_INT)
		*(int *)field = (int)v;
	else if (item->type == CFG_T_UINT)
		*(unsigned *)field = (unsigned)v;
	else
		*(uint64_t *)field = (uint64_t)v;
	return HB_OK;
}

static int
apply_str(const struct cfg_item *item, void *field,
    const struct cfg_line *line, struct diag *diag)
{
	char **v = field;

	/* the default does not count as a line */
	if ((item->flags & CFG_ONCE) != 0 && *v != NULL &&
	    (item->def == NULL || strcmp(*v, item->def) != 0))
		return diag_err(diag, HB_EDUPLICATE,
		    "<%s> may be given only once", line->words[0]);
	free(*v);
	*v = mem_strdup(line->words[1]);
	return HB_OK;
}

static int
apply_words(const struct cfg_item *item, void *field,
    const struct cfg_line *line, struct diag *diag)
{
	struct cfg_words *v = field;

	if ((item->flags & CFG_ONCE) != 0 && v->n > 0)
		return diag_err(diag, HB_EDUPLICATE,
		    "<%s> may be given only once", line->words[0]);
	v->v = mem_realloc(v->v, (v->n + line->nwords) * sizeof(*v->v));
	for (unsigned i = 1; i < line->nwords; i++)
		v->v[v->n++] = mem_strdup(line->words[i]);
	v->v[v->n] = NULL;
	return HB_OK;
}

static int
unknown_word(const struct cfg_item *item, const struct cfg_line *line,
    const char *word, struct diag *diag)
{
	const char *near, **known;
	size_t n = 0;
	int rc;

	while (item->words[n].word != NULL)
		n++;
	known = mem_calloc(n + 1, sizeof(*known));
	for (size_t i = 0; i < n; i++)
		known[i] = item->words[i].word;
	rc = diag_err(diag, HB_EINVAL, "<%s> unknown value \"%s\"",
	    line->words[0], word);
	if ((near = text_nearest(slice_of(word), known, n)) != NULL)
		diag_add(diag, "did you mean \"%s\"?", near);
	free(known);
	return rc;
}

static int
find_word(const struct cfg_item *item, const struct cfg_line *line,
    const char *word, int *v_r, struct diag *diag)
{
	for (const struct cfg_word *w = item->words; w->word != NULL; w++)
		if (strcasecmp(w->word, word) == 0) {
			*v_r = w->value;
			return HB_OK;
		}
	return unknown_word(item, line, word, diag);
}

static int
apply_enum(const struct cfg_item *item, void *field,
    const struct cfg_line *line, struct diag *diag)
{
	return find_word(item, line, line->words[1], field, diag);
}

static int
apply_flags(const struct cfg_item *item, void *field,
    const struct cfg_line *line, struct diag *diag)
{
	unsigned *v = field;
	int bit = 0, rc;

	for (unsigned i = 1; i < line->nwords; i++) {
		if ((rc = find_word(item, line, line->words[i], &bit, diag)) !=
		    HB_OK)
			return rc;
		*v |= (unsigned)bit;
	}
	return HB_OK;
}

static int
apply_obsolete(const struct cfg_item *item, void *field,
    const struct cfg_line *line, struct diag *diag)
{
	(void)field;
	(void)diag;
	log_printf(LOG_ANY, "%s: line %u: <%s> keyword is obsolete "
	    "(ignored)%s%s", line->file, line->line, line->words[0],
	    item->help != NULL ? ": " : "",
	    item->help != NULL ? item->help : "");
	return HB_OK;
}

static int
apply_unsupported(const struct cfg_item *item, void *field,
    const struct cfg_line *line, struct diag *diag)
{
	const char *what = line->nwords > 1 &&
	    (item->flags & CFG_SECRET) == 0 ? line->words[1] : "";

	(void)field;
	return diag_err(diag, HB_EUNSUPPORTED, "<%s%s%s> is not supported "
	    "yet%s%s", line->words[0], what[0] != '\0' ? " " : "", what,
	    item->help != NULL ? ": " : "",
	    item->help != NULL ? item->help : "");
}

static int (*const apply_type[CFG_T_END])(const struct cfg_item *, void *field,
    const struct cfg_line *, struct diag *) = {
	[CFG_T_BOOL] = apply_bool, [CFG_T_INT] = apply_number,
	[CFG_T_UINT] = apply_number, [CFG_T_SIZE] = apply_number,
	[CFG_T_STR] = apply_str, [CFG_T_WORDS] = apply_words,
	[CFG_T_ENUM] = apply_enum, [CFG_T_FLAGS] = apply_flags,
	[CFG_T_OBSOLETE] = apply_obsolete,
	[CFG_T_UNSUPPORTED] = apply_unsupported
};

int
cfg_apply(const struct cfg_item *item, void *base,
    const struct cfg_line *line, void *ctx, struct diag *diag)
{
	int rc;

	if ((rc = check_args(item, line, diag)) == HB_OK)
		rc = item->type == CFG_T_CALL ?
		    item->parse(base, line, ctx, diag) :
		    apply_type[item->type](item, (char *)base + item->offset,
			line, diag);
	if (rc != HB_OK)
		diag_at(diag, line->file, line->line);
	return rc;
}

const struct cfg_item *
cfg_find(const struct cfg_item *table, const char *keyword)
{
	const struct cfg_item *i;

	for (i = table; i->name != NULL; i++)
		if (strcasecmp(i->name, keyword) == 0)
			return i;
	for (i = table; i->name != NULL; i++)
		if ((i->flags & CFG_PREFIX) != 0 &&
		    strncasecmp(i->name, keyword, strlen(i->name)) == 0)
			return i;
	return NULL;
}

static void
apply_default(const struct cfg_item *item, void *base)
{
	struct arena a;
	struct cfg_line line = { .file = "default", .raw = item->def,
		.rest = item->def };
	char *save = NULL, *text, *word;
	int rc;

	arena_init(&a, 0);
	line.words = arena_alloc(&a, (strlen(item->def) + 3) * sizeof(char *));
	line.words[line.nwords++] = arena_strdup(&a, item->name);
	text = arena_strdup(&a, item->def);
	if (item->type == CFG_T_STR)
		line.words[line.nwords++] = text;
	else
		for (word = strtok_r(text, " ", &save); word != NULL;
		    word = strtok_r(NULL, " ", &save))
			line.words[line.nwords++] = word;
	line.words[line.nwords] = NULL;
	rc = cfg_apply(item, base, &line, NULL, NULL);
	hb_assert(rc == HB_OK);
	arena_fini(&a);
}

void
cfg_defaults(const struct cfg_item *table, void *base)
{
	for (const struct cfg_item *i = table; i->name != NULL; i++) {
		hb_assert((i->flags & CFG_ONCE) == 0 ||
		    i->type == CFG_T_STR || i->type == CFG_T_WORDS);
		if (i->def != NULL && (i->flags & CFG_ALIAS) == 0)
			apply_default(i, base);
	}
}

void
cfg_fini(const struct cfg_item *table, void *base)
{
	for (const struct cfg_item *i = table; i->name != NULL; i++) {
		void *field = (char *)base + i->offset;

		if (i->type == CFG_T_STR) {
			char **v = field;

			if (*v != NULL && (i->flags & CFG_SECRET) != 0)
				mem_wipe(*v, strlen(*v));
			free(*v);
			*v = NULL;
		} else if (i->type == CFG_T_WORDS) {
			struct cfg_words *w = field;

			for (unsigned k = 0; k < w->n; k++)
				free(w->v[k]);
			free(w->v);
			*w = (struct cfg_words){ NULL, 0 };
		}
	}
}

const char *
cfg_nearest(const struct cfg_item *const *tables, size_t n,
    const char *keyword)
{
	const char **known = NULL, *near;
	const struct cfg_item *i;
	size_t count = 0, cap = 0;

	for (size_t t = 0; t < n; t++)
		for (i = tables[t]; i->name != NULL; i++) {
			known = mem_grow(known, &cap, count + 1,
			    sizeof(*known));
			known[count++] = i->name;
		}
	near = text_nearest(slice_of(keyword), known, count);
	free(known);
	return near;
}
