/*
 * The store: all that back-bdb and back-hdb share (backends/store). A backend
 * picks how names are laid out and hands its database over.
 */
#ifndef STORE_H
#define STORE_H

#include "slapd/backend.h"

struct dnidx_ops;
struct store_conf;

/* Rows of slapd-bdb(5) and slapd-hdb(5) on struct store_conf. */
extern const struct cfg_item store_cfg[];
enum { STORE_CONF_SIZE = 256 };		/* room for struct store_conf */

/* Names as full keys (back-bdb); as parent and RDN (back-hdb). */
extern const struct dnidx_ops dnidx_flat;
extern const struct dnidx_ops dnidx_tree;

int store_conf_check(struct be_db *, struct diag *);
void store_conf_free(struct be_db *);
/*
 * Open the environment of DB: recovery if the last owner died, dictionary,
 * indexes, caches, background checkpoints. HB_EINUSE, HB_EUNLOADED, HB_EIO, ...
 */
int store_open(struct be_db *, const struct dnidx_ops *, struct diag *);
/* Checkpoint, close. */
void store_close(struct be_db *);

int store_op_bind(struct be_db *, struct op *);
int store_op_search(struct be_db *, struct op *);
int store_op_compare(struct be_db *, struct op *);
int store_op_add(struct be_db *, struct op *);
int store_op_delete(struct be_db *, struct op *);
int store_op_modify(struct be_db *, struct op *);
int store_op_modrdn(struct be_db *, struct op *);
int store_entry_get(struct be_db *, struct op *, const struct dn *,
    struct entry **e_r);
int store_has_children(struct be_db *, struct op *, const struct entry *,
    bool *has_r);
/* Of overlays, in the transactions of the above. */
extern const struct slapd_txn_ops store_txn_ops;
const struct counter *store_counters(struct be_db *, unsigned *n_r);

/* Tools; the name layout is chosen by the backend's own open, see back_hdb.c. */
int store_tool_open(struct be_db *, const struct dnidx_ops *,
    const struct tool_opts *, struct diag *);
int store_tool_put(struct be_db *, struct arena *, const struct tool_entry *,
    entry_id *id_r, struct diag *);
int store_tool_each(struct be_db *, const struct dn *base,
    int (*cb)(struct entry *entry, entry_id id, void *arg), void *arg,
    struct diag *);
int store_tool_reindex(struct be_db *, const struct attr_desc *const *descs,
    unsigned n, struct diag *);
int store_tool_close(struct be_db *, bool ok, struct diag *);
int store_tool_check(struct be_db *, const struct dnidx_ops *,
    struct tool_check *, struct diag *);
int store_tool_backup(struct be_db *, const struct dnidx_ops *,
    struct tool_backup *, struct diag *);
int store_tool_restore(struct be_db *, const struct dnidx_ops *,
    struct tool_restore *, struct diag *);

extern const char *const store_controls[];

#endif
