"""V: tests/unit/schema/conformance asked of a server, with and without index.

One entry for each stored value, below one for its attribute type. A match row
is a search for the assertion and one for its negation: what neither finds is
Undefined. The README beside the tables says what a row is.
"""
import glob
import os

import ldap
import pytest
from conftest import PEER, ROOTPW, TOP, Database

TABLES = os.path.join(TOP, "tests/unit/schema/conformance")
SUFFIX = "cn=conf"
ADMIN = "cn=admin," + SUFFIX
ARC = "1.3.6.1.4.1.4203.666.97"
ROWS_MIN = 1500
WINDOW = 100			# requests under way
# how an index serves the rule
INDEX = {"equality": "eq", "substrings": "eq,sub", "ordering": "eq",
         "extensible": "eq", "approx": "eq,approx"}

pytestmark = pytest.mark.skipif(bool(PEER), reason="slapd's users know "
                                "habits, these tables know RFCs")


def rows_of(path):
    with open(path, encoding="utf-8") as f:
        for no, line in enumerate(f, 1):
            line = line.rstrip("\n")
            if line and line[0] != "#":
                yield f"{os.path.basename(path)}:{no}", line.split("\t")


def unescape(text):
    """Octets of TEXT; see the README."""
    out, i = b"", 0
    while i < len(text):
        c, i = text[i], i + 1
        if c != "\\":
            out += c.encode()
            continue
        c, i = text[i], i + 1
        if c == "x":
            out, i = out + bytes([int(text[i:i + 2], 16)]), i + 2
        elif c == "u":
            end = text.index("}", i)
            out, i = out + chr(int(text[i + 1:end], 16)).encode(), end + 1
        else:
            out += {"e": b"", "s": b" "}.get(c, c.encode())
    return out


def assertion(octets):
    return "".join(f"\\{b:02x}" for b in octets)


def pieces(text):
    """TEXT at its asterisks, those behind a backslash left alone."""
    parts, i = [""], 0
    while i < len(text):
        if text[i] == "*":
            parts.append("")
        elif text[i] == "\\":
            parts[-1] += text[i:i + 2]
            i += 1
        else:
            parts[-1] += text[i]
        i += 1
    return parts


class Type:
    """An attribute type of types.txt: u plain, i its twin with an index."""

    def __init__(self, number, fields):
        self.number, self.key = number, fields[1]
        self.is_rule = fields[0] == "type"
        self.how = fields[2] if self.is_rule else None
        self.body = fields[3] if self.is_rule else "SYNTAX " + fields[2]
        self.option = ";binary" if fields[-1] == "binary" else ""
        self.names = [f"u{number}", f"i{number}"] if self.is_rule else \
            [f"u{number}"]
        self.dn = f"cn=t{number},{SUFFIX}"
        self.entries = {}		# stored value: DN

    def definitions(self):
        return "".join(
            f"attributetype ( {ARC}.{i}.{self.number} NAME '{n}' "
            f"{self.body} )\n" for i, n in enumerate(self.names, 1))

    def entry(self, stored):
        return self.entries.setdefault(
            stored, f"cn=e{len(self.entries)},{self.dn}")

    def filters(self, text):
        """(form, filter with {} for the name) pairs of a row's assertion."""
        rule = self.key.split("/")[0]
        if text.startswith(":="):
            return [("", f"({{}}:{rule}:={assertion(unescape(text[2:]))})")]
        if self.how == "substrings":
            return [("", "({}=%s)" % "*".join(
                assertion(unescape(p)) for p in pieces(text)))]
        if self.how == "ordering":
            return [("", f"({{}}{text[:2]}{assertion(unescape(text[2:]))})")]
        value = assertion(unescape(text))
        named = f"({{}}:{rule}:={value})"
        if self.how == "equality":
            return [("", f"({{}}={value})"), (" by rule", named)]
        if self.how == "approx":
            return [("", f"({{}}~={value})")]
        return [("", named)]


class Tables:
    def __init__(self):
        self.types, self.defines = {}, ""
        for place, f in rows_of(os.path.join(TABLES, "types.txt")):
            if f[0] == "define":
                self.defines += f"attributetype {f[1]}\n"
            else:
                t = Type(len(self.types), f)
                self.types[t.is_rule, t.key] = t
        self.rows = [
            (place, f, self.types[f[0] == "match", f[1]])
            for path in sorted(glob.glob(os.path.join(TABLES, "*.txt")))
            if not path.endswith("/types.txt") for place, f in rows_of(path)]
        self.match = [r for r in self.rows if r[1][0] == "match"]
        self.value = [r for r in self.rows if r[1][0] == "value"]

    def conf(self):
        return (self.defines +
                "".join(t.definitions() for t in self.types.values()) +
                f"objectclass ( {ARC}.3 NAME 'conformThing' SUP top "
                "STRUCTURAL MUST cn )\n")

    def indexes(self):
        return "".join(f"index {t.names[1]} {INDEX[t.how]}\n"
                       for t in self.types.values() if t.is_rule)


def pipelined(c, requests):
    """Send all of REQUESTS (key, function); (key, data or exception) pairs."""
    under_way = []
    for n, (key, send) in enumerate(requests):
        under_way.append((key, send()))
        if len(under_way) == WINDOW:
            yield from answers(c, under_way)
            under_way = []
    yield from answers(c, under_way)


def answers(c, under_way):
    for key, msgid in under_way:
        try:
            yield key, c.result3(msgid)[1]
        except ldap.LDAPError as e:
            yield key, e


def attributes(name, more=()):
    return [("objectClass", [b"conformThing", b"extensibleObject"]),
            ("cn", [name.encode()]), *more]


def add(c, dn, more=()):
    return lambda: c.add_ext(dn, attributes(
        dn.split(",")[0].split("=")[1], more))


@pytest.fixture(scope="module")
def tables():
    return Tables()


@pytest.fixture(scope="module")
def conform(backend, tables):
    """A connection to a server that holds an entry for each stored value."""
    from conftest import Server
    s = Server(schema=(), extra=tables.conf(), databases=[
        Database(backend, SUFFIX, "dbnosync\n", indexes=tables.indexes())])
    try:
        s.start()
        c = s.conn(ADMIN, ROOTPW)
        c.add_s(SUFFIX, attributes("conf"))
        tops = [(t.dn, add(c, t.dn)) for t in tables.types.values()]
        assert not [a for a in pipelined(c, tops)
                    if isinstance(a[1], Exception)]
        yield c
        c.unbind_s()
    finally:
        s.clean()


def load(c, tables):
    """The stored values of match rows; what was refused, and why."""
    requests, seen = [], set()
    for place, f, t in tables.match:
        stored = unescape(f[2])
        dn = t.entry(stored)
        if dn not in seen:
            seen.add(dn)
            requests.append((place, add(
                c, dn, [(n, [stored]) for n in t.names])))
    return [f"{place}: value is refused: {a}"
            for place, a in pipelined(c, requests)
            if isinstance(a, Exception)]


def search(c, base, text):
    return lambda: c.search_ext(base, ldap.SCOPE_ONELEVEL, text, ["1.1"])


def ask_all(c, tables):
    """{(row, form, attribute): [names found, names the negation found]}"""
    requests = []
    for n, (_, f, t) in enumerate(tables.match):
        for form, text in t.filters(f[3]):
            for name in t.names:
                plain = text.format(name)
                for i, q in enumerate((plain, f"(!{plain})")):
                    requests.append(((n, form, name, i), search(c, t.dn, q)))
    return {key: {dn for dn, _ in a} if not isinstance(a, Exception) else a
            for key, a in pipelined(c, requests)}


def truth(found, negated, dn):
    for a in (found, negated):
        if isinstance(a, Exception):
            return repr(a)
    return {(True, False): "true", (False, True): "false",
            (False, False): "undefined"}.get((dn in found, dn in negated),
                                             "both true and false")


def compare_all(c, tables):
    """Rows of equality rules as Compare (RFC 4511 4.10)."""
    expected = {"true": ldap.COMPARE_TRUE, "false": ldap.COMPARE_FALSE,
                "undefined": ldap.INVALID_SYNTAX}
    requests = [
        ((place, f[4], name), lambda dn=t.entry(unescape(f[2])), n=name,
         v=unescape(f[3]): c.compare_ext(dn, n, v))
        for place, f, t in tables.match if t.how == "equality"
        for name in t.names]
    return [f"{place}: compare says {type(a).__name__}, not {want}"
            for (place, want, name), a in pipelined(c, requests)
            if not isinstance(a, expected[want])]


def test_V01_match(conform, tables):
    bad = load(conform, tables)
    got = ask_all(conform, tables)
    for (n, form, name, i), found in got.items():
        place, f, t = tables.match[n]
        if i == 0:
            said = truth(found, got[n, form, name, 1],
                         t.entry(unescape(f[2])))
            if said != f[4]:
                bad.append(f"{place}: {' '.join(f[1:5])}: {said}{form}" +
                           (" with an index" if name[0] == "i" else ""))
    bad += compare_all(conform, tables)
    assert not bad, "\n".join(bad)


def test_V02_value(conform, tables):
    """Values come in or are refused; those that came in come back."""
    requests, stored, bad = [], {}, []
    for n, (place, f, t) in enumerate(tables.value):
        dn, name = f"cn=v{n},{t.dn}", t.names[0] + t.option
        stored[dn] = place, f, name, unescape(f[2])
        requests.append((dn, add(conform, dn, [(name, [stored[dn][3]])])))
    for dn, a in pipelined(conform, requests):
        place, f = stored[dn][:2]
        said = "valid" if not isinstance(a, Exception) else \
            "invalid" if isinstance(a, ldap.INVALID_SYNTAX) else repr(a)
        if said != f[3]:
            bad.append(f"{place}: {f[1]} {f[2]}: {said}")
    for dn, attrs in conform.search_s(SUFFIX, ldap.SCOPE_SUBTREE):
        if dn in stored and attrs[stored[dn][2]] != [stored[dn][3]]:
            bad.append(f"{stored[dn][0]}: comes back as {attrs}")
    assert not bad, "\n".join(bad)


def test_V03_rows(tables):
    assert len(tables.rows) >= ROWS_MIN
