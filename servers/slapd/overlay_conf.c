/* `overlay` lines: instances, their directives, their schema. */
#include "conf_int.h"
#include "overlay.h"
#include "registry.h"
#include "util/err.h"
#include "util/log.h"
#include "util/mem.h"

typedef int (*schema_add_cb)(struct schema *, struct slice, const char *,
    unsigned, struct schema_note *, struct diag *);

/* ---- schema ---- */

static int
define_list(struct slapd_conf *conf, const struct slapd_overlay *type,
    const char *const *list, schema_add_cb add, struct diag *diag)
{
	int rc = HB_OK;

	for (unsigned i = 0; list != NULL && list[i] != NULL && rc == HB_OK;
	    i++)
		rc = add(conf->schema, slice_of(list[i]),
		    cfg_file_name(type->name), i + 1, NULL, diag);
	if (rc != HB_OK)
		diag_prefix(diag, "schema of overlay %s", type->name);
	return rc;
}

int
overlays_define(struct slapd_conf *conf, struct diag *diag)
{
	const struct slapd_overlay *type;
	int rc = HB_OK;

	while (rc == HB_OK && (type = registry_overlay_at(conf->ndefined)) !=
	    NULL) {
		conf->ndefined++;
		if ((rc = define_list(conf, type, type->attr_types,
		    schema_add_attr_type, diag)) == HB_OK)
			rc = define_list(conf, type, type->object_classes,
			    schema_add_object_class, diag);
	}
	return rc;
}

/* ---- instances ---- */

static int
check_place(const struct slapd_conf *conf, const struct slapd_overlay *type,
    const struct cfg_line *line, struct diag *diag)
{
	const struct overlay *o = slapd_db_conf(conf->current)->overlays;
	bool global = conf->current == conf->frontend;

	if (global && (type->flags & OVERLAY_NO_GLOBAL))
		return diag_err(diag, HB_EINVAL, "<%s> overlay %s cannot be "
		    "global: it belongs into a database", line->words[0],
		    type->name);
	if (!global && (type->flags & OVERLAY_NO_DATABASE))
		return diag_err(diag, HB_EINVAL, "<%s> overlay %s is global: "
		    "it belongs before any database", line->words[0],
		    type->name);
	for (; o != NULL; o = o->next)
		if (o->type == type && (type->flags & OVERLAY_ONCE))
			return diag_err(diag, HB_EINVAL, "<%s> overlay %s is "
			    "there already (line %u)", line->words[0],
			    type->name, o->line);
	return HB_OK;
}

static struct overlay *
instance_new(struct slapd_conf *conf, const struct slapd_overlay *type,
    const struct cfg_line *line)
{
	struct overlay *o = arena_zalloc(&conf->arena, sizeof(*o)), **at;
	struct slapd_db_conf *dc = slapd_db_conf(conf->current);

	o->type = type;
	o->db = conf->current;
	o->number = conf->noverlays++;
	o->file = line->file;
	o->line = line->line;
	if (type->conf_size > 0)
		o->conf = mem_zalloc(type->conf_size);
	if (type->config != NULL)
		cfg_defaults(type->config, o->conf);
	o->next = dc->overlays;
	dc->overlays = o;
	for (at = &conf->overlays; *at != NULL; )
		at = &(*at)->next_of_all;
	*at = o;
	return o;
}

static int
take_args(struct slapd_conf *conf, struct overlay *o,
    const struct cfg_line *line, struct diag *diag)
{
	unsigned n = line->nwords - 2;
	char **args;

	if (o->type->args == NULL)
		return n == 0 ? HB_OK : diag_err(diag, HB_EINVAL,
		    "<%s> extra cruft after %s", line->words[0],
		    o->type->name);
	args = arena_calloc(&conf->arena, n + 1, sizeof(*args));
	for (unsigned i = 0; i < n; i++)
		args[i] = arena_strdup(&conf->arena, line->words[i + 2]);
	return o->type->args(o, n, args, diag);
}

static int
unknown_overlay(const struct cfg_line *line, const char *name,
    struct diag *diag)
{
	if (registry_is_foreign(name))
		return diag_err(diag, HB_EUNSUPPORTED, "<%s %s> is not "
		    "supported yet", line->words[0], name);
	return diag_err(diag, HB_EINVAL, "<%s> unknown overlay \"%s\"; is "
	    "\"moduleload %s\" missing?", line->words[0], name, name);
}

int
conf_overlay(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	struct slapd_conf *conf = base;
	const char *name = line->words[1];
	bool optional = name[0] == '-';
	const struct slapd_overlay *type;
	int rc;

	(void)ctx;
	name += optional;
	if ((type = registry_find_overlay(name)) == NULL) {
		if (!optional)
			return unknown_overlay(line, name, diag);
		conf_warn(line, "overlay %s is not there (ignored)", name);
		return HB_OK;
	}
	if ((rc = check_place(conf, type, line, diag)) != HB_OK)
		return rc;
	return take_args(conf, instance_new(conf, type, line), line, diag);
}

static const struct cfg_item *
find_in(struct overlay *o, const char *keyword, void **base_r, void **ctx_r)
{
	const struct cfg_item *item = NULL;

	for (; o != NULL && item == NULL; o = o->next) {
		if (o->type->config == NULL)
			continue;
		*base_r = o->conf;
		*ctx_r = o;
		item = cfg_find(o->type->config, keyword);
	}
	return item;
}

const struct cfg_item *
overlays_find_item(struct slapd_conf *conf, const char *keyword,
    void **base_r, void **ctx_r)
{
	const struct cfg_item *item;

	item = find_in(slapd_db_conf(conf->current)->overlays, keyword,
	    base_r, ctx_r);
	return item != NULL ? item :
	    find_in(slapd_db_conf(conf->frontend)->overlays, keyword, base_r,
	    ctx_r);
}

/* Every database whose writes O is to follow needs the calls for it. */
static int
check_backends(const struct slapd_conf *conf, const struct overlay *o,
    struct diag *diag)
{
	for (unsigned i = 0; o->type->in_txn != NULL && i < conf->ndbs; i++) {
		const struct be_db *db = conf->dbs[i];

		if ((o->db == conf->frontend || o->db == db) &&
		    db->be->txn == NULL && !conf_is_placeholder(db->be))
			return diag_err(diag, HB_EINVAL, "<overlay> %s needs "
			    "the transactions of the database, which a %s "
			    "database does not offer", o->type->name,
			    db->be->name);
	}
	return HB_OK;
}

int
overlays_check(struct slapd_conf *conf, struct diag *diag)
{
	for (struct overlay *o = conf->overlays; o != NULL;
	    o = o->next_of_all) {
		int rc = check_backends(conf, o, diag);

		if (rc == HB_OK && o->type->conf_check != NULL)
			rc = o->type->conf_check(o, diag);
		if (rc != HB_OK) {
			diag_at(diag, o->file, o->line);
			return rc;
		}
	}
	return HB_OK;
}

void
overlays_free(struct slapd_conf *conf)
{
	for (struct overlay *o = conf->overlays; o != NULL;
	    o = o->next_of_all) {
		if (o->type->conf_free != NULL)
			o->type->conf_free(o);
		if (o->type->config != NULL)
			cfg_fini(o->type->config, o->conf);
		free(o->conf);
	}
	conf->overlays = NULL;
}

/* ---- the server ---- */

static unsigned
put_all(struct overlay *o, struct overlay **to)
{
	unsigned n = 0;

	for (; o != NULL; o = o->next)
		to[n++] = o;
	return n;
}

/* Global ones first. */
static void
set_chain(const struct slapd_conf *conf, struct be_db *db)
{
	struct overlay *global = slapd_db_conf(conf->frontend)->overlays;
	struct overlay *own = slapd_db_conf(db)->overlays;
	unsigned n;

	if (global == NULL && own == NULL)
		return;
	db->overlays = mem_calloc(conf->noverlays + 1,
	    sizeof(*db->overlays));
	n = put_all(global, db->overlays);
	if (db != conf->frontend)
		put_all(own, db->overlays + n);
}

int
overlays_open(const struct slapd_conf *conf, struct diag *diag)
{
	int rc;

	for (struct overlay *o = conf->overlays; o != NULL;
	    o = o->next_of_all) {
		if (o->type->open != NULL &&
		    (rc = o->type->open(o, diag)) != HB_OK) {
			diag_at(diag, o->file, o->line);
			return rc;
		}
		o->is_open = true;
	}
	set_chain(conf, conf->frontend);
	for (unsigned i = 0; i < conf->ndbs; i++)
		set_chain(conf, conf->dbs[i]);
	return HB_OK;
}

void
overlays_close(const struct slapd_conf *conf)
{
	for (unsigned i = 0; i <= conf->ndbs; i++) {
		struct be_db *db = i < conf->ndbs ? conf->dbs[i] :
		    conf->frontend;

		free(db->overlays);
		db->overlays = NULL;
	}
	for (struct overlay *o = conf->overlays; o != NULL;
	    o = o->next_of_all) {
		if (o->is_open && o->type->close != NULL)
			o->type->close(o);
		o->is_open = false;
	}
}
