/* slapbench gen: a directory of made-up people as LDIF. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <unistd.h>

#include "bench.h"
#include "people.h"
#include "util/err.h"
#include "util/text.h"

#define CHUNK		(1 << 20)
#define COUNT_MAX	UINT64_C(9999999999)

struct gen {
	struct people people;
	const char *file;		/* NULL: standard output */
	int fd;
	struct buf out;
};

static const struct option longs[] = {
	{ "flat", no_argument, NULL, 'F' },
	{ "tree", no_argument, NULL, 'T' },
	{ "ssha", no_argument, NULL, 'S' },
	{ "posix", no_argument, NULL, 'P' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

static void
help(void)
{
	puts("usage: slapbench gen -n N [OPTIONS]\n\n"
	    "Writes N people, uid=user.0 and up, as LDIF.\n\n"
	    "  -n N        how many\n"
	    "  -b BASE     suffix (dc=example,dc=com)\n"
	    "  -s SEED     other people (1)\n"
	    "  -o FILE     instead of standard output\n"
	    "  --flat      all in ou=People (so it is without this)\n"
	    "  --tree      a thousand each in ou=Team-0,ou=People and up\n"
	    "  --ssha      passwords hashed, instead of in the clear\n"
	    "  --posix     posixAccount too");
}

static int
number(int letter, const char *arg, uint64_t max, uint64_t *v_r,
    struct diag *diag)
{
	if (text_to_uint(slice_of(arg), v_r) != HB_OK || *v_r > max)
		return diag_err(diag, HB_EINVAL, "-%c \"%s\": a number up to "
		    "%llu expected", letter, arg, (unsigned long long)max);
	return HB_OK;
}

static int
parse(int argc, char **argv, struct gen *g, struct diag *diag)
{
	int c, rc = HB_OK;

	optind = 1;
	while (rc == HB_OK && (c = getopt_long(argc, argv, ":n:b:s:o:", longs,
	    NULL)) != -1)
		switch (c) {
		case 'n':
			rc = number(c, optarg, COUNT_MAX, &g->people.count,
			    diag);
			break;
		case 's':
			rc = number(c, optarg, INT64_MAX, &g->people.seed,
			    diag);
			break;
		case 'b':
			g->people.base = optarg;
			break;
		case 'o':
			g->file = optarg;
			break;
		case 'F':
		case 'T':
			g->people.tree = c == 'T';
			break;
		case 'S':
			g->people.ssha = true;
			break;
		case 'P':
			g->people.posix = true;
			break;
		case 'h':
			help();
			return HB_EEND;
		default:
			rc = diag_err(diag, HB_EINVAL, "%s: %s; \"slapbench "
			    "gen --help\" lists the options",
			    argv[optind - 1], c == ':' ? "something must "
			    "follow" : "not known");
		}
	if (rc == HB_OK && optind < argc)
		rc = diag_err(diag, HB_EINVAL, "%s: not expected",
		    argv[optind]);
	if (rc == HB_OK && g->people.count == 0)
		rc = diag_err(diag, HB_EINVAL, "-n N is needed: how many "
		    "people, 1 or more");
	return rc;
}

static int
flush(struct gen *g, struct diag *diag)
{
	size_t done = 0;
	ssize_t n;

	while (done < g->out.len) {
		n = write(g->fd, g->out.data + done, g->out.len - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return diag_err(diag, HB_EIO, "%s: %s",
			    g->file != NULL ? g->file : "standard output",
			    strerror(errno));
		done += (size_t)n;
	}
	buf_reset(&g->out);
	return HB_OK;
}

static int
write_all(struct gen *g, struct diag *diag)
{
	const struct people *p = &g->people;
	uint64_t i;
	int rc = HB_OK;

	for (i = 0; i < p->count && rc == HB_OK; i++) {
		if (p->tree && i % PEOPLE_PER_TEAM == 0)
			people_put_team(&g->out, p, i / PEOPLE_PER_TEAM);
		people_put_person(&g->out, p, i);
		if (g->out.len >= CHUNK)
			rc = flush(g, diag);
	}
	for (i = 0; i * PEOPLE_PER_TEAM < p->count && rc == HB_OK; i++) {
		people_put_group(&g->out, p, i);
		if (g->out.len >= CHUNK)
			rc = flush(g, diag);
	}
	return rc == HB_OK ? flush(g, diag) : rc;
}

int
bench_gen(int argc, char **argv)
{
	struct gen g = { .people = { .base = "dc=example,dc=com", .seed = 1 },
	    .fd = STDOUT_FILENO };
	struct diag diag = DIAG_INIT;
	int rc, status = BENCH_NO_START;

	buf_init(&g.out);
	if ((rc = parse(argc, argv, &g, &diag)) != HB_OK ||
	    (rc = people_put_base(&g.out, &g.people, &diag)) != HB_OK)
		goto out;
	if (g.file != NULL && (g.fd = open(g.file, O_WRONLY | O_CREAT |
	    O_TRUNC | O_CLOEXEC, 0600)) < 0) {
		diag_set(&diag, "-o %s: %s", g.file, strerror(errno));
		goto out;
	}
	buf_reserve(&g.out, CHUNK + 65536);
	rc = write_all(&g, &diag);
	if (g.file != NULL && close(g.fd) != 0 && rc == HB_OK)
		rc = diag_err(&diag, HB_EIO, "%s: %s", g.file,
		    strerror(errno));
	status = rc == HB_OK ? BENCH_OK : BENCH_ERRORS;
out:
	if (rc == HB_EEND)
		status = BENCH_OK;
	else if (status != BENCH_OK)
		fprintf(stderr, "slapbench: %s\n", diag.text);
	buf_fini(&g.out);
	return status;
}
