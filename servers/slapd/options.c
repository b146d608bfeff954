#include "options.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "conf.h"
#include "util/err.h"
#include "util/log.h"

#define DEFAULT_CONFIG	SYSCONFDIR "/slapd.conf"
#define DEFAULT_URLS	"ldap:///"

static int
opt_ipv4(struct slapd_options *o, const char *arg, struct diag *diag)
{
	(void)arg;
	(void)diag;
	o->family = LISTEN_IPV4;
	return HB_OK;
}

static int
opt_ipv6(struct slapd_options *o, const char *arg, struct diag *diag)
{
	(void)arg;
	(void)diag;
	o->family = LISTEN_IPV6;
	return HB_OK;
}

static int
opt_unsupported(struct slapd_options *o, const char *arg, struct diag *diag)
{
	(void)o;
	return diag_err(diag, HB_EUNSUPPORTED, "not supported yet: %s", arg);
}

static void
list_levels(void)
{
	const char *name, *what;
	int bit;

	fprintf(stderr, "Levels, as a number, a name, or several with commas:\n");
	for (unsigned i = 0; (name = log_level_name(i, &bit, &what)) != NULL;
	    i++)
		fprintf(stderr, "\t%-8s %6d\t%s\n", name, bit, what);
	fprintf(stderr, "\t%-8s %6d\t%s\n", "any", -1, "all of them");
}

static int
opt_debug(struct slapd_options *o, const char *arg, struct diag *diag)
{
	int mask, rc;

	if (strcmp(arg, "?") == 0) {
		list_levels();
		return HB_EEND;
	}
	if ((rc = log_parse_level(arg, &mask, diag)) != HB_OK)
		return rc;
	o->foreground = true;
	o->debug_mask |= mask;
	return HB_OK;
}

static int
opt_syslog(struct slapd_options *o, const char *arg, struct diag *diag)
{
	if (strcmp(arg, "?") == 0) {
		list_levels();
		return HB_EEND;
	}
	o->has_syslog_mask = true;
	return log_parse_level(arg, &o->syslog_mask, diag);
}

static int
opt_severity(struct slapd_options *o, const char *arg, struct diag *diag)
{
	static const char *const names[] = {
		"EMERG", "ALERT", "CRIT", "ERR", "WARNING", "NOTICE", "INFO",
		"DEBUG"
	};

	(void)o;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcasecmp(arg, names[i]) == 0)
			return HB_OK;
	return diag_err(diag, HB_EINVAL, "unknown severity %s", arg);
}

static int
opt_config(struct slapd_options *o, const char *arg, struct diag *diag)
{
	(void)diag;
	o->config = arg;
	return HB_OK;
}

static int
opt_directory(struct slapd_options *o, const char *arg, struct diag *diag)
{
	(void)o;
	return diag_err(diag, HB_EUNSUPPORTED, "-F %s: a configuration "
	    "directory is not supported yet; use -f with slapd.conf", arg);
}

static int
opt_group(struct slapd_options *o, const char *arg, struct diag *diag)
{
	(void)diag;
	o->group = arg;
	return HB_OK;
}

static int
opt_user(struct slapd_options *o, const char *arg, struct diag *diag)
{
	(void)diag;
	o->user = arg;
	return HB_OK;
}

static int
opt_urls(struct slapd_options *o, const char *arg, struct diag *diag)
{
	(void)diag;
	o->urls = arg;
	return HB_OK;
}

static int
opt_facility(struct slapd_options *o, const char *arg, struct diag *diag)
{
	(void)diag;
	o->facility = arg;
	return HB_OK;
}

static int
opt_name(struct slapd_options *o, const char *arg, struct diag *diag)
{
	(void)diag;
	o->name = arg;
	return HB_OK;
}

static int
opt_option(struct slapd_options *o, const char *arg, struct diag *diag)
{
	if (strcasecmp(arg, "hup=reload") == 0)
		o->sighup = SIGHUP_RELOAD;
	else if (strcasecmp(arg, "hup=shutdown") == 0)
		o->sighup = SIGHUP_SHUTDOWN;
	else
		return diag_err(diag, HB_EINVAL, "-o %s: unknown option (known: "
		    "hup=reload, hup=shutdown)", arg);
	return HB_OK;
}

static int
opt_root(struct slapd_options *o, const char *arg, struct diag *diag)
{
	(void)diag;
	o->root = arg;
	return HB_OK;
}

static int
opt_test(struct slapd_options *o, const char *arg, struct diag *diag)
{
	(void)arg;
	(void)diag;
	o->test = true;
	return HB_OK;
}

static int
opt_tool(struct slapd_options *o, const char *arg, struct diag *diag)
{
	(void)diag;
	o->tool = arg;
	return HB_OK;
}

static int
opt_version(struct slapd_options *o, const char *arg, struct diag *diag)
{
	(void)arg;
	(void)diag;
	o->versions++;
	return HB_OK;
}

const struct slapd_option slapd_option_rows[] = {
	{ '4', NULL, "Listen on IPv4 addresses only.", opt_ipv4 },
	{ '6', NULL, "Listen on IPv6 addresses only.", opt_ipv6 },
	{ 'c', "cookie", "Start replication from this cookie. "
	    "Not supported yet.", opt_unsupported },
	{ 'd', "level", "Log to standard error at this level and stay in the "
	    "foreground. A number (decimal, octal or hexadecimal, also "
	    "negative), or names with commas between; given several times, "
	    "they add up. A question mark lists the levels.", opt_debug },
	{ 'f', "file", "The configuration file.", opt_config },
	{ 'F', "directory", "A configuration directory. Not supported yet.",
	    opt_directory },
	{ 'g', "group", "Run with the rights of this group, a name or a "
	    "number.", opt_group },
	{ 'h', "urls", "Where to listen: URLs separated by blanks. "
	    "ldap:///, ldap://host:port, ldapi://%2Fpath%2Fto%2Fsocket, "
	    "ldapi://%2Fpath/????x-mod=0770 for the mode of the socket. "
	    "Default: ldap:///.", opt_urls },
	{ 'l', "facility", "The syslog facility: LOCAL0 to LOCAL7, USER, "
	    "DAEMON. Default: LOCAL4.", opt_facility },
	{ 'n', "name", "The name in log lines. Default: slapd.", opt_name },
	{ 'o', "option", "hup=reload: SIGHUP reopens the log file, the "
	    "default. hup=shutdown: SIGHUP ends the server in good order, as "
	    "in slapd 2.4.", opt_option },
	{ 'r', "directory", "Change the root directory once the listeners "
	    "are open, before the configuration is read.", opt_root },
	{ 's', "level", "Log to syslog at this level, unless loglevel says "
	    "otherwise. A question mark lists the levels.", opt_syslog },
	{ 'S', "severity", "The syslog severity; accepted, all lines are "
	    "written as DEBUG.", opt_severity },
	{ 'T', "tool", "Run a tool instead: add, cat, index, passwd or test; "
	    "what follows is its own. Must be the first option.", opt_tool },
	{ 't', NULL, "Read the configuration, say whether it is sound, and "
	    "end. slaptest does more.", opt_test },
	{ 'u', "user", "Run with the rights of this user, a name or a number, "
	    "and his groups.", opt_user },
	{ 'V', NULL, "Print the version; twice: and end; three times: list "
	    "what is built in, too.", opt_version },
	{ 0, NULL, NULL, NULL }
};

static const struct slapd_option *
option_find(char letter)
{
	for (const struct slapd_option *o = slapd_option_rows; o->letter != 0;
	    o++)
		if (o->letter == letter)
			return o;
	return NULL;
}

/* The options in one word "-dV"; *i_r moves on if an argument is the next word. */
static int
parse_word(struct slapd_options *opts, int argc, char **argv, int *i_r,
    struct diag *diag)
{
	const struct slapd_option *o;
	const char *p, *arg;
	int rc;

	for (p = argv[*i_r] + 1; *p != '\0'; p++) {
		if ((o = option_find(*p)) == NULL)
			return diag_err(diag, HB_EINVAL, "unknown option -%c",
			    *p);
		arg = NULL;
		if (o->arg != NULL && p[1] != '\0')
			arg = p + 1;
		else if (o->arg != NULL && *i_r + 1 < argc)
			arg = argv[++*i_r];
		else if (o->arg != NULL)
			return diag_err(diag, HB_EINVAL,
			    "option -%c needs an argument (%s)", *p, o->arg);
		if ((rc = o->apply(opts, arg, diag)) != HB_OK || arg != NULL)
			return rc;
	}
	return HB_OK;
}

int
slapd_options_parse(int argc, char **argv, struct slapd_options *opts_r,
    struct diag *diag)
{
	int rc;

	*opts_r = (struct slapd_options){
		.config = DEFAULT_CONFIG, .urls = DEFAULT_URLS,
		.name = "slapd", .facility = "LOCAL4", .sighup = -1,
		.argv = argv, .argc = argc
	};
	for (int i = 1; i < argc; i++) {
		if (argv[i][0] != '-' || argv[i][1] == '\0')
			return diag_err(diag, HB_EINVAL,
			    "unexpected argument %s", argv[i]);
		if ((rc = parse_word(opts_r, argc, argv, &i, diag)) != HB_OK)
			return rc;
		if (opts_r->tool != NULL)
			break;
	}
	return HB_OK;
}

void
slapd_options_usage(const char *program)
{
	fprintf(stderr, "usage: %s", program);
	for (const struct slapd_option *o = slapd_option_rows; o->letter != 0;
	    o++)
		fprintf(stderr, o->arg != NULL ? " [-%c %s]" : " [-%c]",
		    o->letter, o->arg);
	fprintf(stderr, "\n");
}
