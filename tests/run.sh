#!/bin/sh
# run.sh [--fast | --slow]: installs what the tests need, builds, runs the tests,
# and closes with one line: N passed, N failed, N skipped.  Exit 0 only if none
# failed.  What failed and what it said stands right above it (count.py): CI
# shows some thirty lines, the last ones.
#
# --fast: the unit tests and the reader's command line tests with the dev build,
#         in some three minutes; for the day's work.
# --slow: besides all others, the tests marked "slow", which try a failure at
#         each of some hundred places; clang-tidy of every file, not of those
#         alone that changed within 40 commits.
#
# A line each minute says what is at work and how long it may take
# (PERFPAIR_WATCH_S: each so many seconds), and what on this machine disturbs the
# tests: another recorder, a chroot (watch.py).  A run that a signal ends closes
# with its line, too, which counts what was done until then and one failure.
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

install_for "$lane" || exit 1

results=build/results
rm -rf "$results"
mkdir -p "$results"
failed_steps=
begin=$(date +%s)
pace=0 # the niceness of steps
python=/usr/bin/python3
watch_pid=
# By this word watch.py knows what belongs to this run.
export PERFPAIR_TESTS=$$ PERFPAIR_LANE=$lane
folders="tests/cli tests/peer tests/page tests/fleet"
tidy=tests/cli/test_style.py::test_clang_tidy_finds_nothing

# job NICE LOG COMMAND...: starts it behind the shell, with a session of its own,
# so that a signal to this script ends it whole.  Sets job_pid; all that run
# stand in jobs.
jobs=
job() {
	level=$1
	log=$2
	shift 2
	setsid env --default-signal=INT nice -n "$level" "$@" >"$log" 2>&1 &
	job_pid=$!
	jobs="$jobs $job_pid"
}

# closing_line: adds up what was done.  The status is the run's.
closing_line() {
	$python tests/count.py "$results" $failed_steps
}

# completed: nothing was cut short, so the time it took is what the next run
# expects.
completed() {
	echo $(($(date +%s) - begin)) >"build/seconds$lane"
	closing_line
}

# ended SIGNAL: what was tested until now counts: pytest writes its file when it
# is interrupted, if it has a moment.
ended() {
	trap '' INT TERM HUP
	echo "ended   by SIG$1 after $(($(date +%s) - begin)) s"
	for pid in $jobs; do
		kill -INT "-$pid" 2>/dev/null
	done
	for second in 1 2 3 4 5 6 7 8 9 10; do
		left=
		for pid in $jobs; do
			! kill -0 "-$pid" 2>/dev/null || left="$left $pid"
		done
		[ -n "$left" ] || break
		sleep 1
	done
	for pid in $left; do
		kill -KILL "-$pid" 2>/dev/null
	done
	failed_steps="$failed_steps ended-by-SIG$1"
	closing_line
	exit 1
}
trap 'kill $watch_pid 2>/dev/null' EXIT
trap 'ended INT' INT
trap 'ended TERM' TERM
trap 'ended HUP' HUP

# step NAME COMMAND...: runs it with its output in a log, shown if it fails.
step() {
	name=$1
	shift
	start=$(date +%s)
	touch "$results/$name.started"
	job $pace "$results/$name.log" "$@"
	if wait $job_pid; then
		echo "ok      $name ($(($(date +%s) - start)) s)"
		touch "$results/$name.ended"
	else
		echo "FAILED  $name: $*"
		touch "$results/$name.ended"
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

# pytest NICE NAME MARKS OPTION...: starts the Python tests of these marks; what
# failed is kept under the first part of NAME.
pytest() {
	level=$1
	name=$2
	marks=$3
	shift 3
	touch "$results/$name.started"
	job "$level" "$results/$name.log" $python -m pytest -q --tb=short \
		-m "$marks$not_slow" \
		-o "cache_dir=$PWD/$results/cache-${name%-again}" \
		--junit-xml "$results/$name.xml" --deselect $tidy "$@" $folders
}

# finished NAME PID: waits for what pytest() started; its status.
finished() {
	wait "$2"
	status=$?
	touch "$results/$1.ended"
	return $status
}

# again NAME MARKS: tries what failed there once more by itself.
again() {
	echo "again   $1:" \
		"$($python tests/count.py --failed "$results/$1.xml") failed"
	pytest 0 "$1-again" "$2 and not final" --last-failed \
		--last-failed-no-failures none
	finished "$1-again" $job_pid
}

$python tests/watch.py --machine "$results"
$python tests/watch.py "$results" "${PERFPAIR_WATCH_S-60}" &
watch_pid=$!

unit dev
if [ "$lane" = --fast ]; then
	folders=tests/cli pytest 0 readers "not records"
	finished readers $job_pid
	completed
	exit
fi
# Beside all that follows: a core is busy for minutes, and most tests wait.
touch "$results/tidy.started"
job 19 "$results/tidy.log" $python -m pytest -q -p no:cacheprovider \
	--junit-xml "$results/tidy.xml" $tidy
tidy_pid=$job_pid
# Tests that record use the next two, and wait most of the time: all else runs
# beside them, and gives way.
step build-static cross/static.sh "$(uname -m)"
step build-tsan sh -c "cmake --preset tsan && cmake --build --preset tsan \
	--target perfpair-record perfpair test_epoch test_ring_reader test_drain \
	test_drain_pool test_work_queue test_stack_resolver" &&
	step unit-tsan ctest --test-dir build/tsan -j2 --output-on-failure \
		-R '^unit_(epoch|ring_reader|drain|drain_pool|work_queue|stack_resolver)$' \
		--output-junit "$PWD/$results/unit-tsan.xml"
pytest 0 records records
records_pid=$job_pid
pace=15
# The sanitizers are those of the preset asan; the fuzz targets need more.
unit fuzz
# What records nothing reads beside what records.
pytest 10 readers "not records"
readers_pid=$job_pid
# The same inputs each time: what fails is a change of ours.
step fuzz env FUZZ_SEED=1 tests/fuzz/run.sh 0.05
step build-release sh -c \
	"cmake --preset release && cmake --build --preset release"
finished readers $readers_pid
readers_rc=$?
finished records $records_pid
records_rc=$?
finished tidy $tidy_pid
[ $records_rc -eq 0 ] || again records records
[ $readers_rc -eq 0 ] || again readers "not records"
for name in records readers tidy; do
	test -s "$results/$name.xml" || failed_steps="$failed_steps $name"
done
! grep -q '^FAILED' "$results/tidy.log" || tail -n 60 "$results/tidy.log"

completed
