"""Columns of report that perf does not have, or has otherwise."""

import re
import subprocess

import pytest

from common import ROOT
from made_file import ATTR, File, make


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


def test_a_blank_stands_before_a_number_of_any_length(run, perfpair, tmp_path):
    """Three periods whose sum passes 2^64 and is 104 then."""
    attr = dict(ATTR, sample_period=(2**64 + 104) // 3)
    file = File(attrs=(make.Attr(attr),))
    file.ids = [[101]]
    for cpu in (1, 2, 3):
        file.sample(100, cpu=cpu)
    (tmp_path / "huge.data").write_bytes(file.bytes())
    done = run([perfpair, "report", "--stdio", "-s", "cpu", "-F",
                "overhead,sample,period,cpu", "-i", "huge.data"])
    rows = [row for row in done.stdout.splitlines() if row[:1] == " "]
    assert sorted(rows) == [
        f"   5912417972342804480.00%             1   6148914691236517240  {cpu}"
        for cpu in ("001", "002", "003")]
