"""No caller is made up: of each caller that `script` shows of programs that know theirs
(call_trees.py), the program says the same; and the stacks reach their root.

With -s, pytest prints a table: what was recorded, its stacks, their share that reaches a
root, the pairs of a caller and what it calls, between how many of these functions are
missing, and how many are no calls."""

import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys

import pytest

import call_trees
from common import ROOT

sys.path.insert(0, str(ROOT / "fixtures" / "stacks"))

import stacks as seen_stacks  # noqa: E402

pytestmark = pytest.mark.skipif(os.uname().machine != "x86_64",
                                reason="the generated code is for x86-64")
MS = "1500"
ROOTS = {"_start", "__clone3", "clone3", "__GI___clone3", "thread_start", "clone",
         "runtime.goexit", "runtime.goexit.abi0"}
DWARF = ["--call-graph", "dwarf,32768"]
FRAMES = ["-g"]


class Program:
    """A program of a tree in a folder, and the command that runs it."""

    def __init__(self, folder, seed, but=()):
        self.folder, self.tree = folder, call_trees.Tree(seed, but)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def generated(self, *kinds):
        path = self.write("calls.c", call_trees.generated(self.tree, kinds))
        subprocess.run(["gcc", "-O2", "-fomit-frame-pointer", "-o",
                        self.folder / "calls", path], check=True)
        return [self.folder / "calls", MS]

    def go(self, *flags):
        self.write("calls.go", call_trees.go(self.tree))
        subprocess.run(["go", "build", *flags, "-o", "calls", "calls.go"], check=True,
                       cwd=self.folder,
                       env=dict(os.environ, GO111MODULE="off", CGO_ENABLED="0",
                                GOCACHE=str(self.folder.parent / "cache"), GOFLAGS="",
                                GOPROXY="off"))
        return [self.folder / "calls", MS]

    def java(self, *flags):
        path = self.write("Tree.java", call_trees.java(self.tree))
        subprocess.run(["javac", "-d", self.folder, path], check=True)
        return ["java", "-XX:+UnlockDiagnosticVMOptions", "-XX:+DumpPerfMapAtExit",
                *flags, "-cp", self.folder, "Tree", MS]

    def node(self, *flags):
        return ["node", *flags, self.write("calls.js", call_trees.node(self.tree)), MS]

    def python(self, *flags):
        return [python(), *flags,
                self.write("calls.py", call_trees.python(self.tree)), MS]


def python():
    """The first python that has -X perf."""
    for name in ("python3.13", "python3.12", "python3"):
        path = shutil.which(name)
        if path and not subprocess.run(
                [path, "-X", "perf", "-c", "import sys; sys.activate_stack_trampoline"],
                stderr=subprocess.DEVNULL, check=False).returncode:
            return path
    pytest.skip("no python with -X perf (3.12)")


JS = ["--perf-basic-prof", "--interpreted-frames-native-stack"]
UNWINDING = ["--perf-prof", "--perf-prof-unwinding-info", JS[1]]
JAVA = ["-XX:+PreserveFramePointer"]
# Of Go 1.19 the frame pointer leads in circles for some instructions after a panic: the
# kernel's chain of one sample has 50 such callers.
NO_PANICS = ["thrown"]
# runtime and what it takes; how it is recorded; at least that share reaches a root;
# ways of calls that are left out
CASES = {
    "generated, framed": ("generated", ["framed"], DWARF, 0.99, []),
    "generated, framed, -g": ("generated", ["framed"], FRAMES, 0, []),
    "generated, mixed": ("generated", list(call_trees.ASSEMBLY["x86_64"]["frames"]), DWARF,
                         0, []),
    "node": ("node", JS, DWARF, 0.95, []),
    "node, -g": ("node", JS, FRAMES, 0, []),
    "node, trampolines": ("node", JS[:1], DWARF, 0.95, []),
    "node, jitdump": ("node", UNWINDING, DWARF, 0.95, []),
    "go": ("go", [], DWARF, 0.95, []),
    "go, stripped": ("go", ["-ldflags=-s -w"], DWARF, 0.95, []),
    "go, -g": ("go", [], FRAMES, 0.95, NO_PANICS),
    "go, stripped, -g": ("go", ["-ldflags=-s -w"], FRAMES, 0.95, NO_PANICS),
    "java": ("java", JAVA, DWARF, 0.95, []),
    "java, -g": ("java", JAVA, FRAMES, 0, []),
    "java, C1": ("java", [*JAVA, "-XX:TieredStopAtLevel=1", "-XX:-Inline"], DWARF, 0.95,
                 []),
    "java, no frame pointers": ("java", [], DWARF, 0, []),
    "python -X perf": ("python", ["-X", "perf"], DWARF, 0.95, []),
    "python -X perf_jit": ("python", ["-X", "perf_jit"], DWARF, 0.95, []),
}
# What is left by information or by whole chains of frames lacks no function; but a leaf of
# generated code has no frame before its first instruction and at its last one, which no
# information tells: one sample in 50,000.
WHOLE = {"generated, framed", "go", "go, stripped", "python -X perf", "python -X perf_jit"}
QUICK = {"generated, framed", "generated, mixed", "node"}


@pytest.fixture
def chains(perfpair, run):
    """chains(TREE, FILE): the names of each sample's frames, outermost first, if functions
    of the tree are among them.  Frames in no map are not shown by report."""
    def read(tree, path):
        done = run([perfpair, "script", "-i", path, "-F", "ip,sym,dso"])
        assert done.returncode == 0, done.stderr
        found = [re.findall(r"^\s+[0-9a-f]+ (.+) \((?!\[unknown\]\)).*\)$", part, re.M)[::-1]
                 for part in done.stdout.split("\n\n")]
        return [names for names in found if tree.known(names)]
    return read


@pytest.fixture
def recorded(perfpair_record, may_record, run, chains):
    """recorded(TREE, COMMAND, WAY): the chains of such a recording."""
    def record(tree, command, way):
        done = run([perfpair_record, "-q", "-F", "2500", "-k", "mono", "-e", "cpu-clock:u",
                    "--carry-time", "20s", *way, "-o", "t.data", "--", *command])
        assert done.returncode == 0, done.stderr
        for line in done.stdout.splitlines():
            known = tree.known(line.split()[::-1])
            assert known == tree.path(known[-1] if known else None)
        return chains(tree, "t.data")
    return record


def judge(title, tree, found, share):
    """Return how many functions are missing."""
    assert len(found) > 100
    at_root = sum(names[0] in ROOTS for names in found) / len(found)
    pairs, skipped, wrong = 0, 0, []
    for names in found:
        nr, missing, made_up = tree.judge(tree.known(names))
        pairs, skipped = pairs + nr, skipped + missing
        wrong += [(pair, names) for pair in made_up]
    print(f"{title:24} {len(found):6} {at_root:6.1%} {pairs:7} {skipped:6} {len(wrong):5}")
    assert wrong == []
    assert pairs > 0 and at_root >= share
    return skipped


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", [name if name in QUICK else pytest.param(
    name, marks=pytest.mark.slow) for name in CASES])
def test_callers_are_the_true_ones(name, seed, recorded, tmp_path):
    kind, words, way, share, but = CASES[name]
    tool = {"go": "go", "java": "javac", "node": "node"}.get(kind)
    if tool and not shutil.which(tool):
        pytest.skip(f"{tool} is not installed")
    folder = tmp_path / "calls"
    folder.mkdir()
    program = Program(folder, seed, but)
    found = recorded(program.tree, getattr(program, kind)(*words), way)
    skipped = judge(name, program.tree, found, share)
    may_lack = len(found) // 1000 if kind == "generated" else 0
    assert name not in WHOLE or skipped <= may_lack


def sampled(program, tmp_path, monkeypatch):
    """The path of a recording made of what the program sees of itself in qemu."""
    # no process has this pid, and a perf map of another run has another one
    pid = (1 << 22) + os.getpid()
    monkeypatch.setattr(seen_stacks, "PID", pid)
    with subprocess.Popen(
            ["qemu-aarch64", "-singlestep", "-L", "/usr/aarch64-linux-gnu", program, "4000",
             tmp_path / "samples"], stdout=subprocess.PIPE, text=True,
            env={"ROOM": "x" * call_trees.COPY_LEN}) as qemu:
        lines = qemu.communicate()[0].splitlines()
    assert qemu.returncode == 0
    names = pathlib.Path(f"/tmp/perf-{qemu.pid}.map")
    shutil.move(names, f"/tmp/perf-{pid}.map")
    maps = [(*(int(word, 16) for word in words[0].split("-")), int(words[2], 16),
             words[5] if len(words) > 5 else "//anon")
            for words in (line.split(None, 5) for line in lines) if "x" in words[1]]
    raw, size = (tmp_path / "samples").read_bytes(), 33 * 8 + call_trees.COPY_LEN
    stops = [{"registers": words, "frames": [[words[32]]],
              "stack": raw[at + 33 * 8:at + size].hex()}
             for at in range(0, len(raw) - size + 1, size)
             for words in [struct.unpack_from("<33Q", raw, at)]]
    (tmp_path / "t.data").write_bytes(
        seen_stacks.recording("aarch64", maps, stops, call_trees.COPY_LEN))
    return pathlib.Path(f"/tmp/perf-{pid}.map")


@pytest.mark.slow
@pytest.mark.parametrize("kinds, flags, share", [
    (["framed", "later"], [], 0.95), (["low"], [], 0.95),
    (list(call_trees.ASSEMBLY["aarch64"]["frames"]), ["-fomit-frame-pointer"], 0)],
    ids=["framed", "low", "mixed"])
def test_callers_of_aarch64_are_the_true_ones(kinds, flags, share, chains, tmp_path,
                                              monkeypatch):
    if not shutil.which("aarch64-linux-gnu-gcc") or not shutil.which("qemu-aarch64"):
        pytest.skip("no gcc-aarch64-linux-gnu, or no qemu-user")
    tree = call_trees.Tree(1)
    (tmp_path / "calls.c").write_text(call_trees.generated(tree, kinds, "aarch64"))
    subprocess.run(["aarch64-linux-gnu-gcc", "-O2", *flags, "-o", tmp_path / "calls",
                    tmp_path / "calls.c"], check=True)
    names = sampled(tmp_path / "calls", tmp_path, monkeypatch)
    try:
        judge(f"aarch64, {','.join(kinds)[:14]}", tree, chains(tree, "t.data"), share)
    finally:
        names.unlink()
