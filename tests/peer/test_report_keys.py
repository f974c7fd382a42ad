"""Proof 2 for what report tells rows apart by and orders them by: -s with -F,
hierarchies, parents.  The text is perf's."""

import csv
import io
import json
import os
import re
from collections import Counter

import pytest

from peer_text import TIP, entries, nested
from recipes import RECIPES

CHAINS = "callchains"
GROUP = "group"
ONE_CPU = "one CPU"
MEMORY = "memory"
TWO = "two events"
SPACES = "namespaces"
OWN_RECIPES = [
    (MEMORY, ["-d", "-W", "--code-page-size", "--all-cgroups", "-c", "1", "-e",
              "page-faults"], ("spin", "50")),
    (TWO, ["-e", "cpu-clock", "-e", "task-clock"], ("spin", "100")),
    (SPACES, ["--namespaces", "-e", "cpu-clock"], ("spin", "100")),
]

# Every row is told from every other by the keys that come first: the order of
# rows is perf's too.
ORDERED = [
    *((MEMORY, ["-F", f"{name},overhead"])
      for name in ("t", "tr", "ti", "so", "c", "cg", "w", "loc", "in",
                   "o", "sa", "pe")),
    (CHAINS, ["-F", "sample,overhead", "-s", "dso,comm"]),
    (CHAINS, ["-F", "dso,overhead", "-s", "comm,dso", "--no-children"]),
    (CHAINS, ["-F", "dso,overhead"]),
    (CHAINS, ["-F", "comm,overhead_children,sample", "--no-children"]),
    (CHAINS, ["-s", "dso,overhead", "--no-children"]),
    (CHAINS, ["-p", "^do_|main", "-F", "overhead"]),
    (GROUP, ["-F", "dso,sample", "-s", "comm"]),
    (GROUP, ["-F", "dso,overhead_children,overhead"]),
    (ONE_CPU, ["-F", "socket,dso,time,overhead"]),
    (MEMORY, ["-F", "code_page_size,weight,local_weight,overhead"]),
    (MEMORY, ["-F", "addr,overhead"]),
    (MEMORY, ["-F", "symbol_size,overhead"]),
    (TWO, ["--group", "-F", "dso,overhead"]),
]
# Rows of equal weight as a set.  Of other tasks no names: perf finds rows twice
# where a task changed its name.
TABLES = [
    (CHAINS, ["-F", "+sample"]),
    (CHAINS, ["-F", "+period,comm", "-s", "dso", "--no-children"]),
    (CHAINS, ["-s", "symbol,sample,dso", "--no-children"]),
    (CHAINS, ["-s", "{comm,dso},symbol"]),
    (CHAINS, ["-s", "parent,dso"]),
    (CHAINS, ["-p", "^do_|main", "-s", "parent,sym", "--no-children"]),
    (CHAINS, ["-p", "^do_|main", "-x", "-g", "caller"]),
    (CHAINS, ["-p", "^do_|main", "-s", "parent", "--max-stack", "4"]),
    (CHAINS, ["-p", "main", "-x", "--percentage", "relative"]),
    (CHAINS, ["-x"]),
    (GROUP, ["--no-group"]),
    (CHAINS, ["-s", "dso,dso_size", "-d", "spin,libc.so.6", "-g", "none"]),
    (CHAINS, ["-s", ",", "-g", "none"]),
    (ONE_CPU, ["-s", "socket,dso", "--socket-filter", "0"]),
    (ONE_CPU, ["-s", "comm", "--socket-filter", "7"]),
    (ONE_CPU, ["--show-cpu-utilization", "-s", "dso", "-n"]),
    (ONE_CPU, ["-F", "overhead,overhead_sys,overhead_us,overhead_guest_sys,"
                     "overhead_guest_us,dso"]),
    (MEMORY, ["-s", "cgroup"]),
    (MEMORY, ["-s", "cgroup_id,dso"]),
    (SPACES, ["-s", "cgroup_id,comm,dso", "-n"]),
    (SPACES, ["-F", "cgroup_id,overhead"]),
    (MEMORY, ["-s", "cgroup,ins_lat,local_ins_lat,dso"]),
    (TWO, ["--group"]),
    (TWO, ["--no-group"]),
    (TWO, ["--switch-on", "task-clock", "-s", "dso,sym"]),
    (TWO, ["--switch-on", "cpu-clock", "--switch-off", "task-clock",
           "--show-on-off-events"]),
]
HIERARCHIES = [
    (CHAINS, []),
    (CHAINS, ["-s", "{comm,dso},sym", "--no-children"]),
    (CHAINS, ["-s", "pid,{dso,sym}", "--percent-limit", "3"]),
    (CHAINS, ["-s", "comm,dso,sym", "--percent-limit", "30",
              "--show-total-period"]),
    (CHAINS, ["-s", "sym", "-n"]),
    (CHAINS, ["-s", "sample,comm,dso", "-g", "flat"]),
    (CHAINS, ["-s", "dso,sym", "-d", "spin"]),
    (CHAINS, ["-s", "comm,dso,sym", "-S", "leaf_hash,compare",
              "--percentage", "relative"]),
    (CHAINS, ["-p", "^do_|main", "-s", "parent,dso"]),
    (GROUP, []),
    (GROUP, ["-s", "{dso,comm},sym", "-n", "--percent-limit", "2"]),
    (GROUP, ["-s", "comm,dso", "--no-group"]),
    (ONE_CPU, ["-s", "time,{socket,dso}", "-n"]),
    (MEMORY, ["-s", "code_page_size,dso,symbol_size"]),
    (TWO, ["--group", "-s", "comm,dso"]),
]


@pytest.fixture
def recorded(recorded_recipe):
    """recorded(NAME): perf's file of that recipe."""
    return lambda name: recorded_recipe(next(
        recipe for recipe in RECIPES + OWN_RECIPES if recipe[0] == name))


def without_tips(text):
    return TIP.sub("", text)


def as_rows(text):
    return "\n".join(entries(without_tips(text)))


def as_levels(text):
    text = without_tips(text)
    return "\n".join([*nested(text), f"{len(text.splitlines())} lines"])


@pytest.fixture
def same(kind, peer, recorded):
    """same(CASE, FORM, WORD...): what perf prints."""
    def same_text(case, form, *more):
        name, words = case
        words = ["report", "--stdio", "-i", recorded(name), *words, *more]
        if kind == "fresh" and \
                "which CPU is in which socket" in peer.ours(*words).stderr:
            pytest.skip("this machine does not tell its sockets")
        if kind == "fresh" and "symbol_size" in " ".join(map(str, words)) and \
                re.search(r"\[\.\] _init\s", peer.ours(
                    "report", "-i", recorded(name), "-s", "symbol").stdout):
            pytest.skip("for perf _init reaches over the PLT behind it")
        peer.same(*words, form=form, least=4)

    return same_text


@pytest.mark.cases(ORDERED)
def test_rows_stand_in_the_order_of_their_keys(same, case):
    same(case, without_tips, *(["-g", "none"] if case[0] == CHAINS else []))


@pytest.mark.cases(TABLES)
def test_tables(same, case):
    same(case, as_rows)


@pytest.mark.cases(HIERARCHIES)
def test_hierarchies(same, case):
    same(case, as_levels, "--hierarchy")


def test_a_hierarchy_as_json_holds_what_the_table_holds(frozen, remembered):
    command = ["report", "--format", "json", "-s", "comm,dso", "--no-children",
               "-i", frozen("recipes/callchains")]
    flat, deep = (json.loads(remembered.ours(*command, *more).stdout
                             )["events"][0]["rows"]
                  for more in ([], ["--hierarchy"]))
    leaves = [dict(leaf, comm=top["comm"]) for top in deep
              for leaf in top["rows"]]

    def by_name(row):
        return row["comm"], row["dso"]

    assert sorted(flat, key=by_name) == sorted(leaves, key=by_name)
    for top in deep:
        assert set(top) == {"overhead_pct", "period", "samples", "comm",
                            "rows"}
        assert top["period"] == sum(row["period"] for row in top["rows"])


@pytest.mark.parametrize("words, said", [
    (["--hierarchy", "-F", "overhead"],
     "--hierarchy and --fields do not go together"),
    (["-p", "("], "--parent: '(': "),
    (["-F", "+"], "Invalid --fields key: `+'"),
    (["-s", "+"], "Invalid --sort key: `+'"),
    (["-F", "{comm}"], "Unknown --fields key: `{comm}'"),
    (["-s", "no_such_key"], "Unknown --sort key: `no_such_key'"),
])
def test_what_cannot_be_is_an_error(words, said, frozen, perfpair, run):
    done = run([perfpair, "report", "-i", frozen("recipes/callchains"), *words])
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_an_event_that_is_not_there_is_an_error(frozen, perfpair, run):
    done = run([perfpair, "report", "-i", frozen("recipes/callchains"), "--switch-off",
                "none"])
    assert (done.returncode, done.stdout) == (1, "")
    assert "--switch-off: there is no event 'none'" in done.stderr


def test_parents_need_call_chains(frozen, perfpair, run):
    done = run([perfpair, "report", "-i", frozen("recipes/group"), "-s", "parent"])
    assert (done.returncode, done.stdout) == (1, "")
    assert "nothing was recorded with call chains" in done.stderr


def test_offsets_in_symbols_are_those_of_script(perf, perfpair, run, perf_home,
                                                recorded):
    """perf 6.1 has no such key, but its script shows them."""
    home = dict(os.environ, HOME=str(perf_home))
    path = recorded(CHAINS)
    listed = run([perf, "script", "-i", path, "-G", "-F", "ip,sym,symoff"],
                 env=home)
    theirs = Counter(place for line in listed.stdout.splitlines()
                     for place in line.split()[1:2] if "+0x" in place)
    shown = run([perfpair, "report", "-i", path, "--no-children", "-g", "none",
                 "-s", "symoff", "--format", "csv"], env=home)
    ours = Counter()
    for row in csv.DictReader(io.StringIO(shown.stdout)):
        if "+0x" in row["symoff"]:
            ours[row["symoff"]] += int(row["samples"])
    assert len(theirs) > 3
    assert ours == theirs


@pytest.mark.parametrize("path", [
    "google__perf_data_converter/src__quipper__testdata__perf.data.busy.0-3.4",
    "google__perf_data_converter/src__quipper__testdata__perf.data.branch-4.14",
    "google__perf_data_converter/src__quipper__testdata__"
    "perf.data.piped.no_attr_ids-4.14",
    "KDAB__perfparser/tests__auto__perfdata__contentsize.data"])
def test_the_length_of_a_map_is_what_others_left_of_it(corpus, perf, perfpair,
                                                       run, tmp_path, path):
    words = ["report", "--stdio", "--no-children", "-g", "none", "-s",
             "dso_size,dso", "--symfs", tmp_path, "-i", corpus / "files" / path]
    theirs, ours = (
        sorted(line.rstrip() for line in run(program).stdout.splitlines()
               if re.match(" +[0-9.]+%", line))
        for program in ([perf, "--buildid-dir", tmp_path, *words],
                        [perfpair, *words]))
    assert len(theirs) > 1
    assert ours == theirs
