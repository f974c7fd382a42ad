"""What a recorder leaves that is killed, and two recorders with one -o."""

import ctypes
import os
import platform
import signal
import struct
import subprocess

import pytest

from common import until, until_said

CLOCK = ["-a", "-e", "cpu-clock", "-F", "99", "-g", "-o", "t.data"]
SLICES = [*CLOCK, "--switch-output=600s"]


@pytest.fixture
def start(perfpair_record, may_record, tmp_path):
    """start(ARG...): a recorder that has begun."""
    started = []

    def begin(*args, **kw):
        one = subprocess.Popen([perfpair_record, *args], cwd=tmp_path, text=True,
                               stderr=subprocess.PIPE, **kw)
        started.append(one)
        one.first = until_said(one)
        return one

    yield begin
    for one in started:
        one.kill()
        one.communicate()


def stop(recorder):
    """End it; return what it said."""
    recorder.send_signal(signal.SIGINT)
    said = recorder.communicate(timeout=60)[1]
    assert recorder.returncode == -signal.SIGINT, said
    return said


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def deny_locks():
    """Answer ENOLCK to fcntl(F_OFD_SETLK), as NFS without a lock daemon does."""
    nr, = {"x86_64": [72], "aarch64": [25]}[platform.machine()]
    code = [(0x20, 0, 0, 0), (0x15, 0, 3, nr), (0x20, 0, 0, 24), (0x15, 0, 1, 37),
            (0x06, 0, 0, 0x00050000 | 37), (0x06, 0, 0, 0x7fff0000)]
    text = ctypes.create_string_buffer(
        b"".join(struct.pack("HBBI", *line) for line in code))
    program = struct.pack("HxxxxxxQ", len(code), ctypes.addressof(text))
    libc = ctypes.CDLL(None)
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, program, 0, 0):
        os._exit(1)


@pytest.mark.parametrize("options", [SLICES, CLOCK])
def test_a_second_recorder_of_a_file_is_refused(run, perfpair_record, start,
                                                tmp_path, options):
    """It said nothing, and the first one died when it renamed its file; also of a
    first one that is stopped, and of one without --switch-output."""
    first = start(*options)
    for number in (signal.SIGSTOP, signal.SIGCONT):
        first.send_signal(number)
        done = run([perfpair_record, *SLICES, "true"])
        assert done.returncode == 255
        assert done.stderr == \
            "perfpair-record: t.data: another recorder writes it\n"
    assert names(tmp_path) == ["t.data"]
    stop(first)
    name, = names(tmp_path)
    assert run([perfpair_record, *CLOCK, "true"]).returncode == 0


def test_an_empty_file_of_another_recorder_stays(run, perfpair_record, start,
                                                 tmp_path):
    first = start(*CLOCK)
    os.truncate(tmp_path / "t.data", 0)
    assert run([perfpair_record, *CLOCK, "true"]).returncode == 255
    assert (tmp_path / "t.data").stat().st_ino == \
        os.stat(f"/proc/{first.pid}/cwd/t.data").st_ino


def test_options_are_tried_beside_the_recorder(run, perfpair_record, start):
    start(*SLICES)
    assert run([perfpair_record, *SLICES, "--dry-run"]).returncode == 0


def test_without_locks_it_records_and_says_so(start, tmp_path):
    if platform.machine() not in ("x86_64", "aarch64"):
        pytest.skip("the number of fcntl(2) is not known here")
    first = start(*SLICES, preexec_fn=deny_locks)
    assert first.first == "[ perfpair-record: t.data is not locked against other " \
        "recorders: No locks available ]\n" or "recording, " in first.first
    stop(first)
    name, = names(tmp_path)
