/*
 * Names as back-bdb keeps them, in dn2id.bdb:
 *   'D' | RDNs from the suffix down, each ended by NUL -> ID, 8 octets
 *   'N' | ID, 8 octets -> text of the DN | NUL | normalised DN
 * so that a subtree is the range of keys that begin with its base's key:
 *   D dc=x\0           -> 1        N 1 -> dc=X\0dc=x
 *   D dc=x\0ou=p\0     -> 2        N 2 -> ou=P,dc=X\0ou=p,dc=x
 */
#include <string.h>

#include "backends/store/commit.h"
#include "backends/store/range.h"
#include "util/mem.h"

#define DN_KEY		'D'
#define NAME_KEY	'N'
#define MOVE_BATCH	1000
#define SKIP_AFTER	32	/* deeper names in a row: jump over the rest */

static void
put_dn_key(struct buf *key, struct slice norm)
{
	buf_reset(key);
	buf_put_char(key, DN_KEY);
	dn_put_flat_key(key, norm);
}

static void
put_name_key(char key[9], entry_id id)
{
	key[0] = NAME_KEY;
	store_id_put(key + 1, id);
}

static void
put_name(struct buf *data, const struct dn *dn)
{
	buf_reset(data);
	buf_put_slice(data, dn->text);
	buf_put_char(data, '\0');
	buf_put_slice(data, dn->norm);
}

static int
get_name(struct slice data, struct dn *dn_r)
{
	const char *nul = memchr(data.ptr, '\0', data.len);

	if (nul == NULL)
		return HB_ECORRUPT;
	dn_r->text = slice(data.ptr, (size_t)(nul - data.ptr));
	dn_r->norm = slice_skip(data, dn_r->text.len + 1);
	return HB_OK;
}

static int
find_norm(struct store *st, struct store_txn *txn, struct slice norm,
    entry_id *id_r)
{
	struct arena arena;
	struct buf key;
	struct slice data;
	int rc;

	arena_init(&arena, 0);
	buf_init(&key);
	put_dn_key(&key, norm);
	rc = store_get(st, txn, st->dn2id, buf_slice(&key), &arena, &data);
	if (rc == HB_OK && data.len != 8)
		rc = HB_ECORRUPT;
	if (rc == HB_OK)
		*id_r = store_id_get(data.ptr);
	buf_fini(&key);
	arena_fini(&arena);
	return rc;
}

static int
flat_find(struct store *st, struct store_txn *txn, const struct dn *dn,
    entry_id *id_r)
{
	return find_norm(st, txn, dn->norm, id_r);
}

static int
flat_find_above(struct store *st, struct store_txn *txn, const struct dn *dn,
    entry_id *id_r, unsigned *depth_r)
{
	struct dn up = dn_parent(dn);
	int rc;

	for (;; up = dn_parent(&up)) {
		rc = find_norm(st, txn, up.norm, id_r);
		if (rc != HB_ENOTFOUND || dn_is_empty(&up))
			break;
	}
	*depth_r = dn_depth(&up);
	return rc;
}

static int
put_both(struct store *st, struct store_txn *txn, const struct dn *dn,
    entry_id id, u_int32_t flags)
{
	struct buf key, data;
	char idkey[9];
	int rc;

	buf_init(&key);
	buf_init(&data);
	put_dn_key(&key, dn->norm);
	put_name_key(idkey, id);
	rc = store_put(st, txn, st->dn2id, buf_slice(&key),
	    slice(idkey + 1, 8), flags);
	if (rc == HB_OK) {
		put_name(&data, dn);
		rc = store_put(st, txn, st->dn2id, slice(idkey, 9),
		    buf_slice(&data), 0);
	}
	buf_fini(&key);
	buf_fini(&data);
	return rc;
}

static int
flat_insert(struct store *st, struct store_txn *txn, entry_id parent,
    const struct dn *dn, entry_id id)
{
	(void)parent;
	return put_both(st, txn, dn, id, DB_NOOVERWRITE);
}

static int
del_name(struct store *st, struct store_txn *txn, struct slice norm)
{
	struct buf key;
	int rc;

	buf_init(&key);
	put_dn_key(&key, norm);
	rc = store_del(st, txn, st->dn2id, buf_slice(&key));
	buf_fini(&key);
	return rc;
}

static int
flat_remove(struct store *st, struct store_txn *txn, const struct dn *dn,
    entry_id id)
{
	char idkey[9];
	int rc;

	put_name_key(idkey, id);
	if ((rc = del_name(st, txn, dn->norm)) == HB_OK)
		rc = store_del(st, txn, st->dn2id, slice(idkey, 9));
	return rc;
}

static int
flat_name_of(struct store *st, struct store_txn *txn, entry_id id,
    struct arena *arena, struct dn *dn_r)
{
	char idkey[9];
	struct slice data;
	int rc;

	put_name_key(idkey, id);
	rc = store_get(st, txn, st->dn2id, slice(idkey, 9), arena, &data);
	return rc == HB_OK ? get_name(data, dn_r) : rc;
}

/* ---- moving ---- */

struct move {
	struct store *st;
	struct store_txn *txn;
	const struct dn *from, *to;
	struct buf prefix;		/* all keys moved begin with it */
	struct buf next;		/* where the next batch begins */
	entry_id ids[MOVE_BATCH];
	unsigned n;
	size_t moved;
};

static int
move_one(struct move *m, entry_id id, struct arena *arena)
{
	struct dn old, new;
	int rc;

	if ((rc = flat_name_of(m->st, m->txn, id, arena, &old)) != HB_OK ||
	    (rc = dn_rebase(arena, &old, m->from, m->to, &new)) != HB_OK)
		return rc;
	/* only the spelling may change */
	if (!dn_is_eq(&old, &new) &&
	    (rc = del_name(m->st, m->txn, old.norm)) != HB_OK)
		return rc;
	if ((rc = put_both(m->st, m->txn, &new, id, 0)) != HB_OK)
		return rc;
	if (++m->moved > MOVE_BATCH) {
		undo_all_names(m->txn);
		return HB_OK;
	}
	undo_name(m->txn, old.norm, ENTRY_ID_NONE);
	undo_name(m->txn, new.norm, id);
	undo_entry(m->txn, id, NULL);
	return HB_OK;
}

/* The next IDs below the old name. */
static int
next_batch(struct move *m)
{
	struct slice key, data;
	struct range r;
	int rc = HB_OK;

	m->n = 0;
	range_init(&r, m->st, m->txn, m->st->dn2id, RANGE_ROOM);
	range_seek(&r, buf_slice(&m->next));
	while (m->n < MOVE_BATCH &&
	    (rc = range_next(&r, &key, &data)) == HB_OK &&
	    slice_has_prefix(key, buf_slice(&m->prefix))) {
		if (data.len != 8) {
			rc = HB_ECORRUPT;
			break;
		}
		m->ids[m->n++] = store_id_get(data.ptr);
		buf_reset(&m->next);
		buf_put_slice(&m->next, key);
		buf_put_char(&m->next, '\0');
	}
	range_fini(&r);
	return rc == HB_EEND ? HB_OK : rc;
}

/* TO is not below FROM, so what was moved is not met again. */
static int
flat_move(struct store *st, struct store_txn *txn, entry_id id,
    const struct dn *from, entry_id new_parent, const struct dn *to)
{
	struct move *m = mem_zalloc(sizeof(*m));
	struct arena arena;
	int rc;

	(void)id;
	(void)new_parent;
	m->st = st;
	m->txn = txn;
	m->from = from;
	m->to = to;
	arena_init(&arena, 0);
	put_dn_key(&m->prefix, from->norm);
	buf_put_slice(&m->next, buf_slice(&m->prefix));
	while ((rc = next_batch(m)) == HB_OK && m->n > 0) {
		for (unsigned i = 0; i < m->n && rc == HB_OK; i++) {
			rc = move_one(m, m->ids[i], &arena);
			arena_reset(&arena);
		}
		if (rc != HB_OK)
			break;
	}
	buf_fini(&m->prefix);
	buf_fini(&m->next);
	arena_fini(&arena);
	free(m);
	return rc;
}

/* ---- scopes ---- */

/* Below its base a key of one level has one NUL, at its end. */
static bool
is_child_key(struct slice key, size_t base_len)
{
	struct slice rest = slice_skip(key, base_len);
	const char *nul = memchr(rest.ptr, '\0', rest.len);

	return nul != NULL && nul == rest.ptr + rest.len - 1;
}

/* To the first key behind all that is below the child of the base in KEY. */
static void
skip_child(struct range *r, struct slice key, size_t base_len)
{
	struct slice rest = slice_skip(key, base_len);
	const char *nul = memchr(rest.ptr, '\0', rest.len);
	struct buf to;

	buf_init(&to);
	buf_put(&to, key.ptr, nul == NULL ? key.len :
	    base_len + (size_t)(nul - rest.ptr));
	buf_put_char(&to, '\1');
	range_seek(r, buf_slice(&to));
	buf_fini(&to);
}

static int
walk_scope(struct range *r, struct slice base, enum ldap_scope scope,
    struct idset *ids_r)
{
	struct slice key, data;
	unsigned deeper = 0;
	int rc;

	range_seek(r, base);
	while ((rc = range_next(r, &key, &data)) == HB_OK &&
	    slice_has_prefix(key, base)) {
		if (data.len != 8)
			return HB_ECORRUPT;
		if (key.len == base.len) {
			if (scope != LDAP_SCOPE_SUB)
				continue;
		} else if (scope == LDAP_SCOPE_ONE &&
		    !is_child_key(key, base.len)) {
			if (++deeper == SKIP_AFTER) {
				skip_child(r, key, base.len);
				deeper = 0;
			}
			continue;
		}
		deeper = 0;
		idset_add(ids_r, store_id_get(data.ptr));
	}
	return rc == HB_EEND ? HB_OK : rc;
}

static int
flat_scope(struct store *st, struct store_txn *txn, entry_id base,
    const struct dn *base_dn, enum ldap_scope scope, struct idset *ids_r)
{
	struct range r;
	struct buf key;
	int rc;

	if (scope == LDAP_SCOPE_BASE) {
		idset_add(ids_r, base);
		return HB_OK;
	}
	buf_init(&key);
	put_dn_key(&key, base_dn->norm);
	range_init(&r, st, txn, st->dn2id, RANGE_ROOM);
	rc = walk_scope(&r, buf_slice(&key), scope, ids_r);
	range_fini(&r);
	buf_fini(&key);
	return rc;
}

static int
flat_has_children(struct store *st, struct store_txn *txn, entry_id id,
    const struct dn *dn, bool *has_r)
{
	struct slice next, data;
	struct range r;
	struct buf key;
	size_t len;
	int rc;

	(void)id;
	buf_init(&key);
	put_dn_key(&key, dn->norm);
	len = key.len;
	/* an RDN begins with a letter or a digit */
	buf_put_char(&key, '\1');
	range_init(&r, st, txn, st->dn2id, RANGE_ROOM);
	range_seek(&r, buf_slice(&key));
	rc = range_next(&r, &next, &data);
	*has_r = rc == HB_OK && slice_has_prefix(next,
	    slice(key.data, len));
	range_fini(&r);
	buf_fini(&key);
	return rc == HB_EEND ? HB_OK : rc;
}

static void
flat_emit(entry_id parent, const struct dn *dn, entry_id id,
    void (*cb)(struct slice key, struct slice data, void *arg), void *arg)
{
	struct buf key, data;
	char idkey[9];

	(void)parent;
	buf_init(&key);
	buf_init(&data);
	put_dn_key(&key, dn->norm);
	put_name_key(idkey, id);
	cb(buf_slice(&key), slice(idkey + 1, 8), arg);
	put_name(&data, dn);
	cb(slice(idkey, 9), buf_slice(&data), arg);
	buf_fini(&key);
	buf_fini(&data);
}

static int
flat_decode(struct slice data, struct dnidx_name *name_r)
{
	name_r->parent = ENTRY_ID_NONE;
	return get_name(data, &name_r->dn);
}

static void
flat_forward_key(const struct dnidx_name *name, struct buf *key_r)
{
	put_dn_key(key_r, name->dn.norm);
}

static size_t
flat_parent_len(struct slice key)
{
	size_t n = key.len;

	if (n > 0)
		n--;			/* the NUL that ends the last RDN */
	while (n > 1 && key.ptr[n - 1] != '\0')
		n--;
	return key.len > 1 ? n : 0;
}

const struct dnidx_ops dnidx_flat = {
	.name = "flat",
	.caps = 0,
	.find = flat_find,
	.find_above = flat_find_above,
	.insert = flat_insert,
	.remove = flat_remove,
	.move = flat_move,
	.scope = flat_scope,
	.has_children = flat_has_children,
	.name_of = flat_name_of,
	.emit = flat_emit,
	.forward = DN_KEY,
	.decode = flat_decode,
	.forward_key = flat_forward_key,
	.parent_len = flat_parent_len,
};
