"""Files of perfpair stat record and perf stat record: each program's file, read
by both, is the same text."""

import json
import os
import re
import shlex
import struct
import subprocess
import time

import pytest

pytestmark = pytest.mark.records

# What is counted; the file is named with -o.
COMMANDS = [
    "true",
    "-a sleep 0.02",
    "-C 0 -e cpu-clock,faults sleep 0.02",
    "-A -a -e cpu-clock,faults,cycles sleep 0.02",
    "--per-core -a -e cpu-clock,faults sleep 0.02",
    "--per-die -a -e cpu-clock,faults sleep 0.02",
    "--per-socket -a -e cpu-clock,faults sleep 0.02",
    "--per-node -a -e cpu-clock,faults sleep 0.02",
    "--per-thread -p PID,SELF -e task-clock,faults,cycles sleep 0.02",
    "--per-thread -a -e task-clock sleep 0.02",
    "-p PID -e task-clock,faults sleep 0.02",
    "-t PID -e faults sleep 0.02",
    "-e '{task-clock,faults}' true",
    "-e '{cpu-clock,faults}:u,cs' -a sleep 0.02",
    "-e task-clock:u,faults:k,cs true",
    "-i --no-scale -e task-clock,faults true",
    "-e task-clock/name=abc/ true",
    "-I 20 -e task-clock,faults sleep 0.05",
    "-I 20 -a -e cpu-clock,faults,cycles sleep 0.05",
    "-I 20 -A -a -e cpu-clock,faults sleep 0.05",
    "-I 20 --per-thread -p PID -e faults sleep 0.05",
    "-D 5 -e task-clock,faults sleep 0.02",
]

AGAIN = ["-A", "--per-core", "--per-die", "--per-socket", "--per-node"]


@pytest.fixture(scope="module")
def sleeper():
    process = subprocess.Popen(["sleep", "600"])
    yield process.pid
    process.kill()
    process.wait()


@pytest.fixture
def programs(perf, perfpair_record, may_record):
    return perf, perfpair_record


@pytest.fixture
def stat(tmp_path, sleeper):
    """stat(PROGRAM, WORDS, ...)"""
    def run(program, words, **more):
        words = words.replace("PID", str(sleeper))
        words = words.replace("SELF", str(os.getpid()))
        return subprocess.run([program, "stat", *shlex.split(words)],
                              cwd=tmp_path, capture_output=True, timeout=60,
                              env=dict(os.environ, LC_ALL="C"), **more)
    return run


def text_of(done):
    """What was printed, without messages."""
    text = (done.stdout + done.stderr).decode()
    text = re.sub(r"^(perfpair-record: |warning: processing task data).*\n", "",
                  text, flags=re.M)
    return text


def masked(text):
    """perf 6.1 divides by the mean CPU time of all intervals so far, and we by
    that of the interval, as was printed when it was counted."""
    if not text.startswith("#"):
        return text
    return re.sub(r"#\s+[\d.]+ [KM]?/sec *", "# RATE", text)


def rows(text):
    """Counts and what stands behind them, without heads and feet."""
    return [line.rstrip() for line in text.splitlines()
            if re.match(r"( +[\d.]+)? *(CPU\d+|[SN]\d\S* +\d+|\S+-\d+)? +"
                        r"(<not |[\d.]+ )", line)
            and "seconds" not in line]


@pytest.mark.parametrize("words", COMMANDS)
def test_perfs_file_is_read_as_perf_does(programs, stat, words):
    perf, ours = programs
    for _ in range(50):  # perf fails if a thread ends before it is opened
        made = stat(perf, "record -o FILE " + words)
        if not made.returncode:
            break
        time.sleep(0.1)
    if made.returncode and "--per-thread -a" in words:
        pytest.skip("threads of others end all the time")
    assert made.returncode == 0
    expected = stat(perf, "report -i FILE")
    done = stat(ours, "report -i FILE")
    assert done.returncode == 0
    assert masked(text_of(done)) == masked(text_of(expected))
    assert done.stdout == b""
    assert rows(text_of(done))


@pytest.mark.parametrize("words", COMMANDS)
def test_our_file_is_read_by_perf(programs, stat, words):
    """And it has the counts that were printed when it was made."""
    perf, ours = programs
    made = stat(ours, "record -o FILE " + words)
    assert made.returncode == 0
    done = stat(ours, "report -i FILE")
    assert done.returncode == 0
    expected = text_of(stat(perf, "report -i FILE"))
    assert masked(text_of(done)) == masked(expected)
    printed = rows(text_of(made))
    if "-I" in words:
        printed = [re.sub(r"#.*CPUs utilized", "", row).rstrip()
                   for row in printed]
    reported = rows(text_of(done))
    if "--per-thread -a" in words:       # idle threads have no row while counting
        reported = [row for row in reported if "<not counted>" not in row]
        printed = [row.split("-")[-1] for row in printed]
        reported = [row.split("-")[-1] for row in reported]
    assert reported == printed
    assert printed


@pytest.mark.parametrize("made_by", ["perf", "ours"])
@pytest.mark.parametrize("words", ["-a -e cpu-clock,faults sleep 0.02",
                                   "-A -a -e cpu-clock,faults sleep 0.02",
                                   "-I 20 -C 0,1 -e cpu-clock,faults sleep 0.05",
                                   "-e task-clock,faults true"])
def test_what_is_added_up_is_chosen_anew(programs, stat, words, made_by):
    perf, ours = programs
    stat(perf if made_by == "perf" else ours, "record -o FILE " + words)
    for option in AGAIN:
        expected = stat(perf, f"report {option} -i FILE")
        done = stat(ours, f"report {option} -i FILE")
        assert masked(text_of(done)) == masked(text_of(expected)), option
        assert (b"cannot be added up by CPU" in done.stderr) == \
            (b"warning: processing task data" in expected.stderr)


@pytest.mark.parametrize("words", ["-e task-clock,faults true",
                                   "-a -e cpu-clock,faults sleep 0.02",
                                   "--per-core -a -e faults sleep 0.02",
                                   "-I 20 -e task-clock,faults sleep 0.05"])
def test_pipes_go_both_ways(programs, stat, words):
    perf, ours = programs
    for maker in programs:
        made = stat(maker, "record -o - " + words)
        assert b"\n Performance" not in made.stderr
        assert made.stdout.startswith(b"PERFILE2")
        expected = text_of(stat(perf, "report -i -", input=made.stdout))
        done = stat(ours, "report -i -", input=made.stdout)
        assert masked(text_of(done)) == masked(expected)
        assert rows(expected)


def test_tracepoints(programs, stat, may_trace):
    """perf 6.1 cannot open its own file of them, but ours."""
    perf, ours = programs
    words = "record -o FILE -a -e sched:sched_switch,cpu-clock sleep 0.05"
    for maker in programs:
        made = stat(maker, words)
        done = stat(ours, "report -i FILE")
        assert rows(text_of(done)) == rows(text_of(made))
        assert len(rows(text_of(done))) == 2
    assert text_of(stat(perf, "report -i FILE")) == text_of(done)


@pytest.mark.parametrize("option", ["-x,", "-j"])
def test_fields_are_those_of_perf(programs, stat, option):
    """perf takes these options in front of "report", we behind it, too."""
    perf, ours = programs
    stat(perf, "record -o FILE -a -e cpu-clock,faults sleep 0.02")
    expected = text_of(stat(perf, option + " report -i FILE"))
    for words in f"{option} report -i FILE", f"report {option} -i FILE":
        text = text_of(stat(ours, words))
        if option == "-x,":
            assert text == expected
            continue
        got = [json.loads(line) for line in text.splitlines()]
        for line, other in zip(got, expected.splitlines()):
            assert list(line.items())[:len(json.loads(other))] == list(
                json.loads(other).items())


def test_more_than_one_run_is_refused(programs, stat):
    for program in programs:
        done = stat(program, "record -r 3 -e faults true")
        assert done.returncode != 0
        assert b"-r" in done.stderr


def test_perfs_other_readers_take_our_file(programs, stat, tmp_path):
    perf, ours = programs
    stat(ours, "record -o FILE -a -e cpu-clock,faults sleep 0.02")
    done = subprocess.run([perf, "evlist", "-i", "FILE"], cwd=tmp_path,
                          capture_output=True, text=True)
    assert done.stdout == "cpu-clock\nfaults\n"
    dump = subprocess.run([perf, "report", "-D", "-i", "FILE"], cwd=tmp_path,
                          capture_output=True, text=True).stdout
    assert dump.count("PERF_RECORD_STAT\n") == 2 * os.cpu_count()
    assert "type FINAL" in dump and "aggr_mode 1" in dump
    header = subprocess.run([perf, "report", "--header-only", "-i", "FILE"],
                            cwd=tmp_path, capture_output=True, text=True).stdout
    assert "# contains stat data" in header


def with_pmu(data):
    """The file with its four events behind the clock turned into those of a
    PMU: cycles, instructions, branches and branch-misses."""
    data = bytearray(data)
    entry_len, attrs_off, attrs_len, data_off, data_len = struct.unpack_from(
        "<5Q", data, 16)
    values = [None, 2000000, 3000000, 400000, 9000]
    event_of, seen = {}, {}
    for i in range(attrs_len // entry_len):
        at = attrs_off + i * entry_len
        if values[i]:
            struct.pack_into("<I", data, at, 0)                 # HARDWARE
            struct.pack_into("<Q", data, at + 8, [0, 1, 4, 5][i - 1])
        ids_off, ids_len = struct.unpack_from("<2Q", data, at + entry_len - 16)
        for k in range(ids_len // 8):
            event_of[struct.unpack_from("<Q", data, ids_off + 8 * k)[0]] = i
    at = data_off
    while at < data_off + data_len:
        kind, _, length = struct.unpack_from("<IHH", data, at)
        event = event_of.get(struct.unpack_from("<Q", data, at + 8)[0])
        if kind == 76 and values[event]:
            seen[event] = seen.get(event, 0) + 1
            struct.pack_into("<Q", data, at + 24, values[event] * seen[event])
        at += length
    return bytes(data)


PMU_EVENTS = ("cs/name=cycles/,migrations/name=instructions/,"
              "faults/name=branches/,minor-faults/name=branch-misses/")


@pytest.mark.parametrize("option", ["", "--metric-only", "-x,",
                                    "--metric-only -x,"])
@pytest.mark.parametrize("words", ["-e task-clock,{} sleep 0.02",
                                   "-a -e cpu-clock,{} sleep 0.02"])
def test_metrics_of_a_file(programs, stat, tmp_path, words, option):
    """The row of names above the metrics of --metric-only is ours."""
    perf, ours = programs
    stat(perf, "record -o FILE " + words.format(PMU_EVENTS))
    (tmp_path / "FILE").write_bytes(with_pmu((tmp_path / "FILE").read_bytes()))
    for way in "", *(AGAIN if "-a" in words else []):
        expected = text_of(stat(perf, f"{option} report {way} -i FILE"))
        text = text_of(stat(ours, f"{option} report {way} -i FILE"))
        assert "1.50" in expected and "2.25" in expected
        if "metric" not in option:
            assert text == expected, way
            continue
        head = 0 if "-x" in option else 3
        expected, text = expected.splitlines(), text.splitlines()
        if "-x" in option:
            assert text[head].endswith(
                "GHz,insn per cycle,branch-misses of all branches,")
        names, row = text[head], text[head + 1]
        del expected[head], text[head]
        assert [line.split() for line in text] == [
            line.split() for line in expected], way
        if "-x" in option:
            continue
        for name, value in (("GHz", r"\d\.\d{3}"), ("insn per cycle", r"1\.50"),
                            ("branch-misses of all branches", r"2\.25%")):
            end = names.index(name) + len(name)
            assert re.fullmatch(value, row[:end].split()[-1])
            assert row[end:end + 1] == " "


@pytest.mark.parametrize("option", ["-A", "--per-core", "--per-socket", ""])
def test_json_of_metrics_alone(programs, stat, tmp_path, option):
    perf, ours = programs
    stat(perf, f"record -o FILE -a -e cpu-clock,{PMU_EVENTS} sleep 0.02")
    (tmp_path / "FILE").write_bytes(with_pmu((tmp_path / "FILE").read_bytes()))
    text = text_of(stat(ours, f"report --metric-only -j {option} -i FILE"))
    for line in text.splitlines():
        row = json.loads(line)
        assert row["insn per cycle"] == "1.50"
        assert row["branch-misses of all branches"] == "2.25"
        assert float(row["GHz"]) > 0
    assert text
