#!/bin/sh
# The manual pages as built are clean mdoc.
command -v mandoc >/dev/null || { echo "skipped: no mandoc"; exit 77; }
failed=0
for page in "$top_builddir"/doc/man/*.[58]; do
	[ -e "$page" ] || exit 77
	# the OS prologue is the reader's; names of pages not installed here
	mandoc -T lint -W warning "$page" || failed=1
done
exit $failed
