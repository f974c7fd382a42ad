#!/bin/sh
# usage: cross/static.sh x86_64|aarch64 [BUILD_FOLDER]
#
# Builds perfpair-record as one static file that runs on any Linux of that
# machine.  For the other machine it needs Debian's gcc-aarch64-linux-gnu; the
# two libraries come out of Debian's own packages for arm64, fetched by apt with
# lists of its own below the build folder, so that neither root nor
# dpkg --add-architecture is needed and the system stays as it is.
set -e
root=$(cd "$(dirname "$0")/.." && pwd)
arch=$1
case $arch in
x86_64 | aarch64) ;;
*)
	sed -n 's/^# usage/usage/p' "$0" >&2
	exit 2
	;;
esac
build=$(mkdir -p "${2:-$root/build/static-$arch}" && cd \
	"${2:-$root/build/static-$arch}" && pwd)

fetch_arm64() {
	mkdir -p "$build/apt/lists/partial" "$build/apt/cache/archives/partial"
	options="-qq -o Dir::State::lists=$build/apt/lists
		-o Dir::Cache=$build/apt/cache
		-o APT::Architecture=arm64 -o APT::Architectures=arm64"
	# as root apt would give the download to a user who cannot write here
	options="$options -o APT::Sandbox::User=$(id -un)"
	(cd "$build/apt" && apt-get $options update &&
		apt-get $options download libzstd-dev libxxhash-dev)
	for package in "$build"/apt/*.deb; do
		dpkg-deb -x "$package" "$PERFPAIR_SYSROOT"
	done
}

if [ "$arch" = aarch64 ] && [ "$(uname -m)" != aarch64 ]; then
	command -v aarch64-linux-gnu-gcc >/dev/null || {
		echo "gcc-aarch64-linux-gnu is not installed" >&2
		exit 1
	}
	export PERFPAIR_SYSROOT="$build/sysroot"
	libs=$PERFPAIR_SYSROOT/usr/lib/aarch64-linux-gnu
	[ -e "$libs/libzstd.a" ] || fetch_arm64
	export PKG_CONFIG_SYSROOT_DIR="$PERFPAIR_SYSROOT"
	export PKG_CONFIG_LIBDIR="$libs/pkgconfig"
	toolchain="-DCMAKE_TOOLCHAIN_FILE=$root/cross/aarch64.cmake"
fi
cmake -S "$root" -B "$build" -G Ninja $toolchain -DPERFPAIR_STATIC=ON \
	-DPERFPAIR_REPORT=OFF -DBUILD_TESTING=OFF \
	-DCMAKE_BUILD_TYPE=RelWithDebInfo >/dev/null
cmake --build "$build" --target perfpair-record -j "${PERFPAIR_JOBS:-2}" \
	>/dev/null
echo "$build/record/perfpair-record"
