/*
 * What can be said only when the whole file was read.
 */
#include "acl.h"
#include "conf_int.h"
#include "overlay.h"
#include "route.h"
#include "util/err.h"
#include "util/log.h"

/* The defaults that are no constants. */
static int
set_defaults(struct slapd_conf *conf, struct diag *diag)
{
	static char *ssha[] = { (char *)(uintptr_t)"{SSHA}", NULL };
	struct dn dn;
	int rc;

	if (conf->password_hash.n == 0)
		conf->password_hash = (struct cfg_words){ ssha, 1 };
	if (conf->crypt_salt_format == NULL)
		conf->crypt_salt_format = arena_strdup(&conf->arena, "%s");
	if ((rc = dn_parse(&conf->arena, conf->schema, SLICE("cn=Subschema"),
	    &dn, diag)) != HB_OK)
		return rc;
	if (slice_is_none(slapd_db_conf(conf->frontend)->schema_dn.norm))
		slapd_db_conf(conf->frontend)->schema_dn = dn;
	for (unsigned i = 0; i < conf->ndbs; i++) {
		struct slapd_db_conf *dc = slapd_db_conf(conf->dbs[i]);

		if (slice_is_none(dc->schema_dn.norm))
			dc->schema_dn =
			    slapd_db_conf(conf->frontend)->schema_dn;
	}
	return HB_OK;
}

static bool
holds(const struct be_db *db, const struct dn *dn)
{
	for (unsigned i = 0; i < db->nsuffixes; i++)
		if (dn_is_within(dn, &db->suffixes[i]))
			return true;
	return false;
}

static int
check_rootpw(const struct slapd_conf *conf, const struct be_db *db,
    struct diag *diag)
{
	const struct slapd_db_conf *dc = slapd_db_conf(db);
	const struct be_db *owner;
	int rc = HB_OK;

	if (db->root_pw == NULL)
		return HB_OK;
	owner = db->hidden ? db : route_find(conf, &db->root_dn);
	if (dn_is_empty(&db->root_dn))
		rc = diag_err(diag, HB_EINVAL, "<rootpw> can only be set when "
		    "there is a rootdn");
	else if (!holds(db, &db->root_dn) || owner != db)
		rc = diag_err(diag, HB_EINVAL, "<rootpw> can only be set when "
		    "rootdn is under suffix: \"%.*s\" is not",
		    SLICE_ARG(db->root_dn.text));
	if (rc != HB_OK)
		diag_at(diag, dc->rootpw_file, dc->rootpw_line);
	return rc;
}

static int
check_db(const struct slapd_conf *conf, struct be_db *db, struct diag *diag)
{
	int rc = HB_OK;

	if (db->nsuffixes == 0 && !conf_is_placeholder(db->be))
		rc = diag_err(diag, HB_EINVAL, "this %s database has no suffix",
		    db->be->name);
	if (rc == HB_OK)
		rc = check_rootpw(conf, db, diag);
	if (rc == HB_OK && db->be->conf_check != NULL)
		rc = db->be->conf_check(db, diag);
	if (rc != HB_OK)
		diag_at(diag, db->file, db->line);
	return rc;
}

static void
set_rules(struct slapd_conf *conf, struct be_db *db)
{
	struct acl_list *global = slapd_db_conf(conf->frontend)->acl;

	db->rules = access_rules_new(&conf->arena, conf,
	    db != conf->frontend ? slapd_db_conf(db)->acl : NULL, global);
}

int
conf_check(struct slapd_conf *conf, struct diag *diag)
{
	int rc;

	if ((rc = set_defaults(conf, diag)) != HB_OK)
		return rc;
	schema_freeze(conf->schema);
	conf->route = route_new(conf);
	for (unsigned i = 0; i < conf->ndbs; i++)
		if ((rc = check_db(conf, conf->dbs[i], diag)) != HB_OK)
			return rc;
	if ((rc = overlays_check(conf, diag)) != HB_OK)
		return rc;
	set_rules(conf, conf->frontend);
	for (unsigned i = 0; i < conf->ndbs; i++)
		set_rules(conf, conf->dbs[i]);
	return slapd_conf_pick_server_id(conf, NULL, 0, diag);
}

static bool
is_same_url(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);

	while (n > 0 && a[n - 1] == '/')
		n--;
	while (m > 0 && b[m - 1] == '/')
		m--;
	return n == m && strncasecmp(a, b, n) == 0;
}

static bool
is_own_url(const char *url, const char *const *urls, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (is_same_url(url, urls[i]))
			return true;
	return false;
}

int
slapd_conf_pick_server_id(struct slapd_conf *conf, const char *const *urls,
    unsigned n, struct diag *diag)
{
	const struct conf_server_id *found = NULL;

	for (unsigned i = 0; i < conf->nserver_ids; i++) {
		const struct conf_server_id *s = &conf->server_ids[i];

		if (s->url != NULL && !is_own_url(s->url, urls, n))
			continue;
		if (found != NULL)
			return diag_err(diag, HB_EINVAL, "<serverID> %u and %u "
			    "both name a listener of this server", found->id,
			    s->id);
		found = s;
	}
	if (found == NULL && n > 0 && conf->nserver_ids > 0)
		return diag_err(diag, HB_EINVAL, "<serverID> no line names a "
		    "listener of this server");
	conf->frontend->server_id = found != NULL ? found->id : 0;
	for (unsigned i = 0; i < conf->ndbs; i++)
		conf->dbs[i]->server_id = conf->frontend->server_id;
	return HB_OK;
}
