/* The `index` directive: "index attr[,attr...] [kind[,kind...]]". */
#include <string.h>

#include "backends/store/index_int.h"
#include "util/mem.h"
#include "util/text.h"

static const struct kind_word {
	const char *word;
	unsigned kinds;
} kind_words[] = {
	{ "pres", INDEX_PRES },
	{ "eq", INDEX_EQ },
	{ "approx", INDEX_APPROX },
	{ "sub", INDEX_SUB },
	/* one set of n-grams serves all three places of a substring */
	{ "subinitial", INDEX_SUB },
	{ "subany", INDEX_SUB },
	{ "subfinal", INDEX_SUB },
	{ "substr", INDEX_SUB },
	{ "nolang", INDEX_NOTAGS },
	{ "notags", INDEX_NOTAGS },
	{ "nosubtypes", INDEX_NOSUBTYPES },
};

#define KIND_WORDS	(sizeof(kind_words) / sizeof(kind_words[0]))
#define KINDS_REAL	(INDEX_PRES | INDEX_EQ | INDEX_SUB | INDEX_APPROX)

/* Next part of a comma-separated list; false at its end. */
static bool
next_part(struct slice *rest, struct slice *part_r)
{
	const char *comma;

	if (slice_is_none(*rest))
		return false;
	comma = rest->len > 0 ? memchr(rest->ptr, ',', rest->len) : NULL;
	*part_r = *rest;
	if (comma == NULL)
		*rest = SLICE_NONE;
	else {
		part_r->len = (size_t)(comma - rest->ptr);
		*rest = slice_skip(*rest, part_r->len + 1);
	}
	return true;
}

static int
unknown_kind(struct slice word, struct diag *diag)
{
	const char *names[KIND_WORDS], *near;

	for (size_t i = 0; i < KIND_WORDS; i++)
		names[i] = kind_words[i].word;
	near = text_nearest(word, names, KIND_WORDS);
	if (near == NULL)
		return diag_err(diag, HB_EINVAL,
		    "index type \"%.*s\" is not known", SLICE_ARG(word));
	return diag_err(diag, HB_EINVAL, "index type \"%.*s\" is not known "
	    "(did you mean \"%s\"?)", SLICE_ARG(word), near);
}

static int
parse_kinds(struct slice text, unsigned *kinds_r, struct diag *diag)
{
	struct slice word;

	*kinds_r = 0;
	while (next_part(&text, &word)) {
		size_t i = 0;

		while (i < KIND_WORDS && !slice_is_eq_nocase(word,
		    slice_of(kind_words[i].word)))
			i++;
		if (i == KIND_WORDS)
			return unknown_kind(word, diag);
		*kinds_r |= kind_words[i].kinds;
	}
	return HB_OK;
}

static int
unknown_attr(struct schema *schema, struct slice name, struct diag *diag)
{
	const char *near = schema_nearest_type(schema, name);

	if (near == NULL)
		return diag_err(diag, HB_EINVAL,
		    "index attribute \"%.*s\" is not known", SLICE_ARG(name));
	return diag_err(diag, HB_EINVAL, "index attribute \"%.*s\" is not "
	    "known (did you mean \"%s\"?)", SLICE_ARG(name), near);
}

/* Values can be looked up by their normal form, or a key made of it. */
static bool
has_equality(const struct attr_type *type)
{
	return type->equality != NULL && (type->equality->match == NULL ||
	    type->equality->order_key != NULL);
}

/* What the server computes is in no entry, and so in no index. */
static bool
is_computed(const struct attr_type *type)
{
	static const char *const oids[] = {
		"1.3.6.1.1.20",		/* entryDN */
		"2.5.18.9",		/* hasSubordinates */
		"2.5.18.10"		/* subschemaSubentry */
	};

	for (size_t i = 0; i < sizeof(oids) / sizeof(oids[0]); i++)
		if (strcmp(type->oid, oids[i]) == 0)
			return true;
	return false;
}

/* Which kinds DESC can have; turns approx into eq where there is no own rule. */
static int
check_kinds(const struct attr_desc *desc, unsigned *kinds, struct diag *diag)
{
	const struct attr_type *type = desc->type;
	const char *what = NULL;

	if (desc->binary || is_computed(type))
		return diag_err(diag, HB_EINVAL,
		    "index of attribute \"%.*s\" disallowed",
		    SLICE_ARG(desc->name));
	if ((*kinds & INDEX_APPROX) && type->approx == NULL) {
		if (!has_equality(type))
			what = "approx";
		*kinds = (*kinds & ~(unsigned)INDEX_APPROX) | INDEX_EQ;
	}
	if (what == NULL && (*kinds & INDEX_EQ) && !has_equality(type))
		what = "equality";
	if (what == NULL && (*kinds & INDEX_SUB) && type->substr == NULL)
		what = "substr";
	if (what != NULL)
		return diag_err(diag, HB_EINVAL,
		    "%s index of attribute \"%.*s\" disallowed", what,
		    SLICE_ARG(desc->name));
	return HB_OK;
}

static int
add_line(struct index_conf *conf, struct schema *schema,
    const struct cfg_line *line, struct slice name, unsigned kinds,
    struct diag *diag)
{
	const struct attr_desc *desc;
	int rc;

	if (schema_desc(schema, name, &desc, NULL) != HB_OK)
		return unknown_attr(schema, name, diag);
	if ((rc = check_kinds(desc, &kinds, diag)) != HB_OK)
		return rc;
	for (size_t i = 0; i < conf->n; i++)
		if (conf->v[i].desc == desc)
			return diag_err(diag, HB_EINVAL,
			    "duplicate index definition for attr \"%.*s\" "
			    "(first at %s: line %u)", SLICE_ARG(desc->name),
			    conf->v[i].file, conf->v[i].line);
	conf->v = mem_grow(conf->v, &conf->cap, conf->n + 1,
	    sizeof(conf->v[0]));
	conf->v[conf->n++] = (struct index_line){ desc, kinds, line->file,
	    line->line };
	return HB_OK;
}

void
index_kinds_put(struct buf *out, unsigned kinds)
{
	const char *comma = "";

	for (size_t i = 0; i < KIND_WORDS; i++)
		if (kinds & kind_words[i].kinds) {
			buf_printf(out, "%s%s", comma, kind_words[i].word);
			kinds &= ~kind_words[i].kinds;
			comma = ",";
		}
}

int
index_conf_parse(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	struct store_conf *sc = base;
	struct schema *schema = ((struct be_db *)ctx)->schema;
	struct slice attrs, name;
	unsigned kinds;
	bool given = line->nwords > 2;
	int rc;

	if (sc->indexes == NULL)
		sc->indexes = mem_zalloc(sizeof(*sc->indexes));
	kinds = sc->indexes->def;
	if (given && (rc = parse_kinds(slice_of(line->words[2]), &kinds,
	    diag)) != HB_OK)
		return rc;
	if ((kinds & KINDS_REAL) == 0)
		return diag_err(diag, HB_EINVAL, "no indexes selected");
	attrs = slice_of(line->words[1]);
	while (next_part(&attrs, &name)) {
		if (slice_is_eq_nocase(name, SLICE("default"))) {
			sc->indexes->def |= kinds;
			continue;
		}
		rc = add_line(sc->indexes, schema, line, name, kinds, diag);
		if (rc != HB_OK)
			return rc;
	}
	return HB_OK;
}

void
index_conf_free(struct index_conf **conf)
{
	if (*conf != NULL)
		free((*conf)->v);
	free(*conf);
	*conf = NULL;
}
