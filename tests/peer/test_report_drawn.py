"""Options of report that were drawn, of recordings of many kinds: what perf
prints; see drawn.py and drawn_report.py."""

import pytest

from drawn import compare_drawn, file_of, names_of  # noqa: F401
from drawn_report import (BRANCHES, CHAINS, GROUP, MEMORY, SEVERAL, TRACED,
                          TRACE_ALONE, Drawer, comparable)
from test_memory_columns import RECIPE as FAULTS, drawn as drawn_memory
from test_report_options import drawn as drawn_branches

CLOCK = ("clock", ["-e", "cpu-clock", "-g"], ("spin", "200"))
FILES = {
    "chains": ([CHAINS], CLOCK, None),
    "branches": ([CHAINS, BRANCHES], CLOCK, (drawn_branches, 8)),
    "memory": ([CHAINS, MEMORY], FAULTS, (drawn_memory,)),
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


@pytest.mark.parametrize("name", FILES)
def test_report_drawn(name, file_of, run, perf, perfpair,  # noqa: F811
                      home):
    path = file_of(name)
    names = names_of(run, perf, home, path)
    compare_drawn(
        name, lambda draw: Drawer(draw, FILES[name][0], names),
        lambda words: [run([program, "report", "--stdio", "-i", path, *words],
                           env=home) for program in (perf, perfpair)],
        comparable)
