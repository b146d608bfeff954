/*
 * slapindex beside a running slapd. It leaves a request in the folder of the
 * database, "hornbeam.reindex": a line for each attribute, none for all. The
 * background thread of the server takes it (by renaming the file to
 * "hornbeam.reindexing"), empties the indexes and lets the builder fill them;
 * the file then holds how much is done, in percent. At the end it leaves its
 * answer in "hornbeam.reindexed": nothing, or the attribute that it has no
 * index of.
 *
 * A search that reads an index while it is emptied would miss entries. So an
 * index first loses its number: whoever reads compares it before and after,
 * and plans again if it changed. Sets in the candidate cache are known by the
 * old number and never found again.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backends/store/env.h"
#include "backends/store/tool_int.h"
#include "util/log.h"
#include "util/mem.h"
#include "util/text.h"

#define REQUEST		"hornbeam.reindex"
#define TAKEN		"hornbeam.reindexing"
#define ANSWER		"hornbeam.reindexed"
#define LOOK_MS		100

static char *
path_of(const struct store_conf *conf, const char *name)
{
	return mem_printf("%s/%s", conf->directory, name);
}

static bool
write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");
	bool ok;

	if (f == NULL)
		return false;
	ok = fputs(text, f) >= 0;
	return fclose(f) == 0 && ok;
}

/* The first line of PATH. */
static bool
read_text(const char *path, char *line, size_t size)
{
	FILE *f = fopen(path, "re");

	if (f == NULL)
		return false;
	if (fgets(line, (int)size, f) == NULL)
		line[0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	fclose(f);
	return true;
}

/* ---- the server ---- */

/* The request is answered with TEXT. */
static void
answer(struct store *st, const char *text)
{
	char *taken = path_of(st->conf, TAKEN);
	char *path = path_of(st->conf, ANSWER);

	if (!write_text(taken, text) || rename(taken, path) != 0)
		log_printf(LOG_ANY, "%s: %s", path, strerror(errno));
	free(taken);
	free(path);
}

void
index_online_done(struct store *st)
{
	char *taken = path_of(st->conf, TAKEN);

	if (access(taken, F_OK) == 0)
		answer(st, "");
	free(taken);
}

void
index_online_progress(struct store *st, unsigned percent)
{
	char *taken = path_of(st->conf, TAKEN), text[16];

	snprintf(text, sizeof(text), "%u\n", percent);
	if (access(taken, F_OK) == 0)
		(void)write_text(taken, text);
	free(taken);
}

static bool
pick_line(struct store *st, const char *line, bool *which)
{
	const struct index_set *set = st->indexes;

	for (unsigned i = 0; i < set->n; i++)
		if (slice_is_eq_nocase(slice_of(line), set->v[i].desc->name))
			return which[i] = true;
	return false;
}

/* False: it cannot be read, or was answered with what is not configured. */
static bool
read_request(struct store *st, const char *path, bool *which)
{
	char line[600];
	bool all = true, known = true;
	FILE *f;

	if ((f = fopen(path, "re")) == NULL)
		return false;
	while (known && fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		all = false;
		known = pick_line(st, line, which);
	}
	for (unsigned i = 0; all && i < st->indexes->n; i++)
		which[i] = true;
	fclose(f);
	if (!known)
		answer(st, line);
	return known;
}

/* Emptied, kept by writers, used by nobody. */
static int
begin_again(struct store *st, const bool *which)
{
	struct index_set *set = st->indexes;
	struct store_txn *txn;
	int rc;

	if ((rc = store_txn_begin(st, NULL, &txn)) != HB_OK)
		return rc;
	for (unsigned i = 0; i < set->n && rc == HB_OK; i++) {
		struct index_note note = { .building = set->v[i].kinds };

		if (which[i])
			rc = index_note_write(st, txn, &set->v[i], &note);
	}
	if (rc != HB_OK || (rc = store_txn_commit(&txn)) != HB_OK) {
		store_txn_abort(&txn);
		return rc;
	}
	for (unsigned i = 0; i < set->n; i++) {
		if (!which[i])
			continue;
		set->v[i].ready = 0;
		set->v[i].number = set->next_number++;
		set->v[i].next = 0;
	}
	return HB_OK;
}

/*
 * Between begin_again() and the builder's first step writers go by `kept`,
 * which was all kinds before and still is.
 */
void
index_online_poll(struct store *st)
{
	char *request = path_of(st->conf, REQUEST);
	char *taken = path_of(st->conf, TAKEN);
	bool *which = NULL;
	int rc;

	if (access(request, F_OK) != 0 || rename(request, taken) != 0)
		goto out;
	which = mem_calloc(st->indexes->n + 1, sizeof(*which));
	if (!read_request(st, taken, which))
		goto out;
	index_build_stop(st);
	if ((rc = begin_again(st, which)) != HB_OK)
		log_printf(LOG_ANY, "%s: indexes cannot be built anew: %s",
		    st->conf->directory, hb_strerror(rc));
	(void)index_build_start(st, NULL);
out:
	free(which);
	free(request);
	free(taken);
}

/* ---- slapindex ---- */

static int
write_request(const struct store_conf *conf,
    const struct attr_desc *const *descs, unsigned n, struct diag *diag)
{
	char *new = path_of(conf, REQUEST ".new"), *path = path_of(conf,
	    REQUEST);
	int rc = HB_OK;
	FILE *f;

	if ((f = fopen(new, "we")) == NULL) {
		rc = diag_err(diag, HB_EIO, "%s: %s", new, strerror(errno));
		goto out;
	}
	for (unsigned i = 0; i < n; i++)
		fprintf(f, "%.*s\n", SLICE_ARG(descs[i]->name));
	if (fclose(f) != 0 || rename(new, path) != 0)
		rc = diag_err(diag, HB_EIO, "%s: %s", path, strerror(errno));
out:
	free(new);
	free(path);
	return rc;
}

static double
part_done(const char *taken)
{
	char line[16];
	uint64_t percent;

	if (!read_text(taken, line, sizeof(line)) ||
	    text_to_uint(slice_of(line), &percent) != HB_OK)
		return 0;
	return (double)percent / 100;
}

static int
take_answer(const char *path, struct diag *diag)
{
	char line[600];

	if (!read_text(path, line, sizeof(line)))
		return diag_err(diag, HB_EIO, "%s: %s", path, strerror(errno));
	(void)unlink(path);
	if (line[0] == '\0')
		return HB_OK;
	return diag_err(diag, HB_ENOTFOUND, "the slapd that runs does not have "
	    "this index of %s in its configuration: start it again, then it "
	    "builds what is new by itself", line);
}

static int
wait_answer(struct store_tool *t, struct diag *diag)
{
	const struct store_conf *conf = t->db->conf;
	char *taken = path_of(conf, TAKEN), *path = path_of(conf, ANSWER);
	bool unclean, ended = false;

	while (access(path, F_OK) != 0 && !ended) {
		ended = lockfile_owner(conf->directory, &unclean) == 0;
		if (t->opts.progress != NULL)
			t->opts.progress("slapd builds", part_done(taken),
			    t->opts.progress_arg);
		(void)poll(NULL, 0, LOOK_MS);
	}
	ended = access(path, F_OK) != 0;
	free(taken);
	if (!ended) {
		int rc = take_answer(path, diag);

		free(path);
		return rc;
	}
	free(path);
	return diag_err(diag, HB_EABANDONED, "slapd ended: it goes on with the "
	    "indexes when it is started");
}

/* The server has other indexes than this configuration: the usual mistake. */
static int
check_configured(const struct store_conf *conf,
    const struct attr_desc *const *descs, unsigned n, struct diag *diag)
{
	const struct index_conf *lines = conf->indexes;

	for (unsigned k = 0; k < n; k++) {
		size_t i = 0, max = lines != NULL ? lines->n : 0;

		while (i < max && lines->v[i].desc != descs[k])
			i++;
		if (i == max)
			return diag_err(diag, HB_ENOTFOUND, "no index of "
			    "\"%.*s\" is configured",
			    SLICE_ARG(descs[k]->name));
	}
	return HB_OK;
}

int
tool_rebuild_online(struct store_tool *t,
    const struct attr_desc *const *descs, unsigned n, struct diag *diag)
{
	const struct store_conf *conf = t->db->conf;
	char *path = path_of(conf, ANSWER);
	int rc;

	(void)unlink(path);		/* to somebody who did not wait */
	free(path);
	if ((rc = check_configured(conf, descs, n, diag)) != HB_OK ||
	    (rc = write_request(conf, descs, n, diag)) != HB_OK)
		return rc;
	return wait_answer(t, diag);
}
