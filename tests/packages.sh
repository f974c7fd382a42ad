# packages.sh: Debian packages by purpose, and how to install what is missing.
# Sourced by quickstart.sh and tests/run.sh.

BUILD_PACKAGES="cmake ninja-build gcc libc6-dev pkg-config libzstd-dev
	libxxhash-dev libelf-dev libdw-dev libcapstone-dev libjansson-dev
	liblzma-dev zlib1g-dev libiberty-dev libtraceevent-dev"
TEST_PACKAGES="libcmocka-dev python3 python3-pytest linux-perf clang
	libclang-rt-14-dev clang-format clang-tidy g++ binutils strace git
	libpfm4 protobuf-compiler tmux procps"
# Without these the tests of the page are skipped.
PAGE_PACKAGES="python3-selenium chromium chromium-driver firefox-esr"
# Without these the tests of the Debian packages are skipped.
DEBIAN_PACKAGES="debhelper lintian"
# Without these the tests of a fleet in ClickHouse are skipped.
FLEET_PACKAGES="clickhouse-server clickhouse-client"
FUZZ_PACKAGES="afl++ clang libclang-rt-14-dev libcmocka-dev"

# install_missing PACKAGE...: apt-get only where dpkg does not have it already.
install_missing() {
	missing=
	for package in "$@"; do
		dpkg-query -W -f '${Status}' "$package" 2>/dev/null |
			grep -q 'ok installed' || missing="$missing $package"
	done
	[ -z "$missing" ] && return 0
	as_root=
	if [ "$(id -u)" != 0 ]; then
		command -v sudo >/dev/null || {
			echo "packages are missing, and neither root nor" \
				"sudo is there; as root:" \
				"apt-get install$missing" >&2
			return 1
		}
		as_root=sudo
	fi
	echo "installing:$missing"
	$as_root apt-get -qq update &&
		$as_root env DEBIAN_FRONTEND=noninteractive \
			apt-get -qq -y install --no-install-recommends \
			$missing >/dev/null
}
