"""Callers of leaves in recordings of -g from an aarch64 machine (fixtures/leaf),
where each chain is known: who calls what is in leaf.c."""

import collections
import json
import lzma
import shutil
import struct

import pytest

from common import ROOT, program

LEAF = ROOT / "fixtures" / "leaf"

# who calls a function; what calls nothing comes first
CALLERS = {"leaf": {"calls_once", "calls_thrice"}, "local": {"calls_local"},
           "tiny": {"calls_tiny"}, "far_leaf": {"calls_far"},
           "far_leaf@plt": {"calls_far"},
           **{f"calls_{what}": {"each"}
              for what in ("once", "thrice", "local", "tiny", "far")},
           "each": {"_start"}}

MARKS = "fffffffffffff001"  # context marks of chains, from here on
RECORDINGS = ["leaf.perf", "leaf-signed.perf", "leaf", "leaf-signed"]


@pytest.fixture
def recording(tmp_path):
    """recording(NAME): what fixtures/leaf has, as a file."""
    def write(name):
        path = tmp_path / f"{name}.data"
        path.write_bytes(lzma.decompress(
            (LEAF / f"{name}.data.xz").read_bytes()))
        return path
    return write


@pytest.fixture
def chains(run):
    """chains(PATH, OPTION...): the names of each sample in the programs."""
    def read(path, *words):
        done = run([program("report", "perfpair"), "script", "--no-inline",
                    "-F", "ip,sym", "-i", path, *words])
        parts = [[line.split(None, 1)[1].split("+")[0]
                  for line in part.splitlines() if line]
                 for part in done.stdout.split("\n\n")]
        return [part for part in parts if part and part[0] in CALLERS]
    return read


def change_eh_frame(file, name, value):
    """Change where .eh_frame of fixtures/leaf's leaf lies, or how long it is."""
    header = 0x1588 + 10 * 64
    file.seek(header + {"address": 16, "length": 32}[name])
    file.write(struct.pack("<Q", value))
    if name == "length":
        file.truncate(value + 2 ** 20)


def is_true(chain):
    """Each frame but the last is called by the next, down to _start."""
    depth = chain.index("_start") if "_start" in chain else 0
    return depth > 0 and all(caller in CALLERS[name] for name, caller in
                             zip(chain[:depth], chain[1:]))


@pytest.mark.parametrize("name", RECORDINGS)
def test_leaf_caller__each_chain_is_true(name, recording, chains):
    found = chains(recording(name), "--symfs", LEAF)
    assert len(found) > 100
    assert not [chain for chain in found if not is_true(chain)]
    assert {"leaf", "local", "far_leaf"} <= {chain[0] for chain in found}


@pytest.mark.parametrize("name", ["leaf.perf", "leaf-signed.perf"])
def test_leaf_caller__without_files_nothing_is_put_in(name, recording, run,
                                                      tmp_path):
    """An address whose file is not here is not guessed about; -D shows what was
    recorded, with the files, too."""
    path = recording(name)
    words = [program("report", "perfpair"), "script", "-F", "ip", "--symfs",
             tmp_path, "-i", path]
    dump = run([program("report", "perfpair"), "script", "-D", "--symfs", LEAF,
                "-i", path]).stdout
    recorded = [len([word for word in words.split("... thread")[0].split()
                     if len(word) == 16 and word < MARKS])
                for words in dump.split("... FP chain: nr:")[1:]]
    shown = [len(part.split()) for part in run(words).stdout.split("\n\n")
             if part.strip()]
    assert shown == recorded


@pytest.mark.parametrize("name", ["leaf", "leaf-signed"])
def test_leaf_caller__the_recorder_carries_what_it_takes(name, recording,
                                                         chains, tmp_path):
    path = recording(name)
    found = chains(path, "--symfs", tmp_path)
    assert found == chains(path, "--symfs", LEAF)
    assert found and all(map(is_true, found))


@pytest.mark.parametrize("name", ["leaf.perf", "leaf-signed.perf"])
def test_leaf_caller__carry_adds_what_it_takes(name, recording, chains, run,
                                               tmp_path):
    path, carried = recording(name), tmp_path / "carried"
    run([program("report", "perfpair"), "carry", "--symfs", LEAF, "-i", path,
         "-o", carried], check=True)
    found = chains(carried, "--symfs", tmp_path)
    assert found == chains(path, "--symfs", LEAF)
    assert found and all(map(is_true, found))


@pytest.mark.parametrize("name, value", [("address", 2 ** 64 - 8),
                                         ("length", 2 ** 28 + 1)])
def test_leaf_caller__carry_leaves_out_what_readers_refuse(
        name, value, recording, chains, run, tmp_path):
    """With such an .eh_frame that of no file would be read."""
    path, carried = recording("leaf.perf"), tmp_path / "carried"
    shutil.copytree(LEAF, tmp_path / "symfs")
    with open(tmp_path / "symfs" / "job" / "leaf", "r+b") as file:
        change_eh_frame(file, name, value)
    run([program("report", "perfpair"), "carry", "--symfs", tmp_path / "symfs",
         "-i", path, "-o", carried], check=True)
    found = [chain for chain in chains(carried, "--symfs", tmp_path)
             if chain[0] == "far_leaf"]
    assert found and all(map(is_true, found))


def as_pipe(data):
    """What the recorder of a file with one event would have written to a pipe."""
    attr_len, attr_at, _, start, length = struct.unpack_from("<5Q", data, 16)
    attr = data[attr_at:attr_at + attr_len - 16]  # behind it are its ids
    return b"PERFILE2" + struct.pack("<QIHH", 16, 64, 0, 8 + len(attr)) + \
        attr + data[start:start + length]


def test_leaf_caller__in_a_pipe(recording, chains, tmp_path):
    """Its events are known only when its records are read."""
    path, pipe = recording("leaf.perf"), tmp_path / "pipe"
    pipe.write_bytes(as_pipe(path.read_bytes()))
    found = chains(pipe, "--symfs", LEAF)
    assert found == chains(path, "--symfs", LEAF)
    assert found and all(map(is_true, found))


def callers_of_leaf(stacks):
    """{caller of leaf(): samples} of (names from the outermost on, samples)."""
    out = collections.Counter()
    for names, nr in stacks:
        if names[-1] == "leaf":
            out[names[-2]] += nr
    return out


def folded(text):
    for line in text.splitlines():
        names, nr = line.rsplit(None, 1)
        yield names.split(";"), int(nr)


def test_leaf_caller__views_agree(recording, chains, run, tmp_path):
    path = recording("leaf.perf")
    expected = collections.Counter(
        chain[1] for chain in chains(path, "--symfs", LEAF)
        if chain[0] == "leaf")
    perfpair = program("report", "perfpair")
    words = [perfpair, "report", "-i", path, "--symfs", LEAF]

    done = run([*words, "--format", "folded"], check=True)
    assert callers_of_leaf(folded(done.stdout)).keys() == expected.keys()
    out = tmp_path / "speedscope"
    run([perfpair, "export", "--format", "speedscope", "-i", path, "--symfs",
         LEAF, "-o", out], check=True)
    made = json.loads(out.read_text())
    names = [frame["name"] for frame in made["shared"]["frames"]]
    assert callers_of_leaf(
        ([names[i] for i in sample], 1)
        for sample in made["profiles"][0]["samples"]).keys() == expected.keys()
    assert set(expected) == {"calls_once", "calls_thrice"}
    assert expected["calls_thrice"] > expected["calls_once"]
