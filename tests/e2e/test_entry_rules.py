"""E: what an entry may be: ordered values, classes, content rules, naming,
options, requested attributes; and what the server says about all that is
wrong with one."""
import ldap
import pytest
from conftest import SUFFIX, Database, Server, person
from ldap import MOD_ADD, MOD_DELETE, MOD_INCREMENT, MOD_REPLACE

SYN = "1.3.6.1.4.1.1466.115.121.1."
OWN = f"""
attributeoptions lang- x-
attributetype ( 1.1.2.1 NAME 'list' EQUALITY caseIgnoreMatch
	SUBSTR caseIgnoreSubstringsMatch SYNTAX {SYN}15 X-ORDERED 'VALUES' )
attributetype ( 1.1.2.2 NAME 'ranks' EQUALITY integerMatch
	SYNTAX {SYN}27 X-ORDERED 'VALUES' )
attributetype ( 1.1.2.3 NAME 'sibling' SUP name X-ORDERED 'SIBLINGS' )
attributetype ( 1.1.2.4 NAME 'number' EQUALITY integerMatch
	ORDERING integerOrderingMatch SYNTAX {SYN}27 )
attributetype ( 1.1.2.5 NAME 'former' OBSOLETE EQUALITY caseIgnoreMatch
	SYNTAX {SYN}15 )
attributetype ( 1.1.2.6 NAME 'shared' SUP name COLLECTIVE )
attributetype ( 1.1.2.7 NAME 'opMark' EQUALITY caseIgnoreMatch
	SYNTAX {SYN}15 USAGE directoryOperation )
attributetype ( 1.1.2.8 NAME 'blind' SYNTAX {SYN}40 )
attributetype ( 1.1.2.9 NAME 'only' SUP name SINGLE-VALUE )
attributetype ( 1.1.2.10 NAME 'exactName' SUP name
	EQUALITY caseExactMatch SUBSTR caseExactSubstringsMatch )
objectclass ( 1.1.3.1 NAME 'thing' SUP top STRUCTURAL MUST cn
	MAY ( list $ ranks $ sibling $ number $ former $ blind $ only $
	description $ exactName $ userCertificate $ cACertificate $ name ) )
objectclass ( 1.1.3.2 NAME 'thingBelow' SUP thing STRUCTURAL )
objectclass ( 1.1.3.3 NAME 'idea' SUP top ABSTRACT MAY title )
objectclass ( 1.1.3.4 NAME 'realIdea' SUP idea AUXILIARY MAY mail )
objectclass ( 1.1.3.5 NAME 'past' OBSOLETE SUP top AUXILIARY )
objectclass ( 1.1.3.6 NAME 'ruled' SUP top STRUCTURAL MUST cn
	MAY ( description $ telephoneNumber ) )
ditcontentrule ( 1.1.3.6 NAME 'theRule' AUX realIdea
	MUST telephoneNumber MAY ( street $ l ) NOT description )
"""


@pytest.fixture(scope="module")
def server(backend):
    s = Server(extra=OWN, databases=[Database(backend, indexes="""
index cn,list,number eq
index name eq,sub
""")])
    try:
        s.load(f"dn: {SUFFIX}\nobjectClass: dcObject\n"
               "objectClass: organization\ndc: example\no: x\n")
        s.start()
        yield s
    finally:
        s.clean()


def refused(exc, call):
    with pytest.raises(exc) as e:
        call()
    info = e.value.args[0].get("info", "")
    assert "\n" not in info and len(info) < 1024
    return info


def attrs(classes, **more):
    return [("objectClass", [c.encode() for c in classes.split()])] + \
        [(k.replace("_", "-").replace("__", ";"),
          [x.encode() if isinstance(x, str) else x
           for x in (v if isinstance(v, list) else [v])])
         for k, v in more.items()]


@pytest.fixture
def thing(root, scratch):
    dn = f"cn=thing,{scratch}"
    root.add_s(dn, attrs("thing", cn="thing"))
    return dn


def get(conn, dn, *names):
    return conn.search_s(dn, 0, "(objectClass=*)", list(names) or None)[0][1]


def values(conn, dn, name):
    return [v.decode() for v in get(conn, dn, name).get(name, [])]


# ---- ordered values ----

def test_E01_ordered_values(root, thing):
    def mod(*mods):
        root.modify_s(thing, [(t, "list", v if v is None else
                               [x.encode() for x in v]) for t, v in mods])
        return values(root, thing, "list")

    assert mod((MOD_ADD, ["b", "c"])) == ["{0}b", "{1}c"]
    assert mod((MOD_ADD, ["{0}a"])) == ["{0}a", "{1}b", "{2}c"]
    assert mod((MOD_ADD, ["{1}x", "end"])) == [
        "{0}a", "{1}x", "{2}b", "{3}c", "{4}end"]
    assert mod((MOD_DELETE, ["{1}"])) == ["{0}a", "{1}b", "{2}c", "{3}end"]
    assert mod((MOD_DELETE, ["{2}C"])) == ["{0}a", "{1}b", "{2}end"]
    assert mod((MOD_DELETE, ["A"])) == ["{0}b", "{1}end"]
    assert mod((MOD_DELETE, ["{0}"]), (MOD_ADD, ["{0}first"])) == [
        "{0}first", "{1}end"]
    assert mod((MOD_REPLACE, ["{5}z", "{2}y"])) == ["{0}y", "{1}z"]
    for exc, m in [
            (ldap.NO_SUCH_ATTRIBUTE, (MOD_DELETE, ["{2}"])),
            (ldap.NO_SUCH_ATTRIBUTE, (MOD_DELETE, ["{0}z"])),
            (ldap.TYPE_OR_VALUE_EXISTS, (MOD_ADD, ["{0}Z"]))]:
        refused(exc, lambda: mod(m))
    assert values(root, thing, "list") == ["{0}y", "{1}z"]
    assert mod((MOD_DELETE, None)) == []
    root.modify_s(thing, [(MOD_ADD, "ranks", [b"5", b"3"])])
    assert values(root, thing, "ranks") == ["{0}5", "{1}3"]
    refused(ldap.CONSTRAINT_VIOLATION, lambda: root.modify_s(
        thing, [(MOD_INCREMENT, "ranks", [b"1"])]))


def test_E02_ordered_values_are_found(root, thing, scratch):
    root.modify_s(thing, [(MOD_ADD, "list", [b"alpha", b"beta"])])
    for f in ("(list=BETA)", "(list={0}beta)", "(list=al*)", "(list=*)",
              "(list:caseExactMatch:=beta)"):
        assert [d for d, _ in root.search_s(scratch, 2, f)] == [thing], f
    assert root.search_s(scratch, 2, "(list=gamma)") == []
    assert root.compare_s(thing, "list", "Alpha")
    assert root.compare_s(thing, "list", "{7}alpha")
    assert not root.compare_s(thing, "list", "{0}gamma")
    refused(ldap.INVALID_SYNTAX, lambda: root.compare_s(thing, "list", "{0}"))


def test_E03_ordered_values_of_an_add(root, scratch):
    dn = f"cn=added,{scratch}"
    root.add_s(dn, attrs("thing", cn="added", list=["{1}b", "c", "{0}a"]))
    assert values(root, dn, "list") == ["{0}a", "{1}b", "{2}c"]
    refused(ldap.TYPE_OR_VALUE_EXISTS, lambda: root.add_s(
        f"cn=twice,{scratch}",
        attrs("thing", cn="twice", list=["{0}a", "{1}A"])))


def test_E04_ordered_values_of_a_load(make, backend):
    s = make(extra=OWN, databases=[Database(backend, indexes="")])
    s.load(f"dn: {SUFFIX}\nobjectClass: dcObject\nobjectClass: organization\n"
           f"dc: example\no: x\n\ndn: cn=t,{SUFFIX}\nobjectClass: thing\n"
           "cn: t\nlist: {1}b\nlist: {0}a\nlist: c\n")
    out = s.tool("cat").stdout
    assert "list: {0}a\nlist: {1}b\nlist: {2}c\n" in out


def test_E05_authz_is_ordered(root, thing):
    root.modify_s(thing, [(MOD_ADD, "authzTo",
                           [b"dn:cn=a,dc=x", b"{0}dn:cn=b,dc=x"])])
    assert values(root, thing, "authzTo") == [
        "{0}dn:cn=b,dc=x", "{1}dn:cn=a,dc=x"]
    root.modify_s(thing, [(MOD_DELETE, "authzTo", [b"{0}"])])
    assert values(root, thing, "authzTo") == ["{0}dn:cn=a,dc=x"]


def test_E06_ordered_siblings_are_plain_values(root, thing):
    root.modify_s(thing, [(MOD_ADD, "sibling", [b"{1}a", b"b"])])
    assert values(root, thing, "sibling") == ["{1}a", "b"]


# ---- classes ----

@pytest.mark.parametrize("classes, more, exc, words", [
    ("thing thingBelow top", {}, None, []),
    ("thingBelow", {}, None, []),
    ("thing ruled", {"telephoneNumber": "1"}, ldap.OBJECT_CLASS_VIOLATION,
     ["invalid structural object class chain (thing/ruled)"]),
    ("thing idea", {"title": "x"}, ldap.OBJECT_CLASS_VIOLATION,
     ["instantiation of abstract object class 'idea' not allowed"]),
    ("thing idea realIdea", {"title": "x", "mail": "a@x"}, None, []),
    ("thing realIdea", {"title": "x"}, None, []),
    ("realIdea", {"title": "x"}, ldap.OBJECT_CLASS_VIOLATION,
     ["no structural object class provided",
      "the entry's object class is 'realIdea'"]),
    ("thing past", {}, ldap.OBJECT_CLASS_VIOLATION,
     ["object class 'past' is obsolete"]),
    ("thing extensibleObject", {"mail": "a@x", "employeeNumber": "4"}, None,
     []),
    ("thing extensibleObject", {"nosuch": "a"}, ldap.UNDEFINED_TYPE,
     ["nosuch: attribute type undefined"]),
    ("thing thng", {}, ldap.INVALID_SYNTAX,
     ["objectClass: value #1 invalid per syntax", "'thng'",
      "did you mean 'thing'?"]),
    # content rule
    ("ruled", {"telephoneNumber": "1", "street": "s"}, None, []),
    ("ruled realIdea", {"telephoneNumber": "1", "mail": "a@x"}, None, []),
    ("ruled", {"street": "s"}, ldap.OBJECT_CLASS_VIOLATION,
     ["content rule 'theRule' requires attribute 'telephoneNumber'"]),
    ("ruled", {"telephoneNumber": "1", "description": "d"},
     ldap.OBJECT_CLASS_VIOLATION,
     ["content rule 'theRule' precludes attribute 'description'"]),
    ("ruled extensibleObject", {"telephoneNumber": "1"},
     ldap.OBJECT_CLASS_VIOLATION,
     ["object class 'extensibleObject' not allowed by content rule"]),
    # attributes
    ("thing", {"only": ["a", "b"]}, ldap.CONSTRAINT_VIOLATION,
     ["only: multiple values provided"]),
    ("thing", {"former": "x"}, ldap.CONSTRAINT_VIOLATION,
     ["attribute 'former' is obsolete"]),
    ("thing", {"entryUUID": "01234567-89ab-cdef-0123-456789abcdef"},
     ldap.CONSTRAINT_VIOLATION, ["entryUUID: no user modification allowed"]),
    ("thing", {"shared": "x"}, ldap.OBJECT_CLASS_VIOLATION,
     ["attribute 'shared' is collective"]),
    ("thing extensibleObject", {"shared": "x"}, ldap.OBJECT_CLASS_VIOLATION,
     ["attribute 'shared' is collective"]),
    ("thing", {"collectiveExclusions": ["2.5.18.0", "shared"]}, None, []),
    ("subentry", {"subtreeSpecification": "{}"}, None, []),
    ("subentry", {}, ldap.OBJECT_CLASS_VIOLATION,
     ["'subentry' requires attribute 'subtreeSpecification'"]),
    ("subentry collectiveAttributeSubentry",
     {"subtreeSpecification": "{}", "shared": "x"}, None, []),
    ("subentry", {"subtreeSpecification": "{}", "shared": "x"},
     ldap.OBJECT_CLASS_VIOLATION, ["attribute 'shared' is collective"]),
])
def test_E10_classes(root, scratch, classes, more, exc, words):
    def add():
        root.add_s(f"cn=x,{scratch}", attrs(classes, cn="x", **more))

    if exc is None:
        add()
        return
    info = refused(exc, add)
    for w in words:
        assert w in info


def test_E11_all_violations_are_told(root, scratch):
    info = refused(ldap.OBJECT_CLASS_VIOLATION, lambda: root.add_s(
        f"cn=x,{scratch}", attrs("person", cn="y", mail="a@b", uid="u",
                                 member="cn=x")))
    for w in ("attribute 'mail' not allowed (object classes ",
              "'inetOrgPerson'", "attribute 'uid' not allowed",
              "attribute 'member' not allowed",
              "object class 'person' requires attribute 'sn'",
              "the entry's object class is 'person'"):
        assert w in info
    # before the entry is looked at: every value and every type
    info = refused(ldap.INVALID_SYNTAX, lambda: root.add_s(
        f"cn=x,{scratch}", attrs(
            "thing", cn="x", number=["1", "secretone", "2", "secrettwo"],
            descrption="d", seeAlso="secretthree", only=["a", "b"],
            createTimestamp="20200101000000Z", blnd="x")))
    for w in ("number: value #1 invalid per syntax",
              "number: value #3 invalid per syntax",
              "descrption: attribute type undefined (did you mean "
              "'description'?)",
              "seeAlso: value #0 invalid per syntax",
              "only: multiple values provided",
              "createTimestamp: no user modification allowed",
              "blnd: attribute type undefined (did you mean 'blind'?)"):
        assert w in info
    assert "secret" not in info


def test_E12_text_has_an_end(root, scratch):
    info = refused(ldap.UNDEFINED_TYPE, lambda: root.add_s(
        f"cn=x,{scratch}", attrs("thing", cn="x",
                                 **{f"unknown{i}": "x" for i in range(500)})))
    assert info.endswith("; ...") and "unknown0: " in info
    info = refused(ldap.UNDEFINED_TYPE, lambda: root.add_s(
        f"cn=x,{scratch}", attrs("thing", cn="x", **{"u" * 5000: "x"})))
    assert len(info) < 200
    info = refused(ldap.UNDEFINED_TYPE, lambda: root.add_s(
        f"cn=x,{scratch}", attrs("thing", cn="x", **{"bad name\n": "x"})))
    assert info == "malformed attribute description"


def test_E13_modify_tells_all(root, thing):
    info = refused(ldap.UNDEFINED_TYPE, lambda: root.modify_s(thing, [
        (MOD_ADD, "nosuch", [b"x"]), (MOD_REPLACE, "number", [b"x"]),
        (MOD_ADD, "entryCSN", [b"x"])]))
    assert "nosuch: " in info and "number: value #0" in info and \
        "entryCSN: no user modification allowed" in info


def test_E14_structural_class_stays(root, thing):
    info = refused(ldap.NO_OBJECT_CLASS_MODS, lambda: root.modify_s(
        thing, [(MOD_REPLACE, "objectClass", [b"thingBelow"])]))
    assert "'thing' to 'thingBelow'" in info
    refused(ldap.NO_OBJECT_CLASS_MODS, lambda: root.modify_s(
        thing, [(MOD_REPLACE, "objectClass", [b"device"])]))
    refused(ldap.OBJECT_CLASS_VIOLATION, lambda: root.modify_s(
        thing, [(MOD_DELETE, "objectClass", None)]))
    # listed superiors may come and go
    root.modify_s(thing, [(MOD_ADD, "objectClass", [b"top"])])
    root.modify_s(thing, [(MOD_DELETE, "objectClass", [b"top"])])


def test_E15_obsolete_may_go(make, backend):
    """What an entry has from before its type became obsolete."""
    s = make(extra=OWN, databases=[Database(backend, indexes="")])
    s.load(f"dn: {SUFFIX}\nobjectClass: dcObject\nobjectClass: organization\n"
           f"dc: example\no: x\n\ndn: cn=t,{SUFFIX}\nobjectClass: thing\n"
           "cn: t\nformer: x\n", "-s")
    s.start()
    c, dn = s.root(), f"cn=t,{SUFFIX}"
    c.modify_s(dn, [(MOD_ADD, "description", [b"x"])])
    for t in (MOD_ADD, MOD_REPLACE):
        assert "former: attribute is obsolete" in refused(
            ldap.CONSTRAINT_VIOLATION, lambda: c.modify_s(
                dn, [(t, "former", [b"y"])]))
    c.modify_s(dn, [(MOD_DELETE, "former", [b"x"])])
    c.modify_s(dn, [(MOD_REPLACE, "former", None)])
    assert "former" not in get(c, dn)


# ---- names ----

@pytest.mark.parametrize("rdn, more, exc, words", [
    ("cn=x", {}, None, ""),			# the value is supplied
    ("cn=x+description=y", {}, None, ""),
    ("opMark=x", {"cn": "x"}, ldap.NAMING_VIOLATION, "'opMark' is operational"),
    ("former=x", {"cn": "x"}, ldap.NAMING_VIOLATION, "'former' is obsolete"),
    ("shared=x", {"cn": "x"}, ldap.NAMING_VIOLATION, "'shared' is collective"),
    ("blind=x", {"cn": "x"}, ldap.NAMING_VIOLATION,
     "'blind' has no equality matching rule"),
    ("only=x", {"cn": "x", "only": "y"}, ldap.NAMING_VIOLATION,
     "value of single-valued naming attribute 'only' conflicts"),
    ("only=x", {"cn": "x", "only": "X"}, None, ""),
    ("mail=x", {"cn": "x"}, ldap.OBJECT_CLASS_VIOLATION,
     "attribute 'mail' not allowed"),
    ("nosuch=x", {"cn": "x"}, (ldap.NAMING_VIOLATION, ldap.INVALID_DN_SYNTAX),
     ""),
])
def test_E20_naming(root, scratch, rdn, more, exc, words):
    dn = f"{rdn},{scratch}"
    if exc is not None:
        assert words in refused(exc, lambda: root.add_s(
            dn, attrs("thing", **more)))
        return
    root.add_s(dn, attrs("thing", **more))
    for ava in rdn.split("+"):
        assert root.search_s(scratch, 1, f"({ava})")


def test_E21_naming_values_stay(root, thing):
    for mods in ([(MOD_DELETE, "cn", [b"thing"])],
                 [(MOD_DELETE, "cn", None)]):
        assert "naming attribute 'cn' is not present" in refused(
            ldap.NOT_ALLOWED_ON_RDN, lambda: root.modify_s(thing, mods))
    for mods in ([(MOD_REPLACE, "cn", [b"other"])],
                 [(MOD_DELETE, "cn", [b"thing"]), (MOD_ADD, "cn", [b"x"])]):
        assert "value of naming attribute 'cn' is not" in refused(
            ldap.NOT_ALLOWED_ON_RDN, lambda: root.modify_s(thing, mods))
    root.modify_s(thing, [(MOD_REPLACE, "cn", [b"Thing", b"other"])])


# ---- options ----

def test_E30_tags_and_ranges(root, thing, scratch):
    root.modify_s(thing, [
        (MOD_ADD, "description;lang-en", [b"one"]),
        (MOD_ADD, "description;lang-en-US", [b"two"]),
        (MOD_ADD, "description;lang-de", [b"three"]),
        (MOD_ADD, "description;X-b;x-A", [b"four"]),
        (MOD_ADD, "description", [b"five"])])

    def names(*asked):
        return sorted(get(root, thing, *asked))

    tagged = ["description;lang-de", "description;lang-en",
              "description;lang-en-US"]
    xs = ["description;x-A;X-b"]
    assert names("description") == sorted(["description"] + tagged + xs)
    assert names("description;lang-en") == ["description;lang-en"]
    assert names("DESCRIPTION;Lang-En-") == tagged[1:]
    assert names("description;lang-") == tagged
    assert names("description;x-") == xs
    assert names("description;x-b;x-a") == xs
    assert names("2.5.4.13;x-a") == xs
    assert names("description;lang-fr") == names("description;y-z") == []

    def found(f):
        return bool(root.search_s(scratch, 2, f))

    for f in ("(description=three)", "(description;lang-=three)",
              "(description;lang-en-=two)", "(description;lang-en-us=two)",
              "(description;x-a=four)", "(description;lang-en-=t*)"):
        assert found(f), f
    for f in ("(description;lang-en=two)", "(description;lang-=five)",
              "(description;lang-en-=three)", "(description;lang-fr-=*)",
              "(description;y-z=*)"):
        assert not found(f), f
    assert root.compare_s(thing, "description", "three")
    assert root.compare_s(thing, "description;lang-en-", "two")
    assert not root.compare_s(thing, "description;lang-en", "two")
    with pytest.raises(ldap.NO_SUCH_ATTRIBUTE):
        root.compare_s(thing, "description;lang-fr", "two")
    # the same description, however it is written, and the first way stays
    root.modify_s(thing, [(MOD_ADD, "DESCRIPTION;X-A;x-B", [b"six"])])
    assert values(root, thing, "description;x-A;X-b") == ["four", "six"]


def test_E31_ranges_are_not_stored(root, thing, scratch):
    for name in ("description;lang-en-", "description;lang-", "cn;x-"):
        for t in (MOD_ADD, MOD_REPLACE):
            assert "range" in refused(ldap.UNDEFINED_TYPE, lambda:
                                      root.modify_s(thing, [(t, name, [b"x"])]))
        refused(ldap.UNDEFINED_TYPE, lambda: root.add_s(
            f"cn=y,{scratch}", [("objectClass", [b"thing"]), ("cn", [b"y"]),
                                (name, [b"x"])]))
    refused(ldap.UNDEFINED_TYPE, lambda: root.modify_s(
        thing, [(MOD_DELETE, "description;lang-", None)]))
    assert "option 'y-z' is not known" in refused(
        ldap.UNDEFINED_TYPE, lambda: root.modify_s(
            thing, [(MOD_ADD, "cn;y-z", [b"x"])]))


def test_E32_binary(root, thing, scratch, server):
    assert "requires ;binary transfer" in refused(
        ldap.UNDEFINED_TYPE, lambda: root.modify_s(
            thing, [(MOD_ADD, "userCertificate", [b"x"])]))
    assert "'binary'" in refused(ldap.UNDEFINED_TYPE, lambda: root.modify_s(
        thing, [(MOD_ADD, "description;binary", [b"x"])]))
    assert get(root, thing, "cn;binary") == {}
    cert = certificate()
    root.modify_s(thing, [(MOD_ADD, "userCertificate;binary", [cert])])
    for asked in ("userCertificate", "userCertificate;binary", "*",
                  "2.5.4.36"):
        assert get(root, thing, asked)["userCertificate;binary"] == [cert]
    assert root.search_s(scratch, 2, "(userCertificate=*)")
    assert root.search_s(scratch, 2, "(userCertificate;binary=*)")
    p = server.load(f"dn: cn=c,{SUFFIX}\nobjectClass: thing\ncn: c\n"
                    "userCertificate:: AAAA\n", "-u", check=False)
    assert p.returncode != 0 and "binary" in p.stderr


def certificate():
    """DER of one (the server looks at its form, not at its signature)."""
    def tlv(tag, *parts):
        body = b"".join(parts)
        n = len(body)
        size = bytes([n]) if n < 128 else bytes([0x81, n])
        return bytes([tag]) + size + body

    alg = tlv(0x30, tlv(6, bytes.fromhex("2a864886f70d01010b")), tlv(5))
    name = tlv(0x30, tlv(0x31, tlv(0x30, tlv(6, b"\x55\x04\x03"),
                                   tlv(12, b"x"))))
    key = tlv(0x30, tlv(0x30, tlv(6, bytes.fromhex("2a864886f70d010101")),
                        tlv(5)), tlv(3, b"\0", tlv(0x30, tlv(2, b"\x05"),
                                                   tlv(2, b"\x03"))))
    tbs = tlv(0x30, tlv(0xa0, tlv(2, b"\x02")), tlv(2, b"\x01"), alg, name,
              tlv(0x30, tlv(23, b"200101000000Z"), tlv(23, b"300101000000Z")),
              name, key)
    return tlv(0x30, tbs, alg, tlv(3, b"\0\1"))


def test_E33_subtypes_and_indexes(root, thing, scratch):
    root.modify_s(thing, [(MOD_ADD, "cn;lang-de", [b"Ding"]),
                          (MOD_ADD, "exactName", [b"Exact"]),
                          (MOD_ADD, "name", [b"plain"])])
    for f in ("(cn=ding)", "(name=DING)", "(cn;lang-de=ding)", "(name=din*)",
              "(cn;lang-de-=ding)", "(name=exact)", "(exactName=Exact)",
              "(name=plain)"):
        assert [d for d, _ in root.search_s(scratch, 2, f)] == [thing], f
    for f in ("(cn;lang-de=thing)", "(exactName=exact)", "(cn=plain)",
              "(cn=exact)"):
        assert root.search_s(scratch, 2, f) == [], f
    assert root.compare_s(thing, "name", "ding")
    assert root.compare_s(thing, "name", "Exact")
    assert not root.compare_s(thing, "exactName", "exact")


def test_E34_index_without_subtypes(make, backend):
    s = make(extra=OWN, databases=[Database(
        backend, indexes="index cn eq,nosubtypes\nindex name eq\n")])
    s.load(f"dn: {SUFFIX}\nobjectClass: dcObject\nobjectClass: organization\n"
           f"dc: example\no: x\n\ndn: cn=t,{SUFFIX}\nobjectClass: thing\n"
           "cn: t\ncn;lang-de: Ding\n")
    s.start()
    c = s.root()
    for f in ("(cn=ding)", "(cn;lang-de=ding)", "(name=ding)", "(cn=t)"):
        assert [d for d, _ in c.search_s(SUFFIX, 2, f)] == [
            f"cn=t,{SUFFIX}"], f


def test_E35_features(root):
    assert {f"1.3.6.1.4.1.4203.1.5.{i}".encode() for i in range(1, 6)} | {
        b"1.3.6.1.1.14"} <= set(get(root, "", "supportedFeatures")
                                ["supportedFeatures"])


# ---- requested attributes ----

def test_E40_requested_attributes(root, thing):
    root.modify_s(thing, [(MOD_ADD, "description", [b"d"]),
                          (MOD_ADD, "exactName", [b"e"]),
                          (MOD_ADD, "number", [b"1"])])
    user = {"objectClass", "cn", "description", "exactName", "number"}

    def names(*asked):
        return set(get(root, thing, *asked))

    assert names() == names("*") == names("*", "1.1") == user
    assert names("1.1") == names("nosuch") == names("@nosuch") == set()
    assert names("1.1", "cn") == names("nosuch", "2.5.4.3") == {"cn"}
    operational = names("+")
    assert "entryUUID" in operational and not operational & user
    assert names("*", "+") == user | operational
    assert names("@thing") == user
    assert names("@person") == {"objectClass", "cn", "description"}
    assert names("!person") == {"exactName", "number"}
    assert names("@extensibleObject") == user
    assert names("@1.1.3.1", "entryUUID") == user | {"entryUUID"}
    assert names("name") == {"cn", "exactName"}
    r = root.search_s(thing, 0, attrlist=["cn", "number", "entryDN"],
                      attrsonly=1)[0][1]
    assert r == {"cn": [], "number": [], "entryDN": []}


# ---- increment ----

def test_E50_long_integers(root, thing):
    root.modify_s(thing, [(MOD_ADD, "number", [b"9" * 40, b"-1"])])
    root.modify_s(thing, [(MOD_INCREMENT, "number", [b"1"])])
    assert values(root, thing, "number") == ["1" + "0" * 40, "0"]
    root.modify_s(thing, [(MOD_INCREMENT, "number", [b"-1" + b"0" * 40])])
    assert values(root, thing, "number") == ["0", "-1" + "0" * 40]
    refused(ldap.INVALID_SYNTAX, lambda: root.modify_s(
        thing, [(MOD_INCREMENT, "number", [b"x"])]))


def test_E60_everything_wrong_is_told(root, scratch):
    """Values that are refused do not hide what else is wrong."""
    with pytest.raises(ldap.UNDEFINED_TYPE) as e:
        root.add_s(f"cn=x,{scratch}", [
            ("objectClass", [b"inetOrgPerson"]), ("givnName", [b"q"]),
            ("mail", ["\u00fc@x".encode(), b"ok@x"]), ("uidNumber", [b"12"]),
            ("displayName", [b"a", b"b"])])
    info = e.value.args[0]["info"]
    for words in ("givnName: attribute type undefined (did you mean "
                  "'givenName'?)",
                  "mail: value #0 invalid per syntax: value is not an ASCII",
                  "displayName: multiple values provided",
                  "attribute 'uidNumber' not allowed",
                  "requires attribute 'sn'"):
        assert words in info
    assert info.count("displayName") == 1 and info.count("mail") == 1
