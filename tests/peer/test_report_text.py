"""Proof 2 for report: of what perf recorded, perfpair report prints what perf
report prints, for many ways of recording and of looking at it."""

import os
import subprocess

import pytest

from peer_text import same_report
from recipes import PID, RECIPES
from recordings import recipes_by_perf, record_by_perf

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
    ["--cpu", str(os.cpu_count() - 1), "-s", "cpu,comm"],
    ["--time", "10%/3"],
    ["--time", "20%-50%,60%-70%"],
]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory, perf, may_trace, workload, home):
    """recorded(RECIPE): perf's file of that recipe, recorded once."""
    return recipes_by_perf(perf, workload, home,
                           tmp_path_factory.mktemp("theirs"))


@pytest.fixture
def compare(perf, perfpair, run, home):
    return lambda words: compare_text(perf, perfpair, run, home, words)


def compare_text(perf, perfpair, run, home, words):
    theirs = run([perf, "report", "--stdio", *words], env=home)
    ours = run([perfpair, "report", "--stdio", *words], env=home)
    assert (theirs.returncode, ours.returncode) == (0, 0), ours.stderr
    # on a quiet machine a CPU may have nothing to do
    assert theirs.stdout.count("\n") > 3 or "--cpu" in words
    # perf takes the rest of a fractal tree for an inlined function
    same_report(theirs.stdout.replace("[...] (inlined)", "[...]"),
                ours.stdout)


@pytest.mark.parametrize("recipe", OWN_PROCESS,
                         ids=[r[0].replace(" ", "-") for r in OWN_PROCESS])
def test_every_recipe(recorded, recipe, compare):
    compare(["-i", recorded(recipe)])


@pytest.mark.parametrize("view", VIEWS, ids=lambda v: "_".join(v) or "default")
@pytest.mark.parametrize("name", ["callchains of all CPUs", "callchains",
                                  "group"])
def test_every_view(recorded, name, view, compare):
    if view == ["-s", "sym"] and name == "callchains of all CPUs":
        name = "callchains"  # what runs beside us makes perf split rows
    recipe = RECIPES[NAMES.index(name)]
    if name == "group" and "-g" in view and "none" not in view:
        pytest.skip("no call chains to show")
    compare(["-i", recorded(recipe), *view])


@pytest.mark.parametrize("words", FILTERS, ids="_".join)
def test_every_filter(recorded, words, compare):
    recipe = RECIPES[NAMES.index("callchains of all CPUs")]
    compare(["-i", recorded(recipe), "--no-children", *words])


def test_callers_of_what_passes_a_filter(recorded, compare):
    recipe = RECIPES[NAMES.index("callchains of all CPUs")]
    compare(["-i", recorded(recipe), "--comms", "spin"])


def test_a_filter_leaves_out_samples_of_rows_it_does_not_divide(
        recorded, perfpair, run):
    """Rows by DSO, samples of one task: perf shows the whole row of whatever
    task came first there."""
    path = recorded(RECIPES[NAMES.index("all CPUs")])

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


def test_compressed(recorded, compare):
    recipe = RECIPES[NAMES.index("callchains of all CPUs")]
    compare(["-i", recorded(recipe, "-z")])


def test_pipe_mode(tmp_path, perf, may_record, workload, perfpair, compare,
                   home):
    out = tmp_path / "pipe.data"
    done = record_by_perf([perf, "record", "-q", "-g", "-e", "cpu-clock", "-o",
                           "-", "--", str(workload("spin")), "300"], out,
                          home["HOME"])
    assert done.returncode == 0, done.stderr
    compare(["-i", out])
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


def test_an_unknown_sort_key_is_an_error(recorded, perfpair, run):
    path = recorded(RECIPES[0])
    done = run([perfpair, "report", "-s", "nonsense", "-i", path])
    assert done.returncode == 1
    assert "nonsense" in done.stderr
