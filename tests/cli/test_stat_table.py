"""What perf stat record wrote, as script shows it: a table of all counts for
each round.  The lines are those that perf 6.1 prints of these files."""

import pytest

from made_file import ATTR, File
from perf_data import Attr

TITLE = "CPU   THREAD             VAL             ENA             RUN" \
    "            TIME EVENT\n"
EVENTS = ("cpu-clock:HG", "task-clock:HG")
NONE, GLOBAL, SOCKET, THREAD, UNSET, NODE, LATER = 0, 1, 2, 5, 6, 7, 8


class Counted(File):
    def __init__(self, big_endian=False):
        super().__init__(big_endian, [Attr(ATTR, config=i) for i in (0, 1)])

    def cpus(self, *cpus):
        return self.e.pack(f"HH{len(cpus)}H", 0, len(cpus), *cpus)

    def maps(self, tids, cpus):
        self.add(73, self.e.words(len(tids)) + b"".join(
            self.e.words(tid) + bytes(16) for tid in tids))
        self.add(74, self.cpus(*cpus))

    def config(self, aggr_mode, is_scaled):
        self.add(75, self.e.words(3, 0, aggr_mode, 1, 1000, 2, is_scaled))

    def count(self, ident, cpu, thread, value, enabled=90, running=80):
        self.add(76, self.e.pack("QIIQQQ", ident, cpu, thread, value, enabled,
                                 running))

    def round(self, time):
        self.add(77, self.e.words(1, time))


def line(cpu, tid, value, time, event):
    times = (90, 80) if value else (0, 0)
    return f"{cpu:3} {tid:8} {value:15} {times[0]:15} {times[1]:15}" \
        f" {time:15} {EVENTS[event]}\n"


def shown(run, perfpair, tmp_path, file, *options):
    path = tmp_path / "stat.data"
    path.write_bytes(file.bytes())
    return run([perfpair, "script", *options, "-i", path])


def test_every_round_shows_all_cells(run, perfpair, tmp_path):
    """Those without a count as 0, those of rounds before as they were."""
    for big_endian in (False, True):
        file = Counted(big_endian)
        file.config(GLOBAL, 1)
        file.maps((100, 200), (0, 3))
        file.count(101, 3, 1, 7)
        file.round(1000)
        file.count(102, 0, 0, 8)
        file.round(2000)
        done = shown(run, perfpair, tmp_path, file)
        cells = [(event, tid, cpu) for event in (0, 1) for tid in (100, 200)
                 for cpu in (0, 3)]
        assert done.stdout == TITLE + "".join(
            line(cpu, tid, values.get((event, tid, cpu), 0), time, event)
            for time, values in ((1000, {(0, 200, 3): 7}),
                                 (2000, {(0, 200, 3): 7, (1, 100, 0): 8}))
            for event, tid, cpu in cells)
        assert (done.returncode, done.stderr) == (0, "")
        only = shown(run, perfpair, tmp_path, file, "--cpu", "3")
        assert only.stdout == "".join(
            text for text in done.stdout.splitlines(True)
            if text.startswith(("CPU", "  3")))


def numbers(done):
    """VAL, ENA, RUN of the first event's first cell in each round."""
    return [tuple(map(int, text.split()[2:5]))
            for text in done.stdout.splitlines() if EVENTS[0] in text]


@pytest.mark.parametrize("aggr_mode", [NONE, SOCKET, THREAD, NODE])
def test_counts_are_of_a_round_and_scaled(run, perfpair, tmp_path, aggr_mode):
    """What a round without a record has for its count is what was shown."""
    file = Counted()
    file.config(aggr_mode, 1)
    file.maps((100,), (0,))
    file.count(101, 0, 0, 800, 90, 45)
    file.round(1)
    file.count(101, 0, 0, 1000, 190, 145)
    file.round(2)
    file.count(101, 0, 0, 1000, 290, 145)
    file.round(3)
    file.round(4)
    done = shown(run, perfpair, tmp_path, file)
    assert numbers(done) == [(1600, 90, 45), (200, 100, 100), (0, 100, 0),
                             (2**64 - 1000, 2**64 - 190, 2**64 - 145)]
    assert done.returncode == 0


def test_counts_without_a_config_are_of_a_round(run, perfpair, tmp_path):
    file = Counted()
    file.maps((100,), (0,))
    for nr in range(1, 4):
        file.count(101, 0, 0, 7 * nr * nr)
        file.round(nr)
    assert numbers(shown(run, perfpair, tmp_path, file)) == [
        (7, 90, 80), (21, 0, 0), (35, 0, 0)]


@pytest.mark.parametrize("aggr_mode", [GLOBAL, UNSET, LATER])
def test_counts_of_all_cpus_together_are_as_recorded(run, perfpair, tmp_path,
                                                     aggr_mode):
    file = Counted()
    file.config(aggr_mode, 1)
    file.maps((100,), (0,))
    for nr in (1, 2):
        file.count(101, 0, 0, 7)
        file.round(nr)
    assert numbers(shown(run, perfpair, tmp_path, file)) == [(7, 90, 80)] * 2


def test_an_event_has_cpus_of_its_own(run, perfpair, tmp_path):
    """Those of an uncore unit, told before the map of all; any CPU is -1."""
    file = Counted()
    file.add(78, file.e.words(3, 102) + file.cpus(5))
    file.maps((100,), (65535,))
    file.count(101, 2**32 - 1, 0, 6)
    file.count(102, 5, 0, 7)
    file.round(3)
    assert shown(run, perfpair, tmp_path, file).stdout == TITLE + \
        line(-1, 100, 6, 3, 0) + line(5, 100, 7, 3, 1)


def test_counts_of_what_is_not_listed_are_told(run, perfpair, tmp_path):
    file = Counted()
    file.count(101, 0, 0, 5)  # before there are maps
    file.maps((100,), (0,))
    for ident, cpu, thread in ((999, 0, 0), (101, 1, 0), (101, 0, 1)):
        file.count(ident, cpu, thread, 5)
    file.count(101, 0, 0, 6)
    file.round(3)
    done = shown(run, perfpair, tmp_path, file)
    assert done.returncode == 3
    assert done.stdout == TITLE + line(0, 100, 6, 3, 0) + line(0, 100, 0, 3, 1)
    assert "4 counts of events, CPUs or threads that the file does not" \
        in done.stderr


def test_a_small_file_makes_no_endless_table(run, perfpair, tmp_path):
    """2000 rounds of 6000 cells out of 60 KiB."""
    file = Counted()
    file.maps(range(30), range(100))
    for _ in range(2000):
        file.round(3)
    done = shown(run, perfpair, tmp_path, file)
    assert done.returncode == 3 and "not all lines of counts" in done.stderr
    # What CPUs, threads and cells leave; a round takes its cells and its lines.
    left = 65536 + len(file.bytes()) - 30 - 100 - 6000
    assert 0 < left % 12000 < 6000
    assert done.stdout.count("\n") == 1 + left // 12000 * 6000
    # Lines that --cpu leaves out take time, too.
    file.config(GLOBAL, 1)
    file.records.insert(0, file.records.pop())
    done = shown(run, perfpair, tmp_path, file, "--cpu", "100")
    assert (done.returncode, done.stdout) == (3, TITLE)
    file = Counted()
    file.maps(range(2500), range(32000))
    file.round(3)
    done = shown(run, perfpair, tmp_path, file)
    assert (done.returncode, done.stdout) == (3, "")
    assert "not all lines of counts" in done.stderr


def test_cpus_in_any_order(run, perfpair, tmp_path):
    """One that is there twice is counted at its first place."""
    file = Counted()
    file.maps((100,), (5, 2, 5, 0))
    for cpu in (0, 5, 2):
        file.count(101, cpu, 0, 10 + cpu)
    file.count(101, 3, 0, 7)
    file.round(3)
    done = shown(run, perfpair, tmp_path, file)
    assert done.returncode == 3 and "1 count of" in done.stderr
    assert done.stdout == TITLE + "".join(
        line(cpu, 100, value, 3, event) for event, values in (
            (0, (15, 12, 0, 10)), (1, (0, 0, 0, 0)))
        for cpu, value in zip((5, 2, 5, 0), values))
