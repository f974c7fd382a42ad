"""Memory accesses and transactions: --mem-mode and the sort keys of what such
samples carry.  Page faults by perf, whose sources, weights and pages are drawn
at random: this machine's CPU samples no memory."""

import random
import re

import pytest

from peer_text import TIP, entries
from redrawn import (ADDR, DATA_PAGE, DATA_SRC, PHYS_ADDR, TRANSACTION,
                     WEIGHT_STRUCT, redraw, words)

RECIPE = ("memory", ["-d", "-W", "--phys-data", "--data-page-size", "-g", "-c",
                     "1", "-e", "page-faults"], ("spin", "50"))
CORPUS = "google__perf_data_converter/src__quipper__testdata__" \
    "perf.data.weight_struct"

KEYS = ["symbol_daddr", "dso_daddr", "symbol_iaddr", "phys_daddr",
        "data_page_size", "mem", "snoop", "tlb", "locked", "blocked",
        "local_weight", "weight", "local_ins_lat", "ins_lat", "transaction"]
VIEWS = [
    [],
    ["-s", "symbol_daddr,dso"],
    ["-s", "dso,symbol_daddr,overhead"],
    ["-s", "+cpu"],
    ["-s", "+symbol_iaddr"],
    ["-s", "locked,blocked,transaction"],
    ["-s", "tlb,mem", "-n"],
    ["-s", "mem,dso", "--percent-limit", "1", "--show-total-period"],
    ["-F", "overhead,mem"],
    ["-F", "+mem,weight"],
    ["-F", "overhead,mem,sample", "-s", "dso_daddr,symbol"],
    ["-d", "libc.so.6"],
    ["--no-children", "-s", "sym,mem"],
    ["-q", "-s", "phys_daddr,data_page_size"],
    ["-v", "-s", "symbol_daddr,tlb"],
    ["-v", "-s", "symbol_iaddr,dso_daddr"],
    ["-v", "-s", "dso,symbol_daddr"],
]
OUTSIDE = [["-s", "transaction"], ["-s", "transaction,weight,ins_lat,dso"],
           ["-F", "ins_lat,overhead,local_ins_lat"], ["-s", "dso,cgroup_id"]]


def drawn(parts, _, draw=random.Random(5)):
    """What Intel's, AMD's and POWER's units tell, and what none does."""
    one = draw.choice
    if one(range(5)) == 3:
        parts[ADDR] = words(one([0, 0xffffffff81c3d000, 0x10, 2**64 - 1]))
    level = one([1, 2 | 8, 2 | 16, 2 | 32, 4 | 64, 2 | 128, 2 | 256, 2 | 1024,
                 1, 2])
    parts[DATA_SRC] = words(
        2 | level << 5 | one([1, 2, 4, 8, 16, 0]) << 19 | one([1, 2, 0]) << 24
        | one([1, 2 | 8, 2 | 16 | 8, 4 | 16, 2 | 32, 4]) << 26
        | one([0, 1, 2, 3, 4, 9, 13, 15]) << 33 | one([0, 0, 1]) << 37
        | one([0, 0, 1, 2]) << 38 | one([0, 1, 2, 4, 6]) << 40
        | one([0, 0, 0, 1, 2]) << 43)
    parts[WEIGHT_STRUCT] = words(one([0, 1, 7, 33, 200]) | one([0, 5, 9]) << 32
                                 | one([0, 3, 4]) << 48)
    parts[TRANSACTION] = words(one([0, 1, 2, 4 | 1, 8 | 2, 16 | 2 | 4, 32 | 4,
                                    64 | 128 | 8, 0x2a << 32 | 4, 1 << 40]))
    parts[PHYS_ADDR] = words(one([0, 0x1000, 0x7ffffffff000, 2**63 + 5]))
    parts[DATA_PAGE] = words(one([0, 4096, 64 << 10, 1 << 20, 2 << 20,
                                  1 << 30]))


@pytest.fixture(scope="module")
def memory_here(recipe_by_perf, tmp_path_factory):
    """memory_here(KIND): this machine's file as it was recorded, or with drawn
    values."""
    made = {}

    def path_of(name):
        if name not in made:
            made[name] = recipe_by_perf(RECIPE)
            if name == "drawn":
                made[name] = redraw(
                    made[name], tmp_path_factory.mktemp("memory") / "drawn.data",
                    drawn)
        return made[name]

    return path_of


@pytest.fixture
def memory(kind, memory_here, frozen):
    names = {"recorded": "recipes/memory accesses",
             "drawn": "recipes/drawn memory accesses"}
    return (lambda name: frozen(names[name])) if kind == "frozen" else memory_here


def without_tips(text):
    return TIP.sub("", text)


def as_rows(text):
    return "\n".join(entries(without_tips(text)))


def without_offsets(text):
    return re.sub(r"[+-]0x[0-9a-f]+ *", "+ ", without_tips(text))


@pytest.fixture
def same(memory, peer):
    """same(CASE, FORM, WORD...): what perf prints; returns our text."""
    def same_text(case, form, *words):
        return peer.same("report", "--stdio", "-i", memory(case[0]), *words,
                         form=form, least=4)

    return same_text


@pytest.mark.cases([(name, view) for view in VIEWS for name in ("recorded", "drawn")])
def test_memory_columns__views(case, same):
    same(case, as_rows, "--mem-mode", *case[1])


@pytest.mark.cases([("drawn", key) for key in KEYS])
def test_memory_columns__rows_stand_in_the_order_of_each_key(case, same):
    ours = same(case, without_tips, "--mem-mode", "-g", "none", "-F",
                f"{case[1]},overhead")
    assert ours.count("%") > 2


@pytest.mark.cases([("drawn", view) for view in OUTSIDE])
def test_memory_columns__without_memory_mode(case, same):
    same(case, as_rows, "-g", "none", "--no-children", *case[1])


@pytest.mark.cases([("drawn",)])
def test_memory_columns__cache_lines(case, same):
    """Behind the name of an object perf shows how far its address in memory is
    from the line's in the file; we show how far the line is from the object."""
    ours = same(case, without_offsets, "--mem-mode", "-g", "none", "-F",
                "dcacheline,overhead")
    assert "[X]" in ours and "[.] 0x" in ours
    assert not re.search(r"\+0x[0-9a-f]{9}", ours)


@pytest.fixture
def drawn_file(frozen):
    return frozen("recipes/drawn memory accesses")


@pytest.mark.parametrize("view", VIEWS[:4] + [["-s", "dcacheline"]],
                         ids=lambda v: "_".join(v) or "default")
def test_memory_columns__of_somebody_else(corpus, remembered, view):
    remembered.same("report", "--stdio", "-i", corpus / "files" / CORPUS,
                    "--mem-mode", *view, form=as_rows, least=4)


def test_memory_columns__hierarchy(drawn_file, perfpair, run):
    """perf 6.1 ends in a signal."""
    done = run([perfpair, "report", "--stdio", "-q", "--mem-mode",
                "--hierarchy", "-s", "locked,{mem,tlb},dso_daddr", "-i",
                drawn_file])
    assert done.returncode == 0, done.stderr
    tops = [line for line in done.stdout.splitlines()
            if re.match(r" {3,5}\d", line)]
    assert len(tops) == 3
    assert abs(sum(float(line.split("%")[0]) for line in tops) - 100) < 0.05


def test_memory_columns__pipeline_stages(drawn_file, perfpair, run):
    """perf 6.1 passes over these keys unless it runs on POWER."""
    done = run([perfpair, "report", "--stdio", "-q", "-g", "none", "-F",
                "local_p_stage_cyc,p_stage_cyc,sample", "-i",
                drawn_file])
    rows = [[int(word) for word in line.split()]
            for line in done.stdout.splitlines() if line]
    assert [row[0] for row in rows] == [4, 3, 0]
    assert all(one * nr == total for one, total, nr in rows)


@pytest.mark.parametrize("words_typed, said", [
    (["-s", "mem"], "`mem' is of memory accesses alone: --mem-mode"),
    (["--mem-mode", "-s", "symbol_from"], "there are no branches"),
    (["--time-quantum", "0"], "--time-quantum: '0' is no time"),
    (["--time-quantum", "x"], "--time-quantum: 'x' is no time"),
])
def test_memory_columns__errors(drawn_file, perfpair, run, words_typed, said):
    done = run([perfpair, "report", "-i", drawn_file, *words_typed])
    assert done.returncode in (1, 2)
    assert done.stdout == ""
    assert said in done.stderr


def test_memory_columns__need_memory_samples(frozen, perfpair, run):
    done = run([perfpair, "report", "--mem-mode", "-i",
                frozen("recipes/software clock")])
    assert (done.returncode, done.stdout) == (1, "")
    assert "no memory accesses were recorded" in done.stderr


@pytest.mark.cases([("drawn", view) for view in (
    ["-s", "time", "--ns"], ["-s", "time,dso", "--ns"],
    ["-s", "time", "--time-quantum", "1ms"],
    ["-s", "time,dso", "--time-quantum", "300us", "--ns"],
    ["-s", "time", "--time-quantum", "1s"],
    ["-s", "time", "--time-quantum", "5000"])])
def test_memory_columns__time_quanta(case, same):
    same(case, as_rows, "-g", "none", "--no-children", *case[1])
