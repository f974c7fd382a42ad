"""Options of script that were drawn, of recordings of many kinds: what perf
prints; see drawn.py and drawn_script.py."""

import pytest

from drawn import compare_drawn, file_of, names_of  # noqa: F401
from drawn_script import LINES, Drawer, ScriptNames, comparable, traits_of
from test_memory_columns import RECIPE as FAULTS, drawn as drawn_memory
from test_report_options import drawn as drawn_branches

CLOCK = ("clock", ["-e", "cpu-clock", "-g"], ("spin", "200"))
FILES = {
    "chains": ([], CLOCK, None),
    "lines": ([LINES], ("lines", *CLOCK[1:-1], ("spin -O1 -g", "200")), None),
    "branches": ([], CLOCK, (drawn_branches, 8)),
    "memory": ([], FAULTS, (drawn_memory,)),
    "two types": ([], (
        "two types", ["--sample-cpu", "-e", "cpu-clock/call-graph=fp/", "-e",
                      "page-faults/period=1/"], ("spin", "100")), None),
    "tracepoint": ([], (
        "tracepoint", ["-g", "-R", "-e", "syscalls:sys_enter_openat", "-e",
                       "cpu-clock"], ("spin", "50")), None),
    "sideband": ([], (
        "sideband", ["-a", "--all-cgroups", "--switch-events", "--namespaces",
                     "-k", "CLOCK_MONOTONIC", "-m", "2048", "-F", "500", "-e",
                     "cpu-clock"], ("spin", "50")), None),
}


@pytest.mark.parametrize("name", FILES)
def test_script_drawn(name, file_of, run, perf, perfpair,  # noqa: F811
                      home):
    path = file_of(name)
    names = names_of(run, perf, home, path, ScriptNames)
    told, header = (run([perf, *words, "-i", path], env=home).stdout
                    for words in (["evlist", "-v"],
                                  ["script", "--header-only"]))
    traits = traits_of(told, header) | set(FILES[name][0])
    compare_drawn(
        name, lambda draw: Drawer(draw, traits, names),
        lambda words: [run([program, "script", "-i", path, *words], env=home)
                       for program in (perf, perfpair)], comparable)
