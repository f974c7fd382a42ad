"""Maps and build-ids of the running kernel and its modules: what buildid-list -m
prints beside perf's, and what perf makes of those in a recording of ours."""

import os
import subprocess

import pytest

# Modules that this machine has not: in /proc, /sys and /lib/modules of a mount
# namespace of its own.  modules.dep has what perf finds by itself.
MODULES = r"""set -e
mount -t tmpfs none proc
cp /proc/version /proc/kallsyms proc/
mkdir -p proc/sys/kernel
echo 0 > proc/sys/kernel/kptr_restrict
cat > proc/modules <<END
pair_fs 987136 1 - Live 0xffffffffa0200000
pair_cache 16384 1 pair_fs,other, Live 0xffffffffa0100000
pair_crc 16384 1 pair_fs, Live 0xffffffffa0000000
other 16384 0 - Live 0xffffffffa0400000 (OE)
END
[ -z "$hidden" ] ||
    sed -i 's/0x[0-9a-f]*/0x0000000000000000/' proc/modules
[ -z "$hidden" ] || sed -i 's/^[0-9a-f]*/0000000000000000/' proc/kallsyms
mount -t tmpfs none over
mkdir over/upper over/work
mount -t overlay none -o "lowerdir=/lib,upperdir=over/upper,workdir=over/work" \
    /lib || exit 99
dir=/lib/modules/$(uname -r)
mkdir -p "$dir/kernel/fs/pair_fs"
cp /bin/true "$dir/kernel/fs/pair_fs/pair_fs.ko"
cp /bin/true "$dir/kernel/fs/pair_cache.ko"
gzip -c /bin/true > "$dir/kernel/fs/pair-crc.ko.gz"
cat > "$dir/modules.dep" <<END
kernel/fs/pair_fs/pair_fs.ko: kernel/fs/pair_cache.ko kernel/fs/pair-crc.ko.gz
kernel/fs/pair_cache.ko:
kernel/fs/pair-crc.ko.gz:
END
cp /sys/kernel/notes notes
mount -t tmpfs none /sys
mkdir -p /sys/kernel /sys/module/pair_fs/notes /sys/module/other/notes
cp notes /sys/kernel/notes
cp notes /sys/module/pair_fs/notes/.note.gnu.build-id
cp notes /sys/module/other/notes/.note.gnu.build-id
mount --move proc /proc
"$perf" buildid-list -m > perf.txt
"$perfpair" buildid-list --kernel-maps > ours.txt 2> messages.txt
"""


def test_the_running_kernel(run, perf, perfpair):
    theirs = subprocess.run([perf, "buildid-list", "-m"], capture_output=True,
                            text=True).stdout
    done = run([perfpair, "buildid-list", "-m"])
    assert done.returncode == 0
    assert "[kernel.kallsyms]" in theirs
    if not os.path.exists("/proc/modules"):
        assert done.stdout == theirs
    id_alone = run([perfpair, "buildid-list", "-m", "-k"]).stdout
    assert done.stdout.startswith(id_alone.strip() + " ")


@pytest.fixture
def in_namespace(run, perf, perfpair, may_unshare, tmp_path):
    """in_namespace(hidden): what perf and ours print there, and our messages."""
    def both(hidden):
        work = tmp_path / hidden
        (work / "proc").mkdir(parents=True)
        (work / "over").mkdir()
        done = run(["unshare", "-m", "sh", "-c", MODULES], cwd=work,
                   env={**os.environ, "perf": perf, "perfpair": str(perfpair),
                        "hidden": "" if hidden == "shown" else hidden})
        if done.returncode == 99:
            pytest.skip("there is no overlayfs here")
        assert done.returncode == 0, done.stderr
        return [(work / name).read_text()
                for name in ("perf.txt", "ours.txt", "messages.txt")]
    return both


def test_modules(in_namespace):
    theirs, ours, messages = in_namespace("shown")
    assert ours == theirs
    names = [line.split()[-1] for line in ours.splitlines()]
    assert [name.rsplit("/")[-1] for name in names] == [
        "[kernel.kallsyms]", "pair-crc.ko.gz", "pair_cache.ko", "pair_fs.ko", "[other]"]
    assert messages == ""


def test_addresses_are_hidden(in_namespace):
    theirs, ours, messages = in_namespace("hidden")
    assert sorted(ours.splitlines()) == sorted(theirs.splitlines())
    assert ours.splitlines()[0].endswith(
        " %16x %16x [kernel.kallsyms]" % (0, 2**64 - 1))
    assert "/proc/kallsyms does not show the kernel's addresses" in messages


def test_perfs_commands_name_the_kernel(run, perf, perfpair, perfpair_record, may_trace,
                                        tmp_path):
    """sched and lock of perf 6.1 read no MMAP2 of the kernel."""
    done = run([perfpair_record, "-q", "-g", "-e", "sched:sched_switch", "-o", "t.data",
                "--", "sleep", "0.01"], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    text = subprocess.run([perf, "sched", "timehist", "-i", tmp_path / "t.data"],
                          capture_output=True, text=True, check=True).stdout
    assert "hrtimer_nanosleep" in text
    listed = [subprocess.run([program, "buildid-list", *options, "-i",
                              tmp_path / "t.data"], capture_output=True, text=True,
                             check=True).stdout
              for program in (perf, perfpair) for options in ([], ["-H"])]
    own = run([perfpair, "buildid-list", "-k"]).stdout.strip()
    assert all(f"{own} [kernel.kallsyms]" in text for text in listed)
