"""What is said if the clock keeps step with a task, or could."""

import json
import re

import pytest

from common import ROOT
from made_file import ATTR, File
from page_data import Page

SAMPLES, LEFT_OUT = 2000, (2, 5)


@pytest.fixture
def ticking(tmp_path):
    """ticking(PERIOD): a recording of a task that is in one function at each even
    sample and in another one at each odd one, but for two of seven."""
    def made(period):
        attr = dict(ATTR, type=1, config=0, sample_period=period)
        file = File(attrs=[attr] * 2)
        file.comm(1)
        for n in range(SAMPLES):
            ip = 0x3000 if n % 7 in LEFT_OUT else 0x1000 * (1 + n % 2)
            # in the order of BITS
            body = file.e.words(ip) + file.e.pack("II", 5, 6) + \
                file.e.words(1000 + n * period, 101) + file.e.pack("II", 1, 0)
            file.records.append(file.e.record(9, 2, body))
        path = tmp_path / f"{period}.data"
        path.write_bytes(file.bytes())
        return path
    return made


def test_a_task_that_keeps_step_is_named(ticking, run, perfpair):
    path = ticking(500000)
    words = "keeps step with worker: samples see 2 moments of each turn, and shares " \
        "can be off by 50 points"
    done = run([perfpair, "report", "-i", path, "--format", "html"])
    assert words in done.stderr
    warning, = (line for line in Page(done.stdout).head["warnings"] if "step" in line)
    assert words in warning
    assert "step" not in run([perfpair, "report", "-q", "-i", path]).stderr


def test_a_period_that_goes_into_a_timer_is_a_fact(ticking, run, perfpair):
    path = ticking(500000)
    facts, = Page(run([perfpair, "report", "-i", path, "--format", "html"]).stdout) \
        .head["recordings"]
    assert dict(facts)["constant period"] == \
        "500000 ns: of a program that a timer wakes each 1 ms samples see 2 moments"
    assert (ROOT / dict(facts)["what a sample means"].split()[0]).exists()
    header = run([perfpair, "report", "-i", path, "--header-only"]).stdout
    assert re.search("^# constant period: 500000 ns: of a program .* 2 moments$", header,
                     re.M)


def test_another_period_is_none(ticking, run, perfpair):
    path = ticking(503111)
    done = run([perfpair, "report", "-i", path, "--header"])
    assert "step" not in done.stderr and "constant period" not in done.stdout


@pytest.mark.parametrize("measure, total", [("share", 100), ("count", 1e9)])
def test_diff_is_not_sure_of_what_the_clock_did_not_see(measure, total, ticking, run,
                                                        perfpair):
    """The half that each moment stands for may be another function's."""
    for period, is_locked in ((500000, True), (503111, False)):
        path = ticking(period)
        done = run([perfpair, "diff", path, path, "-s", "sym", "--measure", measure,
                    "--format", "json"])
        told = json.loads(done.stdout)
        assert told["sides"][0][0]["lock_pct"] == pytest.approx(50 * is_locked, abs=0.1)
        for row in told["events"][0]["rows"]:
            low, high = (row.get(f"{end}_pct", row.get(end)) for end in ("low", "high"))
            assert (high - low > 0.7 * total) == is_locked, row
