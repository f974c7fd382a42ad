"""Where little comes, a flush makes what there is readable and leaves the zstd
frame open (format/FORMAT.md, "Compressed frames"). Killed or ended, plain times
or tracepoints: perf and ours read the same, in all ways that ours has."""

import collections
import re
import struct
import subprocess
import time

import pytest

MAGIC = b"\x28\xb5\x2f\xfd"
COMPRESSED, ROUND = 81, 68
EVENTS = {"clock": ["-e", "cpu-clock", "-F", "99"],
          "tracepoint": ["-e", "syscalls:sys_enter_getppid/period=100000/",
                         "-e", "cpu-clock/freq=99/"]}


def records(path):
    """(type, payload) of the records of the data section."""
    data = path.read_bytes()
    at, length = struct.unpack_from("<QQ", data, 40)
    end = at + length
    while at < end:
        kind, _, size = struct.unpack_from("<IHH", data, at)
        if at + size > end:
            return
        yield kind, data[at + 8:at + size]
        at += size


def frames_and_rounds(path):
    """How many frames begin, and the most rounds that end inside one."""
    frames, most, rounds, pending = 0, 0, 0, 0
    for kind, payload in records(path):
        if kind == ROUND:
            pending += 1
        elif kind == COMPRESSED and payload.startswith(MAGIC):
            frames, rounds, pending = frames + 1, 0, 0
        elif kind == COMPRESSED:
            rounds, pending = rounds + pending, 0
            most = max(most, rounds)
    return frames, most


@pytest.fixture(scope="module", params=EVENTS)
def recorded(request, perfpair_record, perf, may_trace, workload,
             tmp_path_factory):
    """{"killed": path, "ended": path}, of many rounds each."""
    folder = tmp_path_factory.mktemp("open")
    paths = {}
    task = subprocess.Popen([workload("getppid"), "2000000000"])
    try:
        for how in ("killed", "ended"):
            paths[how] = folder / f"{how}.data"
            recorder = subprocess.Popen(
                [perfpair_record, "-q", "-g", *EVENTS[request.param], "-p",
                 str(task.pid), "--flush-interval", "60ms", "-o",
                 paths[how]])
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline:
                time.sleep(0.1)
                if paths[how].exists() and paths[how].stat().st_size > 104 \
                        and frames_and_rounds(paths[how])[1] > 4:
                    break
            if how == "killed":
                recorder.kill()
            else:
                recorder.terminate()
            recorder.wait()
    finally:
        task.kill()
        task.wait()
    return paths


@pytest.mark.parametrize("how", ["killed", "ended"])
def test_rounds_end_inside_a_frame(recorded, how):
    frames, most = frames_and_rounds(recorded[how])
    assert most > 4, f"{frames} frames"


@pytest.mark.parametrize("how", ["killed", "ended"])
def test_all_read_the_same(recorded, how, perf, perfpair, run):
    path = recorded[how]
    fields = ["-F", "event,time,ip,sym", "-i"]
    theirs = run([perf, "script", *fields, path])
    assert (theirs.returncode, theirs.stderr) == (0, "")
    ours = run([perfpair, "script", *fields, path])
    lost = collections.Counter(theirs.stdout.splitlines())
    lost.subtract(ours.stdout.splitlines())
    # a killed one is read on to its end, behind the last checkpoint
    assert max(lost.values()) <= 0
    assert how == "killed" or not +(-lost)
    with path.open("rb") as pipe:
        piped = subprocess.run([perfpair, "script", *fields, "-"], stdin=pipe,
                               capture_output=True, text=True)
    assert piped.stdout == ours.stdout
    reports = [run([perfpair, "report", "--stdio", *jobs, "-i", path]).stdout
               for jobs in ([], ["--jobs", "1"], ["--jobs", "3"])]
    assert reports[0] == reports[1] == reports[2]
    assert "getppid" in reports[0]


def test_check_and_repair(recorded, perf, perfpair, run, tmp_path):
    whole = run([perfpair, "check", recorded["ended"]])
    assert whole.returncode == 0, whole.stdout
    killed = run([perfpair, "check", recorded["killed"]])
    found = re.findall(r" \[([\w-]+)\]$", killed.stdout, re.M)
    assert killed.returncode == 3
    assert set(found) <= {"unfinished", "uncovered", "record"}, killed.stdout
    mended = tmp_path / "mended.data"
    run([perfpair, "repair", recorded["killed"], "-o", mended])
    check = run([perfpair, "check", mended])
    assert check.returncode == 0, check.stdout
    scripts = [run([program, "script", "-F", "event,time,ip", "-i", mended])
               for program in (perf, perfpair)]
    assert scripts[0].stdout == scripts[1].stdout
    before = run([perfpair, "script", "-F", "event,time,ip", "-i",
                  recorded["killed"]])
    assert scripts[1].stdout == before.stdout
