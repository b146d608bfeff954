/*
 * Reading and writing records of the store's files. A walk over a range takes
 * records in batches; between two batches it holds no lock, so what is written
 * meanwhile may or may not be seen, but nothing that stays is missed or met
 * twice.
 */
#ifndef STORE_RANGE_H
#define STORE_RANGE_H

#include "backends/store/store_int.h"
#include "util/buf.h"

#define RANGE_KEY_MAX	(2 * DN_LEN_MAX + 64)
#define RANGE_ROOM	(64 * 1024)

struct range {
	struct store *st;
	struct store_txn *txn;		/* NULL: deadlocks are repeated inside */
	DB *db;
	char *mem;
	size_t room;
	struct buf from;		/* where the next batch begins */
	DBT data;			/* the batch */
	void *pos;			/* in it; NULL: used up */
	struct slice last;		/* key given last */
	bool at_end;
	uint64_t renames;		/* st->renames before the batch was read, even */
};

/* ROOM: bytes of a batch, a multiple of 1024, no less than a page. */
void range_init(struct range *, struct store *, struct store_txn *, DB *,
    size_t room);
void range_fini(struct range *);
/* Go on with the first key >= KEY. */
void range_seek(struct range *, struct slice key);
/* The next record; slices live until the next call. HB_EEND, HB_EIO, HB_EDEADLOCK. */
int range_next(struct range *, struct slice *key_r, struct slice *data_r);

/* DB's handle of TXN, NULL for NULL. */
DB_TXN *store_db_txn(struct store_txn *);
/*
 * Flags of a get or a cursor: there is one writer, so what it reads need not
 * stay locked until its end.
 */
u_int32_t store_read_flags(const struct store_txn *);
/* TXN NULL: QUICK mode, or a change that stands alone. HB_EEXISTS with DB_NOOVERWRITE. */
int store_put(struct store *, struct store_txn *, DB *, struct slice key,
    struct slice data, u_int32_t flags);
/* HB_ENOTFOUND. */
int store_del(struct store *, struct store_txn *, DB *, struct slice key);

#endif
