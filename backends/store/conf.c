/* Directives of slapd-bdb(5) and slapd-hdb(5). */
#include <db.h>
#include <stdlib.h>
#include <string.h>

#include "backends/store/env.h"
#include "backends/store/index.h"
#include "util/mem.h"
#include "util/text.h"

#define MODE_DEFAULT	0600
#define MODE_CHARS	10

static int
parse_checkpoint(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	struct store_conf *conf = base;
	uint64_t kb, min;

	(void)ctx;
	if (text_to_uint(slice_of(line->words[1]), &kb) != HB_OK ||
	    text_to_uint(slice_of(line->words[2]), &min) != HB_OK ||
	    kb > UINT32_MAX || min > UINT32_MAX)
		return diag_err(diag, HB_EINVAL,
		    "<checkpoint> wants <kbyte> <minutes>");
	conf->checkpoint_kb = (unsigned)kb;
	conf->checkpoint_min = (unsigned)min;
	return HB_OK;
}

/* "-rw-r-----" or a number. */
static int
parse_mode(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	static const char all[] = "-rwxrwxrwx";
	struct store_conf *conf = base;
	const char *w = line->words[1];
	int64_t v = 0;

	(void)ctx;
	if (w[0] == '-' && strlen(w) == MODE_CHARS) {
		for (int i = 1; i < MODE_CHARS; i++) {
			if (w[i] != '-' && w[i] != all[i])
				return diag_err(diag, HB_EINVAL,
				    "<mode> \"%s\" is no mode", w);
			v = v << 1 | (w[i] != '-');
		}
	} else if (text_to_int(slice_of(w), &v) != HB_OK || v <= 0 ||
	    v > 0777)
		return diag_err(diag, HB_EINVAL, "<mode> \"%s\" is no mode: "
		    "use an octal number with a leading 0 or -rw-------", w);
	conf->mode = (int)v;
	return HB_OK;
}

static void
append(struct cfg_words *to, char *word)
{
	to->v = mem_realloc(to->v, (to->n + 1) * sizeof(*to->v));
	to->v[to->n++] = word;
}

static int
parse_dbconfig(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	struct store_conf *conf = base;
	struct buf b;

	(void)ctx;
	(void)diag;
	buf_init(&b);
	for (unsigned i = 1; i < line->nwords; i++) {
		if (i > 1)
			buf_put_char(&b, ' ');
		buf_put_str(&b, line->words[i]);
	}
	append(&conf->dbconfig, mem_slicedup(buf_slice(&b)));
	buf_fini(&b);
	return HB_OK;
}

static int
parse_pagesize(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	struct store_conf *conf = base;
	uint64_t kb;

	(void)ctx;
	/* Berkeley DB wants powers of two */
	if (text_to_uint(slice_of(line->words[2]), &kb) != HB_OK || kb < 1 ||
	    kb > 64 || (kb & (kb - 1)) != 0)
		return diag_err(diag, HB_ERANGE,
		    "<dbpagesize> wants 1, 2, 4, 8, 16, 32 or 64 (kbyte)");
	append(&conf->dbpagesize, mem_strdup(line->words[1]));
	append(&conf->dbpagesize, mem_strdup(line->words[2]));
	return HB_OK;
}

static const struct cfg_word lockdetect_words[] = {
	{ "default", 0 }, { "oldest", DB_LOCK_OLDEST },
	{ "youngest", DB_LOCK_YOUNGEST }, { "fewest", DB_LOCK_MINLOCKS },
	{ "random", DB_LOCK_RANDOM }, { NULL, 0 }
};

_Static_assert(sizeof(struct store_conf) <= STORE_CONF_SIZE,
    "backends give less room than struct store_conf takes");

const struct cfg_item store_cfg[] = {
	CFG_STR(struct store_conf, directory, "directory",
	    LOCALSTATEDIR "/hornbeam", CFG_ONCE, CFG_RESTART, "<directory>",
	    "Folder of the database files. It must exist and be writable by "
	    "the user that runs slapd."),
	CFG_CALL("index", index_conf_parse, 1, 2, 0, CFG_REINDEX,
	    "<attr,...|default> [pres,eq,approx,sub,nosubtypes,notags]",
	    "Indexes to keep. Without kinds those of index default are meant. "
	    "sub covers subinitial, subany and subfinal. Equality indexes "
	    "also serve ordering filters and initial substrings. What a "
	    "changed line adds is built while the server runs and used when "
	    "it is complete."),
	CFG_SIZE(struct store_conf, memory, "memory", 32u << 20,
	    (uint64_t)1 << 50, NULL, 0, CFG_RESTART, "<size>",
	    "Memory for all caches of this database together, like 512M or "
	    "8G. Not set: the databases share five sixteenths of the memory "
	    "of the machine, or of its control group."),
	CFG_UINT(struct store_conf, cachesize, "cachesize", 1, UINT32_MAX,
	    NULL, 0, CFG_RESTART, "<entries>",
	    "Most entries kept decoded in memory. Not set, two fifths of "
	    "memory are the bound."),
	CFG_UINT(struct store_conf, cachefree, "cachefree", 0, UINT32_MAX,
	    NULL, 0, CFG_HOT, "<entries>",
	    "Accepted and not needed: the cache gives up exactly what it must."),
	CFG_UINT(struct store_conf, dncachesize, "dncachesize", 0, UINT32_MAX,
	    NULL, 0, CFG_RESTART, "<names>",
	    "Most names kept in memory. 0 or not set: as many as a share of "
	    "the memory holds."),
	CFG_UINT(struct store_conf, idlcachesize, "idlcachesize", 0,
	    UINT32_MAX, NULL, 0, CFG_RESTART, "<slots>",
	    "Most index keys whose sets are kept in memory. 0 or not set: as "
	    "many as a share of the memory holds."),
	CFG_CALL("checkpoint", parse_checkpoint, 2, 2, 0, CFG_HOT,
	    "<kbyte> <minutes>",
	    "How much log, or time, may pass between two checkpoints. They "
	    "bound the time of recovery, and the log that is kept. Not set: "
	    "64 MiB or 5 minutes."),
	CFG_BOOL(struct store_conf, checksum, "checksum", "on", 0,
	    CFG_RESTART,
	    "Checksums of all pages. Takes effect when files are made."),
	CFG_STR(struct store_conf, cryptfile, "cryptfile", NULL, CFG_ONCE,
	    CFG_RESTART, "<file>",
	    "File with the key that encrypts the database files (AES). Takes "
	    "effect when the database is made."),
	CFG_STR(struct store_conf, cryptkey, "cryptkey", NULL,
	    CFG_ONCE | CFG_SECRET, CFG_RESTART, "<key>",
	    "The key itself; not together with cryptfile."),
	CFG_CALL("dbconfig", parse_dbconfig, 1, -1, 0, CFG_RESTART,
	    "<DB_CONFIG line>",
	    "Line for Berkeley DB's DB_CONFIG file, which is written only "
	    "where there is none. None is needed."),
	CFG_BOOL(struct store_conf, dbnosync, "dbnosync", NULL, 0, CFG_HOT,
	    "Answer writes before they are on disk. What was answered last "
	    "may be lost when the machine fails; the database stays "
	    "consistent."),
	CFG_CALL("dbpagesize", parse_pagesize, 2, 2, 0, CFG_RESTART,
	    "<file> <kbyte>",
	    "Page size of a database file, given by its name (id2entry, "
	    "dn2id, or an attribute). Takes effect when the file is made. Not "
	    "set: 16 for id2entry, 4 for others."),
	CFG_BOOL(struct store_conf, dirtyread, "dirtyread", NULL, 0, CFG_HOT,
	    "Accepted and not needed: readers do not wait for writers."),
	CFG_BOOL(struct store_conf, linearindex, "linearindex", NULL, 0,
	    CFG_HOT,
	    "Accepted and not needed: slapindex sorts the keys of all indexes "
	    "in one pass."),
	CFG_ENUM(struct store_conf, lockdetect, "lockdetect",
	    lockdetect_words, "default", 0, CFG_RESTART,
	    "oldest|youngest|fewest|random|default",
	    "Who gives way in a deadlock. By default the reader, which "
	    "repeats its read unseen by the client."),
	CFG_CALL("mode", parse_mode, 1, 1, 0, CFG_RESTART, "<mode>",
	    "Mode of new files, as an octal number (0600 is the default) or "
	    "as -rw-------."),
	CFG_UINT(struct store_conf, searchstack, "searchstack", 0, UINT32_MAX,
	    NULL, 0, CFG_HOT, "<depth>",
	    "Accepted and not needed: candidate sets take what memory they "
	    "need."),
	CFG_UINT(struct store_conf, shm_key, "shm_key", 0, INT32_MAX, NULL, 0,
	    CFG_RESTART, "<key>",
	    "Key of System V shared memory for the environment, instead of "
	    "files mapped into memory. Several keys from this one on are "
	    "used."),
	CFG_END
};

int
store_conf_check(struct be_db *db, struct diag *diag)
{
	struct store_conf *conf = db->conf;

	if (conf->mode == 0)
		conf->mode = MODE_DEFAULT;
	if (db->nsuffixes != 1)
		return diag_err(diag, HB_EINVAL,
		    "a database has exactly one suffix");
	if (conf->cryptkey != NULL && conf->cryptfile != NULL)
		return diag_err(diag, HB_EINVAL,
		    "cryptfile and cryptkey exclude each other");
	/* as users know it: fewer names than entries make no sense */
	if (conf->dncachesize != 0 && conf->dncachesize < conf->cachesize)
		conf->dncachesize = conf->cachesize;
	budget_share();
	return dir_check(conf->directory, true, diag);
}

static void
free_words(struct cfg_words *w)
{
	for (unsigned i = 0; i < w->n; i++)
		free(w->v[i]);
	free(w->v);
	*w = (struct cfg_words){ NULL, 0 };
}

/* What the table does not know how to free. */
void
store_conf_free(struct be_db *db)
{
	struct store_conf *conf = db->conf;

	free_words(&conf->dbconfig);
	free_words(&conf->dbpagesize);
	index_conf_free(&conf->indexes);
}
