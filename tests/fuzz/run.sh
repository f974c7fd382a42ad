#!/bin/sh
# run.sh [MINUTES [TARGET...]]: every fuzz target in turn, one minute each
# unless told (0.02 is 1 s), over copies of tests/fuzz/corpus; what one found lies
# in build/fuzz/found/TARGET-*.  Exit code 1 if anything was found.
# FUZZ_SEED=1: the same inputs every time.
set -eu
cd "$(dirname "$0")/../.."
seconds=$(echo "${1:-1}" | awk '{ print int($1 * 60 + 0.5) }')
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- $(sed -n 's/^perfpair_fuzz_target(\([a-z_]*\).*/\1/p' \
	tests/fuzz/CMakeLists.txt)
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target $(printf 'fuzz_%s ' "$@") >/dev/null
mkdir -p build/fuzz/found
failed=0
for target; do
	corpus=build/fuzz/corpus/$target
	[ -z "${FUZZ_SEED-}" ] || rm -rf "$corpus"
	mkdir -p "$corpus"
	[ ! -d "tests/fuzz/corpus/$target" ] ||
		cp "tests/fuzz/corpus/$target"/* "$corpus"
	echo "fuzz_$target: $seconds s"
	nice "build/fuzz/tests/fuzz/fuzz_$target" -seed="${FUZZ_SEED:-0}" \
		-max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 \
		-max_len=65536 -verbosity=0 -print_final_stats=1 \
		-artifact_prefix="build/fuzz/found/$target-" "$corpus" 2>&1 |
		tee build/fuzz/log | grep -a '^stat::number_of_executed\|^SUMMARY' ||
		true
	grep -q -a 'Test unit written' build/fuzz/log && failed=1
done
exit $failed
