"""perf prints the golden texts of generated files too: they are its own."""

import subprocess
import sys

import pytest

from golden import CASES, GEN, GOLDEN, OURS, command, timeless


@pytest.fixture(scope="session")
def generated(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shown")
    subprocess.run([sys.executable, "-B", GEN, folder], check=True)
    return folder / "shown"


# nothing of it depends on the day: the texts are what perf is known to print
@pytest.mark.slow
@pytest.mark.parametrize("fixture, text", CASES)
def test_perf_prints_the_golden_text(fixture, text, generated, perf, run):
    done = run([perf, *command(fixture, text, "le")], cwd=generated,
               stdin=subprocess.DEVNULL)
    golden = (GOLDEN / f"{fixture}.{text}.txt").read_text()
    if (fixture, text) in OURS:
        assert timeless(done.stdout) != golden, "equal now: no longer ours"
        pytest.skip(OURS[fixture, text])
    assert done.returncode == 0, done.stderr
    assert timeless(done.stdout) == golden
