"""Options of perf report 6.1 that are about the form of the table, and branch
mode: the text is perf's.  Those that cannot be had say why."""

import random
import re
import signal
import struct
import subprocess

import pytest

from common import RECORD
from peer_text import TIP, entries, same_text
from recipes import RECIPES, own_rows
from recordings import record_by_perf
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
    "-t ; --format csv": "it is one of --format text",
    "-t ; --format json": "it is one of --format text",
    "-w 9 --format json": "it is one of --format text",
    "-w 9 --format folded": "it is one of --format text",
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


@pytest.fixture(scope="session")
def branched(recipe_by_perf, tmp_path_factory):
    """branched(): a fresh recording with branches that are drawn."""
    made = []

    def make():
        if not made:
            made.append(redraw(recipe_by_perf(recipe_of(CHAINS)),
                               tmp_path_factory.mktemp("branched") / "b.data",
                               drawn, branch_type=8))
        return made[0]

    return make


@pytest.fixture(scope="session")
def piped(request, tmp_path_factory, perf_home):
    """piped(): a fresh recording to a pipe."""
    made = []

    def make():
        if not made:
            perf, workload, _ = map(request.getfixturevalue,
                                    ("perf", "workload", "may_trace"))
            made.append(tmp_path_factory.mktemp("piped") / "piped.data")
            done = record_by_perf(
                [perf, *RECORD, "-q", "-e", "syscalls:sys_enter_getppid",
                 "-o", "-", "--", str(workload("getppid")), "20"],
                made[0], perf_home)
            assert done.returncode in (0, -signal.SIGTERM), done.stderr
        return made[0]

    return make


def recipe_of(name):
    return next(r for r in [*RECIPES, OWN] if r[0] == name)


@pytest.fixture
def recorded(kind, recorded_recipe, frozen, branched, piped):
    """recorded(NAME): the recording that a view is of."""
    def path_of(name):
        if name not in (BRANCHED, PIPED):
            return recorded_recipe(recipe_of(name))
        if kind == "frozen":
            return frozen(f"recipes/{name}")
        return branched() if name == BRANCHED else piped()

    return path_of


def without_tips(text):
    # README, "Where perf 6.1 is not followed": what is left out
    return TIP.sub("", text.replace("[...] (inlined)", "[...]"))


def as_rows(text):
    return "\n".join(entries(without_tips(text)))


def as_lines(text):
    """Rows begin with one blank, and may change places."""
    return "\n".join(sorted(re.sub(r"^[ |]*-*", "", line)
                            for line in without_tips(text).splitlines()))


def coloured(text):
    """Equal rows may come in another order."""
    return "\n".join([*sorted(COLOURED.findall(text)),
                      f"{text.count(ESCAPE)} changes of colour"])


def members(text):
    """Rows of two percentages."""
    return "\n".join(line.rstrip() for line in text.splitlines()
                     if re.match(r" +[0-9.]+% +[0-9.]+% ", line))


ESCAPE = "\x1b"
COLOURED = re.compile(ESCAPE + r"\[\d+m *[\d.]+%\x1b\[m")
COLOURED_VIEWS = [
    (PLAIN, []), (CLOCK, ["-n"]), (CHAINS, []), (CHAINS, ["-g", "fractal"]),
    (CHAINS, ["-g", "count", "-s", "dso"]), (CHAINS, ["-g", "folded"]),
    (CHAINS, ["-g", "flat"]), (CHAINS, ["--hierarchy"]), (GROUP, []),
    (CLOCK, ["--show-cpu-utilization"]), (CLOCK, ["-w", "12,5,5,20"]),
]


@pytest.mark.cases(COLOURED_VIEWS)
def test_report_options__colours(recorded, kind, case, peer):
    name, more = case
    more = [*more, *own_rows(kind, name, more)]
    ours = peer.same("report", "--stdio", "--stdio-color", "always", *more, "-i",
                     recorded(name), form=coloured, least=2)
    assert COLOURED.search(ours)


@pytest.mark.cases([(CLOCK, ["--stdio-color", "always", "-t", ","])])
def test_report_options__no_colours_with_separators(recorded, case, peer):
    name, more = case
    ours = peer.same("report", "--stdio", *more, "-i", recorded(name), form=coloured)
    assert ESCAPE not in ours


@pytest.mark.cases(VIEWS)
def test_report_options__text(recorded, kind, case, peer):
    name, more = case
    more = [*more, *own_rows(kind, name, more)]
    ours = peer.same("report", "--stdio", "-i", recorded(name), *more,
                     form=as_lines if "-t" in more else as_rows)
    assert "[...] (inlined)" not in ours


def texts(run, perf, perfpair, home, path, more):
    command = ["report", "--stdio", "-i", path, *more]
    theirs, ours = (run([program, *command], env=home)
                    for program in (perf, perfpair))
    assert (theirs.returncode, ours.returncode) == (0, 0), ours.stderr
    assert theirs.stdout.strip()
    return without_tips(theirs.stdout), TIP.sub("", ours.stdout)


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


@pytest.mark.cases([(SAMPLED, ["--group-sort-idx", idx]) for idx in "019"])
def test_report_options__members_that_order_rows(recorded, case, peer):
    """Row by row: with 1 the leader's weights say nothing, and names come
    next; with 9 they say all."""
    name, more = case
    peer.same("report", "--stdio", "-i", recorded(name), *more, form=members, least=6)


@pytest.mark.parametrize("words_typed", REFUSED)
def test_report_options__refused(frozen, words_typed, perfpair, run):
    done = run([perfpair, "report", "-i", frozen("recipes/one CPU"),
                *words_typed.split()])
    assert done.returncode in (1, 2)
    assert done.stdout == ""
    assert REFUSED[words_typed] in done.stderr


def test_report_options__a_tab_can_be_typed_in_letters(frozen, perfpair, run):
    """perf 6.1 prints a backslash and a t."""
    tab, letters = (run([perfpair, "report", "-q", "-i", frozen("recipes/one CPU"),
                         "-t", sep]).stdout for sep in ("\t", "\\t"))
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
