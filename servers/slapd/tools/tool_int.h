/*
 * What the tools share: the table of tools, options that all take, the chosen
 * database.
 */
#ifndef SLAPD_TOOL_INT_H
#define SLAPD_TOOL_INT_H

#include <signal.h>
#include <stdio.h>

#include "../conf.h"

struct tool_run;

enum tool_flags {
	TOOL_WANTS_CONF = 1,		/* reads slapd.conf */
	TOOL_WANTS_DB = 2,		/* works on one database: -n, -b */
	TOOL_TAKES_ARGS = 4		/* words after the options */
};

struct tool {
	const char *name;		/* "slapadd" */
	/* its own options; the common ones come with flags */
	const char *optstring;
	const char *usage;		/* text after the name */
	unsigned flags;
	/* An option of its own: 0, or -1 after saying what is wrong. */
	int (*option)(struct tool_run *, int c, const char *arg);
	/* Exit status. */
	int (*run)(struct tool_run *, int nargs, char **args);
};

struct tool_run {
	const struct tool *tool;
	/* common options */
	const char *conf_file;
	const char *suffix;		/* -b */
	int number;			/* -n; -1: none */
	bool verbose, go_on;		/* -v, -c */
	/* of the tool; all of them, since tools differ little */
	const char *ldif;		/* -l */
	const char *filter, *subtree, *url;
	bool quick, dry_run, no_schema, no_values, write_csn;
	bool truncate, quiet, repair;
	bool no_file_urls;		/* "attr:< file:///..." is refused */
	unsigned jump;			/* -j */
	int server_id;			/* -S; -1: the configuration's */
	unsigned wrap;			/* ldif-wrap */
	/* slappasswd */
	const char *scheme, *secret, *secret_file, *salt_format;
	bool generate, no_newline;
	const char *tmpdir;		/* -o tmpdir= */
	bool joined;			/* slapcat -o consistent=no */
	/* slapbackup, slaprestore */
	bool logs_only, no_verify;
	int keep_logs;			/* as tool_backup.keep */
	const char *logs;
	time_t until;			/* 0: none */
	struct tool_who {		/* slapacl */
		const char *authc_dn, *authc_id, *authz_id, *authz_dn;
		const char *peername, *domain, *sockname, *sockurl;
		unsigned ssf, transport_ssf, tls_ssf, sasl_ssf;
		bool why, lint;
	} who;

	struct slapd_conf *conf;
	struct be_db *db;
};

extern const struct tool tool_acl, tool_add, tool_backup, tool_cat, tool_check,
    tool_index, tool_mdoc, tool_passwd, tool_restore, tool_test;

/* "slapadd: TEXT" on stderr. */
void tool_say(const struct tool_run *, const char *fmt, ...) HB_PRINTF(2, 3);
/* What DIAG says, or ERR's own text where it says nothing. */
void tool_say_diag(const struct tool_run *, int err, const struct diag *);
/* Value of option -o NAME=VALUE if ARG is that, else NULL. */
const char *tool_option_value(const char *arg, const char *name);

/*
 * Become the owner of the database's folder, for good, when started as root: so
 * files that are made belong to whom slapd runs as. -1 after saying why not.
 */
int tool_become_owner(const struct tool_run *, const struct be_db *);
/* The folder of DB's files, NULL if it has none. */
const char *tool_directory(const struct be_db *);

/* Threads that a backend may use: tool-threads, by default one a processor. */
unsigned tool_threads(const struct tool_run *);

/* From now on INT, TERM and HUP only set a flag. */
void tool_catch_signals(void);
bool tool_is_interrupted(void);

/* ---- progress (tool_progress.c) ---- */

struct progress {
	const char *name;		/* of the tool */
	bool is_terminal, is_shown;
	int64_t start, last;		/* time_mono_us() */
	uint64_t total;			/* octets; 0: not known */
	char phase[64];
};

void progress_init(struct progress *, const char *name, bool shown);
/* After every record: cheap while nothing is due. */
void progress_step(struct progress *, uint64_t entries, uint64_t octets);
/* Work of a backend that counts no entries; a tool_opts.progress. */
void progress_phase(const char *phase, double done, void *progress);
/* Clear the bar. */
void progress_end(struct progress *);
/* Seconds since the start. */
double progress_seconds(const struct progress *);

#endif
