"""perfpair report on a terminal: the screen has report's numbers, for what is chosen
there."""

import re
import sys

import pytest

from common import ROOT
from terminal_run import environment, on_terminal
from test_off_cpu import waits
from tmux_terminal import IS_HERE, rows

sys.path.insert(0, str(ROOT / "fixtures" / "gen"))
import make  # noqa: E402
from perf_data import Encoder  # noqa: E402

pytestmark = IS_HERE
BITS = 1 | 1 << 1 | 1 << 2 | 1 << 6 | 1 << 8  # IP TID TIME ID PERIOD
ATTR = make.attr_of(sample_type=BITS)
SECOND = 10**9
FIRST = 5 * SECOND
TASKS = 30
LIST = "rows: "  # of the line above the columns


def recording(name="task{}"):
    """Four seconds: each of 30 tasks has more samples than the one before, and the
    first half of them is over when the other one begins.  Every third sample is in
    the kernel.  A second event has one sample."""
    e = Encoder(False)
    data = b""
    for i in range(TASKS):
        who = {"pid": 100 + i, "tid": 100 + i, "time": FIRST, "id": 1, "cpu": 0,
               "stream_id": 0, "period": 1000}
        comm = name.format(i).encode() + b"\0"
        body = e.pack("II", 100 + i, 100 + i) + comm
        data += e.record(3, 0, body + bytes(-len(body) % 8) + e.trailer(ATTR, who))
    samples = []
    for i in range(TASKS):
        # 3 ms behind where blocks of time, of 10 ms, begin
        begin = FIRST + 2 * SECOND * (i >= TASKS // 2) + 3 * 10**6
        for nr in range(i + 1):
            time = begin + 2 * SECOND * nr // (i + 1) + i
            samples.append((time, i, nr % 3 == 2))
    samples += [(FIRST, 0, False), (FIRST + 4 * SECOND, TASKS - 1, False)]
    for time, i, is_kernel in sorted(samples):
        who = {"pid": 100 + i, "tid": 100 + i, "time": time, "id": 1, "cpu": 0,
               "stream_id": 0, "period": 1000, "ip": 0x400000}
        sample = bytearray(e.sample(ATTR, who))
        sample[4] = 1 if is_kernel else 2
        data += sample
    data += e.sample(ATTR, dict(who, id=2))
    return e.plain_file([(ATTR, [1]), (ATTR, [2])], data)


@pytest.fixture
def show(terminal, tmp_path):
    """show(OPTIONS, data): perfpair report on the terminal, once it is there."""
    def run(options="-s comm", data=None, command="report"):
        (tmp_path / "perf.data").write_bytes(data or recording())
        terminal.run(f"cd {tmp_path}; perfpair {command} {options}; echo rc=$?")
        return terminal.wait(lambda text: LIST in text or re.search(r"rc=\d", text))
    return run


@pytest.fixture
def told(run, perfpair, tmp_path):
    """The rows that report prints."""
    def table(*options, event=0):
        text = run([perfpair, "report", "--stdio", *options], cwd=tmp_path).stdout
        text = text.split("# Samples: ")[1 + event]
        return [line.strip() for line in text.splitlines()
                if re.match(r" +\d+\.\d+%", line)]
    return table


def test_the_screen_has_the_rows_of_the_table(show, told, terminal):
    text = show()
    lines = text.splitlines()
    assert re.fullmatch(r"perf\.data  467 samples of \S+ in 4\.000 s", lines[0])
    assert len(set(lines[1])) > 3
    assert lines[2].startswith("rows: 30  sort: comm")
    assert lines[3].split() == ["Overhead", "Command"]
    assert rows(lines) == told("-s", "comm")[:19]
    assert lines[-1].startswith("h: keys ")
    terminal.keys("Tab")
    text = terminal.wait("rows: 1 ")
    assert rows(text.splitlines()) == told("-s", "comm", event=1)
    assert " 1 samples of " in text.splitlines()[0]
    terminal.leave()
    assert "rc=0" in terminal.text()


@pytest.mark.parametrize("keys, begin, end", [
    (["["] * 10, 2.0, 4.0), (["]"] * 10, 0.0, 2.0),
    (["["] * 12 + ["{"] * 2, 2.0, 4.0), (["]"] * 12 + ["}"] * 2, 0.0, 2.0),
    (["["] * 5 + ["]"] * 5, 1.0, 3.0),
    (["r", "1,3", "Enter"], 1.0, 3.0), (["r", "1.5,1.7", "Enter"], 1.5, 1.7),
    (["["] * 30, 3.99, 4.0)])
def test_a_range_has_the_rows_of_that_time(show, told, terminal, keys,
                                           begin, end):
    show()
    for key in keys:
        terminal.keys(key)
    text = terminal.wait(f"from {begin:.3f} s to {end:.3f} s")
    # the last block has the last sample, too
    until = FIRST + (end * SECOND - 1 if end < 4 else 9 * SECOND)
    expected = told("-s", "comm", "--time",
                    f"{(FIRST + begin * SECOND) / SECOND:.9f},"
                    f"{until / SECOND:.9f}")
    assert rows(text.splitlines()) == expected[:19]
    terminal.keys("Escape")
    text = terminal.wait(lambda text: "from " not in text)
    assert rows(text.splitlines()) == told("-s", "comm")[:19]
    terminal.leave()


def test_a_range_that_is_none_is_refused(show, terminal):
    text = show()
    for typed in ("x", "3,1", "4.5,6", " -1,2", "1,2,3"):
        terminal.keys("r")
        terminal.keys("-l", typed)
        terminal.keys("Enter")
        said = terminal.wait("FROM,TO: seconds since the first sample, up to 4.000")
        assert rows(said.splitlines()) == rows(text.splitlines())
        terminal.keys("Up")
        terminal.wait("h: keys ")
    terminal.leave()


def test_modes_and_ranges_go_together(show, told, terminal):
    show()
    terminal.keys("[", "[", "[", "[", "[", "[", "[", "[", "[", "[", "K")
    text = terminal.wait("without kernel  from 2.000 s to 4.000 s")
    shown = rows(text.splitlines())
    everything = told("-s", "comm", "--time", "7,")
    assert len(shown) == len(everything) == TASKS // 2
    assert sum(float(row.split("%")[0]) for row in shown) == pytest.approx(100, abs=.2)
    terminal.keys("U")
    text = terminal.wait("without kernel  without programs")
    assert rows(text.splitlines()) == []
    terminal.keys("K")
    text = terminal.wait(lambda text: "without programs" in text and
                         "without kernel" not in text)
    assert len(rows(text.splitlines())) == TASKS // 2
    terminal.leave()


def test_sort_keys_read_the_file_again(show, told, terminal):
    text = show()
    terminal.keys("]")
    terminal.wait("from 0.000 s to 3.800 s")
    terminal.keys("s", "C-u")
    terminal.keys("-l", "nosuch")
    terminal.keys("Enter")
    terminal.wait("Unknown --sort key: `nosuch'")
    terminal.keys("s", "C-u")
    terminal.keys("-l", "pid")
    terminal.keys("Enter")
    text = terminal.wait("sort: pid  from 0.000 s to 3.800 s")
    assert rows(text.splitlines()) == \
        told("-s", "pid", "--time", "5,8.799999999")[:19]
    terminal.keys("s", "C-u")
    terminal.keys("-l", "comm")
    terminal.keys("Enter", "Escape")
    text = terminal.wait(lambda text: "sort: comm" in text and "from" not in text)
    assert rows(text.splitlines()) == told("-s", "comm")[:19]
    terminal.leave()


def test_what_cannot_be_is_said(show, terminal):
    text = show()
    terminal.keys("o")
    said = terminal.wait("no context switches were recorded")
    assert rows(said.splitlines()) == rows(text.splitlines())
    for key in "zpf":
        terminal.keys("Up")
        terminal.wait("h: keys ")
        terminal.keys(key)
        terminal.wait("the recording is over: nothing moves")
    terminal.keys("h")
    text = terminal.wait("Any key leaves this page.")
    assert "[ ] { }" in text and "pause" not in text
    assert text.splitlines()[-1].startswith("h: keys")
    terminal.keys("x")
    terminal.leave()


def test_times_without_a_cpu(show, told, terminal):
    """Their rows are those of --off-cpu, and back are the samples."""
    text = show("-s comm --show-total-period", waits().bytes())
    assert " samples of " in text.splitlines()[0]
    terminal.keys("o")
    off = terminal.wait(" off-cpu in ").splitlines()
    assert rows(off) == told("-s", "comm", "--show-total-period", "--off-cpu")
    assert rows(off) != rows(text.splitlines())
    terminal.keys("o")
    back = terminal.wait(lambda text: " off-cpu " not in text).splitlines()
    assert rows(back) == rows(text.splitlines())
    terminal.leave()


def test_warnings_are_on_the_screen_and_behind_it(show, terminal, run, perfpair,
                                                  tmp_path):
    """And the exit code is that of the table."""
    text = show(data=recording()[:-30])
    assert LIST in text
    assert text.splitlines()[-1] == "there are warnings: i shows them"
    done = run([perfpair, "report", "--stdio"], cwd=tmp_path)
    said = [line.removeprefix("perfpair: ") for line in done.stderr.splitlines()]
    terminal.keys("i")
    lines = terminal.wait("Recording").splitlines()
    assert said and lines[4:4 + len(said)] == said
    assert "# ========" in lines[4 + len(said)]
    terminal.keys("q")
    terminal.wait("rows: 30")
    terminal.keys("q")
    text = terminal.wait("rc=3")
    assert done.stderr.splitlines()[0] in text.replace("\n", "")  # it is wide


def write(terminal, name, said):
    terminal.keys("w")
    terminal.keys("-l", name)
    terminal.keys("Enter")
    return terminal.wait(said)


@pytest.mark.parametrize("name, options", [
    ("o.csv", ["--format", "csv"]), ("o.json", ["--format", "json"]),
    ("o.md", ["--format", "markdown"]), ("o.folded", ["--format", "folded"]),
    ("o.txt", ["--stdio"]), ("csv", ["--stdio"])])
def test_what_is_shown_is_written(show, terminal, run, perfpair, tmp_path, name,
                                  options):
    show()
    terminal.keys("r", "1,3", "Enter")
    terminal.wait("from 1.000 s to 3.000 s")
    terminal.keys("Down", "t")
    task = re.search(r"thread: (\S+)", terminal.wait("thread: "))[1]
    write(terminal, name, "written; elsewhere: scp ")
    sort = [] if "folded" in options else ["-s", "comm"]
    # blocks of 10,000,001 ns
    done = run([perfpair, "report", *sort, "--comms", task, "--time",
                "6.000000100,8.000000299", *options], cwd=tmp_path)
    assert done.stdout and (tmp_path / name).read_text() == done.stdout
    terminal.leave()


def test_a_page_is_written(show, terminal, tmp_path):
    show()
    write(terminal, "o.html", "written; elsewhere: scp ")
    assert (tmp_path / "o.html").read_text().lower().startswith("<!doctype html>")
    write(terminal, "a b.txt", "a b.txt is written")
    assert (tmp_path / "a b.txt").exists()
    terminal.leave()


def test_what_cannot_be_written_is_said(show, terminal, tmp_path):
    show()
    write(terminal, "perf.data", "the output is the input")
    assert (tmp_path / "perf.data").read_bytes() == recording()
    write(terminal, "none/o", "none/o: No such file or directory")
    terminal.keys("K")
    write(terminal, "o", "no file leaves out samples of a mode")
    assert not (tmp_path / "o").exists()
    terminal.leave()


def test_names_with_commas_are_no_list(show, terminal, tmp_path):
    show(data=recording("a,b{}"))
    terminal.keys("t")
    terminal.wait("thread: a,b29")
    write(terminal, "o", "no file is of a name with a comma")
    assert not (tmp_path / "o").exists()
    terminal.leave()


def test_what_no_sample_passes_is_said(show, terminal):
    text = show("-s comm --comms nosuch")
    assert text.splitlines()[-1] == "no sample passes the filters"
    terminal.leave()


def test_lines_that_stay_are_written_once(perfpair, tmp_path):
    (tmp_path / "perf.data").write_bytes(recording())
    shown = on_terminal([perfpair, "report", "-s", "comm"], environment(tmp_path),
                        tmp_path, keys=[b"\x1b[B", b"\x1b[B", b"\x0c", b"q"])
    # the bar leaves the first row, is on the second, then on the third; Ctrl-L
    # draws all
    assert [shown.text.count(f"task{nr}") for nr in (29, 28, 27, 26, 20)] == \
        [3, 4, 3, 2, 2]


def test_without_samples_there_is_no_screen(show, tmp_path):
    e = Encoder(False)
    text = show("--no-pager", e.plain_file([(ATTR, [1])], b""))
    assert LIST not in text


@pytest.mark.parametrize("command, options", [
    ("report", "-s comm --stdio"), ("report", "-s comm -q"),
    ("report", "-s comm -t,"), ("report", "-s comm --hierarchy"),
    ("report", "-s comm --header"), ("report", "-s comm --format csv"),
    ("report", "-s comm --stdio-color never"), ("--no-pager", "report -s comm"),
    ("report", "-s comm | cat"), ("report", "-s comm < /dev/null"),
    ("report", "--tui -s comm | cat"), ("report", "perf.data perf.data")])
def test_other_forms_are_text(show, command, options):
    text = show(f"{options} | tail -n 5" if "|" not in options else
                options + " | tail -n 5", command=command)
    assert LIST not in text and "rc=0" in text


@pytest.mark.parametrize("options", [
    "--tui -q -s comm", "--tui --stdio -s comm", "perf.data -s comm"])
def test_tui_is_the_screen(show, terminal, options):
    assert LIST in show(options)
    terminal.leave()


def test_a_file_alone_is_shown(show, terminal):
    assert LIST in show("", command="perf.data")
    terminal.leave()


@pytest.mark.parametrize("columns, lines", [(80, 24), (200, 50), (40, 8)])
def test_resizing(show, told, terminal, columns, lines):
    show()
    terminal.tmux("resize-window", "-x", str(columns), "-y", str(lines))
    # until it is drawn anew, tmux shows the last lines of the larger screen
    text = terminal.wait(lambda text: text.rstrip("\n").count("\n") == lines - 1 and
                         text.startswith("perf.data") and
                         "h: keys" in text.splitlines()[-1])
    shown = text.splitlines()
    assert max(map(len, shown)) <= columns
    assert rows(shown) == told("-s", "comm")[:lines - 5]
    terminal.leave()


def test_names_do_not_reach_the_terminal(show, terminal):
    text = show(data=recording("\33]2;EVIL\7{}"))
    assert r"\x1b]2;EVIL\x07" in text
    assert "EVIL" not in terminal.tmux("display-message", "-p", "#{pane_title}")
    terminal.leave()
