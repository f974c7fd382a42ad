"""report --mmaps of files whose tasks share their maps: forks have their
parents', threads their process's.  Past a limit what is shared is said once."""

import re
import subprocess

import pytest

from made_file import File

MAP_NR, TASK_NR = 2000, 2000
TEXT_MAX = 100 << 20


class Family(File):
    def map(self, pid, start, time):
        self.add(1, self.e.pack("II", pid, pid)
                 + self.e.words(start, 0x1000, 0) + b"/a\0\0\0\0\0\0", time, 2)

    def fork(self, pid, tid, ppid, time):
        self.add(7, self.e.pack("IIIIQ", pid, ppid, tid, ppid, time), time)

    def maps(self, nr=MAP_NR):
        for i in range(nr):
            self.map(5, 0x10000 + 0x2000 * i, 10 + i)
        return self


def star(made):
    """Processes, each with a map of its own."""
    for i in range(TASK_NR):
        made.fork(10000 + i, 10000 + i, 5, 5000 + i)
        made.map(10000 + i, 0x1000, 8000 + i)


def line(made):
    """Each is forked by the one before."""
    for i in range(TASK_NR):
        made.fork(10000 + i, 10000 + i, 9999 + i if i else 5, 5000 + i)


def threads(made):
    for i in range(TASK_NR):
        made.fork(5, 10000 + i, 5, 5000 + i)


@pytest.fixture
def listed(perfpair, tmp_path):
    """What --mmaps prints: its length, and all that is no map of the
    beginning."""
    def of(made):
        (tmp_path / "a.data").write_bytes(made.bytes())
        listing = subprocess.Popen([perfpair, "report", "--mmaps", "-i",
                                    tmp_path / "a.data"],
                                   stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        text, kept = 0, []
        for one in listing.stdout:
            text += len(one)
            if text > TEXT_MAX:
                listing.kill()
                break
            if not one.endswith(b" /a\n") or one.lstrip().startswith(b"1000-"):
                kept.append(one.decode())
        listing.stdout.close()
        listing.wait()
        return text, kept
    return of


@pytest.mark.parametrize("shape, told", [
    (star, "maps of PID 5 when it forked this, and:"),
    (line, r"maps of PID \d+ when it forked this"),
    (threads, "maps of PID 5")])
def test_shared_maps_are_bounded(listed, shape, told):
    made = Family().maps()
    shape(made)
    text, kept = listed(made)
    assert text <= TEXT_MAX
    tasks = [one for one in kept if re.match(r" +\d+ +\d+ +-?\d+ \|", one)]
    assert len(tasks) == TASK_NR + 2  # and swapper, and 5
    references = [one for one in kept if re.fullmatch(f" {{32}}{told}\n", one)]
    assert TASK_NR / 2 < len(references) < TASK_NR
    if shape is star:
        assert sum(" 1000-2000 " in one or one.lstrip().startswith("1000-2000")
                   for one in kept) == TASK_NR


def test_maps_of_few_are_listed_as_by_perf(listed):
    """A tenth of it: whole, whoever shares them."""
    made = Family().maps(200)
    star(made)
    text, kept = listed(made)
    assert not any("maps of PID" in one for one in kept)
    assert text > 200 * TASK_NR * 40
