"""What lies where in the kernel: modules, what is between them, copies of kcore.
Recordings of a made-up kernel, shown as perf 6.1 shows them."""

import os
import random
import sys

import pytest

from common import ROOT
from peer_text import same_report, same_text

sys.path.insert(0, str(ROOT / "fixtures" / "gen"))

import made_kernel as made  # noqa: E402

TEXT_END = made.TEXT + made.TEXT_LEN
# in the kernel, at its ends, in modules, between them, in what was made.  The
# first one is the kernel's: perf 6.1 names no function of a module otherwise.
IPS = [made.TEXT + 0x1004, made.TEXT, made.TEXT + 0x80, made.TEXT + 0x2f00,
       TEXT_END - 1, TEXT_END, made.TEXT + 0x20004, made.EXT4 + 4,
       made.EXT4 + 0x2fff, made.EXT4 + 0x3000, made.EXT4 + 0x4000, made.SOUND,
       made.SOUND + 0x500, made.SOUND + 0x1000, made.TRAMPOLINE + 0x10,
       made.BPF + 1, made.BPF + 0x201, made.IMAGE + 1, made.IMAGE + 0x1000,
       made.MODULES_END, made.EXT4 - 1, 0x1234]
BUILD_ID = bytes(range(0xa0, 0xb4))
ALL = ("kallsyms", "modules", "kcore")


@pytest.fixture
def shown(perf, perfpair, run, tmp_path):
    """What both readers print, one text."""
    def of(path, *options, words=("script", "-F", "ip,sym,symoff,dso"),
           same=same_text):
        home = tmp_path / "home"
        home.mkdir(exist_ok=True)
        env = dict(os.environ, HOME=str(home))
        texts = []
        for program in (perf, perfpair):
            done = run([program, *words, "-i", path, *options], env=env)
            assert done.returncode == 0, done.stderr
            texts.append(done.stdout)
        same(*texts)
        return texts[1]
    return of


def recording(ips=tuple(IPS), **kernel):
    return made.Recording().kernel(**kernel).modules().sample(*ips)


def directory(path, what=ALL, recorded=None, **changed):
    made.write(path / "kcore_dir", what, **changed)
    (recorded or recording()).write(path / "data")
    return path


def test_kcore_dir(shown, tmp_path):
    text = shown(directory(tmp_path / "dir"))
    # all of it is the kernel's, in perf, too
    assert "[ext4]" not in text and "ext4_last+0xff ([kernel.kallsyms])" in text
    assert "ftrace_trampoline+0x10 ([kernel.kallsyms])" in text


def test_kcore_dir__in_a_report(shown, tmp_path):
    # of data and bare addresses perf 6.1 shows places in kcore
    known = [ip for ip in IPS if ip not in (made.SOUND + 0x500,
                                            made.SOUND + 0x1000,
                                            made.IMAGE + 0x1000)]
    path = directory(tmp_path / "dir", recorded=recording(known))
    for keys in ("dso", "dso,sym"):
        shown(path, words=("report", "--stdio", "-s", keys), same=same_report)


@pytest.mark.parametrize("missing", ALL)
def test_kcore_dir__of_which_a_part_is_missing(missing, shown, tmp_path):
    what = [name for name in ALL if name != missing]
    recorded = recording(build_id=BUILD_ID)
    text = shown(directory(tmp_path / "dir", what, recorded))
    assert "([ext4])" in text and "ftrace" not in text


CHANGES = {
    "module elsewhere": {"loaded": [("ext4", made.EXT4 + 0x1000, 0x3000),
                                    made.LOADED[1]]},
    "module gone": {"loaded": made.LOADED[:1]},
    "kernel elsewhere": {"symbols": [(addr + 0x200000 * (addr < made.EXT4),
                                      kind, name)
                                     for addr, kind, name in made.SYMBOLS]},
    "no ranges": {"parts": [(0, 0)]},
}


@pytest.mark.parametrize("change", CHANGES)
def test_kcore_dir__that_is_not_as_recorded(change, shown, tmp_path):
    text = shown(directory(tmp_path / "dir", **CHANGES[change]))
    assert "([ext4])" in text and "do_one+0x4" in text


@pytest.mark.parametrize("flags", [4, 5, 6, 7])
def test_kcore_dir__rights_of_ranges(flags, shown, tmp_path):
    text = shown(directory(tmp_path / "dir", flags=flags))
    assert "[ext4]" not in text


def test_kcore_dir__ranges_over_ranges(shown, tmp_path):
    """The kernel's own text lies in the range of all that it maps: arm64."""
    whole = (made.TEXT - 0x100000, made.MODULES_END - made.TEXT + 0x100000)
    text = shown(directory(tmp_path / "dir", parts=[whole, *made.PARTS]))
    assert "init_late+0x4 ([kernel.kallsyms])" in text


def test_kallsyms__with_a_kcore_beside(shown, tmp_path):
    made.write(tmp_path / "copy")
    path = recording().write(tmp_path / "p.data")
    text = shown(path, "--kallsyms", tmp_path / "copy" / "kallsyms")
    assert "ftrace_trampoline+0x10 ([kernel.kallsyms])" in text
    (tmp_path / "copy" / "kallsyms").rename(tmp_path / "copy" / "names")
    text = shown(path, "--kallsyms", tmp_path / "copy" / "names")
    assert "ftrace_trampoline" not in text


def cache(tmp_path, name, **changed):
    made.write(tmp_path / "home" / ".debug" / "[kernel.kcore]"
               / BUILD_ID.hex() / name, **changed)


def test_cache__of_the_recorded_kernel(shown, tmp_path):
    """The first copy counts whose modules are where they were recorded."""
    cache(tmp_path, "2023010100000000", loaded=made.LOADED[:1])
    cache(tmp_path, "2024010100000000")
    path = recording(build_id=BUILD_ID).write(tmp_path / "p.data")
    assert "ftrace_trampoline+0x10 ([kernel.kallsyms])" in shown(path)
    other = recording(build_id=BUILD_ID[::-1]).write(tmp_path / "o.data")
    assert "do_one" not in shown(other)


def test_ksymbols(shown, tmp_path):
    def made_up():
        return made.Recording().kernel().modules().ksymbol(
            made.BPF, 0x200, "bpf_prog_6deef7357e7b4530_sd").ksymbol(
            made.IMAGE, 0x1000, "bpf_trampoline_6442").ksymbol(
            made.TRAMPOLINE, 0x1000, "ftrace_trampoline", kind=2).sample(*IPS)

    text = shown(directory(tmp_path / "a", recorded=made_up()))
    assert "bpf_prog_6deef7357e7b4530_sd+0x1 (bpf_prog_" in text
    shown(directory(tmp_path / "b", ALL[:2], recorded=made_up()))


@pytest.mark.parametrize("seed", range(12))
def test_modules__in_any_order(seed, shown, tmp_path):
    """Modules lie as they come, with and without a kcore of them."""
    draw = random.Random(seed)
    pages = draw.sample(range(16), 5)
    loaded = [(f"mod_{i}", made.EXT4 + 0x10000 * page,
               0x1000 * draw.randrange(1, 16))
              for i, page in enumerate(pages)]
    symbols = made.SYMBOLS[:9] + [
        (addr + draw.randrange(length), draw.choice("tTdwb"),
         f"f_{name}_{i}\t[{name}]")
        for name, addr, length in loaded for i in range(6)]
    symbols += [(made.EXT4 + 0x10000 * draw.randrange(16) + 0xf800, "t",
                 f"gap_{i}\t[__builtin__ftrace]") for i in range(3)]
    draw.shuffle(symbols)
    maps = made.Recording().kernel().modules(draw.sample(loaded, 5))
    maps.sample(IPS[0], *(made.EXT4 + draw.randrange(0x110000)
                          for _ in range(300)))
    for what in (ALL[:2], ALL):
        path = directory(tmp_path / what[-1], what, maps, symbols=symbols,
                         loaded=loaded)
        shown(path)


@pytest.mark.parametrize("path", [
    "hkAlice__VelvetSlim/perf.data.old~1c4b14f",
    "PourroyJean__performance_modelisation/test__perf.data"])
def test_origin_of_modules_that_are_not_here(corpus, run, perf, perfpair,
                                             tmp_path, path):
    """report -v: packed modules (.ko.gz, .ko.xz) have a letter of their own."""
    words = ["report", "--stdio", "-v", "--no-children", "-g", "none", "-s",
             "dso,sym", "--symfs", tmp_path, "-i", corpus / "files" / path]
    theirs, ours = (
        sorted(line.rstrip() for line in run(program).stdout.splitlines()
               if ".ko" in line and "%" in line)
        for program in ([perf, "--buildid-dir", tmp_path, *words],
                        [perfpair, *words]))
    assert sum(" m [k] 0x" in row for row in theirs) > 2
    assert ours == theirs
