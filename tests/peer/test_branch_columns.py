"""Branch stacks: each branch is a sample, with columns of its own.  Recordings of
the corpus: this machine's CPU has no such stacks to record."""

import json

import pytest

FILES = [
    "google__perf_data_converter/src__quipper__testdata__perf.data.branch-4.14",
    "google__perf_data_converter/src__quipper__testdata__perf.data.branch_stack_spec",
    "google__autofdo/testdata__perf-vmlinux.data",
]
VIEWS = [
    [],
    ["-s", "dso_from,dso_to", "-n"],
    ["-s", "comm,dso_to"],
    ["-F", "overhead,symbol_to,sample"],
    ["-F", "symbol_from,overhead,in_tx,abort"],
    ["-s", "pid,dso", "--show-total-period"],
    ["-s", "addr_from,dso_from"],
    ["-s", "addr_to,dso_to", "-n"],
    ["-s", "dso,dso_to,cycles"],
    ["-s", "dso_from,addr_from,mispredict", "--hierarchy"],
]
KEYS = ["dso_from", "dso_to", "symbol_from", "symbol_to", "addr_from",
        "addr_to", "cycles", "dso"]


def rows(text):
    """Rows of equal weight have an order of their own."""
    return sorted(line.rstrip() for line in text.splitlines()
                  if line.strip("# ") and not line.startswith("# (Tip"))


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("view", VIEWS, ids=lambda v: "_".join(v) or "default")
def test_branch_columns__rows(name, view, corpus, perf, perfpair, run, tmp_path):
    (tmp_path / "empty").mkdir()
    words = ["report", "--stdio", "-i", corpus / "files" / name, "--symfs",
             tmp_path / "empty", *view]
    theirs, ours = run([perf, *words]), run([perfpair, *words])
    assert (theirs.returncode, ours.returncode) == (0, 0), ours.stderr
    assert len(rows(theirs.stdout)) > 5
    assert rows(ours.stdout) == rows(theirs.stdout)


@pytest.mark.parametrize("name", FILES[:1])
@pytest.mark.parametrize("key", KEYS)
def test_branch_columns__rows_stand_in_the_order_of_each_key(
        name, key, corpus, perf, perfpair, run, tmp_path):
    (tmp_path / "empty").mkdir()
    words = ["report", "--stdio", "-i", corpus / "files" / name, "--symfs",
             tmp_path / "empty", "-q", "-F", f"{key},overhead"]
    theirs, ours = (run([program, *words]).stdout
                    for program in (perf, perfpair))
    assert theirs.count("%") > 1
    assert ours == theirs


@pytest.mark.parametrize("view", [["-s", "symbol_from,symbol_to"],
                                  ["-s", "symbol", "-n"]], ids="_".join)
def test_branch_columns__cycles_of_functions(view, corpus, perf, perfpair, run,
                                             tmp_path):
    """-s with "symbol" adds a column, of branches another one."""
    (tmp_path / "empty").mkdir()
    words = ["report", "--stdio", "-i", corpus / "files" / FILES[1], "--symfs",
             tmp_path / "empty", *view]
    theirs, ours = run([perf, *words]), run([perfpair, *words])
    assert "IPC   [IPC Coverage]" in theirs.stdout
    assert rows(ours.stdout) == rows(theirs.stdout)


def test_branch_columns__without_branches_are_an_error(corpus, perfpair, run):
    path = corpus / "files/0b01__tail2/perf.data.old"
    done = run([perfpair, "report", "-s", "dso_from", "-i", path])
    assert done.returncode == 1
    assert "`dso_from': there are no branches" in done.stderr


def test_branch_columns__as_data(corpus, perfpair, run, tmp_path):
    """Symbols are bare on both sides, and what is no symbol is whole."""
    (tmp_path / "empty").mkdir()
    done = run([perfpair, "report", "--format", "json", "-i",
                corpus / "files" / FILES[0], "--symfs", tmp_path / "empty",
                "-s", "symbol_from,symbol_to,ipc_null"])
    rows = [row for event in json.loads(done.stdout)["events"]
            for row in event["rows"]]
    assert len(rows) > 5
    for row in rows:
        assert not row["symbol_from"].startswith("[")
        assert not row["symbol_to"].startswith("[")
        assert row["ipc_null"].startswith("-")


@pytest.mark.parametrize("options", [[], ["-s", "comm"], ["-s", "pid", "-p"],
                                     ["-c", "wdiff:1,2"]], ids="_".join)
def test_branch_columns__diff_is_of_samples(options, corpus, perf, perfpair,
                                            run):
    folder = corpus / "files/google__perf_data_converter"
    files = [folder / f"src__quipper__testdata__perf.data.{name}-3.8"
             for name in ("branch", "callgraph_and_branch")]
    theirs = run([perf, "diff", "-f", *options, *files])
    ours = run([perfpair, "diff", "--no-interval", *options, *files])
    assert theirs.stdout.count("%") > 1
    assert (ours.stdout, ours.stderr) == (theirs.stdout, "")
