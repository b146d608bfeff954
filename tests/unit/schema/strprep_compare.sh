#!/bin/sh
# String preparation against RFC 4518 in Python.
exec "$PYTHON3" "$top_srcdir/tests/unit/schema/rfc4518.py" \
    "$top_builddir/tests/unit/schema/strprep_compare"
