#include "backends_fake.h"

#include <limits.h>

#include "servers/slapd/registry.h"
#include "util/err.h"

struct fake_conf {
	char *directory;
	unsigned cachesize, idlcachesize;
	struct cfg_words checkpoint, index, dbconfig;
	bool dbnosync, dirtyread;
	char *mode, *lockdetect;
};

struct entry *fake_entries[16];
unsigned fake_lookups;

#define F	struct fake_conf

static const struct cfg_item fake_table[] = {
	CFG_STR(F, directory, "directory", "/var/lib/x", 0, CFG_RESTART, "<d>",
	    NULL),
	CFG_UINT(F, cachesize, "cachesize", 1, INT_MAX, "1000", 0, CFG_HOT,
	    "<n>", NULL),
	CFG_UINT(F, idlcachesize, "idlcachesize", 0, INT_MAX, "0", 0, CFG_HOT,
	    "<n>", NULL),
	CFG_WORDS(F, checkpoint, "checkpoint", 0, CFG_HOT, "<kb> <min>", NULL),
	CFG_WORDS(F, index, "index", 0, CFG_REINDEX, "<attrs> [<kinds>]",
	    NULL),
	CFG_WORDS(F, dbconfig, "dbconfig", 0, CFG_RESTART, "<line>", NULL),
	CFG_BOOL(F, dbnosync, "dbnosync", NULL, 0, CFG_HOT, NULL),
	CFG_BOOL(F, dirtyread, "dirtyread", NULL, 0, CFG_HOT, NULL),
	CFG_STR(F, mode, "mode", NULL, 0, CFG_HOT, "<mode>", NULL),
	CFG_STR(F, lockdetect, "lockdetect", NULL, 0, CFG_HOT, "<how>", NULL),
	CFG_END
};

static int
fake_entry_get(struct be_db *db, struct op *op, const struct dn *dn,
    struct entry **e_r)
{
	(void)db;
	fake_lookups++;
	if (!op->may_wait)
		return HB_EDEFER;
	for (unsigned i = 0; fake_entries[i] != NULL; i++)
		if (dn_is_eq(&fake_entries[i]->dn, dn)) {
			*e_r = entry_ref(fake_entries[i]);
			return HB_OK;
		}
	return HB_ENOENT;
}

static const struct slapd_backend fake_bdb = {
	.abi = SLAPD_BACKEND_ABI, .name = "bdb", .flags = BACKEND_ONE_SUFFIX,
	.conf_size = sizeof(F), .config = fake_table,
	.entry_get = fake_entry_get
};
static const struct slapd_backend fake_hdb = {
	.abi = SLAPD_BACKEND_ABI, .name = "hdb", .flags = BACKEND_ONE_SUFFIX,
	.conf_size = sizeof(F), .config = fake_table,
	.entry_get = fake_entry_get
};
static const struct slapd_backend fake_null = {
	.abi = SLAPD_BACKEND_ABI, .name = "null"
};

const struct slapd_backend *const slapd_static_backends[] = {
	&fake_bdb, &fake_hdb, &fake_null, NULL
};
