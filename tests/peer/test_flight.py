"""--overwrite, the flight recorder: the last of the rings, for perf as for us;
--tail-synthesize."""

import os
import pathlib
import re
import signal
import subprocess
import time

import pytest

from common import until, until_said
from peer_text import LOST

EVENT = "syscalls:sys_enter_getppid"


@pytest.fixture
def record(run, perfpair_record, may_record):
    return lambda *args, **kw: run([perfpair_record, "-o", "t.data", *args],
                                   **kw)


@pytest.fixture
def loop():
    """A process that is busy until the test ends, however it ends."""
    process = subprocess.Popen(["awk", "BEGIN { for (;;) x++ }"])
    yield process
    process.kill()
    process.wait()


def times(run, perf, path="t.data", may_lose=False):
    """may_lose: what comes while the rings are read for a snapshot is not
    written by the kernel, which says so when they go on."""
    done = run([perf, "script", "-i", path, "-F", "time"])
    said = LOST.sub("", done.stderr) if may_lose else done.stderr
    assert (done.returncode, said) == (0, "")
    return [float(line.strip(" :")) for line in done.stdout.splitlines()]


def test_only_the_last_of_the_rings_is_written(record, run, perf, perfpair,
                                               may_trace, workload):
    """A ring of 64 KiB holds some hundred records: the last ones, without a
    gap in the order in which they came."""
    everything = record("-e", EVENT, "-m", "8M", workload("getppid"), "100000")
    assert everything.returncode == 0
    step = (lambda t: (t[-1] - t[0]) / len(t))(times(run, perf))
    done = record("-e", EVENT, "-m", "16", "--overwrite",
                  workload("getppid"), "100000")
    assert (done.returncode, "lost" in done.stderr) == (0, False)
    found = times(run, perf)
    nr = int(re.search(r"\((\d+) samples\)", done.stderr)[1])
    assert len(found) == nr
    # getppid's records have 72 bytes
    assert 64 * 1024 / 72 * 0.9 < nr < 2 * 64 * 1024 / 72
    assert found == sorted(found)
    assert found[-1] - found[0] < 50 * nr * step
    ours = run([perfpair, "script", "-i", "t.data"])
    theirs = run([perf, "script", "-i", "t.data"])
    assert (ours.stdout, ours.stderr) == (theirs.stdout, "")


def test_perf_opens_the_same_events(run, perf, perfpair_record, may_trace):
    """All are written backwards, and no ring may be written by us."""
    for program in ([perf, "record", "-B", "-N", "--no-bpf-event"],
                    [perfpair_record, "--no-bpf-event"]):
        run([*program, "-q", "-o", "t.data", "-a", "--overwrite", "-e",
             "cpu-clock", "true"])
        text = run([perf, "evlist", "-v", "-i", "t.data"]).stdout
        rows = [line for line in text.splitlines() if "type:" in line]
        assert len(rows) == 2
        assert all("write_backward: 1" in row for row in rows)


def test_snapshot_at_a_signal(perfpair_record, may_record, run, perf, loop,
                              tmp_path):
    recorder = subprocess.Popen(
        [perfpair_record, "-a", "-e", "cpu-clock", "-m", "32", "--overwrite",
         "--switch-output", "-o", "t.data"], cwd=tmp_path,
        stderr=subprocess.PIPE, text=True)
    files = lambda: sorted(tmp_path.glob("t.data.*"))  # noqa: E731
    try:
        assert loop.poll() is None
        until_said(recorder)
        for nr in (1, 2):
            time.sleep(0.3)
            recorder.send_signal(signal.SIGUSR2)
            until(lambda: len(files()) >= nr, recorder)
            assert len(files()) == nr
        time.sleep(0.3)
        recorder.send_signal(signal.SIGINT)
        recorder.communicate(timeout=60)
    finally:
        recorder.kill()
        recorder.wait()
    assert len(files()) == 3
    spans = []
    for path in files():
        found = times(run, perf, path, may_lose=True)
        assert len(found) > 100
        assert found == sorted(found)
        spans.append((found[0], found[-1]))
        script = run([perf, "script", "-i", path, "-F", "comm,ip,dso"])
        mine = [line for line in script.stdout.splitlines()
                if line.split()[0] == "awk"]
        assert mine
        assert [line for line in mine if "unknown" in line] == []
    # nothing is in two of them
    assert spans[0][1] < spans[1][0] and spans[1][1] < spans[2][0]


def user_seconds(session, comm):
    """Of each such process of the session: pid to user CPU time."""
    found = {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            text = path.read_text()
        except OSError:
            continue  # it has ended
        name = text[text.index("(") + 1:text.rindex(")")]
        words = text[text.rindex(")") + 2:].split()
        if name == comm and int(words[3]) == session:
            found[int(path.parent.name)] = (int(words[11]) /
                                            os.sysconf("SC_CLK_TCK"))
    return found


def test_children_of_a_command_are_known(perfpair_record, may_record, run,
                                         perf, tmp_path):
    """Both rings are full of samples at the end: a fork that one still has, of
    a task whose exec the other has forgotten, would win."""
    cpus = sorted(os.sched_getaffinity(0))
    recorder = subprocess.Popen(
        [perfpair_record, "-q", "-e", "cpu-clock:u", "-F", "2000", "-m", "4",
         "--overwrite", "--switch-output", "-o", "t.data", "--", "sh", "-c",
         f"taskset -c {cpus[0]} timeout 90 awk 'BEGIN {{ for (;;) x++ }}' & "
         f"taskset -c {cpus[-1]} timeout 90 awk 'BEGIN {{ for (;;) x++ }}'"],
        cwd=tmp_path, start_new_session=True)

    def both_were_busy():
        busy = user_seconds(recorder.pid, "awk").values()
        return len(busy) == 2 and min(busy) >= 0.5

    try:
        until(both_were_busy, recorder)
        recorder.send_signal(signal.SIGUSR2)
        until(lambda: list(tmp_path.glob("t.data.*")), recorder)
        recorder.send_signal(signal.SIGINT)
        recorder.wait(20)
    finally:
        recorder.kill()
        recorder.wait()
        for pid in user_seconds(recorder.pid, "awk"):
            os.kill(pid, signal.SIGKILL)
    first = sorted(tmp_path.glob("t.data.*"))[0]
    done = run([perf, "script", "-i", first, "-F", "comm,ip,dso"])
    lines = done.stdout.splitlines()
    assert len(lines) > 20
    assert {line.split()[0] for line in lines} <= {"awk", "sh", "taskset",
                                                   "timeout"}
    assert "unknown" not in done.stdout


def test_what_runs_is_told_at_the_end(record, run, perf, loop):
    record("-p", loop.pid, "-e", "cpu-clock:u", "--tail-synthesize",
           "--duration", "300ms")
    dump = run([perf, "report", "-D", "-i", "t.data"]).stdout
    kinds = re.findall(r"PERF_RECORD_(SAMPLE|COMM:|MMAP2|FINISHED_ROUND)",
                       dump)
    assert "FINISHED_ROUND" not in kinds
    assert kinds.index("MMAP2") < kinds.index("SAMPLE")  # as perf delivers it
    done = run([perf, "script", "-i", "t.data", "-F", "comm,ip,dso"])
    lines = done.stdout.splitlines()
    assert len(lines) > 100
    assert {line.split()[0] for line in lines} == {"awk"}
    assert [line for line in lines if "unknown" in line] == []
