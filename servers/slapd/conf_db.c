/*
 * Directives of a database. Those of conf_common_table may also stand outside
 * all databases, where they set what later databases begin with.
 */
#include <limits.h>

#include "acl.h"
#include "conf_int.h"
#include "limit.h"
#include "util/err.h"
#include "util/mem.h"

#define D	struct be_db

static struct slapd_conf *
conf_of(const D *db)
{
	return slapd_db_conf(db)->conf;
}

static int
parse_access(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	D *db = base;

	(void)ctx;
	return acl_list_add(slapd_db_conf(db)->acl, db->schema, line, diag);
}

static int
parse_add_content_acl(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	static const struct cfg_item row = CFG_BOOL(struct slapd_db_conf,
	    add_content_acl, "add_content_acl", NULL, 0, CFG_HOT, NULL);

	return cfg_apply(&row, slapd_db_conf(base), line, ctx, diag);
}

static int
parse_sizelimit(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	(void)ctx;
	return limits_parse_words(line, 1, LIMIT_SIZE,
	    &slapd_db_conf(base)->limit, diag);
}

static int
parse_timelimit(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	(void)ctx;
	return limits_parse_words(line, 1, LIMIT_TIME,
	    &slapd_db_conf(base)->limit, diag);
}

static int
parse_require(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	(void)ctx;
	return conf_parse_require(line, &slapd_db_conf(base)->requires, diag);
}

static int
parse_restrict(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	(void)ctx;
	return conf_parse_restrict(line, &slapd_db_conf(base)->restricts,
	    diag);
}

static int
parse_security(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	(void)ctx;
	return conf_parse_security(line, &slapd_db_conf(base)->security,
	    diag);
}

static int
parse_schema_dn(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	(void)ctx;
	return conf_dn(conf_of(base), line, 1, &slapd_db_conf(base)->schema_dn,
	    diag);
}

static int
parse_limits(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	(void)ctx;
	return limits_add(base, line, diag);
}

/* Is DN served by a database that stands before DB? */
static const D *
served_before(const D *db, const struct dn *dn)
{
	const struct slapd_conf *conf = conf_of(db);

	for (unsigned i = 0; i < conf->ndbs && conf->dbs[i] != db; i++)
		for (unsigned k = 0; k < conf->dbs[i]->nsuffixes; k++)
			if (dn_is_within(dn, &conf->dbs[i]->suffixes[k]))
				return conf->dbs[i];
	return NULL;
}

static int
parse_suffix(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	D *db = base;
	struct slapd_conf *conf = conf_of(db);
	struct dn dn, *all;
	const D *other;
	int rc;

	(void)ctx;
	if (conf_is_placeholder(db->be))
		return diag_err(diag, HB_EINVAL, "<%s> a %s database has its "
		    "own suffix", line->words[0], db->be->name);
	if ((rc = conf_dn(conf, line, 1, &dn, diag)) != HB_OK)
		return rc;
	for (unsigned i = 0; i < db->nsuffixes; i++)
		if (dn_is_eq(&dn, &db->suffixes[i])) {
			conf_warn(line, "suffix \"%.*s\" is already there "
			    "(ignored)", SLICE_ARG(dn.text));
			return HB_OK;
		}
	if ((db->be->flags & BACKEND_ONE_SUFFIX) != 0 && db->nsuffixes > 0)
		return diag_err(diag, HB_EINVAL, "<%s> only one suffix is "
		    "allowed in a %s database", line->words[0], db->be->name);
	if ((other = served_before(db, &dn)) != NULL)
		return diag_err(diag, HB_EINVAL, "<%s> namingContext \"%.*s\" "
		    "is already served by the preceding %s database \"%.*s\" "
		    "(%s: line %u); the inner one must come first",
		    line->words[0], SLICE_ARG(dn.text), other->be->name,
		    SLICE_ARG(other->suffixes[0].text),
		    other->file != NULL ? other->file : "built in",
		    other->line);
	all = arena_calloc(&conf->arena, db->nsuffixes + 1, sizeof(*all));
	if (db->nsuffixes > 0)
		memcpy(all, db->suffixes, db->nsuffixes * sizeof(*all));
	all[db->nsuffixes++] = dn;
	db->suffixes = all;
	return HB_OK;
}

static int
parse_rootdn(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	D *db = base;

	(void)ctx;
	return conf_dn(conf_of(db), line, 1, &db->root_dn, diag);
}

static int
parse_rootpw(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	D *db = base;
	struct slapd_db_conf *dc = slapd_db_conf(db);

	(void)ctx;
	(void)diag;
	if (db->root_pw != NULL)
		mem_wipe(db->root_pw, strlen(db->root_pw));
	free(db->root_pw);
	db->root_pw = mem_strdup(line->words[1]);
	dc->rootpw_file = line->file;
	dc->rootpw_line = line->line;
	return HB_OK;
}

const struct cfg_item conf_common_table[] = {
	CFG_CALL("access", parse_access, 1, -1, 0, CFG_HOT,
	    "to <what> by <who> <access> ...",
	    "Grant or refuse access; see slapd.access(5). Rules that stand "
	    "outside all databases come after those of each database."),
	CFG_CALL("add_content_acl", parse_add_content_acl, 0, 1, 0, CFG_HOT,
	    "on|off", "Also ask for access to every attribute of an entry that "
	    "is added. The default is off."),
	CFG_BOOL(D, lastmod, "lastmod", "on", 0, CFG_HOT,
	    "Keep creatorsName, createTimestamp, modifiersName, "
	    "modifyTimestamp, entryUUID and entryCSN of each entry."),
	CFG_BOOL(D, read_only, "readonly", "off", 0, CFG_HOT,
	    "Refuse all changes."),
	CFG_CALL("require", parse_require, 1, -1, CFG_PREFIX, CFG_HOT,
	    "<condition> ...", "Conditions that operations must meet: bind, "
	    "LDAPv3, authc, SASL, strong. none as the first word drops those "
	    "of the outer level."),
	CFG_CALL("restrict", parse_restrict, 1, -1, 0, CFG_HOT,
	    "<operation> ...", "Operations that are refused: add, bind, "
	    "compare, delete, modify, rename, search, extended, extended=OID, "
	    "read, write, all."),
	CFG_CALL("schemadn", parse_schema_dn, 0, 1, 0, CFG_RESTART, "<dn>",
	    "DN of the subschema entry. The default is cn=Subschema."),
	CFG_CALL("security", parse_security, 1, -1, 0, CFG_HOT,
	    "<factor>=<ssf> ...", "Security strength that operations need: "
	    "ssf, transport, tls, sasl, update_ssf, update_transport, "
	    "update_tls, update_sasl, simple_bind."),
	CFG_CALL("sizelimit", parse_sizelimit, 1, -1, 0, CFG_HOT,
	    "<n>|unlimited|size[.<kind>]=<n> ...",
	    "Most entries that a search returns. Kinds are soft, hard, "
	    "unchecked, pr and prtotal. The default is 500."),
	CFG_CALL("timelimit", parse_timelimit, 1, -1, 0, CFG_HOT,
	    "<seconds>|unlimited|time[.<kind>]=<seconds> ...",
	    "Most seconds that a search takes. Kinds are soft and hard. The "
	    "default is 3600."),
	CFG_END
};

const struct cfg_item conf_database_table[] = {
	CFG_BOOL(D, hidden, "hidden", NULL, 0, CFG_HOT,
	    "Never choose this database for an operation. The default is "
	    "off."),
	CFG_CALL("limits", parse_limits, 2, -1, 0, CFG_HOT,
	    "<who> <limit> ...", "Size and time limits of some clients: "
	    "anonymous, users, dn[.<style>]=<pattern>, "
	    "group[/<class>[/<attribute>]]=<dn> or *. The first line that "
	    "matches counts."),
	CFG_UINT(D, max_deref_depth, "maxderefdepth", 0, INT_MAX, "15", 0,
	    CFG_HOT, "<n>", "Aliases that are followed in a row."),
	CFG_BOOL(D, monitoring, "monitoring", "on", 0, CFG_HOT,
	    "Show this database in cn=Monitor."),
	CFG_CALL("rootdn", parse_rootdn, 0, 1, 0, CFG_HOT, "<dn>",
	    "Who is not subject to access control and limits."),
	{ "rootpw", CFG_T_CALL, CFG_FIELD(D, root_pw, char *), 1, 1, NULL,
	    NULL, parse_rootpw, CFG_SECRET, CFG_HOT, "<password>",
	    "Password of the rootdn, which must lie within the suffix. It may "
	    "be a hash that slappasswd made." },
	CFG_CALL("suffix", parse_suffix, 0, 1, 0, CFG_RESTART, "<dn>",
	    "DN of the topmost entry of the database."),
	CFG_UNSUPPORTED("extra_attrs", NULL),
	CFG_UNSUPPORTED("mirrormode", NULL),
	CFG_UNSUPPORTED("multiprovider", NULL),
	CFG_UNSUPPORTED("subordinate", NULL),
	CFG_UNSUPPORTED("sync_use_subentry", NULL),
	CFG_UNSUPPORTED("syncrepl", NULL),
	CFG_UNSUPPORTED("updatedn", NULL),
	CFG_UNSUPPORTED("updateref", NULL),
	CFG_END
};
