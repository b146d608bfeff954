/*
 * slapd.conf into struct slapd_conf: each line to the table that knows its
 * keyword.
 */
#include "conf.h"

#include <stdarg.h>
#include <stdio.h>

#include "conf_int.h"
#include "overlay.h"
#include "registry.h"
#include "route.h"
#include "util/err.h"
#include "util/log.h"
#include "util/mem.h"

#define TABLES_MAX	8

void
conf_warn(const struct cfg_line *line, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	log_printf(LOG_ANY, "%s: line %u: warning: %s", line->file, line->line,
	    text);
}

void
conf_note(struct slapd_conf *conf, const struct cfg_line *line,
    const char *fmt, ...)
{
	struct conf_note *note = arena_zalloc(&conf->arena, sizeof(*note));
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	note->text = arena_printf(&conf->arena, "%s: line %u: note: %s",
	    line->file, line->line, text).ptr;
	*conf->notes_end = note;
	conf->notes_end = &note->next;
	log_printf(LOG_CONFIG, "%s", note->text);
}

int
conf_dn(struct slapd_conf *conf, const struct cfg_line *line, unsigned i,
    struct dn *dn_r, struct diag *diag)
{
	const char *text = i < line->nwords ? line->words[i] : "";
	int rc;

	rc = dn_parse(&conf->arena, conf->schema, slice_of(text), dn_r, diag);
	if (rc != HB_OK)
		diag_prefix(diag, "<%s> invalid DN \"%s\"", line->words[0],
		    text);
	return rc;
}

static bool
in_database(const struct slapd_conf *conf)
{
	return conf->current != conf->frontend;
}

/* Keyword is a database's and stands outside one. */
static bool
is_misplaced(const char *keyword)
{
	const struct slapd_backend *be;

	if (cfg_find(conf_database_table, keyword) != NULL)
		return true;
	for (unsigned i = 0; (be = registry_backend_at(i)) != NULL; i++)
		if (be->config != NULL && cfg_find(be->config, keyword) != NULL)
			return true;
	return false;
}

static int
unknown_directive(const struct slapd_conf *conf, const struct cfg_line *line,
    struct diag *diag)
{
	const struct cfg_item *tables[TABLES_MAX] = {
		conf_global_table, conf_common_table, conf_database_table
	};
	const char *word = line->words[0], *near;
	const struct overlay *o;
	size_t n = 3;
	int rc;

	if (!in_database(conf) && is_misplaced(word))
		return diag_err(diag, HB_EINVAL, "<%s> is only allowed inside "
		    "a database section: after a \"database\" line", word);
	if (conf->backend != NULL)
		rc = diag_err(diag, HB_EINVAL, "unknown directive <%s> inside "
		    "backend \"%s\" definition", word, conf->backend->name);
	else if (in_database(conf))
		rc = diag_err(diag, HB_EINVAL, "unknown directive <%s> inside "
		    "database \"%s\" definition", word,
		    conf->current->be->name);
	else
		rc = diag_err(diag, HB_EINVAL, "unknown directive <%s> outside "
		    "backend and database definitions", word);
	if (conf->current->be->config != NULL)
		tables[n++] = conf->current->be->config;
	for (o = slapd_db_conf(conf->current)->overlays; o != NULL &&
	    n < TABLES_MAX; o = o->next)
		if (o->type->config != NULL)
			tables[n++] = o->type->config;
	if ((near = cfg_nearest(tables, n, word)) != NULL)
		diag_add(diag, "did you mean \"%s\"?", near);
	return rc;
}

static int
check_order(const struct slapd_conf *conf, const struct cfg_item *item,
    const struct cfg_line *line, struct diag *diag)
{
	if ((item->flags & CFG_BEFORE_DB) == 0 || (!in_database(conf) &&
	    conf->ndbs == 1))
		return HB_OK;
	return diag_err(diag, HB_EINVAL, "<%s> must appear before any database "
	    "declaration", line->words[0]);
}

/*
 * The row of KEYWORD where reading stands; what it is applied to. NULL: none.
 */
static const struct cfg_item *
find_item(struct slapd_conf *conf, const char *keyword, void **base_r,
    void **ctx_r)
{
	struct be_db *db = conf->current;
	const struct cfg_item *item;

	*base_r = *ctx_r = conf;
	if ((item = cfg_find(conf_global_table, keyword)) != NULL)
		return item;
	*base_r = *ctx_r = db;
	if ((item = cfg_find(conf_common_table, keyword)) != NULL)
		return item;
	if (in_database(conf)) {
		item = cfg_find(conf_database_table, keyword);
		if (item == NULL && db->be->config != NULL) {
			*base_r = db->conf;
			item = cfg_find(db->be->config, keyword);
		}
	}
	return item != NULL ? item :
	    overlays_find_item(conf, keyword, base_r, ctx_r);
}

static void
log_line(const struct cfg_line *line, const struct cfg_item *item)
{
	bool secret = item != NULL && (item->flags & CFG_SECRET) != 0;

	log_printf(LOG_CONFIG, "%s: line %u (%s%s%s)", line->file, line->line,
	    line->words[0], line->rest[0] != '\0' ? " " : "",
	    secret ? "***" : line->rest);
}

static int
apply_line(const struct cfg_line *line, void *arg, struct diag *diag)
{
	struct slapd_conf *conf = arg;
	const struct cfg_item *item;
	void *base, *ctx;
	int rc;

	item = find_item(conf, line->words[0], &base, &ctx);
	if (log_is_on(LOG_CONFIG))
		log_line(line, item);
	if (item == NULL)
		return unknown_directive(conf, line, diag);
	if ((rc = check_order(conf, item, line, diag)) != HB_OK)
		return rc;
	return cfg_apply(item, base, line, ctx, diag);
}

static struct slapd_conf *
conf_new(const char *file)
{
	struct slapd_conf *conf = mem_zalloc(sizeof(*conf));

	registry_init();
	dn_init();
	arena_init(&conf->arena, 0);
	conf->file = arena_strdup(&conf->arena, file);
	conf->schema = schema_new();
	conf->notes_end = &conf->notes;
	conf->loglevel = LOG_STATS;
	conf->threads = 16;
	cfg_defaults(conf_global_table, conf);
	conf_sections_init(conf);
	return conf;
}

int
slapd_conf_read(const char *file, struct slapd_conf **conf_r,
    struct diag *diag)
{
	struct slapd_conf *conf = conf_new(file);
	int rc;

	if ((rc = overlays_define(conf, diag)) != HB_OK ||
	    (rc = cfg_read(file, conf_is_raw, apply_line, conf, diag)) !=
	    HB_OK || (rc = conf_check(conf, diag)) != HB_OK)
		slapd_conf_free(&conf);
	*conf_r = conf;
	return rc;
}

void
slapd_conf_free(struct slapd_conf **confp)
{
	struct slapd_conf *conf = *confp;

	if (conf == NULL)
		return;
	*confp = NULL;
	overlays_free(conf);
	conf_sections_free(conf);
	route_free(&conf->route);
	cfg_fini(conf_global_table, conf);
	schema_free(&conf->schema);
	arena_fini(&conf->arena);
	free(conf);
}
