/*
 * Schema definitions of slapd.conf and .schema files, and the attributes that
 * rootDSE files add.
 */
#include "conf_int.h"
#include "ldif.h"
#include "util/err.h"

static const char *const raw_prefixes[] = {
	"attributetype", "objectclass", "ditcontentrule", "ldapsyntax"
};

bool
conf_is_raw(const char *keyword)
{
	for (size_t i = 0; i < sizeof(raw_prefixes) / sizeof(*raw_prefixes);
	    i++)
		if (strncasecmp(keyword, raw_prefixes[i],
		    strlen(raw_prefixes[i])) == 0)
			return true;
	/* "attribute" and any tail mean attributetype, one word excepted */
	return strncasecmp(keyword, "attribute", 9) == 0 &&
	    strcasecmp(keyword, "attributeoptions") != 0;
}

typedef int (*schema_add_cb)(struct schema *, struct slice, const char *,
    unsigned, struct schema_note *, struct diag *);

/*
 * Two files that define the same are nothing to worry about; text that means
 * nothing may be a definition that was folded into the one before it.
 */
static void
tell(struct slapd_conf *conf, const struct cfg_line *line,
    const struct schema_note *note)
{
	if (note->same)
		conf_note(conf, line, "%s", note->text);
	else if (note->ignored)
		conf_warn(line, "<%s> %s", line->words[0], note->text);
}

/* Blanks at the end and, as slapd takes them, double quotes around. */
static struct slice
definition_of(const char *rest)
{
	struct slice text = slice_of(rest);

	while (text.len > 0 && (text.ptr[text.len - 1] == ' ' ||
	    text.ptr[text.len - 1] == '\t'))
		text.len--;
	if (text.len > 1 && text.ptr[0] == '"' &&
	    text.ptr[text.len - 1] == '"')
		text = slice(text.ptr + 1, text.len - 2);
	return text;
}

static int
add_definition(struct slapd_conf *conf, const struct cfg_line *line,
    schema_add_cb add, struct diag *diag)
{
	struct slice text = definition_of(line->rest);
	struct schema_note note;
	int rc;

	if (text.len == 0)
		return diag_err(diag, HB_EINVAL, "<%s> missing <definition> "
		    "argument", line->words[0]);
	rc = add(conf->schema, text, line->file, line->line, &note, diag);
	if (rc == HB_OK)
		tell(conf, line, &note);
	return rc;
}

int
conf_attribute_type(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	(void)ctx;
	return add_definition(base, line, schema_add_attr_type, diag);
}

int
conf_object_class(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	(void)ctx;
	return add_definition(base, line, schema_add_object_class, diag);
}

int
conf_content_rule(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	(void)ctx;
	return add_definition(base, line, schema_add_content_rule, diag);
}

int
conf_ldap_syntax(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	(void)ctx;
	return add_definition(base, line, schema_add_syntax, diag);
}

int
conf_object_identifier(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	struct slapd_conf *conf = base;
	struct schema_note note;
	int rc;

	(void)ctx;
	rc = schema_add_macro(conf->schema, slice_of(line->words[1]),
	    slice_of(line->words[2]), line->file, line->line, &note, diag);
	if (rc == HB_OK)
		tell(conf, line, &note);
	return rc;
}

int
conf_attribute_options(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	struct slapd_conf *conf = base;
	unsigned n = line->nwords - 1;
	struct slice *names;

	(void)ctx;
	names = arena_calloc(&conf->arena, n, sizeof(*names));
	for (unsigned i = 0; i < n; i++)
		names[i] = slice_of(line->words[i + 1]);
	return schema_set_options(conf->schema, names, n, diag);
}

/* Values I.. of REC that have the name of value I, as one attribute. */
static int
root_dse_attr(struct slapd_conf *conf, const struct ldif_record *rec,
    unsigned i, struct diag *diag)
{
	struct slice name = rec->values[i].name, *values;
	const struct attr_desc *desc;
	struct attr attr;
	unsigned n = 0;
	int rc;

	for (unsigned k = 0; k < i; k++)
		if (slice_is_eq_nocase(rec->values[k].name, name))
			return HB_OK;	/* taken with the first */
	values = arena_calloc(&conf->arena, rec->nvalues, sizeof(*values));
	for (unsigned k = i; k < rec->nvalues; k++)
		if (slice_is_eq_nocase(rec->values[k].name, name))
			values[n++] = arena_slice(&conf->arena,
			    rec->values[k].value);
	if ((rc = schema_desc(conf->schema, name, &desc, diag)) != HB_OK ||
	    (rc = attr_make(&conf->arena, conf->schema, desc, values, n, &attr,
	    diag)) != HB_OK)
		return rc;
	return attrs_add(&conf->arena, &conf->root_dse, &attr);
}

/* `rootDSE FILE`: one or more LDIF records with an empty DN. */
int
conf_root_dse(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	struct slapd_conf *conf = base;
	struct ldif_reader *reader = NULL;
	struct ldif_record rec;
	struct arena arena;
	int rc;

	(void)ctx;
	arena_init(&arena, 0);
	if ((rc = ldif_open(line->words[1], 0, &reader, diag)) != HB_OK)
		goto out;
	while ((rc = ldif_next(reader, &arena, &rec, diag)) == HB_OK) {
		if (rec.dn.len > 0 || rec.change != LDIF_CONTENT)
			rc = diag_err(diag, HB_EINVAL, "<%s> \"%s\" has a "
			    "record that does not describe the root DSE",
			    line->words[0], line->words[1]);
		for (unsigned i = 0; rc == HB_OK && i < rec.nvalues; i++)
			rc = root_dse_attr(conf, &rec, i, diag);
		arena_reset(&arena);
		if (rc != HB_OK)
			goto out;
	}
	if (rc == HB_EEND)
		rc = HB_OK;
	else if (diag != NULL && diag->file != NULL)
		diag->file = cfg_file_name(line->words[1]);
out:
	ldif_close(&reader);
	arena_fini(&arena);
	return rc;
}
