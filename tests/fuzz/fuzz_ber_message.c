/*
 * ldap_decode() on anything. What it accepts is read to the last slice, so
 * that one outside the PDU is seen, and put back into responses, which must be
 * BER again.
 */
#include <stdlib.h>

#include "proto.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned sum;

static void
touch(struct slice s)
{
	size_t i;

	for (i = 0; i < s.len; i++)
		sum += (unsigned char)s.ptr[i];
}

static void
touch_all(const struct slice *v, unsigned n)
{
	unsigned i;

	for (i = 0; i < n; i++)
		touch(v[i]);
}

/* Recursion is bounded by LDAP_FILTER_DEPTH_MAX. */
static void
touch_filter(const struct ldap_filter *f)
{
	for (; f != NULL; f = f->next) {
		touch(f->attr);
		touch(f->value);
		touch(f->initial);
		touch(f->final);
		touch(f->rule);
		touch_all(f->any, f->nany);
		touch_filter(f->first);
	}
}

static void
touch_attr(const struct ldap_attr *a)
{
	touch(a->name);
	touch_all(a->values, a->nvalues);
}

static void
touch_request(const struct ldap_msg *m)
{
	unsigned i;

	switch (m->tag) {
	case LDAP_TAG_BIND_REQUEST:
		touch(m->req.bind.dn);
		touch(m->req.bind.password);
		touch(m->req.bind.mechanism);
		touch(m->req.bind.credentials);
		break;
	case LDAP_TAG_SEARCH_REQUEST:
		touch(m->req.search.base);
		touch_filter(m->req.search.filter);
		touch_all(m->req.search.attrs, m->req.search.nattrs);
		break;
	case LDAP_TAG_MODIFY_REQUEST:
		touch(m->req.modify.dn);
		for (i = 0; i < m->req.modify.nmods; i++)
			touch_attr(&m->req.modify.mods[i].attr);
		break;
	case LDAP_TAG_ADD_REQUEST:
		touch(m->req.add.dn);
		for (i = 0; i < m->req.add.nattrs; i++)
			touch_attr(&m->req.add.attrs[i]);
		break;
	case LDAP_TAG_DEL_REQUEST:
		touch(m->req.del);
		break;
	case LDAP_TAG_MODRDN_REQUEST:
		touch(m->req.modrdn.dn);
		touch(m->req.modrdn.new_rdn);
		touch(m->req.modrdn.new_superior);
		break;
	case LDAP_TAG_COMPARE_REQUEST:
		touch(m->req.compare.dn);
		touch(m->req.compare.attr);
		touch(m->req.compare.value);
		break;
	case LDAP_TAG_EXTENDED_REQUEST:
		touch(m->req.extended.oid);
		touch(m->req.extended.value);
		break;
	default:
		break;
	}
}

/* OUT is whole LDAPMessages with this ID, one after the other. */
static void
check_messages(struct buf *out, int32_t id, unsigned want)
{
	struct ber_reader r, msg;
	unsigned n = 0;
	int tag;

	ber_reader_init(&r, buf_slice(out));
	for (; !ber_is_end(&r); n++) {
		msg = ber_enter(&r, BER_SEQUENCE);
		if (ber_get_int(&msg, BER_INTEGER) != id)
			abort();
		(void)ber_get_any(&msg, &tag);
		if (ber_peek(&msg) == LDAP_TAG_CONTROLS)
			(void)ber_get_element(&msg);
		ber_leave(&r, &msg);
	}
	if (ber_reader_error(&r) != HB_OK || n != want)
		abort();
}

static void
encode_all(const struct ldap_msg *m, struct slice text)
{
	struct ldap_result_text res = { LDAP_OTHER, text, text, &text, 1 };
	struct buf out;

	buf_init(&out);
	ldap_encode_result(&out, m->id, LDAP_TAG_DEL_RESPONSE, &res,
	    m->controls, m->ncontrols);
	ldap_encode_bind(&out, m->id, &res, text, m->controls, m->ncontrols);
	ldap_encode_extended(&out, m->id, &res, text, text, m->controls,
	    m->ncontrols);
	ldap_encode_reference(&out, m->id, &text, 1, m->controls,
	    m->ncontrols);
	ldap_encode_entry(&out, m->id, text, text, m->controls, m->ncontrols);
	ldap_encode_entry(&out, m->id, text, text, NULL, 0);
	check_messages(&out, m->id, 6);
	buf_fini(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice pdu = slice(data, size);
	struct ldap_msg m;
	struct arena arena;
	size_t total;
	unsigned i;
	int rc;

	if (ber_frame(pdu, BER_SEQUENCE, &total) == HB_OK && total < size)
		pdu.len = total;
	arena_init(&arena, 1 << 20);
	rc = ldap_decode(&arena, pdu, &m);
	if (rc == HB_OK) {
		if (m.id <= 0)
			abort();
		touch_request(&m);
		for (i = 0; i < m.ncontrols; i++) {
			touch(m.controls[i].oid);
			touch(m.controls[i].value);
		}
		encode_all(&m, pdu);
	} else if (rc != HB_EENCODING && rc != HB_EPROTO &&
	    rc != HB_EAUTHMETHOD && rc != HB_ELIMIT) {
		abort();
	}
	arena_fini(&arena);
	return 0;
}
