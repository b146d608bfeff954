"""A: who may see and change what (a first set; the language has unit tests)."""
import ldap
import people
import pytest
from conftest import PEER, ROOTDN, SUFFIX, Server, person
from ldap import MOD_ADD, MOD_REPLACE

ANN = f"uid=user0,ou=People,{SUFFIX}"
BEN = f"uid=user1,ou=Sales,ou=People,{SUFFIX}"
RULES = f"""access to attrs=userPassword
    by self =xw
    by anonymous auth
    by * none
access to attrs=title
    by self write
    by users read
    by * none
access to dn.subtree="ou=Services,{SUFFIX}"
    by dn.exact="{ANN}" write
    by * none
access to *
    by * read
"""


@pytest.fixture(scope="module", params=["", "add_content_acl on\n"])
def guarded(backend, request):
    s = Server(backend, extra=request.param + RULES)
    s.content = bool(request.param)
    try:
        s.load(people.ldif(5))
        s.start()
        root = s.root()
        try:
            root.add_s(f"ou=Services,{SUFFIX}",
                       [("objectClass", [b"organizationalUnit"])])
        except ldap.ALREADY_EXISTS:
            pass
        for dn in (ANN, BEN):
            root.modify_s(dn, [(MOD_REPLACE, "title", [b"Secret agent"])])
        yield s
    finally:
        s.clean()


def test_A01_attributes_are_hidden(guarded):
    for conn, sees in ((guarded.conn(), False),
                       (guarded.conn(ANN, people.PASSWORD), True),
                       (guarded.root(), True)):
        e = conn.search_s(BEN, 0)[0][1]
        assert ("title" in e) == sees
        assert ("userPassword" in e) == (conn.whoami_s() == "dn:" + ROOTDN)


def test_A02_filters_tell_nothing(guarded):
    """What may not be searched is Undefined, also below a NOT."""
    anon = guarded.conn()
    for f in ("(title=Secret agent)", "(!(title=Secret agent))",
              "(title=*)", "(!(title=x))", "(userPassword=*)"):
        assert [d for d, _ in anon.search_s(f"ou=People,{SUFFIX}", 2, f)
                if d in (ANN, BEN)] == []
    assert len(guarded.root().search_s(SUFFIX, 2, "(title=Secret agent)")) == 2


def test_A03_compare(guarded):
    with pytest.raises(ldap.INSUFFICIENT_ACCESS):
        guarded.conn(ANN, people.PASSWORD).compare_s(
            BEN, "userPassword", people.PASSWORD.encode())


def test_A04_subtree_is_hidden(guarded):
    base = f"ou=Services,{SUFFIX}"
    with pytest.raises(ldap.NO_SUCH_OBJECT):
        guarded.conn().search_s(base, 0)
    assert not [d for d, _ in guarded.conn().search_s(SUFFIX, 2)
                if d.endswith(base)]
    assert guarded.conn(ANN, people.PASSWORD).search_s(base, 0)


def test_A05_writes(guarded):
    ann = guarded.conn(ANN, people.PASSWORD)
    ann.modify_s(ANN, [(MOD_REPLACE, "title", [b"Secret agent"])])
    for dn, mods in ((BEN, [(MOD_REPLACE, "title", [b"x"])]),
                     (ANN, [(MOD_ADD, "description", [b"x"])])):
        with pytest.raises(ldap.INSUFFICIENT_ACCESS):
            ann.modify_s(dn, mods)
    with pytest.raises(ldap.INSUFFICIENT_ACCESS):
        ann.delete_s(BEN)
    with pytest.raises(ldap.INSUFFICIENT_ACCESS):
        ann.add_s(f"cn=x,ou=People,{SUFFIX}", person("x"))
    with pytest.raises(ldap.INSUFFICIENT_ACCESS):
        ann.rename_s(BEN, "uid=stolen")
    with pytest.raises(ldap.STRONG_AUTH_REQUIRED):
        guarded.conn().delete_s(BEN)


def test_A06_add_content(guarded):
    ann = guarded.conn(ANN, people.PASSWORD)
    base = f"ou=Services,{SUFFIX}"
    ann.add_s(f"cn=plain,{base}", person("plain"))
    ann.delete_s(f"cn=plain,{base}")
    titled = person("titled", title="Boss")
    if guarded.content:
        # the rule of title comes first and gives ann nothing here but read
        with pytest.raises(ldap.INSUFFICIENT_ACCESS) as e:
            ann.add_s(f"cn=titled,{base}", titled)
        if not PEER:
            assert "title" in e.value.args[0]["info"]
        assert not guarded.root().search_s(base, 1, "(cn=titled)")
    else:
        ann.add_s(f"cn=titled,{base}", titled)
        ann.delete_s(f"cn=titled,{base}")


@pytest.mark.parametrize("content", ["", "add_content_acl on\n"])
def test_A07_sets_search_while_writing(backend, make, content):
    """A rule that searches the database does not wait for the write that asks."""
    rule = (f'access to * by set="[ldap:///{SUFFIX}??sub?'
            f'(&(objectClass=inetOrgPerson)(uid=user0))]/entryDN & user" write '
            f'by * read\n')
    s = make(backend, extra=content + rule)
    s.load(people.ldif(5))
    s.start()
    ann = s.conn(ANN, people.PASSWORD)
    dn = f"cn=x,ou=People,{SUFFIX}"
    ann.add_s(dn, person("x"))
    ann.modify_s(dn, [(MOD_REPLACE, "title", [b"x"])])
    ann.rename_s(dn, "cn=y")
    ann.delete_s(f"cn=y,ou=People,{SUFFIX}")
    ben = s.conn(BEN, people.PASSWORD)
    with pytest.raises(ldap.INSUFFICIENT_ACCESS):
        ben.add_s(dn, person("x"))
