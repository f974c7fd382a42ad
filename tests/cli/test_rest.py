"""While nothing comes, no thread of the recorder runs and no timer wakes one; what comes
after that is in the file soon."""

import contextlib
import pathlib
import signal
import subprocess
import time

import pytest

from common import until, until_said

pytestmark = pytest.mark.records


def switches(pid):
    """How often all threads have waited."""
    number = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):
            number += int((task / "status").read_text().partition(
                "\nvoluntary_ctxt_switches:")[2].split()[0])
    return number


def rests(pid):
    before = switches(pid)
    time.sleep(1.2)
    return switches(pid) == before


@pytest.fixture
def waiting():
    """A process that computes once it has a line."""
    with subprocess.Popen(["sh", "-c", "read line; while :; do :; done"],
                          stdin=subprocess.PIPE, text=True) as process:
        yield process
        process.kill()


@pytest.fixture
def recorder(perfpair_record, may_record, waiting, tmp_path):
    # so few bytes wake nobody by themselves for minutes
    with subprocess.Popen(
            [perfpair_record, "-e", "cpu-clock", "-F", "19", "-p",
             str(waiting.pid), "-o", "t.data"],
            cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        until_said(process)
        yield process
        process.kill()


def test_rest__until_a_sample_comes(recorder, waiting, run, perfpair, tmp_path):
    path = tmp_path / "t.data"
    until(lambda: rests(recorder.pid), recorder)
    length = path.stat().st_size
    waiting.stdin.write("\n")
    waiting.stdin.close()
    until(lambda: path.stat().st_size > length, recorder)
    waiting.send_signal(signal.SIGSTOP)
    until(lambda: rests(recorder.pid), recorder)
    recorder.kill()
    recorder.wait()
    done = run([perfpair, "script", "-F", "comm", "-i", "t.data"])
    assert "sh" in done.stdout.split()
