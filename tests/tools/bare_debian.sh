#!/bin/sh
# usage: tests/tools/bare_debian.sh [ROOT]
#
# Builds the two packages, installs them in a bare Debian 12 that debootstrap
# makes in ROOT (a temporary folder by default), and runs them there: records,
# reports, shows a man page.  Needs root and debootstrap.
set -eu
cd "$(dirname "$0")/../.."
mirror=$(sed -n 's/^URIs: *//p; s/^deb \(\[[^]]*\] \)\{0,1\}\([^ ]*\) .*/\2/p' \
	/etc/apt/sources.list.d/debian.sources /etc/apt/sources.list \
	2>/dev/null | head -n 1)
root=${1:-$(mktemp -d)}

cmake --preset release >/dev/null
cmake --build --preset release >/dev/null
(cd build/release && rm -f ./*.deb && cpack >/dev/null)
[ -x "$root/bin/sh" ] ||
	debootstrap --variant=minbase bookworm "$root" "$mirror" >/dev/null
trap 'umount "$root/proc"; [ -n "${1:-}" ] || rm -rf "$root"' EXIT
mount -t proc proc "$root/proc"
cp build/release/*.deb "$root/tmp/"
inside() {
	chroot "$root" env DEBIAN_FRONTEND=noninteractive "$@"
}
inside sh -c 'apt-get -qq update && apt-get -qq -y install \
	--no-install-recommends /tmp/perfpair-record_*.deb >/dev/null'
if inside sh -c 'dpkg -l libdw1 2>/dev/null | grep -q ^ii'; then
	echo "the recorder brought elfutils with it" >&2
	exit 1
fi
inside perfpair-record -e cpu-clock -g -o /tmp/perf.data -- \
	sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done'
inside sh -c 'apt-get -qq -y install --no-install-recommends \
	/tmp/perfpair_*.deb >/dev/null'
inside perfpair report --stdio -g none -i /tmp/perf.data | head -n 20
inside perfpair version
inside test -s /usr/share/man/man1/perfpair-report.1 ||
	echo "this Debian drops man pages (dpkg's path-exclude)"
