"""P: slapcheck, slapbackup, slaprestore; slapcat of one state."""
import contextlib
import os
import random
import shutil
import signal
import subprocess
import threading
import time

import ldap
import people
import pytest
from conftest import (PEER, SLAPD, SUFFIX, Database, parse_ldif, person,
                      wait_until)

pytestmark = pytest.mark.skipif(PEER is not None, reason="ours alone")

WRITERS = 4


@contextlib.contextmanager
def root(server):
    conn = server.root()
    yield conn
    conn.unbind_s()


class Writer(threading.Thread):
    """Adds 0, 1, 2, ... below its own unit, each changed once, one after the
    other: what a state has of them is the beginning of the row."""

    def __init__(self, server, number, limit=None):
        super().__init__(daemon=True)
        self.server, self.limit = server, limit
        self.base = f"ou=writer{number},{SUFFIX}"
        self.acked, self.stop, self.error = 0, False, None
        with root(server) as conn:
            conn.add_s(self.base, [("objectClass", [b"organizationalUnit"])])

    def run(self):
        try:
            conn = self.server.root()
            while not self.stop and self.acked != self.limit:
                n = self.acked
                dn = f"cn={n},{self.base}"
                conn.add_s(dn, person(str(n), title="new",
                                      description="x" * (n % 700 + 1)))
                conn.modify_s(dn, [(ldap.MOD_REPLACE, "title", [b"%d" % n]),
                                   (ldap.MOD_REPLACE, "employeeNumber",
                                    [b"%d" % n])])
                self.acked = n + 1
        except Exception as e:      # told by the main thread
            self.error = e

    def end(self):
        self.stop = True
        self.join(60)
        assert self.error is None, repr(self.error)


def writers(server, n=WRITERS, limit=None):
    all_ = [Writer(server, i, limit) for i in range(n)]
    for w in all_:
        w.start()
    return all_


def check_state(dump, ws, before):
    """DUMP has all that was acknowledged BEFORE, and for each writer the
    beginning of its row, the last one perhaps not changed yet."""
    for w, least in zip(ws, before):
        mine = {int(dn[3:dn.index(",")]): e for dn, e in dump.items()
                if dn.endswith("," + w.base)}
        assert sorted(mine) == list(range(len(mine))), w.base
        assert len(mine) >= least, (w.base, len(mine), least)
        for n, e in mine.items():
            if e["title"] == [b"new"]:
                assert n == len(mine) - 1 and "employeeNumber" not in e
            else:
                assert e["title"] == e["employeeNumber"] == [b"%d" % n]
            assert e["description"] == [b"x" * (n % 700 + 1)]


def dump_of(server, *args):
    return parse_ldif(server.tool("cat", *args).stdout)


def is_clean(server):
    p = server.tool("check", check=False)
    assert (p.returncode, p.stdout) == (0, ""), p.stdout + p.stderr


@pytest.fixture
def loaded(make, backend):
    s = make(backend, extra="sizelimit unlimited\n")
    s.load(people.ldif(60))
    return s


def backup_dir(server, name="backup"):
    return os.path.join(server.dir, name)


def flip(path, page, at, size=4096):
    with open(path, "r+b") as f:
        f.seek(page * size + at)
        byte = f.read(1)[0]
        f.seek(page * size + at)
        f.write(bytes([byte ^ 1]))


# slapcheck

def test_P01_clean(loaded):
    s = loaded
    is_clean(s)
    s.start()
    ws = writers(s, limit=40)
    for w in ws:
        w.join(60)
        w.end()
    with root(s) as c:
        c.rename_s(ws[0].base, "ou=moved", newsuperior=ws[1].base)
        c.delete_s(f"cn=3,{ws[2].base}")
        c.delete_s(f"cn=39,{ws[2].base}")
    # beside slapd it is refused, and says who is there
    p = s.tool("check", check=False)
    assert p.returncode == 2 and str(s.proc.pid) in p.stderr
    assert s.stop() == 0
    is_clean(s)
    s.start()
    s.stop(signal.SIGKILL)
    is_clean(s)                     # after recovery


def test_P02_nothing_there(make, backend):
    p = make(backend).tool("check", check=False)
    assert p.returncode == 2 and "no database" in p.stderr


def test_P03_repair(loaded):
    s = loaded
    before = s.tool("cat").stdout
    flip(os.path.join(s.db_dir(), "cn.bdb"), 1, 2000)
    p = s.tool("check", check=False)
    assert p.returncode == 1
    assert p.stdout.startswith("cn.bdb: page 1: "), p.stdout
    assert "slapcheck -r" in p.stderr
    assert s.tool("check", "-r").returncode == 0
    is_clean(s)
    assert s.tool("cat").stdout == before
    s.start()
    with root(s) as c:
        for base, scope, filt in people.queries(60, 40):
            c.search_s(base, scope, filt)
        assert c.search_s(SUFFIX, 2, "(cn=*)")


def test_P04_damaged_entries(loaded):
    s = loaded
    path = os.path.join(s.db_dir(), "id2entry.bdb")
    flip(path, 1, 9000, 16384)
    with open(path, "rb") as f:
        damaged = f.read()
    for args in ([], ["-r"], ["-o", "repair"]):
        p = s.tool("check", *args, check=False)
        assert p.returncode == 1
        assert "id2entry.bdb: page 1: " in p.stdout
        assert "slaprestore" in p.stderr and "slapcat -c" in p.stderr
    with open(path, "rb") as f:
        assert f.read() == damaged


# slapbackup and slaprestore

def test_P05_under_load(loaded, make, backend):
    s = loaded.start()
    ws = writers(s)
    wait_until(lambda: all(w.acked > 5 for w in ws))
    before = [w.acked for w in ws]
    p = s.tool("backup", "-v", backup_dir(s))
    after = [w.acked for w in ws]
    for w in ws:
        w.end()
    assert all(a > b for a, b in zip(after, before)), "nobody wrote"
    assert not os.path.exists(backup_dir(s) + ".part")
    to = make(backend)
    p = to.tool("restore", backup_dir(s))
    dump = dump_of(to)
    assert f"{len(dump)} entries" in p.stderr
    check_state(dump, ws, before)
    is_clean(to)
    # it is a database like any other
    to.start()
    with root(to) as c:
        served = dict(c.search_s(SUFFIX, 2, "(objectClass=*)", ["*", "+"]))
        assert served.keys() == dump.keys()
        c.add_s(f"ou=new,{SUFFIX}", [("objectClass",
                                      [b"organizationalUnit"])])
    assert to.stop() == 0
    is_clean(to)
    assert s.stop() == 0
    is_clean(s)


def test_P06_offline(loaded, make, backend):
    s = loaded
    before = s.tool("cat").stdout
    s.tool("backup", backup_dir(s))
    with open(os.path.join(backup_dir(s), "backup.txt")) as f:
        text = f.read()
    assert f"suffix: {SUFFIX}\n" in text and f"backend: {backend}\n" in text
    assert "verified: yes\n" in text and text.endswith("end\n")
    to = make(backend)
    p = to.tool("restore", backup_dir(s))
    assert "before-restore" not in p.stderr
    assert to.tool("cat").stdout == before
    # a killed server's database is recovered first
    s.start()
    with root(s) as c:
        c.add_s(f"ou=new,{SUFFIX}", [("objectClass",
                                      [b"organizationalUnit"])])
    s.stop(signal.SIGKILL)
    s.tool("backup", backup_dir(s, "second"))
    to.tool("restore", backup_dir(s, "second"))
    assert f"ou=new,{SUFFIX}" in dump_of(to)
    # a folder that is there is not touched
    p = s.tool("backup", backup_dir(s), check=False)
    assert p.returncode == 1 and "there already" in p.stderr


def test_P07_default_name(loaded):
    s = loaded
    p = subprocess.run([SLAPD, "-Tbackup", "-q", "-f", s.conf], cwd=s.dir)
    assert p.returncode == 0
    names = [n for n in os.listdir(s.dir) if n.startswith("slapbackup-")]
    assert len(names) == 1
    assert os.stat(os.path.join(s.dir, names[0])).st_mode & 0o77 == 0


def next_second():
    """A moment with a second of its own on either side."""
    time.sleep(1.1 - time.time() % 1)
    now = time.time()
    time.sleep(1.1)
    return time.strftime("%Y%m%d%H%M%SZ", time.gmtime(now))


def test_P08_until(loaded, make, backend):
    s = loaded.start()
    with root(s) as c:
        def add(name):
            c.add_s(f"ou={name},{SUFFIX}", [("objectClass",
                                             [b"organizationalUnit"])])

        def units(server):
            return sorted(dn[3:dn.index(",")] for dn in dump_of(server)
                          if dn.startswith("ou=t"))
        too_early = next_second()
        add("t0")
        s.tool("backup", "-o", "keep-logs", backup_dir(s))
        add("t1")
        first = next_second()
        add("t2")
        c.delete_s(f"ou=t0,{SUFFIX}")
        s.tool("backup", "-o", "logs", backup_dir(s))
        second = next_second()
        add("t3")
        s.tool("backup", "-o", "logs", backup_dir(s))
        add("t4")
    assert s.stop() == 0
    to, third = make(backend), make(backend)
    for n, (until, want) in enumerate((
            (None, ["t1", "t2", "t3"]), (first, ["t0", "t1"]),
            (second, ["t1", "t2"]))):
        args = [] if until is None else ["-o", f"until={until}"]
        p = to.tool("restore", *args, backup_dir(s))
        assert units(to) == want
        assert until is None or until in p.stderr
        is_clean(to)
        # what was restored is written, backed up and restored in its turn
        to.start()
        with root(to) as c:
            c.delete_s(f"ou=t1,{SUFFIX}")
            to.tool("backup", backup_dir(to, str(n)))
        assert to.stop() == 0
        third.tool("restore", backup_dir(to, str(n)))
        assert units(third) == [u for u in want if u != "t1"]
    # from logs that were not copied: those of the database itself
    p = to.tool("restore", "-o", f"logs={s.db_dir()}", backup_dir(s))
    assert units(to) == ["t1", "t2", "t3", "t4"]
    p = to.tool("restore", "-o", f"until={too_early}", backup_dir(s),
                check=False)
    assert p.returncode == 1 and "older backup" in p.stderr
    p = to.tool("restore", "-o", "until=yesterday", backup_dir(s),
                check=False)
    assert p.returncode == 1
    # a restored database is another one: its log continues no old backup
    p = to.tool("backup", "-o", "logs", backup_dir(s), check=False)
    assert p.returncode == 1 and "new backup" in p.stderr


def test_P09_lineage(loaded):
    """What is loaded without a log is in no log."""
    s = loaded
    s.tool("backup", "-o", "keep-logs", backup_dir(s))
    s.tool("backup", "-o", "logs", backup_dir(s))
    s.load(f"dn: ou=quick,{SUFFIX}\nobjectClass: organizationalUnit\n"
           "ou: quick\n", "-q")
    p = s.tool("backup", "-o", "logs", backup_dir(s), check=False)
    assert p.returncode == 1 and "new backup" in p.stderr


def test_P10_killed(loaded, make, backend):
    """kill -9 at any moment: no backup, and slapd goes on."""
    s = loaded.start()
    ws = writers(s, 2)
    rnd = random.Random(10)
    for i in range(20):
        p = subprocess.Popen([SLAPD, "-Tbackup", "-f", s.conf,
                              backup_dir(s)], stderr=subprocess.DEVNULL)
        time.sleep(rnd.uniform(0.005, 0.25))
        p.kill()
        if p.wait() == 0:           # too late
            shutil.rmtree(backup_dir(s))
        assert not os.path.exists(backup_dir(s))
        before = [w.acked for w in ws]
        assert wait_until(lambda: all(w.acked > b + 2 or w.error
                                      for w, b in zip(ws, before)))
    before = [w.acked for w in ws]
    s.tool("backup", backup_dir(s))
    assert not os.path.exists(backup_dir(s) + ".part")
    for w in ws:
        w.end()
    to = make(backend)
    to.tool("restore", backup_dir(s))
    check_state(dump_of(to), ws, before)
    # the part that a kill leaves is no backup
    os.rename(os.path.join(backup_dir(s), "backup.txt"),
              os.path.join(backup_dir(s), "backup.old"))
    p = to.tool("restore", backup_dir(s), check=False)
    assert p.returncode == 1 and "not a backup" in p.stderr
    assert s.stop() == 0
    is_clean(s)


def test_P11_wrong_target(loaded, make, backend):
    s = loaded
    s.tool("backup", backup_dir(s))
    before = s.tool("cat").stdout

    def refused(server, word, folder=None):
        p = server.tool("restore", folder or backup_dir(s), check=False)
        assert p.returncode == 1 and word in p.stderr, p.stderr

    refused(make(databases=[Database(backend, "dc=other")]), SUFFIX)
    refused(make({"hdb": "bdb", "bdb": "hdb"}[backend]), backend)
    refused(s, "not a backup", s.db_dir())
    refused(s, "not a backup", "/nonexistent")
    s.start()
    refused(s, "in use by")
    assert s.stop() == 0
    # a backup that was changed since
    shutil.copytree(backup_dir(s), backup_dir(s, "bad"))
    flip(os.path.join(backup_dir(s, "bad"), "id2entry.bdb"), 1, 77)
    refused(s, "id2entry.bdb", backup_dir(s, "bad"))
    shutil.copytree(backup_dir(s), backup_dir(s, "less"))
    os.unlink(os.path.join(backup_dir(s, "less"), "dn2id.bdb"))
    refused(s, "dn2id.bdb", backup_dir(s, "less"))
    assert s.tool("cat").stdout == before
    assert not [n for n in os.listdir(s.db_dir()) if "restore" in n]


def test_P12_aside(loaded):
    """What was there before is kept, each time."""
    s = loaded
    s.tool("backup", backup_dir(s))
    before = s.tool("cat").stdout
    s.start()
    with root(s) as c:
        c.add_s(f"ou=new,{SUFFIX}", [("objectClass",
                                      [b"organizationalUnit"])])
    assert s.stop() == 0
    mode = os.stat(os.path.join(s.db_dir(), "id2entry.bdb")).st_mode
    s.tool("restore", backup_dir(s))
    assert s.tool("cat").stdout == before
    path = os.path.join(s.db_dir(), "id2entry.bdb")
    assert os.stat(path).st_mode == mode
    s.tool("restore", backup_dir(s))
    aside = sorted(n for n in os.listdir(s.db_dir())
                   if n.startswith("before-restore."))
    assert len(aside) == 2
    # and can be put back by hand
    s.write_conf(s.conf_text.replace(s.db_dir(), os.path.join(
        s.db_dir(), aside[0])))
    assert f"ou=new,{SUFFIX}" in dump_of(s)
    is_clean(s)


def test_P13_cut_off_restore(loaded):
    """A restore that did not end is not taken for a database."""
    s = loaded
    s.tool("backup", backup_dir(s))
    before = s.tool("cat").stdout
    with open(os.path.join(s.db_dir(), "hornbeam.loading"), "w") as f:
        f.write("restore")
    os.unlink(os.path.join(s.db_dir(), "dn2id.bdb"))
    for tool in ("cat", "check", "index"):
        p = s.tool(tool, check=False)
        assert p.returncode != 0 and "slaprestore" in p.stderr, p.stderr
    s.tool("restore", backup_dir(s))
    assert s.tool("cat").stdout == before
    is_clean(s)


def test_P14_one_state(loaded):
    """slapcat -o consistent beside slapd; nothing of the copy is left."""
    s = loaded
    before = s.tool("cat").stdout
    assert s.tool("cat", "-o", "consistent").stdout == before
    s.start()
    ws = writers(s)
    wait_until(lambda: all(w.acked > 5 for w in ws))
    least = [w.acked for w in ws]
    check_state(dump_of(s, "-o", "consistent"), ws, least)
    tmp = backup_dir(s, "tmp")
    os.mkdir(tmp)
    check_state(dump_of(s, "-o", "consistent", "-o", f"tmpdir={tmp}"), ws,
                least)
    for w in ws:
        w.end()
    assert os.listdir(tmp) == []
    assert not [n for n in os.listdir(s.db_dir()) if "slapcat" in n]


def test_P15_logs_go(make, backend):
    """Old logs go at a checkpoint unless a backup holds them or they are
    kept to be copied."""
    s = make(backend, extra_db="checkpoint 1024 0\n")
    s.load(people.ldif(20))

    def logs():
        return sorted(n for n in os.listdir(s.db_dir())
                      if n.startswith("log."))

    def fill(c, n):                 # a log of 64 MiB and more
        for i in range(n):
            c.modify_s(SUFFIX, [(ldap.MOD_REPLACE, "description", [
                b"%d" % i + os.urandom(1 << 20).hex().encode()])])

    def one_log(c):                 # each checkpoint needs something to do
        fill(c, 1)
        return len(logs()) == 1
    s.start()
    with root(s) as c:
        s.tool("backup", "-o", "keep-logs", backup_dir(s))
        fill(c, 24)
        assert len(logs()) > 1
        s.tool("backup", "-o", "logs", backup_dir(s))
        assert wait_until(lambda: one_log(c), step=1), logs()
        # nobody keeps them any more: the next run finds a gap
        s.tool("backup", "-o", "keep-logs=no", backup_dir(s, "second"))
        fill(c, 24)
        assert wait_until(lambda: one_log(c), step=1), logs()
    p = s.tool("backup", "-o", "logs", backup_dir(s), check=False)
    assert p.returncode == 1 and "keep-logs" in p.stderr, p.stderr


def test_P16_after_quick(loaded, make, backend):
    """A load and a rebuild without a log, between what was logged: the log of
    before is not replayed over it."""
    s = loaded.start()
    ws = writers(s, 2, limit=60)
    for w in ws:
        w.join(60)
        w.end()
    assert s.stop() == 0
    s.load("".join(f"dn: cn=q{i},{ws[0].base}\nobjectClass: person\n"
                   f"cn: q{i}\nsn: q\n\n" for i in range(300)), "-q")
    s.tool("index", "-q")
    # a file is made anew, under the name that the log knows
    flip(os.path.join(s.db_dir(), "uid.bdb"), 1, 2000)
    s.tool("check", "-r")
    s.start()
    with root(s) as c:
        for i in range(30):
            c.delete_s(f"cn={i},{ws[1].base}")
            c.modify_s(f"cn=q{i},{ws[0].base}", [(ldap.MOD_REPLACE, "sn",
                                                 [b"r%d" % i])])
        s.tool("backup", backup_dir(s))
        want = {dn for dn, _ in c.search_s(SUFFIX, 2, attrlist=["1.1"])}
    to = make(backend)
    to.tool("restore", backup_dir(s))
    assert set(dump_of(to)) == want
    assert s.stop() == 0
    is_clean(s)
