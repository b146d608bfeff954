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

struct cand_cache;
struct entry_cache;
struct index_conf;
struct index_set;
struct name_cache;

/* Filled by the rows of store_cfg. */
struct store_conf {
	char *directory;
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
	DB_ENV *env;
	DB *id2entry, *dn2id, *dict_db;
	struct attr_dict *dict;		/* lookups lock-free */
	struct index_set *indexes;
	struct entry_cache *entries;
	struct name_cache *name_cache;	/* normalised DN -> ID */
	struct cand_cache *cands;
	bool is_tool, is_quick, is_read; /* not SERVER; QUICK; READ */

	struct lk_mutex writer;		/* rank LK_STORE_WRITER; one transaction at a time changes pages */
	atomic_uint_least64_t next_id;	/* above every ID in use */
	atomic_uint_least64_t commits;	/* counts commits: odd while pages change */
	void *priv;			/* env.c: group commit, checkpoints, counters */
};

struct store_txn {
	struct store *st;
	struct op *op;			/* may be NULL (tools) */
	DB_TXN *txn;
	DB_LSN lsn;			/* of the commit record */
	void *undo;			/* txn.c: what caches must forget */
};

/* ---- env.c: environment and files ---- */

enum store_mode {
	STORE_SERVER,	/* store_open() */
	STORE_READ,	/* beside a running slapd; no recovery, no writes, no creation */
	STORE_WRITE,	/* as SERVER, for one tool; joins no running slapd */
	STORE_QUICK	/* DB_PRIVATE: exclusive; no locks, logs, transactions */
};

/*
 * store_open() for a tool. CACHE: bytes of Berkeley DB's cache, 0: as configured.
 * The mark of a cut-off load (HB_EUNLOADED) is tested here, except for QUICK
 * (the loader decides). No background threads unless SERVER. store_close() closes.
 */
int store_open_as(struct be_db *, const struct dnidx_ops *, enum store_mode,
    uint64_t cache, struct diag *);
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

/* ---- dict.c ---- */

/*
 * See that each description of ATTRS has a number, in memory and on disk (TXN
 * NULL only in QUICK mode).
 */
int store_dict_add(struct store *, struct store_txn *, const struct attrs *);

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
void store_txn_abort(struct store_txn **txn);	/* NULL is fine */
/* Run ONCE until it does not return HB_EDEADLOCK. */
int store_retry(struct store *, struct op *,
    int (*once)(struct store *, struct op *));
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
/* Encode ATTRS (numbers added to the dictionary as needed) and write. *e_r: the new entry, a reference; to be seen by others after commit. */
int store_entry_put(struct store_txn *, entry_id, const struct dn *,
    const struct attrs *, struct entry **e_r);
int store_entry_del(struct store_txn *, entry_id);
/* The next entry with ID >= *ID from disk (a scan that fills no cache). HB_EEND. */
int store_entry_scan(struct store *, entry_id *id, struct entry **e_r);

#endif
