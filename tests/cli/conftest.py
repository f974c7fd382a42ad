"""Makes tests/common.py importable by its plain name; what tests of the command
line share."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from common import ROOT  # noqa: E402


@pytest.fixture
def without_race(run):
    """without_race("report/perfpair", WORD...): runs it under ThreadSanitizer.

    Needs the preset tsan: cmake --preset tsan && cmake --build --preset tsan"""
    def check(program, *words):
        path = ROOT / "build/tsan" / program
        if not path.exists():
            pytest.skip("the preset tsan is not built")
        done = run(["env", "TSAN_OPTIONS=exitcode=66", path, *words])
        assert "WARNING: ThreadSanitizer" not in done.stderr
        assert done.returncode == 0
        return done
    return check
