"""perfpair diff on recordings that are made to be compared: what its options do
with numbers that are known."""

import csv
import functools
import io
import json
import random
import re

import pytest

from made_file import BITS, File, make
from perf_data import Attr

FAILED, REGRESSION, UNDECIDED = 1, 4, 5
PERIOD, NRCPUS = 1 << 8, 7
FREQ = make.attr_of()["flags"] | 1 << 10
SPAN_NS = 10**9
HARDWARE, TASK_CLOCK = 0, 1


@functools.cache
def recording(counts, seed, lost, cpus, period, attr):
    """The bytes of a recording of a second in which each task has so many samples,
    at random among those of the others."""
    attr = Attr(make.attr_of(sample_type=BITS), **dict(attr))
    file = File(attrs=[attr, attr])
    order = [tid for tid, (_, nr) in enumerate(counts, 10) for _ in range(nr)]
    random.Random(seed).shuffle(order)
    for tid, (comm, _) in enumerate(counts, 10):
        file.add(3, file.e.pack("II", tid, tid) + comm.encode()
                 + bytes(8 - len(comm) % 8), 50 + tid)
    for at, tid in enumerate(order):
        who = dict(file.ident(1000 + SPAN_NS * at // len(order)), pid=tid,
                   tid=tid, period=period)
        file.records.append(file.e.sample(attr, who))
    if lost:
        file.add(2, file.e.words(101, lost), SPAN_NS + 1000)
    if cpus:
        file.features[NRCPUS] = file.e.pack("II", cpus, cpus)
    return file.bytes()


@pytest.fixture
def made(tmp_path):
    """made(NAME, {comm: samples}): the path of such a recording."""
    def make_file(name, counts, seed=1, lost=0, cpus=0, period=0, **attr):
        path = tmp_path / name
        path.write_bytes(recording(tuple(counts.items()), seed, lost, cpus, period,
                                   tuple(attr.items())))
        return path
    return make_file


@pytest.fixture
def sides(made):
    """sides(OLD, NEW): words that compare three runs of each, whose counts
    differ by a few."""
    def of(*counts):
        files = [[made(f"{side} {run}", {comm: nr + 3 * run for comm, nr
                                         in of_side.items()}, seed=10 * run + side)
                  for run in range(3)] for side, of_side in enumerate(counts)]
        return ["--old", *files[0], "--new", *files[1]]
    return of


@pytest.fixture
def rows_of(run, perfpair):
    """rows_of(*WORDS): the rows by comm, of the first event."""
    def of(*words):
        done = run([perfpair, "diff", "-s", "comm", "--format", "json", *words])
        assert (done.returncode, done.stderr) == (0, "")
        rows = json.loads(done.stdout)["events"][0]["rows"]
        return {row["comm"]: row for row in rows}
    return of


@pytest.mark.parametrize("words, status", [
    (["--fail-above", "10"], REGRESSION),  # 50 % of all to 67 %
    (["--fail-above", "25"], REGRESSION),
    (["--fail-above", "32"], UNDECIDED),
    (["--fail-above", "32", "--undecided", "fail"], REGRESSION),
    (["--fail-above", "32", "--undecided", "ok"], 0),
    (["--fail-above", "40"], 0),
    (["--fail-above", "90", "--measure", "count"], REGRESSION),
    (["--fail-above", "110", "--measure", "count"], 0),
    (["--fail-above", "10", "--per", "calls=1:2"], 0),
    (["--fail-above", "10", "--per", "calls=2:1"], REGRESSION),
])
def test_what_got_dearer_by_more_than_the_limit_fails(sides, run, perfpair, words,
                                                      status):
    old, new = {"same": 1000, "dearer": 1000}, {"same": 1000, "dearer": 2000}
    both = sides(old, new)
    for form in ("text", "json", "csv"):
        done = run([perfpair, "diff", "-s", "comm", "--format", form, *words,
                    *both])
        assert done.returncode == status
        answer = "undecided" if "32" in words else \
            "worse" if status else "not worse"
        assert f"--fail-above {words[1]}: {answer}: " in done.stderr
        assert done.stderr.endswith(f" (exit code {status})\n")
        assert ("dearer grew by" in done.stderr) == (answer == "worse")
        assert done.stdout
    done = run([perfpair, "diff", "-s", "comm", "--measure", "count",
                "--fail-above", "0", *sides({"one": 1000, "cheaper": 2000},
                                            {"one": 1000, "cheaper": 1000})])
    assert done.returncode == 0


def test_a_new_row_fails_by_its_share_of_all(sides, run, perfpair):
    both = sides({"one": 1000, "other": 1000},
                 {"one": 1000, "other": 1000, "new": 60})
    for measure in ("share", "count", "wall", "cpu"):
        for limit, status in (("2", REGRESSION), ("6", 0)):
            done = run([perfpair, "diff", "-s", "comm", "--measure", measure,
                        "--fail-above", limit, *both])
            assert done.returncode == status, (measure, limit)


def test_one_run_a_side_marks_nothing(made, run, perfpair):
    """However much it changed: nobody can know how much runs differ."""
    old = made("old", {"same": 1000, "dearer": 100})
    new = made("new", {"same": 1000, "dearer": 3000}, seed=2)
    more = made("more", {"same": 1000, "dearer": 3000}, seed=3)
    for words in ([old, new], ["--old", old, "--new", new, more],
                  [old, new, more]):
        words = [perfpair, "diff", "-s", "comm", *words]
        data = json.loads(run([*words, "--format", "json"]).stdout)
        rows = [row for event in data["events"] for row in event["rows"]]
        assert not any(row["significant"] for row in rows)
        assert all(row["p_value"] is None for row in rows)
        assert data["tested"] is False
        text = run(words).stdout
        assert "nobody can know" in text
        assert "--old A B C --new D E F" in text
        assert "more than chance" not in text
        done = run([*words, "--fail-above", "5"])
        assert (done.returncode, done.stdout) == (2, "")
        assert "--fail-above needs two runs or more" in done.stderr


def test_parts_of_one_recording_are_marked(made, rows_of):
    path = made("one", {"one": 2000, "other": 2000})
    assert rows_of(path, path)["one"]["p_value"] == 1


def test_a_small_row_does_not_cost_a_large_one_its_mark(sides, rows_of):
    """p of the large one is just enough for itself, and not for all."""
    small = {f"small{nr}": 8 for nr in range(40)}
    alone = rows_of("--measure", "count",
                    *sides({"large": 3000, "rest": 1000},
                           {"large": 3018, "rest": 1000}))
    among = rows_of("--measure", "count",
                    *sides({"large": 3000, "rest": 1000, **small},
                           {"large": 3018, "rest": 1000, **small}))
    assert alone["large"]["significant"]
    assert among["large"]["p_value"] > 0.05 / 42
    assert among["large"]["significant"]


def test_a_hundred_files(made, run, perfpair):
    files = [made(f"{nr}", {"one": 60, "other": 60 + nr}, seed=nr)
             for nr in range(100)]
    done = run([perfpair, "diff", "-s", "comm", "--format", "json", *files])
    data = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert [side[0]["file"] for side in data["sides"]] == [str(f) for f in files]
    for nr, event in enumerate(data["events"], 1):
        assert event["side"] == nr
        assert event["new_samples"] == 120 + nr
        assert {row["comm"]: row["new_samples"] for row in event["rows"]} == {
            "one": 60, "other": 60 + nr}
    assert len(data["events"]) == 99
    done = run([perfpair, "diff", "-s", "comm", "--format", "json", "--measure",
                "count", "--old", *files[:50], "--new", *files[50:]])
    rows = {row["comm"]: row for row in json.loads(done.stdout)["events"][0]["rows"]}
    assert rows["other"]["delta"] == pytest.approx(50 * 4000)
    assert rows["other"]["significant"]
    assert not rows["one"]["significant"]


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("what, reason", [
    ("empty", "the file is empty"),
    ("text", "at byte 0x0: this is not a perf.data file"),
    ("missing", "No such file or directory"),
    ("folder", "no recording: the directory has no file 'data'"),
    ("header", "there are no samples in it"),
])
def test_a_file_that_is_no_recording_is_named(made, run, perfpair, tmp_path,
                                              what, reason, place):
    bad = tmp_path / what
    if what == "folder":
        bad.mkdir()
    elif what == "header":
        bad.write_bytes(File().bytes())
    elif what != "missing":
        bad.write_text("" if what == "empty" else "a report of perf\n" * 20)
    files = [made(f"{nr}", {"one": 60 + nr}) for nr in range(3)]
    files.insert(place, bad)
    for words in (files, ["--old", *files[:2], "--new", *files[2:]]):
        done = run([perfpair, "diff", *words])
        assert (done.returncode, done.stdout) == (FAILED, "")
        assert done.stderr.startswith(f"perfpair: {bad}: {reason}")


def test_different_events_are_an_error_that_names_the_files(made, run, perfpair):
    old = made("old", {"one": 60})
    new = made("new", {"one": 60}, config=TASK_CLOCK)
    done = run([perfpair, "diff", old, new])
    assert (done.returncode, done.stdout) == (FAILED, "")
    assert done.stderr.startswith(
        f"perfpair: {old} and {new} have no event in common\n")


def test_units_of_work_divide_what_was_counted(made, rows_of, run, perfpair):
    old = made("old", {"one": 1000, "other": 500})
    new = made("new", {"one": 2000, "other": 500}, seed=2)
    rows = rows_of("--per", "requests=1000:2000", old, new)
    assert rows["one"]["baseline"] == rows["one"]["new"] == 4000
    assert rows["other"]["baseline"] == 2000
    assert rows["other"]["new"] == 1000
    assert rows["other"]["relative_pct"] == -50
    assert rows["other"]["high"] < 0
    assert rows["one"]["low"] < 0 < rows["one"]["high"]
    text = run([perfpair, "diff", "--per", "requests=1000:2000", old, new]).stdout
    assert text.startswith("# Compared: events per unit of work (requests). ")


@pytest.mark.parametrize("attr, unit, shown", [
    ({"sample_period": 9}, "ns of CPU time", "9000"),
    ({}, "us of CPU time", "4000.00"),
    ({"sample_period": 40_000_000}, "s of CPU time", "40.00"),
    ({"type": HARDWARE, "sample_period": 4_000_000}, "millions of cycles:HG",
     "4000.00"),
])
def test_numbers_have_a_unit_that_can_be_read(made, run, perfpair, attr, unit,
                                              shown):
    old = made("old", {"one": 1000, "other": 500}, **attr)
    for words, per in ((["--measure", "count"], " a run"),
                       (["--per", "calls=1:1"], " per unit of work")):
        text = run([perfpair, "diff", "-s", "comm", *words, old, old]).stdout
        assert f"\n# Numbers are {unit}{per}.\n" in text
        assert f" {shown} " in text


def test_lost_samples_widen_by_what_they_could_have_been(made, rows_of):
    counts = {"one": 900, "other": 300}
    old, new = made("old", counts), made("new", counts, seed=2)
    some = made("some", counts, seed=2, lost=400)  # a quarter
    for words, up, down in ((["--measure", "share"], {"one": 100 / 16, "other":
                                                      300 / 16},
                             {"one": 300 / 16, "other": 100 / 16}),
                            (["--measure", "count"],
                             {"one": 1.2e6, "other": 4e5},
                             {"one": 0, "other": 0})):
        before, after = (rows_of(*words, old, path) for path in (new, some))
        pct = "_pct" if "share" in words else ""
        for comm in counts:
            was, now = before[comm], after[comm]
            assert now["delta" + pct] == was["delta" + pct] == 0
            assert now["high" + pct] - was["high" + pct] == pytest.approx(
                up[comm])
            assert was["low" + pct] - now["low" + pct] == pytest.approx(
                down[comm])


def test_other_periods_and_cpus_are_allowed_for(made, rows_of, run, perfpair):
    """Half as many samples of twice the period are as much."""
    old = made("old", {"one": 1000, "other": 500}, cpus=2)
    new = made("new", {"one": 500, "other": 250}, cpus=4, sample_period=8000)
    for words in (["--measure", "share"], ["--measure", "count"]):
        for row in rows_of(*words, old, new).values():
            assert row["relative_pct"] == 0
            assert not row["significant"]
    text = run([perfpair, "diff", "-s", "comm", old, new]).stdout
    assert "# The machines have 2 to 4 CPUs; shares do not depend on it.\n" \
        in text


def at_hz(made, name, hz, is_told, **attr):
    """A second of a busy CPU: 60 % of it are one's."""
    return made(name, {"one": hz * 6 // 10, "other": hz * 4 // 10}, seed=hz,
                flags=FREQ, sample_period=hz, period=10**9 // hz,
                sample_type=BITS | PERIOD if is_told else BITS, **attr)


@pytest.mark.parametrize("are_told", [(True, True), (True, False),
                                      (False, False)])
@pytest.mark.parametrize("words, value, pct", [
    (["--measure", "share"], 60, "_pct"),
    (["--measure", "wall"], 6e8, ""),
    (["--measure", "cpu"], 6e8, ""),
    (["--measure", "count"], 6e8, ""),
    (["--per", "seconds=1:1"], 6e8, ""),
], ids=["share", "wall", "cpu", "count", "unit"])
def test_other_frequencies_are_allowed_for(made, rows_of, words, value, pct,
                                           are_told):
    """Rates of a clock are equal, whether samples tell their periods or not."""
    old = at_hz(made, "old", 500, are_told[0])
    new = at_hz(made, "new", 2000, are_told[1], cpus=4)
    row = rows_of(*words, old, new)["one"]
    assert row["baseline" + pct] == pytest.approx(value)
    assert row["new" + pct] == pytest.approx(value)
    assert row["relative_pct"] == pytest.approx(0, abs=1e-9)
    assert not row["significant"]
    more = at_hz(made, "more", 1000, are_told[0])
    row = rows_of(*words[:-1], words[-1].replace("=1:1", "=1:2"), "--old", old,
                  "--new", new, more)["one"]
    assert row["relative_pct"] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("words", [
    ["--measure", "wall"], ["--measure", "count"], ["--per", "x=1:1"],
    ["-c", "ratio"], ["-c", "wdiff:1,2"]], ids=" ".join)
@pytest.mark.parametrize("is_old_told", [True, False])
def test_numbers_that_samples_do_not_tell_are_refused(made, run, perfpair,
                                                      rows_of, words,
                                                      is_old_told):
    """A frequency says nothing of how many cycles a sample stands for."""
    old = at_hz(made, "old", 500, is_old_told, type=HARDWARE)
    new = at_hz(made, "new", 2000, False, type=HARDWARE)
    done = run([perfpair, "diff", "-s", "comm", *words, old, new])
    bad = new if is_old_told else old
    assert (done.returncode, done.stdout) == (FAILED, "")
    assert done.stderr.startswith(
        f"perfpair: {bad}: its samples do not tell how many ")
    assert rows_of(old, new)["one"]["delta_pct"] == 0
    assert run([perfpair, "diff", "--no-interval", "-c", "ratio", old,
                new]).returncode == 0


@pytest.mark.parametrize("measure, pct", [("share", "_pct"), ("count", "")])
@pytest.mark.parametrize("run_nr", [2, 3])
def test_runs_that_are_all_alike_are_not_certain(made, rows_of, measure, pct,
                                                 run_nr):
    """As tracepoints' counts can be: chance is what is left to compare with."""
    def runs(name, nr):
        return [made(f"{name}{at}", {"one": 1000, "other": nr}, seed=nr + at)
                for at in range(run_nr)]

    old, near, far = runs("old", 1000), runs("near", 1003), runs("far", 1600)
    near = rows_of("--measure", measure, "--old", *old, "--new", *near)["other"]
    far = rows_of("--measure", measure, "--old", *old, "--new", *far)["other"]
    assert far["low" + pct] > 0
    assert far["significant"]
    assert near["low" + pct] < 0 < near["high" + pct]
    assert near["p_value"] > 0.1


def test_two_and_three_runs(made, rows_of):
    """A side's degrees of freedom are its runs less 1."""
    old = [made(f"o{nr}", {"one": 100, "other": nr}) for nr in (60, 61)]
    new = [made(f"n{nr}", {"one": 100, "other": nr}) for nr in (62, 70, 75)]
    rows = rows_of("--old", *old, "--new", *new)
    for row in rows.values():
        assert 0 < row["p_value"] < 1
        assert row["low_pct"] < row["delta_pct"] < row["high_pct"]
    assert rows["one"]["delta_pct"] == pytest.approx(-rows["other"]["delta_pct"])


def test_what_a_run_has_in_all_has_an_interval(made, run, perfpair):
    """Welch's, of four degrees of freedom: t is 2.776 (Abramowitz and Stegun,
    Table 26.10)."""
    old = [made(f"o{nr}", {"one": nr}) for nr in (100, 101, 102)]
    new = [made(f"n{nr}", {"one": nr}) for nr in (110, 111, 112)]
    words = [perfpair, "diff", "-s", "comm", "--old", *old, "--new", *new]
    event = json.loads(run([*words, "--format", "json"]).stdout)["events"][0]
    reach = 100 / 101 * 2.776 * (2 / 3) ** 0.5
    assert event["total_relative_pct"] == pytest.approx(1000 / 101)
    assert event["total_low_pct"] == pytest.approx(1000 / 101 - reach, rel=1e-3)
    assert event["total_high_pct"] == pytest.approx(1000 / 101 + reach, rel=1e-3)
    assert "(+9.9% a run, 95% interval [+7.7%, +12.1%])\n" in run(words).stdout
    words = [perfpair, "diff", "-s", "comm", old[0], new[0]]
    event = json.loads(run([*words, "--format", "json"]).stdout)["events"][0]
    assert event["total_relative_pct"] == pytest.approx(10)
    assert event["total_low_pct"] is event["total_high_pct"] is None
    assert "(+10.0%)\n" in run(words).stdout


def test_the_one_row_is_all_on_both_sides(made, rows_of):
    files = [made(f"{nr}", {"one": 100 + nr}) for nr in range(4)]
    for words in (files[:2], ["--old", *files[:2], "--new", *files[2:]]):
        row = rows_of(*words)["one"]
        assert [row[name] for name in ("baseline_pct", "new_pct", "delta_pct",
                                       "low_pct", "high_pct", "p_value")] == [
            100, 100, 0, 0, 0, None]


def test_samples_without_events_are_a_share_of_nothing(made, run, perfpair):
    old = made("old", {"one": 100}, sample_period=0)
    new = made("new", {"one": 100})
    for files in ([old, old], [old, new], [new, old],
                  ["--old", old, made("o", {"one": 101}, sample_period=0),
                   "--new", new, made("n", {"one": 101})]):
        for measure in ("share", "count", "wall", "cpu"):
            done = run([perfpair, "diff", "-s", "comm", "--measure", measure,
                        *files])
            assert (done.returncode, done.stderr) == (0, "")
            assert "nan" not in done.stdout
            assert "inf" not in done.stdout


def test_csv_has_what_json_has(made, run, perfpair):
    old = made("old", {"one": 1000, "gone": 500}, sample_period=10**10 + 1)
    new = made("new", {"one": 1500, "new": 70}, seed=2, sample_period=10**10 + 3)
    for measure in ("share", "wall"):
        words = [perfpair, "diff", "-s", "comm,pid", "--measure", measure, old,
                 new, "--format"]
        event = json.loads(run([*words, "json"]).stdout)["events"][0]
        lines = list(csv.DictReader(io.StringIO(run([*words, "csv"]).stdout)))
        assert len(lines) == len(event["rows"]) == 3
        for line, row in zip(lines, event["rows"]):
            row = {"event": event["event"], "side": event["side"],
                   "baseline_symbol": "", **row}
            for side in "baseline", "new":  # lists of runs are JSON's alone
                name = f"{side}_runs" + ("_pct" if measure == "share" else "")
                values = row.pop(name)
                assert values == [row[name.replace("_runs", "")]]
            assert sorted(line) == sorted(row)
            for name, value in row.items():
                shown = {None: "", True: "true", False: "false"}.get(value, value) \
                    if value is None or isinstance(value, bool) else value
                assert line[name] == str(shown) or \
                    float(line[name]) == float(shown)
        assert lines[0]["baseline_period"] or lines[0]["new_period"]
        assert sum(int(line["new_period"]) for line in lines) \
            == event["new_period"] == 1570 * (10**10 + 3)


def test_fail_above_names_the_rows(run, perfpair, sides):
    words = sides({"same": 3000, "slower": 1000, "gone": 500},
                  {"same": 3000, "slower": 2000, "fresh": 700})
    done = run([perfpair, "diff", "-s", "comm", "--measure", "count",
                "--fail-above", "10", *words])
    assert done.returncode == REGRESSION
    lines = done.stderr.splitlines()
    assert len(lines) == 3
    assert re.fullmatch(r"perfpair: cpu-clock:HG: slower grew by "
                        r"(99|100|101)\.\d%", lines[0])
    assert re.fullmatch(r"perfpair: cpu-clock:HG: fresh is new and has "
                        r"12\.\d\d% of all", lines[1])
    assert re.fullmatch(r"perfpair: --fail-above 10: worse: cpu-clock:HG in all "
                        r"\+26\.\d% \[\+26\.\d%, \+27\.\d%\] \(exit code 4\)",
                        lines[2])
    done = run([perfpair, "diff", "-s", "comm", "--measure", "count",
                "--fail-above", "200", *words])
    assert done.returncode == 0
    assert re.fullmatch(r"perfpair: --fail-above 200: not worse: cpu-clock:HG in "
                        r"all \+26\.\d% \[.*\] \(exit code 0\)\n", done.stderr)


def test_what_runs_do_not_exclude_is_undecided(run, perfpair, made):
    """Runs that scatter by 10 % do not exclude 5 %: all together decides, though
    no row changed by more than chance."""
    runs = [made(f"run {nr}", {"one": count, "other": count}, seed=nr)
            for nr, count in enumerate((900, 1000, 1100, 910, 1010, 1090))]
    words = [perfpair, "diff", "-s", "comm", "--measure", "count", "--old", *runs[:3],
             "--new", *runs[3:], "--fail-above"]
    done = run([*words, "5"])
    assert done.returncode == UNDECIDED
    found = re.fullmatch(
        r"perfpair: --fail-above 5: undecided: cpu-clock:HG in all \+0\.\d% "
        r"\[-\d+\.\d%, \+(\d+\.\d)%\]; if that is the change, about "
        r"(\d+) more runs a side would do \(exit code 5\)\n", done.stderr)
    assert found and 20 < float(found[1]) < 25 and 25 < int(found[2]) < 45
    assert run([*words, "26"]).returncode == 0
    # shares scatter less, and rows decide
    done = run([*words, "6", "--measure", "share"])
    assert done.returncode == 0
    assert done.stderr == ("perfpair: --fail-above 6: not worse: no row grew by so "
                           "much (exit code 0)\n")


def test_many_small_rows_do_not_make_it_undecided(run, perfpair, sides):
    counts = {"most": 5000, **{f"t{nr}": 20 for nr in range(20)}}
    done = run([perfpair, "diff", "-s", "comm", "--measure", "count",
                "--fail-above", "5", *sides(counts, counts)])
    assert done.returncode == 0, done.stderr


def test_markdown_is_for_a_merge_request(run, perfpair, sides):
    words = sides({"same": 3000, "slow|er`": 1000, "gone": 500},
                  {"same": 3000, "slow|er`": 2000, "fresh": 700})
    done = run([perfpair, "diff", "-s", "comm", "--measure", "count", "--format",
                "markdown", "--fail-above", "10", *words])
    assert done.returncode == REGRESSION
    lines = done.stdout.splitlines()
    assert lines[0].startswith("### perfpair diff --fail-above 10: worse: "
                               "cpu-clock:HG in all +26.")
    assert re.fullmatch(r"\*\*cpu-clock:HG\*\*: A run cost .* s of CPU time, and now "
                        r"costs .* s \(\+26\..*\)\.", lines[2])
    assert lines[4:6] == ["| Row | Changed by | In all | 95% interval |",
                          "|:--|--:|--:|--:|"]
    number = r"[+-]\d+\.\d\d%"
    for line, row in zip(lines[6:9], [r"`slow\\\|er'` \| \+\d+\.\d%",
                                      r"`fresh` \| new",
                                      r"`gone` \| -100\.0%"]):
        assert re.fullmatch(rf"\| {row} \| {number} \| \[{number}, {number}\] \|",
                            line)
    assert re.fullmatch(
        r"3 old and 3 new runs\. 3 of 4 rows changed by more than chance; changes "
        r"below about [\d.]+% of all in a row, and [\d.]+% in all together, may well "
        r"be missed\.", lines[10])
    assert len(lines) == 11


def test_fail_above_counts_what_it_does_not_name(run, perfpair, sides):
    old = {f"t{nr}": 300 for nr in range(14)}
    new = {comm: 900 for comm in old}
    done = run([perfpair, "diff", "-s", "comm", "--measure", "count",
                "--fail-above", "20", *sides(old, new)])
    assert done.returncode == REGRESSION
    lines = done.stderr.splitlines()
    assert len(lines) == 12
    assert lines[10] == "perfpair: and 4 rows more"


@pytest.fixture
def comms_of(run, perfpair):
    """comms_of(WORD...): the commands that a diff shows, and stderr."""
    def of(*words):
        done = run([perfpair, "diff", "-s", "comm", "--measure", "count",
                    "--format", "json", *words])
        assert done.returncode == 0, done.stderr
        rows = json.loads(done.stdout)["events"][0]["rows"]
        return {row["comm"] for row in rows}, done.stderr
    return of


def test_significant_hides_what_may_be_chance(run, perfpair, comms_of, sides):
    words = sides({"same": 3000, "slower": 1000, "gone": 500},
                  {"same": 3000, "slower": 2000, "gone": 500})
    assert comms_of(*words)[0] == {"same", "slower", "gone"}
    assert comms_of("--significant", *words) == ({"slower"}, "")
    text = run([perfpair, "diff", "-q", "-s", "comm", "--measure", "count",
                "--significant", *words]).stdout
    assert len(text.splitlines()) == 1 and "slower" in text
    words = sides({"same": 3000, "other": 1000}, {"same": 3000, "other": 1000})
    assert comms_of("--significant", *words) == (
        set(), "perfpair: no row changed by more than chance\n")


def test_percent_limit_hides_small_rows(comms_of, sides):
    words = sides({"same": 3000, "small": 30, "grown": 10},
                  {"same": 3000, "small": 30, "grown": 90})
    assert comms_of(*words)[0] == {"same", "small", "grown"}
    # what changed is shown, as small as it is
    assert comms_of("--percent-limit", "5", *words)[0] == {"same", "grown"}


@pytest.mark.parametrize("words, why", [
    (["--significant"], "needs two runs or more on each side"),
    (["--significant", "--format", "folded"], "is for tables"),
    (["--percent-limit", "3", "--no-interval"], "needs the intervals"),
    (["--percent-limit", "3", "--format", "html"], "is for tables"),
])
def test_what_row_filters_do_not_go_with(run, perfpair, made, words, why):
    one, two = made("1", {"a": 100}), made("2", {"a": 100})
    more = ["--old", one, two, "--new", two, one] if "folded" in words else [
        one, two]
    done = run([perfpair, "diff", *words, *more])
    assert (done.returncode, done.stdout) == (2, "")
    assert why in done.stderr


def test_o_is_the_order_of_text_if_it_is_a_number(made, run, perfpair, tmp_path):
    """perf's -o is --order; the other formats are for files."""
    paths = [made(f"{i}.data", {"a": 30 + 20 * i, "b": 50 - 10 * i}, seed=i)
             for i in range(3)]
    diff = [perfpair, "diff", "-s", "comm", *paths]

    def of(*words):
        done = run([*diff, *words], cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert of("-o", "2") == of("--order", "2")
    assert of("-o2", "--no-interval") == of("--no-interval", "--order=2")
    done = run([*diff, "-o", "3"])
    assert (done.returncode, done.stdout) == (2, "")
    assert "option --order: there are files 0 to 2" in done.stderr
    assert of("-o", "out") == ""
    assert (tmp_path / "out").read_text() == of()
    for form in "json", "html":
        for words in ["-o", "2", "--format", form], ["--format", form, "-o", "2"]:
            (tmp_path / "2").unlink(missing_ok=True)
            assert of(*words) == ""
            assert (tmp_path / "2").read_text() == of("--format", form)
