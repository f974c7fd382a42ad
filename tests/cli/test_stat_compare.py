"""stat --compare: which counts of two files changed by more than chance."""

import json
import math

import pytest

HEAD = "# started on Fri Nov 27 19:18:36 2026\n\n"


def line(event, runs, **more):
    return json.dumps({"counter-value": f"{sum(runs) / len(runs):f}", "unit": "",
                       "event": event, "runs": runs, **more}) + "\n"


@pytest.fixture
def compare(run, perfpair, tmp_path):
    """compare(OLD, NEW, OPTION...): what it prints of two files with these texts."""
    def compare(old, new, *options):
        for name, text in ("old.json", old), ("new.json", new):
            data = text if isinstance(text, bytes) else (HEAD + text).encode()
            (tmp_path / name).write_bytes(data)
        return run([perfpair, "stat", "--compare", *options, "old.json", "new.json"])
    return compare


def rows(done):
    assert done.returncode in (0, 4), done.stderr
    return {row["event"]: row for row in map(json.loads, done.stdout.splitlines())}


def test_the_interval_is_welchs(compare):
    """The means 20.82 and 23.02 with their variances, worked out by hand: t = 2.84 of
    13.9 degrees of freedom, whose 95 % quantile is 2.146."""
    old = [17.2, 20.9, 22.6, 18.1, 21.7, 21.4, 23.5, 24.2, 14.7, 21.8]
    new = [21.5, 22.8, 21.0, 23.0, 21.6, 23.6, 22.5, 20.7, 23.4, 21.8]
    row = rows(compare(line("x", old), line("x", new), "-j"))["x"]
    mean_old, mean_new = sum(old) / 10, sum(new) / 10
    var = [sum((v - m) ** 2 for v in values) / 9 / 10
           for values, m in ((old, mean_old), (new, mean_new))]
    df = sum(var) ** 2 / sum(v ** 2 / 9 for v in var)
    assert math.isclose(row["change_pct"], 100 * (mean_new / mean_old - 1),
                        rel_tol=1e-6)
    half = (row["high_pct"] - row["low_pct"]) / 200 * mean_old
    assert 10 < df < 12
    # between the quantiles of 10 and 12 degrees of freedom
    assert 2.179 < half / math.sqrt(sum(var)) < 2.228


def test_a_change_is_told_from_noise(compare):
    old = line("slow", [100, 102, 99, 101, 100]) + line("same", [50, 55, 45, 52, 48])
    new = line("slow", [110, 112, 109, 111, 110]) + line("same", [52, 47, 55, 46, 51])
    done = compare(old, new)
    assert "# Runs: 5 old, 5 new. 1 of 2 counts changed by more than chance." \
        in done.stdout
    marked = [text.split()[-1] for text in done.stdout.splitlines() if "  *  " in text]
    assert marked == ["Event", "slow"]


def test_many_counts_are_corrected(compare):
    """One of forty counts with p = 0.03 is no change."""
    noise = "".join(line(f"n{nr}", [100, 101, 102, 103]) for nr in range(39))
    old = noise + line("x", [100, 102, 101, 103])
    new = noise + line("x", [103, 105, 103, 104])
    row = rows(compare(old, new, "-j"))["x"]
    assert 0.01 < row["p"] < 0.05 and not row["significant"]
    alone = rows(compare(line("x", [100, 102, 101, 103]),
                         line("x", [103, 105, 103, 104]), "-j"))["x"]
    assert alone["significant"]


def test_constant_counts(compare):
    found = rows(compare(line("a", [7, 7, 7]) + line("b", [7, 7]),
                         line("a", [7, 7, 7]) + line("b", [8, 8]), "-j"))
    assert not found["a"]["significant"] and found["a"]["p"] == 1
    assert found["b"]["significant"] and found["b"]["p"] == 0


def test_fail_above(compare):
    old, new = line("x", [100, 101, 102]), line("x", [110, 111, 112])
    done = compare(old, new, "--fail-above", "5")
    assert done.returncode == 4
    assert done.stderr.startswith("perfpair: x grew by 9.90% [")
    done = compare(old, new, "--fail-above", "10")  # 9.9 % [7.7, 12.1]
    assert (done.returncode, done.stderr) == (5, (
        "perfpair: --fail-above 10: undecided: x +9.9% [+7.7%, +12.1%]; that is so "
        "near the limit that 200 more runs a side would not do (exit code 5)\n"))
    assert compare(old, new, "--fail-above", "10", "--undecided", "ok").returncode == 0
    assert compare(old, new, "--fail-above", "11.5").stderr.endswith(
        "; if that is the change, about 2 more runs a side would do (exit code 5)\n")
    done = compare(new, old, "--fail-above", "5")
    assert (done.returncode, done.stderr) == (0, (
        "perfpair: --fail-above 5: not worse: x -9.0% [-11.1%, -7.0%] (exit code 0)\n"))


NEXT = "# started on Fri Nov 27 19:18:37 2026\n\n"
BLOCKS = ("runs were one block a side, and machines drift; stat --append adds runs in "
          "turn")


def test_one_block_a_side_marks_nothing(compare):
    """But what the program executed, which does not depend on the machine."""
    old = line("x", [100, 101, 102]) + line("instructions:u", [100, 101, 102])
    new = line("x", [110, 111, 112]) + line("instructions:u", [110, 111, 112])
    for sides in ((HEAD + old, NEXT + new), (NEXT + old, HEAD + new)):
        sides = [text.encode() for text in sides]
        found = rows(compare(*sides, "-j"))
        assert not found["x"]["significant"]
        assert found["instructions:u"]["significant"]
        done = compare(*sides)
        assert ("# Runs: 3 old, 3 new. 1 of 2 counts changed by more than chance.\n#\n"
                f"# Counts that can drift have no mark: {BLOCKS}.\n#\n") in done.stdout
        done = compare(*sides, "--fail-above", "20")
        assert done.returncode == 5
        assert done.stderr == ("perfpair: --fail-above 20: undecided: x +9.9% [-42.3%, "
                               f"+62.1%]; {BLOCKS} (exit code 5)\n")
        assert compare(*sides, "--fail-above", "63").returncode == 0
    in_turn = [(HEAD + old + NEXT + old).encode(), (NEXT + new).encode()]
    found = rows(compare(*in_turn, "-j"))
    assert found["x"]["significant"] and "# Counts that" not in compare(*in_turn).stdout


def test_the_first_count_has_to_exclude_the_limit(compare):
    """Others, whose intervals may be wide, decide once they surely grew."""
    sure, wide = [100, 101, 102], [2, 9, 5]
    assert compare(line("x", sure) + line("y", wide), line("x", sure) + line("y", wide),
                   "--fail-above", "5").returncode == 0
    done = compare(line("y", wide) + line("x", sure), line("y", wide) + line("x", sure),
                   "--fail-above", "5")
    assert done.returncode == 5 and ": undecided: y +0.0% [" in done.stderr
    done = compare(line("x", sure) + line("y", sure),
                   line("x", sure) + line("y", [104, 105, 107]), "--fail-above", "4")
    assert done.returncode == 5 and ": undecided: y +4.3% [" in done.stderr


def test_one_run_tells_nothing(compare):
    done = compare(line("x", [1]), line("x", [2]), "--fail-above", "5")
    assert done.returncode == 5 and "count with -r 5" in done.stdout
    assert done.stderr == ("perfpair: --fail-above 5: undecided: x +100.0%; how much "
                           "runs differ is not known (exit code 5)\n")


def test_what_was_not_counted_is_no_number(compare):
    gone = '{"counter-value": "<not counted>", "unit": "", "event": "x"}\n'
    row = rows(compare(line("x", [1, 2]), gone, "-j"))["x"]
    assert row["new"] == {"mean": None, "runs": []} and row["change_pct"] is None
    assert "<not counted>" in compare(line("x", [1, 2]), gone).stdout


def test_groups_and_cgroups_are_rows_of_their_own(compare):
    text = line("x", [1, 2], cpu="0") + line("x", [3, 4], cpu="1") + \
        line("x", [5, 6], cgroup="web") + line("x", [5, 6], core="S0-D0-C1")
    assert list(rows(compare(text, text, "-j"))) == [
        "CPU0 x", "CPU1 x", "x web", "S0-D0-C1 x"]


def test_appended_runs_count(compare):
    text = line("x", [1, 2]) + line("x", [3])
    assert rows(compare(text, text, "-j"))["x"]["old"]["runs"] == [1, 2, 3]


def test_drift_is_named(compare):
    done = compare(line("x", [1, 2]), line("x", [1, 2], drift=12.5))
    assert "# new: x drifts by +12.50%" in done.stdout


@pytest.mark.parametrize("text, word", [
    (b"", "no counts"), (b"not json\n", "line 1"), (b"[1]\n", "line 1"),
    (b'{"a": 1}\n{"b"\n', "line 2"), (b"[" * 100000, "line 1"),
    (b'{"interval": 1.0, "event": "x", "counter-value": "1"}\n', "-I"),
    (b"\xff\xfe{}\n", "line 1"),
])
def test_other_files_are_refused(compare, text, word):
    done = compare(text, line("x", [1, 2]))
    assert done.returncode == 1 and "old.json" in done.stderr and word in done.stderr


def test_hostile_names_are_escaped(compare):
    text = line("x\x1b[31m\n", [1, 2], unit="\x1b]0;t\x07")
    assert "\x1b" not in compare(text, text).stdout


def test_numbers_beyond_a_double(compare):
    text = '{"event": "x", "counter-value": "1e999"}\n' \
        '{"event": "y", "counter-value": "nan"}\n'
    found = rows(compare(text, text, "-j"))
    assert found["x"]["old"]["runs"] == found["y"]["old"]["runs"] == []


@pytest.mark.records
def test_what_stat_writes(run, perfpair, perfpair_record, tmp_path):
    for name, nr in 2 * [("old.json", 20000), ("new.json", 300000)]:  # in turn
        done = run([perfpair_record, "stat", "-r", "2", "-j", "--append", "-o", name,
                    "-e", "task-clock", "-e", "page-faults", "--", "sh", "-c",
                    f"i=0; while [ $i -lt {nr} ]; do i=$((i + 1)); done"])
        assert done.returncode == 0, done.stderr
    found = rows(run([perfpair, "stat", "--compare", "-j", "old.json", "new.json"]))
    assert list(found) == ["task-clock", "page-faults", "elapsed"]
    assert found["task-clock"]["significant"] and found["task-clock"]["change_pct"] > 50
    assert all(len(row[side]["runs"]) == 4 for row in found.values()
               for side in ("old", "new"))
