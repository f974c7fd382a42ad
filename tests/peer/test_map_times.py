"""Memory that a just-in-time compiler uses for one function after the other: its perf
map has no times, but the recorder sees it grow, and each sample has the name that its
address had then; on the host and elsewhere.  The program knows when it ran what."""

import os
import pathlib
import re

import pytest

pytestmark = pytest.mark.skipif(os.uname().machine != "x86_64",
                                reason="the workload makes code for x86-64")
ELSEWHERE = ["--symfs", ".", "--kallsyms", "/dev/null"]
NAMES = {"first", "second", "mover", "other", "third", "lost", "kept", "added"}


class Recorded:
    """A program that was recorded, and what the reader says of it."""

    def __init__(self, run, perfpair, ran):
        self.run = run
        self.perfpair = perfpair
        self.ran = [(int(line.split()[0]), line.split()[1])
                    for line in ran.splitlines()]
        pid = self.read("script", "-F", "pid").split()[0]
        self.map = pathlib.Path(f"/tmp/perf-{pid}.map")

    def read(self, *words, data="t.data"):
        done = self.run([self.perfpair, *words, "-i", data])
        assert done.returncode == 0, done.stderr
        return done.stdout

    def named(self, *more, data="t.data"):
        """The (time in ns, name) of each sample in the code."""
        text = self.read("script", "--ns", "-F", "time,ip,sym", *more, data=data)
        found = re.findall(r"^ *(\d+)\.(\d+): +[0-9a-f]+ (\S+)", text, re.M)
        return [(int(s + ns), name) for s, ns, name in found
                if name in NAMES or name == "never_run"]

    def truth(self, time):
        return [name for begin, name in self.ran if begin <= time][-1]

    def share(self, named):
        """The share of samples that have the name of what ran."""
        right = [name == self.truth(time) for time, name in named]
        assert len(right) > 100
        return sum(right) / len(right)


@pytest.fixture
def recorded(perfpair_record, may_record, perfpair, workload, run, tmp_path):
    (tmp_path / "empty").mkdir()
    maps = []

    def of(mode, seconds, *clock):
        done = run([perfpair_record, "-q", "-e", "cpu-clock:u", "-F", "999",
                    *clock, "-o", "t.data", "--",
                    workload("reused_code"), mode, seconds])
        assert done.returncode == 0, done.stderr
        found = Recorded(run, perfpair, done.stdout)
        maps.append(found.map)
        return found

    yield of
    for path in maps:
        path.unlink(missing_ok=True)


def test_map_times__code_that_follows_other_code(recorded, perfpair, run):
    found = recorded("reuse", "0.4", "-k", "mono")
    here = found.named()
    assert found.share(here) > 0.9
    assert {name for _, name in here} == {"first", "second"}
    found.map.unlink()
    assert found.named(*ELSEWHERE) == here
    listed = found.read("buildid-list", "--carried", "-v")
    assert re.findall(r" timed  (\S+) from \d+\.\d{9} s on", listed) == [
        "first", "second"]
    text = found.read("report", "--stdio", "-s", "dso,sym", *ELSEWHERE)
    shares = re.findall(r"^ *([\d.]+)% +\[JIT\] tid \d+ +\[\.\] (\S+) *$", text, re.M)
    assert {name for _, name in shares} == {"first", "second"}
    assert all(30 < float(share) < 70 for share, _ in shares)
    folded = found.read("report", "--format", "folded", *ELSEWHERE)
    assert "first" in folded and "second" in folded
    for command in (["repair"], ["scrub", "-q"], ["carry"]):
        made = f"{command[0]}.data"
        done = run([perfpair, *command, "-i", "t.data", "-o", made])
        assert done.returncode == 0, done.stderr
        assert found.named(*ELSEWHERE, data=made) == here
        assert found.read("check", "-q", data=made) == ""


def test_map_times__clocks(recorded):
    """The times of lines are those of the recording, whatever its clock."""
    shares = []
    for clock in ([], ["-k", "boottime"], ["-k", "CLOCK_REALTIME"]):
        found = recorded("reuse", "0.3", *clock)
        names = [name for _, name in found.named()]
        shares.append(names.count("first") / len(names))
        assert sorted(names) == names  # "first" is before "second"
    assert all(0.3 < share < 0.7 for share in shares)


def test_map_times__function_that_is_moved_twice(recorded):
    found = recorded("moved", "0.8", "-k", "mono")
    assert found.share(found.named(*ELSEWHERE)) > 0.8


def test_map_times__map_that_is_written_anew(recorded):
    """What it had told of is lost, and what it tells of counts from then on."""
    found = recorded("anew", "0.6", "-k", "mono")
    named = found.named(*ELSEWHERE)
    assert "lost" not in {name for _, name in named}
    known = [(time, name) for time, name in named
             if found.truth(time) != "lost"]
    assert found.share(known) > 0.9
    assert "never_run" not in {name for _, name in named}


def test_map_times__map_that_does_not_change_has_none(recorded, perfpair_record,
                                                      perfpair, workload, run):
    """Not even of lines that overlap."""
    done = run([perfpair_record, "-q", "-e", "cpu-clock:u", "-o", "t.data", "--",
                workload("mapped_code"), "-", "0.3", "keep"])
    assert done.returncode == 0
    done = run([perfpair, "buildid-list", "--carried", "-v", "-i", "t.data"])
    assert "compiled_keep" in done.stdout and " timed " not in done.stdout
    pid = re.search(r"of pid (\d+)", done.stdout)[1]
    pathlib.Path(f"/tmp/perf-{pid}.map").unlink()
