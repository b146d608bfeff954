"""T: the tools' options, messages and exit codes."""
import os
import re
import stat
import subprocess
import threading

import ldap
import people
import pytest
from conftest import (PEER, ROOTDN, SLAPD, SUFFIX, Database, Server,
                      parse_ldif, wait_until)

TOP = f"""dn: {SUFFIX}
objectClass: dcObject
objectClass: organization
dc: example
o: x

"""


def unit(name, parent=SUFFIX):
    return f"dn: ou={name},{parent}\nobjectClass: organizationalUnit\n" \
        f"ou: {name}\n\n"


def count(server):
    return server.tool("cat").stdout.count("dn: ")


# slapadd

BAD = [
    # text of the record, words that must be said
    ("dn: ou=x,dc=elsewhere\nobjectClass: organizationalUnit\nou: x\n",
     ["ou=x,dc=elsewhere"]),
    ("dn: nonsense\nobjectClass: top\n", ["nonsense"]),
    (f"dn: cn=x,{SUFFIX}\nobjectClass: person\ncn: x\n",
     [f"cn=x,{SUFFIX}", "sn"]),
    (f"dn: cn=x,{SUFFIX}\nobjectClass: noSuchClass\ncn: x\n",
     [f"cn=x,{SUFFIX}", "objectClass"]),
    (f"dn: cn=x,{SUFFIX}\nobjectClass: device\ncn: x\nnoSuchAttr: y\n",
     ["noSuchAttr"]),
    (f"dn: cn=x,{SUFFIX}\nobjectClass: device\ncn:: ***\n", []),
    (f"dn: cn=x,{SUFFIX}\nno colon here\n", []),
    ("objectClass: top\n", []),
    (f"dn: {SUFFIX}\nobjectClass: device\ncn: x\n", [SUFFIX]),
]


@pytest.mark.parametrize("quick", ["-q", "-v"])
@pytest.mark.parametrize("record, words", BAD)
def test_T01_bad_record(make, backend, record, words, quick):
    s = make(backend)
    first = TOP + unit("one")
    line = first.count("\n") + 1
    p = s.load(first + record + "\n" + unit("two"), quick, check=False)
    assert p.returncode == 1
    for word in words:
        assert word in p.stderr, p.stderr
    if PEER:
        return
    # file, line, DN, reason; a duplicate may be found at the end
    m = re.search(r"load\.ldif: line (\d+)", p.stderr) or \
        re.search(r"load\.ldif:(\d+)", p.stderr) or \
        re.search(r"line[= ](\d+)", p.stderr)
    assert m, p.stderr
    assert line <= int(m.group(1)) <= line + record.count("\n") or \
        record.startswith(f"dn: {SUFFIX}\n")


def test_T02_continue(make, backend):
    s = make(backend)
    p = s.load(TOP + unit("one") +
               f"dn: cn=x,{SUFFIX}\nobjectClass: person\ncn: x\n\n" +
               unit("two"), "-q", "-c", check=False)
    assert p.returncode in (0, 1)
    dump = parse_ldif(s.tool("cat").stdout)
    assert set(dump) == {SUFFIX, f"ou=one,{SUFFIX}", f"ou=two,{SUFFIX}"}


def test_T03_dry_run(make, backend):
    s = make(backend)
    s.load(TOP + unit("one"), "-u")
    assert s.tool("cat", check=False).stdout == ""
    p = s.load(TOP + f"dn: cn=x,{SUFFIX}\nobjectClass: person\ncn: x\n", "-u",
               check=False)
    assert p.returncode == 1 and "sn" in p.stderr
    s.load(TOP)
    assert count(s) == 1


def test_T04_verbose(make, backend):
    s = make(backend)
    p = s.load(TOP + unit("one"), "-v")
    text = p.stdout + p.stderr
    assert f'added: "{SUFFIX}" (00000001)' in text
    assert f'added: "ou=one,{SUFFIX}" (00000002)' in text


def test_T05_no_schema_check(make, backend):
    s = make(backend)
    record = f"dn: cn=x,{SUFFIX}\nobjectClass: person\ncn: x\n"
    assert s.load(TOP + record, "-q", check=False).returncode == 1
    s = make(backend)
    s.load(TOP + record, "-q", "-s")
    assert count(s) == 2


def test_T06_choice_of_database(make, backend):
    other = "dc=other"
    s = make(databases=[Database(backend), Database(backend, other)])
    s.load(TOP, "-q", "-n", "1")
    s.load("dn: dc=other\nobjectClass: dcObject\nobjectClass: organization\n"
           "dc: other\no: y\n", "-q", "-b", other)
    assert list(parse_ldif(s.tool("cat").stdout)) == [SUFFIX]
    assert list(parse_ldif(s.tool("cat", "-n", "2").stdout)) == [other]
    assert list(parse_ldif(s.tool("cat", "-b", other).stdout)) == [other]
    assert s.tool("cat", "-n", "7", check=False).returncode == 1
    assert s.tool("cat", "-b", "dc=none", check=False).returncode == 1
    assert s.tool("cat", "-b", other, "-n", "1", check=False).returncode == 1


def test_T07_standard_input(make, backend):
    s = make(backend)
    s.tool("add", "-q", input=TOP + unit("one"))
    assert count(s) == 2


def test_T08_jump(make, backend):
    s = make(backend)
    s.load(TOP)
    skipped = unit("one") + unit("two")
    s.load(skipped + unit("three"), "-v" if PEER else "-q", "-j",
           str(skipped.count("\n") + 1))
    assert set(parse_ldif(s.tool("cat").stdout)) == \
        {SUFFIX, f"ou=three,{SUFFIX}"}


def test_T09_given_operational_attributes_stay(make, backend):
    s = make(backend)
    s.load(TOP.rstrip("\n") + """
entryUUID: 01234567-89ab-cdef-0123-456789abcdef
createTimestamp: 20010101000000Z
creatorsName: cn=long ago
entryCSN: 20010101000000.000000Z#000000#000#000000

""")
    e = parse_ldif(s.tool("cat").stdout)[SUFFIX]
    assert e["entryUUID"] == [b"01234567-89ab-cdef-0123-456789abcdef"]
    assert e["createTimestamp"] == [b"20010101000000Z"]
    assert e["creatorsName"] == [b"cn=long ago"]
    assert e["modifiersName"] == [ROOTDN.encode()]


def test_T10_server_id_and_context_csn(make, backend):
    s = make(backend)
    s.load(TOP + unit("one"), "-q", "-S", "5", "-w")
    dump = parse_ldif(s.tool("cat").stdout)
    assert b"#005#" in dump[f"ou=one,{SUFFIX}"]["entryCSN"][0]
    assert dump[SUFFIX]["contextCSN"] == [max(
        e["entryCSN"][0] for e in dump.values())]


def test_T11_progress_without_terminal(make, backend):
    s = make(backend)
    p = s.load(people.ldif(2000))
    assert "\r" not in p.stderr and "\x1b" not in p.stderr
    assert p.stderr.count("\n") < 20


def test_T12_usage():
    for tool in ("add", "cat", "index", "passwd", "test"):
        p = subprocess.run([SLAPD, "-T" + tool, "-Z"], text=True,
                           capture_output=True, stdin=subprocess.DEVNULL)
        assert p.returncode == 1, tool
        assert "usage" in (p.stdout + p.stderr).lower()


def test_T13_called_by_name(make, backend, tmp_path):
    s = make(backend)
    for tool in ("slapadd", "slapcat"):
        if PEER:
            pytest.skip("a script starts the peer")
        os.symlink(SLAPD, tmp_path / tool)
    with open(s.dir + "/x.ldif", "w") as f:
        f.write(TOP)
    subprocess.run([tmp_path / "slapadd", "-q", "-f", s.conf, "-l",
                    s.dir + "/x.ldif"], check=True)
    out = subprocess.run([tmp_path / "slapcat", "-f", s.conf], check=True,
                         capture_output=True, text=True).stdout
    assert out == s.tool("cat").stdout and SUFFIX in out
    for args in (["-T", "cat"], ["-Tc"], ["-T", "c"]):
        got = subprocess.run([SLAPD, *args, "-f", s.conf], check=True,
                             capture_output=True, text=True).stdout
        assert got == out


# slapindex

def test_T20_index_afterwards(make, backend):
    s = make(backend)
    s.load(people.ldif(100))
    s.write_conf(s.conf_text + "index employeeNumber,l eq\n"
                 "index title pres,eq,sub\n")
    s.tool("index")
    s.start()
    c = s.conn()
    assert len(c.search_s(SUFFIX, 2, "(employeeNumber=49)")) == 1
    want = len(c.search_s(SUFFIX, 2, "(&(objectClass=person)(l=graz))"))
    assert len(c.search_s(SUFFIX, 2, "(l=Graz)")) == want > 0
    assert c.search_s(SUFFIX, 2, "(title=eng*)")
    s.stop()
    s.tool("index", "title")
    s.tool("index", "-q", "cn", "sn")
    p = s.tool("index", "description", check=False)
    assert p.returncode == 1 and "description" in p.stderr
    s.start()
    assert len(s.conn().search_s(SUFFIX, 2, "(l=Graz)")) == want


def test_T21_index_while_running(make, backend):
    """A new index line: searches are right while it is built and after."""
    s = make(backend, log="none")
    s.load(people.ldif(2000))
    s.write_conf(s.conf_text + "index l,title eq,sub\nsizelimit unlimited\n")
    s.start()
    c, root = s.conn(), s.root()
    want = len(c.search_s(SUFFIX, 2, "(l=*raz)"))
    assert want > 0
    for i, dn in enumerate(dn for dn, _ in c.search_s(
            SUFFIX, 2, "(&(objectClass=person)(l=*))", ["1.1"])[:50]):
        root.modify_s(dn, [(ldap.MOD_REPLACE, "l", [b"Nowhere"])])
        assert len(c.search_s(SUFFIX, 2, "(l=nowhere)")) == i + 1
    wait_until(lambda: "indexes are complete" in s.log_text())
    assert len(c.search_s(SUFFIX, 2, "(l=nowhere)")) == 50
    assert "being built" in s.log_text()
    s.restart()
    assert len(s.conn().search_s(SUFFIX, 2, "(l=no*re)")) == 50
    assert s.log_text().count("being built") == 1


def test_T22_advice(make, backend):
    """What lacks an index is told once for a kind of filter, with its cost."""
    s = make(backend, log="none", extra="sizelimit unlimited")
    s.load(people.ldif(2500))
    s.start()
    c = s.conn()
    for i in range(40):
        c.search_s(SUFFIX, 2, f"(&(objectClass=person)(roomNumber={i}))")
        c.search_s(SUFFIX, 2, f"(|(roomNumber=*{i}x)(roomNumber=*{i}y))")
        c.search_s(SUFFIX, 2, f"(uid=user.{i})")
    lines = [line for line in s.log_text().splitlines() if "would help" in line]
    assert len(lines) == 2
    assert "searches like (&(objectclass=?)(roomnumber=?)) looked at" in \
        lines[0] and '"index roomNumber eq" would help' in lines[0]
    assert "(|(roomnumber=*?)...)" in lines[1] and \
        '"index roomNumber sub" would help' in lines[1]
    assert s.log_text().count("(roomNumber) not indexed") == 1


def test_T23_slapindex_beside_slapd(make, backend):
    """The server builds; searches are right all the time."""
    s = make(backend, log="none", extra="sizelimit unlimited")
    s.load(people.ldif(3000))
    s.start()
    wrong, news, stop = [], set(), threading.Event()

    def look():
        c = s.conn()
        while not stop.is_set():
            for i in range(0, 3000, 211):
                n = len(c.search_s(SUFFIX, 2, f"(uid=user{i})", ["1.1"]))
                if n != 1:
                    wrong.append((i, n))

    def write():
        c, n = s.root(), 0
        while not stop.is_set():
            n += 1
            dn = f"uid=new{n},{SUFFIX}"
            c.add_s(dn, [("objectClass", [b"inetOrgPerson"]),
                         ("cn", [b"x"]), ("sn", [b"x"])])
            if len(c.search_s(SUFFIX, 2, f"(uid=new{n})")) != 1:
                wrong.append(dn)
            if n % 2:
                c.delete_s(dn)
            else:
                news.add(dn)

    threads = [threading.Thread(target=f) for f in (look, write)]
    for t in threads:
        t.start()
    p = s.tool("index", "-v")
    s.tool("index", "uid", "cn")
    stop.set()
    for t in threads:
        t.join()
    assert wrong == [] and news
    assert "it builds the indexes" in p.stderr
    c = s.conn()
    assert {dn for dn, _ in c.search_s(SUFFIX, 2, "(uid=new*)")} == news
    p = s.tool("index", "roomNumber", check=False)
    assert p.returncode == 1 and "roomNumber" in p.stderr
    conf = s.conf_text
    s.write_conf(conf + "index roomNumber eq\n")
    p = s.tool("index", "roomNumber", check=False)
    assert p.returncode == 1 and "start it again" in p.stderr
    s.restart()
    wait_until(lambda: s.log_text().count("indexes are complete") == 3)
    assert len(s.conn().search_s(SUFFIX, 2, "(uid=new*)")) == len(news)


# slappasswd

def test_T30_passwd_schemes(make, backend):
    s = make(backend)
    s.load(TOP)
    s.start()
    schemes = ["{SSHA}", "{SHA}", "{SMD5}", "{MD5}", "{CRYPT}"]
    if not PEER:
        schemes += ["{SSHA256}", "{SSHA512}", "{SHA256}", "{SHA512}"]
    c = s.root()
    for i, scheme in enumerate(schemes):
        args = ["-c", "$6$%.8s"] if scheme == "{CRYPT}" else []
        out = s.tool("passwd", "-h", scheme, "-s", "päss wörd", *args,
                     conf=False).stdout
        assert out.startswith(scheme) and out.endswith("\n")
        dn = f"cn=u{i},{SUFFIX}"
        c.add_s(dn, [("objectClass", [b"person"]), ("cn", [b"u%d" % i]),
                     ("sn", [b"u"]), ("userPassword", [out.strip().encode()])])
        s.conn(dn, "päss wörd")
        with pytest.raises(ldap.INVALID_CREDENTIALS):
            s.conn(dn, "pass word")


def test_T31_passwd_options(make, tmp_path):
    s = make(conf="")
    default = s.tool("passwd", "-s", "x", conf=False).stdout
    assert default.startswith("{SSHA}")
    assert s.tool("passwd", "-s", "x", conf=False).stdout != default
    secret = tmp_path / "secret"
    secret.write_text("from file\n")
    assert s.tool("passwd", "-h", "{SHA}", "-T", str(secret),
                  conf=False).stdout == s.tool(
        "passwd", "-h", "{SHA}", "-s", "from file\n", conf=False).stdout
    assert not s.tool("passwd", "-n", "-s", "x", conf=False
                      ).stdout.endswith("\n")
    made = s.tool("passwd", "-g", conf=False).stdout.strip()
    assert len(made) >= 8 and made != \
        s.tool("passwd", "-g", conf=False).stdout.strip()
    assert s.tool("passwd", "-h", "{NOPE}", "-s", "x", conf=False,
                  check=False).returncode == 1
    assert s.tool("passwd", "-g", "-s", "x", conf=False,
                  check=False).returncode == 1


# slaptest

def test_T40_slaptest(make, backend):
    s = make(backend)
    s.load(TOP)
    p = s.tool("test")
    assert "config file testing succeeded" in p.stderr
    assert s.tool("test", "-Q").stderr == ""
    assert "config file testing succeeded" in s.tool("test", "-u").stderr
    text = s.conf_text
    s.write_conf(text.replace(s.db_dir(), "/nonexistent"))
    assert s.tool("test", check=False).returncode == 1
    s.write_conf(text + "bogus\n")
    p = s.tool("test", "-u", check=False)
    assert p.returncode == 1 and "bogus" in p.stderr


def test_T41_passwords_are_not_shown(make, backend):
    s = make(backend)
    p = s.tool("test", "-u", "-d", "config", check=False)
    from conftest import ROOTPW
    assert ROOTPW not in p.stdout + p.stderr


# slapcat

def test_T50_wrap(make, backend):
    s = make(backend)
    s.load(TOP.rstrip("\n") + "\ndescription: " + "x" * 300 + "\n")
    assert max(map(len, s.tool("cat").stdout.split("\n"))) <= 76
    out = s.tool("cat", "-o", "ldif-wrap=no").stdout
    assert "description: " + "x" * 300 + "\n" in out


@pytest.mark.skipif(bool(PEER), reason="files of ours")
def test_T51_files_are_private(make, backend):
    s = make(backend)
    s.load(TOP)
    for f in os.listdir(s.db_dir()):
        mode = stat.S_IMODE(os.stat(os.path.join(s.db_dir(), f)).st_mode)
        assert mode & 0o077 == 0, f
    names = os.listdir(s.db_dir())
    assert {"id2entry.bdb", "dn2id.bdb", "cn.bdb"} <= set(names)


@pytest.mark.skipif(bool(PEER), reason="of ours")
def test_T52_cut_off_load_is_refused(make, backend):
    """A quick load that was killed leaves a mark."""
    s = make(backend)
    p = subprocess.Popen([SLAPD, "-Tadd", "-q", "-f", s.conf],
                         stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    p.stdin.write(people.ldif(3000).encode())
    p.stdin.flush()
    p.kill()
    p.wait()
    p.stdin.close()
    p.stderr.close()
    r = subprocess.run([SLAPD, "-d", "0", "-h", s.url, "-f", s.conf],
                       text=True, capture_output=True, timeout=30)
    assert r.returncode != 0
    assert "slapadd" in r.stderr or "load" in r.stderr
    for f in os.listdir(s.db_dir()):
        os.unlink(os.path.join(s.db_dir(), f))
    s.load(people.ldif(10))
    s.start()
