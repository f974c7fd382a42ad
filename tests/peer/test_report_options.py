"""Options of perf report 6.1 that are about the form of the table, and branch
mode: the text is perf's.  Those that cannot be had say why."""

import random
import re
import signal
import struct
import subprocess

import pytest

from peer_text import TIP, entries, same_text
from recipes import RECIPES
from recordings import recipes_by_perf, record_by_perf
from redrawn import BRANCHES, CHAIN, redraw, words

CHAINS, GROUP, PLAIN = "callchains", "group", "one CPU"
# of one task: with -v a row has the address of one of its samples, which in perf
# is another one where rows become one because a task has changed its name
CLOCK = "software clock"
TRACED = "two tracepoints"
SAMPLED = "group sampled by its leader"
BRANCHED = "branches"
STACKS = "dwarf stacks"
THREADS = "threads"
EMPTY = "all CPUs"  # with an event that has no samples
ONE_TRACED = "tracepoint"
OPENED, PIPED = "files opened", "tracepoint to a pipe"
OWN = (OPENED, ["-e", "syscalls:sys_enter_openat"], ("spin", "10"))
CORPUS = "google__perf_data_converter/src__quipper__testdata__" \
    "perf.data.callgraph_and_branch-3.8"

VIEWS = [
    (PLAIN, ["-t", ","]),
    (PLAIN, ["-t", ",", "-F", "overhead,overhead_children,sample,dso,sym"]),
    (PLAIN, ["-t", ",", "-F", "dso,overhead,period"]),
    (GROUP, ["-w", "9,12,3", "-F", "dso,overhead,sample"]),
    (PLAIN, ["-t", "[", "-s", "dso,comm"]),
    (PLAIN, ["-t", "\t", "-n", "--show-total-period"]),
    (CHAINS, ["-t", ";", "-s", "dso"]),
    (CHAINS, ["-t", "|", "-g", "folded"]),
    (CHAINS, ["-t", ",", "-g", "none", "--show-cpu-utilization"]),
    (GROUP, ["-t", ",", "-s", "dso,comm"]),
    (PLAIN, ["-w", "5,20,3", "-n"]),
    (PLAIN, ["-w", "0,0,30", "-n"]),
    (PLAIN, ["-w", "1,1,1,1", "-n"]),
    (PLAIN, ["-w", "9,9,9,9"]),
    (PLAIN, ["-w", "12"]),
    (CHAINS, ["-w", "20,30,40", "-g", "none"]),
    (CHAINS, ["-w", "0,30", "-t", ",", "-g", "none"]),
    (CHAINS, ["-w", "10,12,30,40", "--no-children", "-g", "none", "-c", "spin"]),
    (CHAINS, ["-w", "10,12,30,40", "-g", "none", "-d", "[kernel.kallsyms]"]),
    (TRACED, ["-w", "10,12"]),
    (TRACED, ["-w", "10,7,30", "-s", "trace,comm"]),
    # names of others can be too long for it: docs/differences.md
    (CHAINS, ["-w", "9,9,9,3", "--no-children", "-g", "none"]),
    (PLAIN, ["-w", "9,9,9,4"]),
    (PLAIN, ["-w", "9,9,9,5"]),
    (PLAIN, ["-w", "8,,20"]),
    *((PLAIN, ["-s", "socket,dso", "-w", widths])
      for widths in ("8,8", "8,2", "8,12,5", "8,99")),
    (PLAIN, ["-w", "3,4,2,5", "-F", "dso,addr,symbol_size,sample"]),
    (PLAIN, ["-w", "4,12", "-F", "dso,overhead_children"]),
    (PLAIN, ["-w", ",20,"]),
    (GROUP, ["-w", "3,4", "-n"]),
    (GROUP, ["-w", "30,4,9", "-n"]),
    (PLAIN, ["-U"]),
    (CHAINS, ["-U"]),
    (CHAINS, ["-U", "--no-children"]),
    (CHAINS, ["-U", "-s", "dso", "-g", "none"]),
    (GROUP, ["-U", "-n"]),
    (BRANCHED, ["-U"]),
    (SAMPLED, ["--time", "25%/4"]),  # counts since samples before that
    (GROUP, ["--group-sort-idx", "0"]),
    (GROUP, ["--group-sort-idx", "1"]),
    (GROUP, ["--group-sort-idx", "1", "-s", "dso", "-n"]),
    (GROUP, ["--group-sort-idx", "7"]),
    (BRANCHED, []),
    (BRANCHED, ["-b"]),
    *((BRANCHED, more) for more in
      (["-d", "spin"], ["-v", "-s", "sym"], ["-p", "^do_|main"],
       ["-p", "sort", "-x", "--max-stack", "3", "-s", "dso_to"])),
    (CHAINS, ["-q", "-c", "spin"]),
    (BRANCHED, ["--no-branch-stack"]),
    (BRANCHED, ["--no-branch-stack", "-s", "sym", "-g", "caller"]),
    (PLAIN, ["--stdio-color", "never", "--skip-empty"]),
    *((THREADS, ["-T", *more]) for more in
      ([], ["-q"], ["-s", "pid"], ["--hierarchy"])),
    *((name, ["-v", *more]) for name, more in
      ((CLOCK, []), (CHAINS, []), (CHAINS, ["--no-children", "-s", "sym"]),
       (CHAINS, ["--hierarchy"]), (GROUP, ["-n"]), (BRANCHED, []),
       (CLOCK, ["-w", "0,0,20,40"]), (CLOCK, ["-t", ","]))),
    (PLAIN, ["-T"]),  # nothing was counted by thread
    (CLOCK, ["-q", "-v"]),
    (CLOCK, ["-v", "-q", "-n"]),
    (TRACED, ["--raw-trace"]),
    *((ONE_TRACED, more) for more in (  # nothing but tracepoints
        [], ["--raw-trace"], ["--raw-trace", "-F", "+sample"],
        ["--raw-trace", "-s", "+comm"], ["--raw-trace", "--hierarchy"],
        ["--raw-trace", "-s", "trace", "--hierarchy"])),
    *((OPENED, ["--raw-trace", "-s", key]) for key in
      ("trace", "trace_fields", "comm,trace")),
    *((PIPED, more) for more in ([], ["--raw-trace"], ["-s", "+cpu"])),
    *((BRANCHED, more) for more in (
        ["-s", "addr_to,addr_from"], ["-s", "addr_from,mispredict", "-v"],
        ["-s", "addr_from,dso_from", "-w", "8,5"],
        ["-s", "addr_from", "-w", "8,2"],
        ["-s", "mispredict,addr_from", "--hierarchy"])),
    (PLAIN, ["-s", "{cgroup_id,transaction}", "--hierarchy"]),
    *((CHAINS, ["-s", "dso", "-g", more]) for more in  # what is left out
      ("fractal,2,1,callee", "fractal,0,2", "fractal,2,1,callee,count",
       "fractal,20,count", "fractal,2,1,period")),
    *((CHAINS, ["-g", f"{mode},20", "-s", "dso", "-d", "spin",
                "--percentage", "relative"]) for mode in ("folded", "flat")),
    (GROUP, ["--switch-on", "cpu-clock", "--time", "50%/2", "-n"]),
    *((GROUP, ["--no-group", "-s", "dso", "--switch-on", "task-clock",
               "--switch-off", "task-clock", *more])
      for more in ([], ["--show-on-off-events"])),
    (TRACED, ["--raw-trace", "-s", "prev_comm,prev_state,next_pid", "-n"]),
    *((STACKS, ["-g", more]) for more in
      ("flat", "flat,0.5,callee", "folded,caller", "fractal,2,callee")),
    *((STACKS, ["--max-stack", *more]) for more in
      (["1"], ["2"], ["2", "-g", "callee"], ["2", "--no-children"])),
    *((PLAIN, more) for more in  # there are no call chains
      (["-F", "+overhead_children"], ["-s", "overhead_children,dso"],
       ["-s", "+overhead_children,sample", "--no-children"])),
    (EMPTY, ["--no-skip-empty"]),
    (EMPTY, ["--no-skip-empty", "-s", "dso", "-n"]),
    (EMPTY, ["--skip-empty", "-m"]),
    *((CHAINS, ["--ignore-callees", "^middle$|leaf_sort", *more])
      for more in ([], ["--no-children"], ["-G", "-s", "sym"],
                   ["--no-children", "-s", "dso,sym", "-n"],
                   ["--no-children", "--show-cpu-utilization", "-s", "sym"],
                   ["--hierarchy", "-s", "dso,sym"])),
]
REFUSED = {
    "--tui": "perfpair view opens a page",
    "-M intel": "do not show instructions",
    "--total-cycles": "blocks between branches",
    "--ignore-callees (": "--ignore-callees: '('",
    "--stdio-color maybe": "none of always, never, auto",
    "-t .": "'.' stands for the separator",
    "-t ab": "no single character",
    "-w x": "no list of numbers",
    "-w -3": "no list of numbers",
    "-w 99999": "no list of numbers",
    "-w 8,,x": "no list of numbers",
    f"-w {'1,' * 64}x": "no list of numbers",
    "-t , --hierarchy": "have no columns",
    "--stats --tasks": "do not go together",
    "--mmaps --stats": "do not go together",
    "-t ; --format csv": "those of --format text",
    "-t ; --format json": "those of --format text",
    "-w 9 --format json": "those of --format text",
    "-w 9 --format folded": "those of --format text",
    "-b": "no branches were recorded",
}


def drawn(parts, _, draw=random.Random(2)):
    """Branches between the functions of the call chain, the latest first.  Those
    from one address are all mispredicted or none: perf's comparison of the two
    kinds has no order, and it may print a row of both twice (README)."""
    chain = struct.unpack(f"<{len(parts[CHAIN]) // 8}Q", parts[CHAIN])[1:]
    ips = [ip for ip in chain if 4096 < ip < 2**64 - 4096]
    out = []
    for callee, caller in list(zip(ips, ips[1:]))[:6]:
        kinds = [1, 9] if caller % 3 == 0 else [2, 6]
        out += [caller - 1, callee & ~15,
                draw.choice(kinds) | draw.choice([0, 3, 200]) << 4]
    parts[BRANCHES] = words(len(out) // 3, *out)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory, perf, may_trace, workload, home):
    folder = tmp_path_factory.mktemp("options")
    record = recipes_by_perf(perf, workload, home, folder)
    branched = folder / "branched.data"

    piped = folder / "piped.data"

    def path_of(name):
        if name == BRANCHED:
            if not branched.exists():
                redraw(path_of(CHAINS), branched, drawn, branch_type=8)
            return branched
        if name != PIPED:
            return record(next(r for r in [*RECIPES, OWN] if r[0] == name))
        if not piped.exists():
            done = record_by_perf(
                [perf, "record", "-q", "-e", "syscalls:sys_enter_getppid",
                 "-o", "-", "--", str(workload("getppid")), "20"],
                piped, home["HOME"])
            assert done.returncode in (0, -signal.SIGTERM), done.stderr
        return piped

    return path_of


def texts(run, perf, perfpair, home, path, more):
    command = ["report", "--stdio", "-i", path, *more]
    theirs, ours = (run([program, *command], env=home)
                    for program in (perf, perfpair))
    assert (theirs.returncode, ours.returncode) == (0, 0), ours.stderr
    assert theirs.stdout.strip()
    # README, "Where perf 6.1 is not followed": what is left out
    shown = theirs.stdout.replace("[...] (inlined)", "[...]")
    return TIP.sub("", shown), TIP.sub("", ours.stdout)


COLOURED = re.compile(r"\x1b\[\d+m *[\d.]+%\x1b\[m")
COLOURED_VIEWS = [
    (PLAIN, []), (CLOCK, ["-n"]), (CHAINS, []), (CHAINS, ["-g", "fractal"]),
    (CHAINS, ["-g", "count", "-s", "dso"]), (CHAINS, ["-g", "folded"]),
    (CHAINS, ["-g", "flat"]), (CHAINS, ["--hierarchy"]), (GROUP, []),
    (CLOCK, ["--show-cpu-utilization"]), (CLOCK, ["-w", "12,5,5,20"]),
]


@pytest.mark.parametrize("name, more", COLOURED_VIEWS, ids=str)
def test_report_options__colours(name, more, recorded, run, perf, perfpair, home):
    """Equal rows may come in another order."""
    theirs, ours = texts(run, perf, perfpair, home, recorded(name),
                         ["--stdio-color", "always", *more])
    assert sorted(COLOURED.findall(ours)) == sorted(COLOURED.findall(theirs)) != []
    assert ours.count("\x1b") == theirs.count("\x1b")


def test_report_options__no_colours_with_separators(recorded, run, perf, perfpair,
                                                    home):
    for text in texts(run, perf, perfpair, home, recorded(CLOCK),
                      ["--stdio-color", "always", "-t", ","]):
        assert "\x1b" not in text


@pytest.mark.parametrize("case", VIEWS, ids=lambda c: "_".join([c[0], *c[1]]))
def test_report_options__text(recorded, case, run, perf, perfpair, home):
    name, more = case
    theirs, ours = texts(run, perf, perfpair, home, recorded(name), more)
    if "-t" in more:
        # rows begin with one blank, and may change places
        theirs, ours = ("\n".join(sorted(
            re.sub(r"^[ |]*-*", "", line) for line in text.splitlines()))
            for text in (theirs, ours))
        same_text(theirs, ours)
    else:
        same_text("\n".join(entries(theirs)), "\n".join(entries(ours)))


@pytest.mark.parametrize("more", [["-b"], ["--no-branch-stack"],
                                  ["--no-branch-stack", "--no-children"],
                                  ["-b", "-v", "-s", "dso_from,symbol_from"]],
                         ids="_".join)
def test_report_options__branches_of_somebody_else(corpus, more, run, perf,
                                                   perfpair, home):
    theirs, ours = texts(run, perf, perfpair, home,
                         corpus / "files" / CORPUS, more)
    same_text("\n".join(entries(theirs)), "\n".join(entries(ours)))


@pytest.mark.parametrize("name, more", [
    ("google__perf_data_converter/src__quipper__testdata__"
     # perf names the other host's kernel by this one's
     "perf.data.piped.hw_and_sw-3.4", ["--no-group", "-s", "comm,dso"]),
    ("appelmar__RcppThread/tests__perf.data",
     ["--mem-mode", "--time", "10%/10"]),
], ids=["pipe of several events", "data in no file"])
def test_report_options__of_somebody_else(corpus, name, more, run, perf,
                                          perfpair, home):
    theirs, ours = texts(run, perf, perfpair, home, corpus / "files" / name,
                         more)
    same_text("\n".join(entries(theirs)), "\n".join(entries(ours)))


@pytest.mark.parametrize("idx", ["0", "1", "9"])
def test_report_options__members_that_order_rows(recorded, idx, run, perf,
                                                 perfpair, home):
    """Row by row: with 1 the leader's weights say nothing, and names come
    next; with 9 they say all."""
    pair = texts(run, perf, perfpair, home, recorded(SAMPLED),
                 ["--group-sort-idx", idx])
    theirs, ours = ([line.rstrip() for line in text.splitlines()
                     if re.match(r" +[0-9.]+% +[0-9.]+% ", line)]
                    for text in pair)
    assert len(theirs) > 5
    assert ours == theirs


@pytest.mark.parametrize("words_typed", REFUSED)
def test_report_options__refused(recorded, words_typed, perfpair, run):
    done = run([perfpair, "report", "-i", recorded(PLAIN),
                *words_typed.split()])
    assert done.returncode in (1, 2)
    assert done.stdout == ""
    assert REFUSED[words_typed] in done.stderr


def test_report_options__a_tab_can_be_typed_in_letters(recorded, perfpair, run):
    """perf 6.1 prints a backslash and a t."""
    tab, letters = (run([perfpair, "report", "-q", "-i", recorded(PLAIN), "-t",
                         sep]).stdout for sep in ("\t", "\\t"))
    assert "\t" in tab and tab == letters


def test_report_options__every_option_of_perf_is_known(perf, perfpair, run,
                                                       tmp_path):
    """Known, or refused with a reason."""
    text = subprocess.run([perf, "report", "-h"], capture_output=True,
                          text=True, check=False)
    long_names = re.findall(r"^ {4}(?:-., |    )--([a-z-]+)",
                            text.stdout + text.stderr, re.M)
    assert len(long_names) > 60
    for name in long_names:
        done = run([perfpair, "report", "-i", tmp_path / "none", f"--{name}"])
        assert "unknown" not in done.stderr, name
