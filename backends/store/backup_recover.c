/*
 * Recovery of a copy, in an environment of its own: the whole log is replayed,
 * since the pages were copied at different times.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/store/backup.h"
#include "backends/store/env.h"
#include "util/mem.h"

#define CACHE_BYTES	(64u << 20)
#define LOCKS		20000

static void
on_error(const DB_ENV *env, const char *prefix, const char *text)
{
	struct diag *diag = env->app_private;

	(void)prefix;
	if (diag != NULL && strncmp(text, "BDB", 3) == 0 &&
	    strchr(text, ' ') != NULL)
		text = strchr(text, ' ') + 1;
	diag_set(diag, "%s", text);	/* the first one tells why */
}

static int
open_env(const struct store_conf *conf, const char *dir, const time_t *until,
    DB_ENV **env_r, struct diag *diag)
{
	struct diag why = DIAG_INIT;
	time_t t = until != NULL ? *until : 0;
	unsigned flag;
	DB_ENV *env;
	int err, rc;

	if ((err = db_env_create(env_r, 0)) != 0)
		return diag_err(diag, HB_EIO, "%s", db_strerror(err));
	env = *env_r;
	env->app_private = &why;
	env->set_errcall(env, on_error);
	if ((rc = env_set_key(conf, env, &flag, diag)) != HB_OK)
		return rc;
	if ((err = env->set_lg_dir(env, BACKUP_LOGS)) == 0 &&
	    (err = env->set_cachesize(env, 0, CACHE_BYTES, 1)) == 0 &&
	    (err = env->set_lk_max_locks(env, LOCKS)) == 0 &&
	    (err = env->set_lk_max_objects(env, LOCKS)) == 0 &&
	    (until == NULL || (err = env->set_tx_timestamp(env, &t)) == 0))
		err = env->open(env, dir, DB_CREATE | DB_PRIVATE |
		    DB_INIT_MPOOL | DB_INIT_LOCK | DB_INIT_LOG | DB_INIT_TXN |
		    DB_RECOVER_FATAL | DB_THREAD, conf->mode);
	env->app_private = NULL;
	return err == 0 ? HB_OK : diag_err(diag, HB_EIO,
	    "%s: recovery: %s", dir, why.text[0] != '\0' ? why.text :
	    db_strerror(err));
}

static int
lineage(DB_ENV *env, bool new_lineage, char lineage_r[33], struct diag *diag)
{
	DB *db;
	int err, closed;

	if ((err = db_create(&db, env, 0)) == 0) {
		if ((err = db->open(db, NULL, "dict.bdb", NULL, DB_BTREE,
		    DB_AUTO_COMMIT | DB_THREAD, 0)) == 0 && new_lineage)
			err = store_lineage_new(db);
		if (err == 0)
			err = store_lineage(db, lineage_r);
		closed = db->close(db, 0);
		err = err != 0 ? err : closed;
	}
	if (err == 0 && new_lineage &&
	    (err = env->txn_checkpoint(env, 0, 0, DB_FORCE)) == 0)
		err = env->log_archive(env, NULL, DB_ARCH_REMOVE);
	return err == 0 ? HB_OK : diag_err(diag, HB_EIO, "dict.bdb: %s",
	    db_strerror(err));
}

static int
find_end(DB_ENV *env, DB_LSN *lsn_r, struct diag *diag)
{
	DB_LOG_STAT *s;
	int err = env->log_stat(env, &s, 0);

	if (err != 0)
		return diag_err(diag, HB_EIO, "the log: %s",
		    db_strerror(err));
	lsn_r->file = s->st_cur_file;
	lsn_r->offset = s->st_cur_offset;
	free(s);
	return HB_OK;
}

int
backup_recover(const struct store_conf *conf, const char *dir,
    const time_t *until, bool new_lineage, DB_LSN *lsn_r, char lineage_r[33],
    struct diag *diag)
{
	DB_ENV *env = NULL;
	int rc, err;

	rc = open_env(conf, dir, until, &env, diag);
	if (rc == HB_OK &&
	    (rc = lineage(env, new_lineage, lineage_r, diag)) == HB_OK)
		rc = find_end(env, lsn_r, diag);
	if (env != NULL && (err = env->close(env, 0)) != 0 && rc == HB_OK)
		rc = diag_err(diag, HB_EIO, "%s: %s", dir, db_strerror(err));
	return rc;
}

int
backup_lineage(const struct store_conf *conf, const char *dir,
    const char *file, char lineage_r[33], struct diag *diag)
{
	DB_ENV *env = NULL;
	DB *db = NULL;
	unsigned flag;
	int err, rc = HB_OK;

	if ((err = db_env_create(&env, 0)) == 0 &&
	    (rc = env_set_key(conf, env, &flag, diag)) == HB_OK &&
	    (err = env->open(env, dir, DB_CREATE | DB_PRIVATE |
	    DB_INIT_MPOOL, 0)) == 0 &&
	    (err = db_create(&db, env, 0)) == 0 &&
	    (err = db->open(db, NULL, file, NULL, DB_BTREE, DB_RDONLY, 0)) ==
	    0)
		err = store_lineage(db, lineage_r);
	if (db != NULL)
		(void)db->close(db, 0);
	if (env != NULL)
		(void)env->close(env, 0);
	if (rc == HB_OK && err != 0)
		rc = diag_err(diag, HB_EIO, "%s/%s: %s", dir, file,
		    db_strerror(err));
	return rc;
}
