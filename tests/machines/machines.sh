#!/bin/sh
# usage: tests/machines/machines.sh --quick
#        tests/machines/machines.sh make MACHINE...
#        tests/machines/machines.sh run MACHINE JOB_FOLDER OUT_FOLDER
#
# Machines of other kinds, emulated by QEMU (TCG; no /dev/kvm, no root), out of
# Debian packages alone:
#
#   arm64    a PMUv3 that counts, by -icount: one instruction takes one ns
#   s390x    big-endian; no PMU
#
# --quick makes them and runs their tests.  "make" has the static recorder, the
# programs, a kernel and an initrd in build/machines/MACHINE; if packages cannot be
# had it says "skipped MACHINE: why" and exits with 77.  "run" boots it: job.sh of
# the folder is run in /out, a folder in memory, with the recorder and the programs
# in PATH; what it leaves there, its output in log.txt, comes to OUT_FOLDER.
#
# QEMU and cross compilers lie in build/all (tests/tools/debian_root.sh).
#
# PERFPAIR_JOBS: how many compilers run at a time, one for each CPU by default.
set -u
job_folder=$(readlink -f "${3-}")
out_folder=$(readlink -m "${4-}")
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/debian_root.sh
machines=$src/build/machines
system=debian13
absent=77
BOOT_S=200 # more than a boot and a job may take

# machine NAME: sets what it is made of.  linux: a pattern of names of kernels.
# A "cloud" kernel has what virtual machines need, and a third of the length.
machine() {
	name=$1
	case $name in
	arm64)
		prefix=aarch64-linux-gnu
		linux='linux-image-[0-9].*-cloud-arm64'
		emulator="qemu-system-aarch64 -M virt -cpu neoverse-n1
			-icount shift=0,sleep=off"
		package=qemu-system-arm
		console=ttyAMA0
		bus=pci
		;;
	s390x)
		prefix=s390x-linux-gnu
		linux='linux-image-[0-9].*-s390x'
		emulator="qemu-system-s390x -M s390-ccw-virtio -cpu max -smp 2"
		package=qemu-system-s390x
		console=ttysclp0
		bus=ccw
		;;
	*)
		sed -n 's/^# usage/usage/p' tests/machines/machines.sh >&2
		exit 2
		;;
	esac
	folder=$machines/$name
	inner=/src/build/machines/$name
}

# fetch ROOT PACKAGE...: unpacks single packages of the machine there, without
# what they depend on.
fetch() {
	to=$1
	shift
	apt_lists "$system" "$name" && mkdir -p "$to" || return 1
	for package in "$@"; do
		rm -f "$all/apt/$system-$name"/*.deb
		apt_as "$system" "$name" download "$package" &&
			dpkg-deb -x "$all/apt/$system-$name"/*.deb "$to" ||
			return 1
	done
}

# a_kernel: the newest that can be had; a mirror may lag behind its lists.
a_kernel() {
	[ -z "$(ls "$folder"/root/boot/vmlinu* 2>/dev/null)" ] || return 0
	apt_lists "$system" "$name" || return 1
	for package in $(apt_program=apt-cache apt_as "$system" "$name" \
		pkgnames linux-image- | grep -x "$linux" | sort -rV); do
		! fetch "$folder/root" "$package" || return 0
	done
	return 1
}

# packages: all that comes from outside.
packages() {
	unshare $namespace true || return 1
	[ -x "$all/$system/usr/bin/${emulator%% *}" ] &&
		[ -x "$all/$system/usr/bin/$prefix-gcc" ] ||
		unpack "$system" "$native" base-files coreutils cpio dash \
			findutils cmake ninja-build pkg-config "gcc-$prefix" \
			"libc6-dev-$name-cross" "$package" || return 1
	[ -e "$all/$system/usr/lib/$prefix/libzstd.a" ] ||
		fetch "$all/$system" libzstd-dev libxxhash-dev || return 1
	[ -x "$folder/root/usr/bin/busybox" ] ||
		fetch "$folder/root" busybox-static || return 1
	a_kernel
}

# recorder: the static recorder, as cross/static.sh builds it.
recorder() {
	[ -e "$folder/build/build.ninja" ] ||
		inside env PKG_CONFIG_LIBDIR="/usr/lib/$prefix/pkgconfig" \
			cmake -S /src -B "$inner/build" -G Ninja \
			-DCMAKE_C_COMPILER="$prefix-gcc" \
			-DCMAKE_SYSTEM_NAME=Linux \
			-DCMAKE_SYSTEM_PROCESSOR="${prefix%%-*}" \
			-DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="-O1 -g0" \
			-DPERFPAIR_STATIC=ON -DPERFPAIR_REPORT=OFF \
			-DBUILD_TESTING=OFF || return 1
	inside cmake --build "$inner/build" --target perfpair-record \
		-j "${PERFPAIR_JOBS:-$(nproc)}"
}

# programs: of counted.c, with and without frame pointers.
programs() {
	mkdir -p "$folder/job"
	for kind in omit no-omit; do
		inside "$prefix-gcc" -O1 -g0 -static -nostdlib -ffreestanding \
			-fno-stack-protector -fasynchronous-unwind-tables \
			-f$kind-frame-pointer -Wl,--build-id \
			-o "$inner/job/counted-$kind" \
			/src/tests/machines/counted.c || return 1
	done
	cp "$folder/build/record/perfpair-record" "$folder/job/"
}

# an_initrd: busybox, the modules of virtio's disks, and init.
an_initrd() {
	tree=$folder/initrd
	rm -rf "$tree"
	mkdir -p "$tree/bin" "$tree/modules"
	cp "$folder/root/usr/bin/busybox" "$tree/bin/"
	ln -s busybox "$tree/bin/sh"
	cp tests/machines/init "$tree/init"
	nr=10
	for module in virtio virtio_ring virtio_pci_legacy_dev \
		virtio_pci_modern_dev virtio_pci virtio_blk; do
		path=$(find "$folder/root" -name "$module.ko*" | head -n 1)
		case $path in
		*.xz) xz -dc "$path" >"$tree/modules/$nr-$module.ko" ;;
		?*) cp "$path" "$tree/modules/$nr-$module.ko" ;;
		esac || return 1
		nr=$((nr + 1))
	done
	inside sh -c "cd $inner/initrd && find . | cpio -o -H newc --quiet" \
		>"$folder/initrd.img"
}

make_one() {
	packages || return $absent
	recorder && programs && an_initrd
}

# make MACHINE...
make() {
	for name in "$@"; do
		machine "$name"
		mkdir -p "$folder" "$all"
		begin=$(date +%s)
		make_one >"$folder/make.log" 2>&1
		case $? in
		0) echo "made    $name ($(($(date +%s) - begin)) s)" ;;
		$absent)
			echo "skipped $name: $(tail -n 1 "$folder/make.log")"
			return $absent
			;;
		*)
			echo "FAILED  $name: $folder/make.log"
			tail -n 20 "$folder/make.log"
			return 1
			;;
		esac
	done
}

# boot: $name with the job, in a folder of its own.
boot() {
	work=$(mktemp -d "$folder/run-XXXXXX") || return 1
	cp "$folder"/job/* "$work/" && cp -r "$job_folder"/* "$work/" &&
		tar -C "$work" --exclude=./in.tar -cf "$work/in.tar" . || return 1
	truncate -s 200M "$work/out.img"
	inner_work=$inner/${work##*/}
	kernel=$(ls "$folder"/root/boot/vmlinu*)
	inside timeout -k 5 $BOOT_S $emulator -m 512 -nodefaults -no-reboot \
		-display none -chardev "file,id=c,path=$inner_work/console.txt" \
		$(serial) -kernel "$inner/root/boot/${kernel##*/}" \
		-initrd "$inner/initrd.img" \
		-append "console=$console panic=-1 quiet" \
		$(disk in "$inner_work/in.tar" readonly=on) \
		$(disk out "$inner_work/out.img" cache=unsafe) \
		>"$work/qemu.txt" 2>&1
	rc=$?
	mkdir -p "$out_folder"
	if [ $rc = 0 ] && tar -C "$out_folder" -xf "$work/out.img"; then
		rm -r "$work"
		return
	fi
	echo "$name did not end its job ($rc): $work" >&2
	tail -n 20 "$work/qemu.txt" "$work/console.txt" >&2
	return 1
}

serial() {
	case $name in
	s390x) echo "-device sclpconsole,chardev=c" ;;
	*) echo "-serial chardev:c" ;;
	esac
}

# disk SERIAL FILE OPTION: the guest finds it by its serial number.
disk() {
	echo "-drive if=none,id=$1,file=$2,format=raw,$3" \
		"-device virtio-blk-$bus,drive=$1,serial=$1"
}

case ${1-} in
make)
	shift
	make "$@"
	;;
run)
	machine "${2-}"
	boot
	;;
--quick)
	make arm64 s390x || exit
	/usr/bin/python3 -m pytest -q -p no:cacheprovider tests/machines
	;;
*) machine "" ;;
esac
