"""Columns of report that perf does not have, or has otherwise."""

import re
import subprocess

import pytest

from common import ROOT


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """Samples with every field, out of the fixture generator."""
    folder = tmp_path_factory.mktemp("columns")
    subprocess.run(["/usr/bin/python3", ROOT / "fixtures/gen/make.py", folder],
                   check=True, stdout=subprocess.DEVNULL)
    return folder / "samples-le.data"


def test_tid_shows_threads_as_pid_does(run, perfpair, recording):
    by_pid, by_tid = (run([perfpair, "report", "--stdio", "-s", key, "-i",
                           recording]) for key in ("pid", "tid"))
    assert "    Tid:Command" in by_tid.stdout
    assert by_tid.stdout.replace("Tid:", "Pid:") == by_pid.stdout
    assert re.search(r"^ +\d+\.\d+% .* -?\d+:", by_tid.stdout, re.M)
