"""perfpair-record: its options' errors, its files, its exit status, and what
is left when it is killed."""

import os
import platform
import re
import resource
import shutil
import signal
import struct
import subprocess
import time

import pytest

from common import ORDINARY, until, until_said
from terminal_run import open_terminal

DATA_LEN_OFF = 48  # of data.size in the file header
FEATURES_OFF = 72


@pytest.fixture
def record(run, perfpair_record):
    """record(ARG...): perfpair-record, finished."""
    return lambda *args, **kw: run([perfpair_record, *args], **kw)


@pytest.fixture
def clock(record, may_record):
    """clock(ARG...): a recording of cpu-clock into t.data."""
    return lambda *args, **kw: record("-e", "cpu-clock", "-o", "t.data",
                                      *args, **kw)


def lines(text):
    return [line.removeprefix("perfpair-record: ")
            for line in text.splitlines()]


@pytest.mark.parametrize("args, what", [
    (["--bogus"], "unknown option '--bogus'"),
    (["-o", ""], "-o has no name"),
    (["--switch-max-files", "3"],
     "--switch-max-files without --switch-output"),
    (["--max-files", "3"],
     "--max-files, --max-files-size, --max-files-age or --keep-free without "
     "--switch-output or --timestamp-filename"),
    (["--keep-free", "0%"], "--keep-free '0%' is not understood"),
    (["--keep-free", "100%"], "--keep-free '100%' is not understood"),
    (["--keep-free", "some"], "--keep-free 'some' is not understood"),
    (["--aio"], "perf's option '--aio' is not here"),
    (["--mmap-flush=4K"], "perf's option '--mmap-flush=4K' is not here"),
    (["-F", "0"], "-F '0' is not understood"),
    (["-F", "fast"], "-F 'fast' is not understood"),
    (["-c", "0"], "-c '0' is not understood"),
    (["-m", "0"], "-m '0' is not a ring size"),
    (["-z23"], "-z '23' is not understood"),
    (["-D", "soon"], "-D 'soon' is not understood"),
    (["-e", "cpu-clok"], "unknown event 'cpu-clok'"),
    (["--all-user", "--all-kernel"],
     "--all-user and --all-kernel exclude each other"),
])
def test_wrong_option_is_named_with_what_to_do(record, args, what):
    done = record(*args, "--", "true")
    assert done.returncode == 2
    assert done.stdout == ""
    said = lines(done.stderr)
    assert said[0] == what
    assert len(said) == 2 and said[1]


@pytest.mark.parametrize("args, what, hint", [
    (["-p", "999999999"], "no process has the id 999999999", "ended"),
    (["-t", "999999999"], "no thread has the id 999999999", "ended"),
    (["-p", "1,x"], "'1,x' is not a list of process ids", "numbers"),
    (["-C", "1000"], "CPU 1000 is not online", "online"),
    (["-C", "3-1"], "'3-1' is not a list of CPUs", "0-3,8"),
    (["-u", "nobody-here"], "there is no user 'nobody-here'", "/etc/passwd"),
])
def test_wrong_target_is_named_with_what_to_do(record, args, what, hint):
    done = record("-e", "cpu-clock", *args)
    assert done.returncode == 255
    said = lines(done.stderr)
    assert said[0] == what
    assert hint in said[1]


def test_help_lists_the_options(record):
    done = record("--help")
    assert done.returncode == 0
    assert done.stderr == ""
    for name in ("--event", "--call-graph", "--mmap-pages", "--synth",
                 "--switch-events", "--duration"):
        assert name in done.stdout


def test_the_workloads_options_are_its_own(clock):
    done = clock("echo", "-n", "--bogus")
    assert done.returncode == 0
    assert done.stdout == "--bogus"


def test_exit_status_is_the_commands(clock):
    assert clock("sh", "-c", "exit 7").returncode == 7


def test_signal_that_ends_the_command_ends_us(clock):
    assert clock("sh", "-c", "kill -USR1 $$").returncode == -signal.SIGUSR1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ends_on_a_signal_with_a_whole_file(number, perfpair_record, perf, run,
                                            may_record, tmp_path):
    recorder = subprocess.Popen(
        [perfpair_record, "-a", "-e", "cpu-clock", "-o", "t.data"],
        cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    until_said(recorder)
    recorder.send_signal(number)
    said = recorder.communicate(timeout=60)[1]
    assert recorder.returncode == -number
    assert all(line.startswith("[ perfpair-record: ")
               for line in said.splitlines())
    done = run([perf, "report", "-i", "t.data", "--header-only"])
    assert "# cmdline : " in done.stdout


def test_interrupt_ends_the_command_too(perfpair_record, may_record, tmp_path):
    recorder = subprocess.Popen(
        [perfpair_record, "-q", "-e", "cpu-clock", "-o", "t.data", "sh", "-c",
         "echo $$ >pid; exec sleep 100"], cwd=tmp_path)
    path = tmp_path / "pid"
    pid = int(until(lambda: path.exists() and path.read_text(), recorder))
    recorder.send_signal(signal.SIGINT)
    # as perf: the status is the command's, which it ended by SIGTERM
    assert recorder.wait(10) == -signal.SIGTERM
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_duration_ends_it(clock):
    """Without a command, nothing else ends the recorder before run() kills it."""
    start = time.monotonic()
    done = clock("-a", "--duration", "300ms")
    assert done.returncode == 0
    assert time.monotonic() - start >= 0.3


def test_a_process_that_ends_ends_the_recording(perfpair_record, may_record,
                                                tmp_path):
    program = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
    recorder = subprocess.Popen(
        [perfpair_record, "-e", "cpu-clock", "-o", "t.data", "-p",
         str(program.pid)], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    until_said(recorder)
    program.communicate()
    recorder.communicate(timeout=60)
    assert recorder.returncode == 0


def test_command_that_cannot_be_run_leaves_the_old_file(clock, tmp_path):
    (tmp_path / "t.data").write_text("old")
    done = clock("/nonexistent/command")
    assert done.returncode == 255
    assert lines(done.stderr) == [
        "cannot run '/nonexistent/command': No such file or directory",
        "nothing was recorded; check its name and path"]
    assert (tmp_path / "t.data").read_text() == "old"
    assert not (tmp_path / "t.data.old").exists()


def test_existing_file_becomes_old(clock, tmp_path):
    (tmp_path / "t.data").write_text("older")
    assert clock("true").returncode == 0
    assert (tmp_path / "t.data.old").read_text() == "older"
    assert (tmp_path / "t.data").read_bytes()[:8] == b"PERFILE2"


def test_stdout_is_the_pipe_without_o(record, may_record, perfpair_record,
                                      tmp_path):
    """As perf: without -o, a stdout that is a pipe gets the recording."""
    done = subprocess.run([perfpair_record, "-q", "-e", "cpu-clock", "true"],
                          stdout=subprocess.PIPE, cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout[:16] == b"PERFILE2" + struct.pack("<Q", 16)
    assert not (tmp_path / "perf.data").exists()


def test_a_terminal_takes_no_recording(perfpair_record, may_record, tmp_path):
    master, slave = open_terminal()
    done = subprocess.run([perfpair_record, "-e", "cpu-clock", "-o", "-",
                           "true"], stdout=slave, stderr=subprocess.PIPE,
                          text=True, cwd=tmp_path)
    os.close(slave)
    os.close(master)
    assert done.returncode == 255
    assert lines(done.stderr) == [
        "-: a terminal takes no recording",
        "give a file with -o, or pipe it to another program"]


def test_command_does_not_write_into_the_pipe(perfpair_record, may_record,
                                              tmp_path):
    done = subprocess.run(
        [perfpair_record, "-q", "-e", "cpu-clock", "-o", "-", "sh", "-c",
         "echo hel''lo"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path)
    assert done.returncode == 0
    assert b"hello" not in done.stdout
    assert done.stderr == b"hello\n"


def test_full_disk_is_said(record, may_record):
    done = record("-e", "cpu-clock", "-o", "/dev/full", "true")
    assert done.returncode == 255
    assert lines(done.stderr)[0] == (
        "/dev/full: writing: No space left on device")


def test_file_at_a_limit_is_whole_up_to_there(perfpair_record, may_record, perf,
                                              run, tmp_path):
    """The limit on a file's length tears a write as a full disk does."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, 600_000))

    done = run([perfpair_record, "-q", "-z0", "-a", "-F", "20000", "-e",
                "cpu-clock", "-m", "16", "-o", "t.data", "--duration", "60s"],
               preexec_fn=limit)
    assert done.returncode == 255
    assert lines(done.stderr)[0] == "t.data: writing: File too large"
    data = (tmp_path / "t.data").read_bytes()
    data_off, data_len = struct.unpack_from("<QQ", data, DATA_LEN_OFF - 8)
    assert data_off + data_len == len(data)
    script = run([perf, "script", "-i", "t.data", "-F", "time"])
    assert script.returncode == 0
    assert len(script.stdout.splitlines()) > 1000


# What a killed recorder leaves: its options, and seconds that must be there.
KILLED = {
    "packed": (["-z1", "-F", "1000", "-e", "cpu-clock"], 1),
    "plain": (["-z0", "--flush-interval", "200ms", "-F", "1000", "-e",
               "cpu-clock"], 0.5),
    "tracepoint": (["--flush-interval", "200ms", "-e", "sched:sched_switch"],
                   0.5),
}


@pytest.fixture(scope="module")
def killed(perfpair_record, may_trace, tmp_path_factory):
    """{name of KILLED: file}, of recorders of all CPUs beside each other.  They
    are killed once the slowest, which flushes each second, has done it twice."""
    folder = tmp_path_factory.mktemp("killed")
    recorders = [subprocess.Popen(
        [perfpair_record, "-q", "-a", "-o", folder / name, *options])
        for name, (options, _) in KILLED.items()]
    time.sleep(2.6)
    for recorder in recorders:
        recorder.kill()
        recorder.wait()
    return {name: folder / name for name in KILLED}


def span(times):
    assert times == sorted(times)
    return times[-1] - times[0]


@pytest.mark.parametrize("name, bits", [("packed", 1 << 27), ("plain", 0)])
def test_killed_recorder_leaves_what_it_flushed(name, bits, killed, perf, run):
    data = killed[name].read_bytes()
    data_off, data_len = struct.unpack_from("<QQ", data, DATA_LEN_OFF - 8)
    assert data_off + data_len <= len(data)
    # without COMPRESSED some of perf's commands cannot read what is packed
    assert struct.unpack_from("<Q", data, FEATURES_OFF) == (bits,)
    assert data[FEATURES_OFF + 8:104] == bytes(24)
    script = run([perf, "script", "-i", killed[name], "-F", "time"])
    assert script.returncode == 0
    assert span([float(line.strip(" :")) for line in
                 script.stdout.splitlines()]) >= KILLED[name][1]


def test_killed_recorder_of_tracepoints_leaves_what_it_flushed(killed, perf,
                                                               run):
    """perf needs the tracepoints' formats before it reads anything."""
    script = run([perf, "script", "-i", killed["tracepoint"], "-F",
                  "time,event,trace"])
    assert script.returncode == 0
    found = script.stdout.splitlines()
    assert all("next_prio=" in line for line in found)
    assert span([float(line.split()[0].rstrip(":")) for line in found]) >= \
        KILLED["tracepoint"][1]


def test_reader_of_the_pipe_that_ends_is_told(perfpair_record, may_record,
                                              tmp_path):
    recorder = subprocess.Popen(
        [perfpair_record, "-q", "-a", "-e", "cpu-clock", "-z0", "-o", "-"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path)
    recorder.stdout.read(16)
    recorder.stdout.close()
    said = recorder.stderr.read().decode()
    assert recorder.wait(60) == 255
    assert lines(said) == ["-: writing: Broken pipe",
                           "the reader of the pipe has ended"]


def test_table_of_build_ids(clock, perf, run):
    assert clock("-a", "--buildid-all", "true").returncode == 0
    table = run([perf, "buildid-list", "-i", "t.data"]).stdout
    found = dict(line.split(" ", 1)[::-1] for line in table.splitlines())
    assert "[kernel.kallsyms]" in found
    for name, build_id in found.items():
        if name.endswith("/libc.so.6"):
            notes = run(["readelf", "-n", name]).stdout
            assert f"Build ID: {build_id}" in notes


def test_summary_names_file_and_samples(clock, perf, run):
    done = clock("-a", "--duration", "100ms")
    found = re.search(r"Captured and wrote [\d.]+ MB t.data \((\d+) samples\)",
                      done.stderr)
    script = run([perf, "script", "-i", "t.data", "-F", "time"])
    assert int(found[1]) == len(script.stdout.splitlines())


def test_losses_are_counted_per_cpu(perfpair_record, may_trace, workload, perf, run):
    # the program and the recorder share a CPU, so that the ring is full most of the time
    done = run(["taskset", "-c", min(os.sched_getaffinity(0)), perfpair_record,
                "--no-boost", "--spill-size", "0", "-m", "1", "-e",
                "syscalls:sys_enter_getppid", "-o", "t.data", workload("getppid"),
                "200000"])
    found = re.search(r"lost (\d+) of (\d+) samples .*, CPU \d+: \d+",
                      done.stderr)
    assert found, done.stderr
    # the kernel counts a lost EXIT or MMAP2 record of the event with them
    assert 200000 <= int(found[2]) <= 200010
    lost = int(found[1])
    stats = run([perf, "report", "--stdio", "-i", "t.data"]).stdout
    assert f"# Total Lost Samples: {lost}" in stats


def test_losses_of_all_files_are_said(record, may_trace, workload):
    done = record("-m", "1", "-z0", "--spill-size", "0", "--switch-output=100K",
                  "-e", "syscalls:sys_enter_getppid", "-o", "t.data",
                  workload("getppid"), "200000")
    assert done.stderr.count("Dump t.data.") >= 2
    lost, seen, rest = re.search(r"lost (\d+) of (\d+) samples \(.*?%\)(.*);",
                                 done.stderr).groups()
    assert 200000 <= int(seen) <= 200030
    assert sum(map(int, re.findall(r", CPU \d+: (\d+)", rest))) == int(lost)


def test_nothing_is_lost_where_nothing_is_said(record, may_trace, workload,
                                               perf, run):
    done = record("-m", "8M", "-e", "syscalls:sys_enter_getppid", "-o",
                  "t.data", workload("getppid"), "20000")
    assert "lost" not in done.stderr
    script = run([perf, "script", "-i", "t.data", "-F", "event"])
    assert len(script.stdout.splitlines()) == 20000


def test_every_thread_of_a_process_is_opened(perfpair_record, may_record,
                                             workload, tmp_path, run, perf):
    program = subprocess.Popen(["sh", "-c", "sleep 60 & echo ready; wait"],
                               stdout=subprocess.PIPE, start_new_session=True)
    assert program.stdout.readline() == b"ready\n"
    recorder = run([perfpair_record, "-v", "-e", "cpu-clock", "-o", "t.data",
                    "-p", program.pid, "--duration", "50ms"])
    os.killpg(program.pid, signal.SIGKILL)
    program.communicate()
    assert recorder.returncode == 0
    dump = run([perf, "report", "-D", "-i", "t.data"]).stdout
    assert f"PERF_RECORD_THREAD_MAP nr: 1 thread: {program.pid}" in dump


@pytest.mark.parametrize("level", ["-z0", "-z1"])
def test_size_limit(record, may_trace, workload, run, perf, tmp_path, level):
    """All rings together wake us 16 times before the limit, and what they
    hold then is counted; on a busy machine some more may come."""
    limit, ring, cpus = 1 << 20, 1 << 20, os.cpu_count()
    done = record("-a", level, "--max-size", "1M", "-m", "1M", "-e",
                  "syscalls:sys_enter_getppid", "-o", "t.data", "--",
                  workload("getppid"), "100000000")
    assert done.returncode == -signal.SIGTERM
    assert re.search(r"^\[ perfpair-record: size limit reached \(\d+ KB\), "
                     r"stopping session ]$", done.stderr, re.M)
    size = (tmp_path / "t.data").stat().st_size
    assert limit / 4 < size < limit + 4 * cpus * ring
    attrs = run([perf, "evlist", "-v", "-i", "t.data"]).stdout
    share = max(limit // 16 // cpus, 4096)
    assert f"wakeup_watermark }}: {share}" in attrs


def test_small_locked_memory_shrinks_the_rings(perfpair_record, may_record, run,
                                               open_folder):
    """As another user, who has no CAP_IPC_LOCK."""
    if os.geteuid():
        pytest.skip("needs root, to become another user")
    program = shutil.copy(perfpair_record, open_folder)

    def drop():
        resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, 0))
        os.setgid(ORDINARY)
        os.setuid(ORDINARY)

    done = run([program, "-e", "cpu-clock:u", "-m", "16M", "-o", "t.data", "-F",
                "9000", "-g", "--leaf-callers", "true"], cwd=open_folder, preexec_fn=drop)
    assert done.returncode == 0, done.stderr
    found = re.search(r"rings of (\d+) KiB, not 16384: .*; -m \1K fits",
                      done.stderr)
    assert found, done.stderr
    hz = int(found[1]) * 1024 // 100  # too short for callers of leaves
    said = f"--leaf-callers: no event has them; .* at most {hz} samples"
    if platform.machine() == "x86_64" and hz < 9000:
        assert re.search(said, done.stderr), done.stderr


@pytest.mark.parametrize("options, lost", [
    ([], "maps and tasks"),
    (["--switch-events"], "maps, tasks and switches")])
def test_lost_maps_and_tasks_are_no_lost_samples(perfpair_record, may_record,
                                                 tmp_path, options, lost):
    """"lost 74554 of 74554 samples" of an event that makes none."""
    process = subprocess.Popen(
        [perfpair_record, "-a", "-e", "dummy", "-m", "1", "-o", "t.data",
         *options],
        cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    until_said(process)
    process.send_signal(signal.SIGSTOP)
    for _ in range(40):
        subprocess.run(["sh", "-c", "ls; ls; ls; true"], cwd=tmp_path,
                       stdout=subprocess.DEVNULL)
    process.send_signal(signal.SIGCONT)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=60)[1]
    assert re.search(rf"lost [1-9]\d* records of {lost}, so", said)
    assert not re.search(r"lost \d+ of \d+ samples", said)


@pytest.mark.parametrize("events, is_said", [
    ("syscalls:sys_enter_s[a-e]*", True), ("syscalls:sys_enter_getppid", False)])
def test_closing_that_takes_long_is_told(perfpair_record, may_trace, run,
                                         events, is_said):
    done = run([perfpair_record, "-e", events, "-o", "t.data", "true"])
    assert done.returncode == 0, done.stderr
    last = done.stderr.splitlines()[-1]
    assert bool(re.search(r"closing \d+ tracepoints", last)) == is_said
