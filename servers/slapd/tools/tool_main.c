/*
 * The table of tools; options, configuration and database that they share.
 */
#include "tools.h"

#include <sys/stat.h>

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <grp.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "../registry.h"
#include "../route.h"
#include "ldif.h"
#include "tool_int.h"
#include "util/err.h"
#include "util/log.h"
#include "util/text.h"

#ifndef SYSCONFDIR
#define SYSCONFDIR	"/usr/local/etc/hornbeam"
#endif

#define COUNT(a)	(sizeof(a) / sizeof(*(a)))
#define PREFIX		"slap"
#define PREFIX_LEN	4

/* In the order in which a prefix is looked for. */
static const struct tool *const tools[] = {
	&tool_add, &tool_cat, &tool_index, &tool_passwd, &tool_test,
	&tool_check, &tool_backup, &tool_restore, &tool_acl, &tool_mdoc
};

static const struct tool *
find_tool(const char *name)
{
	for (size_t i = 0; i < COUNT(tools); i++)
		if (strcmp(tools[i]->name, name) == 0)
			return tools[i];
	return NULL;
}

const char *
slapd_tool_name(const char *word, int called)
{
	const struct tool *t;
	size_t n = strlen(word);

	if (called)
		return strncmp(word, PREFIX, PREFIX_LEN) == 0 &&
		    (t = find_tool(word)) != NULL ? t->name : NULL;
	if ((t = find_tool(word)) != NULL)
		return t->name;
	for (size_t i = 0; n > 0 && i < COUNT(tools); i++) {
		const char *name = tools[i]->name;

		if (strncmp(name, PREFIX, PREFIX_LEN) == 0 &&
		    strncmp(name + PREFIX_LEN, word, n) == 0)
			return name;
	}
	return NULL;
}

void
tool_say(const struct tool_run *run, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "%s: ", run->tool->name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

void
tool_say_diag(const struct tool_run *run, int err, const struct diag *diag)
{
	char text[DIAG_TEXT_MAX + 512];
	struct diag d = *diag;

	if (d.text[0] == '\0')
		diag_set(&d, "%s", *hb_strerror(err) != '\0' ?
		    hb_strerror(err) : hb_errname(err));
	diag_format(&d, text, sizeof(text));
	tool_say(run, "%s", text);
}

const char *
tool_option_value(const char *arg, const char *name)
{
	size_t n = strlen(name);

	return strncasecmp(arg, name, n) == 0 && arg[n] == '=' ?
	    arg + n + 1 : NULL;
}

static void
usage(const struct tool_run *run)
{
	fprintf(stderr, "usage: %s %s\n", run->tool->name, run->tool->usage);
}

/* ---- options ---- */

static int
set_debug(const struct tool_run *run, const char *arg)
{
	static bool given;
	struct diag diag = DIAG_INIT;
	int mask, rc;

	if ((rc = log_parse_level(arg, &mask, &diag)) != HB_OK) {
		tool_say_diag(run, rc, &diag);
		return -1;
	}
	atomic_store(&log_debug_mask, given && mask != 0 ?
	    atomic_load(&log_debug_mask) | mask : mask);
	given = true;
	return 0;
}

/*
 * -o of all tools: syslog=, syslog-level=, syslog-user=, which change nothing
 * here.
 */
static int
general_option(struct tool_run *run, const char *arg)
{
	if (tool_option_value(arg, "syslog") != NULL ||
	    tool_option_value(arg, "syslog-level") != NULL ||
	    tool_option_value(arg, "syslog-user") != NULL)
		return 0;
	if (run->tool->option != NULL)
		return run->tool->option(run, 'o', arg);
	tool_say(run, "unknown option \"%s\"", arg);
	return -1;
}

static int
set_number(struct tool_run *run, const char *arg)
{
	uint64_t n;

	if (text_to_uint(slice_of(arg), &n) != HB_OK || n > 100000) {
		tool_say(run, "-n: \"%s\" is no database number", arg);
		return -1;
	}
	run->number = (int)n;
	return 0;
}

static int
common_option(struct tool_run *run, int c, const char *arg)
{
	switch (c) {
	case 'd':
		return set_debug(run, arg);
	case 'f':
		run->conf_file = arg;
		return 0;
	case 'F':
		tool_say(run, "-F: configuration folders are not supported "
		    "yet; use -f with a slapd.conf");
		return -1;
	case 'v':
		run->verbose = true;
		return 0;
	case 'o':
		return general_option(run, arg);
	case 'n':
		return set_number(run, arg);
	case 'b':
		run->suffix = arg;
		return 0;
	case 'g':
		/*
		 * glued databases are not there, so nothing is to be left out
		 */
		return 0;
	default:
		return 1;
	}
}

static int
parse_options(struct tool_run *run, int argc, char **argv)
{
	/* of slapacl; other tools have none */
	static const struct option longopts[] = {
		{ "lint", no_argument, NULL, 'L' },
		{ "why", no_argument, NULL, 'W' }, { NULL, 0, NULL, 0 }
	};
	const struct tool *t = run->tool;
	char optstring[64];
	int c, rc;

	snprintf(optstring, sizeof(optstring), "+%s%s%s", t->optstring,
	    (t->flags & TOOL_WANTS_CONF) != 0 ? "d:f:F:vo:" : "",
	    (t->flags & TOOL_WANTS_DB) != 0 ? "n:b:" : "");
	optind = 0;
	while ((c = getopt_long(argc, argv, optstring, longopts, NULL)) !=
	    -1) {
		if (c == '?' || ((c == 'L' || c == 'W') &&
		    strchr(t->optstring, c) == NULL))
			return -1;
		/* what a tool's own string has is its own */
		if (strchr(t->optstring, c) != NULL || (rc =
		    common_option(run, c, optarg)) == 1)
			rc = t->option(run, c, optarg);
		if (rc != 0)
			return -1;
	}
	if (run->number >= 0 && run->suffix != NULL) {
		tool_say(run, "-n and -b exclude each other");
		return -1;
	}
	if (optind < argc && (t->flags & TOOL_TAKES_ARGS) == 0) {
		tool_say(run, "unexpected argument \"%s\"", argv[optind]);
		return -1;
	}
	return 0;
}

/* ---- configuration and database ---- */

static int
read_conf(struct tool_run *run)
{
	struct diag diag = DIAG_INIT;
	int rc;

	rc = slapd_conf_read(run->conf_file, &run->conf, &diag);
	if (rc != HB_OK)
		tool_say_diag(run, rc, &diag);
	return rc == HB_OK ? 0 : -1;
}

static struct be_db *
db_of_suffix(const struct tool_run *run)
{
	struct diag diag = DIAG_INIT;
	struct be_db *db = NULL;
	struct dn dn;
	int rc;

	rc = dn_parse(&run->conf->arena, run->conf->schema,
	    slice_of(run->suffix), &dn, &diag);
	if (rc != HB_OK)
		tool_say_diag(run, rc, &diag);
	else if ((db = route_find(run->conf, &dn)) == NULL)
		tool_say(run, "no database holds \"%s\"", run->suffix);
	return db;
}

static struct be_db *
db_of_number(const struct tool_run *run)
{
	if ((unsigned)run->number < run->conf->ndbs)
		return run->conf->dbs[run->number];
	tool_say(run, "there is no database number %d: the last is %u",
	    run->number, run->conf->ndbs - 1);
	return NULL;
}

static int
choose_db(struct tool_run *run)
{
	if (run->suffix != NULL)
		run->db = db_of_suffix(run);
	else if (run->number >= 0)
		run->db = db_of_number(run);
	else if ((run->db = route_default(run->conf)) == NULL)
		tool_say(run, "%s: there is no database", run->conf_file);
	if (run->db == NULL)
		return -1;
	if (run->db->be->tool == NULL) {
		tool_say(run, "database %u (%s) has no entries that this tool "
		    "could work on", run->db->number, run->db->be->name);
		return -1;
	}
	return 0;
}

const char *
tool_directory(const struct be_db *db)
{
	const struct cfg_item *item;

	if (db->be->config == NULL || (item = cfg_find(db->be->config,
	    "directory")) == NULL || (item->type != CFG_T_STR &&
	    item->offset == 0))
		return NULL;
	return *(char *const *)((const char *)db->conf + item->offset);
}

int
tool_become_owner(const struct tool_run *run, const struct be_db *db)
{
	const char *dir = tool_directory(db);
	const struct passwd *pw;
	struct stat st;
	int rc;

	if (geteuid() != 0 || dir == NULL || stat(dir, &st) != 0 ||
	    (st.st_uid == 0 && st.st_gid == getegid()))
		return 0;
	pw = getpwuid(st.st_uid);
	rc = pw != NULL ? initgroups(pw->pw_name, st.st_gid) :
	    setgroups(0, NULL);
	if (rc != 0 || setgid(st.st_gid) != 0 || setuid(st.st_uid) != 0) {
		tool_say(run, "cannot become user %u, the owner of %s: %s",
		    (unsigned)st.st_uid, dir, strerror(errno));
		return -1;
	}
	return 0;
}

unsigned
tool_threads(const struct tool_run *run)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	/* 1 stands in most old files, where more threads gained nothing */
	if (run->conf->tool_threads > 1 || n < 1)
		return run->conf->tool_threads;
	return (unsigned)n;
}

/* ---- signals ---- */

static volatile sig_atomic_t interrupted;

static void
on_signal(int sig)
{
	(void)sig;
	interrupted = 1;
}

void
tool_catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction sa = { .sa_handler = on_signal };

	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < COUNT(signals); i++)
		sigaction(signals[i], &sa, NULL);
	/* a closed pipe is seen as a failed write */
	sa.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &sa, NULL);
}

bool
tool_is_interrupted(void)
{
	return interrupted != 0;
}

/* ---- start ---- */

int
slapd_tool_main(const char *name, int argc, char **argv)
{
	struct tool_run run = {
		.tool = find_tool(name),
		.conf_file = SYSCONFDIR "/slapd.conf", .number = -1,
		.server_id = -1, .wrap = LDIF_WRAP
	};
	int status = EXIT_FAILURE;

	/* only what is always logged, to stderr */
	atomic_store(&log_syslog_mask, 0);
	atomic_store(&log_debug_mask, LOG_NONE);
	if (parse_options(&run, argc, argv) != 0) {
		usage(&run);
		return EXIT_FAILURE;
	}
	if (((run.tool->flags & TOOL_WANTS_CONF) == 0 ||
	    read_conf(&run) == 0) &&
	    ((run.tool->flags & TOOL_WANTS_DB) == 0 || choose_db(&run) == 0))
		status = run.tool->run(&run, argc - optind, argv + optind);
	slapd_conf_free(&run.conf);
	return status;
}
