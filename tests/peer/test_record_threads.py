"""Several drain threads, one file: perf finds every record in order."""

import os
import re

import pytest

from perf_data_validator import validate

CALLS = 80000
CPUS = sorted(os.sched_getaffinity(0))[:4]
FIELDS = "comm,tid,cpu,time,event"

LAYOUTS = [
    [], ["--threads=1"], ["--threads=4"], ["--threads"], ["--threads=core"],
    ["--threads=package"], ["--threads=numa"], ["--threads=4", "-z0"],
    ["--threads=2", "--affinity=cpu"], ["--threads=3", "--affinity=node"],
    [f"--threads={CPUS[0]}/{CPUS[0]}"], ["-r", "5", "--threads=2"],
    ["--threads=4", "--spill-size", "1M", "-m", "16"],
]


@pytest.fixture
def storm(workload, tmp_path):
    """A shell script that calls getppid on each CPU at once."""
    program = workload("getppid")
    lines = [f"taskset -c {cpu} {program} {CALLS} &" for cpu in CPUS]
    path = tmp_path / "storm.sh"
    path.write_text("\n".join(lines) + "\nwait\n")
    return ["sh", path]


@pytest.mark.final
@pytest.mark.parametrize("layout", LAYOUTS, ids=" ".join)
def test_all_threads_write_one_file_in_order(layout, storm, run, perf, tmp_path,
                                             perfpair, perfpair_record,
                                             may_trace):
    done = run([perfpair_record, "-a", "-m", "4M", *layout, "-e",
                "syscalls:sys_enter_getppid", "-o", "t.data", "--", *storm])
    assert done.returncode == 0, done.stderr
    assert validate(tmp_path / "t.data") == []
    theirs = run([perf, "script", "-i", "t.data", "-F", FIELDS])
    ours = run([perfpair, "script", "-i", "t.data", "-F", FIELDS])
    assert "out of order" not in theirs.stderr
    assert theirs.stdout == ours.stdout
    lost = re.search(r"lost (\d+) of", done.stderr)
    found = sum(line.lstrip().startswith("getppid")
                for line in theirs.stdout.splitlines())
    assert found + (int(lost[1]) if lost else 0) >= CALLS * len(CPUS)


@pytest.mark.final
def test_records_without_times_stay_in_the_order_of_their_ring(
        storm, run, perf, perfpair_record, may_trace):
    """No times: a reader has nothing but the order in the file."""
    done = run([perfpair_record, "-a", "--no-timestamp", "--sample-cpu",
                "--threads=4", "-m", "4M", "-e", "syscalls:sys_enter_getppid",
                "-e", "syscalls:sys_exit_getppid", "-o", "t.data", "--",
                *storm])
    assert done.returncode == 0, done.stderr
    text = run([perf, "script", "-i", "t.data", "-F", "tid,event,trace"]).stdout
    events = {}
    for line in text.splitlines():
        tid, event = line.split()[:2]
        events.setdefault(tid, []).append("enter" in event)
    busy = [calls for calls in events.values() if len(calls) >= CALLS]
    assert len(busy) == len(CPUS)
    for calls in busy:
        assert all(a != b for a, b in zip(calls, calls[1:]))


@pytest.mark.parametrize("args, says", [
    (["--threads=socket"], "--threads 'socket' is not understood"),
    (["--threads=cpu", "--affinity=cpu"], "--affinity does not go with"),
    (["--threads=cpu", "--per-thread"], "--per-thread has a ring"),
    (["--affinity=core"], "--affinity 'core' is not understood"),
    (["--spill-size", "4K"], "--spill-size '4K' is not understood"),
    (["-r", "100"], "-r '100' is not understood"),
])
def test_layouts_that_cannot_be(args, says, run, perfpair_record, may_record):
    done = run([perfpair_record, *args, "-e", "cpu-clock", "--", "true"])
    assert done.returncode in (2, 255)
    assert says in done.stderr
