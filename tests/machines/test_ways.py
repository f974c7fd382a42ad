"""Each way to record on each machine of table.txt: perf of its suite has read all
recordings there, and here they are read with the same lines.

What was compared lies in build/machines/MACHINE/lines.txt."""

import collections
import itertools
import operator
import re
import subprocess

import pytest

from common import ROOT

pytestmark = [pytest.mark.builds, pytest.mark.slow]

GETPPID = "syscalls:sys_enter_getppid"
KILLED = "killed.data"
CALLS = 1000  # of truth-counted
ENTRY = re.compile(r"\t +[0-9a-f]*?0*([0-9a-f]{1,3})( .*)?$")  # of a call chain
# why perf there does not read on: attrs of 128 bytes (5.10), no addr2line (6.1)
STOPS = "incompatible file format|failed to process type: 82|could not read first record"
# perf does not swap the features in a pipe, and then cannot decompress
UNREAD = {("s390x", "pipe.data")}
GONE = re.compile(r" *:(\d+) +\d+/\1 ")
MODULE = re.compile(r" \(\[\w+\]\)$")
NAMED = re.compile(r"\t +[0-9a-f]+ (\S+)\+0x([0-9a-f]+) \((/.*)\)$")


def recordings(ways):
    return sorted(path.stem for path in ways.folder.glob("*.fields"))


class Symbols:
    """What the programs of a machine call their addresses."""

    def __init__(self, symfs):
        self.symfs = symfs
        self.files = {}

    def of(self, path):
        """{symbol: {address}}"""
        if path not in self.files:
            said = subprocess.run(["nm", f"{self.symfs}{path}"], capture_output=True,
                                  text=True, check=True).stdout
            found = self.files[path] = collections.defaultdict(set)
            for words in map(str.split, said.splitlines()):
                found[words[-1]].add(int(words[0], 16))
        return self.files[path]

    def overlap(self, theirs, ours):
        """Whether both lines name one address of a program, by two of its symbols."""
        pair = [NAMED.match(line) for line in (theirs, ours)]
        if not all(pair) or pair[0][3] != pair[1][3]:
            return False
        symbols = self.of(pair[0][3])
        # a symbol of Thumb has an odd address, its code an even one
        one, other = ({start + int(match[2], 16) for address in symbols[match[1]]
                       for start in (address, address & ~1)} for match in pair)
        return bool(one & other)


def is_same(theirs, ours, is_gone, symbols):
    """But for what perf prints otherwise there: the names of the kernel's vdso, which
    lies on no disk; which of several symbols an address has that overlap; a module of
    which perf has no file, and the kernel's map the names (riscv64); of maps in the
    other byte order the rights, which are none; after 6.1 wider pids, all of a caller's
    address (in 6.1 that in its file), no names of a task that has ended (is_gone), no
    last symbol of a section in the next one; in 7.3 that an event leaves out guests, if
    a killed recorder's file does not name it."""
    theirs = theirs.replace(":H: ", ": ")
    if "]: ---p " in theirs:
        ours = re.sub(r"(\]: )[r-][w-][x-](?=p )", r"\1---", ours)
    if theirs.endswith(" ([kernel.kallsyms])"):
        ours = MODULE.sub(" ([kernel.kallsyms])", ours)
    pair = theirs, ours
    if is_gone and ENTRY.match(theirs):
        return ENTRY.sub(r"\1", theirs) == ENTRY.sub(r"\1", ours)
    if GONE.match(theirs):
        pair = (line.strip().partition(" ")[2] for line in pair)
    elif "[vdso]" in theirs or ("[unknown]" in theirs and " _init+" in ours):
        pair = (re.sub(r" [^ ]+ \(", " (", line) for line in pair)
    return operator.eq(*(ENTRY.sub(r"\1\2", line).split() for line in pair)) or (
        symbols.overlap(theirs, ours))


def differences(ways, perfpair, perf, name):
    """([(their line, ours)], how many lines there are).  If perf there stops, or the
    mirror has none for that machine, perf of this machine has the say.  Callers out of
    stack copies are those of tests/peer: here perf's end earlier, and go through the
    vdso.  Of a killed recorder's file perf does not read what came after the last
    checkpoint."""
    def script(program):
        fields = ways.text(f"{name}.fields").strip()
        return ways.run(program, "script", "-F", fields, "--show-task-events",
                        "--show-mmap-events", "--symfs", ways.symfs, "--kallsyms",
                        "kallsyms", "-i", name).stdout

    ours = script(perfpair)
    if ways.has_perf and not re.search(STOPS, ways.text(f"{name}.perf-said")):
        theirs = ways.text(f"{name}.by-perf")
    else:
        theirs = script(perf)
    ours, theirs = ([line for line in text.splitlines()
                     if "dwarf" not in name or re.match("[^\t]", line)]
                    for text in (ours, theirs))
    if name == KILLED and theirs:
        ours = ours[:len(theirs)]
    found, is_gone, symbols = [], False, Symbols(ways.symfs)
    for pair in itertools.zip_longest(theirs, ours, fillvalue=""):
        if not pair[0].startswith("\t"):
            is_gone = GONE.match(pair[0])
        if not is_same(*pair, is_gone, symbols):
            found.append(pair)
    return found, len(ours)


def test_recorder_says_nothing(ways):
    assert ways.log == ""


def test_recordings_are_whole(ways, perfpair):
    for name in (name for name in recordings(ways) if not name.startswith("by-perf")):
        done = ways.run(perfpair, "check", name)
        how = ("readable in part: .*1 unfinished[,)]" if name == KILLED
               else "whole: 0 errors, 0 notes; ")
        assert re.search(f": {how}", done.stdout.splitlines()[-1]), done


def test_perf_there_reads_the_same(ways, perfpair, perf):
    rows, found = [], []
    for name in recordings(ways):
        if (ways.name, name) in UNREAD:
            continue
        pairs, nr = differences(ways, perfpair, perf, name)
        rows.append(f"{name:32} {nr:7} lines {len(pairs):7} differ\n")
        found += pairs
    release = ways.text("release").strip()
    by = "its perf" if ways.has_perf else "perf of this machine"
    rows.append(f"{release}, {by}, {ways.seconds:.0f} s\n")
    (ROOT / "build/machines" / ways.name / "lines.txt").write_text("".join(rows))
    assert not found


def counts(ways, name):
    """{event: count}"""
    rows = (line.split(",") for line in ways.text(name).splitlines())
    return {row[2]: row[0] for row in rows if len(row) > 2}


def test_counts_are_those_of_the_program(ways, perfpair):
    for name in ("stat.csv", "stat-by-perf.csv")[:1 + ways.has_perf]:
        assert counts(ways, name)[GETPPID] == str(CALLS)
    text = ways.said(perfpair, "script", "-F", "event", "-i", "calls.data")[0]
    assert text.split() == [f"{GETPPID}:"] * CALLS
