"""perfpair top on a terminal: driven in tmux, by what is to be seen there."""

import os
import re
import signal
import subprocess
import sys

import pytest

from common import ROOT
from tmux_terminal import IS_HERE, rows

sys.path.insert(0, str(ROOT / "fixtures" / "gen"))
import make  # noqa: E402
from perf_data import Encoder  # noqa: E402

pytestmark = IS_HERE
BITS = 1 | 1 << 1 | 1 << 2 | 1 << 6 | 1 << 8  # IP TID TIME ID PERIOD
KEYS = "comm,dso"
ENDED = "THE RECORDING HAS ENDED"

BUSY = r"""
#include <stdint.h>
volatile uint64_t sink;
__attribute__((noinline)) void inner_loop(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		sink += i * 7;
}
__attribute__((noinline)) void outer_loop(void)
{
	inner_loop(100000);
	sink++;
}
int main(void)
{
	for (;;)
		outer_loop();
}
"""


@pytest.fixture
def busy(tmp_path):
    source = tmp_path / "busy.c"
    source.write_text(BUSY)
    subprocess.run(["gcc", "-g", "-O0", "-fno-omit-frame-pointer",
                    "-o",
                    str(tmp_path / "busyloop"), str(source)], check=True)
    return tmp_path / "busyloop"


def made_pipe(name="task{}"):
    """Two events: 30 tasks with different periods in three files, and one."""
    e = Encoder(False)
    attr = make.attr_of(sample_type=BITS)
    data = b""
    for i in range(31):
        who = {"pid": 100 + i, "tid": 100 + i, "time": 50 + i, "id": 1,
               "cpu": 0, "stream_id": 0, "period": 100 * (i + 1)}
        comm = name.format(i).encode() + b"\0"
        path = f"/none/lib{i % 3}.so".encode() + b"\0"
        for kind, misc, body in ((3, 0, comm), (1, 2, e.words(
                0x400000, 0x10000, 0) + path)):
            body = e.pack("II", who["pid"], who["tid"]) + body
            body += bytes(-len(body) % 8) + e.trailer(attr, who)
            data += e.record(kind, misc, body)
        data += e.sample(attr, dict(who, id=2 if i == 30 else 1))
    return e.pipe_file([(attr, [1]), (attr, [2])], data)


def show(terminal, tmp_path, data, options=""):
    path = tmp_path / "made.pipe"
    path.write_bytes(data)
    terminal.run(f"perfpair top -d 0.2 -i - -s {KEYS} {options} < {path}")
    return terminal.wait(ENDED)


def show_made(terminal, tmp_path):
    return show(terminal, tmp_path, made_pipe())


def test_the_screen_has_the_rows_of_report(run, perfpair, terminal, tmp_path):
    """As far as there is room; once the pipe ends they stay."""
    text = show_made(terminal, tmp_path)
    tables = run([perfpair, "report", "-i", "-", "-s", KEYS],
                 input=made_pipe(), text=False).stdout.decode()
    tables = [[line.strip() for line in table.splitlines()
               if re.match(r" +\d+\.\d+%", line)]
              for table in tables.split("# Samples: ")[1:]]
    assert [len(table) for table in tables] == [30, 1]
    lines = text.splitlines()
    assert lines[0].startswith("PerfTop: ")
    assert lines[1] == f"{ENDED}  rows: 30  sort: comm,dso"
    assert lines[2].split() == ["Overhead", "Command", "Shared", "Object"]
    assert rows(lines) == tables[0][:20]
    assert lines[-1].startswith("h: keys ")
    terminal.keys("End")
    text = terminal.wait("task0 ")
    assert rows(text.splitlines()) == tables[0][10:]
    terminal.keys("Tab")
    text = terminal.wait("rows: 1 ")
    assert rows(text.splitlines()) == tables[1]
    terminal.leave()


def test_help_and_back(terminal, tmp_path):
    shown = show_made(terminal, tmp_path)
    terminal.keys("h")
    text = terminal.wait("Any key leaves this page.")
    assert text.splitlines()[1] == "Keys"
    terminal.keys("x")
    assert terminal.wait(ENDED) == shown
    terminal.leave()


def test_zoom_and_sort_keys(terminal, tmp_path):
    shown = rows(show_made(terminal, tmp_path).splitlines())
    dso = shown[1].split()[2]
    terminal.keys("Down", "d")
    text = terminal.wait(f"file: {dso}")
    zoomed = rows(text.splitlines())
    assert len(zoomed) == 10
    assert {row.split()[2] for row in zoomed} == {dso}
    terminal.keys("t")
    text = terminal.wait(f"thread: {shown[1].split()[1]}")
    assert rows(text.splitlines()) == [shown[1]]
    terminal.keys("Escape")
    text = terminal.wait(lambda text: "thread: " not in text)
    assert rows(text.splitlines()) == zoomed
    terminal.keys("Escape")
    text = terminal.wait(lambda text: "file: " not in text)
    assert rows(text.splitlines()) == shown
    terminal.keys("/")
    terminal.wait("rows are not by function")
    terminal.keys("s", "C-u")
    terminal.wait("Sort keys: _")
    terminal.keys("-l", "bogus")
    terminal.keys("Enter")
    text = terminal.wait("Unknown --sort key: `bogus'")
    assert rows(text.splitlines()) == shown
    terminal.keys("s", "C-u", "dso", "Enter")
    text = terminal.wait(lambda text: text.splitlines()[1].endswith("sort: dso"))
    assert {row.split()[1] for row in rows(text.splitlines())} \
        == {"lib0.so", "lib1.so", "lib2.so"}
    terminal.leave()


def test_kernel_or_programs_are_hidden(terminal, tmp_path):
    """All samples are of programs.  Zeroed, the last interval alone is kept."""
    shown = rows(show_made(terminal, tmp_path).splitlines())
    terminal.keys("K")
    assert rows(terminal.wait("without kernel").splitlines()) == shown
    terminal.keys("U")
    text = terminal.wait("without kernel  without programs")
    assert rows(text.splitlines()) == []
    terminal.keys("K", "U")
    text = terminal.wait(lambda text: "without" not in text)
    assert rows(text.splitlines()) == shown
    terminal.keys("z")
    terminal.wait("sort: comm,dso  zeroed")
    terminal.keys("z")
    terminal.wait(lambda text: "zeroed" not in text)
    terminal.leave()


def test_resizing_draws_anew(terminal, tmp_path):
    show_made(terminal, tmp_path)
    terminal.tmux("resize-window", "-x", "60", "-y", "8")
    # until it is drawn anew, tmux shows the last lines of the larger screen
    text = terminal.wait(lambda text: text.rstrip("\n").count("\n") == 7 and
                         "PerfTop" in text and "h: keys" in text.splitlines()[7])
    lines = text.splitlines()
    assert max(map(len, lines)) <= 60
    assert len(rows(lines)) == 4
    terminal.keys("End")
    terminal.wait("task0 ")
    terminal.tmux("resize-window", "-x", "100", "-y", "24")
    terminal.wait(lambda text: "h: keys" in text.splitlines()[23])
    terminal.leave()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM,
                                    signal.SIGHUP, signal.SIGQUIT,
                                    signal.SIGSEGV, signal.SIGABRT,
                                    signal.SIGBUS])
def test_signals_give_the_terminal_back(terminal, tmp_path, number):
    show_made(terminal, tmp_path)
    pane = terminal.tmux("display-message", "-p", "#{pane_pid}").strip()
    pid = subprocess.run(["pgrep", "-P", pane], capture_output=True,
                         text=True, check=True).stdout.split()[0]
    os.kill(int(pid), number)
    terminal.wait(lambda text: "PerfTop" not in text)
    terminal.is_as_before()


def test_stopped_and_continued(terminal, tmp_path):
    shown = show_made(terminal, tmp_path)
    terminal.keys("C-z")
    terminal.wait(lambda text: "Stopped" in text and "PerfTop" not in text)
    terminal.keys("fg", "Enter")
    assert terminal.wait(ENDED) == shown
    terminal.leave()


def test_stdio_and_dumb_terminals_get_text(terminal, tmp_path):
    path = tmp_path / "a.pipe"
    path.write_bytes(made_pipe())
    for before, option in (("", "--stdio"), ("TERM=dumb ", "")):
        terminal.run(f"{before}perfpair top -i - {option} -s {KEYS} -E 3 "
                     f"< {path}; echo ended=$?")
        text = terminal.wait("ended=0")
        assert "irqs/sec" in text and "rows: " not in text


def test_names_do_not_reach_the_terminal(terminal, tmp_path):
    text = show(terminal, tmp_path, made_pipe("\33]2;EVIL\7{}"))
    assert r"\x1b]2;EVIL\x07" in text
    assert "EVIL" not in terminal.tmux("display-message", "-p", "#{pane_title}")
    terminal.leave()


def test_wide_letters_do_not_break_lines(terminal, tmp_path):
    """Each takes two columns; the bar of the cursor ends with the line."""
    terminal.tmux("resize-window", "-x", "40", "-y", "24")
    text = show(terminal, tmp_path, made_pipe("\u6f22\u5b57\u6f22{}"))
    assert len(rows(text.splitlines())) == 20
    assert "\u6f22\u5b57\u6f22" in text
    assert text.splitlines()[-1].startswith("h: keys ")
    terminal.leave()


def test_a_program_while_it_runs(perfpair_record, terminal, busy):
    """Rows, call graph and code of what is recorded, and its end."""
    terminal.run(f"perfpair top -g -F 99 -d 0.5 -- {busy}; echo code=$?")
    terminal.wait("inner_loop")
    assert re.search(r"^\+ +\d+\.\d+% .*busyloop +\[\.\] \w+_loop",
                     terminal.text(), re.M)
    terminal.keys("/")
    terminal.keys("-l", "inner_loop")
    terminal.keys("Enter", "e")
    text = terminal.wait(lambda text: "outer_loop" in text and re.search(
        r"^- +\d+\.\d+% .*inner_loop", text, re.M))
    assert re.search(r"\|--|--|---", text)
    terminal.keys("e", "a")
    text = terminal.wait(" :   ")
    lines = text.splitlines()
    assert lines[1].startswith("inner_loop  ")
    hot = [float(match.group(1)) for line in lines
           if (match := re.match(r" +(\d+\.\d\d) :", line))]
    assert hot and max(hot) > 5
    terminal.keys("p")
    terminal.wait("PAUSED")
    terminal.keys("q")
    terminal.wait("rows: ")
    terminal.keys("q")
    terminal.wait(lambda text: re.search(r"code=\d", text))
    assert "code=0" in terminal.text()


def test_a_recorder_that_fails_says_why(perfpair_record, terminal):
    terminal.run("perfpair top -e no-such-event; echo code=$?")
    text = terminal.wait(lambda text: re.search(r"code=\d", text))
    assert "no-such-event" in text.split("code=$?")[-1]
    assert not text.rstrip().endswith("code=0")
    assert "PerfTop" not in text


def test_one_recorder_writes_to_the_other(perfpair_record, terminal, busy):
    terminal.run(f"perfpair-record -q -o - -F 99 -- timeout 1 {busy} | "
                 f"perfpair top -d 0.5 -i - -s dso,sym")
    terminal.wait("inner_loop")
    text = terminal.wait(ENDED)
    assert "(of" in text.splitlines()[0]
    terminal.leave()
