"""R: referrals and aliases."""
import ldap
import people
import pytest
from conftest import PEER, SUFFIX, Server, person
from ldap.controls.simple import ManageDSAITControl

MANAGE = [ManageDSAITControl()]
REF = f"ou=Remote,{SUFFIX}"


@pytest.fixture(scope="module")
def referring(backend):
    s = Server(backend, extra="referral ldap://up.example.net\n")
    s.load(people.ldif(5) + "\n" + people.to_ldif([
        (REF, [("objectClass", "referral"), ("objectClass", "extensibleObject"),
               ("ou", "Remote"),
               ("ref", f"ldap://one.example.net/{REF}"),
               ("ref", "ldap://two.example.net/dc=other")]),
        (f"ou=Al,{SUFFIX}", [("objectClass", "organizationalUnit"),
                             ("ou", "Al")]),
        (f"cn=link,ou=Al,{SUFFIX}",
         [("objectClass", "alias"), ("objectClass", "extensibleObject"),
          ("cn", "link"), ("aliasedObjectName", f"ou=Deep,{SUFFIX}")]),
        (f"cn=broken,ou=Al,{SUFFIX}",
         [("objectClass", "alias"), ("objectClass", "extensibleObject"),
          ("cn", "broken"), ("aliasedObjectName", f"ou=None,{SUFFIX}")]),
        (f"cn=loop1,ou=Groups,{SUFFIX}",
         [("objectClass", "alias"), ("objectClass", "extensibleObject"),
          ("cn", "loop1"), ("aliasedObjectName",
                            f"cn=loop2,ou=Groups,{SUFFIX}")]),
        (f"cn=loop2,ou=Groups,{SUFFIX}",
         [("objectClass", "alias"), ("objectClass", "extensibleObject"),
          ("cn", "loop2"), ("aliasedObjectName",
                            f"cn=loop1,ou=Groups,{SUFFIX}")]),
    ]))
    s.start()
    yield s
    s.clean()


def referrals(call):
    """The URLs of the referral that CALL gets."""
    with pytest.raises(ldap.REFERRAL) as e:
        call()
    info = e.value.args[0]["info"]
    return [u.strip() for u in info.split("\n")[1:] if u.strip()]


def test_R01_continuation(referring):
    c = referring.conn()
    r = c.search_s(SUFFIX, 2, "(ou=*)", ["1.1"])
    refs = [urls for dn, urls in r if dn is None]
    assert refs == [[f"ldap://one.example.net/{REF}??sub",
                     "ldap://two.example.net/dc=other??sub"]]
    assert REF not in [dn for dn, _ in r]
    r = c.search_s(SUFFIX, 1, "(ou=*)", ["1.1"])
    refs = [urls for dn, urls in r if dn is None]
    assert refs == [[f"ldap://one.example.net/{REF}??base",
                     "ldap://two.example.net/dc=other??base"]]


def test_R02_base_below(referring):
    def got(base, scope):
        p = referring.client("ldapsearch", "-b", base, "-s", scope,
                             check=False, dn="")
        assert p.returncode == 10
        assert f"matchedDN: {REF}\n" in p.stdout
        return [line[5:] for line in p.stdout.split("\n")
                if line.startswith("ref: ")]

    assert got(f"cn=x,{REF}", "base") == [
        f"ldap://one.example.net/cn=x,{REF}??base",
        "ldap://two.example.net/cn=x,dc=other??base"]
    assert got(REF, "sub") == [f"ldap://one.example.net/{REF}??sub",
                               "ldap://two.example.net/dc=other??sub"]


def test_R03_writes(referring):
    c = referring.root()
    for call in (lambda: c.add_s(f"cn=x,{REF}", person("x")),
                 lambda: c.modify_s(REF, [(ldap.MOD_ADD, "l", [b"x"])]),
                 lambda: c.delete_s(REF),
                 lambda: c.delete_s(f"cn=x,{REF}"),
                 lambda: c.rename_s(f"cn=x,{REF}", "cn=y"),
                 lambda: c.compare_s(f"cn=x,{REF}", "cn", "x")):
        assert any("one.example.net" in u for u in referrals(call))


def test_R04_manage_dsait(referring):
    c = referring.root()
    r = c.search_ext_s(SUFFIX, 2, "(objectClass=referral)", ["ref"],
                       serverctrls=MANAGE)
    assert [dn for dn, _ in r] == [REF]
    assert len(r[0][1]["ref"]) == 2
    c.modify_ext_s(REF, [(ldap.MOD_ADD, "description", [b"managed"])],
                   serverctrls=MANAGE)
    c.modify_ext_s(REF, [(ldap.MOD_DELETE, "description", None)],
                   serverctrls=MANAGE)
    new = f"ou=Gone,{SUFFIX}"
    c.add_ext_s(new, [("objectClass", [b"referral", b"extensibleObject"]),
                      ("ou", [b"Gone"]), ("ref", [b"ldap://x.example.net/"])],
                serverctrls=MANAGE)
    assert any(u.startswith("ldap://x.example.net/")
               for u in referrals(lambda: c.search_s(new, 0)))
    c.delete_ext_s(new, serverctrls=MANAGE)


def test_R05_default_referral(referring):
    c = referring.conn()
    got = referrals(lambda: c.search_s("dc=else,dc=where", 2))
    assert got == ["ldap://up.example.net/dc=else,dc=where??sub"]
    e = c.search_s("", 0, "(objectClass=*)", ["ref"])
    assert e[0][1]["ref"] == [b"ldap://up.example.net"] or \
        e[0][1]["ref"] == [b"ldap://up.example.net/"]


def deref(server, how, base, scope=2, filt="(objectClass=*)"):
    c = server.conn()
    c.set_option(ldap.OPT_DEREF, how)
    return sorted(dn for dn, _ in c.search_s(base, scope, filt, ["1.1"])
                  if dn)


def test_R06_alias_never(referring):
    assert deref(referring, ldap.DEREF_NEVER, f"cn=link,ou=Al,{SUFFIX}") == \
        [f"cn=link,ou=Al,{SUFFIX}"]
    assert deref(referring, ldap.DEREF_NEVER, f"ou=Al,{SUFFIX}") == sorted(
        [f"ou=Al,{SUFFIX}", f"cn=link,ou=Al,{SUFFIX}",
         f"cn=broken,ou=Al,{SUFFIX}"])


def test_R07_alias_finding(referring):
    got = deref(referring, ldap.DEREF_FINDING, f"cn=link,ou=Al,{SUFFIX}")
    assert f"ou=Deep,{SUFFIX}" in got and len(got) >= 16
    got = deref(referring, ldap.DEREF_FINDING, f"ou=Al,{SUFFIX}")
    assert f"cn=link,ou=Al,{SUFFIX}" in got
    # the alias may stand within the name
    got = deref(referring, ldap.DEREF_FINDING,
                f"ou=level1,cn=link,ou=Al,{SUFFIX}", 0)
    assert got == [f"ou=level1,ou=Deep,{SUFFIX}"]


def test_R08_alias_searching(referring):
    got = deref(referring, ldap.DEREF_SEARCHING, f"ou=Al,{SUFFIX}")
    assert f"ou=Deep,{SUFFIX}" in got and f"ou=level1,ou=Deep,{SUFFIX}" in got
    assert f"cn=link,ou=Al,{SUFFIX}" not in got
    one = deref(referring, ldap.DEREF_SEARCHING, f"ou=Al,{SUFFIX}", 1)
    assert one == [f"ou=Deep,{SUFFIX}"]
    # nothing twice though the target is in scope itself
    got = deref(referring, ldap.DEREF_ALWAYS, SUFFIX, 2, "(ou=level3)")
    assert len(got) == 1


def test_R09_alias_loop(referring):
    with pytest.raises((ldap.ALIAS_PROBLEM, ldap.ALIAS_DEREF_PROBLEM,
                        ldap.LOOP_DETECT)):
        deref(referring, ldap.DEREF_ALWAYS, f"cn=loop1,ou=Groups,{SUFFIX}")
    with pytest.raises((ldap.ALIAS_PROBLEM, ldap.ALIAS_DEREF_PROBLEM,
                        ldap.NO_SUCH_OBJECT)):
        deref(referring, ldap.DEREF_ALWAYS, f"cn=broken,ou=Al,{SUFFIX}")
