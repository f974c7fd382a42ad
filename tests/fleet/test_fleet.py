"""perfpair fleet: what databases answer is what the recordings have."""

import collections
import json
import math
import os
import statistics
import subprocess

import pytest

import hosts
from made_fleet import Fleet
from rows import perfpair
from safe_text import shown
from servers import NEWER

DIFF = ("fleet", "diff", "--old", "release=A", "--new", "release=B")
NUMBERS = ("baseline_pct", "new_pct", "delta_pct", "low_pct", "high_pct",
           "p_value", "baseline_samples", "new_samples")


@pytest.fixture(scope="module")
def fleet(tmp_path_factory):
    return Fleet(tmp_path_factory.mktemp("fleet"), 40, slow=(7, 9))


@pytest.fixture(scope="module")
def paired(tmp_path_factory):
    return Fleet(tmp_path_factory.mktemp("paired"), 8, both=True)


def fill(server, fleet):
    for table in "samples", "stacks":
        server.ask(f"TRUNCATE TABLE perfpair.{table}")
    fleet.load(server)


@pytest.fixture
def clickhouse(server, fleet):
    """Words of a client of a server that has the fleet once."""
    fill(server, fleet)
    return ["--", *server.client]


def asked(words, *options, code=0):
    """The answer as JSON."""
    at = words.index("--")
    done = perfpair(*options, "--format", "json", *words[:at], *words[at:],
                    code=code)
    return json.loads(done.stdout)


def rows_of(diff):
    event, = diff["events"]
    return {row["symbol"]: row for row in event["rows"]}


def assert_same(found, expected):
    """The same rows with the same numbers."""
    found, expected = rows_of(found), rows_of(expected)
    assert [*found] == [*expected]
    for symbol, row in expected.items():
        checked = 0
        for name in row:
            if isinstance(row[name], float) or name in NUMBERS:
                assert found[symbol][name] == pytest.approx(
                    row[name], rel=1e-6, abs=1e-9), (symbol, name)
                checked += 1
        assert checked > 5
        assert found[symbol]["significant"] == row["significant"]


def recordings(fleet):
    return json.loads(perfpair("diff", "--old", *fleet.paths(0), "--new",
                               *fleet.paths(1), "--format", "json").stdout)


def test_diff_of_clickhouse_is_that_of_the_recordings(clickhouse, fleet):
    found, expected = asked(clickhouse, *DIFF), recordings(fleet)
    assert_same(found, expected)
    assert rows_of(found)["hash"]["significant"]
    for name in ("total_relative_pct", "total_low_pct", "total_high_pct"):
        assert found["events"][0][name] == pytest.approx(
            expected["events"][0][name], rel=1e-6)


def test_diff_of_duckdb_is_that_of_the_recordings(duckdb, fleet):
    words = duckdb(fleet)
    assert_same(asked(words, *DIFF), recordings(fleet))


def folded(*words):
    """The lines, without order."""
    return sorted(perfpair(*words, code=0).stdout.decode().splitlines())


def stacks_of(fleet, side):
    """Samples by stack."""
    sums = collections.Counter()
    for at in fleet.slices:
        if side is None or at["side"] == side:
            sums.update({";".join(stack): nr
                         for stack, nr in at["counts"].items() if nr})
    return sums


def assert_folded(words, fleet):
    at = words.index("--")
    top = ["fleet", "top", "--format", "folded", *words[:at], *words[at:]]
    assert folded(*top) == sorted(
        f"app;{stack} {nr}" for stack, nr in stacks_of(fleet, None).items())
    old, new = stacks_of(fleet, 0), stacks_of(fleet, 1)
    assert folded(*DIFF, "--format", "folded", *words[:at], *words[at:]) == \
        sorted(f"{stack} {old[stack]} {new[stack]}" for stack in old | new)


def test_folded_stacks_of_clickhouse(clickhouse, fleet):
    assert_folded(clickhouse, fleet)
    done = perfpair("fleet", "diff", "--old", "release=A", "--new",
                    "release=C", "--format", "folded", *clickhouse, code=1)
    assert b"no samples of the new side" in done.stderr
    done = perfpair("fleet", "trend", "--format", "folded", *clickhouse,
                    code=2)
    assert b"--format folded is of top and diff" in done.stderr


def test_folded_stacks_of_duckdb(duckdb, fleet):
    assert_folded(duckdb(fleet), fleet)


QUESTIONS = [["top"], ["top", "--children"], ["trend"], ["hosts"],
             ["trend", "--children", "--step", "60s"],
             [*DIFF[1:], "--children"], DIFF[1:],
             ["hosts", "--filter", "comm=app", "--to", "4000000000"]]


def rounded(answer):
    """Engines add numbers up in different orders."""
    if isinstance(answer, dict):
        return {name: rounded(value) for name, value in answer.items()}
    if isinstance(answer, list):
        return [rounded(value) for value in answer]
    return float(f"{answer:.6g}") if isinstance(answer, float) else answer


@pytest.mark.parametrize("engine", [NEWER, "duckdb"])
def test_engines_answer_the_same(engine, debian, fleet, request):
    fill(debian, fleet)
    expected = ["--", *debian.client]
    if engine == "duckdb":
        words = request.getfixturevalue("duckdb")(fleet)
    else:
        other = request.getfixturevalue("newer")
        fill(other, fleet)
        words = ["--", *other.client]
    for question in QUESTIONS:
        assert rounded(asked(words, "fleet", *question)) == \
            rounded(asked(expected, "fleet", *question))
    at = words.index("--")
    assert perfpair(*DIFF, *words[:at], *words[at:], code=0).stdout == \
        perfpair(*DIFF, *expected, code=0).stdout


def test_filters_choose_hosts_and_labels(clickhouse, fleet):
    one = fleet.slices[3]
    for words, nr in ((["host=host-3"], sum(one["counts"].values())),
                      (["zone=us"], None), (["zone=e"], None),
                      (["service=shop", "zone=eu", "host=host-3"],
                       sum(one["counts"].values()))):
        filters = [word for text in words for word in ("--filter", text)]
        if nr is None:
            done = perfpair("fleet", "top", *filters, *clickhouse, code=1)
            assert b"no samples" in done.stderr
            continue
        top = asked(clickhouse, "fleet", "top", *filters)
        assert sum(row["samples"] for row in top["events"][0]["rows"]) == nr


def test_top_has_mean_shares_and_hosts_without_count_as_zero(clickhouse,
                                                             fleet):
    top = asked(clickhouse, "fleet", "top")
    assert top["hosts"] == 40
    shares = [100 * at["counts"].get(("main", "parse", "rare"), 0)
              / sum(at["counts"].values()) for at in fleet.slices]
    assert 0.0 in shares
    rare, = [row for row in top["events"][0]["rows"]
             if row["symbol"] == "[.] rare"]
    assert rare["share_pct"] == pytest.approx(statistics.mean(shares))
    hash_of = [100 * at["counts"][("main", "hash")]
               / sum(at["counts"].values()) for at in fleet.slices]
    row, = [row for row in top["events"][0]["rows"]
            if row["symbol"] == "[.] hash"]
    reach = 2.0227 * statistics.stdev(hash_of) / math.sqrt(40)
    assert row["high_pct"] - row["low_pct"] == pytest.approx(2 * reach,
                                                             rel=1e-3)


def test_children_add_callees(clickhouse):
    top = asked(clickhouse, "fleet", "top", "--children")
    share = {row["symbol"]: row["share_pct"]
             for row in top["events"][0]["rows"]}
    assert share["[.] main"] == pytest.approx(100)
    own = {row["symbol"]: row["share_pct"] for row in
           asked(clickhouse, "fleet", "top")["events"][0]["rows"]}
    assert share["[.] render"] == pytest.approx(own["[.] render"]
                                                + own["[.] copy"])


def test_slow_hosts_are_named(clickhouse):
    text = perfpair(*DIFF, *clickhouse).stdout.decode()
    line, = [line for line in text.splitlines()
             if line.startswith("# [.] hash: 2 of 20 hosts carry ")]
    assert line.endswith(": host-7, host-9") or \
        line.endswith(": host-9, host-7")


def test_same_hosts_are_compared_with_themselves(server, paired):
    fill(server, paired)
    words = ["--", *server.client]
    text = perfpair(*DIFF, *words).stdout.decode()
    assert "between the 8 hosts, which ran both" in text
    pairs = rows_of(asked(words, *DIFF))
    apart = asked(words, *DIFF, "--no-pairs")
    assert_same(apart, recordings(paired))
    apart = rows_of(apart)
    # flush differs from host to host, and is the same on each
    width = [rows["flush"]["high_pct"] - rows["flush"]["low_pct"]
             for rows in (pairs, apart)]
    assert width[0] < width[1]
    assert pairs["flush"]["delta_pct"] == pytest.approx(
        apart["flush"]["delta_pct"])


def test_loading_twice_counts_once(clickhouse, server, fleet):
    once = asked(clickhouse, *DIFF)
    fleet.load(server, tables=["samples"])  # the same bytes
    assert int(server.ask("SELECT sum(number) FROM perfpair.samples")) > 0
    assert_same(asked(clickhouse, *DIFF), once)
    for at in fleet.slices:  # a later export
        at |= fleet.export(at["path"], at["path"].stem, "AB"[at["side"]])
    fleet.load(server)
    assert_same(asked(clickhouse, *DIFF), once)


def test_rowbinary_loads_the_same(server, fleet, tmp_path):
    path, sums = fleet.slices[0]["path"], {}
    for form, name in (("tsv", "TabSeparated"), ("rowbinary", "RowBinary")):
        perfpair("export", "--format", "rows", "--rows", form, "-i", path, "-o",
                 tmp_path / "samples", "--stacks", tmp_path / "stacks", code=0)
        for table in "samples", "stacks":
            server.ask(f"TRUNCATE TABLE perfpair.{table}")
            server.ask(f"INSERT INTO perfpair.{table} FORMAT {name}",
                       (tmp_path / table).read_bytes())
        sums[form] = [
            server.ask("SELECT run, slice, start, seq, rows, lost, host, "
                       "labels, comm, event, is_clock, time, bin, stack, code, "
                       "function, weight, number FROM perfpair.samples "
                       "ORDER BY seq"),
            server.ask("SELECT * FROM perfpair.stacks ORDER BY stack, code, "
                       "place")]
    assert sums["tsv"] == sums["rowbinary"] and all(sums["tsv"])


def test_later_load_corrects_labels(clickhouse, server, fleet, tmp_path):
    at = fleet.slices[0]
    perfpair("export", "--format", "rows", "-i", at["path"], "--label",
             "release=C", "-o", tmp_path / "samples")
    server.ask("INSERT INTO perfpair.samples FORMAT TabSeparated",
               (tmp_path / "samples").read_bytes())
    found = {host["host"]: host["release"] for host in asked(
        clickhouse, "fleet", "hosts")["hosts"]}
    assert found["host-0"] == "C"
    assert len(found) == 40


def test_interrupted_load_is_told_and_mended(server, fleet):
    server.ask("TRUNCATE TABLE perfpair.samples")
    lines = fleet.data("samples").splitlines(keepends=True)
    server.ask("INSERT INTO perfpair.samples FORMAT TabSeparated",
               b"".join(lines[:-2]))
    words = ["--", *server.client]
    done = perfpair(*DIFF, *words, code=3)
    assert b"1 of 40 slices lack rows" in done.stderr
    fleet.load(server, tables=["samples"])
    done = perfpair(*DIFF, *words, code=0)
    assert not done.stderr


def test_damaged_slices_are_told(server, fleet, tmp_path):
    path = tmp_path / "cut.data"
    data = fleet.slices[0]["path"].read_bytes()
    path.write_bytes(data[:len(data) // 2])
    perfpair("export", "--format", "rows", "-i", path, "-o",
             tmp_path / "samples", code=3)
    rows = (tmp_path / "samples").read_bytes()
    server.ask("TRUNCATE TABLE perfpair.samples")
    server.ask("INSERT INTO perfpair.samples FORMAT TabSeparated", rows)
    done = perfpair("fleet", "top", "--", *server.client, code=0)
    assert b"1 of 1 slices are of damaged recordings" in done.stderr


@pytest.mark.parametrize("engine", ["clickhouse", "duckdb"])
def test_hostile_names_are_data(engine, server, fleet, tmp_path, request):
    nasty = "a'b\"c\\d\\t\t\n;DROP TABLE perfpair.samples;--\r\u00e9"
    folder = tmp_path / "bin"
    app = hosts.build(folder)
    program = app.rename(folder / nasty.replace("/", ""))
    path = hosts.record(tmp_path / "x.data", nasty, program,
                        {("main", "hash"): 30, ("main",): 10},
                        comm=nasty[:15])
    perfpair("export", "--format", "rows", "-i", path, "--label",
             "release=x'\\--", "--label", "zone=y'\\--", "-o",
             tmp_path / "x.samples.tsv", "--stacks",
             tmp_path / "x.stacks.tsv")
    if engine == "clickhouse":
        for table in "samples", "stacks":
            server.ask(f"TRUNCATE TABLE perfpair.{table}")
            server.ask(f"INSERT INTO perfpair.{table} FORMAT TabSeparated",
                       (tmp_path / f"x.{table}.tsv").read_bytes())
        words = ["--", *server.client]
    else:
        at = type("Made", (), {"folder": tmp_path})
        words = request.getfixturevalue("duckdb")(at)
    top = asked(words, "fleet", "top", "--filter", f"host={shown(nasty)}",
                "--filter", "release=x'\\--", "--filter", "zone=y'\\--")
    assert {row["dso"] for row in top["events"][0]["rows"]} == {shown(nasty)}
    host, = asked(words, "fleet", "hosts")["hosts"]
    assert host["host"] == shown(nasty)
    text = perfpair("fleet", "top", *words).stdout
    assert b"\r" not in text


def test_trend_has_the_shares_of_each_step(clickhouse, server):
    server.ask("INSERT INTO perfpair.samples SELECT version, run, slice + 1, "
               "start + 3600, load, seq, rows, lost, damaged, host, release, "
               "service, labels, cgroup, pod, container, comm, event, "
               "is_clock, time + 3600, bin, stack, code, function, weight, "
               "number FROM perfpair.samples WHERE release = 'A'")
    trend = asked(clickhouse, "fleet", "trend", "--limit", "2")
    rows = trend["events"][0]["rows"]
    assert len(rows) == 2
    assert [step["hosts"] for step in rows[0]["steps"]][:1] == [40]
    assert rows[0]["steps"][-1]["hosts"] == 20
    text = perfpair("fleet", "trend", *clickhouse).stdout
    assert b"20 hosts" in text


def test_client_that_fails_is_an_error(server):
    for words, why in ((["/bin/false"], b"exit code 1"),
                       (["no-such-client"], b"exit code 127"),
                       (["/bin/echo", "nonsense"], b"form asked for"),
                       ([*server.client[:-1], "1"], b"exit code")):
        done = perfpair("fleet", "top", "--", *words, code=1)
        assert why in done.stderr, (words, done.stderr)
        assert not done.stdout


def test_sql_is_shown_without_a_server():
    done = perfpair(*DIFF, "--filter", "host=x'y", "--format", "sql", code=0)
    assert b"host = 'x\\'y'" in done.stdout
    done = perfpair(*DIFF, "--filter", "host=x'y\\", "--format", "sql",
                    "--engine", "duckdb", code=0)
    assert b"host = 'x''y\\'" in done.stdout


@pytest.mark.parametrize("words, why", [
    (["diff", "--old", "release=A"], b"both sides"),
    (["top", "--old", "release=A"], b"are of diff"),
    (["top", "--filter", "host"], b"NAME=VALUE"),
    (["top", "--from", "noon"], b"seconds since 1970"),
    (["top", "--database", "a;b"], b"letters"),
    (["top", "--partial"], b"--cluster"),
    (["top", "--step", "1.5s"], b"whole seconds"),
    (["bottom"], b"none of top"),
    ([], b"what is asked"),
])
def test_wrong_options_are_refused(words, why):
    assert why in perfpair("fleet", *words, code=2).stderr


class TestCluster:
    @pytest.fixture
    def servers(self, start_servers, tmp_path, fleet):
        at = start_servers(tmp_path, 2)
        yield at
        for server in at:
            server.stop()

    def test_stopped_shard_fails_or_is_told(self, servers, fleet):
        first, second = servers
        fleet.load(first, "_all")
        for table in "samples", "stacks":
            self.wait(servers[:1] if table == "stacks" else servers, table,
                      1 if table == "stacks" else
                      len(fleet.data(table).splitlines()))
        words = ["--cluster", "--", *first.client]
        assert_same(asked(words, *DIFF), recordings(fleet))
        fleet.load(first, "_all", ["samples"])  # twice
        self.wait(servers, "samples",
                  2 * len(fleet.data("samples").splitlines()))
        assert_same(asked(words, *DIFF), recordings(fleet))
        second.stop()
        done = perfpair(*DIFF, *words, code=1)
        assert not done.stdout
        done = perfpair(*DIFF, "--partial", *words, code=3)
        assert b"1 of 2 servers do not answer" in done.stderr
        assert b"[.] hash" in done.stdout
        second.start()
        assert_same(asked(words, *DIFF), recordings(fleet))

    def test_hosts_with_rows_on_several_servers(self, servers, paired):
        """As after a server was added: old rows stay where they are."""
        first, second = servers
        for server in servers:
            server.ask("INSERT INTO perfpair.stacks FORMAT TabSeparated",
                       paired.data("stacks"))
        paired.load(first, tables=["samples"])
        one = asked(["--", *first.client], *DIFF)
        for server, release in (first, "B"), (second, "A"):
            server.ask("TRUNCATE TABLE perfpair.samples")
            for at in paired.slices:
                if "AB"[at["side"]] == release:
                    server.ask("INSERT INTO perfpair.samples FORMAT "
                               "TabSeparated", at["samples"].read_bytes())
        both = asked(["--cluster", "--", *second.client], *DIFF)
        assert_same(both, one)
        assert rows_of(both)["hash"]["significant"]

    def wait(self, servers, table, least):
        """Distributed tables send rows on in the background."""
        for _ in range(100):
            nr = sum(int(at.ask(f"SELECT count() FROM perfpair.{table}"))
                     for at in servers)
            if nr >= least:
                return
            os.sched_yield()
            subprocess.run(["sleep", "0.1"], check=True)
        assert nr >= least
