/*
 * What the disk can do to a database, and what then must not be done.
 *
 * A full disk: writes are refused while little is free, so that Berkeley DB
 * seldom meets it in the middle of a change. A write to the log that fails
 * loses nothing: the records stay in the buffer and are written again with the
 * next ones.
 *
 * A sync that fails is another matter. The kernel may have dropped what it
 * could not write and report success the next time, so a commit that comes
 * after would be acknowledged with a hole in the log before it, and a
 * checkpoint would declare pages to be on disk that are not. From then on
 * nothing is acknowledged and no checkpoint is made: recovery at the next start
 * repeats everything since the last good one.
 */
#include <sys/statvfs.h>

#include <errno.h>

#include "backends/store/env.h"
#include "util/log.h"

#define SPACE_LOW	((uint64_t)48 << 20)
#define SPACE_ENOUGH	((uint64_t)64 << 20)

/* A write of this thread failed, in the call of Berkeley DB that is running. */
static _Thread_local bool write_failed;

void
disk_note_write_failure(void)
{
	write_failed = true;
}

void
disk_look(struct store *st)
{
	const char *dir = st->conf->directory;
	bool was = atomic_load(&st->is_disk_full);
	struct statvfs v;
	uint64_t room;

	if (statvfs(dir, &v) != 0)
		return;
	room = (uint64_t)v.f_bavail * v.f_frsize;
	if (!was && room < SPACE_LOW) {
		atomic_store(&st->is_disk_full, true);
		log_printf(LOG_ANY, "%s: only %llu MiB free, writes are "
		    "refused until there are %llu", dir,
		    (unsigned long long)(room >> 20),
		    (unsigned long long)(SPACE_ENOUGH >> 20));
	} else if (was && room >= SPACE_ENOUGH) {
		atomic_store(&st->is_disk_full, false);
		log_printf(LOG_ANY, "%s: there is space again, writes go on",
		    dir);
	}
}

int
disk_check(struct store *st, struct diag *diag)
{
	if (atomic_load_explicit(&st->is_sync_lost, memory_order_relaxed))
		return diag_err(diag, HB_EIO,
		    "the disk of the database failed: nothing can be written "
		    "until slapd is started again");
	if (!atomic_load_explicit(&st->is_disk_full, memory_order_relaxed))
		return HB_OK;
	return diag_err(diag, HB_ENOSPACE,
	    "the disk of the database is full: nothing can be written until "
	    "there is space");
}

static void
lose_sync(struct store *st, int err)
{
	if (atomic_exchange(&st->is_sync_lost, true))
		return;
	log_printf(LOG_ANY, "%s: data could not be synced to disk (%s). What "
	    "was acknowledged is there; writes are refused and reads go on. "
	    "See to the disk, then start slapd again: it recovers the database",
	    st->conf->directory, db_strerror(err));
}

int
disk_flush_log(struct store *st)
{
	int err;

	if (atomic_load(&st->is_sync_lost))
		return EIO;
	write_failed = false;
	err = st->env->log_flush(st->env, NULL);
	if (err != 0 && !write_failed)
		lose_sync(st, err);
	else if (err == ENOSPC || err == EDQUOT)
		atomic_store(&st->is_disk_full, true);	/* until the next look */
	return err;
}

int
disk_checkpoint(struct store *st, unsigned kb, unsigned min, bool force)
{
	int err;

	if (atomic_load(&st->is_sync_lost))
		return EIO;
	write_failed = false;
	err = st->env->txn_checkpoint(st->env, kb, min, force ? DB_FORCE : 0);
	if (err != 0) {
		(void)store_db_error(st, err, "checkpoint");
		if (!write_failed)
			lose_sync(st, err);
	}
	return err;
}
