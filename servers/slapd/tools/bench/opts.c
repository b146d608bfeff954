/* The command line of "slapbench run" (see bench.h). */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "tmpl.h"
#include "util/err.h"
#include "util/mem.h"
#include "util/slice.h"
#include "util/text.h"

static const struct {
	const char *name, *help;
} jobs[] = {
	[JOB_SEARCH] = { "search", "subtree search --filter below --base" },
	[JOB_BASE] = { "base", "read of the entry --dn" },
	[JOB_AUTH] = { "auth", "search, then bind as the entry found" },
	[JOB_BIND] = { "bind", "bind as --dn with --password" },
	[JOB_COMPARE] = { "compare",
	    "compare of --compare; one in eight is false by design" },
	[JOB_MODIFY] = { "modify", "replace of --modify in --dn" },
	[JOB_ADD] = { "add", "add of --add-dn, numbers from --first up" },
	[JOB_DELETE] = { "delete", "delete of what \"add\" has added" },
	[JOB_ADDDEL] = { "adddel", "add of an entry, or its delete" },
	[JOB_MIXED] = { "mixed",
	    "80 % search, 10 % compare, 8 % modify, 2 % add and delete" }
};
#define NJOBS	(sizeof jobs / sizeof *jobs)

enum opt_type { OPT_TEXT, OPT_FLAG, OPT_COUNT, OPT_NUMBER, OPT_SPECIAL };
enum { OPT_LONG = 256 };		/* above all letters */

struct opt {
	int letter;			/* 0: none */
	const char *name;		/* NULL: none */
	const char *arg;		/* its name in the help; NULL: none */
	enum opt_type type;
	size_t at;			/* of its field */
	double min, max;
	const char *help;
};

#define AT(field)	offsetof(struct bench_opts, field)

static const struct opt table[] = {
	{ 'H', NULL, "URL", OPT_TEXT, AT(url), 0, 0,
	    "ldap://HOST:PORT, ldaps://HOST:PORT, ldapi://PATH" },
	{ 'Z', "starttls", NULL, OPT_FLAG, AT(starttls), 0, 0,
	    "StartTLS on each connection" },
	{ 0, "cacert", "FILE", OPT_TEXT, AT(cacert), 0, 0,
	    "certificates of the CA, PEM" },
	{ 0, "insecure", NULL, OPT_FLAG, AT(insecure), 0, 0,
	    "accept any certificate" },
	{ 'D', NULL, "DN", OPT_TEXT, AT(bind_dn), 0, 0,
	    "bind each connection first" },
	{ 'W', NULL, "PASSWORD", OPT_TEXT, AT(bind_pw), 0, 0,
	    "the password for -D" },
	{ 'y', NULL, "FILE", OPT_SPECIAL, 0, 0, 0,
	    "the password for -D is the first line of FILE" },
	{ 'c', "conns", "N", OPT_COUNT, AT(conns), 1, 1000000,
	    "connections" },
	{ 't', "threads", "N", OPT_COUNT, AT(threads), 1, 1024,
	    "threads they are spread over" },
	{ 'w', "window", "N", OPT_COUNT, AT(window), 1, 4096,
	    "requests outstanding on each connection" },
	{ 'd', "seconds", "S", OPT_NUMBER, AT(seconds), 0.001, 1e6,
	    "measured time" },
	{ 0, "warm", "S", OPT_NUMBER, AT(warm), 0, 1e6,
	    "time before it that is not counted" },
	{ 0, "ops", "N", OPT_COUNT, AT(ops), 1, 1e15,
	    "this many operations instead of a time; no --warm" },
	{ 0, "rate", "N", OPT_NUMBER, AT(rate), 0.001, 1e8,
	    "operations a second; latency from when one was due" },
	{ 0, "steps", "STEP MAX", OPT_SPECIAL, 0, 0, 0,
	    "STEP, 2 STEP, ... up to MAX connections, until three runs are "
	    "no better than the best" },
	{ 0, "timeout", "S", OPT_NUMBER, AT(timeout), 0.01, 1e6,
	    "an answer that takes longer is an error" },
	{ 'b', "base", "DN", OPT_TEXT, AT(base), 0, 0,
	    "base of searches" },
	{ 0, "filter", "FILTER", OPT_TEXT, AT(filter), 0, 0,
	    "filter of searches" },
	{ 0, "dn", "DN", OPT_TEXT, AT(dn), 0, 0,
	    "the entry of base, bind, compare, modify, and what a search "
	    "must find" },
	{ 0, "password", "TEXT", OPT_TEXT, AT(password), 0, 0,
	    "password of bind and auth" },
	{ 0, "compare", "A=V", OPT_TEXT, AT(compare), 0, 0,
	    "what compare compares, and is true" },
	{ 0, "modify", "A=V", OPT_TEXT, AT(modify), 0, 0,
	    "what modify replaces" },
	{ 0, "add-dn", "DN", OPT_TEXT, AT(add_dn), 0, 0,
	    "the entry of add, delete, adddel" },
	{ 0, "entry", "FILE", OPT_TEXT, AT(entry_file), 0, 0,
	    "its attributes, \"attribute: value\" lines" },
	{ 0, "attr", "NAME", OPT_SPECIAL, 0, 0, 0,
	    "ask for this attribute; may be given again" },
	{ 'n', "count", "N", OPT_COUNT, AT(count), 1, 9999999999.0,
	    "{n} is drawn from 0 to N - 1" },
	{ 0, "first", "N", OPT_COUNT, AT(first), 0, 9999999999.0,
	    "first {n} of add, delete, adddel" },
	{ 's', "seed", "N", OPT_COUNT, AT(seed), 0, 1e18,
	    "another series of random numbers" },
	{ 0, "auth-same", NULL, OPT_FLAG, AT(auth_same), 0, 0,
	    "auth: bind on the connection that searches" },
	{ 0, "deep", NULL, OPT_FLAG, AT(deep), 0, 0,
	    "check that the attributes asked for came back" },
	{ 0, "any", NULL, OPT_FLAG, AT(any), 0, 0,
	    "accept any number of entries of any name" },
	{ 0, "spid", "PID", OPT_SPECIAL, 0, 0, 0,
	    "CPU time and writes of this process too" },
	{ 0, "json", NULL, OPT_FLAG, AT(json), 0, 0,
	    "one line of JSON a run" },
	{ 0, "histogram", NULL, OPT_FLAG, AT(histogram), 0, 0,
	    "the latencies in buckets too" },
	{ 0, "svg", "FILE", OPT_TEXT, AT(svg), 0, 0,
	    "draw the latencies, or with --steps the runs" },
	{ 0, "help", NULL, OPT_SPECIAL, 0, 0, 0, "this text" }
};
#define NOPTS	(sizeof table / sizeof *table)

static const struct bench_opts defaults = {
	.base = "dc=example,dc=com", .filter = "(uid=user.{n})",
	.dn = "uid=user.{n},ou=People,dc=example,dc=com",
	.password = "password.{n}", .compare = "uid=user.{n}",
	.modify = "description=Changed by slapbench, {x}",
	.add_dn = "uid=bench.{n},ou=People,dc=example,dc=com",
	.count = 10000, .seed = 1, .conns = 1, .threads = 1, .window = 1,
	.seconds = 10, .warm = 1, .timeout = 30
};

const char *
bench_job_name(enum bench_job job)
{
	return jobs[job].name;
}

static void
help(void)
{
	char left[40];
	size_t i;

	puts("usage: slapbench run [JOB] [OPTIONS] -H URL\n\njobs:");
	for (i = 0; i < NJOBS; i++)
		printf("  %-18s %s\n", jobs[i].name, jobs[i].help);
	puts("\noptions:");
	for (i = 0; i < NOPTS; i++) {
		const struct opt *o = &table[i];

		snprintf(left, sizeof left, "%s%c%s%s%s%s%s",
		    o->letter != 0 ? "-" : "", o->letter != 0 ? o->letter :
		    ' ', o->letter != 0 && o->name != NULL ? ", " : "",
		    o->name != NULL ? "--" : "", o->name != NULL ? o->name :
		    "", o->arg != NULL ? " " : "", o->arg != NULL ? o->arg :
		    "");
		printf("  %-18s %s\n", left, o->help);
	}
	puts("\nIn DN, FILTER, A=V and --entry, {n} is a number, {n:6} one "
	    "with leading zeros,\n{x} eight random digits. See slapbench(8).");
}

static int
set_number(const struct opt *opt, const char *arg, struct bench_opts *o,
    struct diag *diag)
{
	char *end;
	double v = strtod(arg, &end);
	void *field = (char *)o + opt->at;
	uint64_t n;

	if (end == arg || strcmp(end, "/s") == 0)
		end += end == arg ? 0 : 2;
	if (end == arg || *end != '\0' || !isfinite(v) || v < opt->min ||
	    v > opt->max || (opt->type == OPT_COUNT &&
	    text_to_uint(slice_of(arg), &n) != HB_OK))
		return diag_err(diag, HB_EINVAL, "%s%s%s \"%s\": a number "
		    "from %g to %g expected", opt->name != NULL ? "--" : "-",
		    opt->name != NULL ? opt->name : "",
		    opt->name != NULL ? "" : (char[]){ (char)opt->letter, 0 },
		    arg, opt->min, opt->max);
	if (opt->type == OPT_COUNT)
		*(uint64_t *)field = n;
	else
		*(double *)field = v;
	return HB_OK;
}

static int
read_password(const char *file, struct bench_opts *o, struct diag *diag)
{
	FILE *f = fopen(file, "re");
	static char line[4096];

	if (f == NULL)
		return diag_err(diag, HB_EIO, "-y %s: %s", file,
		    strerror(errno));
	if (fgets(line, sizeof line, f) == NULL)
		line[0] = '\0';
	fclose(f);
	line[strcspn(line, "\r\n")] = '\0';
	o->bind_pw = line;
	return HB_OK;
}

static int
set_steps(int argc, char **argv, const char *arg, struct bench_opts *o,
    struct diag *diag)
{
	if (optind >= argc ||
	    text_to_uint(slice_of(arg), &o->step) != HB_OK || o->step == 0 ||
	    text_to_uint(slice_of(argv[optind]), &o->step_max) != HB_OK ||
	    o->step_max < o->step || o->step_max > 1000000)
		return diag_err(diag, HB_EINVAL, "--steps: two numbers "
		    "expected, STEP and the most connections, as in "
		    "\"--steps 8 512\"");
	optind++;
	return HB_OK;
}

static int
set_special(int argc, char **argv, const struct opt *opt, const char *arg,
    struct bench_opts *o, struct diag *diag)
{
	uint64_t n;
	unsigned i;

	if (opt->letter == 'y')
		return read_password(arg, o, diag);
	if (strcmp(opt->name, "help") == 0) {
		help();
		return HB_EEND;
	}
	if (strcmp(opt->name, "steps") == 0)
		return set_steps(argc, argv, arg, o, diag);
	if (strcmp(opt->name, "spid") == 0) {
		if (text_to_uint(slice_of(arg), &n) != HB_OK || n == 0 ||
		    n > INT32_MAX)
			return diag_err(diag, HB_EINVAL, "--spid \"%s\": a "
			    "process ID expected", arg);
		o->spid = (pid_t)n;
		return HB_OK;
	}
	for (i = 0; i < BENCH_ATTRS_MAX; i++)
		if (o->attrs[i] == NULL) {
			o->attrs[i] = arg;
			return HB_OK;
		}
	return diag_err(diag, HB_EINVAL, "--attr: at most %d of them",
	    BENCH_ATTRS_MAX);
}

static int
set_job(const char *name, struct bench_opts *o, struct diag *diag)
{
	const char *names[NJOBS], *near;
	size_t i;

	for (i = 0; i < NJOBS; i++) {
		names[i] = jobs[i].name;
		if (strcmp(name, names[i]) == 0) {
			o->job = (enum bench_job)i;
			return HB_OK;
		}
	}
	near = text_nearest(slice_of(name), names, NJOBS);
	return diag_err(diag, HB_EINVAL, "job \"%s\" is not known%s%s%s; "
	    "\"slapbench run --help\" lists them", name, near != NULL ?
	    "; did you mean \"" : "", near != NULL ? near : "",
	    near != NULL ? "\"" : "");
}

static int
check(const struct bench_opts *o, struct diag *diag)
{
	if (o->url == NULL)
		return diag_err(diag, HB_EINVAL, "-H URL is needed, as in "
		    "-H ldap://127.0.0.1:389");
	if (o->bind_dn != NULL && o->bind_pw == NULL)
		return diag_err(diag, HB_EINVAL, "-D needs a password: "
		    "-W PASSWORD or -y FILE");
	if (o->window > 1 && (o->job == JOB_BIND || o->job == JOB_AUTH))
		return diag_err(diag, HB_EINVAL, "-w: must be 1 for %s, since "
		    "nothing may be outstanding on a connection that binds",
		    bench_job_name(o->job));
	if (o->threads > (o->step > 0 ? o->step : o->conns))
		return diag_err(diag, HB_EINVAL, "-t: more threads than "
		    "connections; raise -c or lower -t");
	if (o->job == JOB_DELETE && o->ops == 0)
		return diag_err(diag, HB_EINVAL, "delete: --ops N is needed, "
		    "as many as \"add\" has added");
	return HB_OK;
}

int
bench_opts_parse(int argc, char **argv, struct bench_opts *o_r,
    struct diag *diag)
{
	struct option longs[NOPTS + 1] = { { 0 } };
	char shorts[3 * NOPTS + 3] = "-:", *p = shorts + 2;
	size_t i, n = 0;
	int c, rc = HB_OK;

	*o_r = defaults;
	for (i = 0; i < NOPTS; i++) {
		if (table[i].letter != 0) {
			*p++ = (char)table[i].letter;
			if (table[i].arg != NULL)
				*p++ = ':';
		}
		if (table[i].name != NULL)
			longs[n++] = (struct option){ table[i].name,
			    table[i].arg != NULL, NULL, OPT_LONG + (int)i };
	}
	*p = '\0';
	optind = 1;
	while (rc == HB_OK && (c = getopt_long(argc, argv, shorts, longs,
	    NULL)) != -1) {
		if (c == 1) {
			rc = set_job(optarg, o_r, diag);
			continue;
		}
		if (c == '?' || c == ':')
			return diag_err(diag, HB_EINVAL, "%s: %s; \"slapbench "
			    "run --help\" lists the options", argv[optind - 1],
			    c == '?' ? "not known" : "something must follow");
		for (i = 0; i < NOPTS && c < OPT_LONG; i++)
			if (table[i].letter == c)
				c = OPT_LONG + (int)i;
		i = (size_t)(c - OPT_LONG);
		switch (table[i].type) {
		case OPT_TEXT:
			memcpy((char *)o_r + table[i].at, &optarg,
			    sizeof optarg);
			break;
		case OPT_FLAG:
			*(bool *)((char *)o_r + table[i].at) = true;
			break;
		case OPT_COUNT:
		case OPT_NUMBER:
			rc = set_number(&table[i], optarg, o_r, diag);
			break;
		case OPT_SPECIAL:
			rc = set_special(argc, argv, &table[i], optarg, o_r,
			    diag);
		}
	}
	return rc == HB_OK ? check(o_r, diag) : rc;
}
