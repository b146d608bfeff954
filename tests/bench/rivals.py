"""Servers to be compared: each on a free port of loopback, with the same data
and the same indexes, durable as it comes, stopped by its pid.

Environment: SLAPD (build/slapd) and SLAPBENCH; PEERS: a folder made by
contrib/check/peers, for OpenLDAP. 389 Directory Server is used where it is
installed (ns-slapd, dscreate), by root.
"""
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
SLAPD = os.path.abspath(os.environ.get("SLAPD",
                                       os.path.join(TOP, "build", "slapd")))
SLAPBENCH = os.path.abspath(os.environ.get(
    "SLAPBENCH", os.path.join(os.path.dirname(SLAPD), "slapbench")))
PEERS = os.environ.get("PEERS")
SUFFIX, ROOTDN, ROOTPW = "dc=example,dc=com", "cn=admin,dc=example,dc=com", \
    "secret123"
EQ = ["uid", "cn", "sn", "givenName", "mail"]
SUB = EQ
SCHEMA = ("core", "cosine", "nis", "inetorgperson")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Rival:
    """NAME as tables show it; missing() says why it cannot take part."""

    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="hornbeam-bench-")
        self.port, self.proc = free_port(), None
        self.rootdn, self.rootpw = ROOTDN, ROOTPW

    def missing(self):
        return None

    @property
    def url(self):
        return f"ldap://127.0.0.1:{self.port}"

    @property
    def pid(self):
        return self.proc.pid

    def run(self, command, **more):
        p = subprocess.run(command, capture_output=True, text=True, **more)
        if p.returncode != 0:
            raise RuntimeError(f"{self.name}: {' '.join(command)}: exit "
                               f"{p.returncode}\n{p.stdout}\n{p.stderr}")

    def spawn(self, command, **more):
        self.proc = subprocess.Popen(command, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL, **more)
        end = time.monotonic() + 60
        while time.monotonic() < end and self.proc.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError(f"{self.name} does not start")

    def stop(self):
        if self.proc is not None:
            self.proc.terminate()
            try:
                self.proc.wait(60)
            except subprocess.TimeoutExpired:
                self.proc.kill()
                self.proc.wait()
            self.proc = None

    def clean(self):
        self.stop()
        shutil.rmtree(self.dir, ignore_errors=True)

    def disk(self):
        """Octets of the database's files."""
        return sum(os.stat(os.path.join(folder, f)).st_blocks * 512
                   for folder, _, names in os.walk(self.data)
                   for f in names)

    def resident(self):
        with open(f"/proc/{self.pid}/status") as f:
            return int(re.search(r"VmRSS:\s+(\d+)", f.read()).group(1)) << 10

    def written(self):
        """Octets handed to write(2) so far."""
        with open(f"/proc/{self.pid}/io") as f:
            return int(re.search(r"wchar: (\d+)", f.read()).group(1))


class Slapd(Rival):
    """Hornbeam or OpenLDAP, which take the same configuration."""

    def __init__(self, backend, openldap=False):
        super().__init__()
        self.openldap, self.backend = openldap, backend
        self.name = ("OpenLDAP" if openldap else "Hornbeam") + \
            f" back-{backend}"
        self.data = os.path.join(self.dir, "db")
        self.conf = os.path.join(self.dir, "slapd.conf")
        self.program = os.path.join(PEERS or "", "slapd") if openldap \
            else SLAPD

    def missing(self):
        if os.access(self.program, os.X_OK):
            return None
        return "PEERS is not set" if self.openldap else \
            f"{self.program} is not there"

    def configure(self):
        schema = os.path.join(PEERS, "root/etc/ldap/schema") \
            if self.openldap else os.path.join(TOP, "doc/schema")
        text = "".join(f'include "{schema}/{s}.schema"\n' for s in SCHEMA)
        if self.openldap:
            text += f"modulepath {PEERS}/root/usr/lib/ldap\n" \
                    f"moduleload back_{self.backend}\n"
        text += f"sizelimit unlimited\ndatabase {self.backend}\n" \
                f"suffix {SUFFIX}\nrootdn {ROOTDN}\nrootpw {ROOTPW}\n"
        if self.backend == "null":
            text += "bind on\n" + ("" if self.openldap else "dosearch on\n")
        else:
            os.makedirs(self.data, 0o700)
            text += f"directory {self.data}\nindex objectClass eq\n" \
                    f"index {','.join(EQ)} eq,sub\n"
        if self.backend == "mdb":
            text += f"maxsize {16 << 30}\n"
        with open(self.conf, "w") as f:
            f.write(text)

    def load(self, ldif):
        self.configure()
        if self.backend != "null":
            self.run([self.program, "-Tadd", "-q", "-f", self.conf, "-l",
                      ldif])

    def start(self):
        self.spawn([self.program, "-d", "0", "-h", self.url, "-f", self.conf])


class Directory389(Rival):
    """389 Directory Server, without systemd: made by dscreate, whose attempt
    to start it fails, and then run in the foreground."""

    name = "389 DS"

    def __init__(self):
        super().__init__()
        self.instance = "hornbeambench%d" % os.getpid()
        self.etc = f"/etc/dirsrv/slapd-{self.instance}"
        self.data = f"/var/lib/dirsrv/slapd-{self.instance}/db"

    def missing(self):
        if shutil.which("ns-slapd") is None or \
                shutil.which("dscreate") is None:
            return "389-ds-base is not installed"
        return "only root can make an instance" if os.geteuid() != 0 else None

    def make(self):
        inf = os.path.join(self.dir, "inf")
        with open(inf, "w") as f:
            f.write(f"""[general]
config_version = 2
full_machine_name = localhost.localdomain
start = False
strict_host_checking = False
systemd = False
[slapd]
instance_name = {self.instance}
port = {self.port}
root_dn = {ROOTDN}
root_password = {ROOTPW}
self_sign_cert = False
""")
        subprocess.run(["dscreate", "from-file", inf], capture_output=True)
        if not os.path.exists(self.etc + "/dse.ldif"):
            raise RuntimeError("dscreate made no instance")
        lock = f"/run/lock/dirsrv/slapd-{self.instance}"
        os.makedirs(lock, exist_ok=True)
        for folder in ("/run/dirsrv", "/run/lock/dirsrv", lock):
            os.makedirs(folder, exist_ok=True)
            shutil.chown(folder, "dirsrv", "dirsrv")
        hashed = subprocess.run(["pwdhash", "-s", "PBKDF2-SHA512", ROOTPW],
                                capture_output=True, text=True).stdout.strip()
        with open(self.etc + "/dse.ldif") as f:
            text = f.read().replace("\n ", "")
        text = re.sub(r"nsslapd-rootpw: .*",
                      lambda _: "nsslapd-rootpw: " + hashed, text)
        text = text.replace(f"nsslapd-port: {self.port}",
                            f"nsslapd-port: {self.port}\n"
                            "nsslapd-listenhost: 127.0.0.1")
        with open(self.etc + "/dse.ldif", "w") as f:
            f.write(text)

    def change(self, ldif, *args):
        subprocess.run(["ldapmodify", "-x", "-c", "-H", self.url, "-D",
                        ROOTDN, "-w", ROOTPW, *args], input=ldif, text=True,
                       capture_output=True)

    def load(self, ldif):
        self.make()
        self.start()
        root = "cn=userRoot,cn=ldbm database,cn=plugins,cn=config"
        self.change(f"""dn: {root}
changetype: add
objectClass: extensibleObject
objectClass: nsBackendInstance
cn: userRoot
nsslapd-suffix: {SUFFIX}

dn: cn="{SUFFIX}",cn=mapping tree,cn=config
changetype: add
objectClass: top
objectClass: extensibleObject
objectClass: nsMappingTree
cn: {SUFFIX}
nsslapd-state: backend
nsslapd-backend: userRoot

""")
        # some are there by default, without one kind or the other
        for a in EQ:
            dn = f"cn={a},cn=index,{root}"
            self.change(f"dn: {dn}\nchangetype: add\nobjectClass: top\n"
                        f"objectClass: nsIndex\ncn: {a}\n"
                        "nsSystemIndex: false\n\n")
            self.change("".join(
                f"dn: {dn}\nchangetype: modify\nadd: nsIndexType\n"
                f"nsIndexType: {kind}\n\n" for kind in ("eq", "sub")))
        self.stop()
        # its own user reads the file
        os.chmod(self.dir, 0o755)
        readable = shutil.copy(ldif, self.dir)
        os.chmod(readable, 0o644)
        self.run(["ns-slapd", "ldif2db", "-D", self.etc, "-n", "userRoot",
                  "-i", readable])
        os.unlink(readable)

    def start(self):
        self.spawn(["ns-slapd", "-D", self.etc, "-i",
                    f"/run/dirsrv/slapd-{self.instance}.pid", "-d", "0"])

    def clean(self):
        super().clean()
        for folder in (self.etc, os.path.dirname(self.data),
                       f"/var/log/dirsrv/slapd-{self.instance}",
                       f"/run/lock/dirsrv/slapd-{self.instance}"):
            shutil.rmtree(folder, ignore_errors=True)


RIVALS = {
    "hdb": lambda: Slapd("hdb"), "bdb": lambda: Slapd("bdb"),
    "null": lambda: Slapd("null"), "mdb": lambda: Slapd("mdb", True),
    "peer-null": lambda: Slapd("null", True), "389": Directory389,
}
