"""X: several databases in one server; access rules."""
import ldap
import people
import pytest
from conftest import (PEER, ROOTDN, ROOTPW, SUFFIX, Database, Server, person)

A, B = "dc=a,dc=test", "ou=inner,dc=b,dc=test"


def organization(dn):
    return (dn, [("objectClass", "dcObject"), ("objectClass", "organization"),
                 ("dc", dn.split(",")[0][3:]), ("o", "x")])


@pytest.fixture(scope="module")
def several(backend):
    s = Server(databases=[
        Database(backend, A), Database(backend, B),
        Database(backend, "dc=b,dc=test"), Database("null", "dc=null")])
    s.load(people.to_ldif([organization(A)]), "-q", "-b", A)
    s.load(people.to_ldif([(B, [("objectClass", "organizationalUnit"),
                                ("ou", "inner")])]), "-q", "-b", B)
    s.load(people.to_ldif([organization("dc=b,dc=test")]), "-q", "-b",
           "dc=b,dc=test")
    s.start()
    yield s
    s.clean()


def test_X01_each_serves_its_own(several):
    c = several.conn()
    contexts = c.search_s("", 0, "(objectClass=*)", ["namingContexts"])
    assert contexts[0][1]["namingContexts"] == [
        x.encode() for x in (A, B, "dc=b,dc=test", "dc=null")]
    for dn in (A, B, "dc=b,dc=test"):
        assert [d for d, _ in c.search_s(dn, 2)] == [dn]
    assert c.search_s("dc=null", 2) == []
    with pytest.raises(ldap.NO_SUCH_OBJECT):
        c.search_s("dc=test", 2)


def test_X02_each_has_its_rootdn(several):
    a = several.conn("cn=admin," + A, ROOTPW)
    a.add_s(f"cn=x,{A}", person("x"))
    with pytest.raises(ldap.INSUFFICIENT_ACCESS):
        a.add_s("cn=x,dc=b,dc=test", person("x"))
    with pytest.raises(ldap.AFFECTS_MULTIPLE_DSAS):
        a.rename_s(f"cn=x,{A}", "cn=x", newsuperior="dc=b,dc=test")
    a.delete_s(f"cn=x,{A}")


@pytest.mark.skipif(bool(PEER), reason="texts of ours")
def test_X03_outer_before_inner_is_an_error(make, backend):
    s = make(databases=[Database(backend, "dc=b,dc=test"),
                        Database(backend, B)])
    p = s.tool("test", "-u", check=False)
    assert p.returncode != 0 and "dc=b,dc=test" in p.stderr


def test_X04_same_suffix_twice(make, backend):
    s = make(databases=[Database(backend, A), Database(backend, A)])
    assert s.tool("test", "-u", check=False).returncode != 0


def test_X05_rootpw_needs_rootdn_inside(make, backend):
    s = make(databases=[Database(backend, A, rootdn="cn=x,dc=elsewhere")])
    assert s.tool("test", "-u", check=False).returncode != 0


def test_X06_readonly_and_restrict(make, backend):
    s = make(backend, extra_db="readonly on\n")
    s.load(people.ldif(3))
    s.start()
    with pytest.raises(ldap.UNWILLING_TO_PERFORM):
        s.root().modify_s(SUFFIX, [(0, "description", [b"x"])])
    s.stop()
    s.write_conf(s.conf_text.replace("readonly on", "restrict compare"))
    s.start()
    with pytest.raises(ldap.UNWILLING_TO_PERFORM):
        s.root().compare_s(SUFFIX, "dc", "example")
    s.root().modify_s(SUFFIX, [(0, "description", [b"x"])])


def test_X07_default_search_base(make, backend):
    s = make(backend, extra=f'defaultsearchbase "{SUFFIX}"')
    s.load(people.ldif(3))
    s.start()
    assert len(s.conn().search_s("", 2, "(uid=user1)")) == 1
    assert s.conn().search_s("", 0)[0][0] == ""


def test_X08_lastmod_off(make, backend):
    s = make(backend, extra_db="lastmod off\n")
    s.load(people.to_ldif([organization(SUFFIX)]))
    s.start()
    e = s.root().search_s(SUFFIX, 0, "(objectClass=*)", ["+"])[0][1]
    assert "createTimestamp" not in e and "modifiersName" not in e
    assert e["structuralObjectClass"] == [b"organization"]


RULES = """
access to dn.subtree="ou=Groups,%s" by users read by * none
access to attrs=userPassword by self write by anonymous auth by * none
access to attrs=title by self write by * read
access to dn.exact="ou=Deep,%s" by * none
access to * by * read
""" % (SUFFIX, SUFFIX)


def test_X10_access(make, backend):
    s = make(backend, extra_db=RULES)
    s.load(people.ldif(20))
    s.start()
    who = f"uid=user0,ou=People,{SUFFIX}"
    anonymous, user = s.conn(), s.conn(who, people.PASSWORD)
    groups = f"ou=Groups,{SUFFIX}"
    assert len(user.search_s(groups, 2)) > 1
    with pytest.raises(ldap.NO_SUCH_OBJECT):
        anonymous.search_s(groups, 2)
    assert [dn for dn, _ in anonymous.search_s(SUFFIX, 2, "(cn=group0)")] == []
    assert "userPassword" not in anonymous.search_s(who, 0)[0][1]
    assert anonymous.search_s(SUFFIX, 2, "(userPassword=*)") == []
    dns = [dn for dn, _ in anonymous.search_s(SUFFIX, 2, attrlist=["1.1"])]
    assert f"ou=Deep,{SUFFIX}" not in dns
    assert f"ou=level1,ou=Deep,{SUFFIX}" in dns
    user.modify_s(who, [(ldap.MOD_REPLACE, "title", [b"mine"])])
    with pytest.raises(ldap.INSUFFICIENT_ACCESS):
        user.modify_s(who, [(ldap.MOD_REPLACE, "sn", [b"mine"])])
    root = s.root()
    assert "userPassword" in root.search_s(who, 0)[0][1]
    assert len(root.search_s(SUFFIX, 2)) == len(list(people.entries(20)))
