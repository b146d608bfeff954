/*
 * Opening and closing the environment of a database: region sizes, recovery,
 * who may use it beside whom.
 */
#include <sys/shm.h>
#include <sys/stat.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/store/env.h"
#include "util/hash.h"
#include "util/log.h"
#include "util/mem.h"
#include "util/text.h"

#define LOG_BUFFER	(8u << 20)	/* a group of commits fits well */
#define LOG_FILE	(64u << 20)
#define LOG_REGION	(1u << 20)
/* Maxima: the region grows to them as needed, for the largest transaction
 * (a subtree rename in back-bdb locks each page it changes). */
#define LOCKS_MAX	1000000
#define LOCKERS_MAX	20000
#define TXNS_MAX	1000
/* each page in the cache has one, of 4 KiB at the least but for odd settings */
#define MUTEXES_FIRST	20000
#define MUTEXES_MAX	1000000
/* a transaction of a million locks is rare: its chains may be long */
#define LOCK_BUCKETS	32749
#define POOL_BUCKET_BYTES	(32 * 1024)
/* Below this size Berkeley DB adds a quarter of its own accord. */
#define POOL_WHOLE		((uint64_t)500 << 20)
#define REPORT_US	2000000
#define LOOK_EVERY	1024		/* records of a log that is recovered */
/* Keys of shared memory: 'H' and a hash of the folder, 8 for an environment. */
#define SHM_KEY_BASE	0x48000000L
#define SHM_KEY_MASK	0x1fffff
#define SHM_KEY_SHIFT	3

static void
on_error(const DB_ENV *env, const char *prefix, const char *text)
{
	const struct store *st = env->app_private;

	(void)prefix;
	log_printf(LOG_ANY, "%s: %s", st->conf->directory, text);
}

static void
on_event(DB_ENV *env, u_int32_t event, void *info)
{
	const struct store *st = env->app_private;

	(void)info;
	if (event == DB_EVENT_PANIC)
		log_printf(LOG_ANY, "%s: Berkeley DB gave up: restart slapd, "
		    "it recovers the database", st->conf->directory);
	else if (event == DB_EVENT_WRITE_FAILED)
		disk_note_write_failure();	/* on_error() has told */
}

/*
 * The regions lie in System V shared memory, as long as there is some: files
 * mapped into memory would be written to disk by the kernel again and again.
 * Readers beside us find the segments by their numbers in __db.001. Each is
 * marked to go with its last user, so that nothing is left behind by a process
 * that is killed; the key has served its purpose then. One that was killed
 * before it came to that leaves segments of the key that the next start in the
 * same folder takes, and Berkeley DB removes what it finds there.
 */
static long
pick_key(const struct store *st)
{
	struct stat s;
	uint64_t h;

	if (st->conf->shm_key != 0)
		return (long)st->conf->shm_key;
	if (stat(st->conf->directory, &s) != 0)
		return 0;
	h = hash_u64(hash_u64(s.st_dev) ^ s.st_ino);
	return SHM_KEY_BASE | (long)(h & SHM_KEY_MASK) << SHM_KEY_SHIFT;
}

static void
mark_segments(const struct store *st)
{
	unsigned key, first = (unsigned)st->shm_key;
	char line[512];
	int id;
	FILE *f;

	if ((f = fopen("/proc/self/maps", "re")) == NULL)
		return;
	while (fgets(line, sizeof(line), f) != NULL) {
		if (sscanf(line, "%*s %*s %*s %*s %d /SYSV%x", &id, &key) == 2
		    && key >= first && key < first + (1u << SHM_KEY_SHIFT))
			(void)shmctl(id, IPC_RMID, NULL);
	}
	fclose(f);
}

/*
 * Buckets of the page cache: all of them are written to when the region is made,
 * and by default there would be one for half a kilobyte of cache.
 */
static u_int32_t
pool_buckets(uint64_t cache)
{
	uint64_t n = cache / POOL_BUCKET_BYTES;

	return n < 1024 ? 1024 : (u_int32_t)n;
}

/*
 * Progress of recovery, when it takes long enough for somebody to wonder. Called
 * for each record of the log.
 */
static void
on_progress(DB_ENV *env, int opcode, int percent)
{
	struct store *st = env->app_private;
	int64_t now;

	if (opcode != DB_RECOVER ||
	    (st->reported != 0 && st->recovered++ % LOOK_EVERY != 0))
		return;
	now = time_mono_us();
	if (st->reported == 0) {
		st->reported = now;
		if (st->shm_key != 0)	/* recovery may take long */
			mark_segments(st);
	}
	if (now - st->reported < REPORT_US)
		return;
	st->reported = now;
	log_printf(LOG_ANY, "%s: recovering, %d %% done",
	    st->conf->directory, percent);
}

int
env_set_key(const struct store_conf *conf, DB_ENV *env, unsigned *flag_r,
    struct diag *diag)
{
	const char *file = conf->cryptfile;
	char key[1024];
	size_t n;
	FILE *f;
	int err;

	if (conf->cryptkey != NULL)
		snprintf(key, sizeof(key), "%s", conf->cryptkey);
	else if (file == NULL)
		return HB_OK;
	else if ((f = fopen(file, "re")) == NULL)
		return diag_err(diag, HB_EIO, "cryptfile %s: %s", file,
		    strerror(errno));
	else {
		n = fread(key, 1, sizeof(key) - 1, f);
		key[n] = '\0';
		fclose(f);
	}
	err = env->set_encrypt(env, key, DB_ENCRYPT_AES);
	mem_wipe(key, sizeof(key));
	if (err != 0)
		return diag_err(diag, HB_EIO, "encryption: %s",
		    db_strerror(err));
	*flag_r = DB_ENCRYPT;
	return HB_OK;
}

/* Sizes of the regions, which this process is about to make. */
static int
set_sizes(const struct store *st, DB_ENV *env, uint64_t cache)
{
	struct budget b;
	int detect = st->conf->lockdetect;
	int err;

	budget_make(st->conf, &b);
	if (cache == 0)
		cache = b.pool;
	if (cache < POOL_WHOLE)
		cache = cache / 5 * 4;
	if ((err = env->set_cachesize(env, (u_int32_t)(cache >> 30),
	    (u_int32_t)(cache & ((1u << 30) - 1)), 1)) != 0 ||
	    (err = env->set_lg_bsize(env, LOG_BUFFER)) != 0 ||
	    (err = env->set_lg_max(env, LOG_FILE)) != 0 ||
	    (err = env->set_lg_regionmax(env, LOG_REGION)) != 0 ||
	    (err = env->set_lk_max_locks(env, LOCKS_MAX)) != 0 ||
	    (err = env->set_lk_max_objects(env, LOCKS_MAX)) != 0 ||
	    (err = env->set_lk_max_lockers(env, LOCKERS_MAX)) != 0 ||
	    (err = env->set_lk_tablesize(env, LOCK_BUCKETS)) != 0 ||
	    (err = env->set_mp_tablesize(env, pool_buckets(cache))) != 0 ||
	    (err = env->mutex_set_init(env, MUTEXES_FIRST)) != 0 ||
	    (err = env->mutex_set_max(env, MUTEXES_MAX)) != 0 ||
	    (err = env->set_tx_max(env, TXNS_MAX)) != 0 ||
	    (err = env->set_lk_detect(env, detect == 0 ? DB_LOCK_MINWRITE :
	    (u_int32_t)detect)) != 0)
		return err;
	if (st->shm_key != 0)
		err = env->set_shm_key(env, st->shm_key);
	return err;
}

static u_int32_t
open_flags(const struct store *st, enum store_mode mode)
{
	const u_int32_t txn = DB_INIT_MPOOL | DB_INIT_LOCK | DB_INIT_LOG |
	    DB_INIT_TXN | DB_THREAD;
	const u_int32_t alone = DB_INIT_MPOOL | DB_CREATE | DB_PRIVATE |
	    DB_THREAD;

	if (mode == STORE_QUICK || mode == STORE_CHECK ||
	    (mode == STORE_READ && !st->is_joined))
		return alone;
	if (mode == STORE_READ)
		return txn;
	/* also after a clean end: it costs a look at the last checkpoint, and
	 * the regions are made anew in the sizes of today */
	return txn | DB_CREATE | DB_RECOVER |
	    (st->shm_key != 0 ? DB_SYSTEM_MEM : 0);
}

static int
env_try(struct store *st, enum store_mode mode, uint64_t cache,
    DB_ENV **env_r, int *err_r, struct diag *diag)
{
	const char *dir = st->conf->directory;
	DB_ENV *env = NULL;
	int err, rc;

	*env_r = NULL;
	*err_r = 0;
	if ((err = db_env_create(&env, 0)) != 0)
		return diag_err(diag, HB_EIO, "%s: %s", dir, db_strerror(err));
	env->app_private = st;
	env->set_errcall(env, on_error);
	if ((err = env->set_event_notify(env, on_event)) != 0 ||
	    (err = env->set_feedback(env, on_progress)) != 0 ||
	    (err = set_sizes(st, env, cache)) != 0)
		goto out;
	if ((rc = env_set_key(st->conf, env, &st->crypt_flag, diag)) !=
	    HB_OK) {
		(void)env->close(env, 0);
		return rc;
	}
	err = env->open(env, dir, open_flags(st, mode), st->conf->mode);
out:
	*err_r = err;
	if (err == 0) {
		*env_r = env;
		return HB_OK;
	}
	(void)env->close(env, 0);
	return HB_EIO;
}

static int
env_open(struct store *st, enum store_mode mode, uint64_t cache,
    DB_ENV **env_r, struct diag *diag)
{
	bool makes = mode == STORE_SERVER || mode == STORE_WRITE;
	int err, rc;

	st->shm_key = makes ? pick_key(st) : 0;
	if (makes)
		dir_drop_regions(st->conf->directory);
	rc = env_try(st, mode, cache, env_r, &err, diag);
	if (makes && rc != HB_OK && (err == EAGAIN || err == ENOSPC ||
	    err == EINVAL || err == ENOSYS || err == EACCES)) {
		log_printf(LOG_ANY, "%s: no shared memory (%s), files are "
		    "mapped instead", st->conf->directory, db_strerror(err));
		st->shm_key = 0;
		dir_drop_regions(st->conf->directory);
		rc = env_try(st, mode, cache, env_r, &err, diag);
	}
	if (rc == HB_OK && st->shm_key != 0)
		mark_segments(st);
	if (err != 0 && rc != HB_OK)
		return diag_err(diag, HB_EIO, "opening the environment in %s: "
		    "%s%s", st->conf->directory, db_strerror(err),
		    err == DB_RUNRECOVERY ?
		    " (was it damaged? slapd's log says more)" : "");
	return rc;
}

/*
 * What a transactional owner left is written into the files, so that they can
 * be used without log. Caller owns the database.
 */
static int
env_settle(struct store *st, struct diag *diag)
{
	DB_ENV *env;
	int err, rc;

	if ((rc = env_open(st, STORE_WRITE, 0, &env, diag)) != HB_OK)
		return rc;
	err = env->txn_checkpoint(env, 0, 0, DB_FORCE);
	if (err != 0)
		rc = diag_err(diag, HB_EIO, "checkpoint in %s: %s",
		    st->conf->directory, db_strerror(err));
	else
		(void)logs_remove(env, st->conf);
	(void)env->close(env, 0);
	dir_drop_regions(st->conf->directory);
	return rc;
}

/* READ: join the owner, or read files that nobody changes. */
static int
arrange_reading(struct store *st, struct diag *diag)
{
	const char *dir = st->conf->directory;
	bool unclean;
	int rc;

	st->is_joined = lockfile_owner(dir, &unclean) != 0;
	if (st->is_joined || !unclean)
		return HB_OK;
	if ((rc = lockfile_take(dir, st->conf->mode, &st->lock_fd, &unclean,
	    diag)) != HB_OK)
		return diag_err(diag, rc, "%s was not closed properly and "
		    "cannot be recovered by this user", dir);
	log_printf(LOG_ANY, "%s: recovering, it was not closed properly", dir);
	rc = env_settle(st, diag);
	lockfile_release(&st->lock_fd, rc == HB_OK);
	return rc;
}

/*
 * There is none after a load without a log. A log without any checkpoint cannot
 * be replayed up to a moment of the past.
 */
static int
first_checkpoint(struct store *st, struct diag *diag)
{
	DB_TXN_STAT *s;
	bool has;
	int err;

	if ((err = st->env->txn_stat(st->env, &s, 0)) == 0) {
		has = s->st_last_ckp.file != 0;
		free(s);
		if (!has)
			err = st->env->txn_checkpoint(st->env, 0, 0,
			    DB_FORCE);
	}
	return err == 0 ? HB_OK : diag_err(diag, HB_EIO, "checkpoint in %s: "
	    "%s", st->conf->directory, db_strerror(err));
}

int
store_env_open(struct store *st, uint64_t cache, struct diag *diag)
{
	const char *dir = st->conf->directory;
	int64_t start = time_mono_us();
	bool unclean = false;
	int rc;

	if (st->mode == STORE_READ) {
		if ((rc = arrange_reading(st, diag)) != HB_OK)
			return rc;
		return env_open(st, STORE_READ, cache, &st->env, diag);
	}
	if ((rc = lockfile_take(dir, st->conf->mode, &st->lock_fd, &unclean,
	    diag)) != HB_OK ||
	    (rc = dir_db_config(st->conf, diag)) != HB_OK)
		return rc;
	if (unclean)
		log_printf(LOG_ANY, "%s: recovering, it was not closed "
		    "properly", dir);
	if ((st->mode == STORE_QUICK || (st->mode == STORE_CHECK && unclean)) &&
	    dir_has_env(dir) && (rc = env_settle(st, diag)) != HB_OK)
		return rc;
	if ((rc = env_open(st, st->mode, cache, &st->env, diag)) != HB_OK)
		return rc;
	if (unclean)
		log_printf(LOG_ANY, "%s: recovered in %lld ms", dir,
		    (long long)(time_mono_us() - start) / 1000);
	if (st->mode != STORE_SERVER && st->mode != STORE_WRITE)
		return HB_OK;
	st->flush = flush_new(st);
	return first_checkpoint(st, diag);
}

void
store_env_close(struct store *st)
{
	bool clean = st->env != NULL;
	int err;

	flush_free(&st->flush);
	if (st->env != NULL) {
		err = st->env->close(st->env, 0);
		if (err != 0) {
			log_printf(LOG_ANY, "closing %s: %s",
			    st->conf->directory, db_strerror(err));
			clean = false;
		}
		st->env = NULL;
		if (clean && st->lock_fd >= 0)
			dir_drop_regions(st->conf->directory);
	}
	if (st->mode == STORE_WRITE || st->mode == STORE_QUICK)
		dir_give(st->conf->directory);
	lockfile_release(&st->lock_fd, clean);
}
