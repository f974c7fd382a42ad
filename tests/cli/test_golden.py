"""What the commands print of generated files, in both orders of bytes, is the
text of fixtures/golden; --accept rewrites that.  tests/peer/test_golden_by_perf.py holds
the same texts against perf."""

import os
import subprocess
import sys

import pytest

from common import program
from golden import CASES, GEN, GOLDEN, command, timeless


@pytest.fixture(scope="session")
def generated(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shown")
    subprocess.run([sys.executable, "-B", GEN, folder], check=True)
    return folder / "shown"


@pytest.mark.parametrize("order", ["le", "be"])
@pytest.mark.parametrize("fixture, text", CASES)
def test_golden(fixture, text, order, generated, tmp_path, request):
    path = GOLDEN / f"{fixture}.{text}.txt"
    done = subprocess.run(
        [program("report", "perfpair"), *command(fixture, text, order)],
        cwd=generated, capture_output=True, text=True, stdin=subprocess.DEVNULL,
        env=dict(os.environ, HOME=str(tmp_path), TZ="UTC", LC_ALL="C"))
    # what data convert tells of its success
    assert not [line for line in done.stderr.splitlines()
                if not line.startswith("[ perfpair data convert: ")]
    assert done.returncode == 0
    if request.config.getoption("--accept") and order == "le":
        path.write_text(timeless(done.stdout))
    assert timeless(done.stdout) == path.read_text()


def test_no_golden_text_is_left_over():
    assert {path.name for path in GOLDEN.iterdir()} == \
        {f"{fixture}.{text}.txt" for fixture, text in CASES}
