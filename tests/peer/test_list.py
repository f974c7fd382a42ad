"""perfpair-record list beside perf list, on this machine and on copied PMUs that
are mounted over /sys: layout, names, and the attr of every metric's events."""

import json
import os
import re
import subprocess

import pytest

from common import ROOT

MACHINES = ROOT / "fixtures/machines"
# perf looks its tables up by this instead of asking the CPU.
CPUID = {"icelake": "GenuineIntel-6-6A-6", "haswell": "GenuineIntel-6-3C-3",
         "zen4": "AuthenticAMD-25-97-0"}
# The library's name of the same models.
LIBRARY = {"icelake": "icx", "haswell": "hsw", "zen4": "amd64_fam19h_zen4"}
# Names that perf and libpfm4 spell alike, and those that only perf has.
NAMES = {
    "icelake": ["l1d.replacement", "inst_retired.any", "cpu_clk_unhalted.thread",
                "cycle_activity.stalls_l3_miss", "uops_issued.any",
                "uops_issued.stall_cycles", "br_misp_retired.all_branches",
                "l2_rqsts.all_demand_data_rd", "mem_load_retired.l3_miss",
                "frontend_retired.dsb_miss"],
    "haswell": ["l1d.replacement", "inst_retired.any", "cpu_clk_unhalted.thread",
                "uops_issued.any", "idq_uops_not_delivered.core",
                "uops_retired.retire_slots", "int_misc.recovery_cycles"],
    "zen4": ["ex_ret_instr", "ex_ret_ops", "ex_ret_brn", "ex_ret_brn_misp",
             "ls_not_halted_cyc"],
}


@pytest.fixture
def on_machine(may_unshare):
    """on_machine(NAME, WORDS): runs WORDS where /sys has that machine's PMUs."""
    def run_there(machine, words):
        folder = MACHINES / machine / "bus/event_source"
        return subprocess.run(
            ["unshare", "-m", "sh", "-c",
             'mount --bind "$0" /sys/bus/event_source && exec "$@"',
             folder, *words], capture_output=True, text=True,
            env={**os.environ, "PERF_CPUID": CPUID[machine],
                 "LIBPFM_FORCE_PMU": LIBRARY[machine]})
    return run_there


def rows(text):
    return [line.rstrip() for line in text.splitlines()
            if line.endswith("event]")]


@pytest.mark.parametrize("word", ["sw", "tracepoint", "sched:*wake*"])
def test_lines_are_perfs(run, perf, perfpair_record, word):
    theirs = run([perf, "list", word]).stdout
    ours = run([perfpair_record, "list", "--no-desc", word]).stdout
    assert rows(ours) == rows(theirs)
    assert len(rows(ours)) > 2


@pytest.mark.parametrize("machine", CPUID)
def test_lines_of_a_copied_pmu_are_perfs(on_machine, perf, perfpair_record,
                                         machine):
    theirs = on_machine(machine, [perf, "list", "pmu"]).stdout
    ours = on_machine(machine, [perfpair_record, "list", "pmu"]).stdout
    kernel = [line for line in rows(ours) if "[Kernel PMU event]" in line]
    # perf 6.1 has an event of its tables among those of sysfs
    assert kernel == [line for line in rows(theirs) if line in set(kernel)]
    assert len(kernel) > 5


def configs_of_perf(done):
    """The configs that perf stat -vv tried to open, in order."""
    return [int(number, 16) for number in
            re.findall(r"^  config +(0x[0-9a-f]+)", done.stderr, re.M)]


def config_of_ours(on_machine, machine, perfpair_record, event, tmp_path):
    """What the recorder passes to the kernel, which has no such PMU."""
    done = on_machine(machine, ["strace", "-e", "trace=perf_event_open",
                                perfpair_record, "-e", event, "-o",
                                tmp_path / "x.data", "true"])
    found = re.search(r"type=PERF_TYPE_RAW.*?config=(0x[0-9a-f]+|0)",
                      done.stderr)
    assert found, done.stderr
    return int(found.group(1), 16)


@pytest.mark.parametrize("machine", CPUID)
def test_events_of_metrics_have_perfs_attr(on_machine, run, perf,
                                           perfpair_record, tmp_path, machine):
    listed = json.loads(run([perfpair_record, "list", "-j", "--sysfs",
                             MACHINES / machine, "metric"]).stdout)
    texts = {row["MetricEvents"] for row in listed
             if row["MetricGroup"] == "topdown"}
    events = sorted({event for text in texts for event in
                     re.findall(r"cpu/[^/]*/|[^,{}]+", text)})
    assert len(events) >= 5
    theirs = configs_of_perf(on_machine(
        machine, [perf, "stat", "-vv",
                  *(word for event in events for word in ("-e", event)),
                  "true"]))
    assert len(theirs) == len(events)
    assert [config_of_ours(on_machine, machine, perfpair_record, event,
                           tmp_path) for event in events] == theirs


@pytest.mark.parametrize("machine", CPUID)
def test_vendors_names_have_perfs_code(on_machine, perf, perfpair_record,
                                       tmp_path, machine):
    known = 0
    for name in NAMES[machine]:
        theirs = configs_of_perf(on_machine(machine,
                                            [perf, "stat", "-vv", "-e", name,
                                             "true"]))
        if not theirs:
            continue  # this perf has no such name
        assert config_of_ours(on_machine, machine, perfpair_record, name,
                              tmp_path) == theirs[0], name
        known += 1
    assert known >= 5


@pytest.mark.parametrize("words", [[], ["sw"], ["sched:*wake*"]])
def test_raw_dump_is_perfs(run, perf, perfpair_record, words):
    """Completions read it: names in one line, without one's end."""
    theirs = run([perf, "list", "--raw-dump", *words]).stdout
    ours = run([perfpair_record, "list", "--raw-dump", *words]).stdout
    assert "\n" not in theirs + ours
    assert set(theirs.split()) <= set(ours.split())
    if words:
        assert ours == theirs
