"""perfpair stat without perf: exit codes, what is refused, what is beyond perf."""

import json
import os
import re
import signal
import subprocess

import pytest


SOFTWARE = ["-e", "task-clock"]


@pytest.fixture
def stat(perfpair_record, tmp_path):
    """stat(WORDS...): perfpair-record stat, or the test is skipped if nothing
    may be counted here."""
    probe = subprocess.run([perfpair_record, "stat", *SOFTWARE, "true"],
                           capture_output=True, text=True)
    if probe.returncode:
        pytest.skip("nothing may be counted here: " + probe.stderr[:100])

    def run(*words, **more):
        return subprocess.run([perfpair_record, "stat", *words], cwd=tmp_path,
                              capture_output=True, text=True, timeout=30,
                              env=dict(os.environ, LC_ALL="C"), **more)
    return run


@pytest.mark.parametrize("words, text, hint", [
    (["-e", "task-clokc"], "unknown event 'task-clokc'", "nearest: task-clock"),
    (["-A"], "-A, --per-core, --per-die, --per-socket and --per-node need whole "
     "CPUs", "give -a or -C"),
    (["--per-thread"], "--per-thread needs threads that run already",
     "give -p, -t or -a"),
    (["-A", "--per-core", "-a"], "-A and the --per-... options exclude each "
     "other", "give one of them"),
    (["--interval-count", "2"], "--interval-count without -I", "give -I MS"),
    (["--timeout", "5"], "--timeout '5' is not understood",
     "give milliseconds, 10 or more"),
    (["-r", "x"], "-r 'x' is not understood", None),
    (["--log-fd", "x"], "--log-fd 'x' is not understood",
     "give the number of an open descriptor"),
    (["--table"], "--table without -r", "give -r N"),
    (["-D", "-1"], "-D -1 without --control would count nothing", None),
    (["-x,", "-j"], "-x and -j exclude each other", "give one of them"),
    (["-n", "-e", "faults"], "-n counts no events, -e names some", None),
    (["--metric-only", "-r", "2"], "--metric-only is not supported with -r",
     None),
    (["--topdown"], "perf's option '--topdown' is not here", "-M topdown"),
    (["-M", "icp"], "this machine has no metric 'icp'", "nearest: ipc"),
    (["-e", "faults", "-G", "/"], "control groups are counted on whole CPUs",
     None),
])
def test_what_makes_no_sense_is_refused(stat, words, text, hint):
    done = stat(*words, "--", "true")
    lines = done.stderr.splitlines()
    assert lines[0] == "perfpair-record: " + text
    assert hint is None or lines[1] == "perfpair-record: " + hint
    assert len(lines) == 2
    assert done.returncode == 2


def test_nothing_is_counted_of_a_group_whose_leader_is_lacking(stat):
    done = stat("-e", "{cycles,instructions}", "true")
    if not done.returncode:
        pytest.skip("this machine counts cycles")
    assert done.returncode == 255
    assert done.stderr.startswith("perfpair-record: cycles: ")


def test_the_others_of_a_group_are_counted(stat):
    """One that the machine lacks does not make the others <not counted>."""
    done = stat("-x,", "-e", "{task-clock,LLC-prefetch-misses,faults}", "true")
    rows = [line.split(",") for line in done.stderr.splitlines()]
    assert [row[2] for row in rows] == ["task-clock", "LLC-prefetch-misses",
                                        "faults"]
    assert float(rows[0][0]) > 0 and int(rows[2][0]) > 10


@pytest.mark.parametrize("end, code", [("exit 7", 7), ("kill -9 $$", -9),
                                       ("kill -15 $$", -15)])
def test_the_commands_end_is_ours(stat, end, code):
    done = stat(*SOFTWARE, "sh", "-c", end)
    assert done.returncode == code
    assert "task-clock" in done.stderr


def test_a_run_that_fails_is_not_forgotten(stat):
    done = stat("-r", "3", "-e", "faults", "sh", "-c",
                "test -e seen && exit 0; touch seen; exit 5")
    assert done.returncode == 5
    assert "(3 runs)" in done.stderr


def test_a_timeout_ends_the_command_and_is_no_failure(stat):
    done = stat("--timeout", "50", *SOFTWARE, "sleep", "30")
    assert done.returncode == 0
    assert "sleep: Terminated\n" in done.stderr
    assert "task-clock" in done.stderr


def test_an_interrupt_prints_and_ends_us(stat, perfpair_record):
    process = subprocess.Popen([perfpair_record, "stat", "-a", "-e",
                                "cpu-clock", "-I", "50"],
                               stderr=subprocess.PIPE, text=True)
    assert process.stderr.readline().startswith("#")
    assert "cpu-clock" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    rest = process.communicate(timeout=60)[1]
    assert "cpu-clock" in rest
    assert process.returncode == -signal.SIGINT


def test_control_switches_what_is_counted(stat, perfpair_record, tmp_path):
    for name in "ctl", "ack":
        os.mkfifo(tmp_path / name)
    process = subprocess.Popen(
        [perfpair_record, "stat", "-x,", "-a", "-D", "-1", "-e", "cpu-clock",
         "--control", "fifo:ctl,ack"], cwd=tmp_path, stderr=subprocess.PIPE,
        text=True)
    with open(tmp_path / "ctl", "w") as ctl, open(tmp_path / "ack") as ack:
        for word in "ping", "enable", "disable", "stop":
            print(word, file=ctl, flush=True)
            assert ack.read(5) == "ack\n\0"
    lines = process.communicate(timeout=60)[1].splitlines()
    assert lines[:3] == ["Events disabled", "Events enabled", "Events disabled"]
    assert 0 < float(lines[3].split(",")[0]) < 1000
    assert process.returncode == 0


def test_json_is_valid_whatever_a_thread_is_called(stat):
    """A name is any bytes: here a quote, a backslash and half a character."""
    name = b'"\\\xc3'
    program = subprocess.Popen(
        ["python3", "-c", "import sys\n"
         f"open('/proc/self/comm', 'wb').write({name!r})\n"
         "print(flush=True); sys.stdin.read()"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with program:
        program.stdout.readline()
        done = stat("-j", "--per-thread", *SOFTWARE, "-p", str(program.pid),
                    "--timeout", "20")
        program.stdin.close()
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stderr.splitlines()]
    assert rows[0]["thread"] == f'"\\\\xc3-{program.pid}'


def test_json_has_runs_ranges_and_own_cost(stat):
    done = stat("-j", "-r", "4", *SOFTWARE, "true")
    *rows, end = [json.loads(line) for line in done.stderr.splitlines()]
    (row,) = rows
    assert len(row["runs"]) == 4
    mean = sum(row["runs"]) / 4
    assert row["low"] < mean < row["high"]
    assert abs(float(row["counter-value"]) - mean) < 1e-5
    assert row["event-enabled"] == row["event-runtime"] > 0
    assert len(end["runs"]) == 4
    assert abs(end["elapsed"] - sum(end["runs"]) / 4) < 1e-6
    assert 0 < end["own-cpu"] < 1


def test_json_without_details_is_what_perf_has(stat, tmp_path):
    """perf's own check of its JSON refuses other keys, and reads lines."""
    for words in ["-j"], ["-j", "-I", "10"], ["-j", "-d"]:
        stat(*words, "-o", "t.json", "sleep", "0.02")
        lines = (tmp_path / "t.json").read_text().splitlines()
        keys = set.union(*(set(json.loads(line)) for line in lines))
        assert keys - {"interval"} == {
            "counter-value", "unit", "event", "event-runtime", "pcnt-running",
            "metric-value", "metric-unit"}


def test_json_details(stat):
    done = stat("--json-details", "-e", "task-clock,LLC-prefetch-misses", "true")
    (row, missing, end) = [json.loads(line) for line in done.stderr.splitlines()]
    assert row["event-enabled"] == row["event-runtime"] > 0
    assert row["counters"] == 1
    assert ("reason" in missing) == (missing["counter-value"] == "<not supported>")
    assert 0 < end["own-cpu"] < 1 and end["elapsed"] > 0


def test_the_reason_stands_below(stat):
    done = stat("-e", "LLC-prefetch-misses", "true")
    if "<not supported>" not in done.stderr:
        pytest.skip("this machine counts them")
    assert done.stderr.splitlines()[-1].startswith(
        "perfpair-record: not supported: LLC-prefetch-misses: ")


def test_drift_is_named(stat):
    """The first four runs touch some 2,000 pages more."""
    done = stat("-r", "8", "-e", "faults", "sh", "-c",
                "n=$(cat n 2>/dev/null); n=$((n + 1)); echo $n >n; "
                "test $n -gt 4 || dd if=/dev/zero of=/dev/null bs=8M count=1 "
                "2>/dev/null; exit 0")
    assert "\n            faults drifts: the last 4 runs have -" in done.stderr


def test_output_goes_to_a_file_and_is_appended(stat, tmp_path):
    for more in [], ["--append"]:
        done = stat("-x,", "-o", "out", *more, "-e", "faults", "true")
        assert done.stderr == ""
    text = (tmp_path / "out").read_text()
    assert text.count("# started on ") == 2 and text.count(",faults,") == 2


def test_the_readers_word_runs_the_recorder(stat, perfpair, perfpair_record):
    env = dict(os.environ, PATH=f"{os.path.dirname(perfpair_record)}:"
               + os.environ["PATH"])
    done = subprocess.run([perfpair, "stat", "-x,", "-e", "faults", "sh", "-c",
                           "exit 3"], capture_output=True, text=True, env=env)
    assert done.returncode == 3
    assert ",faults," in done.stderr


def test_time_that_is_measured_is_the_foots(stat):
    """perf's tool events are what the text says below the counts."""
    done = stat("-x,", "-e", "duration_time,user_time,system_time", "sh", "-c",
                "i=0; while [ $i -lt 50000 ]; do i=$((i + 1)); done")
    (wall, user, system) = [line.split(",")[:3]
                            for line in done.stderr.splitlines()]
    assert (wall[1:], user[1:]) == (["ns", "duration_time"],
                                    ["ns", "user_time"])
    assert system[2] == "system_time"
    assert 0 < int(user[0]) < 1.5 * int(wall[0])
    done = stat("-e", "duration_time", "sleep", "0.02")
    ns, seconds = re.search(r"(\d+) ns .*\n\n +(\S+) seconds time",
                            done.stderr.replace(",", "")).groups()
    assert int(ns) == round(float(seconds) * 1e9) > 20_000_000


def test_time_that_stat_measures_is_not_recorded(run, perfpair_record):
    done = run([perfpair_record, "-e", "user_time", "-o", "t.data", "true"])
    assert done.returncode == 2
    assert done.stderr == ("perfpair-record: user_time has no samples\n"
                           "perfpair-record: perfpair-record stat measures "
                           "it\n")
