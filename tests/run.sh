#!/bin/sh
# run.sh [--change | --fast | --slow]: installs what the tests need, builds, runs
# the tests, and closes with one line: N passed, N failed, N skipped.  Exit 0 only
# if none failed.  What failed and what it said stands right above it (count.py): CI
# shows some thirty lines, the last ones.
#
# --change: what to run before a commit: the style of all files, and clang-tidy,
#         clang-format and the words of those that changed (changed.py).
# --fast: the unit tests with the dev build, and what reads recordings without perf;
#         for the day's work.
# --slow: besides all others, the tests marked "slow", which try a failure at each of
#         some hundred places and ask perf about everything anew; ThreadSanitizer and
#         clang-tidy of all files, not of those alone that changed; browsers,
#         databases and packages even if nothing changed for them; every compiler.
#
# Lanes work beside each other.  "records" has the tests that record and goes first;
# "readers" has all others and shares what is left with the other builds; both have two
# workers.  "builds", the tests that need these builds, comes last.
#
# A line each minute says what is at work and how long it may take
# (PERFPAIR_WATCH_S: each so many seconds), and what on this machine disturbs the
# tests: another recorder, a chroot (watch.py).  A run that a signal ends closes
# with its line, too, which counts what was done until then and one failure.
#
# What failed runs once more by itself.  A test that passes then has not failed, but
# it is a defect, and named as one.  Tests marked "final" (what went in must come
# out) have no second try.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/packages.sh

lane=${1---whole}
case $lane in
--change | --fast | --slow | --whole) ;;
*)
	echo "usage: tests/run.sh [--change | --fast | --slow]" >&2
	exit 2
	;;
esac
not_slow=" and not slow"
[ "$lane" != --slow ] || not_slow=

lacking=
install_for "$lane" || exit 1

results=build/results
rm -rf "$results"
mkdir -p "$results"
failed_steps=
begin=$(date +%s)
pace=0 # the niceness of steps
python=/usr/bin/python3
watch_pid=
# pytest rewrites assertions once for all lanes, and for the runs that follow.
unset PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX=$PWD/build/pycache
[ -d "$PYTHONPYCACHEPREFIX" ] && is_compiled=yes || is_compiled=
# What was compiled before, in whatever clone, is not compiled again.
! command -v ccache >/dev/null ||
	export CMAKE_C_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1
# By this word watch.py knows what belongs to this run.
export PERFPAIR_TESTS=$$ PERFPAIR_LANE=$lane
# The long ones that stay in one worker come first.
folders="tests/page tests/fleet tests/truth tests/peer tests/cli"
# To make the machines takes minutes, and 250 MB come from the net.
has_machines=
if [ "$lane" = --slow ] || [ -d build/machines ]; then
	has_machines=y
	folders="tests/machines $folders"
elif [ "$lane" = --whole ]; then
	echo "left    tests/machines: tests/machines/machines.sh --quick makes them"
fi
tidy=tests/cli/test_style.py::test_clang_tidy_finds_nothing

# job NICE LOG COMMAND...: starts it behind the shell, with a session of its own,
# so that a signal to this script ends it whole.  Sets job_pid; all that run
# stand in jobs.  The kernel weighs sessions against each other by the niceness of
# their autogroup, not by that of processes (sched(7)).
jobs=
as_nice='
	[ ! -w /proc/self/autogroup ] || echo "$0" >/proc/self/autogroup
	exec nice -n "$0" "$@"'
job() {
	level=$1
	log=$2
	shift 2
	setsid env --default-signal=INT sh -c "$as_nice" "$level" "$@" \
		>"$log" 2>&1 &
	job_pid=$!
	jobs="$jobs $job_pid"
}

# closing_line: adds up what was done, and is the last.  The status is the run's.
closing_line() {
	[ -z "$watch_pid" ] || {
		kill $watch_pid
		wait $watch_pid
	} 2>/dev/null
	PERFPAIR_LACKING=$lacking $python tests/count.py "$results" $failed_steps
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

# begin_step NAME COMMAND...: starts it with its output in a log.
begin_step() {
	name=$1
	shift
	touch "$results/$name.started"
	job $pace "$results/$name.log" "$@"
}

# end_step NAME PID: waits for it, and shows its output if it failed.
end_step() {
	seconds=$(stat -c %Y "$results/$1.started")
	if finished "$1" "$2"; then
		echo "ok      $1 ($(($(date +%s) - seconds)) s)"
	else
		echo "FAILED  $1"
		tail -n 60 "$results/$1.log"
		failed_steps="$failed_steps $1"
		return 1
	fi
}

# step NAME COMMAND...: both.
step() {
	begin_step "$@"
	end_step "$name" $job_pid
}

# unit PRESET: the unit tests and the fuzz replay of this build.
unit() {
	step "unit-$1" ctest --test-dir "build/$1" -j2 --output-on-failure \
		--timeout 300 --output-junit "$PWD/$results/unit-$1.xml"
}

# build PRESET [TARGET...]
build() {
	preset=$1
	shift
	[ $# -eq 0 ] || set -- --target "$@"
	step "build-$preset" sh -c "cmake --preset $preset &&
		cmake --build --preset $preset $*"
}

# pytest NICE NAME MARKS OPTION...: starts the Python tests of these marks.
pytest() {
	level=$1
	name=$2
	marks=$3
	shift 3
	touch "$results/$name.started"
	job "$level" "$results/$name.log" $python -m pytest -q --tb=short \
		-m "$marks$not_slow" -p no:cacheprovider \
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
	pytest 0 "$1-again" "$2 and not final" -p tests.count \
		--failed-of "$results/$1.xml"
	finished "$1-again" $job_pid
}

# machines: makes those of tests/machines anew; a lane is skipped if they cannot be had.
machines() {
	begin_step machines tests/machines/machines.sh make arm64 s390x
	wait $job_pid
	case $? in
	0) echo "ok      machines" ;;
	77)
		tail -n 1 "$results/machines.log"
		lacking="$lacking machines"
		;;
	*)
		echo "FAILED  machines"
		tail -n 60 "$results/machines.log"
		failed_steps="$failed_steps machines"
		;;
	esac
}

# others: what else is built, and the tests that need it.
others() {
	case ${idle-} in
	*static_recorder*) ;;
	*) step build-static cross/static.sh "$(uname -m)" ;;
	esac
	case ${idle-} in
	*machine*) ;;
	*) [ -z "$has_machines" ] || machines ;;
	esac
	# the sanitizers are those of the preset asan; the fuzz targets need more
	build fuzz && unit fuzz
	# the same inputs each time: what fails is a change of ours
	begin_step fuzz env FUZZ_SEED=1 tests/fuzz/run.sh 0.02
	fuzz_pid=$job_pid
	if [ "$lane" = --slow ] || $python tests/changed.py --threads; then
		build tsan perfpair-record perfpair $thread_tests &&
			step unit-tsan ctest --test-dir build/tsan -j2 \
				--output-on-failure -R "^($(echo $thread_tests |
					sed 's/test_/unit_/g; s/ /|/g'))\$" \
				--output-junit "$PWD/$results/unit-tsan.xml"
	fi
	[ "$lane" != --slow ] || step build-all tests/tools/build_all.sh
	end_step fuzz $fuzz_pid
}
thread_tests="test_epoch test_ring_reader test_drain test_drain_pool
	test_work_queue test_stack_resolver"

[ "$lane" != --whole ] || idle=$($python tests/changed.py --idle)
export PERFPAIR_IDLE="${idle-}"
[ -z "${idle-}" ] || echo "left    tests that nothing changed for, of: $idle"
$python tests/watch.py --machine "$results"
$python tests/watch.py "$results" "${PERFPAIR_WATCH_S-60}" &
watch_pid=$!

case $lane in
--change)
	build dev && step style $python -m pytest -q --tb=short -p no:cacheprovider \
		--junit-xml "$results/style.xml" tests/cli/test_style.py \
		tests/cli/test_rooms.py tests/cli/test_layers.py \
		tests/cli/test_words.py
	completed
	exit
	;;
--fast)
	build dev && unit dev
	folders="tests/peer tests/cli"
	pytest 0 readers "not records and not peer and not builds" -n 2 \
		--dist loadgroup
	finished readers $job_pid
	completed
	exit
	;;
esac

[ -n "$is_compiled" ] ||
	job 0 "$results/collect.log" $python -m pytest -q --collect-only \
		-p no:cacheprovider $folders
build dev perfpair-record perfpair manuals test_tools || {
	closing_line
	exit
}
pytest 0 records "records and not builds" -n 2 --dist loadgroup
records_pid=$job_pid
pytest 10 readers "not records and not builds" -n 2 --dist loadgroup
readers_pid=$job_pid
touch "$results/tidy.started"
job 19 "$results/tidy.log" $python -m pytest -q -p no:cacheprovider \
	--junit-xml "$results/tidy.xml" $tidy
tidy_pid=$job_pid
pace=10
others
pytest 5 builds builds
builds_pid=$job_pid

for name in builds readers records tidy; do
	eval "pid=\$${name}_pid"
	finished $name $pid
	eval "${name}_rc=\$?"
	grep -q '</testsuites>' "$results/$name.xml" 2>/dev/null ||
		failed_steps="$failed_steps $name"
done
[ $records_rc -eq 0 ] || again records "records and not builds"
[ $readers_rc -eq 0 ] || again readers "not records and not builds"
[ $builds_rc -eq 0 ] || again builds builds
! grep -q '^FAILED' "$results/tidy.log" || tail -n 60 "$results/tidy.log"

completed
