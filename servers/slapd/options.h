/*
 * Arguments of slapd(8), a row each; the same rows serve the usage text and
 * the manual page.
 */
#ifndef SLAPD_OPTIONS_H
#define SLAPD_OPTIONS_H

#include "listener.h"
#include "util/diag.h"

struct slapd_options {
	const char *config;		/* -f */
	const char *urls;		/* -h */
	const char *user, *group, *root;	/* -u -g -r */
	const char *name;		/* -n */
	const char *facility;		/* -l */
	enum listener_family family;	/* -4 -6 */
	bool foreground;		/* -d */
	int debug_mask;			/* -d */
	bool has_syslog_mask;
	int syslog_mask;		/* -s */
	int sighup;			/* enum conf_sighup; -1: as configured */
	unsigned versions;		/* number of -V */
	bool test;			/* -t */
	const char *tool;		/* -T */
	char *const *argv;		/* for argsfile */
	int argc;
};

struct slapd_option {
	char letter;
	const char *arg;		/* name of the argument for usage and manual; NULL: none */
	const char *help;		/* for the manual: sentences, plain text */
	int (*apply)(struct slapd_options *, const char *arg, struct diag *);
};

/* Ends with letter 0. */
extern const struct slapd_option slapd_option_rows[];

/* HB_OK, or HB_EINVAL with DIAG. Stops before what follows -T. */
int slapd_options_parse(int argc, char **argv, struct slapd_options *opts_r,
    struct diag *);
void slapd_options_usage(const char *program);

#endif
