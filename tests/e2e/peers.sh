#!/bin/sh
# The comparison with Debian's slapd; PEERS names where it was unpacked.
[ -n "$PEERS" ] && [ -x "$PEERS/slapd" ] || {
	echo "skipped: no peer (see ./check --with-peers)"
	exit 77
}
exec "$top_srcdir/tests/e2e/run" "$top_srcdir/tests/e2e/peers"
