"""perfpair diff: what of two recordings is taken for the same, events and
rows, and what is counted of it."""

import json

import pytest

from made_file import BITS, File, make

BRANCHES, ANY, BRANCH_STACK = 1 << 11, 1 << 3, 15


@pytest.fixture
def diff(run, perfpair, tmp_path):
    """diff(OLD, NEW, *WORDS): two files of made_file compared."""
    def of(old, new, *words):
        for name, file in (("old", old), ("new", new)):
            (tmp_path / name).write_bytes(file.bytes())
        return run([perfpair, "diff", *words, tmp_path / "old",
                    tmp_path / "new"])
    return of


@pytest.fixture
def events_of(diff):
    """events_of(OLD, NEW, *WORDS): the same as JSON's list of events."""
    def of(*args):
        done = diff(*args, "--format", "json")
        assert (done.returncode, done.stderr) == (0, "")
        return json.loads(done.stdout)["events"]
    return of


def with_branches(samples):
    """As record -b: each sample has three branches."""
    attr = make.attr_of(sample_type=BITS | BRANCHES, branch_sample_type=ANY)
    file = File(attrs=[attr])
    file.ids = [[101]]
    file.features[BRANCH_STACK] = b""
    e = file.e
    for nr in range(samples):
        file.records.append(e.record(9, 2, (
            e.words(0x401234) + e.pack("II", 5, 6)
            + e.words(1000 + 100 * nr, 101) + e.pack("II", 1, 0) + e.words(3)
            + b"".join(e.words(0x1000 * at, 0x1010 * at, 0)
                       for at in range(1, 4)))))
    return file


def test_branches_are_no_samples(events_of):
    event, = events_of(with_branches(4), with_branches(6), "-s", "pid")
    row, = event["rows"]
    assert (row["baseline_samples"], row["new_samples"]) == (4, 6)
    assert (event["baseline_samples"], event["new_samples"]) == (4, 6)


def test_branches_are_compared_with_samples(events_of):
    """A recording with them against one without."""
    plain = File().some()
    for old, new in ((with_branches(3), plain), (plain, with_branches(3))):
        row, = events_of(old, new, "-s", "dso,symbol")[0]["rows"]
        assert (row["baseline_samples"], row["new_samples"]) == (3, 3)
