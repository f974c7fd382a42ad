"""Real recordings by several threads under ThreadSanitizer."""

import pytest

pytestmark = pytest.mark.builds


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
    ["--threads=2", "--max-samples=50000", "-m", "16"],
    ["--threads=2", "--call-graph", "dwarf", "--spill-size", "1M"],
], ids=" ".join)
def test_no_race(without_race, options, may_trace, workload):
    without_race("record/perfpair-record", "-a", *options, "-e",
                 "syscalls:sys_enter_getppid", "-o", "t.data", "--",
                 workload("getppid"), "200000")
