"""Slices that were loaded again: with other labels, in part, on another server."""

import pytest

from made_fleet import Fleet
from rows import perfpair
from test_fleet import asked, fill


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Four hosts, of release A and B in turn."""
    return Fleet(tmp_path_factory.mktemp("small"), 4)


def samples(words, *options):
    top = asked(words, "fleet", "top", *options)
    event, = top["events"]
    assert sum(row["samples"] for row in event["rows"]) == event["samples"]
    return event["samples"]


def counted(*slices):
    return sum(sum(at["counts"].values()) for at in slices)


def test_twins__an_older_label_does_not_count(server, small, tmp_path):
    fill(server, small)
    words = ["--", *server.client]
    first, other = (at for at in small.slices if at["side"] == 0)
    assert samples(words, "--filter", "release=A") == counted(first, other)
    perfpair("export", "--format", "rows", "-i", first["path"], "--label",
             "release=C", "-o", tmp_path / "samples")
    server.ask("INSERT INTO perfpair.samples FORMAT TabSeparated",
               (tmp_path / "samples").read_bytes())
    assert samples(words, "--filter", "release=A") == counted(other)
    assert samples(words, "--filter", "release=C") == counted(first)
    assert samples(words) == counted(*small.slices)


def test_twins__a_part_that_was_loaded_twice_lacks_rows(server, small):
    fill(server, small)
    words = ["--", *server.client]
    server.ask("TRUNCATE TABLE perfpair.samples")
    whole, part, *_ = small.slices
    lines = part["samples"].read_bytes().splitlines(keepends=True)
    assert len(lines) > 3
    half = b"".join(lines[:len(lines) // 2])
    for data in (whole["samples"].read_bytes(), half, half):
        server.ask("INSERT INTO perfpair.samples FORMAT TabSeparated", data)
    done = perfpair("fleet", "top", "--format", "json", *words, code=3)
    assert b"1 of 2 slices lack rows" in done.stderr
    once = server.ask("SELECT sum(number) FROM (SELECT DISTINCT run, slice, "
                      "seq, number FROM perfpair.samples)")
    assert f'"samples": {int(once)}'.encode() in done.stdout
    # what is not of the asked time is not spoken of
    end = int(server.ask("SELECT max(toUInt32(time) + bin) "
                         "FROM perfpair.samples"))
    done = perfpair("fleet", "top", "--from", str(end + 1), *words, code=1)
    assert b"lack rows" not in done.stderr


@pytest.fixture(scope="module")
def cluster(start_servers, tmp_path_factory):
    servers = start_servers(tmp_path_factory.mktemp("twins"), 2)
    yield servers
    for one in servers:
        one.stop()


@pytest.mark.parametrize("is_later", [False, True])
def test_twins__on_two_servers_count_once(cluster, small, tmp_path, is_later):
    """As after a server was added: hosts go elsewhere then."""
    for server in cluster:
        for table in "samples", "stacks":
            server.ask(f"TRUNCATE TABLE perfpair.{table}")
        server.ask("INSERT INTO perfpair.stacks FORMAT TabSeparated",
                   small.data("stacks"))
    again = small.slices[1]["samples"].read_bytes()
    cluster[0].ask("INSERT INTO perfpair.samples FORMAT TabSeparated",
                   small.data("samples"))
    words = ["--cluster", "--", *cluster[0].client]
    once = asked(words, "fleet", "top")
    change = asked(words, "fleet", "diff", "--old", "release=A", "--new",
                   "release=B")
    if is_later:
        perfpair("export", "--format", "rows", "-i", small.slices[1]["path"],
                 "--label", "release=B", "--label", "service=shop", "--label",
                 "zone=eu", "-o", tmp_path / "samples")
        again = (tmp_path / "samples").read_bytes()
    cluster[1].ask("INSERT INTO perfpair.samples FORMAT TabSeparated", again)
    assert samples(words) == counted(*small.slices)
    assert asked(words, "fleet", "top") == once
    assert asked(words, "fleet", "diff", "--old", "release=A", "--new",
                 "release=B") == change


@pytest.mark.parametrize("text", ["1969-01-01", "2026-02-31", "2026-06-31"])
def test_times_that_are_none(text):
    done = perfpair("fleet", "top", "--to", text, "--", "clickhouse-client",
                    code=2)
    assert b"option --to: '" + text.encode() in done.stderr
