"""perfpair fleet top|diff --format html: the page has what the answers have."""

import collections
import json
import math
import time

import pytest

import hosts
from made_fleet import Fleet
from made_rows import Rows
from page_data import NAMELESS, TASK, Page
from rows import perfpair
from safe_text import shown as safe
from shown_page import Shown

DIFF = ("fleet", "diff", "--old", "release=A", "--new", "release=B")
TOP = ("fleet", "top")


@pytest.fixture(scope="module")
def fleet(tmp_path_factory):
    return Fleet(tmp_path_factory.mktemp("fleet"), 12, slow=(7,))


@pytest.fixture(scope="module")
def paired(tmp_path_factory):
    return Fleet(tmp_path_factory.mktemp("paired"), 8, both=True)


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """55 hosts a side."""
    return Fleet(tmp_path_factory.mktemp("large"), 110)


@pytest.fixture
def load(server):
    """load(FLEET): words of a client of a server that has the fleet once."""
    def load(fleet):
        for table in "samples", "stacks":
            server.ask(f"TRUNCATE TABLE perfpair.{table}")
        fleet.load(server)
        return ["--", *server.client]
    return load


def answer(words, *options, form, code=0):
    at = words.index("--")
    done = perfpair(*options, "--format", form, *words[:at], *words[at:],
                    code=code)
    return done.stdout.decode()


def page_of(words, *options, code=0):
    return Page(answer(words, *options, form="html", code=code))


def json_of(words, *options):
    return json.loads(answer(words, *options, form="json"))


def nearly(one, other):
    """Whether two answers are one: a database adds up fractions in any order."""
    if isinstance(one, float) or isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-7, abs_tol=1e-7)
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and \
            all(nearly(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(nearly, one, other))
    return one == other


def folded_of(page, tree, has_task):
    """The samples by stack, with names as folded stacks have them."""
    found = collections.Counter()
    for path, nr in tree.stacks().items():
        assert path[0][2] == TASK
        names = ["[unknown]" if kind == NAMELESS else name
                 for name, _, kind in path[0 if has_task else 1:]]
        found[";".join(names)] += nr
    return found


def lines_of(text, columns):
    """Folded lines as {stack: (number, ...)}."""
    found = {}
    for line in text.splitlines():
        stack, *numbers = line.rsplit(" ", columns)
        found[stack] = tuple(map(int, numbers))
    return found


def samples_by_lane(page):
    sums = collections.Counter()
    for tree in page.trees:
        for _, _, _, lane, nr, _ in tree.entries:
            sums[lane] += nr
    return sums


def check_top(words, fleet):
    page, top = page_of(words, *TOP), json_of(words, *TOP, "--limit", "1000")
    event, = top["events"]
    head, = page.head["events"]
    assert head["name"] == event["event"]
    assert head["samples"] == sum(row["samples"] for row in event["rows"])
    assert head["samples"] == event["samples"] > 1000
    assert head["total"] == sum(row["period"] for row in event["rows"])
    assert head["unit"] == "ns"
    assert page.head["left_out"] == {"nodes": 0, "samples": 0}
    tree, = page.trees
    lines = lines_of(answer(words, *TOP, form="folded"), 1)
    assert folded_of(page, tree, True) == {s: n for s, (n,) in lines.items()}
    # each row's own samples are those of the function's nodes
    own = collections.Counter()
    for node, _, _, _, nr, period in tree.entries:
        name, dso, kind = page.functions[tree.function[node]]
        assert kind == 0
        own[f"[.] {name}", dso] += nr
    assert own == {(row["symbol"], row["dso"]): row["samples"]
                   for row in event["rows"]}
    lanes = [lane["comm"] for lane in page.head["lanes"]]
    assert page.head["lane"] == "release" and sorted(lanes) == ["A", "B"]
    expected = collections.Counter()
    for at in fleet.slices:
        expected["AB"[at["side"]]] += sum(at["counts"].values())
    assert {lanes[i]: nr for i, nr in samples_by_lane(page).items()} \
        == expected
    facts = dict(page.head["recordings"][0])
    assert facts["hosts"] == str(top["hosts"])
    assert facts["slices"] == str(len(fleet.slices))
    assert facts["samples"] == str(event["samples"])
    assert facts["samples lost"] == "0"
    assert page.head["warnings"] == [] and page.head["losses"] == []
    return page


def check_diff(words, *options):
    """The page of a diff, and the table in it."""
    page, diff = page_of(words, *DIFF, *options), json_of(words, *DIFF,
                                                         *options)
    assert nearly(page.head["diff"], diff)
    tree, = page.trees
    lines = lines_of(answer(words, *DIFF, form="folded"), 2)
    lanes = [side for side in (0, 1)
             for _ in page.head.get("groups", diff["sides"])[side]]
    assert len(lanes) == len(page.head["lanes"])
    sides = [collections.Counter(), collections.Counter()]
    for node, _, _, lane, nr, _ in tree.entries:
        names = []
        while tree.parent[node]:
            names.append(page.functions[tree.function[node]][0])
            node = tree.parent[node]
        sides[lanes[lane]][";".join(reversed(names))] += nr
    for side in (0, 1):
        assert sides[side] == {stack: nrs[side]
                               for stack, nrs in lines.items() if nrs[side]}
    return page, diff


def counts_of(fleet, side):
    return {at["host"]: sum(at["counts"].values())
            for at in fleet.slices if at["side"] == side}


def check_hosts(page, diff, fleet):
    """Each host is a lane, in the order of the diff's sides."""
    assert page.head["lane"] == "host" and "groups" not in page.head
    names = [lane["comm"] for lane in page.head["lanes"]]
    assert names == [run["file"] for side in diff["sides"] for run in side]
    sums = samples_by_lane(page)
    first = len(diff["sides"][0])
    assert [sums[i] for i in range(len(names))] == [
        counts_of(fleet, i >= first)[name] for i, name in enumerate(names)]


def test_top_of_clickhouse(load, fleet):
    page = check_top(load(fleet), fleet)
    assert page.head["title"] == "fleet top"
    assert page.head["cpus"] == [-1]


def test_diff_of_clickhouse(load, fleet):
    page, diff = check_diff(load(fleet))
    check_hosts(page, diff, fleet)
    assert page.head["title"] == "release=A → release=B"
    assert page.head["pairs"] is False
    assert page.head["warnings"] == []
    facts = dict(page.head["recordings"][0])
    assert facts["hosts"] == "6 old, 6 new"
    assert facts["old side"] == "release=A"
    page, _ = check_diff(load(fleet), "--children", "--significant")
    assert page.head["diff"]["children"]


def test_samples_may_be_on_both_sides(load, fleet):
    """As in the table, those of release B are on the new side, too."""
    options = ("fleet", "diff", "--old", "service=shop", "--new", "release=B")
    words = load(fleet)
    page, diff = page_of(words, *options), json_of(words, *options)
    assert nearly(page.head["diff"], diff)
    event, = diff["events"]
    sums, first = samples_by_lane(page), len(diff["sides"][0])
    assert first == 12 and len(page.head["lanes"]) == 18
    assert sum(sums[i] for i in range(first)) == event["baseline_samples"]
    assert sum(sums[i] for i in range(first, 18)) == event["new_samples"]
    assert event["baseline_samples"] > event["new_samples"] > 1000
    names = [lane["comm"] for lane in page.head["lanes"]]
    for i in range(first, 18):
        assert sums[i] == sums[names.index(names[i])]


def test_top_and_diff_of_duckdb(duckdb, fleet):
    words = duckdb(fleet)
    check_top(words, fleet)
    check_hosts(*check_diff(words), fleet)


def test_pairs_have_the_same_lane_on_both_sides(load, paired):
    words = load(paired)
    page, diff = check_diff(words)
    check_hosts(page, diff, paired)
    names = [lane["comm"] for lane in page.head["lanes"]]
    assert page.head["pairs"] is True and names[:8] == names[8:]
    page, _ = check_diff(words, "--no-pairs")
    assert page.head["pairs"] is False


def check_groups(words):
    page, diff = check_diff(words)
    assert page.head["lane"] == "group"
    old, new = page.head["groups"]
    assert len(old) == len(new) == 50 and len(page.head["lanes"]) == 100
    for groups, side in ((old, "old"), (new, "new")):
        sizes = [int(at["file"].split(", ")[1].split()[0])
                 if at["file"].startswith(f"{side} group ") else 1
                 for at in groups]
        assert sum(sizes) == 55 and set(sizes) == {1, 2}
    assert min(samples_by_lane(page)[i] for i in range(100)) > 0
    warning, = page.head["warnings"]
    assert warning.startswith("55 old and 55 new hosts are in 50 and 50 random groups")
    assert len(diff["sides"][0]) == 55
    return page


def test_many_hosts_are_groups_in_clickhouse(load, large):
    page = check_groups(load(large))
    # a group of one host has that host's samples
    counts = counts_of(large, 0)
    for i, lane in enumerate(page.head["lanes"][:50]):
        if lane["comm"] in counts:
            assert samples_by_lane(page)[i] == counts[lane["comm"]]


def test_many_hosts_are_groups_in_duckdb(duckdb, large):
    check_groups(duckdb(large))


def test_groups_of_pairs_have_the_same_hosts(load, tmp_path):
    """Each host has the same samples on both sides, so that each group has."""
    fleet = Fleet(tmp_path, 0)
    for host in range(51):
        for side in (0, 1):
            name = f"host-{host}-{'AB'[side]}"
            path = hosts.record(
                tmp_path / f"{name}.data", f"host-{host}", fleet.apps[side],
                {("main", "hash"): 10 + host * host},
                start_ns=1000 * (1 + side))  # else they are one slice
            fleet.slices.append(fleet.export(path, name, "AB"[side]))
    page, _ = check_diff(load(fleet))
    sums = samples_by_lane(page)
    assert page.head["pairs"] is True
    assert [sums[i] for i in range(50)] == [sums[50 + i] for i in range(50)]
    assert len({sums[i] for i in range(50)}) > 40


def test_time_has_bins_of_the_rows(load, server, fleet):
    """Copies of release A, an hour and a day later."""
    words = load(fleet)
    for later_s in (3600, 86400):
        server.ask(
            f"INSERT INTO perfpair.samples SELECT version, run, slice + "
            f"{later_s}, start + {later_s}, load, seq, rows, lost, damaged, "
            f"host, release, service, labels, cgroup, pod, container, comm, "
            f"event, is_clock, time + {later_s}, bin, stack, code, function, "
            "weight, number FROM perfpair.samples WHERE release = 'A' "
            f"AND start < (SELECT min(start) + 1000 FROM perfpair.samples)")
    page = page_of(words, *TOP)
    at = page.head["time"]
    width = int(server.ask("SELECT max(bin) FROM perfpair.samples"))
    assert at["utc"] is True and 20 < at["bins"] <= 102
    step = at["bin_ns"] // 10**9
    assert step % width == 0 and at["first_ns"] % at["bin_ns"] == 0
    expected = collections.Counter()
    for line in server.ask(
            "SELECT toUInt32(time), sum(number) FROM perfpair.samples GROUP "
            "BY time").decode().splitlines():
        second, nr = map(int, line.split("\t"))
        expected[(second - at["first_ns"] // 10**9) // step] += nr
    found = collections.Counter()
    for _, bin_, _, _, nr, _ in page.trees[0].entries:
        found[bin_] += nr
    assert found == expected and len(found) >= 3
    assert max(found) == at["bins"] - 1
    event, = json_of(words, *TOP)["events"]
    assert page.head["events"][0]["samples"] == event["samples"]


def test_slices_that_are_there_twice_count_once(load, server, fleet):
    words = load(fleet)
    once = page_of(words, *TOP)
    fleet.load(server)
    page = page_of(words, *TOP)
    assert page.trees[0].stacks() == once.trees[0].stacks()
    assert page.head["events"] == once.head["events"]
    check_hosts(*check_diff(words), fleet)


def test_page_of_a_cluster(start_servers, tmp_path, fleet):
    """Both servers' hosts, also if rows are there twice."""
    servers = start_servers(tmp_path, 2)
    try:
        first, second = servers
        words = ["--cluster", "--", *first.client]
        fleet.load(first, "_all")
        rows = len(fleet.data("samples").splitlines())
        wait(servers, "samples", rows)
        wait(servers[:1], "stacks", 1)
        check_top(words, fleet)
        check_hosts(*check_diff(words), fleet)
        fleet.load(first, "_all", ["samples"])
        wait(servers, "samples", 2 * rows)
        check_top(words, fleet)
        check_hosts(*check_diff(words), fleet)
        second.stop()
        page = page_of(words, *TOP, "--partial", code=3)
        assert page.head["warnings"] == [
            "1 of 2 servers do not answer: their hosts are missing"]
        assert 0 < int(dict(page.head["recordings"][0])["hosts"]) < 12
    finally:
        for server in servers:
            server.stop()


def wait(servers, table, least):
    """Distributed tables send rows on in the background."""
    for _ in range(100):
        nr = sum(int(at.ask(f"SELECT count() FROM perfpair.{table}"))
                 for at in servers)
        if nr >= least:
            return
        time.sleep(0.1)
    assert nr >= least


def test_what_is_missing_stands_in_front(load, server, fleet, tmp_path):
    words = load(fleet)
    lines = fleet.data("samples").splitlines(keepends=True)
    server.ask("TRUNCATE TABLE perfpair.samples")
    server.ask("INSERT INTO perfpair.samples FORMAT TabSeparated",
               b"".join(lines[:-2]))
    lacking = "1 of 12 slices lack rows: load them again"
    for options in (TOP, DIFF):
        assert page_of(words, *options, code=3).head["warnings"] == [lacking]
    server.ask("TRUNCATE TABLE perfpair.stacks")
    page = page_of(words, *TOP, code=3)
    nr = page.head["events"][0]["samples"]
    assert page.head["warnings"] == [
        lacking, f"{nr} samples are of stacks that were not loaded: load what "
        "export --stacks has written"]
    assert page.trees[0].stacks() == {
        (("app", "", TASK), ("[stack not loaded]", "[stack not loaded]",
                             NAMELESS)): nr}


def test_lost_samples_are_told(load, tmp_path):
    fleet = Fleet(tmp_path, 0)
    for host, lost in (("x", 7), ("y", 0)):
        path = hosts.record(tmp_path / f"{host}.data", host, fleet.apps[0],
                            {("main", "hash"): 93}, lost=lost)
        fleet.slices.append(fleet.export(path, host, "A"))
    page = page_of(load(fleet), *TOP)
    assert page.head["losses"] == [
        {"bin": 0, "bins": 0, "cpu": -1, "samples": 7}]
    assert dict(page.head["recordings"][0])["samples lost"] == "7"


def test_functions_have_their_kinds(load, server, tmp_path):
    """As rows name them; nameless code that calls such is one node."""
    fleet = Fleet(tmp_path, 0)
    path = hosts.record(tmp_path / "x.data", "x", fleet.apps[0], {
        ("main", "parse", "hash"): 5, ("main", "render", "copy"): 7,
        ("main", "flush", "rare"): 9})
    fleet.slices.append(fleet.export(path, "x", "A"))
    words = load(fleet)
    kinds = {b"parse": (b"read", b"k", b"kernel", b"[kernel.kallsyms]"),
             b"hash": (b"hash", b".", b"jit", b"[JIT]"),
             b"render": (b"[unknown]", b".", b"nameless", b"x.so"),
             b"copy": (b"[unknown]", b".", b"nameless", b"x.so"),
             b"flush": (b"flush", b"g", b"user", b"[guest]"),
             b"rare": (b"rare", b".", b"inlined", b"app")}
    rows = []
    for line in fleet.data("stacks").splitlines():
        fields = line.split(b"\t")
        fields[6:10] = kinds.get(fields[6], fields[6:10])
        rows.append(b"\t".join(fields) + b"\n")
    server.ask("TRUNCATE TABLE perfpair.stacks")
    server.ask("INSERT INTO perfpair.stacks FORMAT TabSeparated",
               b"".join(rows))
    begin = (("app", "", TASK), ("main", "app", 0))
    for options in (TOP, ("fleet", "diff", "--old", "release=A",
                                    "--new", "host=x")):
        page = page_of(words, *options)
        times = 1 + ("diff" in options)
        assert page.trees[0].stacks() == {
            (*begin, ("read", "[kernel.kallsyms]", 1), ("hash", "[JIT]", 2)):
                5 * times,
            (*begin, ("x.so", "x.so", NAMELESS)): 7 * times,
            (*begin, ("flush", "[guest]", 4), ("rare", "app", 3)): 9 * times}


def test_filters_stand_in_the_facts(load, fleet):
    words = load(fleet)
    page = page_of(words, *TOP, "--filter", "host=host-3", "--filter",
                   "zone=eu", "--from", "0")
    facts = dict(page.head["recordings"][0])
    assert facts["only samples of"] == "host=host-3, zone=eu"
    assert facts["from"] == "1970-01-01 00:00:00 UTC"
    assert facts["hosts"] == "1"
    assert page.head["title"] == "fleet top: host=host-3, zone=eu"
    assert page.head["events"][0]["samples"] == sum(
        fleet.slices[3]["counts"].values())
    assert b"no samples of that" in perfpair(
        *TOP, "--filter", "zone=us", "--format", "html", *words,
        code=1).stderr


NASTY = "a'b\"</script><img src=x>@DATA@\\d\\t\t\n;--\r\u00e9"

RELEASE = "a'b\"</script><img src=x>@DATA@\\d\\t"


@pytest.mark.parametrize("engine", ["clickhouse", "duckdb"])
def test_hostile_names_are_data(engine, server, tmp_path, request):
    app = hosts.build(tmp_path / "bin")
    program = app.rename(tmp_path / "bin" / NASTY.replace("/", ""))
    path = hosts.record(tmp_path / "x.data", NASTY, program,
                        {("main", "hash"): 30, ("main",): 10},
                        comm=NASTY[:15])
    perfpair("export", "--format", "rows", "-i", path, "--label",
             f"release={RELEASE}", "-o", tmp_path / "x.samples.tsv",
             "--stacks", tmp_path / "x.stacks.tsv")
    if engine == "clickhouse":
        for table in "samples", "stacks":
            server.ask(f"TRUNCATE TABLE perfpair.{table}")
            server.ask(f"INSERT INTO perfpair.{table} FORMAT TabSeparated",
                       (tmp_path / f"x.{table}.tsv").read_bytes())
        words = ["--", *server.client]
    else:
        words = request.getfixturevalue("duckdb")(
            type("Made", (), {"folder": tmp_path}))
    html = answer(words, *TOP, "--filter", f"host={safe(NASTY)}", form="html")
    assert html.count("</script>") == 3 and "<img" not in html
    page = Page(html)
    dso = safe(NASTY.replace("/", ""))
    comm = safe(NASTY[:15])
    assert page.trees[0].stacks() == {
        ((comm, "", TASK), ("main", dso, 0)): 10,
        ((comm, "", TASK), ("main", dso, 0), ("hash", dso, 0)): 30}
    assert [lane["comm"] for lane in page.head["lanes"]] == [RELEASE]
    assert page.head["title"] == f"fleet top: host={safe(NASTY)}"


def test_page_is_no_larger_than_allowed(load, tmp_path):
    fleet = Fleet(tmp_path, 0)
    names = [f"function_{nr * nr}" for nr in range(300)]
    app = hosts.build(tmp_path / "bin", ["main", *names])
    path = hosts.record(tmp_path / "x.data", "x", app,
                        {("main", name): 1 + nr % 7
                         for nr, name in enumerate(names)})
    fleet.slices.append(fleet.export(path, "x", "A"))
    words = load(fleet)
    whole = answer(words, *TOP, form="html")
    least = len(whole.encode()) - 500
    html = answer(words, *TOP, "--page-size", str(least), form="html")
    assert len(html.encode()) <= least
    page = Page(html)
    assert page.head["left_out"]["nodes"] > 0
    assert page.head["events"] == Page(whole).head["events"]
    assert b"--page-size" in perfpair(*TOP, "--page-size", "1k", "--format",
                                      "html", *words, code=1).stderr


def test_output_file_is_the_page(load, fleet, tmp_path):
    words = load(fleet)
    out = tmp_path / "top.html"
    done = perfpair(*TOP, "--format", "html", "-o", out, *words, code=0)
    assert not done.stdout and out.read_text() == answer(words, *TOP,
                                                         form="html")


@pytest.mark.parametrize("words, why", [
    (["trend"], b"--format html is of top and diff"),
    (["hosts"], b"--format html is of top and diff"),
    (["top", "--children"], b"whole stacks"),
])
def test_other_questions_have_no_page(words, why):
    assert why in perfpair("fleet", *words, "--format", "html",
                           code=2).stderr


def shown(chromium, folder, words, *options):
    path = folder / "page.html"
    path.write_text(answer(words, *options, form="html"))
    return Shown(chromium, path, None).open()


ROOT_TOTAL = "return [pp.app.weights().total[0], pp.app.weights().samples[0]]"


def test_browser_shows_a_top(chromium, load, server, fleet, tmp_path):
    words = load(fleet)
    server.ask("INSERT INTO perfpair.samples SELECT version, run, slice + 1, "
               "start + 7200, load, seq, rows, lost, damaged, host, release, "
               "service, labels, cgroup, pod, container, comm, event, "
               "is_clock, time + 7200, bin, stack, code, function, weight, "
               "number FROM perfpair.samples WHERE release = 'A'")
    page = shown(chromium, tmp_path, words, *TOP)
    event = page.js("return pp.app.eventHead()")
    assert page.js(ROOT_TOTAL) == [event["total"], event["samples"]]
    assert page.text("title") == "fleet top"
    page.open("v=time")
    assert page.text(".timeview h2") == "Releases"
    assert page.js("return pp.app.rows.list().map((r) => r.label)") \
        == ["A", "B"]
    page.open("v=flame&t=0-3600")
    when = page.js("return pp.app.page.head.time.first_ns") / 1e9
    span = [time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(when + later))
            for later in (0, 3600)]
    assert " – ".join(span) in page.text("#chips")
    # B ran at first only, and A then and later
    assert page.js(ROOT_TOTAL)[1] == sum(
        sum(at["counts"].values()) for at in fleet.slices)
    page.open("v=facts")
    assert "releases2" in page.text(".facts dl")
    assert "UTC, in" in page.text(".facts dl")
    assert page.errors() == []


INTERVALS = """
    const {at} = pp.app.nodes(), {shape} = pp.app.shape(), out = {};
    for (let i = 1; i < shape.n; i++) {
        const m = at(i);
        out[pp.app.page.name[shape.func[i]]] = [m.delta, m.low, m.high];
    }
    return out;"""


@pytest.mark.parametrize("which", ["fleet", "paired"])
def test_browser_has_the_intervals_of_c(chromium, load, which, request,
                                        tmp_path):
    """Of functions that are one node of the tree."""
    words = load(request.getfixturevalue(which))
    page = shown(chromium, tmp_path, words, *DIFF)
    found = page.js(INTERVALS)
    rows = json_of(words, *DIFF, "--children")["events"][0]["rows"]
    checked = 0
    for row in rows:
        if row["symbol"] not in ("hash", "render", "copy", "flush", "parse"):
            continue
        delta, low, high = found[row["symbol"]]
        assert delta == pytest.approx(row["delta_pct"], abs=1e-6)
        assert low == pytest.approx(row["low_pct"], abs=1e-6)
        assert high == pytest.approx(row["high_pct"], abs=1e-6)
        checked += 1
    assert checked == 5
    assert page.errors() == []


def test_browser_compares_hosts_that_have_the_event(chromium, server, tmp_path):
    """A host without the event is not one whose functions took nothing."""
    rows = Rows(server)
    for i in range(4):
        rows.put(f"a{i}", "A", "cycles", {"foo": 500 + i, "bar": 500 - i})
        rows.put(f"b{i}", "B", "cycles", {"foo": 450 + i, "bar": 550 - i})
    rows.put("vm", "B", "task-clock", {"foo": 900, "bar": 100})
    words = ["--", *server.client]
    page = shown(chromium, tmp_path, words, *DIFF)
    assert page.js("return pp.app.eventHead().name") == "cycles"
    found = page.js(INTERVALS)
    events = {event["event"]: event for event in json_of(words, *DIFF)["events"]}
    for row in events["cycles"]["rows"]:
        assert found[row["symbol"]] == pytest.approx(
            [row[name] for name in ("delta_pct", "low_pct", "high_pct")],
            abs=1e-6)
    assert found["foo"][0] == pytest.approx(-5)
    assert page.errors() == []


def test_browser_shows_groups(chromium, load, large, tmp_path):
    words = load(large)
    page = shown(chromium, tmp_path, words, *DIFF)
    assert page.js("return pp.app.nodes().at(1).was.value") \
        == pytest.approx(100)
    found = page.js(INTERVALS)["hash"]
    row, = [row for row in json_of(words, *DIFF,
                                   "--children")["events"][0]["rows"]
            if row["symbol"] == "hash"]
    # groups have their own weights, so these are near each other
    assert found[0] == pytest.approx(row["delta_pct"], rel=0.05)
    assert row["low_pct"] < found[0] < row["high_pct"]
    assert 0.5 < (found[2] - found[1]) / (row["high_pct"] - row["low_pct"]) < 2
    page.open("v=changes")
    heads = page.js("return [...document.querySelectorAll('[role=columnheader]')]"
                    ".filter((c) => c.offsetWidth > 0).map((c) => c.textContent)")
    assert "Symbol" in heads and "Runs" not in heads  # of hosts there are sums
    page.open("v=time")
    assert page.text(".timeview h2") == "Groups"
    assert page.js("return pp.app.rows.list().map((r) => r.label)") \
        == ["old, 50 groups", "new, 50 groups"]
    page.open("v=facts")
    assert "55 old and 55 new hosts" in page.text(".notes")
    assert page.errors() == []
