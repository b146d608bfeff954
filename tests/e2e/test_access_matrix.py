"""A: every row of access/*.rows, by slapacl and through LDAP.

slapacl must answer as the row says. A client must get what slapacl says that
operation needs: reading an attribute, for one, also asks for the entry.
"""
import os
import sys

import ldap
import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "access"))
import conftest  # noqa: E402
import matrix  # noqa: E402
from conftest import Database, Server, schema_lines  # noqa: E402
from matrix import BASE, NAMES, USERS  # noqa: E402

PASSWORD = conftest.ROOTPW
SCHEMAS = conftest.SCHEMA + ("dyngroup",)
REFUSED = (ldap.INSUFFICIENT_ACCESS, ldap.NO_SUCH_OBJECT)
# what binds whoever asks; rows about passwords stand without it
BINDS = "access to attrs=userPassword by anonymous auth\n"


def make_server(backend):
    s = Server(backend, schema=SCHEMAS)
    with open(os.path.join(matrix.HERE, "people.ldif")) as f:
        s.load(f.read(), "-q")
    return s


def configure(s, block):
    asks_password = any(r.attr == "userPassword" for r in block.rows)
    s.write_conf(
        schema_lines(SCHEMAS) + conftest.module_lines(s.backend) +
        f"pidfile {s.dir}/slapd.pid\nallow update_anon\n" +
        Database(s.backend, BASE).lines(s.db_dir(0)) +
        ("" if asks_password else BINDS) + block.lines())


class Acl:
    """slapacl's answers for one block, remembered."""

    def __init__(self, s, block):
        self.s, self.block, self.known = s, block, {}

    def ask(self, who, entry, questions, *more):
        key = (who, entry) + more
        known = self.known.setdefault(key, {})
        new = [q for q in dict.fromkeys(questions) if q not in known]
        if new:
            args = [x for o in self.block.options for x in ("-o", o)]
            if USERS[who]:
                args += ["-D", USERS[who]]
            p = self.s.tool("acl", "-b", NAMES.get(entry, entry), *args, *more,
                            *new, check=False)
            if p.returncode < 0 and conftest.PEER:
                return [None] * len(questions)  # the peer's crashes
            answers = [line.rsplit(": ", 1)[1] == "ALLOWED" for line in
                       (p.stdout + p.stderr).splitlines()
                       if line.endswith((": ALLOWED", ": DENIED"))]
            assert len(answers) == len(new), (
                f"{self.block.where} {key} {new}: {p.stdout} {p.stderr}")
            known.update(zip(new, answers))
        return [known[q] for q in questions]


def ask_all(acl):
    """{row: answer} of slapacl."""
    rows, found = acl.block.rows, {}
    for key in dict.fromkeys((r.who, r.entry) for r in rows):
        mine = [r for r in rows if (r.who, r.entry) == key]
        answers = acl.ask(*key, [r.ask() for r in mine] +
                          ["entry/search", "entry/read"])
        found.update(zip(mine, answers))
    return found


# ---- the same through LDAP ----

class Clients:
    def __init__(self, s):
        self.s, self.conns = s, {}
        self.root = s.conn(f"cn=admin,{BASE}", PASSWORD)

    def of(self, who):
        """A connection of WHO; None where the rules let nobody bind."""
        if who == "admin":
            return self.root
        if who not in self.conns:
            try:
                self.conns[who] = self.s.conn(
                    *((USERS[who], who) if who != "-" else ()))
            except ldap.INVALID_CREDENTIALS:
                self.conns[who] = None
        return self.conns[who]

    def values(self, dn, attr):
        return self.root.search_s(dn, 0, attrlist=[attr])[0][1].get(attr, [])

    def close(self):
        for c in [self.root, *self.conns.values()]:
            if c is not None:
                c.unbind_s()


def is_permitted(call):
    """Any answer but a refusal shows that the access was granted."""
    try:
        call()
    except REFUSED:
        return False
    except ldap.LDAPError:
        pass
    return True


def try_compare(c, row, dn, acl):
    value = row.value or "x"
    done = is_permitted(lambda: c.of(row.who).compare_s(dn, row.attr,
                                                        value.encode()))
    if c.values(dn, row.attr) or \
            acl.ask(row.who, row.entry, ["entry/disclose"])[0]:
        return done
    assert not done, f"{row}: tells that the entry is there"
    return None


def look(c, row, dn, search_filter, attrs):
    try:
        return c.of(row.who).search_s(dn, 0, search_filter, attrs)
    except REFUSED:
        return []


def try_search(c, row, dn, acl):
    if row.attr == "entry":
        return is_permitted(lambda: c.of(row.who).search_s(dn, 0, "(&)"))
    if row.value or not c.values(dn, row.attr):
        return None
    s, r = acl.ask(row.who, row.entry, ["entry/search", "entry/read"])
    return bool(look(c, row, dn, f"({row.attr}=*)", ["1.1"])) if s and r \
        else None


def try_read(c, row, dn, acl):
    s, r = acl.ask(row.who, row.entry, ["entry/search", "entry/read"])
    if row.attr == "entry":
        return bool(look(c, row, dn, "(&)", ["1.1"])) if s else None
    there = c.values(dn, row.attr)
    if not (s and r) or not there or \
            (row.value and row.value.encode() not in there):
        return None
    if not row.value and len(there) > 1:
        return None
    found = look(c, row, dn, "(&)", [row.attr])
    return any(not row.value or row.value.encode() in v
               for _, attrs in found for v in attrs.values())


def try_modify(op):
    def attempt(c, row, dn, _):
        if row.attr in ("entry", "children"):
            return try_child(c, row, dn, _)
        old = c.values(dn, row.attr)
        value = row.value.encode() if row.value else \
            old[0] if op == ldap.MOD_DELETE and old else \
            dn.encode() if row.attr in ("manager", "member", "owner") else \
            b"probe"
        if op == ldap.MOD_REPLACE and row.value:
            return None
        # the rule is for another value than the one that goes
        done = is_permitted(lambda: c.of(row.who).modify_s(
            dn, [(op, row.attr, [value])]))
        if c.values(dn, row.attr) != old:
            c.root.modify_s(dn, [(ldap.MOD_REPLACE, row.attr, old or None)])
        return done
    return attempt


def try_child(c, row, dn, acl):
    """Rights on children, by adding and deleting one."""
    if row.attr == "entry" or row.right == "write":
        return None
    child = f"cn=probe,{dn}"
    if not acl.ask(row.who, child, [f"entry/{row.right}"], "-u")[0]:
        return None
    attrs = [("objectClass", [b"device"])]
    if row.right == "add":
        done = is_permitted(lambda: c.of(row.who).add_s(child, attrs))
        if done:
            c.root.delete_s(child)
        return done
    c.root.add_s(child, attrs)
    done = is_permitted(lambda: c.of(row.who).delete_s(child))
    if not done:
        c.root.delete_s(child)
    return done


def try_auth(c, row, dn, _):
    if (row.attr, row.who) != ("userPassword", "-"):
        return None
    try:
        c.s.conn(dn, row.entry).unbind_s()
        return True
    except ldap.INVALID_CREDENTIALS:
        return False


TRIES = {"compare": try_compare, "search": try_search, "read": try_read,
         "add": try_modify(ldap.MOD_ADD), "auth": try_auth,
         "delete": try_modify(ldap.MOD_DELETE),
         "write": try_modify(ldap.MOD_REPLACE)}


def live(s, block, acl):
    """{row: was it permitted}; rows that no client can ask are left out."""
    found, c = {}, Clients(s)
    for row in block.rows:
        attempt = TRIES.get(row.right)
        if block.options or attempt is None or \
                row.attr in ("entry", "children") and row.right in (
                    "compare",) or c.of(row.who) is None:
            continue
        done = attempt(c, row, NAMES[row.entry], acl)
        if done is not None:
            found[row] = done
    c.close()
    return found


def run(s, block):
    """What slapacl says of each row, and what LDAP does."""
    configure(s, block)
    acl = Acl(s, block)
    told = ask_all(acl)
    if block.options:
        return told, {}
    s.start()
    try:
        return told, live(s, block, acl)
    finally:
        s.stop()


def complaints(block, found, how, expect=lambda row: row.yes):
    return [f"{row}: {how} {'yes' if yes else 'no'}\n" +
            "".join(f"    {r}\n" for r in block.rules)
            for row, yes in found.items() if yes != expect(row)]


BLOCKS = matrix.tables()


def test_A40_generated_rows_are_fresh():
    with open(os.path.join(matrix.HERE, "generated.rows")) as f:
        assert f.read() == matrix.generate()


def test_A41_rows(backend):
    bad, nrows, nlive = [], 0, 0
    s = make_server(backend)
    try:
        for block in BLOCKS:
            told, done = run(s, block)
            bad += complaints(block, told, "slapacl says")
            bad += complaints(block, done, "LDAP says")
            nrows += len(told)
            nlive += len(done)
    finally:
        s.clean()
    print(f"{len(BLOCKS)} lists of rules, {nrows} rows, {nlive} of them live")
    assert not bad, f"{len(bad)} wrong\n" + "\n".join(bad[:40])
    assert nrows >= 400 and nlive >= 250


if __name__ == "__main__":
    pytest.main([__file__])
