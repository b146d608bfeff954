"""The rows of access control: who may do what, by which rules.

A table file is blocks. A block begins with "rules:", the indented lines after
it are access lines without "access"; then its rows follow:

    who entry attribute[=value] right yes|no    # peer: reason

who is a uid of people.ldif, "admin" for cn=admin, "-" for nobody; entry a name
of NAMES or "uid" ones; right a level or single privilege ("=w"). A row with
"# peer: ..." is one in which Debian's slapd answers the opposite, and why; a
block with "peer: ..." is one that it does not read. "options:" of a block are
slapacl's -o, which no live client has.
"""
import os
import random

BASE = "dc=example,dc=com"
PEOPLE = f"ou=people,{BASE}"
HERE = os.path.dirname(os.path.abspath(__file__))

USERS = {u: f"uid={u},{PEOPLE}" for u in ("ann", "bob", "cat")}
USERS["dan"] = f"uid=dan,ou=deep,{PEOPLE}"
USERS["admin"] = f"cn=admin,{BASE}"
USERS["-"] = ""
NAMES = dict(USERS, base=BASE, people=PEOPLE, deep=f"ou=deep,{PEOPLE}",
             groups=f"ou=groups,{BASE}", staff=f"cn=staff,ou=groups,{BASE}",
             nest=f"cn=nest,ou=groups,{BASE}", apps=f"ou=apps,{BASE}",
             printer=f"cn=printer,ou=apps,{BASE}")

RIGHTS = {"disclose": "d", "auth": "x", "compare": "c", "search": "s",
          "read": "r", "add": "a", "delete": "z", "write": "w", "manage": "m"}


class Block:
    def __init__(self, where):
        self.where, self.rules, self.rows = where, [], []
        self.peer, self.options = None, []

    def lines(self):
        return "".join(f"access {r}\n" for r in self.rules)


class Row:
    def __init__(self, where, words, peer):
        self.where, self.peer = where, peer
        self.who, self.entry, attr, self.right, answer = words
        self.attr, _, self.value = attr.partition("=")
        self.yes = {"yes": True, "no": False}[answer]

    def __str__(self):
        return (f"{self.where}: {self.who} {self.entry} {self.attr}"
                f"{'=' + self.value if self.value else ''} {self.right}")

    def ask(self):
        """The row as an argument of slapacl."""
        return (f"{self.attr}/{self.right}" +
                (f":{self.value}" if self.value else ""))


def read(name):
    """The blocks of a table file."""
    blocks = []
    with open(os.path.join(HERE, name)) as f:
        for n, line in enumerate(f, 1):
            where = f"{name}:{n}"
            text, _, note = line.partition("  # ")
            if not text.strip() or line.startswith("#"):
                continue
            if text.startswith("rules:"):
                blocks.append(Block(where))
            elif text.startswith("peer:"):
                blocks[-1].peer = text[5:].strip()
            elif text.startswith("options:"):
                blocks[-1].options = text[8:].split()
            elif text.startswith(" "):
                blocks[-1].rules.append(
                    line.strip().replace("$B", BASE).replace("$P", PEOPLE))
            else:
                peer = note[5:].strip() if note.startswith("peer:") else None
                blocks[-1].rows.append(Row(where, text.split(), peer))
    return blocks


def tables():
    return [b for f in sorted(os.listdir(HERE)) if f.endswith(".rows")
            for b in read(f)]


# ---- generated rows: a model of the language's core, apart from the server ----

LEVELS = {"none": "", "disclose": "d", "auth": "dx", "compare": "dxc",
          "search": "dxcs", "read": "dxcsr", "write": "dxcsraz"}


def below(dn, base):
    return dn == base or dn.endswith("," + base)


WHATS = {
    "*": lambda e, a: True,
    "dn.base=\"$P\"": lambda e, a: e == PEOPLE,
    "dn.one=\"$P\"": lambda e, a: e.partition(",")[2] == PEOPLE,
    "dn.sub=\"$P\"": lambda e, a: below(e, PEOPLE),
    "dn.children=\"$P\"": lambda e, a: below(e, PEOPLE) and e != PEOPLE,
    "dn.regex=\"^uid=[ab]\"": lambda e, a: e[:5] in ("uid=a", "uid=b"),
    "attrs=description": lambda e, a: a == "description",
    "attrs=name": lambda e, a: a in ("title", "cn", "sn", "ou"),
    "attrs=@person": lambda e, a: a in ("description", "cn", "sn"),
    "attrs=!person": lambda e, a: a not in ("description", "cn", "sn"),
    "attrs=entry,children": lambda e, a: a in ("entry", "children"),
    "filter=(title=clerk)": lambda e, a: e in (USERS["ann"], USERS["dan"]),
    "dn.sub=\"$P\" attrs=title,sn": lambda e, a:
        below(e, PEOPLE) and a in ("title", "sn"),
    "dn.sub=\"$P\" filter=(sn=beta)": lambda e, a: e == USERS["bob"],
}
WHOS = {
    "*": lambda w, e: True,
    "anonymous": lambda w, e: not w,
    "users": lambda w, e: bool(w),
    "self": lambda w, e: bool(w) and w == e,
    f"dn.exact=\"{USERS['ann']}\"": lambda w, e: w == USERS["ann"],
    "dn.sub=\"$P\"": lambda w, e: below(w, PEOPLE),
    "dn.one=\"$P\"": lambda w, e: w.partition(",")[2] == PEOPLE,
    "dn.children=\"ou=deep,$P\"": lambda w, e: w == USERS["dan"],
    "dn.regex=\"^uid=[bc]\"": lambda w, e: w[:5] in ("uid=b", "uid=c"),
    "dnattr=manager": lambda w, e:
        (e, w) in ((USERS["ann"], USERS["bob"]), (USERS["bob"], USERS["cat"])),
    "group=\"cn=staff,ou=groups,$B\"": lambda w, e: w == USERS["ann"],
    "set=\"this/manager & user\"": lambda w, e:
        (e, w) in ((USERS["ann"], USERS["bob"]), (USERS["bob"], USERS["cat"])),
    "self.level{1}": lambda w, e: bool(w) and w.partition(",")[2] == e,
}
ASKED = ("entry", "children", "description", "title", "cn", "sn")


def decide(rules, who, entry, attr):
    mask = set()
    for what, clauses in rules:
        if not WHATS[what](entry, attr):
            continue
        control = "stop"
        for by, access, control in clauses + [("*", "none", "stop")]:
            if not WHOS[by](who, entry):
                continue
            if access[0] == "+":
                mask |= set(access[1:].replace("w", "az"))
            elif access[0] == "-":
                mask -= set(access[1:].replace("w", "az"))
            else:
                mask = set(LEVELS[access])
            if control != "continue":
                break
        if control == "stop":
            return mask
    return set()


def generate(nblocks=60, nrows=8, seed=7):
    """The text of generated.rows."""
    rnd = random.Random(seed)
    out = ["# Made by matrix.py; do not edit. The answers are the model's.\n"]
    for _ in range(nblocks):
        rules = []
        for _ in range(rnd.randint(1, 4)):
            rules.append((rnd.choice(list(WHATS)), [
                (rnd.choice(list(WHOS)),
                 rnd.choice(list(LEVELS) + ["+r", "+sc", "-r", "+w", "-w"]),
                 rnd.choice(["stop"] * 4 + ["continue", "continue", "break"]))
                for _ in range(rnd.randint(1, 3))]))
        if rnd.random() < .6:
            rules.append(("*", [("*", "read", "stop")]))
        out.append("\nrules:\n")
        for what, clauses in rules:
            out.append(f"    to {what} " + " ".join(
                f"by {w} {a} {c}" for w, a, c in clauses) + "\n")
        for n in range(nrows):
            # half of the answers are yes, where the rules have any
            for _ in range(40):
                who = rnd.choice(["-", "ann", "bob", "cat", "dan"])
                entry = rnd.choice(["ann", "bob", "dan", "people", "printer"])
                attr = rnd.choice(ASKED)
                right = rnd.choice(list(RIGHTS)[2:8])
                have = decide(rules, USERS[who], NAMES[entry], attr)
                yes = set(RIGHTS[right].replace("w", "az")) <= have
                if yes == (n % 2 == 0):
                    break
            out.append(f"{who} {entry} {attr} {right} "
                       f"{'yes' if yes else 'no'}\n")
    return "".join(out)


if __name__ == "__main__":
    with open(os.path.join(HERE, "generated.rows"), "w") as f:
        f.write(generate())
