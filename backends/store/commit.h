/*
 * What the transaction of the writer will change in the caches. Private to
 * the store. All of it is called by the writer.
 */
#ifndef STORE_COMMIT_H
#define STORE_COMMIT_H

#include "backends/store/store_int.h"

struct undo *undo_new(void);
void undo_free(struct undo **);

/* ID is E after the commit (a reference is taken); NULL: gone, or read again. */
void undo_entry(struct store_txn *, entry_id, struct entry *e);
/* NORM names ID after the commit; NONE: nothing. */
void undo_name(struct store_txn *, struct slice norm, entry_id);
/* Too many names change to list them. */
void undo_all_names(struct store_txn *);
void undo_candidates(struct store_txn *, unsigned index, struct slice key);
void undo_special(struct store_txn *, enum special_kind, entry_id, bool is);
/* ID is an alias of NORM after the commit; NONE: no alias. */
void undo_alias(struct store_txn *, entry_id, struct slice norm);

/* The last that was said of SPECIAL of ID in *IS_r; false: nothing. */
bool undo_find_special(struct store_txn *, enum special_kind, entry_id,
    bool *is_r);
/*
 * An entry or a name that changed several times is listed once, with what it
 * is in the end: nobody may see what is between.
 */
void undo_unify(struct store_txn *);

/* Just before the commit; after it (OK: it succeeded). */
void undo_commit_begin(struct store_txn *);
void undo_commit_end(struct store_txn *, bool ok);
/* Forget the list. */
void undo_reset(struct undo *);

#endif
