#!/bin/sh
# usage: tests/tools/bare_debian.sh [ROOT]
#
# Builds the two packages, installs them in a bare Debian 12 that debootstrap
# makes in ROOT (a temporary folder by default), runs them there: records,
# reports, reads man pages; and removes them again.  Needs root and debootstrap.
set -eu
cd "$(dirname "$0")/../.."
mirror=$(sed -n 's/^URIs: *//p; s/^deb \(\[[^]]*\] \)\{0,1\}\([^ ]*\) .*/\2/p' \
	/etc/apt/sources.list.d/debian.sources /etc/apt/sources.list \
	2>/dev/null | head -n 1)
root=${1:-$(mktemp -d)}

tests/tools/debian_packages.sh build/packages >/dev/null
[ -x "$root/bin/sh" ] ||
	debootstrap --variant=minbase bookworm "$root" "$mirror" >/dev/null
trap 'umount "$root/proc"; [ -n "${1:-}" ] || rm -rf "$root"' EXIT
chmod 755 "$root" # apt and man run as users of their own
mount -t proc proc "$root/proc"
cp build/packages/*.deb "$root/tmp/"

inside() {
	chroot "$root" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"
}

apt() {
	inside apt-get -qq -o DPkg::Lock::Timeout=300 "$@"
}

# add PACKAGE...: with what it depends on and nothing else.
add() {
	apt -y install --no-install-recommends "$@" >/dev/null
}

# has_file PATH...: what exists of these.
has_file() {
	inside sh -c 'for path in "$@"; do [ ! -e "$path" ] || echo "$path"; done' \
		sh "$@"
}

apt update
add man-db
add "/tmp/$(cd build/packages && echo perfpair-record_*.deb)"
if inside sh -c 'dpkg -l libdw1 2>/dev/null | grep -q ^ii'; then
	echo "the recorder brought elfutils with it" >&2
	exit 1
fi
inside perfpair-record -e cpu-clock -g -o /tmp/perf.data -- \
	sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done'
add "/tmp/$(cd build/packages && echo perfpair_*.deb)"
inside perfpair report --stdio -g none -i /tmp/perf.data | head -n 20
inside perfpair version
for page in perfpair perfpair-report perfpair-record; do
	inside man -P cat "$page" >"$root/tmp/$page.txt" || {
		echo "man $page fails (does dpkg drop pages here?)" >&2
		exit 1
	}
	echo "man $page: $(wc -l <"$root/tmp/$page.txt") lines," \
		"$(grep -A 1 '^NAME$' "$root/tmp/$page.txt" | tail -n 1)"
done

files=$(inside dpkg -L perfpair perfpair-record | grep -E '/.*perfpair' |
	sort -u)
apt -y purge perfpair perfpair-record >/dev/null
left=$(has_file $files)
[ -z "$left" ] || {
	echo "files are left after the removal: $left" >&2
	exit 1
}
echo "removed: none of $(echo "$files" | wc -l) files is left"
