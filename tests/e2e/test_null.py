"""N: back-null, the smallest backend."""
import ldap
import pytest
from conftest import (PASSWORD, PEER, ROOTDN, ROOTPW, SUFFIX, Database,
                      person)


@pytest.fixture
def null(make):
    def start(extra=""):
        return make(databases=[Database("null", extra=extra)]).start()
    return start


def test_N01_swallows_all(null):
    c = null().root()
    dn = f"cn=x,{SUFFIX}"
    c.add_s(dn, person("x"))
    c.modify_s(dn, [(ldap.MOD_REPLACE, "title", [b"x"])])
    c.rename_s(dn, "cn=y")
    c.delete_s(dn)
    assert c.search_s(SUFFIX, 2) == []
    assert c.compare_s(dn, "cn", "x") is False


def test_N02_bind(null):
    s = null()
    with pytest.raises(ldap.INVALID_CREDENTIALS):
        s.conn(f"cn=any,{SUFFIX}", "any")
    assert s.root().whoami_s() == "dn:" + ROOTDN
    s = null("bind on\n")
    assert s.conn(f"cn=any,{SUFFIX}", "any").whoami_s() == \
        f"dn:cn=any,{SUFFIX}"


def test_N03_dosearch(null):
    c = null("dosearch on\n").root()
    for base, scope in ((SUFFIX, 2), (f"cn=deep,{SUFFIX}", 0)):
        assert [dn for dn, _ in c.search_s(base, scope)] == [SUFFIX]
