/*
 * Keys of an index:
 *
 *   kind (1) | value, 00 as 00 ff | 00 00 | id >> 12 (6, big-endian)
 *
 * (cn=ab) of entry 5000:  02 61 62 00 00  00 00 00 00 00 01
 *
 * The escape keeps the order of values, and no key is the beginning of another
 * one. A value of more than 64 octets is cut there and followed by 16 octets
 * of hash, so it is told from every short one by its length. The equality
 * index holds order keys where the rule has them (integers, times), normal forms
 * otherwise; so <=, >= and initial substrings are ranges.
 *
 * N-grams are of octets, three each, over the normal form between a begin mark
 * 01 and an end mark 02: "ab" has 01 61 62 and 61 62 02. Every place of a value
 * begins one, therefore a piece of two octets is the range of n-grams with that
 * beginning.
 */
#include <string.h>

#include "backends/store/index_int.h"
#include "util/hash.h"
#include "util/text.h"


static void
put_escaped(struct index_key *key, const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		key->v[key->len++] = (unsigned char)p[i];
		if (p[i] == 0)
			key->v[key->len++] = 0xff;
	}
}

void
index_key_make(struct index_key *key, unsigned kind, struct slice value)
{
	uint8_t hash[INDEX_HASH_LEN];

	key->len = 0;
	key->v[key->len++] = (unsigned char)kind;
	if (value.len <= INDEX_VALUE_MAX)
		put_escaped(key, value.ptr, value.len);
	else {
		hash_strong(value.ptr, value.len, hash);
		put_escaped(key, value.ptr, INDEX_VALUE_MAX);
		put_escaped(key, (const char *)hash, sizeof(hash));
	}
	key->v[key->len++] = 0;
	key->v[key->len++] = 0;
}

void
index_key_prefix(struct index_key *key, unsigned kind, struct slice value)
{
	key->len = 0;
	key->v[key->len++] = (unsigned char)kind;
	put_escaped(key, value.ptr, value.len < INDEX_VALUE_MAX ? value.len :
	    INDEX_VALUE_MAX);
}

void
index_key_high(struct index_key *key, entry_id id)
{
	entry_id high = id >> INDEX_LOW_BITS;

	for (int i = INDEX_HIGH_LEN - 1; i >= 0; i--)
		key->v[key->len++] = (unsigned char)(high >> (8 * i));
}

entry_id
index_key_base(struct slice key, unsigned *len_r)
{
	entry_id high = 0;

	*len_r = (unsigned)key.len - INDEX_HIGH_LEN;
	for (size_t i = *len_r; i < key.len; i++)
		high = high << 8 | (unsigned char)key.ptr[i];
	return high << INDEX_LOW_BITS;
}

bool
index_type_is_ordered(const struct attr_type *type)
{
	const struct matching_rule *eq = type->equality, *ord = type->ordering;

	return eq != NULL && ord != NULL && eq->normalise == ord->normalise &&
	    eq->order_key == ord->order_key &&
	    (ord->order_key != NULL || ord->compare == NULL);
}

bool
index_type_is_plain(const struct attr_type *type)
{
	const struct matching_rule *eq = type->equality, *sub = type->substr;

	return eq != NULL && eq->order_key == NULL && (sub == NULL ||
	    sub->normalise == eq->normalise);
}

struct slice
index_eq_value(const struct attr_type *type, struct slice norm,
    struct buf *scratch)
{
	if (type->equality == NULL || type->equality->order_key == NULL)
		return norm;
	buf_reset(scratch);
	type->equality->order_key(norm, scratch);
	return buf_slice(scratch);
}

static void
gram(const unsigned char *p, index_key_cb cb, void *arg)
{
	struct index_key key;

	index_key_make(&key, INDEX_SUB, slice(p, INDEX_GRAM));
	cb(&key, arg);
}

void
index_grams(struct slice norm, index_key_cb cb, void *arg)
{
	const unsigned char *p = (const unsigned char *)norm.ptr;
	unsigned char edge[INDEX_GRAM];
	size_t n = norm.len;

	if (n == 0)
		return;
	edge[0] = INDEX_MARK_BEGIN;
	edge[1] = p[0];
	edge[2] = n > 1 ? p[1] : INDEX_MARK_END;
	gram(edge, cb, arg);
	for (size_t i = 0; i + INDEX_GRAM <= n; i++)
		gram(p + i, cb, arg);
	if (n > 1) {
		edge[0] = p[n - 2];
		edge[1] = p[n - 1];
		edge[2] = INDEX_MARK_END;
		gram(edge, cb, arg);
	}
}

bool
index_next_sound(struct slice *rest, struct index_sound *sound_r)
{
	struct slice word;
	size_t n;

	if (!schema_next_word(rest, &word))
		return false;
	n = schema_phonetic(word, sound_r->v);
	if (n == 0) {			/* matches itself alone */
		n = word.len < sizeof(sound_r->v) ? word.len :
		    sizeof(sound_r->v);
		memcpy(sound_r->v, word.ptr, n);
		text_tolower(sound_r->v, n);
	}
	sound_r->len = n;
	sound_r->is_initial = word.len == 1;
	return true;
}

void
index_presence_key(struct index_key *key)
{
	index_key_make(key, INDEX_PRES, SLICE(""));
}

/* An entry is of its classes and of all their superiors (RFC 4512 3.3). */
static void
class_keys(const struct store *st, struct slice norm, index_key_cb cb,
    void *arg)
{
	const struct index_set *set = st->indexes;
	const struct object_class *oc = schema_find_class(st->schema, norm);
	struct index_key key;

	if (oc == NULL || oc->id >= set->nclasses) {
		index_key_make(&key, INDEX_EQ, norm);
		cb(&key, arg);
		return;
	}
	for (const struct slice *s = set->classes[oc->id];
	    !slice_is_none(*s); s++) {
		index_key_make(&key, INDEX_EQ, *s);
		cb(&key, arg);
	}
}

static void
approx_keys(const struct store *st, const struct attr_type *type,
    struct slice norm, struct arena *arena, index_key_cb cb, void *arg)
{
	struct index_sound sound;
	struct slice words;
	struct index_key key;

	/* what the rule cannot read it does not match either */
	if (type->approx == NULL || type->approx->normalise(st->schema, arena,
	    SUBSTR_WHOLE, norm, &words) != HB_OK)
		return;
	while (index_next_sound(&words, &sound)) {
		index_key_make(&key, INDEX_APPROX, slice(sound.v, sound.len));
		cb(&key, arg);
	}
}

void
index_value_keys(const struct store *st, const struct index *ix,
    unsigned kinds, const struct attr_desc *desc, struct slice norm,
    struct arena *arena, index_key_cb cb, void *arg)
{
	const struct attr_type *type = ix->desc->type;
	const struct matching_rule *eq = type->equality;
	struct index_key key;
	struct buf scratch;

	/* a subtype may have an equality rule of its own */
	if (eq != NULL && desc->type->equality != eq &&
	    (desc->type->equality == NULL ||
	    desc->type->equality->normalise != eq->normalise) &&
	    eq->normalise(st->schema, arena, SUBSTR_WHOLE, norm,
	    &norm) != HB_OK)
		return;
	/* no assertion matches it, a range of keys must not either */
	if (eq != NULL && schema_is_prohibited(eq, norm))
		return;
	if (kinds & INDEX_EQ) {
		if (desc->type == st->indexes->object_class)
			class_keys(st, norm, cb, arg);
		else {
			buf_init(&scratch);
			index_key_make(&key, INDEX_EQ, index_eq_value(type,
			    norm, &scratch));
			cb(&key, arg);
			buf_fini(&scratch);
		}
	}
	if (kinds & INDEX_SUB)
		index_grams(norm, cb, arg);
	if (kinds & INDEX_APPROX)
		approx_keys(st, type, norm, arena, cb, arg);
}
