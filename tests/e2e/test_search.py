"""S: searching, root DSE, subschema."""
import ldap
import ldap.schema
import people
import pytest
from conftest import NPEOPLE, PEER, ROOTDN, SUFFIX, as_set
from people import filter_escape

PEOPLE = f"ou=People,{SUFFIX}"
ALL = list(people.entries(NPEOPLE))


def dns(conn, base, scope, filt="(objectClass=*)", attrs=("1.1",)):
    return [dn for dn, _ in conn.search_s(base, scope, filt, list(attrs))]


def uids(conn, filt, base=SUFFIX):
    return {e["uid"][0].decode() for _, e in
            conn.search_s(base, 2, filt, ["uid"]) if "uid" in e}


def where(test):
    """uids of the people whose attributes (dict of lists) pass TEST."""
    out = set()
    for _, attrs in ALL:
        e = {}
        for a, v in attrs:
            e.setdefault(a, []).append(v)
        if "uid" in e and test(e):
            out.add(e["uid"][0])
    return out


def test_S01_scopes(root):
    assert dns(root, SUFFIX, ldap.SCOPE_BASE) == [SUFFIX]
    one = dns(root, SUFFIX, ldap.SCOPE_ONELEVEL)
    assert {f"ou=People,{SUFFIX}", f"ou=Groups,{SUFFIX}"} <= set(one)
    assert all(dn.count(",") == 2 for dn in one)
    sub = dns(root, SUFFIX, ldap.SCOPE_SUBTREE, "(!(ou=scratch*))")
    assert len(sub) == len(ALL) and sub[0] == SUFFIX
    children = dns(root, SUFFIX, ldap.SCOPE_SUBORDINATE, "(!(ou=scratch*))")
    assert children == sub[1:]
    assert len(dns(root, f"ou=Deep,{SUFFIX}", 2, "(ou=*)")) == 16
    assert dns(root, f"ou=Groups,{SUFFIX}", 0) == [f"ou=Groups,{SUFFIX}"]


def test_S02_no_such_object_names_what_matched(root):
    with pytest.raises(ldap.NO_SUCH_OBJECT) as e:
        root.search_s(f"cn=a,cn=b,{PEOPLE}", 2)
    assert e.value.args[0]["matched"] == PEOPLE


def test_S03_no_base_of_ours(server):
    c = server.conn()
    with pytest.raises(ldap.NO_SUCH_OBJECT):
        c.search_s("dc=elsewhere", 2)
    with pytest.raises(ldap.INVALID_DN_SYNTAX):
        c.search_s("not a dn", 2)


@pytest.mark.parametrize("filt, test", [
    ("(uid=user7)", lambda e: e["uid"] == ["user7"]),
    ("(UID=USER7)", lambda e: e["uid"] == ["user7"]),
    ("(uid= user7 )", lambda e: e["uid"] == ["user7"]),
    ("(l=new york)", lambda e: e["l"] == ["New  York"]),
    ("(mail=*)", lambda e: True),
    ("(description=*)", lambda e: "description" in e),
    ("(!(description=*))", lambda e: "description" not in e),
    ("(uid=user1*)", lambda e: e["uid"][0].startswith("user1")),
    ("(uid=*7)", lambda e: e["uid"][0].endswith("7")),
    ("(mail=*lias.1*)", lambda e: any("lias.1" in m for m in e["mail"])),
    ("(mail=al*.1*org)", lambda e: any(
        m.startswith("alias.1") for m in e["mail"])),
    ("(uidNumber>=10050)", lambda e: int(e["uidNumber"][0]) >= 10050),
    ("(uidNumber<=10007)", lambda e: int(e["uidNumber"][0]) <= 10007),
    ("(&(uidNumber>=10010)(uidNumber<=10019))",
     lambda e: 10010 <= int(e["uidNumber"][0]) <= 10019),
    ("(|(uid=user1)(uid=user2)(uid=nobody))",
     lambda e: e["uid"][0] in ("user1", "user2")),
    ("(&(gidNumber=101)(!(title=clerk)))",
     lambda e: e["gidNumber"] == ["101"] and e["title"] != ["Clerk"]),
    ("(&)", lambda e: True),
    ("(|)", lambda e: False),
    ("(&(uid=*)(noSuchAttribute=1))", lambda e: False),
    ("(|(uid=user3)(noSuchAttribute=1))", lambda e: e["uid"] == ["user3"]),
    ("(!(noSuchAttribute=1))", lambda e: False),
    ("(uidNumber=notanumber)", lambda e: False),
    ("(!(uidNumber=notanumber))", lambda e: False),
    ("(telephoneNumber=+31200050005)",
     lambda e: e["telephoneNumber"] == ["+31 20 005-0005"]),
    ("(objectClass=person)", lambda e: True),
    ("(objectClass=2.5.6.6)", lambda e: True),
    ("(2.5.4.4=smith)", lambda e: e["sn"] == ["Smith"]),
    ("(surname=smith)", lambda e: e["sn"] == ["Smith"]),
    ("(name=smith)", lambda e: e["sn"] == ["Smith"]),
    ("(cn=* de *)", lambda e: "cn;lang-fr" in e or " de " in e["cn"][0]),
    ("(cn;lang-fr=*)", lambda e: "cn;lang-fr" in e),
    ("(cn;lang-=*)", lambda e: "cn;lang-fr" in e),
    ("(jpegPhoto=*)", lambda e: "jpegPhoto" in e),
    ("(initials=A\\2aB\\28C\\29\\5cD)", lambda e: "initials" in e),
    ("(initials=a\\2A*)", lambda e: "initials" in e),
    ("(title:caseExactMatch:=engineer)", lambda e: e["title"] == ["engineer"]),
    ("(title:2.5.13.2:=engineer)",
     lambda e: e["title"][0].lower() == "engineer"),
    ("(carLicense=two blanks)", lambda e: "carLicense" in e),
])
def test_S04_filters(root, filt, test):
    assert uids(root, f"(&(uid=*){filt})" if "uid" not in filt.lower()
                else filt, SUFFIX) == where(test)


def test_S05_dn_valued_filters(root):
    member = ALL[30][0]
    got = dns(root, SUFFIX, 2, f"(member={filter_escape(member)})")
    want = [dn for dn, attrs in ALL if ("member", member) in attrs]
    assert got == want and want
    if "\\" not in member:
        loud = filter_escape(member.upper().replace(",", " , "))
        assert dns(root, SUFFIX, 2, f"(member={loud})") == want
    assert dns(root, SUFFIX, 2, f"(entryDN={filter_escape(member)})") == \
        [member]
    got = dns(root, SUFFIX, 2, "(ou:dn:=Deep)")
    assert len(got) == len([dn for dn, _ in ALL if "ou=Deep" in dn])


def test_S06_attribute_selection(root):
    dn = next(dn for dn, attrs in ALL if ("uid", "user0") in attrs)

    def names(*attrs):
        return set(root.search_s(dn, 0, "(objectClass=*)", attrs)[0][1])

    everything = names()
    assert "uid" in everything and "entryUUID" not in everything
    assert names("*") == everything
    assert names("1.1") == set()
    assert names("1.1", "sn") == {"sn"}
    assert names("sn", "UID", "nothing") == {"sn", "uid"}
    operational = names("+")
    assert {"structuralObjectClass", "entryUUID", "creatorsName",
            "createTimestamp", "entryCSN", "modifiersName", "modifyTimestamp",
            "entryDN", "subschemaSubentry", "hasSubordinates"} <= operational
    assert not everything & operational
    assert names("*", "+") == everything | operational
    assert names("name") == {"cn", "sn", "givenName", "cn;lang-fr", "l",
                             "title", "initials"} & everything
    assert names("cn") == {"cn", "cn;lang-fr"}
    assert names("cn;lang-fr") == {"cn;lang-fr"}
    assert {"uidNumber", "homeDirectory", "cn"} <= names("@posixAccount")
    assert "mail" not in names("@posixAccount")
    assert names("entryDN", "hasSubordinates") == \
        {"entryDN", "hasSubordinates"}


def test_S07_types_only(root):
    got = root.search_ext_s(SUFFIX, 0, "(objectClass=*)", ["o", "dc"],
                            attrsonly=1)
    assert got == [(SUFFIX, {"o": [], "dc": []})]


def test_S08_has_subordinates(root):
    def has(dn):
        return root.search_s(dn, 0, "(objectClass=*)",
                             ["hasSubordinates"])[0][1]["hasSubordinates"]

    assert has(SUFFIX) == [b"TRUE"]
    assert has(f"cn=group0,ou=Groups,{SUFFIX}") == [b"FALSE"]
    got = dns(root, SUFFIX, 2, "(hasSubordinates=TRUE)")
    assert SUFFIX in got and f"cn=group0,ou=Groups,{SUFFIX}" not in got


def test_S09_order_of_answers(root):
    got = dns(root, PEOPLE, 2, "(uid=*)")
    want = [dn for dn, a in ALL if dn.startswith("uid=") and
            dn.endswith(PEOPLE)]
    assert sorted(got) == sorted(want)
    if not PEER:        # entry IDs ascend
        assert got == want


def test_S10_attribute_order_and_case(root):
    r = root.search_s(SUFFIX, 2, "(uid=user35)", ["SN", "UID"])
    assert list(r[0][1]) == ["uid", "sn"]
    r = root.search_s(SUFFIX, 2, "(uid=user35)")
    order = list(r[0][1])
    want = []
    for a, _ in next(attrs for dn, attrs in ALL if ("uid", "user35") in attrs):
        if a not in want:
            want.append(a)
    if "userPassword" not in order:
        want.remove("userPassword")
    assert order == want


def test_S11_dn_is_the_stored_one(root):
    r = dns(root, f"OU=people, DC=Example , dc=COM", 0)
    assert r == [PEOPLE]
    multi = f"sn=valued+cn=MULTI,{PEOPLE}"
    assert dns(root, multi, 0) == dns(root, PEOPLE, 1, "(cn=multi)")


def test_S12_root_dse(server):
    c = server.conn()
    e = c.search_s("", 0, "(objectClass=*)", ["*", "+"])[0][1]
    assert e["namingContexts"] == [SUFFIX.encode()]
    assert e["supportedLDAPVersion"] == [b"3"]
    assert b"1.3.6.1.4.1.4203.1.11.3" in e["supportedExtension"]
    assert {b"1.3.6.1.1.14", b"1.3.6.1.4.1.4203.1.5.1",
            b"1.3.6.1.4.1.4203.1.5.2", b"1.3.6.1.4.1.4203.1.5.3"} <= \
        set(e["supportedFeatures"])
    assert e["subschemaSubentry"] == [b"cn=Subschema"]
    assert "objectClass" in c.search_s("", 0)[0][1]
    assert "namingContexts" not in c.search_s("", 0)[0][1]
    assert c.search_s("", 0, "(objectClass=nothing)") == []
    assert c.search_s("", 0, "(namingContexts=*)", ["1.1"]) == [("", {})]


def test_S13_subschema(server):
    c = server.conn()
    at = c.search_subschemasubentry_s(SUFFIX)
    assert at == "cn=Subschema"
    r = c.search_s(at, 0, "(objectClass=subschema)", ["*", "+"])
    sub = ldap.schema.SubSchema(r[0][1])
    oc = sub.get_obj(ldap.schema.ObjectClass, "inetOrgPerson")
    assert oc.oid == "2.16.840.1.113730.3.2.2"
    assert "uid" in oc.may and oc.sup == ("organizationalPerson",)
    a = sub.get_obj(ldap.schema.AttributeType, "surname")
    assert a.names[0] == "sn" and "name" in a.sup
    u = sub.get_obj(ldap.schema.AttributeType, "uidNumber")
    assert u.single_value and u.equality == "integerMatch"
    ops = sub.get_obj(ldap.schema.AttributeType, "entryUUID")
    assert ops.no_user_mod and ops.usage == 1
    assert sub.get_obj(ldap.schema.MatchingRule, "caseIgnoreMatch").oid == \
        "2.5.13.2"
    assert sub.get_obj(ldap.schema.LDAPSyntax,
                       "1.3.6.1.4.1.1466.115.121.1.15")
    for kind in (ldap.schema.ObjectClass, ldap.schema.AttributeType):
        assert len(sub.tree(kind)) > 50
    must, may = sub.attribute_types(["inetOrgPerson", "posixAccount"])
    assert "0.9.2342.19200300.100.1.1" in must


def test_S14_compare(root):
    dn = next(dn for dn, attrs in ALL if ("uid", "user4") in attrs)
    assert root.compare_s(dn, "uid", "USER4") is True
    assert root.compare_s(dn, "uid", "user5") is False
    assert root.compare_s(dn, "surname", "nobody") is False
    with pytest.raises(ldap.NO_SUCH_ATTRIBUTE):
        root.compare_s(dn, "labeledURI", "x")
    with pytest.raises(ldap.UNDEFINED_TYPE):
        root.compare_s(dn, "noSuchAttr", "x")
    with pytest.raises(ldap.INVALID_SYNTAX):
        root.compare_s(dn, "uidNumber", "x")
    with pytest.raises(ldap.NO_SUCH_OBJECT):
        root.compare_s("cn=none," + SUFFIX, "cn", "x")
    assert root.compare_s("", "objectClass", "top") is True
    assert root.compare_s("cn=Subschema", "objectClass", "subschema") is True


def test_S15_large_entry(root):
    r = root.search_s(f"cn=group0,ou=Groups,{SUFFIX}", 0)
    assert len(r[0][1]["member"]) == min(NPEOPLE, 1500)


def test_S16_everything_readable_by_everybody(server):
    c = server.conn()
    anonymous = as_set(c.search_s(SUFFIX, 2, "(!(ou=scratch*))"))
    r = server.root()
    rooted = as_set(r.search_s(SUFFIX, 2, "(!(ou=scratch*))"))
    assert {x for x in rooted if x[1] != "userPassword"} == \
        {x for x in anonymous if x[1] != "userPassword"}


def test_S17_many_searches_at_once(server):
    c = server.root()
    ids = {c.search(SUFFIX, 2, f"(uid=user{i % NPEOPLE})", ["uid"]): i
           for i in range(300)}
    for _ in range(300):
        kind, data, msgid, _ = c.result3(ldap.RES_ANY, all=1)
        i = ids.pop(msgid)
        assert [e["uid"] for _, e in data] == \
            [[b"user%d" % (i % NPEOPLE)]]
    assert not ids


def test_S18_ldapsearch(server):
    p = server.client("ldapsearch", "-LLL", "-o", "ldif-wrap=no", "-b",
                      SUFFIX, "(uid=user9)", "uid", "entryUUID")
    assert "uid: user9\n" in p.stdout and "entryUUID: " in p.stdout
    p = server.client("ldapsearch", "-b", SUFFIX, "-s", "one", "-A",
                      "(ou=People)", dn="")
    assert "# numEntries: 1" in p.stdout and "result: 0 Success" in p.stdout
    p = server.client("ldapcompare", PEOPLE, "ou:people", check=False)
    assert p.returncode == 6 and "TRUE" in p.stdout


def test_S19_ldap3(server):
    import ldap3
    info = ldap3.Server("127.0.0.1", port=server.port, get_info=ldap3.ALL)
    c = ldap3.Connection(info, ROOTDN, people.ROOTPW, auto_bind=True)
    assert info.info.naming_contexts == [SUFFIX]
    assert "inetOrgPerson" in info.schema.object_classes
    assert c.search(SUFFIX, "(uid=user1*)", attributes=["uid", "uidNumber"])
    assert {e.uid.value for e in c.entries} == \
        where(lambda e: e["uid"][0].startswith("user1"))
    assert all(isinstance(e.uidNumber.value, int) for e in c.entries)
    c.unbind()
