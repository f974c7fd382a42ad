"""What the commands read if no option names a file: a pipe on stdin, as perf
does, whatever lies in the folder; else perf.data."""

import os
import socket
import subprocess

import pytest

from made_file import File
from terminal_run import open_terminal


def recording(comm):
    made = File()
    made.comm(90, comm.ljust(8, b"\0"))
    made.sample(100)
    return made.bytes()


COMMANDS = {
    "report": ["report", "--stdio", "-s", "comm"],
    "report -D": ["report", "-D"],
    "report --tasks": ["report", "--tasks"],
    "script": ["script"],
    "evlist": ["evlist", "-F"],
    "buildid-list": ["buildid-list"],
    "data convert": ["data", "convert", "--to-json", "out.json", "--force"],
    "check": ["check"],
    "repair": ["repair", "-f", "-o", "out.data"],
}


@pytest.fixture
def shown(perfpair, tmp_path):
    """shown(WORDS, STDIN): exit code, and all that the command printed and
    wrote.  The folder's own file is of a task called `older`."""
    (tmp_path / "perf.data").write_bytes(recording(b"older"))

    def run_with(words, stdin):
        env = dict(os.environ, HOME=str(tmp_path))
        done = subprocess.run([perfpair, *words], stdin=stdin, cwd=tmp_path,
                              env=env, capture_output=True, timeout=60)
        text = done.stdout + done.stderr
        for name in ("out.json", "out.data"):
            if (tmp_path / name).exists():
                text += (tmp_path / name).read_bytes()
        return done.returncode, text
    return run_with


@pytest.fixture
def piped(shown):
    """The same with bytes in a pipe on stdin."""
    def run_with(words, data):
        reading, writing = os.pipe()
        os.write(writing, data)
        os.close(writing)
        try:
            return shown(words, reading)
        finally:
            os.close(reading)
    return run_with


@pytest.mark.parametrize("name", ["report", "report -D", "report --tasks",
                                  "script", "data convert", "repair"])
def test_a_pipe_comes_before_the_file(piped, name):
    code, text = piped(COMMANDS[name], recording(b"piped"))
    assert (code, b"piped" in text, b"older" in text) == (0, True, False)


@pytest.mark.parametrize("name", COMMANDS)
def test_an_empty_pipe_is_told(piped, name):
    code, text = piped(COMMANDS[name], b"")
    assert code == 1 and b"older" not in text
    assert text.count(b"-i perf.data reads the file") == 1


@pytest.mark.parametrize("words", [
    ["report", "--stdio", "-s", "comm", "-i", "perf.data"],
    ["report", "--stdio", "-s", "comm", "perf.data"],
    ["script", "-i", "perf.data"]])
def test_a_named_file_comes_before_the_pipe(piped, words):
    code, text = piped(words, recording(b"piped"))
    assert (code, b"piped" in text, b"older" in text) == (0, False, True)


def test_a_word_beside_a_pipe_is_a_symbol(piped):
    code, text = piped(["report", "--stdio", "-s", "sym", "nowhere"],
                       recording(b"piped"))
    assert code == 1 and b"nowhere: No such file or directory, and no function" in text


def test_a_pipe_of_another_name_is_one(shown, tmp_path):
    os.mkfifo(tmp_path / "fifo")
    fd = os.open(tmp_path / "fifo", os.O_RDWR)
    reading = os.open(tmp_path / "fifo", os.O_RDONLY)
    os.write(fd, recording(b"piped"))
    os.close(fd)
    code, text = shown(COMMANDS["script"], reading)
    os.close(reading)
    assert (code, b"piped" in text, b"older" in text) == (0, True, False)


@pytest.mark.parametrize("kind", ["null", "file", "socket", "terminal",
                                  "closed"])
def test_what_is_no_pipe_is_left_alone(shown, perfpair, tmp_path, kind):
    if kind == "closed":
        done = subprocess.run(
            ["sh", "-c", '"$0" script <&-', perfpair], cwd=tmp_path,
            capture_output=True, timeout=60)
        assert done.returncode == 0 and b"older" in done.stdout
        return
    (tmp_path / "other.data").write_bytes(recording(b"piped"))
    ours, theirs = socket.socketpair()
    ends = open_terminal() if kind == "terminal" else (None, None)
    stdin = {"null": subprocess.DEVNULL, "socket": ours, "terminal": ends[1],
             "file": (tmp_path / "other.data").open("rb")}[kind]
    theirs.sendall(recording(b"piped"))
    code, text = shown(COMMANDS["script"], stdin)
    for fd in filter(None, ends):
        os.close(fd)
    assert (code, b"piped" in text, b"older" in text) == (0, False, True)


def test_diff_reads_no_pipe(piped):
    """As perf diff: perf.data.old and perf.data."""
    code, text = piped(["diff"], recording(b"piped"))
    assert code == 1 and b"perf.data.old" in text
