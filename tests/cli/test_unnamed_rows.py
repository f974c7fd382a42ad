"""report says how many samples have no function's name, which files they are in, and
what gives names."""

import pytest

import made_file  # noqa: F401  fixtures/gen is found by it
from perf_data import Encoder
from shown import PLAIN, attr_of, ident, tasks

E = Encoder(False)
MISSING, STRIPPED = "/nowhere/of/this/test", "/usr/bin/true"


def recording(paths):
    """A sample in each of paths, at an address of its own."""
    attr = attr_of()
    data = E.record(3, 0, E.pack("II", 100, 100) + b"fixture\0"
                    + E.trailer(attr, ident(0)))
    for nr, path in enumerate(sorted(set(paths))):
        raw = path.encode() + b"\0"
        data += E.record(10, 2, E.pack("IIQQQ", 100, 100, 0x1000000 * nr
                                       + 0x401000, 0x10000, 0x1000)
                         + E.pack("IIQQII", 0, 0, 0, 0, 5, 2)
                         + raw + bytes(-len(raw) % 8)
                         + E.trailer(attr, ident(0)))
    places = {path: nr for nr, path in enumerate(sorted(set(paths)))}
    for nr, path in enumerate(paths):
        sample = E.sample(attr, ident(1 + nr, pid=100, tid=100))
        data += sample.replace(E.words(0x401234), E.words(
            0x1000000 * places[path] + 0x404000 + 16 * nr), 1)
    return E.plain_file([(attr, (7,))], data)


@pytest.fixture
def told(run, perfpair, tmp_path):
    def told(paths, *words):
        (tmp_path / "u.data").write_bytes(recording(paths))
        done = run([perfpair, "report", *words, "-i", "u.data"])
        assert done.returncode == 0
        return done.stderr.splitlines()
    return told


def test_files_and_shares(told):
    assert told([MISSING] * 30 + [STRIPPED] * 10) == [
        "perfpair: u.data: 100.0% of the samples have no function's name, in 2 "
        f"files: {MISSING} (75.0%, not here), {STRIPPED} (25.0%, stripped)",
        "perfpair: 'perfpair carry' where these files are adds their names",
        "perfpair: a debug package or --debuginfod has the names of stripped "
        "files"]


@pytest.mark.parametrize("path", ["/memfd:plugin (deleted)",
                                  "/nowhere/lib.so (deleted)"])
def test_carry_is_no_advice_for_what_stands_nowhere(path, told):
    assert told([path] * 30) == [
        "perfpair: u.data: 100.0% of the samples have no function's name, in 1 "
        f"file: {path} (100.0%, not here)"]


def test_several_inputs_are_one_fact(told, run, perfpair, tmp_path):
    lines = told([MISSING] * 30)
    assert run([perfpair, "report", "-i", "u.data", "u.data"],
               cwd=tmp_path).stderr.splitlines() == [
                   line.replace("u.data", "u.data and 1 more") for line in lines]


def test_the_three_heaviest(told):
    paths = [f"/nowhere/{name}" for name in "abcde" for _ in range(10)]
    line = told(paths + ["/nowhere/d"] * 9 + ["/nowhere/e"] * 5)[0]
    assert "in 5 files: /nowhere/d (29.7%, not here), " \
        "/nowhere/e (23.4%, not here), /nowhere/a (15.6%, not here), ..." \
        in line


def rows(run, perfpair, tmp_path, *words):
    (tmp_path / "u.data").write_bytes(recording([MISSING] * 30 + [MISSING + "2"]))
    text = run([perfpair, "report", "--stdio", "-q", "-s", "dso,sym", *words,
                "-i", "u.data"]).stdout
    return [line.split()[1:] for line in text.splitlines() if line.strip()]


def test_a_file_without_names_is_one_row(run, perfpair, tmp_path):
    assert rows(run, perfpair, tmp_path) == [
        ["test", "[.]", "[test]"], ["test2", "[.]", "[test2]"]]


def test_raw_addresses_are_a_row_each(run, perfpair, tmp_path):
    found = rows(run, perfpair, tmp_path, "--raw-addresses")
    assert len(found) == 31
    assert all(row[2].startswith("0x0000") for row in found)


def test_hide_unresolved_hides_them(run, perfpair, tmp_path):
    assert rows(run, perfpair, tmp_path, "-U") == []


def test_its_frames_are_one_in_a_call_chain(run, perfpair, tmp_path):
    attr = attr_of(sample_type=PLAIN | 1 << 5)
    data = tasks(E, attr) + E.sample(attr, ident(1, pid=100, tid=100))
    (tmp_path / "c.data").write_bytes(E.plain_file([(attr, (7,))], data))
    text = run([perfpair, "report", "--format", "folded", "-i", "c.data"]).stdout
    assert text == "fixture;[fixture] 1\n"


@pytest.mark.parametrize("paths,words", [
    ([MISSING] * 19, []),
    ([MISSING] * 30, ["-q"]),
    ([MISSING] * 30, ["-s", "comm,dso"]),
    ([MISSING] * 30, ["--hierarchy"]),
    ([MISSING] * 30, ["--format", "csv"]),
], ids=["few", "quiet", "no functions shown", "hierarchy", "csv"])
def test_nothing_is_said(paths, words, told):
    assert told(paths, *words) == []
