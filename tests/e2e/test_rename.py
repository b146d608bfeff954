"""M: renaming entries and subtrees."""
import ldap
import pytest
from conftest import SUFFIX, parse_ldif, person
from ldap import MOD_ADD


def get(conn, dn, *attrs):
    return conn.search_s(dn, 0, "(objectClass=*)", list(attrs) or None)[0][1]


def tree(conn, top, width=3, depth=3):
    """A tree of units below TOP with people at its leaves; the DNs."""
    made = []

    def grow(dn, level):
        for i in range(width):
            if level == depth:
                sub = f"cn=leaf{i},{dn}"
                conn.add_s(sub, person(f"leaf{i}", description=dn))
            else:
                sub = f"ou=u{level}{i},{dn}"
                conn.add_s(sub, [("objectClass", [b"organizationalUnit"])])
            made.append(sub)
            if level < depth:
                grow(sub, level + 1)

    grow(top, 1)
    return made


def unit(conn, dn):
    conn.add_s(dn, [("objectClass", [b"organizationalUnit"])])
    return dn


def below(conn, dn):
    return sorted(d for d, _ in conn.search_s(dn, 2, "(objectClass=*)",
                                              ["1.1"]))


def test_M01_leaf(root, scratch):
    dn = f"cn=Old,{scratch}"
    root.add_s(dn, person("Old"))
    uuid = get(root, dn, "entryUUID")
    root.rename_s(dn, "cn=New", delold=1)
    e = get(root, f"cn=New,{scratch}")
    assert e["cn"] == [b"New"]
    assert get(root, f"cn=New,{scratch}", "entryUUID") == uuid
    with pytest.raises(ldap.NO_SUCH_OBJECT):
        get(root, dn)
    assert root.search_s(scratch, 1, "(cn=old)") == []
    assert len(root.search_s(scratch, 1, "(cn=new)")) == 1


def test_M02_old_value_is_kept(root, scratch):
    root.add_s(f"cn=Old,{scratch}", person("Old"))
    root.rename_s(f"cn=Old,{scratch}", "cn=New", delold=0)
    assert get(root, f"cn=New,{scratch}")["cn"] == [b"Old", b"New"]
    assert len(root.search_s(scratch, 1, "(cn=old)")) == 1


def test_M03_another_attribute_names(root, scratch):
    root.add_s(f"cn=Old,{scratch}", person("Old", uid="u1"))
    root.rename_s(f"cn=Old,{scratch}", "uid=u1", delold=0)
    assert get(root, f"uid=u1,{scratch}")["cn"] == [b"Old"]
    with pytest.raises(ldap.OBJECT_CLASS_VIOLATION):
        root.rename_s(f"uid=u1,{scratch}", "memberUid=1", delold=0)
    root.rename_s(f"uid=u1,{scratch}", "cn=Old+sn=Test", delold=1)
    assert root.search_s(scratch, 1, "(uid=u1)") == []


def test_M04_case_only(root, scratch):
    root.add_s(f"cn=name,{scratch}", person("name"))
    root.rename_s(f"cn=name,{scratch}", "cn=NAME", delold=1)
    r = root.search_s(scratch, 1)
    assert r[0][0] == f"cn=NAME,{scratch}" and r[0][1]["cn"] == [b"NAME"]


def test_M05_new_superior(root, scratch):
    a, b = unit(root, f"ou=a,{scratch}"), unit(root, f"ou=b,{scratch}")
    root.add_s(f"cn=x,{a}", person("x"))
    root.rename_s(f"cn=x,{a}", "cn=x", newsuperior=b, delold=0)
    assert below(root, a) == [a]
    assert below(root, b) == sorted([b, f"cn=x,{b}"])
    root.delete_s(a)


@pytest.mark.parametrize("how", ["rename", "move"])
def test_M06_subtree(server, root, scratch, how):
    top, other = unit(root, f"ou=top,{scratch}"), unit(root,
                                                       f"ou=other,{scratch}")
    made = tree(root, top)
    before = {dn: get(root, dn, "entryUUID") for dn in made}
    for dn in made:         # names are cached now
        root.search_s(dn, 1)
    if how == "rename":
        root.rename_s(top, "ou=renamed", delold=1)
        new = f"ou=renamed,{scratch}"
    else:
        root.rename_s(top, "ou=top", newsuperior=other, delold=0)
        new = f"ou=top,{other}"
    moved = [dn[:-len(top)] + new for dn in made]
    assert below(root, new) == sorted([new] + moved)
    for old, now in zip(made, moved):
        assert get(root, now, "entryUUID") == before[old]
        assert get(root, now, "entryDN")["entryDN"] == [now.encode()]
        with pytest.raises(ldap.NO_SUCH_OBJECT):
            get(root, old)
    leaves = [dn for dn in moved if dn.startswith("cn=")]
    assert sorted(d for d, _ in root.search_s(
        new, 2, "(cn=leaf*)", ["1.1"])) == sorted(leaves)
    # and the dump agrees
    dump = parse_ldif(server.tool("cat").stdout)
    assert set(moved) <= set(dump) and not set(made) & set(dump)
    # changes below go on
    root.modify_s(leaves[0], [(MOD_ADD, "title", [b"t"])])
    root.add_s(f"cn=fresh,{moved[0]}", person("fresh"))


def test_M07_errors(root, scratch):
    a, b = unit(root, f"ou=a,{scratch}"), unit(root, f"ou=b,{scratch}")
    sub = unit(root, f"ou=sub,{a}")
    with pytest.raises(ldap.ALREADY_EXISTS):
        root.rename_s(a, "ou=B")
    with pytest.raises(ldap.UNWILLING_TO_PERFORM):
        root.rename_s(a, "ou=a", newsuperior=sub)
    with pytest.raises(ldap.UNWILLING_TO_PERFORM):
        root.rename_s(a, "ou=a", newsuperior=a)
    with pytest.raises(ldap.NO_SUCH_OBJECT):
        root.rename_s(a, "ou=a", newsuperior=f"ou=none,{scratch}")
    with pytest.raises(ldap.NO_SUCH_OBJECT):
        root.rename_s(f"ou=none,{scratch}", "ou=x")
    with pytest.raises(ldap.INVALID_DN_SYNTAX):
        root.rename_s(a, "nonsense")
    assert below(root, scratch) == sorted([scratch, a, b, sub])


def test_M08_back_and_forth(root, scratch):
    a, b = unit(root, f"ou=a,{scratch}"), unit(root, f"ou=b,{scratch}")
    tree(root, a, 2, 2)
    n = len(below(root, scratch))
    for _ in range(10):
        root.rename_s(a, "ou=a", newsuperior=b)
        root.rename_s(f"ou=a,{b}", "ou=a", newsuperior=scratch)
    assert len(below(root, scratch)) == n
    assert len(below(root, a)) == n - 2
