"""F: generated entries and filters, Debian's slapd beside ours.

rich.py makes some hundred entries with attributes of every kind of matching
rule, and thousands of filters. Both servers hold the entries twice, in a
database with indexes and in one without. What a filter finds must be the same
in both of ours, and the same as the peer's scan finds; where not, EXPLAINED
must say which RFC decides against the peer.
"""
import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import conftest  # noqa: E402
import rich  # noqa: E402
from conftest import BACKENDS, ROOTPW, Server  # noqa: E402
from explained import explain  # noqa: E402
from test_peers import PEERS, as_peer  # noqa: E402
from wire import Client, items, show  # noqa: E402

N = int(os.environ.get("PEER_FILTERS", "5000"))
INDEXED = (rich.SUFFIX, "dc=plain-v")

pytestmark = pytest.mark.skipif(not PEERS, reason="no peer was unpacked")


def database(backend, suffix, folder, more):
    os.makedirs(folder, 0o700)
    return (f"database {backend}\nsuffix {suffix}\nrootdn cn=admin,{suffix}\n"
            f"rootpw \"{ROOTPW}\"\ndirectory {folder}\n{more}\n")


def build(backend, peer=False):
    s = Server(conf="")
    size = "maxsize 268435456\n" if peer else ""
    s.write_conf(
        f"include {PEERS}/root/etc/ldap/schema/core.schema\n"
        f"include {PEERS}/root/etc/ldap/schema/cosine.schema\n" +
        rich.schema() + "\n" +
        (f"modulepath {PEERS}/root/usr/lib/ldap\nmoduleload back_mdb\n"
         if peer else conftest.module_lines(backend)) +
        "sizelimit unlimited\ntimelimit unlimited\n"
        "conn_max_pending_auth 10000\n"
        f"pidfile {s.dir}/slapd.pid\n" +
        database(backend, INDEXED[0], s.db_dir(0), size) +
        database(backend, INDEXED[1], s.db_dir(1), size + rich.indexes()))
    for i, suffix in enumerate(INDEXED, 1):
        s.load(rich.ldif(suffix), "-q", "-n", str(i))
    return s.start()


@pytest.fixture(scope="module")
def theirs():
    with as_peer():
        s = build("mdb", peer=True)
    c = Client(s.port, f"cn=admin,{INDEXED[0]}", ROOTPW)
    yield c.search(INDEXED[0], FILTERS)
    s.stop()


@pytest.fixture(scope="module", params=BACKENDS)
def ours(request):
    s = build(request.param)
    yield s
    s.clean()


FILTERS = rich.filters(N)


def names(found):
    return sorted(n.decode() for n in found)[:4]


def difference(i, a, b):
    return (f"{show(FILTERS[i])[:300]}: codes {a[0]} {b[0]}, "
            f"{len(a[1])} and {len(b[1])} entries, missing "
            f"{names(b[1] - a[1])}, too many {names(a[1] - b[1])}")


def ask(s, filters):
    c = Client(s.port, f"cn=admin,{INDEXED[0]}", ROOTPW)
    return c.search(INDEXED[0], filters)


@pytest.fixture(scope="module")
def plain(ours):
    return ask(ours, FILTERS)


def test_F01_indexes_change_nothing(ours, plain):
    c = Client(ours.port, f"cn=admin,{INDEXED[1]}", ROOTPW)
    indexed = c.search(INDEXED[1], FILTERS, tuple(map(str.encode, INDEXED)))
    bad = [difference(i, indexed[i], plain[i]) for i in range(len(FILTERS))
           if indexed[i] != plain[i]]
    assert not bad, f"{len(bad)} different\n" + "\n".join(bad[:30])


def test_F02_same_as_the_peer(plain, theirs):
    bad, why, open_ones = [], {}, 0
    for i, f in enumerate(FILTERS):
        reason = explain(f)
        open_ones += reason is None
        if plain[i] == theirs[i]:
            continue
        if reason is None:
            bad.append(difference(i, plain[i], theirs[i]))
        else:
            why[reason] = why.get(reason, 0) + 1
    hits = sum(len(found) for _, found in theirs)
    print(f"{len(FILTERS)} filters on {rich.NENTRIES} entries: "
          f"{len(FILTERS) * rich.NENTRIES} pairs, {hits} of them match; "
          f"{open_ones * rich.NENTRIES} pairs without an excuse")
    for reason, n in sorted(why.items()):
        print(f"{n:5} explained: {reason}")
    assert not bad, f"{len(bad)} different\n" + "\n".join(bad)
    assert open_ones > len(FILTERS) // 2


def kleene(f, truth, everything):
    """Where F is True and where it is False (RFC 4511 4.5.1.7)."""
    if f[0] == "not":
        true, false = kleene(f[1], truth, everything)
        return false, true
    if f[0] not in ("and", "or"):
        return truth[f]
    parts = [kleene(c, truth, everything) for c in f[1]]
    if f[0] == "and":
        return (everything.intersection(*(t for t, _ in parts)),
                frozenset().union(*(n for _, n in parts)))
    return (frozenset().union(*(t for t, _ in parts)),
            everything.intersection(*(n for _, n in parts)))


def frozen(f):
    """F with tuples for lists."""
    return tuple(frozen(x) if isinstance(x, (list, tuple)) else x for x in f)


def test_F03_three_truths(ours, plain):
    """A tree's truth follows from those of its items."""
    trees = [(f, got) for f, got in zip(FILTERS, plain)
             if f[0] in ("and", "or", "not")][:500]
    leaves = list({frozen(i): None for f, _ in trees for i in items(f)})
    found = ask(ours, leaves + [("not", i) for i in leaves])
    truth = {i: (found[n][1], found[n + len(leaves)][1])
             for n, i in enumerate(leaves)}
    everything = ask(ours, [("and", [])])[0][1]
    assert len(everything) == rich.NENTRIES
    for i, (true, false) in truth.items():
        assert not true & false, show(i)
    bad = [show(f)[:300] for f, got in trees
           if kleene(frozen(f), truth, everything)[0] != got[1]]
    unsure = sum(len(t) + len(n) < rich.NENTRIES for t, n in truth.values())
    print(f"{len(trees)} trees of {len(leaves)} items, {unsure} of them "
          "Undefined somewhere")
    assert not bad, f"{len(bad)} wrong\n" + "\n".join(bad[:30])
