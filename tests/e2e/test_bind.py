"""B: simple bind, who am I."""
import base64
import hashlib

import ldap
import people
import pytest
from conftest import (PASSWORD, PEER, ROOTDN, ROOTPW, SUFFIX, Database,
                      person)


def digest(name, password, salt=b""):
    h = hashlib.new(name, password.encode() + salt).digest()
    return base64.b64encode(h + salt).decode()


SCHEMES = {
    "cleartext": "pass word",
    "SSHA": "{SSHA}" + digest("sha1", "pass word", b"12345678"),
    "SSHA4": "{SSHA}" + digest("sha1", "pass word", b"1234"),
    "SHA": "{SHA}" + digest("sha1", "pass word"),
    "SMD5": "{SMD5}" + digest("md5", "pass word", b"salt"),
    "MD5": "{MD5}" + digest("md5", "pass word"),
    "lower": "{ssha}" + digest("sha1", "pass word", b"12345678"),
    "CRYPT6": "{CRYPT}$6$saltsalt$cc1KsgmlKYtCcnNH8.sv7Fe8mca8"
    "fAso5fHlNrb1VZa5WYQ.L3ChTcx06ID.LoaXZAf9CZNraK43XCp7LxKHl1",
    "CRYPT1": "{CRYPT}$1$saltsalt$1K7dkhtbTNVUwUicA5kOT1",
}
if not PEER:        # slapd of old has these by contributed modules
    SCHEMES.update({
        "SSHA256": "{SSHA256}" + digest("sha256", "pass word", b"saltsalt"),
        "SHA256": "{SHA256}" + digest("sha256", "pass word"),
        "SSHA512": "{SSHA512}" + digest("sha512", "pass word", b"saltsalt"),
        "SHA512": "{SHA512}" + digest("sha512", "pass word"),
    })


@pytest.mark.parametrize("scheme", sorted(SCHEMES))
def test_B01_schemes(server, root, scratch, scheme):
    dn = f"cn={scheme},{scratch}"
    root.add_s(dn, person(scheme, userPassword=SCHEMES[scheme]))
    c = server.conn(dn, "pass word")
    assert c.whoami_s() == "dn:" + dn
    for wrong in ("pass wore", "pass word ", "x", SCHEMES[scheme][:60]):
        if wrong == SCHEMES[scheme]:
            continue
        with pytest.raises(ldap.INVALID_CREDENTIALS):
            server.conn(dn, wrong)


def test_B02_rootdn(server):
    assert server.conn(ROOTDN, ROOTPW).whoami_s() == "dn:" + ROOTDN
    with pytest.raises(ldap.INVALID_CREDENTIALS):
        server.conn(ROOTDN, "wrong")
    loud = ROOTDN.upper().replace(",", " , ")
    assert server.conn(loud, ROOTPW).whoami_s().lower() == "dn:" + ROOTDN


def test_B03_anonymous(server):
    c = server.conn()
    assert c.whoami_s() == ""
    c.simple_bind_s("", "")
    assert c.whoami_s() == ""


def test_B04_refused_forms(server):
    with pytest.raises(ldap.UNWILLING_TO_PERFORM) as e:
        server.conn(ROOTDN, "")
    assert e.value.args[0]["info"] == \
        "unauthenticated bind (DN with no password) disallowed"
    with pytest.raises(ldap.INVALID_CREDENTIALS):
        server.conn("", "password without name")
    with pytest.raises(ldap.INVALID_DN_SYNTAX):
        server.conn("no dn", "x")
    c = server.conn()
    c.protocol_version = 2
    with pytest.raises(ldap.PROTOCOL_ERROR):
        c.simple_bind_s(ROOTDN, ROOTPW)


def test_B05_unknown_names_look_like_wrong_passwords(server):
    for dn in (f"cn=none,{SUFFIX}", "cn=none,dc=elsewhere",
               f"ou=People,{SUFFIX}"):
        with pytest.raises(ldap.INVALID_CREDENTIALS) as e:
            server.conn(dn, "x")
        assert not e.value.args[0].get("matched")


def test_B06_failed_bind_leaves_anonymous(server):
    c = server.conn(ROOTDN, ROOTPW)
    with pytest.raises(ldap.INVALID_CREDENTIALS):
        c.simple_bind_s(ROOTDN, "wrong")
    assert c.whoami_s() == ""
    c.simple_bind_s(ROOTDN, ROOTPW)
    assert c.whoami_s() == "dn:" + ROOTDN


def test_B07_several_passwords(server, root, scratch):
    dn = f"cn=two,{scratch}"
    root.add_s(dn, person("two", userPassword=["one", people.ssha("two")]))
    for pw in ("one", "two"):
        server.conn(dn, pw)
    root.modify_s(dn, [(ldap.MOD_DELETE, "userPassword", [b"one"])])
    with pytest.raises(ldap.INVALID_CREDENTIALS):
        server.conn(dn, "one")
    server.conn(dn, "two")


def test_B08_no_password_attribute(server, root, scratch):
    dn = f"cn=none,{scratch}"
    root.add_s(dn, person("none"))
    with pytest.raises(ldap.INVALID_CREDENTIALS):
        server.conn(dn, "x")


def test_B09_loaded_user(server):
    dn = next(dn for dn, a in people.entries(60) if ("uid", "user1") in a)
    assert server.conn(dn, PASSWORD).whoami_s().lower() == "dn:" + dn.lower()


def test_B10_utilities(server):
    assert server.client("ldapwhoami").stdout.strip() == "dn:" + ROOTDN
    assert server.client("ldapwhoami", dn="").stdout.strip() == "anonymous"
    p = server.client("ldapwhoami", dn=ROOTDN, password="bad", check=False)
    assert p.returncode == 49 and "Invalid credentials (49)" in p.stderr


def test_B11_binds_among_searches(server):
    """Requests after a bind see its identity, pipelined or not."""
    c = server.conn()
    for _ in range(20):
        c.simple_bind(ROOTDN, ROOTPW)
        b = c.search(SUFFIX, 0, "(objectClass=*)", ["o"])
        assert c.result(b)[1][0][1] == {"o": [b"Example, Inc."]}
        assert c.whoami_s() == "dn:" + ROOTDN
        c.simple_bind_s("", "")
        assert c.whoami_s() == ""


def test_B12_no_rootpw_the_entry_counts(make, backend):
    db = Database(backend)
    s = make(backend, databases=[db])
    text = s.conf_text.replace(f'rootpw "{ROOTPW}"\n', "")
    s.write_conf(text)
    s.load(people.to_ldif([
        (SUFFIX, [("objectClass", "dcObject"),
                  ("objectClass", "organization"), ("dc", "example"),
                  ("o", "x")]),
        (ROOTDN, [("objectClass", "person"), ("cn", "admin"), ("sn", "a"),
                  ("userPassword", people.ssha("from entry"))])]))
    s.start()
    c = s.conn(ROOTDN, "from entry")
    c.modify_s(SUFFIX, [(ldap.MOD_REPLACE, "o", [b"y"])])
    with pytest.raises(ldap.INVALID_CREDENTIALS):
        s.conn(ROOTDN, ROOTPW)


def test_B13_hashed_rootpw(make, backend):
    s = make(backend)
    hashed = s.tool("passwd", "-s", "to be hashed", conf=False).stdout.strip()
    assert hashed.startswith("{SSHA}")
    s.write_conf(s.conf_text.replace(f'rootpw "{ROOTPW}"',
                                     f"rootpw {hashed}"))
    s.start()
    assert s.conn(ROOTDN, "to be hashed").whoami_s() == "dn:" + ROOTDN


def test_B14_disallow_and_allow(make, backend):
    s = make(backend, extra="disallow bind_anon\nallow bind_v2\n")
    s.start()
    with pytest.raises(ldap.INAPPROPRIATE_AUTH):
        s.conn("", "")
    c = s.conn()
    c.protocol_version = 2
    c.simple_bind_s(ROOTDN, ROOTPW)
    s = make(backend, extra="allow bind_anon_dn\n")
    s.start()
    assert s.conn("cn=x", "").whoami_s() == ""
    s = make(backend, extra="disallow bind_simple\n")
    s.start()
    with pytest.raises(ldap.UNWILLING_TO_PERFORM):
        s.conn(ROOTDN, ROOTPW)
