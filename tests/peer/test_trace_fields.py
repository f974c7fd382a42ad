"""Fields of tracepoints as sort keys: the rows that perf shows."""

import csv
import io
import json
import re

import pytest

from common import RECORD
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
    done = record_by_perf([perf, *RECORD, "-q", *options, "-o", str(out), "--",
                           *(workload or WORKLOAD)], None, home)
    assert done.returncode == 0, done.stderr.decode()
    return out


OPTIONS = {
    # Its own tasks alone: perf cuts the end of a long text that no later row was
    # compared with.
    "fields": [word for event in EVENTS for word in ("-e", event)],
    # an event whose format shows a function of the kernel
    "calls": ["-e", "kmem:kmalloc"],
    # a field whose name begins that of a sort key (retire_lat)
    "returns": ["-e", "raw_syscalls:sys_exit"],
}


@pytest.fixture(scope="module")
def recorded_here(request, tmp_path_factory, perf_home):
    """recorded_here(NAME): this machine's recording."""
    made = {}

    def path_of(name):
        if name not in made:
            request.getfixturevalue("may_trace")
            made[name] = record(
                request.getfixturevalue("perf"),
                tmp_path_factory.mktemp(name) / "perf.data", perf_home,
                *OPTIONS[name])
        return made[name]

    return path_of


@pytest.fixture
def recorded(kind, case, recorded_here, frozen):
    return frozen(f"trace/{case[0]}") if kind == "frozen" else recorded_here(case[0])


def rows(text):
    """Rows of equal weight have an order of their own."""
    return sorted(line.rstrip() for line in text.splitlines()
                  if line.strip("# ") and not line.startswith("# (Tip"))


def as_rows(text):
    return "\n".join(rows(text))


def as_words(text):
    return as_rows(re.sub(r" +|\.{4,}", " ", text))


def form_of(kind):
    """perf counts the end of a string to its width if a later row was compared with
    it, which depends on how its tree was balanced."""
    return as_rows if kind == "frozen" else as_words


@pytest.mark.cases([("fields", key) for key in KEYS])
def test_trace_fields__rows(kind, case, recorded, peer):
    peer.same("report", "--stdio", "-s", case[1], "-i", recorded,
              form=form_of(kind), least=9)


@pytest.mark.cases([("calls",)])
def test_trace_fields__functions(case, recorded, peer):
    ours = peer.same("script", "-F", "comm,tid,event,trace", "-i", recorded)
    assert "+0x" in ours


@pytest.mark.cases([("calls", key) for key in ("call_site", "call_site/raw", "trace")])
def test_trace_fields__rows_by_functions(case, recorded, peer):
    ours = peer.same("report", "--stdio", "-s", case[1], "-i", recorded, form=as_rows)
    assert ("+0x" in ours) == (case[1] != "call_site/raw")


@pytest.mark.parametrize("keys", ["ret", "comm,ret"])
def test_trace_fields__before_keys_cut_short(keys, recorded_here, peer):
    peer.same("report", "--stdio", "-s", keys, "-i", recorded_here("returns"),
              form=as_words, least=9)


LEVELS = [
    "trace_fields",
    "comm,trace_fields",
    "{next_pid,filename},comm",
    "{filename,next_pid},comm",
    # hidden in one event's table, in front of what is shown
    "sched_switch.next_pid,sched_process_exec.filename,comm",
    "sched_process_exec.filename,sched_switch.next_pid,comm",
]


@pytest.mark.cases([("fields", key) for key in LEVELS])
def test_trace_fields__levels(kind, case, recorded, peer):
    peer.same("report", "--stdio", "--hierarchy", "-s", case[1], "-i", recorded,
              form=form_of(kind), least=9)


@pytest.mark.cases([("fields",)])
def test_trace_fields__levels_as_data(case, recorded, peer):
    """A level shows no other event's columns."""
    done = peer.ours("report", "--hierarchy", "--format", "json", "-s",
                     "{filename,next_pid},comm", "-i", recorded)
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


@pytest.mark.cases([("fields",)])
def test_trace_fields__as_data(case, recorded, peer):
    """Rows of other events have no text of a field, not what stands there."""
    def report(form):
        done = peer.ours("report", "--format", form, "-s",
                         "next_pid,filename/raw,pid", "-i", recorded)
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
def test_trace_fields__unknown_ones_are_errors(key, frozen, perfpair, run):
    done = run([perfpair, "report", "--stdio", "-s", key, "-i", frozen("trace/fields")])
    assert done.returncode == 2
    assert f"Unknown --sort key: `{key}'" in done.stderr


def test_trace_fields__compared(frozen, perfpair, run):
    """Names of columns outlive the file that they are from."""
    path = frozen("trace/fields")
    done = run([perfpair, "diff", "-s", "next_pid,next_comm", path, path])
    assert done.returncode == 0, done.stderr
    assert "  next_pid  next_comm" in done.stdout


@pytest.mark.parametrize("keys, text", [
    ("sched_switch.*,sched_switch.*/raw,dfd,filename,flags",
     "more than 16 sort keys cannot be compared"),
    ("trace_fields", "its columns are not those of the first file"),
])
def test_trace_fields__that_cannot_be_compared(keys, text, frozen, perfpair, run):
    """The second file has more fields than the first."""
    recorded, less = frozen("trace/fields"), frozen("trace/less")
    first = recorded if keys != "trace_fields" else less
    done = run([perfpair, "diff", "-s", keys, first, recorded])
    assert done.returncode == (2 if "sort keys" in text else 1)
    assert text in done.stderr
