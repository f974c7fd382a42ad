"""Programs that know their own profile: what they print is what a recording shows."""

import json
import math
import re

import pytest


@pytest.mark.parametrize("rate", [1000, 4000])
def test_truth__a_program_that_turns_with_the_clock(rate, workload, perfpair,
                                                    perfpair_record, may_record, run):
    """A period that divides the millisecond sees one moment of each alone."""
    done = run([perfpair_record, "-q", "-a", "-e", "cpu-clock", "-F", rate, "-o",
                "t.data", "--", workload("tick"), "2500"])
    assert done.returncode == 0, done.stderr
    told = {name: float(share) for name, share in
            re.findall(r"(\w+) ([\d.]+)", done.stdout)}
    event, = json.loads(run([perfpair, "report", "-i", "t.data", "--comms", "tick",
                             "-s", "sym", "--format", "json"]).stdout)["events"]
    rows = {row["symbol"]: row for row in event["rows"] if row["symbol"] in told}
    periods = {name: row["period"] for name, row in rows.items()}
    samples_nr = sum(row["samples"] for row in rows.values())
    assert samples_nr > 100
    noise = 3 * math.sqrt(told["early"] * told["late"] / samples_nr)
    assert periods["early"] / sum(periods.values()) == \
        pytest.approx(told["early"], abs=0.03 + noise)
