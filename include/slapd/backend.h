/*
 * A backend is one const table. A database (struct be_db) is one instance of
 * it, made by a `database` line. All functions of the op table may run in many
 * threads at once; the rest run alone (configuration, start, stop).
 */
#ifndef SLAPD_BACKEND_H
#define SLAPD_BACKEND_H

#include "cfg.h"
#include "slapd/monitor.h"
#include "slapd/op.h"
#include "slapd/tool.h"
#include "slapd/txn.h"

#define SLAPD_BACKEND_ABI	3

struct access_rules;
struct limits;
struct overlay;
struct slapd_overlay;

struct be_db {
	/* set by configuration, never changed while operations run */
	const struct slapd_backend *be;
	unsigned number;		/* config is 0 */
	struct dn *suffixes;
	unsigned nsuffixes;
	struct dn root_dn;		/* empty: none */
	char *root_pw;			/* NULL: none */
	bool lastmod, read_only, hidden, monitoring, subordinate, advertise;
	unsigned max_deref_depth;
	unsigned server_id;
	struct schema *schema;
	void *conf;			/* be->conf_size bytes, described by be->config */
	struct access_rules *rules;	/* this database's, global ones appended */
	struct limits *limits;
	void *frontend_conf;		/* the frontend's settings of a database */
	/*
	 * Open overlays that operations pass, outermost first, NULL-terminated;
	 * NULL: there are none. Tools have none.
	 */
	struct overlay **overlays;
	const char *file;		/* where `database` stands, for messages */
	unsigned line;

	void *priv;			/* the backend's own, db_open .. db_close */
};

enum backend_flags {
	BACKEND_ONE_SUFFIX = 1		/* a database has exactly one suffix */
};

struct slapd_backend {
	unsigned abi;			/* SLAPD_BACKEND_ABI */
	const char *name;		/* "hdb" */
	unsigned flags;
	size_t conf_size;
	const struct cfg_item *config;
	/* after the whole configuration was read; defaults are in place. May be NULL */
	int (*conf_check)(struct be_db *, struct diag *);
	void (*conf_free)(struct be_db *);
	/* Make ready for operations; recovers after a crash. DIAG says what to do. */
	int (*db_open)(struct be_db *, struct diag *);
	void (*db_close)(struct be_db *);
	/*
	 * Run an operation: HB_OK or the error that the client gets. NULL: not
	 * supported (unwillingToPerform). With op->may_wait false (the thread
	 * serves many connections) a function that would have to wait, read the
	 * disk at length or work for more than some 100 us returns HB_EDEFER
	 * before it sent or changed anything; it is called again with may_wait true.
	 * Write operations are always called with may_wait true.
	 * OP_BIND is called only if DN and password are not empty and are not rootdn's.
	 */
	int (*op[OP_KINDS])(struct be_db *, struct op *);
	/* The entry named DN exactly: HB_OK with a reference, HB_ENOENT, HB_EDEFER. No access control. */
	int (*entry_get)(struct be_db *, struct op *, const struct dn *dn,
	    struct entry **e_r);
	/* hasSubordinates of E. HB_OK, HB_EDEFER. */
	int (*has_children)(struct be_db *, struct op *, const struct entry *e,
	    bool *has_r);
	/*
	 * Calls of overlays in the transaction of a write; its functions run
	 * overlays_in_txn() before they commit. NULL: overlays with in_txn()
	 * are refused.
	 */
	const struct slapd_txn_ops *txn;
	const struct slapd_tool_ops *tool;	/* NULL: none */
	const char *const *controls;	/* OIDs honoured, NULL-terminated; may be NULL */
	/* counters for cn=Monitor; array of N, may be NULL */
	const struct counter *(*counters)(struct be_db *, unsigned *n_r);
};

/*
 * A module exports one symbol, named slapd_module, or slapd_backend_<name> when
 * it is a backend.
 */
struct slapd_module {
	unsigned abi;
	/*
	 * Register backends and overlays; ARGS: words after the file name. DIAG
	 * may be left empty.
	 */
	int (*init)(unsigned nargs, char **args, struct diag *);
	/*
	 * The process ends, all databases are closed and the configuration is
	 * freed; the module is unloaded next. May be NULL.
	 */
	void (*fini)(void);
};

HB_API_BEGIN

/* Register by name; HB_EDUPLICATE. Used by modules and by the static table. */
int slapd_register_backend(const struct slapd_backend *);

HB_API_END

#endif
