"""The recorder in a control group with little memory: it gives up names before
its life, and says so."""

import contextlib
import os
import pathlib
import subprocess
import time

import pytest

MIB = 1 << 20


def places():
    """(folder, file of the limit) of this process's groups of memory."""
    groups = pathlib.Path("/proc/self/cgroup").read_text().splitlines()
    for line in groups:
        _, names, path = line.split(":", 2)
        if "memory" in names.split(","):
            yield f"/sys/fs/cgroup/memory{path}", "memory.limit_in_bytes"
        elif not names:
            yield f"/sys/fs/cgroup{path}", "memory.max"


@contextlib.contextmanager
def group(limit_len):
    """The file into which a process of a new group writes itself."""
    for folder, limit in places():
        path = pathlib.Path(folder) / f"perfpair-test-{os.getpid()}"
        try:
            path.mkdir()
        except OSError:
            continue
        try:
            if (path / limit).exists():
                (path / limit).write_text(str(limit_len))
                yield path / "cgroup.procs"
                return
        finally:
            until = time.monotonic() + 20
            while (path / "cgroup.procs").read_text():
                assert time.monotonic() < until
                time.sleep(0.05)
            path.rmdir()
    pytest.skip("needs the right to make a control group of memory")


@pytest.fixture
def record_in(run, perfpair_record, may_record):
    """record_in(BYTES, OPTION...): a recording of all CPUs in such a group."""

    def record(limit_len, *options):
        with group(limit_len) as procs:
            return run(["sh", "-c", 'echo 0 > "$0" && exec "$@"', procs,
                        perfpair_record, "-a", "-e", "cpu-clock", *options])
    return record


@pytest.mark.slow
def test_memory_limit_costs_names_of_stack_copies(record_in, perfpair, run,
                                                  workload):
    """What the copies hit would take more memory than there is."""
    busy = subprocess.Popen([workload("pointers")])
    try:
        done = record_in(20 * MIB, "--call-graph", "dwarf", "-F", "4000", "-o",
                         "t.data", "--duration", "2s")
    finally:
        busy.kill()
        busy.wait()
    assert done.returncode == 0, done.stderr
    assert ("[ perfpair-record: fewer names may be carried: the control group "
            "limits memory to 20.0 MB, ") in done.stderr
    assert run([perfpair, "check", "-i", "t.data"]).returncode == 0
    carried = run([perfpair, "buildid-list", "--carried", "-v", "-i", "t.data"])
    assert "some left out" in carried.stdout


@pytest.mark.parametrize("limit, has_names", [(9 * MIB, False),
                                              (17 * MIB, True)])
def test_memory_limit_costs_names_before_life(record_in, perfpair, run,
                                              tmp_path, limit, has_names):
    """A copy of the kernel's names would fill the one group, and leave no room
    for names in the other."""
    done = record_in(limit, "-g", "-F", "99", "--switch-output=1s", "-o",
                     "t.data", "--duration", "2s")
    assert done.returncode == 0, done.stderr
    assert has_names == (
        "[ perfpair-record: no names are carried: the control group leaves "
        not in done.stderr), done.stderr
    slices = sorted(tmp_path.glob("t.data.*"))
    assert len(slices) >= 2
    for path in slices:
        assert run([perfpair, "check", "-i", path]).returncode == 0
