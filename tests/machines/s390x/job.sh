# What test_s390x.py looks at.
perfpair-record -q -e cpu-clock -F 500 -g -o own.data -- counted-no-omit
perfpair-record -q -a -e cpu-clock -F 500 -o system.data -- counted-omit
perfpair-record -e cpu-clock --call-graph dwarf -o none.data -- counted-omit \
	2>refusal.txt
perfpair-record -q -a -e sched:sched_switch -o switches.data -- counted-omit
(
	perfpair-record -q -a -e cpu-clock -e sched:sched_switch -F 500 -o killed &
	until [ -e killed ] && [ "$(wc -c <killed)" -gt 12000 ]; do
		sleep 1
	done
	kill -9 $!
	wait
) 2>/dev/null
