"""K: kill -9 during a stream of changes, again and again.

Several clients add, modify, rename and delete entries, and move the subtree
that holds them; each keeps what the server acknowledged and the one request
that was under way. The server is killed at
a random moment and started again. Then every acknowledged change must be
there, the request under way wholly or not at all, and slapcat, indexes and
names must agree.

Environment: CRASH_CYCLES (20), CRASH_SEED (printed, to repeat the choices),
CRASH_CLIENTS (4).
"""
import errno
import os
import random
import signal
import subprocess
import sys
import threading
import time

import ldap
import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "e2e"))
from conftest import (BACKENDS, SUFFIX, Server, parse_ldif,  # noqa: E402
                      wait_until)

CYCLES = int(os.environ.get("CRASH_CYCLES", "20"))
CLIENTS = int(os.environ.get("CRASH_CLIENTS", "4"))
FAULT = os.path.abspath(os.path.join(os.environ.get("top_builddir", "."),
                                     "tests", "crash", ".libs", "fault.so"))
SEED = int(os.environ.get("CRASH_SEED", str(random.randrange(1 << 30))))

# what each client begins with; its number follows
UNITS = [("client", ""), ("hold0", ",ou=client"), ("hold1", ",ou=client"),
         ("unit0", ",ou=hold0,ou=client")]
TOP = f"""dn: {SUFFIX}
objectClass: dcObject
objectClass: organization
dc: example
o: x

"""


class State:
    """What a client knows to be there: its entries, {rdn: counter}, and the
    unit that they lie in, below one of two holders."""

    def __init__(self):
        self.entries, self.unit = {}, "ou=unit0,ou=hold0"


class Client(threading.Thread):
    """One stream of changes below its own place. DOUBT is {rdn: possible
    counters, None for absent} of the request that was not answered; UNITS are
    the names that the unit may have."""

    def __init__(self, server, number, state, rnd, faults=()):
        super().__init__(daemon=True)
        self.faults = faults        # answers that leave it open
        self.server, self.number, self.rnd = server, number, rnd
        self.base = f"ou=client{number},{SUFFIX}"
        self.place, self.state = state, state.entries
        self.doubt, self.units, self.done = {}, [state.unit], 0
        self.serial = max([int(r[4:].split("-")[0]) for r in self.state] +
                          [int(state.unit[7:].split(",")[0])])
        self.error, self.failed = None, False

    def attrs(self, rdn, n):
        return {"title": [b"t%d" % n], "description": [
            b"d%d" % n, b"x" * (n % 3000 + 1)], "employeeNumber": [b"%d" % n]}

    def dn(self, rdn):
        return f"{rdn},{self.place.unit},{self.base}"

    def move(self, conn):
        """The unit and all below it, under another name, holder or both."""
        self.serial += 1
        old, holder = self.place.unit.split(",")
        how = self.rnd.randrange(3)
        rdn = f"ou=unit{self.serial}" if how != 1 else old
        to = holder if how == 0 else f"ou=hold{self.rnd.randrange(2)}"
        new = f"{rdn},{to}"
        self.units = [self.place.unit, new]
        conn.rename_s(f"{self.place.unit},{self.base}", rdn,
                      f"{to},{self.base}" if how != 0 else None, delold=1)
        self.place.unit = new
        self.units = [new]

    def one(self, conn):
        kind = self.rnd.random()
        rdn = self.rnd.choice(list(self.state)) if self.state else None
        n = self.rnd.randrange(1, 1 << 20)
        if rdn is None or kind < 0.45:
            self.serial += 1
            rdn = f"uid={self.serial}-{self.number}"
            self.doubt = {rdn: [None, n]}
            conn.add_s(self.dn(rdn), [
                ("objectClass", [b"inetOrgPerson"]), ("cn", [b"c%d" % n]),
                ("sn", [b"s"])] + list(self.attrs(rdn, n).items()))
            self.state[rdn] = n
        elif kind < 0.8:
            self.doubt = {rdn: [self.state[rdn], n]}
            conn.modify_s(self.dn(rdn), [
                (ldap.MOD_REPLACE, a, v)
                for a, v in self.attrs(rdn, n).items()])
            self.state[rdn] = n
        elif kind < 0.88:
            self.doubt = {rdn: [self.state[rdn], None]}
            conn.delete_s(self.dn(rdn))
            del self.state[rdn]
        elif kind < 0.95:
            self.serial += 1
            new = f"uid={self.serial}-{self.number}"
            old = self.state[rdn]
            self.doubt = {rdn: [old, None], new: [None, old]}
            conn.rename_s(self.dn(rdn), new, delold=1)
            self.state[new] = self.state.pop(rdn)
        else:
            self.move(conn)
        self.doubt = {}
        self.done += 1

    def run(self):
        try:
            conn = self.server.root()
            while True:
                self.one(conn)
        except (ldap.SERVER_DOWN, ldap.UNAVAILABLE, ldap.CONNECT_ERROR):
            pass
        except self.faults:
            self.failed = True
        except Exception as e:      # told by the main thread
            self.error = e


def counter_of(attrs):
    """The change an entry shows; fails if it shows two."""
    n = int(attrs["employeeNumber"][0])
    assert attrs["title"] == [b"t%d" % n], attrs
    assert attrs["description"] == [b"d%d" % n, b"x" * (n % 3000 + 1)]
    return n


def check_unit(c, dump):
    """The entries of C by RDN. Its unit, and all of them with it, is where it
    was before or where it was to go."""
    units = [dn[:-len(c.base) - 1] for dn in dump if dn.startswith("ou=unit")
             and dn.endswith("," + c.base)]
    assert len(units) == 1 and units[0] in c.units, (units, c.units)
    c.place.unit = units[0]
    mine = {dn: e for dn, e in dump.items()
            if dn.startswith("uid=") and dn.endswith("," + c.base)}
    for dn in mine:
        assert dn.split(",", 1)[1] == f"{units[0]},{c.base}", (dn, c.units)
    return {dn.split(",")[0]: e for dn, e in mine.items()}


def check(server, clients):
    conn = server.root()
    dump = parse_ldif(server.tool("cat").stdout)
    served = dict(conn.search_s(SUFFIX, 2, "(objectClass=*)", ["*", "+"]))
    assert dump.keys() == served.keys()
    for dn, e in dump.items():
        for a, v in e.items():
            assert served[dn][a] == v, (dn, a)
    for c in clients:
        mine = check_unit(c, dump)
        seen = {}
        for rdn, e in mine.items():
            seen[rdn] = counter_of(e)
        for rdn, n in c.state.items():
            if rdn not in c.doubt:
                assert seen.get(rdn) == n, f"{rdn} acknowledged {n}, " \
                    f"is {seen.get(rdn)}"
        for rdn, possible in c.doubt.items():
            assert seen.get(rdn) in possible, (rdn, seen.get(rdn), possible)
        if len(c.doubt) == 2:       # a rename: under one name, not both
            assert len([r for r in c.doubt if r in seen]) == 1, c.doubt
        assert set(seen) <= set(c.state) | set(c.doubt)
        c.state.clear()
        c.state.update(seen)
        # names: each scope finds the same
        unit = f"{c.place.unit},{c.base}"
        one = [dn.split(",")[0] for dn, _ in
               conn.search_s(unit, 1, attrlist=["1.1"])]
        assert sorted(one) == sorted(seen)
        for rdn in list(seen)[:50]:
            assert conn.search_s(c.dn(rdn), 0)
        # indexes: an indexed filter finds what is there, and no more
        for rdn, n in list(seen.items())[-50:]:
            uid = rdn[4:]
            for filt in (f"(uid={uid})", f"(&(title=t{n})(uid={uid}))",
                         f"(&(title=*t{n}*)(uid={uid}))"):
                got = [dn for dn, _ in conn.search_s(SUFFIX, 2, filt,
                                                     ["1.1"])]
                assert got == [c.dn(rdn)], (filt, got)
        got = [dn for dn, _ in conn.search_s(c.base, 2, "(title=t*)",
                                             ["1.1"])]
        assert len(got) == len(seen)
    for rdn in [r for c in clients for r, p in c.doubt.items()]:
        conn.search_s(SUFFIX, 2, f"({rdn})")
    conn.unbind_s()


def loaded(backend, **more):
    s = Server(backend, extra="sizelimit unlimited\n",
               extra_db="index title pres,eq,sub\n", **more)
    fill_top(s)
    return s


def fill_top(s):
    s.load(TOP + "".join(
        f"dn: ou={rdn}{below}{i},{SUFFIX}\n"
        f"objectClass: organizationalUnit\nou: {rdn}{i if not below else ''}"
        f"\n\n" for i in range(CLIENTS) for rdn, below in UNITS))


def kill(s):
    os.kill(s.proc.pid, signal.SIGKILL)
    s.proc.wait()
    s.proc = None


def joined(clients, cycle):
    """Changes that were acknowledged before all of them ended."""
    for c in clients:
        c.join(30)
        assert not c.is_alive()
        assert c.error is None, f"cycle {cycle}: {c.error!r}"
    return sum(c.done for c in clients)


def check_files(server):
    """Every page, name and index key, by slapcheck. Of a server that was
    killed it is slapcheck that recovers."""
    p = server.tool("check", check=False)
    assert (p.returncode, p.stdout) == (0, ""), p.stdout + p.stderr


@pytest.mark.parametrize("backend", BACKENDS)
def test_K01_kill(backend):
    print(f"CRASH_SEED={SEED}")
    rnd = random.Random(SEED)
    s = loaded(backend)
    states = [State() for _ in range(CLIENTS)]
    total = 0
    s.start()
    for cycle in range(CYCLES):
        clients = [Client(s, i, states[i], random.Random(rnd.random()))
                   for i in range(CLIENTS)]
        for c in clients:
            c.start()
        time.sleep(rnd.uniform(0.05, 0.8))
        kill(s)
        total += joined(clients, cycle)
        if cycle % 2 == 0:
            check_files(s)
        s.start()
        check(s, clients)
        if cycle % 2 == 1:
            assert s.stop() == 0
            check_files(s)
            s.start()
    print(f"{CYCLES} cycles, {total} acknowledged changes")
    assert total > CYCLES
    s.clean()


class Disk:
    """The disk below a server's database, which fails on demand (fault.c)."""

    def __init__(self, server):
        self.control = os.path.join(server.dir, "fault")
        with open(self.control, "w") as f:
            f.write("0")
        self.env = {"LD_PRELOAD": FAULT, "FAULT_CONTROL": self.control,
                    "FAULT_DIR": server.db_dir(0)}

    def start(self, server):
        os.environ.update(self.env)
        try:
            server.start()
        finally:
            del os.environ["LD_PRELOAD"]
        with open(f"/proc/{server.proc.pid}/maps") as f:
            assert FAULT in f.read()

    def fails(self, how):
        with open(self.control, "r+") as f:
            f.write(how)


# how it fails, and whether the server goes on when it does not any more
FAULTS = [("w", True), ("f", True), ("h", True), ("s", False)]
OPEN = (ldap.OTHER, ldap.UNWILLING_TO_PERFORM)


@pytest.mark.parametrize("backend", BACKENDS)
def test_K02_disk_fails(backend):
    """Writes and syncs fail for a time, then slapd is killed."""
    print(f"CRASH_SEED={SEED}")
    rnd = random.Random(SEED)
    s = loaded(backend, log="none")
    disk = Disk(s)
    states = [State() for _ in range(CLIENTS)]
    total = 0

    def run(faults=()):
        some = [Client(s, i, states[i], random.Random(rnd.random()), faults)
                for i in range(CLIENTS)]
        for c in some:
            c.start()
        time.sleep(rnd.uniform(0.05, 0.4))
        return some

    disk.start(s)
    for cycle in range(max(CYCLES // 2, len(FAULTS))):
        how, goes_on = FAULTS[cycle % len(FAULTS)]
        clients = run(OPEN)
        disk.fails(how)
        total += joined(clients, cycle)
        assert all(c.failed for c in clients)
        disk.fails("0")
        if goes_on:
            wait_until(lambda: can_write(s), 10, 0.1)
            check(s, clients)
            clients = run()
        else:
            with pytest.raises(ldap.OTHER, match="started again"):
                s.root().modify_s(SUFFIX, [(ldap.MOD_REPLACE, "o", [b"x"])])
            assert s.root().search_s(SUFFIX, 0)
        kill(s)
        if goes_on:
            total += joined(clients, cycle)
        check_files(s)
        disk.start(s)
        check(s, clients)
    print(f"{cycle + 1} cycles, {total} acknowledged changes")
    assert total > cycle
    s.clean()


@pytest.mark.skipif(os.geteuid() != 0, reason="root mounts a small disk")
@pytest.mark.parametrize("backend", BACKENDS)
def test_K03_disk_full(backend):
    """A real file system runs full below the server, and has room again."""
    print(f"CRASH_SEED={SEED}")
    rnd = random.Random(SEED)
    s = Server(backend, extra="sizelimit unlimited\n",
               extra_db="index title pres,eq,sub\ncheckpoint 2048 1\n",
               log="none")
    os.makedirs(s.db_dir(0), exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256m", "tmpfs",
                    s.db_dir(0)], check=True)
    filler = os.path.join(s.db_dir(0), "filler")
    try:
        fill_top(s)
        states = [State() for _ in range(CLIENTS)]
        s.start()
        for left in (20 << 20, 0, 1 << 20, 0):
            clients = [Client(s, i, states[i], random.Random(rnd.random()),
                              OPEN) for i in range(CLIENTS)]
            for c in clients:
                c.start()
            time.sleep(0.2)
            take_room(filler, left)
            joined(clients, left)
            assert all(c.failed for c in clients)
            assert s.root().search_s(SUFFIX, 2, "(objectClass=*)", ["1.1"])
            os.unlink(filler)
            wait_until(lambda: can_write(s), 20, 0.2)
            check(s, clients)
            assert "there is space again" in s.log_text()
            kill(s)
            check_files(s)
            s.start()
            check(s, clients)
        s.stop()
    finally:
        subprocess.run(["umount", "-l", s.db_dir(0)], check=True)
    s.clean()


def take_room(path, left):
    """All room but LEFT octets, while others take some as well."""
    with open(path, "wb") as f:
        while True:
            st = os.statvfs(path)
            try:
                os.posix_fallocate(f.fileno(), os.fstat(f.fileno()).st_size,
                                   max(st.f_bavail * st.f_bsize - left, 4096))
                return
            except OSError as e:
                if e.errno != errno.ENOSPC:
                    raise
                if left == 0 and os.statvfs(path).f_bavail == 0:
                    return


def can_write(s):
    try:
        s.root().modify_s(SUFFIX, [(ldap.MOD_REPLACE, "o", [b"y"])])
    except OPEN:
        return False
    return True
