#!/bin/sh
# usage: tests/tools/build_all.sh [TARGET...]
#
# Builds both programs with -Werror by the compilers and for the machines that
# packagers use, says "ok", "FAILED" or "skipped" of each, and closes with a
# sum.  Exit 0 only if none failed.  Targets, all by default:
#
#   debian12-gcc debian12-clang debian13-gcc debian13-clang
#   musl               the recorder as one static file; the reader is linked
#                      with glibc's libraries, which shows what musl lacks
#   i386 armhf arm64 ppc64el s390x     by Debian 12's cross compilers
#   riscv64                            by Debian 13's
#
# Programs for this machine must also say their version.
#
# The system stays as it is (debian_root.sh): a Debian 12 and a Debian 13 with
# compilers and with libraries for all machines are fetched once, 700 MB.  Objects
# are kept: a second run builds what changed.
#
# PERFPAIR_JOBS: how many compilers run at a time, one for each CPU by default.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/packages.sh
. tests/tools/debian_root.sh
native_triplet=$(uname -m)-linux-gnu
known="debian12-gcc debian12-clang debian13-gcc debian13-clang musl
	i386 armhf arm64 ppc64el s390x riscv64"
libraries=$(printf '%s\n' $BUILD_PACKAGES | grep -e '-dev$')

# build COMPILER PKG_CONFIG_FOLDERS CMAKE_OPTION...
build() {
	cc=$1
	folders=$2
	shift 2
	inside env PKG_CONFIG_LIBDIR="$folders" CFLAGS="$flags" \
		cmake -S /src -B "/src/build/all/$target" -G Ninja \
		-DCMAKE_C_COMPILER="$cc" -DCMAKE_BUILD_TYPE=None \
		-DPERFPAIR_WERROR=ON -DBUILD_TESTING=OFF "$@" &&
		inside cmake --build "/src/build/all/$target" \
			-j "${PERFPAIR_JOBS:-$(nproc)}" -- -k 0
}

# runs PROGRAM...: each says its version.
runs() {
	for program in "$@"; do
		inside "/src/build/all/$target/$program" --version || return 1
	done
}

# by COMPILER: for this machine.
by() {
	get "$native" "$1" || return
	build "$1" "/usr/lib/$native_triplet/pkgconfig" &&
		runs record/perfpair-record report/perfpair
}

# cross COMPILER_PREFIX MULTIARCH_FOLDER: for another machine.
cross() {
	get "$native" "gcc-$1" && get "$target" $libraries || return
	build "$1-gcc" "/usr/lib/$2/pkgconfig" -DCMAKE_SYSTEM_NAME=Linux \
		-DCMAKE_SYSTEM_PROCESSOR="${1%%-*}"
}

# musl_libraries: the recorder's two, from Debian's sources, in /musl; with
# links to the headers of the kernel and of the reader's libraries.
musl_libraries() {
	to=$all/$system/musl
	[ ! -e "$to/lib/libxxhash.a" ] || return 0
	rm -rf "$to"
	mkdir -p "$to/include" "$to/lib/pkgconfig" "$to/zstd" "$to/xxhash"
	apt_as "$system" "$native" --download-only source libzstd xxhash &&
		tar -xf "$apt"/libzstd_*.orig.tar.?z -C "$to/zstd" \
			--strip-components=1 &&
		tar -xf "$apt"/xxhash_*.orig.tar.?z -C "$to/xxhash" \
			--strip-components=1 || return $absent
	for name in asm-generic capstone dwarf.h elfutils gelf.h jansson.h \
		libelf.h libiberty linux lzma lzma.h traceevent zlib.h \
		"$native_triplet/asm" "$native_triplet/jansson_config.h" \
		"$native_triplet/zconf.h"; do
		[ ! -e "$all/$system/usr/include/$name" ] ||
			ln -s "/usr/include/$name" "$to/include/"
	done
	for name in zstd xxhash; do
		cat >"$to/lib/pkgconfig/lib$name.pc" <<-end
			Name: lib$name
			Description: lib$name for musl
			Version: 1
			Libs: -L/musl/lib -l$name
		end
	done
	inside sh -ec '
		cd /musl/zstd/lib
		musl-gcc -DXXH_NAMESPACE=ZSTD_ -DZSTD_DISABLE_ASM -c \
			common/*.c compress/*.c decompress/*.c
		ar rcs /musl/lib/libzstd.a *.o
		cp *.h /musl/include/
		cd /musl/xxhash
		musl-gcc -c xxhash.c
		cp *.h /musl/include/
		ar rcs /musl/lib/libxxhash.a xxhash.o'
}

# musl: "another machine", since the reader cannot run.  libiberty.a, which is
# glibc's, calls functions that check lengths.
musl() {
	get "$native" gcc musl-tools && musl_libraries || return
	flags="-O2 -isystem /musl/include"
	checked=
	for name in fprintf snprintf sprintf; do
		checked=$checked,--defsym=__${name}_chk=$name
	done
	build musl-gcc \
		"/musl/lib/pkgconfig:/usr/lib/$native_triplet/pkgconfig" \
		-DCMAKE_SYSTEM_NAME=Linux -DPERFPAIR_STATIC=ON \
		-DCMAKE_LIBRARY_PATH="/usr/lib/$native_triplet" \
		-DCMAKE_EXE_LINKER_FLAGS="-Wl,--allow-shlib-undefined$checked" &&
		runs record/perfpair-record
}

# compile: $target; absent if what it needs cannot be had.
absent=77
compile() {
	unshare $namespace true || return $absent
	system=debian12
	flags="-O2 -D_FORTIFY_SOURCE=2"
	case $target in
	debian12-*) by "${target#*-}" ;;
	debian13-*) system=debian13 && by "${target#*-}" ;;
	musl) musl ;;
	i386) cross i686-linux-gnu i386-linux-gnu ;;
	armhf) cross arm-linux-gnueabihf arm-linux-gnueabihf ;;
	arm64) cross aarch64-linux-gnu aarch64-linux-gnu ;;
	ppc64el) cross powerpc64le-linux-gnu powerpc64le-linux-gnu ;;
	s390x) cross s390x-linux-gnu s390x-linux-gnu ;;
	riscv64)
		system=debian13
		cross riscv64-linux-gnu riscv64-linux-gnu
		;;
	esac
}

# get ARCH PACKAGE...: into $system, with what each build needs.
get() {
	unpack "$system" "$native" $BUILD_PACKAGES base-files coreutils dash &&
		unpack "$system" "$@" || return $absent
}

for target in "$@"; do
	case " $(echo $known) " in
	*" $target "*) ;;
	*)
		echo "build_all.sh: \"$target\" is none of" $known >&2
		exit 2
		;;
	esac
done
ok_nr=0 failed_nr=0 skipped_nr=0
mkdir -p "$all"
for target in ${*:-$known}; do
	begin=$(date +%s)
	log=$all/$target.log
	compile >"$log" 2>&1
	case $? in
	0)
		echo "ok      $target ($(($(date +%s) - begin)) s)"
		ok_nr=$((ok_nr + 1))
		;;
	$absent)
		echo "skipped $target: $(tail -n 1 "$log")"
		skipped_nr=$((skipped_nr + 1))
		;;
	*)
		echo "FAILED  $target: $log"
		grep -A 3 -E '(error|undefined reference|warning):' "$log" ||
			tail -n 20 "$log"
		failed_nr=$((failed_nr + 1))
		;;
	esac
done
echo "$ok_nr built, $failed_nr failed, $skipped_nr skipped"
[ "$failed_nr" = 0 ]
