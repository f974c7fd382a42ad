# debian_root.sh: Debians that lie unpacked in build/all, with programs and with
# libraries of other machines, fetched by apt with lists of its own; the system
# stays as it is.  They are entered by chroot in a mount namespace; an ordinary
# user gets a user namespace, too.  Sourced in the root of the tree by
# tests/tools/build_all.sh and tests/machines/machines.sh.
#
# Those named debian12 and debian13 run here; one named SUITE-ARCH is a whole other
# machine's.
src=$PWD
all=$src/build/all
native=$(dpkg --print-architecture 2>/dev/null)

# apt_as ROOT ARCH ARGUMENT...: apt-get (apt_program), as on a machine ARCH that has
# what was unpacked for it in that root.
apt_as() {
	apt=$all/apt/$1-$2
	apt_arch=$2
	shift 2
	# as root apt would give downloads to a user who cannot write here
	(cd "$apt" && ${apt_program-apt-get} -o quiet=2 \
		-o APT::Get::Assume-Yes=true -o Dir::State="$apt" \
		-o Dir::State::status="$apt/status" -o Dir::Cache="$apt/cache" \
		-o Dir::Etc::sourcelist="$apt/sources.list" \
		-o Dir::Etc::sourceparts=- -o APT::Architecture="$apt_arch" \
		-o APT::Architectures="$apt_arch" \
		-o APT::Install-Recommends=false \
		-o APT::Sandbox::User="$(id -un)" "$@")
}

# apt_lists ROOT ARCH: what packages there are.
apt_lists() {
	apt=$all/apt/$1-$2
	[ ! -e "$apt/updated" ] || return 0
	mirror=$(sed -n '
		s/^URIs: *//p
		s/^deb \(\[[^]]*\] \)\{0,1\}\([^ ]*\) .*/\2/p' \
		/etc/apt/sources.list.d/debian.sources /etc/apt/sources.list \
		2>/dev/null | head -n 1)
	keyring=$(ls /usr/share/keyrings/debian-archive-keyring.*)
	kinds=deb
	case $1 in
	debian12) suites=bookworm kinds="deb deb-src" ;;
	debian13) suites=trixie kinds="deb deb-src" ;;
	*-backports-*) suites="${1%-backports-*} ${1%-"$2"}" ;;
	*) suites=${1%-"$2"} ;;
	esac
	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
	: >"$apt/status"
	for apt_suite in $suites; do
		for kind in $kinds; do
			echo "$kind [signed-by=$keyring] $mirror $apt_suite main"
		done
	done >"$apt/sources.list"
	apt_as "$1" "$2" update && touch "$apt/updated"
}

# unpack ROOT ARCH PACKAGE...: with what they depend on; of another machine's
# packages in a root that runs here all but programs.  Fails if they cannot be had.
unpack() {
	root=$all/$1
	case $1,$2 in
	*-"$2,$2") only="--exclude=./usr/share/doc --exclude=./usr/share/man
		--exclude=./usr/share/locale" ;;
	*,"$native") only= ;;
	*) only="--exclude=./bin --exclude=./sbin
		--exclude=./usr/bin --exclude=./usr/sbin" ;;
	esac
	apt_lists "$1" "$2" || return 1
	root_name=$1
	root_arch=$2
	shift 2
	apt_as "$root_name" "$root_arch" --download-only install "$@" || {
		rm "$apt/updated" # there may be newer ones
		return 1
	}
	mkdir -p "$root/src" "$root/proc" "$root/dev" "$root/tmp"
	for deb in "$apt"/cache/archives/*.deb; do
		[ -e "$deb" ] || continue
		# tar, since dpkg -x would replace a link by a folder
		dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$root" \
			--keep-directory-symlink --no-same-owner $only &&
			dpkg-deb -f "$deb" >"$apt/control" || return 1
		{
			cat "$apt/control"
			echo "Status: install ok installed"
			echo
		} >>"$apt/status"
		rm "$deb"
	done
}

# inside COMMAND...: runs it in the Debian $system, this tree being /src.
namespace=--mount
[ "$(id -u)" = 0 ] || namespace="--mount --map-root-user"
inside() {
	unshare $namespace sh -c 'root=$1 && src=$2 && shift 2 &&
		mount --rbind /dev "$root/dev" &&
		mount --rbind /proc "$root/proc" &&
		mount --bind "$src" "$root/src" && exec chroot "$root" env -i \
		PATH=/usr/bin:/bin HOME=/tmp LC_ALL=C.UTF-8 "$@"' \
		sh "$all/$system" "$src" "$@"
}
