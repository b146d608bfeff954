"""C: schema checking of writes, its texts, schema definitions."""
import ldap
import ldap.schema
import pytest
from conftest import PEER, SUFFIX, person, schema_lines
from ldap import MOD_ADD, MOD_DELETE, MOD_REPLACE


def refused(exc, call):
    with pytest.raises(exc) as e:
        call()
    return e.value.args[0].get("info", "")


@pytest.mark.parametrize("attrs, exc, words", [
    ({"objectClass": ["inetOrgPerson"], "cn": ["x"]},
     ldap.OBJECT_CLASS_VIOLATION, "'inetOrgPerson' requires attribute 'sn'"),
    ({"objectClass": ["person"], "cn": ["x"], "sn": ["x"], "mail": ["a@b"]},
     ldap.OBJECT_CLASS_VIOLATION, "attribute 'mail' not allowed"),
    ({"cn": ["x"], "sn": ["x"]},
     ldap.OBJECT_CLASS_VIOLATION, "no objectClass attribute"),
    ({"objectClass": ["posixAccount"], "cn": ["x"], "uid": ["x"],
      "uidNumber": ["1"], "gidNumber": ["1"], "homeDirectory": ["/"]},
     ldap.OBJECT_CLASS_VIOLATION, "no structural object class"),
    ({"objectClass": ["person", "device"], "cn": ["x"], "sn": ["x"]},
     ldap.OBJECT_CLASS_VIOLATION,
     "invalid structural object class chain (person/device)"),
    ({"objectClass": ["noSuchClass"], "cn": ["x"]},
     ldap.INVALID_SYNTAX, "objectClass: value #0 invalid per syntax"),
    ({"objectClass": ["person"], "cn": ["x"], "sn": ["x"], "bogus": ["1"]},
     ldap.UNDEFINED_TYPE, "bogus: attribute type undefined"),
    ({"objectClass": ["inetOrgPerson"], "cn": ["x"], "sn": ["x"],
      "seeAlso": ["ou=ok", "not a dn"]},
     ldap.INVALID_SYNTAX, "seeAlso: value #1 invalid per syntax"),
    ({"objectClass": ["inetOrgPerson"], "cn": ["x"], "sn": ["x"],
      "preferredDeliveryMethod": ["physical"], "displayName": ["a", "b"]},
     ldap.CONSTRAINT_VIOLATION,
     "displayName"),
    ({"objectClass": ["inetOrgPerson"], "cn": ["x"], "sn": ["x"],
      "mail": ["ünicode@x"]},
     ldap.INVALID_SYNTAX, "mail: value #0 invalid per syntax"),
    ({"objectClass": ["inetOrgPerson"], "cn": ["x"], "sn": ["x"],
      "title": ["a", "b", "A "]},
     ldap.TYPE_OR_VALUE_EXISTS, "title: value #"),
    ({"objectClass": ["top"], "cn": ["x"]},
     ldap.OBJECT_CLASS_VIOLATION, ""),
    ({"objectClass": ["person"], "cn": ["x"], "sn": ["x"],
      "createTimestamp": ["20200101000000Z"]},
     ldap.CONSTRAINT_VIOLATION, "createTimestamp: no user modification allowed"),
])
def test_C01_add_texts(root, scratch, attrs, exc, words):
    info = refused(exc, lambda: root.add_s(f"cn=x,{scratch}", [
        (a, [v.encode() for v in vs]) for a, vs in attrs.items()]))
    assert words in info


def test_C02_modify_texts(root, scratch):
    dn = f"cn=x,{scratch}"
    root.add_s(dn, person("x", displayName="one"))
    for exc, words, mods in [
            (ldap.OBJECT_CLASS_VIOLATION, "requires attribute 'sn'",
             [(MOD_DELETE, "sn", None)]),
            (ldap.OBJECT_CLASS_VIOLATION, "attribute 'uidNumber' not allowed",
             [(MOD_ADD, "uidNumber", [b"1"])]),
            (ldap.UNDEFINED_TYPE, "bogus: attribute type undefined",
             [(MOD_ADD, "bogus", [b"1"])]),
            (ldap.CONSTRAINT_VIOLATION, "displayName",
             [(MOD_ADD, "displayName", [b"two"])]),
            (ldap.INVALID_SYNTAX, "seeAlso: value #0 invalid per syntax",
             [(MOD_ADD, "seeAlso", [b"bad"])]),
            (ldap.NO_OBJECT_CLASS_MODS, "",
             [(MOD_REPLACE, "objectClass", [b"device"]),
              (MOD_DELETE, "sn", None), (MOD_DELETE, "displayName", None)]),
            (ldap.NO_SUCH_ATTRIBUTE, "title",
             [(MOD_DELETE, "title", [b"x"])]),
    ]:
        assert words in refused(exc, lambda: root.modify_s(dn, mods)), mods


def test_C03_auxiliary_comes_and_goes(root, scratch):
    dn = f"cn=x,{scratch}"
    root.add_s(dn, person("x", uid="x"))
    root.modify_s(dn, [(MOD_ADD, "objectClass", [b"posixAccount"]),
                       (MOD_ADD, "uidNumber", [b"5"]),
                       (MOD_ADD, "gidNumber", [b"5"]),
                       (MOD_ADD, "homeDirectory", [b"/x"])])
    assert root.search_s(scratch, 1, "(uidNumber=5)")
    refused(ldap.OBJECT_CLASS_VIOLATION, lambda: root.modify_s(
        dn, [(MOD_DELETE, "objectClass", [b"posixAccount"])]))
    root.modify_s(dn, [(MOD_DELETE, a, None) for a in
                       ("uidNumber", "gidNumber", "homeDirectory")] +
                  [(MOD_DELETE, "objectClass", [b"posixAccount"])])


def test_C04_extensible_object(root, scratch):
    root.add_s(f"cn=x,{scratch}", [
        ("objectClass", [b"device", b"extensibleObject"]), ("cn", [b"x"]),
        ("mail", [b"m@x"]), ("uidNumber", [b"3"])])


def test_C05_own_schema(make, backend):
    s = make(backend, schema=("core",), extra="""
objectidentifier Acme 1.3.6.1.4.1.99999
objectidentifier AcmeAttr Acme:1
objectidentifier AcmeClass Acme:2
attributetype ( AcmeAttr:1 NAME ( 'acmeBadge' 'acmeBadgeNumber' )
	DESC 'number on the badge'
	EQUALITY integerMatch ORDERING integerOrderingMatch
	SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE )
attributetype ( AcmeAttr:2 NAME 'acmeNick' SUP name )
objectclass ( AcmeClass:1 NAME 'acmeWorker' SUP person STRUCTURAL
	MUST acmeBadge MAY ( acmeNick $ description ) )
ditcontentrule ( AcmeClass:1 NAME 'acmeRule' NOT description )
""", extra_db="")
    # the indexes name attributes of other schema files
    s.write_conf("\n".join(line for line in s.conf_text.split("\n")
                           if not line.startswith("index")) +
                 "\nindex acmeBadge eq\n")
    s.load(f"dn: {SUFFIX}\nobjectClass: dcObject\nobjectClass: organization\n"
           "dc: example\no: x\n")
    s.start()
    c = s.root()
    c.add_s(f"cn=w,{SUFFIX}", [
        ("objectClass", [b"acmeWorker"]), ("cn", [b"w"]), ("sn", [b"w"]),
        ("acmeBadgeNumber", [b"17"]), ("acmeNick", [b"Wim"])])
    r = c.search_s(SUFFIX, 2, "(acmebadge>=10)")
    assert r[0][1]["acmeBadge"] == [b"17"]
    assert c.search_s(SUFFIX, 2, "(name=wim)")
    refused(ldap.OBJECT_CLASS_VIOLATION, lambda: c.modify_s(
        f"cn=w,{SUFFIX}", [(MOD_ADD, "description", [b"x"])]))
    e = c.search_s("cn=Subschema", 0, "(objectClass=*)",
                   ["attributeTypes", "objectClasses", "dITContentRules"])
    sub = ldap.schema.SubSchema(e[0][1])
    a = sub.get_obj(ldap.schema.AttributeType, "acmeBadge")
    assert a.oid == "1.3.6.1.4.1.99999.1.1" and a.single_value
    assert sub.get_obj(ldap.schema.DITContentRule, "1.3.6.1.4.1.99999.2.1")


@pytest.mark.parametrize("line, words", [
    ("attributetype ( 1.2.3.4.5 NAME 'x' SUP nothing )", "nothing"),
    ("attributetype ( 1.2.3.4.5 NAME 'x' SYNTAX 9.9.9 )", "9.9.9"),
    ("attributetype ( 2.5.4.3 NAME 'again' SUP name )", "2.5.4.3"),
    ("objectclass ( 1.2.3.4.5 NAME 'y' MUST missing )", "missing"),
    ("objectclass ( 1.2.3.4.5 NAME 'y' SUP missing )", "missing"),
    ("attributetype ( 1.2.3.4.5 NAME 'x' ", ""),
    ("attributetype ( x.y NAME 'x' SUP name )", ""),
])
def test_C06_bad_definitions(make, line, words):
    s = make(conf=schema_lines(("core",)) + "\n" + line + "\n")
    p = s.tool("test", "-u", check=False)
    assert p.returncode != 0
    assert words in p.stderr
    if not PEER:
        assert f"{s.conf}: line 3: " in p.stderr


@pytest.mark.skipif(bool(PEER), reason="shipped files of ours")
def test_C07_shipped_files(make, backend):
    s = make(backend, schema=("core", "cosine", "inetorgperson", "nis",
                              "dyngroup", "misc", "openldap"))
    s.tool("test")


def test_C08_options_and_subtypes(root, scratch):
    dn = f"cn=x,{scratch}"
    root.add_s(dn, person("x"))
    root.modify_s(dn, [(MOD_ADD, "cn;lang-de", [b"iks"]),
                       (MOD_ADD, "description;lang-en;lang-us", [b"d"]),
                       (MOD_ADD, "description", [b"d"])])
    e = root.search_s(dn, 0)[0][1]
    assert e["cn;lang-de"] == [b"iks"] and e["description"] == [b"d"]
    assert root.search_s(scratch, 1, "(cn=iks)")
    assert root.search_s(scratch, 1, "(cn;lang-de=iks)")
    assert not root.search_s(scratch, 1, "(cn;lang-de=x)")
    root.modify_s(dn, [(MOD_DELETE, "cn;lang-de", None)])
    assert not root.search_s(scratch, 1, "(cn=iks)")


@pytest.mark.skipif(bool(PEER), reason="slapd has no LDIF in slapd.conf")
def test_C09_schema_as_ldif(make, tmp_path):
    """slaptest takes LDIF as the file itself and included."""
    s = make(conf=schema_lines(("core",)))
    good = tmp_path / "acme"
    good.write_text(
        "dn: cn={7}acme,cn=schema,cn=config\nobjectClass: olcSchemaConfig\n"
        "cn: {7}acme\nolcAttributeTypes: {0}( 1.3.6.1.4.1.99999.1 NAME\n"
        "  'acmeNick' SUP name )\nolcObjectClasses:: KCAxLjMuNi4xLjQuMS45OTk5"
        "OS4yIE5BTUUg\n J2FjbWUnIEFVWElMSUFSWSBNQVkgYWNtZU5pY2sgKQ==\n")
    bad = tmp_path / "bad.ldif"
    bad.write_text("dn: dc=example,dc=com\nobjectClass: domain\n")
    p = s.tool("test", "-u", "-f", str(good), conf=False)
    assert "succeeded" in p.stderr
    s.write_conf(s.conf_text + f"include {good}\nobjectclass ( 1.2.3.4 NAME "
                 "'x' SUP top AUXILIARY MAY acmeNick )\n")
    s.tool("test", "-u")
    s.write_conf(s.conf_text + f"include {good}\n")
    p = s.tool("test", "-u")
    assert (f"{good}: line 4: note: 1.3.6.1.4.1.99999.1 is defined alike "
            f"already ({good} line 4)") in p.stderr
    assert "line 6: note: 1.3.6.1.4.1.99999.2 " in p.stderr
    s.write_conf(s.conf_text + f"include {bad}\n")
    p = s.tool("test", "-u", check=False)
    assert p.returncode != 0
    assert f"{bad}: line 1: entry \"dc=example,dc=com\" is no schema" in \
        p.stderr


@pytest.mark.skipif(bool(PEER), reason="texts of ours")
def test_C10_conflict_names_both_places(make):
    s = make(conf=schema_lines(("core",)) +
             "objectclass ( 1.2.3.4 NAME 'x' MAY cn )\n"
             "objectclass ( 1.2.3.4 NAME 'x' MUST cn )\n")
    p = s.tool("test", "-u", check=False)
    assert p.returncode != 0
    assert (f"{s.conf}: line 3: objectclass: '1.2.3.4' is defined already with "
            f"another MUST ({s.conf} line 2)") in p.stderr
