"""L: loading and dumping."""
import base64
import random
import re

import people
import pytest
from conftest import (PEER, ROOTDN, SUFFIX, Server, as_set, parse_ldif)

OPERATIONAL = {"structuralObjectClass", "entryUUID", "creatorsName",
               "createTimestamp", "entryCSN", "modifiersName",
               "modifyTimestamp"}


def expected(n):
    want = {}
    for dn, attrs in people.entries(n):
        e = want.setdefault(dn, {})
        for a, v in attrs:
            e.setdefault(a, []).append(v.encode() if isinstance(v, str) else v)
    return want


def user_part(dump):
    return {dn: {a: v for a, v in e.items() if a not in OPERATIONAL}
            for dn, e in dump.items()}


@pytest.fixture(scope="module")
def loaded(backend):
    s = Server(backend)
    s.load(people.ldif(200))
    yield s
    s.clean()


def test_L01_dump_holds_what_was_loaded(loaded):
    got = user_part(parse_ldif(loaded.tool("cat").stdout))
    assert got == expected(200)


def test_L02_operational_attributes_are_added(loaded):
    dump = parse_ldif(loaded.tool("cat").stdout)
    assert all(OPERATIONAL <= set(e) for e in dump.values())
    uuids = {e["entryUUID"][0] for e in dump.values()}
    csns = {e["entryCSN"][0] for e in dump.values()}
    assert len(uuids) == len(csns) == len(dump)
    e = dump[f"uid=user3,ou=People,{SUFFIX}"] if \
        f"uid=user3,ou=People,{SUFFIX}" in dump else next(iter(dump.values()))
    assert e["creatorsName"] == [ROOTDN.encode()]
    assert re.fullmatch(rb"\d{14}Z", e["createTimestamp"][0])
    assert re.fullmatch(rb"\d{14}\.\d{6}Z#\d{6}#000#[0-9a-f]{6}",
                        e["entryCSN"][0])


def test_L03_dump_reads_back_the_same(loaded, make, backend):
    dump = loaded.tool("cat").stdout
    again = make(backend)
    again.load(dump)
    assert again.tool("cat").stdout == dump


def test_L04_loading_without_q(make, backend):
    s = make(backend)
    s.load(people.ldif(40), "-v")
    assert user_part(parse_ldif(s.tool("cat").stdout)) == \
        expected(40)


def test_L05_text_of_the_dump(loaded):
    text = loaded.tool("cat").stdout
    assert not text.startswith("version:")
    assert max(map(len, text.split("\n"))) <= 76
    assert "userPassword:: " in text and "userPassword: " not in text
    assert text.startswith(f"dn: {SUFFIX}\n") and text.endswith("\n\n")
    # an attribute keeps its place, values theirs
    assert re.search(r"^objectClass: inetOrgPerson\nobjectClass: posixAccount"
                     r"\nuid: user0\n", text, re.M)


def test_L06_order_of_the_dump_is_that_of_the_load(loaded):
    dns = list(parse_ldif(loaded.tool("cat").stdout))
    assert dns == [dn for dn, _ in people.entries(200)]


def test_L07_children_before_parents(make, backend):
    s = make(backend)
    some = list(people.entries(30))
    s.load(people.to_ldif(reversed(some)))
    got = user_part(parse_ldif(s.tool("cat").stdout))
    assert got == expected(30)
    s.start()
    assert len(s.conn().search_s(SUFFIX, 2, "(objectClass=*)", ["1.1"])) == \
        len(some)


def test_L08_missing_parent_is_named(make, backend):
    s = make(backend)
    some = [e for e in people.entries(10) if not e[0].startswith("ou=Groups")]
    p = s.load(people.to_ldif(some), check=False)
    assert p.returncode == 1
    assert "ou=groups" in p.stderr.lower()


def test_L09_dump_options(loaded):
    sub = f"ou=Deep,{SUFFIX}"
    dump = parse_ldif(loaded.tool("cat", "-s", sub).stdout)
    want = [dn for dn, _ in people.entries(200) if dn.endswith(sub)]
    assert len(dump) == len(want) > 15
    dump = parse_ldif(loaded.tool("cat", "-a", "(uid=user7)").stdout)
    assert [e["uid"] for e in dump.values()] == [[b"user7"]]
    dump = parse_ldif(loaded.tool(
        "cat", "-H", f"ldap:///{SUFFIX}??sub?(gidNumber=102)").stdout)
    assert len(dump) == len([i for i in range(200) if i % 7 == 2])
    assert loaded.tool("cat", "-n", "1").stdout == loaded.tool("cat").stdout
    assert loaded.tool("cat", "-b", SUFFIX).stdout == \
        loaded.tool("cat").stdout
    path = loaded.dir + "/out.ldif"
    loaded.tool("cat", "-l", path)
    with open(path) as f:
        assert f.read() == loaded.tool("cat").stdout
    assert "# id=00000001" in loaded.tool("cat", "-v").stdout


def test_L10_beside_a_running_server(make, backend):
    s = make(backend)
    s.load(people.ldif(30))
    s.start()
    c = s.root()
    c.modify_s(SUFFIX, [(0, "description", [b"changed while running"])])
    dump = parse_ldif(s.tool("cat").stdout)
    assert dump[SUFFIX]["description"] == [b"changed while running"]
    assert len(dump) == len(list(people.entries(30)))


def test_L11_adding_to_a_database(make, backend):
    s = make(backend)
    s.load(people.ldif(20))
    extra = people.to_ldif([(f"ou=Late,{SUFFIX}", [
        ("objectClass", "organizationalUnit"), ("ou", "Late")])])
    s.load(extra, "-v" if PEER else "-q")
    dump = parse_ldif(s.tool("cat").stdout)
    assert f"ou=Late,{SUFFIX}" in dump
    assert len(dump) == len(list(people.entries(20))) + 1
    s.start()
    assert len(s.conn().search_s(SUFFIX, 2, "(ou=late)")) == 1


def test_L12_what_is_served_is_what_is_dumped(make, backend):
    s = make(backend, extra="sizelimit unlimited\n")
    s.load(people.ldif(100))
    s.start()
    served = as_set(s.root().search_s(SUFFIX, 2, "(objectClass=*)",
                                      ["*", "+"]))
    dump = parse_ldif(s.tool("cat").stdout)
    dumped = {(dn, a, v) for dn, e in dump.items() for a, vs in e.items()
              for v in vs} | {(dn, None, None) for dn in dump}
    computed = {"entryDN", "subschemaSubentry", "hasSubordinates"}
    assert {x for x in served if x[1] not in computed} == dumped


def test_L13_ldif_forms(make, backend):
    s = make(backend)
    url = s.dir + "/value.txt"
    with open(url, "w") as f:
        f.write("from a file")
    b64 = base64.b64encode("übung".encode()).decode()
    s.load(f"""version: 1

# a comment
 that goes on
dn: {SUFFIX}
objectClass: dcObject
objectclass: organization
DC: example
o: folded
  in two
description:: {b64}
description:< file://{url}
""")
    dump = parse_ldif(s.tool("cat").stdout)
    assert dump[SUFFIX]["o"] == [b"folded in two"]
    assert dump[SUFFIX]["description"] == ["übung".encode(), b"from a file"]
    assert set(dump[SUFFIX]["objectClass"]) == {b"dcObject", b"organization"}
    if not PEER:
        other = make(backend)
        p = other.load(f"dn: {SUFFIX}\nobjectClass: domain\ndc: example\n"
                       f"description:< file://{url}\n", "-q", "-o",
                       "file-urls=no", check=False)
        assert p.returncode == 1 and "line 4: " in p.stderr


def random_lines(rnd, name, value):
    """NAME: VALUE in one of the ways to write it, with comments and folds."""
    plain = (value == value.strip() and all(32 <= b < 127 for b in value) and
             value[:1] not in (b":", b"<"))
    if plain and rnd.random() < .7:
        text = f"{name}:{rnd.choice(['', ' ', '   '])}{value.decode()}"
    else:
        text = f"{name}::{rnd.choice([' ', '  '])}" + \
            base64.b64encode(value).decode()
    if rnd.random() < .5:
        step = rnd.randrange(1, 80)
        text = "\n ".join(text[i:i + step] for i in range(0, len(text), step))
    return rnd.choice(["", "", "# a: comment\n"]) + text + "\n"


def test_L14_ldif_as_python_ldap_reads_it(make, backend):
    rnd = random.Random(backend)
    text = f"version: 1\n\ndn: {SUFFIX}\nobjectClass: domain\ndc: example\n"
    for i in range(300):
        text += "\n" + random_lines(rnd, "dn", f"cn=e{i},{SUFFIX}".encode())
        for name, value in (("objectClass", b"person"), ("sn", b"x"),
                            ("cn", b"e%d" % i)):
            text += random_lines(rnd, name, value)
        for _ in range(rnd.randrange(5)):
            value = bytes(rnd.choice(b" :<#\n\0abc\xff=")
                          for _ in range(rnd.randrange(1, 200)))
            text += random_lines(rnd, "userPassword;lang-en" if
                                 rnd.random() < .3 else "userPassword", value)
    wanted = parse_ldif(text)
    for end in ("\n", "\r\n"):
        s = make(backend)
        s.load(text.replace("\n", end).encode())
        got = parse_ldif(s.tool("cat").stdout)
        assert got.keys() == wanted.keys()
        for dn, entry in wanted.items():
            for name, values in entry.items():
                assert sorted(got[dn][name]) == sorted(values), (dn, name)
