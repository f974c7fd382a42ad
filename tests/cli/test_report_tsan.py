"""The reader's threads under ThreadSanitizer."""

import subprocess

import pytest

from stack_chains import STACKS, stack_copies

pytestmark = pytest.mark.builds


@pytest.fixture(scope="module")
def recording(tmp_path_factory, perfpair_record, may_trace, workload):
    """Several frames and pieces, of a program with source lines."""
    path = tmp_path_factory.mktemp("tsan") / "t.data"
    subprocess.run([perfpair_record, "-q", "-g", "-m", "4M", "-o", path,
                    "-e", "syscalls:sys_enter_getppid", "-e", "cpu-clock",
                    "--", workload("getppid", "-O1", "-g"), "20000"],
                   check=True)
    return path


@pytest.mark.parametrize("words", [
    ["report", "--stdio", "--time", "10%-90%"],
    ["report", "--stdio", "-s", "comm,srcline", "-g", "none"],
    ["script"],
    ["script", "-F", "comm,tid,time,event,ip,sym,srcline"],
], ids=" ".join)
def test_no_race(without_race, recording, words):
    done = without_race("report/perfpair", *words, "--jobs", "4", "-i",
                        recording)
    assert done.stdout.count("getppid") > 1


@pytest.fixture(scope="module")
def stacks_here(tmp_path_factory, perfpair_record, may_trace):
    """Several frames of samples with copies of their stacks, from all over a
    program and the C library."""
    path = tmp_path_factory.mktemp("tsan") / "d.data"
    subprocess.run([perfpair_record, "-q", "--call-graph", "dwarf,4096", "-m",
                    "4M", "-o", path, "-e", "cpu-clock", "-F", "5000", "--",
                    "sh", "-c", "ls -lR /usr/lib | sort -k 3"],
                   check=True, stdout=subprocess.DEVNULL)
    return path


@pytest.mark.parametrize("command", ["report", "script --no-inline"])
def test_no_race_in_unwinding(without_race, stacks_here, command):
    done = without_race("report/perfpair", *command.split(), "--jobs", "4", "-i",
                        stacks_here)
    assert done.stdout.count("main") > 1


@pytest.mark.parametrize("command", ["report", "script --no-inline"])
def test_no_race_in_unwinding_by_symbols(without_race, tmp_path, command):
    """Those of aarch64 tell where code without information returns to."""
    path = tmp_path / "perf.data"
    path.write_bytes(stack_copies("aarch64", 20))
    done = without_race("report/perfpair", *command.split(), "--jobs", "4", "--symfs",
                        STACKS / "aarch64", "-i", path)
    assert done.stdout.count("stop_here") > 1


def test_no_race_in_unwinding_several_files(without_race, tmp_path):
    """The last two of ten are counted when the first has names to lend, by four
    threads each."""
    path = tmp_path / "perf.data"
    path.write_bytes(stack_copies("aarch64", 20))
    without_race("report/perfpair", "diff", "-g", "--jobs", "8", "--symfs",
                 STACKS / "aarch64", *10 * [path])


def test_no_race_in_several_files(without_race, recording):
    without_race("report/perfpair", "diff", "--jobs", "4", recording, recording)
