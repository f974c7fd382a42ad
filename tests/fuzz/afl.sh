#!/bin/sh
# afl.sh [MINUTES [TARGET...]]: fuzz targets under AFL++ (Debian's afl++), each
# for MINUTES of CPU time, 15 by default: `commands` (report, script, evlist,
# data, check) and `check` (check, repair, check of what that made) by default.
# What was found lies in build/afl/found/TARGET/default/crashes and .../hangs.
# Exit code 1 if anything was found.
set -eu
cd "$(dirname "$0")/../.."
. tests/packages.sh
install_missing $BUILD_PACKAGES $FUZZ_PACKAGES
minutes=${1:-15}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- commands check

# cpu_seconds PID: of afl-fuzz, the target's fork server and its children.
cpu_seconds() {
	children=$(cat "/proc/$1/task/$1/children" 2>/dev/null) || true
	for child in $children; do
		children="$children $(cat "/proc/$child/task/$child/children" \
			2>/dev/null)" || true
	done
	for pid in "$1" $children; do
		cat "/proc/$pid/stat" 2>/dev/null || true
	done | awk -v hz="$(getconf CLK_TCK)" '
		{ sub(/.*\) /, ""); ticks += $12 + $13 + $14 + $15 }
		END { print int(ticks / hz) }'
}

# A crash has to end in a signal for AFL++ to see it; another machine's
# core_pattern and governor are not ours to change.
export AFL_NO_UI=1 AFL_NO_AFFINITY=1 AFL_SKIP_CPUFREQ=1 \
	AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 \
	ASAN_OPTIONS=abort_on_error=1:symbolize=0:detect_leaks=0 \
	UBSAN_OPTIONS=halt_on_error=1:abort_on_error=1

# A compiler cache does not see what afl-clang-fast adds.
CMAKE_C_COMPILER_LAUNCHER='' cmake --preset afl >/dev/null
AFL_QUIET=1 cmake --build --preset afl \
	--target $(printf 'fuzz_%s ' "$@") >/dev/null

failed=0
mkdir -p build/afl/found
for target; do
	out=build/afl/found/$target
	rm -rf "$out"
	nice afl-fuzz -i "tests/fuzz/corpus/$target" -o "$out" -t 10000 \
		-m none -- "build/afl/tests/fuzz/fuzz_$target" \
		>"$out.log" 2>&1 &
	fuzzer=$!
	trap 'kill $fuzzer 2>/dev/null || true' EXIT
	trap 'exit 1' INT TERM
	spent=0
	while [ "$spent" -lt $((minutes * 60)) ]; do
		sleep 1
		kill -0 $fuzzer 2>/dev/null || break
		spent=$(cpu_seconds $fuzzer)
	done
	kill $fuzzer 2>/dev/null || true
	wait $fuzzer || true
	trap - EXIT
	[ -f "$out/default/fuzzer_stats" ] || {
		tail -n 20 "$out.log"
		exit 1
	}
	echo "fuzz_$target: $spent s of CPU time"
	grep '^execs_done\|^corpus_count\|^saved_' "$out/default/fuzzer_stats"
	! grep -q '^saved_.*: [1-9]' "$out/default/fuzzer_stats" || failed=1
done
exit $failed
