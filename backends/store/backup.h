/*
 * Copies of a database that others use meanwhile, and the way back. A backup
 * is a folder:
 *   *.bdb        files as of the end of the backup, recovered and verified
 *   log/log.*    what recovery needs, and what `slapbackup -o logs` added
 *   backup.txt   what it is of, when, and the size and CRC of each file
 * It is made as DIR.part and gets its name when all of it is on disk.
 */
#ifndef STORE_BACKUP_H
#define STORE_BACKUP_H

#include <time.h>

#include "backends/store/store_int.h"
#include "slapd/tool.h"

#define BACKUP_TEXT	"backup.txt"
#define BACKUP_LOGS	"log"
#define BACKUP_PART	".part"

/* How far a copy is; steps are told to the caller's progress. */
struct meter {
	const struct tool_opts *opts;
	const char *phase;
	uint64_t done, total;		/* octets */
};

void meter_add(struct meter *, uint64_t octets);	/* NULL is fine */

/* ---- backup_page.c ---- */

/*
 * Copy the database file FROM, which may be written meanwhile, to TO (new,
 * MODE), each page as a whole. HB_ECORRUPT:
 * a page stays wrong; HB_EIO, HB_ENOSPACE.
 */
int backup_copy_pages(const char *from, const char *to, int mode,
    struct meter *, struct diag *);
/* The 20 octets that tell a database file from every other, as hex. HB_EIO. */
int backup_file_uid(const char *path, char out[41], struct diag *);

/* ---- backup_file.c: plain files and folders ---- */

/*
 * Copy FROM, no more than MAX octets of it, to TO, replacing it. *SIZE_r and
 * *CRC_r are of what was copied.
 */
int backup_copy_file(const char *from, const char *to, int mode,
    uint64_t max, uint64_t *size_r, uint32_t *crc_r, struct meter *,
    struct diag *);
/* Size and CRC-32 (of gzip and zip) of PATH, which is on disk then. */
int backup_sum_file(const char *path, uint64_t *size_r, uint32_t *crc_r,
    struct diag *);
uint64_t backup_file_size(const char *path);	/* 0: it is not there */
/* A folder for us alone. HB_EEXISTS. */
int backup_make_dir(const char *path, struct diag *);
int backup_sync_dir(const char *path, struct diag *);
/* Remove PATH and all in it, two levels deep. */
void backup_remove(const char *path);
/* Names in DIR that IS_WANTED accepts, sorted; to be freed by names_free(). */
struct names_list { char **v; size_t n, cap; };
int backup_list(const char *dir, bool (*is_wanted)(const char *name),
    struct names_list *list_r, struct diag *);
void names_free(struct names_list *);
bool backup_is_data(const char *name);		/* *.bdb */
bool backup_is_log(const char *name);
/*
 * Of "log.0000000007" or, as more logs of a backup are called, with the number
 * of the run that copied it, "log.0000000007.2": 7. 0: no log.
 */
uint32_t backup_log_number(const char *path);
/* Where what was written ends; a log is longer than that. 0: nothing. */
uint64_t backup_log_end(const char *path);

/* ---- backup_text.c: backup.txt ---- */

struct backup_file {
	char *name;			/* "cn.bdb", "log/log.0000000001" */
	uint64_t size;
	uint32_t crc;
};

struct backup_text {
	char *suffix, *backend, *format, *lineage;
	time_t begun;			/* copying began */
	time_t time;			/* the files are as of then */
	time_t until;			/* the logs reach to then */
	uint64_t entries;
	uint32_t lsn_file, lsn_offset;	/* end of what the files have */
	bool encrypted, verified;
	struct backup_file *files;
	unsigned nfiles;
	size_t cap_files;
};

void backup_text_fini(struct backup_text *);
/* One more file; a log takes the place of an older copy of it. */
void backup_text_add(struct backup_text *, const char *name, uint64_t size,
    uint32_t crc);
/* Atomically, as DIR/backup.txt. HB_EIO. */
int backup_text_write(const struct backup_text *, const char *dir,
    struct diag *);
/* Of TEXT, called PATH. Whatever it returns, fini. HB_ECORRUPT, HB_EVERSION. */
int backup_text_parse(struct slice text, const char *path,
    struct backup_text *text_r, struct diag *);
/* Likewise; HB_ENOTFOUND: DIR is no backup; HB_EIO. */
int backup_text_read(const char *dir, struct backup_text *text_r,
    struct diag *);
/* T is a backup of a database like DB. HB_EINVAL. */
int backup_text_fits(const struct backup_text *, const char *dir,
    const struct be_db *, struct diag *);

/* ---- backup_recover.c ---- */

/*
 * Bring the files in DIR to the end of the logs in DIR/log, or to the state at
 * *UNTIL. NEW_LINEAGE: logs that follow belong to no backup made before, and
 * those not needed go. HB_EIO, HB_EINVAL (time).
 */
int backup_recover(const struct store_conf *, const char *dir,
    const time_t *until, bool new_lineage, DB_LSN *lsn_r,
    char lineage_r[33], struct diag *);

/* The lineage in the dictionary FILE in DIR. HB_EIO. */
int backup_lineage(const struct store_conf *, const char *dir,
    const char *file, char lineage_r[33], struct diag *);

/* ---- backup_source.c: the database that is copied ---- */

struct source {
	struct be_db *db;
	const struct dnidx_ops *names;
	const struct store_conf *conf;
	struct store *st;		/* NULL: the environment is not joined */
	pid_t owner;			/* 0: it is us */
	int hold;			/* of the logs; -1 */
	char **logs;			/* paths, ascending; one piece of memory */
};

#define BACKUP_MODE	0600		/* of its files */

/* Joined, logs held. Whatever it returns, close it. HB_ENOTFOUND, HB_EINUSE, HB_EIO. */
int source_open(struct source *, struct be_db *, const struct dnidx_ops *,
    struct diag *);
void source_close(struct source *);
/* Join the environment again; leave it, unless we own the database. */
int source_join(struct source *, struct diag *);
void source_leave(struct source *);
/* HB_EINUSE: the owner is not the one of the beginning. */
int source_check_owner(const struct source *, struct diag *);
/* While joined: the logs that are there; the first that recovery of what is on disk now needs (0: any). */
int source_logs(struct source *, struct diag *);
int source_first_log(const struct source *, uint32_t *first_r, struct diag *);
/* While joined: all that was answered until *TIME_r is in the logs' files. */
int source_flush(const struct source *, time_t *time_r, struct diag *);
/*
 * Logs from FIRST on into DIR/log. TEXT: they are added to an older backup, as
 * run SERIAL; no file that it has is touched. *LAST_r: the last number.
 */
int source_copy_logs(const struct source *, const char *dir, uint32_t first,
    const struct tool_opts *, struct backup_text *text, unsigned serial,
    uint32_t *last_r, struct diag *);

/* ---- backup_more.c: more logs for a backup ---- */

int backup_more(struct be_db *, const struct dnidx_ops *,
    struct tool_backup *, struct diag *);
/* The last log that TEXT names, 0: none. */
uint32_t backup_last_log(const struct backup_text *);
/* What TB says about logs that are kept. */
int backup_set_keep(const struct tool_backup *, int hold,
    const struct backup_text *, struct diag *);
void backup_tell(struct tool_backup *, const struct backup_text *);

/* ---- backup.c ---- */

/*
 * A recovered copy of DB, which is in use or not, in DIR, which is empty. TEXT_r:
 * all but files and entries. *HOLD_r: logs are held until logs_release().
 */
int backup_copy(struct be_db *, const struct dnidx_ops *, const char *dir,
    const struct tool_opts *, struct backup_text *text_r, int *hold_r,
    struct diag *);
/* check_run() of the files in DIR, which nobody else knows. */
int backup_verify(const struct be_db *, const struct dnidx_ops *,
    const char *dir, struct tool_check *, struct diag *);

#endif
