"""perfpair list, which runs the recorder's."""

import json
import os
import shutil

import pytest

from common import ROOT

MACHINES = ROOT / "fixtures/machines"


@pytest.fixture
def lists(run, perfpair, perfpair_record, tmp_path):
    """lists(WORD...): runs perfpair list, with the recorder beside it."""
    for program in (perfpair, perfpair_record):
        os.symlink(program, tmp_path / os.path.basename(program))
    path = f"{tmp_path}:{os.environ['PATH']}"
    return lambda *words: run(["perfpair", "list", *words], env={
        **os.environ, "PATH": path, "LIBPFM_FORCE_PMU": "icx"})


def test_software_events_have_a_description(lists):
    done = lists("sw")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[::2] == [line for line in lines
                          if line.endswith(("[Software event]",
                                            "[Tool event]"))]
    assert all(line.startswith("       [") for line in lines[1::2])
    assert "  page-faults OR faults                              " \
        "[Software event]" in lines


def test_json_of_a_copied_machine(lists):
    rows = json.loads(lists("-j", "--sysfs", MACHINES / "zen4").stdout)
    metric = next(row for row in rows
                  if row.get("MetricName") == "smt_contention")
    assert metric["MetricExpr"].endswith("/ ( 6 * ls_not_halted_cyc )")
    assert metric["MetricEvents"].startswith("{cpu/event=0x76,")
    assert "Missing" not in metric
    kinds = {row.get("EventType") for row in rows}
    assert {"Hardware event", "Software event", "Hardware cache event",
            "Kernel PMU event", "Hardware breakpoint"} <= kinds


def test_what_is_missing_is_counted_shown_or_asked_for(lists, perfpair_record):
    rows = json.loads(lists("-j", "hw", "metric").stdout)
    missing = [row for row in rows if "Missing" in row]
    if len(missing) < len(rows):
        pytest.skip("this machine has counters")
    # nothing else fits: shown, and marked
    shown = lists("--no-desc", "hw").stdout.splitlines()
    assert len(shown) == 10
    assert all(line.endswith("[Hardware event, not on this machine]")
               for line in shown)
    # something else fits: counted; --all shows it
    few, all_ = (lists("--no-desc", *words, "hw", "sw").stdout.splitlines()
                 for words in ([], ["--all"]))
    assert few[-1] == "10 more need counters that this machine lacks (--all)"
    assert len(all_) == len(few) - 2 + 10


@pytest.mark.parametrize("words, status, text", [
    (["nosuch"], 2, "perfpair-record: no event of this machine fits 'nosuch'"),
    (["--jso"], 0, ""),
    (["--cputype"], 2, "perf's option '--cputype' is not here"),
])
def test_wrong_words_are_named(lists, words, status, text):
    done = lists(*words)
    assert done.returncode == status
    assert text in done.stderr


def test_names_of_vendors_can_be_typed_elsewhere(lists):
    if not shutil.which("ldconfig") or not os.path.exists(
            "/usr/lib/x86_64-linux-gnu/libpfm.so.4"):
        pytest.skip("libpfm4 is not installed")
    done = lists("-v", "--no-desc", "--sysfs", MACHINES / "icelake",
                 "L1D.REPLACEMENT")
    assert done.stdout == ("icx:\n  l1d.replacement\n"
                           "        cpu/event=0x51,umask=0x1/\n")
