"""Programs that know their own profile: what they tell is what a recording shows.

The numbers come from the program, by the CPU clock of its threads or by what it
counted.  docs/truth.md says what a sample means, and what does not hold.
"""

import collections
import json
import math
import os
import pathlib
import subprocess

import pytest

PROGRAMS = pathlib.Path(__file__).parent / "programs"
FLAGS = ["-O1", "-g0", "-fno-omit-frame-pointer", "-no-pie", "-pthread"]
POINTS = 0.03
POINTS_ELAPSED = 0.02
RATES = [19, 49, 99, 199, 250, 499, 500, 997, 999, 1000, 1999, 2000, 4000, 5000, 8000,
         10000]
WAITS = {"await"}  # what a program tells that is no CPU time
SWITCHES = {"sched:sched_switch", "sched:sched_waking"}  # what --off-cpu adds

# What is compared:
# self      shares of functions by their own samples
# calls     shares of functions with all that they call, by the call chains
# threads   shares of threads by their names
# time      the sum of all periods, with the CPU time of all tasks, if the program
#           tells "cpu", else of all functions
# elapsed   the elapsed time, by functions and what they call
# waits     time without a CPU, by functions and what they call
# counts    the number of samples, with what the event counts
# lost      none of the functions is in a chain
#
# (program and its arguments, options of the recorder, what is compared)
TRUTHS = [
    # turns that are multiples of 1 s / rate
    ("tick 2500", "-a -e cpu-clock -F 1000", "self time"),
    ("tick 1500", "-a -e cpu-clock -F 4000", "self time"),
    ("timers signal 1500", "-a -e cpu-clock -F 2000", "self"),
    ("timers fd 1500", "-a -e task-clock -F 1000", "self"),
    ("idle 40 100 2", "-a -e cpu-clock -F 190", "time"),
    # two events at once, each with a period of its own
    ("tick 2000", "-e cpu-clock,task-clock -F 1000", "self time"),
    ("brief 1500", "-e cpu-clock -F 4000", "self"),
    ("hot 1000", "-e cpu-clock -F 4000", "self time"),
    ("crew 2000", "-e cpu-clock -F 2000", "threads time"),
    ("tick 1200", "--per-thread -e task-clock -F 2000", "self time"),
    ("forks 100 8", "-e cpu-clock -F 4000", "self time"),
    ("execs vfork 50 10", "-e cpu-clock -F 4000", "self time"),
    ("execs thread 50 10", "-e cpu-clock -F 4000", "self time"),
    ("deep 1000 100", "-g -e cpu-clock -F 1000", "calls"),
    # a chain has 127 entries at most, the innermost ones
    ("deep 500 300", "-g -e cpu-clock -F 1000", "lost"),
    # of outer() nothing is there while inner() runs
    ("tail 1000", "-g -e cpu-clock -F 1000", "self calls"),
    ("calls 1200", "-g -e cpu-clock -F 4000", "calls time"),
    ("irqs 1200", "-g -e cpu-clock -F 4000", "calls time"),
    ("callers 1000", "--call-graph dwarf -e cpu-clock -F 1000", "calls time"),
    # leaf() has no frame, and frame pointers name its caller's caller
    ("callers 500", "-g --no-leaf-callers -e cpu-clock -F 1000", "lost"),
    ("callers 1000", "-g -e cpu-clock -F 1000", "calls time"),
    ("serial 20 40", "--off-cpu -g -e cpu-clock -F 1000", "self waits"),
    ("phases 200 200 200 200", "--off-cpu -g -e cpu-clock -F 1000", "elapsed"),
    ("phases 200 200 200 200", "--off-cpu -a -g -e cpu-clock -F 1000", "elapsed"),
    ("counted 2000", "-e syscalls:sys_enter_getppid -e mem:{cell}:w:u -c 1", "counts"),
]


@pytest.fixture(scope="session")
def truth_program(tmp_path_factory):
    """truth_program(NAME): the path of the compiled program.  Its name is one of this
    test run, so that tasks of another one have another name."""
    def compiled(name):
        out = tmp_path_factory.getbasetemp() / "truth" / f"{name}.{os.getpid()}"
        if not out.exists():
            out.parent.mkdir(exist_ok=True)
            subprocess.run(["gcc", *FLAGS, "-o", out, PROGRAMS / f"{name}.c"], check=True)
        return out
    return compiled


def told_by(text):
    """{name: sum}"""
    told = collections.Counter()
    for line in text.splitlines():
        name, number = line.split()
        told[name] += int(number)
    return told


class Recorded:
    """What a program told, and the recording t.data of it."""

    def __init__(self, run, perfpair, program, told):
        self.run, self.perfpair = run, perfpair
        self.cpu_ns = told.pop("cpu", None)
        self.comm, self.told = program.name, told

    def events(self, *words):
        done = self.run([self.perfpair, "report", "-i", "t.data", "--format", "json",
                         "-s", "comm,sym", *words])
        assert done.returncode == 0, done.stderr
        return [event for event in json.loads(done.stdout)["events"]
                if event["event"] not in SWITCHES]

    def rows(self, event):
        """Those of the program's own tasks."""
        return [row for row in event["rows"]
                if row["comm"] == self.comm or row["comm"] in self.told]

    def shares(self, event, key, period):
        """The sums of the periods by the names that the program told, and the number
        of samples of these."""
        sums, samples_nr = collections.Counter(), 0
        for row in self.rows(event):
            if row[key] in self.told:
                sums[row[key]] += row[period]
                samples_nr += row["samples"]
        return sums, samples_nr


def agree(sums, samples_nr, told):
    """Shares of the sums and of what was told."""
    assert samples_nr > 100
    for name, number in told.items():
        share = number / told.total()
        noise = 3 * math.sqrt(share * (1 - share) / samples_nr)
        assert sums[name] / sums.total() == pytest.approx(share, abs=POINTS + noise), \
            (name, sums, told)


def compare_self(recorded, told):
    for event in recorded.events():
        agree(*recorded.shares(event, "symbol", "period"), told)


def compare_threads(recorded, told):
    for event in recorded.events():
        agree(*recorded.shares(event, "comm", "period"), told)


def compare_calls(recorded, told):
    for event in recorded.events("--children"):
        sums, _ = recorded.shares(event, "symbol", "children_period")
        samples_nr = sum(row["samples"] for row in recorded.rows(event))
        agree(sums, samples_nr, told)


def compare_time(recorded, told):
    for event in recorded.events():
        rows = recorded.rows(event)
        samples_nr = sum(row["samples"] for row in rows)
        assert sum(row["period"] for row in rows) == pytest.approx(
            recorded.cpu_ns or told.total(), rel=POINTS + 3 / math.sqrt(samples_nr)), (samples_nr, told)


def compare_lost(recorded, told):
    for event in recorded.events("--children"):
        assert sum(row["samples"] for row in recorded.rows(event)) > 100
        # the program also asks for the time, in functions that have frames
        found = recorded.shares(event, "symbol", "children_period")[0]
        assert found.total() < POINTS * told.total()


def compare_waits(recorded, waited):
    event, = recorded.events("--off-cpu", "--children")
    sums, _ = recorded.shares(event, "symbol", "children_period")
    for name, ns in waited.items():
        assert sums[name] == pytest.approx(ns, rel=POINTS)


def compare_elapsed(recorded, told):
    """Each ns of the elapsed time is in the function that the program was in."""
    done = recorded.run([recorded.perfpair, "report", "-i", "t.data", "--latency",
                         "--waits", "--comms", recorded.comm[:15], "--format", "folded"])
    assert done.returncode == 0, done.stderr
    sums = collections.Counter()
    for line in done.stdout.splitlines():
        stack, ns = line.rsplit(" ", 1)
        for name in told.keys() & set(stack.split(";")):
            sums[name] += int(ns)
    for name, ns in told.items():
        assert sums[name] == pytest.approx(ns, abs=POINTS_ELAPSED * told.total()), \
            (sums, told)


def compare_counts(recorded, told):
    counts = [sum(row["samples"] for row in recorded.rows(event))
              for event in recorded.events()]
    assert counts == list(told.values())


def at_rate(rate, wide):
    """2500 samples at least, or what ten seconds have."""
    ms = round(max(1200, min(10000, 2600000 / rate)))
    return f"tick {ms}", f"{wide} -e cpu-clock -F {rate}", "self"


CASES = TRUTHS + [pytest.param(*at_rate(rate, wide), marks=pytest.mark.slow)
                  for rate in RATES for wide in ("-a", "")]


@pytest.mark.parametrize("command, options, kinds", CASES, ids=[
    " ".join(getattr(case, "values", case)[:2]) for case in CASES])
def test_truth__of(command, options, kinds, truth_program, perfpair, perfpair_record,
                   may_trace, run):
    name, *words = command.split()
    program = truth_program(name)
    if "{cell}" in options:
        symbols = run(["nm", program]).stdout.splitlines()
        cell, = (line.split()[0] for line in symbols if line.endswith(" cell"))
        options = options.format(cell=hex(int(cell, 16)))
    done = run([perfpair_record, "-q", *options.split(), "-o", "t.data", "--", program,
                *words])
    assert done.returncode == 0, done.stderr
    told = told_by(done.stdout)
    recorded = Recorded(run, perfpair, program, told)
    waited = collections.Counter({name: told[name] for name in WAITS & told.keys()})
    for kind in kinds.split():
        globals()[f"compare_{kind}"](recorded, waited if kind == "waits" else told - waited)
