/*
 * What the files of the store share: the open database, transactions, entries
 * by ID. Not seen outside backends/store.
 */
#ifndef STORE_INT_H
#define STORE_INT_H

#include <db.h>
#include <stdatomic.h>

#include "backends/store/dnidx.h"
#include "backends/store/idset.h"
#include "store.h"
#include "util/lock.h"

struct advice;
struct background;
struct cand_cache;
struct counter;
struct entry_cache;
struct flush;
struct index_conf;
struct index_set;
struct name_cache;
struct special;
struct store_tool;
struct undo;

enum store_mode {
	STORE_SERVER,	/* store_open() */
	STORE_READ,	/* beside a running slapd; no recovery, no writes, no creation */
	STORE_WRITE,	/* as SERVER, for one tool; joins no running slapd */
	STORE_CHECK,	/* as READ, but exclusive: nobody owns the database */
	STORE_QUICK	/* DB_PRIVATE: exclusive; no locks, logs, transactions */
};

/* Filled by the rows of store_cfg. */
struct store_conf {
	char *directory;
	uint64_t memory;		/* bytes; 0: a share of the machine */
	int mode;
	unsigned cachesize, cachefree, dncachesize, idlcachesize;
	unsigned checkpoint_kb, checkpoint_min;
	bool dbnosync, checksum, dirtyread, linearindex;
	int lockdetect;
	unsigned searchstack;
	unsigned shm_key;
	struct cfg_words dbconfig;
	struct cfg_words dbpagesize;
	char *cryptfile, *cryptkey;
	struct index_conf *indexes;	/* index.h */
};

struct store {
	/* set by store_open(), never changed: no lock */
	struct be_db *db;
	const struct store_conf *conf;
	const struct dnidx_ops *names;
	struct schema *schema;
	const struct attr_desc *has_subordinates, *aliased_object;
	DB_ENV *env;
	DB *id2entry, *dn2id, *dict_db, *special_db;
	struct attr_dict *dict;		/* lookups lock-free */
	struct index_set *indexes;
	struct entry_cache *entries;
	struct name_cache *name_cache;	/* normalised DN -> ID */
	struct cand_cache *cands;
	bool is_tool, is_quick, is_read; /* not SERVER; QUICK; READ or CHECK */
	const char *const *skip;	/* CHECK: damaged files, as if not there; NULL ends */

	int lock_fd;			/* hornbeam.lock; -1: not held */
	enum store_mode mode;
	bool is_joined;			/* READ: beside a running slapd */
	long shm_key;			/* 0: regions are mapped files */
	int64_t reported;		/* recovery: time_mono_us() of the last line; 0: not begun */
	uint64_t recovered;		/* records told of */
	unsigned crypt_flag;		/* DB_ENCRYPT or 0, for db->open */
	struct flush *flush;		/* flush.c; NULL without a log */
	struct special *special;	/* special.c */
	struct alias_map *alias_map;	/* alias_map.c; NULL: a tool */
	struct background *background;	/* background.c; NULL in tools */
	struct store_tool *tool;	/* tool.c; NULL in the server */
	struct counter *counters;	/* counters.c */
	struct advice *advice;		/* advice.c */

	struct lk_mutex writer;		/* rank LK_STORE_WRITER; one transaction at a time changes pages */
	struct undo *undo;		/* commit.c; guarded by writer */
	uint32_t dict_saved;		/* numbers on disk; guarded by writer (QUICK: the loader's thread) */

	atomic_uint_least64_t next_id;	/* above every ID in use */
	atomic_uint_least64_t commits;	/* transactions committed */
	atomic_uint_least64_t renames;	/* odd while a rename is being committed */
	atomic_bool is_disk_full;	/* disk.c: writes are refused */
	atomic_bool is_sync_lost;	/* disk.c: and no checkpoints are made */
	/* the writer's operation: tells one of its callbacks that it is the
	 * writer; NULL: none */
	_Atomic(const struct op *) txn_op;
	struct store_txn *txn;		/* guarded by writer */
};

struct store_txn {
	struct store *st;
	struct op *op;			/* may be NULL (tools) */
	DB_TXN *txn;
	bool is_dirty;			/* pages were changed: caches do not know */
	bool is_rename;			/* names of existing entries change */
	bool is_shared;			/* overlays changed entries in it */
	unsigned nchanges;		/* records written or removed */
	int failed;			/* a call of an overlay left it unusable; HB_OK */
};

/* ---- counters.c ---- */

enum store_counter {
	COUNTER_ENTRY_HITS, COUNTER_ENTRY_MISSES, COUNTER_ENTRY_COUNT,
	COUNTER_ENTRY_BYTES, COUNTER_NAME_HITS, COUNTER_NAME_MISSES,
	COUNTER_NAME_COUNT, COUNTER_CAND_HITS, COUNTER_CAND_MISSES,
	COUNTER_CAND_BYTES, COUNTER_COMMITS, COUNTER_FLUSHES,
	COUNTER_DEADLOCKS, COUNTER_SCANS, COUNTERS
};

struct counter *counters_new(void);

/* ---- env.c: environment and files ---- */

/*
 * store_open() for a tool. CACHE: bytes of Berkeley DB's cache, 0: as configured.
 * The mark of a cut-off load (HB_EUNLOADED) is tested here, except for QUICK
 * (the loader decides). No background threads unless SERVER. store_close() closes.
 */
int store_open_as(struct be_db *, const struct dnidx_ops *, enum store_mode,
    uint64_t cache, struct diag *);
/*
 * The same in two steps: the environment, then the files. store_close() is due
 * after the first, however the second ends.
 */
int store_open_env(struct be_db *, const struct dnidx_ops *, enum store_mode,
    uint64_t cache, struct diag *);
int store_open_files(struct be_db *, struct diag *);
/*
 * Open FILE ("cn.bdb") as a B-tree, as the mode of ST wants it (page size by
 * dbpagesize, checksums, mode, DB_AUTO_COMMIT, ...). HB_ENOENT if it is not there and
 * CREATE is false; *CREATED_r (may be NULL) tells whether it was made.
 */
int store_db_open(struct store *, const char *file, bool create, DB **db_r,
    bool *created_r, struct diag *);

/* id2entry's key: 8 octets, big-endian; its data is the entry's block. */
static inline void
store_id_put(char key[8], entry_id id)
{
	for (int i = 0; i < 8; i++)
		key[i] = (char)(id >> (56 - 8 * i));
}

static inline entry_id
store_id_get(const char key[8])
{
	entry_id id = 0;

	for (int i = 0; i < 8; i++)
		id = id << 8 | (unsigned char)key[i];
	return id;
}

/* ---- tool_mark.c ---- */

#define STORE_MARK_FILE	"hornbeam.loading"
/*
 * Before opening in any mode but QUICK: HB_EUNLOADED if a load was cut off,
 * HB_EINUSE if one is running; DIAG says what to do.
 */
int store_mark_check(const char *dir, struct diag *);

/* ---- dict.c ---- */

/*
 * See that each description of ATTRS has a number, in memory and on disk (TXN
 * NULL only in QUICK mode).
 */
int store_dict_add(struct store *, struct store_txn *, const struct attrs *);

#define STORE_FORMAT	"hornbeam 1"

/*
 * A random number of DICT_DB, "" if it has none. The log, replayed over an older
 * copy of the files, gives their state of today, as long as it stays the same: a
 * tool that changes files without a log, or goes back in time, makes a new one.
 * Berkeley DB's error.
 */
int store_lineage(DB *dict_db, char out[33]);
int store_lineage_new(DB *dict_db);

/* Load the dictionary (made if CREATE). Names that the schema lost stay. */
int store_dict_open(struct store *, bool create, struct diag *);
void store_dict_close(struct store *);

/* ---- special.c: the few entries that searches treat apart ---- */

enum special_kind {
	SPECIAL_ALIAS, SPECIAL_REFERRAL, SPECIAL_SUBENTRY, SPECIAL_KINDS
};

/*
 * Their IDs, in memory and in special.bdb. Where the file does not say that it
 * is complete (a loader did not care for it), all entries are read once.
 */
int store_special_open(struct store *, bool create, struct diag *);
void store_special_close(struct store *);
/*
 * ID, just written, has ATTRS (NULL: was removed). A loader calls it with TXN
 * NULL for each entry, and store_special_done() at its end.
 */
int store_special_set(struct store *, struct store_txn *, entry_id,
    const struct attrs *);
int store_special_done(struct store *);
/* E is of KIND, whatever is listed. */
bool store_special_is(const struct store *, enum special_kind,
    const struct entry *e);
/* How many there are of KIND. Lock-free. */
uint64_t store_special_count(const struct store *, enum special_kind);
/* Takes no lock while there are none. */
bool store_special_has(const struct store *, enum special_kind, entry_id);
void store_special_copy(const struct store *, enum special_kind,
    struct idset *ids_r);
/* txn.c: the change is committed. */
void store_special_apply(struct store *, enum special_kind, entry_id, bool is);

/* ---- cand_cache.c: sets by (index number, key without the ID part) ---- */

/*
 * A copy of the set cached under KEY; false: none. *TICKET_r is then to be passed to
 * put(), with what was read from disk after this call.
 */
bool cand_cache_find(struct store *, unsigned index, struct slice key,
    struct idset *ids_r, uint64_t *ticket_r);
/* Keep a copy of IDS, unless KEY was forgotten since the TICKET was given. */
void cand_cache_put(struct store *, unsigned index, struct slice key,
    const struct idset *ids, uint64_t ticket);
/* A writer changes the set of KEY: it leaves the cache when TXN commits. */
void cand_cache_forget(struct store_txn *, unsigned index, struct slice key);

/* ---- txn.c: writers ---- */

/* Become the writer (waits) and begin. HB_EABANDONED, HB_EIO. */
int store_txn_begin(struct store *, struct op *, struct store_txn **txn_r);
/*
 * Commit, let the next writer in, wait until the log is on disk (group commit;
 * not with dbnosync). Caches forget what changed before readers can see it stale. *TXN is NULL then.
 */
int store_txn_commit(struct store_txn **txn);
/* The same without waiting: for what nobody was promised. */
int store_txn_commit_lazily(struct store_txn **txn);
void store_txn_abort(struct store_txn **txn);	/* NULL is fine */
/* Berkeley DB's error as HB_E* (0: HB_OK): DB_LOCK_DEADLOCK -> HB_EDEADLOCK, DB_NOTFOUND
 * -> HB_ENOTFOUND, ENOSPC -> HB_ENOSPACE, DB_KEYEXIST -> HB_EEXISTS, else
 * logged once with WHAT, HB_EIO. */
int store_db_error(struct store *, int dberr, const char *what);
/*
 * Get KEY from DB into memory of ARENA, without transaction (TXN NULL), a
 * deadlock repeated here. HB_OK, HB_ENOTFOUND, HB_EIO, HB_ELIMIT.
 */
int store_get(struct store *, struct store_txn *, DB *db, struct slice key,
    struct arena *, struct slice *data_r);

/* ---- id2entry.c ---- */

/* Entry ID with its name, from the cache or disk, a reference. HB_ENOTFOUND, HB_ECORRUPT, HB_EIO; HB_EDEFER if not cached and MAY_READ is false. */
int store_entry_by_id(struct store *, struct store_txn *, entry_id,
    bool may_read, struct entry **e_r);
/* By name. */
int store_entry_by_dn(struct store *, struct store_txn *, const struct dn *,
    bool may_read, struct entry **e_r);
int store_id_by_dn(struct store *, struct store_txn *, const struct dn *,
    bool may_read, entry_id *id_r);
/* Encode ATTRS (numbers added to the dictionary as needed); nothing is changed yet. *e_r: the new entry, a reference. */
int store_entry_make(struct store_txn *, entry_id, const struct dn *,
    const struct attrs *, struct entry **e_r);
/* Write E, made of ATTRS; to be seen by others after commit. */
int store_entry_write(struct store_txn *, struct entry *e,
    const struct attrs *);
/* Both. */
int store_entry_put(struct store_txn *, entry_id, const struct dn *,
    const struct attrs *, struct entry **e_r);
int store_entry_del(struct store_txn *, entry_id);
/* The next entry with ID >= *ID from disk (a scan that fills no cache). HB_EEND. */
int store_entry_scan(struct store *, entry_id *id, struct entry **e_r);

/* op's transaction if it is the writer, so that access control may read what it changed; NULL. */
struct store_txn *store_txn_of(struct store *, const struct op *);

#endif
