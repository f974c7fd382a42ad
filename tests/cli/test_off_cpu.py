"""report --off-cpu and --wall-clock on a recording made record by record."""

import json

import pytest

from made_file import ATTR, BITS, File, make

CLOCK, SWITCH = 101, 102
SWITCHES = make.Attr(size=128, type=1, config=3, sample_period=1,
                     flags=1 << make.SAMPLE_ID_ALL, sample_type=BITS)
OUT, PREEMPT = 0x2000, 0x6000


class Switches(File):
    def __init__(self, big_endian=False):
        super().__init__(big_endian, attrs=(ATTR, SWITCHES))

    def out(self, time, misc=OUT):
        self.sample(time, ident=SWITCH)
        self.add(14, b"", time + 1, misc, ident=SWITCH)

    def on(self, time):
        self.add(14, b"", time, ident=SWITCH)

    def lost(self, time):
        self.add(2, self.e.words(SWITCH, 7), time, ident=SWITCH)


def waits(big_endian=False):
    """Thread 6 waits 4000 ns, is preempted for 1000, waits for 1000 with lost
    records, then from 9500 to the end at 10000.  Five samples of 4000 ns."""
    made = Switches(big_endian)
    made.comm(90)
    made.sample(100)
    made.on(150)
    made.out(1000)
    made.on(5000)
    made.sample(5500)
    made.out(6000, PREEMPT)
    made.on(7000)
    made.sample(7500)
    made.out(8000)
    made.lost(8500)
    made.on(9000)
    made.sample(9100)
    made.out(9500)
    made.sample(10000)
    made.add(68, b"")
    return made


@pytest.fixture
def shown(run, perfpair, tmp_path):
    """shown(WORD..., made=FILE): the finished report of such a recording."""
    def show(*words, made=None, code=0):
        (tmp_path / "t.data").write_bytes((made or waits()).bytes())
        done = run([perfpair, "report", "-i", "t.data", *words])
        assert done.returncode == code, done.stderr
        return done
    return show


def rows_of(done, *keys):
    """{keys: (ns, samples)} of JSON's only table."""
    event, = json.loads(done.stdout)["events"]
    return event["event"], {
        tuple(row[key] for key in keys): (row["period"], row["samples"])
        for row in event["rows"]}


@pytest.mark.parametrize("big_endian", [False, True])
def test_intervals_by_state(shown, big_endian):
    done = shown("--off-cpu", "-s", "comm,state,waker", "--format", "json",
                 made=waits(big_endian))
    assert rows_of(done, "comm", "state", "waker") == ("off-cpu", {
        ("worker", "blocked", "-"): (4500, 2),
        ("worker", "R+ (preempted)", "-"): (1000, 1)})
    assert "1 interval without a CPU, 0.000001 s, miss" in done.stderr


def test_text_says_what_is_not_counted(shown):
    lines = shown("--off-cpu", "-s", "state", "-n").stdout.splitlines()
    assert [line for line in lines if "CPU" in line or "missing" in line] == [
        "# Samples are intervals without a CPU; their weight is ns.",
        "# Threads without a CPU at the start: 1, 0.000000 s (no stack, not "
        "counted)",
        "# Without a CPU at the end: 1, 0.000000 s (counted until the end)",
        "# Intervals with missing records: 1, 0.000001 s (not counted)"]
    assert "# Samples: 3  of event 'off-cpu'" in lines
    assert "# Event count (approx.): 5500" in lines


@pytest.mark.parametrize("times,ns,nr", [
    ("0.000002,0.000003", 1001, 1),           # both ends included
    (",0.000002", 1001, 1),
    ("0.000002,0.000003 0.000006,", 1001 + 1500, 3),
    ("0.0000052,0.0000053", 0, 0)])
def test_time_cuts_intervals(shown, times, ns, nr):
    done = shown("--off-cpu", "--time", times, "-s", "comm", "--format", "csv")
    lines = done.stdout.splitlines()[1:]
    assert [line.split(",")[2:4] for line in lines] == (
        [[str(ns), str(nr)]] if nr else [])


def test_wall_clock_is_both(shown):
    done = shown("--wall-clock", "-s", "state", "--format", "json")
    assert rows_of(done, "state") == ("wall-clock", {
        ("on CPU",): (5 * 4000, 5), ("blocked",): (4500, 2),
        ("R+ (preempted)",): (1000, 1)})


def test_folded_lines_are_of_time(shown):
    done = shown("--off-cpu", "--format", "folded")
    assert [line.rsplit(" ", 1)[1] for line in done.stdout.splitlines()] == [
        "5500"]
    assert done.stdout.startswith("worker;")


def test_without_the_option_samples_are_as_recorded(shown):
    lines = shown("-s", "comm").stdout.splitlines()
    assert "# Samples: 4  of event 'context-switches:HG'" in lines
    assert not [line for line in lines if "off-cpu" in line]


@pytest.mark.parametrize("words,text", [
    (["--off-cpu", "--mem-mode"], "count time"),
    (["--wall-clock", "--branch-history"], "count time"),
    (["--waits", "-b"], "count time"),
    (["--waits", "--wall-clock"], "do not go together"),
    (["--latency", "--off-cpu"], "--latency --waits divides"),
    (["--latency", "--waits", "--switch-on", "context-switches"], "--time parts it")])
def test_refusals(shown, words, text):
    assert text in shown(*words, code=2).stderr


ROOTS = {"[waker not known]": 4000, "[waits for a CPU]": 1000,
         "[goes on at the end]": 500}


@pytest.mark.parametrize("key", ["sym", "symoff"])
def test_waits__roots(shown, key):
    """Each root is a row of its own."""
    done = shown("--waits", "-s", key, "--format", "json")
    event, rows = rows_of(done, {"sym": "symbol"}.get(key, key))
    assert event == "waits"
    assert {name.split("+0x")[0]: ns for (name,), (ns, _) in rows.items()} == ROOTS
    assert "no wakeups were recorded" in done.stderr


@pytest.mark.parametrize("words", [
    [], ["--children"], ["-g", "callee"], ["-s", "sym", "--hierarchy"], ["-G"],
    ["--format", "csv", "-s", "sym"], ["--format", "markdown", "-s", "sym"],
    ["--format", "folded"], ["-p", r"\[waits", "-s", "parent"]])
def test_waits__every_output_has_them(shown, words):
    assert "[waits for a CPU]" in shown("--waits", *words).stdout


def test_waits__children_have_a_column(shown):
    assert "Children" in shown("--waits", "--children").stdout
    assert "Children" not in shown("--waits").stdout


def test_waits__page(shown, tmp_path):
    shown("--waits", "--format", "html", "-o", "page.html")
    assert (tmp_path / "page.html").stat().st_size > 10000


@pytest.mark.parametrize("words", [[], ["--time", "0.000002,0.000006"]])
def test_waits__times_of_parts(shown, words):
    def of(mode):
        return rows_of(shown(mode, "-s", "time", "--time-quantum", "1us",
                             "--format", "json", *words), "time")[1]
    ours = {time: ns for time, (ns, _) in of("--waits").items()}
    assert ours == {time: ns for time, (ns, _) in of("--off-cpu").items()}
    assert len(ours) > 1


@pytest.mark.parametrize("big_endian", [False, True])
def test_latency__divides_all_of_the_time(shown, big_endian):
    """From the first sample at 100 on; the thread runs from 150 to 1000, 5000 to
    6000, 7000 to 8000 and 9000 to 9500."""
    done = shown("--latency", "--waits", "-s", "parallelism,sym,state", "--format",
                 "json", made=waits(big_endian))
    event, = json.loads(done.stdout)["events"]
    assert event["event"] == "latency"
    assert {(row["parallelism"], row["symbol"].split("+0x")[0].lstrip("0x"),
             row["state"]): (row["latency"], row["period"])
            for row in event["rows"]} == {
        ("1", "[on a CPU]", "on CPU"): (850, 850),
        ("1", "401234", "on CPU"): (2500, 2500),
        ("0", "[waker not known]", "blocked"): (50 + 4000 + 1000, 0),
        ("0", "[waits for a CPU]", "R+ (preempted)"): (1000, 0),
        ("0", "[goes on at the end]", "blocked"): (500, 0)}
    assert "miss records and are of no known cause" in done.stderr


def test_latency__of_tasks_and_times(shown):
    """The filter chooses the tasks whose time is divided, and the times."""
    words = "--latency", "--waits", "--no-children", "-s", "comm", "--format", "csv"
    assert shown(*words, "--comms", "other").stdout.count("\n") == 1
    line = shown(*words, "--time", "0.000005,0.000006").stdout.splitlines()[1]
    assert line.split(",")[1:] == ["100", "1000", "2", "100", "1001", '"worker"']
    line = shown(*words, "--parallelism", "0").stdout.splitlines()[1]
    assert line.split(",")[5] == "6550"


@pytest.mark.parametrize("words", [["-s", "parallelism"], ["--parallelism", "1"],
                                   ["-s", "latency"], ["-F", "comm,latency"]])
def test_latency__counts_who_runs_alone(shown, words):
    assert "of each thread alone" in shown("--waits", *words, code=2).stderr


@pytest.mark.parametrize("words", [
    [], ["--children"], ["-g", "callee"], ["-s", "sym", "--hierarchy"],
    ["--format", "markdown", "-s", "sym"], ["--format", "folded"]])
def test_latency__every_output_has_waits(shown, words):
    assert "[waits for a CPU]" in shown("--latency", "--waits", *words).stdout


def test_latency__is_the_only_event_of_diff(run, perfpair, shown):
    shown("-s", "comm")  # makes t.data
    done = run([perfpair, "diff", "t.data", "t.data", "--measure", "elapsed",
                "--no-interval"])
    assert [line for line in done.stdout.splitlines() if "Event" in line] == [
        "# Event 'latency'"]


@pytest.mark.parametrize("words", [[], ["-g"]])
def test_latency__is_compared(run, perfpair, shown, words):
    shown("-s", "comm")  # makes t.data
    done = run([perfpair, "diff", "t.data", "t.data", "--measure", "elapsed", *words])
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("# Compared: parts of the elapsed time. 2 files.")
    assert "s of elapsed time" in done.stdout
    row, = [line.split() for line in done.stdout.splitlines()
            if line.endswith("[waker not known]")]
    assert row[0] == "51.01%"


def test_wall_clock_says_whose_seconds(shown):
    assert "in all thread-seconds" in shown("--wall-clock").stdout


def of_command(context_switch):
    """Switches as of perf record without -a: when a thread has a CPU again is said by
    PERF_RECORD_SWITCH alone."""
    made = waits()
    made.attrs[1] = make.Attr(SWITCHES, flags=SWITCHES["flags"] | 1 << 12
                              | context_switch << 26)
    if not context_switch:
        made.records = [rec for rec in made.records if rec[0] != 14]
    return made


@pytest.mark.parametrize("words,rest", [
    (["--off-cpu"], "not counted"), (["--waits"], "not counted"),
    (["--latency", "--waits"], "of no known cause")])
def test_returns_that_were_not_recorded(run, perfpair, shown, words, rest):
    """One line says what is missing, and what gives it."""
    said = shown(*words, "-s", "comm", made=of_command(False)).stderr
    assert "miss records" not in said
    line, = [line for line in said.splitlines() if "got a CPU again" in line]
    assert line.endswith(f"are {rest}; record --off-cpu, or perf record "
                         "--switch-events, has it")
    said = run([perfpair, "diff", "t.data", "t.data", "--measure", "elapsed"]).stderr
    assert "when a thread got a CPU again is not recorded" in said
    said = shown(*words, "-s", "comm", made=of_command(True)).stderr
    assert "miss records" in said and "got a CPU again" not in said


def test_a_recording_without_switches(shown):
    done = shown("--off-cpu", made=File().some(), code=1)
    assert "no context switches were recorded" in done.stderr
    assert "perfpair-record --off-cpu" in done.stderr


@pytest.mark.parametrize("words", [["--off-cpu"], ["--latency", "--waits"]])
def test_changed_bytes(run, perfpair, tmp_path, words):
    """Each byte of the records: an answer, or an error with its reason."""
    whole, first = waits().bytes(), waits().data_off
    for at in range(first, len(whole), 13):
        for value in (0, 0xff):
            data = bytearray(whole)
            data[at] = value
            (tmp_path / "t.data").write_bytes(data)
            done = run([perfpair, "report", *words, "-s", "comm,state", "-q", "-i",
                        "t.data"], timeout=10)
            assert done.returncode in (0, 1, 3), (at, value)
            assert done.returncode == 0 or done.stderr, (at, value)
