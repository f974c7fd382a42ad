"""arm64 with a PMUv3 that counts: what counted.c runs is known to the instruction.

Under -icount one instruction takes one cycle, so that both have the same count."""

import collections
import json
import re

import pytest

pytestmark = pytest.mark.builds

LOOP_NR = 10 * 1000000 * 2  # instructions of all turns of leaf_one()
SHARES = {"leaf_three": 3, "leaf_two": 2, "leaf_one": 1}
LEAST = sum(SHARES.values()) * LOOP_NR
MOST = LEAST + 1000  # with what calls the loops
PERIOD, CHAIN_PERIOD, DIFF_PERIOD = 700001, 470021, 100003
CALLERS = ["turn", "deeper", "deeper", "deeper", "_start"]


@pytest.fixture(scope="module", params=["arm64", *(
    pytest.param(name, marks=pytest.mark.slow) for name in ("arm64-n2", "arm64-v1"))])
def arm64(machine, request):
    return machine(request.param, "arm64")


def is_exact(count):
    return LEAST <= count <= MOST


def by_event(samples):
    found = collections.defaultdict(list)
    for event, period, names in samples:
        found[event].append((period, names))
    return found


def test_recorder_says_nothing(arm64):
    assert arm64.log == ""


def test_user_and_kernel_are_all(arm64):
    user, kernel, both, cycles = (row[1] for row in arm64.counts("modes"))
    assert is_exact(user) and cycles == user
    assert kernel > 10000 and abs(user + kernel - both) < 100


def test_group_counts_in_its_order(arm64):
    instructions, none, cycles = arm64.counts("group")
    assert none == ("r0:u", 0, 100)  # PMSWINC, which nobody writes
    assert is_exact(instructions[1]) and is_exact(cycles[1])


def test_events_that_take_turns_are_scaled(arm64):
    rows = arm64.counts("turns")
    assert len(rows) == 9
    for event, count, percent in rows:
        assert event == "r8:u" and 40 < percent < 90
        assert abs(count / LEAST - 1) < 0.005


def test_a_sample_each_period(arm64, perfpair):
    found = by_event(arm64.samples(perfpair, "period"))
    assert found.keys() == {"cycles:u", "instructions:u"}
    for samples in found.values():
        assert {period for period, _ in samples} == {PERIOD}
        assert LEAST // PERIOD <= len(samples) <= MOST // PERIOD
        of = collections.Counter(names[0] for _, names in samples)
        assert sum(of[name] for name in SHARES) > len(samples) - 2
        for name, share in SHARES.items():
            assert abs(of[name] - share * LOOP_NR / PERIOD) < 2


def test_periods_of_a_frequency_add_up(arm64, perfpair):
    periods = [period for _, period, _ in arm64.samples(perfpair, "frequency")]
    assert len(periods) > 100
    assert LEAST - max(periods) <= sum(periods) <= MOST


def test_members_of_a_sampled_group(arm64, perfpair):
    found = by_event(arm64.samples(perfpair, "members"))
    assert found.keys() == {"cycles:u", "instructions:u"}  # r0 never counts
    for samples in found.values():
        total = sum(period for period, _ in samples)
        assert LEAST - 2 * PERIOD <= total <= MOST


@pytest.mark.parametrize("name", ["chain", "dwarf"])
def test_callers(arm64, perfpair, name):
    """By frame pointers, where the link register alone has a leaf's caller, and out
    of copies of the stack of a program without."""
    samples = arm64.samples(perfpair, name)
    assert LEAST // CHAIN_PERIOD <= len(samples) <= MOST // CHAIN_PERIOD
    assert {period for _, period, _ in samples} == {CHAIN_PERIOD}
    chains = [names[1:] for _, _, names in samples if names[0] in SHARES]
    assert len(chains) > len(samples) - 2
    # where a program begins, the kernel's frame pointers end with 0
    end = ["[unknown]"] if name == "chain" else []
    assert all(chain == CALLERS + end for chain in chains)


def test_the_whole_machine(arm64, perfpair):
    samples = arm64.samples(perfpair, "system")
    counted = sum(period for _, period, names in samples if names[0] in SHARES)
    assert abs(counted / LEAST - 1) < 0.1


def test_perf_reads_the_same(arm64, perfpair, perf):
    """But for callers: perf finds that of a leaf on a machine of its kind alone."""
    fields = "comm,pid,tid,time,event,period"
    assert arm64.as_by_perf(perfpair, perf, fields) > 1000


def test_header_says_what_the_pmu_can_do(arm64, perfpair, perf):
    by_perf, ours = (
        [line for line in arm64.said(program, "report", "--header-only", "-i",
                                     "period.data")[0].splitlines()
         if " capabilities: " in line] for program in (perf, perfpair))
    assert by_perf == ours
    assert re.fullmatch(r"# armv8_pmuv3 pmu capabilities: .*\bslots=0x[0-9a-f]+.*",
                        *ours)


def test_cpu_means_the_pmu_of_the_cores(arm64):
    rows = [line.split(",") for line in
            (arm64.folder / "cores.txt").read_text().splitlines() if ",cpu/" in line]
    assert [row[2] for row in rows] == ["cpu/cpu_cycles/u", "cpu/cycles/u"]
    assert all(is_exact(float(row[0])) for row in rows)


def test_a_refusal_names_the_pmu_that_lacks_the_event(arm64):
    assert (arm64.folder / "refusal.txt").read_text() == (
        "perfpair-record: branches: the PMU armv8_pmuv3 does not have this event\n"
        "perfpair-record: 'perfpair-record list pmu' shows what it has; cpu-clock "
        "needs no PMU\n")


def test_a_group_is_refused_with_its_reason(arm64):
    assert (arm64.folder / "group.txt").read_text() == (
        "perfpair-record: control group web: no controller is on, without which the "
        "kernel has no perf events of groups\n"
        "perfpair-record: echo +pids >/sys/fs/cgroup/cgroup.subtree_control\n")


CHANGES = {"again": 0, "plus-1": 0.1, "plus-10": 1, "plus-100": 10}  # percent of all
AROUND_PCT = 100 * (MOST - LEAST) / LEAST  # what the code around the loops may be


@pytest.mark.parametrize("new, change", CHANGES.items())
def test_counts_of_two_sides(arm64, perfpair, new, change):
    said, _ = arm64.said(perfpair, "stat", "--compare", "-j", "omit.json", f"{new}.json")
    rows = {row["event"]: row for row in map(json.loads, said.splitlines())}
    for event in "instructions:u", "cycles:u":
        row = rows[event]
        assert [len(row[side]["runs"]) for side in ("old", "new")] == [2, 2]
        assert row["low_pct"] - AROUND_PCT < change < row["high_pct"] + AROUND_PCT
        assert row["high_pct"] - row["low_pct"] < 2 * AROUND_PCT
        assert row["significant"] == (change != 0)


def test_functions_of_two_sides(arm64, perfpair):
    """What is more is leaf_three()'s, and known to a sample or two; chance alone would
    leave it uncertain by some 7 %."""
    old, new = ([f"{side}-{nr}.data" for nr in (1, 2, 3)] for side in ("omit", "plus-100"))
    said, _ = arm64.said(perfpair, "diff", "-s", "symbol", "--symfs", arm64.programs,
                         "--format", "json", "--old", *old, "--new", *new)
    found = json.loads(said)
    assert found["measure"] == "number of events" and found["work"] == "same"
    rows = {row["symbol"]: row for row in found["events"][0]["rows"]}
    for name, share in SHARES.items():
        row = rows[name]
        change = CHANGES["plus-100"] / 100 * LEAST if name == "leaf_three" else 0
        assert abs(row["baseline"] - share * LOOP_NR) < 2 * DIFF_PERIOD
        assert abs(row["delta"] - change) < 2 * DIFF_PERIOD
        assert row["low"] < change < row["high"]
        assert row["significant"] == (change != 0)


def test_a_metric_is_the_ratio_of_its_counts(arm64):
    """Of a machine that sleeps, which has many cycles and few instructions."""
    rows = [json.loads(line) for line in arm64.text("ipc.json").splitlines()
            if line.startswith('{"')]
    counts = {row["event"]: float(row["counter-value"]) for row in rows if "event" in row}
    ipc = counts["instructions"] / counts["cycles"]
    assert 0 < ipc < 0.1
    said = [row["metric-value"] for row in rows
            if row.get("event") == "instructions" or row.get("metric-unit") == "ipc"]
    assert len(said) == 2 and all(abs(value - ipc) < 1e-6 for value in said)
