/*
 * What a backend offers to the tools: slapadd, slapcat, slapcheck, ... One thread; no
 * operation runs beside it in this process.
 */
#ifndef SLAPD_TOOL_H
#define SLAPD_TOOL_H

#include <time.h>

#include "slapd/op.h"

enum tool_mode {
	TOOL_READ,	/* beside a running slapd too: no recovery, no writes */
	TOOL_WRITE,	/* transactions, in a live environment */
	TOOL_QUICK	/* exclusive, no transactions or logs; a cut-off leaves a mark */
};

struct tool_opts {
	enum tool_mode mode;
	bool dry_run;
	bool indexes_only;		/* reindex() follows, no put() */
	bool joined;			/* READ: in the environment of the slapd that runs, instead of a copy */
	bool ask_server;		/* reindex() follows: the slapd that runs does it, nothing is opened */
	unsigned threads;		/* tool-threads */
	uint64_t memory;		/* bytes the load may use; 0: a quarter of RAM */
	const char *tmpdir;		/* for spilled runs; NULL: the database directory */
	/* phase text ("sorting cn.bdb") and part done 0..1; may be NULL */
	void (*progress)(const char *phase, double done, void *arg);
	void *progress_arg;
};

/* One entry to load: complete (schema-checked, stamped). */
struct tool_entry {
	const struct dn *dn;
	const struct attrs *attrs;
	unsigned line;			/* of the LDIF, for duplicates */
};

/* What is wrong in one place. */
struct tool_finding {
	const char *file;		/* "cn.bdb" */
	const char *where;		/* key, name or ID; "": the file as a whole */
	const char *what;
};

/* A check of a whole database: what is asked for, and what came out. */
struct tool_check {
	struct tool_opts opts;		/* threads, memory, tmpdir, progress */
	bool repair;			/* build anew what entries tell */
	/* Each finding and each remark; serialised, from any thread. May be NULL. */
	void (*finding)(const struct tool_finding *, void *arg);
	void (*remark)(const char *text, void *arg);
	void *arg;

	/* set by check() */
	uint64_t entries, keys;		/* entries read; index keys compared */
	uint64_t findings;		/* after a repair: those that are left */
	uint64_t in_data;		/* of them, in what cannot be built anew */
	unsigned repaired;		/* files built anew */
};

/* A backup: what is asked for, and what came out. */
struct tool_backup {
	struct tool_check check;	/* of the copy; its opts are for all */
	const char *dir;		/* to be made; logs_only: an older one */
	bool logs_only;			/* add the logs written since */
	bool no_verify;
	/* logs that were not copied yet stay until logs_only copies them */
	enum { TOOL_KEEP_AS_IS, TOOL_KEEP, TOOL_KEEP_NOT } keep;

	/* set by backup() */
	time_t time;			/* it has all that was answered before */
	uint64_t octets;
};

struct tool_restore {
	struct tool_check check;	/* as above */
	const char *dir;		/* the backup */
	const char *logs;		/* folder of more logs; NULL: none */
	time_t until;			/* 0: to the end of the logs */

	/* set by restore() */
	time_t time;			/* state restored; 0: the end of foreign logs */
	char aside[256];		/* folder of what was there; "": nothing */
};

struct slapd_tool_ops {
	/* The database must be configured but not open. HB_OK, HB_EINUSE, HB_EUNLOADED, ... */
	int (*open)(struct be_db *, const struct tool_opts *, struct diag *);
	/*
	 * Add an entry. HB_OK, *id_r set; HB_EEXISTS (DIAG names the line of the
	 * first, where known): others can follow. Children may come before
	 * parents; who is missing at close is an error there. TOOL_QUICK: a duplicate may be
	 * reported only by close().
	 */
	int (*put)(struct be_db *, struct arena *, const struct tool_entry *,
	    entry_id *id_r, struct diag *);
	/*
	 * Every entry within BASE (NULL: all) in ID order. CB returns HB_OK to
	 * go on; ENTRY is borrowed. A damaged entry is reported to CB as NULL
	 * with its ID and goes on if CB says HB_OK.
	 */
	int (*each)(struct be_db *, const struct dn *base,
	    int (*cb)(struct entry *entry, entry_id id, void *arg), void *arg,
	    struct diag *);
	/*
	 * Rebuild indexes of the N descriptions (0: all that are configured).
	 * ask_server: the slapd that runs does it, this waits.
	 */
	int (*reindex)(struct be_db *, const struct attr_desc *const *descs,
	    unsigned n, struct diag *);
	/* OK false: the load is given up. Errors: missing parents named in DIAG. */
	int (*close)(struct be_db *, bool ok, struct diag *);

	/* ---- whole databases; not between open() and close() ---- */

	/*
	 * Verify all files of DB, which nobody else may use meanwhile. HB_OK also
	 * with findings; HB_EINUSE, HB_EUNLOADED, HB_EIO: it could not be checked.
	 */
	int (*check)(struct be_db *, struct tool_check *, struct diag *);
	/*
	 * Copy DB, also beside a running slapd. HB_EEXISTS: the folder is there;
	 * HB_ECORRUPT: the copy has findings; HB_EINVAL, HB_ENOTFOUND: the logs do
	 * not continue the backup; HB_EINUSE, HB_EIO, HB_ENOSPACE.
	 */
	int (*backup)(struct be_db *, struct tool_backup *, struct diag *);
	/*
	 * Put a backup in place of DB, which nobody uses. Nothing is changed
	 * unless all is right: HB_EINVAL (of another database, time), HB_ECORRUPT,
	 * HB_EVERSION, HB_ENOTFOUND, HB_EINUSE, HB_EIO, HB_ENOSPACE.
	 */
	int (*restore)(struct be_db *, struct tool_restore *, struct diag *);
};

#endif
