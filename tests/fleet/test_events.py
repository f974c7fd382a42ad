"""Hosts whose machines have different events: in each event only hosts that have
it count."""

import pytest

from made_rows import Rows
from rows import perfpair
from test_fleet import asked, rows_of

@pytest.fixture(scope="module")
def machines(start_servers, tmp_path_factory):
    """20 hosts ran A; 18 ran B, and two virtual machines without cycles."""
    server, = start_servers(tmp_path_factory.mktemp("events"), 1)
    rows = Rows(server)
    for i in range(20):
        nr = 500 + i % 5
        rows.put(f"a{i}", "A", "cycles", {"foo": nr, "bar": 1000 - nr})
        if i < 18:
            rows.put(f"b{i}", "B", "cycles", {"foo": nr - 50, "bar": 1050 - nr})
        else:
            rows.put(f"vm{i}", "B", "cpu-clock", {"foo": 900, "bar": 100})
    yield ["--", *server.client]
    server.stop()


DIFF = ("fleet", "diff", "--old", "release=A", "--new", "release=B")


def test_events__a_diff_is_of_hosts_that_have_it(machines):
    rows = rows_of(asked(machines, *DIFF))
    assert rows["foo"]["delta_pct"] == pytest.approx(-5, abs=0.1)
    assert rows["bar"]["delta_pct"] == pytest.approx(5, abs=0.1)
    event, = asked(machines, *DIFF)["events"]
    assert event["total_relative_pct"] == pytest.approx(0)
    done = perfpair(*DIFF, *machines, code=0)
    assert b"hosts carry" not in done.stdout
    assert (b"2 of 40 hosts have no samples of 'cycles' and do not count in it"
            in done.stderr)


def test_events__a_top_is_of_hosts_that_have_it(machines):
    top = asked(machines, "fleet", "top", "--filter", "release=B")
    found = {event["event"]: event for event in top["events"]}
    assert {name: event["hosts"] for name, event in found.items()} == {
        "cycles": 18, "cpu-clock": 2}
    share = {(name, row["symbol"]): row["share_pct"]
             for name, event in found.items() for row in event["rows"]}
    assert share["cpu-clock", "[.] foo"] == pytest.approx(90)
    assert share["cycles", "[.] foo"] == pytest.approx(45.2, abs=0.1)
    for event in found.values():
        assert sum(row["share_pct"] for row in event["rows"]) == \
            pytest.approx(100)
    trend = asked(machines, "fleet", "trend", "--filter", "release=B")
    assert len(trend["events"]) == 2
