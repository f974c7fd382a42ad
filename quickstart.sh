#!/bin/sh
# quickstart.sh: from a fresh Debian 12 to a first profile, with nothing to
# edit: installs what is missing, builds, records five seconds of real work on
# all CPUs with callchains, and shows the report.
set -eu
cd "$(dirname "$0")"
. tests/packages.sh

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

echo "recording five seconds on all CPUs: packing /usr/share, and what else runs"
"$bin/record/perfpair-record" -a -g -F 999 -o "$work/perf.data" -- sh -c '
	timeout 5 sh -c "while :; do
		tar -C /usr/share -cf - . 2>/dev/null | gzip -c | md5sum
	done" >/dev/null
	[ $? = 124 ]  # the time is up: as it should be
'

"$bin/report/perfpair" report --stdio --no-children -g none \
	--percent-limit 0.5 -i "$work/perf.data"
