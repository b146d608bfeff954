"""Z: limits, abandon, what slow and greedy clients get."""
import time

import ldap
import people
import pytest
from conftest import PEER, ROOTDN, SUFFIX, Server

N = 700


@pytest.fixture(scope="module")
def limited(backend):
    s = Server(backend)
    s.load(people.ldif(N))
    s.start()
    yield s
    s.clean()


def count(conn, **kw):
    """(entries received, exception or None)"""
    msgid = conn.search_ext(SUFFIX, 2, "(uid=*)", ["1.1"], **kw)
    n = 0
    while True:
        try:
            kind, data, _, _ = conn.result3(msgid, all=0)
        except ldap.LDAPError as e:
            return n, e
        if kind == ldap.RES_SEARCH_RESULT:
            return n, None
        n += len(data)


def test_Z01_default_size_limit(limited):
    n, e = count(limited.conn())
    assert n == 500 and isinstance(e, ldap.SIZELIMIT_EXCEEDED)


def test_Z02_clients_own_limit(limited):
    n, e = count(limited.conn(), sizelimit=7)
    assert n == 7 and isinstance(e, ldap.SIZELIMIT_EXCEEDED)
    n, e = count(limited.conn(), sizelimit=10000)
    assert n == 500 and isinstance(e, ldap.SIZELIMIT_EXCEEDED)
    c = limited.conn()
    assert len(c.search_ext_s(SUFFIX, 2, "(uid=user3)", sizelimit=1)) == 1


def test_Z03_rootdn_has_none(limited):
    assert count(limited.root()) == (N, None)
    n, e = count(limited.root(), sizelimit=650)
    assert n == 650 and isinstance(e, ldap.SIZELIMIT_EXCEEDED)


@pytest.mark.parametrize("line, want", [
    ("sizelimit 10", (10, 10)),
    ("sizelimit unlimited", (N, N)),
    ("sizelimit -1", (N, N)),
    ("sizelimit size.soft=5 size.hard=20", (5, 20)),
    ("sizelimit size=30", (30, 30)),
    ("limits anonymous size.soft=6 size.hard=8", (6, 8)),
    ("limits * size=unlimited", (N, N)),
    ("limits users size=3\nlimits anonymous size=4", (4, 4)),
])
def test_Z04_settings(limited, make, backend, line, want):
    s = limited
    assert s.stop() == 0
    text = s.conf_text
    try:
        s.write_conf(text + line + "\n")
        s.start()
        assert count(s.conn())[0] == want[0]
        assert count(s.conn(), sizelimit=100000)[0] == want[1]
        assert s.stop() == 0
    finally:
        s.write_conf(text)
        if s.proc is None:
            s.start()


def test_Z05_abandon(limited):
    c = limited.root()
    for _ in range(20):
        msgid = c.search(SUFFIX, 2, "(objectClass=*)")
        c.abandon(msgid)
    c.abandon(99999)
    assert c.whoami_s() == "dn:" + ROOTDN
    assert count(c) == (N, None)


def test_Z06_unbind_with_operations_running(limited):
    for _ in range(20):
        c = limited.root()
        for _ in range(10):
            c.search(SUFFIX, 2, "(objectClass=*)")
        c.unbind()
    assert count(limited.root()) == (N, None)


@pytest.mark.skipif(bool(PEER), reason="the peer has no such candidates")
def test_Z07_time_limit(make, backend):
    """A search that needs long ends by its limit, others go on."""
    s = make(backend, extra="sizelimit unlimited\n")
    s.load(people.ldif(3000))
    s.start()
    c, other = s.root(), s.conn()
    hard = "(|" + "".join(f"(description=*{i}x*{i}y*{i}z*)"
                          for i in range(2000)) + ")"
    start = time.monotonic()
    msgid = c.search_ext(SUFFIX, 2, hard, ["1.1"], timeout=1)
    assert other.whoami_s() == ""
    try:
        c.result(msgid)
        took = time.monotonic() - start
        assert took < 1.5, "no limit reached and too slow for it"
    except ldap.TIMELIMIT_EXCEEDED:
        assert time.monotonic() - start < 10


def test_Z08_idle_timeout(make, backend):
    s = make(backend, extra="idletimeout 1\n")
    s.start()
    c = s.conn()
    c.whoami_s()
    time.sleep(3.5)
    with pytest.raises(ldap.SERVER_DOWN):
        c.whoami_s()


def test_Z09_pdu_size(make, backend):
    s = make(backend, extra="sockbuf_max_incoming 10000\n"
             "sockbuf_max_incoming_auth 100000\n")
    s.load(people.ldif(3))
    s.start()
    c = s.conn()
    with pytest.raises((ldap.SERVER_DOWN, ldap.PROTOCOL_ERROR)):
        c.search_s(SUFFIX, 2, "(cn=" + "x" * 20000 + ")")
    c = s.root()
    assert c.search_s(SUFFIX, 2, "(cn=" + "x" * 20000 + ")") == []
    with pytest.raises((ldap.SERVER_DOWN, ldap.PROTOCOL_ERROR)):
        c.search_s(SUFFIX, 2, "(cn=" + "x" * 200000 + ")")
    assert s.conn().whoami_s() == ""


def test_Z10_slow_reader(limited):
    """A client that reads nothing keeps no other waiting."""
    import socket
    greedy = socket.create_connection(("127.0.0.1", limited.port))
    greedy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    base = SUFFIX.encode()
    # SearchRequest: sub, (objectClass=*), 200 times
    body = (bytes([4, len(base)]) + base + b"\x0a\x01\x02\x0a\x01\x00"
            b"\x02\x01\x00\x02\x01\x00\x01\x01\x00\x87\x0bobjectClass"
            b"\x30\x00")
    for i in range(1, 101):
        req = b"\x02\x01" + bytes([i]) + b"\x63" + bytes([len(body)]) + body
        greedy.sendall(b"\x30" + bytes([len(req)]) + req)
    time.sleep(0.5)
    for _ in range(20):
        assert len(limited.conn().search_s(SUFFIX, 2, "(uid=user5)")) == 1
    greedy.close()
    time.sleep(0.2)
    assert count(limited.root()) == (N, None)
