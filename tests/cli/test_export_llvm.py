"""export --format llvm: llvm-profgen finds in it what a program did."""

import collections
import platform
import re
import shutil
import subprocess

import pytest

import made_file
import stepped
from common import CORPUS, program

PROFGEN = [found for found in map(shutil.which, (
    "llvm-profgen", *(f"llvm-profgen-{i}" for i in range(22, 12, -1))))
    if found]


def export(path, *options, code=0):
    done = subprocess.run(
        [program("report", "perfpair"), "export", "--format", "llvm",
         *options, path], capture_output=True, text=True,
        stdin=subprocess.DEVNULL)
    assert done.returncode == code, done.stderr
    return done


def samples(text):
    """The numbers in front of the stacks."""
    return sum(map(int, re.findall(r"^(\d+)$", text, re.M)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The program, and recordings of two runs of it."""
    if platform.machine() != "x86_64":
        pytest.skip("single-steps x86-64 programs")
    for name in "clang", "objdump":
        if not shutil.which(name):
            pytest.skip(f"no {name}")
    at = tmp_path_factory.mktemp("stepped")
    path, why = stepped.build(at)
    if why:
        pytest.skip(f"clang: {why}")
    runs = [stepped.Run(path) for _ in range(2)]
    assert runs[0].base != runs[1].base or \
        open("/proc/sys/kernel/randomize_va_space").read() == "0\n"
    for name, with_chains in ("flat", False), ("chains", True):
        (at / f"{name}.data").write_bytes(
            stepped.recording(runs, path, with_chains))
    at.joinpath("nr").write_text(str(sum(
        -(-len(run.branches) // (stepped.STACK_NR - 1)) for run in runs)))
    return at


def profgen(folder, name, options, *more):
    """Return the text that llvm-profgen makes of an export."""
    if not PROFGEN:
        pytest.skip("no llvm-profgen (Debian: llvm)")
    text = folder / f"{name}.txt"
    text.write_text(export(folder / f"{name}.data", *options).stdout)
    done = subprocess.run(
        [PROFGEN[0], f"--perfscript={text}", "--format=text",
         f"--binary={folder}/stepped", f"--output={folder}/prof", *more],
        capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for line in done.stderr.splitlines():  # so small a profile is poor
        assert "AutoFDO is estimated" in line, done.stderr
    return (folder / "prof").read_text()


def profile(folder, name, *options):
    """{function: {line: count}}"""
    found, at = collections.defaultdict(dict), None
    for line in profgen(folder, name, options).splitlines():
        head = re.match(r"\[?(\w+)\]?:\d+:\d+$", line)
        body = re.match(r" (\d+)(?:\.\d+)?: (\d+)", line)
        if head:
            at = head[1]
        elif body:
            found[at][body[1]] = max(found[at].get(body[1], 0), int(body[2]))
    return found


def test_llvm_profgen_finds_how_often_each_line_ran(folder):
    found = profile(folder, "flat")
    for (function, line), nr in stepped.RAN.items():
        assert found[function][line] == 2 * nr, (function, line, found)


def test_with_call_chains_it_finds_the_contexts(folder):
    """One round of the loop is one piece of code between two branches."""
    text = profgen(folder, "chains", [], "--skip-symbolization")
    often = text.partition("[_start:3 @ often:2 @ inner]\n")[2].split("[")[0]
    assert sum(map(int, re.findall(r"^ +[0-9a-f]+-[0-9a-f]+:(\d+)$", often,
                                   re.M))) == 2 * 20 * 90


def test_chains_are_left_out_with_no_call_graph(folder):
    assert profile(folder, "chains", "-g", "none") == profile(folder, "flat")


def test_two_processes_are_one_file(folder):
    text = export(folder / "flat.data").stdout
    assert re.findall(r"^PERF_RECORD_MMAP2 .*", text, re.M) == [
        f"PERF_RECORD_MMAP2 {pid}/{pid}: [0x1000000000001000(0x1000) @ 0x1000 "
        f"00:00 0 0]: r-xp {folder}/stepped"
        for pid in re.findall(r"2 (\d+)/", text)[:1]]
    assert samples(text) == int(folder.joinpath("nr").read_text())
    one = re.search(r"2 (\d+)/", text)[1]
    assert 2 * samples(export(folder / "flat.data", "--pid", one).stdout) == \
        samples(text)


@pytest.mark.parametrize("name, nr", [
    ("google__autofdo/testdata__hierarchical_discriminator_test.x86_64."
     "perf.data", 145),
    ("GrapheneOS__platform_system_extras/simpleperf__testdata__lbr__"
     "perf_lbr.data", 13)])
def test_every_recorded_branch_stack_is_there(name, nr):
    """The second has six samples without branches."""
    path = CORPUS / "files" / name
    if not path.exists():
        pytest.skip("no corpus")
    assert samples(export(path).stdout) == nr


def test_a_recording_without_branches_says_what_to_record(tmp_path):
    path = tmp_path / "perf.data"
    path.write_bytes(made_file.File().some().bytes())
    done = export(path, code=1)
    assert done.stdout == ""
    assert "no sample has a branch stack" in done.stderr
    assert "perfpair-record -b" in done.stderr


def test_options_that_are_not_for_branch_stacks_are_refused(folder):
    for option in ["--labels=tid"], ["--branch-history"]:
        done = export(folder / "flat.data", *option, code=2)
        assert "--format llvm" in done.stderr
