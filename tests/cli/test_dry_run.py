"""perfpair-record --dry-run: what would keep a recording from starting, and that
nothing is touched."""

import os
import shutil
import socket
import subprocess
import time

import pytest

CLOCK = ["-a", "-e", "cpu-clock"]
NOBODY = ["setpriv", "--reuid", "65534", "--clear-groups"]


@pytest.fixture
def dry(run, perfpair_record, may_record):
    return lambda *args, **kw: run([perfpair_record, "--dry-run", *args], **kw)


def said(done):
    return done.stderr.splitlines()[0].removeprefix("perfpair-record: ")


@pytest.mark.parametrize("args", [
    [], ["-g", "--off-cpu"], ["--call-graph", "dwarf", "-z19", "--threads=2"],
    ["-o", "t", "--switch-output=1s", "--switch-output-event", "cpu-clock"],
    ["--overwrite"], ["-o", "/dev/null"], ["-o", "-"],
    ["-o", "-", "--carry-file", "names"]])
def test_nothing_is_wrong(dry, tmp_path, args):
    done = dry(*CLOCK, "-q", *args)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not list(tmp_path.iterdir())


def test_verbose_says_what_is_opened(dry):
    done = dry(*CLOCK, "-m", "2M", "-v")
    assert done.returncode == 0
    assert "perfpair-record: cpu-clock: type 1, config 0x0" in done.stderr
    assert " rings of 2048 KiB, " in done.stderr


def test_what_there_is_stays_as_it_is(dry, tmp_path):
    """Neither FILE.old, nor slices beyond a limit, nor a command's file."""
    names = ["t.data", "t.data.old", "t.data.2020010101010101",
             "t.data.2020010101010102", "names"]
    for name in names:
        (tmp_path / name).write_text(name)
    done = dry(*CLOCK, "-o", "t.data", "--switch-output=1s", "--max-files",
               "1", "--on-slice", "touch ran", "--duration", "1s", "--",
               "touch", "ran")
    assert done.returncode == 0, done.stderr
    done = dry(*CLOCK, "-o", "-", "--carry-file", "names")
    assert (done.returncode, done.stdout) == (0, "")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        name: name for name in names}


@pytest.mark.parametrize("args, status, told", [
    (["-e", "no-such-event"], 2, "unknown event 'no-such-event'"),
    (["-p", "999999999"], 255, "no process has the id 999999999"),
    (["-C", "9999"], 255, "CPU 9999 "),
    (["-u", "no-such-user"], 255, "no-such-user"),
    ([*CLOCK, "-G", "nosuch"], 255, "nosuch: No such file or directory"),
    ([*CLOCK, "-o", "/nonexistent/t"], 255,
     "/nonexistent/t: No such file or directory"),
    ([*CLOCK, "-o", "."], 255, ".: Is a directory"),
    ([*CLOCK, "-o", "there/t"], 255, "there/t: Not a directory"),
    ([*CLOCK, "-o", "socket"], 255, "socket: is a socket"),
    ([*CLOCK, "-o", "-", "--carry-file", "/nonexistent/t"], 255,
     "option --carry-file: /nonexistent/t: No such file or directory"),
    ([*CLOCK, "-o", "t", "--carry-file", "t"], 255,
     "option --carry-file: the recording is a file"),
    ([*CLOCK, "--control", "fifo:nosuch"], 255,
     "--control: nosuch: No such file or directory"),
    ([*CLOCK, "--threads=9999/0"], 255, "9999"),
    ([*CLOCK, "--config", "c"], 2, "--config is not the first option"),
])
def test_what_is_wrong(dry, tmp_path, args, status, told):
    (tmp_path / "there").touch()
    socket.socket(socket.AF_UNIX).bind(str(tmp_path / "socket"))
    done = dry("-q", *args)
    assert done.returncode == status and told in said(done), done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "socket", "there"]


def test_a_fifo_is_not_opened(dry, tmp_path):
    """Else who waits at it would go on, and what is written be lost."""
    os.mkfifo(tmp_path / "fifo")
    for there in "<", ">":
        process = subprocess.Popen(["sh", "-c", f"echo stop {there} fifo"],
                                   cwd=tmp_path)
        time.sleep(0.2)
        assert dry(*CLOCK, "--control", "fifo:fifo,fifo").returncode == 0
        assert dry(*CLOCK, "-o", "fifo").returncode == 0
        time.sleep(0.2)
        assert process.poll() is None
        process.kill()
        process.wait()


@pytest.fixture
def as_nobody(perfpair_record, open_folder):
    if os.geteuid():
        pytest.skip("root alone may become another user")
    program = shutil.copy(perfpair_record, open_folder)
    open_folder.chmod(0o755)
    return lambda *args: subprocess.run(
        [*NOBODY, program, "-q", *args], cwd=open_folder, capture_output=True,
        text=True)


@pytest.mark.parametrize("name, mode, told", [
    ("new", 0o755, "folder/new: Permission denied"),
    ("new", 0o777, ""),
    ("roots", 0o777, ""),
    ("roots", 0o1777, "folder/roots: Operation not permitted"),
    ("fifo", 0o755, "folder/fifo: Permission denied"),
    ("zero", 0o755, ""),
])
def test_it_says_of_a_folder_what_the_recording_does(as_nobody, open_folder,
                                                     name, mode, told):
    folder = open_folder / "folder"
    folder.mkdir()
    folder.chmod(mode)
    (folder / "roots").write_text("a recording of another user")
    os.mkfifo(folder / "fifo", 0o600)
    (folder / "zero").symlink_to("/dev/zero")
    args = ["-e", "cpu-clock:u", "-o", f"folder/{name}", "--", "true"]
    tried = as_nobody("--dry-run", *args)
    assert tried.returncode == (255 if told else 0), tried.stderr
    assert told in tried.stderr
    done = as_nobody(*args)
    assert done.returncode == tried.returncode, done.stderr
    assert told.rpartition(": ")[2] in done.stderr


def test_a_priority_that_is_not_allowed(as_nobody):
    done = as_nobody("--dry-run", "-e", "cpu-clock:u", "-r", "50", "true")
    assert done.returncode == 255
    assert said(done) == "real-time priority 50: Operation not permitted"
