"""Fields of tracepoints as sort keys: the rows that perf shows."""

import subprocess

import pytest

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
]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory, perf, may_trace):
    out = tmp_path_factory.mktemp("fields") / "perf.data"
    subprocess.run([perf, "record", "-q", "-a",
                    *[word for event in EVENTS for word in ("-e", event)],
                    "-o", out, "--", "sh", "-c", "ls -l /etc | sort | tail -1"],
                   check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.PIPE, timeout=60)
    return out


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


@pytest.mark.parametrize("key", ["no_such_field", "sched_switch.filename",
                                 "no_such_event.next_pid", ".next_pid"])
def test_trace_fields__unknown_ones_are_errors(key, recorded, perfpair, run):
    done = run([perfpair, "report", "--stdio", "-s", key, "-i", recorded])
    assert done.returncode == 1
    assert f"Unknown --sort key: `{key}'" in done.stderr
