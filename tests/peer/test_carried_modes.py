"""What a recording carries in each way of recording: elsewhere script prints of
each file what it prints on the host (docs/design/carry.md has the table)."""

import os
import pathlib
import platform
import re
import shutil
import signal
import subprocess
import time

import pytest

from common import ROOT, until_said

EVENT = ["-e", "cpu-clock", "-F", "1999", "--carry-time", "20s"]
QUIET = [*EVENT, "-q"]
NAME = "spin_modes"  # which no other program has
OWN = {
    "command": [],
    "threads": ["--threads=cpu"],
    "plain": ["-z0"],
    "overwrite": ["--overwrite"],
    "copies": ["--call-graph", "dwarf"],
}
BESIDE = {
    "all CPUs": ["-a"],
    "one CPU": ["-C", "0"],
    "pid": ["-p", "PID"],
    "tid": ["-t", "PID"],
    "uid": ["-u", "UID"],
    "pid, copies": ["-p", "PID", "--call-graph", "dwarf"],
    "pid, overwrite": ["-p", "PID", "--overwrite"],
    "pid, overwrite, copies": ["-p", "PID", "--overwrite", "--call-graph",
                               "dwarf"],
    "pid, tail": ["-p", "PID", "--tail-synthesize"],
    "all CPUs, overwrite": ["-a", "--overwrite"],
}
# Options, and how often SIGUSR2 is sent; each makes two files and more.
ROTATED = {
    "time": (["-a", "--switch-output=1s"], 0),
    "size": (["-a", "--switch-output=64K"], 0),
    "signal": (["-a", "--switch-output=signal"], 2),
    "signal, pid": (["-p", "PID", "--switch-output=signal"], 2),
    "signal, copies": (["-p", "PID", "--switch-output=signal", "--call-graph",
                        "dwarf"], 2),
    "snapshots": (["-a", "--overwrite", "--switch-output=signal"], 2),
}


@pytest.fixture
def same_elsewhere(run, perfpair, tmp_path):
    """same_elsewhere(FILE): text of script of the program there, which is that
    of here.  What else runs on this machine may be in a container, too."""
    empty = tmp_path / "empty"
    empty.mkdir()

    def compare(path):
        command = [perfpair, "script", "--no-inline", "--comms", NAME, "-i",
                   path]
        here = run(command)
        there = run([*command, "--symfs", empty, "--kallsyms", "/dev/null"])
        assert (here.returncode, there.returncode) == (0, 0)
        lines = zip(here.stdout.splitlines(), there.stdout.splitlines())
        differ = [pair for pair in lines if pair[0] != pair[1]]
        assert not differ, f"{len(differ)} lines, the first: {differ[0]}"
        assert here.stdout == there.stdout
        return there.stdout

    return compare


@pytest.fixture(scope="module")
def spin(tmp_path_factory, workload):
    """A program that stands nowhere else, whatever this build folder is, as does
    its libc: another one may be mapped by the same name, in a container."""
    path = tmp_path_factory.mktemp("spin") / NAME
    shutil.copy(workload("spin", "-O1", "-Wl,-rpath,$ORIGIN"), path)
    shutil.copy(re.search(r" (/\S+/libc\.so\.6)$",
                          pathlib.Path("/proc/self/maps").read_text(), re.M)[1],
                path.parent)
    return path


@pytest.fixture
def busy(spin):
    """The program, running until the test stops it."""
    with subprocess.Popen([spin, "600000", "cpu"],
                          stdout=subprocess.DEVNULL) as process:
        time.sleep(.1)
        yield process
        process.kill()


def filled(options, busy):
    return [{"PID": str(busy.pid), "UID": str(os.geteuid())}.get(word, word)
            for word in options]


@pytest.mark.parametrize("name", OWN)
def test_a_command(name, same_elsewhere, spin, run, perfpair_record,
                   may_record, tmp_path):
    graph = [] if "copies" in name else ["-g"]
    done = run([perfpair_record, *QUIET, *graph, *OWN[name], "-o", "t.data",
                "--", spin, "200", "cpu"])
    assert (done.returncode, done.stderr) == (0, "")
    assert "leaf_" in same_elsewhere("t.data")


@pytest.mark.parametrize("name", BESIDE)
def test_what_runs_already(name, same_elsewhere, busy, run, perfpair_record,
                           may_record):
    if "uid" in name and os.geteuid():
        pytest.skip("all of a user are recorded on whole CPUs")
    graph = [] if "copies" in name else ["-g"]
    cpus = os.sched_getaffinity(busy.pid)
    os.sched_setaffinity(busy.pid, {0} if name == "one CPU" else cpus)
    done = run([perfpair_record, *QUIET, *graph, *filled(BESIDE[name], busy),
                "-o", "t.data", "--duration", "200ms"])
    busy.kill()
    assert (done.returncode, done.stderr) == (0, "")
    assert "leaf_" in same_elsewhere("t.data")


# "signal" alone is among those with a process or copies.
@pytest.mark.parametrize("name", [
    pytest.param(name, marks=[pytest.mark.slow] if name == "signal" else [])
    for name in ROTATED])
def test_each_file_of_a_rotation(name, same_elsewhere, busy, perfpair_record,
                                 may_record, tmp_path):
    options, signals = ROTATED[name]
    graph = [] if "copies" in name else ["-g"]
    with subprocess.Popen(
            [perfpair_record, *EVENT, *graph, *filled(options, busy), "-o",
             "t.data"], cwd=tmp_path, stderr=subprocess.PIPE,
            text=True) as recorder:
        until_said(recorder)
        for _ in range(signals):
            time.sleep(.3)
            recorder.send_signal(signal.SIGUSR2)
            until_said(recorder, " Dump ")
        if not signals:
            until_said(recorder, " Dump ")
        time.sleep(.3)
        recorder.terminate()
        recorder.communicate(timeout=60)
        assert recorder.returncode == -signal.SIGTERM
    busy.kill()
    files = sorted(tmp_path.glob("t.data.2*"))
    assert len(files) >= 2
    for path in files:
        assert "leaf_" in same_elsewhere(path), path


def test_another_user(same_elsewhere, spin, run, perfpair_record, may_record,
                      open_folder):
    """Who may read the files that are recorded needs no right to carry their
    names; the kernel's are not recorded."""
    if os.geteuid():
        pytest.skip("only root becomes another user")
    for program in (perfpair_record, spin):
        shutil.copy(program, open_folder)
    done = run(["setpriv", "--reuid", "nobody", "--regid", "nogroup",
                "--clear-groups", "./perfpair-record", *QUIET, "-g",
                "--all-user", "-o", "t.data", "--", f"./{NAME}", "200", "cpu"],
               cwd=open_folder)
    if "no permission" in done.stderr:
        pytest.skip("kernel.perf_event_paranoid allows others nothing")
    assert (done.returncode, done.stderr) == (0, "")
    assert "leaf_" in same_elsewhere(open_folder / "t.data")


@pytest.mark.builds
def test_the_static_program(same_elsewhere, busy, run, perfpair, may_record):
    if not list(ROOT.glob(f"build/static-{platform.machine()}/record/"
                          "perfpair-record")):
        pytest.skip("cross/static.sh was not run: tests/cli/test_static.py "
                    "does")
    program, = ROOT.glob(f"build/static-{platform.machine()}/record/"
                         "perfpair-record")
    done = run([program, *QUIET, "-a", "-g", "-o", "t.data", "--", "dd",
                "if=/dev/zero", "of=/dev/null", "bs=1M", "count=2000",
                "status=none"])
    busy.kill()
    assert (done.returncode, done.stderr) == (0, "")
    assert "leaf_" in same_elsewhere("t.data")
    listed = run([perfpair, "buildid-list", "--carried", "-i", "t.data"]).stdout
    assert "[kernel.kallsyms]" in listed
