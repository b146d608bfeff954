/*
 * Bulk load and rebuilding of indexes: entries go by in ID order, their names
 * and index keys are sorted, and every file is filled in key order.
 *
 * One thread feeds (bulk_put()); lanes, each a thread, take whole batches in
 * order: the first stores the entries and collects names, the others
 * collect the keys of some indexes each. With one thread all is done by the
 * feeder.
 */
#ifndef STORE_BULK_H
#define STORE_BULK_H

#include "backends/store/index_int.h"
#include "backends/store/sort.h"
#include "slapd/tool.h"

/* ---- bulk_map.c: names already seen ---- */

/*
 * Hashes of normalised names with ID and line. 64 bits with a seed of the
 * moment: two names of ten million share one once in 300,000 loads, and then
 * the second is refused, not lost silently.
 */
struct bulk_map;

struct bulk_map *bulk_map_new(void);
void bulk_map_free(struct bulk_map **);
uint64_t bulk_map_hash(const struct bulk_map *, struct slice norm);
bool bulk_map_find(const struct bulk_map *, uint64_t hash, entry_id *id_r,
    unsigned *line_r);
/* Not there yet. */
void bulk_map_add(struct bulk_map *, uint64_t hash, entry_id, unsigned line);
void bulk_map_set_line(struct bulk_map *, uint64_t hash, unsigned line);

/* ---- bulk_names.c: parents before or after children, duplicates ---- */

struct bulk_names {
	struct store *st;		/* NULL: nothing is there */
	const struct be_db *db;
	/* the transaction that is open, if any: its own pages are locked
	 * against everybody else, reads without it included */
	struct store_txn *const *txn;
	bool was_empty;
	entry_id next;			/* next free ID */
	struct bulk_map *map;
	struct strmap *holes;		/* norm -> struct hole: waited for */
	struct buf last_parent;		/* norm */
	entry_id last_parent_id;
};

void bulk_names_init(struct bulk_names *, struct store *,
    const struct be_db *, entry_id first);
void bulk_names_fini(struct bulk_names *);
/*
 * ID and parent of a new name; ancestors that are not there get IDs too, the
 * topmost first, and are waited for. *LATE_r: the ID was given away before.
 * HB_EEXISTS with the line of the first in DIAG; HB_EIO.
 */
int bulk_names_add(struct bulk_names *, struct arena *, const struct dn *,
    unsigned line, entry_id *id_r, entry_id *parent_r, bool *late_r,
    struct diag *);
/* The parent's ID if it is there (not merely waited for). HB_ENOTFOUND. */
bool bulk_names_has_parent(struct bulk_names *, const struct dn *);
/* HB_OK, or HB_ENOENT and DIAG names who is missing. */
int bulk_names_check(const struct bulk_names *, struct diag *);

/* ---- bulk_fill.c: writing a B-tree in key order ---- */

struct fill {
	struct store *st;
	DB *db;
	const char *name;		/* for messages */
	DBT dbt;
	void *pos;			/* of DB_MULTIPLE_WRITE */
	bool empty;
};

void fill_begin(struct fill *, struct store *, DB *, const char *name);
int fill_put(struct fill *, struct slice key, struct slice data,
    struct diag *);
int fill_flush(struct fill *, struct diag *);
void fill_end(struct fill *);		/* drops what was not flushed */

/* ---- bulk_lane.c: batches and lanes ---- */

#define BATCH_ENTRIES	256
#define BATCH_BYTES	(512 * 1024)

struct bulk_entry {
	entry_id id, parent;
	bool late;
	/* places in the batch's memory */
	size_t block, block_len, text, text_len, norm, norm_len;
};

struct batch {
	unsigned lanes;			/* that still need it; guarded by bulk.lock */
	struct batch *next_free;
	struct buf mem;
	unsigned n;
	struct bulk_entry v[BATCH_ENTRIES];
};

enum { LANES_MAX = 16, BATCHES_MAX = 8 };

struct bulk;

struct lane {
	struct bulk *bulk;
	unsigned number;
	pthread_t thread;
	struct batch *queue[BATCHES_MAX]; /* ring; guarded by bulk.lock */
	unsigned first, n;
	/* owned by the lane's thread */
	unsigned *kinds;		/* of keys to collect, by index number */
	struct index_emitter emitter;
	entry_id id;			/* whose keys come */
	int rc;
	struct diag diag;
};

struct bulk {
	struct store *st;
	struct tool_opts opts;
	char *tmpdir;
	unsigned nthreads;
	bool names;			/* loads entries; else only indexes */

	struct sorter *name_sorter, *late;
	struct fill id2entry;
	struct postings **posts;	/* by index number; NULL: none */
	entry_id last_id;		/* in id2entry so far */

	struct lk_mutex lock;		/* rank LK_LEAF; guards what follows */
	struct lk_cond changed;
	struct batch *free;
	unsigned nbatches;
	bool stop;
	int rc;				/* first error of a lane */
	struct diag diag;
	struct batch *open;		/* owned by the feeder */
	struct lane lanes[LANES_MAX];
	unsigned nlanes;
	bool threads_run;

	/* filling */
	struct fill_task *tasks;
	unsigned ntasks;
	unsigned next_task, nworkers;	/* guarded by lock */
	struct slice phase;		/* guarded by lock */
	atomic_uint_least64_t work_done; /* pairs and records written */
	uint64_t work;
};

/*
 * KINDS: of keys to build, by index number. NAMES: id2entry and dn2id too.
 * MEMORY: for the sorters. Starts threads.
 */
void bulk_init(struct bulk *, struct store *, const struct tool_opts *,
    const unsigned *kinds, bool names, uint64_t memory);
/* Room for one more entry: the open batch, never full. */
struct batch *bulk_batch(struct bulk *);
/* An entry was written to the open batch. HB_OK or a lane's error. */
int bulk_feed(struct bulk *, struct diag *);
/* Wait until all that was fed is worked off; threads end. */
int bulk_drain(struct bulk *, struct diag *);
void bulk_fini(struct bulk *);

/* ---- bulk_work.c: what lanes do with a batch, what is filled at the end ---- */

void bulk_lane_init(struct lane *);
int bulk_work(struct lane *, const struct batch *);
/* Sort and fill everything, in as many threads as there are. */
int bulk_fill(struct bulk *, struct diag *);

#endif
