#!/usr/bin/python3
"""Hornbeam beside OpenLDAP's slapd and 389 Directory Server, in one run.

Each server gets the same COUNT people and the same indexes and is asked for
the same jobs over the same numbers of connections, one after the other. Shown
are operations a second, 99th percentile, server CPU of an operation and, for
writes, the octets that the server wrote; before that, memory and disk of each.
Where generator and server share the processors, the CPU is what counts.

    tests/bench/compare.py --jobs search,auth --conns 8,32,128
    tests/bench/compare.py --jobs add,modify --conns 1,4,16,32,64
    tests/bench/compare.py --servers null,peer-null --jobs search

What is not installed is said to be missing. rivals.py tells where each is
looked for.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

import lines
from rivals import RIVALS, SLAPBENCH, SUFFIX

WRITES = ("add", "delete", "adddel", "modify", "mixed")


def measure(rival, job, conns, args):
    """One run; what slapbench says, and the octets written an operation."""
    command = [SLAPBENCH, "run", job, "-H", rival.url, "-b", SUFFIX, "-n",
               str(args.count), "-c", str(conns), "-d", str(args.seconds),
               "--spid", str(rival.pid), "--json", "-D", rival.rootdn, "-W",
               rival.rootpw, "--first", str(int(time.time() * 1000) % 10**9)]
    if "null" in rival.name:
        command.append("--any")
    before = rival.written()
    p = subprocess.run(command, capture_output=True, text=True)
    try:
        row = json.loads(p.stdout.strip().split("\n")[-1])
    except ValueError:
        raise SystemExit(f"{rival.name}, {job}: {p.stdout}{p.stderr}")
    if row["errors"]:
        print(f"  {rival.name}, {job}, {conns}: {row['errors']} errors:\n"
              f"{p.stderr[-500:]}", file=sys.stderr)
    row["octets_per_op"] = (rival.written() - before) / max(row["ops"], 1)
    return row


def prepare(names, args):
    """The servers that can take part, loaded and running."""
    rivals = []
    with tempfile.TemporaryDirectory() as folder:
        ldif = os.path.join(folder, "people.ldif")
        subprocess.run([SLAPBENCH, "gen", "-n", str(args.count), "-b", SUFFIX,
                        "-o", ldif], check=True)
        for name in names:
            r = RIVALS[name]()
            why = r.missing()
            if why:
                print(f"{r.name}: not compared, {why}")
                r.clean()
                continue
            rivals.append(r)
            start = time.monotonic()
            r.load(ldif)
            took = time.monotonic() - start
            r.start()
            print(f"{r.name}: loaded in {took:.1f} s", flush=True)
    return rivals


def footprint(rivals, args):
    """Memory and disk of an entry, after every entry was read."""
    print("\n| server | resident MB | disk MB | disk octets an entry |\n"
          "|---|--:|--:|--:|")
    for r in rivals:
        if "null" in r.name:
            continue
        subprocess.run([SLAPBENCH, "run", "search", "-H", r.url, "-b", SUFFIX,
                        "-n", str(args.count), "-c", "8", "--ops",
                        str(3 * args.count), "-D", r.rootdn, "-W", r.rootpw],
                       capture_output=True)
        print(f"| {r.name} | {r.resident() >> 20} | {r.disk() >> 20} | "
              f"{r.disk() / args.count:.0f} |")


def table(job, rows, rivals):
    """ROWS: {connections: {server: row}}."""
    print(f"\n{job}\n\n| connections | " +
          " | ".join(r.name for r in rivals) + " |\n|--:|" +
          "---|" * len(rivals))
    for conns, by in rows.items():
        cells = []
        for r in rivals:
            row = by[r.name]
            cells.append(f"{row['ops_per_sec']:.0f}/s, p99 "
                         f"{row['lat_us']['p99'] / 1000:.1f} ms, "
                         f"{row['srv_us_per_op']:.1f} us" +
                         (f", {row['octets_per_op'] / 1024:.1f} KB"
                          if job in WRITES else ""))
        print(f"| {conns} | " + " | ".join(cells) + " |", flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--servers", default="hdb,bdb,mdb,389",
                   help="of " + ", ".join(RIVALS))
    p.add_argument("--jobs", default="search,base,compare,bind,auth,modify,"
                   "adddel")
    p.add_argument("--conns", default="8,32,128")
    p.add_argument("--seconds", type=int, default=4)
    p.add_argument("--count", type=int, default=100000)
    p.add_argument("--svg", help="folder for a picture of each job")
    args = p.parse_args()
    names = args.servers.split(",")
    if set(names) - set(RIVALS):
        p.error("servers are " + ", ".join(RIVALS))
    rivals = []
    try:
        rivals = prepare(names, args)
        footprint(rivals, args)
        for job in args.jobs.split(","):
            rows = {c: {r.name: measure(r, job, c, args) for r in rivals}
                    for c in map(int, args.conns.split(","))}
            table(job, rows, rivals)
            if args.svg and rivals:
                lines.draw(os.path.join(args.svg, f"compare-{job}.svg"), {
                    r.name: [(c, by[r.name]["ops_per_sec"])
                             for c, by in rows.items()] for r in rivals},
                    "connections", f"{job} operations a second")
    finally:
        for r in rivals:
            r.clean()


if __name__ == "__main__":
    main()
