#include "world.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "backends_fake.h"
#include "ber.h"
#include "servers/slapd/registry.h"
#include "slapd/reply.h"
#include "util/mem.h"

static pthread_t loop_thread;

static struct entry *ann;
bool defers;
sem_t gate;
atomic_bool gated;
atomic_uint runs_here, runs_in_pool, stopped;
unsigned copies;
int search_rc;
const char *world_global, *world_lines;

/* ---- the transport ---- */

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
	if (!pthread_equal(pthread_self(), loop_thread))
		atomic_store(&w->pool_busy, atomic_load(&c->nops));
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
	return rc == HB_OK ? search_rc : rc;
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
	if (!op->may_wait && defers)
		return HB_EDEFER;
	return slice_is_eq(op->req.bind.password, SLICE("secret")) ? HB_OK :
	    HB_ECREDENTIALS;
}

/* It changes nothing, but overlays look at it. */
static int
test_delete(struct be_db *db, struct op *op)
{
	struct be_txn txn = { .db = db, .op = op, .before = ann };
	int rc = HB_OK;

	if (db->overlays != NULL) {
		op->txn = &txn;
		rc = overlays_in_txn(&txn);
		op->txn = NULL;
	}
	return rc;
}

static int
test_entry_get(struct be_db *db, struct op *op, const struct dn *dn,
    struct entry **e_r)
{
	(void)db;
	(void)op;
	if (!dn_is_eq(dn, &ann->dn))
		return HB_ENOENT;
	*e_r = entry_ref(ann);
	return HB_OK;
}

static int
test_txn_entry_get(struct be_txn *txn, const struct dn *dn,
    struct entry **e_r)
{
	return test_entry_get(txn->db, txn->op, dn, e_r);
}

static const struct slapd_txn_ops test_txn_ops = {
	.entry_get = test_txn_entry_get
};

static const struct slapd_backend test_backend = {
	.abi = SLAPD_BACKEND_ABI, .name = "test",
	.entry_get = test_entry_get, .txn = &test_txn_ops,
	.op = {
		[OP_DELETE] = test_delete,
		[OP_SEARCH] = test_search, [OP_COMPARE] = test_compare,
		[OP_BIND] = test_bind,
	},
};

/* ---- world ---- */

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
	fprintf(f, "sockbuf_max_incoming 5000\nsizelimit unlimited\n%s"
	    "database test\nsuffix " BASE "\n%s",
	    world_global != NULL ? world_global : "",
	    world_lines != NULL ? world_lines : "");
	fclose(f);
	if (slapd_conf_read(path, &conf, &diag) != HB_OK)
		fail_msg("line %u: %s", diag.line, diag.text);
	return conf;
}

void
connect_client(struct world *w)
{
	w->wire = (struct wire){ .room = SIZE_MAX };
	w->c = conn_new(&w->loop, -1, &wire_transport, &w->wire,
	    "IP=192.0.2.1:1000", SLICE("IP=0.0.0.0:389"), SLICE("ldap:///"));
	conn_ref(w->c);			/* ours: it outlives its end */
}

int
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
	search_rc = HB_OK;
	sem_init(&gate, 0, 0);
	atomic_store(&runs_here, 0);
	atomic_store(&runs_in_pool, 0);
	atomic_store(&stopped, 0);
	connect_client(w);
	*state = w;
	return 0;
}

int
world_close(void **state)
{
	struct world *w = *state;

	if (!w->c->is_closed)
		conn_close(w->c, NULL);
	/* a test that failed leaves some waiting */
	for (int i = 0; i < 4; i++)
		sem_post(&gate);
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

void
put_bind(struct buf *out, int id, const char *dn, const char *password)
{
	struct request r = begin(out, id, LDAP_TAG_BIND_REQUEST);

	ber_put_int(&r.w, BER_INTEGER, 3);
	ber_put_octets(&r.w, BER_OCTETS, slice_of(dn));
	ber_put_octets(&r.w, BER_CONTEXT, slice_of(password));
	end(&r);
}

/* ATTRS: blank-separated; OIDS of controls, '!' before critical ones. */
void
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

void
put_search(struct buf *out, int id, const char *attrs)
{
	put_search_ctl(out, id, attrs, false, NULL, false, 0);
}

void
put_abandon(struct buf *out, int id, unsigned char which)
{
	struct request r = begin(out, id, LDAP_TAG_ABANDON_REQUEST);

	buf_put_char(out, (char)which);
	end(&r);
}

void
put_delete(struct buf *out, int id, const char *dn)
{
	struct request r = begin(out, id, LDAP_TAG_DEL_REQUEST);

	buf_put_str(out, dn);
	end(&r);
}

void
put_extended(struct buf *out, int id, const char *oid)
{
	struct request r = begin(out, id, LDAP_TAG_EXTENDED_REQUEST);

	ber_put_octets(&r.w, BER_CONTEXT, slice_of(oid));
	end(&r);
}

void
put_unbind(struct buf *out, int id)
{
	struct request r = begin(out, id, LDAP_TAG_UNBIND_REQUEST);

	end(&r);
}

/* The loop finds the descriptor readable. */
void
serve(struct world *w)
{
	conn_ready(&w->c->ev, &w->loop, EPOLLIN);
	loop_turn(&w->loop, 0);
}

/* ... and the pool has nothing more to do. */
void
settle(struct world *w)
{
	serve(w);
	pool_drain(w->srv.pool);
	loop_turn(&w->loop, 0);
	pool_drain(w->srv.pool);
	loop_turn(&w->loop, 0);
}

/* ---- answers ---- */

/* Take the first answer away; false: there is none. */
bool
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

void
expect(struct world *w, int id, int tag, int code)
{
	struct answer a;

	assert_true(next_answer(w, &a));
	assert_int_equal(a.id, id);
	assert_int_equal(a.tag, tag);
	assert_int_equal(a.code, code);
}

void
expect_nothing(struct world *w)
{
	assert_int_equal(w->wire.out.len, 0);
}

int
world_main(const struct CMUnitTest *tests, size_t n)
{
	int fd, failed;

	snprintf(path, sizeof(path), "/tmp/test_world.XXXXXX");
	if ((fd = mkstemp(path)) < 0)
		return 1;
	close(fd);
	registry_init();
	if (slapd_register_backend(&test_backend) != HB_OK)
		return 1;
	failed = _cmocka_run_group_tests("slapd", tests, n, NULL, NULL);
	unlink(path);
	return failed;
}
