/* Responses (RFC 4511 4.1.9, 4.2.2, 4.5.2, 4.12): see proto.h. */
#include "proto.h"

enum {
	TAG_REFERRAL = BER_CONTEXT | BER_CONSTRUCTED | 3,
	TAG_SASL_CREDS = BER_CONTEXT | 7,
	TAG_RESPONSE_NAME = BER_CONTEXT | 10,
	TAG_RESPONSE_VALUE = BER_CONTEXT | 11
};

static void
put_controls(struct ber_writer *w, const struct ldap_control *controls,
    unsigned n)
{
	size_t list, one;
	unsigned i;

	if (n == 0)
		return;
	list = ber_begin(w, LDAP_TAG_CONTROLS);
	for (i = 0; i < n; i++) {
		one = ber_begin(w, BER_SEQUENCE);
		ber_put_octets(w, BER_OCTETS, controls[i].oid);
		if (controls[i].critical)
			ber_put_bool(w, BER_BOOLEAN, true);
		if (!slice_is_none(controls[i].value))
			ber_put_octets(w, BER_OCTETS, controls[i].value);
		ber_end(w, one);
	}
	ber_end(w, list);
}

static void
put_optional(struct ber_writer *w, int tag, struct slice s)
{
	if (!slice_is_none(s))
		ber_put_octets(w, tag, s);
}

/* COMPONENTS OF LDAPResult. */
static void
put_result(struct ber_writer *w, const struct ldap_result_text *res)
{
	size_t refs;
	unsigned i;

	ber_put_int(w, BER_ENUMERATED, res->code);
	ber_put_octets(w, BER_OCTETS, res->matched);
	ber_put_octets(w, BER_OCTETS, res->text);
	if (res->nreferrals == 0)
		return;
	refs = ber_begin(w, TAG_REFERRAL);
	for (i = 0; i < res->nreferrals; i++)
		ber_put_octets(w, BER_OCTETS, res->referrals[i]);
	ber_end(w, refs);
}

struct message {
	struct ber_writer w;
	size_t msg, op;
};

static struct message
begin(struct buf *out, int32_t id, int tag)
{
	struct message m;

	ber_writer_init(&m.w, out);
	m.msg = ber_begin(&m.w, BER_SEQUENCE);
	ber_put_int(&m.w, BER_INTEGER, id);
	m.op = ber_begin(&m.w, tag);
	return m;
}

static void
end(struct message *m, const struct ldap_control *controls, unsigned n)
{
	ber_end(&m->w, m->op);
	put_controls(&m->w, controls, n);
	ber_end(&m->w, m->msg);
}

void
ldap_encode_result(struct buf *out, int32_t id, enum ldap_tag tag,
    const struct ldap_result_text *res, const struct ldap_control *controls,
    unsigned ncontrols)
{
	struct message m = begin(out, id, tag);

	put_result(&m.w, res);
	end(&m, controls, ncontrols);
}

void
ldap_encode_bind(struct buf *out, int32_t id,
    const struct ldap_result_text *res, struct slice sasl_creds,
    const struct ldap_control *controls, unsigned ncontrols)
{
	struct message m = begin(out, id, LDAP_TAG_BIND_RESPONSE);

	put_result(&m.w, res);
	put_optional(&m.w, TAG_SASL_CREDS, sasl_creds);
	end(&m, controls, ncontrols);
}

void
ldap_encode_extended(struct buf *out, int32_t id,
    const struct ldap_result_text *res, struct slice oid, struct slice value,
    const struct ldap_control *controls, unsigned ncontrols)
{
	struct message m = begin(out, id, LDAP_TAG_EXTENDED_RESPONSE);

	put_result(&m.w, res);
	put_optional(&m.w, TAG_RESPONSE_NAME, oid);
	put_optional(&m.w, TAG_RESPONSE_VALUE, value);
	end(&m, controls, ncontrols);
}

void
ldap_encode_reference(struct buf *out, int32_t id,
    const struct slice *urls, unsigned nurls,
    const struct ldap_control *controls, unsigned ncontrols)
{
	struct message m = begin(out, id, LDAP_TAG_SEARCH_REFERENCE);
	unsigned i;

	for (i = 0; i < nurls; i++)
		ber_put_octets(&m.w, BER_OCTETS, urls[i]);
	end(&m, controls, ncontrols);
}

/* Octets of an INTEGER element of ID, which is not negative. */
static size_t
id_size(int32_t id)
{
	return id < 0x80 ? 3 : id < 0x8000 ? 4 : id < 0x800000 ? 5 : 6;
}

/* All lengths are known, so that nothing is moved once it was copied. */
void
ldap_encode_entry(struct buf *out, int32_t id, struct slice dn,
    struct slice attrs, const struct ldap_control *controls,
    unsigned ncontrols)
{
	size_t inner = ber_header_size(dn.len) + dn.len +
	    ber_header_size(attrs.len) + attrs.len;
	struct ber_writer w;
	size_t msg = 0;

	ber_writer_init(&w, out);
	buf_reserve(out, inner + 32);
	if (ncontrols > 0)
		msg = ber_begin(&w, BER_SEQUENCE);
	else
		ber_put_header(&w, BER_SEQUENCE, id_size(id) +
		    ber_header_size(inner) + inner);
	ber_put_int(&w, BER_INTEGER, id);
	ber_put_header(&w, LDAP_TAG_SEARCH_ENTRY, inner);
	ber_put_octets(&w, BER_OCTETS, dn);
	ber_put_octets(&w, BER_SEQUENCE, attrs);
	if (ncontrols > 0) {
		put_controls(&w, controls, ncontrols);
		ber_end(&w, msg);
	}
}
