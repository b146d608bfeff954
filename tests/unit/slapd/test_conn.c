/*
 * Connections over a transport in memory: framing, order, hand-over to the
 * pool, disconnection, back-pressure, selection of attributes. No ports, no
 * sleeps: the test is the event loop's thread.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "backends_fake.h"
#include "ber.h"
#include "proto.h"
#include "servers/slapd/conf.h"
#include "servers/slapd/conn.h"
#include "servers/slapd/loop.h"
#include "servers/slapd/registry.h"
#include "servers/slapd/server.h"
#include "slapd/reply.h"
#include "util/err.h"
#include "util/mem.h"

#define BASE	"dc=example,dc=com"
#define ANN	"uid=ann," BASE

/* ---- the transport ---- */

struct wire {
	struct buf in, out;
	size_t room;			/* octets that the client still takes */
	unsigned nwrites;
	uint32_t wants;
	bool is_shut, is_closed, has_ended;
};

static ssize_t
wire_read(struct conn *c, void *buf, size_t n)
{
	struct wire *w = c->transport_data;

	if (w->in.len == 0) {
		errno = EAGAIN;
		return w->has_ended ? 0 : -1;
	}
	if (n > w->in.len)
		n = w->in.len;
	memcpy(buf, w->in.data, n);
	buf_consume(&w->in, n);
	return (ssize_t)n;
}

static ssize_t
wire_write(struct conn *c, const void *buf, size_t n)
{
	struct wire *w = c->transport_data;

	if (w->room == 0) {
		errno = EAGAIN;
		return -1;
	}
	if (n > w->room)
		n = w->room;
	w->room -= n;
	w->nwrites++;
	buf_put(&w->out, buf, n);
	return (ssize_t)n;
}

static void
wire_want(struct conn *c, uint32_t events)
{
	((struct wire *)c->transport_data)->wants = events;
}

static void
wire_shut(struct conn *c, bool linger)
{
	(void)linger;
	((struct wire *)c->transport_data)->is_shut = true;
}

static void
wire_close(struct conn *c)
{
	((struct wire *)c->transport_data)->is_closed = true;
}

static const struct transport wire_transport = {
	wire_read, wire_write, wire_want, wire_shut, wire_close
};

/* ---- a backend of one entry ---- */

static struct entry *ann;
static bool defers;			/* searches want a thread that may wait */
static sem_t gate;			/* a deferred search waits here */
static atomic_bool gated;
static atomic_uint runs_here, runs_in_pool, stopped;
static unsigned copies = 1;		/* entries that a search answers with */
static pthread_t loop_thread;

static int
test_search(struct be_db *db, struct op *op)
{
	int rc = HB_OK;

	(void)db;
	if (!op->may_wait && defers)
		return HB_EDEFER;
	if (pthread_equal(pthread_self(), loop_thread))
		atomic_fetch_add(&runs_here, 1);
	else
		atomic_fetch_add(&runs_in_pool, 1);
	if (op->may_wait && gated)
		while (sem_wait(&gate) != 0)
			;
	if (op_is_stopped(op)) {
		atomic_fetch_add(&stopped, 1);
		return HB_EABANDONED;
	}
	for (unsigned i = 0; i < copies && rc == HB_OK; i++)
		rc = reply_entry(op, ann);
	return rc;
}

static int
test_compare(struct be_db *db, struct op *op)
{
	(void)db;
	return entry_has_norm(ann, op->req.compare.desc, op->req.compare.norm) ?
	    HB_COMPARE_TRUE : HB_COMPARE_FALSE;
}

static int
test_bind(struct be_db *db, struct op *op)
{
	(void)db;
	return slice_is_eq(op->req.bind.password, SLICE("secret")) ? HB_OK :
	    HB_ECREDENTIALS;
}

static const struct slapd_backend test_backend = {
	.abi = SLAPD_BACKEND_ABI, .name = "test",
	.op = {
		[OP_SEARCH] = test_search, [OP_COMPARE] = test_compare,
		[OP_BIND] = test_bind,
	},
};

/* ---- world ---- */

struct world {
	struct slapd_conf *conf;
	struct server srv;
	struct loop loop;
	struct attr_dict *dict;
	struct wire wire;
	struct conn *c;
};

static char path[64];

static struct slapd_conf *
read_conf(void)
{
	static const char *const schema[] = {
		"core", "cosine", "inetorgperson"
	};
	const char *top = getenv("top_srcdir");
	struct slapd_conf *conf = NULL;
	struct diag diag = DIAG_INIT;
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	for (size_t i = 0; i < sizeof(schema) / sizeof(*schema); i++)
		fprintf(f, "include %s/doc/schema/%s.schema\n",
		    top != NULL ? top : ".", schema[i]);
	fprintf(f, "sockbuf_max_incoming 5000\nsizelimit unlimited\n"
	    "database test\nsuffix " BASE "\n");
	fclose(f);
	if (slapd_conf_read(path, &conf, &diag) != HB_OK)
		fail_msg("line %u: %s", diag.line, diag.text);
	return conf;
}

static void
connect_client(struct world *w)
{
	w->wire = (struct wire){ .room = SIZE_MAX };
	w->c = conn_new(&w->loop, -1, &wire_transport, &w->wire,
	    "IP=192.0.2.1:1000", SLICE("IP=0.0.0.0:389"), SLICE("ldap:///"));
	conn_ref(w->c);			/* ours: it outlives its end */
}

static int
world_open(void **state)
{
	static const char *const pairs[] = {
		"objectClass", "inetOrgPerson", "uid", "ann", "cn", "Ann",
		"sn", "A", "cn;lang-fr", "Anne", "mail", "ann@x.org"
	};
	struct world *w = mem_zalloc(sizeof(*w));

	w->conf = read_conf();
	w->dict = attr_dict_new();
	ann = fake_entry(w->conf->schema, w->dict, ANN, pairs,
	    sizeof(pairs) / sizeof(*pairs), 1);
	assert_non_null(ann);
	server_init(&w->srv, w->conf);
	assert_int_equal(loop_init(&w->loop, &w->srv, 0, NULL), HB_OK);
	loop_thread = pthread_self();
	defers = false;
	gated = false;
	copies = 1;
	sem_init(&gate, 0, 0);
	atomic_store(&runs_here, 0);
	atomic_store(&runs_in_pool, 0);
	atomic_store(&stopped, 0);
	connect_client(w);
	*state = w;
	return 0;
}

static int
world_close(void **state)
{
	struct world *w = *state;

	if (!w->c->is_closed)
		conn_close(w->c, NULL);
	pool_free(&w->srv.pool);
	loop_fini(&w->loop);
	conn_unref(w->c);
	server_fini(&w->srv);
	entry_unref(&ann);
	attr_dict_free(&w->dict);
	slapd_conf_free(&w->conf);
	buf_fini(&w->wire.in);
	buf_fini(&w->wire.out);
	free(w);
	return 0;
}

/* ---- requests ---- */

struct request {
	struct ber_writer w;
	size_t msg, op;
};

static struct request
begin(struct buf *out, int id, int tag)
{
	struct request r = { { out }, 0, 0 };

	r.msg = ber_begin(&r.w, BER_SEQUENCE);
	ber_put_int(&r.w, BER_INTEGER, id);
	r.op = ber_begin(&r.w, tag);
	return r;
}

static void
end(struct request *r)
{
	ber_end(&r->w, r->op);
	ber_end(&r->w, r->msg);
}

static void
put_bind(struct buf *out, int id, const char *dn, const char *password)
{
	struct request r = begin(out, id, LDAP_TAG_BIND_REQUEST);

	ber_put_int(&r.w, BER_INTEGER, 3);
	ber_put_octets(&r.w, BER_OCTETS, slice_of(dn));
	ber_put_octets(&r.w, BER_CONTEXT, slice_of(password));
	end(&r);
}

/* ATTRS: blank-separated; OIDS of controls, '!' before critical ones. */
static void
put_search_ctl(struct buf *out, int id, const char *attrs, bool types_only,
    const char *oid, bool critical, unsigned ncontrols)
{
	struct request r = begin(out, id, LDAP_TAG_SEARCH_REQUEST);
	size_t list, one;

	ber_put_octets(&r.w, BER_OCTETS, SLICE(BASE));
	ber_put_int(&r.w, BER_ENUMERATED, LDAP_SCOPE_SUB);
	ber_put_int(&r.w, BER_ENUMERATED, 0);
	ber_put_int(&r.w, BER_INTEGER, 0);
	ber_put_int(&r.w, BER_INTEGER, 0);
	ber_put_bool(&r.w, BER_BOOLEAN, types_only);
	ber_put_octets(&r.w, LDAP_FILTER_PRESENT, SLICE("objectClass"));
	list = ber_begin(&r.w, BER_SEQUENCE);
	while (*attrs != '\0') {
		size_t n = strcspn(attrs, " ");

		ber_put_octets(&r.w, BER_OCTETS, slice(attrs, n));
		attrs += n + (attrs[n] == ' ');
	}
	ber_end(&r.w, list);
	ber_end(&r.w, r.op);
	if (ncontrols > 0) {
		list = ber_begin(&r.w, LDAP_TAG_CONTROLS);
		for (unsigned i = 0; i < ncontrols; i++) {
			one = ber_begin(&r.w, BER_SEQUENCE);
			ber_put_octets(&r.w, BER_OCTETS, slice_of(oid));
			if (critical)
				ber_put_bool(&r.w, BER_BOOLEAN, true);
			ber_end(&r.w, one);
		}
		ber_end(&r.w, list);
	}
	ber_end(&r.w, r.msg);
}

static void
put_search(struct buf *out, int id, const char *attrs)
{
	put_search_ctl(out, id, attrs, false, NULL, false, 0);
}

static void
put_abandon(struct buf *out, int id, unsigned char which)
{
	struct request r = begin(out, id, LDAP_TAG_ABANDON_REQUEST);

	buf_put_char(out, (char)which);
	end(&r);
}

static void
put_unbind(struct buf *out, int id)
{
	struct request r = begin(out, id, LDAP_TAG_UNBIND_REQUEST);

	end(&r);
}

/* The loop finds the descriptor readable. */
static void
serve(struct world *w)
{
	conn_ready(&w->c->ev, &w->loop, EPOLLIN);
	loop_turn(&w->loop, 0);
}

/* ... and the pool has nothing more to do. */
static void
settle(struct world *w)
{
	serve(w);
	pool_drain(w->srv.pool);
	loop_turn(&w->loop, 0);
	pool_drain(w->srv.pool);
	loop_turn(&w->loop, 0);
}

/* ---- answers ---- */

struct answer {
	int id, tag, code;
	struct slice body;
};

/* Take the first answer away; false: there is none. */
static bool
next_answer(struct world *w, struct answer *a)
{
	static char kept[1 << 16];
	struct ber_reader r, m, op;
	size_t total;

	if (ber_frame(buf_slice(&w->wire.out), BER_SEQUENCE, &total) != HB_OK ||
	    total > w->wire.out.len)
		return false;
	assert_true(total <= sizeof(kept));
	memcpy(kept, w->wire.out.data, total);
	buf_consume(&w->wire.out, total);
	ber_reader_init(&r, slice(kept, total));
	m = ber_enter(&r, BER_SEQUENCE);
	a->id = (int)ber_get_int(&m, BER_INTEGER);
	a->body = ber_get_any(&m, &a->tag);
	a->code = -1;
	ber_reader_init(&op, a->body);
	if (a->tag != LDAP_TAG_SEARCH_ENTRY)
		a->code = (int)ber_get_int(&op, BER_ENUMERATED);
	assert_int_equal(ber_reader_error(&m), HB_OK);
	return true;
}

static void
expect(struct world *w, int id, int tag, int code)
{
	struct answer a;

	assert_true(next_answer(w, &a));
	assert_int_equal(a.id, id);
	assert_int_equal(a.tag, tag);
	assert_int_equal(a.code, code);
}

static void
expect_nothing(struct world *w)
{
	assert_int_equal(w->wire.out.len, 0);
}

/* ---- tests ---- */

static void
test_one_write(void **state)
{
	struct world *w = *state;

	put_bind(&w->wire.in, 1, "", "");
	put_search(&w->wire.in, 2, "");
	put_search(&w->wire.in, 3, "");
	serve(w);
	assert_int_equal(w->wire.nwrites, 1);
	expect(w, 1, LDAP_TAG_BIND_RESPONSE, LDAP_SUCCESS);
	expect(w, 2, LDAP_TAG_SEARCH_ENTRY, -1);
	expect(w, 2, LDAP_TAG_SEARCH_DONE, LDAP_SUCCESS);
	expect(w, 3, LDAP_TAG_SEARCH_ENTRY, -1);
	expect(w, 3, LDAP_TAG_SEARCH_DONE, LDAP_SUCCESS);
	expect_nothing(w);
	assert_int_equal(atomic_load(&runs_here), 2);
	assert_int_equal(w->c->in.cap, 0);
}

static void
test_octet_by_octet(void **state)
{
	struct world *w = *state;
	struct buf all;

	buf_init(&all);
	put_search(&all, 1, "cn");
	put_search(&all, 2, "cn");
	for (size_t i = 0; i < all.len; i++) {
		buf_put_char(&w->wire.in, all.data[i]);
		serve(w);
	}
	buf_fini(&all);
	expect(w, 1, LDAP_TAG_SEARCH_ENTRY, -1);
	expect(w, 1, LDAP_TAG_SEARCH_DONE, LDAP_SUCCESS);
	expect(w, 2, LDAP_TAG_SEARCH_ENTRY, -1);
	expect(w, 2, LDAP_TAG_SEARCH_DONE, LDAP_SUCCESS);
	assert_int_equal(w->c->in.cap, 0);
}

/* What is no LDAP message gets a Notice of Disconnection (RFC 4511 4.4.1). */
static void
test_malformed(void **state)
{
	static const struct {
		const char *octets;
		size_t n;
	} rows[] = {
		{ "GET / HTTP/1.0\r\n\r\n", 18 },
		{ "\x30\x80\x02\x01\x01", 5 },			/* indefinite */
		{ "\x30\x03\x02\x01\x00", 5 },			/* no operation */
		{ "\x30\x05\x02\x01\x00\x42\x00", 7 },		/* ID 0 */
		{ "\x30\x05\x02\x01\x01\x7e\x00", 7 },		/* no request */
		{ "\x30\x07\x02\x01\x01\x63\x02\x04\x7f", 9 },	/* cut off inside */
		{ "\x30\x84\x0c\x80\x00\x00\x02\x01\x01", 9 },	/* 200 MB */
	};
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (w->c->is_closed) {
			conn_unref(w->c);
			buf_fini(&w->wire.in);
			buf_fini(&w->wire.out);
			connect_client(w);
		}
		buf_put(&w->wire.in, rows[i].octets, rows[i].n);
		serve(w);
		expect(w, 0, LDAP_TAG_EXTENDED_RESPONSE, LDAP_PROTOCOL_ERROR);
		assert_true(w->wire.is_shut);
		assert_true(w->c->is_closed);
		assert_true(w->c->in.cap < 100000);
	}
}

static void
test_defer(void **state)
{
	struct world *w = *state;

	defers = true;
	put_search(&w->wire.in, 7, "");
	settle(w);
	expect(w, 7, LDAP_TAG_SEARCH_ENTRY, -1);
	expect(w, 7, LDAP_TAG_SEARCH_DONE, LDAP_SUCCESS);
	assert_int_equal(atomic_load(&runs_here), 0);
	assert_int_equal(atomic_load(&runs_in_pool), 1);
}

/* A bind waits for what runs, and what comes after it waits for it. */
static void
test_bind_order(void **state)
{
	struct world *w = *state;

	defers = true;
	gated = true;
	put_search(&w->wire.in, 1, "");
	put_bind(&w->wire.in, 2, ANN, "secret");
	put_search(&w->wire.in, 3, "");
	serve(w);
	serve(w);
	expect_nothing(w);
	assert_int_equal(w->c->who.dn.norm.len, 0);
	/* one for each search */
	sem_post(&gate);
	sem_post(&gate);
	settle(w);
	settle(w);
	expect(w, 1, LDAP_TAG_SEARCH_ENTRY, -1);
	expect(w, 1, LDAP_TAG_SEARCH_DONE, LDAP_SUCCESS);
	expect(w, 2, LDAP_TAG_BIND_RESPONSE, LDAP_SUCCESS);
	expect(w, 3, LDAP_TAG_SEARCH_ENTRY, -1);
	expect(w, 3, LDAP_TAG_SEARCH_DONE, LDAP_SUCCESS);
	assert_true(slice_is_eq(w->c->who.dn.text, SLICE(ANN)));
}

/* Any bind first makes the identity anonymous (RFC 4511 4.2.1). */
static void
test_bind_resets(void **state)
{
	struct world *w = *state;

	put_bind(&w->wire.in, 1, ANN, "secret");
	settle(w);
	expect(w, 1, LDAP_TAG_BIND_RESPONSE, LDAP_SUCCESS);
	put_bind(&w->wire.in, 2, ANN, "wrong");
	settle(w);
	expect(w, 2, LDAP_TAG_BIND_RESPONSE, LDAP_INVALID_CREDENTIALS);
	assert_int_equal(w->c->who.dn.norm.len, 0);
	put_bind(&w->wire.in, 3, ANN, "");
	settle(w);
	expect(w, 3, LDAP_TAG_BIND_RESPONSE, LDAP_UNWILLING_TO_PERFORM);
}

static void
test_abandon(void **state)
{
	struct world *w = *state;

	defers = true;
	gated = true;
	put_search(&w->wire.in, 5, "");
	put_abandon(&w->wire.in, 6, 99);
	put_abandon(&w->wire.in, 7, 5);
	serve(w);
	sem_post(&gate);
	settle(w);
	assert_int_equal(atomic_load(&stopped), 1);
	expect_nothing(w);
	assert_false(w->c->is_closed);
}

static void
test_unbind(void **state)
{
	struct world *w = *state;

	put_search(&w->wire.in, 1, "");
	put_unbind(&w->wire.in, 2);
	put_search(&w->wire.in, 3, "");
	serve(w);
	expect(w, 1, LDAP_TAG_SEARCH_ENTRY, -1);
	expect(w, 1, LDAP_TAG_SEARCH_DONE, LDAP_SUCCESS);
	expect_nothing(w);
	assert_true(w->c->is_closed);
	assert_null(w->c->reason);
}

static void
test_lost(void **state)
{
	struct world *w = *state;

	w->wire.has_ended = true;
	serve(w);
	assert_true(w->c->is_closed);
	assert_string_equal(w->c->reason, "connection lost");
}

/* A client that does not read is not read from, and gets all in the end. */
static void
test_back_pressure(void **state)
{
	struct world *w = *state;
	unsigned n = 0;
	struct answer a;

	copies = 400;
	w->wire.room = 0;
	for (int i = 1; i <= 40; i++)
		put_search(&w->wire.in, i, "");
	for (int i = 0; i < 10; i++)
		serve(w);
	assert_true(w->c->held);
	assert_true(atomic_load(&runs_here) < 40);
	assert_true(w->c->out.buf.len < CONN_OUT_HIGH + 400 * 400);
	w->wire.room = SIZE_MAX;
	for (int i = 0; i < 100; i++) {
		conn_ready(&w->c->ev, &w->loop, EPOLLOUT);
		serve(w);
	}
	while (next_answer(w, &a))
		n += a.tag == LDAP_TAG_SEARCH_DONE;
	assert_int_equal(n, 40);
	assert_false(w->c->is_closed);
}

static void
test_controls(void **state)
{
	static const struct {
		const char *oid;
		bool critical;
		unsigned n;
		int code;
	} rows[] = {
		{ "1.2.3.4", false, 1, LDAP_SUCCESS },
		{ "1.2.3.4", true, 1, LDAP_UNAVAILABLE_CRITICAL_EXTENSION },
		/* ManageDsaIT, which this backend does not declare */
		{ "2.16.840.1.113730.3.4.2", false, 1, LDAP_SUCCESS },
		{ "2.16.840.1.113730.3.4.2", true, 1,
		    LDAP_UNAVAILABLE_CRITICAL_EXTENSION },
		{ "2.16.840.1.113730.3.4.2", false, 2, LDAP_PROTOCOL_ERROR },
	};
	struct world *w = *state;
	struct answer a;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		put_search_ctl(&w->wire.in, 1, "", false, rows[i].oid,
		    rows[i].critical, rows[i].n);
		settle(w);
		do
			assert_true(next_answer(w, &a));
		while (a.tag == LDAP_TAG_SEARCH_ENTRY);
		if (a.code != rows[i].code)
			fail_msg("row %zu: %d", i, a.code);
	}
}

/* Names of the attributes of an entry, "cn,sn"; with values, "cn=1,sn=1". */
static const char *
shape(const struct answer *a)
{
	static struct buf text;
	struct ber_reader r, list, attr, values;

	buf_reset(&text);
	ber_reader_init(&r, a->body);
	(void)ber_get_octets(&r, BER_OCTETS);
	list = ber_enter(&r, BER_SEQUENCE);
	while (!ber_is_end(&list)) {
		unsigned n = 0;

		attr = ber_enter(&list, BER_SEQUENCE);
		if (text.len > 0)
			buf_put_char(&text, ',');
		buf_put_slice(&text, ber_get_octets(&attr, BER_OCTETS));
		values = ber_enter(&attr, BER_SET);
		for (; !ber_is_end(&values); n++)
			(void)ber_get_octets(&values, BER_OCTETS);
		buf_printf(&text, "=%u", n);
	}
	assert_int_equal(ber_reader_error(&list), HB_OK);
	buf_put_char(&text, '\0');
	return text.data;
}

static void
test_select(void **state)
{
	static const struct {
		const char *attrs;
		bool types_only;
		const char *shape;
	} rows[] = {
		{ "", false, "objectClass=1,uid=1,cn=1,sn=1,cn;lang-fr=1,"
		    "mail=1" },
		{ "*", false, "objectClass=1,uid=1,cn=1,sn=1,cn;lang-fr=1,"
		    "mail=1" },
		{ "1.1", false, "" },
		{ "mail cn", false, "cn=1,cn;lang-fr=1,mail=1" },
		{ "2.5.4.3;lang-fr", false, "cn;lang-fr=1" },
		{ "name", false, "cn=1,sn=1,cn;lang-fr=1" },
		{ "cn sn", true, "cn=0,sn=0,cn;lang-fr=0" },
		{ "entryDN", false, "entryDN=1" },
		{ "@person", false, "objectClass=1,cn=1,sn=1,cn;lang-fr=1" },
		{ "nosuch", false, "" },
		{ "1.1 mail", false, "mail=1" },
	};
	struct world *w = *state;
	struct answer a;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		put_search_ctl(&w->wire.in, 1, rows[i].attrs,
		    rows[i].types_only, NULL, false, 0);
		settle(w);
		assert_true(next_answer(w, &a));
		assert_int_equal(a.tag, LDAP_TAG_SEARCH_ENTRY);
		if (strcmp(shape(&a), rows[i].shape) != 0)
			fail_msg("\"%s\": %s", rows[i].attrs, shape(&a));
		expect(w, 1, LDAP_TAG_SEARCH_DONE, LDAP_SUCCESS);
	}
}

#define T(name)	cmocka_unit_test_setup_teardown(name, world_open, world_close)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_one_write), T(test_octet_by_octet), T(test_malformed),
		T(test_defer), T(test_bind_order), T(test_bind_resets),
		T(test_abandon), T(test_unbind), T(test_lost),
		T(test_back_pressure), T(test_controls), T(test_select),
	};
	int fd, failed;

	snprintf(path, sizeof(path), "/tmp/test_conn.XXXXXX");
	if ((fd = mkstemp(path)) < 0)
		return 1;
	close(fd);
	registry_init();
	if (slapd_register_backend(&test_backend) != HB_OK)
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
