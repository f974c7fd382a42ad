"""perfpair-record refused: each error is one line what, one line what to do,
and what the second line names works."""

import os
import re
import pathlib
import resource
import shutil
import signal
import stat
import struct
import subprocess

import pytest

from common import ORDINARY, build_dir, until_said
from peer_text import LOST

PARANOID = pathlib.Path("/proc/sys/kernel/perf_event_paranoid")
USER_ONLY = [
    "kernel.perf_event_paranoid allows user space only: the kernel is left "
    "out",
    "run as root, or with CAP_PERFMON, or let root run: sysctl "
    "kernel.perf_event_paranoid=1",
]


def messages(text):
    """What is said before and instead of the summary."""
    return [line.removeprefix("perfpair-record: ")
            for line in text.splitlines() if not line.startswith("[ ")]


@pytest.fixture
def record(run, perfpair_record):
    return lambda *args, **kw: run([perfpair_record, *args], **kw)


@pytest.fixture
def unprivileged(perfpair_record, open_folder):
    """unprivileged(ARG...): the recorder as nobody, in a folder of its own."""
    if os.geteuid():
        pytest.skip("needs root, to become another user")
    if PARANOID.read_text().strip() != "2":
        pytest.skip("kernel.perf_event_paranoid is not 2")

    def run_as_nobody(*args, program=perfpair_record, **kw):
        return subprocess.run(
            [program, *[str(arg) for arg in args]], cwd=open_folder,
            user=ORDINARY, group=ORDINARY, extra_groups=[], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, timeout=60, **kw)

    try:
        run_as_nobody("--help")
    except PermissionError:
        pytest.skip("the build is not readable for others")
    run_as_nobody.folder = open_folder
    return run_as_nobody


def in_namespace(run, script, *args, **kw):
    """The script with a mount namespace of its own, or the test skips."""
    if os.geteuid() or subprocess.run(["unshare", "-m", "true"],
                                      stderr=subprocess.DEVNULL).returncode:
        pytest.skip("needs root and mount namespaces")
    return run(["unshare", "-m", "sh", "-c", script, "sh", *args], **kw)


@pytest.mark.parametrize("args, what, hint", [
    (["-m", "16,16"], "-m '16,16' has a size for AUX areas",
     "hardware traces (Intel PT and the like) are not recorded here; give "
     "one size"),
    (["-e", "cpu-clock", "--exclude-perf"],
     "--exclude-perf needs tracepoints",
     "give -e SYS:NAME first, then --exclude-perf"),
    (["--exclude-perf"], "--exclude-perf needs tracepoints",
     "give -e SYS:NAME first, then --exclude-perf"),
    (["--filter", "x"], "--filter without an event before it",
     "give -e SYS:NAME first, then --filter"),
    (["-e", "cpu-clock", "--filter", "x"],
     "a filter needs tracepoints, cpu-clock is none",
     "put --filter behind the -e SYS:NAME that it is for"),
    (["-e", ""], "an event is missing at ''",
     "events are written as for perf record, see perf-list(1); several are "
     "parted by commas"),
    (["-e", "mem:foo"], "'foo' is no number",
     "events are written as for perf record, see perf-list(1); several are "
     "parted by commas"),
    (["-e", "no_such_pmu//"], "this machine has no PMU 'no_such_pmu'",
     "PMUs are listed in /sys/bus/event_source/devices"),
    (["-g", "--leaf-callers", "--tail-synthesize"],
     "--leaf-callers with --tail-synthesize, which tells of the maps of what "
     "runs when all is over",
     "leave one of them out"),
    (["-k", "sundial"], "unknown clock 'sundial'",
     "there are mono, raw, real, boot and tai"),
    (["--call-graph", "guess"],
     "no way to record call chains is called 'guess'",
     "there are fp, dwarf[,SIZE] and lbr"),
    (["-D", "20-10"], "-D '20-10' is not understood",
     "give milliseconds, -1 to start with events off, or ranges that follow "
     "each other, such as 10-20,30-40"),
    (["--switch-output=5"], "--switch-output '5' is not understood",
     "give signal, a size such as 64M (B, K, M, G, T) or a time such as 30s (s, "
     "m, h, d)"),
    (["--max-size=0K"], "--max-size '0K' is not understood",
     "give a size with its unit, such as 500M (B, K, M, G, T)"),
    (["--flush-interval", "0"], "--flush-interval 0 would never wait",
     "give a time, such as 100ms"),
    (["-G", "a"], "-G without an event before it",
     "give -e first, then -G"),
    (["-e", "cpu-clock", "-G", "a,b"],
     "-G has more names than there are events",
     "one name for each -e before it, or one for all"),
    (["-e", "cpu-clock", "-G", "a"],
     "control groups are recorded on whole CPUs",
     "give -a or -C with -G, and no -p, -t or -u"),
    (["-S"], "-S and --aux-sample are of hardware traces (Intel PT and the "
     "like), which are not recorded here",
     "use perf record for them; --overwrite keeps the last samples"),
    (["--synth=what"], "--synth: 'what' is not known",
     "no, all, or a list of task, mmap, cgroup"),
])
def test_wrong_option(record, args, what, hint):
    done = record(*args, "true")
    assert done.returncode == 2
    assert messages(done.stderr) == [what, hint]


@pytest.mark.parametrize("args, what, hint", [
    (["-F", "9", "-c", "9"], "-F and -c exclude each other",
     "give -F samples per second, or one sample every -c events"),
    (["-p", "1x"], "'1x' is not a list of process ids",
     "give numbers, such as 1234,1240 or $(pidof NAME)"),
    (["-u", "54321"], "user '54321' runs nothing",
     "start it first, or record all with -a"),
])
def test_wrong_request(record, args, what, hint):
    done = record("-e", "cpu-clock", *args, "true")
    assert done.returncode == 255
    assert messages(done.stderr) == [what, hint]


@pytest.mark.parametrize("args, what, hint", [
    (["-e", "cpu-clock", "-b"], "cpu-clock: this event has no branch stacks",
     "-b, -j and --call-graph lbr need a hardware PMU that has them; use "
     "--call-graph fp or dwarf"),
    (["-e", "cpu-clock", "--call-graph", "lbr"],
     "cpu-clock: this event has no branch stacks",
     "-b, -j and --call-graph lbr need a hardware PMU that has them; use "
     "--call-graph fp or dwarf"),
    (["-e", "mem:0x1001/8:w"],
     "mem:0x1001: the kernel refuses these settings",
     "a breakpoint has 1, 2, 4 or 8 bytes and an address that its length "
     "divides"),
])
def test_what_the_kernel_refuses(record, may_record, tmp_path, args, what,
                                 hint):
    done = record(*args, "-o", "t.data", "true")
    assert done.returncode == 255
    assert messages(done.stderr) == [what, hint]
    assert not (tmp_path / "t.data").exists()


def test_more_breakpoints_than_the_cpu_has(record, may_record):
    events = ",".join(f"mem:{0x1000 * (i + 1):#x}:rw" for i in range(65))
    done = record("-e", events, "true")
    assert done.returncode == 255
    said = messages(done.stderr)
    assert said[0].endswith(":rw: the CPU has no breakpoint left")
    assert said[1:] == ["name fewer mem: events, and end debuggers that use "
                        "breakpoints"]


def test_filter_that_the_kernel_refuses(record, may_trace):
    done = record("-e", "syscalls:sys_enter_getppid", "--filter", "nix > 0",
                  "true")
    assert done.returncode == 255
    assert messages(done.stderr) == [
        'filter "nix > 0" of syscalls:sys_enter_getppid: Invalid argument',
        "the names that it may use stand in the tracepoint's format file "
        "under tracefs"]


@pytest.mark.parametrize("output, code", [
    ("/nonexistent/t.data", "No such file or directory"),
    (".", "Is a directory"),
])
def test_output_that_cannot_be_written(record, may_record, output, code):
    done = record("-e", "cpu-clock", "-o", output, "true")
    assert done.returncode == 255
    assert messages(done.stderr) == [
        f"{output}: {code}", "give a file that can be written with -o"]


def limit_files(soft, hard):
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


MANY = ("cpu-clock,page-faults,cs,faults,minor-faults,major-faults,"
        "cpu-migrations,task-clock,alignment-faults,emulation-faults,"
        "context-switches,migrations,dummy")


def test_soft_limit_of_files_is_raised(record, may_record):
    done = record("-e", MANY, "-a", "-o", "t.data", "true",
                  preexec_fn=limit_files(16, 4096))
    assert done.returncode == 0
    assert messages(done.stderr) == []


def test_hard_limit_of_files(record, may_record):
    done = record("-e", MANY, "-a", "-o", "t.data", "true",
                  preexec_fn=limit_files(16, 16))
    assert done.returncode == 255
    said = messages(done.stderr)
    assert said[0].startswith("too many open files for ")
    assert said[0].endswith(" (the limit is 16)")
    assert said[1:] == ["raise the hard limit (ulimit -Hn), or name fewer "
                        "events, CPUs (-C) or threads"]


def test_limit_of_files_before_anything_is_opened(record):
    done = record("-e", "cpu-clock", "true", preexec_fn=limit_files(4, 4))
    assert done.returncode == 255
    assert messages(done.stderr) == [
        "/sys/devices/system/cpu/online: Too many open files",
        "raise the limit of open files (ulimit -n)"]


def test_full_disk_leaves_what_fitted(run, perfpair_record, may_record, perf,
                                      tmp_path):
    """tmpfs of 4 MiB, which what runs beside does not fill: the file is whole up
    to its last flush."""
    (tmp_path / "disk").mkdir()
    done = in_namespace(
        run, 'mount -t tmpfs -o size=4m tmpfs disk && '
        '"$1" -q -z0 -a -F 20000 -e cpu-clock -m 16 -o disk/t.data '
        '--duration 20s; status=$?; cp disk/t.data . && exit $status',
        perfpair_record)
    assert done.returncode == 255
    said = messages(done.stderr)
    assert said[0] == "disk/t.data: writing: No space left on device"
    assert said[1].endswith(" bytes are whole and readable; make room, or "
                            "record elsewhere with -o")
    script = run([perf, "script", "-i", "t.data", "-F", "time"])
    assert script.returncode == 0
    assert len(script.stdout.splitlines()) > 1000


@pytest.mark.parametrize("options", [[], ["-z0"], ["--threads=2"]],
                         ids=" ".join)
def test_full_disk_is_counted_as_far_as_it_went(
        run, perfpair_record, may_trace, perf, workload, tmp_path, options):
    """What was cut off is no sample of the file."""
    (tmp_path / "disk").mkdir()
    done = in_namespace(
        run, 'mount -t tmpfs -o size=4m tmpfs disk && '
        'program=$2; "$1" -a -m 256 -e raw_syscalls:sys_enter '
        f'-o disk/t.data {" ".join(options)} -- "$program" 3000000; '
        'status=$?; cp disk/t.data . && exit $status',
        perfpair_record, workload("getppid"))
    assert done.returncode == 255
    said = int(re.search(r"\((\d+) samples", done.stderr)[1])
    script = run([perf, "script", "-i", "t.data", "-F", "time"])
    assert script.returncode == 0
    assert len(script.stdout.splitlines()) == said > 0


def test_folder_that_vanishes(run, perfpair_record, may_record, tmp_path):
    """The file that was begun is written to its end; the next one cannot
    begin, which is said."""
    (tmp_path / "gone").mkdir()
    recorder = subprocess.Popen(
        [perfpair_record, "-a", "-e", "cpu-clock", "-o", "gone/t.data",
         "--switch-output"], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    try:
        until_said(recorder)
        (tmp_path / "gone").rename(tmp_path / "kept")
        recorder.send_signal(signal.SIGUSR2)
        said = recorder.communicate(timeout=60)[1]
    finally:
        recorder.kill()
        recorder.wait()
    assert recorder.returncode == 255
    assert messages(said)[0] == ("gone/t.data: cannot be renamed: No such file "
                                 "or directory")
    header = (tmp_path / "kept/t.data").read_bytes()[:104]
    assert header[72:104] != bytes(32)  # its features are there


FAULT = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* Writes to regular files tear or fail once FAULT_AFTER bytes are out. */
ssize_t writev(int fd, const struct iovec *iov, int nr)
{
	static long done;
	long limit = atol(getenv("FAULT_AFTER"));
	ssize_t (*real)(int, const struct iovec *, int) =
		(ssize_t (*)(int, const struct iovec *, int))dlsym(
			RTLD_NEXT, "writev");
	struct iovec first = *iov;
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return real(fd, iov, nr);
	if (done >= limit) {
		errno = atoi(getenv("FAULT_ERRNO"));
		return -1;
	}
	if (first.iov_len > 1 && done + (long)first.iov_len > limit)
		first.iov_len = 1 + (size_t)(limit - done) / 2;
	n = real(fd, &first, 1);
	done += n;
	return n;
}

/* With FAULT_GARBLE records are read back from a recording as zeros. */
ssize_t pread(int fd, void *bytes, size_t len, off_t off)
{
	ssize_t (*real)(int, void *, size_t, off_t) =
		(ssize_t (*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT,
								 "pread");
	ssize_t n = real(fd, bytes, len, off);
	char magic[8];

	if (n > 0 && off && getenv("FAULT_GARBLE") &&
	    real(fd, magic, 8, 0) == 8 && !memcmp(magic, "PERFILE2", 8))
		memset(bytes, 0, (size_t)n);
	return n;
}
"""


@pytest.fixture(scope="module")
def fault_library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fault")
    (folder / "fault.c").write_text(FAULT)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", folder / "fault.so",
                    folder / "fault.c", "-ldl"], check=True)
    return folder / "fault.so"


@pytest.fixture
def faulty(run, perfpair_record, may_record, fault_library):
    """faulty(LEVEL, AFTER): a recorder whose writes fail."""
    if "asan" in perfpair_record:
        pytest.skip("a preloaded library goes before the sanitizer's")

    def record(level, after):
        env = dict(os.environ, LD_PRELOAD=str(fault_library),
                   FAULT_AFTER=str(after), FAULT_ERRNO="5")
        done = run([perfpair_record, "-q", level, "-a", "-F", "20000", "-e",
                    "cpu-clock", "-g", "--flush-interval", "50ms", "-o",
                    "t.data", "--duration", "60s", "--", "sh", "-c",
                    "exec >/dev/null 2>&1; while :; do find /usr -xdev; done"],
                   env=env)
        assert done.returncode == 255
        assert messages(done.stderr) == ["t.data: writing: Input/output error"]
    return record


def test_a_recording_that_cannot_be_read_back_is_an_error(run, perfpair_record,
                                                          fault_library):
    if "asan" in perfpair_record:
        pytest.skip("a preloaded library goes before the sanitizer's")
    env = dict(os.environ, LD_PRELOAD=str(fault_library), FAULT_GARBLE="1",
               FAULT_AFTER=str(1 << 40))
    done = run([perfpair_record, "-e", "cpu-clock", "-o", "t.data", "sh", "-c",
                "for i in $(seq 20000); do :; done"], env=env)
    assert done.returncode == 255
    assert done.stderr.splitlines()[-2:] == [
        "perfpair-record: t.data: what was written cannot be read back: Bad message",
        "perfpair-record: 'perfpair check t.data' says where; this is a defect of the "
        "recorder or of the disk"]


def test_slices_go_on_behind_one_that_cannot_be_read_back(run, perfpair_record,
                                                          fault_library, tmp_path):
    if "asan" in perfpair_record:
        pytest.skip("a preloaded library goes before the sanitizer's")
    env = dict(os.environ, LD_PRELOAD=str(fault_library), FAULT_GARBLE="1",
               FAULT_AFTER=str(1 << 40))
    done = run([perfpair_record, "-q", "-e", "cpu-clock", "-o", "t.data",
                "--switch-output=20K", "-z0", "sh", "-c",
                "for i in $(seq 300000); do set -- t.data.*; [ $# -lt 3 ] || exit 0; done"],
               env=env)
    assert done.returncode == 255
    files = list(tmp_path.glob("t.data.*"))
    assert len(files) >= 3
    assert done.stderr.count("cannot be read back: Bad message") == len(files)


def test_write_error_before_the_first_sample_leaves_no_file(faulty, tmp_path):
    faulty("-z0", 6000)
    assert not (tmp_path / "t.data").exists()


@pytest.mark.parametrize("level", ["-z0", "-z1"])
@pytest.mark.parametrize("more", [50_000, 300_001, 800_001])
def test_write_error_leaves_what_was_whole(run, perfpair_record, perfpair, perf,
                                           tmp_path, faulty, level, more):
    """A write that is torn, then fails, at whatever place behind what already
    ran: how long that is depends on the machine's tasks."""
    run([perfpair_record, "-q", level, "-a", "-e", "dummy", "-o", "idle.data",
         "true"])
    after = (tmp_path / "idle.data").stat().st_size + more
    faulty(level, after)
    data = (tmp_path / "t.data").read_bytes()
    start, length = struct.unpack_from("<QQ", data, 40)
    # a compressed one has COMPRESSED, and its table of 16 bytes; if that cannot
    # be written either, what came behind the last one is for repair
    table = 16 if level == "-z1" else 0
    assert any(data[72:104]) == bool(table)
    assert start + length + table <= len(data) <= after
    assert table or start + length == len(data)
    script = run([perf, "script", "-i", "t.data", "-F", "time"])
    # at this rate a busy machine loses some
    assert (script.returncode, LOST.sub("", script.stderr)) == (0, "")
    if more > 800_000:
        assert len(script.stdout.splitlines()) > 100
    if table and script.stdout:
        # that is what came within an interval, on a machine that may be busy
        run([perfpair, "repair", "-q", "-o", "r.data", "t.data"])
        whole = run([perf, "script", "-i", "r.data", "-F", "time"])
        ends = [float(text.split()[-1].rstrip(":"))
                for text in (script.stdout, whole.stdout)]
        assert 0 <= ends[1] - ends[0] < 0.05 + 1


def test_output_is_not_written_through_a_link(run, perfpair_record, may_record,
                                              tmp_path):
    (tmp_path / "victim").touch(mode=0o644)
    (tmp_path / "t.data").symlink_to("victim")
    os.umask(0)
    done = run([perfpair_record, "-q", "-e", "cpu-clock", "-o", "t.data",
                "true"])
    assert done.returncode == 0
    assert (tmp_path / "victim").read_bytes() == b""
    made = (tmp_path / "t.data").lstat()
    assert stat.S_ISREG(made.st_mode) and made.st_mode & 0o777 == 0o600
    assert (tmp_path / "t.data.old").is_symlink()


def test_capabilities_are_dropped(run, perfpair_record, may_record, tmp_path):
    """The command keeps its own."""
    if os.geteuid():
        pytest.skip("needs root, to have any")
    show = "grep -h Cap[PE] /proc/$PPID/status /proc/self/status"
    done = run(["sh", "-c", '"$0" -q -a -e cpu-clock -o t.data -- sh -c '
                '"sleep 0.2; $1"', perfpair_record, show])
    found = [line.split()[1] for line in done.stdout.splitlines()]
    # CAP_KILL, to end it; CAP_SYS_NICE where RLIMIT_RTPRIO cannot be raised
    assert found[0] == found[1]
    assert found[0] in ("0000000000000020", "0000000000800020")
    assert int(found[2], 16) & 0x20 and found[2] != found[0]


def test_no_capability_for_a_priority_that_is_not_taken(
        run, perfpair_record, may_record):
    """SCHED_BATCH was chosen by somebody, and stays."""
    if os.geteuid() or not shutil.which("setpriv"):
        pytest.skip("needs root, to have capabilities, and setpriv")
    done = run(["prlimit", "--rtprio=0:0", "setpriv",
                "--bounding-set=-sys_resource", "chrt", "-b", "0",
                perfpair_record, "-q", "-e", "cpu-clock", "-o", "t.data", "--",
                "sh", "-c", "sleep 0.2; grep CapP /proc/$PPID/status"])
    assert done.stdout.split() == ["CapPrm:", "0000000000000020"]


def test_read_only_disk(run, perfpair_record, may_record, tmp_path):
    (tmp_path / "disk").mkdir()
    done = in_namespace(
        run, 'mount -t tmpfs -o ro tmpfs disk && '
        '"$1" -e cpu-clock -o disk/t.data true', perfpair_record)
    assert done.returncode == 255
    assert messages(done.stderr) == [
        "disk/t.data: Read-only file system",
        "give a file that can be written with -o"]


UNMOUNT = ("awk '$3 ~ /^(tracefs|debugfs)$/ { print $2 }' /proc/mounts | "
           "while read -r dir; do umount -R \"$dir\"; done 2>/dev/null; ")


def test_tracefs_is_mounted_where_allowed(run, perfpair_record, may_trace):
    done = in_namespace(
        run, UNMOUNT + '"$1" -q -e syscalls:sys_enter_getppid -o t.data true '
        '&& mount', perfpair_record)
    assert done.returncode == 0, done.stderr
    assert "tracefs on /sys/kernel/tracing type tracefs" in done.stdout


def test_tracefs_that_may_not_be_mounted(run, unprivileged, perfpair_record):
    done = in_namespace(
        run, UNMOUNT + f'setpriv --reuid={ORDINARY} --regid={ORDINARY} '
        '--clear-groups "$1" -e sched:sched_switch -o t.data true',
        perfpair_record)
    assert done.returncode == 2
    assert messages(done.stderr) == [
        "tracefs is not mounted and mounting it on /sys/kernel/tracing gave: "
        "Operation not permitted",
        "let root run: mount -t tracefs tracefs /sys/kernel/tracing"]


# As nobody, with kernel.perf_event_paranoid=2.

def test_own_command_is_recorded_without_the_kernel(unprivileged):
    done = unprivileged("-e", "cpu-clock,page-faults", "-o", "t.data", "true")
    assert done.returncode == 0
    assert messages(done.stderr) == USER_ONLY


@pytest.mark.parametrize("where", [["-a"], ["-C", "0"], ["-a", "--all-user"]])
def test_whole_cpus_are_refused_and_own_processes_work(unprivileged, where):
    done = unprivileged("-e", "cpu-clock", *where, "-o", "t.data", "true")
    assert done.returncode == 255
    assert messages(done.stderr) == [
        "no permission for cpu-clock on whole CPUs "
        "(kernel.perf_event_paranoid is 2)",
        "run as root, or with CAP_PERFMON, or lower "
        "kernel.perf_event_paranoid; without: own processes in user space "
        "(-p PID, --all-user) work"]
    own = subprocess.Popen(["sleep", "60"], user=ORDINARY, group=ORDINARY,
                           extra_groups=[])
    try:
        done = unprivileged("-e", "cpu-clock", "-p", own.pid, "--all-user",
                            "-o", "t.data", "--", "true")
    finally:
        own.kill()
        own.wait()
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("kernel", [["-e", "cpu-clock:k"],
                                    ["-e", "cpu-clock", "--all-kernel"]])
def test_the_kernel_is_refused_and_all_user_works(unprivileged, kernel):
    done = unprivileged(*kernel, "-o", "t.data", "true")
    assert done.returncode == 255
    assert messages(done.stderr) == [
        f"no permission for {kernel[1]} (kernel.perf_event_paranoid is 2)",
        "run as root, or with CAP_PERFMON, or lower "
        "kernel.perf_event_paranoid; without: --all-user works"]
    done = unprivileged("-e", "cpu-clock", "--all-user", "-o", "t.data",
                        "true")
    assert (done.returncode, messages(done.stderr)) == (0, [])


@pytest.mark.parametrize("option", [["--namespaces"], ["--phys-data", "-d"]])
def test_privileged_option_is_named_and_the_rest_works(unprivileged, option):
    rest = ["-e", "cpu-clock:u", *option[1:], "-o", "t.data", "true"]
    done = unprivileged(option[0], *rest)
    assert done.returncode == 255
    assert messages(done.stderr) == [
        f"no permission for {option[0]}",
        f"run as root or with CAP_PERFMON, or leave {option[0]} out"]
    assert unprivileged(*rest).returncode == 0


def test_process_of_another_user_is_refused(unprivileged):
    done = unprivileged("-e", "cpu-clock:u", "-p", os.getpid(), "-o",
                        "t.data", "true")
    assert done.returncode == 255
    assert messages(done.stderr) == [
        "no permission for cpu-clock:u: what is to be recorded is another "
        "user's",
        "run as root or with CAP_PERFMON; processes of your own (-p PID or a "
        "command) work"]


def test_output_in_a_folder_of_another_user(unprivileged):
    unprivileged.folder.chmod(0o755)
    done = unprivileged("-e", "cpu-clock:u", "-o", "t.data", "true")
    assert done.returncode == 255
    assert messages(done.stderr) == [
        "t.data: Permission denied", "give a file that can be written with "
        "-o"]


# How it ends.

def test_nohup_keeps_it_alive(perfpair_record, may_record, tmp_path):
    recorder = subprocess.Popen(
        [perfpair_record, "-a", "-e", "cpu-clock", "-o", "t.data"],
        cwd=tmp_path, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    until_said(recorder)
    recorder.send_signal(signal.SIGHUP)
    with pytest.raises(subprocess.TimeoutExpired):
        recorder.wait(0.5)
    recorder.terminate()
    recorder.communicate(timeout=60)
    assert recorder.returncode == -signal.SIGTERM


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL,
                                    signal.SIGSEGV])
def test_signal_that_ended_the_command(record, may_record, number):
    done = record("-q", "-e", "cpu-clock", "sh", "-c",
                  f"kill -{int(number)} $$", stdout=None)
    assert done.returncode == -number


@pytest.fixture(scope="module")
def on_old_kernel(perfpair_record):
    """on_old_kernel(RELEASE, ARG...): the recorder where perf_event_open(2)
    refuses what that release did not know."""
    library = build_dir() / "tests" / "libold_kernel.so"
    if "-fsanitize" in (build_dir() / "CMakeCache.txt").read_text():
        pytest.skip("sanitizers want to be the first library")
    assert library.exists()  # else the loader goes on without it
    return lambda release, *args: subprocess.run(
        [perfpair_record, *args, "-o", "/dev/null", "--", "true"], text=True,
        capture_output=True, timeout=60,
        env=dict(os.environ, LD_PRELOAD=str(library), OLD_KERNEL=release))


@pytest.mark.parametrize("release, event, option, since", [
    ("4.9.0", "cpu-clock", "--namespaces", "4.12"),
    ("4.9.0", "cpu-clock", "--phys-data", "4.14"),
    ("4.9.0", "cpu-clock", "-j any,save_type", "4.14"),
    ("5.4.0", "cpu-clock", "--all-cgroups", "5.7"),
    ("5.10.0", "cpu-clock", "--data-page-size", "5.11"),
    ("5.10.0", "cpu-clock", "--code-page-size", "5.11"),
    ("5.10.0", "cpu-clock", "-j priv", "6.1"),
    ("5.10.0", "cgroup-switches", None, "5.13"),
    ("6.1.0", "software/config3=1/", None, "6.3"),
])
def test_an_old_kernel_refuses_an_option_by_name(
        on_old_kernel, may_record, release, event, option, since):
    done = on_old_kernel(release, "-e", event, *(option or "").split())
    what = {"cgroup-switches": "the event", "-j any,save_type": "-j save_type",
            "software/config3=1/": "config3="}.get(option or event, option)
    assert done.returncode == 255
    assert messages(done.stderr) == [
        f"{event}: {what} needs Linux {since}, this is {release}",
        f"leave {what} out"]


@pytest.mark.parametrize("release", ["4.9.0", "5.4.0", "5.10.0", "6.1.0"])
@pytest.mark.parametrize("options, said", [
    (["-g", "-W"], []),
    (["--call-graph", "lbr"], ["cpu-clock: this event has no branch stacks"]),
])
def test_an_old_kernel_is_asked_for_less(on_old_kernel, may_record, release,
                                         options, said):
    done = on_old_kernel(release, "-e", "cpu-clock", *options)
    assert done.returncode == (255 if said else 0)
    assert messages(done.stderr)[:1] == said
