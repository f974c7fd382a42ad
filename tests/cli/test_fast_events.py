"""Tracepoints that come very often: --tracepoint-rate."""

import re
import sys

import pytest

RATE = 10000
FAST, RARE = 120000, 50
# Calls for some seconds, then none for long enough that each is recorded again.
CALLS = f"""
import os, time
for i in range({FAST}):
    os.getppid()
    if i % 400 == 0:
        time.sleep(0.01)
time.sleep(2.5)
for i in range({RARE}):
    os.getppid()
"""


@pytest.fixture
def recorded(run, perfpair_record, may_trace):
    def do(*options):
        done = run([perfpair_record, "-o", "t.data", "-B", "--carry", "none", *options,
                    "--", sys.executable, "-c", CALLS])
        assert done.returncode == 0, done.stderr
        return done.stderr

    return do


def periods(run, perf):
    text = run([perf, "script", "-F", "period", "-i", "t.data"]).stdout
    return [int(word) for word in text.split()]


@pytest.mark.slow
def test_bursts_under_a_budget_add_up(recorded, run, perf):
    """They did not at 100 samples a second: the kernel's periods were millions."""
    recorded("-e", "syscalls:sys_enter_getppid", "--cpu-limit", "0.1")
    found = periods(run, perf)
    assert len(found) < 0.95 * FAST
    assert abs(sum(found) - FAST - RARE) < 0.1 * FAST


def test_a_fast_tracepoint_gets_a_period(recorded, run, perf):
    said = recorded("-e", "syscalls:sys_enter_getppid", "--tracepoint-rate", str(RATE))
    assert re.findall(r"(\S+) comes \d+ times a second", said) == \
        ["syscalls:sys_enter_getppid"]
    found = periods(run, perf)
    assert max(found) > 1
    assert len(found) < 0.95 * FAST
    # The kernel's periods follow bursts of 0.1 ms: up to 4 % of all calls each.
    assert abs(sum(found) - FAST - RARE) < 0.1 * FAST
    assert found[-RARE:] == [1] * RARE
