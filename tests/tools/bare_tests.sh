#!/bin/sh
# usage: tests/tools/bare_tests.sh SUITE FOLDER [LANE [USER]]
#
# Makes a bare Debian of SUITE (bookworm, trixie) in FOLDER by debootstrap, and
# a copy of it for root and one for a user who has sudo (or for USER, root or user,
# alone) runs quickstart.sh and tests/run.sh LANE (--fast by default) of this
# commit.  Says what systemd would start afterwards and not before, and what is left
# running.  What was printed is in FOLDER/root.log and FOLDER/user.log.  Needs root.
set -eu
[ $# -ge 2 ] || {
	sed -n 's/^# usage/usage/p' "$0" >&2
	exit 2
}
suite=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
lane=${3:---fast}
cd "$(dirname "$0")/../.."
mirror=$(sed -n 's/^URIs: *//p; s/^deb \(\[[^]]*\] \)\{0,1\}\([^ ]*\) .*/\2/p' \
	/etc/apt/sources.list.d/debian.sources /etc/apt/sources.list \
	2>/dev/null | head -n 1)
[ -e "$folder/bare/bin/sh" ] || debootstrap --variant=minbase \
	--include=ca-certificates,sudo "$suite" "$folder/bare" "$mirror" \
	>/dev/null

# inside NAME USER COMMAND...: in a copy, by that user.
inside() {
	root=$folder/$1
	user=$2
	shift 2
	path=/usr/local/bin:/usr/bin:/bin
	[ "$user" != root ] || path=$path:/usr/sbin:/sbin
	chroot "$root" setpriv --reuid "$user" --regid "$user" --init-groups \
		env -i "HOME=/home/$user" PATH=$path \
		LC_ALL=C.UTF-8 sh -c 'cd "$HOME/perfpair" && exec "$@"' sh "$@"
}

enabled() {
	systemctl list-unit-files --root="$1" --no-legend --no-pager |
		awk '$2 ~ /^enabled/ { print $1 }'
}

# running ROOT: what has it as its root.
running() {
	for process in /proc/[0-9]*; do
		[ "$(readlink "$process/root")" != "$1" ] ||
			tr '\0' ' ' <"$process/cmdline"
	done
}

# try NAME USER: in a new copy.
try() {
	root=$folder/$1
	user=$2
	! mountpoint -q "$root/proc" || umount "$root/proc"
	rm -rf --one-file-system "$root"
	cp -a "$folder/bare" "$root"
	[ "$user" = root ] || chroot "$root" useradd -m "$user"
	mkdir -p "$root/home/$user"
	echo "$user ALL=(ALL) NOPASSWD: ALL" >"$root/etc/sudoers.d/$user"
	git clone -q . "$root/home/$user/perfpair"
	chroot "$root" chown -R "$user:$user" "/home/$user"
	enabled "$root" >"$folder/$1.before"
	mount -t proc proc "$root/proc"
	rc=0
	{
		inside "$1" "$user" ./quickstart.sh &&
			inside "$1" "$user" tests/run.sh "$lane"
	} >"$folder/$1.log" 2>&1 || rc=$?
	echo "$suite, $user: exit status $rc: $(tail -n 1 "$folder/$1.log")"
	running "$root"
	umount "$root/proc"
	enabled "$root" | diff "$folder/$1.before" - |
		sed -n "s/^>/$suite, $user: systemd starts/p"
}

case ${4-} in
root) try root root ;;
user) try user tester ;;
*)
	try root root
	try user tester
	;;
esac
