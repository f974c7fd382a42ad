"""Options of report that were drawn, of recordings of many kinds: what perf
prints.  PERFPAIR_DRAWN is how many sets a recording gets (5), PERFPAIR_SEED the
seed of the draw; see drawn_report.py."""

import os
import random

import pytest

from drawn_report import (BRANCHES, CHAINS, GROUP, MEMORY, SEVERAL, TRACED,
                          TRACE_ALONE, Drawer, Names, comparable)
from peer_text import same_text
from recordings import recipes_by_perf
from redrawn import redraw
from test_memory_columns import RECIPE as FAULTS, drawn as drawn_memory
from test_report_options import drawn as drawn_branches

CLOCK = ("clock", ["-e", "cpu-clock", "-g"], ("spin", "200"))
FILES = {
    "chains": ([CHAINS], CLOCK, None),
    "branches": ([CHAINS, BRANCHES], CLOCK, drawn_branches),
    "memory": ([CHAINS, MEMORY], FAULTS, drawn_memory),
    "group": ([GROUP, SEVERAL], (
        "group", ["--sample-cpu", "-e", "{cpu-clock,task-clock}"],
        ("spin", "100")), None),
    "two events": ([SEVERAL], (
        "two", ["--sample-cpu", "-e", "cpu-clock", "-e", "task-clock"],
        ("spin", "100")), None),
    "tracepoint": ([TRACED, TRACE_ALONE], (
        "raw", ["-R", "-e", "syscalls:sys_enter_getppid"],
        ("getppid", "500")), None),
}
SETS_NR = int(os.environ.get("PERFPAIR_DRAWN", "5"))
SEED = int(os.environ.get("PERFPAIR_SEED", "1"))


@pytest.fixture(scope="module")
def file_of(tmp_path_factory, perf, may_trace, workload, home):
    folder = tmp_path_factory.mktemp("drawn")
    record = recipes_by_perf(perf, workload, home, folder)

    def path_of(name):
        _, recipe, change = FILES[name]
        path = folder / f"{name}.changed"
        if change and not path.exists():
            redraw(record(recipe), path, change,
                   branch_type=8 if change is drawn_branches else 0)
        return path if change else record(recipe)

    return path_of


def names_of(run, perf, home, path):
    """Not all recordings tell CPUs."""
    fields = "comm,pid,tid,cpu,time,event,ip,sym,dso"
    for keys in (fields, fields.replace("cpu,", "")):
        done = run([perf, "script", "-i", path, "-F", keys], env=home)
        if done.stdout:
            return Names(done.stdout)
    raise AssertionError(done.stderr)


@pytest.mark.parametrize("name", FILES)
def test_report_drawn(name, file_of, run, perf, perfpair, home):
    path = file_of(name)
    names = names_of(run, perf, home, path)
    draw = random.Random(f"{SEED} {name}")
    compared_nr = 0
    for _ in range(SETS_NR):
        words = Drawer(draw, FILES[name][0], names).draw_set()
        command = ["report", "--stdio", "-i", path, *words]
        theirs, ours = (run([program, *command], env=home)
                        for program in (perf, perfpair))
        # perf 6.1 ends in a signal now and then; what it refuses, so do we
        if theirs.returncode < 0 or ours.returncode == theirs.returncode != 0:
            continue
        assert (theirs.returncode, ours.returncode) == (0, 0), \
            (words, theirs.stderr, ours.stderr)
        print("report", *words)
        same_text(comparable(theirs.stdout, words),
                  comparable(ours.stdout, words))
        compared_nr += 1
    assert compared_nr > SETS_NR / 2
