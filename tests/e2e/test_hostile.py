"""H: what no client should send."""
import random
import resource
import socket
import struct
import time

import ldap
import people
import pytest
from conftest import PEER, SUFFIX, Server, wait_until

WHOAMI = bytes.fromhex("301e02010177" "198017") + b"1.3.6.1.4.1.4203.1.11.3"


def length(n):
    if n < 128:
        return bytes([n])
    raw = n.to_bytes(8, "big").lstrip(b"\0")
    return bytes([0x80 | len(raw)]) + raw


def tlv(tag, *parts):
    body = b"".join(parts)
    return bytes([tag]) + length(len(body)) + body


def message(msgid, op):
    return tlv(0x30, tlv(2, bytes([msgid])), op)


def search(filt, base=SUFFIX):
    return tlv(0x63, tlv(4, base.encode()), tlv(10, b"\2"), tlv(10, b"\0"),
               tlv(2, b"\0"), tlv(2, b"\0"), tlv(1, b"\0"), filt, tlv(0x30))


WHOAMI = message(1, tlv(0x77, tlv(0x80, b"1.3.6.1.4.1.4203.1.11.3")))
PRESENT = tlv(0x87, b"objectClass")


@pytest.fixture(scope="module")
def target(backend):
    s = Server(backend, log="0")
    s.load(people.ldif(50))
    s.start()
    yield s
    s.clean()


def talk(server, data, wait=5.0):
    """Send DATA; what comes back until the server closes or is silent."""
    s = socket.create_connection(("127.0.0.1", server.port), 20)
    got = b""
    try:
        s.sendall(data)
        s.settimeout(wait)
        while True:
            part = s.recv(65536)
            if not part:
                return got, True
            got += part
    except socket.timeout:
        return got, False
    except (ConnectionResetError, BrokenPipeError):
        return got, True
    finally:
        s.close()


def is_well(server):
    assert server.proc.poll() is None, server.log_text()[-3000:]
    c = server.root()
    assert len(c.search_s(SUFFIX, 2, "(uid=user7)")) == 1
    c.unbind_s()


def test_H01_garbage(target):
    rnd = random.Random(99)
    for _ in range(30):
        talk(target, rnd.randbytes(rnd.randrange(1, 3000)), 0.05)
    # a million bytes in one go
    got, closed = talk(target, rnd.randbytes(1000000))
    assert closed
    is_well(target)


def test_H02_notice_of_disconnection(target):
    for data in (b"GET / HTTP/1.0\r\n" + b"X: y\r\n" * 20, b"\x30\x03\x01\x01\x00",
                 message(0, tlv(0x63)), message(5, tlv(0x7e, b"x"))):
        got, closed = talk(target, data)
        assert closed, data
        if got:
            assert b"1.3.6.1.4.1.1466.20036" in got or b"\x0a\x01\x02" in got
    is_well(target)


def test_H03_truncated(target):
    whole = message(1, search(PRESENT))
    for n in range(1, len(whole)):
        s = socket.create_connection(("127.0.0.1", target.port))
        s.sendall(whole[:n])
        s.close()
    is_well(target)


def test_H04_every_byte_at_a_time(target):
    whole = message(1, search(PRESENT))
    s = socket.create_connection(("127.0.0.1", target.port), 20)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for i in range(len(whole)):
        s.sendall(whole[i:i + 1])
    s.settimeout(10)
    got = b""
    while b"\x65\x07\x0a\x01\x00" not in got:
        part = s.recv(65536)
        assert part
        got += part
    s.close()


def test_H05_damaged(target):
    """One byte of a good request changed, at each place."""
    rnd = random.Random(5)
    add = message(2, tlv(0x68, tlv(4, f"cn=h,{SUFFIX}".encode()), tlv(
        0x30, tlv(0x30, tlv(4, b"objectClass"), tlv(0x31, tlv(4, b"top"))))))
    for whole in (message(1, search(tlv(0xa0, PRESENT, tlv(
            0xa4, tlv(4, b"cn"), tlv(0x30, tlv(0x80, b"a"), tlv(0x82, b"b")))
            ))), add, WHOAMI):
        for i in range(len(whole)):
            bad = bytearray(whole)
            bad[i] = (bad[i] + rnd.randrange(1, 256)) % 256
            talk(target, bytes(bad), 0.005)
    is_well(target)


@pytest.mark.parametrize("tag", [0xa0, 0xa1, 0xa2])
def test_H06_nested_filter(target, tag):
    filt = PRESENT
    for _ in range(10000):
        filt = tlv(tag, filt)
    got, closed = talk(target, message(1, search(filt)) + WHOAMI, 3)
    # refused, one way or another
    assert closed or b"\x65" in got
    assert b"\x64" not in got[:20]
    is_well(target)


def test_H07_length_of_200_mb(target):
    before = target.memory_kib()
    socks = []
    for _ in range(20):
        s = socket.create_connection(("127.0.0.1", target.port))
        s.sendall(b"\x30\x84" + struct.pack(">I", 200 << 20) + b"\x02\x01\x01")
        socks.append(s)
    time.sleep(0.3)
    assert target.memory_kib() - before < 50000
    is_well(target)
    for s in socks:
        s.close()
    got, closed = talk(target, b"\x30\x84" + struct.pack(">I", 200 << 20) +
                       b"\x02\x01\x01")
    assert closed
    for bad in (b"\x30\x80\x02\x01\x01", b"\x30\x85\x01\x00\x00\x00\x00",
                b"\x30\x88" + b"\xff" * 8, b"\x30\xff"):
        talk(target, bad, 0.2)
    is_well(target)


def test_H08_idle_connections(target):
    want = 5000
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with open(f"/proc/{target.proc.pid}/limits") as f:
        theirs = int(next(line for line in f if line.startswith(
            "Max open files")).split()[3])
    if hard < want + 200 or theirs < want + 200:
        pytest.skip(f"at most {min(hard, theirs)} open files here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, want + 200), hard))
    is_well(target)
    before = target.memory_kib()
    socks = []
    for _ in range(want):
        socks.append(socket.create_connection(("127.0.0.1", target.port), 20))
    for s in socks[::100]:
        s.sendall(WHOAMI)
        s.settimeout(20)
        assert b"\x0a\x01\x00" in s.recv(100)
    is_well(target)
    full = target.memory_kib()
    if not PEER:
        assert (full - before) / want < 4, f"{full - before} KiB"
    for s in socks:
        s.close()
    is_well(target)
    # gone, or kept for the next 5,000: once more must not grow it
    assert wait_until(lambda: target.memory_kib() < before + 20000, 10), \
        f"{before} KiB before, {full} with them, {target.memory_kib()} after"


def test_H09_memory_returns(target):
    def abuse():
        rnd = random.Random(1)
        for _ in range(20):
            talk(target, rnd.randbytes(100000), 0.05)
        big = message(1, search(tlv(0xa1, *[tlv(0xa3, tlv(4, b"cn"), tlv(
            4, b"x" * 50))] * 3000)))
        for _ in range(10):
            talk(target, big, 0.3)

    abuse()
    before = target.memory_kib()
    for _ in range(3):
        abuse()
    assert wait_until(lambda: target.memory_kib() < before + 10000, 10), \
        f"{before} KiB before, {target.memory_kib()} after"
    is_well(target)


def test_H10_long_names(target):
    c = target.root()
    long = ",".join(["ou=x" * 50] * 400) + "," + SUFFIX
    with pytest.raises(ldap.LDAPError):
        c.search_s(long, 0)
    with pytest.raises(ldap.LDAPError):
        target.conn("cn=" + "y" * 100000 + "," + SUFFIX, "pw")
    deep = "ou=a," * 3000 + SUFFIX
    with pytest.raises(ldap.LDAPError):
        target.conn().search_s(deep, 0)
    is_well(target)


def test_H11_many_requests_in_one_write(target):
    n = 90
    data = b"".join(message(1 + i, search(PRESENT)) for i in range(n))
    s = socket.create_connection(("127.0.0.1", target.port), 20)
    s.settimeout(30)
    s.sendall(data)
    got = b""
    while got.count(b"\x65\x07\x0a\x01\x00\x04\x00\x04\x00") < n:
        part = s.recv(1 << 20)
        assert part, "closed"
        got += part
    s.close()
    is_well(target)


def test_H12_unbind_mid_way(target):
    for _ in range(50):
        s = socket.create_connection(("127.0.0.1", target.port))
        s.sendall(message(1, search(PRESENT)) * 5 + message(2, tlv(0x42)) +
                  message(3, search(PRESENT)))
        s.close()
    is_well(target)
