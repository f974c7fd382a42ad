"""What slices lost, and stacks that were not loaded."""

import pytest

from made_rows import BIN_S, Rows
from page_data import Page
from rows import perfpair
from test_fleet import asked

EVENT = "cycles"


def lost_of(diff):
    """By host, in percent."""
    return [{run["file"]: run["lost_pct"] for run in side}
            for side in diff["sides"]]


@pytest.fixture
def words(server):
    """Of two hosts, each with two slices: the later half of the first one is of
    another task."""
    rows = Rows(server)
    for host, release in ("a", "A"), ("b", "B"):
        rows.put(host, release, EVENT,
                 {("foo", "app", 0): 60, ("foo", "shell", 1): 30},
                 lost=10)
        rows.put(host, release, EVENT, {("bar", "app", 0): 100},
                 start=1000 + 100 * BIN_S)
    return ["--", *server.client]


DIFF = ("fleet", "diff", "--old", "release=A", "--new", "release=B")


def test_losses__are_of_whole_slices(words):
    assert lost_of(asked(words, *DIFF)) == [{"a": 5.0}, {"b": 5.0}]
    # the row that holds the number is of another task, or another time
    assert lost_of(asked(words, *DIFF, "--filter", "comm=shell")) == \
        [{"a": 10.0}, {"b": 10.0}]
    from_s = str(1000 + BIN_S)
    assert lost_of(asked(words, *DIFF, "--from", from_s)) == \
        [{"a": 5.0}, {"b": 5.0}]
    assert lost_of(asked(words, *DIFF, "--from", str(1000 + 2 * BIN_S))) == \
        [{"a": 0.0}, {"b": 0.0}]
    assert lost_of(asked(words, *DIFF, "--to", from_s)) == \
        [{"a": 10.0}, {"b": 10.0}]


def test_losses__of_slices_that_both_sides_share(words):
    """Each side has what the slices lost that it has samples of."""
    sides = ("fleet", "diff", "--old", "comm=shell", "--new", "comm=app")
    assert lost_of(asked(words, *sides)) == [
        {"a": 10.0, "b": 10.0}, {"a": 5.0, "b": 5.0}]
    page = Page(perfpair(*sides, "--format", "html", *words).stdout.decode())
    facts = dict(page.head["recordings"][0])
    assert facts["slices"] == "4"
    assert facts["samples lost"] == "20"
    assert facts["samples"] == "60 old, 320 new"


def test_hosts__have_the_slices_that_have_samples(words):
    keys = ("host", "samples", "lost", "slices", "from_s", "to_s")
    start = 1000 + BIN_S

    def found(*options):
        return [tuple(host[key] for key in keys) for host in
                asked(words, "fleet", "hosts", *options)["hosts"]]

    end = 1000 + 101 * BIN_S
    assert found() == [("a", 190, 10, 2, 1000, end),
                       ("b", 190, 10, 2, 1000, end)]
    assert found("--filter", "comm=shell", "--filter", "host=b") == [
        ("b", 30, 10, 1, start, start + BIN_S)]
    assert found("--from", str(start + BIN_S)) == [
        ("a", 100, 0, 1, end - BIN_S, end), ("b", 100, 0, 1, end - BIN_S, end)]
    assert found("--filter", "comm=none") == []


@pytest.fixture
def nameless(server):
    """90 of 100 samples are of a stack that was not loaded."""
    rows = Rows(server, functions=["foo"])
    for host, release in ("a", "A"), ("b", "B"):
        rows.put(host, release, EVENT, {"foo": 10, "bar": 90})
    return ["--", *server.client]


def test_nameless__folded_stacks_are_counted(nameless):
    done = perfpair("fleet", "top", "--format", "folded", *nameless, code=0)
    assert sorted(done.stdout.decode().splitlines()) == [
        "app;[stack not loaded] 180", "app;foo 20"]
    assert b"180 samples are of stacks that were not loaded" in done.stderr


@pytest.mark.parametrize("question", [
    ["top"], ["trend"], ["diff", "--old", "release=A", "--new", "release=B"]])
def test_nameless__callees_lack_them(nameless, question):
    done = perfpair("fleet", *question, "--children", *nameless, code=3)
    assert (b"180 samples are of stacks that were not loaded, and count for no "
            b"function") in done.stderr
    done = perfpair("fleet", *question, *nameless, code=0)
    assert b"not loaded" not in done.stderr
