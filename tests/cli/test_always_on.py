"""The script that measures what a recorder costs that is always on."""

import os
import re
import subprocess
import sys

import pytest

from common import ROOT, build_dir


@pytest.mark.slow
def test_a_minute_is_measured(may_record, perfpair_record, alone):
    """No figure is judged here; bench/README.md says how the whole table is made."""
    alone()
    done = subprocess.run(
        [sys.executable, ROOT / "tests/bench/always_on.py", "--runs", "1", "--minutes",
         "1", "--no-perf", "--build", f"same={perfpair_record}", "forks@99"],
        env=dict(os.environ, PERFPAIR_BUILD=str(build_dir())), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout
    assert re.search(r"forks: \d+ a second", done.stdout)
    rows = re.findall(r"^\| forks, 99 Hz \| (\w+) \| (.*) \|$", done.stdout, re.M)
    assert [name for name, _ in rows] == ["same", "ours"]
    for _, cells in rows:
        figures = [float(cell.split()[0]) for cell in cells.split(" | ")]
        assert len(figures) == 9
        assert all(figure > 0 for figure in figures[:2] + figures[4:7])
        assert figures[-1] == 0
