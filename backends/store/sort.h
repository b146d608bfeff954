/*
 * External sorting for the bulk loader. Two kinds of sorter, both with bounded
 * memory: what does not fit is written out as sorted runs, which are merged when
 * read back.
 *
 * sorter: records (key, data), given back in octet order of keys.
 * postings: (key, ID) with IDs ascending as they come; given back as each key in
 * octet order with all its IDs ascending.
 *
 * A sorter belongs to one thread at a time. Runs are files of the temporary
 * folder that have lost their name: nothing is left whatever happens.
 */
#ifndef STORE_SORT_H
#define STORE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "entry.h"
#include "util/buf.h"
#include "util/diag.h"
#include "util/slice.h"

/* ---- sort_run.c: one run ---- */

struct run {
	int fd;
	uint64_t size;			/* octets written */
	const char *dir;
	char *mem;			/* of writing, then of reading */
	size_t len, pos, cap;
	uint64_t offset;		/* of the file, where mem + len is */
};

#define RUN_BUFFER	(256 * 1024)

/* DIR is borrowed. HB_EIO, HB_ENOSPACE with DIAG; so do the others. */
int run_create(struct run *run, const char *dir, struct diag *);
int run_write(struct run *run, const void *p, size_t n, struct diag *);
/* Everything is written; reading starts at the beginning. */
int run_rewind(struct run *run, struct diag *);
bool run_at_end(const struct run *run);
/*
 * The next N octets, in memory of RUN until the next call. HB_EIO; HB_ECORRUPT
 * if there are not so many.
 */
int run_read(struct run *run, size_t n, const char **p_r, struct diag *);
void run_close(struct run *run);

/* ---- sort.c ---- */

struct sorter;

/* TMPDIR is borrowed. MEMORY: octets, 1 MiB at least. */
struct sorter *sorter_new(const char *tmpdir, size_t memory);
void sorter_free(struct sorter **);
int sorter_add(struct sorter *, struct slice key, struct slice data,
    struct diag *);
/* No more records: get ready to give them back. */
int sorter_finish(struct sorter *, struct diag *);
/* The next record; slices hold until the next call. HB_EEND. */
int sorter_next(struct sorter *, struct slice *key_r, struct slice *data_r,
    struct diag *);
uint64_t sorter_count(const struct sorter *);

/* ---- sort_post.c ---- */

struct postings;

struct postings *postings_new(const char *tmpdir, size_t memory);
void postings_free(struct postings **);
/* IDs of one key never descend; a repeated one is dropped. */
int postings_add(struct postings *, struct slice key, entry_id id,
    struct diag *);
int postings_finish(struct postings *, struct diag *);
/* The next key; it holds until the next call. HB_EEND. */
int postings_next(struct postings *, struct slice *key_r, struct diag *);
/* Its next ID. HB_EEND. */
int postings_next_id(struct postings *, entry_id *id_r, struct diag *);
uint64_t postings_count(const struct postings *);	/* pairs added */

#endif
