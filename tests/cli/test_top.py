"""perfpair top: what it shows of a pipe is what report shows of the same bytes."""

import os
import re
import subprocess
import sys

import pytest

from common import ROOT

sys.path.insert(0, str(ROOT / "fixtures" / "gen"))
import make  # noqa: E402

NAMES = ("records-le.pipe", "records-be.pipe", "samples-le.pipe",
         "samples-be.pipe", "compressed-endless-le.pipe",
         "compressed-frames-be.pipe")
MADE = {name: data for name, data, _, _ in make.fixtures() if name in NAMES}
KEYS = ["-s", "comm,dso,sym", "--no-children", "--call-graph=none"]


def rows(text):
    """The rows of a table, or of all frames."""
    return [line.rstrip() for line in text.splitlines()
            if re.match(r" +\d+\.\d+%", line)]


def top(run, perfpair, data, *options):
    done = run([perfpair, "top", "-i", "-", "--stdio", *options], input=data,
               text=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.mark.parametrize("name", NAMES)
def test_shows_what_report_shows(run, perfpair, name):
    code, shown, _ = top(run, perfpair, MADE[name], *KEYS, "-E", "99999")
    told = run([perfpair, "report", "-i", "-", "-q", *KEYS], input=MADE[name],
               text=False)
    expected = rows(told.stdout.decode())
    assert code == 0
    assert len(expected) > 0
    assert rows(shown) == expected


def test_a_frame_begins_as_that_of_perf_top(run, perfpair):
    _, shown, _ = top(run, perfpair, MADE["samples-le.pipe"], *KEYS)
    lines = shown.splitlines()
    assert lines[0] == ""
    assert re.fullmatch(
        r"   PerfTop: +\d+ irqs/sec  kernel: *\d+\.\d%  exact: *\d+\.\d% "
        r"lost: \d+/\d+ drop: \d+/\d+ \[.*\],  \(of a pipe\)", lines[1])
    assert lines[2] == "-" * 79


def test_entries_and_least_samples(run, perfpair):
    data = MADE["samples-le.pipe"]
    _, shown, _ = top(run, perfpair, data, *KEYS, "-E", "1")
    frames = shown.count("PerfTop")
    assert frames > 1
    assert len(rows(shown)) == frames
    _, shown, _ = top(run, perfpair, data, *KEYS, "-f", "1000000")
    assert rows(shown) == []


def test_samples_of_one_mode_are_left_out(run, perfpair):
    data = MADE["records-le.pipe"]
    both = [len(rows(top(run, perfpair, data, *KEYS, *options)[1]))
            for options in ([], ["-K"], ["-U"], ["-K", "-U"])]
    assert both[0] == both[1] + both[2] > 0
    assert min(both[1], both[2]) < both[0]


@pytest.mark.parametrize("damage", ["cut", "hole"])
def test_damage_is_named(run, perfpair, damage):
    data = MADE["samples-le.pipe"]
    data = (data[:-20] if damage == "cut"
            else data[:-400] + bytes(80) + data[-400:])
    code, shown, err = top(run, perfpair, data, *KEYS)
    assert code == 3
    assert rows(shown)
    assert re.search(r"^perfpair: -: at byte 0x\w+: no record begins here$",
                     err, re.M)
    assert re.search(r"^perfpair: -: \d+ bytes were skipped in \d place", err,
                     re.M)


@pytest.mark.parametrize("data, text", [
    (b"", "the pipe is empty"),
    (b"PERFILE2", "the pipe ends inside of its header"),
    (b"hello, hello, hello", "-: "),
])
def test_what_is_no_pipe_is_refused(run, perfpair, data, text):
    code, shown, err = top(run, perfpair, data)
    assert code == 1
    assert text in err


def test_a_file_is_refused(run, perfpair):
    data = dict((name, data) for name, data, _, _ in make.fixtures()
                if name == "records-le.data")["records-le.data"]
    code, _, err = top(run, perfpair, data)
    assert code == 1
    assert err.splitlines() == [
        "perfpair: -: it is a file, not what a recorder writes to a pipe (-o -)",
        "perfpair: perfpair report shows files"]


@pytest.mark.parametrize("words, text", [
    (["-i", "-", "-a"], "-i shows what a recorder writes that runs already"),
    (["-d", "0"], "'0' is no time from 100ms to a day"),
    (["--window", "9h", "-d", "1"], "--window: at most 3600 times the delay"),
    (["--hierarchy"], "perf's option '--hierarchy' is not here"),
])
def test_wrong_options(run, perfpair, words, text):
    done = run([perfpair, "top", *words], stdin=subprocess.DEVNULL)
    assert done.returncode == 2
    assert text in done.stderr


def test_the_window_moves_on(perfpair, tmp_path):
    """What came first is not shown any more, once it is behind the window."""
    data = MADE["compressed-endless-le.pipe"]
    reading, writing = os.pipe()
    top = subprocess.Popen(
        [perfpair, "top", "-i", "-", "--stdio", "-d", "0.1", "-z", *KEYS],
        stdin=reading, stdout=subprocess.PIPE, text=True)
    os.close(reading)
    os.write(writing, data)
    text = ""
    while text.count("PerfTop") < 4:
        text += (line := top.stdout.readline())
        assert line, "it ended"
    os.close(writing)
    frames = (text + top.stdout.read()).split("PerfTop")[1:]
    assert top.wait(60) == 0
    assert rows(frames[0]) and not rows(frames[-1])
