/*
 * What slapbench reads: answers of a server, taken apart as far as they go, and
 * filters, which mean the same as to the server's library where both take them.
 */
#include <stdlib.h>

#include "../../servers/slapd/tools/bench/answer.h"
#include "../../servers/slapd/tools/bench/request.h"
#include "filter.h"
#include "util/err.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
answers(struct slice data)
{
	static const char *const names[] = { "cn", "objectClass", NULL };
	struct answer_result res;
	const char *missing;
	struct slice dn, attrs;
	struct answer a;

	if (answer_read(data, &a) != HB_OK)
		return;
	if (a.id < 0 || a.id > INT32_MAX || a.body.ptr < data.ptr ||
	    a.body.ptr + a.body.len > data.ptr + data.len)
		abort();
	(void)answer_result(a.body, &res);
	if (answer_entry(a.body, &dn, &attrs) != HB_OK)
		return;
	if (!answer_dn_is_eq(dn, dn))
		abort();
	(void)answer_attrs(attrs, names, &missing);
}

/* A search for the FILTER that is in BER already, decoded and printed. */
static void
print_encoded(struct arena *arena, struct slice filter, struct buf *out)
{
	struct ber_writer w;
	struct ldap_msg msg;
	struct buf pdu;
	size_t m, s;
	int i;

	buf_init(&pdu);
	ber_writer_init(&w, &pdu);
	m = ber_begin(&w, BER_SEQUENCE);
	ber_put_int(&w, BER_INTEGER, 1);
	s = ber_begin(&w, LDAP_TAG_SEARCH_REQUEST);
	ber_put_octets(&w, BER_OCTETS, SLICE(""));
	for (i = 0; i < 2; i++)
		ber_put_int(&w, BER_ENUMERATED, 0);
	for (i = 0; i < 2; i++)
		ber_put_int(&w, BER_INTEGER, 0);
	ber_put_bool(&w, BER_BOOLEAN, false);
	ber_put_raw(&w, filter);
	ber_put_octets(&w, BER_SEQUENCE, SLICE(""));
	ber_end(&w, s);
	ber_end(&w, m);
	if (ldap_decode(arena, buf_slice(&pdu), &msg) != HB_OK)
		abort();
	filter_print(msg.req.search.filter, out);
	buf_fini(&pdu);
}

static void
filters(struct slice data)
{
	struct buf encoded, ours, theirs;
	struct ldap_filter *f;
	struct arena arena;

	arena_init(&arena, 1 << 22);
	buf_init(&encoded);
	buf_init(&ours);
	buf_init(&theirs);
	if (request_put_filter(&encoded, data, NULL) == HB_OK &&
	    filter_parse(&arena, data, &f, NULL) == HB_OK) {
		filter_print(f, &theirs);
		print_encoded(&arena, buf_slice(&encoded), &ours);
		if (!slice_is_eq(buf_slice(&ours), buf_slice(&theirs)))
			abort();
	}
	buf_fini(&encoded);
	buf_fini(&ours);
	buf_fini(&theirs);
	arena_fini(&arena);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	answers(slice(data, size));
	filters(slice(data, size));
	return 0;
}
