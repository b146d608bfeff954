"""W: add, modify, delete; what each client library makes of them."""
import ldap
import ldap.modlist
import people
import pytest
from conftest import ROOTDN, ROOTPW, SUFFIX, parse_ldif, person
from ldap import MOD_ADD, MOD_DELETE, MOD_INCREMENT, MOD_REPLACE


def get(conn, dn, *attrs):
    return conn.search_s(dn, 0, "(objectClass=*)", list(attrs) or None)[0][1]


def test_W01_add_and_delete(root, scratch):
    dn = f"cn=Jane Roe,{scratch}"
    root.add_s(dn, person("Jane Roe", mail=["a@x.org", "b@x.org"]))
    e = get(root, dn)
    assert e == {"objectClass": [b"inetOrgPerson"], "cn": [b"Jane Roe"],
                 "sn": [b"Test"], "mail": [b"a@x.org", b"b@x.org"]}
    with pytest.raises(ldap.ALREADY_EXISTS):
        root.add_s(dn.upper(), person("Jane Roe"))
    root.delete_s(dn)
    with pytest.raises(ldap.NO_SUCH_OBJECT):
        get(root, dn)
    with pytest.raises(ldap.NO_SUCH_OBJECT):
        root.delete_s(dn)
    root.add_s(dn, person("Jane Roe"))


def test_W02_add_operational(root, scratch):
    dn = f"cn=ops,{scratch}"
    root.add_s(dn, person("ops"))
    e = get(root, dn, "+")
    assert e["creatorsName"] == e["modifiersName"] == [ROOTDN.encode()]
    assert e["structuralObjectClass"] == [b"inetOrgPerson"]
    assert e["createTimestamp"] == e["modifyTimestamp"]
    assert e["entryDN"] == [dn.encode()]
    assert e["subschemaSubentry"] == [b"cn=Subschema"]
    assert e["hasSubordinates"] == [b"FALSE"]


def test_W03_add_supplies_naming_values(root, scratch):
    dn = f"uid=abc+cn=Named Here,{scratch}"
    root.add_s(dn, [("objectClass", [b"inetOrgPerson"]), ("sn", [b"x"])])
    got = root.search_s(scratch, 1, "(uid=abc)")
    assert got[0][1]["cn"] == [b"Named Here"]
    assert got[0][0].lower() in (dn.lower(),
                                 f"cn=named here+uid=abc,{scratch}".lower())


def test_W04_add_errors(root, scratch):
    with pytest.raises(ldap.NO_SUCH_OBJECT) as e:
        root.add_s(f"cn=a,cn=missing,{scratch}", person("a"))
    assert e.value.args[0]["matched"] == scratch
    with pytest.raises(ldap.PROTOCOL_ERROR):
        root.add_s(f"cn=b,{scratch}", [])
    with pytest.raises(ldap.TYPE_OR_VALUE_EXISTS):
        root.add_s(f"cn=c,{scratch}", person("c", mail=["x@y", "X@Y"]))
    with pytest.raises(ldap.CONSTRAINT_VIOLATION):
        root.add_s(f"cn=d,{scratch}", person(
            "d", entryUUID="11111111-1111-1111-1111-111111111111"))
    with pytest.raises(ldap.INVALID_DN_SYNTAX):
        root.add_s("what", person("e"))
    with pytest.raises((ldap.NO_SUCH_OBJECT, ldap.UNWILLING_TO_PERFORM)):
        root.add_s("dc=elsewhere", person("e"))
    assert root.search_s(scratch, 1) == []


def test_W05_modify_add(root, scratch):
    dn = f"cn=m,{scratch}"
    root.add_s(dn, person("m"))
    root.modify_s(dn, [(MOD_ADD, "mail", [b"1@x"]),
                       (MOD_ADD, "description", [b"d1", b"d2"])])
    root.modify_s(dn, [(MOD_ADD, "mail", [b"2@x"])])
    assert get(root, dn, "mail", "description") == {
        "mail": [b"1@x", b"2@x"], "description": [b"d1", b"d2"]}
    with pytest.raises(ldap.TYPE_OR_VALUE_EXISTS) as e:
        root.modify_s(dn, [(MOD_ADD, "mail", [b"2@X"])])
    assert "mail" in e.value.args[0]["info"]
    assert get(root, dn, "mail")["mail"] == [b"1@x", b"2@x"]


def test_W06_modify_delete(root, scratch):
    dn = f"cn=m,{scratch}"
    root.add_s(dn, person("m", mail=["1@x", "2@x", "3@x"], title="t"))
    root.modify_s(dn, [(MOD_DELETE, "mail", [b"2@X"])])
    assert get(root, dn, "mail")["mail"] == [b"1@x", b"3@x"]
    root.modify_s(dn, [(MOD_DELETE, "mail", None)])
    assert get(root, dn, "mail") == {}
    with pytest.raises(ldap.NO_SUCH_ATTRIBUTE):
        root.modify_s(dn, [(MOD_DELETE, "mail", None)])
    with pytest.raises(ldap.NO_SUCH_ATTRIBUTE):
        root.modify_s(dn, [(MOD_DELETE, "title", [b"other"])])


def test_W07_modify_replace(root, scratch):
    dn = f"cn=m,{scratch}"
    root.add_s(dn, person("m", mail=["1@x", "2@x"], title="t"))
    root.modify_s(dn, [(MOD_REPLACE, "mail", [b"9@x"]),
                       (MOD_REPLACE, "title", None),
                       (MOD_REPLACE, "initials", None)])
    assert get(root, dn, "mail", "title") == {"mail": [b"9@x"]}
    # replaced, it stands last
    assert list(get(root, dn))[-1] == "mail"


def test_W08_modify_increment(root, scratch):
    dn = f"cn=m,{scratch}"
    root.add_s(dn, [("objectClass", [b"inetOrgPerson", b"posixAccount"]),
                    ("cn", [b"m"]), ("sn", [b"m"]), ("uid", [b"m"]),
                    ("uidNumber", [b"41"]), ("gidNumber", [b"7"]),
                    ("homeDirectory", [b"/"])])
    root.modify_s(dn, [(MOD_INCREMENT, "uidNumber", [b"1"])])
    assert get(root, dn, "uidNumber")["uidNumber"] == [b"42"]
    root.modify_s(dn, [(MOD_INCREMENT, "uidNumber", [b"-50"])])
    assert get(root, dn, "uidNumber")["uidNumber"] == [b"-8"]
    assert root.search_s(scratch, 2, "(uidNumber=-8)")
    with pytest.raises(ldap.CONSTRAINT_VIOLATION):
        root.modify_s(dn, [(MOD_INCREMENT, "sn", [b"1"])])
    with pytest.raises(ldap.NO_SUCH_ATTRIBUTE):
        root.modify_s(dn, [(MOD_ADD, "objectClass", [b"shadowAccount"]),
                           (MOD_INCREMENT, "shadowMax", [b"1"])])


def test_W09_modify_is_all_or_nothing(root, scratch):
    dn = f"cn=m,{scratch}"
    root.add_s(dn, person("m", title="before"))
    stamp = get(root, dn, "entryCSN")
    with pytest.raises(ldap.NO_SUCH_ATTRIBUTE):
        root.modify_s(dn, [(MOD_REPLACE, "title", [b"after"]),
                           (MOD_DELETE, "mail", [b"none"])])
    assert get(root, dn, "title")["title"] == [b"before"]
    assert get(root, dn, "entryCSN") == stamp
    # in sequence: what the first adds the second may delete
    root.modify_s(dn, [(MOD_ADD, "mail", [b"a@x"]),
                       (MOD_DELETE, "mail", [b"a@x"]),
                       (MOD_REPLACE, "title", [b"after"])])
    assert get(root, dn, "title", "mail") == {"title": [b"after"]}
    assert get(root, dn, "entryCSN") != stamp


def test_W10_modify_errors(root, scratch):
    dn = f"cn=m,{scratch}"
    root.add_s(dn, person("m"))
    for exc, mods in [
            (ldap.NOT_ALLOWED_ON_RDN, [(MOD_DELETE, "cn", [b"m"])]),
            (ldap.NOT_ALLOWED_ON_RDN, [(MOD_REPLACE, "cn", [b"other"])]),
            (ldap.UNDEFINED_TYPE, [(MOD_ADD, "noSuch", [b"x"])]),
            (ldap.CONSTRAINT_VIOLATION, [(MOD_REPLACE, "entryUUID", [b"x"])]),
            (ldap.OBJECT_CLASS_VIOLATION, [(MOD_DELETE, "sn", None)]),
            (ldap.INVALID_SYNTAX, [(MOD_ADD, "seeAlso", [b"no dn"])]),
    ]:
        with pytest.raises(exc):
            root.modify_s(dn, mods)
    with pytest.raises(ldap.NO_SUCH_OBJECT):
        root.modify_s("cn=none," + scratch, [(MOD_ADD, "title", [b"x"])])
    # another value of the naming attribute may come and go
    root.modify_s(dn, [(MOD_ADD, "cn", [b"second"])])
    root.modify_s(dn, [(MOD_DELETE, "cn", [b"second"])])


def test_W11_indexes_follow_changes(root, scratch):
    dn = f"cn=indexed,{scratch}"
    root.add_s(dn, person("indexed", mail="old@x.org", uid="idx1"))

    def found(f):
        return [d for d, _ in root.search_s(scratch, 2, f, ["1.1"])]

    assert found("(mail=old@*)") == found("(uid=IDX1)") == [dn]
    root.modify_s(dn, [(MOD_REPLACE, "mail", [b"new@x.org"])])
    assert found("(mail=old@*)") == [] and found("(mail=*new*)") == [dn]
    root.modify_s(dn, [(MOD_DELETE, "mail", None)])
    assert found("(mail=*)") == [] and found("(!(mail=*))") == [scratch, dn]
    root.delete_s(dn)
    assert found("(uid=idx1)") == found("(cn=indexed)") == []


def test_W12_delete_non_leaf(root, scratch):
    root.add_s(f"ou=sub,{scratch}", [("objectClass", [b"organizationalUnit"])])
    with pytest.raises(ldap.NOT_ALLOWED_ON_NONLEAF):
        root.delete_s(scratch)
    root.delete_s(f"ou=sub,{scratch}")
    root.delete_s(scratch)
    with pytest.raises(ldap.NO_SUCH_OBJECT):
        root.search_s(scratch, 0)


def test_W13_large_values(root, scratch):
    dn = f"cn=large,{scratch}"
    photo = people.JPEG + bytes(range(256)) * 2000
    root.add_s(dn, person("large", jpegPhoto=photo))
    assert get(root, dn, "jpegPhoto")["jpegPhoto"] == [photo]
    many = [b"value %d" % i for i in range(3000)]
    root.modify_s(dn, [(MOD_ADD, "description", many)])
    assert get(root, dn, "description")["description"] == many
    root.modify_s(dn, [(MOD_DELETE, "description", many[100:2900])])
    assert get(root, dn, "description")["description"] == \
        many[:100] + many[2900:]


def test_W14_unicode(root, scratch):
    dn = f"cn=Ελένη 美咲 Müller,{scratch}"
    root.add_s(dn, person("Ελένη 美咲 Müller"))
    got = root.search_s(scratch, 1, "(cn=ελένη 美咲 MÜLLER)")
    assert got[0][0] == dn
    # one letter or letter and combining mark: the same name
    assert root.search_s(scratch, 1, "(cn=*mu\u0308ller)")
    with pytest.raises(ldap.ALREADY_EXISTS):
        root.add_s(f"cn=ελένη 美咲 MÜLLER,{scratch}", person("x"))


def test_W15_restart_keeps_all(make, backend):
    s = make(backend)
    s.load(people.ldif(5))
    s.start()
    c = s.root()
    for i in range(50):
        c.add_s(f"cn=n{i},{SUFFIX}", person(f"n{i}"))
    for i in range(0, 50, 2):
        c.modify_s(f"cn=n{i},{SUFFIX}", [(MOD_REPLACE, "title", [b"even"])])
    c.delete_s(f"cn=n1,{SUFFIX}")
    s.restart()
    c = s.root()
    assert len(c.search_s(SUFFIX, 1, "(title=even)")) == 25
    assert len(c.search_s(SUFFIX, 1, "(cn=n*)")) == 49
    assert len(parse_ldif(s.tool("cat").stdout)) == \
        len(list(people.entries(5))) + 49


def test_W16_anonymous_and_users_may_not_write(server, root, scratch):
    dn = f"cn=u,{scratch}"
    root.add_s(dn, person("u", userPassword="pw"))
    with pytest.raises(ldap.STRONG_AUTH_REQUIRED):
        server.conn().modify_s(dn, [(MOD_REPLACE, "title", [b"x"])])
    user = server.conn(dn, "pw")
    for call in (lambda: user.modify_s(dn, [(MOD_REPLACE, "title", [b"x"])]),
                 lambda: user.add_s(f"cn=v,{scratch}", person("v")),
                 lambda: user.delete_s(dn),
                 lambda: user.rename_s(dn, "cn=w")):
        with pytest.raises(ldap.INSUFFICIENT_ACCESS):
            call()


def test_W20_ldap_utils(server, scratch):
    server.client("ldapadd", input=f"""dn: cn=U,{scratch}
objectClass: inetOrgPerson
cn: U
sn: Util
uid: u
mail: u@x.org

dn: ou=move,{scratch}
objectClass: organizationalUnit
ou: move

dn: cn=below,ou=move,{scratch}
objectClass: person
cn: below
sn: b
""")
    server.client("ldapmodify", input=f"""dn: cn=U,{scratch}
changetype: modify
add: title
title: Tester
-
replace: sn
sn: Replaced
-
delete: mail
mail: u@x.org
-

dn: ou=move,{scratch}
changetype: modrdn
newrdn: ou=moved
deleteoldrdn: 1
newsuperior: {SUFFIX}
""")
    out = server.client("ldapsearch", "-LLL", "-b", scratch, "(cn=u)",
                        "title", "sn", "mail").stdout
    assert "title: Tester" in out and "sn: Replaced" in out
    assert "mail" not in out
    server.client("ldapsearch", "-b", f"cn=below,ou=moved,{SUFFIX}", "-s",
                  "base")
    server.client("ldapmodrdn", "-r", f"cn=U,{scratch}", "cn=V")
    p = server.client("ldapcompare", f"cn=V,{scratch}", "title:TESTER",
                      check=False)
    assert p.returncode == 6
    server.client("ldapdelete", f"cn=V,{scratch}",
                  f"cn=below,ou=moved,{SUFFIX}", f"ou=moved,{SUFFIX}")
    p = server.client("ldapdelete", f"cn=V,{scratch}", check=False)
    assert p.returncode == 32


def test_W21_ldap3(server, scratch):
    import ldap3
    c = ldap3.Connection(ldap3.Server("127.0.0.1", port=server.port,
                                      get_info=ldap3.ALL),
                         ROOTDN, ROOTPW, auto_bind=True)
    dn = f"cn=three,{scratch}"
    assert c.add(dn, ["inetOrgPerson", "posixAccount"], {
        "sn": "x", "uid": "three", "uidNumber": 7, "gidNumber": 7,
        "homeDirectory": "/", "mail": ["a@x", "b@x"]}), c.result
    assert c.modify(dn, {
        "mail": [(ldap3.MODIFY_DELETE, ["a@x"]), (ldap3.MODIFY_ADD, ["c@x"])],
        "sn": [(ldap3.MODIFY_REPLACE, ["y"])],
        "uidNumber": [(ldap3.MODIFY_INCREMENT, [5])]}), c.result
    assert c.compare(dn, "uidNumber", 12)
    assert c.add(f"ou=x,{scratch}", "organizationalUnit"), c.result
    assert c.modify_dn(dn, "cn=four", new_superior=f"ou=x,{scratch}"), c.result
    assert c.modify_dn(f"ou=x,{scratch}", "ou=y"), c.result
    dn = f"cn=four,ou=y,{scratch}"
    assert c.search(dn, "(objectClass=*)", "BASE", attributes=["*"])
    e = c.entries[0]
    assert sorted(e.mail.values) == ["b@x", "c@x"] and e.sn.value == "y"
    assert c.extend.standard.who_am_i() == "dn:" + ROOTDN
    assert c.delete(dn) and c.delete(f"ou=y,{scratch}"), c.result
    c.unbind()
