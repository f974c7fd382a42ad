"""s390x: what a big-endian machine has recorded, read here."""

import subprocess

import pytest

from test_arm64 import SHARES

pytestmark = pytest.mark.builds


@pytest.fixture(scope="module")
def s390x(machine):
    return machine("s390x")


def test_recorder_says_nothing(s390x):
    assert s390x.log == ""


def test_perf_reads_the_same(s390x, perfpair, perf):
    fields = "comm,pid,tid,time,event,ip,period"
    assert s390x.as_by_perf(perfpair, perf, fields) > 300


def test_leaves_are_named(s390x, perfpair):
    """Not by their shares: emulated instructions take what time they take."""
    samples = [names for _, _, names in s390x.samples(perfpair, "own")]
    leaves = [names[0] for names in samples if names[0] in SHARES]
    assert len(leaves) > len(samples) / 2
    assert set(leaves) == SHARES.keys()


def test_stack_copies_need_registers_that_are_known(s390x):
    assert (s390x.folder / "refusal.txt").read_text() == (
        "perfpair-record: cpu-clock: the registers of this machine, which stack copies "
        "need, are not known here\nperfpair-record: use --call-graph fp\n")


@pytest.mark.parametrize("name", ["own.data", "switches.data", "killed"])
def test_perf_reports_it(s390x, perf, name):
    said, _ = s390x.said(perf, "report", "--stdio", "-i", name)
    assert "# Event count (approx.)" in said


def test_a_killed_recorder_leaves_what_perf_reads(s390x, perfpair, perf):
    """perf reads up to the last checkpoint, and so does "perfpair repair", whose file
    is whole."""
    fields = "comm,pid,tid,time,event,ip,period"

    def lines(program, name):
        words = [str(program), "script", "-F", fields, "-i", name]
        return subprocess.run(words, cwd=s390x.folder, capture_output=True,
                              text=True, timeout=60).stdout.splitlines()

    s390x.said(perfpair, "repair", "-f", "killed", "-o", "repaired")
    by_perf, ours = lines(perf, "killed"), lines(perfpair, "killed")
    assert len(by_perf) > 100
    assert ours[:len(by_perf)] == by_perf
    assert lines(perf, "repaired") == ours
