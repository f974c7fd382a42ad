"""What a user may record with which rights: capabilities, user namespaces,
locked memory; with PERFPAIR_SYSCTL=1 all levels of kernel.perf_event_paranoid,
which is the machine's."""

import os
import pathlib
import resource
import shutil
import signal
import subprocess

import pytest

from common import ORDINARY

PARANOID = pathlib.Path("/proc/sys/kernel/perf_event_paranoid")


@pytest.fixture
def as_nobody(perfpair_record, open_folder):
    """as_nobody(ARG..., caps="+perfmon", before=[...], command=[...]): the
    recorder as nobody with these capabilities, in a folder of its own."""
    if os.geteuid() or not shutil.which("setpriv"):
        pytest.skip("needs root and setpriv, to become another user")
    program = shutil.copy(perfpair_record, open_folder)

    def run(*args, caps=None, before=(), command=("sleep", "0.1"), **kw):
        rights = [f"--inh-caps={caps}", f"--ambient-caps={caps}"] if caps \
            else []
        return subprocess.run(
            ["setpriv", f"--reuid={ORDINARY}", f"--regid={ORDINARY}",
             "--clear-groups", *rights, *before, program, *args, "-o",
             "t.data", "--", *command], cwd=open_folder, text=True,
            capture_output=True, timeout=60, **kw)

    run.folder = open_folder
    return run


@pytest.fixture
def paranoid_2():
    if PARANOID.read_text().strip() != "2":
        pytest.skip("kernel.perf_event_paranoid is not 2")


def kernel_samples(perf, folder):
    done = subprocess.run(
        [perf, "script", "-f", "-i", folder / "t.data", "-F", "ip"],
        text=True, capture_output=True)
    assert done.returncode == 0
    return sum(line.strip().startswith("ffff")
               for line in done.stdout.splitlines())


def commands(perf, folder):
    done = subprocess.run(
        [perf, "script", "-f", "-i", folder / "t.data", "-F", "comm"],
        text=True, capture_output=True)
    assert done.returncode == 0
    return {line.strip() for line in done.stdout.splitlines()}


@pytest.mark.parametrize("caps", ["+perfmon", "+sys_admin"])
def test_capability_for_whole_cpus(as_nobody, paranoid_2, may_record, perf,
                                   caps):
    done = as_nobody("-a", "-e", "cpu-clock", caps=caps)
    assert done.returncode == 0, done.stderr
    assert kernel_samples(perf, as_nobody.folder) > 10
    assert (as_nobody.folder / "t.data").stat().st_mode & 0o777 == 0o600


def test_own_processes_with_build_ids(as_nobody, paranoid_2, may_record, run,
                                      perf):
    """Those of what ran during the recording are read by the recorder."""
    program = shutil.which("ls")
    done = as_nobody("-e", "cpu-clock", "--all-user", command=[program])
    assert done.returncode == 0, done.stderr
    table = run([perf, "buildid-list", "-f", "-i",
                 as_nobody.folder / "t.data"]).stdout
    notes = run(["readelf", "-n", program]).stdout
    names = [line.split(" ", 1) for line in table.splitlines()]
    assert any(f"Build ID: {build_id}" in notes for build_id, name in names
               if name == os.path.realpath(program))


HIDDEN = "the kernel's functions will have no names"


@pytest.mark.parametrize("caps, args, is_said", [
    ("+perfmon", (), True), ("+perfmon,+syslog", (), False),
    ("+perfmon", ("--all-user",), False)])
def test_kernel_names_that_are_hidden_are_told(as_nobody, paranoid_2,
                                               may_record, caps, args,
                                               is_said):
    """Without CAP_SYSLOG /proc/kallsyms has zeros."""
    done = as_nobody("-a", "-e", "cpu-clock", *args, caps=caps)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count(HIDDEN) == is_said
    assert ("cap_perfmon,cap_syslog+ep" in done.stderr) == is_said


@pytest.mark.parametrize("number", [1, 38], ids=["EPERM", "ENOSYS"])
def test_a_seccomp_filter_is_named(run, perfpair_record, workload, number):
    """root with all capabilities was told to run as root."""
    if os.geteuid():
        pytest.skip("needs root")
    done = run([workload("no_perf"), number, perfpair_record, "-a", "-e",
                "cpu-clock", "-o", "t.data", "true"])
    assert done.returncode == 255
    first, second = done.stderr.splitlines()[-2:]
    assert "by the seccomp filter of this container" in first
    assert "seccomp=unconfined" in second


def test_a_level_over_2_is_not_told_as_a_filter(run, perfpair_record, workload,
                                                may_unshare, tmp_path):
    """Debian's kernel, whose level is 3, refuses CAP_PERFMON, and the systemd unit has
    a filter besides, which was blamed.  The filter here stands for that kernel."""
    (tmp_path / "level").write_text("3\n")
    done = run(["unshare", "-m", "sh", "-c", f'mount --bind level {PARANOID} && exec "$@"',
                "sh", "setpriv", "--bounding-set=-all,+perfmon", workload("no_perf"), 13,
                perfpair_record, "-a", "-e", "cpu-clock", "-o", "t.data", "true"])
    assert done.returncode == 255
    first, second = done.stderr.splitlines()[-2:]
    assert "no permission for perf events (kernel.perf_event_paranoid is 3)" in first
    assert "sysctl kernel.perf_event_paranoid=2; at that CAP_PERFMON is enough" in second


def test_a_pid_namespace_is_told(run, perfpair_record, may_record):
    if run(["unshare", "--pid", "--fork", "true"]).returncode:
        pytest.skip("no pid namespace may be made here")
    command = [perfpair_record, "-a", "-e", "cpu-clock", "-o", "t.data",
               "true"]
    inside = run(["unshare", "--pid", "--fork", *command])
    assert inside.returncode == 0, inside.stderr
    assert "processes outside it are all pid 0" in inside.stderr
    if os.stat("/proc/self/ns/pid").st_ino == 0xEFFFFFFC:
        assert "pid 0" not in run(command).stderr


def test_all_cpus_are_recorded_without_sysfs(run, perfpair_record, may_record):
    """As in a chroot or a container that has no /sys: CPU 0 alone was
    recorded there, without a word."""
    hidden = "mount -t tmpfs none /sys && exec \"$@\""
    if run(["unshare", "-m", "sh", "-c", hidden, "-", "true"]).returncode:
        pytest.skip("needs root, to hide /sys")
    command = [perfpair_record, "-v", "-e", "cpu-clock", "-o", "t.data", "--",
               "true"]
    done = run(["unshare", "-m", "sh", "-c", hidden, "-", *command])
    assert done.returncode == 0, done.stderr
    assert f"on {os.cpu_count()} descriptors" in done.stderr


@pytest.mark.parametrize("caps", [None, "+ipc_lock,+sys_ptrace,+dac_override"])
@pytest.mark.parametrize("before", [[], ["unshare", "-U", "-r"]])
def test_other_rights_do_not_help(as_nobody, paranoid_2, may_record, caps,
                                  before):
    """Nor does to be root of a user namespace."""
    if before and subprocess.run(["setpriv", f"--reuid={ORDINARY}", *before,
                                  "true"], capture_output=True).returncode:
        pytest.skip("user namespaces are not for everybody here")
    done = as_nobody("-a", "-e", "cpu-clock", caps=caps, before=before)
    assert done.returncode == 255
    assert done.stderr.splitlines() == [
        "perfpair-record: no permission for cpu-clock on whole CPUs "
        "(kernel.perf_event_paranoid is 2)",
        "perfpair-record: run as root, or with CAP_PERFMON, or lower "
        "kernel.perf_event_paranoid; without: own processes in user space "
        "(-p PID, --all-user) work"]
    # and what it says works
    assert as_nobody("-e", "cpu-clock", "--all-user", caps=caps,
                     before=before).returncode == 0


@pytest.mark.parametrize("caps, shrinks", [("+perfmon", True),
                                           ("+perfmon,+ipc_lock", False)])
def test_locked_memory(as_nobody, paranoid_2, may_record, caps, shrinks):
    def no_memory():
        resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, 0))

    done = as_nobody("-a", "-e", "cpu-clock", "-m", "16M", caps=caps,
                     preexec_fn=no_memory)
    assert done.returncode == 0, done.stderr
    assert (" KiB, not 16384: more locked memory is not allowed" in
            done.stderr) == shrinks


@pytest.mark.parametrize("caps", [None, "+dac_read_search",
                                  "+dac_override,+dac_read_search"])
def test_options_in_a_file_that_the_user_may_not_read(as_nobody, caps):
    """With the right to read all files, as the unit can have it, the message
    quoted the first line."""
    path = as_nobody.folder / "secret"
    path.write_text("root-only:x\n")
    path.chmod(0o600)
    done = as_nobody("--config", path, caps=caps)
    assert (done.returncode, done.stdout, done.stderr) == (
        2, "", f"perfpair-record: --config: {path}: Permission denied\n")
    os.chown(path, ORDINARY, ORDINARY)
    assert "root-only:x" in as_nobody("--config", path, caps=caps).stderr


def test_options_in_a_fifo(as_nobody):
    """It was waited for."""
    os.mkfifo(as_nobody.folder / "fifo", 0o666)
    done = as_nobody("--config", as_nobody.folder / "fifo")
    assert done.returncode == 2
    assert done.stderr.endswith("/fifo: not a regular file\n")


def test_files_that_the_unit_may_not_read(as_nobody, may_record, workload,
                                          perfpair, paranoid_2):
    """They were told as deleted.  What lies in a closed folder, but is open itself,
    is read as the process's program."""
    closed = as_nobody.folder / "closed"
    closed.mkdir(mode=0o700)
    shutil.copy(workload("spin"), closed)

    def reason(caps):
        with subprocess.Popen([closed / "spin", "60000"]) as process:
            try:
                done = as_nobody("-p", str(process.pid), "-e", "cpu-clock", "-F",
                                 "999", caps=caps, command=("sleep", "0.5"))
            finally:
                process.kill()
        assert done.returncode == 0, done.stderr
        listed = subprocess.run(
            [perfpair, "buildid-list", "--carried", "-i",
             as_nobody.folder / "t.data"], text=True, capture_output=True)
        line = next(line for line in listed.stdout.splitlines()
                    if "closed/spin" in line)
        return line.partition("closed/spin")[2]

    unit = "+perfmon,+sys_ptrace,+syslog"
    assert reason(unit) == ""
    (closed / "spin").chmod(0o700)
    assert reason(unit) == (
        ": it could not be read, for which the recorder needs CAP_SYS_PTRACE "
        "and CAP_DAC_READ_SEARCH")
    assert reason(unit + ",+dac_read_search") == ""


def test_memory_that_the_unit_may_not_read(as_nobody, may_record, workload,
                                           perfpair, paranoid_2):
    """A library in a memfd stands nowhere: only map_files has it."""
    folder = as_nobody.folder
    (folder / "lib.c").write_text("unsigned long entry(unsigned long n) "
                                  "{ while (n++ % 1000000); return n; }")
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", "lib.so", "lib.c"],
                   cwd=folder, check=True)

    def reason(caps):
        with subprocess.Popen([workload("memfd_library"), folder / "lib.so",
                               "60"]) as process:
            try:
                done = as_nobody("-p", str(process.pid), "-e", "cpu-clock", "-F",
                                 "999", caps=caps, command=("sleep", "0.5"))
            finally:
                process.kill()
        assert done.returncode == 0, done.stderr
        listed = subprocess.run(
            [perfpair, "buildid-list", "--carried", "-i", folder / "t.data"],
            text=True, capture_output=True)
        return next(line for line in listed.stdout.splitlines()
                    if "memfd:plugin" in line).partition(" (deleted)")[2]

    unit = "+perfmon,+sys_ptrace,+syslog"
    assert reason(unit) == (
        ": it could not be read, for which the recorder needs CAP_SYS_PTRACE, "
        "CAP_DAC_READ_SEARCH and CAP_CHECKPOINT_RESTORE")
    assert reason(unit + ",+dac_read_search,+checkpoint_restore") == ""


@pytest.fixture
def suid(as_nobody, workload):
    """A program of root's that waits for a line, in nobody's folder."""
    if int(PARANOID.read_text()) > 2:
        pytest.skip("kernel.perf_event_paranoid is over 2")
    if "NoNewPrivs:\t0" not in pathlib.Path("/proc/self/status").read_text():
        pytest.skip("no program may become another user's here")
    path = shutil.copy(workload("crowd"), as_nobody.folder / "suid")
    path.chmod(0o4755)
    if os.statvfs(path).f_flag & os.ST_NOSUID:
        pytest.skip("/tmp is mounted nosuid")
    return path


def test_command_that_becomes_root(as_nobody, suid, may_record, perf):
    """The kernel takes the events from it; perf ends such a command too."""
    read_end, write_end = os.pipe()
    done = as_nobody("-e", "page-faults:u", "-c", "1", command=[suid],
                     stdin=read_end)
    os.close(read_end)
    os.close(write_end)
    assert done.returncode == -signal.SIGTERM
    assert (
        "perfpair-record: the command became another user's, and the kernel "
        "ended its events\n"
        "perfpair-record: record whole CPUs (-a, as root) to see such a "
        "program\n") in done.stderr
    assert commands(perf, as_nobody.folder) <= {"perfpair-record"}


def test_child_that_becomes_root(as_nobody, suid, may_record, perf):
    """The command itself is recorded to its end."""
    done = as_nobody("-e", "page-faults:u", "-c", "1", command=[
        "sh", "-c", "echo go | ./suid; exec env sleep 0"])
    assert (done.returncode, done.stdout) == (0, "ready\n")
    assert "another user" not in done.stderr
    assert commands(perf, as_nobody.folder) == {"sh", "env", "sleep"}


@pytest.mark.parametrize("level, works", [
    ("-1", {"-a", "command", "trace"}), ("0", {"-a", "command"}),
    ("1", {"command"}), ("2", {"user"})])
def test_levels(as_nobody, may_record, level, works):
    if not os.environ.get("PERFPAIR_SYSCTL"):
        pytest.skip("PERFPAIR_SYSCTL=1 lets this change the machine's "
                    "kernel.perf_event_paranoid for a moment")
    before = PARANOID.read_text()
    tries = {"-a": ["-a", "-e", "cpu-clock"],
             "command": ["-e", "cpu-clock:k"],
             "user": ["-e", "cpu-clock:u"],
             "trace": ["-a", "-e", "raw_syscalls:sys_enter"]}
    PARANOID.write_text(level)
    try:
        found = {name for name, args in tries.items()
                 if as_nobody(*args).returncode == 0}
    finally:
        PARANOID.write_text(before)
    assert found - {"trace"} == (works | {"user"}) - {"trace"}


def test_counts_go_through_no_link_of_another_user(as_nobody, perfpair_record):
    """As a recording does not: root wrote to whatever it led to."""
    victim = as_nobody.folder / "victim"
    victim.write_text("precious\n")
    (as_nobody.folder / "out").symlink_to(victim)
    command = [perfpair_record, "stat", "-e", "page-faults:u", "-o",
               as_nobody.folder / "out"]

    def count(*options):
        return subprocess.run([*command, *options, "--", "true"], text=True,
                              capture_output=True, timeout=60)

    os.chown(as_nobody.folder / "out", ORDINARY, ORDINARY,
             follow_symlinks=False)
    for options in ((), ("--append",)):
        done = count(*options)
        assert done.returncode and "is a link of another user" in done.stderr
        assert victim.read_text() == "precious\n"
    os.chown(as_nobody.folder / "out", 0, 0, follow_symlinks=False)
    assert count("--append").returncode == 0
    assert victim.read_text().startswith("precious\n# started on")
