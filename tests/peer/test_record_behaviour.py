"""perfpair-record ends as perf record does: by what, and with which status."""

import os
import signal
import subprocess

import pytest

from common import RECORD, until


@pytest.fixture
def recorders(perf, perfpair_record):
    # -B -N: perf 6.1 now and then ends in an assertion of its build-id cache
    return {"perf": [perf, *RECORD, "-B", "-N"], "ours": [perfpair_record]}


def statuses(recorders, run, *args):
    """The exit status of both for the same options."""
    return {name: run([*program, "-q", "-e", "cpu-clock", "-o",
                       f"{name}.data", *args], stdout=None).returncode
            for name, program in recorders.items()}


@pytest.mark.parametrize("script", ["exit 0", "exit 3", "kill -TERM $$",
                                    "kill -KILL $$", "kill -SEGV $$"])
def test_status_of_the_command(recorders, run, may_record, script):
    found = statuses(recorders, run, "sh", "-c", script)
    assert found["ours"] == found["perf"]


def test_status_beside_an_attached_process(recorders, run, may_record):
    found = statuses(recorders, run, "-p", os.getpid(), "--", "sh", "-c",
                     "exit 5")
    assert found == {"perf": 5, "ours": 5}


@pytest.mark.parametrize("args", [["/nonexistent"], ["."],
                                  ["-p", "1,999999999", "true"]])
def test_what_cannot_be_recorded_fails_in_both(recorders, run, may_record,
                                               args):
    found = statuses(recorders, run, *args)
    assert found["perf"] and found["ours"] == 255


def signalled(program, number, tmp_path, command):
    """The status after a signal to the recorder alone, while command runs."""
    ready = tmp_path / "ready"
    ready.unlink(missing_ok=True)
    recorder = subprocess.Popen(
        [*program, "-q", "-e", "cpu-clock", "-o", "t.data", "sh", "-c",
         command], cwd=tmp_path, stderr=subprocess.DEVNULL)
    until(ready.exists, recorder)
    recorder.send_signal(number)
    return recorder.wait(30)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_to_the_recorder(recorders, may_record, tmp_path, number):
    command = "touch ready; exec sleep 60"
    found = {name: signalled(program, number, tmp_path, command)
             for name, program in recorders.items()}
    assert found["ours"] == found["perf"] == -signal.SIGTERM


@pytest.mark.parametrize("number", [signal.SIGUSR1, signal.SIGUSR2])
def test_signal_that_does_not_end_it(recorders, may_record, tmp_path, number):
    command = "touch ready; sleep 0.3; exit 4"
    found = {name: signalled(program, number, tmp_path, command)
             for name, program in recorders.items()}
    assert found["ours"] == found["perf"] == 4
