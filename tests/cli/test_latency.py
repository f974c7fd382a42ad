"""report --latency, and what it is made of, on recordings made record by record."""

import json
import os

import pytest

from made_file import ATTR, BITS, File, make

SWITCHES = make.Attr(size=128, type=1, config=1, sample_period=1000,
                     flags=1 << make.SAMPLE_ID_ALL | 1 << 26, sample_type=BITS)
OUT = 0x2000


class Threads(File):
    """Threads 6 and 7 of process 5, on CPU 1 and 2."""

    def __init__(self, big_endian=False, attr=SWITCHES):
        super().__init__(big_endian, attrs=(attr, ATTR))
        self.tid = 6

    def ident(self, time, ident=101):
        return dict(super().ident(time, ident), tid=self.tid, cpu=self.tid - 5)

    def sample(self, time, ident=101, cpu=None, tid=6):
        self.tid = tid
        super().sample(time, ident, cpu or tid - 5)

    def comm(self, time, name=b"worker\0\0", tid=6):
        self.tid = tid
        self.add(3, self.e.pack("II", 5, tid) + name, time)

    def switch(self, time, tid, misc=0):
        self.tid = tid
        self.add(14, b"", time, misc)

    def exit(self, time, tid):
        self.tid = tid
        self.add(4, self.e.pack("IIII", 5, 5, tid, tid) + self.e.words(time), time)


def threads(big_endian=False, attr=SWITCHES):
    """6 runs from the start, 7 beside it for 2 of 4 samples of each, then alone; 6
    runs again, and ends.  Samples at parallelism 1: 6, 7, 7, 6; at 2: 6, 6, 7, 7."""
    made = Threads(big_endian, attr)
    made.comm(90)
    made.comm(91, b"helper\0\0", 7)
    made.sample(1000)
    made.switch(1500, 7)
    for time in (2000, 3000):
        made.sample(time)
        made.sample(time + 1, tid=7)
    made.switch(3500, 6, OUT)
    made.sample(4000, tid=7)
    made.switch(4500, 6)
    made.exit(4600, 6)
    made.sample(5000, tid=7)
    made.switch(5500, 7, OUT)
    made.switch(5600, 6)
    made.sample(6000)
    made.add(68, b"")
    return made


@pytest.fixture
def shown(run, perfpair, tmp_path):
    def show(*words, made=None, code=0):
        (tmp_path / "t.data").write_bytes((made or threads()).bytes())
        done = run([perfpair, "report", "-i", "t.data", "-g", "none", *words])
        assert done.returncode == code, done.stderr
        return done
    return show


def table(done):
    lines = [line for line in done.stdout.splitlines() if line.strip("# ")]
    start = next(i for i, line in enumerate(lines) if line.startswith("# ...")) - 1
    return [lines[start].strip("# ").split(),
            *(line.split() for line in lines[start + 2:] if line[0] != "#")]


# The columns and their order are perf 7.3's, and so are the numbers: of eight samples
# four ran beside another, and count half.
@pytest.mark.parametrize("words,rows", [
    (["--latency", "-s", "comm"], [
        "Latency Overhead Command", "50.00% 50.00% helper", "50.00% 50.00% worker"]),
    (["-s", "parallelism"], [
        "Overhead Latency Parallelism", "50.00% 66.67% 1", "50.00% 33.33% 2"]),
    (["--latency", "-s", "parallelism,comm", "--parallelism", "1"], [
        "Latency Overhead Parallelism Command", "33.33% 25.00% 1 helper",
        "33.33% 25.00% 1 worker"]),
    (["--parallelism", "2-3,9", "-s", "comm"], [
        "Overhead Latency Command", "25.00% 16.67% helper", "25.00% 16.67% worker"]),
    (["-s", "latency,parallelism"], [
        "Latency Parallelism", "66.67% 1", "33.33% 2"]),
    (["-s", "parallelism,latency"], [
        "Latency Parallelism", "33.33% 2", "66.67% 1"]),
    (["-F", "latency,parallelism,sample"], [
        "Latency Parallelism Samples", "66.67% 1 4", "33.33% 2 4"]),
    (["--latency", "-F", "overhead,period,comm"], [
        "Overhead Period Command", "50.00% 4000 helper", "50.00% 4000 worker"]),
    (["--latency", "--show-total-period", "-n", "-s", "comm"], [
        "Latency Overhead Samples Period Command", "50.00% 50.00% 4 4000 helper",
        "50.00% 50.00% 4 4000 worker"]),
    (["--latency", "--percentage", "relative", "--parallelism", "2", "-s", "comm"], [
        "Latency Overhead Command", "50.00% 50.00% helper", "50.00% 50.00% worker"]),
])
@pytest.mark.parametrize("big_endian", [False, True])
def test_columns(words, rows, big_endian, shown):
    found = table(shown(*words, made=threads(big_endian)))
    assert [found[0], *sorted(found[1:])] == [row.split() for row in [
        rows[0], *sorted(rows[1:])]]


@pytest.mark.parametrize("words,rows", [
    (["--latency", "-s", "parallelism,latency"], [
        "Latency Overhead Parallelism", "66.67% 80.00% 2", "33.33% 20.00% 1"]),
    (["-s", "parallelism,latency"], ["Latency Parallelism", "33.33% 1", "66.67% 2"]),
    (["-s", "parallelism,latency,overhead"], [
        "Overhead Latency Parallelism", "20.00% 33.33% 1", "80.00% 66.67% 2"]),
])
def test_order(words, rows, shown):
    """As perf 7.3: --latency sorts by it, whatever -s names."""
    made = Threads()
    made.sample(200)
    made.switch(300, 7)
    for time in (400, 500):
        made.sample(time)
        made.sample(time + 1, tid=7)
    assert table(shown(*words, made=made)) == [row.split() for row in rows]


def test_hierarchy(shown):
    lines = [line.split() for line in shown(
        "--latency", "--hierarchy", "-s", "parallelism,comm").stdout.splitlines()
        if "%" in line]
    assert [line[:3] for line in lines] == [
        ["66.67%", "50.00%", "1"], ["33.33%", "25.00%", "helper"],
        ["33.33%", "25.00%", "worker"], ["33.33%", "50.00%", "2"],
        ["16.67%", "25.00%", "helper"], ["16.67%", "25.00%", "worker"]]


def test_other_outputs_weigh_latencies(shown):
    lines = shown("--latency", "--format", "folded").stdout.splitlines()
    assert sorted(int(line.rsplit(" ", 1)[1]) for line in lines) == [3000, 3000]
    event, = json.loads(shown("--latency", "-s", "parallelism", "--format",
                              "json").stdout)["events"]
    assert [(row["parallelism"], row["latency"], row["period"],
             round(row["latency_pct"]), row["overhead_pct"]) for row in
            event["rows"]] == [("1", 4000, 4000, 67, 50), ("2", 2000, 4000, 33, 50)]
    assert (event["period"], event["latency"]) == (8000, 6000)
    csv = shown("--latency", "-s", "parallelism", "--format", "csv").stdout
    assert csv.splitlines()[0] == ("event,overhead_pct,period,samples,latency_pct,"
                                   "latency,parallelism")
    assert csv.splitlines()[2].split(",")[1:] == [
        "50", "4000", "4", "33.33333333", "2000", '"2"']


class Chains(Threads):
    """Samples have callers."""

    def __init__(self):
        super().__init__(attr=make.Attr(SWITCHES, sample_type=BITS | 1 << 5))

    def sample(self, time, ident=101, cpu=None, tid=6):
        self.tid = tid
        self.records.append(self.e.sample(self.attrs[0], self.ident(time, ident)))


def test_data_have_callees(shown):
    made = Chains()
    made.sample(200)
    made.switch(300, 7)
    made.sample(400)
    words = "--latency", "--children", "-s", "parallelism", "--format"
    head, *rows = [line.split(",") for line in
                   shown(*words, "csv", made=made).stdout.splitlines()]
    assert head[4:10] == ["children_pct", "children_period", "latency_pct", "latency",
                          "latency_children_pct", "latency_children"]
    assert [row[5:10] for row in rows] == [
        ["1000", "66.66666667", "1000", "66.66666667", "1000"],
        ["1000", "33.33333333", "500", "33.33333333", "500"]]
    assert shown(*words, "markdown", made=made).stdout.splitlines()[2] == (
        "| overhead | children | latency | latency children | samples | parallelism |")


def test_exports_say_what_they_weigh(shown):
    done = shown("--latency", "--format", "speedscope")
    profile, = json.loads(done.stdout)["profiles"]
    assert profile["name"] == "latency of task-clock:HG"
    assert sum(profile["weights"]) == 6000


def test_diff_compares_latencies(run, perfpair, tmp_path):
    """Of 6000 ns 4000 are those of one thread alone."""
    (tmp_path / "old.data").write_bytes(threads().bytes())
    done = run([perfpair, "diff", "old.data", "old.data", "--measure", "latency", "-s",
                "parallelism", "--format", "csv"])
    assert done.returncode == 0, done.stderr
    head, *rows = [line.split(",") for line in done.stdout.splitlines()]
    share = head.index("baseline_pct")
    assert [(row[head.index("parallelism")].strip('"'), round(float(row[share])))
            for row in rows] == [("1", 67), ("2", 33)]


def test_a_loss_forgets_who_ran(shown):
    """What a thread did since is known by its samples alone."""
    made = Threads()
    made.switch(100, 6)
    made.switch(110, 7)
    made.sample(200)
    made.add(2, made.e.words(101, 7), 300)
    made.sample(400)
    made.sample(500, tid=7)
    assert table(shown("-s", "parallelism", "-F", "sample,parallelism",
                       made=made))[1:] == [["1", "1"], ["2", "2"]]


@pytest.mark.parametrize("words", [
    ["--latency"], ["-s", "parallelism"], ["-F", "latency,sym"],
    ["--parallelism", "1"]])
def test_without_switches(words, shown):
    done = shown(*words, made=File().some(), code=1)
    assert "no context switches were recorded" in done.stderr
    assert "record --latency" in done.stderr


def test_a_wrong_list(shown):
    assert "--parallelism: 'x'" in shown("--parallelism", "x", code=2).stderr


def test_parallelism_that_never_was(shown):
    assert "no sample passes --parallelism 3" in shown("--parallelism", "3").stderr
    assert "has the time in which none did" in shown("--parallelism", "0", code=2).stderr


@pytest.mark.parametrize("words", [["--off-cpu"], ["--latency", "--waits"]])
def test_switches_without_stacks(words, shown):
    """PERF_RECORD_SWITCH alone is not said to be none."""
    done = shown(*words, code=1)
    assert "that were recorded have no stacks" in done.stderr
    assert "--off-cpu" in done.stderr


def test_top_asks_for_switches(run, perfpair, perfpair_record, may_record):
    done = run([perfpair, "top", "--stdio", "-e", "cpu-clock", "-s", "parallelism", "--",
                "timeout", "0.2", "sh", "-c", "while :; do :; done"], timeout=60,
               env={**os.environ,
                    "PATH": f"{os.path.dirname(perfpair_record)}:{os.environ['PATH']}"})
    assert (done.returncode, done.stderr) == (124, ""), done  # the command's


def test_recorder_asks_for_switches(run, perfpair, perfpair_record, may_record):
    run([perfpair_record, "--latency", "-o", "r.data", "-e", "cpu-clock", "--", "true"],
        check=True)
    assert "context_switch: 1," in run([perfpair, "evlist", "-v", "-i", "r.data"]).stdout
