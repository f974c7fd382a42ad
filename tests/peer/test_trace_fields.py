"""Fields of tracepoints as sort keys: the rows that perf shows."""

import csv
import io
import json
import os

import pytest

from recordings import record_by_perf

EVENTS = ["sched:sched_switch", "sched:sched_process_exec",
          "syscalls:sys_enter_openat"]
KEYS = [
    "next_pid",
    "sched_switch.next_comm",
    "sched:sched_switch.next_pid/raw",
    "sched_switch.prev_state",
    "sched_switch.prev_state/raw",
    "sched_switch.*",
    "trace_fields",
    "trace_fields/raw",
    "trace_fields,trace",
    "next_comm,prev_state",
    "comm,filename",
    "sched_process_exec.filename,pid",
    "sched_process_exec.filename/raw,pid",
    "dfd,sym",
    "common_pid,common_flags",
    "sched_switch.common_type,next_comm",
]


WORKLOAD = ["sh", "-c", "ls -l /etc | sort | tail -1"]


def record(perf, out, home, *options, workload=None):
    done = record_by_perf([perf, "record", "-q", *options, "-o", str(out), "--",
                           *(workload or WORKLOAD)], None, home)
    assert done.returncode == 0, done.stderr.decode()
    return out


@pytest.fixture(scope="module")
def recorded(tmp_path_factory, perf, perf_home, may_trace):
    return record(perf, tmp_path_factory.mktemp("fields") / "perf.data",
                  perf_home, "-a",
                  *[word for event in EVENTS for word in ("-e", event)])


def rows(text):
    """Rows of equal weight have an order of their own."""
    return sorted(line.rstrip() for line in text.splitlines()
                  if line.strip("# ") and not line.startswith("# (Tip"))


@pytest.mark.parametrize("key", KEYS)
def test_trace_fields__rows(key, recorded, perf, perfpair, run):
    words = ["report", "--stdio", "-s", key, "-i", recorded]
    theirs, ours = run([perf, *words]), run([perfpair, *words])
    assert (theirs.returncode, ours.returncode) == (0, 0), ours.stderr
    assert len(rows(theirs.stdout)) > 8
    assert rows(ours.stdout) == rows(theirs.stdout)


@pytest.fixture(scope="module")
def recorded_calls(tmp_path_factory, perf, perf_home, may_trace):
    """Of an event whose format shows a function of the kernel."""
    return record(perf, tmp_path_factory.mktemp("calls") / "perf.data",
                  perf_home, "-e", "kmem:kmalloc")


@pytest.fixture
def read(recorded_calls, perf, perfpair, perf_home, run):
    """read(COMMAND...): what perf prints and what we do.  Kernel names come out
    of ~/.debug, which others' recordings may be filling."""
    env = dict(os.environ, HOME=str(perf_home))

    def of(*words):
        theirs, ours = (run([program, *words, "-i", recorded_calls], env=env)
                        for program in (perf, perfpair))
        assert (theirs.returncode, ours.returncode) == (0, 0), \
            theirs.stderr + ours.stderr
        return theirs.stdout, ours.stdout
    return of


def test_trace_fields__functions(read):
    theirs, ours = read("script", "-F", "comm,tid,event,trace")
    assert "+0x" in theirs
    assert ours == theirs


@pytest.mark.parametrize("key", ["call_site", "call_site/raw", "trace"])
def test_trace_fields__rows_by_functions(key, read):
    theirs, ours = read("report", "--stdio", "-s", key)
    assert ("+0x" in theirs) == (key != "call_site/raw")
    assert rows(ours) == rows(theirs)


LEVELS = [
    "trace_fields",
    "comm,trace_fields",
    "{next_pid,filename},comm",
    "{filename,next_pid},comm",
    # hidden in one event's table, in front of what is shown
    "sched_switch.next_pid,sched_process_exec.filename,comm",
    "sched_process_exec.filename,sched_switch.next_pid,comm",
]


@pytest.mark.parametrize("key", LEVELS)
def test_trace_fields__levels(key, recorded, perf, perfpair, run):
    words = ["report", "--stdio", "--hierarchy", "-s", key, "-i", recorded]
    theirs, ours = run([perf, *words]), run([perfpair, *words])
    assert (theirs.returncode, ours.returncode) == (0, 0), ours.stderr
    assert len(rows(theirs.stdout)) > 8
    assert rows(ours.stdout) == rows(theirs.stdout)


def test_trace_fields__levels_as_data(recorded, perfpair, run):
    """A level shows no other event's columns."""
    done = run([perfpair, "report", "--hierarchy", "--format", "json", "-s",
                "{filename,next_pid},comm", "-i", recorded])
    assert done.returncode == 0, done.stderr
    keys = {"sched:sched_switch": "sched:sched_switch.next_pid",
            "sched:sched_process_exec": "sched:sched_process_exec.filename",
            "syscalls:sys_enter_openat": "syscalls:sys_enter_openat.filename"}
    events = json.loads(done.stdout)["events"]
    assert {event["event"] for event in events} == set(keys)
    for event in events:
        for row in event["rows"]:
            assert set(row) == {"overhead_pct", "period", "samples", "rows",
                                keys[event["event"]]}


def test_trace_fields__as_data(recorded, perfpair, run):
    """Rows of other events have no text of a field, not what stands there."""
    def report(form):
        done = run([perfpair, "report", "--format", form, "-s",
                    "next_pid,filename/raw,pid", "-i", recorded])
        assert done.returncode == 0, done.stderr
        return done.stdout

    names = {"sched:sched_switch.next_pid",
             "sched:sched_process_exec.filename/raw",
             "syscalls:sys_enter_openat.filename/raw"}
    rows_of_data = [(event["event"], row)
                    for event in json.loads(report("json"))["events"]
                    for row in event["rows"]]
    lines = list(csv.DictReader(io.StringIO(report("csv"))))
    assert len(lines) == len(rows_of_data) > 8
    for (event, row), line in zip(rows_of_data, lines):
        own = {name for name in names if name.startswith(event + ".")}
        assert set(row) & names == own and len(own) == 1
        assert {name for name in names if line[name]} == own
        assert all(line[name] == row[name] for name in own)


@pytest.mark.parametrize("key", ["no_such_field", "sched_switch.filename",
                                 "no_such_event.next_pid", ".next_pid"])
def test_trace_fields__unknown_ones_are_errors(key, recorded, perfpair, run):
    done = run([perfpair, "report", "--stdio", "-s", key, "-i", recorded])
    assert done.returncode == 1
    assert f"Unknown --sort key: `{key}'" in done.stderr


def test_trace_fields__compared(recorded, perfpair, run):
    """Names of columns outlive the file that they are from."""
    done = run([perfpair, "diff", "-s", "next_pid,next_comm", recorded,
                recorded])
    assert done.returncode == 0, done.stderr
    assert "  next_pid  next_comm" in done.stdout


@pytest.mark.parametrize("keys, text", [
    ("sched_switch.*,sched_switch.*/raw,dfd,filename,flags",
     "more than 16 sort keys cannot be compared"),
    ("trace_fields", "its columns are not those of the first file"),
])
def test_trace_fields__that_cannot_be_compared(keys, text, recorded, tmp_path,
                                               perf, perf_home, perfpair, run):
    """The second file has more fields than the first."""
    less = record(perf, tmp_path / "less.data", perf_home, "-a", "-e",
                  EVENTS[0], workload=["sh", "-c", "ls | sort"])
    first = recorded if keys != "trace_fields" else less
    done = run([perfpair, "diff", "-s", keys, first, recorded])
    assert done.returncode == 1
    assert text in done.stderr
