"""perfpair carry: what report, script and diff print where the binaries and their
debug information are, they print of the carried recording where neither is."""

import os
import shutil
import subprocess

import pytest

from carried_file import sections, without_names
from common import RECORD

# Functions that are inlined, in a file whose debug information is whole.
SOURCE = """#include <stdio.h>
#include <stdlib.h>
static inline __attribute__((always_inline)) unsigned mix(unsigned x)
{
	x ^= x >> 13; x *= 0x5bd1e995; return x ^ x >> 15;
}
static inline __attribute__((always_inline)) unsigned twice(unsigned x)
{
	return mix(mix(x) + 1);
}
__attribute__((noinline)) unsigned work(unsigned nr)
{
	unsigned sum = 1;
	for (unsigned i = 0; i < nr; i++)
		sum = twice(sum + i);
	return sum;
}
int main(void)
{
	unsigned sum = 0;
	for (int i = 0; i < 60; i++)
		sum += work(1000000u + (unsigned)i);
	printf("%u\\n", sum);
	return 0;
}
"""
COMMANDS = {
    "callers": ["report", "--stdio", "--inline", "-g", "caller", "--children"],
    "callees": ["report", "--stdio", "-g", "callee", "--no-children"],
    "lines": ["report", "--stdio", "-g", "none", "-s", "srcline,sym"],
    "files": ["report", "--stdio", "-g", "none", "-s", "srcfile,sym"],
    "lines of callers": ["report", "--stdio", "--children", "-g",
                         "caller,srcline", "-s", "srcline,sym"],
    "by address": ["report", "--stdio", "--children", "-g", "address"],
    "paths": ["script", "-F", "ip,sym,symoff,dso,srcline",
              "--full-source-path"],
    "script": ["script", "-F", "+srcline"],
    "source text": ["script", "-F", "+srccode"],
}
RECORDERS = ["ours", "ours with stack copies", "perf"]


@pytest.fixture(scope="module")
def made(tmp_path_factory, perfpair, perfpair_record, may_record, workload, home):
    """made(RECORDER): (folder, the recording, the same with all carried); both
    are read in the folder, where the source is."""
    folder = tmp_path_factory.mktemp("lines")
    (folder / "spun.c").write_text(SOURCE)
    subprocess.run(["cc", "-O2", "-g", "-fno-omit-frame-pointer", "-o",
                    folder / "spun", folder / "spun.c"], check=True)
    shutil.copy(workload("thrown", "-O2", "-g"), folder / "thrown")
    shutil.copy(workload("spin", "-O1", "-s"), folder / "stripped")
    done = {}

    def make(name):
        if name in done:
            return done[name]
        path = folder / f"{RECORDERS.index(name)}.data"
        start = [shutil.which("perf"), *RECORD, "-q"] if name == "perf" else [
            perfpair_record, "-q"]
        if not start[0]:
            pytest.skip("perf is not installed")
        chains = "dwarf" if "copies" in name else "fp"
        subprocess.run(
            [*start, "-e", "cpu-clock", "-F", "999", "--call-graph", chains,
             "-o", path, "--", "sh", "-c",
             "./spun; ./thrown 3000; ./stripped 60 cpu"], cwd=folder, env=home,
            stdout=subprocess.DEVNULL, check=True)
        carried = path.with_suffix(".all")
        text = printed([perfpair, "carry", "--lines", "--code", "--source",
                        "-i", path, "-o", carried], home, cwd=folder)
        assert "addresses" in text
        done[name] = folder, path, carried
        return done[name]

    return make


def printed(command, env, **kw):
    done = subprocess.run(command, env=env, capture_output=True, text=True,
                          timeout=120, **kw)
    assert done.returncode == 0, done.stderr
    return done.stdout


def body(text):
    """Without comments, which count what was lost and when it was printed."""
    return [line for line in text.splitlines() if not line.startswith("#")]


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    return ["--symfs", tmp_path_factory.mktemp("empty"), "--kallsyms",
            "/dev/null"]


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("recorder", RECORDERS)
def test_elsewhere__text_is_that_of_the_host(recorder, name, made, elsewhere,
                                             perfpair, home, tmp_path):
    folder, path, carried = made(recorder)
    here = body(printed([perfpair, *COMMANDS[name], "-i", path], home,
                        cwd=folder))
    there = body(printed([perfpair, *COMMANDS[name], *elsewhere, "-i", carried],
                         home, cwd=tmp_path))
    assert len(here) > 10
    assert there == here


@pytest.mark.parametrize("name", ["lines", "script", "source text"])
def test_elsewhere__lines_are_missing_without_them(name, made, elsewhere,
                                                   perfpair, home, tmp_path):
    """So that the test above can fail."""
    folder, path, _ = made("ours")
    here = printed([perfpair, *COMMANDS[name], "-i", path], home, cwd=folder)
    there = printed([perfpair, *COMMANDS[name], *elsewhere, "-i", path], home,
                    cwd=tmp_path)
    word = "0x5bd1e995" if name == "source text" else "spun.c:"
    assert word in here and word not in there


def test_inlined__functions_are_shown(made, elsewhere, perfpair, home):
    _, _, carried = made("ours with stack copies")
    text = printed([perfpair, *COMMANDS["callers"], *elsewhere, "-i", carried],
                   home)
    assert "mix (inlined)" in text and "twice (inlined)" in text


@pytest.mark.parametrize("recorder", RECORDERS)
def test_file__is_the_old_one_with_more_behind(recorder, made):
    _, path, carried = made(recorder)
    old, new = path.read_bytes(), carried.read_bytes()
    front = without_names(old) if sections(old) else old
    assert new.startswith(front)
    kinds = [section[0] for section in sections(new)]
    assert {1, 2, 5, 6, 7, 9} <= set(kinds)
    assert len(kinds) == len(set(kinds))
    # ours has frames for callers of leaves
    assert (3 in kinds) == ("copies" in recorder or recorder == "ours")


def contents(path):
    """What the sections hold, wherever they stand: those that are made anew
    come first."""
    return sorted((section[0], *section[3:])
                  for section in sections(path.read_bytes()))


def test_lines_alone__keep_those_of_instructions(made, elsewhere, perfpair,
                                                home, tmp_path):
    """They are there for code that is carried already."""
    _, _, carried = made("ours")
    again = tmp_path / "again"
    printed([perfpair, "carry", "--lines", *elsewhere, "-i", carried, "-o",
             again], home, cwd=tmp_path)
    assert contents(again) == contents(carried)


@pytest.mark.parametrize("recorder", RECORDERS)
def test_file__is_whole(recorder, made, perfpair, home):
    _, _, carried = made(recorder)
    assert "whole: 0 errors" in printed([perfpair, "check", "-i", carried], home)


@pytest.mark.parametrize("recorder", RECORDERS)
def test_perf__prints_the_same(recorder, made, home):
    _, path, carried = made(recorder)
    perf = shutil.which("perf")
    if not perf:
        pytest.skip("perf is not installed")
    texts = [subprocess.run([perf, "script", "--no-inline", "-i", file],
                            env=home, capture_output=True, timeout=120)
             for file in (path, carried)]
    assert texts[0].stdout == texts[1].stdout and len(texts[0].stdout) > 1000
    assert texts[1].stderr == b""


def test_carried_again__nothing_is_lost(made, elsewhere, perfpair, home,
                                        tmp_path):
    """Where nothing is, what is carried is taken for it."""
    _, _, carried = made("ours")
    again = tmp_path / "again"
    printed([perfpair, "carry", "--lines", "--code", "--source", *elsewhere,
             "-i", carried, "-o", again], home, cwd=tmp_path)
    assert contents(again) == contents(carried)


def test_names__of_perf_s_recording_are_found(made, elsewhere, perfpair, home):
    _, path, carried = made("perf")
    command = [perfpair, "report", "--stdio", "-g", "none", "-s", "dso,sym",
               *elsewhere, "-i"]
    for name in ("work", "Square::area(double) const", "do_syscall_64"):
        here = printed([*command[:-5], "-i", path], home)
        if name.split("(")[0] in here:
            assert name.split("(")[0] in printed([*command, carried], home)
    assert "work" not in printed([*command, path], home)


def test_code__is_in_the_cache(made, perfpair, home, tmp_path):
    """objdump shows the function that was hit, out of the cache's file."""
    if not shutil.which("objdump"):
        pytest.skip("objdump is not installed")
    folder, path, carried = made("ours")
    shown = []
    for file in (path, carried):
        cache = tmp_path / file.name
        printed([perfpair, "buildid-cache", "--from", file, "--dir", cache], home)
        entry, = cache.glob("**/spun/*/elf")
        text = printed(["objdump", "-d", entry], home)
        shown.append([line.split("\t", 1)[1] for line in text.splitlines()
                      if line.startswith(" ")])
    assert shown[0] == []
    whole = printed(["objdump", "-d", "--disassemble=work", folder / "spun"],
                    home)
    expected = [line.split("\t", 1)[1] for line in whole.splitlines()
                if line.startswith(" ")]
    assert len(expected) > 10
    # `main` may be there, too
    assert "\n".join(expected[:5]) in "\n".join(shown[1])


def test_annotate__perf_shows_the_code(made, perfpair, home, tmp_path):
    perf = shutil.which("perf")
    if not perf or not shutil.which("objdump"):
        pytest.skip("perf or objdump is not installed")
    folder, _, carried = made("ours")
    cache = tmp_path / "cache"
    printed([perfpair, "buildid-cache", "--from", carried, "--dir", cache], home)
    (folder / "spun").rename(folder / "away")
    try:
        done = subprocess.run([perf, "--buildid-dir", cache, "annotate",
                               "--stdio", "-s", "work", "-i", carried],
                              env=home, capture_output=True, text=True,
                              timeout=60)
    finally:
        (folder / "away").rename(folder / "spun")
    assert "imul" in done.stdout or "mul" in done.stdout


def test_scrubbed__no_line_is_left(made, perfpair, home, tmp_path):
    _, _, carried = made("ours")
    out = tmp_path / "public"
    text = printed([perfpair, "scrub", "-i", carried, "-o", out], home)
    assert "carried sections other than names" in text
    assert {section[0] for section in sections(out.read_bytes())} <= {1, 2, 9, 11}
    for word in (b"spun.c", b"twice(sum"):
        assert word not in out.read_bytes()


@pytest.mark.parametrize("recorder", RECORDERS)
def test_repaired__sections_stay(recorder, made, elsewhere, perfpair, home,
                                 tmp_path):
    folder, path, carried = made(recorder)
    out = tmp_path / "repaired"
    printed([perfpair, "repair", "-i", carried, "-o", out], home)
    kept = {section[0]: section[5] for section in sections(out.read_bytes())}
    assert kept == {section[0]: section[5]
                    for section in sections(carried.read_bytes())}
    # a file without a first trailer can be added to
    more = tmp_path / "more"
    printed([perfpair, "carry", "-i", out, "-o", more, *elsewhere], home)
    assert "whole: 0 errors" in printed([perfpair, "check", "-i", more], home)


def test_unwound__lines_stay(made, elsewhere, perfpair, home, tmp_path):
    folder, path, carried = made("ours with stack copies")
    out = tmp_path / "unwound"
    printed([perfpair, "unwind", "-i", carried, "-o", out], home)
    here, there = (body(printed([perfpair, *COMMANDS["lines"],
                                 "--no-children", *more, "-i", file], home))
                   for more, file in (([], path), (elsewhere, out)))
    assert there == here


def test_perf_s_stack_copies__are_told_of(made, perfpair, home, tmp_path):
    """Nothing carries what unwinds them: call chains have to be made first."""
    folder, _, _ = made("ours")
    perf = shutil.which("perf")
    if not perf:
        pytest.skip("perf is not installed")
    path, chains, out = (tmp_path / name for name in ("d", "c", "o"))
    subprocess.run([perf, *RECORD, "-q", "-e", "cpu-clock", "--call-graph",
                    "dwarf", "-o", path, "--", folder / "spun"], check=True,
                   env=home, stdout=subprocess.DEVNULL)
    text = printed([perfpair, "carry", "-i", path, "-o", out], home)
    assert "run perfpair unwind first" in text
    printed([perfpair, "unwind", "-i", path, "-o", chains], home)
    text = printed([perfpair, "carry", "-f", "-i", chains, "-o", out], home)
    assert "unwind" not in text
    command = COMMANDS["callers"]
    empty = tmp_path / "empty"
    empty.mkdir()
    assert body(printed([perfpair, *command, "--symfs", empty, "--kallsyms",
                         "/dev/null", "-i", out], home)) == \
        body(printed([perfpair, *command, "-i", path], home))


def test_bytes__lines_are_some_per_cent(made):
    """CARRY.md: 1 to 7 % of a recording; this one is small."""
    _, path, carried = made("ours with stack copies")
    lens = {section[0]: section[3] for section in sections(carried.read_bytes())}
    assert lens[5] < max(4096, os.path.getsize(path) // 10)
