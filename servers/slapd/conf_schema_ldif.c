/*
 * Schema as LDIF: entries of class olcSchemaConfig below cn=schema,cn=config,
 * each value of theirs defined as the directive of its name would do it.
 */
#include <stdlib.h>

#include "conf_int.h"
#include "ldif.h"
#include "util/err.h"
#include "util/text.h"

/* In the order in which one needs another. */
static const struct {
	const char *name;
	const char *keyword;
	cfg_parse_cb define;
	bool is_raw;
} kinds[] = {
	{ "olcObjectIdentifier", "objectidentifier", conf_object_identifier,
	    false },
	{ "olcLdapSyntaxes", "ldapsyntax", conf_ldap_syntax, true },
	{ "olcAttributeTypes", "attributetype", conf_attribute_type, true },
	{ "olcObjectClasses", "objectclass", conf_object_class, true },
	{ "olcDitContentRules", "ditcontentrule", conf_content_rule, true },
};

#define NKINDS	(sizeof(kinds) / sizeof(kinds[0]))

/* One value of a kind, without its {n}. */
struct item {
	uint64_t order;			/* n, or what keeps it where it is */
	unsigned line;
	struct slice text;
};

static bool
is_kind(struct slice name)
{
	for (size_t i = 0; i < NKINDS; i++)
		if (slice_is_eq_nocase(name, slice_of(kinds[i].name)))
			return true;
	return false;
}

/* What may stand in the entry beside definitions: names and housekeeping. */
static bool
is_ignored(const struct schema *schema, struct slice name)
{
	const struct attr_type *t = schema_find_type(schema, name);

	return slice_is_eq_nocase(name, SLICE("cn")) ||
	    slice_is_eq_nocase(name, SLICE("objectClass")) ||
	    (t != NULL && t->usage != USAGE_USER);
}

static bool
has_schema_class(const struct ldif_record *rec)
{
	for (unsigned i = 0; i < rec->nvalues; i++)
		if (slice_is_eq_nocase(rec->values[i].name,
		    SLICE("objectClass")) &&
		    slice_is_eq_nocase(rec->values[i].value,
		    SLICE("olcSchemaConfig")))
			return true;
	return false;
}

/*
 * cn=NAME,cn=schema,cn=config, that entry itself, or cn=NAME alone as the files
 * of a configuration folder have it.
 */
static int
check_name(struct slapd_conf *conf, struct arena *arena,
    const struct ldif_record *rec, struct diag *diag)
{
	struct dn dn, top;
	int rc;

	if ((rc = dn_parse(arena, conf->schema, rec->dn, &dn, diag)) != HB_OK)
		return rc;
	if ((rc = dn_parse(arena, conf->schema, SLICE("cn=schema,cn=config"),
	    &top, diag)) != HB_OK)
		return rc;
	if (dn_is_eq(&dn, &top) || dn_is_child(&dn, &top) ||
	    dn_depth(&dn) == 1)
		return HB_OK;
	return diag_err(diag, HB_EINVAL, "entry \"%.*s\" is no schema: an "
	    "entry below cn=schema,cn=config expected", SLICE_ARG(rec->dn));
}

static int
check_record(struct slapd_conf *conf, struct arena *arena,
    const struct ldif_record *rec, struct diag *diag)
{
	int rc;

	if (rec->change != LDIF_CONTENT && rec->change != LDIF_ADD)
		return diag_err(diag, HB_EINVAL, "entry \"%.*s\" is changed: "
		    "whole entries expected", SLICE_ARG(rec->dn));
	if ((rc = check_name(conf, arena, rec, diag)) != HB_OK)
		return rc;
	if (!has_schema_class(rec))
		return diag_err(diag, HB_EINVAL, "entry \"%.*s\" is no schema: "
		    "objectClass olcSchemaConfig expected",
		    SLICE_ARG(rec->dn));
	for (unsigned i = 0; i < rec->nvalues; i++) {
		if (is_kind(rec->values[i].name) ||
		    is_ignored(conf->schema, rec->values[i].name))
			continue;
		return diag_err(diag, HB_EINVAL, "'%.*s' has no place in a "
		    "schema entry", SLICE_ARG(rec->values[i].name));
	}
	return HB_OK;
}

static struct item
make_item(const struct ldif_value *v, unsigned nth)
{
	struct item item = { nth, v->line, v->value };
	const char *end;

	if (v->value.len < 3 || v->value.ptr[0] != '{' ||
	    (end = memchr(v->value.ptr, '}', v->value.len)) == NULL)
		return item;
	if (text_to_uint(slice(v->value.ptr + 1,
	    (size_t)(end - v->value.ptr) - 1), &item.order) == HB_OK)
		item.text = slice_skip(v->value,
		    (size_t)(end - v->value.ptr) + 1);
	return item;
}

static int
by_order(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

/* ITEM as the line "KEYWORD TEXT" of slapd.conf. */
static int
define_item(struct slapd_conf *conf, struct arena *arena, const char *file,
    size_t kind, const struct item *item, struct diag *diag)
{
	char *text = (char *)(uintptr_t)arena_slice(arena, item->text).ptr;
	char *rest;
	char *words[4] = { (char *)(uintptr_t)kinds[kind].keyword };
	struct cfg_line line = { .file = file, .line = item->line,
		.nwords = 1, .words = words, .raw = text, .rest = text };
	int rc;

	for (rest = text; !kinds[kind].is_raw && line.nwords < 4; ) {
		rest += strspn(rest, " \t\r\n");
		if (*rest == '\0')
			break;
		words[line.nwords++] = rest;
		rest += strcspn(rest, " \t\r\n");
		if (*rest != '\0')
			*rest++ = '\0';
	}
	if (!kinds[kind].is_raw && line.nwords != 3)
		rc = diag_err(diag, HB_EINVAL, "%s: a name and an OID expected",
		    kinds[kind].name);
	else
		rc = kinds[kind].define(conf, &line, conf, diag);
	if (rc != HB_OK)
		diag_at(diag, file, item->line);
	return rc;
}

static int
define_record(struct slapd_conf *conf, struct arena *arena, const char *file,
    const struct ldif_record *rec, struct diag *diag)
{
	struct item *items = arena_calloc(arena, rec->nvalues + 1,
	    sizeof(*items));
	unsigned n;
	int rc = HB_OK;

	for (size_t k = 0; k < NKINDS; k++) {
		n = 0;
		for (unsigned i = 0; i < rec->nvalues; i++)
			if (slice_is_eq_nocase(rec->values[i].name,
			    slice_of(kinds[k].name))) {
				items[n] = make_item(&rec->values[i], n);
				n++;
			}
		qsort(items, n, sizeof(*items), by_order);
		for (unsigned i = 0; rc == HB_OK && i < n; i++)
			rc = define_item(conf, arena, file, k, &items[i], diag);
	}
	return rc;
}

int
conf_include_ldif(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	struct slapd_conf *conf = base;
	struct ldif_reader *reader = NULL;
	struct ldif_record rec;
	struct arena arena;
	int rc;

	(void)ctx;
	arena_init(&arena, 0);
	if ((rc = ldif_open(line->file, 0, &reader, diag)) != HB_OK)
		goto out;
	while ((rc = ldif_next(reader, &arena, &rec, diag)) == HB_OK) {
		rc = check_record(conf, &arena, &rec, diag);
		if (rc != HB_OK)
			diag_at(diag, line->file, rec.line);
		else
			rc = define_record(conf, &arena, line->file, &rec,
			    diag);
		arena_reset(&arena);
		if (rc != HB_OK)
			goto out;
	}
	if (rc == HB_EEND)
		rc = HB_OK;
	else if (diag != NULL)
		diag->file = line->file;	/* the reader's name goes */
out:
	ldif_close(&reader);
	arena_fini(&arena);
	return rc;
}
