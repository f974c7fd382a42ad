"""--switch-output and --timestamp-filename: every file is whole by itself, and
together they hold every event, once."""

import os
import pathlib
import re
import select
import shutil
import signal
import statistics
import subprocess
import time

import pytest

from common import RECORD, until, until_said

STAMP = re.compile(r"t\.data\.20\d{14}$")


@pytest.fixture
def record(run, perfpair_record, may_record):
    return lambda *args, **kw: run([perfpair_record, "-o", "t.data", *args],
                                   **kw)


def slices(tmp_path):
    return sorted(path for path in tmp_path.iterdir()
                  if path.name.startswith("t.data."))


def count(run, perf, path):
    done = run([perf, "script", "-i", path, "-F", "event"])
    assert done.returncode == 0
    # it warns of lost events, and of nothing else
    assert "lost" in done.stderr or done.stderr == ""
    return len(done.stdout.splitlines())


@pytest.mark.final
@pytest.mark.parametrize("options", [
    ["-z0", "--switch-output=2M"], ["--switch-output=40K"],
])
def test_no_event_is_lost_between_two_files(record, run, perf, may_trace,
                                            workload, tmp_path, options):
    done = record("-m", "8M", *options, "-e", "syscalls:sys_enter_getppid",
                  workload("getppid"), "200000")
    files = slices(tmp_path)
    assert done.returncode == 0
    assert len(files) >= 3
    assert all(STAMP.match(path.name) for path in files)
    assert not (tmp_path / "t.data").exists()
    assert sum(count(run, perf, path) for path in files) == 200000
    dumps = re.findall(r"^\[ perfpair-record: Dump (t\.data\.\d+) \]$",
                       done.stderr, re.M)
    assert dumps == [path.name for path in files]
    assert f"t.data.<timestamp> (200000 samples in {len(files)} files)" \
        in done.stderr


def test_files_are_about_as_long_as_was_asked_for(record, may_trace, workload,
                                                  tmp_path):
    """60 MB/s: what is to be read for the next file is read before this one is
    full, and what waits in the rings is counted."""
    record("-m", "4M", "-z0", "--switch-output=1M", "-e",
           "syscalls:sys_enter_getppid", workload("getppid"), "400000")
    lens = [path.stat().st_size for path in slices(tmp_path)]
    assert len(lens) >= 8
    # What is on its way from a ring into the file may count twice.
    assert min(lens[:-1]) >= 0.9 * (1 << 20)
    # Each millisecond without a CPU adds 60 KB; perf's files have 5 MB.
    assert statistics.median(lens[:-1]) < 2.5 * (1 << 20)


def test_packed_files_are_not_shorter_than_was_asked_for(
        record, may_trace, workload, tmp_path):
    """The ratio so far is a guess that is looked at once more."""
    done = record("-m", "4M", "--switch-output=250K", "-e",
                  "syscalls:sys_enter_getppid", workload("getppid"), "400000")
    assert done.returncode == 0
    lens = [path.stat().st_size for path in slices(tmp_path)]
    assert len(lens) >= 3
    # The first does not know how much there will be behind its records.
    assert min(lens[1:-1]) >= 0.85 * 256000
    assert statistics.median(lens[1:-1]) < 2 * 256000


def test_tasks_are_known_where_files_follow_each_other_fast(
        perfpair_record, run, perf, may_trace, workload, tmp_path):
    """One reading of /proc serves several files: programs that began since
    have their names in each."""
    until_end = "while [ ! -e end ]; do"
    loop = f"{until_end} {workload('getppid')} 10000; done"
    recorder = subprocess.Popen(
        [perfpair_record, "-q", "-a", "-z0", "-m", "4M", "--switch-output=512K",
         "-o", "t.data", "-e", "syscalls:sys_enter_getppid", "--", "sh", "-c",
         f"{until_end} /usr/bin/env true; done & {loop} & {loop}; wait"],
        cwd=tmp_path)
    try:
        until(lambda: len(slices(tmp_path)) > 5, recorder)
    finally:
        (tmp_path / "end").touch()
        recorder.wait(60)
    for path in slices(tmp_path):
        script = run([perf, "script", "-i", path, "-F", "comm,ip,sym"])
        comms = {line.split()[0] for line in script.stdout.splitlines()}
        assert ":-1" not in comms
        assert not [comm for comm in comms if comm.startswith(":")]
        maps = run([perf, "script", "-i", path, "--show-mmap-events", "-F",
                    "comm,event"]).stdout
        assert "getppid" in maps or "getppid" not in comms


@pytest.fixture(scope="module")
def each_second(perfpair_record, may_record, workload, tmp_path_factory):
    """Files of a second each, of all CPUs."""
    folder = tmp_path_factory.mktemp("seconds")
    recorder = subprocess.Popen(
        [perfpair_record, "-q", "-a", "-g", "--no-leaf-callers", "--buildid-all",
         "--switch-output=1s", "-e", "cpu-clock", "-F", "999", "-o", "t.data",
         "--", shutil.copy(workload("spin"), folder / "sliced"), "60000"],
        cwd=folder)
    until(lambda: len(slices(folder)) == 2, recorder)
    recorder.terminate()
    recorder.wait(60)
    return slices(folder)


def test_each_file_ends_cleanly_for_perf_and_us(each_second, run, perf,
                                                perfpair):
    assert len(each_second) >= 3
    headers = []
    for path in each_second:
        header = run([perf, "report", "--header-only", "-i", path])
        assert header.stderr == ""
        headers.append([line for line in header.stdout.splitlines()
                        if line.startswith(("# cmdline", "# hostname",
                                            "# event :", "# nrcpus"))])
        # what else runs on this machine may be in a container
        ours, theirs = (run([reader, "script", "--comms", "sliced", "-i", path])
                        for reader in (perfpair, perf))
        assert (ours.returncode, ours.stderr) == (0, "")
        assert theirs.stderr == ""
        assert ours.stdout == theirs.stdout != ""
    assert len(headers[0]) >= 5
    assert headers == [headers[0]] * len(headers)


def test_build_ids_are_in_each_file(each_second, run, perf):
    for path in each_second:
        table = run([perf, "buildid-list", "-i", path]).stdout
        assert re.search(r"^[0-9a-f]{40} .*/libc\.so\.6$", table, re.M)


def test_tasks_and_maps_are_known_in_each_file(perfpair_record, run, perf,
                                               may_record, tmp_path):
    """Children of a command, some that began in older files, some that began
    while the switch went on."""
    script = ("echo $PPID >pid; while [ ! -e enough ]; do awk 'BEGIN { for "
              "(i = 0; i < 1500000; i++) x += i }'; /bin/true; done & "
              "awk 'BEGIN { while (system(\"[ -e enough ]\")) for (i = 0; i < "
              "100000; i++) x += i }'; wait")
    recorder = subprocess.Popen(
        [perfpair_record, "-q", "-F", "2000", "-e", "cpu-clock:u", "-o",
         "t.data", "--switch-output", "--", "sh", "-c", script], cwd=tmp_path)
    try:
        until((tmp_path / "pid").exists, recorder)
        for nr in range(1, 6):
            time.sleep(0.15)
            recorder.send_signal(signal.SIGUSR2)
            until(lambda: len(slices(tmp_path)) >= nr, recorder)
    finally:
        (tmp_path / "enough").touch()
    assert recorder.wait(30) == 0
    files = slices(tmp_path)
    assert len(files) == 6
    for path in files:
        done = run([perf, "script", "-i", path, "-F", "comm,ip,dso"])
        lines = done.stdout.splitlines()
        assert [line for line in lines
                if "unknown" in line or line.lstrip().startswith(":")] == []
    commands = {line.split()[0] for path in files for line in
                run([perf, "script", "-i", path, "-F", "comm"])
                .stdout.splitlines()}
    assert "awk" in commands


def test_only_the_last_files_stay(perfpair_record, may_record, tmp_path):
    (tmp_path / "t.data.2020010101010101").write_text("not ours")
    recorder = subprocess.Popen(
        [perfpair_record, "-a", "-e", "cpu-clock", "--switch-output",
         "--switch-max-files", "2", "-o", "t.data"], cwd=tmp_path,
        stderr=subprocess.PIPE, text=True)
    until_said(recorder)
    for _ in range(3):
        recorder.send_signal(signal.SIGUSR2)
        until_said(recorder, " Dump ")
    recorder.terminate()
    assert recorder.communicate(timeout=60)[1].count(" Dump ") == 1
    assert len(slices(tmp_path)) == 3
    assert (tmp_path / "t.data.2020010101010101").read_text() == "not ours"


def test_files_of_earlier_recordings_count_for_max_files(record, tmp_path):
    """A service that is started again does not fill the disk."""
    (tmp_path / "t.data.2020010101010101").write_text("an earlier one's")
    (tmp_path / "t.data.notes").write_text("no recording")
    made = []
    for _ in range(4):
        done = record("-e", "cpu-clock", "--timestamp-filename", "--max-files",
                      "2", "true")
        assert done.returncode == 0
        assert "stays" not in done.stderr
        made += re.findall(r" Dump (t\.data\.\d+) \]$", done.stderr, re.M)
    assert len(made) == 4
    assert {path.name for path in slices(tmp_path)} == {"t.data.notes",
                                                        *made[2:]}


def test_losses_are_told_once(record, run, perf, may_trace, workload,
                              tmp_path):
    done = record("-m", "1", "-z0", "--switch-output=1M", "-e",
                  "syscalls:sys_enter_getppid", workload("getppid"), "300000")
    lost = 0
    for path in slices(tmp_path):
        text = run([perf, "report", "--stdio", "-i", path]).stdout
        lost += int(re.search(r"Total Lost Samples: (\d+)", text)[1])
    samples = sum(count(run, perf, path) for path in slices(tmp_path))
    assert done.returncode == 0
    assert lost > 0
    assert 300000 <= samples + lost <= 300010


def test_name_with_the_time(record, tmp_path):
    done = record("-e", "cpu-clock", "--timestamp-filename", "true")
    files = slices(tmp_path)
    assert done.returncode == 0
    assert len(files) == 1 and STAMP.match(files[0].name)
    assert "t.data.<timestamp>" in done.stderr


def test_event_that_ends_a_file(record, run, perf, may_trace, tmp_path):
    """A system call that nobody else makes meanwhile."""
    if os.uname().machine != "x86_64":
        pytest.skip("mq_unlink has another number here")
    done = record("-a", "-e", "cpu-clock", "--switch-output-event",
                  "syscalls:sys_enter_mq_unlink", "--", "/usr/bin/python3",
                  "-c", "import ctypes, glob, time\n"
                  "for i in range(1, 4):\n"
                  "    ctypes.CDLL(None).syscall(241, 0)\n"
                  "    while len(glob.glob('t.data.2*')) < i:\n"
                  "        time.sleep(0.01)\n")
    assert done.returncode == 0
    files = slices(tmp_path)
    assert len(files) == 4
    # it is not recorded
    names = run([perf, "evlist", "-i", files[0]]).stdout.split()
    assert names == ["cpu-clock", "dummy:HG"]


def test_snapshot_command_is_answered_when_the_file_is_there(
        perfpair_record, may_record, tmp_path):
    for name in ("ctl", "ack"):
        os.mkfifo(tmp_path / name)
    control = os.open(tmp_path / "ctl", os.O_RDWR)
    ack = os.open(tmp_path / "ack", os.O_RDWR)
    recorder = subprocess.Popen(
        [perfpair_record, "-q", "-a", "-e", "cpu-clock", "-o", "t.data",
         "--control", "fifo:ctl,ack", "--switch-output"], cwd=tmp_path)
    found = []
    for _ in range(3):
        os.write(control, b"snapshot\n")
        assert select.select([ack], [], [], 20)[0]
        assert os.read(ack, 64) == b"ack\n\0"
        found.append(len(slices(tmp_path)))
    os.write(control, b"stop\n")
    assert recorder.wait(20) == 0
    os.close(control)
    os.close(ack)
    assert found == [1, 2, 3]
    assert len(slices(tmp_path)) == 4


def test_size_limit_ends_the_recording(run, perf, perfpair_record, may_record,
                                       tmp_path):
    """The same line and status as perf's; the file is readable."""
    said, status = [], []
    for program in ([perf, *RECORD, "-B", "-N"], [perfpair_record, "-z0"]):
        done = run([*program, "-e", "cpu-clock", "-F", "20000", "-m", "16",
                    "-o", "t.data", "--max-size", "600K", "--", "sh", "-c",
                    "while :; do :; done"])
        said.append([re.sub(r"perf record: perf|perfpair-record:|\d+", "", line)
                     for line in done.stderr.splitlines() if "limit" in line])
        status.append(done.returncode)
    assert said[0] == said[1]
    assert len(said[1]) == 1
    assert status[0] == status[1] == -signal.SIGTERM
    size = (tmp_path / "t.data").stat().st_size
    assert 600 * 1024 <= size < 1200 * 1024
    assert count(run, perf, pathlib.Path("t.data")) > 1000


@pytest.mark.parametrize("options", [["--switch-output"],
                                     ["--timestamp-filename"]])
def test_a_pipe_has_no_next_file(run, perfpair_record, may_record, options):
    done = run([perfpair_record, "-e", "cpu-clock", "-o", "-", *options,
                "true"], text=False)
    assert done.returncode == 255
    assert done.stdout == b""
    assert b"a pipe has neither a next file nor" in done.stderr
