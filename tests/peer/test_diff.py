"""perfpair diff --no-interval prints what perf diff prints; with intervals it
finds what really changed, and nothing where nothing did."""

import json
import subprocess

import pytest

from peer_text import entries

# By CPU time: on a busy machine 300 ms have gone by after some 20 samples, and
# then parts of the time have none.
RECORDINGS = {
    "spin": (["-g"], ["spin", "300", "cpu"]),
    "threads": (["-g"], ["threads", "3", "600", "cpu"]),
    "spin longer": (["-g"], ["spin", "500", "cpu"]),
    "renamed": ([], ["renamed", "200"]),
    "two events": (["-e", "page-faults"], ["spin", "200", "cpu"]),
    "two events, threads": (["-e", "page-faults"],
                            ["threads", "3", "100", "cpu"]),
}

PAIR = ["spin", "threads"]
THREE = ["spin", "threads", "spin longer"]
RENAMED = ["renamed", "spin"]
EVENTS = ["two events", "two events, threads"]
VIEWS = [
    ([], PAIR), (["-c", "delta"], PAIR), (["-c", "ratio"], PAIR),
    (["-c", "wdiff:1,2"], PAIR), (["-p"], PAIR), (["-F"], PAIR),
    (["-c", "ratio", "-F"], PAIR), (["-c", "wdiff:3,-2", "-F"], PAIR),
    (["-b"], PAIR), (["-b", "-p"], PAIR), (["-o", "0"], PAIR),
    (["-s", "comm"], PAIR), (["-s", "comm,dso,sym"], PAIR),
    (["-s", "sym"], PAIR), (["-s", "pid"], PAIR), (["-t", ","], PAIR),
    (["-t", ";", "-p"], PAIR), (["-q"], PAIR),
    ([], THREE), (["-p"], THREE), (["-o", "2"], THREE),
    (["-c", "ratio", "-o", "2"], THREE), (["-d", "spin"], PAIR),
    (["-S", "leaf_hash"], PAIR), (["--time", "10%/2"], PAIR),
    (["--time", "10%-60%", "-p"], PAIR), (["--tid", "1"], PAIR),
    (["-p", "-F"], PAIR), (["-c", "ratio", "-p", "-F", "-t", "|"], PAIR),
    (["-c", "wdiff:1,-1", "-t", ","], PAIR), (["-F", "-b"], PAIR),
    (["-p", "-F", "-b"], THREE), (["-c", "delta", "-s", "comm"], PAIR),
    (["-t", "_"], PAIR),
    (["-C", "spin,threads", "-s", "comm,dso"], PAIR),
    (["-C", "spin", "-s", "comm", "--percentage", "relative"], PAIR),
    ([], EVENTS), (["-b"], EVENTS), (["-q"], EVENTS),
    # of an event that the new side lacks the baseline
    ([], ["two events", "spin"]), (["-p"], ["two events", "spin", "threads"]),
    (["-s", "symbol_size,sym"], EVENTS),
    (["-s", "socket"], PAIR), (["-s", "cgroup,comm"], PAIR),
    (["-s", "comm,cgroup"], PAIR), (["-t", " "], PAIR),
    (["-c", "wdiff:3,-1"], THREE),
    # a comm is cut to the width of its task's last name
    (["-s", "comm"], RENAMED), (["-s", "comm,dso", "-t", ","], RENAMED),
]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory, may_trace, perfpair_record, workload, home):
    """recorded(NAME): our recording of that name, made once."""
    folder = tmp_path_factory.mktemp("diff")
    flags = ["-O1", "-g0", "-fno-omit-frame-pointer"]  # callers are found
    files = {}

    def record(name, words=None):
        if name not in files:
            options, program = words or RECORDINGS[name]
            files[name] = str(folder / f"{len(files)}.data")
            subprocess.run(
                [perfpair_record, "-e", "cpu-clock", "-F", "2000", *options, "-o",
                 files[name], "--", str(workload(program[0], *flags)),
                 *program[1:]],
                check=True, capture_output=True, env=home)
        return files[name]

    return record


def as_set(text):
    """Rows that weigh the same come in perf's order of their addresses."""
    return "\n".join(entries("\n".join(sorted(text.splitlines()))))


@pytest.mark.cases([(" + ".join(names), options) for options, names in VIEWS])
def test_perf_prints_the_same(case, kind, request, frozen, peer):
    names, options = case
    path_of = request.getfixturevalue("recorded") if kind == "fresh" else \
        (lambda name: frozen(f"diff/{name}"))
    files = [path_of(name) for name in names.split(" + ")]
    ours = peer.ours("diff", "--no-interval", *options, *files)
    if "--tid" in options:  # perf has no word for that
        assert len(ours.stderr.splitlines()) == len(files)
        assert ours.stderr.count("no thread has the number '1'") == len(files)
    else:
        assert ours.stderr == ""
    assert ours.returncode == 0
    peer.answer(as_set, "diff", *options, *files).check(as_set(ours.stdout))


@pytest.mark.records
def test_perf_prints_the_same__of_a_library(recorded, peer):
    """Whose functions have names: debug files are here, or it is not stripped."""
    words = ["-d", "libc.so.6", *map(recorded, PAIR)]
    ours = peer.ours("diff", "--no-interval", *words)
    peer.answer(as_set, "diff", *words).check(as_set(ours.stdout))


def rows_of(run, perfpair, home, *words):
    done = run([perfpair, "diff", "--format", "json", *words], env=home)
    assert ("--fail-above" in done.stderr) == ("--fail-above" in words)
    assert not done.stderr or "--fail-above" in words
    return done.returncode, json.loads(done.stdout)["events"][0]["rows"]


def test_a_run_does_not_differ_from_itself(recorded, run, perfpair, home):
    path = recorded("spin")
    words = ["--measure", "share", path, path]
    # no interval excludes a rise that is as small as may be
    status, rows = rows_of(run, perfpair, home, "--fail-above", "0", *words)
    assert status == 5
    assert any(row["baseline_samples"] >= 50 for row in rows)
    for row in rows:
        assert row["delta_pct"] == 0
        assert row["low_pct"] < 0 < row["high_pct"]
        if row["baseline_samples"] >= 50:
            assert row["high_pct"] - row["low_pct"] > 0.1
        assert not row["significant"]
        assert row["match"] == "exact"
    text = run([perfpair, "diff", *words], env=home).stdout
    samples = sum(row["baseline_samples"] for row in rows)
    assert f"\n# Old: {samples} samples, " in text
    assert f"\n# New: {samples} samples, " in text
    assert "(+0.0%)\n" in text
    assert f"\n# None of {len(rows)} rows changed by more than chance; " in text


def test_what_grew_is_marked_and_fails_the_build(recorded, run, perfpair, home):
    """A program spends all its time in one function, another in others."""
    old, new = zip(*([recorded(f"{name} {i}", (["-g"], words))
                      for name, words in {
                          "spin": ["spin", "120", "cpu"],
                          "threads": ["threads", "3", "120", "cpu"]}.items()]
                     for i in range(3)))  # in turn
    status, rows = rows_of(run, perfpair, home, "-s", "comm", "--fail-above",
                           "10", "--old", *old, "--new", *new)
    marked = {row["comm"]: row for row in rows if row["significant"]}
    assert status == 4
    # each thread has a name; one that had a CPU for a moment only is no news
    assert any(row["delta_pct"] > 10 for row in marked.values()
               if row["match"] == "new")
    assert marked["spin"]["delta_pct"] < -50
    assert marked["spin"]["match"] == "gone"
    # 100 samples do not exclude 10 %
    assert [rows_of(run, perfpair, home, "-s", "comm", "--fail-above", limit,
                    old[0], old[0])[0] for limit in ("10", "100")] == [5, 0]


def test_replicates_are_compared_by_their_scatter(recorded, run, perfpair, home):
    words = (["-g"], ["spin", "120", "cpu"])
    runs = [recorded(f"replicate {i}", words) for i in range(6)]
    words = ["--measure", "share", "--old", *runs[:3], "--new", *runs[3:]]
    status, rows = rows_of(run, perfpair, home, "-s", "comm,dso", *words)
    text = run([perfpair, "diff", *words], env=home).stdout
    assert status == 0
    assert "# Compared: share of all. 6 files." in text.splitlines()[0]
    assert "3 old and 3 new runs" in text
    assert f"\n# Old: {runs[0]} ... {runs[2]} (3 runs, " in text
    assert "% a run, 95% interval [" in text
    top = max(rows, key=lambda row: row["new_pct"])
    assert top["comm"] == "spin"
    assert top["low_pct"] <= top["delta_pct"] <= top["high_pct"]


def test_one_block_a_side_marks_nothing(recorded, run, perfpair, home):
    """All old runs, and then all new ones: what the machine did meanwhile differs,
    too. In turn, the same runs are tested."""
    words = (["-g"], ["spin", "120", "cpu"])
    runs = [recorded(f"replicate {i}", words) for i in range(6)]
    why = ("runs were one block a side, and machines drift; perfpair ab runs them in "
           "turn")
    for old, new, are_blocks in ((runs[:3], runs[3:], True),
                                 (runs[3:], runs[:3], True),
                                 (runs[::2], runs[1::2], False),
                                 (runs[:1] + runs[5:], runs[1:5], False)):
        words = [perfpair, "diff", "--old", *old, "--new", *new]
        data = json.loads(run([*words, "--format", "json"], env=home).stdout)
        assert data["one_block_a_side"] == are_blocks
        assert data["tested"] == (not are_blocks)
        text = run(words, env=home).stdout
        assert text.count(f"\n# No row is marked: {why}.\n") == are_blocks
        done = run([*words, "--fail-above", "1", "--significant"], env=home)
        assert (f"perfpair: no row is marked: {why}\n" in done.stderr) == are_blocks
        if are_blocks:
            low, high = (data["events"][0][f"total_{end}_pct"] for end in ("low", "high"))
            assert done.returncode == 5
            assert (f" [{low - 50:+.1f}%, {high + 50:+.1f}%]; {why} (exit code 5)\n"
                    in done.stderr)
            note = run([*words, "--format", "markdown"], env=home).stdout
            assert f"No row is marked: {why}." in note


def test_each_measure_divides_by_its_own(recorded, run, perfpair, home):
    """One command's samples: what they are divided by is known."""
    files = [recorded("spin"), recorded("spin longer")]
    by = {}
    for name, words in {"count": ["--measure", "count"],
                        "wall": ["--measure", "wall"],
                        "cpu": ["--measure", "cpu"],
                        "unit": ["--per", "loops=300:500"]}.items():
        done = run([perfpair, "diff", "--format", "json", "-s", "comm", *words,
                    *files], env=home)
        assert (done.returncode, done.stderr) == (0, "")
        data = json.loads(done.stdout)
        rows = data["events"][0]["rows"]
        row, = (row for row in rows if row["comm"] == "spin")
        by[name] = row["new"] / row["baseline"]
        share = sum(row["new"] for row in rows)
    old, new = (side[0]["wall_s"] for side in data["sides"])
    assert by["wall"] == pytest.approx(by["count"] * old / new)
    assert by["unit"] == pytest.approx(by["count"] * 300 / 500)
    assert by["cpu"] == pytest.approx(1, abs=0.1)
    assert share > 0


def test_a_program_of_another_name_is_the_same(
        run, perfpair, perfpair_record, workload, home, tmp_path):
    """The command's own: ./app against ./app.new; perf's table has both."""
    program = workload("spin", "-O1", "-g0", "-fno-omit-frame-pointer")
    for name in ("app", "app.new"):
        (tmp_path / name).write_bytes(program.read_bytes())
        (tmp_path / name).chmod(0o755)
        subprocess.run([perfpair_record, "-e", "cpu-clock:u", "-o",
                        tmp_path / f"{name}.data", "--", tmp_path / name,
                        "80", "cpu"], capture_output=True, check=True, env=home)
    files = [tmp_path / "app.data", tmp_path / "app.new.data"]
    done = run([perfpair, "diff", "-s", "dso", *files], env=home)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("# New: the program app.new is in the rows of "
                             "the old side's") == 1
    rows = [line.split()[-1] for line in done.stdout.splitlines()
            if line and line[0] != "#"]
    assert "app" in rows and "app.new" not in rows
    perfs = run([perfpair, "diff", "-s", "dso", "--no-interval", *files],
                env=home).stdout
    assert "app.new\n" in perfs or "app.new " in perfs


def test_commands_that_ran_to_their_end_are_compared_by_cost(
        recorded, run, perfpair, perfpair_record, workload, home, tmp_path):
    """Where both sides did the same work; else shares, and why."""
    words = (["-g"], ["spin", "120", "cpu"])
    runs = [recorded(f"replicate {i}", words) for i in range(6)]
    both = ["--old", *runs[:3], "--new", *runs[3:]]
    data = json.loads(run([perfpair, "diff", "--format", "json", *both],
                          env=home).stdout)
    event, = data["events"]
    assert (data["measure"], data["work"]) == ("number of events", "same")
    assert sum(row["delta"] for row in event["rows"]) == pytest.approx(
        (event["new_period"] - event["baseline_period"]) / 3, abs=1)
    for side in ("baseline", "new"):
        assert sum(row[f"{side}_share_pct"] for row in event["rows"]
                   ) == pytest.approx(100)
    text = run([perfpair, "diff", *both], env=home).stdout
    assert "\n# Each run is of one command with the same arguments, " in text
    assert "\n# cost is compared; the rows' changes add up to the run's.\n" in text
    for words in (["-g"], ["--children"], ["-b"], ["-S", "leaf_hash"]):
        part = run([perfpair, "diff", *words, *both], env=home).stdout
        assert "\n# cost is compared.\n" in part, words
        assert "add up" not in part, words
    assert "\n# A run cost " in text
    assert " New Share " in text
    killed = tmp_path / "killed.data"
    subprocess.run([perfpair_record, "-e", "cpu-clock", "--duration", "300ms",
                    "-o", killed, "--", workload("spin", "-O1", "-g0",
                                                 "-fno-omit-frame-pointer"),
                    "100000", "cpu"], capture_output=True, env=home)
    for files, work, reason in (
            ([killed, runs[0]], "not told", "of one command\n# from its start"),
            ([recorded("spin"), runs[0]], "other", "the arguments of the commands differ"),
            (["--time", "0%-90%", *runs[:2]], "part", "--time takes parts")):
        data = json.loads(run([perfpair, "diff", "--format", "json", *files],
                              env=home).stdout)
        assert (data["measure"], data["work"]) == ("share of all", work)
        text = run([perfpair, "diff", *files], env=home).stdout
        assert "\n# Only shares can be compared: " in text
        assert reason in text
        assert "A run cost" not in text


SPIN = "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done"


@pytest.mark.parametrize("work, options, script", [
    ("same", [], SPIN),
    ("same", [], f"({SPIN}) & wait"),
    ("not told", [], f"{SPIN}; exit 3"),
    ("not told", [], "timeout 0.2 sh -c 'while :; do :; done'"),
    ("not told", [], f"sleep 5 > /dev/null 2>&1 & {SPIN}"),  # what it left behind went on
    ("not told", ["--no-inherit"], f"({SPIN}); {SPIN}"),
], ids=["ended", "waited", "failed", "timeout", "left", "first task only"])
def test_work_is_the_same_where_all_of_it_was_done(
        work, options, script, run, perfpair, perfpair_record, may_trace, home,
        tmp_path):
    files = [tmp_path / side / "perf.data" for side in ("old", "new")]
    for path in files:  # of a command elsewhere, without arguments
        path.parent.mkdir()
        command = path.with_name("work")
        command.write_text(f"#!/bin/sh\n{script}\n")
        command.chmod(0o755)
        subprocess.run([perfpair_record, "-e", "cpu-clock", "-F", "2000",
                        *options, "-o", path, "--", command],
                       capture_output=True, env=home)
    done = run([perfpair, "diff", "--format", "json", *files], env=home)
    assert json.loads(done.stdout)["work"] == work


@pytest.mark.parametrize("hz", [[500, 2000], [2000, 500]], ids=str)
def test_other_frequencies_are_allowed_for(hz, recorded, run, perfpair, home):
    """The same work: as much CPU time, however often one looked."""
    files = [recorded(f"at {each} Hz", (["-F", str(each)],
                                        ["spin", "1000", "cpu"]))
             for each in hz]
    for words in (["--measure", "count"], ["--per", "runs=1:1"]):
        _, rows = rows_of(run, perfpair, home, "-s", "comm", *words, *files)
        row, = (row for row in rows if row["comm"] == "spin")
        old_nr, new_nr = row["baseline_samples"], row["new_samples"]
        assert new_nr / old_nr == pytest.approx(hz[1] / hz[0], rel=0.2)
        assert row["new"] == pytest.approx(row["baseline"], rel=0.1)
        # a clock's period is up to 4 % longer than 1 s / frequency
        assert 0.99 < row["new"] / (1e9 * new_nr / hz[1]) < 1.05
    _, rows = rows_of(run, perfpair, home, "-s", "dso", "--measure", "share",
                      *files)
    assert all(row["low_pct"] <= row["delta_pct"] <= row["high_pct"]
               for row in rows)


def test_callees_count_for_their_callers(recorded, run, perfpair, home):
    path = recorded("spin")
    words = ["--measure", "share", path, path]
    _, flat = rows_of(run, perfpair, home, *words)
    _, deep = rows_of(run, perfpair, home, "--children", *words)
    self = {(row["dso"], row["symbol"]): row["baseline_pct"] for row in flat}
    total = {(row["dso"], row["symbol"]): row["baseline_pct"] for row in deep}
    assert all(total[key] >= self[key] for key in self
               if not key[1].startswith("0x"))
    assert any(key not in self for key in total)
    assert sum(total.values()) > sum(self.values())


def test_relative_shares_are_of_the_samples_that_are_shown(recorded, run,
                                                            perfpair, home):
    """By callers and by call paths too, where a sample counts in many rows."""
    path = recorded("threads")
    tids = run([perfpair, "script", "-i", path, "-F", "tid"],
               env=home).stdout.split()
    only = max(sorted(set(tids)), key=tids.count)
    for view in (["--children"], ["-g", "--percent-limit", "0"]):
        view = ["--measure", "share", *view]
        _, all_rows = rows_of(run, perfpair, home, *view, "--tid", only, path,
                              path)
        _, rows = rows_of(run, perfpair, home, *view, "--tid", only,
                          "--percentage", "relative", path, path)
        share = (lambda row: row["baseline_pct"])
        factor = max(map(share, rows)) / max(map(share, all_rows))
        assert factor == pytest.approx(len(tids) / tids.count(only), rel=0.05)
        assert max(map(share, rows)) <= 100
        for row, of_all in zip(sorted(rows, key=share),
                               sorted(all_rows, key=share)):
            assert share(row) == pytest.approx(factor * share(of_all))


def test_times_are_for_each_file_of_its_own(recorded, run, perfpair, home):
    path = recorded("spin")
    _, halves = rows_of(run, perfpair, home, "-s", "comm", "--time",
                        "0%-30%:30%-100%", path, path)
    _, other = rows_of(run, perfpair, home, "-s", "comm", "--time",
                       "30%-100%", path, path)
    assert halves[0]["new_samples"] == other[0]["new_samples"]
    assert halves[0]["baseline_samples"] != other[0]["baseline_samples"]
    done = run([perfpair, "diff", "--time", "0%-50%:50%-100%", path, path,
                path], env=home)
    assert (done.returncode, done.stdout) == (2, "")
    assert "more files than parts" in done.stderr


def test_call_paths_of_both_sides_are_one_tree(recorded, run, perfpair, home):
    old, new = recorded("spin"), recorded("threads")
    text = run([perfpair, "diff", "-g", old, new], env=home).stdout
    rows = [line for line in text.splitlines() if not line.startswith("#")]
    head, = (line for line in text.splitlines() if "Call path" in line)
    paths = [line[head.index("Call path"):] for line in rows if line]
    depths = [len(path) - len(path.lstrip()) for path in paths]
    assert depths[0] == 0
    assert max(depths) >= 4
    assert all(after <= before + 2 for before, after in zip(depths, depths[1:]))
    names = [path.strip() for path in paths]
    assert "leaf_hash" in names
    _, data = rows_of(run, perfpair, home, "-g", old, new)
    assert [row["symbol"] for row in data] == names
    unit = min(depth for depth in depths if depth)
    assert [row["depth"] * unit for row in data] == depths
    for at, row in enumerate(data):
        if row["depth"]:
            assert row["caller"] < at
            assert data[row["caller"]]["depth"] == row["depth"] - 1
            assert min(path["depth"] for path in data[row["caller"] + 1:at + 1]
                       ) == row["depth"]
        else:
            assert row["caller"] is None
    lines = run([perfpair, "diff", "-g", "--format", "csv", old, new],
                env=home).stdout.splitlines()
    assert lines[0].endswith(",new_share_pct,depth,caller")
    assert [line.rsplit(",", 2)[1:] for line in lines[1:]] == [
        [str(row["depth"]), str(row["caller"] if row["depth"] else "")]
        for row in data]
    done = run([perfpair, "diff", "-g", "--children", old, new], env=home)
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize("key", ["pid", "cpu", "srcline"])
def test_programs_are_told_all_sort_columns(key, recorded, run, perfpair, home):
    files = [recorded("spin"), recorded("threads")]
    words = ["-s", f"{key},sym", *files]
    _, rows = rows_of(run, perfpair, home, *words)
    text = run([perfpair, "diff", "-q", "-t", ";", *words], env=home).stdout
    lines = run([perfpair, "diff", "--format", "csv", *words],
                env=home).stdout.splitlines()
    shown = [line.split(";") for line in text.splitlines() if line]
    assert len(rows) > 2
    assert all(row["comm"] is None and row["dso"] is None for row in rows)
    assert sorted((row[key].strip(), row["symbol"]) for row in rows) == sorted(
        (line[4].strip(), line[5][4:].strip()) for line in shown)
    assert lines[0].endswith(f",new_share_pct,{key}")
    assert len(lines) == 1 + len(rows)


def test_folded_paths_hold_all_samples_of_both_sides(recorded, run, perfpair,
                                                     home):
    files = [recorded("spin"), recorded("threads")]
    lines = [line.rsplit(" ", 2) for line in
             run([perfpair, "diff", "--format", "folded", *files],
                 env=home).stdout.splitlines()]
    done = run([perfpair, "diff", "--format", "json", *files], env=home)
    assert (done.returncode, done.stderr) == (0, "")
    data = json.loads(done.stdout)["events"][0]
    assert sum(int(line[1]) for line in lines) == data["baseline_samples"]
    assert sum(int(line[2]) for line in lines) == data["new_samples"]
    assert len({line[0] for line in lines}) == len(lines)


def test_wrong_words_are_named(recorded, run, perfpair, home):
    one, other = recorded("spin"), recorded("two events")
    for words, status, text in [
            (["-c", "delte", one, one], 2, "--compute: 'delte'"),
            (["-o", "2", one, one], 2, "files 0 to 1"),
            (["--per", "x=1", one, one], 2, "NAME=OLD:NEW"),
            (["--old", one], 2, "--old and --new go together"),
            (["--no-interval", "--measure", "wall", one, one], 2,
             "perf's table"),
            (["--fail-above", "much", one, one], 2, "percentage"),
            (["-g", "-s", "comm", one, one], 2, "-g does not go with --sort"),
            (["--format", "folded", "--children", one, one], 2,
             "--format folded goes neither with --children"),
            (["--percent-limit", "1", "--no-interval", one, one], 2,
             "--percent-limit needs the intervals"),
            (["--significant", one, other], 2,
             "--significant needs two runs or more"),
            (["--format", "json", "-t", ";", one, one], 2, "are for text"),
            ([one, "/nonexistent"], 1, "/nonexistent: "),
    ]:
        done = run([perfpair, "diff", *words], env=home)
        assert done.returncode == status, words
        assert text in done.stderr
        assert done.stdout == ""
    assert other
