#!/usr/bin/env python3
"""DN strings: our parser beside RFC 4514's grammar, libldap's and ldap3's.

Usage: dn_compare.py DN_AVAS TOP

Each DN of dn.txt and some that are made up here goes to all of them. Where
two do not agree on whether it is a DN, or on its types and values, a row of
the tables below must say why, with the section that decides. The order of
values in an RDN means nothing (RFC 4512 2.3.1), nor does which of its names a
type is called by.
"""
import os
import random
import re
import subprocess
import sys

try:
    import ldap
    import ldap.dn
    from ldap3.core.exceptions import LDAPInvalidDnError
    from ldap3.utils.dn import parse_dn
except ImportError as e:
    sys.exit(f"python3-ldap and python3-ldap3 are needed: {e}")

GENERATED = 20000
SCHEMA = ("core", "cosine", "inetorgperson", "nis")
STRING_TAGS = (0x04, 0x0c, 0x12, 0x13, 0x16, 0x1a)
OPAQUE = "accepted, with values that the binding cannot hand out"


# ---- RFC 4514 3, to the letter

UTFMB = (rb"[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|"
         rb"[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|"
         rb"\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|"
         rb"\xf4[\x80-\x8f][\x80-\xbf]{2}")
PAIR = rb"\\(?:[\\\"+,;<> #=]|[0-9A-Fa-f]{2})"
LEAD = rb"[\x01-\x1f!\x24-\x2a\x2d-\x3a=\x3f-\x5b\x5d-\x7f]"
TRAIL = rb"[\x01-\x1f!\x23-\x2a\x2d-\x3a=\x3f-\x5b\x5d-\x7f]"
CHAR = rb"[\x01-!\x23-\x2a\x2d-\x3a=\x3f-\x5b\x5d-\x7f]"
STRING = (rb"(?:(?:%b|%b|%b)(?:(?:%b|%b|%b)*(?:%b|%b|%b))?)?" %
          (LEAD, UTFMB, PAIR, CHAR, UTFMB, PAIR, TRAIL, UTFMB, PAIR))
NUMBER = rb"(?:0|[1-9][0-9]*)"
TYPE = rb"[A-Za-z][A-Za-z0-9-]*|%b(?:\.%b)+" % (NUMBER, NUMBER)
AVA = re.compile(rb"(%b)=(#(?:[0-9A-Fa-f]{2})+|%b)([,+]|\Z)" % (TYPE, STRING))


def unescape(s):
    return re.sub(rb"\\(?:([0-9A-Fa-f]{2})|(.))", lambda m:
                  bytes.fromhex(m[1].decode()) if m[1] else m[2], s,
                  flags=re.S)


def grammar(dn):
    """RDNs of DN, lists of (type, value, is_hex); None if it is no DN."""
    rdns, at, more = [], 0, bool(dn)
    new = True
    while more:
        m = AVA.match(dn, at)
        if not m:
            return None
        if new:
            rdns.append([])
        is_hex = m[2][:1] == b"#"
        rdns[-1].append((m[1].decode(), bytes.fromhex(m[2][1:].decode())
                         if is_hex else unescape(m[2]), is_hex))
        new = m[3] == b","
        more = m[3] != b""
        at = m.end()
    return rdns


def libldap(dn):
    try:
        got = ldap.dn.str2dn(dn)
    except UnicodeDecodeError:
        return OPAQUE
    except ldap.DECODING_ERROR:
        return None
    return [[(t, v.encode(), flags & 0xf == 2) for t, v, flags in rdn]
            for rdn in got]


def ldap3(dn):
    try:
        got = parse_dn(dn.decode(), strip=False)
    except (LDAPInvalidDnError, UnicodeDecodeError):
        return None
    except IndexError:
        return None         # its own, for strings that end too soon
    rdns, new = [], True
    for t, v, separator in got:
        if new:
            rdns.append([])
        v = v.encode()
        is_hex = v[:1] == b"#"
        rdns[-1].append((t, bytes.fromhex(v[1:].decode()) if is_hex else
                         unescape(v), is_hex))
        new = separator != "+"
    return rdns


# ---- ours

def schema_lines(top):
    for name in SCHEMA:
        with open(os.path.join(top, f"doc/schema/{name}.schema")) as f:
            text = re.sub(r"\n[ \t]+", " ", f.read())
        for line in text.split("\n"):
            if line.startswith(("attributetype", "objectidentifier")):
                yield line


class Ours:
    def __init__(self, program, top):
        self.program = program
        self.schema = "\n".join(schema_lines(top)) + "\n"
        self.known = {}

    def ask(self, word, questions):
        lines = "".join(f"{word} {q.hex()}\n" for q in questions)
        p = subprocess.run([self.program], input=self.schema + lines,
                           capture_output=True, text=True)
        answers = p.stdout.split("\n")[:-1]
        if p.returncode != 0 or p.stderr or len(answers) != len(questions):
            sys.exit(f"{self.program}: status {p.returncode}, "
                     f"{len(answers)} answers to {len(questions)} questions: "
                     f"{p.stderr[:2000]}")
        return answers

    def parse(self, dns):
        """(RDNs or None, why not) of each of DNS."""
        out = []
        for a in self.ask("dn", dns):
            word, _, rest = a.partition(" ")
            if word == "refused":
                out.append((None, rest))
                continue
            rdns = [[(t, bytes.fromhex(v)) for t, _, v in
                     (ava.partition("=") for ava in rdn.split("+"))]
                    for rdn in rest.split(",")] if rest else []
            out.append((canonical(rdns), ""))
        return out

    def learn(self, types):
        types = sorted(types - set(self.known))
        for t, a in zip(types, self.ask("type", [t.encode() for t in types])):
            self.known[t] = None if a == "-" else a

    def same_terms(self, rdns):
        """RDNS of a peer with our names of types, #hex as the value."""
        if rdns is None or rdns is OPAQUE:
            return rdns
        out = []
        for rdn in rdns:
            out.append([])
            for t, v, is_hex in rdn:
                name = self.known[t]
                if is_hex and name:
                    v = ber_string(v)
                out[-1].append((name or t, v))
        return canonical(out)


def canonical(rdns):
    return [sorted((t.lower(), v) for t, v in rdn) for rdn in rdns]


def ber_string(ber):
    """Contents of a BER string type; BER itself if it is anything else."""
    if len(ber) < 2 or ber[0] not in STRING_TAGS:
        return ber
    head, n = 2, ber[1]
    if n >= 0x80:
        head += n & 0x7f
        if not 1 <= n & 0x7f <= 4 or len(ber) < head:
            return ber
        n = int.from_bytes(ber[2:head], "big")
    return ber[head:] if len(ber) - head == n else ber


# ---- what the differences are
# Rows: name, section that decides, test of a case. A case has dn (octets),
# ours and theirs (None: refused), why (our message).

def outside(dn):
    """DN with each quoted string and escape as Q: what stands outside."""
    return re.sub(rb'\\.|"(?:\\.|[^"\\])*"', b"Q", dn, flags=re.S)


def we_say(*parts):
    return lambda c: c.ours is None and c.theirs is not None and \
        any(p in c.why for p in parts)


def only_we_accept(pattern):
    return lambda c: c.ours is not None and c.theirs is None and \
        re.search(pattern, outside(c.dn), re.S)


def is_not_utf8(b):
    try:
        b.decode()
    except UnicodeDecodeError:
        return True
    return False


# what the schema says, on top of any parser of strings
SCHEMA_ROWS = [
    ("values follow their type's syntax", "RFC 4512 2.3, RFC 4517 3.3",
     we_say(": value is ")),
    ("an RDN names a type once", "X.501 9.3, RFC 4512 2.3.1",
     we_say("attribute type that is in this RDN already")),
    ("DNs have a longest", "RFC 4511 4.1.3 leaves it to the server",
     we_say("at most 8192 octets", "no more than 64 values")),
]

# what we take beside the grammar
LENIENT_ROWS = [
    ("blanks around separators", "RFC 2253 4",
     only_we_accept(rb"(?:^|[,+;=]) | (?:$|[,+;=])")),
    ("';' between RDNs", "RFC 2253 4", only_we_accept(rb";")),
    ("quoted values", "RFC 2253 4, RFC 1779 2.3",
     lambda c: c.ours is not None and c.theirs is None and
     re.search(rb'=[ ]*"', c.dn)),
    ("'OID.' before an OID", "RFC 2253 4, RFC 1779 2.3",
     only_we_accept(rb"(?i)(?:^|[,+;]) *oid\.[0-9]")),
    ("'_' in names of types", "RFC 4512 1.4 forbids, schemas have it",
     only_we_accept(rb"(?:^|[,+;]) *[A-Za-z][A-Za-z0-9-]*_")),
]

# where the peers unescape otherwise than the grammar says
ESCAPE_ROWS = [
    ("only special characters are escaped as themselves", "RFC 4514 3 pair",
     lambda c: c.ours is None and c.theirs is not None and
     re.search(rb"\\[\0\t\n\r]", c.dn)),
    ("a blank behind an escaped backslash is none of the value",
     "RFC 4514 3 trailchar", lambda c: c.theirs is not None and
     re.search(rb"\\\\ +(?:$|[,+;])", c.dn)),
]

GRAMMAR_ROWS = SCHEMA_ROWS + LENIENT_ROWS

LIBLDAP_ROWS = SCHEMA_ROWS + [
    ("a DN has no attribute options", "RFC 4514 3 attributeType",
     we_say("a DN has no attribute options")),
    ("OIDs have two numbers at least, without leading zeros",
     "RFC 4512 1.4 numericoid", lambda c: c.ours is None and
     "a dotted OID" in c.why and re.search(
         rb"(?:^|[,+;])\s*(?:[0-9]+\s*=|(?:[0-9]+\.)*0[0-9])", c.dn)),
    ("only UTF-8 may stand unescaped", "RFC 4514 3 UTFMB",
     lambda c: c.ours is None and is_not_utf8(c.dn) and
     "well-formed UTF-8" in c.why),
    ("tabs and line ends are characters, no blanks", "RFC 4514 3 SUTF1",
     lambda c: re.search(rb"(?:^|[,+;=])[\t\n\r ]*[\t\n\r]|"
                         rb"[\t\n\r][\t\n\r ]*(?:$|[,+;=])",
                         outside(c.dn)) is not None),
    ("nothing but blanks is the empty DN", "RFC 2253 4",
     lambda c: c.dn.strip(b" ") == b"" and c.ours == []),
    ("pairs of hex digits in quotes, and no letter escaped there",
     "RFC 2253 3 pair", lambda c: c.theirs is not None and
     re.search(rb'= *"(?:[^"\\]|\\.)*\\[^"\\+,;<>#= ]', c.dn)),
    ("'#' needs pairs of hex digits, and nothing behind",
     "RFC 4514 3 hexstring", lambda c: c.ours is None and c.theirs is not None
     and re.search(rb"=\s*#(?:\s*(?:$|[,+;])|[0-9A-Fa-f]*\s+[^\s,+;])",
                   c.dn)),
] + ESCAPE_ROWS + LENIENT_ROWS[3:]

# ldap3 takes less than the grammar; what it does take means the same
LDAP3_ROWS = SCHEMA_ROWS + LENIENT_ROWS + ESCAPE_ROWS + [
    ("OIDs are types", "RFC 4514 3 numericoid",
     only_we_accept(rb"(?:^|[,+;]) *[0-9]")),
    ("#hex is a value", "RFC 4514 3 hexstring", only_we_accept(rb"= *#")),
    ("'#' needs no escape but at the start", "RFC 4514 3 SUTF1",
     only_we_accept(rb"=[^,+;]+#")),
    ("'=' needs no escape", "RFC 4514 3 SUTF1",
     only_we_accept(rb"=[^,+;]*=")),
    ("values may be empty", "RFC 4514 3 string",
     only_we_accept(rb"=(?:$|[,+;])")),
    ("names may have no RDNs", "RFC 4514 3 distinguishedName",
     lambda c: c.dn == b"" and c.ours == []),
]


class Case:
    def __init__(self, dn, ours, theirs, why):
        self.dn, self.ours, self.theirs, self.why = dn, ours, theirs, why

    def is_same(self):
        if self.theirs is OPAQUE:
            return self.ours is not None
        return self.ours == self.theirs


def compare(peer, rows, cases):
    used = {name: 0 for name, _, _ in rows}
    bad = 0
    for c in cases:
        if c.is_same():
            continue
        name = next((n for n, _, test in rows if test(c)), None)
        if name is not None:
            used[name] += 1
            continue
        bad += 1
        if bad <= 25:
            print(f"{peer}: {c.dn!r}\n  ours   {c.ours} {c.why}\n"
                  f"  theirs {c.theirs}")
    both = sum(c.ours is not None and c.is_same() for c in cases)
    neither = sum(c.ours is None and c.theirs is None for c in cases)
    print(f"{peer}: {len(cases)} DNs, {both} the same, {neither} refused by "
          f"both, {sum(used.values())} explained, {bad} not")
    for name, section, _ in rows:
        print(f"  {used[name]:6} {name} ({section})")
        if used[name] == 0 and rows is GRAMMAR_ROWS:
            print(f"no DN needs the row '{name}'")
            bad += 1
    return bad


# ---- DNs

def written(path):
    """Lines of PATH; %XX is an octet, '##' begins a comment."""
    with open(path, "rb") as f:
        for line in f.read().split(b"\n"):
            if line and not line.startswith(b"##"):
                yield re.sub(rb"%([0-9A-Fa-f]{2})",
                             lambda m: bytes([int(m[1], 16)]), line)


class Maker:
    TYPES = [b"cn", b"CN", b"sn", b"ou", b"OU", b"uid", b"o", b"l", b"st",
             b"street", b"commonName", b"2.5.4.3", b"2.5.4.11", b"odd",
             b"userPassword", b"odd-2", b"1.2.3.4", b"OID.2.5.4.4"]
    STRICT = [b"dc", b"DC", b"c", b"telephoneNumber", b"mail", b"uidNumber",
              b"seeAlso", b"0.9.2342.19200300.100.1.25", b"serialNumber"]
    PLAIN = [b"a", b"B", b"z", b"0", b"9", b"-", b".", b"'", b"/", b":", b"@",
             b"!", b"*", b"(", b"~", b"DE", b"user", b"Example", b"42",
             "ä".encode(), "Ж".encode(), "漢".encode(), "😀".encode()]
    SPECIAL = b" \"#+,;<=>\\"
    JUNK = [bytes([c]) for c in b",+;=\"\\#<> \t\n\0\x01\x7f_.-aZ05F"] + [
        b"\xc3", b"\xa4", b"\xff", "é".encode(), b"\\20", b"\\C3", b"\\, ",
        b";x=", b"#0c0141", b"cn=", b"OID.", b"\"\"", b"2.5.4.03=x,", b"+sn=b",
        b"  ", b"\\", b"\xed\xa0\x80"]

    def __init__(self, seed):
        self.r = random.Random(seed)

    def value(self):
        r = self.r
        if r.random() < 0.06:
            body = bytes(r.choice(b"aB,+ \xc3") for _ in range(r.randrange(5)))
            if r.random() < 0.8:
                body = bytes([r.choice((4, 0xc, 0x13, 2, 0x30)),
                              len(body)]) + body
            return b"#" + (body.hex() if r.random() < .5 else
                           body.hex().upper()).encode()
        quoted = r.random() < 0.06
        out = b""
        for _ in range(r.choice((0, 1, 1, 2, 2, 3, 4, 5, 6, 7)) if
                       r.random() < .9 else r.randrange(30)):
            if r.random() < 0.75:
                out += r.choice(self.PLAIN)
            elif r.random() < 0.2:
                out += r.choice((b"\\%02x" % r.randrange(128), b"\\C3\\a4"))
            else:
                c = bytes([r.choice(self.SPECIAL)])
                if c in (b" ", b"#", b"=") and r.random() < 0.6:
                    out += c
                elif r.random() < 0.5:
                    out += b"\\" + c
                else:
                    out += b"\\%02X" % ord(c)
        return b'"' + out + b'"' if quoted else out

    def blank(self):
        return b" " if self.r.random() < 0.05 else b""

    def dn(self):
        r = self.r
        out = b""
        for i in range(r.choice((0, 1, 1, 2, 2, 3, 4, 5))):
            if i:
                out += self.blank() + (b"," if r.random() < .97 else b";")
            for j in range(1 if r.random() < .85 else r.randrange(1, 4)):
                out += b"+" if j else b""
                t = r.choice(self.TYPES if r.random() < .9 else self.STRICT)
                out += self.blank() + t + self.blank() + b"=" + \
                    self.blank() + self.value() + self.blank()
        return out

    def mutant(self):
        r = self.r
        dn = self.dn()
        for _ in range(r.choice((1, 1, 1, 2, 3))):
            at = r.randrange(len(dn) + 1)
            cut = r.choice((0, 0, 1, 1, 2, 5))
            dn = dn[:at] + (r.choice(self.JUNK) if r.random() < .8 else b"") + \
                dn[at + cut:]
        return dn

    def make(self, n):
        return [self.dn() if i % 2 else self.mutant() for i in range(n)]


def main():
    program, top = sys.argv[1:]
    here = os.path.dirname(os.path.abspath(__file__))
    hand = list(written(os.path.join(here, "dn.txt"))) + [
        b"", b"cn=" + b"a" * 8189, b"cn=" + b"a" * 8190, b"o=x," * 2047 +
        b"o=x", b"+".join(b"t%d=v" % i for i in range(64)),
        b"+".join(b"t%d=v" % i for i in range(65))]
    dns = list(dict.fromkeys(hand + Maker(4514).make(GENERATED)))
    ours = Ours(program, top)
    answers = ours.parse(dns)
    bad = 0
    for peer, parse, rows in (("RFC 4514", grammar, GRAMMAR_ROWS),
                              ("libldap", libldap, LIBLDAP_ROWS),
                              ("ldap3", ldap3, LDAP3_ROWS)):
        theirs = [parse(dn) for dn in dns]
        ours.learn({t for rdns in theirs if rdns not in (None, OPAQUE)
                    for rdn in rdns for t, _, _ in rdn})
        bad += compare(peer, rows, [
            Case(dn, a, ours.same_terms(t), why)
            for dn, (a, why), t in zip(dns, answers, theirs)])
    print(f"{len(hand)} DNs written, {len(dns)} in all")
    return bad > 0


sys.exit(main())
