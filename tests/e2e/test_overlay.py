"""O: overlays, by the example in contrib/overlays, which is built against the
headers as they are installed."""
import os
import signal
import subprocess
import threading
from glob import glob

import ldap
import pytest
from conftest import (BACKENDS, PEER, ROOTPW, SUFFIX, TOP, TOPBUILD, Database,
                      Server, person)
from ldap.controls import RequestControl

EXAMPLE = os.path.join(os.path.abspath(TOP), "contrib/overlays/example")
NO_OPERATION = 0x410e
NOOP = RequestControl("1.3.6.1.4.1.4203.666.5.2", True)
PEOPLE = f"ou=people,{SUFFIX}"
OTHER = f"ou=other,{SUFFIX}"

pytestmark = pytest.mark.skipif(PEER is not None, reason="its own modules")


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Where `make install` has put everything; pkg-config's environment."""
    root = str(tmp_path_factory.mktemp("root"))
    env = {k: v for k, v in os.environ.items()
           if k not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "TESTS")}
    p = subprocess.run(["make", "install", f"DESTDIR={root}"], cwd=TOPBUILD,
                       env=env, capture_output=True, text=True)
    assert p.returncode == 0, p.stderr
    pc, = glob(root + "/**/hornbeam.pc", recursive=True)
    env["PKG_CONFIG_PATH"] = os.path.dirname(pc)
    env["PKG_CONFIG_SYSROOT_DIR"] = root
    env["ROOT"] = root
    return env


def pkg_config(env, *args):
    return subprocess.run(["pkg-config", *args, "hornbeam"], env=env,
                          check=True, capture_output=True,
                          text=True).stdout.split()


def build(folder, env, *args):
    """The example, out of tree."""
    return subprocess.run(
        ["make", "-f", f"{EXAMPLE}/GNUmakefile", *args], cwd=folder, env=env,
        capture_output=True, text=True)


@pytest.fixture(scope="module")
def module(installed, tmp_path_factory):
    """Its folder."""
    folder = str(tmp_path_factory.mktemp("module"))
    p = build(folder, installed, "CPPFLAGS=-Werror")
    assert p.returncode == 0, p.stderr
    return folder


def tree(c):
    c.add_s(SUFFIX, [("objectClass", [b"organization", b"dcObject"]),
                     ("o", [b"x"]), ("dc", [b"example"])])
    for dn in (PEOPLE, OTHER):
        c.add_s(dn, [("objectClass", [b"organizationalUnit"])])


def load_lines(module):
    return f"modulepath \"{module}\"\nmoduleload lastchild\n"


@pytest.fixture(scope="module", params=BACKENDS)
def server(request, module):
    s = Server(request.param, extra=load_lines(module),
               extra_db="overlay lastchild organizationalUnit\n"
                        "lastchild-max 200\n").start()
    try:
        tree(s.root())
        yield s
    finally:
        s.clean()


def state(c, dn):
    """childCount, lastChild and lastChildName; None: it has none."""
    entry = c.search_s(dn, 0, attrlist=["+"])[0][1]
    return tuple(entry[a][0].decode() if a in entry else None
                 for a in ("childCount", "lastChild", "lastChildName"))


def add(c, scratch, name):
    dn = f"cn={name},{scratch}"
    c.add_s(dn, person(name))
    return dn


def test_O01_headers(installed):
    """Each header that is installed compiles by what pkg-config says."""
    flags = pkg_config(installed, "--cflags")
    folder = next(f[2:] for f in flags if f.startswith("-I"))
    names = sorted(glob(folder + "/**/*.h", recursive=True))
    assert f"{folder}/slapd/overlay.h" in names
    for name in names:
        p = subprocess.run(
            ["cc", "-std=gnu11", "-Wall", "-Wextra", "-Werror",
             "-fsyntax-only", *flags, name], capture_output=True, text=True)
        assert p.returncode == 0, f"{name}: {p.stderr}"


def test_O02_install(module, installed):
    """Installed beside the others it is found without modulepath."""
    p = build(module, installed, "install", f"DESTDIR={installed['ROOT']}",
              "PKG_CONFIG=env -u PKG_CONFIG_SYSROOT_DIR pkg-config")
    assert p.returncode == 0, p.stderr
    assert glob(installed["ROOT"] + "/**/hornbeam/lastchild.so",
                recursive=True)


def test_O03_kept_in_the_transaction(root, scratch):
    assert state(root, scratch) == (None, None, None)
    a = add(root, scratch, "Ann")
    b = add(root, scratch, "Bob")
    assert state(root, scratch) == ("2", b, "Bob")
    root.delete_s(a)
    assert state(root, scratch) == ("1", b, "Bob")
    root.delete_s(b)
    assert state(root, scratch) == (None, None, None)
    # only parents of the classes named
    assert state(root, SUFFIX)[0] is None


def test_O04_computed_attribute(root, scratch):
    add(root, scratch, "Ann")
    for attrs, shown in ((["+"], True), (["lastChildName"], True),
                         (["*"], False), (None, False), (["1.1"], False)):
        entry = root.search_s(scratch, 0, attrlist=attrs)[0][1]
        assert ("lastChildName" in entry) == shown, attrs
    found = root.search_s(SUFFIX, 2, "(childCount=1)", ["1.1"])
    assert scratch in [dn for dn, _ in found]


def test_O05_renames(root, scratch):
    a = add(root, scratch, "Ann")
    inner = f"ou=inner,{scratch}"
    root.add_s(inner, [("objectClass", [b"organizationalUnit"])])
    add(root, inner, "Cid")
    root.rename_s(a, "cn=Anna")
    assert state(root, scratch) == ("2", f"cn=Anna,{scratch}", "Anna")
    root.rename_s(f"cn=Anna,{scratch}", "cn=Anna", inner)
    assert state(root, scratch)[0] == "1"
    assert state(root, inner) == ("2", f"cn=Anna,{inner}", "Anna")
    # the subtree takes its names along
    root.rename_s(inner, "ou=moved", PEOPLE)
    assert state(root, scratch)[0] is None
    assert state(root, f"ou=moved,{PEOPLE}") == \
        ("2", f"cn=Anna,ou=moved,{PEOPLE}", "Anna")
    assert state(root, PEOPLE)[1] == f"ou=moved,{PEOPLE}"


def test_O06_users_cannot_write_it(root, scratch):
    for attr, value in (("childCount", b"7"), ("lastChild", b"cn=x")):
        with pytest.raises(ldap.CONSTRAINT_VIOLATION):
            root.modify_s(scratch, [(ldap.MOD_REPLACE, attr, [value])])


def test_O07_both_or_neither(server, module):
    """What the overlay refuses is not there, and nothing is counted."""
    s = Server(server.backend, extra=load_lines(module),
               extra_db="overlay lastchild\nlastchild-max 2\n").start()
    try:
        c = s.root()
        tree(c)
        # a third one below the suffix
        with pytest.raises(ldap.CONSTRAINT_VIOLATION) as e:
            add(c, SUFFIX, "x")
        assert "no more than 2" in e.value.args[0]["info"]
        assert state(c, SUFFIX) == ("2", OTHER, "other")
        assert c.search_s(SUFFIX, 2, "(cn=x)") == []
        add(c, OTHER, "x")
        with pytest.raises(ldap.CONSTRAINT_VIOLATION):
            c.rename_s(f"cn=x,{OTHER}", "cn=y", SUFFIX)
        assert state(c, OTHER) == ("1", f"cn=x,{OTHER}", "x")
        c.delete_s(PEOPLE)
        c.rename_s(f"cn=x,{OTHER}", "cn=y", SUFFIX)
        assert state(c, SUFFIX) == ("2", f"cn=y,{SUFFIX}", "y")
        assert state(c, OTHER)[0] is None
    finally:
        s.clean()


def test_O08_noop(root, scratch):
    with pytest.raises(ldap.LDAPError) as e:
        root.add_ext_s(f"cn=x,{scratch}", person("x"), serverctrls=[NOOP])
    assert e.value.args[0]["result"] == NO_OPERATION
    assert state(root, scratch) == (None, None, None)
    assert root.search_s(scratch, 1) == []


def test_O09_many_writers(server, root, scratch):
    """The counter is never behind: each write has its transaction alone."""
    errors = []

    def work(k):
        try:
            c = server.root()
            for i in range(40):
                dn = add(c, scratch, f"w{k}-{i}")
                if i % 4 == 3:
                    c.delete_s(dn)
            c.unbind_s()
        except ldap.LDAPError as e:
            errors.append(e)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert errors == []
    assert state(root, scratch)[0] == "120"
    assert len(root.search_s(scratch, 1, attrlist=["1.1"])) == 120


def test_O10_killed(server, module):
    """After a crash the counter is that of what is there."""
    s = Server(server.backend, extra=load_lines(module),
               extra_db="overlay lastchild\n").start()
    try:
        c = s.root()
        tree(c)
        done = [0]

        def work():
            try:
                for i in range(100000):
                    add(c, PEOPLE, f"p{i}")
                    done[0] = i + 1
            except ldap.LDAPError:
                pass

        t = threading.Thread(target=work)
        t.start()
        while done[0] < 50 and t.is_alive():
            t.join(0.01)
        s.proc.send_signal(signal.SIGKILL)
        s.proc.wait()
        t.join()
        s.proc = None
        s.start()
        c = s.root()
        names = [dn for dn, _ in c.search_s(PEOPLE, 1, attrlist=["1.1"])]
        assert len(names) >= done[0] >= 50
        assert state(c, PEOPLE)[:2] == (
            str(len(names)), f"cn=p{len(names) - 1},{PEOPLE}")
        assert s.stop() == 0
        p = s.tool("check")
        assert p.returncode == 0, p.stdout
    finally:
        s.clean()


def test_O11_global(server, module):
    """One line for two databases, one of which keeps nothing."""
    null = Database("null", "dc=null", extra="bind on\n",
                    rootdn="cn=admin,dc=null")
    s = Server(databases=[Database(server.backend), null],
               extra=load_lines(module) + "overlay lastchild\n").start()
    try:
        c = s.root()
        tree(c)
        assert state(c, SUFFIX) == ("2", OTHER, "other")
        n = s.conn("cn=admin,dc=null", ROOTPW)
        n.add_s("cn=x,dc=null", person("x"))
        n.rename_s("cn=x,dc=null", "cn=y")
        n.delete_s("cn=y,dc=null")
        assert n.search_s("dc=null", 2) == []
        # the schema of the overlay is published
        types = c.search_s("cn=Subschema", 0, "(objectClass=subschema)",
                           ["attributeTypes"])[0][1]["attributeTypes"]
        assert any(b"'lastChild'" in t for t in types)
    finally:
        s.clean()


def test_O12_null(module, make):
    s = make(databases=[Database("null", extra="overlay lastchild\n")],
             extra=load_lines(module)).start()
    c = s.root()
    c.add_s(f"cn=x,{SUFFIX}", person("x"))
    c.modify_s(f"cn=x,{SUFFIX}", [(ldap.MOD_REPLACE, "sn", [b"y"])])
    assert s.stop() == 0


def test_O13_tools(server, module):
    """They know its schema and its lines, and run nothing."""
    s = Server(server.backend, extra=load_lines(module),
               extra_db="overlay lastchild\n")
    try:
        s.load(f"dn: {SUFFIX}\nobjectClass: organization\n"
               f"objectClass: dcObject\no: x\ndc: example\n"
               f"childCount: 3\n\n"
               f"dn: {PEOPLE}\nobjectClass: organizationalUnit\nou: people\n")
        assert "childCount: 3\n" in s.tool("cat").stdout
        s.start()
        c = s.root()
        c.delete_s(PEOPLE)
        assert state(c, SUFFIX)[0] == "2"
    finally:
        s.clean()


@pytest.mark.parametrize("lines,word", [
    ("overlay lastchild noSuchClass\n", "noSuchClass"),
    ("overlay lastchild\noverlay lastchild\n", "there already"),
    ("overlay lastchild\nlastchild-max -1\n", "lastchild-max"),
    ("overlay lastchild\nlastchild-mux 1\n", "lastchild-max"),
])
def test_O14_configuration_errors(make, module, lines, word):
    s = make("hdb", extra=load_lines(module))
    s.write_conf(s.conf_text + lines)
    p = s.tool("test", "-u", check=False)
    assert p.returncode != 0
    assert word in p.stdout + p.stderr
    number = s.conf_text.count("\n")
    assert f"{s.conf}: line {number}: " in p.stdout + p.stderr


def test_O15_other_versions(make, module, installed, tmp_path):
    """A module for other headers is refused by name, and not run."""
    flags = pkg_config(installed, "--cflags")
    for old, name in (("SLAPD_OVERLAY_ABI", "overlay"),
                      ("SLAPD_BACKEND_ABI", "backend")):
        with open(f"{EXAMPLE}/lastchild.c") as f:
            text = f.read()
        assert f".abi = {old}," in text
        source = tmp_path / f"{name}.c"
        source.write_text(text.replace(f".abi = {old},", ".abi = 1,"))
        subprocess.run(["cc", "-shared", "-fPIC", *flags, str(source), "-o",
                        str(tmp_path / f"{name}.so")], check=True)
        s = make("hdb", extra=f"modulepath {tmp_path}\nmoduleload {name}\n")
        p = s.tool("test", "-u", check=False)
        assert p.returncode != 0
        assert f"module {name} was built for another version" in \
            p.stdout + p.stderr
