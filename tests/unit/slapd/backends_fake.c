#include "backends_fake.h"

#include <limits.h>
#include <stdlib.h>

#include "servers/slapd/registry.h"
#include "util/err.h"
#include "util/mem.h"

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

/*
 * ---- tools: entries are kept in order of arrival, for all databases, as text
 * since each run has a schema of its own ----
 */

struct fake_record {
	char *dn;
	char **pairs;			/* name, value, ... */
	unsigned n;
};

static struct fake_record records[64];
unsigned fake_nloaded;
bool fake_closed_ok;

void
fake_forget(void)
{
	while (fake_nloaded > 0) {
		struct fake_record *r = &records[--fake_nloaded];

		for (unsigned i = 0; i < r->n; i++)
			free(r->pairs[i]);
		free(r->pairs);
		free(r->dn);
		memset(r, 0, sizeof(*r));
	}
}

static int
fake_tool_open(struct be_db *db, const struct tool_opts *opts,
    struct diag *diag)
{
	(void)db;
	(void)opts;
	(void)diag;
	return HB_OK;
}

static int
fake_put(struct be_db *db, struct arena *arena, const struct tool_entry *te,
    entry_id *id_r, struct diag *diag)
{
	struct fake_record *r = &records[fake_nloaded];

	(void)db;
	(void)arena;
	(void)diag;
	for (unsigned i = 0; i < fake_nloaded; i++)
		if (slice_is_eq(slice_of(records[i].dn), te->dn->text))
			return HB_EEXISTS;
	r->dn = mem_slicedup(te->dn->text);
	for (unsigned i = 0; i < te->attrs->n; i++) {
		const struct attr *a = &te->attrs->v[i];

		for (unsigned k = 0; k < a->n; k++) {
			r->pairs = mem_realloc(r->pairs,
			    (r->n + 2) * sizeof(char *));
			r->pairs[r->n++] = mem_slicedup(a->desc->name);
			r->pairs[r->n++] = mem_slicedup(a->values[k]);
		}
	}
	*id_r = ++fake_nloaded;
	return HB_OK;
}

struct entry *
fake_entry(struct schema *schema, struct attr_dict *dict, const char *dn_text,
    const char *const *pairs, unsigned n, entry_id id)
{
	struct arena a;
	struct attrs attrs = { 0 };
	struct buf block;
	struct entry *e = NULL;
	struct dn dn;

	arena_init(&a, 0);
	buf_init(&block);
	if (dn_parse(&a, schema, slice_of(dn_text), &dn, NULL) != HB_OK)
		goto out;
	for (unsigned i = 0; i + 1 < n; i += 2) {
		const struct attr_desc *desc;
		struct slice v = slice_of(pairs[i + 1]);
		struct attr attr;

		if (schema_desc(schema, slice_of(pairs[i]), &desc, NULL) !=
		    HB_OK || attr_make(&a, schema, desc, &v, 1, &attr, NULL) !=
		    HB_OK || attrs_add(&a, &attrs, &attr) != HB_OK)
			goto out;
		attr_dict_add(dict, desc, attr_dict_num(dict, desc));
	}
	if (entry_encode(&attrs, dict, &block) == HB_OK)
		e = entry_new(id, &dn, dict, buf_slice(&block));
out:
	buf_fini(&block);
	arena_fini(&a);
	return e;
}

static int
fake_each(struct be_db *db, const struct dn *base,
    int (*cb)(struct entry *entry, entry_id id, void *arg), void *arg,
    struct diag *diag)
{
	struct attr_dict *dict = attr_dict_new();
	int rc = HB_OK;

	(void)diag;
	for (unsigned i = 0; i < fake_nloaded && rc == HB_OK; i++) {
		struct entry *e = fake_entry(db->schema, dict, records[i].dn,
		    (const char *const *)records[i].pairs, records[i].n, i + 1);

		if (e == NULL || base == NULL || dn_is_within(&e->dn, base))
			rc = cb(e, i + 1, arg);
		entry_unref(&e);
	}
	attr_dict_free(&dict);
	return rc;
}

static int
fake_reindex(struct be_db *db, const struct attr_desc *const *descs,
    unsigned n, struct diag *diag)
{
	(void)db;
	return n == 0 || slice_is_eq(descs[0]->name, SLICE("cn")) ? HB_OK :
	    diag_err(diag, HB_EINVAL, "no index");
}

static int
fake_close(struct be_db *db, bool ok, struct diag *diag)
{
	(void)db;
	(void)diag;
	fake_closed_ok = ok;
	return HB_OK;
}

static const struct slapd_tool_ops fake_tool = {
	.open = fake_tool_open, .put = fake_put, .each = fake_each,
	.reindex = fake_reindex, .close = fake_close
};

static const struct slapd_backend fake_bdb = {
	.abi = SLAPD_BACKEND_ABI, .name = "bdb", .flags = BACKEND_ONE_SUFFIX,
	.conf_size = sizeof(F), .config = fake_table,
	.entry_get = fake_entry_get, .tool = &fake_tool
};
static const struct slapd_backend fake_hdb = {
	.abi = SLAPD_BACKEND_ABI, .name = "hdb", .flags = BACKEND_ONE_SUFFIX,
	.conf_size = sizeof(F), .config = fake_table,
	.entry_get = fake_entry_get, .tool = &fake_tool
};
static const struct slapd_backend fake_null = {
	.abi = SLAPD_BACKEND_ABI, .name = "null"
};

const struct slapd_backend *const slapd_static_backends[] = {
	&fake_bdb, &fake_hdb, &fake_null, NULL
};
