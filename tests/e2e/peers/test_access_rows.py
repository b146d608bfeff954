"""A: the rows of access/*.rows, Debian's slapd beside ours.

Every row is asked of the peer as test_access_matrix.py asks ours. Where its
answer is another, the row says so ("# peer: reason"), and where it cannot read
the rules, the block does; what is explained must differ indeed.
"""
import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import test_access_matrix as ours  # noqa: E402
import conftest  # noqa: E402
from test_peers import PEERS, as_peer  # noqa: E402

pytestmark = pytest.mark.skipif(not PEERS, reason="no peer was unpacked")


class as_peer_with_schema(as_peer):
    """PEER makes conftest write the peer's schema and module lines."""

    def __enter__(self):
        super().__enter__()
        self.peer, conftest.PEER = conftest.PEER, PEERS

    def __exit__(self, *exc):
        conftest.PEER = self.peer
        super().__exit__(*exc)


def is_read(s, block):
    ours.configure(s, block)
    return s.tool("test", "-u", check=False).returncode == 0


def told_by_peer(row):
    return row.yes != bool(row.peer)


def done_by_peer(row):
    """Reasons that name its slapacl are no reasons for its server."""
    return row.yes != bool(row.peer and "slapacl" not in row.peer)


def test_A50_same_as_the_peer():
    bad, why, nrows, nlive = [], {}, 0, 0
    with as_peer_with_schema():
        s = ours.make_server("mdb")
        try:
            for block in ours.BLOCKS:
                read = is_read(s, block)
                if block.peer or not read:
                    if read or not block.peer:
                        bad.append(f"{block.where}: peer "
                                   f"{'reads' if read else 'refuses'} it")
                    why[block.peer] = why.get(block.peer, 0) + \
                        len(block.rows)
                    continue
                told, done = ours.run(s, block)
                bad += ours.complaints(block, told, "the peer's slapacl says",
                                       told_by_peer)
                bad += ours.complaints(block, done, "the peer says",
                                       done_by_peer)
                nrows += len(told)
                nlive += len(done)
                for r in block.rows:
                    if r.peer:
                        why[r.peer] = why.get(r.peer, 0) + 1
        finally:
            s.clean()
    print(f"{nrows} rows, {nlive} of them live")
    for reason, n in sorted(why.items(), key=str):
        print(f"{n:5} explained: {reason}")
    assert not bad, f"{len(bad)} unexplained\n" + "\n".join(bad[:60])
