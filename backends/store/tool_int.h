/* What the files of the tool interface share. One thread. */
#ifndef STORE_TOOL_INT_H
#define STORE_TOOL_INT_H

#include "backends/store/bulk.h"

struct pending;

struct store_tool {
	struct store_tool *next;
	struct be_db *db;
	const struct dnidx_ops *names;
	struct tool_opts opts;
	struct store *st;		/* NULL: dry run, nothing is there */
	int mark;			/* of the mark of a load; -1 */
	bool was_empty;

	/* consistent: the database is read from a copy */
	char *copy;			/* its folder; NULL: none */
	struct store_conf copy_conf;
	void *db_conf;			/* the one that DB has */

	bool has_seen;			/* put() was called: seen is set up */
	struct bulk_names seen;
	bool has_bulk;			/* QUICK: bulk is set up */
	struct bulk bulk;
	entry_id first;			/* of the load */

	/* WRITE */
	struct store_txn *txn;
	unsigned in_txn;		/* entries of it */
	struct strmap *pending;		/* norm -> struct pending */
	struct strmap *below;		/* parent's norm -> those that wait for it */
};

/* ---- tool_mark.c: the mark that a load is running or was cut off ---- */

enum mark_kind {
	MARK_EMPTY,	/* the database was empty before: can be loaded again */
	MARK_DATA,	/* entries were there, which may be damaged now */
	MARK_INDEX,	/* only indexes are rebuilt, which are noted as not ready */
	MARK_RESTORE	/* files of a backup are being put in place */
};

/* HB_OK with the mark made and locked; HB_EINUSE, HB_EIO. */
int mark_set(const char *dir, enum mark_kind, int *fd_r, struct diag *);
int mark_clear(const char *dir, int *fd, struct diag *);
/*
 * Before a load: what a cut-off one left behind is removed if that loses
 * nothing. HB_EINUSE, HB_EUNLOADED.
 */
int mark_tidy(const char *dir, struct diag *);
/* Remove database files, logs and regions of DIR (not DB_CONFIG). */
int mark_wipe(const char *dir, struct diag *);

/* ---- tool_quick.c ---- */

int quick_open(struct be_db *, struct store_tool *, enum mark_kind,
    struct diag *);
int quick_put(struct store_tool *, struct arena *, const struct tool_entry *,
    entry_id *id_r, struct diag *);
int quick_close(struct be_db *, struct store_tool *, bool ok, struct diag *);
uint64_t tool_memory(const struct tool_opts *);

/* ---- tool_write.c ---- */

int write_put(struct store_tool *, struct arena *, const struct tool_entry *,
    entry_id *id_r, struct diag *);
int write_close(struct store_tool *, bool ok, struct diag *);

/* ---- tool_index.c ---- */

/* One entry for the indexes of BULK. */
int tool_feed(struct bulk *, entry_id, struct slice block, struct diag *);
/* Empty and build anew the indexes that WHICH (by number) names. */
int tool_rebuild(struct store_tool *, const bool *which, struct diag *);

/* ---- index_online.c ---- */

/* Have the slapd that runs do it, and wait. N 0: all. HB_ENOTFOUND. */
int tool_rebuild_online(struct store_tool *,
    const struct attr_desc *const *descs, unsigned n, struct diag *);

#endif
