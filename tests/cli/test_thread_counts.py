"""report -T: what each thread counted, by the READ records at its end.  The
table is perf 6.1's; so is --pretty raw, but that its lines end."""

import re

import pytest

from made_file import ATTR, File, make

VALUE = make.attr_of(sample_type=ATTR["sample_type"])
TIMES = make.attr_of(sample_type=ATTR["sample_type"], read_format=1 | 2 | 4,
                     config=2)
TABLE = """\
#  PID  TID  page-faults:HG  cpu-clock:HG
  1000    7              10           300
     5    6              50             0
"""


def read_of(file, pid, tid, *values):
    return file.e.pack("II", pid, tid) + file.e.words(*values)


@pytest.fixture
def shown(run, perfpair, tmp_path):
    """shown(file, WORD...): what stands behind the tip, stderr, exit code."""
    def show(file, *more):
        path = tmp_path / "made.data"
        path.write_bytes(file.bytes())
        done = run([perfpair, "report", "-T", "-i", path, *more])
        return (re.split(r"# \(Tip: .*\)\n#\n", done.stdout)[-1], done.stderr,
                done.returncode)
    return show


def made(big_endian=False):
    """The first counts in time are the last in the file; those of two CPUs are
    added up, and thread 6 has none of the clock."""
    file = File(big_endian, (VALUE, TIMES))
    file.sample(100)
    file.add(8, read_of(file, 5, 6, 50, 9, 9, 102), 130, ident=102)
    file.add(8, read_of(file, 1000, 7, 200), 128)
    file.add(8, read_of(file, 1000, 7, 100), 129)
    file.add(8, read_of(file, 1000, 7, 10, 9, 9, 102), 120, ident=102)
    return file


@pytest.mark.parametrize("big_endian", [False, True])
def test_thread_counts__are_added_up(shown, big_endian):
    assert shown(made(big_endian)) == (TABLE, "", 0)


def test_thread_counts__a_line_for_each(shown):
    assert shown(made(), "--pretty", "raw") == ("""\
#  PID  TID            Name  Raw  Count
  1000    7  page-faults:HG    1     10
  1000    7    cpu-clock:HG    0    300
     5    6  page-faults:HG    1     50
     5    6    cpu-clock:HG    0      0
""", "", 0)
    assert shown(made(), "--pretty", "normal")[0] == TABLE


def test_thread_counts__where_there_are_none(shown):
    file = File()
    file.sample(100)
    assert shown(file) == ("# PID  TID\n", "", 0)


def test_thread_counts__of_damaged_records(shown):
    """What cannot be read is told of, and the others count."""
    file = made()
    file.add(8, file.e.pack("II", 5, 6), 140)
    text, told, code = shown(file)
    assert (text, code) == (TABLE, 3)
    assert "a record of counts ends too early" in told


def test_thread_counts__as_many_as_the_file_may_ask_for(tmp_path, run, perfpair):
    """3000 threads and 2500 events counted in as many records each: 7.5 million
    places in a file of 0.6 MiB."""
    file = File(False, [VALUE] * 2500)
    file.ids = [[1000 + i] for i in range(2500)]
    file.sample(100, 1000)
    for i in range(3000):
        file.add(8, read_of(file, 5, i, 1), 200, ident=1000 + i % 2500)
    path, out = tmp_path / "made.data", tmp_path / "out.txt"
    path.write_bytes(file.bytes())
    with out.open("wb") as text:
        done = run([perfpair, "report", "--stdio", "-T", "-i", path],
                   stdout=text)
    assert done.returncode == 3
    assert "the table of threads is longer than the limit" in done.stderr
    assert 40 << 20 < out.stat().st_size < 64 << 20


@pytest.mark.parametrize("name", ["json", "csv", "folded"])
def test_thread_counts__have_no_other_form(shown, name):
    text, told, code = shown(made(), "--format", name)
    assert (text, code) == ("", 2)
    assert f"option --threads does not go with --format {name}" in told
