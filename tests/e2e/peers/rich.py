"""Entries and filters that try what schema knows: every kind of rule.

entries() and filters() are the same at every call. Assertion values come
from the pools of values, changed in ways that rules ignore or do not.
"""
import base64
import random
import unicodedata

SUFFIX = "dc=plain-j"
NENTRIES = 400
OC = "1.3.6.1.4.1.32473.7.1."
AT = "1.3.6.1.4.1.32473.7.2."
SYN = "1.3.6.1.4.1.1466.115.121.1."

# name: (rules and syntax of the attributetype, pool of values, more pieces
# for assertions)
TYPES = {}


def define(name, text, pool, more=()):
    TYPES[name] = (text, [v.encode() if isinstance(v, str) else v
                          for v in pool],
                   [v.encode() if isinstance(v, str) else v for v in more])


def rules(eq="", order="", sub="", syntax=""):
    words = [("EQUALITY", eq), ("ORDERING", order), ("SUBSTR", sub)]
    return " ".join(f"{k} {v}" for k, v in words if v) + \
        f" SYNTAX {syntax if '.' in syntax else SYN + syntax}"


WORDS = ["Anna", "anna", "ANNA SCHMIDT", "Anna Schmidt", "Anna  Schmidt",
         " Anna", "Schmidt ", "Müller", "MÜLLER", "Mu\u0308ller", "mueller",
         "Straße", "STRASSE", "Ångström", "A\u030angstro\u0308m", "\ufb01n",
         "fin", "Σίσυφος", "ΣΊΣΥΦΟΣ", "a\u00a0b", "a b", "a\u2003b", "a  b",
         "ab", "aab", "abab", "ababab", "日本語", "カタカナ", "x*y", "x(y)",
         "x\\y", "x,y+z=1", "1", "10", "9", "0", "-", "--", "é", "e\u0301",
         "E\u0301", "q\u0307\u0323", "q\u0323\u0307", "ё", "Ё", "Å", "\u212b",
         "A" * 63 + "b", "A" * 64, "a" * 64 + "c", "b" * 300, "x" * 2500,
         "the quick brown fox", "The Quick  Brown Fox", "quick", "foxes",
         "x\u00ady", "xy", "Robert", "Rupert", "Rubin", "Smith", "Smyth",
         "ﾊﾝｶｸ", "①", "Ⅷ", "viii", "½", "ﬀ", "ǆ", "Ǆ", "ǅ"]
ASCII = ["anna@example.com", "Anna@Example.COM", "x y", "x  y", "X Y", "a",
         "B", "b", "ab", "abc", "ABC", "abcabc", "/home/anna", "/home/Anna",
         "~", "!", "0", "00", "z" * 70, "Z" * 70, "a*b", "(a)", "a\\b",
         "host.example.org", "smith", "smyth"]

define("hbStr", rules("caseIgnoreMatch", "caseIgnoreOrderingMatch",
                      "caseIgnoreSubstringsMatch", "15"), WORDS)
define("hbExact", rules("caseExactMatch", "caseExactOrderingMatch",
                        "caseExactSubstringsMatch", "15"), WORDS)
define("hbMixed", rules("caseExactMatch", "caseIgnoreOrderingMatch",
                        "caseIgnoreSubstringsMatch", "15"), WORDS)
define("hbPlain", rules("caseIgnoreMatch", syntax="15"), WORDS)
define("hbNone", rules(syntax="15"), WORDS)
define("hbPrint", rules("caseIgnoreMatch", "caseIgnoreOrderingMatch",
                        "caseIgnoreSubstringsMatch", "44"),
       ["Hello World", "hello  world", "x-1", "A.B,C", "(a)", "q=1", "Z?",
        "abc", "ABC"], ["a_b", "ä"])
define("hbIa5", rules("caseIgnoreIA5Match", "", "caseIgnoreIA5SubstringsMatch",
                      "26"), ASCII, ["ä"])
define("hbIa5Exact", rules("caseExactIA5Match", "",
                           "caseExactIA5SubstringsMatch", "26"), ASCII, ["ä"])
define("hbInt", rules("integerMatch", "integerOrderingMatch", "", "27"),
       ["0", "1", "-1", "7", "42", "-42", "99", "100", "255", "256", "-128",
        "-129", "32767", "65536", "2147483647", "2147483648", "-2147483649",
        "9223372036854775807", "9223372036854775808", "-9223372036854775809",
        "123456789012345678901234567890", "-123456789012345678901234567890",
        "1" + "0" * 70, "-1" + "0" * 70, "9" * 40],
       ["00", "01", "+1", "-0", "x", "1x", "1.0", " 1", "", "2", "-2"])
define("hbTime", rules("generalizedTimeMatch", "generalizedTimeOrderingMatch",
                       "", "24"),
       ["20260101000000Z", "20251231235959Z", "20260101010000+0100",
        "20251231190000-0500", "20260101000000.5Z", "20260101000000.50Z",
        "20260101000000.25Z", "19700101000000Z", "20240229120000Z",
        "202601010000Z", "2026010100Z", "99991231235959Z", "00010101000000Z",
        "20260630120000.123456Z", "20260630120000.1234560Z",
        "20260630140000+0200", "20260630120000.0Z"],
       ["2026", "x", "20261301000000Z", "20250229000000Z", "20260101000000",
        "20260101240000Z", "20260101006000Z", "20260101000000,5Z",
        "20260101000000z", "20260101000060Z", ""])
define("hbDn", rules("distinguishedNameMatch", "", "", "12"),
       ["cn=Anna,dc=x", "CN=anna, DC=X", "cn=a+sn=b,dc=x", "sn=B+cn=A,dc=X",
        "cn=x\\,y,dc=x", "cn=x\\2cy,dc=x", "cn=\\20lead,dc=x", "dc=x",
        "cn=M\\C3\\BCller,dc=x", "cn=Müller,dc=x", "cn=a  b,dc=x",
        "cn=a b,dc=x", "ou=One,ou=Two,dc=x", "ou=Two,dc=x", "ou=two,DC=x",
        "hbInt=42+cn=n,dc=x", "cn=a\\+b\\=c,dc=x", "2.5.4.3=oid,dc=x",
        "cn=oid,dc=x", "cn=\\23hash,dc=x", "cn=q\\22q,dc=x"],
       ["", "nonsense", "cn=", "cn=a,", "=a", "cn=a+,dc=x", "cn=#0401", "x"])
define("hbUid", rules("uniqueMemberMatch", "", "", "34"),
       ["cn=Anna,dc=x", "cn=Anna,dc=x#'0101'B", "CN=ANNA,dc=x#'0101'B",
        "cn=Anna,dc=x#'101'B", "cn=Anna,dc=x#''B", "dc=x#'1'B", "cn=a\\#b,dc=x",
        "cn=Berta,dc=x"],
       ["cn=Anna,dc=x#'2'B", "cn=Anna,dc=x#", "nonsense", "#'1'B"])
define("hbTel", rules("telephoneNumberMatch", "",
                      "telephoneNumberSubstringsMatch", "50"),
       ["+49 30 123456", "+49-30-123456", "+4930123456", "(030) 123 456",
        "030-123", "1", "12 34", "12-34", "555 1234 x5"], [" ", "-", "- -"])
define("hbNum", rules("numericStringMatch", "numericStringOrderingMatch",
                      "numericStringSubstringsMatch", "36"),
       ["1", "1 2 3", "123", "0123", " 12", "99 99", "100", "1 0 0", "5",
        "0", "0 0"], ["a", "1a", " "])
define("hbBits", rules("bitStringMatch", "", "", "6"),
       ["'0'B", "'1'B", "'0101'B", "'01010'B", "''B", "'11111111'B"],
       ["0101", "'2'B", "'01'b", "'01'", ""])
define("hbBool", rules("booleanMatch", "", "", "7") + " SINGLE-VALUE",
       ["TRUE", "FALSE"], ["true", "False", "1", "yes", ""])
define("hbOid", rules("objectIdentifierMatch", "", "", "38"),
       ["cn", "commonName", "2.5.4.3", "sn", "person", "2.5.6.6", "1.2.3.4",
        "hbStr", AT + "1", "top", "caseIgnoreMatch", "2.5.13.2"],
       ["CN", "nosuchname", "1.2.", "1..2", "01.2", "x y", "9.9", ""])
define("hbOct", rules("octetStringMatch", "octetStringOrderingMatch",
                      "octetStringSubstringsMatch", "40"),
       [b"\0", b"\0\0", b"\xff", b"\xff\0", b"abc", b"ABC", b"ab", b" ab ",
        b"\x80\x81\x82", b"abc\0def", b"x" * 64, b"x" * 65, b"x" * 200,
        b"\x01\x02", b"\0\x01\x02\x03"], [b"", b"b", b"\x81", b"\0d"])
define("hbBlob", rules("", "", "", "40"), [b"\0\1\2", b"abc", b"\xff\xfe"])
define("hbPost", rules("caseIgnoreListMatch", "",
                       "caseIgnoreListSubstringsMatch", "41"),
       ["1 Main St$Town$Land", "1 MAIN ST$town$LAND", "1  Main St $ Town $ L",
        "One line", "a$b", "a\\24b", "a\\5cb$c", "Ünter$Über"],
       ["Town", "a$$b", "$"])
define("hbUuid", rules("UUIDMatch", "UUIDOrderingMatch", "",
                       "1.3.6.1.1.16.1"),
       ["01234567-89ab-cdef-0123-456789abcdef",
        "01234567-89AB-CDEF-0123-456789ABCDEF",
        "00000000-0000-0000-0000-000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "80000000-0000-0000-0000-000000000000",
        "7fffffff-ffff-4fff-bfff-ffffffffffff"],
       ["x", "0123456789abcdef0123456789abcdef", "01234567-89ab-cdef-0123",
        ""])
define("hbCountry", rules("caseIgnoreMatch", "", "caseIgnoreSubstringsMatch",
                          "11"), ["DE", "de", "FR", "us"], ["D", "DEU"])
define("hbBase", rules("caseIgnoreMatch", "caseIgnoreOrderingMatch",
                       "caseIgnoreSubstringsMatch", "15"),
       WORDS[:20] + ["base"])
define("hbSub", "SUP hbBase", WORDS[5:25] + ["sub"])
define("hbSubSub", "SUP hbSub", WORDS[10:30] + ["subsub"])
define("hbNumBase", rules("integerMatch", "integerOrderingMatch", "", "27"),
       ["1", "2", "3", "1000"], ["01"])
define("hbNumSub", "SUP hbNumBase", ["2", "3", "4", "-5"], ["x"])

OPTIONS = [";lang-en", ";lang-de", ";lang-de-at", ";x-hb-1",
           ";lang-en;x-hb-1", ";x-hb-1;lang-en"]
RULES = """objectIdentifierMatch distinguishedNameMatch caseIgnoreMatch
caseIgnoreOrderingMatch caseIgnoreSubstringsMatch caseExactMatch
caseExactOrderingMatch caseExactSubstringsMatch numericStringMatch
numericStringOrderingMatch numericStringSubstringsMatch caseIgnoreListMatch
caseIgnoreListSubstringsMatch booleanMatch integerMatch integerOrderingMatch
bitStringMatch octetStringMatch octetStringOrderingMatch
octetStringSubstringsMatch telephoneNumberMatch telephoneNumberSubstringsMatch
uniqueMemberMatch generalizedTimeMatch generalizedTimeOrderingMatch
caseExactIA5Match caseIgnoreIA5Match caseIgnoreIA5SubstringsMatch
integerBitAndMatch integerBitOrMatch UUIDMatch UUIDOrderingMatch
dnSubtreeMatch dnOneLevelMatch dnSubordinateMatch dnSuperiorMatch rdnMatch
2.5.13.2 1.2.840.113556.1.4.803 nosuchMatch 1.2.3.4""".split()
UNKNOWN = ["nosuch", "1.2.3.99", "cn;nosuch", "hbStr;;x", "nosuch;lang-en"]


def schema():
    """attributetype and objectclass lines."""
    lines = ["attributeoptions lang- x-hb-"]
    for i, (name, (text, _, _)) in enumerate(TYPES.items(), 1):
        lines.append(f"attributetype ( {AT}{i} NAME '{name}' {text} )")
    may = " $ ".join([*TYPES, "sn", "ou", "description"])
    lines += [f"objectclass ( {OC}1 NAME 'hbThing' SUP top STRUCTURAL "
              f"MUST cn MAY ( {may} ) )",
              f"objectclass ( {OC}2 NAME 'hbOther' SUP hbThing STRUCTURAL "
              "MAY seeAlso )"]
    return "\n".join(lines)


def indexes():
    """index lines for all that can have them."""
    lines = []
    for name in TYPES:
        text, up = TYPES[name][0], name
        while text.startswith("SUP"):
            text = TYPES[text.split()[1]][0]
        kinds = ["pres"]
        kinds += ["eq"] if "EQUALITY" in text else []
        kinds += ["sub"] if "SUBSTR" in text and "EQUALITY" in text else []
        kinds += ["approx"] if "caseIgnoreMatch" in text or \
            "caseExactMatch" in text else []
        lines.append(f"index {up} {','.join(kinds)}")
    return "\n".join(lines + ["index objectClass eq", "index cn,sn,ou "
                              "pres,eq,sub", "index entryUUID,entryCSN eq"])


# ---- entries ----

RDNS = ["cn=e{}", "cn=E{}+sn=two", "ou=u{}", "cn=a\\,{}", "cn=\\#{}",
        "hbInt={}", "cn=M\\C3\\BCller{}", "sn=S{0}+ou=x+cn=y{0}"]


def fold(v):
    """What all rules ignore, for telling doubles within an entry."""
    text = unicodedata.normalize("NFKD", v.decode("utf8", "replace"))
    return "".join(c for c in text.casefold() if c.isalnum()) or v.hex()


def rdn_attrs(rdn):
    for ava in rdn.replace("\\,", "\0").split("+"):
        a, v = ava.split("=", 1)
        yield a, v.replace("\0", ",").replace("\\#", "#").replace(
            "\\C3\\BC", "ü").encode()


def entry(rng, i, parent):
    """(dn, [(attribute, value), ...])"""
    rdn = RDNS[i % len(RDNS)].format(i)
    attrs = [("objectClass", rng.choice([b"hbThing", b"hbOther"]))]
    attrs += [("objectClass", b"extensibleObject")] if i % 7 == 0 else []
    attrs += list(rdn_attrs(rdn))
    if not any(a == "cn" for a, _ in attrs):
        attrs.append(("cn", b"thing"))
    own = {a for a, _ in attrs}
    for name in rng.sample(sorted(TYPES), rng.randint(2, 14)):
        if name in own or name == "hbNone" and i % 2:
            continue
        single = "SINGLE-VALUE" in TYPES[name][0]
        seen = set()
        for v in rng.sample(TYPES[name][1], 1 if single else min(
                rng.choice((1, 1, 1, 2, 4)), len(TYPES[name][1]))):
            if seen and name not in ("hbStr", "hbInt", "hbOct", "hbSub",
                                     "hbBase", "hbSubSub", "hbIa5"):
                break
            if fold(v) in seen:
                continue
            seen.add(fold(v))
            tag = rng.choice(OPTIONS) if name in (
                "hbStr", "hbBase", "hbSub", "hbPlain") and \
                rng.random() < .3 else ""
            attrs.append((name + tag, v))
    if i % 7 == 0:
        attrs.append(("mail", b"x%d@Example.com" % (i % 3)))
    return f"{rdn},{parent}", attrs


def stamps(i):
    return [("entryUUID", b"%08x-1111-4111-8111-%012x" % (i, i * 7)),
            ("createTimestamp", b"202601%02d000000Z" % (i % 28 + 1)),
            ("modifyTimestamp", b"202602%02d000000Z" % (i % 28 + 1)),
            ("creatorsName", b"cn=admin,dc=x"),
            ("modifiersName", b"cn=admin,dc=x"),
            ("entryCSN", b"202602%02d000000.000000Z#%06x#000#000000"
             % (i % 28 + 1, i))]


def entries():
    rng = random.Random("entries")
    out = [(SUFFIX, [("objectClass", b"dcObject"),
                     ("objectClass", b"organization"), ("dc", b"plain-j"),
                     ("o", b"plain-j"), ("structuralObjectClass",
                                       b"organization"), *stamps(0)])]
    parents = [SUFFIX]
    for i in range(1, NENTRIES):
        dn, attrs = entry(rng, i, rng.choice(parents))
        attrs += [("structuralObjectClass", attrs[0][1]), *stamps(i)]
        out.append((dn, attrs))
        if i % 40 == 1:
            parents.append(dn)
    return out


def ldif(suffix=SUFFIX):
    """The entries under SUFFIX, which is as long as the usual one."""
    def line(a, v):
        v = v.replace(SUFFIX.encode(), suffix.encode())
        return f"{a}:: {base64.b64encode(v).decode()}".rstrip()

    return "\n\n".join("\n".join(
        [line("dn", dn.encode())] + [line(a, v) for a, v in attrs])
        for dn, attrs in entries()).replace(
            *(f"dc:: {base64.b64encode(x[3:].encode()).decode()}"
              for x in (SUFFIX, suffix))) + "\n"


# ---- filters ----

def bend(rng, v):
    """V changed a little."""
    n = len(v)
    k = rng.randrange(12)
    if k < 4:
        return v
    if k == 4:
        return v.upper()
    if k == 5:
        return v.lower()
    if k == 6:
        return v + b" "
    if k == 7:
        return b" " + v
    if k == 8 and n > 1:
        return v[:n // 2] + v[n // 2 + 1:]
    if k == 9:
        return v.replace(b" ", b"  ", 1)
    if k == 10:
        return v + rng.choice([b"x", b"0", b"-"])
    return v.replace(b",", b" , ", 1)


def value(rng, name):
    pool = TYPES[name][1] + TYPES[name][2] * 2
    return bend(rng, rng.choice(pool))


def cut(rng, v):
    """A piece of V between characters, seldom not."""
    at = [i for i in range(len(v) + 1) if rng.random() < .03 or i == len(v) or
          v[i] & 0xc0 != 0x80]
    a, b = sorted((rng.choice(at), rng.choice(at)))
    return v[a:b]


def substrings(rng, attr, name):
    v = rng.choice(TYPES[name][1])
    parts = [cut(rng, v) for _ in range(rng.randint(1, 3))]
    initial = v[:rng.randint(0, 4)] if rng.random() < .5 else b""
    final = v[-rng.randint(1, 4):] if rng.random() < .4 else b""
    if rng.random() < .3:
        parts = []
    parts = [bend(rng, p) for p in parts if p]
    initial, final = (p and bend(rng, p) for p in (initial, final))
    if not (initial or final or parts):
        parts = [b"a"]
    return ("sub", attr, initial, [p for p in parts if p], final)


def item(rng, kind, name):
    attr = name
    if rng.random() < .12:
        attr += rng.choice(OPTIONS)
    if rng.random() < .05:
        attr = rng.choice([attr.upper(), AT + str(
            list(TYPES).index(name) + 1)])
    if kind == "present":
        return (kind, attr)
    if kind == "sub":
        return substrings(rng, attr, name)
    if kind == "ext":
        return ("ext", None, attr, value(rng, name), rng.random() < .2)
    return (kind, attr, value(rng, name))


KINDS = ("eq", "eq", "eq", "ge", "le", "sub", "sub", "approx", "present",
         "ext")


def any_item(rng):
    return item(rng, rng.choice(KINDS), rng.choice(sorted(TYPES)))


def with_rule(rng):
    """An extensible match that names its rule."""
    name = rng.choice(sorted(TYPES))
    rule = rng.choice(RULES)
    v = value(rng, name)
    if "Substrings" in rule:
        v = b"*" + cut(rng, v) + b"*" if rng.random() < .8 else v
    attr = rng.choice([name, name, name, None, "cn", "entryDN"])
    return ("ext", rule, attr, v, rng.random() < .3)


def odd(rng):
    """Items on what the server makes, on unknown types, on classes, on RDNs."""
    i = rng.randrange(NENTRIES)
    dn = rng.choice(entries_cache())[0].encode()
    return rng.choice([
        ("eq", rng.choice(UNKNOWN), b"x"), ("present", rng.choice(UNKNOWN)),
        ("sub", rng.choice(UNKNOWN), b"x", [], b""),
        ("ge", rng.choice(UNKNOWN), b"x"),
        ("ext", None, rng.choice(UNKNOWN), b"x", False),
        ("eq", "objectClass", rng.choice([
            b"hbThing", b"HBOTHER", b"top", b"organization", b"nosuch",
            (OC + "1").encode(), b"extensibleObject", b"dcObject"])),
        ("eq", "structuralObjectClass", rng.choice([b"hbThing", b"hbOther"])),
        ("present", "objectClass"), ("present", "cn"), ("present", "mail"),
        ("eq", "mail", b"X%d@example.COM" % (i % 3)),
        ("eq", "entryDN", dn), ("eq", "entryDN", b"nonsense"),
        ("present", "entryDN"),
        ("ext", "dnSubtreeMatch", "entryDN", dn, False),
        ("ext", "dnOneLevelMatch", "entryDN", dn, False),
        ("eq", "entryUUID", stamps(i)[0][1]),
        ("ge", "entryUUID", stamps(i)[0][1]),
        ("ge", "createTimestamp", stamps(i)[1][1]),
        ("le", "modifyTimestamp", stamps(i)[2][1]),
        ("ge", "entryCSN", stamps(i)[5][1]),
        ("le", "entryCSN", stamps(i)[5][1]),
        ("eq", "hasSubordinates", rng.choice([b"TRUE", b"FALSE", b"x"])),
        ("eq", "name", b"thing"), ("sub", "name", b"e", [b"1"], b""),
        ("ext", None, "cn", b"e%d" % i, True),
        ("ext", "caseIgnoreMatch", None, b"u%d" % i, True),
        ("ext", "caseIgnoreMatch", "ou", b"U%d" % i, True),
        ("ext", "caseExactMatch", "cn", b"e%d" % i, True),
        ("and", []), ("or", []), ("eq", "cn", b"a,%d" % i)])


_cache = []


def entries_cache():
    if not _cache:
        _cache.extend(entries())
    return _cache


def tree(rng, depth, leaf):
    k = rng.randrange(8)
    if depth == 0 or k == 0:
        return leaf(rng)
    if k < 3:
        return ("not", tree(rng, depth - 1, leaf))
    return (rng.choice(["and", "or"]), [
        tree(rng, depth - 1, leaf) for _ in range(rng.randint(1, 4))])


def filters(n):
    """About N filters, items first, then trees of them."""
    rng = random.Random("filters")
    out = [("sub", "hbOct", b"", [b"c\0def"], b""),	# once found nothing
           ("sub", "hbOct", b"", [], b"\0def"),
           ("sub", "hbOct", b"\0\1", [], b"")]
    for name in sorted(TYPES):
        for kind in ("eq", "ge", "le", "sub", "approx", "ext"):
            out += [item(rng, kind, name) for _ in range(n // 320)]
        out += [item(rng, "present", name) for _ in range(4)]
    out += [with_rule(rng) for _ in range(n // 10)]
    out += [odd(rng) for _ in range(n // 10)]
    seen = {}
    for f in out:
        seen[repr(f)] = f
    out = list(seen.values())
    out += [("not", f) for f in rng.sample(out, n // 10)]
    while len(out) < n:
        out.append(tree(rng, 4, lambda r: rng.choice(
            (any_item, any_item, odd, with_rule))(r)))
    return out
