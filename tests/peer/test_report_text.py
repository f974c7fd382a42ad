"""Proof 2 for report: of what perf recorded, perfpair report prints what perf
report prints, for many ways of recording and of looking at it."""

import subprocess

import pytest

from common import RECORD
from peer_text import entries
from recipes import PID, RECIPES, own_rows
from recordings import record_by_perf

NAMES = [name for name, _, _ in RECIPES]
# In a file of two sample types perf 6.1 gives samples without call chain the
# chain of the sample before (docs/differences.md).
OWN_PROCESS = [r for r in RECIPES
               if PID not in r[1] and r[0] != "two sample types"]

# What is asked of a recording: options of report, alike for both.
VIEWS = [
    [],
    ["--no-children"],
    ["-g", "none", "-n"],
    ["--no-children", "-g", "caller", "--show-total-period"],
    ["-g", "folded"],
    ["-g", "folded,count", "--no-children"],
    ["-g", "flat,period"],
    ["-g", "graph,count"],
    ["-g", "fractal,20,callee", "--no-children"],
    ["-g", "graph,0.5,2"],
    ["-s", "pid"],
    ["-s", "dso,sym"],
    ["-s", "sym"],
    ["-s", "cpu,comm", "-n"],
    ["-s", "+cpu", "-g", "none"],
    ["-F", "overhead,comm,sample"],
    ["--percent-limit", "2"],
    ["--max-stack", "3"],
    ["-q"],
    ["--header"],
]


# Filters, of a recording of all CPUs.
FILTERS = [
    ["--comms", "spin"],
    ["--comms", "spin,swapper", "-s", "comm,sym"],
    ["--comms", "spin", "--percentage", "relative"],
    ["--comms", "no such name"],
    ["--dsos", "spin"],
    ["--dsos", "[kernel.kallsyms]", "-g", "none"],
    ["--dsos", "libc.so.6,spin", "-n"],
    ["--symbols", "leaf_hash"],
    ["--symbols", "leaf_hash,compare", "-g", "none"],
    ["--symbol-filter", "leaf"],
    ["--comms", "spin", "--dsos", "spin"],
    ["--pid", "0", "-s", "pid,sym"],
    ["--tid", "0", "-s", "pid"],
    ["--cpu", "0", "-s", "cpu,comm"],
    ["--time", "10%/3"],
    ["--time", "20%-50%,60%-70%"],
]


ALL, CHAINS = "callchains of all CPUs", "callchains"


@pytest.fixture
def recorded(recorded_recipe):
    """recorded(NAME, OPTION...): perf's file of that recipe."""
    return lambda name, *more: recorded_recipe(RECIPES[NAMES.index(name)], *more)


def as_report(text):
    """perf takes the rest of a fractal tree for an inlined function."""
    return "\n".join(entries(text.replace("[...] (inlined)", "[...]")))


@pytest.fixture
def compare(peer):
    def compare_text(*words):
        # on a quiet machine a CPU may have nothing to do
        ours = peer.same("report", "--stdio", *words, form=as_report,
                         least=0 if "--cpu" in words else 4)
        assert "[...] (inlined)" not in ours
    return compare_text


@pytest.mark.cases([(recipe[0],) for recipe in OWN_PROCESS])
def test_every_recipe(recorded, kind, case, compare):
    compare("-i", recorded(*case), *own_rows(kind, *case))


# What runs beside us makes perf split rows by symbols alone; a group has no chains.
@pytest.mark.cases([
    (name, view) for view in VIEWS for name in (ALL, CHAINS, "group")
    if not (name == ALL and view == ["-s", "sym"]
            or name == "group" and "-g" in view and "none" not in view)])
def test_every_view(recorded, kind, case, compare):
    name, view = case
    compare("-i", recorded(name), *view, *own_rows(kind, name, view))


@pytest.mark.cases([(ALL, words) for words in FILTERS])
def test_every_filter(recorded, case, compare):
    name, words = case
    compare("-i", recorded(name), "--no-children", *words)


@pytest.mark.cases([(ALL,)])
def test_callers_of_what_passes_a_filter(recorded, case, compare):
    compare("-i", recorded(*case), "--comms", "spin")


@pytest.mark.records
def test_a_filter_leaves_out_samples_of_rows_it_does_not_divide(
        recorded, perfpair, run):
    """Rows by DSO, samples of one task: perf shows the whole row of whatever
    task came first there."""
    path = recorded("all CPUs")

    def total(*words):
        text = run([perfpair, "report", "-q", "--stdio", "-F",
                    "sample,dso", "-i", path, *words]).stdout
        return sum(int(line.split()[0]) for line in text.splitlines() if line)

    of_spin = run([perfpair, "report", "-q", "--stdio", "-F", "sample,comm",
                   "-i", path]).stdout
    spin, = (int(line.split()[0]) for line in of_spin.splitlines()
             if line.split()[1:] == ["spin"])
    assert total("--comms", "spin") == spin
    assert total() > spin


@pytest.mark.records
def test_compressed(recorded, compare):
    compare("-i", recorded(ALL, "-z"), "--comms", "spin")


def test_pipe_mode(tmp_path, perf, may_record, workload, perfpair, compare,
                   perf_home):
    out = tmp_path / "pipe.data"
    done = record_by_perf([perf, *RECORD, "-q", "-g", "-e", "cpu-clock", "-o",
                           "-", "--", str(workload("spin")), "300"], out, perf_home)
    assert done.returncode == 0, done.stderr
    compare("-i", out)
    piped = subprocess.run([perfpair, "report", "--stdio", "-i", "-"],
                           input=out.read_bytes(), capture_output=True)
    mapped = subprocess.run([perfpair, "report", "--stdio", "-i", out],
                            capture_output=True)
    assert piped.stdout == mapped.stdout


def test_an_unknown_option_is_an_error(perfpair, run):
    done = run([perfpair, "report", "--no-such-thing"])
    assert done.returncode == 2
    assert done.stdout == ""
    assert "--no-such-thing" in done.stderr


def test_an_unknown_sort_key_is_an_error(frozen, perfpair, run):
    path = frozen("recipes/software clock")
    done = run([perfpair, "report", "-s", "nonsense", "-i", path])
    assert done.returncode == 2
    assert "nonsense" in done.stderr
