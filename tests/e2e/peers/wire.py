"""Searches on the wire, many at a time: filters as trees, answers as sets.

A filter is a tuple: ("and"|"or", [filter, ...]), ("not", filter),
("eq"|"ge"|"le"|"approx", attribute, value), ("present", attribute),
("sub", attribute, initial, [any, ...], final) with b"" for a missing piece,
("ext", rule, attribute, value, dn) with None for a missing rule or attribute.
Attributes and rules are str, values bytes.
"""
import socket

TAGS = {"and": 0xa0, "or": 0xa1, "not": 0xa2, "eq": 0xa3, "sub": 0xa4,
        "ge": 0xa5, "le": 0xa6, "present": 0x87, "approx": 0xa8, "ext": 0xa9}
SIGNS = {"eq": "=", "ge": ">=", "le": "<=", "approx": "~="}
WINDOW = 40			# requests under way; slapd queues no more than 100
SEARCH, ENTRY, REFERENCE, DONE, BIND, BIND_DONE = (
    0x63, 0x64, 0x73, 0x65, 0x60, 0x61)


def tlv(tag, *parts):
    body = b"".join(parts)
    n = len(body)
    if n < 128:
        return bytes((tag, n)) + body
    raw = n.to_bytes(4, "big")
    return bytes((tag, 0x84)) + raw + body


def encode(f):
    """FILTER of RFC 4511 4.5.1."""
    kind, tag = f[0], TAGS[f[0]]
    if kind in ("and", "or"):
        return tlv(tag, *[encode(c) for c in f[1]])
    if kind == "not":
        return tlv(tag, encode(f[1]))
    if kind == "present":
        return tlv(tag, f[1].encode())
    if kind == "sub":
        pieces = [tlv(0x80, f[2])] if f[2] else []
        pieces += [tlv(0x81, a) for a in f[3]]
        pieces += [tlv(0x82, f[4])] if f[4] else []
        return tlv(tag, tlv(4, f[1].encode()), tlv(0x30, *pieces))
    if kind == "ext":
        parts = [tlv(0x81, f[1].encode())] if f[1] is not None else []
        parts += [tlv(0x82, f[2].encode())] if f[2] is not None else []
        parts.append(tlv(0x83, f[3]))
        return tlv(tag, *parts, *([tlv(0x84, b"\xff")] if f[4] else []))
    return tlv(tag, tlv(4, f[1].encode()), tlv(4, f[2]))


def show(f):
    """The string form (RFC 4515)."""
    def value(v):
        return "".join(chr(b) if 32 <= b < 127 and chr(b) not in "*()\\"
                       else "\\%02x" % b for b in v)

    kind = f[0]
    if kind in ("and", "or"):
        text = "&|"[kind == "or"] + "".join(map(show, f[1]))
    elif kind == "not":
        text = "!" + show(f[1])
    elif kind == "present":
        text = f[1] + "=*"
    elif kind == "sub":
        text = f[1] + "=" + "*".join(map(value, [f[2], *f[3], f[4]]))
    elif kind == "ext":
        text = (f[2] or "") + ":dn" * f[4] + \
            (":" + f[1] if f[1] is not None else "") + ":=" + value(f[3])
    else:
        text = f[1] + SIGNS[kind] + value(f[2])
    return f"({text})"


def items(f):
    """Its items, without and, or, not."""
    if f[0] in ("and", "or"):
        for c in f[1]:
            yield from items(c)
    elif f[0] == "not":
        yield from items(f[1])
    else:
        yield f


def header(buf, at):
    """(tag, start of the contents, end), or None where BUF is too short."""
    if len(buf) < at + 2:
        return None
    n, start = buf[at + 1], at + 2
    if n & 0x80:
        k = n & 0x7f
        if len(buf) < start + k:
            return None
        n = int.from_bytes(buf[start:start + k], "big")
        start += k
    return buf[at], start, start + n


class Client:
    """A connection that is bound, or anonymous."""

    def __init__(self, port, dn="", password=""):
        self.sock = socket.create_connection(("127.0.0.1", port), 60)
        self.buf, self.at = bytearray(), 0
        self.send(1, tlv(BIND, b"\2\1\3", tlv(4, dn.encode()),
                         tlv(0x80, password.encode())))
        _, op, start, _ = self.read()
        assert op == BIND_DONE and self.buf[start + 2] == 0

    def send(self, msgid, op):
        self.sock.sendall(tlv(0x30, tlv(2, msgid.to_bytes(4, "big")), op))

    def read(self):
        """The next message: (ID, operation, start and end of its contents)."""
        while True:
            h = header(self.buf, self.at)
            if h is not None and len(self.buf) >= h[2]:
                break
            del self.buf[:self.at]
            self.at = 0
            part = self.sock.recv(1 << 18)
            assert part, "the server closed the connection"
            self.buf += part
        _, start, self.at = h
        _, s, e = header(self.buf, start)
        tag, start, end = header(self.buf, e)
        return int.from_bytes(self.buf[s:e], "big"), tag, start, end

    def search(self, bases, filters, replace=None):
        """What each filter finds under BASE: (result code, set of names)."""
        found = [set() for _ in filters]
        codes = [None] * len(filters)
        attrs = tlv(0x30, tlv(4, b"1.1"))
        sent = done = 0
        while done < len(filters):
            while sent < len(filters) and sent - done < WINDOW:
                f = encode(filters[sent])
                if replace:
                    f = f.replace(*replace)
                self.send(sent + 2, tlv(
                    SEARCH, tlv(4, bases.encode()), b"\x0a\1\2\x0a\1\0"
                    b"\2\1\0\2\1\0\1\1\0", f, attrs))
                sent += 1
            msgid, op, start, end = self.read()
            if op == ENTRY:
                _, s, e = header(self.buf, start)
                found[msgid - 2].add(bytes(self.buf[s:e]))
            elif op == DONE:
                codes[msgid - 2] = self.buf[start + 2]
                done += 1
        if replace:
            found = [{n.replace(replace[1], replace[0]) for n in s}
                     for s in found]
        return list(zip(codes, map(frozenset, found)))
