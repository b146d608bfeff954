/*
 * Sections: what stands outside, `backend`, `database`. Makes the databases.
 */
#include "acl.h"
#include "conf_int.h"
#include "registry.h"
#include "util/err.h"
#include "util/mem.h"
#include "util/text.h"

/*
 * Sections that files have and whose backend comes later: their settings are
 * read and kept, nothing is served. A registered backend of the name wins.
 */
static const struct slapd_backend placeholders[] = {
	{ .abi = SLAPD_BACKEND_ABI, .name = "config" },
	{ .abi = SLAPD_BACKEND_ABI, .name = "monitor" },
};

static const struct slapd_backend frontend_backend = {
	.abi = SLAPD_BACKEND_ABI, .name = "frontend"
};

/* What slapd has and this server does not. */
static const char *const foreign[] = {
	"asyncmeta", "dnssrv", "ldap", "ldif", "mdb", "meta", "ndb", "passwd",
	"perl", "relay", "shell", "sock", "sql", "wt"
};

#define COUNT(a)	(sizeof(a) / sizeof(*(a)))

const struct slapd_backend *
conf_placeholder(const char *name)
{
	for (size_t i = 0; i < COUNT(placeholders); i++)
		if (strcasecmp(placeholders[i].name, name) == 0)
			return &placeholders[i];
	return NULL;
}

bool
conf_is_placeholder(const struct slapd_backend *be)
{
	return be >= placeholders && be < placeholders + COUNT(placeholders);
}

static int
find_backend(const struct cfg_line *line, const struct slapd_backend **be_r,
    struct diag *diag)
{
	const char *name = line->words[1], *near;
	int rc;

	if ((*be_r = registry_find_backend(name)) != NULL ||
	    (*be_r = conf_placeholder(name)) != NULL)
		return HB_OK;
	for (size_t i = 0; i < COUNT(foreign); i++)
		if (strcasecmp(foreign[i], name) == 0)
			return diag_err(diag, HB_EUNSUPPORTED, "<%s> backend "
			    "\"%s\" is not supported yet", line->words[0],
			    foreign[i]);
	rc = diag_err(diag, HB_EINVAL, "<%s> unrecognized type \"%s\"",
	    line->words[0], name);
	if ((near = registry_nearest_backend(name)) != NULL)
		diag_add(diag, "did you mean \"%s\", or is \"moduleload "
		    "back_%s\" missing?", near, name);
	else
		diag_add(diag, "is \"moduleload back_%s\" missing?", name);
	return rc;
}

static struct be_db *
db_new(struct slapd_conf *conf, const struct slapd_backend *be)
{
	struct be_db *db = arena_zalloc(&conf->arena, sizeof(*db));
	struct slapd_db_conf *dc = arena_zalloc(&conf->arena, sizeof(*dc));

	db->be = be;
	db->schema = conf->schema;
	db->root_dn = DN_EMPTY;
	db->frontend_conf = dc;
	dc->conf = conf;
	dc->acl = acl_list_new(&conf->arena);
	if (conf->frontend != NULL) {
		const struct be_db *front = conf->frontend;
		struct acl_list *acl = dc->acl;

		*dc = *slapd_db_conf(front);
		dc->acl = acl;
		dc->overlays = NULL;
		db->lastmod = front->lastmod;
		db->read_only = front->read_only;
	} else {
		dc->limit = limits_default;
		cfg_defaults(conf_common_table, db);
	}
	cfg_defaults(conf_database_table, db);
	if (be->conf_size > 0)
		db->conf = mem_zalloc(be->conf_size);
	if (be->config != NULL)
		cfg_defaults(be->config, db->conf);
	return db;
}

static void
db_append(struct slapd_conf *conf, struct be_db *db)
{
	struct be_db **dbs = arena_calloc(&conf->arena, conf->ndbs + 1,
	    sizeof(*dbs));

	if (conf->ndbs > 0)
		memcpy(dbs, conf->dbs, conf->ndbs * sizeof(*dbs));
	db->number = conf->ndbs;
	dbs[conf->ndbs++] = db;
	conf->dbs = dbs;
}

/* config and monitor have a suffix of their own. */
static void
db_own_suffix(struct slapd_conf *conf, struct be_db *db, const char *text)
{
	db->suffixes = arena_zalloc(&conf->arena, sizeof(*db->suffixes));
	db->nsuffixes = dn_parse(&conf->arena, conf->schema, slice_of(text),
	    db->suffixes, NULL) == HB_OK;
	db->hidden = true;
}

void
conf_sections_init(struct slapd_conf *conf)
{
	struct be_db *db;

	conf->frontend = db_new(conf, &frontend_backend);
	conf->frontend->hidden = true;
	conf->current = conf->frontend;
	db = db_new(conf, conf_placeholder("config"));
	db_own_suffix(conf, db, "cn=config");
	if (db->nsuffixes == 1)
		db->root_dn = db->suffixes[0];
	db_append(conf, db);
}

static void
db_free(struct be_db *db)
{
	if (db == NULL)
		return;
	if (db->be->conf_free != NULL)
		db->be->conf_free(db);
	if (db->be->config != NULL && db->conf != NULL)
		cfg_fini(db->be->config, db->conf);
	free(db->conf);
	limits_fini(db->limits);
	acl_list_fini(slapd_db_conf(db)->acl);
	if (db->root_pw != NULL)
		mem_wipe(db->root_pw, strlen(db->root_pw));
	free(db->root_pw);
}

void
conf_sections_free(struct slapd_conf *conf)
{
	for (unsigned i = 0; i < conf->ndbs; i++)
		db_free(conf->dbs[i]);
	db_free(conf->frontend);
}

int
conf_backend(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	struct slapd_conf *conf = base;

	(void)ctx;
	return find_backend(line, &conf->backend, diag);
}

int
conf_database(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	struct slapd_conf *conf = base;
	const struct slapd_backend *be;
	struct be_db *db;
	int rc;

	(void)ctx;
	conf->backend = NULL;
	if (strcasecmp(line->words[1], "frontend") == 0) {
		conf->current = conf->frontend;
		return HB_OK;
	}
	if ((rc = find_backend(line, &be, diag)) != HB_OK)
		return rc;
	if (be == conf->dbs[0]->be) {
		db = conf->dbs[0];
	} else {
		db = db_new(conf, be);
		db_append(conf, db);
		if (be == conf_placeholder("monitor"))
			db_own_suffix(conf, db, "cn=Monitor");
	}
	if (conf_is_placeholder(be))
		conf_warn(line, "database %s is read but not served yet",
		    be->name);
	db->file = line->file;
	db->line = line->line;
	conf->current = db;
	return HB_OK;
}
