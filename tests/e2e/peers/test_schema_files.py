"""F: the schema files of Debian's packages, loaded by slapd and by ours.

Each file is loaded with nothing but core.schema before it, with the usual
four, and with the files that it needs. Both servers must take it, or both must
refuse it at the same line. One difference is wanted: slapd refuses any second
definition, ours takes one that says the same.
"""
import gzip
import os
import re
import subprocess
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import conftest  # noqa: E402

PEERS = os.environ.get("PEERS")
pytestmark = pytest.mark.skipif(not PEERS, reason="no peer was unpacked")

# package: {file: files that it needs beside the usual four}
NEEDS = {
    "389-ds-base": {},
    "amavisd-new": {},
    "autofs-ldap": {},
    "bdii": {},
    "courier-authlib-ldap": {"authldap": ["slapd:misc"]},
    "debian-edu-config": {
        "dnsdomainaux": ["pdns-backend-ldap:dnsdomain2"],
        "gosa-samba3": ["debian-edu-config:samba3", "debian-edu-config:trust",
                        "debian-edu-config:gofon",
                        "debian-edu-config:gosystem",
                        "debian-edu-config:goto"]},
    "evolution-data-server-common": {},
    "freeradius": {},
    "glue-schema": {"Glue-CE": ["glue-schema:Glue-CORE"],
                    "Glue-CESEBind": ["glue-schema:Glue-CORE"],
                    "Glue-SE": ["glue-schema:Glue-CORE"]},
    "gosa-plugins-dhcp-schema": {},
    "gosa-plugins-dns-schema": {},
    "gosa-plugins-sudo-schema": {},
    "gosa-schema": {
        "goto": ["gosa-schema:gofon", "gosa-schema:gosystem"],
        "gosa-samba3": ["gosa-schema:samba3", "gosa-schema:trust"],
        "goserver": ["gosa-schema:gofon", "gosa-schema:gosystem",
                     "gosa-schema:goto"]},
    "heimdal-kdc": {},
    "isc-dhcp-server-ldap": {},
    "krb5-kdc-ldap": {},
    "ldap2dns": {},
    "libapache2-mod-vhost-ldap": {},
    "liblemonldap-ng-common-perl": {},
    "nordugrid-arc-infosys-ldap": {"nordugrid": ["glue-schema:Glue-MDS"]},
    "nslcd": {},
    "opendkim": {},
    "pdns-backend-ldap": {
        "pdns-domaininfo": ["pdns-backend-ldap:dnsdomain2"]},
    "perdition-ldap": {},
    "php-horde": {"horde": ["php-horde:rfc2739"]},
    "quota": {},
    "samba": {},
    "slapd": {},
    "sudo-ldap": {},
}
USUAL = ("core", "cosine", "inetorgperson", "nis")
NAME = re.compile(r"(.*)\.schema(\.gz)?|(schema)\.OpenLDAP")


def fetch(folder):
    """Download and unpack; the reason why that cannot be done, or None."""
    deb = os.path.join(folder, "deb")
    os.makedirs(deb)
    wanted = sorted(set(NEEDS) - {"slapd"})
    p = subprocess.run(["apt-get", "download", *wanted], cwd=deb, text=True,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if p.returncode:
        return (f"apt-get download {' '.join(wanted)} failed: "
                f"{p.stdout[-600:]}")
    for name in os.listdir(deb):
        p = subprocess.run(
            ["dpkg-deb", "-x", os.path.join(deb, name),
             os.path.join(folder, name.split("_")[0])],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if p.returncode:
            return f"dpkg-deb -x {name} failed: {p.stdout[-600:]}"
    return None


def schema_files(top, plain):
    """(name, path) of each file below TOP; PLAIN: folder for unzipped ones."""
    for folder, _, names in sorted(os.walk(top)):
        for name in sorted(names):
            m = NAME.fullmatch(name)
            path = os.path.join(folder, name)
            if not m or not os.path.exists(path):
                continue
            if m.group(2):
                data = gzip.open(path).read()
                path = os.path.join(
                    plain, os.path.relpath(path, top).replace("/", "_")[:-3])
                with open(path, "wb") as f:
                    f.write(data)
            yield m.group(1) or m.group(3), path


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """{package: [(name, path)]}"""
    folder = str(tmp_path_factory.mktemp("packages"))
    why = fetch(folder)
    assert why is None, why
    found = {}
    for package in NEEDS:
        top = os.path.join(folder, package)
        if package == "slapd":
            top = os.path.join(PEERS, "root/etc/ldap/schema")
        plain = os.path.join(folder, "plain", package)
        os.makedirs(plain)
        found[package] = list(schema_files(top, plain))
    return found


@pytest.fixture(scope="module")
def load(tmp_path_factory):
    """load(program, files) is (was it accepted, its messages)."""
    conf = str(tmp_path_factory.mktemp("conf") / "slapd.conf")

    def run(program, paths):
        with open(conf, "w") as f:
            f.writelines(f"include {p}\n" for p in paths)
        p = subprocess.run([program, "-T", "test", "-u", "-f", conf],
                           text=True, errors="replace", stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, timeout=60)
        return p.returncode == 0, p.stdout
    return run


def place(text):
    """File and line of the error among messages."""
    for file, line, rest in re.findall(r"(/\S+): line (\d+)(.*)", text):
        if not file.endswith("slapd.conf") and \
                not re.match(r": (note|warning): ", rest):
            return os.path.basename(file), int(line)
    return None


def difference(load, paths):
    ours, mine = load(conftest.SLAPD, paths)
    peer, theirs = load(os.path.join(PEERS, "slapd"), paths)
    if "Duplicate " in theirs and (ours or place(mine) != place(theirs)):
        # a second definition of the same meaning stands at that place
        file, line = place(theirs)
        if re.search(rf"{re.escape(file)}: line {line}: note: .* alike ",
                     mine) or (not ours and "defined already" in mine):
            return None
    if ours == peer and (ours or place(mine) == place(theirs)):
        return None
    return f"{paths[-1]}: ours {mine[-300:]!r}, slapd {theirs[:300]!r}"


@pytest.fixture(scope="module")
def usual():
    top = os.path.join(PEERS, "root/etc/ldap/schema")
    return [os.path.join(top, f"{n}.schema") for n in USUAL]


def test_F01_every_package_has_files(files):
    assert len(files) >= 20
    assert not [p for p, found in files.items() if not found]


@pytest.mark.parametrize("before", [1, 4])
def test_F02_alone(files, load, usual, before):
    bad, n = [], 0
    for found in files.values():
        for _, path in found:
            n += 1
            bad.append(difference(load, usual[:before] + [path]))
    print(f"{n} files")
    assert n >= 70
    bad = [b for b in bad if b]
    assert not bad, "\n".join(bad)


def test_F03_with_what_is_needed(files, load, usual):
    bad = []
    for package, needs in NEEDS.items():
        have = dict(files[package])
        for name, others in needs.items():
            paths = [dict(files[o.split(":")[0]])[o.split(":")[1]]
                     for o in others]
            bad.append(difference(load, usual + paths + [have[name]]))
    bad = [b for b in bad if b]
    assert not bad, "\n".join(bad)


# What files have beyond the grammar, and what they may not have. "~" stands
# for the end of a line.
QUIRKS = r"""
attributetype (1.2.3.4 NAME 'x' SUP name)
attributetype ( 1.2.3.4 NAME('x''y')SUP name )
attributetype	( 1.2.3.4	NAME 'x'	DESC ''	SUP name	)
attributetype ( 1.2.3.4 NAME 'x' DESC 'größe (a) $ "b"' SUP name )
attributetype ( 1.2.3.4 SUP name DESC 'late' name 'x' )
attributetype ( 1.2.3.4 NAME 'x' SYNTAX 1.3.6.1.4.1.1466.115.121.1.15{} )
attributetype ( 1.2.3.4 NAME 'x' SYNTAX 1.3.6.1.4.1.1466.115.121.1.15{-1} )
attributetype ( 1.2.3.4 NAME 'x' SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 {32} )
attributetype ( 1.2.3.4 NAME 'x' SUP name X-ORIGIN ( 'a' 'b' ) X-B 'c' )
attributetype ( 1.2.3.4 NAME 'x' SUP name FOO 'a' )
attributetype ( 1.2.3.4 NAME 'x' SUP name ) # remark
attributetype ( 1.2.3.4 NAME 'x' SUP name ))
attributetype "( 1.2.3.4 NAME 'x' SUP name )"
attributetype ( 1.2.3.4 NAME ( 'x' 'X' ) SUP name )
attributetype ( 1.2.3.4 NAME '1x' SUP name )
attributetype ( NAME 'x' SUP name )
attributetype ( 1.2.3.4 NAME 'x' SUP nothing )
attributetype ( 1.2.3.4 NAME 'x SUP name )
attributetype ( 1.2.3.4 NAME 'x' SUP y )~attributetype ( 1.2.3.5 NAME 'y' )
attributetype ( 1.2.3.4 NAME 'x'~ #no remark~	SUP name )
attributetype ( 1.2.3.4 NAME 'x'~~	SUP name )
attributetypes ( 1.2.3.4 NAME 'x' SUP name )
ATTRIBUTETYPE ( 1.2.3.4 NAME 'x' SUP NAME )
attributetype ( my:4 NAME 'x' SUP name )
objectidentifier my 1.2~attributetype ( my:4 NAME 'x' SUP name )
objectidentifier a 1~objectidentifier A 2~attributetype ( A:4 NAME 'x' SUP cn )
objectidentifier my 1.2~objectidentifier my 1.3
objectclass ( 1.2.3.4 NAME 'x' SUP top MUST(cn$name)MAY(description))
objectclass ( 1.2.3.4 NAME 'x' SUP top MUST ( cn, name ) )
objectclass ( 1.2.3.4 NAME 'x' SUP y )~objectclass ( 1.2.3.5 NAME 'y' )
objectclass ( 1.2.3.4 NAME 'x' MAY nothing )
objectclass ( 1.2.3.4 NAME 'x' SUP alias AUXILIARY )
objectclass ( 1.2.3.4 NAME 'x' SUP top STRUCTURAL AUXILIARY )
ldapsyntax ( 1.2.3.4 DESC 'x' )
ldapsyntax ( 1.2.3.4 DESC 'x' X-SUBST '1.2.3.5' )
ldapsyntax ( 1.2.3.4 X-SUBST '1.3.6.1.4.1.1466.115.121.1.15' )
ditcontentrule ( 1.2.3.4 NAME 'x' )
""".strip().split("\n")


def test_F04_quirks(load, tmp_path):
    bad = []
    for i, text in enumerate(QUIRKS):
        path = tmp_path / f"q{i}.schema"
        path.write_text(text.replace("~", "\n") + "\n")
        d = difference(load, [str(path)])
        path.write_text(text.replace("~", "\r\n") + "\r\n")
        d = d or difference(load, [str(path)])
        bad.append(d and f"{text}: {d}")
    bad = [b for b in bad if b]
    assert not bad, "\n".join(bad)
