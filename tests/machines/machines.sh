#!/bin/sh
# usage: tests/machines/machines.sh --quick
#        tests/machines/machines.sh --all [PYTEST_OPTION...]
#        tests/machines/machines.sh make [--with-perf] [MACHINE...]
#        tests/machines/machines.sh run [--with-perf] MACHINE JOB_FOLDER OUT_FOLDER
#
# Machines of other kinds, emulated by QEMU (TCG; no /dev/kvm, no root), out of
# Debian packages alone: table.txt.
#
# --quick makes arm64 and s390x and runs their own tests; --all makes every machine
# and runs all tests.  "make", of all without a name, has the static recorder and
# the programs in build/machines/programs-ARCH, a kernel and an initrd in
# build/machines/MACHINE, and with --with-perf perf and what it needs as a disk, if
# the mirror has them; if other packages cannot be had it says "skipped MACHINE:
# why" and exits with 77.  "run" boots it: job.sh of the folder is run in /out, a
# folder in memory, with the recorder and the programs in PATH; what it leaves
# there, its output in log.txt, comes to OUT_FOLDER.  A file "qemu" in the folder
# has options of QEMU in place of those of two CPUs.
#
# QEMU, cross compilers and what machines have of Debian lie in build/all
# (tests/tools/debian_root.sh).
#
# PERFPAIR_JOBS: how many compilers run at a time, one for each CPU by default.
set -u
with_perf=
if [ "${2-}" = --with-perf ]; then
	with_perf=y
	verb=$1
	shift 2
	set -- "$verb" "$@"
fi
job_folder=$(readlink -f -- "${3-}")
out_folder=$(readlink -m -- "${4-}")
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/debian_root.sh
machines=$src/build/machines
system=debian13
absent=77
BOOT_S=3600 # more than a boot and a job may take beside much other work
OF_QUICK="arm64 s390x"

usage() {
	sed -n '/^# usage/,/^#$/s/^# //p' tests/machines/machines.sh >&2
	exit 2
}

# machine NAME: sets what it is made of.
machine() {
	name=$1
	read -r arch suite cpu linux <<-end
		$(sed -n "s/^machine $1  *//p" tests/machines/table.txt)
	end
	[ -n "$arch" ] || usage
	read -r prefix console package emulator <<-end
		$(sed -n "s/^arch $arch  *//p" tests/machines/table.txt)
	end
	folder=$machines/$name
	inner=/src/build/machines/$name
	perf=$all/$suite-$arch.img
	programs=$machines/programs-$arch
	inner_programs=/src/build/machines/programs-$arch
}

# fetch SUITE ROOT PACKAGE...: unpacks single packages of the machine there, without
# what they depend on.
fetch() {
	lists=$1-$arch
	to=$2
	shift 2
	apt_lists "$lists" "$arch" && mkdir -p "$to" || return 1
	for single in "$@"; do
		rm -f "$all/apt/$lists-$arch"/*.deb
		apt_as "$lists" "$arch" download "$single" &&
			dpkg-deb -x "$all/apt/$lists-$arch"/*.deb "$to" ||
			return 1
	done
}

# kernel_file: in /boot, or with its modules.
kernel_file() {
	find "$folder/root" -name 'vmlinu*' -type f 2>/dev/null
}

# a_kernel: the newest that can be had; a mirror may lag behind its lists.  Newer
# suites have the modules in a package of their own.
a_kernel() {
	[ -z "$(kernel_file)" ] || return 0
	apt_lists "$suite-$arch" "$arch" || return 1
	for kernel in $(apt_program=apt-cache apt_as "$suite-$arch" "$arch" \
		pkgnames linux- | grep -x "$linux" | grep -v -e -rt- | sort -rV); do
		case $kernel in
		linux-binary-*) modules=linux-modules-${kernel#linux-binary-} ;;
		*) modules= ;;
		esac
		! fetch "$suite" "$folder/root" "$kernel" $modules || return 0
	done
	return 1
}

# packages: all that comes from outside.
packages() {
	unshare $namespace true || return 1
	compiler="gcc-$(echo "$prefix" | tr _ -) libc6-dev-$arch-cross"
	[ "$arch" != "$native" ] || compiler="gcc libc6-dev"
	[ -x "$all/$system/usr/bin/${emulator%% *}" ] &&
		[ -x "$all/$system/usr/bin/$prefix-gcc" ] ||
		unpack "$system" "$native" base-files coreutils cpio dash \
			e2fsprogs findutils cmake ninja-build pkg-config \
			$compiler "$package" || return 1
	triplet=$(echo "$prefix" | sed 's/^i686/i386/')
	[ -e "$all/$system/usr/lib/$triplet/libzstd.a" ] ||
		fetch trixie "$all/$system" libzstd-dev libxxhash-dev || return 1
	[ -x "$folder/root/usr/bin/busybox" ] ||
		fetch trixie "$folder/root" busybox-static || return 1
	a_kernel
}

# perf_disk: perf of that suite with all that it needs.
perf_disk() {
	[ ! -e "$perf" ] || return 0
	case $suite in
	*-backports) from=/$suite ;; # apt prefers the older one
	*) from= ;;
	esac
	unpack "$suite-$arch" "$arch" base-files coreutils dash \
		"linux-perf$from" || return 1
	(cd "$all/$suite-$arch" && mkdir -p sys job out) || return 1
	rm -f "$perf.new"
	inside /usr/sbin/mke2fs -q -t ext4 -O ^has_journal \
		-d "/src/build/all/$suite-$arch" \
		"/src/build/all/$suite-$arch.img.new" 900M &&
		mv "$perf.new" "$perf"
}

# recorder: the static recorder, as cross/static.sh builds it.
recorder() {
	[ -e "$programs/build/build.ninja" ] ||
		inside env PKG_CONFIG_LIBDIR="/usr/lib/$triplet/pkgconfig" \
			cmake -S /src -B "$inner_programs/build" -G Ninja \
			-DCMAKE_C_COMPILER="$prefix-gcc" \
			-DCMAKE_SYSTEM_NAME=Linux \
			-DCMAKE_SYSTEM_PROCESSOR="${prefix%%-*}" \
			-DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="-O1 -g0" \
			-DPERFPAIR_STATIC=ON -DPERFPAIR_REPORT=OFF \
			-DBUILD_TESTING=OFF || return 1
	inside cmake --build "$inner_programs/build" --target perfpair-record \
		-j "${PERFPAIR_JOBS:-$(nproc)}"
}

# counted NAME OPTION...: a program of counted.c.
counted() {
	to=$1
	shift
	inside "$prefix-gcc" -O1 -g0 -static -nostdlib -ffreestanding \
		-fno-stack-protector -fasynchronous-unwind-tables "$@" \
		-Wl,--build-id -o "$inner_programs/job/counted-$to" \
		/src/tests/machines/counted.c
}

# programs: of counted.c, with and without frame pointers and with 0.1, 1 and 10 %
# more to do, and those of tests/truth.
programs() {
	mkdir -p "$programs/job"
	for kind in omit no-omit; do
		counted $kind -f$kind-frame-pointer || return 1
	done
	for plus in 1 10 100; do
		counted plus-$plus -fomit-frame-pointer -DPLUS=$plus || return 1
	done
	for path in tests/truth/programs/*.c; do
		inside "$prefix-gcc" -O1 -g0 -static -pthread \
			-fno-omit-frame-pointer -Wl,--build-id \
			-o "$inner_programs/job/truth-$(basename "$path" .c)" \
			"/src/$path" || return 1
	done
	cp "$programs/build/record/perfpair-record" "$programs/job/"
}

# an_initrd: busybox, the modules of virtio's disks and of ext4, and init.
an_initrd() {
	tree=$folder/initrd
	rm -rf "$tree"
	mkdir -p "$tree/bin" "$tree/modules"
	cp "$folder/root/usr/bin/busybox" "$tree/bin/"
	ln -s busybox "$tree/bin/sh"
	cp tests/machines/init "$tree/init"
	nr=10
	for module in virtio virtio_ring virtio_pci_legacy_dev \
		virtio_pci_modern_dev virtio_pci virtio_blk crc16 crc32c_generic \
		crc32c-cryptoapi libcrc32c mbcache jbd2 ext4; do
		path=$(find "$folder/root" -name "$module.ko*" | head -n 1)
		case $path in
		*.xz) xz -dc "$path" >"$tree/modules/$nr-$module.ko" ;;
		*.zst) zstd -qdc "$path" >"$tree/modules/$nr-$module.ko" ;;
		?*) cp "$path" "$tree/modules/$nr-$module.ko" ;;
		esac || return 1
		nr=$((nr + 1))
	done
	inside sh -c "cd $inner/initrd && find . | cpio -o -H newc --quiet" \
		>"$folder/initrd.img"
}

make_one() {
	packages || return $absent
	[ -z "$with_perf" ] || perf_disk || echo "no perf of $suite" >&2
	recorder && programs && an_initrd
}

# make MACHINE...: says of each how it went; its status is the worst.
make() {
	worst=0
	for wanted in "$@"; do
		machine "$wanted"
		mkdir -p "$folder" "$all"
		begin=$(date +%s)
		make_one >"$folder/make.log" 2>&1
		case $? in
		0) echo "made    $name ($(($(date +%s) - begin)) s)" ;;
		$absent)
			echo "skipped $name: $(tail -n 1 "$folder/make.log")"
			[ $worst != 0 ] || worst=$absent
			;;
		*)
			echo "FAILED  $name: $folder/make.log"
			tail -n 20 "$folder/make.log"
			worst=1
			;;
		esac
	done
	return $worst
}

# boot: $name with the job, in a folder of its own.
boot() {
	work=$(mktemp -d "$folder/run-XXXXXX") || return 1
	cp "$programs"/job/* "$work/" && cp -r "$job_folder"/* "$work/" &&
		tar -C "$work" --exclude=./in.tar -cf "$work/in.tar" . || return 1
	truncate -s 400M "$work/out.img"
	inner_work=$inner/${work##*/}
	kernel=$(kernel_file)
	options=$(cat "$job_folder/qemu" 2>/dev/null || echo "-smp 2")
	perf_options=
	[ -z "$with_perf" ] || [ ! -e "$perf" ] ||
		perf_options=$(disk perf "/src${perf#"$src"}" readonly=on)
	inside timeout -k 5 $BOOT_S $emulator -cpu "$cpu" $options -m 1024 \
		-nodefaults -no-reboot -display none \
		-chardev "file,id=c,path=$inner_work/console.txt" $(serial) \
		-kernel "/src${kernel#"$src"}" \
		-initrd "$inner/initrd.img" \
		-append "console=$console panic=-1 quiet mitigations=off ${perf_options:+has_perf=y}" \
		$(disk in "$inner_work/in.tar" readonly=on) \
		$(disk out "$inner_work/out.img" cache=unsafe) $perf_options \
		>"$work/qemu.txt" 2>&1
	rc=$?
	mkdir -p "$out_folder"
	if [ $rc = 0 ] && tar -C "$out_folder" -xf "$work/out.img" &&
		[ -e "$out_folder/log.txt" ]; then
		rm -r "$work"
		return
	fi
	echo "$name did not end its job ($rc): $work" >&2
	tail -n 20 "$work/qemu.txt" "$work/console.txt" >&2
	return 1
}

serial() {
	case $arch in
	s390x) echo "-device sclpconsole,chardev=c" ;;
	*) echo "-serial chardev:c" ;;
	esac
}

# disk SERIAL FILE OPTION: the guest finds it by its serial number.
disk() {
	bus=pci
	[ "$arch" != s390x ] || bus=ccw
	echo "-drive if=none,id=$1,file=$2,format=raw,$3" \
		"-device virtio-blk-$bus,drive=$1,serial=$1"
}

python="/usr/bin/python3 -m pytest -q -p no:cacheprovider"
case ${1-} in
make)
	shift
	make ${*:-$(sed -n 's/^machine \([^ ]*\).*/\1/p' tests/machines/table.txt)}
	;;
run)
	machine "${2-}"
	boot
	;;
--quick)
	make $OF_QUICK || exit
	$python -m "not slow" tests/machines
	;;
--all)
	shift
	$python tests/machines "$@"
	;;
*) usage ;;
esac
