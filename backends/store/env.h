/*
 * The environment of one database: region sizes, recovery, the lock file, the
 * threads behind it. Private to the store's env.c and its neighbours.
 */
#ifndef STORE_ENV_H
#define STORE_ENV_H

#include <sys/types.h>

#include "backends/store/store_int.h"

/* ---- budget.c: what this machine lets us use ---- */

struct budget {
	uint64_t pool;			/* Berkeley DB's page cache */
	uint64_t entries, names, cands;	/* caches, bytes */
};

/* Bytes of RAM, or of the cgroup's limit if that is less. */
uint64_t budget_memory(void);
/* One more database is configured that takes its share. */
void budget_share(void);
void budget_make(const struct store_conf *, struct budget *b_r);

/* ---- lockfile.c: who owns the database ---- */

#define LOCKFILE	"hornbeam.lock"

/*
 * Take the database in DIR for this process. *UNCLEAN_r: the last owner did
 * not close it. HB_EINUSE names the owner in DIAG; HB_EIO.
 */
int lockfile_take(const char *dir, int mode, int *fd_r, bool *unclean_r,
    struct diag *);
/* CLEAN: closed with a checkpoint, so that the next start recovers nothing. */
void lockfile_release(int *fd, bool clean);
/* The owner alive, 0: none; *UNCLEAN_r as above. */
pid_t lockfile_owner(const char *dir, bool *unclean_r);

/* ---- dir.c: the folder ---- */

/* DIR exists and can be written (WRITE) or read; DIAG: owner, user, what to do. HB_EIO. */
int dir_check(const char *dir, bool write, struct diag *);
/* Does DIR hold logs or regions of an environment? */
bool dir_has_env(const char *dir);
/*
 * Unlink what is left of the regions of DIR's last environment. The caller owns
 * the database; who still reads there keeps what he has mapped.
 */
void dir_drop_regions(const char *dir);
/* Write DB_CONFIG from `dbconfig` lines unless there is one; log what one says. */
int dir_db_config(const struct store_conf *, struct diag *);

/* The folder of the logs, as DB_CONFIG has it; to be freed. */
char *dir_logs(const struct store_conf *);

/* Root made files here: they go to the owner of DIR. */
void dir_give(const char *dir);

/* ---- env.c ---- */

/*
 * Lock the database as st->mode asks, recover, open st->env with a page cache
 * of CACHE bytes (0: by the budget). After an error store_env_close() cleans up.
 */
int store_env_open(struct store *, uint64_t cache, struct diag *);
/* The key of an encrypted database for ENV; *FLAG_r then DB_ENCRYPT. HB_EIO. */
int env_set_key(const struct store_conf *, DB_ENV *, unsigned *flag_r,
    struct diag *);
/* All handles are closed. */
void store_env_close(struct store *);

/* ---- disk.c ---- */

/* Look how much is free. */
void disk_look(struct store *);
/* May one more change be made? HB_ENOSPACE, HB_EIO with what to do in DIAG. */
int disk_check(struct store *, struct diag *);
/* Berkeley DB tells that a write of this thread failed. */
void disk_note_write_failure(void);
/* Berkeley DB's calls and errors; after a sync that failed they fail at once. */
int disk_flush_log(struct store *);
int disk_checkpoint(struct store *, unsigned kb, unsigned min, bool force);

/* ---- flush.c: group commit ---- */

/* One flush of the log serves all commits before it. */
struct flush *flush_new(struct store *);
void flush_free(struct flush **);
/* A writer comes (before it waits for the writer lock), and goes. */
void flush_enter(struct flush *);
void flush_leave(struct flush *);
/* Caller holds the writer lock, its commit record is in the log's buffer. */
uint64_t flush_ticket(struct flush *);
/* Wait until what the ticket stands for is on disk. HB_EIO, HB_ENOSPACE. */
int flush_wait(struct store *, uint64_t ticket);
/* How often the log was flushed. */
uint64_t flush_count(struct flush *);

/* ---- logs.c: log files that recovery does not need any more ---- */

#define LOGS_LOCK	"hornbeam.backup"

/* Of "/x/log.0000000012": 12. 0: no log file. */
uint32_t logs_number(const char *path);
/*
 * After a checkpoint: remove what is neither needed nor kept for a backup.
 * False: some are held by a backup, or kept for one; try again later.
 */
bool logs_remove(DB_ENV *, const struct store_conf *);
/*
 * Go on in a new log file, and so with the next checkpoint leave behind all that
 * was logged: before files are changed without a log, since what is logged must
 * never be replayed over that. Berkeley DB's error.
 */
int logs_switch(DB_ENV *);
/* No log goes until release, which also the end of this process does. HB_EIO. */
int logs_hold(const struct store_conf *, int *fd_r, struct diag *);
void logs_release(int *fd);
/* Holder: logs from NUMBER on stay after the release too; 0: none. HB_EIO. */
int logs_keep(int fd, uint32_t number, struct diag *);
uint32_t logs_kept(int fd);
/* The first that recovery needs, as of the last checkpoint; 0: all. */
uint32_t logs_needed(int fd);

/* ---- background.c: checkpoints, disk space ---- */

int background_start(struct store *, struct diag *);
void background_stop(struct store *);

#endif
