"""A file that is cut while it is read ends no command: what is gone reads as
zeros, stderr names the file, the exit code is 3."""

import os
import pathlib
import subprocess

import pytest

from common import until
from made_file import ATTR, File

ROUND_NR, NR = 1000, 100
CUT = "was cut while it was read"


def rounds(nr):
    """nr rounds of samples, a nanosecond after each other."""
    f = File()
    for i in range(nr):
        for j in range(ROUND_NR):
            f.sample(i * ROUND_NR + j + 1)
        f.add(68, b"")
    return f


@pytest.fixture(scope="module")
def long():
    """A recording of NR rounds, and where the second one begins."""
    f = rounds(NR)
    return f.bytes(), f.off(ROUND_NR + 1)


def is_mapped(process, path):
    return str(path) in pathlib.Path(f"/proc/{process.pid}/maps").read_text()


def test_report_of_two_files(perfpair, tmp_path):
    """The first is cut while the second, a pipe, has not come yet."""
    path = tmp_path / "cut.data"
    f = rounds(10)
    path.write_bytes(f.bytes())
    other = File().some()
    pipe = other.e.pipe_file([(ATTR, (7,))], b"".join(
        other.e.sample(ATTR, other.ident(t, 7)) for t in range(1, 6)))
    process = subprocess.Popen(
        [perfpair, "report", "-s", "host", "-i", path, "-i", "-"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    until(lambda: is_mapped(process, path), process)
    os.truncate(path, f.off(3 * (ROUND_NR + 1)))
    out, err = (text.decode() for text in process.communicate(pipe, 60))
    assert process.returncode == 3, err
    assert f"perfpair: {path}: {CUT}" in err
    assert "# Samples: 3K of event" in out


def start_script(perfpair, path):
    """A script that shows times and waits for its reader; its first line."""
    process = subprocess.Popen(
        [perfpair, "script", "-F", "time", "--ns", "-i", path],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)
    return process, process.stdout.readline()


def test_script_that_waits_for_its_reader(perfpair, long, tmp_path):
    """It has shown a few lines when the file is cut."""
    path = tmp_path / "cut.data"
    data, second_off = long
    path.write_bytes(data)
    process, first = start_script(perfpair, path)
    os.truncate(path, second_off)
    out, err = process.communicate(timeout=60)
    times = [int(line.strip().rstrip(b":").split(b".")[1])
             for line in (first + out).splitlines()]
    assert process.returncode == 3, err
    assert f"perfpair: {path}: {CUT}".encode() in err
    # those that were on their way to a thread are zeros now
    times = [time for time in times if time]
    assert times == list(range(1, len(times) + 1))
    assert 1 <= len(times) < NR * ROUND_NR


def test_a_file_that_is_longer_meanwhile_is_whole(perfpair, long, tmp_path):
    path = tmp_path / "grows.data"
    path.write_bytes(long[0])
    process, first = start_script(perfpair, path)
    with open(path, "ab") as file:
        file.write(bytes(4096))
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert err == b""
    assert len((first + out).splitlines()) == NR * ROUND_NR
