/*
 * Indexes: <attribute>.bdb, one B-tree per indexed attribute. Keys (README.md
 * draws them):
 *   kind 1 | value, escaped and ended | id >> 12, 6 octets   data: set of the low 12 bits
 * Sets are exact; a record holds at most 4096 IDs, so at most 512 octets.
 * kinds: present, equality (order-preserving; longer than 64 octets: prefix and
 * strong hash), n-gram, approx.
 */
#ifndef STORE_INDEX_H
#define STORE_INDEX_H

#include "backends/store/store_int.h"

enum index_kind {
	INDEX_PRES = 1, INDEX_EQ = 2, INDEX_SUB = 4, INDEX_APPROX = 8,
	INDEX_NOSUBTYPES = 16, INDEX_NOTAGS = 32
};

struct index {
	const struct attr_desc *desc;
	atomic_uint number;		/* for the candidate cache; another one when the keys are emptied */
	unsigned kinds;			/* as configured */
	unsigned flags;			/* INDEX_NOSUBTYPES, INDEX_NOTAGS */
	DB *db;
	atomic_uint ready;		/* kinds that are complete: used by searches */
	unsigned kept;			/* kinds that writers keep up to date: ready, or being built */
	atomic_uint_least64_t next;	/* being built: entries below this ID have their keys */
};

struct index_conf;			/* lines as configured */
struct index_set;			/* open indexes of a store */

/* parse() of the `index` row: "index attrs [kinds]", default included. */
int index_conf_parse(void *base, const struct cfg_line *, void *ctx,
    struct diag *);
void index_conf_free(struct index_conf **);

/*
 * Open or create all configured. Kinds that are new on a database with entries
 * are not used before they are complete: the server begins to build them in
 * the background, or goes on where it was stopped. Files of indexes that are
 * not configured any more are removed.
 */
int index_open(struct store *, struct diag *);
/* Stops the building, which goes on at the next start. */
void index_close(struct store *);
/* The index that serves DESC with KIND (own or a supertype's); NULL. */
const struct index *index_find(const struct store *, const struct attr_desc *,
    unsigned kind);

/*
 * Keys of entry ID: OLD (NULL at add) replaced by NEW (NULL at delete). Only the
 * difference is written. Tells the candidate cache what to forget at commit.
 */
int index_update(struct store_txn *, entry_id, const struct entry *old,
    const struct entry *new);

/*
 * IDs under one key of INDEX. Cached (candidate cache). VALUE: normal form (PRES: empty). HB_EDEFER when not cached and
 * MAY_READ is false; HB_EDEADLOCK: the index was emptied meanwhile, plan again.
 * TXN: a writer that has changed something sees its own changes, and no cache;
 * HB_EDEADLOCK is one then. NULL: what is committed.
 */
int index_read(struct store *, struct store_txn *, const struct index *,
    unsigned kind, struct slice value, bool may_read, struct idset *ids_r);

/* An item of a filter that no index serves; desc NULL: there is none. */
struct plan_gap {
	const struct attr_desc *desc;
	unsigned kind;			/* INDEX_EQ, ...: what would serve it */
};

/*
 * Candidates of FILTER: a superset of what matches, ALL if nothing narrows it.
 * Combined smallest first, stops early, NOT exact where the operand is exact.
 * GAP_r: the first item that an index would have served and none did.
 * An OP that is the writer sees its own changes; HB_EDEADLOCK.
 */
int plan_candidates(struct store *, struct op *, const struct filter *,
    struct idset *ids_r, struct plan_gap *gap_r);

#endif
