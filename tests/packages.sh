# packages.sh: Debian packages by purpose, and how to install what is missing.
# Sourced by quickstart.sh, tests/run.sh and tests/fuzz/afl.sh, in the root of the
# tree.  Nothing that is installed here is started, now or at the next boot.

BUILD_PACKAGES="cmake ninja-build gcc libc6-dev pkg-config libzstd-dev
	libxxhash-dev libelf-dev libdw-dev libcapstone-dev libjansson-dev
	liblzma-dev zlib1g-dev libiberty-dev libtraceevent-dev"
# What tests/run.sh --fast needs besides.
FAST_PACKAGES="libcmocka-dev python3 python3-pytest python3-pytest-xdist"
# What tests/run.sh --change needs besides.
STYLE_PACKAGES="clang-format clang-tidy git"
[ "$(dpkg --print-architecture)" != amd64 ] ||
	STYLE_PACKAGES="$STYLE_PACKAGES libc6-dev-i386"
# What the whole run needs besides; single tests are skipped without one of them.
TEST_PACKAGES="linux-perf clang lld libclang-rt-dev ccache g++ binutils strace
	libpfm4 libseccomp2 protobuf-compiler tmux procps golang-go zsh fish"
# Without these the tests of the page are skipped.
PAGE_PACKAGES="python3-selenium chromium chromium-driver firefox-esr"
# Without these the tests of the Debian packages are skipped.
DEBIAN_PACKAGES="debhelper lintian"
# Without these the tests of a fleet in ClickHouse are skipped.
FLEET_PACKAGES="clickhouse-server clickhouse-client"
FUZZ_PACKAGES="afl++ clang libclang-rt-dev libcmocka-dev"

# missing_of PACKAGE...: those that dpkg does not have.
missing_of() {
	for package in "$@"; do
		dpkg-query -W -f '${Status}' "$package" 2>/dev/null |
			grep -q 'ok installed' || printf ' %s' "$package"
	done
}

# list_missing PACKAGE...: a line with what add_missing installs.
list_missing() {
	missing=$(missing_of "$@")
	[ -z "$missing" ] || echo "installing:$missing"
}

# apt_get WORD...: waits for five minutes for whoever else installs.  Of dpkg's
# lock apt-get knows how to wait, of those of its lists and downloads it does not.
apt_get() {
	end=$(($(date +%s) + 300))
	waits=
	until said=$($as_root env LC_ALL=C DEBIAN_FRONTEND=noninteractive \
		apt-get -qq -o DPkg::Lock::Timeout=300 "$@" 2>&1 >/dev/null); do
		case $said in
		*"Could not get lock"*) ;;
		*) end=0 ;;
		esac
		if [ "$(date +%s)" -ge $end ]; then
			echo "$said" >&2
			return 1
		fi
		[ -n "$waits" ] || echo "waiting: $said" | head -n 1
		waits=yes
		sleep 5
	done
}

# keep_stopped PACKAGE...: systemd starts none of their units, nor what a template
# is enabled as (getty@tty1.service).
keep_stopped() {
	units=$(dpkg -L "$@" | sed -n \
		's,.*/systemd/\(system\|user\)/\([^/]*\.[a-z]*\)$,\2,; T
		s,@[.],@*.,; p')
	[ -n "$units" ] || return 0
	[ ! -d /run/systemd/system ] ||
		$as_root systemctl stop $units 2>/dev/null || :
	for unit in $units; do
		$as_root find /etc/systemd -type l -name "$unit" -delete
	done
}

# add_missing PACKAGE...: installs what dpkg does not have.
add_missing() {
	missing=$(missing_of "$@")
	[ -n "$missing" ] || return 0
	as_root=
	[ "$(id -u)" = 0 ] || as_root=sudo
	add_by_apt && return
	[ -z "$as_root" ] || echo "packages are missing, and sudo does not" \
		"install them; as root: apt-get install$missing" >&2
	return 1
}

add_by_apt() {
	[ -z "$as_root" ] || command -v sudo >/dev/null || return 1
	[ -n "${lists_are_new-}" ] || apt_get update || return 1
	lists_are_new=yes
	# with what they depend on; that of which apt names a version is there
	new=$(apt-get -s install --no-install-recommends $missing |
		sed -n 's/^Inst \([^ ]*\) (.*/\1/p')
	apt_get -y install --no-install-recommends $missing || return 1
	[ -z "$new" ] || keep_stopped $new
}

# install_missing PACKAGE...: says what it installs, and does.
install_missing() {
	list_missing "$@"
	add_missing "$@"
}

# unpack_clickhouse: has it below build/clickhouse, with the libraries that the
# system lacks, if it is not installed.  Needs no root: apt's lists are its own.
unpack_clickhouse() {
	(
		PATH=$PATH:/usr/sbin:$PWD/build/clickhouse/bin
		clickhouse-client --version || exit
		clickhouse-server --help
		[ $? != 127 ] # not there, or without its libraries
	) >/dev/null 2>&1 && return
	echo "unpacking below build/clickhouse: $FLEET_PACKAGES"
	folder=$PWD/build/clickhouse
	rm -rf "$folder"
	mkdir -p "$folder/bin" "$folder/apt/lists/partial" \
		"$folder/apt/archives/partial"
	# as root apt would give the download to a user who cannot write here
	set -- -qq -o "Dir::State::lists=$folder/apt/lists" \
		-o "Dir::Cache=$folder/apt" -o "APT::Sandbox::User=$(id -un)" \
		-o Debug::NoLocking=1
	apt-get "$@" update >/dev/null &&
		apt-get "$@" -y --download-only --no-install-recommends \
			install $FLEET_PACKAGES >/dev/null || return 1
	for package in "$folder"/apt/archives/*.deb; do
		dpkg-deb -x "$package" "$folder/root" || return 1
	done
	rm -r "$folder/apt"
	libraries=$(find "$folder/root" -name '*.so*' -printf '%h\n' |
		sort -u | paste -sd :)
	for path in "$folder"/root/usr/bin/clickhouse-client \
		"$folder"/root/usr/sbin/clickhouse-server; do
		{
			echo '#!/bin/sh'
			echo "LD_LIBRARY_PATH='$libraries' exec '$path'" '"$@"'
		} >"$folder/bin/${path##*/}"
		chmod +x "$folder/bin/${path##*/}" && [ -x "$path" ] || return 1
	done
}

# install_for --change|--fast|--whole|--slow: what tests/run.sh needs for it.  Fails if the
# tests cannot run without what is missing; lacking gets the words of what else is.
install_for() {
	lacking=
	needed="$BUILD_PACKAGES $FAST_PACKAGES"
	case $1 in
	--change) needed="$needed $STYLE_PACKAGES" ;;
	--whole | --slow) needed="$needed $STYLE_PACKAGES $TEST_PACKAGES" ;;
	esac
	list_missing $needed
	case $1 in
	--change | --fast)
		add_missing $needed
		return
		;;
	esac
	list_missing $PAGE_PACKAGES
	list_missing $DEBIAN_PACKAGES
	add_missing $needed || return
	add_missing $PAGE_PACKAGES || {
		echo "no browser can be installed: tests of the page are skipped"
		lacking="$lacking browsers"
	}
	add_missing $DEBIAN_PACKAGES || {
		echo "no debhelper can be installed: tests of packages are skipped"
		lacking="$lacking debhelper"
	}
	unpack_clickhouse || {
		echo "no ClickHouse can be unpacked: tests of a fleet in it are skipped"
		lacking="$lacking ClickHouse"
	}
}
