"""Real recordings by several threads under ThreadSanitizer.

Needs the preset tsan: cmake --preset tsan && cmake --build --preset tsan"""

import pytest

from common import ROOT

RACE = 66


@pytest.fixture
def recorder():
    path = ROOT / "build/tsan/record/perfpair-record"
    if not path.exists():
        pytest.skip("the preset tsan is not built")
    return path


@pytest.mark.parametrize("options", [
    ["--threads=3", "-m", "16"],
    ["--threads=3", "-m", "16", "-z0"],
    ["--threads", "--spill-size", "2M", "-z9", "-m", "8", "--cpu-limit", "5"],
    ["--threads=2", "--affinity=cpu", "--spill-size", "1M", "-m", "4"],
    ["--threads=2", "--switch-output=1M", "-m", "16"],
    ["--threads=2", "--switch-output=1M", "-m", "16", "-z0"],
    ["--threads=2", "--switch-output=1M", "--tail-synthesize", "-m", "16",
     "-z0"],
    ["--threads=2", "--max-size=1M", "-m", "16"],
    ["--threads=2", "--call-graph", "dwarf", "--spill-size", "1M"],
], ids=" ".join)
def test_no_race(recorder, options, run, may_trace, workload):
    done = run(["env", f"TSAN_OPTIONS=exitcode={RACE}", recorder, "-a", *options,
                "-e", "syscalls:sys_enter_getppid", "-o", "t.data", "--",
                workload("getppid"), "200000"])
    assert "WARNING: ThreadSanitizer" not in done.stderr
    assert done.returncode == 0
