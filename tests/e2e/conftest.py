"""Servers to test: started on a free loopback port, stopped by their pid.

Environment: SLAPD, top_srcdir, top_builddir (set by the build), MODULES
(backends built as modules), BACKENDS (which to test: "hdb bdb"). With
PEER=folder of contrib/check/peers the tests run against Debian's slapd, to
see whether a test asks for what slapd's users know.
"""
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import ldap
import ldap.modlist
import pytest

sys.path.insert(0, os.path.dirname(__file__))
import people  # noqa: E402
from people import PASSWORD, ROOTDN, ROOTPW, SUFFIX  # noqa: E402,F401

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.environ.get("top_srcdir", os.path.dirname(os.path.dirname(HERE)))
TOPBUILD = os.environ.get("top_builddir", os.path.join(TOP, "build"))
PEER = os.environ.get("PEER")
SLAPD = os.environ.get("SLAPD", os.path.join(TOPBUILD, "slapd"))
if PEER:
    SLAPD = os.path.join(PEER, "slapd")
MODULES = os.environ.get("MODULES", "").split()
BACKENDS = os.environ.get("BACKENDS", "mdb" if PEER else "hdb bdb").split()
# Sanitizers and a busy machine are slow; nothing waits this long otherwise.
PATIENCE = 60.0

SCHEMA = ("core", "cosine", "inetorgperson", "nis")
INDEXES = """
index objectClass,uid,uidNumber,gidNumber,member,entryUUID eq
index cn,sn,givenName,mail pres,eq,sub
"""

# ExtendedRequest "Who am I?", message 1
WHO_AM_I = bytes.fromhex("301e02010177198017") + b"1.3.6.1.4.1.4203.1.11.3"

ldap.set_option(ldap.OPT_NETWORK_TIMEOUT, 20)
os.environ["LDAPNOINIT"] = "1"


def schema_file(name):
    folder = (os.path.join(PEER, "root/etc/ldap/schema") if PEER
              else os.path.join(TOP, "doc/schema"))
    return os.path.join(folder, name + ".schema")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_until(what, seconds=PATIENCE, step=0.02):
    """Poll WHAT() until it is true; its value, or the last one."""
    end = time.monotonic() + seconds
    while True:
        value = what()
        if value or time.monotonic() > end:
            return value
        time.sleep(step)


def schema_lines(names=SCHEMA):
    return "".join(f'include "{schema_file(n)}"\n' for n in names)


def module_lines(*backends):
    if PEER:
        return (f"modulepath {PEER}/root/usr/lib/ldap\n" +
                "".join(f"moduleload back_{b}\n" for b in backends))
    return "".join(f'modulepath "{TOPBUILD}/backends/back-{b}"\n'
                   f"moduleload back_{b}.la\n"
                   for b in backends if b in MODULES)


class Database:
    def __init__(self, backend, suffix=SUFFIX, extra="", rootdn=None,
                 indexes=INDEXES):
        self.backend, self.suffix, self.extra = backend, suffix, extra
        self.rootdn = rootdn or f"cn=admin,{suffix}"
        self.indexes = indexes

    def lines(self, folder):
        text = (f"database {self.backend}\nsuffix \"{self.suffix}\"\n"
                f"rootdn \"{self.rootdn}\"\nrootpw \"{ROOTPW}\"\n")
        if self.backend in ("hdb", "bdb", "mdb"):
            os.makedirs(folder, 0o700, exist_ok=True)
            text += f"directory {folder}\n{self.indexes}"
        if self.backend == "mdb":
            text += "maxsize 268435456\n"
        return text + self.extra


class Server:
    """One configuration, its folder, and the slapd that may run on it."""

    def __init__(self, backend=None, databases=None, extra="", extra_db="",
                 schema=SCHEMA, conf=None, log="0", urls=None, args=()):
        self.dir = tempfile.mkdtemp(prefix="hornbeam-e2e-")
        self.port = free_port()
        self.url = f"ldap://127.0.0.1:{self.port}"
        self.urls = urls or self.url
        self.conf = os.path.join(self.dir, "slapd.conf")
        self.logfile = os.path.join(self.dir, "slapd.log")
        self.level, self.args = log, list(args)
        self.backend = backend
        if databases is None:
            databases = [Database(backend, extra=extra_db)] if backend else []
        self.databases = databases
        if conf is None:
            conf = (schema_lines(schema) +
                    module_lines(*dict.fromkeys(d.backend for d in databases)) +
                    f"pidfile {self.dir}/slapd.pid\n"
                    f"argsfile {self.dir}/slapd.args\n" + extra + "\n")
            for n, d in enumerate(databases):
                conf += d.lines(self.db_dir(n))
        self.write_conf(conf)
        self.proc = None

    def db_dir(self, n=0):
        return os.path.join(self.dir, f"db{n}")

    def write_conf(self, text):
        self.conf_text = text
        with open(self.conf, "w") as f:
            f.write(text)

    # tools

    def tool(self, name, *args, input=None, check=True, conf=True, text=True,
             timeout=600):
        """Run slapNAME; its CompletedProcess."""
        cmd = [SLAPD, "-T" + name] + (["-f", self.conf] if conf else [])
        p = subprocess.run(cmd + list(args), input=input, text=text,
                           capture_output=True, timeout=timeout)
        if check and p.returncode != 0:
            pytest.fail(f"slap{name} {' '.join(args)}: exit {p.returncode}\n"
                        f"{p.stdout[-3000:]}\n{p.stderr[-3000:]}")
        return p

    def load(self, ldif, *args, check=True):
        """slapadd -q of LDIF text."""
        path = os.path.join(self.dir, "load.ldif")
        with open(path, "w" if isinstance(ldif, str) else "wb") as f:
            f.write(ldif)
        return self.tool("add", *(args or ("-q",)), "-l", path, check=check)

    # the daemon

    def start(self, check=True):
        self.log = open(self.logfile, "ab")
        self.proc = subprocess.Popen(
            [SLAPD, "-d", self.level, "-h", self.urls, "-f", self.conf] +
            self.args, stdout=self.log, stderr=self.log,
            stdin=subprocess.DEVNULL, cwd=self.dir)
        wait_until(lambda: self.proc.poll() is not None or self.is_up())
        if check and (self.proc.poll() is not None or not self.is_up()):
            pytest.fail(f"slapd did not start, status {self.proc.poll()}:\n" +
                        self.log_text()[-4000:])
        return self

    def is_up(self):
        """Does it answer? A connection alone only says that it listens."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), 5) as s:
                s.sendall(WHO_AM_I)
                return bool(s.recv(1))
        except OSError:
            return False

    def stop(self, sig=signal.SIGTERM):
        """End it; the exit status."""
        if self.proc is None:
            return 0
        if self.proc.poll() is None:
            self.proc.send_signal(sig)
        try:
            rc = self.proc.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.proc.kill()
            self.proc.wait()
            pytest.fail("slapd does not end:\n" + self.log_text()[-4000:])
        self.proc = None
        self.log.close()
        return rc

    def restart(self):
        assert self.stop() == 0, self.log_text()[-4000:]
        return self.start()

    def clean(self):
        rc = self.stop()
        if rc == 0 and not os.environ.get("KEEP"):
            shutil.rmtree(self.dir, ignore_errors=True)
        assert rc == 0, f"slapd ended with {rc}: {self.log_text()[-4000:]}"

    def log_text(self):
        with open(self.logfile, errors="replace") as f:
            return f.read()

    def memory_kib(self):
        with open(f"/proc/{self.proc.pid}/status") as f:
            for line in f:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1])

    # clients

    def conn(self, dn=None, password=None, url=None):
        c = ldap.initialize(url or self.url, bytes_mode=False)
        c.protocol_version = 3
        c.set_option(ldap.OPT_REFERRALS, 0)
        c.set_option(ldap.OPT_TIMEOUT, PATIENCE)
        if dn is not None:
            c.simple_bind_s(dn, password)
        return c

    def root(self):
        return self.conn(ROOTDN, ROOTPW)

    def client(self, name, *args, input=None, check=True, dn=None,
               password=None):
        """ldap-utils' program NAME, as ROOTDN unless told otherwise."""
        if dn is None:
            dn, password = ROOTDN, ROOTPW
        auth = ["-D", dn, "-w", password] if dn else []
        p = subprocess.run([name, "-x", "-H", self.url, *auth, *args],
                           input=input, text=True, capture_output=True,
                           timeout=PATIENCE * 5)
        if check and p.returncode != 0:
            pytest.fail(f"{name} {args}: exit {p.returncode}: {p.stderr}")
        return p


def as_set(result):
    """Search result of python-ldap as a comparable set of everything."""
    return {(dn, a, v) for dn, attrs in result if dn is not None
            for a, values in attrs.items() for v in values or [b""]} | \
        {(dn, None, None) for dn, _ in result if dn is not None}


def parse_ldif(text):
    """Content records of LDIF text: {dn: {attribute: [bytes, ...]}}."""
    import io

    import ldif

    class Records(ldif.LDIFParser):
        def __init__(self, f):
            super().__init__(f)
            self.all = {}

        def handle(self, dn, entry):
            assert dn not in self.all, f"{dn} twice"
            self.all[dn] = entry

    r = Records(io.BytesIO(text.encode() if isinstance(text, str) else text))
    r.parse()
    return r.all


@pytest.fixture(scope="session", autouse=True)
def program():
    if not os.access(SLAPD, os.X_OK):
        pytest.skip(f"no slapd at {SLAPD}", allow_module_level=True)


@pytest.fixture(scope="module", params=BACKENDS)
def backend(request):
    return request.param


@pytest.fixture
def make(request):
    """make(...) gives a Server(...) that is cleaned up at the end."""
    made = []

    def factory(*args, **kw):
        made.append(Server(*args, **kw))
        return made[-1]

    yield factory
    for s in reversed(made):
        s.clean()


NPEOPLE = 60


@pytest.fixture(scope="module")
def server(backend):
    """A server with people.entries(NPEOPLE), for the tests of a file."""
    s = Server(backend, log="stats", extra="sizelimit unlimited\n")
    try:
        s.load(people.ldif(NPEOPLE))
        s.start()
        yield s
    finally:
        s.clean()


@pytest.fixture
def root(server):
    c = server.root()
    yield c
    c.unbind_s()


_scratch = [0]


@pytest.fixture
def scratch(root):
    """An empty organizational unit for one test."""
    _scratch[0] += 1
    dn = f"ou=scratch{_scratch[0]},{SUFFIX}"
    root.add_s(dn, [("objectClass", [b"organizationalUnit"])])
    return dn


def person(name, **more):
    """Attributes of a person, as python-ldap's add_s wants them."""
    attrs = {"objectClass": [b"inetOrgPerson"], "cn": [name.encode()],
             "sn": [b"Test"]}
    attrs.update({k: [x if isinstance(x, bytes) else x.encode() for x in
                      (v if isinstance(v, list) else [v])]
                  for k, v in more.items()})
    return ldap.modlist.addModlist(attrs)
