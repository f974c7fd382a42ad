"""perfpair report --format: the same numbers for programs, and stacks for flame
graphs; of what perf recorded on the spot."""

import csv
import io
import json
import re

import pytest


@pytest.fixture
def report(run, perfpair, recording):
    def run_report(*words):
        done = run([perfpair, "report", "-i", str(recording), *words])
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout
    return run_report


def rows_of_text(text):
    """(percent, samples, comm) of report -g none -F overhead,sample,comm."""
    found = re.findall(r"^ +([\d.]+)% +(\d+)  (\S.*?) *$", text, re.M)
    return sorted((percent, int(nr), comm) for percent, nr, comm in found)


def test_json_and_csv_say_what_the_text_says(report):
    words = ["--no-children", "-g", "none", "-F", "overhead,sample,comm",
             "--no-group"]
    text = rows_of_text(report("--stdio", *words))
    data = json.loads(report("--format", "json", *words))
    assert (data["schema"], data["version"]) == ("perfpair-report", 1)
    rows = [row for event in data["events"] for row in event["rows"]]
    assert sorted((f"{row['overhead_pct']:.2f}", row["samples"], row["comm"])
                  for row in rows) == text
    for event in data["events"]:
        assert sum(row["period"] for row in event["rows"]) == event["period"]
    lines = list(csv.DictReader(io.StringIO(report("--format", "csv", *words))))
    assert sorted((f"{float(line['overhead_pct']):.2f}", int(line["samples"]),
                   line["comm"]) for line in lines) == text


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
