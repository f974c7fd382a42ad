"""How many call chains reach the root of their stack, where the others end, and what
is made of their addresses that are in no map."""

import json
import pathlib
import struct

import pytest

import made_file  # noqa: F401  fixtures/gen is found by it
from page_data import Page
from perf_data import Encoder
from shown import PLAIN, attr_of, ident

E = Encoder(False)
USER, KERNEL = 2**64 - 512, 2**64 - 128
TRUE, MISSING = pathlib.Path("/usr/bin/true"), pathlib.Path("/nowhere/tool")
ENTRY = struct.unpack_from("<Q", TRUE.read_bytes(), 24)[0]
BASE = 0x400000
ROOT, MIDDLE = BASE + ENTRY + 32, BASE + ENTRY + 0x400
TEXT = 0xffffffff81000000
KALLSYMS = f"""{TEXT:x} T _text
{TEXT + 0x10:x} T work
{TEXT + 0x100:x} T ret_from_fork_asm
{TEXT + 0x200:x} T entry_SYSCALL_64
{TEXT + 0x10000:x} T _etext
"""
GARBAGE = [0x1, 0x7f0123456789, 0x10]
CHAINS = {
    "whole": [MIDDLE, ROOT],
    "garbage above": [MIDDLE, ROOT, *GARBAGE],
    "ends": [MIDDLE],
    "garbage root": [MIDDLE, GARBAGE[1]],
    "ends below garbage": [MIDDLE, *GARBAGE],
    "garbage alone": [GARBAGE[1], GARBAGE[0]],
    "deep": [MIDDLE] * 9,
    "no map": [TEXT + 0x10000010, TEXT + 0x10000020],
    "kernel task": [TEXT + 0x20, TEXT + 0x120],
    "system call": [TEXT + 0x20, TEXT + 0x220],
}


def recording(*names, path=TRUE, **more):
    """Samples with those chains; /usr/bin/true is here but has no names."""
    attr = attr_of(sample_type=PLAIN | 1 << 5, **more)

    def record(kind, misc, body):
        return E.record(kind, misc, body + E.trailer(attr, ident(0)))

    raw = bytes(path) + b"\0"
    data = record(3, 0, E.pack("II", 100, 100) + b"fixture\0") + \
        record(10, 2, E.pack("IIQQQ", 100, 100, BASE, 0x10000, 0)
               + E.pack("IIQQII", 0, 0, 0, 0, 5, 2) + raw
               + bytes(-len(raw) % 8)) + \
        record(1, 1, E.pack("IIQQQ", 2**32 - 1, 0, TEXT, 0x10000, TEXT)
               + b"[kernel.kallsyms]_text\0\0")
    for nr, name in enumerate(names):
        chain = CHAINS[name]
        mark = KERNEL if chain[0] >= TEXT else USER
        data += E.sample(attr, ident(nr, pid=100, tid=100, ip=chain[0],
                                     chain=[mark, *chain]))
    return E.plain_file([(attr, (7,))], data)


@pytest.fixture
def report(run, perfpair, tmp_path):
    def report(data, *words):
        (tmp_path / "s.data").write_bytes(data)
        done = run([perfpair, "report", "-i", "s.data", *words])
        assert done.returncode == 0, done.stderr
        return done
    return report


def stacks_of(report, *names, path=TRUE):
    text = report(recording(*names, path=path), "--format", "json").stdout
    return json.loads(text)["events"][0].get("stacks")


def test_of_many_stacks_some_are_drawn(report, monkeypatch):
    names = [f"deep {i}" for i in range(20_000)]
    for i, name in enumerate(names):
        chain = [MIDDLE - 256 + i % 256, MIDDLE - 256 + i // 256]
        monkeypatch.setitem(CHAINS, name, [*chain, *[ROOT] * (i % 4 == 0)])
    stacks = stacks_of(report, *names)
    assert stacks["samples"] == 20_000
    assert abs(stacks["rooted"] - 5_000) < 450      # 5 standard errors


def test_json_has_ends(report):
    assert stacks_of(report, *["whole"] * 3, "garbage above", "ends",
                     "garbage root") == {
        "samples": 6, "rooted": 4, "ends": [{"dso": "true", "samples": 2}]}


@pytest.mark.parametrize("names", [("garbage above", "ends below garbage"),
                                   ("ends below garbage", "garbage above")])
def test_chains_that_lead_to_one_address_are_judged_each(report, names):
    assert stacks_of(report, names[0], *[names[1]] * 9) == {
        "samples": 10, "rooted": 1 if names[0] == "garbage above" else 9, "ends": [
            {"dso": "true", "samples": 9 if names[0] == "garbage above" else 1}]}


def kernel_stacks(report, tmp_path, **more):
    (tmp_path / "kallsyms").write_text(KALLSYMS)
    text = report(recording("kernel task", "system call", "system call", **more),
                  "--format", "json", "--kallsyms", "kallsyms").stdout
    return json.loads(text)["events"][0]["stacks"]


def test_tasks_of_the_kernel(report, tmp_path):
    """What has no part of a program is of such a task, of one that has no memory
    any more, or was not asked for (exclude_callchain_user)."""
    assert kernel_stacks(report, tmp_path) == {
        "samples": 1, "rooted": 1, "ends": []}


def test_what_cannot_be_judged_is_left_out(report):
    """A file without names that is not here, or no map; a report without chains."""
    assert stacks_of(report, "whole", "ends", path=MISSING) is None
    assert stacks_of(report, "garbage alone") is None
    plain = report(recording("whole"), "--format", "json", "--no-children",
                   "-g", "none").stdout
    assert "stacks" not in json.loads(plain)["events"][0]


SAID = "s.data: 10 of 60 stacks (16.7%) reach the start of their program, thread " \
    "or kernel task; the others end in true (83.3%): the code keeps no frame " \
    "pointers; perfpair-record --call-graph dwarf shows who called it"
NAMES = ["whole"] * 10 + ["ends"] * 30 + ["ends below garbage"] * 20


def test_hint(report):
    assert f"perfpair: {SAID}" in report(recording(*NAMES)).stderr.splitlines()
    assert "reach" not in report(recording(*NAMES), "-q").stderr
    assert "reach" not in report(recording(*NAMES[:40])).stderr  # too few
    deep = report(recording(*["deep"] * 60)).stderr
    assert "0 of 60 stacks" in deep and "frame pointers" not in deep
    assert "reach" not in report(recording(*["whole"] * 58, "ends")).stderr


def test_of_several_recordings_the_hint_is_one(report, tmp_path):
    (tmp_path / "other.data").write_bytes(recording(*NAMES))
    said = report(recording(*NAMES), "-i", "other.data").stderr
    assert said.count("reach the start") == 1
    assert "perfpair: s.data and 1 more: 20 of 120 stacks (16.7%) reach" in said
    # each alone has too few
    (tmp_path / "other.data").write_bytes(recording(*["ends"] * 30))
    said = report(recording(*["ends"] * 30), "-i", "other.data").stderr
    assert "s.data and 1 more: 0 of 60 stacks (0.0%) reach" in said


def test_page(report):
    head = Page(report(recording(*NAMES), "--format", "html").stdout).head
    assert SAID in head["warnings"]
    assert ["stacks", SAID[len("s.data: "):SAID.index(": the code")]] in \
        head["recordings"][0]
    whole = Page(report(recording("whole"), "--format", "html").stdout).head
    assert ["stacks", "1 of 1 stacks (100.0%) reach the start of their program, "
            "thread or kernel task"] in whole["recordings"][0]


def test_addresses_in_no_map_are_one_frame(report):
    data = recording("garbage above", "garbage root", "garbage alone", path=MISSING)
    text = report(data, "--format", "folded").stdout
    assert text.splitlines() == ["fixture;[unknown];[tool] 2", "fixture;[unknown] 1"]
    raw = report(data, "--format", "folded", "--raw-addresses").stdout
    assert "0x10;0x7f0123456789;0x1;" in raw and "[unknown]" not in raw


def test_addresses_of_the_kernel_stay(report):
    """Its maps may be hidden; its chains are no garbage."""
    assert report(recording("no map"), "--format", "folded").stdout == \
        "fixture;0xffffffff91000020;0xffffffff91000010 1\n"


@pytest.mark.parametrize("order", ["caller", "callee"])
@pytest.mark.parametrize("mode", ["graph", "fractal", "flat", "folded"])
def test_call_graphs(mode, order, report):
    data = recording("garbage root", "garbage above", path=MISSING)
    words = ("--stdio", "-s", "dso,sym", "--no-children", "-g", f"{mode},{order}")
    text = report(data, *words).stdout
    assert text.count("[unknown]") == 1
    assert "0x7f0123456789" not in text
    assert "0x7f0123456789" in report(data, *words, "--raw-addresses").stdout


def rows(text):
    return [line.split()[-1] for line in text.splitlines()
            if line.strip() and not line.startswith("#")]


def test_addresses_in_no_map_are_no_callers(report):
    """But where samples were taken they have rows."""
    data = recording("garbage root", "garbage above", "garbage alone", path=MISSING)
    words = ("--stdio", "-s", "sym", "-g", "none", "--children")
    assert sorted(rows(report(data, *words).stdout)) == \
        ["0x00007f0123456789", "[tool]"]
    assert len(rows(report(data, *words, "--raw-addresses").stdout)) == 6
