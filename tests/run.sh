#!/bin/sh
# run.sh [--fast | --slow]: installs what the tests need, builds, runs the tests,
# and closes with one line: N passed, N failed, N skipped.  Exit 0 only if none
# failed.  What failed and what it said stands right above it (count.py): CI
# shows some thirty lines, the last ones.
#
# --fast: the unit tests and the reader's command line tests with the dev build,
#         in some three minutes; for the day's work.
# --slow: besides all others, the tests marked "slow", which try a failure at
#         each of some hundred places.
#
# Many tests record on a machine that others use too, beside a perf that dies of
# its own stack now and then.  So what failed runs once more by itself: what
# passes then is named as unsteady, and passed.  Tests marked "final" (what went
# in must come out) have no second try.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/packages.sh

lane=${1---whole}
case $lane in
--fast | --slow | --whole) ;;
*)
	echo "usage: tests/run.sh [--fast | --slow]" >&2
	exit 2
	;;
esac
not_slow=" and not slow"
[ "$lane" != --slow ] || not_slow=

install_missing $BUILD_PACKAGES $TEST_PACKAGES || exit 1
install_missing $PAGE_PACKAGES ||
	echo "no browser can be installed: tests of the page are skipped"
install_missing $DEBIAN_PACKAGES ||
	echo "no debhelper can be installed: tests of packages are skipped"

results=build/results
rm -rf "$results"
mkdir -p "$results"
failed_steps=
how=
folders="tests/cli tests/peer tests/page"
tidy=tests/cli/test_style.py::test_clang_tidy_finds_nothing

# step NAME COMMAND...: runs it with its output in a log, shown if it fails.
step() {
	name=$1
	shift
	start=$(date +%s)
	if "$@" >"$results/$name.log" 2>&1; then
		echo "ok      $name ($(($(date +%s) - start)) s)"
	else
		echo "FAILED  $name: $*"
		tail -n 60 "$results/$name.log"
		failed_steps="$failed_steps $name"
		return 1
	fi
}

# unit PRESET: builds it and runs the unit tests and the fuzz replay.
unit() {
	step "build-$1" sh -c "cmake --preset $1 && cmake --build --preset $1" ||
		return 1
	step "unit-$1" ctest --test-dir "build/$1" -j2 --output-on-failure \
		--timeout 300 --output-junit "$PWD/$results/unit-$1.xml"
}

# pytest NAME MARKS OPTION...: the Python tests of these marks; what failed is
# kept under the first part of NAME.
pytest() {
	name=$1
	marks=$2
	shift 2
	$how /usr/bin/python3 -m pytest -q --tb=short -m "$marks$not_slow" \
		-o "cache_dir=$PWD/$results/cache-${name%-again}" \
		--junit-xml "$results/$name.xml" --deselect $tidy "$@" \
		$folders >"$results/$name.log" 2>&1
}

# again NAME MARKS: tries what failed there once more by itself.
again() {
	echo "again   $1:" \
		"$(/usr/bin/python3 tests/count.py --failed "$results/$1.xml") failed"
	pytest "$1-again" "$2 and not final" --last-failed \
		--last-failed-no-failures none
}

unit dev
if [ "$lane" = --fast ]; then
	folders=tests/cli pytest readers "not records"
	/usr/bin/python3 tests/count.py "$results" $failed_steps
	exit
fi
# Beside all that follows: minutes of one core, and most tests wait.
nice -n 19 /usr/bin/python3 -m pytest -q -p no:cacheprovider \
	--junit-xml "$results/tidy.xml" $tidy >"$results/tidy.log" 2>&1 &
tidy_pid=$!
readers_pid=
trap 'kill $tidy_pid $readers_pid 2>/dev/null' EXIT
trap 'exit 1' INT TERM
unit asan
step build-tsan sh -c "cmake --preset tsan && cmake --build --preset tsan \
	--target perfpair-record perfpair test_epoch test_ring_reader test_drain \
	test_drain_pool test_work_queue test_stack_resolver" &&
	step unit-tsan ctest --test-dir build/tsan -j2 --output-on-failure \
		-R '^unit_(epoch|ring_reader|drain|drain_pool|work_queue|stack_resolver)$' \
		--output-junit "$PWD/$results/unit-tsan.xml"
step build-release sh -c \
	"cmake --preset release && cmake --build --preset release"
step build-static sh -c \
	"cmake --preset release -B build/static -DPERFPAIR_STATIC=ON &&
	cmake --build build/static --target perfpair-record"
# What records nothing reads beside what records.
how="exec nice -n 10" pytest readers "not records" &
readers_pid=$!
# The same inputs each time: what fails is a change of ours.
step fuzz env FUZZ_SEED=1 tests/fuzz/run.sh 0.05
pytest records records
records_rc=$?
wait $readers_pid
readers_rc=$?
wait
[ $records_rc -eq 0 ] || again records records
[ $readers_rc -eq 0 ] || again readers "not records"
for name in records readers tidy; do
	test -s "$results/$name.xml" || failed_steps="$failed_steps $name"
done
! grep -q '^FAILED' "$results/tidy.log" || tail -n 60 "$results/tidy.log"

/usr/bin/python3 tests/count.py "$results" $failed_steps
