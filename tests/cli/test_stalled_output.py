"""A disk that stalls, or a reader of a pipe that sleeps: rings are relieved
meanwhile, a service manager is told, and a signal ends the recording as soon as
that goes on."""

import contextlib
import fcntl
import os
import re
import shutil
import signal
import subprocess
import threading
import time

import pytest

from common import end, until, until_said
from test_service import Manager

# Rings that are full in a fraction of a second.
FAST = ["-a", "-g", "-e", "cpu-clock", "-F", "999", "-m", "16"]


class Disk:
    """An ext4 of its own, which can be frozen: what is written to it waits."""

    def __init__(self, folder):
        self.path = folder / "disk"
        self.path.mkdir()
        image = folder / "image"
        with image.open("wb") as file:
            file.truncate(64 << 20)
        self.may = not os.geteuid() and all(
            shutil.which(name) for name in ("mkfs.ext4", "fsfreeze"))
        for words in (["mkfs.ext4", "-q", "-F", image],
                      ["mount", "-o", "loop", image, self.path],
                      ["fsfreeze", "-f", self.path], ["fsfreeze", "-u", self.path]):
            self.may = self.may and not subprocess.run(
                words, stderr=subprocess.DEVNULL, check=False).returncode

    @contextlib.contextmanager
    def frozen(self):
        # thaws it whatever becomes of this process
        with subprocess.Popen(["sh", "-c", 'sleep 60; fsfreeze -u "$0"', self.path],
                              start_new_session=True,
                              stderr=subprocess.DEVNULL) as guard:
            try:
                subprocess.run(["fsfreeze", "-f", self.path], check=True)
                yield
            finally:
                self.thaw()
                os.killpg(guard.pid, signal.SIGKILL)

    def thaw(self):
        subprocess.run(["fsfreeze", "-u", self.path], stderr=subprocess.DEVNULL,
                       check=False)

    def leave(self):
        self.thaw()
        if os.path.ismount(self.path):
            until(lambda: not subprocess.run(["umount", self.path],
                                             check=False).returncode)


@pytest.fixture(scope="module")
def made_disk(tmp_path_factory):
    made = Disk(tmp_path_factory.mktemp("stalled"))
    try:
        if not made.may:
            pytest.skip("no file system can be mounted and frozen here")
        yield made
    finally:
        made.leave()


@pytest.fixture
def disk(made_disk):
    yield made_disk
    made_disk.thaw()
    for path in made_disk.path.glob("t.data*"):
        path.unlink()


@pytest.fixture
def start(perfpair_record, may_record, manager, disk):
    """start(OPTION...): a recorder onto the disk that has begun."""
    started = []

    def do(*options, **kw):
        process = subprocess.Popen(
            [perfpair_record, "-o", disk.path / "t.data", *options],
            stderr=subprocess.PIPE, text=True, **kw)
        started.append(process)
        until_said(process)
        return process

    yield do
    disk.thaw()
    for process in started:
        process.kill()
        process.wait()


@pytest.fixture
def manager(tmp_path):
    """A service manager: manager.hear(PROCESS), then manager.text()."""
    made = Manager(str(tmp_path / "notify"))
    made.text = lambda: "\n".join(what for _, what in made.came)
    listeners = []

    def hear(process):
        listeners.append(threading.Thread(target=made.listen, args=[process]))
        listeners[-1].start()

    made.hear = hear
    yield made
    for listener in listeners:
        listener.join()


@pytest.fixture
def execs():
    """Programs that start all the time, each with records of maps and tasks."""
    process = subprocess.Popen(["sh", "-c", "while :; do /bin/true; done"])
    yield
    process.kill()
    process.wait()


def spin(comm):
    """A process of that name that runs for a while."""
    subprocess.run(["sh", "-c", "echo $0 > /proc/self/comm; i=0; while "
                    "[ $i -lt 200000 ]; do i=$((i + 1)); done", comm], check=True)


def nothing_is_lost(said):
    """Where tests beside this one take the CPU, too, the recorder may be late for its
    rings: a few samples.  Rings that nobody relieves lose 20 to 90 of 100."""
    found = re.search(r"lost \d+ of \d+ samples \(([\d.]+)%\)", said)
    return "Captured" in said and (not found or float(found[1]) < 10)


@pytest.mark.parametrize("options", [
    [], pytest.param(["-z0"], marks=pytest.mark.slow), ["--switch-output=1s"]],
    ids=" ".join)
def test_a_stalled_disk_costs_no_sample(start, disk, execs, options):
    recorder = start(*FAST, *options)
    with disk.frozen():
        time.sleep(1.5)
    said = end(recorder)
    assert nothing_is_lost(said)
    assert " MB were kept in spare memory" in said


def test_a_burst_while_a_disk_stalls(run, perfpair_record, may_trace, disk,
                                     workload):
    """Some 50 MB a second: the rings are full within a tenth of a second."""
    with disk.frozen():
        disk.thaw()  # the command freezes and thaws it
        done = run([perfpair_record, "-a", "-m", "4M", "-e",
                    "syscalls:sys_enter_getppid", "-o", disk.path / "t.data",
                    "--", "sh", "-c",
                    '"$1" 1000; fsfreeze -f "$0"; sleep 1; "$1" 200000; '
                    'fsfreeze -u "$0"', disk.path, workload("getppid")])
    assert done.returncode == 0, done.stderr
    assert nothing_is_lost(done.stderr)


def test_what_waits_is_packed(start, disk, execs, manager, run, perfpair):
    """More comes than spare memory holds as it is."""
    recorder = start(*FAST, "-F", "2000", "--spill-size=1M", env=manager.env)
    manager.hear(recorder)
    with disk.frozen():
        until(lambda: any(float(nr) > 1.2 for nr in re.findall(
            r"([\d.]+) MB wait in spare memory", manager.text())), recorder)
    assert nothing_is_lost(end(recorder))
    assert run([perfpair, "check", "-i", disk.path / "t.data"]).returncode == 0


def test_a_reader_of_a_pipe_that_sleeps(perfpair_record, may_record, execs, tmp_path):
    recorder = subprocess.Popen(
        [perfpair_record, *FAST, "-F", "4000", "-m", "64", "-o", "-"], cwd=tmp_path,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    awake = threading.Event()
    awake.set()

    def read():
        while awake.wait() and os.read(recorder.stdout.fileno(), 4096):
            pass

    fcntl.fcntl(recorder.stdout, fcntl.F_SETPIPE_SZ, 4096)
    reader = threading.Thread(target=read)
    reader.start()
    until_said(recorder)
    awake.clear()
    time.sleep(3)
    awake.set()
    recorder.send_signal(signal.SIGINT)
    said = recorder.stderr.read()
    reader.join()
    assert recorder.wait() == -signal.SIGINT
    assert nothing_is_lost(said)


def test_a_signal_while_a_disk_stalls(start, disk, manager, run, perfpair):
    """It is answered at once, no sample is taken any more, the watchdog is fed,
    and the recording ends when the disk answers."""
    manager.env["WATCHDOG_USEC"] = "200000"
    recorder = start(*FAST, env=manager.env)
    manager.hear(recorder)
    spin("spun-early")
    with disk.frozen():
        until(lambda: "STATUS=recording, waiting for " in manager.text(), recorder)
        recorder.send_signal(signal.SIGTERM)
        line = until_said(recorder, "ending: no more samples are taken, ")
        assert f"waiting for {disk.path}/t.data, which has taken nothing for " in line
        until(lambda: "STATUS=ending: no more samples are taken, waiting for "
              in manager.text(), recorder)
        fed = manager.text().count("WATCHDOG=1")
        until(lambda: manager.text().count("WATCHDOG=1") > fed + 2, recorder)
        spin("spun-late")
        assert recorder.poll() is None
    recorder.communicate(timeout=60)
    assert recorder.returncode == -signal.SIGTERM
    shown = run([perfpair, "report", "-i", disk.path / "t.data", "-s", "comm",
                 "--stdio"]).stdout
    assert "spun-early" in shown and "spun-late" not in shown


@pytest.mark.slow
def test_a_minute_at_the_rate_of_a_service(start, disk, execs):
    recorder = start("-a", "-g", "-e", "cpu-clock", "-F", "99",
                     "--switch-output=15s")
    with disk.frozen():
        time.sleep(58)  # the guard of frozen() waits for 60
    said = end(recorder)
    assert " lost " not in said and "Captured" in said
