"""K: certificates and revocation lists (RFC 4523), made by openssl."""
import os
import subprocess

import ldap
import pytest
from conftest import SUFFIX, Server, person
from ldap import MOD_ADD, MOD_DELETE, MOD_REPLACE

INDEX = """
index userCertificate,certificateRevocationList eq
"""
ISSUER = "cn=Example CA,o=Example,dc=org"
CERT = "userCertificate;binary"
CRL = "certificateRevocationList;binary"


def openssl(*args, cwd):
    subprocess.run(["openssl", *args], cwd=cwd, check=True,
                   capture_output=True)


class Authority:
    def __init__(self, folder):
        self.dir = str(folder)
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt",
                "ec_paramgen_curve:P-256", "-nodes", "-keyout", "ca.key",
                "-out", "ca.pem", "-subj", "/DC=org/O=Example/CN=Example CA",
                "-set_serial", "1", cwd=self.dir)
        with open(os.path.join(self.dir, "ca.cnf"), "w") as f:
            f.write("[ca]\ndefault_ca=d\n[d]\ndatabase=index.txt\n"
                    "default_md=sha256\ndefault_crl_days=30\n"
                    "certificate=ca.pem\nprivate_key=ca.key\n"
                    "crlnumber=number\n"
                    "[a]\nissuingDistributionPoint=critical,@ai\n"
                    "[ai]\nfullname=URI:http://x/a\n"
                    "[b]\nissuingDistributionPoint=critical,@bi\n"
                    "[bi]\nfullname=URI:http://x/b\n")
        open(os.path.join(self.dir, "index.txt"), "w").close()
        with open(os.path.join(self.dir, "number"), "w") as f:
            f.write("1000")

    def read(self, name):
        with open(os.path.join(self.dir, name), "rb") as f:
            return f.read()

    def cert(self, serial, subject, *extensions):
        openssl("req", "-new", "-key", "ca.key", "-out", "r.csr", "-subj",
                subject, cwd=self.dir)
        with open(os.path.join(self.dir, "x.cnf"), "w") as f:
            f.write("\n".join(("[x]", *extensions)) + "\n")
        openssl("x509", "-req", "-in", "r.csr", "-CA", "ca.pem", "-CAkey",
                "ca.key", "-set_serial", str(serial), "-extfile", "x.cnf",
                "-extensions", "x", "-days", "30", "-outform", "DER", "-out",
                "c.der", cwd=self.dir)
        return self.read("c.der")

    def crl(self, *more):
        openssl("ca", "-config", "ca.cnf", "-gencrl", "-out", "l.pem", *more,
                cwd=self.dir)
        openssl("crl", "-in", "l.pem", "-outform", "DER", "-out", "l.der",
                cwd=self.dir)
        return self.read("l.der")


@pytest.fixture(scope="module")
def ca(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("ca"))


@pytest.fixture(scope="module")
def server(backend):
    s = Server(backend, extra_db=INDEX, log="stats")
    try:
        s.load(f"dn: {SUFFIX}\nobjectClass: dcObject\n"
               "objectClass: organization\n"
               f"dc: {SUFFIX.split(',')[0][3:]}\no: Example\n")
        s.start()
        yield s
        for line in s.log_text().splitlines():
            assert "equality_candidates" not in line, line
    finally:
        s.clean()


def names(conn, base, text):
    found = conn.search_s(base, ldap.SCOPE_SUBTREE, text, ["1.1"])
    return sorted(dn.split(",")[0] for dn, _ in found)


def exact(serial, issuer=ISSUER):
    return f'{{ serialNumber {serial}, issuer rdnSequence:"{issuer}" }}'


def octets(der):
    return "".join(f"\\{b:02x}" for b in der)


@pytest.fixture
def people(root, scratch, ca):
    """ann has certificates 5 and 2^150, bob -7 (as a negative number)."""
    big = 2 ** 150 + 1
    ders = {n: ca.cert(n, f"/CN=No {n}") for n in (5, big, -7)}
    root.add_s(f"cn=ann,{scratch}", person("ann") +
               [(CERT, [ders[5], ders[big]])])
    root.add_s(f"cn=bob,{scratch}", person("bob") + [(CERT, [ders[-7]])])
    root.add_s(f"cn=cid,{scratch}", person("cid"))
    return ders


def test_K01_search_exact(root, scratch, people):
    big = 2 ** 150 + 1
    for text, want in [
            (f"(userCertificate={exact(5)})", ["cn=ann"]),
            (f"(userCertificate={exact(big)})", ["cn=ann"]),
            (f"(userCertificate;binary={exact(5)})", ["cn=ann"]),
            (f"(userCertificate={exact(-7)})", ["cn=bob"]),
            (f"(userCertificate={exact(7)})", []),
            (f"(userCertificate={exact(5, 'cn=Other')})", []),
            (f"(userCertificate={exact(5, 'CN=example  ca, O=EXAMPLE,DC=Org')})",
             ["cn=ann"]),
            (f"(userCertificate=5${ISSUER})", ["cn=ann"]),
            (f"(userCertificate=05${ISSUER.upper()})", ["cn=ann"]),
            (f"(userCertificate={octets(people[5])})", ["cn=ann"]),
            (f"(userCertificate:certificateExactMatch:={exact(5)})",
             ["cn=ann"]),
            (f"(userCertificate;binary:2.5.13.34:={exact(-7)})", ["cn=bob"]),
            (f"(:certificateExactMatch:={exact(5)})", ["cn=ann"]),
            ("(userCertificate=*)", ["cn=ann", "cn=bob"]),
            # Undefined, and so is its negation
            ("(userCertificate={ serialNumber 5 })", []),
            ("(!(userCertificate={ serialNumber 5 }))", []),
            (f"(!(userCertificate={exact(5)}))", ["cn=bob", "cn=cid",
                                                  scratch.split(",")[0]]),
    ]:
        assert names(root, scratch, text) == want, text


def test_K02_requested_by_either_name(root, scratch, people):
    for name in ("userCertificate", "userCertificate;binary", "*"):
        (_, attrs), = root.search_s(f"cn=bob,{scratch}", ldap.SCOPE_BASE,
                                    attrlist=[name])
        assert attrs[CERT] == [people[-7]]


def test_K03_compare(root, scratch, people):
    dn = f"cn=ann,{scratch}"
    for name in ("userCertificate", "userCertificate;binary"):
        assert root.compare_s(dn, name, exact(5).encode())
        assert root.compare_s(dn, name, people[5])
        assert not root.compare_s(dn, name, exact(6).encode())
        with pytest.raises(ldap.INVALID_SYNTAX):
            root.compare_s(dn, name, b"{ serialNumber 5 }")


def test_K04_values_come_and_go(root, scratch, ca, people):
    dn = f"cn=ann,{scratch}"
    six = ca.cert(6, "/CN=six")
    root.modify_s(dn, [(MOD_ADD, CERT, [six])])
    assert names(root, scratch, f"(userCertificate={exact(6)})") == ["cn=ann"]
    # the same serial number of the same authority: the same certificate
    with pytest.raises(ldap.TYPE_OR_VALUE_EXISTS):
        root.modify_s(dn, [(MOD_ADD, CERT, [ca.cert(6, "/CN=other")])])
    root.modify_s(dn, [(MOD_DELETE, CERT, [people[5]])])
    assert names(root, scratch, f"(userCertificate={exact(5)})") == []
    with pytest.raises(ldap.NO_SUCH_ATTRIBUTE):
        root.modify_s(dn, [(MOD_DELETE, CERT, [people[5]])])
    root.modify_s(dn, [(MOD_DELETE, CERT, None)])
    assert names(root, scratch, f"(userCertificate={exact(6)})") == []


def test_K05_garbage_is_refused(root, scratch, ca):
    good = ca.cert(9, "/CN=nine")
    dn = f"cn=x,{scratch}"
    for bad in (b"", b"x", b"\x30\x00", good[:-1], good + b"\0", good + good,
                b"\x31" + good[1:], ca.crl(), exact(9).encode()):
        with pytest.raises(ldap.INVALID_SYNTAX) as e:
            root.add_s(dn, person("x") + [(CERT, [good, bad])])
        assert f"{CERT}: value #1 invalid per syntax" in \
            e.value.args[0]["info"]
    root.add_s(dn, person("x") + [(CERT, [good])])


def crl_entry(name, values):
    return [("objectClass", [b"cRLDistributionPoint"]),
            ("cn", [name.encode()]), (CRL, values)]


def test_K06_binary_is_required(server, root, scratch, ca):
    der = ca.cert(8, "/CN=eight")
    dn = f"cn=y,{scratch}"
    with pytest.raises(ldap.UNDEFINED_TYPE) as e:
        root.add_s(dn, person("y") + [("userCertificate", [der])])
    assert "userCertificate: requires ;binary transfer" in \
        e.value.args[0]["info"]
    root.add_s(dn, person("y") + [(CERT, [der])])
    for op in (MOD_ADD, MOD_DELETE, MOD_REPLACE):
        with pytest.raises(ldap.UNDEFINED_TYPE):
            root.modify_s(dn, [(op, "userCertificate", [der])])
    for op in (MOD_DELETE, MOD_REPLACE):
        with pytest.raises(ldap.UNDEFINED_TYPE):
            root.modify_s(dn, [(op, "userCertificate", None)])
    with pytest.raises(ldap.UNDEFINED_TYPE):
        root.modify_s(dn, [(MOD_ADD, "description;binary", [b"x"])])
    root.modify_s(dn, [(MOD_REPLACE, CERT, None)])


def test_K07_components(root, scratch, ca):
    ders = {
        "signs": ca.cert(21, "/O=Example/CN=signs",
                         "keyUsage=digitalSignature,keyCertSign",
                         "subjectAltName=DNS:host.example.org",
                         "certificatePolicies=1.2.3.4",
                         "subjectKeyIdentifier=5A5B"),
        "plain": ca.cert(22, "/O=Example/CN=plain", "keyUsage=cRLSign"),
    }
    for name, der in ders.items():
        root.add_s(f"cn={name},{scratch}", person(name) + [(CERT, [der])])
    for text, want in [
            ("serialNumber 21", ["cn=signs"]),
            (f'issuer rdnSequence:"{ISSUER}"', ["cn=plain", "cn=signs"]),
            (f'issuer rdnSequence:"{ISSUER}", serialNumber 22', ["cn=plain"]),
            ('subject rdnSequence:"CN=Signs,O=example"', ["cn=signs"]),
            ("keyUsage { keyCertSign }", ["cn=signs"]),
            ("keyUsage { cRLSign }", ["cn=plain"]),
            ("subjectAltName builtinNameForm:dNSName", ["cn=signs"]),
            ("policy { 1.2.3.4 }", ["cn=signs"]),
            ("subjectKeyIdentifier '5A5B'H", ["cn=signs"]),
            ("subjectPublicKeyAlgID 1.2.840.10045.2.1",
             ["cn=plain", "cn=signs"]),
            ('certificateValid generalizedTime:"20000101000000Z"', []),
            ("nameConstraints { }", []), ("serialNumber", [])]:
        for rule in ("certificateMatch", "2.5.13.35"):
            f = f"(userCertificate:{rule}:={{ {text} }})"
            assert names(root, scratch, f) == want, f


def test_K08_lists(root, scratch, ca):
    der = ca.crl()
    text = subprocess.run(
        ["openssl", "crl", "-inform", "DER", "-noout", "-lastupdate",
         "-dateopt", "iso_8601"], input=der, capture_output=True, check=True)
    stamp = "".join(c for c in text.stdout.decode().split("=")[1]
                    if c.isdigit()) + "Z"
    root.add_s(f"cn=list,{scratch}", crl_entry("list", [der]))
    when = f'{{ issuer rdnSequence:"{ISSUER}", thisUpdate %s:"%s" }}'
    for text, want in [
            (when % ("utcTime", stamp[2:]), ["cn=list"]),
            (when % ("generalizedTime", stamp), ["cn=list"]),
            (when % ("utcTime", "000101000000Z"), []),
            (octets(der), ["cn=list"])]:
        for f in (f"(certificateRevocationList={text})",
                  f"(certificateRevocationList;binary={text})",
                  f"(certificateRevocationList:certificateListExactMatch:="
                  f"{text})"):
            assert names(root, scratch, f) == want, f
    for text, want in [
            (f'issuer "{ISSUER}", minCRLNumber 4096', ["cn=list"]),
            ("minCRLNumber 1, maxCRLNumber 9999", ["cn=list"]),
            ("minCRLNumber 99999", []),
            (f'dateAndTime utcTime:"{stamp[2:]}"', ["cn=list"]),
            ('dateAndTime utcTime:"000101000000Z"', [])]:
        f = f"(certificateRevocationList:certificateListMatch:={{ {text} }})"
        assert names(root, scratch, f) == want, f
    assert root.compare_s(f"cn=list,{scratch}", "certificateRevocationList",
                          (when % ("utcTime", stamp[2:])).encode())
    with pytest.raises(ldap.INVALID_SYNTAX):
        root.add_s(f"cn=bad,{scratch}", crl_entry("bad", [der + b"\0"]))
    root.modify_s(f"cn=list,{scratch}", [(MOD_DELETE, CRL, [der])])
    assert names(root, scratch, "(certificateRevocationList=*)") == []


def test_K09_lists_of_one_time(root, scratch, ca):
    """Parts of a list: values of their own, which one key leads to."""
    when = ("-crl_lastupdate", "20260101000000Z", "-crl_nextupdate",
            "20270101000000Z")
    a, b = (ca.crl("-crlexts", x, *when) for x in "ab")
    root.add_s(f"cn=parts,{scratch}", crl_entry("parts", [a, b]))
    root.add_s(f"cn=other,{scratch}", crl_entry("other", [b]))
    with pytest.raises(ldap.TYPE_OR_VALUE_EXISTS):
        root.modify_s(f"cn=parts,{scratch}", [(MOD_ADD, CRL, [a])])
    whole = f'issuer rdnSequence:"{ISSUER}", thisUpdate ' \
        'utcTime:"260101000000Z"'

    def of(part):
        point = f'{{ uniformResourceIdentifier:"http://x/{part}" }}'
        return names(root, scratch, "(certificateRevocationList="
                     f"{{ {whole}, distributionPoint fullName:{point} }})")

    both = ["cn=other", "cn=parts"]
    assert names(root, scratch, f"(certificateRevocationList={{ {whole} }})") \
        == both
    assert names(root, scratch, f"(!(certificateRevocationList={{ {whole} }}))"
                 ) == [scratch.split(",")[0]]
    assert [of("a"), of("b"), of("c")] == [["cn=parts"], both, []]
    root.modify_s(f"cn=parts,{scratch}", [(MOD_DELETE, CRL, [a])])
    assert [of("a"), of("b")] == [[], both]
    assert names(root, scratch, f"(certificateRevocationList={{ {whole} }})") \
        == both
    root.modify_s(f"cn=parts,{scratch}", [(MOD_DELETE, CRL, [b])])
    assert of("b") == ["cn=other"]
