/* LDAPMessage to struct (RFC 4511 4.1.1): see proto.h. */
#include "proto.h"

#include "proto_int.h"

enum {
	TAG_SIMPLE = BER_CONTEXT | 0,
	TAG_SASL = BER_CONTEXT | BER_CONSTRUCTED | 3,
	TAG_NEW_SUPERIOR = BER_CONTEXT | 0,
	TAG_EXTENDED_NAME = BER_CONTEXT | 0,
	TAG_EXTENDED_VALUE = BER_CONTEXT | 1
};

/* Elements in the body of a constructed element, without decoding them. */
static unsigned
count_elements(struct ber_reader r)
{
	unsigned n = 0;

	while (!ber_is_end(&r)) {
		(void)ber_get_element(&r);
		n++;
	}
	return n;
}

void
skip_unknown(struct ber_reader *r, int known)
{
	int tag;

	while (!ber_is_end(r)) {
		(void)ber_get_any(r, &tag);
		if ((tag & 0xc0) == 0 ||
		    ((tag & 0xc0) == BER_CONTEXT && (tag & 0x1f) <= known))
			ber_reader_fail(r, HB_EENCODING);
	}
}

/* A value outside MIN..MAX is encoded soundly and still wrong. */
static int32_t
get_range(struct ber_reader *r, int tag, int32_t min, int32_t max)
{
	int64_t v = ber_get_int(r, tag);

	if (v >= min && v <= max)
		return (int32_t)v;
	ber_reader_fail(r, HB_EPROTO);
	return min;
}

static void *
reader_calloc(struct arena *arena, struct ber_reader *r, size_t n, size_t size)
{
	void *p = arena_calloc(arena, n, size);

	if (p == NULL)
		ber_reader_fail(r, HB_ELIMIT);
	return p;
}

/* The octet strings of a SEQUENCE OF or SET OF. */
static struct slice *
get_strings(struct arena *arena, struct ber_reader *r, int tag, unsigned *n_r)
{
	struct ber_reader inner = ber_enter(r, tag);
	unsigned n = count_elements(inner), i;
	struct slice *v = reader_calloc(arena, r, n, sizeof(*v));

	*n_r = 0;
	if (v == NULL)
		return NULL;
	for (i = 0; i < n; i++)
		v[i] = ber_get_octets(&inner, BER_OCTETS);
	ber_leave(r, &inner);
	if (r->error == HB_OK)
		*n_r = n;
	return v;
}

/* PartialAttribute (RFC 4511 4.1.7). */
static void
get_attr(struct arena *arena, struct ber_reader *r, struct ldap_attr *attr)
{
	struct ber_reader inner = ber_enter(r, BER_SEQUENCE);

	attr->name = ber_get_octets(&inner, BER_OCTETS);
	attr->values = get_strings(arena, &inner, BER_SET, &attr->nvalues);
	skip_unknown(&inner, -1);
	ber_leave(r, &inner);
}

/* ---- one decoder a request; each reads the contents of its protocolOp ---- */

/* SaslCredentials (RFC 4511 4.2). */
static void
get_sasl(struct ber_reader *r, struct ldap_req_bind *req)
{
	struct ber_reader sasl = ber_enter(r, TAG_SASL);

	req->is_sasl = true;
	req->mechanism = ber_get_octets(&sasl, BER_OCTETS);
	if (ber_peek(&sasl) == BER_OCTETS)
		req->credentials = ber_get_octets(&sasl, BER_OCTETS);
	skip_unknown(&sasl, -1);
	ber_leave(r, &sasl);
}

static int
decode_bind(struct arena *arena, struct ber_reader *r, struct ldap_msg *m)
{
	struct ldap_req_bind *req = &m->req.bind;
	int tag;

	(void)arena;
	req->version = get_range(r, BER_INTEGER, 1, 127);
	req->dn = ber_get_octets(r, BER_OCTETS);
	if (ber_peek(r) == TAG_SIMPLE) {
		req->password = ber_get_octets(r, TAG_SIMPLE);
	} else if (ber_peek(r) == TAG_SASL) {
		get_sasl(r, req);
	} else {
		(void)ber_get_any(r, &tag);
		ber_reader_fail(r, HB_EAUTHMETHOD);
	}
	skip_unknown(r, 3);
	return ber_reader_error(r);
}

static int
decode_unbind(struct arena *arena, struct ber_reader *r, struct ldap_msg *m)
{
	(void)arena;
	(void)m;
	ber_expect_end(r);
	return ber_reader_error(r);
}

static int
decode_search(struct arena *arena, struct ber_reader *r, struct ldap_msg *m)
{
	struct ldap_req_search *req = &m->req.search;
	int rc;

	req->base = ber_get_octets(r, BER_OCTETS);
	req->scope = (enum ldap_scope)get_range(r, BER_ENUMERATED,
	    LDAP_SCOPE_BASE, LDAP_SCOPE_CHILDREN);
	req->deref = (enum ldap_deref)get_range(r, BER_ENUMERATED,
	    LDAP_DEREF_NEVER, LDAP_DEREF_ALWAYS);
	req->size_limit = get_range(r, BER_INTEGER, 0, INT32_MAX);
	req->time_limit = get_range(r, BER_INTEGER, 0, INT32_MAX);
	req->types_only = ber_get_bool(r, BER_BOOLEAN);
	if (ber_reader_error(r) != HB_OK)
		return ber_reader_error(r);
	if ((rc = filter_decode(arena, r, &req->filter)) != HB_OK)
		return rc;
	req->attrs = get_strings(arena, r, BER_SEQUENCE, &req->nattrs);
	skip_unknown(r, -1);
	return ber_reader_error(r);
}

/* One change of a ModifyRequest (RFC 4511 4.6). */
static void
get_mod(struct arena *arena, struct ber_reader *r, struct ldap_mod *mod)
{
	struct ber_reader inner = ber_enter(r, BER_SEQUENCE);
	unsigned n;

	mod->type = (enum ldap_mod_type)get_range(&inner, BER_ENUMERATED,
	    LDAP_MOD_ADD, LDAP_MOD_INCREMENT);
	get_attr(arena, &inner, &mod->attr);
	n = mod->attr.nvalues;
	/* the second by RFC 4525 */
	if ((mod->type == LDAP_MOD_ADD && n == 0) ||
	    (mod->type == LDAP_MOD_INCREMENT && n != 1))
		ber_reader_fail(&inner, HB_EPROTO);
	skip_unknown(&inner, -1);
	ber_leave(r, &inner);
}

static int
decode_modify(struct arena *arena, struct ber_reader *r, struct ldap_msg *m)
{
	struct ldap_req_modify *req = &m->req.modify;
	struct ber_reader list;
	unsigned n, i;

	req->dn = ber_get_octets(r, BER_OCTETS);
	list = ber_enter(r, BER_SEQUENCE);
	n = count_elements(list);
	req->mods = reader_calloc(arena, r, n, sizeof(*req->mods));
	for (i = 0; i < n && ber_reader_error(r) == HB_OK &&
	    !ber_is_end(&list); i++)
		get_mod(arena, &list, &req->mods[i]);
	req->nmods = i;
	ber_leave(r, &list);
	skip_unknown(r, -1);
	return ber_reader_error(r);
}

static int
decode_add(struct arena *arena, struct ber_reader *r, struct ldap_msg *m)
{
	struct ldap_req_add *req = &m->req.add;
	struct ber_reader list;
	unsigned n, i;

	req->dn = ber_get_octets(r, BER_OCTETS);
	list = ber_enter(r, BER_SEQUENCE);
	n = count_elements(list);
	req->attrs = reader_calloc(arena, r, n, sizeof(*req->attrs));
	for (i = 0; i < n && ber_reader_error(r) == HB_OK &&
	    !ber_is_end(&list); i++) {
		get_attr(arena, &list, &req->attrs[i]);
		/* Attribute, unlike PartialAttribute, has a value (4.1.7) */
		if (req->attrs[i].nvalues == 0)
			ber_reader_fail(&list, HB_EPROTO);
	}
	req->nattrs = i;
	ber_leave(r, &list);
	skip_unknown(r, -1);
	return ber_reader_error(r);
}

/* DelRequest is the DN itself (RFC 4511 4.8). */
static int
decode_del(struct arena *arena, struct ber_reader *r, struct ldap_msg *m)
{
	(void)arena;
	m->req.del = slice(r->pos, (size_t)(r->end - r->pos));
	return HB_OK;
}

static int
decode_modrdn(struct arena *arena, struct ber_reader *r, struct ldap_msg *m)
{
	struct ldap_req_modrdn *req = &m->req.modrdn;

	(void)arena;
	req->dn = ber_get_octets(r, BER_OCTETS);
	req->new_rdn = ber_get_octets(r, BER_OCTETS);
	req->delete_old = ber_get_bool(r, BER_BOOLEAN);
	req->new_superior = SLICE_NONE;
	if (ber_peek(r) == TAG_NEW_SUPERIOR)
		req->new_superior = ber_get_octets(r, TAG_NEW_SUPERIOR);
	skip_unknown(r, 0);
	return ber_reader_error(r);
}

static int
decode_compare(struct arena *arena, struct ber_reader *r, struct ldap_msg *m)
{
	struct ldap_req_compare *req = &m->req.compare;
	struct ber_reader ava;

	(void)arena;
	req->dn = ber_get_octets(r, BER_OCTETS);
	ava = ber_enter(r, BER_SEQUENCE);
	req->attr = ber_get_octets(&ava, BER_OCTETS);
	req->value = ber_get_octets(&ava, BER_OCTETS);
	skip_unknown(&ava, -1);
	ber_leave(r, &ava);
	skip_unknown(r, -1);
	return ber_reader_error(r);
}

/* AbandonRequest is the message ID itself (RFC 4511 4.11). */
static int
decode_abandon(struct arena *arena, struct ber_reader *r, struct ldap_msg *m)
{
	struct slice id = slice(r->pos, (size_t)(r->end - r->pos));
	int64_t v;

	(void)arena;
	if (ber_decode_int(id, &v) != HB_OK)
		return HB_EENCODING;
	if (v < 0 || v > INT32_MAX)
		return HB_EPROTO;
	m->req.abandon = (int32_t)v;
	return HB_OK;
}

static int
decode_extended(struct arena *arena, struct ber_reader *r, struct ldap_msg *m)
{
	struct ldap_req_extended *req = &m->req.extended;

	(void)arena;
	req->oid = ber_get_octets(r, TAG_EXTENDED_NAME);
	req->value = SLICE_NONE;
	if (ber_peek(r) == TAG_EXTENDED_VALUE)
		req->value = ber_get_octets(r, TAG_EXTENDED_VALUE);
	skip_unknown(r, 1);
	return ber_reader_error(r);
}

static const struct {
	enum ldap_tag request, response;
	int (*decode)(struct arena *, struct ber_reader *, struct ldap_msg *);
} requests[] = {
	{ LDAP_TAG_SEARCH_REQUEST, LDAP_TAG_SEARCH_DONE, decode_search },
	{ LDAP_TAG_BIND_REQUEST, LDAP_TAG_BIND_RESPONSE, decode_bind },
	{ LDAP_TAG_UNBIND_REQUEST, 0, decode_unbind },
	{ LDAP_TAG_COMPARE_REQUEST, LDAP_TAG_COMPARE_RESPONSE,
	    decode_compare },
	{ LDAP_TAG_MODIFY_REQUEST, LDAP_TAG_MODIFY_RESPONSE, decode_modify },
	{ LDAP_TAG_ADD_REQUEST, LDAP_TAG_ADD_RESPONSE, decode_add },
	{ LDAP_TAG_DEL_REQUEST, LDAP_TAG_DEL_RESPONSE, decode_del },
	{ LDAP_TAG_MODRDN_REQUEST, LDAP_TAG_MODRDN_RESPONSE, decode_modrdn },
	{ LDAP_TAG_ABANDON_REQUEST, 0, decode_abandon },
	{ LDAP_TAG_EXTENDED_REQUEST, LDAP_TAG_EXTENDED_RESPONSE,
	    decode_extended }
};

#define NREQUESTS	(sizeof(requests) / sizeof(requests[0]))

enum ldap_tag
ldap_response_tag(enum ldap_tag request)
{
	size_t i;

	for (i = 0; i < NREQUESTS; i++) {
		if (requests[i].request == request)
			return requests[i].response;
	}
	return 0;
}

/* Control (RFC 4511 4.1.11). */
static void
get_control(struct ber_reader *r, struct ldap_control *c)
{
	struct ber_reader inner = ber_enter(r, BER_SEQUENCE);

	c->oid = ber_get_octets(&inner, BER_OCTETS);
	c->critical = false;
	c->value = SLICE_NONE;
	if (ber_peek(&inner) == BER_BOOLEAN)
		c->critical = ber_get_bool(&inner, BER_BOOLEAN);
	if (ber_peek(&inner) == BER_OCTETS)
		c->value = ber_get_octets(&inner, BER_OCTETS);
	skip_unknown(&inner, -1);
	ber_leave(r, &inner);
}

static void
get_controls(struct arena *arena, struct ber_reader *r, struct ldap_msg *m)
{
	struct ber_reader list = ber_enter(r, LDAP_TAG_CONTROLS);
	unsigned n = count_elements(list), i;

	m->controls = reader_calloc(arena, r, n, sizeof(*m->controls));
	for (i = 0; i < n && ber_reader_error(r) == HB_OK &&
	    !ber_is_end(&list); i++)
		get_control(&list, &m->controls[i]);
	m->ncontrols = i;
	ber_leave(r, &list);
}

static int
decode_op(struct arena *arena, struct slice body, struct ldap_msg *m)
{
	struct ber_reader r;
	size_t i;

	ber_reader_init(&r, body);
	for (i = 0; i < NREQUESTS; i++) {
		if (requests[i].request == m->tag)
			return requests[i].decode(arena, &r, m);
	}
	return HB_EENCODING;
}

int
ldap_decode(struct arena *arena, struct slice pdu, struct ldap_msg *m)
{
	struct ber_reader r, msg;
	struct slice body;
	int64_t id;
	int tag, rc;

	memset(m, 0, sizeof(*m));
	ber_reader_init(&r, pdu);
	msg = ber_enter(&r, BER_SEQUENCE);
	ber_expect_end(&r);
	/* 0 is for notices of the server (RFC 4511 4.1.1.1) */
	id = ber_get_int_range(&msg, BER_INTEGER, 1, INT32_MAX);
	if (ber_reader_error(&r) != HB_OK || ber_reader_error(&msg) != HB_OK)
		return HB_EENCODING;
	m->id = (int32_t)id;
	body = ber_get_any(&msg, &tag);
	if (ber_reader_error(&msg) != HB_OK)
		return HB_EENCODING;
	m->tag = (enum ldap_tag)tag;
	if ((rc = decode_op(arena, body, m)) != HB_OK)
		return rc;
	if (ber_peek(&msg) == LDAP_TAG_CONTROLS)
		get_controls(arena, &msg, m);
	skip_unknown(&msg, 0);
	return ber_reader_error(&msg);
}
