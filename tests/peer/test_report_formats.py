"""perfpair report --format: the same numbers for programs, and stacks for flame
graphs; of what perf recorded on the spot."""

import csv
import io
import json
import re

import pytest

from peer_text import without_hints


@pytest.fixture
def report(peer, recording):
    def run_report(*words):
        done = peer.ours("report", "-i", recording, *words)
        assert (done.returncode, without_hints(done.stderr)) == (0, "")
        return done.stdout
    return run_report


def rows_of_text(text):
    """(dso, samples, percent) of report -g none -F overhead,sample,dso."""
    found = re.findall(r"^ +([\d.]+)% +(\d+)  (\S.*?) *$", text, re.M)
    return sorted((dso, int(nr), float(percent)) for percent, nr, dso in found)


def assert_same_rows(rows, text):
    """rows: dicts of numbers or of their texts; text rounds to 0.01 %."""
    ours = sorted((row["dso"], int(row["samples"]), float(row["overhead_pct"]))
                  for row in rows)
    assert [row[:2] for row in ours] == [row[:2] for row in text]
    assert [row[2] for row in ours] == pytest.approx(
        [row[2] for row in text], abs=0.005001)


@pytest.mark.recordings(fresh=False)
def test_json_and_csv_say_what_the_text_says(report):
    # by DSO: a comm is cut to the width of its task's last name, as in perf
    words = ["--no-children", "-g", "none", "-F", "overhead,sample,dso"]
    text = rows_of_text(report("--stdio", "--no-group", *words))
    data = json.loads(report("--format", "json", *words))
    assert (data["schema"], data["version"]) == ("perfpair-report", 1)
    rows = [row for event in data["events"] for row in event["rows"]]
    assert_same_rows(rows, text)
    for event in data["events"]:
        assert sum(row["period"] for row in event["rows"]) == event["period"]
    lines = list(csv.DictReader(io.StringIO(report("--format", "csv", *words))))
    assert_same_rows(lines, text)


@pytest.mark.recordings(fresh=False)
def test_folded_stacks_hold_every_sample(report):
    data = json.loads(report("--format", "json", "--no-children", "-s", "comm"))
    lines = [line.rsplit(" ", 1)
             for line in report("--format", "folded").splitlines()]
    stacks = [stack for stack, _ in lines]
    assert len(set(stacks)) == len(stacks)
    assert sum(int(count) for _, count in lines) == sum(
        row["samples"] for event in data["events"] for row in event["rows"])
    periods = report("--format", "folded", "--show-total-period").splitlines()
    assert sum(int(line.rsplit(" ", 1)[1]) for line in periods) == sum(
        event["period"] for event in data["events"])
    many = len(data["events"]) > 1
    names = {event["event"] for event in data["events"]}
    for stack in stacks:
        parts = stack.split(";")
        assert len(parts) >= 2 + many
        assert not many or parts[0] in names


def test_a_wrong_format_is_named(run, perfpair):
    done = run([perfpair, "report", "--format", "xml"])
    assert done.returncode == 2
    assert "'xml'" in done.stderr


@pytest.mark.recordings(fresh=False)
def test_a_recording_beside_itself_counts_twice(peer, recording, report):
    def counts(text):
        return sorted((stack, int(nr)) for stack, nr in
                      (line.rsplit(" ", 1) for line in text.splitlines()))
    done = peer.ours("report", "--format", "folded", recording, recording)
    assert (done.returncode, without_hints(done.stderr)) == (0, "")
    assert counts(done.stdout) == [
        (stack, 2 * nr) for stack, nr in counts(report("--format", "folded"))]
