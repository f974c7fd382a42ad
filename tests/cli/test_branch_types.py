"""What report says of types of branches, below its tables: the text of perf
6.1 for these files."""

import pytest

from made_file import ATTR, File, make

BRANCHES, TYPE_SAVE, ANY = 1 << 11, 1 << 16, 1 << 3


def recorded(branches, kind=ANY | TYPE_SAVE, big_endian=False):
    """A sample for each of branches: from, to, type[, type behind 15]."""
    attr = make.attr_of(sample_type=ATTR["sample_type"] | BRANCHES,
                        branch_sample_type=kind)
    file = File(big_endian, attrs=[attr])
    file.ids = [[101]]
    file.features[15] = b""
    e = file.e
    for nr, (start, end, *types) in enumerate(branches):
        types += [0] * (2 - len(types))
        file.records.append(e.record(9, 2, (
            e.words(0x401234) + e.pack("II", 5, 6) + e.words(100 + nr, 101)
            + e.pack("II", 1, 0) + e.words(1, start, end) + e.branch_flags(
                ((20, 2), (4, types[0]), (2, 0), (4, types[1]), (3, 0))))))
    return file


@pytest.fixture
def statistics(run, perfpair, tmp_path):
    def show(file, *options):
        path = tmp_path / "branches.data"
        path.write_bytes(file.bytes())
        done = run([perfpair, "report", "-q", *options, "-i", path])
        assert (done.returncode, done.stderr) == (0, "")
        _, title, text = done.stdout.partition("\n#\n# Branch Statistics:\n#\n")
        return [tuple(line.split()) for line in text.splitlines()] \
            if title else None
    return show


@pytest.mark.parametrize("big_endian", [False, True])
def test_types_and_distances(statistics, big_endian):
    file = recorded([
        (0x1000, 0x1010, 1), (0x1010, 0x1000, 1), (0x1000, 0x2000, 1),
        (0x1ffff0, 0x200000, 4), (0x3000, 0x3010, 14)], big_endian=big_endian)
    assert statistics(file) == [
        ("COND_FWD:", "40.0%"), ("COND_BWD:", "20.0%"), ("CROSS_4K:", "20.0%"),
        ("CROSS_2M:", "20.0%"), ("COND:", "60.0%"), ("CALL:", "20.0%"),
        ("NO_TX:", "20.0%")]
    assert statistics(file, "-s", "comm")[0] == ("COND_FWD:", "100.0%")


def test_newer_types_are_no_part_of_the_whole(statistics):
    file = recorded([(0x1000, 0x1010, 15, 0), (0x1100, 0x1110, 15, 7),
                     (0x1200, 0x1210, 15, 9), (0x1300, 0x1310, 3),
                     (0x1400, 0x1410, 0), (0, 0x1510, 3)])
    assert statistics(file) == [("IND:", "100.0%"), ("FAULT_ALGN:", "100.0%"),
                                ("ARCH_5:", "100.0%")]


def test_a_row_is_of_the_type_of_its_first_branch(statistics):
    both = [(0x1000, 0x1010, 2), (0x1000, 0x1010, 3)]
    assert statistics(recorded(both)) == [("UNCOND:", "100.0%")]
    assert statistics(recorded(both[::-1])) == [("IND:", "100.0%")]


def test_nothing_is_said_of_types_that_were_not_saved(statistics):
    branches = [(0x1000, 0x1010, 0)]
    assert statistics(recorded(branches)) is None
    assert statistics(recorded(branches, kind=ANY)) is None
    file = recorded([(0x1000, 0x1010, 3)])
    assert statistics(file) == [("IND:", "100.0%")]
    assert statistics(file, "--no-branch-stack") is None
