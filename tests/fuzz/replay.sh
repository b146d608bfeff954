#!/bin/sh
# Every fuzzer that was built runs its whole corpus.
failed=0
run=0
for prog in "$top_builddir"/tests/fuzz/fuzz_*; do
	case $prog in *.*|*'*') continue ;; esac
	name=${prog##*/fuzz_}
	printf '%s: ' "$name"
	if "$prog" "$top_srcdir/tests/fuzz/corpus/$name"; then
		run=$((run + 1))
	else
		echo "FAILED"
		failed=$((failed + 1))
	fi
done
[ $run -gt 0 ] || [ $failed -gt 0 ] || exit 77
[ $failed -eq 0 ]
