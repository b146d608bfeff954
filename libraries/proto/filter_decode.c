/*
 * Filter (RFC 4511 4.5.1.7) to a tree. Iterative: open AND, OR and NOT items
 * stand on a stack in the arena, so that nesting cannot overflow the C stack.
 */
#include "proto_int.h"

enum {
	TAG_SUB_INITIAL = BER_CONTEXT | 0,
	TAG_SUB_ANY = BER_CONTEXT | 1,
	TAG_SUB_FINAL = BER_CONTEXT | 2,
	TAG_EXT_RULE = BER_CONTEXT | 1,
	TAG_EXT_TYPE = BER_CONTEXT | 2,
	TAG_EXT_VALUE = BER_CONTEXT | 3,
	TAG_EXT_DN_ATTRS = BER_CONTEXT | 4
};

/* An item whose children are being read. */
struct level {
	struct level *up;
	struct ldap_filter *item;
	struct ldap_filter **tail;	/* where the next child is linked */
	struct ber_reader rest;
};

static int
decode_ava(struct ber_reader *r, struct ldap_filter *f)
{
	f->attr = ber_get_octets(r, BER_OCTETS);
	f->value = ber_get_octets(r, BER_OCTETS);
	skip_unknown(r, -1);
	return ber_reader_error(r);
}

static unsigned
count_any(struct ber_reader r)
{
	unsigned n = 0;
	int tag;

	while (!ber_is_end(&r)) {
		(void)ber_get_any(&r, &tag);
		if (tag == TAG_SUB_ANY)
			n++;
	}
	return n;
}

/* initial is first, final last, at least one piece, none empty. */
static int
decode_substrings(struct arena *arena, struct ber_reader *r,
    struct ldap_filter *f)
{
	struct ber_reader list;
	struct slice piece;
	unsigned n = 0;
	int tag;

	f->attr = ber_get_octets(r, BER_OCTETS);
	list = ber_enter(r, BER_SEQUENCE);
	f->any = arena_calloc(arena, count_any(list), sizeof(*f->any));
	if (f->any == NULL)
		return HB_ELIMIT;
	for (; !ber_is_end(&list); n++) {
		piece = ber_get_any(&list, &tag);
		if (ber_reader_error(&list) != HB_OK)
			break;
		if (piece.len == 0 || !slice_is_none(f->final))
			return HB_EPROTO;
		if (tag == TAG_SUB_INITIAL && n == 0)
			f->initial = piece;
		else if (tag == TAG_SUB_ANY)
			f->any[f->nany++] = piece;
		else if (tag == TAG_SUB_FINAL)
			f->final = piece;
		else
			return HB_EPROTO;
	}
	ber_leave(r, &list);
	if (n == 0)
		ber_reader_fail(r, HB_EPROTO);
	skip_unknown(r, -1);
	return ber_reader_error(r);
}

static int
decode_extensible(struct ber_reader *r, struct ldap_filter *f)
{
	if (ber_peek(r) == TAG_EXT_RULE)
		f->rule = ber_get_octets(r, TAG_EXT_RULE);
	if (ber_peek(r) == TAG_EXT_TYPE)
		f->attr = ber_get_octets(r, TAG_EXT_TYPE);
	f->value = ber_get_octets(r, TAG_EXT_VALUE);
	if (ber_peek(r) == TAG_EXT_DN_ATTRS)
		f->dn_attrs = ber_get_bool(r, TAG_EXT_DN_ATTRS);
	skip_unknown(r, TAG_EXT_DN_ATTRS & 0x1f);
	if (slice_is_none(f->rule) && slice_is_none(f->attr))
		ber_reader_fail(r, HB_EPROTO);
	return ber_reader_error(r);
}

/* A choice that a later protocol adds is Undefined (RFC 4511 4.5.1.7). */
static int
decode_unknown(struct ldap_filter *f)
{
	int tag = f->type;

	if ((tag & 0xc0) != BER_CONTEXT ||
	    (tag & 0x1f) <= (LDAP_FILTER_EXTENSIBLE & 0x1f))
		return HB_EENCODING;
	f->type = LDAP_FILTER_UNKNOWN;
	return HB_OK;
}

/* An item without children; BODY is its contents. */
static int
decode_leaf(struct arena *arena, struct slice body, struct ldap_filter *f)
{
	struct ber_reader r;

	ber_reader_init(&r, body);
	switch (f->type) {
	case LDAP_FILTER_EQUALITY:
	case LDAP_FILTER_GE:
	case LDAP_FILTER_LE:
	case LDAP_FILTER_APPROX:
		return decode_ava(&r, f);
	case LDAP_FILTER_SUBSTRINGS:
		return decode_substrings(arena, &r, f);
	case LDAP_FILTER_PRESENT:
		f->attr = body;
		return HB_OK;
	case LDAP_FILTER_EXTENSIBLE:
		return decode_extensible(&r, f);
	default:
		return decode_unknown(f);
	}
}

static bool
has_children(int tag)
{
	return tag == LDAP_FILTER_AND || tag == LDAP_FILTER_OR ||
	    tag == LDAP_FILTER_NOT;
}

/* NOT has exactly one child. */
static bool
is_complete(const struct ldap_filter *f)
{
	return f->type != LDAP_FILTER_NOT ||
	    (f->first != NULL && f->first->next == NULL);
}

static struct level *
level_open(struct arena *arena, struct level *up, struct ldap_filter *item,
    struct slice body)
{
	struct level *l = arena_alloc(arena, sizeof(*l));

	if (l != NULL) {
		l->up = up;
		l->item = item;
		l->tail = &item->first;
		ber_reader_init(&l->rest, body);
	}
	return l;
}

/* Read one item from R and link it at TAIL; *BODY is its contents. */
static int
get_item(struct arena *arena, struct ber_reader *r,
    struct ldap_filter **tail, struct slice *body)
{
	struct ldap_filter *f = arena_zalloc(arena, sizeof(*f));
	int tag;

	if (f == NULL)
		return HB_ELIMIT;
	*body = ber_get_any(r, &tag);
	if (ber_reader_error(r) != HB_OK)
		return ber_reader_error(r);
	f->type = (enum ldap_filter_type)tag;
	*tail = f;
	return has_children(tag) ? HB_OK : decode_leaf(arena, *body, f);
}

int
filter_decode(struct arena *arena, struct ber_reader *r,
    struct ldap_filter **filter_r)
{
	struct level *top = NULL;
	struct ldap_filter **tail = filter_r;
	struct slice body;
	unsigned depth = 0;
	int rc;

	*filter_r = NULL;
	do {
		rc = get_item(arena, top != NULL ? &top->rest : r, tail, &body);
		if (rc != HB_OK)
			return rc;
		if (top != NULL)
			top->tail = &(*tail)->next;
		if (has_children((*tail)->type)) {
			if (++depth > LDAP_FILTER_DEPTH_MAX)
				return HB_ELIMIT;
			top = level_open(arena, top, *tail, body);
			if (top == NULL)
				return HB_ELIMIT;
		}
		while (top != NULL && ber_is_end(&top->rest)) {
			if (!is_complete(top->item))
				return HB_EENCODING;
			top = top->up;
			depth--;
		}
		if (top != NULL)
			tail = top->tail;
	} while (top != NULL);
	return HB_OK;
}
