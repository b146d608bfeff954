/*
 * Whole configurations: what is accepted, what each error says and where.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "servers/slapd/conf.h"
#include "servers/slapd/route.h"
#include "util/err.h"
#include "util/log.h"

#define SCHEMA_LINES	3
#define DB		"database hdb\nsuffix dc=example,dc=com\n"
#define ROOTDN		"rootdn cn=admin,dc=example,dc=com\n"

static char path[64];

static int
read_text(const char *text, struct slapd_conf **conf_r, struct diag *diag)
{
	static const char *const schema[SCHEMA_LINES] = {
		"core", "cosine", "inetorgperson"
	};
	const char *top = getenv("top_srcdir");
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	for (unsigned i = 0; i < SCHEMA_LINES; i++)
		fprintf(f, "include %s/doc/schema/%s.schema\n",
		    top != NULL ? top : ".", schema[i]);
	fputs(text, f);
	fclose(f);
	diag_clear(diag);
	return slapd_conf_read(path, conf_r, diag);
}

struct conf_case {
	const char *text;
	unsigned line;			/* of the error; 0: accepted */
	const char *error;
};

static const struct conf_case conf_cases[] = {
	/* accepted: what files in the field have */
	{ "", 0, NULL },
	{ DB ROOTDN "rootpw secret\ndirectory /tmp\nindex objectClass eq\n", 0,
	    NULL },
	{ "database hdb\ndirectory db\nrootpw x\nrootdn \"cn=a, dc=x\"\n"
	    "suffix \"dc=x\"\n", 0, NULL },
	{ "backend bdb\nbackend hdb\n" DB, 0, NULL },
	{ "lastmod on\naccess to * by * read\nsizelimit 100\n" DB, 0, NULL },
	{ DB "loglevel none\nidletimeout 30\nserverID 001\nsizelimit 5\n"
	    "password-hash {MD5}\npidfile /tmp/x\nargsfile /tmp/y\n"
	    "logfile /tmp/z\nmoduleload back_hdb\n", 0, NULL },
	{ "moduleload back_bdb.la\nmoduleload back_hdb.so\nmoduleload "
	    "/usr/lib/ldap/back_null\nmoduleload back_monitor\n", 0, NULL },
	{ "database config\nrootpw secret\naccess to * by * none\n" DB, 0,
	    NULL },
	{ "database monitor\naccess to * by dn.exact=cn=a,dc=x read by * none"
	    "\n" DB, 0, NULL },
	{ "allow bind_v2\nallows update_anon\ndisallow bind_anon tls_2_anon\n",
	    0, NULL },
	{ "replica uri=ldap://x binddn=y\nreplogfile /x\nreplica-pidfile /x\n"
	    "replica-argsfile /x\nreplicationinterval 5\nschemacheck on\n"
	    "reverse-lookup off\nconcurrency 3\nsortvals member memberUid\n"
	    "ucdata-path ./x\nindex_intlen 4\n", 0, NULL },
	{ DB "rootdn cn=x\n", 0, NULL },
	{ "database bdb\nsuffix \"\"\ndirectory x\n", 0, NULL },
	{ "defaultsearchbase \"\"\n" DB, 0, NULL },
	{ "threads 64\ntool-threads 1\nconn_max_pending 100\n"
	    "conn_max_pending_auth 5000\ngentlehup on\nlocalssf 71\n", 0,
	    NULL },
	{ DB "checkpoint 512 30\ncachesize 10000\nidlcachesize 30000\n"
	    "dbconfig set_cachesize 0 2097152 0\ndirtyread\ndbnosync\n"
	    "mode 0600\nlockdetect default\nreadonly off\nmonitoring off\n", 0,
	    NULL },
	{ "loglevel sync stats\nloglevel 16384\nloglevel -1\nloglevel Stats\n",
	    0, NULL },
	{ "sizelimit -1\nsizelimit unlimited\ntimelimit unlimited\n"
	    "timelimit 300\nsizelimit size.soft=5 size.hard=soft "
	    "size.unchecked=unlimited\n", 0, NULL },
	{ "require none\nrequire bind\n" DB "requires authc\n", 0, NULL },
	{ "security update_ssf=128 simple_bind=128\n", 0, NULL },
	{ "password-crypt-salt-format \"$6$%.8s\"\n", 0, NULL },
	{ "serverID 1 ldap://a\nserverID 2 ldap://b\n", 0, NULL },
	{ "attributetypes ( 1.2.3.4.5 NAME 'x-y' SYNTAX "
	    "1.3.6.1.4.1.1466.115.121.1.15 )\n" DB, 0, NULL },
	{ "database null\nsuffix dc=a\nsuffix dc=b\n", 0, NULL },
	{ "database hdb\nsuffix ou=inner,dc=x\n database\n\ndatabase hdb\n"
	    "suffix dc=x\n", 3, "extra cruft" },
	{ "database hdb\nsuffix ou=inner,dc=x\n\ndatabase hdb\nsuffix dc=x\n",
	    0, NULL },
	{ DB "limits dn=\"cn=(admin|reader),dc=x\" size=5000\n"
	    "limits users time.soft=10 size.hard=soft\nlimits * size=1\n"
	    "limits dn.regex=cn=(.+),ou=(.+) size.pr=5 size.prtotal=disabled\n"
	    "limits group/groupOfNames/member=cn=g,dc=x size=unlimited\n", 0,
	    NULL },
	{ "database frontend\nsizelimit 7\naccess to * by * read\n" DB, 0,
	    NULL },
	{ "restrict write\n" DB "restrict extended=1.3.6.1.4.1.1466.20037\n",
	    0, NULL },
	{ "tcp-buffer 65536\ntcp-buffer listener=ldap://x read=4096\n", 0,
	    NULL },
	{ "sighup shutdown\n", 0, NULL },
	{ "referral ldap://other.example.com\nreferral ldaps://b/\n", 0, NULL },
	/* refused */
	{ "concurency 20\n", 1, "unknown directive <concurency> outside "
	    "backend and database definitions; did you mean \"concurrency\"?" },
	{ "# c\n:\n", 2, "unknown directive <:>" },
	{ " # slave\n", 1, "unknown directive <#>" },
	{ DB "indx a eq\n", 3, "did you mean \"index\"" },
	{ "backend hdb\nwhat ever\n", 2, "inside backend \"hdb\"" },
	{ "checkpoint 512 30\n" DB, 1, "only allowed inside a database" },
	{ "backend bdb\ncachesize 5\n", 2, "only allowed inside a database" },
	{ "rootdn cn=x\n", 1, "only allowed inside a database" },
	{ "dbcachesize 100000\n", 1, "dbcachesize" },
	{ DB ROOTDN "rootpw      # password\n", 4,
	    "<rootpw> extra cruft after <password>" },
	{ "idletimeout 10 # text\n", 1, "<idletimeout> extra cruft after" },
	{ "threads 1\n", 1, "2 to 1024 expected" },
	{ DB "allow bind_v2\n", 3, "must appear before any database" },
	{ DB "backend bdb\n", 3, "must appear before any database" },
	{ DB "suffix dc=other\n", 3, "only one suffix" },
	{ DB "\ndatabase bdb\nsuffix ou=a,dc=example,dc=com\n", 5,
	    "already served by the preceding hdb database" },
	{ DB "\ndatabase bdb\nsuffix dc=EXAMPLE,dc=com\n", 5,
	    "already served" },
	{ "database hdb\ndirectory x\n", 1, "has no suffix" },
	{ DB "rootpw secret\n", 3, "<rootpw> can only be set when there is a "
	    "rootdn" },
	{ DB "rootdn cn=x,dc=other\nrootpw secret\n", 4,
	    "rootdn is under suffix" },
	{ DB "rootdn cn\n", 3, "invalid DN" },
	{ DB "rootdn \".*,ou=Admins\"\n", 3, "invalid DN" },
	{ "database monitor\nsuffix cn=x\n", 2, "own suffix" },
	{ "database ldbm\n", 1, "unrecognized type \"ldbm\"" },
	{ "database hbd\n", 1, "did you mean \"hdb\"" },
	{ "database mdb\n", 1, "\"mdb\" is not supported yet" },
	{ "moduleload syncprov\n", 1, "\"syncprov\" is not supported yet" },
	{ "moduleload nonsense.la\n", 1, "no such module" },
	{ "moduleload back_hdb x y\nmoduleload\n", 2, "missing" },
	{ DB "overlay syncprov\n", 3, "<overlay syncprov> is not supported yet" },
	{ DB "syncRepl rid=1 provider=ldap://x\n", 3, "not supported yet" },
	{ "TLSCertificateFile \"\\\"OpenLDAP Server\\\"\"\n", 1,
	    "<TLSCertificateFile " },
	{ "sasl-regexp a b\n", 1, "not supported yet" },
	{ "authz-regexp a b\n", 1, "not supported yet" },
	{ "loglevel lots\n", 1, "lots" },
	{ "sizelimit five\n", 1, "invalid limit" },
	{ "sizelimit size.softy=5\n", 1, "unknown limit" },
	{ DB "limits nobody size=5\n", 3, "unknown selector" },
	{ DB "limits users size\n", 3, "unknown limit" },
	{ DB "limits dn.regex=( size=5\n", 3, "regular expression" },
	{ "serverID 4096\n", 1, "0 to 4095" },
	{ "serverID 1\nserverID 2\n", 2, "only once" },
	{ "serverID 1 ldap://a\nserverID 2\n", 2, "either all" },
	{ "password-hash {NOPE}\n", 1, "no valid hashes" },
	{ "password-crypt-salt-format %d\n", 1, "salt format" },
	{ "referral ldap://x/dc=y\n", 1, "invalid URL" },
	{ "referral http://x\n", 1, "invalid URL" },
	{ "require nothing\n", 1, "unknown value" },
	{ "restrict wirte\n", 1, "did you mean \"write\"" },
	{ "security sff=1\n", 1, "unknown factor" },
	{ "attributetype ( 1.2.3 NAME 'q' SYNTAX nope )\n", 1, "nope" },
	{ "objectclass\n", 1, "missing <definition>" },
	{ "rootDSE /nonexistent\n", 1, "/nonexistent" },
	{ "defaultsearchbase dc=x\ndefaultsearchbase dc=y\n", 2, "already" },
	{ "access to userPassword by * read\n", 1, "missing \"=\"" },
	{ "access to * by * read # all\n", 1,
	    "expecting <control> or \"by\" got \"#\"" },
	{ "include /nonexistent.conf\n", 1, "No such file" },
};

static void
test_cases(void **state)
{
	struct diag diag = DIAG_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(conf_cases) / sizeof(*conf_cases); i++) {
		const struct conf_case *c = &conf_cases[i];
		struct slapd_conf *conf = NULL;
		int rc = read_text(c->text, &conf, &diag);

		if ((rc == HB_OK) != (c->line == 0))
			fail_msg("<%s>: %s: line %u: %s", c->text,
			    hb_errname(rc), diag.line, diag.text);
		if ((rc == HB_OK) != (conf != NULL))
			fail_msg("<%s>: conf", c->text);
		if (rc != HB_OK && (diag.line != c->line + SCHEMA_LINES ||
		    strstr(diag.text, c->error) == NULL))
			fail_msg("<%s>: line %u: %s", c->text, diag.line,
			    diag.text);
		slapd_conf_free(&conf);
	}
}

static const char sample[] =
    "# A file as sites have it\r\n"
    "loglevel\t\tstats sync\n"
    "modulepath /usr/lib/ldap\n"
    "moduleload back_bdb.la\n"
    "sizelimit 200\n"
    "allow bind_v2\n"
    "access to dn.base=\"\" by * read\n"
    "# disabled\n"
    " access to dn.base=\"x\" by * none\n"
    "\n"
    "backend bdb\n"
    "database config\n"
    "rootdn cn=config\nrootpw secret\n"
    "database bdb\n"
    "suffix \"ou=inner,dc=example,dc=com\"\n"
    "directory ./inner\n"
    "\n"
    "DATABASE hdb\n"
    "suffix \"dc=Example, dc=com\"\n"
    "rootdn \"cn=Admin,dc=example,dc=com\"\n"
    "rootpw {SSHA}xxxx\n"
    "sizelimit size.soft=10 size.hard=20\n"
    "timelimit 60\n"
    "readonly\n"
    "restrict add\n"
    "require authc\n"
    "security ssf=1\n"
    "lastmod off\n"
    "index cn,sn\n"
    "   eq,sub\n"
    "access to attrs=userPassword,\n"
    "\tby self write\n"
    "\n"
    "access to *\n"
    "   \n"
    "\tby * read\n"
    "database monitor\n";

static void
test_fields(void **state)
{
	struct diag diag = DIAG_INIT;
	struct slapd_conf *conf;
	struct be_db *db;
	struct arena a;
	struct dn dn;

	(void)state;
	arena_init(&a, 0);
	if (read_text(sample, &conf, &diag) != HB_OK)
		fail_msg("line %u: %s", diag.line, diag.text);
	assert_int_equal(conf->ndbs, 4);
	assert_int_equal(conf->loglevel, LOG_STATS | LOG_SYNC);
	assert_true(conf->has_loglevel);
	assert_int_equal(conf->allows, ALLOW_BIND_V2);
	assert_int_equal(conf->sockbuf_max_incoming_auth, 16777215);
	assert_string_equal(conf->password_hash.v[0], "{SSHA}");
	assert_string_equal(conf->dbs[0]->root_pw, "secret");

	db = conf->dbs[1];
	assert_int_equal(slapd_db_conf(db)->limit.size_soft, 200);
	assert_true(db->lastmod);
	assert_int_equal(db->max_deref_depth, 15);
	assert_true(db->monitoring);

	db = conf->dbs[2];
	assert_int_equal(db->number, 2);
	assert_string_equal(db->be->name, "hdb");
	assert_string_equal(db->root_pw, "{SSHA}xxxx");
	assert_true(slice_is_eq(db->suffixes[0].text,
	    SLICE("dc=Example,dc=com")));
	assert_true(slice_is_eq(db->root_dn.norm,
	    SLICE("cn=admin,dc=example,dc=com")));
	assert_int_equal(slapd_db_conf(db)->limit.size_soft, 10);
	assert_int_equal(slapd_db_conf(db)->limit.size_hard, 20);
	assert_int_equal(slapd_db_conf(db)->limit.time_soft, 60);
	assert_true(db->read_only);
	assert_false(db->lastmod);
	assert_int_equal(slapd_db_conf(db)->restricts, RESTRICT_OP(OP_ADD));
	assert_int_equal(slapd_db_conf(db)->requires, REQUIRE_AUTHC);
	assert_int_equal(slapd_db_conf(db)->security.ssf, 1);
	assert_int_equal(db->line, 19 + SCHEMA_LINES);
	assert_true(conf->dbs[3]->hidden);

	assert_int_equal(dn_parse(&a, conf->schema,
	    SLICE("cn=x,ou=inner,dc=example,dc=com"), &dn, NULL), HB_OK);
	assert_ptr_equal(route_find(conf, &dn), conf->dbs[1]);
	assert_int_equal(dn_parse(&a, conf->schema,
	    SLICE("ou=outer,dc=example,dc=com"), &dn, NULL), HB_OK);
	assert_ptr_equal(route_find(conf, &dn), conf->dbs[2]);
	assert_int_equal(dn_parse(&a, conf->schema, SLICE("dc=com"), &dn,
	    NULL), HB_OK);
	assert_null(route_find(conf, &dn));
	assert_int_equal(dn_parse(&a, conf->schema, SLICE("cn=Monitor"), &dn,
	    NULL), HB_OK);
	assert_null(route_find(conf, &dn));
	assert_ptr_equal(route_default(conf), conf->dbs[1]);
	slapd_conf_free(&conf);
	slapd_conf_free(&conf);
	arena_fini(&a);
}

static void
test_server_id(void **state)
{
	static const char *const urls[] = { "ldap://B", "ldapi://x" };
	struct diag diag = DIAG_INIT;
	struct slapd_conf *conf;

	(void)state;
	assert_int_equal(read_text("serverID 0x10\n" DB, &conf, &diag), HB_OK);
	assert_int_equal(conf->dbs[1]->server_id, 16);
	slapd_conf_free(&conf);
	assert_int_equal(read_text("serverID 001 ldap://a\nserverID 2 "
	    "ldap://b/\n" DB, &conf, &diag), HB_OK);
	assert_int_equal(conf->dbs[1]->server_id, 0);
	assert_int_equal(slapd_conf_pick_server_id(conf, urls, 2, &diag),
	    HB_OK);
	assert_int_equal(conf->dbs[1]->server_id, 2);
	assert_int_equal(slapd_conf_pick_server_id(conf, urls + 1, 1, &diag),
	    HB_EINVAL);
	slapd_conf_free(&conf);
}

/* Said by slaptest; the second definition is the same. */
static void
test_notes(void **state)
{
	struct diag diag = DIAG_INIT;
	struct slapd_conf *conf;
	char want[256];

	(void)state;
	assert_int_equal(read_text("objectidentifier a 1.2\n"
	    "objectidentifier a 1.2\nattributetype ( 2.5.4.3 NAME 'cn' SUP "
	    "name )\n" DB, &conf, &diag), HB_OK);
	assert_non_null(conf->notes);
	snprintf(want, sizeof(want), "%s: line %u: note: 1.2 is defined alike "
	    "already (%s line %u)", path, SCHEMA_LINES + 2, path,
	    SCHEMA_LINES + 1);
	assert_string_equal(conf->notes->text, want);
	assert_non_null(strstr(conf->notes->next->text, "(built in)"));
	assert_null(conf->notes->next->next);
	slapd_conf_free(&conf);
}

static void
test_root_dse(void **state)
{
	struct diag diag = DIAG_INIT;
	struct slapd_conf *conf;
	char ldif[80], text[128];
	FILE *f;

	(void)state;
	snprintf(ldif, sizeof(ldif), "%s.ldif", path);
	assert_non_null(f = fopen(ldif, "w"));
	fputs("dn:\ndescription: one\nseeAlso: cn=x\ndescription: two\n", f);
	fclose(f);
	snprintf(text, sizeof(text), "rootDSE %s\n", ldif);
	if (read_text(text, &conf, &diag) != HB_OK)
		fail_msg("%s", diag.text);
	assert_int_equal(conf->root_dse.n, 2);
	assert_int_equal(conf->root_dse.v[0].n, 2);
	slapd_conf_free(&conf);
	unlink(ldif);
}

#define LDIF_DN		"dn: cn=x,cn=schema,cn=config\n" \
	"objectClass: olcSchemaConfig\ncn: x\n"
#define LDIF_X		"olcAttributeTypes: ( my:1 NAME 'x' SUP name )\n"

static const struct {
	const char *text;
	unsigned line;			/* of the error; 0: accepted */
	const char *error;
} ldif_cases[] = {
	{ "", 0, NULL },
	{ LDIF_DN, 0, NULL },
	{ "# remark\nversion: 1\n\n" LDIF_DN LDIF_X
	    "olcObjectIdentifier: my 1.2.3\n", 0, NULL },
	/* {n} counts, not the order; folded; base64 of "( 1.2.6 SUP cn )" */
	{ LDIF_DN "olcAttributeTypes: {1}( 1.2.5 NAME 'y' SU\n P x )\n"
	    "olcAttributeTypes: {0}( 1.2.4 NAME 'x' SUP name )\n"
	    "OLCATTRIBUTETYPES:: KCAxLjIuNiBTVVAgY24gKQ==\n", 0, NULL },
	{ LDIF_DN "olcObjectClasses: ( 1.2.4 NAME 'c' AUXILIARY MAY x )\n"
	    "olcDitContentRules: ( device NAME 'r' AUX c )\n"
	    "olcLdapSyntaxes: ( my:2 DESC 'd' )\n"
	    "olcAttributeTypes: {0}( my:3 NAME 'x' SYNTAX my:2 )\n"
	    "olcObjectIdentifier: {0}my 1.2\n"
	    "entryCSN: 20200101000000.000000Z#000000#000#000000\n\n"
	    "dn: cn={4}y\nobjectClass: olcSchemaConfig\n"
	    "olcAttributeTypes: ( my:4 NAME 'y' SUP x )\n", 0, NULL },
	{ "dn: cn=schema,cn=config\nobjectClass: olcSchemaConfig\n"
	    "cn: schema\n", 0, NULL },
	{ LDIF_DN LDIF_X, 4, "attributetype: 'my:1' is neither" },
	{ LDIF_DN "olcAttributeTypes: ( 1.2.4 NAME 'y'\n  SUP name )\n"
	    "olcObjectClasses: ( 1.2.5 NAME 'c'\n  MAY nothing )\n", 6,
	    "objectclass: 'c': MAY" },
	{ LDIF_DN "olcObjectIdentifier: my\n", 4, "a name and an OID" },
	{ LDIF_DN "olcObjectIdentifier: my 1.2 3\n", 4, "a name and an OID" },
	{ LDIF_DN "olcAttributeTypes:\n", 4, "missing <definition>" },
	{ LDIF_DN "olcAccess: to * by * read\n", 1,
	    "'olcAccess' has no place in a schema entry" },
	{ LDIF_DN "\ndn: cn=config\nobjectClass: olcGlobal\n", 5,
	    "objectClass olcSchemaConfig expected" },
	{ "dn: dc=x,dc=y\nobjectClass: olcSchemaConfig\n", 1,
	    "an entry below cn=schema,cn=config expected" },
	{ "dn: cn=x,cn=schema,cn=config\nchangetype: delete\n", 1,
	    "whole entries expected" },
	{ LDIF_DN "no colon\n", 4, "" },
};

static void
test_schema_ldif(void **state)
{
	struct diag diag = DIAG_INIT;
	struct slapd_conf *conf;
	char ldif[80], text[128];
	unsigned line;
	FILE *f;
	int rc;

	(void)state;
	snprintf(ldif, sizeof(ldif), "%s.ldif", path);
	snprintf(text, sizeof(text), "include %s\n", ldif);
	for (size_t i = 0; i < sizeof(ldif_cases) / sizeof(*ldif_cases); i++) {
		assert_non_null(f = fopen(ldif, "w"));
		fputs(ldif_cases[i].text, f);
		fclose(f);
		line = ldif_cases[i].line;
		rc = read_text(text, &conf, &diag);
		if ((rc == HB_OK) != (line == 0) || (line != 0 &&
		    (diag.line != line || strcmp(diag.file, ldif) != 0 ||
		    strstr(diag.text, ldif_cases[i].error) == NULL)))
			fail_msg("%zu: %d %u: %s", i, rc, diag.line,
			    diag.text);
		slapd_conf_free(&conf);
	}
	unlink(ldif);
}

static int
setup(void **state)
{
	int fd;

	(void)state;
	strcpy(path, "/tmp/test_conf.XXXXXX");
	fd = mkstemp(path);
	close(fd);
	return fd < 0;
}

static int
teardown(void **state)
{
	(void)state;
	return unlink(path);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_server_id),
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_root_dse),
		cmocka_unit_test(test_schema_ldif),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
