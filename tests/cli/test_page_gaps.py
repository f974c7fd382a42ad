"""Times without samples in a page: losses and throttled events, by time and CPU."""

import re
import subprocess

import pytest

from common import program
from made_file import File
from page_data import Page

THROTTLE, UNTHROTTLE, LOST, LOST_SAMPLES = 5, 6, 2, 13


def head_of(path, *options):
    done = subprocess.run([program("report", "perfpair"), "report", "-i", path, "--format", "html", *options],
                          capture_output=True, stdin=subprocess.DEVNULL)
    assert done.returncode in (0, 3), done.stderr
    return Page(done.stdout.decode()).head


class Gaps(File):
    """Samples from 1000 to 3000 ns on CPUs 1 and 2: bins of 2 ns."""

    def __init__(self, *marks):
        super().__init__()
        self.comm(900)
        self.sample(1000)
        for mark in marks:
            mark(self)
        self.sample(2000, ident=102, cpu=2)
        self.sample(3000)

    def throttle(self, time, on=True, ident=101, stream=None, cpu=1):
        body = self.e.pack("QQQ", time, ident, stream or ident)
        who = dict(self.ident(time, ident), cpu=cpu)
        self.records.append(self.e.record(THROTTLE if on else UNTHROTTLE, 0, body + self.e.trailer(self.attrs[0], who)))

    def head(self, tmp_path, *options):
        path = tmp_path / "t.data"
        path.write_bytes(self.bytes())
        return head_of(path, *options)


def bin_of(head, time):
    return (time - head["time"]["first_ns"]) // head["time"]["bin_ns"]


def gap(head, since, until, cpu, event, times=1, ns=None):
    return {"bin": bin_of(head, since), "bins": bin_of(head, until) - bin_of(head, since) + 1, "cpu": cpu,
            "event": event, "times": times, "ns": until - since if ns is None else ns}


def by_place(gaps):
    return sorted(gaps, key=lambda g: (g["event"], g["cpu"], g["bin"]))


def test_throttled_times(tmp_path):
    head = Gaps(lambda f: f.throttle(1100), lambda f: f.throttle(1150, ident=102, cpu=2),
                lambda f: f.throttle(1200, False), lambda f: f.throttle(1400),
                lambda f: f.throttle(1500, False), lambda f: f.throttle(1900, False, ident=102, cpu=2)).head(tmp_path)
    # event 0 is that of 101
    assert by_place(head["throttles"]) == [gap(head, 1100, 1200, 1, 0), gap(head, 1400, 1500, 1, 0),
                                           gap(head, 1150, 1900, 2, 1)]


def test_an_event_that_stays_throttled_is_silent_to_the_end(tmp_path):
    head = Gaps(lambda f: f.throttle(1100)).head(tmp_path)
    assert head["throttles"] == [gap(head, 1100, 3000, 1, 0)]


def test_an_unthrottle_without_its_throttle_says_nothing(tmp_path):
    assert Gaps(lambda f: f.throttle(1100, False)).head(tmp_path)["throttles"] == []


def test_streams_of_one_event_are_told_apart(tmp_path):
    """Threads have an event each; of both nothing is known of when one is silent."""
    head = Gaps(lambda f: f.throttle(1100, stream=7), lambda f: f.throttle(1300, stream=8),
                lambda f: f.throttle(1500, False, stream=8), lambda f: f.throttle(1700, False, stream=7)).head(tmp_path)
    assert [t["ns"] for t in head["throttles"]] == [200 + 600]
    assert [t["times"] for t in head["throttles"]] == [2]


def test_short_ones_in_one_bin_are_added_up(tmp_path):
    marks = []
    for k in range(4):
        marks += [lambda f, k=k: f.throttle(1100 + 4 * k), lambda f, k=k: f.throttle(1102 + 4 * k, False)]
    made = Gaps(*marks)
    made.sample(10**9)
    head = made.head(tmp_path)
    assert head["throttles"] == [{"bin": 0, "bins": 1, "cpu": 1, "event": 0, "times": 4, "ns": 8}]


def test_many_are_few_in_the_page(tmp_path):
    """1,000,000 times are no more than 5000 items, with the same sum."""
    made = Gaps()
    for k in range(9000):
        made.throttle(3000 + 100 * k)
        made.throttle(3050 + 100 * k, False)
        if k % 20 == 0:
            made.sample(3099 + 100 * k)
    for k in range(9000):
        made.throttle(2000 + 100 * k, ident=102, stream=500 + k, cpu=k)
        made.throttle(2050 + 100 * k, False, ident=102, stream=500 + k, cpu=k)
    head = made.head(tmp_path)
    assert len(head["throttles"]) <= 5001
    assert sum(t["times"] for t in head["throttles"]) == 18000
    assert sum(t["ns"] for t in head["throttles"]) == 18000 * 50
    rest = [t for t in head["throttles"] if not t["bins"]]
    assert len(rest) == 1 and rest[0]["cpu"] == rest[0]["event"] == -1


def test_a_filter_leaves_out_other_times_and_cpus(tmp_path):
    made = Gaps(lambda f: f.throttle(1100), lambda f: f.throttle(1200, False),
                lambda f: f.throttle(2400, ident=102, cpu=2), lambda f: f.throttle(2500, False, ident=102, cpu=2))
    made.add(LOST, made.e.words(101, 7), 2600)
    made.sample(2900)
    assert [t["cpu"] for t in made.head(tmp_path, "-C", "2")["throttles"]] == [2]
    later = made.head(tmp_path, "--time", "0.000002,0.000003")
    assert [t["cpu"] for t in later["throttles"]] == [2]
    assert [loss["samples"] for loss in later["losses"]] == [7]
    assert made.head(tmp_path, "--time", "0.000001,0.000002")["losses"] == []


def test_losses_of_a_recording_of_perf(tmp_path):
    """LOST records have a time and a CPU; what LOST_SAMPLES has besides is of no known time."""
    made = Gaps()
    made.add(LOST, made.e.words(101, 7), 2500)
    made.add(LOST_SAMPLES, made.e.words(9), 2999)
    head = made.head(tmp_path)
    assert head["losses"] == [{"bin": bin_of(head, 2500), "bins": 1, "cpu": 1, "samples": 7},
                              {"bin": 0, "bins": 0, "cpu": -1, "samples": 2}]


def test_damage_stands_in_the_page(tmp_path):
    """What is printed of a truncated or damaged file is what the page warns of."""
    path = tmp_path / "t.data"
    data = Gaps().bytes()
    path.write_bytes(data[:-30])
    done = subprocess.run([program("report", "perfpair"), "report", "-i", path, "--format", "html"],
                          capture_output=True, stdin=subprocess.DEVNULL, text=True)
    warnings = Page(done.stdout).head["warnings"]
    assert done.returncode == 3
    assert [f"perfpair: {w}" for w in warnings] == done.stderr.splitlines()
    assert "at byte 0x" in warnings[0] and "the file ends inside" in warnings[0]


def test_a_comparison_warns_of_its_runs(tmp_path):
    paths = [tmp_path / "old.data", tmp_path / "new.data", tmp_path / "cut.data"]
    paths[0].write_bytes(Gaps(lambda f: f.throttle(1100), lambda f: f.throttle(1200, False)).bytes())
    paths[1].write_bytes(Gaps().bytes())
    paths[2].write_bytes(Gaps().bytes()[:-30])
    done = subprocess.run([program("report", "perfpair"), "diff", "-s", "comm", "--format", "html", "--old", paths[0], paths[1],
                           "--new", paths[2]], capture_output=True, stdin=subprocess.DEVNULL, text=True)
    assert Page(done.stdout).head["warnings"] == [
        f"{paths[0]}: the kernel throttled its events 1 time; there are no samples of these times",
        f"{paths[2]}: not all of it could be read; perfpair check says what"]


@pytest.mark.records
def test_losses_of_ours_are_where_they_were(perfpair_record, may_record, run, tmp_path):
    """The trailer says between which times samples were lost, LOST records when."""
    path = tmp_path / "t.data"
    run([perfpair_record, "-q", "-m", "1", "-g", "-a", "-e", "cpu-clock", "-c", "30000", "-o", path, "--", "sh", "-c",
         "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"])
    dump = subprocess.run([program("report", "perfpair"), "script", "--show-lost-events", "-i", path], capture_output=True,
                          stdin=subprocess.DEVNULL, text=True).stdout
    lost = sum(map(int, re.findall(r"PERF_RECORD_LOST lost (\d+)", dump)))
    if not lost:
        pytest.skip("nothing was lost")
    head = head_of(path)
    assert sum(one["samples"] for one in head["losses"] if one["bins"] == 1) == lost


@pytest.mark.records
def test_throttling_for_real(perfpair_record, may_record, run, tmp_path):
    """A clock with a sample each 10 us: the kernel allows less of a tick. On one CPU,
    which does little else meanwhile, so that the recorder has the others."""
    path = tmp_path / "t.data"
    run([perfpair_record, "-q", "-C", "0", "-e", "cpu-clock", "-c", "10000", "-o", path, "--duration", "1s"])
    facts = subprocess.run([program("report", "perfpair"), "report", "--stats", "-i", path], capture_output=True,
                           stdin=subprocess.DEVNULL, text=True).stdout
    number = re.search(r"\bTHROTTLE events:\s+(\d+)", facts)
    if not number:
        pytest.skip("the kernel throttled nothing")
    head = head_of(path)
    assert sum(t["times"] for t in head["throttles"]) == int(number[1])
    bins, bin_s = head["time"]["bins"], head["time"]["bin_ns"] / 1e9
    for t in head["throttles"]:
        assert 0 < t["ns"] / 1e9 <= (t["bins"] + 1) * bin_s
        assert t["bin"] + t["bins"] <= bins and t["cpu"] in head["cpus"]
    # nothing was sampled on that CPU in the bins that are wholly within
    page = Page(subprocess.run([program("report", "perfpair"), "report", "-i", path, "--format", "html"],
                               capture_output=True, stdin=subprocess.DEVNULL).stdout.decode())
    long = max(head["throttles"], key=lambda t: t["ns"] / t["times"])
    if long["times"] == 1 and long["bins"] > 2:
        cpu = head["cpus"].index(long["cpu"])
        inside = range(long["bin"] + 1, long["bin"] + long["bins"] - 1)
        assert not [e for e in page.trees[long["event"]].entries if e[2] == cpu and e[1] in inside]
