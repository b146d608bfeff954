/*
 * slapindex beside a running slapd. It leaves a request in the folder of the
 * database, "hornbeam.reindex": a line for each attribute, none for all. The
 * background thread of the server takes it (by renaming the file to
 * "hornbeam.reindexing"), empties the indexes and lets the builder fill them;
 * the file goes when they are complete, which slapindex waits for.
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

#define REQUEST		"hornbeam.reindex"
#define TAKEN		"hornbeam.reindexing"
#define LOOK_MS		100

static char *
path_of(const struct store_conf *conf, const char *name)
{
	return mem_printf("%s/%s", conf->directory, name);
}

/* ---- the server ---- */

void
index_online_done(struct store *st)
{
	char *path = path_of(st->conf, TAKEN);

	(void)unlink(path);
	free(path);
}

static void
pick_line(struct store *st, const char *line, bool *which)
{
	const struct index_set *set = st->indexes;

	for (unsigned i = 0; i < set->n; i++)
		if (slice_is_eq_nocase(slice_of(line), set->v[i].desc->name)) {
			which[i] = true;
			return;
		}
	log_printf(LOG_ANY, "%s: slapindex asks for an index of %s, which "
	    "this slapd has not in its configuration", st->conf->directory,
	    line);
}

/* False: the request cannot be read. */
static bool
read_request(struct store *st, const char *path, bool *which)
{
	char line[600];
	bool all = true;
	FILE *f;

	if ((f = fopen(path, "re")) == NULL)
		return false;
	while (fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		all = false;
		pick_line(st, line, which);
	}
	for (unsigned i = 0; all && i < st->indexes->n; i++)
		which[i] = true;
	fclose(f);
	return true;
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

/* How much of what is being built is there, by the notes. */
static double
part_done(struct store *st)
{
	uint64_t end = atomic_load(&st->next_id), least = end;
	struct index_note note;

	for (unsigned i = 0; i < st->indexes->n; i++)
		if (index_note_read(st, &st->indexes->v[i], &note) == HB_OK &&
		    note.building != 0 && note.next < least)
			least = note.next;
	return (double)least / (double)(end > 0 ? end : 1);
}

static int
wait_done(struct store_tool *t, struct diag *diag)
{
	const struct store_conf *conf = t->db->conf;
	char *request = path_of(conf, REQUEST), *taken = path_of(conf, TAKEN);
	bool unclean;
	int rc = HB_OK;

	while (access(request, F_OK) == 0 || access(taken, F_OK) == 0) {
		if (lockfile_owner(conf->directory, &unclean) == 0) {
			rc = diag_err(diag, HB_EABANDONED, "slapd ended: it "
			    "goes on with the indexes when it is started");
			break;
		}
		if (t->opts.progress != NULL)
			t->opts.progress("slapd builds", part_done(t->st),
			    t->opts.progress_arg);
		(void)poll(NULL, 0, LOOK_MS);
	}
	free(request);
	free(taken);
	return rc;
}

/* The server's configuration may be another than ours. */
static int
check_done(struct store_tool *t, const bool *which, struct diag *diag)
{
	struct index_set *set = t->st->indexes;
	struct index_note note;
	int rc;

	for (unsigned i = 0; i < set->n; i++) {
		if (!which[i])
			continue;
		rc = index_note_read(t->st, &set->v[i], &note);
		if (rc != HB_OK)
			return rc;
		if (set->v[i].kinds & ~note.ready)
			return diag_err(diag, HB_ENOTFOUND, "the slapd that "
			    "runs does not have this index of %.*s in its "
			    "configuration: start it again, then it builds "
			    "what is new by itself",
			    SLICE_ARG(set->v[i].desc->name));
	}
	return HB_OK;
}

int
tool_rebuild_online(struct store_tool *t, const bool *which,
    const struct attr_desc *const *descs, unsigned n, struct diag *diag)
{
	int rc;

	if ((rc = write_request(t->db->conf, descs, n, diag)) != HB_OK ||
	    (rc = wait_done(t, diag)) != HB_OK)
		return rc;
	return check_done(t, which, diag);
}
