"""report --waits: what threads waited for, against a program that plants it."""

import collections
import json
import re

import pytest

WHAT = {"sleep": ("holder_sleeps", "[timer]"), "compute": ("holder_computes", None),
        "pipe": ("holder_reads", "[timer]"), "cond": ("holder_is_told", "[timer]")}
TRIES = 4  # a busy machine may lose records, of which the reader tells


@pytest.fixture(scope="module")
def chains(workload):
    return workload("wait_chains", "-O1", "-fno-omit-frame-pointer", "-pthread")


@pytest.fixture
def record(run, perfpair_record, may_trace, chains):
    """record(DEPTH, HOW): makes t.data; for how many ns the victim waited."""
    return lambda depth, how: int(run(
        [perfpair_record, "-q", "--off-cpu", "-a", "-m", "4M", "-F", "999",
         "--call-graph", "dwarf,4096", "-o", "t.data", "--", chains, str(depth), how],
        check=True).stdout)


def causes(run, perfpair):
    """The causes of the victim's waits for its lock: frames, innermost last,
    and ns. None if records are missing."""
    done = run([perfpair, "report", "--waits", "-i", "t.data", "--format",
                "folded", "--comms", "victim"], check=True)
    if re.search("lost|miss records", done.stderr):
        return None
    lines = [re.fullmatch(r"victim;(.*) (\d+)", line).groups()
             for line in done.stdout.splitlines()]
    return [(stack.split(";"), int(ns)) for stack, ns in lines
            if "wait_for" in stack.split("[woken")[0]]


@pytest.mark.parametrize("depth, how", [
    (2, "compute"), (3, "pipe"), (5, "sleep"),
    *(pytest.param(depth, how, marks=pytest.mark.slow)
      for depth in range(1, 6) for how in WHAT)])
def test_waits__root_of_a_chain(depth, how, record, run, perfpair):
    """Each waker is the planted one, and the root is found for 95 % of the
    time; what other programs take of the CPUs is a root, too."""
    for _ in range(TRIES):
        waited = record(depth, how)
        told = causes(run, perfpair)
        if told is not None:
            break
    planted = [f"[woken by level{i}]" for i in reversed(range(depth))]
    if how in ("pipe", "cond"):
        planted.append("[woken by teller]")
    holder, root = WHAT[how]
    found = 0
    for frames, ns in told:
        woken = [frame for frame in frames if frame.startswith("[woken by")]
        assert woken == planted[:len(woken)]
        computes = not root and not frames[-1].startswith("[")
        # some kernels record no wakeup by the timer of an idle CPU
        sleeps = root and frames[-2:] == ["do_nanosleep", "[waker not known]"]
        at_root = woken == planted and holder in frames and \
            (computes or sleeps or frames[-1] == root)
        if at_root or frames[-1].startswith("[waits for a CPU"):
            found += ns
    assert found > 0.95 * waited


def test_waits__are_the_time_without_a_cpu(record, run, perfpair):
    """Each ns has one cause: by task they add up to --off-cpu, in any range."""
    record(2, "sleep")

    def sums(mode, *words):
        done = run([perfpair, "report", mode, "-i", "t.data", "--format",
                    "json", "-s", "comm,state", *words], check=True)
        event, = json.loads(done.stdout)["events"]
        of = collections.Counter()
        for row in event["rows"]:
            if row["comm"] != ":-1":  # several that end have this one number
                of[row["comm"], row["state"]] += row["period"]
        return of
    for words in ([], ["--time", "20%-60%", "-C", "0", "--comms", "victim"]):
        assert sums("--waits", *words) == sums("--off-cpu", *words)


def test_waits__of_a_command_alone(run, perfpair, perfpair_record, may_trace,
                                   chains):
    """Who is outside of it, and interrupts, are not recorded: not known."""
    run([perfpair_record, "-q", "--off-cpu", "-g", "-o", "t.data", "--", chains,
         "1", "sleep"], check=True)
    done = run([perfpair, "report", "--waits", "-i", "t.data", "-s", "sym",
                "--no-children", "-g", "none", "-F", "sym", "-q"], check=True)
    assert "[waker not known]" in done.stdout
    assert "[interrupt]" not in done.stdout


def test_waits__without_wakeups(run, perfpair, perf, may_trace):
    run([perf, "record", "-q", "-e", "sched:sched_switch", "-a", "-g", "-o",
         "t.data", "sleep", "0.1"], check=True)
    done = run([perfpair, "report", "--waits", "-i", "t.data"])
    assert done.returncode == 0
    assert "no wakeups were recorded" in done.stderr
    assert "[woken by" not in done.stdout
