#!/bin/sh
# run.sh [MINUTES [TARGET...]]: every fuzz target in turn, one minute each
# unless told, over copies of tests/fuzz/corpus; what one found lies in
# build/fuzz/found/TARGET-*.  Exit code 1 if anything was found.
set -eu
cd "$(dirname "$0")/../.."
minutes=${1:-1}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- $(sed -n 's/^perfpair_fuzz_target(\([a-z_]*\).*/\1/p' \
	tests/fuzz/CMakeLists.txt)
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz
mkdir -p build/fuzz/found
failed=0
for target; do
	corpus=build/fuzz/corpus/$target
	mkdir -p "$corpus"
	[ ! -d "tests/fuzz/corpus/$target" ] ||
		cp "tests/fuzz/corpus/$target"/* "$corpus"
	echo "fuzz_$target: $minutes min"
	nice "build/fuzz/tests/fuzz/fuzz_$target" -max_total_time=$((minutes * 60)) \
		-timeout=10 -rss_limit_mb=1024 -max_len=65536 -verbosity=0 \
		-print_final_stats=1 -artifact_prefix="build/fuzz/found/$target-" \
		"$corpus" || failed=1
done
exit $failed
