/*
 * Verifying a database. Pages first, file by file; then, where pages are
 * sound, what the records say: each of names, indexes and special.bdb is
 * compared with what the entries call for, both ways. What is too much for
 * memory goes through the bulk loader's sorters.
 */
#ifndef STORE_CHECK_H
#define STORE_CHECK_H

#include "backends/store/bulk.h"

#define FILE_ENTRIES	"id2entry.bdb"
#define FILE_NAMES	"dn2id.bdb"
#define FILE_DICT	"dict.bdb"
#define FILE_SPECIAL	"special.bdb"

struct check_file {
	char *name;
	uint64_t size;
	uint64_t findings;		/* guarded by check.lock */
	bool bad_pages;			/* no record of it is looked at; likewise */
};

struct check {
	struct be_db *db;
	const struct dnidx_ops *names;
	struct tool_check *tc;
	struct store *st;

	struct lk_mutex lock;		/* rank LEAF; guards findings, tc, next_task, phase */
	struct check_file *files;
	unsigned nfiles;
	const char **skip;		/* names of those with bad pages */
	int rc;				/* first error of a thread */
	struct diag diag;
	unsigned next_task;
	atomic_uint_least64_t done;	/* of total, for the progress */
	uint64_t total;

	struct bulk bulk;		/* collects index keys */
	bool has_bulk;
	struct idset ids;		/* in id2entry */
	struct idset unread;		/* of them, blocks that cannot be read */
	struct idset special[SPECIAL_KINDS];	/* that entries call for */
};

/* ---- check.c ---- */

/* A finding in FILE. WHERE may be "". */
void check_tell(struct check *, const char *file, const char *where,
    const char *fmt, ...) HB_PRINTF(4, 5);
void check_remark(struct check *, const char *fmt, ...) HB_PRINTF(2, 3);
bool check_has_bad_pages(struct check *, const char *file);
/*
 * WORK for each of N tasks, in as many threads as may be; the first error ends
 * it. DONE and TOTAL of C are shown as PHASE meanwhile.
 */
int check_parallel(struct check *, unsigned n, const char *phase,
    int (*work)(struct check *, unsigned task, struct diag *),
    struct diag *);
/* C->done of C->total, in a loop of one thread. */
void check_progress(struct check *, const char *phase);
/* Octets for people: "Ab\00", in OUT. */
const char *check_show(struct slice octets, char *out, size_t size);

/* ---- the parts; HB_OK also with findings ---- */

int check_pages(struct check *, struct diag *);
int check_dict(struct check *, struct diag *);
/* Reads all entries: ids, unread, special, and the keys that bulk collects. */
int check_entries(struct check *, struct diag *);
int check_names(struct check *, struct diag *);
int check_special(struct check *, struct diag *);
int check_indexes(struct check *, struct diag *);

/* Everything; the database is C->db's, opened as MODE (CHECK, or READ for a copy that nobody else knows). */
int check_run(struct be_db *, const struct dnidx_ops *, enum store_mode,
    struct tool_check *, struct diag *);

#endif
