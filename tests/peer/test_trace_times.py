"""perfpair export --format trace: time on a CPU, against a sum of what perf
script prints and against perf sched timehist."""

import collections
import re
import subprocess

import pytest

from common import RECORD
from trace_events import Trace

LINE = re.compile(r" *(-?\d+) +\[(\d+)\] +(\d+)\.(\d+): +sched:sched_switch: "
                  r".*prev_pid=(\d+) .*next_pid=(\d+) ")


@pytest.fixture(scope="module")
def switches(may_trace, perf, tmp_path_factory):
    path = tmp_path_factory.mktemp("switches") / "t.data"
    subprocess.run(
        [perf, *RECORD, "-q", "-B", "-a", "-m", "4M", "-e",
         "sched:sched_switch", "-o", path, "--", "sh", "-c",
         "for i in 1 2 3 4 5 6; do ls -R /usr/share >/dev/null; sleep 0.02; "
         "done"], check=True, capture_output=True)
    return path


def summed(perf, path):
    """({tid: ns on a CPU}, tids of which a switch has no record, tids whose last
    switch has no thread id any more): from one switch of a CPU to the next; a
    machine may hide tasks that it has."""
    text = subprocess.run(
        [perf, "script", "--ns", "-i", path, "-F", "tid,cpu,time,event,trace"],
        capture_output=True, check=True, text=True).stdout
    found, on, odd = collections.Counter(), {}, set()
    rows = [tuple(map(int, m.groups())) for m in map(LINE.match,
                                                     text.splitlines()) if m]
    assert len(rows) > 100
    times = [sec * 10**9 + ns for _, _, sec, ns, _, _ in rows]
    for (_, cpu, _, _, was, comes), now in zip(rows, times):
        tid, since = on.get(cpu, (was, times[0]))
        if tid == was:
            found[was] += now - since
        else:
            odd |= {tid, was}
        if cpu not in on:
            odd.add(was)  # it may have come from another CPU since
        on[cpu] = comes, now
    for tid, since in on.values():
        found[tid] += times[-1] - since
    return +found, odd | {0}, {was for tid, *_, was, _ in rows if tid != was}


def test_time_on_a_cpu(run, perfpair, perf, switches):
    done = run([perfpair, "export", "--format", "trace", switches])
    assert done.returncode == 0, done.stderr
    theirs, odd, _ = summed(perf, switches)
    ours = Trace(done.stdout).run_ns()
    assert len(set(ours) - odd) > 5
    assert {tid: ns for tid, ns in ours.items() if tid not in odd} == \
        {tid: ns for tid, ns in theirs.items() if tid not in odd}


def test_time_on_a_cpu_by_timehist(run, perfpair, perf, switches):
    """It cuts each slice to a microsecond."""
    text = subprocess.run([perf, "sched", "timehist", "-i", switches],
                          capture_output=True, text=True, check=True).stdout
    theirs, rows = collections.Counter(), collections.Counter()
    for tid, micros in re.findall(
            r"^ *[\d.]+ \[\d+\] +.*\[(\d+)(?:/\d+)?\] +[\d.]+ +[\d.]+ +([\d.]+)"
            r" *$", text, re.M):
        theirs[int(tid)] += round(float(micros) * 1e6)
        rows[int(tid)] += 1
    trace = Trace(run([perfpair, "export", "--format", "trace",
                       switches]).stdout)
    _, odd, dead = summed(perf, switches)
    ours, end = trace.run_ns(), max(
        s.end_ns for slices in trace.slices.values() for s in slices)
    # what runs at the end has no row yet, nor has a last switch without an id
    odd |= dead | {int(s.category.split()[1]) for (pid, _), slices in
            trace.slices.items() if trace.processes[pid] == "CPUs"
            for s in slices if s.end_ns == end}
    compared = set(theirs) - odd
    assert len(compared) > 3
    for tid in compared:
        assert abs(theirs[tid] - ours[tid]) <= 1000 * rows[tid]


def test_switch_records_alone(run, perfpair, perf, may_record, tmp_path):
    """The same of a recording without tracepoints."""
    subprocess.run([perf, *RECORD, "-q", "-B", "-a", "--switch-events", "-e",
                    "cpu-clock", "-o", tmp_path / "t.data", "--", "sleep",
                    "0.3"], check=True, capture_output=True)
    text = subprocess.run(
        [perf, "script", "--ns", "--show-switch-events", "-i",
         tmp_path / "t.data", "-F", "tid,cpu,time"], capture_output=True,
        check=True, text=True).stdout
    since, theirs, odd = {}, collections.Counter(), {0}
    for tid, cpu, sec, ns, way in re.findall(
            r"(-?\d+) +\[(\d+)\] +(\d+)\.(\d+): PERF_RECORD_SWITCH_CPU_WIDE "
            r"(IN|OUT)", text):
        now = int(sec) * 10**9 + int(ns)
        if way == "IN":
            odd |= {since[cpu][0]} if cpu in since else set()
            since[cpu] = int(tid), now
        elif cpu in since and since[cpu][0] == int(tid):
            theirs[int(tid)] += now - since[cpu][1]
            del since[cpu]
        else:  # since the beginning, hidden, or ended: without an id
            odd.add(int(tid))
    odd |= {tid for tid, _ in since.values()}  # to the end
    done = run([perfpair, "export", "--format", "trace", "t.data"])
    ours = Trace(done.stdout).run_ns()
    assert len(set(theirs) - odd) > 3
    assert {tid: ns for tid, ns in ours.items() if tid not in odd} == \
        {tid: ns for tid, ns in theirs.items() if tid not in odd}
