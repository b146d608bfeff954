#!/usr/bin/python3
"""Full scans beside writers: does anybody wait for somebody?

Loads ENTRIES people, times one scan of the whole subtree by ldapsearch, then
SCANS of them at once while WRITERS clients modify entries, and the same
writers without scans. A scan's share is the time that one takes alone, times
the number of scans: they have the machine together. Prints the worst scan as a
multiple of its share, and the writers' latencies with and without scans.

    tests/bench/scans.py --entries 200000 --scans 16 --writers 8
"""
import argparse
import os
import subprocess
import sys
import threading
import time

import ldap

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from write_rate import (INDEXES, SUFFIX, TOP, Database, Server,  # noqa: E402
                        person)


def ldif(n):
    yield TOP
    for i in range(n):
        dn, attrs = person(i)
        yield f"dn: {dn}\n" + "".join(
            f"{a}: {v.decode()}\n" for a, vs in attrs for v in vs) + "\n"


def scan(server, seconds):
    start = time.monotonic()
    out = subprocess.run(
        ["ldapsearch", "-x", "-LLL", "-o", "ldif-wrap=no", "-H", server.url,
         "-b", SUFFIX, "(description=*)"], stdout=subprocess.DEVNULL)
    assert out.returncode == 0
    seconds.append(time.monotonic() - start)


class Writer(threading.Thread):
    def __init__(self, server, number, entries, stop):
        super().__init__()
        self.conn, self.stop = server.root(), stop
        self.number, self.entries = number, entries
        self.times, self.error = [], None

    def run(self):
        n = self.number
        try:
            while not self.stop.is_set():
                n = (n + 7919) % self.entries
                start = time.monotonic()
                self.conn.modify_s(person(n)[0], [
                    (ldap.MOD_REPLACE, "description", [b"now %d" % n])])
                self.times.append(time.monotonic() - start)
        except ldap.LDAPError as e:
            self.error = e


def writers(server, count, entries, work):
    """Latencies of COUNT writers while WORK runs, in milliseconds."""
    stop = threading.Event()
    some = [Writer(server, i, entries, stop) for i in range(count)]
    for w in some:
        w.start()
    start = time.monotonic()
    work()
    took = time.monotonic() - start
    stop.set()
    for w in some:
        w.join()
        assert w.error is None, w.error
    times = sorted(t * 1000 for w in some for t in w.times)
    return len(times) / took, times[len(times) // 2], \
        times[len(times) * 99 // 100], times[-1]


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--entries", type=int, default=200000)
    p.add_argument("--scans", type=int, default=16)
    p.add_argument("--writers", type=int, default=8)
    p.add_argument("--backend", action="append")
    args = p.parse_args()
    for backend in args.backend or ["hdb", "bdb"]:
        s = Server(databases=[Database(backend, indexes=INDEXES)],
                   extra="sizelimit unlimited\ntimelimit unlimited\n"
                   "threads 32\n")
        path = os.path.join(s.dir, "people.ldif")
        with open(path, "w") as f:
            f.writelines(ldif(args.entries))
        s.tool("add", "-q", "-l", path)
        s.start()
        scan(s, [])                     # warm
        solo, many = [], []
        scan(s, solo)
        quiet = writers(s, args.writers, args.entries,
                        lambda: time.sleep(max(4 * solo[0], 5)))

        def scan_all():
            some = [threading.Thread(target=scan, args=(s, many))
                    for _ in range(args.scans)]
            for t in some:
                t.start()
            for t in some:
                t.join()

        busy = writers(s, args.writers, args.entries, scan_all)
        s.clean()
        share = solo[0] * args.scans
        print(f"{backend}: one scan {solo[0]:.2f} s; {args.scans} at once "
              f"with {args.writers} writers {max(many):.2f} s at most, "
              f"{max(many) / share:.2f} of the share")
        for what, r in (("without", quiet), ("with", busy)):
            print(f"  writers {what} scans: {r[0]:.0f}/s, median "
                  f"{r[1]:.1f} ms, 99 % {r[2]:.1f} ms, worst {r[3]:.1f} ms")
        print(f"  99 %: {busy[2] / quiet[2]:.2f} times as long", flush=True)


if __name__ == "__main__":
    main()
