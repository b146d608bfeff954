/*
 * Writers: one at a time changes pages, commits without waiting for the disk,
 * lets the next one in, and then waits with others for one flush of the log.
 */
#include "backends/store/commit.h"
#include "backends/store/env.h"
#include "util/log.h"
#include "util/mem.h"

/* Not the writer any more. */
static void
leave(struct store_txn *txn)
{
	struct store *st = txn->st;

	undo_reset(st->undo);
	atomic_store(&st->txn_op, NULL);
	st->txn = NULL;
	lk_unlock(&st->writer);
	if (st->flush != NULL)
		flush_leave(st->flush);
	free(txn);
}

int
store_txn_begin(struct store *st, struct op *op, struct store_txn **txn_r)
{
	struct store_txn *txn;
	int err, rc;

	*txn_r = NULL;
	if ((rc = disk_check(st, op == NULL ? NULL : &op->diag)) !=
	    HB_OK)
		return rc;
	if (st->flush != NULL)
		flush_enter(st->flush);
	lk_lock(&st->writer);
	txn = mem_zalloc(sizeof(*txn));
	txn->st = st;
	txn->op = op;
	st->txn = txn;
	atomic_store(&st->txn_op, op);
	if (op != NULL && op_is_stopped(op)) {
		leave(txn);
		return HB_EABANDONED;
	}
	err = st->flush == NULL ? 0 :
	    st->env->txn_begin(st->env, NULL, &txn->txn, 0);
	if (err != 0) {
		leave(txn);
		return store_db_error(st, err, "beginning a transaction");
	}
	*txn_r = txn;
	return HB_OK;
}

/* *TICKET_r: what flush_wait() is to wait for; 0: nothing. */
static int
commit(struct store_txn **txn_p, uint64_t *ticket_r)
{
	struct store_txn *txn = *txn_p;
	struct store *st = txn->st;
	int err = 0;

	*txn_p = NULL;
	*ticket_r = 0;
	undo_commit_begin(txn);
	if (txn->txn != NULL)
		err = txn->txn->commit(txn->txn, DB_TXN_NOSYNC);
	undo_commit_end(txn, err == 0);
	if (err == 0) {
		atomic_fetch_add(&st->commits, 1);
		if (st->flush != NULL)
			*ticket_r = flush_ticket(st->flush);
	}
	leave(txn);
	return store_db_error(st, err, "commit");
}

int
store_txn_commit(struct store_txn **txn)
{
	struct store *st = (*txn)->st;
	struct op *op = (*txn)->op;
	uint64_t ticket;
	int rc = commit(txn, &ticket);

	if (rc != HB_OK || ticket == 0 || st->conf->dbnosync)
		return rc;
	rc = flush_wait(st, ticket);
	if (rc != HB_OK && op != NULL)
		diag_set(&op->diag, "the change is made, but could not be "
		    "written to disk (%s): it may be lost when the server "
		    "ends", hb_strerror(rc));
	return rc;
}

int
store_txn_commit_lazily(struct store_txn **txn)
{
	uint64_t ticket;

	return commit(txn, &ticket);
}

void
store_txn_abort(struct store_txn **txn_p)
{
	struct store_txn *txn = *txn_p;
	int err;

	if (txn == NULL)
		return;
	*txn_p = NULL;
	if (txn->txn != NULL && (err = txn->txn->abort(txn->txn)) != 0)
		(void)store_db_error(txn->st, err, "abort");
	leave(txn);
}

struct store_txn *
store_txn_of(struct store *st, const struct op *op)
{
	/* an operation is run by one thread: if it is the writer's, so are we */
	return op != NULL && op == atomic_load(&st->txn_op) ? st->txn : NULL;
}
