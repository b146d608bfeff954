/*
 * Connections over a transport in memory: framing, order, hand-over to the
 * pool, disconnection, timers, back-pressure.
 */
#include "world.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

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

/* Nobody is answered ahead of a bind that the pool runs. */
static void
test_bind_in_pool(void **state)
{
	struct world *w = *state;

	defers = true;
	put_bind(&w->wire.in, 1, ANN, "secret");
	put_search(&w->wire.in, 2, "");
	settle(w);
	settle(w);
	expect(w, 1, LDAP_TAG_BIND_RESPONSE, LDAP_SUCCESS);
	expect(w, 2, LDAP_TAG_SEARCH_ENTRY, -1);
	expect(w, 2, LDAP_TAG_SEARCH_DONE, LDAP_SUCCESS);

	atomic_store(&w->wire.pool_busy, 0);
	put_bind(&w->wire.in, 3, ANN, "secret");
	settle(w);
	expect(w, 3, LDAP_TAG_BIND_RESPONSE, LDAP_SUCCESS);
	assert_int_equal(atomic_load(&w->wire.pool_busy), 1);
	assert_int_equal(atomic_load(&w->c->nops), 0);
}

/* A peer that is gone is let go although a request waits. */
static void
test_lost_while_held(void **state)
{
	struct world *w = *state;

	defers = true;
	gated = true;
	put_search(&w->wire.in, 1, "");
	put_bind(&w->wire.in, 2, ANN, "secret");
	serve(w);
	assert_true(w->c->held);
	conn_out_kill(w->c);		/* a write of the pool has failed */
	conn_ready(&w->c->ev, &w->loop, EPOLLIN | EPOLLHUP);
	assert_true(w->c->is_closed);
	sem_post(&gate);
	pool_drain(w->srv.pool);
	assert_int_equal(atomic_load(&stopped), 1);
}

/* Turns of the loop until the idle timer has looked again. */
static void
sweep(struct world *w)
{
	w->loop.last_sweep = 0;
	loop_turn(&w->loop, 0);
}

static void
test_idle(void **state)
{
	struct world *w = *state;

	w->conf->idletimeout = 60;
	sweep(w);
	assert_false(w->c->is_closed);
	atomic_store(&w->c->last_used, w->loop.now / 1000000 - 61);
	sweep(w);
	assert_true(w->c->is_closed);
	assert_string_equal(w->c->reason, "idletimeout");
}

/* Who waited for a long operation, or reads slowly, is not idle. */
static void
test_not_idle(void **state)
{
	struct world *w = *state;

	w->conf->idletimeout = 60;
	defers = true;
	gated = true;
	put_search(&w->wire.in, 1, "");
	serve(w);
	atomic_store(&w->c->last_used, w->loop.now / 1000000 - 61);
	sweep(w);
	assert_false(w->c->is_closed);
	sem_post(&gate);
	pool_drain(w->srv.pool);
	sweep(w);
	assert_false(w->c->is_closed);

	defers = false;
	w->wire.room = 1;
	put_search(&w->wire.in, 2, "");
	serve(w);
	atomic_store(&w->c->last_used, w->loop.now / 1000000 - 61);
	w->wire.room = 1;
	conn_ready(&w->c->ev, &w->loop, EPOLLOUT);
	sweep(w);
	assert_false(w->c->is_closed);
	atomic_store(&w->c->last_used, w->loop.now / 1000000 - 61);
	sweep(w);
	assert_string_equal(w->c->reason, "idletimeout");
}

static void
test_write_timeout(void **state)
{
	struct world *w = *state;

	w->conf->writetimeout = 60;
	w->wire.room = 1;
	put_search(&w->wire.in, 1, "");
	serve(w);
	sweep(w);
	assert_false(w->c->is_closed);
	atomic_store(&w->c->blocked_since, w->loop.now / 1000000 - 61);
	sweep(w);
	assert_string_equal(w->c->reason, "writetimeout");
}

/* The end of the loop lets go of those whose turn was to come. */
static void
test_end_while_ready(void **state)
{
	struct world *w = *state;

	for (int i = 1; i <= CONN_TURN_MAX + 10; i++)
		put_search(&w->wire.in, i, "1.1");
	conn_ready(&w->c->ev, &w->loop, EPOLLIN);
	assert_true(w->c->is_ready);
	loop_fini(&w->loop);
	assert_int_equal(atomic_load(&w->c->refs), 1);
	conn_unref(w->c);
	assert_true(w->wire.is_closed);

	assert_int_equal(loop_init(&w->loop, &w->srv, 0, NULL), HB_OK);
	buf_fini(&w->wire.in);
	buf_fini(&w->wire.out);
	connect_client(w);
}

/* ---- one turn with several events, over a pair of sockets ---- */

static bool was_freed, freed_in_turn;

static void
pair_close(struct conn *c)
{
	was_freed = true;
	transport_socket.close(c);
}

static void
probe_ready(struct ev *ev, struct loop *l, uint32_t events)
{
	(void)ev;
	(void)l;
	(void)events;
	freed_in_turn = was_freed;
}

/*
 * A connection that one event of a turn closes stays in memory for the others
 * of the same turn.
 */
static void
test_closed_in_turn(void **state)
{
	struct world *w = *state;
	struct transport pair = transport_socket;
	struct ev probe = { probe_ready };
	struct buf out;
	struct conn *c;
	int fds[2], fd = eventfd(1, EFD_CLOEXEC);

	pair.close = pair_close;
	was_freed = freed_in_turn = false;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	c = conn_new(&w->loop, fds[0], &pair, NULL, "IP=192.0.2.2:1000",
	    SLICE("IP=0.0.0.0:389"), SLICE("ldap:///"));
	loop_watch(&w->loop, fds[0], &c->ev, EPOLLIN);
	defers = true;
	gated = true;
	buf_init(&out);
	put_search(&out, 1, "");
	put_bind(&out, 2, ANN, "secret");
	put_unbind(&out, 3);
	assert_int_equal(write(fds[1], out.data, out.len), out.len);
	buf_fini(&out);
	loop_turn(&w->loop, 0);
	assert_true(c->held);
	/* epoll finds C not ready and forgets it: the next event is behind others */
	loop_turn(&w->loop, 0);
	sem_post(&gate);
	pool_drain(w->srv.pool);
	defers = false;
	/* ready now, in this order: the end of the search, the peer's, the probe */
	close(fds[1]);
	loop_watch(&w->loop, fd, &probe, EPOLLIN);
	loop_turn(&w->loop, 0);
	assert_false(freed_in_turn);
	assert_true(was_freed);
	loop_unwatch(&w->loop, fd);
	close(fd);
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

#define T(name)	cmocka_unit_test_setup_teardown(name, world_open, world_close)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_one_write), T(test_octet_by_octet), T(test_malformed),
		T(test_defer), T(test_bind_order), T(test_bind_resets),
		T(test_abandon), T(test_unbind), T(test_lost),
		T(test_bind_in_pool), T(test_lost_while_held), T(test_idle),
		T(test_not_idle), T(test_write_timeout),
		T(test_end_while_ready), T(test_closed_in_turn),
		T(test_back_pressure),
	};

	return world_main(tests, sizeof(tests) / sizeof(*tests));
}
