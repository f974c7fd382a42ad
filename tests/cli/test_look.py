"""What a terminal alone gets: colours of percentages, and names that fit."""

import re
import unicodedata

import pytest

from made_file import BITS, File, make
from terminal_run import environment, on_terminal

CALLCHAIN = 1 << 5
START = 0xffffffff81000000
KERNEL, NOBODY = 1, 0xffffffff
LONG = "std::vector<" + "some::space::element, " * 20 + "last>::push_back(int)"
WIDE = "größe<" + "ä" * 150 + ">::ende"
NAMES = ["short", LONG, WIDE, "leaf"]
COLOURS = re.compile(r"\x1b\[(?:31|32)?m")


class Recorded(File):
    """Samples in functions of a kernel, by the numbers of NAMES."""

    def __init__(self):
        attr = make.attr_of(sample_type=BITS | CALLCHAIN)
        super().__init__(attrs=(attr, attr))
        name = b"[kernel.kallsyms]_text\0\0"
        self.add(1, self.e.pack("II", NOBODY, 0)
                 + self.e.words(START, 1 << 20, START) + name, misc=KERNEL)
        self.comm(90)

    def chain(self, *numbers, nr=1, cpu=1):
        addrs = [START + 0x1000 * (1 + number) + 8 for number in numbers]
        for _ in range(nr):
            self.records.append(self.e.record(9, KERNEL, (
                self.e.words(addrs[0]) + self.e.pack("II", 5, 6)
                + self.e.words(100, 101) + self.e.pack("II", cpu, 0)
                + self.e.words(len(addrs) + 1, 2**64 - 128, *addrs))))
        return self


@pytest.fixture
def folder(tmp_path):
    symbols = [f"{START:x} T _text"]
    symbols += [f"{START + 0x1000 * (1 + i):x} t {name}"
                for i, name in enumerate(NAMES)]
    (tmp_path / "syms").write_text("\n".join(symbols) + "\n")
    made = Recorded().chain(0, nr=90).chain(1, 0, nr=90)
    made.chain(2, 1, 0, nr=19).chain(3, nr=1)
    (tmp_path / "perf.data").write_bytes(made.bytes())
    (tmp_path / "old.data").write_bytes(
        Recorded().chain(1, nr=99).chain(3, nr=101).bytes())
    return tmp_path


@pytest.fixture
def screen(folder, perfpair):
    def run(*words, columns=80, files=None, **env):
        if words[0] == "report":
            words = ("report", "--stdio", *words[1:])
        env = environment(folder, PAGER="cat", **env)
        shown = on_terminal([perfpair, *words, "--kallsyms", "syms"], env, folder,
                            columns, files=files)
        assert shown.code == 0
        return shown.text
    return run


def plain(text):
    return COLOURS.sub("", text)


def piped(run, perfpair, *words):
    return run([perfpair, *words, "--kallsyms", "syms"]).stdout


def test_percentages_have_perfs_colours(screen):
    text = screen("report", "-s", "sym", "--no-children", "-g", "none")
    lines = {line.split()[-1]: line for line in text.splitlines()
             if "[k]" in line}
    assert lines["short"].startswith("  \x1b[31m  45.00%\x1b[m  [k] ")
    assert lines["leaf"].startswith("     0.50%  [k] ")


@pytest.mark.parametrize("nr, colour", [
    (99, ""), (100, ""), (101, "\x1b[32m"), (999, "\x1b[32m"),
    (1000, "\x1b[31m")])
def test_bounds_of_colours(nr, colour, screen, folder):
    made = Recorded().chain(0, nr=nr, cpu=7).chain(0, nr=20000 - nr)
    (folder / "perf.data").write_bytes(made.bytes())
    text = screen("report", "-s", "cpu", "-g", "none", "--no-children")
    line = next(line for line in text.splitlines() if plain(line).endswith("007"))
    assert line.startswith("  " + colour + " ")


def test_graphs_have_colours(screen):
    assert "\x1b[31m9.50%\x1b[m--std::vector<" in screen("report", "-s", "sym")


def test_diffs_have_colours(screen):
    for words in [], ["--no-interval"]:
        text = screen("diff", "old.data", "perf.data", *words)
        line = next(line for line in text.splitlines() if "leaf" in line)
        assert line.startswith("  \x1b[31m  50.50%\x1b[m  \x1b[31m  -50.00%\x1b[m")


@pytest.mark.parametrize("command", [
    ["report"], ["report", "--hierarchy"], ["report", "-g", "folded"],
    ["report", "-w", "0,0,9"], ["diff", "old.data", "perf.data"]], ids=" ".join)
def test_colours_are_all_that_always_adds(command, folder, run, perfpair):
    text = piped(run, perfpair, *command, "--stdio-color", "always")
    assert COLOURS.search(text)
    assert plain(text) == piped(run, perfpair, *command)


def test_when_there_are_colours(screen, run, perfpair, folder):
    assert COLOURS.search(screen("report"))
    assert not COLOURS.search(screen("report", "--stdio-color", "never"))
    assert not COLOURS.search(screen("report", NO_COLOR="1"))
    assert COLOURS.search(screen("report", NO_COLOR=""))
    assert COLOURS.search(screen("report", "--stdio-color", "always",
                                 NO_COLOR="1"))
    assert not COLOURS.search(screen("report", TERM="dumb"))
    assert "\x1b" not in piped(run, perfpair, "report")
    screen("report", "-o", "out.txt")
    assert "\x1b" not in (folder / "out.txt").read_text()
    done = run([perfpair, "report", "--stdio-color", "maybe"])
    assert done.returncode == 2
    assert "always, never, auto" in done.stderr


def test_names_cannot_bring_escape_sequences(screen, folder):
    (folder / "syms").write_text(f"{START:x} T _text\n"
                                 f"{START + 0x1000:x} t evil\x1b[2J\n")
    for command in (["report"], ["diff", "old.data", "perf.data"]):
        assert "\x1b[2J" not in screen(*command)


def columns_of(text):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else
               not unicodedata.combining(c) for c in text)


def rows(text):
    return [line for line in plain(text).splitlines()
            if line and not line.startswith("#")]


@pytest.mark.parametrize("command", [
    ["report", "-s", "sym"], ["report"], ["report", "--hierarchy"],
    ["report", "-g", "flat"], ["report", "-s", "comm,dso,sym,cpu"],
    ["report", "--no-children", "-g", "fractal", "-s", "sym"],
    ["diff", "old.data", "perf.data", "--no-interval", "-s", "sym"],
    ["diff", "old.data", "perf.data", "-s", "sym"]], ids=" ".join)
@pytest.mark.parametrize("columns", [80, 100, 131])
def test_lines_fit(command, columns, screen):
    shown = plain(screen(*command, columns=columns))
    table = shown[shown.index("# ...") if "# ..." in shown else 0:]
    assert len(table.splitlines()) > 4
    for line in table.splitlines():
        assert columns_of(line.rstrip()) <= columns, line


def test_long_names_keep_start_and_end(screen):
    line = next(line for line in rows(screen("report", "-g", "none", "-s", "sym"))
                if "std::vector" in line)
    name = line.split("[k] ")[1]
    assert len(name) < len(LONG)
    start, end = name.split("...")
    assert LONG.startswith(start) and LONG.endswith(end)
    assert abs(len(start) - len(end)) <= 1


def test_characters_of_several_bytes_stay_whole(screen):
    for columns in range(60, 70):
        line = next(line for line in rows(screen("report", "-g", "none", "-s",
                                                 "sym", columns=columns))
                    if "größe" in line)
        start, end = line.split("[k] ")[1].split("...")
        assert WIDE.startswith(start) and WIDE.endswith(end)


@pytest.mark.parametrize("command", [["report"],
                                     ["diff", "old.data", "perf.data"]])
def test_where_names_stay_whole(command, screen, folder, run, perfpair):
    whole = piped(run, perfpair, *command)
    assert LONG in whole
    assert plain(screen(*command, "--full-names")) == whole
    assert plain(screen(*command, columns=0)) == whole  # not known
    assert LONG in plain(screen(*command, COLUMNS="2000"))
    screen(*command, files={1: folder / "shown"})
    assert (folder / "shown").read_text() == whole
    screen(*command, "--output", "out.txt")
    assert (folder / "out.txt").read_text() == whole


def test_widths_that_were_asked_for_hold(screen, run, perfpair):
    words = ["report", "-g", "none", "-w", "9,9,9,30,300"]
    assert plain(screen(*words)) == piped(run, perfpair, *words)
    words = ["report", "-g", "none", "-t", ";"]
    assert screen(*words) == piped(run, perfpair, *words)


TASKS = ["worker", "größe", "日本語の", "e\u0301te\u0301", "日x"]


def test_columns_are_those_of_the_terminal(folder, screen, run, perfpair):
    """In files they are counted in bytes, as perf does."""
    made = File(attrs=(make.attr_of(sample_type=BITS),))
    for nr, name in enumerate(TASKS):
        raw = name.encode() + b"\0"
        made.add(3, made.e.pack("II", 20 + nr, 20 + nr) + raw + bytes(-len(raw) % 8), 90)
        for _ in range(9 - nr):
            made.records.append(made.e.sample(make.attr_of(sample_type=BITS), dict(
                made.ident(100, 101), pid=20 + nr, tid=20 + nr, cpu=1)))
    (folder / "wide.data").write_bytes(made.bytes())
    words = ["report", "-i", "wide.data", "-F", "overhead,comm,pid,sample"]
    shown = screen(*words, "--stdio-color", "never", columns=100)
    rows = [line for line in shown.splitlines() if re.match(r" +\d+\.\d+%", line)]
    assert [next(name for name in TASKS if name in row) for row in rows] == TASKS
    assert {columns_of(row[:row.index(":")]) for row in rows} == {
        columns_of(rows[0][:rows[0].index(":")])}
    assert {columns_of(row.rstrip()) for row in rows} == {columns_of(rows[0].rstrip())}
    text = run([perfpair, *words]).stdout
    rows = [line.encode() for line in text.splitlines()
            if re.match(r" +\d+\.\d+%", line)]
    assert len({len(row.rstrip()) for row in rows}) == 1
