# What test_arm64.py looks at.
count() {
	name=$1
	shift
	perfpair-record stat -j -o "$name.json" -e "$@"
}
record() {
	name=$1
	shift
	perfpair-record -q -o "$name.data" "$@"
}

r8=r8:u,r8:u,r8:u
count modes instructions:u,instructions:k,instructions,cycles:u -- counted-omit
count group '{instructions:u,r0:u,cycles:u}' -- counted-omit
count turns $r8,$r8,$r8 -- counted-omit
record period -e cycles:u,instructions:u -c 700001 -- counted-omit
record frequency -e cycles:u -F 2000 -- counted-omit
record members -e '{cycles:u,r0:u,instructions:u}:S' -c 700001 -- counted-omit
record chain -e cycles:u -c 470021 -g -- counted-no-omit
record dwarf -e cycles:u -c 470021 --call-graph dwarf,1024 -- counted-omit
record system -a -e cycles -F 1000 -g -- counted-omit
perfpair-record stat -o cores.txt -x, -e cpu/cpu_cycles/u,cpu/cycles/u -- counted-omit
perfpair-record -e branches -o none.data -- counted-omit 2>refusal.txt
mkdir /sys/fs/cgroup/web
perfpair-record -e cycles -G web -o none.data -a -- counted-omit 2>group.txt

# known changes, in thousandths
for nr in 1 2; do # in turn
	count again instructions:u,cycles:u --append -- counted-omit
	for side in omit plus-1 plus-10 plus-100; do
		count "$side" instructions:u,cycles:u --append -- \
			"counted-$side"
	done
done
for nr in 1 2 3; do
	record omit-$nr -e cycles:u -c 100003 -- counted-omit
	record plus-100-$nr -e cycles:u -c 100003 -- counted-plus-100
done
perfpair-record stat -a -j -o ipc.json -M ipc -- sleep 0.05
