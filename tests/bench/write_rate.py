#!/usr/bin/python3
"""Does the rate of durable adds stay flat while a database grows?

Adds ENTRIES through LDAP over CONNECTIONS connections, PIPELINE requests under
way on each, and notes the rate of each window. Prints a table and, with --svg,
draws it. The figures that count are rate and server CPU of the last tenth of
the windows beside the first; on a machine with other work the CPU.

    SLAPD=build/slapd tests/bench/write_rate.py --entries 1000000 \\
        --svg doc/write-rate.svg
"""
import argparse
import os
import sys
import time

import ldap

import lines

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "e2e"))
from conftest import SUFFIX, Database, Server  # noqa: E402

INDEXES = "index uid,sn eq\nindex cn,givenName,mail eq,sub\n"
TOP = f"""dn: {SUFFIX}
objectClass: dcObject
objectClass: organization
dc: example
o: x

dn: ou=people,{SUFFIX}
objectClass: organizationalUnit
ou: people

"""
FIRST = ["Aaron", "Beate", "Carlos", "Dorothea", "Emil", "Fatima", "Gustav",
         "Hanna", "Igor", "Julia", "Karl", "Laila"]
LAST = ["Ahlers", "Bader", "Conrad", "Diaz", "Eberle", "Fuchs", "Gomez",
        "Haas", "Ivanov", "Jung", "Klein", "Lopez", "Maier", "Novak"]


def person(n):
    first, last = FIRST[n * 7 % len(FIRST)], LAST[n * 11 % len(LAST)]
    return f"uid=user.{n},ou=people,{SUFFIX}", [
        ("objectClass", [b"inetOrgPerson"]), ("uid", [b"user.%d" % n]),
        ("cn", [f"{first} {last} {n}".encode()]), ("sn", [last.encode()]),
        ("givenName", [first.encode()]),
        ("mail", [f"{first}.{last}.{n}@example.com".lower().encode()]),
        ("description", [b"One of many, with a text of some length"])]


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as f:
        user, system = f.read().rsplit(")", 1)[1].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def add_all(server, total, connections, pipeline, window):
    """[(entries so far, adds a second, CPU seconds an add)] of each window."""
    conns = [(server.root(), []) for _ in range(connections)]
    rates, sent, done = [], 0, 0
    since, cpu = time.monotonic(), cpu_seconds(server.proc.pid)
    while done < total:
        for c, waiting in conns:
            while len(waiting) < pipeline and sent < total:
                waiting.append(c.add(*person(sent)))
                sent += 1
        for c, waiting in conns:
            if not waiting:
                continue
            c.result(waiting.pop(0))
            done += 1
            if done % window == 0:
                now, used = time.monotonic(), cpu_seconds(server.proc.pid)
                rates.append((done, window / (now - since),
                              (used - cpu) / window))
                since, cpu = now, used
    return rates


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--entries", type=int, default=100000)
    p.add_argument("--window", type=int, default=1000)
    p.add_argument("--connections", type=int, default=16)
    p.add_argument("--pipeline", type=int, default=4)
    p.add_argument("--backend", action="append")
    p.add_argument("--svg")
    args = p.parse_args()
    series = {}
    for backend in args.backend or ["hdb", "bdb"]:
        s = Server(databases=[Database(backend, indexes=INDEXES)])
        s.load(TOP)
        s.start()
        rates = add_all(s, args.entries, args.connections, args.pipeline,
                        args.window)
        s.clean()
        tenth = max(len(rates) // 10, 1)
        early, late = (
            [sum(p[i] for p in part) / tenth for i in (1, 2)]
            for part in (rates[:tenth], rates[-tenth:]))
        print(f"{backend}: {early[0]:.0f} adds/s in the first tenth, "
              f"{late[0]:.0f} in the last: an add takes "
              f"{early[0] / late[0]:.2f} times as long\n"
              f"  server CPU of an add {early[1] * 1e6:.0f} us, "
              f"{late[1] * 1e6:.0f} us: {late[1] / early[1]:.2f} times as much",
              flush=True)
        series[f"back-{backend}"] = rates
    if args.svg:
        lines.draw(args.svg, series, "entries in the database",
                   "durable adds a second")


if __name__ == "__main__":
    main()
