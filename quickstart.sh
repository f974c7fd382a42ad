#!/bin/sh
# quickstart.sh: from a fresh Debian 12 to a first profile, with nothing to
# edit: installs what is missing, builds, records five seconds of real work on
# all CPUs with callchains, and shows the report.  A user who may not record all
# CPUs gets what runs of his own.
set -eu
cd "$(dirname "$0")"
. tests/packages.sh

level=$(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null || echo 2)
where="on all CPUs"
all=-a
if [ "$(id -u)" != 0 ] && [ "$level" -gt 0 ]; then
	if [ "$level" -gt 2 ]; then
		echo "only root may record here: kernel.perf_event_paranoid" \
			"is $level" >&2
		exit 1
	fi
	echo "you may not record all CPUs (kernel.perf_event_paranoid is" \
		"$level, and you are not root): your own processes then"
	where="of your own"
	all=
fi

install_missing $BUILD_PACKAGES
bin=build/release
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "building $bin"
if ! { cmake --preset release && cmake --build --preset release; } \
	>"$work/build.log" 2>&1; then
	tail -n 40 "$work/build.log" >&2
	exit 1
fi

echo "recording five seconds $where: packing /usr/share, and what else runs"
"$bin/record/perfpair-record" $all -g -F 999 -o "$work/perf.data" -- sh -c '
	timeout 5 sh -c "while :; do
		tar -C /usr/share -cf - . 2>/dev/null | gzip -c | md5sum
	done" >/dev/null
	[ $? = 124 ]  # the time is up: as it should be
'

"$bin/report/perfpair" report --stdio --no-children -g none \
	--percent-limit 0.5 -i "$work/perf.data"
