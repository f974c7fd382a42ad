"""--branch-history: branches in front of the call chain of their sample.  On
recordings that were given branches, and on one of the corpus, the text is that
of perf 6.1."""

import itertools
import random
import re
import struct

import pytest

from common import RECORD
from peer_text import same_report
from recordings import record_by_perf
from redrawn import BRANCHES, CHAIN, redraw, words

CORPUS = "google__perf_data_converter/src__quipper__testdata__" \
    "perf.data.branch_stack_spec"
PLAIN, FAR, LOOPS, TYPES = "plain", "far", "loops", "types"
NONE = "none"  # stacks of no branch
VIEWS = [
    (PLAIN, ["-s", "sym"]),
    (PLAIN, ["-s", "sym", "--no-children"]),
    (PLAIN, ["-s", "dso,sym", "-G", "--no-children"]),
    (FAR, ["-s", "sym", "-g", "callee"]),
    (LOOPS, ["-s", "sym"]),
    (LOOPS, ["-s", "sym", "--no-children"]),
    (LOOPS, ["-s", "sym", "-g", "callee", "--max-stack", "3"]),
    (LOOPS, ["-s", "sym", "-g", "fractal", "-b"]),
    (LOOPS, ["-s", "sym", "-g", "folded,count"]),
    (TYPES, ["-s", "sym"]),
    (NONE, ["-s", "sym"]),
]


class Drawer:
    """Branches between the functions of the call chain, the latest first."""

    def __init__(self, kind):
        self.kind, self.draw = kind, random.Random(2)

    def type_of(self, target, caller):
        """One for each pair, as nodes of several types are cut by perf: one out
        of another file is conditional, near ones are calls."""
        if self.kind != TYPES:
            return 0
        return 1 if abs(target - caller) >> 21 else 4

    def branches(self, callee, caller):
        target = callee & ~15
        yield (caller - (40 if self.kind == FAR else 5), target,
               self.draw.choice([1, 2, 2, 6, 9])
               | self.draw.choice([0, 3, 200]) << 4
               | self.type_of(target, caller) << 20)
        if self.kind == LOOPS:
            for _ in range(self.draw.choice([0, 1, 2, 3])):
                yield (target + 8, target + 2,
                       2 | self.draw.choice([4, 7]) << 4)

    def __call__(self, parts, _):
        chain = struct.unpack(f"<{len(parts[CHAIN]) // 8}Q", parts[CHAIN])[1:]
        ips = [ip for ip in chain if 4096 < ip < 2**64 - 4096]
        pairs = list(zip(ips, ips[1:]))[:6 if self.kind != NONE else 0]
        if self.kind == TYPES:
            # each is entered from another file as well
            pairs = [each for callee, caller in pairs
                     for each in ((callee, caller), (callee, ips[-1]))]
        out = list(itertools.chain.from_iterable(
            self.branches(*pair) for pair in pairs))
        parts[BRANCHES] = words(len(out), *itertools.chain(*out))


@pytest.fixture(scope="module")
def recorded(tmp_path_factory, perf, workload, home):
    folder = tmp_path_factory.mktemp("history")
    chains = folder / "chains"
    command = [perf, *RECORD, "-q", "-e", "cpu-clock", "-F", "1000", "-g",
               "-o", str(chains), "--",
               str(workload("spin", "-O1", "-g", "-fno-omit-frame-pointer")),
               "200", "cpu"]
    done = record_by_perf(command, None, home["HOME"])
    assert done.returncode == 0, done.stderr

    def path_of(kind):
        path = folder / kind
        if not path.exists():
            redraw(chains, path, Drawer(kind), branch_type=8)
        return path

    path_of.chains = chains
    return path_of


def compare(run, perf, perfpair, home, path, more):
    command = ["report", "--stdio", "--branch-history", "-i", path, *more]
    theirs, ours = (run([program, *command], env=home)
                    for program in (perf, perfpair))
    assert (theirs.returncode, ours.returncode) == (0, 0), ours.stderr
    # README, "Where perf 6.1 is not followed": lines that addr2line makes up
    theirs = theirs.stdout.replace("libc-start.c:", "libc_start_call_main.h:")
    theirs = theirs.replace("dl-get-cpu-features.c:", "dl-cacheinfo.h:")
    theirs = theirs.replace("crtstuff.c:0", "??:0")
    theirs = re.sub(r" :0(?= |$)", " ??:0", theirs, flags=re.M)
    # what is too small to be shown is no branch, nor a call
    theirs = re.sub(r"\[\.\.\.\]( \(inlined\))? \(calltrace\)", "[...]", theirs)
    ours = ours.stdout
    texts = [theirs, ours]
    if "fractal" in more:
        # perf gives a loop's turns to one of several equal branches
        texts = [re.sub(r" \(iter:[^)]*\)", "", text) for text in texts]
    same_report(*texts)
    return ours


@pytest.mark.parametrize("case", VIEWS, ids=lambda c: "_".join([c[0], *c[1]]))
def test_branch_history__text(recorded, case, run, perf, perfpair, home):
    kind, more = case
    text = compare(run, perf, perfpair, home, recorded(kind), more)
    # each kind has something of its own, where nodes are shown
    marks = {PLAIN: "(calltrace)", FAR: "(cycles:", LOOPS: " iter:",
             TYPES: "CROSS_", NONE: "(calltrace)"}
    if more == ["-s", "sym"]:
        assert marks[kind] in text
        assert ("predicted:" in text) == (kind != NONE)


def test_branch_history__types(recorded, run, perfpair, home):
    text = run([perfpair, "report", "--branch-history", "-s", "sym", "-i",
                recorded(TYPES)], env=home).stdout
    for name in ("COND_", "CROSS_", "CALL"):
        assert name in text


@pytest.mark.parametrize("more", [[], ["-s", "sym", "--no-children"],
                                  ["-s", "sym", "-G"]],
                         ids=lambda more: "_".join(more) or "default")
def test_branch_history__without_call_chains(corpus, more, run, perf, perfpair,
                                             home, tmp_path):
    (tmp_path / "empty").mkdir()
    text = compare(run, perf, perfpair, home, corpus / "files" / CORPUS,
                   ["--symfs", tmp_path / "empty", *more])
    assert "(calltrace)" not in text


def test_branch_history__without_branches(recorded, run, perf, perfpair, home):
    compare(run, perf, perfpair, home, recorded.chains, ["-s", "sym"])
