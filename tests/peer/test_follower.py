"""Names are collected while a recording is written, by a thread that takes half a per
cent of a CPU from others, and more only if nobody else wants it: nothing that happens
to it costs the recording, and a busy machine costs no names."""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import pytest

from common import end, until, until_said

pytestmark = pytest.mark.records

SCHED_BATCH, SCHED_IDLE = 3, 5
# with time for the names of all that others run on this machine
OPTIONS = ["-a", "-g", "-e", "cpu-clock", "-F", "999", "--carry-time", "20s"]


@pytest.fixture
def recording(perfpair_record, may_record, tmp_path):
    """recording(*OPTIONS): a recorder that has begun."""
    started = []

    def record(*options, prefix=()):
        process = subprocess.Popen(
            [*prefix, perfpair_record, *OPTIONS, *options, "-o", "t.data"],
            cwd=tmp_path, stderr=subprocess.PIPE, text=True)
        started.append(process)
        until_said(process)
        return process

    yield record
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def spin(workload, tmp_path):
    """spin(NR): that many programs that run until spin.end()."""
    started = []

    # static, as another libc may be mapped by the same name, in a container
    program = shutil.copy(workload("spin", "-O1", "-g0", "-static"),
                          tmp_path / "follow_me")

    def run(nr):
        for _ in range(nr):
            started.append(subprocess.Popen([program, "60000"]))

    def end():
        for process in started:
            process.kill()
            process.wait()

    run.end = end
    yield run
    end()


def stop(process):
    """It ends itself by the signal, once the file is whole."""
    said = end(process)
    assert "Captured and wrote" in said
    return said


def texts(run, perfpair, tmp_path, path):
    """The text of script of the programs here, and without any file of this
    machine.  What else runs on it may be in a container."""
    (tmp_path / "empty").mkdir(exist_ok=True)
    command = [perfpair, "script", "--comms", "follow_me", "-i", path]
    here = run(command)
    elsewhere = run([*command, "--symfs", "empty", "--kallsyms", "/dev/null"])
    assert here.returncode == elsewhere.returncode == 0
    return here.stdout.splitlines(), elsewhere.stdout.splitlines()


def assert_same(here, elsewhere):
    different = [pair for pair in zip(here, elsewhere) if pair[0] != pair[1]]
    assert (len(here), different[:5]) == (len(elsewhere), [])


def threads(pid):
    """The policy and CPU time in ns of each thread, by its name."""
    found = {}
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has ended
            stat = (task / "stat").read_text()
            found[stat[stat.index("(") + 1:stat.index(")")]] = (
                int(stat.rpartition(")")[2].split()[38]),
                int((task / "schedstat").read_text().split()[0]))
    return found


def until_it_has_read(process):
    """A look that finds records takes it some milliseconds."""
    def cpu_ns():
        policy, ns = threads(process.pid)["follower"]
        return ns if policy in (SCHED_BATCH, SCHED_IDLE) else 0

    before = until(cpu_ns, process)
    until(lambda: cpu_ns() > before + 1_000_000, process)


def test_it_reads_while_the_recording_runs(recording, spin, perfpair, run,
                                           tmp_path):
    process = recording()
    spin(1)
    until_it_has_read(process)
    until_it_has_read(process)
    stop(process)
    spin.end()
    here, elsewhere = texts(run, perfpair, tmp_path, "t.data")
    assert any("leaf_hash" in line for line in elsewhere)
    assert_same(here, elsewhere)


def test_beyond_its_share_it_takes_what_nobody_wants(recording, spin):
    process = recording("-F", "20000", "--call-graph", "dwarf,1024")
    spin(1)
    until(lambda: threads(process.pid)["follower"][0] == SCHED_IDLE, process)
    stop(process)


def test_each_file_has_names(recording, spin, perfpair, run, tmp_path):
    process = recording("--switch-output", "-F", "3999")
    spin(1)
    for seconds in (0.3, 1.2, 0.3):  # it looks once a second
        time.sleep(seconds)
        process.send_signal(signal.SIGUSR2)
        until_said(process, "Dump")
    time.sleep(0.3)
    stop(process)
    spin.end()
    files = sorted(path for path in tmp_path.iterdir()
                   if re.match(r"t\.data\.\d+$", path.name))
    assert len(files) == 4
    for path in files[1:]:
        here, elsewhere = texts(run, perfpair, tmp_path, path.name)
        assert any("leaf_hash" in line for line in elsewhere)
        assert any("[kernel.kallsyms]" in line and "[unknown]" not in line
                   for line in elsewhere)
        assert_same(here, elsewhere)


@pytest.mark.parametrize("prefix", [
    [], ["setpriv", "--bounding-set=-sys_nice", "--inh-caps=-sys_nice"],
], ids=["may-raise", "may-not-raise"])
def test_a_busy_machine_costs_no_names(recording, spin, perfpair, run,
                                       tmp_path, prefix):
    if prefix and os.geteuid():
        pytest.skip("needs root, to give a capability up")
    spin(2 * os.cpu_count())
    process = recording(prefix=prefix)
    time.sleep(1.5)  # it would have looked
    said = stop(process)
    spin.end()
    assert "no names" not in said
    here, elsewhere = texts(run, perfpair, tmp_path, "t.data")
    assert any("leaf_hash" in line for line in elsewhere)
    assert_same(here, elsewhere)


@pytest.mark.parametrize("length", [0, 100, 5000])
def test_a_file_that_is_cut_does_not_end_the_recorder(recording, spin,
                                                      tmp_path, length):
    process = recording()
    spin(1)
    until_it_has_read(process)
    before = threads(process.pid)["follower"]
    os.truncate(tmp_path / "t.data", length)
    # it looks once more, or has given up
    until(lambda: threads(process.pid).get("follower") != before, process)
    os.truncate(tmp_path / "t.data", length)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=60)[1]
    assert "Captured and wrote" in said
    # it reads its file once more for names, and says if the cut went through a frame
    assert process.returncode == (255 if "cannot be read back" in said
                                  else -signal.SIGINT)


def test_after_sigkill_there_are_none(recording, spin, perfpair, run,
                                      tmp_path):
    process = recording("--flush-interval", "100ms")
    spin(1)
    length = (tmp_path / "t.data").stat().st_size
    until(lambda: (tmp_path / "t.data").stat().st_size > length, process)
    until_it_has_read(process)
    process.kill()
    process.wait()
    (tmp_path / "empty").mkdir()
    done = run([perfpair, "report", "--symfs", "empty", "--kallsyms",
                "/dev/null", "-i", "t.data"])
    assert re.search(r"t\.data: [\d.]+% of the samples have no symbol; the "
                     "recording carries no names, since it was not finished",
                     done.stderr)
    assert done.stdout.count("follow_me") > 0
