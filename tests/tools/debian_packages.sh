#!/bin/sh
# usage: tests/tools/debian_packages.sh FOLDER
#
# Builds the Debian packages of this tree, as it lies here and without running
# its tests, and leaves them in FOLDER.  dpkg-buildpackage writes them beside the
# tree, so it gets a copy of the tree in FOLDER.
set -eu
[ $# -eq 1 ] || {
	sed -n 's/^# usage/usage/p' "$0" >&2
	exit 2
}
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."

rm -rf "$folder/perfpair" "$folder"/*.deb "$folder"/perfpair_*
mkdir "$folder/perfpair"
tar -cf - --exclude=./build --exclude=./.git . |
	tar -xf - -C "$folder/perfpair"
cd "$folder/perfpair"
# debhelper gives the compiler another home
ccache=${CCACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/ccache}
CCACHE_DIR=$ccache CCACHE_BASEDIR=$folder/perfpair DEB_BUILD_OPTIONS=nocheck \
	dpkg-buildpackage -b -us -uc
rm -rf "$folder/perfpair"
