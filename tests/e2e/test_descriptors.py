"""More clients than file descriptors."""
import os
import resource
import socket
import time

import ldap
import pytest

from conftest import WHO_AM_I, Server, wait_until


@pytest.fixture
def server():
    s = Server("null", extra="threads 2\n", log="none").start()
    yield s
    s.clean()


def allow(s, more):
    """MORE descriptors beside those that are open."""
    pid = s.proc.pid
    n = max(int(fd) for fd in os.listdir(f"/proc/{pid}/fd")) + 1 + more
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (n, n))


def ask(s):
    """An anonymous connection that was answered; None: it was refused."""
    c = socket.create_connection(("127.0.0.1", s.port), 10)
    try:
        c.sendall(WHO_AM_I)
        if c.recv(100):
            return c
    except OSError:
        pass
    c.close()
    return None


def is_open(c):
    c.setblocking(False)
    try:
        return c.recv(1) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        c.setblocking(True)


def cpu(s):
    with open(f"/proc/{s.proc.pid}/stat") as f:
        user, system = f.read().rsplit(")", 1)[1].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def test_F03_idle_ones_make_room(server):
    root = server.root()
    allow(server, 20)
    first = [ask(server) for _ in range(20)]
    assert None not in first
    # the last descriptor is in use, but nobody waits for one
    assert "no file descriptor left" not in server.log_text()
    time.sleep(2.5)
    # those that are idle for longest go, and nobody is refused
    late = [ask(server) for _ in range(10)]
    assert None not in late, server.log_text()
    assert all(is_open(c) for c in late)
    assert sum(is_open(c) for c in first) < len(first)
    assert root.whoami_s()
    log = server.log_text()
    assert log.count("no file descriptor left") == 1
    assert "closing anonymous connections that are idle" in log
    for c in first + late:
        c.close()


def test_F04_nobody_to_close(server):
    allow(server, 10)
    mine = []
    while True:
        try:
            mine.append(server.root())
        except ldap.SERVER_DOWN:
            break
        assert len(mine) < 40
    # refused at once, not left waiting; and the server does not spin
    used = cpu(server)
    start = time.monotonic()
    assert ask(server) is None
    assert time.monotonic() - start < 5
    time.sleep(2)
    assert cpu(server) - used < 1
    assert all(c.whoami_s() for c in mine)
    mine.pop().unbind_s()
    c = wait_until(lambda: ask(server), 10)
    assert c is not None
    c.close()
    assert "refusing connections" in server.log_text()
