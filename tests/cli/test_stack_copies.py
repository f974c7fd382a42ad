"""Recorded stack copies of other processors, with the frames that gdb found when
they were recorded (fixtures/stacks)."""

import re
import struct

import pytest

from common import program
from stack_chains import STACKS, chains_of, differences, stack_copies


def expected(machine):
    """(places in files, how many of them the copy has) of each stop."""
    out = []
    for part in (STACKS / f"{machine}.frames").read_text().split("\n\n"):
        head, *lines = part.strip().splitlines()
        out.append(([int(line.split()[0], 16) for line in lines],
                    int(re.search(r": (\d+) of", head)[1])))
    return out


@pytest.mark.parametrize("is_told", [True, False])
@pytest.mark.parametrize("machine", ["aarch64", "i386"])
def test_stack_copies__frames_are_those_of_gdb(machine, is_told, run, tmp_path):
    """A recorder that was killed leaves no features: none names the machine."""
    path = tmp_path / "perf.data"
    data = stack_copies(machine)
    if not is_told:
        end = sum(struct.unpack_from("<2Q", data, 40))
        data = data[:72] + bytes(32) + data[104:end]
    path.write_bytes(data)
    done = run([program("report", "perfpair"), "script", "-F", "ip", "--symfs",
                STACKS / machine, "-i", path])
    assert (done.returncode, done.stderr) == (0, "")
    assert not differences(expected(machine), chains_of(done.stdout))


def view(command, machine, path):
    words = [program("report", "perfpair"), *command.split(), "--symfs",
             STACKS / machine]
    return [*words, "-g", *5 * [path]] if command == "diff" else \
        [*words, "-i", path]


@pytest.mark.parametrize("command", ["report", "script --no-inline", "diff"])
@pytest.mark.parametrize("machine", ["aarch64", "i386"])
def test_stack_copies__any_number_of_threads_finds_the_same(machine, command,
                                                            run, tmp_path):
    path = tmp_path / "perf.data"
    path.write_bytes(stack_copies(machine, 40))
    assert path.stat().st_size > 3 * (4 << 20)  # four pieces
    words = view(command, machine, path)
    alone = run([*words, "--jobs", "1"])
    assert alone.returncode == 0
    assert alone.stdout.count("stop_here") > 1
    for jobs in ([], ["--jobs", "2"], ["--jobs", "5"]):
        done = run([*words, *jobs])
        assert (done.stdout, done.stderr) == (alone.stdout, alone.stderr)


def test_stack_copies__are_counted_once(run, perfpair_record, may_record,
                                        tmp_path):
    """Lines that wait for the kernel's names are made twice."""
    path = tmp_path / "perf.data"
    run([perfpair_record, "-q", "-e", "cpu-clock", "-F", "5000", "--call-graph",
         "dwarf,1024", "-o", path, "--", "ls", "-lR", "/usr/lib/python3"],
        check=True)
    words = [program("report", "perfpair"), "script", "--no-inline", "-i", path]
    alone = run([*words, "--jobs", "1"])
    assert "stack copies are too short for all callers" in alone.stderr
    for _ in range(4):
        assert run([*words, "--jobs", "2"]).stderr == alone.stderr


def test_stack_copies__inlined_functions_are_named_in_order(
        run, perfpair_record, may_record, workload, tmp_path):
    path = tmp_path / "perf.data"
    run([perfpair_record, "-q", "-e", "cpu-clock", "-F", "3000", "--call-graph",
         "dwarf,32768", "-o", path, "--",
         workload("thrown", "-O2", "-g", "-fomit-frame-pointer"), "15000"],
        check=True)
    words = [program("report", "perfpair"), "script", "-i", path]
    alone = run([*words, "--jobs", "1"])
    assert "(inlined)" in alone.stdout
    for _ in range(10):
        assert run([*words, "--jobs", "2"]).stdout == alone.stdout
