"""Where Debian's slapd and an RFC disagree on an item of a filter."""
import re

import rich
from wire import items

STRING_RULE = re.compile("case(Ignore|Exact).*Match$|2.5.13.2$")
OID_NAME = re.compile(b" *[A-Za-z]")


def base(attr):
    """The type as rich.py calls it, without options; None: not one of it."""
    name = (attr or "").split(";")[0].lower()
    for i, t in enumerate(rich.TYPES, 1):
        if name in (t.lower(), f"{rich.AT}{i}"):
            return t
    return None


def definition(attr):
    text = rich.TYPES.get(base(attr), ("",))[0]
    while text.startswith("SUP"):
        text = rich.TYPES[text.split()[1]][0]
    return text


def assertions(i):
    if i[0] == "sub":
        return [i[2], *i[3], i[4]]
    return [] if i[0] == "present" else [i[3] if i[0] == "ext" else i[2]]


def strings(i):
    return [v.decode("utf8", "replace") for v in assertions(i)]


def has_folds(i):
    """Letters whose folding is not their lower case, or their neighbours."""
    text = " ".join(strings(i)).casefold()
    return "ignore" in (definition(i[2] if i[0] == "ext" else i[1]) +
                        str(i[1])).lower() and \
        re.search("stra|ra?ss|[σς]", text) is not None


def is_ext(i, rule):
    return i[0] == "ext" and i[1] is not None and re.search(rule, i[1])


def oid_asked(i):
    attr = i[2] if i[0] == "ext" else i[1]
    return base(attr) == "hbOid" or is_ext(i, "objectIdentifierMatch")


EXPLAINED = [
    ("~= is for each server to define (RFC 4511 4.5.1.7.6)",
     lambda i: i[0] == "approx"),
    ("sharp s and final sigma are folded (RFC 4518 2.2, RFC 3454 B.2)",
     has_folds),
    ("U+00AD is mapped to nothing (RFC 4518 2.2)",
     lambda i: any(b"\xc2\xad" in v or b"xy" in v.lower()
                   for v in assertions(i))),
    ("each rule prepares values in its own way (RFC 4517 4.1)",
     lambda i: base(i[1]) == "hbMixed" and i[0] in ("sub", "ge", "le")),
    ("a rule named in the filter prepares values in its own way, whatever "
     "the equality rule of the attribute does (RFC 4517 4.1)",
     lambda i: is_ext(i, STRING_RULE) and
     (base(i[2]) == "hbMixed" or i[1] not in definition(i[2]).split())),
    ("substrings rules are asserted in the syntax Substring Assertion (RFC "
     "4517 3.3.30)", lambda i: is_ext(i, "SubstringsMatch")),
    ("names of OIDs are the OIDs (RFC 4517 4.2.26)", oid_asked),
    ("structuralObjectClass has objectIdentifierMatch (RFC 4512 3.4.5, RFC "
     "4517 4.2.26)", lambda i: i[:2] == ("eq", "structuralObjectClass")),
    ("a blank is no part of a bit string (RFC 4517 3.3.21)",
     lambda i: base(i[2] if i[0] == "ext" else i[1]) == "hbUid" and
     any(v.endswith(b" ") for v in assertions(i))),
    ("no RFC ends the bits at 64: two's complement of any size",
     lambda i: is_ext(i, "integerBit|113556")),
    ("the equality rule is asked without a rule in the filter (RFC 4511 "
     "4.5.1.7.7)", lambda i: i[0] == "ext" and i[1] is None and
     base(i[2]) == "hbUuid"),
    ("the ends of a value count as blanks, and words have two between them "
     "(RFC 4518 2.6.1)", lambda i: i[0] == "sub" and
     "octet" not in definition(i[1]) and
     any(v != v.strip() for v in strings(i))),
    ("a line of a postal address is not empty (RFC 4517 3.3.28)",
     lambda i: base(i[2] if i[0] == "ext" else i[1]) == "hbPost" and
     any(b"" in v.split(b"$") for v in assertions(i))),
    ("letters in telephone numbers have no case (RFC 4517 4.2.29)",
     lambda i: base(i[2] if i[0] == "ext" else i[1]) == "hbTel" and
     any(v.upper() != v.lower() for v in assertions(i))),
    ("# and pairs of hex digits are a value (RFC 4514 3); blanks around "
     "names are a server's affair (RFC 4514 2)",
     lambda i: base(i[2] if i[0] == "ext" else i[1]) in ("hbDn", "hbUid") and
     any(b"=#" in v or not v.strip() for v in assertions(i))),
    ("a piece of blanks is empty without them (RFC 4518 2.6.2, 2.6.3)",
     lambda i: i[0] == "sub" and base(i[1]) in ("hbNum", "hbTel") and
     any(v and not v.strip(b" -") for v in assertions(i))),
    ("a piece lies within one line, which has no $ (RFC 4517 4.2.10)",
     lambda i: i[0] == "sub" and base(i[1]) == "hbPost" and
     any(b"\\" in v or b"$" in v for v in assertions(i))),
    ("a Roman numeral is folded, then decomposed (RFC 4518 2.2, 2.3)",
     lambda i: any("\u2167" in v for v in strings(i))),
    ("a name of one RDN is one level below the empty one (RFC 4512 2.3.2)",
     lambda i: is_ext(i, "dnOneLevel") and i[3].strip() == b""),
]


def explain(f):
    for i in items(f):
        for reason, test in EXPLAINED:
            if test(i):
                return reason
    return None
