"""G: log lines that scripts read."""
import re

import ldap
import people
import pytest
from conftest import PEER, SUFFIX, ROOTDN, Server, person, wait_until
from ldap import MOD_ADD, MOD_REPLACE

TIMES = r"(?: qtime=\d+\.\d+ etime=\d+\.\d+)?"


@pytest.fixture(scope="module")
def logging(backend):
    s = Server(backend, log="stats")
    s.load(people.ldif(5))
    s.start()
    yield s
    s.clean()


def session(server, work):
    """The log lines of a connection on which WORK(conn) is done, without
    time and connection number."""
    before = len(server.log_text())
    c = server.root()
    work(c)
    c.unbind_s()
    numbers = []

    def done():
        text = server.log_text()[before:]
        for m in re.finditer(r'conn=(\d+) op=0 BIND dn="%s" method=128' %
                             ROOTDN, text):
            numbers.append(m.group(1))
        return numbers and re.search(rf"conn={numbers[0]} fd=\d+ closed", text)

    assert wait_until(done, 10), server.log_text()[before:]
    lines = [re.sub(r"^.*?(?=conn=)", "", line)
             for line in server.log_text()[before:].split("\n")]
    mine = [line[len(f"conn={numbers[0]} "):] for line in lines
            if line.startswith(f"conn={numbers[0]} ")]

    def order(line):
        """A result may be logged after the next request was."""
        op = re.match(r"op=(\d+) ", line)
        return (int(op.group(1)) if op else
                10 ** 6 if " closed" in line else -1)

    return sorted((line for line in mine if " do_" not in line), key=order)


def expect(lines, *patterns):
    assert len(lines) == len(patterns), "\n".join(lines)
    for line, pattern in zip(lines, patterns):
        assert re.fullmatch(pattern.replace("TIMES", TIMES), line), \
            f"{line!r} is not {pattern!r}"


OPEN = (r"fd=\d+ ACCEPT from IP=127\.0\.0\.1:\d+ \(IP=127\.0\.0\.1:\d+\)",
        r'op=0 BIND dn="cn=admin,dc=example,dc=com" method=128',
        r'op=0 BIND dn="cn=admin,dc=example,dc=com" mech=SIMPLE '
        r"(bind_ssf=0 )?ssf=0",
        r"op=0 RESULT tag=97 err=0TIMES text=")


def close(op):
    return (rf"op={op} UNBIND", r"fd=\d+ closed")


def test_G01_search(logging):
    def work(c):
        c.search_s(SUFFIX, 2, "(&(uid=user1)(!(cn=x*y)))", ["cn", "sn"])
        c.search_s(SUFFIX, 0)
        with pytest.raises(ldap.NO_SUCH_OBJECT):
            c.search_s("cn=none," + SUFFIX, 1)

    expect(session(logging, work), *OPEN,
           r'op=1 SRCH base="dc=example,dc=com" scope=2 deref=0 '
           r'filter="\(&\(uid=user1\)\(!\(cn=x\*y\)\)\)"',
           r"op=1 SRCH attr=cn sn",
           r"op=1 SEARCH RESULT tag=101 err=0TIMES nentries=1 text=",
           r'op=2 SRCH base="dc=example,dc=com" scope=0 deref=0 '
           r'filter="\(objectClass=\*\)"',
           r"op=2 SEARCH RESULT tag=101 err=0TIMES nentries=1 text=",
           r'op=3 SRCH base="cn=none,dc=example,dc=com" scope=1 deref=0 '
           r'filter="\(objectClass=\*\)"',
           r"op=3 SEARCH RESULT tag=101 err=32TIMES nentries=0 text=",
           *close(4))


def test_G02_writes(logging):
    dn = f"cn=logged,{SUFFIX}"

    def work(c):
        c.add_s(dn, person("logged"))
        c.modify_s(dn, [(MOD_ADD, "title", [b"t"]),
                        (MOD_REPLACE, "sn", [b"s"])])
        c.rename_s(dn, "cn=renamed")
        c.compare_s(f"cn=renamed,{SUFFIX}", "title", "t")
        c.delete_s(f"cn=renamed,{SUFFIX}")
        with pytest.raises(ldap.NO_SUCH_OBJECT):
            c.delete_s(dn)

    expect(session(logging, work), *OPEN,
           rf'op=1 ADD dn="{dn}"', r"op=1 RESULT tag=105 err=0TIMES text=",
           rf'op=2 MOD dn="{dn}"', r"op=2 MOD attr=title sn",
           r"op=2 RESULT tag=103 err=0TIMES text=",
           rf'op=3 MODRDN dn="{dn}"', r"op=3 RESULT tag=109 err=0TIMES text=",
           rf'op=4 CMP dn="cn=renamed,{SUFFIX}" attr="title"',
           r"op=4 RESULT tag=111 err=6TIMES text=",
           rf'op=5 DEL dn="cn=renamed,{SUFFIX}"',
           r"op=5 RESULT tag=107 err=0TIMES text=",
           rf'op=6 DEL dn="{dn}"',
           r"op=6 RESULT tag=107 err=32TIMES text=",
           *close(7))


def test_G03_extended_and_abandon(logging):
    def work(c):
        c.whoami_s()
        c.abandon(77)
        with pytest.raises(ldap.PROTOCOL_ERROR):
            c.extop_s(ldap.extop.ExtendedRequest("1.2.3", None))

    import ldap.extop
    expect(session(logging, work), *OPEN,
           r"op=1 EXT oid=1\.3\.6\.1\.4\.1\.4203\.1\.11\.3", r"op=1 WHOAMI",
           r"op=1 RESULT oid= err=0TIMES text=",
           r"op=2 ABANDON msg=77",
           r"op=3 EXT oid=1\.2\.3",
           r"op=3 RESULT (oid=|tag=120) err=2TIMES text=unsupported extended operation",
           *close(4))


def test_G04_failures_have_texts(logging):
    def work(c):
        with pytest.raises(ldap.UNDEFINED_TYPE):
            c.modify_s(SUFFIX, [(MOD_ADD, "bogus", [b"x"])])
        with pytest.raises(ldap.OBJECT_CLASS_VIOLATION):
            c.add_s(f"cn=x,{SUFFIX}", [("objectClass", [b"person"]),
                                       ("cn", [b"x"])])

    lines = session(logging, work)
    assert re.fullmatch(r"op=1 RESULT tag=103 err=17" + TIMES +
                        r" text=bogus: attribute type undefined", lines[6])
    assert "requires attribute 'sn'" in lines[8]


def test_G05_connection_lost(logging):
    before = len(logging.log_text())
    import socket
    s = socket.create_connection(("127.0.0.1", logging.port))
    s.close()
    assert wait_until(lambda: re.search(
        r"conn=\d+ fd=\d+ closed \(connection lost\)",
        logging.log_text()[before:]), 10)


def test_G06_numbers(logging):
    text = logging.log_text()
    first = re.search(r"conn=(\d+) fd=\d+ ACCEPT", text)
    assert first.group(1) == "1000"
    # lines begin with the hex seconds
    assert re.search(r"^[0-9a-f]{8}(\.[0-9a-f]{8} 0x[0-9a-f]+)? conn=", text,
                     re.M)


@pytest.mark.skipif(bool(PEER), reason="text of ours")
def test_G07_unindexed(logging):
    before = len(logging.log_text())
    logging.conn().search_s(SUFFIX, 2, "(employeeNumber=7)")
    assert wait_until(lambda: re.search(
        r"<= bdb_equality_candidates: \(employeeNumber\) not indexed",
        logging.log_text()[before:]), 5)


def test_G08_failed_bind(logging):
    before = len(logging.log_text())
    with pytest.raises(ldap.INVALID_CREDENTIALS):
        logging.conn(ROOTDN, "wrong")
    assert wait_until(lambda: re.search(
        r"op=0 RESULT tag=97 err=49" + TIMES + " text=",
        logging.log_text()[before:]), 5)
    assert "wrong" not in logging.log_text()[before:]
