#!/bin/sh
# DN strings: our parser beside libldap's and ldap3's. Fails without them.
exec "${PYTHON3:-/usr/bin/python3}" -B "$top_srcdir/tests/differential/dn_compare.py" \
	"$top_builddir/tests/differential/dn_avas" "$top_srcdir"
