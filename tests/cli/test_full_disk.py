"""A full disk under --switch-output: the oldest files go, the recorder waits,
and comes back.  Each test has a small tmpfs of its own."""

import contextlib
import os
import pathlib
import re
import signal
import socket
import subprocess
import threading

import pytest

from common import until_said

NO_ROOM = "no space left on device: it is recorded in memory until there is room"


@pytest.fixture
def on_disk(perfpair_record, may_record, may_unshare, tmp_path):
    """on_disk(SIZE, OPTION...): the recorder of all CPUs in a folder of that
    size, which is yielded as seen from here; before: a command in it first."""
    if os.geteuid():
        pytest.skip("needs root, to mount")
    (tmp_path / "disk").mkdir()

    @contextlib.contextmanager
    def start(size, *options, before="true", env=None):
        recorder = subprocess.Popen(
            ["unshare", "-m", "sh", "-c",
             f"mount -t tmpfs -o size={size} none disk && cd disk || exit 77; "
             f'{before}; exec "$@"', "sh", perfpair_record, "-a", "-e",
             "cpu-clock", "-o", "t.data", *options],
            cwd=tmp_path, env=dict(os.environ, **(env or {})),
            stderr=subprocess.PIPE, text=True)
        folder = pathlib.Path(f"/proc/{recorder.pid}/root{tmp_path}/disk")
        limit = threading.Timer(120, recorder.kill)
        limit.start()
        try:
            yield recorder, folder
        finally:
            limit.cancel()
            recorder.kill()
            recorder.wait()
            recorder.stderr.close()
    return start


def fill(folder):
    with pytest.raises(OSError, match="No space left"):
        with open(folder / "filler", "wb", buffering=0) as filler:
            while True:
                filler.write(bytes(4096))


def end(recorder, folder, run, perfpair, tmp_path):
    """What it says until its end, and the finished files, each of them whole."""
    keeper = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    recorder.send_signal(signal.SIGINT)
    text = recorder.stderr.read()
    assert recorder.wait(60) == -signal.SIGINT, text
    names = sorted(name for name in os.listdir(keeper)
                   if name.startswith("t.data"))
    assert all(re.fullmatch(r"t\.data\.\d{16}", name) for name in names)
    for name in names:
        (tmp_path / name).write_bytes(
            pathlib.Path(f"/proc/self/fd/{keeper}/{name}").read_bytes())
        done = run([perfpair, "check", "-i", name])
        assert done.returncode == 0 and "; 0 events lost" in done.stdout
    os.close(keeper)
    return text, names


def test_full_disk_of_our_own_files_loses_the_oldest(on_disk, run, perfpair,
                                                     tmp_path):
    """Files of an hour end early, too: nothing else could go.  The disk has room
    for what a recorder that gets no CPU for seconds has in memory."""
    with on_disk("6m", "-z0", "-c", "200000", "-g", "--switch-output=1h",
                 "--max-files-size=2G") as (recorder, folder):
        for _ in range(2):
            until_said(recorder, "[ perfpair-record: Dump ")
        text, names = end(recorder, folder, run, perfpair, tmp_path)
    assert 1 <= len(names) <= 3
    assert "space" not in text


def test_full_disk_is_waited_for(on_disk, run, perfpair, tmp_path):
    with on_disk("8m", "-F", "99", "-g", "--switch-output=1s") as (recorder,
                                                                   folder):
        until_said(recorder)
        fill(folder)
        until_said(recorder, f"t.data: {NO_ROOM}")
        (folder / "filler").unlink()
        assert " s\n" in until_said(recorder, "t.data: there is room again, ")
        text, _ = end(recorder, folder, run, perfpair, tmp_path)
    assert NO_ROOM not in text


def test_full_disk_at_the_start_is_waited_for(on_disk, run, perfpair, tmp_path):
    """The service manager is told that it runs."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(60)
        with on_disk("1m", "-g", "--switch-output=1s",
                     before="head -c 2m /dev/zero > filler",
                     env={"NOTIFY_SOCKET": str(tmp_path / "notify")}
                     ) as (recorder, folder):
            until_said(recorder, NO_ROOM)
            assert manager.recv(4096) == (
                b"READY=1\nSTATUS=no space left on device: recording in memory "
                b"until there is room")
            (folder / "filler").unlink()
            until_said(recorder)
            _, names = end(recorder, folder, run, perfpair, tmp_path)
    assert names


def test_full_disk_that_one_file_has_filled(on_disk, run, perfpair, tmp_path):
    """It ends as after a kill and goes, so that the next one has its room."""
    with on_disk("4m", "-z0", "-c", "100000", "-g", "--switch-output=1h",
                 "--max-files=3") as (recorder, folder):
        until_said(recorder)
        while (folder / "t.data").stat().st_size < 1 << 20:
            assert recorder.poll() is None
        fill(folder)
        line = until_said(recorder, "t.data: ends early on a full disk: ")
        assert re.search(r": \d+ samples are lost$", line)
        until_said(recorder, "[ perfpair-record: Dump ")
        (folder / "filler").unlink()
        until_said(recorder, "[ perfpair-record: Dump ")
        end(recorder, folder, run, perfpair, tmp_path)


@pytest.mark.parametrize("option", [[], ["--switch-output"]], ids=str)
def test_full_disk_at_the_start_ends_it(on_disk, option):
    """At once, or if it is asked to end; no file is said to be readable."""
    with on_disk("1m", "-q", *option, before="head -c 2m /dev/zero > filler",
                 ) as (recorder, _):
        if option:
            until_said(recorder, NO_ROOM)
            recorder.terminate()
        text = recorder.stderr.read()
        assert recorder.wait(60) == 255
    assert text.endswith(
        "perfpair-record: t.data: writing: No space left on device\n"
        "perfpair-record: nothing was recorded; make room, or record elsewhere "
        "with -o\n")


def test_full_disk_at_the_end_leaves_what_is_whole(on_disk):
    with on_disk("8m", "-g", "--switch-output=1h") as (recorder, folder):
        until_said(recorder)
        fill(folder)
        until_said(recorder, NO_ROOM)
        recorder.terminate()
        text = recorder.stderr.read()
        assert recorder.wait(60) == 255
    assert re.search("perfpair-record: t.data: writing: No space left on device\n"
                     r"perfpair-record: \d+ bytes are whole and readable; ", text)
