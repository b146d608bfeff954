/* Answers: see answer.h. */
#include "answer.h"
#include "ber.h"
#include "proto.h"
#include "util/err.h"
#include "util/text.h"

static const struct {
	int code;
	const char *symbol;
} codes[] = {
#define LDAP_RESULT(sym, code)	{ code, #sym },
#include "tbl/ldap_results.tbl"
#undef LDAP_RESULT
};

int
answer_read(struct slice pdu, struct answer *a_r)
{
	struct ber_reader r, msg;
	int tag;

	ber_reader_init(&r, pdu);
	msg = ber_enter(&r, BER_SEQUENCE);
	a_r->id = ber_get_int_range(&msg, BER_INTEGER, 0, INT32_MAX);
	a_r->body = ber_get_any(&msg, &a_r->tag);
	if (!ber_is_end(&msg))
		(void)ber_get_any(&msg, &tag);	/* controls */
	ber_leave(&r, &msg);
	ber_expect_end(&r);
	return ber_reader_error(&r);
}

int
answer_result(struct slice body, struct answer_result *r_r)
{
	struct ber_reader r;
	struct slice s;
	int tag;

	ber_reader_init(&r, body);
	r_r->code = ber_get_int(&r, BER_ENUMERATED);
	r_r->matched = ber_get_octets(&r, BER_OCTETS);
	r_r->text = ber_get_octets(&r, BER_OCTETS);
	r_r->oid = SLICE_NONE;
	while (!ber_is_end(&r)) {
		s = ber_get_any(&r, &tag);
		if (tag == 0x8a)
			r_r->oid = s;
	}
	return ber_reader_error(&r);
}

/* "INVALID_DN_SYNTAX" to "invalidDNSyntax". */
static void
put_name(const char *symbol, char *out)
{
	size_t len;

	for (; *symbol != '\0'; symbol += len + (symbol[len] == '_')) {
		len = strcspn(symbol, "_");
		memcpy(out, symbol, len);
		if (!slice_has_suffix(SLICE("RDN"), slice(symbol, len)))
			text_tolower(out + 1, len - 1);
		out += len;
	}
	*out = '\0';
}

const char *
answer_code_name(int64_t code, char out[ANSWER_NAME_MAX])
{
	size_t i;

	for (i = 0; i < sizeof codes / sizeof *codes; i++)
		if (codes[i].code == code) {
			put_name(codes[i].symbol + strlen("LDAP_"), out);
			text_tolower(out, 1);
			return out;
		}
	return "not a standard code";
}

int
answer_entry(struct slice body, struct slice *dn_r, struct slice *attrs_r)
{
	struct ber_reader r;

	ber_reader_init(&r, body);
	*dn_r = ber_get_octets(&r, BER_OCTETS);
	*attrs_r = ber_get_octets(&r, BER_SEQUENCE);
	ber_expect_end(&r);
	return ber_reader_error(&r);
}

int
answer_attrs(struct slice attrs, const char *const *names,
    const char **missing_r)
{
	struct ber_reader r, attr;
	struct slice name, values;
	uint64_t seen = 0;
	unsigned i;

	ber_reader_init(&r, attrs);
	while (!ber_is_end(&r)) {
		attr = ber_enter(&r, BER_SEQUENCE);
		name = ber_get_octets(&attr, BER_OCTETS);
		values = ber_get_octets(&attr, BER_SET);
		ber_leave(&r, &attr);
		for (i = 0; names[i] != NULL; i++)
			if (values.len > 0 && slice_is_eq_nocase(name,
			    slice_of(names[i])))
				seen |= UINT64_C(1) << i;
	}
	if (ber_reader_error(&r) != HB_OK)
		return ber_reader_error(&r);
	for (i = 0; names[i] != NULL; i++)
		if ((seen & UINT64_C(1) << i) == 0) {
			*missing_r = names[i];
			return HB_ENOENT;
		}
	return HB_OK;
}

static const char *
skip_blanks(const char *p, const char *end)
{
	while (p < end && *p == ' ')
		p++;
	return p;
}

bool
answer_dn_is_eq(struct slice a, struct slice b)
{
	const char *p = a.ptr, *q = b.ptr;
	const char *pend = p + a.len, *qend = q + b.len;

	if (slice_is_eq(a, b))
		return true;
	while (p < pend && q < qend) {
		if (!slice_is_eq_nocase(slice(p, 1), slice(q, 1)))
			return false;
		if (*p == ',') {
			p = skip_blanks(p + 1, pend);
			q = skip_blanks(q + 1, qend);
		} else {
			p++;
			q++;
		}
	}
	return p == pend && q == qend;
}
