"""D: start, stop, command line, configuration errors."""
import os
import signal
import socket
import subprocess
import time

import ldap
import people
import pytest
from conftest import (HERE, MODULES, PEER, ROOTDN, ROOTPW, SLAPD, SUFFIX,
                      Database, Server, free_port, module_lines,
                      schema_lines, wait_until)


def run(*args, timeout=60, **kw):
    return subprocess.run([SLAPD, *args], text=True, capture_output=True,
                          timeout=timeout, **kw)


def pid_of(server):
    with open(server.dir + "/slapd.pid") as f:
        return int(f.read())


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def daemon(server, *args):
    """Start it in the background; its pid, once the parent has ended."""
    p = subprocess.run([SLAPD, "-h", server.urls, "-f", server.conf, *args],
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=60)
    assert p.returncode == 0
    return pid_of(server)


def end(pid, sig=signal.SIGTERM):
    os.kill(pid, sig)
    assert wait_until(lambda: not alive(pid), 30)


def test_D01_daemon(make, backend):
    s = make(backend)
    s.load(people.ldif(3))
    pid = daemon(s)
    try:
        # the parent ends when the server answers
        assert s.conn().whoami_s() == ""
        assert pid != os.getpid() and alive(pid)
        with open(s.dir + "/slapd.args") as f:
            text = f.read()
        assert "-h" in text and s.conf in text
        assert os.readlink(f"/proc/{pid}/fd/0") == "/dev/null"
    finally:
        end(pid)
    assert not os.path.exists(s.dir + "/slapd.pid")
    assert not os.path.exists(s.dir + "/slapd.args")
    # at once again, on the same port
    end(daemon(s))


def test_D02_parent_tells_of_failure(make, backend):
    s = make(backend)
    s.write_conf(s.conf_text.replace("suffix", "sufix"))
    assert run("-h", s.url, "-f", s.conf).returncode != 0
    other = make(backend)
    other.start()
    s.write_conf(s.conf_text.replace("sufix", "suffix"))
    p = run("-h", other.url, "-f", s.conf)
    assert p.returncode != 0
    s.write_conf(s.conf_text.replace(s.db_dir(), "/nonexistent"))
    assert run("-h", s.url, "-f", s.conf).returncode != 0


@pytest.mark.parametrize("sig", [signal.SIGTERM, signal.SIGINT])
def test_D03_signals_that_end(make, backend, sig):
    s = make(backend)
    s.load(people.ldif(3))
    s.start()
    s.root().modify_s(SUFFIX, [(0, "description", [b"kept"])])
    start = time.monotonic()
    assert s.stop(sig) == 0
    assert time.monotonic() - start < 5
    s.start()
    assert s.conn().search_s(SUFFIX, 0, "(description=kept)")


def test_D04_operations_end_before_it_does(make, backend):
    s = make(backend, extra="sizelimit unlimited\n")
    s.load(people.ldif(2000))
    s.start()
    c = s.root()
    ids = [c.search(SUFFIX, 2, "(objectClass=*)") for _ in range(3)]
    c.result(ids[0])
    assert s.stop() == 0


@pytest.mark.skipif(bool(PEER), reason="a difference on purpose")
def test_D05_hup(make, backend):
    s = make(backend)
    s.start()
    c = s.conn()
    s.proc.send_signal(signal.SIGHUP)
    time.sleep(0.5)
    assert c.whoami_s() == "" and s.conn().whoami_s() == ""
    assert s.stop() == 0
    s.args = ["-o", "hup=shutdown"]
    s.start()
    assert s.stop(signal.SIGHUP) == 0
    s.args = []
    s.write_conf("sighup shutdown\n" + s.conf_text)
    s.start()
    assert s.stop(signal.SIGHUP) == 0


def test_D06_other_signals(make, backend):
    s = make(backend)
    s.start()
    for sig in (signal.SIGPIPE, signal.SIGUSR1):
        s.proc.send_signal(sig)
        time.sleep(0.1)
        assert s.conn().whoami_s() == ""


def test_D07_version():
    p = run("-VV")
    assert p.returncode == 0
    text = p.stdout + p.stderr
    assert "slapd" in text and ("2.5" if PEER else "0.1") in text
    p = run("-VVV")
    assert p.returncode == 0
    if not PEER and not MODULES:
        assert "hdb" in p.stdout + p.stderr


def test_D08_levels():
    p = run("-d", "?")
    text = p.stdout + p.stderr
    for name in ("trace", "stats", "config", "sync", "256"):
        assert name in text.lower()
    assert run("-d", "nonsense").returncode != 0


@pytest.mark.parametrize("level", ["0x4105", "261", "stats,conns", "-1",
                                   "any", "0"])
def test_D09_debug_levels(make, backend, level):
    s = make(backend, log=level)
    s.start()
    assert s.conn().whoami_s() == ""
    if level != "0":
        assert wait_until(lambda: "conn=1000" in s.log_text(), 5)


def test_D10_usage():
    for args in (["-Q"], ["stray"], ["-h"], ["-T"], ["-Tnonsense"]):
        p = run(*args)
        assert p.returncode != 0, args


@pytest.mark.parametrize("line, words", [
    ("sizelimmit 5", ["sizelimmit", "sizelimit"]),
    ("directroy /tmp", ["directroy", "directory"]),
    ("sizelimit", ["sizelimit"]),
    ("sizelimit many", ["many"]),
    ("pidfile a b", ["pidfile"]),
    ("suffix \"unterminated", []),
    ("suffix nodn", ["nodn"]),
    ("rootdn \"also no dn\"", ["also no dn"]),
    ("index nosuchattr eq", ["nosuchattr"]),
    ("index cn nosuchtype", ["nosuchtype"]),
    ("index cn eq", ["cn"]),                # twice
    ("include /nonexistent.conf", ["/nonexistent.conf"]),
    ("database nosuch", ["nosuch"]),
    ("loglevel nosuch", ["nosuch"]),
    ("allow nosuch", ["allow", "before any database"]),
    ("access to nonsense", []),
    ("threads 1", ["threads"]),
    ("moduleload nosuch_module", ["nosuch_module"]),
    ("overlay nosuch", ["overlay"]),
])
def test_D11_configuration_errors(make, backend, line, words):
    s = make(backend)
    s.write_conf(s.conf_text + line + "\n")
    number = s.conf_text.count("\n")
    p = s.tool("test", "-u", check=False)
    text = p.stdout + p.stderr
    assert p.returncode != 0, text
    if PEER:
        return
    at = "/nonexistent.conf" if "nonexistent" in line else \
        f"{s.conf}: line {number}: "
    assert at in text
    for word in words:
        assert word in text
    p = run("-d", "none", "-h", s.url, "-f", s.conf)
    assert p.returncode != 0 and at in p.stderr


def test_D12_configuration_syntax(make, backend):
    s = make(backend)
    inc = s.dir + "/more.conf"
    with open(inc, "w") as f:
        f.write("# in another file\nsizelimit\n\t12\n")
    s.write_conf("# a comment\n  that goes on\r\n\n" +
                 s.conf_text.replace(f'suffix "{SUFFIX}"',
                                     'SUFFIX\n  dc="example",\\\ndc=com') +
                 f"include {inc}\n")
    s.load(people.ldif(20))
    s.start()
    with pytest.raises(ldap.SIZELIMIT_EXCEEDED):
        s.conn().search_s(SUFFIX, 2, "(uid=*)")


@pytest.mark.skipif(bool(PEER), reason="texts of ours")
def test_D13_obsolete_and_unsupported(make, backend):
    s = make(backend, extra="replogfile /tmp/x\nucdata-path /tmp\n"
             "replica uri=ldap://x binddn=cn=x\n")
    p = s.tool("test", "-u")
    assert "replogfile" in p.stderr
    s.write_conf(s.conf_text + "syncrepl rid=001 provider=ldap://x\n")
    p = s.tool("test", "-u", check=False)
    assert p.returncode != 0 and "not supported yet" in p.stderr


def test_D14_ldapi(make, backend):
    s = make(backend)
    path = s.dir + "/ldapi.sock"
    quoted = path.replace("/", "%2F")
    s.urls = f"{s.url} ldapi://{quoted}"
    s.load(people.ldif(3))
    s.start()
    c = s.conn(ROOTDN, ROOTPW, url=f"ldapi://{quoted}")
    assert c.whoami_s() == "dn:" + ROOTDN
    assert len(c.search_s(SUFFIX, 2, "(uid=user1)")) == 1
    s.stop()
    assert not os.path.exists(path)
    # a socket left behind is no obstacle
    left = socket.socket(socket.AF_UNIX)
    left.bind(path)
    left.close()
    s.urls += "/????x-mod=0777"
    s.start()
    assert wait_until(lambda: os.path.exists(path), 5)
    assert os.stat(path).st_mode & 0o777 == 0o777
    s.conn(url=f"ldapi://{quoted}").whoami_s()


def test_D15_addresses(make, backend):
    s = make(backend)
    second = free_port()
    s.urls = f"{s.url} ldap://127.0.0.1:{second}/ ldap://[::1]:{second}/"
    s.start(check=False)
    if s.proc.poll() is not None:
        pytest.skip("no IPv6 here")
    assert s.conn(url=f"ldap://127.0.0.1:{second}").whoami_s() == ""
    assert s.conn(url=f"ldap://[::1]:{second}").whoami_s() == ""
    s.stop()
    s.urls, s.args = f"ldap://localhost:{s.port}", ["-4"]
    s.start()
    with pytest.raises(OSError):
        socket.create_connection(("::1", s.port), 2)


def test_D16_user(make, backend):
    if os.getuid() != 0:
        pytest.skip("needs root")
    s = make(backend)
    s.load(people.ldif(3))
    os.chmod(s.dir, 0o755)
    for folder, _, files in os.walk(s.db_dir()):
        for f in [""] + files:
            os.chown(os.path.join(folder, f), 65534, 65534)
    s.write_conf(s.conf_text.replace(f"{s.dir}/slapd.",
                                     f"{s.db_dir()}/slapd."))
    os.chmod(s.conf, 0o644)
    s.args = ["-u", "nobody", "-g", "nogroup"]
    s.start()
    with open(f"/proc/{s.proc.pid}/status") as f:
        text = f.read()
    assert "Uid:\t65534\t65534" in text and "Gid:\t65534\t65534" in text
    s.root().modify_s(SUFFIX, [(0, "description", [b"by nobody"])])
    s.stop()
    # root's tools leave files of the folder's owner
    s.load(f"dn: ou=new,{SUFFIX}\nobjectClass: organizationalUnit\nou: new\n",
           "-v")
    if not PEER:
        owners = {os.stat(os.path.join(s.db_dir(), f)).st_uid
                  for f in os.listdir(s.db_dir())}
        assert owners == {65534}


def test_D17_second_server_on_the_database(make, backend):
    s = make(backend)
    s.load(people.ldif(3))
    s.start()
    p = run("-d", "none", "-h", f"ldap://127.0.0.1:{free_port()}", "-f", s.conf,
            timeout=20) if not PEER else None
    if p:
        assert p.returncode != 0 and "use" in p.stderr
    p = s.load(f"dn: ou=q,{SUFFIX}\nobjectClass: organizationalUnit\nou: q\n",
               "-q", check=False)
    if not PEER:
        assert p.returncode != 0 and "use" in p.stderr
    assert s.conn().search_s(SUFFIX, 0)


def test_D18_logfile(make, backend):
    s = make(backend, log="stats")
    s.write_conf(f"logfile {s.dir}/copy.log\n" + s.conf_text)
    s.start()
    s.conn().whoami_s()
    assert wait_until(lambda: "WHOAMI" in open(s.dir + "/copy.log").read(), 5)


@pytest.mark.skipif(not module_lines("hdb", "bdb", "null"),
                    reason="every backend is built in")
def test_D19_modules():
    """What other tests did with each backend, they did with modules."""


@pytest.mark.skipif(bool(PEER), reason="of ours")
def test_D20_loading_what_is_built_in(make, backend):
    if module_lines(backend):
        pytest.skip("it is a module")
    for name in (f"back_{backend}", f"back_{backend}.la",
                 f"back_{backend}.so"):
        s = make(backend)
        s.write_conf(f"moduleload {name}\n" + s.conf_text)
        s.tool("test", "-u")


@pytest.mark.skipif(bool(PEER), reason="of ours")
def test_D21_installed_configuration(make):
    """The slapd.conf that make install puts down works as it stands."""
    top = os.path.dirname(os.path.dirname(HERE))
    path = os.path.join(os.environ.get("top_srcdir", top),
                        "servers/slapd/slapd.conf.in")
    s = make(conf="")
    etc = s.dir + "/etc"
    os.makedirs(etc)
    os.symlink(os.path.join(os.environ.get("top_srcdir", top), "doc/schema"),
               etc + "/schema")
    os.makedirs(s.dir + "/var/run")
    os.makedirs(s.dir + "/var/hornbeam", 0o700)
    text = open(path).read().replace("@sysconfdir@", etc) \
        .replace("@localstatedir@", s.dir + "/var") \
        .replace("@moduledir@", "/nonexistent")
    if module_lines("hdb"):
        text = module_lines("hdb") + text
    text = text.replace("#rootpw\t\t{SSHA}...", "rootpw secret")
    s.write_conf(text)
    s.tool("test")
    s.load(people.ldif(5))
    s.start()
    c = s.conn(ROOTDN, "secret")
    c.modify_s(SUFFIX, [(0, "description", [b"x"])])
    dn = f"uid=user0,ou=People,{SUFFIX}"
    user = s.conn(dn, people.PASSWORD)
    assert "userPassword" not in user.search_s(dn, 0)[0][1]
    assert "userPassword" not in s.conn().search_s(dn, 0)[0][1]
    user.modify_s(dn, [(ldap.MOD_REPLACE, "userPassword", [b"changed"])])
    s.conn(dn, "changed")
    with pytest.raises(ldap.INSUFFICIENT_ACCESS):
        user.modify_s(dn, [(ldap.MOD_REPLACE, "sn", [b"x"])])
