/*
 * Overlays: stacked per database (last configured is called first). BEFORE may
 * answer an operation instead of the backend; AFTER sees its outcome. Writes
 * that must be atomic with the operation's own happen IN_TXN.
 */
#ifndef SLAPD_OVERLAY_H
#define SLAPD_OVERLAY_H

#include "cfg.h"
#include "slapd/op.h"

#define SLAPD_OVERLAY_ABI	1

/* BEFORE returns this to let the operation go on. */
#define OVERLAY_CONTINUE	0

struct overlay;

struct slapd_overlay {
	unsigned abi;
	const char *name;
	size_t conf_size;
	const struct cfg_item *config;	/* rows on its configuration struct */
	int (*open)(struct overlay *, struct diag *);
	void (*close)(struct overlay *);
	/* OVERLAY_CONTINUE, or the HB_* to answer with */
	int (*before)(struct overlay *, struct op *);
	/* inside the write transaction, after the backend's own changes; TXN is
	 * handed to the backend's in-transaction calls */
	int (*in_txn)(struct overlay *, struct op *, void *txn);
	void (*after)(struct overlay *, struct op *, int rc);
};

struct overlay {
	const struct slapd_overlay *type;
	struct be_db *db;
	void *conf;
	void *priv;
	struct overlay *next;
};

#endif
