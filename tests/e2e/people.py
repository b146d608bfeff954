"""A directory of made-up people with the edge cases that break directories.

people.entries(n) gives (dn, [(attribute, bytes), ...]) in tree order, the
same for the same n; people.ldif(n) the LDIF text; people.queries(n, count)
generated (base, scope, filter) triples that hit, miss and nearly hit them.
"""
import base64
import hashlib
import random

SUFFIX = "dc=example,dc=com"
ROOTDN = "cn=admin," + SUFFIX
ROOTPW = "root secret"
PASSWORD = "user secret"

GIVEN = """Ada Björn Chloë Dmitri Elif Fatima Gérard Hana Ines Jörg Kofi Lena
Mateo Nadia Oisín Priya Quentin Rosa Sven Tomás Uma Viktor Wanda Xenia Yusuf
Zoë Łukasz Ελένη Иван 美咲""".split()
SUR = """Abara Brûlé Castaño Dvořák Eriksson Faure García Håkansson Ito Jansen
Kovács Lindgren Müller Nkrumah O'Leary Petrov Quiroga Rossi Schäfer Tanaka
Underwood Visser Weiß Xu Yılmaz Zieliński van~den~Berg Smith Smythe Smithson
Παππάς Смирнов 山田""".replace("~", " ").replace("\n", " ").split(" ")
SUR = [s for s in SUR if s] + ["van den Berg", "de la Cruz"]
CITIES = ["Utrecht", "Malmö", "Porto", "Kraków", "Graz", "New  York", "Lagos"]
JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"
TITLES = ["Engineer", "Clerk", "Head of Everything", "engineer", "Baker"]


def escape(value):
    """VALUE as part of a DN, in the form that the server shows."""
    out = "".join("\\%02X" % ord(c) if c in ',+"\\<>;=' else c for c in value)
    if out[:1] in "# ":
        out = "\\%02X" % ord(out[0]) + out[1:]
    return out


def filter_escape(value):
    """VALUE (str or bytes) as an assertion value (RFC 4515)."""
    raw = value.encode() if isinstance(value, str) else value
    return "".join(chr(b) if 32 < b < 127 and chr(b) not in "*()\\" else
                   "\\%02x" % b for b in raw)


def ssha(password, salt=b"saltsalt"):
    digest = hashlib.sha1(password.encode() + salt).digest()
    return "{SSHA}" + base64.b64encode(digest + salt).decode()


def _person(i, rnd, parent):
    given, sur = rnd.choice(GIVEN), rnd.choice(SUR)
    uid = f"user{i}"
    attrs = [
        ("objectClass", "inetOrgPerson"), ("objectClass", "posixAccount"),
        ("uid", uid), ("cn", f"{given} {sur}"), ("sn", sur),
        ("givenName", given), ("mail", f"{uid}@example.com"),
        ("uidNumber", str(10000 + i)), ("gidNumber", str(100 + i % 7)),
        ("homeDirectory", f"/home/{uid}"), ("l", rnd.choice(CITIES)),
        ("title", rnd.choice(TITLES)), ("userPassword", ssha(PASSWORD)),
        ("telephoneNumber", "+31 20 %03d-%04d" % (i % 1000, i % 9973)),
        ("employeeNumber", str(i * 7)),
    ]
    if i % 3 == 0:
        attrs.append(("description", f"Person number {i}, third of a row"))
    if i % 5 == 0:
        attrs.append(("cn;lang-fr", f"{given} de {sur}"))
    if i % 7 == 0:
        attrs += [("mail", f"alias.{i}@example.org"),
                  ("mail", f"Box-{i}@Example.NET")]
    if i % 11 == 0:
        attrs.append(("postalAddress", f"{sur}$Street {i}$1000 AA City"))
    if i % 13 == 0:
        attrs.append(("jpegPhoto", JPEG + bytes(
            rnd.randrange(256) for _ in range(40 + i % 400)) + b"\xff\xd9"))
    if i % 17 == 0:
        attrs.append(("description", "long " * 900 + str(i)))
    if i % 19 == 0:
        attrs.append(("seeAlso", f"uid=user{i // 2},{parent}"))
    if i % 23 == 0:
        attrs.append(("carLicense", "  two  blanks  "))
    if i % 29 == 0:
        attrs.append(("initials", "A*B(C)\\D"))
    # values of one attribute stand together, as in a dump
    first = {a: k for k, (a, _) in reversed(list(enumerate(attrs)))}
    attrs.sort(key=lambda av: first[av[0]])
    return f"uid={uid},{parent}", attrs


def entries(n):
    rnd = random.Random(4711)

    def unit(name, parent):
        return (f"ou={escape(name)},{parent}",
                [("objectClass", "organizationalUnit"), ("ou", name)])

    yield SUFFIX, [("objectClass", "dcObject"),
                   ("objectClass", "organization"), ("dc", "example"),
                   ("o", "Example, Inc.")]
    people = f"ou=People,{SUFFIX}"
    yield unit("People", SUFFIX)
    yield unit("Groups", SUFFIX)
    units = ["Sales", "R, D + More", "#Ops", "Quality \"A\"", "Größe",
             "semi;colon", "a=b", "back\\slash", "  Two  Blanks  x"]
    parents = [people]
    for name in units:
        dn, attrs = unit(name, people)
        parents.append(dn)
        yield dn, attrs
    deep = f"ou=Deep,{SUFFIX}"
    yield unit("Deep", SUFFIX)
    for level in range(1, 16):
        dn, attrs = unit(f"level{level}", deep)
        yield dn, attrs
        deep = dn
    parents.append(deep)
    dns = []
    for i in range(n):
        dn, attrs = _person(i, rnd, parents[i % len(parents)])
        dns.append(dn)
        yield dn, attrs
    yield (f"cn=Multi+sn=Valued,{people}",
           [("objectClass", "person"), ("cn", "Multi"), ("sn", "Valued")])
    for g in range(max(3, n // 50)):
        size = min(n, 1500) if g == 0 else 1 + g % 17
        yield (f"cn=group{g},ou=Groups,{SUFFIX}",
               [("objectClass", "groupOfNames"), ("cn", f"group{g}")] +
               [("member", dns[(g * 31 + k) % n]) for k in range(size)])


def _line(name, value):
    raw = value.encode() if isinstance(value, str) else value
    safe = (all(32 <= b < 127 for b in raw) and raw[:1] not in (b" ", b":", b"<")
            and not raw.endswith(b" "))
    text = (f"{name}: {raw.decode()}" if safe else
            f"{name}:: {base64.b64encode(raw).decode()}")
    lines = [text[:76]]
    text = text[76:]
    while text:
        lines.append(" " + text[:75])
        text = text[75:]
    return "\n".join(lines) + "\n"


def to_ldif(some):
    return "\n".join(_line("dn", dn) + "".join(_line(a, v) for a, v in attrs)
                     for dn, attrs in some)


def ldif(n):
    return to_ldif(entries(n))


def _some_value(rnd, everything, names=None):
    while True:
        _, attrs = rnd.choice(everything)
        a, v = rnd.choice(attrs)
        if a not in ("userPassword", "jpegPhoto") and \
                (names is None or a in names):
            return a, v if isinstance(v, str) else v.decode()


SUBSTR = ("cn", "sn", "givenName", "mail", "description", "title", "l",
          "telephoneNumber", "uid", "ou")
ORDERED = ("uidNumber", "gidNumber")


def _item(rnd, everything):
    """One filter item, mostly about something that is there."""
    kind = rnd.choice(("eq", "eq", "eq", "case", "miss", "pres", "initial",
                       "any", "final", "mixed", "ge", "le", "undef", "ext",
                       "super", "oc"))
    esc = filter_escape
    if kind in ("eq", "case", "miss"):
        a, v = _some_value(rnd, everything)
        v = v[:200] if a != "description" else v
        if kind == "case" and all(ord(c) < 128 for c in v):
            v = v.upper()
        return f"({a}={esc(v + 'x' if kind == 'miss' else v)})"
    if kind == "pres":
        return f"({rnd.choice(('cn', 'mail', 'jpegPhoto', 'ou', 'member', 'seeAlso', 'objectClass', 'carLicense', 'description'))}=*)"
    if kind in ("initial", "any", "final", "mixed"):
        a, v = _some_value(rnd, everything, SUBSTR)
        v = v[:60]
        n = len(v)
        i = rnd.randrange(n)
        j = min(n, i + rnd.randrange(1, 6))
        if kind == "initial":
            return f"({a}={esc(v[:j])}*)"
        if kind == "final":
            return f"({a}=*{esc(v[-(j - i):])})"
        if kind == "any" or n < 6:
            return f"({a}=*{esc(v[i:j])}*)"
        return f"({a}={esc(v[:2])}*{esc(v[2:4])}*{esc(v[-1:])})"
    if kind in ("ge", "le"):
        a, v = _some_value(rnd, everything, ORDERED)
        return f"({a}{'>=' if kind == 'ge' else '<='}{v})"
    if kind == "undef":
        return rnd.choice(("(noSuchAttr=x)", "(uidNumber=abc)",
                           "(uidNumber=*1*)", "(&)", "(|)"))
    if kind == "ext":
        a, v = _some_value(rnd, everything, ("cn", "sn", "givenName"))
        return f"({a}:caseExactMatch:={esc(v)})"
    if kind == "super":
        _, v = _some_value(rnd, everything, ("cn", "sn", "ou"))
        return f"(name={esc(v)})"
    return f"(objectClass={rnd.choice(('person', 'inetOrgPerson', 'top', 'groupOfNames', 'organizationalUnit', 'posixAccount', 'device'))})"


def _filter(rnd, everything, depth=0):
    kind = rnd.random()
    if depth > 2 or kind < 0.5:
        return _item(rnd, everything)
    if kind < 0.62:
        return f"(!{_filter(rnd, everything, depth + 1)})"
    op = "&" if kind < 0.82 else "|"
    return "(%s%s)" % (op, "".join(_filter(rnd, everything, depth + 1)
                                   for _ in range(rnd.randrange(1, 4))))


def queries(n, count):
    rnd = random.Random(31337)
    everything = list(entries(n))
    inner = [dn for dn, attrs in everything if dn.startswith(("ou=", "dc="))]
    for i in range(count):
        base = SUFFIX if i % 3 == 0 else rnd.choice(inner)
        scope = rnd.choice((0, 1, 2, 2, 2, 3))
        if i % 10 == 9:
            base, scope = rnd.choice(everything)[0], rnd.choice((0, 1, 2))
        yield base, scope, _filter(rnd, everything)
