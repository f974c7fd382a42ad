"""Code in memory that has no file, or one that is not ELF, or no name in a file
system: it is named by a perf map, by the text that was moved there, by the library
that was loaded from it, on the host and elsewhere."""

import os
import pathlib
import re
import subprocess

import pytest

from common import until

ELSEWHERE = ["--symfs", ".", "--kallsyms", "/dev/null"]
LIBRARY = """static unsigned long __attribute__((noinline)) lib_hot(unsigned long n)
{ for (int i = 0; i < 100000; i++) n = n * 69069 + 1 + (n >> 7); return n; }
unsigned long entry(unsigned long n) { return lib_hot(n) + 1; }"""

x86_64 = pytest.mark.skipif(os.uname().machine != "x86_64",
                            reason="the workload makes code for x86-64")
begun = pytest.mark.parametrize("is_old", [False, True], ids=["new", "old"])


def seconds(is_old):
    """A program that is recorded while it runs is killed."""
    return "60" if is_old else "0.6"


def is_mapped(pid, name):
    return any(name in line for line in
               pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines())


@pytest.fixture
def rows(perfpair_record, may_record, perfpair, run, tmp_path):
    """rows(COMMAND, IS_OLD, MAPPED, OPTION...): the (dso, symbol) with most samples, on the
    host and elsewhere, and what is said, of a program that is recorded from its
    start or, once it has mapped something, while it runs."""
    (tmp_path / "empty").mkdir()
    record = [perfpair_record, "-q", "-e", "cpu-clock:u", "-F", "2000", "-o",
              "t.data"]

    def recorded(command, mapped, options):
        with subprocess.Popen(command, cwd=tmp_path) as process:
            try:
                until(lambda: is_mapped(process.pid, mapped))
                run([*record, *options, "-p", process.pid, "--", "sleep", "0.4"])
            finally:
                process.kill()
        return process.pid

    def heaviest(*more):
        done = run([perfpair, "report", "--stdio", "--no-children", "-g", "none",
                    "-s", "dso,sym", "-t", ";", "-i", "t.data", *more])
        assert done.returncode == 0
        row = next(line for line in done.stdout.splitlines()
                   if line and not line.startswith("#"))
        said = [line for line in done.stderr.splitlines()
                if "keeps no frame pointers" not in line]
        return tuple(word.strip() for word in row.split(";")[1:]), said

    def both(command, is_old=False, mapped=None, *options):
        command = [str(word) for word in command]
        if is_old:
            pid = recorded(command, mapped, options)
        else:
            assert run([*record, *options, "--", *command]).returncode == 0
            told = run([perfpair, "script", "-F", "pid", "-i", "t.data"]).stdout
            pid = int(told.split()[0])
        here = heaviest()
        pathlib.Path(f"/tmp/perf-{pid}.map").unlink(missing_ok=True)
        assert heaviest(*ELSEWHERE) == here
        return here

    return both


@x86_64
@begun
@pytest.mark.parametrize("kind, mapped", [("memfd", "doublemapper"),
                                          ("shm", "mapped_code-")])
def test_perf_map_of_code_in_a_file(kind, mapped, is_old, rows, workload):
    """.NET has its code in a memfd; perf has no names for that."""
    (dso, symbol), said = rows([workload("mapped_code"), "-", seconds(is_old),
                                "keep", kind], is_old, mapped)
    assert re.fullmatch(r"\[JIT\] tid \d+", dso)
    assert (symbol, said) == ("[.] compiled_keep", [])


@x86_64
def test_perf_map_whose_lines_end_with_cr_lf(rows, workload):
    (_, symbol), said = rows([workload("mapped_code"), "-", "0.3", "crlf"])
    assert (symbol, said) == ("[.] compiled_crlf", [])


@x86_64
@pytest.mark.parametrize("kind", [[], ["memfd"]], ids=["memory", "memfd"])
def test_code_without_names_is_one_line(kind, rows, workload):
    """A file that never existed was not deleted, and carry does not find it."""
    _, said = rows([workload("mapped_code"), "-", "1.5", "none", *kind])
    assert len(said) == 1
    assert "code that a JIT compiler or a packed program made" in said[0]


@begun
@pytest.mark.parametrize("options", [[], ["--call-graph", "dwarf", "-m", "4M"]],
                         ids=["code", "data"])
def test_text_that_was_moved(options, is_old, rows, workload):
    """With stack copies, maps of data are recorded, too."""
    (dso, symbol), said = rows([workload("moved_text"), seconds(is_old)],
                               is_old, "rwxp", *options)
    assert (dso, symbol) == ("moved_text", "[.] hot_moved")
    assert len(said) == 1
    assert re.search(r"% of the samples are in memory to which the text of \S+/"
                     r"moved_text was moved", said[0])


def test_text_that_was_moved_and_named_otherwise(rows, workload):
    (dso, symbol), said = rows([workload("moved_text"), "0.4", "map"])
    assert dso.startswith("[JIT]")
    assert (symbol, said) == ("[.] compiled", [])


@begun
def test_library_in_a_memfd(is_old, rows, workload, tmp_path):
    (tmp_path / "lib.c").write_text(LIBRARY)
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", "lib.so", "lib.c"],
                   cwd=tmp_path, check=True)
    (dso, symbol), said = rows([workload("memfd_library"), tmp_path / "lib.so",
                                seconds(is_old)], is_old, "plugin")
    assert (dso, symbol) == ("memfd:plugin (deleted)", "[.] lib_hot")
    assert said == []
