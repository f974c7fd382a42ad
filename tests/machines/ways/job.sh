# What test_ways.py looks at: each way to record, by this recorder and by the perf
# of that suite, and what that perf prints of all of them.
CLOCK="-e cpu-clock -F 400"
FIELDS=comm,pid,tid,time,event
CALLS=syscalls:sys_enter_getppid

# record WAY OPTION...: what the recorder says lies in WAY.said.
record() {
	way=$1
	shift
	# which is shown if the machine does not end
	echo "$way $(cut -d . -f 1 /proc/uptime) s" >/dev/console
	timeout 600 perfpair-record -o "$way.data" "$@" 2>"$way.said" >"$way.told" ||
		echo "$way: $?: $(tail -n 1 "$way.said")"
}
# there WORD...: perf.
there() {
	chroot /perf /usr/bin/env -C /out "/usr/bin/$perf" "$@"
}
# until_there PATTERN: a file of more than a header has such a name.
until_there() {
	for turn in $(seq 300); do
		[ -z "$(find . -name "$1" -size +3k)" ] || return
		sleep 0.1
	done
}
perf=$(cd /perf/usr/bin 2>/dev/null && ls perf_5* perf 2>/dev/null | head -n 1)

record default -- counted-omit
record chain $CLOCK -g -- counted-no-omit
record system $CLOCK -a -g -- truth-crew 300
case $(uname -m) in
ppc64le | s390x) ;; # whose registers the recorder does not know
*) record dwarf $CLOCK --call-graph dwarf,2048 -- truth-callers 300 ;;
esac
record waits $CLOCK --off-cpu -g -- truth-serial 5 20
record waits-of-all $CLOCK --off-cpu -g -a -- truth-serial 5 20
record tracepoints -a -e sched:sched_switch,sched:sched_process_exec -- truth-idle 5 20
record calls -e $CALLS -c 1 -- truth-counted 1000
record threads $CLOCK -a -g --threads=2 -- truth-crew 300
record overwrite $CLOCK -a --overwrite -- truth-crew 300
record slices $CLOCK -a --switch-output=1s --duration 1500ms
record build-ids $CLOCK --buildid-mmap -- counted-omit
record addresses $CLOCK -d -W -T --per-thread -- counted-omit
echo +pids >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/web
record cgroup -a $CLOCK -G web -- sh -c '
	echo $$ >/sys/fs/cgroup/web/cgroup.procs; exec counted-omit'
record cgroups -a -g $CLOCK --all-cgroups -- sh -c '
	echo $$ >/sys/fs/cgroup/web/cgroup.procs; exec counted-omit'
truth-tick 3600000 >/dev/null &
task=$!
record attached $CLOCK -g -p $task --duration 1s
perfpair-record -q $CLOCK -a -g -o killed.data 2>killed.said &
recorder=$!
until_there killed.data
kill -9 $recorder
wait $recorder 2>/dev/null
cat >service.conf <<-end
	all-cpus
	event = cpu-clock
	freq = 99
	call-graph = fp
	sideband = sampled
	switch-output = 1s
	output = service.data
	quiet
end
perfpair-record --config service.conf 2>service.said &
recorder=$!
until_there 'service.data.*'
kill -USR2 $recorder
sleep 1
kill -TERM $recorder
wait $recorder 2>/dev/null
kill $task
wait $task 2>/dev/null
perfpair-record -q $CLOCK -g -o - -- counted-no-omit >pipe.data 2>pipe.said
perfpair-record stat -x, -o stat.csv -e $CALLS,page-faults:u -- truth-counted 1000 \
	>stat.told
perfpair-record stat -x, -o pmu.csv -e cycles:u,instructions:u -- counted-omit \
	2>pmu.said
cat /proc/kallsyms >kallsyms
uname -r >release

for path in *.data *.data.[0-9]*; do
	# each look for names reads the whole of kallsyms, which takes seconds
	case $path in
	tracepoints* | calls*) fields=$FIELDS,trace ;;
	chain* | system* | dwarf* | attached* | pipe*)
		fields=$FIELDS,period,ip,sym,symoff,dso ;;
	*) fields=$FIELDS,period,ip ;;
	esac
	echo $fields >"$path.fields"
done

[ -n "$perf" ] || exit
there record -q -o by-perf-chain.data $CLOCK -g -- counted-no-omit
there record -q -o by-perf-dwarf.data $CLOCK --call-graph dwarf,2048 -- \
	truth-callers 300 >/dev/null
there record -q -o by-perf-system.data $CLOCK -a -g -- truth-crew 300 >/dev/null
there stat -x, -o stat-by-perf.csv -e $CALLS,page-faults:u -- truth-counted 1000 \
	>/dev/null
there stat -x, -o pmu-by-perf.csv -e cycles:u,instructions:u -- counted-omit \
	2>/dev/null
for path in by-perf*.data; do
	cp chain.data.fields "$path.fields"
done
for fields in *.fields; do
	path=${fields%.fields}
	echo "$path $(cut -d . -f 1 /proc/uptime) s" >/dev/console
	there script -F "$(cat "$fields")" --show-task-events --show-mmap-events \
		-i "$path" >"$path.by-perf" 2>"$path.perf-said"
done
there version >perf-version
