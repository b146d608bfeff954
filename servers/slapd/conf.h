/*
 * The whole of slapd.conf as typed fields: what is global, and the list of
 * databases. Built by one thread, then only read. A reload reads a second one
 * beside it. Knows directives, not what the frontend does with them.
 */
#ifndef SLAPD_CONF_H
#define SLAPD_CONF_H

#include <sys/types.h>

#include "cfg.h"
#include "limit.h"
#include "slapd/backend.h"

struct acl_list;
struct overlay;
struct route;

enum conf_allow {
	ALLOW_BIND_V2 = 1, ALLOW_BIND_ANON_CRED = 2, ALLOW_BIND_ANON_DN = 4,
	ALLOW_UPDATE_ANON = 8, ALLOW_PROXY_AUTHZ_ANON = 16
};

enum conf_disallow {
	DISALLOW_BIND_ANON = 1, DISALLOW_BIND_SIMPLE = 2,
	DISALLOW_TLS_2_ANON = 4, DISALLOW_TLS_AUTHC = 8,
	DISALLOW_PROXY_AUTHZ_NON_CRITICAL = 16,
	DISALLOW_DONTUSECOPY_NON_CRITICAL = 32
};

enum conf_require {
	REQUIRE_BIND = 1, REQUIRE_LDAPV3 = 2, REQUIRE_AUTHC = 4,
	REQUIRE_SASL = 8, REQUIRE_STRONG = 16
};

/*
 * A restricted operation has bit RESTRICT_OP(kind); extended ones also by OID.
 */
#define RESTRICT_OP(kind)	(1u << (kind))
enum conf_restrict {
	RESTRICT_EXOP_STARTTLS = 1 << 16, RESTRICT_EXOP_PASSMOD = 1 << 17,
	RESTRICT_EXOP_WHOAMI = 1 << 18, RESTRICT_EXOP_CANCEL = 1 << 19
};

/*
 * Security strength factors that must be met (slapd.conf `security`); 0: none.
 */
struct conf_security {
	unsigned ssf, transport, tls, sasl;
	unsigned update_ssf, update_transport, update_tls, update_sasl;
	unsigned simple_bind;
};

struct conf_server_id {
	unsigned id;
	char *url;			/* NULL: the plain form */
};

struct conf_tcp_buffer {
	char *listener;			/* URL; NULL: all */
	unsigned read, write;		/* bytes; 0: the system's default */
};

/* What is no warning but may be of interest, in order of the files. */
struct conf_note {
	struct conf_note *next;
	const char *text;		/* "<file>: line <n>: note: ..." */
};

enum conf_sighup { SIGHUP_RELOAD, SIGHUP_SHUTDOWN };

/*
 * What the frontend keeps of a database: be_db.frontend_conf, never NULL.
 * A database starts with a copy of what the frontend's own has at that line.
 */
struct slapd_db_conf {
	struct slapd_conf *conf;	/* whose database it is */
	/* RESTRICT_OP() and enum conf_restrict */
	unsigned restricts;
	unsigned requires;		/* enum conf_require */
	struct conf_security security;
	struct limit_set limit;		/* sizelimit, timelimit */
	bool add_content_acl;
	struct dn schema_dn;		/* subschemaSubentry of its entries */
	struct acl_list *acl;		/* see be_db.rules */
	struct overlay *overlays;	/* its instances, last line first */
	const char *rootpw_file;	/* where rootpw stands, for messages */
	unsigned rootpw_line;
};

struct slapd_conf {
	const char *file;
	struct schema *schema;		/* frozen */
	/*
	 * In order of the file, dbs[i]->number == i. dbs[0] is always `config`.
	 * A database with hidden set is never chosen and is no naming context;
	 * sections whose backend is not served yet (config, monitor) are such.
	 * Its backend's functions may all be NULL, db_open too.
	 */
	struct be_db **dbs;
	unsigned ndbs;
	/*
	 * Settings outside all databases. op->db points here whenever no
	 * database is concerned (root DSE, subschema, unknown DN): it is never
	 * NULL when access is asked.
	 */
	struct be_db *frontend;
	struct route *route;
	struct overlay *overlays;	/* all instances, in order of the file */
	unsigned noverlays;
	unsigned ndefined;		/* types whose schema is defined */

	/* files and process */
	char *pidfile, *argsfile, *logfile;
	int loglevel;			/* log.h bits */
	bool has_loglevel;		/* given: replaces what -s gave */
	bool gentlehup;
	int sighup;			/* enum conf_sighup */

	/* threads and connections */
	unsigned threads;		/* of the pool */
	unsigned listener_threads;	/* event loops; 0: one a core */
	unsigned tool_threads;
	unsigned idletimeout, writetimeout;	/* seconds; 0: off */
	unsigned sockbuf_max_incoming, sockbuf_max_incoming_auth;
	unsigned conn_max_pending, conn_max_pending_auth;
	struct conf_tcp_buffer *tcp_buffers;	/* first match holds */
	unsigned ntcp_buffers;
	unsigned local_ssf;

	/* protocol */
	unsigned allows, disallows;	/* enum conf_allow, conf_disallow */
	struct slice *referrals;	/* default referral URLs */
	unsigned nreferrals;
	struct dn default_search_base;
	bool has_default_search_base;
	struct attrs root_dse;		/* user attributes to merge into it */
	struct conf_server_id *server_ids;
	unsigned nserver_ids;
	struct cfg_words password_hash;	/* schemes, "{SSHA}"; at least one */
	char *crypt_salt_format;
	char *module_path;		/* NULL: the compiled-in folder */

	/* DNs, rules and lists of all of the above */
	struct arena arena;
	struct conf_note *notes, **notes_end;
	/* where reading stands */
	/* the section: frontend, or a database */
	struct be_db *current;
	/* inside `backend NAME`, else NULL */
	const struct slapd_backend *backend;
};

/* Tables for the manual; end with CFG_END. */
extern const struct cfg_item conf_global_table[];
/* Outside and inside of databases; base struct be_db, as below. */
extern const struct cfg_item conf_common_table[];
extern const struct cfg_item conf_database_table[];	/* only inside */

/*
 * Read FILE and all it includes, load modules, check databases, compile access
 * rules, freeze the schema. HB_OK or the error with file and line in DIAG; then
 * *conf_r is NULL. Warnings are logged at LOG_ANY.
 */
int slapd_conf_read(const char *file, struct slapd_conf **conf_r,
    struct diag *);
/* Databases must be closed. Accepts NULL. */
void slapd_conf_free(struct slapd_conf **conf);

/*
 * Choose the server ID by the listeners' URLs (N; none for tools) and set
 * be_db.server_id everywhere. HB_EINVAL: two match, or none of the URL forms.
 */
int slapd_conf_pick_server_id(struct slapd_conf *, const char *const *urls,
    unsigned n, struct diag *);

static inline struct slapd_db_conf *
slapd_db_conf(const struct be_db *db)
{
	return db->frontend_conf;
}

#endif
