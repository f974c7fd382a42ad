"""Stripped files with a symbol table that is packed in .gnu_debugdata, as
distributions ship them: a recording carries it, and has the names of the host
elsewhere.  perf 6.1 reads none of it, but has them out of a build-id cache."""

import os
import re
import subprocess

import pytest

from carried_file import sections

RAW = 8
SCRIPT = ["script", "--no-inline", "-F", "comm,ip,sym,symoff,dso"]


def strip_into(program, out):
    """What a distribution does: keep the functions that .dynsym has not, as a
    packed ELF file in the stripped one."""
    def names(*words):
        text = subprocess.run(["nm", "--format=posix", "--defined-only", *words,
                               program], check=True, capture_output=True,
                              text=True).stdout
        return {line.split()[0] for line in text.splitlines()
                if line.split()[1] in "Tt" or words}

    keep = out.with_suffix(".keep")
    keep.write_text("\n".join(sorted(names() - names("-D"))) + "\n")
    mini, debug = out.with_suffix(".mini"), out.with_suffix(".debug")
    for words in (["objcopy", "--only-keep-debug", program, debug],
                  ["objcopy", "-S", "--remove-section", ".comment",
                   f"--keep-symbols={keep}", debug, mini],
                  ["strip", "--strip-all", "-o", out, program],
                  ["xz", "--force", mini],
                  ["objcopy", "--add-section", f".gnu_debugdata={mini}.xz",
                   out]):
        subprocess.run(words, check=True)


PROGRAMS = {"pie": ["-O1"], "exporting": ["-O1", "-rdynamic"],
            "static": ["-O1", "-static"], "fixed": ["-O1", "-no-pie"]}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory, perfpair_record, may_record, workload):
    """recorded(PROGRAM, OPTION...): the program and its recording."""
    made = {}

    def of(name, *options):
        folder = tmp_path_factory.mktemp("packed")
        program, path = folder / "packed", folder / "perf.data"
        if (name, *options) not in made:
            strip_into(workload("spin", *PROGRAMS[name]), program)
            subprocess.run([perfpair_record, "-q", "-e", "cpu-clock", "-F",
                            "2000", "-g", "--carry-time", "20s", *options,
                            "-o", path, "--", program,
                            "300", "cpu"], check=True, stdout=subprocess.DEVNULL)
            made[(name, *options)] = program, path
        return made[(name, *options)]

    return of


@pytest.fixture
def elsewhere(tmp_path):
    (tmp_path / "empty").mkdir()
    return ["--symfs", str(tmp_path / "empty"), "--kallsyms", "/dev/null"]


@pytest.mark.parametrize("options", [[], ["--call-graph", "dwarf,16384"]],
                         ids=["chains", "copies"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_packed_symbols__text_is_that_of_the_host(name, options, recorded,
                                                  elsewhere, perfpair, run):
    _, path = recorded(name, *options)
    here = run([perfpair, *SCRIPT, "-i", path])
    there = run([perfpair, *SCRIPT, *elsewhere, "-i", path])
    assert (here.returncode, there.returncode) == (0, 0)
    for function in ("leaf_hash", "compare"):
        assert re.search(rf"\b{function}\+0x", here.stdout)
    assert there.stdout == here.stdout
    report = ["report", "--stdio", "--no-children", "-g", "none", "-i", path]
    assert run([perfpair, *report, *elsewhere]).stdout == \
        run([perfpair, *report]).stdout


@pytest.mark.parametrize("slot", [0, 1])
def test_packed_symbols__slots_of_the_plt_are_named(slot, elsewhere, perfpair,
                                                    perfpair_record, workload,
                                                    may_trace, run, tmp_path):
    """Of the first one the reader takes _init, which is packed."""
    program = tmp_path / "packed"
    whole = workload("spin", *PROGRAMS["fixed"])
    strip_into(whole, program)
    address, function = re.findall(
        r"^0*([0-9a-f]+) <(\w+)@plt>:$",
        run(["objdump", "-d", "-j", ".plt", whole]).stdout, re.M)[slot]
    done = run([perfpair_record, "-q", "-e", f"mem:0x{address}:x", "-c", "1", "-o",
                "t.data", "--", program, "50", "cpu"])
    if done.returncode:
        pytest.skip("no breakpoint can be had here: " + done.stderr.strip())
    here = run([perfpair, *SCRIPT, "-i", "t.data"]).stdout
    assert ("_init+" if slot == 0 else f" {function}@plt+0x0 ") in here
    assert run([perfpair, *SCRIPT, *elsewhere, "-i", "t.data"]).stdout == here


def test_packed_symbols__are_in_one_section_as_they_are(recorded, perfpair, run,
                                                        tmp_path):
    program, path = recorded("pie")
    section = tmp_path / "section"
    subprocess.run(["objcopy", "-O", "binary", "--only-section=.gnu_debugdata",
                    "--set-section-flags", ".gnu_debugdata=alloc", program,
                    section], check=True)
    (raw,) = [one for one in sections(path.read_bytes()) if one[0] == RAW]
    assert raw[1] == 0
    data = path.read_bytes()[raw[2]:raw[2] + raw[3]]
    assert data.endswith(section.read_bytes())
    assert raw[3] - section.stat().st_size < 8
    listed = run([perfpair, "buildid-list", "--carried", "-i", path])
    assert f"packed, .gnu_debugdata of {section.stat().st_size} bytes" in \
        listed.stdout
    assert run([perfpair, "check", path]).returncode == 0
    # what has .symtab, or names for all, carries none
    assert listed.stdout.count(".gnu_debugdata") == 1


def test_packed_symbols__perf_has_them_out_of_a_cache(recorded, perfpair, perf,
                                                      run, tmp_path, home):
    program, path = recorded("exporting")
    cache = tmp_path / "cache"
    run([perfpair, "buildid-cache", "--from", path, "--dir", cache], check=True)
    words = ["script", "-F", "ip,sym", "-i", path]
    env = dict(home, HOME=str(tmp_path))
    away = program.with_suffix(".away")
    os.rename(program, away)
    try:
        there = run([perf, "--buildid-dir", cache, *words], env=env)
    finally:
        os.rename(away, program)
    here = run([perfpair, *words], env=env)
    counted = {
        function: len(re.findall(rf"\b{function}\b", here.stdout))
        for function in ("leaf_hash", "compare")}
    assert min(counted.values()) > 5
    for function, nr in counted.items():
        assert len(re.findall(rf"\b{function}\b", there.stdout)) == nr


@pytest.mark.parametrize("kind", ["cut", "flipped", "no xz"])
def test_packed_symbols__what_is_damaged_names_nothing(kind, recorded, workload,
                                                       perfpair, elsewhere,
                                                       perfpair_record, run,
                                                       tmp_path):
    program, path = tmp_path / "packed", tmp_path / "perf.data"
    strip_into(workload("spin", "-O1"), program)
    section = tmp_path / "packed.mini.xz"
    data = bytearray(section.read_bytes())
    data = {"cut": data[:len(data) // 2], "no xz": b"no xz" * 100,
            "flipped": data[:200] + bytes([data[200] ^ 0xff]) + data[201:]}[kind]
    section.write_bytes(data)
    run(["objcopy", "--update-section", f".gnu_debugdata={section}", program],
        check=True)
    run([perfpair_record, "-q", "-e", "cpu-clock", "-F", "2000", "-g", "-o",
         path, "--", program, "200", "cpu"], check=True)
    there = run([perfpair, *SCRIPT, *elsewhere, "-i", path])
    assert there.returncode == 0 and "leaf_hash" not in there.stdout
    assert "msort_with_tmp" in there.stdout or "memset" in there.stdout


def test_packed_symbols__a_small_limit_leaves_them_out_first(
        recorded, perfpair, perfpair_record, elsewhere, run, tmp_path):
    program, _ = recorded("pie")
    path = tmp_path / "perf.data"
    run([perfpair_record, "-q", "-e", "cpu-clock:u", "-F", "2000", "-g",
         "--carry-size", "1K", "-o", path, "--", program, "300", "cpu"],
        check=True)
    assert RAW not in [one[0] for one in sections(path.read_bytes())]
    there = run([perfpair, *SCRIPT, *elsewhere, "-i", path])
    assert "msort_with_tmp" in there.stdout and "leaf_hash" not in there.stdout


def test_packed_symbols__those_of_private_files_are_scrubbed(recorded, perfpair,
                                                             run, tmp_path):
    _, path = recorded("pie")
    out, kept = tmp_path / "scrubbed.data", tmp_path / "kept.data"
    run([perfpair, "scrub", "-o", out, path], check=True)
    run([perfpair, "repair", "-o", kept, path], check=True)
    assert RAW not in [one[0] for one in sections(out.read_bytes())]
    assert RAW in [one[0] for one in sections(kept.read_bytes())]
