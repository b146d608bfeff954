"""P: the same directory and the same questions, Debian's slapd beside ours.

Run by ./check --with-peers; PEERS is the folder where contrib/check/peers
unpacked it. Both load the same LDIF with the same slapd.conf and the .schema
files of Debian's package; every answer must be the same set of names,
attributes and values, and every failure the same result code.
"""
import os
import sys

import ldap
import pytest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import conftest  # noqa: E402
import people  # noqa: E402
from conftest import (BACKENDS, ROOTDN, ROOTPW, SUFFIX,  # noqa: E402
                      Server, as_set, parse_ldif)

PEERS = os.environ.get("PEERS")
N = int(os.environ.get("PEER_PEOPLE", "5000"))
QUERIES = int(os.environ.get("PEER_QUERIES", "600"))
STAMPS = {"entryUUID", "createTimestamp", "modifyTimestamp", "entryCSN"}

pytestmark = pytest.mark.skipif(not PEERS, reason="no peer was unpacked")

CONF = """
{schema}
{modules}
sizelimit unlimited
timelimit unlimited
pidfile {dir}/slapd.pid
database {backend}
suffix "{suffix}"
rootdn "{rootdn}"
rootpw "{rootpw}"
directory {db}
{more}
index objectClass,uid,uidNumber,gidNumber,member eq
index cn,sn,givenName,mail pres,eq,sub
index title,description sub
"""


def build(backend, peer=False):
    """A loaded server. The program is chosen by conftest's SLAPD."""
    s = Server(conf="")
    db = s.db_dir()
    os.makedirs(db, 0o700)
    schemas = os.path.join(PEERS, "root/etc/ldap/schema")
    s.write_conf(CONF.format(
        schema="\n".join(f"include {schemas}/{n}.schema" for n in
                         ("core", "cosine", "inetorgperson", "nis", "misc",
                          "openldap", "dyngroup")),
        modules=(f"modulepath {PEERS}/root/usr/lib/ldap\n"
                 "moduleload back_mdb" if peer
                 else conftest.module_lines(backend)),
        dir=s.dir, backend=backend, suffix=SUFFIX, rootdn=ROOTDN,
        rootpw=ROOTPW, db=db, more="maxsize 1073741824" if peer else ""))
    return s


class as_peer:
    """Servers made and started within are the peer's."""

    def __enter__(self):
        self.saved = conftest.SLAPD
        conftest.SLAPD = os.path.join(PEERS, "slapd")

    def __exit__(self, *exc):
        conftest.SLAPD = self.saved


@pytest.fixture(scope="module")
def peer():
    with as_peer():
        s = build("mdb", peer=True)
        s.load(people.ldif(N))
        s.start()
    yield s
    s.stop()


@pytest.fixture(scope="module", params=BACKENDS)
def ours(request):
    s = build(request.param)
    s.load(people.ldif(N))
    s.start()
    yield s
    s.clean()


def ask(conn, base, scope, filt, attrs):
    try:
        return as_set(conn.search_s(base, scope, filt, attrs))
    except ldap.LDAPError as e:
        return type(e).__name__


def difference(mine, theirs):
    if isinstance(mine, str) or isinstance(theirs, str):
        return f"{str(mine)[:200]} instead of {str(theirs)[:200]}"
    return (f"missing {sorted(theirs - mine, key=str)[:5]}, "
            f"too many {sorted(mine - theirs, key=str)[:5]}")


def test_P01_generated_queries(ours, peer):
    mine, theirs = ours.root(), peer.root()
    bad, hits = [], 0
    for base, scope, filt in people.queries(N, QUERIES):
        attrs = None if len(filt) < 40 else ["*"]
        a = ask(mine, base, scope, filt, attrs)
        b = ask(theirs, base, scope, filt, attrs)
        hits += bool(b) and not isinstance(b, str)
        if a != b:
            bad.append(f"{base} {scope} {filt}: {difference(a, b)}")
    print(f"{QUERIES} queries, {hits} with an answer, {len(bad)} different")
    assert hits > QUERIES // 3
    assert not bad, "\n".join(bad[:40])


def test_P02_operational_attributes(ours, peer):
    mine, theirs = ours.root(), peer.root()
    for base, scope, filt in list(people.queries(N, 60)):
        filt = f"(&(uid=user1*)(!{filt}))"
        a, b = (ask(c, base, scope, filt, ["+"]) for c in (mine, theirs))
        if isinstance(b, set):
            a = {x for x in a if x[1] not in STAMPS}
            b = {x for x in b if x[1] not in STAMPS}
        assert a == b, f"{base} {scope} {filt}: {difference(a, b)}"


def test_P03_attribute_selection(ours, peer):
    mine, theirs = ours.root(), peer.root()
    for attrs in (["cn"], ["CN", "sn"], ["name"], ["1.1"], ["@person"],
                  ["@posixAccount", "mail"], ["cn;lang-fr"], ["*", "entryDN"],
                  ["2.5.4.4"], ["nonsense"], ["nonsense", "uid"],
                  ["hasSubordinates"]):
        for base, scope, filt in ((SUFFIX, 1, "(objectClass=*)"),
                                  (SUFFIX, 2, "(uid=user35*)")):
            a, b = (ask(c, base, scope, filt, attrs) for c in (mine, theirs))
            assert a == b, f"{attrs} {filt}: {difference(a, b)}"


def test_P04_dump(ours, peer):
    def content(server):
        return {dn: {a: v for a, v in e.items() if a not in STAMPS}
                for dn, e in parse_ldif(server.tool("cat").stdout).items()}

    mine = content(ours)
    with as_peer():
        theirs = content(peer)
    assert mine.keys() == theirs.keys()
    for dn, e in theirs.items():
        assert mine[dn] == e, dn


def test_P05_compare(ours, peer):
    mine, theirs = ours.root(), peer.root()

    def answer(conn, *args):
        try:
            return conn.compare_s(*args)
        except ldap.LDAPError as e:
            return type(e).__name__

    for i, (dn, attrs) in enumerate(people.entries(N)):
        if i % 50:
            continue
        for a, v in attrs[:8]:
            v = v.encode() if isinstance(v, str) else v
            for value in (v, v.upper(), v + b"x", b" " + v + b" "):
                assert answer(mine, dn, a, value) == \
                    answer(theirs, dn, a, value), (dn, a, value)


def test_P06_our_dump_in_the_peer(ours, peer):
    """What slapcat gives, the peer's slapadd takes."""
    dump = ours.tool("cat").stdout
    with as_peer():
        other = build("mdb", peer=True)
        other.load(dump)
        got = other.tool("cat").stdout
    other.clean()
    assert parse_ldif(got) == parse_ldif(dump)
