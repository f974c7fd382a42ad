"""Samples that have no time, beside others that have one."""

import pytest

from made_file import BITS, File, make

TIME = 1 << 2
TIMED = make.attr_of(sample_type=BITS & ~(1 << 6) | 1 << 16)
TIMELESS = make.attr_of(sample_type=BITS & ~(1 << 6) & ~TIME | 1 << 16)


@pytest.fixture
def recording(tmp_path):
    file = File(attrs=(TIMED, TIMELESS))
    for time, ident in ((2, 101), (4, 101), (6, 101), (0, 102), (0, 102)):
        attr = TIMED if ident == 101 else TIMELESS
        file.records.append(file.e.sample(
            attr, file.ident(time * 10**9, ident)))
    path = tmp_path / "times.data"
    path.write_bytes(file.bytes())
    return path


@pytest.mark.parametrize("times, numbers", [
    ("2,3", [1]), ("4,", [2, 2]), (",9", [3]), ("7,8", []),
])
def test_no_time_is_later_than_all(run, perfpair, recording, times, numbers):
    """As in perf: they pass an open end only."""
    report = run([perfpair, "report", "--stdio", "--time", times, "-F", "sample",
                  "-s", "pid", "-i", recording])
    script = run([perfpair, "script", "--time", times, "-i", recording])
    assert [int(row.split()[0]) for row in report.stdout.splitlines()
            if row[:1] == " "] == numbers
    assert len(script.stdout.splitlines()) == sum(numbers)
