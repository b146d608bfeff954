/*
 * dict.bdb: the numbers that attribute descriptions have in blocks.
 *   'v' -> "hornbeam 1"              version of all formats of the database
 *   'a' | number, 4 octets -> "cn;lang-en"
 *   'g' -> 16 random octets: changes when the log does not tell all, see
 *          store_lineage_new()
 */
#include <sys/random.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "backends/store/range.h"
#include "util/log.h"

#define FORMAT_KEY	SLICE("v")
#define LINEAGE_KEY	SLICE("g")
#define LINEAGE_LEN	16
#define NUMBER_KEY	'a'
#define NUMBER_LEN	5

static void
put_number(char key[NUMBER_LEN], uint32_t num)
{
	key[0] = NUMBER_KEY;
	for (int i = 0; i < 4; i++)
		key[1 + i] = (char)(num >> (24 - 8 * i));
}

static uint32_t
get_number(const char *key)
{
	uint32_t num = 0;

	for (int i = 0; i < 4; i++)
		num = num << 8 | (unsigned char)key[1 + i];
	return num;
}

static int
check_version(struct store *st, bool is_new, struct diag *diag)
{
	struct arena arena;
	struct slice v;
	int rc;

	arena_init(&arena, 0);
	rc = is_new ? HB_ENOTFOUND :
	    store_get(st, NULL, st->dict_db, FORMAT_KEY, &arena, &v);
	if (rc == HB_OK && !slice_is_eq(v, SLICE(STORE_FORMAT)))
		rc = diag_err(diag, HB_EVERSION, "database in %s has format "
		    "\"%.*s\", this program knows \"" STORE_FORMAT "\"",
		    st->conf->directory, SLICE_ARG(v));
	else if (rc == HB_ENOTFOUND && st->mode == STORE_CHECK)
		rc = HB_OK;		/* a finding */
	else if (rc == HB_ENOTFOUND && !st->is_read)
		rc = store_put(st, NULL, st->dict_db, FORMAT_KEY,
		    SLICE(STORE_FORMAT), 0);
	arena_fini(&arena);
	return rc;
}

static int
load(struct store *st, struct diag *diag)
{
	const struct attr_desc *desc;
	struct slice key, name;
	struct range r;
	int rc;

	range_init(&r, st, NULL, st->dict_db, RANGE_ROOM);
	range_seek(&r, SLICE("a"));
	while ((rc = range_next(&r, &key, &name)) == HB_OK) {
		if (key.len != NUMBER_LEN || key.ptr[0] != NUMBER_KEY)
			break;
		if (schema_desc_any(st->schema, name, &desc) != HB_OK) {
			rc = diag_err(diag, HB_ECORRUPT,
			    "dict.bdb in %s: \"%.*s\" is no attribute",
			    st->conf->directory, SLICE_ARG(name));
			break;
		}
		if ((desc->type->flags & AT_UNDEFINED) != 0)
			log_printf(LOG_ANY, "%s: entries may have attribute "
			    "\"%.*s\", which the schema does not know",
			    st->conf->directory, SLICE_ARG(name));
		attr_dict_add(st->dict, desc, get_number(key.ptr));
		st->dict_saved = get_number(key.ptr);
	}
	range_fini(&r);
	return rc == HB_EEND ? HB_OK : rc;
}

int
store_dict_open(struct store *st, bool create, struct diag *diag)
{
	bool is_new;
	int rc;

	st->dict = attr_dict_new();
	if ((rc = store_db_open(st, "dict.bdb", create, &st->dict_db, &is_new,
	    diag)) != HB_OK ||
	    (rc = check_version(st, is_new, diag)) != HB_OK)
		return rc;
	return load(st, diag);
}

int
store_lineage_new(DB *dict_db)
{
	char v[LINEAGE_LEN];
	DBT k = { 0 }, d = { 0 };

	if (getrandom(v, sizeof(v), 0) != (ssize_t)sizeof(v))
		return EIO;
	k.data = (void *)(uintptr_t)LINEAGE_KEY.ptr;
	k.size = (u_int32_t)LINEAGE_KEY.len;
	d.data = v;
	d.size = sizeof(v);
	return dict_db->put(dict_db, NULL, &k, &d, 0);
}

int
store_lineage(DB *dict_db, char out[2 * LINEAGE_LEN + 1])
{
	unsigned char v[LINEAGE_LEN];
	DBT k = { 0 }, d = { 0 };
	int err;

	out[0] = '\0';
	k.data = (void *)(uintptr_t)LINEAGE_KEY.ptr;
	k.size = (u_int32_t)LINEAGE_KEY.len;
	d.data = v;
	d.ulen = sizeof(v);
	d.flags = DB_DBT_USERMEM;
	do
		err = dict_db->get(dict_db, NULL, &k, &d, 0);
	while (err == DB_LOCK_DEADLOCK);
	for (unsigned i = 0; err == 0 && i < d.size; i++)
		snprintf(out + 2 * i, 3, "%02x", v[i]);
	return err == DB_NOTFOUND ? 0 : err;
}

void
store_dict_close(struct store *st)
{
	if (st->dict_db != NULL)
		(void)st->dict_db->close(st->dict_db, 0);
	st->dict_db = NULL;
	attr_dict_free(&st->dict);
}

/*
 * Numbers up to NUM are written, each by itself and not in the writer's
 * transaction: they stay in memory, so they must also stay on disk when that is
 * aborted. The log has them before its end. What could not be written is tried
 * again by the next who needs it.
 */
static int
save_to(struct store *st, uint32_t num)
{
	char key[NUMBER_LEN];
	int rc;

	while (st->dict_saved < num) {
		uint32_t next = st->dict_saved + 1;
		const struct attr_desc *desc = attr_dict_desc(st->dict, next);

		put_number(key, next);
		if (desc != NULL && (rc = store_put(st, NULL, st->dict_db,
		    slice(key, sizeof(key)), desc->name, 0)) != HB_OK)
			return rc;
		st->dict_saved = next;
	}
	return HB_OK;
}

int
store_dict_add(struct store *st, struct store_txn *txn,
    const struct attrs *attrs)
{
	uint32_t num;
	int rc;

	if (txn != NULL)
		LK_ASSERT_HELD(&st->writer);
	for (unsigned i = 0; i < attrs->n; i++) {
		const struct attr_desc *desc = attrs->v[i].desc;

		if ((num = attr_dict_num(st->dict, desc)) == 0)
			num = attr_dict_add(st->dict, desc, 0);
		if (num > st->dict_saved && (rc = save_to(st, num)) != HB_OK)
			return rc;
	}
	return HB_OK;
}
