"""Where things are, for conftest.py and for tests that need it by name.

Not in conftest.py: each folder has one, and `import conftest` finds any."""

import os
import pathlib
import signal
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORPUS = ROOT.parent / "shared" / "corpus"
# perf's recorder looks for BPF programs once a second, and ends when it has
# looked.
RECORD = ["record", "--no-bpf-event"]
# An ordinary user whose recorders share what one user may lock
# (kernel.perf_event_mlock_kb) with none of another run.
ORDINARY = 30000 + os.getpid() % 30000


def build_dir():
    """The build under test: PERFPAIR_BUILD, or the dev preset's."""
    return pathlib.Path(os.environ.get("PERFPAIR_BUILD", ROOT / "build" / "dev"))


def program(folder, name):
    path = build_dir() / folder / name
    if not path.exists():
        pytest.fail(f"{path} is not built")
    return str(path)


def until(condition, process=None, deadline_s=60):
    """Wait until condition() is true, and return what it gave.  The test fails
    after the deadline, or as soon as the process has ended without it."""
    end = time.monotonic() + deadline_s
    while not (found := condition()):
        if process and process.poll() is not None and not condition():
            pytest.fail("it ended meanwhile")
        if time.monotonic() > end:
            pytest.fail(f"nothing happened in {deadline_s} s")
        time.sleep(0.005)
    return found


def until_said(process, words="recording, "):
    """Wait for a line with the words in its stderr, a pipe of text, and return
    it; a recorder says "recording, " once it has begun."""
    for line in iter(process.stderr.readline, ""):
        if words in line:
            return line
    pytest.fail(f"it ended before it said '{words}'")


def end(recorder, number=signal.SIGINT):
    """End a recorder by the signal, once its file is whole; return what it said."""
    recorder.send_signal(number)
    said = recorder.communicate(timeout=60)[1]
    assert recorder.returncode == -number, said
    return said
