"""An LDAP server in a few lines, which lies when told to.

Answers a search with one entry named like the filter's value, and everything
else with success. With a certificate it speaks TLS, from the start or after
StartTLS. LIE(server, request) may return bytes to send instead of the answer,
None for the right one, or raise Hangup.
"""
import socket
import ssl
import threading

SUCCESS, COMPARE_FALSE, COMPARE_TRUE = 0, 5, 6
BIND, SEARCH, MODIFY, ADD, DELETE, COMPARE, EXTENDED, UNBIND = (
    0x60, 0x63, 0x66, 0x68, 0x4A, 0x6E, 0x77, 0x42)
RESPONSE = {BIND: 0x61, SEARCH: 0x65, MODIFY: 0x67, ADD: 0x69, DELETE: 0x6B,
            COMPARE: 0x6F, EXTENDED: 0x78}
ENTRY = 0x64


class Hangup(Exception):
    """Close the connection."""


def tlv(tag, *parts):
    body = b"".join(parts)
    n = len(body)
    if n < 0x80:
        return bytes([tag, n]) + body
    length = n.to_bytes((n.bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(length)]) + length + body


def integer(v, tag=2):
    return tlv(tag, v.to_bytes(v.bit_length() // 8 + 1, "big"))


def elements(data):
    """[(tag, contents)] of DATA."""
    out = []
    while data:
        n, at = data[1], 2
        if n & 0x80:
            at += n & 0x7F
            n = int.from_bytes(data[2:at], "big")
        out.append((data[0], data[at:at + n]))
        data = data[at + n:]
    return out


def result(msg_id, tag, code=SUCCESS, text=b""):
    return tlv(0x30, integer(msg_id),
               tlv(tag, integer(code, 0x0A), tlv(4), tlv(4, text)))


def entry(msg_id, dn, **attrs):
    return tlv(0x30, integer(msg_id), tlv(ENTRY, tlv(4, dn.encode()), tlv(
        0x30, *(tlv(0x30, tlv(4, a.encode()), tlv(0x31, tlv(4, v.encode())))
                for a, v in attrs.items()))))


class Request:
    def __init__(self, pdu):
        (_, body), = elements(pdu)
        (_, num), (self.tag, self.body) = elements(body)[:2]
        self.id = int.from_bytes(num, "big")
        self.parts = [] if self.tag in (DELETE, UNBIND) else \
            elements(self.body)

    def dn(self):
        """What a search for (uid=X) must find, or the entry's name."""
        if self.tag != SEARCH:
            return (self.body if self.tag == DELETE else
                    self.parts[self.tag == BIND][1]).decode()
        base, item = self.parts[0][1].decode(), self.parts[6]
        if item[0] != 0xA3:
            return base
        return f"uid={elements(item[1])[1][1].decode()},ou=People,{base}"

    def done(self, code=None):
        if code is None:
            code = SUCCESS
            if self.tag == COMPARE:
                value = elements(self.parts[1][1])[1][1]
                code = (COMPARE_FALSE if value.endswith(b".not")
                        else COMPARE_TRUE)
        return result(self.id, RESPONSE[self.tag], code)

    def answer(self):
        if self.tag != SEARCH:
            return self.done()
        return entry(self.id, self.dn(), cn="A Name", objectClass="person",
                     sn="Name") + self.done()


class FakeLdap:
    def __init__(self, lie=None, cert=None, tls_at_once=False):
        self.lie, self.tls_at_once, self.context = lie, tls_at_once, None
        if cert:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(cert)
        self.counts, self.seen, self.lock = {}, 0, threading.Lock()
        self.binds = []
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self.socket.getsockname()[1]
        scheme = "ldaps" if tls_at_once else "ldap"
        self.url = f"{scheme}://127.0.0.1:{self.port}"
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def accept(self):
        while True:
            try:
                s, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(s,),
                             daemon=True).start()

    def serve(self, s):
        try:
            s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self.tls_at_once:
                s = self.context.wrap_socket(s, server_side=True)
            self.talk(s)
        except (Hangup, OSError):
            pass
        finally:
            s.close()

    def talk(self, s):
        data = b""
        while True:
            more = s.recv(65536)
            if not more:
                return
            data += more
            out = b""
            while (n := frame(data)) and n <= len(data):
                req, data = Request(data[:n]), data[n:]
                if req.tag == UNBIND:
                    self.count(req)
                    return
                out += self.handle(req)
                if req.tag == EXTENDED and self.context:
                    s.sendall(out)
                    out = b""
                    s = self.context.wrap_socket(s, server_side=True)
            s.sendall(out)

    def count(self, req):
        with self.lock:
            self.seen += 1
            req.number = self.seen
            self.counts[req.tag] = self.counts.get(req.tag, 0) + 1
            if req.tag == BIND:
                self.binds.append(req.dn())

    def handle(self, req):
        self.count(req)
        out = self.lie(self, req) if self.lie else None
        return req.answer() if out is None else out


def frame(data):
    """Octets of the first message in DATA; 0: not known yet."""
    if len(data) < 2:
        return 0
    if data[1] < 0x80:
        return 2 + data[1]
    k = data[1] & 0x7F
    return 2 + k + int.from_bytes(data[2:2 + k], "big") \
        if len(data) >= 2 + k else 0
