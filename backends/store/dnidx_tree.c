/*
 * Names as back-hdb keeps them, in dn2id.bdb:
 *   'C' | ID of the parent, 8 octets | normalised RDN -> ID, 8 octets
 *   'N' | ID, 8 octets -> ID of the parent, 8 octets | text of the RDN | NUL |
 *                         normalised RDN
 * The RDN of the suffix is the whole suffix, its parent 0.
 *   C 0 dc=x   -> 1            N 1 -> 0 dc=X\0dc=x
 *   C 1 ou=p   -> 2            N 2 -> 1 ou=P\0ou=p
 * A subtree is renamed by these two records of its top.
 */
#include <string.h>

#include "backends/store/cache.h"
#include "backends/store/commit.h"
#include "backends/store/range.h"
#include "slapd/backend.h"
#include "util/mem.h"

#define CHILD_KEY	'C'
#define NAME_KEY	'N'
#define DEPTH_MAX	(DN_LEN_MAX / 2)
#define NEAR		64	/* parents so near are probably in the same batch */
#define LIST_MAX	1000	/* renamed names that are forgotten one by one */

static void
put_child_key(struct buf *key, entry_id parent, struct slice rdn)
{
	char id[8];

	buf_reset(key);
	buf_put_char(key, CHILD_KEY);
	store_id_put(id, parent);
	buf_put(key, id, sizeof(id));
	buf_put_slice(key, rdn);
}

static void
put_name_key(char key[9], entry_id id)
{
	key[0] = NAME_KEY;
	store_id_put(key + 1, id);
}

static void
put_name(struct buf *data, entry_id parent, const struct dn *rdn)
{
	char id[8];

	buf_reset(data);
	store_id_put(id, parent);
	buf_put(data, id, sizeof(id));
	buf_put_slice(data, rdn->text);
	buf_put_char(data, '\0');
	buf_put_slice(data, rdn->norm);
}

static int
get_name(struct slice data, entry_id *parent_r, struct dn *rdn_r)
{
	const char *nul = data.len < 8 ? NULL :
	    memchr(data.ptr + 8, '\0', data.len - 8);

	if (nul == NULL)
		return HB_ECORRUPT;
	*parent_r = store_id_get(data.ptr);
	rdn_r->text = slice(data.ptr + 8, (size_t)(nul - data.ptr) - 8);
	rdn_r->norm = slice_skip(data, 8 + rdn_r->text.len + 1);
	return HB_OK;
}

/* What stands for DN below its parent. */
static struct dn
own_rdn(const struct store *st, const struct dn *dn)
{
	return dn_is_eq(dn, &st->db->suffixes[0]) ? *dn : dn_rdn(dn);
}

static int
find_child(struct store *st, struct store_txn *txn, entry_id parent,
    struct slice rdn, entry_id *id_r)
{
	struct arena arena;
	struct slice data;
	struct buf key;
	int rc;

	arena_init(&arena, 0);
	buf_init(&key);
	put_child_key(&key, parent, rdn);
	rc = store_get(st, txn, st->dn2id, buf_slice(&key), &arena, &data);
	if (rc == HB_OK && data.len != 8)
		rc = HB_ECORRUPT;
	if (rc == HB_OK)
		*id_r = store_id_get(data.ptr);
	buf_fini(&key);
	arena_fini(&arena);
	return rc;
}

/* DN or the nearest above it whose ID the name cache has; *left_r RDNs are below it. */
static bool
find_cached(struct store *st, struct store_txn *txn, const struct dn *dn,
    entry_id *id_r, unsigned *left_r)
{
	const struct dn *suffix = &st->db->suffixes[0];
	struct dn up = *dn;
	uint64_t ticket;

	*left_r = 0;
	if (txn != NULL && txn->is_dirty)
		return false;
	while (dn_is_within(&up, suffix) && !dn_is_empty(&up)) {
		*id_r = name_cache_get(st->name_cache, up.norm, &ticket);
		if (*id_r != ENTRY_ID_NONE)
			return true;
		up = dn_parent(&up);
		++*left_r;
	}
	return false;
}

/* DN without its first N RDNs. */
static struct dn
cut(const struct dn *dn, unsigned n)
{
	struct dn up = *dn;

	while (n-- > 0)
		up = dn_parent(&up);
	return up;
}

/*
 * Go down from *ID_r (NONE: from nowhere), which is LEFT RDNs above DN.
 * HB_ENOTFOUND: *ID_r is the last one found, *left_r how far above DN.
 */
static int
go_down(struct store *st, struct store_txn *txn, const struct dn *dn,
    entry_id *id_r, unsigned *left_r)
{
	entry_id id;
	struct dn at;
	int rc;

	for (; *left_r > 0; --*left_r) {
		at = cut(dn, *left_r - 1);
		at = own_rdn(st, &at);
		rc = find_child(st, txn, *id_r, at.norm, &id);
		if (rc != HB_OK)
			return rc;
		*id_r = id;
	}
	return HB_OK;
}

static int
descend(struct store *st, struct store_txn *txn, const struct dn *dn,
    entry_id *id_r, unsigned *left_r)
{
	const struct dn *suffix = &st->db->suffixes[0];

	if (!dn_is_within(dn, suffix) || dn_is_empty(dn)) {
		*id_r = ENTRY_ID_NONE;
		*left_r = dn_depth(dn);
		return HB_ENOTFOUND;
	}
	if (!find_cached(st, txn, dn, id_r, left_r)) {
		*id_r = ENTRY_ID_NONE;
		*left_r = dn_depth(dn) - dn_depth(suffix) +
		    (dn_is_empty(suffix) ? 0 : 1);
	}
	return go_down(st, txn, dn, id_r, left_r);
}

static int
tree_find(struct store *st, struct store_txn *txn, const struct dn *dn,
    entry_id *id_r)
{
	unsigned left;

	return descend(st, txn, dn, id_r, &left);
}

static int
tree_find_above(struct store *st, struct store_txn *txn, const struct dn *dn,
    entry_id *id_r, unsigned *depth_r)
{
	struct dn up = dn_parent(dn);
	unsigned left;
	int rc = descend(st, txn, &up, id_r, &left);

	if (rc == HB_ENOTFOUND && *id_r != ENTRY_ID_NONE)
		rc = HB_OK;
	*depth_r = dn_depth(&up) - left;
	return rc;
}

static int
put_both(struct store *st, struct store_txn *txn, entry_id parent,
    const struct dn *rdn, entry_id id, u_int32_t flags)
{
	struct buf key, data;
	char idkey[9];
	int rc;

	buf_init(&key);
	buf_init(&data);
	put_child_key(&key, parent, rdn->norm);
	put_name_key(idkey, id);
	rc = store_put(st, txn, st->dn2id, buf_slice(&key),
	    slice(idkey + 1, 8), flags);
	if (rc == HB_OK) {
		put_name(&data, parent, rdn);
		rc = store_put(st, txn, st->dn2id, slice(idkey, 9),
		    buf_slice(&data), 0);
	}
	buf_fini(&key);
	buf_fini(&data);
	return rc;
}

static int
tree_insert(struct store *st, struct store_txn *txn, entry_id parent,
    const struct dn *dn, entry_id id)
{
	struct dn rdn = own_rdn(st, dn);

	return put_both(st, txn, parent, &rdn, id, DB_NOOVERWRITE);
}

/* The record 'N' of ID; slices in ARENA. */
static int
read_name(struct store *st, struct store_txn *txn, entry_id id,
    struct arena *arena, entry_id *parent_r, struct dn *rdn_r)
{
	struct slice data;
	char idkey[9];
	int rc;

	put_name_key(idkey, id);
	rc = store_get(st, txn, st->dn2id, slice(idkey, 9), arena, &data);
	return rc == HB_OK ? get_name(data, parent_r, rdn_r) : rc;
}

static int
del_child(struct store *st, struct store_txn *txn, entry_id id)
{
	struct arena arena;
	struct dn rdn;
	struct buf key;
	entry_id parent;
	int rc;

	arena_init(&arena, 0);
	buf_init(&key);
	rc = read_name(st, txn, id, &arena, &parent, &rdn);
	if (rc == HB_OK) {
		put_child_key(&key, parent, rdn.norm);
		rc = store_del(st, txn, st->dn2id, buf_slice(&key));
	}
	buf_fini(&key);
	arena_fini(&arena);
	return rc;
}

static int
tree_remove(struct store *st, struct store_txn *txn, const struct dn *dn,
    entry_id id)
{
	char idkey[9];
	int rc;

	(void)dn;
	if ((rc = del_child(st, txn, id)) != HB_OK)
		return rc;
	put_name_key(idkey, id);
	return store_del(st, txn, st->dn2id, slice(idkey, 9));
}

/* ---- names by ID ---- */

/* RDNs of ID and all above it, the lowest first. */
struct chain {
	struct dn rdn;
	struct chain *up;
};

static int
join_chain(struct arena *arena, const struct chain *c, struct dn *dn_r)
{
	size_t nt = 0, nn = 0;
	char *text, *norm;
	const struct chain *i;

	for (i = c; i != NULL; i = i->up) {
		nt += i->rdn.text.len + 1;
		nn += i->rdn.norm.len + 1;
	}
	if ((text = arena_alloc(arena, nt + nn)) == NULL)
		return HB_ELIMIT;
	norm = text + nt;
	dn_r->text = slice(text, nt - 1);
	dn_r->norm = slice(norm, nn - 1);
	for (i = c; i != NULL; i = i->up) {
		memcpy(text, i->rdn.text.ptr, i->rdn.text.len);
		memcpy(norm, i->rdn.norm.ptr, i->rdn.norm.len);
		text += i->rdn.text.len;
		norm += i->rdn.norm.len;
		*text++ = *norm++ = ',';
	}
	text[-1] = norm[-1] = '\0';
	return HB_OK;
}

/*
 * The rest of the name, if the cached entry of ID knows it. What the cache
 * holds is committed, and stays right unless a rename is committed meanwhile,
 * which the caller finds out.
 */
static bool
cached_name(struct store *st, struct store_txn *txn, entry_id id,
    struct arena *arena, struct dn *dn_r)
{
	struct entry *e;
	uint64_t ticket;

	if (txn != NULL && txn->is_dirty)
		return false;
	if ((e = entry_cache_get(st->entries, id, &ticket)) == NULL)
		return false;
	*dn_r = dn_copy(arena, &e->dn);
	entry_unref(&e);
	return !slice_is_none(dn_r->norm);
}

static int
tree_name_of(struct store *st, struct store_txn *txn, entry_id id,
    struct arena *arena, struct dn *dn_r)
{
	struct chain *first = NULL, **last = &first;
	unsigned depth = 0;
	entry_id parent;
	int rc;

	do {
		struct chain *c = arena_zalloc(arena, sizeof(*c));

		if (c == NULL)
			return HB_ELIMIT;
		if (depth++ == DEPTH_MAX)
			return HB_ECORRUPT;
		if (depth > 1 && cached_name(st, txn, id, arena, &c->rdn))
			parent = ENTRY_ID_NONE;
		else if ((rc = read_name(st, txn, id, arena, &parent,
		    &c->rdn)) != HB_OK)
			return rc;
		*last = c;
		last = &c->up;
		id = parent;
	} while (id != ENTRY_ID_NONE);
	return join_chain(arena, first, dn_r);
}

/* ---- scopes ---- */

struct level {				/* IDs of one depth, ascending */
	entry_id *v;
	size_t n, cap;
};

static void
level_add(struct level *l, entry_id id)
{
	l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
	l->v[l->n++] = id;
}

static int
cmp_id(const void *a, const void *b)
{
	entry_id x = *(const entry_id *)a, y = *(const entry_id *)b;

	return (x > y) - (x < y);
}

static void
seek_parent(struct range *r, entry_id parent)
{
	char key[9];

	key[0] = CHILD_KEY;
	store_id_put(key + 1, parent);
	range_seek(r, slice(key, sizeof(key)));
}

/*
 * Children of all in UP, into DOWN. Keys are in the order of parents, so one
 * look tells which is the next one that has children at all: leaves cost
 * nothing.
 */
static int
children_of(struct range *r, const struct level *up, struct level *down)
{
	struct slice key, data;
	entry_id parent = ENTRY_ID_NONE;
	size_t i = 0;
	int rc = HB_OK;

	if (up->n == 0)
		return HB_OK;
	seek_parent(r, up->v[0]);
	while ((rc = range_next(r, &key, &data)) == HB_OK) {
		if (key.len < 9 || key.ptr[0] != CHILD_KEY)
			break;
		if (data.len != 8)
			return HB_ECORRUPT;
		parent = store_id_get(key.ptr + 1);
		while (i < up->n && up->v[i] < parent)
			i++;
		if (i == up->n)
			break;
		if (up->v[i] == parent)
			level_add(down, store_id_get(data.ptr));
		else if (up->v[i] - parent > NEAR)
			seek_parent(r, up->v[i]);
	}
	if (down->n > 1)
		qsort(down->v, down->n, sizeof(*down->v), cmp_id);
	return rc == HB_EEND ? HB_OK : rc;
}

/* All below BASE, at most LEVELS deep, until there are MAX or more (0: all). */
static int
walk_down(struct store *st, struct store_txn *txn, entry_id base,
    unsigned levels, size_t max, struct idset *ids_r)
{
	struct level up = { 0 }, down = { 0 };
	struct range r;
	size_t sum = 0;
	int rc = HB_OK;

	range_init(&r, st, txn, st->dn2id, RANGE_ROOM);
	level_add(&up, base);
	while (levels-- > 0 && up.n > 0 && (max == 0 || sum < max)) {
		struct level old = up;

		if ((rc = children_of(&r, &up, &down)) != HB_OK)
			break;
		sum += down.n;
		idset_add_sorted(ids_r, down.v, down.n);
		up = down;
		down = (struct level){ old.v, 0, old.cap };
	}
	range_fini(&r);
	free(up.v);
	free(down.v);
	return rc;
}

static int
tree_scope(struct store *st, struct store_txn *txn, entry_id base,
    const struct dn *base_dn, enum ldap_scope scope, struct idset *ids_r)
{
	(void)base_dn;
	if (scope == LDAP_SCOPE_BASE || scope == LDAP_SCOPE_SUB)
		idset_add(ids_r, base);
	if (scope == LDAP_SCOPE_BASE)
		return HB_OK;
	return walk_down(st, txn, base, scope == LDAP_SCOPE_ONE ? 1 :
	    DEPTH_MAX, 0, ids_r);
}

static int
tree_has_children(struct store *st, struct store_txn *txn, entry_id id,
    const struct dn *dn, bool *has_r)
{
	struct slice key, data;
	struct range r;
	int rc;

	(void)dn;
	range_init(&r, st, txn, st->dn2id, RANGE_ROOM);
	seek_parent(&r, id);
	rc = range_next(&r, &key, &data);
	*has_r = rc == HB_OK && key.len > 9 && key.ptr[0] == CHILD_KEY &&
	    store_id_get(key.ptr + 1) == id;
	range_fini(&r);
	return rc == HB_EEND ? HB_OK : rc;
}

/* ---- moving ---- */

/* Names below ID, which is about to move from FROM, leave the caches. */
static int
forget_below(struct store *st, struct store_txn *txn, entry_id id)
{
	struct idset ids = IDSET_INIT;
	struct idset_iter it;
	struct arena arena;
	struct dn dn;
	entry_id below;
	int rc;

	if ((rc = walk_down(st, txn, id, DEPTH_MAX, LIST_MAX, &ids)) != HB_OK)
		goto out;
	if (idset_count(&ids) >= LIST_MAX) {
		undo_all_names(txn);
		goto out;
	}
	arena_init(&arena, 0);
	idset_iter_init(&it, &ids, 0);
	while (rc == HB_OK && idset_iter_next(&it, &below)) {
		rc = tree_name_of(st, txn, below, &arena, &dn);
		if (rc != HB_OK)
			break;
		undo_name(txn, dn.norm, ENTRY_ID_NONE);
		undo_entry(txn, below, NULL);
		arena_reset(&arena);
	}
	idset_iter_fini(&it);
	arena_fini(&arena);
out:
	idset_fini(&ids);
	return rc;
}

static int
tree_move(struct store *st, struct store_txn *txn, entry_id id,
    const struct dn *from, entry_id new_parent, const struct dn *to)
{
	struct dn rdn = own_rdn(st, to);
	int rc;

	if ((rc = forget_below(st, txn, id)) != HB_OK ||
	    (rc = del_child(st, txn, id)) != HB_OK ||
	    (rc = put_both(st, txn, new_parent, &rdn, id,
	    DB_NOOVERWRITE)) != HB_OK)
		return rc;
	undo_name(txn, from->norm, ENTRY_ID_NONE);
	undo_name(txn, to->norm, id);
	undo_entry(txn, id, NULL);
	return HB_OK;
}

/* The suffix is what has no parent. */
static void
tree_emit(entry_id parent, const struct dn *dn, entry_id id,
    void (*cb)(struct slice key, struct slice data, void *arg), void *arg)
{
	struct dn rdn = parent == ENTRY_ID_NONE ? *dn : dn_rdn(dn);
	struct buf key, data;
	char idkey[9];

	buf_init(&key);
	buf_init(&data);
	put_child_key(&key, parent, rdn.norm);
	put_name_key(idkey, id);
	cb(buf_slice(&key), slice(idkey + 1, 8), arg);
	put_name(&data, parent, &rdn);
	cb(slice(idkey, 9), buf_slice(&data), arg);
	buf_fini(&key);
	buf_fini(&data);
}

static int
tree_decode(struct slice data, struct dnidx_name *name_r)
{
	return get_name(data, &name_r->parent, &name_r->dn);
}

static void
tree_forward_key(const struct dnidx_name *name, struct buf *key_r)
{
	put_child_key(key_r, name->parent, name->dn.norm);
}

const struct dnidx_ops dnidx_tree = {
	.name = "tree",
	.caps = DNIDX_CAP_MOVE_SUBTREE,
	.find = tree_find,
	.find_above = tree_find_above,
	.insert = tree_insert,
	.remove = tree_remove,
	.move = tree_move,
	.scope = tree_scope,
	.has_children = tree_has_children,
	.name_of = tree_name_of,
	.emit = tree_emit,
	.forward = CHILD_KEY,
	.decode = tree_decode,
	.forward_key = tree_forward_key,
};
