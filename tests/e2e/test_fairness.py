"""Clients that ask for much do not keep others waiting."""
import socket
import threading
import time

import ldap
import pytest

from conftest import BACKENDS, PATIENCE, SUFFIX, Server
from test_hostile import message, search, tlv

SCANS, PEOPLE = 6, 3000
# no index serves it, and each entry is asked two thousand times
SLOW = "(|%s)" % "".join(f"(description=*{i}x*)" for i in range(2000))


def ldif():
    yield f"dn: {SUFFIX}\nobjectClass: dcObject\nobjectClass: organization\n" \
          f"dc: {SUFFIX.split(',')[0][3:]}\no: Scans\n\n"
    for i in range(PEOPLE):
        yield f"dn: cn=p{i},{SUFFIX}\nobjectClass: person\ncn: p{i}\n" \
              f"sn: {i}\ndescription: number {i}\n\n"


@pytest.fixture(scope="module", params=BACKENDS)
def server(request):
    s = Server(request.param, extra="threads 2\nsizelimit unlimited\n"
               "timelimit unlimited\n")
    s.load("".join(ldif()))
    s.start()
    yield s
    s.clean()


def test_F01_short_work_goes_on(server):
    """Two threads, six scans: writes and reads do not wait for them."""
    ended = []

    def scan():
        conn = server.root()
        conn.set_option(ldap.OPT_NETWORK_TIMEOUT, 10 * PATIENCE)
        assert conn.search_s(SUFFIX, ldap.SCOPE_SUBTREE, SLOW) == []
        ended.append(time.monotonic())

    conn = server.root()
    start = time.monotonic()
    scans = [threading.Thread(target=scan) for _ in range(SCANS)]
    for t in scans:
        t.start()
    waits = []
    while any(t.is_alive() for t in scans):
        before = time.monotonic()
        dn = f"cn=p{len(waits) % PEOPLE},{SUFFIX}"
        conn.modify_s(dn, [(ldap.MOD_REPLACE, "sn", [b"changed"])])
        assert len(conn.search_s(SUFFIX, ldap.SCOPE_SUBTREE,
                                 "(cn=p%d)" % (len(waits) % PEOPLE))) == 1
        waits.append(time.monotonic() - before)
    for t in scans:
        t.join()
    assert len(ended) == SCANS
    took = max(ended) - start
    # the scans took long enough to tell, and nobody waited for one to end
    assert took > 0.5
    assert sorted(waits)[len(waits) // 2] < took / 50
    assert max(waits) < took / 4
    # nor did the scans wait for each other: they end together
    assert min(ended) - start > took / 2


def test_F02_pipeline(server):
    """Ten thousand searches in one write, beside one client that asks one by
    one: each of its searches waits for a few of those, not for all."""
    asked = 10000
    equal = tlv(0xa3, tlv(4, b"cn"), tlv(4, b"p7"))
    done = bytes.fromhex("65070a010004000400")
    greedy = socket.create_connection(("127.0.0.1", server.port), PATIENCE)
    ended = []

    def read():
        got, tail = 0, b""
        while got < asked:
            part = greedy.recv(1 << 20)
            assert part, "closed"
            data = tail + part
            got += data.count(done)
            tail = data[-len(done) + 1:]
        ended.append(time.monotonic())

    conn = server.root()
    reader = threading.Thread(target=read)
    reader.start()
    start = time.monotonic()
    writer = threading.Thread(target=greedy.sendall,
                              args=(message(1, search(equal)) * asked,))
    writer.start()
    waits = []
    while reader.is_alive():
        before = time.monotonic()
        assert len(conn.search_s(SUFFIX, ldap.SCOPE_SUBTREE, "(cn=p9)")) == 1
        waits.append(time.monotonic() - before)
    writer.join()
    reader.join()
    greedy.close()
    assert ended, "the answers did not come"
    took = ended[0] - start
    assert len(waits) > 10
    assert sorted(waits)[len(waits) // 2] < took / 10
    assert max(waits) < took / 2
