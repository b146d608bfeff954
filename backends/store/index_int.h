/*
 * What the files of the indexes share: configured lines, open indexes, keys and
 * records. Not seen outside index*.c, plan.c and the bulk loader.
 */
#ifndef STORE_INDEX_INT_H
#define STORE_INDEX_INT_H

#include "backends/store/index.h"

/* ---- index_conf.c ---- */

struct index_line {
	const struct attr_desc *desc;
	unsigned kinds;
	const char *file;
	unsigned line;
};

struct index_conf {
	struct index_line *v;
	size_t n, cap;
	unsigned def;			/* kinds of `index default` so far */
};

/* Words of KINDS ("eq,sub") for messages. */
void index_kinds_put(struct buf *out, unsigned kinds);

/* ---- index_open.c ---- */

#define INDEX_SEEN	256

struct index_set {
	struct index *v;
	unsigned n;
	unsigned next_number;		/* the background thread's */
	const struct attr_type *object_class;
	/* normal forms of a class and all its superiors, by the class's id */
	struct slice **classes;		/* ends with SLICE_NONE */
	uint32_t nclasses;
	struct arena arena;		/* of classes */
	struct index_build *build;	/* index_build.c; NULL: nothing is built */
	/* when "not indexed" was last logged, by a hash of the description */
	atomic_int_least64_t seen[INDEX_SEEN];
};

/*
 * Keys of an attribute's values go to INDEX: the same description, a subtype or
 * a tagged form.
 */
static inline bool
index_covers(const struct index *ix, const struct attr_desc *desc)
{
	return attr_desc_is_sub(desc, ix->desc);
}

/* Empty INDEX and forget that it was complete (before it is rebuilt). */
int index_truncate(struct store *, struct index *, struct diag *);
/* INDEX is complete for all its kinds: searches may use it, also after a restart. */
int index_set_ready(struct store *, struct index *, struct diag *);

/* ---- index_note.c ---- */

struct index_note {
	unsigned ready, building;	/* kinds */
	uint64_t next;			/* 0: old keys are not removed yet */
};

/* All zero if there is none. */
int index_note_read(struct store *, const struct index *,
    struct index_note *note_r);
/* TXN NULL: by itself. */
int index_note_write(struct store *, struct store_txn *,
    const struct index *, const struct index_note *);
/* Remove files and notes of indexes that are not configured. */
int index_notes_drop(struct store *);

/* ---- index_build.c ---- */

/*
 * Start the thread that builds what is not ready; none if all is. HB_EIO.
 */
int index_build_start(struct store *, struct diag *);
/* Stop after the batch at hand, and wait for the thread. */
void index_build_stop(struct store *);

/* ---- index_online.c: slapindex beside a running slapd ---- */

/* Is there a request? Called by the background thread now and then. */
void index_online_poll(struct store *);
/* Nothing is being built any more: who asked for it is told. */
void index_online_done(struct store *);
void index_online_progress(struct store *, unsigned percent);

/* ---- index_key.c ---- */

/* Values up to here are whole in the key; of longer ones so much, and a hash. */
#define INDEX_VALUE_MAX	64
#define INDEX_HASH_LEN	16
/* kind, escaped value, end */
#define INDEX_KEY_MAX	(1 + 2 * (INDEX_VALUE_MAX + INDEX_HASH_LEN) + 2)
#define INDEX_HIGH_LEN	6
#define INDEX_LOW_BITS	12
#define INDEX_CHUNK	(1u << INDEX_LOW_BITS)	/* IDs of one record, at most */
#define INDEX_GRAM	3
#define INDEX_MARK_BEGIN	1
#define INDEX_MARK_END	2

struct index_key {
	unsigned len;
	unsigned char v[INDEX_KEY_MAX + INDEX_HIGH_LEN];
};

/* Key of VALUE without the part of the ID. */
void index_key_make(struct index_key *key, unsigned kind, struct slice value);
/* What all keys of KIND that begin with VALUE begin with. */
void index_key_prefix(struct index_key *key, unsigned kind,
    struct slice value);
/* Append the high part of ID. */
void index_key_high(struct index_key *key, entry_id id);
/* The first ID of the record with KEY; LEN_r: length without the ID part. */
entry_id index_key_base(struct slice key, unsigned *len_r);

/* True if keys of the equality index of TYPE are in the order of its values. */
bool index_type_is_ordered(const struct attr_type *type);
/* True if the keys are the normal forms, so that an initial substring is a range. */
bool index_type_is_plain(const struct attr_type *type);
/* The octets that are the key of NORM in the equality index of TYPE; SCRATCH may be used for them. */
struct slice index_eq_value(const struct attr_type *type, struct slice norm,
    struct buf *scratch);

typedef void (*index_key_cb)(const struct index_key *key, void *arg);
/*
 * N-grams of NORM, with its begin and end marked: "ab" gives \1ab, ab\2.
 * Repeated ones are given again.
 */
void index_grams(struct slice norm, index_key_cb cb, void *arg);
/*
 * All keys of a value with normal form NORM of DESC in INDEX, KINDS of it.
 * (The presence key is one of the entry, not of the value.)
 */
void index_value_keys(const struct store *, const struct index *,
    unsigned kinds, const struct attr_desc *desc, struct slice norm,
    struct arena *arena, index_key_cb cb, void *arg);
void index_presence_key(struct index_key *key);
/* What a word of an approximate assertion or value sounds like: its key. */
struct index_sound {
	char v[64];
	size_t len;
	bool is_initial;	/* one letter: matches every word that begins with it */
};
/* Of the next word of REST, an approximate normal form; false at the end. */
bool index_next_sound(struct slice *rest, struct index_sound *sound_r);

/* ---- index_emit.c: keys of whole entries, for the bulk loader ---- */

/* Which indexes an attribute description feeds; one thread's. */
struct index_emitter {
	const struct store *st;
	const unsigned *kinds;		/* wanted, by index number; 0: none */
	unsigned short **lists;		/* by description id: n, then numbers */
	size_t nlists;
	struct arena arena;
	void (*cb)(unsigned index, struct slice key, void *arg);
	void *arg;
};

/* KINDS is borrowed. CB gets each key without the ID part, some repeatedly. */
void index_emitter_init(struct index_emitter *, const struct store *,
    const unsigned *kinds, void (*cb)(unsigned index, struct slice key,
    void *arg), void *arg);
void index_emitter_fini(struct index_emitter *);
void index_emit(struct index_emitter *, const struct entry *);

/* ---- index_data.c: the data of a record ---- */

#define INDEX_ARRAY_MAX	255		/* IDs; from there on a bitmap */
#define INDEX_BITMAP_LEN	(INDEX_CHUNK / 8)
#define INDEX_DATA_MAX	(2 * INDEX_ARRAY_MAX + 2)

/* N ascending low parts as the data of a record. N > 0. */
void index_data_put(struct buf *out, const uint16_t *low, unsigned n);
/* Low parts of DATA, ascending, into LOW (INDEX_CHUNK of them). HB_ECORRUPT. */
int index_data_get(struct slice data, uint16_t *low, unsigned *n_r);
/* Add the IDs of a record to IDS. HB_ECORRUPT. */
int index_data_add_to(struct slice data, entry_id base, struct idset *ids);
/* How many. 0: damaged. */
unsigned index_data_count(struct slice data);
/*
 * DATA with LOW added or taken out, as OUT (INDEX_DATA_MAX octets); length in
 * *LEN_r, 0: empty now. *CHANGED_r false: it was so already. HB_ECORRUPT.
 */
int index_data_edit(struct slice data, unsigned low, bool add,
    unsigned char *out, unsigned *len_r, bool *changed_r);

/* ---- index_read.c ---- */

/* index_read() of a key that is made. */
int index_read_key(struct store *, struct store_txn *, const struct index *,
    const struct index_key *, bool may_read, struct idset *ids_r);
/*
 * About how many IDs KIND, VALUE has, cheaply. *WHOLE_r: IDS_r are all of them.
 * HB_EDEFER, HB_EDEADLOCK.
 */
int index_probe(struct store *, struct store_txn *, const struct index *,
    unsigned kind, struct slice value, bool may_read, struct idset *ids_r,
    bool *whole_r, uint64_t *estimate_r);
/*
 * All IDs under keys from FROM (inclusive) up to TO (a prefix: keys that begin with it
 * included; NULL: to the end of FROM's kind).
 */
int index_read_range(struct store *, struct store_txn *,
    const struct index *, const struct index_key *from,
    const struct index_key *to, struct idset *ids_r);

#endif
