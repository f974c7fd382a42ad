"""perfpair sched: on recordings made record by record, and its words."""

import pytest

from made_file import ATTR, File
from terminal_run import environment, on_terminal
from test_off_cpu import PREEMPT, SWITCHES, Switches


def shown(run, perfpair, tmp_path, made, *words):
    path = tmp_path / "made.data"
    path.write_bytes(made.bytes())
    return run([perfpair, "sched", "timehist", *words, "-i", path])


def lines_of(done):
    return [line.split() for line in done.stdout.splitlines()[3:]]


def switches(big_endian=False):
    made = Switches(big_endian)
    made.comm(1000)
    made.on(10_000_000)
    made.out(30_000_000)
    made.on(70_000_000)
    made.out(80_000_000)
    made.lost(90_000_000)
    made.out(95_000_000)
    return made


@pytest.mark.parametrize("big_endian", [False, True])
def test_switches_without_tracepoints_have_times(run, perfpair, tmp_path,
                                                 big_endian):
    done = shown(run, perfpair, tmp_path, switches(big_endian))
    assert done.returncode == 0, done.stderr
    assert lines_of(done) == [
        ["0.030000", "[0001]", "worker[6/5]", "0.000", "0.000", "20.000"],
        ["0.080000", "[0001]", "worker[6/5]", "40.000", "0.000", "10.000"],
        ["0.090000", "lost", "7", "events", "on", "cpu", "1"],
        ["0.095000", "[0001]", "worker[6/5]", "0.000", "0.000", "0.000"]]
    assert "no wakeups were recorded, so that sch delay is not known" \
        in done.stderr
    assert "7 records lost while recording; times across a loss are 0.000" \
        in done.stderr


def test_range_of_time_cuts_runs_and_no_waits(run, perfpair, tmp_path):
    done = shown(run, perfpair, tmp_path, switches(), "--time", "0.075,0.078")
    assert lines_of(done) == [
        ["0.078000", "[0001]", "worker[6/5]", "40.000", "0.000", "3.000"]]


@pytest.mark.parametrize("words, nr", [
    (["-p", "5"], 3), (["-p", "6"], 0), (["-t", "6"], 3), (["-t", "5"], 0),
    (["-C", "1"], 3), (["--state"], 3)])
def test_filters_choose_switches(run, perfpair, tmp_path, words, nr):
    done = shown(run, perfpair, tmp_path, switches(), *words)
    assert sum("worker" in line for line in done.stdout.splitlines()) == nr


def test_summary_counts_switches_of_unknown_length(run, perfpair, tmp_path):
    done = shown(run, perfpair, tmp_path, switches(), "-s")
    row, = [line.split() for line in done.stdout.splitlines() if "worker" in line]
    assert row == ["worker[6/5]", "-1", "3", "30.000", "10.000", "15.000",
                   "20.000", "33.33", "0"]


def test_recording_without_switches_says_what_records_them(run, perfpair,
                                                           tmp_path):
    done = shown(run, perfpair, tmp_path, File(attrs=(ATTR, ATTR)).some())
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        f"perfpair: {tmp_path}/made.data: no context switches were recorded",
        "perfpair: perfpair-record --off-cpu, or perf record -a -e "
        "sched:sched_switch -g, records them"]


def test_switches_without_times(run, perfpair, tmp_path):
    timeless = SWITCHES | {"sample_type": SWITCHES["sample_type"] & ~4}
    done = shown(run, perfpair, tmp_path, File(attrs=(timeless, timeless)))
    assert (done.returncode, done.stderr) == (
        1, f"perfpair: {tmp_path}/made.data: switches were recorded without "
        "times or thread ids\n")


def test_times_that_go_back_make_no_lengths(run, perfpair, tmp_path):
    made = Switches()
    made.comm(1000)
    made.on(10_000_000)
    made.out(30_000_000, PREEMPT)
    for _ in range(3):  # a round promises that nothing older follows
        made.add(68, b"")
    made.on(20_000_000)
    made.out(15_000_000)
    done = shown(run, perfpair, tmp_path, made)
    assert [line[3:] for line in lines_of(done)] == [
        ["0.000", "0.000", "20.000"], ["0.000", "0.000", "0.000"]]
    done = run([perfpair, "sched", "latency", "-i", tmp_path / "made.data"])
    assert "worker" not in done.stdout


def test_several_ranges_of_time_are_refused(run, perfpair, tmp_path):
    done = shown(run, perfpair, tmp_path, switches(), "--time", "1,2 3,4")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--time takes one START,STOP here" in done.stderr


def test_input_may_stand_before_the_word(run, perfpair, tmp_path):
    after = shown(run, perfpair, tmp_path, switches())
    before = run([perfpair, "sched", "-i", tmp_path / "made.data", "timehist"])
    assert before.stdout == after.stdout != ""


def latency(run, perfpair, tmp_path, *words):
    path = tmp_path / "made.data"
    path.write_bytes(preempted().bytes())
    done = run([perfpair, "sched", "latency", *words, "-i", path])
    return done, [line.replace("|", " ").split()
                  for line in done.stdout.splitlines()[4:-4]]


def preempted():
    made = Switches()
    made.comm(1000)
    made.on(10_000_000)
    made.out(30_000_000, PREEMPT)
    made.on(70_000_000)
    made.out(80_000_000)
    made.on(90_000_000)
    return made


def test_latency_begins_where_a_record_says_so(run, perfpair, tmp_path):
    done, rows = latency(run, perfpair, tmp_path)
    assert (done.returncode, rows) == (0, [
        ["worker:6", "30.000", "ms", "1", "avg:", "40.000", "ms", "max:", "40.000",
         "ms", "max", "start:", "0.030000", "s", "max", "end:", "0.070000", "s"]])
    assert "no wakeups were recorded, so that only delays behind preemptions" \
        in done.stderr


@pytest.mark.parametrize("words, what", [
    (["-s", "avg,mux"], "--sort takes up to 8 of"),
    (["-s", "avg,avg,avg,avg,avg,avg,avg,avg,avg"], "--sort takes up to 8 of"),
    (["-C", "1,x"], "--cpu")])
def test_latency_names_what_is_wrong(run, perfpair, tmp_path, words, what):
    done, _ = latency(run, perfpair, tmp_path, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert what in done.stderr


@pytest.mark.parametrize("words, rows", [
    ([], ["      *A0       0.010000 secs A0 => worker:6",
          "      *A0       0.070000 secs "]),
    (["--cpus", "1"], ["  *A0       0.010000 secs A0 => worker:6",
                       "  *A0       0.070000 secs "]),
    (["--compact"], ["  *A0       0.010000 secs A0 => worker:6 (CPU 1)",
                     "  *A0       0.070000 secs "]),
    (["--cpus", "0"], [])])
def test_map_has_a_line_where_a_task_gets_a_cpu(run, perfpair, tmp_path, words,
                                                rows):
    (tmp_path / "made.data").write_bytes(switches().bytes())
    done = run([perfpair, "sched", "map", *words, "-i", tmp_path / "made.data"])
    assert (done.returncode, done.stdout.splitlines()) == (0, rows)
    assert "7 records lost while recording" in done.stderr


class OnCpus(Switches):
    cpu = 1

    def ident(self, time, ident=101):
        return dict(super().ident(time, ident), cpu=self.cpu)


@pytest.mark.parametrize("end", ["lost", "out"])
def test_map_empties_the_column_of_which_nothing_is_known(run, perfpair, tmp_path,
                                                          end):
    made = OnCpus()
    made.on(10_000_000)
    made.cpu = 0
    made.on(20_000_000)
    made.cpu = 1
    getattr(made, end)(30_000_000)
    made.cpu = 0
    made.on(40_000_000)
    (tmp_path / "made.data").write_bytes(made.bytes())
    done = run([perfpair, "sched", "map", "-i", tmp_path / "made.data"])
    assert done.stdout.splitlines() == [
        "      *A0       0.010000 secs A0 => :6:6", "  *A0  A0       0.020000 secs ",
        "  *A0           0.040000 secs "]


@pytest.mark.parametrize("words, row", [
    ([], "      *A0 "),
    (["--color-cpus", "0,1"], "      \x1b[41m*\x1b[mA0 "),
    (["--color-cpus", "0", "--color-pids", "6"], "      *\x1b[34mA0 \x1b[m")])
def test_map_has_colours_on_a_terminal(run, perfpair, tmp_path, words, row):
    (tmp_path / "made.data").write_bytes(switches().bytes())
    words = [perfpair, "sched", "map", *words, "-i", "made.data"]
    shown = on_terminal(words, environment(tmp_path, PAGER="cat"), tmp_path, 80)
    assert shown.text.splitlines()[1].startswith(row + "  "), shown.text
    assert "\x1b" not in run(words).stdout


def test_map_without_tasks_that_get_a_cpu_says_so(run, perfpair, tmp_path):
    made = Switches()
    made.out(30_000_000)
    (tmp_path / "made.data").write_bytes(made.bytes())
    done = run([perfpair, "sched", "map", "-i", tmp_path / "made.data"])
    assert (done.returncode, done.stdout) == (1, "")
    assert "no switch says which task gets the CPU" in done.stderr


def test_map_names_the_list_that_is_wrong(run, perfpair, tmp_path):
    (tmp_path / "made.data").write_bytes(switches().bytes())
    done = run([perfpair, "sched", "map", "--color-cpus", "x", "-i",
                tmp_path / "made.data"])
    assert (done.returncode, done.stdout) == (2, "")
    assert "--color-cpus and --color-pids take numbers" in done.stderr


@pytest.mark.parametrize("words", [["timehist", "-S"], ["map"]], ids=" ".join)
def test_file_that_is_cut_shows_what_is_left(run, perfpair, tmp_path, words):
    data = switches().bytes()
    for length in range(0, len(data), 37):
        (tmp_path / "cut.data").write_bytes(data[:length])
        done = run([perfpair, "sched", *words, "-i", tmp_path / "cut.data"])
        assert done.returncode in (1, 2, 3), (length, done.stderr)
