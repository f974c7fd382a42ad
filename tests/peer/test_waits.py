"""Time without a CPU: against the clocks of a program that waits, and against
what perf sched timehist says of the same recording."""

import collections
import json
import re
import shutil
import subprocess

import pytest

from common import RECORD

WAYS = ["by_sleep", "by_pipe", "by_lock", "by_disk"]
TRIES = 8  # a busy host takes time from the machine, which no record has


@pytest.fixture(scope="module")
def waits(workload):
    return workload("waits", "-O1", "-g0", "-fno-omit-frame-pointer")


@pytest.fixture(scope="module")
def whole(may_trace, perfpair_record, waits, tmp_path_factory):
    """The folder of t.data, of all CPUs, and of what the program says.  It
    stays on CPU 0, so that perf sees each of its switches on one."""
    folder = tmp_path_factory.mktemp("whole")
    record_whole(folder, perfpair_record, waits)
    return folder


def record_whole(folder, perfpair_record, waits):
    done = subprocess.run(
        [perfpair_record, "-q", "--off-cpu", "-a", "-g", "-F", "199", "-o",
         "t.data", "--", "taskset", "-c", "0", waits, "."],
        cwd=folder, capture_output=True, text=True, check=True)
    (folder / "said").write_text(done.stdout)


def said(text):
    """{function: ns that it waited}, as the program says."""
    return {line.split()[0]: int(line.split()[1])
            for line in text.splitlines()}


def rows(run, perfpair, whole, *words):
    done = run([perfpair, "report", "-i", whole / "t.data", "--format",
                "json", *words])
    assert done.returncode == 0, done.stderr
    event, = json.loads(done.stdout)["events"]
    return event


def by_function(event):
    """{function: ns without a CPU in it, or below it}"""
    return {row["symbol"]: row["children_period"] for row in event["rows"]}


def differences(measured, told, slack_ns):
    """The functions whose waits are off by more than 1 % and the slack."""
    return [(way, measured[way], told[way]) for way in WAYS
            if abs(measured[way] - told[way]) > told[way] * 0.01 + slack_ns]


def test_waits_of_all_cpus_are_as_long_as_the_program_says(
        run, perfpair, perfpair_record, waits, whole):
    for _ in range(TRIES):
        event = rows(run, perfpair, whole, "--off-cpu", "--comms", "waits",
                     "-s", "sym")
        wrong = differences(by_function(event),
                            said((whole / "said").read_text()), 200_000)
        if not wrong:
            break
        record_whole(whole, perfpair_record, waits)
    assert (wrong, event["event"]) == ([], "off-cpu")


def test_waits_of_a_command_are_as_long_as_it_says(run, perfpair, may_trace,
                                                   perfpair_record, waits,
                                                   tmp_path):
    """Between the two records of a switch away the kernel stops the events of
    the task, some 20 us; of some 30 waits at most."""
    for _ in range(TRIES):
        done = run([perfpair_record, "-q", "--off-cpu", "-g", "-o", "t.data",
                    "--", waits, "."])
        event = rows(run, perfpair, tmp_path, "--off-cpu", "-s", "sym")
        wrong = differences(by_function(event), said(done.stdout), 600_000)
        if not wrong:
            break
    assert wrong == []


def test_states_and_wakers(run, perfpair, whole):
    told = said((whole / "said").read_text())
    event = rows(run, perfpair, whole, "--off-cpu", "--comms", "waits", "-s",
                 "sym,state,waker")
    seen, woken = {}, collections.Counter()
    for row in event["rows"]:
        if "woken" in row["state"]:  # it waits for a CPU
            woken[row["symbol"]] += row["children_period"]
        elif row["symbol"] in WAYS:
            seen[row["symbol"], row["state"][0], row["waker"]] = \
                row["children_period"]
    for way, waker, part in (("by_sleep", "[interrupt]", 0.8),
                             ("by_pipe", "waits", 0.8), ("by_lock", "waits", 0.5)):
        assert seen[way, "S", waker] > part * (told[way] - woken[way]), way
    assert any(way == "by_disk" and state == "D"
               for way, state, waker in seen)


def turns_on_cpu(run, perfpair, cpu):
    """[(name, start, end in ns)] of what ran there, by the switches."""
    text = run([perfpair, "script", "-i", "t.data", "-C", str(cpu), "--ns", "-F",
                "time,event,trace"]).stdout
    switches = [(int(at.replace(".", "")), name) for at, name in re.findall(
        r"^ *([\d.]+): +sched:sched_switch: .* ==> next_comm=(.*) next_pid=", text, re.M)]
    return [(name, start, end)
            for (start, name), (end, _) in zip(switches, switches[1:])]


def test_waits_for_a_cpu_are_behind_what_ran_on_it(run, perfpair, perfpair_record,
                                                    may_trace, workload, tmp_path):
    """Two programs share a CPU, with whatever else has it."""
    for name in ("victim", "other"):
        shutil.copy(workload("spin"), tmp_path / name)
    run([perfpair_record, "-q", "--off-cpu", "-a", "-F", "99", "-m", "4M", "-o", "t.data", "--",
         "taskset", "-c", "0", "sh", "-c", "./other 300 cpu & ./victim 300 cpu; wait"], check=True)
    turns = turns_on_cpu(run, perfpair, 0)
    own = [turn for turn in turns if turn[0] == "victim"]
    expected = collections.Counter()
    for name, start, end in turns:
        if own[0][2] <= start < own[-1][1]:
            expected[name] += end - start
    event = rows(run, perfpair, tmp_path, "--waits", "--comms", "victim", "-s", "sym")
    behind = {row["symbol"][len("[waits for a CPU behind "):-1]: row["period"]
              for row in event["rows"] if row["symbol"].startswith("[waits for a CPU behind ")}
    assert behind["other"] > 50_000_000
    assert abs(behind["other"] - expected["other"]) < 0.02 * expected["other"]


def test_wall_clock_of_a_thread(run, perfpair, whole):
    """On and off the CPU the main thread has the time of its life."""
    told = said((whole / "said").read_text())
    event = rows(run, perfpair, whole, "--wall-clock", "--comms", "waits",
                 "-s", "sym,state")
    below = collections.Counter()
    for row in event["rows"]:
        below[row["symbol"]] += row["children_period"]
    states = {row["state"] for row in event["rows"]}
    assert "S (sleeping)" in states
    assert below["main"] >= sum(told.values())
    assert below["main"] < 3 * sum(told.values())


def timehist(perf, path):
    """(tid of the program, the time it first left the CPU under its name, [(us
    of waiting, us of waiting for a CPU)] from then on, time of the last row)."""
    text = subprocess.run([perf, "sched", "timehist", "-i", path], text=True,
                          capture_output=True, check=True).stdout
    found = re.findall(r"^ *([\d.]+) \[\d+\] +(\S.*)\[(\d+)(?:/\d+)?\] +([\d.]+)"
                       r" +([\d.]+) +[\d.]+ *$", text, re.M)
    main = min(int(tid) for _, comm, tid, _, _ in found if comm == "waits")
    first, *found = [row for row in found
                     if int(row[2]) == main and row[1] == "waits"]
    return main, first[0], [(round(float(wait) * 1000),
                             round(float(delay) * 1000))
                            for *_, wait, delay in found], found[-1][0]


def test_sums_are_those_of_timehist(run, perfpair, perf, perfpair_record, waits,
                                    whole):
    """To the microsecond that perf cuts each row to.  The last switch of a
    thread may have no thread id any more: perf has no row of it.  A switch to a
    task of the host that this machine does not show has no switch back: perf
    takes the task as running then."""
    for _ in range(TRIES):
        main, start, theirs, end = timehist(perf, whole / "t.data")
        event = rows(run, perfpair, whole, "--off-cpu", "--tid", str(main),
                     "-s", "state", "--time", f"{start},{end}")
        ours = {row["state"]: row["period"] for row in event["rows"]}
        cut_ns = [ns - 1000 * sum(row[column] for row in theirs)
                  for column, ns in enumerate([sum(ours.values()),
                                               ours["R (woken)"]])]
        if all(-1000 <= ns < 1000 * len(theirs) for ns in cut_ns):
            break
        record_whole(whole, perfpair_record, waits)
    assert all(-1000 <= ns < 1000 * len(theirs) for ns in cut_ns), cut_ns
    assert len(theirs) > 40


def test_recordings_of_perf(run, perfpair, perf, may_trace, waits, tmp_path):
    for _ in range(TRIES):
        done = run([perf, *RECORD, "-q", "-B", "-a", "-e",
                    "sched:sched_switch,sched:sched_waking", "-g", "-o",
                    "t.data", "--", "taskset", "-c", "0", waits, "."])
        event = rows(run, perfpair, tmp_path, "--off-cpu", "--comms", "waits",
                     "-s", "sym")
        wrong = differences(by_function(event), said(done.stdout), 200_000)
        if not wrong:
            break
    assert wrong == []
    plain = run([perfpair, "script", "-i", "t.data", "--comms", "waits"])
    assert "sched:sched_switch: prev_comm=waits" in plain.stdout


def test_the_records_are_plain_tracepoints_to_perf(run, perf, whole):
    done = run([perf, "script", "-i", whole / "t.data", "-F", "event,trace",
                "--comms", "waits"])
    assert "sched:sched_switch: prev_comm=waits" in done.stdout
    assert "sched:sched_waking: comm=waits" in done.stdout


def test_exports_and_pages_are_of_time(run, perfpair, whole, tmp_path):
    total = rows(run, perfpair, whole, "--wall-clock")["period"]
    done = run([perfpair, "export", "--wall-clock", "--format", "speedscope",
                "-i", whole / "t.data"])
    profile, = json.loads(done.stdout)["profiles"]
    assert (profile["unit"], profile["endValue"]) == ("nanoseconds", total)
    done = run([perfpair, "report", "--wall-clock", "--format", "folded",
                "-i", whole / "t.data"])
    assert sum(int(line.rsplit(" ", 1)[1])
               for line in done.stdout.splitlines()) == total


def test_without_tracepoints(run, perfpair, may_trace, perfpair_record, waits,
                             open_folder):
    """As a user who may not read tracefs, with the kernel's switches
    allowed."""
    if not shutil.which("setpriv"):
        pytest.skip("needs setpriv, to become another user")
    for program in (perfpair_record, waits):
        shutil.copy(program, open_folder)
    user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    caps = ["--inh-caps=+perfmon", "--ambient-caps=+perfmon"]
    command = ["./perfpair-record", "--off-cpu", "-g", "-o", "t.data", "--",
               "./waits", "."]
    for _ in range(TRIES):
        done = run([*user, *caps, *command], cwd=open_folder)
        assert "no tracepoints are allowed: context-switches" in done.stderr
        assert done.returncode == 0
        event = rows(run, perfpair, open_folder, "--off-cpu", "-s", "sym")
        wrong = differences(by_function(event), said(done.stdout), 600_000)
        if not wrong:
            break
    assert wrong == []
    whole = run([*user, *caps, "./perfpair-record", "--off-cpu", "-a", "-o",
                 "u.data", "--", "true"], cwd=open_folder)
    assert whole.returncode == 2
    assert "are not allowed to this user" in whole.stderr


@pytest.mark.parametrize("words,text", [
    (["-a", "--cpu-limit", "3"], "--off-cpu with --cpu-limit"),
    (["-a", "-e", "cpu-clock", "-G", "web"], "--off-cpu with a control group")])
def test_refusals(run, perfpair_record, may_trace, words, text):
    done = run([perfpair_record, "--off-cpu", *words, "-o", "t.data", "--",
                "true"])
    assert done.returncode == 2
    assert text in done.stderr
