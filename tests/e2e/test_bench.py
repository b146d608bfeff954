"""J: slapbench, against our server and against one that lies."""
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
import xml.dom.minidom

import fakeldap
import pytest
from conftest import (PATIENCE, PEER, ROOTDN, ROOTPW, SUFFIX, TOPBUILD,
                      Server, wait_until)
from fakeldap import FakeLdap, Hangup

pytestmark = pytest.mark.skipif(bool(PEER), reason="our own program")
BENCH = os.path.join(TOPBUILD, "slapbench")
NPEOPLE = 300
AS_ROOT = ("-D", ROOTDN, "-W", ROOTPW)


def bench(*args, status=0, **kw):
    p = subprocess.run([BENCH, *args], text=True, capture_output=True,
                       timeout=PATIENCE * 3, **kw)
    assert p.returncode == status, (args, p.returncode, p.stdout, p.stderr)
    return p


def run(url, *args, status=0):
    """slapbench run --json; its objects and what it said."""
    p = bench("run", "-H", url, "-n", str(NPEOPLE), "--json", *args,
              status=status)
    return [json.loads(line) for line in p.stdout.splitlines()], p.stderr


def one(url, *args):
    lines, err = run(url, *args)
    assert len(lines) == 1 and err == ""
    return lines[0]


@pytest.fixture(scope="module")
def people(backend):
    s = Server(backend)
    s.socket = os.path.join(s.dir, "ldapi")
    s.urls = f"{s.url} ldapi://{s.socket.replace('/', '%2F')}"
    try:
        s.load(bench("gen", "-n", str(NPEOPLE)).stdout)
        s.start()
        yield s
    finally:
        s.clean()


# Each job against our server.

@pytest.mark.parametrize("job", ["search", "base", "auth", "bind", "compare"])
def test_J01_read_jobs(people, job):
    r = one(people.url, job, "-c", "4", "--ops", "300", "--deep",
            "--spid", str(people.proc.pid))
    assert r["job"] == job and r["ops"] == 300 and r["errors"] == 0
    assert r["conns"] == 4 and r["seconds"] > 0
    assert r["ops_per_sec"] == pytest.approx(300 / r["seconds"], rel=0.01)
    lat = r["lat_us"]
    assert 0 < lat["p50"] <= lat["p90"] <= lat["p99"] <= lat["p999"] <= \
        lat["max"]
    assert 0 < lat["mean"] <= lat["max"]
    assert r["own_us_per_op"] > 0 and r["srv_us_per_op"] is not None
    assert r["entries_per_op"] == (1 if job in ("search", "base") else 0)


def description(people, n):
    with_root = people.root()
    (_, attrs), = with_root.search_s(f"uid=user.{n},ou=People,{SUFFIX}", 0)
    with_root.unbind_s()
    return attrs["description"][0].decode()


def test_J02_modify_changes_what_it_says(people):
    r = one(people.url, "modify", *AS_ROOT, "-c", "3", "--ops", "50", "-n",
            "1", "--modify", "description=now {x} of {n:3}")
    assert r["ops"] == 50
    assert re.fullmatch(r"now \d{8} of 000", description(people, 0))


def names(people):
    c = people.root()
    found = c.search_s(f"ou=People,{SUFFIX}", 1, "(uid=bench.*)", ["1.1"])
    c.unbind_s()
    return sorted(int(re.match(r"uid=bench\.(\d+),", dn).group(1))
                  for dn, _ in found)


def test_J03_add_and_delete(people):
    assert one(people.url, "add", *AS_ROOT, "-c", "4", "-w", "3", "--ops",
               "60", "--first", "95")["ops"] == 60
    assert names(people) == list(range(95, 155))
    lines, err = run(people.url, "add", *AS_ROOT, "--ops", "3", "--first",
                     "94", status=1)
    assert lines[0]["ops"] == 1 and lines[0]["errors"] == 2
    assert "number 95: result 68 (entryAlreadyExists)" in err
    p = bench("run", "delete", *AS_ROOT, "-H", people.url, "--first", "94",
              "--ops", "61", "-c", "2")
    assert re.search(r"operations +61 in", p.stdout)
    assert names(people) == []


@pytest.mark.parametrize("job", ["adddel", "mixed"])
def test_J04_nothing_is_left_behind(people, job):
    r = one(people.url, job, *AS_ROOT, "-c", "3", "-w", "2", "-d", "0.7",
            "--warm", "0.1")
    assert r["ops"] > 20 and r["errors"] == 0
    assert names(people) == []


def test_J05_entry_of_ones_own(people, tmp_path):
    text = tmp_path / "entry"
    text.write_text("# a person\nobjectClass: person\nobjectClass: uidObject\n"
                    "cn: Number {n}\ncn: Nr {n:4}\nsn: {x}\nuid: bench.{n}\n")
    one(people.url, "add", *AS_ROOT, "--ops", "1", "--first", "7", "--entry",
        str(text))
    c = people.root()
    (_, attrs), = c.search_s(f"uid=bench.7,ou=People,{SUFFIX}", 0)
    c.unbind_s()
    assert attrs["cn"] == [b"Number 7", b"Nr 0007"]
    one(people.url, "delete", *AS_ROOT, "--ops", "1", "--first", "7")


def test_J06_local_socket(people):
    url = f"ldapi://{people.socket.replace('/', '%2F')}"
    assert one(url, "search", "--ops", "50", "-c", "2")["ops"] == 50


def test_J07_threads_and_windows(people):
    r = one(people.url, "search", "-c", "10", "-t", "3", "-w", "7", "--ops",
            "2000")
    assert r["ops"] == 2000 and r["threads"] == 3 and r["window"] == 7


def test_J08_writes_of_the_server(people):
    r = one(people.url, "modify", *AS_ROOT, "--ops", "200", "-c", "2",
            "--spid", str(people.proc.pid))
    assert r["srv_write_bytes_per_op"] is not None
    assert r["srv_us_per_op"] > 0


def test_J09_wrong_password_of_a_person(people):
    lines, err = run(people.url, "bind", "--password", "no", "--ops", "5",
                     status=1)
    assert lines[0]["errors"] == 5 and lines[0]["ops"] == 0
    assert "result 49 (invalidCredentials), expected was success" in err


def test_J10_nobody_of_that_number(people):
    lines, err = run(people.url, "search", "--ops", "300", "-n", "100000",
                     status=1)
    assert lines[0]["errors"] > 200
    assert "0 entries came back, expected was one (see --count, --any)" in err
    assert err.count("error:") == 10 and "more errors are only counted" in err
    r = one(people.url, "search", "--ops", "300", "-n", "100000", "--any")
    assert r["ops"] == 300


def test_J11_other_templates(people):
    r = one(people.url, "search", "--ops", "100", "--filter",
            "(&(objectClass=inetOrgPerson)(mail=user.{n}@example.com))",
            "--attr", "mail", "--attr", "uid", "--deep")
    assert r["errors"] == 0 and r["bytes_per_op"] < 200
    lines, err = run(people.url, "search", "--ops", "3", "--attr", "cn",
                     "--attr", "pager", "--deep", status=1)
    assert "attribute pager is missing in \"uid=user." in err


# Times and rates.

def test_J12_fixed_rate(people):
    r = one(people.url, "search", "-c", "20", "-t", "2", "--rate", "400",
            "-d", "1.5", "--warm", "0.3")
    assert r["rate"] == 400
    assert r["ops"] + r["unsent"] == pytest.approx(600, abs=60)
    assert r["errors"] == 0


def stalls(at, seconds):
    """A server that keeps everybody waiting for SECONDS at request AT."""
    def lie(server, req):
        with server.lock:
            if req.number == at:
                time.sleep(seconds)
    return lie


def test_J13_a_stall_is_in_the_latencies():
    """300 requests a second, one stall of 0.6 s: 180 were due meanwhile."""
    with FakeLdap(stalls(300, 0.6)) as s:
        r = one(s.url, "search", "-c", "4", "--rate", "300", "-d", "3",
                "--warm", "0")
    # a closed loop would have seen 4 slow ones in 900
    assert r["lat_us"]["p90"] > 150e3
    assert r["lat_us"]["max"] > 550e3
    with FakeLdap(stalls(300, 0.6)) as s:
        r = one(s.url, "search", "-c", "4", "--ops", "900")
    assert r["lat_us"]["p90"] < 150e3 and r["lat_us"]["max"] > 550e3


def test_J14_more_than_the_server_can():
    with FakeLdap(lambda s, r: time.sleep(0.02)) as s:
        r = one(s.url, "search", "--rate", "1000", "-d", "1", "--warm", "0")
        p = bench("run", "-H", s.url, "--rate", "1000", "-d", "0.5", "--warm",
                  "0")
    assert r["ops"] < 100 and r["ops"] + r["unsent"] == pytest.approx(
        1000, abs=10)
    assert r["lat_us"]["max"] > 700e3
    assert "more than the server, or -c and -w, can do" in p.stdout


def test_J15_steps(tmp_path):
    svg = tmp_path / "steps.svg"

    def lie(server, req):
        """At most two at a time, so that two connections are the best."""
        time.sleep(0.004)
        with server.lock:
            time.sleep(0.004)

    with FakeLdap(lie) as s:
        lines, err = run(s.url, "search", "--steps", "1", "40", "-d", "0.4",
                         "--warm", "0.1", "--svg", str(svg))
    assert err == ""
    runs, best = lines[:-1], lines[-1]
    assert [r["conns"] for r in runs] == list(range(1, len(runs) + 1))
    assert 4 <= len(runs) < 40
    assert best["best"] is True
    top = max(runs, key=lambda r: r["ops_per_sec"])
    assert best["conns"] == top["conns"] == len(runs) - 3
    assert best["ops_per_sec"] == top["ops_per_sec"]
    picture = xml.dom.minidom.parse(str(svg))
    texts = [t.firstChild.data for t in picture.getElementsByTagName("text")]
    assert {"connections", "operations a second", "latency"} <= set(texts)
    assert len(picture.getElementsByTagName("circle")) == 3 * len(runs)


def test_J16_steps_end_at_the_most(people):
    p = bench("run", "-H", people.url, "-n", str(NPEOPLE), "--steps", "2",
              "5", "-d", "0.1", "--warm", "0")
    assert re.search(r"^best: [24] connections", p.stdout, re.M)
    assert len(p.stdout.splitlines()) == 4


def test_J17_histogram(people, tmp_path):
    svg = tmp_path / "h.svg"
    r = one(people.url, "search", "--ops", "500", "--histogram", "--svg",
            str(svg))
    buckets = r["histogram_us"]
    assert sum(n for _, _, n in buckets) == 500
    assert all(a < b for a, b, _ in buckets)
    assert buckets[0][0] <= r["lat_us"]["p50"]
    assert buckets[-1][0] <= r["lat_us"]["max"] <= buckets[-1][1]
    texts = [t.firstChild.data for t in
             xml.dom.minidom.parse(str(svg)).getElementsByTagName("text")]
    assert "latency" in texts and "share of all operations, %" in texts
    p = bench("run", "-H", people.url, "-n", str(NPEOPLE), "--ops", "100",
              "--histogram")
    assert "100.0000%" in p.stdout


# Servers that are wrong.

SEARCH = fakeldap.SEARCH


def every(n, what, tag=None):
    """Lie WHAT(request) to each request whose number divides by N."""
    return lambda server, req: (
        what(req) if req.number % n == 0 and tag in (None, req.tag) else None)


def hang_up(req):
    raise Hangup


LIES = {
    "another name": (lambda r: fakeldap.entry(r.id, "uid=other,o=x", cn="a") +
                     r.done(), "\"uid=other,o=x\" came back, expected was"),
    "no entry": (lambda r: r.done(), "0 entries came back"),
    "two entries": (lambda r: fakeldap.entry(r.id, r.dn(), cn="a") +
                    r.answer(), "2 entries came back"),
    "a result": (lambda r: fakeldap.result(r.id, 0x65, 52, b"busy now"),
                 "result 52 (unavailable), expected was success: busy now"),
    "another kind": (lambda r: fakeldap.result(r.id, 0x67),
                     "an answer of another kind, tag 0x67"),
    "an entry of another id": (lambda r: fakeldap.entry(
        r.id % 30000 + 128, r.dn(), cn="a") + r.answer(),
        "which is not outstanding"),
    "a second result": (lambda r: r.answer() + r.done(),
                        "which is not outstanding"),
    "a small id": (lambda r: r.answer() + fakeldap.result(3, 0x65),
                   "message ID 3, which is not outstanding"),
    "garbage": (lambda r: b"HTTP/1.1 400 Bad Request\r\n\r\n",
                "what came in is no LDAP message"),
    "a broken entry": (lambda r: fakeldap.tlv(
        0x30, fakeldap.integer(r.id), fakeldap.tlv(0x64, b"\x04\x7f")),
        "what came in is no LDAP message"),
    "a broken result": (lambda r: fakeldap.tlv(
        0x30, fakeldap.integer(r.id), fakeldap.tlv(0x65, b"\x0a\x01\x00")),
        "what came in is no LDAP message"),
    "an endless length": (lambda r: b"\x30\x84\x7f\xff\xff\xff\x02\x01\x01",
                          "what came in is no LDAP message"),
    "hanging up": (hang_up, "connection closed by the server"),
    "notice of disconnection": (lambda r: fakeldap.result(
        0, 0x78, 52, b"going down"), "the server disconnects: result 52"),
    "a reference": (lambda r: fakeldap.tlv(
        0x30, fakeldap.integer(r.id), fakeldap.tlv(
            0x73, fakeldap.tlv(4, b"ldap://else"))) + r.answer(),
        "a reference came back"),
}


@pytest.mark.parametrize("lie", LIES)
def test_J20_a_lie_is_an_error(lie):
    what, says = LIES[lie]
    with FakeLdap(every(10, what)) as s:
        lines, err = run(s.url, "search", "-c", "2", "--ops", "60",
                         "--timeout", "0.5", status=1)
    r, = lines
    assert says in err
    # 60 requests and no more were sent: each tenth was answered with a lie
    assert 1 <= r["errors"] <= 12, err
    assert 48 <= r["ops"] <= 60


def test_J21_no_answer_in_time():
    def forgets(server, req):
        return b"" if req.number == 5 else None

    with FakeLdap(forgets) as s:
        lines, err = run(s.url, "search", "--ops", "20", "--timeout", "0.3",
                         status=1)
    assert lines[0]["errors"] == 1 and lines[0]["ops"] == 19
    assert "no answer in 0.3 s" in err


@pytest.mark.parametrize("job,tag,code,says", [
    ("compare", fakeldap.COMPARE, 6, "expected was compareFalse"),
    ("compare", fakeldap.COMPARE, 5, "expected was compareTrue"),
    ("modify", fakeldap.MODIFY, 32, "result 32 (noSuchObject)"),
    ("add", fakeldap.ADD, 68, "result 68 (entryAlreadyExists)"),
    ("adddel", fakeldap.DELETE, 32, "result 32 (noSuchObject)"),
    ("auth", fakeldap.BIND, 49, "result 49 (invalidCredentials)"),
    ("mixed", fakeldap.COMPARE, 51, "result 51 (busy)")])
def test_J22_wrong_results(job, tag, code, says):
    with FakeLdap(lambda s, r: r.done(code) if r.tag == tag else None) as s:
        lines, err = run(s.url, job, "--ops", "100", status=1)
    assert lines[0]["errors"] > 0 and says in err


def test_J23_auth_binds_as_what_was_found():
    """Also if it is written otherwise than asked for."""
    def shouts(server, req):
        if req.tag != SEARCH:
            return None
        dn = req.dn().upper().replace(",", ", ")
        return fakeldap.entry(req.id, dn, cn="a") + req.done()

    for same in ([], ["--auth-same"]):
        with FakeLdap(shouts) as s:
            r = one(s.url, "auth", "-c", "3", "--ops", "40", *same)
            assert r["ops"] == 40
            assert s.counts[fakeldap.BIND] == s.counts[SEARCH] == 40
            assert all(re.fullmatch(
                r"UID=USER\.\d+, OU=PEOPLE, DC=EXAMPLE, DC=COM", dn)
                for dn in s.binds)


def test_J24_lost_connections_are_made_anew():
    with FakeLdap(every(7, hang_up)) as s:
        lines, err = run(s.url, "search", "-c", "3", "-d", "1.2", "--warm",
                         "0", status=1)
    assert lines[0]["errors"] >= 6 and lines[0]["ops"] >= 18


def test_J25_the_server_ends(make):
    s = make("null").start()
    p = subprocess.Popen([BENCH, "run", "search", "-H", s.url, "--any", "-d",
                          "30", "--warm", "0", "-c", "4", "-t", "2"],
                         text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(0.7)
    s.stop()
    out, err = p.communicate(timeout=PATIENCE)
    assert p.returncode == 1
    assert "the server cannot be reached any more" in err
    seconds = re.search(r"operations +[1-9]\d* in ([\d.]+) s", out).group(1)
    assert float(seconds) < 29      # those that it lasted


def test_J26_interrupted(people):
    """It tells what it has measured, and leaves nothing behind."""
    p = subprocess.Popen([BENCH, "run", "adddel", "-H", people.url, *AS_ROOT,
                          "-c", "4", "-t", "2", "-d", "60", "--warm", "0",
                          "--json"], text=True, stdout=subprocess.PIPE)
    time.sleep(0.8)
    p.send_signal(signal.SIGINT)
    out, _ = p.communicate(timeout=PATIENCE)
    assert p.returncode == 0
    r = json.loads(out)
    assert 0.1 < r["seconds"] < 30 and r["ops"] > 0 and r["errors"] == 0
    assert names(people) == []


def test_J27_connections_are_ended_by_unbind():
    with FakeLdap() as s:
        one(s.url, "search", "-c", "5", "--ops", "20")
        assert wait_until(lambda: s.counts.get(fakeldap.UNBIND) == 5)


# TLS.

@pytest.fixture(scope="module")
def cert(tmp_path_factory):
    """A certificate of its own for 127.0.0.1, with its key."""
    openssl = shutil.which("openssl")
    if not openssl:
        pytest.skip("no openssl program to make a certificate")
    folder = tmp_path_factory.mktemp("tls")
    both = folder / "both.pem"
    for name, host in (("good", "IP:127.0.0.1"), ("other", "DNS:else.test")):
        subprocess.run(
            [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes",
             "-days", "30", "-subj", "/CN=test", "-addext",
             f"subjectAltName={host}", "-keyout", f"{folder}/{name}.key",
             "-out", f"{folder}/{name}.crt"], check=True, capture_output=True)
        both = folder / f"{name}.pem"
        both.write_bytes((folder / f"{name}.key").read_bytes() +
                         (folder / f"{name}.crt").read_bytes())
    return folder


@pytest.mark.parametrize("at_once", [True, False], ids=["ldaps", "starttls"])
def test_J30_tls(cert, at_once):
    how = [] if at_once else ["-Z"]
    with FakeLdap(cert=cert / "good.pem", tls_at_once=at_once) as s:
        r = one(s.url, "search", *how, "--cacert", str(cert / "good.crt"),
                "-c", "3", "-w", "4", "--ops", "200")
        assert r["ops"] == 200 and r["errors"] == 0
        assert s.counts.get(fakeldap.EXTENDED, 0) == (0 if at_once else 3)
        one(s.url, "auth", *how, "--insecure", "--ops", "20")
        _, err = run(s.url, "search", *how, "--ops", "1", status=2)
        assert "certificate is not good: self-signed" in err
        assert "--cacert" in err


@pytest.mark.parametrize("at_once", [True, False], ids=["ldaps", "starttls"])
def test_J31_certificate_of_another(cert, at_once):
    how = [] if at_once else ["-Z"]
    with FakeLdap(cert=cert / "other.pem", tls_at_once=at_once) as s:
        _, err = run(s.url, "search", *how, "--cacert",
                     str(cert / "other.crt"), "--ops", "1", status=2)
        assert "certificate is not good: IP address mismatch" in err


def test_J32_no_starttls(people):
    lines, err = run(people.url, "search", "-Z", "--ops", "1", status=2)
    assert "StartTLS: result " in err and lines == []


def test_J33_tls_lies(cert):
    with FakeLdap(every(10, hang_up), cert=cert / "good.pem",
                  tls_at_once=True) as s:
        lines, err = run(s.url, "search", "--insecure", "-c", "2", "--ops",
                         "60", status=1)
    assert lines[0]["errors"] >= 3 and lines[0]["ops"] >= 40


def test_J34_no_tls_where_it_is_expected(people):
    _, err = run(f"ldaps://127.0.0.1:{people.port}", "search", "--insecure",
                 "--ops", "1", "--timeout", "2", status=2)
    assert "TLS handshake" in err


# It does not start.

def test_J40_nobody_listens():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        url = f"ldap://127.0.0.1:{s.getsockname()[1]}"
        _, err = run(url, "search", status=2)
    assert "Connection refused; is the server running there?" in err


@pytest.mark.parametrize("args,says", [
    (["-H", "http://x"], "ldap://HOST:PORT"),
    (["-H", "ldap://x:y"], "a port is expected"),
    (["-H", "ldap://127.0.0.1/dc=x"], "nothing is expected after the port"),
    (["-H", "ldapi://"], "%2F for each slash"),
    (["-H", "ldapi://%2Fno%2Fsuch"], "is the server running there?"),
    (["-H", "ldap://host.invalid"], 'host "host.invalid"'),
    (["-H", "ldaps://x", "-Z"], "encrypted already"),
    (["-H", "ldap://x", "--filter", "(a=b"], 'filter (a=b: ")" expected'),
    (["-H", "ldap://x", "--dn", "uid={m}"], "{n/1000} or {x} expected"),
    (["-H", "ldap://x", "--modify", "x"], '"attribute=value" expected'),
    (["-H", "ldap://x", "--entry", "/no/such"], "--entry /no/such"),
    (["-H", "ldaps://127.0.0.1", "--cacert", "/no/such"], "--cacert"),
])
def test_J41_what_is_wrong_is_said(args, says):
    p = bench("run", *args, status=2)
    assert p.stdout == "" and p.stderr.startswith("slapbench: ")
    assert says in p.stderr


def test_J42_wrong_password(people):
    _, err = run(people.url, "search", "-D", ROOTDN, "-W", "no", status=2)
    assert f'-D "{ROOTDN}": bind: result 49 (invalidCredentials)' in err


def test_J43_password_from_a_file(people, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text(ROOTPW + "\n")
    assert one(people.url, "modify", "-D", ROOTDN, "-y", str(secret), "--ops",
               "5")["ops"] == 5


def test_J44_usage():
    assert "usage: slapbench run" in bench(status=2).stderr
    assert "usage: slapbench run" in bench("rum", status=2).stderr
    assert "jobs:" in bench("run", "--help").stdout
    assert "--posix" in bench("gen", "--help").stdout


def test_J45_the_manual_has_every_option(people):
    with open(os.path.join(TOPBUILD, "doc/man/slapbench.8")) as f:
        page = f.read()
    for command in ("run", "gen"):
        for line in bench(command, "--help").stdout.splitlines():
            for option in re.findall(r"(?<=^  )(?:-\w, )?--?[\w-]+", line):
                for name in option.split(", "):
                    assert re.search(rf"\.It .*Fl {name[1:]}\b", page), name


# Many connections.

def test_J50_two_thousand_connections(people):
    r = one(people.url, "search", "-c", "2000", "--ops", "6000")
    assert r["ops"] == 6000 and r["errors"] == 0


def test_J51_soft_limit_is_raised(people):
    r = one(people.url, "search", "-c", "200", "--ops", "400")
    assert r["ops"] == 400
    p = subprocess.run(
        ["sh", "-c", f"ulimit -S -n 100; exec {BENCH} run -H {people.url} "
         f"-n {NPEOPLE} -c 200 --ops 400"], capture_output=True, text=True)
    assert p.returncode == 0, p.stderr


# gen.

def test_J60_same_bytes(tmp_path):
    out = bench("gen", "-n", "2500", "--tree", "--ssha", "--posix").stdout
    f = tmp_path / "people.ldif"
    bench("gen", "-n", "2500", "--posix", "--tree", "--ssha", "-o", str(f))
    assert f.read_text() == out
    assert bench("gen", "-n", "2500", "-s", "2").stdout != \
        bench("gen", "-n", "2500").stdout
    assert bench("gen", "-n", "5", "--flat").stdout == \
        bench("gen", "-n", "5").stdout


def test_J61_a_tree_is_searched_and_bound(make, backend):
    s = make(backend)
    s.load(bench("gen", "-n", "1200", "--tree", "--ssha", "--posix").stdout)
    s.start()
    dn = f"uid=user.{{n}},ou=Team-{{n/1000}},ou=People,{SUFFIX}"
    for job in ("search", "base", "auth", "bind", "compare"):
        assert one(s.url, job, "-n", "1200", "--dn", dn, "--ops",
                   "200")["ops"] == 200


@pytest.mark.parametrize("args,says", [
    ([], "-n N is needed"), (["-n", "0"], "-n N is needed"),
    (["-n", "x"], '-n "x"'), (["-n", "1", "-b", "cn=x"], "begins with dc="),
    (["-n", "1", "y"], "y: not expected"), (["-n"], "something must follow"),
    (["-n", "1", "-o", "/no/such/file"], "/no/such/file"),
    (["-n", "1", "--trees"], "--trees: not known")])
def test_J62_gen_says_what_is_wrong(args, says):
    assert says in bench("gen", *args, status=2).stderr


def test_J63_full_disk():
    assert "No space left" in bench("gen", "-n", "10000", "-o", "/dev/full",
                                    status=1).stderr
