/*
 * Names. By ID: each entry has a name and each name an entry, parents are
 * there, nothing is its own ancestor. By key: the records that lead to IDs are
 * those that the names call for, no more and no fewer. The names are read
 * once, in ID order; the keys they call for are sorted on the way.
 */
#include "backends/store/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/store/range.h"
#include "backends/store/tool_int.h"
#include "util/mem.h"

#define NAME_KEY	'N'
#define NAME_KEY_LEN	9
#define BATCH		(1024 * 1024)
#define SHOWN		512

struct link {
	entry_id id, parent;
	enum { LINK_NEW, LINK_ON_PATH, LINK_GOOD } state;
};

struct names {
	struct check *c;
	struct sorter *keys;		/* that names call for -> ID */
	struct idset named;
	struct link *links;		/* by ID; only where parents are IDs */
	size_t nlinks, cap_links;
	struct arena arena;
	struct buf key;
	unsigned tops;
};

static void HB_PRINTF(4, 5)
tell(struct names *n, entry_id id, struct slice text, const char *fmt, ...)
{
	char where[SHOWN + 48], shown[SHOWN], what[SHOWN];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	snprintf(where, sizeof(where), "entry %llu%s%s%s",
	    (unsigned long long)id, text.len > 0 ? " \"" : "",
	    check_show(text, shown, sizeof(shown)),
	    text.len > 0 ? "\"" : "");
	check_tell(n->c, FILE_NAMES, where, "%s", what);
}

/* ---- by ID ---- */

/* The text, read again, is what is compared. */
static void
check_norm(struct names *n, entry_id id, const struct dn *dn)
{
	struct dn again;

	arena_reset(&n->arena);
	if (dn_parse(&n->arena, n->c->st->schema, dn->text, &again, NULL) !=
	    HB_OK)
		tell(n, id, dn->text, "the name cannot be parsed");
	else if (!slice_is_eq(again.norm, dn->norm))
		tell(n, id, dn->text, "the normal form that is stored is not "
		    "the one of the schema of today");
}

static void
check_top(struct names *n, entry_id id, const struct dnidx_name *name)
{
	const struct dn *suffix = &n->c->st->db->suffixes[0];

	if (!dn_is_eq(&name->dn, suffix))
		tell(n, id, name->dn.text, "it has no parent and is not the "
		    "suffix");
	else
		n->tops++;
}

static int
take_name(struct names *n, entry_id id, struct slice data, struct diag *diag)
{
	const struct dnidx_ops *ops = n->c->names;
	struct dnidx_name name;
	char idkey[8];

	if (!idset_has(&n->c->ids, id))
		tell(n, id, SLICE(""), "a name without an entry");
	idset_add(&n->named, id);
	if (ops->decode(data, &name) != HB_OK) {
		tell(n, id, SLICE(""), "the name cannot be decoded");
		return HB_OK;
	}
	check_norm(n, id, &name.dn);
	if (ops->parent_len == NULL) {
		n->links = mem_grow(n->links, &n->cap_links, n->nlinks + 1,
		    sizeof(n->links[0]));
		n->links[n->nlinks++] = (struct link){ id, name.parent,
		    LINK_NEW };
		if (name.parent == ENTRY_ID_NONE)
			check_top(n, id, &name);
	}
	ops->forward_key(&name, &n->key);
	store_id_put(idkey, id);
	return sorter_add(n->keys, buf_slice(&n->key),
	    slice(idkey, sizeof(idkey)), diag);
}

static int
read_names(struct names *n, struct range *r, struct diag *diag)
{
	struct check *c = n->c;
	struct slice key, data;
	char shown[64];
	unsigned done = 0;
	int rc;

	while ((rc = range_next(r, &key, &data)) == HB_OK) {
		if (key.len != NAME_KEY_LEN || key.ptr[0] != NAME_KEY) {
			check_tell(c, FILE_NAMES, check_show(key, shown,
			    sizeof(shown)), "a key that nothing asks for");
			continue;
		}
		rc = take_name(n, store_id_get(key.ptr + 1), data, diag);
		if (rc != HB_OK)
			return rc;
		atomic_fetch_add(&c->done, 1);
		if (++done % 4096 == 0)
			check_progress(c, "reading names");
	}
	return rc == HB_EEND ? HB_OK :
	    diag_err(diag, rc, FILE_NAMES " cannot be read");
}

static void
tell_unnamed(struct names *n)
{
	struct idset_iter it;
	struct idset left;
	entry_id id;

	idset_init(&left);
	idset_copy(&left, &n->c->ids);
	idset_and_not(&left, &n->named);
	idset_iter_init(&it, &left, 0);
	while (idset_iter_next(&it, &id))
		tell(n, id, SLICE(""), "an entry without a name");
	idset_iter_fini(&it);
	idset_fini(&left);
}

/* ---- parents by ID ---- */

static struct link *
find_link(struct names *n, entry_id id)
{
	size_t lo = 0, hi = n->nlinks;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (n->links[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n->nlinks && n->links[lo].id == id ? &n->links[lo] : NULL;
}

/* Up from LINK to what is known to be good, to the top, or to where it ends. */
static void
climb(struct names *n, struct link *link)
{
	struct link *l = link, *up;

	while (l->state == LINK_NEW) {
		l->state = LINK_ON_PATH;
		if (l->parent == ENTRY_ID_NONE)
			break;
		if ((up = find_link(n, l->parent)) == NULL) {
			tell(n, l->id, SLICE(""), "its parent, entry %llu, "
			    "has no name", (unsigned long long)l->parent);
			break;
		}
		if (up->state == LINK_ON_PATH) {
			tell(n, l->id, SLICE(""), "it is its own ancestor, "
			    "by way of entry %llu",
			    (unsigned long long)up->id);
			break;
		}
		l = up;
	}
	for (l = link; l != NULL && l->state == LINK_ON_PATH;
	    l = find_link(n, l->parent))
		l->state = LINK_GOOD;
}

/* ---- by key ---- */

/* The ancestors of the key in PATH that are there, as lengths of their keys. */
struct path {
	struct buf key;
	size_t *lens, n, cap;
	struct buf suffix;		/* key of the suffix; empty: none */
};

static void
check_path(struct names *n, struct path *p, struct slice key, entry_id id)
{
	size_t want = n->c->names->parent_len(key);
	bool is_top = slice_is_eq(key, buf_slice(&p->suffix));

	while (p->n > 0 && !slice_has_prefix(key, slice(p->key.data,
	    p->lens[p->n - 1])))
		p->n--;
	if (is_top)
		n->tops++;
	else if (p->n == 0 || p->lens[p->n - 1] != want)
		tell(n, id, slice_skip(key, 1), "its parent has no name");
	buf_reset(&p->key);
	buf_put_slice(&p->key, key);
	p->lens = mem_grow(p->lens, &p->cap, p->n + 1, sizeof(p->lens[0]));
	p->lens[p->n++] = key.len;
}

struct merge {
	struct names *n;
	struct path path;
	struct slice want, want_id;	/* next key that a name calls for */
	bool has_want;
};

static int
next_want(struct merge *m, struct diag *diag)
{
	int rc = sorter_next(m->n->keys, &m->want, &m->want_id, diag);

	m->has_want = rc == HB_OK;
	return rc == HB_EEND ? HB_OK : rc;
}

static int
tell_missing(struct merge *m, struct diag *diag)
{
	tell(m->n, store_id_get(m->want_id.ptr), slice_skip(m->want, 1),
	    "no key leads to this name");
	return next_want(m, diag);
}

static int
take_key(struct merge *m, struct slice key, struct slice data,
    struct diag *diag)
{
	entry_id id = data.len == 8 ? store_id_get(data.ptr) : ENTRY_ID_NONE;
	int cmp, rc;

	while (m->has_want && slice_cmp(m->want, key) < 0)
		if ((rc = tell_missing(m, diag)) != HB_OK)
			return rc;
	if (id == ENTRY_ID_NONE)
		tell(m->n, id, slice_skip(key, 1), "the key leads to no ID");
	cmp = m->has_want ? slice_cmp(m->want, key) : 1;
	if (cmp > 0) {
		tell(m->n, id, slice_skip(key, 1), "a key that no name calls "
		    "for");
		return HB_OK;
	}
	if (id != ENTRY_ID_NONE && id != store_id_get(m->want_id.ptr))
		tell(m->n, store_id_get(m->want_id.ptr), slice_skip(key, 1),
		    "the key of this name leads to entry %llu",
		    (unsigned long long)id);
	if (m->n->c->names->parent_len != NULL)
		check_path(m->n, &m->path, key, store_id_get(m->want_id.ptr));
	for (rc = next_want(m, diag); rc == HB_OK && m->has_want &&
	    slice_is_eq(m->want, key); rc = next_want(m, diag))
		tell(m->n, store_id_get(m->want_id.ptr), slice_skip(key, 1),
		    "another entry has the same name");
	return rc;
}

static int
read_keys(struct merge *m, struct range *r, struct diag *diag)
{
	struct check *c = m->n->c;
	struct slice key, data;
	unsigned done = 0;
	char shown[64];
	int rc;

	while ((rc = range_next(r, &key, &data)) == HB_OK) {
		if (key.len == 0 || key.ptr[0] == NAME_KEY)
			break;
		if (key.ptr[0] != c->names->forward) {
			check_tell(c, FILE_NAMES, check_show(key, shown,
			    sizeof(shown)), "a key that nothing asks for");
			continue;
		}
		if ((rc = take_key(m, key, data, diag)) != HB_OK)
			return rc;
		atomic_fetch_add(&c->done, 1);
		if (++done % 4096 == 0)
			check_progress(c, "comparing names");
	}
	while (m->has_want)
		if ((rc = tell_missing(m, diag)) != HB_OK)
			return rc;
	return rc == HB_EEND || rc == HB_OK ? HB_OK :
	    diag_err(diag, rc, FILE_NAMES " cannot be read");
}

static void
suffix_key(const struct names *n, struct buf *key)
{
	struct dnidx_name top = { ENTRY_ID_NONE, n->c->st->db->suffixes[0] };

	n->c->names->forward_key(&top, key);
}

static int
compare_keys(struct names *n, struct diag *diag)
{
	struct merge m = { .n = n };
	struct range r;
	int rc;

	suffix_key(n, &m.path.suffix);
	range_init(&r, n->c->st, NULL, n->c->st->dn2id, BATCH);
	range_seek(&r, SLICE(""));
	if ((rc = sorter_finish(n->keys, diag)) == HB_OK &&
	    (rc = next_want(&m, diag)) == HB_OK)
		rc = read_keys(&m, &r, diag);
	range_fini(&r);
	buf_fini(&m.path.key);
	buf_fini(&m.path.suffix);
	free(m.path.lens);
	return rc;
}

/* ---- all of it ---- */

static int
run(struct names *n, struct diag *diag)
{
	struct check *c = n->c;
	struct range r;
	int rc;

	atomic_store(&c->done, 0);
	c->total = c->tc->entries * 2;
	range_init(&r, c->st, NULL, c->st->dn2id, BATCH);
	range_seek(&r, SLICE("N"));
	rc = read_names(n, &r, diag);
	range_fini(&r);
	if (rc != HB_OK)
		return rc;
	tell_unnamed(n);
	for (size_t i = 0; i < n->nlinks; i++)
		climb(n, &n->links[i]);
	if ((rc = compare_keys(n, diag)) != HB_OK)
		return rc;
	if (n->tops == 0 && c->tc->entries > 0)
		check_tell(c, FILE_NAMES, "", "the entry of the suffix is "
		    "missing");
	return HB_OK;
}

int
check_names(struct check *c, struct diag *diag)
{
	const struct tool_opts *o = &c->tc->opts;
	struct names n = { .c = c };
	int rc;

	n.keys = sorter_new(o->tmpdir != NULL ? o->tmpdir :
	    c->st->conf->directory, tool_memory(o) / 4);
	idset_init(&n.named);
	arena_init(&n.arena, 0);
	rc = run(&n, diag);
	sorter_free(&n.keys);
	idset_fini(&n.named);
	arena_fini(&n.arena);
	buf_fini(&n.key);
	free(n.links);
	return rc;
}
